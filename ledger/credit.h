/*
 * credit.h -- credits: money a tenant may draw on, granted, used at finalization, restored by credit notes, expired and
 * revoked; always by a new entry.
 *
 * Everything here that changes something takes the lock of ledger/books.h first.
 */
#ifndef LEDGER_CREDIT_H
#define LEDGER_CREDIT_H

#include "base/command.h"
#include "base/money.h"

/* What is asked for, as the command line has it; NULL where it is not said. */
struct credit_request {
	const char *request_id; /* NULL: one is made up */
	const char *tenant, *amount, *kind, *reason;
	const char *currency; /* must be the contract's */
	const char *starts,
	    *expires; /* YYYY-MM-DD: when that day begins for the tenant; or RFC 3339.  Now, and never, where not said */
	int64_t priority;
	const char *model;         /* a pattern, "" for every model */
	const char *const *meters; /* none: every meter */
	size_t meter_count;
	const char *ticket, *note; /* "" where there is none */
};

/* Grants a credit and writes its first entry, in a transaction of its own (rolled back for a dry run).  The same request again
 * is the same grant, and changes nothing; ERROR_STATE where it asked for something else then.  *grant_id is in the arena of the
 * run. */
MUST_CHECK
bool credit_grant(struct run *run, const struct credit_request *request, const char **grant_id, struct error *err);

/* Takes the balance of a grant that is left; what it paid stays paid.  The same request again changes nothing.  *entry_id is in
 * the arena. */
MUST_CHECK
bool credit_revoke(struct run *run, const char *grant_id, const char *reason, const char *ticket, const char *request_id,
    const char **entry_id, struct error *err);

struct credit_expired {
	const char *grant_id, *tenant, *currency;
	int64_t minor, minor_units; /* the balance */
	const char *waits_for;      /* the period that it may still have to pay for; "" where it expired */
};
typedef void credit_expire_told(void *context, const struct credit_expired *expired);
/* Takes the balances of all grants that expired and have no period to wait for; all in one transaction, rolled back for a dry
 * run.  Tells of each, and of those that wait. */
MUST_CHECK
bool credits_expire(struct run *run, credit_expire_told *told, void *context, struct error *err);

/* An entry to be written, at run->now by run->by; what does not apply is NULL. */
struct credit_entry {
	const char *kind;
	int64_t minor; /* below zero where the balance falls */
	const char *invoice_id, *credit_note_id, *request_id, *reason, *ticket;
};
/* Writes the next entry of a grant, with the balances before and after, in the caller's transaction, which holds the lock. */
MUST_CHECK
bool credit_entry_add(
    struct run *run, const char *grant_id, const struct credit_entry *entry, const char **entry_id, struct error *err);

/* Draws from the tenants' grants for invoices that are being finalized, of which no two are of one tenant: their lines are there, the lock of
 * ledger/books.h is held, and the transaction is the caller's.  Writes entries with the balances before and after, and which lines each
 * paid for.  drawn_minor[] has the sum for each. */
MUST_CHECK
bool credits_draw(struct run *run, const char *const *invoice_ids, size_t count, int64_t *drawn_minor, struct error *err);
/* Gives credits back that the lines of a credit note were paid with (credit_note_line.credits_minor), to the grants that paid
 * them, in proportion to what each paid of the line and is not restored yet, the last taking the rest. */
MUST_CHECK
bool credits_restore(struct run *run, const char *invoice_id, const char *credit_note_id, struct error *err);

/* What a grant paid of a line of an invoice. */
struct credit_use {
	int64_t line, grant_id;
	int64_t left; /* as far as credit notes did not give it back */
	int64_t back; /* what the one that is being issued gives back of it */
};
struct credit_uses {
	struct credit_use *item; /* in the order of lines */
	size_t count;
};
/* What credits paid of an invoice and have not back.  Notes for adjustments, which are no lines, took what they gave a grant
 * back from the lines about the same thing first, then from the others that it paid.  uses->item is freed by the caller, also
 * where it fails. */
MUST_CHECK
bool credit_uses_left(struct run *run, const char *invoice_id, struct credit_uses *uses, struct error *err);

/* A grant, and what is given back to it. */
struct credit_part {
	const char *grant_id;
	int64_t minor; /* above 0 */
};
/* What the grants that paid a final invoice would not pay of it if it had the charges of another rating of its period in place
 * of its own, and each had what it paid there and has not back: by the same rules as credits_draw().  The last to be asked
 * comes first.  *parts is in the arena of the run. */
MUST_CHECK
bool credits_excess(
    struct run *run, const char *invoice_id, const char *rating_id, struct credit_part **parts, size_t *count, struct error *err);
/* Gives that back, by a credit note for adjustments of the period. */
MUST_CHECK
bool credits_give_back(
    struct run *run, const char *credit_note_id, const struct credit_part *parts, size_t count, struct error *err);

#endif
