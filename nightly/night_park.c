/* night_park.c -- the step park: what is due tonight and must not go out before somebody has looked at it. */
#include <stdlib.h>

#include "base/index.h"
#include "base/money.h"
#include "ledger/books.h"
#include "ledger/parked.h"
#include "nightly/night.h"
#include "rating/rating_stored.h"
#include "reports/check.h"

struct parking_night {
	struct night *night;
	struct run *run;
	const char *now, *grace; /* parameters of the queries */
	struct rows due;         /* of park_due.sql */
	struct parkings held, jumped, foreign, different;
	struct index due_index; /* "TENANT\nPERIOD" of `due` */
};

/* Columns of park_due.sql. */
enum { DUE_TENANT, DUE_PERIOD, DUE_CURRENCY, DUE_MINOR_UNITS, DUE_NET, DUE_HIGHEST, DUE_INVOICES };

static const char *
due_key(struct run *run, const char *tenant, const char *period)
{
	return arena_format(&run->arena, "%s\n%s", tenant, period);
}

static bool
load_due(struct parking_night *parking, struct error *err)
{
	struct run *run = parking->run;

	if (!db_rows(run->db, SQL_NIGHTLY_PARK_DUE, PARAMS(parking->now, parking->grace), &parking->due, err))
		return false;
	for (int i = 0; i < parking->due.count; i++) {
		const char *key = due_key(run, row_text(&parking->due, i, DUE_TENANT), row_text(&parking->due, i, DUE_PERIOD));
		bool is_new;

		(void)index_number(&parking->due_index, key, strlen(key), &is_new);
	}
	return true;
}

/* --- held_above_limit ------------------------------------------------------------------------ */

/* A worth that is no decimal any more is above every limit. */
static bool
is_above(const struct config *config, const char *worth, const char *currency)
{
	struct decimal limit = {0}, value;
	struct error ignored;

	if (!config_limit(config, "limits.held", currency, &limit))
		limit = (struct decimal){0};
	return !decimal_parse(worth, strlen(worth), &value, &ignored) || decimal_compare(value, limit) > 0;
}

/* Columns of park_held.sql. */
enum { HELD_TENANT, HELD_PERIOD, HELD_CURRENCY, HELD_WORTH, HELD_COUNT, HELD_REASONS, HELD_KNOWN, HELD_UNKNOWN, HELD_UNITS };

static const char *
held_detail(struct run *run, const struct rows *held, int row)
{
	const char *currency = row_text(held, row, HELD_CURRENCY);

	if (row_length(held, row, HELD_WORTH) > 0)
		return arena_format(&run->arena, "%s holds (%s) of %s units, worth about %s %s", row_text(held, row, HELD_COUNT),
		    row_text(held, row, HELD_REASONS), row_text(held, row, HELD_UNITS), row_text(held, row, HELD_WORTH),
		    currency);
	return arena_format(&run->arena,
	    "%s holds (%s) of %s units, of unknown worth: %s of them; the others are worth about %s %s",
	    row_text(held, row, HELD_COUNT), row_text(held, row, HELD_REASONS), row_text(held, row, HELD_UNITS),
	    row_text(held, row, HELD_UNKNOWN), row_text(held, row, HELD_KNOWN), currency);
}

static bool
find_held(struct parking_night *parking, struct error *err)
{
	struct run *run = parking->run;
	struct rows held;

	if (!db_rows(run->db, SQL_NIGHTLY_PARK_HELD, PARAMS(parking->now, parking->grace), &held, err))
		return false;
	for (int i = 0; i < held.count; i++) {
		struct parking one = {row_text(&held, i, HELD_TENANT), row_text(&held, i, HELD_PERIOD),
		    row_text(&held, i, HELD_WORTH), row_text(&held, i, HELD_CURRENCY), held_detail(run, &held, i),
		    row_text(&held, i, HELD_UNITS)};

		if (one.measured[0] == '\0' || is_above(parking->night->config, one.measured, one.currency))
			parkings_add(&parking->held, &one);
	}
	rows_release(&held);
	return true;
}

/* --- charge_jump ----------------------------------------------------------------------------- */

static struct decimal
due_amount(const struct rows *due, int row, int column)
{
	const struct currency currency = {.minor_units = (int)row_number(due, row, DUE_MINOR_UNITS)};

	return money_exact((struct money){row_number(due, row, column), &currency});
}

static bool
is_jump(const struct config *config, struct decimal factor, const struct rows *due, int row)
{
	struct decimal net = due_amount(due, row, DUE_NET), least, most;
	struct error ignored;

	if (row_is_null(due, row, DUE_HIGHEST))
		return false;
	if (config_limit(config, "limits.charge_jump_from", row_text(due, row, DUE_CURRENCY), &least) &&
	    decimal_compare(net, least) < 0)
		return false;
	/* What leaves the range of decimals is more than any invoice. */
	return decimal_multiply(factor, due_amount(due, row, DUE_HIGHEST), ROUND_DOWN, &most, &ignored) &&
	    decimal_compare(net, most) > 0;
}

static void
add_jump(struct parking_night *parking, const char *factor, int row)
{
	const struct rows *due = &parking->due;
	struct arena *arena = &parking->run->arena;
	int64_t minor_units = row_number(due, row, DUE_MINOR_UNITS);
	const char *net = money_text(arena, row_number(due, row, DUE_NET), minor_units),
		   *currency = row_text(due, row, DUE_CURRENCY);

	parkings_add(&parking->jumped,
	    &(struct parking){row_text(due, row, DUE_TENANT), row_text(due, row, DUE_PERIOD), net, currency,
		arena_format(arena, "net %s %s is more than %s times %s, the highest of the last %s invoices", net, currency,
		    factor, money_text(arena, row_number(due, row, DUE_HIGHEST), minor_units), row_text(due, row, DUE_INVOICES)),
		""});
}

static bool
find_jumps(struct parking_night *parking, struct error *err)
{
	const char *text = config_text(parking->night->config, "limits.charge_jump");
	struct decimal factor;

	if (!decimal_parse(text, strlen(text), &factor, err))
		return error_wrap(err, "limits.charge_jump");
	for (int i = 0; factor.e18 > 0 && i < parking->due.count; i++)
		if (is_jump(parking->night->config, factor, &parking->due, i))
			add_jump(parking, text, i);
	return true;
}

/* --- currency_mismatch ----------------------------------------------------------------------- */

static bool
find_foreign(struct parking_night *parking, struct error *err)
{
	enum { TENANT, PERIOD, CURRENCY, COUNT, OTHERS };
	struct run *run = parking->run;
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_PARK_CURRENCIES, PARAMS(parking->now, parking->grace), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		parkings_add(&parking->foreign,
		    &(struct parking){row_text(&rows, i, TENANT), row_text(&rows, i, PERIOD), row_text(&rows, i, COUNT), "",
			arena_format(&run->arena, "%s charges in %s, and its contract is in %s: there is no draft",
			    row_text(&rows, i, COUNT), row_text(&rows, i, OTHERS), row_text(&rows, i, CURRENCY)),
			""});
	rows_release(&rows);
	return true;
}

/* --- reconcile_difference -------------------------------------------------------------------- */

static void
add_difference(struct parking_night *parking, const char *tenant, const char *period, const char *what)
{
	const char *key = due_key(parking->run, tenant, period);

	if (index_has(&parking->due_index, key, strlen(key)))
		parkings_add(&parking->different, &(struct parking){tenant, period, "1", "", what, ""});
}

static void
note_difference(void *context, enum statement_id check, const struct rows *rows, int row)
{
	struct parking_night *parking = context;
	const char *tenant = check_column(rows, row, "tenant"), *period = check_column(rows, row, "period");

	must(tenant != NULL && period != NULL);
	add_difference(parking, tenant, period, check_title(parking->run, check));
}

static void
note_digest(void *context, const char *period, const char *tenant)
{
	add_difference(context, tenant, period, "charges and holds in force = the digests of their ratings");
}

static bool
scope_checks(struct parking_night *parking, struct error *err)
{
	const char *first = row_text(&parking->due, 0, DUE_PERIOD);
	struct rows rows;

	for (int i = 1; i < parking->due.count; i++)
		if (strcmp(row_text(&parking->due, i, DUE_PERIOD), first) < 0)
			first = row_text(&parking->due, i, DUE_PERIOD);
	if (!db_one_row(parking->run->db, SQL_REPORTS_CHECK_SCOPE, PARAMS(first), &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

static bool
find_differences(struct parking_night *parking, struct error *err)
{
	if (parking->due.count == 0)
		return true;
	return scope_checks(parking, err) &&
	    check_each(parking->run, SQL_CHECKS_2_INTERVALS_ARE_CHARGED_OR_HELD, note_difference, parking, err) &&
	    check_each(parking->run, SQL_CHECKS_3_AMOUNTS_ARE_QUANTITY_TIMES_PRICE, note_difference, parking, err) &&
	    ratings_stored_verify(parking->run, note_digest, parking, err);
}

/* --- the step -------------------------------------------------------------------------------- */

/* Tells of each reason in its turn, and how many are parked for it now. */
static bool
settle_one(
    struct parking_night *parking, const char *reason, const struct parkings *found, struct night_told *told, struct error *err)
{
	int64_t parked;

	if (!parked_settle(parking->run, reason, found, &parked, err))
		return false;
	if (parked > 0) {
		text_add_format(&told->line, "; %s: %lld", reason, (long long)parked);
		told->findings = true;
	}
	text_add_format(&told->json, ",\"%s\":%lld", reason, (long long)parked);
	return true;
}

static bool
settle(struct parking_night *parking, struct night_told *told, struct error *err)
{
	text_add_format(&told->line, "%d drafts are due", parking->due.count);
	text_add_format(&told->json, "\"due\":%d", parking->due.count);
	return settle_one(parking, PARKED_HELD, &parking->held, told, err) &&
	    settle_one(parking, PARKED_JUMP, &parking->jumped, told, err) &&
	    settle_one(parking, PARKED_CURRENCY, &parking->foreign, told, err) &&
	    settle_one(parking, PARKED_DIFFERENCE, &parking->different, told, err);
}

/* The checks come last: they turn some of the planner's ways off until the transaction ends. */
static bool
park_all(struct parking_night *parking, struct night_told *told, struct error *err)
{
	return books_lock(parking->run, err) && load_due(parking, err) && find_held(parking, err) && find_jumps(parking, err) &&
	    find_foreign(parking, err) && find_differences(parking, err) && settle(parking, told, err);
}

static void
parking_release(struct parking_night *parking)
{
	if (parking->due.result != NULL)
		rows_release(&parking->due);
	parkings_release(&parking->held);
	parkings_release(&parking->jumped);
	parkings_release(&parking->foreign);
	parkings_release(&parking->different);
	index_release(&parking->due_index);
}

bool
night_park(struct night *night, struct night_told *told, struct error *err)
{
	struct run *run = night->run;
	struct parking_night parking = {.night = night,
	    .run = run,
	    .now = param_instant(&run->arena, run->now),
	    .grace = param_number(&run->arena, config_number(night->config, "night.grace_hours"))};
	bool fine;

	if (!db_begin(run->db, err))
		return false;
	fine = park_all(&parking, told, err);
	if (fine)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	parking_release(&parking);
	return fine;
}
