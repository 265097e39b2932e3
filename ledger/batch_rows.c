/* batch_rows.c -- see batch_rows.h. */
#include "ledger/batch_rows.h"

#include <string.h>

#include "base/copy_binary.h"

enum { EVENT_FIELDS = 19, AHEAD = 8 };

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

		/* Keys are in another order than records, far apart. */
		if (i + AHEAD < batch->count && keys[i + AHEAD] != NULL)
			__builtin_prefetch(keys[i + AHEAD]);
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

bool
batch_rows_copy(struct ledger_writer *writer, struct batch *batch, int64_t batch_id, const struct reversals *reversals,
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
