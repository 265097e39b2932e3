/*
 * period_rate.h -- the rating of tenants' periods from what stands in the database.
 *
 * Loading reads everything that the result depends on, for several periods at once; computing is pure and may run on any thread.
 */
#ifndef RATING_PERIOD_RATE_H
#define RATING_PERIOD_RATE_H

#include "rating/period_usage.h"

/* Which arithmetic this is: stored with each rating, and raised where the same inputs come to something else. */
enum { RATING_ENGINE = 2 };

/* Which usage, priced with which books: everything the result depends on. */
struct period_inputs {
	const char *tenant, *period;
	struct instant starts, ends;
	int64_t until_run;        /* increments of later runs do not count; of earlier periods the newest ratings up to it do */
	int64_t priced_with;      /* price book versions with a higher id do not count */
	int64_t contracted_with;  /* contract rows with a higher id do not count */
	int64_t substituted_with; /* substitutions with a higher id do not count */
};

/* One period at work. */
struct period {
	struct period_inputs inputs;
	struct contracts contracts;
	struct charging_contract *resolved;
	struct carried *carried;
	struct spent *spent;
	struct substitution *substitutions;
	size_t carried_count, carried_room, spent_count, spent_room, substitution_count, substitution_room;
	unsigned fields;         /* that books and contracts ask for, and usage is told apart by: see usage_range.fields */
	struct distinctions own; /* what its books tell requests apart by */
	struct period_usage usage;
	struct arena arena;
	struct rated rated; /* once computed */
	bool fine;
	struct error err; /* why it is not; also of what was loaded: then it is not computed */
};

/* Where periods are loaded from. */
struct period_source {
	struct db *db;
	struct book_shelf *shelf;
	struct request_classes *classes;
};

/* The classes are those that the database knows now: a run that adds some opens its source afterwards. */
MUST_CHECK
bool period_source_open(struct db *db, struct period_source *out, struct error *err);
void period_source_close(struct period_source *source);

/* Loads `count` periods, whose `inputs` are filled: of one month and run, and of different tenants.  One whose earlier spending is out of range does not stop
 * the others: it has that in its `err`.  Ended with periods_release(). */
MUST_CHECK
bool periods_load(struct period_source *source, struct period *periods, size_t count, struct error *err);
/* Of a book that is not of its contracts: tells requests of the period apart by it, too, before period_order(). */
MUST_CHECK
bool period_tell_apart(struct period *period, const struct price_book *book, struct error *err);
/* Puts its usage in order; period_compute() does it by itself. */
void period_order(const struct period_source *source, struct period *period);
/* Into period->rated, or period->err; period->fine says which. */
void period_compute(const struct period_source *source, struct period *period);
/* What charging_new() takes. */
struct charging_inputs period_charging(const struct period *period);
void periods_release(struct period *periods, size_t count);

#endif
