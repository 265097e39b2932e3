/*
 * key_filter.h -- the membership filter of a run of the dedupe register: "not in it", for certain, or "perhaps".
 *
 * A split block Bloom filter: blocks of 512 bits, a cache line each, and an identity has one bit in each of the eight words of one
 * block.  The block follows from the upper half of the identity, scaled, so that sorted identities sweep a filter from its beginning
 * to its end; the bits follow from the lower half.  It never denies what was added.  How often it doubts for nothing depends on the
 * bits that an identity has, which are fewer in larger runs: about once in 4,100 with 20 bits, in 1,100 with 16, in 340 with 13
 * (measured by tests/unit/ledger/key_filter_test.c).  Identities that somebody chose to fall into one block make it doubt more, and
 * nothing else.
 */
#ifndef LEDGER_KEY_FILTER_H
#define LEDGER_KEY_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum { KEY_FILTER_WORDS = 8, KEY_FILTER_BLOCK_BYTES = 64, KEY_FILTER_PIECE_BYTES = 1 << 20 };

struct key_filter {
	uint64_t *word; /* KEY_FILTER_WORDS of each block */
	uint64_t blocks;
	void *owned;
};

/* An identity as two numbers that sort like its bytes. */
struct key_id {
	uint64_t high, low;
};

/* How many blocks a filter for so many identities has. */
uint64_t key_filter_blocks(uint64_t keys);
/* An empty filter; ended with key_filter_release(). */
void key_filter_open(struct key_filter *filter, uint64_t blocks);
void key_filter_release(struct key_filter *filter);
void key_filter_add(struct key_filter *filter, struct key_id id);
bool key_filter_has(const struct key_filter *filter, struct key_id id);
/* The places of those of `ids` (quickest where they are sorted) that may be there, into `out`, which has room for all; returns how
 * many. */
size_t key_filter_doubts(const struct key_filter *filter, const struct key_id *ids, size_t count, uint32_t *out);

/* As it is stored (metering.key_filter): words, little-endian, in pieces of KEY_FILTER_PIECE_BYTES, the last one shorter. */
size_t key_filter_pieces(uint64_t blocks);
size_t key_filter_piece_bytes(uint64_t blocks, size_t piece);
/* Appends the bytes of a piece. */
void key_filter_put(const struct key_filter *filter, size_t piece, struct text *out);
/* Fills in a piece; false where it has not the length that it must have. */
bool key_filter_take(struct key_filter *filter, size_t piece, const char *bytes, size_t length);
/* For a filter of which one piece is at hand, as it is stored: the piece that has an identity's block, and whether it may be there. */
size_t key_filter_piece_of(uint64_t blocks, struct key_id id);
bool key_filter_piece_has(uint64_t blocks, const char *piece, struct key_id id);

#endif
