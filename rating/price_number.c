/* price_number.c -- see price_number.h. */
#include "rating/price_number.h"

#include "base/json_reader.h"

enum { DIGITS_MAX = 36, DIGITS_KEPT = 12, EXPONENT_MAX = 60 };

static u128
power_of_ten(int power)
{
	u128 out = 1;

	must(power >= 0 && power <= 38);
	for (int i = 0; i < power; i++)
		out *= 10;
	return out;
}

static struct price_number
trimmed(struct price_number number)
{
	while (number.digits > 0 && number.digits % 10 == 0) {
		number.digits /= 10;
		number.exponent++;
	}
	if (number.digits == 0)
		number.exponent = 0;
	return number;
}

static int
digit_count(u128 digits)
{
	int count = 0;

	for (; digits > 0; digits /= 10)
		count++;
	return count;
}

/* The exponent behind the e; false where it is absurd. */
static bool
read_exponent(const char *at, const char *end, int *out)
{
	bool is_negative = at < end && *at == '-';
	int value = 0;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	for (; at < end; at++) {
		value = value * 10 + (*at - '0');
		if (value > EXPONENT_MAX)
			return false;
	}
	*out += is_negative ? -value : value;
	return true;
}

/* A text that is a JSON number without its sign; zeros at the end are not counted as digits. */
static bool
read_digits(const char *at, const char *end, struct price_number *out)
{
	int zeros = 0;
	bool behind_point = false;

	*out = (struct price_number){0, 0};
	for (; at < end && *at != 'e' && *at != 'E'; at++) {
		if (*at == '.') {
			behind_point = true;
			continue;
		}
		if (behind_point)
			out->exponent--;
		zeros++;
		if (*at == '0')
			continue;
		if (digit_count(out->digits) + zeros > DIGITS_MAX && out->digits > 0)
			return false;
		if (out->digits > 0)
			out->digits *= power_of_ten(zeros);
		out->digits += (unsigned)(*at - '0');
		zeros = 0;
	}
	if (out->exponent < -2 * EXPONENT_MAX || zeros > 2 * EXPONENT_MAX)
		return false;
	out->exponent += zeros;
	if (at < end && !read_exponent(at + 1, end, &out->exponent))
		return false;
	*out = trimmed(*out);
	return true;
}

/* The number with at most 12 digits next to it, where the distance is what a few additions of binary fractions leave. */
static bool
without_residue(struct price_number number, int digits, struct price_number *out)
{
	u128 unit = power_of_ten(digits - DIGITS_KEPT), rounded = (number.digits + unit / 2) / unit;
	u128 whole = rounded * unit, distance = whole > number.digits ? whole - number.digits : number.digits - whole;

	if (distance * power_of_ten(14) >= number.digits)
		return false;
	*out = trimmed((struct price_number){rounded, number.exponent + digits - DIGITS_KEPT});
	return true;
}

enum price_number_result
price_number_parse(struct bytes text, struct price_number *out)
{
	struct price_number number;
	bool is_negative;
	int digits;

	*out = (struct price_number){0, 0};
	if (text.length == 0 || !is_json_number(text))
		return PRICE_NUMBER_NONE;
	is_negative = text.at[0] == '-';
	if (!read_digits(text.at + is_negative, text.at + text.length, &number))
		return PRICE_NUMBER_TOO_LONG;
	if (is_negative && number.digits > 0)
		return PRICE_NUMBER_NEGATIVE;
	*out = number;
	digits = digit_count(number.digits);
	if (digits <= DIGITS_KEPT)
		return PRICE_NUMBER_FINE;
	return without_residue(number, digits, out) ? PRICE_NUMBER_RESIDUE : PRICE_NUMBER_LONG;
}

bool
price_number_format(struct price_number number, int shift, char out[DECIMAL_TEXT])
{
	int exponent = number.digits == 0 ? 0 : number.exponent + shift;
	u128 scaled;

	out[0] = '\0';
	if (exponent < -DECIMAL_PLACES || digit_count(number.digits) + exponent + DECIMAL_PLACES > 38)
		return false;
	scaled = number.digits * power_of_ten(exponent + DECIMAL_PLACES);
	if (scaled > (u128)INT64_MAX * (u128)INT64_MAX)
		return false;
	decimal_format((struct decimal){(i128)scaled}, out);
	return true;
}

bool
price_number_equal(struct price_number a, struct price_number b)
{
	return a.digits == b.digits && a.exponent == b.exponent;
}
