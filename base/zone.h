/*
 * zone.h -- local time by the rules of the IANA time zone database, without a server.
 *
 * The borders of billing periods are still PostgreSQL's, once, and stored; both read the same files of the system, and
 * zone_midnight() decides as PostgreSQL does.  Compared over every zone for 2020 to 2049, two things differ: PostgreSQL reads
 * CET, EET, MET and WET as fixed offsets, here they are the zones of that name; and from 2038 on GLib changes Dublin's clock up to
 * a day early.  All of this may be called from several threads at once.
 */
#ifndef BASE_ZONE_H
#define BASE_ZONE_H

#include "base/instant.h"
#include "base/memory.h"

enum { ZONE_NAME_BYTES = 64 };

struct zone;

/* The zone of an IANA name such as "Europe/Berlin", spelled exactly; it lives as long as the process.  NULL where the system
 * knows no such zone.  Never one by default: offsets ("+02:00"), POSIX rules ("CET-1"), paths, "localtime" and the copies with
 * leap seconds are unknown.  "UTC" is always there. */
const struct zone *zone_find(const char *name);
const char *zone_name(const struct zone *zone);

/* The version of the zone data, "tzdata 2025b", as the system's copy of it says; "tzdata unknown" where it does not. */
const char *zone_data_version(struct arena *arena);

/* What calendar and clock on the wall show; seconds are left out. */
struct civil {
	int year, month, day;
	int weekday; /* ISO 8601: 1 is Monday, 7 Sunday */
	int minute;  /* of the day: 0 to 1439 */
};

struct civil zone_civil(const struct zone *zone, struct instant at);

/* When a local date begins; false where there is no such date in the years 1 to 9999.  As `date AT TIME ZONE name` gives it in
 * PostgreSQL: where midnight is left out, what the clock of the day before would call midnight (so the first instant of the
 * date, if the clock goes forward at midnight); where it comes twice, the second one. */
MUST_CHECK
bool zone_midnight(const struct zone *zone, int year, int month, int day, struct instant *out);

#endif
