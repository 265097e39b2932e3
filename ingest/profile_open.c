/*
 * profile_open.c -- where descriptions come from: compiled in, files, the command line, a text that was kept; merged into one.
 *
 * A member of an object takes the place of the one it extends, objects member by member, and null takes one away.  "rules" are
 * joined.  A path written short is the same as {"path": ...}, so that one can say "absent" or "words" of a path alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/profile_reading.h"

/* How two descriptions become one. */
struct merging {
	bool keep_null; /* the result is itself to be merged over another */
	bool inexact;   /* such a result cannot say this */
};

static json_t *merge(struct merging *merging, json_t *base, json_t *over);

/* --- errors ------------------------------------------------------------------------------------ */

/* Where a value stands below `in`, which is known by its address: merging makes no copies but of objects. */
static bool
locate(json_t *in, const json_t *wanted, const char *path, char *out)
{
	char below[WHERE + 24];
	const char *key;
	json_t *value;
	size_t i;

	if (in == wanted) {
		snprintf(out, WHERE, "%s", path);
		return true;
	}
	json_object_foreach(in, key, value) if (locate(value, wanted, document_path(below, WHERE, path, key), out)) return true;
	json_array_foreach(in, i, value)
	{
		snprintf(below, sizeof below, "%s[%zu]", path, i);
		below[WHERE - 1] = '\0';
		if (locate(value, wanted, below, out))
			return true;
	}
	return false;
}

/* The layer that says a value, and where; true, false and null are the same everywhere, and what is missing is nowhere: then
 * the first layer with the member at the root. */
static struct layer *
layer_of(struct reading *reading, const char *where, const json_t *value, char *out)
{
	char member[WHERE];

	if (value != NULL && !json_is_boolean(value) && !json_is_null(value))
		for (size_t i = 0; i < reading->layer_count; i++)
			if (locate(reading->layers[i].root, value, "", out))
				return &reading->layers[i];
	snprintf(member, sizeof member, "%.*s", (int)strcspn(where, ".["), where);
	snprintf(out, WHERE, "%s", where);
	for (size_t i = 0; i < reading->layer_count; i++)
		if (json_object_get(reading->layers[i].root, member) != NULL)
			return &reading->layers[i];
	return &reading->layers[0];
}

bool
reading_refuse(struct reading *reading, const char *where, const json_t *value, const char *format, ...)
{
	char message[400], place[WHERE];
	struct layer *layer = layer_of(reading, where, value, place);
	struct document document = {layer->file, reading->err, layer->bytes.bytes, layer->bytes.length};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	if (!layer->wished)
		return document_refuse(&document, place, value, "%s", message);
	error_set(reading->err, ERROR_USAGE, "%s", message);
	return error_field(reading->err, place, json_string_value(value), json_string_length(value));
}

/* --- merging ----------------------------------------------------------------------------------- */

/* `name` takes the place of what stands there; what merge() makes of nothing is left out. */
static void
put(json_t *object, const char *name, json_t *merged)
{
	if (merged != NULL)
		must(json_object_set_new(object, name, merged) == 0);
}

static json_t *
merge_objects(struct merging *merging, json_t *base, json_t *over)
{
	json_t *result = json_object(), *value;
	const char *key;

	must(result != NULL);
	json_object_foreach(base, key, value) if (json_object_get(over, key) == NULL) put(result, key, json_incref(value));
	json_object_foreach(over, key, value) put(result, key, merge(merging, json_object_get(base, key), value));
	return result;
}

/* A new reference, or NULL for nothing. */
static json_t *
merge(struct merging *merging, json_t *base, json_t *over)
{
	json_t *wrapped, *result;

	if (json_is_null(over))
		return merging->keep_null ? json_incref(over) : NULL;
	if (!json_is_object(over))
		return json_incref(over);
	if (base != NULL && !json_is_object(base))
		merging->inexact = true;
	if ((!json_is_string(base) && !json_is_array(base)) || json_object_get(over, "count") != NULL)
		return merge_objects(merging, json_is_object(base) ? base : NULL, over);
	wrapped = json_object();
	must(wrapped != NULL && json_object_set(wrapped, "path", base) == 0);
	result = merge_objects(merging, wrapped, over);
	json_decref(wrapped);
	return result;
}

/* The own rules come first. */
static json_t *
merge_rules(struct merging *merging, json_t *base, json_t *over)
{
	json_t *result;

	if (json_is_null(base))
		merging->inexact = true;
	if (!json_is_array(base) || !json_is_array(over))
		return merge(merging, NULL, over);
	result = json_array();
	must(result != NULL && json_array_extend(result, over) == 0 && json_array_extend(result, base) == 0);
	return result;
}

static json_t *
merge_roots(struct merging *merging, json_t *base, json_t *over)
{
	json_t *result = merge_objects(merging, base, over), *rules = json_object_get(over, "rules");

	if (rules != NULL && !json_is_null(rules) && json_object_get(base, "rules") != NULL)
		put(result, "rules", merge_rules(merging, json_object_get(base, "rules"), rules));
	return result;
}

/* The first `count` layers. */
static json_t *
merge_layers(struct merging *merging, const struct reading *reading, size_t count)
{
	json_t *result = json_object();

	must(result != NULL);
	for (size_t i = count; i > 0; i--) {
		json_t *merged = merge_roots(merging, result, reading->layers[i - 1].root);

		json_decref(result);
		result = merged;
	}
	(void)json_object_del(result, "extends");
	return result;
}

/* --- the text that is kept --------------------------------------------------------------------- */

static const char *
dump(struct arena *arena, const json_t *value)
{
	char *dumped = json_dumps(value, JSON_COMPACT);
	const char *copy;

	must(dumped != NULL);
	copy = arena_copy(arena, dumped, strlen(dumped));
	free(dumped);
	return copy;
}

/* What was said beside the compiled-in format that is extended, or all of it where there is none, or where null took away
 * what is said anew. */
static void
keep_text(struct reading *reading)
{
	struct merging merging = {.keep_null = true};
	struct profile *profile = reading->profile;
	json_t *own, *text;
	size_t own_count = 0;

	while (own_count < reading->layer_count && !reading->layers[own_count].compiled)
		own_count++;
	own = merge_layers(&merging, reading, own_count);
	text = json_object();
	must(text != NULL);
	if (own_count < reading->layer_count && !merging.inexact) {
		put(text, "extends", json_string(reading->layers[own_count].file));
		must(json_object_update(text, own) == 0);
	} else {
		must(json_object_update(text, reading->merged) == 0);
	}
	profile->text = dump(&profile->arena, text);
	json_decref(own);
	json_decref(text);
}

/* --- layers ------------------------------------------------------------------------------------ */

static bool
is_file(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') != NULL || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static const struct profile_source *
source_find(const char *name)
{
	for (size_t i = 0; i < profile_source_count; i++)
		if (strcmp(profile_sources[i].name, name) == 0)
			return &profile_sources[i];
	return NULL;
}

static bool
suggest_source(struct error *err, const char *name)
{
	enum { SHOWN = 128 };
	const char *names[SHOWN];
	size_t count = profile_source_count < SHOWN ? profile_source_count : SHOWN;

	for (size_t i = 0; i < count; i++)
		names[i] = profile_sources[i].name;
	(void)document_suggest(err, name, names, count);
	if (strncmp(err->hint, "Did you mean", strlen("Did you mean")) == 0)
		return false;
	/* They are too many to be listed in a hint. */
	return error_hint(err, "tollbook formats list names them; the path of a description has a / in it or ends in .json.");
}

/* The layer behind those that are there; its bytes are to be filled. */
static struct layer *
layer_add(struct reading *reading, const char *file)
{
	struct layer *layer;

	must(reading->layer_count < LAYERS_MOST);
	layer = &reading->layers[reading->layer_count++];
	layer->file = memory_new(strlen(file) + 1, 1);
	memcpy(layer->file, file, strlen(file));
	return layer;
}

static bool
layer_parse(struct reading *reading, struct layer *layer)
{
	struct document document = {layer->file, reading->err, layer->bytes.bytes, layer->bytes.length};

	layer->root = document_parse(text_string(&layer->bytes), layer->bytes.length, layer->file, reading->err);
	if (layer->root == NULL)
		return error_wrap(reading->err, "the description of a usage format");
	if (!json_is_object(layer->root))
		return document_refuse(&document, "", layer->root, "the description of a usage format is not a JSON object");
	if (!layer->from_file || json_object_get(layer->root, "tollbook_format") != NULL)
		return true;
	document_refuse(&document, "", NULL, "this is no description of a usage format: \"tollbook_format\" is missing");
	return error_hint(reading->err, "It begins with {\"tollbook_format\": 1, ...");
}

static bool
add_compiled(struct reading *reading, const struct profile_source *source)
{
	struct layer *layer = layer_add(reading, source->name);

	layer->compiled = true;
	text_add_string(&layer->bytes, source->json);
	return layer_parse(reading, layer);
}

static bool
add_file(struct reading *reading, const char *path)
{
	struct layer *layer = layer_add(reading, path);

	layer->from_file = true;
	return document_read(path, &layer->bytes, reading->err) && layer_parse(reading, layer);
}

/* Beside the file that names it. */
static bool
add_file_beside(struct reading *reading, const struct layer *from, const char *name)
{
	const char *slash = strrchr(from->file, '/');
	struct text path = {0};
	bool fine;

	if (name[0] != '/' && slash != NULL)
		text_add(&path, from->file, (size_t)(slash + 1 - from->file));
	text_add_string(&path, name);
	fine = add_file(reading, text_string(&path));
	text_release(&path);
	return fine;
}

/* What the newest layer extends. */
static bool
add_extended(struct reading *reading, bool *more)
{
	struct layer *layer = &reading->layers[reading->layer_count - 1];
	const json_t *extends = json_object_get(layer->root, "extends");
	const char *name = json_string_value(extends);
	const struct profile_source *source;

	*more = extends != NULL;
	if (extends == NULL)
		return true;
	if (name == NULL || name[0] == '\0')
		return reading_refuse(reading, "extends", extends, "what a format extends is not a name or a file");
	if (reading->layer_count == LAYERS_MOST) {
		reading_refuse(reading, "extends", extends, "more than 8 formats that extend one another");
		return error_hint(reading->err, "Formats must not extend one another in a ring.");
	}
	source = source_find(name);
	if (source != NULL)
		return add_compiled(reading, source);
	if (is_file(name) && layer->from_file)
		return add_file_beside(reading, layer, name);
	reading_refuse(reading, "extends", extends, "there is no format \"%s\" to extend", name);
	return suggest_source(reading->err, name);
}

static bool
add_all_extended(struct reading *reading)
{
	bool more = true;

	while (more)
		if (!add_extended(reading, &more))
			return false;
	return true;
}

/* --- wishes ------------------------------------------------------------------------------------ */

/* "NAME=VALUE" as a member of `object`. */
static bool
add_wish(struct reading *reading, const char *option, const char *what, const char *wish, json_t *object)
{
	const char *equal = strchr(wish, '=');
	char name[64];
	json_t *value;

	if (equal == NULL || equal == wish || equal[1] == '\0' || (size_t)(equal - wish) >= sizeof name) {
		error_set(reading->err, ERROR_USAGE, "%s \"%s\" is not NAME=%s", option, wish, what);
		return error_hint(reading->err, "For example: %s tenant=%s", option, what[0] == 'P' ? "metadata/team" : "acme");
	}
	snprintf(name, sizeof name, "%.*s", (int)(equal - wish), wish);
	if (field_find(name) == PROFILE_FIELDS) {
		error_set(reading->err, ERROR_USAGE, "%s names a field that formats do not have: %s", option, name);
		return field_suggest(reading->err, name);
	}
	if (json_object_get(object, name) != NULL)
		return error_set(reading->err, ERROR_USAGE, "%s is given twice for %s", option, name);
	value = json_string(equal + 1);
	if (value == NULL)
		return error_set(reading->err, ERROR_USAGE, "%s %s is not UTF-8", option, name);
	put(object, name, value);
	return true;
}

static bool
add_wish_list(
    struct reading *reading, const char *option, const char *what, const char *const *wishes, size_t count, json_t *object)
{
	for (size_t i = 0; i < count; i++)
		if (!add_wish(reading, option, what, wishes[i], object))
			return false;
	return true;
}

static json_t *
add_object(json_t *root, const char *name)
{
	json_t *object = json_object();

	must(object != NULL);
	put(root, name, object);
	return object;
}

/* As the first layer: what the command line says wins. */
static bool
add_wishes(struct reading *reading, const struct profile_wishes *wishes)
{
	struct layer *layer;

	if (wishes == NULL || wishes->field_count + wishes->constant_count == 0)
		return true;
	layer = layer_add(reading, "the command line");
	layer->wished = true;
	layer->root = json_object();
	must(layer->root != NULL);
	if (wishes->field_count > 0 &&
	    !add_wish_list(reading, "--field", "PATH", wishes->fields, wishes->field_count, add_object(layer->root, "fields")))
		return false;
	return wishes->constant_count == 0 ||
	    add_wish_list(
		reading, "--constant", "TEXT", wishes->constants, wishes->constant_count, add_object(layer->root, "constants"));
}

/* --- the whole --------------------------------------------------------------------------------- */

static void
reading_release(struct reading *reading)
{
	for (size_t i = 0; i < reading->layer_count; i++) {
		json_decref(reading->layers[i].root);
		text_release(&reading->layers[i].bytes);
		free(reading->layers[i].file);
	}
	json_decref(reading->merged);
	free(reading);
}

/* Ends the reading; where all went well so far, and goes on doing so, with a profile. */
static bool
reading_finish(struct reading *reading, bool fine, struct profile **out)
{
	struct merging merging = {0};
	struct profile *profile = memory_new(1, sizeof *profile);

	reading->profile = profile;
	fine = fine && add_all_extended(reading);
	if (fine) {
		reading->merged = merge_layers(&merging, reading, reading->layer_count);
		fine = reading_read(reading);
	}
	if (fine)
		keep_text(reading);
	reading_release(reading);
	*out = fine ? profile : NULL;
	if (!fine)
		profile_free(profile);
	return fine;
}

static bool
add_named(struct reading *reading, const char *name)
{
	const struct profile_source *source = source_find(name);

	if (source != NULL)
		return add_compiled(reading, source);
	if (is_file(name))
		return add_file(reading, name);
	error_set(reading->err, ERROR_USAGE, "there is no format \"%s\"", name);
	return suggest_source(reading->err, name);
}

bool
profile_open(const char *name, const struct profile_wishes *wishes, struct profile **out, struct error *err)
{
	struct reading *reading = memory_new(1, sizeof *reading);

	reading->err = err;
	return reading_finish(reading, add_wishes(reading, wishes) && add_named(reading, name), out);
}

bool
profile_describe(const char *name, struct text *out, struct error *err)
{
	struct reading *reading = memory_new(1, sizeof *reading);
	struct merging merging = {0};
	struct arena arena = {0};
	struct profile *profile;
	bool fine;

	reading->err = err;
	fine = add_named(reading, name) && add_all_extended(reading);
	if (fine) {
		reading->merged = merge_layers(&merging, reading, reading->layer_count);
		text_add_string(out, dump(&arena, reading->merged));
		arena_release(&arena);
		/* What is shown is right, as what is used. */
		fine = profile_open(name, NULL, &profile, err);
	}
	if (fine)
		profile_free(profile);
	reading_release(reading);
	return fine;
}

bool
profile_from_text(const char *text, struct profile **out, struct error *err)
{
	struct reading *reading = memory_new(1, sizeof *reading);
	struct layer *layer = layer_add(reading, "the text of the format");

	reading->err = err;
	text_add_string(&layer->bytes, text);
	return reading_finish(reading, layer_parse(reading, layer), out);
}

void
profile_free(struct profile *profile)
{
	if (profile == NULL)
		return;
	arena_release(&profile->arena);
	free(profile);
}

const char *
profile_text(const struct profile *profile)
{
	return profile->text;
}
