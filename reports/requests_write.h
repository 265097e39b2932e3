/*
 * requests_write.h -- the rows of `report requests`, written as they come: none is kept.
 */
#ifndef REPORTS_REQUESTS_WRITE_H
#define REPORTS_REQUESTS_WRITE_H

#include <stdio.h>

#include "base/command.h"
#include "rating/rated.h"

/* What one request has of one charge, or of what is held; or a charge that belongs to no request. */
struct request_row {
	const char *time, *source, *id; /* "" of a charge that belongs to no request */
	const char *kind, *model, *service_tier;
	int meter;                   /* 0: none */
	i128 quantity;               /* in the meter's smallest unit; not shown of a charge that belongs to no request */
	const struct charge *charge; /* NULL: held, or taken back before it cost anything */
	size_t ordinal;              /* of the charge in its rating, from 1 */
	const char *rule;            /* "standard@3 rule 2" */
	struct decimal amount;
	const char *detail, *held;
};

struct requests_writer;

/* Writes to `out`, which stays the caller's and remembers writes that failed. */
struct requests_writer *requests_writer_new(FILE *out, enum output_format format);
/* Of a table: makes the columns wide enough for this row, before the first one is written.  Later rows that need more still get it. */
void requests_writer_expect(struct requests_writer *writer, const struct request_row *row);
void requests_writer_row(struct requests_writer *writer, const struct request_row *row);
/* A line below the rows, in a table only. */
void requests_writer_note(struct requests_writer *writer, const char *text);
/* The end of the rows, before notes. */
void requests_writer_end(struct requests_writer *writer);
int64_t requests_writer_rows(const struct requests_writer *writer);
void requests_writer_free(struct requests_writer *writer);

#endif
