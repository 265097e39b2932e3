/*
 * tiers_test.c -- quantities under a price list with three steps: to 100 units at 3, to 300 at 2, beyond at 1.
 *
 * As many as 100 cost 300; as many as 300 cost 700; as many as 400 cost 800.
 */
#include "rating/tiers.h"

#include "tests/support/random.h"
#include "tests/support/unit.h"

static const struct tier_step steps[] = {
    {.up_to = 100, .price = {3}, .per = 1}, {.up_to = 300, .price = {2}, .per = 1}, {.price = {1}, .per = 1}};
static const struct tiers prices = {TIER_GRADUATED, 3, steps};

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
	static const struct tier_step step = {.price = {3}, .per = 1};
	struct tiers one = {TIER_GRADUATED, 1, &step};
	struct tier_part parts[TIER_STEPS_MAX];
	struct error err = {0};
	size_t count = 0;

	CU_ASSERT_TRUE(tiers_split(&one, 7, 1000000, parts, &count, &err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_TRUE(parts[0].step == 0 && parts[0].quantity == 1000000);
	CU_ASSERT_EQUAL(tiers_volume_step(&one, 1000000), 0);
}

/* --- packages -------------------------------------------------------------------------------- */

static int
billed(int64_t package, int already, int quantity)
{
	const struct tier_step step = {.price = {1}, .per = package, .in_packages = true};

	return (int)tiers_billed(&step, already, quantity, 1);
}

static void
without_packages_what_is_billed_is_the_quantity(void)
{
	static const struct tier_step step = {.price = {1}, .per = 1000};

	CU_ASSERT_TRUE(tiers_billed(&step, 0, 1, 1) == 1);
	CU_ASSERT_TRUE(tiers_billed(&step, 999, -7, 1) == -7);
}

static void
a_package_is_billed_whole_by_the_unit_that_begins_it(void)
{
	CU_ASSERT_EQUAL(billed(10, 0, 0), 0);
	CU_ASSERT_EQUAL(billed(10, 0, 1), 10);
	CU_ASSERT_EQUAL(billed(10, 0, 10), 10);
	CU_ASSERT_EQUAL(billed(10, 0, 11), 20);
	CU_ASSERT_EQUAL(billed(10, 1, 9), 0);
	CU_ASSERT_EQUAL(billed(10, 10, 1), 10);
	CU_ASSERT_EQUAL(billed(1, 5, 3), 3);
}

static void
a_package_taken_back_is_given_back_by_the_unit_that_began_it(void)
{
	CU_ASSERT_EQUAL(billed(10, 11, -1), -10);
	CU_ASSERT_EQUAL(billed(10, 10, -9), 0);
	CU_ASSERT_EQUAL(billed(10, 10, -10), -10);
}

static void
a_package_of_a_meter_with_fractions_counts_whole_units(void)
{
	static const struct tier_step step = {.price = {1}, .per = 10, .in_packages = true};
	const i128 second = 1000000000;

	CU_ASSERT_TRUE(tiers_billed(&step, 0, 1, second) == 10 * second);
	CU_ASSERT_TRUE(tiers_billed(&step, 0, 10 * second, second) == 10 * second);
	CU_ASSERT_TRUE(tiers_billed(&step, 0, 10 * second + 1, second) == 20 * second);
}

static void
a_graduated_step_begins_where_the_one_before_ends(void)
{
	static const struct tiers volume = {TIER_VOLUME, 3, steps};

	CU_ASSERT_TRUE(tiers_step_begins(&prices, 0) == 0);
	CU_ASSERT_TRUE(tiers_step_begins(&prices, 1) == 100);
	CU_ASSERT_TRUE(tiers_step_begins(&prices, 2) == 300);
	/* The whole quantity is in the step of a volume price. */
	CU_ASSERT_TRUE(tiers_step_begins(&volume, 2) == 0);
}

/* --- pieces ---------------------------------------------------------------------------------- */

/* To 90 units in packages of 7 at 1 each, to 400 a unit at 2, beyond in packages of 50 at 3. */
static const struct tier_step packed_steps[] = {{.up_to = 90, .price = {1}, .per = 7, .in_packages = true},
    {.up_to = 400, .price = {2}, .per = 1}, {.price = {3}, .per = 50, .in_packages = true}};
static const struct tiers packed = {TIER_GRADUATED, 3, packed_steps};

/* What is charged for units that come after others. */
static int
packed_cost(i128 already, i128 quantity)
{
	struct tier_part parts[TIER_STEPS_MAX];
	size_t count = 0;
	struct error err = {0};
	i128 low = quantity < 0 ? already + quantity : already, sum = 0;

	CU_ASSERT_TRUE(tiers_split(&packed, already, quantity, parts, &count, &err));
	for (size_t i = 0; i < count; i++) {
		const struct tier_step *step = &packed_steps[parts[i].step];
		i128 units = parts[i].quantity < 0 ? -parts[i].quantity : parts[i].quantity;

		sum +=
		    tiers_billed(step, low - tiers_step_begins(&packed, parts[i].step), units, 1) / step->per * step->price.e18;
		low += units;
	}
	return (int)(quantity < 0 ? -sum : sum);
}

static void
each_step_has_packages_of_its_own(void)
{
	/* 90 units begin 13 packages of 7; 310 units at 2; 1 unit begins a package of 50. */
	CU_ASSERT_EQUAL(packed_cost(0, 90), 13);
	CU_ASSERT_EQUAL(packed_cost(0, 400), 13 + 620);
	CU_ASSERT_EQUAL(packed_cost(0, 401), 13 + 620 + 3);
	CU_ASSERT_EQUAL(packed_cost(0, 451), 13 + 620 + 6);
	CU_ASSERT_EQUAL(packed_cost(85, 10), 0 + 10);
}

static void
any_pieces_cost_what_the_whole_costs_and_so_does_taking_back(void)
{
	uint64_t state = random_begin();

	for (int i = 0; i < 500; i++) {
		int whole = (int)(random_next(&state) % 800), position = 0, sum = 0;

		while (position < whole) {
			int piece = (int)(random_next(&state) % (uint64_t)(whole - position)) + 1;

			sum += packed_cost(position, piece);
			CU_ASSERT_EQUAL(packed_cost(position + piece, -piece), -packed_cost(position, piece));
			position += piece;
		}
		CU_ASSERT_EQUAL(sum, packed_cost(0, whole));
	}
}

UNIT_TESTS("rating/tiers", TEST(each_part_pays_the_price_of_its_step), TEST(what_was_counted_before_fills_the_first_steps),
    TEST(the_unit_named_by_up_to_is_still_in_the_step), TEST(nothing_added_has_no_parts),
    TEST(the_order_of_additions_does_not_change_their_sum), TEST(taking_back_is_the_exact_opposite_of_adding),
    TEST(taking_back_more_than_was_counted_is_refused), TEST(a_total_beyond_128_bits_is_refused),
    TEST(a_volume_price_is_the_step_that_the_total_reaches), TEST(a_list_of_one_step_is_one_price),
    TEST(without_packages_what_is_billed_is_the_quantity), TEST(a_package_is_billed_whole_by_the_unit_that_begins_it),
    TEST(a_package_taken_back_is_given_back_by_the_unit_that_began_it),
    TEST(a_package_of_a_meter_with_fractions_counts_whole_units), TEST(a_graduated_step_begins_where_the_one_before_ends),
    TEST(each_step_has_packages_of_its_own), TEST(any_pieces_cost_what_the_whole_costs_and_so_does_taking_back))
