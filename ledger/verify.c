/*
 * verify.c -- see verify.h.
 *
 * The digest of a batch covers its rows in PostgreSQL's binary format, as ledger/batch.c sent them; the server gives the
 * same bytes back.
 */
#include "ledger/verify.h"

#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"
#include "ledger/credit_note.h"
#include "ledger/invoice.h"
#include "ledger/series.h"

enum { EVENT_FIELDS = 19, HEADER_NUMBERS = 12 };

/* Columns of batch_headers.sql: batch, position, then the other numbers of the digest, previous digest, digest (hexadecimal),
 * ranges of a batch of messages. */
enum { HEADER_BATCH = 0, HEADER_POSITION = 1, HEADER_PREVIOUS = HEADER_NUMBERS, HEADER_DIGEST, HEADER_RANGES };

struct verifying {
	const struct rows *headers;
	int at; /* the header whose rows are being read */
	struct digest *digest;
	verify_differs *differs;
	void *context;
};

static void
begin(struct verifying *verifying)
{
	unsigned char previous[DIGEST_SIZE];

	if (verifying->at >= verifying->headers->count)
		return;
	digest_unhex(row_text(verifying->headers, verifying->at, HEADER_PREVIOUS), sizeof previous, previous);
	digest_begin(verifying->digest);
	digest_field(verifying->digest, previous, sizeof previous);
	for (int i = 0; i < HEADER_NUMBERS; i++)
		digest_number(verifying->digest, row_number(verifying->headers, verifying->at, i));
	if (!row_is_null(verifying->headers, verifying->at, HEADER_RANGES))
		digest_field(verifying->digest, row_text(verifying->headers, verifying->at, HEADER_RANGES),
		    row_length(verifying->headers, verifying->at, HEADER_RANGES));
}

/* Ends the batch at hand and goes to the next. */
static void
finish(struct verifying *verifying)
{
	const char *batch = row_text(verifying->headers, verifying->at, HEADER_BATCH);
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];

	digest_end(verifying->digest, sum);
	if (strcmp(digest_hex(sum, sizeof sum, hex), row_text(verifying->headers, verifying->at, HEADER_DIGEST)) != 0)
		verifying->differs(verifying->context, "rows or header were changed in batch", batch);
	verifying->at++;
	begin(verifying);
}

static bool
verify_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct verifying *verifying = context;
	struct copy_reader row = copy_read_row(bytes, length, EVENT_FIELDS);
	int64_t batch = copy_read_bigint(&row, 0);

	(void)err;
	while (verifying->at < verifying->headers->count && row_number(verifying->headers, verifying->at, HEADER_BATCH) < batch)
		finish(verifying);
	if (verifying->at == verifying->headers->count || row_number(verifying->headers, verifying->at, HEADER_BATCH) != batch) {
		char text[DECIMAL_TEXT];

		verifying->differs(verifying->context, "a row has no header, of batch", integer_format(batch, text));
		return true;
	}
	digest_field(verifying->digest, bytes, length);
	return true;
}

static bool
verify_rows(struct run *run, const struct rows *headers, verify_differs *differs, void *context, struct error *err)
{
	struct verifying verifying = {.headers = headers, .digest = digest_new(), .differs = differs, .context = context};
	bool fine;

	begin(&verifying);
	fine = db_copy_out(run->db, SQL_LEDGER_ROWS_VERIFY_COPY, verify_row, &verifying, err);
	while (fine && verifying.at < headers->count)
		finish(&verifying);
	digest_free(verifying.digest);
	return fine;
}

bool
batches_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_BATCH_CHAIN_BREAKS, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		differs(context, "not chained to the one before it: batch", row_text(&rows, i, 0));
	rows_release(&rows);
	if (!db_rows(run->db, SQL_LEDGER_BATCH_HEADERS, NO_PARAMS, &rows, err))
		return false;
	fine = verify_rows(run, &rows, differs, context, err);
	rows_release(&rows);
	return fine;
}

bool
series_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	enum { FIRST_FIELD = 2 };
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_SERIES_ALL, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		struct bytes fields[SERIES_FIELDS];
		char hex[DIGEST_HEX];

		for (int j = 0; j < SERIES_FIELDS; j++)
			fields[j] = (struct bytes){row_text(&rows, i, FIRST_FIELD + j), row_length(&rows, i, FIRST_FIELD + j)};
		if (strcmp(series_digest(fields, hex), row_text(&rows, i, 1)) != 0)
			differs(context, "attributed to something else than it was: series", row_text(&rows, i, 0));
	}
	rows_release(&rows);
	return true;
}

bool
invoices_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct rows invoices;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_INVOICES_FINAL, NO_PARAMS, &invoices, err))
		return false;
	for (int i = 0; fine && i < invoices.count; i++) {
		unsigned char sum[DIGEST_SIZE];
		char hex[DIGEST_HEX];

		fine = invoice_content_digest(
		    run, row_text(&invoices, i, 0), row_text(&invoices, i, 1), row_text(&invoices, i, 3), sum, err);
		if (fine && strcmp(digest_hex(sum, sizeof sum, hex), row_text(&invoices, i, 2)) != 0)
			differs(context, "changed since it was finalized: invoice", row_text(&invoices, i, 1));
	}
	rows_release(&invoices);
	return fine;
}

bool
credit_notes_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct rows notes;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_VERIFY_CREDIT_NOTES, NO_PARAMS, &notes, err))
		return false;
	for (int i = 0; fine && i < notes.count; i++) {
		unsigned char sum[DIGEST_SIZE];
		char hex[DIGEST_HEX];

		fine = credit_note_content_digest(run, row_text(&notes, i, 0), sum, err);
		if (fine && strcmp(digest_hex(sum, sizeof sum, hex), row_text(&notes, i, 2)) != 0)
			differs(context, "changed since it was issued: credit note", row_text(&notes, i, 1));
	}
	rows_release(&notes);
	return fine;
}
