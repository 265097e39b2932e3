/* price_book_check_test.c -- what is wrong or odd in a book is found, and a good book has no findings. */
#include "rating/price_book.h"

#include "base/memory.h"
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
	    "error: rules[2]: for the same usage as rules[0], which is the one that is chosen");
	expect_findings(RULES(RULE("'model': 'a', 'base_model': 'b'") ", " RULE("'model': 'a', 'base_model': 'b'")),
	    "error: rules[1]: for the same usage as rules[0], which is the one that is chosen");
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
	expect_findings(PRICED_RULE("0.001", "0.001", "0.001"), "");
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
	    "tokens: is it meant for more?\n"
	    "error: rules[0].prices.output_text_tokens.price: more than 10^12: one charge at such a price leaves the range of "
	    "amounts, and its period is not rated");
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

/* --- what rules are chosen by ------------------------------------------------------------------ */

static void
every_field_counts_when_one_rule_covers_another(void)
{
	static const char *const fields[] = {"base_model", "adapter_kind", "adapter", "provider", "operation", "region", "speed",
	    "deployment", "project", "api_key", "engine"};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		char book[1024];

		snprintf(book, sizeof book, RULES(RULE("'model': 'm', '%s': '*'") ", " RULE("'model': 'm', '%s': 'x'")),
		    fields[i], fields[i]);
		expect_findings(
		    book, "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
		snprintf(book, sizeof book, RULES(RULE("'model': 'm', '%s': 'y'") ", " RULE("'model': 'm', '%s': 'x'")),
		    fields[i], fields[i]);
		expect_findings(book, "");
		snprintf(book, sizeof book, RULES(RULE("'model': 'm', '%s': '*'") ", " RULE("'model': 'm'")), fields[i]);
		expect_findings(book, "");
	}
}

static void
tags_cover_where_they_are_fewer(void)
{
	expect_findings(RULES(RULE("'model': 'm', 'tags': {'a': '1'}") ", " RULE("'model': 'm', 'tags': {'a': '1', 'b': '2'}")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	expect_findings(
	    RULES(RULE("'model': 'm', 'tags': {'a': '1', 'b': '2'}") ", " RULE("'model': 'm', 'tags': {'a': '1'}")), "");
	expect_findings(RULES(RULE("'model': 'm', 'tags': {'a': '1'}") ", " RULE("'model': 'm', 'tags': {'a': '2'}")), "");
	expect_findings(
	    RULES(RULE("'model': 'm', 'tags': {'a': '1', 'b': '2'}") ", " RULE("'model': 'm', 'tags': {'b': '2', 'a': '1'}")),
	    "error: rules[1]: for the same usage as rules[0], which is the one that is chosen");
}

static void
a_pattern_of_base_models_covers_what_it_matches(void)
{
	expect_findings(RULES(RULE("'base_model_pattern': 'llama.*'") ", " RULE("'base_model': 'llama-3'")),
	    "error: rules[1]: never chosen: rules[0] is asked before and matches whatever this one does");
	expect_findings(RULES(RULE("'base_model_pattern': 'llama.*'") ", " RULE("'base_model': 'qwen'")), "");
	expect_findings(RULES(RULE("'base_model': 'llama-3'") ", " RULE("'base_model_pattern': 'llama.*'")), "");
}

static void
a_pattern_that_also_takes_no_base_model_is_a_warning(void)
{
	expect_findings(RULES(RULE("'base_model_pattern': '.*'")),
	    "warning: rules[0].base_model_pattern: matches usage without a base model, too; for any that is stated: \".+\"");
	expect_findings(RULES(RULE("'base_model_pattern': '.+'")), "");
}

static void
a_pattern_that_seems_to_match_everything_belongs_last(void)
{
	expect_findings(RULES(RULE("'model_pattern': '.{0,300}'") ", " RULE("'model_pattern': 'a-.*'")),
	    "warning: rules[0].model_pattern: seems to match every name: rules[1] behind it is never chosen then; put it last");
	expect_findings(RULES(RULE("'model_pattern': 'a-.*'") ", " RULE("'model_pattern': '.{0,300}'")), "");
	expect_findings(
	    RULES(RULE("'model_pattern': '.{0,300}', 'service_tier': 'flex'") ", " RULE("'model_pattern': 'a-.*'")), "");
}

static void
a_pattern_that_blows_up_is_a_warning(void)
{
	expect_findings(RULES(RULE("'model_pattern': 'gpt-(a+)+b'")),
	    "warning: rules[0].model_pattern: blows up: for \"gpt-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa~gpt-ab~\" it reaches its "
	    "limits, "
	    "and "
	    "usage "
	    "of such names is held; one repetition stands inside of another");
	expect_findings(RULES(RULE("'base_model_pattern': '(xy|x|y)*z'")),
	    "warning: rules[0].base_model_pattern: blows up: for \"xyxyxyxyxyxyxyxyxyxyxyxyxyxyxy~xyxyz~\" it reaches its "
	    "limits, "
	    "and "
	    "usage of "
	    "such names is held; one repetition stands inside of another");
	expect_findings(RULES(RULE("'model_pattern': 'gpt-(-[a-z]+)*'") ", " RULE("'model_pattern': 'qwen-[0-9.]+b-.*'")), "");
}

static void
a_pattern_that_is_slow_for_long_names_is_a_warning(void)
{
	expect_findings(RULES(RULE("'model_pattern': '.*-.*-.*-.*x'")),
	    "warning: rules[0].model_pattern: slow: for \"--------------------------------...\", 206 bytes, it reaches its "
	    "limits, "
	    "and usage of such names is held");
	expect_findings(RULES(RULE("'model_pattern': '.*-.*x'")), "");
}

static void
rules_of_one_name_are_a_warning(void)
{
	expect_findings(RULES(RULE("'model': 'a', 'name': 'n'") ", " RULE("'model': 'b', 'name': 'n'")),
	    "warning: rules[1].name: rules[0] has the same name: what counts by rule counts for both together");
	expect_findings(RULES(RULE("'model': 'a', 'name': 'n'") ", " RULE("'model': 'b', 'name': 'o'")), "");
}

static void
an_alias_leads_to_a_rule(void)
{
	expect_findings(BOOK("'aliases': {'a-1': 'a', 'a-*': 'a'}, 'rules': [" RULE("'model': 'a'") "]"), "");
	expect_findings(
	    BOOK("'aliases': {'a-1': 'b'}, 'rules': [" RULE("'model': 'a'") "]"), "error: aliases.a-1: no rule is for b");
	expect_findings(BOOK("'aliases': {'a-1': 'b-2'}, 'rules': [" RULE("'model_pattern': 'b-.*'") "]"), "");
}

static void
an_alias_of_an_alias_is_a_warning(void)
{
	expect_findings(BOOK("'aliases': {'a': 'b', 'b': 'c'}, 'rules': [" RULE("'model_pattern': '[bc]'") "]"),
	    "warning: aliases.a: b is an alias itself, of c; aliases are not followed further: the rule for b is looked for");
	/* a prefix that its own name begins with */
	expect_findings(BOOK("'aliases': {'b*': 'b'}, 'rules': [" RULE("'model': 'b'") "]"), "");
}

static void
a_rule_for_a_name_that_is_an_alias_is_an_error(void)
{
	expect_findings(BOOK("'aliases': {'a': 'b'}, 'rules': [" RULE("'model': 'a'") ", " RULE("'model': 'b'") "]"),
	    "error: rules[0]: never chosen: a is an alias, and such usage is matched as b");
}

static void
a_service_tier_inherits_from_one_that_has_a_rule(void)
{
	expect_findings(
	    BOOK("'service_tiers': {'batch': {'inherit': 'default', 'factor': '0.5'}, 'priority': {'inherit': 'batch'}}, "
		 "'rules': [" RULE("'model': 'a'") "]"),
	    "");
	expect_findings(BOOK("'service_tiers': {'batch': {'inherit': 'slow'}}, 'rules': [" RULE("'model': 'a'") "]"),
	    "warning: service_tiers.batch: no rule is for the service tier slow that it inherits from");
	expect_findings(
	    BOOK("'service_tiers': {'a': {'inherit': 'b'}, 'b': {'inherit': 'a'}}, 'rules': [" RULE("'model': 'a'") "]"),
	    "error: service_tiers.a: inherits from itself, in a circle\n"
	    "error: service_tiers.b: inherits from itself, in a circle");
}

/* --- what prices are beside each other --------------------------------------------------------- */

static void
batch_and_flex_are_not_dearer_than_default_and_priority_not_cheaper(void)
{
	expect_findings(
	    RULES(RULE("'model': 'm'") ", {'model': 'm', 'service_tier': 'batch', 'fallback': {'output_reasoning_tokens': "
				       "'output_text_tokens'}, 'prices': {'input_text_uncached_tokens': " MILLION(
					   "1.5") ", 'output_text_tokens': " MILLION("2") "}}"),
	    "warning: rules[1].prices.input_text_uncached_tokens: batch is dearer than default (rules[0])");
	expect_findings(
	    RULES(RULE("'model': 'm'") ", {'model': 'm', 'service_tier': 'priority', 'fallback': {'output_reasoning_tokens': "
				       "'output_text_tokens'}, 'prices': {'input_text_uncached_tokens': " MILLION(
					   "1.5") ", 'output_text_tokens': " MILLION("2") "}}"),
	    "warning: rules[1].prices.output_text_tokens: priority is cheaper than default (rules[0])");
	expect_findings(
	    BOOK("'service_tiers': {'flex': {'inherit': 'default', 'factor': '1.5'}, 'priority': {'inherit': 'default', "
		 "'factor': '0.5'}}, 'rules': [" RULE("'model': 'a'") "]"),
	    "warning: service_tiers.flex.factor: flex is dearer than default\n"
	    "warning: service_tiers.priority.factor: priority is cheaper than default");
	expect_findings(
	    BOOK("'service_tiers': {'flex': {'inherit': 'default', 'factor': '0.5'}, 'priority': {'inherit': 'default', "
		 "'factor': '1.5'}}, 'rules': [" RULE("'model': 'a'") "]"),
	    "");
}

static void
a_price_a_thousand_times_off_the_others_is_a_warning(void)
{
	expect_findings(
	    RULES("{'model': 'm', 'fallback': {'output_reasoning_tokens': 'output_text_tokens'}, 'prices': "
		  "{'input_text_uncached_tokens': {'price': '0.15', 'per': 1000000}, 'output_text_tokens': {'price': '0.6', "
		  "'per': 1000}}}"),
	    "warning: rules[0].prices.output_text_tokens: 0.6 for 1000 is more than 300 times dearer than what tokens of this "
	    "rule "
	    "usually cost, 0.15 for 1000000: is \"per\" right?");
	expect_findings(
	    RULES("{'model': 'm', 'fallback': {'output_reasoning_tokens': 'output_text_tokens'}, 'prices': "
		  "{'input_text_uncached_tokens': {'price': '0.15', 'per': 1000000}, 'output_text_tokens': {'price': '45', "
		  "'per': 1000000}}}"),
	    "warning: rules[0].prices.output_text_tokens: 45 for 1000000 is more than 300 times dearer than what tokens of this "
	    "rule "
	    "usually cost, 0.15 for 1000000: is \"per\" right?");
	expect_findings(
	    RULES("{'model': 'm', 'fallback': {'output_reasoning_tokens': 'output_text_tokens'}, 'prices': "
		  "{'input_text_uncached_tokens': {'price': '0.15', 'per': 1000000}, 'output_text_tokens': {'price': '44.9', "
		  "'per': 1000000}}}"),
	    "");
}

/* What is off in `text` against `earlier`. */
static void
expect_against(const char *text, const char *earlier_text, const char *wanted)
{
	struct price_book *book = book_of(text), *earlier = book_of(earlier_text);
	struct text findings = {0};

	price_book_check_against(book, earlier, write_finding, &findings);
	EXPECT_TEXT(text_string(&findings), wanted);
	text_release(&findings);
	price_book_free(book);
	price_book_free(earlier);
}

static void
a_price_a_thousand_times_off_the_last_version_is_a_warning(void)
{
	expect_against(PRICED_RULE("1", "0.1", "4"), PRICED_RULE("0.003", "0.1", "8"),
	    "warning: rules[0].prices.input_text_uncached_tokens: 1 for 1000000 is more than 300 times dearer than in test, "
	    "where it is "
	    "0.003 for 1000000: is \"per\" right?");
	expect_against(PRICED_RULE("0.001", "0.1", "4"), PRICED_RULE("1", "0.1", "4"),
	    "warning: rules[0].prices.input_text_uncached_tokens: 0.001 for 1000000 is more than 300 times cheaper than in test, "
	    "where it "
	    "is 1 for 1000000: is \"per\" right?");
	expect_against(PRICED_RULE("1", "0.1", "4"), PRICED_RULE("0.004", "0", "0.02"), "");
	/* another rule */
	expect_against(RULES(RULE("'model': 'a'")),
	    RULES("{'model': 'b', 'prices': {'input_text_uncached_tokens': " MILLION("0.001") "}}"), "");
}

/* A rule of three prices, of which the first is given. */
#define INPUT_RULE(price)                                                                                                        \
	"{'model': 'm', 'prices': {'input_text_uncached_tokens': " price                                                         \
	", 'output_text_tokens': " MILLION("4") ", 'output_reasoning_tokens': " MILLION("4") "}}"

static void
a_bracket_that_gets_cheaper_is_a_warning(void)
{
	expect_findings(RULES(INPUT_RULE("{'per': 1000000, 'brackets': [{'price': '2'}, {'over': 200000, 'price': '1'}]}")),
	    "warning: rules[0].prices.input_text_uncached_tokens.brackets[1]: cheaper than the bracket before: larger requests "
	    "usually cost more");
	expect_findings(RULES(INPUT_RULE("{'per': 1000000, 'brackets': [{'price': '1'}, {'over': 200000, 'price': '2'}]}")), "");
}

static void
cached_input_is_compared_bracket_by_bracket(void)
{
	expect_findings(RULES("{'model': 'm', 'prices': {'input_text_uncached_tokens': {'per': 1000000, 'brackets': [{'price': "
			      "'1'}, {'over': 9, 'price': "
			      "'2'}]}, 'input_text_cache_read_tokens': {'per': 1000000, 'brackets': [{'price': '0.1'}, {'over': "
			      "9, 'price': '2.1'}]}, "
			      "'output_text_tokens': " MILLION("4") ", 'output_reasoning_tokens': " MILLION("4") "}}"),
	    "warning: rules[0].prices: input_text_cache_read_tokens costs more than input_text_uncached_tokens in the bracket "
	    "over 9");
}

static void
a_fee_of_the_first_step_is_a_warning(void)
{
	expect_findings(
	    RULES(INPUT_RULE(
		"{'tiers': 'graduated', 'per': 1000000, 'steps': [{'up_to': 10, 'price': '2', 'fee': '5'}, {'price': '1'}]}")),
	    "warning: rules[0].prices.input_text_uncached_tokens.steps[0].price: the fee of the first step, 5, is charged with "
	    "the first unit that is used");
	expect_findings(
	    RULES(INPUT_RULE(
		"{'tiers': 'graduated', 'per': 1000000, 'steps': [{'up_to': 10, 'price': '2'}, {'price': '1', 'fee': '5'}]}")),
	    "");
}

static void
a_step_of_no_whole_packages_is_a_warning(void)
{
	expect_findings(RULES(INPUT_RULE("{'tiers': 'graduated', 'per': 1000000, 'steps': [{'up_to': 1000000, 'price': '2'}, "
					 "{'up_to': 2500000, 'package': 1000000, "
					 "'price': '1'}, {'price': '1'}]}")),
	    "warning: rules[0].prices.input_text_uncached_tokens.steps[1].price: the step is not a number of whole packages of "
	    "1000000: its last one is charged whole");
	expect_findings(RULES(INPUT_RULE("{'tiers': 'graduated', 'per': 1000000, 'steps': [{'up_to': 1000000, 'price': '2'}, "
					 "{'up_to': 3000000, 'package': 1000000, "
					 "'price': '1'}, {'price': '1'}]}")),
	    "");
}

#define WINDOWS                                                                                                                  \
	"'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}, 'dark': {'zone': 'UTC', 'spans': "   \
	"[{'from': '22:00', 'to': "                                                                                              \
	"'06:00'}]}, 'noon': {'zone': 'UTC', 'spans': [{'from': '12:00', 'to': '13:00'}]}}, "

static void
a_time_that_is_never_reached_is_a_warning(void)
{
	expect_findings(BOOK(WINDOWS "'rules': [" INPUT_RULE(
			    "{'price': '1', 'per': 1000000, 'times': [{'window': 'night', 'factor': '0.5'}, {'window': 'noon', "
			    "'factor': '2'}, {'window': 'dark', 'factor': '0.1'}]}") "]"),
	    "warning: rules[0].prices.input_text_uncached_tokens.times[2]: never reached: times[0] is for the same time, and "
	    "comes first");
}

static void
a_window_that_no_price_uses_is_a_warning(void)
{
	expect_findings(BOOK(WINDOWS "'rules': [" INPUT_RULE(
			    "{'price': '1', 'per': 1000000, 'times': [{'window': 'night', 'factor': '0.5'}, {'window': 'noon', "
			    "'price': '2'}]}") "]"),
	    "warning: windows.dark: no price of this book uses the window");
}

static void
prices_of_a_time_are_looked_at_too(void)
{
	expect_findings(
	    BOOK("'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}}, 'rules': [" INPUT_RULE(
		"{'price': '1', 'per': 1000000, 'times': [{'window': 'night', 'price': '0.0000001'}]}") "]"),
	    "warning: rules[0].prices.input_text_uncached_tokens.times[0].price: 0.0000001 for 1000000 is less than 0.001 for a "
	    "million tokens: is it meant for fewer?");
}

static void
a_factor_of_nothing_is_a_warning(void)
{
	expect_findings(
	    BOOK(
		"'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}}, 'service_tiers': {'flex': "
		"{'inherit': 'default', "
		"'factor': '0'}}, 'rules': [" INPUT_RULE("{'price': '1', 'per': 1000000, 'times': [{'window': 'night', 'factor': "
							 "'0'}]}") ", {'model': 'n', "
								   "'inherit': {'from': {'model': 'm'}, 'factor': '0'}}]"),
	    "warning: service_tiers.flex.factor: the factor 0 makes every price nothing: \"free\" says so plainly\n"
	    "warning: rules[0].prices.input_text_uncached_tokens.times[0]: the factor 0 makes every price nothing: \"free\" says "
	    "so plainly\n"
	    "warning: rules[1].inherit.factor: the factor 0 makes every price nothing: \"free\" says so plainly");
}

#define COUNTED(meter, reset)                                                                                                    \
	"'" meter "': {'tiers': 'graduated', 'per': 1000000, 'steps': [{'up_to': 10, 'price': '4'}, {'price': '3'}], "           \
	"'counter': {'scope': 'group', 'group': 'g', "                                                                           \
	"'reset': '" reset "'}}"

static void
what_counts_in_one_group_has_one_unit_and_one_reset(void)
{
	expect_findings(RULES(RULE("'model': 'm'") ", {'model': 'n', 'inherit': {'from': {'model': 'm'}}, 'prices': {" COUNTED(
			    "images", "month") ", " COUNTED("gpu_seconds", "month") "}}"),
	    "error: rules[1].prices.gpu_seconds.counter: rules[1] counts images in this group with another unit: they cannot "
	    "count together");
	expect_findings(RULES(RULE("'model': 'm'") ", {'model': 'n', 'inherit': {'from': {'model': 'm'}}, 'prices': {" COUNTED(
			    "images", "month") ", " COUNTED("pages", "year") "}}"),
	    "error: rules[1].prices.pages.counter: rules[1] counts images in this group with another \"reset\": they cannot "
	    "count together");
	expect_findings(RULES(RULE("'model': 'm'") ", {'model': 'n', 'inherit': {'from': {'model': 'm'}}, 'prices': {" COUNTED(
			    "images", "month") ", " COUNTED("pages", "month") "}}"),
	    "warning: rules[1].prices.pages.counter: rules[1] counts images in this group, which are not pages");
	expect_findings(RULES(RULE("'model': 'm'") ", {'model': 'n', 'inherit': {'from': {'model': 'm'}}, 'prices': {" COUNTED(
			    "web_search_calls", "month") ", " COUNTED("tool_calls", "month") "}}"),
	    "");
}

/* --- what prices are inherited from -------------------------------------------------------------- */

static void
a_rule_inherits_from_one_that_is_there(void)
{
	expect_findings(RULES(RULE("'model': 'a', 'name': 'one'") ", {'model': 'b', 'inherit': {'from': {'rule': 'one'}}}, "
								  "{'model': 'c', 'inherit': "
								  "{'from': {'model': 'a'}}}, {'base_model': 'a', 'inherit': "
								  "{'from': 'base_model'}}"),
	    "");
	expect_findings(RULES("{'model': 'b', 'inherit': {'from': {'rule': 'one'}}, " PRICES "}"),
	    "warning: rules[0].inherit.from: no other rule here is named one: only an override finds it, in the book of the "
	    "contract");
	expect_findings(RULES("{'model': 'b', 'name': 'one', 'inherit': {'from': {'rule': 'one'}}, " PRICES "}"),
	    "warning: rules[0].inherit.from: no other rule here is named one: only an override finds it, in the book of the "
	    "contract");
	expect_findings(RULES("{'model': 'b', 'inherit': {'from': {'model': 'a'}}, " PRICES "}"),
	    "warning: rules[0].inherit.from: no other rule here is for the model a: only an override finds one, in the book of "
	    "the contract");
	expect_findings(RULES("{'base_model': 'a', 'inherit': {'from': 'base_model'}, " PRICES "}"),
	    "warning: rules[0].inherit.from: no other rule here is for the base model a: only an override finds one, in the book "
	    "of the contract");
}

static void
a_circle_of_rules_is_an_error(void)
{
	expect_findings(RULES("{'model': 'a', 'name': 'one', 'inherit': {'from': {'rule': 'two'}}, " PRICES
			      "}, {'model': 'b', 'name': 'two', 'inherit': "
			      "{'from': {'rule': 'one'}}, " PRICES "}"),
	    "error: rules[0].inherit.from: inherits from itself, over 2 rules\n"
	    "error: rules[1].inherit.from: inherits from itself, over 2 rules");
}

static void
inheriting_over_too_many_rules_is_an_error(void)
{
#define LINK(name, from) "{'model': '" name "', 'name': '" name "', 'inherit': {'from': {'rule': '" from "'}}, " PRICES "}"
	expect_findings(RULES(LINK("a", "b") ", " LINK("b", "c") ", " LINK("c", "d") ", " LINK("d", "e") ", " RULE(
			    "'model': 'e', 'name': 'e'")),
	    "");
	expect_findings(RULES(LINK("a", "b") ", " LINK("b", "c") ", " LINK("c", "d") ", " LINK("d", "e") ", " LINK(
			    "e", "f") ", " RULE("'model': 'f', 'name': 'f'")),
	    "error: rules[0].inherit.from: inherits over more than 4 rules");
}

static void
a_delta_that_makes_a_price_negative_is_an_error(void)
{
#define DELTA(from, price)                                                                                                       \
	"{'base_model_pattern': 'm.*', 'adapter_kind': 'lora', 'inherit': {'from': " from                                        \
	", 'factor': '0.5', 'plus': {'output_text_tokens': " MILLION(price) "}}}"
	/* 4 x 0.5 - 2 = 0 */
	expect_findings(RULES(RULE("'model': 'm', 'name': 'n'") ", " DELTA("'base_model'", "-2")), "");
	expect_findings(RULES(RULE("'model': 'm', 'name': 'n'") ", " DELTA("'base_model'", "-2.000000000000000001")),
	    "error: rules[1].inherit.plus.output_text_tokens: makes a price negative: what it is added to costs 4 for 1000000");
	expect_findings(RULES(RULE("'model': 'm', 'name': 'n'") ", " DELTA("{'rule': 'n'}", "-3")),
	    "error: rules[1].inherit.plus.output_text_tokens: makes a price negative: what it is added to costs 4 for 1000000");
	expect_findings(RULES(RULE("'model': 'm', 'name': 'n'") ", " DELTA("{'model': 'm'}", "-3")),
	    "error: rules[1].inherit.plus.output_text_tokens: makes a price negative: what it is added to costs 4 for 1000000");
	/* a base model that the pattern does not take */
	expect_findings(RULES(RULE("'model': 'x'") ", " DELTA("'base_model'", "-3")), "");
}

static void
a_price_that_comes_from_elsewhere_is_not_missing(void)
{
	expect_findings(BOOK("'service_tiers': {'batch': {'inherit': 'default'}}, 'rules': [" RULE(
			    "'model': 'm'") ", {'model': 'm', " BATCH ", 'prices': {'requests': "
					    "{'price': '1', 'per': 1}}}]"),
	    "");
	expect_findings(RULES(RULE("'model': 'm'") ", {'model': 'm', " BATCH ", 'inherit': {'from': {'model': 'n'}}, 'prices': "
						   "{'output_text_tokens': " MILLION("1") ", 'output_reasoning_tokens': " MILLION(
						       "1") "}}, {'model': 'n', " BATCH
							    ", 'prices': {'output_text_tokens': " MILLION("1") "}}"),
	    "warning: rules[1].prices: input_text_uncached_tokens has no price here, of its own or by \"fallback\": such usage "
	    "will be held\n"
	    "warning: rules[2].prices: input_text_uncached_tokens has no price here, of its own or by \"fallback\": such usage "
	    "will be held\n"
	    "warning: rules[2].prices: output_reasoning_tokens has no price here, of its own or by \"fallback\": such usage will "
	    "be held");
}

UNIT_TESTS("rating/price_book_check", TEST(a_good_book_has_no_findings), TEST(two_rules_with_one_key_are_an_error),
    TEST(a_rule_behind_one_that_takes_all_of_it_is_an_error), TEST(a_pattern_behind_the_same_pattern_is_an_error),
    TEST(a_pattern_behind_one_for_everything_is_an_error), TEST(a_pattern_for_one_name_that_another_rule_takes_is_an_error),
    TEST(a_free_meter_with_a_fallback_is_an_error), TEST(a_cache_read_dearer_than_input_is_a_warning),
    TEST(prices_for_different_numbers_of_units_are_compared_by_the_unit), TEST(output_cheaper_than_input_is_a_warning),
    TEST(a_price_a_million_times_too_low_is_a_warning), TEST(a_price_a_million_times_too_high_is_a_warning),
    TEST(the_size_of_prices_says_nothing_in_other_currencies_or_meters), TEST(a_rule_without_a_price_for_plain_text_is_a_warning),
    TEST(reasoning_may_take_the_price_of_output), TEST(a_step_that_gets_dearer_is_a_warning),
    TEST(every_step_has_a_plausible_size), TEST(every_field_counts_when_one_rule_covers_another),
    TEST(tags_cover_where_they_are_fewer), TEST(a_pattern_of_base_models_covers_what_it_matches),
    TEST(a_pattern_that_also_takes_no_base_model_is_a_warning), TEST(a_pattern_that_seems_to_match_everything_belongs_last),
    TEST(a_pattern_that_blows_up_is_a_warning), TEST(a_pattern_that_is_slow_for_long_names_is_a_warning),
    TEST(rules_of_one_name_are_a_warning), TEST(an_alias_leads_to_a_rule), TEST(an_alias_of_an_alias_is_a_warning),
    TEST(a_rule_for_a_name_that_is_an_alias_is_an_error), TEST(a_service_tier_inherits_from_one_that_has_a_rule),
    TEST(batch_and_flex_are_not_dearer_than_default_and_priority_not_cheaper),
    TEST(a_price_a_thousand_times_off_the_others_is_a_warning), TEST(a_price_a_thousand_times_off_the_last_version_is_a_warning),
    TEST(a_bracket_that_gets_cheaper_is_a_warning), TEST(cached_input_is_compared_bracket_by_bracket),
    TEST(a_fee_of_the_first_step_is_a_warning), TEST(a_step_of_no_whole_packages_is_a_warning),
    TEST(a_time_that_is_never_reached_is_a_warning), TEST(a_window_that_no_price_uses_is_a_warning),
    TEST(prices_of_a_time_are_looked_at_too), TEST(a_factor_of_nothing_is_a_warning),
    TEST(what_counts_in_one_group_has_one_unit_and_one_reset), TEST(a_rule_inherits_from_one_that_is_there),
    TEST(a_circle_of_rules_is_an_error), TEST(inheriting_over_too_many_rules_is_an_error),
    TEST(a_delta_that_makes_a_price_negative_is_an_error), TEST(a_price_that_comes_from_elsewhere_is_not_missing))
