/*
 * invoicing.h -- what drafting and finalizing share.  For ledger/invoice.c and ledger/invoice_draft.c.
 */
#ifndef LEDGER_INVOICING_H
#define LEDGER_INVOICING_H

#include "ledger/invoice.h"

/* Whether an error says nothing about the tenant at hand: the others would fail as well, or somebody else has taken over. */
bool invoicing_concerns_all(struct run *run, const struct error *err);
/* What follows in this transaction is about one document after the other; see document_plans.sql. */
MUST_CHECK
bool invoicing_plan(struct run *run, struct error *err);

#endif
