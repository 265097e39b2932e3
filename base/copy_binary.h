/*
 * copy_binary.h -- rows in PostgreSQL's binary COPY format, written and read.
 *
 * Format: PostgreSQL manual, COPY, "Binary Format": a header, then per row a 16-bit field count and per field a 32-bit
 * length (-1 for NULL) and its bytes, all big-endian; -1 as the count ends it.  Timestamps are microseconds since 2000.
 */
#ifndef BASE_COPY_BINARY_H
#define BASE_COPY_BINARY_H

#include "base/decimal.h"
#include "base/instant.h"
#include "base/memory.h"

void copy_header(struct text *out);
void copy_trailer(struct text *out);
void copy_row(struct text *out, int fields);
void copy_null(struct text *out);
void copy_smallint(struct text *out, int value);
void copy_integer(struct text *out, int32_t value);
void copy_bigint(struct text *out, int64_t value);
void copy_instant(struct text *out, struct instant value);
void copy_field(struct text *out, const void *bytes, size_t length);      /* text, uuid, bytea */
void copy_length(struct text *out, size_t length);                        /* of a field whose bytes the caller adds */
void copy_bigints(struct text *out, const int64_t *values, size_t count); /* bigint[] */
void copy_decimal(struct text *out, struct decimal value);                /* numeric */
void copy_whole(struct text *out, i128 value);                            /* numeric, without decimals */

/* Reads the fields of one row in order.  A row that is not of this shape is a broken promise of the server's: must(). */
struct copy_reader {
	const char *at, *end;
};
/* Starts a row that has `fields` fields. */
struct copy_reader copy_read_row(const char *bytes, size_t length, int fields);
/* The next field: its bytes, or NULL for NULL. */
const char *copy_read(struct copy_reader *reader, size_t *length);
int64_t copy_read_bigint(struct copy_reader *reader, int64_t if_null); /* an 8-byte field */
int32_t copy_read_integer(struct copy_reader *reader);                 /* a 4-byte field, not NULL */
struct instant copy_read_instant(struct copy_reader *reader);
/* A bigint[] of at most `room` values into out; returns how many; 0 for NULL. */
size_t copy_read_bigints(struct copy_reader *reader, int64_t *out, size_t room);

#endif
