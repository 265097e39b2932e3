/* rerate.c -- see rerate.h. */
#include "rating/rerate.h"

#include <string.h>

#include "ledger/audit.h"
#include "ledger/credit_note.h"
#include "ledger/reason.h"
#include "ledger/role.h"
#include "rating/price_files.h"
#include "rating/rate_run.h"
#include "rating/rerate_compare.h"

/* --- what both do ----------------------------------------------------------------------------- */

bool
rerate_get(struct run *run, const char *rerate_id, struct rows *out, struct error *err)
{
	i128 number;

	if (!integer_parse(rerate_id, strlen(rerate_id), &number, err) || number < 1 || number > INT64_MAX) {
		error_set(err, ERROR_USAGE, "\"%s\" is not the number of a re-rate", rerate_id);
		return error_hint(err, "tollbook rerate list shows them.");
	}
	if (!db_rows(run->db, SQL_RATING_RERATE_GET, PARAMS(rerate_id), out, err))
		return false;
	if (out->count == 1)
		return true;
	rows_release(out);
	error_set(err, ERROR_STATE, "there is no re-rate %s", rerate_id);
	return error_hint(err, "tollbook rerate list shows them.");
}

/* "acme, beta and 3 more" of the first column. */
static const char *
some_of(struct run *run, const struct rows *rows)
{
	enum { SHOWN = 3 };
	struct text text = {0};
	const char *kept;

	for (int i = 0; i < rows->count && i < SHOWN; i++)
		text_add_format(&text, "%s%s", i == 0 ? "" : ", ", row_text(rows, i, 0));
	if (rows->count > SHOWN)
		text_add_format(&text, " and %d more", rows->count - SHOWN);
	kept = arena_copy(&run->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

/* A difference that misses usage is not worth approving, and one that usage came for since is not what was approved. */
static bool
refuse_not_rated(struct run *run, const char *period, const char *tenant, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(run->db, SQL_RATING_RERATE_NOT_RATED, PARAMS(period, tenant), &rows, err))
		return false;
	fine = rows.count == 0;
	if (!fine) {
		error_set(err, ERROR_STATE, "something of %s is not rated yet, of %s", period, some_of(run, &rows));
		error_hint(err, "tollbook rate first: a difference that misses usage is not worth approving.");
	}
	rows_release(&rows);
	return fine;
}

/* In a transaction with the lock held, and the row of the re-rate there. */
static bool
rate_all_again(struct run *run, const char *rerate_id, struct rate_again scope, int64_t *rating_run, struct error *err)
{
	struct rate_again_result result;

	if (!db_change(run->db, SQL_RATING_RERATE_SUBSTITUTE, PARAMS(rerate_id), -1, err) ||
	    !rate_again(run, scope, &result, err))
		return false;
	*rating_run = result.rating_run;
	return true;
}

static bool
write_audit(struct run *run, const char *action, const char *rerate_id, const char *reason, const char *ticket,
    const char *before, const char *after, struct error *err)
{
	const struct audit entry = {.action = action,
	    .subject = arena_format(&run->arena, "rerate:%s", rerate_id),
	    .reason = reason,
	    .ticket = ticket,
	    .before = before,
	    .after = after};

	return audit_add(run, &entry, err);
}

/* "USD 10 to 12 (up 2, down 0), closed periods: 1": what is written to the audit log of it. */
static bool
summary(struct run *run, const char *rerate_id, const char **out, struct error *err)
{
	enum { CURRENCY, OLD_AMOUNT, NEW_AMOUNT, DIFFERENCE, UP, DOWN, PERIODS, CLOSED };
	struct text text = {0};
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_RERATE_TOTALS, PARAMS(rerate_id), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		text_add_format(&text, "%s%s %s to %s (up %s, down %s), closed periods: %s", i == 0 ? "" : "; ",
		    row_text(&rows, i, CURRENCY), row_text(&rows, i, OLD_AMOUNT), row_text(&rows, i, NEW_AMOUNT),
		    row_text(&rows, i, UP), row_text(&rows, i, DOWN), row_text(&rows, i, CLOSED));
	*out = arena_copy(&run->arena, text.bytes, text.length);
	text_release(&text);
	rows_release(&rows);
	return true;
}

/* --- plan ------------------------------------------------------------------------------------- */

struct planning {
	struct run *run;
	const struct rerate_scope *scope;
	const char *rerate_id, *version_id; /* version_id: NULL for the prices in force */
	struct rerate_comparison comparison;
	bool second_person;
};

static bool
find_prices(struct planning *planning, struct error *err)
{
	struct run *run = planning->run;
	const char *word = planning->scope->prices, *book;
	struct rows rows;
	int version;

	if (word == NULL)
		return true;
	if (!price_word_split(run, word, &book, &version, err) ||
	    !db_rows(run->db, SQL_RATING_RERATE_PRICES, PARAMS(book, param_number(&run->arena, version)), &rows, err))
		return false;
	if (rows.count > 0)
		planning->version_id = arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	if (planning->version_id != NULL)
		return true;
	error_set(err, ERROR_STATE, "there is no published price book \"%s\"", word);
	return error_hint(err, "tollbook prices list shows what there is; tollbook prices publish adds a version.");
}

static bool
next_number(struct planning *planning, struct error *err)
{
	struct rows rows;

	if (!db_one_row(planning->run->db, SQL_RATING_RERATE_NEXT, NO_PARAMS, &rows, err))
		return false;
	planning->rerate_id = arena_copy(&planning->run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	return true;
}

static bool
add_rerate(struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;
	struct run *run = planning->run;

	return db_change(run->db, SQL_RATING_RERATE_ADD,
	    PARAMS(planning->rerate_id, scope->period, scope->tenant, scope->model, planning->version_id, scope->reason,
		scope->ticket, scope->note, planning->second_person ? "true" : "false", param_instant(&run->arena, run->now),
		run->by),
	    1, err);
}

/* Does all of it, looks at what came of it, and takes it back. */
static bool
try_out(struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;
	struct run *run = planning->run;
	int64_t rating_run;

	return db_savepoint(run->db, err) && add_rerate(planning, err) &&
	    rate_all_again(
		run, planning->rerate_id, (struct rate_again){scope->period, scope->tenant, scope->model}, &rating_run, err) &&
	    rerate_compare(run, planning->rerate_id, param_number(&run->arena, rating_run), &planning->comparison, err) &&
	    db_rollback_to_savepoint(run->db, err) && db_release_savepoint(run->db, err);
}

static bool
refuse_nothing(const struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;

	if (planning->comparison.item_count > 0)
		return true;
	error_set(err, ERROR_STATE, "nothing of %s is rated%s%s%s%s", scope->period,
	    scope->tenant[0] == '\0' ? "" : " of tenant ", scope->tenant, scope->model[0] == '\0' ? "" : " with model ",
	    scope->model);
	return error_hint(err, "tollbook rate makes ratings; tollbook tenant list shows tenants.");
}

/* A version of a book that prices nobody would change nothing, and it would look as if the prices were right. */
static bool
refuse_strange_prices(struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;
	struct run *run = planning->run;
	struct rows rows;
	bool fine;

	if (planning->version_id == NULL)
		return true;
	if (!db_one_row(
		run->db, SQL_RATING_RERATE_PRICED, PARAMS(planning->version_id, scope->period, scope->tenant), &rows, err))
		return false;
	fine = row_bool(&rows, 0, 0);
	if (!fine) {
		error_set(err, ERROR_STATE, "%s prices nothing of %s%s%s: it stands in for versions of its own book alone",
		    scope->prices, scope->period, scope->tenant[0] == '\0' ? "" : " of tenant ", scope->tenant);
		error_hint(err, "Name a version of a book in the contracts: %s.",
		    row_length(&rows, 0, 1) == 0 ? "none is" : row_text(&rows, 0, 1));
	}
	rows_release(&rows);
	return fine;
}

static bool
judge_second_person(struct planning *planning, struct error *err)
{
	const struct rerate_comparison *comparison = &planning->comparison;

	for (size_t i = 0; i < comparison->gross_count; i++) {
		const struct rerate_gross *gross = &comparison->gross[i];
		struct money limit;

		if (!role_approval_limit(planning->run, gross->currency, &limit, err))
			return false;
		if (decimal_compare(gross->amount, money_exact(limit)) > 0)
			planning->second_person = true;
	}
	return true;
}

static bool
store_plan(struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;
	struct run *run = planning->run;
	const char *after;

	return add_rerate(planning, err) &&
	    db_copy_in_text(run->db, SQL_RATING_RERATE_ITEM_COPY, &planning->comparison.items, err) &&
	    db_copy_in_text(run->db, SQL_RATING_RERATE_DIFFERENCE_COPY, &planning->comparison.differences, err) &&
	    summary(run, planning->rerate_id, &after, err) &&
	    write_audit(run, "rerate plan", planning->rerate_id, scope->reason, scope->ticket, "", after, err);
}

static bool
plan_within(struct planning *planning, struct error *err)
{
	const struct rerate_scope *scope = planning->scope;
	struct run *run = planning->run;

	return rate_lock(run, err) && reason_check(run, scope->reason, "rerate", err) && find_prices(planning, err) &&
	    refuse_not_rated(run, scope->period, scope->tenant, err) && next_number(planning, err) && try_out(planning, err) &&
	    refuse_nothing(planning, err) && refuse_strange_prices(planning, err) && judge_second_person(planning, err) &&
	    store_plan(planning, err);
}

bool
rerate_plan(struct run *run, const struct rerate_scope *scope, const char **rerate_id, struct error *err)
{
	struct planning planning = {.run = run, .scope = scope};
	bool fine = db_begin(run->db, err) && plan_within(&planning, err) && db_commit(run->db, err);

	if (!fine)
		db_rollback(run->db);
	rerate_comparison_release(&planning.comparison);
	*rerate_id = planning.rerate_id;
	return fine;
}

/* --- decide ----------------------------------------------------------------------------------- */

static bool
refuse_own_approval(struct run *run, const char *rerate_id, const struct rows *rerate, struct error *err)
{
	if (!row_bool(rerate, 0, RERATE_SECOND_PERSON) || strcmp(row_text(rerate, 0, RERATE_PLANNED_BY), run->by) != 0)
		return true;
	error_set(err, ERROR_STATE, "%s planned re-rate %s: somebody else must approve it", run->by, rerate_id);
	return error_hint(err, "Its differences are above the limit; tollbook role list shows the limits.");
}

static bool
refuse_state(const char *rerate_id, const char *state, const char *wanted, struct error *err)
{
	error_set(err, ERROR_STATE, "re-rate %s is %s: it cannot be %s", rerate_id, state, wanted);
	return error_hint(err, "Plan another one: tollbook rerate plan.");
}

static bool
add_decision(
    struct run *run, const char *rerate_id, const char *decision, const char *note, const char *rating_run, struct error *err)
{
	return db_change(run->db, SQL_RATING_RERATE_DECISION_ADD,
	    PARAMS(rerate_id, decision, run->by, param_instant(&run->arena, run->now), note, rating_run), 1, err);
}

static bool
decide_within(
    struct run *run, const char *rerate_id, const struct rows *rerate, bool approve, const char *note, struct error *err)
{
	const char *state = row_text(rerate, 0, RERATE_STATE), *decision = approve ? "approved" : "rejected";

	if (strcmp(state, decision) == 0 || (approve && strcmp(state, "applied") == 0)) {
		say(run, "re-rate %s is %s already; nothing was done", rerate_id, state);
		return true;
	}
	/* What was approved and cannot be applied any more is rejected, or it would keep the month from closing. */
	if (strcmp(state, "planned") != 0 && (approve || strcmp(state, "approved") != 0))
		return refuse_state(rerate_id, state, decision, err);
	if (approve && !refuse_own_approval(run, rerate_id, rerate, err))
		return false;
	if (!add_decision(run, rerate_id, decision, note, NULL, err) ||
	    !write_audit(run, approve ? "rerate approve" : "rerate reject", rerate_id, row_text(rerate, 0, RERATE_REASON),
		row_text(rerate, 0, RERATE_TICKET), state, decision, err))
		return false;
	say(run, "re-rate %s is %s", rerate_id, decision);
	return true;
}

bool
rerate_decide(struct run *run, const char *rerate_id, bool approve, const char *note, struct error *err)
{
	struct rows rerate;
	bool fine = db_begin(run->db, err);

	if (fine && rerate_get(run, rerate_id, &rerate, err)) {
		fine = decide_within(run, rerate_id, &rerate, approve, note, err);
		rows_release(&rerate);
	} else {
		fine = false;
	}
	fine = fine && db_commit(run->db, err);
	if (!fine)
		db_rollback(run->db);
	return fine;
}

/* --- apply ------------------------------------------------------------------------------------ */

/* Refuses where a statement finds a tenant's period that is not as planned. */
static bool
refuse_moved(struct run *run, enum statement_id find, struct params params, const char *rerate_id, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(run->db, find, params, &rows, err))
		return false;
	fine = rows.count == 0;
	if (!fine) {
		error_set(err, ERROR_STATE, "the books moved on since re-rate %s was planned: %s of %s is not what it was",
		    rerate_id, row_text(&rows, 0, 1), row_text(&rows, 0, 0));
		error_hint(err, "Plan again: tollbook rerate plan.  What was approved is not what applying it would do now.");
	}
	rows_release(&rows);
	return fine;
}

/* Credits are undone with the rest: what they paid too much of is no money, and they have it back at once. */
static bool
give_credits_back(struct run *run, const char *rerate_id, const struct rows *rerate, struct error *err)
{
	struct rows invoices;
	bool fine;

	if (!db_rows(run->db, SQL_RATING_ADJUSTMENT_TO_RESTORE, PARAMS(rerate_id), &invoices, err))
		return false;
	fine = true;
	for (int i = 0; fine && i < invoices.count; i++) {
		struct credits_given_back given;

		fine = credit_note_for_credits(run, row_text(&invoices, i, 0), rerate_id, row_text(&invoices, i, 1),
		    row_text(rerate, 0, RERATE_REASON), row_text(rerate, 0, RERATE_TICKET), &given, err);
		if (fine && given.impossible)
			say(run, "credits paid too much of %s, and have nothing back: it is written off as uncollectible",
			    row_text(&invoices, i, 2));
	}
	rows_release(&invoices);
	return fine;
}

/* Where the contract wants it, and the invoice has room for it. */
static bool
issue_credit_notes(struct run *run, const char *rerate_id, const struct rows *rerate, struct error *err)
{
	struct rows invoices;
	bool fine;

	if (!db_rows(run->db, SQL_RATING_ADJUSTMENT_TO_CREDIT, PARAMS(rerate_id), &invoices, err))
		return false;
	fine = true;
	for (int i = 0; fine && i < invoices.count; i++) {
		const char *number;

		fine = credit_note_for_adjustments(run, row_text(&invoices, i, 0), rerate_id, row_text(rerate, 0, RERATE_REASON),
		    row_text(rerate, 0, RERATE_TICKET), &number, err);
	}
	rows_release(&invoices);
	return fine;
}

static bool
book_adjustments(struct run *run, const char *rerate_id, const struct rows *rerate, const char *rating_run, struct error *err)
{
	const char *now = param_instant(&run->arena, run->now);

	return db_change(run->db, SQL_RATING_ADJUSTMENT_ADD, PARAMS(rerate_id, rating_run, now, run->by), -1, err) &&
	    db_change(run->db, SQL_RATING_ADJUSTMENT_UNWAIVE, PARAMS(rerate_id, now, run->by), -1, err) &&
	    give_credits_back(run, rerate_id, rerate, err) && issue_credit_notes(run, rerate_id, rerate, err);
}

static bool
finish(struct run *run, const char *rerate_id, const struct rows *rerate, const char *note, const char *rating_run,
    struct error *err)
{
	const char *after;

	return add_decision(run, rerate_id, "applied", note, rating_run, err) && summary(run, rerate_id, &after, err) &&
	    write_audit(run, "rerate apply", rerate_id, row_text(rerate, 0, RERATE_REASON), row_text(rerate, 0, RERATE_TICKET),
		"approved", arena_format(&run->arena, "applied by run %s: %s", rating_run, after), err);
}

/* What it books is not booked before it was decided on. */
static bool
refuse_before_plan(const struct run *run, const char *rerate_id, const struct rows *rerate, struct error *err)
{
	char now[INSTANT_TEXT];

	if (strncmp(instant_format(run->now, now), row_text(rerate, 0, RERATE_PLANNED_AT), strlen("YYYY-MM-DDTHH:MM:SS")) >= 0)
		return true;
	error_set(err, ERROR_STATE, "re-rate %s was planned at %s: it is not applied at %s", rerate_id,
	    row_text(rerate, 0, RERATE_PLANNED_AT), now);
	return error_hint(err, "Do it with a date (--as-of) that is not before the plan's.");
}

static bool
apply_planned(
    struct run *run, const char *rerate_id, const struct rows *rerate, const char *note, int64_t *rating_run, struct error *err)
{
	const struct rate_again scope = {
	    row_text(rerate, 0, RERATE_PERIOD), row_text(rerate, 0, RERATE_TENANT), row_text(rerate, 0, RERATE_MODEL)};
	const char *made_by;

	if (!refuse_before_plan(run, rerate_id, rerate, err) || !refuse_not_rated(run, scope.period, scope.tenant, err) ||
	    !refuse_moved(run, SQL_RATING_RERATE_SUPERSEDED, PARAMS(rerate_id), rerate_id, err) ||
	    !rate_all_again(run, rerate_id, scope, rating_run, err))
		return false;
	made_by = param_number(&run->arena, *rating_run);
	return refuse_moved(run, SQL_RATING_RERATE_MOVED, PARAMS(rerate_id, made_by), rerate_id, err) &&
	    book_adjustments(run, rerate_id, rerate, made_by, err) && finish(run, rerate_id, rerate, note, made_by, err);
}

static bool
apply_within(struct run *run, const char *rerate_id, const struct rows *rerate, const char *note, struct rerate_applied *out,
    struct error *err)
{
	const char *state = row_text(rerate, 0, RERATE_STATE);

	out->before = strcmp(state, "applied") == 0;
	out->rating_run = row_number(rerate, 0, RERATE_RUN);
	if (out->before)
		return true;
	if (strcmp(state, "rejected") == 0)
		return refuse_state(rerate_id, state, "applied", err);
	if (strcmp(state, "approved") != 0) {
		error_set(err, ERROR_STATE, "re-rate %s is not approved", rerate_id);
		return error_hint(err, "tollbook rerate approve %s%s", rerate_id,
		    row_bool(rerate, 0, RERATE_SECOND_PERSON) ? ", by somebody other than who planned it" : "");
	}
	return apply_planned(run, rerate_id, rerate, note, &out->rating_run, err);
}

bool
rerate_apply(struct run *run, const char *rerate_id, const char *note, struct rerate_applied *out, struct error *err)
{
	struct rows rerate;
	bool fine = db_begin(run->db, err) && rate_lock(run, err);

	*out = (struct rerate_applied){0};
	if (fine && rerate_get(run, rerate_id, &rerate, err)) {
		fine = apply_within(run, rerate_id, &rerate, note, out, err);
		rows_release(&rerate);
	} else {
		fine = false;
	}
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	return fine;
}
