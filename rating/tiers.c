/* tiers.c -- see tiers.h. */
#include "rating/tiers.h"

size_t
tiers_volume_step(const struct tiers *tiers, i128 total)
{
	size_t step = 0;

	must(tiers->steps >= 1);
	while (step + 1 < tiers->steps && total > tiers->step[step].up_to)
		step++;
	return step;
}

i128
tiers_step_begins(const struct tiers *tiers, size_t step)
{
	must(step < tiers->steps);
	return step == 0 || tiers->mode != TIER_GRADUATED ? 0 : tiers->step[step - 1].up_to;
}

bool
tiers_split(const struct tiers *tiers, i128 already, i128 quantity, struct tier_part parts[TIER_STEPS_MAX], size_t *count,
    struct error *err)
{
	int sign = quantity < 0 ? -1 : 1;
	i128 low, high, total;

	must(tiers->steps >= 1 && tiers->steps <= TIER_STEPS_MAX);
	*count = 0;
	if (__builtin_add_overflow(already, quantity, &total))
		return error_set(err, ERROR_RANGE, "the quantity counted in tiers exceeds 128 bits");
	if (already < 0 || total < 0)
		return error_set(err, ERROR_RANGE, "more is taken back than the tiers have counted");
	/* What is added and what is given back both lie between the lower and the higher position. */
	low = sign < 0 ? total : already;
	high = sign < 0 ? already : total;
	for (size_t i = 0; i < tiers->steps && low < high; i++) {
		i128 end = i + 1 == tiers->steps || tiers->step[i].up_to > high ? high : tiers->step[i].up_to;

		if (end <= low)
			continue;
		parts[(*count)++] = (struct tier_part){i, sign < 0 ? low - end : end - low};
		low = end;
	}
	must(low == high);
	return true;
}

static i128
packages_begun(i128 units, i128 size)
{
	return units <= 0 ? 0 : units / size + (units % size != 0);
}

i128
tiers_billed(const struct tier_step *step, i128 already, i128 quantity, i128 scale)
{
	i128 size = step->per * scale;

	if (!step->in_packages)
		return quantity;
	return (packages_begun(already + quantity, size) - packages_begun(already, size)) * size;
}
