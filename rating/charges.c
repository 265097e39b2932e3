/* charges.c -- see charges.h. */
#include "rating/charges.h"

#include <stdlib.h>
#include <string.h>

#include "rating/charging.h"

/* One usage on its way to a price. */
struct pricing {
	const struct usage *usage;
	struct chosen *chosen;
	const struct price_answer *answer;
	const struct meter_price *price; /* the one for the time */
	struct decimal time_factor;
	size_t time; /* place of the window, from 1; 0: none */
	size_t bracket;
	const struct tiers *tiers;
};

/* --- beginning and end ------------------------------------------------------------------------ */

bool
charging_segments(struct charging *charging, struct error *err)
{
	const struct charging_inputs *inputs = charging->inputs;
	size_t row = 0, first;
	struct contract_segment times;

	if (charging->segments != NULL)
		return true;

	charging->segments = memory_new(inputs->contracts->count, sizeof *charging->segments);
	charging->segment_of = memory_new(inputs->contracts->count, sizeof *charging->segment_of);
	while (contracts_segment(inputs->contracts, inputs->starts, inputs->ends, &row, &first, &times)) {
		struct segment *segment = &charging->segments[charging->segment_count++];

		*segment = (struct segment){.first = first,
		    .chain = contract_chain(inputs->contracts, first),
		    .terms = inputs->contracts->item[first].terms,
		    .times = times,
		    .ends_for_good = !contract_goes_on(inputs->contracts, row - 1) &&
			contract_ends(inputs->contracts, row - 1).us <= inputs->ends.us};
		for (size_t i = first; i < row; i++)
			charging->segment_of[i] = segment;
		for (size_t i = 0; segment->terms != NULL && i < segment->terms->allowance_count; i++)
			if (!contract_allowance_quantity(segment->terms, &times, i, &segment->left[i], err))
				return false;
	}
	if (charging->segment_count > 0)
		charging->segments[charging->segment_count - 1].times.last_of_period = true;
	return true;
}

struct charging *
charging_new(const struct charging_inputs *inputs, struct digest *digest, struct rated *out)
{
	struct charging *charging = memory_new(1, sizeof *charging);

	charging->inputs = inputs;
	charging->digest = digest;
	charging->out = out;
	charging->start.us = -1;
	return charging;
}

void
charging_free(struct charging *charging)
{
	if (charging == NULL)
		return;
	for (size_t i = 0; i < charging->choice_index.count; i++)
		free(charging->choices[i]);
	free(charging->choices);
	free(charging->segments);
	free(charging->segment_of);
	free(charging->counters);
	free(charging->fast);
	free(charging->shown);
	free(charging->origins);
	index_release(&charging->choice_index);
	index_release(&charging->counter_index);
	index_release(&charging->fast_index);
	index_release(&charging->shown_index);
	text_release(&charging->choice_key);
	text_release(&charging->key);
	arena_release(&charging->arena);
	free(charging);
}

const struct charging_part *
charging_parts(const struct charging *charging, size_t *count)
{
	*count = charging->part_count;
	return charging->parts;
}

/* --- what holds at a time --------------------------------------------------------------------- */

static const char *
currency_held(const struct charging *charging, const char *currency)
{
	const struct price_version *versions[] = {charging->override, charging->version};

	for (size_t i = 0; i < 2; i++)
		if (versions[i] != NULL && strcmp(price_book_currency(versions[i]->book), currency) != 0)
			return "other_currency";
	return NULL;
}

/* The version of a book that prices a model at an instant; NULL where there is none. */
static const struct price_version *
version_at(const struct charging_inputs *inputs, const struct price_books *books, struct instant start, const char *model)
{
	const struct substitution *found = NULL;

	for (size_t i = 0; i < inputs->substitution_count; i++) {
		const struct substitution *one = &inputs->substitutions[i];

		if (one->books == books && (one->model[0] == '\0' || strcmp(one->model, model) == 0) &&
		    (found == NULL || found->substitution_id < one->substitution_id))
			found = one;
	}
	return found != NULL ? found->version : price_books_at(books, start, inputs->priced_with);
}

/* Why usage that no contract covers is held. */
static const char *
uncovered(const struct contracts *contracts, struct instant start)
{
	if (contracts->count == 0)
		return "unknown_tenant";
	return start.us < contracts->item[0].effective.us ? "before_contract" : "after_contract";
}

/* Finds contract and versions, and why nothing can be priced, if so. */
static void
move_to(struct charging *charging, struct instant start, const char *model)
{
	const struct charging_inputs *inputs = charging->inputs;
	const struct price_version *override = charging->override, *version = charging->version;
	const struct charging_contract *resolved;
	size_t contract = charging->contract;

	charging->start = start;
	charging->model = model;
	charging->contract = contract_at(inputs->contracts, start);
	charging->override = charging->version = NULL;
	charging->held = uncovered(inputs->contracts, start);
	if (charging->contract != 0) {
		resolved = &inputs->resolved[charging->contract - 1];
		if (resolved->override != NULL)
			charging->override = version_at(inputs, resolved->override, start, model);
		charging->version = version_at(inputs, resolved->book, start, model);
		charging->held = charging->version == NULL && charging->override == NULL
		    ? "no_price_book"
		    : currency_held(charging, resolved->contract->currency);
	}
	if (charging->digest == NULL ||
	    (contract == charging->contract && override == charging->override && version == charging->version))
		return;
	digest_number(charging->digest, (int64_t)charging->contract);
	digest_number(charging->digest, charging->override == NULL ? 0 : charging->override->version_id);
	digest_number(charging->digest, charging->version == NULL ? 0 : charging->version->version_id);
}

/* The rules for a subject at this time; asked once for each. */
static struct chosen *
find_choice(struct charging *charging, const struct price_subject *subject)
{
	const struct price_book *books[2];
	struct text *key = &charging->choice_key;
	size_t count = 0, place;
	bool is_new;

	text_clear(key);
	text_add(key, (const char *)&charging->override, sizeof charging->override);
	text_add(key, (const char *)&charging->version, sizeof charging->version);
	for (size_t i = 0; i < MATCH_FIELDS; i++)
		text_add(key, subject->field[i], strlen(subject->field[i]) + 1);
	text_add_string(key, subject->tags);
	place = index_number(&charging->choice_index, key->bytes, key->length, &is_new);
	charging->choices = memory_grow(charging->choices, &charging->choice_room, place + 1, sizeof *charging->choices);
	if (is_new) {
		charging->choices[place] = memory_new(1, sizeof **charging->choices);
		if (charging->override != NULL)
			books[count++] = charging->override->book;
		if (charging->version != NULL)
			books[count++] = charging->version->book;
		price_choose(books, count, subject, &charging->arena, &charging->choices[place]->choice);
	}
	return charging->choices[place];
}

static struct chosen *
choose(struct charging *charging, const struct price_subject *subject)
{
	/* A subject has several meters, one behind the other. */
	if (charging->last_choice == NULL || charging->last_override != charging->override ||
	    charging->last_version != charging->version || memcmp(subject, &charging->last_subject, sizeof *subject) != 0) {
		charging->last_choice = find_choice(charging, subject);
		charging->last_override = charging->override;
		charging->last_version = charging->version;
		charging->last_subject = *subject;
	}
	return charging->last_choice;
}

/* The published version that led to a source: a free meter is the contract's book's. */
static const struct price_version *
version_of(const struct charging *charging, const struct price_source *source)
{
	const struct price_version *first = charging->override != NULL ? charging->override : charging->version;
	const struct price_version *last = charging->version != NULL ? charging->version : charging->override;

	return source != NULL && source->layer == 0 ? first : last;
}

/* --- counters ---------------------------------------------------------------------------------- */

/* "2026", "2026-Q3", "ever": what a counter that outlives the month counts in; "" for one that does not. */
static void
add_window(struct text *out, enum counter_reset reset, const char *period)
{
	static const char quarters[] = "1112223334444";
	int month = (period[5] - '0') * 10 + (period[6] - '0');

	must(month >= 1 && month <= 12);
	switch (reset) {
	case RESET_MONTH:
		break;
	case RESET_QUARTER:
		text_add_format(out, "%.4s-Q%c ", period, quarters[month - 1]);
		break;
	case RESET_YEAR:
		text_add_format(out, "%.4s ", period);
		break;
	case RESET_NEVER:
		text_add_string(out, "ever ");
		break;
	}
}

static void
add_scope(struct text *out, const struct pricing *pricing)
{
	const struct price_source *source = pricing->answer->source;
	const struct meter_price *price = pricing->answer->price;
	const struct meter *meter = meter_of(pricing->answer->priced_as);

	switch (price->scope) {
	case COUNTER_RULE:
		text_add_format(out, "rule %s %s %s", price_book_name(source->book), meter->name,
		    price_rule_identity(source->book, source->rule));
		break;
	case COUNTER_MODEL:
		text_add_format(out, "model %s %s", meter->name, pricing->usage->subject.field[MATCH_MODEL]);
		break;
	case COUNTER_GROUP:
		text_add_format(out, "group %d %s", meter->decimals, price->group);
		break;
	case COUNTER_CONTRACT:
		text_add_format(out, "contract %d", meter->decimals);
		break;
	}
}

static size_t
find_counter(struct charging *charging, const struct pricing *pricing)
{
	const struct charging_inputs *inputs = charging->inputs;
	struct counter *counter;
	bool is_new;
	size_t place;

	text_clear(&charging->key);
	add_window(&charging->key, pricing->answer->price->reset, inputs->period);
	add_scope(&charging->key, pricing);
	place = index_number(&charging->counter_index, charging->key.bytes, charging->key.length, &is_new);
	charging->counters = memory_grow(charging->counters, &charging->counter_room, place + 1, sizeof *charging->counters);
	counter = &charging->counters[place];
	if (!is_new)
		return place;
	*counter = (struct counter){.key = arena_copy(&charging->out->arena, charging->key.bytes, charging->key.length),
	    .lives_longer = pricing->answer->price->reset != RESET_MONTH};
	for (size_t i = 0; counter->lives_longer && i < inputs->carried_count; i++)
		if (strcmp(inputs->carried[i].key, counter->key) == 0)
			counter->before += inputs->carried[i].quantity;
	counter->position = counter->packed = counter->before;
	return place;
}

static size_t
counter_of(struct charging *charging, const struct pricing *pricing)
{
	struct chosen_meter *meter = &pricing->chosen->meter[pricing->usage->meter];

	/* By model, it is another counter for each model that one choice serves; then the choice is of one model anyway. */
	if (meter->counter == 0)
		meter->counter = find_counter(charging, pricing) + 1;
	return meter->counter - 1;
}

/* --- charges ----------------------------------------------------------------------------------- */

static void
add_words(struct text *out, const char *words)
{
	text_add_format(out, "%s%s", out->length == 0 ? "" : "; ", words);
}

/* What led to the price, beyond rule and tier. */
static const char *
detail_of(struct charging *charging, const struct pricing *pricing)
{
	const struct price_source *source = pricing->answer->source;
	struct text text = {0};
	char number[DECIMAL_TEXT];
	const char *kept;

	for (size_t i = 0; source != NULL && i < source->adjustments; i++) {
		const struct price_adjustment *adjustment = &source->adjustment[i];
		struct decimal plus;
		int64_t per;

		add_words(&text, adjustment->words);
		if (price_plus_of(adjustment->plus, pricing->answer->priced_as, &plus, &per))
			text_add_format(&text, " %s %s per %lld", plus.e18 < 0 ? "-" : "+",
			    decimal_format((struct decimal){plus.e18 < 0 ? -plus.e18 : plus.e18}, number), (long long)per);
	}
	if (pricing->bracket > 0)
		add_words(&text, pricing->price->bracket[pricing->bracket].words);
	if (pricing->time > 0) {
		const struct price_time *time = &pricing->answer->price->time[pricing->time - 1];

		add_words(&text, time_window_name(time->window));
		if (time->price == NULL)
			text_add_format(&text, " x %s", decimal_format(time->factor, number));
	}
	kept = arena_copy(&charging->out->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

/* Rules of an extended book are counted behind the book's own. */
static int
rule_number(const struct charging *charging, const struct price_source *source)
{
	size_t before = 0;

	if (source == NULL)
		return 0;
	for (const struct price_book *book = version_of(charging, source)->book; book != source->book;
	     book = price_book_base(book))
		before += price_book_rules(book);
	return (int)(before + source->rule) + 1;
}

struct charge *
charging_charge(struct charging *charging, const struct usage *usage, enum charge_kind kind, const char *currency)
{
	struct rated *out = charging->out;
	struct charge *charge;
	const char *model = usage->subject.field[MATCH_MODEL], *tier = usage->subject.field[MATCH_SERVICE_TIER];

	out->charges = memory_grow(out->charges, &out->charge_room, out->charge_count + 1, sizeof *out->charges);
	charging->origins =
	    memory_grow(charging->origins, &charging->origin_room, out->charge_count + 1, sizeof *charging->origins);
	charging->origins[out->charge_count] = (struct origin){0};
	charge = &out->charges[out->charge_count];
	*charge = (struct charge){.kind = kind,
	    .model = arena_copy(&out->arena, model, strlen(model)),
	    .service_tier = arena_copy(&out->arena, tier, strlen(tier)),
	    .meter = usage->meter,
	    .priced_as = usage->meter,
	    .per = 1,
	    .currency = currency,
	    .first = usage->start,
	    .last = usage->start,
	    .book = "",
	    .detail = "",
	    .counter = "",
	    .place = out->charge_count};
	if (charging->contract != 0 && charging->segment_of[charging->contract - 1] != NULL &&
	    charging->segment_of[charging->contract - 1]->terms != NULL)
		charge->contract_id =
		    charging->inputs->contracts->item[charging->segment_of[charging->contract - 1]->first].contract_id;
	out->charge_count++;
	return charge;
}

/* From 1; 0 outside of all. */
static size_t
segment_number(const struct charging *charging)
{
	const struct segment *segment = charging->contract == 0 ? NULL : charging->segment_of[charging->contract - 1];

	return segment == NULL || segment->terms == NULL ? 0 : (size_t)(segment - charging->segments) + 1;
}

/* A charge of what costs nothing, whatever its price is. */
static size_t
free_charge(struct charging *charging, const struct usage *usage, enum charge_kind kind, const char *detail)
{
	struct charge *charge;
	bool is_new;
	size_t place;

	text_clear(&charging->key);
	text_add_format(&charging->key, "%s%c%s%c%d %d %zu %s", usage->subject.field[MATCH_MODEL], 0,
	    usage->subject.field[MATCH_SERVICE_TIER], 0, (int)kind, usage->meter, segment_number(charging), detail);
	place = index_number(&charging->shown_index, charging->key.bytes, charging->key.length, &is_new);
	charging->shown = memory_grow(charging->shown, &charging->shown_room, place + 1, sizeof *charging->shown);
	if (is_new) {
		charge =
		    charging_charge(charging, usage, kind, charging->inputs->contracts->item[charging->contract - 1].currency);
		charge->detail = arena_copy(&charging->out->arena, detail, strlen(detail));
		charging->shown[place] = charge->place;
	}
	return charging->shown[place];
}

/* The charge that shows the same, made when there is none yet.  `step` is NULL where it turns out only at the end. */
static size_t
shown_charge(struct charging *charging, const struct pricing *pricing, enum charge_kind kind, const struct tier_step *step,
    struct decimal price, int tier)
{
	const struct usage *usage = pricing->usage;
	const struct price_version *version = version_of(charging, pricing->answer->source);
	const char *detail = detail_of(charging, pricing);
	int rule = rule_number(charging, pricing->answer->source);
	char number[DECIMAL_TEXT];
	struct charge *charge;
	bool is_new;
	size_t place;

	text_clear(&charging->key);
	/* Books that are not published have no id that tells them apart. */
	text_add_format(&charging->key, "%s%c%s%c%d %d %d %p %d %d %s %lld %zu %d %s", usage->subject.field[MATCH_MODEL], 0,
	    usage->subject.field[MATCH_SERVICE_TIER], 0, (int)kind, usage->meter, pricing->answer->priced_as,
	    (const void *)version, rule, tier, decimal_format(price, number), step == NULL ? 0LL : (long long)step->per,
	    segment_number(charging), step != NULL && step->in_packages, detail);
	place = index_number(&charging->shown_index, charging->key.bytes, charging->key.length, &is_new);
	charging->shown = memory_grow(charging->shown, &charging->shown_room, place + 1, sizeof *charging->shown);
	if (!is_new)
		return charging->shown[place];
	charge = charging_charge(charging, usage, kind, price_book_currency(version->book));
	charge->priced_as = pricing->answer->priced_as;
	charge->version_id = version->version_id;
	charge->book = price_book_name(version->book);
	charge->rule = rule;
	charge->tier = tier;
	charge->price = price;
	charge->per = step == NULL ? 1 : step->per;
	charge->in_packages = step != NULL && step->in_packages;
	charge->detail = detail;
	return charging->shown[place] = charge->place;
}

/* Is a step of this price less than nothing?  Only a delta can make it so.  Then all usage of the price is held, and counts nowhere:
 * which step it would fall in may depend on what is not known yet. */
static bool
has_negative_step(const struct pricing *pricing, bool *negative, struct error *err)
{
	const struct price_source *source = pricing->answer->source;
	bool has_delta = false;
	struct decimal price;
	int64_t per;

	*negative = false;
	for (size_t i = 0; source != NULL && i < source->adjustments; i++)
		has_delta = has_delta || price_plus_of(source->adjustment[i].plus, pricing->answer->priced_as, &price, &per);
	if (!has_delta)
		return true;
	for (size_t i = 0; i < pricing->tiers->steps; i++) {
		const struct tier_step *step = &pricing->tiers->step[i];

		if (!price_effective(pricing->answer->source, pricing->answer->priced_as, step->price, step->per,
			pricing->time_factor, &price, err))
			return false;
		*negative = *negative || price.e18 < 0;
	}
	return true;
}

/* The charge of usage at a step, found by few bytes. */
static bool
usage_charge(
    struct charging *charging, const struct pricing *pricing, size_t step, bool is_volume, size_t *place, struct error *err)
{
	const struct tier_step *at = &pricing->tiers->step[step];
	struct chosen_meter *meter = &pricing->chosen->meter[pricing->usage->meter];
	struct fast_key key;
	struct decimal price = {0};
	bool is_new;
	size_t fast;

	memset(&key, 0, sizeof key);
	key.chosen = pricing->chosen;
	key.segment = segment_number(charging);
	key.meter = pricing->usage->meter;
	key.time = (int32_t)pricing->time;
	key.bracket = (int32_t)pricing->bracket;
	key.tier = is_volume ? -1 : (int32_t)step;
	/* Mostly it is the same as for the usage before. */
	if (memcmp(&key, &meter->last, sizeof key) == 0) {
		*place = meter->last_place;
		return true;
	}
	fast = index_number(&charging->fast_index, (const char *)&key, sizeof key, &is_new);
	charging->fast = memory_grow(charging->fast, &charging->fast_room, fast + 1, sizeof *charging->fast);
	if (!is_new) {
		*place = charging->fast[fast];
		meter->last = key;
		meter->last_place = *place;
		return true;
	}
	if (!is_volume &&
	    !price_effective(
		pricing->answer->source, pricing->answer->priced_as, at->price, at->per, pricing->time_factor, &price, err))
		return false;
	*place = shown_charge(charging, pricing, CHARGE_USAGE, is_volume ? NULL : at, price,
	    is_volume                               ? -1
		: pricing->tiers->mode == TIER_FLAT ? 0
						    : (int)step + 1);
	charging->fast[fast] = *place;
	charging->origins[*place] = (struct origin){pricing->answer, pricing->tiers, pricing->time_factor, 0, is_volume};
	return true;
}

static void
add_part(struct charging *charging, size_t place, const struct usage *usage, i128 quantity, i128 billed, i128 before)
{
	struct charge *charge = &charging->out->charges[place];

	charge->quantity += quantity;
	charge->billed += billed;
	charge->last = usage->start.us > charge->last.us ? usage->start : charge->last;
	must(charging->part_count < PARTS_MAX);
	charging->parts[charging->part_count++] = (struct charging_part){NULL, place, quantity, billed, before};
}

/* The fee of a step that is entered, once for its counter. */
static bool
charge_fee(struct charging *charging, const struct pricing *pricing, size_t step, struct error *err)
{
	static const struct tier_step fee_step = {.per = 1};
	struct decimal fee = pricing->tiers->step[step].fee, price;
	struct charge *charge;
	size_t place;

	if (fee.e18 == 0)
		return true;
	if (!price_effective_fee(pricing->answer->source, fee, pricing->time_factor, &price, err))
		return false;
	place = shown_charge(charging, pricing, CHARGE_TIER_FEE, &fee_step, price, (int)step + 1);
	charge = &charging->out->charges[place];
	charge->billed += meter_scale(meter_of(charge->meter));
	return true;
}

/* --- usage to charges -------------------------------------------------------------------------- */

static void
hold_usage(struct charging *charging, const struct usage *usage, const char *reason, i128 quantity)
{
	rated_hold(charging->out, usage->subject.field[MATCH_MODEL], usage->subject.field[MATCH_SERVICE_TIER], usage->meter,
	    reason, quantity, usage->start, usage->start);
	must(charging->part_count < PARTS_MAX);
	charging->parts[charging->part_count++] = (struct charging_part){.held = reason, .quantity = quantity};
}

static bool
add_graduated(struct charging *charging, const struct pricing *pricing, i128 quantity, struct error *err)
{
	size_t number = counter_of(charging, pricing), count;
	struct counter *counter = &charging->counters[number];
	struct tier_part parts[TIER_STEPS_MAX];
	i128 scale = meter_scale(meter_of(pricing->answer->priced_as)), low;

	if (!tiers_split(pricing->tiers, counter->position, quantity, parts, &count, err))
		return false;
	/* Usage of nothing at all enters the first step, too. */
	if (count == 0 && counter->position == 0)
		parts[count++] = (struct tier_part){0, 0};
	low = quantity < 0 ? counter->position + quantity : counter->position;
	counter->position += quantity;
	for (size_t i = 0; i < count; i++) {
		i128 begins = tiers_step_begins(pricing->tiers, parts[i].step);
		i128 units = parts[i].quantity < 0 ? -parts[i].quantity : parts[i].quantity;
		i128 billed = tiers_billed(&pricing->tiers->step[parts[i].step], low - begins, units, scale);
		size_t place;

		low += units;
		if (!usage_charge(charging, pricing, parts[i].step, false, &place, err))
			return false;
		if (parts[i].quantity < 0)
			add_part(charging, place, pricing->usage, parts[i].quantity, -billed, low - begins);
		else
			add_part(charging, place, pricing->usage, parts[i].quantity, billed, low - units - begins);
		charging->out->charges[place].counter = counter->lives_longer ? counter->key : "";
		if ((counter->fees >> parts[i].step & 1) == 0 && counter->before <= begins) {
			counter->fees |= 1U << parts[i].step;
			if (!charge_fee(charging, pricing, parts[i].step, err))
				return false;
		}
	}
	return true;
}

static bool
add_volume(struct charging *charging, const struct pricing *pricing, i128 quantity, struct error *err)
{
	size_t number = counter_of(charging, pricing), place;
	struct counter *counter = &charging->counters[number];

	if (!usage_charge(charging, pricing, 0, true, &place, err))
		return false;
	/* Which step it is shows when the whole period is counted. */
	counter->position += quantity;
	add_part(charging, place, pricing->usage, quantity, quantity, -1);
	charging->out->charges[place].counter = counter->lives_longer ? counter->key : "";
	charging->origins[place].counter = number;
	return true;
}

static bool
add_flat(struct charging *charging, const struct pricing *pricing, i128 quantity, struct error *err)
{
	size_t place;

	if (!usage_charge(charging, pricing, 0, false, &place, err))
		return false;
	add_part(charging, place, pricing->usage, quantity, quantity, 0);
	return true;
}

/* Finds time and bracket; false, with the reason, where the bracket cannot be known. */
static bool
find_place(const struct usage *usage, struct pricing *pricing, const char **reason)
{
	const struct meter_price *price = pricing->answer->price;
	int64_t size;

	pricing->price = price;
	pricing->time_factor = decimal_one;
	for (size_t i = 0; i < price->times && pricing->time == 0; i++)
		if (time_window_contains(price->time[i].window, usage->start))
			pricing->time = i + 1;
	if (pricing->time > 0 && price->time[pricing->time - 1].price != NULL)
		pricing->price = price->time[pricing->time - 1].price;
	else if (pricing->time > 0)
		pricing->time_factor = price->time[pricing->time - 1].factor;
	if (pricing->price->brackets > 1) {
		size = usage->size[pricing->price->size];
		*reason = "no_context";
		if (size < 0)
			return false;
		while (
		    pricing->bracket + 1 < pricing->price->brackets && size >= pricing->price->bracket[pricing->bracket + 1].from)
			pricing->bracket++;
	}
	pricing->tiers = &pricing->price->bracket[pricing->bracket].tiers;
	return true;
}

static bool
price_usage(struct charging *charging, const struct usage *usage, i128 quantity, struct error *err)
{
	struct pricing pricing = {.usage = usage};
	struct chosen_meter *meter;
	const char *reason;
	bool negative;

	if (charging->held != NULL) {
		hold_usage(charging, usage, charging->held, quantity);
		return true;
	}
	pricing.chosen = choose(charging, &usage->subject);
	if (pricing.chosen->choice.outcome != PRICE_MATCHED) {
		hold_usage(charging, usage, pricing.chosen->choice.outcome == PRICE_PATTERN_LIMIT ? "pattern_limit" : "no_rule",
		    quantity);
		return true;
	}
	meter = &pricing.chosen->meter[usage->meter];
	if (!meter->asked)
		*meter =
		    (struct chosen_meter){.asked = true, .answer = price_choice_meter(&pricing.chosen->choice, usage->meter)};
	pricing.answer = &meter->answer;
	reason = "no_price";
	if (meter->answer.price == NULL || !find_place(usage, &pricing, &reason)) {
		hold_usage(charging, usage, reason, quantity);
		return true;
	}
	if (!has_negative_step(&pricing, &negative, err))
		return false;
	if (negative) {
		hold_usage(charging, usage, "negative_price", quantity);
		return true;
	}
	switch (pricing.tiers->mode) {
	case TIER_FLAT:
		break;
	case TIER_GRADUATED:
		return add_graduated(charging, &pricing, quantity, err);
	case TIER_VOLUME:
		return add_volume(charging, &pricing, quantity, err);
	}
	return add_flat(charging, &pricing, quantity, err);
}

/* What the contract includes; returns what is left of the quantity. */
static i128
use_allowances(struct charging *charging, struct segment *segment, const struct usage *usage)
{
	const char *model = usage->subject.field[MATCH_MODEL], *tier = usage->subject.field[MATCH_SERVICE_TIER];
	size_t covering[CONTRACT_ALLOWANCES_MAX];
	size_t count = contract_allowance_for(segment->terms, model, tier, usage->meter, covering);
	i128 quantity = usage->quantity;

	for (size_t i = 0; i < count && quantity > 0; i++) {
		i128 *left = &segment->left[covering[i]], taken = quantity < *left ? quantity : *left;

		if (taken == 0)
			continue;
		*left -= taken;
		quantity -= taken;
		add_part(charging, free_charge(charging, usage, CHARGE_ALLOWANCE, segment->terms->allowance[covering[i]].name),
		    usage, taken, taken, 0);
	}
	return quantity;
}

bool
charging_add(struct charging *charging, const struct usage *usage, struct error *err)
{
	struct segment *segment;
	i128 quantity = usage->quantity;

	charging->part_count = 0;
	if (!charging_segments(charging, err))
		return false;
	if (usage->start.us != charging->start.us ||
	    (charging->inputs->substitution_count > 0 && strcmp(usage->subject.field[MATCH_MODEL], charging->model) != 0))
		move_to(charging, usage->start, usage->subject.field[MATCH_MODEL]);
	segment = charging->contract == 0 ? NULL : charging->segment_of[charging->contract - 1];
	if (segment != NULL && segment->terms != NULL) {
		const char *model = usage->subject.field[MATCH_MODEL], *tier = usage->subject.field[MATCH_SERVICE_TIER];

		if (contract_is_trial(segment->terms, usage->start)) {
			add_part(
			    charging, free_charge(charging, usage, CHARGE_TRIAL, "free trial"), usage, quantity, quantity, 0);
			return true;
		}
		if (usage->is_aborted && contract_holds_aborted(charging->inputs->contracts, charging->contract - 1)) {
			hold_usage(charging, usage, "aborted_usage", quantity);
			return true;
		}
		if (!contract_decides(segment->terms, model, tier, usage->meter)) {
			hold_usage(charging, usage, "pattern_limit", quantity);
			return true;
		}
		quantity = use_allowances(charging, segment, usage);
		if (quantity == 0 && usage->quantity != 0)
			return true;
	}
	return price_usage(charging, usage, quantity, err);
}
