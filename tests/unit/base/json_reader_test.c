/* json_reader_test.c -- the strict JSON reader: what it takes, what it refuses, and where it stops. */
#include "base/json_reader.h"

#include <stdlib.h>

#include "tests/support/unit.h"

struct verdict {
	const char *text;
	size_t length; /* 0: up to the NUL */
	enum json_fault fault;
	bool cut;
};

static void
expect_verdicts(const struct verdict *verdicts, size_t count)
{
	struct arena arena = {0};

	for (size_t i = 0; i < count; i++) {
		const struct verdict *wanted = &verdicts[i];
		struct json_reader reader;
		size_t length = wanted->length > 0 ? wanted->length : strlen(wanted->text);
		bool fine;

		json_begin(&reader, wanted->text, length, 0, &arena);
		fine = json_skip(&reader, NULL) && json_end(&reader);
		if (reader.fault != wanted->fault || reader.cut != wanted->cut)
			printf("\n    %s gave %d (%s), cut %d\n", wanted->text, (int)reader.fault, reader.problem, reader.cut);
		CU_ASSERT_EQUAL(reader.fault, wanted->fault);
		CU_ASSERT_EQUAL(reader.cut, wanted->cut);
		CU_ASSERT_EQUAL(fine, wanted->fault == JSON_FAULT_NONE);
	}
	arena_release(&arena);
}

#define EXPECT_VERDICTS(verdicts) expect_verdicts(verdicts, sizeof verdicts / sizeof verdicts[0])

static void
what_rfc_8259_allows_is_read(void)
{
	static const struct verdict verdicts[] = {
	    {"{}", 0, JSON_FAULT_NONE, false},
	    {" [ 1 , -0 , 0.5 , 1e5 , 1E+5 , 12e-3 ] ", 0, JSON_FAULT_NONE, false},
	    {"{\"a\":[true,false,null,\"\"],\"b\":{}}", 0, JSON_FAULT_NONE, false},
	    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", 0, JSON_FAULT_NONE, false},
	    {"\"\x7f\xc3\xa9\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"", 0, JSON_FAULT_NONE, false},
	    {"14879255164371896291000000000000000000", 0, JSON_FAULT_NONE, false},
	    {"\t[\r\n]", 0, JSON_FAULT_NONE, false},
	};

	EXPECT_VERDICTS(verdicts);
}

static void
what_rfc_8259_does_not_allow_is_refused(void)
{
	static const struct verdict verdicts[] = {
	    {"{\"a\":NaN}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":+1}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":010}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":.5}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":1.}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":1e}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":-}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":TRUE}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":1,}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\" 1}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":1 \"b\":2}", 0, JSON_FAULT_SYNTAX, false},
	    {"{a:1}", 0, JSON_FAULT_SYNTAX, false},
	    {"{'a':1}", 0, JSON_FAULT_SYNTAX, false},
	    {"[1,]", 0, JSON_FAULT_SYNTAX, false},
	    {"[1 2]", 0, JSON_FAULT_SYNTAX, false},
	    {"[1}", 0, JSON_FAULT_SYNTAX, false},
	    {"{\"a\":1]", 0, JSON_FAULT_SYNTAX, false},
	    {"{}{}", 0, JSON_FAULT_SYNTAX, false},
	    {"{} x", 0, JSON_FAULT_SYNTAX, false},
	    {"\"a\tb\"", 0, JSON_FAULT_SYNTAX, false},
	    {"\"a\0b\"", 5, JSON_FAULT_SYNTAX, false},
	    {"\"\\x\"", 0, JSON_FAULT_SYNTAX, false},
	    {"\"\\u12g4\"", 0, JSON_FAULT_SYNTAX, false},
	    {"\xef\xbb\xbf{}", 0, JSON_FAULT_SYNTAX, false},
	};

	EXPECT_VERDICTS(verdicts);
}

static void
bytes_and_escapes_that_are_no_characters_are_refused(void)
{
	static const struct verdict verdicts[] = {
	    {"\"\xff\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\x80\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\xc0\xaf\"", 0, JSON_FAULT_UTF8, false},         /* overlong, two bytes */
	    {"\"\xe0\x80\xaf\"", 0, JSON_FAULT_UTF8, false},     /* three */
	    {"\"\xf0\x80\x80\xaf\"", 0, JSON_FAULT_UTF8, false}, /* four */
	    {"\"\xed\xa0\x80\"", 0, JSON_FAULT_UTF8, false},     /* U+D800 */
	    {"\"\xf4\x90\x80\x80\"", 0, JSON_FAULT_UTF8, false}, /* beyond U+10FFFF */
	    {"\"\xc3(\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\\ud800\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\\ud800\\n\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\\ud800\\u0041\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\\udc00\"", 0, JSON_FAULT_UTF8, false},
	    {"\"\\u0000\"", 0, JSON_FAULT_NUL, false},
	    {"{\"\\u0000\":1}", 0, JSON_FAULT_NUL, false},
	    {"{\"skipped\":[{\"a\":\"x\\u0000\"}]}", 0, JSON_FAULT_NUL, false},
	};

	EXPECT_VERDICTS(verdicts);
}

static void
a_key_may_stand_once_in_each_object(void)
{
	static const struct verdict verdicts[] = {
	    {"{\"a\":1,\"a\":1}", 0, JSON_FAULT_KEY_TWICE, false},
	    {"{\"id\":1,\"\\u0069d\":2}", 0, JSON_FAULT_KEY_TWICE, false},
	    {"{\"x\":{\"y\":[{\"a\":1,\"b\":2,\"a\":3}]}}", 0, JSON_FAULT_KEY_TWICE, false},
	    {"{\"\":1,\"\":1}", 0, JSON_FAULT_KEY_TWICE, false},
	    {"{\"a\":{\"a\":{\"a\":1}},\"A\":1,\"b\":{\"a\":1}}", 0, JSON_FAULT_NONE, false},
	    {"{\"a\":{\"b\":1},\"b\":2,\"a\":3}", 0, JSON_FAULT_KEY_TWICE, false},
	};

	EXPECT_VERDICTS(verdicts);
}

static void
text_that_ends_too_early_is_told_from_text_that_is_wrong(void)
{
	static const struct verdict verdicts[] = {
	    {"{", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\"", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":1", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":-", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":1.", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":tr", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":[1,", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":\"x\\", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":\"x\\u00", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":\"x\\ud83d", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":\"x\\ud83d\\", 0, JSON_FAULT_SYNTAX, true},
	    {"{\"a\":\"x\xf0\x9f\x98", 0, JSON_FAULT_UTF8, true},
	    {"{\"a\":trx", 0, JSON_FAULT_SYNTAX, false},
	};

	EXPECT_VERDICTS(verdicts);
}

static enum json_fault
fault_of(struct text *text)
{
	struct arena arena = {0};
	struct json_reader reader;

	json_begin(&reader, text->bytes, text->length, 0, &arena);
	(void)(json_skip(&reader, NULL) && json_end(&reader));
	arena_release(&arena);
	return reader.fault;
}

static enum json_fault
fault_of_depth(int depth)
{
	struct text text = {0};
	enum json_fault fault;

	for (int i = 0; i < depth; i++)
		text_add_string(&text, "[");
	for (int i = 0; i < depth; i++)
		text_add_string(&text, "]");
	fault = fault_of(&text);
	text_release(&text);
	return fault;
}

static void
sixteen_levels_are_read_and_seventeen_are_not(void)
{
	CU_ASSERT_EQUAL(fault_of_depth(16), JSON_FAULT_NONE);
	CU_ASSERT_EQUAL(fault_of_depth(17), JSON_FAULT_DEPTH);
	CU_ASSERT_EQUAL(fault_of_depth(20000), JSON_FAULT_DEPTH);
}

static enum json_fault
fault_of_keys(int count)
{
	struct text text = {0};
	enum json_fault fault;

	text_add_string(&text, "{");
	for (int i = 0; i < count; i++)
		text_add_format(&text, "%s\"k%d\":{\"a\":1}", i > 0 ? "," : "", i);
	text_add_string(&text, "}");
	fault = fault_of(&text);
	text_release(&text);
	return fault;
}

static void
an_object_has_at_most_256_keys(void)
{
	CU_ASSERT_EQUAL(fault_of_keys(256), JSON_FAULT_NONE);
	CU_ASSERT_EQUAL(fault_of_keys(257), JSON_FAULT_SYNTAX);
}

static void
texts_come_unescaped_and_numbers_as_they_stand(void)
{
	static const char text[] = "{\"n\":-12.50e+3,\"s\":\"a\\u00e9\\ud83d\\ude00\\n\",\"o\":{\"x\":[1,2]},\"z\":null}";
	struct arena arena = {0};
	struct json_reader reader;
	struct json_value value;
	struct bytes key, raw;

	json_begin(&reader, text, sizeof text - 1, 0, &arena);
	CU_ASSERT(json_value(&reader, &value) && value.type == VALUE_OBJECT);
	CU_ASSERT(json_key(&reader, &key) && json_value(&reader, &value));
	EXPECT_TEXT(arena_copy(&arena, value.text.at, value.text.length), "-12.50e+3");
	CU_ASSERT(json_key(&reader, &key) && json_value(&reader, &value));
	EXPECT_TEXT(arena_copy(&arena, value.text.at, value.text.length), "a\xc3\xa9\xf0\x9f\x98\x80\n");
	CU_ASSERT(json_key(&reader, &key) && json_skip(&reader, &raw));
	EXPECT_TEXT(arena_copy(&arena, raw.at, raw.length), "{\"x\":[1,2]}");
	CU_ASSERT(json_key(&reader, &key) && json_value(&reader, &value) && value.type == VALUE_NULL);
	CU_ASSERT(!json_key(&reader, &key));
	CU_ASSERT(json_end(&reader));
	arena_release(&arena);
}

static void
an_object_can_be_left_in_its_middle(void)
{
	static const char text[] = "{\"a\":[1,{\"b\":2},3],\"c\":4}";
	struct arena arena = {0};
	struct json_reader reader;
	struct json_value value;
	struct bytes key;

	json_begin(&reader, text, sizeof text - 1, 0, &arena);
	CU_ASSERT(json_value(&reader, &value) && json_key(&reader, &key) && json_value(&reader, &value));
	CU_ASSERT(json_item(&reader) && json_value(&reader, &value) && json_leave(&reader));
	CU_ASSERT(json_key(&reader, &key));
	EXPECT_TEXT(arena_copy(&arena, key.at, key.length), "c");
	CU_ASSERT(json_value(&reader, &value) && !json_key(&reader, &key) && json_end(&reader));
	arena_release(&arena);
}

static void
a_reader_that_is_given_room_takes_more_keys(void)
{
	enum { KEYS = 1000 };
	struct bytes *keys = memory_new(KEYS, sizeof *keys);
	struct arena arena = {0};
	struct text text = {0};
	struct json_reader reader;

	for (int i = 0; i < KEYS; i++)
		text_add_format(&text, "%c\"%d\":0", i == 0 ? '{' : ',', i);
	text_add_string(&text, "}");
	json_begin(&reader, text.bytes, text.length, 0, &arena);
	json_allow_keys(&reader, keys, KEYS);
	CU_ASSERT(json_skip(&reader, NULL) && json_end(&reader));
	json_begin(&reader, text.bytes, text.length, 0, &arena);
	json_allow_keys(&reader, keys, KEYS - 1);
	CU_ASSERT(!json_skip(&reader, NULL));
	CU_ASSERT_EQUAL(reader.fault, JSON_FAULT_SYNTAX);
	text_release(&text);
	arena_release(&arena);
	free(keys);
}

static void
a_reader_can_be_allowed_sixty_four_levels(void)
{
	struct text text = {0};

	for (int depth = 64; depth <= 65; depth++) {
		struct arena arena = {0};
		struct json_reader reader;

		text_clear(&text);
		for (int i = 0; i < depth; i++)
			text_add_string(&text, i % 2 == 0 ? "[" : "{\"a\":");
		text_add_string(&text, "0");
		for (int i = depth - 1; i >= 0; i--)
			text_add_string(&text, i % 2 == 0 ? "]" : "}");
		json_begin(&reader, text.bytes, text.length, 0, &arena);
		json_allow_depth(&reader, JSON_DEPTH_MOST);
		CU_ASSERT_EQUAL(json_skip(&reader, NULL) && json_end(&reader), depth == 64);
		if (depth == 65)
			EXPECT_TEXT(reader.problem, "more than 64 levels");
		arena_release(&arena);
	}
	text_release(&text);
}

static void
a_value_can_be_read_again(void)
{
	static const char text[] = "{\"a\": {\"b\":[1,2],\"c\":3} ,\"d\":4}";
	struct arena arena = {0};
	struct json_reader reader;
	struct json_value value;
	struct bytes key, raw;
	const char *from;

	json_begin(&reader, text, sizeof text - 1, 0, &arena);
	CU_ASSERT(json_value(&reader, &value) && json_key(&reader, &key));
	from = reader.at;
	CU_ASSERT(json_value(&reader, &value) && json_key(&reader, &key) && json_skip(&reader, NULL) && json_leave(&reader));
	json_again(&reader, from);
	CU_ASSERT(json_skip(&reader, &raw));
	EXPECT_TEXT(arena_copy(&arena, raw.at, raw.length), "{\"b\":[1,2],\"c\":3}");
	CU_ASSERT(json_key(&reader, &key) && json_skip(&reader, NULL) && !json_key(&reader, &key) && json_end(&reader));
	arena_release(&arena);
}

/* Whatever stands before a quote, a backslash or a control byte, and however much: eight or sixteen bytes are looked at in one step,
 * as long as so many are left. */
static void
a_text_ends_at_its_first_quote_at_every_place(void)
{
	static const char *const ends[] = {"\"", "\\n\"", "\x1f\""};
	struct arena arena = {0};
	struct text text = {0};

	for (int length = 0; length < 40; length++)
		for (int end = 0; end < 3; end++)
			for (int byte = 0; byte < 6; byte++) {
				struct json_reader reader;
				struct json_value value;
				bool fine;

				text_clear(&text);
				text_add_string(&text, "\"");
				for (int i = 0; i < length; i++)
					text_add_string(&text, byte % 3 == 0 ? "!" : byte % 3 == 1 ? "\xc3\xa2" : "\x7f");
				text_add_string(&text, ends[end]);
				text_add(&text, "                ", byte < 3 ? 8 : 16);
				json_begin(&reader, text.bytes, text.length, 0, &arena);
				fine = json_value(&reader, &value) && json_end(&reader);
				CU_ASSERT_EQUAL(fine, end < 2);
				if (fine)
					CU_ASSERT_EQUAL(value.text.length, (size_t)length * (byte % 3 == 1 ? 2 : 1) + (end == 1));
			}
	text_release(&text);
	arena_release(&arena);
}

/* Keys of two letters: many of them look alike to the reader at a glance. */
static void
keys_that_are_alike_are_not_taken_for_one(void)
{
	struct arena arena = {0};
	struct text text = {0};
	struct json_reader reader;

	for (int i = 0; i < 200; i++)
		text_add_format(&text, "%c\"%c%c\":0", i == 0 ? '{' : ',', 'a' + i / 20, 'a' + i % 20);
	text_add_string(&text, ",\"jt\":0}");
	json_begin(&reader, text.bytes, text.length - 8, 0, &arena);
	CU_ASSERT(!json_skip(&reader, NULL) && reader.cut);
	json_begin(&reader, text.bytes, text.length, 0, &arena);
	CU_ASSERT(!json_skip(&reader, NULL));
	CU_ASSERT_EQUAL(reader.fault, JSON_FAULT_KEY_TWICE);
	EXPECT_TEXT(arena_copy(&arena, reader.key.at, reader.key.length), "jt");
	text_release(&text);
	arena_release(&arena);
}

UNIT_TESTS("base/json_reader", TEST(what_rfc_8259_allows_is_read), TEST(what_rfc_8259_does_not_allow_is_refused),
    TEST(bytes_and_escapes_that_are_no_characters_are_refused), TEST(a_key_may_stand_once_in_each_object),
    TEST(text_that_ends_too_early_is_told_from_text_that_is_wrong), TEST(sixteen_levels_are_read_and_seventeen_are_not),
    TEST(an_object_has_at_most_256_keys), TEST(texts_come_unescaped_and_numbers_as_they_stand),
    TEST(an_object_can_be_left_in_its_middle), TEST(a_reader_that_is_given_room_takes_more_keys),
    TEST(a_reader_can_be_allowed_sixty_four_levels), TEST(a_value_can_be_read_again),
    TEST(a_text_ends_at_its_first_quote_at_every_place), TEST(keys_that_are_alike_are_not_taken_for_one))
