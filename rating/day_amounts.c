/* day_amounts.c -- see day_amounts.h. */
#include "rating/day_amounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/zone.h"
#include "ledger/meter.h"
#include "rating/tiers.h"

/* Columns of rerate_rating.sql. */
enum { TENANT, PERIOD, STARTS, ENDS, ZONE, UNTIL_RUN, PRICED_WITH, CONTRACTED_WITH, SUBSTITUTED_WITH, ENGINE, OUTPUT_DIGEST };

/* Columns of charges_of_rating.sql. */
enum {
	CHARGE_MODEL,
	CHARGE_SERVICE_TIER,
	CHARGE_METER,
	CHARGE_QUANTITY = 9,
	CHARGE_AMOUNT,
	CHARGE_CURRENCY,
	CHARGE_LAST = 13,
	CHARGE_KIND_NAME
};

/* How much of a charge is laid out. */
struct laid {
	const struct charge *charge; /* settled; by charge.place */
	size_t ordinal;              /* its row among the stored ones */
	i128 quantity, billed;
	i128 of_day; /* of the quantity, on the day at work */
	struct decimal amount;
	bool touched, at_end; /* on the day at work; its step shows at the end of the period */
};

struct spread {
	struct period_source *source;
	struct rows inputs, stored;
	const struct zone *zone;
	day_amount_seen *seen;
	void *context;
	struct period period;
	struct laid *laid;
	i128 *quantity; /* of each stored charge: what is laid out of it */
	struct decimal *amount;
};

static int64_t
day_of(const struct zone *zone, struct instant at)
{
	const struct civil civil = zone_civil(zone, at);

	return days_from_date(civil.year, civil.month, civil.day);
}

/* Gives a part of stored charge `row` away. */
static bool
give(struct spread *spread, int row, int64_t day, i128 quantity, struct decimal amount, struct error *err)
{
	const struct rows *stored = &spread->stored;
	struct day_amount part = {.model = row_text(stored, row, CHARGE_MODEL),
	    .service_tier = row_text(stored, row, CHARGE_SERVICE_TIER),
	    .meter = (int)row_number(stored, row, CHARGE_METER),
	    .currency = row_text(stored, row, CHARGE_CURRENCY),
	    .day = day,
	    .quantity = quantity,
	    .amount = amount};

	if (quantity == 0 && amount.e18 == 0)
		return true;
	must(charge_kind_find(row_text(stored, row, CHARGE_KIND_NAME), &part.kind));
	spread->quantity[row] += quantity;
	spread->amount[row].e18 += amount.e18;
	return spread->seen(spread->context, &part, err);
}

/* --- along the usage -------------------------------------------------------------------------- */

/* What is billed of a charge so far.  Where the step shows at the end, its units lie in a row, and
 * no more is billed than in the end. */
static i128
billed_so_far(const struct laid *laid)
{
	const struct charge *charge = laid->charge;
	const struct tier_step step = {.per = charge->per, .in_packages = charge->in_packages};
	i128 billed;

	if (!laid->at_end)
		return laid->billed;
	billed = tiers_billed(&step, 0, laid->quantity, meter_scale(meter_of(charge->priced_as)));
	return step.in_packages && billed > charge->billed ? charge->billed : billed;
}

static bool
end_day(struct spread *spread, int64_t day, struct error *err)
{
	for (size_t i = 0; i < spread->period.rated.charge_count; i++) {
		struct laid *laid = &spread->laid[i];
		const struct charge *charge = laid->charge;
		struct decimal after, of_day;

		if (!laid->touched)
			continue;
		if (!decimal_price(charge->price, billed_so_far(laid), charge->per * meter_scale(meter_of(charge->meter)),
			ROUND_HALF_EVEN, &after, err) ||
		    !decimal_subtract(after, laid->amount, &of_day, err) ||
		    !give(spread, (int)laid->ordinal, day, laid->of_day, of_day, err))
			return false;
		laid->amount = after;
		laid->of_day = 0;
		laid->touched = false;
	}
	return true;
}

static void
lay(struct spread *spread, const struct charging *charging)
{
	size_t count;
	const struct charging_part *parts = charging_parts(charging, &count);

	for (size_t i = 0; i < count; i++) {
		struct laid *laid;

		if (parts[i].held != NULL)
			continue;
		laid = &spread->laid[parts[i].place];
		laid->quantity += parts[i].quantity;
		laid->of_day += parts[i].quantity;
		laid->billed += parts[i].billed;
		laid->at_end = parts[i].before < 0;
		laid->touched = true;
	}
}

static bool
lay_all(struct spread *spread, struct charging *charging, struct error *err)
{
	const struct period_usage *usage = &spread->period.usage;
	struct instant quarter = {-1};
	int64_t day = 0;

	for (size_t i = 0; i < usage->count; i++) {
		const struct usage next = period_usage_at(usage, i);

		if (next.start.us != quarter.us) {
			int64_t begins = day_of(spread->zone, next.start);

			if (begins != day && !end_day(spread, day, err))
				return false;
			quarter = next.start;
			day = begins;
		}
		if (!charging_add(charging, &next, err))
			return false;
		lay(spread, charging);
	}
	return end_day(spread, day, err);
}

static bool
lay_along_usage(struct spread *spread, struct error *err)
{
	const struct rated *rated = &spread->period.rated;
	const struct charging_inputs inputs = period_charging(&spread->period);
	struct rated again = {0};
	struct charging *charging = charging_new(&inputs, NULL, &again);
	bool fine;

	spread->laid = memory_new(rated->charge_count, sizeof *spread->laid);
	for (size_t i = 0; i < rated->charge_count; i++)
		spread->laid[rated->charges[i].place] = (struct laid){.charge = &rated->charges[i], .ordinal = i};
	fine = lay_all(spread, charging, err);
	charging_free(charging);
	rated_release(&again);
	return fine;
}

/* --- the rating again ------------------------------------------------------------------------- */

/* Is what was computed what is stored? */
static bool
is_same(const struct spread *spread)
{
	const struct rated *rated = &spread->period.rated;
	char output[DIGEST_HEX];

	if (!spread->period.fine || rated->charge_count != (size_t)spread->stored.count ||
	    strcmp(digest_hex(rated->output_digest, DIGEST_SIZE, output), row_text(&spread->inputs, 0, OUTPUT_DIGEST)) != 0)
		return false;
	for (size_t i = 0; i < rated->charge_count; i++)
		if (rated->charges[i].amount.e18 != row_decimal(&spread->stored, (int)i, CHARGE_AMOUNT).e18)
			return false;
	return true;
}

static bool
load_again(struct spread *spread, struct error *err)
{
	const struct rows *inputs = &spread->inputs;

	spread->period.inputs = (struct period_inputs){.tenant = row_text(inputs, 0, TENANT),
	    .period = row_text(inputs, 0, PERIOD),
	    .starts = row_instant(inputs, 0, STARTS),
	    .ends = row_instant(inputs, 0, ENDS),
	    .until_run = row_number(inputs, 0, UNTIL_RUN),
	    .priced_with = row_number(inputs, 0, PRICED_WITH),
	    .contracted_with = row_number(inputs, 0, CONTRACTED_WITH),
	    .substituted_with = row_number(inputs, 0, SUBSTITUTED_WITH)};
	return periods_load(spread->source, &spread->period, 1, err);
}

/* Lays out what follows from usage, where the rating can be made again; what is not laid out is left to give_rest(). */
static bool
give_days(struct spread *spread, struct error *err)
{
	if (row_is_null(&spread->inputs, 0, ENGINE) || row_number(&spread->inputs, 0, ENGINE) != RATING_ENGINE)
		return true;
	if (!load_again(spread, err))
		return false;
	period_compute(spread->source, &spread->period);
	return !is_same(spread) || lay_along_usage(spread, err);
}

/* What a contract adds covers a part of the period, whose end is not included. */
static struct instant
last_instant(const struct rows *stored, int row)
{
	struct instant last = row_instant(stored, row, CHARGE_LAST);

	if (row_number(stored, row, CHARGE_METER) == 0)
		last.us--;
	return last;
}

static bool
give_rest(struct spread *spread, struct error *err)
{
	const struct rows *stored = &spread->stored;

	for (int i = 0; i < stored->count; i++) {
		struct decimal rest;

		if (!decimal_subtract(row_decimal(stored, i, CHARGE_AMOUNT), spread->amount[i], &rest, err) ||
		    !give(spread, i, day_of(spread->zone, last_instant(stored, i)),
			row_integer(stored, i, CHARGE_QUANTITY) - spread->quantity[i], rest, err))
			return false;
	}
	return true;
}

static bool
give_all(struct spread *spread, struct error *err)
{
	size_t count = (size_t)spread->stored.count;
	bool fine;

	spread->zone = zone_find(row_text(&spread->inputs, 0, ZONE));
	if (spread->zone == NULL)
		spread->zone = zone_find("UTC");
	spread->quantity = memory_new(count, sizeof *spread->quantity);
	spread->amount = memory_new(count, sizeof *spread->amount);
	fine = count == 0 || (give_days(spread, err) && give_rest(spread, err));
	if (!fine)
		error_wrap(err, "%s of %s by day", row_text(&spread->inputs, 0, PERIOD), row_text(&spread->inputs, 0, TENANT));
	periods_release(&spread->period, 1);
	free(spread->laid);
	free(spread->quantity);
	free(spread->amount);
	return fine;
}

bool
day_amounts(struct period_source *source, const char *rating_id, day_amount_seen *seen, void *context, struct error *err)
{
	struct spread spread = {.source = source, .seen = seen, .context = context};
	bool fine;

	if (!db_one_row(source->db, SQL_RATING_RERATE_RATING, PARAMS(rating_id), &spread.inputs, err))
		return false;
	if (!db_rows(source->db, SQL_RATING_CHARGES_OF_RATING, PARAMS(rating_id), &spread.stored, err)) {
		rows_release(&spread.inputs);
		return false;
	}
	fine = give_all(&spread, err);
	rows_release(&spread.stored);
	rows_release(&spread.inputs);
	return fine;
}
