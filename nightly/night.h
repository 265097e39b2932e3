/*
 * night.h -- one night: what was there at an instant, made into documents.
 *
 * A night is a list of steps.  What time it is, is pinned: run->now is the night's instant, whenever it really runs, so that what is
 * written does not depend on that.  A step that was interrupted is begun again, and what it finds done it leaves alone.
 */
#ifndef NIGHTLY_NIGHT_H
#define NIGHTLY_NIGHT_H

#include "base/command.h"
#include "base/config.h"

struct night {
	struct run *run; /* its now is the night's instant, its night_run the number of this run, its by "nightly" */
	const struct config *config;
	const char *date;       /* YYYY-MM-DD */
	bool caught_up;         /* it was missed: take only what had come before run->now */
	struct instant read_at; /* when the night was begun first; night_reading_time() says what it is for */
	/* Take only usage that had come before this; NULL: all that there is. */
	const struct instant *until;
};

/* What a step says of itself when it is done. */
struct night_told {
	struct text line; /* for people, without an end: "2 files, 400 records: 398 accepted, 2 duplicates" */
	struct text
	    json; /* members of a JSON object, without braces: "\"files\":2,\"records\":400"; the same however often it was begun */
	bool findings;    /* something waits for a person */
	bool differences; /* the books do not agree: nothing is published, and somebody must look */
};

/* A step does its work in transactions of its own.  An error of kind AWAY or BUSY lets the night be gone on with later; any other
 * needs a person. */
typedef bool night_step(struct night *night, struct night_told *told, struct error *err);

/* Prices, issuers, contracts and roles from files become what the files say; nothing changes where they are known. */
MUST_CHECK
bool night_apply(struct night *night, struct night_told *told, struct error *err);
/* New usage from every source that is configured. */
MUST_CHECK
bool night_ingest(struct night *night, struct night_told *told, struct error *err);
/* Usage into charges; then drafts of what has ended. */
MUST_CHECK
bool night_rate(struct night *night, struct night_told *told, struct error *err);
MUST_CHECK
bool night_draft(struct night *night, struct night_told *told, struct error *err);
/* Parks the tenants whose drafts are due and must not go out as they are, and lets those go whose cause is gone. */
MUST_CHECK
bool night_park(struct night *night, struct night_told *told, struct error *err);
MUST_CHECK
bool night_finalize(struct night *night, struct night_told *told, struct error *err);
/* A file for each document, and a workbook for each period that something became final of. */
MUST_CHECK
bool night_documents(struct night *night, struct night_told *told, struct error *err);
MUST_CHECK
bool night_reconcile(struct night *night, struct night_told *told, struct error *err);
MUST_CHECK
bool night_publish(struct night *night, struct night_told *told, struct error *err);

/* Everything that a run did, as JSON; see docs/formats.md.  `ended_at` is what the clock says. */
MUST_CHECK
bool night_manifest(struct night *night, struct instant ended_at, const char *outcome, struct text *out, struct error *err);

#endif
