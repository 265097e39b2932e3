/*
 * tiers_test.c -- quantities under a price list with three steps: to 100 units at 3, to 300 at 2, beyond at 1.
 *
 * As many as 100 cost 300; as many as 300 cost 700; as many as 400 cost 800.
 */
#include "rating/tiers.h"

#include "tests/support/unit.h"

static const struct meter_price prices = {
    .mode = TIER_GRADUATED, .per = 1, .steps = 3, .step = {{100, {3}}, {300, {2}}, {0, {1}}}};

/* "0:100 1:200": the parts as step:quantity. */
static const char *
split(i128 already, i128 quantity)
{
	static char text[600];
	struct tier_part parts[TIER_STEPS_MAX];
	size_t count = 0, used = 0;
	char number[DECIMAL_TEXT];
	struct error err = {0};

	text[0] = '\0';
	if (!tiers_split(&prices, already, quantity, parts, &count, &err)) {
		CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
		snprintf(text, sizeof text, "refused: %s", err.message);
		return text;
	}
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu:%s", i > 0 ? " " : "", parts[i].step,
		    integer_format(parts[i].quantity, number));
	return text;
}

static int
cost(i128 already, i128 quantity)
{
	struct tier_part parts[TIER_STEPS_MAX];
	size_t count = 0;
	struct error err = {0};
	i128 sum = 0;

	CU_ASSERT_TRUE(tiers_split(&prices, already, quantity, parts, &count, &err));
	for (size_t i = 0; i < count; i++)
		sum += parts[i].quantity * prices.step[parts[i].step].price.e18;
	return (int)sum;
}

static void
each_part_pays_the_price_of_its_step(void)
{
	EXPECT_TEXT(split(0, 40), "0:40");
	EXPECT_TEXT(split(0, 150), "0:100 1:50");
	EXPECT_TEXT(split(0, 400), "0:100 1:200 2:100");
	CU_ASSERT_EQUAL(cost(0, 40), 120);
	CU_ASSERT_EQUAL(cost(0, 150), 300 + 100);
	CU_ASSERT_EQUAL(cost(0, 400), 300 + 400 + 100);
}

static void
what_was_counted_before_fills_the_first_steps(void)
{
	EXPECT_TEXT(split(90, 20), "0:10 1:10");
	EXPECT_TEXT(split(250, 100), "1:50 2:50");
	EXPECT_TEXT(split(1000, 5), "2:5");
	CU_ASSERT_EQUAL(cost(90, 20), 30 + 20);
}

static void
the_unit_named_by_up_to_is_still_in_the_step(void)
{
	EXPECT_TEXT(split(0, 100), "0:100");
	EXPECT_TEXT(split(99, 1), "0:1");
	EXPECT_TEXT(split(100, 1), "1:1");
	EXPECT_TEXT(split(0, 300), "0:100 1:200");
	EXPECT_TEXT(split(300, 1), "2:1");
}

static void
nothing_added_has_no_parts(void)
{
	EXPECT_TEXT(split(0, 0), "");
	EXPECT_TEXT(split(100, 0), "");
}

static void
the_order_of_additions_does_not_change_their_sum(void)
{
	CU_ASSERT_EQUAL(cost(0, 400), cost(0, 30) + cost(30, 200) + cost(230, 170));
	CU_ASSERT_EQUAL(cost(0, 400), cost(0, 100) + cost(100, 200) + cost(300, 100));
}

static void
taking_back_is_the_exact_opposite_of_adding(void)
{
	EXPECT_TEXT(split(150, -150), "0:-100 1:-50");
	EXPECT_TEXT(split(400, -200), "1:-100 2:-100");
	for (int already = 0; already <= 400; already += 50)
		for (int quantity = 0; quantity <= 400; quantity += 50)
			CU_ASSERT_EQUAL(cost(already + quantity, -quantity), -cost(already, quantity));
}

static void
taking_back_more_than_was_counted_is_refused(void)
{
	EXPECT_TEXT(split(10, -10), "0:-10");
	EXPECT_TEXT(split(10, -11), "refused: more is taken back than the tiers have counted");
	EXPECT_TEXT(split(-1, 5), "refused: more is taken back than the tiers have counted");
}

static void
a_total_beyond_128_bits_is_refused(void)
{
	i128 largest = (i128)(~(u128)0 >> 1);

	EXPECT_TEXT(split(largest, 0), "");
	EXPECT_TEXT(split(largest, 1), "refused: the quantity counted in tiers exceeds 128 bits");
}

static void
a_volume_price_is_the_step_that_the_total_reaches(void)
{
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, 0), 0);
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, 100), 0);
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, 101), 1);
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, 300), 1);
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, 301), 2);
	CU_ASSERT_EQUAL(tiers_volume_step(&prices, (i128)1 << 100), 2);
}

static void
a_list_of_one_step_is_one_price(void)
{
	struct meter_price one = {.mode = TIER_GRADUATED, .per = 1, .steps = 1, .step = {{0, {3}}}};
	struct tier_part parts[TIER_STEPS_MAX];
	struct error err = {0};
	size_t count = 0;

	CU_ASSERT_TRUE(tiers_split(&one, 7, 1000000, parts, &count, &err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_TRUE(parts[0].step == 0 && parts[0].quantity == 1000000);
	CU_ASSERT_EQUAL(tiers_volume_step(&one, 1000000), 0);
}

UNIT_TESTS("rating/tiers", TEST(each_part_pays_the_price_of_its_step), TEST(what_was_counted_before_fills_the_first_steps),
    TEST(the_unit_named_by_up_to_is_still_in_the_step), TEST(nothing_added_has_no_parts),
    TEST(the_order_of_additions_does_not_change_their_sum), TEST(taking_back_is_the_exact_opposite_of_adding),
    TEST(taking_back_more_than_was_counted_is_refused), TEST(a_total_beyond_128_bits_is_refused),
    TEST(a_volume_price_is_the_step_that_the_total_reaches), TEST(a_list_of_one_step_is_one_price))
