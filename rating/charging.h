/* charging.h -- the inside of charges.h, for the charges*.c files only. */
#ifndef RATING_CHARGING_H
#define RATING_CHARGING_H

#include "rating/charges.h"

enum { PARTS_MAX = TIER_STEPS_MAX + CONTRACT_ALLOWANCES_MAX + 1 };

/* A counter that steps count in. */
struct counter {
	const char *key;
	bool lives_longer; /* than the period */
	i128 before;       /* what earlier periods left in it */
	i128 position;
	uint32_t fees;       /* a bit for each graduated step whose fee is charged */
	bool has_volume_fee; /* charged: that of the version and bracket used first */
	i128 packed;         /* of a volume price: units that have got their packages, while settling */
};

/* Rules chosen for a subject, and what was found out about its meters. */
/* Numbers that stand for everything a charge of usage shows. */
struct fast_key {
	const void *chosen;
	size_t segment;
	int32_t meter, time, bracket, tier;
};

struct chosen {
	struct price_choice choice;
	struct chosen_meter {
		bool asked;
		struct price_answer answer;
		size_t counter; /* its place, from 1; 0: not asked yet */
		struct fast_key last;
		size_t last_place; /* of the charge that `last` stands for */
	} meter[METER_LIMIT];
};

/* Where a charge's price comes from, for what is settled at the end. */
struct origin {
	const struct price_answer *answer;
	const struct tiers *tiers;
	struct decimal time_factor;
	size_t counter;
	bool is_volume;
};

/* A contract's share of the period in which its terms stay the same. */
struct segment {
	size_t first;       /* of its contracts */
	size_t chain;       /* the first of those that come before it without a gap */
	bool ends_for_good; /* the tenant has no contract where it ends, within the period */
	const struct contract_terms *terms;
	struct contract_segment times;
	i128 left[CONTRACT_ALLOWANCES_MAX]; /* of each allowance */
};

struct charging {
	const struct charging_inputs *inputs;
	struct digest *digest;
	struct rated *out;
	struct arena arena;
	/* What holds at one time. */
	struct instant start; /* of the usage before; -1: none yet */
	const char *model;    /* of it; counts where versions stand in for others */
	size_t contract;      /* its place, from 1; 0: none */
	const struct price_version *override, *version;
	const char *held;
	struct segment *segments; /* by contract; those of one segment share one */
	struct segment **segment_of;
	size_t segment_count;
	/* Choices, by books and subject. */
	struct index choice_index;
	struct chosen **choices;
	size_t choice_room;
	struct text choice_key;
	struct chosen *last_choice; /* for the same subject in the same books, as its texts stand in memory */
	struct price_subject last_subject;
	const struct price_version *last_override, *last_version;
	/* Counters, by name. */
	struct index counter_index;
	struct counter *counters;
	size_t counter_room;
	/* Charges, by numbers that stand for what they show, and by what they show. */
	struct index fast_index, shown_index;
	size_t *fast, *shown;   /* the charge's place, by place in the index */
	struct origin *origins; /* by charge */
	size_t fast_room, shown_room, origin_room;
	struct charging_part parts[PARTS_MAX];
	size_t part_count;
	struct text key;
};

/* A new charge of nothing yet for this usage. */
struct charge *charging_charge(struct charging *charging, const struct usage *usage, enum charge_kind kind, const char *currency);
/* Fills the segments; charging_add() does it when the first usage comes. */
MUST_CHECK
bool charging_segments(struct charging *charging, struct error *err);

#endif
