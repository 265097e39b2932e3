/*
 * period_usage.h -- the usage of tenants' periods, out of the intervals, in the order that tiers count in.
 */
#ifndef RATING_PERIOD_USAGE_H
#define RATING_PERIOD_USAGE_H

#include "base/db.h"
#include "rating/charges.h"
#include "rating/request_class.h"

/* Beside the fields of match_fields.def: aborted usage is told apart from other usage. */
enum { USAGE_ABORTED_APART = 1 << MATCH_FIELDS };

/* Whose usage, of when. */
struct usage_range {
	const char *tenant;
	struct instant starts, ends;
	int64_t until_run; /* increments of later runs do not count */
	unsigned
	    fields; /* which fields of match_fields.def to tell apart: a bit each, and USAGE_ABORTED_APART; model, base model and
			    * tier always are */
};

/* Sums of one quarter of an hour: what nothing tells apart is one. */
struct usage_sum {
	int32_t quarter; /* since 1970 */
	int32_t subject; /* its place in `subjects` */
	int32_t class;   /* its place in `classes` */
	int32_t meter;
	i128 quantity; /* not zero */
};

struct usage_subject {
	struct price_subject subject;
	bool is_aborted;
};

struct period_usage {
	struct usage_sum *sums; /* in order: quarter, subject, class, meter (before that: `class` is a number of the database) */
	size_t count, room;
	struct usage_subject *subjects; /* in order: by their fields, without engine and tags, which belong to the class */
	size_t subject_count;
	struct request_class *classes; /* in order: by what they mean */
	size_t class_count;
	struct arena
	    arena; /* of the texts; those of classes are also the ones of the classes that were handed in, which live as long */
};

/* Loads the usage of `count` ranges, no tenant of which comes twice, into out[i], as it comes.  Ended with period_usage_release(),
 * on failure too. */
MUST_CHECK
bool period_usage_load(
    struct db *db, const struct usage_range *ranges, struct period_usage *out, size_t count, struct error *err);
/* Adds it up and puts it in order; may be done on any thread.  `own`: what the tenant's own books tell requests apart by, settled.
 * The database tells apart what any book does, and the order in which usage fills steps must not depend on other tenants' books. */
void period_usage_order(struct period_usage *usage, const struct request_classes *classes, const struct distinctions *own);
/* Number `at` of the sums, for charging_add(). */
struct usage period_usage_at(const struct period_usage *usage, size_t at);
/* Everything that a rating is made of goes into the digest. */
void period_usage_digest(const struct period_usage *usage, struct digest *digest);
void period_usage_release(struct period_usage *usage);

#endif
