/*
 * price_book.h -- price books: dated rules in one currency; docs/price-books.md is the language.
 *
 * Parsed once, then only read: matching and looking up prices allocate nothing and know neither clock nor database.
 */
#ifndef RATING_PRICE_BOOK_H
#define RATING_PRICE_BOOK_H

#include "base/instant.h"
#include "base/memory.h"
#include "rating/tiers.h"

enum { PRICE_RULES_MAX = 10000, PRICE_NAME_BYTES = 256 };

struct price_book;

/* `file` is only for messages.  Errors name file, path and value.  Ended with price_book_free(). */
MUST_CHECK
bool price_book_parse(const char *bytes, size_t length, const char *file, struct price_book **out, struct error *err);
void price_book_free(struct price_book *book);

const char *price_book_name(const struct price_book *book);
const char *price_book_currency(const struct price_book *book); /* ISO 4217 */
struct instant price_book_effective(const struct price_book *book);
size_t price_book_rules(const struct price_book *book);

/* What a rule is chosen by. */
struct price_subject {
	const char *model, *base_model, *service_tier; /* as in the ledger; "" for not stated */
};

enum price_match {
	PRICE_MATCHED,
	PRICE_NO_RULE,
	PRICE_PATTERN_LIMIT, /* a pattern could not be decided within its limits: hold, do not go on to another rule */
};

/* Rules that name the model exactly come before patterns, each in the order of the file; the first that matches is it. */
enum price_match price_book_match(const struct price_book *book, const struct price_subject *subject, size_t *rule);

/* Why a single rule does or does not match, in words; for `prices which`. */
const char *price_rule_verdict(const struct price_book *book, size_t rule, const struct price_subject *subject);
/* "model gpt-5, service tier default": what a rule is for, in words; into the arena. */
const char *price_rule_describe(const struct price_book *book, size_t rule, struct arena *arena);
/* True where the rule names a model exactly. */
bool price_rule_is_exact(const struct price_book *book, size_t rule);

/* The price of a meter under a rule: its own; else, by "fallback", that of another meter (*priced_as says which); else zero
 * where the book says "free"; else NULL. */
const struct meter_price *price_book_meter(const struct price_book *book, size_t rule, int meter, int *priced_as);

/* What is suspicious in a book that parses: told to `found`, errors (not to be published) and warnings. */
typedef void price_finding(void *context, bool is_error, const char *path, const char *text);
void price_book_check(const struct price_book *book, price_finding *found, void *context);

#endif
