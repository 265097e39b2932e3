/* credited_invoice.c -- an invoice as credit notes left it; see crediting.h. */
#include "ledger/crediting.h"

#include <stdlib.h>
#include <string.h>

const char *
credited_text(const struct credited_invoice *invoice, enum invoice_column column)
{
	return row_text(&invoice->row, 0, (int)column);
}

int64_t
credited_minor(const struct credited_invoice *invoice, enum invoice_column column)
{
	return row_number(&invoice->row, 0, (int)column);
}

void
credited_release(struct credited_invoice *invoice)
{
	rows_release(&invoice->row);
	free(invoice->left.lines);
}

const char *
credited_amount(struct run *run, const struct credited_invoice *invoice, int64_t minor)
{
	char text[DECIMAL_TEXT];

	return arena_format(
	    &run->arena, "%s %s", money_format((struct money){minor, &invoice->currency}, text), invoice->currency.code);
}

static bool
settle_adjustments(struct run *run, struct credited_invoice *invoice, struct error *err)
{
	int64_t owed = 0; /* by the tenant: below 0, and what the note took of it is less by that */
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_SETTLED, PARAMS(credited_text(invoice, INVOICE_ID)), &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		owed += row_number(&rows, i, 1);
		if (owed > 0) {
			fine = creditable_settle(&invoice->left, row_number(&rows, i, 0), owed, err);
			owed = 0;
		}
	}
	rows_release(&rows);
	return fine;
}

static int64_t
credits_of_line(const struct credit_uses *uses, int64_t line)
{
	int64_t sum = 0;

	for (size_t i = 0; i < uses->count; i++)
		if (uses->item[i].line == line)
			sum += uses->item[i].left;
	return sum;
}

static bool
read_credits_left(struct run *run, struct credited_invoice *invoice, int64_t *sum, struct error *err)
{
	struct creditable *left = &invoice->left;
	struct credit_uses uses;
	bool fine = credit_uses_left(run, credited_text(invoice, INVOICE_ID), &uses, err);

	*sum = 0;
	for (size_t i = 0; fine && i < left->count; i++) {
		left->lines[i].credits = credits_of_line(&uses, left->lines[i].number);
		*sum += left->lines[i].credits;
	}
	free(uses.item);
	return fine;
}

static bool
read_left(struct run *run, struct credited_invoice *invoice, struct error *err)
{
	struct creditable *left = &invoice->left;
	int64_t credits;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LEFT, PARAMS(credited_text(invoice, INVOICE_ID)), &rows, err))
		return false;
	*left = (struct creditable){.lines = memory_new((size_t)rows.count, sizeof *left->lines),
	    .count = (size_t)rows.count,
	    .tax = credited_minor(invoice, INVOICE_TAX_LEFT),
	    .percent = row_decimal(&invoice->row, 0, INVOICE_TAX_PERCENT),
	    .currency = &invoice->currency};
	for (int i = 0; i < rows.count; i++)
		left->lines[i] = (struct creditable_line){
		    .number = row_number(&rows, i, 0), .key = row_number(&rows, i, 1), .money = row_number(&rows, i, 2)};
	rows_release(&rows);
	if (!read_credits_left(run, invoice, &credits, err) || !settle_adjustments(run, invoice, err))
		return false;
	if (creditable_net(left) == credited_minor(invoice, INVOICE_NET_LEFT) &&
	    credits == credited_minor(invoice, INVOICE_CREDITS_LEFT))
		return true;
	error_set(err, ERROR_STATE, "the lines of %s and their credit notes do not come to what its header says",
	    credited_text(invoice, INVOICE_NUMBER));
	return error_hint(err, "Somebody changed the books: run tollbook reconcile.");
}

bool
credited_read(struct run *run, const char *number, const char *invoice_id, struct credited_invoice *invoice, struct error *err)
{
	*invoice = (struct credited_invoice){0};
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_INVOICE, PARAMS(number, invoice_id), &invoice->row, err))
		return false;
	if (invoice->row.count != 1) {
		error_set(err, ERROR_STATE, "there is no final invoice \"%s\"", number == NULL ? invoice_id : number);
		error_hint(err, "tollbook invoice list shows their numbers.  A draft needs no credit note: it is made again.");
		rows_release(&invoice->row);
		return false;
	}
	invoice->currency.minor_units = (int)credited_minor(invoice, INVOICE_MINOR_UNITS);
	snprintf(invoice->currency.code, sizeof invoice->currency.code, "%s", credited_text(invoice, INVOICE_CURRENCY));
	if (read_left(run, invoice, err))
		return true;
	credited_release(invoice);
	return false;
}
