/* key_page.c -- see key_page.h. */
#include "ledger/key_page.h"

#include <endian.h>
#include <string.h>

#include "base/copy_binary.h"

static inline uint64_t
get64(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof value);
	return be64toh(value);
}

static inline void
put64(unsigned char *at, uint64_t value)
{
	value = htobe64(value);
	memcpy(at, &value, sizeof value);
}

static inline uint32_t
get32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof value);
	return be32toh(value);
}

static inline void
put32(unsigned char *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof value);
}

struct key_id
key_id_of(const struct id128 *id)
{
	return (struct key_id){get64(id->byte), get64(id->byte + 8)};
}

void
key_id_bytes(struct key_id id, unsigned char out[16])
{
	put64(out, id.high);
	put64(out + 8, id.low);
}

void
key_page_encode(const struct key *keys, size_t count, unsigned char *out)
{
	unsigned char *content = out + 16 * count, *time = out + 32 * count, *batch = out + 40 * count;

	must(count > 0 && count <= KEY_PAGE_KEYS);
	for (size_t i = 0; i < count; i++) {
		must(keys[i].batch >= 0 && keys[i].batch <= UINT32_MAX);
		key_id_bytes(keys[i].id, out + 16 * i);
		memcpy(content + 16 * i, keys[i].content.byte, 16);
		put64(time + 8 * i, (uint64_t)keys[i].time_us);
		put32(batch + 4 * i, (uint32_t)keys[i].batch);
	}
}

void
key_page_row(const struct key *keys, size_t count, int64_t run, struct text *out)
{
	unsigned char page[KEY_PAGE_BYTES];

	key_page_encode(keys, count, page);
	copy_row(out, 3);
	copy_bigint(out, run);
	copy_field(out, page, 16); /* a page begins with its first identity */
	copy_field(out, page, KEY_BYTES * count);
}

bool
key_page_open(struct key_page *page, const char *bytes, size_t length)
{
	*page = (struct key_page){(const unsigned char *)bytes, length / KEY_BYTES};
	return length % KEY_BYTES == 0 && page->count > 0 && page->count <= KEY_PAGE_KEYS;
}

struct key_id
key_page_id(const struct key_page *page, size_t at)
{
	return (struct key_id){get64(page->bytes + 16 * at), get64(page->bytes + 16 * at + 8)};
}

struct key
key_page_key(const struct key_page *page, size_t at)
{
	size_t n = page->count;
	struct key key = {.id = key_page_id(page, at),
	    .time_us = (int64_t)get64(page->bytes + 32 * n + 8 * at),
	    .batch = get32(page->bytes + 40 * n + 4 * at)};

	memcpy(key.content.byte, page->bytes + 16 * n + 16 * at, 16);
	return key;
}
