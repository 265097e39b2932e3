/*
 * llm_cost_vectors_test.c -- what requests cost by the tests and recorded results of other projects, priced by our arithmetic.
 *
 * Each row gives its lines as class:quantity:rate:per; the sum of our amounts must be the expected total, to the last decimal.
 * Rows that their source rounds first (compare is not "exact") are not run, and counted.
 */
#include "base/decimal.h"

#include "tests/support/vectors.h"

/* Why a row was not run; RAN comes first. */
enum verdict { RAN, ROUNDED_FIRST, NO_TOTAL, MORE_THAN_18_DECIMALS, HAS_FRACTIONS, VERDICTS };

static const char *const reasons[VERDICTS] = {
    "ran", "their source rounds first", "no total is asserted", "needs more than 18 decimals", "counts fractions"};

/* id,source,source_file,licence,kind,provider,model,price_key,at_utc,service_tier,usage,lines,expected_input,expected_output,
 * expected_total,compare,rate_rule,note */
enum { ID = 0, LINES = 11, TOTAL = 14, COMPARE = 15 };

/* Prices class:quantity:rate:per joined by semicolons, or nothing at all, into *sum. */
static enum verdict
price_lines(char *lines, struct decimal *sum)
{
	*sum = (struct decimal){0};
	if (lines[0] == '\0')
		return RAN;
	for (char *line; (line = strsep(&lines, ";")) != NULL;) {
		const char *text[4];
		struct decimal rate, amount;
		i128 quantity, per;
		struct error err;

		for (size_t i = 0; i < 4; i++) {
			text[i] = strsep(&line, ":");
			CU_ASSERT_PTR_NOT_NULL_FATAL(text[i]);
		}
		if (!integer_parse(text[1], strlen(text[1]), &quantity, &err))
			return HAS_FRACTIONS;
		if (!decimal_parse(text[2], strlen(text[2]), &rate, &err))
			return MORE_THAN_18_DECIMALS;
		CU_ASSERT_TRUE_FATAL(integer_parse(text[3], strlen(text[3]), &per, &err));
		CU_ASSERT_TRUE_FATAL(decimal_price(rate, quantity, per, ROUND_HALF_EVEN, &amount, &err));
		CU_ASSERT_TRUE_FATAL(decimal_add(*sum, amount, sum, &err));
	}
	return RAN;
}

static size_t
run_row(char *const *column)
{
	struct decimal got, wanted;
	char got_text[DECIMAL_TEXT];
	enum verdict verdict;
	struct error err;

	if (strcmp(column[COMPARE], "exact") != 0)
		return ROUNDED_FIRST;
	if (column[TOTAL][0] == '\0')
		return NO_TOTAL;
	if (!decimal_parse(column[TOTAL], strlen(column[TOTAL]), &wanted, &err))
		return MORE_THAN_18_DECIMALS;
	verdict = price_lines(column[LINES], &got);
	if (verdict != RAN)
		return verdict;
	if (got.e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s\n", column[ID], decimal_format(got, got_text), column[TOTAL]);
	CU_ASSERT_TRUE(got.e18 == wanted.e18);
	return RAN;
}

static void
requests_cost_what_people_asserted_in_tests(void)
{
	vectors_run(&(struct vectors){"llm_cost.csv", 18, 100, reasons, VERDICTS, run_row});
}

static void
recorded_requests_cost_what_another_program_computed(void)
{
	vectors_run(&(struct vectors){"llm_cost_dataset.csv", 18, 1500, reasons, VERDICTS, run_row});
}

UNIT_TESTS("rating/charge (vectors)", TEST(requests_cost_what_people_asserted_in_tests),
    TEST(recorded_requests_cost_what_another_program_computed))
