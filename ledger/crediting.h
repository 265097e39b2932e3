/*
 * crediting.h -- the inside of credit notes: an invoice as notes left it, and a note on its way to the books.
 */
#ifndef LEDGER_CREDITING_H
#define LEDGER_CREDITING_H

#include "base/money.h"
#include "ledger/credit.h"
#include "ledger/credit_note.h"
#include "ledger/credit_note_amounts.h"

/* Columns of credit_note_invoice.sql. */
enum invoice_column {
	INVOICE_ID,
	INVOICE_NUMBER,
	INVOICE_DATE,
	INVOICE_KIND,
	INVOICE_PERIOD,
	INVOICE_TENANT,
	INVOICE_TENANT_NAME,
	INVOICE_ISSUER,
	INVOICE_ISSUER_NAME,
	INVOICE_CURRENCY,
	INVOICE_MINOR_UNITS,
	INVOICE_TAX_NAME,
	INVOICE_TAX_PERCENT,
	INVOICE_NET_LEFT,
	INVOICE_CREDITS_LEFT,
	INVOICE_TAX_LEFT,
	INVOICE_DUE,
	INVOICE_WRITTEN_OFF,
	INVOICE_FULL_NOTE,
	INVOICE_MONTH_CLOSED,
};

/* An invoice as credit notes left it. */
struct credited_invoice {
	struct rows row;
	struct currency currency;
	struct creditable left;
};

/* By its number, or by its id where `number` is NULL; ended with credited_release().  ERROR_STATE where there is no such final invoice. */
MUST_CHECK
bool credited_read(
    struct run *run, const char *number, const char *invoice_id, struct credited_invoice *invoice, struct error *err);
void credited_release(struct credited_invoice *invoice);
const char *credited_text(const struct credited_invoice *invoice, enum invoice_column column);
int64_t credited_minor(const struct credited_invoice *invoice, enum invoice_column column);
/* "12.50 USD", in the arena. */
const char *credited_amount(struct run *run, const struct credited_invoice *invoice, int64_t minor);

/* The parameters of credit_note_add.sql; those before NOTE_SAID are what the digest covers, and the columns of
 * credit_note_content.sql. */
enum note_field {
	NOTE_NUMBER,
	NOTE_ISSUED_ON,
	NOTE_SCOPE,
	NOTE_ISSUER,
	NOTE_ISSUER_NAME,
	NOTE_TENANT,
	NOTE_TENANT_NAME,
	NOTE_ORIGINAL_NUMBER,
	NOTE_ORIGINAL_DATE,
	NOTE_CURRENCY,
	NOTE_MINOR_UNITS,
	NOTE_NET,
	NOTE_CREDITS,
	NOTE_TAX_NAME,
	NOTE_TAX_PERCENT,
	NOTE_TAX,
	NOTE_TOTAL,
	NOTE_TO_BALANCE,
	NOTE_TO_REFUND,
	NOTE_REASON,
	NOTE_TEXT,
	NOTE_SAID,
	NOTE_ORIGINAL = NOTE_SAID,
	NOTE_SERIES_NUMBER,
	NOTE_TICKET,
	NOTE_REQUEST,
	NOTE_ISSUED_AT,
	NOTE_ISSUED_BY,
	NOTE_CONTENT_DIGEST,
	NOTE_FIELDS
};

/* A line, as parameters: of the invoice or for an adjustment. */
struct note_line {
	const char *line, *adjustment, *amount, *credits;
	/* Of an adjustment. */
	int64_t key, minor, minor_by_credits;
};

struct note {
	const char *field[NOTE_FIELDS];
	struct note_line *lines;
	size_t count;
};

/* A note as it is to be written. */
struct issue {
	struct credited_invoice invoice;
	struct credit_note_totals totals;
	struct note note;
	enum credit_scope scope;
	/* What adjustments give back to grants; of lines it follows from these. */
	struct credit_part *parts;
	size_t part_count;
};

/* Takes the adjustments that wait and are owed to the tenant, those of a re-rate or, where rerate_id is NULL, all, and adds up what they
 * come to.  *verdict says whether the invoice allows it. */
MUST_CHECK
bool note_take_adjustments(
    struct run *run, const char *rerate_id, struct issue *issue, enum credit_verdict *verdict, struct error *err);
/* As the database knows it: "full", "lines" ... */
const char *credit_scope_name(enum credit_scope scope);
/* Numbers, date and amounts of a note whose lines are filled in, and reason, ticket, note and request too; writes it, and all that follows
 * from it.  *number is in the arena. */
MUST_CHECK
bool note_issue(struct run *run, struct issue *issue, bool refund, const char **number, struct error *err);

#endif
