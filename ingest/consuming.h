/*
 * consuming.h -- what the two sides of a consumer share; for consume.c, fetch.c and consume_report.c alone.
 */
#ifndef INGEST_CONSUMING_H
#define INGEST_CONSUMING_H

#include <pthread.h>

#include "base/kafka.h"
#include "ingest/consume.h"
#include "ingest/handover.h"
#include "ingest/message.h"

enum { NO_RANGE = -1 };

/* One partition, for as long as the consumer lives: batches point to it. */
struct reading {
	struct partition partition; /* the booking side's while a batch is on its way */
	bool assigned;
	/* The fetching side's. */
	bool done;        /* bounded: read up to its target */
	int64_t expected; /* the next offset to take */
	int64_t target;   /* bounded: nothing from here on */
	int64_t anchor;   /* the last record booked, which must be there still; -1: seen, or gone with the log's beginning */
	unsigned char anchor_digest[DIGEST_SIZE];
	int64_t range_first;      /* where the next range begins: behind the last one handed over */
	int64_t seen_end;         /* the end that was reached, or -1 */
	int64_t timestamp_ms;     /* of the record taken last */
	ssize_t range;            /* its place in the batch that is being filled, or NO_RANGE */
	struct kept_message last; /* in that batch */
	int64_t last_length;      /* of its value as it came; -1: a tombstone */
	struct partition_ends ends;
	const char *format; /* of its messages in quarantine */
};

struct consuming {
	struct run *run;
	const struct consume_options *options;
	struct kafka_consumer *consumer;
	struct handover *handover;
	struct ledger_writer writer;
	const char *cluster, *owner;
	struct arena names;
	struct reading **readings; /* by number of the partition; NULL where it was never ours */
	size_t reading_count, reading_room;

	/* The fetching side's. */
	struct event_rules rules;
	struct batch *filling;
	int64_t filling_since_ms, noted_ms, progress_ms;
	uint64_t handed_over; /* records */
	struct arena scratch;

	/* Shared, under the lock. */
	pthread_mutex_t lock;
	struct consume_result result;
};

/* The partition's reading, made where there is none. */
struct reading *reading_of(struct consuming *consuming, int32_t partition);
/* Takes a partition over and finds out where to go on: *offset.  Incidents are told here. */
MUST_CHECK
bool reading_take(struct consuming *consuming, int32_t partition, int64_t *offset, struct error *err);
/* Gets the database back, within the patience, and the partitions with it.  `batch`, where it is not NULL, was on its way under the
 * number `batch_id`: *booked says whether it has arrived, then with its counts. */
MUST_CHECK
bool consume_recover(struct consuming *consuming, struct batch *batch, int64_t batch_id, bool *booked,
    struct batch_counts *counts, struct error *err);
/* Whether waiting may help. */
bool consume_may_wait(const struct error *err);
/* How long brokers may say nothing: the patience, but at least what an answer may take. */
int64_t consume_silence_ms(const struct consuming *consuming);
/* True once SIGTERM or SIGINT came. */
bool consume_is_told_to_stop(void);

/* The fetching thread: reads, hands over, and ends the handover.  `context` is the struct consuming. */
void *fetch_all(void *context);
/* What a group tells its members; `context` is the struct consuming. */
bool fetch_assigned(void *context, const int32_t *partitions, size_t count, int64_t *offsets, struct error *err);
bool fetch_revoked(void *context, bool lost, struct error *err);

/* The live line. */
void consume_report_line(struct consuming *consuming);
/* Prometheus text, under its final name only when complete. */
MUST_CHECK
bool consume_report_metrics(struct consuming *consuming, struct error *err);
/* Updates what is told of a partition; takes the lock. */
void consume_report_ends(struct consuming *consuming, const struct reading *reading);
void consume_report_batch(struct consuming *consuming, const struct batch *batch, const struct batch_counts *counts);

#endif
