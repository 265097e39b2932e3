/*
 * contract_terms.h -- what a contract says beside its price book: trial, fees, allowances, discounts, commitment, minimum,
 * maximum, adjustments, aborted usage.
 *
 * docs/price-books.md is the language.  Parsed once, then only read.  What the terms come to is computed in contract_charges.h.
 */
#ifndef RATING_CONTRACT_TERMS_H
#define RATING_CONTRACT_TERMS_H

#include "base/instant.h"
#include "base/memory.h"
#include "ledger/meter.h"
#include "base/pattern.h"

enum {
	CONTRACT_FEES_MAX = 32,
	CONTRACT_ALLOWANCES_MAX = 32,
	CONTRACT_DISCOUNTS_MAX = 32,
	CONTRACT_RAMP_MAX = 64,
	CONTRACT_NAME_BYTES = 256,
};

/* The usage that an allowance or a discount is about. */
struct contract_scope {
	bool any_meter;
	bool meter[METER_LIMIT];
	const char *model_pattern; /* NULL: any model */
	struct pattern *pattern;
	const char *service_tier; /* NULL: any */
};

struct contract_fee {
	const char *name;
	bool by_time;                   /* quantity x price for each unit of time, else an amount */
	struct decimal amount;          /* by time: quantity x price */
	struct decimal quantity, price; /* by time */
	const char *per;                /* by time: "hour" or "day", which is 24 hours */
	int64_t per_us;                 /* its length */
	bool prorate;
};

struct contract_allowance {
	const char *name;
	struct contract_scope scope;
	i128 quantity; /* smallest units of its meters, which all count in the same unit; above zero */
	bool prorate;
};

struct contract_discount {
	const char *name;
	struct contract_scope scope;
	bool is_percent;
	struct decimal percent; /* above 0, at most 100, with at most 16 decimals */
	struct decimal most;    /* what it takes off at most: the amount, or the cap of a percentage */
	bool has_most;          /* false: a percentage without a cap */
};

enum contract_reset { CONTRACT_MONTH, CONTRACT_QUARTER, CONTRACT_YEAR, CONTRACT_NEVER };

struct contract_commitment {
	struct decimal amount;  /* for each window */
	struct decimal overage; /* factor of what is spent above the amount; 1 where none is stated */
	enum contract_reset reset;
	bool is_set, true_up;
};

struct contract_ramp_step {
	struct instant from;
	struct decimal amount;
};

/* A minimum or a maximum. */
struct contract_bound {
	bool is_set, prorate;
	struct decimal amount;                             /* before the first step */
	struct contract_ramp_step ramp[CONTRACT_RAMP_MAX]; /* rising */
	size_t ramp_count;
};

/* What becomes of the difference when a closed period is re-rated. */
struct contract_adjustments {
	bool is_set;
	bool as_credit_note;        /* where money is given back and its invoice allows it; else on the next invoice */
	struct decimal waive_below; /* what is owed by the tenant and less than this is waived */
};

/* What becomes of usage whose status is "aborted". */
enum contract_aborted {
	ABORTED_UNSTATED, /* as ABORTED_BILL, but it lets go of nothing that an earlier contract holds */
	ABORTED_BILL,
	ABORTED_HOLD,
};

struct contract_terms {
	bool has_trial;
	struct instant trial_until;
	struct contract_fee fee[CONTRACT_FEES_MAX];
	struct contract_allowance allowance[CONTRACT_ALLOWANCES_MAX];
	struct contract_discount discount[CONTRACT_DISCOUNTS_MAX];
	size_t fee_count, allowance_count, discount_count;
	struct contract_commitment commitment;
	struct contract_bound minimum, maximum;
	struct contract_adjustments adjustments;
	enum contract_aborted aborted;
	struct arena arena; /* of its texts */
};

/* Reads the JSON object of "terms".  `file` is for messages, `path` is where the object stands in it ("tenants[0].terms"): errors
 * name file, path and value.  `zone` is the contract's: days of the terms begin at its midnight.  Ended with contract_terms_free(). */
MUST_CHECK
bool contract_terms_parse(const char *json, size_t length, const char *file, const char *path, const char *zone,
    struct contract_terms **out, struct error *err);
void contract_terms_free(struct contract_terms *terms);

/* "trial, 2 fees, minimum": what the terms have, in a few words; "" for NULL.  Into the arena. */
const char *contract_terms_summary(const struct contract_terms *terms, struct arena *arena);

/* Is this usage in the scope?  PATTERN_LIMIT where the pattern could not be decided. */
enum pattern_answer contract_scope_covers(
    const struct contract_scope *scope, const char *model, const char *service_tier, int meter);

/* The amount of a bound at an instant: that of the last step that is not later. */
struct decimal contract_bound_at(const struct contract_bound *bound, struct instant at);

#endif
