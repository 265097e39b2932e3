/*
 * profile_stream.c -- a captured stream to what it says in the end: of each field the last value that is not null.
 *
 * Counts of a stream are those of everything served so far, so they are replaced and never added.
 */
#include <string.h>

#include "ingest/json_fault.h"
#include "ingest/profile_parts.h"
#include "ingest/quantity.h"

enum {
	STREAM_CHUNKS = 1000000,
	SLOT_WORDS = PROFILE_SLOTS / 64,
	NUMBER_BYTES = 64, /* no source writes a count longer; one that is would be read again with each chunk */
};

struct stream {
	const struct profile *profile;
	struct arena *arena;
	struct values *out;
	uint64_t identity[SLOT_WORDS]; /* slots that name the answer: all chunks of one are of one */
	size_t chunks;
	bool ended;
	bool finished;       /* by a text that ends it: nothing can be counted behind that */
	bool cut;            /* the chunk read last breaks off; it is a fault where another one follows */
	struct bytes choice; /* the first one that was counted */
	bool of_choice;      /* the chunk read last counts one choice alone */
	bool several;        /* more than one was counted */
	bool unsummed;       /* and none has counted them all since */
	enum reason reason;
	const char *field;
	struct bytes value;
	struct json_reader *reader;
	struct found_values *found;
};

static bool read_events(struct stream *stream, struct bytes text);
static bool read_lines(struct stream *stream, struct bytes text);
static bool read_list(struct stream *stream, struct bytes text);
static bool merge(struct stream *stream);

static bool
fail(struct stream *stream, enum reason reason, const char *field, struct bytes value)
{
	stream->reason = reason;
	stream->field = field;
	stream->value = value;
	return false;
}

static struct bytes
without_mark(struct bytes text)
{
	if (text.length >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0)
		return (struct bytes){text.at + 3, text.length - 3};
	return text;
}

/* Takes the next line, without its end (CR, LF or both), off the text; false where there is none. */
static bool
next_line(struct bytes *text, struct bytes *line)
{
	const char *at = text->at, *end = text->at + text->length;

	if (text->length == 0)
		return false;
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	*line = (struct bytes){text->at, (size_t)(at - text->at)};
	if (at < end)
		at += *at == '\r' && end - at > 1 && at[1] == '\n' ? 2 : 1;
	*text = (struct bytes){at, (size_t)(end - at)};
	return true;
}

/* The name of a line's field; its value without the one blank that may stand behind the colon. */
static struct bytes
field_of(struct bytes line, struct bytes *value)
{
	const char *colon = line.length > 0 ? memchr(line.at, ':', line.length) : NULL;
	struct bytes name = line;

	*value = (struct bytes){line.at + line.length, 0};
	if (colon != NULL) {
		name.length = (size_t)(colon - line.at);
		*value = (struct bytes){colon + 1, line.length - name.length - 1};
		if (value->length > 0 && value->at[0] == ' ')
			*value = (struct bytes){value->at + 1, value->length - 1};
	}
	return name;
}

bool
stream_is_sse(struct bytes text)
{
	static const char *const names[] = {"data", "event", "id", "retry"};
	struct bytes rest = without_mark(text), line = {NULL, 0}, value, name;

	while (next_line(&rest, &line) && bytes_are_blank(line.at, line.length))
		;
	if (bytes_are_blank(line.at, line.length))
		return false;
	name = field_of(line, &value);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (bytes_are(name, names[i]))
			return true;
	return name.length == 0;
}

static void
mark_identity(struct stream *stream, const struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		stream->identity[paths->slot[i] / 64] |= UINT64_C(1) << (paths->slot[i] % 64);
}

/* What several choices have together, no chunk tells. */
static void
mark_unsummed(struct stream *stream)
{
	const struct paths *paths = &stream->profile->parts[PART_OUTPUT_TOTAL].paths;

	for (size_t i = 0; i < paths->count; i++)
		stream->out->conflict[paths->slot[i] / 64] |= UINT64_C(1) << (paths->slot[i] % 64);
}

bool
profile_stream(const struct profile *profile, struct bytes text, struct arena *arena, struct values *out, enum closing *closing,
    enum reason *reason, const char **field, struct bytes *value)
{
	struct found_values found;
	struct json_reader reader;
	struct stream stream = {.profile = profile, .arena = arena, .out = out, .reader = &reader, .found = &found};
	struct bytes rest = without_mark(text);
	bool read;

	values_clear(out);
	mark_identity(&stream, &profile->fields[FIELD_ID].paths);
	mark_identity(&stream, &profile->fields[FIELD_RESPONSE_ID].paths);
	while (rest.length > 0 && bytes_are_blank(rest.at, 1))
		rest = (struct bytes){rest.at + 1, rest.length - 1};
	if (text.length > PROFILE_STREAM_BYTES)
		read = fail(&stream, E_LINE_TOO_LONG, "", (struct bytes){NULL, 0});
	else if (rest.length > 0 && rest.at[0] == '[')
		read = read_list(&stream, rest);
	else if (rest.length > 0 && rest.at[0] == '{')
		read = read_lines(&stream, rest);
	else
		read = read_events(&stream, rest);
	if (read && !(stream.cut && stream.ended)) {
		if (stream.several && stream.unsummed)
			mark_unsummed(&stream);
		bool has_end = profile->end_text_count + profile->end_when_count > 0;

		*closing = stream.cut || (has_end && !stream.ended) ? CLOSING_CUT : CLOSING_WHOLE;
		return true;
	}
	*reason = stream.reason;
	*field = stream.field;
	*value = stream.value;
	return false;
}

/* Bytes that are no JSON.  A chunk that only breaks off may be the last of a stream that was cut. */
static bool
note_fault(struct stream *stream)
{
	const struct json_reader *reader = stream->reader;

	stream->cut = reader->cut;
	(void)fail(stream, json_reason(reader),
	    arena_format(stream->arena, "chunk %zu, %s", stream->chunks, json_place(reader, stream->arena)),
	    json_problem(reader));
	return stream->cut;
}

static bool
is_end_text(const struct profile *profile, struct bytes data)
{
	for (size_t i = 0; i < profile->end_text_count; i++)
		if (bytes_same(profile->end_texts[i], data))
			return true;
	return false;
}

/* Before every chunk; false where there must be none. */
static bool
begin_chunk(struct stream *stream)
{
	if (stream->cut)
		return false;
	if (++stream->chunks > STREAM_CHUNKS)
		return fail(stream, E_LINE_TOO_LONG, "", bytes_of("more than 1000000 chunks"));
	return true;
}

static bool
refuse_chunk(struct stream *stream, const struct json_value *value)
{
	return fail(stream, E_NOT_OBJECT, arena_format(stream->arena, "chunk %zu", stream->chunks), json_value_shown(value));
}

static bool
read_chunk(struct stream *stream, struct bytes data)
{
	struct json_value value;

	if (bytes_are_blank(data.at, data.length))
		return true;
	if (!begin_chunk(stream))
		return false;
	if (is_end_text(stream->profile, data)) {
		stream->ended = stream->finished = true;
		return true;
	}
	json_begin(stream->reader, data.at, data.length, 0, stream->arena);
	json_allow_depth(stream->reader, PROFILE_DEPTH);
	if (!json_value(stream->reader, &value))
		return note_fault(stream);
	if (value.type == VALUE_OBJECT)
		profile_walk(stream->profile->record, stream->reader, &value, stream->found);
	else if (value.type == VALUE_ARRAY)
		(void)json_leave(stream->reader);
	if (!json_end(stream->reader))
		return note_fault(stream);
	return value.type == VALUE_OBJECT ? merge(stream) : refuse_chunk(stream, &value);
}

/* The data of an event: of its lines "data: ..." the values with a line feed between them. */
static struct bytes
joined_data(struct stream *stream, struct bytes lines)
{
	char *joined = arena_take(stream->arena, lines.length + 1);
	size_t length = 0;
	struct bytes line, value;

	while (next_line(&lines, &line)) {
		if (!bytes_are(field_of(line, &value), "data"))
			continue;
		memcpy(joined + length, value.at, value.length);
		length += value.length;
		joined[length++] = '\n';
	}
	return (struct bytes){joined, length - 1};
}

/* WHATWG HTML, section 9.2.6.  There, an event that no empty line ends is dropped; here it is read, for the file may have been
 * trimmed, and what it counts was served. */
static bool
read_events(struct stream *stream, struct bytes text)
{
	const char *from = text.at;
	struct bytes line, value, data = {NULL, 0};
	size_t data_lines = 0;
	bool more = true;

	while (more) {
		more = next_line(&text, &line);
		if (more && line.length > 0) {
			if (bytes_are(field_of(line, &value), "data")) {
				data = value;
				data_lines++;
			}
			continue;
		}
		if (data_lines > 1)
			data = joined_data(stream, (struct bytes){from, (size_t)(text.at - from)});
		if (data_lines > 0 && !read_chunk(stream, data))
			return false;
		data_lines = 0;
		from = text.at;
	}
	return true;
}

static bool
read_lines(struct stream *stream, struct bytes text)
{
	struct bytes line;

	while (next_line(&text, &line))
		if (!read_chunk(stream, line))
			return false;
	return true;
}

/* An item of a list of chunks.  False where the bytes are at fault, too; that stays in the reader. */
static bool
read_item(struct stream *stream)
{
	struct json_value value;

	if (!begin_chunk(stream) || !json_value(stream->reader, &value))
		return false;
	if (value.type == VALUE_STRING && is_end_text(stream->profile, value.text)) {
		stream->ended = stream->finished = true;
		return true;
	}
	if (value.type != VALUE_OBJECT)
		return refuse_chunk(stream, &value);
	profile_walk(stream->profile->record, stream->reader, &value, stream->found);
	return stream->reader->fault == JSON_FAULT_NONE && merge(stream);
}

static bool
read_list(struct stream *stream, struct bytes text)
{
	struct json_value list;

	json_begin(stream->reader, text.at, text.length, 0, stream->arena);
	json_allow_depth(stream->reader, PROFILE_DEPTH);
	if (json_value(stream->reader, &list))
		while (json_item(stream->reader))
			if (!read_item(stream))
				break;
	if (stream->reason != REASON_NONE)
		return false;
	return json_end(stream->reader) || note_fault(stream);
}

/* A count as a whole number, or a measure in billionths. */
static bool
is_less(struct bytes one, struct bytes other, bool *less)
{
	int64_t first, second;

	if (count_parse(one, &first) != REASON_NONE || count_parse(other, &second) != REASON_NONE) {
		if (measure_parse(one, 9, &first) != REASON_NONE || measure_parse(other, 9, &second) != REASON_NONE)
			return false;
	}
	*less = first < second;
	return true;
}

static bool
is_zero(struct bytes number)
{
	int64_t value;

	return count_parse(number, &value) == REASON_NONE && value == 0;
}

static bool
is_number(const struct json_value *value)
{
	return value->type == VALUE_NUMBER || (value->type == VALUE_STRING && is_json_number(value->text));
}

static bool
is_same_text(const struct json_value *one, const struct json_value *other)
{
	return one->type == other->type && bytes_same(one->text, other->text);
}

static bool
is_long(const struct json_value *value)
{
	return value->text.length > NUMBER_BYTES;
}

/* Whether a count takes the place of an earlier one.  What was served cannot become less: a smaller count is a conflict, and a 0
 * behind a count only stands where the source had nothing to say. */
static bool
count_replaces(struct stream *stream, short slot, const struct json_value *now)
{
	const struct json_value *before = &stream->out->value[slot];
	bool less, beyond = is_long(before) || is_long(now);

	if (stream->profile->falls || (beyond && is_same_text(before, now)))
		return true;
	if (!beyond && (!is_number(before) || !is_number(now) || !is_less(now->text, before->text, &less) || !less))
		return true;
	if (beyond || !(is_zero(now->text) || (stream->several && stream->of_choice)))
		stream->out->conflict[slot / 64] |= UINT64_C(1) << (slot % 64);
	return false;
}

/* A value for a slot that has one. */
static bool
merge_value(struct stream *stream, short slot, const struct json_value *now)
{
	const struct slot *described = &stream->profile->slots[slot];
	struct json_value *before = &stream->out->value[slot];

	/* Some servers send empty texts in chunks that have nothing to say. */
	if (now->type == VALUE_STRING && now->text.length == 0)
		return true;
	if ((stream->identity[slot / 64] >> (slot % 64) & 1) != 0 && before->text.length > 0 && !is_same_text(before, now))
		return fail(stream, E_DETAIL_CONFLICT, described->path, now->text);
	if (!described->watched || count_replaces(stream, slot, now))
		*before = *now;
	return true;
}

static bool
merge_slot(struct stream *stream, short slot)
{
	const struct values *chunk = &stream->found->top;
	struct values *out = stream->out;

	if (!value_is_set(out, slot)) {
		out->set[slot / 64] |= UINT64_C(1) << (slot % 64);
		out->value[slot] = chunk->value[slot];
		out->count[slot] = chunk->count[slot];
		return true;
	}
	switch (stream->profile->slots[slot].kind) {
	case SLOT_VALUE:
		return merge_value(stream, slot, &chunk->value[slot]);
	case SLOT_COUNT:
		if (out->count[slot] < chunk->count[slot])
			out->count[slot] = chunk->count[slot];
		return true;
	case SLOT_RAW:
		out->value[slot] = chunk->value[slot];
		return true;
	case SLOT_OBJECT:
		return true;
	}
	return true;
}

static bool
counts_output(const struct profile *profile, const struct values *chunk)
{
	const struct paths *paths = &profile->parts[PART_OUTPUT_TOTAL].paths;

	for (size_t i = 0; i < paths->count; i++)
		if (value_is_set(chunk, paths->slot[i]))
			return true;
	return false;
}

/* Whose counts a chunk has.  With continuous usage each chunk counts its own choice: 5 of the first and 3 of the second are no count
 * that falls, and together neither 5 nor 3. */
static void
note_choice(struct stream *stream)
{
	const struct values *chunk = &stream->found->top;
	short slot = stream->profile->stream_choice;
	struct bytes choice;

	stream->of_choice = false;
	if (slot == NO_SLOT || !counts_output(stream->profile, chunk))
		return;
	stream->of_choice = stream->unsummed = value_is_set(chunk, slot);
	if (!stream->of_choice)
		return;
	choice = chunk->value[slot].text;
	if (stream->choice.length == 0)
		stream->choice = choice;
	else if (!bytes_same(choice, stream->choice))
		stream->several = true;
}

/* Two captures in one file, or an answer of another request behind the end of this one. */
static bool
is_behind_end(const struct stream *stream)
{
	const struct values *chunk = &stream->found->top;

	for (size_t slot = 0; stream->finished && slot < stream->profile->slot_count; slot++)
		if (stream->profile->slots[slot].watched && value_is_set(chunk, (short)slot))
			return true;
	return false;
}

static bool
merge(struct stream *stream)
{
	const struct values *chunk = &stream->found->top;
	const struct profile *profile = stream->profile;

	if (is_behind_end(stream))
		return fail(stream, E_DETAIL_CONFLICT, arena_format(stream->arena, "chunk %zu", stream->chunks),
		    bytes_of("counts behind the end of the stream"));
	note_choice(stream);
	for (size_t word = 0; word < SLOT_WORDS; word++) {
		stream->out->seen[word] |= chunk->seen[word];
		stream->out->conflict[word] |= chunk->conflict[word];
		for (uint64_t left = chunk->set[word]; left != 0; left &= left - 1)
			if (!merge_slot(stream, (short)(word * 64 + (size_t)__builtin_ctzll(left))))
				return false;
	}
	if (chunk->unknown_count != NULL)
		stream->out->unknown_count = chunk->unknown_count;
	for (size_t i = 0; i < profile->end_when_count && !stream->ended; i++)
		stream->ended = profile_holds(&profile->end_when[i], profile, chunk);
	return true;
}
