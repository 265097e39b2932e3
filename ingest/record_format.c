/* record_format.c -- see record_format.h. */
#include "ingest/record_format.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/mapping.h"
#include "ingest/message.h"

/* With its length, because it may have blanks. */
const char *
source_format(const struct event_rules *rules, struct arena *arena)
{
	if (rules->default_source == NULL || strcmp(rules->default_source, event_rules_default(rules->now).default_source) == 0)
		return "";
	return arena_format(arena, " source=%zu:%s", strlen(rules->default_source), rules->default_source);
}

const char *
profile_format(const struct profile *profile, struct arena *arena)
{
	const char *text = profile == NULL ? "" : profile_text(profile);

	return profile == NULL ? "" : arena_format(arena, " profile=%zu:%s", strlen(text), text);
}

/* A record points to its mapping's constants, and outlives this mapping. */
static void
keep_constants(struct mapping *mapping, struct arena *arena)
{
	for (int i = 0; i < SHORT_FIELDS; i++) {
		struct bytes *text = &mapping->constants.values[i].text;

		if ((mapping->constants.stated >> i & 1) != 0)
			text->at = arena_copy(arena, text->at, text->length);
	}
}

static bool
unknown_format(const char *format, struct error *err)
{
	error_set(err, ERROR_STATE, "a record of format \"%s\" cannot be read again", format);
	return error_hint(err, "It was written by another tollbook, or the database was changed by hand.");
}

/* Takes `name`, a length and so many bytes off the front of *rest; *text is as it was where they are not there.  False where the
 * bytes are too few. */
static bool
take_counted(const char **rest, const char *name, const char **text, struct arena *arena)
{
	unsigned long length;
	char *colon;

	if (strncmp(*rest, name, strlen(name)) != 0)
		return true;
	length = strtoul(*rest + strlen(name), &colon, 10);
	if (*colon != ':' || strlen(colon + 1) < length)
		return false;
	*text = arena_copy(arena, colon + 1, length);
	*rest = colon + 1 + length;
	return true;
}

/* What " key=" and " source=" in a format say, as rules; *rest is behind them. */
static bool
take_rules(const char **rest, uint64_t number, struct event_rules *rules, struct arena *arena)
{
	if (strncmp(*rest, " key=", 5) == 0) {
		size_t length = strcspn(*rest + 5, " ");

		rules->position_id = arena_format(arena, "%.*s:%llu", (int)length, *rest + 5, (unsigned long long)number);
		*rest += 5 + length;
	}
	if (rules->position_id != NULL && strncmp(*rest, " part=", 6) == 0) {
		size_t length = strcspn(*rest + 6, " ");

		rules->position_id = arena_format(arena, "%s/%.*s", rules->position_id, (int)length, *rest + 6);
		*rest += 6 + length;
	}
	return take_counted(rest, " source=", &rules->default_source, arena);
}

static bool
parse_row_again(const char *stored_mapping, const struct event_rules *rules, struct bytes raw, struct arena *arena,
    struct record *out, struct error *err)
{
	struct mapping mapping;

	if (!mapping_parse(stored_mapping, strlen(stored_mapping), "the stored mapping", &mapping, err))
		return false;
	keep_constants(&mapping, arena);
	mapping_row_parse(&mapping, rules, raw.at, raw.length, arena, out);
	mapping_release(&mapping);
	return true;
}

static void
keep_bytes(struct bytes *bytes, struct arena *arena)
{
	if (bytes->length > 0)
		bytes->at = arena_copy(arena, bytes->at, bytes->length);
}

/* An event points to its profile's words, and outlives this profile. */
static void
keep_words(struct record *record, struct arena *arena)
{
	struct usage_event *event = &record->event;
	struct bytes *const texts[] = {
	    &record->value, &event->source, &event->id, &event->ref_source, &event->ref_id, &event->context};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		keep_bytes(texts[i], arena);
	for (int i = 0; i < SERIES_FIELDS; i++)
		keep_bytes(&event->series[i], arena);
	if (record->field != NULL)
		record->field = arena_copy(arena, record->field, strlen(record->field));
}

/* A record of a file has no envelope. */
static bool
parse_events_again(const char *text, const struct event_rules *rules, const struct message *message, bool is_message,
    struct arena *arena, struct profile_events *out, struct error *err)
{
	struct profile *profile;

	if (!profile_from_text(text, &profile, err))
		return error_wrap(err, "the stored usage format");
	if (is_message)
		message_events(profile, rules, message, arena, &(struct kept_message){0}, out);
	else
		profile_parse(profile, rules, NULL, message->value, false, arena, out);
	for (size_t i = 0; i < out->count; i++) {
		out->records[i].number = (uint64_t)message->offset;
		keep_words(&out->records[i], arena);
	}
	profile_free(profile);
	return true;
}

const char *
format_profile(const char *format, struct arena *arena)
{
	size_t word = strcspn(format, " ");
	const char *rest = format + word, *text = NULL;
	struct event_rules rules = {0};

	if (!take_rules(&rest, 0, &rules, arena) || !take_counted(&rest, " profile=", &text, arena))
		return NULL;
	if (bytes_are((struct bytes){format, word}, "profile") && *rest == ' ')
		return arena_copy(arena, rest + 1, strlen(rest + 1));
	return text;
}

/* A format is "json", "csv", "profile" or "kafka", " key=" and a digest where keys come from positions, then " part=" and which of
 * several it is, " source=", and for CSV a mapping, for a profile its text, for Kafka where the message came from. */
bool
record_parse(const char *format, const struct event_rules *rules, struct bytes raw, const struct envelope *envelope,
    uint64_t number, struct arena *arena, struct profile_events *out, struct error *err)
{
	struct message message = {.offset = (int64_t)number, .value = raw, .has_value = true};
	struct event_rules own = *rules;
	size_t word = strcspn(format, " ");
	const char *rest = format + word, *text = NULL;
	struct bytes kind = {format, word};
	struct record *record = arena_take(arena, sizeof *record);

	if (!take_rules(&rest, number, &own, arena) || !take_counted(&rest, " profile=", &text, arena))
		return unknown_format(format, err);
	if (envelope != NULL)
		message.envelope = *envelope;
	*record = (struct record){.raw = raw, .raw_length = raw.length, .number = number, .field = ""};
	*out = (struct profile_events){.records = record, .count = 1};
	if (bytes_are(kind, "json"))
		event_parse(&own, raw.at, raw.length, arena, record);
	else if (bytes_are(kind, "csv"))
		return parse_row_again(rest, &own, raw, arena, record, err);
	else if (bytes_are(kind, "profile") && *rest == ' ')
		return parse_events_again(rest + 1, &own, &message, false, arena, out, err);
	else if (bytes_are(kind, "kafka") && envelope != NULL && text != NULL)
		return parse_events_again(text, &own, &message, true, arena, out, err);
	else if (bytes_are(kind, "kafka") && envelope != NULL)
		message_parse(&own, &message, arena, record);
	else
		return unknown_format(format, err);
	return true;
}
