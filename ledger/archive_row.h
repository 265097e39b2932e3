/*
 * archive_row.h -- ledger rows in blocks, column by column, so that they compress well and come back byte by byte.
 *
 * A row goes in and comes out as the bytes of PostgreSQL's binary COPY that ledger/batch_rows.c sent and that digests cover.  The layout of a
 * block is in docs/formats.md.
 */
#ifndef LEDGER_ARCHIVE_ROW_H
#define LEDGER_ARCHIVE_ROW_H

#include "base/copy_binary.h"
#include "ledger/usage_event.h"

enum { LEDGER_ROW_FIELDS = 19 };

/* What of a row need not be there; bits of a row's shape. */
enum row_shape {
	SHAPE_REVERSAL = 1 << 0,       /* kind 2 */
	SHAPE_CONTEXT_TOKENS = 1 << 1, /* context_input_tokens */
	SHAPE_METER = 1 << 2,          /* meter 1; the next six bits are those of meters 2 to 7 */
	SHAPE_EXTRA = 1 << (2 + METER_COLUMNS),
	SHAPE_CONTEXT = 1 << (3 + METER_COLUMNS),
	SHAPE_STATED_ID = 1 << (4 + METER_COLUMNS), /* the identity is not that of tenant, source and id */
	SHAPE_LIMIT = 1 << (5 + METER_COLUMNS)
};

struct archive_row {
	unsigned shape; /* enum row_shape */
	int64_t batch;
	int32_t ordinal;
	struct id128 event_id;
	struct instant time;
	int32_t series, source;
	struct bytes id;
	int32_t flags;
	int64_t context_input_tokens;
	int64_t quantity[METER_COLUMNS + 1]; /* from 1 */
	int64_t extra[2 * METER_LIMIT];      /* pairs: meter, quantity */
	size_t extra_count;                  /* of numbers */
	struct bytes context;
};

/* A row of archive_rows_copy.sql; texts point into `bytes`. */
void archive_row_read(const char *bytes, size_t length, struct archive_row *out);
/* The other way: its bytes, appended.  extra and context are there or not as the shape says. */
void archive_row_bytes(const struct archive_row *row, struct text *out);
/* Adds what a row says of meters to sums by meter. */
void archive_row_sum(const struct archive_row *row, i128 sums[METER_LIMIT]);
/* -1, 0 or 1: by batch, ordinal and kind, the order that digests have. */
int archive_row_compare(const struct archive_row *one, const struct archive_row *other);

/* --- blocks ---------------------------------------------------------------------------------- */

/* A block is full with so many rows, or so many bytes: a row is at most about a MiB, and readers refuse blocks of 64 MiB. */
enum { BLOCK_ROWS = 8192, BLOCK_BYTES = 4 << 20 };

struct archive_block;

struct archive_block *archive_block_new(void);
void archive_block_free(struct archive_block *block);
/* Adds a row to a block that is being written, and is not full. */
void archive_block_add(struct archive_block *block, const struct archive_row *row);
size_t archive_block_rows(const struct archive_block *block);
bool archive_block_is_full(const struct archive_block *block);
/* The block as bytes, appended; it is empty then. */
void archive_block_write(struct archive_block *block, struct text *out);

/* Begins to read a block of these bytes, which must stay; false where they are none. */
MUST_CHECK
bool archive_block_open(struct archive_block *block, const char *bytes, size_t length);
/* The next row, but for an identity that is not stated; texts point into the block's bytes.  *more is false behind the last one; false
 * where the bytes are no row. */
MUST_CHECK
bool archive_block_next(struct archive_block *block, struct archive_row *row, bool *more);

#endif
