/*
 * intervals.h -- new ledger rows summed into 15-minute intervals, by series and request class.
 *
 * Reads only batches that no run has summed, on several connections, into a table in memory, so the cost grows with new usage, not
 * with the ledger.  Where nothing is told apart the server sums what falls together and sends the sums; else, and where little falls
 * together, rows come one by one.  What comes out are increments: a run's rows are added to those of earlier runs.
 *
 * Where published price books tell requests apart by more than before, or from an earlier instant on, the run first goes through the
 * batches that were summed before, from that instant on, and moves what belongs into another class now: increments with minus in
 * the old class and plus in the new one, so that the sums over classes stay what they were.
 */
#ifndef RATING_INTERVALS_H
#define RATING_INTERVALS_H

#include "base/command.h"
#include "base/copy_binary.h"
#include "rating/request_class.h"

struct intervals_result {
	int64_t batches, events; /* new ones, summed */
	int64_t intervals;       /* increments written, moves between classes included */
	bool followed;           /* something is told apart that was not before */
};

struct intervals_scope {
	int64_t rating_run;
	int64_t priced_with, substituted_with; /* the newest price book version and substitution that count */
	bool only_follow;                      /* batches that are not summed yet stay so */
	size_t streams;                        /* connections that read the ledger, the run's own included; at least 1 */
};

/* Inside an open transaction that holds the rating lock. */
MUST_CHECK
bool intervals_sum(struct run *run, struct intervals_scope scope, struct intervals_result *result, struct error *err);

/* The quantities of a ledger row, which comes in binary: a column for each hot meter, then "extra". */
MUST_CHECK
bool usage_quantities_read(struct copy_reader *reader, struct usage_row *row, struct error *err);

#endif
