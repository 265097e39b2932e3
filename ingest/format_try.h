/*
 * format_try.h -- what records become under a usage format, shown before anything is stored.
 */
#ifndef INGEST_FORMAT_TRY_H
#define INGEST_FORMAT_TRY_H

#include "base/command.h"
#include "ingest/profile.h"

struct try_options {
	uint64_t record; /* this one alone, by its number from 1; 0: all of them */
	bool all;        /* a table shows no more than ten without it */
};

/* Reads `path` ("-" is standard input) as ingest does, and prints each record to standard output in run->format: for a person, as
 * rows of record, name, value and origin (CSV), or as an object a line (JSON).  run->finding is set where a record is set aside.
 * Events of one record that are booked together are one object; items of a list are one each, with the same number. */
MUST_CHECK
bool format_try(
    struct run *run, const struct profile *profile, const char *path, const struct try_options *options, struct error *err);

#endif
