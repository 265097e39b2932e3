/* reader_test.c -- files to records: lines, rows, compression, cut ends, positions and keys. */
#include "ingest/reader.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/digest.h"
#include "ingest/record_format.h"
#include "tests/unit/ingest/records.h"

/* Files of these tests; made anew by each, removed at the end of it. */
struct files {
	char usage[256], mapping[256];
};

static void
write_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	must(file != NULL && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

static struct files
make_files(const char *bytes, size_t length, const char *mapping)
{
	struct files files;
	const char *folder = getenv("TMPDIR") == NULL ? P_tmpdir : getenv("TMPDIR");

	snprintf(files.usage, sizeof files.usage, "%.200s/tollbook-reader-test.%ld.usage", folder, (long)getpid());
	snprintf(files.mapping, sizeof files.mapping, "%.200s/tollbook-reader-test.%ld.mapping", folder, (long)getpid());
	write_file(files.usage, bytes, length);
	write_file(files.mapping, mapping == NULL ? "" : mapping, mapping == NULL ? 0 : strlen(mapping));
	return files;
}

static void
remove_files(const struct files *files)
{
	must(remove(files->usage) == 0 && remove(files->mapping) == 0);
}

/* What was read of a file. */
struct reading {
	struct record records[64];
	uint64_t positions[64];
	size_t count;
	bool waiting, failed;
	struct error err;
	char format[1024];
};

static void
read_file(const char *path, const struct reader_options *options, struct arena *arena, struct reading *out)
{
	struct reader *reader;
	bool end = false;

	*out = (struct reading){0};
	if (!reader_open(path, options, &reader, &out->err)) {
		out->failed = true;
		return;
	}
	while (!end && !out->failed) {
		must(out->count < 64);
		out->failed = !reader_next(reader, arena, &out->records[out->count], &end, &out->err);
		if (!end && !out->failed)
			out->positions[out->count++] = reader_position(reader);
	}
	out->waiting = reader_waiting(reader);
	snprintf(out->format, sizeof out->format, "%s", reader_format(reader));
	reader_close(reader);
}

/* Reads bytes as a file would be read. */
static void
read_bytes(const char *bytes, size_t length, struct reader_options options, const char *mapping, struct arena *arena,
    struct reading *out)
{
	struct files files = make_files(bytes, length, mapping);

	options.mapping_path = mapping == NULL ? NULL : files.mapping;
	if (options.rules.late_days == 0)
		options.rules = test_rules();
	read_file(files.usage, &options, arena, out);
	remove_files(&files);
}

static void
read_text(const char *text, struct reader_options options, const char *mapping, struct arena *arena, struct reading *out)
{
	read_bytes(text, strlen(text), options, mapping, arena, out);
}

static void
expect_reasons(const struct reading *reading, size_t count, const enum reason *reasons)
{
	CU_ASSERT(!reading->failed);
	CU_ASSERT_EQUAL(reading->count, count);
	for (size_t i = 0; i < count && i < reading->count; i++) {
		EXPECT_REASON(reading->records[i], reasons[i], "a record");
		CU_ASSERT_EQUAL(reading->records[i].number, i + 1);
	}
}

#define EXPECT_REASONS(reading, ...)                                                                                             \
	expect_reasons(reading, sizeof((enum reason[]){__VA_ARGS__}) / sizeof(enum reason), (const enum reason[]){__VA_ARGS__})

static void
each_line_is_a_record_and_every_byte_has_its_place(void)
{
	static const char text[] = GOOD_EVENT "\n" GOOD_SHORT "\r\n\n \t\r\n[1]\n" GOOD_EVENT;
	struct arena arena = {0};
	struct reading reading;

	read_text(text, (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, REASON_NONE, N_BLANK, N_BLANK, E_NOT_OBJECT, REASON_NONE);
	CU_ASSERT_EQUAL(reading.positions[0], sizeof GOOD_EVENT);
	CU_ASSERT_EQUAL(reading.positions[1], sizeof GOOD_EVENT + sizeof GOOD_SHORT + 1);
	CU_ASSERT_EQUAL(reading.positions[5], sizeof text - 1);
	EXPECT_TEXT(text_of(&arena, reading.records[1].raw), GOOD_SHORT);
	CU_ASSERT_EQUAL(reading.records[1].raw_length, strlen(GOOD_SHORT));
	CU_ASSERT(!reading.waiting);
	EXPECT_TEXT(reading.format, "json");
	arena_release(&arena);
}

static void
an_empty_file_has_no_records(void)
{
	struct arena arena = {0};
	struct reading reading;

	read_text("", (struct reader_options){0}, NULL, &arena, &reading);
	CU_ASSERT(!reading.failed);
	CU_ASSERT_EQUAL(reading.count, 0);
	CU_ASSERT(!reading.waiting);
	arena_release(&arena);
}

static void
a_byte_order_mark_is_dropped_at_the_start_only(void)
{
	static const char text[] = "\xef\xbb\xbf" GOOD_EVENT "\n\xef\xbb\xbf" GOOD_EVENT "\n";
	struct arena arena = {0};
	struct reading reading;

	read_text(text, (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, E_JSON);
	CU_ASSERT_EQUAL(reading.records[0].event.flags, F_BOM);
	EXPECT_TEXT(text_of(&arena, reading.records[0].raw), GOOD_EVENT);
	CU_ASSERT_EQUAL(reading.positions[1], sizeof text - 1);
	arena_release(&arena);
}

static void
a_cut_last_line_is_truncated_in_a_finished_file_and_waits_in_a_growing_one(void)
{
	struct arena arena = {0};
	struct reading reading;

	/* Every place at which a good event can be cut. */
	for (size_t length = 1; length < strlen(GOOD_EVENT); length++) {
		const char *text = arena_format(&arena, "%s\n%.*s", GOOD_SHORT, (int)length, GOOD_EVENT);

		read_text(text, (struct reader_options){0}, NULL, &arena, &reading);
		EXPECT_REASONS(&reading, REASON_NONE, E_TRUNCATED);
		read_text(text, (struct reader_options){.growing = true}, NULL, &arena, &reading);
		EXPECT_REASONS(&reading, REASON_NONE);
		CU_ASSERT(reading.waiting);
		CU_ASSERT_EQUAL(reading.positions[0], sizeof GOOD_SHORT);
		arena_reset(&arena);
	}
	read_text(GOOD_EVENT, (struct reader_options){.growing = true}, NULL, &arena, &reading);
	CU_ASSERT_EQUAL(reading.count, 0);
	CU_ASSERT(reading.waiting);
	read_text("{\"a\":x}", (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(&reading, E_JSON);
	arena_release(&arena);
}

static void
a_growing_file_can_be_read_on(void)
{
	struct arena arena = {0};
	struct files files = make_files("", 0, NULL);
	struct reader_options options = {.growing = true, .rules = test_rules()};
	struct record record;
	struct reader *reader;
	struct error err;
	FILE *file = fopen(files.usage, "ab");
	bool end;

	must(file != NULL && reader_open(files.usage, &options, &reader, &err));
	CU_ASSERT(reader_next(reader, &arena, &record, &end, &err) && end && !reader_waiting(reader));
	must(fputs("{\"idempotency_key\"", file) >= 0 && fflush(file) == 0);
	CU_ASSERT(reader_next(reader, &arena, &record, &end, &err) && end && reader_waiting(reader));
	must(fputs(strchr(GOOD_SHORT, ':'), file) >= 0 && fputs("\n{", file) >= 0 && fflush(file) == 0);
	CU_ASSERT(reader_next(reader, &arena, &record, &end, &err) && !end && record.reason == REASON_NONE);
	CU_ASSERT_EQUAL(reader_position(reader), sizeof GOOD_SHORT);
	CU_ASSERT(reader_next(reader, &arena, &record, &end, &err) && end && reader_waiting(reader));
	reader_close(reader);
	fclose(file);
	remove_files(&files);
	arena_release(&arena);
}

/* A good event of `length` bytes: an extension takes up the room. */
static void
add_padded(struct text *text, size_t length)
{
	static const char start[] = "{\"pad\":\"", end[] = "\",";
	size_t rest = sizeof start - 1 + sizeof end - 1 + strlen(GOOD_EVENT) - 1;

	text_add_string(text, start);
	for (size_t i = rest; i < length; i++)
		text_add(text, "p", 1);
	text_add_string(text, end);
	text_add_string(text, strchr(GOOD_EVENT, '"'));
}

static void
a_record_of_64_kib_is_read_and_a_longer_one_is_kept_in_part(void)
{
	static const size_t lengths[] = {65536, 65537, 300, 1048576, 1048577, 5000000, 65536};
	struct text text = {0};
	struct arena arena = {0};
	struct reading reading;
	uint64_t position = 0;

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		add_padded(&text, lengths[i]);
		text_add_string(&text, "\n");
	}
	read_bytes(text.bytes, text.length, (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(
	    &reading, REASON_NONE, E_LINE_TOO_LONG, REASON_NONE, E_LINE_TOO_LONG, E_LINE_TOO_LONG, E_LINE_TOO_LONG, REASON_NONE);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] && i < reading.count; i++) {
		size_t kept = lengths[i] > RAW_BYTES ? RAW_BYTES : lengths[i];

		position += lengths[i] + 1;
		CU_ASSERT_EQUAL(reading.records[i].raw_length, lengths[i]);
		CU_ASSERT_EQUAL(reading.records[i].raw.length, kept);
		CU_ASSERT_EQUAL(reading.positions[i], position);
	}
	EXPECT_TEXT(text_of(&arena, reading.records[5].value), "5000000 bytes");
	/* Without its line end it is too long all the same, or waits. */
	read_bytes(text.bytes + 65537, 65537, (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(&reading, E_LINE_TOO_LONG);
	read_bytes(text.bytes + text.length - 5065538, 4000000, (struct reader_options){.growing = true}, NULL, &arena, &reading);
	CU_ASSERT_EQUAL(reading.count, 0);
	CU_ASSERT(reading.waiting);
	text_release(&text);
	arena_release(&arena);
}

static void
add_gzip(struct text *out, const char *bytes, size_t length)
{
	z_stream stream = {0};
	size_t room = length + 1000;

	out->bytes = memory_grow(out->bytes, &out->capacity, out->length + room, 1);
	must(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	stream.next_in = (unsigned char *)(uintptr_t)bytes;
	stream.avail_in = (unsigned)length;
	stream.next_out = (unsigned char *)out->bytes + out->length;
	stream.avail_out = (unsigned)room;
	must(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	out->length += room - stream.avail_out;
	deflateEnd(&stream);
}

static void
add_zstd(struct text *out, const char *bytes, size_t length)
{
	size_t room = ZSTD_compressBound(length), made;

	out->bytes = memory_grow(out->bytes, &out->capacity, out->length + room, 1);
	made = ZSTD_compress(out->bytes + out->length, room, bytes, length, 3);
	must(!ZSTD_isError(made));
	out->length += made;
}

typedef void add_compressed(struct text *out, const char *bytes, size_t length);

static void
expect_compressed(add_compressed *add)
{
	static const char first[] = GOOD_EVENT "\n" GOOD_SHORT "\n{\"idemp", second[] = "otency_key\":1}\n";
	struct text file = {0};
	struct arena arena = {0};
	struct reading reading;
	size_t whole, one, two;

	add(&file, first, sizeof first - 1);
	one = file.length;
	add(&file, "", 0);
	two = file.length;
	add(&file, second, sizeof second - 1);
	whole = file.length;
	read_bytes(file.bytes, whole, (struct reader_options){0}, NULL, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, REASON_NONE, E_TIME_MISSING);
	CU_ASSERT_EQUAL(reading.positions[2], sizeof first - 1 + sizeof second - 1);
	/* Cut anywhere, it is an error and never a shorter file; between two members nothing shows. */
	for (size_t length = 5; length < whole; length++) {
		if (length == one || length == two)
			continue;
		read_bytes(file.bytes, length, (struct reader_options){0}, NULL, &arena, &reading);
		CU_ASSERT(reading.failed);
		CU_ASSERT(strstr(reading.err.message, "ends too early") != NULL);
	}
	/* Something else behind it, and a damaged byte inside it. */
	text_add_string(&file, "trailing");
	read_bytes(file.bytes, file.length, (struct reader_options){0}, NULL, &arena, &reading);
	CU_ASSERT(reading.failed);
	file.bytes[one / 2] ^= 0x55;
	read_bytes(file.bytes, whole, (struct reader_options){0}, NULL, &arena, &reading);
	CU_ASSERT(reading.failed);
	CU_ASSERT_EQUAL(reading.err.kind, ERROR_INPUT);
	text_release(&file);
	arena_release(&arena);
}

static void
gzip_files_are_read_to_their_last_member(void)
{
	expect_compressed(add_gzip);
}

static void
zstandard_files_are_read_to_their_last_frame(void)
{
	expect_compressed(add_zstd);
}

static void
a_file_that_is_not_there_is_said_to_be_missing(void)
{
	struct reader_options options = {.rules = test_rules()};
	struct arena arena = {0};
	struct reading reading;

	read_file("no/such/file.ndjson", &options, &arena, &reading);
	CU_ASSERT(reading.failed);
	EXPECT_TEXT(reading.err.file, "no/such/file.ndjson");
	EXPECT_TEXT(reading.err.detail, "No such file or directory.");
	read_file("/", &options, &arena, &reading);
	CU_ASSERT(reading.failed);
}

#define CSV_MAPPING                                                                                                              \
	"{\"format\":\"csv\",\"columns\":{\"idempotency_key\":\"id\",\"time\":\"when\",\"input_tokens\":\"in\"},"                \
	"\"constants\":{\"tenant\":\"acme\",\"model\":\"m\"}}"
#define AT "2026-11-03T10:00:00Z"

static void
rows_may_go_over_lines_and_end_in_either_way(void)
{
	static const char text[] = "\xef\xbb\xbfid,when,note,in\r\n"
				   "a," AT ",\"two\r\nlines, and \"\"quotes\"\"\",7\r\n"
				   "\r\n"
				   "b," AT ",,8\n"
				   "c," AT ",8\n"
				   "d\"d," AT ",,8\n"
				   "e," AT ",,9";
	struct arena arena = {0};
	struct reading reading;

	read_text(text, (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, N_BLANK, REASON_NONE, E_CSV, E_CSV, REASON_NONE);
	EXPECT_TEXT(text_of(&arena, reading.records[0].raw), "a," AT ",\"two\r\nlines, and \"\"quotes\"\"\",7");
	CU_ASSERT_EQUAL(quantity_of(&reading.records[0].event, METER_input_text_uncached_tokens), 7);
	CU_ASSERT_EQUAL(quantity_of(&reading.records[5].event, METER_input_text_uncached_tokens), 9);
	CU_ASSERT_EQUAL(reading.positions[5], sizeof text - 1);
	CU_ASSERT_EQUAL(reading.records[0].event.flags, 0); /* the mark stood before the header, not before a row */
	arena_release(&arena);
}

static void
a_cut_last_row_is_truncated_or_waits(void)
{
	static const char *const ends[] = {"b", "b,", "b," AT, "b," AT ",\"no", "b," AT ",\"no\n", "b," AT ",\"no\nte"};
	struct arena arena = {0};
	struct reading reading;

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		const char *text = arena_format(&arena, "id,when,note,in\na,%s,,1\n%s", AT, ends[i]);

		read_text(text, (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
		EXPECT_REASONS(&reading, REASON_NONE, E_TRUNCATED);
		CU_ASSERT_EQUAL(reading.positions[1], strlen(text));
		read_text(text, (struct reader_options){.growing = true}, CSV_MAPPING, &arena, &reading);
		EXPECT_REASONS(&reading, REASON_NONE);
		CU_ASSERT(reading.waiting);
	}
	read_text("id,when,no", (struct reader_options){.growing = true}, CSV_MAPPING, &arena, &reading);
	CU_ASSERT(!reading.failed && reading.count == 0 && reading.waiting);
	arena_release(&arena);
}

static void
a_quote_that_is_never_closed_takes_no_more_than_64_kib(void)
{
	struct text text = {0};
	struct arena arena = {0};
	struct reading reading;

	text_add_string(&text, "id,when,note,in\nx," AT ",\"oops,1\n");
	while (text.length < 70000)
		text_add_format(&text, "%3000s,,,\n", "a row that should not be swallowed without a word");
	text_add_string(&text, "b," AT ",,2\n");
	read_bytes(text.bytes, text.length, (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
	CU_ASSERT(!reading.failed);
	CU_ASSERT(reading.count > 2);
	CU_ASSERT_EQUAL(reading.records[0].reason, E_LINE_TOO_LONG);
	CU_ASSERT(reading.records[0].raw.length > RECORD_BYTES && reading.records[0].raw.length < RECORD_BYTES + 3100);
	CU_ASSERT_EQUAL(reading.records[reading.count - 1].reason, REASON_NONE);
	text_release(&text);
	arena_release(&arena);
}

static void
a_mapping_without_a_key_needs_positions(void)
{
	static const char mapping[] = "{\"format\":\"csv\",\"columns\":{\"time\":\"when\",\"input_tokens\":\"in\"},"
				      "\"constants\":{\"tenant\":\"acme\",\"model\":\"m\"}}";
	static const char text[] = "when,in\n" AT ",5\n" AT ",5\n";
	struct arena arena = {0};
	struct reading reading, again;

	read_text(text, (struct reader_options){0}, mapping, &arena, &reading);
	CU_ASSERT(reading.failed);
	CU_ASSERT(strstr(reading.err.hint, "--key-from-position") != NULL);
	read_text(text, (struct reader_options){.key_from_position = true}, mapping, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, REASON_NONE);
	CU_ASSERT_EQUAL(reading.records[0].event.id.length, 66);
	CU_ASSERT(memcmp(reading.records[1].event.id.at + 64, ":2", 2) == 0);
	CU_ASSERT(memcmp(&reading.records[0].event.event_id, &reading.records[1].event.event_id, sizeof(struct id128)) != 0);
	read_text(text, (struct reader_options){.key_from_position = true}, mapping, &arena, &again);
	CU_ASSERT(memcmp(&reading.records[0].event.event_id, &again.records[0].event.event_id, sizeof(struct id128)) == 0);
	arena_release(&arena);
}

static void
keys_from_positions_are_those_of_the_content_however_it_is_packed(void)
{
	const char *line = strchr(GOOD_SHORT, ',') + 1;
	struct text packed = {0};
	struct arena arena = {0};
	const char *text = arena_format(&arena, "{%s\n%s\n", line, GOOD_SHORT);
	struct reading plain, gzip;
	struct digest *digest = digest_new();
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];

	add_gzip(&packed, text, strlen(text));
	read_text(text, (struct reader_options){.key_from_position = true}, NULL, &arena, &plain);
	read_bytes(packed.bytes, packed.length, (struct reader_options){.key_from_position = true}, NULL, &arena, &gzip);
	EXPECT_REASONS(&gzip, REASON_NONE, REASON_NONE);
	digest_begin(digest);
	digest_bytes(digest, text, strlen(text));
	digest_end(digest, sum);
	digest_free(digest);
	EXPECT_TEXT(text_of(&arena, plain.records[0].event.id), arena_format(&arena, "%s:1", digest_hex(sum, sizeof sum, hex)));
	EXPECT_TEXT(text_of(&arena, gzip.records[0].event.id), text_of(&arena, plain.records[0].event.id));
	EXPECT_TEXT(text_of(&arena, plain.records[1].event.id), "k-1");
	text_release(&packed);
	arena_release(&arena);
}

static void
positions_are_no_keys_in_a_stream_or_a_growing_file(void)
{
	struct reader_options options = {.key_from_position = true, .rules = test_rules()};
	struct arena arena = {0};
	struct reading reading;

	read_file("-", &options, &arena, &reading);
	CU_ASSERT(reading.failed);
	CU_ASSERT_EQUAL(reading.err.kind, ERROR_USAGE);
	read_text(GOOD_SHORT "\n", (struct reader_options){.key_from_position = true, .growing = true}, NULL, &arena, &reading);
	CU_ASSERT(reading.failed);
	CU_ASSERT_EQUAL(reading.err.kind, ERROR_USAGE);
}

/* One event, and the same, from its bytes alone. */
static void
expect_same_again(struct arena *arena, const char *format, const struct record *first)
{
	struct event_rules rules = test_rules();
	struct profile_events again;
	struct error err;

	if (first->format != NULL)
		format = first->format;
	CU_ASSERT_FATAL(record_parse(format, &rules, first->raw, NULL, first->number, arena, &again, &err));
	CU_ASSERT_EQUAL_FATAL(again.count, 1);
	CU_ASSERT_EQUAL(again.records->reason, first->reason);
	CU_ASSERT_EQUAL(again.records->number, first->number);
	EXPECT_TEXT(text_of(arena, again.records->event.id), text_of(arena, first->event.id));
	EXPECT_TEXT(
	    text_of(arena, again.records->event.series[SERIES_OPERATION]), text_of(arena, first->event.series[SERIES_OPERATION]));
	CU_ASSERT(memcmp(&again.records->event.event_id, &first->event.event_id, sizeof(struct id128)) == 0);
	CU_ASSERT(memcmp(&again.records->event.content, &first->event.content, sizeof(struct id128)) == 0);
}

static void
expect_read_again(const char *text, struct reader_options options, const char *mapping)
{
	struct arena arena = {0};
	struct reading reading;

	read_text(text, options, mapping, &arena, &reading);
	CU_ASSERT(!reading.failed && reading.count > 0);
	for (size_t i = 0; i < reading.count; i++) {
		expect_same_again(&arena, reading.format, &reading.records[i]);
	}
	arena_release(&arena);
}

static void
a_record_that_was_set_aside_can_be_read_again_from_its_bytes(void)
{
	struct reader_options by_position = {.key_from_position = true}, other_source = {.rules = test_rules()};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct profile_events record;
	struct error err = {0};

	expect_read_again(GOOD_EVENT "\n" GOOD_SHORT "\n", (struct reader_options){0}, NULL);
	expect_read_again("{\"tenant\":\"acme\",\"time\":\"" AT "\",\"model\":\"m\",\"input_tokens\":5}\n", by_position, NULL);
	expect_read_again("id,when,note,in\na," AT ",\"x\ny\",7\n", (struct reader_options){0}, CSV_MAPPING);
	expect_read_again("when,in\n" AT ",5\n" AT ",6\n", by_position,
	    "{\"format\":\"csv\",\"columns\":{\"time\":\"when\",\"input_tokens\":\"in\"},"
	    "\"constants\":{\"tenant\":\"acme\",\"model\":\"m\"}}");
	other_source.rules.default_source = "/gate way/{1}";
	expect_read_again(GOOD_SHORT "\n", other_source, NULL);
	expect_read_again("id,when,note,in\na," AT ",\"x\ny\",7\n", other_source, CSV_MAPPING);
	CU_ASSERT(!record_parse("json source=9:/short", &rules, bytes_of(GOOD_SHORT), NULL, 1, &arena, &record, &err));
	CU_ASSERT(!record_parse("xml", &rules, bytes_of("<a/>"), NULL, 1, &arena, &record, &err));
	arena_release(&arena);
}

static void
a_header_that_lacks_a_column_is_refused_before_any_row(void)
{
	struct arena arena = {0};
	struct reading reading;

	read_text("id,date,in\na,b,c\n", (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
	CU_ASSERT(reading.failed);
	EXPECT_TEXT(reading.err.field, "columns.time");
	read_text("\nid,when,in\n", (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
	CU_ASSERT(reading.failed);
	CU_ASSERT(strstr(reading.err.message, "no CSV header") != NULL);
	read_text("", (struct reader_options){0}, CSV_MAPPING, &arena, &reading);
	CU_ASSERT(!reading.failed && reading.count == 0);
	arena_release(&arena);
}

/* --- by a usage format ---------------------------------------------------------------------------- */

/* Records of a single event, lists of them, and streams. */
static const char toy_format[] =
    "{\"tollbook_format\":1,\"format\":\"toy\",\"title\":\"Toy\",\"about\":\"For "
    "tests.\",\"at\":[\"\",\"events/[]\"],\"each\":[\"events/[]\"],"
    "\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\"},\"constants\":{\"operation\":"
    "\"chat\"},"
    "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"},\"stream\":{\"end\":[\"[DONE]\"]}}";

#define TOY(id, in) "{\"id\":\"" id "\",\"tenant\":\"acme\",\"time\":\"" AT "\",\"model\":\"m\",\"in\":" in ",\"out\":5}"
#define KEYLESS(in) "{\"tenant\":\"acme\",\"time\":\"" AT "\",\"model\":\"m\",\"in\":" in ",\"out\":5}"
#define LIST(one, other) "{\"events\":[" one "," other "]}"

static struct profile *
toy(void)
{
	struct profile *profile;
	struct error err;

	if (!profile_from_text(toy_format, &profile, &err))
		error_print(stdout, &err);
	CU_ASSERT_FATAL(profile != NULL);
	return profile;
}

/* A file whose name ends like this. */
static void
read_named(const char *ending, struct bytes bytes, struct reader_options options, struct arena *arena, struct reading *out)
{
	const char *folder = getenv("TMPDIR") == NULL ? P_tmpdir : getenv("TMPDIR");
	const char *path = arena_format(arena, "%s/tollbook-reader-test.%ld%s", folder, (long)getpid(), ending);

	write_file(path, bytes.at, bytes.length);
	options.rules = test_rules();
	read_file(path, &options, arena, out);
	must(remove(path) == 0);
}

static void
events_of_one_line_have_its_number_and_are_not_parted(void)
{
	static const char line[] = LIST(TOY("a", "1"), TOY("b", "2")) "\n",
			  text[] = LIST(TOY("a", "1"), TOY("b", "2")) "\n" TOY("c", "3") "\n";
	static const struct {
		const char *id;
		uint64_t number, position;
		bool pending;
	} wanted[] = {{"a", 1, 0, true}, {"b", 1, sizeof line - 1, false}, {"c", 2, sizeof text - 1, false}};
	struct reader_options options = {.profile = toy(), .rules = test_rules()};
	struct files files = make_files(text, strlen(text), NULL);
	struct arena arena = {0};
	struct reader *reader;
	struct record record;
	struct error err;
	bool end;

	CU_ASSERT_FATAL(reader_open(files.usage, &options, &reader, &err));
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_FATAL(reader_next(reader, &arena, &record, &end, &err) && !end);
		EXPECT_REASON(record, REASON_NONE, wanted[i].id);
		EXPECT_TEXT(text_of(&arena, record.event.id), wanted[i].id);
		CU_ASSERT_EQUAL(record.number, wanted[i].number);
		CU_ASSERT_EQUAL(reader_position(reader), wanted[i].position);
		CU_ASSERT_EQUAL(reader_pending(reader), wanted[i].pending);
		expect_same_again(&arena, reader_format(reader), &record);
	}
	CU_ASSERT(reader_next(reader, &arena, &record, &end, &err) && end && !reader_pending(reader));
	reader_close(reader);
	remove_files(&files);
	profile_free((struct profile *)(uintptr_t)options.profile);
	arena_release(&arena);
}

static void
a_file_that_ends_in_sse_or_json_is_one_record(void)
{
	static const char json[] =
	    "\n{\n \"id\": \"a\", \"tenant\": \"acme\",\n \"time\": \"" AT "\", \"model\": \"m\", \"in\": 7, \"out\": 5\n}\n";
	static const char sse[] = "data: " TOY("a", "7") "\n\ndata: [DONE]\n\n";
	struct profile *profile = toy();
	struct reader_options options = {.profile = profile};
	struct arena arena = {0};
	struct text packed = {0};
	struct reading reading;

	read_named(".json", bytes_of(json), options, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE);
	CU_ASSERT_EQUAL(quantity_of(&reading.records[0].event, METER_input_text_uncached_tokens), 7);
	CU_ASSERT_EQUAL(reading.positions[0], sizeof json - 1);
	CU_ASSERT_EQUAL(reading.records[0].raw.length, sizeof json - 1);
	expect_same_again(&arena, reading.format, &reading.records[0]);
	read_named(".sse", bytes_of(sse), options, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE);
	CU_ASSERT_EQUAL(quantity_of(&reading.records[0].event, METER_input_text_uncached_tokens), 7);
	add_gzip(&packed, json, sizeof json - 1);
	read_named(".json.gz", (struct bytes){packed.bytes, packed.length}, options, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE);
	/* Its name alone says so; without a format it is lines. */
	read_named(".ndjson", bytes_of(json), options, &arena, &reading);
	CU_ASSERT_EQUAL(reading.count, 5);
	read_named(".json", bytes_of(json), (struct reader_options){0}, &arena, &reading);
	CU_ASSERT_EQUAL(reading.count, 5);
	read_named(".json", (struct bytes){json, 20}, options, &arena, &reading);
	EXPECT_REASONS(&reading, E_TRUNCATED);
	read_named(".json", (struct bytes){"", 0}, options, &arena, &reading);
	CU_ASSERT(!reading.failed && reading.count == 0);
	read_named(".sse", bytes_of(sse), (struct reader_options){.profile = profile, .growing = true}, &arena, &reading);
	CU_ASSERT(reading.failed && reading.err.kind == ERROR_USAGE);
	text_release(&packed);
	profile_free(profile);
	arena_release(&arena);
}

/* A good event of `length` bytes and a line end. */
static void
add_long(struct text *text, size_t length)
{
	static const char start[] = "{\"pad\":\"", end[] = "\",";
	size_t rest = sizeof start - 1 + sizeof end - 1 + strlen(TOY("a", "7")) - 1, at;

	text_add_string(text, start);
	at = text->length;
	text_reserve(text, length - rest + 1);
	memset(text->bytes + at, 'p', length - rest);
	text->length += length - rest;
	text_add_string(text, end);
	text_add_string(text, strchr(TOY("a", "7"), '"'));
	text_add_string(text, "\n");
}

static void
by_a_format_lines_are_up_to_a_mib_and_files_of_one_record_up_to_16(void)
{
	struct profile *profile = toy();
	struct reader_options options = {.profile = profile};
	struct arena arena = {0};
	struct text text = {0};
	struct reading reading;

	add_long(&text, 1048576);
	add_long(&text, 1048577);
	add_long(&text, 3000000);
	add_long(&text, 200);
	read_named(".ndjson", (struct bytes){text.bytes, text.length}, options, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE, E_LINE_TOO_LONG, E_LINE_TOO_LONG, REASON_NONE);
	CU_ASSERT_EQUAL(reading.records[2].raw.length, RAW_BYTES);
	CU_ASSERT_EQUAL(reading.records[2].raw_length, 3000000);
	/* Of a long one that was read, a part is kept, and how long it was. */
	text_clear(&text);
	add_long(&text, PROFILE_STREAM_BYTES - 1);
	read_named(".json", (struct bytes){text.bytes, text.length}, options, &arena, &reading);
	EXPECT_REASONS(&reading, REASON_NONE);
	CU_ASSERT_EQUAL(reading.records[0].raw.length, RAW_BYTES);
	CU_ASSERT_EQUAL(reading.records[0].raw_length, PROFILE_STREAM_BYTES);
	text_clear(&text);
	add_long(&text, PROFILE_STREAM_BYTES + 5000000);
	read_named(".json", (struct bytes){text.bytes, text.length}, options, &arena, &reading);
	EXPECT_REASONS(&reading, E_LINE_TOO_LONG);
	CU_ASSERT_EQUAL(reading.records[0].raw.length, RAW_BYTES);
	CU_ASSERT_EQUAL(reading.records[0].raw_length, PROFILE_STREAM_BYTES + 5000001);
	EXPECT_TEXT(text_of(&arena, reading.records[0].value), "21777217 bytes");
	CU_ASSERT_EQUAL(reading.positions[0], PROFILE_STREAM_BYTES + 5000001);
	text_release(&text);
	profile_free(profile);
	arena_release(&arena);
}

static void
keys_from_positions_tell_the_events_of_a_line_apart(void)
{
	static const char text[] =
	    KEYLESS("1") "\n" LIST(KEYLESS("2"), KEYLESS("2")) "\n" LIST(TOY("own", "3"), TOY("other", "4")) "\n";
	struct profile *profile = toy();
	struct reader_options options = {.profile = profile, .key_from_position = true};
	struct arena arena = {0};
	struct reading reading;
	const char *first;

	read_named(".ndjson", bytes_of(text), options, &arena, &reading);
	CU_ASSERT_EQUAL_FATAL(reading.count, 5);
	first = text_of(&arena, reading.records[0].event.id);
	CU_ASSERT_EQUAL(strlen(first), 64 + 2);
	for (size_t i = 0; i < 5; i++) {
		static const char *const ends[] = {":1", ":2", ":2/2", "own", "other"};
		const char *wanted = i < 3 ? arena_format(&arena, "%.64s%s", first, ends[i]) : ends[i];

		EXPECT_REASON(reading.records[i], REASON_NONE, wanted);
		EXPECT_TEXT(text_of(&arena, reading.records[i].event.id), wanted);
		expect_same_again(&arena, reading.format, &reading.records[i]);
	}
	profile_free(profile);
	arena_release(&arena);
}

static void
by_a_format_a_byte_order_mark_and_a_cut_line_are_told_as_ever(void)
{
	struct profile *profile = toy();
	struct reader_options options = {.profile = profile};
	struct arena arena = {0};
	struct reading reading;

	read_named(
	    ".ndjson", bytes_of("\xef\xbb\xbf" LIST(TOY("a", "1"), TOY("b", "2")) "\n\n{\"id\":"), options, &arena, &reading);
	CU_ASSERT_EQUAL_FATAL(reading.count, 4);
	CU_ASSERT((reading.records[0].event.flags & F_BOM) != 0 && (reading.records[1].event.flags & F_BOM) != 0);
	EXPECT_REASON(reading.records[2], N_BLANK, "a blank line");
	EXPECT_REASON(reading.records[3], E_TRUNCATED, "a cut line");
	CU_ASSERT_EQUAL(reading.records[3].number, 3);
	options.growing = true;
	read_named(".ndjson", bytes_of(TOY("a", "1") "\n{\"id\":"), options, &arena, &reading);
	CU_ASSERT(reading.count == 1 && reading.waiting);
	profile_free(profile);
	arena_release(&arena);
}

UNIT_TESTS("ingest/reader", TEST(each_line_is_a_record_and_every_byte_has_its_place), TEST(an_empty_file_has_no_records),
    TEST(a_byte_order_mark_is_dropped_at_the_start_only),
    TEST(a_cut_last_line_is_truncated_in_a_finished_file_and_waits_in_a_growing_one), TEST(a_growing_file_can_be_read_on),
    TEST(a_record_of_64_kib_is_read_and_a_longer_one_is_kept_in_part), TEST(gzip_files_are_read_to_their_last_member),
    TEST(zstandard_files_are_read_to_their_last_frame), TEST(a_file_that_is_not_there_is_said_to_be_missing),
    TEST(rows_may_go_over_lines_and_end_in_either_way), TEST(a_cut_last_row_is_truncated_or_waits),
    TEST(a_quote_that_is_never_closed_takes_no_more_than_64_kib), TEST(a_mapping_without_a_key_needs_positions),
    TEST(keys_from_positions_are_those_of_the_content_however_it_is_packed),
    TEST(positions_are_no_keys_in_a_stream_or_a_growing_file), TEST(a_record_that_was_set_aside_can_be_read_again_from_its_bytes),
    TEST(a_header_that_lacks_a_column_is_refused_before_any_row), TEST(events_of_one_line_have_its_number_and_are_not_parted),
    TEST(a_file_that_ends_in_sse_or_json_is_one_record), TEST(by_a_format_lines_are_up_to_a_mib_and_files_of_one_record_up_to_16),
    TEST(keys_from_positions_tell_the_events_of_a_line_apart),
    TEST(by_a_format_a_byte_order_mark_and_a_cut_line_are_told_as_ever))
