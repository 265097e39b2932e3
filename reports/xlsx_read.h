/*
 * xlsx_read.h -- reads a spreadsheet file (Office Open XML) cell by cell.
 *
 * It is strict where a proof needs it: every part must be whole (zip checksum) and well-formed, document type
 * declarations are refused, and sizes are limited.
 */
#ifndef REPORTS_XLSX_READ_H
#define REPORTS_XLSX_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	XLSX_SHEETS_MAX = 256,
	XLSX_PARTS_MAX = 4096,
	XLSX_NAME_MAX = 128,                       /* bytes of a part's or sheet's name */
	XLSX_CELL_BYTES_MAX = 32767 * 7,           /* every character escaped as _xHHHH_ */
	XLSX_SHARED_BYTES_MAX = 256 * 1024 * 1024, /* of all shared strings */
};
#define XLSX_PART_BYTES_MAX ((uint64_t)8 << 30)

struct xlsx;

enum xlsx_value { XLSX_TEXT, XLSX_NUMBER, XLSX_BOOLEAN, XLSX_FAULT /* "#VALUE!" ... */ };

/* A cell that has a value; the texts die with the callback. */
struct xlsx_cell {
	int64_t row; /* from 0 */
	int column;  /* from 0 */
	enum xlsx_value kind;
	const char *value;   /* as in the file, escapes undone */
	const char *formula; /* without "="; "" for none */
};

/* Return false with err set to stop. */
typedef bool xlsx_cell_seen(void *context, const struct xlsx_cell *cell, struct error *err);

MUST_CHECK
bool xlsx_open(const char *path, struct xlsx **out, struct error *err);
void xlsx_close(struct xlsx *xlsx);
size_t xlsx_sheet_count(const struct xlsx *xlsx);
/* In the order of the tabs; dies with xlsx_close(). */
const char *xlsx_sheet_name(const struct xlsx *xlsx, size_t sheet);
/* Cells row by row, from left to right; another order is an error. */
MUST_CHECK
bool xlsx_read_sheet(struct xlsx *xlsx, size_t sheet, xlsx_cell_seen *seen, void *context, struct error *err);
/* Reads every part that is not a sheet: whole, and well-formed XML. */
MUST_CHECK
bool xlsx_check_parts(struct xlsx *xlsx, struct error *err);

#endif
