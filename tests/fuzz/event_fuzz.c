/*
 * event_fuzz.c -- any bytes as a JSON record: what is accepted must be an event that can be booked.
 */
#include <string.h>

#include "ingest/event_json.h"
#include "ingest/record_format.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

static bool
is_inside(struct bytes part, const char *bytes, size_t length)
{
	return part.at >= bytes && part.at + part.length <= bytes + length;
}

static void
check_key(struct bytes key)
{
	must(key.length > 0 && key_check(key) == REASON_NONE);
}

static void
check_text(struct bytes text)
{
	size_t at;
	bool cut;

	must(utf8_check(text.at, text.length, &at, &cut));
	for (size_t i = 0; i < text.length; i++)
		must((unsigned char)text.at[i] >= 0x20);
}

static void
check_quantities(const struct usage_event *event)
{
	for (size_t i = 0; i < event->quantity_count; i++) {
		must(event->quantities[i].quantity >= 0);
		must(event->quantities[i].meter > 0 && event->quantities[i].meter < METER_LIMIT);
		must(i == 0 || event->quantities[i - 1].meter < event->quantities[i].meter);
	}
	must(event->quantity_count > 0 || event->kind == EVENT_VOID);
}

static void
check_accepted(const struct usage_event *event, const struct event_rules *rules)
{
	check_key(event->source);
	check_key(event->id);
	check_key(event->series[SERIES_TENANT]);
	for (int i = 0; i < SERIES_FIELDS; i++)
		check_text(event->series[i]);
	check_quantities(event);
	must(event->context_input_tokens >= -1);
	must(event->time.us <= rules->now.us + 300 * INT64_C(1000000));
	must(event->time.us >= rules->now.us - rules->late_days * INT64_C(86400000000));
	must((event->kind == EVENT_USAGE) == (event->ref_id.length == 0));
}

/* The same bytes as JSON without their blanks around it, and as they would be read from quarantine. */
static void
check_again(const struct event_rules *rules, struct bytes raw, const struct record *first)
{
	struct arena arena = {0};
	struct profile_events again;
	struct error err;

	must(record_parse("json", rules, raw, NULL, 1, &arena, &again, &err));
	must(again.count == 1 && again.records->reason == first->reason);
	must(memcmp(&again.records->event.event_id, &first->event.event_id, sizeof first->event.event_id) == 0);
	must(memcmp(&again.records->event.content, &first->event.content, sizeof first->event.content) == 0);
	arena_release(&arena);
}

/* A prefix of a good record is never a good record. */
static void
check_prefix(const struct event_rules *rules, struct bytes raw)
{
	struct arena arena = {0};
	struct record record;
	size_t length = raw.length;

	while (length > 0 && strchr(" \t\r\n", raw.at[length - 1]) != NULL)
		length--;
	event_parse(rules, raw.at, length - 1, &arena, &record);
	must(record.reason == E_JSON && event_is_cut(raw.at, length - 1, &arena));
	arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	struct event_rules rules = event_rules_default((struct instant){INT64_C(1793836800000000)});
	struct arena arena = {0};
	struct record record;
	struct bytes raw = {arena_copy(&arena, (const char *)input, size), size};

	event_parse(&rules, raw.at, raw.length, &arena, &record);
	must(record.field != NULL && record.value.length <= 128);
	if (record.reason == REASON_NONE) {
		check_accepted(&record.event, &rules);
		check_prefix(&rules, raw);
		must(!event_is_cut(raw.at, raw.length, &arena));
		must(record.event.context.length == 0 || !is_inside(record.event.context, raw.at, raw.length));
	}
	if (reason_outcome(record.reason) != OUTCOME_REJECTED)
		check_again(&rules, raw, &record);
	arena_release(&arena);
	return 0;
}
