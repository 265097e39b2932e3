/*
 * price_book_check.c -- see price_book.h: what is wrong, or only odd, with a book that parses.
 *
 * Errors are certain: a rule that nobody can be charged by, or two answers to one question.  Warnings are guesses by what prices
 * usually look like, and a book may mean them.  Only rules that a single other one covers are found, not those that several
 * cover together.
 */
#include "rating/price_book.h"

#include <stdlib.h>
#include <string.h>

#include "rating/price_book_rules.h"

/* Published prices for a million text or audio tokens lie between 0.0028 and 600 (lists of 2025 and 2026, in USD).  What is
 * given for one token but meant for a million, or the other way round, is off by a million and falls far outside. */
static const u128 suspiciously_low = (u128)1000000 * 1000000000;            /* 0.001 */
static const u128 suspiciously_high = (u128)1000 * 1000000000 * 1000000000; /* 1000 */

/* Where a unit of money is worth about as much as a dollar, so that those two limits mean something. */
static const char *const currencies_like_usd[] = {"AUD", "CAD", "CHF", "EUR", "GBP", "NZD", "SGD", "USD"};

/* A token served from a cache costs no more than one read afresh. */
static const int cached_and_fresh[][2] = {
    {METER_input_text_cache_read_tokens, METER_input_text_uncached_tokens},
    {METER_input_audio_cache_read_tokens, METER_input_audio_uncached_tokens},
    {METER_input_image_cache_read_tokens, METER_input_image_uncached_tokens},
    {METER_input_video_cache_read_tokens, METER_input_video_uncached_tokens},
};

/* Nearly all usage of a model has these; without a price it is held. */
static const int expected_meters[] = {METER_input_text_uncached_tokens, METER_output_text_tokens, METER_output_reasoning_tokens};

struct inspection {
	const struct price_book *book;
	price_finding *found;
	void *context;
	const char **literal; /* by rule: the one name that its pattern matches, or NULL */
	bool *undecided; /* by rule: its pattern has reached a limit, and is not asked again: it would take as long each time */
	struct arena arena;
};

static void check_free(
    const struct inspection *inspection, const int fallback[METER_LIMIT], const int outer[METER_LIMIT], const char *path);
static void find_literals(struct inspection *inspection);
static void check_reach(const struct inspection *inspection, size_t rule);
static void check_missing(const struct inspection *inspection, size_t rule);
static void check_relations(const struct inspection *inspection, size_t rule);
static void check_price(const struct inspection *inspection, size_t rule, const struct meter *meter);

void
price_book_check(const struct price_book *book, price_finding *found, void *context)
{
	struct inspection inspection = {.book = book, .found = found, .context = context};

	find_literals(&inspection);
	check_free(&inspection, book->fallback, NULL, "");
	for (size_t rule = 0; rule < book->count; rule++) {
		char path[32];

		snprintf(path, sizeof path, "rules[%zu].", rule);
		check_reach(&inspection, rule);
		check_free(&inspection, book->rules[rule].fallback, book->fallback, path);
		check_missing(&inspection, rule);
		check_relations(&inspection, rule);
		for (int meter = 1; meter < METER_LIMIT; meter++)
			if (book->rules[rule].price[meter] != NULL)
				check_price(&inspection, rule, meter_of(meter));
	}
	free(inspection.literal);
	free(inspection.undecided);
	arena_release(&inspection.arena);
}

static void PRINTF_LIKE(4, 5) tell(const struct inspection *inspection, bool is_error, const char *path, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	inspection->found(inspection->context, is_error, path, text);
}

/* What the book says is not said again of each rule that takes it over: those entries are equal in `outer`. */
static void
check_free(const struct inspection *inspection, const int fallback[METER_LIMIT], const int outer[METER_LIMIT], const char *path)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		const char *name = meter_of(meter)->name;
		char field[128];

		if (!inspection->book->is_free[meter] || fallback[meter] == 0 ||
		    (outer != NULL && outer[meter] == fallback[meter]))
			continue;
		snprintf(field, sizeof field, "%sfallback.%s", path, name);
		tell(inspection, true, field, "%s is also in \"free\": it cannot both cost nothing and take the price of %s",
		    name, meter_of(fallback[meter])->name);
	}
}

/* --- rules that are never chosen ------------------------------------------------------------- */

/* The one text that a pattern without special characters matches; false for any other pattern. */
static bool
literal_of(const char *pattern, char out[PRICE_NAME_BYTES + 1])
{
	size_t length = 0;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (strchr("^$.[|()?*+{", *at) != NULL)
			return false;
		if (*at == '\\') {
			/* A backslash makes a literal of punctuation only. */
			at++;
			if (*at == '\0' || strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *at) == NULL)
				return false;
		}
		must(length < PRICE_NAME_BYTES);
		out[length++] = *at;
	}
	out[length] = '\0';
	return true;
}

static void
find_literals(struct inspection *inspection)
{
	const struct price_book *book = inspection->book;
	char literal[PRICE_NAME_BYTES + 1];

	inspection->literal = memory_new(book->count, sizeof *inspection->literal);
	inspection->undecided = memory_new(book->count, sizeof *inspection->undecided);
	for (size_t rule = 0; rule < book->count; rule++)
		if (book->rules[rule].pattern != NULL && literal_of(book->rules[rule].pattern_text, literal))
			inspection->literal[rule] = arena_copy(&inspection->arena, literal, strlen(literal));
}

static bool
is_asked_before(const struct price_book *book, size_t one, size_t other)
{
	bool exact = book->rules[one].model != NULL, other_exact = book->rules[other].model != NULL;

	return exact == other_exact ? one < other : exact;
}

static bool
pattern_takes(const struct inspection *inspection, size_t rule, const char *name)
{
	enum pattern_answer answer;

	if (inspection->literal[rule] != NULL)
		return strcmp(inspection->literal[rule], name) == 0;
	if (inspection->undecided[rule])
		return false;
	answer = pattern_match(inspection->book->rules[rule].pattern, name, strlen(name));
	inspection->undecided[rule] = answer == PATTERN_LIMIT;
	return answer == PATTERN_YES;
}

/* True where every model that the second rule is for is one that the first is for. */
static bool
covers_models(const struct inspection *inspection, size_t first, size_t second)
{
	const struct price_rule *one = &inspection->book->rules[first], *other = &inspection->book->rules[second];
	const char *literal = inspection->literal[second];

	if (other->model != NULL)
		return one->model != NULL && strcmp(one->model, other->model) == 0;
	if (one->model == NULL &&
	    (strcmp(one->pattern_text, other->pattern_text) == 0 || strcmp(one->pattern_text, ".*") == 0 ||
		strcmp(one->pattern_text, ".+") == 0))
		return true;
	if (literal == NULL)
		return false;
	return one->model != NULL ? strcmp(one->model, literal) == 0 : pattern_takes(inspection, first, literal);
}

static bool
covers_rest(const struct price_rule *one, const struct price_rule *other)
{
	return (strcmp(one->service_tier, "*") == 0 || strcmp(one->service_tier, other->service_tier) == 0) &&
	    (one->base_model == NULL || (other->base_model != NULL && strcmp(one->base_model, other->base_model) == 0));
}

static bool
is_same_key(const struct price_rule *one, const struct price_rule *other)
{
	return strcmp(one->service_tier, other->service_tier) == 0 && (one->base_model == NULL) == (other->base_model == NULL);
}

static void
check_reach(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *rules = inspection->book->rules, *other = &rules[rule];
	char path[32];

	for (size_t i = 0; i < inspection->book->count; i++) {
		if (!is_asked_before(inspection->book, i, rule) || !covers_rest(&rules[i], other) ||
		    !covers_models(inspection, i, rule))
			continue;
		snprintf(path, sizeof path, "rules[%zu]", rule);
		if (other->model != NULL && is_same_key(&rules[i], other))
			tell(inspection, true, path,
			    "the same model, service tier and base model as rules[%zu], which is the one that is chosen", i);
		else
			tell(inspection, true, path,
			    "never chosen: rules[%zu] is asked before and matches whatever this one does", i);
		return;
	}
}

/* --- prices ---------------------------------------------------------------------------------- */

/* The price of a million units, in 10^-18; the largest number where that does not fit. */
static u128
per_million(struct decimal price, int64_t per)
{
	u128 out;

	must(price.e18 >= 0 && per > 0 && per <= 1000000);
	if (__builtin_mul_overflow((u128)price.e18, (u128)(1000000 / per), &out))
		return ~(u128)0;
	return out;
}

static void
check_missing(const struct inspection *inspection, size_t rule)
{
	for (size_t i = 0; i < sizeof expected_meters / sizeof expected_meters[0]; i++) {
		int priced_as;
		char path[48];

		if (price_book_meter(inspection->book, rule, expected_meters[i], &priced_as) != NULL)
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices", rule);
		tell(inspection, false, path, "%s has no price here, of its own or by \"fallback\": such usage will be held",
		    meter_of(expected_meters[i])->name);
	}
}

/* Warns where `meter` costs more than `least` under the rule, as the first unit of each is charged. */
static void
check_not_dearer(const struct inspection *inspection, size_t rule, int meter, int least)
{
	int priced_as;
	const struct meter_price *price = price_book_meter(inspection->book, rule, meter, &priced_as);
	const struct meter_price *other = price_book_meter(inspection->book, rule, least, &priced_as);
	char path[128];

	if (price == NULL || other == NULL ||
	    per_million(price->step[0].price, price->per) <= per_million(other->step[0].price, other->per))
		return;
	snprintf(path, sizeof path, "rules[%zu].prices", rule);
	tell(inspection, false, path, "%s costs more than %s", meter_of(meter)->name, meter_of(least)->name);
}

static void
check_relations(const struct inspection *inspection, size_t rule)
{
	for (size_t i = 0; i < sizeof cached_and_fresh / sizeof cached_and_fresh[0]; i++)
		check_not_dearer(inspection, rule, cached_and_fresh[i][0], cached_and_fresh[i][1]);
	check_not_dearer(inspection, rule, METER_input_text_uncached_tokens, METER_output_text_tokens);
}

static bool
is_currency_like_usd(const struct price_book *book)
{
	for (size_t i = 0; i < sizeof currencies_like_usd / sizeof currencies_like_usd[0]; i++)
		if (strcmp(book->currency, currencies_like_usd[i]) == 0)
			return true;
	return false;
}

/* Warns of a price for tokens that is off by about the million between a token and a million of them. */
static void
check_size(const struct inspection *inspection, const char *path, struct decimal price, int64_t per)
{
	u128 million = per_million(price, per);
	char text[DECIMAL_TEXT];

	if (million > 0 && million < suspiciously_low)
		tell(inspection, false, path, "%s for %lld is less than 0.001 for a million tokens: is it meant for fewer?",
		    decimal_format(price, text), (long long)per);
	if (million > suspiciously_high)
		tell(inspection, false, path, "%s for %lld is more than 1000 for a million tokens: is it meant for more?",
		    decimal_format(price, text), (long long)per);
}

static void
check_price(const struct inspection *inspection, size_t rule, const struct meter *meter)
{
	const struct meter_price *price = inspection->book->rules[rule].price[meter->id];
	bool sized = meter->side != METER_SIDE_OTHER && is_currency_like_usd(inspection->book);

	for (size_t i = 0; i < price->steps; i++) {
		char path[160];

		if (price->mode == TIER_FLAT)
			snprintf(path, sizeof path, "rules[%zu].prices.%s.price", rule, meter->name);
		else
			snprintf(path, sizeof path, "rules[%zu].prices.%s.steps[%zu].price", rule, meter->name, i);
		if (sized)
			check_size(inspection, path, price->step[i].price, price->per);
		if (i > 0 && decimal_compare(price->step[i].price, price->step[i - 1].price) > 0)
			tell(inspection, false, path, "dearer than the step before: usage usually gets cheaper as it grows");
	}
}
