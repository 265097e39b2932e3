/*
 * period_rate.h -- the rating of tenants' periods from what stands in the database.
 *
 * Loading reads everything that the result depends on, for several periods at once; computing is pure and may run on any thread.
 */
#ifndef RATING_PERIOD_RATE_H
#define RATING_PERIOD_RATE_H

#include "rating/charges.h"

/* Which arithmetic this is: stored with each rating, and raised where the same inputs come to something else. */
enum { RATING_ENGINE = 2 };

/* Which usage, priced with which books: everything the result depends on. */
struct period_inputs {
	const char *tenant, *period;
	struct instant starts, ends;
	int64_t until_run;       /* increments of later runs do not count; of earlier periods the newest ratings up to it do */
	int64_t priced_with;     /* price book versions with a higher id do not count */
	int64_t contracted_with; /* contract rows with a higher id do not count */
};

/* One period at work. */
struct period {
	struct period_inputs inputs;
	struct contracts contracts;
	struct charging_contract *resolved;
	struct carried *carried;
	struct spent *spent;
	size_t carried_count, spent_count;
	const struct rows *rows; /* of all periods loaded together; this one's are from first_row to rows_end */
	int first_row, rows_end;
	struct arena arena;
	struct rated rated; /* once computed */
	bool fine;
	struct error err;
};

/* Periods loaded together. */
struct periods {
	struct period *item;
	size_t count;
	struct rows rows;
};

/* Loads `count` periods, whose `inputs` are filled, and of which none needs the result of another.  Ended with periods_release(). */
MUST_CHECK
bool periods_load(struct db *db, struct book_shelf *shelf, struct periods *periods, struct error *err);
/* Into period->rated, or period->err. */
void period_compute(struct period *period);
/* The usage of a loaded period, row by row; its texts live as long as the period. */
struct usage period_usage(const struct period *period, int row);
/* What charging_new() takes. */
struct charging_inputs period_charging(const struct period *period);
void periods_release(struct periods *periods);

#endif
