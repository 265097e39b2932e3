/* message.c -- see message.h. */
#include "ingest/message.h"

#include <string.h>
#include <strings.h>

#include "ingest/event_json.h"
#include "ingest/reader.h"

enum { HEADERS_KEPT = 1024 }; /* of a message that has more than HEADERS_MAX */

/* One block of the arena: the envelope, its headers, and behind them all bytes. */
struct kept {
	struct envelope envelope;
	struct message_header headers[];
};

static size_t
smaller(size_t one, size_t other)
{
	return one < other ? one : other;
}

static size_t
envelope_bytes(const struct envelope *envelope)
{
	size_t bytes = envelope->key.length;

	for (size_t i = 0; i < envelope->header_count; i++)
		bytes += envelope->headers[i].name.length + envelope->headers[i].value.length;
	return bytes;
}

static struct bytes
keep(struct bytes from, size_t *room, char **to)
{
	struct bytes copy = {*to, smaller(from.length, *room)};

	if (copy.length > 0)
		memcpy(*to, from.at, copy.length);
	*to += copy.length;
	*room -= copy.length;
	return copy;
}

static void
keep_message(const struct message *message, size_t bytes, struct arena *arena, struct record *out)
{
	const struct envelope *envelope = &message->envelope;
	size_t room = smaller(bytes, RAW_BYTES), value_room = smaller(message->value.length, RAW_BYTES);
	size_t count = smaller(envelope->header_count, HEADERS_KEPT);
	struct kept *kept = arena_take(arena, sizeof *kept + count * sizeof kept->headers[0] + room + value_room);
	char *to = (char *)&kept->headers[count];

	kept->envelope = (struct envelope){.has_key = envelope->has_key, .headers = kept->headers, .header_count = count};
	kept->envelope.key = keep(envelope->key, &room, &to);
	for (size_t i = 0; i < count; i++) {
		const struct message_header *header = &envelope->headers[i];

		kept->headers[i].name = keep(header->name, &room, &to);
		kept->headers[i].value = keep(header->value, &room, &to);
		kept->headers[i].has_value = header->has_value;
	}
	out->raw = keep(message->value, &value_room, &to);
	out->envelope = &kept->envelope;
}

static bool
refuse(struct record *out, enum reason reason, const char *field, struct bytes value)
{
	out->reason = reason;
	out->field = field;
	out->value = bytes_clipped(value);
	return false;
}

static bool
check_size(const struct message *message, size_t bytes, size_t limit, struct arena *arena, struct record *out)
{
	if (message->envelope.header_count > HEADERS_MAX)
		return refuse(out, E_LINE_TOO_LONG, "headers",
		    bytes_of(arena_format(arena, "%zu headers", message->envelope.header_count)));
	if (bytes > ENVELOPE_BYTES)
		return refuse(out, E_LINE_TOO_LONG, "key and headers", bytes_of(arena_format(arena, "%zu bytes", bytes)));
	if (message->value.length > limit)
		return refuse(out, E_LINE_TOO_LONG, "value", bytes_of(arena_format(arena, "%zu bytes", message->value.length)));
	return true;
}

/* Letters in either case, as media types are compared (RFC 9110, section 8.3.1). */
static bool
is_word(struct bytes text, const char *word)
{
	return text.length == strlen(word) && strncasecmp(text.at, word, text.length) == 0;
}

/* A content type without its parameters. */
static struct bytes
media_type(struct bytes content_type)
{
	size_t length = 0;

	while (length < content_type.length && content_type.at[length] != ';')
		length++;
	while (length > 0 && (content_type.at[length - 1] == ' ' || content_type.at[length - 1] == '\t'))
		length--;
	return (struct bytes){content_type.at, length};
}

/* CloudEvents 1.0, JSON format, section 3.1: a subtype that is json or ends in +json. */
static bool
is_json(struct bytes content_type)
{
	static const char suffix[] = "+json";
	struct bytes media = media_type(content_type), subtype;
	const char *slash = media.length > 0 ? memchr(media.at, '/', media.length) : NULL;

	if (slash == NULL)
		return false;
	subtype = (struct bytes){slash + 1, (size_t)(media.at + media.length - slash) - 1};
	if (subtype.length < sizeof suffix)
		return is_word(subtype, "json");
	return is_word((struct bytes){subtype.at + subtype.length - sizeof suffix + 1, sizeof suffix - 1}, suffix);
}

/* What the headers say. */
struct carried {
	struct event_headers headers;
	unsigned seen; /* by enum event_header, with or without a value */
	bool has_content_type, is_binary;
};

static bool
came_before(const struct envelope *envelope, size_t place)
{
	struct bytes name = envelope->headers[place].name;

	for (size_t i = 0; i < place; i++) {
		struct bytes earlier = envelope->headers[i].name;

		if (earlier.length == name.length && memcmp(earlier.at, name.at, name.length) == 0)
			return true;
	}
	return false;
}

/* False where the header came before.  Those that count are told apart by their bits, extensions by searching. */
static bool
take_attribute(const struct envelope *envelope, size_t place, struct carried *carried)
{
	const struct message_header *header = &envelope->headers[place];
	enum event_header attribute = event_header_find(header->name);

	carried->is_binary = true;
	if (attribute == EVENT_HEADERS)
		return !came_before(envelope, place);
	if ((carried->seen >> attribute & 1) != 0)
		return false;
	carried->seen |= 1U << attribute;
	if (header->has_value) {
		carried->headers.stated |= 1U << attribute;
		carried->headers.text[attribute] = header->value;
	}
	return true;
}

static bool
take_content_type(const struct message_header *header, struct carried *carried)
{
	if (carried->has_content_type)
		return false;
	carried->has_content_type = true;
	if (header->has_value) {
		carried->headers.content_type = header->value;
		carried->headers.data_is_json = is_json(header->value);
	}
	return true;
}

/* Names are matched exactly: Kafka's are case-sensitive, and the binding writes these in lower case.  Data of no stated type
 * is JSON (CloudEvents 1.0, JSON format, section 3.1).  A name may be any bytes, so it is a fault's value and not its field. */
static bool
read_headers(const struct envelope *envelope, struct carried *carried, struct record *out)
{
	static const char content_type[] = "content-type", prefix[] = EVENT_HEADER_PREFIX;

	carried->headers.data_is_json = true;
	for (size_t i = 0; i < envelope->header_count; i++) {
		struct bytes name = envelope->headers[i].name;
		bool is_first = true;

		if (name.length >= sizeof prefix - 1 && memcmp(name.at, prefix, sizeof prefix - 1) == 0)
			is_first = take_attribute(envelope, i, carried);
		else if (name.length == sizeof content_type - 1 && memcmp(name.at, content_type, name.length) == 0)
			is_first = take_content_type(&envelope->headers[i], carried);
		if (!is_first)
			return refuse(out, E_HEADER_REPEATED, "headers", name);
	}
	return true;
}

/* Not batches, which the binding does not have, and no other encoding. */
static bool
check_structured(const struct carried *carried, struct record *out)
{
	struct bytes content_type = carried->headers.content_type, media = media_type(content_type);

	return is_word(media, "application/cloudevents+json") || is_word(media, "application/cloudevents") ||
	    refuse(out, E_VALUE, "content-type", content_type);
}

static void
read_value(const struct event_rules *rules, const struct carried *carried, struct arena *arena, struct record *out)
{
	if (event_is_structured(&carried->headers)) {
		if (check_structured(carried, out))
			event_parse_value(rules, &carried->headers, out->raw.at, out->raw.length, arena, out);
	} else if (carried->is_binary) {
		event_parse_data(rules, &carried->headers, out->raw.at, out->raw.length, arena, out);
	} else {
		event_parse_value(rules, NULL, out->raw.at, out->raw.length, arena, out);
	}
}

/* Begins a record with what is kept of the message.  False where what it is is known before its value is read. */
static bool
begin_record(const struct message *message, size_t limit, struct arena *arena, struct carried *carried, struct record *out)
{
	size_t bytes = envelope_bytes(&message->envelope);

	*out = (struct record){.raw_length = message->value.length, .number = (uint64_t)message->offset, .field = ""};
	keep_message(message, bytes, arena, out);
	if (!message->has_value)
		out->reason = N_TOMBSTONE;
	return message->has_value && check_size(message, bytes, limit, arena, out) && read_headers(out->envelope, carried, out);
}

void
message_parse(const struct event_rules *rules, const struct message *message, struct arena *arena, struct record *out)
{
	struct carried carried = {0};

	if (begin_record(message, RECORD_BYTES, arena, &carried, out))
		read_value(rules, &carried, arena, out);
}

void
message_events(const struct profile *profile, const struct event_rules *rules, const struct message *message, struct arena *arena,
    struct kept_message *kept, struct profile_events *out)
{
	struct record *whole = arena_take(arena, sizeof *whole);
	struct carried carried = {0};
	bool structured, readable = begin_record(message, PROFILE_RECORD_BYTES, arena, &carried, whole);

	*kept = (struct kept_message){whole->envelope, whole->raw};
	*out = (struct profile_events){.records = whole, .count = 1};
	structured = event_is_structured(&carried.headers);
	if (!readable || (structured && !check_structured(&carried, whole)))
		return;
	profile_parse(profile, rules, carried.is_binary || structured ? &carried.headers : NULL, kept->value, false, arena, out);
	must(out->count > 0);
	/* A line may be blank; a message has a value or none. */
	if (out->records[0].reason == N_BLANK)
		event_parse_value(rules, NULL, kept->value.at, kept->value.length, arena, out->records);
	for (size_t i = 0; i < out->count; i++) {
		out->records[i].number = whole->number;
		out->records[i].envelope = whole->envelope;
	}
}
