/* intake.c -- see intake.h. */
#include "ingest/intake.h"

#include <pthread.h>
#include <string.h>

#include "base/document.h"
#include "ingest/handover.h"

struct reading {
	struct handover *handover;
	struct reader *reader;
	struct intake_limits limits;
};

/* Never between events of one record: a reading that is gone on with begins with a whole one. */
static bool
is_full(const struct reading *reading, const struct batch *batch)
{
	return !reader_pending(reading->reader) &&
	    (batch->count >= reading->limits.records || batch->arena.bytes >= reading->limits.bytes);
}

/* Fills until a limit or the end. */
static bool
fill(struct reading *reading, struct batch *batch, bool *at_end, struct error *err)
{
	batch_reset(batch);
	while (!is_full(reading, batch)) {
		struct record *record = batch_add(batch);

		if (!reader_next(reading->reader, &batch->arena, record, at_end, err)) {
			batch->count--;
			return false;
		}
		if (*at_end) {
			batch->count--;
			break;
		}
		batch_note(batch);
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
	if (result->reasons[E_NOT_CLOUDEVENT] > 0)
		say(run,
		    "  what an engine, a gateway or an API reports needs --format NAME: tollbook formats guess FILE suggests "
		    "one");
	if (result->waiting)
		say(run, "  a last line without its end waits for the next time");
}

/* --- booking --------------------------------------------------------------------------------- */

/* One file on its way. */
struct intake {
	struct run *run;
	const char *path;
	const struct intake_keeping *keeping; /* or NULL */
	struct ledger_memory *memory;
	struct ledger_writer writer;
	struct intake_result *result;
	intake_watch *watch; /* or NULL */
	void *context;       /* of `watch` */
};

static bool
keep(struct intake *intake, const struct intake_result *result, bool ended, struct error *err)
{
	const struct intake_keeping *keeping = intake->keeping;

	return keeping->keep(keeping->context, intake->writer.position_id, result, ended, err);
}

static bool
keep_batch(void *context, const struct batch *batch, const struct batch_counts *counts, struct error *err)
{
	struct intake *intake = context;
	struct intake_result with_it = *intake->result;

	intake_add(&with_it, batch, counts);
	return keep(intake, &with_it, false, err);
}

static bool
open_and_keep(struct intake *intake, struct error *err)
{
	struct run *run = intake->run;

	if (!db_begin(run->db, err))
		return false;
	if (ledger_writer_open(&intake->writer, run->db, intake->memory, "file", intake->path, run->now, run->by, err) &&
	    keep(intake, intake->result, false, err) && db_commit(run->db, err))
		return true;
	db_rollback(run->db);
	return false;
}

static bool
open_writer(struct intake *intake, struct error *err)
{
	const struct intake_keeping *keeping = intake->keeping;
	struct run *run = intake->run;
	bool fine;

	if (run->dry_run)
		return true;
	if (keeping == NULL)
		return ledger_writer_open(&intake->writer, run->db, intake->memory, "file", intake->path, run->now, run->by, err);
	fine = keeping->position_id == 0
	    ? open_and_keep(intake, err)
	    : ledger_writer_resume(&intake->writer, run->db, intake->memory, keeping->position_id, err);
	intake->writer.beside = keep_batch;
	intake->writer.beside_context = intake;
	return fine;
}

static bool
finish_writer(struct intake *intake, struct error *err)
{
	struct run *run = intake->run;

	if (run->dry_run)
		return true;
	if (intake->keeping == NULL)
		return ledger_writer_finish(&intake->writer, run->now, err);
	if (!db_begin(run->db, err))
		return false;
	if (ledger_writer_finish(&intake->writer, run->now, err) && keep(intake, intake->result, true, err) &&
	    db_commit(run->db, err))
		return true;
	db_rollback(run->db);
	return false;
}

/* Reads over what is booked.  By a format that was changed meanwhile a line can be another number of records. */
static bool
skip_booked(struct intake *intake, struct reader *reader, bool by_format, struct error *err)
{
	uint64_t position = (uint64_t)intake->writer.next_position;
	int64_t records = 1;
	struct arena arena = {0};
	bool fine = true, at_end = false;

	while (fine && !at_end && records < intake->writer.next_record) {
		struct record record = {0};

		fine = reader_next(reader, &arena, &record, &at_end, err);
		records += fine && !at_end;
		if (!reader_pending(reader))
			arena_reset(&arena);
		progress_count(intake->run, "records that are booked", records - 1, intake->writer.next_record - 1);
	}
	arena_release(&arena);
	if (!fine ||
	    (records == intake->writer.next_record && !reader_pending(reader) &&
		(records == 1 || reader_position(reader) == position)))
		return fine;
	error_set(err, ERROR_INPUT, "the file%s is another than the one that was being read when the run was interrupted",
	    by_format ? ", or the usage format that it is read by," : "");
	error_detail(err, "%lld of its records are booked, and end at byte %llu of its content; there no such record ends.",
	    (long long)intake->writer.next_record - 1, (unsigned long long)position);
	error_at(err, intake->path, 0);
	return error_hint(
	    err, "What is booked stays.  Put the file there under another name: what is known of it is not booked again.");
}

static bool
book_all(struct intake *intake, struct handover *handover, struct error *err)
{
	struct intake_result *result = intake->result;
	struct run *run = intake->run;
	struct batch *batch;

	while (handover_take_ready(handover, WAIT_FOR_EVER, &batch) == HANDOVER_BATCH) {
		struct batch_counts counts;
		int64_t batch_id;

		if (run->dry_run)
			count_parsed(batch, &counts);
		else if (!batch_append(&intake->writer, batch, run->now, &counts, &batch_id, err))
			return false;
		intake_add(result, batch, &counts);
		if (intake->watch != NULL && !intake->watch(intake->context, batch, err))
			return false;
		progress_count(run, "records", result->counts.records, 0);
		handover_give_back(handover, batch);
	}
	result->unreadable = !handover_result(handover, err);
	return !result->unreadable;
}

/* Behind a failure, for what was booked before it.  Where the server does not answer, it may have lost it. */
static void
settle(struct intake *intake)
{
	struct error ignored;

	if (intake->writer.unhurried && !ledger_writer_settle(&intake->writer, &ignored) && intake->keeping == NULL)
		*intake->result = (struct intake_result){.unreadable = intake->result->unreadable};
}

/* Reads and books at the same time, to the end of the file. */
static bool
read_and_book(struct intake *intake, struct reader *reader, struct intake_limits limits, struct error *err)
{
	struct reading reading = {.reader = reader, .limits = limits, .handover = handover_new()};
	pthread_t thread;
	bool fine;

	must(pthread_create(&thread, NULL, read_all, &reading) == 0);
	fine = book_all(intake, reading.handover, err);
	progress_end(intake->run);
	handover_stop(reading.handover);
	/* What it waits for may never come, a pipe's other end that waits for this one. */
	if (!fine)
		reader_stop(reader);
	must(pthread_join(thread, NULL) == 0);
	handover_free(reading.handover);
	intake->result->waiting = reader_waiting(reader);
	if (!fine)
		settle(intake);
	return fine && finish_writer(intake, err);
}

static bool
take_file(struct intake *intake, const struct reader_options *options, struct intake_limits limits, struct error *err)
{
	struct reader *reader;
	bool fine;

	intake->result->unreadable = !reader_open(intake->path, options, &reader, err);
	if (intake->result->unreadable)
		return false;
	fine = open_writer(intake, err);
	/* Who watches is told of each batch. */
	intake->writer.unhurried = intake->watch == NULL && !intake->run->dry_run;
	if (fine && intake->keeping != NULL) {
		fine = skip_booked(intake, reader, options->profile != NULL, err);
		intake->result->unreadable = !fine;
	}
	fine = fine && read_and_book(intake, reader, limits, err);
	reader_close(reader);
	ledger_writer_release(&intake->writer);
	return fine;
}

bool
intake_file(struct run *run, struct ledger_memory *memory, const char *path, const struct reader_options *options,
    struct intake_limits limits, intake_watch *watch, void *context, struct intake_result *result, struct error *err)
{
	struct intake intake = {.run = run, .memory = memory, .path = path, .result = result, .watch = watch, .context = context};

	*result = (struct intake_result){0};
	return take_file(&intake, options, limits, err);
}

bool
intake_file_on(struct run *run, struct ledger_memory *memory, const char *path, const struct reader_options *options,
    struct intake_limits limits, const struct intake_keeping *keeping, struct intake_result *result, struct error *err)
{
	struct intake intake = {.run = run, .memory = memory, .path = path, .keeping = keeping, .result = result};

	must(!run->dry_run);
	return take_file(&intake, options, limits, err);
}

/* --- what is counted, in words of JSON ------------------------------------------------------------ */

/* The counts that are told, in their order. */
struct counted {
	const char *name;
	int64_t *number;
};
enum { COUNTED = 9 };

static void
list_counted(struct intake_result *result, struct counted out[COUNTED])
{
	struct batch_counts *counts = &result->counts;
	const struct counted all[COUNTED] = {{"records", &counts->records}, {"accepted", &counts->accepted},
	    {"duplicates", &counts->duplicates}, {"restamped", &counts->restamped}, {"ignored", &counts->ignored},
	    {"quarantined", &counts->quarantined}, {"rejected", &counts->rejected},
	    {"set_aside_before", &counts->set_aside_before}, {"batches", &result->batches}};

	memcpy(out, all, sizeof all);
}

void
intake_json(const struct intake_result *result, struct text *out)
{
	struct intake_result copy = *result;
	struct counted counted[COUNTED];
	const char *comma = "";

	list_counted(&copy, counted);
	for (size_t i = 0; i < COUNTED; i++)
		text_add_format(out, "\"%s\":%lld,", counted[i].name, (long long)*counted[i].number);
	text_add_string(out, "\"reasons\":{");
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++) {
		if (result->reasons[reason] == 0)
			continue;
		text_add_format(
		    out, "%s\"%s\":%lld", comma, reason_code((enum reason)reason), (long long)result->reasons[reason]);
		comma = ",";
	}
	text_add_string(out, "}");
}

bool
intake_add_json(struct intake_result *result, const char *json, struct error *err)
{
	json_t *root = document_parse(json, strlen(json), "the result of a unit of the nightly job", err);
	struct counted counted[COUNTED];
	json_t *reasons;

	if (root == NULL)
		return false;
	list_counted(result, counted);
	for (size_t i = 0; i < COUNTED; i++)
		*counted[i].number += json_integer_value(json_object_get(root, counted[i].name));
	reasons = json_object_get(root, "reasons");
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++)
		result->reasons[reason] += json_integer_value(json_object_get(reasons, reason_code((enum reason)reason)));
	json_decref(root);
	return true;
}
