/*
 * rate_pass.h -- the inside of rate_run.h: the steps of a pass, which rate_run.c and rate_share.c put together.
 */
#ifndef RATING_RATE_PASS_H
#define RATING_RATE_PASS_H

#include "base/digest.h"
#include "base/index.h"
#include "rating/intervals.h"
#include "rating/period_rate.h"
#include "rating/rate_run.h"
#include "rating/rated_spool.h"

/* Columns of due_list.sql and again_list.sql. */
enum { DUE_TENANT, DUE_PERIOD, DUE_STARTS, DUE_ENDS, DUE_CLOSED, DUE_RATING, DUE_PRICED_UNTIL };

struct pass {
	struct run *run;
	struct rate_scope scope;
	const struct rate_told *told; /* NULL: what fails, fails as a whole */
	int64_t rating_run;
	int64_t until_run; /* the newest run whose increments count */
	int64_t priced_with, contracted_with, substituted_with;
	struct period_source source;
	struct rated_spool *spool;           /* what is rated is kept there; NULL: it is stored */
	struct text ratings, charges, holds; /* COPY data of what is stored */
	struct digest *digest;               /* over the ratings' output */
	struct rate_result *result;
	int done;            /* tenant periods */
	bool followed;       /* intervals moved to other classes */
	struct index failed; /* tenants of whom a period could not be rated */
};

/* Before the transaction. */
MUST_CHECK
bool pass_summarize_ledger(struct run *run, struct error *err);
/* The pass's number, and what there is to rate with; the caller holds the lock of rating. */
MUST_CHECK
bool pass_number(struct pass *pass, struct error *err);
/* New usage into intervals; `only_follow`: only what is told apart now and was not before. */
MUST_CHECK
bool pass_sum(struct pass *pass, bool only_follow, struct intervals_result *summed, struct error *err);
/* Sums what is new and finds out which periods that concerns. */
MUST_CHECK
bool pass_find_due(struct pass *pass, struct error *err);
/* Rates what a list says, into the spool or into the database. */
MUST_CHECK
bool pass_rate_list(struct pass *pass, const struct rows *due, struct error *err);
/* One of the list that is closed, into the database. */
MUST_CHECK
bool pass_rate_closed(struct pass *pass, const struct rows *due, int row, struct error *err);
/* One of the list that was kept, into the database; pass_send() after the last. */
MUST_CHECK
bool pass_store_kept(struct pass *pass, const struct rows *due, int row, const struct rated_rows *rated, struct error *err);
MUST_CHECK
bool pass_send(struct pass *pass, struct error *err);
/* Puts the pass's ratings in force: their periods are due no more. */
MUST_CHECK
bool pass_force(struct pass *pass, struct error *err);
/* Writes the run down, and says its number in the result. */
MUST_CHECK
bool pass_record(struct pass *pass, const char *kind, struct error *err);
void pass_end(struct pass *pass);
/* Something may be carried over from the period that failed. */
bool pass_is_set_aside(const struct pass *pass, const char *tenant);
/* For the rest of the transaction. */
MUST_CHECK
bool pass_use_indexes(struct db *db, struct error *err);

#endif
