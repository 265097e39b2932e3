/*
 * profile_told.h -- what a source says of the parts of its two sides, before it is added up; for profile_told.c and
 * profile_algebra.c alone.
 */
#ifndef INGEST_PROFILE_TOLD_H
#define INGEST_PROFILE_TOLD_H

#include "ingest/profile_parts.h"

enum modality { TEXT, IMAGE, VIDEO, AUDIO, MODALITIES }; /* in the order in which cached tokens are taken from them */
enum lifetime { WRITE_5M, WRITE_30M, WRITE_1H, WRITE_UNKNOWN, LIFETIMES };
enum side { INPUT, OUTPUT, SIDES };

struct told {
	int64_t value; /* 0 where it is not told */
	bool told, unknown;
	bool counts; /* it is used: of an aggregate and its split only one is */
	enum relation relation;
	short slot; /* the one taken, or NO_SLOT */
};

struct algebra {
	const struct profile *profile;
	const struct values *values;
	struct draft *draft;
	struct profile_explanation *explanation;
	struct told parts[PROFILE_PARTS];
	enum profile_part present[PROFILE_PARTS]; /* those that the format has */
	int present_count;
	bool has_unknown;
	int64_t full[SIDES];
	bool told[SIDES];
	int64_t either; /* the sum of what may be inside or beside */
	bool failed;
};

struct part_fact {
	const char *name;
	enum side side;
	const char *detail;
};

extern const struct part_fact part_facts[PROFILE_PARTS];
extern const enum profile_part side_totals[SIDES], side_texts[SIDES];
extern const enum profile_part modality_parts[MODALITIES], read_parts[MODALITIES], write_parts[LIFETIMES];

/* The path a part is told at, or the first one that it could be told at. */
const char *part_path(const struct algebra *algebra, enum profile_part part);
/* Notes a fault, after which nothing more is added up. */
void algebra_fail(struct algebra *algebra, enum reason reason, const char *path, const char *words);
/* E_DETAIL_SUM: an aggregate and the sum of its parts. */
void algebra_fail_sum(struct algebra *algebra, enum profile_part part, int64_t value, int64_t sum);
/* One count at several paths: the preferred one is taken, and the others must say the same.  False with the fault noted. */
bool paths_read(struct algebra *algebra, const struct paths *paths, struct told *out);
/* All parts, and which of an aggregate and its split counts.  False where nothing is told on either side. */
bool parts_read(struct algebra *algebra);
/* 0 where another part stands for it. */
static inline int64_t
part_counted(const struct algebra *algebra, enum profile_part part)
{
	return algebra->parts[part].counts ? algebra->parts[part].value : 0;
}

#endif
