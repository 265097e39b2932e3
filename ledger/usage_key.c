/* usage_key.c -- see usage_key.h. */
#include "ledger/usage_key.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
	const struct admitted *one = a, *two = b;
	int order = key_id_compare(one->id, two->id);

	if (order != 0)
		return order;
	return one->ordinal < two->ordinal ? -1 : one->ordinal > two->ordinal;
}

bool
keys_same_identity(const struct admitted *one, const struct admitted *two)
{
	return key_id_compare(one->id, two->id) == 0;
}

enum admission
keys_compare(const struct usage_event *event, const struct id128 *content, struct instant time)
{
	if (memcmp(&event->content, content, sizeof *content) != 0)
		return ADMISSION_CONFLICT;
	return event->time.us == time.us ? ADMISSION_DUPLICATE : ADMISSION_RESTAMPED;
}

/* An identity on its way to its place. */
struct place {
	uint64_t high;
	size_t index; /* among the keys as they were given */
};

enum { FEW = 64, AHEAD = 8 };

static int
compare_places(const struct admitted *keys, const struct place *one, const struct place *two)
{
	return one->high != two->high ? (one->high < two->high ? -1 : 1) : compare(&keys[one->index], &keys[two->index]);
}

static int
compare_places_of(const void *a, const void *b, void *keys)
{
	return compare_places(keys, a, b);
}

/* A few that have the first bits in common. */
static void
sort_places(struct admitted *keys, struct place *places, size_t count)
{
	if (count > FEW) {
		qsort_r(places, count, sizeof *places, compare_places_of, keys);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct place moving = places[i];
		size_t at = i;

		for (; at > 0 && compare_places(keys, &places[at - 1], &moving) > 0; at--)
			places[at] = places[at - 1];
		places[at] = moving;
	}
}

/* Identities are digests: told apart by as many of their first bits as there are keys, nearly each is alone.  One pass puts them
 * there, and what is left to be compared are those few that are not; many only where somebody made them so. */
static void
order_places(struct admitted *keys, struct place *places, size_t count)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(count | 1);
	size_t buckets = (size_t)1 << bits;
	uint32_t *ends = memory_new(buckets + 1, sizeof *ends);

	for (size_t i = 0; i < count; i++)
		ends[(keys[i].id.high >> (64 - bits)) + 1]++;
	for (size_t i = 0; i < buckets; i++)
		ends[i + 1] += ends[i];
	for (size_t i = 0; i < count; i++)
		places[ends[keys[i].id.high >> (64 - bits)]++] = (struct place){keys[i].id.high, i};
	/* Now each bucket's number is its end. */
	for (size_t i = 0; i < buckets; i++) {
		size_t begin = i == 0 ? 0 : ends[i - 1];

		if (ends[i] - begin > 1)
			sort_places(keys, places + begin, ends[i] - begin);
	}
	free(ends);
}

/* Places are sorted, and each key moves once: a key is six times as long as its place. */
static void
order_keys(struct admitted *keys, size_t count)
{
	size_t places_room = 0, given_room = 0;
	struct place *places = memory_grow(NULL, &places_room, count, sizeof *places);
	struct admitted *given = memory_grow(NULL, &given_room, count, sizeof *given);

	must(count < UINT32_MAX);
	order_places(keys, places, count);
	if (count > 0)
		memcpy(given, keys, count * sizeof *given);
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(&given[places[i + AHEAD].index]);
		keys[i] = given[places[i].index];
	}
	free(given);
	free(places);
}

void
keys_sort(struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(&keys[i + AHEAD].record->event.event_id);
		keys[i].id = key_id_of(&keys[i].record->event.event_id);
	}
	order_keys(keys, count);
	for (size_t i = 1, first = 0; i < count; i++) {
		if (keys_same_identity(&keys[first], &keys[i])) {
			const struct usage_event *event = &keys[first].record->event;

			keys[i].admission = keys_compare(&keys[i].record->event, &event->content, event->time);
		} else {
			first = i;
		}
	}
}

void
keys_sort_again(struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		keys[i].admission = ADMISSION_NEW;
	keys_sort(keys, count);
}

size_t
keys_find(const struct admitted *keys, size_t count, const struct id128 *id)
{
	struct admitted wanted = {.id = key_id_of(id)};
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&keys[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && keys_same_identity(&keys[low], &wanted) ? low : count;
}

void
keys_known(struct admitted *keys, size_t count, size_t at, const struct id128 *content, struct instant time)
{
	for (size_t first = at; at < count && keys_same_identity(&keys[at], &keys[first]); at++)
		keys[at].admission = keys_compare(&keys[at].record->event, content, time);
}

/* --- identities booked lately ----------------------------------------------------------------- */

enum { RECENT_SLOTS = 1 << 19 };

/* An identity has two slots to be in, and takes the place of the older one. */
struct recent_keys {
	struct recent_slot {
		struct key_id id;
		struct id128 content;
		struct instant time;
		uint64_t batch; /* 0: free; else the place of its batch among those remembered */
	} slot[RECENT_SLOTS];
	uint64_t batches;
};

struct recent_keys *
recent_keys_new(void)
{
	return memory_new(1, sizeof(struct recent_keys));
}

void
recent_keys_free(struct recent_keys *recent)
{
	free(recent);
}

/* Sorted identities sweep the slots in their order; the two of one are neighbours, so that one look at memory serves both. */
static size_t
first_slot(const struct admitted *key)
{
	return (size_t)((key->id.high >> 32) * RECENT_SLOTS >> 32) & ~(size_t)1;
}

void
recent_keys_mark(const struct recent_keys *recent, struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct recent_slot *slot = &recent->slot[first_slot(&keys[i])];

		for (int j = 0; j < 2; j++)
			if (slot[j].batch != 0 && key_id_compare(slot[j].id, keys[i].id) == 0)
				keys[i].admission = keys_compare(&keys[i].record->event, &slot[j].content, slot[j].time);
	}
}

void
recent_keys_remember(struct recent_keys *recent, const struct admitted *keys, size_t count)
{
	recent->batches++;
	for (size_t i = 0; i < count; i++) {
		struct recent_slot *slot = &recent->slot[first_slot(&keys[i])];

		if (keys[i].admission == ADMISSION_NEW)
			slot[slot[0].batch > slot[1].batch] = (struct recent_slot){
			    keys[i].id, keys[i].record->event.content, keys[i].record->event.time, recent->batches};
	}
}
