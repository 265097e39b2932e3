/* index.c -- see index.h; open addressing, at most half full. */
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

struct index_slot {
	const char *key; /* NULL: free */
	size_t length, number;
	uint64_t hash;
};

/* Both halves of a product: every bit of what goes in is in every bit of it. */
static inline uint64_t
mix(uint64_t one, uint64_t other)
{
	u128 product = (u128)one * other;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Eight bytes at a time; only spreads keys over slots: equality is by bytes.  The constants are odd and have no pattern. */
static uint64_t
hash_of(const char *key, size_t length)
{
	const uint64_t secret = 0x9e3779b97f4a7c15ULL;
	uint64_t hash = length * 0xc2b2ae3d27d4eb4fULL, eight;

	for (; length > sizeof eight; key += sizeof eight, length -= sizeof eight) {
		memcpy(&eight, key, sizeof eight);
		hash = mix(hash ^ eight, secret);
	}
	eight = 0;
	if (length > 0)
		memcpy(&eight, key, length);
	return mix(hash ^ eight ^ 0x165667b19e3779f9ULL, secret);
}

static struct index_slot *
find(const struct index *index, const char *key, size_t length, uint64_t hash)
{
	for (size_t i = hash & (index->slot_count - 1);; i = (i + 1) & (index->slot_count - 1)) {
		struct index_slot *slot = &index->slots[i];

		if (slot->key == NULL || (slot->hash == hash && slot->length == length && memcmp(slot->key, key, length) == 0))
			return slot;
	}
}

static void
grow(struct index *index)
{
	struct index old = *index;

	index->slot_count = old.slot_count == 0 ? 64 : old.slot_count * 2;
	index->slots = memory_new(index->slot_count, sizeof *index->slots);
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].key != NULL)
			*find(index, old.slots[i].key, old.slots[i].length, old.slots[i].hash) = old.slots[i];
	free(old.slots);
}

size_t
index_number(struct index *index, const char *key, size_t length, bool *is_new)
{
	uint64_t hash = hash_of(key, length);
	struct index_slot *slot;

	if (index->count * 2 >= index->slot_count)
		grow(index);
	slot = find(index, key, length, hash);
	*is_new = slot->key == NULL;
	if (*is_new)
		*slot = (struct index_slot){arena_copy(&index->arena, key, length), length, index->count++, hash};
	return slot->number;
}

bool
index_has(const struct index *index, const char *key, size_t length)
{
	return index->count > 0 && find(index, key, length, hash_of(key, length))->key != NULL;
}

void
index_clear(struct index *index)
{
	if (index->slot_count > 0)
		memset(index->slots, 0, index->slot_count * sizeof *index->slots);
	index->count = 0;
	arena_reset(&index->arena);
}

void
index_release(struct index *index)
{
	free(index->slots);
	arena_release(&index->arena);
	*index = (struct index){0};
}
