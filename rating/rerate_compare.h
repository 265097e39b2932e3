/*
 * rerate_compare.h -- what a run that rated again changes, by tenant's period, model, meter and day.
 */
#ifndef RATING_RERATE_COMPARE_H
#define RATING_RERATE_COMPARE_H

#include "base/command.h"
#include "base/money.h"

/* How far differences go up and down together, in one currency: what goes up is not hidden by what goes down. */
struct rerate_gross {
	const struct currency *currency;
	struct decimal amount;
};

struct rerate_comparison {
	struct text items, differences; /* COPY text: rerate_item_copy.sql, rerate_difference_copy.sql */
	struct rerate_gross *gross;
	size_t item_count, closed_count, gross_count, gross_room; /* closed_count: of closed periods that differ */
};

/* Compares the ratings of a run with those that were in force before it; the rows are for re-rate `rerate_id`.  Ended with
 * rerate_comparison_release(), on failure too. */
MUST_CHECK
bool rerate_compare(
    struct run *run, const char *rerate_id, const char *rating_run, struct rerate_comparison *out, struct error *err);
void rerate_comparison_release(struct rerate_comparison *comparison);

#endif
