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
		error_column(err, problem.column > 0 ? (uint64_t)problem.column : 0);
	}
	return root;
}

/* --- where ----------------------------------------------------------------------------------- */

/* jansson keeps no positions, so the bytes are read once more.  It accepts no deeper document than this. */
enum { DEEPEST = 2048 };

struct scan {
	const char *bytes;
	size_t length, at;
	const char *path;
	size_t depth;
};

/* The value furthest along the path: what is left of the path behind it, NULL for a value beside it, and where it begins. */
struct reach {
	const char *rest;
	size_t at;
};

static bool scan_value(struct scan *scan, const char *rest, struct reach *out);

static bool
is_among(char byte, const char *set)
{
	return byte != '\0' && strchr(set, byte) != NULL;
}

static void
skip_space(struct scan *scan)
{
	while (scan->at < scan->length && is_among(scan->bytes[scan->at], " \t\r\n"))
		scan->at++;
}

static bool
scan_byte(struct scan *scan, char wanted)
{
	if (scan->at >= scan->length || scan->bytes[scan->at] != wanted)
		return false;
	scan->at++;
	return true;
}

/* What is left of the path behind these bytes; NULL where they are not next.  No path has a NUL in it. */
static const char *
path_behind(const char *rest, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && rest != NULL; i++)
		rest = bytes[i] != '\0' && bytes[i] == *rest ? rest + 1 : NULL;
	return rest;
}

static bool
scan_hex(struct scan *scan, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	if (scan->length - scan->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char byte = scan->bytes[scan->at++];
		const char *digit = strchr(digits, byte >= 'A' && byte <= 'F' ? byte - 'A' + 'a' : byte);

		if (byte == '\0' || digit == NULL)
			return false;
		*out = *out << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

static size_t
utf8_of(uint32_t point, char *out)
{
	size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
	const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};

	for (size_t i = more; i > 0; i--, point >>= 6)
		out[i] = (char)(0x80 | (point & 0x3f));
	out[0] = (char)(first[more] | point);
	return more + 1;
}

/* Behind the backslash. */
static bool
scan_escape(struct scan *scan, const char **rest)
{
	static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *name;
	char bytes[4];
	uint32_t point, low;

	if (scan->at >= scan->length)
		return false;
	bytes[0] = scan->bytes[scan->at++];
	name = strchr(names, bytes[0]);
	if (name != NULL && bytes[0] != '\0')
		bytes[0] = meant[name - names];
	if (bytes[0] != 'u') {
		*rest = path_behind(*rest, bytes, 1);
		return true;
	}
	if (!scan_hex(scan, &point))
		return false;
	if (point >= 0xd800 && point < 0xdc00) {
		if (!scan_byte(scan, '\\') || !scan_byte(scan, 'u') || !scan_hex(scan, &low))
			return false;
		point = 0x10000 + ((point - 0xd800) << 10 | (low & 0x3ff));
	}
	*rest = path_behind(*rest, bytes, utf8_of(point, bytes));
	return true;
}

/* A text, compared with what is left of the path. */
static bool
scan_text(struct scan *scan, const char **rest)
{
	if (!scan_byte(scan, '"'))
		return false;
	while (scan->at < scan->length && scan->bytes[scan->at] != '"') {
		const char *byte = &scan->bytes[scan->at++];

		if (*byte != '\\')
			*rest = path_behind(*rest, byte, 1);
		else if (!scan_escape(scan, rest))
			return false;
	}
	return scan_byte(scan, '"');
}

static bool
scan_member(struct scan *scan, const char *rest, size_t *longest, struct reach *out)
{
	const char *key = rest, *behind;
	struct reach reach;

	/* as document_path() joins them */
	if (rest != NULL && rest != scan->path)
		key = *rest == '.' ? rest + 1 : NULL;
	behind = key;
	skip_space(scan);
	if (!scan_text(scan, &behind))
		return false;
	if (behind != NULL && *behind != '\0' && !is_among(*behind, ".["))
		behind = NULL;
	skip_space(scan);
	if (!scan_byte(scan, ':') || !scan_value(scan, behind, &reach))
		return false;
	if (reach.rest == NULL || reach.rest < out->rest || (reach.rest == out->rest && (size_t)(behind - key) <= *longest))
		return true;
	*longest = (size_t)(behind - key);
	*out = reach;
	return true;
}

/* The index that the path has next, and what is left of the path behind it. */
static const char *
path_index(const char *rest, size_t *index)
{
	size_t digits;

	*index = 0;
	if (rest == NULL || *rest != '[')
		return NULL;
	digits = strspn(rest + 1, "0123456789");
	if (digits == 0 || digits > 9 || rest[digits + 1] != ']')
		return NULL;
	for (size_t i = 1; i <= digits; i++)
		*index = *index * 10 + (size_t)(rest[i] - '0');
	return rest + digits + 2;
}

/* What stands between the brackets. */
static bool
scan_members(struct scan *scan, char end, const char *rest, struct reach *out)
{
	size_t wanted, longest = 0;
	const char *behind = path_index(rest, &wanted);
	struct reach reach;

	skip_space(scan);
	if (scan_byte(scan, end))
		return true;
	for (size_t i = 0;; i++) {
		if (end == '}' && !scan_member(scan, rest, &longest, out))
			return false;
		if (end == ']' && !scan_value(scan, i == wanted ? behind : NULL, &reach))
			return false;
		if (end == ']' && reach.rest != NULL)
			*out = reach;
		skip_space(scan);
		if (scan_byte(scan, end))
			return true;
		if (!scan_byte(scan, ','))
			return false;
	}
}

static bool
scan_word(struct scan *scan)
{
	size_t from = scan->at;

	while (scan->at < scan->length && !is_among(scan->bytes[scan->at], ",]} \t\r\n"))
		scan->at++;
	return scan->at > from;
}

static bool
scan_value(struct scan *scan, const char *rest, struct reach *out)
{
	const char *unused = NULL;
	bool fine;

	skip_space(scan);
	*out = (struct reach){rest, scan->at};
	if (scan->at < scan->length && scan->bytes[scan->at] == '"')
		return scan_text(scan, &unused);
	if (++scan->depth > DEEPEST)
		return false;
	if (scan_byte(scan, '{'))
		fine = scan_members(scan, '}', rest, out);
	else if (scan_byte(scan, '['))
		fine = scan_members(scan, ']', rest, out);
	else
		fine = scan_word(scan);
	scan->depth--;
	return fine;
}

bool
document_where(const char *bytes, size_t length, const char *path, size_t *line, size_t *column)
{
	struct scan scan = {.bytes = bytes, .length = length, .path = path};
	struct reach reach;

	if (!scan_value(&scan, path, &reach))
		return false;
	*line = *column = 1;
	for (size_t i = 0; i < reach.at; i++) {
		if (bytes[i] == '\n') {
			(*line)++;
			*column = 1;
		} else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
			(*column)++;
		}
	}
	return true;
}

/* --- reading --------------------------------------------------------------------------------- */

bool
document_at(const struct document *document, const char *path)
{
	size_t line = 0, column = 0;

	if (document->bytes != NULL && !document_where(document->bytes, document->length, path, &line, &column))
		line = column = 0;
	error_at(document->err, document->file, line);
	return error_column(document->err, column);
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
	document_at(document, path);
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
	enum { WORD = 4 };
	size_t best = SIZE_MAX, nearest = 0, used = 0, length = strlen(name);
	char list[400] = "";

	for (size_t i = 0; i < count; i++) {
		size_t off = distance(name, names[i]);

		/* Nothing is nearer than what begins with it. */
		if (length >= WORD && strncmp(name, names[i], length) == 0)
			off = 1;
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
