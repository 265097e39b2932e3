/*
 * series.h -- numbers for what usage is attributed to (metering.usage_series) and for producers (metering.event_source).
 *
 * Found in memory, else in the database, else made there.  Rows are made in transactions of their own, before the batch
 * that needs them: one made for a batch that is then rolled back is unused and harmless.
 */
#ifndef LEDGER_SERIES_H
#define LEDGER_SERIES_H

#include "base/db.h"
#include "base/index.h"
#include "base/digest.h"
#include "ledger/usage_event.h"

struct series_cache;

/* The distinct series, or sources, of a batch, numbered 0, 1, 2 ... in the order they are first seen; needs no database. */
struct batch_names {
	struct index index;
	struct batch_name {
		size_t place;   /* of the first record that has it */
		int32_t number; /* in the database, once asked for */
	} * name;
	size_t room;
	struct text key;
};

int32_t batch_names_series(struct batch_names *names, const struct usage_event *event, size_t place);
int32_t batch_names_source(struct batch_names *names, const struct usage_event *event, size_t place);
void batch_names_clear(struct batch_names *names);
void batch_names_release(struct batch_names *names);

struct series_cache *series_cache_new(void);
void series_cache_free(struct series_cache *cache);
/* What a series is known by: the first half of the SHA-256 of its fields; in `hex`. */
const char *series_digest(const struct bytes fields[SERIES_FIELDS], char hex[DIGEST_HEX]);
/* No transaction may be open, unless the cache is thrown away where it is rolled back. */
MUST_CHECK
bool series_find(struct series_cache *cache, struct db *db, const struct usage_event *event, int32_t *series, struct error *err);
MUST_CHECK
bool event_source_find(struct series_cache *cache, struct db *db, struct bytes name, int32_t *source, struct error *err);

#endif
