/* intake.c -- see intake.h. */
#include "ingest/intake.h"

#include <pthread.h>

#include "ingest/handover.h"

struct reading {
	struct handover *handover;
	struct reader *reader;
	struct intake_limits limits;
};

/* Fills until a limit or the end. */
static bool
fill(struct reading *reading, struct batch *batch, bool *at_end, struct error *err)
{
	batch_reset(batch);
	while (batch->count < reading->limits.records && batch->arena.bytes < reading->limits.bytes) {
		struct record *record = batch_add(batch);

		if (!reader_next(reading->reader, &batch->arena, record, at_end, err)) {
			batch->count--;
			return false;
		}
		if (*at_end) {
			batch->count--;
			break;
		}
		batch->next_position = reader_position(reading->reader);
		batch->format = reader_format(reading->reader);
	}
	return true;
}

static void *
read_all(void *context)
{
	struct reading *reading = context;
	struct error err = {0};
	struct batch *batch;
	bool at_end = false, fine = true;

	while (fine && !at_end && (batch = handover_take_free(reading->handover, WAIT_FOR_EVER)) != NULL) {
		fine = fill(reading, batch, &at_end, &err);
		batch_close(batch);
		/* What was read before a failure is whole records, and counts. */
		if (batch->count > 0)
			handover_ready(reading->handover, batch);
	}
	handover_end(reading->handover, fine ? NULL : &err);
	return NULL;
}

/* The fate of records that only a reader has seen. */
static void
count_parsed(struct batch *batch, struct batch_counts *counts)
{
	*counts = (struct batch_counts){.records = (int64_t)batch->count};
	for (size_t i = 0; i < batch->count; i++) {
		struct record *record = &batch->records[i];

		record->outcome = record->reason == REASON_NONE ? OUTCOME_ACCEPTED : reason_outcome(record->reason);
		counts->accepted += record->outcome == OUTCOME_ACCEPTED;
		counts->ignored += record->outcome == OUTCOME_IGNORED;
		counts->quarantined += record->outcome == OUTCOME_QUARANTINED;
		counts->rejected += record->outcome == OUTCOME_REJECTED;
	}
}

void
intake_add(struct intake_result *result, const struct batch *batch, const struct batch_counts *counts)
{
	struct batch_counts *sum = &result->counts;

	sum->records += counts->records;
	sum->accepted += counts->accepted;
	sum->duplicates += counts->duplicates;
	sum->restamped += counts->restamped;
	sum->ignored += counts->ignored;
	sum->quarantined += counts->quarantined;
	sum->rejected += counts->rejected;
	sum->set_aside_before += counts->set_aside_before;
	sum->ledger_rows += counts->ledger_rows;
	result->batches++;
	for (size_t i = 0; i < batch->count; i++)
		result->reasons[batch->records[i].reason]++;
}

void
intake_say(struct run *run, const struct intake_result *result)
{
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++)
		if (result->reasons[reason] > 0 && reason_outcome((enum reason)reason) != OUTCOME_IGNORED)
			say(run, "  %lld x %s: %s", (long long)result->reasons[reason], reason_code((enum reason)reason),
			    reason_meaning((enum reason)reason));
	if (result->counts.quarantined + result->counts.rejected > 0 && !run->dry_run) {
		run->finding = ERROR_FINDINGS;
		if (result->counts.set_aside_before > 0)
			say(run, "  %lld of them were set aside before", (long long)result->counts.set_aside_before);
		say(run, "  look at them with: tollbook quarantine list");
	}
	if (result->waiting)
		say(run, "  a last line without its end waits for the next time");
}

static bool
book_all(struct run *run, struct handover *handover, struct ledger_writer *writer, intake_watch *watch, void *context,
    struct intake_result *result, struct error *err)
{
	struct batch *batch;

	while (handover_take_ready(handover, WAIT_FOR_EVER, &batch) == HANDOVER_BATCH) {
		struct batch_counts counts;
		int64_t batch_id;

		if (run->dry_run)
			count_parsed(batch, &counts);
		else if (!batch_append(writer, batch, run->now, &counts, &batch_id, err))
			return false;
		intake_add(result, batch, &counts);
		if (watch != NULL && !watch(context, batch, err))
			return false;
		progress(
		    run, "%lld records, %lld accepted", (long long)result->counts.records, (long long)result->counts.accepted);
		handover_give_back(handover, batch);
	}
	return handover_result(handover, err);
}

bool
intake_file(struct run *run, const char *path, const struct reader_options *options, struct intake_limits limits,
    intake_watch *watch, void *context, struct intake_result *result, struct error *err)
{
	struct reading reading = {.limits = limits};
	struct ledger_writer writer = {0};
	pthread_t thread;
	bool fine;

	*result = (struct intake_result){0};
	if (!reader_open(path, options, &reading.reader, err))
		return false;
	if (!run->dry_run && !ledger_writer_open(&writer, run->db, "file", path, run->now, run->by, err)) {
		reader_close(reading.reader);
		return false;
	}
	reading.handover = handover_new();
	must(pthread_create(&thread, NULL, read_all, &reading) == 0);
	fine = book_all(run, reading.handover, &writer, watch, context, result, err);
	progress_end(run);
	handover_stop(reading.handover);
	must(pthread_join(thread, NULL) == 0);
	result->waiting = reader_waiting(reading.reader);
	if (fine && !run->dry_run)
		fine = ledger_writer_finish(&writer, run->now, err);
	reader_close(reading.reader);
	handover_free(reading.handover);
	ledger_writer_release(&writer);
	return fine;
}
