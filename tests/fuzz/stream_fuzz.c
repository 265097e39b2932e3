/*
 * stream_fuzz.c -- any bytes as a captured stream of one of the compiled-in formats, which the first byte chooses: it is read the
 * same again, and the same with other line ends and a comment in front, in memory that its length bounds.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/profile_parts.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

enum { FORMATS_MOST = 256 };

static struct profile *profiles[FORMATS_MOST];

static const struct profile *
profile_of(unsigned char chosen)
{
	size_t place = chosen % profile_source_count;
	struct error err;

	must(profile_source_count <= FORMATS_MOST);
	if (profiles[place] == NULL)
		must(profile_open(profile_sources[place].name, NULL, &profiles[place], &err));
	return profiles[place];
}

struct merged {
	struct values values;
	enum closing closing;
	enum reason reason;
	const char *field;
	struct bytes value;
	bool read;
};

static void
merge(const struct profile *profile, struct bytes text, struct arena *arena, struct merged *out)
{
	out->reason = REASON_NONE;
	out->read = profile_stream(profile, text, arena, &out->values, &out->closing, &out->reason, &out->field, &out->value);
	must(out->read == (out->reason == REASON_NONE));
	must(out->read || out->field != NULL);
}

static bool
is_same(struct bytes one, struct bytes other)
{
	return one.length == other.length && (one.length == 0 || memcmp(one.at, other.at, one.length) == 0);
}

static void
check_same(const struct profile *profile, const struct merged *one, const struct merged *other)
{
	must(one->read == other->read && one->reason == other->reason);
	if (!one->read)
		return;
	must(one->closing == other->closing);
	must(memcmp(one->values.set, other->values.set, sizeof one->values.set) == 0);
	must(memcmp(one->values.seen, other->values.seen, sizeof one->values.seen) == 0);
	must(memcmp(one->values.conflict, other->values.conflict, sizeof one->values.conflict) == 0);
	for (size_t i = 0; i < profile->slot_count; i++) {
		if (!value_is_set(&one->values, (short)i))
			continue;
		if (profile->slots[i].kind == SLOT_COUNT)
			must(one->values.count[i] == other->values.count[i]);
		else
			must(is_same(one->values.value[i].text, other->values.value[i].text) ||
			    profile->slots[i].kind == SLOT_OBJECT);
	}
}

/* With a carriage return before each line feed, and a comment in front. */
static struct bytes
otherwise(struct bytes text, struct arena *arena)
{
	char *copy = arena_take(arena, 2 * text.length + 3);
	size_t length = 0;

	memcpy(copy, ":\r\n", 3);
	length = 3;
	for (size_t i = 0; i < text.length; i++) {
		if (text.at[i] == '\n')
			copy[length++] = '\r';
		copy[length++] = text.at[i];
	}
	return (struct bytes){copy, length};
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	const struct profile *profile;
	struct arena arena = {0};
	struct merged *first, *again;
	struct bytes text;

	if (size == 0)
		return 0;
	profile = profile_of(input[0]);
	first = memory_new(1, sizeof *first);
	again = memory_new(1, sizeof *again);
	text = (struct bytes){arena_copy(&arena, (const char *)input + 1, size - 1), size - 1};
	merge(profile, text, &arena, first);
	merge(profile, text, &arena, again);
	check_same(profile, first, again);
	if (stream_is_sse(text) && memchr(text.at, '\r', text.length) == NULL && (unsigned char)text.at[0] != 0xef) {
		merge(profile, otherwise(text, &arena), &arena, again);
		check_same(profile, first, again);
	}
	must(arena.bytes <= 64 * 1024 + 64 * text.length);
	free(first);
	free(again);
	arena_release(&arena);
	return 0;
}
