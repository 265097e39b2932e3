/*
 * intake.h -- one file into the ledger: read and parsed by one thread, booked by another.
 *
 * The reading thread fills batches and touches no database; the caller's thread books them.  They share nothing but a
 * queue of batches, so that decoding one overlaps with the server's work on the one before.
 */
#ifndef INGEST_INTAKE_H
#define INGEST_INTAKE_H

#include "base/command.h"
#include "ingest/reader.h"
#include "ledger/batch.h"

enum { INTAKE_BATCH_BYTES = 64 << 20 }; /* for intake_limits.bytes */

struct intake_limits {
	size_t records; /* of a batch; more only where one record is several events, which are never parted */
	size_t bytes;   /* of a batch's arena: what bounds the memory when records are large */
};

struct intake_result {
	struct batch_counts counts;
	int64_t batches;
	int64_t reasons[REASON_LIMIT]; /* records by reason code */
	bool waiting;                  /* an unfinished last line was left (growing file) */
	bool unreadable; /* with an error: it is the file that could not be read to its end, or the mapping; not the books */
};

/* Called with each batch after it is booked (or, in a dry run, parsed). */
typedef bool intake_watch(void *context, const struct batch *batch, struct error *err);

/* Adds a booked batch to what was counted before. */
void intake_add(struct intake_result *result, const struct batch *batch, const struct batch_counts *counts);
/* Says a line for each reason that records were set aside for, and makes that the command's finding. */
void intake_say(struct run *run, const struct intake_result *result);
/* Books everything in the file; `memory` is what the files of one run share.  On an error in the middle of the file what was read before it is booked, *result counts
 * that, and the error is returned: run again when the file is mended, what is booked is recognised. */
MUST_CHECK
bool intake_file(struct run *run, struct ledger_memory *memory, const char *path, const struct reader_options *options,
    struct intake_limits limits, intake_watch *watch, void *context, struct intake_result *result, struct error *err);

/* What is counted, as members of a JSON object without braces: "records":5,"accepted":4,...,"reasons":{"E_JSON":1}; appended. */
void intake_json(const struct intake_result *result, struct text *out);
/* Adds what such an object counts; other members are left alone. */
MUST_CHECK
bool intake_add_json(struct intake_result *result, const char *json, struct error *err);

/* Remembers how far a reading is, in the transaction that opens it, in that of each batch, and in that which ends it.  *result is
 * what is counted by then. */
typedef bool intake_keep(void *context, int64_t position_id, const struct intake_result *result, bool ended, struct error *err);

/* A reading that goes on where it was interrupted. */
struct intake_keeping {
	int64_t position_id; /* as it was kept, or 0 for a new reading */
	intake_keep *keep;
	void *context;
};

/* The same as intake_file(), but what was booked of the file before is left out: the rows are those of a reading that was never
 * interrupted.  *result is what was kept; it goes on counting.  File, options and limits must be the same as before; a file in
 * which no record ends where the last batch did is an error, and `unreadable`.  Not for a dry run. */
MUST_CHECK
bool intake_file_on(struct run *run, struct ledger_memory *memory, const char *path, const struct reader_options *options,
    struct intake_limits limits, const struct intake_keeping *keeping, struct intake_result *result, struct error *err);

#endif
