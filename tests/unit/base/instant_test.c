/* instant_test.c -- times: what is read as which instant, and what is refused as what. */
#include "base/instant.h"

#include "tests/support/unit.h"

static enum instant_result
parse(const char *text, struct instant *out)
{
	return instant_parse(text, strlen(text), 2020, out);
}

static void
expect_instant(const char *text, enum instant_result result, const char *wanted)
{
	struct instant instant = {0};
	char got[INSTANT_TEXT];
	enum instant_result was = parse(text, &instant);

	if (was != result)
		printf("\n    \"%s\": result %d, wanted %d\n", text, (int)was, (int)result);
	CU_ASSERT_EQUAL(was, result);
	EXPECT_TEXT(instant_format(instant, got), wanted);
}

static void
expect_refused(const char *text, enum instant_result result)
{
	struct instant instant = {42};
	enum instant_result was = parse(text, &instant);

	if (was != result)
		printf("\n    \"%s\": result %d, wanted %d\n", text, (int)was, (int)result);
	CU_ASSERT_EQUAL(was, result);
	CU_ASSERT_EQUAL(instant.us, 42);
}

static void
expect_local(const char *text, int offset_minutes, enum instant_result result, const char *wanted)
{
	struct instant instant = {0};
	char got[INSTANT_TEXT];

	CU_ASSERT_EQUAL(instant_parse_local(text, strlen(text), offset_minutes, 2020, &instant), result);
	EXPECT_TEXT(instant_format(instant, got), wanted);
}

static void
a_time_with_an_offset_is_an_instant_in_utc(void)
{
	expect_instant("2026-10-31T12:00:00Z", INSTANT_OK, "2026-10-31T12:00:00Z");
	expect_instant("2026-10-31T12:00:00+02:00", INSTANT_OK, "2026-10-31T10:00:00Z");
	expect_instant("2026-10-31T22:00:00-05:45", INSTANT_OK, "2026-11-01T03:45:00Z");
	/* 1 November in India is still October in UTC */
	expect_instant("2026-11-01T01:30:00+05:30", INSTANT_OK, "2026-10-31T20:00:00Z");
	expect_instant("2026-10-31T12:00:00-00:00", INSTANT_OK, "2026-10-31T12:00:00Z");
	expect_instant("2026-10-31T12:00:00+23:59", INSTANT_OK, "2026-10-30T12:01:00Z");
}

static void
letters_may_be_lower_case(void)
{
	expect_instant("2026-10-31t12:00:00z", INSTANT_OK, "2026-10-31T12:00:00Z");
}

static void
a_fraction_is_cut_at_the_microsecond_and_never_rounded(void)
{
	expect_instant("2026-10-31T12:00:00.5Z", INSTANT_OK, "2026-10-31T12:00:00.500000Z");
	expect_instant("2026-10-31T12:00:00.000001Z", INSTANT_OK, "2026-10-31T12:00:00.000001Z");
	expect_instant("2026-10-31T23:59:59.9999999Z", INSTANT_OK, "2026-10-31T23:59:59.999999Z");
	expect_instant("2026-10-31T23:59:59.999999999Z", INSTANT_OK, "2026-10-31T23:59:59.999999Z");
	expect_instant("2026-10-31T12:00:00.000000000Z", INSTANT_OK, "2026-10-31T12:00:00Z");
	expect_refused("2026-10-31T12:00:00.0000000000Z", INSTANT_FORMAT);
	expect_refused("2026-10-31T12:00:00.Z", INSTANT_FORMAT);
	expect_refused("2026-10-31T12:00:00,5Z", INSTANT_FORMAT);
}

static void
a_leap_second_stays_in_its_month(void)
{
	expect_instant("2026-10-31T23:59:60Z", INSTANT_LEAP, "2026-10-31T23:59:59.999999Z");
	expect_instant("2026-12-31T23:59:60.25Z", INSTANT_LEAP, "2026-12-31T23:59:59.999999Z");
	expect_instant("2026-11-01T05:29:60+05:30", INSTANT_LEAP, "2026-10-31T23:59:59.999999Z");
	expect_instant("2024-02-29T23:59:60Z", INSTANT_LEAP, "2024-02-29T23:59:59.999999Z");
}

static void
a_second_60_is_no_time_anywhere_else(void)
{
	expect_refused("2026-10-31T12:00:60Z", INSTANT_RANGE);
	expect_refused("2026-10-30T23:59:60Z", INSTANT_RANGE);
	expect_refused("2024-02-28T23:59:60Z", INSTANT_RANGE);
	expect_refused("2026-10-31T23:59:60+01:00", INSTANT_RANGE);
	expect_refused("2026-10-31T23:59:61Z", INSTANT_RANGE);
}

static void
what_is_not_in_the_calendar_is_out_of_range(void)
{
	expect_refused("2026-11-31T12:00:00Z", INSTANT_RANGE);
	expect_refused("2026-02-29T12:00:00Z", INSTANT_RANGE);
	expect_refused("2100-02-29T12:00:00Z", INSTANT_RANGE);
	expect_refused("2026-00-10T12:00:00Z", INSTANT_RANGE);
	expect_refused("2026-13-10T12:00:00Z", INSTANT_RANGE);
	expect_refused("2026-10-00T12:00:00Z", INSTANT_RANGE);
	expect_refused("2026-10-31T24:00:00Z", INSTANT_RANGE);
	expect_refused("2026-10-31T12:60:00Z", INSTANT_RANGE);
	expect_refused("2026-10-31T12:00:00+25:00", INSTANT_RANGE);
	expect_refused("2026-10-31T12:00:00+24:00", INSTANT_RANGE);
	expect_refused("2026-10-31T12:00:00+05:60", INSTANT_RANGE);
	expect_instant("2000-02-29T00:00:00Z", INSTANT_RANGE, "1970-01-01T00:00:00Z");
	expect_instant("2024-02-29T00:00:00Z", INSTANT_OK, "2024-02-29T00:00:00Z");
}

static void
the_first_year_is_counted_in_utc(void)
{
	expect_refused("1970-01-01T00:00:00Z", INSTANT_RANGE);
	expect_refused("2019-12-31T23:59:59Z", INSTANT_RANGE);
	expect_refused("2020-01-01T01:00:00+01:30", INSTANT_RANGE);
	expect_instant("2019-12-31T23:00:00-01:00", INSTANT_OK, "2020-01-01T00:00:00Z");
	expect_instant("9999-12-31T23:59:59Z", INSTANT_OK, "9999-12-31T23:59:59Z");
	expect_refused("9999-12-31T23:59:59-00:01", INSTANT_RANGE);
}

static void
what_is_not_rfc_3339_is_a_wrong_format(void)
{
	static const char *const texts[] = {"", "now", "1793448000", "1793448000000", "2026-10-31", "2026-10-31 12:00:00Z",
	    "2026-10-31 12:00:00", "2026-10-31T12:00Z", "2026-10-31T12:00:00+0200", "2026-10-31T12:00:00+02",
	    "2026-10-31T12:00:00 Z", "2026-10-31T12:00:00Z ", " 2026-10-31T12:00:00Z", "2026-10-31T12:00:00UTC",
	    "26-10-31T12:00:00Z", "2026-1-31T12:00:00Z", "20261031T120000Z", "2026-10-31T1:00:00Z", "+2026-10-31T12:00:00Z",
	    "2026-10-31T-1:00:00Z", "2026-10-31T12:00:00ZZ", "2026/10/31T12:00:00Z"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		expect_refused(texts[i], INSTANT_FORMAT);
	CU_ASSERT_EQUAL(instant_parse("2026-10-31T12:00:00\0", 20, 2020, &(struct instant){0}), INSTANT_FORMAT);
}

static void
a_time_without_an_offset_lacks_its_zone(void)
{
	expect_refused("2026-10-31T12:00:00", INSTANT_NO_ZONE);
	expect_refused("2026-10-31T12:00:00.25", INSTANT_NO_ZONE);
	/* the zone is the more basic fault */
	expect_refused("2026-11-31T12:00:00", INSTANT_NO_ZONE);
}

static void
a_local_time_is_read_with_the_declared_offset(void)
{
	expect_local("2026-11-01 01:30:00", 330, INSTANT_OK, "2026-10-31T20:00:00Z");
	expect_local("2026-10-31T22:00:00.123456789", -345, INSTANT_OK, "2026-11-01T03:45:00.123456Z");
	expect_local("2026-11-01 05:29:60", 330, INSTANT_LEAP, "2026-10-31T23:59:59.999999Z");
	expect_local("2026-11-31 01:30:00", 0, INSTANT_RANGE, "1970-01-01T00:00:00Z");
	expect_local("2026-11-01 01:30:00Z", 0, INSTANT_FORMAT, "1970-01-01T00:00:00Z");
	expect_local("2026-11-01  01:30:00", 0, INSTANT_FORMAT, "1970-01-01T00:00:00Z");
}

static void
instants_before_1970_and_at_the_ends_are_written_right(void)
{
	char text[INSTANT_TEXT];

	EXPECT_TEXT(instant_format((struct instant){0}, text), "1970-01-01T00:00:00Z");
	EXPECT_TEXT(instant_format((struct instant){-1}, text), "1969-12-31T23:59:59.999999Z");
	EXPECT_TEXT(instant_format((struct instant){INT64_C(-62135596800000000)}, text), "0001-01-01T00:00:00Z");
	EXPECT_TEXT(instant_format((struct instant){INT64_MAX}, text), "294247-01-10T04:00:54.775807Z");
	EXPECT_TEXT(instant_format((struct instant){INT64_MIN}, text), "-290308-12-21T19:59:05.224192Z");
	CU_ASSERT_EQUAL(instant_year((struct instant){-1}), 1969);
	CU_ASSERT_EQUAL(instant_year((struct instant){0}), 1970);
}

/* Every day of eight centuries: the day after is one day later, and the text comes back. */
static void
the_calendar_has_no_gaps(void)
{
	const int64_t day_us = INT64_C(86400000000);
	struct instant instant = {0}, back = {0};
	char text[INSTANT_TEXT], before[INSTANT_TEXT] = "";

	CU_ASSERT_EQUAL(instant_parse("1600-01-01T00:00:00Z", 20, 1, &instant), INSTANT_OK);
	for (int i = 0; i < 2 * 146097; i++, instant.us += day_us) {
		instant_format(instant, text);
		if (instant_parse(text, strlen(text), 1, &back) != INSTANT_OK || back.us != instant.us ||
		    strcmp(before, text) >= 0)
			CU_FAIL_FATAL("a day that does not come back, or is not later");
		memcpy(before, text, sizeof before);
	}
	EXPECT_TEXT(instant_format(instant, text), "2400-01-01T00:00:00Z");
}

static void
an_interval_begins_at_a_quarter_of_an_hour(void)
{
	struct instant instant = {0};
	char text[INSTANT_TEXT];

	CU_ASSERT_EQUAL(parse("2026-10-31T23:59:59.999999Z", &instant), INSTANT_OK);
	EXPECT_TEXT(instant_format(instant_interval(instant), text), "2026-10-31T23:45:00Z");
	CU_ASSERT_EQUAL(parse("2026-10-31T12:15:00Z", &instant), INSTANT_OK);
	EXPECT_TEXT(instant_format(instant_interval(instant), text), "2026-10-31T12:15:00Z");
	EXPECT_TEXT(instant_format(instant_interval((struct instant){-1}), text), "1969-12-31T23:45:00Z");
}

static void
an_option_is_a_time_or_a_day(void)
{
	struct instant instant = {0};
	char text[INSTANT_TEXT];
	struct error err;

	CU_ASSERT_TRUE(instant_option("2026-10-31", &instant, &err));
	EXPECT_TEXT(instant_format(instant, text), "2026-10-31T00:00:00Z");
	CU_ASSERT_TRUE(instant_option("2026-10-31T18:30:00+02:00", &instant, &err));
	EXPECT_TEXT(instant_format(instant, text), "2026-10-31T16:30:00Z");
	CU_ASSERT_TRUE(instant_option("1999-01-01", &instant, &err));
}

static void
an_option_that_is_no_time_says_what_to_write(void)
{
	static const struct {
		const char *text, *hint;
	} wrong[] = {{"yesterday", "Write 2026-10-31"}, {"2026-10-31T18:30:00", "Say which zone"}, {"2026-11-31", "no such time"},
	    {"2026-10-31T24:00:00Z", "no such time"}, {"", "Write"}};
	struct instant instant = {42};
	struct error err;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		CU_ASSERT_FALSE(instant_option(wrong[i].text, &instant, &err));
		CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, wrong[i].text));
		CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, wrong[i].hint));
	}
	CU_ASSERT_EQUAL(instant.us, 42);
}

static void
the_clock_is_in_this_century_and_does_not_stand_still(void)
{
	struct instant first = instant_now(), second = first;

	while (second.us == first.us)
		second = instant_now();
	CU_ASSERT_TRUE(instant_year(first) >= 2024 && instant_year(first) < 2100);
}

UNIT_TESTS("base/instant", TEST(a_time_with_an_offset_is_an_instant_in_utc), TEST(letters_may_be_lower_case),
    TEST(a_fraction_is_cut_at_the_microsecond_and_never_rounded), TEST(a_leap_second_stays_in_its_month),
    TEST(a_second_60_is_no_time_anywhere_else), TEST(what_is_not_in_the_calendar_is_out_of_range),
    TEST(the_first_year_is_counted_in_utc), TEST(what_is_not_rfc_3339_is_a_wrong_format),
    TEST(a_time_without_an_offset_lacks_its_zone), TEST(a_local_time_is_read_with_the_declared_offset),
    TEST(instants_before_1970_and_at_the_ends_are_written_right), TEST(the_calendar_has_no_gaps),
    TEST(an_interval_begins_at_a_quarter_of_an_hour), TEST(an_option_is_a_time_or_a_day),
    TEST(an_option_that_is_no_time_says_what_to_write), TEST(the_clock_is_in_this_century_and_does_not_stand_still))
