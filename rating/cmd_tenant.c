/* cmd_tenant.c -- `tollbook tenant apply|list`. */
#include <string.h>

#include "base/table.h"
#include "rating/contract_terms.h"
#include "rating/tenant_apply.h"

static bool apply(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);

const struct command cmd_tenant_apply = {
    .name = "tenant apply",
    .summary = "make tenants' contracts what a file says; applying it again changes nothing",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook tenant apply examples/tenants.json\n  tollbook tenant apply tenants.csv --dry-run",
    .run = apply,
};

const struct command cmd_tenant_list = {
    .name = "tenant list",
    .summary = "list tenants' contracts",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook tenant list --format json",
    .run = list,
};

/* --- apply ----------------------------------------------------------------------------------- */

static void
tell_tenant(void *context, const struct tenant_row *row, bool is_new)
{
	struct table *table = context;

	table_row(table);
	table_cell(table, row->tenant);
	table_cell(table, row->name);
	table_cell(table, row->currency);
	table_cell(table, row->zone);
	table_cell(table, row->book);
	table_cell(table, row->effective);
	table_cell(table, is_new ? "applied" : "unchanged");
}

static bool
apply(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
	    {"currency", "currency", COLUMN_TEXT}, {"zone", "zone", COLUMN_TEXT}, {"book", "book", COLUMN_TEXT},
	    {"effective", "effective", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct table *table = table_new(columns);
	int64_t changed;
	bool fine = db_begin(run->db, err) && tenants_apply_within(run, run->operands[0], tell_tenant, table, &changed, err);

	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		table_print(table, run, "no tenants in the file");
	table_free(table);
	return fine;
}

/* --- list ------------------------------------------------------------------------------------ */

/* Columns of contract_list.sql. */
enum { LIST_TENANT, LIST_ZONE = 4, LIST_TERMS = 12, LIST_COLUMNS };

/* "trial, 2 fees": what a row's terms have; "" for none. */
static bool
terms_summary(struct run *run, const struct rows *rows, int row, const char **out, struct error *err)
{
	struct contract_terms *terms = NULL;

	if (row_length(rows, row, LIST_TERMS) > 0 &&
	    !contract_terms_parse(row_text(rows, row, LIST_TERMS), row_length(rows, row, LIST_TERMS),
		row_text(rows, row, LIST_TENANT), "terms", row_text(rows, row, LIST_ZONE), &terms, err))
		return false;
	*out = contract_terms_summary(terms, &run->arena);
	contract_terms_free(terms);
	return true;
}

static bool
list_row(struct run *run, const struct rows *rows, int row, struct table *table, struct error *err)
{
	const char *summary;

	if (!terms_summary(run, rows, row, &summary, err))
		return false;
	table_row(table);
	for (int column = 0; column < LIST_COLUMNS; column++)
		table_cell(table, column == LIST_TERMS ? summary : row_text(rows, row, column));
	return true;
}

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
	    {"issuer", "issuer", COLUMN_TEXT}, {"currency", "currency", COLUMN_TEXT}, {"zone", "zone", COLUMN_TEXT},
	    {"anchor", "anchor", COLUMN_NUMBER}, {"grace_hours", "grace", COLUMN_NUMBER}, {"book", "book", COLUMN_TEXT},
	    {"override", "override", COLUMN_TEXT}, {"effective", "effective", COLUMN_TEXT}, {"until", "until", COLUMN_TEXT},
	    {"tax", "tax", COLUMN_TEXT}, {"terms", "terms", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_RATING_CONTRACT_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; fine && i < rows.count; i++)
		fine = list_row(run, &rows, i, table, err);
	if (fine)
		table_print(table, run, "no tenants");
	table_free(table);
	rows_release(&rows);
	return fine;
}
