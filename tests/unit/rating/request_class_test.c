/* request_class_test.c -- rows into classes, without a database. */
#include "rating/request_class.h"

#include <stdlib.h>

#include "tests/support/unit.h"

/* A class as "input uncached output part engine tags". */
static const char *
class_text(const struct request_classes *classes, int32_t id, char out[200])
{
	const struct request_class *class = request_class_of(classes, id);

	snprintf(out, 200, "%d %d %d %d %s %s", (int)class->from[DISTINCT_INPUT], (int)class->from[DISTINCT_UNCACHED_INPUT],
	    (int)class->from[DISTINCT_OUTPUT], (int)class->from[DISTINCT_PART], class->engine, class->tags);
	return out;
}

static void
state(struct usage_row *row, int meter, int64_t quantity)
{
	row->stated |= UINT64_C(1) << meter;
	row->quantity[meter] = quantity;
}

static struct usage_split
split(struct request_classes *classes, const struct distinctions *set, const struct usage_row *row)
{
	struct usage_split out = {0};
	struct error err = {0};

	CU_ASSERT_TRUE_FATAL(request_classes_split(classes, distinctions_at(set, row->time), row, &out, &err));
	return out;
}

static void
expect_whole(struct request_classes *classes, const struct distinctions *set, const struct usage_row *row, const char *wanted)
{
	struct usage_split out = split(classes, set, row);
	char text[200];

	CU_ASSERT_TRUE_FATAL(out.whole);
	EXPECT_TEXT(class_text(classes, out.class_id, text), wanted);
}

/* Shares as "part:meter=quantity ...", with meter numbers. */
static void
expect_shares(struct request_classes *classes, const struct distinctions *set, const struct usage_row *row, const char *wanted)
{
	struct usage_split out = split(classes, set, row);
	struct text text = {0};

	CU_ASSERT_FALSE(out.whole);
	for (size_t i = 0; i < out.count; i++)
		text_add_format(&text, "%s%d:%d=%d", i == 0 ? "" : " ",
		    (int)request_class_of(classes, out.shares[i].class_id)->from[DISTINCT_PART], out.shares[i].meter,
		    (int)out.shares[i].quantity);
	EXPECT_TEXT(text_string(&text), wanted);
	text_release(&text);
	free(out.shares);
}

static struct distinctions
one(enum distinction_kind kind, int64_t boundary, const char *name)
{
	struct distinctions set = {0};

	distinctions_add(&set, kind, boundary, name, (struct instant){0});
	return set;
}

static void
where_nothing_is_told_apart_the_class_is_0(void)
{
	struct request_classes *classes = request_classes_new();
	struct distinctions none = {0};
	struct usage_row row = {.context_input_tokens = 5};

	expect_whole(classes, &none, &row, "-1 -1 -1 -1  {}");
	CU_ASSERT_EQUAL(split(classes, &none, &row).class_id, 0);
	request_classes_free(classes);
}

static void
sizes_count_what_they_say_and_a_reversal_is_as_large_as_its_original(void)
{
	struct request_classes *classes = request_classes_new();
	struct distinctions set = one(DISTINCT_INPUT, 1000, "");
	struct usage_row row = {.context_input_tokens = 1000};

	distinctions_add(&set, DISTINCT_UNCACHED_INPUT, 300, "", (struct instant){0});
	distinctions_add(&set, DISTINCT_OUTPUT, 30, "", (struct instant){0});
	distinctions_settle(&set);
	for (int64_t sign = 1; sign >= -1; sign -= 2) {
		state(&row, METER_requests, sign * 5000);
		state(&row, METER_input_text_cache_read_tokens, sign * 700);
		state(&row, METER_input_text_cache_write_1h_tokens, sign * 100);
		state(&row, METER_input_tool_use_tokens, sign * 200);
		state(&row, METER_output_text_tokens, sign * 20);
		state(&row, METER_output_reasoning_tokens, sign * 9);
		expect_whole(classes, &set, &row, "1000 300 0 -1  {}");
		state(&row, METER_output_reasoning_tokens, sign * 10);
		state(&row, METER_input_tool_use_tokens, sign * 199);
		expect_whole(classes, &set, &row, "1000 0 30 -1  {}");
	}
	row.context_input_tokens = -1;
	expect_whole(classes, &set, &row, "-1 0 30 -1  {}");
	distinctions_release(&set);
	request_classes_free(classes);
}

static void
tokens_lie_cache_reads_first_then_cache_writes_then_the_rest(void)
{
	struct request_classes *classes = request_classes_new();
	struct distinctions set = one(DISTINCT_PART, 10, "");
	struct usage_row row = {.context_input_tokens = -1};

	distinctions_add(&set, DISTINCT_PART, 12, "", (struct instant){0});
	distinctions_settle(&set);
	state(&row, METER_requests, 1);
	state(&row, METER_input_text_uncached_tokens, 3);
	state(&row, METER_input_text_cache_read_tokens, 4);
	state(&row, METER_input_text_cache_write_5m_tokens, 1);
	state(&row, METER_input_image_cache_read_tokens, 2);
	expect_whole(classes, &set, &row, "-1 -1 -1 0  {}");
	state(&row, METER_input_tool_use_tokens, 4);
	state(&row, METER_output_text_tokens, 11);
	/* Places 0-3 text reads, 4-5 image reads, 6 the write, 7-9 uncached, 10-13 tool use. */
	expect_shares(classes, &set, &row, "0:1=1 0:3=4 0:17=2 0:4=1 0:2=3 10:28=2 12:28=2 0:6=10 10:6=1");
	for (int meter = 1; meter < METER_LIMIT; meter++)
		if ((row.stated >> meter & 1) != 0)
			row.quantity[meter] = -row.quantity[meter];
	expect_shares(classes, &set, &row, "0:1=-1 0:3=-4 0:17=-2 0:4=-1 0:2=-3 10:28=-2 12:28=-2 0:6=-10 10:6=-1");
	state(&row, METER_output_reasoning_tokens, 0);
	row.stated = UINT64_C(1) << METER_output_text_tokens | UINT64_C(1) << METER_output_reasoning_tokens;
	expect_shares(classes, &set, &row, "0:7=0 0:6=-10 10:6=-1");
	distinctions_release(&set);
	request_classes_free(classes);
}

static void
one_meter_may_reach_over_all_parts(void)
{
	struct request_classes *classes = request_classes_new();
	struct distinctions set = one(DISTINCT_PART, 1, "");
	struct usage_row row = {.context_input_tokens = -1};

	distinctions_add(&set, DISTINCT_PART, 3, "", (struct instant){0});
	distinctions_settle(&set);
	state(&row, METER_input_text_uncached_tokens, 1);
	expect_whole(classes, &set, &row, "-1 -1 -1 0  {}");
	state(&row, METER_input_text_uncached_tokens, 100);
	expect_shares(classes, &set, &row, "0:2=1 1:2=2 3:2=97");
	distinctions_release(&set);
	request_classes_free(classes);
}

static void
engine_and_tags_are_kept_as_far_as_they_are_told_apart_and_stated(void)
{
	static const char context[] =
	    "{\"attribution\":{\"tags\":{\"team\":\"x\",\"env\":\"a\\\"b\",\"more\":\"y\",\"count\":3}},"
	    "\"engine\":{\"version\":\"1\",\"name\":\"vllm\"},\"trace\":{\"engine\":1}}";
	struct request_classes *classes = request_classes_new();
	struct distinctions engine = one(DISTINCT_ENGINE, 0, ""), tags = one(DISTINCT_TAG, 0, "team");
	struct usage_row row = {.context = {context, sizeof context - 1}};

	distinctions_settle(&engine);
	distinctions_add(&tags, DISTINCT_TAG, 0, "env", (struct instant){0});
	distinctions_add(&tags, DISTINCT_TAG, 0, "count", (struct instant){0});
	distinctions_settle(&tags);
	expect_whole(classes, &engine, &row, "-1 -1 -1 -1 vllm {}");
	expect_whole(classes, &tags, &row, "-1 -1 -1 -1  {\"env\":\"a\\\"b\",\"team\":\"x\"}");
	expect_whole(classes, &engine, &row, "-1 -1 -1 -1 vllm {}");
	row.context = (struct bytes){NULL, 0};
	expect_whole(classes, &engine, &row, "-1 -1 -1 -1  {}");
	CU_ASSERT_EQUAL(split(classes, &tags, &row).class_id, 0);
	distinctions_release(&engine);
	distinctions_release(&tags);
	request_classes_free(classes);
}

static void
of_a_class_only_what_is_told_apart_counts(void)
{
	static const struct request_class class = {{200, 100, -1, 300}, "vllm", "{\"cost\":\"a\",\"env\":\"a\\\"b\"}"};
	struct distinctions some = one(DISTINCT_INPUT, 150, ""), tags = one(DISTINCT_TAG, 0, "team");
	struct request_class within;
	struct arena arena = {0};

	within = request_class_within(&class, NULL, &arena);
	CU_ASSERT_TRUE(within.from[DISTINCT_INPUT] == -1 && within.from[DISTINCT_PART] == -1 && within.engine[0] == '\0');
	EXPECT_TEXT(within.tags, "{}");

	distinctions_add(&some, DISTINCT_INPUT, 250, "", (struct instant){0});
	distinctions_add(&some, DISTINCT_UNCACHED_INPUT, 101, "", (struct instant){0});
	distinctions_add(&some, DISTINCT_OUTPUT, 1, "", (struct instant){0});
	distinctions_settle(&some);
	within = request_class_within(&class, distinctions_at(&some, (struct instant){0}), &arena);
	CU_ASSERT_EQUAL(within.from[DISTINCT_INPUT], 150);
	CU_ASSERT_EQUAL(within.from[DISTINCT_UNCACHED_INPUT], 0);
	CU_ASSERT_EQUAL(within.from[DISTINCT_OUTPUT], -1);
	CU_ASSERT_EQUAL(within.from[DISTINCT_PART], -1);
	EXPECT_TEXT(within.engine, "");
	EXPECT_TEXT(within.tags, "{}");

	distinctions_add(&tags, DISTINCT_TAG, 0, "env", (struct instant){0});
	distinctions_add(&tags, DISTINCT_ENGINE, 0, "", (struct instant){0});
	distinctions_settle(&tags);
	within = request_class_within(&class, distinctions_at(&tags, (struct instant){0}), &arena);
	CU_ASSERT_EQUAL(within.from[DISTINCT_INPUT], -1);
	EXPECT_TEXT(within.engine, "vllm");
	EXPECT_TEXT(within.tags, "{\"env\":\"a\\\"b\"}");
	distinctions_release(&some);
	distinctions_release(&tags);
	arena_release(&arena);
}

static void
classes_are_numbered_in_the_order_in_which_they_are_met(void)
{
	struct request_classes *classes = request_classes_new();
	struct distinctions set = one(DISTINCT_INPUT, 10, "");
	struct usage_row row = {.context_input_tokens = 10};

	distinctions_settle(&set);
	CU_ASSERT_EQUAL(split(classes, &set, &row).class_id, 1);
	row.context_input_tokens = 9;
	CU_ASSERT_EQUAL(split(classes, &set, &row).class_id, 2);
	row.context_input_tokens = -1;
	CU_ASSERT_EQUAL(split(classes, &set, &row).class_id, 0);
	row.context_input_tokens = 11;
	CU_ASSERT_EQUAL(split(classes, &set, &row).class_id, 1);
	distinctions_release(&set);
	request_classes_free(classes);
}

UNIT_TESTS("rating/request_class", TEST(where_nothing_is_told_apart_the_class_is_0),
    TEST(sizes_count_what_they_say_and_a_reversal_is_as_large_as_its_original),
    TEST(tokens_lie_cache_reads_first_then_cache_writes_then_the_rest), TEST(one_meter_may_reach_over_all_parts),
    TEST(engine_and_tags_are_kept_as_far_as_they_are_told_apart_and_stated), TEST(of_a_class_only_what_is_told_apart_counts),
    TEST(classes_are_numbered_in_the_order_in_which_they_are_met))
