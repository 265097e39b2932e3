/*
 * profile_parse.c -- one record to the events that it is; see profile.h.
 *
 * What a record can be: a payload; a CloudEvent around one; a stream; a document with a list of records, or a list of documents.
 * Most are a payload, which is read once and where it stands.
 */
#include <string.h>

#include "ingest/json_fault.h"
#include "ingest/profile_each.h"
#include "ingest/profile_parsing.h"

/* So much longer than the record may be the documents that its items are made into, together. */
enum { COPIES_MOST = 32 };

static void parse_list(struct parse *parse, struct bytes raw);
static void parse_part(struct parse *parse, struct bytes raw);

/* --- records made ------------------------------------------------------------------------------- */

const char too_many_events[] = "more than 1000 events in one record";

static void *
larger(struct arena *arena, const void *old, size_t count, size_t room, size_t size)
{
	void *more = arena_take(arena, room * size);

	if (count > 0)
		memcpy(more, old, count * size);
	return more;
}

struct record *
parse_next(struct parse *parse, struct bytes raw, struct profile_explanation **explanation)
{
	struct profile_events *out = parse->out;
	struct record *record;

	if (out->count == parse->room) {
		parse->room = parse->room == 0 ? 1 : 2 * parse->room;
		out->records = larger(parse->arena, out->records, out->count, parse->room, sizeof *out->records);
		if (parse->explain)
			out->explanations =
			    larger(parse->arena, out->explanations, out->count, parse->room, sizeof *out->explanations);
	}
	record = &out->records[out->count];
	*record = (struct record){.raw = raw, .raw_length = raw.length, .field = ""};
	*explanation = NULL;
	if (parse->explain) {
		*explanation = &out->explanations[out->count];
		**explanation = (struct profile_explanation){0};
	}
	out->count++;
	return record;
}

void
parse_fault(struct parse *parse, struct bytes raw, enum reason reason, const char *field, struct bytes value)
{
	struct profile_explanation *explanation;

	record_set_aside(parse_next(parse, raw, &explanation), reason, field, value);
}

void
parse_fault_words(struct parse *parse, struct bytes raw, enum reason reason, const char *field, const char *words)
{
	parse_fault(parse, raw, reason, field, bytes_of(words));
}

void
parse_byte_fault(struct parse *parse, struct bytes raw, const struct json_reader *reader, const char *field)
{
	if (field[0] == '\0')
		field = json_place(reader, parse->arena);
	parse_fault(parse, raw, json_reason(reader), field, json_problem(reader));
}

void
parse_give_up(struct parse *parse, const char *why)
{
	parse->out->count = 0;
	parse->given_up = true;
	parse_fault_words(parse, parse->raw, E_LINE_TOO_LONG, "", why);
}

void
parse_begin(struct parse *parse, struct json_reader *reader, struct bytes text)
{
	json_begin(reader, text.at, text.length, 0, parse->arena);
	json_allow_depth(reader, PROFILE_DEPTH);
}

/* --- what a record can be ------------------------------------------------------------------------- */

char
parse_first_byte(struct bytes text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!bytes_are_blank(text.at + i, 1))
			return text.at[i];
	return '\0';
}

bool
parse_walk(struct parse *parse, struct bytes raw, struct bytes text, const char *field, struct found_values *out, bool *more)
{
	struct json_reader reader;
	struct json_value value;
	const char *behind;

	parse_begin(parse, &reader, text);
	if (json_value(&reader, &value))
		profile_walk(parse->profile->record, &reader, &value, out);
	behind = reader.at;
	if (json_end(&reader))
		return true;
	if (more != NULL && behind < reader.at && reader.at < reader.end && *reader.at == '{' &&
	    memchr(behind, '\n', (size_t)(reader.at - behind)) != NULL)
		return *more = true;
	parse_byte_fault(parse, raw, &reader, field);
	return false;
}

void
parse_other(struct parse *parse, struct bytes raw, struct bytes text, const char *field)
{
	struct json_reader reader;
	struct json_value value;

	parse_begin(parse, &reader, text);
	if (json_value(&reader, &value) && (value.type == VALUE_ARRAY || value.type == VALUE_OBJECT))
		(void)json_leave(&reader);
	if (!json_end(&reader))
		parse_byte_fault(parse, raw, &reader, field);
	else
		parse_fault(parse, raw, field[0] == '\0' ? E_NOT_OBJECT : E_TYPE, field, json_value_shown(&value));
}

void
parse_stream(struct parse *parse, struct payload *payload, struct bytes text, const char *field)
{
	struct values values;
	struct bytes value;
	enum reason reason;
	const char *place;

	if (!profile_stream(parse->profile, text, parse->arena, &values, &payload->closing, &reason, &place, &value)) {
		if (field[0] != '\0' && place[0] != '\0')
			place = arena_format(parse->arena, "%s: %s", field, place);
		parse_fault(parse, payload->raw, reason, place[0] == '\0' ? field : place, value);
		return;
	}
	parse_answer(parse, payload, &values);
}

static bool
has_stream(const struct profile *profile)
{
	return profile->end_text_count > 0 || profile->end_when_count > 0 || profile->falls;
}

static void
parse_bare(struct parse *parse, struct bytes raw)
{
	struct payload payload = {.raw = raw};
	char first = parse_first_byte(raw);

	if (first == '{')
		parse_part(parse, raw);
	else if (first == '[' && each_takes_list(parse->profile))
		parse_list(parse, raw);
	else if (stream_is_sse(raw) || (first == '[' && has_stream(parse->profile)))
		parse_stream(parse, &payload, raw, "");
	else
		parse_other(parse, raw, raw, "");
}

/* --- records that stand in lists ---------------------------------------------------------------- */

/* Before each record; false where it is one too many.  Several of a list have one position in the file, and each needs a key of
 * its own. */
static bool
begin_place(struct parse *parse)
{
	size_t place = ++parse->places;

	if (parse->out->count >= PROFILE_EVENTS) {
		parse_give_up(parse, too_many_events);
		return false;
	}
	if (place > 1 && parse->position_id != NULL) {
		parse->own.position_id = arena_format(parse->arena, "%s/%zu", parse->position_id, place);
		parse->rules = &parse->own;
	}
	return true;
}

static void
parse_items(struct parse *parse, const struct bytes *items, size_t count)
{
	if (count == 0)
		parse_fault_words(parse, parse->raw, N_NOT_USAGE, "", "an empty list");
	for (size_t i = 0; i < count && !parse->given_up; i++) {
		if (items[i].length > PROFILE_RECORD_BYTES) {
			parse_give_up(parse, "an item of more than 1048576 bytes");
		} else if (items[i].at[0] == '{') {
			parse_part(parse, items[i]);
		} else if (begin_place(parse)) {
			parse_other(parse, items[i], items[i], "");
		}
	}
}

bool
parse_list_items(
    struct parse *parse, struct bytes raw, struct bytes list, const char *field, struct bytes *items, size_t room, size_t *count)
{
	struct json_reader reader;
	struct json_value value;
	struct bytes item;

	parse_begin(parse, &reader, list);
	*count = 0;
	if (json_value(&reader, &value))
		while (json_item(&reader) && json_skip(&reader, &item)) {
			if (*count == PROFILE_EVENTS) {
				parse_give_up(parse, too_many_events);
				return false;
			}
			if (*count < room)
				items[*count] = item;
			(*count)++;
		}
	if (json_end(&reader))
		return true;
	parse_byte_fault(parse, raw, &reader, field);
	return false;
}

static void
parse_list(struct parse *parse, struct bytes raw)
{
	struct bytes *items = arena_take(parse->arena, PROFILE_EVENTS * sizeof *items);
	size_t count;

	if (parse_list_items(parse, raw, raw, "", items, PROFILE_EVENTS, &count))
		parse_items(parse, items, count);
}

static void
parse_object(struct parse *parse, struct bytes raw)
{
	struct payload payload = {.raw = raw};
	struct found_values found;

	if (parse_walk(parse, raw, raw, "", &found, NULL) && !parse_cloudevent(parse, raw, &found))
		parse_answer(parse, &payload, &found.top);
}

/* Each record in the lists of a document, as a document of its own. */
static void
parse_parts(struct parse *parse, struct bytes document, const struct each_found *found)
{
	for (int item = 0; item < found->item_count && !parse->given_up; item++) {
		struct bytes part;

		if (!each_is_record(found, item))
			continue;
		if (!each_document(found, document, item, parse->arena, &part)) {
			parse_give_up(parse, "more than 16384 bytes around an item of a list");
			return;
		}
		parse->copied += part.length;
		if (part.length > PROFILE_RECORD_BYTES || parse->copied / COPIES_MOST > parse->raw.length) {
			parse_give_up(parse, "too much around the items of a list");
			return;
		}
		if (begin_place(parse))
			parse_object(parse, part);
	}
}

bool
parse_find_each(struct parse *parse, struct bytes raw, struct bytes document, const char *field, struct each_found *out)
{
	struct json_reader reader;

	parse_begin(parse, &reader, document);
	each_find(parse->profile, &reader, parse->arena, out);
	if (out->too_many)
		parse_give_up(parse, too_many_events);
	else if (reader.fault != JSON_FAULT_NONE)
		parse_byte_fault(parse, raw, &reader, field);
	return !out->too_many && reader.fault == JSON_FAULT_NONE;
}

/* An object: one record, or those of its lists. */
static void
parse_part(struct parse *parse, struct bytes raw)
{
	struct each_found found = {.is_event = true};

	if (each_may_be(parse->profile, raw) && !parse_find_each(parse, raw, raw, "", &found))
		return;
	if (!found.is_event && found.list_count > 0 && found.records != 1) {
		if (found.records > 0)
			parse_parts(parse, raw, &found);
		else if (begin_place(parse))
			parse_fault_words(parse, raw, N_NOT_USAGE, "", "empty lists");
		return;
	}
	if (begin_place(parse))
		parse_object(parse, raw);
}

void
profile_parse(const struct profile *profile, const struct event_rules *rules, const struct event_headers *headers,
    struct bytes raw, bool explain, struct arena *arena, struct profile_events *out)
{
	struct parse parse = {.profile = profile,
	    .rules = rules,
	    .headers = headers,
	    .arena = arena,
	    .explain = explain,
	    .out = out,
	    .raw = raw,
	    .position_id = rules->position_id,
	    .own = *rules};

	*out = (struct profile_events){0};
	if (raw.length > PROFILE_STREAM_BYTES)
		parse_give_up(&parse, "");
	else if (headers != NULL && !event_is_structured(headers))
		parse_binary(&parse, raw);
	else if (bytes_are_blank(raw.at, raw.length))
		parse_fault_words(&parse, raw, N_BLANK, "", "");
	else
		parse_bare(&parse, raw);
}
