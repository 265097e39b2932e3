/* pattern_test.c -- patterns match whole names, and none of them runs away. */
#include "base/pattern.h"

#include "base/memory.h"
#include "tests/support/unit.h"

static enum pattern_answer
answer(const char *text, const char *subject)
{
	struct pattern *pattern = NULL;
	enum pattern_answer given;
	struct error err = {0};
	size_t position;

	if (!pattern_compile(text, strlen(text), &pattern, &position, &err))
		printf("\n    %s: %s\n", text, err.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(pattern);
	given = pattern_match(pattern, subject, strlen(subject));
	pattern_free(pattern);
	return given;
}

/* The message of a pattern that does not compile; *position is where. */
static const char *
refusal(const char *text, size_t *position)
{
	static char message[512];
	struct pattern *pattern = NULL;
	struct error err = {0};

	CU_ASSERT_FALSE(pattern_compile(text, strlen(text), &pattern, position, &err));
	CU_ASSERT_PTR_NULL(pattern);
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	snprintf(message, sizeof message, "%s", err.message);
	return message;
}

static void
a_pattern_matches_the_whole_name_and_not_a_part(void)
{
	CU_ASSERT_EQUAL(answer("gpt-5", "gpt-5"), PATTERN_YES);
	CU_ASSERT_EQUAL(answer("gpt-5", "gpt-5-mini"), PATTERN_NO);
	CU_ASSERT_EQUAL(answer("gpt-5", "azure/gpt-5"), PATTERN_NO);
	CU_ASSERT_EQUAL(answer("gpt-5.*", "gpt-5-mini"), PATTERN_YES);
	CU_ASSERT_EQUAL(answer("a|ab", "ab"), PATTERN_YES);
	CU_ASSERT_EQUAL(answer("gpt-5", "gpt-5\n"), PATTERN_NO);
	CU_ASSERT_EQUAL(answer("gpt-5$", "gpt-5\n"), PATTERN_NO);
}

static void
case_counts(void)
{
	CU_ASSERT_EQUAL(answer("qwen3-32b", "Qwen3-32B"), PATTERN_NO);
	CU_ASSERT_EQUAL(answer("(?i)qwen3-32b", "Qwen3-32B"), PATTERN_YES);
}

static void
a_dot_is_one_character_and_not_one_byte(void)
{
	CU_ASSERT_EQUAL(answer("model-.", "model-\xc3\xa9"), PATTERN_YES);
	CU_ASSERT_EQUAL(answer("model-..", "model-\xc3\xa9"), PATTERN_NO);
}

static void
a_name_that_is_not_utf8_cannot_be_decided(void)
{
	CU_ASSERT_EQUAL(answer("model-.", "model-\xff"), PATTERN_LIMIT);
}

/* Each of these would try more ways than there are atoms. */
static void
a_catastrophic_pattern_ends_at_its_limit(void)
{
	const char *name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";

	CU_ASSERT_EQUAL(answer("(a+)+", name), PATTERN_LIMIT);
	CU_ASSERT_EQUAL(answer("(a|a)*", name), PATTERN_LIMIT);
	CU_ASSERT_EQUAL(answer("(a|aa)+[cd]", name), PATTERN_LIMIT);
	CU_ASSERT_EQUAL(answer("(.*a){30}", name), PATTERN_LIMIT);
	CU_ASSERT_EQUAL(answer("(a+)+", "aaaa"), PATTERN_YES);
	/* This one needs a letter that the name has not, which is seen at once. */
	CU_ASSERT_EQUAL(answer("(a|aa)+c", name), PATTERN_NO);
}

static void
a_pattern_cannot_lift_its_own_limits(void)
{
	const char *name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";

	CU_ASSERT_EQUAL(answer("(*LIMIT_MATCH=4000000000)(a+)+", name), PATTERN_LIMIT);
}

static void
a_name_over_1024_bytes_cannot_be_decided(void)
{
	char name[SUBJECT_BYTES + 2];

	memset(name, 'a', sizeof name);
	name[SUBJECT_BYTES] = '\0';
	CU_ASSERT_EQUAL(answer("a*", name), PATTERN_YES);
	name[SUBJECT_BYTES] = 'a';
	name[SUBJECT_BYTES + 1] = '\0';
	CU_ASSERT_EQUAL(answer("a*", name), PATTERN_LIMIT);
}

static void
a_pattern_over_256_bytes_is_refused(void)
{
	char text[PATTERN_BYTES + 2];
	size_t position;

	memset(text, 'a', sizeof text);
	text[PATTERN_BYTES] = '\0';
	CU_ASSERT_EQUAL(answer(text, "b"), PATTERN_NO);
	text[PATTERN_BYTES] = 'a';
	text[PATTERN_BYTES + 1] = '\0';
	CU_ASSERT_PTR_NOT_NULL(strstr(refusal(text, &position), "not a pattern"));
}

static void
brackets_nest_32_deep_and_no_deeper(void)
{
	char text[128] = "";
	size_t position;

	memset(text, '(', 32);
	text[32] = 'a';
	memset(text + 33, ')', 32);
	CU_ASSERT_EQUAL(answer(text, "a"), PATTERN_YES);
	memset(text, '(', 33);
	text[33] = 'a';
	memset(text + 34, ')', 33);
	CU_ASSERT_PTR_NOT_NULL(strstr(refusal(text, &position), "nested"));
}

static void
a_faulty_pattern_is_refused_with_its_place(void)
{
	size_t position = 0;

	CU_ASSERT_PTR_NOT_NULL(strstr(refusal("gpt-(5", &position), "at character 7"));
	CU_ASSERT_EQUAL(position, 6);
	CU_ASSERT_PTR_NOT_NULL(strstr(refusal("*", &position), "at character 1"));
	CU_ASSERT_PTR_NOT_NULL(strstr(refusal("\xff", &position), "UTF-8"));
	CU_ASSERT_PTR_NOT_NULL(strstr(refusal("a\\Cb", &position), "not a pattern"));
}

UNIT_TESTS("base/pattern", TEST(a_pattern_matches_the_whole_name_and_not_a_part), TEST(case_counts),
    TEST(a_dot_is_one_character_and_not_one_byte), TEST(a_name_that_is_not_utf8_cannot_be_decided),
    TEST(a_catastrophic_pattern_ends_at_its_limit), TEST(a_pattern_cannot_lift_its_own_limits),
    TEST(a_name_over_1024_bytes_cannot_be_decided), TEST(a_pattern_over_256_bytes_is_refused),
    TEST(brackets_nest_32_deep_and_no_deeper), TEST(a_faulty_pattern_is_refused_with_its_place))
