/* price_book_check.h -- the inside of checking a price book, for the price_book_check*.c files only. */
#ifndef RATING_PRICE_BOOK_CHECK_H
#define RATING_PRICE_BOOK_CHECK_H

#include "base/index.h"
#include "rating/price_book_rules.h"

enum { CHECK_PATH = 96 /* what an error keeps of a path */ };

struct inspection {
	const struct price_book *book;
	price_finding *found;
	void *context;
	const char **literal; /* by rule: the one name that its pattern matches, or NULL */
	bool *undecided; /* by rule: its pattern has reached a limit, and is not asked again: it would take as long each time */
	struct index tried; /* patterns whose limits were tried */
	struct arena arena;
};

void inspection_tell(const struct inspection *inspection, bool is_error, const char *path, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* --- price_book_check_match.c: which rule is chosen --- */

/* Fills `literal`; before the others. */
void check_literals(struct inspection *inspection);
void check_reach(const struct inspection *inspection, size_t rule);
/* True where both are for the same usage but for the service tier. */
bool is_same_but_tier(const struct price_rule *one, const struct price_rule *other);
/* True where a model of this name can have this rule, as far as the name goes. */
bool takes_model(const struct price_rule *rule, const char *name);
void check_patterns(struct inspection *inspection, size_t rule);
void check_names(const struct inspection *inspection);
void check_aliases(const struct inspection *inspection);
void check_service_tiers(const struct inspection *inspection);

/* --- price_book_check_prices.c: prices of a rule, beside each other --- */

/* The first step of the price that the rule itself has for a meter, by fallback too; NULL where it has none. */
const struct tier_step *rule_first_step(const struct price_rule *rule, int meter);
/* Less, equal or more than 0: by the unit. */
int compare_unit_prices(const struct tier_step *one, const struct tier_step *other);
/* True where the one costs at least `times` as much as the other, by the unit. */
bool is_dearer_by(const struct tier_step *one, const struct tier_step *other, u128 times);
void check_prices(const struct inspection *inspection, size_t rule);
void check_windows(const struct inspection *inspection);
void check_groups(const struct inspection *inspection);

/* --- price_book_check_inherit.c: prices of other rules --- */

void check_inherit(const struct inspection *inspection, size_t rule);
/* Tells of a factor that makes nothing of every price. */
void check_factor(const struct inspection *inspection, const char *path, struct decimal factor);
/* What nearly all usage has, and is held without a price. */
void check_missing(struct inspection *inspection, size_t rule);

#endif
