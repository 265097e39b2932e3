/* archive.c -- see archive.h: what writing, attaching and detaching have in common. */
#include "ledger/archive.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* --- what is archived -------------------------------------------------------------------------- */

/* Columns of archive_list.sql. */
enum {
	ID,
	MONTH,
	PART,
	STATE,
	ROWS,
	BATCHES,
	BYTES,
	FILE_NAME,
	FOLDER,
	DIGEST,
	ROWS_DIGEST,
	WRITTEN_AT,
	WRITTEN_BY,
	FIRST_BATCH
};

static struct archive_record
read_record(struct arena *arena, const struct rows *rows, int row)
{
	return (struct archive_record){.id = arena_copy(arena, row_text(rows, row, ID), row_length(rows, row, ID)),
	    .month = arena_copy(arena, row_text(rows, row, MONTH), row_length(rows, row, MONTH)),
	    .part = row_number(rows, row, PART),
	    .rows = row_number(rows, row, ROWS),
	    .batches = row_number(rows, row, BATCHES),
	    .bytes = row_number(rows, row, BYTES),
	    .first_batch = row_number(rows, row, FIRST_BATCH),
	    .attached = strcmp(row_text(rows, row, STATE), "attached") == 0,
	    .file = arena_copy(arena, row_text(rows, row, FILE_NAME), row_length(rows, row, FILE_NAME)),
	    .folder = arena_copy(arena, row_text(rows, row, FOLDER), row_length(rows, row, FOLDER)),
	    .digest = arena_copy(arena, row_text(rows, row, DIGEST), row_length(rows, row, DIGEST)),
	    .rows_digest = arena_copy(arena, row_text(rows, row, ROWS_DIGEST), row_length(rows, row, ROWS_DIGEST)),
	    .written_at = arena_copy(arena, row_text(rows, row, WRITTEN_AT), row_length(rows, row, WRITTEN_AT)),
	    .written_by = arena_copy(arena, row_text(rows, row, WRITTEN_BY), row_length(rows, row, WRITTEN_BY))};
}

bool
archive_records(struct run *run, const char *month, enum archive_state state, const struct archive_record **out, size_t *count,
    struct error *err)
{
	static const char *const states[] = {[ARCHIVE_ANY] = "", [ARCHIVE_OUT] = "archived", [ARCHIVE_ATTACHED] = "attached"};
	struct archive_record *records;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_ARCHIVE_LIST, PARAMS(month, states[state]), &rows, err))
		return false;
	*count = (size_t)rows.count;
	records = arena_take(&run->arena, (*count + 1) * sizeof *records);
	for (int i = 0; i < rows.count; i++)
		records[i] = read_record(&run->arena, &rows, i);
	rows_release(&rows);
	*out = records;
	return true;
}

const char *
archive_path(struct run *run, const struct archive_record *record, const char *folder)
{
	return arena_format(&run->arena, "%s/%s", folder == NULL ? record->folder : folder, record->file);
}

bool
archive_is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
archive_file_check(const struct archive_record *record, const char *path, struct error *err)
{
	unsigned char digest[DIGEST_SIZE];
	char hex[DIGEST_HEX];
	int64_t bytes;

	if (!file_digest(path, digest, &bytes, err)) {
		error_wrap(err, "part %lld of %s", (long long)record->part, record->month);
		return error_hint(err, "Put the file back, or say where it is: --folder FOLDER.");
	}
	if (strcmp(digest_hex(digest, sizeof digest, hex), record->digest) == 0)
		return true;
	error_set(
	    err, ERROR_INPUT, "this is not the file that part %lld of %s was written to", (long long)record->part, record->month);
	error_detail(err, "It has %lld bytes and SHA-256 %s; %lld bytes and %s were written.", (long long)bytes, hex,
	    (long long)record->bytes, record->digest);
	error_hint(err, "Get %s from a copy.", record->file);
	return error_at(err, path, 0);
}

/* What the books have of each batch, beside what was read; NULL where it is the same. */
static const char *
batches_differ(struct run *run, const struct rows *rows, const struct archive_totals *totals)
{
	enum { BATCH, BATCH_ROWS, BATCH_DIGEST };
	char hex[DIGEST_HEX];

	for (int i = 0; i < rows->count && (size_t)i < totals->proof_count; i++) {
		const struct archive_proof *proof = &totals->proofs[i];

		if (row_number(rows, i, BATCH) != proof->batch || row_number(rows, i, BATCH_ROWS) != proof->rows ||
		    strcmp(row_text(rows, i, BATCH_DIGEST), digest_hex(proof->digest, DIGEST_SIZE, hex)) != 0)
			return arena_format(&run->arena, "batch %lld", (long long)proof->batch);
	}
	if ((size_t)rows->count != totals->proof_count)
		return arena_format(
		    &run->arena, "the number of batches: %zu in the file, %d in the books", totals->proof_count, rows->count);
	return NULL;
}

static const char *
meters_differ(const struct rows *rows, const struct archive_totals *totals)
{
	i128 sums[METER_LIMIT] = {0};

	for (int i = 0; i < rows->count; i++)
		if (row_number(rows, i, 0) > 0 && row_number(rows, i, 0) < METER_LIMIT)
			sums[row_number(rows, i, 0)] = row_integer(rows, i, 1);
	for (int meter = 1; meter < METER_LIMIT; meter++)
		if (sums[meter] != totals->sums[meter])
			return meter_of(meter)->name;
	return NULL;
}

bool
archive_proofs_check(struct run *run, const struct archive_record *record, const struct archive_totals *totals,
    const char **differs, struct error *err)
{
	char hex[DIGEST_HEX];
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_ARCHIVED_BATCHES, PARAMS(record->id), &rows, err))
		return false;
	*differs = batches_differ(run, &rows, totals);
	rows_release(&rows);
	if (*differs == NULL && strcmp(digest_hex(totals->rows_digest, DIGEST_SIZE, hex), record->rows_digest) != 0)
		*differs = "the digest of all batches";
	if (*differs != NULL || !db_rows(run->db, SQL_LEDGER_ARCHIVED_METERS, PARAMS(record->id), &rows, err))
		return *differs != NULL;
	*differs = meters_differ(&rows, totals);
	rows_release(&rows);
	return true;
}

/* --- locks --------------------------------------------------------------------------------------- */

enum { PAUSE_MS = 500 };

static bool
ask(struct run *run, enum statement_id question, bool *answer, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, question, NO_PARAMS, &rows, err))
		return false;
	*answer = row_bool(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

bool
archive_begin(struct run *run, struct error *err)
{
	bool alone;

	if (!db_begin(run->db, err) || !ask(run, SQL_LEDGER_ARCHIVE_TRY, &alone, err))
		return false;
	return alone || error_set(err, ERROR_BUSY, "somebody else is writing, attaching or detaching an archive");
}

bool
archive_late(struct run *run, const char *month_date, int64_t *out, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_LEDGER_ARCHIVE_LATE_COUNT, PARAMS(month_date), &rows, err))
		return false;
	*out = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

/* One attempt; *got is false where somebody is in the way. */
static bool
try_locks(struct run *run, const char *month_date, bool *got, struct error *err)
{
	struct rows rows;

	if (!ask(run, SQL_LEDGER_ARCHIVE_BOOKS_TRY, got, err))
		return false;
	if (!*got)
		return true;
	*got = db_one_row(run->db, SQL_LEDGER_ARCHIVE_PATIENCE, NO_PARAMS, &rows, err);
	if (!*got)
		return false;
	rows_release(&rows);
	*got = db_rows(run->db, SQL_LEDGER_ARCHIVE_LOCK, PARAMS(month_date), &rows, err);
	if (*got)
		rows_release(&rows);
	return *got || error_is_sqlstate(err, "55P03") || error_is_sqlstate(err, "40P01");
}

static bool
wait_for_locks(struct run *run, const char *month_date, int64_t wait, struct error *err)
{
	int64_t until = clock_ms() + wait * 1000;

	for (;;) {
		bool got;

		if (!db_savepoint(run->db, err) || !try_locks(run, month_date, &got, err))
			return false;
		if (got)
			return db_release_savepoint(run->db, err);
		if (!db_rollback_to_savepoint(run->db, err))
			return false;
		if (clock_ms() >= until)
			break;
		progress(run, "waiting for those who rate, or read the ledger");
		clock_wait(PAUSE_MS);
	}
	error_set(err, ERROR_BUSY, "the ledger is in use: its rows cannot be taken out now");
	return error_hint(err,
	    "A rating run, a reconciliation, a report or a long query reads it. Try again when it has ended, or give it time: "
	    "--wait SECONDS.");
}

bool
archive_locks(struct run *run, const char *month_date, int64_t late, int64_t wait, struct error *err)
{
	int64_t now;

	if (!wait_for_locks(run, month_date, wait, err) || !archive_late(run, month_date, &now, err))
		return false;
	if (now == late)
		return true;
	error_set(err, ERROR_BUSY, "usage of %.7s came meanwhile", month_date);
	return error_hint(err, "Run tollbook rate, so that it is summed, and try again.");
}
