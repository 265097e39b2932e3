/* provisional.c -- see provisional.h. */
#include "ledger/provisional.h"

#include <string.h>

#include "base/digest.h"
#include "ledger/distribute.h"

enum { ID_BYTES = 256 }; /* as readers limit an id */

/* Usage that is in conflict with what was booked under its identity. */
static bool
is_in_question(const struct admitted *key)
{
	return key->admission == ADMISSION_CONFLICT && key->record->event.kind == EVENT_USAGE;
}

static bool
is_partial(const struct usage_event *event)
{
	return (event->flags & F_PARTIAL) != 0;
}

/* The event becomes the correction of the one that was booked under its identity. */
static bool
correct_booked(struct admitted *key, struct arena *arena)
{
	struct usage_event *event = &key->record->event;
	size_t length = event->id.length + strlen(PROVISIONAL_FINAL);

	if (length > ID_BYTES)
		return false;
	event->kind = EVENT_CORRECTION;
	event->ref_source = event->source;
	event->ref_id = event->id;
	event->id =
	    (struct bytes){arena_format(arena, "%.*s%s", (int)event->ref_id.length, event->ref_id.at, PROVISIONAL_FINAL), length};
	event_identify(event);
	key->is_final = true;
	return true;
}

/* True where the event has another identity now. */
static bool
settle_one(struct admitted *key, bool booked_partial, struct arena *arena)
{
	bool partial = is_partial(&key->record->event);

	if (booked_partial && !partial)
		return correct_booked(key, arena);
	if (!booked_partial && partial)
		key->admission = ADMISSION_DUPLICATE;
	return false;
}

/* Settles what is in conflict with an event of this batch, and lists what was booked before. */
static bool
settle_batch(struct admitted *keys, size_t count, struct arena *arena, struct text *ids)
{
	bool changed = false;
	char hex[33];

	for (size_t i = 0, first = 0, listed = count; i < count; i++) {
		if (!keys_same_identity(&keys[first], &keys[i]))
			first = i;
		if (!is_in_question(&keys[i]))
			continue;
		if (keys[first].admission == ADMISSION_NEW) {
			if (keys[first].record->event.kind == EVENT_USAGE)
				changed |= settle_one(&keys[i], is_partial(&keys[first].record->event), arena);
			continue;
		}
		if (listed == first)
			continue;
		text_add(ids, ids->length == 0 ? "{" : ",", 1);
		text_add_string(ids, digest_hex(keys[i].record->event.event_id.byte, 16, hex));
		listed = first;
	}
	if (ids->length > 0)
		text_add(ids, "}", 1);
	return changed;
}

/* Settles what is in conflict with usage that was booked before: columns of usage_flags.sql. */
static bool
settle_booked(struct admitted *keys, size_t count, const struct rows *rows, struct arena *arena)
{
	bool changed = false;

	for (int row = 0; row < rows->count; row++) {
		bool booked_partial = (row_number(rows, row, 1) & F_PARTIAL) != 0;
		struct id128 id;
		size_t first, at;

		digest_unhex(row_text(rows, row, 0), sizeof id.byte, id.byte);
		first = keys_find(keys, count, &id);
		must(first < count);
		for (at = first; at < count && keys_same_identity(&keys[at], &keys[first]); at++)
			if (is_in_question(&keys[at]))
				changed |= settle_one(&keys[at], booked_partial, arena);
	}
	return changed;
}

/* The flags that these identities were booked with, as many as are usage: what has none may be on its way. */
static bool
find_flags(struct db *db, const char *ids, struct rows *rows, struct error *err)
{
	int asked = 1;
	bool waited, fine;

	for (const char *at = ids; *at != '\0'; at++)
		asked += *at == ',';
	if (!db_rows(db, SQL_LEDGER_USAGE_FLAGS, PARAMS(ids), rows, err))
		return false;
	if (rows->count == asked)
		return true;
	fine = rows_await(db, ids, &waited, err);
	if (fine && !waited)
		return true;
	rows_release(rows);
	return fine && db_rows(db, SQL_LEDGER_USAGE_FLAGS, PARAMS(ids), rows, err);
}

/* What is archived cannot tell whether it was provisional: what differs from it waits until its month is attached. */
static bool
refuse_archived(struct db *db, struct admitted *keys, size_t count, const char *ids, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_LEDGER_ARCHIVED_AMONG, PARAMS(ids), &rows, err))
		return false;
	for (int row = 0; row < rows.count; row++) {
		struct id128 id;

		digest_unhex(row_text(&rows, row, 0), sizeof id.byte, id.byte);
		for (size_t first = keys_find(keys, count, &id), at = first;
		     at < count && keys_same_identity(&keys[at], &keys[first]); at++) {
			if (!is_in_question(&keys[at]))
				continue;
			keys[at].admission = ADMISSION_REFUSED;
			keys[at].record->reason = E_ARCHIVED;
			keys[at].record->field = "id";
			keys[at].record->value = keys[at].record->event.id;
		}
	}
	rows_release(&rows);
	return true;
}

bool
provisional_settle(struct db *db, struct admitted *keys, size_t count, struct arena *arena, bool *changed, struct error *err)
{
	struct text ids = {0};
	struct rows rows;
	bool fine = true;

	*changed = settle_batch(keys, count, arena, &ids);
	if (ids.length > 0) {
		fine = find_flags(db, text_string(&ids), &rows, err);
		if (fine) {
			*changed |= settle_booked(keys, count, &rows, arena);
			rows_release(&rows);
			/* What changed is looked up again, and then the others are in question again, too. */
			fine = *changed || refuse_archived(db, keys, count, text_string(&ids), err);
		}
	}
	text_release(&ids);
	return fine;
}

void
provisional_undo(struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct usage_event *event = &keys[i].record->event;

		if (!keys[i].is_final)
			continue;
		event->kind = EVENT_USAGE;
		event->id = event->ref_id;
		event->ref_source = event->ref_id = (struct bytes){NULL, 0};
		event_identify(event);
		keys[i].is_final = false;
	}
}
