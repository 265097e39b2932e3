/*
 * price_publish.h -- price book files become versions of their books; published versions never change.
 */
#ifndef RATING_PRICE_PUBLISH_H
#define RATING_PRICE_PUBLISH_H

#include <stdio.h>

#include "base/command.h"

struct price_published {
	const char *book; /* in the arena of the run */
	int64_t version;
	bool is_new; /* else the same bytes are this version already */
};

/* Publishes a file in a transaction of its own, which a dry run rolls back; nothing is told.  *changed: its bytes were no version
 * yet.  Errors: of kind INPUT those of the file, with the first finding; of kind STATE where it cannot follow on the versions
 * there are. */
MUST_CHECK
bool prices_publish_file(struct run *run, const char *path, bool *changed, struct error *err);
/* The same in the caller's transaction, with findings told on `out`, or NULL. */
MUST_CHECK
bool price_publish_within(struct run *run, const char *path, FILE *out, struct price_published *published, struct error *err);

#endif
