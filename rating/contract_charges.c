/* contract_charges.c -- see contract_charges.h. */
#include "rating/contract_charges.h"

#include <stdlib.h>
#include <string.h>

/* What one call of contract_charges_make() works on. */
struct bill {
	const struct contract_terms *terms;
	const struct contract_segment *segment;
	struct contract_net *nets;
	size_t count;
	struct arena *arena;
	struct contract_charge *out;
	size_t out_count;
	struct error *err;
};

static const struct decimal zero = {0};

static const char *
shown(struct bill *bill, struct decimal value)
{
	char text[DECIMAL_TEXT];

	return arena_format(bill->arena, "%s", decimal_format(value, text));
}

/* Hours of a length of time; whole quarters, since segments begin and end on them. */
static const char *
hours(struct bill *bill, int64_t us)
{
	struct decimal value = {0}, unit = {1000000000000000000};
	struct error ignored;

	return decimal_price(unit, us, (i128)3600 * 1000000, ROUND_HALF_EVEN, &value, &ignored) ? shown(bill, value) : "?";
}

static int64_t
segment_us(const struct contract_segment *segment)
{
	must(segment->period_starts.us <= segment->starts.us && segment->starts.us < segment->ends.us &&
	    segment->ends.us <= segment->period_ends.us);
	return segment->ends.us - segment->starts.us;
}

static int64_t
period_us(const struct contract_segment *segment)
{
	return segment->period_ends.us - segment->period_starts.us;
}

static bool
prorate(struct decimal amount, bool is_prorated, const struct contract_segment *segment, struct decimal *out, struct error *err)
{
	*out = amount;
	return !is_prorated || decimal_price(amount, segment_us(segment), period_us(segment), ROUND_HALF_EVEN, out, err);
}

/* "1000", or "1000 x 372 of 744 hours". */
static const char *
prorated_text(struct bill *bill, struct decimal amount, bool is_prorated)
{
	int64_t part = segment_us(bill->segment), whole = period_us(bill->segment);

	if (!is_prorated || part == whole)
		return shown(bill, amount);
	return arena_format(bill->arena, "%s x %s of %s hours", shown(bill, amount), hours(bill, part), hours(bill, whole));
}

static void
add_charge(struct bill *bill, enum charge_kind kind, const char *name, struct decimal amount, const char *detail)
{
	if (amount.e18 == 0)
		return;
	must(bill->out_count < CONTRACT_CHARGES_MAX);
	bill->out[bill->out_count++] = (struct contract_charge){kind, name, amount, detail};
}

static struct decimal
least(struct decimal a, struct decimal b)
{
	return decimal_compare(a, b) < 0 ? a : b;
}

static struct decimal
negative(struct decimal value)
{
	return (struct decimal){-value.e18};
}

/* --- discounts ------------------------------------------------------------------------------- */

static const char *
discount_text(struct bill *bill, const struct contract_discount *discount, struct decimal base, bool is_capped)
{
	if (discount->is_percent && is_capped)
		return arena_format(bill->arena, "%s %% of %s, capped at %s", shown(bill, discount->percent), shown(bill, base),
		    shown(bill, discount->most));
	if (discount->is_percent)
		return arena_format(bill->arena, "%s %% of %s", shown(bill, discount->percent), shown(bill, base));
	if (decimal_compare(base, discount->most) < 0)
		return arena_format(
		    bill->arena, "%s, but no more than the %s there is", shown(bill, discount->most), shown(bill, base));
	return arena_format(bill->arena, "%s off %s", shown(bill, discount->most), shown(bill, base));
}

/* What the discount would take off one net, if it had no cap. */
static bool
wanted_of(struct bill *bill, const struct contract_discount *discount, struct decimal net, struct decimal *out)
{
	struct decimal factor = {discount->percent.e18 / 100}; /* exact: see read_percent() */

	*out = net;
	return !discount->is_percent || decimal_multiply(net, factor, ROUND_HALF_EVEN, out, bill->err);
}

static bool
undecided(struct bill *bill, const char *name, const char *model)
{
	error_set(bill->err, ERROR_STATE, "the pattern of discount \"%s\" cannot be decided for model \"%s\"", name, model);
	return error_hint(bill->err, "Give the contract a simpler \"model_pattern\".");
}

static bool
apply_discount(struct bill *bill, const struct contract_discount *discount)
{
	struct decimal base = zero, taken = zero, left = discount->most;
	bool is_capped = false;

	for (size_t i = 0; i < bill->count; i++) {
		struct contract_net *net = &bill->nets[i];
		struct decimal wanted, part;
		enum pattern_answer answer;

		if (net->net.e18 <= 0)
			continue;
		answer = contract_scope_covers(&discount->scope, net->model, net->service_tier, net->meter);
		if (answer == PATTERN_LIMIT)
			return undecided(bill, discount->name, net->model);
		if (answer == PATTERN_NO)
			continue;
		if (!wanted_of(bill, discount, net->net, &wanted) || !decimal_add(base, net->net, &base, bill->err))
			return false;
		part = discount->has_most ? least(wanted, left) : wanted;
		is_capped = is_capped || decimal_compare(part, wanted) < 0;
		left.e18 -= discount->has_most ? part.e18 : 0;
		net->net.e18 -= part.e18; /* 0 <= part <= net */
		taken.e18 += part.e18;    /* <= base, which fits */
	}
	add_charge(bill, CHARGE_DISCOUNT, discount->name, negative(taken), discount_text(bill, discount, base, is_capped));
	return true;
}

static bool
add_discounts(struct bill *bill, struct decimal *spent)
{
	*spent = zero;
	for (size_t i = 0; i < bill->terms->discount_count; i++)
		if (!apply_discount(bill, &bill->terms->discount[i]))
			return false;
	for (size_t i = 0; i < bill->count; i++)
		if (!decimal_add(*spent, bill->nets[i].net, spent, bill->err))
			return false;
	return true;
}

/* --- commitment ------------------------------------------------------------------------------ */

/* What `value` is above `bound`. */
static bool
above(struct decimal value, struct decimal bound, struct decimal *out, struct error *err)
{
	if (!decimal_subtract(value, bound, out, err))
		return false;
	if (out->e18 < 0)
		*out = zero;
	return true;
}

static bool
add_overage(struct bill *bill, struct decimal total, struct decimal *overage)
{
	const struct contract_commitment *commitment = &bill->terms->commitment;
	struct decimal over, over_before, surcharge = {commitment->overage.e18 - 1000000000000000000};

	if (!above(total, commitment->amount, &over, bill->err) ||
	    !above(bill->segment->spent_before, commitment->amount, &over_before, bill->err) ||
	    !decimal_subtract(over, over_before, &over, bill->err) ||
	    !decimal_multiply(over, surcharge, ROUND_HALF_EVEN, overage, bill->err))
		return false;
	add_charge(bill, CHARGE_OVERAGE, "commitment", *overage,
	    arena_format(bill->arena, "(%s - 1) x %s above %s", shown(bill, commitment->overage), shown(bill, over),
		shown(bill, commitment->amount)));
	return true;
}

static bool
add_commitment(struct bill *bill, struct decimal spent, struct decimal *overage)
{
	const struct contract_commitment *commitment = &bill->terms->commitment;
	struct decimal total, missing;

	*overage = zero;
	if (!commitment->is_set)
		return true;
	if (!decimal_add(bill->segment->spent_before, spent, &total, bill->err) || !add_overage(bill, total, overage))
		return false;
	if (!commitment->true_up || !bill->segment->last_of_window)
		return true;
	if (!above(commitment->amount, total, &missing, bill->err))
		return false;
	add_charge(bill, CHARGE_TRUE_UP, "commitment", missing,
	    arena_format(bill->arena, "%s - %s", shown(bill, commitment->amount), shown(bill, total)));
	return true;
}

/* --- minimum and maximum ---------------------------------------------------------------------- */

/* Brings the bill up to its minimum, and down to its maximum. */
static bool
add_bounds(struct bill *bill, struct decimal total)
{
	const struct contract_bound *minimum = &bill->terms->minimum, *maximum = &bill->terms->maximum;
	struct decimal stated = contract_bound_at(minimum, bill->segment->starts), bound, gap;

	if (minimum->is_set) {
		if (!prorate(stated, minimum->prorate, bill->segment, &bound, bill->err) || !above(bound, total, &gap, bill->err))
			return false;
		add_charge(bill, CHARGE_MINIMUM, "minimum", gap,
		    arena_format(bill->arena, "%s - %s", prorated_text(bill, stated, minimum->prorate), shown(bill, total)));
		if (!decimal_add(total, gap, &total, bill->err))
			return false;
	}
	if (!maximum->is_set)
		return true;
	stated = contract_bound_at(maximum, bill->segment->starts);
	if (!prorate(stated, maximum->prorate, bill->segment, &bound, bill->err) || !above(total, bound, &gap, bill->err))
		return false;
	add_charge(bill, CHARGE_MAXIMUM, "maximum", negative(gap),
	    arena_format(bill->arena, "%s - %s", prorated_text(bill, stated, maximum->prorate), shown(bill, total)));
	return true;
}

/* --- fees ------------------------------------------------------------------------------------ */

static bool
add_fee_by_time(struct bill *bill, const struct contract_fee *fee)
{
	int64_t length = segment_us(bill->segment);
	struct decimal amount;

	if (!decimal_price(fee->amount, length, fee->per_us, ROUND_HALF_EVEN, &amount, bill->err))
		return false;
	add_charge(bill, CHARGE_FEE, fee->name, amount,
	    arena_format(bill->arena, "%s x %s per %s x %s hours", shown(bill, fee->quantity), shown(bill, fee->price), fee->per,
		hours(bill, length)));
	return true;
}

static bool
add_fee(struct bill *bill, const struct contract_fee *fee)
{
	struct decimal amount;

	if (fee->by_time)
		return add_fee_by_time(bill, fee);
	/* Once a period, however often the terms change within it. */
	if (!fee->prorate && !bill->segment->last_of_period && bill->segment->ends.us != bill->segment->period_ends.us)
		return true;
	if (!prorate(fee->amount, fee->prorate, bill->segment, &amount, bill->err))
		return false;
	add_charge(bill, CHARGE_FEE, fee->name, amount, prorated_text(bill, fee->amount, fee->prorate));
	return true;
}

bool
contract_charges_make(const struct contract_terms *terms, const struct contract_segment *segment, struct contract_net *nets,
    size_t count, struct arena *arena, struct contract_charge *out, size_t *out_count, struct error *err)
{
	struct bill bill = {terms, segment, nets, count, arena, out, 0, err};
	struct decimal spent, overage;

	*out_count = 0;
	if (terms == NULL)
		return true;
	if (!add_discounts(&bill, &spent) || !add_commitment(&bill, spent, &overage) ||
	    !decimal_add(spent, overage, &spent, err) || !add_bounds(&bill, spent))
		return false;
	for (size_t i = 0; i < terms->fee_count; i++)
		if (!add_fee(&bill, &terms->fee[i]))
			return false;
	*out_count = bill.out_count;
	return true;
}

/* --- what the engine asks -------------------------------------------------------------------- */

bool
contract_is_trial(const struct contract_terms *terms, struct instant at)
{
	return terms != NULL && terms->has_trial && at.us < terms->trial_until.us;
}

bool
contract_decides(const struct contract_terms *terms, const char *model, const char *service_tier, int meter)
{
	if (terms == NULL)
		return true;
	for (size_t i = 0; i < terms->allowance_count; i++)
		if (contract_scope_covers(&terms->allowance[i].scope, model, service_tier, meter) == PATTERN_LIMIT)
			return false;
	for (size_t i = 0; i < terms->discount_count; i++)
		if (contract_scope_covers(&terms->discount[i].scope, model, service_tier, meter) == PATTERN_LIMIT)
			return false;
	return true;
}

size_t
contract_allowance_for(const struct contract_terms *terms, const char *model, const char *service_tier, int meter,
    size_t out[CONTRACT_ALLOWANCES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; terms != NULL && i < terms->allowance_count; i++)
		if (contract_scope_covers(&terms->allowance[i].scope, model, service_tier, meter) == PATTERN_YES)
			out[count++] = i;
	return count;
}

static i128
common_divisor(i128 a, i128 b)
{
	while (b != 0) {
		i128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

bool
contract_allowance_quantity(
    const struct contract_terms *terms, const struct contract_segment *segment, size_t allowance, i128 *out, struct error *err)
{
	const struct contract_allowance *one = &terms->allowance[allowance];
	i128 part = segment_us(segment), whole = period_us(segment), divisor = common_divisor(part, whole);

	*out = one->quantity;
	if (!one->prorate)
		return true;
	/* In quarters of an hour the product is small; in microseconds it might not fit. */
	if (__builtin_mul_overflow(one->quantity, part / divisor, out))
		return error_set(err, ERROR_RANGE, "allowance \"%s\" is too large to be prorated", one->name);
	*out /= whole / divisor;
	return true;
}

bool
contract_window(const struct contract_terms *terms, const char *period, char first[CONTRACT_PERIOD_BYTES], bool *is_last)
{
	int month, length, from;

	must(strlen(period) == CONTRACT_PERIOD_BYTES - 1);
	if (terms == NULL || !terms->commitment.is_set)
		return false;
	*is_last = false;
	if (terms->commitment.reset == CONTRACT_NEVER) {
		memcpy(first, "0001-01", CONTRACT_PERIOD_BYTES);
		return true;
	}
	month = (period[5] - '0') * 10 + (period[6] - '0');
	must(month >= 1 && month <= 12);
	length = terms->commitment.reset == CONTRACT_YEAR ? 12 : terms->commitment.reset == CONTRACT_QUARTER ? 3 : 1;
	from = month - (month - 1) % length;
	memcpy(first, period, CONTRACT_PERIOD_BYTES);
	first[5] = (char)('0' + from / 10);
	first[6] = (char)('0' + from % 10);
	*is_last = month == from + length - 1;
	return true;
}
