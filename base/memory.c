/* memory.c -- see memory.h. */
#include "base/memory.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 256 * 1024 };

/* Under the address sanitizer a reset keeps one block only, so that most pointers that outlive it are found. */
#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

static void *
checked(void *memory)
{
	if (memory == NULL) {
		fputs("tollbook: out of memory; the open transaction is not committed\n", stderr);
		abort();
	}
	return memory;
}

void *
memory_new(size_t count, size_t size)
{
	return checked(calloc(count > 0 ? count : 1, size));
}

void *
memory_grow(void *old, size_t *capacity, size_t wanted, size_t size)
{
	size_t room = *capacity > 0 ? *capacity : 16, bytes;

	if (wanted <= *capacity && old != NULL)
		return old;
	while (room < wanted)
		must(!__builtin_mul_overflow(room, 2, &room));
	must(!__builtin_mul_overflow(room, size, &bytes));
	*capacity = room;
	return checked(realloc(old, bytes));
}

/* A block with that much room: one that was used before, or a new one. */
static struct arena_block *
next_block(struct arena *arena, size_t wanted)
{
	struct arena_block *block = arena->spare;

	if (block != NULL && wanted <= ARENA_BLOCK) {
		arena->spare = block->older;
	} else {
		size_t room = wanted > ARENA_BLOCK ? wanted : ARENA_BLOCK;

		block = checked(malloc(sizeof *block + room));
		block->size = room;
	}
	block->used = 0;
	block->older = arena->newest;
	arena->newest = block;
	return block;
}

void *
arena_take(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->newest;
	size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	void *taken;

	must(rounded >= size);
	if (block == NULL || block->size - block->used < rounded)
		block = next_block(arena, rounded);
	taken = block->bytes + block->used;
	block->used += rounded;
	arena->bytes += rounded;
	return taken;
}

const char *
arena_copy(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_take(arena, length + 1);

	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

const char *
arena_format(struct arena *arena, const char *format, ...)
{
	va_list arguments, again;
	int length;
	char *made;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	must(length >= 0);
	made = arena_take(arena, (size_t)length + 1);
	vsnprintf(made, (size_t)length + 1, format, again);
	va_end(again);
	return made;
}

/* Keeps the blocks of the usual size, so that a batch after a batch asks the system for nothing: pages that are given back have to
 * be cleared again before the next batch gets them. */
void
arena_reset(struct arena *arena)
{
	struct arena_block *block = arena->newest;

	while (block != NULL) {
		struct arena_block *older = block->older;

		if (block->size == ARENA_BLOCK && (!SANITIZED || arena->spare == NULL)) {
			block->older = arena->spare;
			arena->spare = block;
		} else {
			free(block);
		}
		block = older;
	}
	arena->newest = NULL;
	arena->bytes = 0;
}

void
arena_release(struct arena *arena)
{
	arena_reset(arena);
	while (arena->spare != NULL) {
		struct arena_block *block = arena->spare;

		arena->spare = block->older;
		free(block);
	}
	*arena = (struct arena){0};
}

void
text_reserve(struct text *text, size_t length)
{
	text->bytes = memory_grow(text->bytes, &text->capacity, text->length + length + 1, 1);
}

void
text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void
text_add_format(struct text *text, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	must(length >= 0);
	text_reserve(text, (size_t)length);
	vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
	va_end(again);
	text->length += (size_t)length;
}

const char *
text_string(struct text *text)
{
	text_add(text, "", 0);
	return text->bytes;
}

void
text_clear(struct text *text)
{
	text->length = 0;
}

void
text_release(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}
