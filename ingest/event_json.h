/*
 * event_json.h -- one JSON object to one record: the canonical CloudEvent and the short form.
 */
#ifndef INGEST_EVENT_JSON_H
#define INGEST_EVENT_JSON_H

#include "ingest/event_draft.h"

#define EVENT_TYPE "tollbook.usage.v1" /* of a canonical event */

/* Fills reason, field, value and event of *out; raw and number are the caller's.  `bytes` is one record without its line
 * end and, like `arena`, must live as long as *out.  A "specversion" makes it a CloudEvent, an "idempotency_key" (or
 * rules->position_id) the short form.  A fault of the bytes has "byte N" (from 1) as its field and words as its value. */
void event_parse(const struct event_rules *rules, const char *bytes, size_t length, struct arena *arena, struct record *out);

/* The attributes that count, where they come beside the bytes: as headers, each a text. */
#define EVENT_HEADER_PREFIX "ce_"
enum event_header { HEADER_SPECVERSION, HEADER_TYPE, HEADER_ID, HEADER_SOURCE, HEADER_SUBJECT, HEADER_TIME, EVENT_HEADERS };
struct event_headers {
	unsigned stated; /* by enum event_header; the texts of others are not looked at */
	struct bytes text[EVENT_HEADERS];
	struct bytes content_type; /* as written */
	bool data_is_json;         /* the content type says so, or there is none */
};

/* Of the types for structured mode (CloudEvents 1.0, HTTP and Kafka bindings), also those that a binding does not have: the value is a
 * CloudEvent, and headers only repeat what it says itself. */
bool event_is_structured(const struct event_headers *headers);
/* By its full name, "ce_id"; EVENT_HEADERS where it is none of these. */
enum event_header event_header_find(struct bytes name);
/* Its inverse. */
const char *event_header_name(enum event_header attribute);
/* A header's text as if it were a string of a body: REASON_NONE, E_UTF8 or E_NUL. */
enum reason event_header_check(struct bytes text);
/* The same text, or two spellings of one time. */
bool event_header_agrees(enum event_header attribute, struct bytes one, struct bytes other);
/* The value of a message: as event_parse, but there are no blank lines, so nothing and blanks are E_JSON.  With `headers`
 * (structured mode) it must be a CloudEvent, and headers that say something else than it says are E_ENVELOPE_CONFLICT;
 * nothing is taken from them. */
void event_parse_value(const struct event_rules *rules, const struct event_headers *headers, const char *bytes, size_t length,
    struct arena *arena, struct record *out);
/* A CloudEvent whose attributes are `headers` and whose data is `bytes` (binary mode).  The fields of faults in headers are
 * their names; of an event that is not usage the data is not looked at. */
void event_parse_data(const struct event_rules *rules, const struct event_headers *headers, const char *bytes, size_t length,
    struct arena *arena, struct record *out);

/* True where the bytes are the beginning of a JSON value that goes on: what a cut file ends in. */
bool event_is_cut(const char *bytes, size_t length, struct arena *arena);

#endif
