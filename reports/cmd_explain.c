/* cmd_explain.c -- `tollbook explain INVOICE/LINE`: the price rule, the arithmetic, the intervals, the events. */
#include <string.h>

#include "base/table.h"
#include "ledger/meter.h"
#include "base/money.h"

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

static void
print_arithmetic(struct run *run, const struct rows *line, const struct meter *meter)
{
	struct currency currency = {.minor_units = (int)row_number(line, 0, LINE_MINOR_UNITS)};
	const char *tier = row_text(line, 0, LINE_TIER);
	char amount[DECIMAL_TEXT];

	printf("line        %s: %s, %s, service tier %s%s%s\n", run->operands[0], row_text(line, 0, LINE_MODEL), meter->name,
	    row_text(line, 0, LINE_SERVICE_TIER), strcmp(tier, "0") == 0 ? "" : ", price tier ",
	    strcmp(tier, "0") == 0 ? "" : tier);
	printf("price       %s %s per %s%s%s\n", row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_CURRENCY),
	    row_text(line, 0, LINE_PER), strcmp(row_text(line, 0, LINE_PRICED_AS), meter->name) == 0 ? "" : ", the price of ",
	    strcmp(row_text(line, 0, LINE_PRICED_AS), meter->name) == 0 ? "" : row_text(line, 0, LINE_PRICED_AS));
	printf("from        %s version %s, effective %s, rule %s\n", row_text(line, 0, LINE_BOOK),
	    row_text(line, 0, LINE_VERSION), row_text(line, 0, LINE_EFFECTIVE), row_text(line, 0, LINE_RULE));
	printf("rule        %s\n", row_text(line, 0, LINE_RULE_TEXT));
	printf("arithmetic  %s x %s / %s = %s\n", quantity_text(run, meter, row_integer(line, 0, LINE_QUANTITY)),
	    row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_PER), row_text(line, 0, LINE_EXACT));
	printf("rounded     %s %s, once, half away from zero\n",
	    money_format((struct money){row_number(line, 0, LINE_MINOR), &currency}, amount), row_text(line, 0, LINE_CURRENCY));
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
explain(struct run *run, struct error *err)
{
	const char *invoice = NULL, *number = NULL;
	int64_t intervals, events;
	const struct meter *meter;
	struct rows line;
	bool fine;

	if (!split_operand(run, &invoice, &number, err) || !option_number(run, "intervals", 0, 1000000, 20, &intervals, err) ||
	    !option_number(run, "events", 0, 1000000, 20, &events, err) ||
	    !db_rows(run->db, SQL_REPORTS_EXPLAIN_LINE, PARAMS(invoice, number), &line, err))
		return false;
	if (line.count != 1) {
		rows_release(&line);
		error_set(err, ERROR_STATE, "there is no line %s of an invoice \"%s\"", number, invoice);
		return error_hint(err, "tollbook invoice list and tollbook invoice show list them.");
	}
	meter = meter_of((int)row_number(&line, 0, LINE_METER_ID));
	print_arithmetic(run, &line, meter);
	fine = print_intervals(run, &line, meter, param_number(&run->arena, intervals), err) &&
	    print_events(run, &line, meter, param_number(&run->arena, events), err);
	rows_release(&line);
	return fine;
}
