/*
 * verify.c -- see verify.h.
 *
 * The digest of a batch covers its rows in PostgreSQL's binary format, as ledger/batch.c sent them; the server gives the
 * same bytes back.
 */
#include "ledger/verify.h"

#include <string.h>

#include "base/digest.h"
#include "ledger/archive_merge.h"
#include "ledger/batch_headers.h"
#include "ledger/credit_note.h"
#include "ledger/invoice.h"
#include "ledger/series.h"

struct verifying {
	struct run *run;
	const struct rows *headers;
	int at; /* the header whose rows are being read */
	struct digest *digest;
	struct archive_merge *archives;
	int64_t not_recomputed; /* batches with rows in files that are not there */
	verify_differs *differs;
	void *context;
};

static void
begin(struct verifying *verifying)
{
	if (verifying->at < verifying->headers->count)
		batch_digest_begin(verifying->digest, verifying->headers, verifying->at);
}

/* Ends the batch at hand and goes to the next. */
static void
finish(struct verifying *verifying)
{
	int at = verifying->at++;
	bool holds = batch_digest_holds(verifying->digest, verifying->headers, at);

	if (archive_merge_lacks(verifying->archives, batch_header_number(verifying->headers, at)))
		verifying->not_recomputed++;
	else if (!holds)
		verifying->differs(
		    verifying->context, "rows or header were changed in batch", row_text(verifying->headers, at, 0));
	begin(verifying);
}

static void
verify_row(void *context, const struct archive_row *row, struct bytes bytes)
{
	struct verifying *verifying = context;
	const struct rows *headers = verifying->headers;

	while (verifying->at < headers->count && batch_header_number(headers, verifying->at) < row->batch)
		finish(verifying);
	if (verifying->at == headers->count || batch_header_number(headers, verifying->at) != row->batch) {
		char text[DECIMAL_TEXT];

		verifying->differs(verifying->context, "a row has no header, of batch", integer_format(row->batch, text));
		return;
	}
	digest_field(verifying->digest, bytes.at, bytes.length);
}

/* A row of the ledger, and what is archived before it. */
static bool
take_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct verifying *verifying = context;
	struct archive_row row;

	archive_row_read(bytes, length, &row);
	if (!archive_merge_before(verifying->archives, &row, verify_row, verifying, err))
		return false;
	verify_row(verifying, &row, (struct bytes){bytes, length});
	return true;
}

static void
tell_missing(const struct verifying *verifying)
{
	const char *first;
	size_t missing = archive_merge_missing(verifying->archives, &first);

	if (missing > 0)
		say(verifying->run,
		    "%lld batches were NOT computed again: their rows are in %zu archive files that are not there, or not what "
		    "was "
		    "written (%s%s); their stored proofs and sums are what is compared",
		    (long long)verifying->not_recomputed, missing, first, missing > 1 ? " ..." : "");
}

static bool
verify_rows(struct run *run, const struct rows *headers, verify_differs *differs, void *context, struct error *err)
{
	struct verifying verifying = {
	    .run = run, .headers = headers, .digest = digest_new(), .differs = differs, .context = context};
	bool fine = archive_merge_open(run, differs, context, &verifying.archives, err);

	if (!fine)
		verifying.archives = NULL;
	begin(&verifying);
	fine = fine && db_copy_out(run->db, SQL_LEDGER_ROWS_VERIFY_COPY, take_row, &verifying, err) &&
	    archive_merge_before(verifying.archives, NULL, verify_row, &verifying, err);
	while (fine && verifying.at < headers->count)
		finish(&verifying);
	if (fine)
		tell_missing(&verifying);
	archive_merge_close(verifying.archives);
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
