/*
 * format_show.h -- a usage format's description, for people: what is counted where, what includes what, what identifies a record.
 */
#ifndef INGEST_FORMAT_SHOW_H
#define INGEST_FORMAT_SHOW_H

#include "base/table.h"
#include "ingest/profile.h"

/* Columns: format, title, what the totals include, id, time; a row for each compiled-in format. */
extern const struct column format_columns[];
MUST_CHECK
bool format_list(struct table *table, struct error *err);

/* Adds the description as text; `name` as for profile_open(). */
MUST_CHECK
bool format_show(const char *name, struct text *out, struct error *err);
/* Adds the description with all that it extends merged in: a description of its own, as JSON. */
MUST_CHECK
bool format_show_json(const char *name, struct text *out, struct error *err);

#endif
