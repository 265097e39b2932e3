/*
 * register_read.h -- a run of the dedupe register read in its order, beside the sorted identities of a batch; for register.c alone.
 *
 * To ask a run for one identity costs the server some microseconds; to read it is cheaper where a batch asks for much of it.  Nothing
 * of what is read is kept: a piece of a filter or some pages are in memory at a time, however large the run is.
 */
#ifndef LEDGER_REGISTER_READ_H
#define LEDGER_REGISTER_READ_H

#include "ledger/register_runs.h"

/* Some identities of a sorted list: those at the places `at`, which ascend.  Both belong to somebody else. */
struct key_choice {
	const struct key_id *ids;
	uint32_t *at;
	size_t count;
};

/* Takes those out of `choice` that the run's stored filter denies.  Pieces of the filter that few of the identities are in stay
 * unread, and those identities in the choice.  *gone: others have merged the run. */
MUST_CHECK
bool run_read_filter(struct db *db, const struct register_run *run, struct key_choice *choice, bool *gone, struct error *err);

/* Whether the pages are to be read rather than each identity be asked for. */
bool run_reads_better(const struct register_run *run, const struct key_choice *choice);
/* Reads the pages from the first of the identities to the last one, and tells `known` of each that is there: its place among the ids.
 * *gone: others have merged the run; what was told is true, and not all. */
typedef void key_known(void *context, uint32_t at, const struct key *key);
MUST_CHECK
bool run_read_pages(struct db *db, const struct register_run *run, const struct key_choice *choice, key_known *known,
    void *context, bool *gone, struct error *err);

#endif
