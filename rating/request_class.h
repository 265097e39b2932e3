/*
 * request_class.h -- which kind of request the tokens of a ledger row belong to, as far as prices tell requests apart.
 *
 * A class is a number in the database and its meaning (metering.request_class).  Sizes are those of the absolute quantities, so that
 * a reversal, which repeats the original's context tokens and context, falls into the class of its original.
 */
#ifndef RATING_REQUEST_CLASS_H
#define RATING_REQUEST_CLASS_H

#include "base/db.h"
#include "ledger/meter.h"
#include "rating/distinction.h"

/* Of a ledger row, what its class depends on.  Quantities as they are stored: negative in reversals. */
struct usage_row {
	struct instant time;
	int64_t context_input_tokens; /* -1: unknown */
	uint64_t stated;              /* bit N: quantity[N] is */
	int64_t quantity[METER_LIMIT];
	struct bytes context; /* JSON, or empty; looked at where engine or tags are told apart */
};

/* One class's share of a row's meter. */
struct usage_share {
	int32_t class_id;
	int32_t meter;
	int64_t quantity;
};

/* How a row falls into classes: whole into one, or meter by meter in shares, which add up to the row exactly. */
struct usage_split {
	bool whole;
	int32_t class_id; /* where it is whole */
	struct usage_share *shares;
	size_t count, room;
};

/* What a class means; from[] by enum distinction_kind, see boundary_below(). */
struct request_class {
	int64_t from[DISTINCT_BOUNDARIES];
	const char *engine; /* "" for not told apart, or not stated */
	const char *tags;   /* a JSON object of texts, keys sorted */
};

enum { CLASSES_MAX = 1 << 20 };

struct request_classes;

/* Knows class 0, which tells nothing apart. */
struct request_classes *request_classes_new(void);
void request_classes_free(struct request_classes *classes);
/* Reads the classes that are stored. */
MUST_CHECK
bool request_classes_load(struct request_classes *classes, struct db *db, struct error *err);
/* Writes those that were met since, numbered in the order in which they were. */
MUST_CHECK
bool request_classes_store(struct request_classes *classes, struct db *db, struct error *err);

/* Splits a row.  `era`: what is told apart at its time, or NULL; it must live as long as `classes`.  *out is filled anew, its room
 * is kept for the next row: free(out->shares) ends it.  An error of kind RANGE where there are more than CLASSES_MAX classes.
 *
 * On each side of a request tokens lie in a row: of the input cache reads, then cache writes, then the rest, each by meter id; of the
 * output by meter id.  A token at place p (from 0) belongs to part boundary_below(parts, p); meters of neither side to part 0. */
MUST_CHECK
bool request_classes_split(struct request_classes *classes, const struct era *era, const struct usage_row *row,
    struct usage_split *out, struct error *err);

/* What a class comes to where only this is told apart, `era` NULL for nothing: of a class that tells at least as much.  Texts are
 * borrowed from the class or go into the arena. */
struct request_class request_class_within(const struct request_class *class, const struct era *era, struct arena *arena);
/* What a class number that was loaded or given out means; borrowed. */
const struct request_class *request_class_of(const struct request_classes *classes, int32_t class_id);

#endif
