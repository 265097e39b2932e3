/*
 * price_books.h -- price books in a line or two, for the tests about them.
 *
 * BOOK() and RULE() write JSON with ' for ", which is easier to read in C.
 */
#ifndef TESTS_UNIT_RATING_PRICE_BOOKS_H
#define TESTS_UNIT_RATING_PRICE_BOOKS_H

#include "rating/price_book.h"

#include "tests/support/unit.h"

/* A book of that name from that time on; NAMED("b", "2026-01-01T00:00:00Z", "'rules': [...]"). */
#define NAMED(name, effective, rest)                                                                                             \
	"{'tollbook_prices': 1, 'book': '" name "', 'currency': 'USD', 'effective': '" effective "', " rest "}"
#define HEAD "'tollbook_prices': 1, 'book': 'test', 'currency': 'USD', 'effective': '2026-01-01T00:00:00Z'"
#define BOOK(rest) "{" HEAD ", " rest "}"
/* A book of rules alone; RULES(RULE("'model': 'a'") AND RULE("'model': 'b'")). */
#define RULES(...) BOOK("'rules': [" __VA_ARGS__ "]")
#define AND ", "
/* Input at 1, output at 4 and reasoning at 4 for a million. */
#define PRICES                                                                                                                   \
	"'prices': {'input_text_uncached_tokens': {'price': '1', 'per': 1000000}, "                                              \
	"'output_text_tokens': {'price': '4', 'per': 1000000}, 'output_reasoning_tokens': {'price': '4', 'per': 1000000}}"
/* A rule for a model with those prices; RULE("'model': 'm'"). */
#define RULE(match) "{" match ", " PRICES "}"
/* A rule of one meter; PRICED("requests", "{'price': '1', 'per': 1}"). */
#define PRICED(meter, price) "{'model': 'm', 'prices': {'" meter "': " price "}}"
/* A rule of one price for requests; REQUESTS("'model': 'm'", "{'price': '1', 'per': 1}"). */
#define REQUESTS(match, price) "{" match ", 'prices': {'requests': " price "}}"
/* Requests at a flat price; EACH("1"). */
#define EACH(price) "{'price': '" price "', 'per': 1}"

/* The book that the text is, or NULL with *err set; the text is as BOOK() writes it.  `version` 0: not published. */
static inline struct price_book *
book_version_or_error(const char *text, int version, const struct price_book_finder *finder, struct error *err)
{
	struct price_book *book = NULL;
	struct text json = {0};

	*err = (struct error){0};
	text_add_string(&json, text);
	for (size_t i = 0; i < json.length; i++)
		json.bytes[i] = json.bytes[i] == '\'' ? '"' : json.bytes[i];
	CU_ASSERT_EQUAL(price_book_parse(json.bytes, json.length, "book.json", version, finder, &book, err), book != NULL);
	text_release(&json);
	return book;
}

static inline struct price_book *
book_or_error(const char *text, struct error *err)
{
	return book_version_or_error(text, 0, NULL, err);
}

/* A book that parses; the test ends here where it does not. */
static inline struct price_book *
book_version_of(const char *text, int version, const struct price_book_finder *finder)
{
	struct error err;
	struct price_book *book = book_version_or_error(text, version, finder, &err);

	if (book == NULL)
		printf("\n    %s: %s: %s\n", err.field, err.message, err.value);
	CU_ASSERT_PTR_NOT_NULL_FATAL(book);
	return book;
}

static inline struct price_book *
book_of(const char *text)
{
	return book_version_of(text, 0, NULL);
}

/* A subject of which only the model is stated, in the default service tier. */
static inline struct price_subject
subject_of(const char *model)
{
	struct price_subject subject = {.tags = ""};

	for (size_t i = 0; i < MATCH_FIELDS; i++)
		subject.field[i] = "";
	subject.field[MATCH_MODEL] = model;
	subject.field[MATCH_SERVICE_TIER] = "default";
	return subject;
}

#endif
