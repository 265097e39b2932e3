/* requests_test.c -- what single requests have of usage that was priced as a sum; numbers that can be checked in the head. */
#include "reports/request_parts.h"

#include <stdlib.h>

#include "tests/unit/rating/charging_fixture.h"

enum { USAGE_MAX = 256, SHARES_MAX = 64, PARTS_ROOM = 64 };

/* To 100 units at 3, to 300 at 2, beyond at 1. */
#define STEPS "'steps': [{'up_to': 100, 'price': '3'}, {'up_to': 300, 'price': '2'}, {'price': '1'}]"
#define GRADUATED "{'tiers': 'graduated', 'per': 1, " STEPS "}"

/* A bill that is settled, and its usage once more, to be laid out request by request. */
struct laid {
	struct bill *bill;
	struct usage usage[USAGE_MAX];
	size_t usage_count, next;
	struct rated again;
	struct charging *charging;
	struct charge_share shares[SHARES_MAX]; /* by charge.place */
	struct charging_part parts[PARTS_ROOM];
	struct usage_walk walk;
	struct text shown;
};

static struct laid *
laid_under(const char *book, const char *terms)
{
	struct laid *laid = memory_new(1, sizeof *laid);

	laid->bill = bill_under(book, terms);
	return laid;
}

static void
laid_add(struct laid *laid, struct usage usage)
{
	CU_ASSERT_FATAL(laid->usage_count < USAGE_MAX);
	laid->usage[laid->usage_count++] = usage;
	bill_add(laid->bill, usage);
}

static void
laid_settle(struct laid *laid)
{
	const struct rated *rated = &laid->bill->rated;

	(void)bill_text(laid->bill);
	CU_ASSERT_FATAL(rated->charge_count <= SHARES_MAX);
	for (size_t i = 0; i < rated->charge_count; i++)
		laid->shares[rated->charges[i].place].charge = &rated->charges[i];
	laid->charging = charging_new(&laid->bill->inputs, NULL, &laid->again);
}

/* Goes on to the next usage, whose requests follow. */
static i128
laid_next(struct laid *laid)
{
	const struct usage *usage = &laid->usage[laid->next++];
	const struct charging_part *parts;
	size_t count;
	i128 sum = 0;

	CU_ASSERT_TRUE_FATAL(charging_add(laid->charging, usage, &laid->bill->err));
	parts = charging_parts(laid->charging, &count);
	CU_ASSERT_FATAL(count >= 1 && count <= PARTS_ROOM);
	for (size_t i = 0; i < count; i++) {
		laid->parts[usage->quantity < 0 ? count - 1 - i : i] = parts[i];
		sum += parts[i].quantity;
	}
	CU_ASSERT_TRUE(sum == usage->quantity);
	laid->walk = (struct usage_walk){.parts = laid->parts, .count = count};
	return usage->quantity;
}

/* One request; adds up what it costs. */
static struct decimal
laid_request(struct laid *laid, i128 quantity)
{
	struct request_part out[PARTS_ROOM];
	size_t count = usage_walk_on(&laid->walk, quantity, out);
	struct decimal sum = {0}, amount;
	i128 units = 0;

	for (size_t i = 0; i < count; i++) {
		units += out[i].to - out[i].from;
		if (out[i].part->held != NULL)
			continue;
		CU_ASSERT_TRUE_FATAL(charge_share_add(&laid->shares[out[i].part->place], &out[i], &amount, &laid->bill->err));
		CU_ASSERT_TRUE_FATAL(decimal_add(sum, amount, &sum, &laid->bill->err));
	}
	CU_ASSERT_TRUE(units == quantity);
	return sum;
}

/* The same as text. */
static const char *
laid_amount(struct laid *laid, i128 quantity)
{
	char amount[DECIMAL_TEXT];

	text_clear(&laid->shown);
	text_add_string(&laid->shown, decimal_format(laid_request(laid, quantity), amount));
	return text_string(&laid->shown);
}

/* Every charge of usage is given out, to the last unit and decimal. */
static void
laid_close(struct laid *laid)
{
	const struct rated *rated = &laid->bill->rated;

	for (size_t i = 0; i < rated->charge_count; i++)
		if (rated->charges[i].kind <= CHARGE_ALLOWANCE)
			CU_ASSERT_TRUE(charge_share_is_whole(&laid->shares[rated->charges[i].place]));
	charging_free(laid->charging);
	rated_release(&laid->again);
	bill_close(laid->bill);
	text_release(&laid->shown);
	free(laid);
}

/* Usage of one quarter alone. */
static struct laid *
laid_once(const char *price, const char *terms, i128 quantity)
{
	struct text book = {0};
	struct laid *laid;

	text_add_format(&book, RULES("{'name': 'r', 'model': 'm', 'prices': {'requests': %s}}"), price);
	laid = laid_under(text_string(&book), terms);
	text_release(&book);
	laid_add(laid, usage_on(1, "m", METER_requests, quantity));
	laid_settle(laid);
	laid_next(laid);
	return laid;
}

/* --- along the parts ------------------------------------------------------------------------- */

static void
requests_are_laid_along_the_steps_in_their_order(void)
{
	struct laid *laid = laid_once(GRADUATED, NULL, 350);

	EXPECT_TEXT(laid_amount(laid, 90), "270");
	EXPECT_TEXT(laid_amount(laid, 20), "50");   /* 10 at 3, 10 at 2 */
	EXPECT_TEXT(laid_amount(laid, 240), "430"); /* 190 at 2, 50 at 1 */
	laid_close(laid);
}

static void
a_reversal_gives_back_what_lies_on_top(void)
{
	struct laid *laid = laid_once(GRADUATED, NULL, 110);

	EXPECT_TEXT(laid_amount(laid, 90), "270");
	EXPECT_TEXT(laid_amount(laid, 15), "40");
	EXPECT_TEXT(laid_amount(laid, -15), "-40");
	EXPECT_TEXT(laid_amount(laid, 20), "50");
	laid_close(laid);
}

static void
what_is_taken_back_later_goes_beyond_the_last_part(void)
{
	struct laid *laid = laid_once(GRADUATED, NULL, 110);

	EXPECT_TEXT(laid_amount(laid, 300), "700"); /* 100 at 3, all others at 2 */
	EXPECT_TEXT(laid_amount(laid, -300), "-700");
	EXPECT_TEXT(laid_amount(laid, 110), "320");
	laid_close(laid);
}

static void
a_quarter_that_takes_back_goes_down_the_steps(void)
{
	struct laid *laid = laid_under(RULES(REQUESTS("'model': 'm'", GRADUATED)), NULL);

	laid_add(laid, usage_on(1, "m", METER_requests, 310));
	laid_add(laid, usage_on(2, "m", METER_requests, -250));
	laid_settle(laid);
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 310), "710");
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, -10), "-10");
	EXPECT_TEXT(laid_amount(laid, -240), "-520"); /* 200 at 2, 40 at 3 */
	laid_close(laid);
}

static void
allowances_come_first_and_cost_nothing(void)
{
	struct laid *laid = laid_once(GRADUATED, "{'allowances': [{'name': 'a', 'meters': ['requests'], 'quantity': 50}]}", 170);

	EXPECT_TEXT(laid_amount(laid, 40), "0");
	EXPECT_TEXT(laid_amount(laid, 20), "30");
	EXPECT_TEXT(laid_amount(laid, 110), "310");
	laid_close(laid);
}

static void
what_is_held_keeps_its_place(void)
{
	struct laid *laid = laid_under(
	    RULES(REQUESTS("'name': 'base', 'model': 'b'",
		"{'tiers': 'graduated', 'per': 1, 'steps': [{'up_to': 10, 'price': '3'}, {'up_to': 20, 'price': '1'}, {'price': "
		"'5'}]}") AND
		"{'model': 'm', 'inherit': {'from': {'rule': 'base'}, 'plus': {'requests': {'price': '-2', 'per': 1}}}}"),
	    NULL);

	laid_add(laid, usage_on(1, "m", METER_requests, 30));
	laid_settle(laid);
	/* the second step is below nothing: all of it is held */
	CU_ASSERT_TRUE_FATAL(laid->bill->rated.hold_count == 1 && laid->bill->rated.holds[0].quantity == 30);
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 12), "0");
	EXPECT_TEXT(laid_amount(laid, 7), "0");
	EXPECT_TEXT(laid_amount(laid, 11), "0");
	laid_close(laid);
}

/* --- packages -------------------------------------------------------------------------------- */

static void
the_request_that_begins_a_package_pays_for_it(void)
{
	struct laid *laid = laid_under(RULES(REQUESTS("'model': 'm'", "{'package': 100, 'price': '7'}")), NULL);

	laid_add(laid, usage_on(1, "m", METER_requests, 50));
	laid_add(laid, usage_on(2, "m", METER_requests, 100));
	laid_settle(laid);
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 20), "7");
	EXPECT_TEXT(laid_amount(laid, 30), "0");
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 50), "0");
	EXPECT_TEXT(laid_amount(laid, 50), "7");
	laid_close(laid);
}

static void
packages_that_are_full_are_packages_all_the_same(void)
{
	struct laid *laid = laid_once("{'package': 100, 'price': '7'}", NULL, 200);

	EXPECT_TEXT(laid_amount(laid, 60), "7");
	EXPECT_TEXT(laid_amount(laid, 60), "7");
	EXPECT_TEXT(laid_amount(laid, 80), "0");
	laid_close(laid);
}

static void
volume_prices_are_those_of_the_whole_period(void)
{
	struct laid *laid = laid_under(RULES(REQUESTS("'model': 'm'", "{'tiers': 'volume', 'per': 1, " STEPS "}")), NULL);

	laid_add(laid, usage_on(1, "m", METER_requests, 90));
	laid_add(laid, usage_on(2, "m", METER_requests, 90));
	laid_settle(laid);
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 90), "180");
	laid_next(laid);
	EXPECT_TEXT(laid_amount(laid, 90), "180");
	laid_close(laid);
}

/* --- to the last decimal --------------------------------------------------------------------- */

static void
amounts_below_the_last_decimal_are_not_lost(void)
{
	struct laid *laid = laid_once("{'price': '0.000000000000000001', 'per': 1000}", NULL, 3000);
	int charged = 0;

	for (int i = 0; i < 3000; i++) {
		i128 amount = laid_request(laid, 1).e18;

		CU_ASSERT_TRUE(amount == 0 || amount == 1);
		charged += (int)amount;
	}
	CU_ASSERT_EQUAL(charged, 3);
	laid_close(laid);
}

static uint64_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Of three models: packages in steps that all share one counter; volume packages; a price with many decimals. */
static struct usage
random_usage(uint64_t *random, int day)
{
	static const char *const models[] = {"m1", "m2", "v1", "v2", "f"};

	return usage_on(day, models[next_random(random) % 5], METER_requests, (i128)(next_random(random) % 700 + 1));
}

/* Requests of a quarter: some, then more than there are and back, then the rest. */
static void
random_requests(struct laid *laid, uint64_t *random)
{
	i128 left = laid_next(laid);

	while (left > 0) {
		i128 units = (i128)(next_random(random) % 200 + 1), beyond;

		if (next_random(random) % 4 == 0) {
			beyond = laid_request(laid, units + 500).e18;
			CU_ASSERT_TRUE(beyond >= 0 && laid_request(laid, -units - 500).e18 == -beyond);
		}
		units = units < left ? units : left;
		CU_ASSERT_TRUE(laid_request(laid, units).e18 >= 0);
		left -= units;
	}
}

static void
random_requests_add_up_to_their_charges(void)
{
	uint64_t random = 4;

	for (int round = 0; round < 50; round++) {
		struct laid *laid = laid_under(
		    RULES(REQUESTS("'name': 'm', 'model_pattern': 'm.'",
			"{'tiers': 'graduated', 'counter': {'scope': 'group', 'group': 'g'}, 'steps': "
			"[{'up_to': 900, 'package': 100, 'price': '0.7'}, {'up_to': 2050, 'package': 50, 'price': '0.3', 'fee': "
			"'1'}, "
			"{'package': 1000, 'price': '3'}]}") AND REQUESTS("'name': 'v', 'model_pattern': 'v.'",
			"{'tiers': 'volume', 'counter': {'scope': 'group', 'group': 'v'}, 'steps': "
			"[{'up_to': 900, 'package': 100, 'price': '0.7'}, {'package': 70, 'price': '0.1', 'fee': '2'}]}")
			    AND REQUESTS("'model': 'f'", "{'price': '0.123456789123456789', 'per': 1000}")),
		    "{'allowances': [{'name': 'a', 'meters': ['requests'], 'quantity': 333}], 'discounts': [{'name': 'd', "
		    "'percent': '10'}]}");

		for (int day = 1; day <= 28; day++)
			laid_add(laid, random_usage(&random, day));
		laid_settle(laid);
		for (int day = 1; day <= 28; day++)
			random_requests(laid, &random);
		laid_close(laid);
	}
}

UNIT_TESTS("reports/requests", TEST(requests_are_laid_along_the_steps_in_their_order),
    TEST(a_reversal_gives_back_what_lies_on_top), TEST(what_is_taken_back_later_goes_beyond_the_last_part),
    TEST(a_quarter_that_takes_back_goes_down_the_steps), TEST(allowances_come_first_and_cost_nothing),
    TEST(what_is_held_keeps_its_place), TEST(the_request_that_begins_a_package_pays_for_it),
    TEST(packages_that_are_full_are_packages_all_the_same), TEST(volume_prices_are_those_of_the_whole_period),
    TEST(amounts_below_the_last_decimal_are_not_lost), TEST(random_requests_add_up_to_their_charges))
