/*
 * archive_guard.h -- for everybody who reads single ledger rows: rows that are archived are missed loudly, never silently.
 *
 * Sums need none of this: those of archived rows stand in the books.  Each error is of kind STATE and names months, files and the remedy.
 */
#ifndef LEDGER_ARCHIVE_GUARD_H
#define LEDGER_ARCHIVE_GUARD_H

#include "base/db.h"

/* Rows are not taken out of the ledger until the transaction ends.  Before the first look of a transaction with one snapshot: what it sees of
 * archives is then what it sees of rows. */
MUST_CHECK
bool archive_hold(struct db *db, struct error *err);
/* Are rows from an instant on archived?  `what` needs them: "telling requests apart from 2026-01-01T00:00:00Z on". */
MUST_CHECK
bool archive_refuse_since(struct db *db, const char *since, const char *what, struct error *err);
/* Are rows of a tenant within [from, to) archived? */
MUST_CHECK
bool archive_refuse_span(struct db *db, const char *tenant, const char *from, const char *to, struct error *err);
/* Are the rows of an event archived, or of one that corrects it or that it corrects? */
MUST_CHECK
bool archive_refuse_event(struct db *db, const char *event_id, struct error *err);

#endif
