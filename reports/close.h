/*
 * close.h -- may a month be closed?  What stands against it, with the money at stake.
 */
#ifndef REPORTS_CLOSE_H
#define REPORTS_CLOSE_H

#include "base/command.h"

struct close_scope {
	const char *period;
	int64_t grace_hours;  /* after the month has ended in every zone that a tenant is in */
	const char *accepted; /* names of checks with a comma between them, see close_accepted_check(); "" for none */
};

enum close_result { CLOSE_OK, CLOSE_OPEN, CLOSE_ACCEPTED };

struct close_row {
	const char *check;
	enum close_result result;
	const char *what;
	const char *at_stake; /* decimal text, "unknown", or NULL where it is not about money */
	const char *currency;
};

/* Called for each check that is fine, and for each thing that is not; texts live as long as the run. */
typedef void close_told(void *context, const struct close_row *row);
/* Are these names of checks that a person may accept as they stand? */
MUST_CHECK
bool close_accepted_check(const char *accepted, struct error *err);
/* Are the books sound?  In a transaction of its own: on a large ledger it takes long, and nobody should wait for it. */
MUST_CHECK
bool close_reconcile(struct run *run, close_told *told, void *context, struct error *err);
/* Everything else, in the caller's transaction.  Estimates say so. */
MUST_CHECK
bool close_checks(struct run *run, const struct close_scope *scope, close_told *told, void *context, struct error *err);

#endif
