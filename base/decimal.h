/*
 * decimal.h -- exact numbers: a signed 128-bit integer of 10^-18 units.
 *
 * Everything between an input file and a printed amount is one of these or an integer; binary
 * floating point does not occur.  The range is about +-1.7e20 with 18 decimals, the same on both
 * sides: no operation gives the one 128-bit integer that has no opposite.  A result that
 * does not fit is an error of kind RANGE, never a wrapped number.  Where a result has more than
 * 18 decimals it is rounded by the rule the caller names, computed from the full 256-bit product.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

struct decimal {
	i128 e18;
};

enum { DECIMAL_PLACES = 18, DECIMAL_TEXT = 48 };

extern const struct decimal decimal_one;

enum rounding {
	ROUND_HALF_EVEN, /* a half goes to the even neighbour: amounts at the 18th decimal */
	ROUND_HALF_UP,   /* a half goes away from zero: document lines, tax */
	ROUND_UP,        /* away from zero */
	ROUND_DOWN,      /* towards zero */
};

/* Plain decimal text: [-+]digits[.digits], at least one digit on each side that is present, no
 * exponent, no blanks, no separators.  More than 18 decimals is an error (trailing zeros beyond
 * are fine), never a silent cut. */
MUST_CHECK
bool decimal_parse(const char *bytes, size_t length, struct decimal *out, struct error *err);
/* Shortest text that parses back to the same number: "0.15", "-3", "0". Returns out. */
const char *decimal_format(struct decimal value, char out[DECIMAL_TEXT]);
/* With exactly `places` (0..18) decimals; the value must have no more (see decimal_round). */
const char *decimal_format_places(struct decimal value, int places, char out[DECIMAL_TEXT]);

MUST_CHECK
bool decimal_from_integer(i128 whole, struct decimal *out, struct error *err);
MUST_CHECK
bool decimal_add(struct decimal a, struct decimal b, struct decimal *out, struct error *err);
MUST_CHECK
bool decimal_subtract(struct decimal a, struct decimal b, struct decimal *out, struct error *err);
MUST_CHECK
bool decimal_multiply(struct decimal a, struct decimal b, enum rounding rule, struct decimal *out, struct error *err);
/* Division by zero is an error of kind RANGE. */
MUST_CHECK
bool decimal_divide(struct decimal a, struct decimal b, enum rounding rule, struct decimal *out, struct error *err);
/* price x quantity / per, rounded once.  per > 0.  This is how every charge is made. */
MUST_CHECK
bool decimal_price(struct decimal price, i128 quantity, i128 per, enum rounding rule, struct decimal *out, struct error *err);
/* To `places` (0..18) decimals. */
MUST_CHECK
bool decimal_round(struct decimal value, int places, enum rounding rule, struct decimal *out, struct error *err);
/* -1, 0 or 1. */
int decimal_compare(struct decimal a, struct decimal b);

/* Integers of 128 bits to and from text; parse takes an optional sign and digits only. */
MUST_CHECK
bool integer_parse(const char *bytes, size_t length, i128 *out, struct error *err);
const char *integer_format(i128 value, char out[DECIMAL_TEXT]);

/* Splits `total` in proportion to `weights` (none negative, not all zero) so that the parts sum to the
 * total exactly: floors first, then one unit each to the largest remainders, earlier ones first on a tie. */
MUST_CHECK
bool split_by_largest_remainder(int64_t total, const int64_t *weights, size_t count, int64_t *parts, struct error *err);

#endif
