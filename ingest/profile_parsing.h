/*
 * profile_parsing.h -- one record on its way to its events; for profile_parse.c, profile_capture.c and profile_answer.c alone.
 */
#ifndef INGEST_PROFILE_PARSING_H
#define INGEST_PROFILE_PARSING_H

#include "ingest/profile_parts.h"

struct each_found;

struct parse {
	const struct profile *profile;
	const struct event_rules *rules;
	const struct event_headers *headers;
	struct arena *arena;
	bool explain;
	struct profile_events *out;
	size_t room;
	struct bytes raw;        /* all of the record */
	size_t places;           /* records of its lists that were begun */
	size_t copied;           /* bytes of documents that were made of them */
	const char *position_id; /* of the first of them, or NULL */
	struct event_rules own;  /* the rules with the position of a later one */
	bool given_up;           /* the whole record is one fault */
};

/* What is to become an event, beside its values. */
struct payload {
	struct bytes raw; /* the record */
	struct envelope_values envelope;
	enum closing closing;
};

/* --- profile_parse.c ------------------------------------------------------------------------------ */

extern const char too_many_events[];

/* The next record, empty; *explanation is NULL where nobody asked. */
struct record *parse_next(struct parse *parse, struct bytes raw, struct profile_explanation **explanation);
/* A record that is at fault. */
void parse_fault(struct parse *parse, struct bytes raw, enum reason reason, const char *field, struct bytes value);
void parse_fault_words(struct parse *parse, struct bytes raw, enum reason reason, const char *field, const char *words);
/* `field` names what holds the bytes; "" for the record itself, whose fault has a place. */
void parse_byte_fault(struct parse *parse, struct bytes raw, const struct json_reader *reader, const char *field);
/* Takes back what was made: the whole record is too much. */
void parse_give_up(struct parse *parse, const char *why);

void parse_begin(struct parse *parse, struct json_reader *reader, struct bytes text);
/* The first that is no blank; else '\0'. */
char parse_first_byte(struct bytes text);
/* Walks an object; false with the fault added.  With `more`, another one may follow on a line of its own, as in JSON lines: *more. */
bool parse_walk(
    struct parse *parse, struct bytes raw, struct bytes text, const char *field, struct found_values *out, bool *more);
/* The items of a list as they stand, the first `room` of them, and how many there are; false with the fault added. */
bool parse_list_items(
    struct parse *parse, struct bytes raw, struct bytes list, const char *field, struct bytes *items, size_t room, size_t *count);
/* What a document's lists hold (profile_each.h); false with the fault added. */
bool parse_find_each(struct parse *parse, struct bytes raw, struct bytes document, const char *field, struct each_found *out);
/* A stream that was captured as text or as a list of chunks.  `field` names where, or is "". */
void parse_stream(struct parse *parse, struct payload *payload, struct bytes text, const char *field);
/* What is neither an object nor a list nor a stream. */
void parse_other(struct parse *parse, struct bytes raw, struct bytes text, const char *field);

/* --- profile_capture.c ---------------------------------------------------------------------------- */

/* An object that is a CloudEvent; false where it is none, or no more than a record of a format that is an envelope itself. */
bool parse_cloudevent(struct parse *parse, struct bytes raw, const struct found_values *found);
/* A message in binary mode: the attributes are its headers. */
void parse_binary(struct parse *parse, struct bytes raw);

/* --- profile_answer.c ----------------------------------------------------------------------------- */

/* The events of a payload's values. */
void parse_answer(struct parse *parse, const struct payload *payload, const struct values *values);

#endif
