/* format_marks.c -- see format_marks.h. */
#include "ingest/format_marks.h"

#include "base/json_reader.h"

enum { PATH_BYTES = 256, DEEPEST = 12, MARKS_MOST = 64 /* of a format: bits of what was seen */ };

struct mark {
	const char *format, *path;
	const char *value; /* a text, or "" for any value */
};

static const struct mark marks[] = {
#define FORMAT_MARK(format, path, value) {format, path, value},
#include "ingest/format_marks.def"
#undef FORMAT_MARK
};

struct own_mark {
	const struct mark *mark;
	size_t length; /* of its path */
};

struct search {
	struct own_mark own[MARKS_MOST]; /* of the format */
	unsigned count;
	struct arena *arena;
	uint64_t seen;
	char path[PATH_BYTES]; /* of the value at hand, from the top; each key behind a "/" */
	size_t length;
};

static void search_text(struct search *search, struct bytes text);

/* The path's last steps are the mark's. */
static bool
ends_with(const struct search *search, const struct own_mark *own)
{
	size_t length = own->length;

	return search->length > length && search->path[search->length - length - 1] == '/' &&
	    memcmp(search->path + search->length - length, own->mark->path, length) == 0;
}

static bool
has_value(const struct mark *mark, const struct json_value *value)
{
	return mark->value[0] == '\0' ||
	    (value->type == VALUE_STRING && value->text.length == strlen(mark->value) &&
		memcmp(value->text.at, mark->value, value->text.length) == 0);
}

static void
look(struct search *search, const struct json_value *value)
{
	for (unsigned i = 0; i < search->count; i++)
		if (ends_with(search, &search->own[i]) && has_value(search->own[i].mark, value))
			search->seen |= UINT64_C(1) << i;
}

/* Appends a step; false where the path gets too long to be looked for. */
static bool
step(struct search *search, struct bytes key)
{
	if (key.length + 1 > PATH_BYTES - search->length)
		return false;
	search->path[search->length++] = '/';
	memcpy(search->path + search->length, key.at, key.length);
	search->length += key.length;
	return true;
}

static void
search_value(struct search *search, struct json_reader *reader, int depth)
{
	size_t length = search->length;
	struct json_value value;
	struct bytes key;

	if (!json_value(reader, &value))
		return;
	look(search, &value);
	if (value.type == VALUE_STRING && length > 0)
		search_text(search, value.text);
	if (value.type == VALUE_ARRAY && depth < DEEPEST)
		while (json_item(reader))
			search_value(search, reader, depth + 1);
	else if (value.type == VALUE_OBJECT && depth < DEEPEST)
		while (json_key(reader, &key)) {
			if (step(search, key))
				search_value(search, reader, depth + 1);
			else
				(void)json_skip(reader, NULL);
			search->length = length;
		}
	else if (value.type == VALUE_ARRAY || value.type == VALUE_OBJECT)
		(void)json_leave(reader);
}

static void
search_json(struct search *search, struct bytes text)
{
	struct json_reader reader;

	json_begin(&reader, text.at, text.length, 0, search->arena);
	search_value(search, &reader, 0);
}

/* Data lines of a stream; the path goes on behind that of the text they stand in. */
static void
search_text(struct search *search, struct bytes text)
{
	static const char data[] = "data:";
	size_t length = search->length;

	while (text.length > 0) {
		const char *end = memchr(text.at, '\n', text.length);
		size_t line = end == NULL ? text.length : (size_t)(end - text.at);

		if (line >= sizeof data && memcmp(text.at, data, sizeof data - 1) == 0)
			search_json(search, (struct bytes){text.at + sizeof data - 1, line - (sizeof data - 1)});
		search->length = length;
		text.at += line + (end != NULL);
		text.length -= line + (end != NULL);
	}
}

void
format_marks_find(const char *format, struct bytes raw, struct arena *arena, uint64_t *seen)
{
	struct search search;

	search.count = 0;
	search.length = 0;
	search.arena = arena;
	search.seen = 0;
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		if (strcmp(marks[i].format, format) != 0)
			continue;
		must(search.count < MARKS_MOST);
		search.own[search.count++] = (struct own_mark){&marks[i], strlen(marks[i].path)};
	}
	search_json(&search, raw);
	search.length = 0;
	search_text(&search, raw);
	*seen |= search.seen;
}

void
format_marks_show(const char *format, uint64_t seen, struct text *out)
{
	unsigned bit = 0;

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		if (strcmp(marks[i].format, format) != 0)
			continue;
		if ((seen >> bit++ & 1) != 0)
			text_add_format(out, "%s%s%s%s", out->length > 0 ? ", " : "", marks[i].path,
			    marks[i].value[0] == '\0' ? "" : " = ", marks[i].value);
	}
}
