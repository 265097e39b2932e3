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
};

/* One pass in one transaction, rolled back for a dry run.  ERROR_BUSY when another is active. */
MUST_CHECK
bool rate_run(struct run *run, struct rate_scope scope, struct rate_result *result, struct error *err);

/* Computes the ratings in force, and those behind final invoices, again from the inputs they were made from, as far as this engine
 * made them, and calls `differs` for each whose inputs or output have another digest; invariant 8. */
MUST_CHECK
bool rate_verify(struct run *run, verify_differs *differs, void *context, struct error *err);

#endif
