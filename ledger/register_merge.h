/*
 * register_merge.h -- runs of the dedupe register become fewer and larger as they age.
 *
 * Batches add small runs.  To ask one of them costs a few nanoseconds for each identity, to write a key again half a microsecond: so a
 * key is written again about once.  When the runs behind the last large one have MERGE_SUM keys together they become a large one, which is
 * never written again.  Before that, runs that are very small become larger 16 at a time, and MERGE_RUNS of any size become one.
 *
 * A merge is a transaction of its own: pages of all runs in the order of identities, a filter of all, then the database itself
 * counts, puts the new run in the place of the old ones and deletes those.  A crash at any moment leaves the old runs.
 */
#ifndef LEDGER_REGISTER_MERGE_H
#define LEDGER_REGISTER_MERGE_H

#include "ledger/register_runs.h"

enum {
	MERGE_LARGE = 1 << 23, /* keys of a run that is not written again */
	MERGE_SUM = 3 << 22,   /* keys of runs that become a large one */
	MERGE_RUNS = 128,      /* not large */
	MERGE_SMALL = 1 << 15, /* fewer keys make a run very small: it is of class 3, with a sixteenth of it of class 2 ... */
	MERGE_SMALL_CLASSES = 4,
	MERGE_SMALL_RUNS = 16, /* of a class */
	MERGE_MOST = 1024      /* runs at once */
};

/* Which runs should be merged now: `count` of them from `first` on; none where that is 0. */
struct merge_choice {
	size_t first, count;
};
struct merge_choice merge_choose(const struct register_runs *runs, int64_t filter_most);
/* Merges what was chosen into one run, inside a transaction; *out is the new run, with its filter. */
MUST_CHECK
bool merge_runs(
    struct usage_register *reg, struct db *db, struct merge_choice choice, struct register_run *out, struct error *err);

#endif
