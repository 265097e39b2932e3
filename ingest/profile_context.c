/* profile_context.c -- attribution, engine and trace as the canonical event has them: kept beside the event, and not compared. */
#include <string.h>

#include "ingest/profile_making.h"

enum {
	CONTEXT_BYTES = 1024, /* of one member */
	MEMBERS_MOST = 4,
};

struct member {
	enum profile_field field;
	const char *name;
};

static size_t
escaped_length(struct bytes text)
{
	size_t length = text.length;

	for (size_t i = json_plain(text); i < text.length; i++)
		length += (unsigned char)text.at[i] < 0x20 ? 5 : text.at[i] == '"' || text.at[i] == '\\';
	return length;
}

static char *
put(char *to, const char *bytes, size_t length)
{
	memcpy(to, bytes, length);
	return to + length;
}

static char *
put_escaped(char *to, struct bytes text)
{
	static const char digits[] = "0123456789abcdef";
	size_t plain = json_plain(text);

	to = put(to, text.at, plain);
	for (size_t i = plain; i < text.length; i++) {
		unsigned char byte = (unsigned char)text.at[i];

		if (byte < 0x20) {
			to = put(to, "\\u00", 4);
			*to++ = digits[byte >> 4];
			*to++ = digits[byte & 0xf];
			continue;
		}
		if (byte == '"' || byte == '\\')
			*to++ = '\\';
		*to++ = (char)byte;
	}
	return to;
}

/* A member's text; false where it is not said, or what is said is none. */
static bool
read_member(struct making *making, enum profile_field field, struct bytes *out)
{
	struct said said;

	if (!said_of(making, field, &said))
		return false;
	accept_digits(&said.value);
	if (said.value.type != VALUE_STRING) {
		draft_fault(&making->draft, E_TYPE, said.field, json_value_shown(&said.value));
		return false;
	}
	if (said.value.text.length > CONTEXT_BYTES) {
		draft_fault(&making->draft, E_VALUE, said.field, said.value.text);
		return false;
	}
	*out = said.value.text;
	explain_text(making, field_name(field), said.value.text, said.from);
	return true;
}

/* An attempt is counted; the rest are names. */
static bool
is_bare(enum profile_field field, struct bytes text)
{
	struct json_value value = {VALUE_NUMBER, text};

	accept_digits(&value);
	return field == FIELD_ATTEMPT && value.type == VALUE_STRING && text.length > 0 && text.length < 10 &&
	    (text.length == 1 || text.at[0] != '0');
}

static struct bytes
object_of(struct making *making, const struct member *members, size_t count)
{
	struct bytes texts[MEMBERS_MOST];
	bool told[MEMBERS_MOST], any = false;
	size_t room = 2;
	char *object, *to;

	for (size_t i = 0; i < count; i++) {
		told[i] = read_member(making, members[i].field, &texts[i]);
		if (told[i])
			room += strlen(members[i].name) + escaped_length(texts[i]) + sizeof ",\"\":\"\"";
		any = any || told[i];
	}
	if (!any)
		return (struct bytes){NULL, 0};
	object = to = arena_take(making->arena, room);
	for (size_t i = 0; i < count; i++) {
		if (!told[i])
			continue;
		*to = to == object ? '{' : ',';
		to = put(to + 1, "\"", 1);
		to = put(put(to, members[i].name, strlen(members[i].name)), "\":", 2);
		if (is_bare(members[i].field, texts[i]))
			to = put(to, texts[i].at, texts[i].length);
		else
			to = put(put_escaped(put(to, "\"", 1), texts[i]), "\"", 1);
	}
	*to++ = '}';
	return (struct bytes){object, (size_t)(to - object)};
}

void
fill_context(struct making *making)
{
	static const struct member attribution[] = {
	    {FIELD_USER_ID, "user_id"}, {FIELD_ORG_ID, "org_id"}, {FIELD_END_USER, "end_user"}};
	static const struct member engine[] = {{FIELD_ENGINE, "name"}, {FIELD_ENGINE_VERSION, "version"}};
	static const struct member trace[] = {{FIELD_REQUEST_ID, "request_id"}, {FIELD_RESPONSE_ID, "response_id"},
	    {FIELD_TRACE_ID, "trace_id"}, {FIELD_ATTEMPT, "attempt"}};

	making->draft.attribution = object_of(making, attribution, sizeof attribution / sizeof attribution[0]);
	making->draft.engine = object_of(making, engine, sizeof engine / sizeof engine[0]);
	making->draft.trace = object_of(making, trace, sizeof trace / sizeof trace[0]);
}
