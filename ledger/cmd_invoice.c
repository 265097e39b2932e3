/* cmd_invoice.c -- `tollbook invoice draft|finalize|list|show|uncollectible`. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/invoice.h"
#include "ledger/invoice_document.h"
#include "ledger/period.h"

static bool draft(struct run *run, struct error *err);
static bool finalize(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool uncollectible(struct run *run, struct error *err);

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
    .summary = "list invoices and drafts with their totals and what is due",
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

static const struct option_spec uncollectible_options[] = {
    {"reason", "REASON", "why, of those that tollbook reason list shows", 'r'},
    {"ticket", "TICKET", "where it was decided", 'k'},
    {0},
};

const struct command cmd_invoice_uncollectible = {
    .name = "invoice uncollectible",
    .summary = "write off what is due of an invoice that nobody expects to be paid",
    .operands = "NUMBER",
    .operands_min = 1,
    .operands_max = 1,
    .options = uncollectible_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice uncollectible TF-INV-2026-000001 --reason bankruptcy --ticket FIN-77",
    .run = uncollectible,
};

static bool
read_scope(struct run *run, struct invoice_scope *scope, struct error *err)
{
	*scope = (struct invoice_scope){.tenant = option_text(run, "tenant")};
	return period_option(run, &scope->period, err);
}

/* What the callbacks of drafting and finalizing share. */
struct telling {
	struct run *run;
	struct table *table;
};

static void
money_cell(struct table *table, struct money money)
{
	char text[DECIMAL_TEXT];

	table_cell(table, money_format(money, text));
}

static void
empty_cells(struct table *table, int count)
{
	for (int i = 0; i < count; i++)
		table_cell(table, NULL);
}

/* The table has the message alone. */
static void
tell_failure(struct run *run, const char *tenant, const char *period, const struct error *failed)
{
	if (failed == NULL)
		return;
	say(run, "%s of %s: %s%s%s", period, tenant, failed->message, failed->hint[0] == '\0' ? "" : ". ", failed->hint);
	run->finding = ERROR_FINDINGS;
}

static void
tell_draft(void *context, const struct drafted *drafted)
{
	enum { AMOUNTS = 5 };
	struct telling *telling = context;
	struct money total = drafted->net;

	table_row(telling->table);
	table_cell(telling->table, drafted->tenant);
	table_cell(telling->table, drafted->period);
	if (drafted->skipped != NULL) {
		empty_cells(telling->table, AMOUNTS);
		table_cell(telling->table, drafted->skipped);
		tell_failure(telling->run, drafted->tenant, drafted->period, drafted->failed);
		return;
	}
	total.minor += drafted->tax.minor;
	table_cell_format(telling->table, "%lld", (long long)drafted->lines);
	money_cell(telling->table, drafted->net);
	money_cell(telling->table, drafted->tax);
	money_cell(telling->table, total);
	table_cell(telling->table, drafted->net.currency->code);
	table_cell(telling->table, drafted->of_adjustments ? "draft of adjustments" : "draft");
}

static bool
draft(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},
	    {"lines", "lines", COLUMN_NUMBER}, {"net", "net", COLUMN_NUMBER}, {"tax", "tax", COLUMN_NUMBER},
	    {"total", "total", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
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
	enum { AMOUNTS = 6 };
	struct telling *telling = context;

	table_row(telling->table);
	table_cell(telling->table, finalized->number);
	table_cell(telling->table, finalized->tenant);
	table_cell(telling->table, finalized->period);
	if (finalized->refused != NULL) {
		empty_cells(telling->table, AMOUNTS);
		table_cell(telling->table, finalized->refused);
		tell_failure(telling->run, finalized->tenant, finalized->period, finalized->failed);
		telling->run->finding = ERROR_FINDINGS;
		return;
	}
	money_cell(telling->table, finalized->net);
	money_cell(telling->table, finalized->credits);
	money_cell(telling->table, finalized->tax);
	money_cell(telling->table, finalized->total);
	money_cell(telling->table, finalized->from_balance);
	table_cell(telling->table, finalized->net.currency->code);
	table_cell(telling->table, "final");
}

static bool
finalize(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER},
	    {"tax", "tax", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"from_balance", "from balance", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	struct invoice_scope scope;
	bool fine = read_scope(run, &scope, err) && invoices_finalize(run, scope, tell_final, &telling, err);

	/* Those that were finalized before a failure stay so, and are shown. */
	table_print(telling.table, run, "no drafts in scope");
	table_free(telling.table);
	return fine;
}

static bool
list(struct run *run, struct error *err)
{
	enum { AMOUNT = 6, MINOR_UNITS = 11, CURRENCY, COLUMNS = 14 };
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT},
	    {"lines", "lines", COLUMN_NUMBER}, {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER},
	    {"tax", "tax", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"due", "due", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"issued_on", "issued on", COLUMN_TEXT}, {0}};
	struct invoice_scope scope;
	struct table *table;
	struct rows rows;

	if (!read_scope(run, &scope, err) ||
	    !db_rows(run->db, SQL_LEDGER_INVOICE_LIST, PARAMS(scope.period, scope.tenant), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < AMOUNT; j++)
			table_cell(table, row_text(&rows, i, j));
		for (int j = AMOUNT; j < MINOR_UNITS; j++)
			table_cell(table, money_text(&run->arena, row_number(&rows, i, j), row_number(&rows, i, MINOR_UNITS)));
		for (int j = CURRENCY; j < COLUMNS; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no invoices");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
uncollectible(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"written_off", "written off", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	const char *reason = option_value(run, "reason"), *ticket = option_value(run, "ticket");
	struct written_off off;
	struct table *table;

	if (ticket == NULL || ticket[0] == '\0') {
		error_set(err, ERROR_USAGE, "an invoice is written off for a ticket");
		return error_hint(err, "Say where it was decided: --ticket FIN-77");
	}
	if (!invoice_write_off(run, run->operands[0], reason, ticket, &off, err))
		return false;
	table = table_new(columns);
	table_row(table);
	table_cell(table, run->operands[0]);
	table_cell(table, money_text(&run->arena, off.minor, off.minor_units));
	table_cell(table, off.currency);
	table_cell(table, "uncollectible");
	table_print(table, run, "");
	table_free(table);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	return invoice_show(run, run->operands[0], run->format, stdout, err);
}
