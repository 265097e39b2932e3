/* profile_fields.c -- what is said of an event's fields, and where. */
#include <string.h>

#include "ingest/profile_making.h"

static const struct {
	const char *name;
	const char *attribute; /* of a CloudEvent, or "" */
	enum series_field series;
} fields[PROFILE_FIELDS] = {
#define PROFILE_FIELD(NAME, name, envelope, series) [FIELD_##NAME] = {#name, envelope, series},
#include "ingest/profile_fields.def"
#undef PROFILE_FIELD
};

const char *
field_name(enum profile_field field)
{
	return fields[field].name;
}

enum series_field
field_series(enum profile_field field)
{
	return fields[field].series;
}

const char *
field_place(const struct making *making, enum profile_field field)
{
	const struct paths *paths = &making->profile->fields[field].paths;

	return paths->count > 0 ? making->profile->slots[paths->slot[0]].path : fields[field].name;
}

static bool
is_nothing(const struct json_value *value)
{
	return value->type == VALUE_NULL || (value->type == VALUE_STRING && value->text.length == 0);
}

static bool
is_scalar(const struct json_value *value)
{
	return value->type != VALUE_ARRAY && value->type != VALUE_OBJECT;
}

/* The payload's word in ours.  False where our word for it is nothing. */
static bool
translate(struct making *making, enum profile_field field, struct said *said)
{
	const struct field_source *source = &making->profile->fields[field];
	struct bytes text;

	if (!is_scalar(&said->value))
		return true;
	text = json_value_shown(&said->value);
	for (size_t i = 0; i < source->word_count; i++) {
		if (!bytes_same(source->words[i].from, text))
			continue;
		said->value = (struct json_value){VALUE_STRING, source->words[i].to};
		return source->words[i].to.length > 0;
	}
	if (!source->only_words)
		return true;
	if (field == FIELD_STATUS)
		said->value = (struct json_value){VALUE_STRING, bytes_of("unknown")};
	else
		draft_fault(&making->draft, E_VALUE, said->field, text);
	return true;
}

static void
note_deprecated(struct making *making, const struct paths *paths, int place)
{
	if ((paths->deprecated >> place & 1) != 0)
		making->draft.event.flags |= F_DEPRECATED_FIELD;
}

/* The first path that has something. */
static bool
said_at_paths(struct making *making, const struct paths *paths, struct said *out)
{
	for (int i = 0; i < paths->count; i++) {
		short slot = paths->slot[i];

		if (!value_is_set(making->values, slot) || is_nothing(&making->values->value[slot]))
			continue;
		out->value = making->values->value[slot];
		out->field = out->from = making->profile->slots[slot].path;
		note_deprecated(making, paths, i);
		return true;
	}
	return false;
}

/* All paths with the joiner between them; nothing where one of them has nothing. */
static bool
said_joined(struct making *making, const struct field_source *source, struct said *out)
{
	size_t joiner = strlen(source->joiner), length = 0;
	char *text, *to;

	for (int i = 0; i < source->paths.count; i++) {
		short slot = source->paths.slot[i];
		const struct json_value *value = &making->values->value[slot];

		if (!value_is_set(making->values, slot) || is_nothing(value))
			return false;
		out->field = making->profile->slots[slot].path;
		if (value->type != VALUE_STRING && value->type != VALUE_NUMBER) {
			out->value = *value;
			out->from = out->field;
			return true;
		}
		length += value->text.length + (i > 0 ? joiner : 0);
	}
	text = to = arena_take(making->arena, length);
	for (int i = 0; i < source->paths.count; i++) {
		struct bytes part = making->values->value[source->paths.slot[i]].text;

		if (i > 0) {
			memcpy(to, source->joiner, joiner);
			to += joiner;
		}
		memcpy(to, part.at, part.length);
		to += part.length;
	}
	out->value = (struct json_value){VALUE_STRING, {text, length}};
	out->field = making->profile->slots[source->paths.slot[0]].path;
	out->from = out->field;
	for (int i = 1; making->explanation != NULL && i < source->paths.count; i++)
		out->from = arena_format(
		    making->arena, "%s \"%s\" %s", out->from, source->joiner, making->profile->slots[source->paths.slot[i]].path);
	return true;
}

static bool
said_by_payload(struct making *making, enum profile_field field, struct said *out)
{
	const struct field_source *source = &making->profile->fields[field];

	out->is_ours = false;
	if (source->paths.count == 0)
		return false;
	if (source->joined ? !said_joined(making, source, out) : !said_at_paths(making, &source->paths, out))
		return false;
	return (source->word_count == 0 && !source->only_words) || translate(making, field, out);
}

static bool
said_by_extension(const struct making *making, enum profile_field field, struct said *out)
{
	const struct envelope_values *envelope = making->envelope;
	short slot = making->profile->extension[field];

	if (!envelope->is_event || envelope->values == NULL || !value_is_set(envelope->values, slot) ||
	    is_nothing(&envelope->values->value[slot]))
		return false;
	out->value = envelope->values->value[slot];
	out->field = fields[field].attribute;
	out->from = "the event's attribute";
	out->is_ours = true;
	return true;
}

static bool
said_as(const struct making *making, enum profile_field field, struct bytes text, const char *from, struct said *out)
{
	if (text.length == 0)
		return false;
	out->value = (struct json_value){VALUE_STRING, text};
	out->field = field_place(making, field);
	out->from = from;
	out->is_ours = true;
	return true;
}

bool
said_somewhere(struct making *making, enum profile_field field, struct said *out)
{
	if ((making->ruled >> field & 1) != 0)
		return said_as(making, field, making->set[field], "a rule", out);
	return said_by_payload(making, field, out) || said_by_extension(making, field, out) ||
	    said_as(making, field, making->profile->fields[field].constant, "a constant", out);
}

bool
said_by_envelope(const struct making *making, enum event_header attribute, struct said *out)
{
	const struct envelope_values *envelope = making->envelope;
	const char *name = event_header_name(attribute);

	if (!envelope->is_event)
		return false;
	if (envelope->headers != NULL) {
		if ((envelope->headers->stated >> attribute & 1) == 0)
			return false;
		out->value = (struct json_value){VALUE_STRING, envelope->headers->text[attribute]};
		out->field = name;
	} else {
		short slot = making->profile->envelope[attribute];

		if (envelope->values == NULL || !value_is_set(envelope->values, slot))
			return false;
		out->value = envelope->values->value[slot];
		out->field = name + sizeof EVENT_HEADER_PREFIX - 1;
	}
	out->from = "the event's attribute";
	return !is_nothing(&out->value);
}

void
accept_digits(struct json_value *value)
{
	if (value->type != VALUE_NUMBER)
		return;
	for (size_t i = 0; i < value->text.length; i++)
		if (value->text.at[i] < '0' || value->text.at[i] > '9')
			return;
	value->type = VALUE_STRING;
}

void
note_text(const struct making *making, const char *name, struct bytes value, const char *from)
{
	struct profile_explanation *explanation = making->explanation;

	/* What is found out later takes the place of what was said. */
	for (size_t i = 0; i < explanation->count; i++)
		if (strcmp(explanation->items[i].name, name) == 0 && strcmp(name, "flag") != 0) {
			explanation->items[i].value = bytes_of(arena_copy(making->arena, value.at, value.length));
			explanation->items[i].from = from;
			return;
		}
	profile_explain(explanation, making->arena, name, value, from);
}
