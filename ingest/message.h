/*
 * message.h -- a Kafka message to a record: a CloudEvent in structured or binary mode, or the short form.
 *
 * Which of them is told as the CloudEvents Kafka protocol binding 1.0 says: structured where the content-type header begins
 * with application/cloudevents (any letter case), binary where there are ce_ headers; else the value itself is a CloudEvent
 * or the short form.  Topic, partition, offset and Kafka's timestamp say when and how a message was delivered; nothing of an
 * event is taken from them.
 */
#ifndef INGEST_MESSAGE_H
#define INGEST_MESSAGE_H

#include "base/message.h"
#include "ingest/profile.h"

/* A message is E_LINE_TOO_LONG where it has more headers, where key, names and values of headers are longer together, or
 * where its value is longer than RECORD_BYTES (reader.h), by a profile PROFILE_RECORD_BYTES. */
enum { HEADERS_MAX = 128, ENVELOPE_BYTES = 64 * 1024 };

/* Copies what must last into the arena and fills all of *out but range and outcome.  Of a message that is too long, up to
 * RAW_BYTES of the value and as much of key and headers are kept. */
void message_parse(const struct event_rules *rules, const struct message *message, struct arena *arena, struct record *out);

/* What is kept of a whole message, in the arena. */
struct kept_message {
	const struct envelope *envelope;
	struct bytes value;
};
/* The same by a profile: the value is of its format, and in binary mode what the payload is in.  A message may be several events;
 * each has its envelope, its offset, and raw bytes that are the value or say one of its events alone. */
void message_events(const struct profile *profile, const struct event_rules *rules, const struct message *message,
    struct arena *arena, struct kept_message *kept, struct profile_events *out);

#endif
