/*
 * zstandard.h -- bytes compressed with Zstandard (RFC 8878), bit by bit.
 *
 * This is the only file that knows libzstd.  Frames carry a checksum of their content.
 */
#ifndef BASE_ZSTANDARD_H
#define BASE_ZSTANDARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

struct zstandard_writer;

/* One frame.  `level` is 1 (fast) to 19 (small). */
struct zstandard_writer *zstandard_writer_new(int level);
/* Compresses these bytes; what comes of it is appended to `out`, later or now.  `end` ends the frame: then all of it is there. */
void zstandard_write(struct zstandard_writer *writer, const char *bytes, size_t length, bool end, struct text *out);
void zstandard_writer_free(struct zstandard_writer *writer);

struct zstandard_reader;

struct zstandard_reader *zstandard_reader_new(void);
/* Decompresses from `in` into `out` as far as either goes; *used and *got say how far.  With nothing of `in` left there may still be
 * something to give.  *inside: a frame has begun and not ended; frames may follow each other.  NULL, or what is wrong with the bytes. */
const char *zstandard_read(struct zstandard_reader *reader, const char *in, size_t in_length, size_t *used, char *out,
    size_t out_size, size_t *got, bool *inside);
void zstandard_reader_free(struct zstandard_reader *reader);

#endif
