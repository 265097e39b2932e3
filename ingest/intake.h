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

struct intake_limits {
	size_t records; /* of a batch */
	size_t bytes;   /* of a batch's arena: what bounds the memory when records are large */
};

struct intake_result {
	struct batch_counts counts;
	int64_t batches;
	int64_t reasons[REASON_LIMIT]; /* records by reason code */
	bool waiting;                  /* an unfinished last line was left (growing file) */
};

/* Called with each batch after it is booked (or, in a dry run, parsed). */
typedef bool intake_watch(void *context, const struct batch *batch, struct error *err);

/* Adds a booked batch to what was counted before. */
void intake_add(struct intake_result *result, const struct batch *batch, const struct batch_counts *counts);
/* Says a line for each reason that records were set aside for, and makes that the command's finding. */
void intake_say(struct run *run, const struct intake_result *result);
/* Books everything in the file.  On an error in the middle of the file what was read before it is booked, *result counts
 * that, and the error is returned: run again when the file is mended, what is booked is recognised. */
MUST_CHECK
bool intake_file(struct run *run, const char *path, const struct reader_options *options, struct intake_limits limits,
    intake_watch *watch, void *context, struct intake_result *result, struct error *err);

#endif
