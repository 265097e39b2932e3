/* event_context_test.c -- engine and tags out of the JSON that the ledger keeps. */
#include "rating/event_context.h"

#include "tests/support/unit.h"

static struct bytes
bytes(const char *string)
{
	return (struct bytes){string, strlen(string)};
}

static void
expect_member(const char *object, const char *name, const char *wanted)
{
	struct bytes value = json_member(bytes(object), name);
	char got[200];

	snprintf(got, sizeof got, "%.*s", (int)value.length, value.at == NULL ? "" : value.at);
	EXPECT_TEXT(got, wanted);
}

static void
expect_text(const char *value, const char *wanted)
{
	struct text got = {0};

	text_add(&got, ">", 1);
	CU_ASSERT_EQUAL(json_text(bytes(value), &got), wanted[0] != '\0');
	CU_ASSERT_EQUAL(got.length, strlen(wanted) + 1);
	CU_ASSERT(memcmp(got.bytes + 1, wanted, got.length - 1) == 0);
	text_release(&got);
}

static void
a_member_is_found_whatever_stands_before_it(void)
{
	expect_member("{\"a\":1,\"b\":{\"x\":\"}\"},\"c\":\"d\"}", "c", "\"d\"");
	expect_member("{\"a\":1,\"b\":{\"x\":\"}\"},\"c\":\"d\"}", "b", "{\"x\":\"}\"}");
	expect_member("{ \"a\" : [1, {\"c\": 2}, \"]\"] ,\n\"c\"\t: {} }", "c", "{}");
	expect_member("{\"q\":\"\\\"\",\"e\":\"\\\\\",\"c\":[]}", "c", "[]");
	expect_member("{\"a\":true,\"c\":-1.5e3}", "c", "-1.5e3");
}

static void
a_member_of_a_member_is_not_one(void)
{
	expect_member("{\"a\":{\"c\":1}}", "c", "");
	expect_member("{\"a\":\"c\"}", "c", "");
	expect_member("[{\"c\":1}]", "c", "");
	expect_member("\"c\"", "c", "");
	expect_member("", "c", "");
	expect_member("{}", "c", "");
}

static void
a_key_may_be_spelled_with_escapes(void)
{
	expect_member("{\"t\\u0061gs\":{\"x\":1}}", "tags", "{\"x\":1}");
	expect_member("{\"a\\\\b\":1,\"a\\\"b\":2}", "a\"b", "2");
}

static void
broken_json_ends_the_search_and_nothing_else(void)
{
	static const char text[] = "{\"a\":{\"b\":\"c\\";

	for (size_t length = 0; length < sizeof text; length++) {
		struct bytes part = {text, length};

		CU_ASSERT_PTR_NULL(json_member(part, "z").at);
		(void)json_member(json_member(part, "a"), "b");
	}
}

static void
only_a_text_of_1_to_256_bytes_is_stated(void)
{
	char longest[CONTEXT_TEXT + 4];

	expect_text("\"prod\"", "prod");
	expect_text("\"pr\\u006fd \\ud83d\\ude00\"", "prod \xf0\x9f\x98\x80");
	expect_text("\"\"", "");
	expect_text("5", "");
	expect_text("null", "");
	expect_text("{}", "");
	expect_text("", "");
	memset(longest, 'a', sizeof longest);
	longest[0] = longest[CONTEXT_TEXT + 1] = '"';
	longest[CONTEXT_TEXT + 2] = '\0';
	struct text got = {0};
	CU_ASSERT_TRUE(json_text(bytes(longest), &got));
	longest[CONTEXT_TEXT + 1] = 'a';
	longest[CONTEXT_TEXT + 2] = '"';
	longest[CONTEXT_TEXT + 3] = '\0';
	CU_ASSERT_FALSE(json_text(bytes(longest), &got));
	CU_ASSERT_EQUAL(got.length, CONTEXT_TEXT);
	text_release(&got);
}

UNIT_TESTS("rating/event_context", TEST(a_member_is_found_whatever_stands_before_it), TEST(a_member_of_a_member_is_not_one),
    TEST(a_key_may_be_spelled_with_escapes), TEST(broken_json_ends_the_search_and_nothing_else),
    TEST(only_a_text_of_1_to_256_bytes_is_stated))
