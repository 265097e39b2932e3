/* money_test.c -- amounts that somebody owes: currencies, the one door, and back. */
#include "base/money.h"

#include "tests/support/unit.h"

static struct decimal
decimal_of(const char *text)
{
	struct decimal value = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_parse(text, strlen(text), &value, &err));
	return value;
}

static struct money
money_of(int64_t minor, const char *code)
{
	const struct currency *currency = currency_find(code);

	CU_ASSERT_PTR_NOT_NULL_FATAL(currency);
	return (struct money){minor, currency};
}

/* The exact amount is rounded half away from zero to this many minor units; a credit to the
 * opposite. */
static void
expect_minor(const char *exact, const char *code, int64_t minor)
{
	const struct currency *currency = currency_find(code);
	struct money due = {0}, credit = {0};
	struct error err;

	CU_ASSERT_TRUE(money_round(decimal_of(exact), currency, ROUND_HALF_UP, &due, &err));
	CU_ASSERT_EQUAL(due.minor, minor);
	CU_ASSERT_TRUE(money_round((struct decimal){-decimal_of(exact).e18}, currency, ROUND_HALF_UP, &credit, &err));
	CU_ASSERT_EQUAL(credit.minor, -minor);
}

static void
expect_money(struct money money, const char *wanted)
{
	char text[DECIMAL_TEXT];

	EXPECT_TEXT(money_format(money, text), wanted);
}

static void
a_currency_has_the_minor_unit_of_iso_4217(void)
{
	CU_ASSERT_EQUAL(money_of(0, "USD").currency->minor_units, 2);
	CU_ASSERT_EQUAL(money_of(0, "EUR").currency->minor_units, 2);
	CU_ASSERT_EQUAL(money_of(0, "JPY").currency->minor_units, 0);
	CU_ASSERT_EQUAL(money_of(0, "KRW").currency->minor_units, 0);
	CU_ASSERT_EQUAL(money_of(0, "KWD").currency->minor_units, 3);
	CU_ASSERT_EQUAL(money_of(0, "CLF").currency->minor_units, 4);
	EXPECT_TEXT(money_of(0, "ZWG").currency->code, "ZWG");
}

static void
what_is_no_current_currency_is_not_found(void)
{
	static const char *const codes[] = {"XAU", "XXX", "XTS", "DEM", "HRK", "usd", "US", "USDX", "", "ZZZ", "AAA"};

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		CU_ASSERT_PTR_NULL(currency_find(codes[i]));
}

/* The search needs the order; a row out of place would hide its neighbours. */
static void
the_table_is_sorted_and_every_row_is_found(void)
{
	static const struct currency rows[] = {
#define CURRENCY(code, minor_units) {#code, minor_units},
#include "base/currencies.def"
#undef CURRENCY
	};
	size_t count = sizeof rows / sizeof rows[0], with[5] = {0};

	CU_ASSERT_EQUAL(count, 165);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_TRUE(i == 0 || strcmp(rows[i - 1].code, rows[i].code) < 0);
		CU_ASSERT_EQUAL(strlen(rows[i].code), 3);
		CU_ASSERT_EQUAL(money_of(0, rows[i].code).currency->minor_units, rows[i].minor_units);
		CU_ASSERT_TRUE_FATAL(rows[i].minor_units >= 0 && rows[i].minor_units <= 4);
		with[rows[i].minor_units]++;
	}
	CU_ASSERT_TRUE(with[0] == 17 && with[1] == 0 && with[2] == 139 && with[3] == 7 && with[4] == 2);
	CU_ASSERT_EQUAL(strlen(currency_table_date), strlen("2026-02-01"));
}

static void
an_amount_is_rounded_to_the_minor_unit_of_its_currency(void)
{
	expect_minor("30.005", "USD", 3001);
	expect_minor("30.004999999999999999", "USD", 3000);
	expect_minor("0.004", "EUR", 0);
	expect_minor("299.5", "JPY", 300);
	expect_minor("1.2345", "KWD", 1235);
	expect_minor("1.23455", "CLF", 12346);
}

static void
the_rule_is_the_callers(void)
{
	struct money money = {0};
	struct error err;

	CU_ASSERT_TRUE(money_round(decimal_of("0.125"), currency_find("USD"), ROUND_HALF_EVEN, &money, &err));
	CU_ASSERT_EQUAL(money.minor, 12);
	CU_ASSERT_TRUE(money_round(decimal_of("0.121"), currency_find("USD"), ROUND_UP, &money, &err));
	CU_ASSERT_EQUAL(money.minor, 13);
	CU_ASSERT_TRUE(money_round(decimal_of("-0.129"), currency_find("USD"), ROUND_DOWN, &money, &err));
	CU_ASSERT_EQUAL(money.minor, -12);
}

static void
an_amount_is_written_with_all_its_decimals(void)
{
	expect_money(money_of(123450, "USD"), "1234.50");
	expect_money(money_of(-5, "USD"), "-0.05");
	expect_money(money_of(0, "USD"), "0.00");
	expect_money(money_of(300, "JPY"), "300");
	expect_money(money_of(1, "KWD"), "0.001");
	expect_money(money_of(INT64_MAX, "USD"), "92233720368547758.07");
	expect_money(money_of(INT64_MIN, "JPY"), "-9223372036854775808");
}

static void
money_is_an_exact_decimal_and_comes_back_through_the_door(void)
{
	static const int64_t minors[] = {0, 1, -1, 12345, -12345, INT64_MAX, -INT64_MAX};
	static const char *const codes[] = {"JPY", "USD", "KWD", "CLF"};

	for (size_t i = 0; i < sizeof minors / sizeof minors[0]; i++)
		for (size_t j = 0; j < sizeof codes / sizeof codes[0]; j++) {
			struct money money = money_of(minors[i], codes[j]), again = {0};
			struct error err;

			CU_ASSERT_TRUE(money_round(money_exact(money), money.currency, ROUND_DOWN, &again, &err));
			CU_ASSERT_EQUAL(again.minor, money.minor);
			CU_ASSERT_PTR_EQUAL(again.currency, money.currency);
		}
	CU_ASSERT_EQUAL(decimal_compare(money_exact(money_of(-1999, "USD")), decimal_of("-19.99")), 0);
}

static void
an_amount_too_large_for_its_currency_is_an_error_that_names_it(void)
{
	struct money money = {.minor = 42};
	struct error err;

	CU_ASSERT_FALSE(money_round(decimal_of("92233720368547758.08"), currency_find("USD"), ROUND_DOWN, &money, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	EXPECT_TEXT(err.message, "\"92233720368547758.08\" is too large for an amount of USD");
	CU_ASSERT_FALSE(money_round(decimal_of("-92233720368547758.08"), currency_find("USD"), ROUND_DOWN, &money, &err));
	CU_ASSERT_FALSE(
	    money_round(decimal_of("170141183460469231731.687303715884105727"), currency_find("JPY"), ROUND_UP, &money, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_EQUAL(money.minor, 42);
}

static void
amounts_of_one_currency_add_up(void)
{
	struct money sum = {0};
	struct error err;

	CU_ASSERT_TRUE(money_add(money_of(1999, "USD"), money_of(-2000, "USD"), &sum, &err));
	expect_money(sum, "-0.01");
}

static void
amounts_do_not_add_up_across_currencies_or_beyond_the_range(void)
{
	struct money sum = {.minor = 42};
	struct error err;

	CU_ASSERT_FALSE(money_add(money_of(100, "USD"), money_of(250, "EUR"), &sum, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_STATE);
	EXPECT_TEXT(err.message, "cannot add \"2.50 EUR\" to \"1.00 USD\": two currencies");
	CU_ASSERT_FALSE(money_add(money_of(INT64_MAX, "JPY"), money_of(1, "JPY"), &sum, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	EXPECT_TEXT(err.message, "\"9223372036854775807\" plus \"1\" is too large for an amount of JPY");
	CU_ASSERT_FALSE(money_add(money_of(-INT64_MAX, "JPY"), money_of(-1, "JPY"), &sum, &err));
	CU_ASSERT_EQUAL(sum.minor, 42);
}

UNIT_TESTS("base/money", TEST(a_currency_has_the_minor_unit_of_iso_4217), TEST(what_is_no_current_currency_is_not_found),
    TEST(the_table_is_sorted_and_every_row_is_found), TEST(an_amount_is_rounded_to_the_minor_unit_of_its_currency),
    TEST(the_rule_is_the_callers), TEST(an_amount_is_written_with_all_its_decimals),
    TEST(money_is_an_exact_decimal_and_comes_back_through_the_door),
    TEST(an_amount_too_large_for_its_currency_is_an_error_that_names_it), TEST(amounts_of_one_currency_add_up),
    TEST(amounts_do_not_add_up_across_currencies_or_beyond_the_range))
