/*
 * message_fuzz.c -- any headers and value as a Kafka message: what is accepted must be an event that can be booked, nothing
 * of the message is needed afterwards, and what was kept is read again as it was read first.
 *
 * The input is lines "name: value" (a line without a colon is a header without a value; "key: ..." is the key), an empty
 * line, and the value; without the empty line the message has no value.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/event_json.h"
#include "ingest/message.h"
#include "ingest/record_format.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

enum { HEADERS_ROOM = HEADERS_MAX + 8 };

static void
add_line(struct message *message, struct message_header *headers, struct bytes line)
{
	const char *colon = memchr(line.at, ':', line.length);
	struct message_header header = {.name = line};

	if (colon != NULL) {
		header.name.length = (size_t)(colon - line.at);
		header.value = (struct bytes){colon + 1, line.length - header.name.length - 1};
		header.has_value = true;
		if (header.value.length > 0 && header.value.at[0] == ' ') {
			header.value.at++;
			header.value.length--;
		}
	}
	if (header.name.length == 3 && memcmp(header.name.at, "key", 3) == 0) {
		message->envelope.key = header.value;
		message->envelope.has_key = header.has_value;
	} else if (message->envelope.header_count < HEADERS_ROOM) {
		headers[message->envelope.header_count++] = header;
	}
}

/* Splits the input; the parts point into it. */
static void
split(struct message *message, struct message_header *headers, const char *bytes, size_t size)
{
	const char *at = bytes, *end = bytes + size;

	message->envelope.headers = headers;
	while (at < end) {
		const char *found = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = found == NULL ? end : found;

		if (line_end == at) {
			message->has_value = true;
			message->value = (struct bytes){at + 1, (size_t)(end - at) - 1};
			return;
		}
		add_line(message, headers, (struct bytes){at, (size_t)(line_end - at)});
		at = found == NULL ? end : found + 1;
	}
}

static void
check_key(struct bytes key)
{
	size_t at;
	bool cut;

	must(key.length > 0 && key_check(key) == REASON_NONE);
	must(utf8_check(key.at, key.length, &at, &cut));
}

static void
check_accepted(const struct usage_event *event, const struct event_rules *rules)
{
	check_key(event->source);
	check_key(event->id);
	check_key(event->series[SERIES_TENANT]);
	for (size_t i = 0; i < event->quantity_count; i++)
		must(event->quantities[i].quantity >= 0);
	must(event->quantity_count > 0 || event->kind == EVENT_VOID);
	must(event->time.us <= rules->now.us + 300 * INT64_C(1000000));
	must(event->time.us >= rules->now.us - rules->late_days * INT64_C(86400000000));
}

static size_t
touched(const struct envelope *envelope)
{
	size_t sum = 0;

	for (size_t i = 0; i < envelope->key.length; i++)
		sum += (unsigned char)envelope->key.at[i];
	for (size_t i = 0; i < envelope->header_count; i++) {
		must(envelope->headers[i].has_value || envelope->headers[i].value.length == 0);
		for (size_t at = 0; at < envelope->headers[i].name.length; at++)
			sum += (unsigned char)envelope->headers[i].name.at[at];
		for (size_t at = 0; at < envelope->headers[i].value.length; at++)
			sum += (unsigned char)envelope->headers[i].value.at[at];
	}
	return sum;
}

static void
check_again(const struct event_rules *rules, const struct record *first)
{
	struct arena arena = {0};
	struct profile_events events;
	const struct record *again;
	struct error err;

	must(record_parse("kafka lkc/usage/3 00ff", rules, first->raw, first->envelope, first->number, &arena, &events, &err));
	must(events.count == 1);
	again = events.records;
	must(again->reason == first->reason && strcmp(again->field, first->field) == 0 && again->number == first->number);
	must(memcmp(&again->event.event_id, &first->event.event_id, sizeof first->event.event_id) == 0);
	must(memcmp(&again->event.content, &first->event.content, sizeof first->event.content) == 0);
	must(touched(again->envelope) == touched(first->envelope));
	arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	struct event_rules rules = event_rules_default((struct instant){INT64_C(1793836800000000)});
	struct message_header headers[HEADERS_ROOM];
	struct message message = {.offset = 42};
	struct arena arena = {0};
	struct record record;
	char *bytes = memory_new(size + 1, 1);

	if (size > 0)
		memcpy(bytes, input, size);
	split(&message, headers, bytes, size);
	message_parse(&rules, &message, &arena, &record);
	must((record.reason == N_TOMBSTONE) == !message.has_value);
	must(record.raw_length == message.value.length && record.number == 42);
	/* The message goes away. */
	memset(headers, 0xff, sizeof headers);
	free(bytes);
	must(record.field != NULL && record.value.length <= 128 && record.envelope != NULL && record.reason != N_BLANK);
	if (record.reason == REASON_NONE)
		check_accepted(&record.event, &rules);
	if (record.reason != N_TOMBSTONE && record.raw_length == record.raw.length)
		check_again(&rules, &record);
	arena_release(&arena);
	return 0;
}
