/*
 * money.h -- amounts that somebody owes: whole minor units of an ISO 4217 currency.
 *
 * money_round() is the only door from an exact amount to money; the rule is an argument.
 */
#ifndef BASE_MONEY_H
#define BASE_MONEY_H

#include "base/decimal.h"
#include "base/memory.h"

struct currency {
	char code[4];    /* ISO 4217 alphabetic code */
	int minor_units; /* decimals of the minor unit, ISO 4217 */
};

/* The currency of a code, or NULL: unknown, withdrawn, or without a minor unit (metals, funds, codes for tests). */
const struct currency *currency_find(const char *code);
/* The date of the ISO 4217 table that currencies.def holds. */
extern const char currency_table_date[];

struct money {
	int64_t minor;
	const struct currency *currency;
};

MUST_CHECK
bool money_round(struct decimal exact, const struct currency *currency, enum rounding rule, struct money *out, struct error *err);
/* "1234.50", "-0.05", "300" (JPY): no separators, no code. */
const char *money_format(struct money money, char out[DECIMAL_TEXT]);
/* Minor units as money_format() writes them, of a currency that may have left the table since; in the arena. */
const char *money_text(struct arena *arena, int64_t minor, int64_t minor_units);
/* Reads decimal text that a currency can express; also below zero.  The error says what is wrong; its kind is USAGE. */
MUST_CHECK
bool money_parse(const char *text, const struct currency *currency, struct money *out, struct error *err);
/* The exact decimal of a money amount. */
struct decimal money_exact(struct money money);
MUST_CHECK
bool money_add(struct money a, struct money b, struct money *out, struct error *err);

#endif
