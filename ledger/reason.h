/*
 * reason.h -- why somebody did something: a table of codes, each for certain verbs.
 */
#ifndef LEDGER_REASON_H
#define LEDGER_REASON_H

#include "base/command.h"

/* Is there such a reason, and is it for this use ("credit", "revoke", "credit_note", "rerate", "usage", "write_off", "close")?
 * The error lists those that are.  `reason` NULL: the option is missing. */
MUST_CHECK
bool reason_check(struct run *run, const char *reason, const char *used_for, struct error *err);

#endif
