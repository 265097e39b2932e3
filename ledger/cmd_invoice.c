/* cmd_invoice.c -- `tollbook invoice draft|finalize|list|show`. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/invoice.h"
#include "ledger/meter.h"
#include "ledger/period.h"

static bool draft(struct run *run, struct error *err);
static bool finalize(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);

static const struct option_spec scope_options[] = {
    {"period", "YYYY-MM", "only this billing period", 'p'},
    {"tenant", "TENANT", "only this tenant", 't'},
    {0},
};

const struct command cmd_invoice_draft = {
    .name = "invoice draft",
    .summary = "draft invoices from the charges in force; drafting again replaces drafts",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice draft --period 2026-10",
    .run = draft,
};

const struct command cmd_invoice_finalize = {
    .name = "invoice finalize",
    .summary = "give drafts their numbers; a final invoice never changes",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice finalize --period 2026-10\n  tollbook invoice finalize --tenant acme --as-of 2026-11-01",
    .run = finalize,
};

const struct command cmd_invoice_list = {
    .name = "invoice list",
    .summary = "list invoices and drafts with their totals",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook invoice list --period 2026-10 --format csv",
    .run = list,
};

const struct command cmd_invoice_show = {
    .name = "invoice show",
    .summary = "show an invoice with its lines",
    .operands = "NUMBER|TENANT:PERIOD",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook invoice show TF-INV-2026-000001\n  tollbook invoice show acme:2026-10",
    .run = show,
};

static bool
read_scope(struct run *run, struct invoice_scope *scope, struct error *err)
{
	scope->tenant = option_value(run, "tenant") == NULL ? "" : option_value(run, "tenant");
	return period_option(run, &scope->period, err);
}

/* What the callbacks of drafting and finalizing share. */
struct telling {
	struct run *run;
	struct table *table;
};

static void
tell_draft(void *context, const struct drafted *drafted)
{
	struct telling *telling = context;
	char total[DECIMAL_TEXT];

	table_row(telling->table);
	table_cell(telling->table, drafted->tenant);
	table_cell(telling->table, drafted->period);
	if (drafted->skipped != NULL) {
		table_cell(telling->table, NULL);
		table_cell(telling->table, NULL);
		table_cell(telling->table, NULL);
		table_cell(telling->table, drafted->skipped);
		return;
	}
	table_cell_format(telling->table, "%lld", (long long)drafted->lines);
	table_cell(telling->table, money_format(drafted->total, total));
	table_cell(telling->table, drafted->total.currency->code);
	table_cell(telling->table, "draft");
}

static bool
draft(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},
	    {"lines", "lines", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT},
	    {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	struct invoice_scope scope;
	bool fine = read_scope(run, &scope, err) && invoices_draft(run, scope, tell_draft, &telling, err);

	if (fine)
		table_print(telling.table, run, "nothing to invoice: no charges in scope (tollbook rate makes them)");
	table_free(telling.table);
	return fine;
}

static void
tell_final(void *context, const struct finalized *finalized)
{
	struct telling *telling = context;

	table_row(telling->table);
	table_cell(telling->table, finalized->number);
	table_cell(telling->table, finalized->tenant);
	table_cell(telling->table, finalized->period);
	table_cell(telling->table, finalized->refused == NULL ? "final" : finalized->refused);
	if (finalized->refused != NULL)
		telling->run->finding = ERROR_FINDINGS;
}

static bool
finalize(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	struct invoice_scope scope;
	bool fine = read_scope(run, &scope, err) && invoices_finalize(run, scope, tell_final, &telling, err);

	/* Those that were finalized before a failure stay so, and are shown. */
	table_print(telling.table, run, "no drafts in scope");
	table_free(telling.table);
	return fine;
}

/* Minor units as decimal text, for a currency that may have left the table since. */
static const char *
minor_format(struct run *run, int64_t minor, int64_t minor_units)
{
	struct currency currency = {.minor_units = (int)minor_units};
	char text[DECIMAL_TEXT];

	return arena_format(&run->arena, "%s", money_format((struct money){minor, &currency}, text));
}

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT}, {"lines", "lines", COLUMN_NUMBER},
	    {"total", "total", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"issued_on", "issued on", COLUMN_TEXT},
	    {0}};
	struct invoice_scope scope;
	struct table *table;
	struct rows rows;

	if (!read_scope(run, &scope, err) ||
	    !db_rows(run->db, SQL_LEDGER_INVOICE_LIST, PARAMS(scope.period, scope.tenant), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < 5; j++)
			table_cell(table, row_text(&rows, i, j));
		table_cell(table, minor_format(run, row_number(&rows, i, 5), row_number(&rows, i, 6)));
		table_cell(table, row_text(&rows, i, 7));
		table_cell(table, row_text(&rows, i, 8));
	}
	table_print(table, run, "no invoices");
	table_free(table);
	rows_release(&rows);
	return true;
}

static void
print_header(struct run *run, const struct rows *invoice)
{
	const char *number = row_text(invoice, 0, 1);

	printf("%s%s\n", number[0] == '\0' ? "DRAFT" : "INVOICE ", number);
	printf("from      %s (%s)\n", row_text(invoice, 0, 6), row_text(invoice, 0, 5));
	printf("to        %s (%s)\n", row_text(invoice, 0, 4), row_text(invoice, 0, 3));
	printf("period    %s, %s to %s, zone %s\n", row_text(invoice, 0, 7), row_text(invoice, 0, 9), row_text(invoice, 0, 10),
	    row_text(invoice, 0, 8));
	if (number[0] != '\0')
		printf("issued    %s, content SHA-256 %s\n", row_text(invoice, 0, 15), row_text(invoice, 0, 16));
	printf("total     %s %s (%s before rounding of the lines)\n\n",
	    minor_format(run, row_number(invoice, 0, 13), row_number(invoice, 0, 12)), row_text(invoice, 0, 11),
	    row_text(invoice, 0, 14));
}

/* Columns of invoice_lines.sql. */
enum line_column {
	LINE_NUMBER,
	LINE_MODEL,
	LINE_SERVICE_TIER,
	LINE_METER,
	LINE_PRICED_AS, /* '' where it is the meter */
	LINE_TIER,
	LINE_QUANTITY,
	LINE_DECIMALS,
	LINE_PRICE,
	LINE_PER,
	LINE_EXACT,
	LINE_MINOR,
	LINE_BOOK,
	LINE_VERSION,
	LINE_RULE,
	LINE_KIND,
	LINE_BILLED,
	LINE_DETAIL,
};

/* What a contract adds or takes off has no meter. */
static bool
is_contracts_own(const struct rows *lines, int i)
{
	return row_length(lines, i, LINE_METER) == 0;
}

/* In the meter's unit; the column is the quantity used or the one billed. */
static const char *
quantity_text(struct run *run, const struct rows *lines, int i, enum line_column column)
{
	const char *meter = row_text(lines, i, LINE_METER);
	char quantity[DECIMAL_TEXT];

	if (is_contracts_own(lines, i))
		return row_text(lines, i, (int)column);
	meter_format(meter_find(meter, strlen(meter)), row_integer(lines, i, (int)column), quantity);
	return arena_copy(&run->arena, quantity, strlen(quantity));
}

/* What led to a line's price beyond the rule, for people. */
static const char *
rule_words(struct run *run, const struct rows *lines, int i)
{
	const char *detail = row_text(lines, i, LINE_DETAIL), *kind = row_text(lines, i, LINE_KIND), *what = "";

	if (strcmp(kind, "usage") != 0)
		what = arena_format(&run->arena, ", %s", kind);
	else if (strcmp(row_text(lines, i, LINE_BILLED), row_text(lines, i, LINE_QUANTITY)) != 0)
		what = arena_format(&run->arena, ", for %s used", quantity_text(run, lines, i, LINE_QUANTITY));
	return arena_format(&run->arena, "%s%s%s", what, detail[0] == '\0' ? "" : ": ", detail);
}

static void
rule_cell(struct run *run, struct table *table, const struct rows *lines, int i)
{
	bool for_people = run->format == FORMAT_TABLE;

	if (is_contracts_own(lines, i))
		table_cell(table, for_people ? row_text(lines, i, LINE_KIND) : "");
	else
		table_cell_format(table, "%s v%s rule %s%s", row_text(lines, i, LINE_BOOK), row_text(lines, i, LINE_VERSION),
		    row_text(lines, i, LINE_RULE), for_people ? rule_words(run, lines, i) : "");
}

/* A line of a contract alone, for people: what it is stands where others have their model. */
static void
add_contracts_own(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	table_cell(table, row_text(lines, i, LINE_NUMBER));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
	for (int column = LINE_SERVICE_TIER; column <= LINE_PER; column++)
		if (column != LINE_DECIMALS)
			table_cell(table, NULL);
	table_cell(table, row_text(lines, i, LINE_EXACT));
	table_cell(table, minor_format(run, row_number(lines, i, LINE_MINOR), minor_units));
	rule_cell(run, table, lines, i);
}

static void
add_line(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	const char *tier = row_text(lines, i, LINE_TIER);

	table_row(table);
	if (run->format == FORMAT_TABLE && is_contracts_own(lines, i)) {
		add_contracts_own(run, table, lines, i, minor_units);
		return;
	}
	for (int column = LINE_NUMBER; column <= LINE_PRICED_AS; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, strcmp(tier, "0") == 0 ? "" : tier);
	/* A table has no column for what is billed beside the quantity; the price is of what is billed. */
	table_cell(table, quantity_text(run, lines, i, run->format == FORMAT_TABLE ? LINE_BILLED : LINE_QUANTITY));
	for (int column = LINE_PRICE; column <= LINE_EXACT; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, minor_format(run, row_number(lines, i, LINE_MINOR), minor_units));
	rule_cell(run, table, lines, i);
	if (run->format == FORMAT_TABLE)
		return;
	table_cell(table, row_text(lines, i, LINE_KIND));
	table_cell(table, quantity_text(run, lines, i, LINE_BILLED));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
}

static struct table *
line_table(const struct run *run)
{
#define COLUMNS_FOR_PEOPLE                                                                                                       \
	{"line", "line", COLUMN_NUMBER}, {"model", "model", COLUMN_TEXT}, {"service_tier", "service tier", COLUMN_TEXT},         \
	    {"meter", "meter", COLUMN_TEXT}, {"priced_as", "priced as", COLUMN_TEXT}, {"tier", "price tier", COLUMN_NUMBER},     \
	    {"quantity", "quantity", COLUMN_NUMBER}, {"price", "price", COLUMN_NUMBER}, {"per", "per", COLUMN_NUMBER},           \
	    {"exact_amount", "exact", COLUMN_NUMBER}, {"amount", "amount", COLUMN_NUMBER},                                       \
	{                                                                                                                        \
		"price_rule", "price rule", COLUMN_TEXT                                                                          \
	}
	static const struct column for_people[] = {COLUMNS_FOR_PEOPLE, {0}};
	static const struct column for_programs[] = {COLUMNS_FOR_PEOPLE, {"kind", "kind", COLUMN_TEXT},
	    {"billed", "billed", COLUMN_NUMBER}, {"detail", "detail", COLUMN_TEXT}, {0}};

	return table_new(run->format == FORMAT_TABLE ? for_people : for_programs);
}

static bool
show(struct run *run, struct error *err)
{
	struct rows invoice, lines;
	struct table *table;

	if (!db_rows(run->db, SQL_LEDGER_INVOICE_FIND, PARAMS(run->operands[0]), &invoice, err))
		return false;
	if (invoice.count != 1) {
		rows_release(&invoice);
		error_set(err, ERROR_STATE, "there is no invoice \"%s\"", run->operands[0]);
		return error_hint(
		    err, "Name a final one by its number, a draft by TENANT:PERIOD; tollbook invoice list shows them.");
	}
	if (!db_rows(run->db, SQL_LEDGER_INVOICE_LINES, PARAMS(row_text(&invoice, 0, 0)), &lines, err)) {
		rows_release(&invoice);
		return false;
	}
	table = line_table(run);
	for (int i = 0; i < lines.count; i++)
		add_line(run, table, &lines, i, row_number(&invoice, 0, 12));
	if (run->format == FORMAT_TABLE)
		print_header(run, &invoice);
	table_print(table, run, "no lines");
	table_free(table);
	rows_release(&lines);
	rows_release(&invoice);
	return true;
}
