/*
 * archive_file_write.c -- see archive_file.h.
 *
 * The content is a line, then parts: a kind of four letters, a length of eight bytes (the highest first), and so many bytes.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/zstandard.h"
#include "ledger/archive_file.h"

enum { LEVEL = 6, LINES_BYTES = 1 << 20 };

struct archive_writer {
	FILE *stream;
	const struct archive_dictionary *dictionary;
	struct zstandard_writer *compressing;
	struct archive_block *block;
	struct proving proving;
	struct text part, compressed, line;
};

static void
send(struct archive_writer *writer, const char *bytes, size_t length, bool end)
{
	zstandard_write(writer->compressing, bytes, length, end, &writer->compressed);
	(void)fwrite(writer->compressed.bytes, 1, writer->compressed.length, writer->stream);
	text_clear(&writer->compressed);
}

/* Sends the part that was put together. */
static void
send_part(struct archive_writer *writer, const char kind[ARCHIVE_KIND + 1])
{
	uint64_t length = htobe64(writer->part.length);

	send(writer, kind, ARCHIVE_KIND, false);
	send(writer, (const char *)&length, sizeof length, false);
	send(writer, writer->part.bytes, writer->part.length, false);
	text_clear(&writer->part);
}

/* Ends a line of a part that is lines; a part that is large enough is sent. */
static void
end_line(struct archive_writer *writer, const char kind[ARCHIVE_KIND + 1])
{
	text_add(&writer->part, "\n", 1);
	if (writer->part.length >= LINES_BYTES)
		send_part(writer, kind);
}

static void
add_text(struct archive_writer *writer, const char *name, struct bytes value)
{
	text_clear(&writer->line);
	text_add(&writer->line, value.at, value.length);
	text_add_format(&writer->part, ",\"%s\":", name);
	text_add_json(&writer->part, text_string(&writer->line));
}

static void
send_meters(struct archive_writer *writer)
{
	static const char *const sides[] = {
	    [METER_SIDE_OTHER] = "other", [METER_SIDE_INPUT] = "input", [METER_SIDE_OUTPUT] = "output"};

	for (int id = 1; id < METER_LIMIT; id++) {
		const struct meter *meter = meter_of(id);

		text_add_format(&writer->part, "{\"meter\":%d,\"name\":\"%s\",\"side\":\"%s\",\"decimals\":%d}", id, meter->name,
		    sides[meter->side], meter->decimals);
		end_line(writer, "METR");
	}
	send_part(writer, "METR");
	for (int bit = 0; bit < 31; bit++) {
		char name[64];

		if (flags_format(1U << bit, name, sizeof name)[0] == '\0')
			continue;
		text_add_format(&writer->part, "{\"bit\":%d,\"name\":\"%s\"}", bit, name);
		end_line(writer, "FLAG");
	}
	send_part(writer, "FLAG");
}

static void
send_dictionary(struct archive_writer *writer)
{
	const struct archive_dictionary *dictionary = writer->dictionary;

	for (size_t i = 0; i < dictionary->source_count; i++) {
		text_add_format(&writer->part, "{\"source\":%ld", (long)dictionary->sources[i].number);
		add_text(writer, "name", dictionary->sources[i].name);
		text_add(&writer->part, "}", 1);
		end_line(writer, "SRCS");
	}
	send_part(writer, "SRCS");
	for (size_t i = 0; i < dictionary->series_count; i++) {
		text_add_format(&writer->part, "{\"series\":%ld", (long)dictionary->series[i].number);
		for (int field = 0; field < SERIES_FIELDS; field++)
			if (dictionary->series[i].field[field].length > 0)
				add_text(writer, archive_series_names[field], dictionary->series[i].field[field]);
		text_add(&writer->part, "}", 1);
		end_line(writer, "SERS");
	}
	send_part(writer, "SERS");
}

struct archive_writer *
archive_writer_new(FILE *stream, struct archive_name name, const struct archive_dictionary *dictionary)
{
	struct archive_writer *writer = memory_new(1, sizeof *writer);

	writer->stream = stream;
	writer->dictionary = dictionary;
	writer->compressing = zstandard_writer_new(LEVEL);
	writer->block = archive_block_new();
	proving_begin(&writer->proving, name.month);
	send(writer, ARCHIVE_FIRST_LINE, strlen(ARCHIVE_FIRST_LINE), false);
	text_add_format(
	    &writer->part, "{\"tollbook_archive\":1,\"month\":\"%s\",\"part\":%lld}\n", name.month, (long long)name.part);
	send_part(writer, "HEAD");
	send_meters(writer);
	send_dictionary(writer);
	return writer;
}

static void
send_block(struct archive_writer *writer)
{
	archive_block_write(writer->block, &writer->part);
	send_part(writer, "ROWS");
}

bool
archive_writer_row(struct archive_writer *writer, const char *bytes, size_t length, struct error *err)
{
	struct archive_row row;
	const struct archive_series *series;
	const struct archive_source *source;
	struct id128 own;
	const char *wrong;

	archive_row_read(bytes, length, &row);
	wrong = proving_row(&writer->proving, &row, bytes, length);
	series = archive_series_find(writer->dictionary, row.series);
	source = archive_source_find(writer->dictionary, row.source);
	if (wrong == NULL && (series == NULL || source == NULL))
		wrong = "what a row is attributed to is not there";
	if (wrong != NULL) {
		error_set(err, ERROR_STATE, "the ledger cannot be archived: %s (batch %lld, record %ld)", wrong,
		    (long long)row.batch, (long)row.ordinal);
		return error_hint(err, "tollbook reconcile finds out more.");
	}
	own = archive_identity(series, source, row.id);
	if (memcmp(own.byte, row.event_id.byte, sizeof own.byte) != 0)
		row.shape |= SHAPE_STATED_ID;
	archive_block_add(writer->block, &row);
	if (archive_block_is_full(writer->block))
		send_block(writer);
	return true;
}

static void
send_proofs(struct archive_writer *writer)
{
	const struct archive_totals *totals = &writer->proving.totals;
	char hex[DIGEST_HEX], number[DECIMAL_TEXT];
	bool first = true;

	for (size_t i = 0; i < totals->proof_count; i++) {
		const struct archive_proof *proof = &totals->proofs[i];

		text_add_format(&writer->part, "{\"batch\":%lld,\"rows\":%lld,\"sha256\":\"%s\"}", (long long)proof->batch,
		    (long long)proof->rows, digest_hex(proof->digest, DIGEST_SIZE, hex));
		end_line(writer, "BATC");
	}
	send_part(writer, "BATC");
	text_add_format(&writer->part, "{\"rows\":%lld,\"batches\":%zu,\"sha256\":\"%s\",\"sums\":{", (long long)totals->rows,
	    totals->proof_count, digest_hex(totals->rows_digest, DIGEST_SIZE, hex));
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		if (totals->sums[meter] == 0)
			continue;
		text_add_format(&writer->part, "%s\"%s\":\"%s\"", first ? "" : ",", meter_of(meter)->name,
		    integer_format(totals->sums[meter], number));
		first = false;
	}
	text_add_string(&writer->part, "}}\n");
	send_part(writer, "DONE");
}

const struct archive_totals *
archive_writer_end(struct archive_writer *writer)
{
	if (archive_block_rows(writer->block) > 0)
		send_block(writer);
	proving_end(&writer->proving);
	send_proofs(writer);
	send(writer, "", 0, true);
	return &writer->proving.totals;
}

void
archive_writer_free(struct archive_writer *writer)
{
	if (writer == NULL)
		return;
	zstandard_writer_free(writer->compressing);
	archive_block_free(writer->block);
	proving_release(&writer->proving);
	text_release(&writer->part);
	text_release(&writer->compressed);
	text_release(&writer->line);
	free(writer);
}
