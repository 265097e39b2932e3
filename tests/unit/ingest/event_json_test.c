/* event_json_test.c -- one JSON object to one record: every reason and flag that a single record can get. */
#include "ingest/event_json.h"

#include "tests/unit/ingest/records.h"

/* A good event with `from` made `to` ends in `reason`, about `field`. */
struct fault {
	const char *from, *to;
	enum reason reason;
	const char *field;
};

#define COUNT "\"input_text_uncached_tokens\":10"
#define COUNT_PATH "data.quantities.input_text_uncached_tokens"
#define MODEL "\"model\":\"m-1\""
#define TIME "\"2026-11-03T10:00:00Z\""
#define DATA_END "}}}"
#define LONG_ID                                                                                                                  \
	"123456789012345678901234567890123456789012345678901234567890"                                                           \
	"123456789012345678901234567890123456789012345678901234567890"                                                           \
	"123456789012345678901234567890123456789012345678901234567890"                                                           \
	"123456789012345678901234567890123456789012345678901234567890123456" /* 246 bytes */

static const struct fault canonical_faults[] = {
    {"acme", "ac\xff", E_UTF8, "byte"},
    {"m-1", "\\ud800", E_UTF8, "byte"},
    {"m-1", "\\u0000", E_NUL, "byte"},
    {"10,", "010,", E_JSON, "byte"},
    {DATA_END, DATA_END "{}", E_JSON, "byte"},
    {"\"m-1\"", "[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]", E_DEPTH, "byte"},
    {"\"source\":\"/gw\"", "\"\\u0069d\":\"x\"", E_DUPLICATE_KEY, "byte"},
    {COUNT, COUNT "," COUNT, E_DUPLICATE_KEY, "byte"},

    {"\"specversion\":\"1.0\",", "", E_NOT_CLOUDEVENT, ""},
    {"\"1.0\"", "null", E_NOT_CLOUDEVENT, ""},
    {"\"1.0\"", "\"0.3\"", E_SPECVERSION, "specversion"},
    {"\"1.0\"", "1.0", E_SPECVERSION, "specversion"},
    {"\"type\":\"tollbook.usage.v1\",", "", E_NOT_CLOUDEVENT, "type"},
    {"\"tollbook.usage.v1\"", "7", E_TYPE, "type"},
    {"tollbook.usage.v1", "com.example.other", N_NOT_USAGE, "type"},
    {"\"id\"", "\"idempotency_key\":\"x\",\"id\"", E_VALUE, "idempotency_key"},

    {"\"id\":\"e-1\",", "", E_ID_MISSING, "id"},
    {"\"e-1\"", "null", E_ID_MISSING, "id"},
    {"\"e-1\"", "\"\"", E_ID_MISSING, "id"},
    {"\"e-1\"", "12345", E_TYPE, "id"},
    {"e-1", "None", E_ID_PLACEHOLDER, "id"},
    {"e-1", "NULL", E_ID_PLACEHOLDER, "id"},
    {"e-1", "n/a", E_ID_PLACEHOLDER, "id"},
    {"e-1", "0", E_ID_PLACEHOLDER, "id"},
    {"e-1", LONG_ID "12345678901", E_ID_TOO_LONG, "id"},
    {"e-1", "e-1 ", E_ID_CHARS, "id"},
    {"e-1", " e-1", E_ID_CHARS, "id"},
    {"e-1", "e\\n1", E_ID_CHARS, "id"},
    {"e-1", "e\x7f", E_ID_CHARS, "id"},
    {"\"source\":\"/gw\",", "", E_SOURCE_MISSING, "source"},
    {"\"/gw\"", "[]", E_TYPE, "source"},
    {"/gw", "/gw\\u0009", E_ID_CHARS, "source"},
    {"\"subject\":\"acme\",", "", E_SUBJECT_MISSING, "subject"},
    {"acme", "", E_SUBJECT_MISSING, "subject"},
    {"acme", "acme\\n", E_SUBJECT_CHARS, "subject"},
    {"acme", LONG_ID "12345678901", E_ID_TOO_LONG, "subject"},
    {"\"time\":" TIME ",", "", E_TIME_MISSING, "time"},
    {TIME, "null", E_TIME_MISSING, "time"},
    {TIME, "1793700000000", E_TYPE, "time"},
    {TIME, "\"1793700000\"", E_TIME_FORMAT, "time"},
    {TIME, "\"now\"", E_TIME_FORMAT, "time"},
    {"03T10:00:00Z", "03 10:00:00Z", E_TIME_FORMAT, "time"},
    {"00Z", "00", E_TIME_NO_ZONE, "time"},
    {"11-03T10", "11-31T10", E_TIME_RANGE, "time"},
    {"T10:00:00Z", "T10:00:60Z", E_TIME_RANGE, "time"},
    {"2026-11-03T", "2019-12-31T", E_TIME_RANGE, "time"},
    {"11-03T10:00:00Z", "11-05T00:05:01Z", E_TIME_FUTURE, "time"},
    {"2026-11-03T", "2025-09-30T", E_TIME_LATE, "time"},

    {"\"operation\":\"chat\",", "", E_VALUE, "data.operation"},
    {"\"chat\"", "7", E_TYPE, "data.operation"},
    {"chat", "", E_VALUE, "data.operation"},
    {"chat", "ch\\u0001at", E_VALUE, "data.operation"},
    {"chat", LONG_ID "12345678901", E_VALUE, "data.operation"},
    {MODEL ",", "", E_MODEL_MISSING, "data.model"},
    {"m-1", "", E_MODEL_MISSING, "data.model"},
    {"\"m-1\"", "null", E_MODEL_MISSING, "data.model"},
    {MODEL, "\"deployment\":\"d\"", E_MODEL_MISSING, "data.model"}, /* tokens are there */
    {MODEL, MODEL ",\"speed\":\"warp\"", E_VALUE, "data.speed"},
    {MODEL, MODEL ",\"status\":\"done\"", E_VALUE, "data.status"},
    {MODEL, MODEL ",\"status\":1", E_TYPE, "data.status"},
    {MODEL, MODEL ",\"served_from\":\"moon\"", E_VALUE, "data.served_from"},
    {MODEL, MODEL ",\"adapter\":\"x\"", E_TYPE, "data.adapter"},
    {MODEL, MODEL ",\"adapter\":{\"kind\":\"lora\"}", E_VALUE, "data.adapter.id"},
    {MODEL, MODEL ",\"adapter\":{\"kind\":\"qlora\",\"id\":\"a\"}", E_VALUE, "data.adapter.kind"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"provider\"}", E_VALUE, "data.measurement.complete"},
    {MODEL, MODEL ",\"measurement\":{\"complete\":true}", E_VALUE, "data.measurement.method"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"guess\",\"complete\":true}", E_VALUE, "data.measurement.method"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"none\",\"complete\":1}", E_TYPE, "data.measurement.complete"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"none\",\"complete\":true,\"unknown\":[\"smell\"]}", E_VALUE,
	"data.measurement.unknown"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"none\",\"complete\":true,\"unknown\":[\"audio\",\"audio\"]}", E_VALUE,
	"data.measurement.unknown"},
    {MODEL, MODEL ",\"measurement\":{\"method\":\"none\",\"complete\":true,\"unknown\":\"audio\"}", E_TYPE,
	"data.measurement.unknown"},
    {MODEL, MODEL ",\"attribution\":[]", E_TYPE, "data.attribution"},
    {MODEL, MODEL ",\"attribution\":{\"project_id\":{}}", E_TYPE, "data.attribution.project_id"},
    {MODEL, MODEL ",\"trace\":\"r-1\"", E_TYPE, "data.trace"},

    {MODEL, MODEL ",\"kind\":\"refund\"", E_VALUE, "data.kind"},
    {MODEL, MODEL ",\"kind\":2", E_TYPE, "data.kind"},
    {MODEL, MODEL ",\"kind\":\"correction\"", E_REF_MISSING, "data.ref"},
    {MODEL, MODEL ",\"kind\":\"correction\",\"ref\":{\"source\":\"/gw\"}", E_REF_MISSING, "data.ref"},
    {MODEL, MODEL ",\"kind\":\"correction\",\"ref\":{\"source\":\"/gw\",\"id\":\"\"}", E_REF_MISSING, "data.ref"},
    {MODEL, MODEL ",\"kind\":\"correction\",\"ref\":{\"source\":\"/gw\",\"id\":\"e 0 \"}", E_VALUE, "data.ref.id"},
    {MODEL, MODEL ",\"kind\":\"correction\",\"ref\":{\"source\":\"/gw\",\"id\":\"e0\",\"subject\":\"b\"}", E_VALUE, "data.ref"},
    {MODEL, MODEL ",\"ref\":{\"source\":\"/gw\",\"id\":\"e-0\"}", E_VALUE, "data.ref"},
    {MODEL, MODEL ",\"kind\":\"void\",\"ref\":{\"source\":\"/gw\",\"id\":\"e-0\"}", E_VALUE, "data.quantities"},

    {COUNT, "\"input_text_uncached_tokens\":\"10\"", E_TYPE, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":true", E_TYPE, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":10.5", E_NOT_INTEGER, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":-1", E_NEGATIVE, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":9007199254740993.0", E_RANGE, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":1e400", E_RANGE, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":null", E_COUNT_NULL, COUNT_PATH},
    {COUNT, "\"input_text_uncached_tokens\":9007199254740991", E_IMPLAUSIBLE, "input_text_uncached_tokens"},
    {COUNT, "\"input_text_uncached_tokens\":1000000001", E_IMPLAUSIBLE, "input_text_uncached_tokens"},
    {COUNT, "\"input_smell_tokens\":1", E_UNKNOWN_METER, "data.quantities"},
    {COUNT, "\"gpu_seconds\":1.5", E_TYPE, "data.quantities.gpu_seconds"},
    {COUNT, "\"gpu_seconds\":\"1e3\"", E_DECIMAL, "data.quantities.gpu_seconds"},
    {COUNT, "\"gpu_seconds\":\"99999999999.5\"", E_RANGE, "data.quantities.gpu_seconds"},
    {COUNT, "\"gpu_seconds\":\"1000000000.000000001\"", E_IMPLAUSIBLE, "gpu_seconds"},
    {"{\"requests\":1," COUNT ",\"output_text_tokens\":5}", "{}", E_USAGE_MISSING, "data.quantities"},
    {"{\"requests\":1," COUNT ",\"output_text_tokens\":5}", "null", E_USAGE_MISSING, "data.quantities"},
    {"{\"requests\":1," COUNT ",\"output_text_tokens\":5}", "[]", E_TYPE, "data.quantities"},
    {MODEL, MODEL ",\"context_input_tokens\":2000000000", E_IMPLAUSIBLE, "data.context_input_tokens"},
    {MODEL, MODEL ",\"reported\":{\"input_tokens\":11}", E_TOTAL_UNEXPLAINED, "data.reported.input_tokens"},
    {MODEL, MODEL ",\"reported\":{\"output_tokens\":4}", E_TOTAL_UNEXPLAINED, "data.reported.output_tokens"},
    {MODEL, MODEL ",\"reported\":{\"input_tokens\":\"10\"}", E_TYPE, "data.reported.input_tokens"},

    /* Of two faults the more basic one is told. */
    {"\"subject\":\"acme\",\"data\"", "\"id2\":NaN,\"data\"", E_JSON, "byte"},
    {"\"id\":\"e-1\",\"time\":" TIME ",\"subject\":\"acme\",", "\"time\":" TIME ",", E_ID_MISSING, "id"},
    {"\"subject\":\"acme\",\"data\":{\"operation\":\"chat\"", "\"data\":{\"operation\":7", E_TYPE, "data.operation"},
    {MODEL ",\"quantities\":{\"requests\":1", "\"quantities\":{\"requests\":-1", E_NEGATIVE, "data.quantities.requests"},
    {MODEL ",\"quantities\":{\"requests\":1", "\"quantities\":{\"requests\":9999999999", E_MODEL_MISSING, "data.model"},
};

static const struct fault short_faults[] = {
    {"\"k-1\"", "null", E_ID_MISSING, "idempotency_key"},
    {"k-1", "undefined", E_ID_PLACEHOLDER, "idempotency_key"},
    {"\"tenant\":\"acme\",", "", E_SUBJECT_MISSING, "tenant"},
    {"acme", "acme ", E_SUBJECT_CHARS, "tenant"},
    {"\"tenant\"", "\"source\":5,\"tenant\"", E_TYPE, "source"},
    {"\"time\":" TIME ",", "", E_TIME_MISSING, "time"},
    {TIME, "1793700000", E_TYPE, "time"},
    {"m-1", "", E_MODEL_MISSING, "model"},
    {"\"input_tokens\":100,\"output_tokens\":50", "\"x\":1", E_USAGE_MISSING, "input_tokens"},
    {"100", "null", E_COUNT_NULL, "input_tokens"},
    {"100", "\"100\"", E_TYPE, "input_tokens"},
    {"100", "100.5", E_NOT_INTEGER, "input_tokens"},
    {"100", "-100", E_NEGATIVE, "input_tokens"},
    {"100", "1e16", E_RANGE, "input_tokens"},
    {"100", "2e9", E_IMPLAUSIBLE, "input_text_uncached_tokens"},
    {"100", "100,\"cached_input_tokens\":101", E_SUBSET_EXCEEDS_TOTAL, "cached_input_tokens"},
    {"100", "100,\"cached_input_tokens\":60,\"cache_write_tokens\":41", E_SUBSET_EXCEEDS_TOTAL, "cache_write_tokens"},
    {"\"input_tokens\":100", "\"cached_input_tokens\":1", E_SUBSET_EXCEEDS_TOTAL, "cached_input_tokens"},
    {"50", "50,\"reasoning_tokens\":51", E_SUBSET_EXCEEDS_TOTAL, "reasoning_tokens"},
    {"50", "50,\"status\":\"ok\"", E_VALUE, "status"},
    {"50", "50,\"project\":7", E_TYPE, "project"},
};

static void
expect_faults(const char *good, const struct fault *faults, size_t count)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < count; i++) {
		const char *input = changed(&arena, good, faults[i].from, faults[i].to);
		struct record record;

		event_parse(&rules, input, strlen(input), &arena, &record);
		EXPECT_REASON(record, faults[i].reason, input);
		/* Which byte it was is another test's matter. */
		if (strcmp(faults[i].field, "byte") == 0) {
			CU_ASSERT(strncmp(record.field, "byte ", 5) == 0);
		} else {
			EXPECT_TEXT(record.field, faults[i].field);
		}
	}
	arena_release(&arena);
}

static void
each_fault_of_a_canonical_event_has_its_reason_and_place(void)
{
	expect_faults(GOOD_EVENT, canonical_faults, sizeof canonical_faults / sizeof canonical_faults[0]);
}

static void
each_fault_of_a_short_event_has_its_reason_and_place(void)
{
	expect_faults(GOOD_SHORT, short_faults, sizeof short_faults / sizeof short_faults[0]);
}

static bool
is_tested(enum reason reason)
{
	/* By a whole file, by a mapping, by a message, by a usage format, or by the ledger; each has tests of its own. */
	static const enum reason elsewhere[] = {E_LINE_TOO_LONG, E_TRUNCATED, E_CSV, E_TIME_UNIT, E_KEY_CONFLICT, E_REF_UNKNOWN,
	    E_REF_FORK, E_NOT_OBJECT, N_BLANK, E_HEADER_REPEATED, E_ENVELOPE_CONFLICT, N_TOMBSTONE, E_ZERO_AMBIGUOUS,
	    E_DETAIL_SUM, E_DETAIL_CONFLICT, E_INCLUSION_AMBIGUOUS, N_FAILED_NO_USAGE, N_AGGREGATE_SPAN, N_TOTAL_ONLY,
	    E_ARCHIVED};

	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (elsewhere[i] == reason)
			return true;
	for (size_t i = 0; i < sizeof canonical_faults / sizeof canonical_faults[0]; i++)
		if (canonical_faults[i].reason == reason)
			return true;
	for (size_t i = 0; i < sizeof short_faults / sizeof short_faults[0]; i++)
		if (short_faults[i].reason == reason)
			return true;
	return false;
}

static void
no_reason_code_is_without_an_example(void)
{
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++) {
		if (!is_tested((enum reason)reason))
			printf("\n    %s has no example\n", reason_code((enum reason)reason));
		CU_ASSERT(is_tested((enum reason)reason));
	}
}

static struct record
parsed(struct arena *arena, const struct event_rules *rules, const char *input)
{
	struct record record = {0};

	event_parse(rules, input, strlen(input), arena, &record);
	return record;
}

static void
what_is_no_event_is_blank_or_refused_at_its_byte(void)
{
	static const struct fault inputs[] = {{"", NULL, N_BLANK, ""}, {" \t\r", NULL, N_BLANK, ""},
	    {"[1,2]", NULL, E_NOT_OBJECT, ""}, {"12", NULL, E_NOT_OBJECT, ""}, {"\"x\"", NULL, E_NOT_OBJECT, ""},
	    {"null", NULL, E_NOT_OBJECT, ""}, {"[1,2", NULL, E_JSON, "byte 5"}, {"hello", NULL, E_JSON, "byte 1"},
	    {"{\"a\":NaN}", NULL, E_JSON, "byte 6"}};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
		struct record record = parsed(&arena, &rules, inputs[i].from);

		EXPECT_REASON(record, inputs[i].reason, inputs[i].from);
		EXPECT_TEXT(record.field, inputs[i].field);
	}
	arena_release(&arena);
}

static void
each_flag_marks_an_accepted_event(void)
{
	static const struct {
		const char *from, *to;
		unsigned flags;
	} odd[] = {
	    {"m-1", "m-2", 0}, {"10,\"output_text_tokens\":5", "0", F_ZERO_TOKENS},
	    {"," COUNT ",\"output_text_tokens\":5", "", F_ZERO_TOKENS},
	    {"," COUNT ",\"output_text_tokens\":5", ",\"images\":1", 0},
	    {MODEL, MODEL ",\"measurement\":{\"method\":\"engine\",\"complete\":true,\"unknown\":[\"audio\"]}",
		F_DETAILS_UNKNOWN},
	    {MODEL, MODEL ",\"measurement\":{\"method\":\"engine\",\"complete\":false,\"unknown\":[]}", F_PARTIAL},
	    {MODEL, MODEL ",\"measurement\":{\"method\":\"estimate\",\"complete\":true}", F_ESTIMATED},
	    {MODEL, MODEL ",\"mood\":\"calm\"", F_UNKNOWN_FIELD},
	    {MODEL, MODEL ",\"mood\":14879255164371896291", F_UNKNOWN_FIELD},
	    {MODEL, MODEL ",\"reported\":{\"guess\":1}", F_UNKNOWN_FIELD},
	    {MODEL, MODEL ",\"finish_reason\":null,\"engine\":{\"name\":1},\"started_at\":5", 0}, /* known, and not read */
	    {"\"source\"", "\"comexample\":{\"a\":1},\"source\"", 0}, /* an extension of CloudEvents */
	    {"11-03T10:00:00Z", "10-31T23:59:60Z", F_LEAP_SECOND}, {"11-03T10:00:00Z", "09-30T23:59:59Z", F_LATE},
	    {MODEL, MODEL ",\"reported\":{\"input_tokens\":10,\"output_tokens\":5,\"total_tokens\":15,\"cost\":\"1\"}", 0},
	    {MODEL, MODEL ",\"reported\":{\"total_tokens\":16}", F_TOTAL_MISMATCH}, {COUNT ",", "", F_NO_CONTEXT},
	    {COUNT, "\"input_text_uncached_tokens\":1000000000", 0}, /* the limit itself is plausible */
	    {"11-03T10:00:00Z", "11-05T00:05:00Z", 0},
	    {"2026-11-03T10:00:00Z", "2025-10-01T00:00:00Z", F_LATE}, /* 400 days to the second */
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		const char *input = changed(&arena, GOOD_EVENT, odd[i].from, odd[i].to);
		struct record record = parsed(&arena, &rules, input);

		EXPECT_REASON(record, REASON_NONE, input);
		if (record.event.flags != odd[i].flags)
			printf("\n    flags %x instead of %x for %s\n", record.event.flags, odd[i].flags, input);
		CU_ASSERT_EQUAL(record.event.flags, odd[i].flags);
	}
	arena_release(&arena);
}

static void
a_waived_check_is_skipped_and_leaves_its_mark(void)
{
	static const struct fault waived[] = {
	    {MODEL, MODEL ",\"reported\":{\"input_tokens\":11}", E_TOTAL_UNEXPLAINED, ""},
	    {COUNT, "\"input_text_uncached_tokens\":5000000000", E_IMPLAUSIBLE, ""},
	    {"2026-11-03", "2024-01-01", E_TIME_LATE, ""},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();

	for (size_t i = 0; i < sizeof waived / sizeof waived[0]; i++) {
		const char *input = changed(&arena, GOOD_EVENT, waived[i].from, waived[i].to);
		struct record record;

		rules.waived = waived[i].reason;
		record = parsed(&arena, &rules, input);
		EXPECT_REASON(record, REASON_NONE, input);
		CU_ASSERT((record.event.flags & F_WAIVED) != 0);
		CU_ASSERT_EQUAL(parsed(&arena, &rules, GOOD_EVENT).event.flags & F_WAIVED, 0);
	}
	/* Lifting one check lifts no other. */
	rules.waived = E_TIME_LATE;
	CU_ASSERT_EQUAL(parsed(&arena, &rules, changed(&arena, GOOD_EVENT, "11-03T", "12-03T")).reason, E_TIME_FUTURE);
	arena_release(&arena);
}

static void
what_is_not_stated_gets_its_default(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record = parsed(&arena, &rules, GOOD_EVENT);
	const struct bytes *series = record.event.series;

	CU_ASSERT_EQUAL(record.event.kind, EVENT_USAGE);
	EXPECT_TEXT(text_of(&arena, series[SERIES_SERVICE_TIER]), "default");
	EXPECT_TEXT(text_of(&arena, series[SERIES_STATUS]), "completed");
	EXPECT_TEXT(text_of(&arena, series[SERIES_METHOD]), "provider");
	EXPECT_TEXT(text_of(&arena, series[SERIES_REGION]), "");
	CU_ASSERT_EQUAL(record.event.context_input_tokens, 10);
	CU_ASSERT_EQUAL(record.event.context.length, 0);
	arena_release(&arena);
}

static void
a_context_that_is_null_is_not_known_and_not_the_sum(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record = parsed(
	    &arena, &rules, changed(&arena, GOOD_EVENT, "\"model\":\"m-1\"", "\"model\":\"m-1\",\"context_input_tokens\":null"));

	CU_ASSERT_EQUAL(record.reason, REASON_NONE);
	CU_ASSERT_EQUAL(record.event.context_input_tokens, -1);
	CU_ASSERT_EQUAL(record.event.flags, F_NO_CONTEXT);
	arena_release(&arena);
}

static void
every_field_of_a_full_event_arrives(void)
{
	static const char full[] =
	    "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw\",\"id\":\"e-9\","
	    "\"time\":\"2026-11-01T01:30:00.1234567+05:30\",\"subject\":\"acme\",\"dataschema\":\"x\",\"data\":{\"kind\":"
	    "\"usage\","
	    "\"operation\":\"chat\",\"provider\":\"self\",\"model\":\"m\",\"base_model\":\"b\",\"adapter\":{\"kind\":\"lora\","
	    "\"id\":\"a-3\"},\"deployment\":\"d-7\",\"region\":\"eu\",\"service_tier\":\"turbo\",\"speed\":\"fast\","
	    "\"status\":\"aborted\",\"served_from\":\"model\",\"measurement\":{\"method\":\"gateway\",\"complete\":true},"
	    "\"context_input_tokens\":8200,\"quantities\":{\"gpu_seconds\":\"1.250\",\"output_text_tokens\":7e2,"
	    "\"input_text_cache_write_30m_tokens\":1024,\"requests\":1},\"attribution\":{\"project_id\":\"p1\","
	    "\"api_key_id\":\"k1\",\"tags\":{\"env\":\"prod\"}},\"trace\": {\"attempt\":0},"
	    "\"engine\" : {\"name\":\"vllm\"}}}";
	static const char *const wanted[SERIES_FIELDS] = {[SERIES_TENANT] = "acme",
	    [SERIES_MODEL] = "m",
	    [SERIES_BASE_MODEL] = "b",
	    [SERIES_ADAPTER_KIND] = "lora",
	    [SERIES_ADAPTER] = "a-3",
	    [SERIES_PROVIDER] = "self",
	    [SERIES_OPERATION] = "chat",
	    [SERIES_SERVICE_TIER] = "turbo",
	    [SERIES_SPEED] = "fast",
	    [SERIES_REGION] = "eu",
	    [SERIES_DEPLOYMENT] = "d-7",
	    [SERIES_STATUS] = "aborted",
	    [SERIES_SERVED_FROM] = "model",
	    [SERIES_METHOD] = "gateway",
	    [SERIES_PROJECT] = "p1",
	    [SERIES_API_KEY] = "k1"};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record = parsed(&arena, &rules, full);
	char time[INSTANT_TEXT];

	EXPECT_REASON(record, REASON_NONE, full);
	for (int i = 0; i < SERIES_FIELDS; i++)
		EXPECT_TEXT(text_of(&arena, record.event.series[i]), wanted[i]);
	EXPECT_TEXT(instant_format(record.event.time, time), "2026-10-31T20:00:00.123456Z");
	CU_ASSERT_EQUAL(record.event.context_input_tokens, 8200);
	CU_ASSERT_EQUAL_FATAL(record.event.quantity_count, 4);
	for (size_t i = 1; i < 4; i++)
		CU_ASSERT(record.event.quantities[i - 1].meter < record.event.quantities[i].meter);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_gpu_seconds), 1250000000);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_output_text_tokens), 700);
	EXPECT_TEXT(text_of(&arena, record.event.context),
	    "{\"attribution\":{\"project_id\":\"p1\",\"api_key_id\":\"k1\","
	    "\"tags\":{\"env\":\"prod\"}},\"engine\":{\"name\":\"vllm\"},\"trace\":{\"attempt\":0}}");
	CU_ASSERT_EQUAL(record.event.flags & F_UNKNOWN_FIELD, 0);
	arena_release(&arena);
}

static void
an_engine_that_is_no_object_is_passed_over(void)
{
	static const struct {
		const char *engine;
		bool flagged;
	} engines[] = {{"null", false}, {"\"vllm\"", true}, {"[{}]", true}, {"5", true}, {"true", true}};
	struct event_rules rules = test_rules();
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
		const char *json = arena_format(&arena,
		    "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw\",\"id\":\"e-9\","
		    "\"time\":\"2026-11-01T01:30:00Z\",\"subject\":\"acme\",\"data\":{\"operation\":\"chat\",\"model\":\"m\","
		    "\"quantities\":{\"requests\":1},\"engine\":%s}}",
		    engines[i].engine);
		struct record record = parsed(&arena, &rules, json);

		EXPECT_REASON(record, REASON_NONE, json);
		CU_ASSERT_EQUAL(record.event.context.length, 0);
		CU_ASSERT_EQUAL((record.event.flags & F_UNKNOWN_FIELD) != 0, engines[i].flagged);
	}
	arena_release(&arena);
}

static void
data_may_come_as_base64(void)
{
	/* {"operation":"chat","model":"m","quantities":{"requests":1,"output_text_tokens":5}} */
	static const char encoded[] = "eyJvcGVyYXRpb24iOiJjaGF0IiwibW9kZWwiOiJtIiwicXVhbnRpdGllcyI6"
				      "eyJyZXF1ZXN0cyI6MSwib3V0cHV0X3RleHRfdG9rZW5zIjo1fX0=";
	static const struct fault wrong[] = {
	    {"=", "", E_VALUE, "data_base64"},
	    {"=", "==", E_VALUE, "data_base64"},
	    {"eyJ", "ey-", E_VALUE, "data_base64"},
	    {"X0=", "X1=", E_VALUE, "data_base64"},   /* bits that no byte has */
	    {encoded, "WzFd", E_TYPE, "data_base64"}, /* [1] */
	    {encoded, "e30x", E_JSON, "data_base64"}, /* {}1 */
	    {encoded, "", E_JSON, "data_base64"},
	    {"\"data_base64\"", "\"data\":[],\"data_base64\"", E_VALUE, "data_base64"},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *data = strstr(GOOD_EVENT, "\"data\"");
	const char *good =
	    arena_format(&arena, "%.*s\"data_base64\":\"%s\"}", (int)(strlen(GOOD_EVENT) - strlen(data)), GOOD_EVENT, encoded);
	struct record record = parsed(&arena, &rules, good);

	EXPECT_REASON(record, REASON_NONE, good);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_output_text_tokens), 5);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const char *input = changed(&arena, good, wrong[i].from, wrong[i].to);

		record = parsed(&arena, &rules, input);
		EXPECT_REASON(record, wrong[i].reason, input);
		EXPECT_TEXT(record.field, wrong[i].field);
	}
	arena_release(&arena);
}

static void
usage_without_tokens_needs_no_model_but_a_deployment_or_an_adapter(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *hosting =
	    changed(&arena, GOOD_EVENT, "\"requests\":1," COUNT ",\"output_text_tokens\":5", "\"gpu_seconds\":\"2\"");

	CU_ASSERT_EQUAL(parsed(&arena, &rules, changed(&arena, hosting, MODEL, "\"deployment\":\"d\"")).reason, REASON_NONE);
	CU_ASSERT_EQUAL(
	    parsed(&arena, &rules, changed(&arena, hosting, MODEL, "\"adapter\":{\"kind\":\"lora\",\"id\":\"a\"}")).reason,
	    REASON_NONE);
	CU_ASSERT_EQUAL(parsed(&arena, &rules, changed(&arena, hosting, MODEL, "\"region\":\"eu\"")).reason, E_MODEL_MISSING);
	arena_release(&arena);
}

static void
a_void_names_its_original_and_has_no_quantities(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *input = changed(&arena, GOOD_EVENT,
	    "\"operation\":\"chat\",\"model\":\"m-1\",\"quantities\":{\"requests\":1," COUNT ",\"output_text_tokens\":5}",
	    "\"quantities\":{},\"kind\":\"void\",\"ref\":{\"id\":\"e-0\",\"source\":\"/gw\"}");
	struct record original = parsed(&arena, &rules, changed(&arena, GOOD_EVENT, "e-1", "e-0"));
	struct record record = parsed(&arena, &rules, input);
	struct id128 named;

	EXPECT_REASON(record, REASON_NONE, input);
	CU_ASSERT_EQUAL(record.event.kind, EVENT_VOID);
	CU_ASSERT_EQUAL(record.event.quantity_count, 0);
	CU_ASSERT_EQUAL(record.event.series[SERIES_SERVICE_TIER].length, 0);
	named = event_original(&record.event);
	CU_ASSERT(memcmp(&named, &original.event.event_id, sizeof named) == 0);
	CU_ASSERT(memcmp(&named, &record.event.event_id, sizeof named) != 0);
	arena_release(&arena);
}

static void
the_short_form_splits_totals_into_disjoint_meters(void)
{
	static const char input[] =
	    "{\"idempotency_key\":\"k\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\",\"input_tokens\":"
	    "1000,"
	    "\"cached_input_tokens\":600,\"cache_write_tokens\":300,\"output_tokens\":50,\"reasoning_tokens\":20}";
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record = parsed(&arena, &rules, input);

	EXPECT_REASON(record, REASON_NONE, input);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_requests), 1);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_uncached_tokens), 100);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_cache_read_tokens), 600);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_cache_write_tokens), 300);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_output_text_tokens), 30);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_output_reasoning_tokens), 20);
	CU_ASSERT_EQUAL(record.event.context_input_tokens, 1000);
	EXPECT_TEXT(text_of(&arena, record.event.source), "/short");
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_OPERATION]), "chat");
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_SERVICE_TIER]), "default");
	CU_ASSERT_EQUAL(record.event.flags, 0);
	arena_release(&arena);
}

static void
a_detail_that_is_not_given_is_not_a_zero(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record record = parsed(&arena, &rules, GOOD_SHORT);

	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_uncached_tokens), 100);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_cache_read_tokens), -1);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_output_reasoning_tokens), -1);
	record = parsed(&arena, &rules, changed(&arena, GOOD_SHORT, "100", "100,\"cached_input_tokens\":0"));
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_cache_read_tokens), 0);
	record = parsed(&arena, &rules, changed(&arena, GOOD_SHORT, "100", "100,\"project\":null,\"region\":\"\",\"what\":1"));
	CU_ASSERT_EQUAL(record.reason, REASON_NONE);
	CU_ASSERT_EQUAL(record.event.flags, F_UNKNOWN_FIELD);
	arena_release(&arena);
}

static void
a_position_stands_in_for_a_key_only_where_the_field_is_absent(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *without = changed(&arena, GOOD_SHORT, "\"idempotency_key\":\"k-1\",", "");
	struct record record;

	CU_ASSERT_EQUAL(parsed(&arena, &rules, without).reason, E_NOT_CLOUDEVENT);
	rules.position_id = "abc:7";
	record = parsed(&arena, &rules, without);
	EXPECT_REASON(record, REASON_NONE, without);
	EXPECT_TEXT(text_of(&arena, record.event.id), "abc:7");
	record = parsed(&arena, &rules, GOOD_SHORT);
	EXPECT_TEXT(text_of(&arena, record.event.id), "k-1");
	CU_ASSERT_EQUAL(parsed(&arena, &rules, changed(&arena, GOOD_SHORT, "k-1", "")).reason, E_ID_MISSING);
	CU_ASSERT_EQUAL(parsed(&arena, &rules, changed(&arena, GOOD_EVENT, "\"id\":\"e-1\",", "")).reason, E_ID_MISSING);
	arena_release(&arena);
}

static bool
same(struct id128 a, struct id128 b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

static void
copies_of_one_event_agree_whatever_their_spelling(void)
{
	static const char other[] =
	    "{ \"data\" : {\"quantities\":{\"output_text_tokens\":5.0,\"requests\":1e0,\"input_text_uncached_tokens\":10},"
	    "\"context_input_tokens\":10,\"service_tier\":\"default\",\"trace\":{\"attempt\":2},\"model\":\"m\\u002d1\","
	    "\"operation\":\"chat\"},"
	    "\"subject\":\"acme\",\"time\":\"2026-11-03T11:00:07+01:00\",\"id\":\"e-1\",\"source\":\"/"
	    "gw\",\"type\":\"tollbook.usage.v1\","
	    "\"specversion\":\"1.0\"}";
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record first = parsed(&arena, &rules, GOOD_EVENT), copy = parsed(&arena, &rules, other);

	EXPECT_REASON(copy, REASON_NONE, other);
	CU_ASSERT(same(first.event.event_id, copy.event.event_id));
	CU_ASSERT(same(first.event.content, copy.event.content));
	arena_release(&arena);
}

static void
identity_is_tenant_source_and_id_and_content_is_the_rest(void)
{
	static const struct {
		const char *from, *to;
		bool same_identity, same_content;
	} changes[] = {
	    {"e-1", "e-2", false, true},
	    {"e-1", "E-1", false, true},
	    {"/gw", "/gx", false, true},
	    {"acme", "acm", false, false},
	    {":10", ":11", true, false},
	    {"m-1", "m-2", true, false},
	    {"\"requests\":1,", "", true, false},
	    {MODEL, MODEL ",\"region\":\"eu\"", true, false},
	    {MODEL, MODEL ",\"context_input_tokens\":9", true, false},
	    {MODEL, MODEL ",\"kind\":\"correction\",\"ref\":{\"source\":\"s\",\"id\":\"i\"}", true, false},
	    {MODEL, MODEL ",\"attribution\":{\"project_id\":\"p\",\"api_key_id\":\"k\"}", true, true},
	    {"10:00:00Z", "10:00:07Z", true, true},
	};
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	struct record first = parsed(&arena, &rules, GOOD_EVENT);

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		const char *input = changed(&arena, GOOD_EVENT, changes[i].from, changes[i].to);
		struct record other = parsed(&arena, &rules, input);

		EXPECT_REASON(other, REASON_NONE, input);
		CU_ASSERT_EQUAL(same(first.event.event_id, other.event.event_id), changes[i].same_identity);
		CU_ASSERT_EQUAL(same(first.event.content, other.event.content), changes[i].same_content);
	}
	arena_release(&arena);
}

/* Eight bytes of a text are looked at in one step. */
static void
a_control_character_is_seen_at_every_place_of_a_key(void)
{
	char key[41];

	for (size_t length = 1; length <= 40; length++)
		for (size_t place = 0; place < length; place++) {
			memset(key, place % 2 == 0 ? '!' : '\xc3', length);
			CU_ASSERT_EQUAL(key_check((struct bytes){key, length}), REASON_NONE);
			key[place] = '\x1f';
			CU_ASSERT_EQUAL(key_check((struct bytes){key, length}), E_ID_CHARS);
			key[place] = '\x7f';
			CU_ASSERT_EQUAL(key_check((struct bytes){key, length}), E_ID_CHARS);
			key[place] = '~';
			CU_ASSERT_EQUAL(key_check((struct bytes){key, length}), REASON_NONE);
		}
}

static void
keys_are_never_joined(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *base = changed(&arena, GOOD_EVENT, "e-1", "b");
	struct record one = parsed(&arena, &rules, changed(&arena, base, "/gw", "/t-a"));
	struct record two = parsed(&arena, &rules, changed(&arena, changed(&arena, GOOD_EVENT, "e-1", "a-b"), "/gw", "/t"));
	struct record three = parsed(&arena, &rules, changed(&arena, changed(&arena, GOOD_EVENT, "e-1", "ab"), "/gw", "/t-"));

	CU_ASSERT(!same(one.event.event_id, two.event.event_id));
	CU_ASSERT(!same(one.event.event_id, three.event.event_id));
	arena_release(&arena);
}

static void
a_key_of_256_bytes_is_kept_byte_for_byte(void)
{
	struct arena arena = {0};
	struct event_rules rules = test_rules();
	const char *input;
	struct record record;

	CU_ASSERT_EQUAL(strlen(LONG_ID), 246);
	input = changed(&arena, GOOD_EVENT, "e-1",
	    LONG_ID "1234567\xc3\xa9"
		    "0");
	record = parsed(&arena, &rules, input);
	EXPECT_REASON(record, REASON_NONE, input);
	CU_ASSERT_EQUAL(record.event.id.length, 256);
	EXPECT_TEXT(text_of(&arena, record.event.id),
	    LONG_ID "1234567\xc3\xa9"
		    "0");
	arena_release(&arena);
}

UNIT_TESTS("ingest/event_json", TEST(each_fault_of_a_canonical_event_has_its_reason_and_place),
    TEST(an_engine_that_is_no_object_is_passed_over), TEST(each_fault_of_a_short_event_has_its_reason_and_place),
    TEST(no_reason_code_is_without_an_example), TEST(what_is_no_event_is_blank_or_refused_at_its_byte),
    TEST(each_flag_marks_an_accepted_event), TEST(a_waived_check_is_skipped_and_leaves_its_mark),
    TEST(what_is_not_stated_gets_its_default), TEST(a_context_that_is_null_is_not_known_and_not_the_sum),
    TEST(every_field_of_a_full_event_arrives), TEST(data_may_come_as_base64),
    TEST(usage_without_tokens_needs_no_model_but_a_deployment_or_an_adapter),
    TEST(a_void_names_its_original_and_has_no_quantities), TEST(the_short_form_splits_totals_into_disjoint_meters),
    TEST(a_detail_that_is_not_given_is_not_a_zero), TEST(a_position_stands_in_for_a_key_only_where_the_field_is_absent),
    TEST(copies_of_one_event_agree_whatever_their_spelling), TEST(identity_is_tenant_source_and_id_and_content_is_the_rest),
    TEST(a_control_character_is_seen_at_every_place_of_a_key), TEST(keys_are_never_joined),
    TEST(a_key_of_256_bytes_is_kept_byte_for_byte))
