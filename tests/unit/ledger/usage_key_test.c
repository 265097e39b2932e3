/* usage_key_test.c -- identities of a batch in their order, and what repeats among them are. */
#include "ledger/usage_key.h"

#include <stdlib.h>

#include "tests/support/unit.h"

/* Records and keys of them, in the order of the records. */
struct fixture {
	struct record *records;
	struct admitted *keys;
	size_t count;
};

static struct fixture
fixture_new(size_t count)
{
	struct fixture made = {memory_new(count, sizeof *made.records), memory_new(count, sizeof *made.keys), count};

	for (size_t i = 0; i < count; i++)
		made.keys[i] = (struct admitted){.record = &made.records[i], .ordinal = i};
	return made;
}

static void
fixture_release(struct fixture *fixture)
{
	free(fixture->records);
	free(fixture->keys);
}

/* The first bytes of an identity count most. */
static void
set_id(struct fixture *fixture, size_t place, uint64_t high, uint64_t low)
{
	unsigned char *id = fixture->records[place].event.event_id.byte;

	for (int i = 7; i >= 0; i--, high >>= 8, low >>= 8) {
		id[i] = (unsigned char)(high & 0xff);
		id[8 + i] = (unsigned char)(low & 0xff);
	}
}

static bool
is_sorted(const struct fixture *fixture)
{
	for (size_t i = 1; i < fixture->count; i++) {
		const struct admitted *one = &fixture->keys[i - 1], *two = &fixture->keys[i];
		int order = memcmp(&one->record->event.event_id, &two->record->event.event_id, sizeof(struct id128));

		if (order > 0 || (order == 0 && one->ordinal >= two->ordinal))
			return false;
	}
	for (size_t i = 0; i < fixture->count; i++)
		if (fixture->keys[i].record != &fixture->records[fixture->keys[i].ordinal])
			return false;
	return true;
}

/* splitmix64 */
static uint64_t
draw(uint64_t *state)
{
	uint64_t number = *state += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
	return number ^ (number >> 31);
}

static void
none_and_one_are_sorted(void)
{
	struct fixture none = fixture_new(0), one = fixture_new(1);

	keys_sort(none.keys, 0);
	keys_sort(one.keys, 1);
	CU_ASSERT_TRUE(is_sorted(&one));
	fixture_release(&none);
	fixture_release(&one);
}

static void
keys_are_sorted_whatever_their_identities_are(void)
{
	uint64_t state = 8;

	for (size_t count = 2; count < 3000; count = count * 3 / 2 + 1) {
		struct fixture fixture = fixture_new(count);

		for (size_t i = 0; i < count; i++)
			set_id(&fixture, i, draw(&state), draw(&state));
		keys_sort(fixture.keys, count);
		CU_ASSERT_TRUE(is_sorted(&fixture));
		fixture_release(&fixture);
	}
}

/* Somebody who looks for such ids can make them; 20,000 by pairs would be 200 million comparisons. */
static void
identities_that_begin_alike_are_sorted_too(void)
{
	struct fixture fixture = fixture_new(20000);
	uint64_t state = 9;

	for (size_t i = 0; i < fixture.count; i++)
		set_id(&fixture, i, i % 3 == 0 ? 7 : draw(&state) >> 40, draw(&state));
	keys_sort(fixture.keys, fixture.count);
	CU_ASSERT_TRUE(is_sorted(&fixture));
	fixture_release(&fixture);
}

/* 100 identities 10 times each; of each the first by place counts. */
static void
of_repeats_the_first_one_counts(void)
{
	struct fixture fixture = fixture_new(1000);
	size_t counts[ADMISSION_REFUSED + 1] = {0};

	for (size_t i = 0; i < fixture.count; i++) {
		struct usage_event *event = &fixture.records[i].event;

		set_id(&fixture, i, (99 - i % 100) << 50, 1);
		/* The second time another time, the third time another content, then the same again. */
		event->time.us = i / 100 == 1 ? 2 : 1;
		event->content.byte[0] = i / 100 == 2;
	}
	keys_sort(fixture.keys, fixture.count);
	CU_ASSERT_TRUE(is_sorted(&fixture));
	for (size_t i = 0; i < fixture.count; i++)
		counts[fixture.keys[i].admission]++;
	CU_ASSERT_EQUAL(counts[ADMISSION_NEW], 100);
	CU_ASSERT_EQUAL(counts[ADMISSION_RESTAMPED], 100);
	CU_ASSERT_EQUAL(counts[ADMISSION_CONFLICT], 100);
	CU_ASSERT_EQUAL(counts[ADMISSION_DUPLICATE], 700);
	for (size_t i = 0; i < fixture.count; i++)
		CU_ASSERT_EQUAL(fixture.keys[i].admission == ADMISSION_NEW, fixture.keys[i].ordinal < 100);
	fixture_release(&fixture);
}

static void
sorting_again_sees_identities_that_changed(void)
{
	struct fixture fixture = fixture_new(3);

	for (size_t i = 0; i < 3; i++)
		set_id(&fixture, i, 5, 5);
	keys_sort(fixture.keys, 3);
	CU_ASSERT_EQUAL(fixture.keys[2].admission, ADMISSION_DUPLICATE);
	set_id(&fixture, 2, 4, 4);
	keys_sort_again(fixture.keys, 3);
	CU_ASSERT_EQUAL(fixture.keys[0].ordinal, 2);
	CU_ASSERT_EQUAL(fixture.keys[0].admission, ADMISSION_NEW);
	CU_ASSERT_EQUAL(fixture.keys[2].admission, ADMISSION_DUPLICATE);
	fixture_release(&fixture);
}

UNIT_TESTS("ledger/usage_key", TEST(none_and_one_are_sorted), TEST(keys_are_sorted_whatever_their_identities_are),
    TEST(identities_that_begin_alike_are_sorted_too), TEST(of_repeats_the_first_one_counts),
    TEST(sorting_again_sees_identities_that_changed))
