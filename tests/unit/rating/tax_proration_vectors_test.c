/*
 * tax_proration_vectors_test.c -- proration, minimum and tax as another billing project asserts them in its tests.
 *
 * Proration and minimum go through the terms of a contract.  Tax is not in this program yet: its rows check that one exact product,
 * rounded once, half away from zero, is what that project comes to.
 */
#include "base/money.h"
#include "rating/contract_charges.h"
#include "tests/support/vectors.h"
#include "tests/unit/rating/contracts.h"

enum verdict { RAN, OTHER_OP, VERDICTS };

static const char *const reasons[VERDICTS] = {"ran", "another operation"};

/* id,source,source_file,licence,op,net_minor,a,b,expected_minor,expected_total_minor,note */
enum { ID = 0, OP = 4, NET = 5, A = 6, B = 7, EXPECTED = 8, TOTAL = 9 };

static const char *
cents(struct decimal minor, char out[DECIMAL_TEXT])
{
	struct decimal amount;
	struct money money;
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_price(minor, 1, 100, ROUND_HALF_EVEN, &amount, &err));
	CU_ASSERT_TRUE_FATAL(money_round(amount, currency_find("USD"), ROUND_HALF_UP, &money, &err));
	return integer_format(money.minor, out);
}

/* The only charge of these terms for the first `part` of `whole` days, in which usage cost `used`. */
static struct decimal
charge_of(const char *text, int part, int whole, const char *used)
{
	const int64_t day = (int64_t)24 * 3600 * 1000000;
	struct contract_terms *terms = terms_in(text, "UTC");
	struct contract_net net = {"m", "default", METER_requests, amount_of(used)};
	struct contract_charge charges[CONTRACT_CHARGES_MAX] = {{0}};
	struct contract_segment segment = {.period_ends = {whole * day}, .ends = {part * day}};
	struct arena arena = {0};
	struct error err;
	size_t count = 0;

	CU_ASSERT_TRUE_FATAL(contract_charges_make(terms, &segment, &net, 1, &arena, charges, &count, &err));
	CU_ASSERT_EQUAL(count, 1);
	arena_release(&arena);
	contract_terms_free(terms);
	return charges[0].amount;
}

static int
days(const char *text)
{
	i128 number = 0;
	struct error err;

	CU_ASSERT_TRUE_FATAL(integer_parse(text, strlen(text), &number, &err));
	return (int)number;
}

/* net_minor for a of b days */
static void
run_prorate(char *const *column)
{
	char text[160], got[DECIMAL_TEXT];

	snprintf(text, sizeof text, "{'fees': [{'name': 'f', 'amount': '%s', 'prorate': true}]}", column[NET]);
	EXPECT_TEXT(cents(charge_of(text, days(column[A]), days(column[B]), "0"), got), column[EXPECTED]);
}

/* a minimum of net_minor for a = "part/whole" days, where usage cost b */
static void
run_min_true_up(char *const *column)
{
	char text[160], got[DECIMAL_TEXT], share[32], *whole = share;
	const char *part;

	snprintf(share, sizeof share, "%s", column[A]);
	part = strsep(&whole, "/");
	CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
	snprintf(text, sizeof text, "{'minimum': {'amount': '%s', 'prorate': true}}", column[NET]);
	EXPECT_TEXT(cents(charge_of(text, days(part), days(whole), column[B]), got), column[EXPECTED]);
}

/* a % of net_minor, which may have fractions; the total is the rounded net and the rounded tax */
static void
run_tax(char *const *column)
{
	struct decimal tax = {0}, total = {0}, net = amount_of(column[NET]);
	char got[DECIMAL_TEXT];
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_multiply(net, amount_of(column[A]), ROUND_HALF_EVEN, &tax, &err) &&
	    decimal_price(tax, 1, 100, ROUND_HALF_EVEN, &tax, &err));
	EXPECT_TEXT(cents(tax, got), column[EXPECTED]);
	CU_ASSERT_TRUE_FATAL(decimal_round(net, 0, ROUND_HALF_UP, &net, &err) &&
	    decimal_round(tax, 0, ROUND_HALF_UP, &tax, &err) && decimal_add(net, tax, &total, &err));
	EXPECT_TEXT(cents(total, got), column[TOTAL]);
}

static size_t
run_row(char *const *column)
{
	static const struct {
		const char *op;
		void (*run)(char *const *column);
	} ops[] = {{"prorate", run_prorate}, {"min_true_up", run_min_true_up}, {"tax", run_tax}};

	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (strcmp(column[OP], ops[i].op) == 0) {
			ops[i].run(column);
			return RAN;
		}
	printf("\n    %s: %s\n", column[ID], reasons[OTHER_OP]);
	return OTHER_OP;
}

static void
proration_minimum_and_tax_are_as_others_assert_them(void)
{
	static const struct vectors table = {"tax_proration.csv", 11, 22, reasons, VERDICTS, run_row};

	vectors_run(&table);
}

UNIT_TESTS("rating/tax_proration_vectors", TEST(proration_minimum_and_tax_are_as_others_assert_them))
