/* contract.c -- see contract.h. */
#include "rating/contract.h"

#include <stdlib.h>

bool
terms_lock(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_RATING_TERMS_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

bool
contracts_load(struct db *db, const char *tenant, struct contracts *out, struct error *err)
{
	struct rows rows;

	*out = (struct contracts){0};
	if (!db_rows(db, SQL_RATING_CONTRACTS_OF_TENANT, PARAMS(tenant), &rows, err))
		return false;
	out->item = memory_new((size_t)rows.count, sizeof *out->item);
	for (int i = 0; i < rows.count; i++)
		out->item[out->count++] = (struct contract){.contract_id = row_number(&rows, i, 0),
		    .effective = row_instant(&rows, i, 1),
		    .currency = arena_copy(&out->arena, row_text(&rows, i, 2), row_length(&rows, i, 2)),
		    .book = arena_copy(&out->arena, row_text(&rows, i, 3), row_length(&rows, i, 3))};
	rows_release(&rows);
	return true;
}

void
contracts_release(struct contracts *contracts)
{
	free(contracts->item);
	arena_release(&contracts->arena);
	*contracts = (struct contracts){0};
}

bool
price_books_load(struct db *db, const char *book, struct price_books *out, struct error *err)
{
	struct rows rows;
	bool fine = true;

	*out = (struct price_books){0};
	if (!db_rows(db, SQL_RATING_PRICE_VERSIONS, PARAMS(book), &rows, err))
		return false;
	out->item = memory_new((size_t)rows.count, sizeof *out->item);
	for (int i = 0; fine && i < rows.count; i++) {
		struct price_version *version = &out->item[i];

		*version = (struct price_version){.version_id = row_number(&rows, i, 0),
		    .version = (int)row_number(&rows, i, 1),
		    .effective = row_instant(&rows, i, 2)};
		fine = price_book_parse(row_text(&rows, i, 3), row_length(&rows, i, 3), book, &version->book, err);
		if (!fine)
			error_wrap(err, "published price book %s version %d", book, version->version);
		out->count += fine;
	}
	rows_release(&rows);
	if (!fine)
		price_books_release(out);
	return fine;
}

void
price_books_release(struct price_books *books)
{
	for (size_t i = 0; i < books->count; i++)
		price_book_free(books->item[i].book);
	free(books->item);
	*books = (struct price_books){0};
}
