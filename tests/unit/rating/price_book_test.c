/* price_book_test.c -- reading price books, refusing them with what to mend, and choosing a price. */
#include "rating/price_book.h"

#include "ledger/meter.h"
#include "tests/unit/rating/price_books.h"

/* --- refused --------------------------------------------------------------------------------- */

/* Refused at `field`, showing `value`, with `message` and `hint` somewhere in what is said. */
static void
expect_refused(const char *text, const char *field, const char *value, const char *message, const char *hint)
{
	struct error err;
	struct price_book *book = book_or_error(text, &err);

	CU_ASSERT_PTR_NULL(book);
	price_book_free(book);
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	EXPECT_TEXT(err.file, "book.json");
	EXPECT_TEXT(err.field, field);
	EXPECT_TEXT(err.value, value);
	if (strstr(err.message, message) == NULL)
		printf("\n    \"%s\" does not say \"%s\"\n", err.message, message);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	if (strstr(err.hint, hint) == NULL)
		printf("\n    hint \"%s\" does not say \"%s\"\n", err.hint, hint);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
}

static void
what_is_no_json_object_is_refused(void)
{
	struct error err;

	CU_ASSERT_PTR_NULL(book_or_error("{'book':\n 'test',\n}", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "not JSON"));
	EXPECT_TEXT(err.file, "book.json");
	CU_ASSERT_EQUAL(err.line, 3);
	expect_refused("[1]", "", "[1]", "a price book is a JSON object", "");
}

static void
a_key_twice_is_refused(void)
{
	struct error err;

	CU_ASSERT_PTR_NULL(book_or_error(RULES("{'model': 'm', 'model': 'm', " PRICES "}"), &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "duplicate"));
	CU_ASSERT_PTR_NULL(book_or_error(RULES(PRICED("requests", "{'price': '1', 'price': '2', 'per': 1}")), &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "duplicate"));
}

static void
an_unknown_key_is_refused_with_the_nearest_one(void)
{
	expect_refused(BOOK("'rulez': []"), "rulez", "[]", "no such key", "\"rules\"");
	expect_refused(RULES("{'modell': 'm', " PRICES "}"), "rules[0].modell", "\"m\"", "no such key", "\"model\"");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'par': 1, 'per': 1}")), "rules[0].prices.requests.par", "1",
	    "no such key", "\"per\"");
	expect_refused(RULES(PRICED("requests", "{'tiers': 'volume', 'per': 1, 'steps': [{'price': '1', 'upto': 5}]}")),
	    "rules[0].prices.requests.steps[0].upto", "5", "no such key", "\"up_to\"");
	/* with tiers the price is in the steps, and without there are none */
	expect_refused(RULES(PRICED("requests", "{'tiers': 'volume', 'per': 1, 'price': '1', 'steps': [{'price': '1'}]}")),
	    "rules[0].prices.requests.price", "\"1\"", "no such key", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': 1, 'steps': [{'price': '1'}]}")),
	    "rules[0].prices.requests.steps", "[{\"price\":\"1\"}]", "no such key", "");
}

static void
an_unknown_meter_is_refused_with_the_nearest_one(void)
{
	expect_refused(RULES(PRICED("output_tokens", "{'price': '1', 'per': 1}")), "rules[0].prices.output_tokens",
	    "{\"price\":\"1\",\"per\":1}", "there is no meter \"output_tokens\"", "\"output_text_tokens\"");
	expect_refused(BOOK("'free': ['request'], 'rules': [" RULE("'model': 'm'") "]"), "free", "\"request\"",
	    "there is no meter \"request\"", "\"requests\"");
	expect_refused(BOOK("'fallback': {'image': 'pages'}, 'rules': [" RULE("'model': 'm'") "]"), "fallback.image", "\"pages\"",
	    "no meter \"image\"", "\"images\"");
	expect_refused(BOOK("'fallback': {'images': 'page'}, 'rules': [" RULE("'model': 'm'") "]"), "fallback.images", "\"page\"",
	    "no meter \"page\"", "\"pages\"");
}

static void
the_head_of_a_book_must_be_complete(void)
{
	expect_refused("{'book': 'b', 'currency': 'USD', 'effective': '2026-01-01T00:00:00Z', 'rules': []}", "tollbook_prices",
	    "", "\"tollbook_prices\": 1", "");
	expect_refused("{'tollbook_prices': 2, 'book': 'b'}", "tollbook_prices", "2", "\"tollbook_prices\": 1", "");
	expect_refused("{'tollbook_prices': 1, 'book': ''}", "book", "\"\"", "a text of 1 to 256 bytes", "");
	expect_refused("{'tollbook_prices': 1, 'book': 'b', 'currency': 'usd'}", "currency", "\"usd\"", "ISO 4217", "USD or EUR");
	expect_refused("{'tollbook_prices': 1, 'book': 'b', 'currency': 'DEM'}", "currency", "\"DEM\"", "ISO 4217", "USD or EUR");
	expect_refused(BOOK("'free': []"), "rules", "", "1 to 10000 rules", "");
	expect_refused(RULES(""), "rules", "", "1 to 10000 rules", "");
	expect_refused(BOOK("'rules': {}"), "rules", "{}", "1 to 10000 rules", "");
}

static void
expect_refused_effective(const char *effective, const char *message)
{
	char text[256], value[64];

	snprintf(text, sizeof text, "{'tollbook_prices': 1, 'book': 'b', 'currency': 'USD', 'effective': '%s'}", effective);
	snprintf(value, sizeof value, "\"%s\"", effective);
	expect_refused(text, "effective", value, message, "");
}

static void
prices_change_on_a_quarter_of_an_hour(void)
{
	expect_refused_effective("2026-01-01T00:01:00Z", "quarter");
	expect_refused_effective("2026-01-01T00:15:00.000001Z", "quarter");
	expect_refused_effective("2026-01-01", "RFC 3339");
	expect_refused_effective("2026-01-01T00:00:00", "RFC 3339");
	expect_refused_effective("2019-12-31T23:45:00Z", "2020");
	expect_refused("{'tollbook_prices': 1, 'book': 'b', 'currency': 'USD', 'effective': 20260101}", "effective", "20260101",
	    "RFC 3339", "");
}

static void
a_rule_names_either_a_model_or_a_pattern(void)
{
	expect_refused(RULES("{'model': 'm', 'model_pattern': 'm.*', 'prices': {}}"), "rules[0]",
	    "{\"model\":\"m\",\"model_pattern\":\"m.*\",\"prices\":{}}", "either \"model\" or \"model_pattern\"", "");
	expect_refused(RULES(RULE("'model': 'm'") ", {'prices': {}}"), "rules[1]", "{\"prices\":{}}",
	    "either \"model\" or \"model_pattern\"", "");
	expect_refused(RULES("{'model': 5, 'prices': {}}"), "rules[0].model", "5", "must be a text", "");
	expect_refused(
	    RULES("{'model_pattern': 'gpt-(5', 'prices': {}}"), "rules[0].model_pattern", "gpt-(5", "at character 7", "");
	expect_refused(RULES("7"), "rules[0]", "7", "a rule is a JSON object", "");
}

static void
a_rule_has_at_least_one_price(void)
{
	expect_refused(RULES("{'model': 'm', 'prices': {}}"), "rules[0].prices", "{}", "at least one meter", "");
	expect_refused(RULES("{'model': 'm'}"), "rules[0].prices", "", "at least one meter", "");
	expect_refused(RULES(PRICED("requests", "'1'")), "rules[0].prices.requests", "\"1\"", "a price is an object",
	    "{\"price\": \"0.15\"");
	expect_refused(
	    RULES(PRICED("requests", "{'per': 1}")), "rules[0].prices.requests.price", "{\"per\":1}", "\"price\" is missing", "");
}

static void
expect_refused_price(const char *json, const char *shown, const char *message, const char *hint)
{
	char text[1024];

	snprintf(text, sizeof text, RULES("{'model': 'm', 'prices': {'requests': {'price': %s, 'per': 1}}}"), json);
	expect_refused(text, "rules[0].prices.requests.price", shown, message, hint);
}

static void
a_price_is_decimal_text_and_nothing_else(void)
{
	expect_refused_price("0.15", "0.14999999999999999", "a price is decimal text", "in quotes");
	expect_refused_price("1", "1", "a price is decimal text", "in quotes");
	expect_refused_price("null", "null", "a price is decimal text", "in quotes");
	expect_refused_price("'-1'", "\"-1\"", "cannot be negative", "varies");
	expect_refused_price("'-0.000000000000000001'", "\"-0.000000000000000001\"", "cannot be negative", "varies");
	expect_refused_price("'0.0000000000000000001'", "\"0.0000000000000000001\"", "more than 18 decimals", "per more units");
	expect_refused_price("'2.5e-7'", "\"2.5e-7\"", "is not a number", "without an exponent");
	expect_refused_price("'0,15'", "\"0,15\"", "is not a number", "point");
	expect_refused_price("' 0.15'", "\" 0.15\"", "is not a number", "blanks");
	expect_refused_price("''", "\"\"", "is not a number", "");
}

static void
a_price_of_18_decimals_is_taken_exactly(void)
{
	struct price_book *book = book_of(RULES(PRICED("requests", "{'price': '0.000000000000000001', 'per': 1}")));
	int priced_as;
	const struct meter_price *price = price_book_meter(book, 0, METER_requests, &priced_as);

	CU_ASSERT_PTR_NOT_NULL_FATAL(price);
	CU_ASSERT_TRUE(price->step[0].price.e18 == 1);
	price_book_free(book);
}

static void
a_price_is_for_1_or_1000_or_1000000_units(void)
{
	expect_refused(RULES(PRICED("requests", "{'price': '1'}")), "rules[0].prices.requests.per", "", "1, 1000 or 1000000", "");
	expect_refused(
	    RULES(PRICED("requests", "{'price': '1', 'per': 0}")), "rules[0].prices.requests.per", "0", "1, 1000 or 1000000", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': 100}")), "rules[0].prices.requests.per", "100",
	    "1, 1000 or 1000000", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': '1000'}")), "rules[0].prices.requests.per", "\"1000\"",
	    "1, 1000 or 1000000", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': -1}")), "rules[0].prices.requests.per", "-1",
	    "1, 1000 or 1000000", "");
}

static void
expect_refused_steps(const char *steps, const char *field, const char *shown, const char *message)
{
	char text[1024], path[128];

	snprintf(text, sizeof text,
	    RULES("{'model': 'm', 'prices': {'requests': {'tiers': 'graduated', 'per': 1, 'steps': %s}}}"), steps);
	snprintf(path, sizeof path, "rules[0].prices.requests%s", field);
	expect_refused(text, path, shown, message, "");
}

static void
steps_rise_and_the_last_one_is_open(void)
{
	expect_refused_steps("[{'up_to': 10, 'price': '2'}, {'up_to': 10, 'price': '1'}, {'price': '1'}]", ".steps[1]",
	    "{\"up_to\":10,\"price\":\"1\"}", "steps must rise");
	expect_refused_steps("[{'up_to': 10, 'price': '2'}, {'up_to': 9, 'price': '1'}, {'price': '1'}]", ".steps[1]",
	    "{\"up_to\":9,\"price\":\"1\"}", "steps must rise");
	expect_refused_steps("[{'up_to': 10, 'price': '2'}, {'up_to': 20, 'price': '1'}]", ".steps[1]",
	    "{\"up_to\":20,\"price\":\"1\"}", "the last step is open");
	expect_refused_steps("[{'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "", "whole number of units above zero");
	expect_refused_steps(
	    "[{'up_to': 0, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "0", "whole number of units above zero");
	expect_refused_steps(
	    "[{'up_to': -5, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "-5", "whole number of units above zero");
	expect_refused_steps(
	    "[{'up_to': '1.5', 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "\"1.5\"", "whole number of units above zero");
	expect_refused_steps("[{'up_to': 1000000000000000001, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to",
	    "1000000000000000001", "whole number of units above zero");
	expect_refused_steps("[{'up_to': 10, 'price': 2}, {'price': '1'}]", ".steps[0].price", "2", "a price is decimal text");
	expect_refused_steps("[{'up_to': 10, 'price': '-2'}, {'price': '1'}]", ".steps[0].price", "\"-2\"", "cannot be negative");
	expect_refused_steps("[5]", ".steps[0]", "5", "a step is a JSON object");
}

static void
an_up_to_of_many_digits_is_not_cut(void)
{
	expect_refused_steps("[{'up_to': '0000000000000000000000000001000x', 'price': '2'}, {'price': '1'}]", ".steps[0].up_to",
	    "\"0000000000000000000000000001000x\"", "whole number of units above zero");
}

static void
tiers_have_1_to_32_steps(void)
{
	struct text many = {0};

	expect_refused_steps("[]", "", "{\"tiers\":\"graduated\",\"per\":1,\"steps\":[]}", "a list of 1 to 32");
	text_add_string(
	    &many, "{" HEAD ", 'rules': [{'model': 'm', 'prices': {'requests': {'tiers': 'volume', 'per': 1, 'steps': [");
	for (int i = 1; i <= TIER_STEPS_MAX; i++)
		text_add_format(&many, "{'up_to': %d, 'price': '1'}, ", i);
	text_add_string(&many, "{'price': '1'}]}}}]}");
	{
		struct error err;

		CU_ASSERT_PTR_NULL(book_or_error(text_string(&many), &err));
		EXPECT_TEXT(err.field, "rules[0].prices.requests");
		EXPECT_TEXT(err.message, "tiers need \"steps\": a list of 1 to 32");
	}
	text_release(&many);
	expect_refused(RULES(PRICED("requests", "{'tiers': 'stairs', 'per': 1}")), "rules[0].prices.requests",
	    "{\"tiers\":\"stairs\",\"per\":1}", "\"graduated\" or \"volume\"", "");
}

static void
a_fallback_that_goes_in_a_circle_is_refused(void)
{
	expect_refused(BOOK("'fallback': {'images': 'pages', 'pages': 'images'}, 'rules': [" RULE("'model': 'm'") "]"),
	    "fallback", "{\"images\":\"pages\",\"pages\":\"images\"}", "circle", "");
	expect_refused(BOOK("'fallback': {'images': 'images'}, 'rules': [" RULE("'model': 'm'") "]"), "fallback",
	    "{\"images\":\"images\"}", "circle", "");
	/* the rule's own closes the circle that the book's opens */
	expect_refused(
	    BOOK("'fallback': {'images': 'pages'}, 'rules': [{'model': 'm', 'fallback': {'pages': 'images'}, " PRICES "}]"),
	    "rules[0].fallback", "{\"pages\":\"images\"}", "circle", "");
}

static void
a_fallback_goes_over_4_meters_and_no_more(void)
{
	struct price_book *book =
	    book_of(BOOK("'fallback': {'images': 'pages', 'pages': 'characters', 'characters': 'requests', "
			 "'requests': 'tool_calls'}, 'rules': [" PRICED("tool_calls", "{'price': '1', 'per': 1}") "]"));
	int priced_as = 0;

	CU_ASSERT_PTR_NOT_NULL(price_book_meter(book, 0, METER_images, &priced_as));
	CU_ASSERT_EQUAL(priced_as, METER_tool_calls);
	price_book_free(book);
	expect_refused(
	    BOOK("'fallback': {'images': 'pages', 'pages': 'characters', 'characters': 'requests', 'requests': 'tool_calls', "
		 "'tool_calls': 'web_search_calls'}, 'rules': [" RULE("'model': 'm'") "]"),
	    "fallback",
	    "{\"images\":\"pages\",\"pages\":\"characters\",\"characters\":\"requests\",\"requests\":\"tool_calls\",\"tool_"
	    "calls\":\"web_search_calls\"}",
	    "over more than 4 meters", "");
}

static void
a_fallback_between_units_is_refused(void)
{
	expect_refused(BOOK("'fallback': {'gpu_seconds': 'requests'}, 'rules': [" RULE("'model': 'm'") "]"),
	    "fallback.gpu_seconds", "\"requests\"", "count in different units", "");
	expect_refused(BOOK("'fallback': 'requests', 'rules': [" RULE("'model': 'm'") "]"), "fallback", "\"requests\"",
	    "must be an object", "");
	expect_refused(BOOK("'free': {'requests': true}, 'rules': [" RULE("'model': 'm'") "]"), "free", "{\"requests\":true}",
	    "list of meters", "");
}

static void
a_book_has_10000_rules_and_no_more(void)
{
	struct text many = {0};
	struct price_book *book;
	struct error err;

	text_add_string(&many, "{" HEAD ", 'rules': [");
	for (int i = 0; i < PRICE_RULES_MAX; i++)
		text_add_format(
		    &many, "%s{'model': 'm%d', 'prices': {'requests': {'price': '1', 'per': 1}}}", i > 0 ? ", " : "", i);
	text_add_string(&many, "]}");
	book = book_of(text_string(&many));
	CU_ASSERT_EQUAL(price_book_rules(book), PRICE_RULES_MAX);
	price_book_free(book);
	many.length -= 2;
	text_add_string(&many, ", " RULE("'model': 'm'") "]}");
	CU_ASSERT_PTR_NULL(book_or_error(text_string(&many), &err));
	EXPECT_TEXT(err.field, "rules");
	EXPECT_TEXT(err.message, "\"rules\" must be a list of 1 to 10000 rules");
	text_release(&many);
}

/* --- what it says ---------------------------------------------------------------------------- */

static void
a_book_knows_its_head(void)
{
	struct price_book *book =
	    book_of("{'tollbook_prices': 1, 'book': 'public', 'currency': 'EUR', 'effective': '2026-03-01T01:15:00+01:00', "
		    "'source': 'a list', 'note': 'a note', 'rules': [" RULE("'model': 'm'") "]}");
	char text[INSTANT_TEXT];

	EXPECT_TEXT(price_book_name(book), "public");
	EXPECT_TEXT(price_book_currency(book), "EUR");
	EXPECT_TEXT(instant_format(price_book_effective(book), text), "2026-03-01T00:15:00Z");
	CU_ASSERT_EQUAL(price_book_rules(book), 1);
	price_book_free(book);
}

static void
steps_are_kept_in_the_smallest_unit_of_the_meter(void)
{
	struct price_book *book = book_of(RULES(PRICED("gpu_seconds",
	    "{'tiers': 'graduated', 'per': 1, 'steps': [{'up_to': 10, 'price': '3'}, {'up_to': '20', 'price': '2'}, {'price': "
	    "'1'}]}")));
	int priced_as;
	const struct meter_price *price = price_book_meter(book, 0, METER_gpu_seconds, &priced_as);

	CU_ASSERT_PTR_NOT_NULL_FATAL(price);
	CU_ASSERT_EQUAL(price->mode, TIER_GRADUATED);
	CU_ASSERT_EQUAL(price->steps, 3);
	CU_ASSERT_TRUE(price->step[0].up_to == (i128)10 * 1000000000);
	CU_ASSERT_TRUE(price->step[1].up_to == (i128)20 * 1000000000);
	price_book_free(book);
}

/* --- choosing -------------------------------------------------------------------------------- */

/* The place of the rule, or "none" or "limit". */
static const char *
chosen(const struct price_book *book, const char *model, const char *service_tier, const char *base_model)
{
	static char text[32];
	struct price_subject subject = {.model = model, .base_model = base_model, .service_tier = service_tier};
	size_t rule = 0;

	switch (price_book_match(book, &subject, &rule)) {
	case PRICE_NO_RULE:
		return "none";
	case PRICE_PATTERN_LIMIT:
		return "limit";
	case PRICE_MATCHED:
		break;
	}
	snprintf(text, sizeof text, "%zu", rule);
	return text;
}

static void
an_exact_model_comes_before_a_pattern(void)
{
	struct price_book *book = book_of(RULES(RULE("'model_pattern': 'gpt-.*'") ", " RULE("'model': 'gpt-5'")));

	EXPECT_TEXT(chosen(book, "gpt-5", "default", ""), "1");
	EXPECT_TEXT(chosen(book, "gpt-5-mini", "default", ""), "0");
	EXPECT_TEXT(chosen(book, "claude", "default", ""), "none");
	CU_ASSERT_FALSE(price_rule_is_exact(book, 0));
	CU_ASSERT_TRUE(price_rule_is_exact(book, 1));
	price_book_free(book);
}

static void
rules_are_asked_in_the_order_of_the_file(void)
{
	struct price_book *book = book_of(RULES(RULE("'model_pattern': 'gpt-5-.*'") ", " RULE(
	    "'model_pattern': 'gpt-.*'") ", " RULE("'model': 'm', 'base_model': 'b'") ", " RULE("'model': 'm'")));

	EXPECT_TEXT(chosen(book, "gpt-5-mini", "default", ""), "0");
	EXPECT_TEXT(chosen(book, "gpt-4", "default", ""), "1");
	EXPECT_TEXT(chosen(book, "m", "default", "b"), "2");
	EXPECT_TEXT(chosen(book, "m", "default", "c"), "3");
	EXPECT_TEXT(chosen(book, "m", "default", ""), "3");
	price_book_free(book);
}

static void
names_are_compared_byte_by_byte(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'gpt-5'")));

	EXPECT_TEXT(chosen(book, "GPT-5", "default", ""), "none");
	EXPECT_TEXT(chosen(book, "gpt-5 ", "default", ""), "none");
	EXPECT_TEXT(chosen(book, "", "default", ""), "none");
	price_book_free(book);
}

static void
a_rule_without_a_tier_of_service_is_for_the_default_only(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'a'") ", " RULE("'model': 'a', 'service_tier': 'batch'") ", " RULE(
	    "'model': 'b', 'service_tier': '*'")));

	EXPECT_TEXT(chosen(book, "a", "default", ""), "0");
	EXPECT_TEXT(chosen(book, "a", "batch", ""), "1");
	EXPECT_TEXT(chosen(book, "a", "flex", ""), "none");
	EXPECT_TEXT(chosen(book, "b", "default", ""), "2");
	EXPECT_TEXT(chosen(book, "b", "flex", ""), "2");
	price_book_free(book);
}

static void
an_exact_model_of_another_tier_leaves_the_patterns_to_be_asked(void)
{
	struct price_book *book =
	    book_of(RULES(RULE("'model': 'a'") ", " RULE("'model_pattern': '.*', 'service_tier': 'batch'")));

	EXPECT_TEXT(chosen(book, "a", "batch", ""), "1");
	price_book_free(book);
}

static void
a_pattern_that_reaches_its_limit_lets_no_other_rule_price(void)
{
	struct price_book *book =
	    book_of(RULES(RULE("'model_pattern': '(a+)+'") ", " RULE("'model_pattern': '.*'") ", " RULE("'model': 'exact'")));
	const char *name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	struct price_subject subject = {.model = name, .base_model = "", .service_tier = "default"};

	EXPECT_TEXT(chosen(book, name, "default", ""), "limit");
	EXPECT_TEXT(chosen(book, "exact", "default", ""), "2");
	EXPECT_TEXT(chosen(book, "b", "default", ""), "1");
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "cannot say: the pattern reaches its limit, usage is held");
	price_book_free(book);
}

static void
a_verdict_says_why(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model_pattern': 'a.+'")));
	struct price_subject subject = {.model = "a", .base_model = "b", .service_tier = "default"};

	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "matches");
	EXPECT_TEXT(price_rule_verdict(book, 1, &subject), "no: the pattern does not match");
	subject.base_model = "";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another base model");
	subject.service_tier = "batch";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another service tier");
	subject.model = "c";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another model");
	price_book_free(book);
}

static void
a_rule_is_described_in_words(void)
{
	struct price_book *book =
	    book_of(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model_pattern': 'a.+', 'service_tier': '*'")));
	struct arena arena = {0};

	EXPECT_TEXT(price_rule_describe(book, 0, &arena), "model a, service tier default, base model b");
	EXPECT_TEXT(price_rule_describe(book, 1, &arena), "pattern a.+, service tier any");
	arena_release(&arena);
	price_book_free(book);
}

/* --- which price ----------------------------------------------------------------------------- */

/* "3 as output_text_tokens", or "none". */
static const char *
price_text(const struct price_book *book, size_t rule, int meter)
{
	static char text[128];
	char number[DECIMAL_TEXT];
	int priced_as = 0;
	const struct meter_price *price = price_book_meter(book, rule, meter, &priced_as);

	if (price == NULL)
		return "none";
	snprintf(text, sizeof text, "%s as %s", decimal_format(price->step[0].price, number), meter_of(priced_as)->name);
	return text;
}

static void
a_meter_without_a_price_has_none(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'm'")));

	EXPECT_TEXT(price_text(book, 0, METER_output_text_tokens), "4 as output_text_tokens");
	EXPECT_TEXT(price_text(book, 0, METER_input_text_cache_read_tokens), "none");
	EXPECT_TEXT(price_text(book, 0, METER_requests), "none");
	price_book_free(book);
}

static void
a_fallback_is_followed_to_the_first_price(void)
{
	struct price_book *book = book_of(
	    BOOK("'fallback': {'output_citation_tokens': 'output_text_tokens', 'output_reasoning_tokens': 'output_text_tokens', "
		 "'output_rejected_prediction_tokens': 'output_reasoning_tokens'}, 'rules': [" PRICED(
		     "output_text_tokens", "{'price': '4', 'per': 1000000}") ", " RULE("'model': 'n'") "]"));

	EXPECT_TEXT(price_text(book, 0, METER_output_reasoning_tokens), "4 as output_text_tokens");
	EXPECT_TEXT(price_text(book, 0, METER_output_rejected_prediction_tokens), "4 as output_text_tokens");
	/* a price of its own comes first, and ends the way there */
	EXPECT_TEXT(price_text(book, 1, METER_output_reasoning_tokens), "4 as output_reasoning_tokens");
	EXPECT_TEXT(price_text(book, 1, METER_output_rejected_prediction_tokens), "4 as output_reasoning_tokens");
	EXPECT_TEXT(price_text(book, 0, METER_input_text_uncached_tokens), "none");
	price_book_free(book);
}

static void
a_rule_may_fall_back_elsewhere_than_its_book(void)
{
	struct price_book *book =
	    book_of(BOOK("'fallback': {'input_text_cache_read_tokens': 'input_text_uncached_tokens'}, 'rules': [" RULE(
		"'model': 'm'") ", {'model': 'n', 'fallback': {'input_text_cache_read_tokens': 'output_text_tokens'}, " PRICES
				"}]"));

	EXPECT_TEXT(price_text(book, 0, METER_input_text_cache_read_tokens), "1 as input_text_uncached_tokens");
	EXPECT_TEXT(price_text(book, 1, METER_input_text_cache_read_tokens), "4 as output_text_tokens");
	price_book_free(book);
}

static void
a_free_meter_costs_nothing_where_no_rule_prices_it(void)
{
	struct price_book *book = book_of(BOOK(
	    "'free': ['requests'], 'rules': [" RULE("'model': 'm'") ", " PRICED("requests", "{'price': '2', 'per': 1000}") "]"));

	EXPECT_TEXT(price_text(book, 0, METER_requests), "0 as requests");
	EXPECT_TEXT(price_text(book, 1, METER_requests), "2 as requests");
	EXPECT_TEXT(price_text(book, 0, METER_tool_calls), "none");
	price_book_free(book);
}

UNIT_TESTS("rating/price_book", TEST(what_is_no_json_object_is_refused), TEST(a_key_twice_is_refused),
    TEST(an_unknown_key_is_refused_with_the_nearest_one), TEST(an_unknown_meter_is_refused_with_the_nearest_one),
    TEST(the_head_of_a_book_must_be_complete), TEST(prices_change_on_a_quarter_of_an_hour),
    TEST(a_rule_names_either_a_model_or_a_pattern), TEST(a_rule_has_at_least_one_price),
    TEST(a_price_is_decimal_text_and_nothing_else), TEST(a_price_of_18_decimals_is_taken_exactly),
    TEST(a_price_is_for_1_or_1000_or_1000000_units), TEST(steps_rise_and_the_last_one_is_open),
    TEST(an_up_to_of_many_digits_is_not_cut), TEST(tiers_have_1_to_32_steps), TEST(a_fallback_that_goes_in_a_circle_is_refused),
    TEST(a_fallback_goes_over_4_meters_and_no_more), TEST(a_fallback_between_units_is_refused),
    TEST(a_book_has_10000_rules_and_no_more), TEST(a_book_knows_its_head), TEST(steps_are_kept_in_the_smallest_unit_of_the_meter),
    TEST(an_exact_model_comes_before_a_pattern), TEST(rules_are_asked_in_the_order_of_the_file),
    TEST(names_are_compared_byte_by_byte), TEST(a_rule_without_a_tier_of_service_is_for_the_default_only),
    TEST(an_exact_model_of_another_tier_leaves_the_patterns_to_be_asked),
    TEST(a_pattern_that_reaches_its_limit_lets_no_other_rule_price), TEST(a_verdict_says_why), TEST(a_rule_is_described_in_words),
    TEST(a_meter_without_a_price_has_none), TEST(a_fallback_is_followed_to_the_first_price),
    TEST(a_rule_may_fall_back_elsewhere_than_its_book), TEST(a_free_meter_costs_nothing_where_no_rule_prices_it))
