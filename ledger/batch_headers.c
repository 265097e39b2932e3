/* batch_headers.c -- see batch_headers.h. */
#include "ledger/batch_headers.h"

#include <string.h>

enum { HEADER_NUMBERS = 12 };

/* Columns of batch_headers.sql: batch, position, then the other numbers of the digest, previous digest, digest (hexadecimal), ranges of a
 * batch of messages. */
enum { HEADER_BATCH = 0, HEADER_PREVIOUS = HEADER_NUMBERS, HEADER_DIGEST, HEADER_RANGES };

void
batch_digest_begin(struct digest *digest, const struct rows *headers, int row)
{
	unsigned char previous[DIGEST_SIZE];

	digest_unhex(row_text(headers, row, HEADER_PREVIOUS), sizeof previous, previous);
	digest_begin(digest);
	digest_field(digest, previous, sizeof previous);
	for (int i = 0; i < HEADER_NUMBERS; i++)
		digest_number(digest, row_number(headers, row, i));
	if (!row_is_null(headers, row, HEADER_RANGES))
		digest_field(digest, row_text(headers, row, HEADER_RANGES), row_length(headers, row, HEADER_RANGES));
}

bool
batch_digest_holds(struct digest *digest, const struct rows *headers, int row)
{
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];

	digest_end(digest, sum);
	return strcmp(digest_hex(sum, sizeof sum, hex), row_text(headers, row, HEADER_DIGEST)) == 0;
}

int64_t
batch_header_number(const struct rows *headers, int row)
{
	return row_number(headers, row, HEADER_BATCH);
}
