/*
 * csv_row.c -- see csv_row.h.
 *
 * What libcsv does that has to be known here: it trims blanks around unquoted cells unless it is told that nothing is a blank;
 * it ends a row at a carriage return as well, so a lone one shows as a second row in a line; after an error its
 * parser cannot be used again; csv_fini() calls the callbacks for what is left.
 */
#include "base/csv_row.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

struct csv_row {
	struct csv_parser parser;
	char delimiter;
	bool clean; /* the parser has been fed nothing since the last row's end */
	struct arena *arena;
	const bool *wanted;
	bool ended; /* the row's end was met */
	bool wrong;
	size_t columns;
	struct bytes cells[CSV_COLUMNS];
};

static int
nothing_is_blank(unsigned char byte)
{
	(void)byte;
	return 0;
}

static void
parser_init(struct csv_row *row)
{
	must(csv_init(&row->parser, CSV_STRICT | CSV_STRICT_FINI) == 0);
	csv_set_delim(&row->parser, (unsigned char)row->delimiter);
	csv_set_space_func(&row->parser, nothing_is_blank);
	row->clean = true;
}

struct csv_row *
csv_row_new(char delimiter)
{
	struct csv_row *row = memory_new(1, sizeof *row);

	row->delimiter = delimiter;
	parser_init(row);
	return row;
}

void
csv_row_free(struct csv_row *row)
{
	if (row == NULL)
		return;
	csv_free(&row->parser);
	free(row);
}

void
csv_row_begin(struct csv_row *row, struct arena *arena, const bool *wanted)
{
	if (!row->clean) {
		csv_free(&row->parser);
		parser_init(row);
	}
	row->arena = arena;
	row->wanted = wanted;
	row->ended = row->wrong = false;
	row->columns = 0;
}

static void
take_cell(void *bytes, size_t length, void *context)
{
	struct csv_row *row = context;

	if (row->ended || row->columns == CSV_COLUMNS) {
		row->wrong = true;
		return;
	}
	row->cells[row->columns] = (struct bytes){NULL, 0};
	if (row->wanted == NULL || row->wanted[row->columns])
		row->cells[row->columns] = (struct bytes){arena_copy(row->arena, bytes, length), length};
	row->columns++;
}

static void
take_end(int byte, void *context)
{
	struct csv_row *row = context;

	(void)byte;
	row->wrong = row->wrong || row->ended;
	row->ended = true;
}

static enum csv_row_state
state_of(struct csv_row *row)
{
	row->clean = row->ended && !row->wrong;
	if (row->wrong)
		return CSV_ROW_WRONG;
	return row->ended ? CSV_ROW_WHOLE : CSV_ROW_OPEN;
}

enum csv_row_state
csv_row_feed(struct csv_row *row, const char *bytes, size_t length)
{
	row->clean = false;
	if (csv_parse(&row->parser, bytes, length, take_cell, take_end, row) != length) {
		must(csv_error(&row->parser) == CSV_EPARSE);
		row->wrong = true;
	}
	return state_of(row);
}

enum csv_row_state
csv_row_end(struct csv_row *row)
{
	if (csv_fini(&row->parser, take_cell, take_end, row) != 0) {
		must(csv_error(&row->parser) == CSV_EPARSE);
		row->clean = false;
		return CSV_ROW_OPEN;
	}
	/* A text that ends in quoted nothing at all, "", is one empty cell; nothing at all is no row. */
	return row->columns == 0 && !row->ended ? CSV_ROW_OPEN : state_of(row);
}

size_t
csv_row_columns(const struct csv_row *row)
{
	return row->columns;
}

struct bytes
csv_row_cell(const struct csv_row *row, size_t column)
{
	must(column < row->columns);
	return row->cells[column];
}
