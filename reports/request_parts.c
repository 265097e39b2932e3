/* request_parts.c -- see request_parts.h. */
#include "reports/request_parts.h"

#include "ledger/meter.h"

static i128
absolute(i128 number)
{
	return number < 0 ? -number : number;
}

/* How far a place of the row, from its beginning, is within the part that begins at `begins`. */
static i128
place_within(const struct usage_walk *walk, size_t part, i128 begins, i128 position)
{
	i128 within = position - begins, units = absolute(walk->parts[part].quantity);

	if (within < 0 && part > 0)
		return 0;
	return within > units && part + 1 < walk->count ? units : within;
}

size_t
usage_walk_on(struct usage_walk *walk, i128 quantity, struct request_part *out)
{
	/* All parts have one sign: usage, or what is taken back. */
	int sign = walk->parts[0].quantity < 0 ? -1 : 1;
	i128 before = sign * walk->position, after = before + sign * quantity, begins = 0;
	size_t count = 0;

	walk->position += quantity;
	for (size_t i = 0; i < walk->count; i++) {
		i128 from = place_within(walk, i, begins, before), to = place_within(walk, i, begins, after);

		if (from != to)
			out[count++] = (struct request_part){&walk->parts[i], sign * from, sign * to};
		begins += absolute(walk->parts[i].quantity);
	}
	return count;
}

/* What is billed when a charge whose step shows at the end has this quantity: it lies in a row, so that packages are either begun by
 * it alone, or the first one was begun before it. */
static i128
billed_until(const struct charge *charge, const struct tier_step *step, i128 quantity, i128 scale)
{
	i128 billed = tiers_billed(step, 0, quantity, scale);

	return step->in_packages && billed > charge->billed ? charge->billed : billed;
}

bool
charge_share_add(struct charge_share *share, const struct request_part *part, struct decimal *amount, struct error *err)
{
	const struct charge *charge = share->charge;
	const struct tier_step step = {.per = charge->per, .in_packages = charge->in_packages};
	i128 scale = meter_scale(meter_of(charge->priced_as)), units = part->to - part->from;
	struct decimal after;

	share->quantity += units;
	if (part->part->before < 0)
		share->billed = billed_until(charge, &step, share->quantity, scale);
	else
		share->billed += tiers_billed(&step, part->part->before + part->from, units, scale);
	if (!decimal_price(
		charge->price, share->billed, charge->per * meter_scale(meter_of(charge->meter)), ROUND_HALF_EVEN, &after, err) ||
	    !decimal_subtract(after, share->amount, amount, err))
		return false;
	share->amount = after;
	return true;
}

bool
charge_share_is_whole(const struct charge_share *share)
{
	return share->quantity == share->charge->quantity && share->billed == share->charge->billed &&
	    share->amount.e18 == share->charge->amount.e18;
}
