/* tax_test.c -- tax on a document: one rate, rounded once. */
#include "ledger/tax.h"

#include "tests/support/unit.h"

/* `percent` of so many minor units is so many, and of what is credited the same back. */
static void
expect_tax(int64_t minor, const char *code, const char *percent, int64_t tax)
{
	const struct currency *currency = currency_find(code);
	struct decimal rate = {0};
	struct money out = {0};
	struct error err;

	CU_ASSERT_TRUE(decimal_parse(percent, strlen(percent), &rate, &err));
	CU_ASSERT_TRUE(tax_of((struct money){minor, currency}, rate, &out, &err));
	CU_ASSERT_EQUAL(out.minor, tax);
	CU_ASSERT_PTR_EQUAL(out.currency, currency);
	CU_ASSERT_TRUE(tax_of((struct money){-minor, currency}, rate, &out, &err));
	CU_ASSERT_EQUAL(out.minor, -tax);
}

static void
tax_is_rounded_half_away_from_zero_to_the_minor_unit(void)
{
	expect_tax(27916, "EUR", "20", 5583); /* 55.832 */
	expect_tax(250, "EUR", "5", 13);      /* 0.125 */
	expect_tax(249, "EUR", "5", 12);      /* 0.1245 */
	expect_tax(5, "JPY", "10", 1);        /* 0.5 yen */
	expect_tax(4, "JPY", "10", 0);
	expect_tax(1000, "KWD", "5", 50); /* a thousand fils */
}

static void
tax_has_all_decimals_of_its_percentage(void)
{
	expect_tax(100000000, "EUR", "8.875125", 8875125);
	expect_tax(50000000, "EUR", "0.000001", 1); /* a half of a cent */
	expect_tax(49999999, "EUR", "0.000001", 0);
}

static void
no_tax_is_zero_and_all_is_all(void)
{
	expect_tax(12345, "EUR", "0", 0);
	expect_tax(12345, "EUR", "100", 12345);
	expect_tax(0, "EUR", "20", 0);
}

UNIT_TESTS("ledger/tax", TEST(tax_is_rounded_half_away_from_zero_to_the_minor_unit), TEST(tax_has_all_decimals_of_its_percentage),
    TEST(no_tax_is_zero_and_all_is_all))
