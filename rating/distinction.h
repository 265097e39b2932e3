/*
 * distinction.h -- what prices tell requests apart by, and from when on: boundaries of sizes, the engine, tags.
 *
 * Published price books state it (finance.price_distinction), intervals follow it (metering.distinction).  A boundary is the first
 * size, or the first place from 0, that is beyond it.  Two of these sets, what was followed before and what is followed now, say
 * which usage moves from one request class to another.
 */
#ifndef RATING_DISTINCTION_H
#define RATING_DISTINCTION_H

#include "base/instant.h"
#include "base/memory.h"

enum distinction_kind {
	DISTINCT_INPUT,          /* by the request's whole input, cache reads and writes included */
	DISTINCT_UNCACHED_INPUT, /* by its input but for cache reads */
	DISTINCT_OUTPUT,         /* by its output */
	DISTINCT_PART,           /* by the place of each token on its side of the request */
	DISTINCT_BOUNDARIES,     /* the kinds above have boundaries, those below do not */
	DISTINCT_ENGINE = DISTINCT_BOUNDARIES,
	DISTINCT_TAG,
	DISTINCT_KINDS
};

/* The kind by its name in the database; DISTINCT_KINDS where there is none of that name. */
enum distinction_kind distinction_kind_find(const char *name);

struct boundaries {
	int64_t *at; /* rising */
	size_t count;
};

/* What is told apart from an instant on. */
struct era {
	struct instant since;
	struct boundaries boundaries[DISTINCT_BOUNDARIES];
	bool engine;
	const char **tags; /* keys, by bytes */
	size_t tag_count;
};

struct distinctions {
	struct distinction *items;
	size_t count, room;
	struct era *eras; /* by time */
	size_t era_count;
	struct arena arena;
};

/* Zeroed memory is a set that tells nothing apart.  `name`: the key of a tag, else "". */
void distinctions_add(
    struct distinctions *set, enum distinction_kind kind, int64_t boundary, const char *name, struct instant since);
/* After the last distinctions_add(), once. */
void distinctions_settle(struct distinctions *set);
/* What is told apart at an instant; NULL: nothing. */
const struct era *distinctions_at(const struct distinctions *set, struct instant time);
/* True where the engine or a tag is told apart at any time: then the context of events must be read. */
bool distinctions_need_context(const struct distinctions *set);
void distinctions_release(struct distinctions *set);

/* The greatest boundary that is not above `size`; 0 below all of them, -1 where there is none or the size is unknown (-1). */
int64_t boundary_below(const struct boundaries *boundaries, int64_t size);

#endif
