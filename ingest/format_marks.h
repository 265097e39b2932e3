/*
 * format_marks.h -- members that tell who wrote a payload: "x_groq", "usageMetadata", an "object" of a certain name.
 *
 * They are hints for a person: a gateway in between may take them away, or put another vendor's there.
 */
#ifndef INGEST_FORMAT_MARKS_H
#define INGEST_FORMAT_MARKS_H

#include "ingest/profile.h"

/* Sets the bit of each of the format's marks that stand in a record: JSON, or a stream of it, alone or in a CloudEvent. */
void format_marks_find(const char *format, struct bytes raw, struct arena *arena, uint64_t *seen);
/* Adds those that are set, as a person reads them: "object = response, usage/cost". */
void format_marks_show(const char *format, uint64_t seen, struct text *out);

#endif
