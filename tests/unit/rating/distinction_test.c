/* distinction_test.c -- what is told apart when. */
#include "rating/distinction.h"

#include "tests/support/unit.h"

static struct instant
at(int64_t us)
{
	return (struct instant){us};
}

static void
a_boundary_is_the_first_size_that_is_beyond_it(void)
{
	int64_t values[] = {100, 200};
	struct boundaries two = {values, 2}, none = {NULL, 0};
	static const int64_t wanted[][2] = {
	    {0, 0}, {99, 0}, {100, 100}, {101, 100}, {199, 100}, {200, 200}, {201, 200}, {INT64_MAX, 200}, {-1, -1}};

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		CU_ASSERT_EQUAL(boundary_below(&two, wanted[i][0]), wanted[i][1]);
	CU_ASSERT_EQUAL(boundary_below(&none, 5), -1);
	CU_ASSERT_EQUAL(boundary_below(&none, -1), -1);
}

static void
nothing_is_told_apart_before_the_first_instant(void)
{
	struct distinctions set = {0};

	distinctions_settle(&set);
	CU_ASSERT_PTR_NULL(distinctions_at(&set, at(0)));
	distinctions_release(&set);
	distinctions_add(&set, DISTINCT_INPUT, 5, "", at(10));
	distinctions_settle(&set);
	CU_ASSERT_PTR_NULL(distinctions_at(&set, at(9)));
	CU_ASSERT_PTR_NOT_NULL(distinctions_at(&set, at(10)));
	CU_ASSERT_FALSE(distinctions_need_context(&set));
	distinctions_release(&set);
}

static void
what_came_earlier_stays_in_force(void)
{
	struct distinctions set = {0};
	const struct era *era;

	distinctions_add(&set, DISTINCT_INPUT, 50, "", at(20));
	distinctions_add(&set, DISTINCT_INPUT, 70, "", at(10));
	distinctions_add(&set, DISTINCT_TAG, 0, "team", at(20));
	distinctions_add(&set, DISTINCT_TAG, 0, "env", at(10));
	distinctions_add(&set, DISTINCT_ENGINE, 0, "", at(30));
	distinctions_settle(&set);
	CU_ASSERT_EQUAL(set.era_count, 3);
	CU_ASSERT_TRUE(distinctions_need_context(&set));
	era = distinctions_at(&set, at(19));
	CU_ASSERT_EQUAL(era->boundaries[DISTINCT_INPUT].count, 1);
	CU_ASSERT_EQUAL(era->boundaries[DISTINCT_INPUT].at[0], 70);
	CU_ASSERT_EQUAL(era->tag_count, 1);
	CU_ASSERT_FALSE(era->engine);
	era = distinctions_at(&set, at(31));
	CU_ASSERT_EQUAL_FATAL(era->boundaries[DISTINCT_INPUT].count, 2);
	CU_ASSERT_EQUAL(era->boundaries[DISTINCT_INPUT].at[0], 50);
	CU_ASSERT_EQUAL(era->boundaries[DISTINCT_INPUT].at[1], 70);
	CU_ASSERT_EQUAL(era->boundaries[DISTINCT_OUTPUT].count, 0);
	CU_ASSERT_EQUAL_FATAL(era->tag_count, 2);
	EXPECT_TEXT(era->tags[0], "env");
	EXPECT_TEXT(era->tags[1], "team");
	CU_ASSERT_TRUE(era->engine);
	distinctions_release(&set);
}

static void
kinds_have_the_names_of_the_database(void)
{
	CU_ASSERT_EQUAL(distinction_kind_find("input"), DISTINCT_INPUT);
	CU_ASSERT_EQUAL(distinction_kind_find("part"), DISTINCT_PART);
	CU_ASSERT_EQUAL(distinction_kind_find("tag"), DISTINCT_TAG);
	CU_ASSERT_EQUAL(distinction_kind_find("weather"), DISTINCT_KINDS);
}

UNIT_TESTS("rating/distinction", TEST(a_boundary_is_the_first_size_that_is_beyond_it),
    TEST(nothing_is_told_apart_before_the_first_instant), TEST(what_came_earlier_stays_in_force),
    TEST(kinds_have_the_names_of_the_database))
