/*
 * tiers_vectors_test.c -- amounts of quantities that other billing projects assert in their tests, each as a price book that the engine
 * rates with.
 *
 * A per cent of an amount is a price of a hundredth; min, max, discount_pct and free_units are terms of the contract; billing_units and
 * convert_divide_by are packages; a stair is a volume price of fees; buckets are rated alone and added up; what was billed before
 * is the difference of two ratings.  What we do not sell is counted by its reason.
 */
#include "tests/unit/rating/vector_bill.h"

/* Why a row was not run; RAN comes first. */
enum verdict { RAN, CREDITS, BELOW_NOTHING, OTHER_ROUNDING, EVENT_BOUNDS, FREE_EVENTS, FREE_PART, VERDICTS };

static const char *const reasons[VERDICTS] = {"ran", "credits, which are another issue's",
    "a month below nothing, which a ledger does not have", "packages are begun or not: never rounded down, nor piece by piece",
    "a bound for a single event", "free events that free their amounts too", "a part of a package is free"};

/* id,source,source_file,licence,model,tiers,quantity,prior_quantity,options,expected_amount,currency,note */
enum { ID = 0, MODEL = 4, TIERS = 5, QUANTITY = 6, PRIOR = 7, OPTIONS = 8, EXPECTED = 9 };

static enum verdict
verdict_of(const struct vector_bill *row, const char *quantity)
{
	char value[VECTOR_TEXT];

	if (vector_has(row, "credits"))
		return CREDITS;
	if (quantity[0] == '-')
		return BELOW_NOTHING;
	if (vector_has(row, "event_min"))
		return EVENT_BOUNDS;
	if (strcmp(row->model, "percentage_per_event") == 0 && (vector_has(row, "free_events") || vector_has(row, "free_units")))
		return FREE_EVENTS;
	if (vector_option(row->options, "free_units", value) != NULL && strchr(value, '.') != NULL)
		return FREE_PART;
	if (vector_option(row->options, "package_rounding", value) != NULL && strcmp(value, "up") != 0)
		return OTHER_ROUNDING;
	if (vector_option(row->options, "convert_rounding", value) != NULL && strcmp(value, "ceiling") != 0 &&
	    strcmp(value, "none") != 0)
		return OTHER_ROUNDING;
	/* Two quantities of one month, of which the second begins packages of its own although the first has not filled its last. */
	return vector_has(row, "convert_divide_by") && vector_has(row, "split") ? OTHER_ROUNDING : RAN;
}

/* Packages of all units: billing_units with the bounds as they are, convert_divide_by with bounds in packages. */
static void
set_package(struct vector_bill *row, char package[VECTOR_TEXT])
{
	char rounding[VECTOR_TEXT];

	if (vector_option(row->options, "billing_units", package) != NULL)
		row->package = package;
	else if (vector_option(row->options, "convert_divide_by", package) != NULL) {
		row->bounds_in = package;
		row->package = package;
	}
	/* Unrounded, it is a price for so many. */
	if (vector_option(row->options, "convert_rounding", rounding) != NULL && strcmp(rounding, "none") == 0) {
		row->per = row->package;
		row->package = NULL;
	}
}

/* The sum of "10+80", and how many there are. */
static struct decimal
sum_of(const char *list, i128 *count)
{
	char copy[VECTOR_TEXT], *rest = copy;
	struct decimal sum = {0};

	snprintf(copy, sizeof copy, "%s", list);
	*count = 0;
	for (char *item; (item = strsep(&rest, "+")) != NULL; ++*count)
		sum.e18 += amount_of(item).e18;
	return sum;
}

/* Each bucket rated alone. */
static struct decimal
rate_buckets(const struct vector_bill *row, const char *list)
{
	char copy[VECTOR_TEXT], *rest = copy;
	struct decimal sum = {0}, nothing = {0}, taken_off;

	snprintf(copy, sizeof copy, "%s", list);
	for (char *item; (item = strsep(&rest, "+")) != NULL;)
		sum.e18 += vector_rate(row, amount_of(item), 0, nothing, &taken_off).e18;
	return sum;
}

/* What is due now: all of the month, less what was billed, or what the prior quantity came to. */
static struct decimal
amount_due(const struct vector_bill *row, const char *list, const char *prior_text)
{
	char value[VECTOR_TEXT];
	i128 events;
	struct decimal quantity = sum_of(list, &events), prior = amount_of(prior_text), all = quantity, due, taken_off,
		       nothing = {0};

	if (vector_option(row->options, "events", value) != NULL)
		events = amount_of(value).e18 / decimal_one.e18;
	if (!vector_has(row, "fixed_per_event"))
		events = 0;
	all.e18 += prior.e18;
	due = vector_rate(row, all, events, nothing, &taken_off);
	if (vector_option(row->options, "already_billed", value) != NULL)
		due.e18 -= amount_of(value).e18;
	else if (prior.e18 != 0)
		due.e18 -= vector_rate(row, prior, 0, nothing, &taken_off).e18;
	return due;
}

/* How much a maximum takes off a line behind what was billed before. */
static struct decimal
discount_of(const struct vector_bill *row, const char *quantity)
{
	char value[VECTOR_TEXT];
	struct decimal taken_off;

	CU_ASSERT_PTR_NOT_NULL_FATAL(vector_option(row->options, "already_billed", value));
	vector_rate(row, amount_of(quantity), 0, amount_of(value), &taken_off);
	return taken_off;
}

static size_t
run_row(char *const *column)
{
	struct vector_bill row = {.model = column[MODEL], .options = column[OPTIONS], .meter = METER_requests};
	char got_text[DECIMAL_TEXT], package[VECTOR_TEXT], split[VECTOR_TEXT];
	struct decimal wanted = amount_of(column[EXPECTED]), got;
	enum verdict verdict = verdict_of(&row, column[QUANTITY]);

	if (verdict != RAN)
		return verdict;
	row.in_percent = strstr(row.model, "percentage") != NULL;
	vector_read_tiers(&row, column[TIERS]);
	set_package(&row, package);
	if (strchr(column[QUANTITY], '.') != NULL)
		row.meter = METER_gpu_seconds;
	vector_write_book(&row);
	vector_write_terms(&row, vector_option(row.options, "split", split) == NULL || strcmp(split, "last") == 0);
	if (strstr(row.model, "_buckets") != NULL)
		got = rate_buckets(&row, column[QUANTITY]);
	else if (strcmp(row.model, "max_spend_discount") == 0)
		got = vector_to_the_cent(discount_of(&row, column[QUANTITY]));
	else
		got = amount_due(&row, column[QUANTITY], column[PRIOR]);
	/* These projects bill lines of whole cents. */
	if (strcmp(row.model, "amount_multiplier") == 0 && strchr(column[QUANTITY], '.') == NULL)
		got = vector_to_the_cent(got);
	if (got.e18 != wanted.e18)
		printf("\n    %s: got %s, wanted %s: %s with %s\n", column[ID], decimal_format(got, got_text), column[EXPECTED],
		    row.book, row.terms);
	CU_ASSERT_TRUE(got.e18 == wanted.e18);
	return RAN;
}

static void
amounts_agree_with_those_of_other_billing_projects(void)
{
	vectors_run(&(struct vectors){"tiers.csv", 12, 170, reasons, VERDICTS, run_row});
}

UNIT_TESTS("rating/tiers (vectors)", TEST(amounts_agree_with_those_of_other_billing_projects))
