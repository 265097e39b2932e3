/* price_book_rules.h -- the inside of a price book, for the price_book*.c files only. */
#ifndef RATING_PRICE_BOOK_RULES_H
#define RATING_PRICE_BOOK_RULES_H

#include "base/document.h"
#include "ledger/meter.h"
#include "base/pattern.h"
#include "rating/price_book.h"

enum { FALLBACKS_MAX = 4, INHERIT_DEPTH_MAX = 4, RULE_TAGS_MAX = 16, BOOK_TIERS_MAX = 32 };

/* What is added to a price, by meter; per 0: nothing. */
struct price_plus {
	struct decimal price[METER_LIMIT];
	int64_t per[METER_LIMIT];
};

enum inherit_from { INHERIT_NOTHING, INHERIT_BASE_MODEL, INHERIT_MODEL, INHERIT_RULE };

struct rule_tag {
	const char *key, *value;
};

struct price_rule {
	const char *name;                /* or NULL */
	const char *value[MATCH_FIELDS]; /* NULL: any; "*": any that is stated (tier: any at all; model: its name) */
	struct pattern *pattern;         /* of the model; NULL: none */
	const char *pattern_text;
	struct pattern *base_pattern; /* of the base model */
	const char *base_pattern_text;
	struct rule_tag *tag;
	size_t tags;
	const char *identity;
	enum inherit_from from;
	const char *from_name; /* of INHERIT_MODEL and INHERIT_RULE */
	struct decimal factor;
	const struct price_plus *plus;
	int fallback[METER_LIMIT]; /* by meter: the one whose price it takes, the book's included; 0: none */
	const struct meter_price *price[METER_LIMIT];
};

/* A service tier whose prices are those of another. */
struct book_tier {
	const char *tier, *inherit;
	struct decimal factor;
};

struct alias {
	const char *model; /* without the star */
	bool is_prefix;
	const char *as;
};

/* What requests are told apart by; see price_book_distinctions(). */
struct told {
	const char *kind;
	int64_t boundary;
	const char *name;
};

struct price_book {
	const char *name, *label, *currency;
	int version;
	bool carries;      /* a counter of its own outlives the month */
	unsigned fields;   /* that its own rules ask for, a bit each */
	struct told *told; /* by its own rules, each once */
	size_t told_count, told_room;
	struct instant effective;
	bool is_free[METER_LIMIT];
	int fallback[METER_LIMIT];
	struct price_rule *rules;
	size_t count;
	const struct price_book *base;
	struct decimal base_factor;
	struct alias *alias; /* exact ones first, by name; then prefixes, the longest first */
	size_t aliases, exact_aliases;
	struct book_tier tier[BOOK_TIERS_MAX];
	size_t tiers;
	struct time_window **window;
	const char **window_name;
	size_t windows;
	struct arena arena;
};

/* --- price_book.c --- */

/* Notes what the rules tell requests apart by; once, when they are read. */
void price_book_note_told(struct price_book *book);

/* --- price_read.c: the value of a meter in "prices" --- */

MUST_CHECK
bool price_read(const struct document *document, json_t *value, const char *path, const struct meter *meter,
    struct price_book *book, const struct meter_price **out);
/* "price" of an object: decimal text, negative only where `signed_too`; NULL is an error where it is missing. */
MUST_CHECK
bool price_read_amount(
    const struct document *document, json_t *object, const char *path, const char *key, bool signed_too, struct decimal *out);
/* A factor: decimal text from 0 to 1000; 1 where it is missing. */
MUST_CHECK
bool price_read_factor(const struct document *document, json_t *object, const char *path, struct decimal *out);
MUST_CHECK
bool price_read_per(const struct document *document, json_t *object, const char *path, const struct meter *meter, int64_t *per);

/* What a rule's prices stand for when nothing is asked: the first step of the first bracket, out of all times. */
const struct tier_step *price_first_step(const struct meter_price *price);
/* True where one of its steps counts something. */
bool price_is_counted(const struct meter_price *price);

#endif
