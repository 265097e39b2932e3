/*
 * output_xlsx.h -- writes a spreadsheet file (Office Open XML), row after row, in constant memory.
 *
 * A successful xlsx_output_close() is no proof: with a full disk the library beneath reports success and leaves a
 * broken file.  So what was written is read again and compared before anybody gets it, see workbook_file.h.
 */
#ifndef REPORTS_OUTPUT_XLSX_H
#define REPORTS_OUTPUT_XLSX_H

#include "reports/cell.h"

enum { XLSX_ROWS = 1048576, XLSX_COLUMNS = 16384, XLSX_WIDTH_MAX = 255 };

struct xlsx_output;

struct xlsx_output_options {
	const char *path;       /* must not exist */
	const char *folder;     /* for temporary files; as large as the sheets uncompressed */
	const char *title;      /* of the document's properties */
	struct instant created; /* likewise: the same rows and instant give the same bytes */
};

struct xlsx_sheet {
	const char *name;
	const int *widths; /* of the columns, in characters; ended by 0 */
	int header_row;    /* from 0: rows to here stay in view and are repeated on paper; -1: none */
	int frozen_columns;
	bool filter;      /* buttons on the header row, over all columns of `widths` */
	int64_t last_row; /* of the filter, from 0 */
};

/* One column chart of one series of cells on the same sheet; rows and columns from 0. */
struct xlsx_chart {
	const char *title, *series, *format;
	int at_row, at_column;
	int first_row, last_row;
	int name_column, value_column;
	bool from_zero; /* no value is negative */
};

MUST_CHECK
bool xlsx_output_open(const struct xlsx_output_options *options, struct xlsx_output **out, struct error *err);
/* Starts a sheet; rows go to the newest one. */
MUST_CHECK
bool xlsx_output_sheet(struct xlsx_output *output, const struct xlsx_sheet *sheet, struct error *err);
/* The next row; no cells for an empty one.  RANGE where the sheet is full. */
MUST_CHECK
bool xlsx_output_row(struct xlsx_output *output, const struct cell *cells, size_t count, struct error *err);
MUST_CHECK
bool xlsx_output_chart(struct xlsx_output *output, const struct xlsx_chart *chart, struct error *err);
/* Rows so far on the newest sheet. */
int64_t xlsx_output_rows(const struct xlsx_output *output);
/* Writes the file; frees `output` in any case. */
MUST_CHECK
bool xlsx_output_close(struct xlsx_output *output, struct error *err);
/* Frees it without writing; NULL is fine. */
void xlsx_output_discard(struct xlsx_output *output);

/* "K17" for row 16, column 10 (from 0). */
enum { CELL_NAME = 32 };
const char *cell_name(int64_t row, int column, char out[CELL_NAME]);

#endif
