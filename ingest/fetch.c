/*
 * fetch.c -- the side of a consumer that talks to Kafka: takes messages, parses them, fills batches, hands them over.
 *
 * Every message is compared with the offset that is expected next: what is below it was taken before, whatever the library
 * does.  Offsets may have holes (compaction, transaction markers), so only rising is required, but the first message asked for
 * after taking a partition over is the last one booked, and it must be the same one still.
 */
#include <stdlib.h>

#include "ingest/consuming.h"
#include "ingest/reader.h"

enum { TURN = 4096, IDLE_MS = 20, NOTE_MS = 3000 };

/* --- handing over ----------------------------------------------------------------------------- */

static void
see_ends(struct consuming *consuming, struct reading *reading)
{
	struct partition_ends *ends = &reading->ends;
	/* Of one that is read to its target, what comes later does not matter. */
	int64_t end = reading->done ? -1 : kafka_last_end(consuming->consumer, reading->partition.name.number);

	if (end > ends->end)
		ends->end = end;
	if (ends->end < reading->expected)
		ends->end = reading->expected;
	/* Where the end of what can be read was reached and there is more behind it, a transaction holds that back. */
	ends->stable = reading->seen_end >= 0 ? reading->seen_end : ends->end;
	if (ends->end < ends->stable)
		ends->end = ends->stable;
	if (ends->end > ends->stable && !ends->held)
		ends->held_since = run_clock(consuming->run);
	ends->held = ends->end > ends->stable;
	consume_report_ends(consuming, reading);
}

static void
finish_range(struct consuming *consuming, struct reading *reading)
{
	struct batch *batch = consuming->filling;
	struct batch_range *range = &batch->ranges[reading->range];

	message_digest(
	    reading->timestamp_ms, reading->last.envelope, reading->last.value, reading->last_length, range->last_digest);
	see_ends(consuming, reading);
	range->ends = reading->ends;
	reading->range_first = range->next_offset;
	reading->range = NO_RANGE;
}

static void
hand_over(struct consuming *consuming)
{
	struct batch *batch = consuming->filling;

	for (size_t i = 0; i < consuming->reading_count; i++)
		if (consuming->readings[i] != NULL && consuming->readings[i]->range != NO_RANGE)
			finish_range(consuming, consuming->readings[i]);
	consuming->handed_over += batch->count;
	batch->next_position = consuming->handed_over;
	batch_close(batch);
	handover_ready(consuming->handover, batch);
	consuming->filling = NULL;
}

static bool
has_records(const struct consuming *consuming)
{
	return consuming->filling != NULL && consuming->filling->count > 0;
}

/* All that was taken is booked when this is true; then this side may use the database. */
static bool
finish_all(struct consuming *consuming)
{
	if (has_records(consuming))
		hand_over(consuming);
	return handover_wait_idle(consuming->handover, WAIT_FOR_EVER);
}

/* What was taken and not handed over is as if it had not been. */
static void
drop_filling(struct consuming *consuming)
{
	if (!has_records(consuming))
		return;
	for (size_t i = 0; i < consuming->reading_count; i++)
		if (consuming->readings[i] != NULL)
			consuming->readings[i]->range = NO_RANGE;
	batch_reset(consuming->filling);
}

/* --- filling ---------------------------------------------------------------------------------- */

static bool
is_full(const struct consuming *consuming)
{
	const struct batch *batch = consuming->filling;

	return batch->count >= consuming->options->limits.records || batch->arena.bytes >= consuming->options->limits.bytes;
}

static struct batch_range *
range_of(struct consuming *consuming, struct reading *reading)
{
	struct batch *batch = consuming->filling;

	if (reading->range == NO_RANGE) {
		reading->range = (ssize_t)batch->range_count;
		*batch_add_range(batch) = (struct batch_range){
		    .partition = &reading->partition, .format = reading->format, .first_offset = reading->range_first};
	}
	return &batch->ranges[reading->range];
}

static void
put_record(const struct consuming *consuming, struct reading *reading, const struct message *message)
{
	struct batch *batch = consuming->filling;
	struct record *record = batch_add(batch);

	message_parse(&consuming->rules, message, &batch->arena, record);
	record->range = (size_t)reading->range;
	batch_note(batch);
	reading->last = (struct kept_message){record->envelope, record->raw};
}

/* All events of a message: a batch never ends between them, for the next one begins behind an offset. */
static void
put_events(const struct consuming *consuming, struct reading *reading, const struct message *message)
{
	struct batch *batch = consuming->filling;
	struct profile_events events;

	message_events(consuming->options->profile, &consuming->rules, message, &batch->arena, &reading->last, &events);
	for (size_t i = 0; i < events.count; i++) {
		struct record *record = batch_add(batch);

		*record = events.records[i];
		record->range = (size_t)reading->range;
	}
}

static void
put(struct consuming *consuming, struct reading *reading, const struct message *message)
{
	struct batch *batch = consuming->filling;
	struct batch_range *range = range_of(consuming, reading);

	if (batch->count == 0) {
		consuming->filling_since_ms = clock_ms();
		if (consuming->options->targets == NULL)
			consuming->rules.now = run_clock(consuming->run);
	}
	if (consuming->options->profile != NULL)
		put_events(consuming, reading, message);
	else
		put_record(consuming, reading, message);
	range->last_offset = message->offset;
	range->next_offset = reading->expected = message->offset + 1;
	reading->last_length = message->has_value ? (int64_t)message->value.length : -1;
	reading->timestamp_ms = message->timestamp_ms;
	reading->seen_end = -1;
}

/* That much of it is kept of a record, see message.c. */
static struct bytes
kept_of(struct bytes whole)
{
	return (struct bytes){whole.at, whole.length < RAW_BYTES ? whole.length : RAW_BYTES};
}

/* The booking side has the database: what it was given is booked first. */
static bool
tell_incident(struct consuming *consuming, const struct reading *reading, enum incident incident, int64_t expected, int64_t found,
    struct error *err)
{
	if (!finish_all(consuming))
		return error_set(err, ERROR_AWAY, "booking has ended");
	return partition_incident(consuming->run->db, &reading->partition, incident, expected, found, run_clock(consuming->run),
	    consuming->run->by, err);
}

/* The first message after taking over: the last one booked, unless it is gone. */
static bool
check_anchor(struct consuming *consuming, struct reading *reading, const struct message *message, struct error *err)
{
	struct envelope envelope = {.has_key = message->envelope.has_key, .key = kept_of(message->envelope.key)};
	unsigned char digest[DIGEST_SIZE];
	int64_t anchor = reading->anchor;

	/* Compaction may have taken it; then nothing can be said. */
	reading->anchor = -1;
	if (message->offset > anchor)
		return true;
	message_digest(message->timestamp_ms, &envelope, kept_of(message->value),
	    message->has_value ? (int64_t)message->value.length : -1, digest);
	if (memcmp(digest, reading->anchor_digest, sizeof digest) == 0)
		return true;
	return tell_incident(consuming, reading, INCIDENT_TOPIC_REPLACED, anchor, message->offset, err);
}

static bool
take_message(struct consuming *consuming, struct reading *reading, const struct message *message, struct error *err)
{
	if (reading->anchor >= 0) {
		if (message->offset < reading->anchor)
			return true;
		if (!check_anchor(consuming, reading, message, err))
			return false;
	}
	if (message->offset < reading->expected)
		return true;
	if (message->offset < reading->target)
		put(consuming, reading, message);
	else
		reading->done = true;
	return true;
}

/* Messages of one partition, until there is none, the batch is full, or it is the next one's turn.  *any: something came. */
static bool
take_turn(struct consuming *consuming, struct reading *reading, bool *any, struct error *err)
{
	int32_t number = reading->partition.name.number;
	struct message message;

	for (int i = 0; i < TURN && !reading->done && !is_full(consuming); i++) {
		switch (kafka_take(consuming->consumer, number, &message, err)) {
		case KAFKA_NOTHING:
			return true;
		case KAFKA_MESSAGE:
			if (!take_message(consuming, reading, &message, err))
				return false;
			break;
		case KAFKA_END:
			reading->seen_end = message.offset;
			reading->anchor = -1;
			see_ends(consuming, reading);
			reading->done = message.offset >= reading->target;
			break;
		case KAFKA_OUT_OF_RANGE:
			return tell_incident(
			    consuming, reading, INCIDENT_OFFSET_OUT_OF_RANGE, reading->expected, message.offset, err);
		case KAFKA_FAILED:
			return false;
		}
		*any = true;
	}
	return true;
}

/* --- between batches -------------------------------------------------------------------------- */

static bool
note_each(struct consuming *consuming, struct error *err)
{
	struct instant now = run_clock(consuming->run);

	for (size_t i = 0; i < consuming->reading_count; i++) {
		const struct reading *reading = consuming->readings[i];

		if (reading != NULL && reading->assigned &&
		    !partition_note(consuming->run->db, &reading->partition, &reading->ends, now, err))
			return false;
	}
	return true;
}

/* In one transaction: a topic may have thousands of partitions. */
static bool
note_together(struct consuming *consuming, struct error *err)
{
	struct db *db = consuming->run->db;

	if (!db_begin(db, err))
		return false;
	if (note_each(consuming, err) && db_commit(db, err))
		return true;
	db_rollback(db);
	return false;
}

/* Below this every record was taken.  Where there are targets it does not depend on what came behind them meanwhile. */
static int64_t
clear_of(const struct consuming *consuming, const struct reading *reading)
{
	if (consuming->options->targets == NULL)
		return reading->seen_end;
	return reading->done ? reading->target : -1;
}

/* Called when everything is booked: what is seen of the partitions goes into the ledger, where they stand goes to Kafka. */
static bool
note_all(struct consuming *consuming, struct error *err)
{
	int32_t *partitions = memory_new(consuming->reading_count, sizeof *partitions);
	int64_t *offsets = memory_new(consuming->reading_count, sizeof *offsets);
	size_t count = 0;
	bool fine, booked;

	for (size_t i = 0; i < consuming->reading_count; i++) {
		struct reading *reading = consuming->readings[i];

		if (reading == NULL || !reading->assigned)
			continue;
		see_ends(consuming, reading);
		if (clear_of(consuming, reading) > reading->partition.clear_offset)
			reading->partition.clear_offset = clear_of(consuming, reading);
		partitions[count] = reading->partition.name.number;
		offsets[count++] = reading->partition.clear_offset;
	}
	fine = count == 0 || note_together(consuming, err) ||
	    (consume_may_wait(err) && consume_recover(consuming, NULL, 0, &booked, NULL, err));
	if (fine && count > 0)
		kafka_commit(consuming->consumer, partitions, offsets, count);
	free(partitions);
	free(offsets);
	consuming->noted_ms = clock_ms();
	return fine;
}

/* Of a batch that was booked and came back: for those who watch the group. */
static void
commit_ranges(struct consuming *consuming, const struct batch *batch)
{
	int32_t *partitions = memory_new(batch->range_count, sizeof *partitions);
	int64_t *offsets = memory_new(batch->range_count, sizeof *offsets);

	for (size_t i = 0; i < batch->range_count; i++) {
		partitions[i] = batch->ranges[i].partition->name.number;
		offsets[i] = batch->ranges[i].next_offset;
	}
	kafka_commit(consuming->consumer, partitions, offsets, batch->range_count);
	free(partitions);
	free(offsets);
}

/* --- a group's partitions come and go --------------------------------------------------------- */

bool
fetch_assigned(void *context, const int32_t *partitions, size_t count, int64_t *offsets, struct error *err)
{
	struct consuming *consuming = context;

	if (!finish_all(consuming))
		return error_set(err, ERROR_AWAY, "booking has ended");
	for (size_t i = 0; i < count; i++)
		if (!reading_take(consuming, partitions[i], &offsets[i], err))
			return false;
	consuming->progress_ms = clock_ms();
	return true;
}

/* What was taken is booked before anybody else may have the partitions, so that work is never done for nothing, however often
 * members come and go. */
bool
fetch_revoked(void *context, bool lost, struct error *err)
{
	struct consuming *consuming = context;
	bool fine = true;

	if (lost)
		say(consuming->run,
		    "the group gave the partitions to others meanwhile; what was read of them and is not booked is theirs");
	if (lost)
		drop_filling(consuming);
	if (!finish_all(consuming))
		fine = error_set(err, ERROR_AWAY, "booking has ended");
	else if (!lost)
		fine = note_all(consuming, err);
	for (size_t i = 0; i < consuming->reading_count; i++)
		if (consuming->readings[i] != NULL)
			consuming->readings[i]->assigned = false;
	return fine;
}

/* --- the thread ------------------------------------------------------------------------------- */

static bool
all_done(const struct consuming *consuming)
{
	if (consuming->options->follow)
		return false;
	for (size_t i = 0; i < consuming->reading_count; i++)
		if (consuming->readings[i] != NULL && consuming->readings[i]->assigned && !consuming->readings[i]->done)
			return false;
	return true;
}

/* A batch to fill, if there is one. */
static void
take_batch(struct consuming *consuming, int wait_ms)
{
	struct batch *batch = handover_take_free(consuming->handover, wait_ms);

	if (batch == NULL)
		return;
	if (batch->range_count > 0)
		commit_ranges(consuming, batch);
	batch_reset(batch);
	consuming->filling = batch;
}

static bool
take_round(struct consuming *consuming, bool *any, struct error *err)
{
	for (size_t i = 0; i < consuming->reading_count; i++) {
		struct reading *reading = consuming->readings[i];

		if (reading == NULL || !reading->assigned || reading->done)
			continue;
		if (!take_turn(consuming, reading, any, err))
			return false;
		/* With targets one after the other: what came first does not depend on which broker is quick. */
		if (is_full(consuming) || (consuming->options->targets != NULL && !reading->done))
			break;
	}
	return true;
}

static bool
is_due(const struct consuming *consuming)
{
	if (!has_records(consuming))
		return false;
	/* With targets the borders of batches do not depend on time. */
	return is_full(consuming) ||
	    (consuming->options->targets == NULL && clock_ms() - consuming->filling_since_ms >= consuming->options->age_ms);
}

/* In bounded mode silence has an end: brokers that are away are waited for, not for ever. */
static bool
check_silence(struct consuming *consuming, bool any, struct error *err)
{
	int64_t most_ms = consume_silence_ms(consuming);
	char trouble[512];

	if (any || consuming->options->follow)
		consuming->progress_ms = clock_ms();
	if (clock_ms() - consuming->progress_ms < most_ms)
		return true;
	kafka_trouble(consuming->consumer, trouble, sizeof trouble);
	error_set(err, ERROR_AWAY, "nothing came from the brokers for %lld seconds", (long long)most_ms / 1000);
	if (trouble[0] != '\0')
		error_detail(err, "%s", trouble);
	return error_hint(err, "Are they up?  What was read is booked; run again, it goes on where it ended.");
}

static bool
step(struct consuming *consuming, bool *idle, struct error *err)
{
	bool any = false;

	if (!kafka_poll(consuming->consumer, *idle ? IDLE_MS : 0, err))
		return false;
	if (consuming->filling == NULL)
		take_batch(consuming, IDLE_MS);
	/* Booking is behind: the queues of the partitions fill up, and fetching pauses by itself. */
	if (consuming->filling == NULL) {
		consuming->progress_ms = clock_ms();
		return true;
	}
	if (!take_round(consuming, &any, err) || !check_silence(consuming, any, err))
		return false;
	*idle = !any;
	if (is_due(consuming))
		hand_over(consuming);
	else if (!has_records(consuming) && clock_ms() - consuming->noted_ms >= NOTE_MS &&
	    handover_wait_idle(consuming->handover, 0))
		return note_all(consuming, err);
	return true;
}

static bool
stopped_short(struct error *err)
{
	error_set(err, ERROR_AWAY, "told to stop before everything was read");
	return error_hint(err, "What is booked is booked; run again, it goes on where it ended.");
}

void *
fetch_all(void *context)
{
	struct consuming *consuming = context;
	struct error err = {0};
	bool fine = true, idle = false;

	consuming->progress_ms = clock_ms();
	while (fine && !consume_is_told_to_stop() && !handover_is_stopped(consuming->handover) && !all_done(consuming))
		fine = step(consuming, &idle, &err);
	if (consuming->options->targets != NULL && !all_done(consuming)) {
		if (fine)
			fine = stopped_short(&err);
		drop_filling(consuming);
	}
	/* What was read before a failure is whole records, and counts. */
	if (finish_all(consuming) && fine)
		fine = note_all(consuming, &err);
	kafka_consumer_close(consuming->consumer);
	handover_end(consuming->handover, fine ? NULL : &err);
	return NULL;
}
