/*
 * batch_rows.h -- the ledger rows of a batch: COPY into metering.usage_event, and into the batch's digest as the same bytes.
 */
#ifndef LEDGER_BATCH_ROWS_H
#define LEDGER_BATCH_ROWS_H

#include "ledger/batch.h"
#include "ledger/correction.h"

struct row_facts {
	struct instant first, last;
	int64_t rows;
};

/* Appends what was admitted of a batch, in the order of its records; of one record first its row, then its reversal.  The writer's
 * digest must have been begun.  An error leaves the transaction to be rolled back. */
MUST_CHECK
bool batch_rows_copy(struct ledger_writer *writer, struct batch *batch, int64_t batch_id, const struct reversals *reversals,
    struct row_facts *facts, struct error *err);

#endif
