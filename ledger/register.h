/*
 * register.h -- the dedupe register: every identity ever booked, for ever, each once.
 *
 * It is a log of entries, one for each batch that added identities, numbered without a gap (metering.register_entry), and it is kept
 * as runs of sorted pages (metering.key_run, key_page), each of which holds the identities of some neighbouring entries.  An identity
 * is asked for in every run: in a filter in memory, which settles nearly all of it, and where that doubts, exactly.
 *
 * That no identity is booked twice rests on three things.  A batch asks all runs of one moment.  It adds its entry under a lock that
 * is held to the end of the transaction, behind asking the entries that came since that moment.  And an entry is the one behind the
 * last one seen, which the primary key lets nobody add twice.
 */
#ifndef LEDGER_REGISTER_H
#define LEDGER_REGISTER_H

#include "base/db.h"
#include "ledger/usage_key.h"

/* What a process knows of the register: which runs there are, and filters, in at most `filter_bytes` of memory; where that is not
 * enough, filters of the largest runs are read past each batch and not kept. */
struct usage_register;
struct usage_register *register_new(int64_t filter_bytes);
void register_free(struct usage_register *reg);

/* All of these are called in a transaction, for one batch in this order. */

/* Finds out which runs there are.  An error of kind BUSY: this database lacks what this process has seen of it, since a backup was
 * restored; of kind STATE: entries are missing. */
MUST_CHECK
bool register_look(struct usage_register *reg, struct db *db, struct error *err);
/* Asks for those of `keys` (sorted) that are ADMISSION_NEW, and marks what is known.  May be called again, with other keys. */
MUST_CHECK
bool register_ask(struct usage_register *reg, struct db *db, struct admitted *keys, size_t count, struct error *err);
/* Waits until nobody else adds, and keeps everybody from it to the end of the transaction, or until it goes back to before this: who calls
 * it before register_look() is not overtaken.  register_append() does it by itself. */
MUST_CHECK
bool register_lock(struct db *db, struct error *err);
/* Adds those that are ADMISSION_NEW now, all of which were asked for.  *overtaken: another process was faster with one of them, or at
 * adding; nothing is added, and the transaction must go back to before register_look(). */
MUST_CHECK
bool register_append(struct usage_register *reg, struct db *db, struct admitted *keys, size_t count, int64_t batch_id,
    bool *overtaken, struct error *err);
/* The transaction of the last register_append() is committed.  Where it is not, nothing needs to be said. */
void register_committed(struct usage_register *reg);

/* Outside of a transaction: merges runs, where there are too many of them and no other process is at it; see register_merge.h. */
MUST_CHECK
bool register_tidy(struct usage_register *reg, struct db *db, struct error *err);

#endif
