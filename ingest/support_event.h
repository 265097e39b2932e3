/*
 * support_event.h -- voids and corrections of usage that a person asks for: what stands now, and the event that puts it right.
 *
 * They are events like any other, of the source "/support", whose id is the id of the request; they name the newest of what
 * took the place of the event that the person names.
 */
#ifndef INGEST_SUPPORT_EVENT_H
#define INGEST_SUPPORT_EVENT_H

#include "base/command.h"
#include "ledger/usage_event.h"

#define SUPPORT_SOURCE "/support"

/* Quantities by meter. */
struct quantities {
	bool stated[METER_LIMIT];
	int64_t quantity[METER_LIMIT]; /* in the meter's smallest unit */
};

/* An event of the ledger, as it is booked. */
struct stood {
	const char *kind; /* "usage", "correction", "void" */
	const char *source, *id;
	struct instant time;
	const char *booked_at;
	const char *reason, *ticket, *by; /* "" unless support made it */
	unsigned flags;
	int64_t context_input_tokens; /* -1: unknown */
	struct quantities quantities; /* none of a void */
	const char *context;
	const char *series[SERIES_FIELDS];
};

/* An event and what took its place, the newest last. */
struct stood_chain {
	struct stood *items;
	size_t count;
};

struct event_name {
	const char *tenant, *source, *id;
};

/* The digest by which the register knows an event, in hexadecimal. */
const char *event_name_digest(const struct event_name *name, struct arena *arena);
/* In the arena of the run.  An error of kind STATE where the ledger does not have the event. */
MUST_CHECK
bool stood_chain_load(struct run *run, const struct event_name *name, struct stood_chain *out, struct error *err);

/* "requests=1 output_text_tokens=50", by meter; "nothing" for none. */
const char *quantities_text(const struct quantities *quantities, struct arena *arena);
/* The inverse, for texts that quantities_text() made. */
void quantities_from_text(const char *text, struct quantities *out);
/* Sets a meter by "METER=QUANTITY", as a person writes it; an error of kind USAGE where it cannot be read, or `seen` has the
 * meter already. */
MUST_CHECK
bool quantities_set(struct quantities *quantities, struct quantities *seen, const char *text, struct error *err);

/* The event, as JSON, that takes `newest` back or, with `after`, replaces it by the same with other quantities. */
const char *support_event_write(const char *request, const struct event_name *name, const struct stood *newest,
    const struct quantities *after, struct arena *arena);
/* Reads such an event as the intake does, as of `now`, into a record; everything but the quantities is `newest`'s.  An error of
 * kind INPUT where the intake would not take it. */
MUST_CHECK
bool support_event_read(struct run *run, const char *event, const struct stood *newest, struct record *out, struct error *err);

#endif
