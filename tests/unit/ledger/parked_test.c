/* What is parked of an error. */
#include "ledger/parked.h"

#include "tests/support/unit.h"

static void
an_error_is_parked_with_its_place_and_remedy(void)
{
	struct parkings parkings = {0};
	struct error err = {0};

	error_set(&err, ERROR_RANGE, "a charge of 5 is out of range");
	error_detail(&err, "Amounts are less than 4.");
	error_hint(&err, "Look for a wrong price.");
	parkings_add_error(&parkings, "ann", "2026-11", &err);
	CU_ASSERT_EQUAL_FATAL(parkings.count, 1);
	EXPECT_TEXT(parkings.item[0].tenant, "ann");
	EXPECT_TEXT(parkings.item[0].period, "2026-11");
	EXPECT_TEXT(parkings.item[0].measured, "");
	EXPECT_TEXT(parkings.item[0].detail, "a charge of 5 is out of range. Amounts are less than 4. Look for a wrong price.");
	parkings_release(&parkings);
}

static void
what_is_parked_outlives_what_it_was_made_of(void)
{
	struct parkings parkings = {0};
	char tenant[] = "ann";

	for (int i = 0; i < 100; i++) {
		parkings_add(&parkings, &(struct parking){tenant, "2026-11", "1.50", "USD", "too much", ""});
		tenant[0]++;
	}
	CU_ASSERT_EQUAL_FATAL(parkings.count, 100);
	EXPECT_TEXT(parkings.item[0].tenant, "ann");
	EXPECT_TEXT(parkings.item[1].tenant, "bnn");
	EXPECT_TEXT(parkings.item[99].measured, "1.50");
	parkings_release(&parkings);
	CU_ASSERT_EQUAL(parkings.count, 0);
}

UNIT_TESTS("ledger/parked", TEST(an_error_is_parked_with_its_place_and_remedy), TEST(what_is_parked_outlives_what_it_was_made_of))
