/* price_import_parts.h -- the inside of an import, for the files price_import*.c only. */
#ifndef RATING_PRICE_IMPORT_PARTS_H
#define RATING_PRICE_IMPORT_PARTS_H

#include "ledger/meter.h"
#include "rating/price_import.h"
#include "rating/price_number.h"

enum import_reason {
#define IMPORT_REASON(name, left_out, text) IMPORT_##name,
#include "rating/price_import_reasons.def"
#undef IMPORT_REASON
	IMPORT_REASONS
};

struct import_note {
	enum import_reason reason;
	const char *entry, *field, *value, *kept; /* "" for nothing */
};

enum { IMPORT_STEPS = 24, IMPORT_NO_THRESHOLD = -1, IMPORT_NAME_BYTES = 256 };

/* The price above a size of the request's input. */
struct import_step {
	int64_t boundary; /* tokens */
	bool is_from;     /* the boundary itself belongs to it */
	struct price_number price;
};

/* The price of one unit of a meter, or of an hour of one that counts seconds. */
struct import_price {
	bool has_base, by_hour;
	struct price_number base;
	struct import_step step[IMPORT_STEPS];
	size_t steps;
	const char *window;          /* of a price for a time of day, which stands in a list at the price for all others */
	struct import_price *timely; /* the first or next of them; the first whose window holds the time counts */
};

/* NULL where a rule does not say it. */
struct import_rule {
	const char *name, *model, *pattern, *provider, *service_tier, *region, *speed;
	const char *inherit, *factor; /* the name of another rule, whose prices it takes times the factor */
	struct import_price *price[METER_LIMIT];
};

struct import_alias {
	const char *name, *model;
};

struct import_window {
	const char *name, *from, *to; /* "16:30", UTC */
};

struct price_import {
	struct price_import_order order;
	struct arena arena;
	struct import_rule *rules;
	size_t rule_count, rule_room;
	struct import_note *notes;
	size_t note_count, note_room;
	struct import_alias *aliases;
	size_t alias_count, alias_room;
	struct import_window *windows;
	size_t window_count, window_room;
	size_t entries, priced;
	bool has_next_date;
	struct instant next_date;
};

/* Which field of which entry is being read. */
struct import_place {
	struct price_import *import;
	const char *entry, *field;
};

/* The meter whose price the made books take for a meter without; 0: none. */
extern const int import_fallback[METER_LIMIT];

void import_note(const struct import_place *place, enum import_reason reason, struct bytes value);
/* A copy as a string; NULL where price books take no such name, which is noted. */
const char *import_name(const struct import_place *place, struct bytes name);
/* Takes a number of the list; what keeps it out of a book, or changes it, is noted.  `shift`: the power of ten that makes it
 * the price of one unit: -6 for a price for a million. */
MUST_CHECK
bool import_number(const struct import_place *place, struct bytes text, int shift, struct price_number *out);
/* The rule's price of a meter, made where there is none. */
struct import_price *import_price_of(struct price_import *import, struct import_rule *rule, int meter);
/* Sets the price, or with a threshold that above it; what is set twice is noted. */
void import_set(const struct import_place *place, struct import_rule *rule, int meter, int64_t threshold, bool is_from,
    struct bytes text, struct price_number price);
/* import_number() and import_set(). */
void import_take(const struct import_place *place, struct import_rule *rule, int meter, int64_t threshold, bool is_from,
    struct bytes text, int shift);
/* Puts thresholds in order and sees to the price below the first; false where no price is left. */
bool import_rule_finish(const struct import_place *place, struct import_rule *rule);
bool import_rule_is_empty(const struct import_rule *rule);
void import_rule_add(struct price_import *import, const struct import_rule *rule);
void import_alias_add(struct price_import *import, const char *name, const char *model);
/* The name of the window from one time of day to another, UTC, which is made when it is new. */
const char *import_window(struct price_import *import, const char *from, const char *to);

MUST_CHECK
bool import_litellm(struct price_import *import, const char *bytes, size_t length, struct error *err);
MUST_CHECK
bool import_genai_prices(struct price_import *import, const char *bytes, size_t length, struct error *err);
MUST_CHECK
bool import_openrouter(struct price_import *import, const char *bytes, size_t length, struct error *err);
MUST_CHECK
bool import_models_dev(struct price_import *import, const char *bytes, size_t length, struct error *err);

#endif
