/*
 * contract_charges.h -- what a contract's terms come to, over what its usage cost.
 *
 * Pure: no clock, no database.  The engine prices usage, asks here which of it is free (trial, allowances), and hands over what the
 * rest costs; back come discounts, overage, true-up, minimum, maximum and fees, in this order, each as a charge of its own.  The
 * order and each amount are described in docs/price-books.md.  Where there are no terms, `terms` is NULL and nothing comes of it.
 *
 * A segment is the part of a period in which the same terms are in force.  An amount that is prorated is multiplied by the segment's
 * length and divided by the period's, in microseconds, so that a month with a change of clocks is as long as it is.
 */
#ifndef RATING_CONTRACT_CHARGES_H
#define RATING_CONTRACT_CHARGES_H

#include "rating/charge_kind.h"
#include "rating/contract_terms.h"

enum { CONTRACT_CHARGES_MAX = CONTRACT_DISCOUNTS_MAX + CONTRACT_FEES_MAX + 4, CONTRACT_PERIOD_BYTES = 8 };

struct contract_segment {
	struct instant period_starts, period_ends;
	struct instant starts, ends; /* within the period */
	bool last_of_period; /* no other one of the period comes after it; one that ends with the period is the last anyway */
	bool last_of_window; /* the commitment's window ends with this segment */
	struct decimal spent_before; /* in the window before this segment, after discounts */
};

/* What a charge of kind usage or tier_fee costs; discounts reduce it. */
struct contract_net {
	const char *model, *service_tier;
	int meter;
	struct decimal net;
};

struct contract_charge {
	enum charge_kind kind;
	const char *name;      /* of the discount or the fee, else the key of the terms: "minimum" */
	struct decimal amount; /* never zero; what is taken off is negative */
	const char *detail;    /* the arithmetic: "10 % of 120, capped at 5" */
};

/* The charges of a segment, also of one without usage.  `nets` are in charge order; afterwards each is what discounts left of it, and
 * their sum is what the segment adds to the window's spend.  `out` has room for CONTRACT_CHARGES_MAX.  Names live as long as the
 * terms, details as long as the arena.  An error of kind RANGE where a sum does not fit, of kind STATE where a pattern cannot be
 * decided: the engine holds such usage before it is priced, see contract_decides(). */
MUST_CHECK
bool contract_charges_make(const struct contract_terms *terms, const struct contract_segment *segment, struct contract_net *nets,
    size_t count, struct arena *arena, struct contract_charge *out, size_t *out_count, struct error *err);

/* Is usage at this instant within the free trial? */
bool contract_is_trial(const struct contract_terms *terms, struct instant at);

/* False where a pattern of an allowance or a discount cannot be decided for this usage within its limits. */
bool contract_decides(const struct contract_terms *terms, const char *model, const char *service_tier, int meter);
/* Which allowances cover a usage, in the order in which they are used up: places in terms->allowance.  Returns how many. */
size_t contract_allowance_for(const struct contract_terms *terms, const char *model, const char *service_tier, int meter,
    size_t out[CONTRACT_ALLOWANCES_MAX]);
/* How much an allowance includes in a segment, in the smallest unit of its meters; a prorated one is rounded down.  All the usage it
 * covers counts against it together. */
MUST_CHECK
bool contract_allowance_quantity(
    const struct contract_terms *terms, const struct contract_segment *segment, size_t allowance, i128 *out, struct error *err);

/* The window of the commitment that a period "YYYY-MM" lies in: the first period of it ("0001-01" where it never ends), and whether
 * this one is the last.  False where there is no commitment. */
bool contract_window(const struct contract_terms *terms, const char *period, char first[CONTRACT_PERIOD_BYTES], bool *is_last);

#endif
