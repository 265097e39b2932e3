/*
 * price_findings.h -- what the check of a price book file finds, told to people.
 */
#ifndef RATING_PRICE_FINDINGS_H
#define RATING_PRICE_FINDINGS_H

#include "rating/price_files.h"

/* Zeroed, but for what the caller sets: out, file, places.text. */
struct price_findings {
	FILE *out; /* NULL: nothing is told, and the first error is kept for price_findings_refuse() */
	const char *file;
	struct price_places places; /* ended with price_places_release() */
	struct error first;
	int errors, warnings;
};

/* For price_book_check(), whose context is a struct price_findings. */
void price_finding_tell(void *context, bool is_error, const char *path, const char *text);
/* An error of kind INPUT where there were errors. */
MUST_CHECK
bool price_findings_refuse(const struct price_findings *findings, struct error *err);

#endif
