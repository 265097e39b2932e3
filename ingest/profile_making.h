/*
 * profile_making.h -- an event on its way from a profile's values; for profile_event.c and the files of its
 * functions alone.
 */
#ifndef INGEST_PROFILE_MAKING_H
#define INGEST_PROFILE_MAKING_H

#include "ingest/profile_parts.h"

struct making {
	const struct profile *profile;
	const struct envelope_values *envelope;
	const struct values *values, *item; /* item: the counts of an iteration, or NULL */
	int iteration;
	struct profile_explanation *explanation; /* or NULL */
	struct arena *arena;
	struct draft draft;
	struct draft_names *names; /* of the draft */
	uint64_t said;             /* by bit: fields that the payload, the envelope or a constant may say */
	uint64_t ruled;            /* by bit: fields that a rule has set */
	struct bytes set[PROFILE_FIELDS];
	bool gateway_cache; /* nothing was asked of a model */
	bool set_aside;     /* a rule has said what is wrong: counts are not looked at */
};

/* What is said of a field. */
struct said {
	struct json_value value;
	const char *field; /* where it stands, for faults */
	const char *from;  /* the same for a person: a path, or words */
	bool is_ours;      /* a rule's, a constant or an attribute: written as we write, whatever the payload's unit is */
};

const char *field_name(enum profile_field field);
/* The series' field, or SERIES_FIELDS. */
enum series_field field_series(enum profile_field field);
/* What is said of a field: by a rule, else at its paths (in our words), else by the envelope's extension, else by a constant.
 * False where nothing is.  Empty texts are nothing. */
bool said_somewhere(struct making *making, enum profile_field field, struct said *out);
/* The same; of most fields most formats say nothing, and nobody needs to be called to find that. */
static inline bool
said_of(struct making *making, enum profile_field field, struct said *out)
{
	return ((making->said | making->ruled) >> field & 1) != 0 && said_somewhere(making, field, out);
}

/* Where faults of a field are that is said nowhere. */
const char *field_place(const struct making *making, enum profile_field field);
/* An attribute of the CloudEvent that the record is.  False where it is none, or does not have it. */
bool said_by_envelope(const struct making *making, enum event_header attribute, struct said *out);
/* Systems number accounts and requests: digits are as good as a text of them.  Other numbers have several spellings. */
void accept_digits(struct json_value *value);
/* A note for `formats try`: nothing where nobody asked. */
void note_text(const struct making *making, const char *name, struct bytes value, const char *from);
static inline void
explain_text(const struct making *making, const char *name, struct bytes value, const char *from)
{
	if (making->explanation != NULL)
		note_text(making, name, value, from);
}

/* The event's time into the draft; started_at is explained alone. */
void fill_time(struct making *making);
/* Attribution, engine and trace into the draft. */
void fill_context(struct making *making);
/* Quantities into the draft. */
void fill_usage(struct making *making);
/* Asks the rules in their order; false where one of them says that the record is to be ignored. */
bool follow_rules(struct making *making);

#endif
