/* tenant_file.c -- see tenant_file.h. */
#include "rating/tenant_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_row.h"
#include "base/decimal.h"
#include "base/document.h"
#include "base/instant.h"
#include "base/money.h"
#include "rating/contract_terms.h"

enum { TEXT_BYTES = 256, FIELDS = 7, JSON_FIELDS = FIELDS + 6, GRACE_MOST = 8760 };

/* Those of both kinds of file, then those of JSON alone. */
static const char *const field_names[JSON_FIELDS] = {"tenant", "name", "currency", "zone", "book", "issuer", "effective",
    "override", "terms", "until", "tax", "anchor", "grace_hours"};
static const char default_issuer[] = "MAIN";

/* The fields of a row in the order of field_names. */
static const char **
row_field(struct tenant_row *row, size_t field)
{
	const char **const fields[FIELDS] = {
	    &row->tenant, &row->name, &row->currency, &row->zone, &row->book, &row->issuer, &row->effective};

	return fields[field];
}

static struct tenant_row *
add_row(struct tenant_file *file, const char *path, uint64_t line)
{
	file->rows = memory_grow(file->rows, &file->room, file->count + 1, sizeof *file->rows);
	file->rows[file->count] = (struct tenant_row){.override = "",
	    .terms = "",
	    .tax_name = "",
	    .tax_percent = "0",
	    .anchor = 1,
	    .grace_hours = -1,
	    .path = path,
	    .line = line};
	return &file->rows[file->count++];
}

static void
add_issuer(struct tenant_file *file, struct issuer_row issuer)
{
	for (size_t i = 0; i < file->issuer_count; i++)
		if (strcmp(file->issuers[i].code, issuer.code) == 0)
			return;
	file->issuers = memory_grow(file->issuers, &file->issuer_room, file->issuer_count + 1, sizeof *file->issuers);
	file->issuers[file->issuer_count++] = issuer;
}

bool
tenant_file_is_code(const char *code)
{
	size_t length = strlen(code);

	return length >= 1 && length <= 8 && strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == length;
}

/* YYYY-MM-DD, midnight in the tenant's zone, or RFC 3339. */
static bool
is_border(const char *text)
{
	struct instant at;
	char whole[32];

	if (strlen(text) != 10)
		return instant_parse(text, strlen(text), 2020, &at) == INSTANT_OK && instant_interval(at).us == at.us;
	snprintf(whole, sizeof whole, "%sT00:00:00Z", text);
	return instant_parse(whole, strlen(whole), 2020, &at) == INSTANT_OK;
}

bool
tenant_row_at(
    const struct tenant_file *file, const struct tenant_row *row, const char *field, const char *value, struct error *err)
{
	char path[64];

	error_at(err, file->path, row->line);
	return error_field(err, document_path(path, sizeof path, row->path, field), value, strlen(value));
}

static bool
fault(const struct tenant_file *file, const struct tenant_row *row, const char *field, const char *value, const char *message,
    const char *hint, struct error *err)
{
	error_set(err, ERROR_INPUT, "%s", message);
	error_hint(err, "%s", hint);
	return tenant_row_at(file, row, field, value, err);
}

/* Fills what may be left out, then checks. */
static bool
check_row(struct tenant_file *file, struct tenant_row *row, struct error *err)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const char **field = row_field(row, i);

		if (*field == NULL && field == &row->issuer) {
			row->issuer = default_issuer;
			add_issuer(file, (struct issuer_row){.code = default_issuer, .name = default_issuer, .unnamed = true});
		}
		if (*field == NULL)
			return fault(file, row, field_names[i], "", "a tenant lacks a field",
			    "tenant, name, currency, zone, book and effective must be given.", err);
	}
	if (currency_find(row->currency) == NULL)
		return fault(file, row, "currency", row->currency, "not a current ISO 4217 currency code",
		    "For example USD or EUR, in capitals.", err);
	if (!tenant_file_is_code(row->issuer))
		return fault(file, row, "issuer", row->issuer, "not an issuer's code",
		    "It begins document numbers: 1 to 8 capital letters and digits.", err);
	if (!is_border(row->effective))
		return fault(file, row, "effective", row->effective, "not a time that a contract can begin at",
		    "Write YYYY-MM-DD for midnight in the tenant's zone, or RFC 3339 on a quarter of an hour.", err);
	return true;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static bool
read_override(const struct document *document, json_t *value, struct tenant_row *row, struct tenant_file *file)
{
	const char *override;

	if (!document_text(document, value, row->path, "override", false, TEXT_BYTES, &override))
		return false;
	if (override == NULL)
		return true;
	row->override = arena_copy(&file->arena, override, strlen(override));
	return strcmp(row->override, row->book) != 0 ||
	    fault(file, row, "override", row->override, "the same book as \"book\"",
		"Leave \"override\" out, or name the book whose prices come first.", document->err);
}

/* Terms are kept as text in one form, so that the same terms are seen to be the same. */
static bool
read_terms(const struct document *document, json_t *value, struct tenant_row *row, struct tenant_file *file)
{
	const json_t *terms = json_object_get(value, "terms");
	struct contract_terms *parsed;
	char path[64], *text;

	if (terms == NULL)
		return true;
	text = json_dumps(terms, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	must(text != NULL);
	row->terms = arena_copy(&file->arena, text, strlen(text));
	free(text);
	if (!json_is_object(terms))
		return document_refuse(document, document_path(path, sizeof path, row->path, "terms"), terms,
		    "terms are a JSON object with at least one key");
	if (!contract_terms_parse(row->terms, strlen(row->terms), file->path,
		document_path(path, sizeof path, row->path, "terms"), row->zone, &parsed, document->err))
		return document_at(document, document->err->field);
	contract_terms_free(parsed);
	return true;
}

static bool
read_until(const struct document *document, json_t *value, struct tenant_row *row, struct tenant_file *file)
{
	if (!document_text(document, value, row->path, "until", false, TEXT_BYTES, &row->until))
		return false;
	if (row->until == NULL)
		return true;
	row->until = arena_copy(&file->arena, row->until, strlen(row->until));
	return is_border(row->until) ||
	    fault(file, row, "until", row->until, "not a time that a contract can end at",
		"Write YYYY-MM-DD for midnight in the tenant's zone, or RFC 3339 on a quarter of an hour.", document->err);
}

/* Decimal text from 0 to 100, as the database keeps it. */
static bool
is_percent(const char *text)
{
	static const i128 one = 1000000000000000000;
	struct decimal percent;
	struct error ignored;

	return decimal_parse(text, strlen(text), &percent, &ignored) && percent.e18 >= 0 && percent.e18 <= 100 * one &&
	    percent.e18 % (one / 1000000) == 0;
}

static bool
read_tax(const struct document *document, json_t *value, struct tenant_row *row, struct tenant_file *file)
{
	json_t *tax = json_object_get(value, "tax");
	char path[64];

	if (tax == NULL)
		return true;
	document_path(path, sizeof path, row->path, "tax");
	if (!json_is_object(tax))
		return document_refuse(document, path, tax, "a tax is a JSON object");
	if (!DOCUMENT_KEYS(document, tax, path, "name", "percent") ||
	    !document_text(document, tax, path, "name", true, TEXT_BYTES, &row->tax_name) ||
	    !document_text(document, tax, path, "percent", true, TEXT_BYTES, &row->tax_percent))
		return false;
	row->tax_name = arena_copy(&file->arena, row->tax_name, strlen(row->tax_name));
	row->tax_percent = arena_copy(&file->arena, row->tax_percent, strlen(row->tax_percent));
	return is_percent(row->tax_percent) ||
	    fault(file, row, "tax.percent", row->tax_percent, "not a tax's percentage",
		"Write decimal text from 0 to 100 with at most 6 decimals: \"percent\": \"20\"", document->err);
}

/* A whole number within [least, most]; where it is missing, *out stays. */
static bool
read_number(
    const struct document *document, json_t *value, const struct tenant_row *row, const char *key, int least, int most, int *out)
{
	const json_t *number = json_object_get(value, key);
	char path[64];

	if (number == NULL)
		return true;
	if (!json_is_integer(number) || json_integer_value(number) < least || json_integer_value(number) > most)
		return document_refuse(document, document_path(path, sizeof path, row->path, key), number,
		    "it must be a whole number from %d to %d, as a JSON number", least, most);
	*out = (int)json_integer_value(number);
	return true;
}

static bool
read_tenant(const struct document *document, json_t *value, const char *path, struct tenant_file *file)
{
	struct tenant_row *row;

	if (!json_is_object(value))
		return document_refuse(document, path, value, "a tenant is a JSON object");
	if (!document_keys(document, value, path, field_names, JSON_FIELDS))
		return false;
	row = add_row(file, arena_copy(&file->arena, path, strlen(path)), 0);
	for (size_t i = 0; i < FIELDS; i++) {
		const char **field = row_field(row, i);

		if (!document_text(document, value, path, field_names[i], false, TEXT_BYTES, field))
			return false;
		if (*field != NULL)
			*field = arena_copy(&file->arena, *field, strlen(*field));
	}
	return check_row(file, row, document->err) && read_override(document, value, row, file) &&
	    read_terms(document, value, row, file) && read_until(document, value, row, file) &&
	    read_tax(document, value, row, file) && read_number(document, value, row, "anchor", 1, 31, &row->anchor) &&
	    read_number(document, value, row, "grace_hours", 0, GRACE_MOST, &row->grace_hours);
}

/* The series of an issuer's documents, for example "INV"; NULL where it is missing. */
static bool
read_series(
    const struct document *document, json_t *value, const char *path, const char *key, struct tenant_file *file, const char **out)
{
	char where[64];

	if (!document_text(document, value, path, key, false, TEXT_BYTES, out))
		return false;
	if (*out == NULL)
		return true;
	*out = arena_copy(&file->arena, *out, strlen(*out));
	return tenant_file_is_code(*out) ||
	    document_refuse(document, document_path(where, sizeof where, path, key), json_object_get(value, key),
		"a series is 1 to 8 capital letters and digits");
}

static bool
read_issuer(const struct document *document, json_t *value, const char *path, struct tenant_file *file)
{
	struct issuer_row issuer = {0};

	if (!json_is_object(value))
		return document_refuse(document, path, value, "an issuer is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "issuer", "name", "invoice_series", "credit_note_series") ||
	    !document_text(document, value, path, "issuer", true, 8, &issuer.code) ||
	    !document_text(document, value, path, "name", true, TEXT_BYTES, &issuer.name) ||
	    !read_series(document, value, path, "invoice_series", file, &issuer.invoice_series) ||
	    !read_series(document, value, path, "credit_note_series", file, &issuer.credit_note_series))
		return false;
	if (!tenant_file_is_code(issuer.code))
		return document_refuse(document, path, value, "an issuer's code is 1 to 8 capital letters and digits");
	issuer.code = arena_copy(&file->arena, issuer.code, strlen(issuer.code));
	issuer.name = arena_copy(&file->arena, issuer.name, strlen(issuer.name));
	add_issuer(file, issuer);
	return true;
}

static bool
read_lists(const struct document *document, json_t *root, struct tenant_file *file)
{
	json_t *tenants = root, *issuers = NULL, *value;
	char path[32];
	size_t i;

	if (json_is_object(root)) {
		if (!DOCUMENT_KEYS(document, root, "", "tenants", "issuers"))
			return false;
		tenants = json_object_get(root, "tenants");
		issuers = json_object_get(root, "issuers");
	}
	if (!json_is_array(tenants) || (issuers != NULL && !json_is_array(issuers)))
		return document_refuse(document, "tenants", NULL,
		    "the file is a list of tenants, or an object with lists \"tenants\" and \"issuers\"");
	json_array_foreach(issuers, i, value)
	{
		snprintf(path, sizeof path, "issuers[%zu]", i);
		if (!read_issuer(document, value, path, file))
			return false;
	}
	json_array_foreach(tenants, i, value)
	{
		snprintf(path, sizeof path, "tenants[%zu]", i);
		if (!read_tenant(document, value, path, file))
			return false;
	}
	return true;
}

static bool
read_json(const struct text *bytes, struct tenant_file *file, struct error *err)
{
	struct document document = {.file = file->path, .err = err, .bytes = bytes->bytes, .length = bytes->length};
	json_t *root = document_parse(bytes->bytes, bytes->length, file->path, err);
	bool fine = root != NULL && read_lists(&document, root, file);

	json_decref(root);
	return fine;
}

/* --- CSV ------------------------------------------------------------------------------------- */

/* Which field each column is; unknown names and names that stand twice are refused. */
static bool
read_header(const struct csv_row *csv, struct tenant_file *file, size_t *fields, struct error *err)
{
	bool seen[FIELDS] = {false};

	for (size_t column = 0; column < csv_row_columns(csv); column++) {
		struct bytes cell = csv_row_cell(csv, column);
		size_t i = 0;

		while (i < FIELDS && (strlen(field_names[i]) != cell.length || memcmp(field_names[i], cell.at, cell.length) != 0))
			i++;
		if (i == FIELDS) {
			error_set(err, ERROR_INPUT, "the header names a column that tenants do not have");
			error_at(err, file->path, 1);
			error_field(err, "header", cell.at, cell.length);
			return document_suggest(err, arena_copy(&file->arena, cell.at, cell.length), field_names, FIELDS);
		}
		if (seen[i]) {
			error_set(err, ERROR_INPUT, "the header names a column twice");
			error_at(err, file->path, 1);
			return error_field(err, "header", cell.at, cell.length);
		}
		seen[i] = true;
		fields[column] = i;
	}
	return true;
}

static bool
read_row(
    const struct csv_row *csv, struct tenant_file *file, const size_t *fields, size_t columns, uint64_t line, struct error *err)
{
	struct tenant_row *row = add_row(file, "", line);

	if (csv_row_columns(csv) != columns)
		return fault(file, row, "row", "", "the row has another number of columns than the header",
		    "Quote cells that contain commas.", err);
	for (size_t column = 0; column < columns; column++) {
		struct bytes cell = csv_row_cell(csv, column);

		if (cell.length > TEXT_BYTES || memchr(cell.at, '\0', cell.length) != NULL)
			return fault(file, row, field_names[fields[column]], "", "the cell is too long or has a NUL in it",
			    "At most 256 bytes.", err);
		if (cell.length > 0)
			*row_field(row, fields[column]) = arena_copy(&file->arena, cell.at, cell.length);
	}
	return check_row(file, row, err);
}

/* Spreadsheets put a mark of byte order in front. */
static size_t
mark_length(const struct text *bytes)
{
	return bytes->length >= 3 && memcmp(bytes->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool
is_blank_line(const char *at, size_t length)
{
	return (length == 1 && at[0] == '\n') || (length == 2 && at[0] == '\r' && at[1] == '\n');
}

static bool
read_csv(const struct text *bytes, struct tenant_file *file, struct error *err)
{
	const char *at = bytes->bytes + mark_length(bytes), *end = bytes->bytes + bytes->length;
	struct csv_row *csv = csv_row_new(',');
	size_t fields[CSV_COLUMNS] = {0}, columns = 0;
	bool fine = true;

	for (uint64_t line = 1; fine && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = newline == NULL ? (size_t)(end - at) : (size_t)(newline - at + 1);
		enum csv_row_state state;

		if (line > 1 && is_blank_line(at, length)) {
			at += length;
			continue;
		}
		csv_row_begin(csv, &file->arena, NULL);
		state = csv_row_feed(csv, at, length);
		if (state == CSV_ROW_OPEN && newline == NULL)
			state = csv_row_end(csv);
		at += length;
		if (state != CSV_ROW_WHOLE) {
			error_set(err, ERROR_INPUT, "not a CSV row: a stray quote, or a line break inside a cell");
			fine = error_at(err, file->path, line);
		} else if (line == 1) {
			fine = read_header(csv, file, fields, err);
			columns = csv_row_columns(csv);
		} else {
			fine = read_row(csv, file, fields, columns, line, err);
		}
	}
	csv_row_free(csv);
	return fine;
}

bool
tenant_file_load(const char *path, struct tenant_file *out, struct error *err)
{
	size_t length = strlen(path);
	struct text bytes = {0};
	bool fine;

	*out = (struct tenant_file){.path = path};
	fine = document_read(path, &bytes, err);
	if (fine)
		fine = length > 4 && strcmp(path + length - 4, ".csv") == 0 ? read_csv(&bytes, out, err)
									    : read_json(&bytes, out, err);
	text_release(&bytes);
	if (!fine)
		tenant_file_release(out);
	return fine;
}

void
tenant_file_release(struct tenant_file *file)
{
	free(file->rows);
	free(file->issuers);
	arena_release(&file->arena);
	*file = (struct tenant_file){0};
}
