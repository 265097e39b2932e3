/* contract_test.c -- into which segments the contracts of a tenant divide a period. */
#include "rating/contract.h"

#include "tests/unit/rating/contracts.h"

enum { ROWS_MAX = 4 };

/* "first: starts - ends" for each segment of April, joined by "; ", of rows by their effective times, ends and terms. */
static const char *
segments_until(size_t count, const char *const effective[], const char *const until[], const char *const terms[])
{
	static char told[512];
	struct contract row[ROWS_MAX] = {{0}};
	struct contracts contracts = {.item = row, .count = count};
	struct contract_segment segment;
	size_t at = 0, first = 0, used = 0;

	told[0] = '\0';
	for (size_t i = 0; i < count; i++)
		row[i] = (struct contract){.effective = moment(effective[i]),
		    .until = until == NULL || until[i] == NULL ? (struct instant){0} : moment(until[i]),
		    .terms_text = terms[i]};
	while (contracts_segment(
	    &contracts, moment("2026-04-01T00:00:00Z"), moment("2026-05-01T00:00:00Z"), &at, &first, &segment)) {
		char starts[INSTANT_TEXT], ends[INSTANT_TEXT];

		used += (size_t)snprintf(told + used, sizeof told - used, "%s%zu: %.10s - %.10s", used > 0 ? "; " : "", first,
		    instant_format(segment.starts, starts), instant_format(segment.ends, ends));
		CU_ASSERT_FATAL(used < sizeof told);
	}
	return told;
}

static const char *
segments(size_t count, const char *const effective[], const char *const terms[])
{
	return segments_until(count, effective, NULL, terms);
}

#define SEGMENTS(effective, terms) segments(sizeof effective / sizeof *effective, effective, terms)

static void
one_contract_is_one_segment(void)
{
	static const char *const effective[] = {"2026-01-01T00:00:00Z"}, *const terms[] = {"{}"};

	EXPECT_TEXT(SEGMENTS(effective, terms), "0: 2026-04-01 - 2026-05-01");
}

static void
other_terms_begin_a_segment_and_the_same_ones_do_not(void)
{
	static const char *const effective[] = {
	    "2026-01-01T00:00:00Z", "2026-04-05T00:00:00Z", "2026-04-11T00:00:00Z", "2026-04-21T00:00:00Z"};
	static const char *const terms[] = {"a", "a", "b", "a"};

	EXPECT_TEXT(
	    SEGMENTS(effective, terms), "0: 2026-04-01 - 2026-04-11; 2: 2026-04-11 - 2026-04-21; 3: 2026-04-21 - 2026-05-01");
}

static void
contracts_before_and_after_the_period_have_none(void)
{
	static const char *const effective[] = {
	    "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"};
	static const char *const terms[] = {"a", "b", "c", "d"};

	EXPECT_TEXT(SEGMENTS(effective, terms), "2: 2026-04-01 - 2026-05-01");
}

static void
the_first_contract_may_begin_within_the_period_or_later(void)
{
	static const char *const within[] = {"2026-04-16T00:00:00Z"}, *const later[] = {"2026-05-16T00:00:00Z"};
	static const char *const terms[] = {""};

	EXPECT_TEXT(SEGMENTS(within, terms), "0: 2026-04-16 - 2026-05-01");
	EXPECT_TEXT(SEGMENTS(later, terms), "");
	EXPECT_TEXT(segments(0, NULL, NULL), "");
}

static void
a_contract_with_an_end_has_no_segment_from_then_on(void)
{
	static const char *const effective[] = {"2026-01-01T00:00:00Z"}, *const terms[] = {"a"};
	static const char *const within[] = {"2026-04-16T00:00:00Z"}, *const before[] = {"2026-04-01T00:00:00Z"};
	static const char *const after[] = {"2026-05-16T00:00:00Z"};

	EXPECT_TEXT(segments_until(1, effective, within, terms), "0: 2026-04-01 - 2026-04-16");
	EXPECT_TEXT(segments_until(1, effective, before, terms), "");
	EXPECT_TEXT(segments_until(1, effective, after, terms), "0: 2026-04-01 - 2026-05-01");
}

static void
a_row_that_ends_when_it_begins_ends_the_one_before_it(void)
{
	static const char *const effective[] = {"2026-01-01T00:00:00Z", "2026-04-16T00:00:00Z"};
	static const char *const until[] = {NULL, "2026-04-16T00:00:00Z"};
	static const char *const same[] = {"a", "a"}, *const other[] = {"a", ""};

	EXPECT_TEXT(segments_until(2, effective, until, same), "0: 2026-04-01 - 2026-04-16");
	EXPECT_TEXT(segments_until(2, effective, until, other), "0: 2026-04-01 - 2026-04-16");
}

static void
the_same_terms_after_a_gap_are_a_segment_of_their_own(void)
{
	static const char *const effective[] = {"2026-01-01T00:00:00Z", "2026-04-21T00:00:00Z"};
	static const char *const gap[] = {"2026-04-11T00:00:00Z", NULL}, *const none[] = {"2026-04-21T00:00:00Z", NULL};
	static const char *const later[] = {"2026-06-01T00:00:00Z", NULL}, *const terms[] = {"a", "a"};

	EXPECT_TEXT(segments_until(2, effective, gap, terms), "0: 2026-04-01 - 2026-04-11; 1: 2026-04-21 - 2026-05-01");
	EXPECT_TEXT(segments_until(2, effective, none, terms), "0: 2026-04-01 - 2026-05-01");
	EXPECT_TEXT(segments_until(2, effective, later, terms), "0: 2026-04-01 - 2026-05-01");
}

/* The place of the contract in force on a day of April 2026. */
static size_t
place_on(const struct contracts *contracts, const char *day)
{
	return contract_at(contracts, moment(day));
}

static void
in_force_is_the_last_row_that_began_unless_it_has_ended(void)
{
	struct contract row[] = {{.effective = moment("2026-01-01T00:00:00Z"), .until = moment("2026-04-11T00:00:00Z")},
	    {.effective = moment("2026-04-21T00:00:00Z")}};
	const struct contracts contracts = {.item = row, .count = 2};

	CU_ASSERT_EQUAL(place_on(&contracts, "2025-12-31T23:45:00Z"), 0);
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-10T23:45:00Z"), 1);
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-11T00:00:00Z"), 0);
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-20T23:45:00Z"), 0);
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-21T00:00:00Z"), 2);
	CU_ASSERT_FALSE(contract_goes_on(&contracts, 0));
	CU_ASSERT_EQUAL(contract_chain(&contracts, 1), 1);
	row[0].until = (struct instant){0};
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-20T23:45:00Z"), 1);
	CU_ASSERT_TRUE(contract_goes_on(&contracts, 0));
	CU_ASSERT_EQUAL(contract_chain(&contracts, 1), 0);
	row[1].until = row[1].effective;
	CU_ASSERT_EQUAL(place_on(&contracts, "2026-04-21T00:00:00Z"), 0);
	CU_ASSERT_FALSE(contract_goes_on(&contracts, 0));
}

/* Which of the contracts hold aborted usage, as letters: "h-" for the first of two. */
static const char *
holders(const enum contract_aborted stated[], size_t count)
{
	static char told[ROWS_MAX + 1];
	struct contract_terms terms[ROWS_MAX] = {{0}};
	struct contract row[ROWS_MAX] = {{0}};
	const struct contracts contracts = {.item = row, .count = count};

	for (size_t i = 0; i < count; i++) {
		terms[i].aborted = stated[i];
		/* Without terms nothing is stated, either. */
		row[i].terms = stated[i] == ABORTED_UNSTATED && i % 2 == 1 ? NULL : &terms[i];
	}
	for (size_t i = 0; i < count; i++)
		told[i] = contract_holds_aborted(&contracts, i) ? 'h' : '-';
	told[count] = '\0';
	return told;
}

#define HOLDERS(...)                                                                                                             \
	holders((const enum contract_aborted[]){__VA_ARGS__},                                                                    \
	    sizeof(const enum contract_aborted[]){__VA_ARGS__} / sizeof(enum contract_aborted))

static void
aborted_usage_is_held_until_a_later_contract_says_that_it_is_billed(void)
{
	EXPECT_TEXT(HOLDERS(ABORTED_UNSTATED), "-");
	EXPECT_TEXT(HOLDERS(ABORTED_BILL), "-");
	EXPECT_TEXT(HOLDERS(ABORTED_HOLD), "h");
	EXPECT_TEXT(HOLDERS(ABORTED_HOLD, ABORTED_UNSTATED), "h-");
	EXPECT_TEXT(HOLDERS(ABORTED_HOLD, ABORTED_BILL), "--");
	EXPECT_TEXT(HOLDERS(ABORTED_BILL, ABORTED_HOLD), "-h");
	EXPECT_TEXT(HOLDERS(ABORTED_UNSTATED, ABORTED_UNSTATED, ABORTED_HOLD), "--h");
	EXPECT_TEXT(HOLDERS(ABORTED_HOLD, ABORTED_UNSTATED, ABORTED_HOLD, ABORTED_UNSTATED), "h-h-");
	EXPECT_TEXT(HOLDERS(ABORTED_HOLD, ABORTED_BILL, ABORTED_HOLD), "--h");
}

static void
a_stretch_of_time_has_a_contract_that_holds_only_while_that_is_in_force(void)
{
	struct contract_terms hold = {.aborted = ABORTED_HOLD};
	struct contract row[] = {{.effective = moment("2026-01-01T00:00:00Z")},
	    {.effective = moment("2026-04-11T00:00:00Z"), .until = moment("2026-04-21T00:00:00Z"), .terms = &hold}};
	const struct contracts contracts = {.item = row, .count = 2};
	struct instant first = moment("2026-04-01T00:00:00Z"), begins = row[1].effective, ends = row[1].until;

	CU_ASSERT_FALSE(contracts_hold_aborted(&contracts, first, begins));
	CU_ASSERT_TRUE(contracts_hold_aborted(&contracts, first, (struct instant){begins.us + 1}));
	CU_ASSERT_TRUE(contracts_hold_aborted(&contracts, (struct instant){ends.us - 1}, moment("2026-05-01T00:00:00Z")));
	CU_ASSERT_FALSE(contracts_hold_aborted(&contracts, ends, moment("2026-05-01T00:00:00Z")));
}

UNIT_TESTS("rating/contract", TEST(aborted_usage_is_held_until_a_later_contract_says_that_it_is_billed),
    TEST(a_stretch_of_time_has_a_contract_that_holds_only_while_that_is_in_force), TEST(one_contract_is_one_segment),
    TEST(other_terms_begin_a_segment_and_the_same_ones_do_not), TEST(contracts_before_and_after_the_period_have_none),
    TEST(the_first_contract_may_begin_within_the_period_or_later), TEST(a_contract_with_an_end_has_no_segment_from_then_on),
    TEST(a_row_that_ends_when_it_begins_ends_the_one_before_it), TEST(the_same_terms_after_a_gap_are_a_segment_of_their_own),
    TEST(in_force_is_the_last_row_that_began_unless_it_has_ended))
