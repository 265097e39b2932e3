/* contract_test.c -- into which segments the contracts of a tenant divide a period. */
#include "rating/contract.h"

#include "tests/unit/rating/contracts.h"

enum { ROWS_MAX = 4 };

/* "first: starts - ends" for each segment of April, joined by "; ", of rows by their effective times and terms. */
static const char *
segments(size_t count, const char *const effective[], const char *const terms[])
{
	static char told[512];
	struct contract row[ROWS_MAX] = {{0}};
	struct contracts contracts = {.item = row, .count = count};
	struct contract_segment segment;
	size_t at = 0, first = 0, used = 0;

	told[0] = '\0';
	for (size_t i = 0; i < count; i++)
		row[i] = (struct contract){.effective = moment(effective[i]), .terms_text = terms[i]};
	while (contracts_segment(
	    &contracts, moment("2026-04-01T00:00:00Z"), moment("2026-05-01T00:00:00Z"), &at, &first, &segment)) {
		char starts[INSTANT_TEXT], ends[INSTANT_TEXT];

		used += (size_t)snprintf(told + used, sizeof told - used, "%s%zu: %.10s - %.10s", used > 0 ? "; " : "", first,
		    instant_format(segment.starts, starts), instant_format(segment.ends, ends));
		CU_ASSERT_FATAL(used < sizeof told);
	}
	return told;
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

UNIT_TESTS("rating/contract", TEST(one_contract_is_one_segment), TEST(other_terms_begin_a_segment_and_the_same_ones_do_not),
    TEST(contracts_before_and_after_the_period_have_none), TEST(the_first_contract_may_begin_within_the_period_or_later))
