/*
 * message_test.c -- Kafka messages: which mode a message is in, what headers may say, and what is kept of it.
 */
#include "ingest/message.h"

#include <jansson.h>

#include "ingest/event_json.h"
#include "ingest/reader.h"
#include "ingest/record_format.h"
#include "tests/unit/ingest/records.h"

#define DATA                                                                                                                     \
	"{\"operation\":\"chat\",\"model\":\"m-1\",\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":10,"            \
	"\"output_text_tokens\":5}}"
#define AT "2026-11-03T10:00:00Z"
#define STRUCTURED                                                                                                               \
	{                                                                                                                        \
		"content-type", "application/cloudevents+json"                                                                   \
	}

/* A header as a test writes it; value NULL is Kafka's null. */
struct said {
	const char *name, *value;
};

enum { SAID_MAX = 12 };

/* The headers of GOOD_EVENT in binary mode; DATA is its value. */
static const struct said binary[SAID_MAX] = {{"ce_specversion", "1.0"}, {"ce_type", "tollbook.usage.v1"}, {"ce_source", "/gw"},
    {"ce_id", "e-1"}, {"ce_time", AT}, {"ce_subject", "acme"}, {"content-type", "application/json"}};

static size_t
set_headers(struct message_header *headers, const struct said *said)
{
	size_t count = 0;

	for (; count < SAID_MAX && said[count].name != NULL; count++) {
		headers[count] =
		    (struct message_header){.name = bytes_of(said[count].name), .has_value = said[count].value != NULL};
		if (said[count].value != NULL)
			headers[count].value = bytes_of(said[count].value);
	}
	return count;
}

static struct record
parsed(struct arena *arena, const struct event_rules *rules, const struct said *said, struct bytes value)
{
	struct message_header headers[SAID_MAX];
	struct message message = {.offset = 7, .value = value, .has_value = true};
	struct record record;

	message.envelope.headers = headers;
	message.envelope.header_count = set_headers(headers, said);
	message_parse(rules, &message, arena, &record);
	return record;
}

/* `binary` with the header `name` said otherwise, or once more where `once_more`; an empty name leaves it out. */
static void
say(struct said *out, const char *name, struct said other, bool once_more)
{
	size_t count = 0, place;

	for (size_t i = 0; i < SAID_MAX; i++)
		out[i] = binary[i];
	while (out[count].name != NULL)
		count++;
	for (place = 0; place < count && strcmp(out[place].name, name) != 0; place++)
		;
	if (once_more || place == count)
		place = count++;
	must(count < SAID_MAX);
	out[place] = other;
	if (other.name[0] == '\0') {
		out[place] = out[count - 1];
		out[count - 1] = (struct said){NULL, NULL};
	}
}

static void
expect_same_event(const struct record *record, const struct record *other)
{
	EXPECT_REASON(*record, REASON_NONE, "a good message");
	CU_ASSERT(memcmp(&record->event.event_id, &other->event.event_id, sizeof record->event.event_id) == 0);
	CU_ASSERT(memcmp(&record->event.content, &other->event.content, sizeof record->event.content) == 0);
	CU_ASSERT_EQUAL(record->event.time.us, other->event.time.us);
	CU_ASSERT_EQUAL(record->event.flags, other->event.flags);
}

static void
an_event_is_the_same_in_every_mode(void)
{
	static const struct said nothing[SAID_MAX] = {{NULL, NULL}}, structured[SAID_MAX] = {STRUCTURED};
	static const struct said other[SAID_MAX] = {{"content-type", "text/plain"}, {"traceparent", "00-1"}};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record file = {0}, record;

	event_parse(&rules, GOOD_EVENT, strlen(GOOD_EVENT), &arena, &file);
	record = parsed(&arena, &rules, binary, bytes_of(DATA));
	expect_same_event(&record, &file);
	record = parsed(&arena, &rules, structured, bytes_of(GOOD_EVENT));
	expect_same_event(&record, &file);
	/* Without a CloudEvents header the value speaks for itself, whatever else is said of it. */
	record = parsed(&arena, &rules, nothing, bytes_of(GOOD_EVENT));
	expect_same_event(&record, &file);
	record = parsed(&arena, &rules, other, bytes_of(GOOD_EVENT));
	expect_same_event(&record, &file);
	event_parse(&rules, GOOD_SHORT, strlen(GOOD_SHORT), &arena, &file);
	record = parsed(&arena, &rules, nothing, bytes_of(GOOD_SHORT));
	expect_same_event(&record, &file);
	arena_release(&arena);
}

static void
media_types_are_told_in_any_case_and_with_parameters(void)
{
	static const struct {
		const char *type, *value;
		enum reason reason;
	} types[] = {
	    {"application/cloudevents+json", GOOD_EVENT, REASON_NONE},
	    {"Application/CloudEvents+JSON ; charset=UTF-8", GOOD_EVENT, REASON_NONE},
	    {"application/cloudevents", GOOD_EVENT, REASON_NONE},
	    {"application/cloudevents-batch+json", "[" GOOD_EVENT "]", E_VALUE},
	    {"application/cloudevents-batch", GOOD_EVENT, E_VALUE},
	    {"application/cloudevents+avro", GOOD_EVENT, E_VALUE},
	    {"application/json", DATA, REASON_NONE},
	    {"Application/JSON;charset=utf-8", DATA, REASON_NONE},
	    {"application/vnd.tollbook.usage+JSON; v=1", DATA, REASON_NONE},
	    {"text/json", DATA, REASON_NONE},
	    {NULL, DATA, REASON_NONE},
	    {"", DATA, E_VALUE},
	    {"json", DATA, E_VALUE},
	    {"application/", DATA, E_VALUE},
	    {"application+json", DATA, E_VALUE},
	    {"a/b", DATA, E_VALUE},
	    {"a/+json", DATA, E_VALUE},
	    {"a/b+json", DATA, REASON_NONE},
	    {"application/jsonl", DATA, E_VALUE},
	    {"application/x-protobuf", DATA, E_VALUE},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		struct said said[SAID_MAX];
		struct record record;

		say(said, "content-type", (struct said){"content-type", types[i].type}, false);
		record = parsed(&arena, &rules, said, bytes_of(types[i].value));
		EXPECT_REASON(record, types[i].reason, types[i].type == NULL ? "no type" : types[i].type);
		if (types[i].reason != REASON_NONE) {
			EXPECT_TEXT(record.field, "content-type");
			EXPECT_TEXT(text_of(&arena, record.value), types[i].type);
		}
	}
	arena_release(&arena);
}

static void
a_message_without_a_value_is_a_tombstone_whatever_its_headers(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct message message = {.offset = 7};
	struct message_header headers[SAID_MAX];
	struct said said[SAID_MAX];
	struct record record;

	message_parse(&rules, &message, &arena, &record);
	EXPECT_REASON(record, N_TOMBSTONE, "nothing");
	CU_ASSERT_EQUAL(reason_outcome(record.reason), OUTCOME_IGNORED);
	say(said, "ce_id", (struct said){"ce_id", "e-2"}, true);
	message.envelope.headers = headers;
	message.envelope.header_count = set_headers(headers, said);
	message_parse(&rules, &message, &arena, &record);
	EXPECT_REASON(record, N_TOMBSTONE, "a header twice");
	CU_ASSERT_EQUAL(record.raw_length, 0);
	arena_release(&arena);
}

static void
an_empty_value_is_no_json_and_no_blank_line(void)
{
	static const struct said nothing[SAID_MAX] = {{NULL, NULL}}, structured[SAID_MAX] = {STRUCTURED};
	static const struct said *const modes[] = {nothing, structured, binary};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		struct record record = parsed(&arena, &rules, modes[i], (struct bytes){NULL, 0});

		EXPECT_REASON(record, E_JSON, "nothing");
		EXPECT_TEXT(record.field, "byte 1");
		record = parsed(&arena, &rules, modes[i], bytes_of(" \n"));
		EXPECT_REASON(record, E_JSON, "blanks");
		EXPECT_TEXT(record.field, "byte 3");
	}
	arena_release(&arena);
}

static void
a_header_that_counts_may_come_once(void)
{
	static const struct said twice[] = {{"ce_id", "e-1"}, {"ce_id", NULL}, {"ce_time", "x"},
	    {"content-type", "application/json"}, {"content-type", NULL}, {"ce_x", "1"}};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct said said[SAID_MAX], structured[SAID_MAX] = {STRUCTURED, {"ce_x", "1"}, {"ce_x", "1"}};
	struct record record;

	for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
		say(said, "", twice[i], true);
		if (strcmp(twice[i].name, "ce_x") == 0)
			said[8] = said[7];
		record = parsed(&arena, &rules, said, bytes_of(DATA));
		EXPECT_REASON(record, E_HEADER_REPEATED, twice[i].name);
		EXPECT_TEXT(record.field, "headers");
		EXPECT_TEXT(text_of(&arena, record.value), twice[i].name);
		CU_ASSERT_EQUAL(reason_outcome(record.reason), OUTCOME_REJECTED);
	}
	record = parsed(&arena, &rules, structured, bytes_of(GOOD_EVENT));
	EXPECT_REASON(record, E_HEADER_REPEATED, "ce_x");
	/* Any other header may, and so may one whose name only looks like it. */
	say(said, "", (struct said){"trace", "1"}, true);
	said[8] = said[7];
	said[9] = (struct said){"CE_ID", "e-2"};
	record = parsed(&arena, &rules, said, bytes_of(DATA));
	EXPECT_REASON(record, REASON_NONE, "trace");
	arena_release(&arena);
}

/* One header of a good binary message said otherwise, or left out (""). */
static const struct {
	const char *name;
	struct said other;
	enum reason reason;
	const char *field;
} binary_faults[] = {
    {"ce_specversion", {"", NULL}, E_NOT_CLOUDEVENT, "ce_specversion"},
    {"ce_specversion", {"ce_specversion", NULL}, E_NOT_CLOUDEVENT, "ce_specversion"},
    {"ce_specversion", {"ce_specversion", "0.3"}, E_SPECVERSION, "ce_specversion"},
    {"ce_type", {"", NULL}, E_NOT_CLOUDEVENT, "ce_type"}, {"ce_type", {"ce_type", ""}, E_NOT_CLOUDEVENT, "ce_type"},
    {"ce_type", {"ce_type", "com.example.other"}, N_NOT_USAGE, "ce_type"}, {"ce_id", {"", NULL}, E_ID_MISSING, "ce_id"},
    {"ce_id", {"CE_ID", "e-1"}, E_ID_MISSING, "ce_id"}, {"ce_id", {"ce_id", NULL}, E_ID_MISSING, "ce_id"},
    {"ce_id", {"ce_id", ""}, E_ID_MISSING, "ce_id"}, {"ce_id", {"ce_id", "null"}, E_ID_PLACEHOLDER, "ce_id"},
    {"ce_id", {"ce_id", "e\t1"}, E_ID_CHARS, "ce_id"}, {"ce_id", {"ce_id", "e\xff"}, E_UTF8, "ce_id"},
    {"ce_source", {"", NULL}, E_SOURCE_MISSING, "ce_source"}, {"ce_source", {"ce_source", "/gw "}, E_ID_CHARS, "ce_source"},
    {"ce_subject", {"", NULL}, E_SUBJECT_MISSING, "ce_subject"},
    {"ce_subject", {"ce_subject", NULL}, E_SUBJECT_MISSING, "ce_subject"},
    {"ce_subject", {"ce_subject", "ac\x01me"}, E_SUBJECT_CHARS, "ce_subject"},
    {"ce_subject", {"ce_subject", "\xc0\x80"}, E_UTF8, "ce_subject"}, {"ce_time", {"", NULL}, E_TIME_MISSING, "ce_time"},
    {"ce_time", {"ce_time", ""}, E_TIME_FORMAT, "ce_time"}, {"ce_time", {"ce_time", "1793700000"}, E_TIME_FORMAT, "ce_time"},
    {"ce_time", {"ce_time", "2026-11-03T10:00:00"}, E_TIME_NO_ZONE, "ce_time"},
    {"ce_time", {"ce_time", "2026-12-03T10:00:00Z"}, E_TIME_FUTURE, "ce_time"},
    {"ce_time", {"ce_time", "2024-11-03T10:00:00Z"}, E_TIME_LATE, "ce_time"},
    {"ce_x", {"ce_x", "\xff"}, REASON_NONE, ""}, /* an extension */
};

static void
each_fault_of_a_header_has_its_reason_and_place(void)
{
	static char long_id[EVENT_KEY_BYTES + 2];
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct said said[SAID_MAX];
	struct record record;

	for (size_t i = 0; i < sizeof binary_faults / sizeof binary_faults[0]; i++) {
		say(said, binary_faults[i].name, binary_faults[i].other, false);
		record = parsed(&arena, &rules, said, bytes_of(DATA));
		EXPECT_REASON(record, binary_faults[i].reason, binary_faults[i].name);
		EXPECT_TEXT(record.field, binary_faults[i].field);
	}
	memset(long_id, 'x', EVENT_KEY_BYTES + 1);
	say(said, "ce_id", (struct said){"ce_id", long_id}, false);
	record = parsed(&arena, &rules, said, bytes_of(DATA));
	EXPECT_REASON(record, E_ID_TOO_LONG, "257 bytes");
	arena_release(&arena);
}

static void
a_nul_byte_in_a_header_is_refused_as_in_a_body(void)
{
	struct message_header headers[SAID_MAX];
	struct message message = {.value = bytes_of(DATA), .has_value = true, .envelope.headers = headers};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record;

	message.envelope.header_count = set_headers(headers, binary);
	headers[1].value = (struct bytes){"tollbook.usage.v1", sizeof "tollbook.usage.v1"};
	message_parse(&rules, &message, &arena, &record);
	EXPECT_REASON(record, E_NUL, "ce_type");
	EXPECT_TEXT(record.field, "ce_type");
	arena_release(&arena);
}

static void
each_fault_of_binary_data_has_its_reason_and_place(void)
{
	static const struct {
		const char *value;
		enum reason reason;
		const char *field;
	} faults[] = {
	    {"{\"a\":NaN}", E_JSON, "byte 6"},
	    {"{\"a\":1}x", E_JSON, "byte 8"},
	    {"{\"a\":1,\"a\":1}", E_DUPLICATE_KEY, "byte 11"},
	    {"{\"a\":\"\xff\"}", E_UTF8, "byte 7"},
	    {"[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", E_DEPTH, "byte 16"}, /* 16 levels below the event's own */
	    {"null", E_USAGE_MISSING, "data"},
	    {"[1]", E_TYPE, "data"},
	    {"\"x\"", E_TYPE, "data"},
	    {"{\"operation\":\"chat\",\"model\":\"m\",\"quantities\":{}}", E_USAGE_MISSING, "data.quantities"},
	    {"{\"operation\":\"chat\",\"quantities\":{\"output_text_tokens\":5}}", E_MODEL_MISSING, "data.model"},
	    {"{\"operation\":\"chat\",\"model\":\"m\",\"quantities\":{\"output_text_tokens\":-5}}", E_NEGATIVE,
		"data.quantities.output_text_tokens"},
	    /* A whole event is not the data of one. */
	    {GOOD_EVENT, E_VALUE, "data.operation"},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct said said[SAID_MAX];
	struct record record;

	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		record = parsed(&arena, &rules, binary, bytes_of(faults[i].value));
		EXPECT_REASON(record, faults[i].reason, faults[i].value);
		EXPECT_TEXT(record.field, faults[i].field);
	}
	/* Bytes are more basic than what a header says; data of other events is nobody's business. */
	say(said, "ce_id", (struct said){"", NULL}, false);
	record = parsed(&arena, &rules, said, bytes_of("{"));
	EXPECT_REASON(record, E_JSON, "{");
	say(said, "ce_type", (struct said){"ce_type", "other"}, false);
	record = parsed(&arena, &rules, said, bytes_of("{"));
	EXPECT_REASON(record, N_NOT_USAGE, "{");
	arena_release(&arena);
}

static void
headers_may_repeat_a_structured_event_and_not_contradict_it(void)
{
	static const struct {
		struct said header;
		enum reason reason;
	} beside[] = {
	    {{"ce_id", "e-1"}, REASON_NONE},
	    {{"ce_id", NULL}, REASON_NONE},
	    {{"ce_time", "2026-11-03T12:00:00.000+02:00"}, REASON_NONE},
	    {{"ce_traceparent", "00-1"}, REASON_NONE},
	    {{"ce_id", "other"}, E_ENVELOPE_CONFLICT},
	    {{"ce_id", ""}, E_ENVELOPE_CONFLICT},
	    {{"ce_source", "/gw/"}, E_ENVELOPE_CONFLICT},
	    {{"ce_subject", "Acme"}, E_ENVELOPE_CONFLICT},
	    {{"ce_time", "2026-11-03T10:00:01Z"}, E_ENVELOPE_CONFLICT},
	    {{"ce_time", "x"}, E_ENVELOPE_CONFLICT},
	    {{"ce_type", "other"}, E_ENVELOPE_CONFLICT},
	    {{"ce_specversion", "1.1"}, E_ENVELOPE_CONFLICT},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
		struct said said[SAID_MAX] = {STRUCTURED, beside[i].header};
		struct record record = parsed(&arena, &rules, said, bytes_of(GOOD_EVENT));

		EXPECT_REASON(record, beside[i].reason, beside[i].header.name);
		EXPECT_TEXT(record.field, beside[i].reason == REASON_NONE ? "" : beside[i].header.name);
	}
	CU_ASSERT_EQUAL(reason_outcome(E_ENVELOPE_CONFLICT), OUTCOME_QUARANTINED);
	CU_ASSERT_EQUAL(reason_release(E_ENVELOPE_CONFLICT), RELEASE_NEVER);
	arena_release(&arena);
}

static void
a_structured_event_speaks_for_itself(void)
{
	static const struct said structured[SAID_MAX] = {STRUCTURED, {"ce_subject", "acme"}};
	static const struct said claimed[SAID_MAX] = {STRUCTURED, {"ce_type", "tollbook.usage.v1"}};
	static const struct said others[SAID_MAX] = {STRUCTURED, {"ce_id", "x"}};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *other = changed(&arena, GOOD_EVENT, "tollbook.usage.v1", "com.example.other");
	struct record record;

	/* What only a header says is not taken. */
	record = parsed(&arena, &rules, structured, bytes_of(changed(&arena, GOOD_EVENT, "\"subject\":\"acme\",", "")));
	EXPECT_REASON(record, E_SUBJECT_MISSING, "no subject");
	/* A CloudEvent was announced, and the short form is none. */
	record = parsed(&arena, &rules, structured, bytes_of(GOOD_SHORT));
	EXPECT_REASON(record, E_NOT_CLOUDEVENT, GOOD_SHORT);
	EXPECT_TEXT(record.field, "specversion");
	/* Other people's events are not judged, unless a header says that it is usage. */
	record = parsed(&arena, &rules, others, bytes_of(other));
	EXPECT_REASON(record, N_NOT_USAGE, other);
	record = parsed(&arena, &rules, claimed, bytes_of(other));
	EXPECT_REASON(record, E_ENVELOPE_CONFLICT, other);
	/* What is not even JSON is told first. */
	record = parsed(&arena, &rules, others, bytes_of("{"));
	EXPECT_REASON(record, E_JSON, "{");
	arena_release(&arena);
}

static void
a_record_outlives_the_message_and_has_all_of_it(void)
{
	static const struct said said[] = {
	    {"ce_specversion", "1.0"}, {"ce_type", "tollbook.usage.v1"}, {"other", NULL}, {"other", ""}};
	struct arena arena = {0}, deliverers = {0};
	struct event_rules rules = test_rules();
	struct message_header *headers = arena_take(&deliverers, 8 * sizeof *headers);
	char *value = arena_take(&deliverers, 64), *key = arena_take(&deliverers, 8);
	struct message message = {.offset = INT64_C(1) << 40, .has_value = true};
	struct record record;

	memcpy(value, "{\"x\":1}", 8);
	memcpy(key, "k\0y", 4);
	for (size_t i = 0; i < 4; i++) {
		headers[i] = (struct message_header){.has_value = said[i].value != NULL};
		headers[i].name = bytes_of(arena_copy(&deliverers, said[i].name, strlen(said[i].name)));
		if (said[i].value != NULL)
			headers[i].value = bytes_of(arena_copy(&deliverers, said[i].value, strlen(said[i].value)));
	}
	message.value = (struct bytes){value, 7};
	message.envelope = (struct envelope){.key = {key, 3}, .has_key = true, .headers = headers, .header_count = 4};
	message_parse(&rules, &message, &arena, &record);
	arena_release(&deliverers);
	CU_ASSERT_EQUAL(record.number, UINT64_C(1) << 40);
	CU_ASSERT_EQUAL(record.raw_length, 7);
	EXPECT_TEXT(text_of(&arena, record.raw), "{\"x\":1}");
	CU_ASSERT_FATAL(record.envelope != NULL && record.envelope->header_count == 4);
	CU_ASSERT(record.envelope->has_key && record.envelope->key.length == 3);
	CU_ASSERT(memcmp(record.envelope->key.at, "k\0y", 3) == 0);
	for (size_t i = 0; i < 4; i++) {
		const struct message_header *header = &record.envelope->headers[i];

		EXPECT_TEXT(text_of(&arena, header->name), said[i].name);
		EXPECT_TEXT(text_of(&arena, header->value), said[i].value == NULL ? "" : said[i].value);
		CU_ASSERT_EQUAL(header->has_value, said[i].value != NULL);
	}
	arena_release(&arena);
}

/* `count` headers "h" of `length` bytes, or with `value_length` a long value; all of them one byte over and over. */
static struct record
large(struct arena *arena, size_t count, size_t length, size_t value_length)
{
	struct event_rules rules = test_rules();
	struct message_header *headers = memory_new(count, sizeof *headers);
	size_t most = length > value_length ? length : value_length;
	char *bytes = memory_new(most + 1, 1);
	struct message message = {.value = {bytes, value_length}, .has_value = true};
	struct record record;

	memset(bytes, ' ', most);
	for (size_t i = 0; i < count; i++)
		headers[i] = (struct message_header){{"h", 1}, {bytes, length}, true};
	message.envelope = (struct envelope){.headers = headers, .header_count = count};
	message_parse(&rules, &message, arena, &record);
	free(headers);
	free(bytes);
	return record;
}

static void
what_is_too_long_says_what_it_is_and_is_kept_in_part(void)
{
	struct arena arena = {0};
	struct record record;

	record = large(&arena, HEADERS_MAX, ENVELOPE_BYTES / HEADERS_MAX - 1, RECORD_BYTES);
	EXPECT_REASON(record, E_JSON, "all at their limits");
	record = large(&arena, 0, 0, RECORD_BYTES + 1);
	EXPECT_REASON(record, E_LINE_TOO_LONG, "the value");
	EXPECT_TEXT(record.field, "value");
	EXPECT_TEXT(text_of(&arena, record.value), "65537 bytes");
	CU_ASSERT_EQUAL(record.raw.length, RECORD_BYTES + 1);
	record = large(&arena, 0, 0, RAW_BYTES + 2);
	EXPECT_REASON(record, E_LINE_TOO_LONG, "the value");
	CU_ASSERT_EQUAL(record.raw.length, RAW_BYTES);
	CU_ASSERT_EQUAL(record.raw_length, RAW_BYTES + 2);
	record = large(&arena, HEADERS_MAX + 1, 1, 2);
	EXPECT_REASON(record, E_LINE_TOO_LONG, "headers");
	EXPECT_TEXT(record.field, "headers");
	EXPECT_TEXT(text_of(&arena, record.value), "129 headers");
	CU_ASSERT_EQUAL(record.envelope->header_count, HEADERS_MAX + 1);
	record = large(&arena, 1, ENVELOPE_BYTES, 2);
	EXPECT_REASON(record, E_LINE_TOO_LONG, "key and headers");
	EXPECT_TEXT(record.field, "key and headers");
	EXPECT_TEXT(text_of(&arena, record.value), "65537 bytes");
	CU_ASSERT_EQUAL(record.envelope->headers[0].value.length, ENVELOPE_BYTES);
	record = large(&arena, 3, RAW_BYTES / 2, 2);
	CU_ASSERT_EQUAL(record.envelope->header_count, 3);
	CU_ASSERT_EQUAL(record.envelope->headers[0].value.length, RAW_BYTES / 2);
	CU_ASSERT_EQUAL(record.envelope->headers[1].value.length, RAW_BYTES / 2 - 2);
	CU_ASSERT_EQUAL(record.envelope->headers[2].value.length, 0);
	record = large(&arena, 100000, 0, 2);
	CU_ASSERT(record.envelope->header_count < 2000);
	arena_release(&arena);
}

static void
a_message_that_was_set_aside_can_be_read_again(void)
{
	static const char *const formats[] = {"kafka lkc-1/usage/3 00ff", "kafka source=6:/a b c lkc-1/usage/3 00ff"};
	static const struct said nothing[SAID_MAX] = {{NULL, NULL}};
	struct arena arena = {0};
	struct event_rules rules = test_rules(), other = rules;
	struct record first;
	struct profile_events again;
	struct error err;

	first = parsed(&arena, &rules, binary, bytes_of(DATA));
	CU_ASSERT_FATAL(record_parse(formats[0], &rules, first.raw, first.envelope, first.number, &arena, &again, &err));
	expect_same_event(again.records, &first);
	CU_ASSERT_EQUAL(again.count, 1);
	CU_ASSERT_EQUAL(again.records->number, 7);
	other.default_source = "/a b c";
	first = parsed(&arena, &other, nothing, bytes_of(GOOD_SHORT));
	CU_ASSERT_FATAL(record_parse(formats[1], &rules, first.raw, first.envelope, first.number, &arena, &again, &err));
	expect_same_event(again.records, &first);
	EXPECT_TEXT(text_of(&arena, again.records->event.source), "/a b c");
	CU_ASSERT(!record_parse(formats[0], &rules, first.raw, NULL, 7, &arena, &again, &err));
	CU_ASSERT(!record_parse("kafkaesque a/b/0 00", &rules, first.raw, first.envelope, 7, &arena, &again, &err));
	CU_ASSERT(!record_parse("kafka source=9:/a b", &rules, first.raw, first.envelope, 7, &arena, &again, &err));
	arena_release(&arena);
}

/* --- by a usage format ---------------------------------------------------------------------------- */

static const char toy_format[] =
    "{\"tollbook_format\":1,\"format\":\"toy\",\"title\":\"Toy\",\"about\":\"For "
    "tests.\",\"at\":[\"\",\"events/[]\"],\"each\":[\"events/[]\"],"
    "\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\"},\"constants\":{\"operation\":"
    "\"chat\"},"
    "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"}}";

#define TOY(id) "{\"id\":\"" id "\",\"tenant\":\"acme\",\"time\":\"" AT "\",\"model\":\"m\",\"in\":7,\"out\":5}"

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

/* A message of offset 7; `value` NULL is a tombstone. */
static struct profile_events
events_of(
    const struct profile *profile, struct arena *arena, const struct said *said, const char *value, struct kept_message *kept)
{
	struct message_header headers[SAID_MAX];
	struct message message = {.offset = 7, .has_value = value != NULL};
	struct event_rules rules = test_rules();
	struct profile_events events;

	if (value != NULL)
		message.value = bytes_of(value);
	message.envelope = (struct envelope){.headers = headers, .header_count = set_headers(headers, said)};
	message_events(profile, &rules, &message, arena, kept, &events);
	return events;
}

static void
a_message_of_a_format_may_be_several_events(void)
{
	static const struct said traced[SAID_MAX] = {{"traceparent", "00-1"}};
	static const char value[] = "{\"events\":[" TOY("a") "," TOY("b") "]}";
	struct profile *profile = toy();
	struct arena arena = {0};
	struct kept_message kept;
	struct profile_events events = events_of(profile, &arena, traced, value, &kept), again;
	const char *format = arena_format(&arena, "kafka%s lkc-1/usage/3 00ff", profile_format(profile, &arena));
	struct event_rules rules = test_rules();
	struct error err;

	CU_ASSERT_EQUAL_FATAL(events.count, 2);
	EXPECT_TEXT(text_of(&arena, kept.value), value);
	for (size_t i = 0; i < events.count; i++) {
		const struct record *record = &events.records[i];

		EXPECT_REASON(*record, REASON_NONE, value);
		EXPECT_TEXT(text_of(&arena, record->event.id), i == 0 ? "a" : "b");
		CU_ASSERT_EQUAL(record->number, 7);
		CU_ASSERT(record->envelope == kept.envelope && record->envelope->header_count == 1);
		CU_ASSERT_FATAL(record_parse(format, &rules, record->raw, record->envelope, 7, &arena, &again, &err));
		CU_ASSERT_EQUAL(again.count, 1);
		expect_same_event(again.records, record);
		CU_ASSERT_EQUAL(again.records->number, 7);
	}
	CU_ASSERT(!record_parse(
	    "kafka profile=9:{} lkc-1/usage/3 00ff", &rules, bytes_of(value), kept.envelope, 7, &arena, &again, &err));
	profile_free(profile);
	arena_release(&arena);
}

static void
by_a_format_headers_and_sizes_are_checked_as_ever(void)
{
	static const struct said nothing[SAID_MAX] = {{NULL, NULL}}, twice[SAID_MAX] = {{"ce_id", "a"}, {"ce_id", "b"}};
	static const struct said batch[SAID_MAX] = {{"content-type", "application/cloudevents-batch+json"}},
				 structured[SAID_MAX] = {STRUCTURED};
	struct profile *profile = toy();
	struct arena arena = {0};
	struct kept_message kept;
	struct profile_events events;
	char *value = memory_new(PROFILE_RECORD_BYTES + 2, 1);

	events = events_of(profile, &arena, nothing, NULL, &kept);
	EXPECT_REASON(events.records[0], N_TOMBSTONE, "no value");
	events = events_of(profile, &arena, nothing, " ", &kept);
	EXPECT_REASON(events.records[0], E_JSON, "a blank value");
	events = events_of(profile, &arena, twice, TOY("a"), &kept);
	EXPECT_REASON(events.records[0], E_HEADER_REPEATED, "a header twice");
	events = events_of(profile, &arena, batch, "[]", &kept);
	EXPECT_REASON(events.records[0], E_VALUE, "a batch");
	EXPECT_TEXT(events.records[0].field, "content-type");
	/* An event of ours among those of the format. */
	events = events_of(profile, &arena, structured, GOOD_EVENT, &kept);
	EXPECT_REASON(events.records[0], REASON_NONE, GOOD_EVENT);
	memset(value, ' ', PROFILE_RECORD_BYTES + 1);
	memcpy(value, TOY("a"), strlen(TOY("a")));
	events = events_of(profile, &arena, nothing, value, &kept);
	EXPECT_REASON(events.records[0], E_LINE_TOO_LONG, "a value that is too long");
	CU_ASSERT_EQUAL(events.records[0].raw_length, PROFILE_RECORD_BYTES + 1);
	value[PROFILE_RECORD_BYTES] = '\0';
	events = events_of(profile, &arena, nothing, value, &kept);
	EXPECT_REASON(events.records[0], REASON_NONE, "a value of a MiB");
	free(value);
	profile_free(profile);
	arena_release(&arena);
}

/* Where there are attributes, id, source, tenant and time are theirs. */
static void
in_binary_mode_the_value_is_a_payload_and_the_headers_are_around_it(void)
{
	static const struct said said[SAID_MAX] = {{"ce_specversion", "1.0"}, {"ce_type", "gateway.answer"}, {"ce_source", "/gw"},
	    {"ce_id", "e-1"}, {"ce_time", AT}, {"ce_subject", "acme"}, {"content-type", "application/json"}};
	struct profile *profile = toy();
	struct arena arena = {0};
	struct kept_message kept;
	struct profile_events events =
	    events_of(profile, &arena, said, "{\"id\":\"x\",\"model\":\"m\",\"in\":7,\"out\":5}", &kept);

	EXPECT_REASON(events.records[0], REASON_NONE, "a payload");
	EXPECT_TEXT(text_of(&arena, events.records[0].event.id), "e-1");
	EXPECT_TEXT(text_of(&arena, events.records[0].event.source), "/gw");
	EXPECT_TEXT(text_of(&arena, events.records[0].event.series[SERIES_TENANT]), "acme");
	/* One of ours is as it is without a format. */
	events = events_of(profile, &arena, binary, DATA, &kept);
	EXPECT_REASON(events.records[0], REASON_NONE, DATA);
	CU_ASSERT_EQUAL(quantity_of(&events.records[0].event, METER_input_text_uncached_tokens), 10);
	profile_free(profile);
	arena_release(&arena);
}

/* --- the sample of the project's shared material ------------------------------------------------ */

static const char *
text_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text == NULL ? "" : text;
}

static void
expect_event(struct arena *arena, const json_t *wanted, const struct usage_event *got)
{
	const json_t *data = json_object_get(wanted, "data"), *quantities = json_object_get(data, "quantities");
	char time[INSTANT_TEXT];
	const char *name;
	json_t *value;

	EXPECT_TEXT(text_of(arena, got->source), text_at(wanted, "source"));
	EXPECT_TEXT(text_of(arena, got->id), text_at(wanted, "id"));
	EXPECT_TEXT(instant_format(got->time, time), text_at(wanted, "time"));
	EXPECT_TEXT(text_of(arena, got->series[SERIES_TENANT]), text_at(wanted, "subject"));
	EXPECT_TEXT(text_of(arena, got->series[SERIES_MODEL]), text_at(data, "model"));
	EXPECT_TEXT(text_of(arena, got->series[SERIES_SERVICE_TIER]), text_at(data, "service_tier"));
	CU_ASSERT_EQUAL(got->context_input_tokens, json_integer_value(json_object_get(data, "context_input_tokens")));
	CU_ASSERT_EQUAL(got->quantity_count, json_object_size(quantities));
	json_object_foreach((json_t *)(uintptr_t)quantities, name, value)
	{
		const struct meter *meter = meter_find(name, strlen(name));

		CU_ASSERT_PTR_NOT_NULL_FATAL(meter);
		CU_ASSERT_EQUAL(quantity_of(got, meter->id), json_integer_value(value));
	}
}

static struct record
parse_line(struct arena *arena, const struct event_rules *rules, const json_t *line)
{
	const json_t *given = json_object_get(line, "headers"), *value = json_object_get(line, "value");
	size_t count = json_array_size(given);
	struct message_header *headers = arena_take(arena, (count + 1) * sizeof *headers);
	struct message message = {.has_value = !json_is_null(value)};
	struct record record;
	char *text;

	for (size_t i = 0; i < count; i++) {
		const json_t *header = json_array_get(given, i);

		headers[i] = (struct message_header){bytes_of(json_string_value(json_array_get(header, 0))),
		    bytes_of(json_string_value(json_array_get(header, 1))), true};
	}
	if (message.has_value) {
		text = json_dumps(value, JSON_COMPACT);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		message.value = bytes_of(arena_copy(arena, text, strlen(text)));
		free(text);
	}
	message.offset = json_integer_value(json_object_get(line, "offset"));
	message.envelope = (struct envelope){bytes_of(text_at(line, "key")), true, headers, count};
	message_parse(rules, &message, arena, &record);
	return record;
}

static void
expect_lines(struct arena *arena, FILE *file, const json_t *expected)
{
	const json_t *results = json_object_get(expected, "results");
	struct event_rules rules = test_rules();
	char line[8192];
	struct error err;
	size_t count = 0;

	CU_ASSERT_FATAL(instant_option(text_at(json_object_get(expected, "context"), "now"), &rules.now, &err));
	while (fgets(line, sizeof line, file) != NULL) {
		const json_t *result = json_array_get(results, count++), *event;
		json_t *message = json_loads(line, 0, NULL);
		struct record record;

		CU_ASSERT_PTR_NOT_NULL_FATAL(message);
		record = parse_line(arena, &rules, message);
		/* A duplicate is the ledger's to find. */
		EXPECT_TEXT(reason_code(record.reason), text_at(result, "code"));
		event = json_array_get(json_object_get(result, "events"), 0);
		if (event != NULL)
			expect_event(arena, event, &record.event);
		json_decref(message);
	}
	CU_ASSERT(count > 0 && count == json_array_size(results));
}

static void
the_shared_sample_ends_as_expected(void)
{
	const char *folder = getenv("TOLLBOOK_SHARED") == NULL ? "../shared" : getenv("TOLLBOOK_SHARED");
	struct arena arena = {0};
	const char *path = arena_format(&arena, "%s/samples/cloudevents-kafka.ndjson", folder);
	const char *expected_path = arena_format(&arena, "%s/samples/cloudevents-kafka.expected.json", folder);
	json_t *expected;
	FILE *file = fopen(path, "r");

	if (file == NULL) {
		printf("\nSKIPPED: there is no %s: set TOLLBOOK_SHARED\n", path);
		arena_release(&arena);
		return;
	}
	expected = json_load_file(expected_path, 0, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
	expect_lines(&arena, file, expected);
	fclose(file);
	json_decref(expected);
	arena_release(&arena);
}

UNIT_TESTS("ingest/message", TEST(an_event_is_the_same_in_every_mode), TEST(media_types_are_told_in_any_case_and_with_parameters),
    TEST(a_message_without_a_value_is_a_tombstone_whatever_its_headers), TEST(an_empty_value_is_no_json_and_no_blank_line),
    TEST(a_header_that_counts_may_come_once), TEST(each_fault_of_a_header_has_its_reason_and_place),
    TEST(a_nul_byte_in_a_header_is_refused_as_in_a_body), TEST(each_fault_of_binary_data_has_its_reason_and_place),
    TEST(headers_may_repeat_a_structured_event_and_not_contradict_it), TEST(a_structured_event_speaks_for_itself),
    TEST(a_record_outlives_the_message_and_has_all_of_it), TEST(what_is_too_long_says_what_it_is_and_is_kept_in_part),
    TEST(a_message_that_was_set_aside_can_be_read_again), TEST(a_message_of_a_format_may_be_several_events),
    TEST(by_a_format_headers_and_sizes_are_checked_as_ever),
    TEST(in_binary_mode_the_value_is_a_payload_and_the_headers_are_around_it), TEST(the_shared_sample_ends_as_expected))
