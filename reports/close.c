/*
 * close.c -- see close.h.
 *
 * A check is a query of sql/reports/close_*.sql that gives a row for each thing that is not as it should be: what, the amount
 * at stake (NULL with a currency: not known), and its currency (NULL where it is not about money, '' where that is not known
 * either).
 */
#include "reports/close.h"

#include <string.h>

#include "base/money.h"
#include "reports/reconcile.h"

/* What the queries take. */
enum close_value { NO_VALUE, PERIOD, NOW, STARTS, ENDS, PAST, CLOSE_VALUES };

static const struct close_check {
	const char *name, *fine;
	bool acceptable; /* a person may look at it and take it as it stands */
	enum statement_id query;
	enum close_value takes[3];
} checks[] = {
    {"ended", "the month has ended in every zone, and its grace is over", false, SQL_REPORTS_CLOSE_ENDED, {NOW, PAST}},
    {"sources", "every source is read past the month's end and grace", false, SQL_REPORTS_CLOSE_SOURCES, {PAST}},
    {"rating", "all usage of the month is rated", false, SQL_REPORTS_CLOSE_RATING, {PERIOD, ENDS}},
    {"quarantine", "nothing waits in quarantine", true, SQL_REPORTS_CLOSE_QUARANTINE, {PERIOD, STARTS, ENDS}},
    {"holds", "no usage is on hold", true, SQL_REPORTS_CLOSE_HOLDS, {PERIOD, ENDS}},
    {"invoices", "what is charged is invoiced, and no draft is left", false, SQL_REPORTS_CLOSE_INVOICES, {PERIOD}},
    {"adjustments", "no adjustment waits", true, SQL_REPORTS_CLOSE_ADJUSTMENTS, {PERIOD}},
    {"rerates", "every re-rate is applied or rejected", false, SQL_REPORTS_CLOSE_RERATES, {PERIOD}},
    {"credits", "what has expired is taken off", false, SQL_REPORTS_CLOSE_CREDITS, {NOW, ENDS}},
};
enum { CHECKS = sizeof checks / sizeof checks[0] };

/* The length of the first name of a list. */
static size_t
name_length(const char *list)
{
	return strcspn(list, ",");
}

static bool
is_named(const char *list, const char *name)
{
	for (; *list != '\0'; list += name_length(list) + (list[name_length(list)] == ','))
		if (name_length(list) == strlen(name) && strncmp(list, name, strlen(name)) == 0)
			return true;
	return false;
}

static bool
is_acceptable(const char *name, size_t length)
{
	for (size_t i = 0; i < CHECKS; i++)
		if (checks[i].acceptable && strlen(checks[i].name) == length && strncmp(checks[i].name, name, length) == 0)
			return true;
	return false;
}

bool
close_accepted_check(const char *accepted, struct error *err)
{
	for (const char *at = accepted; *at != '\0'; at += name_length(at) + (at[name_length(at)] == ',')) {
		if (is_acceptable(at, name_length(at)))
			continue;
		error_set(err, ERROR_USAGE, "\"%.*s\" cannot be accepted", (int)name_length(at), at);
		return error_hint(err, "--accept takes quarantine, holds and adjustments, with a comma between them.");
	}
	return true;
}

/* Rounded to the currency's minor unit; "unknown" without an amount or a currency. */
static bool
amount_text(struct run *run, const struct rows *rows, int i, const char **out, struct error *err)
{
	const struct currency *currency = currency_find(row_text(rows, i, 2));
	char text[DECIMAL_TEXT];
	struct money rounded;

	*out = NULL;
	if (row_is_null(rows, i, 2))
		return true;
	*out = "unknown";
	if (row_is_null(rows, i, 1) || currency == NULL)
		return true;
	if (!money_round(row_decimal(rows, i, 1), currency, ROUND_HALF_UP, &rounded, err))
		return false;
	*out = arena_format(&run->arena, "%s", money_format(rounded, text));
	return true;
}

static bool
tell_rows(struct run *run, const struct close_check *check, bool accepted, const struct rows *rows, close_told *told,
    void *context, struct error *err)
{
	for (int i = 0; i < rows->count; i++) {
		struct close_row row = {check->name, accepted ? CLOSE_ACCEPTED : CLOSE_OPEN,
		    arena_copy(&run->arena, row_text(rows, i, 0), row_length(rows, i, 0)), NULL,
		    arena_copy(&run->arena, row_text(rows, i, 2), row_length(rows, i, 2))};

		if (!amount_text(run, rows, i, &row.at_stake, err))
			return false;
		told(context, &row);
	}
	return true;
}

static bool
check_one(struct run *run, const struct close_check *check, const char *const *values, bool accepted, close_told *told,
    void *context, struct error *err)
{
	const char *given[sizeof check->takes / sizeof check->takes[0]];
	struct params params = {given, 0};
	struct rows rows;
	bool fine;

	while (params.count < (int)(sizeof given / sizeof given[0]) && check->takes[params.count] != NO_VALUE) {
		given[params.count] = values[check->takes[params.count]];
		params.count++;
	}
	if (!db_rows(run->db, check->query, params, &rows, err))
		return false;
	fine = tell_rows(run, check, accepted, &rows, told, context, err);
	if (fine && rows.count == 0)
		told(context, &(struct close_row){check->name, CLOSE_OK, check->fine, NULL, ""});
	rows_release(&rows);
	return fine;
}

static bool
read_values(struct run *run, const struct close_scope *scope, const char *values[CLOSE_VALUES], struct error *err)
{
	struct rows span;

	if (!db_one_row(run->db, SQL_REPORTS_CLOSE_SPAN, PARAMS(scope->period, param_number(&run->arena, scope->grace_hours)),
		&span, err))
		return false;
	values[NO_VALUE] = NULL;
	values[PERIOD] = scope->period;
	values[NOW] = param_instant(&run->arena, run->now);
	for (int i = 0; i < 3; i++)
		values[STARTS + i] = arena_copy(&run->arena, row_text(&span, 0, i), row_length(&span, 0, i));
	rows_release(&span);
	return true;
}

bool
close_checks(struct run *run, const struct close_scope *scope, close_told *told, void *context, struct error *err)
{
	const char *values[CLOSE_VALUES];

	if (!read_values(run, scope, values, err))
		return false;
	for (size_t i = 0; i < CHECKS; i++) {
		bool accepted = checks[i].acceptable && is_named(scope->accepted, checks[i].name);

		if (!check_one(run, &checks[i], values, accepted, told, context, err))
			return error_wrap(err, "checking %s of %s", checks[i].name, scope->period);
	}
	return true;
}

struct reconciling {
	struct run *run;
	close_told *told;
	void *context;
	bool different;
};

static void
tell_difference(void *context, const struct reconciled *reconciled)
{
	struct reconciling *reconciling = context;

	if (reconciled->differences == 0)
		return;
	reconciling->different = true;
	reconciling->told(reconciling->context,
	    &(struct close_row){"reconcile", CLOSE_OPEN,
		arena_format(
		    &reconciling->run->arena, "%lld differences: %s", (long long)reconciled->differences, reconciled->what),
		NULL, ""});
}

bool
close_reconcile(struct run *run, close_told *told, void *context, struct error *err)
{
	struct reconciling reconciling = {.run = run, .told = told, .context = context};

	if (!books_reconcile(run, tell_difference, &reconciling, err))
		return false;
	if (!reconciling.different)
		told(context, &(struct close_row){"reconcile", CLOSE_OK, "the books agree", NULL, ""});
	return true;
}
