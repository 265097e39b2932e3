/*
 * archive_file.h -- a month of the ledger as one compressed file that needs nothing beside it: rows, what their numbers stand for, proofs.
 *
 * docs/formats.md has the format.  The same rows give the same bytes, whoever writes them, when and where.
 */
#ifndef LEDGER_ARCHIVE_FILE_H
#define LEDGER_ARCHIVE_FILE_H

#include <stdio.h>

#include "ledger/archive_dictionary.h"
#include "ledger/archive_proof.h"

struct archive_name {
	char month[8]; /* YYYY-MM */
	int64_t part;
};

/* The content begins with it; its number is that of the format. */
#define ARCHIVE_FIRST_LINE "tollbook archive 1\n"
/* Of a kind of part, in letters; how long a part may be that is read. */
enum { ARCHIVE_KIND = 4, ARCHIVE_PART_BYTES = 64 << 20 };

/* --- writing --------------------------------------------------------------------------------- */

struct archive_writer;

/* Begins a file on a stream that remembers a write that failed; the dictionary must have what rows name. */
struct archive_writer *archive_writer_new(FILE *stream, struct archive_name name, const struct archive_dictionary *dictionary);
/* Adds a row of archive_rows_copy.sql; rows come in the order of batch, ordinal and kind.  Errors: STATE, a row out of order, out of the
 * month, or whose series or source the dictionary does not have. */
MUST_CHECK
bool archive_writer_row(struct archive_writer *writer, const char *bytes, size_t length, struct error *err);
/* Ends the file's content.  The totals live as long as the writer. */
const struct archive_totals *archive_writer_end(struct archive_writer *writer);
void archive_writer_free(struct archive_writer *writer);

/* --- reading --------------------------------------------------------------------------------- */

struct archive_file;

/* Opens a file and reads what stands before its rows.  Errors: INPUT, it is not there, no archive, cut or damaged. */
MUST_CHECK
bool archive_file_open(const char *path, struct archive_file **out, struct error *err);
struct archive_name archive_file_name(const struct archive_file *file);
const struct archive_dictionary *archive_file_dictionary(const struct archive_file *file);
/* The next row, NULL behind the last one; it lives until the next call.  Behind the last one all proofs of the file have been computed
 * again from its rows and compared.  Errors: INPUT, cut, damaged, or not what its proofs say. */
MUST_CHECK
bool archive_file_next(struct archive_file *file, const struct archive_row **row, struct error *err);
/* The row at hand, as PostgreSQL's binary COPY has it. */
struct bytes archive_file_bytes(const struct archive_file *file);
/* Behind the last row: what the rows come to. */
const struct archive_totals *archive_file_totals(const struct archive_file *file);
void archive_file_close(struct archive_file *file);

#endif
