/*
 * price_book.h -- price books: dated rules in one currency; docs/price-books.md is the language.
 *
 * Parsed once, then only read, also by several threads: choosing knows neither clock nor database.
 */
#ifndef RATING_PRICE_BOOK_H
#define RATING_PRICE_BOOK_H

#include "base/instant.h"
#include "base/memory.h"
#include "ledger/meter.h"
#include "rating/tiers.h"
#include "rating/time_window.h"

enum {
	PRICE_RULES_MAX = 10000,
	PRICE_NAME_BYTES = 256,
	PRICE_BRACKETS_MAX = 32,
	PRICE_TIMES_MAX = 16,
	PRICE_LAYERS_MAX = 8,      /* an override, a book, and what they extend */
	PRICE_SOURCES_MAX = 128,   /* rules that may have a price for one usage, in the order they are asked */
	PRICE_ADJUSTMENTS_MAX = 8, /* factors and deltas on the way from a rule to the usage */
};

/* --- prices ---------------------------------------------------------------------------------- */

/* What the size of a request is measured by, for brackets. */
enum price_size {
	SIZE_INPUT,          /* the whole input, cache reads and writes included */
	SIZE_UNCACHED_INPUT, /* the input but for cache reads */
	SIZE_OUTPUT,
	SIZE_PART, /* not the request: the place of each token in its side of the request */
	PRICE_SIZES
};

enum counter_scope { COUNTER_RULE, COUNTER_MODEL, COUNTER_GROUP, COUNTER_CONTRACT };
enum counter_reset { RESET_MONTH, RESET_QUARTER, RESET_YEAR, RESET_NEVER };

struct price_bracket {
	int64_t from;      /* the smallest size that it is for; for SIZE_PART the tokens before it */
	const char *words; /* "over 200000", as the book says it; "" for the first */
	struct tiers tiers;
};

/* The price of a meter. */
struct meter_price {
	enum price_size size; /* where there is more than one bracket */
	size_t brackets;      /* at least 1; the first is from 0 */
	const struct price_bracket *bracket;
	size_t times;
	const struct price_time {
		const struct time_window *window;
		struct decimal factor;           /* where `price` is NULL */
		const struct meter_price *price; /* its own, without times */
	} * time;                                /* the first whose window holds the time */
	enum counter_scope scope;                /* what its steps count over, where it has any */
	enum counter_reset reset;
	const char *group; /* of COUNTER_GROUP */
};

/* --- books ----------------------------------------------------------------------------------- */

struct price_book;

/* Where a book that another one extends is found.  `version` 0: any.  NULL with *err set where it is not there. */
struct price_book_finder {
	void *context;
	const struct price_book *(*find)(void *context, const char *name, int version, struct error *err);
};

/* `file` is only for messages.  Errors name file, line, path and value.  `version` is its number where it is published, else 0.
 * Ended with price_book_free(), before the books that it extends.  `finder` may be NULL: then nothing can be extended. */
MUST_CHECK
bool price_book_parse(const char *bytes, size_t length, const char *file, int version, const struct price_book_finder *finder,
    struct price_book **out, struct error *err);
void price_book_free(struct price_book *book);

const char *price_book_name(const struct price_book *book);
/* "standard@3", or the name alone where it is not published. */
const char *price_book_label(const struct price_book *book);
const char *price_book_currency(const struct price_book *book); /* ISO 4217 */
struct instant price_book_effective(const struct price_book *book);
size_t price_book_rules(const struct price_book *book); /* its own */
/* The book that this one extends, or NULL. */
const struct price_book *price_book_base(const struct price_book *book);

/* What the book and those it extends tell requests apart by, beyond what is in a series: brackets, engines, tags.  `kind` is as in
 * finance.price_distinction; each may be told more than once. */
typedef bool price_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err);
MUST_CHECK
bool price_book_distinctions(const struct price_book *book, price_distinction *told, void *context, struct error *err);
/* True where a counter of the book, or of one it extends, outlives the month. */
bool price_book_carries(const struct price_book *book);
/* The fields that rules ask for, a bit each: 1 << MATCH_PROVIDER. */
unsigned price_book_fields(const struct price_book *book);

/* --- choosing -------------------------------------------------------------------------------- */

enum match_field {
#define MATCH_FIELD(name, key) MATCH_##name,
#include "rating/match_fields.def"
#undef MATCH_FIELD
	MATCH_FIELDS
};
extern const char *const match_field_names[MATCH_FIELDS];

/* What a rule is chosen by: as in the ledger; "" for not stated. */
struct price_subject {
	const char *field[MATCH_FIELDS];
	const char *tags; /* a JSON object of texts, or "" */
};

enum price_match {
	PRICE_MATCHED,
	PRICE_NO_RULE,
	PRICE_PATTERN_LIMIT, /* a pattern could not be decided within its limits: hold, do not go on to another rule */
};

/* On the way from a rule to the usage: x factor, rounded half to even at the 18th decimal, then + plus. */
struct price_adjustment {
	struct decimal factor;
	const struct price_plus *plus; /* by meter; or NULL */
	const char *words;             /* "base model llama x 1.2" */
};

/* A rule that may have a price. */
struct price_source {
	const struct price_book *book; /* that the rule stands in */
	size_t rule;                   /* from 0 */
	size_t layer;                  /* of the layers asked: which book led to it */
	size_t adjustments;            /* outermost first */
	struct price_adjustment adjustment[PRICE_ADJUSTMENTS_MAX];
};

struct price_choice {
	enum price_match outcome;
	size_t sources; /* in the order they are asked; where PRICE_MATCHED at least 1 */
	const struct price_source *source;
	size_t layers;
	const struct price_book *layer[PRICE_LAYERS_MAX]; /* with the books that they extend */
};

/* Chooses among `books` (an override before the contract's book), each before what it extends.  Exact rules come before the others,
 * each in the order of the file.  What is kept goes into the arena. */
void price_choose(const struct price_book *const *books, size_t count, const struct price_subject *subject, struct arena *arena,
    struct price_choice *out);

struct price_answer {
	const struct meter_price *price;   /* NULL: none, the usage is held */
	const struct price_source *source; /* NULL: free */
	int priced_as;                     /* the meter whose price it is */
};
struct price_answer price_choice_meter(const struct price_choice *choice, int meter);

/* What an adjustment adds for a meter; false where it adds nothing. */
bool price_plus_of(const struct price_plus *plus, int meter, struct decimal *price, int64_t *per);

/* A price of a source after its adjustments and a factor of time.  `per` is what the price is for. */
MUST_CHECK
bool price_effective(const struct price_source *source, int priced_as, struct decimal price, int64_t per,
    struct decimal time_factor, struct decimal *out, struct error *err);
/* A fee of a step: factors apply, deltas do not. */
MUST_CHECK
bool price_effective_fee(
    const struct price_source *source, struct decimal fee, struct decimal time_factor, struct decimal *out, struct error *err);

/* Why a single rule does or does not match, in words; for `prices which`. */
const char *price_rule_verdict(const struct price_book *book, size_t rule, const struct price_subject *subject);
/* "model gpt-5, service tier default": what a rule is for, in words; into the arena. */
const char *price_rule_describe(const struct price_book *book, size_t rule, struct arena *arena);
/* What keeps its counters through versions: its name, or what it matches. */
const char *price_rule_identity(const struct price_book *book, size_t rule);
/* True where the rule names a model exactly. */
bool price_rule_is_exact(const struct price_book *book, size_t rule);
/* The name that a model is matched under: its alias, or itself. */
const char *price_book_alias(const struct price_book *book, const char *model);

/* --- checking -------------------------------------------------------------------------------- */

/* What is suspicious in a book that parses: told to `found`, errors (not to be published) and warnings. */
typedef void price_finding(void *context, bool is_error, const char *path, const char *text);
void price_book_check(const struct price_book *book, price_finding *found, void *context);
/* Prices that are off by about 1,000 or 1,000,000 from those of an earlier version, of rules with the same identity: warnings. */
void price_book_check_against(
    const struct price_book *book, const struct price_book *earlier, price_finding *found, void *context);

#endif
