/* reconcile.c -- see reconcile.h. */
#include "reports/reconcile.h"

#include <string.h>

#include "ledger/archive_guard.h"
#include "ledger/register_check.h"
#include "ledger/verify.h"
#include "rating/rate_run.h"
#include "rating/rating_stored.h"
#include "reports/check.h"

struct reconciling {
	struct run *run;
	reconcile_told *told;
	void *context;
	struct reconciled at; /* the check at hand */
};

static bool
run_query(struct reconciling *reconciling, enum statement_id check, struct error *err)
{
	const char *name = statements[check].name + strlen("checks/");
	struct run *run = reconciling->run;

	reconciling->at = (struct reconciled){arena_copy(&run->arena, name, strcspn(name, "_")), check_title(run, check), 0};
	if (!check_query(run, check, &reconciling->at.differences, err))
		return false;
	reconciling->told(reconciling->context, &reconciling->at);
	return true;
}

static bool
run_queries(struct reconciling *reconciling, struct error *err)
{
	for (size_t i = 0; i < statement_count; i++)
		if (strncmp(statements[i].name, "checks/", strlen("checks/")) == 0 &&
		    !run_query(reconciling, (enum statement_id)i, err))
			return false;
	return true;
}

static void
found_one(void *context, const char *what, const char *where)
{
	struct reconciling *reconciling = context;

	if (reconciling->at.differences < CHECK_SHOWN)
		say(reconciling->run, "%s: %s %s", reconciling->at.what, what, where);
	reconciling->at.differences++;
}

/* What a query is not enough for. */
struct deeper {
	const char *invariant, *what;
	bool (*check)(struct run *run, verify_differs *differs, void *context, struct error *err);
};

static const struct deeper stored = {"8", "charges and holds in force = the digests of their ratings", ratings_stored_verify};

static bool
run_one_deeper(struct reconciling *reconciling, const struct deeper *deeper, struct error *err)
{
	reconciling->at = (struct reconciled){deeper->invariant, deeper->what, 0};
	if (!deeper->check(reconciling->run, found_one, reconciling, err))
		return false;
	reconciling->told(reconciling->context, &reconciling->at);
	return true;
}

static bool
run_deeper(struct reconciling *reconciling, struct error *err)
{
	const struct deeper deeper[] = {
	    {"1", "batch digests recomputed from the ledger rows = those written, each chained to the one before",
		batches_verify},
	    {"1", "every identity is in the register once, as it was booked, and its filters know it", register_verify},
	    {"1", "what usage is attributed to = the digests it is known by", series_verify},
	    {"4", "final invoices recomputed = their content digests", invoices_verify},
	    {"4", "credit notes recomputed = their content digests", credit_notes_verify},
	    stored,
	    {"8", "rating again with unchanged inputs changes nothing", rate_verify},
	};

	for (size_t i = 0; i < sizeof deeper / sizeof deeper[0]; i++)
		if (!run_one_deeper(reconciling, &deeper[i], err))
			return false;
	return true;
}

static bool
run_scoped(struct reconciling *reconciling, const char *period, struct error *err)
{
	static const enum statement_id checks[] = {SQL_CHECKS_2_INTERVALS_ARE_CHARGED_OR_HELD,
	    SQL_CHECKS_3_AMOUNTS_ARE_QUANTITY_TIMES_PRICE, SQL_CHECKS_3_CHARGES_ARE_LINES_AND_ADJUSTMENTS,
	    SQL_CHECKS_3_CHARGES_ARE_LINES_OR_NOT_YET_INVOICED};
	struct rows rows;

	if (!db_one_row(reconciling->run->db, SQL_REPORTS_CHECK_SCOPE, PARAMS(period), &rows, err))
		return false;
	rows_release(&rows);
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
		if (!run_query(reconciling, checks[i], err))
			return false;
	return run_one_deeper(reconciling, &stored, err);
}

/* Where the ledger is on several machines, its rows are not as of the snapshot's moment, and rows without a header are looked for before it. */
static bool
find_strangers(struct reconciling *reconciling, struct error *err)
{
	struct rows rows;

	if (!db_rows(reconciling->run->db, SQL_REPORTS_ROWS_WITHOUT_HEADER, NO_PARAMS, &rows, err))
		return false;
	reconciling->at = (struct reconciled){"1", "every row of a distributed ledger has the header of its batch", 0};
	for (int i = 0; i < rows.count; i++)
		found_one(reconciling, "no header of batch", row_text(&rows, i, 0));
	rows_release(&rows);
	if (reconciling->at.differences > 0)
		reconciling->told(reconciling->context, &reconciling->at);
	return true;
}

/* The snapshot, taken when rows can no longer be archived; and what it sees is committed on all machines. */
static bool
take_snapshot(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_change(db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) || !archive_hold(db, err) ||
	    !db_rows(db, SQL_REPORTS_LEDGER_SETTLED, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

bool
books_reconcile(struct run *run, reconcile_told *told, void *context, struct error *err)
{
	struct reconciling reconciling = {.run = run, .told = told, .context = context};
	bool fine = find_strangers(&reconciling, err) && db_begin(run->db, err);

	/* One snapshot, so that work going on meanwhile is no difference. */
	fine = fine && take_snapshot(run->db, err) && run_queries(&reconciling, err) && run_deeper(&reconciling, err);
	db_rollback(run->db);
	return fine;
}

bool
books_reconcile_from(struct run *run, const char *period, reconcile_told *told, void *context, struct error *err)
{
	struct reconciling reconciling = {.run = run, .told = told, .context = context};
	bool fine = db_begin(run->db, err);

	fine = fine && take_snapshot(run->db, err) && run_scoped(&reconciling, period, err);
	db_rollback(run->db);
	return fine;
}
