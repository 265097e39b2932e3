/*
 * event_json.h -- one JSON object to one record: the canonical CloudEvent and the short form.
 */
#ifndef INGEST_EVENT_JSON_H
#define INGEST_EVENT_JSON_H

#include "ingest/event_draft.h"

/* Fills reason, field, value and event of *out; raw and number are the caller's.  `bytes` is one record without its line
 * end and, like `arena`, must live as long as *out.  A "specversion" makes it a CloudEvent, an "idempotency_key" (or
 * rules->position_id) the short form.  A fault of the bytes has "byte N" (from 1) as its field and words as its value. */
void event_parse(const struct event_rules *rules, const char *bytes, size_t length, struct arena *arena, struct record *out);
/* True where the bytes are the beginning of a JSON value that goes on: what a cut file ends in. */
bool event_is_cut(const char *bytes, size_t length, struct arena *arena);

#endif
