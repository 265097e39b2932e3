/*
 * invoice.h -- invoices: drafted from the charges in force, finalized with a number, then never touched.
 *
 * A line is one charge, rounded once, to the currency's minor unit, half away from zero.  Charges at a price of zero make no
 * line.  What a contract takes off is a line with a negative amount, of no model and no meter; a sum of lines below zero is not
 * invoiced.  Adjustments of periods that are invoiced go on the tenant's next draft, those owed to the tenant as long as the sum
 * stays at or above zero; a tenant without a next invoice gets one of adjustments alone.
 *
 * A tenant for whom something fails does not stop the others: what it left is undone, it is told, and they go on.  What makes no sense to
 * go on with (a lost connection, somebody else who is at work) is an error of the whole.
 *
 * net = the sum of the lines, total = net - credits + tax.  Credits are drawn, and tax counted on what they leave, when it is
 * finalized; what is on the tenant's balance pays it then.  A number is taken from the series' counter in the transaction that
 * finalizes, so that a series has no gap and no double; within a series numbers rise with dates.
 */
#ifndef LEDGER_INVOICE_H
#define LEDGER_INVOICE_H

#include "base/command.h"
#include "base/digest.h"
#include "base/money.h"

struct invoice_scope {
	const char *period, *tenant; /* "" for all */
	bool ended;                  /* drafting: only periods that have ended, and are not invoiced; and adjustments */
	bool by_grace;               /* finalizing: only those whose grace is over, at run->now; others are not told of */
	int64_t grace_hours;         /* of a contract that states none */
};

struct drafted {
	const char *tenant, *period;
	struct money net, tax; /* of a drafted one; before credits, which are drawn when it is finalized */
	int64_t lines;
	bool of_adjustments;        /* alone */
	const char *skipped;        /* why there is no draft, or NULL */
	const struct error *failed; /* drafting it failed, and there is none: `skipped` is its message then; or NULL */
};

/* Called for each tenant's period in scope. */
typedef void invoice_drafted(void *context, const struct drafted *drafted);
/* Makes or makes again the drafts of the ratings in force; all in one transaction, rolled back for a dry run.  An older draft of what
 * cannot be drafted is thrown away. */
MUST_CHECK
bool invoices_draft(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err);

struct finalized {
	const char *tenant, *period, *kind, *number;         /* number: "" when refused */
	struct money net, credits, tax, total, from_balance; /* of one that was finalized; the last: of the total, paid at once */
	const char *refused;                                 /* why, or NULL */
	bool parked;                                         /* it is refused because it is parked: see ledger/parked.h */
	const struct error *failed; /* it is refused because finalizing failed: `refused` is its message then; or NULL */
};
typedef void invoice_finalized(void *context, const struct finalized *finalized);
/* Finalizes the drafts in scope, in the order of issuer, period and tenant, some hundreds in a transaction: numbers exist only if their
 * invoices do.  In a nightly run each writes the unit "TENANT PERIOD KIND" of the step "finalize" in that transaction: number, amounts, and
 * the digest of the content.  `told` is called when they are committed. */
MUST_CHECK
bool invoices_finalize(struct run *run, struct invoice_scope scope, invoice_finalized *told, void *context, struct error *err);

/* The digest of everything an invoice says: number and date of issue (YYYY-MM-DD), header and lines, field by field.  What
 * invoices did not say at first (kind, credits, tax and rating run; kind, billed quantity and detail of a line, and its
 * adjustment) counts where it says something, so that invoices from before there were any keep their digests. */
MUST_CHECK
bool invoice_content_digest(struct run *run, const char *invoice_id, const char *number, const char *date,
    unsigned char out[DIGEST_SIZE], struct error *err);

struct written_off {
	int64_t minor;
	int minor_units;
	const char *currency; /* in the arena of the run */
};
/* Writes off all that is due of a final invoice.  ERROR_STATE where there is no such invoice or nothing is due. */
MUST_CHECK
bool invoice_write_off(
    struct run *run, const char *number, const char *reason, const char *ticket, struct written_off *out, struct error *err);

#endif
