/*
 * message.h -- one message as it was delivered: bytes, and what came beside them.
 */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct message_header {
	struct bytes name, value;
	bool has_value; /* Kafka tells a null value from an empty one */
};

/* What came beside the bytes. */
struct envelope {
	struct bytes key;
	bool has_key;
	const struct message_header *headers; /* in their order; a name may come twice */
	size_t header_count;
};

/* The bytes are the deliverer's. */
struct message {
	int64_t offset;
	int64_t timestamp_ms; /* the producer's clock or the broker's, as the topic says; -1 for none */
	struct bytes value;
	bool has_value; /* false: a tombstone */
	struct envelope envelope;
};

#endif
