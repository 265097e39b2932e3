/* profile_stream_test.c -- a captured stream to what it says in the end. */
#include "ingest/profile_parts.h"

#include "tests/unit/ingest/records.h"

#define DESCRIPTION(stream)                                                                                                      \
	"{\"tollbook_format\":1,\"format\":\"test.chat\",\"title\":\"A test\",\"about\":\"A test.\","                            \
	"\"at\":[\"\",\"message\"],\"fields\":{\"model\":\"model\",\"response_id\":\"id\"},"                                     \
	"\"constants\":{\"operation\":\"chat\"},\"input\":{\"total\":\"usage/in\",\"inside\":{\"cache_read\":\"usage/"           \
	"cached\"}},"                                                                                                            \
	"\"output\":{\"total\":\"usage/out\"},\"counts\":{\"images\":{\"count\":\"pictures/[]\"}},\"stream\":" stream "}"

static const char usual[] = DESCRIPTION("{\"end\":[\"[DONE]\",{\"type\":\"stop\"}]}");

static const char *
value_at(const struct profile *profile, const struct values *values, const char *path, struct arena *arena)
{
	for (size_t i = 0; i < profile->slot_count; i++) {
		if (strcmp(profile->slots[i].path, path) != 0 || !value_is_set(values, (short)i))
			continue;
		if (profile->slots[i].kind == SLOT_COUNT)
			return arena_format(arena, "%lld", (long long)values->count[i]);
		if ((values->conflict[i / 64] >> (i % 64) & 1) != 0)
			return "conflict";
		if (profile->slots[i].kind == SLOT_VALUE)
			return text_of(arena, values->value[i].text);
	}
	return "-";
}

/* "in 10 cached - out 5 whole", or the fault: "E_JSON chunk 2, byte 7". */
static const char *
told_by(const char *description, const char *text, struct arena *arena)
{
	struct profile *profile;
	enum closing closing;
	enum reason reason;
	struct values values;
	struct bytes value;
	struct error err;
	const char *field, *told;

	if (!profile_from_text(description, &profile, &err)) {
		error_print(stdout, &err);
		return "no profile";
	}
	if (!profile_stream(profile, bytes_of(text), arena, &values, &closing, &reason, &field, &value))
		told = arena_format(arena, "%s %s", reason_code(reason), field);
	else
		told = arena_format(arena, "in %s cached %s out %s %s", value_at(profile, &values, "usage/in", arena),
		    value_at(profile, &values, "usage/cached", arena), value_at(profile, &values, "usage/out", arena),
		    closing == CLOSING_WHOLE ? "whole" : "cut");
	profile_free(profile);
	return told;
}

static void
expect_of(const char *description, const char *text, const char *wanted)
{
	struct arena arena = {0};

	EXPECT_TEXT(told_by(description, text, &arena), wanted);
	arena_release(&arena);
}

static void
expect(const char *text, const char *wanted)
{
	expect_of(usual, text, wanted);
}

#define USAGE(in, out) "{\"usage\":{\"in\":" #in ",\"out\":" #out "}}"
#define DATA(json) "data: " json "\n\n"
#define DONE "data: [DONE]\n\n"

static void
the_last_value_that_is_not_null_is_kept(void)
{
	expect(DATA(USAGE(10, 1)) DATA(USAGE(10, 4)) DATA("{\"usage\":{\"in\":null,\"out\":5}}") DATA("{\"usage\":null}") DONE,
	    "in 10 cached - out 5 whole");
}

static void
an_answer_below_message_and_its_deltas_at_the_top_are_one(void)
{
	expect(DATA("{\"type\":\"start\",\"message\":{\"id\":\"m1\",\"usage\":{\"in\":25,\"cached\":20,\"out\":1}}}")
		   DATA("{\"type\":\"delta\",\"usage\":{\"out\":40}}")
		       DATA("{\"type\":\"delta\",\"usage\":{\"in\":25,\"out\":112}}") DATA("{\"type\":\"stop\"}"),
	    "in 25 cached 20 out 112 whole");
}

static void
lines_end_with_lf_cr_or_both(void)
{
	expect("data: " USAGE(10, 5) "\r\rdata: [DONE]\r\r", "in 10 cached - out 5 whole");
	expect("data: " USAGE(10, 5) "\r\n\r\ndata: [DONE]\r\n\r\n", "in 10 cached - out 5 whole");
	expect("data:" USAGE(10, 5) "\n\ndata:[DONE]\n\n", "in 10 cached - out 5 whole");
}

static void
data_lines_of_one_event_are_one_text(void)
{
	expect("data: {\"usage\":\ndata: {\"in\":10,\ndata:\"out\":5}}\n\n" DONE, "in 10 cached - out 5 whole");
	expect("data: {\"usage\":{\"in\":1\ndata: 0,\"out\":5}}\n\n" DONE, "E_JSON chunk 1, byte 18");
}

static void
comments_and_other_fields_are_passed_over(void)
{
	expect(": hello\nevent: answer\nid: 7\nretry: 1000\nother: x\nretry\ndata: " USAGE(
		   10, 5) "\n\n: ping\n\nevent: ping\n\ndata\n\n" DONE,
	    "in 10 cached - out 5 whole");
}

static void
a_byte_order_mark_is_passed_over(void)
{
	expect("\xef\xbb\xbf" DATA(USAGE(10, 5)) DONE, "in 10 cached - out 5 whole");
}

static void
an_event_without_the_empty_line_behind_it_is_read(void)
{
	expect(DATA(USAGE(10, 4)) "data: " USAGE(10, 5), "in 10 cached - out 5 cut");
	expect(DATA(USAGE(10, 5)) "data: [DONE]", "in 10 cached - out 5 whole");
}

static void
chunks_may_be_lines_of_json_or_a_list(void)
{
	expect(USAGE(10, 4) "\n\n" USAGE(10, 5) "\n{\"type\":\"stop\"}", "in 10 cached - out 5 whole");
	expect(" [" USAGE(10, 4) ", " USAGE(10, 5) ",{\"type\":\"stop\"}]", "in 10 cached - out 5 whole");
	expect("[" USAGE(10, 5) ",\"[DONE]\"]", "in 10 cached - out 5 whole");
	expect("[]", "in - cached - out - cut");
}

static void
a_stream_without_its_end_was_cut(void)
{
	expect(DATA(USAGE(10, 5)), "in 10 cached - out 5 cut");
	expect("", "in - cached - out - cut");
	expect(": only a comment\n", "in - cached - out - cut");
	expect_of(DESCRIPTION("{\"falls\":true}"), DATA(USAGE(10, 5)), "in 10 cached - out 5 whole");
}

static void
a_last_chunk_that_breaks_off_is_a_cut_and_not_read(void)
{
	expect(DATA(USAGE(10, 4)) "data: {\"usage\":{\"in\":10,\"out\":5", "in 10 cached - out 4 cut");
	expect(DATA(USAGE(10, 4)) "data: {\"usage\":{\"in\":10,\"out\":5}", "in 10 cached - out 4 cut");
	expect(DATA(USAGE(10, 4)) "data: {\"t\":\"\xe2\x82", "in 10 cached - out 4 cut");
	expect("[" USAGE(10, 4) ",{\"usage\":{\"out\":5}", "in 10 cached - out 4 cut");
	expect("[" USAGE(10, 4) ",", "in 10 cached - out 4 cut");
	expect(USAGE(10, 4) "\n{\"usage\":{\"out\":5", "in 10 cached - out 4 cut");
}

static void
broken_bytes_anywhere_else_are_a_fault_with_their_place(void)
{
	expect(DATA("{\"usage\":{\"in\":1") DATA(USAGE(10, 5)), "E_JSON chunk 1, byte 17");
	expect(DATA(USAGE(10, 5)) DONE "data: {\"a", "E_JSON chunk 3, byte 4");
	expect(DATA(USAGE(10, 5)) DATA("{\"a\":1,\"a\":2}") DONE, "E_DUPLICATE_KEY chunk 2, byte 11");
	expect(DATA("{\"a\":\"\\u0000\"}") DONE, "E_NUL chunk 1, byte 13");
	expect(DATA("{\"a\":\"\\ud800\"}") DONE, "E_UTF8 chunk 1, byte 13");
	expect(DATA("7") DONE, "E_NOT_OBJECT chunk 1");
	expect("[" USAGE(10, 5) ",7]", "E_NOT_OBJECT chunk 2");
	expect("[" USAGE(10, 5) "]]", "E_JSON chunk 1, byte 30");
}

static void
a_count_that_falls_is_a_conflict(void)
{
	expect(DATA(USAGE(10, 9)) DATA(USAGE(10, 5)) DONE, "in 10 cached - out conflict whole");
	expect(DATA(USAGE(10, 90)) DATA(USAGE(10, 1e1)) DONE, "in 10 cached - out conflict whole");
	expect(DATA(USAGE(10, 5)) DATA(USAGE(10, 5.0)) DONE, "in 10 cached - out 5.0 whole");
}

static void
a_count_may_fall_where_the_format_says_so(void)
{
	expect_of(DESCRIPTION("{\"end\":[\"[DONE]\"],\"falls\":true}"), DATA(USAGE(30, 9)) DATA(USAGE(10, 0)) DONE,
	    "in 10 cached - out 0 whole");
}

#define ZEROS "0000000000000000000000000000000000"
#define LONG_TWO "2." ZEROS ZEROS

static void
a_number_of_more_than_64_bytes_is_compared_by_its_text(void)
{
	expect(DATA("{\"usage\":{\"in\":10,\"out\":" LONG_TWO "}}") DATA("{\"usage\":{\"in\":10,\"out\":" LONG_TWO "}}") DONE,
	    "in 10 cached - out " LONG_TWO " whole");
	expect(DATA("{\"usage\":{\"in\":10,\"out\":" LONG_TWO "}}") DATA(USAGE(10, 5)) DONE, "in 10 cached - out conflict whole");
	expect(DATA(USAGE(10, 1)) DATA("{\"usage\":{\"in\":10,\"out\":" LONG_TWO "}}") DONE, "in 10 cached - out conflict whole");
	expect(DATA("{\"usage\":{\"in\":10,\"out\":" LONG_TWO "}}") DATA(USAGE(10, 0)) DONE, "in 10 cached - out conflict whole");
}

static void
a_zero_is_replaced_and_replaces_nothing(void)
{
	expect(DATA(USAGE(10, 0)) DATA(USAGE(10, 5)) DONE, "in 10 cached - out 5 whole");
	expect(DATA(USAGE(10, 5)) DATA(USAGE(0, 7)) DONE, "in 10 cached - out 7 whole");
	expect(DATA(USAGE(0, 0)) DONE, "in 0 cached - out 0 whole");
}

#define OF_CHOICE(choice, in, out) "{\"choice\":" #choice ",\"usage\":{\"in\":" #in ",\"out\":" #out "}}"

static void
counts_of_several_choices_are_those_of_the_chunk_without_one(void)
{
	static const char apart[] = DESCRIPTION("{\"end\":[\"[DONE]\"],\"choice\":\"choice\"}");

	expect_of(
	    apart, DATA(OF_CHOICE(0, 10, 5)) DATA(OF_CHOICE(1, 10, 4)) DATA(USAGE(10, 9)) DONE, "in 10 cached - out 9 whole");
	/* Neither the larger one nor an equal one is what both have. */
	expect_of(apart, DATA(OF_CHOICE(0, 10, 5)) DATA(OF_CHOICE(1, 10, 6)), "in 10 cached - out conflict cut");
	expect_of(apart, DATA(OF_CHOICE(0, 10, 5)) DATA(OF_CHOICE(1, 10, 5)) DONE, "in 10 cached - out conflict whole");
	/* One choice alone is counted as ever. */
	expect_of(apart, DATA(OF_CHOICE(1, 10, 5)) DATA(OF_CHOICE(1, 10, 7)), "in 10 cached - out 7 cut");
	expect_of(apart, DATA(OF_CHOICE(1, 10, 5)) DATA(OF_CHOICE(1, 10, 3)) DONE, "in 10 cached - out conflict whole");
	/* What all have is not less than what one has. */
	expect_of(apart, DATA(OF_CHOICE(0, 10, 5)) DATA(OF_CHOICE(1, 10, 4)) DATA(USAGE(10, 3)) DONE,
	    "in 10 cached - out conflict whole");
}

static void
nothing_is_counted_behind_the_end(void)
{
	expect(DATA(USAGE(10, 5)) DONE DATA("{\"id\":\"\"}") DONE, "in 10 cached - out 5 whole");
	expect(DATA(USAGE(10, 5)) DONE DATA(USAGE(10, 5)), "E_DETAIL_CONFLICT chunk 3");
	expect(DATA(USAGE(10, 5)) DONE DATA(USAGE(20, 90)) DONE, "E_DETAIL_CONFLICT chunk 3");
}

static void
two_answers_are_no_stream(void)
{
	expect(DATA("{\"id\":\"a1\",\"usage\":{\"in\":1}}") DATA("{\"id\":\"a2\",\"usage\":{\"in\":2}}") DONE,
	    "E_DETAIL_CONFLICT id");
	expect(DATA("{\"id\":\"\",\"usage\":{\"in\":1}}") DATA("{\"id\":\"a1\"}")
		   DATA("{\"id\":\"\",\"usage\":{\"in\":2,\"out\":1}}") DONE,
	    "in 2 cached - out 1 whole");
}

static void
of_things_counted_the_most_that_a_chunk_has_is_kept(void)
{
	struct arena arena = {0};
	struct profile *profile;
	enum closing closing;
	enum reason reason;
	struct values values;
	struct bytes value;
	struct error err;
	const char *field;

	must(profile_from_text(usual, &profile, &err));
	must(profile_stream(profile,
	    bytes_of(DATA("{\"pictures\":[1]}") DATA("{\"pictures\":[1,2,3]}") DATA("{\"pictures\":[1,2]}")), &arena, &values,
	    &closing, &reason, &field, &value));
	EXPECT_TEXT(value_at(profile, &values, "pictures/[]", &arena), "3");
	profile_free(profile);
	arena_release(&arena);
}

static void
a_stream_is_known_by_its_first_line(void)
{
	static const char *const streams[] = {
	    "data: x", "data", "data:{}", "\xef\xbb\xbf: x", "\n \r\nevent: a\n", ": c", "id:", "retry: 1"};
	static const char *const others[] = {
	    "", " \n", "{\"data\": 1}", "[1]", "dat: x", "database: x", "null", "x\ndata: {}", " data: x"};

	for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
		CU_ASSERT(stream_is_sse(bytes_of(streams[i])));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		CU_ASSERT(!stream_is_sse(bytes_of(others[i])));
}

UNIT_TESTS("ingest/profile_stream", TEST(the_last_value_that_is_not_null_is_kept),
    TEST(an_answer_below_message_and_its_deltas_at_the_top_are_one), TEST(lines_end_with_lf_cr_or_both),
    TEST(data_lines_of_one_event_are_one_text), TEST(comments_and_other_fields_are_passed_over),
    TEST(a_byte_order_mark_is_passed_over), TEST(an_event_without_the_empty_line_behind_it_is_read),
    TEST(chunks_may_be_lines_of_json_or_a_list), TEST(a_stream_without_its_end_was_cut),
    TEST(a_last_chunk_that_breaks_off_is_a_cut_and_not_read), TEST(broken_bytes_anywhere_else_are_a_fault_with_their_place),
    TEST(a_count_that_falls_is_a_conflict), TEST(a_count_may_fall_where_the_format_says_so),
    TEST(a_number_of_more_than_64_bytes_is_compared_by_its_text), TEST(a_zero_is_replaced_and_replaces_nothing),
    TEST(counts_of_several_choices_are_those_of_the_chunk_without_one), TEST(nothing_is_counted_behind_the_end),
    TEST(two_answers_are_no_stream), TEST(of_things_counted_the_most_that_a_chunk_has_is_kept),
    TEST(a_stream_is_known_by_its_first_line))
