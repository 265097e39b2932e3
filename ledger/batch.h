/*
 * batch.h -- booking: one batch of records, one transaction.
 *
 * In one transaction: ledger rows, reversals and quarantine rows are appended; new identities enter the dedupe register; the
 * source's position moves by compare-and-swap; the batch header is written with a digest chained to the batch before
 * it.  A crash at any instruction leaves all of it or nothing.
 */
#ifndef LEDGER_BATCH_H
#define LEDGER_BATCH_H

#include "base/db.h"
#include "base/digest.h"
#include "ledger/ledger_memory.h"
#include "ledger/partition.h"

/* Records of one source in their order, with the bytes they point to. */
struct batch {
	struct arena arena;
	struct record *records;
	size_t count, capacity;
	struct admitted *keys; /* of the records noted so far; from batch_close on sorted by identity */
	size_t key_count, key_room;
	size_t noted; /* records that batch_note has looked at */
	struct batch_names series, sources;
	int64_t *days; /* days since 1970 that its events are of, each once */
	size_t day_count, day_room;
	uint64_t next_position;     /* of the source, behind the last record */
	const char *format;         /* how quarantine can read `raw` again, see reader_format(); of messages their range has it */
	struct batch_range *ranges; /* of messages: what it has of each partition */
	size_t range_count, range_room;
	bool prepared, attempted;
};

/* What must be remembered with a batch: called in its transaction when all else of it is written.  False, with the error, rolls
 * it back. */
typedef bool batch_beside(void *context, const struct batch *batch, const struct batch_counts *counts, struct error *err);

/* A place that batches come from, and what the writer remembers between them. */
struct ledger_writer {
	struct db *db;
	struct ledger_memory *memory; /* the caller's */
	int64_t position_id;
	int64_t next_position, next_record; /* as they stand in the database */
	unsigned char last_digest[DIGEST_SIZE];
	unsigned char digest_at_hand[DIGEST_SIZE]; /* of the batch being booked; the last one once it is committed */
	struct text months;                        /* months known to have a partition, "2026-10 " each */
	struct text rows;                          /* COPY data */
	struct digest *digest;
	bool unhurried;       /* set by the caller once the writer is open: see ledger_writer_settle() */
	batch_beside *beside; /* of batch_append, or NULL; set by the caller once the writer is open */
	void *beside_context;
};

/* A row of metering.source_position of its own for one reading of `name`.  `memory` must live as long as the writer. */
MUST_CHECK
bool ledger_writer_open(struct ledger_writer *writer, struct db *db, struct ledger_memory *memory, const char *kind,
    const char *name, struct instant now, const char *by, struct error *err);
/* Goes on behind the last batch of a reading that was interrupted: next_position and next_record say where.  An error of kind
 * STATE where there is no such reading, or it came to its end. */
MUST_CHECK
bool ledger_writer_resume(
    struct ledger_writer *writer, struct db *db, struct ledger_memory *memory, int64_t position_id, struct error *err);
/* Batches of an unhurried writer are committed without waiting for the disk.  They get there in their order, so a crash of the server
 * takes the latest of them away as if it had come a moment earlier; therefore nobody may be told of one before this, or
 * ledger_writer_finish(), has waited for all of them.  Not for a writer that goes on by itself after the server was away. */
MUST_CHECK
bool ledger_writer_settle(struct ledger_writer *writer, struct error *err);
/* Marks the source as read to its end. */
MUST_CHECK
bool ledger_writer_finish(struct ledger_writer *writer, struct instant now, struct error *err);
void ledger_writer_release(struct ledger_writer *writer);

/* Books a batch and says what became of its records; each record's `reason` and outcome are final afterwards.
 * Retries by itself when another process books the same identities at the same moment.  *batch_id is the batch's number.
 * After an error the same batch may be given again: nothing of it is booked, unless the connection was lost while it was being
 * committed; batch_find() tells. */
MUST_CHECK
bool batch_append(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err);
/* The same inside a transaction that the caller opened and will commit (a release from quarantine).  The writer's memory must not be
 * used behind a rollback. */
MUST_CHECK
bool batch_append_within(struct ledger_writer *writer, struct batch *batch, struct instant now, struct batch_counts *counts,
    int64_t *batch_id, struct error *err);
/* What must exist before the transaction: months and series.  batch_append calls it; a caller of batch_append_within must. */
MUST_CHECK
bool batch_prepare(struct ledger_writer *writer, struct batch *batch, struct error *err);

/* After a lost connection: whether the batch was booked after all; if so the counts are filled and the writer goes on behind it.
 * Waits for the end of a transaction that is still committing. */
MUST_CHECK
bool batch_find(struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, bool *booked,
    struct batch_counts *counts, struct error *err);

struct record *batch_add(struct batch *batch);
/* Another range, at the end of batch->ranges. */
struct batch_range *batch_add_range(struct batch *batch);
/* Collects identities, series, sources and days of the records added since the last call: whoever calls it behind each record finds
 * that one in the processor's cache.  A record must not change any more behind it. */
void batch_note(struct batch *batch);
/* No more records: notes those not noted yet, and sorts the identities.  Needs no database, so that a reader does it while another
 * batch is booked. */
void batch_close(struct batch *batch);
void batch_reset(struct batch *batch);
void batch_release(struct batch *batch);

#endif
