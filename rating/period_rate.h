/*
 * period_rate.h -- the charges and holds of one tenant in one period: a pure function of intervals, contracts and books.
 *
 * Intervals are taken in the order of time and then of names, so that tiers count in one stated order.  The price in force at
 * an interval's start prices it.  What no rule prices is held, with a reason, never priced at zero.
 */
#ifndef RATING_PERIOD_RATE_H
#define RATING_PERIOD_RATE_H

#include "base/db.h"
#include "base/digest.h"
#include "base/index.h"
#include "rating/contract.h"

/* Which usage, priced with which books: everything the result depends on. */
struct period_inputs {
	const char *tenant, *period;
	struct instant starts, ends;
	int64_t until_run;       /* increments of later runs do not count */
	int64_t priced_with;     /* price book versions with a higher id do not count */
	int64_t contracted_with; /* contract rows with a higher id do not count */
};

struct charge {
	const char *model, *service_tier;
	int meter, priced_as;
	int64_t version_id;
	int rule, tier; /* rule from 1; tier from 1, or 0 without tiers */
	struct decimal price;
	int64_t per;
	i128 quantity; /* in the meter's smallest unit */
	struct decimal amount;
	const char *currency;
	struct instant first, last;
	const struct meter_price *how; /* dies with the shelf */
	size_t counter;                /* of its tiers, while it is computed */
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
	struct index charge_index, hold_index;
};

/* Books parsed once for many periods. */
struct book_shelf;
struct book_shelf *book_shelf_new(void);
void book_shelf_free(struct book_shelf *shelf);

MUST_CHECK
bool period_rate(
    struct db *db, struct book_shelf *shelf, const struct period_inputs *inputs, struct rated *out, struct error *err);
/* Adds to a hold, for usage that was held outside period_rate() (a period already invoiced). */
void rated_hold(struct rated *rated, const char *model, const char *service_tier, int meter, const char *reason, i128 quantity,
    struct instant first, struct instant last);
/* Sorts and digests; period_rate() does it, a caller that used rated_hold() must. */
void rated_finish(struct rated *rated);
void rated_release(struct rated *rated);

#endif
