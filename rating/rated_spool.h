/*
 * rated_spool.h -- rated periods that wait to be booked: in memory up to some MiB, then in a temporary file.
 */
#ifndef RATING_RATED_SPOOL_H
#define RATING_RATED_SPOOL_H

#include "rating/rated_rows.h"

struct rated_spool;

struct rated_spool *rated_spool_new(void);
void rated_spool_free(struct rated_spool *spool);
/* Behind what is there; `place` is the caller's, to know it by again, and rises.  An error of kind AWAY where there is no room. */
MUST_CHECK
bool rated_spool_add(struct rated_spool *spool, int64_t place, const struct rated_rows *rows, struct error *err);
/* The next one, from the first on; nothing is added any more.  *there says whether there is one; *rows is lent until the next call. */
MUST_CHECK
bool rated_spool_next(struct rated_spool *spool, int64_t *place, const struct rated_rows **rows, bool *there, struct error *err);

#endif
