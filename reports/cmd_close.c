/*
 * cmd_close.c -- `tollbook close`: ends a month, first softly, then for good; and opens it again where two people want it.
 *
 * What a closed month refuses, triggers of the database refuse; here is what must be true before.
 */
#include <string.h>

#include "base/table.h"
#include "ledger/audit.h"
#include "ledger/period.h"
#include "ledger/reason.h"
#include "reports/close.h"

static bool close_run(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"hard", NULL, "close a softly closed month for good: nobody posts in it any more", 0},
    {"reopen", NULL, "ask to have a closed month opened again, or do so when somebody else has asked", 0},
    {"check", NULL, "show what stands against it, and close nothing", 'c'},
    {"accept", "LIST", "take these as they stand: quarantine, holds, adjustments, with a comma between them", 0},
    {"reason", "REASON", "why: reviewed where something is accepted, correction_needed to reopen", 'r'},
    {"note", "TEXT", "who looked at it, and what was found; must be given with --accept and --reopen", 'n'},
    {"grace", "HOURS", "how long after its end a month waits for late usage; 24 when not given", 0},
    {0},
};

const struct command cmd_close = {
    .name = "close",
    .summary = "close a month after checking that it is complete; without one, list the months and their states",
    .operands = "[PERIOD]",
    .operands_max = 1,
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook close\n"
	       "  tollbook close 2026-10 --check\n"
	       "  tollbook close 2026-10 --accept quarantine,holds --reason reviewed --note 'test traffic, ticket 4711'\n"
	       "  tollbook close 2026-10 --hard\n"
	       "  tollbook close 2026-10 --reopen --reason correction_needed --note 'ticket 4712'",
    .run = close_run,
};

/* What is asked for. */
struct closing {
	struct run *run;
	struct close_scope scope;
	const char *reason, *note;
	bool hard, reopen, check;
	struct table *table;
	struct text accepted; /* what stood against it and is accepted, with the money */
	bool open;            /* something stands against it and is not */
};

/* --- the months ------------------------------------------------------------------------------ */

static bool
list_months(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"period", "period", COLUMN_TEXT}, {"state", "state", COLUMN_TEXT},
	    {"rated", "rated", COLUMN_NUMBER}, {"drafts", "drafts", COLUMN_NUMBER}, {"final", "final", COLUMN_NUMBER},
	    {"adjustments_waiting", "adjustments waiting", COLUMN_NUMBER}, {"by", "by", COLUMN_TEXT}, {"at", "at", COLUMN_TEXT},
	    {"accepted", "accepted", COLUMN_TEXT}, {"note", "note", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_REPORTS_CLOSE_MONTHS, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "no month has any usage");
	table_free(table);
	rows_release(&rows);
	return true;
}

/* --- the state of one ------------------------------------------------------------------------ */

struct month {
	const char *state;    /* open, soft or hard; in the arena of the run */
	const char *asked_by; /* who asked to have it reopened, or NULL */
	bool has_finance;     /* somebody is a member of the role */
};

static bool
read_month(struct run *run, const char *period, struct month *month, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_REPORTS_CLOSE_STATE, PARAMS(period), &rows, err))
		return false;
	month->state = arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	month->asked_by =
	    row_is_null(&rows, 0, 1) ? NULL : arena_copy(&run->arena, row_text(&rows, 0, 1), row_length(&rows, 0, 1));
	month->has_finance = row_bool(&rows, 0, 2);
	rows_release(&rows);
	return true;
}

static bool
refuse_reopening(const struct closing *closing, const struct month *month, struct error *err)
{
	if (strcmp(month->state, "open") == 0)
		return error_set(err, ERROR_STATE, "%s is open", closing->scope.period);
	if (month->asked_by == NULL || strcmp(month->asked_by, closing->run->by) != 0)
		return true;
	error_set(
	    err, ERROR_STATE, "%s asked to have %s reopened: somebody else must do it", month->asked_by, closing->scope.period);
	return error_hint(err, "The same command by another person (--by) opens it.");
}

static bool
refuse_closing(const struct closing *closing, const struct month *month, struct error *err)
{
	const char *period = closing->scope.period, *wanted = closing->hard ? "soft" : "open";

	if (strcmp(month->state, wanted) == 0)
		return true;
	if (strcmp(month->state, "open") == 0) {
		error_set(err, ERROR_STATE, "%s is open: it is closed softly first", period);
		return error_hint(err, "tollbook close %s, and when finance is done with it, --hard.", period);
	}
	error_set(err, ERROR_STATE, "%s is closed (%s) already", period, month->state);
	return error_hint(err, "tollbook close %s %s", period,
	    strcmp(month->state, "soft") == 0 ? "--hard closes it for good."
					      : "--reopen, asked for by one and done by another, opens it.");
}

static bool
refuse_step(const struct closing *closing, const struct month *month, struct error *err)
{
	return closing->reopen ? refuse_reopening(closing, month, err) : refuse_closing(closing, month, err);
}

/* Under the lock; before and after are for the audit log. */
static bool
write_step(struct closing *closing, const struct month *month, const char *state, struct error *err)
{
	struct run *run = closing->run;
	const char *accepted = text_string(&closing->accepted);
	const struct audit entry = {.action = arena_format(&run->arena, "close %s", state),
	    .subject = closing->scope.period,
	    .reason = closing->reason,
	    .before = month->state,
	    .after = arena_format(&run->arena, "%s%s%s%s%s", state, accepted[0] == '\0' ? "" : "; accepted: ", accepted,
		closing->note[0] == '\0' ? "" : "; ", closing->note)};

	return db_change(run->db, SQL_REPORTS_CLOSE_ADD,
		   PARAMS(closing->scope.period, state, closing->reason, closing->note, accepted, run->by,
		       param_instant(&run->arena, run->now)),
		   1, err) &&
	    audit_add(run, &entry, err);
}

/* The lock, and the state as it is under it. */
static bool
begin_step(struct closing *closing, struct month *month, struct error *err)
{
	struct rows rows;

	if (!db_begin(closing->run->db, err) || !db_one_row(closing->run->db, SQL_REPORTS_CLOSE_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return read_month(closing->run, closing->scope.period, month, err) && refuse_step(closing, month, err);
}

/* --- closing --------------------------------------------------------------------------------- */

static void
tell_row(void *context, const struct close_row *row)
{
	static const char *const words[] = {[CLOSE_OK] = "ok", [CLOSE_OPEN] = "OPEN", [CLOSE_ACCEPTED] = "accepted"};
	struct closing *closing = context;

	table_row(closing->table);
	table_cell(closing->table, row->check);
	table_cell(closing->table, words[row->result]);
	table_cell(closing->table, row->what);
	table_cell(closing->table, row->at_stake);
	table_cell(closing->table, row->currency);
	if (row->result == CLOSE_OPEN)
		closing->open = true;
	if (row->result == CLOSE_ACCEPTED)
		text_add_format(&closing->accepted, "%s%s: %s%s%s%s%s", closing->accepted.length > 0 ? "; " : "", row->check,
		    row->what, row->at_stake == NULL ? "" : ": ", row->at_stake == NULL ? "" : row->at_stake,
		    row->currency[0] == '\0' ? "" : " ", row->currency);
}

static void
say_closed(const struct closing *closing, const struct month *month)
{
	if (closing->hard)
		say(closing->run, "%s is closed for good: nothing is posted in it any more", closing->scope.period);
	else if (month->has_finance)
		say(closing->run, "%s is closed softly: only members of the role finance post in it", closing->scope.period);
	else
		say(closing->run, "%s is closed softly; nobody is a member of the role finance, so that nobody posts in it",
		    closing->scope.period);
}

/* Inside the transaction: what stands against it, and where nothing does, the step. */
static bool
close_within(struct closing *closing, const struct month *month, struct error *err)
{
	return close_checks(closing->run, &closing->scope, tell_row, closing, err) &&
	    (closing->open || write_step(closing, month, closing->hard ? "hard" : "soft", err));
}

static bool
close_month(struct closing *closing, struct error *err)
{
	struct run *run = closing->run;
	struct month month;

	if (!read_month(run, closing->scope.period, &month, err) || !refuse_step(closing, &month, err) ||
	    !close_reconcile(run, tell_row, closing, err))
		return false;
	if (!begin_step(closing, &month, err) || !close_within(closing, &month, err)) {
		db_rollback(run->db);
		return false;
	}
	if (closing->open) {
		db_rollback(run->db);
		run->finding = ERROR_FINDINGS;
		say(run, "%s stays %s: what is OPEN stands against it", closing->scope.period,
		    closing->hard ? "closed softly" : "open");
		return true;
	}
	if (!db_commit(run->db, err))
		return false;
	say_closed(closing, &month);
	return true;
}

static bool
check_month(struct closing *closing, struct error *err)
{
	struct run *run = closing->run;
	bool fine = close_reconcile(run, tell_row, closing, err) && db_begin(run->db, err) &&
	    db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) &&
	    close_checks(run, &closing->scope, tell_row, closing, err);

	db_rollback(run->db);
	if (closing->open)
		run->finding = ERROR_FINDINGS;
	return fine;
}

static bool
close_or_check(struct closing *closing, struct error *err)
{
	static const struct column columns[] = {{"check", "check", COLUMN_TEXT}, {"result", "result", COLUMN_TEXT},
	    {"what", "what", COLUMN_TEXT}, {"at_stake", "at stake", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {0}};
	bool fine;

	closing->table = table_new(columns);
	fine = closing->check ? check_month(closing, err) : close_month(closing, err);
	if (fine)
		table_print(closing->table, closing->run, "");
	table_free(closing->table);
	text_release(&closing->accepted);
	return fine;
}

/* --- reopening ------------------------------------------------------------------------------- */

static bool
reopen_month(struct closing *closing, struct error *err)
{
	struct run *run = closing->run;
	struct month month;
	bool asked, fine;

	fine = begin_step(closing, &month, err);
	asked = fine && month.asked_by != NULL;
	fine = fine && write_step(closing, &month, asked ? "open" : "reopen_asked", err);
	text_release(&closing->accepted);
	if (!fine) {
		db_rollback(run->db);
		return false;
	}
	if (!db_commit(run->db, err))
		return false;
	if (asked)
		say(run, "%s is open again", closing->scope.period);
	else
		say(run, "%s stays closed until somebody else does the same: tollbook close %s --reopen", closing->scope.period,
		    closing->scope.period);
	return true;
}

/* --- the command line ------------------------------------------------------------------------ */

static const char *
value_or(const struct run *run, const char *name, const char *otherwise)
{
	const char *value = option_value(run, name);

	return value == NULL ? otherwise : value;
}

static bool
check_options(const struct closing *closing, struct error *err)
{
	bool accepts = closing->scope.accepted[0] != '\0';

	if (closing->reopen && (closing->hard || closing->check || accepts))
		return error_set(err, ERROR_USAGE, "--reopen goes with --reason and --note alone");
	if (!closing->reopen && !accepts)
		return true;
	if (closing->check)
		return close_accepted_check(closing->scope.accepted, err);
	if (closing->note[0] == '\0' || option_value(closing->run, "reason") == NULL) {
		error_set(err, ERROR_USAGE, "%s needs --reason and --note", closing->reopen ? "--reopen" : "--accept");
		return error_hint(
		    err, "For example: --reason %s --note 'ticket 4711'", closing->reopen ? "correction_needed" : "reviewed");
	}
	return close_accepted_check(closing->scope.accepted, err);
}

static bool
close_run(struct run *run, struct error *err)
{
	struct closing closing = {.run = run,
	    .scope.accepted = value_or(run, "accept", ""),
	    .reason = value_or(run, "reason", "reviewed"),
	    .note = value_or(run, "note", ""),
	    .hard = option_value(run, "hard") != NULL,
	    .reopen = option_value(run, "reopen") != NULL,
	    .check = option_value(run, "check") != NULL};

	if (run->operand_count == 0) {
		if (closing.hard || closing.reopen || closing.check || option_value(run, "accept") != NULL)
			return error_set(err, ERROR_USAGE, "close needs a month, YYYY-MM");
		return list_months(run, err);
	}
	closing.scope.period = run->operands[0];
	if (!period_operand(closing.scope.period, err) || !check_options(&closing, err) ||
	    !option_number(run, "grace", 0, 24LL * 366, 24, &closing.scope.grace_hours, err) ||
	    !reason_check(run, closing.reason, "close", err))
		return false;
	return closing.reopen ? reopen_month(&closing, err) : close_or_check(&closing, err);
}
