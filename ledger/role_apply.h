/*
 * role_apply.h -- roles, their members and limits, and approval limits become what a file states; again, that changes nothing.
 */
#ifndef LEDGER_ROLE_APPLY_H
#define LEDGER_ROLE_APPLY_H

#include "base/command.h"
#include "base/money.h"

/* Columns of role_list.sql. */
enum { LIST_ROLE, LIST_UNLIMITED, LIST_MEMBERS, LIST_CURRENCY, LIST_PER_GRANT, LIST_PER_DAY };
/* An amount of a row, whose currency is in another column of it. */
const char *role_amount(const struct rows *rows, int row, int currency, int column, char out[DECIMAL_TEXT]);

/* Told of each role and approval limit, as it was (NULL: it was not there) and as it is (NULL: it is there no more). */
typedef void role_told(void *context, const char *subject, const char *before, const char *after);

/* Applies a file, all or nothing, in a transaction of its own, which a dry run rolls back.  What the file does not name is taken away.
 * *changed is how many roles and approval limits are new, other or gone. */
MUST_CHECK
bool roles_apply(struct run *run, const char *path, int64_t *changed, struct error *err);
/* The same in the caller's transaction; `told` may be NULL. */
MUST_CHECK
bool roles_apply_within(struct run *run, const char *path, role_told *told, void *context, int64_t *changed, struct error *err);

#endif
