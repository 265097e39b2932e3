/*
 * key_page.h -- how identities are kept in the dedupe register: sorted, packed into pages, which are rows of metering.key_page.
 *
 * A page of n keys is 44 n bytes: n identities of 16 bytes, n content digests of 16, n event times (microseconds since 1970, 8 bytes),
 * n batch numbers (less the first batch of the run, 4 bytes); numbers are big-endian.  The pages of a run follow each other in the
 * order of identities, and all but the last are full.
 */
#ifndef LEDGER_KEY_PAGE_H
#define LEDGER_KEY_PAGE_H

#include "ledger/key_filter.h"
#include "ledger/usage_event.h"

enum { KEY_PAGE_KEYS = 60, KEY_BYTES = 44, KEY_PAGE_BYTES = KEY_PAGE_KEYS * KEY_BYTES };

struct key {
	struct key_id id;
	struct id128 content;
	int64_t time_us;
	int64_t batch; /* less the first batch of its run */
};

struct key_id key_id_of(const struct id128 *id);
void key_id_bytes(struct key_id id, unsigned char out[16]);
/* Less than, equal to or greater than 0. */
static inline int
key_id_compare(struct key_id one, struct key_id two)
{
	if (one.high != two.high)
		return one.high < two.high ? -1 : 1;
	return one.low < two.low ? -1 : one.low > two.low;
}

/* The bytes of a page of 1 to KEY_PAGE_KEYS keys, KEY_BYTES each, into `out`. */
void key_page_encode(const struct key *keys, size_t count, unsigned char *out);
/* Appends a row of key_page_copy.sql. */
void key_page_row(const struct key *keys, size_t count, int64_t run, struct text *out);

/* A page as it is stored; its bytes belong to somebody else. */
struct key_page {
	const unsigned char *bytes;
	size_t count;
};
/* False where these bytes are no page. */
bool key_page_open(struct key_page *page, const char *bytes, size_t length);
struct key_id key_page_id(const struct key_page *page, size_t at);
struct key key_page_key(const struct key_page *page, size_t at);

#endif
