/*
 * profile.h -- a usage format that is described by data: which path of a payload is which field of an event, which count is
 * inside which, what identifies a record.
 *
 * A description is a JSON object (docs/formats.md).  Those of ingest/formats/ are compiled in; a file of the user's can say
 * another one, or extend one.  A profile never changes once it is made, so threads may share it.
 */
#ifndef INGEST_PROFILE_H
#define INGEST_PROFILE_H

#include "ingest/event_draft.h"
#include "ingest/event_json.h"

struct profile;

/* What stands on the command line beside a format's name: "NAME=PATH" of fields and "NAME=TEXT" of constants. */
struct profile_wishes {
	const char *const *fields;
	size_t field_count;
	const char *const *constants;
	size_t constant_count;
};

/* `name` is the name of a compiled-in format, or the path of a file (it has a "/" or ends in ".json").  An unknown name gets the
 * nearest ones as a hint; a field that the format declares unsafe for the id is refused with the reason.  `wishes` may be NULL. */
MUST_CHECK
bool profile_open(const char *name, const struct profile_wishes *wishes, struct profile **out, struct error *err);
/* Again from profile_text(). */
MUST_CHECK
bool profile_from_text(const char *text, struct profile **out, struct error *err);
void profile_free(struct profile *profile);

/* One line of JSON that names the compiled-in format and everything that was said beside it: what quarantine keeps, so that a
 * record can be read again. */
const char *profile_text(const struct profile *profile);
/* Adds the whole description that a name stands for, what it extends merged in: JSON on one line, a description of its own. */
MUST_CHECK
bool profile_describe(const char *name, struct text *out, struct error *err);

/* Compiled-in descriptions, by name in the order of the alphabet. */
struct profile_source {
	const char *name, *json;
};
extern const struct profile_source profile_sources[];
extern const size_t profile_source_count;

/* How something came to be what it is: for `formats try`. */
struct profile_reason {
	const char *name;   /* "model", "input_text_uncached_tokens", "flag" ... */
	struct bytes value; /* as a person reads it */
	const char *from;   /* the path, or words: "total - cache_read - audio" */
};
struct profile_explanation {
	struct profile_reason *items; /* in the arena */
	size_t count, room;
};
/* Text of all is in the arena. */
void profile_explain(
    struct profile_explanation *explanation, struct arena *arena, const char *name, struct bytes value, const char *from);

enum {
	PROFILE_RECORD_BYTES = 1 << 20,  /* a longer line or message is E_LINE_TOO_LONG */
	PROFILE_STREAM_BYTES = 16 << 20, /* the same of a file that is one record */
	PROFILE_EVENTS = 1000,           /* of one record; more is E_LINE_TOO_LONG */
	PROFILE_DEPTH = 64,
};

/* The events that one record is.  `records` are in the arena; count is at least 1: what is wrong or blank or ignored is a record,
 * too.  raw and raw_length of each are set: of several events that stand in a list, each one's raw is a record of its own that
 * says the same (the document with the other items left out), so that it can be read again alone; number is the caller's. */
struct profile_events {
	struct record *records;
	size_t count;
	struct profile_explanation *explanations; /* by record, or NULL where nobody asked */
};

/* Reads one record: a bare payload, a payload in a CloudEvent, a captured stream (SSE text or chunks), or a list of such.
 * `headers` are those of a message in binary mode, or of one whose content type says that the value is a CloudEvent (they must then
 * agree with it), else NULL.  Of several records in lists, the second has rules->position_id with "/2" behind it as its position,
 * and so on, those that are at fault counted.  With `explain` the explanations are filled.  Fields of faults point into the
 * profile. */
void profile_parse(const struct profile *profile, const struct event_rules *rules, const struct event_headers *headers,
    struct bytes raw, bool explain, struct arena *arena, struct profile_events *out);

#endif
