/*
 * profile_read.c -- a merged description into a profile, member by member; see profile_reading.h and docs/formats.md.
 *
 * Everything of the profile is copied into its arena.  Paths become slots first; when all are known, with what is to be kept
 * of each, they are put into the trees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/profile_each.h"
#include "ingest/profile_reading.h"

enum { NAME_MOST = 64 };

static const char *const field_names[PROFILE_FIELDS] = {
#define PROFILE_FIELD(NAME, name, envelope, series) [FIELD_##NAME] = #name,
#include "ingest/profile_fields.def"
#undef PROFILE_FIELD
};

static const char *const extension_names[PROFILE_FIELDS] = {
#define PROFILE_FIELD(NAME, name, envelope, series) [FIELD_##NAME] = envelope,
#include "ingest/profile_fields.def"
#undef PROFILE_FIELD
};

static const char *const envelope_names[EVENT_HEADERS] = {"specversion", "type", "id", "source", "subject", "time"};

static bool read_head(struct reading *reading, json_t *root);
static bool read_places(struct reading *reading, json_t *root);
static bool read_envelope(struct reading *reading, json_t *capture);
static bool read_manners(struct reading *reading, json_t *root);
static bool read_iterations(struct reading *reading, json_t *value);

static bool
read_counted(struct reading *reading, json_t *root)
{
	return reading_side(reading, "input", METER_SIDE_INPUT, json_object_get(root, "input")) &&
	    reading_side(reading, "output", METER_SIDE_OUTPUT, json_object_get(root, "output")) &&
	    reading_total(reading, json_object_get(root, "total")) && reading_counts(reading, json_object_get(root, "counts")) &&
	    reading_never_told(reading, json_object_get(root, "never_told"));
}

static void
note_what_there_is(struct profile *profile)
{
	must(PROFILE_FIELDS <= 64 && PROFILE_PARTS <= 64);
	for (int field = 0; field < PROFILE_FIELDS; field++) {
		const struct field_source *source = &profile->fields[field];
		short slot = profile->extension[field];

		if (source->paths.count > 0 || source->constant.length > 0)
			profile->stated_fields |= UINT64_C(1) << field;
		if (slot == NO_SLOT)
			continue;
		profile->extended_fields |= UINT64_C(1) << field;
		profile->extension_slots[slot / 64] |= UINT64_C(1) << (slot % 64);
	}
	for (int part = 0; part < PROFILE_PARTS; part++)
		if (profile->parts[part].relation != RELATION_NONE)
			profile->present_parts |= UINT64_C(1) << part;
}

static bool
read_tables(struct reading *reading, json_t *root)
{
	return reading_rules(reading, json_object_get(root, "rules")) && reading_names(reading, json_object_get(root, "names")) &&
	    reading_adapters(reading, json_object_get(root, "adapters")) &&
	    reading_stream(reading, json_object_get(root, "stream")) &&
	    read_iterations(reading, json_object_get(root, "iterations"));
}

bool
reading_read(struct reading *reading)
{
	json_t *root = reading->merged;

	if (!READING_KEYS(reading, root, "", "tollbook_format", "format", "title", "about", "traps", "capture", "at", "each",
		"fields", "constants", "unsafe", "input", "output", "total", "counts", "requests", "numbers", "never_told",
		"ignored", "suspect_cache", "flags", "rules", "names", "adapters", "stream", "iterations"))
		return false;
	if (!read_head(reading, root) || !read_places(reading, root) ||
	    !read_envelope(reading, json_object_get(root, "capture")) ||
	    !reading_fields(reading, json_object_get(root, "fields")) ||
	    !reading_constants(reading, json_object_get(root, "constants")) ||
	    !reading_unsafe(reading, json_object_get(root, "unsafe")) || !read_counted(reading, root) ||
	    !read_manners(reading, root) || !read_tables(reading, root))
		return false;
	note_what_there_is(reading->profile);
	return reading_make_trees(reading);
}

/* --- values ------------------------------------------------------------------------------------ */

const char *
reading_member(char out[WHERE], const char *where, const char *key)
{
	return document_path(out, WHERE, where, key);
}

const char *
reading_item(char out[WHERE], const char *where, size_t i)
{
	snprintf(out, WHERE, "%s[%zu]", where, i);
	return out;
}

bool
reading_keys(struct reading *reading, json_t *object, const char *where, const char *const *names, size_t count)
{
	char place[WHERE];
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		size_t i = 0;

		while (i < count && strcmp(names[i], key) != 0)
			i++;
		if (i < count)
			continue;
		reading_refuse(reading, reading_member(place, where, key), value, "there is no such key here");
		return document_suggest(reading->err, key, names, count);
	}
	return true;
}

bool
reading_is_object(struct reading *reading, const char *where, const json_t *value)
{
	if (json_is_object(value) && json_object_size(value) > 0)
		return true;
	return reading_refuse(reading, where, value, "this is not an object with members");
}

bool
reading_is_list(struct reading *reading, const char *where, const json_t *value, size_t most)
{
	if (json_is_array(value) && json_array_size(value) > 0 && json_array_size(value) <= most)
		return true;
	return reading_refuse(reading, where, value, "this is not a list of 1 to %zu items", most);
}

bool
reading_text(struct reading *reading, const char *where, const json_t *value, struct bytes *out)
{
	size_t length = json_string_length(value);

	if (value == NULL)
		return reading_refuse(reading, where, value, "\"%s\" is missing, a text of 1 to %d bytes", where, TEXT_MOST);
	if (!json_is_string(value) || length == 0 || length > TEXT_MOST)
		return reading_refuse(reading, where, value, "this is not a text of 1 to %d bytes", TEXT_MOST);
	out->at = arena_copy(&reading->profile->arena, json_string_value(value), length);
	out->length = length;
	return true;
}

bool
reading_bool(struct reading *reading, const char *where, const json_t *value, bool absent, bool *out)
{
	if (value != NULL && !json_is_boolean(value))
		return reading_refuse(reading, where, value, "this is neither true nor false");
	*out = value == NULL ? absent : json_is_true(value);
	return true;
}

bool
reading_words(struct reading *reading, const char *where, json_t *value, bool empty, const struct word **out, size_t *count)
{
	struct word *words;
	const char *key;
	json_t *text;

	*out = NULL;
	*count = 0;
	if (value == NULL)
		return true;
	if (!json_is_object(value))
		return reading_refuse(reading, where, value, "this is not an object of texts");
	words = arena_take(&reading->profile->arena, json_object_size(value) * sizeof *words);
	json_object_foreach(value, key, text)
	{
		char place[WHERE];

		if (empty && json_is_string(text) && json_string_length(text) == 0)
			words[*count].to = (struct bytes){"", 0};
		else if (!reading_text(reading, reading_member(place, where, key), text, &words[*count].to))
			return false;
		words[*count].from = bytes_of(arena_copy(&reading->profile->arena, key, strlen(key)));
		(*count)++;
	}
	*out = words;
	return true;
}

enum profile_field
field_find(const char *name)
{
	for (int field = 0; field < PROFILE_FIELDS; field++)
		if (strcmp(field_names[field], name) == 0)
			return (enum profile_field)field;
	return PROFILE_FIELDS;
}

bool
field_suggest(struct error *err, const char *name)
{
	return document_suggest(err, name, field_names, PROFILE_FIELDS);
}

enum profile_field
reading_field(struct reading *reading, const char *where, const char *name, const json_t *value)
{
	enum profile_field field = field_find(name);

	if (field == PROFILE_FIELDS) {
		reading_refuse(reading, where, value, "there is no field \"%s\"", name);
		(void)field_suggest(reading->err, name);
	}
	return field;
}

bool
reading_flag(struct reading *reading, const char *where, const json_t *value, unsigned *flags)
{
	static const char *const names[] = {
#define FLAG(bit, name, meaning) #name,
#include "ledger/flags.def"
#undef FLAG
	};
	const char *name = json_string_value(value);
	unsigned flag = name == NULL ? 0 : flags_find(name);

	if (flag == 0) {
		reading_refuse(reading, where, value, "this is not the name of a flag");
		return document_suggest(reading->err, name == NULL ? "" : name, names, sizeof names / sizeof names[0]);
	}
	*flags |= flag;
	return true;
}

/* --- head and places --------------------------------------------------------------------------- */

static bool
is_name(const char *name)
{
	static const char *const taken[] = {"json", "csv", "table", "text", "tollbook"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
		if (strcmp(taken[i], name) == 0)
			return false;
	return length > 0 && length <= NAME_MOST && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
}

static bool
read_texts(struct reading *reading, const char *where, const json_t *value)
{
	struct bytes text;

	if (value != NULL && !reading_is_list(reading, where, value, 100))
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		char place[WHERE];

		if (!reading_text(reading, reading_item(place, where, i), json_array_get(value, i), &text))
			return false;
	}
	return true;
}

static bool
read_head(struct reading *reading, json_t *root)
{
	const json_t *version = json_object_get(root, "tollbook_format"), *about = json_object_get(root, "about");
	struct profile *profile = reading->profile;
	struct bytes name = {"", 0}, text;

	if (!json_is_integer(version) || json_integer_value(version) != 1)
		return reading_refuse(
		    reading, "tollbook_format", version, "\"tollbook_format\" is not 1, the only kind there is");
	if (!reading_text(reading, "format", json_object_get(root, "format"), &name) ||
	    !reading_text(reading, "title", json_object_get(root, "title"), &text) ||
	    (about != NULL && !reading_text(reading, "about", about, &text)) ||
	    !read_texts(reading, "traps", json_object_get(root, "traps")))
		return false;
	if (!is_name(name.at))
		return reading_refuse(reading, "format", json_object_get(root, "format"),
		    "the name of a format has 1 to %d of a-z 0-9 _ . - and is not json, csv, table, text or tollbook", NAME_MOST);
	profile->name = name.at;
	return true;
}

/* A path that may be empty: the document itself. */
static bool
read_place(struct reading *reading, const char *where, const json_t *value, const char **out)
{
	*out = "";
	if (json_is_string(value) && json_string_length(value) == 0)
		return true;
	return reading_path(reading, where, value, out);
}

static bool
read_at(struct reading *reading, const json_t *value)
{
	reading->at[0] = "";
	reading->at_count = 1;
	if (value == NULL)
		return true;
	if (!reading_is_list(reading, "at", value, AT_MOST))
		return false;
	reading->at_count = json_array_size(value);
	for (size_t i = 0; i < reading->at_count; i++) {
		char place[WHERE];

		if (!read_place(reading, reading_item(place, "at", i), json_array_get(value, i), &reading->at[i]))
			return false;
	}
	return true;
}

/* A list whose items are records of their own. */
static bool
read_each(struct reading *reading, const char *where, const json_t *value, const char **out)
{
	if (!reading_path(reading, where, value, out))
		return false;
	return each_is_path(*out) ||
	    reading_refuse(
		reading, where, value, "a list of records is at keys and [] alone, and ends with []: not \"%s\"", *out);
}

/* Where records and payloads stand; and instead of what iterations do, for the paths to come. */
static bool
read_places(struct reading *reading, json_t *root)
{
	json_t *each = json_object_get(root, "each"),
	       *instead_of = json_object_get(json_object_get(root, "iterations"), "instead_of");
	const char **paths = arena_take(&reading->profile->arena, (EACH_PATHS + 1) * sizeof *paths);
	size_t count = 0;

	reading->profile->each = paths;
	if (!read_at(reading, json_object_get(root, "at")) ||
	    (each != NULL && !reading_is_list(reading, "each", each, EACH_PATHS)))
		return false;
	for (; count < json_array_size(each); count++) {
		char place[WHERE];

		if (!read_each(reading, reading_item(place, "each", count), json_array_get(each, count), &paths[count]))
			return false;
	}
	paths[count] = NULL;
	return instead_of == NULL || reading_path(reading, "iterations.instead_of", instead_of, &reading->instead_of);
}

/* An attribute of the CloudEvent around the payload. */
static bool
envelope_slot(struct reading *reading, const char *name, enum slot_kind kind, short *out)
{
	return reading_slot_at(
	    reading, "capture", NULL, name, arena_format(&reading->profile->arena, "^%s", name), NULL, kind, out);
}

static bool
read_envelope(struct reading *reading, json_t *capture)
{
	struct profile *profile = reading->profile;

	profile->data = profile->data_base64 = NO_SLOT;
	for (int i = 0; i < EVENT_HEADERS; i++)
		profile->envelope[i] = NO_SLOT;
	for (int i = 0; i < PROFILE_FIELDS; i++)
		profile->extension[i] = NO_SLOT;
	if (!reading_bool(reading, "capture", capture, true, &profile->capture))
		return false;
	/* By the first two one of our own is known wherever it comes. */
	for (int i = 0; i < (profile->capture ? EVENT_HEADERS : HEADER_TYPE + 1); i++)
		if (!envelope_slot(reading, envelope_names[i], SLOT_VALUE, &profile->envelope[i]))
			return false;
	if (!profile->capture)
		return true;
	for (int i = 0; i < PROFILE_FIELDS; i++)
		if (extension_names[i][0] != '\0' &&
		    !envelope_slot(reading, extension_names[i], SLOT_VALUE, &profile->extension[i]))
			return false;
	return envelope_slot(reading, "data", SLOT_RAW, &profile->data) &&
	    envelope_slot(reading, "data_base64", SLOT_RAW, &profile->data_base64);
}

/* --- the small ones ---------------------------------------------------------------------------- */

static bool
read_requests(struct reading *reading, const json_t *value)
{
	reading->profile->requests = value == NULL ? 1 : json_integer_value(value);
	if (value == NULL || (json_is_integer(value) && (json_integer_value(value) == 0 || json_integer_value(value) == 1)))
		return true;
	return reading_refuse(reading, "requests", value, "a record is 1 request, or 0");
}

static bool
read_numbers(struct reading *reading, const json_t *value)
{
	const char *name = value == NULL ? "json" : json_string_value(value);

	if (name == NULL || (strcmp(name, "json") != 0 && strcmp(name, "texts too") != 0))
		return reading_refuse(reading, "numbers", value, "numbers are written as \"json\" or as \"texts too\"");
	reading->profile->number_texts = strcmp(name, "texts too") == 0;
	return true;
}

static bool
read_ignored(struct reading *reading, const json_t *value)
{
	if (value != NULL && !json_is_array(value))
		return reading_refuse(reading, "ignored", value, "this is not a list of paths");
	if (json_array_size(value) > PROFILE_SLOTS)
		return reading_refuse(reading, "ignored", value, "more than %d paths are ignored", PROFILE_SLOTS);
	for (size_t i = 0; i < json_array_size(value); i++) {
		char place[WHERE];

		if (!reading_path(reading, reading_item(place, "ignored", i), json_array_get(value, i),
			&reading->ignored[reading->ignored_count++]))
			return false;
	}
	return true;
}

static bool
read_flags(struct reading *reading, const json_t *value)
{
	if (value != NULL && !json_is_array(value))
		return reading_refuse(reading, "flags", value, "this is not a list of flags");
	for (size_t i = 0; i < json_array_size(value); i++) {
		char place[WHERE];

		if (!reading_flag(reading, reading_item(place, "flags", i), json_array_get(value, i), &reading->profile->flags))
			return false;
	}
	return true;
}

static bool
read_manners(struct reading *reading, json_t *root)
{
	return read_requests(reading, json_object_get(root, "requests")) &&
	    read_numbers(reading, json_object_get(root, "numbers")) && read_ignored(reading, json_object_get(root, "ignored")) &&
	    reading_bool(
		reading, "suspect_cache", json_object_get(root, "suspect_cache"), false, &reading->profile->suspect_cache) &&
	    read_flags(reading, json_object_get(root, "flags"));
}

/* --- iterations -------------------------------------------------------------------------------- */

/* A text of the items themselves: its name is that of the list and the member. */
static bool
item_slot(struct reading *reading, const char *where, const json_t *value, short *out)
{
	struct arena *arena = &reading->profile->arena;
	const char *path;

	if (!reading_path(reading, where, value, &path))
		return false;
	return reading_slot_at(reading, where, value,
	    arena_format(arena, "%s/[]/%s", reading->profile->slots[reading->profile->iterations].path, path), NULL, path,
	    SLOT_VALUE, out);
}

static bool
read_iteration_model(struct reading *reading, const json_t *value)
{
	struct paths *model = &reading->profile->iteration_model;

	if (value == NULL)
		return true;
	model->count = 1;
	return item_slot(reading, "iterations.model", value, &model->slot[0]);
}

static bool
read_iterations(struct reading *reading, json_t *value)
{
	struct profile *profile = reading->profile;
	const json_t *path = json_object_get(value, "path"), *kind = json_object_get(value, "kind");

	profile->iterations = profile->iteration_kind = NO_SLOT;
	if (value == NULL)
		return true;
	if (!reading_is_object(reading, "iterations", value) ||
	    !READING_KEYS(reading, value, "iterations", "path", "instead_of", "kind", "model", "operations"))
		return false;
	if (reading->instead_of == NULL || !json_is_string(path))
		return reading_refuse(reading, "iterations", value, "iterations need \"path\" and \"instead_of\"");
	return reading_slot(reading, "iterations.path", path, json_string_value(path), SLOT_RAW, false, &profile->iterations) &&
	    (kind == NULL || item_slot(reading, "iterations.kind", kind, &profile->iteration_kind)) &&
	    read_iteration_model(reading, json_object_get(value, "model")) &&
	    reading_words(reading, "iterations.operations", json_object_get(value, "operations"), false,
		&profile->iteration_operations, &profile->iteration_operation_count);
}
