/* reconcile.c -- see reconcile.h. */
#include "reports/reconcile.h"

#include <string.h>

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
run_queries(struct reconciling *reconciling, struct error *err)
{
	struct run *run = reconciling->run;

	for (size_t i = 0; i < statement_count; i++) {
		const char *name = statements[i].name;
		enum statement_id check = (enum statement_id)i;

		if (strncmp(name, "checks/", 7) != 0)
			continue;
		reconciling->at =
		    (struct reconciled){arena_copy(&run->arena, name + 7, strcspn(name + 7, "_")), check_title(run, check), 0};
		if (!check_query(run, check, &reconciling->at.differences, err))
			return false;
		reconciling->told(reconciling->context, &reconciling->at);
	}
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
	    {"4", "credit notes recomputed = their content digests", credit_notes_verify},
	    {"8", "charges and holds in force = the digests of their ratings", ratings_stored_verify},
	    {"8", "rating again with unchanged inputs changes nothing", rate_verify},
	};

	for (size_t i = 0; i < sizeof deeper / sizeof deeper[0]; i++) {
		reconciling->at = (struct reconciled){deeper[i].invariant, deeper[i].what, 0};
		if (!deeper[i].check(reconciling->run, found_one, reconciling, err))
			return false;
		reconciling->told(reconciling->context, &reconciling->at);
	}
	return true;
}

bool
books_reconcile(struct run *run, reconcile_told *told, void *context, struct error *err)
{
	struct reconciling reconciling = {.run = run, .told = told, .context = context};
	bool fine = db_begin(run->db, err);

	/* One snapshot, so that work going on meanwhile is no difference. */
	fine = fine && db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) && run_queries(&reconciling, err) &&
	    run_deeper(&reconciling, err);
	db_rollback(run->db);
	return fine;
}
