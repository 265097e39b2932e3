/*
 * memory.h -- the one way to own memory.
 *
 * Long-lived things are owned by exactly one struct, whose x_release() frees them.  Things that
 * live as long as a batch, a file or a command come from an arena and are never freed one by one:
 * pointers out of an arena are const and die with arena_reset() or arena_release().
 * Lack of memory is not an error to handle: it stops the process, and the transaction with it.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* `count` zeroed items of `size` bytes; free() ends it.  Never NULL, also for nothing. */
void *memory_new(size_t count, size_t size);
/* Room for at least `wanted` items: doubles *capacity and moves `old` when it is too small. */
void *memory_grow(void *old, size_t *capacity, size_t wanted, size_t size);

/* A span of bytes that somebody else owns; not ended by a NUL. */
struct bytes {
	const char *at;
	size_t length;
};

struct arena_block;
struct arena {
	struct arena_block *newest;
	struct arena_block *spare; /* of before the last reset, to be used again */
	size_t bytes;              /* taken since the last reset */
};

void *arena_take(struct arena *arena, size_t size);
/* A copy of `length` bytes with a NUL behind it. */
const char *arena_copy(struct arena *arena, const char *bytes, size_t length);
const char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
/* All that was taken is gone; the memory stays for what is taken next. */
void arena_reset(struct arena *arena);
void arena_release(struct arena *arena);

/* A buffer of bytes that grows.  text_string() is its content with a NUL behind it. */
struct text {
	char *bytes;
	size_t length, capacity;
};

/* Room for `length` more bytes and a NUL. */
void text_reserve(struct text *text, size_t length);

/* On the path of every field of every row: where there is room it is a copy and no call. */
static inline void
text_add(struct text *text, const char *bytes, size_t length)
{
	if (text->capacity - text->length <= length)
		text_reserve(text, length);
	if (length > 0)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_add_string(struct text *text, const char *string);
void text_add_format(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
const char *text_string(struct text *text);
void text_clear(struct text *text);
void text_release(struct text *text);

#endif
