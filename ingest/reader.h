/*
 * reader.h -- a file to records, one after the other: JSON lines, CSV by a mapping, or a usage format; plain, gzip or Zstandard.
 *
 * A record is a line; a CSV row may go over several.  Blank lines are records too (ignored ones), so that every byte of the
 * file belongs to a record, to the header or to a byte order mark at the file's start.  Numbers count records from 1; the
 * header is none.
 *
 * By a usage format (a profile) one record may be several events, which are given one after the other with the same number; and
 * a file is one record, line ends and all, where its name, without .gz and .zst, ends in .sse or .json.
 */
#ifndef INGEST_READER_H
#define INGEST_READER_H

#include "ingest/profile.h"

enum {
	RECORD_BYTES =
	    64 * 1024,           /* a longer record is E_LINE_TOO_LONG; by a profile PROFILE_RECORD_BYTES, PROFILE_STREAM_BYTES */
	RAW_BYTES = 1024 * 1024, /* that much of a record is kept */
};

struct reader_options {
	const char *mapping_path;      /* CSV, by this; else NULL */
	const struct profile *profile; /* records are of this usage format; else NULL */
	bool growing;                  /* the file is still being written: leave an unterminated last line unread */
	/* Records without a key of their own: SHA-256 of the content, ":", the record's number; of several events that stand in
	 * one record as a list, from the second on "/2" and so on behind it. */
	bool key_from_position;
	struct event_rules rules; /* position_id is the reader's to set */
};

struct reader;

/* `path` "-" is standard input, whose records are lines.  `path` and what the options point to must outlive the reader, and the
 * profile its records, too. */
MUST_CHECK
bool reader_open(const char *path, const struct reader_options *options, struct reader **out, struct error *err);
/* The next record, all of it in the arena; or *end, and *out is not filled.  False where the file cannot be read on.  While
 * reader_pending(), the arena must be the same, and not be emptied. */
MUST_CHECK
bool reader_next(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err);
/* True where more events of the record given last are to come.  What is booked must not end there: a reading that is gone on with
 * begins with a whole record. */
bool reader_pending(const struct reader *reader);
/* Bytes of decompressed content up to the end of the record given last; while reader_pending(), up to its beginning. */
uint64_t reader_position(const struct reader *reader);
/* True where the end was reached and an unfinished line is left behind it (growing). */
bool reader_waiting(const struct reader *reader);
/* How a single record's raw bytes can be read again, for record_parse() (record_format.h), where record.format does not say it.
 * Final once the first record was given. */
const char *reader_format(const struct reader *reader);
/* From another thread: waiting for bytes that do not come ends with an error. */
void reader_stop(struct reader *reader);
void reader_close(struct reader *reader);

#endif
