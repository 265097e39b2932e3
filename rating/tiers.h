/*
 * tiers.h -- the parts of a quantity under a price that depends on how much came before.
 *
 * Pure arithmetic on whole units: no clock, no database, no rounding.
 */
#ifndef RATING_TIERS_H
#define RATING_TIERS_H

#include "base/decimal.h"

enum { TIER_STEPS_MAX = 32 };

enum tier_mode {
	TIER_FLAT,      /* one price for every unit */
	TIER_GRADUATED, /* each part of the quantity at the price of the step it falls in */
	TIER_VOLUME,    /* the whole quantity at the price of the step that it reaches */
};

struct tier_step {
	i128 up_to;           /* included; in the meter's smallest unit; not used in the last step, which is open */
	struct decimal price; /* for `per` units of the meter */
	int64_t per;
	bool in_packages;   /* every `per` units that are begun are charged whole, counted from where the step begins */
	struct decimal fee; /* once for the step, beside what its units cost */
};

/* Steps touch, start at nothing and rise. */
struct tiers {
	enum tier_mode mode;
	size_t steps;
	const struct tier_step *step;
};

struct tier_part {
	size_t step;
	i128 quantity;
};

/* The parts of `quantity` that comes after `already` units, graduated, in the order of the steps.  A negative quantity gives
 * back what lies on top, from the highest step down: the exact opposite of adding it.  An error of kind RANGE where the
 * total would fall below zero. */
MUST_CHECK
bool tiers_split(const struct tiers *tiers, i128 already, i128 quantity, struct tier_part parts[TIER_STEPS_MAX], size_t *count,
    struct error *err);

/* The step that a total reaches. */
size_t tiers_volume_step(const struct tiers *tiers, i128 total);

/* Where a graduated step begins: the units before it. */
i128 tiers_step_begins(const struct tiers *tiers, size_t step);

/* What is charged of `quantity` units that come after `already` ones, both counted from where the step begins: the quantity itself,
 * or the packages that it begins.  `scale` is how many smallest units make one (meter_scale()).  Adding up over consecutive
 * quantities it is exact: each package counts for the quantity that begins it. */
i128 tiers_billed(const struct tier_step *step, i128 already, i128 quantity, i128 scale);

#endif
