/* error_test.c -- what a person reads when something fails. */
#include "base/error.h"

#include <stdlib.h>

#include "tests/support/unit.h"

/* What error_print() writes; ended by free(). */
static char *
printed(const struct error *err)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
	error_print(stream, err);
	CU_ASSERT_EQUAL_FATAL(fclose(stream), 0);
	return text;
}

static void
an_error_names_file_line_field_value_and_remedy(void)
{
	struct error err;
	char *text;

	CU_ASSERT_FALSE(error_set(&err, ERROR_INPUT, "not a price: %s", "it is negative"));
	CU_ASSERT_FALSE(error_wrap(&err, "rule %d", 3));
	CU_ASSERT_FALSE(error_at(&err, "prices.json", 12));
	CU_ASSERT_FALSE(error_field(&err, "rules[2].price", "-1", 2));
	CU_ASSERT_FALSE(error_hint(&err, "Leave the model out."));
	text = printed(&err);
	EXPECT_TEXT(text,
	    "tollbook: rule 3: not a price: it is negative\n"
	    "at: prices.json, line 12, field rules[2].price, value \"-1\"\n"
	    "hint: Leave the model out.\n");
	free(text);
}

static void
a_column_makes_the_place_one_that_editors_jump_to(void)
{
	struct error err;
	char *text;

	(void)error_set(&err, ERROR_INPUT, "not a price");
	CU_ASSERT_FALSE(error_at(&err, "prices.json", 12));
	CU_ASSERT_FALSE(error_column(&err, 7));
	CU_ASSERT_FALSE(error_field(&err, "rules[2].price", "-1", 2));
	text = printed(&err);
	EXPECT_TEXT(text, "tollbook: not a price\nat: prices.json:12:7, field rules[2].price, value \"-1\"\n");
	free(text);
	(void)error_at(&err, "prices.json", 12);
	CU_ASSERT_EQUAL(err.column, 0);
}

static void
a_value_cannot_steer_the_terminal_and_a_long_one_is_cut_with_a_mark(void)
{
	struct error err;
	char longest[500];

	(void)error_set(&err, ERROR_INPUT, "bad");
	(void)error_field(&err, "id", "a\x1b[2Jb\n", 7);
	EXPECT_TEXT(err.value, "a\\x1b[2Jb\\x0a");
	memset(longest, 'x', sizeof longest);
	(void)error_field(&err, "id", longest, sizeof longest);
	CU_ASSERT_TRUE(strlen(err.value) < sizeof err.value);
	EXPECT_TEXT(err.value + strlen(err.value) - 3, "...");
	(void)error_set(&err, ERROR_INPUT, "%0600d", 1);
	EXPECT_TEXT(err.message + strlen(err.message) - 3, "...");
}

static void
every_kind_has_an_exit_code_of_its_own(void)
{
	int seen[256] = {0};

#define ERROR_KIND(name, exit_code, meaning) seen[error_exit_code(ERROR_##name)]++;
#include "base/error_kinds.def"
#undef ERROR_KIND
	CU_ASSERT_EQUAL(error_exit_code(ERROR_NONE), 0);
	CU_ASSERT_EQUAL(seen[0], 0);
	CU_ASSERT_EQUAL(seen[1], 0);
	for (int i = 0; i < 256; i++)
		CU_ASSERT_TRUE(seen[i] <= 1);
}

UNIT_TESTS("base/error", TEST(an_error_names_file_line_field_value_and_remedy),
    TEST(a_column_makes_the_place_one_that_editors_jump_to),
    TEST(a_value_cannot_steer_the_terminal_and_a_long_one_is_cut_with_a_mark), TEST(every_kind_has_an_exit_code_of_its_own))
