/*
 * profile_fuzz.c -- any bytes as a record of a compiled-in format, which the last byte chooses: what is accepted must be an
 * event that can be booked, whose meters add up to what the source reported, and each event is read again from what is kept of it.
 *
 * Who, when and whose are given as a user would give them, so that the counts are come to.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/profile.h"
#include "ledger/meter.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

enum { FORMATS_MOST = 256 };

#define POSITION "fuzz:1"

static const struct profile *
profile_of(unsigned char chosen)
{
	static const char *const constants[] = {
	    "tenant=acme", "source=/fuzz", "time=2026-11-03T10:00:00Z", "model=m-1", "operation=chat"};
	static const struct profile_wishes wishes = {.constants = constants, .constant_count = 5};
	static struct profile *profiles[FORMATS_MOST];
	size_t place = chosen % profile_source_count;
	struct error err;

	must(profile_source_count <= FORMATS_MOST);
	if (profiles[place] == NULL)
		must(profile_open(profile_sources[place].name, &wishes, &profiles[place], &err));
	return profiles[place];
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
check_accepted(const struct usage_event *event, const struct event_rules *rules)
{
	must(event->source.length > 0 && key_check(event->source) == REASON_NONE);
	must(event->id.length > 0 && key_check(event->id) == REASON_NONE);
	must(event->series[SERIES_TENANT].length > 0 && key_check(event->series[SERIES_TENANT]) == REASON_NONE);
	check_text(event->id);
	for (int i = 0; i < SERIES_FIELDS; i++)
		check_text(event->series[i]);
	for (size_t i = 0; i < event->quantity_count; i++) {
		must(event->quantities[i].quantity >= 0);
		must(event->quantities[i].meter > 0 && event->quantities[i].meter < METER_LIMIT);
		must(i == 0 || event->quantities[i - 1].meter < event->quantities[i].meter);
	}
	must(event->quantity_count > 0 || event->kind == EVENT_VOID);
	must(event->context_input_tokens >= -1);
	must(event->time.us <= rules->now.us + 300 * INT64_C(1000000));
	must(event->time.us >= rules->now.us - rules->late_days * INT64_C(86400000000));
	must((event->kind == EVENT_USAGE) == (event->ref_id.length == 0));
}

static int64_t
sum_of(const struct usage_event *event, enum meter_side side)
{
	int64_t sum = 0;

	for (size_t i = 0; i < event->quantity_count; i++)
		if (meter_of(event->quantities[i].meter)->side == side)
			must(!__builtin_add_overflow(sum, event->quantities[i].quantity, &sum));
	return sum;
}

static bool
is_named(const struct profile_reason *reason, const char *name)
{
	return strcmp(reason->name, name) == 0;
}

/* Every token that the source says it counted is in exactly one meter. */
static void
check_sums(const struct usage_event *event, const struct profile_explanation *explanation)
{
	struct bytes served = event->series[SERIES_SERVED_FROM];

	if (served.length == strlen("gateway_cache") && memcmp(served.at, "gateway_cache", served.length) == 0)
		return;
	for (size_t i = 0; i < explanation->count; i++) {
		const struct profile_reason *reason = &explanation->items[i];
		char digits[32] = "";

		if (!is_named(reason, "reported.input_tokens") && !is_named(reason, "reported.output_tokens"))
			continue;
		must(reason->value.length < sizeof digits);
		memcpy(digits, reason->value.at, reason->value.length);
		must(sum_of(event, is_named(reason, "reported.input_tokens") ? METER_SIDE_INPUT : METER_SIDE_OUTPUT) ==
		    strtoll(digits, NULL, 10));
	}
}

/* The position that an event's id was made of, or the record's. */
static const char *
position_of(const struct record *record, struct arena *arena)
{
	struct bytes id = record->event.id;
	const char *text, *suffix;

	if (record->reason != REASON_NONE || id.length < strlen(POSITION) || memcmp(id.at, POSITION, strlen(POSITION)) != 0)
		return POSITION;
	text = arena_copy(arena, id.at, id.length);
	suffix = strstr(text, "/it");
	return suffix == NULL ? text : arena_copy(arena, text, (size_t)(suffix - text));
}

static bool
is_same_event(const struct record *one, const struct record *other)
{
	return one->reason == other->reason &&
	    memcmp(&one->event.event_id, &other->event.event_id, sizeof one->event.event_id) == 0 &&
	    memcmp(&one->event.content, &other->event.content, sizeof one->event.content) == 0;
}

static void
check_again(const struct profile *profile, struct event_rules rules, const struct record *first)
{
	struct arena arena = {0};
	struct profile_events again;
	bool found = false;

	rules.position_id = position_of(first, &arena);
	profile_parse(profile, &rules, NULL, first->raw, false, &arena, &again);
	for (size_t i = 0; i < again.count; i++)
		found = found || is_same_event(first, &again.records[i]) ||
		    (first->reason != REASON_NONE && first->reason == again.records[i].reason);
	must(found && again.explanations == NULL);
	arena_release(&arena);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	struct event_rules rules = event_rules_default((struct instant){INT64_C(1793836800000000)});
	const struct profile *profile;
	struct arena arena = {0};
	struct profile_events events;
	struct bytes raw;

	if (size == 0)
		return 0;
	rules.position_id = POSITION;
	profile = profile_of(input[size - 1]);
	raw = (struct bytes){arena_copy(&arena, (const char *)input, size - 1), size - 1};
	profile_parse(profile, &rules, NULL, raw, true, &arena, &events);
	must(events.count >= 1 && events.count <= PROFILE_EVENTS && events.explanations != NULL);
	for (size_t i = 0; i < events.count; i++) {
		const struct record *record = &events.records[i];

		must(record->field != NULL && record->value.length <= 128 && record->raw_length == record->raw.length);
		if (record->reason == REASON_NONE) {
			check_accepted(&record->event, &rules);
			check_sums(&record->event, &events.explanations[i]);
		}
		if (i < 8)
			check_again(profile, rules, record);
	}
	arena_release(&arena);
	return 0;
}
