/* archive_file.c -- see archive_file.h: files are read, of bytes that may be anything. */
#include "ledger/archive_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/document.h"
#include "base/zstandard.h"

enum { INPUT_SIZE = 256 << 10 };

/* --- bytes -------------------------------------------------------------------------- */

struct archive_file {
	const char *path;
	int descriptor;
	struct zstandard_reader *decompressing;
	bool at_end, inside;
	size_t next, filled; /* of input */
	char input[INPUT_SIZE];
	struct archive_name name;
	struct archive_dictionary dictionary;
	struct text part;
	char kind[ARCHIVE_KIND + 1]; /* of the part at hand */
	struct archive_block *block;
	bool in_block;
	struct archive_row row;
	struct text bytes; /* of the row */
	struct proving proving;
	size_t proofs_seen;
	bool newer; /* it names meters that this program does not know */
	bool done;
};

static bool
too_new(const struct archive_file *file, const char *what, struct error *err)
{
	error_set(err, ERROR_INPUT, "the archive was written by a newer tollbook: %s", what);
	error_hint(err, "Read it with that one; docs/formats.md has the format.");
	return error_at(err, file->path, 0);
}

/* What a newer program counts is no damage, but this one cannot read it. */
static bool
damaged(const struct archive_file *file, const char *what, struct error *err)
{
	if (file->newer)
		return too_new(file, "it has meters that this one does not know", err);
	error_set(err, ERROR_INPUT, "the archive is damaged: %s", what);
	error_hint(err, "Get it from a copy; tollbook archive verify tells whether that is the file that was written.");
	return error_at(err, file->path, 0);
}

static bool
fill(struct archive_file *file, struct error *err)
{
	ssize_t got;

	if (file->next < file->filled || file->at_end)
		return true;
	do
		got = read(file->descriptor, file->input, INPUT_SIZE);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		error_set(err, ERROR_AWAY, "the archive cannot be read: %s", strerror(errno));
		return error_at(err, file->path, 0);
	}
	file->next = 0;
	file->filled = (size_t)got;
	file->at_end = got == 0;
	return true;
}

/* At most `size` bytes of content; *got is 0 at its end. */
static bool
read_some(struct archive_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	const char *wrong;
	size_t used;

	*got = 0;
	while (*got == 0) {
		if (!fill(file, err))
			return false;
		wrong = zstandard_read(file->decompressing, file->input + file->next, file->filled - file->next, &used, bytes,
		    size, got, &file->inside);
		if (wrong != NULL)
			return damaged(file, wrong, err);
		file->next += used;
		if (*got == 0 && used == 0 && file->at_end)
			return !file->inside || damaged(file, "it ends too early", err);
	}
	return true;
}

/* Exactly so many bytes, or at the end of the content *there is false, where `may_end`. */
static bool
read_whole(struct archive_file *file, char *bytes, size_t size, bool may_end, bool *there, struct error *err)
{
	size_t at = 0, got;

	*there = true;
	while (at < size) {
		if (!read_some(file, bytes + at, size - at, &got, err))
			return false;
		at += got;
		if (got > 0)
			continue;
		*there = false;
		return (may_end && at == 0) || damaged(file, "it ends too early", err);
	}
	return true;
}

/* --- parts -------------------------------------------------------------------------- */

static bool
any_part(struct archive_file *file, struct error *err)
{
	char head[ARCHIVE_KIND + sizeof(uint64_t)];
	uint64_t length;
	bool there;

	if (!read_whole(file, head, sizeof head, false, &there, err))
		return false;
	memcpy(file->kind, head, ARCHIVE_KIND);
	memcpy(&length, head + ARCHIVE_KIND, sizeof length);
	length = be64toh(length);
	if (length > ARCHIVE_PART_BYTES)
		return damaged(file, "a part is longer than any can be", err);
	text_clear(&file->part);
	text_reserve(&file->part, length);
	file->part.length = length;
	file->part.bytes[length] = '\0';
	return read_whole(file, file->part.bytes, length, false, &there, err);
}

static bool
is_kind(const struct archive_file *file, const char *kind)
{
	return strcmp(file->kind, kind) == 0;
}

/* The next part of a kind that means something to this program. */
static bool
next_part(struct archive_file *file, struct error *err)
{
	static const char *const kinds[] = {"HEAD", "METR", "SRCS", "SERS", "ROWS", "BATC", "DONE"};

	for (;;) {
		if (!any_part(file, err))
			return false;
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
			if (is_kind(file, kinds[i]))
				return true;
	}
}

/* A line of a part as an object, to be ended with json_decref(); NULL with *err set. */
static json_t *
parse_line(const struct archive_file *file, const char *line, size_t length, struct error *err)
{
	json_t *object = document_parse(line, length, file->path, err);

	if (object != NULL && json_is_object(object))
		return object;
	json_decref(object);
	(void)damaged(file, "a line is no JSON object", err);
	return NULL;
}

static struct bytes
text_of(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_string(value) ? (struct bytes){json_string_value(value), json_string_length(value)}
				     : (struct bytes){"", 0};
}

static bool
number_of(json_t *object, const char *key, int64_t least, int64_t most, int64_t *out)
{
	json_t *value = json_object_get(object, key);

	*out = json_integer_value(value);
	return json_is_integer(value) && *out >= least && *out <= most;
}

typedef bool read_line(struct archive_file *file, json_t *object);

static bool
each_line(struct archive_file *file, read_line *read, struct error *err)
{
	const char *at = file->part.bytes, *end = at + file->part.length;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		json_t *object;
		bool fine;

		if (stop == NULL)
			return damaged(file, "a line has no end", err);
		object = parse_line(file, at, (size_t)(stop - at), err);
		if (object == NULL)
			return false;
		fine = read(file, object);
		json_decref(object);
		if (!fine)
			return damaged(file, "a line does not say what it should", err);
		at = stop + 1;
	}
	return true;
}

static bool
is_month(struct bytes text)
{
	static const char shape[] = "0000-00";

	if (text.length != strlen(shape))
		return false;
	for (size_t i = 0; i < text.length; i++)
		if (shape[i] == '0' ? text.at[i] < '0' || text.at[i] > '9' : text.at[i] != shape[i])
			return false;
	return (text.at[5] - '0') * 10 + text.at[6] - '0' >= 1 && (text.at[5] - '0') * 10 + text.at[6] - '0' <= 12;
}

static bool
read_head(struct archive_file *file, json_t *object)
{
	struct bytes month = text_of(object, "month");
	int64_t version;

	if (!is_month(month) || !number_of(object, "part", 1, INT32_MAX, &file->name.part) ||
	    !number_of(object, "tollbook_archive", 1, 1, &version))
		return false;
	memcpy(file->name.month, month.at, month.length);
	return true;
}

static bool
read_source(struct archive_file *file, json_t *object)
{
	int64_t number;

	return number_of(object, "source", 1, INT32_MAX, &number) &&
	    archive_dictionary_source(&file->dictionary, (int32_t)number, text_of(object, "name"));
}

static bool
read_series(struct archive_file *file, json_t *object)
{
	struct bytes field[SERIES_FIELDS];
	int64_t number;

	for (int i = 0; i < SERIES_FIELDS; i++)
		field[i] = text_of(object, archive_series_names[i]);
	return number_of(object, "series", 1, INT32_MAX, &number) &&
	    archive_dictionary_series(&file->dictionary, (int32_t)number, field);
}

/* Meters have numbers for ever: another name would be another meaning. */
static bool
read_meter(struct archive_file *file, json_t *object)
{
	int64_t number, decimals;
	struct bytes name = text_of(object, "name");
	const struct meter *meter = meter_find(name.at, name.length);

	if (!number_of(object, "meter", 1, INT16_MAX, &number) || !number_of(object, "decimals", 0, 9, &decimals))
		return false;
	file->newer |= number >= METER_LIMIT;
	return number >= METER_LIMIT || (meter != NULL && meter->id == number && meter->decimals == decimals);
}

static bool
read_proof(struct archive_file *file, json_t *object)
{
	const struct archive_totals *totals = &file->proving.totals;
	const struct archive_proof *proof;
	struct bytes sha256 = text_of(object, "sha256");
	int64_t batch, rows;
	char hex[DIGEST_HEX];

	if (file->proofs_seen == totals->proof_count || !number_of(object, "batch", INT64_MIN, INT64_MAX, &batch) ||
	    !number_of(object, "rows", 1, INT64_MAX, &rows))
		return false;
	proof = &totals->proofs[file->proofs_seen++];
	return proof->batch == batch && proof->rows == rows &&
	    strcmp(digest_hex(proof->digest, DIGEST_SIZE, hex), sha256.at) == 0;
}

static bool
sums_are(json_t *sums, const i128 expected[METER_LIMIT])
{
	char number[DECIMAL_TEXT];

	for (int meter = 1; meter < METER_LIMIT; meter++) {
		json_t *sum = json_object_get(sums, meter_of(meter)->name);

		if (expected[meter] == 0
			? sum != NULL
			: !json_is_string(sum) || strcmp(json_string_value(sum), integer_format(expected[meter], number)) != 0)
			return false;
	}
	return true;
}

static bool
read_done(struct archive_file *file, json_t *object)
{
	const struct archive_totals *totals = &file->proving.totals;
	int64_t rows, batches;
	char hex[DIGEST_HEX];

	return file->proofs_seen == totals->proof_count && number_of(object, "rows", 0, INT64_MAX, &rows) &&
	    rows == totals->rows && number_of(object, "batches", 0, INT64_MAX, &batches) &&
	    batches == (int64_t)totals->proof_count &&
	    strcmp(text_of(object, "sha256").at, digest_hex(totals->rows_digest, DIGEST_SIZE, hex)) == 0 &&
	    sums_are(json_object_get(object, "sums"), totals->sums);
}

/* Everything before the first block of rows. */
static bool
read_beginning(struct archive_file *file, struct error *err)
{
	static const struct {
		const char *kind;
		read_line *read;
	} lines[] = {{"METR", read_meter}, {"SRCS", read_source}, {"SERS", read_series}};

	if (!next_part(file, err))
		return false;
	if (!is_kind(file, "HEAD"))
		return damaged(file, "it has no head", err);
	if (!each_line(file, read_head, err))
		return false;
	if (file->name.month[0] == '\0')
		return damaged(file, "its head is empty", err);
	proving_begin(&file->proving, file->name.month);
	for (;;) {
		if (!next_part(file, err))
			return false;
		if (is_kind(file, "ROWS") || is_kind(file, "BATC"))
			return true;
		for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
			if (is_kind(file, lines[i].kind) && !each_line(file, lines[i].read, err))
				return false;
	}
}

/* RFC 8878, section 3.1.1. */
static bool
is_compressed(const struct archive_file *file)
{
	static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};

	return file->filled >= sizeof magic && memcmp(file->input, magic, sizeof magic) == 0;
}

static bool
no_archive(const struct archive_file *file, struct error *err)
{
	error_set(err, ERROR_INPUT, "the file is not an archive of tollbook");
	error_hint(err, "Archives are what tollbook archive write makes: usage-YYYY-MM-....tollbook.zst.");
	return error_at(err, file->path, 0);
}

static bool
read_first_line(struct archive_file *file, struct error *err)
{
	static const char first_line[] = ARCHIVE_FIRST_LINE;
	char line[sizeof first_line - 1];
	bool there;

	if (!fill(file, err))
		return false;
	if (!is_compressed(file))
		return no_archive(file, err);
	if (!read_whole(file, line, sizeof line, false, &there, err))
		return false;
	if (memcmp(line, first_line, sizeof line) == 0)
		return read_beginning(file, err);
	/* All but the number, and the end of the line. */
	return memcmp(line, first_line, sizeof line - 2) == 0 ? too_new(file, "its format is another", err)
							      : no_archive(file, err);
}

bool
archive_file_open(const char *path, struct archive_file **out, struct error *err)
{
	struct archive_file *file;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);

	if (descriptor < 0) {
		error_set(err, ERROR_INPUT, "the archive cannot be opened: %s", strerror(errno));
		return error_at(err, path, 0);
	}
	file = memory_new(1, sizeof *file);
	file->path = arena_copy(&file->dictionary.arena, path, strlen(path));
	file->descriptor = descriptor;
	file->decompressing = zstandard_reader_new();
	file->block = archive_block_new();
	if (read_first_line(file, err)) {
		*out = file;
		return true;
	}
	archive_file_close(file);
	return false;
}

struct archive_name
archive_file_name(const struct archive_file *file)
{
	return file->name;
}

const struct archive_dictionary *
archive_file_dictionary(const struct archive_file *file)
{
	return &file->dictionary;
}

/* --- rows --------------------------------------------------------------------------- */

/* The row that the block gave becomes whole, and is proved. */
static bool
take_row(struct archive_file *file, struct error *err)
{
	struct archive_row *row = &file->row;
	const struct archive_series *series = archive_series_find(&file->dictionary, row->series);
	const struct archive_source *source = archive_source_find(&file->dictionary, row->source);
	const char *wrong;

	if (series == NULL || source == NULL)
		return damaged(file, "a row names what is not there", err);
	if ((row->shape & SHAPE_STATED_ID) == 0)
		row->event_id = archive_identity(series, source, row->id);
	text_clear(&file->bytes);
	archive_row_bytes(row, &file->bytes);
	wrong = proving_row(&file->proving, row, file->bytes.bytes, file->bytes.length);
	return wrong == NULL || damaged(file, wrong, err);
}

/* Proofs and totals, behind which the file ends. */
static bool
read_end(struct archive_file *file, struct error *err)
{
	char byte;
	bool there;

	proving_end(&file->proving);
	while (is_kind(file, "BATC"))
		if (!each_line(file, read_proof, err) || !next_part(file, err))
			return false;
	if (!is_kind(file, "DONE"))
		return damaged(file, "it has no end", err);
	if (!each_line(file, read_done, err) || !read_whole(file, &byte, 1, true, &there, err))
		return false;
	if (there || file->part.length == 0)
		return damaged(file, "it does not end where it should", err);
	file->done = true;
	return true;
}

bool
archive_file_next(struct archive_file *file, const struct archive_row **row, struct error *err)
{
	bool more;

	*row = NULL;
	while (!file->done) {
		if (!file->in_block) {
			if (!is_kind(file, "ROWS"))
				return read_end(file, err);
			if (!archive_block_open(file->block, file->part.bytes, file->part.length))
				return damaged(file, "a block of rows is none", err);
			file->in_block = true;
		}
		if (!archive_block_next(file->block, &file->row, &more))
			return damaged(file, "a row cannot be read", err);
		if (more) {
			*row = &file->row;
			return take_row(file, err);
		}
		file->in_block = false;
		if (!next_part(file, err))
			return false;
	}
	return true;
}

struct bytes
archive_file_bytes(const struct archive_file *file)
{
	return (struct bytes){file->bytes.bytes, file->bytes.length};
}

const struct archive_totals *
archive_file_totals(const struct archive_file *file)
{
	must(file->done);
	return &file->proving.totals;
}

void
archive_file_close(struct archive_file *file)
{
	if (file == NULL)
		return;
	(void)close(file->descriptor);
	zstandard_reader_free(file->decompressing);
	archive_block_free(file->block);
	archive_dictionary_release(&file->dictionary);
	proving_release(&file->proving);
	text_release(&file->part);
	text_release(&file->bytes);
	free(file);
}
