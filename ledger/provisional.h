/*
 * provisional.h -- a provisional count and the final one of the same request.
 *
 * A source that could not wait for the end of a request (a stream that was cut) tells what it has seen until then: F_PARTIAL.  When the
 * whole count comes under the same identity, it is no conflict: it is booked as the correction of the provisional one, by the rules of
 * corrections, so that both sum up to the final one.  docs/formats.md says it to users.
 */
#ifndef LEDGER_PROVISIONAL_H
#define LEDGER_PROVISIONAL_H

#include "base/db.h"
#include "ledger/usage_key.h"

/* What is added to the id of the provisional event; source and tenant stay. */
#define PROVISIONAL_FINAL "/final"

/* Looks at usage in conflict with what was booked under its identity, in this batch or in the register, which is asked only about
 * these.  Where the booked one is provisional and this one final, the event becomes a correction of it; its id is then longer, in the
 * arena.  Where it is the other way round, this one is a duplicate.  Else, and where the longer id would be above the limit, the
 * conflict stays.  *changed: some events have another identity now, so keys_settle() and everything behind it has to be done again.
 * `keys` are sorted and were probed. */
MUST_CHECK
bool provisional_settle(
    struct db *db, struct admitted *keys, size_t count, struct arena *arena, bool *changed, struct error *err);
/* Makes the events what they were when they came: another attempt may find other things booked. */
void provisional_undo(struct admitted *keys, size_t count);

#endif
