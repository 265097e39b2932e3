/*
 * event_context.h -- engine and tags out of the context that the ledger keeps of an event.
 *
 * The context is JSON that ingestion has checked: {"attribution": {...}, "engine": {...}, "trace": {...}}.  It is looked through for
 * millions of events in a row, so it is scanned and not parsed; only a text with a backslash in it goes through the JSON library.
 */
#ifndef RATING_EVENT_CONTEXT_H
#define RATING_EVENT_CONTEXT_H

#include "base/memory.h"

enum { CONTEXT_TEXT = 256 /* bytes; a longer engine or tag counts as not stated */ };

/* The member of that name of the JSON object that the text begins with: the value as it is written, strings with their quotes;
 * {NULL, 0} where there is none, or no object. */
struct bytes json_member(struct bytes object, const char *name);
/* A written value as a text of 1 to CONTEXT_TEXT bytes, appended to `out`; false, with nothing appended, where it is none. */
bool json_text(struct bytes value, struct text *out);

#endif
