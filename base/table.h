/*
 * table.h -- rows for people and for programs: aligned text, JSON (an array of objects) or CSV (RFC 4180).
 *
 * Cells are text; a NUMBER column is right-aligned in a table and bare in JSON where it is a plain
 * integer (amounts with decimals are JSON strings, so that no reader turns them into binary floating point).
 * Lines of CSV end in a bare newline, and a text that a spreadsheet would run as a formula begins with an apostrophe.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdio.h>

#include "base/command.h"

enum column_kind { COLUMN_TEXT, COLUMN_NUMBER };

struct column {
	const char *name;  /* JSON key and CSV header, snake_case */
	const char *title; /* table header */
	enum column_kind kind;
};

struct table;

/* `columns` is ended by a NULL name. */
struct table *table_new(const struct column *columns);
/* Starts a row, then one table_cell per column; NULL is an empty cell (JSON null). */
void table_row(struct table *table);
void table_cell(struct table *table, const char *value);
void table_cell_format(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);
/* Fills table rows from a query result, columns in order. */
void table_rows(struct table *table, const struct rows *rows);
/* Prints to standard output in run->format.  With no rows a table says `none`. */
void table_print(struct table *table, const struct run *run, const char *none);
/* The same in a format of one's own, to a stream that remembers a write that failed. */
void table_write(const struct table *table, enum output_format format, const char *none, FILE *out);
void table_free(struct table *table);

/* Adds a JSON string (RFC 8259, section 7) with its quotes.  Bytes that are not UTF-8 become U+FFFD, so that the whole stays JSON. */
void text_add_json(struct text *out, const char *string);

/* Adds a member of an object, each on a line of its own: "{" before the first, else a comma; NULL is null.  The caller ends the object. */
void text_add_json_member(struct text *out, const char *name, const char *value);

/* Cells for a writer that prints rows as they come, more than a struct table should keep. */
void text_add_json_cell(struct text *out, const struct column *column, const char *cell); /* "name": value */
void text_add_csv_cell(struct text *out, const struct column *column, const char *cell);  /* of several columns */
/* With control characters and bytes that are not UTF-8 as \xNN; and how many characters a text has that is UTF-8. */
void text_add_printable(struct text *out, const char *cell);
size_t text_width(const char *text);

#endif
