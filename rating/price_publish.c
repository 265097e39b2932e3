/* price_publish.c -- see price_publish.h. */
#include "rating/price_publish.h"

#include <string.h>

#include "base/digest.h"
#include "ledger/audit.h"
#include "rating/contract.h"
#include "rating/price_findings.h"

/* Columns of price_book_place.sql: the next version, the book's currency ('' for a new book), the version with the same bytes (0: none), the
 * newest effective instant that is at or after this one's, as text, and its version ('' and 0: none). */
static bool
find_place(struct run *run, const struct price_book *book, const char *digest, int64_t *version, bool *published_before,
    struct error *err)
{
	struct rows place;
	bool fine = true;

	if (!db_one_row(run->db, SQL_RATING_PRICE_BOOK_PLACE,
		PARAMS(price_book_name(book), digest, param_instant(&run->arena, price_book_effective(book))), &place, err))
		return false;
	*version = row_number(&place, 0, 0);
	*published_before = row_number(&place, 0, 2) > 0;
	if (*published_before) {
		*version = row_number(&place, 0, 2);
	} else if (row_text(&place, 0, 1)[0] != '\0' && strcmp(row_text(&place, 0, 1), price_book_currency(book)) != 0) {
		fine = error_set(err, ERROR_STATE, "book %s is in %s, not in %s", price_book_name(book), row_text(&place, 0, 1),
		    price_book_currency(book));
		error_hint(err, "A book keeps its currency; publish this one under another name.");
	} else if (row_number(&place, 0, 4) > 0) {
		fine = error_set(err, ERROR_STATE, "book %s has version %s with effective %s, which is not before this one's",
		    price_book_name(book), row_text(&place, 0, 4), row_text(&place, 0, 3));
		error_hint(err, "Versions come into force in the order they are published; give this one a later \"effective\".");
	}
	rows_release(&place);
	return fine;
}

/* What a publication needs at hand. */
struct publication {
	struct run *run;
	const struct price_book *book;
	const char *version; /* its number, as text */
};

static bool
store_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	const struct publication *publication = context;

	return db_change(publication->run->db, SQL_RATING_PRICE_DISTINCTION_ADD,
	    PARAMS(price_book_name(publication->book), publication->version, kind,
		param_number(&publication->run->arena, boundary), name),
	    -1, err);
}

static bool
store(struct run *run, const char *path, const struct price_book *book, struct text *document, int64_t version,
    const char *digest, struct error *err)
{
	const char *number = param_number(&run->arena, version);
	struct publication publication = {run, book, number};

	return db_change(run->db, SQL_RATING_PRICE_BOOK_ADD,
		   PARAMS(price_book_name(book), number, price_book_currency(book),
		       param_instant(&run->arena, price_book_effective(book)), text_string(document), digest,
		       param_instant(&run->arena, run->now), run->by),
		   1, err) &&
	    price_book_distinctions(book, store_distinction, &publication, err) &&
	    audit_add(run,
		&(struct audit){.action = "prices publish",
		    .subject = arena_format(&run->arena, "%s version %s", price_book_name(book), number),
		    .reason = path},
		err);
}

static bool
publish_book(struct run *run, const char *path, const struct price_book *book, struct text *document, struct price_published *out,
    struct error *err)
{
	unsigned char sum[DIGEST_SIZE];
	struct digest *digest = digest_new();
	const char *hex;
	int64_t version = 0;
	bool before = false, fine;

	digest_bytes(digest, document->bytes, document->length);
	digest_end(digest, sum);
	digest_free(digest);
	hex = param_hex(&run->arena, sum, sizeof sum);
	fine = terms_lock(run->db, err) && find_place(run, book, hex, &version, &before, err) &&
	    (before || store(run, path, book, document, version, hex, err));
	if (fine)
		*out = (struct price_published){
		    arena_copy(&run->arena, price_book_name(book), strlen(price_book_name(book))), version, !before};
	return fine;
}

/* Warns of prices that are off from those of the newest version, where there is one. */
static bool
check_against_newest(
    struct run *run, struct book_shelf *shelf, const struct price_book *book, struct price_findings *findings, struct error *err)
{
	const struct price_books *books;

	if (!book_shelf_find(shelf, run->db, price_book_name(book), &books, err))
		return false;
	if (books->count > 0)
		price_book_check_against(book, books->item[books->count - 1].book, price_finding_tell, findings);
	return true;
}

static bool
publish_text(struct run *run, struct book_shelf *shelf, const char *path, FILE *out, struct text *text,
    struct price_published *published, struct error *err)
{
	struct price_findings findings = {.out = out, .file = path, .places = {.text = text}};
	struct price_book *book;
	bool fine;

	if (!price_file_read(run, shelf, path, text, &book, err))
		return false;
	price_book_check(book, price_finding_tell, &findings);
	fine = check_against_newest(run, shelf, book, &findings, err) && price_findings_refuse(&findings, err) &&
	    publish_book(run, path, book, text, published, err);
	price_places_release(&findings.places);
	price_book_free(book);
	return fine;
}

bool
price_publish_within(struct run *run, const char *path, FILE *out, struct price_published *published, struct error *err)
{
	struct book_shelf *shelf = book_shelf_new();
	struct text text = {0};
	bool fine = publish_text(run, shelf, path, out, &text, published, err);

	text_release(&text);
	book_shelf_free(shelf);
	return fine;
}

bool
prices_publish_file(struct run *run, const char *path, bool *changed, struct error *err)
{
	struct price_published published = {0};
	bool fine = db_begin(run->db, err) && price_publish_within(run, path, NULL, &published, err);

	*changed = published.is_new;
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}
