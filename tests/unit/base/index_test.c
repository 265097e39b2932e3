/* index_test.c -- numbers for byte strings. */
#include "base/index.h"

#include "tests/support/unit.h"

static void
a_key_keeps_the_number_it_got_when_it_was_new(void)
{
	struct index index = {0};
	bool is_new;

	CU_ASSERT_EQUAL(index_number(&index, "acme", 4, &is_new), 0);
	CU_ASSERT_TRUE(is_new);
	CU_ASSERT_EQUAL(index_number(&index, "blue", 4, &is_new), 1);
	CU_ASSERT_EQUAL(index_number(&index, "acme", 4, &is_new), 0);
	CU_ASSERT_FALSE(is_new);
	index_release(&index);
}

static void
keys_are_bytes_so_length_and_nul_count(void)
{
	struct index index = {0};
	bool is_new;

	CU_ASSERT_EQUAL(index_number(&index, "a\0b", 3, &is_new), 0);
	CU_ASSERT_EQUAL(index_number(&index, "a\0c", 3, &is_new), 1);
	CU_ASSERT_EQUAL(index_number(&index, "a", 1, &is_new), 2);
	CU_ASSERT_EQUAL(index_number(&index, "", 0, &is_new), 3);
	CU_ASSERT_EQUAL(index_number(&index, "a\0b", 3, &is_new), 0);
	index_release(&index);
}

/* Far more keys than it starts with slots for. */
static void
growing_moves_no_number(void)
{
	struct index index = {0};
	char key[16];
	bool is_new;

	for (size_t i = 0; i < 10000; i++) {
		snprintf(key, sizeof key, "key-%zu", i);
		CU_ASSERT_EQUAL_FATAL(index_number(&index, key, strlen(key), &is_new), i);
	}
	for (size_t i = 0; i < 10000; i++) {
		snprintf(key, sizeof key, "key-%zu", i);
		CU_ASSERT_EQUAL_FATAL(index_number(&index, key, strlen(key), &is_new), i);
		CU_ASSERT_FALSE(is_new);
	}
	index_clear(&index);
	CU_ASSERT_EQUAL(index_number(&index, "key-77", 6, &is_new), 0);
	CU_ASSERT_TRUE(is_new);
	index_release(&index);
}

static void
a_key_is_there_once_it_has_a_number(void)
{
	struct index index = {0};
	bool is_new;

	CU_ASSERT_FALSE(index_has(&index, "acme", 4));
	(void)index_number(&index, "acme", 4, &is_new);
	CU_ASSERT_TRUE(index_has(&index, "acme", 4));
	CU_ASSERT_FALSE(index_has(&index, "acm", 3));
	CU_ASSERT_EQUAL(index.count, 1);
	index_clear(&index);
	CU_ASSERT_FALSE(index_has(&index, "acme", 4));
	index_release(&index);
}

UNIT_TESTS("base/index", TEST(a_key_keeps_the_number_it_got_when_it_was_new), TEST(keys_are_bytes_so_length_and_nul_count),
    TEST(growing_moves_no_number), TEST(a_key_is_there_once_it_has_a_number))
