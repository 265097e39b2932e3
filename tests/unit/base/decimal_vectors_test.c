/*
 * decimal_vectors_test.c -- the General Decimal Arithmetic test cases that our numbers can express.
 *
 * Those cases compute to a number of significant digits; we round to a number of decimals.  Where
 * the place of the last significant digit is known, both are the same thing.  What cannot be
 * expressed is counted by its reason, and too few rows that ran are a failure.
 */
#include "base/decimal.h"

#include "tests/support/vectors.h"

enum { VECTOR_DIGITS_MAX = 400 };

/* Why a row was not run; RAN comes first. */
enum verdict { RAN, NO_SUCH_RULE, LEFT_OF_THE_POINT, BEYOND_18_DECIMALS, BEYOND_THE_RANGE, VERDICTS };

static const char *const reasons[VERDICTS] = {
    "ran", "the rule is not one of ours", "rounds left of the point", "needs more than 18 decimals", "beyond the range"};

static void
expect_equal(const char *id, struct decimal got, struct decimal wanted)
{
	char got_text[DECIMAL_TEXT], wanted_text[DECIMAL_TEXT];

	if (got.e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s\n", id, decimal_format(got, got_text), decimal_format(wanted, wanted_text));
	CU_ASSERT_TRUE(got.e18 == wanted.e18);
}

/* Reads a number that may have an exponent, which decimal_parse refuses: the point is moved in the
 * text. */
static enum verdict
scientific(const char *text, int shift, struct decimal *out)
{
	char digits[VECTOR_DIGITS_MAX], plain[3 * VECTOR_DIGITS_MAX];
	size_t count = 0, used = 0;
	long point = -1, exponent = shift;
	bool negative = text[0] == '-';
	struct error err;

	for (text += text[0] == '-' || text[0] == '+'; *text != '\0' && *text != 'E'; text++)
		if (*text == '.')
			point = (long)count;
		else if (count < sizeof digits)
			digits[count++] = *text;
	if (*text == 'E')
		exponent += strtol(text + 1, NULL, 10);
	point = (point < 0 ? (long)count : point) + exponent;
	if (count == 0 || count == sizeof digits || labs(point) > VECTOR_DIGITS_MAX)
		return BEYOND_THE_RANGE;
	if (negative)
		plain[used++] = '-';
	plain[used++] = '0';
	for (long i = point < 0 ? point : 0; i < (long)count || i < point; i++) {
		if (i == point)
			plain[used++] = '.';
		plain[used++] = i >= 0 && i < (long)count ? digits[i] : '0';
	}
	if (decimal_parse(plain, used, out, &err))
		return RAN;
	return err.kind == ERROR_RANGE ? BEYOND_THE_RANGE : BEYOND_18_DECIMALS;
}

/* Floor and ceiling are down and up by the sign of the result. */
static bool
rule_of(const char *name, bool negative, enum rounding *out)
{
	if (strcmp(name, "half_even") == 0)
		*out = ROUND_HALF_EVEN;
	else if (strcmp(name, "half_up") == 0)
		*out = ROUND_HALF_UP;
	else if (strcmp(name, "up") == 0 || strcmp(name, negative ? "floor" : "ceiling") == 0)
		*out = ROUND_UP;
	else if (strcmp(name, "down") == 0 || strcmp(name, negative ? "ceiling" : "floor") == 0)
		*out = ROUND_DOWN;
	else
		return false;
	return true;
}

/* id,source,source_file,rounding,operand,exponent,expected,conditions */
static size_t
quantize_row(char *const *column)
{
	long exponent = strtol(column[5], NULL, 10);
	struct decimal operand, wanted, got = {0};
	char text[DECIMAL_TEXT];
	enum verdict verdict;
	enum rounding rule;
	struct error err;

	if (!rule_of(column[3], column[4][0] == '-', &rule))
		return NO_SUCH_RULE;
	if (exponent > 0)
		return LEFT_OF_THE_POINT;
	if (exponent < -DECIMAL_PLACES)
		return BEYOND_18_DECIMALS;
	verdict = scientific(column[4], 0, &operand);
	if (verdict == RAN)
		verdict = scientific(column[6], 0, &wanted);
	if (verdict != RAN)
		return verdict;
	CU_ASSERT_TRUE(decimal_round(operand, (int)-exponent, rule, &got, &err));
	expect_equal(column[0], got, wanted);
	/* their text shows as many decimals as ours, except for the sign of zero */
	if (wanted.e18 != 0 && strchr(column[6], 'E') == NULL)
		EXPECT_TEXT(decimal_format_places(got, (int)-exponent, text), column[6]);
	return RAN;
}

/* The place of the last of `precision` significant digits: decimals behind the point, or negative.
 */
static int
last_place(struct decimal value, int precision)
{
	char text[DECIMAL_TEXT];
	const char *digits = decimal_format_places(value, DECIMAL_PLACES, text), *point, *first;

	digits += digits[0] == '-';
	point = strchr(digits, '.');
	first = digits + strspn(digits, "0.");
	if (*first == '\0')
		return 0;
	return first < point ? precision - (int)(point - first) : precision + (int)(first - point) - 1;
}

/* a + b, then rounded. */
static enum verdict
add_row(char *const *column, struct decimal a, struct decimal b)
{
	struct decimal sum, wanted, got = {0};
	enum rounding rule;
	struct error err;
	int place;

	if (!decimal_add(a, b, &sum, &err))
		return BEYOND_THE_RANGE;
	if (!rule_of(column[5], sum.e18 < 0, &rule))
		return NO_SUCH_RULE;
	place = last_place(sum, (int)strtol(column[4], NULL, 10));
	if (place < 0)
		return LEFT_OF_THE_POINT;
	if (place > DECIMAL_PLACES || scientific(column[8], 0, &wanted) != RAN)
		return BEYOND_18_DECIMALS;
	CU_ASSERT_TRUE(decimal_round(sum, place, rule, &got, &err));
	expect_equal(column[0], got, wanted);
	return RAN;
}

/* Multiplication and division round at the 18th decimal: the operands are shifted by powers of ten
 * until the last significant digit of the result stands there. */
static enum verdict
scaled_row(char *const *column, struct decimal a, struct decimal b, bool divides)
{
	struct decimal about, wanted, left, right, got = {0};
	int shift, left_shift;
	enum rounding rule;
	struct error err;

	if (divides ? !decimal_divide(a, b, ROUND_DOWN, &about, &err) : !decimal_multiply(a, b, ROUND_DOWN, &about, &err))
		return BEYOND_THE_RANGE;
	if (!rule_of(column[5], (a.e18 < 0) != (b.e18 < 0), &rule))
		return NO_SUCH_RULE;
	shift = last_place(about, (int)strtol(column[4], NULL, 10)) - DECIMAL_PLACES;
	left_shift = shift / 2;
	if (scientific(column[6], left_shift, &left) != RAN ||
	    scientific(column[7], divides ? left_shift - shift : shift - left_shift, &right) != RAN ||
	    scientific(column[8], shift, &wanted) != RAN)
		return BEYOND_18_DECIMALS;
	CU_ASSERT_TRUE(divides ? decimal_divide(left, right, rule, &got, &err) : decimal_multiply(left, right, rule, &got, &err));
	expect_equal(column[0], got, wanted);
	return RAN;
}

/* id,source,source_file,op,precision,rounding,a,b,expected,conditions */
static size_t
arithmetic_row(char *const *column)
{
	struct decimal a, b;
	enum verdict verdict = scientific(column[6], 0, &a);

	if (verdict == RAN)
		verdict = scientific(column[7], 0, &b);
	if (verdict != RAN)
		return verdict;
	if (strcmp(column[3], "add") == 0)
		return add_row(column, a, b);
	return scaled_row(column, a, b, strcmp(column[3], "divide") == 0);
}

static void
rounding_agrees_with_the_general_decimal_test_cases(void)
{
	vectors_run(&(struct vectors){"decimal_quantize.csv", 8, 200, reasons, VERDICTS, quantize_row});
}

static void
arithmetic_agrees_with_the_general_decimal_test_cases(void)
{
	vectors_run(&(struct vectors){"decimal_arith.csv", 10, 100, reasons, VERDICTS, arithmetic_row});
}

UNIT_TESTS("base/decimal (vectors)", TEST(rounding_agrees_with_the_general_decimal_test_cases),
    TEST(arithmetic_agrees_with_the_general_decimal_test_cases))
