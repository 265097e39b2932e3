/* memory_test.c -- arenas and growing texts. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/support/unit.h"

static void
new_memory_is_zeroed_and_never_null(void)
{
	int64_t *numbers = memory_new(100, sizeof *numbers);
	void *nothing = memory_new(0, 8);

	for (int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(numbers[i], 0);
	CU_ASSERT_PTR_NOT_NULL(nothing);
	free(numbers);
	free(nothing);
}

static void
growing_keeps_what_is_there_and_doubles_the_room(void)
{
	size_t capacity = 0;
	int *numbers = NULL;

	for (int i = 0; i < 1000; i++) {
		numbers = memory_grow(numbers, &capacity, (size_t)i + 1, sizeof *numbers);
		numbers[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(numbers[i], i);
	CU_ASSERT_EQUAL(capacity, 1024);
	free(numbers);
}

static void
what_an_arena_gives_is_aligned_and_does_not_overlap(void)
{
	struct arena arena = {0};
	unsigned char *taken[300];

	for (size_t i = 0; i < 300; i++) {
		taken[i] = arena_take(&arena, i * 7 + 1);
		CU_ASSERT_EQUAL((uintptr_t)taken[i] % 16, 0);
		for (size_t j = 0; j < i * 7 + 1; j++)
			taken[i][j] = (unsigned char)i;
	}
	for (size_t i = 0; i < 300; i++)
		CU_ASSERT_TRUE(taken[i][0] == (unsigned char)i && taken[i][i * 7] == (unsigned char)i);
	arena_release(&arena);
	CU_ASSERT_EQUAL(arena.bytes, 0);
}

static void
an_arena_gives_pieces_larger_than_its_blocks(void)
{
	struct arena arena = {0};
	const char *small = arena_copy(&arena, "small", 5);
	char *large = arena_take(&arena, 3000000);

	large[0] = 'a';
	large[2999999] = 'z';
	EXPECT_TEXT(small, "small");
	EXPECT_TEXT(arena_copy(&arena, "later", 5), "later");
	CU_ASSERT_TRUE(arena.bytes >= 3000000);
	arena_release(&arena);
}

static void
an_arena_after_a_reset_is_used_again(void)
{
	struct arena arena = {0};
	const void *first = arena_take(&arena, 100);

	arena_reset(&arena);
	CU_ASSERT_EQUAL(arena.bytes, 0);
	CU_ASSERT_PTR_EQUAL(arena_take(&arena, 100), first);
	arena_release(&arena);
	arena_release(&arena);
}

static void
a_copy_ends_in_a_nul_and_keeps_the_ones_inside(void)
{
	struct arena arena = {0};
	const char *copy = arena_copy(&arena, "a\0b", 3);

	CU_ASSERT_EQUAL(memcmp(copy, "a\0b", 4), 0);
	EXPECT_TEXT(arena_copy(&arena, NULL, 0), "");
	EXPECT_TEXT(arena_format(&arena, "%s has %d tokens", "acme", 1500), "acme has 1500 tokens");
	arena_release(&arena);
}

static void
a_text_grows_by_pieces(void)
{
	struct text text = {0};

	EXPECT_TEXT(text_string(&text), "");
	text_add(&text, "12345", 2);
	text_add_string(&text, "-");
	text_add_format(&text, "%03d%s", 7, "!");
	EXPECT_TEXT(text_string(&text), "12-007!");
	CU_ASSERT_EQUAL(text.length, 7);
	text_clear(&text);
	EXPECT_TEXT(text_string(&text), "");
	for (int i = 0; i < 5000; i++)
		text_add_format(&text, "%d,", i % 10);
	CU_ASSERT_EQUAL(text.length, 10000);
	CU_ASSERT_EQUAL(strlen(text_string(&text)), 10000);
	CU_ASSERT_TRUE(text.bytes[9998] == '9' && text.bytes[9999] == ',');
	text_release(&text);
	CU_ASSERT_PTR_NULL(text.bytes);
}

UNIT_TESTS("base/memory", TEST(new_memory_is_zeroed_and_never_null), TEST(growing_keeps_what_is_there_and_doubles_the_room),
    TEST(what_an_arena_gives_is_aligned_and_does_not_overlap), TEST(an_arena_gives_pieces_larger_than_its_blocks),
    TEST(an_arena_after_a_reset_is_used_again), TEST(a_copy_ends_in_a_nul_and_keeps_the_ones_inside),
    TEST(a_text_grows_by_pieces))
