/*
 * instant.h -- points in time: microseconds since 1970-01-01T00:00:00Z, UTC, no leap seconds.
 *
 * instant_now() is the only reader of the clock.  Zones are not here, but in base/zone.h; calendar
 * periods come from PostgreSQL's zone data, once, and are stored.
 */
#ifndef BASE_INSTANT_H
#define BASE_INSTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct instant {
	int64_t us;
};

enum { INSTANT_TEXT = 40 };

/* What became of a time text, from most to least fundamental. */
enum instant_result {
	INSTANT_OK,
	INSTANT_LEAP,    /* 23:59:60Z on the last day of a month: given as 23:59:59.999999 of that day */
	INSTANT_FORMAT,  /* not RFC 3339: a bare number, a word, a blank for T ... */
	INSTANT_NO_ZONE, /* RFC 3339 but for the missing offset */
	INSTANT_RANGE,   /* impossible date, hour 24, second 60 elsewhere, offset beyond 23:59, before 2020 */
};

/* Reads an RFC 3339 date-time: any offset (-00:00 is UTC), 0 to 9 fraction digits, lower-case t and z.
 * Digits beyond the microsecond are cut, never rounded, so that no instant moves into the next month.
 * With `utc_year_from` = 2020 instants before that year are INSTANT_RANGE; pass 1 for no limit. */
enum instant_result instant_parse(const char *bytes, size_t length, int utc_year_from, struct instant *out);
/* The same for "YYYY-MM-DD HH:MM:SS[.fraction]" (or with T), whose offset the caller declares in minutes. */
enum instant_result instant_parse_local(
    const char *bytes, size_t length, int offset_minutes, int utc_year_from, struct instant *out);
/* "2026-10-31T23:59:59.999999Z"; without a fraction where it is zero. */
const char *instant_format(struct instant instant, char out[INSTANT_TEXT]);
/* Reads an option or a configuration value: RFC 3339, or YYYY-MM-DD for midnight UTC. */
MUST_CHECK
bool instant_option(const char *text, struct instant *out, struct error *err);
struct instant instant_now(void);
/* The calendar year in UTC. */
int instant_year(struct instant instant);

/* Days from 1970-01-01 to a date of the Gregorian calendar, which must exist; and the date of a day. */
int64_t days_from_date(int year, int month, int day);
void date_from_days(int64_t days, int64_t *year, int *month, int *day);

enum { INTERVAL_US = 15 * 60 * 1000000 };
/* The start of the 15-minute interval an instant falls in; every zone offset in use is a multiple. */
struct instant instant_interval(struct instant instant);

#endif
