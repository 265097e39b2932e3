/*
 * price_import.h -- public price lists become price books; docs/price-books.md tells how.
 *
 * What a price book cannot say is never dropped in silence: it is noted with entry, field, value and reason.
 */
#ifndef RATING_PRICE_IMPORT_H
#define RATING_PRICE_IMPORT_H

#include "base/instant.h"
#include "base/memory.h"

enum price_list_kind {
	PRICE_LIST_LITELLM,
	PRICE_LIST_GENAI_PRICES,
	PRICE_LIST_OPENROUTER,
	PRICE_LIST_MODELS_DEV,
	PRICE_LIST_KINDS
};

/* False where no list has this name. */
bool price_list_kind_find(const char *name, enum price_list_kind *out);
const char *price_list_kind_name(enum price_list_kind kind);

struct price_import_order {
	enum price_list_kind kind;
	const char *file;         /* for messages, and its last part for the book's "source" */
	const char *book;         /* the name of the book that is made */
	const char *provider;     /* only the entries of this one, which rules then do not ask for; NULL: all */
	struct instant effective; /* of the book; of a list with dates, the prices in force then */
};

struct price_import;

/* Reads a whole list.  An error only where it is not such a list; the rest is noted.  Ended with price_import_free().
 * `bytes` and the texts of the order must outlive it. */
MUST_CHECK
bool price_import_read(
    const struct price_import_order *order, const char *bytes, size_t length, struct price_import **out, struct error *err);
void price_import_free(struct price_import *import);

/* The book, in the language of docs/price-books.md; the same bytes each time. */
void price_import_book(const struct price_import *import, struct text *out);
/* How many entries, how many of them priced, and what was noted, by reason, in words. */
void price_import_summary(const struct price_import *import, struct text *out);
/* Each note as a line of JSON: entry, field, value, reason, imported, and kept where a number was changed. */
void price_import_report(const struct price_import *import, struct text *out);
size_t price_import_rules(const struct price_import *import);
/* The first instant after the order's at which the list changes its prices; false: it does not. */
bool price_import_next_date(const struct price_import *import, struct instant *out);

#endif
