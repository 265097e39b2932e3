/*
 * archive.h -- old months of the ledger: written to files, brought back, let go again.
 *
 * At every moment a month's rows are in the ledger, or in files that were synced, read back and compared, and whose proofs stand in the
 * books.  One transaction changes from the one to the other.
 */
#ifndef LEDGER_ARCHIVE_H
#define LEDGER_ARCHIVE_H

#include "base/command.h"
#include "ledger/archive_file.h"

/* --- what is archived: metering.archive ------------------------------------------------------- */

/* Texts live as long as the run. */
struct archive_record {
	const char *id;
	const char *month; /* YYYY-MM */
	int64_t part, rows, batches, bytes, first_batch;
	bool attached;
	const char *file, *folder;
	const char *digest, *rows_digest; /* hexadecimal */
	const char *written_at, *written_by;
};

/* Which of them: by month ("" for all) and by where their rows are. */
enum archive_state { ARCHIVE_ANY, ARCHIVE_OUT, ARCHIVE_ATTACHED };
MUST_CHECK
bool archive_records(struct run *run, const char *month, enum archive_state state, const struct archive_record **out,
    size_t *count, struct error *err);
/* Where its file is to be: in `folder`, or where it was written when that is NULL. */
const char *archive_path(struct run *run, const struct archive_record *record, const char *folder);
/* Is something there? */
bool archive_is_there(const char *path);
/* Is that file the one that was written, byte by byte?  Errors: INPUT, it is not, or not there. */
MUST_CHECK
bool archive_file_check(const struct archive_record *record, const char *path, struct error *err);
/* Do the rows that were read come to what the books have of the archive: each batch, each meter?  *differs says what does not, NULL where
 * all does; it lives as long as the run. */
MUST_CHECK
bool archive_proofs_check(struct run *run, const struct archive_record *record, const struct archive_totals *totals,
    const char **differs, struct error *err);

/* --- what is done ------------------------------------------------------------------------------ */

/* Writes what the ledger has of a month as its next part into a folder, and takes the rows out of the ledger.  Errors: STATE, the month may
 * not be archived yet; NOTHING, it has no rows; BUSY, others are at the ledger for `wait` seconds; AWAY, the disk.  After an error nothing has
 * changed. */
MUST_CHECK
bool archive_write(struct run *run, const char *month, const char *folder, int64_t wait, struct error *err);
/* Brings the rows of all parts of a month back into the ledger, each batch proved.  Errors: NOTHING, they are there; INPUT, a file is not there
 * or not what was written. */
MUST_CHECK
bool archive_attach(struct run *run, const char *month, const char *folder, struct error *err);
/* Lets the rows of a month's attached parts go again; what came meanwhile stays.  The files must be there.  Errors as above. */
MUST_CHECK
bool archive_detach(struct run *run, const char *month, const char *folder, int64_t wait, struct error *err);

/* Inside a transaction, alone among those who write, attach and detach.  Errors: BUSY. */
MUST_CHECK
bool archive_begin(struct run *run, struct error *err);
/* Takes the locks that taking rows out needs, in the order of all locks, with patience but never in the way of others for more than a second.
 * Then no batch may have come with usage of the month that was not there when there were `late`.  Errors: BUSY. */
MUST_CHECK
bool archive_locks(struct run *run, const char *month_date, int64_t late, int64_t wait, struct error *err);
/* How many batches may have rows of the month that no part has. */
MUST_CHECK
bool archive_late(struct run *run, const char *month_date, int64_t *out, struct error *err);

#endif
