/* cmd_explain.c -- `tollbook explain INVOICE/LINE`: the price rule, the arithmetic, the intervals, the events. */
#include <string.h>

#include "base/money.h"
#include "base/table.h"
#include "ledger/meter.h"
#include "rating/charge_kind.h"

static bool explain(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"intervals", "N", "show at most N intervals; default: 20", 0},
    {"events", "N", "show at most N events; default: 20", 0},
    {0},
};

const struct command cmd_explain = {
    .name = "explain",
    .summary = "show where a line of an invoice comes from: rule, arithmetic, intervals, events",
    .operands = "NUMBER/LINE|TENANT:PERIOD/LINE",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook explain TF-INV-2026-000001/3\n  tollbook explain acme:2026-10/3 --events 100 --format csv",
    .run = explain,
};

/* Columns of explain_line.sql. */
enum {
	LINE_INVOICE,
	LINE_RATING,
	LINE_TENANT,
	LINE_PERIOD,
	LINE_MODEL,
	LINE_SERVICE_TIER,
	LINE_METER,
	LINE_METER_ID,
	LINE_PRICED_AS,
	LINE_TIER,
	LINE_PRICE,
	LINE_PER,
	LINE_QUANTITY,
	LINE_EXACT,
	LINE_MINOR,
	LINE_MINOR_UNITS,
	LINE_CURRENCY,
	LINE_BOOK,
	LINE_VERSION,
	LINE_EFFECTIVE,
	LINE_RULE,
	LINE_RULE_TEXT,
	LINE_STARTS,
	LINE_ENDS,
	LINE_UNTIL,
	LINE_TOGETHER,
	LINE_KIND,
	LINE_BILLED,
	LINE_DETAIL,
	LINE_COUNTER,
	LINE_CARRIED,  /* what earlier periods left in the counter */
	LINE_CONTRACT, /* whose terms had a part in it, or NULL */
	LINE_CONTRACT_EFFECTIVE,
	LINE_CONTRACT_APPLIED,
	LINE_CONTRACT_BY,
	LINE_TERMS, /* those of the contract that the line is of */
	LINE_FIRST,
	LINE_LAST,
};

/* The parameters that intervals and events of a line are found by. */
#define USAGE_OF(line, limit)                                                                                                    \
	PARAMS(row_text(line, 0, LINE_TENANT), row_text(line, 0, LINE_MODEL), row_text(line, 0, LINE_SERVICE_TIER),              \
	    row_text(line, 0, LINE_METER_ID), row_text(line, 0, LINE_STARTS), row_text(line, 0, LINE_ENDS),                      \
	    row_text(line, 0, LINE_UNTIL), limit)

static bool
split_operand(struct run *run, const char **invoice, const char **line, struct error *err)
{
	const char *operand = run->operands[0], *slash = strrchr(operand, '/');
	i128 number;

	if (slash != NULL && slash != operand && integer_parse(slash + 1, strlen(slash + 1), &number, err) && number >= 1 &&
	    number < INT32_MAX) {
		*invoice = arena_copy(&run->arena, operand, (size_t)(slash - operand));
		*line = slash + 1;
		return true;
	}
	error_set(err, ERROR_USAGE, "\"%s\" does not name a line of an invoice", operand);
	return error_hint(
	    err, "Write NUMBER/LINE, for example TF-INV-2026-000001/3; tollbook invoice show NUMBER lists the lines.");
}

static const char *
quantity_text(struct run *run, const struct meter *meter, i128 quantity)
{
	char text[DECIMAL_TEXT];

	return arena_format(&run->arena, "%s", meter_format(meter, quantity, text));
}

/* "tier_fee: flat fee of a tier that usage entered" */
static const char *
kind_text(struct run *run, const struct rows *line)
{
	const char *text = row_text(line, 0, LINE_KIND);
	enum charge_kind kind;

	return charge_kind_find(text, &kind) ? arena_format(&run->arena, "%s: %s", text, charge_kind_meaning(kind)) : text;
}

static void
print_rounded(const struct rows *line)
{
	struct currency currency = {.minor_units = (int)row_number(line, 0, LINE_MINOR_UNITS)};
	char amount[DECIMAL_TEXT];

	printf("rounded     %s %s, once, half away from zero\n",
	    money_format((struct money){row_number(line, 0, LINE_MINOR), &currency}, amount), row_text(line, 0, LINE_CURRENCY));
}

static void
print_contract(const struct rows *line)
{
	printf("contract    of %s, in force from %s, applied %s by %s\n", row_text(line, 0, LINE_TENANT),
	    row_text(line, 0, LINE_CONTRACT_EFFECTIVE), row_text(line, 0, LINE_CONTRACT_APPLIED),
	    row_text(line, 0, LINE_CONTRACT_BY));
}

/* What a contract adds or takes off: of no model, so that there are no intervals and no events of its own. */
static void
print_contracts_own(struct run *run, const struct rows *line)
{
	printf("line        %s: %s\n", run->operands[0], kind_text(run, line));
	print_contract(line);
	printf("terms       %s\n", row_text(line, 0, LINE_TERMS));
	printf("over        %s to %s\n", row_text(line, 0, LINE_FIRST), row_text(line, 0, LINE_LAST));
	printf("arithmetic  %s; comes to %s %s\n", row_text(line, 0, LINE_DETAIL), row_text(line, 0, LINE_EXACT),
	    row_text(line, 0, LINE_CURRENCY));
	print_rounded(line);
}

/* What lines without any of it do not speak of: kind, packages, what led to the price, a counter that outlives the period. */
static void
print_more(struct run *run, const struct rows *line, const struct meter *meter)
{
	const char *detail = row_text(line, 0, LINE_DETAIL), *counter = row_text(line, 0, LINE_COUNTER);
	bool is_usage = strcmp(row_text(line, 0, LINE_KIND), "usage") == 0;

	if (!is_usage)
		printf("kind        %s\n", kind_text(run, line));
	if (detail[0] != '\0')
		printf("led to by   %s\n", detail);
	if (counter[0] != '\0')
		printf("counted in  %s; earlier periods left %s in it\n", counter,
		    quantity_text(run, meter, row_integer(line, 0, LINE_CARRIED)));
	if (is_usage && row_integer(line, 0, LINE_BILLED) != row_integer(line, 0, LINE_QUANTITY))
		printf("billed      %s for %s used, in whole packages\n",
		    quantity_text(run, meter, row_integer(line, 0, LINE_BILLED)),
		    quantity_text(run, meter, row_integer(line, 0, LINE_QUANTITY)));
	if (!row_is_null(line, 0, LINE_CONTRACT))
		print_contract(line);
}

static void
print_arithmetic(struct run *run, const struct rows *line, const struct meter *meter)
{
	const char *tier = row_text(line, 0, LINE_TIER);

	printf("line        %s: %s, %s, service tier %s%s%s\n", run->operands[0], row_text(line, 0, LINE_MODEL), meter->name,
	    row_text(line, 0, LINE_SERVICE_TIER), strcmp(tier, "0") == 0 ? "" : ", price tier ",
	    strcmp(tier, "0") == 0 ? "" : tier);
	printf("price       %s %s per %s%s%s\n", row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_CURRENCY),
	    row_text(line, 0, LINE_PER), strcmp(row_text(line, 0, LINE_PRICED_AS), meter->name) == 0 ? "" : ", the price of ",
	    strcmp(row_text(line, 0, LINE_PRICED_AS), meter->name) == 0 ? "" : row_text(line, 0, LINE_PRICED_AS));
	printf("from        %s version %s, effective %s, rule %s\n", row_text(line, 0, LINE_BOOK),
	    row_text(line, 0, LINE_VERSION), row_text(line, 0, LINE_EFFECTIVE), row_text(line, 0, LINE_RULE));
	printf("rule        %s\n", row_text(line, 0, LINE_RULE_TEXT));
	print_more(run, line, meter);
	printf("arithmetic  %s x %s / %s = %s\n", quantity_text(run, meter, row_integer(line, 0, LINE_BILLED)),
	    row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_PER), row_text(line, 0, LINE_EXACT));
	print_rounded(line);
}

static bool
print_intervals(struct run *run, const struct rows *line, const struct meter *meter, const char *limit, struct error *err)
{
	static const struct column columns[] = {{"interval", "interval", COLUMN_TEXT}, {"quantity", "quantity", COLUMN_NUMBER},
	    {"running_total", "running total", COLUMN_NUMBER}, {0}};
	struct table *table;
	struct rows rows, sum;

	if (!db_one_row(run->db, SQL_REPORTS_EXPLAIN_SUM, USAGE_OF(line, "0"), &sum, err))
		return false;
	if (!db_rows(run->db, SQL_REPORTS_EXPLAIN_INTERVALS, USAGE_OF(line, limit), &rows, err)) {
		rows_release(&sum);
		return false;
	}
	printf("\nintervals   %s of 15 minutes, together %s", row_text(&sum, 0, 0),
	    quantity_text(run, meter, row_integer(&sum, 0, 1)));
	printf(" (all charges on this usage: %s)\n", quantity_text(run, meter, row_integer(line, 0, LINE_TOGETHER)));
	if (row_integer(&sum, 0, 1) != row_integer(line, 0, LINE_TOGETHER))
		run->finding = ERROR_FINDINGS;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		table_cell(table, row_text(&rows, i, 0));
		table_cell(table, quantity_text(run, meter, row_integer(&rows, i, 1)));
		table_cell(table, quantity_text(run, meter, row_integer(&rows, i, 2)));
	}
	table_print(table, run, "no intervals");
	table_free(table);
	rows_release(&rows);
	rows_release(&sum);
	return true;
}

static bool
print_events(struct run *run, const struct rows *line, const struct meter *meter, const char *limit, struct error *err)
{
	static const struct column columns[] = {{"time", "time", COLUMN_TEXT}, {"source", "source", COLUMN_TEXT},
	    {"id", "id", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT}, {"quantity", "quantity", COLUMN_NUMBER},
	    {"batch", "batch", COLUMN_NUMBER}, {"record", "record", COLUMN_NUMBER}, {"file", "file", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_REPORTS_EXPLAIN_EVENTS, USAGE_OF(line, limit), &rows, err))
		return false;
	printf("\nevents      the first %d, by time\n", rows.count);
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < 4; j++)
			table_cell(table, row_text(&rows, i, j));
		table_cell(table, quantity_text(run, meter, row_integer(&rows, i, 4)));
		for (int j = 5; j < 8; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no events");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
explain_usage(struct run *run, const struct rows *line, int64_t intervals, int64_t events, struct error *err)
{
	const struct meter *meter = meter_of((int)row_number(line, 0, LINE_METER_ID));

	print_arithmetic(run, line, meter);
	return print_intervals(run, line, meter, param_number(&run->arena, intervals), err) &&
	    print_events(run, line, meter, param_number(&run->arena, events), err);
}

static bool
explain(struct run *run, struct error *err)
{
	const char *invoice = NULL, *number = NULL;
	int64_t intervals, events;
	struct rows line;
	bool fine = true;

	if (!split_operand(run, &invoice, &number, err) || !option_number(run, "intervals", 0, 1000000, 20, &intervals, err) ||
	    !option_number(run, "events", 0, 1000000, 20, &events, err) ||
	    !db_rows(run->db, SQL_REPORTS_EXPLAIN_LINE, PARAMS(invoice, number), &line, err))
		return false;
	if (line.count != 1) {
		rows_release(&line);
		error_set(err, ERROR_STATE, "there is no line %s of an invoice \"%s\"", number, invoice);
		return error_hint(err, "tollbook invoice list and tollbook invoice show list them.");
	}
	if (row_number(&line, 0, LINE_METER_ID) == 0)
		print_contracts_own(run, &line);
	else
		fine = explain_usage(run, &line, intervals, events, err);
	rows_release(&line);
	return fine;
}
