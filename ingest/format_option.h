/*
 * format_option.h -- the options by which a verb reads records of a usage format.
 */
#ifndef INGEST_FORMAT_OPTION_H
#define INGEST_FORMAT_OPTION_H

#include "base/command.h"
#include "ingest/profile.h"

/* What is said beside a format. */
#define WISH_OPTIONS                                                                                                             \
	{"field", "NAME=PATH...", "with a format: this field stands there, whatever the format says", 0},                        \
	{                                                                                                                        \
		"constant", "NAME=TEXT...", "with a format: this field's value where the payload has none", 0                    \
	}

/* Of a verb that prints rows too: table, json and csv are how rows are printed. */
#define FORMAT_OPTIONS                                                                                                           \
	{"format", "FORMAT", "the usage format of the records: a name (tollbook formats list), or the path of a description",    \
	    0},                                                                                                                  \
	    WISH_OPTIONS

/* What the options of a verb with WISH_OPTIONS say, in run->arena. */
struct profile_wishes format_wishes(struct run *run);
/* The same of one with FORMAT_OPTIONS: *out is NULL where no format is named; else for profile_free(). */
MUST_CHECK
bool format_option_open(struct run *run, struct profile **out, struct error *err);

#endif
