/*
 * archive_merge.h -- archived rows in the order of batches, to be read beside those of the ledger: digests of batches cover both.
 *
 * Files are looked for where they were written.  Those that are not there, or are not what was written, are done without, and told.
 */
#ifndef LEDGER_ARCHIVE_MERGE_H
#define LEDGER_ARCHIVE_MERGE_H

#include "ledger/archive.h"
#include "ledger/verify.h"

struct archive_merge;

/* Called with each row as PostgreSQL's binary COPY has it. */
typedef void archive_merge_row(void *context, const struct archive_row *row, struct bytes bytes);

/* Finds the files of all parts that are out of the ledger, and compares them with what was written: what differs is told. */
MUST_CHECK
bool archive_merge_open(struct run *run, verify_differs *differs, void *context, struct archive_merge **out, struct error *err);
/* Gives the rows that stand before `limit`, in the order of batch, ordinal and kind; all that are left where it is NULL. */
MUST_CHECK
bool archive_merge_before(
    struct archive_merge *merge, const struct archive_row *limit, archive_merge_row *row, void *context, struct error *err);
/* Are rows of this batch in files that are done without?  Asked in rising order of batches. */
bool archive_merge_lacks(struct archive_merge *merge, int64_t batch);
/* How many files are done without, and the name of the first of them; NULL for none. */
size_t archive_merge_missing(const struct archive_merge *merge, const char **first);
void archive_merge_close(struct archive_merge *merge);

#endif
