/* time_window_test.c -- time-of-use windows: what is inside, what is refused, and how they are told. */
#include "rating/time_window.h"

#include "tests/support/unit.h"

/* A window, or NULL with *err set; its JSON is written with ' for ". */
static struct time_window *
window_or_error(const char *text, struct arena *arena, struct error *err)
{
	struct document document = {.file = "book.json", .err = err};
	struct time_window *window = NULL;
	struct text json = {0};
	json_t *value;

	*err = (struct error){0};
	text_add_string(&json, text);
	for (size_t i = 0; i < json.length; i++)
		json.bytes[i] = json.bytes[i] == '\'' ? '"' : json.bytes[i];
	value = json_loadb(json.bytes, json.length, JSON_DECODE_ANY, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(value);
	CU_ASSERT_EQUAL(time_window_read(&document, value, "windows.night", "night", arena, &window), window != NULL);
	json_decref(value);
	text_release(&json);
	return window;
}

#define ZONE(zone, spans) "{'zone': '" zone "', 'spans': [" spans "]}"
#define UTC(spans) ZONE("UTC", spans)

/* Whether the window holds each instant: the texts end with NULL, and those inside begin with "+", the others with "-". */
static void
expect_inside(const char *text, const char *const *instants)
{
	struct arena arena = {0};
	struct error err;
	struct time_window *window = window_or_error(text, &arena, &err);

	if (window == NULL)
		printf("\n    %s: %s\n", err.field, err.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(window);
	for (; *instants != NULL; instants++) {
		const char *at = *instants + 1;
		bool wanted = **instants == '+';
		struct instant instant = {0};

		CU_ASSERT_EQUAL_FATAL(instant_parse(at, strlen(at), 2020, &instant), INSTANT_OK);
		if (time_window_contains(window, instant) != wanted)
			printf("\n    %s is %s %s\n", at, wanted ? "outside" : "inside", text);
		CU_ASSERT_EQUAL(time_window_contains(window, instant), wanted);
	}
	arena_release(&arena);
}
#define EXPECT_INSIDE(text, ...) expect_inside(text, (const char *const[]){__VA_ARGS__, NULL})

static void
expect_told(const char *text, const char *wanted)
{
	struct arena arena = {0};
	struct error err;
	struct time_window *window = window_or_error(text, &arena, &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(window);
	EXPECT_TEXT(time_window_name(window), "night");
	EXPECT_TEXT(time_window_describe(window, &arena), wanted);
	arena_release(&arena);
}

/* Refused at `field` (below windows.night), showing `value`, with `message` and `hint` somewhere in what is said. */
static void
expect_refused(const char *text, const char *field, const char *value, const char *message, const char *hint)
{
	struct arena arena = {0};
	struct error err;
	char path[128];

	CU_ASSERT_PTR_NULL(window_or_error(text, &arena, &err));
	snprintf(path, sizeof path, "windows.night%s", field);
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	EXPECT_TEXT(err.file, "book.json");
	EXPECT_TEXT(err.field, path);
	EXPECT_TEXT(err.value, value);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
		printf("\n    \"%s\" (%s) does not say \"%s\" (%s)\n", err.message, err.hint, message, hint);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
	arena_release(&arena);
}

/* --- what is inside -------------------------------------------------------------------------- */

static void
a_span_holds_its_first_instant_and_not_its_end(void)
{
	EXPECT_INSIDE(UTC("{'from': '09:00', 'to': '17:00'}"), "-2026-01-01T08:59:59.999999Z", "+2026-01-01T09:00:00Z",
	    "+2026-01-01T16:59:59.999999Z", "-2026-01-01T17:00:00Z");
}

static void
a_span_over_midnight_belongs_to_the_day_it_begins_on(void)
{
	/* 1 January 2026 is a Thursday */
	EXPECT_INSIDE(UTC("{'days': ['thu'], 'from': '16:30', 'to': '00:30'}"), "-2026-01-01T00:15:00Z", "-2026-01-01T16:15:00Z",
	    "+2026-01-01T16:30:00Z", "+2026-01-01T23:45:00Z", "+2026-01-02T00:00:00Z", "+2026-01-02T00:15:00Z",
	    "-2026-01-02T00:30:00Z", "-2026-01-02T16:30:00Z");
	/* from Sunday into Monday, and not from Saturday into Sunday */
	EXPECT_INSIDE(UTC("{'days': ['sun'], 'from': '22:00', 'to': '06:00'}"), "-2026-01-04T05:00:00Z", "+2026-01-04T22:00:00Z",
	    "+2026-01-05T05:45:00Z", "-2026-01-05T06:00:00Z", "-2026-01-05T22:00:00Z");
}

static void
a_span_may_end_at_midnight(void)
{
	EXPECT_INSIDE(UTC("{'days': ['mon'], 'from': '10:00', 'to': '00:00'}"), "-2026-01-05T09:45:00Z", "+2026-01-05T23:45:00Z",
	    "-2026-01-06T00:00:00Z");
	EXPECT_INSIDE(UTC("{'days': ['mon'], 'from': '00:00', 'to': '01:00'}"), "-2026-01-04T23:45:00Z", "+2026-01-05T00:00:00Z",
	    "-2026-01-05T01:00:00Z");
}

static void
equal_times_and_no_times_are_the_whole_day(void)
{
	EXPECT_INSIDE(UTC("{'days': ['sat', 'sun']}"), "-2026-01-02T23:45:00Z", "+2026-01-03T00:00:00Z", "+2026-01-04T23:45:00Z",
	    "-2026-01-05T00:00:00Z");
	EXPECT_INSIDE(UTC("{'days': ['sat'], 'from': '10:00', 'to': '10:00'}"), "-2026-01-02T23:45:00Z", "+2026-01-03T00:00:00Z",
	    "+2026-01-03T10:00:00Z", "+2026-01-03T23:45:00Z", "-2026-01-04T00:00:00Z");
	EXPECT_INSIDE(UTC("{}"), "+2020-01-01T00:00:00Z", "+2026-07-15T12:34:56Z", "+2099-12-31T23:59:59Z");
}

static void
a_window_is_the_union_of_its_spans(void)
{
	EXPECT_INSIDE(UTC("{'from': '01:00', 'to': '05:00'}, {'from': '13:00', 'to': '16:00'}, {'days': ['sun']}"),
	    "+2026-01-01T03:00:00Z", "-2026-01-01T09:00:00Z", "+2026-01-01T13:00:00Z", "-2026-01-01T16:00:00Z",
	    "+2026-01-04T09:00:00Z");
}

static void
dates_are_local_and_both_included(void)
{
	EXPECT_INSIDE(ZONE("Asia/Kathmandu", "{'dates': ['2026-12-24', '2026-12-26']}"), "-2026-12-23T18:00:00Z",
	    "+2026-12-23T18:15:00Z", "+2026-12-26T18:00:00Z", "-2026-12-26T18:15:00Z");
	EXPECT_INSIDE(UTC("{'dates': ['2028-02-29', '2028-02-29']}"), "-2028-02-28T23:45:00Z", "+2028-02-29T00:00:00Z",
	    "-2028-03-01T00:00:00Z");
	/* the night after the last date belongs to it, the night before the first does not; at the end of a year, too */
	EXPECT_INSIDE(UTC("{'from': '22:00', 'to': '02:00', 'dates': ['2026-12-30', '2026-12-31']}"), "-2026-12-30T01:00:00Z",
	    "+2026-12-30T22:00:00Z", "+2026-12-31T22:00:00Z", "+2027-01-01T01:45:00Z", "-2027-01-01T02:00:00Z",
	    "-2027-01-01T22:00:00Z");
	/* dates and days at once: 30 December 2026 is a Wednesday */
	EXPECT_INSIDE(UTC("{'days': ['wed'], 'from': '22:00', 'to': '02:00', 'dates': ['2026-12-30', '2026-12-31']}"),
	    "+2026-12-30T22:00:00Z", "+2026-12-31T01:45:00Z", "-2026-12-31T22:00:00Z");
}

static void
hours_and_days_are_those_of_the_zone(void)
{
	/* Saturday in Shanghai begins on Friday at 16:00Z; 28 August 2026 is a Friday */
	EXPECT_INSIDE(ZONE("Asia/Shanghai", "{'days': ['sat'], 'from': '00:00', 'to': '01:00'}"), "-2026-08-28T15:45:00Z",
	    "+2026-08-28T16:00:00Z", "+2026-08-28T16:45:00Z", "-2026-08-28T17:00:00Z", "-2026-08-29T16:30:00Z");
	EXPECT_INSIDE(ZONE("Asia/Kathmandu", "{'from': '09:00', 'to': '10:00'}"), "-2026-01-01T03:00:00Z",
	    "+2026-01-01T03:15:00Z", "+2026-01-01T04:00:00Z", "-2026-01-01T04:15:00Z");
}

static void
the_same_hours_move_in_utc_with_the_clock(void)
{
	/* nine in New York is 14:00Z in winter and 13:00Z in summer */
	EXPECT_INSIDE(ZONE("America/New_York", "{'from': '09:00', 'to': '17:00'}"), "-2026-03-06T13:00:00Z",
	    "+2026-03-06T14:00:00Z", "+2026-03-06T21:45:00Z", "+2026-03-09T13:00:00Z", "-2026-03-09T21:00:00Z");
}

/* In how many quarters of an hour from one instant to another the window is open. */
static int
quarters(const char *text, const char *from, const char *to)
{
	struct arena arena = {0};
	struct error err;
	struct time_window *window = window_or_error(text, &arena, &err);
	struct instant at = {0}, end = {0};
	int count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(window);
	CU_ASSERT_EQUAL_FATAL(instant_parse(from, strlen(from), 2020, &at), INSTANT_OK);
	CU_ASSERT_EQUAL_FATAL(instant_parse(to, strlen(to), 2020, &end), INSTANT_OK);
	for (; at.us < end.us; at.us += INTERVAL_US)
		count += time_window_contains(window, at);
	arena_release(&arena);
	return count;
}

static void
a_change_of_the_clock_makes_a_window_shorter_or_longer(void)
{
	static const char early[] = ZONE("America/New_York", "{'from': '01:00', 'to': '03:00'}");
	static const char left_out[] = ZONE("America/New_York", "{'from': '02:00', 'to': '03:00'}");
	static const char night[] = ZONE("America/New_York", "{'days': ['sat'], 'from': '22:00', 'to': '06:00'}");
	static const char half[] = ZONE("Australia/Lord_Howe", "{'from': '01:00', 'to': '03:00'}");

	/* two hours are 8 quarters; 4 where there is no 02:00; 12 where 01:00 comes twice */
	CU_ASSERT_EQUAL(quarters(early, "2026-03-07T05:00:00Z", "2026-03-08T05:00:00Z"), 8);
	CU_ASSERT_EQUAL(quarters(early, "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"), 4);
	CU_ASSERT_EQUAL(quarters(left_out, "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"), 0);
	CU_ASSERT_EQUAL(quarters(early, "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"), 12);
	/* the night from Saturday is 8 hours, 7 in March, 9 in November */
	CU_ASSERT_EQUAL(quarters(night, "2026-03-07T17:00:00Z", "2026-03-08T17:00:00Z"), 28);
	CU_ASSERT_EQUAL(quarters(night, "2026-03-14T17:00:00Z", "2026-03-15T17:00:00Z"), 32);
	CU_ASSERT_EQUAL(quarters(night, "2026-10-31T17:00:00Z", "2026-11-01T17:00:00Z"), 36);
	/* Lord Howe moves by half an hour */
	CU_ASSERT_EQUAL(quarters(half, "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z"), 10);
	CU_ASSERT_EQUAL(quarters(half, "2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z"), 6);
}

static void
the_hour_that_havana_has_twice_is_twice_in_its_day(void)
{
	/* Sunday, 1 November 2026: 25 hours are 100 quarters, from the first midnight on */
	static const char sunday[] = ZONE("America/Havana", "{'days': ['sun']}");

	CU_ASSERT_EQUAL(quarters(sunday, "2026-11-01T00:00:00Z", "2026-11-02T12:00:00Z"), 100);
	EXPECT_INSIDE(sunday, "-2026-11-01T03:45:00Z", "+2026-11-01T04:00:00Z", "+2026-11-02T04:45:00Z", "-2026-11-02T05:00:00Z");
	/* and 23 where midnight is left out */
	CU_ASSERT_EQUAL(quarters(sunday, "2026-03-08T00:00:00Z", "2026-03-09T12:00:00Z"), 92);
}

/* --- in words -------------------------------------------------------------------------------- */

static void
a_window_is_told_in_one_line(void)
{
	expect_told(
	    UTC("{'days': ['mon', 'tue', 'wed', 'thu', 'fri'], 'from': '16:30', 'to': '00:30'}"), "Mon-Fri 16:30-00:30 UTC");
	expect_told(UTC("{'from': '01:00', 'to': '05:00'}, {'days': ['sun', 'mon', 'sat']}"),
	    "daily 01:00-05:00; Mon,Sat-Sun all day UTC");
	expect_told(ZONE("Europe/Berlin", "{'dates': ['2026-12-24', '2026-12-26']}"),
	    "daily all day from 2026-12-24 to 2026-12-26 Europe/Berlin");
	expect_told(UTC("{'days': ['mon', 'wed', 'fri', 'sun'], 'from': '00:00', 'to': '00:00'}"), "Mon,Wed,Fri,Sun all day UTC");
}

/* --- refused --------------------------------------------------------------------------------- */

static void
a_window_needs_a_zone_and_spans(void)
{
	expect_refused("[]", "", "[]", "a window is a JSON object", "");
	expect_refused("{'zone': 'UTC'}", ".spans", "", "1 to 64 spans", "");
	expect_refused("{'zone': 'UTC', 'spans': {}}", ".spans", "{}", "1 to 64 spans", "");
	expect_refused(UTC(""), ".spans", "", "1 to 64 spans", "");
	expect_refused(UTC("7"), ".spans[0]", "7", "a span is a JSON object", "");
	expect_refused("{'spans': [{}]}", ".zone", "{\"spans\":[{}]}", "\"zone\" is missing", "");
	expect_refused(ZONE("+02:00", "{}"), ".zone", "\"+02:00\"", "no such time zone", "Europe/Berlin");
	expect_refused(ZONE("Mars/Olympus", "{}"), ".zone", "\"Mars/Olympus\"", "no such time zone", "Europe/Berlin");
	expect_refused("{'zone': 7, 'spans': [{}]}", ".zone", "7", "a text", "");
}

static void
a_window_has_at_most_64_spans(void)
{
	struct text text = {0};
	struct arena arena = {0};
	struct error err;

	text_add_string(&text, "{'zone': 'UTC', 'spans': [{}");
	for (int i = 1; i < WINDOW_SPANS_MAX; i++)
		text_add_string(&text, ", {}");
	text_add_string(&text, "]}");
	CU_ASSERT_PTR_NOT_NULL(window_or_error(text_string(&text), &arena, &err));
	text.length -= 2;
	text_add_string(&text, ", {}]}");
	expect_refused(text_string(&text), ".spans", "", "1 to 64 spans", "");
	text_release(&text);
	arena_release(&arena);
}

static void
an_unknown_key_is_refused_with_the_nearest_one(void)
{
	expect_refused("{'zone': 'UTC', 'span': [{}]}", ".span", "[{}]", "no such key", "\"spans\"");
	expect_refused(UTC("{}, {'day': ['mon']}"), ".spans[1].day", "[\"mon\"]", "no such key", "\"days\"");
}

static void
days_are_names_once_each(void)
{
	expect_refused(UTC("{'days': ['tues']}"), ".spans[0].days[0]", "\"tues\"", "not a day of the week", "\"tue\"");
	expect_refused(UTC("{'days': ['mon', 3]}"), ".spans[0].days[1]", "3", "not a day of the week", "sat, sun");
	expect_refused(UTC("{'days': ['mon', 'tue', 'mon']}"), ".spans[0].days[2]", "\"mon\"", "twice", "");
	expect_refused(UTC("{'days': []}"), ".spans[0].days", "[]", "a list of days", "every day");
	expect_refused(UTC("{'days': 'mon'}"), ".spans[0].days", "\"mon\"", "a list of days", "every day");
}

static void
times_are_on_a_quarter_of_an_hour(void)
{
	static const char *const times[] = {
	    "25:00", "24:00", "12:60", "12:10", "12:59", "9:00", "09:00:00", "0900", "12.30", "ab:cd", "-1:00", "", "12:0 "};

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		char text[128], value[32];

		snprintf(value, sizeof value, "\"%s\"", times[i]);
		snprintf(text, sizeof text, UTC("{'from': '%s', 'to': '06:00'}"), times[i]);
		expect_refused(text, ".spans[0].from", value, "\"from\" must be a time from 00:00 to 23:45", "\"16:30\"");
		snprintf(text, sizeof text, UTC("{'from': '06:00', 'to': '%s'}"), times[i]);
		expect_refused(
		    text, ".spans[0].to", value, "\"to\" must be a time from 00:00 to 23:45", "end of a day is \"00:00\"");
	}
	expect_refused(UTC("{'from': 9, 'to': '06:00'}"), ".spans[0].from", "9", "must be a time", "");
}

static void
a_span_has_both_times_or_neither(void)
{
	expect_refused(UTC("{'from': '16:30'}"), ".spans[0].from", "\"16:30\"", "both \"from\" and \"to\"", "end of a day");
	expect_refused(UTC("{'to': '16:30'}"), ".spans[0].to", "\"16:30\"", "both \"from\" and \"to\"", "Leave both out");
}

static void
dates_exist_and_rise(void)
{
	expect_refused(
	    UTC("{'dates': ['2026-02-29', '2026-03-01']}"), ".spans[0].dates[0]", "\"2026-02-29\"", "not a date", "2026-12-24");
	expect_refused(UTC("{'dates': ['2026-03-01', '2026-3-2']}"), ".spans[0].dates[1]", "\"2026-3-2\"", "not a date", "");
	expect_refused(UTC("{'dates': ['2019-12-31', '2026-03-01']}"), ".spans[0].dates[0]", "\"2019-12-31\"", "not a date", "");
	expect_refused(UTC("{'dates': ['2026-03-01', 20260302]}"), ".spans[0].dates[1]", "20260302", "not a date", "");
	expect_refused(UTC("{'dates': ['2026-03-02', '2026-03-01']}"), ".spans[0].dates", "[\"2026-03-02\",\"2026-03-01\"]",
	    "before the first", "");
	expect_refused(UTC("{'dates': ['2026-03-02']}"), ".spans[0].dates", "[\"2026-03-02\"]", "both included", "twice");
	expect_refused(UTC("{'dates': '2026-03-02'}"), ".spans[0].dates", "\"2026-03-02\"", "both included", "twice");
}

UNIT_TESTS("rating/time_window", TEST(a_span_holds_its_first_instant_and_not_its_end),
    TEST(a_span_over_midnight_belongs_to_the_day_it_begins_on), TEST(a_span_may_end_at_midnight),
    TEST(equal_times_and_no_times_are_the_whole_day), TEST(a_window_is_the_union_of_its_spans),
    TEST(dates_are_local_and_both_included), TEST(hours_and_days_are_those_of_the_zone),
    TEST(the_same_hours_move_in_utc_with_the_clock), TEST(a_change_of_the_clock_makes_a_window_shorter_or_longer),
    TEST(the_hour_that_havana_has_twice_is_twice_in_its_day), TEST(a_window_is_told_in_one_line),
    TEST(a_window_needs_a_zone_and_spans), TEST(a_window_has_at_most_64_spans),
    TEST(an_unknown_key_is_refused_with_the_nearest_one), TEST(days_are_names_once_each), TEST(times_are_on_a_quarter_of_an_hour),
    TEST(a_span_has_both_times_or_neither), TEST(dates_exist_and_rise))
