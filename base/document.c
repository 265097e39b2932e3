/* document.c -- see document.h. */
#include "base/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
read_stream(FILE *stream, const char *path, struct text *out, struct error *err)
{
	char part[1 << 14];
	size_t length;

	while ((length = fread(part, 1, sizeof part, stream)) > 0) {
		text_add(out, part, length);
		if (out->length > DOCUMENT_BYTES) {
			error_set(err, ERROR_INPUT, "the file is larger than %d bytes", DOCUMENT_BYTES);
			return error_at(err, path, 0);
		}
	}
	if (ferror(stream) == 0)
		return true;
	error_set(err, ERROR_INPUT, "the file cannot be read: %s", strerror(errno));
	return error_at(err, path, 0);
}

bool
document_read(const char *path, struct text *out, struct error *err)
{
	bool is_input = strcmp(path, "-") == 0, fine;
	FILE *stream = is_input ? stdin : fopen(path, "rb");

	text_clear(out);
	if (stream == NULL) {
		error_set(err, ERROR_INPUT, "the file cannot be opened: %s", strerror(errno));
		return error_at(err, path, 0);
	}
	fine = read_stream(stream, path, out, err);
	if (!is_input)
		(void)fclose(stream);
	if (fine)
		text_add(out, "", 0);
	return fine;
}

json_t *
document_parse(const char *bytes, size_t length, const char *file, struct error *err)
{
	json_error_t problem;
	json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &problem);

	if (root == NULL) {
		error_set(err, ERROR_INPUT, "not JSON: %s", problem.text);
		error_at(err, file, problem.line > 0 ? (uint64_t)problem.line : 0);
	}
	return root;
}

bool
document_refuse(const struct document *document, const char *path, const json_t *value, const char *format, ...)
{
	char *shown = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	error_set(document->err, ERROR_INPUT, "%s", message);
	error_at(document->err, document->file, 0);
	error_field(document->err, path, shown == NULL ? "" : shown, shown == NULL ? 0 : strlen(shown));
	free(shown);
	return false;
}

const char *
document_path(char *out, size_t size, const char *path, const char *key)
{
	snprintf(out, size, "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
	return out;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein distance of short names. */
static size_t
distance(const char *a, const char *b)
{
	enum { LONGEST = 64 };
	size_t row[LONGEST + 1], length_a = strlen(a), length_b = strlen(b);

	if (length_a > LONGEST || length_b > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= length_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t changed = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = least(changed, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[length_b];
}

bool
document_suggest(struct error *err, const char *name, const char *const *names, size_t count)
{
	size_t best = SIZE_MAX, nearest = 0, used = 0;
	char list[400] = "";

	for (size_t i = 0; i < count; i++) {
		size_t off = distance(name, names[i]);

		if (off < best) {
			best = off;
			nearest = i;
		}
		if (used + strlen(names[i]) + 3 < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	if (count > 0 && best <= strlen(names[nearest]) / 3 + 1)
		return error_hint(err, "Did you mean \"%s\"?", names[nearest]);
	return error_hint(err, "It can be one of: %s.", list);
}

bool
document_keys(const struct document *document, json_t *object, const char *path, const char *const *names, size_t count)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		char field[96];
		size_t i = 0;

		while (i < count && strcmp(names[i], key) != 0)
			i++;
		if (i < count)
			continue;
		document_refuse(document, document_path(field, sizeof field, path, key), value, "there is no such key here");
		return document_suggest(document->err, key, names, count);
	}
	return true;
}

static bool
is_clean(const char *text, size_t length, size_t most)
{
	if (length == 0 || length > most)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

bool
document_text(const struct document *document, json_t *object, const char *path, const char *key, bool required, size_t most,
    const char **out)
{
	const json_t *value = json_object_get(object, key);
	char field[96];

	*out = NULL;
	document_path(field, sizeof field, path, key);
	if (value == NULL && !required)
		return true;
	if (value == NULL)
		return document_refuse(document, field, object, "\"%s\" is missing", key);
	if (!json_is_string(value) || !is_clean(json_string_value(value), json_string_length(value), most))
		return document_refuse(
		    document, field, value, "\"%s\" must be a text of 1 to %zu bytes without control characters", key, most);
	*out = json_string_value(value);
	return true;
}
