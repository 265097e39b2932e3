/*
 * tiers_vectors_test.c -- amounts of tiered quantities that other billing projects assert in their tests.
 *
 * Rows of a price per unit, graduated and volume, without minimums, packages, fixed fees or fractions of a unit, none of which
 * our price language has.  What does not run is counted by its reason, and too few rows that ran are a failure.
 */
#include "rating/tiers.h"

#include "tests/support/vectors.h"

/* Why a row was not run; RAN comes first. */
enum verdict { RAN, OTHER_MODEL, HAS_OPTIONS, HAS_FEES, HAS_FRACTIONS, VERDICTS };

static const char *const reasons[VERDICTS] = {"ran", "another model", "has options", "has fixed fees", "counts fractions"};

/* id,source,source_file,licence,model,tiers,quantity,prior_quantity,options,expected_amount,currency,note */
enum { ID = 0, MODEL = 4, TIERS = 5, QUANTITY = 6, PRIOR = 7, OPTIONS = 8, EXPECTED = 9 };

static bool
whole_number(const char *text, i128 *out)
{
	struct error err;

	return integer_parse(text, strlen(text), out, &err);
}

/* up_to:unit_price:flat[:package_size], joined by semicolons; up_to "inf" in the last. */
static enum verdict
read_tiers(char *text, struct meter_price *out)
{
	out->per = 1;
	for (char *tier; (tier = strsep(&text, ";")) != NULL; out->steps++) {
		const char *up_to = strsep(&tier, ":"), *price = strsep(&tier, ":"), *flat = strsep(&tier, ":");
		struct tier_step *step = &out->step[out->steps];
		struct error err;

		CU_ASSERT_FATAL(out->steps < TIER_STEPS_MAX && price != NULL && flat != NULL);
		if (strcmp(flat, "0") != 0)
			return HAS_FEES;
		if (strcmp(up_to, "inf") != 0 && !whole_number(up_to, &step->up_to))
			return HAS_FRACTIONS;
		CU_ASSERT_TRUE_FATAL(decimal_parse(price, strlen(price), &step->price, &err));
	}
	return RAN;
}

static void
add_part(const struct meter_price *price, size_t step, i128 quantity, struct decimal *sum)
{
	struct decimal amount;
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_price(price->step[step].price, quantity, price->per, ROUND_HALF_EVEN, &amount, &err));
	CU_ASSERT_TRUE_FATAL(decimal_add(*sum, amount, sum, &err));
}

/* What the quantity adds to what the prior one cost. */
static struct decimal
price_of(const struct meter_price *price, i128 prior, i128 quantity)
{
	struct tier_part parts[TIER_STEPS_MAX];
	struct decimal sum = {0};
	struct error err;
	size_t count = 0;

	if (price->mode == TIER_VOLUME) {
		add_part(price, tiers_volume_step(price, prior + quantity), prior + quantity, &sum);
		add_part(price, tiers_volume_step(price, prior), -prior, &sum);
		return sum;
	}
	CU_ASSERT_TRUE_FATAL(tiers_split(price, prior, quantity, parts, &count, &err));
	for (size_t i = 0; i < count; i++)
		add_part(price, parts[i].step, parts[i].quantity, &sum);
	return sum;
}

static size_t
run_row(char *const *column)
{
	struct meter_price price = {.mode = strcmp(column[MODEL], "volume") == 0 ? TIER_VOLUME : TIER_GRADUATED};
	char got_text[DECIMAL_TEXT];
	struct decimal wanted, got;
	enum verdict verdict;
	i128 quantity, prior;
	struct error err;

	if (strcmp(column[MODEL], "per_unit") != 0 && strcmp(column[MODEL], "graduated") != 0 &&
	    strcmp(column[MODEL], "volume") != 0)
		return OTHER_MODEL;
	if (column[OPTIONS][0] != '\0')
		return HAS_OPTIONS;
	verdict = read_tiers(column[TIERS], &price);
	if (verdict != RAN)
		return verdict;
	if (!whole_number(column[QUANTITY], &quantity) || !whole_number(column[PRIOR], &prior))
		return HAS_FRACTIONS;
	CU_ASSERT_TRUE_FATAL(decimal_parse(column[EXPECTED], strlen(column[EXPECTED]), &wanted, &err));
	got = price_of(&price, prior, quantity);
	if (got.e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s\n", column[ID], decimal_format(got, got_text), column[EXPECTED]);
	CU_ASSERT_TRUE(got.e18 == wanted.e18);
	return RAN;
}

static void
amounts_agree_with_those_of_other_billing_projects(void)
{
	vectors_run(&(struct vectors){"tiers.csv", 12, 40, reasons, VERDICTS, run_row});
}

UNIT_TESTS("rating/tiers (vectors)", TEST(amounts_agree_with_those_of_other_billing_projects))
