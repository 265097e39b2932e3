/* charges_test.c -- what usage costs, with numbers that can be checked in the head. */
#include "rating/charges.h"

#include "tests/support/random.h"
#include "tests/unit/rating/charging_fixture.h"

/* To 100 units at 3, to 300 at 2, beyond at 1; STEPS("graduated", ""). */
#define STEPS(mode, more)                                                                                                        \
	"{'tiers': '" mode "', 'per': 1, 'steps': [{'up_to': 100, 'price': '3'}, {'up_to': 300, 'price': '2'}, "                 \
	"{'price': '1'}]" more "}"
#define GRADUATED STEPS("graduated", "")
#define VOLUME STEPS("volume", "")
/* The rule "r" for any model that begins with m. */
#define ANY_M(price) REQUESTS("'name': 'r', 'model_pattern': 'm.*'", price)
/* A book of requests of model m at a flat price. */
#define FLAT(price) RULES(REQUESTS("'model': 'm'", EACH(price)))

static struct usage
tokens(int day, int meter, i128 quantity, enum price_size size, int64_t of)
{
	struct usage usage = usage_on(day, "m", meter, quantity);

	usage.size[size] = of;
	return usage;
}

/* --- plain prices ---------------------------------------------------------------------------- */

static void
a_charge_is_quantity_times_price_over_per(void)
{
	struct bill *bill = bill_under(RULES(RULE("'model': 'm'")), NULL);

	bill_add(bill, usage_on(1, "m", METER_input_text_uncached_tokens, 1500000));
	bill_add(bill, usage_on(1, "m", METER_output_text_tokens, 250000));
	EXPECT_BILL(bill, "m input_text_uncached_tokens 1500000 x 1/1000000 = 1.5; m output_text_tokens 250000 x 4/1000000 = 1");
}

static void
fractions_of_units_and_named_units_are_exact(void)
{
	struct bill *bill = bill_under(RULES("{'model': 'm', 'prices': {'gpu_seconds': {'price': '3.6', 'per': 'hour'}, "
					     "'adapter_hours': {'price': '12', 'per': 'day'}}}"),
	    NULL);

	bill_add(bill, usage_on(1, "m", METER_gpu_seconds, 1500000000));
	bill_add(bill, usage_on(1, "m", METER_adapter_hours, 1000000000));
	EXPECT_BILL(bill, "m gpu_seconds 1.5 x 3.6/3600 = 0.0015; m adapter_hours 1 x 12/24 = 0.5");
}

static void
equal_charges_are_one_charge(void)
{
	struct bill *bill = bill_under(FLAT("2"), NULL);
	struct usage usage = usage_on(1, "m", METER_requests, 10);

	bill_add(bill, usage);
	usage.subject.field[MATCH_PROJECT] = "p";
	bill_add(bill, usage);
	bill_requests(bill, 20, "m", 5);
	EXPECT_TEXT(bill_text(bill), "m 25 x 2 = 50");
	CU_ASSERT_EQUAL(bill->rated.charges[0].first.us, usage_on(1, "", 1, 0).start.us);
	CU_ASSERT_EQUAL(bill->rated.charges[0].last.us, usage_on(20, "", 1, 0).start.us);
	bill_close(bill);
}

static void
usage_of_nothing_is_a_charge_of_nothing(void)
{
	struct bill *bill = bill_under(FLAT("2"), NULL);

	bill_requests(bill, 1, "m", 0);
	EXPECT_BILL(bill, "m 0 x 2 = 0");
}

static void
what_was_taken_back_takes_its_charge_back(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", GRADUATED)), NULL);

	bill_requests(bill, 1, "m", 150);
	bill_requests(bill, 2, "m", -100);
	EXPECT_BILL(bill, "m step 1 50 x 3 = 150; m step 2 0 x 2 = 0");
}

/* --- what is held ---------------------------------------------------------------------------- */

static void
usage_without_a_price_is_held_and_the_reason_is_told(void)
{
	struct bill *bill =
	    bill_under(RULES(REQUESTS("'model_pattern': '(a+)+'", EACH("1")) AND REQUESTS("'model': 'm'", EACH("1"))), NULL);

	bill_requests(bill, 1, "x", 5);
	bill_requests(bill, 1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 1);
	bill_add(bill, usage_on(1, "m", METER_tool_calls, 7));
	bill_add(bill, usage_on(2, "m", METER_tool_calls, 2));
	EXPECT_BILL(bill,
	    "hold aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 1: pattern_limit; hold m tool_calls 9: no_price; "
	    "hold x 5: no_rule");
}

static void
without_a_contract_or_a_book_in_force_nothing_is_priced(void)
{
	struct bill *nobody = bill_open(), *late = bill_open(), *bookless = bill_open();
	const char *february = NAMED("test", "2026-02-01T00:00:00Z", "'rules': [" REQUESTS("'model': 'm'", EACH("1")) "]");

	bill_requests(nobody, 1, "m", 1);
	EXPECT_BILL(nobody, "hold m 1: unknown_tenant");

	bill_contract(late, "2026-01-10T00:00:00Z", bill_book(late, FLAT("1")), NULL, NULL);
	bill_requests(late, 9, "m", 1);
	bill_requests(late, 10, "m", 2);
	EXPECT_BILL(late, "m 2 x 1 = 2; hold m 1: before_contract");

	bill_contract(bookless, "2026-01-01T00:00:00Z", bill_book(bookless, february), NULL, NULL);
	bill_requests(bookless, 9, "m", 1);
	EXPECT_BILL(bookless, "hold m 1: no_price_book");
}

static void
a_book_in_another_currency_than_the_contract_prices_nothing(void)
{
	const char *euros = "{'tollbook_prices': 1, 'book': 'euros', 'currency': 'EUR', 'effective': '2026-01-01T00:00:00Z', "
			    "'rules': [" REQUESTS("'model': 'm'", EACH("1")) "]}";
	struct bill *bill = bill_under(euros, NULL), *over = bill_open();

	bill_requests(bill, 1, "m", 5);
	EXPECT_BILL(bill, "hold m 5: other_currency");

	bill_contract(over, "2026-01-01T00:00:00Z", bill_book(over, FLAT("1")), bill_book(over, euros), NULL);
	bill_requests(over, 1, "m", 5);
	EXPECT_BILL(over, "hold m 5: other_currency");
}

static void
a_price_below_nothing_is_held(void)
{
	struct bill *bill = bill_under(
	    RULES(REQUESTS("'model': 'base'", EACH("1")) AND REQUESTS("'model': 'stairs'", VOLUME) AND
		"{'model': 'm', 'inherit': {'from': {'model': 'base'}, 'plus': {'requests': {'price': '-1.5', 'per': 1}}}}" AND
		"{'model': 'n', 'inherit': {'from': {'model': 'stairs'}, 'plus': {'requests': {'price': '-1.5', 'per': 1}}}}"),
	    NULL);

	bill_requests(bill, 1, "m", 5);
	bill_requests(bill, 1, "n", 6);
	bill_requests(bill, 2, "m", 5);
	EXPECT_BILL(bill, "hold m 10: negative_price; hold n 6: negative_price");
}

static void
an_amount_that_does_not_fit_is_an_error_and_no_number(void)
{
	struct bill *bill = bill_under(FLAT("100000000000000000000"), NULL);
	struct usage usage = usage_on(1, "m", METER_requests, 1000000);

	bill_add(bill, usage);
	CU_ASSERT_FALSE(charging_settle(bill->charging, &bill->err));
	CU_ASSERT_EQUAL(bill->err.kind, ERROR_RANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(bill->err.message, "requests of model \"m\""));
	bill_close(bill);
}

/* 10^20 has a digit more than a column of the database, which must not be the one that says so. */
static void
an_amount_that_cannot_be_kept_is_an_error_that_names_it(void)
{
	struct bill *most = bill_under(FLAT("9999999999999999999"), NULL), *bill = bill_under(FLAT("10000000000000000000"), NULL),
		    *price = bill_under(FLAT("99999999999999999999"), NULL);

	bill_requests(most, 1, "m", 10);
	EXPECT_BILL(most, "m 10 x 9999999999999999999 = 99999999999999999990");
	bill_add(bill, usage_on(1, "m", METER_requests, 10));
	CU_ASSERT_FALSE(charging_settle(bill->charging, &bill->err));
	CU_ASSERT_EQUAL(bill->err.kind, ERROR_RANGE);
	EXPECT_TEXT(bill->err.message, "requests of model \"m\": a charge of 100000000000000000000 is out of range");
	bill_close(bill);
	bill_requests(price, 1, "m", 1);
	EXPECT_BILL(price, "m 1 x 99999999999999999999 = 99999999999999999999");
}

/* --- brackets -------------------------------------------------------------------------------- */

#define INPUT "input_text_uncached_tokens"
#define BRACKETS(more)                                                                                                           \
	"{'per': 1000, 'brackets': [{'price': '1'}, {'over': 200, 'price': '2'}, {'from': 501, 'price': '4'}]" more "}"

static void
a_bracket_begins_with_the_first_size_it_names(void)
{
	struct bill *bill = bill_under(RULES(PRICED(INPUT, BRACKETS(""))), NULL);
	static const int64_t sizes[] = {0, 199, 200, 201, 500, 501, 502};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		bill_add(bill, tokens((int)i + 1, METER_input_text_uncached_tokens, 1000, SIZE_INPUT, sizes[i]));
	EXPECT_BILL(bill,
	    "m " INPUT " 3000 x 1/1000 = 3; m " INPUT " 2000 x 4/1000 = 8 (from 501); m " INPUT " 2000 x 2/1000 = 4 (over 200)");
}

static void
a_bracket_looks_at_the_size_it_is_about(void)
{
	struct bill *bill = bill_under(RULES(PRICED(INPUT, BRACKETS(", 'subject': 'uncached_input'")) AND
					   "{'model': 'n', 'prices': {'" INPUT "': " BRACKETS(", 'subject': 'output'") "}}"),
	    NULL);
	struct usage usage = tokens(1, METER_input_text_uncached_tokens, 1000, SIZE_INPUT, 501);

	usage.size[SIZE_UNCACHED_INPUT] = 201;
	usage.size[SIZE_OUTPUT] = 0;
	bill_add(bill, usage);
	usage.subject.field[MATCH_MODEL] = "n";
	bill_add(bill, usage);
	EXPECT_BILL(bill, "m " INPUT " 1000 x 2/1000 = 2 (over 200); n " INPUT " 1000 x 1/1000 = 1");
}

static void
a_request_of_unknown_size_is_held(void)
{
	struct bill *bill = bill_under(RULES("{'model': 'm', 'prices': {'" INPUT
					     "': " BRACKETS("") ", 'requests': {'per': 1, 'brackets': [{'price': '1'}]}}}"),
	    NULL);

	bill_add(bill, usage_on(1, "m", METER_requests, 1));
	bill_add(bill, usage_on(1, "m", METER_input_text_uncached_tokens, 1000));
	bill_add(bill, tokens(2, METER_input_text_uncached_tokens, 1000, SIZE_INPUT, 0));
	EXPECT_BILL(bill, "m 1 x 1 = 1; m " INPUT " 1000 x 1/1000 = 1; hold m " INPUT " 1000: no_context");
}

/* A request of 700 tokens: 200, 300 and 200 of them by their places. */
static void
split_tokens_are_each_priced_at_their_place(void)
{
	struct bill *bill = bill_under(RULES(PRICED(INPUT, BRACKETS(", 'split': 'tokens'"))), NULL);

	bill_add(bill, tokens(1, METER_input_text_uncached_tokens, 200, SIZE_PART, 0));
	bill_add(bill, tokens(1, METER_input_text_uncached_tokens, 300, SIZE_PART, 200));
	bill_add(bill, tokens(1, METER_input_text_uncached_tokens, 200, SIZE_PART, 500));
	EXPECT_BILL(bill,
	    "m " INPUT " 200 x 1/1000 = 0.2; m " INPUT " 200 x 4/1000 = 0.8 (from 501); m " INPUT
	    " 300 x 2/1000 = 0.6 (over 200)");
}

static void
a_bracket_may_hold_tiers_of_its_own(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'",
					   "{'per': 1, 'brackets': [{'price': '9'}, {'over': 10, 'tiers': 'graduated', 'steps': "
					   "[{'up_to': 5, 'price': '2'}, {'price': '1'}]}]}")),
	    NULL);

	bill_add(bill, tokens(1, METER_requests, 4, SIZE_INPUT, 10));
	bill_add(bill, tokens(1, METER_requests, 8, SIZE_INPUT, 11));
	EXPECT_BILL(bill, "m 4 x 9 = 36; m step 1 5 x 2 = 10 (over 10); m step 2 3 x 1 = 3 (over 10)");
}

/* --- tiers ----------------------------------------------------------------------------------- */

static void
graduated_steps_fill_in_the_order_of_time(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", GRADUATED)), NULL);

	bill_requests(bill, 1, "m", 90);
	bill_requests(bill, 2, "m", 20);
	bill_requests(bill, 3, "m", 290);
	EXPECT_BILL(bill, "m step 1 100 x 3 = 300; m step 2 200 x 2 = 400; m step 3 100 x 1 = 100");
}

static void
a_volume_price_is_that_of_the_step_the_month_reaches(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", VOLUME)), NULL),
		    *at = bill_under(RULES(REQUESTS("'model': 'm'", VOLUME)), NULL);

	bill_requests(bill, 1, "m", 100);
	bill_requests(bill, 31, "m", 1);
	EXPECT_BILL(bill, "m step 2 101 x 2 = 202");
	bill_requests(at, 1, "m", 100);
	EXPECT_BILL(at, "m step 1 100 x 3 = 300");
}

static void
each_started_package_is_charged_whole_once(void)
{
	const char *book = RULES(REQUESTS("'model': 'm'", "{'package': 10, 'price': '15'}"));
	struct bill *bill = bill_under(book, NULL), *full = bill_under(book, NULL), *none = bill_under(book, NULL);

	bill_requests(bill, 1, "m", 3);
	bill_requests(bill, 2, "m", 4);
	bill_requests(bill, 3, "m", 4);
	EXPECT_BILL(bill, "m step 1 11 billed 20 x 15/10 = 30");
	bill_requests(full, 1, "m", 10);
	EXPECT_BILL(full, "m step 1 10 x 15/10 = 15");
	bill_requests(none, 1, "m", 0);
	EXPECT_BILL(none, "m step 1 0 x 15/10 = 0");
}

static void
packages_of_a_step_count_from_where_the_step_begins(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'",
					   "{'tiers': 'graduated', 'steps': [{'up_to': 105, 'package': 10, 'price': '1'}, "
					   "{'package': 100, 'price': '5'}]}")),
	    NULL);

	bill_requests(bill, 1, "m", 206);
	EXPECT_BILL(bill, "m step 1 105 billed 110 x 1/10 = 11; m step 2 101 billed 200 x 5/100 = 10");
}

static void
the_fee_of_a_graduated_step_is_charged_when_it_is_entered(void)
{
	const char *book = RULES(REQUESTS("'model': 'm'",
	    "{'tiers': 'graduated', 'per': 1, 'steps': [{'up_to': 5, 'price': '0', 'fee': '100'}, {'up_to': 10, 'price': '1', "
	    "'fee': '50'}, "
	    "{'price': '2', 'fee': '7'}]}"));
	struct bill *none = bill_under(book, NULL), *first = bill_under(book, NULL), *second = bill_under(book, NULL);

	bill_requests(none, 1, "m", 0);
	EXPECT_BILL(none, "m step 1 0 x 0 = 0; tier_fee m step 1 0 billed 1 x 100 = 100");
	bill_requests(first, 1, "m", 5);
	EXPECT_BILL(first, "m step 1 5 x 0 = 0; tier_fee m step 1 0 billed 1 x 100 = 100");
	bill_requests(second, 1, "m", 3);
	bill_requests(second, 2, "m", 4);
	bill_requests(second, 3, "m", 1);
	EXPECT_BILL(second,
	    "m step 1 5 x 0 = 0; tier_fee m step 1 0 billed 1 x 100 = 100; m step 2 3 x 1 = 3; tier_fee m step 2 0 billed 1 x 50 "
	    "= 50");
}

static void
the_fee_of_a_volume_price_is_that_of_the_step_reached(void)
{
	const char *book = RULES(ANY_M(
	    "{'tiers': 'volume', 'per': 1, 'steps': [{'up_to': 100, 'price': '0', 'fee': '10'}, {'price': '0', 'fee': '20'}]}"));
	struct bill *bill = bill_under(book, NULL), *more = bill_under(book, NULL);

	bill_requests(bill, 1, "m", 100);
	EXPECT_BILL(bill, "m step 1 100 x 0 = 0; tier_fee m step 1 0 billed 1 x 10 = 10");
	/* One counter, two models: the fee stands once. */
	bill_requests(more, 1, "m1", 100);
	bill_requests(more, 1, "m2", 1);
	EXPECT_BILL(more, "m1 step 2 100 x 0 = 0; tier_fee m1 step 2 0 billed 1 x 20 = 20; m2 step 2 1 x 0 = 0");
}

static void
a_volume_price_in_packages_rounds_the_whole_up_once(void)
{
	struct bill *bill = bill_under(
	    RULES(ANY_M(
		"{'tiers': 'volume', 'steps': [{'up_to': 100, 'package': 10, 'price': '2'}, {'package': 20, 'price': '3'}]}")),
	    NULL);

	bill_requests(bill, 1, "m1", 65);
	bill_requests(bill, 2, "m2", 60);
	/* 125 units are 7 packages of 20; the first four begin in the usage of m1. */
	EXPECT_BILL(bill, "m1 step 2 65 billed 80 x 3/20 = 12; m2 step 2 60 x 3/20 = 9");
}

/* --- counters -------------------------------------------------------------------------------- */

#define COUNTED(counter) STEPS("graduated", ", 'counter': {" counter "}")

static void
a_counter_counts_what_its_scope_says(void)
{
	struct bill *rule = bill_under(RULES(ANY_M(GRADUATED) AND REQUESTS("'model': 'n'", GRADUATED)), NULL);
	struct bill *model = bill_under(RULES(ANY_M(COUNTED("'scope': 'model'"))), NULL);
	struct bill *contract = bill_under(
	    RULES(ANY_M(COUNTED("'scope': 'contract'")) AND REQUESTS("'model': 'n'", COUNTED("'scope': 'contract'"))), NULL);

	bill_requests(rule, 1, "m1", 90);
	bill_requests(rule, 2, "m2", 20);
	bill_requests(rule, 3, "n", 20);
	EXPECT_BILL(rule, "m1 step 1 90 x 3 = 270; m2 step 1 10 x 3 = 30; m2 step 2 10 x 2 = 20; n step 1 20 x 3 = 60");

	bill_requests(model, 1, "m1", 90);
	bill_requests(model, 2, "m2", 20);
	EXPECT_BILL(model, "m1 step 1 90 x 3 = 270; m2 step 1 20 x 3 = 60");

	bill_requests(contract, 1, "m1", 90);
	bill_requests(contract, 2, "n", 20);
	EXPECT_BILL(contract, "m1 step 1 90 x 3 = 270; n step 1 10 x 3 = 30; n step 2 10 x 2 = 20");
}

static void
a_group_counts_what_names_it(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'a'", COUNTED("'scope': 'group', 'group': 'g'"))
					       AND REQUESTS("'model': 'b'", COUNTED("'scope': 'group', 'group': 'g'"))
						   AND REQUESTS("'model': 'c'", COUNTED("'scope': 'group', 'group': 'h'"))),
	    NULL);

	bill_requests(bill, 1, "a", 90);
	bill_requests(bill, 2, "b", 20);
	bill_requests(bill, 3, "c", 90);
	EXPECT_BILL(bill, "a step 1 90 x 3 = 270; b step 1 10 x 3 = 30; b step 2 10 x 2 = 20; c step 1 90 x 3 = 270");
}

static void
meters_that_fall_back_to_one_price_count_together(void)
{
	struct bill *bill =
	    bill_under(BOOK("'fallback': {'tool_calls': 'requests'}, 'rules': [" REQUESTS("'model': 'm'", GRADUATED) "]"), NULL);

	bill_requests(bill, 1, "m", 90);
	bill_add(bill, usage_on(1, "m", METER_tool_calls, 20));
	EXPECT_BILL(bill,
	    "m step 1 90 x 3 = 270; m tool_calls as requests step 1 10 x 3 = 30; m tool_calls as requests step 2 10 x 2 = 20");
}

/* What is in the counter of the only charge, where earlier periods left 90 under `key`. */
static const char *
counter_with(const char *period, const char *reset, const char *key)
{
	static char text[256];
	char book[1024];
	struct bill *bill;

	snprintf(book, sizeof book, RULES(ANY_M(COUNTED("'reset': '%s'"))), reset);
	bill = bill_under(book, NULL);
	bill->inputs.period = period;
	bill_carry(bill, key, 90);
	bill_carry(bill, "2025 rule test requests r", 1000);
	bill_requests(bill, 1, "m", 10);
	snprintf(text, sizeof text, "%s, then %s", bill_text(bill), bill->rated.charges[0].counter);
	bill_close(bill);
	return text;
}

static void
a_counter_lives_for_its_window_and_is_carried_through_it(void)
{
	EXPECT_TEXT(counter_with("2026-01", "month", "rule test requests r"), "m step 1 10 x 3 = 30, then ");
	EXPECT_TEXT(counter_with("2026-01", "quarter", "2026-Q1 rule test requests r"),
	    "m step 1 10 x 3 = 30, then 2026-Q1 rule test requests r");
	EXPECT_TEXT(counter_with("2026-12", "quarter", "2026-Q4 rule test requests r"),
	    "m step 1 10 x 3 = 30, then 2026-Q4 rule test requests r");
	EXPECT_TEXT(counter_with("2026-04", "quarter", "2026-Q1 rule test requests r"),
	    "m step 1 10 x 3 = 30, then 2026-Q2 rule test requests r");
	EXPECT_TEXT(
	    counter_with("2026-06", "year", "2026 rule test requests r"), "m step 1 10 x 3 = 30, then 2026 rule test requests r");
	EXPECT_TEXT(counter_with("2026-06", "never", "ever rule test requests r"),
	    "m step 1 10 x 3 = 30, then ever rule test requests r");
}

static void
carried_units_fill_the_first_steps(void)
{
	struct bill *bill = bill_under(RULES(ANY_M(COUNTED("'reset': 'year'"))), NULL);
	struct bill *volume = bill_under(RULES(ANY_M(STEPS("volume", ", 'counter': {'reset': 'year'}"))), NULL);

	bill_carry(bill, "2026 rule test requests r", 60);
	bill_carry(bill, "2026 rule test requests r", 30);
	bill_requests(bill, 1, "m", 20);
	EXPECT_BILL(bill, "m step 1 10 x 3 = 30; m step 2 10 x 2 = 20");

	/* The step is that of the year so far, the price is for this month's units. */
	bill_carry(volume, "2026 rule test requests r", 90);
	bill_requests(volume, 1, "m", 20);
	EXPECT_BILL(volume, "m step 2 20 x 2 = 40");
}

static void
a_package_that_an_earlier_month_began_is_not_charged_again(void)
{
	struct bill *bill = bill_under(RULES(ANY_M("{'package': 10, 'price': '1', 'counter': {'reset': 'never'}}")), NULL);

	bill_carry(bill, "ever rule test requests r", 13);
	bill_requests(bill, 1, "m", 7);
	bill_requests(bill, 2, "m", 1);
	EXPECT_BILL(bill, "m step 1 8 billed 10 x 1/10 = 1");
}

#define FEES(mode)                                                                                                               \
	"{'tiers': '" mode "', 'per': 1, 'steps': [{'up_to': 100, 'price': '0', 'fee': '10'}, {'price': '0', 'fee': '25'}], "    \
	"'counter': {'reset': 'year'}}"

static void
a_fee_that_an_earlier_month_paid_is_not_charged_again(void)
{
	struct bill *graduated = bill_under(RULES(ANY_M(FEES("graduated"))), NULL),
		    *volume = bill_under(RULES(ANY_M(FEES("volume"))), NULL);
	struct bill *same = bill_under(RULES(ANY_M(FEES("volume"))), NULL);

	bill_carry(graduated, "2026 rule test requests r", 90);
	bill_requests(graduated, 1, "m", 20);
	EXPECT_BILL(graduated, "m step 1 10 x 0 = 0; m step 2 10 x 0 = 0; tier_fee m step 2 0 billed 1 x 25 = 25");
	/* The fee of the step reached takes the place of the one paid. */
	bill_carry(volume, "2026 rule test requests r", 90);
	bill_requests(volume, 1, "m", 20);
	EXPECT_BILL(volume, "m step 2 20 x 0 = 0; tier_fee m step 2 0 billed 1 x 15 = 15");
	bill_carry(same, "2026 rule test requests r", 90);
	bill_requests(same, 1, "m", 10);
	EXPECT_BILL(same, "m step 1 10 x 0 = 0");
}

/* --- versions -------------------------------------------------------------------------------- */

#define VERSION(day, rules) NAMED("test", "2026-01-" day "T00:00:00Z", "'rules': [" rules "]")

static void
the_version_in_force_when_the_quarter_began_prices_it(void)
{
	struct bill *bill = bill_open();
	struct usage usage = usage_on(16, "m", METER_requests, 1);
	const struct price_books *books = bill_book(bill, VERSION("01", REQUESTS("'model': 'm'", EACH("1"))));

	CU_ASSERT_PTR_EQUAL(bill_book(bill, VERSION("16", REQUESTS("'model': 'm'", EACH("2")))), books);
	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, NULL);
	usage.start = moment("2026-01-15T23:45:00Z");
	bill_add(bill, usage);
	usage.start = moment("2026-01-16T00:00:00Z");
	bill_add(bill, usage);
	EXPECT_BILL(bill, "m 1 x 1 = 1; m 1 x 2 = 2");
}

/* Two versions of a book, of which the second begins on the 16th: m at 1 and n at 3, then m at 2 and n at 5. */
static const struct price_books *
two_versions(struct bill *bill)
{
	bill_book(bill, VERSION("01", REQUESTS("'model': 'm'", EACH("1")) AND REQUESTS("'model': 'n'", EACH("3"))));
	return bill_book(bill, VERSION("16", REQUESTS("'model': 'm'", EACH("2")) AND REQUESTS("'model': 'n'", EACH("5"))));
}

/* The bill of one request each of m and n on the 1st and on the 20th, under substitutions. */
static const char *
substituted(struct bill *bill, const struct substitution *substitutions, size_t count)
{
	bill->inputs.substitutions = substitutions;
	bill->inputs.substitution_count = count;
	for (int day = 1; day <= 20; day += 19) {
		bill_requests(bill, day, "m", 1);
		bill_requests(bill, day, "n", 1);
	}
	return bill_text(bill);
}

static void
a_version_that_stands_in_prices_the_whole_period(void)
{
	struct bill *all = bill_open(), *one = bill_open(), *early = bill_open(), *override = bill_open(), *other = bill_open();
	const struct price_books *books = two_versions(all);
	struct substitution stands = {.substitution_id = 1, .model = "", .books = books, .version = &books->item[1]};

	bill_contract(all, "2026-01-01T00:00:00Z", books, NULL, NULL);
	EXPECT_TEXT(substituted(all, &stands, 1), "m 2 x 2 = 4; n 2 x 5 = 10");
	bill_close(all);

	stands = (struct substitution){1, "n", two_versions(one), NULL};
	stands.version = &stands.books->item[1];
	bill_contract(one, "2026-01-01T00:00:00Z", stands.books, NULL, NULL);
	EXPECT_TEXT(substituted(one, &stands, 1), "m 1 x 1 = 1; m 1 x 2 = 2; n 2 x 5 = 10");
	bill_close(one);

	stands = (struct substitution){1, "", two_versions(early), NULL};
	stands.version = &stands.books->item[0];
	bill_contract(early, "2026-01-01T00:00:00Z", stands.books, NULL, NULL);
	EXPECT_TEXT(substituted(early, &stands, 1), "m 2 x 1 = 2; n 2 x 3 = 6");
	bill_close(early);

	stands = (struct substitution){1, "m", two_versions(override), NULL};
	stands.version = &stands.books->item[1];
	bill_contract(override, "2026-01-01T00:00:00Z",
	    bill_book(override, NAMED("base", "2026-01-01T00:00:00Z", "'rules': [" REQUESTS("'model': 'n'", EACH("9")) "]")),
	    stands.books, NULL);
	EXPECT_TEXT(substituted(override, &stands, 1), "m 2 x 2 = 4; n 1 x 3 = 3; n 1 x 5 = 5");
	bill_close(override);

	/* Of another book than the contract's it counts for nothing. */
	stands = (struct substitution){1, "", two_versions(other), NULL};
	stands.version = &stands.books->item[1];
	bill_contract(other, "2026-01-01T00:00:00Z",
	    bill_book(other, NAMED("base", "2026-01-01T00:00:00Z", "'rules': [" REQUESTS("'model': 'n'", EACH("9")) "]")), NULL,
	    NULL);
	EXPECT_TEXT(substituted(other, &stands, 1), "n 2 x 9 = 18; hold m 2: no_rule");
	bill_close(other);
}

static void
of_two_versions_that_stand_in_the_newer_one_counts(void)
{
	struct bill *all_last = bill_open(), *one_last = bill_open();
	const struct price_books *books = two_versions(all_last);
	const struct substitution all[] = {{1, "m", books, &books->item[1]}, {2, "", books, &books->item[0]}};
	const struct price_books *others = two_versions(one_last);
	const struct substitution one[] = {{2, "m", others, &others->item[1]}, {1, "", others, &others->item[0]}};

	bill_contract(all_last, "2026-01-01T00:00:00Z", books, NULL, NULL);
	EXPECT_TEXT(substituted(all_last, all, 2), "m 2 x 1 = 2; n 2 x 3 = 6");
	bill_close(all_last);
	bill_contract(one_last, "2026-01-01T00:00:00Z", others, NULL, NULL);
	EXPECT_TEXT(substituted(one_last, one, 2), "m 2 x 2 = 4; n 2 x 3 = 6");
	bill_close(one_last);
}

static void
a_version_stands_in_before_its_book_has_begun(void)
{
	struct bill *bill = bill_open();
	const struct price_books *books = bill_book(bill, VERSION("16", REQUESTS("'model': 'm'", EACH("2"))));
	const struct substitution stands = {1, "", books, &books->item[0]};

	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill->inputs.substitutions = &stands;
	bill->inputs.substitution_count = 1;
	bill_requests(bill, 1, "m", 5);
	EXPECT_BILL(bill, "m 5 x 2 = 10");
}

static void
a_counter_goes_on_over_a_new_version_of_the_same_rule(void)
{
	struct bill *named = bill_open(), *matched = bill_open(), *other = bill_open();
	const struct price_books *books;

	/* By its name, whatever it matches and wherever it stands. */
	books = bill_book(named, VERSION("01", REQUESTS("'name': 'r', 'model': 'm'", GRADUATED)));
	bill_book(named, VERSION("16", REQUESTS("'model': 'x'", EACH("1")) AND ANY_M(GRADUATED)));
	bill_contract(named, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill_requests(named, 15, "m", 90);
	bill_requests(named, 16, "m", 20);
	EXPECT_BILL(named, "m step 1 90 x 3 = 270; m step 1 10 x 3 = 30; m step 2 10 x 2 = 20");

	/* Without a name, by what it matches; steps and prices may be new. */
	books = bill_book(matched, VERSION("01", REQUESTS("'model': 'm'", GRADUATED)));
	bill_book(matched,
	    VERSION("16",
		REQUESTS(
		    "'model': 'm'", "{'tiers': 'graduated', 'per': 1, 'steps': [{'up_to': 95, 'price': '5'}, {'price': '4'}]}")));
	bill_contract(matched, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill_requests(matched, 15, "m", 90);
	bill_requests(matched, 16, "m", 20);
	EXPECT_BILL(matched, "m step 1 90 x 3 = 270; m step 1 5 x 5 = 25; m step 2 15 x 4 = 60");

	books = bill_book(other, VERSION("01", REQUESTS("'name': 'r', 'model': 'm'", GRADUATED)));
	bill_book(other, VERSION("16", REQUESTS("'name': 's', 'model': 'm'", GRADUATED)));
	bill_contract(other, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill_requests(other, 15, "m", 90);
	bill_requests(other, 16, "m", 20);
	EXPECT_BILL(other, "m step 1 90 x 3 = 270; m step 1 20 x 3 = 60");
}

static void
a_volume_price_counts_over_a_new_version_too(void)
{
	struct bill *bill = bill_open();
	const struct price_books *books = bill_book(bill, VERSION("01", ANY_M(VOLUME)));

	bill_book(bill,
	    VERSION("16", ANY_M("{'tiers': 'volume', 'per': 1, 'steps': [{'up_to': 100, 'price': '30'}, {'price': '20'}]}")));
	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill_requests(bill, 15, "m", 90);
	bill_requests(bill, 16, "m", 20);
	EXPECT_BILL(bill, "m step 2 90 x 2 = 180; m step 2 20 x 20 = 400");
}

static void
the_fee_of_a_volume_price_stands_once_in_a_month_of_two_versions(void)
{
	struct bill *bill = bill_open();
	const struct price_books *books =
	    bill_book(bill, VERSION("01", ANY_M("{'tiers': 'volume', 'per': 1, 'steps': [{'price': '0', 'fee': '10'}]}")));

	bill_book(bill,
	    VERSION("16",
		ANY_M("{'tiers': 'volume', 'per': 1, 'steps': [{'up_to': 5, 'price': '0', 'fee': '10'}, {'price': '0', 'fee': "
		      "'20'}]}")));
	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, NULL);
	bill_requests(bill, 15, "m", 90);
	bill_requests(bill, 16, "m", 20);
	EXPECT_BILL(bill, "m step 1 90 x 0 = 0; tier_fee m step 1 0 billed 1 x 10 = 10; m step 2 20 x 0 = 0");
}

static void
a_version_that_a_rating_has_not_seen_does_not_count(void)
{
	struct price_version item[2] = {{.version_id = 1, .version = 1, .effective = moment("2026-01-01T00:00:00Z")},
	    {.version_id = 2, .version = 2, .effective = moment("2026-01-16T00:00:00Z")}};
	const struct price_books books = {item, 2};
	struct bill *bill = bill_open();

	item[0].book = book_version_of(FLAT("1"), 1, NULL);
	item[1].book = book_version_of(VERSION("16", REQUESTS("'model': 'm'", EACH("2"))), 2, NULL);
	bill_contract(bill, "2026-01-01T00:00:00Z", &books, NULL, NULL);
	bill->inputs.priced_with = 1;
	bill_requests(bill, 20, "m", 3);
	EXPECT_TEXT(bill_text(bill), "m 3 x 1 = 3");
	CU_ASSERT_EQUAL(bill->rated.charges[0].version_id, 1);
	CU_ASSERT_EQUAL(bill->rated.charges[0].rule, 1);
	bill_close(bill);
	price_book_free(item[0].book);
	price_book_free(item[1].book);
}

/* --- times of use ---------------------------------------------------------------------------- */

#define NIGHT                                                                                                                    \
	"'windows': {'night': {'zone': 'UTC', 'spans': [{'from': '22:00', 'to': '06:00'}]}, "                                    \
	"'sunday': {'zone': 'UTC', 'spans': [{'days': ['sun']}]}}"

static struct usage
requests_at(const char *time, i128 quantity)
{
	struct usage usage = usage_on(1, "m", METER_requests, quantity);

	usage.start = moment(time);
	return usage;
}

static void
the_window_that_holds_the_quarter_changes_the_price(void)
{
	struct bill *bill = bill_under(BOOK(NIGHT ", 'rules': [" REQUESTS("'model': 'm'",
					   "{'price': '8', 'per': 1, 'times': [{'window': 'night', 'factor': '0.5'}, {'window': "
					   "'sunday', 'price': '1'}]}") "]"),
	    NULL);

	/* 2026-01-04 is a Sunday; at night the first entry counts. */
	bill_add(bill, requests_at("2026-01-01T05:45:00Z", 1));
	bill_add(bill, requests_at("2026-01-01T06:00:00Z", 10));
	bill_add(bill, requests_at("2026-01-01T21:45:00Z", 10));
	bill_add(bill, requests_at("2026-01-01T22:00:00Z", 1));
	bill_add(bill, requests_at("2026-01-04T12:00:00Z", 100));
	bill_add(bill, requests_at("2026-01-04T23:00:00Z", 1));
	EXPECT_BILL(bill, "m 20 x 8 = 160; m 3 x 4 = 12 (night x 0.5); m 100 x 1 = 100 (sunday)");
}

static void
steps_count_by_day_and_night_together(void)
{
	struct bill *bill = bill_under(BOOK(NIGHT ", 'rules': [" REQUESTS("'model': 'm'",
					   STEPS("graduated", ", 'times': [{'window': 'night', 'factor': '0.5'}]")) "]"),
	    NULL);

	bill_add(bill, requests_at("2026-01-01T12:00:00Z", 90));
	bill_add(bill, requests_at("2026-01-01T23:00:00Z", 20));
	EXPECT_BILL(bill, "m step 1 90 x 3 = 270; m step 1 10 x 1.5 = 15 (night x 0.5); m step 2 10 x 1 = 10 (night x 0.5)");
}

static void
a_window_may_have_tiers_or_brackets_of_its_own(void)
{
	struct bill *bill = bill_under(BOOK(NIGHT ", 'rules': [" REQUESTS("'model': 'm'",
					   "{'price': '8', 'per': 1, 'times': [{'window': 'night', 'brackets': [{'price': '2'}, "
					   "{'over': 10, 'price': '3'}]}, "
					   "{'window': 'sunday', 'package': 10, 'price': '5'}]}") "]"),
	    NULL);
	struct usage night = requests_at("2026-01-01T23:00:00Z", 2);

	night.size[SIZE_INPUT] = 11;
	bill_add(bill, night);
	bill_add(bill, requests_at("2026-01-04T12:00:00Z", 11));
	bill_add(bill, requests_at("2026-01-05T12:00:00Z", 1));
	EXPECT_BILL(bill, "m 1 x 8 = 8; m 2 x 3 = 6 (over 10; night); m step 1 11 billed 20 x 5/10 = 10 (sunday)");
}

/* --- layers ---------------------------------------------------------------------------------- */

static void
an_override_is_asked_before_the_book(void)
{
	struct bill *bill = bill_open();

	bill_contract(bill, "2026-01-01T00:00:00Z",
	    bill_book(bill, RULES("{'model_pattern': '.*', 'prices': {'requests': " EACH("5") ", 'tool_calls': " EACH("7") "}}")),
	    bill_book(bill, NAMED("deal", "2026-01-10T00:00:00Z", "'rules': [" REQUESTS("'model': 'm'", EACH("3")) "]")), NULL);
	bill_requests(bill, 9, "m", 1);
	bill_requests(bill, 10, "m", 1);
	bill_requests(bill, 10, "n", 1);
	bill_add(bill, usage_on(11, "m", METER_tool_calls, 1));
	EXPECT_BILL(bill, "m 1 x 3 = 3; m 1 x 5 = 5; m tool_calls 1 x 7 = 7; n 1 x 5 = 5");
}

static void
what_led_to_a_price_stands_with_the_charge(void)
{
	struct bill *bill = bill_open();

	bill_book(bill,
	    NAMED("standard", "2026-01-01T00:00:00Z",
		"'service_tiers': {'batch': {'inherit': 'default', 'factor': '0.5'}}, 'rules': [" REQUESTS(
		    "'model': 'llama'", EACH("10")) "]"));
	bill_contract(bill, "2026-01-01T00:00:00Z",
	    bill_book(bill,
		BOOK("'extends': {'book': 'standard', 'version': 1, 'factor': '0.9'}, 'rules': [{'adapter_kind': 'lora', "
		     "'inherit': "
		     "{'from': 'base_model', 'factor': '1.2', 'plus': {'requests': {'price': '0.1', 'per': 1}}}}]")),
	    NULL, NULL);
	{
		struct usage usage = usage_on(1, "mine", METER_requests, 1);

		usage.subject.field[MATCH_BASE_MODEL] = "llama";
		usage.subject.field[MATCH_ADAPTER_KIND] = "lora";
		bill_add(bill, usage);
		usage.subject.field[MATCH_SERVICE_TIER] = "batch";
		bill_add(bill, usage);
	}
	/* 10 x 0.9 x 1.2 + 0.1; batch has no rule: the half of that */
	EXPECT_BILL(bill,
	    "mine[batch] 1 x 5.45 = 5.45 (service tier default x 0.5; base model llama x 1.2 + 0.1 per 1; standard x 0.9); "
	    "mine 1 x 10.9 = 10.9 (base model llama x 1.2 + 0.1 per 1; standard x 0.9)");
}

static void
rules_of_an_extended_book_are_numbered_behind_its_own(void)
{
	struct bill *bill = bill_open();

	bill_book(bill,
	    NAMED("standard", "2026-01-01T00:00:00Z",
		"'rules': [" REQUESTS("'model': 'x'", EACH("1")) AND REQUESTS("'model': 'n'", EACH("2")) "]"));
	bill_contract(bill, "2026-01-01T00:00:00Z",
	    bill_book(
		bill, BOOK("'extends': {'book': 'standard', 'version': 1}, 'rules': [" REQUESTS("'model': 'm'", EACH("3")) "]")),
	    NULL, NULL);
	bill_requests(bill, 1, "m", 1);
	bill_requests(bill, 1, "n", 1);
	EXPECT_TEXT(bill_text(bill), "m 1 x 3 = 3; n 1 x 2 = 2 (standard)");
	CU_ASSERT_EQUAL(bill->rated.charges[0].rule, 1);
	CU_ASSERT_EQUAL(bill->rated.charges[1].rule, 3);
	bill_close(bill);
}

/* --- contracts ------------------------------------------------------------------------------- */

static void
usage_in_a_trial_is_free_and_counts_in_nothing(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", GRADUATED)),
	    "{'trial': {'until': '2026-01-10'}, 'allowances': [{'name': 'included', 'meters': ['requests'], 'quantity': 5}]}");

	bill_requests(bill, 9, "m", 90);
	bill_requests(bill, 9, "x", 1);
	bill_requests(bill, 10, "m", 20);
	EXPECT_BILL(bill,
	    "trial m 90 x 0 = 0 (free trial); allowance m 5 x 0 = 0 (included); m step 1 15 x 3 = 45; trial x 1 x 0 = 0 (free "
	    "trial)");
}

/* Aborted requests of m at noon of a day. */
static void
bill_aborted(struct bill *bill, int day, i128 quantity)
{
	struct usage usage = usage_on(day, "m", METER_requests, quantity);

	usage.is_aborted = true;
	bill_add(bill, usage);
}

static void
aborted_usage_that_the_contract_holds_fills_no_step_and_no_allowance(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", GRADUATED)),
	    "{'aborted_usage': 'hold', 'trial': {'until': '2026-01-10'},"
	    " 'allowances': [{'name': 'included', 'meters': ['requests'], 'quantity': 5}]}");

	bill_aborted(bill, 9, 7);
	bill_aborted(bill, 10, 90);
	bill_requests(bill, 10, "m", 20);
	bill_aborted(bill, 11, -1);
	EXPECT_BILL(bill,
	    "trial m 7 x 0 = 0 (free trial); allowance m 5 x 0 = 0 (included); m step 1 15 x 3 = 45; hold m 89: aborted_usage");
}

static void
aborted_usage_is_charged_where_the_contract_does_not_hold_it(void)
{
	static const char *const terms[] = {"{'aborted_usage': 'bill_reported'}", "{'fees': [{'name': 'f', 'amount': '0'}]}"};

	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
		struct bill *bill = bill_under(RULES(REQUESTS("'model': 'm'", GRADUATED)), terms[i]);

		bill_aborted(bill, 9, 90);
		EXPECT_BILL(bill, "m step 1 90 x 3 = 270");
	}
}

static void
an_allowance_takes_the_first_units_and_they_fill_no_steps(void)
{
	struct bill *bill = bill_under(RULES(ANY_M(GRADUATED)),
	    "{'allowances': [{'name': 'm1 only', 'meters': ['requests'], 'model_pattern': 'm1', 'quantity': 10}, "
	    "{'name': 'all', 'meters': ['requests'], 'quantity': 20}]}");

	bill_requests(bill, 1, "m1", 15);
	bill_requests(bill, 2, "m2", 120);
	EXPECT_BILL(bill,
	    "allowance m1 5 x 0 = 0 (all); allowance m1 10 x 0 = 0 (m1 only); allowance m2 15 x 0 = 0 (all); m2 step 1 100 x 3 = "
	    "300; "
	    "m2 step 2 5 x 2 = 10");
}

static void
discounts_commitment_bounds_and_fees_follow_in_this_order(void)
{
	struct bill *low = bill_under(FLAT("2"),
	    "{'fees': [{'name': 'platform', 'amount': '99'}], 'minimum': {'amount': '50'}, 'maximum': {'amount': '60'}, "
	    "'commitment': {'amount': '70', 'reset': 'month', 'overage': '1.5', 'true_up': true}, "
	    "'discounts': [{'name': 'deal', 'percent': '10'}, {'name': 'goodwill', 'amount': '2'}]}");
	struct bill *high = bill_under(
	    FLAT("2"), "{'maximum': {'amount': '80'}, 'commitment': {'amount': '70', 'reset': 'month', 'overage': '1.5'}}");

	/* 20, less 2, less 2: 16 of the 70 committed and of the minimum of 50 */
	bill_requests(low, 1, "m", 10);
	CU_ASSERT_PTR_NOT_NULL(bill_text(low));
	CU_ASSERT_EQUAL_FATAL(low->rated.charge_count, 6);
	EXPECT_TEXT(charge_kind_text(low->rated.charges[1].kind), "discount");
	CU_ASSERT_TRUE(low->rated.charges[1].amount.e18 == amount_of("-2").e18);
	CU_ASSERT_TRUE(low->rated.charges[2].amount.e18 == amount_of("-2").e18);
	EXPECT_TEXT(charge_kind_text(low->rated.charges[3].kind), "true_up");
	CU_ASSERT_TRUE(low->rated.charges[3].amount.e18 == amount_of("54").e18);
	EXPECT_TEXT(charge_kind_text(low->rated.charges[4].kind), "minimum");
	CU_ASSERT_TRUE(low->rated.charges[4].amount.e18 == amount_of("34").e18);
	EXPECT_TEXT(charge_kind_text(low->rated.charges[5].kind), "fee");
	CU_ASSERT_TRUE(low->rated.charges[5].amount.e18 == amount_of("99").e18);
	CU_ASSERT_EQUAL(low->rated.charges[5].contract_id, 1);
	bill_close(low);

	/* 90, of which 20 beyond 70 cost half as much again: 100, and 20 of it off */
	bill_requests(high, 1, "m", 45);
	CU_ASSERT_PTR_NOT_NULL(bill_text(high));
	CU_ASSERT_EQUAL_FATAL(high->rated.charge_count, 3);
	EXPECT_TEXT(charge_kind_text(high->rated.charges[1].kind), "overage");
	CU_ASSERT_TRUE(high->rated.charges[1].amount.e18 == amount_of("10").e18);
	EXPECT_TEXT(charge_kind_text(high->rated.charges[2].kind), "maximum");
	CU_ASSERT_TRUE(high->rated.charges[2].amount.e18 == amount_of("-20").e18);
	CU_ASSERT_TRUE(bill_sum(high).e18 == amount_of("80").e18);
	bill_close(high);
}

static void
a_commitment_counts_what_earlier_months_of_its_window_spent(void)
{
	struct bill *bill = bill_under(FLAT("2"), "{'commitment': {'amount': '100', 'reset': 'year', 'overage': '2'}}");

	bill->inputs.period = "2026-03";
	bill_spent(bill, "2025-12", "1000");
	bill_spent(bill, "2026-01", "70");
	bill_spent(bill, "2026-02", "20");
	bill_requests(bill, 1, "m", 15);
	bill_text(bill);
	/* 90 before and 30 now: 20 beyond the commitment */
	CU_ASSERT_TRUE(bill_sum(bill).e18 == amount_of("50").e18);
	bill_close(bill);
}

static void
usage_after_the_end_of_a_contract_is_held_and_its_terms_end_there(void)
{
	struct bill *ends = bill_open(), *back = bill_open();
	const struct price_books *books = bill_book(ends, FLAT("1"));
	const char *terms = "{'minimum': {'amount': '31', 'prorate': true}, 'fees': [{'name': 'seat', 'amount': '7'}, "
			    "{'name': 'room', 'amount': '31', 'prorate': true}]}";

	/* 10 of 31 days */
	bill_contract(ends, "2026-01-01T00:00:00Z", books, NULL, terms);
	ends->item[0].until = moment("2026-01-11T00:00:00Z");
	bill_requests(ends, 10, "m", 4);
	bill_requests(ends, 11, "m", 5);
	EXPECT_BILL(ends,
	    "m 4 x 1 = 4; minimum 6 (minimum: 31 x 240 of 744 hours - 4); fee 7 (seat: 7); fee 10 (room: 31 x 240 of 744 hours); "
	    "hold m 5: after_contract");

	/* Back for the last day: a fee that is not prorated is charged once. */
	books = bill_book(back, FLAT("1"));
	bill_contract(back, "2026-01-01T00:00:00Z", books, NULL, terms);
	back->item[0].until = moment("2026-01-11T00:00:00Z");
	bill_contract(back, "2026-01-31T00:00:00Z", books, NULL, terms);
	bill_requests(back, 10, "m", 4);
	bill_requests(back, 30, "m", 5);
	bill_requests(back, 31, "m", 1);
	EXPECT_BILL(back,
	    "m 4 x 1 = 4; m 1 x 1 = 1; minimum 6 (minimum: 31 x 240 of 744 hours - 4); "
	    "fee 10 (room: 31 x 240 of 744 hours); fee 7 (seat: 7); fee 1 (room: 31 x 24 of 744 hours); hold m 5: "
	    "after_contract");
}

static void
the_window_of_a_commitment_ends_with_the_contract_and_begins_anew_with_the_next(void)
{
	const char *terms = "{'commitment': {'amount': '100', 'reset': 'year', 'true_up': true}}";
	struct bill *ends = bill_open(), *back = bill_open();
	const struct price_books *books = bill_book(ends, FLAT("1"));

	bill_contract(ends, "2025-06-01T00:00:00Z", books, NULL, terms);
	ends->item[0].until = moment("2026-01-11T00:00:00Z");
	ends->inputs.period = "2026-02";
	bill_spent(ends, "2026-01", "30");
	bill_requests(ends, 1, "m", 20);
	EXPECT_BILL(ends, "m 20 x 1 = 20; true_up 50 (commitment: 100 - 50)");

	books = bill_book(back, FLAT("1"));
	bill_contract(back, "2025-06-01T00:00:00Z", books, NULL, terms);
	back->item[0].until = moment("2026-01-11T00:00:00Z");
	bill_contract(back, "2026-01-21T00:00:00Z", books, NULL, terms);
	back->item[1].until = moment("2026-01-31T00:00:00Z");
	back->inputs.period = "2026-02";
	bill_spent(back, "2026-01", "30");
	bill_requests(back, 1, "m", 20);
	bill_requests(back, 22, "m", 40);
	EXPECT_BILL(back, "m 20 x 1 = 20; m 40 x 1 = 40; true_up 50 (commitment: 100 - 50); true_up 60 (commitment: 100 - 40)");
}

static void
terms_hold_for_their_segment_of_the_period(void)
{
	struct bill *bill = bill_open();
	const struct price_books *books = bill_book(bill, RULES(ANY_M(EACH("1"))));

	/* 15 of 31 days, then a new name of the book with the same terms, then none */
	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, "{'minimum': {'amount': '31', 'prorate': true}}");
	bill_contract(bill, "2026-01-10T00:00:00Z", books, NULL, "{'minimum': {'amount': '31', 'prorate': true}}");
	bill_contract(bill, "2026-01-16T00:00:00Z", books, NULL, NULL);
	bill_requests(bill, 1, "m", 2);
	bill_requests(bill, 12, "m", 3);
	bill_requests(bill, 20, "m", 7);
	bill_text(bill);
	CU_ASSERT_EQUAL_FATAL(bill->rated.charge_count, 3);
	CU_ASSERT_EQUAL(bill->rated.charges[0].contract_id, 0);
	CU_ASSERT_TRUE(bill->rated.charges[0].quantity == 7);
	CU_ASSERT_EQUAL(bill->rated.charges[1].contract_id, 1);
	CU_ASSERT_TRUE(bill->rated.charges[1].quantity == 5);
	EXPECT_TEXT(charge_kind_text(bill->rated.charges[2].kind), "minimum");
	CU_ASSERT_TRUE(bill->rated.charges[2].amount.e18 == amount_of("10").e18);
	bill_close(bill);
}

static void
free_usage_of_one_segment_is_one_charge(void)
{
	struct bill *bill = bill_open();
	const struct price_books *books = bill_book(bill, FLAT("1"));
	const char *terms = "{'trial': {'until': '2026-02-01'}}";

	bill_contract(bill, "2026-01-01T00:00:00Z", books, NULL, terms);
	bill_contract(bill, "2026-01-10T00:00:00Z", books, NULL, terms);
	bill_requests(bill, 1, "m", 2);
	bill_requests(bill, 12, "m", 3);
	EXPECT_BILL(bill, "trial m 5 x 0 = 0 (free trial)");
}

static void
a_pattern_of_the_terms_that_cannot_be_decided_holds_the_usage(void)
{
	struct bill *bill = bill_under(RULES(REQUESTS("'model_pattern': '.*'", EACH("1"))),
	    "{'discounts': [{'name': 'd', 'percent': '10', 'model_pattern': '(a+)+'}]}");

	bill_requests(bill, 1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 4);
	EXPECT_BILL(bill, "hold aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 4: pattern_limit");
}

static void
a_period_without_usage_has_its_fees_and_its_minimum(void)
{
	struct bill *bill = bill_under(FLAT("1"), "{'fees': [{'name': 'platform', 'amount': '9'}], 'minimum': {'amount': '5'}}");

	bill_text(bill);
	CU_ASSERT_EQUAL(bill->rated.charge_count, 2);
	CU_ASSERT_TRUE(bill_sum(bill).e18 == amount_of("14").e18);
	bill_close(bill);
}

/* --- order, parts, digests ------------------------------------------------------------------- */

static void
parts_tell_which_charges_the_last_usage_went_to(void)
{
	struct bill *bill = bill_under(
	    RULES(REQUESTS("'model': 'm'", GRADUATED)), "{'allowances': [{'name': 'a', 'meters': ['requests'], 'quantity': 5}]}");
	const struct charging_part *parts;
	size_t count;

	bill_requests(bill, 1, "m", 145);
	parts = charging_parts(bill->charging, &count);
	CU_ASSERT_EQUAL_FATAL(count, 3);
	CU_ASSERT_TRUE(parts[0].place == 0 && parts[0].quantity == 5);
	CU_ASSERT_TRUE(parts[1].place == 1 && parts[1].quantity == 100);
	CU_ASSERT_TRUE(parts[2].place == 2 && parts[2].quantity == 40);
	bill_requests(bill, 1, "x", 1);
	parts = charging_parts(bill->charging, &count);
	CU_ASSERT_EQUAL_FATAL(count, 1);
	EXPECT_TEXT(parts[0].held, "no_rule");
	bill_close(bill);
}

/* The same usage in another order of its names and, within a charge, of its quarters. */
static void
the_output_digest_does_not_depend_on_the_order_of_equal_usage(void)
{
	unsigned char digests[2][DIGEST_SIZE];
	char text[2][1024];

	for (int backwards = 0; backwards < 2; backwards++) {
		struct bill *bill =
		    bill_under(RULES(ANY_M("{'price': '2', 'per': 1}") AND REQUESTS("'model': 'n'", GRADUATED)), NULL);

		for (int i = 0; i < 6; i++) {
			int at = backwards ? 5 - i : i;

			if (at % 2 == 0)
				bill_requests(bill, 1, at == 0 ? "m1" : at == 2 ? "m2" : "x", at + 1);
			else
				bill_requests(bill, 1, "n", 60);
		}
		snprintf(text[backwards], sizeof text[0], "%s", bill_text(bill));
		memcpy(digests[backwards], bill->rated.output_digest, DIGEST_SIZE);
		bill_close(bill);
	}
	EXPECT_TEXT(text[0], "m1 1 x 2 = 2; m2 3 x 2 = 6; n step 1 100 x 3 = 300; n step 2 80 x 2 = 160; hold x 5: no_rule");
	EXPECT_TEXT(text[0], text[1]);
	CU_ASSERT_EQUAL(memcmp(digests[0], digests[1], DIGEST_SIZE), 0);
}

static void
the_output_digest_changes_with_what_a_charge_shows(void)
{
	unsigned char digests[4][DIGEST_SIZE];
	static const char *const terms[] = {
	    NULL, NULL, "{'fees': [{'name': 'f', 'amount': '1'}]}", "{'fees': [{'name': 'g', 'amount': '1'}]}"};

	for (size_t i = 0; i < 4; i++) {
		struct bill *bill = bill_under(FLAT("2"), terms[i]);

		bill_requests(bill, 1, "m", i == 1 ? 6 : 5);
		bill_text(bill);
		memcpy(digests[i], bill->rated.output_digest, DIGEST_SIZE);
		bill_close(bill);
	}
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			CU_ASSERT_NOT_EQUAL(memcmp(digests[i], digests[j], DIGEST_SIZE), 0);
}

static void
books_that_are_not_published_are_told_apart(void)
{
	struct bill *bill = bill_open();
	struct usage usage = usage_on(1, "m", METER_requests, 150);

	bill_contract(bill, "2026-01-01T00:00:00Z", bill_book(bill, RULES(REQUESTS("'model': 'm'", VOLUME))),
	    bill_book(bill,
		NAMED("deal", "2026-01-01T00:00:00Z",
		    "'rules': [" REQUESTS(
			"'model': 'm', 'project': 'p'", "{'tiers': 'volume', 'per': 1, 'steps': [{'price': '7'}]}") "]")),
	    NULL);
	bill_add(bill, usage);
	usage.subject.field[MATCH_PROJECT] = "p";
	usage.quantity = 10;
	bill_add(bill, usage);
	EXPECT_BILL(bill, "m step 1 10 x 7 = 70; m step 2 150 x 2 = 300");
}

/* --- pieces ---------------------------------------------------------------------------------- */

static void
expect_pieces_add_up(const char *book, uint64_t *state)
{
	struct bill *whole = bill_under(book, NULL), *pieces = bill_under(book, NULL);
	i128 quantity = (i128)(random_next(state) % 700), left = quantity;
	char wanted[2048];
	uint64_t before = *state;

	bill_requests(whole, 1, "m", quantity);
	while (left > 0) {
		i128 piece = (i128)(random_next(state) % (uint64_t)(left + 1));

		bill_requests(pieces, 1, "m", piece);
		left -= piece;
	}
	if (quantity == 0)
		bill_requests(pieces, 1, "m", 0);
	snprintf(wanted, sizeof wanted, "%s", bill_text(whole));
	EXPECT_TEXT(bill_text(pieces), wanted);
	if (strcmp(text_string(&pieces->shown), wanted) != 0)
		printf("\n    behind state %llu: %s\n", (unsigned long long)before, book);
	bill_close(pieces);
	bill_close(whole);
}

static void
usage_in_pieces_costs_what_it_costs_at_once(void)
{
	uint64_t state = random_begin();

	for (int i = 0; i < 30; i++) {
		expect_pieces_add_up(RULES(REQUESTS("'model': 'm'", GRADUATED)), &state);
		expect_pieces_add_up(RULES(REQUESTS("'model': 'm'", VOLUME)), &state);
		expect_pieces_add_up(RULES(REQUESTS("'model': 'm'", "{'package': 17, 'price': '3'}")), &state);
		expect_pieces_add_up(RULES(REQUESTS("'model': 'm'",
					 "{'tiers': 'graduated', 'steps': [{'up_to': 90, 'package': 7, 'price': '1', 'fee': "
					 "'2'}, {'package': 50, 'price': '3'}]}")),
		    &state);
		expect_pieces_add_up(RULES(REQUESTS("'model': 'm'",
					 "{'tiers': 'volume', 'steps': [{'up_to': 90, 'package': 7, 'price': '1', 'fee': '2'}, "
					 "{'package': 50, 'price': '3'}]}")),
		    &state);
	}
}

UNIT_TESTS("rating/charges", TEST(a_charge_is_quantity_times_price_over_per), TEST(fractions_of_units_and_named_units_are_exact),
    TEST(equal_charges_are_one_charge), TEST(aborted_usage_that_the_contract_holds_fills_no_step_and_no_allowance),
    TEST(aborted_usage_is_charged_where_the_contract_does_not_hold_it), TEST(usage_of_nothing_is_a_charge_of_nothing),
    TEST(what_was_taken_back_takes_its_charge_back), TEST(usage_without_a_price_is_held_and_the_reason_is_told),
    TEST(without_a_contract_or_a_book_in_force_nothing_is_priced),
    TEST(a_book_in_another_currency_than_the_contract_prices_nothing), TEST(a_price_below_nothing_is_held),
    TEST(an_amount_that_does_not_fit_is_an_error_and_no_number), TEST(an_amount_that_cannot_be_kept_is_an_error_that_names_it),
    TEST(a_bracket_begins_with_the_first_size_it_names), TEST(a_bracket_looks_at_the_size_it_is_about),
    TEST(a_request_of_unknown_size_is_held), TEST(split_tokens_are_each_priced_at_their_place),
    TEST(a_bracket_may_hold_tiers_of_its_own), TEST(graduated_steps_fill_in_the_order_of_time),
    TEST(a_volume_price_is_that_of_the_step_the_month_reaches), TEST(each_started_package_is_charged_whole_once),
    TEST(packages_of_a_step_count_from_where_the_step_begins), TEST(the_fee_of_a_graduated_step_is_charged_when_it_is_entered),
    TEST(the_fee_of_a_volume_price_is_that_of_the_step_reached), TEST(a_volume_price_in_packages_rounds_the_whole_up_once),
    TEST(a_counter_counts_what_its_scope_says), TEST(a_group_counts_what_names_it),
    TEST(meters_that_fall_back_to_one_price_count_together), TEST(a_counter_lives_for_its_window_and_is_carried_through_it),
    TEST(carried_units_fill_the_first_steps), TEST(a_package_that_an_earlier_month_began_is_not_charged_again),
    TEST(a_fee_that_an_earlier_month_paid_is_not_charged_again), TEST(the_version_in_force_when_the_quarter_began_prices_it),
    TEST(a_counter_goes_on_over_a_new_version_of_the_same_rule), TEST(a_volume_price_counts_over_a_new_version_too),
    TEST(the_fee_of_a_volume_price_stands_once_in_a_month_of_two_versions),
    TEST(a_version_that_stands_in_prices_the_whole_period), TEST(of_two_versions_that_stand_in_the_newer_one_counts),
    TEST(a_version_stands_in_before_its_book_has_begun), TEST(a_version_that_a_rating_has_not_seen_does_not_count),
    TEST(the_window_that_holds_the_quarter_changes_the_price), TEST(steps_count_by_day_and_night_together),
    TEST(a_window_may_have_tiers_or_brackets_of_its_own), TEST(an_override_is_asked_before_the_book),
    TEST(what_led_to_a_price_stands_with_the_charge), TEST(rules_of_an_extended_book_are_numbered_behind_its_own),
    TEST(usage_in_a_trial_is_free_and_counts_in_nothing), TEST(an_allowance_takes_the_first_units_and_they_fill_no_steps),
    TEST(discounts_commitment_bounds_and_fees_follow_in_this_order),
    TEST(a_commitment_counts_what_earlier_months_of_its_window_spent),
    TEST(usage_after_the_end_of_a_contract_is_held_and_its_terms_end_there),
    TEST(the_window_of_a_commitment_ends_with_the_contract_and_begins_anew_with_the_next),
    TEST(terms_hold_for_their_segment_of_the_period), TEST(free_usage_of_one_segment_is_one_charge),
    TEST(a_pattern_of_the_terms_that_cannot_be_decided_holds_the_usage),
    TEST(a_period_without_usage_has_its_fees_and_its_minimum), TEST(parts_tell_which_charges_the_last_usage_went_to),
    TEST(the_output_digest_does_not_depend_on_the_order_of_equal_usage), TEST(the_output_digest_changes_with_what_a_charge_shows),
    TEST(books_that_are_not_published_are_told_apart), TEST(usage_in_pieces_costs_what_it_costs_at_once))
