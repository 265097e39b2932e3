/* cmd_payment.c -- `tollbook payment import|list|balances`. */
#include "base/money.h"
#include "base/table.h"
#include "ledger/payment.h"

static bool import(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool balances(struct run *run, struct error *err);

static const struct option_spec list_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {"invoice", "NUMBER", "only payments of this invoice", 'i'},
    {0},
};

static const struct option_spec balance_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {0},
};

const struct command cmd_payment_import = {
    .name = "payment import",
    .summary = "book payments of invoices from a bank's list; a reference that is known is the same payment",
    .operands = "CSV",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook payment import payments.csv\n"
	       "  The header names reference,invoice,amount,currency,paid_on; all rows are booked, or none.",
    .run = import,
};

const struct command cmd_payment_list = {
    .name = "payment list",
    .summary = "list payments of invoices",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook payment list --tenant acme\n  tollbook payment list --invoice TF-INV-2026-000001 --format csv",
    .run = list,
};

const struct command cmd_payment_balances = {
    .name = "payment balances",
    .summary = "list what tenants have in their favour; it pays their next invoice",
    .operands = "",
    .options = balance_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook payment balances",
    .run = balances,
};

struct telling {
	struct run *run;
	struct table *table;
};

static void
tell_sum(void *context, const struct payment_sum *sum)
{
	struct telling *telling = context;
	struct table *table = telling->table;
	struct arena *arena = &telling->run->arena;

	table_row(table);
	table_cell(table, sum->currency);
	table_cell_format(table, "%lld", (long long)sum->imported);
	table_cell_format(table, "%lld", (long long)sum->known);
	table_cell(table, money_text(arena, sum->amount, sum->minor_units));
	table_cell(table, money_text(arena, sum->to_balance, sum->minor_units));
	table_cell(table, money_text(arena, sum->recovered, sum->minor_units));
}

static bool
import(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"currency", "currency", COLUMN_TEXT}, {"imported", "imported", COLUMN_NUMBER},
	    {"known", "known already", COLUMN_NUMBER}, {"amount", "amount", COLUMN_NUMBER},
	    {"to_balance", "to balances", COLUMN_NUMBER}, {"recovered", "written off before", COLUMN_NUMBER}, {0}};
	struct telling telling = {run, table_new(columns)};
	bool fine = payments_import(run, run->operands[0], tell_sum, &telling, err);

	if (fine)
		table_print(telling.table, run, "no payments in the file");
	table_free(telling.table);
	return fine;
}

static bool
list(struct run *run, struct error *err)
{
	enum { AMOUNT = 4, EXCESS, RECOVERED, MINOR_UNITS, CURRENCY, COLUMNS = 12 };
	static const struct column columns[] = {{"reference", "reference", COLUMN_TEXT}, {"method", "method", COLUMN_TEXT},
	    {"invoice", "invoice", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER},
	    {"to_balance", "to balance", COLUMN_NUMBER}, {"recovered", "written off before", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"paid_on", "paid on", COLUMN_TEXT}, {"booked_at", "booked at", COLUMN_TEXT},
	    {"booked_by", "by", COLUMN_TEXT}, {0}};
	const char *tenant = option_value(run, "tenant"), *invoice = option_value(run, "invoice");
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_PAYMENT_LIST, PARAMS(tenant == NULL ? "" : tenant, invoice == NULL ? "" : invoice),
		&rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < AMOUNT; j++)
			table_cell(table, row_text(&rows, i, j));
		for (int j = AMOUNT; j <= RECOVERED; j++)
			table_cell(table, money_text(&run->arena, row_number(&rows, i, j), row_number(&rows, i, MINOR_UNITS)));
		for (int j = CURRENCY; j < COLUMNS; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no payments");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
balances(struct run *run, struct error *err)
{
	enum { TENANT, ISSUER, CURRENCY, BALANCE, MINOR_UNITS, PLACE, CHANGED_AT, COLUMNS = 8 };
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"issuer", "issuer", COLUMN_TEXT},
	    {"balance", "balance", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"changes", "changes", COLUMN_NUMBER},
	    {"changed_at", "changed at", COLUMN_TEXT}, {"changed_by", "by document or payment", COLUMN_TEXT}, {0}};
	const char *tenant = option_value(run, "tenant");
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_BALANCE_LIST, PARAMS(tenant == NULL ? "" : tenant), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		table_cell(table, row_text(&rows, i, TENANT));
		table_cell(table, row_text(&rows, i, ISSUER));
		table_cell(table, money_text(&run->arena, row_number(&rows, i, BALANCE), row_number(&rows, i, MINOR_UNITS)));
		table_cell(table, row_text(&rows, i, CURRENCY));
		for (int j = PLACE; j < COLUMNS; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no tenant has a balance");
	table_free(table);
	rows_release(&rows);
	return true;
}
