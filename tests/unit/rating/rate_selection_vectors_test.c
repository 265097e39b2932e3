/*
 * rate_selection_vectors_test.c -- which of several rates by size and service tier another project takes, as brackets and service tiers.
 *
 * There a request of a service tier takes, of all thresholds that its input is over, the highest, whether it stands for the service tier
 * or for all: a price book states the rule of the service tier with both merged.
 */
#include "tests/support/vectors.h"
#include "tests/unit/rating/charging_fixture.h"

static const char *const reasons[] = {"ran"};

/* id,source,source_file,licence,fields,input_tokens,service_tier,price_class,expected_rate_per_token,note */
enum { ID = 0, FIELDS = 4, TOKENS = 5, TIER = 6, CLASS = 7, EXPECTED = 8, COLUMNS = 10, RATES_MAX = 16 };

/* class[>threshold][[service tier]]=rate */
struct rate {
	const char *class, *tier;
	long long threshold;
	char price[DECIMAL_TEXT]; /* for a million */
};

static const struct {
	const char *class, *meter;
} classes[] = {
    {"input", "input_text_uncached_tokens"}, {"cache_read", "input_text_cache_read_tokens"}, {"output", "output_text_tokens"}};

/* "18e-6" or "2e-7" a token is 18 or 0.2 for a million. */
static struct decimal
price_of_million(const char *rate)
{
	const char *exponent = strchr(rate, 'e');
	char mantissa[DECIMAL_TEXT];
	struct decimal price;

	CU_ASSERT_PTR_NOT_NULL_FATAL(exponent);
	CU_ASSERT_FATAL(strcmp(exponent, "e-6") == 0 || strcmp(exponent, "e-7") == 0);
	snprintf(mantissa, sizeof mantissa, "%.*s", (int)(exponent - rate), rate);
	price = amount_of(mantissa);
	if (strcmp(exponent, "e-7") == 0)
		price.e18 /= 10;
	return price;
}

/* `text` is cut into pieces, which the rates keep. */
static size_t
read_rates(char *text, struct rate rates[RATES_MAX])
{
	size_t count = 0;

	for (char *field; (field = strsep(&text, ";")) != NULL; count++) {
		struct rate *rate = &rates[count];
		char *name = strsep(&field, "="), *tier = strchr(name, '['), *threshold;

		CU_ASSERT_FATAL(count < RATES_MAX && field != NULL);
		*rate = (struct rate){.tier = ""};
		decimal_format(price_of_million(field), rate->price);
		if (tier != NULL) {
			*tier = '\0';
			rate->tier = tier + 1;
			tier[1 + strcspn(tier + 1, "]")] = '\0';
		}
		rate->class = strsep(&name, ">");
		threshold = name;
		rate->threshold = threshold == NULL ? 0 : strtoll(threshold, NULL, 10);
	}
	return count;
}

/* The rate of a class that is in force over a threshold: the service tier's before the one for all. */
static const struct rate *
rate_at(const struct rate *rates, size_t count, const char *class, const char *tier, long long threshold)
{
	const struct rate *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (strcmp(rates[i].class, class) == 0 && rates[i].threshold == threshold &&
		    (strcmp(rates[i].tier, tier) == 0 || (rates[i].tier[0] == '\0' && found == NULL)))
			found = &rates[i];
	return found;
}

/* The least threshold above another one that has a rate for the service tier; -1: none. */
static long long
next_threshold(const struct rate *rates, size_t count, const char *class, const char *tier, long long above)
{
	long long next = -1;

	for (size_t i = 0; i < count; i++)
		if (rates[i].threshold > above && (next == -1 || rates[i].threshold < next) &&
		    rate_at(rates, count, class, tier, rates[i].threshold) != NULL)
			next = rates[i].threshold;
	return next;
}

/* A rule for a service tier ("": the default one) with the merged brackets of each class. */
static void
add_rule(const struct rate *rates, size_t count, const char *tier, struct text *out)
{
	const char *comma = "";

	text_add_format(out, "{'model': 'm', 'service_tier': '%s', 'prices': {", tier[0] == '\0' ? "default" : tier);
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
		const struct rate *rate = rate_at(rates, count, classes[i].class, tier, 0);
		long long threshold = 0;

		if (rate == NULL)
			continue;
		text_add_format(
		    out, "%s'%s': {'per': 1000000, 'brackets': [{'price': '%s'}", comma, classes[i].meter, rate->price);
		while ((threshold = next_threshold(rates, count, classes[i].class, tier, threshold)) != -1)
			text_add_format(out, ", {'over': %lld, 'price': '%s'}", threshold,
			    rate_at(rates, count, classes[i].class, tier, threshold)->price);
		text_add_string(out, "]}");
		comma = ", ";
	}
	text_add_string(out, "}}");
}

/* Tiers that have rates get a rule; the others are sold as the default one. */
static void
write_book(const struct rate *rates, size_t count, struct text *out)
{
	bool has_priority = false;

	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_FATAL(rates[i].tier[0] == '\0' || strcmp(rates[i].tier, "priority") == 0);
		has_priority = has_priority || rates[i].tier[0] != '\0';
	}
	text_add_string(
	    out, "{" HEAD ", 'service_tiers': {'priority': {'inherit': 'default'}, 'flex': {'inherit': 'default'}}, 'rules': [");
	add_rule(rates, count, "", out);
	if (has_priority) {
		text_add_string(out, ", ");
		add_rule(rates, count, "priority", out);
	}
	text_add_string(out, "]}");
}

static const struct meter *
meter_of_class(const char *class)
{
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (strcmp(classes[i].class, class) == 0)
			return meter_find(classes[i].meter, strlen(classes[i].meter));
	CU_FAIL_FATAL("a class that is not known");
	return NULL;
}

static size_t
run_row(char *const *column)
{
	struct decimal wanted = price_of_million(column[EXPECTED]);
	struct rate rates[RATES_MAX];
	size_t count = read_rates(column[FIELDS], rates);
	struct usage usage = usage_on(1, "m", meter_of_class(column[CLASS])->id, 1000000);
	struct text book = {0};
	struct bill *bill;
	char got[DECIMAL_TEXT];

	write_book(rates, count, &book);
	bill = bill_under(text_string(&book), NULL);
	usage.size[SIZE_INPUT] = strtoll(column[TOKENS], NULL, 10);
	if (column[TIER][0] != '\0')
		usage.subject.field[MATCH_SERVICE_TIER] = column[TIER];
	bill_add(bill, usage);
	bill_text(bill);
	if (bill_sum(bill).e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s: %s\n", column[ID], decimal_format(bill_sum(bill), got), column[EXPECTED],
		    text_string(&book));
	CU_ASSERT_TRUE(bill->rated.hold_count == 0 && bill_sum(bill).e18 == wanted.e18);
	bill_close(bill);
	text_release(&book);
	return 0;
}

static void
rates_are_chosen_as_another_project_chooses_them(void)
{
	vectors_run(&(struct vectors){"rate_selection.csv", COLUMNS, 11, reasons, 1, run_row});
}

UNIT_TESTS("rating/price_book (rate selection vectors)", TEST(rates_are_chosen_as_another_project_chooses_them))
