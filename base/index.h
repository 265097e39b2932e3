/*
 * index.h -- numbers for byte strings: 0, 1, 2 ... in the order they are first seen.
 *
 * What belongs to a key is kept by the caller in an array by number.
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/memory.h"

struct index_slot;

struct index {
	struct index_slot *slots;
	size_t slot_count, count;
	struct arena arena; /* copies of the keys */
};

/* The number of a key, made when it is new (*is_new says so). */
size_t index_number(struct index *index, const char *key, size_t length, bool *is_new);
/* Is it there? */
bool index_has(const struct index *index, const char *key, size_t length);
/* Forgets all keys. */
void index_clear(struct index *index);
void index_release(struct index *index);

#endif
