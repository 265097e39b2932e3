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

/* A price of requests, refused at `field` behind its own path. */
static void
expect_refused_price(const char *price, const char *field, const char *message, const char *hint)
{
	char text[2048], path[128];
	struct error err;

	snprintf(text, sizeof text, "{" HEAD ", 'rules': [{'model': 'm', 'prices': {'requests': %s}}]}", price);
	snprintf(path, sizeof path, "rules[0].prices.requests%s", field);
	CU_ASSERT_PTR_NULL(book_or_error(text, &err));
	EXPECT_TEXT(err.field, path);
	CU_ASSERT_NOT_EQUAL(err.line, 0);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
		printf("\n    \"%s\" with \"%s\" does not say \"%s\" with \"%s\"\n", err.message, err.hint, message, hint);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
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
	expect_refused_price("{'price': '1', 'per': 1, 'times': [{'window': 'w', 'fractor': '1'}]}", ".times[0].fractor",
	    "no such key", "\"factor\"");
	expect_refused_price("{'per': 1, 'brackets': [{'price': '1', 'fee': '1'}]}", ".brackets[0].fee", "no such key", "");
	expect_refused_price("{'tiers': 'volume', 'per': 1, 'steps': [{'price': '1'}], 'counter': {'scoop': 'rule'}}",
	    ".counter.scoop", "no such key", "\"scope\"");
	expect_refused(BOOK("'extends': {'book': 'b', 'verison': 1}"), "extends.verison", "1", "no such key", "\"version\"");
	expect_refused(BOOK("'service_tiers': {'batch': {'inherits': 'default'}}"), "service_tiers.batch.inherits", "\"default\"",
	    "no such key", "\"inherit\"");
	expect_refused(RULES("{'model': 'm', 'inherit': {'form': 'base_model'}}"), "rules[0].inherit.form", "\"base_model\"",
	    "no such key", "\"from\"");
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
	    "{\"model\":\"m\",\"model_pattern\":\"m.*\",\"prices\":{}}", "\"model\" or \"model_pattern\", not both", "");
	expect_refused(
	    RULES(RULE("'model': 'm'") ", {'prices': {}}"), "rules[1]", "{\"prices\":{}}", "a rule says for what it is", "");
	expect_refused(RULES("{'base_model': 'b', 'base_model_pattern': 'b.*', 'prices': {}}"), "rules[0]",
	    "{\"base_model\":\"b\",\"base_model_pattern\":\"b.*\",\"prices\":{}}", "not both", "");
	expect_refused(
	    RULES("{'base_model_pattern': '*', 'prices': {}}"), "rules[0].base_model_pattern", "*", "at character 1", "");
	expect_refused(RULES("{'provider': 'p', 'prices': {}}"), "rules[0]", "{\"provider\":\"p\",\"prices\":{}}",
	    "a rule says for what it is", "");
	expect_refused(RULES("{'model': 'm', 'provider': 5, 'prices': {}}"), "rules[0].provider", "5", "must be a text", "");
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
expect_refused_amount(const char *json, const char *shown, const char *message, const char *hint)
{
	char text[1024];

	snprintf(text, sizeof text, RULES("{'model': 'm', 'prices': {'requests': {'price': %s, 'per': 1}}}"), json);
	expect_refused(text, "rules[0].prices.requests.price", shown, message, hint);
}

static void
a_price_is_decimal_text_and_nothing_else(void)
{
	expect_refused_amount("0.15", "0.14999999999999999", "a price is decimal text", "in quotes");
	expect_refused_amount("1", "1", "a price is decimal text", "in quotes");
	expect_refused_amount("null", "null", "a price is decimal text", "in quotes");
	expect_refused_amount("'-1'", "\"-1\"", "is not negative", "varies");
	expect_refused_amount("'-0.000000000000000001'", "\"-0.000000000000000001\"", "is not negative", "varies");
	expect_refused_amount("'0.0000000000000000001'", "\"0.0000000000000000001\"", "more than 18 decimals", "per more units");
	expect_refused_amount("'2.5e-7'", "\"2.5e-7\"", "is not a number", "without an exponent");
	expect_refused_amount("'0,15'", "\"0,15\"", "is not a number", "point");
	expect_refused_amount("' 0.15'", "\" 0.15\"", "is not a number", "blanks");
	expect_refused_amount("''", "\"\"", "is not a number", "");
}

static void
a_price_is_for_1_or_1000_or_1000000_units(void)
{
	expect_refused(RULES(PRICED("requests", "{'price': '1'}")), "rules[0].prices.requests.per", "{\"price\":\"1\"}",
	    "1, 1000 or 1000000", "");
	expect_refused(
	    RULES(PRICED("requests", "{'price': '1', 'per': 0}")), "rules[0].prices.requests.per", "0", "1, 1000 or 1000000", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': 100}")), "rules[0].prices.requests.per", "100",
	    "1, 1000 or 1000000", "");
	expect_refused(RULES(PRICED("requests", "{'price': '1', 'per': '1000'}")), "rules[0].prices.requests.per", "\"1000\"",
	    "\"minute\" or \"hour\"", "");
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
	expect_refused_steps("[{'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "", "whole number of units, 1 to 10^18");
	expect_refused_steps(
	    "[{'up_to': 0, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "0", "whole number of units, 1 to 10^18");
	expect_refused_steps(
	    "[{'up_to': -5, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "-5", "whole number of units, 1 to 10^18");
	expect_refused_steps("[{'up_to': '1.5', 'price': '2'}, {'price': '1'}]", ".steps[0].up_to", "\"1.5\"",
	    "whole number of units, 1 to 10^18");
	expect_refused_steps("[{'up_to': 1000000000000000001, 'price': '2'}, {'price': '1'}]", ".steps[0].up_to",
	    "1000000000000000001", "whole number of units, 1 to 10^18");
	expect_refused_steps("[{'up_to': 10, 'price': 2}, {'price': '1'}]", ".steps[0].price", "2", "a price is decimal text");
	expect_refused_steps("[{'up_to': 10, 'price': '-2'}, {'price': '1'}]", ".steps[0].price", "\"-2\"", "is not negative");
	expect_refused_steps("[5]", ".steps[0]", "5", "a step is a JSON object");
}

static void
an_up_to_of_many_digits_is_not_cut(void)
{
	expect_refused_steps("[{'up_to': '0000000000000000000000000001000x', 'price': '2'}, {'price': '1'}]", ".steps[0].up_to",
	    "\"0000000000000000000000000001000x\"", "whole number of units, 1 to 10^18");
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
	expect_refused(RULES(PRICED("requests", "{'tiers': 'stairs', 'per': 1}")), "rules[0].prices.requests.tiers", "\"stairs\"",
	    "\"graduated\" or \"volume\"", "");
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

static void
a_window_a_tier_and_an_alias_are_objects_of_their_own_kind(void)
{
	expect_refused(BOOK("'windows': []"), "windows", "[]", "must be an object", "");
	expect_refused(BOOK("'windows': {'w': {'zone': 'UTC', 'spans': []}}"), "windows.w.spans", "", "", "");
	expect_refused(
	    BOOK("'windows': {'w': {'zone': 'Mars/Olympus', 'spans': [{}]}}"), "windows.w.zone", "\"Mars/Olympus\"", "", "");
	expect_refused(BOOK("'aliases': 'a'"), "aliases", "\"a\"", "must be an object", "");
	expect_refused(BOOK("'aliases': {'a': 5}"), "aliases.a", "5", "a text of 1 to 256 bytes", "");
	expect_refused(BOOK("'aliases': {'a': ''}"), "aliases.a", "\"\"", "a text of 1 to 256 bytes", "");
	expect_refused(BOOK("'aliases': {'a*b': 'c'}"), "aliases.a*b", "\"c\"", "one * at the end", "");
	expect_refused(BOOK("'aliases': {'a**': 'c'}"), "aliases.a**", "\"c\"", "one * at the end", "");
	expect_refused(BOOK("'service_tiers': []"), "service_tiers", "[]", "must be an object", "");
	expect_refused(
	    BOOK("'service_tiers': {'batch': 'default'}"), "service_tiers.batch", "\"default\"", "must be an object", "");
	expect_refused(BOOK("'service_tiers': {'batch': {}}"), "service_tiers.batch.inherit", "{}", "", "");
	expect_refused(BOOK("'service_tiers': {'batch': {'inherit': 'batch'}}"), "service_tiers.batch", "{\"inherit\":\"batch\"}",
	    "from itself", "");
	expect_refused(BOOK("'service_tiers': {'batch': {'inherit': 'default', 'factor': 0.5}}"), "service_tiers.batch.factor",
	    "0.5", "decimal text", "in quotes");
}

static void
a_factor_is_decimal_text_from_0_to_1000(void)
{
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'factor': '-1'}}"), "rules[0].inherit.factor",
	    "\"-1\"", "not negative", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'factor': '1000.1'}}"), "rules[0].inherit.factor",
	    "\"1000.1\"", "at most 1000", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'factor': 2}}"), "rules[0].inherit.factor", "2",
	    "decimal text", "\"factor\"");
	price_book_free(book_of(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'factor': '1000'}}")));
	price_book_free(book_of(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'factor': '0'}}")));
}

static void
what_a_rule_inherits_from_is_named(void)
{
	expect_refused(
	    RULES("{'model': 'm', 'inherit': 'base_model'}"), "rules[0].inherit", "\"base_model\"", "must be an object", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {}}"), "rules[0].inherit.from", "", "\"base_model\", {\"model\"", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'model'}}"), "rules[0].inherit.from", "\"model\"",
	    "\"base_model\", {\"model\"", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': {'model': 'a', 'rule': 'b'}}}"), "rules[0].inherit.from",
	    "{\"model\":\"a\",\"rule\":\"b\"}", "\"base_model\", {\"model\"", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': {'book': 'a'}}}"), "rules[0].inherit.from.book", "\"a\"",
	    "no such key", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': {'rule': ''}}}"), "rules[0].inherit.from.rule", "\"\"",
	    "1 to 256 bytes", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'plus': []}}"), "rules[0].inherit.plus", "[]",
	    "meter to price", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'plus': {'request': {}}}}"),
	    "rules[0].inherit.plus.request", "{}", "no meter", "\"requests\"");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'plus': {'requests': '1'}}}"),
	    "rules[0].inherit.plus.requests", "\"1\"", "must be a price", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model', 'plus': {'requests': {'price': '1', 'per': 2}}}}"),
	    "rules[0].inherit.plus.requests.per", "2", "1, 1000 or 1000000", "");
	expect_refused(RULES("{'model': 'm', 'inherit': {'from': 'base_model'}, 'prices': {}}"), "rules[0].prices", "{}",
	    "at least one meter", "");
}

static void
tags_are_texts_by_name(void)
{
	expect_refused(RULES("{'model': 'm', 'tags': {}, " PRICES "}"), "rules[0].tags", "{}", "1 to 16 tags", "");
	expect_refused(RULES("{'model': 'm', 'tags': 'prod', " PRICES "}"), "rules[0].tags", "\"prod\"", "1 to 16 tags", "");
	expect_refused(RULES("{'model': 'm', 'tags': {'env': 1}, " PRICES "}"), "rules[0].tags", "1", "must be a text", "");
}

static void
units_have_names_where_they_are_seconds_or_hours(void)
{
	expect_refused_price("{'price': '1', 'per': 'hour'}", ".per", "\"minute\" or \"hour\" for seconds", "");
	expect_refused(RULES(PRICED("gpu_seconds", "{'price': '1', 'per': 'day'}")), "rules[0].prices.gpu_seconds.per", "\"day\"",
	    "for seconds", "");
	expect_refused(RULES(PRICED("adapter_hours", "{'price': '1', 'per': 'minute'}")), "rules[0].prices.adapter_hours.per",
	    "\"minute\"", "for hours", "");
	expect_refused_price("{'price': '1', 'per': 1.0}", ".per", "1, 1000 or 1000000", "");
}

static void
packages_have_a_whole_size(void)
{
	expect_refused_price("{'price': '1', 'package': 0}", ".package", "whole number of units", "");
	expect_refused_price("{'price': '1', 'package': '10'}", ".package", "whole number of units", "");
	expect_refused_price("{'price': '1', 'package': 1.5}", ".package", "whole number of units", "");
	expect_refused_price("{'price': '1', 'package': 1000000000001}", ".package", "at most 10^12", "");
	expect_refused_price("{'package': 10}", ".price", "\"price\" is missing", "");
	expect_refused_price("{'tiers': 'graduated', 'steps': [{'up_to': 5, 'price': '1', 'package': 10}, {'price': '1'}]}",
	    ".steps[1].per", "\"per\" is missing", "");
}

static void
fees_are_prices_of_steps(void)
{
	expect_refused_price("{'tiers': 'graduated', 'per': 1, 'steps': [{'price': '1', 'fee': 5}]}", ".steps[0].fee",
	    "decimal text", "\"fee\": \"0.15\"");
	expect_refused_price(
	    "{'tiers': 'graduated', 'per': 1, 'steps': [{'price': '1', 'fee': '-5'}]}", ".steps[0].fee", "not negative", "");
	expect_refused_price("{'price': '1', 'per': 1, 'fee': '5'}", ".fee", "no such key", "");
}

static void
a_price_says_one_thing(void)
{
	expect_refused_price(
	    "{'tiers': 'volume', 'per': 1, 'price': '1', 'steps': [{'price': '1'}]}", "", "stand in their steps", "");
	expect_refused_price("{'tiers': 'volume', 'package': 1, 'steps': [{'price': '1'}]}", "", "stand in their steps", "");
	expect_refused_price("{'per': 1, 'package': 1, 'price': '1'}", "", "a package says itself", "");
	expect_refused_price("{'price': '1', 'per': 1, 'steps': [{'price': '1'}]}", "", "\"steps\" need \"tiers\"", "");
	expect_refused_price("{'tiers': 'volume', 'per': 1}", "", "tiers need \"steps\"", "");
	expect_refused_price("{'price': '1', 'per': 1, 'brackets': [{'price': '1'}]}", "", "stand in the brackets", "");
	expect_refused_price("{'price': '1', 'per': 1, 'subject': 'input'}", "", "belong to \"brackets\"", "");
	expect_refused_price("{'price': '1', 'per': 1, 'split': 'tokens'}", "", "belong to \"brackets\"", "");
	expect_refused_price("{'price': '1', 'per': 1, 'counter': {'scope': 'rule'}}", ".counter", "nothing is counted", "");
}

static void
brackets_begin_at_nothing_and_rise(void)
{
	expect_refused_price("{'per': 1, 'brackets': []}", ".brackets", "a list of 1 to 32", "");
	expect_refused_price("{'per': 1, 'brackets': {}}", ".brackets", "a list of 1 to 32", "");
	expect_refused_price("{'per': 1, 'brackets': [5]}", ".brackets[0]", "a bracket is a JSON object", "");
	expect_refused_price("{'per': 1, 'brackets': [{'over': 1, 'price': '1'}]}", ".brackets[0]", "has no boundary", "");
	expect_refused_price(
	    "{'per': 1, 'brackets': [{'price': '1'}, {'price': '2'}]}", ".brackets[1]", "either \"over\" or \"from\"", "");
	expect_refused_price("{'per': 1, 'brackets': [{'price': '1'}, {'over': 5, 'from': 6, 'price': '2'}]}", ".brackets[1]",
	    "either \"over\" or \"from\"", "");
	expect_refused_price(
	    "{'per': 1, 'brackets': [{'price': '1'}, {'over': 0, 'price': '2'}]}", ".brackets[1].over", "whole number", "");
	expect_refused_price(
	    "{'per': 1, 'brackets': [{'price': '1'}, {'from': '5', 'price': '2'}]}", ".brackets[1].from", "whole number", "");
	expect_refused_price("{'per': 1, 'brackets': [{'price': '1'}, {'over': 5, 'price': '2'}, {'from': 6, 'price': '3'}]}",
	    ".brackets[2]", "must rise", "");
	expect_refused_price(
	    "{'per': 1, 'brackets': [{'price': '1'}, {'over': 5}]}", ".brackets[1].price", "\"price\" is missing", "");
	expect_refused_price("{'brackets': [{'price': '1'}]}", ".brackets[0].per", "\"per\" is missing", "");
}

static void
brackets_are_about_a_size_of_the_request_or_about_places(void)
{
	expect_refused_price(
	    "{'per': 1, 'subject': 'inputs', 'brackets': [{'price': '1'}]}", ".subject", "no such \"subject\"", "\"input\"");
	expect_refused_price(
	    "{'per': 1, 'split': 'token', 'brackets': [{'price': '1'}]}", ".split", "\"request\" (the whole", "");
	expect_refused_price(
	    "{'per': 1, 'split': 'tokens', 'brackets': [{'price': '1'}]}", "", "only tokens of input and output", "");
	expect_refused(RULES(PRICED("output_text_tokens",
			   "{'per': 1, 'split': 'tokens', 'subject': 'output', 'brackets': [{'price': '1'}]}")),
	    "rules[0].prices.output_text_tokens.subject", "\"output\"", "there is no \"subject\"", "");
	price_book_free(book_of(
	    RULES(PRICED("requests", "{'per': 1, 'split': 'request', 'subject': 'output', 'brackets': [{'price': '1'}]}"))));
}

static void
times_name_windows_of_the_book(void)
{
#define WINDOW "'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}}, "
	expect_refused_price("{'price': '1', 'per': 1, 'times': []}", ".times", "a list of 1 to 16", "");
	expect_refused_price("{'price': '1', 'per': 1, 'times': [5]}", ".times[0]", "is a JSON object", "");
	expect_refused_price("{'price': '1', 'per': 1, 'times': [{'factor': '1'}]}", ".times[0].window", "", "");
	expect_refused(BOOK(WINDOW "'rules': [" PRICED(
			   "requests", "{'price': '1', 'per': 1, 'times': [{'window': 'nigth', 'factor': '1'}]}") "]"),
	    "rules[0].prices.requests.times[0].window", "\"nigth\"", "no window of that name", "\"night\"");
	expect_refused(BOOK(WINDOW "'rules': [" PRICED("requests",
			   "{'price': '1', 'per': 1, 'times': [{'window': 'night', 'factor': '1', 'price': '1'}]}") "]"),
	    "rules[0].prices.requests.times[0]", "{\"window\":\"night\",\"factor\":\"1\",\"price\":\"1\"}",
	    "either a factor or a price", "");
	expect_refused(
	    BOOK(WINDOW "'rules': [" PRICED("requests", "{'price': '1', 'per': 1, 'times': [{'window': 'night'}]}") "]"),
	    "rules[0].prices.requests.times[0].price", "{\"window\":\"night\"}", "\"price\" is missing", "");
	expect_refused(BOOK(WINDOW "'rules': [" PRICED("requests",
			   "{'price': '1', 'per': 1, 'times': [{'window': 'night', 'price': '1', 'times': []}]}") "]"),
	    "rules[0].prices.requests.times[0].times", "[]", "no such key", "");
}

static void
a_counter_has_a_scope_and_a_reset_that_exist(void)
{
#define COUNTED(counter) "{'tiers': 'volume', 'per': 1, 'steps': [{'price': '1'}], 'counter': " counter "}"
	expect_refused_price(COUNTED("'rule'"), ".counter", "is a JSON object", "");
	expect_refused_price(
	    COUNTED("{'scope': 'tenant'}"), ".counter.scope", "no such \"scope\"", "rule, model, group, contract");
	expect_refused_price(COUNTED("{'reset': 'day'}"), ".counter.reset", "no such \"reset\"", "");
	expect_refused_price(COUNTED("{'scope': 'group'}"), ".counter", "\"group\" names what counts together", "");
	expect_refused_price(COUNTED("{'group': 'g'}"), ".counter", "\"group\" names what counts together", "");
	price_book_free(book_of(RULES(PRICED("requests", COUNTED("{'scope': 'group', 'group': 'g', 'reset': 'never'}")))));
	price_book_free(book_of(RULES(PRICED("requests", "{'price': '1', 'package': 5, 'counter': {'reset': 'year'}}"))));
}

/* --- extending ------------------------------------------------------------------------------- */

enum { KEPT_MAX = 8 };

/* Books that others extend, by name. */
struct kept {
	struct price_book *book[KEPT_MAX];
	size_t count;
};

static const struct price_book *
find_kept(void *context, const char *name, int version, struct error *err)
{
	struct kept *kept = context;

	CU_ASSERT_TRUE(version >= 1);
	for (size_t i = 0; i < kept->count; i++)
		if (strcmp(price_book_name(kept->book[i]), name) == 0)
			return kept->book[i];
	error_set(err, ERROR_INPUT, "not kept");
	return NULL;
}

static struct price_book *
keep_book(struct kept *kept, const char *text)
{
	const struct price_book_finder finder = {kept, find_kept};

	CU_ASSERT_FATAL(kept->count < KEPT_MAX);
	return kept->book[kept->count++] = book_version_of(text, 1, &finder);
}

/* What extends ends before what it extends. */
static void
free_kept(struct kept *kept)
{
	while (kept->count > 0)
		price_book_free(kept->book[--kept->count]);
}

#define FROM_2026(name, rest) NAMED(name, "2026-01-01T00:00:00Z", rest)
#define EXTENDS(name) "'extends': {'book': '" name "', 'version': 1}, "

static void
what_a_book_extends_is_named_with_its_version(void)
{
	struct kept kept = {0};
	const struct price_book_finder finder = {&kept, find_kept};
	struct error err;

	expect_refused(BOOK("'extends': 'b'"), "extends", "\"b\"", "must be an object", "");
	expect_refused(BOOK("'extends': {'version': 1}"), "extends.book", "{\"version\":1}", "", "");
	expect_refused(BOOK("'extends': {'book': 'b'}"), "extends.version", "", "the version must be named", "");
	expect_refused(BOOK("'extends': {'book': 'b', 'version': 0}"), "extends.version", "0", "the version must be named", "");
	expect_refused(
	    BOOK("'extends': {'book': 'b', 'version': '1'}"), "extends.version", "\"1\"", "the version must be named", "");
	expect_refused(BOOK("'extends': {'book': 'b', 'version': 1}"), "extends", "{\"book\":\"b\",\"version\":1}",
	    "cannot be extended here", "");
	CU_ASSERT_PTR_NULL(book_version_or_error(BOOK("'extends': {'book': 'b', 'version': 1}"), 0, &finder, &err));
	EXPECT_TEXT(err.message, "not kept");
	EXPECT_TEXT(err.file, "book.json");
	EXPECT_TEXT(err.field, "extends.book");
	EXPECT_TEXT(err.value, "b");
}

static void
a_book_has_the_currency_of_what_it_extends(void)
{
	struct kept kept = {0};
	const struct price_book_finder finder = {&kept, find_kept};
	struct error err;

	keep_book(&kept,
	    "{'tollbook_prices': 1, 'book': 'euros', 'currency': 'EUR', 'effective': '2026-01-01T00:00:00Z', 'rules': [" RULE(
		"'model': 'm'") "]}");
	CU_ASSERT_PTR_NULL(book_version_or_error(BOOK(EXTENDS("euros") "'rules': [" RULE("'model': 'm'") "]"), 0, &finder, &err));
	EXPECT_TEXT(err.field, "extends");
	EXPECT_TEXT(err.message, "euros@1 is in EUR, this book in USD: one book has one currency");
	free_kept(&kept);
}

static void
books_extend_each_other_4_deep_and_no_deeper(void)
{
	struct kept kept = {0};
	const struct price_book_finder finder = {&kept, find_kept};
	const char *rules = "'rules': [" RULE("'model': 'm'") "]}";
	char text[1024];
	struct error err;

	for (int i = 1; i <= 5; i++) {
		snprintf(text, sizeof text,
		    "{'tollbook_prices': 1, 'book': 'b%d', 'currency': 'USD', 'effective': '2026-01-01T00:00:00Z', ", i);
		if (i > 1)
			snprintf(
			    text + strlen(text), sizeof text - strlen(text), "'extends': {'book': 'b%d', 'version': 1}, ", i - 1);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s", rules);
		if (i <= 4)
			keep_book(&kept, text);
	}
	CU_ASSERT_PTR_EQUAL(price_book_base(kept.book[3]), kept.book[2]);
	CU_ASSERT_PTR_NULL(price_book_base(kept.book[0]));
	CU_ASSERT_PTR_NULL(book_version_or_error(text, 0, &finder, &err));
	EXPECT_TEXT(err.message, "books extend each other at most 4 deep");
	free_kept(&kept);
}

/* --- what it says ---------------------------------------------------------------------------- */

static void
a_book_knows_its_head(void)
{
	struct price_book *book =
	    book_of("{'tollbook_prices': 1, 'book': 'public', 'currency': 'EUR', 'effective': '2026-03-01T01:15:00+01:00', "
		    "'source': 'a list', 'note': 'a note', 'rules': [" RULE("'model': 'm'") "]}");
	struct price_book *published = book_version_of(RULES(RULE("'model': 'm'")), 3, NULL);
	char text[INSTANT_TEXT];

	EXPECT_TEXT(price_book_name(book), "public");
	EXPECT_TEXT(price_book_label(book), "public");
	EXPECT_TEXT(price_book_label(published), "test@3");
	EXPECT_TEXT(price_book_currency(book), "EUR");
	EXPECT_TEXT(instant_format(price_book_effective(book), text), "2026-03-01T00:15:00Z");
	CU_ASSERT_EQUAL(price_book_rules(book), 1);
	CU_ASSERT_PTR_NULL(price_book_base(book));
	price_book_free(book);
	price_book_free(published);
}

static const struct tier_step *
price_first_step_of(const struct meter_price *price)
{
	return &price->bracket[0].tiers.step[0];
}

/* The price of a meter of model m; the test ends here where there is none. */
static const struct meter_price *
price_in(const struct price_book *book, int meter, struct arena *arena)
{
	const struct price_subject subject = subject_of("m");
	struct price_choice choice;
	struct price_answer answer;

	price_choose(&book, 1, &subject, arena, &choice);
	answer = price_choice_meter(&choice, meter);
	CU_ASSERT_PTR_NOT_NULL_FATAL(answer.price);
	return answer.price;
}

static void
a_price_of_18_decimals_is_taken_exactly(void)
{
	struct price_book *book = book_of(RULES(PRICED("requests", "{'price': '0.000000000000000001', 'per': 1}")));
	struct arena arena = {0};

	CU_ASSERT_TRUE(price_first_step_of(price_in(book, METER_requests, &arena))->price.e18 == 1);
	arena_release(&arena);
	price_book_free(book);
}

static void
steps_are_kept_in_the_smallest_unit_of_the_meter(void)
{
	/* up_to as text is how some of the first books have it */
	struct price_book *book = book_of(RULES(PRICED("gpu_seconds",
	    "{'tiers': 'graduated', 'per': 'minute', 'steps': [{'up_to': 10, 'price': '3', 'fee': '7'}, {'up_to': '20', "
	    "'package': 5, 'price': '2'}, {'price': "
	    "'1'}]}")));
	struct arena arena = {0};
	const struct meter_price *price = price_in(book, METER_gpu_seconds, &arena);
	const struct tiers *tiers = &price->bracket[0].tiers;

	CU_ASSERT_EQUAL(price->brackets, 1);
	CU_ASSERT_EQUAL(tiers->mode, TIER_GRADUATED);
	CU_ASSERT_EQUAL_FATAL(tiers->steps, 3);
	CU_ASSERT_TRUE(tiers->step[0].up_to == (i128)10 * 1000000000);
	CU_ASSERT_TRUE(tiers->step[1].up_to == (i128)20 * 1000000000);
	CU_ASSERT_TRUE(tiers->step[0].fee.e18 == 7 * decimal_one.e18);
	CU_ASSERT_EQUAL(tiers->step[0].per, 60);
	CU_ASSERT_FALSE(tiers->step[0].in_packages);
	CU_ASSERT_EQUAL(tiers->step[1].per, 5);
	CU_ASSERT_TRUE(tiers->step[1].in_packages);
	CU_ASSERT_EQUAL(price->scope, COUNTER_RULE);
	CU_ASSERT_EQUAL(price->reset, RESET_MONTH);
	arena_release(&arena);
	price_book_free(book);
}

static void
a_package_alone_is_one_counted_step(void)
{
	struct price_book *book = book_of(RULES(PRICED(
	    "requests", "{'package': 1000, 'price': '2', 'counter': {'scope': 'group', 'group': 'g', 'reset': 'quarter'}}")));
	struct arena arena = {0};
	const struct meter_price *price = price_in(book, METER_requests, &arena);

	CU_ASSERT_EQUAL(price->bracket[0].tiers.mode, TIER_GRADUATED);
	CU_ASSERT_EQUAL(price->bracket[0].tiers.steps, 1);
	CU_ASSERT_TRUE(price_first_step_of(price)->in_packages);
	CU_ASSERT_EQUAL(price_first_step_of(price)->per, 1000);
	CU_ASSERT_EQUAL(price->scope, COUNTER_GROUP);
	CU_ASSERT_EQUAL(price->reset, RESET_QUARTER);
	EXPECT_TEXT(price->group, "g");
	arena_release(&arena);
	price_book_free(book);
}

/* "0 200001 500001", and the words, of the brackets of model m's requests or input. */
static const char *
boundaries(const char *meter, const char *more)
{
	static char shown[256];
	struct arena arena = {0};
	char text[1024];
	struct price_book *book;
	const struct meter_price *price;
	size_t used = 0;

	snprintf(text, sizeof text,
	    "{" HEAD ", 'rules': [{'model': 'm', 'prices': {'%s': {'per': 1, 'brackets': [{'price': '1'}, {'over': 200, 'price': "
	    "'2'}, {'from': 500, 'price': '3'}]%s}}}]}",
	    meter, more);
	book = book_of(text);
	price = price_in(book, meter_find(meter, strlen(meter))->id, &arena);
	used += (size_t)snprintf(shown, sizeof shown, "%d:", (int)price->size);
	for (size_t i = 0; i < price->brackets; i++)
		used += (size_t)snprintf(
		    shown + used, sizeof shown - used, " %lld %s", (long long)price->bracket[i].from, price->bracket[i].words);
	arena_release(&arena);
	price_book_free(book);
	return shown;
}

static void
over_is_one_more_than_from(void)
{
	EXPECT_TEXT(boundaries("requests", ""), "0: 0  201 over 200 500 from 500");
	EXPECT_TEXT(boundaries("requests", ", 'subject': 'uncached_input'"), "1: 0  201 over 200 500 from 500");
	EXPECT_TEXT(boundaries("requests", ", 'subject': 'output', 'split': 'request'"), "2: 0  201 over 200 500 from 500");
	/* Places count from 0: 200 tokens are before place 200; the token that is the 500th has place 499. */
	EXPECT_TEXT(boundaries("output_text_tokens", ", 'split': 'tokens'"), "3: 0  200 over 200 499 from 500");
}

static void
a_time_has_a_factor_or_a_price_of_its_own(void)
{
	struct price_book *book = book_of(BOOK(WINDOW "'rules': [" PRICED("requests",
	    "{'price': '3', 'per': 1000, 'times': [{'window': 'night', 'factor': '0.5'}, {'window': 'night', 'price': '2'}, "
	    "{'window': 'night', 'per': 1, 'brackets': [{'price': '4'}, {'over': 5, 'package': 7, 'price': '6'}]}]}") "]"));
	struct arena arena = {0};
	const struct meter_price *price = price_in(book, METER_requests, &arena);

	CU_ASSERT_EQUAL_FATAL(price->times, 3);
	EXPECT_TEXT(time_window_name(price->time[0].window), "night");
	CU_ASSERT_PTR_NULL(price->time[0].price);
	CU_ASSERT_TRUE(price->time[0].factor.e18 * 2 == decimal_one.e18);
	CU_ASSERT_EQUAL(price_first_step_of(price->time[1].price)->per, 1000);
	CU_ASSERT_EQUAL(price_first_step_of(price->time[2].price)->per, 1);
	CU_ASSERT_EQUAL(price->time[2].price->brackets, 2);
	arena_release(&arena);
	price_book_free(book);
}

/* --- choosing -------------------------------------------------------------------------------- */

/* The place of the rule asked first, or "none" or "limit". */
static const char *
chosen_of(const struct price_book *book, const struct price_subject *subject)
{
	static char text[32];
	struct arena arena = {0};
	struct price_choice choice;

	price_choose(&book, 1, subject, &arena, &choice);
	snprintf(text, sizeof text, "%s", choice.outcome == PRICE_NO_RULE ? "none" : "limit");
	if (choice.outcome == PRICE_MATCHED)
		snprintf(text, sizeof text, "%zu", choice.source[0].rule);
	arena_release(&arena);
	return text;
}

static const char *
chosen(const struct price_book *book, const char *model, const char *service_tier, const char *base_model)
{
	struct price_subject subject = subject_of(model);

	subject.field[MATCH_SERVICE_TIER] = service_tier;
	subject.field[MATCH_BASE_MODEL] = base_model;
	return chosen_of(book, &subject);
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
	const struct price_subject subject = subject_of(name);

	EXPECT_TEXT(chosen(book, name, "default", ""), "limit");
	EXPECT_TEXT(chosen(book, "exact", "default", ""), "2");
	EXPECT_TEXT(chosen(book, "b", "default", ""), "1");
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "cannot say: the pattern reaches its limit, usage is held");
	price_book_free(book);
}

static void
a_field_matches_exactly_or_any_that_is_stated(void)
{
#define MATCH_FIELD(name, key) #key,
	static const char *const keys[] = {
#include "rating/match_fields.def"
	};
#undef MATCH_FIELD
	char text[2048];

	for (size_t field = MATCH_SERVICE_TIER + 1; field < MATCH_FIELDS; field++) {
		struct price_subject subject = subject_of("m");
		struct price_book *book;
		char no[64];

		snprintf(text, sizeof text,
		    "{" HEAD ", 'rules': [{'model': 'm', '%s': 'x', %s}, {'model': 'm', '%s': '*', %s}, {'model': 'm', %s}]}",
		    keys[field], PRICES, keys[field], PRICES, PRICES);
		book = book_of(text);
		EXPECT_TEXT(match_field_names[field], keys[field]);
		CU_ASSERT_EQUAL(price_book_fields(book), 1U << field | 1U << MATCH_MODEL | 1U << MATCH_SERVICE_TIER);
		EXPECT_TEXT(chosen_of(book, &subject), "2");
		snprintf(no, sizeof no, "no: another %s", keys[field]);
		EXPECT_TEXT(price_rule_verdict(book, 0, &subject), no);
		EXPECT_TEXT(price_rule_verdict(book, 1, &subject), no);
		subject.field[field] = "x";
		EXPECT_TEXT(chosen_of(book, &subject), "0");
		subject.field[field] = "y";
		EXPECT_TEXT(chosen_of(book, &subject), "1");
		price_book_free(book);
	}
}

static void
a_rule_without_a_model_is_for_a_base_model_or_an_adapter(void)
{
	struct price_book *book = book_of(
	    RULES(RULE("'base_model': 'llama'") AND RULE("'base_model_pattern': 'qwen.*'") AND RULE("'adapter_kind': 'lora'")));
	struct price_subject subject = subject_of("mine");

	EXPECT_TEXT(chosen_of(book, &subject), "none");
	EXPECT_TEXT(chosen(book, "mine", "default", "llama"), "0");
	EXPECT_TEXT(chosen(book, "mine", "default", "qwen3"), "1");
	subject.field[MATCH_ADAPTER_KIND] = "lora";
	EXPECT_TEXT(chosen_of(book, &subject), "2");
	CU_ASSERT_FALSE(price_rule_is_exact(book, 0));
	price_book_free(book);
}

static void
all_tags_of_a_rule_must_be_equal(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'm', 'tags': {'env': 'prod', 'team': 'a'}")
		AND RULE("'model': 'm', 'tags': {'env': 'prod'}") AND RULE("'model': 'm'")));
	struct price_subject subject = subject_of("m");

	EXPECT_TEXT(chosen_of(book, &subject), "2");
	subject.tags = "{\"env\":\"prod\",\"team\":\"a\"}";
	EXPECT_TEXT(chosen_of(book, &subject), "0");
	subject.tags = "{\"env\":\"prod\",\"team\":\"b\"}";
	EXPECT_TEXT(chosen_of(book, &subject), "1");
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: other tags");
	subject.tags = "{\"env\":\"test\"}";
	EXPECT_TEXT(chosen_of(book, &subject), "2");
	subject.tags = "{\"env\":1}";
	EXPECT_TEXT(chosen_of(book, &subject), "2");
	price_book_free(book);
}

static void
an_undecided_pattern_of_a_base_model_holds_too(void)
{
	struct price_book *book =
	    book_of(RULES(RULE("'base_model_pattern': '(a+)+'") AND RULE("'model': 'exact'") AND RULE("'model_pattern': '.*'")));
	const char *name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";

	EXPECT_TEXT(chosen(book, "m", "default", name), "limit");
	EXPECT_TEXT(chosen(book, "exact", "default", name), "1");
	EXPECT_TEXT(chosen(book, "m", "default", ""), "2");
	price_book_free(book);
}

static void
an_undecided_pattern_of_any_layer_holds(void)
{
	struct price_book *deal = book_of(FROM_2026("deal", "'rules': [" RULE("'model': 'x'") "]"));
	struct price_book *book = book_of(RULES(RULE("'model_pattern': '(a+)+'")));
	const struct price_book *layers[] = {deal, book};
	struct price_subject subject = subject_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	struct price_choice choice;
	struct arena arena = {0};

	price_choose(layers, 2, &subject, &arena, &choice);
	CU_ASSERT_EQUAL(choice.outcome, PRICE_PATTERN_LIMIT);
	subject.field[MATCH_MODEL] = "x";
	price_choose(layers, 2, &subject, &arena, &choice);
	CU_ASSERT_EQUAL(choice.outcome, PRICE_MATCHED);
	arena_release(&arena);
	price_book_free(deal);
	price_book_free(book);
}

static void
a_verdict_says_why(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model_pattern': 'a.+'")));
	struct price_subject subject = subject_of("a");

	subject.field[MATCH_BASE_MODEL] = "b";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "matches");
	EXPECT_TEXT(price_rule_verdict(book, 1, &subject), "no: the pattern does not match");
	subject.field[MATCH_BASE_MODEL] = "";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another base model");
	subject.field[MATCH_BASE_MODEL] = "b";
	subject.field[MATCH_SERVICE_TIER] = "batch";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another service tier");
	subject.field[MATCH_MODEL] = "c";
	EXPECT_TEXT(price_rule_verdict(book, 0, &subject), "no: another model");
	price_book_free(book);
}

static void
a_rule_is_described_in_words(void)
{
	struct price_book *book =
	    book_of(RULES(RULE("'model': 'a', 'base_model': 'b'") AND RULE("'model_pattern': 'a.+', 'service_tier': '*'")
		    AND RULE("'adapter_kind': 'lora', 'base_model_pattern': 'b.*', 'region': 'eu', 'tags': {'env': 'prod'}")));
	struct arena arena = {0};

	EXPECT_TEXT(price_rule_describe(book, 0, &arena), "model a, service tier default, base model b");
	EXPECT_TEXT(price_rule_describe(book, 1, &arena), "pattern a.+, service tier any");
	EXPECT_TEXT(price_rule_describe(book, 2, &arena),
	    "any model, service tier default, base model pattern b.*, adapter_kind lora, region eu, tag env prod");
	arena_release(&arena);
	price_book_free(book);
}

static void
a_rule_is_the_same_one_by_its_name_or_else_by_what_it_matches(void)
{
	struct price_book *book = book_of(RULES(RULE("'name': 'n', 'model': 'a'") AND RULE("'model': 'a'")
		AND RULE("'model_pattern': 'a', 'note': 'x'") AND RULE("'model_pattern': 'a', 'service_tier': 'default'")
		    AND RULE("'model_pattern': 'a', 'tags': {'k': 'v'}")));

	EXPECT_TEXT(price_rule_identity(book, 0), "n");
	CU_ASSERT_STRING_NOT_EQUAL(price_rule_identity(book, 1), price_rule_identity(book, 2));
	EXPECT_TEXT(price_rule_identity(book, 2), price_rule_identity(book, 3));
	CU_ASSERT_STRING_NOT_EQUAL(price_rule_identity(book, 2), price_rule_identity(book, 4));
	price_book_free(book);
}

/* --- which price ----------------------------------------------------------------------------- */

/* "3 as output_text_tokens (standard x 0.9)", the price after all adjustments, or "none", "no rule" or "limit"; "free" where nothing but
 * `free` has it. */
static const char *
answer_of(const struct price_book *const *layers, size_t count, const struct price_subject *subject, int meter)
{
	static char text[512];
	struct arena arena = {0};
	struct price_choice choice;
	struct price_answer answer;
	struct decimal price;
	char number[DECIMAL_TEXT];
	struct error err;
	size_t used;

	price_choose(layers, count, subject, &arena, &choice);
	answer = price_choice_meter(&choice, meter);
	snprintf(text, sizeof text, "%s",
	    choice.outcome == PRICE_NO_RULE             ? "no rule"
		: choice.outcome == PRICE_PATTERN_LIMIT ? "limit"
							: "none");
	if (choice.outcome == PRICE_MATCHED && answer.price != NULL && answer.source == NULL)
		snprintf(text, sizeof text, "free");
	if (choice.outcome == PRICE_MATCHED && answer.source != NULL) {
		const struct tier_step *step = price_first_step_of(answer.price);

		CU_ASSERT_TRUE(
		    price_effective(answer.source, answer.priced_as, step->price, step->per, decimal_one, &price, &err));
		used = (size_t)snprintf(text, sizeof text, "%s", decimal_format(price, number));
		if (answer.priced_as != meter)
			used += (size_t)snprintf(text + used, sizeof text - used, " as %s", meter_of(answer.priced_as)->name);
		for (size_t i = 0; i < answer.source->adjustments; i++)
			used += (size_t)snprintf(
			    text + used, sizeof text - used, "%s%s", i == 0 ? " (" : "; ", answer.source->adjustment[i].words);
		if (answer.source->adjustments > 0)
			snprintf(text + used, sizeof text - used, ")");
	}
	arena_release(&arena);
	return text;
}

static const char *
price_text(const struct price_book *book, const char *model, int meter)
{
	const struct price_subject subject = subject_of(model);

	return answer_of(&book, 1, &subject, meter);
}

static void
a_meter_without_a_price_has_none(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'm'")));

	EXPECT_TEXT(price_text(book, "m", METER_output_text_tokens), "4");
	EXPECT_TEXT(price_text(book, "m", METER_input_text_cache_read_tokens), "none");
	EXPECT_TEXT(price_text(book, "m", METER_requests), "none");
	EXPECT_TEXT(price_text(book, "n", METER_requests), "no rule");
	price_book_free(book);
}

static void
a_fallback_is_followed_to_the_first_price(void)
{
	struct price_book *book = book_of(
	    BOOK("'fallback': {'output_citation_tokens': 'output_text_tokens', 'output_reasoning_tokens': 'output_text_tokens', "
		 "'output_rejected_prediction_tokens': 'output_reasoning_tokens'}, 'rules': [" PRICED(
		     "output_text_tokens", "{'price': '4', 'per': 1000000}") ", " RULE("'model': 'n'") "]"));

	EXPECT_TEXT(price_text(book, "m", METER_output_reasoning_tokens), "4 as output_text_tokens");
	EXPECT_TEXT(price_text(book, "m", METER_output_rejected_prediction_tokens), "4 as output_text_tokens");
	/* a price of its own comes first, and ends the way there */
	EXPECT_TEXT(price_text(book, "n", METER_output_reasoning_tokens), "4");
	EXPECT_TEXT(price_text(book, "n", METER_output_rejected_prediction_tokens), "4 as output_reasoning_tokens");
	EXPECT_TEXT(price_text(book, "m", METER_input_text_uncached_tokens), "none");
	price_book_free(book);
}

static void
a_fallback_goes_over_4_meters_and_no_more(void)
{
	struct price_book *book =
	    book_of(BOOK("'fallback': {'images': 'pages', 'pages': 'characters', 'characters': 'requests', "
			 "'requests': 'tool_calls'}, 'rules': [" PRICED("tool_calls", "{'price': '1', 'per': 1}") "]"));

	EXPECT_TEXT(price_text(book, "m", METER_images), "1 as tool_calls");
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
a_rule_may_fall_back_elsewhere_than_its_book(void)
{
	struct price_book *book =
	    book_of(BOOK("'fallback': {'input_text_cache_read_tokens': 'input_text_uncached_tokens'}, 'rules': [" RULE(
		"'model': 'm'") ", {'model': 'n', 'fallback': {'input_text_cache_read_tokens': 'output_text_tokens'}, " PRICES
				"}]"));

	EXPECT_TEXT(price_text(book, "m", METER_input_text_cache_read_tokens), "1 as input_text_uncached_tokens");
	EXPECT_TEXT(price_text(book, "n", METER_input_text_cache_read_tokens), "4 as output_text_tokens");
	price_book_free(book);
}

static void
a_free_meter_costs_nothing_where_no_rule_prices_it(void)
{
	struct price_book *book = book_of(BOOK(
	    "'free': ['requests'], 'rules': [" RULE("'model': 'n'") ", " PRICED("requests", "{'price': '2', 'per': 1000}") "]"));

	EXPECT_TEXT(price_text(book, "n", METER_requests), "free");
	EXPECT_TEXT(price_text(book, "m", METER_requests), "2");
	EXPECT_TEXT(price_text(book, "n", METER_tool_calls), "none");
	EXPECT_TEXT(price_text(book, "x", METER_requests), "no rule");
	price_book_free(book);
}

/* --- layers ---------------------------------------------------------------------------------- */

static const char *
price_over(const struct price_book *first, const struct price_book *second, const char *model, int meter)
{
	const struct price_subject subject = subject_of(model);
	const struct price_book *layers[] = {first, second};

	return answer_of(layers, 2, &subject, meter);
}

static void
each_meter_has_the_price_of_the_first_layer_that_has_one(void)
{
	struct kept kept = {0};
	const struct price_book *standard, *book, *deal;

	standard = keep_book(&kept,
	    FROM_2026("standard",
		"'free': ['images'], 'rules': [{'model_pattern': '.*', 'prices': {'requests': " EACH("1") ", 'tool_calls': " EACH(
		    "2") ", 'pages': " EACH("3") "}}]"));
	book = keep_book(&kept,
	    BOOK("'extends': {'book': 'standard', 'version': 1, 'factor': '0.9'}, 'rules': [{'model': 'm', 'prices': "
		 "{'requests': " EACH("10") ", 'tool_calls': " EACH("20") "}}]"));
	deal = keep_book(&kept, FROM_2026("deal", "'rules': [" REQUESTS("'model': 'm'", EACH("100")) "]"));
	EXPECT_TEXT(price_over(deal, book, "m", METER_requests), "100");
	EXPECT_TEXT(price_over(deal, book, "m", METER_tool_calls), "20");
	EXPECT_TEXT(price_over(deal, book, "m", METER_pages), "2.7 (standard@1 x 0.9)");
	EXPECT_TEXT(price_over(deal, book, "m", METER_images), "free");
	EXPECT_TEXT(price_over(deal, book, "m", METER_characters), "none");
	EXPECT_TEXT(price_over(deal, book, "x", METER_requests), "0.9 (standard@1 x 0.9)");
	EXPECT_TEXT(price_over(standard, deal, "m", METER_requests), "1");
	free_kept(&kept);
}

static void
a_fallback_is_followed_after_all_layers_were_asked(void)
{
	struct kept kept = {0};
	const struct price_book *book, *deal;

	keep_book(&kept,
	    FROM_2026("standard",
		"'fallback': {'images': 'pages'}, 'rules': [{'model_pattern': '.*', 'prices': {'output_reasoning_tokens': " EACH(
		    "1") ", 'pages': " EACH("3") "}}]"));
	book = keep_book(&kept, BOOK(EXTENDS("standard") "'rules': [" RULE("'model': 'x'") "]"));
	deal = keep_book(&kept,
	    FROM_2026("deal",
		"'fallback': {'output_reasoning_tokens': 'output_text_tokens'}, 'rules': [{'model': 'm', 'prices': "
		"{'output_text_tokens': " EACH("5") "}}]"));
	/* the base's own price before the deal's fallback */
	EXPECT_TEXT(price_over(deal, book, "m", METER_output_reasoning_tokens), "1 (standard@1)");
	EXPECT_TEXT(price_over(deal, book, "m", METER_images), "3 as pages (standard@1)");
	free_kept(&kept);
}

static void
factors_of_a_chain_of_books_are_multiplied(void)
{
	struct kept kept = {0};
	const struct price_book *book;

	keep_book(&kept, FROM_2026("a", "'rules': [" REQUESTS("'model': 'm'", EACH("100")) "]"));
	keep_book(&kept,
	    FROM_2026("b",
		"'extends': {'book': 'a', 'version': 1, 'factor': '0.5'}, 'rules': [" REQUESTS("'model': 'n'", EACH("10")) "]"));
	book = keep_book(&kept,
	    FROM_2026("c",
		"'extends': {'book': 'b', 'version': 1, 'factor': '0.9'}, 'rules': [" REQUESTS("'model': 'o'", EACH("1")) "]"));
	EXPECT_TEXT(price_text(book, "m", METER_requests), "45 (b@1 x 0.9; a@1 x 0.5)");
	EXPECT_TEXT(price_text(book, "n", METER_requests), "9 (b@1 x 0.9)");
	EXPECT_TEXT(price_text(book, "o", METER_requests), "1");
	free_kept(&kept);
}

static void
windows_of_an_extended_book_can_be_named(void)
{
	struct kept kept = {0};
	const struct price_book *book;
	struct arena arena = {0};

	keep_book(&kept, FROM_2026("a", WINDOW "'rules': [" REQUESTS("'model': 'n'", EACH("1")) "]"));
	book = keep_book(&kept,
	    FROM_2026("b",
		EXTENDS("a") "'rules': [" REQUESTS(
		    "'model': 'm'", "{'price': '1', 'per': 1, 'times': [{'window': 'night', 'factor': '2'}]}") "]"));
	EXPECT_TEXT(time_window_name(price_in(book, METER_requests, &arena)->time[0].window), "night");
	arena_release(&arena);
	free_kept(&kept);
}

/* --- aliases --------------------------------------------------------------------------------- */

static void
an_alias_is_exact_before_the_longest_prefix(void)
{
	struct price_book *book = book_of(BOOK(
	    "'aliases': {'gpt-4*': 'wide', 'gpt-4o*': 'long', 'gpt-4o-2024': 'exact', 'exact': 'chained', 'z*': 'm', 'a': 'm'}, "
	    "'rules': [" REQUESTS("'model': 'exact'", EACH("1")) "," REQUESTS("'model': 'long'", EACH("2")) "," REQUESTS(
		"'model': 'wide'", EACH("3")) "," REQUESTS("'model': 'chained'", EACH("4")) "]"));

	EXPECT_TEXT(price_book_alias(book, "gpt-4o-2024"), "exact");
	EXPECT_TEXT(price_book_alias(book, "gpt-4o-2024-08"), "long");
	EXPECT_TEXT(price_book_alias(book, "gpt-4o"), "long");
	EXPECT_TEXT(price_book_alias(book, "gpt-4"), "wide");
	EXPECT_TEXT(price_book_alias(book, "gpt-3"), "gpt-3");
	/* one step, never chained */
	EXPECT_TEXT(price_text(book, "gpt-4o-2024", METER_requests), "1");
	EXPECT_TEXT(price_text(book, "exact", METER_requests), "4");
	EXPECT_TEXT(price_text(book, "gpt-4-turbo", METER_requests), "3");
	EXPECT_TEXT(price_text(book, "gpt-3", METER_requests), "no rule");
	price_book_free(book);
}

static void
an_alias_holds_in_the_books_of_its_layer_alone(void)
{
	struct kept kept = {0};
	const struct price_book *book, *deal;

	keep_book(&kept,
	    FROM_2026(
		"standard", "'aliases': {'new': 'old', 'both': 'base'}, 'rules': [" REQUESTS("'model': 'old'", EACH("1")) "]"));
	book = keep_book(
	    &kept, BOOK(EXTENDS("standard") "'aliases': {'both': 'old'}, 'rules': [" REQUESTS("'model': 'x'", EACH("2")) "]"));
	deal = keep_book(&kept, FROM_2026("deal", "'rules': [" REQUESTS("'model': 'old'", EACH("3")) "]"));
	EXPECT_TEXT(price_text(book, "new", METER_requests), "1 (standard@1)");
	/* the book's own alias before that of what it extends */
	EXPECT_TEXT(price_text(book, "both", METER_requests), "1 (standard@1)");
	/* an override has not heard of them */
	EXPECT_TEXT(price_over(deal, book, "new", METER_requests), "1 (standard@1)");
	EXPECT_TEXT(price_over(deal, book, "old", METER_requests), "3");
	free_kept(&kept);
}

/* --- service tiers --------------------------------------------------------------------------- */

static const char *
price_in_tier(const struct price_book *book, const char *tier, int meter)
{
	struct price_subject subject = subject_of("m");

	subject.field[MATCH_SERVICE_TIER] = tier;
	return answer_of(&book, 1, &subject, meter);
}

static void
a_service_tier_takes_what_it_has_no_price_for_from_another(void)
{
	struct price_book *book =
	    book_of(BOOK("'service_tiers': {'batch': {'inherit': 'default', 'factor': '0.5'}, 'night': {'inherit': 'batch', "
			 "'factor': '0.5'}}, "
			 "'rules': [{'model': 'm', 'prices': {'requests': " EACH("8") ", 'images': " EACH(
			     "4") "}}, "
				  "{'model': 'm', 'service_tier': 'batch', 'prices': {'images': " EACH("3") "}}]"));

	EXPECT_TEXT(price_in_tier(book, "default", METER_requests), "8");
	EXPECT_TEXT(price_in_tier(book, "batch", METER_images), "3");
	EXPECT_TEXT(price_in_tier(book, "batch", METER_requests), "4 (service tier default x 0.5)");
	EXPECT_TEXT(price_in_tier(book, "night", METER_images), "1.5 (service tier batch x 0.5)");
	EXPECT_TEXT(price_in_tier(book, "night", METER_requests), "2 (service tier batch x 0.5; service tier default x 0.5)");
	EXPECT_TEXT(price_in_tier(book, "flex", METER_requests), "no rule");
	price_book_free(book);
}

static void
service_tiers_that_inherit_in_a_circle_end(void)
{
	struct price_book *book =
	    book_of(BOOK("'service_tiers': {'a': {'inherit': 'b'}, 'b': {'inherit': 'a'}}, 'rules': [" REQUESTS(
		"'model': 'm', 'service_tier': 'b'", EACH("8")) "]"));

	EXPECT_TEXT(price_in_tier(book, "a", METER_requests), "8 (service tier b)");
	EXPECT_TEXT(price_in_tier(book, "b", METER_requests), "8");
	EXPECT_TEXT(price_in_tier(book, "a", METER_images), "none");
	price_book_free(book);
}

/* --- inheriting ------------------------------------------------------------------------------ */

static const char *
price_of_adapter(const struct price_book *book, const char *base, const char *tier, int meter)
{
	struct price_subject subject = subject_of("mine");

	subject.field[MATCH_BASE_MODEL] = base;
	subject.field[MATCH_ADAPTER_KIND] = "lora";
	subject.field[MATCH_SERVICE_TIER] = tier;
	return answer_of(&book, 1, &subject, meter);
}

static void
an_adapter_costs_what_its_base_model_costs(void)
{
	struct price_book *book = book_of(RULES(
	    "{'adapter_kind': 'lora', 'inherit': {'from': 'base_model', 'factor': '1.2', 'plus': {'requests': {'price': '100', "
	    "'per': 1000}}}, 'prices': {'images': " EACH("7") "}}" AND "{'model': 'llama', 'prices': {'requests': " EACH(
		"10") ", 'images': " EACH("1") ", 'pages': " EACH("2") "}}"));

	EXPECT_TEXT(price_of_adapter(book, "llama", "default", METER_requests), "12.1 (base model llama x 1.2)");
	EXPECT_TEXT(price_of_adapter(book, "llama", "default", METER_pages), "2.4 (base model llama x 1.2)");
	/* its own price first */
	EXPECT_TEXT(price_of_adapter(book, "llama", "default", METER_images), "7");
	EXPECT_TEXT(price_of_adapter(book, "qwen", "default", METER_requests), "none");
	EXPECT_TEXT(price_of_adapter(book, "", "default", METER_requests), "none");
	price_book_free(book);
}

static void
a_base_model_is_priced_as_if_asked_for_without_adapter_in_any_layer(void)
{
	struct kept kept = {0};
	const struct price_book *book;

	keep_book(&kept,
	    FROM_2026("standard",
		"'aliases': {'llama-3': 'llama'}, 'service_tiers': {'batch': {'inherit': 'default', 'factor': '0.5'}}, 'rules': "
		"[" REQUESTS("'model': 'llama', 'adapter_kind': '*'", EACH("99")) "," REQUESTS(
		    "'model': 'llama'", EACH("10")) "]"));
	book = keep_book(&kept,
	    BOOK(EXTENDS("standard") "'rules': [{'adapter_kind': 'lora', 'service_tier': '*', 'inherit': {'from': 'base_model', "
				     "'factor': '2'}}]"));
	EXPECT_TEXT(price_of_adapter(book, "llama", "default", METER_requests), "20 (base model llama x 2; standard@1)");
	EXPECT_TEXT(price_of_adapter(book, "llama-3", "default", METER_requests), "20 (base model llama-3 x 2; standard@1)");
	EXPECT_TEXT(price_of_adapter(book, "llama", "batch", METER_requests),
	    "10 (base model llama x 2; standard@1; service tier default x 0.5)");
	free_kept(&kept);
}

static void
the_factor_of_an_extended_book_applies_once_where_its_rule_inherits(void)
{
	struct kept kept = {0};
	const struct price_book *book, *own;

	keep_book(&kept,
	    FROM_2026("standard",
		"'rules': [{'adapter_kind': 'lora', 'inherit': {'from': 'base_model', 'factor': '2'}}" AND
		"{'adapter_kind': 'dora', 'inherit': {'from': {'rule': 'r'}}}" AND REQUESTS(
		    "'name': 'r', 'model': 'llama'", EACH("10")) "]"));
	book = keep_book(&kept,
	    FROM_2026("book",
		"'extends': {'book': 'standard', 'version': 1, 'factor': '0.9'}, 'rules': [" REQUESTS(
		    "'model': 'x'", EACH("1")) "]"));
	own = keep_book(&kept,
	    FROM_2026("own",
		"'extends': {'book': 'standard', 'version': 1, 'factor': '0.9'}, 'rules': [" REQUESTS(
		    "'model': 'llama'", EACH("8")) "]"));
	EXPECT_TEXT(price_of_adapter(book, "llama", "default", METER_requests), "18 (base model llama x 2; standard@1 x 0.9)");
	/* a price of the book itself has no part in what it extends */
	EXPECT_TEXT(price_of_adapter(own, "llama", "default", METER_requests), "16 (base model llama x 2)");
	{
		struct price_subject subject = subject_of("mine");

		subject.field[MATCH_ADAPTER_KIND] = "dora";
		EXPECT_TEXT(answer_of(&book, 1, &subject, METER_requests), "9 (rule r; standard@1 x 0.9)");
	}
	free_kept(&kept);
}

static void
a_rule_inherits_from_a_model_or_a_rule_by_name(void)
{
	struct price_book *book = book_of(
	    RULES("{'model': 'a', 'inherit': {'from': {'model': 'c'}, 'factor': '2'}}" AND
		  "{'model': 'b', 'inherit': {'from': {'rule': 'named'}, 'plus': {'requests': {'price': '-1', 'per': 1}}}}" AND
		  "{'name': 'named', 'model': 'c', 'region': 'eu', 'prices': {'requests': " EACH("5") "}}" AND REQUESTS(
		      "'model': 'c'", EACH("3")) AND "{'model': 'd', 'inherit': {'from': {'rule': 'missing'}}}"));

	EXPECT_TEXT(price_text(book, "a", METER_requests), "6 (model c x 2)");
	/* a rule by its name, whatever it matches */
	EXPECT_TEXT(price_text(book, "b", METER_requests), "4 (rule named)");
	EXPECT_TEXT(price_text(book, "d", METER_requests), "none");
	price_book_free(book);
}

static void
a_rule_that_inherits_its_own_name_takes_it_from_the_layers_below(void)
{
	struct kept kept = {0};
	const struct price_book *book = NULL;
	char text[1024];

	keep_book(&kept, FROM_2026("b0", "'rules': [" REQUESTS("'name': 'r', 'model': 'm'", EACH("1000")) "]"));
	for (int i = 1; i < 4; i++) {
		snprintf(text, sizeof text,
		    "{'tollbook_prices': 1, 'book': 'b%d', 'currency': 'USD', 'effective': '2026-01-01T00:00:00Z', 'extends': "
		    "{'book': 'b%d', 'version': 1, "
		    "'factor': '0.5'}, 'rules': [{'name': 'r', 'model': 'm', 'inherit': {'from': {'rule': 'r'}, 'factor': "
		    "'0.8'}}]}",
		    i, i - 1);
		book = keep_book(&kept, text);
	}
	/* 1000 x 0.8 three times and, over three books, x 0.5 three times */
	EXPECT_TEXT(price_text(book, "m", METER_requests),
	    "64 (rule r x 0.8; rule r x 0.8; rule r x 0.8; b2@1 x 0.5; b1@1 x 0.5; b0@1 x 0.5)");
	EXPECT_TEXT(price_over(kept.book[1], book, "m", METER_requests), "400 (rule r x 0.8; b0@1 x 0.5)");
	free_kept(&kept);
}

static void
inheriting_in_a_circle_ends_without_a_price(void)
{
	struct price_book *book =
	    book_of(RULES("{'name': 'a', 'model': 'a', 'inherit': {'from': {'model': 'b'}}}" AND
			  "{'name': 'b', 'model': 'b', 'inherit': {'from': {'model': 'a'}}, 'prices': {'images': " EACH(
			      "1") "}}" AND "{'name': 'c', 'model': 'c', 'inherit': {'from': {'rule': 'c'}}}"));

	EXPECT_TEXT(price_text(book, "a", METER_requests), "none");
	EXPECT_TEXT(price_text(book, "a", METER_images), "1 (model b)");
	EXPECT_TEXT(price_text(book, "c", METER_requests), "none");
	price_book_free(book);
}

static void
prices_are_inherited_over_4_rules_and_no_more(void)
{
	struct price_book *book = book_of(
	    RULES(REQUESTS("'model': 'a'", EACH("1")) AND "{'model': 'b', 'inherit': {'from': {'model': 'a'}, 'factor': '2'}}" AND
							  "{'model': 'c', 'inherit': {'from': {'model': 'b'}, 'factor': '2'}}" AND
							  "{'model': 'd', 'inherit': {'from': {'model': 'c'}, 'factor': '2'}}" AND
							  "{'model': 'e', 'inherit': {'from': {'model': 'd'}, 'factor': '2'}}" AND
							  "{'model': 'f', 'inherit': {'from': {'model': 'e'}, 'factor': '2'}}"));

	EXPECT_TEXT(price_text(book, "e", METER_requests), "16 (model d x 2; model c x 2; model b x 2; model a x 2)");
	EXPECT_TEXT(price_text(book, "f", METER_requests), "none");
	price_book_free(book);
}

/* --- arithmetic ------------------------------------------------------------------------------ */

static struct decimal
number_of(const char *text)
{
	struct decimal number = {0};
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_parse(text, strlen(text), &number, &err));
	return number;
}

/* The price with the source's adjustments, innermost last in the list. */
static const char *
effective(const struct price_source *source, const char *price, int64_t per, const char *time)
{
	static char text[DECIMAL_TEXT];
	struct decimal out;
	struct error err;

	CU_ASSERT_TRUE_FATAL(price_effective(source, METER_requests, number_of(price), per, number_of(time), &out, &err));
	return decimal_format(out, text);
}

static void
each_factor_is_rounded_half_to_even_innermost_first(void)
{
	struct price_source source = {.adjustments = 2, .adjustment = {{.factor = {0}}, {.factor = {0}}}};

	/* the time comes first: 3 units of the 18th decimal, halved: 1.5 is 2; halved: 1; tripled: 3 */
	source.adjustment[0].factor = number_of("3");
	source.adjustment[1].factor = number_of("0.5");
	EXPECT_TEXT(effective(&source, "0.000000000000000003", 1, "0.5"), "0.000000000000000003");
	/* the other way round 3 x 3 = 9, halved to 4 */
	source.adjustment[0].factor = number_of("0.5");
	source.adjustment[1].factor = number_of("3");
	EXPECT_TEXT(effective(&source, "0.000000000000000003", 1, "1"), "0.000000000000000004");
	EXPECT_TEXT(effective(NULL, "0.000000000000000005", 1, "0.5"), "0.000000000000000002");
}

static void
a_delta_is_added_behind_the_factor_of_its_own_step(void)
{
	struct price_book *book = book_of(RULES(REQUESTS("'model': 'c'", EACH("10")) AND
	    "{'model': 'b', 'inherit': {'from': {'model': 'c'}, 'factor': '2', 'plus': {'requests': {'price': '1', 'per': "
	    "1}}}}" AND "{'model': 'a', 'inherit': {'from': {'model': 'b'}, 'factor': '3', 'plus': {'requests': {'price': "
	    "'2000', 'per': 1000}, 'images': {'price': '1', 'per': 1}}}}"));

	EXPECT_TEXT(price_text(book, "b", METER_requests), "21 (model c x 2)");
	EXPECT_TEXT(price_text(book, "a", METER_requests), "65 (model b x 3; model c x 2)");
	price_book_free(book);
}

static void
factors_apply_to_fees_and_deltas_do_not(void)
{
	struct price_book *book =
	    book_of(RULES(REQUESTS("'model': 'c'", EACH("10")) AND "{'model': 'b', 'inherit': {'from': {'model': 'c'}, 'factor': "
								   "'2', 'plus': {'requests': {'price': '1', 'per': 1}}}}"));
	const struct price_subject subject = subject_of("b");
	const struct price_book *layer = book;
	struct arena arena = {0};
	struct price_choice choice;
	struct decimal fee;
	struct error err;

	price_choose(&layer, 1, &subject, &arena, &choice);
	CU_ASSERT_TRUE(price_effective_fee(
	    price_choice_meter(&choice, METER_requests).source, number_of("7"), number_of("0.5"), &fee, &err));
	CU_ASSERT_TRUE(fee.e18 == 7 * decimal_one.e18);
	CU_ASSERT_TRUE(price_effective_fee(NULL, number_of("7"), number_of("0.5"), &fee, &err));
	CU_ASSERT_TRUE(fee.e18 * 2 == 7 * decimal_one.e18);
	arena_release(&arena);
	price_book_free(book);
}

/* --- what requests are told apart by --------------------------------------------------------- */

static bool
write_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	(void)err;
	text_add_format(context, "%s%s %lld%s%s", ((struct text *)context)->length > 0 ? "; " : "", kind, (long long)boundary,
	    name[0] != '\0' ? " " : "", name);
	return true;
}

static void
a_book_tells_what_it_tells_requests_apart_by(void)
{
	struct kept kept = {0};
	struct text told = {0};
	struct error err;
	const struct price_book *book;

	keep_book(&kept,
	    FROM_2026(
		"standard", "'rules': [{'model': 'm', 'engine': 'vllm', 'tags': {'env': 'prod', 'team': '*'}, " PRICES "}]"));
	book = keep_book(&kept,
	    BOOK(WINDOW EXTENDS("standard") "'rules': [" PRICED("output_text_tokens",
		"{'per': 1, 'brackets': [{'price': '1'}, {'over': 200, 'price': '2'}, {'from': 300, 'price': '3'}], 'times': "
		"[{'window': 'night', 'per': 1, 'split': 'tokens', "
		"'brackets': [{'price': '1'}, {'over': 200, 'price': '2'}]}]}") "," PRICED("images",
		"{'per': 1, 'subject': 'output', 'brackets': [{'price': '1'}, {'over': 7, 'price': '2'}]}") "," PRICED("images",
		"{'per': 1, 'subject': 'uncached_input', 'brackets': [{'price': '1'}, {'over': 8, 'price': '2'}]}") "]"));
	CU_ASSERT_TRUE(price_book_distinctions(book, write_distinction, &told, &err));
	EXPECT_TEXT(
	    text_string(&told), "input 201; input 300; part 200; output 8; uncached_input 9; engine 0; tag 0 env; tag 0 team");
	text_release(&told);
	free_kept(&kept);
}

static bool
refuse_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	(void)context;
	(void)boundary;
	(void)name;
	return error_set(err, ERROR_STATE, "no room for %s", kind);
}

static void
what_cannot_be_told_is_an_error(void)
{
	struct price_book *book = book_of(RULES(RULE("'model': 'm', 'engine': '*'")));
	struct error err = {0};

	CU_ASSERT_FALSE(price_book_distinctions(book, refuse_distinction, NULL, &err));
	EXPECT_TEXT(err.message, "no room for engine");
	price_book_free(book);
}

UNIT_TESTS("rating/price_book", TEST(what_is_no_json_object_is_refused), TEST(a_key_twice_is_refused),
    TEST(an_unknown_key_is_refused_with_the_nearest_one), TEST(an_unknown_meter_is_refused_with_the_nearest_one),
    TEST(the_head_of_a_book_must_be_complete), TEST(prices_change_on_a_quarter_of_an_hour),
    TEST(a_rule_names_either_a_model_or_a_pattern), TEST(a_rule_has_at_least_one_price),
    TEST(a_price_is_decimal_text_and_nothing_else), TEST(a_price_is_for_1_or_1000_or_1000000_units),
    TEST(steps_rise_and_the_last_one_is_open), TEST(an_up_to_of_many_digits_is_not_cut), TEST(tiers_have_1_to_32_steps),
    TEST(a_fallback_that_goes_in_a_circle_is_refused), TEST(a_fallback_between_units_is_refused),
    TEST(a_book_has_10000_rules_and_no_more), TEST(a_window_a_tier_and_an_alias_are_objects_of_their_own_kind),
    TEST(a_factor_is_decimal_text_from_0_to_1000), TEST(what_a_rule_inherits_from_is_named), TEST(tags_are_texts_by_name),
    TEST(units_have_names_where_they_are_seconds_or_hours), TEST(packages_have_a_whole_size), TEST(fees_are_prices_of_steps),
    TEST(a_price_says_one_thing), TEST(brackets_begin_at_nothing_and_rise),
    TEST(brackets_are_about_a_size_of_the_request_or_about_places), TEST(times_name_windows_of_the_book),
    TEST(a_counter_has_a_scope_and_a_reset_that_exist), TEST(what_a_book_extends_is_named_with_its_version),
    TEST(a_book_has_the_currency_of_what_it_extends), TEST(books_extend_each_other_4_deep_and_no_deeper),
    TEST(a_book_knows_its_head), TEST(a_price_of_18_decimals_is_taken_exactly),
    TEST(steps_are_kept_in_the_smallest_unit_of_the_meter), TEST(a_package_alone_is_one_counted_step),
    TEST(over_is_one_more_than_from), TEST(a_time_has_a_factor_or_a_price_of_its_own),
    TEST(an_exact_model_comes_before_a_pattern), TEST(rules_are_asked_in_the_order_of_the_file),
    TEST(names_are_compared_byte_by_byte), TEST(a_rule_without_a_tier_of_service_is_for_the_default_only),
    TEST(an_exact_model_of_another_tier_leaves_the_patterns_to_be_asked),
    TEST(a_pattern_that_reaches_its_limit_lets_no_other_rule_price), TEST(a_field_matches_exactly_or_any_that_is_stated),
    TEST(a_rule_without_a_model_is_for_a_base_model_or_an_adapter), TEST(all_tags_of_a_rule_must_be_equal),
    TEST(an_undecided_pattern_of_a_base_model_holds_too), TEST(an_undecided_pattern_of_any_layer_holds), TEST(a_verdict_says_why),
    TEST(a_rule_is_described_in_words), TEST(a_rule_is_the_same_one_by_its_name_or_else_by_what_it_matches),
    TEST(a_meter_without_a_price_has_none), TEST(a_fallback_is_followed_to_the_first_price),
    TEST(a_fallback_goes_over_4_meters_and_no_more), TEST(a_rule_may_fall_back_elsewhere_than_its_book),
    TEST(a_free_meter_costs_nothing_where_no_rule_prices_it), TEST(each_meter_has_the_price_of_the_first_layer_that_has_one),
    TEST(a_fallback_is_followed_after_all_layers_were_asked), TEST(factors_of_a_chain_of_books_are_multiplied),
    TEST(windows_of_an_extended_book_can_be_named), TEST(an_alias_is_exact_before_the_longest_prefix),
    TEST(an_alias_holds_in_the_books_of_its_layer_alone), TEST(a_service_tier_takes_what_it_has_no_price_for_from_another),
    TEST(service_tiers_that_inherit_in_a_circle_end), TEST(an_adapter_costs_what_its_base_model_costs),
    TEST(a_base_model_is_priced_as_if_asked_for_without_adapter_in_any_layer),
    TEST(the_factor_of_an_extended_book_applies_once_where_its_rule_inherits),
    TEST(a_rule_inherits_from_a_model_or_a_rule_by_name), TEST(a_rule_that_inherits_its_own_name_takes_it_from_the_layers_below),
    TEST(inheriting_in_a_circle_ends_without_a_price), TEST(prices_are_inherited_over_4_rules_and_no_more),
    TEST(each_factor_is_rounded_half_to_even_innermost_first), TEST(a_delta_is_added_behind_the_factor_of_its_own_step),
    TEST(factors_apply_to_fees_and_deltas_do_not), TEST(a_book_tells_what_it_tells_requests_apart_by),
    TEST(what_cannot_be_told_is_an_error))
