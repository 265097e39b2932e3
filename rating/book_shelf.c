/* book_shelf.c -- see book_shelf.h. */
#include "rating/book_shelf.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"

struct shelved {
	struct price_books books;
	size_t room;
	bool loaded; /* from the database, or being loaded: a version may extend an earlier one of its own book */
};

struct book_shelf {
	struct index names;
	struct shelved **books; /* by place in `names`; each stays where it is */
	size_t room;
	struct price_book **order; /* of parsing: what extends comes after what it extends */
	size_t order_count, order_room;
	struct db *db; /* of the finder */
};

struct book_shelf *
book_shelf_new(void)
{
	return memory_new(1, sizeof(struct book_shelf));
}

void
book_shelf_free(struct book_shelf *shelf)
{
	if (shelf == NULL)
		return;
	for (size_t i = shelf->order_count; i > 0; i--)
		price_book_free(shelf->order[i - 1]);
	for (size_t i = 0; i < shelf->names.count; i++) {
		free(shelf->books[i]->books.item);
		free(shelf->books[i]);
	}
	free(shelf->order);
	free(shelf->books);
	index_release(&shelf->names);
	free(shelf);
}

const struct price_version *
price_books_at(const struct price_books *books, struct instant at, int64_t newest)
{
	const struct price_version *found = NULL;

	for (size_t i = 0; i < books->count; i++)
		if (books->item[i].version_id <= newest && books->item[i].effective.us <= at.us)
			found = &books->item[i];
	return found;
}

const struct price_version *
price_books_version(const struct price_books *books, int64_t version_id)
{
	for (size_t i = 0; i < books->count; i++)
		if (books->item[i].version_id == version_id)
			return &books->item[i];
	return NULL;
}

static struct shelved *
shelved_of(struct book_shelf *shelf, const char *name)
{
	bool is_new;
	size_t place = index_number(&shelf->names, name, strlen(name), &is_new);

	shelf->books = memory_grow(shelf->books, &shelf->room, place + 1, sizeof *shelf->books);
	if (is_new)
		shelf->books[place] = memory_new(1, sizeof *shelf->books[place]);
	return shelf->books[place];
}

/* Keeps versions in the order of `effective`. */
static void
put(struct book_shelf *shelf, struct shelved *shelved, struct price_version version)
{
	struct price_books *books = &shelved->books;
	size_t at = books->count;

	shelf->order = memory_grow(shelf->order, &shelf->order_room, shelf->order_count + 1, sizeof *shelf->order);
	shelf->order[shelf->order_count++] = version.book;
	books->item = memory_grow(books->item, &shelved->room, books->count + 1, sizeof *books->item);
	for (; at > 0 && books->item[at - 1].effective.us > version.effective.us; at--)
		books->item[at] = books->item[at - 1];
	books->item[at] = version;
	books->count++;
}

/* Columns of price_versions.sql: id, version, effective, document. */
static bool
load(struct book_shelf *shelf, struct db *db, struct shelved *shelved, const char *name, struct error *err)
{
	const struct price_book_finder finder = book_shelf_finder(shelf, db);
	struct rows rows;
	bool fine = true;

	if (!db_rows(db, SQL_RATING_PRICE_VERSIONS, PARAMS(name), &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		struct price_version version = {.version_id = row_number(&rows, i, 0),
		    .version = (int)row_number(&rows, i, 1),
		    .effective = row_instant(&rows, i, 2)};

		fine = price_book_parse(
		    row_text(&rows, i, 3), row_length(&rows, i, 3), name, version.version, &finder, &version.book, err);
		if (fine)
			put(shelf, shelved, version);
		else
			error_wrap(err, "published price book %s version %d", name, version.version);
	}
	rows_release(&rows);
	return fine;
}

bool
book_shelf_find(struct book_shelf *shelf, struct db *db, const char *name, const struct price_books **out, struct error *err)
{
	struct shelved *shelved = shelved_of(shelf, name);
	bool was_loaded = shelved->loaded;

	*out = &shelved->books;
	shelved->loaded = true;
	return was_loaded || load(shelf, db, shelved, name, err);
}

void
book_shelf_add(struct book_shelf *shelf, struct price_book *book)
{
	put(shelf, shelved_of(shelf, price_book_name(book)),
	    (struct price_version){.effective = price_book_effective(book), .book = book});
}

const struct price_books *
book_shelf_named(struct book_shelf *shelf, const char *name)
{
	return &shelved_of(shelf, name)->books;
}

static const struct price_book *
find_extended(void *context, const char *name, int version, struct error *err)
{
	struct book_shelf *shelf = context;
	const struct price_books *books = &shelved_of(shelf, name)->books;

	if (shelf->db != NULL && !book_shelf_find(shelf, shelf->db, name, &books, err))
		return NULL;
	/* A file has no version: whichever is there is meant. */
	for (size_t i = books->count; i > 0; i--)
		if (books->item[i - 1].version == version || books->item[i - 1].version == 0)
			return books->item[i - 1].book;
	error_set(err, ERROR_INPUT, "the book that is extended is not there: %s version %d", name, version);
	error_hint(err,
	    shelf->db != NULL ? "tollbook prices list shows what is published; publish it first."
			      : "Give its file as well: --with FILE.");
	return NULL;
}

struct price_book_finder
book_shelf_finder(struct book_shelf *shelf, struct db *db)
{
	shelf->db = db;
	return (struct price_book_finder){shelf, find_extended};
}
