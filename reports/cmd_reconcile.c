/*
 * cmd_reconcile.c -- `tollbook reconcile`: are the books sound?
 *
 * A check is a query of sql/checks/ whose right answer is no rows; its file's number is the invariant it proves, its first
 * line is what is printed.  Some need more than a query: digests are computed again, and charges too.
 */
#include <string.h>

#include "base/table.h"
#include "ledger/verify.h"
#include "rating/rate_run.h"
#include "rating/rating_stored.h"
#include "reports/check.h"

static bool reconcile(struct run *run, struct error *err);

const struct command cmd_reconcile = {
    .name = "reconcile",
    .summary = "prove that ledger, intervals, charges, invoices and numbers agree; exit 7 where they do not",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook reconcile\n  tollbook reconcile --format json",
    .run = reconcile,
};

struct reconciling {
	struct run *run;
	struct table *table;
	int64_t found; /* differences of the check at hand */
	const char *name;
};

static void
tell(struct reconciling *reconciling, const char *invariant, const char *what)
{
	table_row(reconciling->table);
	table_cell(reconciling->table, invariant);
	table_cell(reconciling->table, what);
	table_cell_format(reconciling->table, "%lld", (long long)reconciling->found);
	table_cell(reconciling->table, reconciling->found == 0 ? "ok" : "DIFFERENT");
	if (reconciling->found > 0)
		reconciling->run->finding = ERROR_FINDINGS;
}

static bool
run_queries(struct reconciling *reconciling, struct error *err)
{
	struct run *run = reconciling->run;

	for (size_t i = 0; i < statement_count; i++) {
		const char *name = statements[i].name;
		enum statement_id check = (enum statement_id)i;

		if (strncmp(name, "checks/", 7) != 0)
			continue;
		if (!check_query(run, check, &reconciling->found, err))
			return false;
		tell(reconciling, arena_copy(&run->arena, name + 7, strcspn(name + 7, "_")), check_title(run, check));
	}
	return true;
}

static void
found_one(void *context, const char *what, const char *where)
{
	struct reconciling *reconciling = context;

	if (reconciling->found < CHECK_SHOWN)
		say(reconciling->run, "%s: %s %s", reconciling->name, what, where);
	reconciling->found++;
}

static bool
run_deeper(struct reconciling *reconciling, struct error *err)
{
	static const struct {
		const char *invariant, *what;
		bool (*check)(struct run *run, verify_differs *differs, void *context, struct error *err);
	} deeper[] = {
	    {"1", "batch digests recomputed from the ledger rows = those written, each chained to the one before",
		batches_verify},
	    {"1", "what usage is attributed to = the digests it is known by", series_verify},
	    {"4", "final invoices recomputed = their content digests", invoices_verify},
	    {"8", "charges and holds in force = the digests of their ratings", ratings_stored_verify},
	    {"8", "rating again with unchanged inputs changes nothing", rate_verify},
	};

	for (size_t i = 0; i < sizeof deeper / sizeof deeper[0]; i++) {
		reconciling->found = 0;
		reconciling->name = deeper[i].what;
		if (!deeper[i].check(reconciling->run, found_one, reconciling, err))
			return false;
		tell(reconciling, deeper[i].invariant, deeper[i].what);
	}
	return true;
}

static bool
reconcile(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"invariant", "inv", COLUMN_TEXT}, {"check", "check", COLUMN_TEXT},
	    {"differences", "differences", COLUMN_NUMBER}, {"result", "result", COLUMN_TEXT}, {0}};
	struct reconciling reconciling = {.run = run, .table = table_new(columns)};
	bool fine = db_begin(run->db, err);

	/* One snapshot, so that work going on meanwhile is no difference. */
	fine = fine && db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) && run_queries(&reconciling, err) &&
	    run_deeper(&reconciling, err);
	db_rollback(run->db);
	if (fine)
		table_print(reconciling.table, run, "");
	table_free(reconciling.table);
	return fine;
}
