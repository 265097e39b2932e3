/*
 * price_number.h -- numbers of public price lists, exact: 3.75e-08, 0.0000006000000000000001, 14.993999999999998.
 *
 * A number is digits and a power of ten, never a binary fraction.  Many lists were written by programs that count in binary
 * fractions, whose residue shows in the 16th digit; it is recognised and taken off, and the caller is told.
 */
#ifndef RATING_PRICE_NUMBER_H
#define RATING_PRICE_NUMBER_H

#include "base/decimal.h"
#include "base/memory.h"

/* digits x 10^exponent; without zeros at the end of the digits; 0 is 0 x 10^0. */
struct price_number {
	u128 digits;
	int exponent;
};

enum price_number_result {
	PRICE_NUMBER_FINE,
	PRICE_NUMBER_RESIDUE,  /* more than 12 digits, by less than 10^-14 of it off a number with 12: that one is given */
	PRICE_NUMBER_LONG,     /* more than 12 digits and not so: a quotient; given as it stands */
	PRICE_NUMBER_NEGATIVE, /* nothing is given from here on */
	PRICE_NUMBER_NONE,     /* not a number as JSON has it */
	PRICE_NUMBER_TOO_LONG, /* more digits or a greater exponent than any price has */
};

enum price_number_result price_number_parse(struct bytes text, struct price_number *out);
/* number x 10^shift as the decimal text of price books; false where that needs more than 18 decimals or is too large. */
MUST_CHECK
bool price_number_format(struct price_number number, int shift, char out[DECIMAL_TEXT]);
bool price_number_equal(struct price_number a, struct price_number b);

#endif
