/* correction.c -- see correction.h. */
#include "ledger/correction.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "ledger/distribute.h"

static int
by_ordinal(const void *a, const void *b)
{
	const struct admitted *one = *(struct admitted *const *)a, *two = *(struct admitted *const *)b;

	return one->ordinal < two->ordinal ? -1 : one->ordinal > two->ordinal;
}

/* The new event of this batch with that identity, when it stands before `before`; else NULL. */
static struct admitted *
find_in_batch(struct admitted *keys, size_t count, const struct id128 *id, size_t before)
{
	size_t first = keys_find(keys, count, id);

	for (size_t at = first; at < count && keys_same_identity(&keys[at], &keys[first]); at++)
		if (keys[at].admission == ADMISSION_NEW && keys[at].ordinal < before)
			return &keys[at];
	return NULL;
}

static void
refuse(struct admitted *key, enum reason reason)
{
	key->admission = ADMISSION_REFUSED;
	key->record->reason = reason;
	key->record->field = "data.ref";
	key->record->value = key->record->event.ref_id;
}

/* An earlier correction of this batch books under the time of what it corrects; see batch.c. */
static struct instant
booked_time(const struct admitted *key, const struct reversals *so_far)
{
	for (size_t i = 0; i < so_far->count; i++)
		if (so_far->items[i].by == key)
			return so_far->items[i].original.time;
	return key->record->event.time;
}

static void
from_batch(const struct admitted *key, const struct reversals *so_far, struct booked *out)
{
	const struct usage_event *event = &key->record->event;

	*out = (struct booked){.time = booked_time(key, so_far),
	    .series = key->series,
	    .context_input_tokens = event->context_input_tokens,
	    .quantities = event->quantities,
	    .quantity_count = event->quantity_count,
	    .context = event->context};
}

/* Columns of row_find.sql: time, series, context tokens, the hot meters, then extra as "id:quantity,...", and the context. */
static void
from_row(const struct rows *rows, struct arena *arena, struct booked *out)
{
	enum { FIRST_METER = 3, EXTRA = FIRST_METER + METER_COLUMNS, CONTEXT };
	const char *extra = row_text(rows, 0, EXTRA);
	size_t context = row_length(rows, 0, CONTEXT);
	struct metered *quantities = arena_take(arena, METER_LIMIT * sizeof *quantities);

	*out = (struct booked){.time = row_instant(rows, 0, 0), .series = (int32_t)row_number(rows, 0, 1)};
	out->context_input_tokens = row_is_null(rows, 0, 2) ? -1 : row_number(rows, 0, 2);
	out->context = (struct bytes){arena_copy(arena, row_text(rows, 0, CONTEXT), context), context};
	out->quantities = quantities;
	for (int i = 0; i < METER_COLUMNS; i++)
		if (!row_is_null(rows, 0, FIRST_METER + i))
			quantities[out->quantity_count++] = (struct metered){i + 1, row_number(rows, 0, FIRST_METER + i)};
	while (*extra != '\0') {
		char *end;
		long meter = strtol(extra, &end, 10);
		long long quantity = strtoll(end + 1, &end, 10);

		must(out->quantity_count < METER_LIMIT);
		quantities[out->quantity_count++] = (struct metered){(int)meter, quantity};
		extra = *end == ',' ? end + 1 : end;
	}
}

static bool
find_row(struct db *db, const char *original_hex, struct arena *arena, struct booked *out, bool *found, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_LEDGER_ROW_FIND, PARAMS(original_hex), &rows, err))
		return false;
	*found = rows.count == 1;
	if (*found)
		from_row(&rows, arena, out);
	rows_release(&rows);
	return true;
}

/* What is not found is not refused before it is sure that it is not on its way. */
static bool
from_ledger(struct db *db, const char *original_hex, struct arena *arena, struct booked *out, bool *found, struct error *err)
{
	bool waited;

	if (!find_row(db, original_hex, arena, out, found, err))
		return false;
	if (*found)
		return true;
	return rows_await(db, arena_format(arena, "{%s}", original_hex), &waited, err) &&
	    (!waited || find_row(db, original_hex, arena, out, found, err));
}

/* The event was claimed before: by another correction, or, since the keys were probed, by this one in another process. */
static bool
lost_claim(struct db *db, const char *hex, const char *own_hex, struct admitted *key, struct reversals *out, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_LEDGER_CORRECTION_CLAIMANT, PARAMS(hex, own_hex), &rows, err))
		return false;
	if (row_bool(&rows, 0, 0))
		out->overtaken = true;
	else
		refuse(key, E_REF_FORK);
	rows_release(&rows);
	return true;
}

/* The ledger does not have the original: it never came, or its month is archived. */
static bool
refuse_unknown(struct db *db, const char *hex, struct admitted *key, struct arena *arena, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_LEDGER_ARCHIVED_AMONG, PARAMS(arena_format(arena, "{%s}", hex)), &rows, err))
		return false;
	refuse(key, rows.count > 0 ? E_ARCHIVED : E_REF_UNKNOWN);
	rows_release(&rows);
	return true;
}

static bool
resolve_one(struct db *db, struct admitted *keys, size_t count, struct admitted *key, int64_t batch_id, struct arena *arena,
    struct reversals *out, struct error *err)
{
	struct id128 original = event_original(&key->record->event);
	struct admitted *here = find_in_batch(keys, count, &original, key->ordinal);
	char hex[33], own_hex[33];
	struct booked booked;
	struct rows claimed;
	bool found = true;

	digest_hex(original.byte, 16, hex);
	if (here != NULL && here->record->event.kind != EVENT_VOID)
		from_batch(here, out, &booked);
	else if (!from_ledger(db, hex, arena, &booked, &found, err))
		return false;
	if (!found)
		return refuse_unknown(db, hex, key, arena, err);
	if (!db_rows(db, SQL_LEDGER_CORRECTION_CLAIM,
		PARAMS(hex, digest_hex(key->record->event.event_id.byte, 16, own_hex), param_number(arena, batch_id)), &claimed,
		err))
		return false;
	found = claimed.count == 1;
	rows_release(&claimed);
	if (!found)
		return lost_claim(db, hex, own_hex, key, out, err);
	out->items[out->count++] = (struct reversal){key, booked};
	return true;
}

/* A refused correction is not booked, so what repeats it is no duplicate: the next one is tried in its place, after those of
 * `pending` that stand before it.  Thus the outcome does not depend on where batches end. */
static void
let_repeat_try(struct admitted *refused, const struct admitted *end, struct admitted **pending, size_t *pending_count)
{
	struct admitted *next = refused + 1;
	const struct usage_event *event;
	size_t place = *pending_count;

	if (next == end || !keys_same_identity(next, refused))
		return;
	event = &next->record->event;
	next->admission = ADMISSION_NEW;
	for (struct admitted *rest = next + 1; rest < end && keys_same_identity(rest, next); rest++)
		rest->admission = keys_compare(&rest->record->event, &event->content, event->time);
	if (event->kind == EVENT_USAGE)
		return;
	for (; pending[place - 1]->ordinal > next->ordinal; place--)
		pending[place] = pending[place - 1];
	pending[place] = next;
	(*pending_count)++;
}

bool
corrections_resolve(struct db *db, struct admitted *keys, size_t count, int64_t batch_id, struct arena *arena,
    struct reversals *out, struct error *err)
{
	struct admitted **pending = arena_take(arena, (count + 1) * sizeof *pending);
	size_t pending_count = 0;

	*out = (struct reversals){0};
	for (size_t i = 0; i < count; i++)
		if (keys[i].admission == ADMISSION_NEW && keys[i].record->event.kind != EVENT_USAGE)
			pending[pending_count++] = &keys[i];
	if (pending_count == 0)
		return true;
	/* In the order they were written: a correction of a correction comes after it. */
	qsort(pending, pending_count, sizeof *pending, by_ordinal);
	out->items = arena_take(arena, count * sizeof *out->items);
	for (size_t i = 0; i < pending_count && !out->overtaken; i++) {
		if (!resolve_one(db, keys, count, pending[i], batch_id, arena, out, err))
			return false;
		if (pending[i]->admission == ADMISSION_REFUSED)
			let_repeat_try(pending[i], keys + count, pending, &pending_count);
	}
	return true;
}
