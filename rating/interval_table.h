/*
 * interval_table.h -- sums by series, interval, request class and meter, in memory, on their way to the database.
 *
 * Memory is bounded: a table that is nearly full is written to the output and emptied, so that one interval may leave in several
 * increments; output that is large waits in a temporary file, because the connection is busy with the rows coming out.
 */
#ifndef RATING_INTERVAL_TABLE_H
#define RATING_INTERVAL_TABLE_H

#include "rating/request_class.h"

struct interval_table;

/* `skip_zeros`: sums that are zero are not written.  For moves between classes, where most of what is taken away comes back. */
struct interval_table *interval_table_new(int64_t rating_run, bool skip_zeros);
void interval_table_free(struct interval_table *table);
/* Adds a row as it was split; `sign` is 1 or -1.  An error of kind RANGE where a sum exceeds 64 bits. */
MUST_CHECK
bool interval_table_add(struct interval_table *table, int32_t series, const struct usage_row *row,
    const struct usage_split *split, int sign, struct error *err);
/* Between two rows: makes room for the next one. */
MUST_CHECK
bool interval_table_room(struct interval_table *table, struct error *err);
/* Writes everything to the database; *increments grows by how many rows that were. */
MUST_CHECK
bool interval_table_send(struct interval_table *table, struct db *db, int64_t *increments, struct error *err);

#endif
