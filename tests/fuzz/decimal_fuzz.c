/*
 * decimal_fuzz.c -- any bytes: what is read as a number is written and read back as the same
 * number, and no operation on it overflows unnoticed.  Build with clang
 * -fsanitize=fuzzer,address,undefined.
 */
#include "base/decimal.h"

#include <string.h>

#include "base/money.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const enum rounding rules[] = {ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, ROUND_DOWN};

static void
expect_round_trip(struct decimal value)
{
	char text[DECIMAL_TEXT];
	struct decimal again;
	struct error err;

	decimal_format(value, text);
	must(decimal_parse(text, strlen(text), &again, &err) && again.e18 == value.e18);
	decimal_format_places(value, DECIMAL_PLACES, text);
	must(decimal_parse(text, strlen(text), &again, &err) && again.e18 == value.e18);
}

/* Rounding either fails as a range error or gives the opposite for the opposite. */
static void
expect_symmetry(struct decimal value, int places, enum rounding rule)
{
	struct decimal rounded, opposite;
	struct error err;

	if (!decimal_round(value, places, rule, &rounded, &err)) {
		must(err.kind == ERROR_RANGE);
		return;
	}
	must(decimal_round((struct decimal){-value.e18}, places, rule, &opposite, &err));
	must(opposite.e18 == -rounded.e18);
}

/* The value as a price, its own units as quantity and base. */
static void
try_prices(struct decimal value, enum rounding rule)
{
	i128 per = value.e18 < 0 ? -value.e18 : value.e18;
	struct decimal out;
	struct money money;
	struct error err;

	must(decimal_price(value, 1, 1, rule, &out, &err) && out.e18 == value.e18);
	if (per > 0)
		must(decimal_price(value, value.e18, per, rule, &out, &err) && out.e18 == per);
	if (!decimal_price(value, value.e18, 1000000, rule, &out, &err))
		must(err.kind == ERROR_RANGE);
	if (!decimal_multiply(value, value, rule, &out, &err))
		must(err.kind == ERROR_RANGE);
	if (!decimal_divide((struct decimal){1}, value, rule, &out, &err))
		must(err.kind == ERROR_RANGE);
	if (!money_round(value, currency_find("USD"), rule, &money, &err))
		must(err.kind == ERROR_RANGE);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	const char *text = (const char *)bytes;
	struct decimal value;
	struct error err;
	i128 integer;

	if (integer_parse(text, length, &integer, &err)) {
		char written[DECIMAL_TEXT];
		i128 again;

		integer_format(integer, written);
		must(integer_parse(written, strlen(written), &again, &err) && again == integer);
	}
	if (!decimal_parse(text, length, &value, &err)) {
		must(err.kind == ERROR_INPUT || err.kind == ERROR_RANGE);
		return 0;
	}
	expect_round_trip(value);
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		expect_symmetry(value, (int)(length % (DECIMAL_PLACES + 1)), rules[i]);
		try_prices(value, rules[i]);
	}
	return 0;
}
