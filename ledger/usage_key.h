/*
 * usage_key.h -- the dedupe register: admit identities, learn which are new, known, or in conflict.
 */
#ifndef LEDGER_USAGE_KEY_H
#define LEDGER_USAGE_KEY_H

#include "base/db.h"
#include "ledger/usage_event.h"

enum admission {
	ADMISSION_NEW,       /* not seen before; in the register when keys_admit() returned */
	ADMISSION_DUPLICATE, /* same identity, same content, same time */
	ADMISSION_RESTAMPED, /* same identity and content, another time: a duplicate, the first time stays */
	ADMISSION_CONFLICT,  /* same identity, other content: the first stays booked */
	ADMISSION_REFUSED,   /* new, but not to be booked for another reason (a correction of nothing) */
};

/* One identity of a batch. */
struct admitted {
	uint64_t high, low; /* the identity, as numbers that sort like its bytes; filled by keys_sort */
	struct record *record;
	size_t ordinal; /* the record's place in its batch */
	enum admission admission;
	bool doubtful;          /* perhaps in the register: recent_keys_mark() thinks so */
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
/* Asks the register for the doubtful ones, or for all, and marks those it knows; *known is how many of these nobody had doubted.
 * `keys` are sorted. */
MUST_CHECK
bool keys_probe(struct db *db, struct admitted *keys, size_t count, bool all, int64_t *known, struct error *err);
/* Copies the new ones into the register; error_is_sqlstate(err, "23505") when another process was faster. */
MUST_CHECK
bool keys_insert(
    struct db *db, const struct admitted *keys, size_t count, int64_t batch_id, struct text *buffer, struct error *err);

/* Identities this process has booked, in memory: most repeats follow soon, and one found here needs no question to the register.
 * Of the latest ones everything is remembered, of millions before them only that they may have been; the others are forgotten.
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
