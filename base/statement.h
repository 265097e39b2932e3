/* statement.h -- the SQL files that are compiled in, by name; sql/embed.awk makes the tables. */
#ifndef BASE_STATEMENT_H
#define BASE_STATEMENT_H

#include <stddef.h>

#include "statement_ids.h"

struct statement {
	const char *name; /* the file's path below sql/, without .sql */
	const char *text;
};

extern const struct statement statements[]; /* by enum statement_id */
extern const size_t statement_count;
extern const struct statement migrations[]; /* in order */
extern const size_t migration_count;

#endif
