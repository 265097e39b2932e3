/* invoice.c -- see invoice.h; drafts are made in invoice_draft.c, and made final in invoice_finalize.c. */
#include "ledger/invoice.h"

#include <string.h>

#include "base/digest.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/document_number.h"
#include "ledger/invoicing.h"
#include "ledger/reason.h"

bool
invoicing_concerns_all(struct run *run, const struct error *err)
{
	return err->kind == ERROR_AWAY || err->kind == ERROR_BUSY || !db_is_open(run->db);
}

bool
invoicing_plan(struct run *run, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_LEDGER_DOCUMENT_PLANS, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

/* --- what an invoice says -------------------------------------------------------------------- */

/* Columns of invoice_content.sql behind those that headers said at first, and of these the total. */
enum content_column {
	CONTENT_TOTAL = 11,
	CONTENT_EXACT,
	CONTENT_KIND,
	CONTENT_CREDITS,
	CONTENT_TAX_NAME,
	CONTENT_TAX_PERCENT,
	CONTENT_TAX,
	CONTENT_RATING_RUN,
	CONTENT_SAYS_TAX
};

static void
digest_column(struct digest *digest, const struct rows *rows, int row, int column)
{
	digest_field(digest, row_text(rows, row, column), row_length(rows, row, column));
}

static void
digest_columns(struct digest *digest, const struct rows *rows, int row, int columns)
{
	for (int j = 0; j < columns; j++)
		digest_column(digest, rows, row, j);
}

/* What headers did not say at first is left out where it says nothing.  Each begins with a word, and none of the words is as
 * long as the number of lines that comes next, so that nothing can be taken for something else. */
static void
digest_header(struct digest *digest, const struct rows *header, int row, const struct invoice_content *content)
{
	digest_columns(digest, header, row, CONTENT_TOTAL);
	digest_integer(digest, content->total);
	digest_column(digest, header, row, CONTENT_EXACT);
	if (strcmp(row_text(header, row, CONTENT_KIND), "period") != 0) {
		digest_text(digest, "kind");
		digest_column(digest, header, row, CONTENT_KIND);
	}
	if (content->credits != 0) {
		digest_text(digest, "credits");
		digest_integer(digest, content->credits);
	}
	if (row_bool(header, row, CONTENT_SAYS_TAX) || content->tax != 0) {
		digest_text(digest, "tax");
		digest_column(digest, header, row, CONTENT_TAX_NAME);
		digest_column(digest, header, row, CONTENT_TAX_PERCENT);
		digest_integer(digest, content->tax);
	}
	if (!row_is_null(header, row, CONTENT_RATING_RUN)) {
		digest_text(digest, "rating_run");
		digest_column(digest, header, row, CONTENT_RATING_RUN);
	}
}

/* Columns of invoice_content_lines.sql: those that lines said at first, all, and what stands behind them. */
enum content_line {
	LINE_FIRST_COLUMNS = 16,
	LINE_ALL_COLUMNS = 19,
	LINE_SAYS_MORE = LINE_ALL_COLUMNS,
	LINE_ADJUSTMENT,
	LINE_PLACE
};

/* What lines did not say at first is left out where it says nothing.  A line begins with a number and that with a word, so that
 * the two cannot be taken for each other. */
static void
digest_lines(struct digest *digest, const struct rows *lines, int from, int to)
{
	digest_number(digest, to - from);
	for (int i = from; i < to; i++) {
		digest_columns(digest, lines, i, row_bool(lines, i, LINE_SAYS_MORE) ? LINE_ALL_COLUMNS : LINE_FIRST_COLUMNS);
		if (row_is_null(lines, i, LINE_ADJUSTMENT))
			continue;
		digest_text(digest, "adjustment");
		digest_column(digest, lines, i, LINE_ADJUSTMENT);
	}
}

static void
digest_content(struct digest *digest, struct invoice_content *content, const struct rows *headers, int row,
    const struct rows *lines, int *line)
{
	int from = *line;

	if (content->as_it_stands) {
		content->credits = row_number(headers, row, CONTENT_CREDITS);
		content->tax = row_number(headers, row, CONTENT_TAX);
		content->total = row_number(headers, row, CONTENT_TOTAL);
	}
	while (*line < lines->count && row_number(lines, *line, LINE_PLACE) == row + 1)
		++*line;
	digest_begin(digest);
	digest_text(digest, content->number);
	digest_text(digest, content->date);
	digest_number(digest, 1); /* headers */
	digest_header(digest, headers, row, content);
	digest_lines(digest, lines, from, *line);
	digest_end(digest, content->digest);
}

static bool
load_contents(struct run *run, const struct invoice_content *contents, size_t count, struct rows *headers, struct rows *lines,
    struct error *err)
{
	struct text invoices = {0};
	bool fine;

	for (size_t i = 0; i < count; i++)
		elements_add(&invoices, contents[i].invoice_id);
	elements_end(&invoices);
	fine = db_rows(run->db, SQL_LEDGER_INVOICE_CONTENT, PARAMS(text_string(&invoices)), headers, err) &&
	    db_rows(run->db, SQL_LEDGER_INVOICE_CONTENT_LINES, PARAMS(text_string(&invoices)), lines, err);
	text_release(&invoices);
	return fine;
}

bool
invoice_content_digests(struct run *run, struct invoice_content *contents, size_t count, struct error *err)
{
	struct rows headers = {0}, lines = {0};
	struct digest *digest;
	int line = 0;
	bool fine = load_contents(run, contents, count, &headers, &lines, err);

	if (fine) {
		must((size_t)headers.count == count);
		digest = digest_new();
		for (int i = 0; i < headers.count; i++)
			digest_content(digest, &contents[i], &headers, i, &lines, &line);
		digest_free(digest);
		must(line == lines.count);
	}
	rows_release(&headers);
	rows_release(&lines);
	return fine;
}

bool
invoice_content_digest(struct run *run, const char *invoice_id, const char *number, const char *date,
    unsigned char out[DIGEST_SIZE], struct error *err)
{
	struct invoice_content content = {.invoice_id = invoice_id, .number = number, .date = date, .as_it_stands = true};

	if (!invoice_content_digests(run, &content, 1, err))
		return false;
	memcpy(out, content.digest, DIGEST_SIZE);
	return true;
}

/* --- writing off ----------------------------------------------------------------------------- */

static bool
write_off(struct run *run, const char *number, const char *reason, const char *ticket, struct written_off *out, struct error *err)
{
	enum { INVOICE, CURRENCY, MINOR_UNITS, DUE, WRITTEN_OFF, ISSUED_ON };
	struct rows invoice;
	bool fine;

	if (!books_lock(run, err) || !reason_check(run, reason, "write_off", err) ||
	    !db_rows(run->db, SQL_LEDGER_PAYMENT_INVOICE, PARAMS(number), &invoice, err))
		return false;
	if (invoice.count == 0 || row_number(&invoice, 0, DUE) <= 0) {
		error_set(
		    err, ERROR_STATE, invoice.count == 0 ? "there is no final invoice \"%s\"" : "nothing is due of %s", number);
		rows_release(&invoice);
		return error_hint(err, "tollbook invoice list shows what there is, and what is due of it.");
	}
	*out = (struct written_off){.minor = row_number(&invoice, 0, DUE),
	    .minor_units = (int)row_number(&invoice, 0, MINOR_UNITS),
	    .currency = arena_copy(&run->arena, row_text(&invoice, 0, CURRENCY), row_length(&invoice, 0, CURRENCY))};
	fine = document_is_issued(run, number, row_text(&invoice, 0, ISSUED_ON), err) &&
	    db_change(run->db, SQL_LEDGER_WRITE_OFF_ADD,
		PARAMS(row_text(&invoice, 0, INVOICE), param_number(&run->arena, out->minor), reason, ticket,
		    param_instant(&run->arena, run->now), run->by),
		1, err);
	rows_release(&invoice);
	return fine;
}

static bool
audit_write_off(
    struct run *run, const char *number, const char *reason, const char *ticket, const struct written_off *off, struct error *err)
{
	struct currency currency = {.minor_units = off->minor_units};
	char text[DECIMAL_TEXT];
	struct audit entry = {.action = "invoice uncollectible", .subject = number, .reason = reason, .ticket = ticket};

	entry.before =
	    arena_format(&run->arena, "due %s %s", money_format((struct money){off->minor, &currency}, text), off->currency);
	entry.after = arena_format(&run->arena, "due %s %s", money_format((struct money){0, &currency}, text), off->currency);
	return audit_add(run, &entry, err);
}

bool
invoice_write_off(
    struct run *run, const char *number, const char *reason, const char *ticket, struct written_off *out, struct error *err)
{
	bool fine;

	if (!db_begin(run->db, err))
		return false;
	fine = write_off(run, number, reason, ticket, out, err) && audit_write_off(run, number, reason, ticket, out, err);
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}
