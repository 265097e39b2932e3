/*
 * profile_capture.c -- a payload that was captured in a CloudEvent, in its JSON form or as a message in binary mode.
 */
#include <string.h>

#include "ingest/base64.h"
#include "ingest/json_fault.h"
#include "ingest/profile_each.h"
#include "ingest/profile_parsing.h"

static bool
has_text(const struct values *values, short slot, const char *text)
{
	return value_is_set(values, slot) && values->value[slot].type == VALUE_STRING &&
	    bytes_are(values->value[slot].text, text);
}

/* A CloudEvent names one event; several records cannot all be it.  False with the fault added. */
static bool
check_single(struct parse *parse, const struct payload *payload, struct bytes document, const char *field)
{
	struct each_found found;

	if (!each_may_be(parse->profile, document))
		return true;
	if (!parse_find_each(parse, payload->raw, document, field, &found))
		return false;
	if (found.records > 1)
		parse_fault(parse, payload->raw, E_VALUE, field[0] == '\0' ? "data" : field,
		    bytes_of(arena_format(parse->arena, "%zu records in one CloudEvent", found.records)));
	else if (found.list_count > 0 && found.records == 0)
		parse_fault_words(parse, payload->raw, N_NOT_USAGE, field, "empty lists");
	return found.records == 1 || found.list_count == 0;
}

static void
parse_data_object(struct parse *parse, struct payload *payload, struct bytes text, const char *field)
{
	struct found_values found;
	bool more = false;

	if (!parse_walk(parse, payload->raw, text, field, &found, &more))
		return;
	if (more) {
		parse_stream(parse, payload, text, field);
		return;
	}
	if (check_single(parse, payload, text, field))
		parse_answer(parse, payload, &found.top);
}

/* A list of records, of which there can only be one here, or of chunks. */
static void
parse_data_list(struct parse *parse, struct payload *payload, struct bytes text, const char *field)
{
	struct bytes item;
	size_t count;

	if (!each_takes_list(parse->profile)) {
		parse_stream(parse, payload, text, field);
		return;
	}
	if (!parse_list_items(parse, payload->raw, text, field, &item, 1, &count))
		return;
	if (count > 1)
		parse_fault(parse, payload->raw, E_VALUE, field[0] == '\0' ? "data" : field,
		    bytes_of(arena_format(parse->arena, "%zu records in one CloudEvent", count)));
	else if (count == 0)
		parse_fault_words(parse, payload->raw, N_NOT_USAGE, field, "an empty list");
	else if (item.at[0] == '{')
		parse_data_object(parse, payload, item, field);
	else
		parse_other(parse, payload->raw, item, field);
}

/* Data that is text of its own.  None at all is a stream that was cut before anything came. */
static void
parse_data(struct parse *parse, struct payload *payload, struct bytes data, const char *field)
{
	char first = parse_first_byte(data);
	struct values none;

	if (first == '{') {
		parse_data_object(parse, payload, data, field);
	} else if (first == '[') {
		parse_data_list(parse, payload, data, field);
	} else if (bytes_are_blank(data.at, data.length)) {
		values_clear(&none);
		payload->closing = CLOSING_CUT;
		parse_answer(parse, payload, &none);
	} else if (stream_is_sse(data)) {
		parse_stream(parse, payload, data, field);
	} else {
		parse_other(parse, payload->raw, data, field);
	}
}

/* The value of a member that was kept as it stands. */
static void
read_member(struct parse *parse, struct bytes member, struct json_value *out)
{
	struct json_reader reader;

	parse_begin(parse, &reader, member);
	must(json_value(&reader, out));
}

static void
parse_data_base64(struct parse *parse, struct payload *payload, struct bytes member)
{
	static const char field[] = "data_base64";
	struct json_value value;
	struct bytes decoded;

	read_member(parse, member, &value);
	if (value.type != VALUE_STRING)
		parse_fault(parse, payload->raw, E_TYPE, field, json_value_shown(&value));
	else if (!base64_decode(parse->arena, value.text, &decoded))
		parse_fault(parse, payload->raw, E_VALUE, field, value.text);
	else
		parse_data(parse, payload, decoded, field);
}

static void
parse_data_member(struct parse *parse, struct payload *payload, const struct found_values *found)
{
	const struct json_value *data = &found->top.value[parse->profile->data];
	struct json_value value;

	if (data->type == VALUE_OBJECT) {
		if (check_single(parse, payload, data->text, "data"))
			parse_answer(parse, payload, &found->data);
		return;
	}
	read_member(parse, data->text, &value);
	if (value.type == VALUE_STRING)
		parse_data(parse, payload, value.text, "data");
	else if (value.type == VALUE_ARRAY)
		parse_data_list(parse, payload, data->text, "data");
	else
		parse_fault(parse, payload->raw, E_TYPE, "data", json_value_shown(&value));
}

/* The attributes that make it a CloudEvent.  False with the fault added. */
static bool
check_attributes(struct parse *parse, struct bytes raw, const struct values *top)
{
	const short *slots = parse->profile->envelope;
	const struct json_value *type = &top->value[slots[HEADER_TYPE]];

	if (!has_text(top, slots[HEADER_SPECVERSION], "1.0"))
		parse_fault(parse, raw, E_SPECVERSION, "specversion", json_value_shown(&top->value[slots[HEADER_SPECVERSION]]));
	else if (!value_is_set(top, slots[HEADER_TYPE]) || has_text(top, slots[HEADER_TYPE], ""))
		parse_fault_words(parse, raw, E_NOT_CLOUDEVENT, "type", "");
	else if (type->type != VALUE_STRING)
		parse_fault(parse, raw, E_TYPE, "type", json_value_shown(type));
	else
		return true;
	return false;
}

/* Headers may repeat what the event says of itself, and nothing else. */
static bool
check_agreement(struct parse *parse, struct bytes raw, const struct values *top)
{
	const struct event_headers *headers = parse->headers;

	for (int i = 0; headers != NULL && i < EVENT_HEADERS; i++) {
		short slot = parse->profile->envelope[i];

		if ((headers->stated >> i & 1) == 0 || !value_is_set(top, slot) || top->value[slot].type != VALUE_STRING)
			continue;
		if (event_header_agrees((enum event_header)i, top->value[slot].text, headers->text[i]))
			continue;
		parse_fault(parse, raw, E_ENVELOPE_CONFLICT, event_header_name((enum event_header)i), headers->text[i]);
		return false;
	}
	return true;
}

static void
parse_event(struct parse *parse, struct bytes raw, const struct found_values *found)
{
	const struct profile *profile = parse->profile;
	const struct values *top = &found->top;
	struct payload payload = {.raw = raw, .envelope = {.values = top, .is_event = true}};
	struct values none;

	if (value_is_set(top, profile->data) && value_is_set(top, profile->data_base64)) {
		parse_fault_words(parse, raw, E_VALUE, "data_base64", "beside data");
	} else if (value_is_set(top, profile->data_base64)) {
		parse_data_base64(parse, &payload, top->value[profile->data_base64].text);
	} else if (value_is_set(top, profile->data)) {
		parse_data_member(parse, &payload, found);
	} else {
		values_clear(&none);
		parse_answer(parse, &payload, &none);
	}
}

/* One of our own type is read as such whatever the format: a correction can go the way of the usage. */
bool
parse_cloudevent(struct parse *parse, struct bytes raw, const struct found_values *found)
{
	const short *slots = parse->profile->envelope;
	bool is_event = value_is_set(&found->top, slots[HEADER_SPECVERSION]);
	struct profile_explanation *explanation;

	if (is_event && has_text(&found->top, slots[HEADER_TYPE], EVENT_TYPE)) {
		event_parse_value(
		    parse->rules, parse->headers, raw.at, raw.length, parse->arena, parse_next(parse, raw, &explanation));
		return true;
	}
	if (!parse->profile->capture || (!is_event && parse->headers == NULL))
		return false;
	if (!is_event)
		parse_fault_words(parse, raw, E_NOT_CLOUDEVENT, "specversion", "");
	else if (check_attributes(parse, raw, &found->top) && check_agreement(parse, raw, &found->top))
		parse_event(parse, raw, found);
	return true;
}

/* The attributes of a message in binary mode, as those of a CloudEvent are.  False with the fault added. */
static bool
check_headers(struct parse *parse, struct bytes raw)
{
	static const struct bytes version = {"1.0", 3};
	const struct event_headers *headers = parse->headers;

	for (int i = 0; i < EVENT_HEADERS; i++) {
		enum reason reason = (headers->stated >> i & 1) == 0 ? REASON_NONE : event_header_check(headers->text[i]);

		if (reason == REASON_NONE)
			continue;
		parse_fault(parse, raw, reason, event_header_name((enum event_header)i), headers->text[i]);
		return false;
	}
	if ((headers->stated >> HEADER_SPECVERSION & 1) == 0)
		parse_fault_words(parse, raw, E_NOT_CLOUDEVENT, event_header_name(HEADER_SPECVERSION), "");
	else if (!event_header_agrees(HEADER_SPECVERSION, version, headers->text[HEADER_SPECVERSION]))
		parse_fault(parse, raw, E_SPECVERSION, event_header_name(HEADER_SPECVERSION), headers->text[HEADER_SPECVERSION]);
	else if ((headers->stated >> HEADER_TYPE & 1) == 0 || headers->text[HEADER_TYPE].length == 0)
		parse_fault_words(parse, raw, E_NOT_CLOUDEVENT, event_header_name(HEADER_TYPE), "");
	else
		return true;
	return false;
}

void
parse_binary(struct parse *parse, struct bytes raw)
{
	struct payload payload = {.raw = raw, .envelope = {.headers = parse->headers, .is_event = true}};
	struct profile_explanation *explanation;

	if (!check_headers(parse, raw))
		return;
	if (event_header_agrees(HEADER_TYPE, bytes_of(EVENT_TYPE), parse->headers->text[HEADER_TYPE]))
		event_parse_data(
		    parse->rules, parse->headers, raw.at, raw.length, parse->arena, parse_next(parse, raw, &explanation));
	else
		parse_data(parse, &payload, raw, "");
}
