/*
 * tax.h -- tax on a document: one rate, on the sum before tax.
 *
 * It is rounded once, a half away from zero, so that what is credited rounds as what was invoiced did.
 */
#ifndef LEDGER_TAX_H
#define LEDGER_TAX_H

#include "base/money.h"

/* percent of an amount before tax, in its currency.  ERROR_RANGE where it does not fit. */
MUST_CHECK
bool tax_of(struct money taxable, struct decimal percent, struct money *out, struct error *err);

#endif
