/*
 * offpeak_vectors_test.c -- whether instants are inside off-peak windows, as another project's tests assert it.
 *
 * The table writes hours in UTC and days in a zone; a window of ours has both in its zone, so hours are moved by the zone's offset.
 * What does not run is counted by its reason, and too few rows that ran are a failure.
 */
#include "base/zone.h"
#include "rating/time_window.h"

#include "tests/support/offset.h"
#include "tests/support/vectors.h"

/* Why a row was not run; RAN comes first. */
enum verdict { RAN, REFUSED, VERDICTS };

static const char *const reasons[VERDICTS] = {"ran", "refused: such times no clock shows"};

/* id,source,source_file,licence,windows_utc,weekdays,weekday_timezone,at,expected_off_peak,note */
enum { ID = 0, WINDOWS = 4, ZONE = 6, AT = 7, EXPECTED = 8, COLUMNS = 10, DAY_MINUTES = 1440 };

/* Minutes of "HH:MM", moved by an offset; a time that no clock shows is not moved, so that it is refused. */
static int
minutes_of(const char *time, int offset)
{
	char *colon;
	long hour = strtol(time, &colon, 10), minute;

	CU_ASSERT_EQUAL_FATAL(*colon, ':');
	minute = strtol(colon + 1, NULL, 10);
	CU_ASSERT_TRUE_FATAL(hour >= 0 && hour < 100 && minute >= 0 && minute < 60);
	minute += hour * 60;
	return (int)(hour > 23 ? minute : (minute + offset + DAY_MINUTES) % DAY_MINUTES);
}

/* "1-5", of Monday as 1, or all days for NULL. */
static void
write_days(struct text *out, const char *days)
{
	static const char *const names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
	int first = days == NULL ? 1 : days[0] - '0';
	int last = days == NULL ? 7 : days[1] == '-' ? days[2] - '0' : first;

	CU_ASSERT_TRUE_FATAL(1 <= first && first <= last && last <= 7);
	text_add_string(out, "\"days\": [");
	for (int day = first; day <= last; day++)
		text_add_format(out, "%s\"%s\"", day > first ? ", " : "", names[day - 1]);
	text_add_string(out, "]");
}

/* "HH:MM-HH:MM[@days]" */
static void
write_span(struct text *out, char *span, int offset)
{
	char *hours = strsep(&span, "@"), *from_text = strsep(&hours, "-");
	int from, to;

	CU_ASSERT_PTR_NOT_NULL_FATAL(hours);
	from = minutes_of(from_text, offset);
	to = minutes_of(hours, offset);
	/* The table asks both sides of a midnight for their own day, we the first: no row tells these apart. */
	CU_ASSERT_TRUE_FATAL(span == NULL || from <= to || to == 0);
	text_add_string(out, "{");
	write_days(out, span);
	text_add_format(out, ", \"from\": \"%02d:%02d\", \"to\": \"%02d:%02d\"}", from / 60, from % 60, to / 60, to % 60);
}

/* The spans are joined by bars. */
static void
write_window(struct text *out, char *spans, const char *zone, int offset)
{
	const char *comma = "";

	text_add_format(out, "{\"zone\": \"%s\", \"spans\": [", zone);
	for (char *span; (span = strsep(&spans, "|")) != NULL; comma = ", ") {
		text_add_string(out, comma);
		write_span(out, span, offset);
	}
	text_add_string(out, "]}");
}

/* NULL where it is refused. */
static struct time_window *
read_window(const struct text *text, struct arena *arena)
{
	struct error err = {0};
	struct document document = {.file = "offpeak_windows.csv", .err = &err};
	json_t *value = document_parse(text->bytes, text->length, document.file, &err);
	struct time_window *window = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(value);
	if (!time_window_read(&document, value, "windows.off_peak", "off_peak", arena, &window))
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "must be a time from 00:00 to 23:45"));
	json_decref(value);
	return window;
}

static size_t
run_row(char *const *column)
{
	const struct zone *zone = zone_find(column[ZONE]);
	bool wanted = strcmp(column[EXPECTED], "1") == 0, got = false;
	struct time_window *window;
	struct arena arena = {0};
	struct text text = {0};
	struct instant at;

	CU_ASSERT_PTR_NOT_NULL_FATAL(zone);
	CU_ASSERT_EQUAL_FATAL(instant_parse(column[AT], strlen(column[AT]), 2020, &at), INSTANT_OK);
	write_window(&text, column[WINDOWS], column[ZONE], offset_minutes(zone, at));
	window = read_window(&text, &arena);
	if (window != NULL)
		got = time_window_contains(window, at);
	if (got != wanted)
		printf("\n    %s: %s is %s\n", column[ID], column[AT], got ? "inside" : "outside");
	/* A window that is refused holds nothing. */
	CU_ASSERT_EQUAL(got, wanted);
	text_release(&text);
	arena_release(&arena);
	return window == NULL ? REFUSED : RAN;
}

static void
instants_are_inside_the_windows_that_another_project_asserts(void)
{
	vectors_run(&(struct vectors){"offpeak_windows.csv", COLUMNS, 55, reasons, VERDICTS, run_row});
}

UNIT_TESTS("rating/time_window (vectors)", TEST(instants_are_inside_the_windows_that_another_project_asserts))
