/*
 * consume.h -- a Kafka topic into the ledger, each record exactly once.
 *
 * One thread fetches and parses (fetch.c), the caller's books (consume.c); they share a queue of batches (handover.h).  What is
 * exact about it stands in the ledger: see ledger/partition.h.
 */
#ifndef INGEST_CONSUME_H
#define INGEST_CONSUME_H

#include "base/kafka.h"
#include "ingest/intake.h"

/* How much is booked at once where nothing else is said. */
enum { CONSUME_BATCH_RECORDS = 50000, CONSUME_BATCH_BYTES = 64 << 20 };

struct consume_options {
	struct kafka_settings kafka;
	const char *topic;
	const char *group;        /* under which offsets are committed for lag tools; in follow mode the group that is joined */
	const char *instance;     /* follow mode: name of a static member, or NULL */
	bool follow;              /* go on until told to stop; else read up to the ends of the moment and be done */
	const char *again_reason; /* not NULL: begin a new reading of the topic, and why */
	/* Not NULL: partition i is read up to the offset targets[i] and no further, one after the other, and those from target_count on
	 * are left out.  What is booked then follows from the targets, the limits and rules.now alone, also where it was interrupted
	 * and is done again with the same run->now: batches have the same borders, and a failure leaves whole ones. */
	const int64_t *targets;
	size_t target_count;
	struct intake_limits limits;
	int64_t age_ms;      /* of a batch's first record when it is booked at the latest */
	int64_t patience_ms; /* how long a database or brokers that are away are waited for */
	struct event_rules rules;
	const struct profile *profile; /* values are of this usage format; NULL: CloudEvents and the short form */
	struct ledger_memory *memory;  /* what the readings of one run share */
	bool live;                     /* a line that lives on a terminal, each second */
	const char *metrics_path;      /* a file for Prometheus, or NULL */
};

/* What was taken from one partition. */
struct consumed {
	int32_t partition;
	int64_t first_offset, next_offset;
	int64_t end, stable; /* as last seen, or -1 */
	bool held;           /* records behind `stable` are held back by an open transaction ... */
	struct instant held_since;
	struct instant last_event_time;
	struct batch_counts counts;
};

struct consume_result {
	struct intake_result sum;
	struct consumed *partitions; /* in their order; for consume_result_release() */
	size_t partition_count;
};

/* Reads the topic until its end, or until SIGTERM or SIGINT, which is an error of kind AWAY where targets were not reached.  *result
 * counts what is booked, also where an error ends it. */
MUST_CHECK
bool consume(struct run *run, const struct consume_options *options, struct consume_result *result, struct error *err);
void consume_result_release(struct consume_result *result);

/* Where the partitions of a topic end. */
struct consume_targets {
	const char *cluster; /* in run->arena, as the offsets */
	int64_t *offsets;    /* by number of the partition */
	size_t count;
};
/* The ends at this moment, before which no transaction is open, or with `before` those of what had come before that instant by
 * Kafka's timestamps.  Reads no record; waits for brokers as consume() does.  Of `options` kafka, topic, group and patience_ms count. */
MUST_CHECK
bool consume_targets(struct run *run, const struct consume_options *options, const struct instant *before,
    struct consume_targets *out, struct error *err);

#endif
