/*
 * series.c -- see series.h.
 *
 * The caches are emptied when they hold CACHE_MAX names, so that a producer that invents names cannot fill the memory; the
 * database still knows them all.
 */
#include "ledger/series.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_MAX = 200000 };

struct cache {
	struct index names;
	int32_t *numbers; /* by place in `names`; 0: not known yet */
	size_t capacity;
};

struct series_cache {
	struct cache series, sources;
	struct text key;
};

struct series_cache *
series_cache_new(void)
{
	return memory_new(1, sizeof(struct series_cache));
}

static void
cache_release(struct cache *cache)
{
	index_release(&cache->names);
	free(cache->numbers);
}

void
series_cache_free(struct series_cache *cache)
{
	if (cache == NULL)
		return;
	cache_release(&cache->series);
	cache_release(&cache->sources);
	text_release(&cache->key);
	free(cache);
}

/* Where the number of a name is kept. */
static int32_t *
cache_slot(struct cache *cache, const char *name, size_t length)
{
	bool is_new;
	size_t place;

	if (cache->names.count >= CACHE_MAX)
		index_clear(&cache->names);
	place = index_number(&cache->names, name, length, &is_new);
	cache->numbers = memory_grow(cache->numbers, &cache->capacity, place + 1, sizeof *cache->numbers);
	if (is_new)
		cache->numbers[place] = 0;
	return &cache->numbers[place];
}

static void
key_add(struct text *key, struct bytes field)
{
	uint32_t length = (uint32_t)field.length;

	text_add(key, (const char *)&length, sizeof length);
	text_add(key, field.at, field.length);
}

static void
series_key(struct text *key, const struct usage_event *event)
{
	text_clear(key);
	for (int i = 0; i < SERIES_FIELDS; i++)
		key_add(key, event->series[i]);
}

static int32_t
note(struct batch_names *names, const char *name, size_t length, size_t place)
{
	bool is_new;
	size_t number = index_number(&names->index, name, length, &is_new);

	names->name = memory_grow(names->name, &names->room, number + 1, sizeof *names->name);
	if (is_new)
		names->name[number] = (struct batch_name){.place = place};
	return (int32_t)number;
}

int32_t
batch_names_series(struct batch_names *names, const struct usage_event *event, size_t place)
{
	series_key(&names->key, event);
	return note(names, names->key.bytes, names->key.length, place);
}

int32_t
batch_names_source(struct batch_names *names, const struct usage_event *event, size_t place)
{
	return note(names, event->source.at, event->source.length, place);
}

void
batch_names_clear(struct batch_names *names)
{
	index_clear(&names->index);
}

void
batch_names_release(struct batch_names *names)
{
	index_release(&names->index);
	free(names->name);
	text_release(&names->key);
	*names = (struct batch_names){0};
}

/* Asks until a row is there: a concurrent maker's row shows to the statement after the one that met it. */
static bool
find_or_make(struct db *db, enum statement_id statement, struct params params, int32_t *number, struct error *err)
{
	for (int tries = 0; tries < 5; tries++) {
		struct rows rows;

		if (!db_rows(db, statement, params, &rows, err))
			return false;
		if (rows.count > 0) {
			*number = (int32_t)row_number(&rows, 0, 0);
			rows_release(&rows);
			return true;
		}
		rows_release(&rows);
	}
	return error_set(err, ERROR_BUSY, "%s: the row neither exists nor can be made", statements[statement].name);
}

const char *
series_digest(const struct bytes fields[SERIES_FIELDS], char hex[DIGEST_HEX])
{
	unsigned char sum[DIGEST_SIZE];
	struct digest *digest = digest_new();

	for (int i = 0; i < SERIES_FIELDS; i++)
		digest_field(digest, fields[i].at, fields[i].length);
	digest_end(digest, sum);
	digest_free(digest);
	return digest_hex(sum, 16, hex);
}

static bool
series_ask(struct db *db, const struct usage_event *event, int32_t *series, struct error *err)
{
	const char *values[SERIES_FIELDS + 1];
	char hex[DIGEST_HEX];
	struct arena arena = {0};
	bool fine;

	values[0] = series_digest(event->series, hex);
	for (int i = 0; i < SERIES_FIELDS; i++)
		values[i + 1] = arena_copy(&arena, event->series[i].at, event->series[i].length);
	fine = find_or_make(db, SQL_LEDGER_SERIES_FIND_OR_MAKE, (struct params){values, SERIES_FIELDS + 1}, series, err);
	arena_release(&arena);
	return fine;
}

bool
series_find(struct series_cache *cache, struct db *db, const struct usage_event *event, int32_t *series, struct error *err)
{
	int32_t *slot;

	series_key(&cache->key, event);
	slot = cache_slot(&cache->series, cache->key.bytes, cache->key.length);
	if (*slot == 0 && !series_ask(db, event, slot, err))
		return false;
	*series = *slot;
	return true;
}

bool
event_source_find(struct series_cache *cache, struct db *db, struct bytes name, int32_t *source, struct error *err)
{
	int32_t *slot = cache_slot(&cache->sources, name.at, name.length);

	if (*slot == 0) {
		text_clear(&cache->key);
		text_add(&cache->key, name.at, name.length);
		if (!find_or_make(db, SQL_LEDGER_EVENT_SOURCE_FIND_OR_MAKE, PARAMS(text_string(&cache->key)), slot, err))
			return false;
	}
	*source = *slot;
	return true;
}
