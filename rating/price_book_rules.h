/* price_book_rules.h -- the inside of a price book, for price_book.c and price_book_check.c only. */
#ifndef RATING_PRICE_BOOK_RULES_H
#define RATING_PRICE_BOOK_RULES_H

#include "ledger/meter.h"
#include "rating/pattern.h"
#include "rating/price_book.h"

enum { FALLBACKS_MAX = 4 };

struct price_rule {
	const char *name;  /* or NULL */
	const char *model; /* exact, or NULL */
	struct pattern *pattern;
	const char *pattern_text;
	const char *base_model;    /* or NULL: any */
	const char *service_tier;  /* "*": any */
	int fallback[METER_LIMIT]; /* by meter: the one whose price it takes; 0: none */
	const struct meter_price *price[METER_LIMIT];
};

struct price_book {
	const char *name, *currency;
	struct instant effective;
	bool is_free[METER_LIMIT];
	int fallback[METER_LIMIT];
	struct price_rule *rules;
	size_t count;
	struct meter_price free_price;
	struct arena arena;
};

#endif
