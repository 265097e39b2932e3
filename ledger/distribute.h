/*
 * distribute.h -- the ledger's rows on several machines, with the Citus extension.
 *
 * metering.usage_event is distributed by identity; everything else stays on the machine that tollbook talks to, the coordinator: the
 * register, headers of batches, positions, quarantine, sums, and all of finance.
 *
 * Citus commits on this machine first and on the others then, so there is a moment, or until a machine that broke down is back, in which
 * the header of a batch and its identities in the register are to be seen and its rows are not.  Whoever acts on rows that are not there
 * asks rows_await() first; rating leaves such a batch for its next run (sql/rating/batches_pending.sql).
 */
#ifndef LEDGER_DISTRIBUTE_H
#define LEDGER_DISTRIBUTE_H

#include "base/db.h"

/* With one shard Citus would send whole statements there, with functions that only the coordinator can answer. */
enum { SHARDS_LEAST = 2, SHARDS_DEFAULT = 32, SHARDS_MOST = 1024 };

/* How the ledger's rows are spread. */
struct distribution {
	bool is_new; /* by this call */
	int64_t shards, machines, rows;
};

/* Loads Citus into the database where it is not loaded yet; an error of kind STATE, and nothing is changed, where the server does not
 * have it. */
MUST_CHECK
bool citus_load(struct db *db, struct error *err);
/* Spreads the rows, those that are there too, over this many shards, in one transaction; where they are spread already it only counts. */
MUST_CHECK
bool ledger_distribute(struct db *db, int64_t shards, struct distribution *out, struct error *err);

/* An error of kind STATE where the ledger is distributed: `what` ("an archive of the ledger") cannot be done there. */
MUST_CHECK
bool distributed_refuse(struct db *db, const char *what, struct error *err);

/* For a reader that did not find what these identities (as a uuid[] parameter) booked: waits some seconds until all rows of their batches
 * are to be seen.  *waited: they were not, so it is worth another look.  An error of kind BUSY where they still are not.  Where the ledger
 * is on one machine it costs one question. */
MUST_CHECK
bool rows_await(struct db *db, const char *identities, bool *waited, struct error *err);

#endif
