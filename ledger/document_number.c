/* document_number.c -- see document_number.h. */
#include "ledger/document_number.h"

#include <string.h>

static bool
find_series(struct run *run, const char *issuer, enum document_kind kind, const char **out, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_LEDGER_ISSUER_SERIES, PARAMS(issuer, kind == DOCUMENT_CREDIT_NOTE ? "t" : "f"), &rows, err))
		return false;
	*out = arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	return true;
}

bool
document_numbers_take(struct run *run, const char *issuer, enum document_kind kind, const char *date, int64_t count,
    struct document_numbers *out, struct error *err)
{
	struct rows rows;

	*out = (struct document_numbers){.issuer = issuer, .date = date};
	if (!find_series(run, issuer, kind, &out->series, err) ||
	    !db_rows(
		run->db, SQL_LEDGER_NUMBER_TAKE, PARAMS(issuer, out->series, date, param_number(&run->arena, count)), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "issuer %s has issued a document of series %s with a later date than %s", issuer,
		    out->series, date);
		return error_hint(err, "Numbers rise with dates: do it with a date (--as-of) that is not before the last one.");
	}
	out->first = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

const char *
document_number_text(struct arena *arena, const struct document_numbers *numbers, int64_t place)
{
	return arena_format(arena, "%s-%s-%.4s-%06lld", numbers->issuer, numbers->series, numbers->date, (long long)place);
}

bool
document_number_take(struct run *run, const char *issuer, enum document_kind kind, const char *date, struct document_number *out,
    struct error *err)
{
	struct document_numbers numbers;

	if (!document_numbers_take(run, issuer, kind, date, 1, &numbers, err))
		return false;
	*out = (struct document_number){document_number_text(&run->arena, &numbers, numbers.first), numbers.first};
	return true;
}

bool
document_is_issued(const struct run *run, const char *number, const char *issued_on, struct error *err)
{
	char now[INSTANT_TEXT];

	instant_format(run->now, now);
	if (strncmp(now, issued_on, strlen("YYYY-MM-DD")) >= 0)
		return true;
	error_set(err, ERROR_STATE, "%s was issued on %s: nothing of it is booked on %.10s", number, issued_on, now);
	return error_hint(err, "Do it with a date (--as-of) that is not before the document's.");
}
