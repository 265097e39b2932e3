/*
 * profiles.h -- what the tests of usage formats share: a small description, a payload, and what became of it as one line.
 */
#ifndef TESTS_UNIT_INGEST_PROFILES_H
#define TESTS_UNIT_INGEST_PROFILES_H

#include "ingest/profile.h"
#include "tests/unit/ingest/records.h"

/* A description begins with this, and a payload with PAYLOAD. */
#define FORMAT "{\"tollbook_format\":1,\"format\":\"test\",\"title\":\"a test\",\"about\":\"of the tests\","
#define FIELDS                                                                                                                   \
	"\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\"},\"constants\":{\"operation\":"   \
	"\"chat\"},"
#define PAYLOAD "{\"id\":\"r-1\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m-1\","

/* One description and what it made of one payload. */
struct reading {
	struct arena arena;
	struct event_rules rules;
	struct profile *profile;
	struct profile_events events;
	struct record record;                          /* the first one */
	const struct profile_explanation *explanation; /* of it */
};

static inline void
reading_begin(struct reading *reading, const char *description)
{
	struct error err = {0};

	*reading = (struct reading){.rules = test_rules()};
	reading->rules.default_source = "/test";
	if (!profile_from_text(description, &reading->profile, &err)) {
		printf("\n    %s %s %s %s for %s\n", err.message, err.detail, err.field, err.value, description);
		must(false);
	}
}

static inline void
reading_of(struct reading *reading, const char *payload)
{
	profile_parse(reading->profile, &reading->rules, NULL, bytes_of(payload), true, &reading->arena, &reading->events);
	must(reading->events.count >= 1);
	reading->record = reading->events.records[0];
	reading->explanation = &reading->events.explanations[0];
}

static inline void
reading_end(struct reading *reading)
{
	profile_free(reading->profile);
	arena_release(&reading->arena);
}

/* "requests=1 output_text_tokens=5", or the code of the fault, its field and its value. */
static inline const char *
record_line(struct arena *arena, const struct record *record)
{
	const char *line = "";

	if (record->reason != REASON_NONE)
		return arena_format(arena, "%s %s %s", reason_code(record->reason), record->field, text_of(arena, record->value));
	for (size_t i = 0; i < record->event.quantity_count; i++) {
		const struct meter *meter = meter_of(record->event.quantities[i].meter);
		char shown[DECIMAL_TEXT];

		line = arena_format(arena, "%s%s%s=%s", line, i == 0 ? "" : " ", meter->name,
		    meter_format(meter, record->event.quantities[i].quantity, shown));
	}
	return line;
}

static inline const char *
flags_line(struct arena *arena, const struct record *record)
{
	char flags[512];

	return arena_format(arena, "%s", flags_format(record->event.flags, flags, sizeof flags));
}

/* What `formats try` would say of a name: "value (from)"; "" where it says nothing. */
static inline const char *
explained(struct reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->explanation->count; i++) {
		const struct profile_reason *item = &reading->explanation->items[i];

		if (strcmp(item->name, name) == 0)
			return arena_format(&reading->arena, "%s (%s)", text_of(&reading->arena, item->value), item->from);
	}
	return "";
}

/* What a description makes of a payload. */
#define EXPECT_READ(description, payload, wanted)                                                                                \
	do {                                                                                                                     \
		struct reading expected_reading;                                                                                 \
		reading_begin(&expected_reading, description);                                                                   \
		reading_of(&expected_reading, payload);                                                                          \
		EXPECT_TEXT(record_line(&expected_reading.arena, &expected_reading.record), wanted);                             \
		reading_end(&expected_reading);                                                                                  \
	} while (0)
#define EXPECT_FLAGS(description, payload, wanted)                                                                               \
	do {                                                                                                                     \
		struct reading expected_reading;                                                                                 \
		reading_begin(&expected_reading, description);                                                                   \
		reading_of(&expected_reading, payload);                                                                          \
		EXPECT_REASON(expected_reading.record, REASON_NONE, payload);                                                    \
		EXPECT_TEXT(flags_line(&expected_reading.arena, &expected_reading.record), wanted);                              \
		reading_end(&expected_reading);                                                                                  \
	} while (0)

#endif
