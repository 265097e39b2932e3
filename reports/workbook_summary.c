/* workbook_summary.c -- the first sheet: what the workbook is made of, money by currency, revenue by model, notes. */
#include <string.h>

#include "reports/workbook_book.h"

enum {
	COLUMNS = 8,
	MODELS_SHOWN = 12, /* by name; the others in one row */
	CHART_ROWS = 17,   /* the height of a chart, in rows, with a little air */
};

static bool
blank(struct book *book, struct error *err)
{
	return book_row(book, NULL, 0, err);
}

static bool
line(struct book *book, const char *text, enum cell_style style, struct error *err)
{
	struct cell cell = cell_styled(cell_text(&book->page, text), style);

	return book_row(book, &cell, 1, err);
}

static bool
fact(struct book *book, const char *label, struct cell value, struct error *err)
{
	struct cell cells[] = {cell_styled(cell_text(&book->page, label), STYLE_LABEL), cell_styled(value, STYLE_LEFT)};

	return book_row(book, cells, 2, err);
}

static bool
text_fact(struct book *book, const char *label, const char *text, struct error *err)
{
	return fact(book, label, cell_text(&book->page, text), err);
}

static bool
count_fact(struct book *book, const char *label, int64_t count, struct error *err)
{
	struct decimal number;

	return decimal_from_integer(count, &number, err) && fact(book, label, cell_decimal(&book->page, number, 0), err);
}

static bool
header(struct book *book, const char *const *titles, const bool *numbers, size_t count, struct error *err)
{
	struct cell cells[COLUMNS];

	must(count <= COLUMNS);
	for (size_t i = 0; i < count; i++)
		cells[i] = cell_styled(cell_text(&book->page, titles[i]), numbers[i] ? STYLE_HEADER_RIGHT : STYLE_HEADER);
	return book_row(book, cells, count, err);
}

/* --- what it is made of ---------------------------------------------------------------------- */

static struct cell
scope_instant(const struct book *book, int column)
{
	return row_is_null(&book->scope, 0, column) ? (struct cell){0} : cell_instant(row_instant(&book->scope, 0, column));
}

static bool
write_origin(struct book *book, struct error *err)
{
	const struct workbook_request *request = book->request;
	const struct rows *scope = &book->scope;

	return line(book, arena_format(&book->page, "Charges and invoices of %s", request->period), STYLE_TITLE, err) &&
	    line(book, "What was metered, what it costs, what was invoiced, and whether it all agrees.", STYLE_NOTE, err) &&
	    blank(book, err) && text_fact(book, "Billing period", request->period, err) &&
	    text_fact(book, "Tenant", request->tenant[0] == '\0' ? "all tenants" : request->tenant, err) &&
	    count_fact(book, "Tenants rated", row_number(scope, 0, SCOPE_RATINGS), err) &&
	    fact(book, "Made at (UTC)", cell_instant(book->run->now), err) &&
	    text_fact(book, "Made by", "tollbook " TOLLBOOK_VERSION, err) &&
	    text_fact(book, "Rating runs in force", row_text(scope, 0, SCOPE_RUNS), err) &&
	    fact(book, "Newest of them at (UTC)", scope_instant(book, SCOPE_RATED_AT), err) &&
	    text_fact(book, "Rated by version", row_text(scope, 0, SCOPE_CODE), err) &&
	    text_fact(book, "Time zone data", row_text(scope, 0, SCOPE_ZONES), err) &&
	    count_fact(book, "Ledger rows summed", row_number(scope, 0, SCOPE_SUMMED), err) &&
	    fact(book, "Newest of them booked at (UTC)", scope_instant(book, SCOPE_SUMMED_AT), err) &&
	    count_fact(book, "Ledger rows booked", row_number(scope, 0, SCOPE_BOOKED), err) && blank(book, err);
}

static bool
write_book(struct book *book, const struct rows *rows, int row, struct error *err)
{
	struct decimal version;

	if (!book_decimal(rows, row, 1, &version, err))
		return false;
	struct cell cells[] = {
	    cell_text(&book->page, row_text(rows, row, 0)),
	    cell_decimal(&book->page, version, 0),
	    cell_text(&book->page, row_text(rows, row, 2)),
	    cell_styled(cell_instant(row_instant(rows, row, 3)), STYLE_LEFT),
	    cell_text(&book->page, row_text(rows, row, 4)),
	};
	return book_row(book, cells, sizeof cells / sizeof cells[0], err);
}

static bool
write_books(struct book *book, struct error *err)
{
	static const char *const titles[] = {
	    "Price book", "Version", "Currency", "Valid from (UTC)", "SHA-256 of the file", "", "", ""};
	static const bool numbers[COLUMNS] = {[1] = true};
	struct rows rows;
	bool fine = header(book, titles, numbers, COLUMNS, err) &&
	    db_rows(book->run->db, SQL_REPORTS_WORKBOOK_BOOKS, PARAMS(book->request->period, book->request->tenant), &rows, err);

	if (!fine)
		return false;
	for (int row = 0; fine && row < rows.count; row++)
		fine = write_book(book, &rows, row, err);
	rows_release(&rows);
	return fine && blank(book, err);
}

/* --- money ----------------------------------------------------------------------------------- */

static bool
write_currency(struct book *book, const struct book_currency *sums, struct error *err)
{
	int minor = sums->currency->minor_units, exact = minor + BOOK_PLACES_MORE;
	struct decimal rows, tenants, documents;

	if (!decimal_from_integer(sums->charges, &rows, err) || !decimal_from_integer(sums->tenants, &tenants, err) ||
	    !decimal_from_integer(sums->documents, &documents, err))
		return false;
	struct cell cells[COLUMNS] = {
	    cell_styled(cell_text(&book->page, sums->currency->code), STYLE_LABEL),
	    cell_amount(&book->page, sums->charged, exact, minor),
	    cell_amount(&book->page, sums->final_net, minor, minor),
	    cell_amount(&book->page, sums->draft_net, minor, minor),
	    cell_amount(&book->page, sums->open, exact, minor),
	    cell_decimal(&book->page, rows, 0),
	    cell_decimal(&book->page, tenants, 0),
	    cell_decimal(&book->page, documents, 0),
	};
	return book_row(book, cells, COLUMNS, err);
}

static bool
write_documents_of(struct book *book, const struct book_currency *sums, struct error *err)
{
	const struct decimal amounts[] = {
	    sums->net, sums->credits, sums->tax, sums->total, sums->credited, sums->paid, sums->due};
	int minor = sums->currency->minor_units;
	struct cell cells[COLUMNS] = {cell_styled(cell_text(&book->page, sums->currency->code), STYLE_LABEL)};

	for (int i = 1; i < COLUMNS; i++)
		cells[i] = cell_amount(&book->page, amounts[i - 1], minor, minor);
	return book_row(book, cells, COLUMNS, err);
}

static bool
write_documents(struct book *book, struct error *err)
{
	static const char *const titles[] = {
	    "Invoices and drafts", "Net", "Credits", "Tax", "Total", "Credit notes", "Paid", "Due"};
	static const bool numbers[COLUMNS] = {false, true, true, true, true, true, true, true};

	if (!header(book, titles, numbers, COLUMNS, err))
		return false;
	for (size_t i = 0; i < book->currencies; i++)
		if (!write_documents_of(book, &book->currency[i], err))
			return false;
	return blank(book, err);
}

static bool
write_money(struct book *book, struct error *err)
{
	static const char *const titles[] = {"Currency", "Charges, before rounding", "Invoiced, net", "In drafts, net",
	    "Not yet on an invoice", "Charge rows", "Tenants", "Invoices and drafts"};
	static const bool numbers[COLUMNS] = {false, true, true, true, true, true, true, true};

	if (!header(book, titles, numbers, COLUMNS, err))
		return false;
	for (size_t i = 0; i < book->currencies; i++)
		if (!write_currency(book, &book->currency[i], err))
			return false;
	return blank(book, err) && write_documents(book, err) && count_fact(book, "Usage on hold (rows)", book->holds, err) &&
	    blank(book, err);
}

/* --- revenue by model ------------------------------------------------------------------------ */

/* Columns of workbook_models.sql: model, models, amount, whether it is what contracts add. */
static const char *
model_label(struct book *book, const struct rows *rows, int row)
{
	int64_t models = row_number(rows, row, 1);

	if (row_bool(rows, row, 3))
		return "contract charges";
	if (models > 1 || row >= MODELS_SHOWN)
		return arena_format(&book->page, "%lld other models", (long long)models);
	return row_length(rows, row, 0) == 0 ? "(no model)" : row_text(rows, row, 0);
}

static bool
write_model(struct book *book, const struct book_currency *sums, const struct rows *rows, int row, struct error *err)
{
	int minor = sums->currency->minor_units;
	struct decimal exact;

	if (!book_decimal(rows, row, 2, &exact, err))
		return false;
	struct cell cells[] = {cell_text(&book->page, model_label(book, rows, row)),
	    cell_amount(&book->page, exact, minor + BOOK_PLACES_MORE, minor)};
	return book_row(book, cells, 2, err);
}

static bool
write_model_total(struct book *book, const struct book_currency *sums, int64_t first, int64_t last, struct error *err)
{
	char from[CELL_NAME], upto[CELL_NAME];
	const char *formula = arena_format(&book->page, "=SUM(%s:%s)", cell_name(first, 1, from), cell_name(last, 1, upto));
	struct cell cells[] = {
	    cell_styled(cell_text(&book->page, arena_format(&book->page, "All charges, %s", sums->currency->code)), STYLE_TOTAL),
	    cell_styled(
		cell_formula(&book->page, formula, sums->charged, sums->currency->minor_units + BOOK_PLACES_MORE), STYLE_TOTAL),
	};
	return book_row(book, cells, 2, err);
}

static bool
write_chart(struct book *book, const struct book_currency *sums, const struct rows *rows, int64_t first, struct error *err)
{
	struct xlsx_chart chart = {.title = arena_format(&book->page, "Revenue by model, %s", sums->currency->code),
	    .series = sums->currency->code,
	    .format = "#,##0",
	    .at_row = (int)first - 1,
	    .at_column = 2,
	    .first_row = (int)first,
	    .last_row = (int)first + rows->count - 1,
	    .name_column = 0,
	    .value_column = 1,
	    .from_zero = true};

	for (int row = 0; row < rows->count; row++)
		chart.from_zero = chart.from_zero && row_text(rows, row, 2)[0] != '-';
	return workbook_file_chart(book->file, &chart, err);
}

static bool
write_models_of(struct book *book, const struct book_currency *sums, const struct rows *rows, struct error *err)
{
	const char *titles[] = {
	    arena_format(&book->page, "Revenue by model, %s", sums->currency->code), "Charges, before rounding"};
	static const bool numbers[] = {false, true};
	int64_t first = workbook_file_rows(book->file) + 1, last = first + rows->count - 1;

	if (!write_chart(book, sums, rows, first, err) || !header(book, titles, numbers, 2, err))
		return false;
	for (int row = 0; row < rows->count; row++)
		if (!write_model(book, sums, rows, row, err))
			return false;
	if (!write_model_total(book, sums, first, last, err))
		return false;
	while (workbook_file_rows(book->file) < first + CHART_ROWS)
		if (!blank(book, err))
			return false;
	return true;
}

static bool
write_models(struct book *book, struct error *err)
{
	const char *shown = param_number(&book->arena, MODELS_SHOWN);

	for (size_t i = 0; i < book->currencies; i++) {
		const struct book_currency *sums = &book->currency[i];
		struct rows rows;
		bool fine;

		if (!db_rows(
			book->run->db, SQL_REPORTS_WORKBOOK_MODELS, BOOK_PARAMS(book, sums->currency->code, shown), &rows, err))
			return false;
		fine = rows.count == 0 || write_models_of(book, sums, &rows, err);
		rows_release(&rows);
		if (!fine)
			return false;
	}
	return true;
}

/* --- notes ----------------------------------------------------------------------------------- */

static bool
write_notes(struct book *book, struct error *err)
{
	static const char *const notes[] = {
	    "Times are UTC.  A billing period has the borders of the contract's time zone: sheet Invoices shows zone and "
	    "borders.",
	    "A charge is billed quantity x price / per, exact to 18 decimals.  A cell's number holds 15 digits; the exact text "
	    "is "
	    "beside it.",
	    "Charges of kind discount, overage, true_up, minimum, maximum and fee come from contracts: they have no model, and "
	    "Detail "
	    "has their arithmetic.",
	    "Money is rounded once, on the invoice line, to the minor unit, a half away from zero.  Control shows what that came "
	    "to.",
	    "Net is the sum of an invoice's lines, before credits and tax; total = net - credits + tax.  Credit notes, payments "
	    "and what "
	    "is due "
	    "are of final invoices, as they stand today.",
	    "What re-rating changed after a period was invoiced is in adjustments, lines of the invoice that was next.",
	    "Amounts of different currencies are never added.  Totals above the tables follow the filter.",
	    "Drafts can still change; an invoice with a number cannot.  Usage on hold has no price yet and is in no amount.",
	    "Every cell of this file was read back and compared with the books before the file was put in place.",
	};

	if (!line(book, "Notes", STYLE_LABEL, err))
		return false;
	for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
		if (!line(book, notes[i], STYLE_NOTE, err))
			return false;
	return true;
}

bool
book_summary(struct book *book, struct error *err)
{
	static const int widths[] = {36, 25, 20, 21, 25, 13, 11, 20, 0};
	static const struct xlsx_sheet sheet = {.name = "Summary", .widths = widths, .header_row = -1};

	return workbook_file_sheet(book->file, &sheet, err) && write_origin(book, err) && write_books(book, err) &&
	    write_money(book, err) && write_models(book, err) && write_notes(book, err);
}
