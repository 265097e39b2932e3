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

static void
add_line(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	const char *priced_as = row_text(lines, i, 4), *tier = row_text(lines, i, 5), *meter = row_text(lines, i, 3);
	char quantity[DECIMAL_TEXT];

	table_row(table);
	for (int j = 0; j < 4; j++)
		table_cell(table, row_text(lines, i, j));
	table_cell(table, priced_as);
	table_cell(table, strcmp(tier, "0") == 0 ? "" : tier);
	table_cell(table, meter_format(meter_find(meter, strlen(meter)), row_integer(lines, i, 6), quantity));
	table_cell(table, row_text(lines, i, 8));
	table_cell(table, row_text(lines, i, 9));
	table_cell(table, row_text(lines, i, 10));
	table_cell(table, minor_format(run, row_number(lines, i, 11), minor_units));
	table_cell_format(table, "%s v%s rule %s", row_text(lines, i, 12), row_text(lines, i, 13), row_text(lines, i, 14));
}

static bool
show(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"line", "line", COLUMN_NUMBER}, {"model", "model", COLUMN_TEXT},
	    {"service_tier", "service tier", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT},
	    {"priced_as", "priced as", COLUMN_TEXT}, {"tier", "price tier", COLUMN_NUMBER},
	    {"quantity", "quantity", COLUMN_NUMBER}, {"price", "price", COLUMN_NUMBER}, {"per", "per", COLUMN_NUMBER},
	    {"exact_amount", "exact", COLUMN_NUMBER}, {"amount", "amount", COLUMN_NUMBER},
	    {"price_rule", "price rule", COLUMN_TEXT}, {0}};
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
	table = table_new(columns);
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
