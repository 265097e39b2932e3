/* The hash by which a changed key of the register shows, and a filter of which only a piece is at hand. */
#include "ledger/key_sum.h"

#include "ledger/key_filter.h"
#include "tests/support/unit.h"

static void
fill(unsigned char id[16], unsigned char content[16])
{
	for (int i = 0; i < 16; i++) {
		id[i] = (unsigned char)(i * 17 + 3);
		content[i] = (unsigned char)(250 - i * 13);
	}
}

/* SELECT uuid_hash_extended('faede0d3c6b9ac9f9285786b5e514437', uuid_hash_extended('031425364758697a8b9cadbecfe0f102', time)) */
static void
it_is_the_hash_that_postgresql_has(void)
{
	unsigned char id[16], content[16];

	fill(id, content);
	CU_ASSERT_EQUAL(key_hash(id, content, 0), -9140143449874737635);
	CU_ASSERT_EQUAL(key_hash(id, content, -1234567890123), -5925881411253607098);
	CU_ASSERT_EQUAL(key_hash(id, content, 1790000000123456), 1218825221257501428);
}

static void
a_change_of_any_bit_changes_it(void)
{
	unsigned char id[16], content[16];
	int64_t before;

	fill(id, content);
	before = key_hash(id, content, 1790000000123456);
	for (int bit = 0; bit < 128; bit++) {
		fill(id, content);
		id[bit / 8] ^= (unsigned char)(1 << bit % 8);
		CU_ASSERT_NOT_EQUAL(key_hash(id, content, 1790000000123456), before);
		fill(id, content);
		content[bit / 8] ^= (unsigned char)(1 << bit % 8);
		CU_ASSERT_NOT_EQUAL(key_hash(id, content, 1790000000123456), before);
	}
	fill(id, content);
	for (int bit = 0; bit < 63; bit++)
		CU_ASSERT_NOT_EQUAL(key_hash(id, content, 1790000000123456 ^ (int64_t)1 << bit), before);
}

/* Identities spread evenly, the first and the last one that there can be among them. */
static struct key_id
nth_id(uint64_t n, uint64_t count)
{
	return (struct key_id){n + 1 == count ? UINT64_MAX : UINT64_MAX / count * n, n * 0x9e3779b97f4a7c15};
}

static void
a_piece_of_a_filter_knows_what_is_in_it(void)
{
	enum { COUNT = 200000 };
	uint64_t blocks = 2 * KEY_FILTER_PIECE_BYTES / KEY_FILTER_BLOCK_BYTES + 5;
	struct key_filter filter;
	struct text pieces[3] = {{0}, {0}, {0}};
	int denied = 0, elsewhere = 0;
	size_t number = 0;

	key_filter_open(&filter, blocks);
	for (uint64_t i = 0; i < COUNT; i += 2)
		key_filter_add(&filter, nth_id(i, COUNT));
	CU_ASSERT_EQUAL_FATAL(key_filter_pieces(blocks), 3);
	for (size_t i = 0; i < 3; i++)
		key_filter_put(&filter, i, &pieces[i]);
	for (uint64_t i = 0; i < COUNT; i++) {
		struct key_id id = nth_id(i, COUNT);

		elsewhere += key_filter_piece_of(blocks, id) < number;
		number = key_filter_piece_of(blocks, id);
		CU_ASSERT_FATAL(number < 3);
		denied += key_filter_piece_has(blocks, pieces[number].bytes, id) != key_filter_has(&filter, id);
	}
	CU_ASSERT_EQUAL(denied, 0);
	CU_ASSERT_EQUAL(elsewhere, 0);
	CU_ASSERT_EQUAL(number, 2);
	for (size_t i = 0; i < 3; i++)
		text_release(&pieces[i]);
	key_filter_release(&filter);
}

UNIT_TESTS("ledger/key_sum", TEST(it_is_the_hash_that_postgresql_has), TEST(a_change_of_any_bit_changes_it),
    TEST(a_piece_of_a_filter_knows_what_is_in_it))
