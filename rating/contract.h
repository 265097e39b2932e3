/*
 * contract.h -- what tenants agreed to, as it stands in the database.
 */
#ifndef RATING_CONTRACT_H
#define RATING_CONTRACT_H

#include "base/db.h"
#include "rating/contract_charges.h"

/* From `effective` on, until the next one or its own end. */
struct contract {
	int64_t contract_id;
	struct instant effective, until; /* until 0: it goes on; the same as effective: it ends the contract before it */
	const char *currency, *zone, *book;
	const char *override;         /* the book that is asked before `book`; "" for none */
	const char *terms_text;       /* compact JSON; "" for none */
	struct contract_terms *terms; /* NULL for none */
};

struct contracts {
	struct contract *item; /* by effective, rising */
	size_t count, room;
	struct arena arena;
};

/* One writer of contracts and price books at a time, until the transaction ends: their ids then come into sight in order, and
 * "the newest id a rating saw" means all up to it. */
MUST_CHECK
bool terms_lock(struct db *db, struct error *err);
/* Those of `count` tenants, in one question: out[i] belongs to tenants[i].  On failure nothing is left to release. */
MUST_CHECK
bool contracts_load(struct db *db, const char *const *tenants, struct contracts *out, size_t count, struct error *err);
void contracts_release(struct contracts *contracts);

/* When a contract ends: at its own end, or before that where the next one begins; INT64_MAX where it goes on. */
struct instant contract_ends(const struct contracts *contracts, size_t row);
/* The contract in force at an instant: its place, from 1; 0 for none. */
size_t contract_at(const struct contracts *contracts, struct instant at);
/* The first of the contracts that follow on one another without a gap up to this one. */
size_t contract_chain(const struct contracts *contracts, size_t row);
/* Does the tenant have a contract where this one ends? */
bool contract_goes_on(const struct contracts *contracts, size_t row);

/* Is aborted usage of the time of this contract held?  Where its terms say so and none behind it says that it is billed: since contracts
 * are only added at the end, that is how usage is let go that an earlier one holds. */
bool contract_holds_aborted(const struct contracts *contracts, size_t row);
/* Does any contract hold aborted usage of some of the time from one instant to another? */
bool contracts_hold_aborted(const struct contracts *contracts, struct instant from, struct instant until);

/* The next segment of a period: rows next to each other whose terms are the same text, so that a new name or book starts no new
 * minimum.  *row goes over the rows, from 0; *first is the row the segment begins with, whose terms are the segment's.  Fills the
 * times of *out and leaves the window to the caller.  False when the period has no more. */
bool contracts_segment(const struct contracts *contracts, struct instant period_starts, struct instant period_ends, size_t *row,
    size_t *first, struct contract_segment *out);

#endif
