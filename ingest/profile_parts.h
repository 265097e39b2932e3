/*
 * profile_parts.h -- what a profile is made of; for the files profile*.c alone.
 *
 * profile_read.c makes it from a description, profile_walk.c fills values from a document, profile_event.c and
 * profile_algebra.c make an event of the values; profile_parse.c, with profile_capture.c, profile_answer.c and profile_stream.c, finds
 * in a record what is to be walked.
 */
#ifndef INGEST_PROFILE_PARTS_H
#define INGEST_PROFILE_PARTS_H

#include "ingest/profile.h"
#include "ledger/meter.h"

enum profile_field {
#define PROFILE_FIELD(NAME, name, envelope, series) FIELD_##NAME,
#include "ingest/profile_fields.def"
#undef PROFILE_FIELD
	PROFILE_FIELDS
};

enum profile_part {
#define PROFILE_PART(NAME, name, side, detail) PART_##NAME,
#include "ingest/profile_parts.def"
#undef PROFILE_PART
	PROFILE_PARTS
};

enum { PROFILE_SLOTS = 256, PATHS_MOST = 8, NO_SLOT = -1 };

/* --- paths and values -------------------------------------------------------------------------- */

enum slot_kind {
	SLOT_VALUE,  /* a scalar: the first one that is not null; an object or list is there, too, by its type, without a text */
	SLOT_OBJECT, /* whether an object or a list stands there */
	SLOT_COUNT,  /* how many values that are not null the path leads to; not set where there are none */
	SLOT_RAW,    /* the JSON text of whatever stands there, but null: of a text with its quotes, not unescaped */
};

struct slot {
	const char *path; /* as the description has it; names faults */
	enum slot_kind kind;
	bool watched; /* a count: two values of it in one document that differ are a conflict */
};

/* What one document says.  Not cleared but for the bits: look at them first. */
struct values {
	uint64_t seen[PROFILE_SLOTS / 64];     /* the key stood there, if only as null */
	uint64_t set[PROFILE_SLOTS / 64];      /* there is a value that is not null */
	uint64_t conflict[PROFILE_SLOTS / 64]; /* a watched slot has got two different ones */
	struct json_value value[PROFILE_SLOTS];
	int64_t count[PROFILE_SLOTS];  /* of SLOT_COUNT: looked at only where `set` */
	const void *at[PROFILE_SLOTS]; /* the place in the tree that the value is of: one count of each; only where `set` */
	const char
	    *unknown_count; /* the path of a number above 0 that stands in an object of counts and that no path names, or NULL */
};

/* Several paths to one fact, the preferred first. */
struct paths {
	short slot[PATHS_MOST];
	unsigned char count;
	unsigned char deprecated; /* by bit: F_DEPRECATED_FIELD where it is the one taken */
};

/* --- what a description says -------------------------------------------------------------------- */

struct word {
	struct bytes from, to;
};

enum profile_time { TIME_TEXT, TIME_UNITS };

struct field_source {
	struct paths paths;
	bool joined; /* all of the paths, with `joiner` between them, and not the first that is there */
	const char *joiner;
	const struct word *words; /* what the payload's words are in ours */
	size_t word_count;
	bool only_words;       /* a word that is not in the list is "unknown" (of status) */
	struct bytes constant; /* where no path says anything; empty: none */
	/* of times */
	enum profile_time time;
	int64_t unit_ns; /* of TIME_UNITS: numbers, or texts that are numbers, with or without a fraction */
	bool has_zone;   /* of TIME_TEXT: texts without a zone are of this one */
	int zone_minutes;
	struct paths plus; /* a duration that is added, or none */
	int64_t plus_unit_ns;
};

enum relation {
	RELATION_NONE /* the format does not tell it */,
	RELATION_INSIDE,
	RELATION_BESIDE,
	RELATION_EITHER /* the total decides */
};
enum absent {
	ABSENT_ZERO,
	ABSENT_UNKNOWN,
	ABSENT_ZERO_IN_OBJECT /* zero where its object is there, else unknown */,
	ABSENT_FAULT /* E_COUNT_NULL */
};

struct part_source {
	enum relation relation; /* a total: RELATION_INSIDE where the format has it */
	struct paths paths;
	enum absent absent;
	bool sum;                 /* it is what its paths say together; else they say the same */
	short object[PATHS_MOST]; /* of ABSENT_ZERO_IN_OBJECT: slots of SLOT_OBJECT, by path; NO_SLOT ends */
};

struct count_source {
	enum meter_id meter;
	struct paths paths; /* values or SLOT_COUNT */
	struct paths less;  /* of SLOT_COUNT: what does not count of them */
};

enum test_kind { TEST_NULL, TEST_PRESENT, TEST_EQUAL, TEST_BEGINS, TEST_AT_LEAST, TEST_AT_MOST };
/* What a condition looks at beside slots: the totals as they are reported, after streams are merged. */
enum { TESTED_INPUT = -2, TESTED_OUTPUT = -3, TESTED_MODEL = -4 /* wherever it is said; of rules alone */ };

struct test {
	short slot; /* or TESTED_INPUT, TESTED_OUTPUT, TESTED_MODEL */
	enum test_kind kind;
	bool negated;
	const struct bytes *texts; /* of EQUAL and BEGINS: any of them; numbers, true and false by their JSON text */
	size_t text_count;
	int64_t number; /* of AT_LEAST and AT_MOST: numbers that are whole; others are not */
};

struct condition {
	const struct test *tests; /* all of them */
	size_t count;
};

enum action_kind { ACTION_REASON /* ignore or set aside */, ACTION_SET, ACTION_FLAG, ACTION_GATEWAY_CACHE, ACTION_PARTIAL };

struct rule {
	struct condition when;
	enum action_kind kind;
	enum reason reason;
	unsigned flags;
	enum profile_field field;
	struct bytes text;
};

/* Where a served name says its base model or adapter: what stands behind the last `after` and before the next `before`. */
struct name_cut {
	bool stated;
	bool first;                 /* behind the first `after` */
	struct bytes after, before; /* empty: from the beginning, to the end */
};
struct name_rule {
	struct bytes begins, contains; /* when it holds; empty: always */
	struct name_cut base_model, adapter;
	struct bytes adapter_kind;
};

struct adapter_name {
	struct bytes served, base_model;
};

struct node; /* of the tree of paths: profile_tree.h */

struct profile {
	struct arena arena; /* of everything here */
	const char *name, *text;
	struct slot slots[PROFILE_SLOTS];
	size_t slot_count;
	struct node *record;             /* of a whole record: payloads where they may stand, and of a CloudEvent */
	struct node *item;               /* of an item of `iterations`: payload whose counts stand at its top; or NULL */
	bool capture;                    /* a record may be a CloudEvent around the payload */
	short envelope[EVENT_HEADERS];   /* slots of the CloudEvents attributes; without capture of specversion and type alone */
	short extension[PROFILE_FIELDS]; /* slots of the attributes beside them, or NO_SLOT */
	short data, data_base64;         /* SLOT_RAW of data (kept too where it is an object), and of data_base64 */
	const char *const *each;         /* paths of lists whose items are records of their own; NULL ends */
	struct field_source fields[PROFILE_FIELDS];
	struct part_source parts[PROFILE_PARTS];
	/* What of them there is, by bit, so that nobody has to look at the others with each record. */
	uint64_t stated_fields;                       /* those with a path or a constant */
	uint64_t extended_fields;                     /* those with a slot in `extension` */
	uint64_t extension_slots[PROFILE_SLOTS / 64]; /* the slots in `extension` */
	uint64_t present_parts;                       /* those with a relation */
	enum profile_part output_rest;                /* what the output's total has beyond its parts; 0: text */
	uint64_t never_told;                          /* parts that the source does not tell: unknown by bit */
	struct paths total;                           /* of all, or none */
	bool total_only_flags;                        /* a wrong total is a flag, F_TOTAL_MISMATCH */
	const struct count_source *counts;
	size_t count_count;
	int64_t requests;   /* of each event where no count says it; 0 where one event is not a request */
	bool number_texts;  /* counts may be texts that are numbers */
	bool suspect_cache; /* F_CACHE_SUSPECT where all of the prompt, or all but one token, is said to be cached */
	unsigned flags;     /* of every event */
	const struct rule *rules;
	size_t rule_count;
	const struct name_rule *names;
	size_t name_count;
	const struct adapter_name *adapters;
	size_t adapter_count;
	const struct word *unsafe; /* paths that are no id, and why */
	size_t unsafe_count;
	/* streams */
	const struct bytes *end_texts; /* data that ends a stream, such as [DONE] */
	size_t end_text_count;
	const struct condition *end_when; /* a chunk that ends it; any of them */
	size_t end_when_count;
	bool falls;          /* counts of a stream may fall: its first ones are estimates */
	short stream_choice; /* slot of the choice whose counts a chunk has, or NO_SLOT: a chunk without it has those of all */
	/* iterations */
	short iterations;     /* SLOT_RAW of the list, or NO_SLOT */
	short iteration_kind; /* slot of an item's kind, or NO_SLOT */
	struct paths iteration_model;
	const struct word *iteration_operations;
	size_t iteration_operation_count;
};

/* --- profile_walk.c, profile_tree.c -------------------------------------------------------------- */

/* Two banks: what stands at the top, and what stands in a CloudEvent's data. */
struct found_values {
	struct values top, data;
};

static inline bool
value_is_set(const struct values *values, short slot)
{
	return slot >= 0 && (values->set[slot / 64] >> (slot % 64) & 1) != 0;
}

static inline bool
value_is_seen(const struct values *values, short slot)
{
	return slot >= 0 && (values->seen[slot / 64] >> (slot % 64) & 1) != 0;
}

void values_clear(struct values *values);
/* Clears *out and fills it from a document whose first value, an object or array that is open, is *top; other scalars are
 * nothing.  Faults of the bytes stay in the reader.  `from` is profile->record or profile->item. */
void profile_walk(const struct node *from, struct json_reader *reader, const struct json_value *top, struct found_values *out);
/* The tree: puts a path below `prefix`; *tree is NULL for a new tree.  Paths as docs/formats.md says; false where the text is
 * none, with *problem.  NO_SLOT: what stands there is known, and no more (`slot` may be NULL). */
bool profile_path_add(struct arena *arena, struct node **tree, const char *prefix, const char *path, short number,
    const struct slot *slot, const char **problem);
/* Marks that objects at `path` hold counts: a number above 0 that stands there, or below, under a name that no path has is told.
 * A list that is marked: items that no [key=value] chooses. */
bool profile_path_watch(struct arena *arena, struct node **tree, const char *prefix, const char *path, const char **problem);
/* Where a CloudEvent's data stands: an object there is walked as the payload is, into the other bank. */
void profile_path_data(struct arena *arena, struct node **tree, short data_slot);
/* When all paths are in it, and before it is walked: where two branches lead to one value, such as [] and [0], the narrower one
 * gets what the wider one has.  `tree` may be NULL.  False where that makes it too large. */
MUST_CHECK
bool profile_tree_settle(struct arena *arena, struct node *tree);

/* --- profile_event.c, profile_algebra.c, profile_rules.c, profile_told.c ---------------------------- */

/* How the stream came to its end. */
enum closing { CLOSING_WHOLE /* no stream, or one that came to its end */, CLOSING_CUT };

/* What the record is told from outside its payload. */
struct envelope_values {
	const struct values *values;         /* the bank with the envelope and its extensions, or NULL */
	const struct event_headers *headers; /* of a message in binary mode, or NULL */
	bool is_event;                       /* it is a CloudEvent: id, source, tenant and time are its own */
};

/* One event of the values.  `item` has the counts of one pass of an answer, and `values` the rest, or is NULL; `iteration` is the place
 * of the pass, which its id then ends in, or -1. */
void profile_event(const struct profile *profile, const struct event_rules *rules, const struct envelope_values *envelope,
    const struct values *values, const struct values *item, int iteration, enum closing closing,
    struct profile_explanation *explanation, struct arena *arena, struct record *out);
/* The counts of both sides into the draft's meters, totals into reported, faults and flags.  False where nothing was told at all:
 * E_USAGE_MISSING is the caller's. */
bool profile_algebra(
    const struct profile *profile, const struct values *values, struct draft *draft, struct profile_explanation *explanation);
/* Whether a condition of a stream's end holds; $model, of which there is none yet, is not there. */
bool profile_holds(const struct condition *condition, const struct profile *profile, const struct values *values);
/* A count as a payload writes it. */
bool profile_count(const struct profile *profile, struct draft *draft, short slot, const struct values *values, int64_t *out);

/* --- profile_stream.c ------------------------------------------------------------------------------ */

/* True where the bytes are Server-Sent Events (WHATWG HTML, section 9.2): the first line that is not blank is a field or a comment. */
bool stream_is_sse(struct bytes text);
/* Reads a stream's chunks, from SSE text, JSON lines or a JSON array, and merges what they say: of each field the last value that is
 * not null.  False with the fault in *reason, *field and *value. */
bool profile_stream(const struct profile *profile, struct bytes text, struct arena *arena, struct values *out,
    enum closing *closing, enum reason *reason, const char **field, struct bytes *value);

#endif
