/*
 * archive_query.h -- questions to archive files, without a database.
 */
#ifndef LEDGER_ARCHIVE_QUERY_H
#define LEDGER_ARCHIVE_QUERY_H

#include "base/command.h"

struct archive_query {
	const char *tenant, *model, *id; /* "" for all */
	bool has_from, has_to;
	struct instant from, to; /* to is not included */
	bool events;             /* single ledger rows, in place of sums */
};

/* Reads files and prints to standard output in run->format: sums by tenant, model and meter, or ledger rows as they stand.  Each file is read
 * to its end, and its own proofs are compared, before the answer is complete.  Errors: INPUT, a file is no archive, cut or damaged, or is the
 * same part of the same month as another. */
MUST_CHECK
bool archive_query(struct run *run, const struct archive_query *query, char *const *paths, size_t count, struct error *err);

#endif
