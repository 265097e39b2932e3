/*
 * archive_write.c -- see archive.h: a month of the ledger becomes a file.
 *
 * The order is what makes it safe.  The rows are summed, written beside the file's place, synced, read back and compared; then, in the
 * transaction that was open all the time, the proofs are stored and the partition goes; the file gets its name, and the transaction is committed.
 * What was counted before the first look is counted again behind the locks: equal means that all looks between saw the same rows.
 *
 * A file that has its name is never taken away.  Whoever lost his connection cannot know what was committed since, by another who wrote the same
 * rows to the same name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "ledger/archive.h"
#include "ledger/audit.h"
#include "ledger/batch_headers.h"

struct writing {
	struct run *run;
	const char *month, *month_date; /* 2026-10, 2026-10-01 */
	const char *folder;
	int64_t wait; /* seconds, for locks */
	/* What there is: archive_next.sql. */
	const char *id;
	struct archive_name name;
	const char *starts, *ends; /* of the month */
	struct instant from, to;   /* the same */
	int64_t late;
	int64_t rows; /* that were summed */
	/* Rows on their way into the file, and the digests of their batches. */
	struct rows headers;
	int at; /* the header whose rows are being read */
	struct digest *digest;
	int64_t not_recomputed; /* batches with rows that are archived already */
	struct archive_dictionary dictionary;
	struct archive_writer *writer;
	const struct archive_totals *totals;
	struct new_file file;
	/* The file. */
	const char *file_name, *path;
	unsigned char file_digest[DIGEST_SIZE];
	int64_t bytes;
	bool named;
};

/* --- what may be archived ---------------------------------------------------------------------- */

static bool
check_hindrances(struct writing *writing, struct error *err)
{
	enum { SHOWN = 8 };
	struct text all = {0};
	struct rows rows;
	bool fine;

	if (!db_rows(writing->run->db, SQL_LEDGER_ARCHIVE_HINDRANCES, PARAMS(writing->month_date), &rows, err))
		return false;
	fine = rows.count == 0;
	for (int i = 0; i < rows.count && i < SHOWN; i++)
		text_add_format(&all, "%s%s", i == 0 ? "" : "; ", row_text(&rows, i, 0));
	if (rows.count > SHOWN)
		text_add_format(&all, "; and %d more", rows.count - SHOWN);
	if (!fine) {
		error_set(err, ERROR_STATE, "%s cannot be archived", writing->month);
		error_detail(err, "%s.", text_string(&all));
		error_hint(err, "tollbook close MONTH, then --hard, closes a month for good; tollbook rate sums what came late.");
	}
	text_release(&all);
	rows_release(&rows);
	return fine;
}

static bool
nothing_to_write(const struct writing *writing, struct error *err)
{
	error_set(err, ERROR_NOTHING, "the ledger has no rows of %s", writing->month);
	return error_hint(err, "tollbook archive list shows what is archived.");
}

/* Asks what there is, and what archive_rows_copy.sql shall give. */
static bool
look(struct writing *writing, struct error *err)
{
	enum { ID, PART, STARTS, ENDS, BATCHES, FIRST_BATCH, LAST_BATCH, EARLIEST, LATEST };
	struct arena *arena = &writing->run->arena;
	struct db *db = writing->run->db;
	struct rows next, set;
	bool fine;

	if (!db_one_row(db, SQL_LEDGER_ARCHIVE_NEXT, PARAMS(writing->month_date), &next, err))
		return false;
	writing->id = param_number(arena, row_number(&next, 0, ID));
	writing->name.part = row_number(&next, 0, PART);
	memcpy(writing->name.month, writing->month, sizeof writing->name.month);
	writing->from = row_instant(&next, 0, STARTS);
	writing->to = row_instant(&next, 0, ENDS);
	writing->starts = param_instant(arena, writing->from);
	writing->ends = param_instant(arena, writing->to);
	writing->late = row_number(&next, 0, BATCHES);
	fine = writing->late > 0;
	if (!fine)
		nothing_to_write(writing, err);
	fine = fine &&
	    db_one_row(db, SQL_LEDGER_ARCHIVE_RANGE_SET,
		PARAMS(row_text(&next, 0, FIRST_BATCH), row_text(&next, 0, LAST_BATCH),
		    param_instant(arena, row_instant(&next, 0, EARLIEST)), param_instant(arena, row_instant(&next, 0, LATEST))),
		&set, err);
	if (fine)
		rows_release(&set);
	rows_release(&next);
	return fine;
}

/* --- sums ---------------------------------------------------------------------------------------- */

static bool
one_number(struct writing *writing, enum statement_id id, struct params params, int64_t *out, struct error *err)
{
	struct rows rows;

	if (!db_one_row(writing->run->db, id, params, &rows, err))
		return false;
	*out = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

static bool
sum(struct writing *writing, struct error *err)
{
	struct db *db = writing->run->db;
	struct params span = PARAMS(writing->id, writing->starts, writing->ends);
	int64_t different;

	progress(writing->run, "summing %s", writing->month);
	if (!db_change(db, SQL_LEDGER_ARCHIVE_SUM, span, -1, err) ||
	    !db_change(db, SQL_LEDGER_ARCHIVE_SUM_EXTRA, span, -1, err) ||
	    !db_change(db, SQL_LEDGER_ARCHIVE_SUM_REVERSALS, span, -1, err) ||
	    !one_number(writing, SQL_LEDGER_ARCHIVE_ROWS, PARAMS(writing->id), &writing->rows, err))
		return false;
	if (writing->rows == 0)
		return nothing_to_write(writing, err);
	if (!one_number(writing, SQL_LEDGER_ARCHIVE_DIFFERS, PARAMS(writing->month_date, writing->id), &different, err))
		return false;
	if (different == 0)
		return true;
	error_set(err, ERROR_STATE, "%lld sums of %s are not those that were rated: it is not archived", (long long)different,
	    writing->month);
	return error_hint(err, "tollbook reconcile finds out more.");
}

static bool
load_dictionary(struct writing *writing, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(writing->run->db, SQL_LEDGER_ARCHIVE_SOURCES, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		must(archive_dictionary_source(&writing->dictionary, (int32_t)row_number(&rows, i, 0),
		    (struct bytes){row_text(&rows, i, 1), row_length(&rows, i, 1)}));
	rows_release(&rows);
	fine = db_rows(writing->run->db, SQL_LEDGER_ARCHIVE_SERIES, PARAMS(writing->id), &rows, err);
	for (int i = 0; fine && i < rows.count; i++) {
		struct bytes field[SERIES_FIELDS];

		for (int j = 0; j < SERIES_FIELDS; j++)
			field[j] = (struct bytes){row_text(&rows, i, 1 + j), row_length(&rows, i, 1 + j)};
		must(archive_dictionary_series(&writing->dictionary, (int32_t)row_number(&rows, i, 0), field));
	}
	if (fine)
		rows_release(&rows);
	return fine;
}

/* --- rows ---------------------------------------------------------------------------------------- */

static void
begin_header(struct writing *writing)
{
	if (writing->at < writing->headers.count)
		batch_digest_begin(writing->digest, &writing->headers, writing->at);
}

/* All rows of a batch have been read, those of other months too: its digest must be what it was. */
static bool
end_header(struct writing *writing, struct error *err)
{
	enum { ARCHIVED_ELSEWHERE = 15 };
	int at = writing->at++;
	bool holds = batch_digest_holds(writing->digest, &writing->headers, at);

	begin_header(writing);
	if (row_bool(&writing->headers, at, ARCHIVED_ELSEWHERE)) {
		writing->not_recomputed++;
		return true;
	}
	if (holds)
		return true;
	error_set(err, ERROR_STATE, "rows or header of batch %lld were changed since it was booked: %s is not archived",
	    (long long)batch_header_number(&writing->headers, at), writing->month);
	return error_hint(err, "tollbook reconcile finds out more.");
}

static bool
write_failed(const struct writing *writing, int why, struct error *err)
{
	error_set(err, ERROR_AWAY, "the archive cannot be written: %s", strerror(why == 0 ? EIO : why));
	error_hint(err, "Nothing has changed: run it again when there is room.");
	return error_at(err, writing->file.path, 0);
}

static bool
take_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct writing *writing = context;
	struct archive_row row;

	archive_row_read(bytes, length, &row);
	while (writing->at < writing->headers.count && batch_header_number(&writing->headers, writing->at) < row.batch)
		if (!end_header(writing, err))
			return false;
	if (writing->at < writing->headers.count && batch_header_number(&writing->headers, writing->at) == row.batch)
		digest_field(writing->digest, bytes, length);
	if (row.time.us < writing->from.us || row.time.us >= writing->to.us)
		return true;
	if (ferror(writing->file.stream) != 0)
		return write_failed(writing, errno, err);
	return archive_writer_row(writing->writer, bytes, length, err);
}

static bool
write_rows(struct writing *writing, struct error *err)
{
	progress(writing->run, "writing %s: %lld rows", writing->month, (long long)writing->rows);
	writing->writer = archive_writer_new(writing->file.stream, writing->name, &writing->dictionary);
	begin_header(writing);
	if (!db_copy_out(writing->run->db, SQL_LEDGER_ARCHIVE_ROWS_COPY, take_row, writing, err))
		return false;
	while (writing->at < writing->headers.count)
		if (!end_header(writing, err))
			return false;
	writing->totals = archive_writer_end(writing->writer);
	if (writing->totals->rows == writing->rows)
		return true;
	error_set(err, ERROR_STATE, "%s has %lld rows, and %lld of them are of batches with a header: it is not archived",
	    writing->month, (long long)writing->rows, (long long)writing->totals->rows);
	return error_hint(err, "Usage may have come meanwhile: try again. tollbook reconcile finds rows without a batch.");
}

/* --- the file ------------------------------------------------------------------------------------ */

/* Its rows as they come back, beside what went in. */
static bool
read_back(struct writing *writing, const char *path, struct error *err)
{
	const struct archive_totals *back;
	const struct archive_row *row;
	struct archive_file *file;
	bool fine;

	progress(writing->run, "reading %s back", writing->month);
	if (!archive_file_open(path, &file, err))
		return false;
	do
		fine = archive_file_next(file, &row, err);
	while (fine && row != NULL);
	if (fine) {
		back = archive_file_totals(file);
		if (back->rows != writing->totals->rows ||
		    memcmp(back->rows_digest, writing->totals->rows_digest, DIGEST_SIZE) != 0)
			fine = error_set(err, ERROR_AWAY, "what is read back from %s is not what was written", path);
	}
	archive_file_close(file);
	return fine && file_digest(path, writing->file_digest, &writing->bytes, err);
}

static bool
finish_stream(struct writing *writing, struct error *err)
{
	FILE *stream = writing->file.stream;
	bool fine;

	errno = 0;
	fine = fflush(stream) == 0 && ferror(stream) == 0 && fsync(fileno(stream)) == 0;
	return fine || write_failed(writing, errno, err);
}

/* A file that has the name is never replaced, but by the same bytes. */
static bool
find_name(struct writing *writing, struct error *err)
{
	unsigned char digest[DIGEST_SIZE];
	char hex[DIGEST_HEX];
	int64_t bytes;

	writing->file_name = arena_format(&writing->run->arena, "usage-%s-%lld-%.8s.tollbook.zst", writing->month,
	    (long long)writing->name.part, digest_hex(writing->totals->rows_digest, DIGEST_SIZE, hex));
	writing->path = arena_format(&writing->run->arena, "%s/%s", writing->folder, writing->file_name);
	if (!archive_is_there(writing->path))
		return true;
	if (!file_digest(writing->path, digest, &bytes, err))
		return false;
	if (memcmp(digest, writing->file_digest, DIGEST_SIZE) == 0)
		return true;
	error_set(err, ERROR_STATE, "another file has the archive's name");
	error_hint(err, "Look what it is, and move it away; nothing has changed.");
	return error_at(err, writing->path, 0);
}

static bool
write_file(struct writing *writing, struct error *err)
{
	struct run *run = writing->run;
	/* The beginning of a digest in the temporary name, so that two databases with one folder do not write into one file. */
	const char *beside = arena_format(&run->arena, "%s/usage-%s-%lld-%.8s", writing->folder, writing->month,
	    (long long)writing->name.part, row_text(&writing->headers, 0, 13));

	return file_begin_alone(&writing->file, beside, err) && write_rows(writing, err) && finish_stream(writing, err) &&
	    read_back(writing, text_string(&writing->file.part), err) && find_name(writing, err);
}

/* --- the books ----------------------------------------------------------------------------------- */

static bool
store_proofs(struct writing *writing, struct error *err)
{
	const struct archive_totals *totals = writing->totals;
	struct text rows = {0};
	char hex[DIGEST_HEX];
	bool fine;

	for (size_t i = 0; i < totals->proof_count; i++)
		text_add_format(&rows, "%s\t%lld\t%lld\t\\\\x%s\n", writing->id, (long long)totals->proofs[i].batch,
		    (long long)totals->proofs[i].rows, digest_hex(totals->proofs[i].digest, DIGEST_SIZE, hex));
	fine = db_copy_in_text(writing->run->db, SQL_LEDGER_ARCHIVED_BATCH_COPY, &rows, err);
	text_release(&rows);
	return fine;
}

static bool
store_archive(struct writing *writing, struct error *err)
{
	struct run *run = writing->run;
	const struct archive_totals *totals = writing->totals;
	const struct audit entry = {.action = "archive write",
	    .subject = writing->month,
	    .after = arena_format(&run->arena, "%lld rows in %s", (long long)totals->rows, writing->file_name)};

	return db_change(run->db, SQL_LEDGER_ARCHIVE_ADD,
		   PARAMS(writing->id, writing->month_date, param_number(&run->arena, writing->name.part), writing->file_name,
		       writing->folder, param_hex(&run->arena, writing->file_digest, DIGEST_SIZE),
		       param_number(&run->arena, writing->bytes), param_number(&run->arena, totals->rows),
		       param_number(&run->arena, (int64_t)totals->proof_count),
		       param_hex(&run->arena, totals->rows_digest, DIGEST_SIZE), param_instant(&run->arena, run->now), run->by),
		   1, err) &&
	    audit_add(run, &entry, err);
}

/* With the commit the file stands for the rows. */
static bool
let_go(struct writing *writing, struct error *err)
{
	int64_t kept;

	if (!archive_locks(writing->run, writing->month_date, writing->late, writing->wait, err) || !store_proofs(writing, err) ||
	    !store_archive(writing, err) ||
	    !one_number(writing, SQL_LEDGER_ARCHIVE_REPLACE, PARAMS(writing->month_date), &kept, err))
		return false;
	if (kept > 0)
		return error_set(err, ERROR_BUSY, "%lld rows of %s came meanwhile", (long long)kept, writing->month);
	writing->named = file_rename(text_string(&writing->file.part), writing->path, err);
	return writing->named;
}

/* The stream is open until here, so that nobody else began to write to the same place. */
static void
release(struct writing *writing)
{
	if (writing->file.stream != NULL) {
		if (!writing->named)
			(void)unlink(text_string(&writing->file.part));
		(void)fclose(writing->file.stream);
		text_release(&writing->file.part);
	}
	if (writing->headers.result != NULL)
		rows_release(&writing->headers);
	archive_writer_free(writing->writer);
	archive_dictionary_release(&writing->dictionary);
	digest_free(writing->digest);
}

static void
tell(const struct writing *writing)
{
	progress_end(writing->run);
	say(writing->run, "%s, part %lld: %lld rows of %zu batches are in %s, %lld bytes", writing->month,
	    (long long)writing->name.part, (long long)writing->totals->rows, writing->totals->proof_count, writing->path,
	    (long long)writing->bytes);
	if (writing->not_recomputed > 0)
		say(writing->run, "the digests of %lld batches were not computed again, since other months of them are archived",
		    (long long)writing->not_recomputed);
}

bool
archive_write(struct run *run, const char *month, const char *folder, int64_t wait, struct error *err)
{
	struct writing writing = {.run = run,
	    .month = month,
	    .month_date = arena_format(&run->arena, "%s-01", month),
	    .folder = folder,
	    .wait = wait,
	    .digest = digest_new()};
	bool fine = archive_begin(run, err) && check_hindrances(&writing, err) && look(&writing, err) && sum(&writing, err) &&
	    load_dictionary(&writing, err) &&
	    db_rows(run->db, SQL_LEDGER_ARCHIVE_HEADERS, PARAMS(writing.month_date), &writing.headers, err) &&
	    write_file(&writing, err) && let_go(&writing, err) && db_commit(run->db, err);

	if (fine)
		tell(&writing);
	else
		db_rollback(run->db);
	progress_end(run);
	release(&writing);
	return fine;
}
