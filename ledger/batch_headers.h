/*
 * batch_headers.h -- the digest of a batch, computed again from its header and its rows.
 */
#ifndef LEDGER_BATCH_HEADERS_H
#define LEDGER_BATCH_HEADERS_H

#include "base/db.h"
#include "base/digest.h"

/* Begins the digest of the header in this row of batch_headers.sql (or a statement that has its columns); the rows of the batch follow, each
 * as a field. */
void batch_digest_begin(struct digest *digest, const struct rows *headers, int row);
/* Ends it: is it the one that the header has? */
bool batch_digest_holds(struct digest *digest, const struct rows *headers, int row);
/* The batch of that row. */
int64_t batch_header_number(const struct rows *headers, int row);

#endif
