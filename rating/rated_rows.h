/*
 * rated_rows.h -- what a period comes to as rows for the database, before the rating has its number.
 *
 * Rows are made where the period is computed, on any thread, and get the number when they are stored: ratings are numbered in the order
 * of the list, whoever computed what first, and a share's are numbered when it books.
 */
#ifndef RATING_RATED_ROWS_H
#define RATING_RATED_ROWS_H

#include "base/db.h"
#include "rating/rated.h"

struct rated_rows {
	unsigned char input_digest[DIGEST_SIZE], output_digest[DIGEST_SIZE];
	int64_t charge_count, hold_count;
	struct text charges, holds; /* rows of the binary format behind their first field, each with its length before it */
};

/* Appends to *out, which begins zeroed; text_release() both texts. */
void rated_rows_make(const struct rated *rated, struct rated_rows *out);
/* Rows that have their rating's number, appended to COPY data of charge_copy.sql or hold_copy.sql. */
void rated_rows_number(const struct text *rows, int64_t rating_id, struct text *copy);
/* Sends COPY data of the binary format, if there is any, and empties it. */
MUST_CHECK
bool rated_rows_send(struct db *db, enum statement_id id, struct text *copy, struct error *err);

#endif
