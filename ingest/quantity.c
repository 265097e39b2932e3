/* quantity.c -- see quantity.h. */
#include "ingest/quantity.h"

enum {
	COUNT_DIGITS = 16, /* of COUNT_MAX */
	WHOLE_DIGITS = 15, /* of a measured quantity */
	FRACTION_DIGITS = 9,
	EXPONENT_LIMIT = 1000000, /* beyond the digits of any record: no need to know how far */
};

/* The value is 0.DIGITS x 10^point; DIGITS starts and ends with another digit than 0, the point inside it left out. */
struct scientific {
	bool negative;
	const char *first, *last; /* inclusive; NULL for zero */
	int64_t point;
};

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static int64_t
read_exponent(const char *at, const char *end)
{
	bool negative = false;
	int64_t exponent = 0;

	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	for (; at < end; at++)
		if (exponent < EXPONENT_LIMIT)
			exponent = exponent * 10 + (*at - '0');
	return negative ? -exponent : exponent;
}

static struct scientific
read_scientific(struct bytes number)
{
	const char *at = number.at, *end = number.at + number.length;
	struct scientific read = {0};
	bool fraction = false;

	if (at < end && *at == '-') {
		read.negative = true;
		at++;
	}
	for (; at < end && (is_digit(*at) || *at == '.'); at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		if (*at != '0') {
			read.first = read.first == NULL ? at : read.first;
			read.last = at;
		}
		/* A digit before the point moves it one on, a zero that only follows the point one back. */
		if (!fraction && read.first != NULL)
			read.point++;
		else if (fraction && read.first == NULL)
			read.point--;
	}
	if (at < end)
		read.point += read_exponent(at + 1, end);
	return read;
}

static int64_t
digits_between(const struct scientific *read)
{
	int64_t digits = 0;

	for (const char *at = read->first; at <= read->last; at++)
		digits += *at != '.';
	return digits;
}

/* Nearly all counts are a few digits and nothing else. */
static bool
read_plain(struct bytes number, int64_t *out)
{
	int64_t value = 0;

	if (number.length >= COUNT_DIGITS)
		return false;
	for (size_t i = 0; i < number.length; i++) {
		if (!is_digit(number.at[i]))
			return false;
		value = value * 10 + (number.at[i] - '0');
	}
	*out = value;
	return true;
}

/* Of any spelling. */
static enum reason
read_any(struct bytes number, int64_t *out)
{
	struct scientific read = read_scientific(number);
	int64_t value = 0;

	*out = 0;
	if (read.first == NULL)
		return REASON_NONE;
	if (digits_between(&read) > read.point)
		return E_NOT_INTEGER;
	if (read.negative)
		return E_NEGATIVE;
	if (read.point > COUNT_DIGITS)
		return E_RANGE;
	for (const char *at = read.first; at <= read.last; at++)
		if (*at != '.') {
			value = value * 10 + (*at - '0');
			read.point--;
		}
	for (; read.point > 0; read.point--)
		value *= 10;
	if (value > COUNT_MAX)
		return E_RANGE;
	*out = value;
	return REASON_NONE;
}

enum reason
count_parse(struct bytes number, int64_t *out)
{
	return read_plain(number, out) ? REASON_NONE : read_any(number, out);
}

/* Appends one digit; false where the units no longer fit. */
static bool
push(int64_t *units, int digit)
{
	return !__builtin_mul_overflow(*units, 10, units) && !__builtin_add_overflow(*units, digit, units);
}

/* (0|[1-9][0-9]{0,14})(\.[0-9]{1,9})? over all of the text, as the event schema has it. */
static bool
is_measure(struct bytes text, size_t *whole)
{
	size_t at = 0;

	while (at < text.length && is_digit(text.at[at]))
		at++;
	*whole = at;
	if (at == 0 || at > WHOLE_DIGITS || (at > 1 && text.at[0] == '0'))
		return false;
	if (at == text.length)
		return true;
	if (text.at[at] != '.')
		return false;
	for (at++; at < text.length; at++)
		if (!is_digit(text.at[at]))
			return false;
	at -= *whole + 1;
	return at >= 1 && at <= FRACTION_DIGITS;
}

enum reason
measure_parse(struct bytes text, int decimals, int64_t *out)
{
	size_t whole;
	int64_t units = 0;

	must(decimals >= 0 && decimals <= FRACTION_DIGITS);
	*out = 0;
	if (!is_measure(text, &whole))
		return E_DECIMAL;
	for (size_t i = 0; i < whole; i++)
		if (!push(&units, text.at[i] - '0'))
			return E_RANGE;
	for (int i = 1; i <= FRACTION_DIGITS; i++) {
		size_t at = whole + (size_t)i;
		int digit = at < text.length ? text.at[at] - '0' : 0;

		/* Digits that the meter does not keep must be zero. */
		if (i > decimals && digit != 0)
			return E_DECIMAL;
		if (i <= decimals && !push(&units, digit))
			return E_RANGE;
	}
	*out = units;
	return REASON_NONE;
}
