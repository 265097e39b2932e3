/*
 * instant.c -- see instant.h.
 *
 * The calendar is computed here, without the C library, whose answers depend on the process's zone
 * and which moves impossible dates to possible ones.  A text is first held against the grammar of
 * RFC 3339, section 5.6, and only then against the calendar, so that the result names the most
 * basic fault.
 */
#include "base/instant.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SECOND_US = 1000000,
	DAY_SECONDS = 86400,
	YEAR_LAST = 9999,    /* RFC 3339 has four digits */
	ERA_DAYS = 146097,   /* 400 Gregorian years */
	EPOCH_DAYS = 719468, /* from 1 March of year 0 to 1970-01-01 */
};

/* A date and time as written, not yet known to exist. */
struct written {
	int year, month, day, hour, minute, second, microsecond;
};

/* Where a reader is in a text. */
struct cursor {
	const char *at, *end;
};

static bool read_written(struct cursor *cursor, bool blank_separates, struct written *out);
static bool read_offset(struct cursor *cursor, int *hours, int *minutes, bool *negative);
static inline bool read_digits(struct cursor *cursor, int count, int *out);
static inline bool read_byte(struct cursor *cursor, const char *any_of);
static enum instant_result convert(const struct written *written, int offset_minutes, int utc_year_from, struct instant *out);
static bool is_leap_second(int64_t second);
static int days_in_month(int year, int month);
static int64_t floor_divide(int64_t dividend, int64_t divisor);

enum instant_result
instant_parse(const char *bytes, size_t length, int utc_year_from, struct instant *out)
{
	struct cursor cursor = {bytes, bytes + length};
	struct written written;
	int hours = 0, minutes = 0;
	bool negative = false;

	if (!read_written(&cursor, false, &written))
		return INSTANT_FORMAT;
	if (cursor.at == cursor.end)
		return INSTANT_NO_ZONE;
	if (!read_byte(&cursor, "Zz") && !read_offset(&cursor, &hours, &minutes, &negative))
		return INSTANT_FORMAT;
	if (cursor.at != cursor.end)
		return INSTANT_FORMAT;
	if (hours > 23 || minutes > 59)
		return INSTANT_RANGE;
	minutes += hours * 60;
	return convert(&written, negative ? -minutes : minutes, utc_year_from, out);
}

enum instant_result
instant_parse_local(const char *bytes, size_t length, int offset_minutes, int utc_year_from, struct instant *out)
{
	struct cursor cursor = {bytes, bytes + length};
	struct written written;

	must(offset_minutes > -24 * 60 && offset_minutes < 24 * 60);
	if (!read_written(&cursor, true, &written) || cursor.at != cursor.end)
		return INSTANT_FORMAT;
	return convert(&written, offset_minutes, utc_year_from, out);
}

const char *
instant_format(struct instant instant, char out[INSTANT_TEXT])
{
	int64_t seconds = floor_divide(instant.us, SECOND_US), year;
	int64_t days = floor_divide(seconds, DAY_SECONDS);
	int in_day = (int)(seconds - days * DAY_SECONDS), month, day, length;
	/* By remainder, since the start of the first second of all is no instant. */
	int microsecond = (int)((instant.us % SECOND_US + SECOND_US) % SECOND_US);

	date_from_days(days, &year, &month, &day);
	length = snprintf(out, INSTANT_TEXT, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)year, month, day, in_day / 3600,
	    in_day / 60 % 60, in_day % 60);
	if (microsecond > 0)
		length += snprintf(out + length, (size_t)(INSTANT_TEXT - length), ".%06d", microsecond);
	must(length + 1 < INSTANT_TEXT);
	memcpy(out + length, "Z", 2);
	return out;
}

static const char *
option_remedy(enum instant_result result)
{
	switch (result) {
	case INSTANT_NO_ZONE:
		return "Say which zone: put Z behind it for UTC, or an offset such as +02:00.";
	case INSTANT_RANGE:
		return "There is no such time: look at the day, the hour and the offset.";
	case INSTANT_OK:
	case INSTANT_LEAP:
	case INSTANT_FORMAT:
		break;
	}
	return "Write 2026-10-31 for midnight UTC, or 2026-10-31T18:30:00+02:00.";
}

bool
instant_option(const char *text, struct instant *out, struct error *err)
{
	struct cursor cursor = {text, text + strlen(text)};
	struct written written = {0};
	enum instant_result result;

	if (read_digits(&cursor, 4, &written.year) && read_byte(&cursor, "-") && read_digits(&cursor, 2, &written.month) &&
	    read_byte(&cursor, "-") && read_digits(&cursor, 2, &written.day) && cursor.at == cursor.end)
		result = convert(&written, 0, 1, out);
	else
		result = instant_parse(text, strlen(text), 1, out);
	if (result == INSTANT_OK || result == INSTANT_LEAP)
		return true;
	error_set(err, ERROR_USAGE, "\"%s\" is not a time", text);
	return error_hint(err, "%s", option_remedy(result));
}

struct instant
instant_now(void)
{
	struct timespec now;

	must(clock_gettime(CLOCK_REALTIME, &now) == 0);
	return (struct instant){(int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000};
}

int
instant_year(struct instant instant)
{
	int64_t year;
	int month, day;

	date_from_days(floor_divide(instant.us, (int64_t)DAY_SECONDS * SECOND_US), &year, &month, &day);
	return (int)year;
}

struct instant
instant_interval(struct instant instant)
{
	int64_t into = instant.us % INTERVAL_US;
	int64_t start;

	if (into < 0)
		into += INTERVAL_US;
	must(!__builtin_sub_overflow(instant.us, into, &start));
	return (struct instant){start};
}

/* Up to nine digits; those beyond the microsecond are cut (rounding could enter the next month). */
static bool
read_fraction(struct cursor *cursor, int *microsecond)
{
	int count = 0, digit;

	*microsecond = 0;
	for (; count < 9 && read_digits(cursor, 1, &digit); count++)
		if (count < 6)
			*microsecond = *microsecond * 10 + digit;
	if (count == 0 || read_digits(cursor, 1, &digit))
		return false;
	for (; count < 6; count++)
		*microsecond *= 10;
	return true;
}

static bool
read_written(struct cursor *cursor, bool blank_separates, struct written *out)
{
	*out = (struct written){0};
	if (!read_digits(cursor, 4, &out->year) || !read_byte(cursor, "-") || !read_digits(cursor, 2, &out->month) ||
	    !read_byte(cursor, "-") || !read_digits(cursor, 2, &out->day) || !read_byte(cursor, blank_separates ? "Tt " : "Tt") ||
	    !read_digits(cursor, 2, &out->hour) || !read_byte(cursor, ":") || !read_digits(cursor, 2, &out->minute) ||
	    !read_byte(cursor, ":") || !read_digits(cursor, 2, &out->second))
		return false;
	return !read_byte(cursor, ".") || read_fraction(cursor, &out->microsecond);
}

static bool
read_offset(struct cursor *cursor, int *hours, int *minutes, bool *negative)
{
	*negative = cursor->at < cursor->end && *cursor->at == '-';
	return read_byte(cursor, "+-") && read_digits(cursor, 2, hours) && read_byte(cursor, ":") &&
	    read_digits(cursor, 2, minutes);
}

/* Exactly `count` digits, as a number. */
static inline bool
read_digits(struct cursor *cursor, int count, int *out)
{
	*out = 0;
	for (int i = 0; i < count; i++, cursor->at++) {
		if (cursor->at == cursor->end || *cursor->at < '0' || *cursor->at > '9')
			return false;
		*out = *out * 10 + (*cursor->at - '0');
	}
	return true;
}

static inline bool
read_byte(struct cursor *cursor, const char *any_of)
{
	for (; cursor->at < cursor->end && *any_of != '\0'; any_of++)
		if (*cursor->at == *any_of) {
			cursor->at++;
			return true;
		}
	return false;
}

/* The year that is limited is the one of the UTC instant: 1 January 01:30 at +05:30 is last year.
 */
static enum instant_result
convert(const struct written *written, int offset_minutes, int utc_year_from, struct instant *out)
{
	bool leap = written->second == 60;
	int64_t second;
	struct instant made;
	int year;

	if (written->month < 1 || written->month > 12 || written->day < 1 ||
	    written->day > days_in_month(written->year, written->month) || written->hour > 23 || written->minute > 59 ||
	    written->second > 60)
		return INSTANT_RANGE;
	second = days_from_date(written->year, written->month, written->day) * DAY_SECONDS + written->hour * 3600 +
	    (written->minute - offset_minutes) * 60 + (leap ? 59 : written->second);
	if (leap && !is_leap_second(second))
		return INSTANT_RANGE;
	made.us = second * SECOND_US + (leap ? SECOND_US - 1 : written->microsecond);
	year = instant_year(made);
	if (year < utc_year_from || year > YEAR_LAST)
		return INSTANT_RANGE;
	*out = made;
	return leap ? INSTANT_LEAP : INSTANT_OK;
}

/* Whether a leap second may follow: only at the end of a month in UTC (ITU-R TF.460-6).  Which
 * months really had one is announced half a year ahead, and is not asked. */
static bool
is_leap_second(int64_t second)
{
	int64_t days = floor_divide(second, DAY_SECONDS), year;
	int month, day;

	date_from_days(days + 1, &year, &month, &day);
	return second - days * DAY_SECONDS == DAY_SECONDS - 1 && day == 1;
}

static int
days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && leap_year ? 29 : days[month - 1];
}

/* Years are counted from March, so that the leap day is the last of its year. */
int64_t
days_from_date(int year, int month, int day)
{
	int64_t from_march = (month + 9) % 12;
	int64_t march_year = month <= 2 ? year - 1 : year;
	int64_t era = floor_divide(march_year, 400);
	int64_t in_era = march_year - era * 400;
	int64_t in_year = (153 * from_march + 2) / 5 + day - 1;

	return era * ERA_DAYS + in_era * 365 + in_era / 4 - in_era / 100 + in_year - EPOCH_DAYS;
}

void
date_from_days(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t era = floor_divide(days + EPOCH_DAYS, ERA_DAYS);
	int64_t in_era = days + EPOCH_DAYS - era * ERA_DAYS;
	/* Taking out the leap days of 4, 100 and 400 years leaves years of 365 days. */
	int64_t years = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (years * 365 + years / 4 - years / 100);
	int64_t from_march = (5 * in_year + 2) / 153;

	*day = (int)(in_year - (153 * from_march + 2) / 5 + 1);
	*month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
	*year = era * 400 + years + (*month <= 2 ? 1 : 0);
}

static int64_t
floor_divide(int64_t dividend, int64_t divisor)
{
	return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}
