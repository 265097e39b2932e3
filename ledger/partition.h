/*
 * partition.h -- where each partition of a Kafka topic stands: metering.kafka_partition, and what a batch takes from it.
 *
 * Whoever reads a partition takes it over first, which raises its epoch.  A batch moves the position by compare-and-swap on
 * (next offset, epoch) in its own transaction, so what a former owner still brings is refused as a whole.
 */
#ifndef LEDGER_PARTITION_H
#define LEDGER_PARTITION_H

#include "base/db.h"
#include "base/digest.h"
#include "base/message.h"
#include "ledger/usage_event.h"

/* What a partition is called. */
struct partition_name {
	const char *cluster, *topic;
	int32_t number;
};

struct partition {
	struct partition_name name;
	int64_t partition_id, epoch;
	int64_t next_offset;                    /* every record below it is booked */
	int64_t clear_offset;                   /* no record between next_offset and this */
	int64_t last_offset;                    /* the last record booked, or -1 */
	unsigned char last_digest[DIGEST_SIZE]; /* see message_digest() */
};

/* What a consumer saw of a partition's ends; -1 where nothing is known. */
struct partition_ends {
	int64_t end, stable;
	struct instant held_since; /* since when records are held back behind `stable` by an open transaction */
	bool held;
};

/* What one batch has of one partition: first_offset is the partition's next_offset. */
struct batch_range {
	struct partition *partition;
	const char *format; /* how quarantine can read its messages again */
	int64_t first_offset, next_offset;
	int64_t last_offset; /* of its last record */
	unsigned char last_digest[DIGEST_SIZE];
	struct partition_ends ends;
	struct batch_counts counts;     /* filled when the batch is booked */
	struct instant last_event_time; /* the same; 0 where it has no event */
};

/* A message's fingerprint, by which a topic that was made anew under its old name is told from what it was.  `value` may be only
 * the beginning of what was `length` bytes long; -1: there was no value. */
void message_digest(
    int64_t timestamp_ms, const struct envelope *envelope, struct bytes value, int64_t length, unsigned char out[DIGEST_SIZE]);

/* Takes a partition over: finds its reading, or opens one at `first_offset`; a transaction that its former owner left open is
 * waited for, then ended.  `owner` is for people. */
MUST_CHECK
bool partition_take(struct db *db, struct partition_name name, int64_t first_offset, const char *owner, struct instant now,
    const char *by, struct partition *out, struct error *err);
/* The same for one that is ours, after the connection was lost: an error of kind BUSY where it is ours no more. */
MUST_CHECK
bool partition_retake(struct db *db, struct partition *partition, const char *owner, struct error *err);
/* Ends the reading of a partition, so that the next one begins at `first_offset`. */
MUST_CHECK
bool partition_reread(struct db *db, struct partition_name name, int64_t first_offset, const char *reason, struct instant now,
    const char *by, struct error *err);
/* Notes what was seen of a partition between batches; an error of kind BUSY where it is ours no more. */
MUST_CHECK
bool partition_note(
    struct db *db, const struct partition *partition, const struct partition_ends *ends, struct instant now, struct error *err);

/* What can be wrong with a topic. */
enum incident { INCIDENT_RECORDS_DELETED, INCIDENT_TOPIC_SHORTER, INCIDENT_TOPIC_REPLACED, INCIDENT_OFFSET_OUT_OF_RANGE };
/* Writes it down, once, and makes it the error: returns false. */
bool partition_incident(struct db *db, const struct partition *partition, enum incident incident, int64_t expected, int64_t found,
    struct instant now, const char *by, struct error *err);

/* Inside a batch's transaction: writes its ranges and moves the partitions.  An error of kind BUSY where one of them is not ours or
 * does not stand where the range begins. */
MUST_CHECK
bool ranges_book(
    struct db *db, const struct batch_range *ranges, size_t count, int64_t batch_id, struct instant now, struct error *err);
/* Afterwards: the partitions stand behind the ranges. */
void ranges_booked(const struct batch_range *ranges, size_t count);
/* What a batch's digest covers of them: in the order of partition numbers in the database, as batch_headers.sql writes it. */
void ranges_text(const struct batch_range *ranges, size_t count, struct text *out);

#endif
