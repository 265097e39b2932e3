/*
 * usage_event.h -- one record of usage, as the ledger takes it, whatever it was written in.
 *
 * Readers (ingest/) fill a `struct record`; ledger/ books it.  All bytes point into the arena of
 * the batch or into the record's raw bytes and live as long as the batch.
 */
#ifndef LEDGER_USAGE_EVENT_H
#define LEDGER_USAGE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/memory.h"
#include "base/message.h"
#include "ledger/meter.h"

enum series_field {
#define SERIES_FIELD(name, column) SERIES_##name,
#include "ledger/series_fields.def"
#undef SERIES_FIELD
	SERIES_FIELDS
};

/* Why not: 0 is "accepted", then the codes of reason_codes.def. */
enum reason {
	REASON_NONE,
#define REASON(code, outcome, release, meaning) code,
#include "ledger/reason_codes.def"
#undef REASON
	REASON_LIMIT
};

enum outcome { OUTCOME_ACCEPTED, OUTCOME_DUPLICATE, OUTCOME_IGNORED, OUTCOME_QUARANTINED, OUTCOME_REJECTED, OUTCOMES };
enum release { RELEASE_NEVER, RELEASE_RETRY, RELEASE_WAIVE };

enum event_flag {
#define FLAG(bit, name, meaning) name = 1 << (bit),
#include "ledger/flags.def"
#undef FLAG
};

enum event_kind { EVENT_USAGE = 1, EVENT_CORRECTION = 2, EVENT_VOID = 3 };

struct metered {
	int meter;
	int64_t quantity; /* in the meter's smallest unit; at least 0 */
};

struct id128 {
	unsigned char byte[16];
};

struct usage_event {
	enum event_kind kind;
	struct bytes source, id;         /* with the tenant: the identity */
	struct bytes ref_source, ref_id; /* of a correction or void: the original, same tenant */
	struct instant time;
	struct bytes series[SERIES_FIELDS]; /* {NULL, 0} or empty: not stated */
	int64_t context_input_tokens;       /* whole prompt of one pass, or -1 for unknown */
	const struct metered *quantities;   /* ordered by meter, each once */
	size_t quantity_count;
	unsigned flags;        /* enum event_flag */
	struct bytes context;  /* attribution, engine and trace as JSON text, kept and not compared; may be empty */
	struct id128 event_id; /* see event_identify() */
	struct id128 content;  /* digest of everything that two copies of one event must agree on */
};

/* One record of the input, with its fate.  `event` counts only where reason is REASON_NONE, or
 * where it is quarantined (then as far as it was understood). */
struct record {
	struct bytes raw;                /* without its line end; what quarantine keeps */
	uint64_t raw_length;             /* of the record as it came; raw may hold only its beginning */
	uint64_t number;                 /* from 1 in the file; of a message its offset */
	enum reason reason;              /* REASON_NONE: accepted so far; the ledger may still find a duplicate */
	const char *field;               /* JSON path or column the reason is about, or "" */
	struct bytes value;              /* the offending value, or empty */
	enum outcome outcome;            /* set when the batch is booked */
	size_t range;                    /* of a message: its partition's place in batch.ranges */
	const struct envelope *envelope; /* of a message, else NULL */
	const char *format;              /* how raw can be read again where that is not as the others of the batch; else NULL */
	struct usage_event event;
};

/* What became of records. */
struct batch_counts {
	int64_t records, accepted, duplicates, restamped, ignored, quarantined, rejected, set_aside_before, ledger_rows;
};

const char *reason_code(enum reason reason); /* "E_JSON"; "" for REASON_NONE */
const char *reason_meaning(enum reason reason);
enum outcome reason_outcome(enum reason reason);
enum release reason_release(enum reason reason);
/* REASON_NONE where the text is no code. */
enum reason reason_find(const char *code);
/* "F_BOM,F_LATE" into out; returns out. */
const char *flags_format(unsigned flags, char *out, size_t size);
/* The flag of a name, "F_PARTIAL"; 0 where there is none. */
unsigned flags_find(const char *name);

/* Fills event_id and content.  event_id = first 16 bytes of SHA-256 over the length-prefixed tenant,
 * source and id (never joined by a separator).  content = the same over kind, ref, every series field
 * but project and API key, context tokens and the quantities; time, attribution, engine and trace are left out:
 * collectors restamp on retry. */
void event_identify(struct usage_event *event);
/* The identity of the event that a correction or void names. */
struct id128 event_original(const struct usage_event *event);

#endif
