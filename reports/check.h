/*
 * check.h -- what must always hold, as queries of sql/checks/ whose right answer is no rows.
 *
 * A check that knows a scope looks at the periods from tollbook.check_from on; reports/check_scope.sql sets that.
 */
#ifndef REPORTS_CHECK_H
#define REPORTS_CHECK_H

#include "base/command.h"

/* How many differences of a check are shown. */
enum { CHECK_SHOWN = 5 };

/* The first line of a check's file, without its dashes; from the arena of `run`. */
const char *check_title(struct run *run, enum statement_id check);
/* Runs one, counts the differences and shows the first of them on standard error, with the names of their columns.
 * Errors: those of the database. */
MUST_CHECK
bool check_query(struct run *run, enum statement_id check, int64_t *differences, struct error *err);

/* Called for each difference; the names of the columns are those that rows_column_name() has. */
typedef void check_told(void *context, enum statement_id check, const struct rows *rows, int row);
/* The same, for who wants to know all of them: shows nothing. */
MUST_CHECK
bool check_each(struct run *run, enum statement_id check, check_told *told, void *context, struct error *err);
/* The text of a column of a difference, by its name; NULL where the check has none of that name. */
const char *check_column(const struct rows *rows, int row, const char *name);

#endif
