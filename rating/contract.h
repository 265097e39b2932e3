/*
 * contract.h -- what tenants agreed to, and the price books it names, as they stand in the database.
 */
#ifndef RATING_CONTRACT_H
#define RATING_CONTRACT_H

#include "base/db.h"
#include "rating/price_book.h"

/* From `effective` on, until the next one. */
struct contract {
	int64_t contract_id;
	struct instant effective;
	const char *currency, *book;
};

struct contracts {
	struct contract *item; /* by effective, rising */
	size_t count;
	struct arena arena;
};

/* One writer of contracts and price books at a time, until the transaction ends: their ids then come into sight in order, and
 * "the newest id a rating saw" means all up to it. */
MUST_CHECK
bool terms_lock(struct db *db, struct error *err);
MUST_CHECK
bool contracts_load(struct db *db, const char *tenant, struct contracts *out, struct error *err);
void contracts_release(struct contracts *contracts);

/* A published version of a book, from its effective instant on, until the next one. */
struct price_version {
	int64_t version_id;
	int version;
	struct instant effective;
	struct price_book *book;
};

struct price_books {
	struct price_version *item; /* by effective, rising */
	size_t count;
};

/* All versions of a book; none is no error. */
MUST_CHECK
bool price_books_load(struct db *db, const char *book, struct price_books *out, struct error *err);
void price_books_release(struct price_books *books);

#endif
