/*
 * books.h -- one writer of money at a time.
 */
#ifndef LEDGER_BOOKS_H
#define LEDGER_BOOKS_H

#include "base/command.h"

/* Waits until no rating run and nobody else who changes what is owed is at work, and keeps them out until the transaction ends.
 * Taken before any row is locked, so that two cannot wait for each other. */
MUST_CHECK
bool books_lock(struct run *run, struct error *err);

#endif
