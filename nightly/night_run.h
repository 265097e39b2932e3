/*
 * night_run.h -- one nightly job at a time, and one night at a time in it.
 */
#ifndef NIGHTLY_NIGHT_RUN_H
#define NIGHTLY_NIGHT_RUN_H

#include "nightly/night.h"

/* The steps of a night, in their order. */
struct night_stage {
	const char *name;
	night_step *step;
	bool needs_agreement; /* left out where the books do not agree */
};
/* Ended by a NULL name. */
extern const struct night_stage night_stages[];

/* Makes this session the one that may write as the nightly job: takes its lock, and a new fence.  ERROR_BUSY where another has it. */
MUST_CHECK
bool night_lock(struct run *run, struct error *err);

/* A night to run. */
struct night_due {
	const char *date;
	struct instant at;
	bool caught_up;
};
/* Which nights are to run for the one that is asked for (NULL: the newest that has come); in order, in the arena of the run.  None
 * where it is done already.  ERROR_USAGE where it is no date, or has not come yet; ERROR_STATE where a night that was run is ahead of
 * the clock, or the instants of nights would not rise. */
MUST_CHECK
bool nights_due(
    struct run *run, const struct config *config, const char *date, struct night_due **out, size_t *count, struct error *err);

enum night_outcome { NIGHT_DONE, NIGHT_FINDINGS, NIGHT_DIFFERENCES };
/* Runs a night from where it stands to its end.  An error leaves it to be gone on with. */
MUST_CHECK
bool night_run(
    struct run *run, const struct config *config, const struct night_due *due, enum night_outcome *outcome, struct error *err);

#endif
