/* batch.c -- see batch.h. */
#include "ledger/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "ledger/correction.h"
#include "ledger/provisional.h"

enum { ATTEMPTS_MAX = 20, EVENT_FIELDS = 19 };

static const int64_t day_us = 86400LL * 1000000;

/* --- the writer ------------------------------------------------------------------------------ */

static void
begin_memory(struct ledger_writer *writer)
{
	writer->series = series_cache_new();
	writer->recent = recent_keys_new();
	writer->digest = digest_new();
}

bool
ledger_writer_open(struct ledger_writer *writer, struct db *db, const char *kind, const char *name, struct instant now,
    const char *by, struct error *err)
{
	char opened_at[INSTANT_TEXT];
	struct rows rows;

	*writer = (struct ledger_writer){.db = db, .next_record = 1};
	if (!db_one_row(db, SQL_LEDGER_POSITION_OPEN, PARAMS(kind, name, instant_format(now, opened_at), by), &rows, err))
		return false;
	writer->position_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	begin_memory(writer);
	return true;
}

bool
ledger_writer_resume(struct ledger_writer *writer, struct db *db, int64_t position_id, struct error *err)
{
	enum { NEXT_POSITION, NEXT_RECORD, LAST_DIGEST };
	struct arena arena = {0};
	struct rows rows;
	bool fine;

	*writer = (struct ledger_writer){.db = db, .position_id = position_id};
	fine = db_one_row(db, SQL_LEDGER_POSITION_RESUME, PARAMS(param_number(&arena, position_id)), &rows, err);
	arena_release(&arena);
	if (!fine)
		return false;
	writer->next_position = row_number(&rows, 0, NEXT_POSITION);
	writer->next_record = row_number(&rows, 0, NEXT_RECORD);
	digest_unhex(row_text(&rows, 0, LAST_DIGEST), DIGEST_SIZE, writer->last_digest);
	rows_release(&rows);
	begin_memory(writer);
	return true;
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
	series_cache_free(writer->series);
	recent_keys_free(writer->recent);
	digest_free(writer->digest);
	text_release(&writer->months);
	text_release(&writer->keys);
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
batch_close(struct batch *batch)
{
	batch->keys = arena_take(&batch->arena, (batch->count + 1) * sizeof *batch->keys);
	for (size_t i = 0; i < batch->count; i++) {
		struct record *record = &batch->records[i];

		if (record->reason != REASON_NONE)
			continue;
		batch->keys[batch->key_count++] = (struct admitted){.record = record,
		    .ordinal = i,
		    .series = batch_names_series(&batch->series, &record->event, i),
		    .source = batch_names_source(&batch->sources, &record->event, i)};
		note_day(batch, record->event.time);
	}
	keys_sort(batch->keys, batch->key_count);
}

void
batch_reset(struct batch *batch)
{
	arena_reset(&batch->arena);
	batch_names_clear(&batch->series);
	batch_names_clear(&batch->sources);
	batch->count = batch->key_count = batch->day_count = batch->range_count = 0;
	batch->prepared = batch->attempted = false;
	batch->keys = NULL;
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

		if (!series_find(writer->series, writer->db, &batch->records[name->place].event, &name->number, err))
			return false;
	}
	for (size_t i = 0; i < batch->sources.index.count; i++) {
		struct batch_name *name = &batch->sources.name[i];

		if (!event_source_find(writer->series, writer->db, batch->records[name->place].event.source, &name->number, err))
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

static bool
has_corrections(const struct batch *batch)
{
	for (size_t i = 0; i < batch->key_count; i++)
		if (batch->keys[i].record->event.kind != EVENT_USAGE)
			return true;
	return false;
}

/* Back to what keys_sort() found, for another attempt. */
static void
forget_admissions(struct batch *batch)
{
	for (size_t i = 0; i < batch->key_count; i++) {
		struct admitted *key = &batch->keys[i];

		if (key->admission == ADMISSION_REFUSED || key->admission == ADMISSION_CONFLICT) {
			key->record->reason = REASON_NONE;
			key->record->field = NULL;
			key->record->value = (struct bytes){NULL, 0};
		}
		key->record->event.flags &= ~(unsigned)F_TIME_RESTAMPED;
	}
	provisional_undo(batch->keys, batch->key_count);
	keys_sort_again(batch->keys, batch->key_count);
}

/* What is known of the identities, in memory and by the register.  A final count of what was booked as provisional gets an identity
 * of its own, and the register is asked about that, too. */
static bool
look_up(struct ledger_writer *writer, struct batch *batch, bool probe, int64_t *known, struct error *err)
{
	bool changed;

	for (;;) {
		recent_keys_mark(writer->recent, batch->keys, batch->key_count);
		if (!keys_probe(writer->db, batch->keys, batch->key_count, probe, known, err) ||
		    !provisional_settle(writer->db, batch->keys, batch->key_count, &batch->arena, &changed, err))
			return false;
		if (!changed)
			return true;
		keys_sort_again(batch->keys, batch->key_count);
	}
}

/* One attempt inside a savepoint.  *again: another process booked some of these identities meanwhile.  *known counts what the
 * register knew, where it was asked. */
static bool
admit_once(struct ledger_writer *writer, struct batch *batch, bool probe, int64_t batch_id, struct reversals *reversals,
    bool *again, int64_t *known, struct error *err)
{
	*again = false;
	*known = 0;
	if (!db_savepoint(writer->db, err))
		return false;
	if (look_up(writer, batch, probe, known, err) &&
	    corrections_resolve(writer->db, batch->keys, batch->key_count, batch_id, &batch->arena, reversals, err)) {
		*again = reversals->overtaken;
		if (*again)
			return db_rollback_to_savepoint(writer->db, err);
		if (keys_insert(writer->db, batch->keys, batch->key_count, batch_id, &writer->keys, err))
			return db_release_savepoint(writer->db, err);
	}
	*again = error_is_sqlstate(err, "23505") || error_is_sqlstate(err, "40P01");
	return *again && db_rollback_to_savepoint(writer->db, err);
}

/* Optimistic: copies keys without asking, and asks only when that fails, in the same transaction, or when the register knew
 * some of the batch before; see docs/design.md for what each costs. */
static bool
admit(struct ledger_writer *writer, struct batch *batch, int64_t batch_id, struct reversals *reversals, struct error *err)
{
	bool probe = writer->probe || has_corrections(batch), again;
	int64_t known;

	for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
		if (!admit_once(writer, batch, probe, batch_id, reversals, &again, &known, err) && !again)
			return false;
		if (!again) {
			writer->probe = known > 0;
			return true;
		}
		forget_admissions(batch);
		probe = true;
	}
	return error_set(err, ERROR_BUSY, "the same usage is being booked by others %d times over", ATTEMPTS_MAX);
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

/* --- ledger rows ----------------------------------------------------------------------------- */

/* One row in the order of usage_event_copy.sql: what is booked under an event's identity.  `sign` is 1, or -1 for a reversal,
 * which repeats the original's context too, so that it is told apart from other requests as the original is. */
static void
encode_row(struct text *out, const struct admitted *key, int64_t batch_id, int sign, const struct booked *booked)
{
	const struct usage_event *event = &key->record->event;
	const struct metered *quantities = booked->quantities;
	int64_t column[METER_COLUMNS + 1], extra[2 * METER_LIMIT];
	bool have[METER_COLUMNS + 1] = {false};
	size_t extras = 0;

	for (size_t i = 0; i < booked->quantity_count; i++) {
		if (quantities[i].meter <= METER_COLUMNS) {
			column[quantities[i].meter] = sign * quantities[i].quantity;
			have[quantities[i].meter] = true;
		} else {
			extra[extras++] = quantities[i].meter;
			extra[extras++] = sign * quantities[i].quantity;
		}
	}
	copy_row(out, EVENT_FIELDS);
	copy_bigint(out, batch_id);
	copy_integer(out, (int32_t)key->ordinal);
	copy_smallint(out, sign == 1 ? 1 : 2);
	copy_field(out, event->event_id.byte, sizeof event->event_id.byte);
	copy_instant(out, booked->time);
	copy_integer(out, booked->series);
	copy_integer(out, key->source);
	copy_field(out, event->id.at, event->id.length);
	copy_integer(out, (int32_t)event->flags);
	if (booked->context_input_tokens >= 0)
		copy_bigint(out, booked->context_input_tokens);
	else
		copy_null(out);
	for (int i = 1; i <= METER_COLUMNS; i++) {
		if (have[i])
			copy_bigint(out, column[i]);
		else
			copy_null(out);
	}
	if (extras > 0)
		copy_bigints(out, extra, extras);
	else
		copy_null(out);
	if (booked->context.length > 0)
		copy_field(out, booked->context.at, booked->context.length);
	else
		copy_null(out);
}

struct row_facts {
	struct instant first, last;
	int64_t rows;
};

enum { COPY_PIECE = 64 << 10 };

/* In pieces, so that the server works on one while the next is made. */
static bool
send_rows(struct ledger_writer *writer, size_t at_least, struct error *err)
{
	bool fine = writer->rows.length < at_least || db_copy_in_bytes(writer->db, writer->rows.bytes, writer->rows.length, err);

	if (writer->rows.length >= at_least)
		text_clear(&writer->rows);
	return fine;
}

/* A row goes into the COPY data and into the batch's digest, as the same bytes. */
static bool
add_row(struct ledger_writer *writer, struct row_facts *facts, const struct admitted *key, int64_t batch_id, int sign,
    const struct booked *booked, struct error *err)
{
	size_t start = writer->rows.length;

	encode_row(&writer->rows, key, batch_id, sign, booked);
	digest_field(writer->digest, writer->rows.bytes + start, writer->rows.length - start);
	if (facts->rows == 0 || booked->time.us < facts->first.us)
		facts->first = booked->time;
	if (facts->rows == 0 || booked->time.us > facts->last.us)
		facts->last = booked->time;
	facts->rows++;
	return send_rows(writer, COPY_PIECE, err);
}

/* In the order of the records; of one record first its row, then its reversal. */
static bool
add_rows(struct ledger_writer *writer, struct batch *batch, int64_t batch_id, const struct reversals *reversals,
    struct row_facts *facts, struct error *err)
{
	const struct admitted **keys = arena_take(&batch->arena, (batch->count + 1) * sizeof *keys);
	const struct reversal **taken_back = arena_take(&batch->arena, (batch->count + 1) * sizeof *taken_back);

	memset(keys, 0, batch->count * sizeof *keys);
	memset(taken_back, 0, batch->count * sizeof *taken_back);
	for (size_t i = 0; i < batch->key_count; i++)
		keys[batch->keys[i].ordinal] = &batch->keys[i];
	for (size_t i = 0; i < reversals->count; i++)
		taken_back[reversals->items[i].by->ordinal] = &reversals->items[i];
	for (size_t i = 0; i < batch->count; i++) {
		const struct reversal *reversal = taken_back[i];
		const struct usage_event *event = &batch->records[i].event;

		if (keys[i] == NULL || keys[i]->admission != ADMISSION_NEW)
			continue;
		must((reversal == NULL) == (event->kind == EVENT_USAGE));
		if (event->kind != EVENT_VOID) {
			struct booked own = {.time = reversal == NULL ? event->time : reversal->original.time,
			    .series = keys[i]->series,
			    .context_input_tokens = event->context_input_tokens,
			    .quantities = event->quantities,
			    .quantity_count = event->quantity_count,
			    .context = event->context};

			if (!add_row(writer, facts, keys[i], batch_id, 1, &own, err))
				return false;
		}
		if (reversal != NULL && !add_row(writer, facts, keys[i], batch_id, -1, &reversal->original, err))
			return false;
	}
	return true;
}

static bool
copy_rows(struct ledger_writer *writer, struct batch *batch, int64_t batch_id, const struct reversals *reversals,
    struct row_facts *facts, struct error *err)
{
	int64_t taken;

	if (!db_copy_in_begin(writer->db, SQL_LEDGER_USAGE_EVENT_COPY, err))
		return false;
	text_clear(&writer->rows);
	copy_header(&writer->rows);
	if (!add_rows(writer, batch, batch_id, reversals, facts, err))
		return false;
	copy_trailer(&writer->rows);
	if (!send_rows(writer, 0, err) || !db_copy_in_end(writer->db, &taken, err))
		return false;
	must(taken == facts->rows);
	return true;
}

/* --- quarantine ------------------------------------------------------------------------------ */

/* What is shown of a value must be text the server takes: control bytes and bad UTF-8 as \xNN. */
static void
add_shown(struct text *out, struct bytes value)
{
	for (size_t i = 0; i < value.length && i < 200; i++) {
		unsigned char byte = (unsigned char)value.at[i];

		if (byte < 0x20 || byte >= 0x7f)
			text_add_format(out, "\\x%02x", byte);
		else
			text_add(out, value.at + i, 1);
	}
}

/* As an element of an array of bytea, where a backslash is doubled. */
static void
add_element(struct text *array, const struct bytes *value)
{
	text_add_string(array, array->length == 0 ? "{" : ",");
	if (value == NULL) {
		text_add_string(array, "NULL");
		return;
	}
	text_add_string(array, "\"\\\\x");
	for (size_t i = 0; i < value->length; i++)
		text_add_format(array, "%02x", (unsigned char)value->at[i]);
	text_add_string(array, "\"");
}

/* What makes a quarantined record the same as another: how its bytes are read and, of a message, what came beside them. */
static const char *
quarantine_format(struct ledger_writer *writer, const struct batch *batch, const struct record *record, struct text *headers,
    struct arena *arena)
{
	const struct envelope *envelope = record->envelope;
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];

	if (envelope == NULL)
		return record->format != NULL ? record->format : batch->format;
	digest_begin(writer->digest);
	digest_number(writer->digest, envelope->has_key);
	digest_field(writer->digest, envelope->key.at, envelope->key.length);
	for (size_t i = 0; i < envelope->header_count; i++) {
		const struct message_header *header = &envelope->headers[i];

		add_element(headers, &header->name);
		add_element(headers, header->has_value ? &header->value : NULL);
		digest_field(writer->digest, header->name.at, header->name.length);
		digest_number(writer->digest, header->has_value);
		digest_field(writer->digest, header->value.at, header->value.length);
	}
	text_add_string(headers, headers->length == 0 ? "{}" : "}");
	digest_end(writer->digest, sum);
	return arena_format(arena, "%s %s", batch->ranges[record->range].format, digest_hex(sum, sizeof sum, hex));
}

static bool
set_aside(struct ledger_writer *writer, const struct batch *batch, const struct record *record, int64_t batch_id, bool *known,
    struct error *err)
{
	const struct envelope *envelope = record->envelope;
	struct arena arena = {0};
	struct text shown = {0}, headers = {0};
	const char *format = quarantine_format(writer, batch, record, &headers, &arena);
	unsigned char sum[DIGEST_SIZE];
	struct rows rows;
	bool fine;

	digest_begin(writer->digest);
	digest_bytes(writer->digest, record->raw.at, record->raw.length);
	digest_end(writer->digest, sum);
	add_shown(&shown, record->value);
	fine = db_rows(writer->db, SQL_LEDGER_QUARANTINE_ADD,
	    PARAMS(param_number(&arena, batch_id), param_number(&arena, (int64_t)record->number),
		record->outcome == OUTCOME_QUARANTINED ? "quarantined" : "rejected", reason_code(record->reason),
		record->field == NULL ? "" : record->field, text_string(&shown), format,
		param_hex(&arena, record->raw.at, record->raw.length), param_number(&arena, (int64_t)record->raw_length),
		param_hex(&arena, sum, sizeof sum),
		envelope != NULL && envelope->has_key ? param_hex(&arena, envelope->key.at, envelope->key.length) : NULL,
		envelope != NULL ? text_string(&headers) : NULL),
	    &rows, err);
	if (fine) {
		*known = rows.count == 0;
		rows_release(&rows);
	}
	text_release(&shown);
	text_release(&headers);
	arena_release(&arena);
	return fine;
}

static bool
set_all_aside(
    struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, struct batch_counts *counts, struct error *err)
{
	for (size_t i = 0; i < batch->count; i++) {
		bool known;

		if (batch->records[i].outcome != OUTCOME_QUARANTINED && batch->records[i].outcome != OUTCOME_REJECTED)
			continue;
		if (!set_aside(writer, batch, &batch->records[i], batch_id, &known, err))
			return false;
		counts->set_aside_before += known;
	}
	return true;
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

bool
batch_append_within(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err)
{
	struct reversals reversals;
	struct row_facts facts = {0};
	unsigned char sum[DIGEST_SIZE];
	struct rows rows;

	if (batch->attempted)
		forget_admissions(batch);
	batch->attempted = true;
	if (!db_one_row(writer->db, SQL_LEDGER_BATCH_NEXT, NO_PARAMS, &rows, err))
		return false;
	*batch_id = row_number(&rows, 0, 0);
	rows_release(&rows);
	if (!admit(writer, batch, *batch_id, &reversals, err))
		return false;
	settle(batch, counts);
	begin_digest(writer, batch, *batch_id, counts);
	if (!copy_rows(writer, batch, *batch_id, &reversals, &facts, err))
		return false;
	digest_end(writer->digest, sum);
	counts->ledger_rows = facts.rows;
	if (!set_all_aside(writer, batch, *batch_id, counts, err) ||
	    (batch->range_count > 0 && !ranges_book(writer->db, batch->ranges, batch->range_count, *batch_id, now, err)) ||
	    !write_header(writer, batch, *batch_id, counts, &facts, sum, now, err))
		return false;
	memcpy(writer->digest_at_hand, sum, sizeof sum);
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
	recent_keys_remember(writer->recent, batch->keys, batch->key_count);
}

bool
batch_append(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err)
{
	*batch_id = 0;
	if (!batch_prepare(writer, batch, err) || !db_begin(writer->db, err))
		return false;
	if (batch_append_within(writer, batch, now, counts, batch_id, err) &&
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
