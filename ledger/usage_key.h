/*
 * usage_key.h -- the identities of a batch: sorted, compared, and those remembered that were booked lately.
 */
#ifndef LEDGER_USAGE_KEY_H
#define LEDGER_USAGE_KEY_H

#include "ledger/key_page.h"

enum admission {
	ADMISSION_NEW,       /* not seen before, as far as was asked */
	ADMISSION_DUPLICATE, /* same identity, same content, same time */
	ADMISSION_RESTAMPED, /* same identity and content, another time: a duplicate, the first time stays */
	ADMISSION_CONFLICT,  /* same identity, other content: the first stays booked */
	ADMISSION_REFUSED,   /* new, but not to be booked for another reason (a correction of nothing) */
};

/* One identity of a batch. */
struct admitted {
	struct key_id id; /* filled by keys_sort */
	struct record *record;
	size_t ordinal; /* the record's place in its batch */
	enum admission admission;
	bool is_final;          /* of a provisional count that was booked: see provisional.h */
	int32_t series, source; /* places in the batch's names; numbers in the database from batch_prepare() on */
};

/* Sorts by identity, then by place, and settles repeats inside the batch: the first one counts. */
void keys_sort(struct admitted *keys, size_t count);
/* The same again: nothing is known of what is booked, and identities may be others than before. */
void keys_sort_again(struct admitted *keys, size_t count);
bool keys_same_identity(const struct admitted *one, const struct admitted *two);
/* The first of `keys` (sorted) with that identity, or `count`. */
size_t keys_find(const struct admitted *keys, size_t count, const struct id128 *id);
/* What the register has for the identity at `at`, the first one of its kind: it and its repeats, which stand behind it, are known. */
void keys_known(struct admitted *keys, size_t count, size_t at, const struct id128 *content, struct instant time);

/* Identities this process has booked lately, in memory: most repeats follow soon, and one found here needs no question to the register.
 * Only what is committed may be remembered. */
struct recent_keys;
struct recent_keys *recent_keys_new(void);
void recent_keys_free(struct recent_keys *recent);
/* Marks those of `keys` (sorted) that are remembered. */
void recent_keys_mark(const struct recent_keys *recent, struct admitted *keys, size_t count);
/* Remembers the new ones of a batch that is committed. */
void recent_keys_remember(struct recent_keys *recent, const struct admitted *keys, size_t count);

/* How an identity already known compares with an event. */
enum admission keys_compare(const struct usage_event *event, const struct id128 *content, struct instant time);

#endif
