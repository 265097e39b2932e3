/* key_page_test.c -- keys into a page and out of it again. */
#include "ledger/key_page.h"

#include "base/copy_binary.h"
#include "tests/support/unit.h"

/* The n-th of some keys; times before 1970, too, and batches of 4 bytes. */
static struct key
key_of(uint64_t n)
{
	struct key key = {.id = {n, ~n}, .time_us = -1000 + (int64_t)n * 7, .batch = UINT32_MAX - (int64_t)n};

	for (size_t i = 0; i < sizeof key.content.byte; i++)
		key.content.byte[i] = (unsigned char)(n + i);
	return key;
}

static bool
same_key(const struct key *one, const struct key *two)
{
	return key_id_compare(one->id, two->id) == 0 && memcmp(&one->content, &two->content, 16) == 0 &&
	    one->time_us == two->time_us && one->batch == two->batch;
}

static void
expect_same_of(size_t count)
{
	struct key keys[KEY_PAGE_KEYS];
	unsigned char bytes[KEY_PAGE_BYTES];
	struct key_page page;

	for (size_t i = 0; i < count; i++)
		keys[i] = key_of(i);
	key_page_encode(keys, count, bytes);
	CU_ASSERT_TRUE_FATAL(key_page_open(&page, (const char *)bytes, KEY_BYTES * count));
	CU_ASSERT_EQUAL(page.count, count);
	for (size_t i = 0; i < count; i++) {
		struct key key = key_page_key(&page, i);

		CU_ASSERT_TRUE(same_key(&key, &keys[i]));
	}
}

static void
a_page_of_1_or_59_or_60_keys_is_read_as_it_was_written(void)
{
	expect_same_of(1);
	expect_same_of(59);
	expect_same_of(60);
}

static void
no_keys_and_61_keys_and_half_a_key_are_no_page(void)
{
	static const char bytes[61 * KEY_BYTES];
	struct key_page page;

	CU_ASSERT_FALSE(key_page_open(&page, bytes, 0));
	CU_ASSERT_FALSE(key_page_open(&page, bytes, KEY_BYTES - 1));
	CU_ASSERT_FALSE(key_page_open(&page, bytes, KEY_BYTES + 22));
	CU_ASSERT_FALSE(key_page_open(&page, bytes, sizeof bytes));
	CU_ASSERT_TRUE(key_page_open(&page, bytes, sizeof bytes - KEY_BYTES));
}

/* Two keys, 1 and 2, byte for byte: identities, contents, times, batches. */
static void
the_bytes_of_a_page_are_as_the_schema_says(void)
{
	struct key keys[2] = {
	    {.id = {1, 2}, .content = {{3}}, .time_us = 4, .batch = 5}, {.id = {6, 7}, .content = {{8}}, .time_us = -1}};
	unsigned char wanted[2 * KEY_BYTES] = {0}, bytes[2 * KEY_BYTES];

	wanted[7] = 1, wanted[15] = 2, wanted[23] = 6, wanted[31] = 7;
	wanted[32] = 3, wanted[48] = 8;
	wanted[71] = 4;
	memset(wanted + 72, 0xff, 8);
	wanted[83] = 5;
	key_page_encode(keys, 2, bytes);
	CU_ASSERT_EQUAL(memcmp(bytes, wanted, sizeof wanted), 0);
}

static void
a_row_has_the_run_the_first_identity_and_the_page(void)
{
	struct key keys[3] = {key_of(10), key_of(11), key_of(12)};
	struct text rows = {0};
	struct copy_reader reader;
	struct key_page page;
	const char *bytes;
	size_t length;

	key_page_row(keys, 3, 77, &rows);
	reader = copy_read_row(rows.bytes, rows.length, 3);
	CU_ASSERT_EQUAL(copy_read_bigint(&reader, 0), 77);
	bytes = copy_read(&reader, &length);
	CU_ASSERT_EQUAL(length, 16);
	CU_ASSERT_EQUAL(key_id_compare(key_id_of((const struct id128 *)(const void *)bytes), keys[0].id), 0);
	bytes = copy_read(&reader, &length);
	CU_ASSERT_TRUE_FATAL(key_page_open(&page, bytes, length));
	CU_ASSERT_EQUAL(page.count, 3);
	CU_ASSERT_EQUAL(key_id_compare(key_page_id(&page, 2), keys[2].id), 0);
	text_release(&rows);
}

static void
identities_are_in_the_order_of_their_bytes(void)
{
	struct key_id least = {0, UINT64_MAX}, next = {1, 0};
	unsigned char one[16], two[16];

	key_id_bytes(least, one);
	key_id_bytes(next, two);
	CU_ASSERT_TRUE(memcmp(one, two, 16) < 0);
	CU_ASSERT_TRUE(key_id_compare(least, next) < 0);
	CU_ASSERT_TRUE(key_id_compare(next, least) > 0);
	CU_ASSERT_EQUAL(key_id_compare(next, next), 0);
}

UNIT_TESTS("ledger/key_page", TEST(a_page_of_1_or_59_or_60_keys_is_read_as_it_was_written),
    TEST(no_keys_and_61_keys_and_half_a_key_are_no_page), TEST(the_bytes_of_a_page_are_as_the_schema_says),
    TEST(a_row_has_the_run_the_first_identity_and_the_page), TEST(identities_are_in_the_order_of_their_bytes))
