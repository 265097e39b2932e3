/*
 * reconcile.h -- are the books sound?  Everything that must always hold, proved in one snapshot.
 *
 * A check is a query of sql/checks/ whose right answer is no rows; its file's number is the invariant it proves, its first
 * line is what is told.  Some need more than a query: digests are computed again, and charges too.
 */
#ifndef REPORTS_RECONCILE_H
#define REPORTS_RECONCILE_H

#include "base/command.h"

struct reconciled {
	const char *invariant; /* "1" */
	const char *what;      /* what must hold */
	int64_t differences;   /* 0: it does */
};

/* Called for each check when it is done. */
typedef void reconcile_told(void *context, const struct reconciled *reconciled);
/* Runs all checks in a transaction of its own, which writes nothing, and shows the first differences of each on standard
 * error. */
MUST_CHECK
bool books_reconcile(struct run *run, reconcile_told *told, void *context, struct error *err);
/* The same of the checks that know a scope, and of the ratings, of this period (YYYY-MM) and later ones: it costs what these have. */
MUST_CHECK
bool books_reconcile_from(struct run *run, const char *period, reconcile_told *told, void *context, struct error *err);

#endif
