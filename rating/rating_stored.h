/*
 * rating_stored.h -- are charges and holds still what their rating wrote?
 */
#ifndef RATING_RATING_STORED_H
#define RATING_RATING_STORED_H

#include "base/command.h"
#include "ledger/verify.h"

/* Digests the stored charges and holds of the ratings in force and of those behind final invoices, and calls `differs` with
 * period and tenant for each that is not what its rating says. */
MUST_CHECK
bool ratings_stored_verify(struct run *run, verify_differs *differs, void *context, struct error *err);

#endif
