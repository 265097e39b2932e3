/* charges_end.c -- see charges.h: the end of a period, when volume prices are known and contracts add what is theirs. */
#include <stdlib.h>
#include <string.h>

#include "ledger/meter.h"
#include "rating/charging.h"

/* --- volume prices ----------------------------------------------------------------------------- */

/* The fee of the step reached, less that of the step that earlier periods reached; once for a counter. */
static bool
add_volume_fee(struct charging *charging, size_t place, size_t step, struct error *err)
{
	const struct origin origin = charging->origins[place];
	struct counter *counter = &charging->counters[origin.counter];
	struct rated *out = charging->out;
	struct decimal fee, before = {0};
	struct charge *charge;

	if (counter->has_volume_fee)
		return true;
	counter->has_volume_fee = true;
	if (!price_effective_fee(origin.answer->source, origin.tiers->step[step].fee, origin.time_factor, &fee, err) ||
	    (counter->before > 0 &&
		!price_effective_fee(origin.answer->source,
		    origin.tiers->step[tiers_volume_step(origin.tiers, counter->before)].fee, origin.time_factor, &before,
		    err)) ||
	    !decimal_subtract(fee, before, &fee, err))
		return false;
	if (fee.e18 == 0)
		return true;
	out->charges = memory_grow(out->charges, &out->charge_room, out->charge_count + 1, sizeof *out->charges);
	charging->origins =
	    memory_grow(charging->origins, &charging->origin_room, out->charge_count + 1, sizeof *charging->origins);
	charging->origins[out->charge_count] = (struct origin){0};
	charge = &out->charges[out->charge_count];
	*charge = out->charges[place];
	charge->kind = CHARGE_TIER_FEE;
	charge->quantity = 0;
	charge->price = fee;
	charge->per = 1;
	charge->billed = meter_scale(meter_of(charge->meter));
	charge->counter = "";
	charge->place = out->charge_count++;
	return true;
}

static bool
settle_volume(struct charging *charging, size_t place, struct error *err)
{
	const struct origin *origin = &charging->origins[place];
	struct counter *counter = &charging->counters[origin->counter];
	struct charge *charge = &charging->out->charges[place];
	size_t number = tiers_volume_step(origin->tiers, counter->position);
	const struct tier_step *step = &origin->tiers->step[number];

	charge->tier = (int)number + 1;
	charge->per = step->per;
	charge->in_packages = step->in_packages;
	charge->billed = tiers_billed(step, counter->packed, charge->quantity, meter_scale(meter_of(charge->priced_as)));
	counter->packed += charge->quantity;
	return price_effective(
		   origin->answer->source, charge->priced_as, step->price, step->per, origin->time_factor, &charge->price, err) &&
	    add_volume_fee(charging, place, number, err);
}

static bool
settle_usage(struct charging *charging, struct error *err)
{
	size_t count = charging->out->charge_count;

	for (size_t i = 0; i < count; i++)
		if (charging->origins[i].is_volume && !settle_volume(charging, i, err))
			return false;
	for (size_t i = 0; i < charging->out->charge_count; i++) {
		struct charge *charge = &charging->out->charges[i];

		if (!decimal_price(charge->price, charge->billed, charge->per * meter_scale(meter_of(charge->meter)),
			ROUND_HALF_EVEN, &charge->amount, err))
			return error_wrap(err, "%s of model \"%s\"", meter_of(charge->meter)->name, charge->model);
	}
	return true;
}

/* --- what contracts add ------------------------------------------------------------------------ */

/* The charges of a segment that discounts and bounds look at. */
static struct contract_net *
nets_of(const struct charging *charging, int64_t contract_id, size_t *count)
{
	const struct rated *rated = charging->out;
	struct contract_net *nets = memory_new(rated->charge_count + 1, sizeof *nets);

	*count = 0;
	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *charge = &rated->charges[i];

		if (charge->contract_id == contract_id && (charge->kind == CHARGE_USAGE || charge->kind == CHARGE_TIER_FEE))
			nets[(*count)++] =
			    (struct contract_net){charge->model, charge->service_tier, charge->meter, charge->amount};
	}
	return nets;
}

/* What the commitment's window has seen before this period. */
static bool
spent_before(const struct charging *charging, const char *first, struct decimal *out, struct error *err)
{
	const struct charging_inputs *inputs = charging->inputs;

	*out = (struct decimal){0};
	for (size_t i = 0; i < inputs->spent_count; i++)
		if (strcmp(inputs->spent[i].period, first) >= 0 && strcmp(inputs->spent[i].period, inputs->period) < 0 &&
		    !decimal_add(*out, inputs->spent[i].amount, out, err))
			return false;
	return true;
}

static void
add_contract_charge(struct charging *charging, const struct segment *segment, const struct contract_charge *made)
{
	const struct contract *contract = &charging->inputs->contracts->item[segment->first];
	struct rated *out = charging->out;

	out->charges = memory_grow(out->charges, &out->charge_room, out->charge_count + 1, sizeof *out->charges);
	out->charges[out->charge_count] = (struct charge){.kind = made->kind,
	    .model = "",
	    .service_tier = "",
	    .book = "",
	    .price = made->amount,
	    .per = 1,
	    .billed = 1,
	    .amount = made->amount,
	    .currency = contract->currency,
	    .first = segment->times.starts,
	    .last = segment->times.ends,
	    .detail = arena_format(&out->arena, "%s: %s", made->name, made->detail),
	    .counter = "",
	    .contract_id = contract->contract_id,
	    .place = out->charge_count};
	out->charge_count++;
}

/* What the commitment's window has seen before this segment: under contracts that went on without a gap. */
static bool
spent_so_far(const struct charging *charging, const struct segment *segment, const char *first, struct decimal spent,
    struct decimal *out, struct error *err)
{
	*out = spent;
	if (charging->inputs->contracts->item[segment->chain].effective.us > charging->inputs->starts.us)
		return true;
	return spent_before(charging, first, out, err) && decimal_add(*out, spent, out, err);
}

/* *spent: under a commitment, in the segments of the period so far. */
static bool
settle_segment(struct charging *charging, struct segment *segment, struct decimal *spent, struct error *err)
{
	struct contract_charge made[CONTRACT_CHARGES_MAX];
	char first[CONTRACT_PERIOD_BYTES];
	struct contract_net *nets;
	size_t count, made_count = 0;
	bool is_last = false, fine = true;

	if (contract_window(segment->terms, charging->inputs->period, first, &is_last))
		fine = spent_so_far(charging, segment, first, *spent, &segment->times.spent_before, err);
	/* A window that the contract does not live to see the end of ends with it. */
	segment->times.last_of_window =
	    segment->ends_for_good || (is_last && segment->times.ends.us == charging->inputs->ends.us);
	nets = nets_of(charging, charging->inputs->contracts->item[segment->first].contract_id, &count);
	fine = fine &&
	    contract_charges_make(segment->terms, &segment->times, nets, count, &charging->out->arena, made, &made_count, err);
	for (size_t i = 0; fine && i < count && segment->terms->commitment.is_set; i++)
		fine = decimal_add(*spent, nets[i].net, spent, err);
	for (size_t i = 0; fine && i < made_count; i++)
		add_contract_charge(charging, segment, &made[i]);
	free(nets);
	return fine;
}

/* A column keeps 20 digits before the point, a decimal a little more: what does not fit must be told with its name, here. */
static bool
is_kept(struct decimal value)
{
	static const i128 bound = (i128)10000000000000000000U * (i128)10000000000000000000U;

	return -bound < value.e18 && value.e18 < bound;
}

static bool
check_kept(const struct rated *rated, struct error *err)
{
	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *charge = &rated->charges[i];
		char amount[DECIMAL_TEXT];

		if (is_kept(charge->price) && is_kept(charge->amount))
			continue;
		error_set(err, ERROR_RANGE, "a charge of %s is out of range",
		    decimal_format(is_kept(charge->price) ? charge->amount : charge->price, amount));
		error_detail(err, "Prices and amounts of charges are less than 10^20.");
		error_hint(err, "Look for a wrong quantity, price, factor or \"per\".");
		if (charge->meter == 0)
			return error_wrap(err, "%s", charge->detail);
		return error_wrap(err, "%s of model \"%s\"", meter_of(charge->meter)->name, charge->model);
	}
	return true;
}

bool
charging_settle(struct charging *charging, struct error *err)
{
	struct decimal spent = {0};

	if (!charging_segments(charging, err) || !settle_usage(charging, err))
		return false;
	/* Discounts take from the charges in the order that these are shown in. */
	rated_finish(charging->out);
	for (size_t i = 0; i < charging->segment_count; i++) {
		struct segment *segment = &charging->segments[i];

		if (i > 0 && segment->chain != segment[-1].chain)
			spent = (struct decimal){0};
		if (segment->terms != NULL && !settle_segment(charging, segment, &spent, err))
			return false;
	}
	rated_finish(charging->out);
	return check_kept(charging->out, err);
}
