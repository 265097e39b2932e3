/*
 * credit_note.h -- credit notes: what puts a final invoice right, since nothing changes it.
 *
 * A credit note takes amounts before tax of lines of one invoice, or of adjustments of its period, and the tax on them at
 * the invoice's rate.  What credits paid goes back to the credits, the rest lowers what is due; what was paid above that
 * goes to the tenant's balance, or is to be refunded.  The notes of an invoice never come to more than the invoice, and
 * exactly to it when nothing is left (credit_note_amounts.h).
 *
 * A full one releases the period: its usage is rated and invoiced again, under a new number.
 */
#ifndef LEDGER_CREDIT_NOTE_H
#define LEDGER_CREDIT_NOTE_H

#include "base/command.h"
#include "base/digest.h"

enum credit_scope { CREDIT_FULL, CREDIT_LINES, CREDIT_AMOUNT, CREDIT_ADJUSTMENTS };

/* What somebody asks for. */
struct credit_wish {
	const char *invoice; /* its number */
	enum credit_scope scope;
	const char *const *lines; /* of CREDIT_LINES: "3" for what is left of line 3, "3=12.50" for an amount of it */
	size_t line_count;
	const char *amount; /* of CREDIT_AMOUNT, before tax */
	bool refund;        /* what was paid above what is due: not to the balance */
	const char *reason, *ticket, *note;
	const char *request; /* asked again, it is the same note; NULL for a new one */
};

/* Issues a credit note, in a transaction of its own (rolled back for a dry run).  *note is its row of credit_note_find.sql,
 * ended by the caller; *again: the request was made before, and this is its note.  ERROR_STATE where the invoice is not
 * final, has less left, or is written off, where the reason does not fit, where run->by may not give so much (but not for
 * adjustments, which were approved), or where the request was for something else. */
MUST_CHECK
bool credit_note_issue(struct run *run, const struct credit_wish *wish, struct rows *note, bool *again, struct error *err);

/* Issues a credit note over an invoice for adjustments of its period that are owed to the tenant (amount_minor < 0) and
 * wait: those of a re-rate, or all where rerate_id is NULL.  In the caller's transaction, which holds the lock of
 * ledger/books.h.  *number is NULL where the remaining amount of the invoice does not allow it, or nothing waits; else the
 * number, in the arena of the run. */
MUST_CHECK
bool credit_note_for_adjustments(struct run *run, const char *invoice_id, const char *rerate_id, const char *reason,
    const char *ticket, const char **number, struct error *err);

struct credits_given_back {
	const char *number; /* of the credit note, in the arena of the run; NULL: nothing was given back */
	bool impossible;    /* because the invoice is written off */
};
/* Gives credits back that paid more of an invoice than they would of what its period comes to by a re-rate (credits_excess()):
 * settles all adjustments of the re-rate, in sum owed to the tenant, by a credit note, of which as much goes to the credits,
 * and the rest is money.  Money above what is left of the invoice's is booked apart, and waits. */
MUST_CHECK
bool credit_note_for_credits(struct run *run, const char *invoice_id, const char *rerate_id, const char *rating_id,
    const char *reason, const char *ticket, struct credits_given_back *out, struct error *err);

/* The digest of everything a credit note says, field by field. */
MUST_CHECK
bool credit_note_content_digest(struct run *run, const char *credit_note_id, unsigned char out[DIGEST_SIZE], struct error *err);

#endif
