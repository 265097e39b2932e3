/* zone_test.c -- local time in zones, where the clock is changed, at year ends and in years to come. */
#include "base/zone.h"

#include <pthread.h>

#include "tests/support/offset.h"
#include "tests/support/unit.h"

static struct instant
instant_of(const char *text)
{
	struct instant instant = {0};

	CU_ASSERT_EQUAL_FATAL(instant_parse(text, strlen(text), 1, &instant), INSTANT_OK);
	return instant;
}

static const struct zone *
zone_of(const char *name)
{
	const struct zone *zone = zone_find(name);

	if (zone == NULL)
		printf("\n    no zone %s\n", name);
	CU_ASSERT_PTR_NOT_NULL_FATAL(zone);
	return zone;
}

static void
expect_offset(const char *zone, const char *at, int minutes)
{
	int got = offset_minutes(zone_of(zone), instant_of(at));

	if (got != minutes)
		printf("\n    %s at %s: got %d min, wanted %d\n", zone, at, got, minutes);
	CU_ASSERT_EQUAL(got, minutes);
}

/* `wanted` is "year-month-day weekday hour:minute". */
static void
expect_civil(const char *zone, const char *at, const char *wanted)
{
	struct civil civil = zone_civil(zone_of(zone), instant_of(at));
	char got[96];

	snprintf(got, sizeof got, "%04d-%02d-%02d %d %02d:%02d", civil.year, civil.month, civil.day, civil.weekday,
	    civil.minute / 60, civil.minute % 60);
	EXPECT_TEXT(got, wanted);
}

static void
expect_midnight(const char *zone, int year, int month, int day, const char *wanted)
{
	struct instant at = {0};
	char got[INSTANT_TEXT];

	CU_ASSERT_TRUE(zone_midnight(zone_of(zone), year, month, day, &at));
	EXPECT_TEXT(instant_format(at, got), wanted);
}

static void
a_zone_is_found_by_its_exact_name(void)
{
	EXPECT_TEXT(zone_name(zone_of("Europe/Berlin")), "Europe/Berlin");
	EXPECT_TEXT(zone_name(zone_of("America/Argentina/Buenos_Aires")), "America/Argentina/Buenos_Aires");
	EXPECT_TEXT(zone_name(zone_of("Etc/GMT+5")), "Etc/GMT+5");
	EXPECT_TEXT(zone_name(zone_of("UTC")), "UTC");
	CU_ASSERT_PTR_EQUAL(zone_find("Europe/Berlin"), zone_find("Europe/Berlin"));
}

static void
what_is_no_zone_is_never_utc(void)
{
	static const char *const names[] = {"", "utc", "Utc", "Z", "+02:00", "-05", "UTC+3", "UTC0", "EST5", "CET-1CEST", "Foo5",
	    "Mars/Olympus", "europe/berlin", "Europe/berlin", "Europe/Berlin ", " Europe/Berlin", ":UTC", ":Europe/Berlin",
	    "Europe", "Europe/", "Europe//Berlin", "/Europe/Berlin", "../zoneinfo/UTC", "Europe/../UTC", "Europe/./Berlin",
	    "localtime", "posixrules", "leapseconds", "tzdata.zi", "right/UTC", "/etc/localtime", "Europe/Berlin\n",
	    "Europe\\Berlin"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (zone_find(names[i]) != NULL)
			printf("\n    \"%s\" is a zone\n", names[i]);
		CU_ASSERT_PTR_NULL(zone_find(names[i]));
	}
}

static void
a_name_longer_than_64_bytes_is_no_zone(void)
{
	char name[4096];

	memset(name, 'A', sizeof name);
	for (size_t length = 60; length < sizeof name; length += length < 70 ? 1 : 1000) {
		name[length] = '\0';
		CU_ASSERT_PTR_NULL(zone_find(name));
		name[length] = 'A';
	}
}

static void
utc_has_no_offset(void)
{
	expect_offset("UTC", "1969-12-31T23:59:59Z", 0);
	expect_offset("UTC", "2026-07-01T00:00:00Z", 0);
	expect_civil("UTC", "2026-07-01T23:59:59.999999Z", "2026-07-01 3 23:59");
	expect_midnight("UTC", 2026, 7, 1, "2026-07-01T00:00:00Z");
}

static void
new_york_changes_its_clock_twice_a_year(void)
{
	/* 02:00 becomes 03:00 on 8 March, and 02:00 becomes 01:00 on 1 November 2026 */
	expect_offset("America/New_York", "2026-03-08T06:59:59.999999Z", -300);
	expect_offset("America/New_York", "2026-03-08T07:00:00Z", -240);
	expect_civil("America/New_York", "2026-03-08T06:59:00Z", "2026-03-08 7 01:59");
	expect_civil("America/New_York", "2026-03-08T07:00:00Z", "2026-03-08 7 03:00");
	expect_offset("America/New_York", "2026-11-01T05:59:59.999999Z", -240);
	expect_offset("America/New_York", "2026-11-01T06:00:00Z", -300);
	expect_civil("America/New_York", "2026-11-01T05:59:00Z", "2026-11-01 7 01:59");
	expect_civil("America/New_York", "2026-11-01T06:00:00Z", "2026-11-01 7 01:00");
	/* so 8 March has 23 hours, and 1 November 25 */
	expect_midnight("America/New_York", 2026, 3, 8, "2026-03-08T05:00:00Z");
	expect_midnight("America/New_York", 2026, 3, 9, "2026-03-09T04:00:00Z");
	expect_midnight("America/New_York", 2026, 11, 1, "2026-11-01T04:00:00Z");
	expect_midnight("America/New_York", 2026, 11, 2, "2026-11-02T05:00:00Z");
}

static void
lord_howe_changes_its_clock_by_half_an_hour(void)
{
	expect_offset("Australia/Lord_Howe", "2026-04-04T14:59:59Z", 660);
	expect_offset("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 630);
	expect_offset("Australia/Lord_Howe", "2026-10-03T15:29:59Z", 630);
	expect_offset("Australia/Lord_Howe", "2026-10-03T15:30:00Z", 660);
	expect_midnight("Australia/Lord_Howe", 2026, 4, 5, "2026-04-04T13:00:00Z");
	expect_midnight("Australia/Lord_Howe", 2026, 4, 6, "2026-04-05T13:30:00Z");
}

static void
offsets_of_half_and_quarter_hours_are_exact(void)
{
	expect_offset("Asia/Kathmandu", "2026-01-01T00:00:00Z", 345);
	expect_civil("Asia/Kathmandu", "2026-01-01T18:14:00Z", "2026-01-01 4 23:59");
	expect_civil("Asia/Kathmandu", "2026-01-01T18:15:00Z", "2026-01-02 5 00:00");
	expect_midnight("Asia/Kathmandu", 2026, 1, 2, "2026-01-01T18:15:00Z");
	expect_offset("Asia/Kolkata", "2026-01-01T00:00:00Z", 330);
	expect_offset("Pacific/Chatham", "2026-01-01T00:00:00Z", 825);
	expect_offset("America/St_Johns", "2026-01-01T00:00:00Z", -210);
}

static void
years_and_weekdays_turn_with_the_local_date(void)
{
	expect_civil("Asia/Tokyo", "2026-12-31T14:59:00Z", "2026-12-31 4 23:59");
	expect_civil("Asia/Tokyo", "2026-12-31T15:00:00Z", "2027-01-01 5 00:00");
	expect_civil("Pacific/Kiritimati", "2026-12-31T10:00:00Z", "2027-01-01 5 00:00");
	expect_civil("Pacific/Pago_Pago", "2027-01-01T10:59:00Z", "2026-12-31 4 23:59");
	expect_civil("UTC", "2028-02-29T12:00:00Z", "2028-02-29 2 12:00");
	expect_civil("UTC", "2026-03-01T00:00:00Z", "2026-03-01 7 00:00");
	expect_civil("UTC", "2026-03-02T00:00:00Z", "2026-03-02 1 00:00");
	/* before 1970 as well */
	expect_civil("UTC", "1969-12-31T23:59:59.999999Z", "1969-12-31 3 23:59");
	expect_civil("UTC", "1969-12-28T00:00:00Z", "1969-12-28 7 00:00");
}

static void
a_date_whose_midnight_is_left_out_begins_when_the_clock_goes_forward(void)
{
	/* all of these are what PostgreSQL gives: 00:00 becomes 01:00 */
	expect_midnight("America/Havana", 2026, 3, 8, "2026-03-08T05:00:00Z");
	expect_civil("America/Havana", "2026-03-08T04:59:00Z", "2026-03-07 6 23:59");
	expect_civil("America/Havana", "2026-03-08T05:00:00Z", "2026-03-08 7 01:00");
	expect_midnight("Asia/Beirut", 2026, 3, 29, "2026-03-28T22:00:00Z");
	expect_midnight("Africa/Cairo", 2026, 4, 24, "2026-04-23T22:00:00Z");
	expect_midnight("America/Santiago", 2026, 9, 6, "2026-09-06T04:00:00Z");
	expect_midnight("America/Sao_Paulo", 2018, 11, 4, "2018-11-04T03:00:00Z");
}

static void
a_date_whose_midnight_comes_twice_begins_at_the_second(void)
{
	/* 01:00 becomes 00:00 on 1 November in Havana: at 04:00Z and at 05:00Z it is midnight, and PostgreSQL says 05:00Z */
	expect_civil("America/Havana", "2026-11-01T04:00:00Z", "2026-11-01 7 00:00");
	expect_civil("America/Havana", "2026-11-01T05:00:00Z", "2026-11-01 7 00:00");
	expect_midnight("America/Havana", 2026, 11, 1, "2026-11-01T05:00:00Z");
	expect_midnight("America/Havana", 2026, 11, 2, "2026-11-02T05:00:00Z");
	/* where midnight becomes 23:00 there is one: the second */
	expect_midnight("Asia/Beirut", 2026, 10, 25, "2026-10-24T22:00:00Z");
	expect_midnight("Africa/Cairo", 2026, 10, 30, "2026-10-29T22:00:00Z");
	expect_midnight("America/Santiago", 2026, 4, 5, "2026-04-05T04:00:00Z");
	/* 00:01 became 23:01, in Goose Bay of 2010 */
	expect_midnight("America/Goose_Bay", 2010, 11, 7, "2010-11-07T04:00:00Z");
}

static void
a_date_that_does_not_exist_has_no_midnight(void)
{
	static const int dates[][3] = {{2026, 2, 29}, {2026, 4, 31}, {2026, 13, 1}, {2026, 0, 1}, {2026, 1, 0}, {2026, 1, 32},
	    {0, 1, 1}, {10000, 1, 1}, {2100, 2, 29}, {-2147483647, 1, 1}, {2026, 2147483647, 1}, {2026, 1, -2147483647}};
	const struct zone *zone = zone_of("Europe/Berlin");

	for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
		struct instant at = {42};

		CU_ASSERT_FALSE(zone_midnight(zone, dates[i][0], dates[i][1], dates[i][2], &at));
		CU_ASSERT_EQUAL(at.us, 42);
	}
	expect_midnight("Europe/Berlin", 2028, 2, 29, "2028-02-28T23:00:00Z");
}

static void
the_rules_hold_in_years_beyond_the_table_of_changes(void)
{
	/* the second Sunday of March 2045 is the 12th */
	expect_offset("America/New_York", "2045-03-12T06:59:59Z", -300);
	expect_offset("America/New_York", "2045-03-12T07:00:00Z", -240);
	expect_midnight("Europe/Berlin", 2060, 7, 1, "2060-06-30T22:00:00Z");
	expect_midnight("Asia/Kathmandu", 2099, 12, 31, "2099-12-30T18:15:00Z");
}

static void *
find_all(void *found)
{
	static const char *const names[] = {"Asia/Tokyo", "Asia/Seoul", "Asia/Dhaka", "Europe/Paris", "Europe/Rome", "No/Where"};
	const struct zone **out = found;

	for (size_t i = 0; i < 6; i++) {
		out[i] = zone_find(names[i]);
		if (out[i] != NULL)
			(void)zone_civil(out[i], (struct instant){0});
	}
	return NULL;
}

static void
threads_find_the_same_zones(void)
{
	const struct zone *found[4][6] = {{NULL}};
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, find_all, found[i]), 0);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_join(thread[i], NULL), 0);
	for (int i = 0; i < 4; i++) {
		CU_ASSERT_PTR_NOT_NULL(found[i][0]);
		CU_ASSERT_PTR_NULL(found[i][5]);
		CU_ASSERT_EQUAL(memcmp(found[i], found[0], sizeof found[i]), 0);
	}
}

UNIT_TESTS("base/zone", TEST(a_zone_is_found_by_its_exact_name), TEST(what_is_no_zone_is_never_utc),
    TEST(a_name_longer_than_64_bytes_is_no_zone), TEST(utc_has_no_offset), TEST(new_york_changes_its_clock_twice_a_year),
    TEST(lord_howe_changes_its_clock_by_half_an_hour), TEST(offsets_of_half_and_quarter_hours_are_exact),
    TEST(years_and_weekdays_turn_with_the_local_date), TEST(a_date_whose_midnight_is_left_out_begins_when_the_clock_goes_forward),
    TEST(a_date_whose_midnight_comes_twice_begins_at_the_second), TEST(a_date_that_does_not_exist_has_no_midnight),
    TEST(the_rules_hold_in_years_beyond_the_table_of_changes), TEST(threads_find_the_same_zones))
