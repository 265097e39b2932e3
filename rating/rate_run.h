/*
 * rate_run.h -- one rating pass: new usage into intervals, intervals into charges and holds.
 *
 * Charges are a pure function of intervals, price books and contracts; see charges.h.
 */
#ifndef RATING_RATE_RUN_H
#define RATING_RATE_RUN_H

#include "base/command.h"
#include "ledger/verify.h"

struct rate_scope {
	const char *period, *tenant; /* "" for all */
	size_t workers;              /* threads that compute; what comes out does not depend on it */
};

struct rate_result {
	int64_t rating_run; /* 0: nothing was new, and no run is recorded */
	int64_t batches, events, intervals, ratings, charges, holds;
	int64_t
	    left; /* of a share: tenant periods that changed again and again while they were priced, and wait for the next run */
};

/* Called for a tenant's period that cannot be rated.  The others go on: it waits to be rated, with the tenant's later periods, into which
 * something may be carried over, and what is in force of them stays. */
typedef void rate_failed(void *context, const char *tenant, const char *period, const struct error *err);
/* Called in the transaction when all is rated, before it is committed: what is written stands if and only if the pass does. */
typedef bool rate_ending(void *context, const struct rate_result *result, struct error *err);
struct rate_told {
	void *context;
	rate_failed *failed;
	rate_ending *ending; /* or NULL */
};

/* One pass in one transaction, rolled back for a dry run.  ERROR_BUSY when another is active. */
MUST_CHECK
bool rate_run(
    struct run *run, struct rate_scope scope, const struct rate_told *told, struct rate_result *result, struct error *err);

/* A part of the tenants, told by a hash of their names. */
struct rate_share {
	int64_t number, count; /* from 1 */
};
enum { RATE_SHARES_MAX = 1024 };

/* The same for a share of the tenants, beside others that rate other shares, on other machines, too.  The first one sums what is new, as a
 * run of its own.  Each month of the share is then priced beside everything else, and booked as a run of its own, for which it waits for
 * the lock of rating.  Charges are what rate_run() would have made.  Killed, what it booked stays, and the rest is still due.  The
 * result's `rating_run` is the last of its runs.  `told->ending` is NULL.  ERROR_BUSY when somebody else rates this share. */
MUST_CHECK
bool rate_run_share(struct run *run, struct rate_scope scope, struct rate_share share, const struct rate_told *told,
    struct rate_result *result, struct error *err);

/* The one lock that rating, finalizing and whatever else changes money takes first, until the transaction ends; it does not wait:
 * ERROR_BUSY when somebody else has it. */
MUST_CHECK
bool rate_lock(struct run *run, struct error *err);

struct rate_again {
	const char *period, *tenant, *model; /* tenant and model: "" for all */
};
struct rate_again_result {
	int64_t rating_run; /* 0: nothing is in the scope, and no run is recorded */
	int64_t ratings, charges, holds;
};

/* Rates again, inside the caller's transaction, which holds rate_lock(): in full, also where a period is closed and usage was
 * held for that, every tenant period of the month in scope that has a rating, and those later ones of the same tenants into
 * which something is carried over (counters, commitments), in order.  With all prices, contracts and substitutions that are
 * there.  A run of kind 'rerate' is recorded and its ratings are in force; finance.rating says which.  Usage that no run has
 * summed yet does not count.  One period that cannot be rated is an error of the whole. */
MUST_CHECK
bool rate_again(struct run *run, struct rate_again scope, struct rate_again_result *result, struct error *err);

/* Computes the ratings in force, those they repeat and those that documents stand on, again from the inputs they were made from,
 * as far as this engine made them, and calls `differs` for each whose inputs or output have another digest; invariant 8. */
MUST_CHECK
bool rate_verify(struct run *run, verify_differs *differs, void *context, struct error *err);

#endif
