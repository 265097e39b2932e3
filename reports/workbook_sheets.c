/*
 * workbook_sheets.c -- the flat sheets of a period's workbook: one fact a row, one header row, totals above it.
 *
 * Totals are SUBTOTAL formulas, so that they follow the filter.  A total is of one currency always: where a sheet
 * has more than one, the amount of each stands once more in a column of that currency, which is what is totalled.
 */
#include <string.h>

#include "reports/workbook_book.h"

enum { TOTALS_ROW, HEADER_ROW, FIRST_ROW };

enum flat_kind {
	FLAT_TEXT,
	FLAT_NUMBER,  /* with all its decimals */
	FLAT_AMOUNT,  /* shown with `places_more` decimals beyond the minor unit */
	FLAT_EXACT,   /* 18 decimals, as text */
	FLAT_INSTANT, /* selected as microseconds */
	FLAT_DATE,    /* likewise */
};

struct flat_column {
	const char *title;
	int width;
	enum flat_kind kind;
	int source;                                                /* column of the query */
	struct decimal (*total)(const struct book_currency *sums); /* what the column comes to in a currency, or NULL */
};

enum { FLAT_COLUMNS_MAX = 32 };

struct flat_sheet {
	const char *name;
	const struct flat_column *columns;
	int count;
	enum statement_id query; /* its first two columns are the place of the row: tenant, ordinal */
	int amount, currency;    /* columns of the sheet, or -1; the amount is the one that has columns of a currency */
	int places_more;
};

/* What was written so far, by currency of the book. */
struct flat_sums {
	int64_t rows;
	struct decimal of[FLAT_COLUMNS_MAX][BOOK_CURRENCIES_MAX]; /* by column of the sheet */
};

static bool flat_write(struct book *book, const struct flat_sheet *sheet, int64_t rows, struct error *err);

static struct decimal
total_charged(const struct book_currency *sums)
{
	return sums->charged;
}

static struct decimal
total_money_lines(const struct book_currency *sums)
{
	return sums->money_lines;
}

static struct decimal
total_exact_lines(const struct book_currency *sums)
{
	return sums->exact_lines;
}

static struct decimal
total_net(const struct book_currency *sums)
{
	return sums->net;
}

static struct decimal
total_credits(const struct book_currency *sums)
{
	return sums->credits;
}

static struct decimal
total_tax(const struct book_currency *sums)
{
	return sums->tax;
}

static struct decimal
total_total(const struct book_currency *sums)
{
	return sums->total;
}

static struct decimal
total_credited(const struct book_currency *sums)
{
	return sums->credited;
}

static struct decimal
total_paid(const struct book_currency *sums)
{
	return sums->paid;
}

static struct decimal
total_due(const struct book_currency *sums)
{
	return sums->due;
}

/* --- the sheets ------------------------------------------------------------------------------ */

#define COLUMNS(array) .columns = (array), .count = (int)(sizeof(array) / sizeof(array)[0])

bool
book_charges(struct book *book, struct error *err)
{
	static const struct flat_column columns[] = {
	    {"Tenant", 24, FLAT_TEXT, 0, NULL},
	    {"Period", 10, FLAT_TEXT, 2, NULL},
	    {"Kind", 11, FLAT_TEXT, 3, NULL},
	    {"Model", 30, FLAT_TEXT, 4, NULL},
	    {"Service tier", 14, FLAT_TEXT, 5, NULL},
	    {"Meter", 34, FLAT_TEXT, 6, NULL},
	    {"Priced as", 34, FLAT_TEXT, 7, NULL},
	    {"Tier", 6, FLAT_NUMBER, 8, NULL},
	    {"Quantity", 18, FLAT_NUMBER, 9, NULL},
	    {"Billed quantity", 18, FLAT_NUMBER, 10, NULL},
	    {"Price", 14, FLAT_NUMBER, 11, NULL},
	    {"Per", 12, FLAT_NUMBER, 12, NULL},
	    {"Amount", 21, FLAT_AMOUNT, 13, total_charged},
	    {"Currency", 11, FLAT_TEXT, 14, NULL},
	    {"Exact amount (text)", 32, FLAT_EXACT, 13, total_charged},
	    {"Price book", 18, FLAT_TEXT, 15, NULL},
	    {"Version", 9, FLAT_NUMBER, 16, NULL},
	    {"Rule", 7, FLAT_NUMBER, 17, NULL},
	    {"Detail", 60, FLAT_TEXT, 18, NULL},
	};
	static const struct flat_sheet sheet = {.name = "Charges",
	    COLUMNS(columns),
	    .query = SQL_REPORTS_WORKBOOK_CHARGES,
	    .amount = 12,
	    .currency = 13,
	    .places_more = BOOK_PLACES_MORE};

	return flat_write(book, &sheet, book->charges, err);
}

bool
book_invoices(struct book *book, struct error *err)
{
	static const struct flat_column columns[] = {
	    {"Number", 20, FLAT_TEXT, 2, NULL},
	    {"Status", 13, FLAT_TEXT, 3, NULL},
	    {"Tenant", 24, FLAT_TEXT, 0, NULL},
	    {"Name", 34, FLAT_TEXT, 5, NULL},
	    {"Issuer", 11, FLAT_TEXT, 6, NULL},
	    {"Issuer name", 34, FLAT_TEXT, 7, NULL},
	    {"Period", 10, FLAT_TEXT, 8, NULL},
	    {"Kind", 12, FLAT_TEXT, 4, NULL},
	    {"Time zone", 20, FLAT_TEXT, 9, NULL},
	    {"Starts (UTC)", 20, FLAT_INSTANT, 10, NULL},
	    {"Ends before (UTC)", 20, FLAT_INSTANT, 11, NULL},
	    {"Lines", 9, FLAT_NUMBER, 12, NULL},
	    {"Net", 18, FLAT_AMOUNT, 13, total_net},
	    {"Credits", 18, FLAT_AMOUNT, 14, total_credits},
	    {"Tax rate", 14, FLAT_TEXT, 15, NULL},
	    {"Tax", 18, FLAT_AMOUNT, 16, total_tax},
	    {"Total", 18, FLAT_AMOUNT, 17, total_total},
	    {"Currency", 11, FLAT_TEXT, 18, NULL},
	    {"Credit notes", 18, FLAT_AMOUNT, 19, total_credited},
	    {"Paid", 18, FLAT_AMOUNT, 20, total_paid},
	    {"Due", 18, FLAT_AMOUNT, 21, total_due},
	    {"Issued on", 12, FLAT_DATE, 22, NULL},
	    {"Exact net before rounding (text)", 32, FLAT_EXACT, 23, total_exact_lines},
	};
	static const struct flat_sheet sheet = {
	    .name = "Invoices", COLUMNS(columns), .query = SQL_REPORTS_WORKBOOK_INVOICES, .amount = 16, .currency = 17};

	return flat_write(book, &sheet, book->invoices, err);
}

bool
book_invoice_lines(struct book *book, struct error *err)
{
	static const struct flat_column columns[] = {
	    {"Number", 20, FLAT_TEXT, 2, NULL},
	    {"Tenant", 24, FLAT_TEXT, 0, NULL},
	    {"Period", 10, FLAT_TEXT, 3, NULL},
	    {"Line", 7, FLAT_NUMBER, 4, NULL},
	    {"Kind", 11, FLAT_TEXT, 5, NULL},
	    {"Model", 30, FLAT_TEXT, 6, NULL},
	    {"Service tier", 14, FLAT_TEXT, 7, NULL},
	    {"Meter", 34, FLAT_TEXT, 8, NULL},
	    {"Priced as", 34, FLAT_TEXT, 9, NULL},
	    {"Tier", 6, FLAT_NUMBER, 10, NULL},
	    {"Quantity", 18, FLAT_NUMBER, 11, NULL},
	    {"Billed quantity", 18, FLAT_NUMBER, 12, NULL},
	    {"Price", 14, FLAT_NUMBER, 13, NULL},
	    {"Per", 12, FLAT_NUMBER, 14, NULL},
	    {"Amount", 18, FLAT_AMOUNT, 15, total_money_lines},
	    {"Currency", 11, FLAT_TEXT, 16, NULL},
	    {"Exact amount before rounding (text)", 32, FLAT_EXACT, 17, total_exact_lines},
	    {"Price book", 18, FLAT_TEXT, 18, NULL},
	    {"Version", 9, FLAT_NUMBER, 19, NULL},
	    {"Rule", 7, FLAT_NUMBER, 20, NULL},
	    {"Detail", 60, FLAT_TEXT, 21, NULL},
	    {"Adjustment", 12, FLAT_NUMBER, 22, NULL},
	};
	static const struct flat_sheet sheet = {
	    .name = "Invoice lines", COLUMNS(columns), .query = SQL_REPORTS_WORKBOOK_INVOICE_LINES, .amount = 14, .currency = 15};

	return flat_write(book, &sheet, book->lines, err);
}

bool
book_holds(struct book *book, struct error *err)
{
	static const struct flat_column columns[] = {
	    {"Tenant", 24, FLAT_TEXT, 0, NULL},
	    {"Period", 10, FLAT_TEXT, 2, NULL},
	    {"Model", 30, FLAT_TEXT, 3, NULL},
	    {"Service tier", 14, FLAT_TEXT, 4, NULL},
	    {"Meter", 34, FLAT_TEXT, 5, NULL},
	    {"Reason", 40, FLAT_TEXT, 6, NULL},
	    {"Quantity", 18, FLAT_NUMBER, 7, NULL},
	    {"First interval (UTC)", 20, FLAT_INSTANT, 8, NULL},
	    {"Last interval (UTC)", 20, FLAT_INSTANT, 9, NULL},
	};
	static const struct flat_sheet sheet = {
	    .name = "Holds", COLUMNS(columns), .query = SQL_REPORTS_WORKBOOK_HOLDS, .amount = -1, .currency = -1};

	return flat_write(book, &sheet, book->holds, err);
}

/* --- the rows above the data ----------------------------------------------------------------- */

/* True where each currency gets a column of its own behind the others. */
static bool
is_split(const struct book *book, const struct flat_sheet *sheet)
{
	return sheet->amount >= 0 && book->currencies > 1;
}

static int
places_of_amount(const struct flat_sheet *sheet, const struct book_currency *sums)
{
	return sums->currency->minor_units + sheet->places_more;
}

static bool
begin_sheet(struct book *book, const struct flat_sheet *sheet, int64_t rows, struct error *err)
{
	int widths[BOOK_CELLS_MAX + 1] = {0}, count = 0;
	struct xlsx_sheet wanted = {.name = sheet->name,
	    .widths = widths,
	    .header_row = HEADER_ROW,
	    .frozen_columns = 1,
	    .filter = true,
	    .last_row = rows > 0 ? FIRST_ROW + rows - 1 : FIRST_ROW};

	while (count < sheet->count) {
		widths[count] = sheet->columns[count].width;
		count++;
	}
	for (size_t i = 0; is_split(book, sheet) && i < book->currencies; i++)
		widths[count++] = 21;
	must(count <= BOOK_CELLS_MAX);
	return workbook_file_sheet(book->file, &wanted, err);
}

static const char *
subtotal(struct book *book, int function, int column, int64_t rows)
{
	char first[CELL_NAME], last[CELL_NAME];

	cell_name(FIRST_ROW, column, first);
	cell_name(FIRST_ROW + (rows > 0 ? rows - 1 : 0), column, last);
	return arena_format(&book->page, "=SUBTOTAL(%d,%s:%s)", function, first, last);
}

/* The total in a column of what column `of` of the sheet has. */
static struct cell
total_cell(struct book *book, const struct flat_sheet *sheet, const struct book_currency *sums, int of, int column, int64_t rows)
{
	return cell_styled(cell_formula(&book->page, subtotal(book, 109, column, rows), sheet->columns[of].total(sums),
			       places_of_amount(sheet, sums)),
	    STYLE_TOTAL);
}

static bool
write_totals(struct book *book, const struct flat_sheet *sheet, int64_t rows, struct error *err)
{
	struct cell cells[BOOK_CELLS_MAX];
	struct decimal count;
	int width = sheet->count;

	if (!decimal_from_integer(rows, &count, err))
		return false;
	for (int i = 0; i < width; i++)
		cells[i] = cell_blank(STYLE_TOTAL);
	cells[0] = cell_styled(cell_text(&book->page, "Rows shown"), STYLE_TOTAL);
	cells[1] = cell_styled(cell_formula(&book->page, subtotal(book, 103, 0, rows), count, 0), STYLE_TOTAL);
	if (sheet->amount >= 0 && book->currencies == 1) {
		for (int i = 0; i < sheet->count; i++)
			if (sheet->columns[i].kind == FLAT_AMOUNT)
				cells[i] = total_cell(book, sheet, &book->currency[0], i, i, rows);
		cells[sheet->currency] = cell_styled(cell_text(&book->page, book->currency[0].currency->code), STYLE_TOTAL);
	}
	for (size_t i = 0; is_split(book, sheet) && i < book->currencies; i++, width++)
		cells[width] = total_cell(book, sheet, &book->currency[i], sheet->amount, width, rows);
	return book_row(book, cells, (size_t)width, err);
}

static bool
write_header(struct book *book, const struct flat_sheet *sheet, struct error *err)
{
	struct cell cells[BOOK_CELLS_MAX] = {0};
	int width = sheet->count;

	for (int i = 0; i < sheet->count; i++) {
		enum flat_kind kind = sheet->columns[i].kind;

		cells[i] = cell_styled(cell_text(&book->page, sheet->columns[i].title),
		    kind == FLAT_NUMBER || kind == FLAT_AMOUNT || kind == FLAT_EXACT ? STYLE_HEADER_RIGHT : STYLE_HEADER);
	}
	for (size_t i = 0; is_split(book, sheet) && i < book->currencies; i++)
		cells[width++] = cell_styled(cell_text(&book->page,
						 arena_format(&book->page, "%s in %s", sheet->columns[sheet->amount].title,
						     book->currency[i].currency->code)),
		    STYLE_HEADER_RIGHT);
	return book_row(book, cells, (size_t)width, err);
}

/* --- the data -------------------------------------------------------------------------------- */

/* The place of the row's currency in the book, -1 where the sheet has none. */
static bool
find_currency(
    const struct book *book, const struct flat_sheet *sheet, const struct rows *rows, int row, int *out, struct error *err)
{
	const char *code;

	*out = -1;
	if (sheet->currency < 0)
		return true;
	code = row_text(rows, row, sheet->columns[sheet->currency].source);
	for (size_t i = 0; i < book->currencies; i++)
		if (strcmp(book->currency[i].currency->code, code) == 0)
			*out = (int)i;
	return *out >= 0 ||
	    error_set(err, ERROR_STATE, "sheet \"%s\" has an amount in %s, of which there is no sum", sheet->name, code);
}

/* An amount is shown in its own currency. */
static struct cell
number_cell(struct book *book, const struct flat_sheet *sheet, enum flat_kind kind, struct decimal value, int currency)
{
	const struct book_currency *known = currency < 0 ? NULL : &book->currency[currency];

	if (kind == FLAT_EXACT)
		return cell_exact(&book->page, value);
	if (kind != FLAT_AMOUNT)
		return cell_decimal(&book->page, value, 0);
	must(known != NULL);
	return cell_amount(&book->page, value, places_of_amount(sheet, known), known->currency->minor_units);
}

static bool
make_cell(struct book *book, const struct flat_sheet *sheet, int column, const struct rows *rows, int row, int currency,
    struct flat_sums *sums, struct cell *out, struct error *err)
{
	const struct flat_column *wanted = &sheet->columns[column];
	struct decimal value;

	if (row_is_null(rows, row, wanted->source))
		return true;
	if (wanted->kind == FLAT_TEXT) {
		*out = cell_text(&book->page, row_text(rows, row, wanted->source));
		return true;
	}
	if (wanted->kind == FLAT_INSTANT || wanted->kind == FLAT_DATE) {
		struct instant instant = row_instant(rows, row, wanted->source);

		*out = cell_styled(wanted->kind == FLAT_DATE ? cell_date(instant) : cell_instant(instant), STYLE_LEFT);
		return true;
	}
	if (!book_decimal(rows, row, wanted->source, &value, err))
		return false;
	*out = number_cell(book, sheet, wanted->kind, value, currency);
	return wanted->total == NULL || decimal_add(sums->of[column][currency], value, &sums->of[column][currency], err);
}

static bool
write_row(struct book *book, const struct flat_sheet *sheet, const struct rows *rows, int row, struct flat_sums *sums,
    struct error *err)
{
	struct cell cells[BOOK_CELLS_MAX] = {0};
	int currency, width = sheet->count;

	if (!find_currency(book, sheet, rows, row, &currency, err))
		return false;
	for (int i = 0; i < sheet->count; i++)
		if (!make_cell(book, sheet, i, rows, row, currency, sums, &cells[i], err))
			return false;
	if (is_split(book, sheet)) {
		cells[sheet->count + currency] = cells[sheet->amount];
		width = sheet->count + currency + 1;
	}
	sums->rows++;
	return book_row(book, cells, (size_t)width, err);
}

static bool
write_data(struct book *book, const struct flat_sheet *sheet, int64_t expected, struct flat_sums *sums, struct error *err)
{
	struct arena arena = {0};
	const char *tenant = "", *ordinal = "-1";
	bool fine = true;
	int count = BOOK_PAGE;

	while (fine && count == BOOK_PAGE) {
		struct rows rows;

		if (!db_rows(book->run->db, sheet->query, BOOK_PARAMS(book, tenant, ordinal, param_number(&arena, BOOK_PAGE)),
			&rows, err)) {
			fine = false;
			break;
		}
		count = rows.count;
		for (int row = 0; fine && row < count; row++)
			fine = write_row(book, sheet, &rows, row, sums, err);
		if (count > 0) {
			tenant = arena_copy(&arena, row_text(&rows, count - 1, 0), row_length(&rows, count - 1, 0));
			ordinal = arena_copy(&arena, row_text(&rows, count - 1, 1), row_length(&rows, count - 1, 1));
		}
		rows_release(&rows);
		progress_count(book->run, sheet->name, sums->rows, expected);
	}
	arena_release(&arena);
	return fine;
}

static bool
check_sum(const struct flat_sheet *sheet, const char *column, struct decimal written, struct decimal wanted, const char *currency,
    struct error *err)
{
	char left[DECIMAL_TEXT], right[DECIMAL_TEXT];

	if (decimal_compare(written, wanted) == 0)
		return true;
	return error_set(err, ERROR_STATE, "sheet \"%s\", column \"%s\" comes to %s %s where the database comes to %s",
	    sheet->name, column, decimal_format(written, left), currency, decimal_format(wanted, right));
}

/* What was written must be what the database counts and adds up. */
static bool
check_sums(
    const struct book *book, const struct flat_sheet *sheet, int64_t expected, const struct flat_sums *sums, struct error *err)
{
	if (sums->rows != expected)
		return error_set(err, ERROR_STATE, "sheet \"%s\" has %lld rows where the database counts %lld", sheet->name,
		    (long long)sums->rows, (long long)expected);
	for (int column = 0; column < sheet->count; column++)
		for (size_t i = 0; sheet->columns[column].total != NULL && i < book->currencies; i++)
			if (!check_sum(sheet, sheet->columns[column].title, sums->of[column][i],
				sheet->columns[column].total(&book->currency[i]), book->currency[i].currency->code, err))
				return false;
	return true;
}

static bool
flat_write(struct book *book, const struct flat_sheet *sheet, int64_t rows, struct error *err)
{
	struct flat_sums sums = {0};

	must(sheet->count <= FLAT_COLUMNS_MAX);
	return begin_sheet(book, sheet, rows, err) && write_totals(book, sheet, rows, err) && write_header(book, sheet, err) &&
	    write_data(book, sheet, rows, &sums, err) && check_sums(book, sheet, rows, &sums, err);
}
