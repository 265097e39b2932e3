/*
 * file.h -- whole files: under their final name only when they are complete.
 *
 * They are written to `path`.part beside it: readers see the old content or the new one, never a part.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

/* Writes `path` anew. */
MUST_CHECK
bool file_write(const char *path, const char *bytes, size_t length, struct error *err);

/* A file that is written bit by bit, with stdio, to `stream`; the stream remembers a write that failed. */
struct new_file {
	const char *path; /* borrowed */
	FILE *stream;
	struct text part; /* its name until it is complete */
};
MUST_CHECK
bool file_begin(struct new_file *file, const char *path, struct error *err);
/* Gives it its name; or, where a write failed, takes it away. */
MUST_CHECK
bool file_end(struct new_file *file, struct error *err);
/* Takes it away. */
void file_abandon(struct new_file *file);

#endif
