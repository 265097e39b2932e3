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
/* Final invoices as they were issued, loaded together: to be ended with issued_invoices_free(), which takes NULL.  STATE where there is no such
 * number. */
struct issued_invoices;
MUST_CHECK
bool issued_invoices_load(
    struct run *run, const char *const *numbers, size_t count, struct issued_invoices **out, struct error *err);
/* Writes the i-th of them: as text, and as JSON with all that the text has (docs/formats.md).  What was taken from the tenant's balance when
 * it was issued is part of it. */
void issued_invoice_write(const struct issued_invoices *invoices, size_t i, FILE *text, FILE *json);
void issued_invoices_free(struct issued_invoices *invoices);

#endif
