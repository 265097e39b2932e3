/*
 * charges.h -- what the usage of one tenant in one period costs: a pure function of usage, contracts and price books.
 *
 * Usage comes in the order of time and then of names, so that tiers count in one stated order.  The price in force when its quarter
 * of an hour began prices it.  What no rule prices is held, with a reason, never priced at zero.  Knows neither clock nor database;
 * several may be at work at a time, on the same books.
 */
#ifndef RATING_CHARGES_H
#define RATING_CHARGES_H

#include "rating/book_shelf.h"
#include "rating/contract.h"
#include "rating/rated.h"

/* How much of a meter was used in one quarter of an hour by requests that nothing tells apart. */
struct usage {
	struct instant start;
	struct price_subject subject;
	int64_t size[PRICE_SIZES]; /* of the requests, as far as brackets tell; -1: not known */
	int meter;
	bool is_aborted; /* of requests whose status is "aborted"; told only where a contract of the period holds those */
	i128 quantity;   /* in the meter's smallest unit */
};

/* A contract with the books it names. */
struct charging_contract {
	const struct contract *contract;
	const struct price_books *override, *book; /* override: NULL for none */
};

/* What earlier periods left in a counter, or in the spend of a commitment. */
struct carried {
	const char *key;
	i128 quantity;
};
struct spent {
	const char *period;
	struct decimal amount;
};

/* In place of whichever version of this book is in force, this one prices a model, or all where it is "". */
struct substitution {
	int64_t substitution_id; /* of two that are about a model the newer one counts */
	const char *model;
	const struct price_books *books;
	const struct price_version *version;
};

struct charging_inputs {
	const char *period; /* YYYY-MM */
	struct instant starts, ends;
	const struct contracts *contracts;        /* by effective */
	const struct charging_contract *resolved; /* one for each of them */
	int64_t priced_with;                      /* price book versions with a higher id do not count */
	const struct carried *carried;
	size_t carried_count;
	const struct spent *spent; /* by earlier periods: usage, fees of tiers and discounts */
	size_t spent_count;
	const struct substitution *substitutions;
	size_t substitution_count;
};

struct charging;

/* Charges and holds go into *out, which is empty; `inputs` must live as long.  Into `digest` go the versions of contracts and books as
 * they come to be used. */
struct charging *charging_new(const struct charging_inputs *inputs, struct digest *digest, struct rated *out);
MUST_CHECK
bool charging_add(struct charging *charging, const struct usage *usage, struct error *err);
/* The end of the period: volume prices, amounts, what contracts add; then rated_finish(). */
MUST_CHECK
bool charging_settle(struct charging *charging, struct error *err);
/* What parts of the usage added last became, in the order in which its units lie, the last ones first where it takes back; for a
 * look at single requests. */
struct charging_part {
	const char *held; /* the reason; NULL: it is charged */
	size_t place;     /* of charge.place; counts only where it is charged */
	i128 quantity, billed;
	i128 before; /* units of its step before it, from which packages are counted; -1: the step shows at the end */
};
const struct charging_part *charging_parts(const struct charging *charging, size_t *count);
void charging_free(struct charging *charging);

#endif
