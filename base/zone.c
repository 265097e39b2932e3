/*
 * zone.c -- see zone.h.
 *
 * GLib answers to more than IANA names: offsets, POSIX rules, any file.  So a name is first held against the shape of a zone's
 * name, and then asked for with a colon before it: that makes GLib look for a file below the zone database, and nothing else.
 * Zone names begin with a capital letter.  What else lies there does not: "localtime", "posixrules", "leapseconds", and the
 * folder "right", whose zones count leap seconds that our instants have not.
 */
#include "base/zone.h"

#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SECOND_US = 1000000, DAY_SECONDS = 86400 };

struct zone {
	struct zone *next;
	GTimeZone *rules; /* NULL: UTC */
	char name[ZONE_NAME_BYTES + 1];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Zones are few (those of the database), only added, and never changed: what was found is read without the lock. */
static struct zone *known;

static bool
is_letter(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

/* Parts joined by single slashes, of letters, digits, "_", "-" and "+"; no dot, so that none leads out of the database. */
static bool
is_zone_name(const char *name)
{
	size_t length = strnlen(name, ZONE_NAME_BYTES + 1);

	if (length == 0 || length > ZONE_NAME_BYTES || name[0] < 'A' || name[0] > 'Z' || name[length - 1] == '/')
		return false;
	for (size_t i = 1; i < length; i++) {
		bool is_part = is_letter(name[i]) || (name[i] >= '0' && name[i] <= '9') || strchr("_-+", name[i]) != NULL;

		if (!is_part && (name[i] != '/' || name[i - 1] == '/'))
			return false;
	}
	return true;
}

/* NULL where it is unknown.  An unknown name is not kept, or whoever sends names could fill the memory. */
static struct zone *
zone_load(const char *name)
{
	char file[ZONE_NAME_BYTES + 2];
	GTimeZone *rules = NULL;
	struct zone *zone;

	if (strcmp(name, "UTC") != 0) {
		snprintf(file, sizeof file, ":%s", name);
		rules = g_time_zone_new_identifier(file);
		if (rules == NULL)
			return NULL;
	}
	zone = memory_new(1, sizeof *zone);
	zone->rules = rules;
	memcpy(zone->name, name, strlen(name) + 1);
	return zone;
}

const struct zone *
zone_find(const char *name)
{
	struct zone *zone;

	if (!is_zone_name(name))
		return NULL;
	must(pthread_mutex_lock(&lock) == 0);
	for (zone = known; zone != NULL && strcmp(zone->name, name) != 0; zone = zone->next)
		;
	if (zone == NULL && (zone = zone_load(name)) != NULL) {
		zone->next = known;
		known = zone;
	}
	must(pthread_mutex_unlock(&lock) == 0);
	return zone;
}

const char *
zone_name(const struct zone *zone)
{
	return zone->name;
}

const char *
zone_data_version(struct arena *arena)
{
	static const char path[] = "/usr/share/zoneinfo/tzdata.zi", lead[] = "# version ";
	char line[64] = "";
	FILE *file = fopen(path, "r");
	bool told;

	if (file == NULL)
		return "tzdata unknown";
	told = fgets(line, sizeof line, file) != NULL && strncmp(line, lead, strlen(lead)) == 0;
	(void)fclose(file);
	if (!told)
		return "tzdata unknown";
	line[strcspn(line, "\n")] = '\0';
	return arena_format(arena, "tzdata %s", line + strlen(lead));
}

static int64_t
floor_divide(int64_t dividend, int64_t divisor)
{
	return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

static int
offset_at(const struct zone *zone, int64_t second)
{
	gint interval;

	if (zone->rules == NULL)
		return 0;
	interval = g_time_zone_find_interval(zone->rules, G_TIME_TYPE_UNIVERSAL, second);
	must(interval >= 0);
	return g_time_zone_get_offset(zone->rules, interval);
}

struct civil
zone_civil(const struct zone *zone, struct instant at)
{
	int64_t second = floor_divide(at.us, SECOND_US), days, year;
	struct civil civil;

	second += offset_at(zone, second);
	days = floor_divide(second, DAY_SECONDS);
	date_from_days(days, &year, &civil.month, &civil.day);
	civil.year = (int)year;
	civil.minute = (int)(second - days * DAY_SECONDS) / 60;
	/* 1970-01-01 was a Thursday. */
	civil.weekday = (int)(days + 3 - floor_divide(days + 3, 7) * 7) + 1;
	return civil;
}

static bool
date_exists(int year, int month, int day)
{
	int64_t same_year;
	int same_month, same_day;

	if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	date_from_days(days_from_date(year, month, day), &same_year, &same_month, &same_day);
	return same_day == day;
}

/* A local time is read with the offset before and with the one after a change of the clock.  Usually one of the two readings
 * lies on its own side of the change.  None does where the clock leaves the time out, and the offset before counts; both do where
 * it comes twice, and the offset after counts: DetermineTimeZoneOffset() of PostgreSQL. */
bool
zone_midnight(const struct zone *zone, int year, int month, int day, struct instant *out)
{
	int64_t local, by_before, by_after;
	int before, after;

	if (!date_exists(year, month, day))
		return false;
	local = days_from_date(year, month, day) * DAY_SECONDS;
	before = offset_at(zone, local - DAY_SECONDS);
	after = offset_at(zone, local + DAY_SECONDS);
	by_before = local - before;
	by_after = local - after;
	out->us = (offset_at(zone, by_after) == after ? by_after : by_before) * SECOND_US;
	return true;
}
