/* batch.c -- see batch.h. */
#include "ledger/batch.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/batch_rows.h"
#include "ledger/correction.h"
#include "ledger/provisional.h"
#include "ledger/set_aside.h"

enum { ATTEMPTS_MAX = 20, ATTEMPTS_UNLOCKED = 2, AHEAD = 8 };

static const int64_t day_us = 86400LL * 1000000;

/* --- the writer ------------------------------------------------------------------------------ */

bool
ledger_writer_open(struct ledger_writer *writer, struct db *db, struct ledger_memory *memory, const char *kind, const char *name,
    struct instant now, const char *by, struct error *err)
{
	char opened_at[INSTANT_TEXT];
	struct rows rows;

	*writer = (struct ledger_writer){.db = db, .memory = memory, .next_record = 1};
	if (!db_one_row(db, SQL_LEDGER_POSITION_OPEN, PARAMS(kind, name, instant_format(now, opened_at), by), &rows, err))
		return false;
	writer->position_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	writer->digest = digest_new();
	return true;
}

bool
ledger_writer_resume(
    struct ledger_writer *writer, struct db *db, struct ledger_memory *memory, int64_t position_id, struct error *err)
{
	enum { NEXT_POSITION, NEXT_RECORD, LAST_DIGEST };
	struct arena arena = {0};
	struct rows rows;
	bool fine;

	*writer = (struct ledger_writer){.db = db, .memory = memory, .position_id = position_id};
	fine = db_one_row(db, SQL_LEDGER_POSITION_RESUME, PARAMS(param_number(&arena, position_id)), &rows, err);
	arena_release(&arena);
	if (!fine)
		return false;
	writer->next_position = row_number(&rows, 0, NEXT_POSITION);
	writer->next_record = row_number(&rows, 0, NEXT_RECORD);
	digest_unhex(row_text(&rows, 0, LAST_DIGEST), DIGEST_SIZE, writer->last_digest);
	rows_release(&rows);
	writer->digest = digest_new();
	return true;
}

/* Locking its row is something to commit, for which the server waits until it and all before it are on disk. */
bool
ledger_writer_settle(struct ledger_writer *writer, struct error *err)
{
	struct arena arena = {0};
	struct rows rows;
	bool fine = db_begin(writer->db, err);

	if (fine)
		fine = db_one_row(
		    writer->db, SQL_LEDGER_POSITION_STAND, PARAMS(param_number(&arena, writer->position_id)), &rows, err);
	arena_release(&arena);
	if (fine)
		rows_release(&rows);
	if (fine && db_commit(writer->db, err))
		return true;
	db_rollback(writer->db);
	return false;
}

bool
ledger_writer_finish(struct ledger_writer *writer, struct instant now, struct error *err)
{
	struct arena arena = {0};
	bool fine = db_change(writer->db, SQL_LEDGER_POSITION_FINISH,
	    PARAMS(param_number(&arena, writer->position_id), param_instant(&arena, now)), 1, err);

	arena_release(&arena);
	return fine;
}

void
ledger_writer_release(struct ledger_writer *writer)
{
	digest_free(writer->digest);
	text_release(&writer->months);
	text_release(&writer->rows);
	*writer = (struct ledger_writer){0};
}

struct record *
batch_add(struct batch *batch)
{
	struct record *record;

	batch->records = memory_grow(batch->records, &batch->capacity, batch->count + 1, sizeof *batch->records);
	record = &batch->records[batch->count++];
	memset(record, 0, sizeof *record);
	return record;
}

static void
note_day(struct batch *batch, struct instant time)
{
	int64_t day = time.us / day_us;

	/* Records come nearly in the order of time: the day is most often the one noted last. */
	for (size_t i = batch->day_count; i > 0; i--)
		if (batch->days[i - 1] == day)
			return;
	batch->days = memory_grow(batch->days, &batch->day_room, batch->day_count + 1, sizeof *batch->days);
	batch->days[batch->day_count++] = day;
}

struct batch_range *
batch_add_range(struct batch *batch)
{
	batch->ranges = memory_grow(batch->ranges, &batch->range_room, batch->range_count + 1, sizeof *batch->ranges);
	return &batch->ranges[batch->range_count++];
}

void
batch_note(struct batch *batch)
{
	for (; batch->noted < batch->count; batch->noted++) {
		const struct record *record = &batch->records[batch->noted];

		if (record->reason != REASON_NONE)
			continue;
		batch->keys = memory_grow(batch->keys, &batch->key_room, batch->key_count + 1, sizeof *batch->keys);
		batch->keys[batch->key_count++] = (struct admitted){.ordinal = batch->noted,
		    .series = batch_names_series(&batch->series, &record->event, batch->noted),
		    .source = batch_names_source(&batch->sources, &record->event, batch->noted)};
		note_day(batch, record->event.time);
	}
}

void
batch_close(struct batch *batch)
{
	batch_note(batch);
	/* Not before: records move while they are added to. */
	for (size_t i = 0; i < batch->key_count; i++)
		batch->keys[i].record = &batch->records[batch->keys[i].ordinal];
	keys_sort(batch->keys, batch->key_count);
}

void
batch_reset(struct batch *batch)
{
	arena_reset(&batch->arena);
	batch_names_clear(&batch->series);
	batch_names_clear(&batch->sources);
	batch->count = batch->noted = batch->key_count = batch->day_count = batch->range_count = 0;
	batch->prepared = batch->attempted = false;
}

void
batch_release(struct batch *batch)
{
	arena_release(&batch->arena);
	batch_names_release(&batch->series);
	batch_names_release(&batch->sources);
	free(batch->days);
	free(batch->ranges);
	free(batch->records);
	free(batch->keys);
	*batch = (struct batch){0};
}

/* --- before the transaction ------------------------------------------------------------------ */

static bool
ensure_month(struct ledger_writer *writer, int64_t day, struct error *err)
{
	char text[INSTANT_TEXT], month[9];
	struct rows rows;

	instant_format((struct instant){day * day_us}, text);
	snprintf(month, sizeof month, "%.7s ", text);
	if (strstr(text_string(&writer->months), month) != NULL)
		return true;
	month[7] = '\0';
	if (!db_rows(writer->db, SQL_LEDGER_MONTH_ENSURE, PARAMS(month), &rows, err))
		return false;
	rows_release(&rows);
	text_add_format(&writer->months, "%s ", month);
	return true;
}

bool
batch_prepare(struct ledger_writer *writer, struct batch *batch, struct error *err)
{
	if (batch->prepared)
		return true;
	for (size_t i = 0; i < batch->day_count; i++)
		if (!ensure_month(writer, batch->days[i], err))
			return false;
	for (size_t i = 0; i < batch->series.index.count; i++) {
		struct batch_name *name = &batch->series.name[i];

		if (!series_find(writer->memory->series, writer->db, &batch->records[name->place].event, &name->number, err))
			return false;
	}
	for (size_t i = 0; i < batch->sources.index.count; i++) {
		struct batch_name *name = &batch->sources.name[i];

		if (!event_source_find(
			writer->memory->series, writer->db, batch->records[name->place].event.source, &name->number, err))
			return false;
	}
	for (size_t i = 0; i < batch->key_count; i++) {
		batch->keys[i].series = batch->series.name[batch->keys[i].series].number;
		batch->keys[i].source = batch->sources.name[batch->keys[i].source].number;
	}
	batch->prepared = true;
	return true;
}

/* --- the dedupe register --------------------------------------------------------------------- */

/* Back to what keys_sort() found, for another attempt. */
static void
forget_admissions(struct batch *batch)
{
	for (size_t i = 0; i < batch->key_count; i++) {
		struct record *record = batch->keys[i].record;

		/* Of all: what the attempt set aside may be known to be something else since. */
		record->reason = REASON_NONE;
		record->field = NULL;
		record->value = (struct bytes){NULL, 0};
		record->event.flags &= ~(unsigned)F_TIME_RESTAMPED;
	}
	provisional_undo(batch->keys, batch->key_count);
	keys_sort_again(batch->keys, batch->key_count);
}

/* What is known of the identities, in memory and by the register.  A final count of what was booked as provisional gets an identity
 * of its own, and the register is asked about that, too. */
static bool
look_up(struct ledger_writer *writer, struct batch *batch, struct error *err)
{
	struct ledger_memory *memory = writer->memory;
	bool changed;

	if (!register_look(memory->reg, writer->db, err))
		return false;
	for (;;) {
		recent_keys_mark(memory->recent, batch->keys, batch->key_count);
		if (!register_ask(memory->reg, writer->db, batch->keys, batch->key_count, err) ||
		    !provisional_settle(writer->db, batch->keys, batch->key_count, &batch->arena, &changed, err))
			return false;
		if (!changed)
			return true;
		keys_sort_again(batch->keys, batch->key_count);
	}
}

/* --- counting what became of the records ------------------------------------------------------ */

static void
counts_add(struct batch_counts *counts, enum outcome outcome)
{
	counts->accepted += outcome == OUTCOME_ACCEPTED;
	counts->duplicates += outcome == OUTCOME_DUPLICATE;
	counts->ignored += outcome == OUTCOME_IGNORED;
	counts->quarantined += outcome == OUTCOME_QUARANTINED;
	counts->rejected += outcome == OUTCOME_REJECTED;
}

static void
count_in_range(struct batch_range *range, const struct record *record)
{
	range->counts.records++;
	counts_add(&range->counts, record->outcome);
	if ((record->outcome == OUTCOME_ACCEPTED || record->outcome == OUTCOME_DUPLICATE) &&
	    record->event.time.us > range->last_event_time.us)
		range->last_event_time = record->event.time;
}

static void
settle(struct batch *batch, struct batch_counts *counts)
{
	*counts = (struct batch_counts){.records = (int64_t)batch->count};
	for (size_t i = 0; i < batch->key_count; i++) {
		struct record *record = batch->keys[i].record;

		/* Records are in another order than keys, far apart. */
		if (i + AHEAD < batch->key_count)
			__builtin_prefetch(&batch->keys[i + AHEAD].record->outcome, 1);
		record->outcome = OUTCOME_ACCEPTED;
		switch (batch->keys[i].admission) {
		case ADMISSION_NEW:
			break;
		case ADMISSION_RESTAMPED:
			record->event.flags |= F_TIME_RESTAMPED;
			counts->restamped++;
			record->outcome = OUTCOME_DUPLICATE;
			break;
		case ADMISSION_DUPLICATE:
			record->outcome = OUTCOME_DUPLICATE;
			break;
		case ADMISSION_CONFLICT:
			record->reason = E_KEY_CONFLICT;
			record->field = "id";
			record->value = record->event.id;
			break;
		case ADMISSION_REFUSED:
			break;
		}
	}
	for (size_t i = 0; i < batch->range_count; i++) {
		batch->ranges[i].counts = (struct batch_counts){0};
		batch->ranges[i].last_event_time = (struct instant){0};
	}
	for (size_t i = 0; i < batch->count; i++) {
		struct record *record = &batch->records[i];

		if (record->reason != REASON_NONE)
			record->outcome = reason_outcome(record->reason);
		counts_add(counts, record->outcome);
		if (batch->range_count > 0)
			count_in_range(&batch->ranges[record->range], record);
	}
	must(counts->records == counts->accepted + counts->duplicates + counts->ignored + counts->quarantined + counts->rejected);
}

/* --- the header ------------------------------------------------------------------------------ */

/* What the digest covers before the rows. */
static void
begin_digest(struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, const struct batch_counts *counts)
{
	const int64_t numbers[] = {batch_id, writer->position_id, writer->next_position, (int64_t)batch->next_position,
	    writer->next_record, counts->records, counts->accepted, counts->duplicates, counts->restamped, counts->ignored,
	    counts->quarantined, counts->rejected};

	digest_begin(writer->digest);
	digest_field(writer->digest, writer->last_digest, sizeof writer->last_digest);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		digest_number(writer->digest, numbers[i]);
	if (batch->range_count > 0) {
		struct text ranges = {0};

		ranges_text(batch->ranges, batch->range_count, &ranges);
		digest_field(writer->digest, ranges.bytes, ranges.length);
		text_release(&ranges);
	}
}

static bool
write_header(struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, const struct batch_counts *counts,
    const struct row_facts *facts, const unsigned char *sum, struct instant now, struct error *err)
{
	struct arena arena = {0};
	const char *next_position = param_number(&arena, (int64_t)batch->next_position);
	const char *id = param_number(&arena, batch_id), *digest = param_hex(&arena, sum, DIGEST_SIZE);
	bool fine = db_change(writer->db, SQL_LEDGER_BATCH_ADD,
	    PARAMS(id, param_number(&arena, writer->position_id), param_number(&arena, writer->next_position), next_position,
		param_number(&arena, writer->next_record), param_number(&arena, counts->records),
		param_number(&arena, counts->accepted), param_number(&arena, counts->duplicates),
		param_number(&arena, counts->restamped), param_number(&arena, counts->ignored),
		param_number(&arena, counts->quarantined), param_number(&arena, counts->rejected),
		param_number(&arena, counts->set_aside_before), param_number(&arena, counts->ledger_rows),
		facts->rows == 0 ? NULL : param_instant(&arena, facts->first),
		facts->rows == 0 ? NULL : param_instant(&arena, facts->last), param_hex(&arena, writer->last_digest, DIGEST_SIZE),
		digest, param_instant(&arena, now)),
	    1, err);

	if (fine) {
		fine = db_change(writer->db, SQL_LEDGER_POSITION_ADVANCE,
		    PARAMS(param_number(&arena, writer->position_id), param_number(&arena, writer->next_position),
			param_number(&arena, writer->next_record), next_position,
			param_number(&arena, writer->next_record + counts->records), id, digest),
		    1, err);
		if (!fine && err->sqlstate[0] == '\0' && err->kind == ERROR_STATE)
			error_set(err, ERROR_BUSY,
			    "another process moved the position of this source; nothing of this batch is booked");
	}
	arena_release(&arena);
	return fine;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* What is being booked. */
struct booking {
	struct ledger_writer *writer;
	struct batch *batch;
	int64_t batch_id;
	struct instant now;
	struct batch_counts *counts;
	struct row_facts facts;
	unsigned char sum[DIGEST_SIZE];
};

static bool
admit(struct booking *booking, struct reversals *reversals, struct error *err)
{
	struct batch *batch = booking->batch;

	if (batch->attempted)
		forget_admissions(batch);
	batch->attempted = true;
	return look_up(booking->writer, batch, err) &&
	    corrections_resolve(
		booking->writer->db, batch->keys, batch->key_count, booking->batch_id, &batch->arena, reversals, err);
}

static bool
write_records(struct booking *booking, const struct reversals *reversals, struct error *err)
{
	struct ledger_writer *writer = booking->writer;
	struct batch *batch = booking->batch;

	settle(batch, booking->counts);
	begin_digest(writer, batch, booking->batch_id, booking->counts);
	booking->facts = (struct row_facts){0};
	if (!batch_rows_copy(writer, batch, booking->batch_id, reversals, &booking->facts, err))
		return false;
	digest_end(writer->digest, booking->sum);
	booking->counts->ledger_rows = booking->facts.rows;
	return batch_set_aside(writer, batch, booking->batch_id, booking->counts, err) &&
	    (batch->range_count == 0 ||
		ranges_book(writer->db, batch->ranges, batch->range_count, booking->batch_id, booking->now, err));
}

/* *again: another process booked some of these identities meanwhile.  The register is added to last, so that nobody waits for its lock
 * while rows are copied. */
static bool
attempt(struct booking *booking, bool *again, struct error *err)
{
	struct ledger_writer *writer = booking->writer;
	struct batch *batch = booking->batch;
	struct reversals reversals;

	if (!admit(booking, &reversals, err))
		return false;
	*again = reversals.overtaken;
	return *again ||
	    (write_records(booking, &reversals, err) &&
		register_append(writer->memory->reg, writer->db, batch->keys, batch->key_count, booking->batch_id, again, err));
}

/* One attempt inside a savepoint.  Whoever lost too often has the register's lock from its beginning: a large batch would be overtaken
 * by small ones as long as they come. */
static bool
book_once(struct booking *booking, bool locked, bool *again, struct error *err)
{
	struct db *db = booking->writer->db;
	bool fine;

	*again = false;
	if (!db_savepoint(db, err))
		return false;
	fine = (!locked || register_lock(db, err)) && attempt(booking, again, err);
	if (fine && !*again)
		return db_release_savepoint(db, err);
	/* Two that wait for each other: for what both set aside, or correct, or for the lock. */
	*again = fine || error_is_sqlstate(err, "40P01");
	return *again && db_rollback_to_savepoint(db, err);
}

static bool
book(struct booking *booking, struct error *err)
{
	bool again;

	for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
		if (!book_once(booking, attempts >= ATTEMPTS_UNLOCKED, &again, err))
			return false;
		if (!again)
			return true;
	}
	return error_set(err, ERROR_BUSY, "the same usage is being booked by others %d times over", ATTEMPTS_MAX);
}

bool
batch_append_within(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err)
{
	struct booking booking = {.writer = writer, .batch = batch, .now = now, .counts = counts};
	struct rows rows;

	if (!db_one_row(writer->db, SQL_LEDGER_BATCH_NEXT, NO_PARAMS, &rows, err))
		return false;
	*batch_id = booking.batch_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	if (!book(&booking, err) || !write_header(writer, batch, *batch_id, counts, &booking.facts, booking.sum, now, err))
		return false;
	memcpy(writer->digest_at_hand, booking.sum, sizeof booking.sum);
	return true;
}

static bool
begin(struct ledger_writer *writer, struct error *err)
{
	struct rows rows;

	if (!db_begin(writer->db, err))
		return false;
	if (!writer->unhurried)
		return true;
	if (!db_one_row(writer->db, SQL_LEDGER_COMMIT_UNHURRIED, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

/* The writer goes on behind a batch that is booked. */
static void
go_on(struct ledger_writer *writer, const struct batch *batch, const struct batch_counts *counts)
{
	writer->next_position = (int64_t)batch->next_position;
	writer->next_record += counts->records;
	memcpy(writer->last_digest, writer->digest_at_hand, sizeof writer->last_digest);
	ranges_booked(batch->ranges, batch->range_count);
	register_committed(writer->memory->reg);
	recent_keys_remember(writer->memory->recent, batch->keys, batch->key_count);
}

bool
batch_append(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err)
{
	*batch_id = 0;
	if (!register_tidy(writer->memory->reg, writer->db, err) || !batch_prepare(writer, batch, err))
		return false;
	if (begin(writer, err) && batch_append_within(writer, batch, now, counts, batch_id, err) &&
	    (writer->beside == NULL || writer->beside(writer->beside_context, batch, counts, err)) &&
	    db_commit(writer->db, err)) {
		go_on(writer, batch, counts);
		return true;
	}
	db_rollback(writer->db);
	return false;
}

static void
read_counts(const struct rows *rows, struct batch_counts *out)
{
	int64_t *const counts[] = {&out->records, &out->accepted, &out->duplicates, &out->restamped, &out->ignored,
	    &out->quarantined, &out->rejected, &out->set_aside_before, &out->ledger_rows};

	for (int i = 0; i < rows_columns(rows); i++)
		*counts[i] = row_number(rows, 0, i);
}

bool
batch_find(struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, bool *booked, struct batch_counts *counts,
    struct error *err)
{
	struct arena arena = {0};
	struct rows position, header;
	bool fine;

	*booked = false;
	/* A transaction that is still committing holds the lock on its source's row: what is found behind it is final. */
	fine = db_begin(writer->db, err) &&
	    db_one_row(writer->db, SQL_LEDGER_POSITION_STAND, PARAMS(param_number(&arena, writer->position_id)), &position, err);
	if (fine) {
		rows_release(&position);
		fine = db_rows(writer->db, SQL_LEDGER_BATCH_GET, PARAMS(param_number(&arena, batch_id)), &header, err);
	}
	if (fine) {
		*booked = header.count == 1;
		if (*booked) {
			read_counts(&header, counts);
			go_on(writer, batch, counts);
		}
		rows_release(&header);
	}
	db_rollback(writer->db);
	arena_release(&arena);
	return fine;
}
