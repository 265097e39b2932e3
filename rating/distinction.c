/* distinction.c -- see distinction.h. */
#include "rating/distinction.h"

#include <stdlib.h>
#include <string.h>

struct distinction {
	enum distinction_kind kind;
	int64_t boundary;
	const char *name;
	struct instant since;
};

enum distinction_kind
distinction_kind_find(const char *name)
{
	static const char *const names[DISTINCT_KINDS] = {"input", "uncached_input", "output", "part", "engine", "tag"};
	int kind = 0;

	while (kind < DISTINCT_KINDS && strcmp(names[kind], name) != 0)
		kind++;
	return (enum distinction_kind)kind;
}

void
distinctions_add(struct distinctions *set, enum distinction_kind kind, int64_t boundary, const char *name, struct instant since)
{
	must(kind < DISTINCT_KINDS && set->eras == NULL);
	set->items = memory_grow(set->items, &set->room, set->count + 1, sizeof *set->items);
	set->items[set->count++] = (struct distinction){kind, boundary, arena_copy(&set->arena, name, strlen(name)), since};
}

/* By kind, then rising. */
static int
compare_values(const void *a, const void *b)
{
	const struct distinction *one = a, *two = b;

	if (one->kind != two->kind)
		return one->kind < two->kind ? -1 : 1;
	if (one->boundary != two->boundary)
		return one->boundary < two->boundary ? -1 : 1;
	return strcmp(one->name, two->name);
}

static int
compare_times(const void *a, const void *b)
{
	const struct era *one = a, *two = b;

	return one->since.us < two->since.us ? -1 : one->since.us > two->since.us;
}

static void
fill_era(const struct distinctions *set, struct era *era, struct arena *arena)
{
	for (int kind = 0; kind < DISTINCT_BOUNDARIES; kind++)
		era->boundaries[kind].at = arena_take(arena, set->count * sizeof *era->boundaries[kind].at);
	era->tags = arena_take(arena, set->count * sizeof *era->tags);
	for (size_t i = 0; i < set->count; i++) {
		const struct distinction *item = &set->items[i];

		if (item->since.us > era->since.us)
			continue;
		if (item->kind == DISTINCT_ENGINE)
			era->engine = true;
		else if (item->kind == DISTINCT_TAG) {
			/* Several rules may name a tag. */
			if (era->tag_count == 0 || strcmp(era->tags[era->tag_count - 1], item->name) != 0)
				era->tags[era->tag_count++] = item->name;
		} else
			era->boundaries[item->kind].at[era->boundaries[item->kind].count++] = item->boundary;
	}
}

void
distinctions_settle(struct distinctions *set)
{
	must(set->eras == NULL);
	if (set->count == 0)
		return;
	qsort(set->items, set->count, sizeof *set->items, compare_values);
	set->eras = memory_new(set->count, sizeof *set->eras);
	for (size_t i = 0; i < set->count; i++)
		set->eras[i].since = set->items[i].since;
	qsort(set->eras, set->count, sizeof *set->eras, compare_times);
	for (size_t i = 0; i < set->count; i++)
		if (i == 0 || set->eras[i].since.us != set->eras[set->era_count - 1].since.us)
			set->eras[set->era_count++].since = set->eras[i].since;
	for (size_t i = 0; i < set->era_count; i++)
		fill_era(set, &set->eras[i], &set->arena);
}

const struct era *
distinctions_at(const struct distinctions *set, struct instant time)
{
	size_t low = 0, high = set->era_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->eras[middle].since.us <= time.us)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : &set->eras[low - 1];
}

bool
distinctions_need_context(const struct distinctions *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].kind >= DISTINCT_BOUNDARIES)
			return true;
	return false;
}

void
distinctions_release(struct distinctions *set)
{
	free(set->items);
	free(set->eras);
	arena_release(&set->arena);
	*set = (struct distinctions){0};
}

int64_t
boundary_below(const struct boundaries *boundaries, int64_t size)
{
	size_t low = 0, high = boundaries->count;

	if (high == 0 || size < 0)
		return -1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (boundaries->at[middle] <= size)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? 0 : boundaries->at[low - 1];
}
