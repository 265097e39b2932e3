/*
 * price_book_fuzz.c -- any bytes as a price book: what parses is checked, matched, looked up and used for pricing, and a quantity
 * taken back always leaves nothing.  Build with clang -fsanitize=fuzzer,address,undefined.
 */
#include "rating/price_book.h"

#include <string.h>

#include "ledger/meter.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Few rules are enough to find what is wrong, and a match may take its whole limit. */
enum { RULES_TRIED = 8 };

static const i128 quantities[] = {0, 1, 999, 1000000, INT64_MAX};

static const struct price_subject subjects[] = {
    {.model = "gpt-5-mini", .base_model = "", .service_tier = "default"},
    {.model = "gpt-5-mini-2025-08-07", .base_model = "gpt-5-mini", .service_tier = "batch"},
    {.model = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", .base_model = "", .service_tier = "*"},
    {.model = "", .base_model = "", .service_tier = ""},
    {.model = "model \xc3\xa9\xff", .base_model = "b", .service_tier = "flex"},
};

static void
count_finding(void *context, bool is_error, const char *path, const char *text)
{
	size_t *count = context;

	(void)is_error;
	must(text[0] != '\0' && strlen(path) < sizeof((struct error *)0)->field);
	(*count)++;
}

static void
try_amount(struct decimal price, i128 quantity, int64_t per)
{
	struct decimal charge, credit;
	struct error err;

	if (!decimal_price(price, quantity, per, ROUND_HALF_EVEN, &charge, &err)) {
		must(err.kind == ERROR_RANGE);
		return;
	}
	must(decimal_price(price, -quantity, per, ROUND_HALF_EVEN, &credit, &err));
	must(credit.e18 == -charge.e18);
}

/* Splits `quantity` behind `already`, and takes it back: part by part the opposite. */
static void
try_split(const struct meter_price *price, i128 already, i128 quantity)
{
	struct tier_part added[TIER_STEPS_MAX], taken[TIER_STEPS_MAX];
	size_t added_count, taken_count;
	struct error err;
	i128 sum = 0;

	must(tiers_split(price, already, quantity, added, &added_count, &err));
	must(tiers_split(price, already + quantity, -quantity, taken, &taken_count, &err));
	must(taken_count == added_count);
	for (size_t i = 0; i < added_count; i++) {
		must(added[i].quantity > 0 && added[i].step < price->steps);
		must(taken[i].step == added[i].step && taken[i].quantity == -added[i].quantity);
		sum += added[i].quantity;
		try_amount(price->step[added[i].step].price, added[i].quantity, price->per);
	}
	must(sum == quantity);
	must(tiers_volume_step(price, already) <= tiers_volume_step(price, already + quantity));
}

static void
try_rule(const struct price_book *book, size_t rule)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		int priced_as;
		const struct meter_price *price = price_book_meter(book, rule, meter, &priced_as);

		must(priced_as > 0 && priced_as < METER_LIMIT);
		if (price == NULL)
			continue;
		must(price->per == 1 || price->per == 1000 || price->per == 1000000);
		for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++) {
			try_split(price, 0, quantities[i]);
			try_split(price, 1000, quantities[i]);
		}
	}
}

static void
try_subject(const struct price_book *book, const struct price_subject *subject)
{
	size_t rule = 0;
	enum price_match answer = price_book_match(book, subject, &rule);
	const char *verdict;

	if (answer == PRICE_NO_RULE)
		return;
	must(rule < price_book_rules(book));
	verdict = price_rule_verdict(book, rule, subject);
	must(strncmp(verdict, answer == PRICE_MATCHED ? "matches" : "cannot say", 7) == 0);
	try_rule(book, rule);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct price_book *book;
	struct arena arena = {0};
	struct error err;
	size_t findings = 0;

	if (!price_book_parse((const char *)bytes, length, "fuzzed", &book, &err)) {
		must(err.kind == ERROR_INPUT && err.message[0] != '\0');
		return 0;
	}
	must(price_book_rules(book) >= 1 && strlen(price_book_currency(book)) == 3 && price_book_name(book)[0] != '\0');
	must(instant_interval(price_book_effective(book)).us == price_book_effective(book).us);
	price_book_check(book, count_finding, &findings);
	for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
		try_subject(book, &subjects[i]);
	for (size_t rule = 0; rule < price_book_rules(book) && rule < RULES_TRIED; rule++) {
		try_rule(book, rule);
		must(price_rule_describe(book, rule, &arena)[0] != '\0');
	}
	arena_release(&arena);
	price_book_free(book);
	return 0;
}
