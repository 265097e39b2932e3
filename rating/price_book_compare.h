/*
 * price_book_compare.h -- what changes from one price book to another.
 */
#ifndef RATING_PRICE_BOOK_COMPARE_H
#define RATING_PRICE_BOOK_COMPARE_H

#include "rating/price_book.h"

/* Texts live until the call that is told of them returns; "" where there is nothing to say. */
struct price_difference {
	const char *rule;  /* the name or what it is for; "" for the book itself */
	const char *meter; /* "" for the rule itself */
	const char *part;  /* "over 200000, step 2": where in the price */
	const char
	    *what; /* "added", "removed", "price", "fee", "brackets", "steps", "times", "counter", "match", "inherit", ... */
	const char *old, *new;
	const char *percent; /* "12.5", to one decimal, half away from zero; of prices, where the old one is not zero */
};

/* Rules are the same where their identity is; of each meter of a rule the first difference is told.  Prices are as the books write
 * them, without what they inherit or extend; a base that changes is told by its name. */
typedef void price_difference_told(void *context, const struct price_difference *difference);
void price_books_compare(const struct price_book *old, const struct price_book *new, price_difference_told *told, void *context);

#endif
