/*
 * book_shelf.h -- published price books, parsed once and kept for as long as a command runs.
 */
#ifndef RATING_BOOK_SHELF_H
#define RATING_BOOK_SHELF_H

#include "base/db.h"
#include "rating/price_book.h"

/* A version of a book, from its effective instant on, until the next one. */
struct price_version {
	int64_t version_id; /* 0: a file that is not published */
	int version;
	struct instant effective;
	struct price_book *book;
};

struct price_books {
	struct price_version *item; /* by effective, rising */
	size_t count;
};

/* The version in force at an instant, of those up to an id; NULL where there is none. */
const struct price_version *price_books_at(const struct price_books *books, struct instant at, int64_t newest);

/* The version with this id; NULL where it is not among them. */
const struct price_version *price_books_version(const struct price_books *books, int64_t version_id);

struct book_shelf;
struct book_shelf *book_shelf_new(void);
void book_shelf_free(struct book_shelf *shelf);

/* All published versions of a book, with the books they extend; none is no error.  Lives as long as the shelf. */
MUST_CHECK
bool book_shelf_find(
    struct book_shelf *shelf, struct db *db, const char *name, const struct price_books **out, struct error *err);
/* Puts a book that is not published on the shelf, which owns it now: a version of its name. */
void book_shelf_add(struct book_shelf *shelf, struct price_book *book);
/* What is on the shelf under a name, without asking a database; grows with it. */
const struct price_books *book_shelf_named(struct book_shelf *shelf, const char *name);
/* Finds what a book extends: on the shelf, and where `db` is not NULL among the published ones. */
struct price_book_finder book_shelf_finder(struct book_shelf *shelf, struct db *db);

#endif
