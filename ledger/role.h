/*
 * role.h -- what people may give away, and what needs a second one.
 *
 * Without any role nobody is limited.  A name is what --by or the user of the operating system says: a guard against mistakes,
 * not against somebody who lies about who it is.
 */
#ifndef LEDGER_ROLE_H
#define LEDGER_ROLE_H

#include "base/command.h"
#include "base/money.h"

/* May run->by give this much (a grant, a credit note) now, by the limits for one and for the day of run->now (UTC)?  Counts
 * what was given that day, so the caller holds the lock of ledger/books.h. */
MUST_CHECK
bool role_may_give(struct run *run, struct money amount, struct error *err);
/* The sum of differences above which a re-rate needs a second person; 0 where none is stated. */
MUST_CHECK
bool role_approval_limit(struct run *run, const struct currency *currency, struct money *out, struct error *err);

#endif
