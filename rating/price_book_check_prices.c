/* price_book_check_prices.c -- see price_book_check.h: the prices of a rule, beside each other and beside what is usual. */
#include <stdlib.h>
#include <string.h>

#include "rating/price_book_check.h"

/* Published prices for a million text or audio tokens lie between 0.0028 and 600 (lists of 2025 and 2026, in USD).  What is
 * given for one token but meant for a million, or the other way round, is off by a million and falls far outside. */
static const u128 suspiciously_low = (u128)1000000 * 1000000000;            /* 0.001 */
static const u128 suspiciously_high = (u128)1000 * 1000000000 * 1000000000; /* 1000 */
static const i128 highest = (i128)1000000000000 * 1000000000 * 1000000000;  /* 10^12 */

/* Prices of one rule, and of one meter from version to version, lie closer together than this. */
enum { OFF_BY = 300 };

/* Where a unit of money is worth about as much as a dollar, so that those two limits mean something. */
static const char *const currencies_like_usd[] = {"AUD", "CAD", "CHF", "EUR", "GBP", "NZD", "SGD", "USD"};

/* A token served from a cache costs no more than one read afresh. */
static const int cached_and_fresh[][2] = {
    {METER_input_text_cache_read_tokens, METER_input_text_uncached_tokens},
    {METER_input_audio_cache_read_tokens, METER_input_audio_uncached_tokens},
    {METER_input_image_cache_read_tokens, METER_input_image_uncached_tokens},
    {METER_input_video_cache_read_tokens, METER_input_video_uncached_tokens},
};

/* --- prices by the unit ---------------------------------------------------------------------- */

static u128
product(u128 a, u128 b)
{
	u128 out;

	return __builtin_mul_overflow(a, b, &out) ? ~(u128)0 : out;
}

/* The price of a million units, in 10^-18; the largest number where that does not fit. */
static u128
per_million(const struct tier_step *step)
{
	u128 price = (u128)step->price.e18, per = (u128)step->per, all = product(price, 1000000);

	must(step->price.e18 >= 0 && step->per > 0);
	return all == ~(u128)0 && per == 1000000 ? price : all / per;
}

int
compare_unit_prices(const struct tier_step *one, const struct tier_step *other)
{
	u128 a = product((u128)one->price.e18, (u128)other->per), b = product((u128)other->price.e18, (u128)one->per);

	return a < b ? -1 : a > b;
}

bool
is_dearer_by(const struct tier_step *one, const struct tier_step *other, u128 times)
{
	u128 a = product((u128)one->price.e18, (u128)other->per);
	u128 b = product(product((u128)other->price.e18, (u128)one->per), times);

	return a >= b && b != ~(u128)0;
}

static const struct meter_price *
rule_price(const struct price_rule *rule, int meter)
{
	for (int steps = 0; steps <= FALLBACKS_MAX && meter != 0; steps++, meter = rule->fallback[meter])
		if (rule->price[meter] != NULL)
			return rule->price[meter];
	return NULL;
}

const struct tier_step *
rule_first_step(const struct price_rule *rule, int meter)
{
	const struct meter_price *price = rule_price(rule, meter);

	return price == NULL ? NULL : price_first_step(price);
}

/* --- meters beside each other ---------------------------------------------------------------- */

/* Warns where `meter` costs more than `least` under the rule, as the first unit of each is charged. */
static void
check_not_dearer(const struct inspection *inspection, size_t rule, int meter, int least)
{
	const struct meter_price *price = rule_price(&inspection->book->rules[rule], meter);
	const struct meter_price *other = rule_price(&inspection->book->rules[rule], least);
	size_t brackets;
	char path[CHECK_PATH];

	if (price == NULL || other == NULL)
		return;
	brackets = price->brackets == other->brackets ? price->brackets : 1;
	for (size_t i = 0; i < brackets; i++) {
		if (compare_unit_prices(price->bracket[i].tiers.step, other->bracket[i].tiers.step) <= 0)
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices", rule);
		inspection_tell(inspection, false, path, "%s costs more than %s%s%s", meter_of(meter)->name,
		    meter_of(least)->name, i == 0 ? "" : " in the bracket ", price->bracket[i].words);
		return;
	}
}

static bool
is_currency_like_usd(const struct price_book *book)
{
	for (size_t i = 0; i < sizeof currencies_like_usd / sizeof currencies_like_usd[0]; i++)
		if (strcmp(book->currency, currencies_like_usd[i]) == 0)
			return true;
	return false;
}

/* True where the price of tokens is one that published lists do not have. */
static bool
is_suspicious(const struct inspection *inspection, const struct meter *meter, const struct tier_step *step)
{
	u128 million = per_million(step);

	return meter->side != METER_SIDE_OTHER && is_currency_like_usd(inspection->book) &&
	    ((million > 0 && million < suspiciously_low) || million > suspiciously_high);
}

static int
compare_steps(const void *a, const void *b)
{
	return compare_unit_prices(*(const struct tier_step *const *)a, *(const struct tier_step *const *)b);
}

/* The first step of the price in the middle, or the lower of the two there, of all that the rule has for tokens; NULL: fewer than
 * two. */
static const struct tier_step *
middle_price(const struct price_rule *rule)
{
	const struct tier_step *steps[METER_LIMIT];
	size_t count = 0;

	for (int meter = 1; meter < METER_LIMIT; meter++)
		if (rule->price[meter] != NULL && meter_of(meter)->side != METER_SIDE_OTHER &&
		    price_first_step(rule->price[meter])->price.e18 > 0)
			steps[count++] = price_first_step(rule->price[meter]);
	if (count < 2)
		return NULL;
	qsort(steps, count, sizeof *steps, compare_steps);
	return steps[(count - 1) / 2];
}

/* Warns of prices for tokens that are far from the others of the rule: likely for another number of tokens. */
static void
check_units(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule];
	const struct tier_step *middle = middle_price(r);

	for (int meter = 1; middle != NULL && meter < METER_LIMIT; meter++) {
		const struct tier_step *step = r->price[meter] == NULL ? NULL : price_first_step(r->price[meter]);
		char path[CHECK_PATH], text[DECIMAL_TEXT], other[DECIMAL_TEXT];

		if (step == NULL || meter_of(meter)->side == METER_SIDE_OTHER || step->price.e18 == 0 ||
		    is_suspicious(inspection, meter_of(meter), step) ||
		    !(is_dearer_by(step, middle, OFF_BY) || is_dearer_by(middle, step, OFF_BY)))
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices.%s", rule, meter_of(meter)->name);
		inspection_tell(inspection, false, path,
		    "%s for %lld is more than %d times %s than what tokens of this rule usually cost, %s for %lld: is \"per\" "
		    "right?",
		    decimal_format(step->price, text), (long long)step->per, OFF_BY,
		    compare_unit_prices(step, middle) > 0 ? "dearer" : "cheaper", decimal_format(middle->price, other),
		    (long long)middle->per);
	}
}

/* The rule for the same usage in the service tier default; NULL where there is none. */
static const struct price_rule *
default_of(const struct price_book *book, const struct price_rule *rule)
{
	for (size_t i = 0; i < book->count; i++)
		if (strcmp(book->rules[i].value[MATCH_SERVICE_TIER], "default") == 0 && is_same_but_tier(&book->rules[i], rule))
			return &book->rules[i];
	return NULL;
}

static void
check_service_tier(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule], *other;
	const char *tier = r->value[MATCH_SERVICE_TIER];
	bool dear = strcmp(tier, "priority") == 0;

	if (!dear && strcmp(tier, "batch") != 0 && strcmp(tier, "flex") != 0)
		return;
	other = default_of(inspection->book, r);
	for (int meter = 1; other != NULL && meter < METER_LIMIT; meter++) {
		const struct tier_step *step = r->price[meter] == NULL ? NULL : price_first_step(r->price[meter]);
		const struct tier_step *usual = rule_first_step(other, meter);
		char path[CHECK_PATH];

		if (step == NULL || usual == NULL || compare_unit_prices(step, usual) != (dear ? -1 : 1))
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices.%s", rule, meter_of(meter)->name);
		inspection_tell(inspection, false, path, "%s is %s than default (rules[%zu])", tier, dear ? "cheaper" : "dearer",
		    (size_t)(other - inspection->book->rules));
	}
}

/* --- one price ------------------------------------------------------------------------------- */

/* A price, or one of its own for a time. */
struct priced {
	const struct inspection *inspection;
	const struct meter *meter;
	const struct meter_price *price;
	const char *path;
};

/* Warns of a price for tokens that is off by about the million between a token and a million of them. */
static void
check_size(const struct priced *at, const struct tier_step *step, const char *path)
{
	bool low = per_million(step) < suspiciously_low;
	char text[DECIMAL_TEXT];

	if (is_suspicious(at->inspection, at->meter, step))
		inspection_tell(at->inspection, false, path, "%s for %lld is %s for a million tokens: is it meant for %s?",
		    decimal_format(step->price, text), (long long)step->per, low ? "less than 0.001" : "more than 1000",
		    low ? "fewer" : "more");
}

static void
check_step(const struct priced *at, const struct tiers *tiers, size_t i, const char *path)
{
	const struct tier_step *step = &tiers->step[i];
	i128 size = step->per * meter_scale(at->meter);
	i128 begins = tiers_step_begins(tiers, i);
	char text[DECIMAL_TEXT];

	check_size(at, step, path);
	if (step->price.e18 > highest || step->fee.e18 > highest)
		inspection_tell(at->inspection, true, path,
		    "more than 10^12: one charge at such a price leaves the range of amounts, and its period is not rated");
	if (i > 0 && compare_unit_prices(step, step - 1) > 0)
		inspection_tell(
		    at->inspection, false, path, "dearer than the step before: usage usually gets cheaper as it grows");
	if (i == 0 && step->fee.e18 != 0)
		inspection_tell(at->inspection, false, path,
		    "the fee of the first step, %s, is charged with the first unit that is used",
		    decimal_format(step->fee, text));
	if (step->in_packages && i + 1 < tiers->steps && (step->up_to - begins) % size != 0)
		inspection_tell(at->inspection, false, path,
		    "the step is not a number of whole packages of %lld: its last one is charged whole", (long long)step->per);
}

static void
check_bracket(const struct priced *at, size_t i)
{
	const struct price_bracket *bracket = &at->price->bracket[i];
	char base[CHECK_PATH + 40], path[CHECK_PATH + 80];

	if (at->price->brackets > 1)
		snprintf(base, sizeof base, "%s.brackets[%zu]", at->path, i);
	else
		snprintf(base, sizeof base, "%s", at->path);
	if (i > 0 && compare_unit_prices(bracket->tiers.step, bracket[-1].tiers.step) < 0)
		inspection_tell(
		    at->inspection, false, base, "cheaper than the bracket before: larger requests usually cost more");
	for (size_t step = 0; step < bracket->tiers.steps; step++) {
		if (bracket->tiers.steps == 1)
			snprintf(path, sizeof path, "%s.price", base);
		else
			snprintf(path, sizeof path, "%s.steps[%zu].price", base, step);
		check_step(at, &bracket->tiers, step, path);
	}
}

/* Windows of the same spans under two names are the same, too. */
static bool
is_same_window(const struct time_window *one, const struct time_window *other)
{
	struct arena arena = {0};
	bool same;

	if (one == other)
		return true;
	same = strcmp(time_window_describe(one, &arena), time_window_describe(other, &arena)) == 0;
	arena_release(&arena);
	return same;
}

static void check_price(const struct priced *at);

static void
check_times(const struct priced *at)
{
	for (size_t i = 0; i < at->price->times; i++) {
		const struct price_time *time = &at->price->time[i];
		char path[CHECK_PATH + 40];

		snprintf(path, sizeof path, "%s.times[%zu]", at->path, i);
		for (size_t j = 0; j < i; j++)
			if (is_same_window(time->window, at->price->time[j].window)) {
				inspection_tell(at->inspection, false, path,
				    "never reached: times[%zu] is for the same time, and comes first", j);
				break;
			}
		if (time->price == NULL)
			check_factor(at->inspection, path, time->factor);
		else
			check_price(&(struct priced){at->inspection, at->meter, time->price, path});
	}
}

static void
check_price(const struct priced *at)
{
	for (size_t i = 0; i < at->price->brackets; i++)
		check_bracket(at, i);
	check_times(at);
}

void
check_prices(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule];
	char path[CHECK_PATH];

	for (size_t i = 0; i < sizeof cached_and_fresh / sizeof cached_and_fresh[0]; i++)
		check_not_dearer(inspection, rule, cached_and_fresh[i][0], cached_and_fresh[i][1]);
	check_not_dearer(inspection, rule, METER_input_text_uncached_tokens, METER_output_text_tokens);
	check_units(inspection, rule);
	check_service_tier(inspection, rule);
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		if (r->price[meter] == NULL)
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices.%s", rule, meter_of(meter)->name);
		check_price(&(struct priced){inspection, meter_of(meter), r->price[meter], path});
	}
}

/* --- windows and groups ---------------------------------------------------------------------- */

static bool
any_price_uses(const struct price_book *book, const struct time_window *window)
{
	for (size_t rule = 0; rule < book->count; rule++)
		for (int meter = 1; meter < METER_LIMIT; meter++) {
			const struct meter_price *price = book->rules[rule].price[meter];

			for (size_t i = 0; price != NULL && i < price->times; i++)
				if (price->time[i].window == window)
					return true;
		}
	return false;
}

void
check_windows(const struct inspection *inspection)
{
	const struct price_book *book = inspection->book;

	for (size_t i = 0; i < book->windows; i++) {
		char path[CHECK_PATH];

		if (any_price_uses(book, book->window[i]))
			continue;
		if (snprintf(path, sizeof path, "windows.%s", book->window_name[i]) >= (int)sizeof path)
			snprintf(path, sizeof path, "windows");
		inspection_tell(inspection, false, path, "no price of this book uses the window");
	}
}

/* "tokens", "seconds": what a meter counts, by the end of its name. */
static const char *
unit_of(const struct meter *meter)
{
	const char *end = strrchr(meter->name, '_');

	return end == NULL ? meter->name : end + 1;
}

/* Where a group was seen first. */
struct member {
	const struct meter *meter;
	size_t rule;
	enum counter_reset reset;
};

static void
check_member(const struct inspection *inspection, const struct member *first, const struct member *other)
{
	char path[CHECK_PATH];

	snprintf(path, sizeof path, "rules[%zu].prices.%s.counter", other->rule, other->meter->name);
	if (first->meter->decimals != other->meter->decimals || first->reset != other->reset)
		inspection_tell(inspection, true, path,
		    "rules[%zu] counts %s in this group with another %s: they cannot count together", first->rule,
		    first->meter->name, first->reset != other->reset ? "\"reset\"" : "unit");
	else if (strcmp(unit_of(first->meter), unit_of(other->meter)) != 0)
		inspection_tell(inspection, false, path, "rules[%zu] counts %s in this group, which are not %s", first->rule,
		    first->meter->name, unit_of(other->meter));
}

void
check_groups(const struct inspection *inspection)
{
	const struct price_book *book = inspection->book;
	struct member *members = NULL;
	struct index groups = {0};
	size_t room = 0;

	for (size_t rule = 0; rule < book->count; rule++)
		for (int meter = 1; meter < METER_LIMIT; meter++) {
			const struct meter_price *price = book->rules[rule].price[meter];
			struct member member = {meter_of(meter), rule, RESET_MONTH};
			bool is_new;
			size_t place;

			if (price == NULL || price->scope != COUNTER_GROUP)
				continue;
			member.reset = price->reset;
			place = index_number(&groups, price->group, strlen(price->group), &is_new);
			members = memory_grow(members, &room, place + 1, sizeof *members);
			if (is_new)
				members[place] = member;
			else
				check_member(inspection, &members[place], &member);
		}
	index_release(&groups);
	free(members);
}

/* --- an earlier version ---------------------------------------------------------------------- */

/* Rules by identity; the first of several. */
static void
index_rules(const struct price_book *book, struct index *identities, size_t *rules)
{
	for (size_t i = 0; i < book->count; i++) {
		const char *identity = price_rule_identity(book, i);
		bool is_new;
		size_t place = index_number(identities, identity, strlen(identity), &is_new);

		if (is_new)
			rules[place] = i;
	}
}

static void
compare_rules(const struct inspection *inspection, size_t rule, const struct price_book *earlier, const struct price_rule *before)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		const struct meter_price *price = inspection->book->rules[rule].price[meter], *was = before->price[meter];
		const struct tier_step *step, *old;
		char path[CHECK_PATH], text[DECIMAL_TEXT], other[DECIMAL_TEXT];

		if (price == NULL || was == NULL)
			continue;
		step = price_first_step(price);
		old = price_first_step(was);
		if (step->price.e18 == 0 || old->price.e18 == 0 ||
		    !(is_dearer_by(step, old, OFF_BY) || is_dearer_by(old, step, OFF_BY)))
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices.%s", rule, meter_of(meter)->name);
		inspection_tell(inspection, false, path,
		    "%s for %lld is more than %d times %s than in %s, where it is %s for %lld: is \"per\" right?",
		    decimal_format(step->price, text), (long long)step->per, OFF_BY,
		    compare_unit_prices(step, old) > 0 ? "dearer" : "cheaper", price_book_label(earlier),
		    decimal_format(old->price, other), (long long)old->per);
	}
}

void
price_book_check_against(const struct price_book *book, const struct price_book *earlier, price_finding *found, void *context)
{
	const struct inspection inspection = {.book = book, .found = found, .context = context};
	size_t *rules = memory_new(earlier->count, sizeof *rules);
	struct index identities = {0};
	size_t known;

	index_rules(earlier, &identities, rules);
	known = identities.count;
	for (size_t i = 0; i < book->count; i++) {
		const char *identity = price_rule_identity(book, i);
		bool is_new;
		size_t place = index_number(&identities, identity, strlen(identity), &is_new);

		if (place < known)
			compare_rules(&inspection, i, earlier, &earlier->rules[rules[place]]);
	}
	index_release(&identities);
	free(rules);
}
