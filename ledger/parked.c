/* parked.c -- see parked.h. */
#include "ledger/parked.h"

#include <stdlib.h>

#include "ledger/audit.h"

void
parkings_add(struct parkings *parkings, const struct parking *parking)
{
	struct arena *arena = &parkings->arena;

	parkings->item = memory_grow(parkings->item, &parkings->room, parkings->count + 1, sizeof *parkings->item);
	parkings->item[parkings->count++] = (struct parking){
	    .tenant = arena_copy(arena, parking->tenant, strlen(parking->tenant)),
	    .period = arena_copy(arena, parking->period, strlen(parking->period)),
	    .measured = arena_copy(arena, parking->measured, strlen(parking->measured)),
	    .currency = arena_copy(arena, parking->currency, strlen(parking->currency)),
	    .detail = arena_copy(arena, parking->detail, strlen(parking->detail)),
	    .extent = parking->extent == NULL ? "" : arena_copy(arena, parking->extent, strlen(parking->extent)),
	};
}

void
parkings_add_error(struct parkings *parkings, const char *tenant, const char *period, const struct error *err)
{
	struct text detail = {0};

	text_add_string(&detail, err->message);
	if (err->file[0] != '\0')
		text_add_format(&detail, ", in %s", err->file);
	if (err->field[0] != '\0')
		text_add_format(&detail, ", %s: %s", err->field, err->value);
	if (err->detail[0] != '\0')
		text_add_format(&detail, ". %s", err->detail);
	if (err->hint[0] != '\0')
		text_add_format(&detail, "%s%s", err->detail[0] != '\0' ? " " : ". ", err->hint);
	parkings_add(parkings, &(struct parking){tenant, period, "", "", text_string(&detail), ""});
	text_release(&detail);
}

void
parkings_release(struct parkings *parkings)
{
	free(parkings->item);
	arena_release(&parkings->arena);
	*parkings = (struct parkings){0};
}

/* --- parking ---------------------------------------------------------------------------------- */

enum { FIELDS = sizeof(struct parking) / sizeof(const char *) };

static const char *
field_of(const struct parking *parking, int field)
{
	const char *const fields[FIELDS] = {
	    parking->tenant, parking->period, parking->measured, parking->currency, parking->detail, parking->extent};

	return fields[field];
}

/* An array for each field, with what all of the list say there. */
static void
list_fields(const struct parkings *parkings, struct text lists[FIELDS])
{
	const char **values = memory_new(parkings->count, sizeof *values);

	for (int field = 0; field < FIELDS; field++) {
		for (size_t i = 0; i < parkings->count; i++)
			values[i] = field_of(&parkings->item[i], field);
		text_add_elements(&lists[field], values, parkings->count);
	}
	free(values);
}

/* parked_settle.sql with `lifts` true lets go what is not on the list. */
static bool
settle(struct run *run, const char *reason, const struct parkings *parkings, bool lifts, int64_t *now, struct error *err)
{
	struct text lists[FIELDS] = {0};
	struct rows rows;
	bool fine;

	list_fields(parkings, lists);
	fine = db_one_row(run->db, SQL_LEDGER_PARKED_SETTLE,
	    PARAMS(reason, text_string(&lists[0]), text_string(&lists[1]), text_string(&lists[2]), text_string(&lists[3]),
		text_string(&lists[4]), text_string(&lists[5]), param_instant(&run->arena, run->now), run->by,
		lifts ? "true" : "false"),
	    &rows, err);
	for (int field = 0; field < FIELDS; field++)
		text_release(&lists[field]);
	if (!fine)
		return error_wrap(err, "parking tenants (%s)", reason);
	*now = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

bool
parked_settle(struct run *run, const char *reason, const struct parkings *parkings, int64_t *now, struct error *err)
{
	return settle(run, reason, parkings, true, now, err);
}

bool
parked_add(struct run *run, const char *reason, const struct parking *parking, struct error *err)
{
	struct parkings one = {0};
	int64_t now;
	bool fine;

	parkings_add(&one, parking);
	fine = settle(run, reason, &one, false, &now, err);
	parkings_release(&one);
	return fine;
}

bool
parked_lift(struct run *run, const char *reason, const char *tenant, const char *period, struct error *err)
{
	return db_change(run->db, SQL_LEDGER_PARKED_LIFT,
	    PARAMS(reason, tenant, period, param_instant(&run->arena, run->now), run->by), -1, err);
}

/* --- releasing -------------------------------------------------------------------------------- */

/* Columns of parked_release.sql. */
enum { RELEASED_ID, RELEASED_TENANT, RELEASED_PERIOD, RELEASED_REASON, RELEASED_MEASURED, RELEASED_CURRENCY, RELEASED_DETAIL };

static bool
check_ids(const struct parked_wish *wish, struct error *err)
{
	for (int i = 0; i < wish->id_count; i++) {
		struct error ignored;
		i128 id;

		if (integer_parse(wish->ids[i], strlen(wish->ids[i]), &id, &ignored) && id > 0 && id <= INT64_MAX)
			continue;
		error_set(err, ERROR_USAGE, "\"%s\" is no number of something parked", wish->ids[i]);
		return error_hint(err, "tollbook parked list shows what is parked, with its numbers.");
	}
	return true;
}

/* A number that nothing is parked under is a mistake, and then nothing is released. */
static bool
check_all_released(const struct parked_wish *wish, const struct rows *released, struct error *err)
{
	for (int i = 0; i < wish->id_count; i++) {
		i128 id = 0;
		bool found = false;

		must(integer_parse(wish->ids[i], strlen(wish->ids[i]), &id, err));
		for (int row = 0; !found && row < released->count; row++)
			found = row_integer(released, row, RELEASED_ID) == id;
		if (found)
			continue;
		error_set(err, ERROR_STATE, "nothing is parked under the number %s", wish->ids[i]);
		return error_hint(err,
		    "tollbook parked list shows what is parked, with --all also what was released; nothing was released now.");
	}
	if (released->count > 0)
		return true;
	error_set(err, ERROR_STATE, "nothing of %s is parked", wish->tenant);
	return error_hint(err, "tollbook parked list shows what is parked.");
}

static bool
audit_one(struct run *run, const struct parked_wish *wish, const struct rows *released, int row, struct error *err)
{
	return audit_add(run,
	    &(struct audit){.action = "parked release",
		.subject = arena_format(
		    &run->arena, "%s of %s", row_text(released, row, RELEASED_PERIOD), row_text(released, row, RELEASED_TENANT)),
		.reason = row_text(released, row, RELEASED_REASON),
		.ticket = wish->ticket,
		.before = arena_format(
		    &run->arena, "parked %s: %s", row_text(released, row, RELEASED_ID), row_text(released, row, RELEASED_DETAIL)),
		.after = arena_format(&run->arena, "released: %s", wish->note)},
	    err);
}

static bool
release_all(struct run *run, const struct parked_wish *wish, struct rows *released, struct error *err)
{
	struct text ids = {0};
	bool fine;

	text_add_elements(&ids, (const char *const *)wish->ids, (size_t)wish->id_count);
	fine = db_rows(run->db, SQL_LEDGER_PARKED_RELEASE,
	    PARAMS(text_string(&ids), wish->tenant, wish->note, wish->ticket, param_instant(&run->arena, run->now), run->by),
	    released, err);
	text_release(&ids);
	if (!fine)
		return false;
	fine = check_all_released(wish, released, err);
	for (int row = 0; fine && row < released->count; row++)
		fine = audit_one(run, wish, released, row, err);
	if (!fine)
		rows_release(released);
	return fine;
}

bool
parked_release(struct run *run, const struct parked_wish *wish, struct rows *released, struct error *err)
{
	bool fine;

	if (!check_ids(wish, err) || !db_begin(run->db, err))
		return false;
	fine = release_all(run, wish, released, err);
	if (!fine || run->dry_run) {
		db_rollback(run->db);
		return fine;
	}
	if (db_commit(run->db, err))
		return true;
	rows_release(released);
	return false;
}
