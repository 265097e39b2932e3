/*
 * zstandard.c -- see zstandard.h.
 *
 * ZSTD_decompressStream() goes on by itself behind a frame and returns 0 at its end, so that another value at the end of the bytes means
 * that they were cut.
 */
#include "base/zstandard.h"

#include <stdlib.h>
#include <zstd.h>

struct zstandard_writer {
	ZSTD_CCtx *context;
};

struct zstandard_reader {
	ZSTD_DStream *stream;
	bool inside;
};

static void
set(ZSTD_CCtx *context, ZSTD_cParameter parameter, int value)
{
	must(ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0);
}

struct zstandard_writer *
zstandard_writer_new(int level)
{
	struct zstandard_writer *writer = memory_new(1, sizeof *writer);

	writer->context = ZSTD_createCCtx();
	must(writer->context != NULL);
	set(writer->context, ZSTD_c_compressionLevel, level);
	set(writer->context, ZSTD_c_checksumFlag, 1);
	return writer;
}

void
zstandard_write(struct zstandard_writer *writer, const char *bytes, size_t length, bool end, struct text *out)
{
	ZSTD_inBuffer in = {bytes, length, 0};
	size_t left;

	do {
		ZSTD_outBuffer piece;

		text_reserve(out, ZSTD_CStreamOutSize());
		piece = (ZSTD_outBuffer){out->bytes + out->length, ZSTD_CStreamOutSize(), 0};
		left = ZSTD_compressStream2(writer->context, &piece, &in, end ? ZSTD_e_end : ZSTD_e_continue);
		must(ZSTD_isError(left) == 0);
		out->length += piece.pos;
		out->bytes[out->length] = '\0';
	} while (end ? left > 0 : in.pos < in.size);
}

void
zstandard_writer_free(struct zstandard_writer *writer)
{
	if (writer == NULL)
		return;
	ZSTD_freeCCtx(writer->context);
	free(writer);
}

struct zstandard_reader *
zstandard_reader_new(void)
{
	struct zstandard_reader *reader = memory_new(1, sizeof *reader);

	reader->stream = ZSTD_createDStream();
	must(reader->stream != NULL);
	return reader;
}

const char *
zstandard_read(struct zstandard_reader *reader, const char *in, size_t in_length, size_t *used, char *out, size_t out_size,
    size_t *got, bool *inside)
{
	ZSTD_inBuffer input = {in, in_length, 0};
	ZSTD_outBuffer output = {out, out_size, 0};
	size_t result = ZSTD_decompressStream(reader->stream, &output, &input);

	*used = input.pos;
	*got = output.pos;
	*inside = reader->inside;
	if (ZSTD_isError(result))
		return ZSTD_getErrorName(result);
	if (in_length > 0 || output.pos > 0)
		reader->inside = result != 0;
	*inside = reader->inside;
	return NULL;
}

void
zstandard_reader_free(struct zstandard_reader *reader)
{
	if (reader == NULL)
		return;
	ZSTD_freeDStream(reader->stream);
	free(reader);
}
