/*
 * invoice_document.h -- an invoice as people and programs read it.
 *
 * As it stands now it also says what was paid, credited and written off since, and what is due.  As it was issued it says none of
 * that, so that it is the same bytes whenever it is written: what may be given out, and kept.
 */
#ifndef LEDGER_INVOICE_DOCUMENT_H
#define LEDGER_INVOICE_DOCUMENT_H

#include "base/command.h"

/* As it stands now: `name` is a number, or TENANT:PERIOD for a draft.  A table has a head and sums; JSON and CSV are the lines alone.
 * STATE where there is none.  The stream remembers a write that failed. */
MUST_CHECK
bool invoice_show(struct run *run, const char *name, enum output_format format, FILE *out, struct error *err);
/* A final one as it was issued: as text, and as JSON with all that the text has (docs/formats.md).  What was taken from the tenant's
 * balance when it was issued is part of it. */
MUST_CHECK
bool invoice_issued(struct run *run, const char *number, FILE *text, FILE *json, struct error *err);

#endif
