/* key_filter_test.c -- a filter never denies what is in it, and seldom doubts what is not. */
#include "ledger/key_filter.h"

#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/unit.h"

enum { MILLION = 1000000 };

static struct key_id
random_id(uint64_t *random)
{
	struct key_id id;

	id.high = random_next(random);
	id.low = random_next(random);
	return id;
}

/* Of a million identities that are not in it, how many does a filter with so many bits for each of its keys doubt? */
static size_t
doubted_of_million(uint64_t keys, uint64_t bits)
{
	uint64_t random = bits;
	struct key_filter filter;
	size_t doubted = 0;

	key_filter_open(&filter, keys * bits / (8 * KEY_FILTER_BLOCK_BYTES));
	for (uint64_t i = 0; i < keys; i++)
		key_filter_add(&filter, random_id(&random));
	for (size_t i = 0; i < MILLION; i++)
		doubted += key_filter_has(&filter, random_id(&random));
	key_filter_release(&filter);
	return doubted;
}

static void
a_million_identities_are_never_denied(void)
{
	uint64_t random = 1, again = 1;
	struct key_filter filter;
	size_t denied = 0;

	key_filter_open(&filter, key_filter_blocks(MILLION));
	for (size_t i = 0; i < MILLION; i++)
		key_filter_add(&filter, random_id(&random));
	for (size_t i = 0; i < MILLION; i++)
		denied += !key_filter_has(&filter, random_id(&again));
	CU_ASSERT_EQUAL(denied, 0);
	key_filter_release(&filter);
}

/* Fills a filter of few blocks far beyond its measure, with identities that are alike in all ways but one. */
static void
chosen_identities_are_never_denied(void)
{
	static const uint64_t shapes[][2] = {{0, 1}, {1, 0}, {UINT64_C(1) << 32, 0}, {0, UINT64_C(1) << 48}, {UINT64_MAX, 1}};
	struct key_filter filter;
	size_t denied = 0;

	key_filter_open(&filter, 3);
	for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
		for (uint64_t i = 0; i < 100000; i++)
			key_filter_add(&filter, (struct key_id){shapes[shape][0] * i, shapes[shape][1] * i});
		for (uint64_t i = 0; i < 100000; i++)
			denied += !key_filter_has(&filter, (struct key_id){shapes[shape][0] * i, shapes[shape][1] * i});
	}
	CU_ASSERT_EQUAL(denied, 0);
	key_filter_release(&filter);
}

static void
the_least_and_the_greatest_identity_have_a_block(void)
{
	struct key_filter filter;

	key_filter_open(&filter, 1000);
	CU_ASSERT_FALSE(key_filter_has(&filter, (struct key_id){0, 0}));
	CU_ASSERT_FALSE(key_filter_has(&filter, (struct key_id){UINT64_MAX, UINT64_MAX}));
	key_filter_add(&filter, (struct key_id){0, 0});
	key_filter_add(&filter, (struct key_id){UINT64_MAX, UINT64_MAX});
	CU_ASSERT_EQUAL(filter.word[0], 1);
	CU_ASSERT_EQUAL(filter.word[KEY_FILTER_WORDS * 999], UINT64_C(1) << 63);
	key_filter_release(&filter);
}

static void
one_in_340_is_doubted_for_nothing_with_13_bits_1100_with_16_4100_with_20(void)
{
	size_t with_13 = doubted_of_million(MILLION, 13), with_16 = doubted_of_million(MILLION, 16),
	       with_20 = doubted_of_million(MILLION, 20);

	printf(" (%zu, %zu, %zu in a million) ", with_13, with_16, with_20);
	CU_ASSERT_TRUE(with_13 < MILLION / 310 && with_13 > MILLION / 380);
	CU_ASSERT_TRUE(with_16 < MILLION / 950 && with_16 > MILLION / 1300);
	CU_ASSERT_TRUE(with_20 < MILLION / 3400 && with_20 > MILLION / 5200);
}

static void
small_runs_have_more_bits_for_a_key_than_large_ones(void)
{
	CU_ASSERT_EQUAL(key_filter_blocks(0), 1);
	CU_ASSERT_EQUAL(key_filter_blocks(1), 1);
	CU_ASSERT_EQUAL(key_filter_blocks(512), 20);
	CU_ASSERT_EQUAL(key_filter_blocks(1 << 20), 16 << 11);
	CU_ASSERT_EQUAL(key_filter_blocks(1 << 23), 13 << 14);
}

static void
those_doubted_are_the_same_one_by_one_and_together(void)
{
	uint64_t random = 7;
	struct key_filter filter;
	struct key_id *ids = memory_new(10000, sizeof *ids);
	uint32_t *doubts = memory_new(10000, sizeof *doubts);
	size_t count, at = 0;

	key_filter_open(&filter, 8);
	for (size_t i = 0; i < 1000; i++)
		key_filter_add(&filter, random_id(&random));
	for (size_t i = 0; i < 10000; i++)
		ids[i] = random_id(&random);
	count = key_filter_doubts(&filter, ids, 10000, doubts);
	CU_ASSERT_TRUE(count > 1000 && count < 9000);
	for (uint32_t i = 0; i < 10000; i++)
		if (key_filter_has(&filter, ids[i]))
			CU_ASSERT_EQUAL(doubts[at++], i);
	CU_ASSERT_EQUAL(at, count);
	free(ids);
	free(doubts);
	key_filter_release(&filter);
}

/* 20,000 blocks are a piece of 1 MiB and one of 231,424 bytes. */
static void
a_filter_is_the_same_after_it_was_stored_in_pieces(void)
{
	uint64_t random = 9;
	struct key_filter filter, again;
	struct text piece = {0};

	key_filter_open(&filter, 20000);
	key_filter_open(&again, 20000);
	for (size_t i = 0; i < MILLION / 2; i++)
		key_filter_add(&filter, random_id(&random));
	CU_ASSERT_EQUAL(key_filter_pieces(20000), 2);
	for (size_t i = 0; i < 2; i++) {
		text_clear(&piece);
		key_filter_put(&filter, i, &piece);
		CU_ASSERT_EQUAL(piece.length, i == 0 ? 1048576 : 231424);
		CU_ASSERT_TRUE(key_filter_take(&again, i, piece.bytes, piece.length));
	}
	CU_ASSERT_FALSE(key_filter_take(&again, 1, piece.bytes, piece.length - 1));
	CU_ASSERT_EQUAL(memcmp(filter.word, again.word, (size_t)20000 * KEY_FILTER_BLOCK_BYTES), 0);
	text_release(&piece);
	key_filter_release(&filter);
	key_filter_release(&again);
}

UNIT_TESTS("ledger/key_filter", TEST(a_million_identities_are_never_denied), TEST(chosen_identities_are_never_denied),
    TEST(the_least_and_the_greatest_identity_have_a_block),
    TEST(one_in_340_is_doubted_for_nothing_with_13_bits_1100_with_16_4100_with_20),
    TEST(small_runs_have_more_bits_for_a_key_than_large_ones), TEST(those_doubted_are_the_same_one_by_one_and_together),
    TEST(a_filter_is_the_same_after_it_was_stored_in_pieces))
