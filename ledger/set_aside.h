/*
 * set_aside.h -- the records of a batch that go to quarantine.
 */
#ifndef LEDGER_SET_ASIDE_H
#define LEDGER_SET_ASIDE_H

#include "ledger/batch.h"

/* Writes those that are quarantined or rejected; counts->set_aside_before is how many of them were there already. */
MUST_CHECK
bool batch_set_aside(
    struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, struct batch_counts *counts, struct error *err);

#endif
