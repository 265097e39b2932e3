/* profile_parse_test.c -- one record to the events that it is: payloads, CloudEvents, streams, lists. */
#include "ingest/profile_parts.h"

#include "tests/unit/ingest/records.h"

/* Records that may stand alone, in a CloudEvent, or in lists. */
static const char description[] =
    "{\"tollbook_format\":1,\"format\":\"test.calls\",\"title\":\"A test\",\"about\":\"A test.\","
    "\"at\":[\"\",\"calls/[]\",\"groups/[]/calls/[]\"],\"each\":[\"[]\",\"calls/[]\",\"groups/[]/calls/[]\"],"
    "\"fields\":{\"id\":\"id\",\"tenant\":[\"tenant\",\"^groups/[]/tenant\"],\"time\":\"at\",\"model\":\"model\"},"
    "\"constants\":{\"operation\":\"chat\",\"source\":\"/test\",\"method\":\"gateway\",\"model\":\"m-1\",\"tenant\":\"acme\","
    "\"time\":\"2026-11-03T10:00:00Z\"},"
    "\"input\":{\"total\":\"in\"},\"output\":{\"total\":{\"path\":\"out\",\"absent\":\"zero\"}},\"stream\":{\"end\":[\"[DONE]\"]}"
    "}";

/* An answer that may be of several passes, and whose streams are captured. */
static const char passes[] =
    "{\"tollbook_format\":1,\"format\":\"test.passes\",\"title\":\"A test\",\"about\":\"A test.\","
    "\"fields\":{\"id\":\"id\",\"model\":\"model\"},"
    "\"constants\":{\"operation\":\"chat\",\"source\":\"/"
    "test\",\"method\":\"gateway\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\"},"
    "\"input\":{\"total\":\"usage/in\"},\"output\":{\"total\":\"usage/out\"},\"stream\":{\"end\":[\"[DONE]\"]},"
    "\"iterations\":{\"path\":\"usage/passes\",\"instead_of\":\"usage\",\"model\":\"model\"}}";

/* What is read, and how. */
struct reading {
	const char *description;
	const struct event_headers *headers;
	const char *position_id;
	const char *text;
};

/* The profile, which the caller frees, must live as long as the records. */
static struct profile *
read_with(const struct reading *reading, struct arena *arena, struct profile_events *out)
{
	struct event_rules rules = test_rules();
	struct profile *profile;
	struct error err;
	struct bytes raw = bytes_of(reading->text);

	if (!profile_from_text(reading->description, &profile, &err)) {
		error_print(stdout, &err);
		must(false);
	}
	rules.position_id = reading->position_id;
	profile_parse(profile, &rules, reading->headers, raw, false, arena, out);
	return profile;
}

/* "e-1 10/5": id, input and output tokens; with "~" behind them where it was cut; or "E_JSON@byte 3". */
static const char *
shown(const struct record *record, struct arena *arena)
{
	const struct usage_event *event = &record->event;
	int64_t out = quantity_of(event, METER_output_text_tokens);

	if (record->reason != REASON_NONE)
		return arena_format(arena, "%s@%s", reason_code(record->reason), record->field);
	return arena_format(arena, "%s %lld/%lld%s", text_of(arena, event->id),
	    (long long)quantity_of(event, METER_input_text_uncached_tokens), out < 0 ? 0LL : (long long)out,
	    (event->flags & F_PARTIAL) != 0 ? "~" : "");
}

static void
expect_reading(const struct reading *reading, const char *wanted)
{
	struct profile_events events;
	struct arena arena = {0};
	struct text text = {0};
	struct profile *profile = read_with(reading, &arena, &events);

	for (size_t i = 0; i < events.count; i++)
		text_add_format(&text, "%s%s", i > 0 ? "; " : "", shown(&events.records[i], &arena));
	EXPECT_TEXT(text_string(&text), wanted);
	profile_free(profile);
	text_release(&text);
	arena_release(&arena);
}

static void
expect(const char *text, const char *wanted)
{
	expect_reading(&(struct reading){.description = description, .text = text}, wanted);
}

static void
expect_passes(const char *text, const char *wanted)
{
	expect_reading(&(struct reading){.description = passes, .text = text}, wanted);
}

#define CALL(id, in, out) "{\"id\":\"" id "\",\"in\":" #in ",\"out\":" #out "}"
#define EVENT(data)                                                                                                              \
	"{\"specversion\":\"1.0\",\"type\":\"com.example.call\",\"source\":\"/gw\",\"id\":\"c-1\",\"subject\":\"acme\","         \
	"\"time\":\"2026-11-03T10:00:00Z\"," data "}"

static void
a_bare_payload_is_one_event(void)
{
	expect(CALL("e-1", 10, 5), "e-1 10/5");
	expect(" \t" CALL("e-1", 10, 5) "\r", "e-1 10/5");
	expect("{\"in\":10}", "E_ID_MISSING@id");
}

static void
a_blank_record_is_ignored(void)
{
	expect("", "N_BLANK@");
	expect(" \t\r", "N_BLANK@");
}

static void
faults_of_the_bytes_are_told_with_their_place(void)
{
	expect("{\"id\":\"e-1\",", "E_JSON@byte 13");
	expect("{\"id\":\"e\xff\"}", "E_UTF8@byte 9");
	expect("{\"id\":\"\\u0000\"}", "E_NUL@byte 14");
	expect("{\"id\":1,\"id\":2}", "E_DUPLICATE_KEY@byte 13");
	expect(CALL("e-1", 10, 5) "x", "E_JSON@byte 29");
	expect(CALL("e-1", 10, 5) "\n" CALL("e-2", 1, 1), "E_JSON@byte 30");
	expect("7", "E_NOT_OBJECT@");
	expect("no", "E_JSON@byte 1");
}

static void
documents_may_be_64_deep_and_no_deeper(void)
{
	char text[512];

	snprintf(text, sizeof text, "{\"id\":\"e-1\",\"in\":1,\"x\":%.*s%.*s}", 63,
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 63,
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	expect(text, "e-1 1/0");
	snprintf(text, sizeof text, "{\"id\":\"e-1\",\"in\":1,\"x\":%.*s%.*s}", 64,
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 64,
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	expect(text, "E_DEPTH@byte 87");
}

static void
a_cloudevent_gives_its_payload_an_identity(void)
{
	expect(EVENT("\"data\":{\"in\":10,\"out\":5}"), "c-1 10/5");
	expect(EVENT("\"data\":" CALL("e-1", 10, 5)), "c-1 10/5");
	expect(EVENT("\"data\":null"), "E_USAGE_MISSING@in");
	expect(EVENT("\"data\":7"), "E_TYPE@data");
	expect("{\"specversion\":\"0.3\",\"type\":\"x\"}", "E_SPECVERSION@specversion");
	expect("{\"specversion\":\"1.0\",\"data\":{}}", "E_NOT_CLOUDEVENT@type");
	expect("{\"specversion\":\"1.0\",\"type\":7,\"data\":{}}", "E_TYPE@type");
}

static void
data_may_be_text_of_json_a_stream_or_base64(void)
{
	expect(EVENT("\"data\":\"{\\\"in\\\":10,\\\"out\\\":5}\""), "c-1 10/5");
	expect(EVENT("\"data\":\"data: {\\\"in\\\":10,\\\"out\\\":5}\\n\\ndata: [DONE]\\n\""), "c-1 10/5");
	expect(EVENT("\"data\":\"data: {\\\"in\\\":10,\\\"out\\\":5}\\n\\n\""), "c-1 10/5~");
	expect(EVENT("\"data\":\"{\\\"in\\\":10,\\\"out\\\":4}\\n{\\\"out\\\":5}\\n[DONE]\""), "c-1 10/5");
	expect(EVENT("\"data_base64\":\"eyJpbiI6MTAsIm91dCI6NX0=\""), "c-1 10/5");
	expect(EVENT("\"data_base64\":\"eyJpbiI6MTAsIm91dCI6NX0\""), "E_VALUE@data_base64");
	expect(EVENT("\"data_base64\":7"), "E_TYPE@data_base64");
	expect(EVENT("\"data\":{},\"data_base64\":\"e30=\""), "E_VALUE@data_base64");
	expect(EVENT("\"data\":\"{\\\"in\\\":\""), "E_JSON@data");
	expect(EVENT("\"data\":\"plain\""), "E_JSON@data");
	expect(EVENT("\"data\":\"\""), "E_USAGE_MISSING@in");
}

static void
our_own_events_are_read_as_such(void)
{
	expect(GOOD_EVENT, "e-1 10/5");
	expect("[" GOOD_EVENT "," CALL("e-2", 7, 1) "]", "e-1 10/5; e-2 7/1");
}

static void
our_own_events_are_read_as_such_by_formats_that_are_envelopes_themselves(void)
{
	static const char envelope[] =
	    "{\"tollbook_format\":1,\"format\":\"test.envelope\",\"title\":\"A test\","
	    "\"capture\":false,\"fields\":{\"id\":\"id\",\"tenant\":\"subject\",\"time\":\"time\","
	    "\"model\":\"data/model\"},\"constants\":{\"operation\":\"chat\",\"source\":\"/test\"},\"input\":{\"total\":\"in\"}}";
	struct reading reading = {.description = envelope, .text = GOOD_EVENT};

	expect_reading(&reading, "e-1 10/5");
	reading.text = "{\"specversion\":\"0.3\",\"type\":\"tollbook.usage.v1\",\"in\":7}";
	expect_reading(&reading, "E_SPECVERSION@specversion");
	reading.text = "{\"specversion\":\"1.0\",\"type\":\"tokens\",\"id\":\"c-1\",\"subject\":\"acme\","
		       "\"time\":\"2026-11-03T10:00:00Z\",\"in\":7,\"data\":{\"model\":\"m-1\"}}";
	expect_reading(&reading, "c-1 7/0");
	reading.text = "{\"type\":\"tollbook.usage.v1\",\"id\":\"c-1\",\"subject\":\"acme\","
		       "\"time\":\"2026-11-03T10:00:00Z\",\"in\":7,\"data\":{\"model\":\"m-1\"}}";
	expect_reading(&reading, "c-1 7/0");
}

static void
a_captured_stream_is_one_event(void)
{
	expect_passes("data: {\"id\":\"e-1\",\"model\":\"m-1\",\"usage\":{\"in\":10,\"out\":5}}\n\ndata: [DONE]\n\n", "e-1 10/5");
	expect_passes("data: {\"id\":\"e-1\",\"model\":\"m-1\",\"usage\":{\"in\":10,\"out\":5}}\n\ndata: {\"id\"", "e-1 10/5~");
	expect_passes("[{\"id\":\"e-1\",\"model\":\"m-1\"},{\"usage\":{\"in\":10,\"out\":5}},\"[DONE]\"]", "e-1 10/5");
	expect_passes(EVENT("\"data\":[{\"id\":\"e-1\",\"model\":\"m-1\"},{\"usage\":{\"in\":10,\"out\":5}}]"), "c-1 10/5~");
	expect_passes(EVENT("\"data\":[7]"), "E_NOT_OBJECT@data: chunk 1");
}

static void
a_list_is_records_of_their_own(void)
{
	expect("[" CALL("e-1", 10, 5) ", " CALL("e-2", 7, 1) "]", "e-1 10/5; e-2 7/1");
	expect(
	    "[" CALL("e-1", 10, 5) ",7,{\"in\":1}," CALL("e-2", 7, 1) "]", "e-1 10/5; E_NOT_OBJECT@; E_ID_MISSING@id; e-2 7/1");
	expect("[" CALL("e-1", 10, 5) ",", "E_JSON@byte 31");
	expect("[]", "N_NOT_USAGE@");
	expect("{\"calls\":[]}", "N_NOT_USAGE@");
	expect("[[]]", "E_NOT_OBJECT@");
}

static void
lists_in_a_document_are_records_of_their_own(void)
{
	expect("{\"calls\":[" CALL("e-1", 10, 5) "," CALL("e-2", 7, 1) "]}", "e-1 10/5; e-2 7/1");
	expect("{\"groups\":[{\"tenant\":\"a\",\"calls\":[" CALL("e-1", 10, 5) "," CALL(
		   "e-2", 7, 1) "]},{\"calls\":[]},{\"calls\":[" CALL("e-3", 2, 2) "]}],\"calls\":[" CALL("e-4", 3, 3) "]}",
	    "e-1 10/5; e-2 7/1; e-3 2/2; e-4 3/3");
	expect("{\"c\\u0061lls\":[" CALL("e-1", 10, 5) "," CALL("e-2", 10, 5) "]}", "e-1 10/5; e-2 10/5");
	expect("{\"groups\":[{\"calls\":[" CALL("e-1", 10, 5) "]}]} x", "E_JSON@byte 55");
	expect(
	    "[{\"calls\":[" CALL("e-1", 10, 5) "," CALL("e-2", 7, 1) "]}," CALL("e-3", 2, 2) "]", "e-1 10/5; e-2 7/1; e-3 2/2");
}

/* Everything that is read of a list is read again from what is kept of each. */
static void
each_record_of_a_list_can_be_read_again_alone(void)
{
	static const char text[] = "{\"v\": 1, \"groups\":[ {\"tenant\":\"a\",\"calls\":[" CALL("e-1", 10, 5) " , " CALL("e-2", 7,
	    1) "]}, {\"tenant\":\"b\",\"calls\":[" CALL("e-3", 2, 2) "],\"more\":[1]}],\"calls\":[" CALL("e-4", 3, 3) "]}";
	struct profile_events events, again;
	struct profile *profile, *other;
	struct arena arena = {0};

	profile = read_with(&(struct reading){.description = description, .text = text}, &arena, &events);
	CU_ASSERT_EQUAL_FATAL(events.count, 4);
	EXPECT_TEXT(text_of(&arena, events.records[1].raw),
	    "{\"v\": 1, \"groups\":[{\"tenant\":\"a\",\"calls\":[" CALL("e-2", 7, 1) "]}],\"calls\":[]}");
	EXPECT_TEXT(text_of(&arena, events.records[2].raw),
	    "{\"v\": 1, \"groups\":[{\"tenant\":\"b\",\"calls\":[" CALL("e-3", 2, 2) "],\"more\":[1]}],\"calls\":[]}");
	for (size_t i = 0; i < events.count; i++) {
		const struct record *record = &events.records[i];

		CU_ASSERT_EQUAL(record->raw_length, record->raw.length);
		other = read_with(
		    &(struct reading){.description = description, .text = text_of(&arena, record->raw)}, &arena, &again);
		CU_ASSERT_EQUAL(again.count, 1);
		EXPECT_TEXT(shown(&again.records[0], &arena), shown(record, &arena));
		CU_ASSERT(memcmp(&again.records[0].event.event_id, &record->event.event_id, sizeof record->event.event_id) == 0);
		profile_free(other);
	}
	profile_free(profile);
	arena_release(&arena);
}

static void
records_of_a_list_without_keys_get_their_places_as_keys(void)
{
	struct reading reading = {.description = description, .position_id = "f:3"};

	reading.text = "{\"in\":1}";
	expect_reading(&reading, "f:3 1/0");
	reading.text = "[{\"in\":1},7,{\"calls\":[{\"in\":2},{\"in\":3}]}]";
	expect_reading(&reading, "f:3 1/0; E_NOT_OBJECT@; f:3/3 2/0; f:3/4 3/0");
	reading.text = "[{\"calls\":[]},{\"in\":2}]";
	expect_reading(&reading, "N_NOT_USAGE@; f:3/2 2/0");
}

static void
a_cloudevent_is_not_several_records(void)
{
	expect(EVENT("\"data\":{\"calls\":[{\"in\":1},{\"in\":1}]}"), "E_VALUE@data");
	expect(EVENT("\"data\":[{\"in\":1},{\"in\":1}]"), "E_VALUE@data");
	expect(EVENT("\"data\":{\"calls\":[{\"in\":1}]}"), "c-1 1/0");
	expect(EVENT("\"data\":[{\"in\":1}]"), "c-1 1/0");
	expect(EVENT("\"data\":[]"), "N_NOT_USAGE@data");
}

/* `count` times `item`, with commas, between the others. */
static const char *
repeated(struct arena *arena, const char *before, const char *item, size_t count, const char *after)
{
	struct text text = {0};
	const char *copy;

	text_add_string(&text, before);
	for (size_t i = 0; i < count; i++)
		text_add_format(&text, "%s%s", i > 0 ? "," : "", item);
	text_add_string(&text, after);
	copy = arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return copy;
}

static void
what_is_too_much_is_refused_as_a_whole(void)
{
	struct profile_events events;
	struct arena arena = {0};
	struct profile *profile;

	profile = read_with(&(struct reading){.description = description, .text = repeated(&arena, "[", "{\"in\":1}", 1000, "]")},
	    &arena, &events);
	CU_ASSERT_EQUAL(events.count, 1000);
	profile_free(profile);
	expect(repeated(&arena, "[", "{\"in\":1}", 1001, "]"), "E_LINE_TOO_LONG@");
	expect(repeated(&arena, "{\"calls\":[", "{\"in\":1}", 1001, "]}"), "E_LINE_TOO_LONG@");
	expect(repeated(&arena, "[", "{\"calls\":[{\"in\":1},{\"in\":1}]}", 501, "]"), "E_LINE_TOO_LONG@");
	/* 17000 bytes beside two items, and 4000 beside each of 900. */
	expect(repeated(&arena, "{\"x\":[", "11111111", 1889, "],\"calls\":[{\"in\":1},{\"in\":2}]}"), "E_LINE_TOO_LONG@");
	expect(repeated(&arena, repeated(&arena, "{\"x\":[", "11111111", 450, "],\"calls\":["), "{\"in\":1}", 900, "]}"),
	    "E_LINE_TOO_LONG@");
	arena_release(&arena);
}

#define PASSES(list) "{\"id\":\"e-1\",\"model\":\"m-1\",\"usage\":{\"in\":3,\"out\":3,\"passes\":" list "}}"

static void
passes_of_an_answer_are_events_of_their_own(void)
{
	expect_passes(PASSES("[{\"in\":10,\"out\":5},{\"in\":7,\"out\":1,\"model\":\"m-2\"}]"), "e-1/it0 10/5; e-1/it1 7/1");
	expect_passes(PASSES("[]"), "e-1 3/3");
	expect_passes(PASSES("null"), "e-1 3/3");
	expect_passes(PASSES("{}"), "E_TYPE@usage/passes");
}

static void
of_passes_all_are_taken_or_none(void)
{
	expect_passes(PASSES("[{\"in\":10,\"out\":5},{\"in\":-7,\"out\":1}]"), "E_NEGATIVE@usage/in");
	expect_passes(PASSES("[{\"in\":10,\"out\":5},7]"), "E_TYPE@usage/passes");
}

static void
passes_that_would_fill_the_quarantine_with_copies_are_refused(void)
{
	struct arena arena = {0};
	const char *long_answer =
	    repeated(&arena, "{\"id\":\"e-1\",\"model\":\"m\",\"pad\":[", "11111111", 11700, "],\"usage\":{\"passes\":[");

	/* 105 kilobytes 400 times. */
	expect_passes(repeated(&arena, long_answer, "{\"in\":1,\"out\":1}", 400, "]}}"), "E_LINE_TOO_LONG@");
	arena_release(&arena);
}

static struct event_headers
headers_of(const char *type)
{
	struct event_headers headers = {.stated = (1U << EVENT_HEADERS) - 1, .data_is_json = true};

	headers.text[HEADER_SPECVERSION] = bytes_of("1.0");
	headers.text[HEADER_TYPE] = bytes_of(type);
	headers.text[HEADER_ID] = bytes_of("h-1");
	headers.text[HEADER_SOURCE] = bytes_of("/gw");
	headers.text[HEADER_SUBJECT] = bytes_of("acme");
	headers.text[HEADER_TIME] = bytes_of("2026-11-03T10:00:00Z");
	return headers;
}

static void
headers_of_a_message_are_a_cloudevent(void)
{
	struct event_headers headers = headers_of("com.example.call");
	struct reading reading = {.description = description, .headers = &headers};

	reading.text = CALL("e-1", 10, 5);
	expect_reading(&reading, "h-1 10/5");
	reading.text = "data: {\"in\":10,\"out\":5}\n\ndata: [DONE]\n\n";
	expect_reading(&reading, "h-1 10/5");
	reading.text = "";
	expect_reading(&reading, "E_USAGE_MISSING@in");
	reading.text = "{\"in\":";
	expect_reading(&reading, "E_JSON@byte 7");
	reading.text = "[{\"in\":1},{\"in\":1}]";
	expect_reading(&reading, "E_VALUE@data");
	reading.text = "{\"in\":1}";
	headers.text[HEADER_ID] = bytes_of("h\xff");
	expect_reading(&reading, "E_UTF8@ce_id");
	headers = headers_of("");
	expect_reading(&reading, "E_NOT_CLOUDEVENT@ce_type");
	headers.text[HEADER_SPECVERSION] = bytes_of("2");
	expect_reading(&reading, "E_SPECVERSION@ce_specversion");
	headers.stated &= ~(1U << HEADER_SPECVERSION);
	expect_reading(&reading, "E_NOT_CLOUDEVENT@ce_specversion");
}

static void
headers_of_our_own_type_are_our_own_event(void)
{
	struct event_headers headers = headers_of(EVENT_TYPE);

	expect_reading(
	    &(struct reading){.description = description,
		.headers = &headers,
		.text = "{\"operation\":\"chat\",\"model\":\"m-1\",\"quantities\":{\"input_text_uncached_tokens\":10}}"},
	    "h-1 10/0");
}

static void
headers_beside_a_whole_cloudevent_must_agree(void)
{
	struct event_headers headers = headers_of("com.example.call");
	struct reading reading = {.description = description, .headers = &headers, .text = EVENT("\"data\":{\"in\":10}")};

	headers.content_type = bytes_of("application/cloudevents+json");
	expect_reading(&reading, "E_ENVELOPE_CONFLICT@ce_id");
	headers.text[HEADER_ID] = bytes_of("c-1");
	expect_reading(&reading, "c-1 10/0");
	reading.text = CALL("e-1", 10, 5);
	expect_reading(&reading, "E_NOT_CLOUDEVENT@specversion");
}

UNIT_TESTS("ingest/profile_parse", TEST(a_bare_payload_is_one_event), TEST(a_blank_record_is_ignored),
    TEST(faults_of_the_bytes_are_told_with_their_place), TEST(documents_may_be_64_deep_and_no_deeper),
    TEST(a_cloudevent_gives_its_payload_an_identity), TEST(data_may_be_text_of_json_a_stream_or_base64),
    TEST(our_own_events_are_read_as_such), TEST(our_own_events_are_read_as_such_by_formats_that_are_envelopes_themselves),
    TEST(a_captured_stream_is_one_event), TEST(a_list_is_records_of_their_own),
    TEST(lists_in_a_document_are_records_of_their_own), TEST(each_record_of_a_list_can_be_read_again_alone),
    TEST(records_of_a_list_without_keys_get_their_places_as_keys), TEST(a_cloudevent_is_not_several_records),
    TEST(what_is_too_much_is_refused_as_a_whole), TEST(passes_of_an_answer_are_events_of_their_own),
    TEST(of_passes_all_are_taken_or_none), TEST(passes_that_would_fill_the_quarantine_with_copies_are_refused),
    TEST(headers_of_a_message_are_a_cloudevent), TEST(headers_of_our_own_type_are_our_own_event),
    TEST(headers_beside_a_whole_cloudevent_must_agree))
