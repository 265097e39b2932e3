/*
 * profile_answer.c -- the events of one answer: one, or one for each of the passes that it was made in.
 */
#include <string.h>

#include "ingest/json_fault.h"
#include "ingest/profile_parsing.h"
#include "ingest/quantity.h"

enum {
	/* Each pass has all bytes of its answer beside it for quarantine, of which so many are kept: not more together. */
	PASSES_BYTES = 32 << 20,
	PASS_KINDS = 8,
};

static size_t
smaller(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* What the passes of an answer put out, by kind. */
struct passes {
	struct bytes kind[PASS_KINDS];
	int64_t output[PASS_KINDS];
	size_t count;
	bool too_many; /* kinds */
};

static int64_t
output_of(const struct usage_event *event)
{
	int64_t sum = 0;

	for (size_t i = 0; i < event->quantity_count; i++)
		if (meter_of(event->quantities[i].meter)->side == METER_SIDE_OUTPUT)
			sum += event->quantities[i].quantity;
	return sum;
}

static void
add_pass(struct passes *passes, const struct profile *profile, const struct values *item, const struct usage_event *event)
{
	short slot = profile->iteration_kind;
	struct bytes kind = {"", 0};
	size_t i = 0;

	if (value_is_set(item, slot) && item->value[slot].type == VALUE_STRING)
		kind = item->value[slot].text;
	while (i < passes->count && !bytes_same(passes->kind[i], kind))
		i++;
	passes->too_many = passes->too_many || i == PASS_KINDS;
	if (i == PASS_KINDS)
		return;
	if (i == passes->count) {
		passes->kind[i] = kind;
		passes->output[i] = 0;
		passes->count++;
	}
	passes->output[i] += output_of(event);
}

/* Which kinds of passes the count at the top has is the vendor's habit; that it has all passes of some kinds is not.  A list of passes
 * that was told before the answer's end fits none. */
static bool
passes_explain(const struct passes *passes, int64_t output)
{
	for (unsigned kinds = 0; kinds < 1U << passes->count; kinds++) {
		int64_t sum = 0;

		for (size_t i = 0; i < passes->count; i++)
			if ((kinds >> i & 1) != 0)
				sum += passes->output[i];
		if (sum == output)
			return true;
	}
	return passes->too_many;
}

/* The count at the top; false where it is none. */
static bool
output_at_top(const struct profile *profile, const struct values *values, int64_t *out, const char **path)
{
	const struct paths *paths = &profile->parts[PART_OUTPUT_TOTAL].paths;

	for (int i = 0; i < paths->count; i++) {
		short slot = paths->slot[i];

		if (!value_is_set(values, slot))
			continue;
		*path = profile->slots[slot].path;
		return values->value[slot].type == VALUE_NUMBER && count_parse(values->value[slot].text, out) == REASON_NONE;
	}
	return false;
}

/* One event of an item that is open.  False where it is none; its reason is then that of the record. */
static bool
add_iteration(struct parse *parse, const struct payload *payload, const struct values *values, struct json_reader *reader,
    int place, struct passes *passes)
{
	struct profile_explanation *explanation;
	struct found_values item;
	struct record *record;
	struct json_value value;

	record = parse_next(parse, payload->raw, &explanation);
	must(json_value(reader, &value));
	if (value.type == VALUE_OBJECT) {
		profile_walk(parse->profile->item, reader, &value, &item);
		profile_event(parse->profile, parse->rules, &payload->envelope, values, &item.top, place, payload->closing,
		    explanation, parse->arena, record);
		add_pass(passes, parse->profile, &item.top, &record->event);
	} else {
		record_set_aside(
		    record, E_TYPE, parse->profile->slots[parse->profile->iterations].path, json_value_shown(&value));
	}
	return record->reason == REASON_NONE;
}

/* Leaves the last record, a fault, of those that were made from `first` on. */
static void
keep_last(struct parse *parse, size_t first)
{
	struct profile_events *out = parse->out;

	out->records[first] = out->records[out->count - 1];
	if (parse->explain)
		out->explanations[first] = out->explanations[out->count - 1];
	out->count = first + 1;
}

/* What the passes of no kinds add up to is another answer's count, or that of another time: the fault takes their place. */
static void
check_passes(
    struct parse *parse, const struct payload *payload, const struct values *values, const struct passes *passes, size_t first)
{
	const char *path;
	int64_t output;

	/* Without kinds the count at the top may be that of any of them. */
	if (parse->profile->iteration_kind == NO_SLOT || !output_at_top(parse->profile, values, &output, &path) ||
	    passes_explain(passes, output))
		return;
	parse_fault_words(parse, payload->raw, E_DETAIL_SUM, path,
	    arena_format(parse->arena, "%lld, but the passes of no kinds add up to that", (long long)output));
	keep_last(parse, first);
}

/* One pass is the answer itself: it has the answer's id, as it had in a stream that was cut before it told of passes. */
static bool
is_single(struct parse *parse, struct bytes list)
{
	struct json_reader reader;
	struct json_value value;
	int count = 0;

	parse_begin(parse, &reader, list);
	if (json_value(&reader, &value))
		while (count < 2 && json_item(&reader) && json_skip(&reader, NULL))
			count++;
	return count == 1;
}

/* An answer that was made in several passes, each with its model: all of them are booked or none.  False where there is no
 * pass. */
static bool
add_iterations(struct parse *parse, const struct payload *payload, const struct values *values, const struct json_value *list)
{
	size_t first = parse->out->count;
	struct passes passes = {.count = 0};
	struct json_reader reader;
	struct json_value value;
	int place = 0;
	bool single;

	parse_begin(parse, &reader, list->text);
	if (!json_value(&reader, &value) || value.type != VALUE_ARRAY) {
		parse_fault(parse, payload->raw, E_TYPE, parse->profile->slots[parse->profile->iterations].path,
		    json_value_shown(&value));
		return true;
	}
	single = is_single(parse, list->text);
	while (json_item(&reader)) {
		if (parse->out->count == PROFILE_EVENTS) {
			parse_give_up(parse, too_many_events);
			return true;
		}
		if ((size_t)place > PASSES_BYTES / smaller(payload->raw.length, PROFILE_RECORD_BYTES)) {
			parse_give_up(parse, "too many passes for an answer of its length");
			return true;
		}
		if (!add_iteration(parse, payload, values, &reader, single ? -1 : place, &passes)) {
			keep_last(parse, first);
			return true;
		}
		place++;
	}
	/* The bytes were read once, as a part of the payload. */
	must(reader.fault == JSON_FAULT_NONE);
	if (place > 0)
		check_passes(parse, payload, values, &passes, first);
	return place > 0;
}

void
parse_answer(struct parse *parse, const struct payload *payload, const struct values *values)
{
	short iterations = parse->profile->iterations;
	struct profile_explanation *explanation;
	struct record *record;

	if (parse->profile->item != NULL && value_is_set(values, iterations) &&
	    add_iterations(parse, payload, values, &values->value[iterations]))
		return;
	record = parse_next(parse, payload->raw, &explanation);
	profile_event(parse->profile, parse->rules, &payload->envelope, values, NULL, -1, payload->closing, explanation,
	    parse->arena, record);
}
