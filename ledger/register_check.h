/*
 * register_check.h -- the dedupe register, read from end to end: no identity twice, every key as it was appended.
 */
#ifndef LEDGER_REGISTER_CHECK_H
#define LEDGER_REGISTER_CHECK_H

#include "ledger/verify.h"

/* Reads the pages of all runs once, in the order of identities.  Told are: an identity that is there twice, in whichever runs; a page that
 * is not sorted, or has not the shape of one; a key of a batch that its run does not have; batches whose keys are not as many as the
 * register says, or have another sum of hashes (ledger/key_sum.h); keys that the filter of their own run denies, so that they could be
 * booked again.  What queries are enough for is in sql/checks/1_register_is_its_entries.sql.  Needs the snapshot of a transaction, and
 * memory for a few pages and a piece of the filter of each run, and 48 bytes for each batch. */
MUST_CHECK
bool register_verify(struct run *run, verify_differs *differs, void *context, struct error *err);

#endif
