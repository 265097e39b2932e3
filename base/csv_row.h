/*
 * csv_row.h -- rows of CSV (RFC 4180, strict), fed one physical line at a time.
 *
 * The caller splits lines, so that it knows the bytes of each row; a quoted line break makes a row go on in the next line.
 * This is the only file that knows libcsv.
 */
#ifndef BASE_CSV_ROW_H
#define BASE_CSV_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

enum { CSV_COLUMNS = 1024 };

enum csv_row_state {
	CSV_ROW_WHOLE, /* the row has ended */
	CSV_ROW_OPEN,  /* it goes on: the line ended inside quotes, or without a line end */
	CSV_ROW_WRONG, /* a stray quote, a lone carriage return, or more than CSV_COLUMNS columns */
};

struct csv_row;

struct csv_row *csv_row_new(char delimiter);
void csv_row_free(struct csv_row *row);
/* Forgets what was fed and starts a row, whose cells are copied into the arena: those of columns with wanted[column] set,
 * the others stay empty; NULL wants all of them. */
void csv_row_begin(struct csv_row *row, struct arena *arena, const bool *wanted);
/* One line with its line end, if it has one. */
enum csv_row_state csv_row_feed(struct csv_row *row, const char *bytes, size_t length);
/* No more lines: WHOLE, or OPEN inside quotes. */
enum csv_row_state csv_row_end(struct csv_row *row);
size_t csv_row_columns(const struct csv_row *row);
struct bytes csv_row_cell(const struct csv_row *row, size_t column); /* from 0 */

#endif
