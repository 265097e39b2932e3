/*
 * shared_samples_test.c -- the sample files of the project's shared material give the records that are expected of them.
 *
 * They lie in $TOLLBOOK_SHARED, by default ../shared.  Where the expected result is one that only the ledger can give (a
 * duplicate, a conflict, an unknown original) the reader must accept the record.
 */
#include <jansson.h>
#include <sys/stat.h>

#include "ingest/reader.h"
#include "tests/unit/ingest/records.h"

static const char *
shared_path(struct arena *arena, const char *name)
{
	const char *folder = getenv("TOLLBOOK_SHARED");

	return arena_format(arena, "%s/samples/%s", folder == NULL ? "../shared" : folder, name);
}

static bool
is_ledgers(const char *code)
{
	return strcmp(code, "E_KEY_CONFLICT") == 0 || strcmp(code, "E_REF_UNKNOWN") == 0 || strcmp(code, "E_REF_FORK") == 0;
}

static const char *
text_at(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text == NULL ? "" : text;
}

static unsigned
flag_of(const char *name)
{
	char one[64];

	for (unsigned bit = 0; bit < 31; bit++)
		if (strcmp(flags_format(1U << bit, one, sizeof one), name) == 0)
			return 1U << bit;
	printf("\n    no flag %s\n", name);
	CU_FAIL("unknown flag");
	return 0;
}

/* What the reader must have made of it: reason and flags. */
static void
expect_outcome(const json_t *result, const struct record *record)
{
	const char *code = text_at(result, "code");
	unsigned flags = 0;
	size_t i;
	json_t *flag;

	if (is_ledgers(code))
		code = "";
	if (strcmp(code, reason_code(record->reason)) != 0)
		printf("\n    record %llu: %s (%s) instead of \"%s\"\n", (unsigned long long)record->number,
		    reason_code(record->reason), record->field, code);
	CU_ASSERT_STRING_EQUAL(reason_code(record->reason), code);
	if (record->reason != REASON_NONE)
		return;
	json_array_foreach(json_object_get(result, "flags"), i,
	    flag) if (strcmp(json_string_value(flag), "F_TIME_RESTAMPED") != 0) flags |= flag_of(json_string_value(flag));
	if (record->event.flags != flags)
		printf("\n    record %llu: flags %x instead of %x\n", (unsigned long long)record->number, record->event.flags,
		    flags);
	CU_ASSERT_EQUAL(record->event.flags, flags);
}

static void
expect_text(struct arena *arena, struct bytes got, const json_t *object, const char *key)
{
	EXPECT_TEXT(text_of(arena, got), text_at(object, key));
}

static void
expect_quantities(const json_t *wanted, const struct usage_event *event)
{
	const char *name;
	json_t *value;

	CU_ASSERT_EQUAL(json_object_size(wanted), event->quantity_count);
	json_object_foreach((json_t *)(uintptr_t)wanted, name, value)
	{
		const struct meter *meter = meter_find(name, strlen(name));
		struct error err;
		struct decimal exact = {0};

		CU_ASSERT_PTR_NOT_NULL_FATAL(meter);
		if (json_is_integer(value)) {
			CU_ASSERT_EQUAL(quantity_of(event, meter->id), json_integer_value(value));
			continue;
		}
		CU_ASSERT(decimal_parse(json_string_value(value), json_string_length(value), &exact, &err));
		CU_ASSERT(exact.e18 == (i128)quantity_of(event, meter->id) * 1000000000);
	}
}

static void
expect_series(struct arena *arena, const json_t *event, const struct bytes *series)
{
	const json_t *data = json_object_get(event, "data"), *adapter = json_object_get(data, "adapter");

	expect_text(arena, series[SERIES_TENANT], event, "subject");
	expect_text(arena, series[SERIES_MODEL], data, "model");
	expect_text(arena, series[SERIES_BASE_MODEL], data, "base_model");
	expect_text(arena, series[SERIES_PROVIDER], data, "provider");
	expect_text(arena, series[SERIES_OPERATION], data, "operation");
	expect_text(arena, series[SERIES_SERVICE_TIER], data, "service_tier");
	expect_text(arena, series[SERIES_STATUS], data, "status");
	expect_text(arena, series[SERIES_REGION], data, "region");
	expect_text(arena, series[SERIES_DEPLOYMENT], data, "deployment");
	expect_text(arena, series[SERIES_METHOD], json_object_get(data, "measurement"), "method");
	expect_text(arena, series[SERIES_ADAPTER_KIND], adapter, "kind");
	expect_text(arena, series[SERIES_ADAPTER], adapter, "id");
}

static void
expect_event(struct arena *arena, const json_t *event, const struct usage_event *got)
{
	static const char *const kinds[] = {[EVENT_USAGE] = "usage", [EVENT_CORRECTION] = "correction", [EVENT_VOID] = "void"};
	const json_t *data = json_object_get(event, "data"), *context = json_object_get(data, "context_input_tokens");
	char time[INSTANT_TEXT];

	expect_text(arena, got->source, event, "source");
	expect_text(arena, got->id, event, "id");
	EXPECT_TEXT(instant_format(got->time, time), text_at(event, "time"));
	EXPECT_TEXT(kinds[got->kind], text_at(data, "kind"));
	expect_text(arena, got->ref_source, json_object_get(data, "ref"), "source");
	expect_text(arena, got->ref_id, json_object_get(data, "ref"), "id");
	expect_series(arena, event, got->series);
	CU_ASSERT_EQUAL(got->context_input_tokens, context == NULL ? -1 : json_integer_value(context));
	expect_quantities(json_object_get(data, "quantities"), got);
}

static void
expect_result(struct arena *arena, const json_t *result, const struct record *record)
{
	const char *stored = text_at(json_object_get(result, "stored"), "time");
	const json_t *event = json_array_get(json_object_get(result, "events"), 0);
	char time[INSTANT_TEXT];

	CU_ASSERT_EQUAL((json_int_t)record->number, json_integer_value(json_object_get(result, "record")));
	expect_outcome(result, record);
	if (stored[0] != '\0')
		EXPECT_TEXT(instant_format(record->event.time, time), stored);
	if (event != NULL)
		expect_event(arena, event, &record->event);
}

static void
expect_records(struct arena *arena, const char *path, const json_t *expected)
{
	const json_t *results = json_object_get(expected, "results");
	struct reader_options options = {0};
	struct reader *reader;
	struct record record;
	struct error err;
	size_t count = 0;
	bool end;

	CU_ASSERT_FATAL(instant_option(text_at(json_object_get(expected, "context"), "now"), &options.rules.now, &err));
	options.rules = event_rules_default(options.rules.now);
	CU_ASSERT_FATAL(reader_open(path, &options, &reader, &err));
	for (;;) {
		CU_ASSERT_FATAL(reader_next(reader, arena, &record, &end, &err));
		if (end)
			break;
		expect_result(arena, json_array_get(results, count++), &record);
	}
	CU_ASSERT_EQUAL(count, json_array_size(results));
	CU_ASSERT(count > 0);
	reader_close(reader);
}

static void
expect_sample(const char *name)
{
	struct arena arena = {0};
	const char *path = shared_path(&arena, arena_format(&arena, "%s.ndjson", name));
	const char *expected_path = shared_path(&arena, arena_format(&arena, "%s.expected.json", name));
	json_error_t problem;
	struct stat status;
	json_t *expected;

	if (stat(path, &status) != 0) {
		printf("\nSKIPPED: there is no %s: set TOLLBOOK_SHARED\n", path);
		arena_release(&arena);
		return;
	}
	expected = json_load_file(expected_path, 0, &problem);
	CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
	expect_records(&arena, path, expected);
	json_decref(expected);
	arena_release(&arena);
}

static void
nasty_lines_end_as_expected(void)
{
	expect_sample("nasty-lines");
}

static void
canonical_events_end_as_expected(void)
{
	expect_sample("tollbook-canonical");
}

static void
structured_cloudevents_end_as_expected(void)
{
	expect_sample("cloudevents-structured");
}

UNIT_TESTS("ingest/shared_samples", TEST(nasty_lines_end_as_expected), TEST(canonical_events_end_as_expected),
    TEST(structured_cloudevents_end_as_expected))
