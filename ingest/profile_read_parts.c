/* profile_read_parts.c -- the parts of both sides and the other counts, out of a description; see profile_reading.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/profile_reading.h"

static const struct {
	const char *name;
	enum meter_side side;
} parts[PROFILE_PARTS] = {
#define PROFILE_PART(NAME, name, side, detail) [PART_##NAME] = {#name, side},
#include "ingest/profile_parts.def"
#undef PROFILE_PART
};

static bool
read_absent(struct reading *reading, const char *where, const json_t *value, enum absent *out)
{
	static const char *const names[] = {"zero", "unknown", "zero_in_object", "fault"};
	const char *name = json_string_value(value);

	if (value == NULL)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (name != NULL && strcmp(names[i], name) == 0) {
			*out = (enum absent)i;
			return true;
		}
	return reading_refuse(reading, where, value, "what is absent is not zero, unknown, zero_in_object or fault");
}

/* The objects, or lists, whose being there tells that a part that is not is zero. */
static bool
read_objects(struct reading *reading, const char *where, const json_t *value, struct part_source *part)
{
	struct arena *arena = &reading->profile->arena;

	for (size_t i = 0; i < part->paths.count; i++) {
		const char *object = path_parent(arena, reading->profile->slots[part->paths.slot[i]].path);

		while (path_ends_in_choice(object))
			object = path_parent(arena, object);
		if (!reading_slot(reading, where, value, object, SLOT_OBJECT, false, &part->object[i]))
			return false;
	}
	return true;
}

static bool
read_part(struct reading *reading, const char *where, json_t *value, enum relation relation, enum profile_part part)
{
	struct part_source *out = &reading->profile->parts[part];
	char place[WHERE], absent[WHERE], sum[WHERE];
	json_t *path = reading_short(value, where, place);

	if (part == PART_UNCACHED && relation != RELATION_INSIDE)
		return reading_refuse(
		    reading, where, value, "what is uncached is inside the total: it is compared with what is left");
	if (out->relation != RELATION_NONE) {
		reading_refuse(reading, where, value, "the same part is told in two ways");
		return error_hint(reading->err,
		    "Where a format is extended, null takes a member away: {\"inside\": {\"%s\": null}}.", parts[part].name);
	}
	for (size_t i = 0; i < PATHS_MOST; i++)
		out->object[i] = NO_SLOT;
	out->relation = relation;
	out->absent = part == PART_INPUT_TOTAL || part == PART_OUTPUT_TOTAL ? ABSENT_FAULT : ABSENT_ZERO;
	if (json_is_object(value) && !READING_KEYS(reading, value, where, "path", "absent", "sum"))
		return false;
	return read_absent(reading, reading_member(absent, where, "absent"), json_object_get(value, "absent"), &out->absent) &&
	    reading_bool(reading, reading_member(sum, where, "sum"), json_object_get(value, "sum"), false, &out->sum) &&
	    reading_paths(reading, place, path, SLOT_VALUE, true, &out->paths) &&
	    (out->absent != ABSENT_ZERO_IN_OBJECT || read_objects(reading, place, value, out));
}

/* PROFILE_PARTS where the side has no such part; totals are none. */
static enum profile_part
part_find(const char *name, enum meter_side side)
{
	for (int part = 0; part < PROFILE_PARTS; part++)
		if (part != PART_INPUT_TOTAL && part != PART_OUTPUT_TOTAL && parts[part].side == side &&
		    strcmp(parts[part].name, name) == 0)
			return (enum profile_part)part;
	return PROFILE_PARTS;
}

static bool
refuse_part(struct reading *reading, const char *where, const json_t *value, const char *name, enum meter_side side)
{
	const char *names[PROFILE_PARTS];
	size_t count = 0;

	/* "cached" is near to "uncached", and the opposite of it. */
	for (int part = 0; part < PROFILE_PARTS; part++)
		if ((side == METER_SIDE_OTHER || parts[part].side == side) && strcmp(parts[part].name, "total") != 0 &&
		    (part != PART_UNCACHED || strncmp(name, "un", 2) == 0))
			names[count++] = parts[part].name;
	reading_refuse(reading, where, value, "there is no part \"%s\" here", name);
	return document_suggest(reading->err, name, names, count);
}

static bool
read_parts(struct reading *reading, const char *where, enum meter_side side, json_t *value, enum relation relation)
{
	const char *key;
	json_t *one;

	if (value != NULL && !json_is_object(value))
		return reading_refuse(reading, where, value, "the parts are not an object of names and paths");
	json_object_foreach(value, key, one)
	{
		enum profile_part part = part_find(key, side);
		char place[WHERE];

		reading_member(place, where, key);
		if (part == PROFILE_PARTS)
			return refuse_part(reading, place, one, key, side);
		if (!read_part(reading, place, one, relation, part))
			return false;
	}
	return true;
}

/* What a total has beyond its parts is text, unless it is said to be of another modality. */
static bool
read_rest(struct reading *reading, const char *where, enum meter_side side, const json_t *value)
{
	const char *name = json_string_value(value);
	enum profile_part part = name == NULL ? PROFILE_PARTS : part_find(name, side);

	if (value == NULL)
		return true;
	if (part != PART_OUTPUT_AUDIO && part != PART_OUTPUT_IMAGE && part != PART_OUTPUT_VIDEO)
		return reading_refuse(reading, where, value, "the rest of the output is not \"audio\", \"image\" or \"video\"");
	reading->profile->output_rest = part;
	return true;
}

bool
reading_side(struct reading *reading, const char *name, enum meter_side side, json_t *value)
{
	json_t *total = json_object_get(value, "total");
	char where[WHERE];

	if (value == NULL)
		return true;
	if (!json_is_object(value))
		return reading_refuse(reading, name, value, "the %s is not an object of parts", name);
	return READING_KEYS(reading, value, name, "total", "inside", "beside", "either", "rest") &&
	    read_rest(reading, reading_member(where, name, "rest"), side, json_object_get(value, "rest")) &&
	    (total == NULL ||
		read_part(reading, reading_member(where, name, "total"), total, RELATION_INSIDE,
		    side == METER_SIDE_INPUT ? PART_INPUT_TOTAL : PART_OUTPUT_TOTAL)) &&
	    read_parts(reading, reading_member(where, name, "inside"), side, json_object_get(value, "inside"), RELATION_INSIDE) &&
	    read_parts(reading, reading_member(where, name, "beside"), side, json_object_get(value, "beside"), RELATION_BESIDE) &&
	    read_parts(reading, reading_member(where, name, "either"), side, json_object_get(value, "either"), RELATION_EITHER);
}

bool
reading_total(struct reading *reading, json_t *value)
{
	const json_t *wrong = json_object_get(value, "wrong");
	const char *name = wrong == NULL ? "set_aside" : json_string_value(wrong);
	char place[WHERE];
	json_t *path = reading_short(value, "total", place);

	if (value == NULL)
		return true;
	if (json_is_object(value) && !READING_KEYS(reading, value, "total", "path", "wrong"))
		return false;
	if (name == NULL || (strcmp(name, "flag") != 0 && strcmp(name, "set_aside") != 0))
		return reading_refuse(reading, "total.wrong", wrong, "a wrong total is not \"set_aside\" or \"flag\"");
	reading->profile->total_only_flags = strcmp(name, "flag") == 0;
	return reading_paths(reading, place, path, SLOT_VALUE, true, &reading->profile->total);
}

static bool
find_meter(struct reading *reading, const char *where, const char *name, const json_t *value, enum meter_id *out)
{
	const struct meter *meter = meter_find(name, strlen(name));
	const char *names[METER_LIMIT];
	size_t count = 0;

	if (meter != NULL && meter->side == METER_SIDE_OTHER) {
		*out = (enum meter_id)meter->id;
		return true;
	}
	for (int id = 1; id < METER_LIMIT; id++)
		if (meter_of(id)->side == METER_SIDE_OTHER)
			names[count++] = meter_of(id)->name;
	reading_refuse(reading, where, value,
	    meter == NULL ? "there is no meter \"%s\"" : "\"%s\" is counted in tokens: it is a part of \"input\" or \"output\"",
	    name);
	return document_suggest(reading->err, name, names, count);
}

bool
reading_counts(struct reading *reading, json_t *counts)
{
	struct count_source *sources;
	const char *key;
	json_t *value;
	size_t count = 0;

	if (counts == NULL)
		return true;
	if (!json_is_object(counts))
		return reading_refuse(reading, "counts", counts, "the counts are not an object of meters and paths");
	sources = arena_take(&reading->profile->arena, json_object_size(counts) * sizeof *sources);
	json_object_foreach(counts, key, value)
	{
		json_t *counted = json_object_get(value, "count"), *less = json_object_get(value, "less");
		char where[WHERE], place[WHERE], less_place[WHERE];
		json_t *path = reading_short(value, reading_member(where, "counts", key), place);

		sources[count] = (struct count_source){0};
		if (counted != NULL)
			reading_member(place, where, "count");
		if (!find_meter(reading, where, key, value, &sources[count].meter) ||
		    (json_is_object(value) && counted != NULL && !READING_KEYS(reading, value, where, "count", "less")) ||
		    (json_is_object(value) && counted == NULL && !READING_KEYS(reading, value, where, "path")) ||
		    !reading_paths(reading, place, counted != NULL ? counted : path, counted != NULL ? SLOT_COUNT : SLOT_VALUE,
			counted == NULL, &sources[count].paths) ||
		    (less != NULL &&
			!reading_paths(
			    reading, reading_member(less_place, where, "less"), less, SLOT_COUNT, false, &sources[count].less)))
			return false;
		count++;
	}
	reading->profile->counts = sources;
	reading->profile->count_count = count;
	return true;
}

/* "reasoning", "audio" of both sides, or "input.audio". */
static bool
read_one_never_told(struct reading *reading, const char *where, const json_t *value)
{
	const char *name = json_string_value(value);
	enum meter_side only = METER_SIDE_OTHER;
	bool found = false;

	if (name == NULL)
		return reading_refuse(reading, where, value, "this is not the name of a part");
	if (strncmp(name, "input.", 6) == 0 || strncmp(name, "output.", 7) == 0) {
		only = name[0] == 'i' ? METER_SIDE_INPUT : METER_SIDE_OUTPUT;
		name = strchr(name, '.') + 1;
	}
	for (int i = METER_SIDE_INPUT; i <= METER_SIDE_OUTPUT; i++) {
		enum profile_part part = part_find(name, (enum meter_side)i);

		if (part == PROFILE_PARTS || (only != METER_SIDE_OTHER && only != (enum meter_side)i))
			continue;
		if (reading->profile->parts[part].relation != RELATION_NONE)
			return reading_refuse(
			    reading, where, value, "a part that has a path is said to be never told: \"%s\"", name);
		reading->profile->never_told |= 1ULL << part;
		found = true;
	}
	return found || refuse_part(reading, where, value, name, only);
}

bool
reading_never_told(struct reading *reading, json_t *value)
{
	if (value != NULL && !json_is_array(value))
		return reading_refuse(reading, "never_told", value, "this is not a list of parts");
	for (size_t i = 0; i < json_array_size(value); i++) {
		char place[WHERE];

		if (!read_one_never_told(reading, reading_item(place, "never_told", i), json_array_get(value, i)))
			return false;
	}
	return true;
}
