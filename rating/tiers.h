/*
 * tiers.h -- the parts of a quantity under a price with tiers.
 *
 * Pure arithmetic on whole units: no clock, no database, no rounding.
 */
#ifndef RATING_TIERS_H
#define RATING_TIERS_H

#include "base/decimal.h"

enum { TIER_STEPS_MAX = 32 };

enum tier_mode {
	TIER_FLAT,      /* one price for every unit */
	TIER_GRADUATED, /* each part of the quantity at the price of the tier it falls in */
	TIER_VOLUME,    /* the whole quantity at the price of the tier that it reaches */
};

/* The price of a meter.  Steps touch, start at nothing and rise; all share `per`, so nothing is divided before the end. */
struct meter_price {
	enum tier_mode mode;
	int64_t per; /* units of the meter that a price is for */
	size_t steps;
	struct tier_step {
		i128 up_to; /* included; in the meter's smallest unit; not used in the last step, which is open */
		struct decimal price;
	} step[TIER_STEPS_MAX];
};

struct tier_part {
	size_t step;
	i128 quantity;
};

/* The parts of `quantity` that comes after `already` units, graduated, in the order of the steps.  A negative quantity gives
 * back what lies on top, from the highest step down: the exact opposite of adding it.  An error of kind RANGE where the
 * total would fall below zero. */
MUST_CHECK
bool tiers_split(const struct meter_price *price, i128 already, i128 quantity, struct tier_part parts[TIER_STEPS_MAX],
    size_t *count, struct error *err);

/* The step that a total reaches. */
size_t tiers_volume_step(const struct meter_price *price, i128 total);

#endif
