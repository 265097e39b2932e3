/*
 * event_draft.h -- one record on its way to being an event: what is known of it, and what is wrong with it.
 *
 * Every format fills a draft, field by field in any order, and draft_finish() makes the record.  Of several faults the most
 * basic one is told, whatever the order of the fields: bytes and JSON, then envelope, types, values, ranges, what is missing,
 * sums, plausibility.
 */
#ifndef INGEST_EVENT_DRAFT_H
#define INGEST_EVENT_DRAFT_H

#include "base/json_reader.h"
#include "base/memory.h"
#include "ledger/usage_event.h"

/* What records are judged by. */
struct event_rules {
	struct instant now;
	int late_days;              /* older than this is E_TIME_LATE */
	int64_t plausible_limit;    /* of one event, in units of each meter; above is E_IMPLAUSIBLE */
	const char *default_source; /* of records in the short form that name none */
	enum reason waived;         /* a reason of release WAIVE whose check a person has lifted, or REASON_NONE */
	const char *position_id;    /* idempotency key of a short record that has no such field; NULL: it is refused */
};

/* 400 days, 10^9, "/short", nothing waived. */
struct event_rules event_rules_default(struct instant now);

enum {
	TEXT_CHARACTERS = 256,
	EVENT_KEY_BYTES = 256,
	FIRST_YEAR = 2020, /* no language model was sold by the token before */
};

enum key_role { KEY_ID, KEY_SOURCE, KEY_TENANT };
enum reported { REPORTED_INPUT, REPORTED_OUTPUT, REPORTED_TOTAL, REPORTED_COUNTS };

/* What the format calls the fields that faults of draft_finish() are about. */
struct draft_names {
	const char *usage, *model, *time, *context, *reported_input, *reported_output;
};

struct draft {
	const struct event_rules *rules;
	const struct draft_names *names;
	struct arena *arena;
	struct usage_event event;
	enum reason reason; /* the most basic fault so far, where it is, and the value */
	const char *field;
	struct bytes value;
	bool has_time;   /* event.time is a time */
	bool has_usage;  /* quantities were given, if only by an unknown name or as null */
	bool no_context; /* the event has a part of its request's input: how large all of that is, is not known */
	uint64_t meters; /* bit N: quantity[N] is stated */
	int64_t quantity[METER_LIMIT];
	int64_t reported[REPORTED_COUNTS];       /* -1: not stated */
	struct bytes attribution, engine, trace; /* JSON text, or empty */
};

void draft_begin(struct draft *draft, const struct event_rules *rules, const struct draft_names *names, struct arena *arena);
/* Notes a fault unless a more basic one is known, or a person has waived it.  `field` lives as long as the arena. */
void draft_fault(struct draft *draft, enum reason reason, const char *field, struct bytes value);
/* The same with words instead of a value. */
void draft_fault_words(struct draft *draft, enum reason reason, const char *field, const char *words);

/* A part of the identity.  `value` may be NULL; that, null and an empty text are a missing key. */
void draft_key(struct draft *draft, enum key_role role, const char *field, const struct json_value *value);
/* RFC 3339.  `value` may be NULL; that and null are a missing time. */
void draft_time(struct draft *draft, const char *field, const struct json_value *value);
/* A time that the caller has parsed; `value` is how it was written. */
void draft_time_parsed(
    struct draft *draft, const char *field, struct bytes value, enum instant_result result, struct instant time);
/* 1 to 256 characters without control characters; an empty model is a missing one; null is not stated. */
void draft_text(struct draft *draft, enum series_field series, const char *field, const struct json_value *value);
/* What SERIES_STATUS, SERIES_SPEED ... and measurement.unknown may be, ended by NULL. */
extern const char *const status_words[], *const speed_words[], *const served_from_words[], *const adapter_kind_words[],
											       *const method_words[],
												   *const unknown_details[];
/* A text out of `allowed`, a NULL-terminated list. */
void draft_word(
    struct draft *draft, enum series_field series, const char *field, const struct json_value *value, const char *const *allowed);
/* A whole number into *out; false, with the fault noted, where it is none. */
bool draft_count(struct draft *draft, const char *field, const struct json_value *value, int64_t *out);
/* A quantity: `field` is prefix and the meter's name. */
void draft_meter(struct draft *draft, const struct meter *meter, const char *prefix, const struct json_value *value);
void draft_set(struct draft *draft, enum meter_id meter, int64_t quantity);
/* A key as an idempotency key is: no control characters, no outer blanks, at most EVENT_KEY_BYTES. REASON_NONE, E_ID_TOO_LONG
 * or E_ID_CHARS. */
enum reason key_check(struct bytes key);

/* The remaining checks, defaults and flags; fills reason, field, value and event of *out. */
void draft_finish(struct draft *draft, struct record *out);

/* A value as shown to a person: "true", "an object" ..., or its text. */
struct bytes json_value_shown(const struct json_value *value);
struct bytes bytes_of(const char *string);
static inline bool
bytes_same(struct bytes one, struct bytes other)
{
	return one.length == other.length && (one.length == 0 || memcmp(one.at, other.at, one.length) == 0);
}
static inline bool
bytes_are(struct bytes text, const char *string)
{
	return text.length == strlen(string) && memcmp(text.at, string, text.length) == 0;
}
/* The beginning of a value as records keep it: at most 128 bytes, whole characters only. */
struct bytes bytes_clipped(struct bytes value);

#endif
