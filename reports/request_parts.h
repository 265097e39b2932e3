/*
 * request_parts.h -- what single requests have of usage that was priced as a sum.
 *
 * A quarter of an hour's usage is priced whole and lies in parts: so much in the allowance, so much in step 1, so much in step 2.
 * Requests are laid along these parts in the order of events; a reversal goes back.  What a request has of a charge is what the charge
 * comes to behind it, less what it came to before it, each rounded as charges are: so the amounts of all requests add up
 * to the charge exactly.  Pure arithmetic.
 */
#ifndef REPORTS_REQUEST_PARTS_H
#define REPORTS_REQUEST_PARTS_H

#include "rating/charges.h"

/* Usage of one quarter of an hour that nothing tells apart. */
struct usage_walk {
	const struct charging_part *parts; /* borrowed */
	size_t count;                      /* at least 1 */
	i128 position;                     /* where the requests so far have come to */
};

/* What a request has of one part: the units between two places of it. */
struct request_part {
	const struct charging_part *part;
	i128 from, to;
};

/* Goes on by `quantity`, and says through which parts; `out` has room for walk->count.  What goes beyond the last part, because a later
 * reversal takes it back, counts to the last part. */
size_t usage_walk_on(struct usage_walk *walk, i128 quantity, struct request_part *out);

/* What requests have of a charge so far. */
struct charge_share {
	const struct charge *charge; /* settled */
	i128 quantity, billed;
	struct decimal amount;
};

/* Gives the share one more request's part; *amount is what it costs. */
MUST_CHECK
bool charge_share_add(struct charge_share *share, const struct request_part *part, struct decimal *amount, struct error *err);
/* True where the requests have all of the charge, to the last unit and decimal. */
bool charge_share_is_whole(const struct charge_share *share);

#endif
