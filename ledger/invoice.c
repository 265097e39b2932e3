/* invoice.c -- see invoice.h; drafts are made in invoice_draft.c. */
#include "ledger/invoice.h"

#include <string.h>

#include "base/digest.h"
#include "base/table.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/credit.h"
#include "ledger/document_number.h"
#include "ledger/invoicing.h"
#include "ledger/night_unit.h"
#include "ledger/payment.h"
#include "ledger/reason.h"
#include "ledger/tax.h"

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

/* --- finalizing ------------------------------------------------------------------------------ */

/* Columns of finals_due.sql. */
enum final_column {
	FINAL_INVOICE,
	FINAL_TENANT,
	FINAL_PERIOD,
	FINAL_ISSUER,
	FINAL_KIND,
	FINAL_CURRENCY,
	FINAL_MINOR_UNITS,
	FINAL_NET,
	FINAL_TAX_PERCENT,
	FINAL_ENDED,
	FINAL_IN_FORCE,
	FINAL_SETTLED, /* an adjustment on it, elsewhere */
	FINAL_CLAIMED,
	FINAL_CLOSED, /* for who asks */
	FINAL_DUE,
	FINAL_UNSUMMED,
	FINAL_NEGATIVE,
	FINAL_EARLIER,
	FINAL_PARKED, /* the reasons, NULL where none blocks */
};

static const char *
reason_to_refuse(struct run *run, const struct rows *drafts, int row, bool *parked)
{
	*parked = false;
	if (row_bool(drafts, row, FINAL_CLAIMED))
		return "the period is invoiced already: run tollbook invoice draft again";
	if (!row_bool(drafts, row, FINAL_ENDED))
		return "the period has not ended yet";
	if (row_bool(drafts, row, FINAL_CLOSED))
		return "its month is closed: what it comes to becomes an adjustment, by tollbook rerate";
	*parked = !row_is_null(drafts, row, FINAL_PARKED);
	if (*parked)
		return arena_format(
		    &run->arena, "parked (%s): tollbook parked list shows why", row_text(drafts, row, FINAL_PARKED));
	if (!row_bool(drafts, row, FINAL_IN_FORCE))
		return "the charges changed since it was drafted: run tollbook invoice draft again";
	if (row_bool(drafts, row, FINAL_SETTLED))
		return "an adjustment on it was settled elsewhere since it was drafted: run tollbook invoice draft again";
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

static void
digest_column(struct digest *digest, const struct rows *rows, int row, int column)
{
	digest_field(digest, row_text(rows, row, column), row_length(rows, row, column));
}

/* What headers did not say at first is left out where it says nothing.  Each begins with a word, and none of the words is as
 * long as the number of lines that comes next, so that nothing can be taken for something else. */
static void
digest_header(struct digest *digest, const struct rows *header)
{
	enum { FIRST_COLUMNS = 13, KIND = FIRST_COLUMNS, CREDITS, TAX_NAME, TAX_PERCENT, TAX, RATING_RUN, SAYS_TAX };

	digest_columns(digest, header, 0, FIRST_COLUMNS);
	if (strcmp(row_text(header, 0, KIND), "period") != 0) {
		digest_text(digest, "kind");
		digest_column(digest, header, 0, KIND);
	}
	if (row_number(header, 0, CREDITS) != 0) {
		digest_text(digest, "credits");
		digest_column(digest, header, 0, CREDITS);
	}
	if (row_bool(header, 0, SAYS_TAX)) {
		digest_text(digest, "tax");
		for (int column = TAX_NAME; column <= TAX; column++)
			digest_column(digest, header, 0, column);
	}
	if (!row_is_null(header, 0, RATING_RUN)) {
		digest_text(digest, "rating_run");
		digest_column(digest, header, 0, RATING_RUN);
	}
}

/* What lines did not say at first is left out where it says nothing.  A line begins with a number and that with a word, so that
 * the two cannot be taken for each other. */
static void
digest_lines(struct digest *digest, const struct rows *lines)
{
	enum { FIRST_COLUMNS = 16, ALL_COLUMNS = 19, SAYS_MORE = ALL_COLUMNS, ADJUSTMENT };

	digest_number(digest, lines->count);
	for (int i = 0; i < lines->count; i++) {
		digest_columns(digest, lines, i, row_bool(lines, i, SAYS_MORE) ? ALL_COLUMNS : FIRST_COLUMNS);
		if (row_is_null(lines, i, ADJUSTMENT))
			continue;
		digest_text(digest, "adjustment");
		digest_column(digest, lines, i, ADJUSTMENT);
	}
}

bool
invoice_content_digest(struct run *run, const char *invoice_id, const char *number, const char *date,
    unsigned char out[DIGEST_SIZE], struct error *err)
{
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
	digest_header(digest, &header);
	digest_lines(digest, &lines);
	digest_end(digest, out);
	digest_free(digest);
	rows_release(&header);
	rows_release(&lines);
	return true;
}

/* Draws credits, and counts tax on what they leave; writes both into the draft, which the digest then covers. */
static bool
settle_amounts(struct run *run, const char *invoice_id, struct decimal tax_percent, struct finalized *out, struct error *err)
{
	struct money taxable;

	if (!credits_draw(run, invoice_id, &out->credits.minor, err))
		return false;
	must(out->credits.minor >= 0 && out->credits.minor <= out->net.minor);
	taxable = (struct money){out->net.minor - out->credits.minor, out->net.currency};
	return tax_of(taxable, tax_percent, &out->tax, err) && money_add(taxable, out->tax, &out->total, err) &&
	    db_change(run->db, SQL_LEDGER_FINAL_AMOUNTS,
		PARAMS(invoice_id, param_number(&run->arena, out->credits.minor), param_number(&run->arena, out->tax.minor),
		    param_number(&run->arena, out->total.minor)),
		1, err);
}

static bool
make_final(struct run *run, const char *invoice_id, const struct document_number *number, const char *date,
    unsigned char sum[DIGEST_SIZE], struct error *err)
{
	return invoice_content_digest(run, invoice_id, number->text, date, sum, err) &&
	    db_change(run->db, SQL_LEDGER_INVOICE_FINALIZE,
		PARAMS(invoice_id, number->text, param_number(&run->arena, number->place), date,
		    param_instant(&run->arena, run->now), run->by, param_hex(&run->arena, sum, DIGEST_SIZE)),
		1, err);
}

static void
add_amount(struct text *json, const char *name, struct money amount)
{
	char text[DECIMAL_TEXT];

	text_add_format(json, ",\"%s\":\"%s\"", name, money_format(amount, text));
}

/* What the nightly run says of an invoice; texts alone, but for the digest in bytes. */
static bool
note_unit(struct run *run, const struct finalized *finalized, const unsigned char sum[DIGEST_SIZE], struct error *err)
{
	const char *unit = arena_format(&run->arena, "%s %s %s", finalized->tenant, finalized->period, finalized->kind);
	char digest[DIGEST_HEX];
	struct text json = {0};
	bool fine;

	text_add_string(&json, "{\"number\":");
	text_add_json(&json, finalized->number);
	text_add_string(&json, ",\"tenant\":");
	text_add_json(&json, finalized->tenant);
	text_add_format(&json, ",\"period\":\"%s\",\"kind\":\"%s\",\"currency\":\"%s\"", finalized->period, finalized->kind,
	    finalized->net.currency->code);
	add_amount(&json, "net", finalized->net);
	add_amount(&json, "credits", finalized->credits);
	add_amount(&json, "tax", finalized->tax);
	add_amount(&json, "total", finalized->total);
	text_add_format(&json, ",\"content_sha256\":\"%s\"}", digest_hex(sum, DIGEST_SIZE, digest));
	fine = night_unit_done(run, "finalize", unit, text_string(&json), sum, err);
	text_release(&json);
	return fine;
}

static bool
audit_finalized(struct run *run, const struct finalized *finalized, struct error *err)
{
	char net[DECIMAL_TEXT], credits[DECIMAL_TEXT], tax[DECIMAL_TEXT], total[DECIMAL_TEXT];

	return audit_add(run,
	    &(struct audit){.action = "invoice finalize",
		.subject = finalized->number,
		.before = arena_format(&run->arena, "draft of %s, %s", finalized->tenant, finalized->period),
		.after = arena_format(&run->arena, "final: net %s, credits %s, tax %s, total %s %s",
		    money_format(finalized->net, net), money_format(finalized->credits, credits),
		    money_format(finalized->tax, tax), money_format(finalized->total, total), finalized->total.currency->code)},
	    err);
}

static bool
finalize_one(struct run *run, const struct rows *draft, struct finalized *out, struct error *err)
{
	const char *invoice_id = row_text(draft, 0, FINAL_INVOICE);
	bool claims = strcmp(row_text(draft, 0, FINAL_KIND), "period") == 0;
	unsigned char sum[DIGEST_SIZE];
	struct document_number number;
	char now[INSTANT_TEXT];
	const char *date = arena_format(&run->arena, "%.10s", instant_format(run->now, now));

	if (!document_number_take(run, row_text(draft, 0, FINAL_ISSUER), DOCUMENT_INVOICE, date, &number, err) ||
	    !db_change(run->db, SQL_LEDGER_FINAL_CLAIM, PARAMS(invoice_id), claims, err) ||
	    !settle_amounts(run, invoice_id, row_decimal(draft, 0, FINAL_TAX_PERCENT), out, err) ||
	    !make_final(run, invoice_id, &number, date, sum, err) ||
	    !payment_from_balance(run, invoice_id, number.text, date, out->total.minor, &out->from_balance.minor, err))
		return false;
	out->number = number.text;
	return audit_finalized(run, out, err) && note_unit(run, out, sum, err);
}

/* The currency of a draft, which may have left the table of currencies since. */
static const struct currency *
currency_of(struct run *run, const struct rows *draft)
{
	struct currency *currency = arena_take(&run->arena, sizeof *currency);

	*currency = (struct currency){.minor_units = (int)row_number(draft, 0, FINAL_MINOR_UNITS)};
	snprintf(currency->code, sizeof currency->code, "%s", row_text(draft, 0, FINAL_CURRENCY));
	return currency;
}

/* The drafts in scope, with what stands in the way of each. */
static bool
list_drafts(struct run *run, struct invoice_scope scope, const char *kind, struct rows *out, struct error *err)
{
	return db_rows(run->db, SQL_LEDGER_FINALS_DUE,
	    PARAMS(scope.period, scope.tenant, param_instant(&run->arena, run->now), kind, run->by,
		scope.by_grace ? param_number(&run->arena, scope.grace_hours) : NULL),
	    out, err);
}

/* Looks again, alone: what stood there when the drafts were listed may have changed since.  A draft that is gone by now, or
 * final, has a NULL number. */
static bool
finalize_alone(struct run *run, struct invoice_scope scope, struct finalized *finalized, struct error *err)
{
	struct rows rows;
	bool fine = true;

	scope.period = finalized->period;
	scope.tenant = finalized->tenant;
	if (!books_lock(run, err) || !invoicing_plan(run, err) || !list_drafts(run, scope, finalized->kind, &rows, err))
		return false;
	finalized->number = NULL;
	if (rows.count == 1) {
		const struct currency *currency = currency_of(run, &rows);

		finalized->number = "";
		finalized->refused = reason_to_refuse(run, &rows, 0, &finalized->parked);
		finalized->net = (struct money){row_number(&rows, 0, FINAL_NET), currency};
		finalized->credits = finalized->tax = finalized->total = finalized->from_balance = (struct money){0, currency};
		fine = finalized->refused != NULL || finalize_one(run, &rows, finalized, err);
	}
	rows_release(&rows);
	return fine;
}

/* One invoice, one transaction: its number exists only if the invoice does.  A dry run is one for all: its numbers rise. */
static bool
finalize_within(struct run *run, struct invoice_scope scope, struct finalized *finalized, struct error *err)
{
	bool fine;

	if (!(run->dry_run ? db_savepoint(run->db, err) : db_begin(run->db, err)))
		return false;
	fine = finalize_alone(run, scope, finalized, err);
	if (run->dry_run)
		return fine && db_release_savepoint(run->db, err);
	if (fine)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

/* What failed took no number; it is told as refused. */
static bool
undo_final(struct run *run, struct finalized *finalized, struct error *failed, struct error *err)
{
	if (invoicing_concerns_all(run, failed)) {
		*err = *failed;
		return false;
	}
	if (run->dry_run && (!db_rollback_to_savepoint(run->db, err) || !db_release_savepoint(run->db, err)))
		return false;
	finalized->number = "";
	finalized->failed = failed;
	finalized->refused = failed->message;
	return true;
}

static bool
finalize_all(struct run *run, struct invoice_scope scope, const struct rows *drafts, invoice_finalized *told, void *context,
    struct error *err)
{
	for (int i = 0; i < drafts->count; i++) {
		struct finalized finalized = {.tenant = row_text(drafts, i, FINAL_TENANT),
		    .period = row_text(drafts, i, FINAL_PERIOD),
		    .kind = row_text(drafts, i, FINAL_KIND)};
		struct error failed = {0};

		progress_count(run, "invoices", i, drafts->count);
		if (!finalize_within(run, scope, &finalized, &failed) && !undo_final(run, &finalized, &failed, err))
			return error_wrap(err, "finalizing %s of %s", finalized.period, finalized.tenant);
		if (finalized.number != NULL)
			told(context, &finalized);
	}
	progress_end(run);
	return true;
}

bool
invoices_finalize(struct run *run, struct invoice_scope scope, invoice_finalized *told, void *context, struct error *err)
{
	struct rows drafts;
	bool fine;

	if (!list_drafts(run, scope, "", &drafts, err))
		return false;
	fine = (!run->dry_run || db_begin(run->db, err)) && finalize_all(run, scope, &drafts, told, context, err);
	if (run->dry_run)
		db_rollback(run->db);
	rows_release(&drafts);
	return fine;
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
