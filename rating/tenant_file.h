/*
 * tenant_file.h -- tenants and issuers as a file states them: JSON, or CSV with a header, which has no override, terms, end, tax,
 * anchor or hours of grace; docs/price-books.md shows both.
 */
#ifndef RATING_TENANT_FILE_H
#define RATING_TENANT_FILE_H

#include "base/memory.h"

struct tenant_row {
	const char *tenant, *name, *currency, *zone, *book, *issuer, *effective;
	const char *override; /* the book asked before `book`; "" for none */
	const char *terms;    /* compact JSON with sorted keys, checked; "" for none */
	const char *until;    /* when the contract ends, as `effective`; NULL: it goes on */
	const char *tax_name; /* "" for none */
	const char *tax_percent;
	int anchor;       /* the day of the month that periods begin on, 1 to 31 */
	int grace_hours;  /* before a period is invoiced by itself; -1: as configured */
	const char *path; /* in a JSON file: "tenants[0]"; "" in a CSV file */
	uint64_t line;    /* in a CSV file, from 1; 0 in a JSON file */
};

struct issuer_row {
	const char *code, *name;
	const char *invoice_series, *credit_note_series; /* NULL: as they are */
	bool unnamed; /* the default issuer, not named in the file: one that is there keeps its name */
};

struct tenant_file {
	const char *path;
	struct tenant_row *rows;
	struct issuer_row *issuers; /* the default issuer is among them where a tenant uses it */
	size_t count, room, issuer_count, issuer_room;
	struct arena arena;
};

/* Checks everything that can be checked without a database: fields, ISO 4217 codes, forms of zones, dates and issuers,
 * and what the terms say. */
MUST_CHECK
bool tenant_file_load(const char *path, struct tenant_file *out, struct error *err);
/* Says in an error where a row's field is; returns false. */
bool tenant_row_at(
    const struct tenant_file *file, const struct tenant_row *row, const char *field, const char *value, struct error *err);
/* Is it an issuer's code, or a series: 1 to 8 capital letters and digits? */
bool tenant_file_is_code(const char *code);
void tenant_file_release(struct tenant_file *file);

#endif
