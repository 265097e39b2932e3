/*
 * night_unit.h -- what the nightly job has done: units of its steps, so that a run that was killed goes on behind them.
 *
 * A unit is named within its step: a file, a partition, "tenant:period", a document.  It may be planned first, with what is
 * pinned for it.  Outside of a nightly run (run->night_run is 0) nothing is written.
 */
#ifndef LEDGER_NIGHT_UNIT_H
#define LEDGER_NIGHT_UNIT_H

#include "base/command.h"
#include "base/digest.h"

/* Adds a unit that is to be done; one that is there already, done or not, stays with its plan. */
MUST_CHECK
bool night_unit_plan(struct run *run, const char *step, const char *unit, const char *plan, struct error *err);
/* Marks a unit as done, planned before or not, in the caller's transaction if there is one.  `result` is JSON; `digest` the SHA-256
 * of what came out, or NULL.  Again, it does nothing. */
MUST_CHECK
bool night_unit_done(struct run *run, const char *step, const char *unit, const char *result,
    const unsigned char digest[DIGEST_SIZE], struct error *err);
/* The same of several, each once. */
struct night_unit {
	const char *name, *result;
	const unsigned char *digest; /* or NULL */
};
MUST_CHECK
bool night_units_done(struct run *run, const char *step, const struct night_unit *units, size_t count, struct error *err);

/* Columns of night_units(). */
enum night_unit_column { NIGHT_UNIT_NAME, NIGHT_UNIT_PLAN, NIGHT_UNIT_IS_DONE, NIGHT_UNIT_RESULT, NIGHT_UNIT_DIGEST /* hex */ };
/* The units of a step of this run, in the order of their names' bytes; ended with rows_release(). */
MUST_CHECK
bool night_units(struct run *run, const char *step, struct rows *out, struct error *err);

#endif
