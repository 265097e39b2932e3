/*
 * workbook_control.c -- the last sheet: the same quantity and the same money counted in independent places, the
 * difference by formula, and a tick.
 *
 * The tick is right beyond what a spreadsheet can hold: it also looks at the exact difference, which stands beside
 * as text.
 */
#include <string.h>

#include "reports/workbook_book.h"

enum { COLUMNS = 9 };

/* A row that is compared, while it is made. */
struct control {
	struct book *book;
	struct cell cells[COLUMNS];
	int64_t row;
	bool has_text; /* a number too long for a spreadsheet: then formulas would be wrong, and texts take their place */
};

/* Puts a number that is written with `places` decimals into a difference.  A spreadsheet subtracts in binary; rounding
 * to `places` decimals takes what that leaves away, as long as 15 digits reach that far. */
static void
put_number(struct control *control, int column, struct cell cell, int places)
{
	struct decimal limit = {1};

	for (int i = 0; i < DECIMAL_PLACES + CELL_DIGITS - places; i++)
		limit.e18 *= 10;
	control->cells[column] = cell;
	if (cell.kind != CELL_NUMBER || decimal_compare(cell.number, limit) >= 0 ||
	    decimal_compare(cell.number, (struct decimal){-limit.e18}) <= 0)
		control->has_text = true;
}

/* "B5-C5-D5" for columns 1, 2, 3. */
static const char *
difference_of(struct control *control, const int *columns, size_t count)
{
	char name[CELL_NAME];
	const char *formula = cell_name(control->row, columns[0], name);

	must(count > 1);
	for (size_t i = 1; i < count; i++) {
		char next[CELL_NAME];

		formula = arena_format(&control->book->page, "%s-%s", formula, cell_name(control->row, columns[i], next));
	}
	return formula;
}

/* A difference of cells, which is `value`, as a formula; as text where a formula would be wrong. */
static void
put_difference(struct control *control, int column, const int *columns, size_t count, struct decimal value, int places)
{
	struct arena *page = &control->book->page;
	const char *formula = difference_of(control, columns, count);
	struct error err;

	if (control->has_text || !decimal_round(value, places, ROUND_HALF_UP, &value, &err)) {
		control->has_text = true;
		control->cells[column] = cell_exact(page, value);
	} else {
		control->cells[column] = cell_formula(page, arena_format(page, "=ROUND(%s,%d)", formula, places), value, places);
	}
}

/* "ok" where both cells say zero; the second may say it in text. */
static void
put_tick(struct control *control, int column, int one, int two, bool second_is_text, bool fine)
{
	struct arena *page = &control->book->page;
	char left[CELL_NAME], right[CELL_NAME];
	const char *value = fine ? "ok" : "DIFFERENT";
	struct cell tick = cell_text(page, value);

	if (!control->has_text)
		tick = cell_formula_text(
		    arena_format(page, "=IF(AND(%s=0,%s=%s),\"ok\",\"DIFFERENT\")", cell_name(control->row, one, left),
			cell_name(control->row, two, right), second_is_text ? "\"0\"" : "0"),
		    value);
	control->cells[column] = cell_styled(tick, fine ? STYLE_GOOD : STYLE_BAD);
	control->book->differences += !fine;
}

static bool
subtract_all(struct decimal from, const struct decimal *amounts, size_t count, struct decimal *out, struct error *err)
{
	*out = from;
	for (size_t i = 0; i < count; i++)
		if (!decimal_subtract(*out, amounts[i], out, err))
			return false;
	return true;
}

static bool
header(struct book *book, const char *const *titles, size_t count, struct error *err)
{
	struct cell cells[COLUMNS] = {0};

	must(count > 0 && count <= COLUMNS);
	for (size_t i = 0; i < count; i++)
		cells[i] = cell_styled(cell_text(&book->page, titles[i]),
		    i == 0               ? STYLE_HEADER
			: i == count - 1 ? STYLE_HEADER_CENTER
					 : STYLE_HEADER_RIGHT);
	return book_row(book, cells, count, err);
}

static bool
note(struct book *book, const char *text, enum cell_style style, struct error *err)
{
	struct cell cell = cell_styled(cell_text(&book->page, text), style);

	return book_row(book, &cell, 1, err);
}

/* --- quantities ------------------------------------------------------------------------------ */

enum { METER_LEDGER = 1, METER_INTERVALS, METER_LEDGER_OFF, METER_CHARGED, METER_HELD, METER_RATED_OFF, METER_TICK };

static bool
write_meter(struct book *book, const struct rows *rows, int row, struct error *err)
{
	static const int counts[] = {METER_LEDGER, METER_INTERVALS, METER_CHARGED, METER_HELD};
	static const int ledger[] = {METER_LEDGER, METER_INTERVALS}, rated[] = {METER_INTERVALS, METER_CHARGED, METER_HELD};
	struct control control = {.book = book, .row = workbook_file_rows(book->file)};
	struct decimal counted[4], ledger_off, rated_off;
	int places = 0;

	control.cells[0] = cell_text(&book->page, row_text(rows, row, 0));
	for (int i = 0; i < 4; i++) {
		if (!book_decimal(rows, row, i + 1, &counted[i], err))
			return false;
		places = decimal_places(counted[i]) > places ? decimal_places(counted[i]) : places;
	}
	for (int i = 0; i < 4; i++)
		put_number(&control, counts[i], cell_decimal(&book->page, counted[i], 0), places);
	if (!decimal_subtract(counted[0], counted[1], &ledger_off, err) ||
	    !subtract_all(counted[1], &counted[2], 2, &rated_off, err))
		return false;
	put_difference(&control, METER_LEDGER_OFF, ledger, 2, ledger_off, places);
	put_difference(&control, METER_RATED_OFF, rated, 3, rated_off, places);
	put_tick(&control, METER_TICK, METER_LEDGER_OFF, METER_RATED_OFF, false, ledger_off.e18 == 0 && rated_off.e18 == 0);
	return book_row(book, control.cells, COLUMNS, err);
}

static bool
write_meters(struct book *book, struct error *err)
{
	static const char *const titles[] = {"Quantities by meter", "Ledger rows", "Intervals", "Ledger - intervals", "Charged",
	    "On hold", "Intervals - charged - held", "Agrees"};
	struct rows rows;
	bool fine = header(book, titles, sizeof titles / sizeof titles[0], err) &&
	    db_rows(book->run->db, SQL_REPORTS_WORKBOOK_METERS, PARAMS(book->request->period, book->request->tenant), &rows, err);

	if (!fine)
		return false;
	for (int row = 0; fine && row < rows.count; row++)
		fine = write_meter(book, &rows, row, err);
	rows_release(&rows);
	return fine && book_row(book, NULL, 0, err);
}

/* --- money ----------------------------------------------------------------------------------- */

enum { MONEY_WHOLE = 1, MONEY_PARTS = 4, MONEY_OFF = 6, MONEY_EXACT_OFF, MONEY_TICK };

/* whole = the sum of the parts?  The whole and its parts stand in columns B to F. */
static bool
write_money_row(
    struct book *book, const struct book_currency *sums, const struct decimal *amounts, size_t count, struct error *err)
{
	static const int columns[] = {MONEY_WHOLE, MONEY_WHOLE + 1, MONEY_WHOLE + 2, MONEY_WHOLE + 3, MONEY_WHOLE + 4};
	struct control control = {.book = book, .row = workbook_file_rows(book->file)};
	int minor = sums->currency->minor_units, places = minor + 2;
	struct decimal off;

	must(count <= MONEY_PARTS + 1);
	control.cells[0] = cell_text(&book->page, sums->currency->code);
	for (size_t i = 0; i < count; i++)
		put_number(&control, columns[i], cell_amount(&book->page, amounts[i], minor + BOOK_PLACES_MORE, minor), places);
	if (!subtract_all(amounts[0], amounts + 1, count - 1, &off, err))
		return false;
	put_difference(&control, MONEY_OFF, columns, count, off, places);
	control.cells[MONEY_EXACT_OFF] = cell_exact(&book->page, off);
	put_tick(&control, MONEY_TICK, MONEY_OFF, MONEY_EXACT_OFF, true, off.e18 == 0);
	return book_row(book, control.cells, COLUMNS, err);
}

static bool
write_charges(struct book *book, struct error *err)
{
	static const char *const titles[] = {"Charges and where they are", "Charges", "On invoices", "In drafts",
	    "In adjustments", "On none of them", "Difference", "Exact difference (text)", "Agrees"};

	if (!header(book, titles, sizeof titles / sizeof titles[0], err))
		return false;
	for (size_t i = 0; i < book->currencies; i++) {
		const struct book_currency *sums = &book->currency[i];
		const struct decimal amounts[] = {
		    sums->charged, sums->final_lines, sums->draft_lines, sums->adjustments, sums->open};

		if (!write_money_row(book, sums, amounts, 5, err))
			return false;
	}
	return book_row(book, NULL, 0, err);
}

static bool
write_rounding(struct book *book, struct error *err)
{
	static const char *const titles[] = {"Invoices and their lines", "Net", "Lines, before rounding", "Rounding of lines", "",
	    "", "Difference", "Exact difference (text)", "Agrees"};

	if (!header(book, titles, sizeof titles / sizeof titles[0], err))
		return false;
	for (size_t i = 0; i < book->currencies; i++) {
		const struct book_currency *sums = &book->currency[i];
		const struct decimal amounts[] = {sums->net, sums->exact_lines, sums->rounding};

		if (!write_money_row(book, sums, amounts, 3, err))
			return false;
	}
	return book_row(book, NULL, 0, err);
}

/* Net = total + credits - tax: with the tax taken off, a sum like the others. */
static bool
write_totals(struct book *book, struct error *err)
{
	static const char *const titles[] = {"Invoices and their totals", "Net", "Total", "Credits", "Tax, taken off", "",
	    "Difference", "Exact difference (text)", "Agrees"};

	if (!header(book, titles, sizeof titles / sizeof titles[0], err))
		return false;
	for (size_t i = 0; i < book->currencies; i++) {
		const struct book_currency *sums = &book->currency[i];
		const struct decimal amounts[] = {sums->net, sums->total, sums->credits, {-sums->tax.e18}};

		if (!write_money_row(book, sums, amounts, 4, err))
			return false;
	}
	return book_row(book, NULL, 0, err);
}

static bool
write_notes(struct book *book, struct error *err)
{
	return note(book,
		   "Ledger rows are counted anew, by the time of each and the borders of its tenant's period; they are not taken "
		   "from the charges.",
		   STYLE_NOTE, err) &&
	    note(book,
		"Ledger and intervals differ where usage came after the last rating run, or a tenant was never rated: run "
		"tollbook rate.",
		STYLE_NOTE, err) &&
	    note(book, "Charges and invoices differ where a draft is older than the rating in force: draft it again.", STYLE_NOTE,
		err);
}

bool
book_control(struct book *book, struct error *err)
{
	static const int widths[] = {36, 22, 22, 22, 22, 22, 26, 30, 13, 0};
	static const struct xlsx_sheet sheet = {.name = "Control", .widths = widths, .header_row = -1};

	return workbook_file_sheet(book->file, &sheet, err) && note(book, "Does it all agree?", STYLE_TITLE, err) &&
	    book_row(book, NULL, 0, err) && write_meters(book, err) && write_charges(book, err) && write_rounding(book, err) &&
	    write_totals(book, err) && write_notes(book, err);
}
