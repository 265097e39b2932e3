/*
 * invoicing.h -- what drafting and finalizing share.  For ledger/invoice.c, ledger/invoice_draft.c and ledger/invoice_finalize.c.
 *
 * Both do many at once: a statement is about all of a chunk.  No tenant is in a chunk twice, since what its first invoice takes of
 * adjustments, credits and balances is not there for the next one.  Where one of a chunk fails, all of it is undone and done again in
 * halves, down to the one that fails, which is told.
 */
#ifndef LEDGER_INVOICING_H
#define LEDGER_INVOICING_H

#include "ledger/invoice.h"

enum {
	CHUNK_INVOICES = 500, /* at most */
	CHUNK_LINES = 20000,  /* no further ones behind so many: what is in memory at once */
};

/* Whether an error says nothing about the tenant at hand: the others would fail as well, or somebody else has taken over. */
bool invoicing_concerns_all(struct run *run, const struct error *err);
/* What follows in this transaction is about documents that are named; see document_plans.sql. */
MUST_CHECK
bool invoicing_plan(struct run *run, struct error *err);

/* An invoice, as it will be when it is final; see invoice_content_digest(). */
struct invoice_content {
	const char *invoice_id, *number, *date;
	bool as_it_stands; /* else with these, in minor units, in place of its own: */
	int64_t credits, tax, total;
	unsigned char digest[DIGEST_SIZE];
};
/* Fills the digests in. */
MUST_CHECK
bool invoice_content_digests(struct run *run, struct invoice_content *contents, size_t count, struct error *err);

#endif
