/* consume.c -- see consume.h: setting up, and the side that books. */
#include "ingest/consume.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "ingest/consuming.h"
#include "ingest/record_format.h"
#include "ledger/audit.h"

enum { RETRY_MS = 200, REPORT_MS = 1000, METRICS_MS = 5000, LEAST_SILENCE_MS = 3000 };

/* Written by a signal's handler, read by both threads. */
static atomic_int told_to_stop;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may write it");

static void
on_signal(int number)
{
	(void)number;
	told_to_stop = 1;
}

bool
consume_is_told_to_stop(void)
{
	return told_to_stop != 0;
}

/* What was done about signals before. */
struct heeded {
	struct sigaction term, interrupt;
};

/* The first signal ends the work in good order; a second one ends the process, which does no harm either. */
static void
heed_signals(struct heeded *before)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND};

	must(sigemptyset(&action.sa_mask) == 0);
	must(sigaction(SIGTERM, &action, &before->term) == 0 && sigaction(SIGINT, &action, &before->interrupt) == 0);
}

/* Whoever goes on after consuming must not be deaf. */
static void
heed_signals_no_more(const struct heeded *before)
{
	must(sigaction(SIGTERM, &before->term, NULL) == 0 && sigaction(SIGINT, &before->interrupt, NULL) == 0);
}

/* --- when the database is away ---------------------------------------------------------------- */

bool
consume_may_wait(const struct error *err)
{
	return err->kind == ERROR_AWAY || error_is_sqlstate(err, "40P01") || error_is_sqlstate(err, "55P03");
}

static bool
retake_all(struct consuming *consuming, struct error *err)
{
	for (size_t i = 0; i < consuming->reading_count; i++) {
		struct reading *reading = consuming->readings[i];

		if (reading != NULL && reading->assigned &&
		    !partition_retake(consuming->run->db, &reading->partition, consuming->owner, err))
			return false;
	}
	return true;
}

static bool
have_database(struct consuming *consuming, struct error *err)
{
	return db_is_open(consuming->run->db) || db_reconnect(consuming->run->db, err);
}

static bool
try_recover(struct consuming *consuming, struct batch *batch, int64_t batch_id, bool *booked, struct batch_counts *counts,
    struct error *err)
{
	*booked = false;
	return have_database(consuming, err) && retake_all(consuming, err) &&
	    (batch == NULL || batch_find(&consuming->writer, batch, batch_id, booked, counts, err));
}

bool
consume_recover(struct consuming *consuming, struct batch *batch, int64_t batch_id, bool *booked, struct batch_counts *counts,
    struct error *err)
{
	int64_t deadline = clock_ms() + consuming->options->patience_ms;

	say(consuming->run, "the database is away, waiting for it: %s", err->detail[0] != '\0' ? err->detail : err->message);
	do {
		clock_wait(RETRY_MS);
		if (try_recover(consuming, batch, batch_id, booked, counts, err)) {
			say(consuming->run, "the database is back%s",
			    batch == NULL ? ""
				: *booked ? "; the batch that was being committed is booked"
					  : "; the batch is booked again");
			return true;
		}
	} while (consume_may_wait(err) && clock_ms() < deadline);
	return false;
}

static int64_t
silence_ms(const struct consume_options *options)
{
	return options->patience_ms < LEAST_SILENCE_MS ? LEAST_SILENCE_MS : options->patience_ms;
}

int64_t
consume_silence_ms(const struct consuming *consuming)
{
	return silence_ms(consuming->options);
}

/* --- booking ---------------------------------------------------------------------------------- */

static bool
book(struct consuming *consuming, struct batch *batch, struct batch_counts *counts, struct error *err)
{
	int64_t deadline = 0, batch_id;
	bool booked = false;

	while (!booked) {
		if (batch_append(&consuming->writer, batch, run_clock(consuming->run), counts, &batch_id, err))
			return true;
		/* Patience begins with the first failure: a batch may take its time. */
		if (deadline == 0)
			deadline = clock_ms() + consuming->options->patience_ms;
		/* Whether a batch whose connection was lost is booked is looked up, never guessed. */
		if (!consume_may_wait(err) || clock_ms() > deadline ||
		    !consume_recover(consuming, batch, batch_id, &booked, counts, err))
			return false;
	}
	return true;
}

/* A file that cannot be written at the start is a mistake; later on it must not keep usage from being booked. */
static bool
report(struct consuming *consuming, int64_t *metrics_ms, bool last, struct error *err)
{
	bool first = *metrics_ms == 0;

	consume_report_line(consuming);
	if (consuming->options->metrics_path == NULL || (!last && !first && clock_ms() - *metrics_ms < METRICS_MS))
		return true;
	*metrics_ms = clock_ms();
	if (consume_report_metrics(consuming, err))
		return true;
	if (!first)
		say(consuming->run, "%s: %s", err->message, consuming->options->metrics_path);
	return !first;
}

static bool
book_all(struct consuming *consuming, struct error *err)
{
	enum handover_state state = HANDOVER_NOTHING;
	int64_t metrics_ms = 0;
	struct batch *batch;

	while (state != HANDOVER_ENDED) {
		struct batch_counts counts;

		state = handover_take_ready(consuming->handover, REPORT_MS, &batch);
		if (state == HANDOVER_BATCH) {
			if (!book(consuming, batch, &counts, err))
				return false;
			consume_report_batch(consuming, batch, &counts);
			handover_give_back(consuming->handover, batch);
		}
		if (!report(consuming, &metrics_ms, state == HANDOVER_ENDED, err))
			return false;
	}
	return handover_result(consuming->handover, err);
}

/* --- partitions ------------------------------------------------------------------------------- */

struct reading *
reading_of(struct consuming *consuming, int32_t partition)
{
	size_t wanted = (size_t)partition + 1, count = consuming->reading_count;
	struct reading *reading;

	if (wanted > count) {
		consuming->readings =
		    memory_grow(consuming->readings, &consuming->reading_room, wanted, sizeof(struct reading *));
		memset(consuming->readings + count, 0, (wanted - count) * sizeof(struct reading *));
		consuming->reading_count = wanted;
	}
	reading = consuming->readings[partition];
	if (reading == NULL) {
		reading = consuming->readings[partition] = memory_new(1, sizeof *reading);
		reading->range = NO_RANGE;
		reading->ends = (struct partition_ends){.end = -1, .stable = -1};
		reading->format =
		    arena_format(&consuming->names, "kafka%s%s %s/%s/%d", source_format(&consuming->rules, &consuming->names),
			profile_format(consuming->options->profile, &consuming->names), consuming->cluster,
			consuming->options->topic, (int)partition);
	}
	return reading;
}

/* Where the stored position and the topic do not fit together, going on would lose or guess. */
static bool
check_fit(struct consuming *consuming, const struct reading *reading, const struct kafka_ends *ends, struct error *err)
{
	const struct partition *partition = &reading->partition;
	const struct consume_options *options = consuming->options;
	struct instant now = run_clock(consuming->run);
	/* A target was an end once. */
	int64_t known = options->targets == NULL ? 0 : options->targets[partition->name.number];

	if (known < partition->next_offset)
		known = partition->next_offset;
	if (ends->first > partition->clear_offset)
		return partition_incident(consuming->run->db, partition, INCIDENT_RECORDS_DELETED, partition->clear_offset,
		    ends->first, now, consuming->run->by, err);
	if (ends->stable < known)
		return partition_incident(
		    consuming->run->db, partition, INCIDENT_TOPIC_SHORTER, known, ends->stable, now, consuming->run->by, err);
	return true;
}

static bool
take_over(struct consuming *consuming, struct reading *reading, struct partition_name name, int64_t first, struct error *err)
{
	struct run *run = consuming->run;
	int64_t deadline = 0;
	bool booked;

	while (!partition_take(run->db, name, first, consuming->owner, run_clock(run), run->by, &reading->partition, err)) {
		if (deadline == 0)
			deadline = clock_ms() + consuming->options->patience_ms;
		if (!consume_may_wait(err) || clock_ms() > deadline || !consume_recover(consuming, NULL, 0, &booked, NULL, err))
			return false;
	}
	return true;
}

/* Brokers may be away when a group's partitions move, too. */
static bool
ask_ends(struct consuming *consuming, int32_t partition, struct kafka_ends *ends, struct error *err)
{
	int64_t deadline = clock_ms() + consuming->options->patience_ms;

	while (!kafka_ask_ends(consuming->consumer, partition, ends, err)) {
		if (err->kind != ERROR_AWAY || clock_ms() > deadline || told_to_stop)
			return false;
		clock_wait(RETRY_MS);
	}
	return true;
}

static int64_t
target_of(const struct consume_options *options, int32_t partition, int64_t stable)
{
	if (options->follow)
		return INT64_MAX;
	return options->targets != NULL ? options->targets[partition] : stable;
}

bool
reading_take(struct consuming *consuming, int32_t partition, int64_t *offset, struct error *err)
{
	struct reading *reading = reading_of(consuming, partition);
	struct partition_name name = {consuming->cluster, consuming->options->topic, partition};
	struct partition *stored = &reading->partition;
	struct kafka_ends ends;

	if (!ask_ends(consuming, partition, &ends, err) || !take_over(consuming, reading, name, ends.first, err) ||
	    !check_fit(consuming, reading, &ends, err))
		return false;
	reading->assigned = true;
	reading->done = false;
	reading->target = target_of(consuming->options, partition, ends.stable);
	reading->range_first = stored->next_offset;
	reading->expected = stored->clear_offset;
	reading->seen_end = -1;
	reading->ends.end = ends.end;
	reading->anchor = stored->last_offset >= ends.first ? stored->last_offset : -1;
	memcpy(reading->anchor_digest, stored->last_digest, sizeof reading->anchor_digest);
	*offset = reading->anchor >= 0 ? reading->anchor : reading->expected;
	consume_report_ends(consuming, reading);
	return true;
}

/* --- the two ways to get partitions ------------------------------------------------------------ */

/* A new reading of every partition, from where the topic begins now: of all of them or of none. */
static bool
reread_all(struct consuming *consuming, const int64_t *first_offsets, int32_t partitions, struct error *err)
{
	struct run *run = consuming->run;

	for (int32_t i = 0; i < partitions; i++) {
		struct partition_name name = {consuming->cluster, consuming->options->topic, i};

		if (!partition_reread(run->db, name, first_offsets[i], consuming->options->again_reason, run->now, run->by, err))
			return false;
	}
	return audit_add(run,
	    &(struct audit){.action = "consume again",
		.subject = arena_format(&run->arena, "topic %s of %s", consuming->options->topic, consuming->cluster),
		.reason = consuming->options->again_reason},
	    err);
}

static bool
begin_again(struct consuming *consuming, int32_t partitions, struct error *err)
{
	int64_t *first_offsets = memory_new((size_t)partitions, sizeof *first_offsets);
	struct kafka_ends ends;
	bool fine = true;

	for (int32_t i = 0; fine && i < partitions; i++) {
		fine = kafka_ask_ends(consuming->consumer, i, &ends, err);
		first_offsets[i] = ends.first;
	}
	fine = fine && db_begin(consuming->run->db, err);
	if (fine) {
		fine = reread_all(consuming, first_offsets, partitions, err) && db_commit(consuming->run->db, err);
		if (!fine)
			db_rollback(consuming->run->db);
	}
	free(first_offsets);
	return fine;
}

static bool
check_count(const struct consume_options *options, int32_t found, struct error *err)
{
	if (options->targets == NULL || (size_t)found >= options->target_count)
		return true;
	error_set(
	    err, ERROR_STATE, "the topic %s has %d partitions, and had %zu", options->topic, (int)found, options->target_count);
	return error_hint(err, "Was it made anew?  Find out what happened (docs/operations.md).");
}

/* All partitions, up to the ends of this moment; or those that have a target. */
static bool
assign_all(struct consuming *consuming, int32_t found, struct error *err)
{
	const struct consume_options *options = consuming->options;
	int32_t count = options->targets == NULL ? found : (int32_t)options->target_count;
	int32_t *partitions = memory_new((size_t)count, sizeof *partitions);
	int64_t *offsets = memory_new((size_t)count, sizeof *offsets);
	bool fine = check_count(options, found, err);

	for (int32_t i = 0; fine && i < count; i++) {
		partitions[i] = i;
		fine = reading_take(consuming, i, &offsets[i], err);
	}
	fine = fine && kafka_assign(consuming->consumer, partitions, offsets, (size_t)count, err);
	free(partitions);
	free(offsets);
	return fine;
}

/* Reading up to targets that was interrupted is gone on with: *position_id, or 0. */
static bool
find_unfinished(struct consuming *consuming, const char *name, int64_t *position_id, struct error *err)
{
	struct run *run = consuming->run;
	struct rows rows;

	*position_id = 0;
	if (consuming->options->targets == NULL)
		return true;
	if (!db_rows(run->db, SQL_LEDGER_POSITION_UNFINISHED,
		PARAMS("kafka", name, param_instant(&consuming->names, run->now), run->by), &rows, err))
		return false;
	if (rows.count > 0)
		*position_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

static bool
open_position(struct consuming *consuming, struct error *err)
{
	const char *name = arena_format(&consuming->names, "%s/%s", consuming->cluster, consuming->options->topic);
	struct ledger_memory *memory = consuming->options->memory;
	struct run *run = consuming->run;
	int64_t position_id;

	if (!find_unfinished(consuming, name, &position_id, err) ||
	    !(position_id > 0 ? ledger_writer_resume(&consuming->writer, run->db, memory, position_id, err)
			      : ledger_writer_open(&consuming->writer, run->db, memory, "kafka", name, run->now, run->by, err)))
		return false;
	consuming->handed_over = (uint64_t)consuming->writer.next_position;
	return true;
}

static bool
begin(struct consuming *consuming, struct error *err)
{
	int32_t partitions;
	const char *cluster;

	if (!kafka_topic(consuming->consumer, consume_silence_ms(consuming), &cluster, &partitions, err))
		return false;
	consuming->cluster = arena_copy(&consuming->names, cluster, strlen(cluster));
	return open_position(consuming, err) &&
	    (consuming->options->again_reason == NULL || begin_again(consuming, partitions, err)) &&
	    (consuming->options->follow ? kafka_subscribe(consuming->consumer, err) : assign_all(consuming, partitions, err));
}

/* Brokers and a database that go away at the start are waited for as they are later on. */
static bool
begin_patiently(struct consuming *consuming, struct error *err)
{
	int64_t deadline = clock_ms() + consuming->options->patience_ms;

	while (!have_database(consuming, err) || !begin(consuming, err)) {
		if (err->kind != ERROR_AWAY || clock_ms() > deadline || consume_is_told_to_stop())
			return false;
		if (consuming->writer.db != NULL)
			ledger_writer_release(&consuming->writer);
		clock_wait(RETRY_MS);
	}
	return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

static const char *
owner_name(struct run *run)
{
	char host[256] = "unknown";

	(void)gethostname(host, sizeof host - 1);
	return arena_format(&run->arena, "%s, process %ld", host, (long)getpid());
}

static bool
run_threads(struct consuming *consuming, struct error *err)
{
	pthread_t thread;
	bool fine;

	must(pthread_create(&thread, NULL, fetch_all, consuming) == 0);
	fine = book_all(consuming, err);
	handover_stop(consuming->handover);
	must(pthread_join(thread, NULL) == 0);
	progress_end(consuming->run);
	return fine && ledger_writer_finish(&consuming->writer, run_clock(consuming->run), err);
}

bool
consume(struct run *run, const struct consume_options *options, struct consume_result *result, struct error *err)
{
	struct consuming consuming = {.run = run, .options = options, .rules = options->rules};
	const struct kafka_member member = {&consuming, fetch_assigned, fetch_revoked};
	struct heeded before;
	bool fine;

	*result = (struct consume_result){0};
	if (!kafka_consumer_open(&options->kafka, options->topic, options->group, options->instance,
		options->follow ? &member : NULL, &consuming.consumer, err))
		return false;
	heed_signals(&before);
	consuming.owner = owner_name(run);
	consuming.handover = handover_new();
	must(pthread_mutex_init(&consuming.lock, NULL) == 0);
	fine = begin_patiently(&consuming, err);
	if (fine)
		fine = run_threads(&consuming, err);
	else
		kafka_consumer_close(consuming.consumer);
	*result = consuming.result;
	handover_free(consuming.handover);
	if (consuming.writer.db != NULL)
		ledger_writer_release(&consuming.writer);
	for (size_t i = 0; i < consuming.reading_count; i++)
		free(consuming.readings[i]);
	free(consuming.readings);
	arena_release(&consuming.names);
	must(pthread_mutex_destroy(&consuming.lock) == 0);
	heed_signals_no_more(&before);
	return fine;
}

void
consume_result_release(struct consume_result *result)
{
	free(result->partitions);
	*result = (struct consume_result){0};
}

/* --- targets ---------------------------------------------------------------------------------- */

static bool
ask_targets(struct kafka_consumer *consumer, int64_t wait_ms, const struct instant *before, struct arena *arena,
    struct consume_targets *out, struct error *err)
{
	const char *cluster;
	int64_t *offsets;
	int32_t count;

	if (!kafka_topic(consumer, wait_ms, &cluster, &count, err))
		return false;
	offsets = arena_take(arena, (size_t)count * sizeof *offsets);
	for (int32_t i = 0; i < count; i++) {
		struct kafka_ends ends;

		if (!(before == NULL ? kafka_ask_ends(consumer, i, &ends, err)
				     : kafka_ask_offsets_for(consumer, i, *before, &offsets[i], err)))
			return false;
		if (before == NULL)
			offsets[i] = ends.stable;
	}
	*out = (struct consume_targets){arena_copy(arena, cluster, strlen(cluster)), offsets, (size_t)count};
	return true;
}

bool
consume_targets(struct run *run, const struct consume_options *options, const struct instant *before, struct consume_targets *out,
    struct error *err)
{
	int64_t deadline = clock_ms() + options->patience_ms;
	struct kafka_consumer *consumer;
	bool fine;

	if (!kafka_consumer_open(&options->kafka, options->topic, options->group, NULL, NULL, &consumer, err))
		return false;
	while (!(fine = ask_targets(consumer, silence_ms(options), before, &run->arena, out, err)) && err->kind == ERROR_AWAY &&
	    clock_ms() <= deadline)
		clock_wait(RETRY_MS);
	kafka_consumer_close(consumer);
	return fine;
}
