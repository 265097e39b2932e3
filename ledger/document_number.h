/*
 * document_number.h -- numbers of documents: without gap or double in each series of an issuer and year, rising with dates.
 */
#ifndef LEDGER_DOCUMENT_NUMBER_H
#define LEDGER_DOCUMENT_NUMBER_H

#include "base/command.h"

struct document_number {
	const char *text; /* TF-INV-2026-000001; in the arena of the run */
	int64_t place;
};

/* Each has a series of its own, which the issuer states. */
enum document_kind { DOCUMENT_INVOICE, DOCUMENT_CREDIT_NOTE };

/* Numbers that were taken together: `first`, and those that come next. */
struct document_numbers {
	const char *issuer, *series, *date; /* of the caller; in the arena of the run; of the caller */
	int64_t first;
};
/* Takes the next `count` numbers, as document_number_take() does one. */
MUST_CHECK
bool document_numbers_take(struct run *run, const char *issuer, enum document_kind kind, const char *date, int64_t count,
    struct document_numbers *out, struct error *err);
/* The text of the one that stands at this place; in the arena. */
const char *document_number_text(struct arena *arena, const struct document_numbers *numbers, int64_t place);

/* Takes the next number of the issuer's series for a kind and a date of issue (YYYY-MM-DD), in the caller's transaction.
 * ERROR_STATE where the series has a later date already. */
MUST_CHECK
bool document_number_take(struct run *run, const char *issuer, enum document_kind kind, const char *date,
    struct document_number *out, struct error *err);
/* What is booked of a document is not booked before it: ERROR_STATE where run->now is before its day (YYYY-MM-DD). */
MUST_CHECK
bool document_is_issued(const struct run *run, const char *number, const char *issued_on, struct error *err);

#endif
