/*
 * contract.h -- what tenants agreed to, as it stands in the database.
 */
#ifndef RATING_CONTRACT_H
#define RATING_CONTRACT_H

#include "base/db.h"
#include "rating/contract_charges.h"

/* From `effective` on, until the next one. */
struct contract {
	int64_t contract_id;
	struct instant effective;
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

/* The next segment of a period: rows next to each other whose terms are the same text, so that a new name or book starts no new
 * minimum.  *row goes over the rows, from 0; *first is the row the segment begins with, whose terms are the segment's.  Fills the
 * times of *out and leaves the window to the caller.  False when the period has no more. */
bool contracts_segment(const struct contracts *contracts, struct instant period_starts, struct instant period_ends, size_t *row,
    size_t *first, struct contract_segment *out);

#endif
