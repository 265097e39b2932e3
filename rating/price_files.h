/*
 * price_files.h -- price books that a command line names: files, and published versions as BOOK or BOOK@VERSION.
 */
#ifndef RATING_PRICE_FILES_H
#define RATING_PRICE_FILES_H

#include "base/command.h"
#include "rating/book_shelf.h"

/* True where a word means a file: there is a / in it, or it ends in ".json". */
bool price_word_is_file(const char *word);

/* Reads and parses a file.  What it extends is on the shelf or, where run->db is open, published.  *text, zeroed before, and *out
 * are the caller's; the book ends before the shelf.  Errors: what cannot be read, and those of price_book_parse(). */
MUST_CHECK
bool price_file_read(
    struct run *run, struct book_shelf *shelf, const char *path, struct text *text, struct price_book **out, struct error *err);
/* Puts the files of every --with on the shelf, in their order: what one extends must come before it. */
MUST_CHECK
bool price_files_with(struct run *run, struct book_shelf *shelf, struct error *err);
/* The book that a word names: a file, or a published version, the newest where none is named.  Opens the database where it takes
 * one.  The book is the shelf's. */
MUST_CHECK
bool price_version_named(
    struct run *run, struct book_shelf *shelf, const char *word, struct price_version *out, struct error *err);
/* The version of a published book that is in force at an instant, or an error of kind STATE. */
MUST_CHECK
bool price_version_at(
    struct run *run, struct book_shelf *shelf, const char *book, struct instant at, struct price_version *out, struct error *err);
/* "BOOK@3" into its parts; version 0 where there is none. */
MUST_CHECK
bool price_word_split(struct run *run, const char *word, const char **book, int *version, struct error *err);

/* Where in a file findings are: finding thousands of places in a large one takes a pass over it, not one each. */
struct price_places {
	const struct text *text; /* a price book that parses; set by the caller, the rest zeroed */
	struct price_place {
		size_t offset, length, line, column;
	} * rules;
	size_t count;
	bool looked;
};

/* Line and column, as document_where() gives them. */
bool price_place_of(struct price_places *places, const char *path, size_t *line, size_t *column);
void price_places_release(struct price_places *places);

#endif
