/*
 * rerate.h -- rating again what was rated before: planned, looked at, approved, applied.
 *
 * A plan is the application itself, in a savepoint that is rolled back: what is approved is what applying does, and where it
 * would do something else, because the books moved on, it is refused.  Old ratings stay.  The differences of closed periods
 * become adjustments.
 */
#ifndef RATING_RERATE_H
#define RATING_RERATE_H

#include "base/command.h"

struct rerate_scope {
	const char *period;
	const char *tenant, *model; /* "" for all */
	const char *prices;         /* BOOK@VERSION that prices in place of the version in force; NULL: those in force do */
	const char *reason, *ticket, *note;
};

/* Computes and stores the differences, and who must approve them.  *rerate_id is in the arena of the run.  ERROR_STATE where
 * usage of the scope is not rated yet, or nothing in it has a rating; ERROR_BUSY while something else rates. */
MUST_CHECK
bool rerate_plan(struct run *run, const struct rerate_scope *scope, const char **rerate_id, struct error *err);

/* Approves or rejects, once.  ERROR_STATE where it is decided otherwise, or somebody else must approve. */
MUST_CHECK
bool rerate_decide(struct run *run, const char *rerate_id, bool approve, const char *note, struct error *err);

struct rerate_applied {
	bool before;        /* it was applied before, and nothing was done */
	int64_t rating_run; /* that applied it */
};

/* Puts the new ratings in force and books adjustments, in one transaction, rolled back for a dry run.  ERROR_STATE where it is
 * not approved, or would come to something else than was planned. */
MUST_CHECK
bool rerate_apply(struct run *run, const char *rerate_id, const char *note, struct rerate_applied *out, struct error *err);

/* A re-rate as it stands: the row of rerate_get.sql, columns RERATE_...; ERROR_STATE where there is none.  Ended by
 * rows_release(). */
enum rerate_column {
	RERATE_PERIOD,
	RERATE_TENANT,
	RERATE_MODEL,
	RERATE_PRICES,
	RERATE_REASON,
	RERATE_TICKET,
	RERATE_NOTE,
	RERATE_SECOND_PERSON,
	RERATE_PLANNED_AT,
	RERATE_PLANNED_BY,
	RERATE_STATE, /* planned, approved, rejected, applied */
	RERATE_APPROVED_BY,
	RERATE_REJECTED_BY,
	RERATE_APPLIED_BY,
	RERATE_RUN, /* that applied it; 0: none */
};
MUST_CHECK
bool rerate_get(struct run *run, const char *rerate_id, struct rows *out, struct error *err);

#endif
