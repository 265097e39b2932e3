/* archive_file_test.c -- an archive gives back the rows that went in, byte by byte, or says that it is damaged. */
#include "ledger/archive_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/zstandard.h"
#include "tests/support/unit.h"

enum { MANY_ROWS = 3 * BLOCK_ROWS + 17, FEW_ROWS = 5 };

static const struct archive_name october = {"2026-10", 1};
static const int64_t hour_us = 3600LL * 1000000;
static const int64_t october_us = 1790812800LL * 1000000; /* 2026-10-01T00:00:00Z */

static struct bytes
bytes(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

/* Series 3 of tenant ann, 70000 of bob; source 2. */
static void
make_dictionary(struct archive_dictionary *out)
{
	struct bytes field[SERIES_FIELDS] = {{NULL, 0}};

	*out = (struct archive_dictionary){0};
	field[SERIES_TENANT] = bytes("ann");
	field[SERIES_MODEL] = bytes("small \"\xc3\xa9\"");
	CU_ASSERT_TRUE_FATAL(archive_dictionary_series(out, 3, field));
	field[SERIES_TENANT] = bytes("bob");
	CU_ASSERT_TRUE_FATAL(archive_dictionary_series(out, 70000, field));
	CU_ASSERT_TRUE_FATAL(archive_dictionary_source(out, 2, bytes("/gateway")));
}

static struct id128
identity_of(const char *tenant, const char *id)
{
	struct usage_event event = {.ref_source = bytes("/gateway"), .ref_id = bytes(id)};

	event.series[SERIES_TENANT] = bytes(tenant);
	return event_original(&event);
}

/* The row with a number: every shape in its turn, with the least and the greatest numbers among the others. */
static void
make_row(size_t number, struct text *out)
{
	static const int64_t numbers[] = {0, 1, -1, 63, 64, -65, 8191, INT64_MAX, INT64_MIN, 123456789};
	static char id[40], context[4096];
	struct archive_row row = {.batch = number < 10 ? -5 : (int64_t)number / 1000 + 1,
	    .ordinal = (int32_t)(number / 2),
	    .time = {october_us + (int64_t)(number * 7919 % 700) * hour_us},
	    .series = number % 3 == 0 ? 3 : 70000,
	    .source = 2,
	    .flags = (int32_t)(number % 5)};
	unsigned shape = (unsigned)(number * 2654435761U % SHAPE_LIMIT) & ~(unsigned)(SHAPE_REVERSAL | SHAPE_STATED_ID);

	row.shape = shape | (number % 2 == 0 ? 0 : SHAPE_REVERSAL);
	snprintf(id, sizeof id, "request-%zu", number / 2);
	memset(context, 'c', sizeof context);
	row.id = bytes(id);
	row.event_id = number % 11 == 0 ? (struct id128){{1, 2, 3}} : identity_of(number % 3 == 0 ? "ann" : "bob", id);
	row.context_input_tokens = numbers[number % 10];
	for (size_t meter = 1; meter <= METER_COLUMNS; meter++)
		row.quantity[meter] = numbers[(number + meter) % 10];
	row.extra[row.extra_count++] = 8;
	row.extra[row.extra_count++] = numbers[number % 7];
	row.extra[row.extra_count++] = METER_LIMIT - 1;
	row.extra[row.extra_count++] = numbers[(number + 5) % 10];
	row.context = (struct bytes){context, number % sizeof context};
	text_clear(out);
	archive_row_bytes(&row, out);
}

/* Writes so many rows; the content of the file, to be released. */
static struct text
written(size_t rows, struct archive_totals *totals)
{
	struct archive_dictionary dictionary;
	struct text row = {0}, out = {0};
	struct archive_writer *writer;
	char *content = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&content, &length);
	struct error err;

	CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
	make_dictionary(&dictionary);
	writer = archive_writer_new(stream, october, &dictionary);
	for (size_t i = 0; i < rows; i++) {
		make_row(i, &row);
		CU_ASSERT_TRUE_FATAL(archive_writer_row(writer, row.bytes, row.length, &err));
	}
	*totals = *archive_writer_end(writer);
	totals->proofs = NULL;
	CU_ASSERT_EQUAL(fclose(stream), 0);
	text_add(&out, content, length);
	free(content);
	archive_writer_free(writer);
	archive_dictionary_release(&dictionary);
	text_release(&row);
	return out;
}

/* A file with this content, opened; its name is taken away at once. */
static bool
open_content(const char *content, size_t length, struct archive_file **file, struct error *err)
{
	char path[] = "/tmp/archive_file_test.XXXXXX";
	int descriptor = mkstemp(path);
	bool fine;

	CU_ASSERT_TRUE_FATAL(descriptor >= 0);
	CU_ASSERT_EQUAL_FATAL(write(descriptor, content, length), (ssize_t)length);
	CU_ASSERT_EQUAL(close(descriptor), 0);
	fine = archive_file_open(path, file, err);
	CU_ASSERT_EQUAL(unlink(path), 0);
	return fine;
}

/* Reads all of it: true where nothing is wrong, and then it is what was written. */
static bool
is_whole(const char *content, size_t length, const struct archive_totals *totals)
{
	const struct archive_row *row;
	struct archive_file *file;
	struct error err = {0};
	bool fine = open_content(content, length, &file, &err);

	if (!fine) {
		CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
		return false;
	}
	do
		fine = archive_file_next(file, &row, &err);
	while (fine && row != NULL);
	if (fine) {
		CU_ASSERT_EQUAL(archive_file_totals(file)->rows, totals->rows);
		CU_ASSERT_EQUAL(memcmp(archive_file_totals(file)->rows_digest, totals->rows_digest, DIGEST_SIZE), 0);
		CU_ASSERT_EQUAL(memcmp(archive_file_totals(file)->sums, totals->sums, sizeof totals->sums), 0);
	} else {
		CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	}
	archive_file_close(file);
	return fine;
}

static void
rows_of_every_shape_come_back_byte_by_byte(void)
{
	struct archive_totals totals;
	struct text content = written(MANY_ROWS, &totals), wanted = {0};
	const struct archive_row *row;
	struct archive_file *file;
	struct error err = {0};
	size_t count = 0, same = 0;

	CU_ASSERT_TRUE_FATAL(open_content(content.bytes, content.length, &file, &err));
	EXPECT_TEXT(archive_file_name(file).month, "2026-10");
	while (archive_file_next(file, &row, &err) && row != NULL) {
		struct bytes got = archive_file_bytes(file);

		make_row(count++, &wanted);
		same += got.length == wanted.length && memcmp(got.at, wanted.bytes, wanted.length) == 0;
	}
	CU_ASSERT_PTR_NULL(row);
	CU_ASSERT_EQUAL(err.kind, ERROR_NONE);
	CU_ASSERT_EQUAL(count, MANY_ROWS);
	CU_ASSERT_EQUAL(same, MANY_ROWS);
	CU_ASSERT_EQUAL(archive_file_totals(file)->rows, MANY_ROWS);
	archive_file_close(file);
	text_release(&content);
	text_release(&wanted);
}

static void
the_same_rows_are_the_same_file(void)
{
	struct archive_totals totals;
	struct text one = written(1000, &totals), other = written(1000, &totals);

	CU_ASSERT_EQUAL_FATAL(one.length, other.length);
	CU_ASSERT_EQUAL(memcmp(one.bytes, other.bytes, one.length), 0);
	text_release(&one);
	text_release(&other);
}

static void
a_file_that_is_cut_anywhere_is_not_whole(void)
{
	struct archive_totals totals;
	struct text content = written(FEW_ROWS, &totals);

	CU_ASSERT_TRUE(is_whole(content.bytes, content.length, &totals));
	for (size_t length = 0; length < content.length; length++)
		if (is_whole(content.bytes, length, &totals))
			CU_FAIL("it was read as if it were whole");
	text_release(&content);
}

static void
a_changed_byte_is_noticed_or_changes_nothing(void)
{
	struct archive_totals totals;
	struct text content = written(FEW_ROWS, &totals);
	size_t noticed = 0;

	for (size_t i = 0; i < content.length; i++) {
		content.bytes[i] ^= 0x11;
		noticed += !is_whole(content.bytes, content.length, &totals);
		content.bytes[i] ^= 0x11;
	}
	CU_ASSERT_TRUE(noticed + 8 > content.length); /* but for the header of the frame */
	text_release(&content);
}

/* All bytes of a file's content. */
static struct text
unpacked(const struct text *content)
{
	struct zstandard_reader *reader = zstandard_reader_new();
	struct text out = {0};
	size_t used, got, at = 0;
	bool inside;

	do {
		text_reserve(&out, 65536);
		CU_ASSERT_PTR_NULL_FATAL(zstandard_read(
		    reader, content->bytes + at, content->length - at, &used, out.bytes + out.length, 65536, &got, &inside));
		at += used;
		out.length += got;
	} while (got > 0 || at < content->length);
	zstandard_reader_free(reader);
	return out;
}

static bool
is_whole_packed(const char *content, size_t length, const struct archive_totals *totals)
{
	struct zstandard_writer *writer = zstandard_writer_new(1);
	struct text packed = {0};
	bool whole;

	zstandard_write(writer, content, length, true, &packed);
	zstandard_writer_free(writer);
	whole = is_whole(packed.bytes, packed.length, totals);
	text_release(&packed);
	return whole;
}

/* Somebody who changes the content and packs it again gets past the checksum, and then not past the proofs. */
static void
changed_content_is_noticed_or_changes_nothing(void)
{
	struct archive_totals totals;
	struct text content = written(FEW_ROWS, &totals), plain = unpacked(&content);

	CU_ASSERT_TRUE(is_whole_packed(plain.bytes, plain.length, &totals));
	CU_ASSERT_FALSE(is_whole_packed(plain.bytes, plain.length - 1, &totals));
	text_add(&plain, "x", 1);
	CU_ASSERT_FALSE(is_whole_packed(plain.bytes, plain.length, &totals));
	plain.length--;
	for (size_t i = 0; i < plain.length; i += 3) {
		char was = plain.bytes[i];

		plain.bytes[i] = (char)(was ^ (1 << i % 8));
		(void)is_whole_packed(plain.bytes, plain.length, &totals);
		plain.bytes[i] = was;
	}
	text_release(&content);
	text_release(&plain);
}

static bool
refuses(struct archive_row row)
{
	struct archive_dictionary dictionary;
	struct archive_writer *writer;
	struct text text = {0};
	struct error err = {0};
	FILE *stream = tmpfile();
	bool fine;

	CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
	make_dictionary(&dictionary);
	writer = archive_writer_new(stream, october, &dictionary);
	make_row(20, &text);
	CU_ASSERT_TRUE(archive_writer_row(writer, text.bytes, text.length, &err));
	text_clear(&text);
	archive_row_bytes(&row, &text);
	fine = archive_writer_row(writer, text.bytes, text.length, &err);
	CU_ASSERT_TRUE(fine || err.kind == ERROR_STATE);
	CU_ASSERT_EQUAL(fclose(stream), 0);
	archive_writer_free(writer);
	archive_dictionary_release(&dictionary);
	text_release(&text);
	return !fine;
}

static void
rows_that_do_not_belong_there_are_refused(void)
{
	struct archive_row row = {.batch = 2, .time = {october_us}, .series = 3, .source = 2, .id = bytes("x")}, wrong = row;

	CU_ASSERT_FALSE(refuses(row));
	wrong.batch = -6;
	CU_ASSERT_TRUE(refuses(wrong)); /* out of order */
	wrong = row;
	wrong.time.us = october_us - 1;
	CU_ASSERT_TRUE(refuses(wrong)); /* of September */
	wrong.time.us = october_us + 31LL * 24 * hour_us;
	CU_ASSERT_TRUE(refuses(wrong)); /* of November */
	wrong = row;
	wrong.series = 4;
	CU_ASSERT_TRUE(refuses(wrong)); /* attributed to nothing */
	wrong = row;
	wrong.source = 1;
	CU_ASSERT_TRUE(refuses(wrong));
	wrong = row;
	wrong.shape = SHAPE_EXTRA;
	wrong.extra[0] = METER_LIMIT;
	wrong.extra_count = 2;
	CU_ASSERT_TRUE(refuses(wrong)); /* a meter of the future */
}

/* Each has a context of a MiB: a block of 70 of them would be longer than readers take. */
static void
rows_with_much_context_are_in_blocks_that_can_be_read(void)
{
	enum { LARGE_ROWS = 70, CONTEXT = 1 << 20 };
	struct archive_row row = {
	    .batch = 1, .time = {october_us}, .series = 3, .source = 2, .id = bytes("x"), .shape = SHAPE_CONTEXT};
	char *context = memory_new(CONTEXT, 1), *content = NULL;
	struct archive_totals totals;
	struct archive_dictionary dictionary;
	struct text text = {0};
	size_t length = 0;
	FILE *stream = open_memstream(&content, &length);
	struct archive_writer *writer;
	struct error err;

	CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
	make_dictionary(&dictionary);
	writer = archive_writer_new(stream, october, &dictionary);
	row.context = (struct bytes){context, CONTEXT};
	for (; row.ordinal < LARGE_ROWS; row.ordinal++) {
		text_clear(&text);
		archive_row_bytes(&row, &text);
		CU_ASSERT_TRUE_FATAL(archive_writer_row(writer, text.bytes, text.length, &err));
	}
	totals = *archive_writer_end(writer);
	CU_ASSERT_EQUAL(fclose(stream), 0);
	CU_ASSERT_EQUAL(totals.rows, LARGE_ROWS);
	CU_ASSERT_TRUE(is_whole(content, length, &totals));
	archive_writer_free(writer);
	archive_dictionary_release(&dictionary);
	text_release(&text);
	free(content);
	free(context);
}

UNIT_TESTS("ledger/archive_file", TEST(rows_of_every_shape_come_back_byte_by_byte), TEST(the_same_rows_are_the_same_file),
    TEST(a_file_that_is_cut_anywhere_is_not_whole), TEST(a_changed_byte_is_noticed_or_changes_nothing),
    TEST(changed_content_is_noticed_or_changes_nothing), TEST(rows_that_do_not_belong_there_are_refused),
    TEST(rows_with_much_context_are_in_blocks_that_can_be_read))
