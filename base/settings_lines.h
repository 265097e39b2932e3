/*
 * settings_lines.h -- a file of lines KEY = VALUE, read one after the other: bounded, and with the number of each line.
 *
 * Blank lines and lines that begin with # say nothing.  A line in brackets begins a section: [night], or [source usage].  What stands
 * around the first = belongs to neither side: blanks and tabs are taken away.  A value has no control characters.
 */
#ifndef BASE_SETTINGS_LINES_H
#define BASE_SETTINGS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct settings_lines {
	const char *path; /* borrowed */
	size_t line_most; /* bytes of a line */
	struct text text;
	size_t at;
	uint64_t number;          /* of the line that was read last, from 1 */
	const char *section;      /* NULL, or what is in the brackets of this line; name and value are then NULL */
	const char *name, *value; /* they live until settings_lines_close() */
};

/* Reads the file; larger than `file_most` bytes it is refused.  The error's kind is INPUT. */
MUST_CHECK
bool settings_lines_open(struct settings_lines *lines, const char *path, size_t file_most, size_t line_most, struct error *err);
/* The next line that says something; *more is false behind the last one.  An error of kind INPUT names file and line. */
MUST_CHECK
bool settings_lines_next(struct settings_lines *lines, bool *more, struct error *err);
/* There may have been a secret in the file: nothing of it stays in the memory. */
void settings_lines_close(struct settings_lines *lines);

#endif
