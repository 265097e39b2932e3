/*
 * rated.h -- what a rating comes to: charges and holds, in one order, with a digest.
 */
#ifndef RATING_RATED_H
#define RATING_RATED_H

#include "base/decimal.h"
#include "base/digest.h"
#include "base/index.h"
#include "base/instant.h"
#include "rating/charge_kind.h"

struct charge {
	struct decimal price; /* after factors and deltas */
	i128 quantity;        /* metered, in the meter's smallest unit */
	i128 billed;          /* what the price is multiplied by: packages are whole */
	struct decimal amount;
	const char *model, *service_tier; /* "" of a contract's own charges */
	int64_t version_id;               /* of the price book; 0: no book has a part in it */
	const char *book;                 /* its name while it is computed; "" without */
	int64_t per;
	const char *currency;
	struct instant first, last;
	const char
	    *detail; /* what led to the price, beyond rule and tier: "base model llama x 1.2; over 200000"; or the arithmetic */
	const char *counter; /* what its units counted in, where that lives longer than the period; else "" */
	int64_t contract_id; /* whose terms had a part in it; else 0 */
	size_t place;        /* while it is computed */
	enum charge_kind kind;
	int meter, priced_as; /* 0 of a contract's own charges */
	int rule, tier;       /* rule from 1, those of an extended book behind the book's own; tier from 1, or 0 without tiers */
	bool in_packages;     /* while it is computed: `per` units are one package */
};

struct hold {
	const char *model, *service_tier;
	int meter;
	const char *reason;
	i128 quantity;
	struct instant first, last;
};

struct rated {
	struct charge *charges;
	struct hold *holds;
	size_t charge_count, charge_room, hold_count, hold_room;
	unsigned char input_digest[DIGEST_SIZE], output_digest[DIGEST_SIZE];
	struct arena arena;
	struct index hold_index;
};

/* Adds to a hold, for usage that is held outside of charging_add() (a period already invoiced). */
void rated_hold(struct rated *rated, const char *model, const char *service_tier, int meter, const char *reason, i128 quantity,
    struct instant first, struct instant last);
/* Sorts and digests; charging_settle() does it, a caller that used rated_hold() must. */
void rated_finish(struct rated *rated);
void rated_release(struct rated *rated);

#endif
