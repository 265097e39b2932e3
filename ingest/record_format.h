/*
 * record_format.h -- the words that say how a record's raw bytes are read; quarantine keeps both, to read it again.
 */
#ifndef INGEST_RECORD_FORMAT_H
#define INGEST_RECORD_FORMAT_H

#include "base/message.h"
#include "ingest/profile.h"

/* The part of a format that says which source records have that name none, since it is part of their identity; "" for the usual
 * one. */
const char *source_format(const struct event_rules *rules, struct arena *arena);

/* The part of a format that has the profile; "" for NULL. */
const char *profile_format(const struct profile *profile, struct arena *arena);

/* The text of the profile that is part of a format, in the arena; NULL where there is none. */
const char *format_profile(const char *format, struct arena *arena);

/* Reads a record again from its raw bytes, as a reader whose reader_format() was `format` did; or a message, from its value,
 * key and headers (`envelope`, else NULL).  The format of a message is "kafka", then source_format(), profile_format(), then two
 * words that make it one of its kind, CLUSTER/TOPIC/PARTITION and a digest of key and headers.  *out, all of it in the arena, is
 * one record, but by a profile it may be several events.  False where `format` is none. */
MUST_CHECK
bool record_parse(const char *format, const struct event_rules *rules, struct bytes raw, const struct envelope *envelope,
    uint64_t number, struct arena *arena, struct profile_events *out, struct error *err);

#endif
