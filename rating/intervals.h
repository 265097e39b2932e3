/*
 * intervals.h -- new ledger rows summed into 15-minute intervals.
 *
 * Reads only batches that no run has summed, streaming them out of the ledger into a table in memory, so the cost grows
 * with new usage, not with the ledger.  What comes out are increments: a run's rows are added to those of earlier runs.
 */
#ifndef RATING_INTERVALS_H
#define RATING_INTERVALS_H

#include "base/command.h"

struct intervals_result {
	int64_t batches, events, intervals; /* intervals: increments written */
};

/* Inside an open transaction that holds the rating lock. */
MUST_CHECK
bool intervals_sum(struct run *run, int64_t rating_run, struct intervals_result *result, struct error *err);

#endif
