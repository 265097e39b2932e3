/* payment.c -- see payment.h. */
#include "ledger/payment.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_row.h"
#include "base/document.h"
#include "base/json_reader.h"
#include "base/money.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/document_number.h"

enum { DATE_LENGTH = 10, LINE_END = 1 };

/* Columns of payment_invoice.sql. */
enum { INVOICE_ID, INVOICE_CURRENCY, INVOICE_MINOR_UNITS, INVOICE_DUE, INVOICE_WRITTEN_OFF, INVOICE_ISSUED_ON };

/* A payment that is to be booked. */
struct booking {
	const char *reference, *method, *invoice_id, *paid_on;
	int64_t amount, excess, recovered;
};

/* Adds the payment, and what it does to the balance: `change`. */
static bool
book(struct run *run, const struct booking *booking, int64_t change, struct error *err)
{
	struct arena *arena = &run->arena;
	const char *now = param_instant(arena, run->now);
	struct rows made;
	bool fine;

	if (!db_one_row(run->db, SQL_LEDGER_PAYMENT_ADD,
		PARAMS(booking->reference, booking->method, booking->invoice_id, param_number(arena, booking->amount),
		    param_number(arena, booking->excess), param_number(arena, booking->recovered), booking->paid_on, now,
		    run->by),
		&made, err))
		return false;
	fine = change == 0 ||
	    db_change(run->db, SQL_LEDGER_BALANCE_ADD,
		PARAMS(booking->invoice_id, param_number(arena, change), NULL, row_text(&made, 0, 0), now, run->by), 1, err);
	rows_release(&made);
	return fine;
}

/* How much each balance pays. */
static bool
find_balances(struct run *run, struct balance_payment *payments, size_t count, struct error *err)
{
	enum { PLACE, BALANCE };
	struct text invoices = {0};
	struct rows rows;
	bool fine;

	for (size_t i = 0; i < count; i++) {
		payments[i].paid = 0;
		elements_add(&invoices, payments[i].invoice_id);
	}
	fine = db_rows(run->db, SQL_LEDGER_BALANCE_GET, PARAMS(elements_end(&invoices)), &rows, err);
	text_release(&invoices);
	if (!fine)
		return false;
	for (int i = 0; i < rows.count; i++) {
		struct balance_payment *payment = &payments[row_number(&rows, i, PLACE) - 1];
		int64_t balance = row_number(&rows, i, BALANCE);

		payment->paid = balance < payment->due ? balance : payment->due;
	}
	rows_release(&rows);
	return true;
}

bool
payments_from_balance(struct run *run, struct balance_payment *payments, size_t count, const char *date, struct error *err)
{
	struct text invoices = {0}, references = {0}, amounts = {0};
	int64_t paying = 0;
	bool fine = find_balances(run, payments, count, err);

	for (size_t i = 0; fine && i < count; i++) {
		if (payments[i].paid <= 0)
			continue;
		elements_add(&invoices, payments[i].invoice_id);
		elements_add(&references, arena_format(&run->arena, "balance %s", payments[i].number));
		elements_add_number(&amounts, payments[i].paid);
		paying++;
	}
	fine = fine &&
	    (paying == 0 ||
		db_change(run->db, SQL_LEDGER_BALANCE_PAY,
		    PARAMS(elements_end(&invoices), elements_end(&references), elements_end(&amounts), date,
			param_instant(&run->arena, run->now), run->by),
		    paying, err));
	text_release(&invoices);
	text_release(&references);
	text_release(&amounts);
	return fine;
}

/* --- the file -------------------------------------------------------------------------------- */

enum field { FIELD_REFERENCE, FIELD_INVOICE, FIELD_AMOUNT, FIELD_CURRENCY, FIELD_PAID_ON, FIELDS };
static const char *const field_names[FIELDS] = {"reference", "invoice", "amount", "currency", "paid_on"};

struct import {
	struct run *run;
	const char *file;
	struct csv_row *row;
	struct arena arena; /* of a row */
	const char *at, *end;
	uint64_t line, next_line; /* where the row begins, and where the next one does */
	size_t columns, column_of[FIELDS];
	const char *value[FIELDS]; /* of the row */
	struct payment_sum *sums;
	size_t sum_count, sum_capacity;
};

/* Refuses the row for its value of a field. */
static bool
refuse_value(const struct import *import, enum field field, struct error *err, const char *why, const char *remedy)
{
	error_set(err, ERROR_INPUT, "%s", why);
	error_at(err, import->file, import->line);
	error_field(err, field_names[field], import->value[field], strlen(import->value[field]));
	return error_hint(err, "%s", remedy);
}

static bool
refuse_row(const struct import *import, struct error *err, const char *why, const char *remedy)
{
	error_set(err, ERROR_INPUT, "%s", why);
	error_at(err, import->file, import->line);
	return error_hint(err, "%s", remedy);
}

/* Reads a row, if there is one more; *there tells. */
static bool
next_row(struct import *import, bool *there, struct error *err)
{
	enum csv_row_state state = CSV_ROW_OPEN;

	*there = import->at < import->end;
	if (!*there)
		return true;
	arena_reset(&import->arena);
	csv_row_begin(import->row, &import->arena, NULL);
	import->line = import->next_line;
	while (state == CSV_ROW_OPEN && import->at < import->end) {
		const char *feed = memchr(import->at, '\n', (size_t)(import->end - import->at));
		size_t length = feed == NULL ? (size_t)(import->end - import->at) : (size_t)(feed - import->at) + LINE_END;

		state = csv_row_feed(import->row, import->at, length);
		import->at += length;
		import->next_line++;
	}
	if (state == CSV_ROW_OPEN)
		state = csv_row_end(import->row);
	return state == CSV_ROW_WHOLE ||
	    refuse_row(import, err, "a row is not CSV", "Quote texts with commas, quotes or line ends in them: \"a, b\".");
}

static bool
is_cell(struct bytes cell, const char *name)
{
	return cell.length == strlen(name) && memcmp(cell.at, name, cell.length) == 0;
}

static bool
find_column(struct import *import, enum field field, struct error *err)
{
	size_t found = 0;

	for (size_t i = 0; i < import->columns; i++) {
		if (!is_cell(csv_row_cell(import->row, i), field_names[field]))
			continue;
		import->column_of[field] = i;
		found++;
	}
	if (found == 1)
		return true;
	error_set(err, ERROR_INPUT, found == 0 ? "the header has no column \"%s\"" : "the header has column \"%s\" twice",
	    field_names[field]);
	error_at(err, import->file, import->line);
	return error_hint(err, "The first line names the columns: reference,invoice,amount,currency,paid_on.");
}

static bool
read_header(struct import *import, struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* spreadsheet programs put it before UTF-8 */
	bool there;

	if ((size_t)(import->end - import->at) >= sizeof mark - 1 && memcmp(import->at, mark, sizeof mark - 1) == 0)
		import->at += sizeof mark - 1;
	if (!next_row(import, &there, err))
		return false;
	import->columns = there ? csv_row_columns(import->row) : 0;
	for (enum field field = 0; field < FIELDS; field++)
		if (!find_column(import, field, err))
			return false;
	return true;
}

/* --- a row ----------------------------------------------------------------------------------- */

static bool
is_plain_text(const char *text, size_t length)
{
	size_t at;
	bool cut;

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return utf8_check(text, length, &at, &cut);
}

/* The five texts of the row: each there, not long, and fit for a database. */
static bool
take_values(struct import *import, struct error *err)
{
	if (csv_row_columns(import->row) != import->columns)
		return refuse_row(
		    import, err, "a row has more or fewer columns than the header", "Give each row a cell for each column.");
	for (enum field field = 0; field < FIELDS; field++) {
		struct bytes cell = csv_row_cell(import->row, import->column_of[field]);

		import->value[field] = arena_copy(&import->arena, cell.at, cell.length);
		if (cell.length == 0 || cell.length > PAYMENT_REFERENCE_BYTES)
			return refuse_value(import, field, err, "a payment has a value that is empty or too long",
			    "Every column has 1 to 140 bytes.");
		if (!is_plain_text(cell.at, cell.length))
			return refuse_value(import, field, err, "a payment has a value that is not plain text",
			    "Write UTF-8 without control characters.");
		/* "A 1" and "A 1 " would be two references, and their payment booked twice. */
		if (cell.at[0] == ' ' || cell.at[cell.length - 1] == ' ')
			return refuse_value(
			    import, field, err, "a payment has a value that begins or ends with a space", "Take the space away.");
	}
	return true;
}

static bool
check_reference(const struct import *import, struct error *err)
{
	return strncmp(import->value[FIELD_REFERENCE], "balance ", strlen("balance ")) != 0 ||
	    refuse_value(import, FIELD_REFERENCE, err, "a payment has a reference that only payments from a balance have",
		"Give it the bank's reference.");
}

static bool
check_date(const struct import *import, struct error *err)
{
	struct instant day;

	return (strlen(import->value[FIELD_PAID_ON]) == DATE_LENGTH && instant_option(import->value[FIELD_PAID_ON], &day, err)) ||
	    refuse_value(import, FIELD_PAID_ON, err, "a payment has no date it was paid on", "Write YYYY-MM-DD.");
}

/* Minor units of the amount. */
static bool
read_amount(const struct import *import, const struct currency *currency, int64_t *out, struct error *err)
{
	const char *text = import->value[FIELD_AMOUNT];
	struct money money;

	if (!money_parse(text, currency, &money, err) || money.minor <= 0)
		return refuse_value(import, FIELD_AMOUNT, err, "a payment has an amount that is none of its currency",
		    arena_format(&import->run->arena, "Write a plain decimal number above zero with at most %d decimals.",
			currency->minor_units));
	*out = money.minor;
	return true;
}

static struct payment_sum *
sum_of(struct import *import, const struct currency *currency)
{
	struct payment_sum *sum;

	for (size_t i = 0; i < import->sum_count; i++)
		if (strcmp(import->sums[i].currency, currency->code) == 0)
			return &import->sums[i];
	import->sums = memory_grow(import->sums, &import->sum_capacity, import->sum_count + 1, sizeof *import->sums);
	sum = &import->sums[import->sum_count++];
	*sum = (struct payment_sum){.minor_units = currency->minor_units};
	snprintf(sum->currency, sizeof sum->currency, "%s", currency->code);
	return sum;
}

/* Splits a payment into what was due, what had been written off, and the rest. */
static bool
add_payment(struct import *import, const struct rows *invoice, const struct currency *currency, int64_t amount, struct error *err)
{
	int64_t due = row_number(invoice, 0, INVOICE_DUE), written_off = row_number(invoice, 0, INVOICE_WRITTEN_OFF);
	int64_t above = amount > due ? amount - (due > 0 ? due : 0) : 0;
	struct booking booking = {.reference = import->value[FIELD_REFERENCE],
	    .method = "import",
	    .invoice_id = row_text(invoice, 0, INVOICE_ID),
	    .paid_on = import->value[FIELD_PAID_ON],
	    .amount = amount,
	    .recovered = above < written_off ? above : written_off};
	struct payment_sum *sum = sum_of(import, currency);

	booking.excess = above - booking.recovered;
	if (__builtin_add_overflow(sum->amount, amount, &sum->amount))
		return error_set(err, ERROR_RANGE, "the payments of a file come to more than a sum of %s holds", currency->code);
	sum->to_balance += booking.excess;
	sum->recovered += booking.recovered;
	sum->imported++;
	return book(import->run, &booking, booking.excess, err);
}

/* What is there under the same reference must be the same payment.  Columns of payment_find.sql: invoice, amount, currency,
 * decimals, date. */
static bool
compare_known(const struct import *import, const struct rows *known, int64_t amount, struct error *err)
{
	static const char remedy[] =
	    "A reference is one payment for ever: correct the row, or give another payment another reference.";
	enum field differs = FIELDS;

	if (strcmp(row_text(known, 0, 4), import->value[FIELD_PAID_ON]) != 0)
		differs = FIELD_PAID_ON;
	if (strcmp(row_text(known, 0, 2), import->value[FIELD_CURRENCY]) != 0)
		differs = FIELD_CURRENCY;
	if (row_number(known, 0, 1) != amount)
		differs = FIELD_AMOUNT;
	if (strcmp(row_text(known, 0, 0), import->value[FIELD_INVOICE]) != 0)
		differs = FIELD_INVOICE;
	return differs == FIELDS ||
	    refuse_value(import, differs, err,
		arena_format(&import->run->arena, "payment \"%.140s\" was imported before with another value",
		    import->value[FIELD_REFERENCE]),
		remedy);
}

static bool
import_known(struct import *import, const struct currency *currency, int64_t amount, bool *known, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_rows(import->run->db, SQL_LEDGER_PAYMENT_FIND, PARAMS(import->value[FIELD_REFERENCE]), &rows, err))
		return false;
	*known = rows.count > 0;
	if (*known) {
		fine = compare_known(import, &rows, amount, err);
		sum_of(import, currency)->known++;
	}
	rows_release(&rows);
	return fine;
}

static bool
check_issued(const struct import *import, const struct rows *invoice, struct error *err)
{
	return document_is_issued(import->run, import->value[FIELD_INVOICE], row_text(invoice, 0, INVOICE_ISSUED_ON), err) ||
	    error_at(err, import->file, import->line);
}

/* With the invoice's decimals: the currency may have left the table of currencies since. */
static bool
import_for(struct import *import, const struct rows *invoice, struct error *err)
{
	struct currency currency = {.minor_units = (int)row_number(invoice, 0, INVOICE_MINOR_UNITS)};
	int64_t amount = 0;
	bool known;

	snprintf(currency.code, sizeof currency.code, "%s", row_text(invoice, 0, INVOICE_CURRENCY));
	if (strcmp(currency.code, import->value[FIELD_CURRENCY]) != 0)
		return refuse_value(import, FIELD_CURRENCY, err, "a payment is in another currency than its invoice",
		    arena_format(&import->run->arena, "The invoice is in %s.", currency.code));
	return read_amount(import, &currency, &amount, err) && import_known(import, &currency, amount, &known, err) &&
	    (known || (check_issued(import, invoice, err) && add_payment(import, invoice, &currency, amount, err)));
}

static bool
import_row(struct import *import, struct error *err)
{
	struct rows invoice;
	bool fine;

	if (!take_values(import, err) || !check_reference(import, err) || !check_date(import, err) ||
	    !db_rows(import->run->db, SQL_LEDGER_PAYMENT_INVOICE, PARAMS(import->value[FIELD_INVOICE]), &invoice, err))
		return false;
	fine = invoice.count == 1 ? import_for(import, &invoice, err)
				  : refuse_value(import, FIELD_INVOICE, err, "a payment is of no final invoice",
					"Give the number of an invoice; tollbook invoice list shows them.");
	rows_release(&invoice);
	return fine;
}

/* --- all of it ------------------------------------------------------------------------------- */

static bool
import_rows(struct import *import, struct error *err)
{
	bool there = true, fine = read_header(import, err);

	while (fine && there) {
		fine = next_row(import, &there, err);
		if (fine && there)
			fine = import_row(import, err);
	}
	return fine;
}

static bool
audit_import(struct run *run, const struct payment_sum *sum, const char *path, struct error *err)
{
	struct currency currency = {.minor_units = sum->minor_units};
	char text[DECIMAL_TEXT];
	struct audit entry = {.action = "payment import", .subject = path};

	entry.after = arena_format(&run->arena, "%lld new payments, %s %s", (long long)sum->imported,
	    money_format((struct money){sum->amount, &currency}, text), sum->currency);
	return sum->imported == 0 || audit_add(run, &entry, err);
}

static bool
import_within(struct import *import, payment_summed *told, void *context, struct error *err)
{
	if (!books_lock(import->run, err) || !import_rows(import, err))
		return false;
	for (size_t i = 0; i < import->sum_count; i++) {
		if (!audit_import(import->run, &import->sums[i], import->file, err))
			return false;
		told(context, &import->sums[i]);
	}
	return true;
}

bool
payments_import(struct run *run, const char *path, payment_summed *told, void *context, struct error *err)
{
	struct import import = {.run = run, .file = strcmp(path, "-") == 0 ? "standard input" : path, .next_line = 1};
	struct text text = {0};
	bool fine = document_read(path, &text, err) && db_begin(run->db, err);

	if (fine) {
		import.row = csv_row_new(',');
		import.at = text.bytes;
		import.end = text.bytes + text.length;
		fine = import_within(&import, told, context, err);
		if (fine && !run->dry_run)
			fine = db_commit(run->db, err);
		else
			db_rollback(run->db);
		csv_row_free(import.row);
	}
	arena_release(&import.arena);
	free(import.sums);
	text_release(&text);
	return fine;
}
