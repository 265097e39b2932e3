/*
 * migrate.h -- numbered schema changes: sql/migrations/NNNN_name.sql, each applied once, in order, in its own
 * transaction, with the SHA-256 of its text kept.  An applied one that is changed or missing in the program is refused.
 */
#ifndef BASE_MIGRATE_H
#define BASE_MIGRATE_H

#include "base/db.h"

/* Applies what is missing; *applied is how many were. */
MUST_CHECK
bool migrate_apply(struct db *db, struct instant now, int *applied, struct error *err);
/* An error of kind STATE, with what to run, unless the schema is exactly the program's. */
MUST_CHECK
bool migrate_check(struct db *db, struct error *err);

#endif
