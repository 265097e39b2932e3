/*
 * archive_proof.h -- what the rows of a file come to: a digest of each batch, and sums by meter.
 */
#ifndef LEDGER_ARCHIVE_PROOF_H
#define LEDGER_ARCHIVE_PROOF_H

#include "base/digest.h"
#include "ledger/archive_row.h"

/* What a file has of a batch.  The digest is SHA-256 of its rows, each with its length before it, as in the digest of the batch. */
struct archive_proof {
	int64_t batch, rows;
	unsigned char digest[DIGEST_SIZE];
};

/* What a file comes to. */
struct archive_totals {
	struct archive_proof *proofs; /* in the order of batches */
	size_t proof_count, proof_room;
	int64_t rows;
	i128 sums[METER_LIMIT];                 /* by meter, in its smallest unit */
	unsigned char rows_digest[DIGEST_SIZE]; /* of the proofs, in their order */
};

/* Rows on their way: those who write files and those who read them compute the same. */
struct proving {
	struct archive_totals totals;
	struct digest *digest;       /* of the batch at hand */
	struct archive_row last;     /* its place alone */
	struct instant starts, ends; /* of the month */
};

/* Of a month, YYYY-MM, of zeros before. */
void proving_begin(struct proving *proving, const char month[8]);
/* Adds a row, and its bytes as PostgreSQL's binary COPY has them; NULL, or what is wrong with it: it is out of order, or of another month, or
 * has a meter that this program does not know. */
const char *proving_row(struct proving *proving, const struct archive_row *row, const char *bytes, size_t length);
/* Behind the last row: the totals are whole. */
void proving_end(struct proving *proving);
void proving_release(struct proving *proving);

#endif
