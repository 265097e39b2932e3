/*
 * sheet_rows.c -- rows as they stand on the sheet "Charges" of a workbook, by the library alone: `sheet_rows FILE ROWS`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/output_xlsx.h"

enum { CELLS = 19 };

/* Eleven texts and eight numbers; some of each are different on every row. */
static void
fill(struct cell row[CELLS], struct arena *arena, int64_t number)
{
	static const char *const texts[] = {"2026-10", "usage", "claude-sonnet-4-5", "default", "input_text_uncached_tokens",
	    "input_text_uncached_tokens", "USD", "public-usd v1"};
	size_t at = 0;

	row[at++] = cell_text(arena, arena_format(arena, "t%05" PRId64, number / 20));
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		row[at++] = cell_text(arena, texts[i]);
	row[at++] = cell_exact(arena, (struct decimal){(i128)number * 12345678901});
	row[at++] = cell_text(arena, "");
	while (at < CELLS) {
		row[at] = cell_decimal(arena, (struct decimal){(i128)(number * (int64_t)at) * 1000000000000}, 0);
		at++;
	}
}

int
main(int count, char **arguments)
{
	const struct xlsx_sheet sheet = {.name = "Charges",
	    .widths = (const int[]){24, 10, 11, 30, 14, 34, 34, 6, 18, 18, 14, 12, 21, 11, 32, 18, 9, 7, 60, 0},
	    .header_row = -1};
	struct xlsx_output_options options = {.folder = "/tmp", .title = "rows"};
	struct xlsx_output *output;
	struct arena arena = {0};
	struct error err = {0};
	struct cell row[CELLS];
	int64_t rows = count == 3 ? strtoll(arguments[2], NULL, 10) : 0;
	bool fine;

	if (rows <= 0) {
		fputs("usage: sheet_rows FILE ROWS\n", stderr);
		return 2;
	}
	options.path = arguments[1];
	fine = xlsx_output_open(&options, &output, &err);
	if (fine) {
		fine = xlsx_output_sheet(output, &sheet, &err);
		for (int64_t i = 0; fine && i < rows; i++) {
			arena_reset(&arena);
			fill(row, &arena, i);
			fine = xlsx_output_row(output, row, CELLS, &err);
		}
		if (fine)
			fine = xlsx_output_close(output, &err);
		else
			xlsx_output_discard(output);
	}
	arena_release(&arena);
	if (!fine)
		fprintf(stderr, "%s\n", err.message);
	return fine ? 0 : 1;
}
