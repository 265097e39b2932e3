/*
 * price_usage.h -- what a price book would do with usage that the ledger has seen already.
 */
#ifndef RATING_PRICE_USAGE_H
#define RATING_PRICE_USAGE_H

#include "base/command.h"
#include "rating/book_shelf.h"

/* Usage of the last `months` months, as far as rating runs have summed it, of tenants whose contract named this book when it
 * was used: what the book, with the other book of the contract as it is in force now, has no price for is told as a warning, with
 * its quantity.  The sizes of requests are not looked at.  run->db is open. */
MUST_CHECK
bool price_usage_check(struct run *run, struct book_shelf *shelf, const struct price_book *book, int64_t months,
    price_finding *found, void *context, struct error *err);

#endif
