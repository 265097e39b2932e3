/* night_reconcile.c -- do the books agree after all that the night did? */
#include <string.h>

#include "base/table.h"
#include "nightly/night.h"
#include "reports/reconcile.h"

struct reconciling {
	struct run *run;
	int64_t checks, differences;
	struct text different; /* JSON: the checks that found some */
};

static void
found(void *context, const struct reconciled *reconciled)
{
	struct reconciling *reconciling = context;
	struct text *different = &reconciling->different;

	progress(reconciling->run, "reconcile: %s", reconciled->what);
	reconciling->checks++;
	if (reconciled->differences == 0)
		return;
	say(reconciling->run, "DIFFERENT  %s  %s: %lld", reconciled->invariant, reconciled->what,
	    (long long)reconciled->differences);
	reconciling->differences += reconciled->differences;
	text_add_string(different, different->length == 0 ? "{\"invariant\":" : ",{\"invariant\":");
	text_add_json(different, reconciled->invariant);
	text_add_string(different, ",\"check\":");
	text_add_json(different, reconciled->what);
	text_add_format(different, ",\"differences\":%lld}", (long long)reconciled->differences);
}

/* *period is NULL where no month is open. */
static bool
first_open_month(struct run *run, const char **period, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_RECONCILE_FROM, NO_PARAMS, &rows, err))
		return false;
	*period = rows.count == 0 ? NULL : arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	return true;
}

bool
night_reconcile(struct night *night, struct night_told *told, struct error *err)
{
	struct reconciling reconciling = {.run = night->run};
	bool full = strcmp(config_text(night->config, "night.reconcile"), "full") == 0;
	const char *from = "";
	bool fine;

	if (full)
		fine = books_reconcile(night->run, found, &reconciling, err);
	else
		fine = first_open_month(night->run, &from, err) &&
		    (from == NULL || books_reconcile_from(night->run, from, found, &reconciling, err));
	progress_end(night->run);
	if (fine) {
		text_add_format(&told->line, "checks %lld, differences %lld", (long long)reconciling.checks,
		    (long long)reconciling.differences);
		if (!full)
			text_add_format(&told->line, "; %s%s", from == NULL ? "no month is open" : "of open months, from ",
			    from == NULL ? "" : from);
		text_add_format(&told->json, "\"checks\":%lld,\"differences\":%lld,\"different\":[%s]",
		    (long long)reconciling.checks, (long long)reconciling.differences, text_string(&reconciling.different));
		told->differences = reconciling.differences > 0;
	}
	text_release(&reconciling.different);
	return fine;
}
