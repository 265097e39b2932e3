/* json_fault.c -- see json_fault.h. */
#include "ingest/json_fault.h"

#include "ingest/event_draft.h"

enum reason
json_reason(const struct json_reader *reader)
{
	static const enum reason reasons[] = {
	    [JSON_FAULT_NONE] = REASON_NONE,
	    [JSON_FAULT_UTF8] = E_UTF8,
	    [JSON_FAULT_NUL] = E_NUL,
	    [JSON_FAULT_SYNTAX] = E_JSON,
	    [JSON_FAULT_DEPTH] = E_DEPTH,
	    [JSON_FAULT_KEY_TWICE] = E_DUPLICATE_KEY,
	};

	return reasons[reader->fault];
}

const char *
json_place(const struct json_reader *reader, struct arena *arena)
{
	return arena_format(arena, "byte %zu", (size_t)(reader->at - reader->start) + 1);
}

struct bytes
json_problem(const struct json_reader *reader)
{
	return reader->fault == JSON_FAULT_KEY_TWICE ? reader->key : bytes_of(reader->problem);
}

bool
bytes_are_blank(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r' && bytes[i] != '\n')
			return false;
	return true;
}

void
record_set_aside(struct record *out, enum reason reason, const char *field, struct bytes value)
{
	out->reason = reason;
	out->field = field;
	out->value = bytes_clipped(value);
	out->event = (struct usage_event){.kind = EVENT_USAGE, .context_input_tokens = -1};
}
