/* archive_dictionary.c -- see archive_dictionary.h. */
#include "ledger/archive_dictionary.h"

#include <stdlib.h>

#include "ledger/usage_event.h"

const char *const archive_series_names[SERIES_FIELDS] = {
#define SERIES_FIELD(name, column) [SERIES_##name] = #column,
#include "ledger/series_fields.def"
#undef SERIES_FIELD
};

static struct bytes
keep(struct arena *arena, struct bytes bytes)
{
	return (struct bytes){bytes.length == 0 ? "" : arena_copy(arena, bytes.at, bytes.length), bytes.length};
}

bool
archive_dictionary_series(struct archive_dictionary *dictionary, int32_t number, const struct bytes field[SERIES_FIELDS])
{
	struct archive_series *series;

	if (dictionary->series_count > 0 && dictionary->series[dictionary->series_count - 1].number >= number)
		return false;
	dictionary->series =
	    memory_grow(dictionary->series, &dictionary->series_room, dictionary->series_count + 1, sizeof *dictionary->series);
	series = &dictionary->series[dictionary->series_count++];
	series->number = number;
	for (int i = 0; i < SERIES_FIELDS; i++)
		series->field[i] = keep(&dictionary->arena, field[i]);
	return true;
}

bool
archive_dictionary_source(struct archive_dictionary *dictionary, int32_t number, struct bytes name)
{
	if (dictionary->source_count > 0 && dictionary->sources[dictionary->source_count - 1].number >= number)
		return false;
	dictionary->sources =
	    memory_grow(dictionary->sources, &dictionary->source_room, dictionary->source_count + 1, sizeof *dictionary->sources);
	dictionary->sources[dictionary->source_count++] = (struct archive_source){number, keep(&dictionary->arena, name)};
	return true;
}

/* Both begin with their number. */
static int
by_number(const void *key, const void *item)
{
	int32_t one = *(const int32_t *)key, other = *(const int32_t *)item;

	return one < other ? -1 : one > other;
}

static const void *
find(int32_t number, const void *items, size_t count, size_t size)
{
	return count == 0 ? NULL : bsearch(&number, items, count, size, by_number);
}

const struct archive_series *
archive_series_find(const struct archive_dictionary *dictionary, int32_t number)
{
	return find(number, dictionary->series, dictionary->series_count, sizeof *dictionary->series);
}

const struct archive_source *
archive_source_find(const struct archive_dictionary *dictionary, int32_t number)
{
	return find(number, dictionary->sources, dictionary->source_count, sizeof *dictionary->sources);
}

void
archive_dictionary_release(struct archive_dictionary *dictionary)
{
	free(dictionary->series);
	free(dictionary->sources);
	arena_release(&dictionary->arena);
	*dictionary = (struct archive_dictionary){0};
}

struct id128
archive_identity(const struct archive_series *series, const struct archive_source *source, struct bytes id)
{
	struct usage_event event = {.ref_source = source->name, .ref_id = id};

	event.series[SERIES_TENANT] = series->field[SERIES_TENANT];
	return event_original(&event);
}
