/* price_book_check_test.c -- what is wrong or odd in a book is found, and a good book has no findings. */
#include "rating/price_book.h"

#include "tests/unit/rating/price_books.h"

static void
write_finding(void *context, bool is_error, const char *path, const char *text)
{
	text_add_format(context, "%s%s: %s: %s", ((struct text *)context)->length > 0 ? "\n" : "", is_error ? "error" : "warning",
	    path, text);
}

/* The findings about a book, a line each, are exactly those. */
static void
expect_findings(const char *book_text, const char *wanted)
{
	struct price_book *book = book_of(book_text);
	struct text findings = {0};

	price_book_check(book, write_finding, &findings);
	EXPECT_TEXT(text_string(&findings), wanted);
	text_release(&findings);
	price_book_free(book);
}

/* --- errors ---------------------------------------------------------------------------------- */

#define BATCH "'service_tier': 'batch'"

static void
a_good_book_has_no_findings(void)
{
	expect_findings(RULES(RULE("'model': 'a'") ", " RULE("'model': 'a', " BATCH)), "");
	expect_findings(RULES(RULE("'model': 'a', " BATCH ", 'base_model': 'b'") ", " RULE("'model': 'a', " BATCH)), "");
	expect_findings(RULES(RULE("'model_pattern': 'a-.*'") ", " RULE("'model_pattern': '.*'")), "");
}

static void
two_rules_with_one_key_are_an_error(void)
{
	expect_findings(
	    RULES(RULE("'model': 'a'") ", " RULE("'model': 'b'") ", " RULE("'model': 'a', 'service_tier': 'default'")),
	    "error: rules[2]: the same model, service tier and base model as rules[0], which is the one that is chosen");
	expect_findings(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model': 'a', 'base_model': 'b'")),
	    "error: rules[1]: the same model, service tier and base model as rules[0], which is the one that is chosen");
	expect_findings(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model': 'a', 'base_model': 'c'")), "");
	expect_findings(
	    RULES(RULE("'model': 'a', 'service_tier': 'batch'") ", " RULE("'model': 'a', 'service_tier': 'flex'")), "");
}

static void
a_rule_behind_one_that_takes_all_of_it_is_an_error(void)
{
	expect_findings(RULES(RULE("'model': 'a', 'service_tier': '*'") ", " RULE("'model': 'a', 'service_tier': 'batch'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	expect_findings(RULES(RULE("'model': 'a'") ", " RULE("'model': 'a', 'base_model': 'b'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	/* the narrow one before the wide one is how exceptions are written */
	expect_findings(RULES(RULE("'model': 'a', 'service_tier': 'batch'") ", " RULE("'model': 'a', 'service_tier': '*'")), "");
	expect_findings(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model': 'a'")), "");
}

static void
a_pattern_behind_the_same_pattern_is_an_error(void)
{
	expect_findings(RULES(RULE("'model_pattern': 'a-.*'") ", " RULE("'model_pattern': 'a-.*'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	expect_findings(RULES(RULE("'model_pattern': 'a-.*'") ", " RULE("'model_pattern': 'a-.*', 'service_tier': 'batch'")), "");
	expect_findings(RULES(RULE("'model_pattern': 'a-.*'") ", " RULE("'model_pattern': 'b-.*'")), "");
}

static void
a_pattern_behind_one_for_everything_is_an_error(void)
{
	expect_findings(RULES(RULE("'model_pattern': '.*'") ", " RULE("'model_pattern': 'a-.*'") ", " RULE("'model': 'exact'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	expect_findings(RULES(RULE("'model_pattern': '.+', 'service_tier': 'batch'") ", " RULE("'model_pattern': 'a-.*'")), "");
}

static void
a_pattern_for_one_name_that_another_rule_takes_is_an_error(void)
{
	/* an exact rule is asked first wherever it stands */
	expect_findings(RULES(RULE("'model_pattern': 'gpt-5'") ", " RULE("'model': 'gpt-5'")),
	    "error: rules[0]: never chosen: rules[1] is asked before and matches whatever this one does");
	expect_findings(RULES(RULE("'model_pattern': 'gpt-.*'") ", " RULE("'model_pattern': 'gpt-4\\\\.1'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	/* a bare point is any character: not one name */
	expect_findings(RULES(RULE("'model_pattern': 'gpt-4.1'") ", " RULE("'model': 'gpt-4.1'")), "");
	expect_findings(RULES(RULE("'model_pattern': 'gpt-.*'") ", " RULE("'model': 'gpt-5'")), "");
	expect_findings(RULES(RULE("'model_pattern': 'gpt-\\\\d'") ", " RULE("'model': 'gpt-d'")), "");
}

static void
a_free_meter_with_a_fallback_is_an_error(void)
{
	expect_findings(BOOK("'free': ['requests'], 'fallback': {'requests': 'tool_calls'}, 'rules': [" RULE("'model': 'm'") "]"),
	    "error: fallback.requests: requests is also in \"free\": it cannot both cost nothing and take the price of "
	    "tool_calls");
	expect_findings(BOOK("'free': ['requests'], 'rules': [" RULE(
			    "'model': 'm'") ", {'model': 'n', 'fallback': {'requests': 'tool_calls'}, " PRICES "}]"),
	    "error: rules[1].fallback.requests: requests is also in \"free\": it cannot both cost nothing and take the price of "
	    "tool_calls");
	expect_findings(
	    BOOK("'free': ['requests'], 'fallback': {'output_citation_tokens': 'output_text_tokens'}, 'rules': [" RULE(
		"'model': 'm'") "]"),
	    "");
}

/* --- warnings -------------------------------------------------------------------------------- */

#define MILLION(price) "{'price': '" price "', 'per': 1000000}"
/* A rule with prices per million of uncached and cached input, output and reasoning. */
/* clang-format off */
#define PRICED_RULE(fresh, cached, output) \
	RULES("{'model': 'm', 'prices': {" \
	      "'input_text_uncached_tokens': " MILLION(fresh) "," \
	      "'input_text_cache_read_tokens': " MILLION(cached) "," \
	      "'output_text_tokens': " MILLION(output) "," \
	      "'output_reasoning_tokens': " MILLION(output) "}}")
/* clang-format on */

static void
a_cache_read_dearer_than_input_is_a_warning(void)
{
	expect_findings(PRICED_RULE("1", "0.1", "4"), "");
	expect_findings(PRICED_RULE("1", "1", "4"), "");
	expect_findings(PRICED_RULE("1", "1.000000000000000001", "4"),
	    "warning: rules[0].prices: input_text_cache_read_tokens costs more than input_text_uncached_tokens");
}

static void
prices_for_different_numbers_of_units_are_compared_by_the_unit(void)
{
	expect_findings(RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'price': '1', 'per': 1000000}, "
			      "'input_text_cache_read_tokens': {'price': '0.002', 'per': 1000}, 'output_text_tokens': {'price': "
			      "'0.000004', 'per': 1}, "
			      "'output_reasoning_tokens': {'price': '4', 'per': 1000000}}}"),
	    "warning: rules[0].prices: input_text_cache_read_tokens costs more than input_text_uncached_tokens");
}

static void
output_cheaper_than_input_is_a_warning(void)
{
	expect_findings(PRICED_RULE("4", "0.4", "4"), "");
	expect_findings(PRICED_RULE("4", "0.4", "3.9"),
	    "warning: rules[0].prices: input_text_uncached_tokens costs more than output_text_tokens");
}

static void
a_price_a_million_times_too_low_is_a_warning(void)
{
	expect_findings(PRICED_RULE("0.001", "0.001", "4"), "");
	expect_findings(PRICED_RULE("1", "0.0000001", "4"),
	    "warning: rules[0].prices.input_text_cache_read_tokens.price: 0.0000001 for 1000000 is less than 0.001 for a million "
	    "tokens: is it meant for fewer?");
	/* nothing at all is a price, too */
	expect_findings(PRICED_RULE("1", "0", "4"), "");
}

static void
a_price_a_million_times_too_high_is_a_warning(void)
{
	expect_findings(RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'price': '0.15', 'per': 1}, "
			      "'output_text_tokens': {'price': '0.6', 'per': 1}, 'output_reasoning_tokens': {'price': '1000', "
			      "'per': 1000000}}}"),
	    "warning: rules[0].prices.input_text_uncached_tokens.price: 0.15 for 1 is more than 1000 for a million tokens: is it "
	    "meant for more?\n"
	    "warning: rules[0].prices.output_text_tokens.price: 0.6 for 1 is more than 1000 for a million tokens: is it meant "
	    "for more?");
	expect_findings(RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'price': '0.15', 'per': 1000000}, "
			      "'output_text_tokens': {'price': '170141183460469231731', 'per': 1}, 'output_reasoning_tokens': "
			      "{'price': '6', 'per': 1000000}}}"),
	    "warning: rules[0].prices.output_text_tokens.price: 170141183460469231731 for 1 is more than 1000 for a million "
	    "tokens: is it meant for more?");
}

static void
the_size_of_prices_says_nothing_in_other_currencies_or_meters(void)
{
	expect_findings("{'tollbook_prices': 1, 'book': 'test', 'currency': 'JPY', 'effective': '2026-01-01T00:00:00Z', 'rules': "
			"[{'model': 'm', 'prices': {"
			"'input_text_uncached_tokens': {'price': '2000', 'per': 1000000}, 'output_text_tokens': {'price': "
			"'8000', 'per': 1000000}, "
			"'output_reasoning_tokens': {'price': '8000', 'per': 1000000}}}]}",
	    "");
	expect_findings(RULES("{'model': 'm', 'prices': {'web_search_calls': {'price': '10', 'per': 1000}, "
			      "'input_text_uncached_tokens': " MILLION("1") ", 'output_text_tokens': " MILLION(
				  "4") ", 'output_reasoning_tokens': " MILLION("4") "}}"),
	    "");
}

static void
a_rule_without_a_price_for_plain_text_is_a_warning(void)
{
	expect_findings(RULES("{'model': 'm', 'prices': {'requests': {'price': '1', 'per': 1}}}"),
	    "warning: rules[0].prices: input_text_uncached_tokens has no price here, of its own or by \"fallback\": such usage "
	    "will be held\n"
	    "warning: rules[0].prices: output_text_tokens has no price here, of its own or by \"fallback\": such usage will be "
	    "held\n"
	    "warning: rules[0].prices: output_reasoning_tokens has no price here, of its own or by \"fallback\": such usage will "
	    "be held");
}

static void
reasoning_may_take_the_price_of_output(void)
{
	expect_findings(BOOK("'fallback': {'output_reasoning_tokens': 'output_text_tokens'}, 'rules': [{'model': 'm', 'prices': {"
			     "'input_text_uncached_tokens': " MILLION("1") ", 'output_text_tokens': " MILLION("4") "}}]"),
	    "");
	expect_findings(RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': " MILLION(
			    "1") ", 'output_text_tokens': " MILLION("4") "}}"),
	    "warning: rules[0].prices: output_reasoning_tokens has no price here, of its own or by \"fallback\": such usage will "
	    "be held");
}

static void
a_step_that_gets_dearer_is_a_warning(void)
{
	expect_findings(
	    RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'tiers': 'graduated', 'per': 1000000, 'steps': ["
		  "{'up_to': 10, 'price': '2'}, {'up_to': 20, 'price': '2'}, {'up_to': 30, 'price': '1'}, {'price': '1.5'}]}, "
		  "'output_text_tokens': " MILLION("4") ", 'output_reasoning_tokens': " MILLION("4") "}}"),
	    "warning: rules[0].prices.input_text_uncached_tokens.steps[3].price: dearer than the step before: usage usually gets "
	    "cheaper as it grows");
}

static void
every_step_has_a_plausible_size(void)
{
	expect_findings(
	    RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'tiers': 'volume', 'per': 1000000, 'steps': ["
		  "{'up_to': 10, 'price': '2'}, {'price': '0.000001'}]}, 'output_text_tokens': " MILLION(
		      "4") ", 'output_reasoning_tokens': " MILLION("4") "}}"),
	    "warning: rules[0].prices.input_text_uncached_tokens.steps[1].price: 0.000001 for 1000000 is less than 0.001 for a "
	    "million tokens: "
	    "is it meant for fewer?");
}

UNIT_TESTS("rating/price_book_check", TEST(a_good_book_has_no_findings), TEST(two_rules_with_one_key_are_an_error),
    TEST(a_rule_behind_one_that_takes_all_of_it_is_an_error), TEST(a_pattern_behind_the_same_pattern_is_an_error),
    TEST(a_pattern_behind_one_for_everything_is_an_error), TEST(a_pattern_for_one_name_that_another_rule_takes_is_an_error),
    TEST(a_free_meter_with_a_fallback_is_an_error), TEST(a_cache_read_dearer_than_input_is_a_warning),
    TEST(prices_for_different_numbers_of_units_are_compared_by_the_unit), TEST(output_cheaper_than_input_is_a_warning),
    TEST(a_price_a_million_times_too_low_is_a_warning), TEST(a_price_a_million_times_too_high_is_a_warning),
    TEST(the_size_of_prices_says_nothing_in_other_currencies_or_meters), TEST(a_rule_without_a_price_for_plain_text_is_a_warning),
    TEST(reasoning_may_take_the_price_of_output), TEST(a_step_that_gets_dearer_is_a_warning),
    TEST(every_step_has_a_plausible_size))
