/*
 * mapping_file.c -- the mapping's JSON, read strictly and written; see mapping.h.
 *
 * The file is small and a person wrote it, so it is a document (base/document.h).  What the functions ending in _new are
 * given is theirs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "ingest/mapping.h"

enum { MINUTE = 60 };

static const struct {
	const char *name;
	int64_t ns;
} units[] = {{"seconds", 1000000000}, {"milliseconds", 1000000}, {"microseconds", 1000}, {"nanoseconds", 1}};

static const char local_format[] = "YYYY-MM-DD HH:MM:SS";

static bool read_root(const struct document *document, json_t *root, struct mapping *out);
static bool read_columns(const struct document *document, json_t *columns, struct mapping *out);
static bool read_constants(const struct document *document, json_t *constants, struct mapping *out);
static bool read_time(const struct document *document, json_t *time, struct time_spec *out);
static bool check_complete(const struct document *document, const struct mapping *mapping);

bool
mapping_parse(const char *json, size_t length, const char *file, struct mapping *out, struct error *err)
{
	struct document document = {file, err, json, length};
	json_t *root = document_parse(json, length, file, err);
	bool fine;

	*out = (struct mapping){.delimiter = ',', .header = true};
	if (root == NULL)
		return error_wrap(err, "the mapping");
	fine = read_root(&document, root, out) && check_complete(&document, out);
	json_decref(root);
	if (!fine)
		mapping_release(out);
	return fine;
}

bool
mapping_load(const char *path, struct mapping *out, struct error *err)
{
	struct text text = {0};
	bool fine = document_read(path, &text, err) && mapping_parse(text_string(&text), text.length, path, out, err);

	text_release(&text);
	return fine;
}

static bool
read_delimiter(const struct document *document, const json_t *value, char *out)
{
	const char *text = json_string_value(value);

	if (value == NULL)
		return true;
	if (text == NULL || json_string_length(value) != 1 || strchr("\"\r\n", text[0]) != NULL || (unsigned char)text[0] > 0x7e)
		return document_refuse(
		    document, "delimiter", value, "the delimiter is not one ASCII character, or a quote or line end");
	*out = text[0];
	return true;
}

static bool
read_width(const struct document *document, const json_t *value, struct mapping *out)
{
	if (value == NULL)
		return true;
	if (out->header)
		return document_refuse(document, "width", value, "the width is set by the header");
	if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > CSV_COLUMNS)
		return document_refuse(
		    document, "width", value, "the width is not a number of columns from 1 to %d", CSV_COLUMNS);
	out->width = (size_t)json_integer_value(value);
	return true;
}

static bool
read_root(const struct document *document, json_t *root, struct mapping *out)
{
	const json_t *format, *header;

	if (!json_is_object(root))
		return document_refuse(document, "", root, "the mapping is not a JSON object");
	if (!DOCUMENT_KEYS(document, root, "", "format", "delimiter", "header", "width", "columns", "constants", "time"))
		return false;
	format = json_object_get(root, "format");
	header = json_object_get(root, "header");
	if (!json_is_string(format) || strcmp(json_string_value(format), "csv") != 0)
		return document_refuse(document, "format", format, "the mapping's format is not \"csv\"");
	if (header != NULL && !json_is_boolean(header))
		return document_refuse(
		    document, "header", header, "the mapping does not say whether there is a header: true or false");
	out->header = header == NULL || json_is_true(header);
	return read_delimiter(document, json_object_get(root, "delimiter"), &out->delimiter) &&
	    read_width(document, json_object_get(root, "width"), out) &&
	    read_columns(document, json_object_get(root, "columns"), out) &&
	    read_constants(document, json_object_get(root, "constants"), out) &&
	    read_time(document, json_object_get(root, "time"), &out->time);
}

/* The short form's field that a key of columns or constants names, or SHORT_FIELDS with the error set. */
static enum short_field
find_field(const struct document *document, const char *path, const char *key, const json_t *value)
{
	const char *names[SHORT_FIELDS];
	enum short_field field = short_field_find(bytes_of(key));

	if (field == SHORT_FIELDS) {
		for (int i = 0; i < SHORT_FIELDS; i++)
			names[i] = short_field_name((enum short_field)i);
		document_refuse(document, path, value, "the mapping names a field that the short form does not have");
		(void)document_suggest(document->err, key, names, SHORT_FIELDS);
	}
	return field;
}

static bool
read_column(const struct document *document, const char *path, enum short_field field, const json_t *value, struct mapping *out)
{
	json_int_t number = json_integer_value(value);

	if (out->header) {
		if (!json_is_string(value) || json_string_length(value) == 0)
			return document_refuse(document, path, value, "the column is not named as the header names it");
		out->name[field] = arena_copy(&out->arena, json_string_value(value), json_string_length(value));
		return true;
	}
	if (!json_is_integer(value) || number < 1 || number > CSV_COLUMNS)
		return document_refuse(document, path, value, "without a header a column is a number from 1 to %d", CSV_COLUMNS);
	if (out->width > 0 && (size_t)number > out->width)
		return document_refuse(document, path, value, "the column is beyond the width of %zu", out->width);
	out->column[field] = (size_t)number;
	out->wanted[number - 1] = true;
	return true;
}

static bool
read_columns(const struct document *document, json_t *columns, struct mapping *out)
{
	const char *key;
	json_t *value;

	if (!json_is_object(columns) || json_object_size(columns) == 0)
		return document_refuse(
		    document, "columns", columns, "the mapping has no columns: fields of the short form and where they are");
	json_object_foreach(columns, key, value)
	{
		char path[96];
		enum short_field field;

		document_path(path, sizeof path, "columns", key);
		field = find_field(document, path, key, value);
		if (field == SHORT_FIELDS || !read_column(document, path, field, value, out))
			return false;
	}
	return true;
}

static bool
read_constant(const struct document *document, const char *path, enum short_field field, const json_t *value, struct mapping *out)
{
	char number[32];
	const char *text = json_string_value(value);

	if (out->name[field] != NULL || out->column[field] > 0)
		return document_refuse(document, path, value, "the field is both a column and a constant");
	if (field == SHORT_idempotency_key)
		return document_refuse(document, path, value, "one key for all rows would make them one event");
	if (short_field_kind(field) == SHORT_KIND_COUNT && json_is_integer(value) && json_integer_value(value) >= 0) {
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		text = number;
	} else if (short_field_kind(field) == SHORT_KIND_COUNT) {
		return document_refuse(document, path, value, "the constant is not a whole number");
	} else if (text == NULL || text[0] == '\0') {
		return document_refuse(document, path, value, "the constant is not a text");
	}
	out->constants.values[field] =
	    (struct json_value){short_field_kind(field) == SHORT_KIND_COUNT ? VALUE_NUMBER : VALUE_STRING,
		{arena_copy(&out->arena, text, strlen(text)), strlen(text)}};
	out->constants.stated |= 1U << field;
	return true;
}

static bool
read_constants(const struct document *document, json_t *constants, struct mapping *out)
{
	const char *key;
	json_t *value;

	if (constants == NULL)
		return true;
	if (!json_is_object(constants))
		return document_refuse(document, "constants", constants, "the constants are not an object of fields and values");
	json_object_foreach(constants, key, value)
	{
		char path[96];
		enum short_field field;

		document_path(path, sizeof path, "constants", key);
		field = find_field(document, path, key, value);
		if (field == SHORT_FIELDS || !read_constant(document, path, field, value, out))
			return false;
	}
	return true;
}

/* "UTC", "Z", or an offset such as +05:30. */
static bool
read_zone(const struct document *document, const json_t *value, int *minutes)
{
	const char *text = json_string_value(value);
	const char *digits = "+HH:MM";
	int sign, hour, minute;

	if (text != NULL && (strcmp(text, "UTC") == 0 || strcmp(text, "Z") == 0)) {
		*minutes = 0;
		return true;
	}
	if (text == NULL || strlen(text) != strlen(digits) || (text[0] != '+' && text[0] != '-') || text[3] != ':' ||
	    strspn(text + 1, "0123456789") != 2 || strspn(text + 4, "0123456789") != 2)
		return document_refuse(document, "time.zone", value, "the zone is not \"UTC\" or an offset such as \"+02:00\"");
	sign = text[0] == '-' ? -1 : 1;
	hour = (text[1] - '0') * 10 + (text[2] - '0');
	minute = (text[4] - '0') * 10 + (text[5] - '0');
	if (hour > 23 || minute >= MINUTE)
		return document_refuse(document, "time.zone", value, "there is no such offset");
	*minutes = sign * (hour * MINUTE + minute);
	return true;
}

static bool
read_number_time(const struct document *document, json_t *time, struct time_spec *out)
{
	const char *const unit_names[] = {units[0].name, units[1].name, units[2].name, units[3].name};
	const json_t *unit = json_object_get(time, "unit"), *epoch = json_object_get(time, "epoch");
	const char *text = json_string_value(unit);
	size_t i = 0;

	if (!DOCUMENT_KEYS(document, time, "time", "unit", "epoch"))
		return false;
	while (text != NULL && i < 4 && strcmp(units[i].name, text) != 0)
		i++;
	if (text == NULL || i == 4) {
		document_refuse(document, "time.unit", unit, "the unit of time is not known");
		return document_suggest(document->err, text == NULL ? "" : text, unit_names, 4);
	}
	out->form = TIME_NUMBER;
	out->unit_ns = units[i].ns;
	if (epoch == NULL)
		return true;
	if (!json_is_string(epoch) ||
	    instant_parse(json_string_value(epoch), json_string_length(epoch), 1, &out->epoch) != INSTANT_OK)
		return document_refuse(document, "time.epoch", epoch, "the epoch is not a time such as \"1970-01-01T00:00:00Z\"");
	return true;
}

static bool
read_time(const struct document *document, json_t *time, struct time_spec *out)
{
	const json_t *format;

	*out = (struct time_spec){.form = TIME_RFC3339};
	if (time == NULL)
		return true;
	if (!json_is_object(time))
		return document_refuse(document, "time", time, "the mapping's time is not an object with a unit or a format");
	format = json_object_get(time, "format");
	if (format == NULL)
		return read_number_time(document, time, out);
	if (!DOCUMENT_KEYS(document, time, "time", "format", "zone"))
		return false;
	if (json_is_string(format) && strcmp(json_string_value(format), local_format) == 0) {
		out->form = TIME_LOCAL;
		return read_zone(document, json_object_get(time, "zone"), &out->offset_minutes);
	}
	if (!json_is_string(format) || strcmp(json_string_value(format), "rfc3339") != 0)
		return document_refuse(
		    document, "time.format", format, "the format of times is neither \"rfc3339\" nor \"%s\"", local_format);
	if (json_object_get(time, "zone") != NULL)
		return document_refuse(
		    document, "time.zone", json_object_get(time, "zone"), "times in RFC 3339 have a zone of their own");
	return true;
}

/* What no row could be accepted without is asked for here, once. */
static bool
check_complete(const struct document *document, const struct mapping *mapping)
{
	bool counts = false;

	for (int i = 0; i < SHORT_FIELDS; i++)
		counts = counts ||
		    (short_field_kind((enum short_field)i) == SHORT_KIND_COUNT && mapping_has(mapping, (enum short_field)i));
	if (!mapping_has(mapping, SHORT_tenant))
		document_refuse(document, "tenant", NULL, "the mapping does not say whose usage it is");
	else if (!mapping_has(mapping, SHORT_time))
		document_refuse(document, "time", NULL, "the mapping does not say when usage was");
	else if (!mapping_has(mapping, SHORT_model) && !mapping_has(mapping, SHORT_adapter))
		document_refuse(document, "model", NULL, "the mapping does not say which model was used");
	else if (!counts)
		document_refuse(document, "input_tokens", NULL, "the mapping has no quantity");
	else
		return true;
	return error_hint(document->err, "Name a column under \"columns\", or a value for all rows under \"constants\".");
}

static bool
bind_column(struct mapping *mapping, enum short_field field, const struct csv_row *header, const struct document *document)
{
	const char *names[CSV_COLUMNS];
	struct bytes wanted = bytes_of(mapping->name[field]);
	size_t count = csv_row_columns(header);
	char path[96];

	document_path(path, sizeof path, "columns", short_field_name(field));
	for (size_t i = 0; i < count; i++) {
		struct bytes cell = csv_row_cell(header, i);

		names[i] = cell.at;
		if (cell.length != wanted.length || memcmp(cell.at, wanted.at, wanted.length) != 0)
			continue;
		if (mapping->column[field] > 0) {
			error_set(document->err, ERROR_INPUT, "the header has the column twice");
			error_at(document->err, document->file, 1);
			return error_field(document->err, path, wanted.at, wanted.length);
		}
		mapping->column[field] = i + 1;
		mapping->wanted[i] = true;
	}
	if (mapping->column[field] > 0)
		return true;
	error_set(document->err, ERROR_INPUT, "the header does not have the column that the mapping names");
	error_at(document->err, document->file, 1);
	error_field(document->err, path, wanted.at, wanted.length);
	return document_suggest(document->err, mapping->name[field], names, count);
}

bool
mapping_bind(struct mapping *mapping, const struct csv_row *header, const char *file, struct error *err)
{
	struct document document = {.file = file, .err = err};

	must(mapping->header);
	for (int i = 0; i < SHORT_FIELDS; i++)
		if (mapping->name[i] != NULL && !bind_column(mapping, (enum short_field)i, header, &document))
			return false;
	mapping->header = false;
	mapping->width = csv_row_columns(header);
	return true;
}

static json_t *
time_format(const struct time_spec *spec)
{
	char epoch[INSTANT_TEXT], zone[16];
	int minutes = spec->offset_minutes < 0 ? -spec->offset_minutes : spec->offset_minutes;
	size_t i = 0;

	switch (spec->form) {
	case TIME_RFC3339:
		return json_pack("{s:s}", "format", "rfc3339");
	case TIME_LOCAL:
		snprintf(
		    zone, sizeof zone, "%c%02d:%02d", spec->offset_minutes < 0 ? '-' : '+', minutes / MINUTE, minutes % MINUTE);
		return json_pack("{s:s, s:s}", "format", local_format, "zone", zone);
	case TIME_NUMBER:
		break;
	}
	while (units[i].ns != spec->unit_ns)
		i++;
	return json_pack("{s:s, s:s}", "unit", units[i].name, "epoch", instant_format(spec->epoch, epoch));
}

static json_t *
constant_format(const struct json_value *value)
{
	if (value->type == VALUE_NUMBER)
		return json_loadb(value->text.at, value->text.length, JSON_DECODE_ANY, NULL);
	return json_stringn(value->text.at, value->text.length);
}

const char *
mapping_format(const struct mapping *mapping, struct arena *arena)
{
	json_t *root, *columns = json_object(), *constants = json_object();
	const char delimiter[2] = {mapping->delimiter, '\0'};
	const char *made;
	char *text;

	must(!mapping->header && columns != NULL && constants != NULL);
	for (int i = 0; i < SHORT_FIELDS; i++) {
		const char *name = short_field_name((enum short_field)i);

		if (mapping->column[i] > 0)
			must(json_object_set_new(columns, name, json_integer((json_int_t)mapping->column[i])) == 0);
		if ((mapping->constants.stated >> i & 1) != 0)
			must(json_object_set_new(constants, name, constant_format(&mapping->constants.values[i])) == 0);
	}
	root = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "format", "csv", "delimiter", delimiter, "header", 0, "columns",
	    columns, "constants", constants, "time", time_format(&mapping->time));
	must(root != NULL);
	if (mapping->width > 0)
		must(json_object_set_new(root, "width", json_integer((json_int_t)mapping->width)) == 0);
	text = json_dumps(root, JSON_COMPACT);
	must(text != NULL);
	made = arena_copy(arena, text, strlen(text));
	free(text);
	json_decref(root);
	return made;
}
