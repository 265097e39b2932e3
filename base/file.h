/*
 * file.h -- whole files: under their final name only when they are complete.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Writes `path` anew, by way of `path`.part beside it: readers see the old content or the new one, never a part. */
MUST_CHECK
bool file_write(const char *path, const char *bytes, size_t length, struct error *err);

#endif
