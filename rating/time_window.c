/* time_window.c -- see time_window.h. */
#include "rating/time_window.h"

#include <string.h>

#include "base/zone.h"

enum { DAYS = 7, EVERY_DAY = (1 << DAYS) - 1, PATH_BYTES = 400, DATE_BYTES = 11 };
static const int64_t day_us = 86400 * INT64_C(1000000);

static const char *const day_keys[DAYS] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
static const char *const day_names[DAYS] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

struct window_span {
	unsigned days;       /* a bit for each weekday, Monday the lowest */
	int from, to;        /* minutes of the day; equal: the whole day */
	bool has_dates;      /* or always */
	int64_t first, last; /* days since 1970-01-01, both included */
};

struct time_window {
	const char *name;
	const struct zone *zone;
	struct window_span *span;
	size_t spans;
};

static bool read_zone(const struct document *document, json_t *value, const char *path, const struct zone **out);
static bool read_span(const struct document *document, json_t *value, const char *path, struct window_span *out);
static bool read_days(const struct document *document, json_t *span, const char *path, unsigned *out);
static bool read_hours(const struct document *document, json_t *span, const char *path, struct window_span *out);
static bool read_dates(const struct document *document, json_t *span, const char *path, struct window_span *out);

/* --- reading --------------------------------------------------------------------------------- */

bool
time_window_read(const struct document *document, json_t *value, const char *path, const char *name, struct arena *arena,
    struct time_window **out)
{
	struct time_window *window;
	char field[PATH_BYTES], place[PATH_BYTES + 32];
	json_t *spans, *span;
	size_t i;

	if (!json_is_object(value))
		return document_refuse(document, path, value, "a window is a JSON object with \"zone\" and \"spans\"");
	if (!DOCUMENT_KEYS(document, value, path, "zone", "spans"))
		return false;
	window = arena_take(arena, sizeof *window);
	*window = (struct time_window){.name = arena_copy(arena, name, strlen(name))};
	if (!read_zone(document, value, path, &window->zone))
		return false;
	spans = json_object_get(value, "spans");
	document_path(field, sizeof field, path, "spans");
	if (!json_is_array(spans) || json_array_size(spans) == 0 || json_array_size(spans) > WINDOW_SPANS_MAX)
		return document_refuse(document, field, json_is_array(spans) ? NULL : spans,
		    "\"spans\" must be a list of 1 to %d spans", WINDOW_SPANS_MAX);
	window->span = arena_take(arena, json_array_size(spans) * sizeof *window->span);
	window->spans = json_array_size(spans);
	json_array_foreach(spans, i, span)
	{
		snprintf(place, sizeof place, "%s[%zu]", field, i);
		if (!read_span(document, span, place, &window->span[i]))
			return false;
	}
	*out = window;
	return true;
}

static bool
read_zone(const struct document *document, json_t *value, const char *path, const struct zone **out)
{
	char field[PATH_BYTES];
	const char *name;

	if (!document_text(document, value, path, "zone", true, ZONE_NAME_BYTES, &name))
		return false;
	*out = zone_find(name);
	if (*out != NULL)
		return true;
	document_refuse(document, document_path(field, sizeof field, path, "zone"), json_object_get(value, "zone"),
	    "there is no such time zone");
	return error_hint(document->err, "Give a name of the IANA time zone database, for example UTC or Europe/Berlin.");
}

static bool
read_span(const struct document *document, json_t *value, const char *path, struct window_span *out)
{
	if (!json_is_object(value))
		return document_refuse(document, path, value, "a span is a JSON object");
	*out = (struct window_span){.days = EVERY_DAY};
	return DOCUMENT_KEYS(document, value, path, "days", "from", "to", "dates") &&
	    read_days(document, value, path, &out->days) && read_hours(document, value, path, out) &&
	    read_dates(document, value, path, out);
}

static bool
add_day(const struct document *document, const json_t *value, const char *path, unsigned *days)
{
	const char *key = json_is_string(value) ? json_string_value(value) : "";
	unsigned day = 0;

	while (day < DAYS && strcmp(day_keys[day], key) != 0)
		day++;
	if (day == DAYS) {
		document_refuse(document, path, value, "not a day of the week");
		return document_suggest(document->err, key, day_keys, DAYS);
	}
	if ((*days & 1U << day) != 0)
		return document_refuse(document, path, value, "the day stands twice in the list");
	*days |= 1U << day;
	return true;
}

static bool
read_days(const struct document *document, json_t *span, const char *path, unsigned *out)
{
	json_t *list = json_object_get(span, "days"), *value;
	char field[PATH_BYTES], place[PATH_BYTES + 32];
	size_t i;

	if (list == NULL)
		return true;
	document_path(field, sizeof field, path, "days");
	if (!json_is_array(list) || json_array_size(list) == 0) {
		document_refuse(document, field, list, "\"days\" must be a list of days of the week");
		return error_hint(document->err, "Write [\"mon\", \"tue\"], or leave \"days\" out for every day.");
	}
	*out = 0;
	json_array_foreach(list, i, value)
	{
		snprintf(place, sizeof place, "%s[%zu]", field, i);
		if (!add_day(document, value, place, out))
			return false;
	}
	return true;
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* "HH:MM" from 00:00 to 23:45 in minutes; -1 for anything else. */
static int
clock_minutes(const json_t *value)
{
	const char *text = json_is_string(value) && json_string_length(value) == 5 ? json_string_value(value) : "";
	int hour, minute;

	if (!is_digit(text[0]) || !is_digit(text[1]) || text[2] != ':' || !is_digit(text[3]) || !is_digit(text[4]))
		return -1;
	hour = (text[0] - '0') * 10 + text[1] - '0';
	minute = (text[3] - '0') * 10 + text[4] - '0';
	return hour > 23 || minute > 59 || minute % 15 != 0 ? -1 : hour * 60 + minute;
}

static bool
read_hour(const struct document *document, json_t *span, const char *path, const char *key, int *out)
{
	const json_t *value = json_object_get(span, key);
	char field[PATH_BYTES];

	*out = clock_minutes(value);
	if (*out >= 0)
		return true;
	document_refuse(document, document_path(field, sizeof field, path, key), value,
	    "\"%s\" must be a time from 00:00 to 23:45 on a quarter of an hour", key);
	return error_hint(
	    document->err, "Usage is summed in quarters of an hour: write \"16:30\"; the end of a day is \"00:00\".");
}

static bool
read_hours(const struct document *document, json_t *span, const char *path, struct window_span *out)
{
	bool has_from = json_object_get(span, "from") != NULL, has_to = json_object_get(span, "to") != NULL;
	char field[PATH_BYTES];

	if (!has_from && !has_to)
		return true;
	if (has_from && has_to)
		return read_hour(document, span, path, "from", &out->from) && read_hour(document, span, path, "to", &out->to);
	document_refuse(document, document_path(field, sizeof field, path, has_from ? "from" : "to"),
	    json_object_get(span, has_from ? "from" : "to"), "a span has both \"from\" and \"to\", or neither");
	return error_hint(document->err, "Leave both out for the whole day; the end of a day is \"to\": \"00:00\".");
}

static bool
read_date(const struct document *document, const json_t *value, const char *path, int64_t *out)
{
	const char *date = json_is_string(value) && json_string_length(value) == DATE_BYTES - 1 ? json_string_value(value) : "";
	char text[32];
	struct instant midnight;
	int length = snprintf(text, sizeof text, "%s 00:00:00", date);

	if (instant_parse_local(text, (size_t)length, 0, 2020, &midnight) == INSTANT_OK) {
		*out = midnight.us / day_us;
		return true;
	}
	document_refuse(document, path, value, "not a date of the years 2020 to 9999");
	return error_hint(document->err, "Write it as \"2026-12-24\".");
}

static bool
read_dates(const struct document *document, json_t *span, const char *path, struct window_span *out)
{
	const json_t *list = json_object_get(span, "dates");
	char field[PATH_BYTES], place[PATH_BYTES + 32];

	if (list == NULL)
		return true;
	document_path(field, sizeof field, path, "dates");
	if (!json_is_array(list) || json_array_size(list) != 2) {
		document_refuse(document, field, list, "\"dates\" must be the first and the last date, both included");
		return error_hint(document->err, "Write [\"2026-12-24\", \"2026-12-26\"]; for one day the same date twice.");
	}
	snprintf(place, sizeof place, "%s[0]", field);
	if (!read_date(document, json_array_get(list, 0), place, &out->first))
		return false;
	snprintf(place, sizeof place, "%s[1]", field);
	if (!read_date(document, json_array_get(list, 1), place, &out->last))
		return false;
	out->has_dates = true;
	return out->first <= out->last || document_refuse(document, field, list, "the last date is before the first one");
}

const char *
time_window_name(const struct time_window *window)
{
	return window->name;
}

/* --- asking ---------------------------------------------------------------------------------- */

static bool
span_has_day(const struct window_span *span, int weekday, int64_t date)
{
	return (span->days & 1U << (weekday - 1)) != 0 && (!span->has_dates || (span->first <= date && date <= span->last));
}

static bool
span_contains(const struct window_span *span, const struct civil *at, int64_t date)
{
	bool is_today = span_has_day(span, at->weekday, date);

	if (span->from == span->to)
		return is_today;
	if (span->from < span->to)
		return is_today && span->from <= at->minute && at->minute < span->to;
	if (at->minute >= span->from)
		return is_today;
	return at->minute < span->to && span_has_day(span, at->weekday == 1 ? DAYS : at->weekday - 1, date - 1);
}

bool
time_window_contains(const struct time_window *window, struct instant at)
{
	struct civil civil = zone_civil(window->zone, at);
	int64_t date = days_from_date(civil.year, civil.month, civil.day);

	for (size_t i = 0; i < window->spans; i++)
		if (span_contains(&window->span[i], &civil, date))
			return true;
	return false;
}

/* --- in words -------------------------------------------------------------------------------- */

/* "Mon-Wed,Sat" */
static void
describe_days(struct text *out, unsigned days)
{
	const char *comma = "";

	if (days == EVERY_DAY) {
		text_add_string(out, "daily");
		return;
	}
	for (unsigned first = 0, last; first < DAYS; first = last + 1) {
		last = first;
		if ((days & 1U << first) == 0)
			continue;
		while (last + 1 < DAYS && (days & 1U << (last + 1)) != 0)
			last++;
		text_add_format(out, "%s%s", comma, day_names[first]);
		if (last > first)
			text_add_format(out, "-%s", day_names[last]);
		comma = ",";
	}
}

static void
describe_date(struct text *out, int64_t date)
{
	char text[INSTANT_TEXT];

	instant_format((struct instant){date * day_us}, text);
	text_add(out, text, DATE_BYTES - 1);
}

static void
describe_span(struct text *out, const struct window_span *span)
{
	describe_days(out, span->days);
	if (span->from != span->to)
		text_add_format(out, " %02d:%02d-%02d:%02d", span->from / 60, span->from % 60, span->to / 60, span->to % 60);
	else
		text_add_string(out, " all day");
	if (!span->has_dates)
		return;
	text_add_string(out, " from ");
	describe_date(out, span->first);
	text_add_string(out, " to ");
	describe_date(out, span->last);
}

const char *
time_window_describe(const struct time_window *window, struct arena *arena)
{
	struct text text = {0};
	const char *kept;

	for (size_t i = 0; i < window->spans; i++) {
		text_add_string(&text, i > 0 ? "; " : "");
		describe_span(&text, &window->span[i]);
	}
	text_add_format(&text, " %s", zone_name(window->zone));
	kept = arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}
