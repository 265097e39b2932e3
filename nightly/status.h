/*
 * status.h -- how fresh and how complete the money is: the facts that `tollbook status` shows.
 *
 * What each says is in status_facts.def, and for people in docs/operations.md.  They are read in one snapshot, and never from the
 * ledger's rows: from what is kept of batches, ratings and documents.
 */
#ifndef NIGHTLY_STATUS_H
#define NIGHTLY_STATUS_H

#include "base/command.h"
#include "base/config.h"

enum fact_kind { FACT_TEXT, FACT_COUNT, FACT_INSTANT /* microseconds since 1970 */, FACT_AMOUNT, FACT_SECONDS };

/* One line of status_facts.def. */
struct status_kind {
	const char *group, *fact;
	enum fact_kind kind;
	const char *label; /* what tells its rows apart: currency, reason, source; "" where it has one row */
	const char *metric, *type, *meaning;
};
extern const struct status_kind status_kinds[];
extern const size_t status_kind_count;

struct status_fact {
	const struct status_kind *kind;
	const char *label; /* the currency, reason or source, or "" */
	const char *value; /* as the statement gives it; NULL: not known, or there is none */
};
struct status {
	struct status_fact *facts;
	size_t count, capacity;
};

/* Reads all facts, in a transaction of its own; texts live in the arena of the run.  What time it is, is run->now. */
MUST_CHECK
bool status_read(struct run *run, const struct config *config, struct status *out, struct error *err);
void status_release(struct status *status);
/* A value for people: an instant as RFC 3339, an amount with the decimals of its currency at least; in the arena. NULL for none. */
const char *status_value(struct arena *arena, const struct status_fact *fact);
/* Writes the facts as metrics to a file, which is there whole or as it was. */
MUST_CHECK
bool status_write_metrics(const struct status *status, const char *path, struct error *err);
/* Reads the facts and writes them. */
MUST_CHECK
bool status_metrics(struct run *run, const struct config *config, const char *path, struct error *err);

#endif
