/*
 * credit_share.h -- which credit pays how much of which line of an invoice.  No clock, no database.
 *
 * Only usage within [starts, expires) of a grant is paid by it.  A line whose usage is wholly within is paid in full, one
 * wholly outside not at all, any other up to the part of its amount that its quantities within stand for, rounded down.
 * Several grants that pay the same line never pay more for any stretch of time than what was used in it comes to.  The rules
 * are those of docs/support.md.
 */
#ifndef LEDGER_CREDIT_SHARE_H
#define LEDGER_CREDIT_SHARE_H

#include "base/instant.h"
#include "base/pattern.h"
#include "ledger/meter.h"

/* A grant with a balance. */
struct credit_payer {
	int64_t grant_id;
	bool is_prepaid;
	int64_t priority;
	struct instant starts, expires; /* INT64_MAX: never; on quarters of an hour, see credit_payer_settle() */
	int64_t balance;                /* minor units, above zero */
	struct pattern *pattern;        /* of models; NULL: all */
	bool any_meter, meter[METER_LIMIT];
};

/* How much of a line was used before a border within its time. */
struct credit_mark {
	struct instant at;
	i128 before;
};

/* A line of an invoice. */
struct credit_line {
	int32_t line;
	const char *model;
	int meter; /* 0 of a contract's own, which only grants without scope pay, and by time */
	int64_t amount;
	struct instant first, ends; /* when it was used; the end is not included */
	i128 whole;                 /* how much was used; 0 where it is not known, then only grants that cover all of it pay */
	struct credit_mark *marks;  /* for every border of a payer within its time */
	size_t mark_count;
};

/* Moves the borders inwards to quarters of an hour, since usage is summed by them. */
void credit_payer_settle(struct credit_payer *payer);
/* The order in which grants are asked: prepaid last, then by priority, the first to expire, and number. */
void credit_payers_sort(struct credit_payer *payers, size_t count);
/* Has the payer a border within the line's time, so that a mark is needed? */
bool credit_line_needs_mark(const struct credit_line *line, struct instant border);
/* Fills paid[payer * line_count + line], in minor units.  The sum never exceeds the sum of all lines, that of a payer never its
 * balance.  ERROR_STATE where a pattern reaches its limits, ERROR_RANGE where amounts do not fit. */
MUST_CHECK
bool credit_share(const struct credit_payer *payers, size_t payer_count, const struct credit_line *lines, size_t line_count,
    int64_t *paid, struct error *err);

#endif
