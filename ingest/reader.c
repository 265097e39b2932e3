/*
 * reader.c -- see reader.h.
 *
 * The buffer holds the record at hand from its first byte, and as much behind it as was read.  It is as large as what is kept
 * of an overlong record, or as a file that is one record may be, and a piece to search in, so memory does not depend on the input.
 */
#include "ingest/reader.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/mapping.h"
#include "ingest/record_format.h"
#include "ingest/source_file.h"

enum { PIECE = RAW_BYTES, LINE_END_BYTES = 2, BOM_BYTES = 3 };

struct reader {
	const char *path;
	struct reader_options options;
	struct source_file *file;
	struct arena arena; /* as long as the reader: header and format */
	struct mapping mapping;
	struct csv_row *row; /* NULL: lines, or the whole */
	bool whole;          /* the file is one record */
	size_t limit;        /* a longer record is E_LINE_TOO_LONG */
	const char *format;
	bool begun;      /* byte order mark and header are behind us */
	bool behind_bom; /* the next record follows the mark directly */
	bool at_end;     /* the file gave no more bytes when last asked */
	bool waiting;
	bool spent;                /* an unfinished overlong record was thrown away: nothing can follow */
	uint64_t base;             /* place of buffer[0] in the content */
	uint64_t before, position; /* at the beginning of the record given last, and behind it */
	uint64_t number;
	uint64_t content_length; /* with key_from_position */
	char content_digest[DIGEST_HEX];
	size_t start, scan, filled; /* of buffer: the record at hand, what of it was taken, what was read */
	size_t buffer_size;
	char *buffer;
	struct profile_events events; /* of the record at hand, by a profile */
	size_t given;                 /* of them */
};

enum line { LINE_NONE, LINE_WHOLE, LINE_UNFINISHED, LINE_ENDLESS };

/* A record's bytes as found. */
struct found {
	struct bytes raw; /* in the arena, without the line end */
	uint64_t raw_length;
	bool unfinished; /* the file ends without a line end */
	bool too_long;
};

static bool begin(struct reader *reader, struct error *err);
static bool next_line(struct reader *reader, enum line *line, struct error *err);
static bool next_json(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err);
static bool next_row(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err);
static bool finish_content(struct reader *reader, bool *end, struct error *err);

static bool
open_mapping(struct reader *reader, struct error *err)
{
	const struct reader_options *options = &reader->options;

	if (options->mapping_path == NULL)
		return true;
	if (!mapping_load(options->mapping_path, &reader->mapping, err))
		return false;
	reader->row = csv_row_new(reader->mapping.delimiter);
	if (options->key_from_position || mapping_has(&reader->mapping, SHORT_idempotency_key))
		return true;
	error_set(err, ERROR_INPUT, "the mapping does not say what identifies a row");
	error_at(err, options->mapping_path, 0);
	error_field(err, "columns.idempotency_key", "", 0);
	return error_hint(err, "Name the column, or use --key-from-position for a file that never changes.");
}

/* The content is known before its first record, so the file must be complete and readable twice. */
static bool
open_digest(struct reader *reader, struct error *err)
{
	unsigned char digest[DIGEST_SIZE];

	if (!reader->options.key_from_position)
		return true;
	if (strcmp(reader->path, "-") == 0) {
		error_set(err, ERROR_USAGE, "keys cannot be made from positions in standard input");
		return error_hint(err, "The key is the SHA-256 of the whole file: give the file itself.");
	}
	if (reader->options.growing) {
		error_set(err, ERROR_USAGE, "keys cannot be made from positions in a growing file");
		return error_hint(err, "The key is the SHA-256 of the whole file: read it when it is complete.");
	}
	if (!source_file_digest(reader->file, digest, &reader->content_length, err))
		return false;
	digest_hex(digest, sizeof digest, reader->content_digest);
	return true;
}

static void
set_format(struct reader *reader)
{
	const char *key = reader->options.key_from_position ? " key=" : "", *digest = reader->content_digest;
	const char *source = source_format(&reader->options.rules, &reader->arena);

	if (reader->options.profile != NULL)
		reader->format =
		    arena_format(&reader->arena, "profile%s%s%s %s", key, digest, source, profile_text(reader->options.profile));
	else if (reader->row == NULL)
		reader->format = arena_format(&reader->arena, "json%s%s%s", key, digest, source);
	else if (reader->mapping.header)
		reader->format = "csv";
	else
		reader->format = arena_format(
		    &reader->arena, "csv%s%s%s %s", key, digest, source, mapping_format(&reader->mapping, &reader->arena));
}

static bool
ends_with(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* A captured stream or one document, as its name says; packed, its name says that first. */
static bool
is_one_record(const char *path)
{
	size_t length = strlen(path);

	if (ends_with(path, length, ".gz"))
		length -= strlen(".gz");
	else if (ends_with(path, length, ".zst"))
		length -= strlen(".zst");
	return ends_with(path, length, ".sse") || ends_with(path, length, ".json");
}

/* How long a record may be, and where it ends. */
static bool
set_limits(struct reader *reader, struct error *err)
{
	const struct reader_options *options = &reader->options;

	must(options->profile == NULL || options->mapping_path == NULL);
	reader->whole = options->profile != NULL && is_one_record(reader->path);
	reader->limit = reader->whole ? PROFILE_STREAM_BYTES : options->profile != NULL ? PROFILE_RECORD_BYTES : RECORD_BYTES;
	reader->buffer_size = (reader->whole ? PROFILE_STREAM_BYTES : RAW_BYTES) + PIECE;
	reader->buffer = memory_new(reader->buffer_size, 1);
	if (!reader->whole || !options->growing)
		return true;
	error_set(err, ERROR_USAGE, "a file that is one record cannot be read while it is being written");
	error_at(err, reader->path, 0);
	return error_hint(err, "By a usage format a file .sse or .json is one record: read it when it is complete.");
}

bool
reader_open(const char *path, const struct reader_options *options, struct reader **out, struct error *err)
{
	struct reader *reader = memory_new(1, sizeof *reader);

	reader->path = path;
	reader->options = *options;
	if (!set_limits(reader, err) || !source_file_open(path, &reader->file, err) || !open_mapping(reader, err) ||
	    !open_digest(reader, err) || !begin(reader, err)) {
		reader_close(reader);
		return false;
	}
	set_format(reader);
	*out = reader;
	return true;
}

void
reader_close(struct reader *reader)
{
	if (reader == NULL)
		return;
	source_file_close(reader->file);
	csv_row_free(reader->row);
	mapping_release(&reader->mapping);
	arena_release(&reader->arena);
	free(reader->buffer);
	free(reader);
}

void
reader_stop(struct reader *reader)
{
	source_file_stop(reader->file);
}

bool
reader_next(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err)
{
	*end = false;
	reader->waiting = false;
	if (reader_pending(reader)) {
		*out = reader->events.records[reader->given++];
		return true;
	}
	if (!reader->begun) {
		if (!begin(reader, err))
			return false;
		set_format(reader);
	}
	if (!reader->begun || reader->spent) {
		reader->waiting = reader->spent || reader->filled > reader->start;
		*end = true;
		return true;
	}
	reader->start = reader->scan;
	if (reader->row == NULL)
		return next_json(reader, arena, out, end, err);
	return next_row(reader, arena, out, end, err);
}

bool
reader_pending(const struct reader *reader)
{
	return reader->given < reader->events.count;
}

uint64_t
reader_position(const struct reader *reader)
{
	return reader_pending(reader) ? reader->before : reader->position;
}

bool
reader_waiting(const struct reader *reader)
{
	return reader->waiting;
}

const char *
reader_format(const struct reader *reader)
{
	return reader->format;
}

/* Reads more behind what there is; the record at hand moves to the front when room gets short. */
static bool
read_more(struct reader *reader, struct error *err)
{
	size_t got;

	if (reader->start == reader->filled || reader->buffer_size - reader->filled < PIECE / 2) {
		memmove(reader->buffer, reader->buffer + reader->start, reader->filled - reader->start);
		reader->base += reader->start;
		reader->scan -= reader->start;
		reader->filled -= reader->start;
		reader->start = 0;
	}
	must(reader->filled < reader->buffer_size);
	if (!source_file_read(reader->file, reader->buffer + reader->filled, reader->buffer_size - reader->filled, &got, err))
		return false;
	reader->filled += got;
	reader->at_end = got == 0;
	return true;
}

/* The end of the line that goes on at `from`; a file that is one record has none. */
static const char *
find_line_end(const struct reader *reader, size_t from)
{
	return reader->whole ? NULL : memchr(reader->buffer + from, '\n', reader->filled - from);
}

/* Moves scan behind the line that starts there.  The record at hand (start) may move in the buffer. */
static bool
next_line(struct reader *reader, enum line *line, struct error *err)
{
	size_t looked = reader->scan - reader->start, most = (reader->whole ? PROFILE_STREAM_BYTES : RAW_BYTES) + LINE_END_BYTES;

	for (;;) {
		const char *found = find_line_end(reader, reader->start + looked);

		if (found != NULL) {
			reader->scan = (size_t)(found - reader->buffer) + 1;
			*line = LINE_WHOLE;
			return true;
		}
		looked = reader->filled - reader->start;
		if (looked >= most) {
			reader->scan = reader->filled;
			*line = LINE_ENDLESS;
			return true;
		}
		if (!read_more(reader, err))
			return false;
		if (reader->at_end) {
			*line = reader->scan < reader->filled ? LINE_UNFINISHED : LINE_NONE;
			reader->scan = reader->filled;
			return true;
		}
	}
}

/* Throws away the rest of a line, counting it. */
static bool
drop_line(struct reader *reader, uint64_t *dropped, bool *unfinished, struct error *err)
{
	*unfinished = false;
	for (;;) {
		const char *found;

		reader->start = reader->scan;
		found = find_line_end(reader, reader->start);
		if (found != NULL) {
			reader->scan = (size_t)(found - reader->buffer) + 1;
			*dropped += reader->scan - reader->start;
			return true;
		}
		*dropped += reader->filled - reader->start;
		reader->start = reader->scan = reader->filled;
		if (!read_more(reader, err))
			return false;
		if (reader->at_end) {
			*unfinished = true;
			return true;
		}
	}
}

/* The mark and the header, as far as they are there yet. */
static bool
begin_bom(struct reader *reader, struct error *err)
{
	reader->at_end = false;
	while (reader->filled < BOM_BYTES && !reader->at_end)
		if (!read_more(reader, err))
			return false;
	if (reader->filled >= BOM_BYTES && memcmp(reader->buffer, "\xef\xbb\xbf", BOM_BYTES) == 0) {
		reader->start = reader->scan = BOM_BYTES;
		reader->behind_bom = true;
	}
	return true;
}

static size_t
without_line_end(const char *bytes, size_t length)
{
	if (length > 0 && bytes[length - 1] == '\n') {
		length--;
		if (length > 0 && bytes[length - 1] == '\r')
			length--;
	}
	return length;
}

/* Blanks alone; where the delimiter is a tab, tabs are cells. */
static bool
is_blank_row(struct bytes raw, char delimiter)
{
	for (size_t i = 0; i < raw.length; i++)
		if ((raw.at[i] != ' ' && raw.at[i] != '\t') || raw.at[i] == delimiter)
			return false;
	return true;
}

/* Feeds lines until the row ends.  *line tells how: WHOLE, UNFINISHED or NONE at the end of the file, ENDLESS for a record
 * that is too long. */
static bool
feed_row(
    struct reader *reader, struct arena *arena, const bool *wanted, enum csv_row_state *state, enum line *line, struct error *err)
{
	csv_row_begin(reader->row, arena, wanted);
	*state = CSV_ROW_OPEN;
	while (*state == CSV_ROW_OPEN) {
		size_t taken = reader->scan - reader->start, from;
		struct bytes bytes;

		if (!next_line(reader, line, err))
			return false;
		from = reader->start + taken;
		bytes = (struct bytes){reader->buffer + from, without_line_end(reader->buffer + from, reader->scan - from)};
		/* A parser of CSV passes over blank lines; here they are records. */
		if (taken == 0 && is_blank_row(bytes, reader->mapping.delimiter))
			return true;
		if (*line == LINE_NONE || *line == LINE_ENDLESS)
			return true;
		if (reader->scan - reader->start > RECORD_BYTES + LINE_END_BYTES) {
			*line = LINE_ENDLESS;
			return true;
		}
		*state = csv_row_feed(reader->row, reader->buffer + from, reader->scan - from);
		if (*line == LINE_UNFINISHED) {
			if (*state == CSV_ROW_OPEN)
				*state = csv_row_end(reader->row);
			return true;
		}
	}
	return true;
}

static bool
begin_header(struct reader *reader, struct error *err)
{
	enum csv_row_state state;
	enum line line;

	if (!feed_row(reader, &reader->arena, NULL, &state, &line, err))
		return false;
	/* An empty file has no header and no rows; one that grows may get them. */
	if ((line == LINE_NONE && state == CSV_ROW_OPEN && reader->start == reader->filled) ||
	    (reader->options.growing && (line == LINE_NONE || line == LINE_UNFINISHED))) {
		reader->scan = reader->start;
		return true;
	}
	if (state != CSV_ROW_WHOLE || line == LINE_ENDLESS) {
		error_set(err, ERROR_INPUT, "the file has no CSV header in its first line");
		error_at(err, reader->path, 1);
		return error_hint(err, "If there is none, say \"header\": false in the mapping and number the columns.");
	}
	if (!mapping_bind(&reader->mapping, reader->row, reader->path, err))
		return false;
	reader->start = reader->scan;
	reader->behind_bom = false;
	reader->begun = true;
	return true;
}

static bool
begin(struct reader *reader, struct error *err)
{
	if (reader->base == 0 && reader->scan == 0 && !begin_bom(reader, err))
		return false;
	if (reader->options.growing && reader->filled < BOM_BYTES)
		return true;
	if (reader->row != NULL && reader->mapping.header)
		return begin_header(reader, err);
	reader->begun = true;
	return true;
}

/* Takes the record between start and scan.  What is too long is kept in part; an endless line is read to its end. */
static bool
take(struct reader *reader, enum line line, struct arena *arena, struct found *found, struct error *err)
{
	const char *bytes = reader->buffer + reader->start;
	size_t all = reader->scan - reader->start, length = reader->whole ? all : without_line_end(bytes, all), kept;
	uint64_t dropped = 0;

	found->unfinished = line == LINE_UNFINISHED;
	found->too_long = line == LINE_ENDLESS || length > reader->limit;
	kept = found->too_long && length > RAW_BYTES ? RAW_BYTES : length;
	found->raw = (struct bytes){arena_copy(arena, bytes, kept), kept};
	if (line == LINE_ENDLESS && bytes[reader->scan - reader->start - 1] != '\n') {
		if (!drop_line(reader, &dropped, &found->unfinished, err))
			return false;
		dropped -= !found->unfinished;
	}
	found->raw_length = length + dropped;
	return true;
}

/* What every record has, and the fate of one that is too long. */
static void
set_record(struct reader *reader, const struct found *found, struct arena *arena, struct record *out)
{
	*out = (struct record){.raw = found->raw, .raw_length = found->raw_length, .number = ++reader->number, .field = ""};
	reader->before = reader->position;
	reader->position = reader->base + reader->scan;
	if (reader->options.key_from_position)
		reader->options.rules.position_id =
		    arena_format(arena, "%s:%llu", reader->content_digest, (unsigned long long)out->number);
	if (found->too_long) {
		out->reason = E_LINE_TOO_LONG;
		out->value = bytes_of(arena_format(arena, "%llu bytes", (unsigned long long)found->raw_length));
	}
}

static void
flag_bom(struct reader *reader, struct record *out)
{
	if (reader->behind_bom)
		out->event.flags |= F_BOM;
	reader->behind_bom = false;
}

/* --- by a profile --------------------------------------------------------------------------------- */

/* Of several events that stand in lists, each but the first says in its format which one it is: its raw bytes, which are read again
 * alone, then have the same key from its position.  Events of one pass each of an answer have the same raw bytes. */
static void
set_parts(struct reader *reader, struct arena *arena)
{
	const char *source = source_format(&reader->options.rules, arena);
	struct record *records = reader->events.records;
	size_t part = 1;

	for (size_t i = 1; i < reader->events.count; i++) {
		part += records[i].raw.at != records[i - 1].raw.at;
		if (part > 1)
			records[i].format = arena_format(arena, "profile key=%s part=%zu%s %s", reader->content_digest, part,
			    source, profile_text(reader->options.profile));
	}
}

static bool
is_cut(const struct found *found, const struct record *record, struct arena *arena)
{
	return found->unfinished && (record->reason == E_JSON || record->reason == E_UTF8) &&
	    event_is_cut(found->raw.at, found->raw.length, arena);
}

static void
parse_events(struct reader *reader, const struct found *found, struct arena *arena, struct record *out)
{
	struct profile_events *events = &reader->events;

	profile_parse(reader->options.profile, &reader->options.rules, NULL, found->raw, false, arena, events);
	must(events->count > 0);
	if (events->count == 1 && is_cut(found, events->records, arena))
		events->records[0].reason = E_TRUNCATED;
	if (reader->options.key_from_position)
		set_parts(reader, arena);
	for (size_t i = 0; i < events->count; i++) {
		struct record *record = &events->records[i];

		record->number = reader->number;
		if (record->raw.length > RAW_BYTES)
			record->raw.length = RAW_BYTES;
		/* The mark is before all of them. */
		if (reader->behind_bom)
			record->event.flags |= F_BOM;
	}
	*out = events->records[0];
	reader->given = 1;
}

/* --- the next one --------------------------------------------------------------------------------- */

/* The end of what can be read now: an unfinished record is left where it is. */
static bool
leave_unfinished(struct reader *reader, bool *end)
{
	reader->waiting = reader->filled > reader->start;
	reader->scan = reader->start;
	*end = true;
	return true;
}

static bool
next_json(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err)
{
	struct found found;
	enum line line;

	if (!next_line(reader, &line, err))
		return false;
	if (line == LINE_NONE)
		return finish_content(reader, end, err);
	if (line == LINE_UNFINISHED && reader->options.growing)
		return leave_unfinished(reader, end);
	if (!take(reader, line, arena, &found, err))
		return false;
	if (found.unfinished && reader->options.growing) {
		reader->waiting = reader->spent = *end = true;
		return true;
	}
	set_record(reader, &found, arena, out);
	if (!found.too_long && reader->options.profile != NULL) {
		parse_events(reader, &found, arena, out);
	} else if (!found.too_long) {
		event_parse(&reader->options.rules, found.raw.at, found.raw.length, arena, out);
		if (is_cut(&found, out, arena))
			out->reason = E_TRUNCATED;
	}
	flag_bom(reader, out);
	return true;
}

static void
parse_row(struct reader *reader, const struct found *found, enum csv_row_state state, struct arena *arena, struct record *out)
{
	if (is_blank_row(found->raw, reader->mapping.delimiter)) {
		out->reason = N_BLANK;
	} else if (state == CSV_ROW_WHOLE) {
		mapping_row(&reader->mapping, &reader->options.rules, reader->row, found->raw, arena, out);
		if (found->unfinished && out->reason == E_CSV && csv_row_columns(reader->row) < reader->mapping.width)
			out->reason = E_TRUNCATED;
	} else {
		mapping_row_wrong(found->raw, arena, "a stray quote or line end", out);
		if (state == CSV_ROW_OPEN) {
			out->reason = E_TRUNCATED;
			out->value = bytes_of("quotes that are not closed");
		}
	}
}

static bool
next_row(struct reader *reader, struct arena *arena, struct record *out, bool *end, struct error *err)
{
	enum csv_row_state state;
	struct found found;
	enum line line;

	if (!feed_row(reader, arena, reader->mapping.wanted, &state, &line, err))
		return false;
	if (line == LINE_NONE && reader->start == reader->filled)
		return finish_content(reader, end, err);
	if ((line == LINE_NONE || line == LINE_UNFINISHED) && reader->options.growing)
		return leave_unfinished(reader, end);
	if (!take(reader, line, arena, &found, err))
		return false;
	if (found.unfinished && reader->options.growing) {
		reader->waiting = reader->spent = *end = true;
		return true;
	}
	set_record(reader, &found, arena, out);
	if (!found.too_long)
		parse_row(reader, &found, state, arena, out);
	flag_bom(reader, out);
	return true;
}

/* Keys made from positions hold only for the content that was hashed. */
static bool
finish_content(struct reader *reader, bool *end, struct error *err)
{
	*end = true;
	if (!reader->options.key_from_position || reader->base + reader->filled == reader->content_length)
		return true;
	error_set(err, ERROR_INPUT, "the file changed while it was read");
	error_at(err, reader->path, 0);
	return error_hint(err, "Keys made from positions need a file that never changes.");
}
