/* tiers.c -- see tiers.h. */
#include "rating/tiers.h"

size_t
tiers_volume_step(const struct meter_price *price, i128 total)
{
	size_t step = 0;

	must(price->steps >= 1);
	while (step + 1 < price->steps && total > price->step[step].up_to)
		step++;
	return step;
}

bool
tiers_split(const struct meter_price *price, i128 already, i128 quantity, struct tier_part parts[TIER_STEPS_MAX], size_t *count,
    struct error *err)
{
	int sign = quantity < 0 ? -1 : 1;
	i128 low, high, total;

	must(price->steps >= 1 && price->steps <= TIER_STEPS_MAX);
	*count = 0;
	if (__builtin_add_overflow(already, quantity, &total))
		return error_set(err, ERROR_RANGE, "the quantity counted in tiers exceeds 128 bits");
	if (already < 0 || total < 0)
		return error_set(err, ERROR_RANGE, "more is taken back than the tiers have counted");
	/* What is added and what is given back both lie between the lower and the higher position. */
	low = sign < 0 ? total : already;
	high = sign < 0 ? already : total;
	for (size_t i = 0; i < price->steps && low < high; i++) {
		i128 end = i + 1 == price->steps || price->step[i].up_to > high ? high : price->step[i].up_to;

		if (end <= low)
			continue;
		parts[(*count)++] = (struct tier_part){i, sign < 0 ? low - end : end - low};
		low = end;
	}
	must(low == high);
	return true;
}
