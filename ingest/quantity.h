/*
 * quantity.h -- number text to whole smallest units, judged on its digits.
 *
 * No double is ever made: 9007199254740993 and 1e400 are refused for what they are, and an exponent costs nothing.
 */
#ifndef INGEST_QUANTITY_H
#define INGEST_QUANTITY_H

#include "ledger/usage_event.h"

/* The largest whole number that every JSON reader keeps exactly: 2^53-1 (RFC 8259, section 6). */
#define COUNT_MAX INT64_C(9007199254740991)

/* A JSON number (the grammar of RFC 8259 is the caller's promise) whose value is whole: "12", "12.0", "1.2e1", "-0".
 * REASON_NONE, E_NOT_INTEGER, E_NEGATIVE or E_RANGE. */
enum reason count_parse(struct bytes number, int64_t *out);
/* Plain decimal text, at most 15 digits before the point and 9 behind it, as 10^-`decimals` units (decimals 0 to 9).
 * REASON_NONE, E_DECIMAL, or E_RANGE where the units do not fit. */
enum reason measure_parse(struct bytes text, int decimals, int64_t *out);

#endif
