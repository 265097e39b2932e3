/* invoice.c -- see invoice.h. */
#include "ledger/invoice.h"

#include <string.h>

#include "base/digest.h"

/* --- drafts ---------------------------------------------------------------------------------- */

enum draft_column {
	DRAFT_TENANT,
	DRAFT_PERIOD,
	DRAFT_RATING,
	DRAFT_STATUS,   /* of an invoice that exists, or NULL */
	DRAFT_CURRENCY, /* of the contract at the period's end, or NULL without one */
	DRAFT_FOREIGN,  /* charges in another currency */
	DRAFT_LINES,    /* charges that make lines */
};

struct line_total {
	struct money total;
	struct decimal exact;
	int64_t lines;
};

/* Rounds each charge and writes it as a line; columns of charges_for_lines.sql: ordinal, amount. */
static bool
add_lines(struct run *run, const char *invoice_id, const char *rating_id, struct line_total *sum, struct error *err)
{
	struct rows charges;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_CHARGES_FOR_LINES, PARAMS(rating_id), &charges, err))
		return false;
	for (int i = 0; fine && i < charges.count; i++) {
		struct decimal exact = row_decimal(&charges, i, 1);
		struct money rounded;

		fine = money_round(exact, sum->total.currency, ROUND_HALF_UP, &rounded, err) &&
		    money_add(sum->total, rounded, &sum->total, err) && decimal_add(sum->exact, exact, &sum->exact, err) &&
		    db_change(run->db, SQL_LEDGER_LINE_ADD,
			PARAMS(invoice_id, param_number(&run->arena, i + 1), rating_id, row_text(&charges, i, 0),
			    param_number(&run->arena, rounded.minor)),
			1, err);
		sum->lines++;
	}
	rows_release(&charges);
	return fine;
}

static bool
draft_drop(struct run *run, const struct rows *due, int row, struct error *err)
{
	return db_change(run->db, SQL_LEDGER_DRAFT_DELETE,
	    PARAMS(row_text(due, row, DRAFT_TENANT), row_text(due, row, DRAFT_PERIOD)), -1, err);
}

static bool
draft_one(struct run *run, const struct rows *due, int row, struct line_total *sum, struct error *err)
{
	const char *rating_id = row_text(due, row, DRAFT_RATING);
	char exact[DECIMAL_TEXT];
	const char *invoice_id;
	struct rows made;

	*sum = (struct line_total){.total.currency = currency_find(row_text(due, row, DRAFT_CURRENCY))};
	must(sum->total.currency != NULL);
	if (!draft_drop(run, due, row, err) ||
	    !db_one_row(run->db, SQL_LEDGER_DRAFT_ADD,
		PARAMS(rating_id, param_number(&run->arena, sum->total.currency->minor_units),
		    param_instant(&run->arena, run->now), run->by),
		&made, err))
		return false;
	invoice_id = arena_copy(&run->arena, row_text(&made, 0, 0), row_length(&made, 0, 0));
	rows_release(&made);
	return add_lines(run, invoice_id, rating_id, sum, err) &&
	    db_change(run->db, SQL_LEDGER_DRAFT_TOTAL,
		PARAMS(invoice_id, param_number(&run->arena, sum->total.minor), decimal_format(sum->exact, exact)), 1, err);
}

static const char *
reason_to_skip(const struct rows *due, int row)
{
	if (strcmp(row_text(due, row, DRAFT_STATUS), "final") == 0)
		return "invoiced already";
	if (row_is_null(due, row, DRAFT_CURRENCY))
		return "no contract: its usage is on hold";
	if (row_number(due, row, DRAFT_FOREIGN) > 0)
		return "has charges in another currency than its contract";
	if (row_number(due, row, DRAFT_LINES) == 0)
		return "nothing is charged: its usage is on hold, free or taken back";
	return NULL;
}

static bool
draft_all(struct run *run, const struct rows *due, invoice_drafted *told, void *context, struct error *err)
{
	for (int i = 0; i < due->count; i++) {
		struct drafted drafted = {.tenant = row_text(due, i, DRAFT_TENANT),
		    .period = row_text(due, i, DRAFT_PERIOD),
		    .skipped = reason_to_skip(due, i)};
		struct line_total sum;

		/* An older draft of what is not charged any more would stand in the way of finalizing for ever. */
		if (drafted.skipped != NULL && !draft_drop(run, due, i, err))
			return false;
		if (drafted.skipped == NULL) {
			if (!draft_one(run, due, i, &sum, err))
				return error_wrap(err, "drafting %s of %s", drafted.period, drafted.tenant);
			drafted.total = sum.total;
			drafted.lines = sum.lines;
		}
		told(context, &drafted);
	}
	return true;
}

bool
invoices_draft(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	struct rows due;
	bool fine;

	if (!db_begin(run->db, err))
		return false;
	fine = db_rows(run->db, SQL_LEDGER_DRAFTS_DUE, PARAMS(scope.period, scope.tenant), &due, err);
	if (fine) {
		fine = draft_all(run, &due, told, context, err);
		rows_release(&due);
	}
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}

/* --- finalizing ------------------------------------------------------------------------------ */

enum final_column {
	FINAL_INVOICE,
	FINAL_TENANT,
	FINAL_PERIOD,
	FINAL_ISSUER,
	FINAL_ENDED,
	FINAL_IN_FORCE,
	FINAL_DUE,
	FINAL_UNSUMMED,
	FINAL_NEGATIVE,
	FINAL_EARLIER
};

static const char *
reason_to_refuse(const struct rows *drafts, int row)
{
	if (!row_bool(drafts, row, FINAL_ENDED))
		return "the period has not ended yet";
	if (!row_bool(drafts, row, FINAL_IN_FORCE))
		return "the charges changed since it was drafted: run tollbook invoice draft again";
	if (row_bool(drafts, row, FINAL_DUE) || row_bool(drafts, row, FINAL_UNSUMMED))
		return "usage, prices or a contract of the period are not rated yet: run tollbook rate, then tollbook invoice "
		       "draft";
	if (row_bool(drafts, row, FINAL_EARLIER))
		return "what it costs counts on from an earlier period that is still a draft: finalize that first";
	if (row_bool(drafts, row, FINAL_NEGATIVE))
		return "its total is less than zero: look at the contract's terms, then run tollbook rate and tollbook invoice "
		       "draft";
	return NULL;
}

static void
digest_columns(struct digest *digest, const struct rows *rows, int row, int columns)
{
	for (int j = 0; j < columns; j++)
		digest_field(digest, row_text(rows, row, j), row_length(rows, row, j));
}

/* What lines did not say at first is left out where it says nothing.  A line begins with a number and that with a word, so that the
 * two cannot be taken for each other. */
static void
digest_lines(struct digest *digest, const struct rows *lines)
{
	enum { FIRST_COLUMNS = 16, ALL_COLUMNS = 19, SAYS_MORE = ALL_COLUMNS };

	digest_number(digest, lines->count);
	for (int i = 0; i < lines->count; i++)
		digest_columns(digest, lines, i, row_bool(lines, i, SAYS_MORE) ? ALL_COLUMNS : FIRST_COLUMNS);
}

bool
invoice_content_digest(struct run *run, const char *invoice_id, const char *number, const char *date,
    unsigned char out[DIGEST_SIZE], struct error *err)
{
	enum { HEADER_COLUMNS = 13 };
	struct digest *digest;
	struct rows header, lines;

	if (!db_one_row(run->db, SQL_LEDGER_INVOICE_CONTENT, PARAMS(invoice_id), &header, err))
		return false;
	if (!db_rows(run->db, SQL_LEDGER_INVOICE_CONTENT_LINES, PARAMS(invoice_id), &lines, err)) {
		rows_release(&header);
		return false;
	}
	digest = digest_new();
	digest_field(digest, number, strlen(number));
	digest_field(digest, date, strlen(date));
	digest_number(digest, header.count);
	digest_columns(digest, &header, 0, HEADER_COLUMNS);
	digest_lines(digest, &lines);
	digest_end(digest, out);
	digest_free(digest);
	rows_release(&header);
	rows_release(&lines);
	return true;
}

/* Takes the next number of the issuer's series of the year of issue. */
static bool
take_number(struct run *run, const char *issuer, const char *date, int64_t *number, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_NUMBER_TAKE, PARAMS(issuer, date), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "issuer %s has issued an invoice with a later date than %s", issuer, date);
		return error_hint(
		    err, "Numbers rise with dates: finalize with a date (--as-of) that is not before the last one.");
	}
	*number = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

static bool
finalize_one(struct run *run, const char *invoice_id, const char *issuer, const char **number, struct error *err)
{
	char now[INSTANT_TEXT];
	const char *date = arena_format(&run->arena, "%.10s", instant_format(run->now, now));
	unsigned char sum[DIGEST_SIZE];
	int64_t taken = 0;

	if (!take_number(run, issuer, date, &taken, err))
		return false;
	*number = arena_format(&run->arena, "%s-INV-%.4s-%06lld", issuer, date, (long long)taken);
	return invoice_content_digest(run, invoice_id, *number, date, sum, err) &&
	    db_change(run->db, SQL_LEDGER_INVOICE_FINALIZE,
		PARAMS(invoice_id, *number, param_number(&run->arena, taken), date, param_instant(&run->arena, run->now), run->by,
		    param_hex(&run->arena, sum, sizeof sum)),
		1, err);
}

/* Looks again, alone: what stood there when the drafts were listed may have changed since.  A draft that is gone by now, or final,
 * has a NULL number. */
static bool
finalize_alone(struct run *run, struct finalized *finalized, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_one_row(run->db, SQL_LEDGER_FINAL_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	if (!db_rows(run->db, SQL_LEDGER_FINALS_DUE,
		PARAMS(finalized->period, finalized->tenant, param_instant(&run->arena, run->now)), &rows, err))
		return false;
	finalized->number = NULL;
	if (rows.count == 1) {
		finalized->number = "";
		finalized->refused = reason_to_refuse(&rows, 0);
		fine = finalized->refused != NULL ||
		    finalize_one(
			run, row_text(&rows, 0, FINAL_INVOICE), row_text(&rows, 0, FINAL_ISSUER), &finalized->number, err);
	}
	rows_release(&rows);
	return fine;
}

/* One invoice, one transaction: its number exists only if the invoice does.  A dry run is one for all, so that its numbers rise. */
static bool
finalize_within(struct run *run, struct finalized *finalized, struct error *err)
{
	if (run->dry_run)
		return finalize_alone(run, finalized, err);
	if (!db_begin(run->db, err))
		return false;
	if (finalize_alone(run, finalized, err))
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

bool
invoices_finalize(struct run *run, struct invoice_scope scope, invoice_finalized *told, void *context, struct error *err)
{
	struct rows drafts;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_FINALS_DUE, PARAMS(scope.period, scope.tenant, param_instant(&run->arena, run->now)),
		&drafts, err))
		return false;
	fine = !run->dry_run || db_begin(run->db, err);
	for (int i = 0; fine && i < drafts.count; i++) {
		struct finalized finalized = {
		    .tenant = row_text(&drafts, i, FINAL_TENANT), .period = row_text(&drafts, i, FINAL_PERIOD)};

		fine = finalize_within(run, &finalized, err);
		if (!fine)
			error_wrap(err, "finalizing %s of %s", finalized.period, finalized.tenant);
		else if (finalized.number != NULL)
			told(context, &finalized);
	}
	if (run->dry_run)
		db_rollback(run->db);
	rows_release(&drafts);
	return fine;
}
