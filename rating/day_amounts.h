/*
 * day_amounts.h -- what each local day has of the charges of a rating.
 *
 * A rating that this engine made in full is made again from its inputs, and each charge is laid along the usage that it is of,
 * day by day: what a day has is what the charge comes to behind it, less what it came to before it, each rounded as charges
 * are, so the days sum up to the charge exactly.  What has no day of its own (fees of steps, what a contract adds, all charges
 * of another engine) lies on the day of the last usage it is about.
 */
#ifndef RATING_DAY_AMOUNTS_H
#define RATING_DAY_AMOUNTS_H

#include "rating/period_rate.h"

struct day_amount {
	const char *model, *service_tier; /* "" of a contract's own charges */
	int meter;                        /* 0 of a contract's own charges */
	enum charge_kind kind;
	const char *currency;
	int64_t day;   /* since 1970-01-01, in the zone of the tenant's period */
	i128 quantity; /* in the meter's smallest unit */
	struct decimal amount;
};

/* Called for each part; texts die with the call.  Returns false with err set to stop. */
typedef bool day_amount_seen(void *context, const struct day_amount *amount, struct error *err);

/* The parts of the charges of a stored rating.  Of one that repeats the charges of an earlier one, the days are those of the
 * earlier one. */
MUST_CHECK
bool day_amounts(struct period_source *source, const char *rating_id, day_amount_seen *seen, void *context, struct error *err);

#endif
