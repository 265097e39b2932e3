/* usage_key.c -- see usage_key.h. */
#include "ledger/usage_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"

static uint64_t
big_endian(const unsigned char *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | bytes[i];
	return value;
}

static int
compare(const void *a, const void *b)
{
	const struct admitted *one = a, *two = b;

	if (one->high != two->high)
		return one->high < two->high ? -1 : 1;
	if (one->low != two->low)
		return one->low < two->low ? -1 : 1;
	return one->ordinal < two->ordinal ? -1 : one->ordinal > two->ordinal;
}

bool
keys_same_identity(const struct admitted *one, const struct admitted *two)
{
	return one->high == two->high && one->low == two->low;
}

enum admission
keys_compare(const struct usage_event *event, const struct id128 *content, struct instant time)
{
	if (memcmp(&event->content, content, sizeof *content) != 0)
		return ADMISSION_CONFLICT;
	return event->time.us == time.us ? ADMISSION_DUPLICATE : ADMISSION_RESTAMPED;
}

void
keys_sort(struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		keys[i].high = big_endian(keys[i].record->event.event_id.byte);
		keys[i].low = big_endian(keys[i].record->event.event_id.byte + 8);
	}
	qsort(keys, count, sizeof *keys, compare);
	for (size_t i = 1, first = 0; i < count; i++) {
		const struct usage_event *event = &keys[first].record->event;

		if (keys_same_identity(&keys[first], &keys[i]))
			keys[i].admission = keys_compare(&keys[i].record->event, &event->content, event->time);
		else
			first = i;
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
	struct admitted wanted = {.high = big_endian(id->byte), .low = big_endian(id->byte + 8)};
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

/* Applies one register row to the key it is about and to the key's repeats, which stand behind it. */
static void
apply_known(
    struct admitted *keys, size_t count, const struct id128 *id, const struct id128 *content, struct instant time, int64_t *known)
{
	size_t at = keys_find(keys, count, id);

	must(at < count);
	*known += !keys[at].doubtful;
	for (size_t first = at; at < count && keys_same_identity(&keys[at], &keys[first]); at++)
		keys[at].admission = keys_compare(&keys[at].record->event, content, time);
}

/* The identities to ask for, as an array parameter; false where there are none. */
static bool
list_ids(const struct admitted *keys, size_t count, bool all, struct text *ids)
{
	char hex[33];

	for (size_t i = 0; i < count; i++) {
		if (keys[i].admission != ADMISSION_NEW || (!all && !keys[i].doubtful))
			continue;
		text_add(ids, ids->length == 0 ? "{" : ",", 1);
		text_add_string(ids, digest_hex(keys[i].record->event.event_id.byte, 16, hex));
	}
	if (ids->length == 0)
		return false;
	text_add(ids, "}", 1);
	return true;
}

bool
keys_probe(struct db *db, struct admitted *keys, size_t count, bool all, int64_t *known, struct error *err)
{
	struct text ids = {0};
	struct rows rows;
	bool fine = true;

	*known = 0;
	if (list_ids(keys, count, all, &ids)) {
		fine = db_rows(db, SQL_LEDGER_USAGE_KEY_PROBE, PARAMS(text_string(&ids)), &rows, err);
		for (int i = 0; fine && i < rows.count; i++) {
			struct id128 id, content;

			digest_unhex(row_text(&rows, i, 0), sizeof id.byte, id.byte);
			digest_unhex(row_text(&rows, i, 1), sizeof content.byte, content.byte);
			apply_known(keys, count, &id, &content, row_instant(&rows, i, 2), known);
		}
		if (fine)
			rows_release(&rows);
	}
	text_release(&ids);
	return fine;
}

enum { COPY_PIECE = 64 << 10 };

static void
encode_key(struct text *out, const struct usage_event *event, int64_t batch_id)
{
	copy_row(out, 4);
	copy_field(out, event->event_id.byte, sizeof event->event_id.byte);
	copy_field(out, event->content.byte, sizeof event->content.byte);
	copy_instant(out, event->time);
	copy_bigint(out, batch_id);
}

bool
keys_insert(struct db *db, const struct admitted *keys, size_t count, int64_t batch_id, struct text *buffer, struct error *err)
{
	int64_t wanted = 0, taken;

	if (!db_copy_in_begin(db, SQL_LEDGER_USAGE_KEY_COPY, err))
		return false;
	text_clear(buffer);
	copy_header(buffer);
	/* In pieces, so that the server works on one while the next is made. */
	for (size_t i = 0; i < count; i++) {
		if (keys[i].admission != ADMISSION_NEW)
			continue;
		encode_key(buffer, &keys[i].record->event, batch_id);
		wanted++;
		if (buffer->length < COPY_PIECE)
			continue;
		if (!db_copy_in_bytes(db, buffer->bytes, buffer->length, err))
			return false;
		text_clear(buffer);
	}
	copy_trailer(buffer);
	if (!db_copy_in_bytes(db, buffer->bytes, buffer->length, err) || !db_copy_in_end(db, &taken, err))
		return false;
	must(taken == wanted);
	return true;
}

/* --- identities booked lately ----------------------------------------------------------------- */

enum { RECENT_SLOTS = 1 << 19, FILTER_WORDS = 8, FILTER_BLOCKS = 1 << 17, FILTER_KEYS = 6000000 };

/* A split block Bloom filter: a key has one bit in each of the eight words of one cache line.  Eleven bits a key when full, so that
 * about one in a hundred is doubted for nothing. */
struct key_filter {
	uint64_t block[FILTER_BLOCKS][FILTER_WORDS];
	size_t keys;
};

/* An identity has two slots to be in, and takes the place of the older one.  When a filter is full the one before it starts afresh. */
struct recent_keys {
	struct recent_slot {
		uint64_t high, low;
		struct id128 content;
		struct instant time;
		uint64_t batch; /* 0: free; else the place of its batch among those remembered */
	} slot[RECENT_SLOTS];
	uint64_t batches;
	struct key_filter filter[2];
	int filling;
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

static uint64_t
filter_bit(const struct admitted *key, int word)
{
	return (uint64_t)1 << (key->high >> (6 * word) & 63);
}

static bool
filter_has(const struct key_filter *filter, const struct admitted *key)
{
	const uint64_t *block = filter->block[key->low % FILTER_BLOCKS];

	for (int i = 0; i < FILTER_WORDS; i++)
		if ((block[i] & filter_bit(key, i)) == 0)
			return false;
	return true;
}

static void
filter_add(struct recent_keys *recent, const struct admitted *key)
{
	struct key_filter *filter = &recent->filter[recent->filling];

	if (filter->keys == FILTER_KEYS) {
		recent->filling = !recent->filling;
		filter = &recent->filter[recent->filling];
		memset(filter, 0, sizeof *filter);
	}
	for (int i = 0; i < FILTER_WORDS; i++)
		filter->block[key->low % FILTER_BLOCKS][i] |= filter_bit(key, i);
	filter->keys++;
}

/* Slots are neighbours, so that one look at memory serves both. */
static size_t
first_slot(const struct admitted *key)
{
	return key->low % RECENT_SLOTS & ~(size_t)1;
}

void
recent_keys_mark(const struct recent_keys *recent, struct admitted *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct recent_slot *slot = &recent->slot[first_slot(&keys[i])];

		for (int j = 0; j < 2; j++)
			if (slot[j].high == keys[i].high && slot[j].low == keys[i].low && slot[j].batch != 0)
				keys[i].admission = keys_compare(&keys[i].record->event, &slot[j].content, slot[j].time);
		/* A correction must have been asked for, and what made this one of a count may have come before. */
		keys[i].doubtful =
		    keys[i].is_final || filter_has(&recent->filter[0], &keys[i]) || filter_has(&recent->filter[1], &keys[i]);
	}
}

void
recent_keys_remember(struct recent_keys *recent, const struct admitted *keys, size_t count)
{
	recent->batches++;
	for (size_t i = 0; i < count; i++) {
		struct recent_slot *slot = &recent->slot[first_slot(&keys[i])];

		if (keys[i].admission != ADMISSION_NEW)
			continue;
		slot[slot[0].batch > slot[1].batch] = (struct recent_slot){
		    keys[i].high, keys[i].low, keys[i].record->event.content, keys[i].record->event.time, recent->batches};
		filter_add(recent, &keys[i]);
	}
}
