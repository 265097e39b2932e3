/* register_merge_test.c -- which runs are merged, and how often a key is written again by that. */
#include "ledger/register_merge.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static const int64_t filters = INT64_C(320) << 20;

static void
add(struct register_runs *runs, int64_t keys)
{
	runs->items = memory_grow(runs->items, &runs->room, runs->count + 1, sizeof *runs->items);
	runs->items[runs->count++] = (struct register_run){.keys = keys, .filter_blocks = keys < KEY_FILTER_LEAST ? 0 : 1};
}

static void
add_many(struct register_runs *runs, size_t count, int64_t keys)
{
	for (size_t i = 0; i < count; i++)
		add(runs, keys);
}

static void
expect_choice(struct register_runs *runs, size_t first, size_t count)
{
	struct merge_choice choice = merge_choose(runs, filters);

	if (choice.count != count || (count > 0 && choice.first != first))
		printf("\n    %zu from %zu on, wanted %zu from %zu on\n", choice.count, choice.first, count, first);
	CU_ASSERT_EQUAL(choice.count, count);
	CU_ASSERT_TRUE(count == 0 || choice.first == first);
	free(runs->items);
	*runs = (struct register_runs){0};
}

static void
sixteen_very_small_runs_become_one_and_fifteen_do_not(void)
{
	struct register_runs runs = {0};

	add_many(&runs, 15, 7);
	expect_choice(&runs, 0, 0);
	add_many(&runs, 16, 7);
	expect_choice(&runs, 0, 16);
	add_many(&runs, 15, 32767);
	expect_choice(&runs, 0, 0);
	add_many(&runs, 16, 32767);
	expect_choice(&runs, 0, 16);
}

static void
a_larger_run_before_them_is_left_alone(void)
{
	struct register_runs runs = {0};

	add(&runs, 200);
	add_many(&runs, 16, 7);
	expect_choice(&runs, 1, 16);
}

static void
fifteen_runs_of_each_of_the_small_classes_stay(void)
{
	struct register_runs runs = {0};

	add_many(&runs, 15, 2048);
	add_many(&runs, 15, 128);
	add_many(&runs, 15, 8);
	add_many(&runs, 15, 1);
	expect_choice(&runs, 0, 0);
	add_many(&runs, 15, 2048);
	add_many(&runs, 16, 128);
	add_many(&runs, 3, 1);
	expect_choice(&runs, 15, 19);
}

static void
batches_of_100000_become_one_run_when_they_are_126(void)
{
	struct register_runs runs = {0};

	add(&runs, MERGE_LARGE);
	add_many(&runs, 125, 100000);
	expect_choice(&runs, 0, 0);
	add(&runs, MERGE_LARGE);
	add_many(&runs, 126, 100000);
	expect_choice(&runs, 1, 126);
}

static void
runs_of_any_size_become_one_when_they_are_128(void)
{
	struct register_runs runs = {0};

	add_many(&runs, 127, 40000);
	expect_choice(&runs, 0, 0);
	add_many(&runs, 128, 40000);
	expect_choice(&runs, 0, 128);
}

static void
large_runs_stay_however_many_there_are(void)
{
	struct register_runs runs = {0};

	add_many(&runs, 500, MERGE_LARGE);
	expect_choice(&runs, 0, 0);
}

static void
a_large_run_without_a_filter_is_written_again_alone_if_its_filter_has_room(void)
{
	struct register_runs runs = {0};

	add(&runs, MERGE_LARGE);
	add(&runs, MERGE_LARGE);
	runs.items[1].filter_blocks = 0;
	expect_choice(&runs, 1, 1);
	/* 13 bits for each of 400 million keys are 620 MiB. */
	add(&runs, 400000000);
	runs.items[0].filter_blocks = 0;
	expect_choice(&runs, 0, 0);
}

/* Books so many batches of a size: *most_runs there were at once; returns how often each key was written again, in hundredths. */
static int64_t
book(size_t batches, int64_t keys, size_t *most_runs)
{
	struct register_runs runs = {0};
	int64_t written = 0;

	*most_runs = 0;
	for (size_t i = 0; i < batches; i++) {
		struct merge_choice choice;

		add(&runs, keys);
		while ((choice = merge_choose(&runs, filters)).count > 0) {
			int64_t sum = 0;

			/* Only the newest are merged here. */
			CU_ASSERT_EQUAL_FATAL(choice.first + choice.count, runs.count);
			for (size_t j = choice.first; j < runs.count; j++)
				sum += runs.items[j].keys;
			runs.count = choice.first;
			add(&runs, sum);
			written += sum;
		}
		if (runs.count > *most_runs)
			*most_runs = runs.count;
	}
	free(runs.items);
	return written * 100 / ((int64_t)batches * keys);
}

static void
a_key_is_written_again_about_once_or_twice(void)
{
	static const struct {
		int64_t keys, batches, least, most, runs;
	} cases[] = {{7, 100000, 300, 400, 62}, {1000, 200000, 290, 320, 170}, {10000, 20000, 190, 210, 110},
	    {50000, 4000, 140, 160, 150}, {100000, 2000, 90, 100, 141}, {1000000, 200, 90, 110, 30}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t runs;
		int64_t written = book((size_t)cases[i].batches, cases[i].keys, &runs);

		if (written < cases[i].least || written > cases[i].most || runs > (size_t)cases[i].runs)
			printf("\n    batches of %lld: written again %lld hundredths, %zu runs\n", (long long)cases[i].keys,
			    (long long)written, runs);
		CU_ASSERT_TRUE(written >= cases[i].least && written <= cases[i].most && runs <= (size_t)cases[i].runs);
	}
}

UNIT_TESTS("ledger/register_merge", TEST(sixteen_very_small_runs_become_one_and_fifteen_do_not),
    TEST(a_larger_run_before_them_is_left_alone), TEST(fifteen_runs_of_each_of_the_small_classes_stay),
    TEST(batches_of_100000_become_one_run_when_they_are_126), TEST(runs_of_any_size_become_one_when_they_are_128),
    TEST(large_runs_stay_however_many_there_are),
    TEST(a_large_run_without_a_filter_is_written_again_alone_if_its_filter_has_room),
    TEST(a_key_is_written_again_about_once_or_twice))
