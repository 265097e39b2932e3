/*
 * night_manifest.c -- what a run took in and what came out of it, as JSON.
 *
 * Everything above "digest" is the same however often the run was begun, and whenever.  What stands there is read from the books,
 * a statement for each list.
 */
#include "base/digest.h"
#include "base/table.h"
#include "nightly/night.h"

/* The version of what a manifest says. */
enum { MANIFEST_VERSION = 1 };

enum member_kind { MEMBER_TEXT, MEMBER_NUMBER, MEMBER_FLAG, MEMBER_JSON /* as it stands */ };

/* A column of a statement, as a member of an object. */
struct member {
	const char *name; /* NULL: not in the manifest, and the last one */
	enum member_kind kind;
};

static const struct member files[] = {{"source", MEMBER_TEXT}, {"name", MEMBER_TEXT}, {"bytes", MEMBER_NUMBER},
    {"sha256", MEMBER_TEXT}, {"result", MEMBER_JSON}, {0}};
static const struct member ranges[] = {{"cluster", MEMBER_TEXT}, {"topic", MEMBER_TEXT}, {"partition", MEMBER_NUMBER},
    {"from", MEMBER_NUMBER}, {"to", MEMBER_NUMBER}, {"records", MEMBER_NUMBER}, {0}};
static const struct member counts[] = {{"records", MEMBER_NUMBER}, {"accepted", MEMBER_NUMBER}, {"duplicates", MEMBER_NUMBER},
    {"ignored", MEMBER_NUMBER}, {"quarantined", MEMBER_NUMBER}, {"rejected", MEMBER_NUMBER}, {"ledger_rows", MEMBER_NUMBER},
    {"usage_from", MEMBER_TEXT}, {"usage_until", MEMBER_TEXT}, {0}};
static const struct member ratings[] = {{"rating_run", MEMBER_NUMBER}, {"digest", MEMBER_TEXT}, {"events", MEMBER_NUMBER},
    {"intervals", MEMBER_NUMBER}, {"ratings", MEMBER_NUMBER}, {"charges", MEMBER_NUMBER}, {"holds", MEMBER_NUMBER}, {0}};
static const struct member books[] = {{"book", MEMBER_TEXT}, {"version", MEMBER_NUMBER}, {"currency", MEMBER_TEXT},
    {"effective", MEMBER_TEXT}, {"sha256", MEMBER_TEXT}, {0}};
static const struct member steps[] = {
    {"step", MEMBER_TEXT}, {"findings", MEMBER_FLAG}, {"differences", MEMBER_FLAG}, {"result", MEMBER_JSON}, {0}};
static const struct member invoices[] = {{"number", MEMBER_TEXT}, {"kind", MEMBER_TEXT}, {"tenant", MEMBER_TEXT},
    {"period", MEMBER_TEXT}, {"total", MEMBER_TEXT}, {"currency", MEMBER_TEXT}, {"sha256", MEMBER_TEXT}, {0}};
static const struct member credit_notes[] = {{"number", MEMBER_TEXT}, {"invoice", MEMBER_TEXT}, {"tenant", MEMBER_TEXT},
    {"total", MEMBER_TEXT}, {"currency", MEMBER_TEXT}, {"sha256", MEMBER_TEXT}, {0}};
static const struct member totals[] = {{"currency", MEMBER_TEXT}, {"documents", MEMBER_NUMBER}, {"net", MEMBER_TEXT},
    {"credits", MEMBER_TEXT}, {"tax", MEMBER_TEXT}, {"total", MEMBER_TEXT}, {"charged", MEMBER_TEXT}, {"held_worth", MEMBER_TEXT},
    {0}};
static const struct member documents[] = {{"path", MEMBER_TEXT}, {"bytes", MEMBER_NUMBER}, {"sha256", MEMBER_TEXT}, {0}};
static const struct member parked[] = {{"tenant", MEMBER_TEXT}, {"period", MEMBER_TEXT}, {"reason", MEMBER_TEXT},
    {"measured", MEMBER_TEXT}, {"currency", MEMBER_TEXT}, {0}};
static const struct member held[] = {
    {"reason", MEMBER_TEXT}, {"holds", MEMBER_NUMBER}, {"tenant_periods", MEMBER_NUMBER}, {"unknown_worth", MEMBER_NUMBER}, {0}};
static const struct member quarantine[] = {{"waiting", MEMBER_NUMBER}, {0}};

struct manifest {
	struct run *run;
	const char *number; /* of the run, as a parameter */
	struct text *out;
};

/* --- writing --------------------------------------------------------------------------------- */

static void
add_member(struct text *out, const struct member *member, const struct rows *rows, int row, int column)
{
	const char *value = row_text(rows, row, column);

	text_add_json(out, member->name);
	text_add_string(out, ": ");
	if (row_is_null(rows, row, column))
		text_add_string(out, "null");
	else if (member->kind == MEMBER_TEXT)
		text_add_json(out, value);
	else if (member->kind == MEMBER_FLAG)
		text_add_string(out, row_bool(rows, row, column) ? "true" : "false");
	else
		text_add_string(out, value);
}

/* {"a": 1, "b": "x"} */
static void
add_object(struct text *out, const struct member *members, const struct rows *rows, int row)
{
	for (int i = 0; members[i].name != NULL; i++) {
		text_add_string(out, i == 0 ? "{" : ", ");
		add_member(out, &members[i], rows, row, i);
	}
	text_add_string(out, "}");
}

/* A list with an item on each line. */
static bool
add_list(struct manifest *manifest, const char *indent, const char *name, enum statement_id statement, struct params params,
    const struct member *members, struct error *err)
{
	struct rows rows;

	if (!db_rows(manifest->run->db, statement, params, &rows, err))
		return false;
	text_add_format(manifest->out, "%s\"%s\": [", indent, name);
	for (int row = 0; row < rows.count; row++) {
		text_add_format(manifest->out, "%s\n%s  ", row == 0 ? "" : ",", indent);
		add_object(manifest->out, members, &rows, row);
	}
	text_add_format(manifest->out, "%s%s],\n", rows.count > 0 ? "\n" : "", rows.count > 0 ? indent : "");
	rows_release(&rows);
	return true;
}

/* A list about this run; about all there is in the books. */
static bool
add_run_list(struct manifest *manifest, const char *indent, const char *name, enum statement_id statement,
    const struct member *members, struct error *err)
{
	return add_list(manifest, indent, name, statement, PARAMS(manifest->number), members, err);
}

static bool
add_book_list(
    struct manifest *manifest, const char *name, enum statement_id statement, const struct member *members, struct error *err)
{
	return add_list(manifest, "  ", name, statement, NO_PARAMS, members, err);
}

/* An object of one row; `end` stands behind it. */
static bool
add_row(struct manifest *manifest, const char *indent, const char *name, enum statement_id statement, struct params params,
    const struct member *members, const char *end, struct error *err)
{
	struct rows rows;

	if (!db_one_row(manifest->run->db, statement, params, &rows, err))
		return false;
	text_add_format(manifest->out, "%s\"%s\": ", indent, name);
	add_object(manifest->out, members, &rows, 0);
	text_add_string(manifest->out, end);
	rows_release(&rows);
	return true;
}

/* --- the parts ------------------------------------------------------------------------------- */

/* Columns of manifest_run.sql. */
enum run_column { RUN_NUMBER, RUN_NIGHT, RUN_AT, RUN_CAUGHT_UP, RUN_CODE_VERSION, RUN_ZONE_DATA, RUN_ATTEMPTS, RUN_READ_AT };

static void
add_text(struct text *out, const char *name, const char *value)
{
	text_add_format(out, "  \"%s\": ", name);
	text_add_json(out, value);
	text_add_string(out, ",\n");
}

static void
add_head(struct text *out, const struct rows *run, const char *outcome)
{
	char at[INSTANT_TEXT];

	text_add_format(
	    out, "{\n  \"manifest\": %d,\n  \"run\": %lld,\n", MANIFEST_VERSION, (long long)row_number(run, 0, RUN_NUMBER));
	add_text(out, "night", row_text(run, 0, RUN_NIGHT));
	add_text(out, "at", instant_format(row_instant(run, 0, RUN_AT), at));
	text_add_format(out, "  \"caught_up\": %s,\n", row_bool(run, 0, RUN_CAUGHT_UP) ? "true" : "false");
	add_text(out, "outcome", outcome);
	add_text(out, "code_version", row_text(run, 0, RUN_CODE_VERSION));
	add_text(out, "zone_data", row_text(run, 0, RUN_ZONE_DATA));
}

static bool
add_settings(struct manifest *manifest, struct error *err)
{
	struct rows rows;

	if (!db_rows(manifest->run->db, SQL_NIGHTLY_MANIFEST_SETTINGS, PARAMS(manifest->number), &rows, err))
		return false;
	text_add_string(manifest->out, "  \"settings\": {");
	for (int row = 0; row < rows.count; row++) {
		text_add_string(manifest->out, row == 0 ? "\n    " : ",\n    ");
		text_add_json(manifest->out, row_text(&rows, row, 0));
		text_add_format(manifest->out, ": %s", row_text(&rows, row, 1));
	}
	text_add_string(manifest->out, rows.count > 0 ? "\n  },\n" : "},\n");
	rows_release(&rows);
	return true;
}

static bool
add_inputs(struct manifest *manifest, struct error *err)
{
	text_add_string(manifest->out, "  \"inputs\": {\n");
	return add_run_list(manifest, "    ", "files", SQL_NIGHTLY_MANIFEST_FILES, files, err) &&
	    add_run_list(manifest, "    ", "kafka", SQL_NIGHTLY_MANIFEST_RANGES, ranges, err) &&
	    add_row(manifest, "    ", "counts", SQL_NIGHTLY_MANIFEST_COUNTS, PARAMS(manifest->number), counts, "\n  },\n", err);
}

static bool
add_results(struct manifest *manifest, struct error *err)
{
	return add_run_list(manifest, "  ", "ratings", SQL_NIGHTLY_MANIFEST_RATINGS, ratings, err) &&
	    add_book_list(manifest, "price_books", SQL_NIGHTLY_MANIFEST_BOOKS, books, err) &&
	    add_run_list(manifest, "  ", "steps", SQL_NIGHTLY_MANIFEST_STEPS, steps, err) &&
	    add_run_list(manifest, "  ", "invoices", SQL_NIGHTLY_MANIFEST_INVOICES, invoices, err) &&
	    add_run_list(manifest, "  ", "credit_notes", SQL_NIGHTLY_MANIFEST_CREDIT_NOTES, credit_notes, err) &&
	    add_run_list(manifest, "  ", "totals", SQL_NIGHTLY_MANIFEST_TOTALS, totals, err) &&
	    add_run_list(manifest, "  ", "documents", SQL_NIGHTLY_MANIFEST_DOCUMENTS, documents, err) &&
	    add_book_list(manifest, "parked", SQL_NIGHTLY_MANIFEST_PARKED, parked, err) &&
	    add_book_list(manifest, "held", SQL_NIGHTLY_MANIFEST_HELD, held, err) &&
	    add_row(manifest, "  ", "quarantine", SQL_NIGHTLY_MANIFEST_QUARANTINE, NO_PARAMS, quarantine, ",\n", err);
}

/* Over the bytes above it. */
static void
add_digest(struct text *out)
{
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];
	struct digest *digest = digest_new();

	digest_begin(digest);
	digest_bytes(digest, out->bytes, out->length);
	digest_end(digest, sum);
	digest_free(digest);
	text_add_format(out, "  \"digest\": \"%s\",\n", digest_hex(sum, sizeof sum, hex));
}

/* Columns of manifest_steps.sql for the timing. */
enum { STEP_NAME = 0, STEP_SECONDS = 5 };

static bool
add_timing(struct manifest *manifest, const struct rows *run, struct instant ended_at, struct error *err)
{
	char read[INSTANT_TEXT], ended[INSTANT_TEXT];
	struct rows rows;

	if (!db_rows(manifest->run->db, SQL_NIGHTLY_MANIFEST_STEPS, PARAMS(manifest->number), &rows, err))
		return false;
	text_add_format(manifest->out,
	    "  \"timing\": {\n    \"attempts\": %lld,\n    \"read_at\": \"%s\",\n    \"ended_at\": \"%s\",\n    \"seconds\": {",
	    (long long)row_number(run, 0, RUN_ATTEMPTS), instant_format(row_instant(run, 0, RUN_READ_AT), read),
	    instant_format(ended_at, ended));
	for (int row = 0; row < rows.count; row++) {
		text_add_string(manifest->out, row == 0 ? "" : ", ");
		text_add_json(manifest->out, row_text(&rows, row, STEP_NAME));
		text_add_format(
		    manifest->out, ": %s", row_is_null(&rows, row, STEP_SECONDS) ? "null" : row_text(&rows, row, STEP_SECONDS));
	}
	text_add_string(manifest->out, "}\n  }\n}\n");
	rows_release(&rows);
	return true;
}

static bool
write_manifest(struct manifest *manifest, struct instant ended_at, const char *outcome, struct error *err)
{
	struct rows run;
	bool fine;

	if (!db_change(manifest->run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) ||
	    !db_one_row(manifest->run->db, SQL_NIGHTLY_MANIFEST_RUN, PARAMS(manifest->number), &run, err))
		return false;
	add_head(manifest->out, &run, outcome);
	fine = add_settings(manifest, err) && add_inputs(manifest, err) && add_results(manifest, err);
	if (fine) {
		add_digest(manifest->out);
		fine = add_timing(manifest, &run, ended_at, err);
	}
	rows_release(&run);
	return fine;
}

bool
night_manifest(struct night *night, struct instant ended_at, const char *outcome, struct text *out, struct error *err)
{
	struct run *run = night->run;
	struct manifest manifest = {run, param_number(&run->arena, run->night_run), out};

	text_clear(out);
	if (!db_begin(run->db, err))
		return false;
	if (write_manifest(&manifest, ended_at, outcome, err))
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}
