/* cmd_reconcile.c -- `tollbook reconcile`: are the books sound? */
#include "base/table.h"
#include "reports/reconcile.h"

static bool reconcile(struct run *run, struct error *err);

const struct command cmd_reconcile = {
    .name = "reconcile",
    .summary = "prove that ledger, charges, invoices, credits, journal and numbers agree; exit 7 where they do not",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook reconcile\n  tollbook reconcile --format json",
    .run = reconcile,
};

struct telling {
	struct run *run;
	struct table *table;
};

static void
tell(void *context, const struct reconciled *reconciled)
{
	struct telling *telling = context;

	table_row(telling->table);
	table_cell(telling->table, reconciled->invariant);
	table_cell(telling->table, reconciled->what);
	table_cell_format(telling->table, "%lld", (long long)reconciled->differences);
	table_cell(telling->table, reconciled->differences == 0 ? "ok" : "DIFFERENT");
	if (reconciled->differences > 0)
		telling->run->finding = ERROR_FINDINGS;
}

static bool
reconcile(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"invariant", "inv", COLUMN_TEXT}, {"check", "check", COLUMN_TEXT},
	    {"differences", "differences", COLUMN_NUMBER}, {"result", "result", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	bool fine = books_reconcile(run, tell, &telling, err);

	if (fine)
		table_print(telling.table, run, "");
	table_free(telling.table);
	return fine;
}
