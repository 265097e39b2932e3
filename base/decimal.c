/*
 * decimal.c -- see decimal.h.
 *
 * Every operation works on sizes (unsigned magnitudes) and puts the sign back last, so that a
 * credit undoes its charge to the last unit under every rounding rule.  The most negative 128-bit
 * integer has no opposite: it is understood as an operand and is never given as a result. Products
 * are unsigned throughout, because clang has no run-time support for checked signed ones here.
 */
#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const struct decimal decimal_one = {(i128)1000000000 * 1000000000};

static const u128 size_max = ~(u128)0 >> 1;
static const uint64_t scale = UINT64_C(1000000000000000000);

static const uint64_t power_of_ten[DECIMAL_PLACES + 1] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

struct wide {
	u128 high, low;
};

/* A decimal text taken apart; the digits are still in the text. */
struct spelling {
	const char *whole, *decimals;
	size_t whole_count, decimals_count;
	bool negative;
};

/* What one part gets of a split: its floor is in parts[], this decides about the left-over unit. */
struct remainder {
	u128 size;
	size_t index;
};

static u128 size_of(i128 value);
static i128 with_sign(u128 size, bool negative);
static bool multiply_divide(u128 a, u128 b, u128 divisor, bool negative, enum rounding rule, i128 *out);
static struct wide wide_multiply(u128 a, u128 b);
static bool wide_divide(struct wide dividend, u128 divisor, u128 *quotient, u128 *remainder);
static bool rounds_up(u128 quotient, u128 remainder, u128 divisor, enum rounding rule);
static bool spelling_read(const char *bytes, size_t length, struct spelling *out);
static bool append_digits(u128 *size, const char *digits, size_t count);
static char *write_digits(u128 value, int least, char *end);
static bool not_a_number(const char *bytes, size_t length, const char *what, struct error *err);
static bool too_many_decimals(const char *bytes, size_t length, struct error *err);
static bool text_out_of_range(const char *bytes, size_t length, struct error *err);
static bool result_out_of_range(const char *left, const char *verb, const char *right, struct error *err);

bool
decimal_parse(const char *bytes, size_t length, struct decimal *out, struct error *err)
{
	struct spelling spelling;
	u128 size = 0;
	size_t kept;

	if (!spelling_read(bytes, length, &spelling))
		return not_a_number(bytes, length, "number", err);
	kept = spelling.decimals_count < DECIMAL_PLACES ? spelling.decimals_count : DECIMAL_PLACES;
	for (size_t i = kept; i < spelling.decimals_count; i++)
		if (spelling.decimals[i] != '0')
			return too_many_decimals(bytes, length, err);
	if (!append_digits(&size, spelling.whole, spelling.whole_count) || !append_digits(&size, spelling.decimals, kept) ||
	    __builtin_mul_overflow(size, power_of_ten[DECIMAL_PLACES - kept], &size) || size > size_max)
		return text_out_of_range(bytes, length, err);
	out->e18 = with_sign(size, spelling.negative);
	return true;
}

const char *
decimal_format(struct decimal value, char out[DECIMAL_TEXT])
{
	uint64_t fraction = (uint64_t)(size_of(value.e18) % scale);
	int places = fraction == 0 ? 0 : DECIMAL_PLACES;

	while (places > 0 && fraction % 10 == 0) {
		fraction /= 10;
		places--;
	}
	return decimal_format_places(value, places, out);
}

const char *
decimal_format_places(struct decimal value, int places, char out[DECIMAL_TEXT])
{
	char reversed_from[DECIMAL_TEXT], *end = reversed_from + sizeof reversed_from, *start;
	u128 size = size_of(value.e18);
	uint64_t fraction = (uint64_t)(size % scale);

	must(places >= 0 && places <= DECIMAL_PLACES);
	must(fraction % power_of_ten[DECIMAL_PLACES - places] == 0);
	*--end = '\0';
	start = end;
	if (places > 0) {
		fraction /= power_of_ten[DECIMAL_PLACES - places];
		start = write_digits(fraction, places, start);
		*--start = '.';
	}
	start = write_digits(size / scale, 1, start);
	if (value.e18 < 0)
		*--start = '-';
	memcpy(out, start, (size_t)(end - start) + 1);
	return out;
}

bool
decimal_from_integer(i128 whole, struct decimal *out, struct error *err)
{
	char text[DECIMAL_TEXT];
	u128 size;

	if (__builtin_mul_overflow(size_of(whole), (u128)scale, &size) || size > size_max) {
		integer_format(whole, text);
		return text_out_of_range(text, strlen(text), err);
	}
	out->e18 = with_sign(size, whole < 0);
	return true;
}

bool
decimal_add(struct decimal a, struct decimal b, struct decimal *out, struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];
	i128 sum;

	if (__builtin_add_overflow(a.e18, b.e18, &sum) || size_of(sum) > size_max)
		return result_out_of_range(decimal_format(a, left), "plus", decimal_format(b, right), err);
	out->e18 = sum;
	return true;
}

bool
decimal_subtract(struct decimal a, struct decimal b, struct decimal *out, struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];
	i128 difference;

	if (__builtin_sub_overflow(a.e18, b.e18, &difference) || size_of(difference) > size_max)
		return result_out_of_range(decimal_format(a, left), "minus", decimal_format(b, right), err);
	out->e18 = difference;
	return true;
}

bool
decimal_multiply(struct decimal a, struct decimal b, enum rounding rule, struct decimal *out, struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];

	if (!multiply_divide(size_of(a.e18), size_of(b.e18), scale, (a.e18 < 0) != (b.e18 < 0), rule, &out->e18))
		return result_out_of_range(decimal_format(a, left), "times", decimal_format(b, right), err);
	return true;
}

bool
decimal_divide(struct decimal a, struct decimal b, enum rounding rule, struct decimal *out, struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];

	if (b.e18 == 0)
		return error_set(err, ERROR_RANGE, "cannot divide \"%s\" by zero", decimal_format(a, left));
	if (!multiply_divide(size_of(a.e18), scale, size_of(b.e18), (a.e18 < 0) != (b.e18 < 0), rule, &out->e18))
		return result_out_of_range(decimal_format(a, left), "divided by", decimal_format(b, right), err);
	return true;
}

bool
decimal_price(struct decimal price, i128 quantity, i128 per, enum rounding rule, struct decimal *out, struct error *err)
{
	char each[DECIMAL_TEXT], units[DECIMAL_TEXT], base[DECIMAL_TEXT];

	must(per > 0);
	if (multiply_divide(size_of(price.e18), size_of(quantity), (u128)per, (price.e18 < 0) != (quantity < 0), rule, &out->e18))
		return true;
	error_set(err, ERROR_RANGE, "cannot price \"%s\" units at \"%s\" per \"%s\": out of range",
	    integer_format(quantity, units), decimal_format(price, each), integer_format(per, base));
	error_detail(err, "An amount lies within +-170141183460469231731.687303715884105727.");
	return error_hint(err, "Look for a wrong quantity, price or \"per\".");
}

bool
decimal_round(struct decimal value, int places, enum rounding rule, struct decimal *out, struct error *err)
{
	u128 size = size_of(value.e18), unit, units;
	char text[DECIMAL_TEXT];

	must(places >= 0 && places <= DECIMAL_PLACES);
	unit = power_of_ten[DECIMAL_PLACES - places];
	units = size / unit;
	if (rounds_up(units, size % unit, unit, rule))
		units++;
	if (__builtin_mul_overflow(units, unit, &size) || size > size_max) {
		error_set(
		    err, ERROR_RANGE, "cannot round \"%s\" to %d decimals: out of range", decimal_format(value, text), places);
		return error_detail(err, "A number lies within +-170141183460469231731.687303715884105727.");
	}
	out->e18 = with_sign(size, value.e18 < 0);
	return true;
}

int
decimal_compare(struct decimal a, struct decimal b)
{
	return (a.e18 > b.e18) - (a.e18 < b.e18);
}

bool
integer_parse(const char *bytes, size_t length, i128 *out, struct error *err)
{
	struct spelling spelling;
	u128 size = 0;

	if (!spelling_read(bytes, length, &spelling))
		return not_a_number(bytes, length, "whole number", err);
	if (spelling.decimals_count > 0)
		return not_a_number(bytes, length, "whole number", err);
	/* Unlike a decimal, an integer may be the most negative one. */
	if (!append_digits(&size, spelling.whole, spelling.whole_count) || size > size_max + (spelling.negative ? 1 : 0))
		return text_out_of_range(bytes, length, err);
	*out = with_sign(size, spelling.negative);
	return true;
}

const char *
integer_format(i128 value, char out[DECIMAL_TEXT])
{
	char written[DECIMAL_TEXT], *end = written + sizeof written, *start;

	*--end = '\0';
	start = write_digits(size_of(value), 1, end);
	if (value < 0)
		*--start = '-';
	memcpy(out, start, (size_t)(end - start) + 1);
	return out;
}

static bool
weights_add_up(const int64_t *weights, size_t count, u128 *sum, struct error *err)
{
	*sum = 0;
	for (size_t i = 0; i < count; i++) {
		if (weights[i] < 0)
			return error_set(err, ERROR_INPUT, "cannot split by the negative weight \"%lld\" of part %zu",
			    (long long)weights[i], i + 1);
		*sum += size_of(weights[i]);
	}
	if (*sum > 0)
		return true;
	error_set(err, ERROR_INPUT, "cannot split over %zu parts that all weigh nothing", count);
	return error_hint(err, "Give at least one part a weight above zero.");
}

static int
larger_remainder_first(const void *left, const void *right)
{
	const struct remainder *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	return a->index < b->index ? -1 : 1;
}

bool
split_by_largest_remainder(int64_t total, const int64_t *weights, size_t count, int64_t *parts, struct error *err)
{
	u128 sum, left = size_of(total);
	struct remainder *remainders;

	if (!weights_add_up(weights, count, &sum, err))
		return false;
	remainders = memory_new(count, sizeof *remainders);
	for (size_t i = 0; i < count; i++) {
		/* 2^63 times less than 2^63: always fits. */
		u128 product = size_of(total) * size_of(weights[i]), share = product / sum;

		remainders[i] = (struct remainder){.size = product % sum, .index = i};
		parts[i] = (int64_t)with_sign(share, total < 0);
		left -= share;
	}
	must(left < count);
	qsort(remainders, count, sizeof *remainders, larger_remainder_first);
	/* There are more parts with a remainder than units left, so that none goes to a weight of
	 * zero. */
	for (size_t i = 0; i < (size_t)left; i++) {
		must(remainders[i].size > 0);
		parts[remainders[i].index] += total < 0 ? -1 : 1;
	}
	free(remainders);
	return true;
}

static u128
size_of(i128 value)
{
	return value < 0 ? -(u128)value : (u128)value;
}

/* The size is at most size_max, or one more with a minus. */
static i128
with_sign(u128 size, bool negative)
{
	if (!negative || size == 0)
		return (i128)size;
	return -(i128)(size - 1) - 1;
}

/* a x b / divisor, rounded once from the full product; false when it does not fit. */
static bool
multiply_divide(u128 a, u128 b, u128 divisor, bool negative, enum rounding rule, i128 *out)
{
	u128 product, quotient, remainder;

	must(divisor > 0);
	if (!__builtin_mul_overflow(a, b, &product)) {
		quotient = product / divisor;
		remainder = product % divisor;
	} else if (!wide_divide(wide_multiply(a, b), divisor, &quotient, &remainder)) {
		return false;
	}
	if (quotient > size_max)
		return false;
	if (rounds_up(quotient, remainder, divisor, rule))
		quotient++;
	if (quotient > size_max)
		return false;
	*out = with_sign(quotient, negative);
	return true;
}

/* Schoolbook multiplication with digits of 64 bits; no sum of partial products can overflow. */
static struct wide
wide_multiply(u128 a, u128 b)
{
	u128 a_low = (uint64_t)a, a_high = a >> 64, b_low = (uint64_t)b, b_high = b >> 64;
	u128 lowest = a_low * b_low;
	u128 first = a_high * b_low + (lowest >> 64);
	u128 second = a_low * b_high + (uint64_t)first;

	return (struct wide){
	    .high = a_high * b_high + (first >> 64) + (second >> 64),
	    .low = second << 64 | (uint64_t)lowest,
	};
}

/* Long division bit by bit; false when the quotient needs more than 128 bits. */
static bool
wide_divide(struct wide dividend, u128 divisor, u128 *quotient, u128 *remainder)
{
	u128 rest = dividend.high, result = 0;

	/* Every divisor is the size of an i128, so that twice a rest still fits. */
	must(divisor <= size_max + 1);
	if (rest >= divisor)
		return false;
	for (int bit = 127; bit >= 0; bit--) {
		rest = rest << 1 | (dividend.low >> bit & 1);
		result <<= 1;
		if (rest >= divisor) {
			rest -= divisor;
			result |= 1;
		}
	}
	*quotient = result;
	*remainder = rest;
	return true;
}

/* Whether a size grows by one unit: the sign plays no part. */
static bool
rounds_up(u128 quotient, u128 remainder, u128 divisor, enum rounding rule)
{
	u128 missing = divisor - remainder;

	switch (rule) {
	case ROUND_HALF_EVEN:
		return remainder > missing || (remainder == missing && (quotient & 1) == 1);
	case ROUND_HALF_UP:
		return remainder >= missing;
	case ROUND_UP:
		return remainder > 0;
	case ROUND_DOWN:
		break;
	}
	must(rule == ROUND_DOWN);
	return false;
}

static size_t
digits_at(const char *bytes, size_t length, size_t start)
{
	size_t count = 0;

	while (start + count < length && bytes[start + count] >= '0' && bytes[start + count] <= '9')
		count++;
	return count;
}

/* [-+]digits[.digits] and nothing else. */
static bool
spelling_read(const char *bytes, size_t length, struct spelling *out)
{
	size_t at = length > 0 && (bytes[0] == '-' || bytes[0] == '+') ? 1 : 0;

	*out = (struct spelling){.negative = at == 1 && bytes[0] == '-'};
	out->whole = bytes + at;
	out->whole_count = digits_at(bytes, length, at);
	at += out->whole_count;
	if (out->whole_count == 0)
		return false;
	if (at == length)
		return true;
	if (bytes[at] != '.')
		return false;
	at++;
	out->decimals = bytes + at;
	out->decimals_count = digits_at(bytes, length, at);
	return out->decimals_count > 0 && at + out->decimals_count == length;
}

static bool
append_digits(u128 *size, const char *digits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (__builtin_mul_overflow(*size, (u128)10, size) ||
		    __builtin_add_overflow(*size, (u128)(unsigned char)(digits[i] - '0'), size))
			return false;
	return true;
}

/* Writes backwards from `end`, with zeros in front up to `least` digits; where it began. */
static char *
write_digits(u128 value, int least, char *end)
{
	char *start = end;

	/* 128-bit division is slow: it is done once in 18 digits. */
	while (value > UINT64_MAX) {
		uint64_t group = (uint64_t)(value % scale);

		value /= scale;
		for (int i = 0; i < DECIMAL_PLACES; i++, group /= 10)
			*--start = (char)('0' + group % 10);
	}
	for (uint64_t rest = (uint64_t)value; rest > 0; rest /= 10)
		*--start = (char)('0' + rest % 10);
	while (end - start < least)
		*--start = '0';
	return start;
}

/* What to do about a text that is not a number, by what is in it. */
static const char *
remedy(const char *bytes, size_t length, bool whole)
{
	size_t digits = 0;

	for (size_t i = 0; i < length; i++) {
		char byte = bytes[i];

		if (byte >= '0' && byte <= '9')
			digits++;
		else if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
			return "Remove the blanks.";
		else if (digits > 0 && (byte == 'e' || byte == 'E'))
			return "Write it without an exponent, 0.0000025 for 2.5e-6.";
		else if (digits > 0 && (byte == ',' || byte == '_' || byte == '\''))
			return "Leave out thousands separators; decimals follow a point, as in "
			       "1234.5.";
		else if (byte == '.' && whole)
			return "Only a whole number makes sense here: leave out the decimals.";
	}
	if (digits > 0 && (bytes[length - 1] == '.' || memchr(bytes, '.', length) != NULL))
		return "Write at least one digit on each side of the one point, as in 0.5.";
	return whole ? "Write digits only, with or without a sign, as in 1500."
		     : "Write digits with or without decimals, as in -1234.5.";
}

static bool
not_a_number(const char *bytes, size_t length, const char *what, struct error *err)
{
	struct error shown = {0};

	error_field(&shown, "", bytes, length);
	error_set(err, ERROR_INPUT, "\"%s\" is not a %s", shown.value, what);
	error_field(err, "", bytes, length);
	return error_hint(err, "%s", remedy(bytes, length, what[0] == 'w'));
}

static bool
too_many_decimals(const char *bytes, size_t length, struct error *err)
{
	struct error shown = {0};

	error_field(&shown, "", bytes, length);
	error_set(err, ERROR_INPUT, "\"%s\" has more than %d decimals", shown.value, DECIMAL_PLACES);
	error_field(err, "", bytes, length);
	return error_hint(err, "Round it to %d decimals; a price may be given per more units instead.", DECIMAL_PLACES);
}

static bool
text_out_of_range(const char *bytes, size_t length, struct error *err)
{
	struct error shown = {0};

	error_field(&shown, "", bytes, length);
	error_set(err, ERROR_RANGE, "\"%s\" is out of range", shown.value);
	error_field(err, "", bytes, length);
	return error_hint(err, "A number has at most 20 digits before the point, a whole number 38.");
}

static bool
result_out_of_range(const char *left, const char *verb, const char *right, struct error *err)
{
	error_set(err, ERROR_RANGE, "\"%s\" %s \"%s\" is out of range", left, verb, right);
	error_detail(err, "A number lies within +-170141183460469231731.687303715884105727.");
	return error_hint(err, "Look for a wrong amount, quantity or price.");
}
