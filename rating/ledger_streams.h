/*
 * ledger_streams.h -- a long list of reads of the ledger, on several connections at once, taken in the order of the list.
 *
 * What is read must be committed already: each connection looks with eyes of its own.  Because one part is taken at a time and in
 * order, what comes of it does not depend on how many connections there are, nor on which of them is faster.
 */
#ifndef RATING_LEDGER_STREAMS_H
#define RATING_LEDGER_STREAMS_H

#include "base/command.h"

enum { LEDGER_STREAMS_MAX = 4 };

struct ledger_reads {
	void *context;
	size_t count; /* parts */
	/* Reads part number `part` into `rows`; on any thread, several parts at a time, inside a transaction of `db`. */
	bool (*read)(void *context, struct db *db, size_t part, struct text *rows, struct error *err);
	/* Takes what was read; one part at a time, from the first to the last. */
	bool (*take)(void *context, size_t part, const struct text *rows, struct error *err);
};

/* Reads all parts with at most `streams` connections, of which the run's own, in whose transaction it is called, is one.  A connection
 * that cannot be opened is done without.  As many parts are in memory as there are connections.  The error is that of the first part
 * that failed. */
MUST_CHECK
bool ledger_streams_read(struct run *run, size_t streams, const struct ledger_reads *reads, struct error *err);

/* For read(): appends a message of db_copy_out(), and for take(): calls `row` with each of them. */
bool ledger_row_keep(void *rows, const char *bytes, size_t length, struct error *err);
MUST_CHECK
bool ledger_rows_each(const struct text *rows, db_copy_row *row, void *context, struct error *err);

#endif
