/*
 * source_file.c -- see source_file.h.  This is the only file that knows zlib.
 *
 * inflate() stops at the end of each gzip member and has to be reset for the next; a reader of Zstandard goes on by itself.
 */
#include "ingest/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/zstandard.h"

enum { INPUT_SIZE = 256 * 1024, MAGIC_SIZE = 4, GZIP_WINDOW = 15 + 16 /* the largest, with a gzip header */ };

enum content { CONTENT_UNKNOWN, CONTENT_PLAIN, CONTENT_GZIP, CONTENT_ZSTD };

struct source_file {
	const char *path;
	int descriptor;
	int stop; /* an event that ends waiting for bytes; -1 where they never have to be waited for */
	enum content content;
	bool at_end; /* the file has given no more bytes when last asked */
	bool inside; /* a member or frame has begun and not ended */
	z_stream gzip;
	bool gzip_ready;
	struct zstandard_reader *zstd;
	size_t next, filled; /* of input */
	char input[INPUT_SIZE];
};

static bool read_gzip(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err);
static bool read_zstd(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err);
static bool read_plain(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err);

static bool
fail(struct source_file *file, enum error_kind kind, const char *message, const char *detail, struct error *err)
{
	error_set(err, kind, "%s", message);
	if (detail != NULL)
		error_detail(err, "%s.", detail);
	return error_at(err, file->path, 0);
}

static bool
fail_truncated(struct source_file *file, struct error *err)
{
	fail(file, ERROR_INPUT, "the compressed file ends too early", NULL, err);
	return error_hint(err, "It was cut while it was written or copied: get it again. What was read before it is whole.");
}

/* A pipe may say nothing for ever. */
static void
open_stop(struct source_file *file)
{
	struct stat status;

	file->stop = -1;
	if (fstat(file->descriptor, &status) == 0 && S_ISREG(status.st_mode))
		return;
	file->stop = eventfd(0, EFD_CLOEXEC);
	must(file->stop >= 0);
}

bool
source_file_open(const char *path, struct source_file **out, struct error *err)
{
	struct source_file *file = memory_new(1, sizeof *file);

	file->path = path;
	file->descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (file->descriptor < 0) {
		fail(file, ERROR_INPUT, "the file cannot be opened", strerror(errno), err);
		free(file);
		return false;
	}
	open_stop(file);
	*out = file;
	return true;
}

void
source_file_close(struct source_file *file)
{
	if (file == NULL)
		return;
	if (file->gzip_ready)
		inflateEnd(&file->gzip);
	zstandard_reader_free(file->zstd);
	if (file->descriptor != STDIN_FILENO)
		close(file->descriptor);
	if (file->stop >= 0)
		close(file->stop);
	free(file);
}

void
source_file_stop(struct source_file *file)
{
	const uint64_t one = 1;

	if (file->stop >= 0)
		must(write(file->stop, &one, sizeof one) == sizeof one);
}

/* Until there are bytes, an end, or a fault to be read; or the reading is stopped. */
static bool
wait_for_bytes(struct source_file *file, struct error *err)
{
	struct pollfd events[] = {{.fd = file->descriptor, .events = POLLIN}, {.fd = file->stop, .events = POLLIN}};

	if (file->stop < 0)
		return true;
	while (poll(events, 2, -1) < 0)
		if (errno != EINTR)
			return fail(file, ERROR_INPUT, "the file cannot be waited for", strerror(errno), err);
	if (events[1].revents != 0)
		return fail(file, ERROR_STATE, "the reading was stopped", NULL, err);
	return true;
}

static bool
read_bytes(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	ssize_t length;

	if (!wait_for_bytes(file, err))
		return false;
	do
		length = read(file->descriptor, bytes, size);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return fail(file, ERROR_INPUT, "the file cannot be read", strerror(errno), err);
	file->at_end = length == 0;
	*got = (size_t)length;
	return true;
}

/* Reads more input where all of it is used up. */
static bool
fill_input(struct source_file *file, struct error *err)
{
	if (file->next < file->filled)
		return true;
	file->next = 0;
	return read_bytes(file, file->input, INPUT_SIZE, &file->filled, err);
}

/* gzip: RFC 1952, section 2.3.1.  Zstandard: RFC 8878, sections 3.1.1 and 3.1.2 (skippable frames). */
static enum content
content_of(const unsigned char *bytes, size_t length)
{
	if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
		return CONTENT_GZIP;
	if (length >= MAGIC_SIZE && bytes[0] == 0x28 && bytes[1] == 0xb5 && bytes[2] == 0x2f && bytes[3] == 0xfd)
		return CONTENT_ZSTD;
	if (length >= MAGIC_SIZE && (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d && bytes[3] == 0x18)
		return CONTENT_ZSTD;
	return CONTENT_PLAIN;
}

static bool
begin_content(struct source_file *file, struct error *err)
{
	while (file->filled < MAGIC_SIZE && !file->at_end) {
		size_t got;

		if (!read_bytes(file, file->input + file->filled, INPUT_SIZE - file->filled, &got, err))
			return false;
		file->filled += got;
	}
	file->content = content_of((const unsigned char *)file->input, file->filled);
	if (file->content == CONTENT_GZIP) {
		must(inflateInit2(&file->gzip, GZIP_WINDOW) == Z_OK);
		file->gzip_ready = true;
	} else if (file->content == CONTENT_ZSTD) {
		file->zstd = zstandard_reader_new();
	}
	return true;
}

bool
source_file_read(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	must(size > 0);
	*got = 0;
	if (file->content == CONTENT_UNKNOWN && !begin_content(file, err))
		return false;
	if (file->content == CONTENT_GZIP)
		return read_gzip(file, bytes, size, got, err);
	if (file->content == CONTENT_ZSTD)
		return read_zstd(file, bytes, size, got, err);
	return read_plain(file, bytes, size, got, err);
}

static bool
read_plain(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	size_t left = file->filled - file->next;

	if (left == 0)
		return read_bytes(file, bytes, size, got, err);
	*got = left < size ? left : size;
	memcpy(bytes, file->input + file->next, *got);
	file->next += *got;
	return true;
}

/* Behind a member there may be another one, or nothing. */
static bool
next_member(struct source_file *file, struct error *err)
{
	unsigned char first = (unsigned char)file->input[file->next];

	if (first != 0x1f)
		return fail(file, ERROR_INPUT, "the gzip file goes on with something else behind its end", NULL, err);
	must(inflateReset(&file->gzip) == Z_OK);
	file->inside = true;
	return true;
}

static bool
read_gzip(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	z_stream *stream = &file->gzip;

	stream->next_out = (unsigned char *)bytes;
	stream->avail_out = size > INT32_MAX ? INT32_MAX : (unsigned)size;
	while (stream->next_out == (unsigned char *)bytes) {
		int result;

		if (!fill_input(file, err))
			return false;
		if (file->at_end && file->next == file->filled)
			return file->inside ? fail_truncated(file, err) : true;
		if (!file->inside && !next_member(file, err))
			return false;
		stream->next_in = (unsigned char *)file->input + file->next;
		stream->avail_in = (unsigned)(file->filled - file->next);
		result = inflate(stream, Z_NO_FLUSH);
		file->next = file->filled - stream->avail_in;
		if (result == Z_STREAM_END)
			file->inside = false;
		else if (result != Z_OK && result != Z_BUF_ERROR)
			return fail(file, ERROR_INPUT, "the gzip file is damaged", stream->msg, err);
	}
	*got = (size_t)(stream->next_out - (unsigned char *)bytes);
	return true;
}

static bool
read_zstd(struct source_file *file, char *bytes, size_t size, size_t *got, struct error *err)
{
	while (*got == 0) {
		size_t used;
		const char *wrong;

		if (!fill_input(file, err))
			return false;
		/* With no input left there may still be output in the decoder. */
		wrong = zstandard_read(
		    file->zstd, file->input + file->next, file->filled - file->next, &used, bytes, size, got, &file->inside);
		if (wrong != NULL)
			return fail(file, ERROR_INPUT, "the Zstandard file is damaged", wrong, err);
		file->next += used;
		if (used == 0 && *got == 0 && file->at_end)
			return file->inside ? fail_truncated(file, err) : true;
	}
	return true;
}

/* Back to the first byte. */
static bool
rewind_file(struct source_file *file, struct error *err)
{
	if (lseek(file->descriptor, 0, SEEK_SET) != 0)
		return fail(file, ERROR_INPUT, "the file cannot be read twice", strerror(errno), err);
	if (file->gzip_ready)
		inflateEnd(&file->gzip);
	zstandard_reader_free(file->zstd);
	file->zstd = NULL;
	file->gzip_ready = file->inside = file->at_end = false;
	file->content = CONTENT_UNKNOWN;
	file->gzip = (z_stream){0};
	file->next = file->filled = 0;
	return true;
}

bool
source_file_digest(struct source_file *file, unsigned char out[DIGEST_SIZE], uint64_t *length, struct error *err)
{
	enum { PIECE = 128 * 1024 };
	struct digest *digest;
	char *piece;
	size_t got = 1;
	bool fine = rewind_file(file, err);

	if (!fine)
		return false;
	digest = digest_new();
	piece = memory_new(PIECE, 1);
	*length = 0;
	digest_begin(digest);
	while (fine && got > 0) {
		fine = source_file_read(file, piece, PIECE, &got, err);
		if (fine && got > 0) {
			digest_bytes(digest, piece, got);
			*length += got;
		}
	}
	digest_end(digest, out);
	digest_free(digest);
	free(piece);
	return fine && rewind_file(file, err);
}
