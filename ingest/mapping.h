/*
 * mapping.h -- how the columns of a CSV file are the fields of the short form, as declared in a JSON file.
 *
 * Nothing is guessed: which column is what, the unit of numeric times and the zone of texts without one are all declared.
 * docs/formats.md shows the file.
 */
#ifndef INGEST_MAPPING_H
#define INGEST_MAPPING_H

#include "base/csv_row.h"
#include "ingest/short_form.h"

enum time_form { TIME_RFC3339, TIME_LOCAL, TIME_NUMBER };

struct time_spec {
	enum time_form form;
	int offset_minutes;   /* of TIME_LOCAL */
	int64_t unit_ns;      /* of TIME_NUMBER: nanoseconds of one */
	struct instant epoch; /* of TIME_NUMBER: what 0 is */
};

struct mapping {
	char delimiter;
	bool header;                    /* a header has to be read and bound before the first row */
	size_t width;                   /* columns of each row; 0: as many as the first row has */
	const char *name[SHORT_FIELDS]; /* column name by field, or NULL */
	size_t column[SHORT_FIELDS];    /* column by field, from 1; 0: none (or not bound yet) */
	bool wanted[CSV_COLUMNS];       /* by column from 0: some field is read from it */
	struct short_form constants;
	struct time_spec time;
	struct arena arena; /* of everything above */
};

/* `file` is only for messages.  On failure nothing is left to release. */
MUST_CHECK
bool mapping_parse(const char *json, size_t length, const char *file, struct mapping *out, struct error *err);
MUST_CHECK
bool mapping_load(const char *path, struct mapping *out, struct error *err);
void mapping_release(struct mapping *mapping);
/* Finds the named columns in the header; `file` is the CSV file's name, for messages. */
MUST_CHECK
bool mapping_bind(struct mapping *mapping, const struct csv_row *header, const char *file, struct error *err);
/* The mapping as JSON that needs no header any more: what a single row can be read again with. */
const char *mapping_format(const struct mapping *mapping, struct arena *arena);
bool mapping_has(const struct mapping *mapping, enum short_field field);

/* A row that has been read: to a record, like event_parse().  The first row sets the width if none is set. */
void mapping_row(struct mapping *mapping, const struct event_rules *rules, const struct csv_row *row, struct bytes raw,
    struct arena *arena, struct record *out);
/* The bytes of one row without its line end, read on their own. */
void mapping_row_parse(struct mapping *mapping, const struct event_rules *rules, const char *bytes, size_t length,
    struct arena *arena, struct record *out);
/* A row that is no row: E_CSV, with words for a person; E_UTF8 where the bytes are the fault. */
void mapping_row_wrong(struct bytes raw, struct arena *arena, const char *problem, struct record *out);

#endif
