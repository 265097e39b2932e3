/* tenant_apply.c -- see tenant_apply.h. */
#include "rating/tenant_apply.h"

#include <string.h>

#include "base/index.h"
#include "ledger/audit.h"
#include "rating/contract.h"

/* --- contracts ------------------------------------------------------------------------------- */

/* Columns of contract_place.sql. */
enum {
	PLACE_EFFECTIVE,
	PLACE_UNTIL,
	PLACE_ENDS_BEFORE,
	PLACE_SAME,
	PLACE_OTHER_AT,
	PLACE_LATER,
	PLACE_CURRENCY,
	PLACE_ZONE,
	PLACE_ANCHOR,
	PLACE_BOOK_CURRENCY,
	PLACE_OVERRIDE_CURRENCY
};

/* When a contract begins or ends, for the server: it alone knows when a day begins in a zone, but not all offsets of RFC 3339. */
static const char *
stated(struct run *run, const char *border)
{
	struct instant at;

	if (border == NULL || instant_parse(border, strlen(border), 1, &at) != INSTANT_OK)
		return border;
	return param_instant(&run->arena, at);
}

/* A book that is published already must be in the tenant's currency; `column` has the book's. */
static bool
check_book(const struct tenant_file *file, const struct tenant_row *row, const char *field, const char *book,
    const struct rows *place, int column, struct error *err)
{
	if (row_is_null(place, 0, column) || strcmp(row_text(place, 0, column), row->currency) == 0)
		return true;
	error_set(err, ERROR_STATE, "book %s is in %s, tenant %s is billed in %s", book, row_text(place, 0, column), row->tenant,
	    row->currency);
	error_hint(err, "Name a book in the tenant's currency; tollbook prices list shows them.");
	return tenant_row_at(file, row, field, book, err);
}

/* What the database has against a row. */
static bool
check_row(const struct tenant_file *file, const struct tenant_row *row, const struct rows *place, struct error *err)
{
	if (!row_is_null(place, 0, PLACE_CURRENCY) && strcmp(row_text(place, 0, PLACE_CURRENCY), row->currency) != 0) {
		error_set(err, ERROR_STATE, "tenant %s is billed in %s", row->tenant, row_text(place, 0, PLACE_CURRENCY));
		error_hint(err, "A tenant keeps its currency; a new currency needs a new tenant.");
		return tenant_row_at(file, row, "currency", row->currency, err);
	}
	if (!row_is_null(place, 0, PLACE_ZONE) && strcmp(row_text(place, 0, PLACE_ZONE), row->zone) != 0) {
		error_set(err, ERROR_STATE, "the periods of tenant %s are counted in zone %s", row->tenant,
		    row_text(place, 0, PLACE_ZONE));
		error_hint(err, "A tenant keeps its zone, or a day would be billed twice or not at all.");
		return tenant_row_at(file, row, "zone", row->zone, err);
	}
	if (!row_is_null(place, 0, PLACE_ANCHOR) && row_number(place, 0, PLACE_ANCHOR) != row->anchor) {
		char anchor[DECIMAL_TEXT];

		snprintf(anchor, sizeof anchor, "%d", row->anchor);
		error_set(err, ERROR_STATE, "the periods of tenant %s begin on day %lld of the month", row->tenant,
		    (long long)row_number(place, 0, PLACE_ANCHOR));
		error_hint(err, "A tenant keeps its anchor, or a day would be billed twice or not at all; without one it is 1.");
		return tenant_row_at(file, row, "anchor", anchor, err);
	}
	if (!check_book(file, row, "book", row->book, place, PLACE_BOOK_CURRENCY, err) ||
	    !check_book(file, row, "override", row->override, place, PLACE_OVERRIDE_CURRENCY, err))
		return false;
	if (row_bool(place, 0, PLACE_OTHER_AT) || row_bool(place, 0, PLACE_LATER)) {
		error_set(err, ERROR_STATE, "tenant %s has another contract from that instant or a later one on", row->tenant);
		error_hint(err, "Contracts are added at the end: give the change a later \"effective\".");
		return tenant_row_at(file, row, "effective", row->effective, err);
	}
	if (!row_is_null(place, 0, PLACE_UNTIL) && row_bool(place, 0, PLACE_ENDS_BEFORE)) {
		error_set(err, ERROR_INPUT, "the contract would end before it begins");
		error_hint(err, "\"until\" is not earlier than \"effective\"; the same instant ends the contract before it.");
		return tenant_row_at(file, row, "until", row->until, err);
	}
	return true;
}

/* What a row says, as it stands in the audit log. */
static const char *
row_summary(struct run *run, const struct tenant_row *row, const char *effective, const char *until)
{
	const char *anchor = row->anchor == 1 ? "" : arena_format(&run->arena, ", anchor %d", row->anchor);
	const char *grace = row->grace_hours < 0 ? "" : arena_format(&run->arena, ", grace %d hours", row->grace_hours);

	return arena_format(&run->arena, "from %s%s%s: book %s%s%s, issuer %s%s%s%s%s%s%s", effective,
	    until == NULL ? "" : " until ", until == NULL ? "" : until, row->book, row->override[0] == '\0' ? "" : " after ",
	    row->override, row->issuer, row->terms[0] == '\0' ? "" : ", with terms", row->tax_name[0] == '\0' ? "" : ", ",
	    row->tax_name, row->tax_name[0] == '\0' ? "" : arena_format(&run->arena, " %s %%", row->tax_percent), anchor, grace);
}

static const char *
grace_hours(struct run *run, const struct tenant_row *row)
{
	return row->grace_hours < 0 ? NULL : param_number(&run->arena, row->grace_hours);
}

static bool
add_row(struct run *run, const struct tenant_file *file, const struct tenant_row *row, const char *effective, const char *until,
    struct error *err)
{
	return db_change(run->db, SQL_RATING_CONTRACT_ADD,
		   PARAMS(row->tenant, row->name, row->issuer, row->currency, row->zone, row->book, effective,
		       param_instant(&run->arena, run->now), run->by, row->override, row->terms, until, row->tax_name,
		       row->tax_percent, param_number(&run->arena, row->anchor), grace_hours(run, row)),
		   1, err) &&
	    audit_add(run,
		&(struct audit){.action = "tenant apply",
		    .subject = row->tenant,
		    .reason = file->path,
		    .after = row_summary(run, row, effective, until)},
		err);
}

static bool
apply_row(struct run *run, const struct tenant_file *file, const struct tenant_row *row, bool *is_new, struct error *err)
{
	struct rows place;
	const char *effective, *until = NULL;
	bool fine, same;

	if (!db_one_row(run->db, SQL_RATING_CONTRACT_PLACE,
		PARAMS(row->tenant, row->name, row->currency, row->zone, row->book, row->issuer, stated(run, row->effective),
		    row->override, row->terms, stated(run, row->until), row->tax_name, row->tax_percent,
		    param_number(&run->arena, row->anchor), grace_hours(run, row)),
		&place, err)) {
		/* A date may be what the server cannot read; say where it came from. */
		return tenant_row_at(file, row, "effective", row->effective, err);
	}
	same = row_bool(&place, 0, PLACE_SAME);
	effective = arena_copy(&run->arena, row_text(&place, 0, PLACE_EFFECTIVE), row_length(&place, 0, PLACE_EFFECTIVE));
	if (!row_is_null(&place, 0, PLACE_UNTIL))
		until = arena_copy(&run->arena, row_text(&place, 0, PLACE_UNTIL), row_length(&place, 0, PLACE_UNTIL));
	fine = same || check_row(file, row, &place, err);
	rows_release(&place);
	*is_new = !same;
	return fine && (same || add_row(run, file, row, effective, until, err));
}

/* --- issuers --------------------------------------------------------------------------------- */

static bool
issuer_known(struct run *run, const char *code, bool *known, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_RATING_ISSUER_KNOWN, PARAMS(code), &rows, err))
		return false;
	*known = row_bool(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

/* What an issuer is to be; `before` is what it is, code NULL for a new one. */
static struct issuer_row
issuer_wanted(const struct issuer_row *before, const struct issuer_row *stated)
{
	struct issuer_row wanted = {
	    .code = stated->code, .name = stated->code, .invoice_series = "INV", .credit_note_series = "CRN"};

	if (before->code != NULL)
		wanted = *before;
	if (stated->name != NULL && stated->name[0] != '\0' && !(stated->unnamed && before->code != NULL))
		wanted.name = stated->name;
	if (stated->invoice_series != NULL && stated->invoice_series[0] != '\0')
		wanted.invoice_series = stated->invoice_series;
	if (stated->credit_note_series != NULL && stated->credit_note_series[0] != '\0')
		wanted.credit_note_series = stated->credit_note_series;
	return wanted;
}

static bool
same_series(const struct issuer_row *a, const struct issuer_row *b)
{
	return strcmp(a->invoice_series, b->invoice_series) == 0 && strcmp(a->credit_note_series, b->credit_note_series) == 0;
}

static bool
refuse_series(const char *from, const char *field, const char *series, struct error *err)
{
	error_hint(err,
	    "Numbers say which document they are of: invoices and credit notes of an issuer have series of their own, for ever.");
	error_at(err, from, 0);
	return error_field(err, field, series, strlen(series));
}

/* A series is of one kind of document, for ever: its numbers would be given twice, or not say what they are of. */
static bool
check_series(struct run *run, const struct issuer_row *wanted, const char *from, struct error *err)
{
	struct rows used;
	bool invoices, notes;

	if (!tenant_file_is_code(wanted->invoice_series) || !tenant_file_is_code(wanted->credit_note_series)) {
		error_set(err, ERROR_INPUT, "a series is 1 to 8 capital letters and digits");
		error_at(err, from, 0);
		return tenant_file_is_code(wanted->invoice_series)
		    ? error_field(err, "credit_note_series", wanted->credit_note_series, strlen(wanted->credit_note_series))
		    : error_field(err, "invoice_series", wanted->invoice_series, strlen(wanted->invoice_series));
	}
	if (strcmp(wanted->invoice_series, wanted->credit_note_series) == 0) {
		error_set(err, ERROR_INPUT, "issuer %s would number invoices and credit notes in one series", wanted->code);
		return refuse_series(from, "credit_note_series", wanted->credit_note_series, err);
	}
	if (!db_one_row(run->db, SQL_RATING_ISSUER_SERIES_USED,
		PARAMS(wanted->code, wanted->invoice_series, wanted->credit_note_series), &used, err))
		return false;
	notes = row_bool(&used, 0, 0);
	invoices = row_bool(&used, 0, 1);
	rows_release(&used);
	if (!notes && !invoices)
		return true;
	error_set(err, ERROR_STATE, "issuer %s has numbered %s in series %s", wanted->code, notes ? "credit notes" : "invoices",
	    notes ? wanted->invoice_series : wanted->credit_note_series);
	return notes ? refuse_series(from, "invoice_series", wanted->invoice_series, err)
		     : refuse_series(from, "credit_note_series", wanted->credit_note_series, err);
}

static const char *
issuer_summary(struct run *run, const struct issuer_row *issuer)
{
	return arena_format(
	    &run->arena, "%s, invoices %s, credit notes %s", issuer->name, issuer->invoice_series, issuer->credit_note_series);
}

/* In the arena; code NULL where there is none of this code. */
static bool
find_issuer(struct run *run, const char *code, struct issuer_row *out, struct error *err)
{
	struct rows rows;

	*out = (struct issuer_row){0};
	if (!db_rows(run->db, SQL_RATING_ISSUER_FIND, PARAMS(code), &rows, err))
		return false;
	if (rows.count > 0)
		*out = (struct issuer_row){.code = code,
		    .name = arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0)),
		    .invoice_series = arena_copy(&run->arena, row_text(&rows, 0, 1), row_length(&rows, 0, 1)),
		    .credit_note_series = arena_copy(&run->arena, row_text(&rows, 0, 2), row_length(&rows, 0, 2))};
	rows_release(&rows);
	return true;
}

/* Makes or changes an issuer, with an audit row where that changes something. */
static bool
store_issuer(struct run *run, const struct issuer_row *stated, const char *from, bool *changed, struct error *err)
{
	struct issuer_row before, wanted;

	if (!find_issuer(run, stated->code, &before, err))
		return false;
	wanted = issuer_wanted(&before, stated);
	*changed = before.code == NULL || strcmp(before.name, wanted.name) != 0 || !same_series(&before, &wanted);
	if (!*changed)
		return true;
	return ((before.code != NULL && same_series(&before, &wanted)) || check_series(run, &wanted, from, err)) &&
	    db_change(run->db, SQL_RATING_ISSUER_STORE,
		PARAMS(wanted.code, wanted.name, wanted.invoice_series, wanted.credit_note_series), 1, err) &&
	    audit_add(run,
		&(struct audit){.action = "issuer apply",
		    .subject = arena_format(&run->arena, "%s: %s", wanted.code, wanted.name),
		    .reason = from,
		    .before = before.code == NULL ? NULL : issuer_summary(run, &before),
		    .after = issuer_summary(run, &wanted)},
		err);
}

bool
issuer_apply(struct run *run, const char *code, const char *name, const char *invoice_series, const char *credit_note_series,
    const char *from, bool *changed, struct error *err)
{
	*changed = false;
	if (!tenant_file_is_code(code)) {
		error_set(err, ERROR_INPUT, "an issuer's code is 1 to 8 capital letters and digits");
		error_at(err, from, 0);
		return error_field(err, "issuer", code, strlen(code));
	}
	return terms_lock(run->db, err) &&
	    store_issuer(run,
		&(struct issuer_row){
		    .code = code, .name = name, .invoice_series = invoice_series, .credit_note_series = credit_note_series},
		from, changed, err);
}

static bool
apply_issuers(struct run *run, const struct tenant_file *file, int64_t *changes, struct error *err)
{
	for (size_t i = 0; i < file->issuer_count; i++) {
		bool changed;

		if (!store_issuer(run, &file->issuers[i], file->path, &changed, err))
			return false;
		*changes += changed;
	}
	return true;
}

/* An issuer that the file does not name must be there already; the default one is made. */
static bool
need_issuer(struct run *run, const struct tenant_file *file, const struct tenant_row *row, struct error *err)
{
	bool known;

	if (!issuer_known(run, row->issuer, &known, err))
		return false;
	if (known)
		return true;
	error_set(err, ERROR_INPUT, "there is no issuer %s", row->issuer);
	error_hint(err, "Name it in the file: {\"issuers\": [{\"issuer\": \"%s\", \"name\": \"...\"}], \"tenants\": [...]}",
	    row->issuer);
	return tenant_row_at(file, row, "issuer", row->issuer, err);
}

/* Unless it is one of `known` already. */
static bool
need_zone(struct run *run, const struct tenant_file *file, const struct tenant_row *row, struct index *known, struct error *err)
{
	struct rows rows;
	bool is_new, exists;

	index_number(known, row->zone, strlen(row->zone), &is_new);
	if (!is_new)
		return true;
	if (!db_one_row(run->db, SQL_RATING_ZONE_KNOWN, PARAMS(row->zone), &rows, err))
		return false;
	exists = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (exists)
		return true;
	error_set(err, ERROR_INPUT, "there is no time zone \"%s\"", row->zone);
	error_hint(err, "Name it as the IANA database does, for example Europe/Berlin.");
	return tenant_row_at(file, row, "zone", row->zone, err);
}

static bool
apply_all(struct run *run, const struct tenant_file *file, tenant_told *told, void *context, int64_t *changes, struct error *err)
{
	struct index zones = {0};
	bool fine = apply_issuers(run, file, changes, err);

	for (size_t i = 0; fine && i < file->count; i++) {
		const struct tenant_row *row = &file->rows[i];
		bool is_new = false;

		fine = need_issuer(run, file, row, err) && need_zone(run, file, row, &zones, err) &&
		    apply_row(run, file, row, &is_new, err);
		if (!fine)
			break;
		*changes += is_new;
		if (told != NULL)
			told(context, row, is_new);
	}
	index_release(&zones);
	return fine;
}

bool
tenants_apply_within(struct run *run, const char *path, tenant_told *told, void *context, int64_t *changed, struct error *err)
{
	struct tenant_file file;
	bool fine;

	*changed = 0;
	if (!tenant_file_load(path, &file, err))
		return false;
	fine = terms_lock(run->db, err) && apply_all(run, &file, told, context, changed, err);
	tenant_file_release(&file);
	return fine;
}

bool
tenants_apply(struct run *run, const char *path, int64_t *changed, struct error *err)
{
	bool fine = db_begin(run->db, err) && tenants_apply_within(run, path, NULL, NULL, changed, err);

	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}
