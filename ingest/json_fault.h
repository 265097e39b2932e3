/*
 * json_fault.h -- what is said of a record whose bytes are not the JSON that they should be; for every format that is JSON.
 */
#ifndef INGEST_JSON_FAULT_H
#define INGEST_JSON_FAULT_H

#include "base/json_reader.h"
#include "ledger/usage_event.h"

/* Of a reader that met a fault: its reason, its place ("byte N", from 1, in the arena), and words or the key that stands twice. */
enum reason json_reason(const struct json_reader *reader);
const char *json_place(const struct json_reader *reader, struct arena *arena);
struct bytes json_problem(const struct json_reader *reader);

/* Nothing but blanks, tabs and line ends. */
bool bytes_are_blank(const char *bytes, size_t length);

/* Makes *out a record that is no event; raw and number stay. */
void record_set_aside(struct record *out, enum reason reason, const char *field, struct bytes value);

#endif
