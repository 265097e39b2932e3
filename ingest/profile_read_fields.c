/* profile_read_fields.c -- fields, constants and what is no id, out of a description; see profile_reading.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/profile_reading.h"

static const struct {
	const char *name;
	int64_t ns;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

static bool
read_unit(struct reading *reading, const char *where, const json_t *value, int64_t *ns)
{
	const char *name = json_string_value(value);

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (name != NULL && strcmp(units[i].name, name) == 0) {
			*ns = units[i].ns;
			return true;
		}
	return reading_refuse(reading, where, value, "the unit of a time is not s, ms, us or ns");
}

static int
two_digits(const char *at)
{
	return at[0] >= '0' && at[0] <= '9' && at[1] >= '0' && at[1] <= '9' ? (at[0] - '0') * 10 + at[1] - '0' : -1;
}

static bool
read_zone(struct reading *reading, const char *where, const json_t *value, int *minutes)
{
	const char *zone = json_string_value(value);
	int hours, rest;

	*minutes = 0;
	if (zone != NULL && strcmp(zone, "UTC") == 0)
		return true;
	if (zone != NULL && strlen(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':') {
		hours = two_digits(zone + 1);
		rest = two_digits(zone + 4);
		*minutes = (zone[0] == '-' ? -1 : 1) * (hours * 60 + rest);
		if (hours >= 0 && hours <= 14 && rest >= 0 && rest < 60)
			return true;
	}
	return reading_refuse(reading, where, value, "the zone of times is not \"UTC\" or an offset such as \"+02:00\"");
}

static bool
read_plus(struct reading *reading, const char *where, json_t *value, struct field_source *out)
{
	char place[WHERE];

	if (value == NULL)
		return true;
	return reading_is_object(reading, where, value) && READING_KEYS(reading, value, where, "path", "unit") &&
	    reading_paths(
		reading, reading_member(place, where, "path"), json_object_get(value, "path"), SLOT_VALUE, false, &out->plus) &&
	    read_unit(reading, reading_member(place, where, "unit"), json_object_get(value, "unit"), &out->plus_unit_ns);
}

static bool
read_time_members(struct reading *reading, const char *where, enum profile_field field, json_t *value, struct field_source *out)
{
	json_t *unit = json_object_get(value, "unit"), *zone = json_object_get(value, "zone"),
	       *plus = json_object_get(value, "plus");
	char place[WHERE];

	if (field != FIELD_TIME && field != FIELD_STARTED_AT && (unit != NULL || zone != NULL || plus != NULL))
		return reading_refuse(reading, where, value, "only times have \"unit\", \"zone\" and \"plus\"");
	if (unit != NULL && zone != NULL)
		return reading_refuse(reading, where, value, "a time that is a number has a unit and no zone");
	out->time = unit != NULL ? TIME_UNITS : TIME_TEXT;
	out->has_zone = zone != NULL;
	return (unit == NULL || read_unit(reading, reading_member(place, where, "unit"), unit, &out->unit_ns)) &&
	    (zone == NULL || read_zone(reading, reading_member(place, where, "zone"), zone, &out->zone_minutes)) &&
	    read_plus(reading, reading_member(place, where, "plus"), plus, out);
}

/* A status is one of ours, so that it is known now and not with each record. */
static bool
check_status(struct reading *reading, const char *where, const json_t *value, struct bytes word)
{
	size_t count = 0;

	for (; status_words[count] != NULL; count++)
		if (strcmp(status_words[count], word.at) == 0)
			return true;
	reading_refuse(reading, where, value, "there is no status \"%s\"", word.at);
	return document_suggest(reading->err, word.at, status_words, count);
}

static bool
read_field_words(struct reading *reading, const char *where, enum profile_field field, json_t *value, struct field_source *out)
{
	json_t *words = json_object_get(value, "words"), *join = json_object_get(value, "join");
	struct bytes joiner;
	char place[WHERE];

	if (!reading_words(reading, reading_member(place, where, "words"), words, true, &out->words, &out->word_count) ||
	    !reading_bool(reading, reading_member(place, where, "only_words"), json_object_get(value, "only_words"), false,
		&out->only_words))
		return false;
	for (size_t i = 0; field == FIELD_STATUS && i < out->word_count; i++)
		if (!check_status(reading, reading_member(place, where, "words"), words, out->words[i].to))
			return false;
	if (join == NULL)
		return true;
	if (!reading_text(reading, reading_member(place, where, "join"), join, &joiner))
		return false;
	out->joined = true;
	out->joiner = joiner.at;
	return true;
}

static bool
read_field(struct reading *reading, const char *where, enum profile_field field, json_t *value, struct field_source *out)
{
	char place[WHERE];
	json_t *path = reading_short(value, where, place);

	if (json_is_object(value) &&
	    (!READING_KEYS(reading, value, where, "path", "join", "words", "only_words", "unit", "zone", "plus") ||
		!read_field_words(reading, where, field, value, out) || !read_time_members(reading, where, field, value, out)))
		return false;
	return reading_paths(reading, place, path, SLOT_VALUE, false, &out->paths);
}

bool
reading_fields(struct reading *reading, json_t *fields)
{
	const char *key;
	json_t *value;

	if (fields != NULL && !json_is_object(fields))
		return reading_refuse(reading, "fields", fields, "the fields are not an object of names and paths");
	json_object_foreach(fields, key, value)
	{
		char place[WHERE];
		enum profile_field field = reading_field(reading, reading_member(place, "fields", key), key, value);

		if (field == PROFILE_FIELDS || !read_field(reading, place, field, value, &reading->profile->fields[field]))
			return false;
	}
	return true;
}

static bool
refuse_constant_id(struct reading *reading, const char *where, const json_t *value)
{
	reading_refuse(reading, where, value, "one id for all records would make them one event");
	return error_hint(reading->err, "Say where each record has its own: --field id=PATH, or \"id\" in \"fields\".");
}

bool
reading_constants(struct reading *reading, json_t *constants)
{
	const char *key;
	json_t *value;

	if (constants != NULL && !json_is_object(constants))
		return reading_refuse(reading, "constants", constants, "the constants are not an object of names and texts");
	json_object_foreach(constants, key, value)
	{
		char place[WHERE];
		enum profile_field field = reading_field(reading, reading_member(place, "constants", key), key, value);
		struct bytes *constant;

		if (field == PROFILE_FIELDS)
			return false;
		if (field == FIELD_ID || field == FIELD_REVISES)
			return refuse_constant_id(reading, place, value);
		constant = &reading->profile->fields[field].constant;
		if (!reading_text(reading, place, value, constant) ||
		    (field == FIELD_STATUS && !check_status(reading, place, value, *constant)))
			return false;
	}
	return true;
}

/* --- identity ---------------------------------------------------------------------------------- */

/* The payload may be the document itself: then a path is the same with and without its ^. */
static bool
is_at_top(const struct reading *reading)
{
	for (size_t i = 0; i < reading->at_count; i++)
		if (reading->at[i][0] == '\0')
			return true;
	return false;
}

/* Why a path is no id, or NULL. */
static const struct word *
unsafe_path(const struct reading *reading, const char *path)
{
	const struct profile *profile = reading->profile;
	bool is_same = is_at_top(reading);

	for (size_t i = 0; i < profile->unsafe_count; i++) {
		const char *unsafe = profile->unsafe[i].from.at;

		if (strcmp(path, unsafe) == 0 || (is_same && strcmp(path + (path[0] == '^'), unsafe + (unsafe[0] == '^')) == 0))
			return &profile->unsafe[i];
	}
	return NULL;
}

/* The id must not be what is no id.  Several paths that are joined are another matter: each may be one inside the other. */
static bool
check_id(struct reading *reading)
{
	const struct field_source *id = &reading->profile->fields[FIELD_ID];
	const json_t *value = json_object_get(json_object_get(reading->merged, "fields"), "id");

	if (id->joined && id->paths.count > 1)
		return true;
	for (size_t i = 0; i < id->paths.count; i++) {
		const struct word *unsafe = unsafe_path(reading, reading->place[id->paths.slot[i]]);

		if (unsafe == NULL)
			continue;
		reading_refuse(reading, "fields.id", value, "\"%s\" is not safe as the id of %s: %s", unsafe->from.at,
		    reading->profile->name, unsafe->to.at);
		return error_hint(reading->err,
		    "Name a path that belongs to one request alone: --field id=PATH; or let the gateway wrap the answer in a "
		    "CloudEvent, whose id is its own.");
	}
	return true;
}

bool
reading_unsafe(struct reading *reading, json_t *unsafe)
{
	return reading_words(reading, "unsafe", unsafe, false, &reading->profile->unsafe, &reading->profile->unsafe_count) &&
	    check_id(reading);
}
