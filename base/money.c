/* money.c -- see money.h. */
#include "base/money.h"

#include <stdlib.h>
#include <string.h>

static const struct currency currencies[] = {
#define CURRENCY(code, minor_units) {#code, minor_units},
#include "base/currencies.def"
#undef CURRENCY
};

const char currency_table_date[] = CURRENCY_TABLE_DATE;

/* What one minor unit is in 10^-18. */
static i128 minor_unit_e18(const struct currency *currency);

static int
code_against_currency(const void *code, const void *currency)
{
	return strcmp(code, ((const struct currency *)currency)->code);
}

const struct currency *
currency_find(const char *code)
{
	return bsearch(code, currencies, sizeof currencies / sizeof currencies[0], sizeof currencies[0], code_against_currency);
}

bool
money_round(struct decimal exact, const struct currency *currency, enum rounding rule, struct money *out, struct error *err)
{
	i128 minor;
	struct decimal rounded;
	char text[DECIMAL_TEXT];

	must(currency != NULL);
	if (!decimal_round(exact, currency->minor_units, rule, &rounded, err))
		return error_wrap(err, "an amount of %s", currency->code);
	minor = rounded.e18 / minor_unit_e18(currency);
	if (minor > INT64_MAX || minor < -INT64_MAX) {
		error_set(
		    err, ERROR_RANGE, "\"%s\" is too large for an amount of %s", decimal_format(exact, text), currency->code);
		return error_hint(err, "Look for a wrong price or quantity.");
	}
	*out = (struct money){.minor = (int64_t)minor, .currency = currency};
	return true;
}

const char *
money_format(struct money money, char out[DECIMAL_TEXT])
{
	struct decimal exact = money_exact(money);

	return decimal_format_places(exact, money.currency->minor_units, out);
}

const char *
money_text(struct arena *arena, int64_t minor, int64_t minor_units)
{
	struct currency currency = {.minor_units = (int)minor_units};
	char text[DECIMAL_TEXT];

	return arena_format(arena, "%s", money_format((struct money){minor, &currency}, text));
}

bool
money_parse(const char *text, const struct currency *currency, struct money *out, struct error *err)
{
	struct decimal exact;
	struct error why;

	if (!decimal_parse(text, strlen(text), &exact, &why)) {
		error_set(err, ERROR_USAGE, "the amount \"%s\" is not a decimal number: %.200s", text, why.message);
		return error_hint(err, "For example: 50 or 12.50");
	}
	if (!money_round(exact, currency, ROUND_DOWN, out, err)) {
		err->kind = ERROR_USAGE;
		return false;
	}
	if (decimal_compare(money_exact(*out), exact) == 0)
		return true;
	return error_set(err, ERROR_USAGE, "%s has %d decimals; \"%s\" has more", currency->code, currency->minor_units, text);
}

struct decimal
money_exact(struct money money)
{
	bool negative = money.minor < 0;
	u128 size = negative ? -(u128)money.minor : (u128)money.minor;

	must(money.currency != NULL);
	/* At most 2^63 times 10^18: always fits, also in the signed type. */
	size *= (u128)minor_unit_e18(money.currency);
	return (struct decimal){negative ? -(i128)size : (i128)size};
}

bool
money_add(struct money a, struct money b, struct money *out, struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];
	int64_t sum;

	must(a.currency != NULL && b.currency != NULL);
	if (a.currency != b.currency)
		return error_set(err, ERROR_STATE, "cannot add \"%s %s\" to \"%s %s\": two currencies", money_format(b, right),
		    b.currency->code, money_format(a, left), a.currency->code);
	if (__builtin_add_overflow(a.minor, b.minor, &sum) || sum == INT64_MIN)
		return error_set(err, ERROR_RANGE, "\"%s\" plus \"%s\" is too large for an amount of %s", money_format(a, left),
		    money_format(b, right), a.currency->code);
	*out = (struct money){.minor = sum, .currency = a.currency};
	return true;
}

static i128
minor_unit_e18(const struct currency *currency)
{
	int64_t unit = 1;

	for (int i = currency->minor_units; i < DECIMAL_PLACES; i++)
		unit *= 10;
	return unit;
}
