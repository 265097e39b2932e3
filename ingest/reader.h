/*
 * reader.h -- a file to records, one after the other: JSON lines, or CSV by a mapping; plain, gzip or Zstandard.
 *
 * A record is a line; a CSV row may go over several.  Blank lines are records too (ignored ones), so that every byte of the
 * file belongs to a record, to the header or to a byte order mark at the file's start.  Numbers count records from 1; the
 * header is none.
 */
#ifndef INGEST_READER_H
#define INGEST_READER_H

#include "ingest/event_json.h"

enum {
	RECORD_BYTES = 64 * 1024, /* a longer record is E_LINE_TOO_LONG */
	RAW_BYTES = 1024 * 1024,  /* of such a record that much is kept */
};

struct reader_options {
	const char *mapping_path; /* NULL: JSON lines */
	bool growing;             /* the file is still being written: leave an unterminated last line unread */
	bool key_from_position;   /* short records without an idempotency key: SHA-256 of the content, ":", the record's number */
	struct event_rules rules; /* position_id is the reader's to set */
};

struct reader;

/* `path` "-" is standard input.  `path` and what the options point to must outlive the reader. */
MUST_CHECK
bool reader_open(const char *path, const struct reader_options *options, struct reader **out, struct error *err);
/* The next record, all of it in the arena; or *end, and *out is not filled.  False where the file cannot be read on. */
MUST_CHECK
bool reader_next(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err);
/* Bytes of decompressed content up to the end of the record given last. */
uint64_t reader_position(const struct reader *reader);
/* True where the end was reached and an unfinished line is left behind it (growing). */
bool reader_waiting(const struct reader *reader);
/* How a single record's raw bytes can be read again: for record_parse().  Final once the first record was given. */
const char *reader_format(const struct reader *reader);
void reader_close(struct reader *reader);
/* The part of a format that says which source records have that name none, since it is part of their identity; "" for the usual
 * one. */
const char *source_format(const struct event_rules *rules, struct arena *arena);

/* Reads a record again from its raw bytes, as a reader whose reader_format() was `format` did; or a message, from its value,
 * key and headers (`envelope`, else NULL).  The format of a message is "kafka", then source_format(), then two words
 * that make it one of its kind, CLUSTER/TOPIC/PARTITION and a digest of key and headers.  False where `format` is none. */
MUST_CHECK
bool record_parse(const char *format, const struct event_rules *rules, struct bytes raw, const struct envelope *envelope,
    uint64_t number, struct arena *arena, struct record *out, struct error *err);

#endif
