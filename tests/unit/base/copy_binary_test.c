/* copy_binary_test.c -- rows in PostgreSQL's binary format, written and read back. */
#include "base/copy_binary.h"

#include "tests/support/unit.h"

/* A row of one field; what lies behind the field count. */
static struct copy_reader
only_field(struct text *row, void (*add)(struct text *row))
{
	text_clear(row);
	copy_row(row, 1);
	add(row);
	return copy_read_row(row->bytes, row->length, 1);
}

static void
add_smallest_bigint(struct text *row)
{
	copy_bigint(row, INT64_MIN + 1);
}

static void
add_negative_integer(struct text *row)
{
	copy_integer(row, -7);
}

static void
add_null(struct text *row)
{
	copy_null(row);
}

/* 2000-01-01T00:00:01Z, one second after the server's epoch. */
static void
add_instant(struct text *row)
{
	copy_instant(row, (struct instant){946684801LL * 1000000});
}

static void
add_pairs(struct text *row)
{
	const int64_t pairs[] = {43, 28800000000000, 44, -1};

	copy_bigints(row, pairs, 4);
}

static void
numbers_come_back_as_they_went(void)
{
	struct text row = {0};
	struct copy_reader reader = only_field(&row, add_smallest_bigint);

	CU_ASSERT_EQUAL(copy_read_bigint(&reader, 0), INT64_MIN + 1);
	reader = only_field(&row, add_negative_integer);
	CU_ASSERT_EQUAL(copy_read_integer(&reader), -7);
	reader = only_field(&row, add_null);
	CU_ASSERT_EQUAL(copy_read_bigint(&reader, 99), 99);
	text_release(&row);
}

static void
a_time_is_counted_from_the_year_2000_on_the_wire(void)
{
	static const char second_one[] = {0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40};
	struct text row = {0};
	struct copy_reader reader = only_field(&row, add_instant);

	CU_ASSERT_EQUAL_FATAL(row.length, sizeof second_one);
	CU_ASSERT_EQUAL(memcmp(row.bytes, second_one, sizeof second_one), 0);
	CU_ASSERT_EQUAL(copy_read_instant(&reader).us, 946684801LL * 1000000);
	text_release(&row);
}

static void
an_array_of_numbers_comes_back_and_no_array_is_none(void)
{
	struct text row = {0};
	struct copy_reader reader = only_field(&row, add_pairs);
	int64_t numbers[4];

	CU_ASSERT_EQUAL_FATAL(copy_read_bigints(&reader, numbers, 4), 4);
	CU_ASSERT_EQUAL(numbers[1], 28800000000000);
	CU_ASSERT_EQUAL(numbers[3], -1);
	reader = only_field(&row, add_null);
	CU_ASSERT_EQUAL(copy_read_bigints(&reader, numbers, 4), 0);
	text_release(&row);
}

/* A numeric, as the manual of PostgreSQL has it (numeric_send): how many digits of base 10,000, the weight of the first, sign, scale, digits;
 * read back in units of 10^-18. */
static i128
read_numeric(const struct text *field, int *scale)
{
	const unsigned char *at = (const unsigned char *)field->bytes + 4;
	int part[4], digits;
	i128 value = 0;

	for (int i = 0; i < 4; i++)
		part[i] = at[2 * i] << 8 | at[2 * i + 1];
	digits = part[0];
	CU_ASSERT_EQUAL(field->length, (size_t)(12 + 2 * digits));
	*scale = part[3];
	for (int i = 0; i < digits; i++) {
		int digit = at[8 + 2 * i] << 8 | at[9 + 2 * i], power = 18 + 4 * ((int16_t)part[1] - i);
		i128 worth = digit;

		CU_ASSERT(digit < 10000 && !(digit == 0 && (i == 0 || i == digits - 1)));
		for (; power > 0; power--)
			worth *= 10;
		/* The last digit of a fraction may reach below 10^-18, where there must be nothing. */
		for (; power < 0; power++) {
			CU_ASSERT(worth % 10 == 0);
			worth /= 10;
		}
		value += worth;
	}
	return part[2] == 0x4000 ? -value : value;
}

static void
decimals_come_back_as_they_went(void)
{
	const i128 one = 1000000000000000000, most = one * one * 100 - 1;
	const i128 values[] = {0, 1, -1, 99, 100, 10000, one / 10, one, -one, one * 9999, one * 10000, one * 10001 + 1,
	    one * 12345 + 678900000000000000, -(one * 100000000 + 5), most, -most};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct text field = {0};
		int scale;

		copy_decimal(&field, (struct decimal){values[i]});
		CU_ASSERT(read_numeric(&field, &scale) == values[i]);
		CU_ASSERT_EQUAL(scale, 18);
		text_clear(&field);
		copy_whole(&field, values[i] / one);
		CU_ASSERT(read_numeric(&field, &scale) == values[i] / one * one);
		CU_ASSERT_EQUAL(scale, 0);
		text_release(&field);
	}
}

UNIT_TESTS("base/copy_binary", TEST(numbers_come_back_as_they_went), TEST(a_time_is_counted_from_the_year_2000_on_the_wire),
    TEST(an_array_of_numbers_comes_back_and_no_array_is_none), TEST(decimals_come_back_as_they_went))
