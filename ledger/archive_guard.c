/* archive_guard.c -- see archive_guard.h. */
#include "ledger/archive_guard.h"

/* Rows of month, how many, files: an error where there are any. */
static bool
refuse(struct db *db, enum statement_id id, struct params params, const char *what, const char *counted, struct error *err)
{
	enum { MONTH, COUNT, FILES };
	struct rows rows;
	bool fine;

	if (!db_rows(db, id, params, &rows, err))
		return false;
	fine = rows.count == 0;
	if (!fine) {
		error_set(err, ERROR_STATE, "%s: %s of %s%s are archived", what, counted, row_text(&rows, 0, MONTH),
		    rows.count > 1 ? " and other months" : "");
		error_detail(err, "%s of them are in %s.", row_text(&rows, 0, COUNT), row_text(&rows, 0, FILES));
		error_hint(err, "tollbook archive attach %s brings the rows back, archive detach lets them go again.",
		    row_text(&rows, 0, MONTH));
	}
	rows_release(&rows);
	return fine;
}

bool
archive_hold(struct db *db, struct error *err)
{
	return db_change(db, SQL_LEDGER_ARCHIVE_HOLD, NO_PARAMS, -1, err);
}

bool
archive_refuse_since(struct db *db, const char *since, const char *what, struct error *err)
{
	return refuse(db, SQL_LEDGER_ARCHIVED_SINCE, PARAMS(since), what, "ledger rows", err);
}

bool
archive_refuse_span(struct db *db, const char *tenant, const char *from, const char *to, struct error *err)
{
	return refuse(
	    db, SQL_LEDGER_ARCHIVED_SPAN, PARAMS(tenant, from, to), "single events cannot be shown", "ledger rows", err);
}

bool
archive_refuse_event(struct db *db, const char *event_id, struct error *err)
{
	return refuse(db, SQL_LEDGER_ARCHIVED_CHAIN, PARAMS(event_id), "the event cannot be shown", "events", err);
}
