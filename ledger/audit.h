/*
 * audit.h -- who did what, when and why, with the state before and after.
 */
#ifndef LEDGER_AUDIT_H
#define LEDGER_AUDIT_H

#include "base/command.h"

/* NULL stands for "". */
struct audit {
	const char *action;  /* the verb: "credit grant" */
	const char *subject; /* what it was done to: a number, a tenant */
	const char *reason, *ticket;
	const char *before, *after; /* short texts for people: "balance 50.00", "balance 0.00" */
};

/* Writes a row, by run->by at run->now; in the caller's transaction, so that it stands if and only if the change does. */
MUST_CHECK
bool audit_add(struct run *run, const struct audit *entry, struct error *err);
/* The same of several, in their order. */
MUST_CHECK
bool audits_add(struct run *run, const struct audit *entries, size_t count, struct error *err);

#endif
