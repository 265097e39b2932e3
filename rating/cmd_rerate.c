/* cmd_rerate.c -- `tollbook rerate plan|list|show|approve|reject|apply`. */
#include "base/money.h"
#include "base/table.h"
#include "ledger/meter.h"
#include "ledger/period.h"
#include "rating/rerate.h"

static bool plan(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool approve(struct run *run, struct error *err);
static bool reject(struct run *run, struct error *err);
static bool apply(struct run *run, struct error *err);

static const struct option_spec plan_options[] = {
    {"period", "YYYY-MM", "the billing period that is rated again", 'p'},
    {"tenant", "TENANT", "only this tenant", 't'},
    {"model", "MODEL", "only tenants that used this model; with --prices, only its price changes", 'm'},
    {"prices", "BOOK@VERSION", "price with this version, in place of the one of its book that was in force", 0},
    {"reason", "REASON", "why: see tollbook reason list", 0},
    {"ticket", "TICKET", "where it was asked for", 0},
    {"note", "TEXT", "more words", 0},
    {"movers", "N", "show the N largest differences; default: 10", 0},
    {0},
};
static const struct option_spec list_options[] = {
    {"period", "YYYY-MM", "only of this billing period", 'p'},
    {"tenant", "TENANT", "only those of this tenant, and those of all tenants", 't'},
    {0},
};
static const struct option_spec show_options[] = {
    {"sum-by", "NAMES", "sum up by some of tenant, model, meter, day, with commas between; default: all of them", 0},
    {"movers", "N", "show the N largest differences; default: 10, with --sum-by all", 0},
    {0},
};
static const struct option_spec decide_options[] = {
    {"note", "TEXT", "why", 0},
    {0},
};

const struct command cmd_rerate_plan = {
    .name = "rerate plan",
    .summary = "what rating a period again would change, old against new; changes nothing",
    .operands = "",
    .options = plan_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook rerate plan --period 2026-10 --tenant acme --reason late_usage\n"
	       "  tollbook rerate plan --period 2026-10 --model m-large --prices public-usd@4 --reason price_error --ticket T-7",
    .run = plan,
};

const struct command cmd_rerate_list = {
    .name = "rerate list",
    .summary = "list re-rates, with how they stand and what they come to",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook rerate list --period 2026-10",
    .run = list,
};

const struct command cmd_rerate_show = {
    .name = "rerate show",
    .summary = "show a re-rate: totals, documents, differences",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .options = show_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook rerate show 3\n  tollbook rerate show 3 --sum-by tenant,day --format csv",
    .run = show,
};

const struct command cmd_rerate_approve = {
    .name = "rerate approve",
    .summary = "approve a re-rate as it is planned",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .options = decide_options,
    .needs = NEEDS_DB,
    .example = "  tollbook rerate approve 3 --by eve --note 'checked with the provider'",
    .run = approve,
};

const struct command cmd_rerate_reject = {
    .name = "rerate reject",
    .summary = "reject a re-rate; it is never applied",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .options = decide_options,
    .needs = NEEDS_DB,
    .example = "  tollbook rerate reject 3 --by eve --note 'wrong version'",
    .run = reject,
};

const struct command cmd_rerate_apply = {
    .name = "rerate apply",
    .summary = "put an approved re-rate in force; what it changes of closed periods is booked as adjustments",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .options = decide_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook rerate apply 3",
    .run = apply,
};

/* --- differences ------------------------------------------------------------------------------ */

/* What differences are summed up by; the parameters of rerate_differences.sql, in its order. */
enum { BY_TENANT, BY_MODEL, BY_METER, BY_DAY, BY_COUNT };

static const char *const by_names[BY_COUNT] = {"tenant", "model", "meter", "day"};

static bool
read_by(const struct run *run, bool by[BY_COUNT], struct error *err)
{
	const char *names = option_value(run, "sum-by");

	for (int i = 0; i < BY_COUNT; i++)
		by[i] = names == NULL;
	while (names != NULL) {
		size_t length = strcspn(names, ",");
		int i = 0;

		while (i < BY_COUNT && (strlen(by_names[i]) != length || strncmp(by_names[i], names, length) != 0))
			i++;
		if (i == BY_COUNT) {
			error_set(err, ERROR_USAGE, "--sum-by \"%s\" is not known", names);
			return error_hint(err, "Give some of tenant, model, meter and day: --sum-by tenant,day");
		}
		by[i] = true;
		names = names[length] == '\0' ? NULL : names + length + 1;
	}
	return true;
}

/* Columns of rerate_differences.sql. */
enum {
	TENANT,
	PERIOD,
	MODEL,
	SERVICE_TIER,
	METER,
	KIND,
	DAY,
	METER_ID,
	OLD_QUANTITY,
	NEW_QUANTITY,
	OLD_AMOUNT,
	NEW_AMOUNT,
	DIFFERENCE,
	CURRENCY,
	DIFFERENCE_COLUMNS
};

static const struct {
	struct column column;
	int by; /* shown only where it is summed up by this; -1: always */
} difference_columns[DIFFERENCE_COLUMNS] = {
    [TENANT] = {{"tenant", "tenant", COLUMN_TEXT}, BY_TENANT},
    [PERIOD] = {{"period", "period", COLUMN_TEXT}, BY_TENANT},
    [MODEL] = {{"model", "model", COLUMN_TEXT}, BY_MODEL},
    [SERVICE_TIER] = {{"service_tier", "service tier", COLUMN_TEXT}, BY_MODEL},
    [METER] = {{"meter", "meter", COLUMN_TEXT}, BY_METER},
    [KIND] = {{"kind", "kind", COLUMN_TEXT}, BY_METER},
    [DAY] = {{"day", "day", COLUMN_TEXT}, BY_DAY},
    [METER_ID] = {{NULL, NULL, COLUMN_TEXT}, BY_COUNT},
    [OLD_QUANTITY] = {{"old_quantity", "quantity", COLUMN_NUMBER}, BY_METER},
    [NEW_QUANTITY] = {{"new_quantity", "new quantity", COLUMN_NUMBER}, BY_METER},
    [OLD_AMOUNT] = {{"old_amount", "old", COLUMN_NUMBER}, -1},
    [NEW_AMOUNT] = {{"new_amount", "new", COLUMN_NUMBER}, -1},
    [DIFFERENCE] = {{"difference", "difference", COLUMN_NUMBER}, -1},
    [CURRENCY] = {{"currency", "currency", COLUMN_TEXT}, -1},
};

static bool
is_shown(int column, const bool by[BY_COUNT])
{
	int needs = difference_columns[column].by;

	return needs != BY_COUNT && (needs < 0 || by[needs]);
}

/* In the meter's unit; what a contract adds has none. */
static void
quantity_cell(struct table *table, const struct rows *rows, int row, int column)
{
	int64_t meter = row_number(rows, row, METER_ID);
	char quantity[DECIMAL_TEXT];

	table_cell(table, meter == 0 ? NULL : meter_format(meter_of((int)meter), row_integer(rows, row, column), quantity));
}

static void
fill_differences(struct table *table, const struct rows *rows, const bool by[BY_COUNT])
{
	for (int row = 0; row < rows->count; row++) {
		table_row(table);
		for (int column = 0; column < DIFFERENCE_COLUMNS; column++)
			if (!is_shown(column, by))
				continue;
			else if (column == OLD_QUANTITY || column == NEW_QUANTITY)
				quantity_cell(table, rows, row, column);
			else
				table_cell(table, row_text(rows, row, column));
	}
}

/* `most`: the largest ones; -1: all of them, in order. */
static bool
print_differences(struct run *run, const char *rerate_id, const bool by[BY_COUNT], int64_t most, struct error *err)
{
	struct column columns[DIFFERENCE_COLUMNS + 1] = {0};
	struct table *table;
	struct rows rows;
	size_t count = 0;

	if (!db_rows(run->db, SQL_RATING_RERATE_DIFFERENCES,
		PARAMS(rerate_id, by[BY_TENANT] ? "true" : "false", by[BY_MODEL] ? "true" : "false",
		    by[BY_METER] ? "true" : "false", by[BY_DAY] ? "true" : "false",
		    most < 0 ? NULL : param_number(&run->arena, most)),
		&rows, err))
		return false;
	for (int column = 0; column < DIFFERENCE_COLUMNS; column++)
		if (is_shown(column, by))
			columns[count++] = difference_columns[column].column;
	table = table_new(columns);
	fill_differences(table, &rows, by);
	table_print(table, run, "no differences");
	table_free(table);
	rows_release(&rows);
	return true;
}

/* --- a re-rate as a whole ----------------------------------------------------------------------- */

static bool
print_totals(struct run *run, const char *rerate_id, struct error *err)
{
	static const struct column columns[] = {{"currency", "currency", COLUMN_TEXT}, {"old_amount", "old", COLUMN_NUMBER},
	    {"new_amount", "new", COLUMN_NUMBER}, {"difference", "difference", COLUMN_NUMBER}, {"up", "up", COLUMN_NUMBER},
	    {"down", "down", COLUMN_NUMBER}, {"periods", "tenant periods", COLUMN_NUMBER},
	    {"closed_periods", "closed ones touched", COLUMN_NUMBER}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_RERATE_TOTALS, PARAMS(rerate_id), &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "nothing is charged, before or after");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
print_documents(struct run *run, const char *rerate_id, struct error *err)
{
	enum { MINOR_UNITS = 8, CREDITED };
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},
	    {"state", "state", COLUMN_TEXT}, {"document", "document", COLUMN_TEXT}, {"currency", "currency", COLUMN_TEXT},
	    {"old_amount", "old", COLUMN_NUMBER}, {"new_amount", "new", COLUMN_NUMBER},
	    {"difference", "difference", COLUMN_NUMBER}, {"credited", "credited on it", COLUMN_NUMBER}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_RERATE_DOCUMENTS, PARAMS(rerate_id), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int column = 0; column < MINOR_UNITS; column++)
			table_cell(table, row_text(&rows, i, column));
		table_cell(table,
		    row_is_null(&rows, i, CREDITED)
			? NULL
			: money_text(&run->arena, row_number(&rows, i, CREDITED), row_number(&rows, i, MINOR_UNITS)));
	}
	table_print(table, run, "no period changes");
	table_free(table);
	rows_release(&rows);
	return true;
}

static void
print_header(const char *rerate_id, const struct rows *rerate)
{
	const char *tenant = row_text(rerate, 0, RERATE_TENANT), *model = row_text(rerate, 0, RERATE_MODEL);
	const char *state = row_text(rerate, 0, RERATE_STATE), *prices = row_text(rerate, 0, RERATE_PRICES);
	bool second = row_bool(rerate, 0, RERATE_SECOND_PERSON);

	printf("RE-RATE %s: %s\n", rerate_id, state);
	printf("of        %s, %s%s%s\n", row_text(rerate, 0, RERATE_PERIOD), tenant[0] == '\0' ? "all tenants" : tenant,
	    model[0] == '\0' ? "" : ", model ", model);
	printf("prices    %s\n", prices[0] == '\0' ? "those in force" : prices);
	printf("reason    %s%s%s%s%s\n", row_text(rerate, 0, RERATE_REASON),
	    row_length(rerate, 0, RERATE_TICKET) == 0 ? "" : ", ticket ", row_text(rerate, 0, RERATE_TICKET),
	    row_length(rerate, 0, RERATE_NOTE) == 0 ? "" : ": ", row_text(rerate, 0, RERATE_NOTE));
	printf("planned   by %s, %s\n", row_text(rerate, 0, RERATE_PLANNED_BY), row_text(rerate, 0, RERATE_PLANNED_AT));
	if (row_length(rerate, 0, RERATE_REJECTED_BY) > 0)
		printf("rejected  by %s\n", row_text(rerate, 0, RERATE_REJECTED_BY));
	else if (row_length(rerate, 0, RERATE_APPROVED_BY) > 0)
		printf("approved  by %s\n", row_text(rerate, 0, RERATE_APPROVED_BY));
	else
		printf("approval  %s\n", second ? "by a second person: the differences are above the limit" : "by anybody");
	if (row_length(rerate, 0, RERATE_APPLIED_BY) > 0)
		printf(
		    "applied   by %s, rating run %s\n", row_text(rerate, 0, RERATE_APPLIED_BY), row_text(rerate, 0, RERATE_RUN));
	putchar('\n');
}

/* All of it for people, the differences behind it; for programs the differences alone, or the totals of a plan. */
static bool
print_summary(struct run *run, const char *rerate_id, struct error *err)
{
	struct rows rerate;

	if (!rerate_get(run, rerate_id, &rerate, err))
		return false;
	print_header(rerate_id, &rerate);
	rows_release(&rerate);
	if (!print_totals(run, rerate_id, err))
		return false;
	putchar('\n');
	if (!print_documents(run, rerate_id, err))
		return false;
	putchar('\n');
	return true;
}

/* --- the verbs ---------------------------------------------------------------------------------- */

static bool
print_plan(struct run *run, const char *rerate_id, int64_t movers, struct error *err)
{
	static const bool by_all[BY_COUNT] = {true, true, true, true};

	return print_summary(run, rerate_id, err) && print_differences(run, rerate_id, by_all, movers, err);
}

/* What a program needs to go on: the number. */
static bool
print_plan_row(struct run *run, const char *rerate_id, struct error *err)
{
	static const struct column columns[] = {{"rerate", "re-rate", COLUMN_NUMBER}, {"state", "state", COLUMN_TEXT},
	    {"second_person", "second person", COLUMN_TEXT}, {"currency", "currency", COLUMN_TEXT},
	    {"old_amount", "old", COLUMN_NUMBER}, {"new_amount", "new", COLUMN_NUMBER},
	    {"difference", "difference", COLUMN_NUMBER}, {"up", "up", COLUMN_NUMBER}, {"down", "down", COLUMN_NUMBER},
	    {"periods", "tenant periods", COLUMN_NUMBER}, {"closed_periods", "closed ones touched", COLUMN_NUMBER}, {0}};
	enum { TOTALS = 8 };
	struct rows rerate, totals;
	struct table *table;

	if (!rerate_get(run, rerate_id, &rerate, err))
		return false;
	if (!db_rows(run->db, SQL_RATING_RERATE_TOTALS, PARAMS(rerate_id), &totals, err)) {
		rows_release(&rerate);
		return false;
	}
	table = table_new(columns);
	for (int i = 0; i < totals.count || i == 0; i++) {
		table_row(table);
		table_cell(table, rerate_id);
		table_cell(table, row_text(&rerate, 0, RERATE_STATE));
		table_cell(table, row_bool(&rerate, 0, RERATE_SECOND_PERSON) ? "yes" : "no");
		for (int column = 0; column < TOTALS; column++)
			table_cell(table, i < totals.count ? row_text(&totals, i, column) : NULL);
	}
	table_print(table, run, "");
	table_free(table);
	rows_release(&totals);
	rows_release(&rerate);
	return true;
}

static bool
plan(struct run *run, struct error *err)
{
	struct rerate_scope scope = {.tenant = option_text(run, "tenant"),
	    .model = option_text(run, "model"),
	    .prices = option_value(run, "prices"),
	    .reason = option_value(run, "reason"),
	    .ticket = option_text(run, "ticket"),
	    .note = option_text(run, "note")};
	const char *rerate_id;
	int64_t movers;

	if (!option_number(run, "movers", 0, INT32_MAX, 10, &movers, err) || !period_option(run, &scope.period, err))
		return false;
	if (scope.period[0] == '\0') {
		error_set(err, ERROR_USAGE, "rerate plan needs --period");
		return error_hint(err, "For example: --period 2026-10");
	}
	if (!rerate_plan(run, &scope, &rerate_id, err))
		return false;
	return run->format == FORMAT_TABLE ? print_plan(run, rerate_id, movers, err) : print_plan_row(run, rerate_id, err);
}

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"rerate", "re-rate", COLUMN_NUMBER}, {"state", "state", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT}, {"model", "model", COLUMN_TEXT},
	    {"prices", "prices", COLUMN_TEXT}, {"currency", "currency", COLUMN_TEXT}, {"difference", "difference", COLUMN_NUMBER},
	    {"closed_periods", "closed periods", COLUMN_NUMBER}, {"reason", "reason", COLUMN_TEXT},
	    {"ticket", "ticket", COLUMN_TEXT}, {"second_person", "second person", COLUMN_TEXT},
	    {"planned_by", "planned by", COLUMN_TEXT}, {"approved_by", "approved by", COLUMN_TEXT},
	    {"applied_by", "applied by", COLUMN_TEXT}, {0}};
	const char *period;
	struct table *table;
	struct rows rows;

	if (!period_option(run, &period, err) ||
	    !db_rows(run->db, SQL_RATING_RERATE_LIST, PARAMS(period, option_text(run, "tenant")), &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "no re-rates: tollbook rerate plan makes one");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	const char *rerate_id = run->operands[0];
	bool by[BY_COUNT], all = run->format != FORMAT_TABLE || option_value(run, "sum-by") != NULL;
	struct rows rerate;
	int64_t movers;

	if (!option_number(run, "movers", 0, INT32_MAX, all ? -1 : 10, &movers, err) || !read_by(run, by, err) ||
	    !rerate_get(run, rerate_id, &rerate, err))
		return false;
	rows_release(&rerate);
	return (run->format != FORMAT_TABLE || print_summary(run, rerate_id, err)) &&
	    print_differences(run, rerate_id, by, movers, err);
}

static bool
approve(struct run *run, struct error *err)
{
	return rerate_decide(run, run->operands[0], true, option_text(run, "note"), err);
}

static bool
reject(struct run *run, struct error *err)
{
	return rerate_decide(run, run->operands[0], false, option_text(run, "note"), err);
}

static bool
print_outcomes(struct run *run, const char *rerate_id, struct error *err)
{
	enum { OUTCOME_CURRENCY, MINOR_UNITS, OUTCOME, LINES, AMOUNT };
	static const struct column columns[] = {{"outcome", "adjustments", COLUMN_TEXT}, {"lines", "lines", COLUMN_NUMBER},
	    {"amount", "amount", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_ADJUSTMENT_OUTCOMES, PARAMS(rerate_id), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		table_cell(table, row_text(&rows, i, OUTCOME));
		table_cell(table, row_text(&rows, i, LINES));
		table_cell(table, money_text(&run->arena, row_number(&rows, i, AMOUNT), row_number(&rows, i, MINOR_UNITS)));
		table_cell(table, row_text(&rows, i, OUTCOME_CURRENCY));
	}
	table_print(table, run, "no adjustments: no closed period changes");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
apply(struct run *run, struct error *err)
{
	const char *rerate_id = run->operands[0];
	struct rerate_applied applied;

	if (!rerate_apply(run, rerate_id, option_text(run, "note"), &applied, err))
		return false;
	if (applied.before)
		say(run, "re-rate %s was applied already, by run %lld; nothing was done", rerate_id,
		    (long long)applied.rating_run);
	else
		say(run, "%sre-rate %s is applied: run %lld", run->dry_run ? "dry: " : "", rerate_id,
		    (long long)applied.rating_run);
	return (run->dry_run && !applied.before) || print_outcomes(run, rerate_id, err);
}
