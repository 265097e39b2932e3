/* format_event_test.c -- a record back to the canonical event: read again, it is the same event. */
#include "ingest/format_event.h"
#include "ingest/format_marks.h"

#include "tests/support/unit.h"

#define DATA                                                                                                                     \
	"\"kind\":\"%s\",%s\"operation\":\"chat\",\"provider\":\"openai\",\"model\":\"m \\\"1\\\"\",\"base_model\":\"m\","       \
	"\"adapter\":{\"kind\":\"lora\",\"id\":\"blue\"},\"engine\":{\"name\":\"vllm\",\"version\":\"1\"},\"deployment\":\"d\"," \
	"\"region\":\"eu\",\"service_tier\":\"flex\",\"speed\":\"fast\",\"status\":\"aborted\",\"served_from\":\"model\","       \
	"\"measurement\":{\"method\":\"engine\",\"complete\":false,\"unknown\":[\"cache_read\",\"reasoning\"]},"                 \
	"\"context_input_tokens\":10,\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":7,"                           \
	"\"input_text_cache_read_tokens\":3,\"output_text_tokens\":2,\"gpu_seconds\":\"1.25\"},"                                 \
	"\"reported\":{\"input_tokens\":10,\"output_tokens\":2,\"total_tokens\":12},"                                            \
	"\"attribution\":{\"api_key_id\":\"k\",\"project_id\":\"p\",\"user_id\":\"u\"},"                                         \
	"\"trace\":{\"request_id\":\"r\",\"attempt\":2}"

static struct arena arena;

static struct record
read_event(const char *text)
{
	const struct event_rules rules = event_rules_default((struct instant){INT64_C(1793880000000000)});
	struct record record = {.raw = bytes_of(text)};

	event_parse(&rules, text, strlen(text), &arena, &record);
	return record;
}

static const char *
canonical(const char *kind, const char *ref)
{
	return arena_format(&arena,
	    "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/"
	    "gw\",\"id\":\"e-1\",\"time\":\"2026-11-03T10:00:00.500000Z\","
	    "\"subject\":\"acme\",\"data\":{" DATA "}}",
	    kind, ref);
}

/* What a profile explains beside what a record has. */
static struct profile_explanation
explanation(void)
{
	struct profile_explanation all = {0};

	profile_explain(&all, &arena, "unknown", bytes_of("cache_read,reasoning"), "");
	profile_explain(&all, &arena, "reported.input_tokens", bytes_of("10"), "usage/prompt_tokens");
	profile_explain(&all, &arena, "reported.output_tokens", bytes_of("2"), "usage/completion_tokens");
	profile_explain(&all, &arena, "reported.total_tokens", bytes_of("12"), "usage/total_tokens");
	return all;
}

static const char *
written(const struct record *record)
{
	const struct profile_explanation all = explanation();
	struct text out = {0};
	const char *copy;

	format_event(record, &all, &arena, &out);
	copy = arena_copy(&arena, out.bytes, out.length);
	text_release(&out);
	return copy;
}

static void
expect_same(const struct record *one, const struct record *other)
{
	CU_ASSERT_EQUAL(one->reason, REASON_NONE);
	CU_ASSERT_EQUAL(other->reason, REASON_NONE);
	CU_ASSERT_EQUAL(memcmp(&one->event.event_id, &other->event.event_id, sizeof one->event.event_id), 0);
	CU_ASSERT_EQUAL(memcmp(&one->event.content, &other->event.content, sizeof one->event.content), 0);
	CU_ASSERT_EQUAL(one->event.time.us, other->event.time.us);
	CU_ASSERT_EQUAL(one->event.flags, other->event.flags);
	CU_ASSERT_EQUAL(one->event.context.length, other->event.context.length);
	CU_ASSERT_EQUAL(memcmp(one->event.context.at, other->event.context.at, one->event.context.length), 0);
	for (int i = 0; i < SERIES_FIELDS; i++)
		CU_ASSERT_EQUAL(one->event.series[i].length, other->event.series[i].length);
}

static void
an_event_that_is_written_is_read_as_the_same_one(void)
{
	struct record first = read_event(canonical("usage", "")), second = read_event(written(&first));

	expect_same(&first, &second);
	EXPECT_TEXT(written(&second), written(&first));
	arena_release(&arena);
}

static void
it_is_written_as_people_write_it(void)
{
	struct record record = read_event(canonical("usage", ""));

	EXPECT_TEXT(written(&record), canonical("usage", ""));
	arena_release(&arena);
}

static void
a_correction_keeps_what_it_corrects(void)
{
	struct record first = read_event(canonical("correction", "\"ref\":{\"source\":\"/gw\",\"id\":\"e-0\"},"));
	struct record second = read_event(written(&first));

	expect_same(&first, &second);
	CU_ASSERT_EQUAL(second.event.kind, EVENT_CORRECTION);
	arena_release(&arena);
}

static void
what_is_not_explained_is_copied_to_one_line(void)
{
	struct record record =
	    read_event("{\"idempotency_key\":\"e-1\",\r\n\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\","
		       "\"model\":\"m\",\"input_tokens\":1}");
	struct text out = {0};

	CU_ASSERT_EQUAL(record.reason, REASON_NONE);
	format_event(&record, NULL, &arena, &out);
	CU_ASSERT_PTR_NULL(strpbrk(text_string(&out), "\r\n"));
	CU_ASSERT_EQUAL(out.length, record.raw.length);
	text_release(&out);
	arena_release(&arena);
}

static void
totals_that_a_gateways_cache_repeats_are_left_out(void)
{
	struct record record = read_event(canonical("usage", ""));

	record.event.series[SERIES_SERVED_FROM] = bytes_of("gateway_cache");
	CU_ASSERT_PTR_NULL(strstr(written(&record), "reported"));
	arena_release(&arena);
}

static const char *
marks(const char *format, const char *record)
{
	struct text out = {0};
	uint64_t seen = 0;
	const char *copy;

	format_marks_find(format, bytes_of(record), &arena, &seen);
	format_marks_show(format, seen, &out);
	copy = arena_copy(&arena, text_string(&out), out.length);
	text_release(&out);
	return copy;
}

static void
a_mark_is_found_by_the_end_of_its_path_and_its_value(void)
{
	EXPECT_TEXT(marks("groq.chat", "{\"x_groq\":{\"id\":\"r\"},\"object\":\"list\"}"), "x_groq");
	EXPECT_TEXT(marks("openrouter.chat", "{\"data\":{\"usage\":{\"cost\":null}}}"), "usage/cost");
	EXPECT_TEXT(marks("openai.responses", "{\"object\":\"response\"}"), "object = response");
	EXPECT_TEXT(marks("openai.responses", "{\"object\":\"responses\"}"), "");
	EXPECT_TEXT(marks("openrouter.chat", "{\"cost\":1}"), "");
	EXPECT_TEXT(marks("groq.chat", "{\"xx_groq\":1}"), "");
	arena_release(&arena);
}

static void
marks_are_found_in_streams_and_in_streams_that_were_captured(void)
{
	EXPECT_TEXT(marks("groq.chat", "data: {\"a\":1}\n\ndata: {\"x_groq\":{}}\n\ndata: [DONE]\n"), "x_groq");
	EXPECT_TEXT(marks("groq.chat", "{\"specversion\":\"1.0\",\"data\":\"data: {\\\"x_groq\\\":{}}\\n\\n\"}"), "x_groq");
	EXPECT_TEXT(marks("groq.chat", "no JSON at all"), "");
	EXPECT_TEXT(marks("groq.chat", "[[[[[[[[[[[[[[[[[[[[[["), "");
	arena_release(&arena);
}

UNIT_TESTS("ingest/format_event", TEST(an_event_that_is_written_is_read_as_the_same_one), TEST(it_is_written_as_people_write_it),
    TEST(a_correction_keeps_what_it_corrects), TEST(what_is_not_explained_is_copied_to_one_line),
    TEST(totals_that_a_gateways_cache_repeats_are_left_out), TEST(a_mark_is_found_by_the_end_of_its_path_and_its_value),
    TEST(marks_are_found_in_streams_and_in_streams_that_were_captured))
