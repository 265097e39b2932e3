/*
 * format_event.h -- a record back to text: the canonical CloudEvent that means the same, whatever it was read from.
 */
#ifndef INGEST_FORMAT_EVENT_H
#define INGEST_FORMAT_EVENT_H

#include "ingest/profile.h"

/* Adds an accepted record as one line of JSON without its end, as event_parse() reads it: same identity, series, meters and time.
 * `explanation` says what the ledger does not keep (reported totals, unknown details, finish reason, start, requested model); NULL or
 * without items where it is one of tollbook's own already, which is then copied.  What is not stated is left out.  The totals
 * that a gateway's cache repeats are left out, too: no meter answers for them. */
void format_event(
    const struct record *record, const struct profile_explanation *explanation, struct arena *arena, struct text *out);

#endif
