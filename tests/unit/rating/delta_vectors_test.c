/*
 * delta_vectors_test.c -- what other billing projects book when more usage of a month arrives, or less: what the whole month comes to
 * now, to the cent, less what was booked before.  The engine rates each state of the month from the start.
 */
#include "tests/unit/rating/vector_bill.h"

static const char *const reasons[] = {"ran"};

/* id,case,source,source_file,licence,model,tiers,options,phase,is_final,cumulative_quantity,expected_delta */
enum { ID = 0, CASE = 1, MODEL = 5, TIERS = 6, OPTIONS = 7, FINAL = 9, QUANTITY = 10, EXPECTED = 11 };

/* Of the case that rows are about. */
static char booked_case[VECTOR_LINE_MAX];
static struct decimal booked;

static size_t
run_row(char *const *column)
{
	struct vector_bill row = {.model = column[MODEL], .options = column[OPTIONS], .meter = METER_requests};
	struct decimal wanted = amount_of(column[EXPECTED]), total, got, nothing = {0}, taken_off;
	char got_text[DECIMAL_TEXT];

	if (strcmp(booked_case, column[CASE]) != 0)
		booked = nothing;
	snprintf(booked_case, sizeof booked_case, "%s", column[CASE]);
	vector_read_tiers(&row, column[TIERS]);
	vector_write_book(&row);
	vector_write_terms(&row, strcmp(column[FINAL], "1") == 0);
	total = vector_to_the_cent(vector_rate(&row, amount_of(column[QUANTITY]), 0, nothing, &taken_off));
	got.e18 = total.e18 - booked.e18;
	booked = total;
	if (got.e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s: %s with %s\n", column[ID], decimal_format(got, got_text), column[EXPECTED],
		    row.book, row.terms);
	CU_ASSERT_TRUE(got.e18 == wanted.e18);
	return 0;
}

static void
what_is_booked_agrees_with_other_billing_projects(void)
{
	vectors_run(&(struct vectors){"delta.csv", 12, 47, reasons, 1, run_row});
}

UNIT_TESTS("rating/charges (delta vectors)", TEST(what_is_booked_agrees_with_other_billing_projects))
