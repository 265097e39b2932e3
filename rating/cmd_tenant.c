/* cmd_tenant.c -- `tollbook tenant apply|list`. */
#include <string.h>

#include "base/index.h"
#include "base/table.h"
#include "ledger/audit.h"
#include "rating/contract.h"
#include "rating/tenant_file.h"

static bool apply(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);

const struct command cmd_tenant_apply = {
    .name = "tenant apply",
    .summary = "make tenants' contracts what a file says; applying it again changes nothing",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook tenant apply examples/tenants.json\n  tollbook tenant apply tenants.csv --dry-run",
    .run = apply,
};

const struct command cmd_tenant_list = {
    .name = "tenant list",
    .summary = "list tenants' contracts",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook tenant list --format json",
    .run = list,
};

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
		error_set(err, ERROR_STATE, "the months of tenant %s are counted in zone %s", row->tenant,
		    row_text(place, 0, PLACE_ZONE));
		error_hint(err, "A tenant keeps its zone, or a day would be billed twice or not at all.");
		return tenant_row_at(file, row, "zone", row->zone, err);
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
	return arena_format(&run->arena, "from %s%s%s: book %s%s%s, issuer %s%s%s%s%s", effective, until == NULL ? "" : " until ",
	    until == NULL ? "" : until, row->book, row->override[0] == '\0' ? "" : " after ", row->override, row->issuer,
	    row->terms[0] == '\0' ? "" : ", with terms", row->tax_name[0] == '\0' ? "" : ", ", row->tax_name,
	    row->tax_name[0] == '\0' ? "" : arena_format(&run->arena, " %s %%", row->tax_percent));
}

static bool
add_row(struct run *run, const struct tenant_file *file, const struct tenant_row *row, const char *effective, const char *until,
    struct error *err)
{
	return db_change(run->db, SQL_RATING_CONTRACT_ADD,
		   PARAMS(row->tenant, row->name, row->issuer, row->currency, row->zone, row->book, effective,
		       param_instant(&run->arena, run->now), run->by, row->override, row->terms, until, row->tax_name,
		       row->tax_percent),
		   1, err) &&
	    audit_add(run,
		&(struct audit){.action = "tenant apply",
		    .subject = row->tenant,
		    .reason = file->path,
		    .after = row_summary(run, row, effective, until)},
		err);
}

static bool
apply_row(struct run *run, const struct tenant_file *file, const struct tenant_row *row, const char **status, struct error *err)
{
	struct rows place;
	const char *effective, *until = NULL;
	bool fine, same;

	if (!db_one_row(run->db, SQL_RATING_CONTRACT_PLACE,
		PARAMS(row->tenant, row->name, row->currency, row->zone, row->book, row->issuer, stated(run, row->effective),
		    row->override, row->terms, stated(run, row->until), row->tax_name, row->tax_percent),
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
	*status = same ? "unchanged" : "applied";
	return fine && (same || add_row(run, file, row, effective, until, err));
}

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

/* Makes or renames an issuer, with an audit row where that changes something. */
static bool
apply_issuer(struct run *run, const struct tenant_file *file, const struct issuer_row *issuer, struct error *err)
{
	struct rows changed;
	bool anything;

	if (!db_rows(run->db, SQL_RATING_ISSUER_STORE, PARAMS(issuer->code, issuer->name), &changed, err))
		return false;
	anything = changed.count > 0;
	rows_release(&changed);
	return !anything ||
	    audit_add(run,
		&(struct audit){.action = "issuer apply",
		    .subject = arena_format(&run->arena, "%s: %s", issuer->code, issuer->name),
		    .reason = file->path},
		err);
}

static bool
apply_issuers(struct run *run, const struct tenant_file *file, struct error *err)
{
	for (size_t i = 0; i < file->issuer_count; i++) {
		const struct issuer_row *issuer = &file->issuers[i];
		bool known;

		if (!issuer_known(run, issuer->code, &known, err) ||
		    (!(known && issuer->unnamed) && !apply_issuer(run, file, issuer, err)))
			return false;
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
apply_tenant(struct run *run, const struct tenant_file *file, const struct tenant_row *row, struct index *zones,
    struct table *table, struct error *err)
{
	const char *status = NULL;

	if (!need_issuer(run, file, row, err) || !need_zone(run, file, row, zones, err) ||
	    !apply_row(run, file, row, &status, err))
		return false;
	table_row(table);
	table_cell(table, row->tenant);
	table_cell(table, row->name);
	table_cell(table, row->currency);
	table_cell(table, row->zone);
	table_cell(table, row->book);
	table_cell(table, row->effective);
	table_cell(table, status);
	return true;
}

static bool
apply_all(struct run *run, const struct tenant_file *file, struct table *table, struct error *err)
{
	struct index zones = {0};
	bool fine = apply_issuers(run, file, err);

	for (size_t i = 0; fine && i < file->count; i++)
		fine = apply_tenant(run, file, &file->rows[i], &zones, table, err);
	index_release(&zones);
	return fine;
}

static bool
apply(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
	    {"currency", "currency", COLUMN_TEXT}, {"zone", "zone", COLUMN_TEXT}, {"book", "book", COLUMN_TEXT},
	    {"effective", "effective", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct tenant_file file;
	struct table *table;
	bool fine;

	if (!tenant_file_load(run->operands[0], &file, err))
		return false;
	table = table_new(columns);
	/* All or nothing. */
	fine = db_begin(run->db, err) && terms_lock(run->db, err) && apply_all(run, &file, table, err);
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		table_print(table, run, "no tenants in the file");
	table_free(table);
	tenant_file_release(&file);
	return fine;
}

/* Columns of contract_list.sql. */
enum { LIST_TENANT, LIST_ZONE = 4, LIST_TERMS = 10, LIST_COLUMNS };

/* "trial, 2 fees": what a row's terms have; "" for none. */
static bool
terms_summary(struct run *run, const struct rows *rows, int row, const char **out, struct error *err)
{
	struct contract_terms *terms = NULL;

	if (row_length(rows, row, LIST_TERMS) > 0 &&
	    !contract_terms_parse(row_text(rows, row, LIST_TERMS), row_length(rows, row, LIST_TERMS),
		row_text(rows, row, LIST_TENANT), "terms", row_text(rows, row, LIST_ZONE), &terms, err))
		return false;
	*out = contract_terms_summary(terms, &run->arena);
	contract_terms_free(terms);
	return true;
}

static bool
list_row(struct run *run, const struct rows *rows, int row, struct table *table, struct error *err)
{
	const char *summary;

	if (!terms_summary(run, rows, row, &summary, err))
		return false;
	table_row(table);
	for (int column = 0; column < LIST_COLUMNS; column++)
		table_cell(table, column == LIST_TERMS ? summary : row_text(rows, row, column));
	return true;
}

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
	    {"issuer", "issuer", COLUMN_TEXT}, {"currency", "currency", COLUMN_TEXT}, {"zone", "zone", COLUMN_TEXT},
	    {"book", "book", COLUMN_TEXT}, {"override", "override", COLUMN_TEXT}, {"effective", "effective", COLUMN_TEXT},
	    {"until", "until", COLUMN_TEXT}, {"tax", "tax", COLUMN_TEXT}, {"terms", "terms", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_RATING_CONTRACT_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; fine && i < rows.count; i++)
		fine = list_row(run, &rows, i, table, err);
	if (fine)
		table_print(table, run, "no tenants");
	table_free(table);
	rows_release(&rows);
	return fine;
}
