/* workbook_book.c -- see workbook_book.h: what all sheets write with. */
#include "reports/workbook_book.h"

bool
book_decimal(const struct rows *rows, int row, int column, struct decimal *out, struct error *err)
{
	return decimal_parse(row_text(rows, row, column), row_length(rows, row, column), out, err) ||
	    error_wrap(err, "a sum of the workbook");
}

bool
book_row(struct book *book, const struct cell *cells, size_t count, struct error *err)
{
	bool fine = workbook_file_row(book->file, cells, count, err);

	arena_reset(&book->page);
	return fine;
}
