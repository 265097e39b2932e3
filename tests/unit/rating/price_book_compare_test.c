/* price_book_compare_test.c -- what changes from book to book is told: once for each meter, with the first thing that differs. */
#include "rating/price_book_compare.h"

#include "base/memory.h"
#include "tests/unit/rating/price_books.h"

static void
write_difference(void *context, const struct price_difference *difference)
{
	text_add_format(context, "%s%s|%s|%s|%s|%s|%s|%s", ((struct text *)context)->length > 0 ? "\n" : "", difference->rule,
	    difference->meter, difference->what, difference->part, difference->old, difference->new, difference->percent);
}

/* The differences, a line each, are exactly those. */
static void
expect_differences(const char *old_text, const char *new_text, const char *wanted)
{
	struct price_book *old = book_of(old_text), *new = book_of(new_text);
	struct text differences = {0};

	price_books_compare(old, new, write_difference, &differences);
	EXPECT_TEXT(text_string(&differences), wanted);
	text_release(&differences);
	price_book_free(old);
	price_book_free(new);
}

/* From one price of requests to another. */
static void
expect_change(const char *old, const char *new, const char *wanted)
{
	char old_text[1024], new_text[1024];

#define NIGHT "'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}}, "
	snprintf(old_text, sizeof old_text, BOOK(NIGHT "'rules': [" REQUESTS("'model': 'm', 'name': 'n'", "%s") "]"), old);
	snprintf(new_text, sizeof new_text, BOOK(NIGHT "'rules': [" REQUESTS("'model': 'm', 'name': 'n'", "%s") "]"), new);
	expect_differences(old_text, new_text, wanted);
}

static void
a_book_is_as_itself(void)
{
	expect_differences(RULES(RULE("'model': 'm'")), RULES(RULE("'model': 'm'")), "");
}

static void
a_price_is_compared_by_the_unit_to_a_tenth_of_a_per_cent(void)
{
	expect_change(EACH("2"), EACH("3"), "n|requests|price||2 / 1|3 / 1|50.0");
	expect_change(EACH("3"), EACH("2"), "n|requests|price||3 / 1|2 / 1|-33.3");
	/* 0.15 per cent is 0.2: half away from zero */
	expect_change(EACH("2"), EACH("2.003"), "n|requests|price||2 / 1|2.003 / 1|0.2");
	expect_change(EACH("2"), "{'price': '2500', 'per': 1000}", "n|requests|price||2 / 1|2500 / 1000|25.0");
	expect_change(EACH("2"), "{'price': '2000', 'per': 1000}", "n|requests|price||2 / 1|2000 / 1000|0.0");
	expect_change(EACH("0"), EACH("1"), "n|requests|price||0 / 1|1 / 1|");
	expect_change(EACH("2"), "{'package': 10, 'price': '20'}", "n|requests|steps||none|graduated|");
}

static void
steps_brackets_times_and_counters_are_told(void)
{
#define STEPS(first, fee, counter)                                                                                               \
	"{'tiers': 'graduated', 'per': 1, 'steps': [{'up_to': " first ", 'price': '2'}, {'price': '1', 'fee': '" fee             \
	"'}]" counter "}"
	expect_change(EACH("2"), STEPS("10", "0", ""), "n|requests|steps||none|graduated up to 10|");
	expect_change(STEPS("10", "0", ""), STEPS("20", "0", ""), "n|requests|steps||graduated up to 10|graduated up to 20|");
	expect_change(STEPS("10", "1", ""), STEPS("10", "2", ""), "n|requests|fee|step 2|1|2|");
	expect_change(STEPS("10", "0", ""), STEPS("10", "0", ", 'counter': {'scope': 'model', 'reset': 'year'}"),
	    "n|requests|counter||rule, month|model, year|");
#define BRACKETS(boundary, price) "{'per': 1, 'brackets': [{'price': '1'}, {'over': " boundary ", 'price': '" price "'}]}"
	expect_change(BRACKETS("10", "2"), BRACKETS("20", "2"), "n|requests|brackets||input over 10|input over 20|");
	expect_change(BRACKETS("10", "2"), BRACKETS("10", "3"), "n|requests|price|over 10|2 / 1|3 / 1|50.0");
	expect_change(EACH("2"), "{'price': '2', 'per': 1, 'times': [{'window': 'night', 'factor': '0.5'}]}",
	    "n|requests|times||none|night (daily 22:00-06:00 UTC) x 0.5|");
	expect_change("{'price': '2', 'per': 1, 'times': [{'window': 'night', 'price': '1'}]}",
	    "{'price': '2', 'per': 1, 'times': [{'window': 'night', 'price': '2'}]}", "n|requests|price|night|1 / 1|2 / 1|100.0");
}

static void
rules_and_meters_come_and_go(void)
{
	expect_differences(RULES(RULE("'model': 'a'") ", " REQUESTS("'model': 'b'", EACH("1"))),
	    RULES("{'model': 'b', 'prices': {'images': {'price': '2', 'per': 1}}}, " RULE("'model': 'c'")),
	    "model a, service tier default||removed||||\n"
	    "model b, service tier default|requests|removed||1 / 1||\n"
	    "model b, service tier default|images|added|||2 / 1|\n"
	    "model c, service tier default||added||||");
}

static void
what_a_named_rule_matches_and_inherits_is_told(void)
{
	expect_differences(RULES(RULE("'model': 'a'") ", {'name': 'n', 'model': 'b', 'inherit': {'from': {'model': 'a'}}}"),
	    RULES(RULE("'model': 'a'") ", {'name': 'n', 'model': 'c', 'inherit': {'from': {'model': 'a'}, 'factor': '2'}}"),
	    "n||match||model b, service tier default|model c, service tier default|\n"
	    "n||inherit||model a x 1|model a x 2|");
}

static void
what_the_book_says_for_all_rules_is_told(void)
{
	expect_differences(BOOK("'aliases': {'x': 'm', 'y*': 'm'}, 'rules': [" RULE("'model': 'm'") "]"),
	    BOOK("'free': ['images'], 'service_tiers': {'batch': {'inherit': 'default', 'factor': '0.5'}}, "
		 "'aliases': {'x': 'n', 'z*': 'm'}, 'rules': [" RULE("'model': 'm'") "]"),
	    "||service tiers||none|batch from default x 0.5|\n"
	    "|images|free||no|yes|\n"
	    "alias x||alias||m|n|\n"
	    "alias y*||removed||m||\n"
	    "alias z*||added|||m|");
}

UNIT_TESTS("rating/price_book_compare", TEST(a_book_is_as_itself), TEST(a_price_is_compared_by_the_unit_to_a_tenth_of_a_per_cent),
    TEST(steps_brackets_times_and_counters_are_told), TEST(rules_and_meters_come_and_go),
    TEST(what_a_named_rule_matches_and_inherits_is_told), TEST(what_the_book_says_for_all_rules_is_told))
