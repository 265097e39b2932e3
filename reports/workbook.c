/* workbook.c -- see workbook.h. */
#include "reports/workbook.h"

#include <string.h>

#include "ledger/archive_guard.h"
#include "reports/workbook_book.h"

static bool load_scope(struct book *book, struct error *err);
static bool load_currencies(struct book *book, struct error *err);
static bool check_sizes(const struct book *book, struct error *err);

static bool
write_sheets(struct book *book, struct error *err)
{
	return book_summary(book, err) && book_charges(book, err) && book_invoices(book, err) && book_invoice_lines(book, err) &&
	    book_holds(book, err) && book_control(book, err);
}

static bool
make(struct book *book, struct workbook_result *result, struct error *err)
{
	const struct workbook_request *request = book->request;
	const char *title = arena_format(&book->arena, "tollbook: charges and invoices of %s", request->period);

	if (!load_scope(book, err) || !load_currencies(book, err) || !check_sizes(book, err) ||
	    !workbook_file_open(request->path, title, book->run->now, &book->file, err) || !write_sheets(book, err))
		return false;
	progress(book->run, "reading the workbook back");
	if (!workbook_file_finish(book->file, &result->proof, err))
		return false;
	result->differences = book->differences;
	return true;
}

bool
workbook_make(struct run *run, const struct workbook_request *request, struct workbook_result *result, struct error *err)
{
	struct book book = {.run = run, .request = request};
	bool fine = db_begin(run->db, err) && db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) &&
	    archive_hold(run->db, err) && db_change(run->db, SQL_REPORTS_WORKBOOK_PLANS, NO_PARAMS, -1, err);

	fine = fine && make(&book, result, err);
	progress_end(run);
	db_rollback(run->db);
	workbook_file_release(book.file);
	if (book.scope.result != NULL)
		rows_release(&book.scope);
	arena_release(&book.arena);
	arena_release(&book.page);
	return fine;
}

/* --- what there is --------------------------------------------------------------------------- */

static bool
load_scope(struct book *book, struct error *err)
{
	const struct workbook_request *request = book->request;

	if (!db_one_row(book->run->db, SQL_REPORTS_WORKBOOK_SCOPE, PARAMS(request->period, request->tenant), &book->scope, err))
		return false;
	book->charges = row_number(&book->scope, 0, SCOPE_CHARGES);
	book->holds = row_number(&book->scope, 0, SCOPE_HOLDS);
	book->invoices = row_number(&book->scope, 0, SCOPE_INVOICES);
	book->lines = row_number(&book->scope, 0, SCOPE_LINES);
	if (row_number(&book->scope, 0, SCOPE_RATINGS) > 0)
		return true;
	error_set(err, ERROR_STATE, "nothing is rated for %s%s%s", request->period,
	    request->tenant[0] == '\0' ? "" : " and tenant ", request->tenant);
	return error_hint(err, "Run: tollbook rate --period %s", request->period);
}

static bool
load_number(struct book *book, enum statement_id id, struct params params, struct decimal *out, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_one_row(book->run->db, id, params, &rows, err))
		return false;
	fine = book_decimal(&rows, 0, 0, out, err);
	rows_release(&rows);
	return fine;
}

static bool
load_currency(struct book *book, const struct rows *rows, int row, struct error *err)
{
	struct book_currency *sums = &book->currency[book->currencies++];
	struct decimal *const decimals[] = {&sums->charged, &sums->open, &sums->final_lines, &sums->draft_lines,
	    &sums->adjustments, &sums->exact_lines, &sums->rounding, &sums->final_net, &sums->draft_net, &sums->credits,
	    &sums->tax, &sums->total, &sums->credited, &sums->paid, &sums->due};
	const char *code = row_text(rows, row, 0);

	sums->currency = currency_find(code);
	if (sums->currency == NULL)
		return error_set(
		    err, ERROR_STATE, "the books have amounts in \"%s\", which is no currency with a minor unit", code);
	sums->charges = row_number(rows, row, 1);
	sums->tenants = row_number(rows, row, 2);
	sums->lines = row_number(rows, row, 3);
	sums->documents = row_number(rows, row, 4);
	for (int i = 0; i < (int)(sizeof decimals / sizeof decimals[0]); i++)
		if (!book_decimal(rows, row, 5 + i, decimals[i], err))
			return false;
	return decimal_add(sums->final_net, sums->draft_net, &sums->net, err) &&
	    load_number(book, SQL_REPORTS_WORKBOOK_MONEY_LINES, BOOK_PARAMS(book, code), &sums->money_lines, err);
}

static bool
load_currencies(struct book *book, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_rows(
		book->run->db, SQL_REPORTS_WORKBOOK_CURRENCIES, PARAMS(book->request->period, book->request->tenant), &rows, err))
		return false;
	if (rows.count > BOOK_CURRENCIES_MAX) {
		fine = error_set(
		    err, ERROR_RANGE, "the period has %d currencies; a workbook takes %d", rows.count, BOOK_CURRENCIES_MAX);
		error_hint(err, "Ask for one tenant at a time: --tenant T");
	}
	for (int row = 0; fine && row < rows.count; row++)
		fine = load_currency(book, &rows, row, err);
	rows_release(&rows);
	return fine;
}

/* Two rows are above the data of a flat sheet: the totals and the header. */
static bool
check_size(const struct book *book, const char *sheet, int64_t rows, struct error *err)
{
	if (rows <= XLSX_ROWS - 2)
		return true;
	error_set(err, ERROR_RANGE, "sheet \"%s\" would have %lld rows, and a spreadsheet ends at row %d", sheet, (long long)rows,
	    XLSX_ROWS);
	if (book->request->tenant[0] != '\0')
		return error_hint(err, "One tenant alone has too many; take the rows from the database.");
	return error_hint(err, "Make a workbook for each tenant: --tenant T");
}

static bool
check_sizes(const struct book *book, struct error *err)
{
	return check_size(book, "Charges", book->charges, err) && check_size(book, "Invoices", book->invoices, err) &&
	    check_size(book, "Invoice lines", book->lines, err) && check_size(book, "Holds", book->holds, err);
}
