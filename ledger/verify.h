/*
 * verify.h -- what was written, computed again from what is stored.
 */
#ifndef LEDGER_VERIFY_H
#define LEDGER_VERIFY_H

#include "base/command.h"

/* Called for each difference: what it is about, and which one. */
typedef void verify_differs(void *context, const char *what, const char *where);

/* Reads every ledger row, archived ones from their files, and compares each batch's digest, and its link to the batch before it, with the
 * headers.  Batches that have rows in files which are not there are told by their number. */
MUST_CHECK
bool batches_verify(struct run *run, verify_differs *differs, void *context, struct error *err);
/* Compares what usage is attributed to with the digests it is known by. */
MUST_CHECK
bool series_verify(struct run *run, verify_differs *differs, void *context, struct error *err);
/* Compares every final invoice with its content digest. */
MUST_CHECK
bool invoices_verify(struct run *run, verify_differs *differs, void *context, struct error *err);
/* Compares every credit note with its content digest. */
MUST_CHECK
bool credit_notes_verify(struct run *run, verify_differs *differs, void *context, struct error *err);

#endif
