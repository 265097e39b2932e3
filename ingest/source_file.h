/*
 * source_file.h -- the bytes of a file, or of standard input ("-"), decompressed where they are gzip or Zstandard.
 *
 * The kind is told by the first bytes, not by the name.  Members and frames that follow each other are one content.  A
 * compressed file that ends too early or is damaged is an error, never a shorter content.
 */
#ifndef INGEST_SOURCE_FILE_H
#define INGEST_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

struct source_file;

MUST_CHECK
bool source_file_open(const char *path, struct source_file **out, struct error *err);
/* At most `size` bytes of content; *got is 0 at its end.  A plain file may be asked again after it has grown. */
MUST_CHECK
bool source_file_read(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err);
/* SHA-256 and length of the whole content, which can then be read from its beginning.  Not for standard input and other
 * streams that can be read only once. */
MUST_CHECK
bool source_file_digest(struct source_file *file, unsigned char out[DIGEST_SIZE], uint64_t *length, struct error *err);
/* From another thread: a read that waits for bytes, and every later one that would, is an error.  Nobody else is told of it. */
void source_file_stop(struct source_file *file);
void source_file_close(struct source_file *file);

#endif
