/*
 * credit_note_document.h -- a credit note as people and programs read it; nothing in it changes after it was issued.
 */
#ifndef LEDGER_CREDIT_NOTE_DOCUMENT_H
#define LEDGER_CREDIT_NOTE_DOCUMENT_H

#include "base/command.h"

/* Columns of credit_note_find.sql. */
enum note_column {
	NOTE_ID,
	NOTE_NUMBER,
	NOTE_INVOICE,
	NOTE_INVOICE_DATE,
	NOTE_ISSUER,
	NOTE_ISSUER_NAME,
	NOTE_TENANT,
	NOTE_TENANT_NAME,
	NOTE_SCOPE,
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
	NOTE_TICKET,
	NOTE_TEXT,
	NOTE_REQUEST,
	NOTE_ISSUED_ON,
	NOTE_ISSUED_BY,
	NOTE_DIGEST,
	NOTE_PERIOD,
};

/* A table has a head; JSON and CSV are the lines alone.  STATE where there is none of this number.  The stream remembers a write that
 * failed. */
MUST_CHECK
bool credit_note_show(struct run *run, const char *number, enum output_format format, FILE *out, struct error *err);
/* As a document to give out: as text, and as JSON with all that the text has (docs/formats.md). */
MUST_CHECK
bool credit_note_issued(struct run *run, const char *number, FILE *text, FILE *json, struct error *err);

#endif
