/* archive_attach.c -- see archive.h: rows come back from files into the ledger, and go again. */
#include "base/file.h"
#include "ledger/archive.h"
#include "ledger/audit.h"

/* --- back ------------------------------------------------------------------------------------------ */

enum { COPY_PIECE = 64 << 10 };

/* In pieces, so that the server works on one while the next is made. */
static bool
send_rows(struct run *run, struct text *rows, size_t at_least, struct error *err)
{
	bool fine = rows->length < at_least || db_copy_in_bytes(run->db, rows->bytes, rows->length, err);

	if (rows->length >= at_least)
		text_clear(rows);
	return fine;
}

static bool
copy_rows(struct run *run, struct archive_file *file, struct text *rows, struct error *err)
{
	const struct archive_row *row;
	int64_t taken;

	if (!db_copy_in_begin(run->db, SQL_LEDGER_USAGE_EVENT_COPY, err))
		return false;
	copy_header(rows);
	for (;;) {
		struct bytes bytes;

		if (!archive_file_next(file, &row, err))
			return false;
		if (row == NULL)
			break;
		bytes = archive_file_bytes(file);
		text_add(rows, bytes.at, bytes.length);
		if (!send_rows(run, rows, COPY_PIECE, err))
			return false;
	}
	copy_trailer(rows);
	if (!send_rows(run, rows, 0, err) || !db_copy_in_end(run->db, &taken, err))
		return false;
	must(taken == archive_file_totals(file)->rows);
	return true;
}

static bool
check_proofs(
    struct run *run, const struct archive_record *record, const struct archive_file *file, const char *path, struct error *err)
{
	const char *differs;

	if (!archive_proofs_check(run, record, archive_file_totals(file), &differs, err))
		return false;
	if (differs == NULL)
		return true;
	error_set(err, ERROR_STATE, "the file and what the books have of part %lld of %s differ: %s", (long long)record->part,
	    record->month, differs);
	error_hint(err, "The books were changed since it was written: compare them with a backup. Nothing is attached.");
	return error_at(err, path, 0);
}

static bool
note_step(struct run *run, const struct archive_record *record, const char *step, struct error *err)
{
	return db_change(
	    run->db, SQL_LEDGER_ARCHIVE_STEP, PARAMS(record->id, step, param_instant(&run->arena, run->now), run->by), 1, err);
}

static bool
attach_one(struct run *run, const struct archive_record *record, const char *folder, struct error *err)
{
	const char *path = archive_path(run, record, folder);
	struct archive_file *file;
	struct text rows = {0};
	bool fine;

	if (!archive_file_check(record, path, err) || !archive_file_open(path, &file, err))
		return false;
	progress(run, "attaching %s, part %lld: %lld rows", record->month, (long long)record->part, (long long)record->rows);
	fine = copy_rows(run, file, &rows, err) && check_proofs(run, record, file, path, err) &&
	    note_step(run, record, "attached", err);
	text_release(&rows);
	archive_file_close(file);
	return fine;
}

static bool
note_audit(struct run *run, const char *action, const char *month, int64_t rows, struct error *err)
{
	const struct audit entry = {
	    .action = action, .subject = month, .after = arena_format(&run->arena, "%lld rows", (long long)rows)};

	return audit_add(run, &entry, err);
}

/* The records that are concerned, or an error where there are none. */
static bool
find_records(struct run *run, const char *month, enum archive_state state, const struct archive_record **records, size_t *count,
    struct error *err)
{
	if (!archive_records(run, month, state, records, count, err))
		return false;
	if (*count > 0)
		return true;
	error_set(err, ERROR_NOTHING, state == ARCHIVE_OUT ? "no rows of %s are archived" : "nothing archived of %s is attached",
	    month);
	return error_hint(err, "tollbook archive list shows what is archived.");
}

static bool
attach_all(struct run *run, const char *month, const char *folder, int64_t *rows, struct error *err)
{
	const struct archive_record *records;
	struct rows ensured;
	size_t count;

	if (!find_records(run, month, ARCHIVE_OUT, &records, &count, err) ||
	    !db_rows(run->db, SQL_LEDGER_MONTH_ENSURE, PARAMS(month), &ensured, err))
		return false;
	rows_release(&ensured);
	for (size_t i = 0; i < count; i++) {
		if (!attach_one(run, &records[i], folder, err))
			return false;
		*rows += records[i].rows;
	}
	return note_audit(run, "archive attach", month, *rows, err);
}

bool
archive_attach(struct run *run, const char *month, const char *folder, struct error *err)
{
	int64_t rows = 0;
	bool fine = archive_begin(run, err) && attach_all(run, month, folder, &rows, err) && db_commit(run->db, err);

	progress_end(run);
	if (fine)
		say(run, "%lld rows of %s are in the ledger again; their files stay as they are", (long long)rows, month);
	else
		db_rollback(run->db);
	return fine;
}

/* --- and gone again -------------------------------------------------------------------------------- */

/* The ledger must have what the files have, and what came since, and nothing else. */
static bool
count_rows(struct run *run, const char *month_date, int64_t *late_rows, struct error *err)
{
	enum { ALL, LATE, ATTACHED };
	int64_t all, attached;
	struct rows rows;

	if (!db_one_row(run->db, SQL_LEDGER_ARCHIVE_MONTH_COUNT, PARAMS(month_date), &rows, err))
		return false;
	all = row_number(&rows, 0, ALL);
	attached = row_number(&rows, 0, ATTACHED);
	*late_rows = row_number(&rows, 0, LATE);
	rows_release(&rows);
	if (all == attached + *late_rows)
		return true;
	error_set(err, ERROR_STATE,
	    "the ledger has %lld rows of %.7s: %lld that its files have, and %lld that came later, would be right",
	    (long long)all, month_date, (long long)attached, (long long)*late_rows);
	return error_hint(err, "Rows were added or lost: tollbook reconcile finds out more. Nothing is detached.");
}

static bool
replace_month(struct run *run, const char *month_date, int64_t late_rows, struct error *err)
{
	struct rows rows;
	int64_t kept;

	if (!db_one_row(run->db, SQL_LEDGER_ARCHIVE_REPLACE, PARAMS(month_date), &rows, err))
		return false;
	kept = row_number(&rows, 0, 0);
	rows_release(&rows);
	return kept == late_rows || error_set(err, ERROR_BUSY, "rows of %.7s came meanwhile", month_date);
}

static bool
detach_all(struct run *run, const char *month, const char *folder, int64_t wait, int64_t *detached, int64_t *late_rows,
    struct error *err)
{
	const char *month_date = arena_format(&run->arena, "%s-01", month);
	const struct archive_record *records;
	size_t count;
	int64_t late;

	if (!find_records(run, month, ARCHIVE_ATTACHED, &records, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!archive_file_check(&records[i], archive_path(run, &records[i], folder), err))
			return false;
		*detached += records[i].rows;
	}
	if (!archive_late(run, month_date, &late, err) || !count_rows(run, month_date, late_rows, err) ||
	    !archive_locks(run, month_date, late, wait, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!note_step(run, &records[i], "detached", err))
			return false;
	return replace_month(run, month_date, *late_rows, err) && note_audit(run, "archive detach", month, *detached, err);
}

bool
archive_detach(struct run *run, const char *month, const char *folder, int64_t wait, struct error *err)
{
	int64_t detached = 0, late_rows = 0;
	bool fine = archive_begin(run, err) && detach_all(run, month, folder, wait, &detached, &late_rows, err) &&
	    db_commit(run->db, err);

	progress_end(run);
	if (!fine) {
		db_rollback(run->db);
		return false;
	}
	say(run, "%lld rows of %s are in their files alone again", (long long)detached, month);
	if (late_rows > 0)
		say(run, "%lld rows that came since they were written stay in the ledger; tollbook archive write %s writes them",
		    (long long)late_rows, month);
	return true;
}
