/* settings_lines.c -- see settings_lines.h. */
#include "base/settings_lines.h"

#include <stdlib.h>

#include "base/document.h"

bool
settings_lines_open(struct settings_lines *lines, const char *path, size_t file_most, size_t line_most, struct error *err)
{
	*lines = (struct settings_lines){.path = path, .line_most = line_most};
	if (document_read(path, &lines->text, err)) {
		if (lines->text.length <= file_most)
			return true;
		error_set(err, ERROR_INPUT, "the file is larger than %zu bytes", file_most);
		(void)error_at(err, path, 0);
	}
	settings_lines_close(lines);
	return false;
}

void
settings_lines_close(struct settings_lines *lines)
{
	if (lines->text.bytes != NULL)
		explicit_bzero(lines->text.bytes, lines->text.capacity);
	text_release(&lines->text);
}

static char *
trimmed(char *from, char *end)
{
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	while (end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	return from;
}

/* What is wrong with the bytes of a line, before anything is read from it; a tab is a blank. */
static bool
check_bytes(const struct settings_lines *lines, const char *line, size_t length, struct error *err)
{
	if (length > lines->line_most)
		return error_set(err, ERROR_INPUT, "the line is longer than %zu bytes", lines->line_most);
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)line[i];

		if ((byte >= 0x20 && byte != 0x7f) || byte == '\t' || (byte == '\r' && i + 1 == length))
			continue;
		return error_set(err, ERROR_INPUT, "the line has a control character, 0x%02x, as byte %zu", byte, i + 1);
	}
	return true;
}

static bool
read_section(struct settings_lines *lines, char *line, char *end, struct error *err)
{
	if (end[-1] != ']') {
		error_set(err, ERROR_INPUT, "a section is [NAME], with nothing behind the bracket");
		return error_field(err, "section", line, (size_t)(end - line));
	}
	lines->section = trimmed(line + 1, end - 1);
	return true;
}

/* The bytes from `line` to `end`, where a NUL may be put. */
static bool
read_line(struct settings_lines *lines, char *line, char *end, struct error *err)
{
	char *equals;

	line = trimmed(line, end);
	end = line + strlen(line);
	if (line[0] == '\0' || line[0] == '#')
		return true;
	if (line[0] == '[')
		return read_section(lines, line, end, err);
	equals = strchr(line, '=');
	if (equals == NULL || equals == line)
		return error_set(err, ERROR_INPUT, "not a setting: KEY=VALUE is");
	lines->value = trimmed(equals + 1, end);
	lines->name = trimmed(line, equals);
	return true;
}

bool
settings_lines_next(struct settings_lines *lines, bool *more, struct error *err)
{
	lines->section = lines->name = lines->value = NULL;
	while (lines->at < lines->text.length && lines->section == NULL && lines->name == NULL) {
		char *line = lines->text.bytes + lines->at, *end = memchr(line, '\n', lines->text.length - lines->at);

		if (end == NULL)
			end = lines->text.bytes + lines->text.length;
		lines->at += (size_t)(end - line) + 1;
		lines->number++;
		if (!check_bytes(lines, line, (size_t)(end - line), err) || !read_line(lines, line, end, err))
			return error_at(err, lines->path, lines->number);
	}
	*more = lines->section != NULL || lines->name != NULL;
	return true;
}
