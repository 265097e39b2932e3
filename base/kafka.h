/*
 * kafka.h -- Kafka, through librdkafka; the only file that knows it.
 *
 * What billing needs is set here and cannot be overridden: see kafka.c.  Positions are the caller's: a consumer starts where it
 * is told to and never asks Kafka where it stood.  Each partition has a queue of its own, which librdkafka fills up to its
 * limit; a caller who does not take from it holds the fetching back, and stays a member of its group as long as it calls
 * kafka_poll().
 */
#ifndef BASE_KAFKA_H
#define BASE_KAFKA_H

#include "base/command.h"
#include "base/message.h"

/* The options of every verb that talks to Kafka. */
#define KAFKA_OPTIONS                                                                                                            \
	{"brokers", "LIST", "the brokers to ask first: HOST:PORT,HOST:PORT", 'b'},                                               \
	    {"property", "KEY=VALUE...", "a librdkafka property; sasl.password.file names a file that has the password", 'X'},   \
	    {"kafka-config", "FILE", "librdkafka properties, KEY=VALUE a line; passwords may stand here", 'F'},                  \
	{                                                                                                                        \
		"insecure", NULL, "allow connections to other machines without TLS, or without asking whom they lead to", 0      \
	}

/* How to reach the brokers, and what is said of librdkafka's properties; not needed any more once a client is open. */
struct kafka_settings {
	const char *brokers;           /* HOST:PORT,HOST:PORT, or NULL where the file names them */
	const char *config_path;       /* properties, KEY=VALUE a line, or NULL */
	const char *const *properties; /* "KEY=VALUE", stronger than the file; no secrets */
	size_t property_count;
	bool insecure; /* other machines without TLS, or without asking whom it leads to */
};
/* What the options of a verb with KAFKA_OPTIONS say. */
struct kafka_settings kafka_settings_of(struct run *run);

/* Ends of a partition: the first offset kept, the one behind the last record that can be read (no open transaction holds it back),
 * and the one behind the last record; -1 where it is not known. */
struct kafka_ends {
	int64_t first, stable, end;
};

struct kafka_consumer;

/* What a member of a group is told, during kafka_poll() and kafka_consumer_close(). */
struct kafka_member {
	void *context;
	/* `partitions` are ours now: `offsets` is to be filled with where to start. */
	bool (*assigned)(void *context, const int32_t *partitions, size_t count, int64_t *offsets, struct error *err);
	/* All partitions are taken away when this returns; `lost`: they are gone already, others may have them. */
	bool (*revoked)(void *context, bool lost, struct error *err);
};

/* A consumer of one topic.  `group` is the name under which offsets are committed; `instance` makes a static member of it, or is
 * NULL.  `member` NULL: the caller assigns partitions itself.  Its strings must outlive the consumer. */
MUST_CHECK
bool kafka_consumer_open(const struct kafka_settings *settings, const char *topic, const char *group, const char *instance,
    const struct kafka_member *member, struct kafka_consumer **out, struct error *err);
/* Leaves the group, if it is in one; errors have no consequence any more. */
void kafka_consumer_close(struct kafka_consumer *consumer);

/* The cluster's id, and how many partitions the topic has; waits for an answer as long as it is told to, and ten seconds at most.
 * Refuses a cluster that names brokers on other machines when there is neither TLS nor --insecure. */
MUST_CHECK
bool kafka_topic(struct kafka_consumer *consumer, int64_t wait_ms, const char **cluster, int32_t *partitions, struct error *err);
/* Asks the broker, but for `end`, which is known only of partitions that are being fetched. */
MUST_CHECK
bool kafka_ask_ends(struct kafka_consumer *consumer, int32_t partition, struct kafka_ends *out, struct error *err);
/* Asks the broker for the first record that came at this instant or later, by Kafka's timestamps, which count milliseconds: its
 * offset, or the stable end where none is that late, or where an open transaction holds it back. */
MUST_CHECK
bool kafka_ask_offsets_for(
    struct kafka_consumer *consumer, int32_t partition, struct instant instant, int64_t *offset, struct error *err);
/* The newest end that a fetch has brought, or -1; asks nobody. */
int64_t kafka_last_end(struct kafka_consumer *consumer, int32_t partition);

/* Starts to fetch these partitions from these offsets. */
MUST_CHECK
bool kafka_assign(
    struct kafka_consumer *consumer, const int32_t *partitions, const int64_t *offsets, size_t count, struct error *err);
/* Joins the group; member->assigned follows. */
MUST_CHECK
bool kafka_subscribe(struct kafka_consumer *consumer, struct error *err);

/* Lets librdkafka do what it must: group membership, errors.  To be called more often than max.poll.interval.ms.  Fails on what
 * cannot be mended by waiting, and when a callback failed. */
MUST_CHECK
bool kafka_poll(struct kafka_consumer *consumer, int timeout_ms, struct error *err);

enum kafka_taken {
	KAFKA_NOTHING,      /* nothing has come yet */
	KAFKA_MESSAGE,      /* *out is filled; its bytes last until the next call for this partition */
	KAFKA_END,          /* out->offset: everything below was given; there is no more for now */
	KAFKA_OUT_OF_RANGE, /* the offset asked for is not in the log; nothing more will come */
	KAFKA_FAILED,       /* the partition cannot be read on: see err */
};
/* The next message of a partition that is assigned. */
enum kafka_taken kafka_take(struct kafka_consumer *consumer, int32_t partition, struct message *out, struct error *err);

/* Tells the group where its readers stand, for lag tools.  Nobody waits for it, and what goes wrong does not matter. */
void kafka_commit(struct kafka_consumer *consumer, const int32_t *partitions, const int64_t *offsets, size_t count);
/* What librdkafka said last about trouble, or "", into out. */
void kafka_trouble(struct kafka_consumer *consumer, char *out, size_t size);

struct kafka_producer;

/* An idempotent producer (acks=all). */
MUST_CHECK
bool kafka_producer_open(const struct kafka_settings *settings, struct kafka_producer **out, struct error *err);
/* The topic must be there; it is not made.  Its cleanup.policy goes into `policy`, "" where the brokers do not tell.  Refuses a
 * cluster as kafka_topic() does. */
MUST_CHECK
bool kafka_producer_topic(struct kafka_producer *producer, const char *topic, char *policy, size_t size, struct error *err);
/* Hands a message over; waits while the queue is full. */
MUST_CHECK
bool kafka_send(struct kafka_producer *producer, const char *topic, struct bytes key, struct bytes value, struct error *err);
/* Waits until every message is acknowledged; an error if one is not. */
MUST_CHECK
bool kafka_flush(struct kafka_producer *producer, struct error *err);
void kafka_producer_close(struct kafka_producer *producer);

#endif
