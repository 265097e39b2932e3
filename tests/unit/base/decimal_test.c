/* decimal_test.c -- exact numbers: worked examples, edges, and what holds for every number. */
#include "base/decimal.h"

#include <stdlib.h>

#include "base/instant.h"
#include "tests/support/unit.h"

#define LARGEST "170141183460469231731.687303715884105727"

enum { ROUNDS = 4000 };

static const enum rounding rules[] = {ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, ROUND_DOWN};
static const i128 most_negative = -(i128)(~(u128)0 >> 1) - 1;

static struct decimal
decimal_of(const char *text)
{
	struct decimal value = {0};
	struct error err;
	bool read = decimal_parse(text, strlen(text), &value, &err);

	if (!read)
		printf("\n    cannot read \"%s\": %s\n", text, err.message);
	CU_ASSERT_TRUE(read);
	return value;
}

static void
expect_decimal(struct decimal got, const char *wanted)
{
	char text[DECIMAL_TEXT];

	EXPECT_TEXT(decimal_format(got, text), wanted);
}

/* The text is refused, with these words in its message and in its remedy. */
static void
expect_refused(const char *text, enum error_kind kind, const char *message, const char *hint)
{
	struct decimal value = {42};
	struct error err = {0};

	CU_ASSERT_FALSE(decimal_parse(text, strlen(text), &value, &err));
	CU_ASSERT_EQUAL(err.kind, kind);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
		printf("\n    \"%s\": got \"%s\", hint \"%s\"\n", text, err.message, err.hint);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
	CU_ASSERT_TRUE(value.e18 == 42);
}

static void
expect_rounded(const char *text, int places, enum rounding rule, const char *wanted)
{
	struct decimal value = {0}, opposite = {0};
	struct error err;
	char got[DECIMAL_TEXT];

	CU_ASSERT_TRUE(decimal_round(decimal_of(text), places, rule, &value, &err));
	EXPECT_TEXT(decimal_format_places(value, places, got), wanted);
	CU_ASSERT_TRUE(decimal_round((struct decimal){-decimal_of(text).e18}, places, rule, &opposite, &err));
	CU_ASSERT_TRUE(opposite.e18 == -value.e18);
}

static void
expect_priced(const char *price, i128 quantity, i128 per, const char *wanted)
{
	struct decimal due = {0}, credit = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_price(decimal_of(price), quantity, per, ROUND_HALF_EVEN, &due, &err));
	expect_decimal(due, wanted);
	CU_ASSERT_TRUE(decimal_price(decimal_of(price), -quantity, per, ROUND_HALF_EVEN, &credit, &err));
	CU_ASSERT_TRUE(credit.e18 == -due.e18);
}

/* --- the random numbers of the properties: splitmix64; its seed is printed and can be given back
 * --- */

static uint64_t random_seed, random_state;

/* Every property starts from the same seed, so that one alone can be repeated. */
static void
random_begin(void)
{
	const char *given = getenv("TOLLBOOK_SEED");

	if (random_seed == 0) {
		random_seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)instant_now().us;
		printf("    random numbers from TOLLBOOK_SEED=%llu\n", (unsigned long long)random_seed);
	}
	random_state = random_seed;
}

static uint64_t
random_bits(void)
{
	uint64_t mixed = random_state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

/* Every number of bits is as likely as any other, so that small and large ones meet. */
static i128
random_integer(int bits_max)
{
	u128 size = (u128)random_bits() << 64 | random_bits();
	int bits = (int)(random_bits() % (unsigned)bits_max) + 1;

	size >>= 128 - bits;
	return (random_bits() & 1) == 0 ? (i128)size : -(i128)size;
}

static struct decimal
random_decimal(void)
{
	return (struct decimal){random_integer(127)};
}

static enum rounding
random_rule(void)
{
	return rules[random_bits() % 4];
}

/* --- reading and writing --- */

static void
a_number_is_written_in_its_shortest_form(void)
{
	expect_decimal(decimal_of("0.150"), "0.15");
	expect_decimal(decimal_of("+3.000"), "3");
	expect_decimal(decimal_of("-0003"), "-3");
	expect_decimal(decimal_of("-0.0"), "0");
	expect_decimal(decimal_of("0.000000000000000001"), "0.000000000000000001");
	expect_decimal(decimal_of("20000000000.5"), "20000000000.5");
}

static void
places_are_filled_with_zeros(void)
{
	char text[DECIMAL_TEXT];

	EXPECT_TEXT(decimal_format_places(decimal_of("3"), 2, text), "3.00");
	EXPECT_TEXT(decimal_format_places(decimal_of("-0.05"), 2, text), "-0.05");
	EXPECT_TEXT(decimal_format_places(decimal_of("12"), 0, text), "12");
	EXPECT_TEXT(decimal_format_places(decimal_of("1.5"), 18, text), "1.500000000000000000");
}

static void
zeros_beyond_the_18th_decimal_are_no_digits(void)
{
	expect_decimal(decimal_of("0.0000000000000000010000"), "0.000000000000000001");
	expect_refused("0.0000000000000000010001", ERROR_INPUT, "more than 18 decimals", "18 decimals");
	expect_refused("0.1234567890123456789", ERROR_INPUT, "\"0.1234567890123456789\"", "Round it");
}

static void
a_text_that_is_no_plain_number_is_refused_with_its_remedy(void)
{
	expect_refused("", ERROR_INPUT, "\"\" is not a number", "Write digits");
	expect_refused("2.5e-6", ERROR_INPUT, "\"2.5e-6\"", "without an exponent");
	expect_refused("1E3", ERROR_INPUT, "\"1E3\"", "without an exponent");
	expect_refused(" 1", ERROR_INPUT, "\" 1\"", "Remove the blanks");
	expect_refused("1 ", ERROR_INPUT, "\"1 \"", "Remove the blanks");
	expect_refused("1\n", ERROR_INPUT, "\"1\\x0a\"", "Remove the blanks");
	expect_refused("1,000.50", ERROR_INPUT, "\"1,000.50\"", "thousands separators");
	expect_refused("1_000", ERROR_INPUT, "\"1_000\"", "thousands separators");
	expect_refused(".5", ERROR_INPUT, "\".5\"", "each side");
	expect_refused("5.", ERROR_INPUT, "\"5.\"", "each side");
	expect_refused("1.2.3", ERROR_INPUT, "\"1.2.3\"", "one point");
	expect_refused("-", ERROR_INPUT, "\"-\"", "Write digits");
	expect_refused("--1", ERROR_INPUT, "\"--1\"", "Write digits");
	expect_refused("NaN", ERROR_INPUT, "\"NaN\"", "Write digits");
	expect_refused("0x10", ERROR_INPUT, "\"0x10\"", "Write digits");
	expect_refused("$5", ERROR_INPUT, "\"$5\"", "Write digits");
}

static void
a_number_stops_at_its_length_and_not_at_a_nul(void)
{
	struct decimal value;
	struct error err;

	CU_ASSERT_TRUE(decimal_parse("12.5abc", 4, &value, &err));
	expect_decimal(value, "12.5");
	CU_ASSERT_FALSE(decimal_parse("12\0003", 4, &value, &err));
}

static void
the_range_ends_at_the_same_number_on_both_sides(void)
{
	expect_decimal(decimal_of(LARGEST), LARGEST);
	expect_decimal(decimal_of("-" LARGEST), "-" LARGEST);
	expect_refused("170141183460469231731.687303715884105728", ERROR_RANGE, "is out of range", "20 digits");
	expect_refused("-170141183460469231731.687303715884105728", ERROR_RANGE, "is out of range", "20 digits");
	expect_refused("340282366920938463463.374607431768211456", ERROR_RANGE, "is out of range", "20 digits");
	expect_refused("999999999999999999999999999999999999999999999", ERROR_RANGE, "out of range", "20 digits");
}

/* --- integers --- */

static void
an_integer_of_128_bits_is_read_and_written_exactly(void)
{
	static const char *const texts[] = {"0", "-1", "18446744073709551616", "100000000000000000000000000000000000000",
	    "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"};
	char got[DECIMAL_TEXT];
	struct error err;
	i128 value;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		CU_ASSERT_TRUE(integer_parse(texts[i], strlen(texts[i]), &value, &err));
		EXPECT_TEXT(integer_format(value, got), texts[i]);
	}
	CU_ASSERT_TRUE(value == most_negative);
	CU_ASSERT_TRUE(integer_parse("+007", 4, &value, &err));
	CU_ASSERT_TRUE(value == 7);
}

static void
an_integer_has_no_decimals_and_a_range(void)
{
	struct error err;
	i128 value = 42;

	CU_ASSERT_FALSE(integer_parse("1.0", 3, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	EXPECT_TEXT(err.message, "\"1.0\" is not a whole number");
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, "leave out the decimals"));
	CU_ASSERT_FALSE(integer_parse("170141183460469231731687303715884105728", 39, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_FALSE(integer_parse("-170141183460469231731687303715884105729", 40, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_TRUE(value == 42);
}

static void
a_whole_number_becomes_a_decimal_within_the_range(void)
{
	struct decimal value = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_from_integer(-1500, &value, &err));
	expect_decimal(value, "-1500");
	CU_ASSERT_TRUE(decimal_from_integer((i128)INT64_MAX, &value, &err));
	expect_decimal(value, "9223372036854775807");
	CU_ASSERT_FALSE(decimal_from_integer((i128)INT64_MAX * 100, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "922337203685477580700"));
	CU_ASSERT_FALSE(decimal_from_integer(most_negative, &value, &err));
}

/* --- arithmetic --- */

static void
sums_and_differences_are_exact(void)
{
	struct decimal value = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_add(decimal_of("0.1"), decimal_of("0.2"), &value, &err));
	expect_decimal(value, "0.3");
	CU_ASSERT_TRUE(decimal_subtract(decimal_of("1"), decimal_of("0.000000000000000001"), &value, &err));
	expect_decimal(value, "0.999999999999999999");
}

static void
a_product_is_rounded_at_the_18th_decimal_by_the_rule(void)
{
	static const char *const wanted[] = {"0", "0.000000000000000001", "0.000000000000000001", "0"};
	struct decimal value = {0}, half = decimal_of("0.5"), least = {1};
	struct error err;

	CU_ASSERT_TRUE(decimal_multiply(decimal_of("1.5"), decimal_of("-2.25"), ROUND_DOWN, &value, &err));
	expect_decimal(value, "-3.375");
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(decimal_multiply(half, least, rules[i], &value, &err));
		expect_decimal(value, wanted[i]);
	}
	/* 1.5 units: a half goes to the even neighbour, 2 */
	CU_ASSERT_TRUE(decimal_multiply(half, (struct decimal){3}, ROUND_HALF_EVEN, &value, &err));
	CU_ASSERT_TRUE(value.e18 == 2);
}

/* In units of 10^-18 both factors have 29 and 28 digits: their product needs 188 bits. */
static void
a_product_beyond_128_bits_on_the_way_is_still_exact(void)
{
	struct decimal value = {0}, large = decimal_of("12345678901.234567891");
	struct error err;

	CU_ASSERT_TRUE(decimal_multiply(large, decimal_of("1000000000.5"), ROUND_DOWN, &value, &err));
	/* 12345678901234567891 + 6172839450.6172839455 */
	expect_decimal(value, "12345678907407407341.6172839455");
	/* 2.5 x 10^20 is beyond the range, however it is computed */
	CU_ASSERT_FALSE(decimal_multiply(large, decimal_of("20000000000"), ROUND_DOWN, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
}

static void
a_quotient_is_rounded_at_the_18th_decimal_by_the_rule(void)
{
	struct decimal value = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_divide(decimal_of("2"), decimal_of("3"), ROUND_HALF_EVEN, &value, &err));
	expect_decimal(value, "0.666666666666666667");
	CU_ASSERT_TRUE(decimal_divide(decimal_of("2"), decimal_of("-3"), ROUND_DOWN, &value, &err));
	expect_decimal(value, "-0.666666666666666666");
	CU_ASSERT_TRUE(decimal_divide(decimal_of("1000000000000"), decimal_of("8"), ROUND_DOWN, &value, &err));
	expect_decimal(value, "125000000000");
	CU_ASSERT_FALSE(decimal_divide(decimal_of("1"), decimal_of("0"), ROUND_DOWN, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	EXPECT_TEXT(err.message, "cannot divide \"1\" by zero");
}

static void
a_price_times_a_quantity_by_a_base_is_the_charge(void)
{
	expect_priced("0.15", 1234, 1000000, "0.0001851");
	expect_priced("2.50", 1000000, 1000000, "2.5");
	expect_priced("0.15", 0, 1000000, "0");
	expect_priced("1", 1, 3, "0.333333333333333333");
	expect_priced("1", 2, 3, "0.666666666666666667");
	/* half a unit of the 18th decimal goes to the even neighbour: 0.5 to 0, 1.5 to 2 */
	expect_priced("0.000000000000000001", 1, 2, "0");
	expect_priced("0.000000000000000001", 3, 2, "0.000000000000000002");
	/* the units of 10^12 x 10^18 pass 128 bits on the way */
	expect_priced("123456.789", (i128)INT64_MAX, (i128)INT64_MAX, "123456.789");
}

static void
rounding_follows_its_rule_on_both_sides_of_zero(void)
{
	expect_rounded("2.5", 0, ROUND_HALF_EVEN, "2");
	expect_rounded("3.5", 0, ROUND_HALF_EVEN, "4");
	expect_rounded("2.5000000001", 0, ROUND_HALF_EVEN, "3");
	expect_rounded("2.5", 0, ROUND_HALF_UP, "3");
	expect_rounded("30.005", 2, ROUND_HALF_UP, "30.01");
	expect_rounded("30.004999999999999999", 2, ROUND_HALF_UP, "30.00");
	expect_rounded("0.000000000000000001", 2, ROUND_UP, "0.01");
	expect_rounded("0.01", 2, ROUND_UP, "0.01");
	expect_rounded("0.999", 2, ROUND_DOWN, "0.99");
	expect_rounded("0.123456789012345678", 18, ROUND_UP, "0.123456789012345678");
}

static void
a_result_beyond_the_range_is_an_error_that_names_its_numbers(void)
{
	struct decimal value = {42}, largest = decimal_of(LARGEST), one = decimal_of("1");
	struct error err;

	CU_ASSERT_FALSE(decimal_add(largest, one, &value, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	EXPECT_TEXT(err.message, "\"" LARGEST "\" plus \"1\" is out of range");
	CU_ASSERT_FALSE(decimal_subtract((struct decimal){-largest.e18}, one, &value, &err));
	EXPECT_TEXT(err.message, "\"-" LARGEST "\" minus \"1\" is out of range");
	CU_ASSERT_FALSE(decimal_multiply(largest, decimal_of("1.1"), ROUND_DOWN, &value, &err));
	EXPECT_TEXT(err.message, "\"" LARGEST "\" times \"1.1\" is out of range");
	CU_ASSERT_FALSE(decimal_divide(largest, decimal_of("0.5"), ROUND_DOWN, &value, &err));
	EXPECT_TEXT(err.message, "\"" LARGEST "\" divided by \"0.5\" is out of range");
	CU_ASSERT_FALSE(decimal_price(largest, 3, 2, ROUND_DOWN, &value, &err));
	EXPECT_TEXT(err.message, "cannot price \"3\" units at \"" LARGEST "\" per \"2\": out of range");
	CU_ASSERT_FALSE(decimal_round(largest, 0, ROUND_HALF_UP, &value, &err));
	EXPECT_TEXT(err.message, "cannot round \"" LARGEST "\" to 0 decimals: out of range");
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_TRUE(value.e18 == 42);
}

/* It can come from no operation, but an operand may be anything. */
static void
the_most_negative_integer_is_an_operand_and_never_a_result(void)
{
	struct decimal odd = {most_negative}, value = {42}, one = decimal_of("1"), minus = decimal_of("-1");
	char text[DECIMAL_TEXT];
	struct error err;

	EXPECT_TEXT(decimal_format(odd, text), "-170141183460469231731.687303715884105728");
	CU_ASSERT_FALSE(decimal_multiply(odd, one, ROUND_DOWN, &value, &err));
	CU_ASSERT_FALSE(decimal_multiply(odd, minus, ROUND_DOWN, &value, &err));
	CU_ASSERT_FALSE(decimal_divide(odd, one, ROUND_DOWN, &value, &err));
	CU_ASSERT_FALSE(decimal_add(odd, (struct decimal){0}, &value, &err));
	CU_ASSERT_FALSE(decimal_subtract((struct decimal){0}, odd, &value, &err));
	CU_ASSERT_FALSE(decimal_subtract((struct decimal){-1}, (struct decimal){-(most_negative + 1)}, &value, &err));
	CU_ASSERT_FALSE(decimal_price(one, most_negative, 1, ROUND_DOWN, &value, &err));
	CU_ASSERT_FALSE(decimal_round(odd, 18, ROUND_DOWN, &value, &err));
	CU_ASSERT_TRUE(value.e18 == 42);
	CU_ASSERT_TRUE(decimal_divide(odd, odd, ROUND_DOWN, &value, &err));
	expect_decimal(value, "1");
	CU_ASSERT_TRUE(decimal_round(odd, 2, ROUND_DOWN, &value, &err));
	expect_decimal(value, "-170141183460469231731.68");
	CU_ASSERT_TRUE(decimal_compare(odd, minus) == -1);
}

static void
numbers_compare_by_value(void)
{
	CU_ASSERT_EQUAL(decimal_compare(decimal_of("1.0"), decimal_of("1")), 0);
	CU_ASSERT_EQUAL(decimal_compare(decimal_of("-2"), decimal_of("1")), -1);
	CU_ASSERT_EQUAL(decimal_compare(decimal_of(LARGEST), decimal_of("-" LARGEST)), 1);
}

/* --- splitting --- */

static void
a_split_gives_left_over_units_to_the_largest_remainders(void)
{
	int64_t parts[3];
	struct error err;

	CU_ASSERT_TRUE(split_by_largest_remainder(100, (const int64_t[]){1, 1, 1}, 3, parts, &err));
	CU_ASSERT_TRUE(parts[0] == 34 && parts[1] == 33 && parts[2] == 33);
	/* 10 over 1:2:4 is 1.43, 2.86, 5.71 */
	CU_ASSERT_TRUE(split_by_largest_remainder(10, (const int64_t[]){1, 2, 4}, 3, parts, &err));
	CU_ASSERT_TRUE(parts[0] == 1 && parts[1] == 3 && parts[2] == 6);
	CU_ASSERT_TRUE(split_by_largest_remainder(-10, (const int64_t[]){1, 2, 4}, 3, parts, &err));
	CU_ASSERT_TRUE(parts[0] == -1 && parts[1] == -3 && parts[2] == -6);
	CU_ASSERT_TRUE(split_by_largest_remainder(1, (const int64_t[]){0, 5, 0}, 3, parts, &err));
	CU_ASSERT_TRUE(parts[0] == 0 && parts[1] == 1 && parts[2] == 0);
}

static void
a_split_of_the_largest_amounts_over_the_largest_weights_does_not_overflow(void)
{
	const int64_t weights[] = {INT64_MAX, INT64_MAX};
	int64_t parts[2];
	struct error err;

	CU_ASSERT_TRUE(split_by_largest_remainder(INT64_MIN, weights, 2, parts, &err));
	CU_ASSERT_TRUE(parts[0] == INT64_MIN / 2 && parts[1] == INT64_MIN / 2);
	CU_ASSERT_TRUE(split_by_largest_remainder(INT64_MIN, weights, 1, parts, &err));
	CU_ASSERT_TRUE(parts[0] == INT64_MIN);
	CU_ASSERT_TRUE(split_by_largest_remainder(INT64_MAX, weights, 2, parts, &err));
	CU_ASSERT_TRUE(parts[0] == INT64_MAX / 2 + 1 && parts[1] == INT64_MAX / 2);
}

static void
a_split_without_weight_is_an_error(void)
{
	int64_t parts[2];
	struct error err;

	CU_ASSERT_FALSE(split_by_largest_remainder(10, (const int64_t[]){0, 0}, 2, parts, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	CU_ASSERT_FALSE(split_by_largest_remainder(10, (const int64_t[]){3, -1}, 2, parts, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "\"-1\" of part 2"));
	CU_ASSERT_FALSE(split_by_largest_remainder(10, parts, 0, parts, &err));
}

/* --- what holds for every number --- */

static void
what_is_added_can_be_taken_away_again(void)
{
	int added = 0;

	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		struct decimal a = random_decimal(), b = random_decimal(), sum, back = {0};
		struct error err;

		if (!decimal_add(a, b, &sum, &err))
			continue;
		added++;
		CU_ASSERT_TRUE(decimal_subtract(sum, b, &back, &err));
		CU_ASSERT_TRUE(back.e18 == a.e18);
	}
	CU_ASSERT_TRUE(added > ROUNDS * 9 / 10);
}

static void
what_is_written_is_read_back(void)
{
	char text[DECIMAL_TEXT];

	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		struct decimal value = random_decimal();
		i128 integer = random_integer(127), read = 0;
		struct error err;

		CU_ASSERT_TRUE(decimal_of(decimal_format(value, text)).e18 == value.e18);
		CU_ASSERT_TRUE(decimal_of(decimal_format_places(value, 18, text)).e18 == value.e18);
		integer_format(integer, text);
		CU_ASSERT_TRUE(integer_parse(text, strlen(text), &read, &err));
		CU_ASSERT_TRUE(read == integer);
	}
}

static void
rounding_is_symmetric_around_zero_and_moves_by_less_than_a_unit(void)
{
	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		struct decimal value = {random_integer(120)}, there = {0}, opposite = {0};
		int places = (int)(random_bits() % 19);
		enum rounding rule = random_rule();
		i128 unit = 1, moved;
		struct error err;

		for (int place = places; place < DECIMAL_PLACES; place++)
			unit = (i128)((u128)unit * 10);
		CU_ASSERT_TRUE(decimal_round(value, places, rule, &there, &err));
		CU_ASSERT_TRUE(decimal_round((struct decimal){-value.e18}, places, rule, &opposite, &err));
		CU_ASSERT_TRUE(opposite.e18 == -there.e18);
		CU_ASSERT_TRUE(there.e18 % unit == 0);
		moved = there.e18 - value.e18;
		CU_ASSERT_TRUE(moved < unit && moved > -unit);
		if (rule == ROUND_HALF_UP || rule == ROUND_HALF_EVEN)
			CU_ASSERT_TRUE(moved <= unit / 2 && moved >= -unit / 2);
	}
}

static void
the_parts_of_a_split_sum_to_the_whole(void)
{
	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		int64_t weights[8], parts[8], total = (int64_t)random_integer(63), sum = 0;
		size_t count = random_bits() % 8 + 1;
		struct error err;

		for (size_t j = 0; j < count; j++) {
			i128 weight = random_integer(40);

			weights[j] = weight < 0 ? 0 : (int64_t)weight;
		}
		weights[0] += 1;
		CU_ASSERT_TRUE(split_by_largest_remainder(total, weights, count, parts, &err));
		for (size_t j = 0; j < count; j++) {
			sum += parts[j];
			CU_ASSERT_TRUE(weights[j] > 0 || parts[j] == 0);
		}
		CU_ASSERT_TRUE(sum == total);
	}
}

static void
a_product_of_small_numbers_is_the_product_of_their_units(void)
{
	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		int64_t a = (int64_t)random_integer(31), b = (int64_t)random_integer(31);
		/* 9 decimals each: the product has 18, and nothing is rounded */
		struct decimal left = {(i128)a * 1000000000}, right = {(i128)b * 1000000000}, product = {0};
		struct error err;

		CU_ASSERT_TRUE(decimal_multiply(left, right, random_rule(), &product, &err));
		CU_ASSERT_TRUE(product.e18 == (i128)(a * b));
	}
}

/* Multiplication as on paper, digit by digit; the result has all digits, at least one. */
static void
multiply_on_paper(const char *a, const char *b, char out[2 * DECIMAL_TEXT])
{
	int sums[2 * DECIMAL_TEXT] = {0}, length = (int)(strlen(a) + strlen(b)), carry = 0, start = 0;

	for (int i = (int)strlen(a) - 1; i >= 0; i--)
		for (int j = (int)strlen(b) - 1; j >= 0; j--)
			sums[i + j + 1] += (a[i] - '0') * (b[j] - '0');
	for (int i = length - 1; i >= 0; i--) {
		sums[i] += carry;
		carry = sums[i] / 10;
		sums[i] %= 10;
	}
	while (start < length - 1 && sums[start] == 0)
		start++;
	for (int i = start; i < length; i++)
		out[i - start] = (char)('0' + sums[i]);
	out[length - start] = '\0';
}

static bool
is_less_on_paper(const char *a, const char *b)
{
	return strlen(a) != strlen(b) ? strlen(a) < strlen(b) : strcmp(a, b) < 0;
}

/* a x b / divisor must be `result` when cut: result x divisor <= a x b < (result + 1) x divisor. */
static void
expect_cut_quotient(i128 a, i128 b, i128 divisor, i128 result)
{
	char first[DECIMAL_TEXT], second[DECIMAL_TEXT];
	char product[2 * DECIMAL_TEXT], below[2 * DECIMAL_TEXT], above[2 * DECIMAL_TEXT];

	multiply_on_paper(integer_format(a, first), integer_format(b, second), product);
	integer_format(divisor, second);
	multiply_on_paper(integer_format(result, first), second, below);
	multiply_on_paper(integer_format(result + 1, first), second, above);
	CU_ASSERT_FALSE(is_less_on_paper(product, below));
	CU_ASSERT_TRUE(is_less_on_paper(product, above));
}

static i128
random_size(int bits_max)
{
	i128 value = random_integer(bits_max);

	return value < 0 ? -value : value;
}

static void
a_charge_agrees_with_multiplication_on_paper(void)
{
	int wide = 0;

	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		i128 price = random_size(126), quantity = random_size(126), per = random_size(126) + 1;
		struct decimal cut, up = {0};
		struct error err;
		u128 narrow;

		if (!decimal_price((struct decimal){price}, quantity, per, ROUND_DOWN, &cut, &err))
			continue;
		wide += __builtin_mul_overflow((u128)price, (u128)quantity, &narrow) ? 1 : 0;
		expect_cut_quotient(price, quantity, per, cut.e18);
		CU_ASSERT_TRUE(decimal_price((struct decimal){price}, -quantity, per, ROUND_UP, &up, &err));
		CU_ASSERT_TRUE(up.e18 == -cut.e18 || up.e18 == -cut.e18 - 1);
	}
	/* both the short and the long way were taken */
	CU_ASSERT_TRUE(wide > ROUNDS / 20 && wide < ROUNDS);
}

static void
a_quotient_agrees_with_multiplication_on_paper(void)
{
	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		i128 a = random_size(127), b = random_size(127);
		struct decimal cut;
		struct error err;

		if (b > 0 && decimal_divide((struct decimal){a}, (struct decimal){b}, ROUND_DOWN, &cut, &err))
			expect_cut_quotient(a, 1000000000000000000, b, cut.e18);
	}
}

static void
more_units_or_a_higher_price_never_cost_less(void)
{
	random_begin();
	for (int i = 0; i < ROUNDS; i++) {
		struct decimal price = {random_size(60)}, higher = {price.e18 + random_size(50)};
		i128 quantity = random_size(60), more = quantity + random_size(30), per = random_size(40) + 1;
		enum rounding rule = random_rule();
		struct decimal due = {0}, due_more = {0}, due_higher = {0};
		struct error err;

		CU_ASSERT_TRUE(decimal_price(price, quantity, per, rule, &due, &err));
		CU_ASSERT_TRUE(decimal_price(price, more, per, rule, &due_more, &err));
		CU_ASSERT_TRUE(decimal_price(higher, quantity, per, rule, &due_higher, &err));
		CU_ASSERT_TRUE(decimal_compare(due, due_more) <= 0);
		CU_ASSERT_TRUE(decimal_compare(due, due_higher) <= 0);
	}
}

UNIT_TESTS("base/decimal", TEST(a_number_is_written_in_its_shortest_form), TEST(places_are_filled_with_zeros),
    TEST(zeros_beyond_the_18th_decimal_are_no_digits), TEST(a_text_that_is_no_plain_number_is_refused_with_its_remedy),
    TEST(a_number_stops_at_its_length_and_not_at_a_nul), TEST(the_range_ends_at_the_same_number_on_both_sides),
    TEST(an_integer_of_128_bits_is_read_and_written_exactly), TEST(an_integer_has_no_decimals_and_a_range),
    TEST(a_whole_number_becomes_a_decimal_within_the_range), TEST(sums_and_differences_are_exact),
    TEST(a_product_is_rounded_at_the_18th_decimal_by_the_rule), TEST(a_product_beyond_128_bits_on_the_way_is_still_exact),
    TEST(a_quotient_is_rounded_at_the_18th_decimal_by_the_rule), TEST(a_price_times_a_quantity_by_a_base_is_the_charge),
    TEST(rounding_follows_its_rule_on_both_sides_of_zero), TEST(a_result_beyond_the_range_is_an_error_that_names_its_numbers),
    TEST(the_most_negative_integer_is_an_operand_and_never_a_result), TEST(numbers_compare_by_value),
    TEST(a_split_gives_left_over_units_to_the_largest_remainders),
    TEST(a_split_of_the_largest_amounts_over_the_largest_weights_does_not_overflow), TEST(a_split_without_weight_is_an_error),
    TEST(what_is_added_can_be_taken_away_again), TEST(what_is_written_is_read_back),
    TEST(rounding_is_symmetric_around_zero_and_moves_by_less_than_a_unit), TEST(the_parts_of_a_split_sum_to_the_whole),
    TEST(a_product_of_small_numbers_is_the_product_of_their_units), TEST(a_charge_agrees_with_multiplication_on_paper),
    TEST(a_quotient_agrees_with_multiplication_on_paper), TEST(more_units_or_a_higher_price_never_cost_less))
