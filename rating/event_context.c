/* event_context.c -- see event_context.h. */
#include "rating/event_context.h"

#include <string.h>

#include "base/document.h"

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++;
	return at;
}

/* Behind the string whose opening quote is at `at`. */
static const char *
skip_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\')
			at++;
	return at < end ? at + 1 : end;
}

/* Behind the value that begins at `at`; blanks behind a number or word belong to it. */
static const char *
skip_value(const char *at, const char *end)
{
	int depth = 0;

	while (at < end) {
		if (*at == '"') {
			at = skip_string(at, end);
			if (depth == 0)
				return at;
			continue;
		}
		if (depth == 0 && (*at == ',' || *at == '}' || *at == ']'))
			return at;
		if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
		at++;
	}
	return end;
}

static bool
unescape(struct bytes string, struct text *out)
{
	struct text array = {0};
	struct error ignored = {0};
	json_t *root;

	text_add_string(&array, "[");
	text_add(&array, string.at, string.length);
	text_add_string(&array, "]");
	root = document_parse(array.bytes, array.length, "", &ignored);
	text_release(&array);
	if (root == NULL)
		return false;
	text_add(out, json_string_value(json_array_get(root, 0)), json_string_length(json_array_get(root, 0)));
	json_decref(root);
	return true;
}

/* `string` is written with its quotes. */
static bool
is_spelled(struct bytes string, const char *name)
{
	size_t length = strlen(name);
	struct text plain = {0};
	bool same;

	if (string.length < 2 || memchr(string.at, '\\', string.length) == NULL)
		return string.length == length + 2 && memcmp(string.at + 1, name, length) == 0;
	same = unescape(string, &plain) && plain.length == length && memcmp(plain.bytes, name, length) == 0;
	text_release(&plain);
	return same;
}

struct bytes
json_member(struct bytes object, const char *name)
{
	const char *end = object.at + object.length, *at;

	if (object.length == 0 || object.at[0] != '{')
		return (struct bytes){NULL, 0};
	for (at = skip_blanks(object.at + 1, end); at < end && *at == '"'; at = skip_blanks(at, end)) {
		const char *key = at, *key_end = skip_string(at, end), *value;

		value = skip_blanks(key_end, end);
		if (value == end || *value != ':')
			break;
		value = skip_blanks(value + 1, end);
		at = skip_value(value, end);
		if (is_spelled((struct bytes){key, (size_t)(key_end - key)}, name))
			return (struct bytes){value, (size_t)(at - value)};
		at = skip_blanks(at, end);
		if (at < end && *at == ',')
			at++;
	}
	return (struct bytes){NULL, 0};
}

bool
json_text(struct bytes value, struct text *out)
{
	size_t before = out->length;

	if (value.length < 2 || value.at[0] != '"')
		return false;
	if (memchr(value.at, '\\', value.length) == NULL)
		text_add(out, value.at + 1, value.length - 2);
	else if (!unescape(value, out))
		return false;
	if (out->length > before && out->length - before <= CONTEXT_TEXT)
		return true;
	out->length = before;
	return false;
}
