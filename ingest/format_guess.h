/*
 * format_guess.h -- which usage formats a file might be in.
 *
 * A guess is for a person to look at.  Formats with the same keys and other meanings read each other's records without a fault, so
 * nothing that is guessed is ever used to ingest.
 */
#ifndef INGEST_FORMAT_GUESS_H
#define INGEST_FORMAT_GUESS_H

#include "base/table.h"
#include "ingest/profile.h"

extern const struct column guess_columns[];

/* Reads the first 200 records of the file under every compiled-in format, with an id, a tenant and a time made up where the records
 * have none, and adds a row for each format that fits, the best first.  run->finding is ERROR_NOTHING where none does. */
MUST_CHECK
bool format_guess(struct run *run, const char *path, struct table *table, struct error *err);

#endif
