/*
 * quote.h -- what usage would cost by price book files, without a database: the engine that rates the ledger, fed by hand.
 */
#ifndef REPORTS_QUOTE_H
#define REPORTS_QUOTE_H

#include "ledger/usage_event.h"
#include "rating/charges.h"
#include "rating/request_class.h"

/* Which files, and whose contract. */
struct quote_files {
	const char *book;        /* the price book */
	const char *const *with; /* further ones: what is extended, other versions, an override */
	size_t with_count;
	const char *contract, *tenant; /* a tenant file and one of its tenants; or NULL: the book alone, in months of UTC */
};

struct quote;

MUST_CHECK
bool quote_open(const struct quote_files *files, struct quote **out, struct error *err);
void quote_close(struct quote *quote);
const char *quote_currency(const struct quote *quote);

/* Usage that is not rated yet.  `fields` by match_field, NULL or "" for not stated; engine and tags come from the row's context.
 * `is_request`: the row is one request, whose size is known; else what depends on it is held. */
MUST_CHECK
bool quote_add(
    struct quote *quote, const struct usage_row *row, const char *const fields[MATCH_FIELDS], bool is_request, struct error *err);
/* The same for an event. */
MUST_CHECK
bool quote_add_event(struct quote *quote, const struct usage_event *event, struct error *err);

struct quoted_period {
	char period[8]; /* YYYY-MM */
	struct rated rated;
};
struct quoted {
	struct quoted_period *item; /* by time */
	size_t count;
};

/* Rates what was added, period by period of the contract, and forgets it.  Ended with quoted_release(), while the quote is open. */
MUST_CHECK
bool quote_rate(struct quote *quote, struct quoted *out, struct error *err);
/* Takes from `whole`, which is what some usage and more comes to, what the former alone comes to: what the latter adds.  Charges that
 * come to nothing are left out.  `before` must live as long as *whole. */
MUST_CHECK
bool quoted_subtract(struct quoted *whole, const struct quoted *before, struct error *err);
void quoted_release(struct quoted *quoted);

#endif
