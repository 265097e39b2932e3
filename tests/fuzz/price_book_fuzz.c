/*
 * price_book_fuzz.c -- any bytes as a price book: what parses is checked, chosen from and rated with.  A quantity taken back always leaves
 * nothing, and a month rated twice is the same month.  Build with clang -fsanitize=fuzzer,address,undefined.
 */
#include <string.h>

#include "rating/charges.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Few rules are enough to find what is wrong, and a match may take its whole limit. */
enum { RULES_TRIED = 8 };

static const i128 quantities[] = {0, 1, 999, 1000000, INT64_MAX};

/* model, base model, service tier, adapter kind, engine, tags */
static const char *const stated[][6] = {
    {"gpt-5-mini", "", "default", "", "", ""},
    {"gpt-5-mini-2025-08-07", "gpt-5-mini", "batch", "lora", "vllm", "{\"env\":\"prod\"}"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "", "*", "", "", "{"},
    {"", "", "", "", "", ""},
    {"model \xc3\xa9\xff", "b", "flex", "*", "", "{\"env\":5}"},
    {"m", "m", "default", "lora", "", ""},
};

enum { SUBJECTS = sizeof stated / sizeof stated[0] };

static struct price_subject
subject_at(size_t place)
{
	struct price_subject subject = {.tags = stated[place][5]};

	for (size_t i = 0; i < MATCH_FIELDS; i++)
		subject.field[i] = "";
	subject.field[MATCH_MODEL] = stated[place][0];
	subject.field[MATCH_BASE_MODEL] = stated[place][1];
	subject.field[MATCH_SERVICE_TIER] = stated[place][2];
	subject.field[MATCH_ADAPTER_KIND] = stated[place][3];
	subject.field[MATCH_ENGINE] = stated[place][4];
	return subject;
}

/* --- what a book can extend ------------------------------------------------------------------ */

static const char standard_text[] =
    "{\"tollbook_prices\": 1, \"book\": \"standard\", \"currency\": \"USD\", \"effective\": \"2026-01-01T00:00:00Z\", "
    "\"windows\": {\"night\": {\"zone\": \"UTC\", \"spans\": [{\"from\": \"22:00\", \"to\": \"06:00\"}]}}, "
    "\"aliases\": {\"gpt-5-mini-*\": \"gpt-5-mini\"}, \"service_tiers\": {\"batch\": {\"inherit\": \"default\", \"factor\": "
    "\"0.5\"}}, "
    "\"rules\": [{\"name\": \"r\", \"model\": \"gpt-5-mini\", \"prices\": {\"requests\": {\"price\": \"1\", \"per\": 1}, "
    "\"output_text_tokens\": {\"tiers\": \"graduated\", \"per\": 1000, \"steps\": [{\"up_to\": 500, \"price\": \"2\", \"fee\": "
    "\"3\"}, "
    "{\"price\": \"1\"}]}}}]}";

static const struct price_book *
find_standard(void *context, const char *name, int version, struct error *err)
{
	must(version >= 1);
	if (context != NULL && strcmp(name, "standard") == 0)
		return context;
	error_set(err, ERROR_INPUT, "not there");
	return NULL;
}

/* Parsed once, and never ended. */
static struct price_book *
standard_book(void)
{
	static struct price_book *book;
	struct error err;

	if (book == NULL)
		must(price_book_parse(standard_text, sizeof standard_text - 1, "standard", 3, NULL, &book, &err));
	return book;
}

/* --- prices ---------------------------------------------------------------------------------- */

static void
count_finding(void *context, bool is_error, const char *path, const char *text)
{
	size_t *count = context;

	(void)is_error;
	must(text[0] != '\0' && strlen(path) < sizeof((struct error *)0)->field);
	(*count)++;
}

static bool
count_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	size_t *count = context;

	(void)err;
	must(strcmp(kind, "tag") == 0 || name[0] == '\0');
	must(boundary > 0 || strcmp(kind, "tag") == 0 || strcmp(kind, "engine") == 0 || strcmp(kind, "part") == 0);
	(*count)++;
	return true;
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

/* What is billed of a part is billed of its two halves, and given back when the part is. */
static void
try_billed(const struct tier_step *step, i128 already, i128 quantity, i128 scale)
{
	i128 half = quantity / 2, billed = tiers_billed(step, already, quantity, scale);

	must(tiers_billed(step, already, half, scale) + tiers_billed(step, already + half, quantity - half, scale) == billed);
	must(tiers_billed(step, already + quantity, -quantity, scale) == -billed);
	must(step->in_packages ? billed % (step->per * scale) == 0 : billed == quantity);
}

/* Splits `quantity` behind `already`, and takes it back: part by part the opposite. */
static void
try_split(const struct tiers *tiers, i128 already, i128 quantity, i128 scale)
{
	struct tier_part added[TIER_STEPS_MAX], taken[TIER_STEPS_MAX];
	size_t added_count, taken_count;
	struct error err;
	i128 sum = 0;

	must(tiers_split(tiers, already, quantity, added, &added_count, &err));
	must(tiers_split(tiers, already + quantity, -quantity, taken, &taken_count, &err));
	must(taken_count == added_count);
	for (size_t i = 0; i < added_count; i++) {
		const struct tier_step *step = &tiers->step[added[i].step];

		must(added[i].quantity > 0 && added[i].step < tiers->steps);
		must(taken[i].step == added[i].step && taken[i].quantity == -added[i].quantity);
		sum += added[i].quantity;
		try_amount(step->price, added[i].quantity, step->per);
		try_billed(step, already > 7 ? 7 : already, added[i].quantity, scale);
	}
	must(sum == quantity);
	must(tiers_volume_step(tiers, already) <= tiers_volume_step(tiers, already + quantity));
}

static void
try_effective(const struct price_answer *answer, const struct tier_step *step)
{
	struct decimal price;
	struct error err;

	must(step->price.e18 >= 0 && step->fee.e18 >= 0 && step->per >= 1 && step->per <= 1000000000000);
	if (!price_effective(answer->source, answer->priced_as, step->price, step->per, decimal_one, &price, &err))
		must(err.kind == ERROR_RANGE);
	if (!price_effective_fee(answer->source, step->fee, decimal_one, &price, &err))
		must(err.kind == ERROR_RANGE);
}

static void
try_price(const struct price_answer *answer, const struct meter_price *price)
{
	i128 scale = meter_scale(meter_of(answer->priced_as));

	must(price->brackets >= 1 && price->brackets <= PRICE_BRACKETS_MAX && price->bracket[0].from == 0);
	for (size_t i = 0; i < price->brackets; i++) {
		const struct tiers *tiers = &price->bracket[i].tiers;

		must(i == 0 || price->bracket[i].from > price->bracket[i - 1].from || price->size == SIZE_PART);
		must(tiers->steps >= 1 && tiers->steps <= TIER_STEPS_MAX);
		for (size_t j = 0; j < tiers->steps; j++)
			try_effective(answer, &tiers->step[j]);
		for (size_t j = 0; j < sizeof quantities / sizeof quantities[0]; j++) {
			try_split(tiers, 0, quantities[j], scale);
			try_split(tiers, 1000, quantities[j], scale);
		}
	}
	for (size_t i = 0; i < price->times; i++) {
		must(price->time[i].window != NULL);
		time_window_contains(price->time[i].window, (struct instant){1772323200000000});
		if (price->time[i].price != NULL) {
			must(price->time[i].price->times == 0);
			try_price(answer, price->time[i].price);
		}
	}
}

/* --- choosing -------------------------------------------------------------------------------- */

static void
try_choice(const struct price_book *const *books, size_t count, const struct price_subject *subject)
{
	struct price_choice choice;
	struct arena arena = {0};

	price_choose(books, count, subject, &arena, &choice);
	must(choice.sources <= PRICE_SOURCES_MAX && choice.layers >= count && choice.layers <= PRICE_LAYERS_MAX);
	must(choice.outcome != PRICE_MATCHED || choice.sources >= 1);
	for (size_t i = 0; i < choice.sources; i++)
		must(choice.source[i].rule < price_book_rules(choice.source[i].book) && choice.source[i].layer < count);
	for (int meter = 1; choice.outcome == PRICE_MATCHED && meter < METER_LIMIT; meter++) {
		struct price_answer answer = price_choice_meter(&choice, meter);

		must(answer.priced_as > 0 && answer.priced_as < METER_LIMIT);
		if (answer.price != NULL)
			try_price(&answer, answer.price);
	}
	arena_release(&arena);
}

static void
try_subject(const struct price_book *book, const struct price_subject *subject)
{
	const struct price_book *over[] = {standard_book(), book}, *under[] = {book, standard_book()};

	try_choice(&book, 1, subject);
	try_choice(over, 2, subject);
	try_choice(under, 2, subject);
	must(price_book_alias(book, subject->field[MATCH_MODEL])[0] != '\0' || subject->field[MATCH_MODEL][0] == '\0');
	for (size_t rule = 0; rule < price_book_rules(book) && rule < RULES_TRIED; rule++)
		must(price_rule_verdict(book, rule, subject)[0] != '\0');
}

/* --- rating ---------------------------------------------------------------------------------- */

/* A few quarters of an hour of everything, of requests of several sizes. */
static bool
rate(const struct charging_inputs *inputs, struct rated *out, struct error *err)
{
	struct charging *charging = charging_new(inputs, NULL, out);
	bool fine = true;

	for (int64_t quarter = 0; quarter < 4; quarter++)
		for (size_t place = 0; fine && place < SUBJECTS; place++)
			for (int meter = 1; fine && meter < METER_LIMIT; meter += 3) {
				struct usage usage = {.start = {inputs->starts.us + quarter * 40 * INTERVAL_US},
				    .subject = subject_at(place),
				    .size = {quarter - 1, quarter * 1000, quarter * 200001, quarter * 300},
				    .meter = meter,
				    .quantity = 700 * (quarter + 1)};

				fine = charging_add(charging, &usage, err);
			}
	fine = fine && charging_settle(charging, err);
	charging_free(charging);
	return fine;
}

static void
try_rating(struct price_book *book)
{
	struct price_version version = {.version_id = 1, .version = 1, .effective = price_book_effective(book), .book = book};
	struct price_version other = {.version_id = 2, .version = 3, .effective = {0}, .book = standard_book()};
	const struct price_books books = {&version, 1}, others = {&other, 1};
	struct contract contract = {
	    .contract_id = 1, .currency = price_book_currency(book), .zone = "UTC", .book = "", .override = "", .terms_text = ""};
	const struct contracts contracts = {.item = &contract, .count = 1};
	const struct charging_contract resolved = {&contract, strcmp(contract.currency, "USD") == 0 ? &others : NULL, &books};
	const struct charging_inputs inputs = {.period = "2026-03",
	    .starts = price_book_effective(book),
	    .ends = {price_book_effective(book).us + (int64_t)31 * 86400 * 1000000},
	    .contracts = &contracts,
	    .resolved = &resolved,
	    .priced_with = INT64_MAX};
	struct rated first = {0}, second = {0};
	struct error err;

	if (!rate(&inputs, &first, &err))
		must(err.kind == ERROR_RANGE);
	else {
		must(rate(&inputs, &second, &err));
		must(first.charge_count == second.charge_count && first.hold_count == second.hold_count);
		must(memcmp(first.output_digest, second.output_digest, DIGEST_SIZE) == 0);
		for (size_t i = 0; i < first.charge_count; i++)
			must(first.charges[i].price.e18 >= 0 && first.charges[i].per >= 1);
	}
	rated_release(&first);
	rated_release(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const struct price_book_finder finder = {standard_book(), find_standard};
	struct price_book *book;
	struct arena arena = {0};
	struct error err;
	size_t findings = 0;

	if (!price_book_parse((const char *)bytes, length, "fuzzed", 0, &finder, &book, &err)) {
		must(err.kind == ERROR_INPUT && err.message[0] != '\0');
		return 0;
	}
	must(price_book_rules(book) >= 1 && strlen(price_book_currency(book)) == 3 && price_book_name(book)[0] != '\0');
	must(instant_interval(price_book_effective(book)).us == price_book_effective(book).us);
	price_book_check(book, count_finding, &findings);
	must(price_book_distinctions(book, count_distinction, &findings, &err));
	must(price_book_fields(book) < 1U << MATCH_FIELDS);
	for (size_t i = 0; i < SUBJECTS; i++) {
		const struct price_subject subject = subject_at(i);

		try_subject(book, &subject);
	}
	for (size_t rule = 0; rule < price_book_rules(book) && rule < RULES_TRIED; rule++) {
		must(price_rule_describe(book, rule, &arena)[0] != '\0' && price_rule_identity(book, rule)[0] != '\0');
	}
	arena_release(&arena);
	try_rating(book);
	price_book_free(book);
	return 0;
}
