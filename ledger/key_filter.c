/* key_filter.c -- see key_filter.h. */
#include "ledger/key_filter.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BITS = 8 * KEY_FILTER_BLOCK_BYTES, LOOK_AHEAD = 16 };

/* Small runs are many, and large ones need most of the memory. */
static uint64_t
bits_for_key(uint64_t keys)
{
	return keys < 1u << 20 ? 20 : keys < 1u << 23 ? 16 : 13;
}

uint64_t
key_filter_blocks(uint64_t keys)
{
	uint64_t blocks = (keys * bits_for_key(keys) + BLOCK_BITS - 1) / BLOCK_BITS;

	return blocks == 0 ? 1 : blocks;
}

void
key_filter_open(struct key_filter *filter, uint64_t blocks)
{
	must(blocks > 0 && blocks <= UINT32_MAX);
	filter->blocks = blocks;
	/* One block more than there are, so that they can begin where a cache line does. */
	filter->owned = memory_new(blocks + 1, KEY_FILTER_BLOCK_BYTES);
	filter->word =
	    (uint64_t *)(((uintptr_t)filter->owned + KEY_FILTER_BLOCK_BYTES - 1) & ~(uintptr_t)(KEY_FILTER_BLOCK_BYTES - 1));
}

void
key_filter_release(struct key_filter *filter)
{
	free(filter->owned);
	*filter = (struct key_filter){0};
}

static inline uint64_t
place_of(uint64_t blocks, struct key_id id)
{
	return (id.high >> 32) * blocks >> 32;
}

static inline uint64_t *
block_of(const struct key_filter *filter, struct key_id id)
{
	return filter->word + KEY_FILTER_WORDS * place_of(filter->blocks, id);
}

static inline uint64_t
bit_of(struct key_id id, int word)
{
	return (uint64_t)1 << (id.low >> (6 * word) & 63);
}

void
key_filter_add(struct key_filter *filter, struct key_id id)
{
	uint64_t *block = block_of(filter, id);

	for (int i = 0; i < KEY_FILTER_WORDS; i++)
		block[i] |= bit_of(id, i);
}

/* Without a branch for each word: most identities are new, and where the first missing bit is cannot be foretold. */
static inline bool
block_has(const uint64_t *block, struct key_id id)
{
	uint64_t missing = 0;

	for (int i = 0; i < KEY_FILTER_WORDS; i++)
		missing |= ~block[i] & bit_of(id, i);
	return missing == 0;
}

bool
key_filter_has(const struct key_filter *filter, struct key_id id)
{
	return block_has(block_of(filter, id), id);
}

size_t
key_filter_doubts(const struct key_filter *filter, const struct key_id *ids, size_t count, uint32_t *out)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + LOOK_AHEAD < count)
			__builtin_prefetch(block_of(filter, ids[i + LOOK_AHEAD]));
		out[found] = (uint32_t)i;
		found += block_has(block_of(filter, ids[i]), ids[i]);
	}
	return found;
}

size_t
key_filter_pieces(uint64_t blocks)
{
	return (size_t)((blocks * KEY_FILTER_BLOCK_BYTES + KEY_FILTER_PIECE_BYTES - 1) / KEY_FILTER_PIECE_BYTES);
}

size_t
key_filter_piece_bytes(uint64_t blocks, size_t piece)
{
	uint64_t left = blocks * KEY_FILTER_BLOCK_BYTES - (uint64_t)piece * KEY_FILTER_PIECE_BYTES;

	return left < KEY_FILTER_PIECE_BYTES ? (size_t)left : KEY_FILTER_PIECE_BYTES;
}

void
key_filter_put(const struct key_filter *filter, size_t piece, struct text *out)
{
	const uint64_t *word = filter->word + piece * (KEY_FILTER_PIECE_BYTES / sizeof *word);
	size_t bytes = key_filter_piece_bytes(filter->blocks, piece);

	text_reserve(out, bytes);
	for (size_t i = 0; i < bytes / sizeof *word; i++) {
		uint64_t stored = htole64(word[i]);

		text_add(out, (const char *)&stored, sizeof stored);
	}
}

bool
key_filter_take(struct key_filter *filter, size_t piece, const char *bytes, size_t length)
{
	uint64_t *word = filter->word + piece * (KEY_FILTER_PIECE_BYTES / sizeof *word);

	if (length != key_filter_piece_bytes(filter->blocks, piece))
		return false;
	memcpy(word, bytes, length);
	for (size_t i = 0; i < length / sizeof *word; i++)
		word[i] = le64toh(word[i]);
	return true;
}

enum { PIECE_BLOCKS = KEY_FILTER_PIECE_BYTES / KEY_FILTER_BLOCK_BYTES };

size_t
key_filter_piece_of(uint64_t blocks, struct key_id id)
{
	return (size_t)(place_of(blocks, id) / PIECE_BLOCKS);
}

bool
key_filter_piece_has(uint64_t blocks, const char *piece, struct key_id id)
{
	uint64_t block[KEY_FILTER_WORDS];

	memcpy(block, piece + place_of(blocks, id) % PIECE_BLOCKS * KEY_FILTER_BLOCK_BYTES, sizeof block);
	for (int i = 0; i < KEY_FILTER_WORDS; i++)
		block[i] = le64toh(block[i]);
	return block_has(block, id);
}
