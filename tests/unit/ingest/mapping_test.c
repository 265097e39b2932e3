/* mapping_test.c -- CSV rows by a declared mapping: what the declaration may say, and what becomes of rows. */
#include "ingest/mapping.h"

#include "tests/unit/ingest/records.h"

#define COLUMNS "\"columns\":{\"idempotency_key\":1,\"time\":2,\"input_tokens\":3,\"output_tokens\":4}"
#define CONSTANTS "\"constants\":{\"tenant\":\"acme\",\"model\":\"m\"}"
#define PLAIN "{\"format\":\"csv\",\"header\":false,\"width\":4," COLUMNS "," CONSTANTS "}"
#define TIMED(spec) "{\"format\":\"csv\",\"header\":false,\"width\":4," COLUMNS "," CONSTANTS ",\"time\":" spec "}"

static struct mapping
mapping_of(const char *json)
{
	struct mapping mapping;
	struct error err = {0};

	if (!mapping_parse(json, strlen(json), "m.json", &mapping, &err)) {
		error_print(stdout, &err);
		abort();
	}
	return mapping;
}

static struct record
row_of(struct arena *arena, struct mapping *mapping, const char *row)
{
	struct event_rules rules = test_rules();
	struct record record = {0};

	mapping_row_parse(mapping, &rules, row, strlen(row), arena, &record);
	return record;
}

struct row_verdict {
	const char *row;
	enum reason reason;
	const char *field;
};

static void
expect_rows(const char *json, const struct row_verdict *rows, size_t count)
{
	struct arena arena = {0};
	struct mapping mapping = mapping_of(json);

	for (size_t i = 0; i < count; i++) {
		struct record record = row_of(&arena, &mapping, rows[i].row);

		EXPECT_REASON(record, rows[i].reason, rows[i].row);
		EXPECT_TEXT(record.field, rows[i].field);
	}
	mapping_release(&mapping);
	arena_release(&arena);
}

#define EXPECT_ROWS(json, rows) expect_rows(json, rows, sizeof rows / sizeof rows[0])

static void
a_row_becomes_the_event_that_the_short_form_says(void)
{
	static const char json[] =
	    "{\"format\":\"csv\",\"header\":false,\"delimiter\":\";\",\"columns\":{\"idempotency_key\":1,\"time\":2,\"model\":5,"
	    "\"input_tokens\":3,\"cached_input_tokens\":4,\"project\":6},\"constants\":{\"tenant\":\"acme\",\"requests\":2,"
	    "\"source\":\"/export\"}}";
	struct arena arena = {0};
	struct mapping mapping = mapping_of(json);
	struct record record = row_of(&arena, &mapping, "k;2026-11-03T10:00:00Z;1e2;40;\"a \"\"b\"\"\";;unread");

	EXPECT_REASON(record, REASON_NONE, "the row");
	CU_ASSERT_EQUAL(mapping.width, 7);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_requests), 2);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_uncached_tokens), 60);
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_cache_read_tokens), 40);
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_MODEL]), "a \"b\"");
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_PROJECT]), "");
	EXPECT_TEXT(text_of(&arena, record.event.source), "/export");
	record = row_of(&arena, &mapping, "k;2026-11-03T10:00:00Z;;;m;p;");
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_uncached_tokens), -1);
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_PROJECT]), "p");
	mapping_release(&mapping);
	arena_release(&arena);
}

static void
each_faulty_row_has_its_reason(void)
{
	static const struct row_verdict rows[] = {
	    {"k,2026-11-03T10:00:00Z,10,5", REASON_NONE, ""},
	    {"\"k\",\"2026-11-03T10:00:00Z\",\"10\",\"5\"", REASON_NONE, ""},
	    {"k,2026-11-03T10:00:00Z,10", E_CSV, ""},
	    {"k,2026-11-03T10:00:00Z,10,5,", E_CSV, ""},
	    {"k\"x,2026-11-03T10:00:00Z,10,5", E_CSV, ""},
	    {"\"k\"x,2026-11-03T10:00:00Z,10,5", E_CSV, ""},
	    {"\"k,2026-11-03T10:00:00Z,10,5", E_CSV, ""},
	    {"k,2026-11-03T10:00:00Z,10\r,5", E_CSV, ""},
	    {"k\xff,2026-11-03T10:00:00Z,10,5", E_UTF8, "byte 2"},
	    {",2026-11-03T10:00:00Z,10,5", E_ID_MISSING, "idempotency_key"},
	    {"None,2026-11-03T10:00:00Z,10,5", E_ID_PLACEHOLDER, "idempotency_key"},
	    {"k ,2026-11-03T10:00:00Z,10,5", E_ID_CHARS, "idempotency_key"},
	    {"\"k\n\",2026-11-03T10:00:00Z,10,5", E_ID_CHARS, "idempotency_key"},
	    {"k,,10,5", E_TIME_MISSING, "time"},
	    {"k,2026-11-03T10:00:00,10,5", E_TIME_NO_ZONE, "time"},
	    {"k,2026-11-03T10:00:00Z,,", E_USAGE_MISSING, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z,ten,5", E_TYPE, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z, 10,5", E_TYPE, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z,007,5", E_TYPE, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z,1.5,5", E_NOT_INTEGER, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z,-1,5", E_NEGATIVE, "input_tokens"},
	    {"k,2026-11-03T10:00:00Z,null,5", E_TYPE, "input_tokens"},
	};

	EXPECT_ROWS(PLAIN, rows);
}

static void
a_byte_that_no_text_holds_is_no_csv(void)
{
	static const char row[] = "k\0,2026-11-03T10:00:00Z,10,5";
	struct arena arena = {0};
	struct mapping mapping = mapping_of(PLAIN);
	struct event_rules rules = test_rules();
	struct record record;

	mapping_row_parse(&mapping, &rules, row, sizeof row - 1, &arena, &record);
	CU_ASSERT_EQUAL(record.reason, E_CSV);
	mapping_release(&mapping);
	arena_release(&arena);
}

/* 2026-11-03T10:00:00Z is 1793700000 seconds. */
static void
numeric_times_are_read_in_their_declared_unit(void)
{
	static const struct {
		const char *spec, *cell, *time; /* NULL: E_TIME_UNIT */
	} times[] = {
	    {"{\"unit\":\"seconds\"}", "1793700000", "2026-11-03T10:00:00Z"},
	    {"{\"unit\":\"seconds\"}", "1793700000.1234569", "2026-11-03T10:00:00.123456Z"},
	    {"{\"unit\":\"milliseconds\"}", "1793700000001", "2026-11-03T10:00:00.001000Z"},
	    {"{\"unit\":\"microseconds\"}", "1793700000000001", "2026-11-03T10:00:00.000001Z"},
	    {"{\"unit\":\"nanoseconds\"}", "1793700000000001999", "2026-11-03T10:00:00.000001Z"},
	    {"{\"unit\":\"milliseconds\",\"epoch\":\"2026-11-03T10:00:00Z\"}", "0", "2026-11-03T10:00:00Z"},
	    {"{\"unit\":\"milliseconds\",\"epoch\":\"2026-11-03T10:00:00Z\"}", "1500.5", "2026-11-03T10:00:01.500500Z"},
	    {"{\"unit\":\"seconds\",\"epoch\":\"2026-11-03T10:00:00Z\"}", "-0.0000015", "2026-11-03T09:59:59.999998Z"},
	    {"{\"unit\":\"seconds\"}", "1793700000000", NULL},
	    {"{\"unit\":\"seconds\"}", "1793700000000000000", NULL},
	    {"{\"unit\":\"milliseconds\"}", "1793700000", NULL},
	    {"{\"unit\":\"nanoseconds\"}", "1793700000000", NULL},
	    {"{\"unit\":\"milliseconds\",\"epoch\":\"2023-11-16T18:00:00Z\"}", "90000000000000", NULL},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		struct mapping mapping = mapping_of(arena_format(&arena, TIMED("%s"), times[i].spec));
		struct record record = row_of(&arena, &mapping, arena_format(&arena, "k,%s,10,5", times[i].cell));
		char time[INSTANT_TEXT];

		EXPECT_REASON(record, times[i].time == NULL ? E_TIME_UNIT : REASON_NONE, times[i].cell);
		if (times[i].time != NULL)
			EXPECT_TEXT(instant_format(record.event.time, time), times[i].time);
		mapping_release(&mapping);
	}
	arena_release(&arena);
}

static void
numbers_that_are_no_time_in_any_unit_are_refused_for_what_they_are(void)
{
	static const struct row_verdict rows[] = {
	    {"k,0,10,5", E_TIME_RANGE, "time"},
	    {"k,-1,10,5", E_TIME_RANGE, "time"},
	    {"k,5,10,5", E_TIME_RANGE, "time"},
	    {"k,1793923000,10,5", E_TIME_FUTURE, "time"},
	    {"k,2026-11-03T10:00:00Z,10,5", E_TIME_FORMAT, "time"},
	    {"k,1.7937e9,10,5", E_TIME_FORMAT, "time"},
	    {"k,1793700000.,10,5", E_TIME_FORMAT, "time"},
	    {"k,0x6AE9,10,5", E_TIME_FORMAT, "time"},
	    {"k,99999999999999999999999,10,5", E_TIME_FORMAT, "time"},
	    {"k,1759276800,10,5", REASON_NONE, ""}, /* 2025-10-01: late, but within 400 days */
	    {"k,1759276799,10,5", E_TIME_LATE, "time"},
	};

	EXPECT_ROWS(TIMED("{\"unit\":\"seconds\"}"), rows);
}

static void
wall_clock_times_are_read_in_their_declared_zone(void)
{
	static const struct row_verdict rows[] = {
	    {"k,2026-11-03 10:00:00,10,5", REASON_NONE, ""},
	    {"k,2026-11-03T10:00:00.9799600,10,5", REASON_NONE, ""},
	    {"k,2026-11-03 10:00:00Z,10,5", E_TIME_FORMAT, "time"},
	    {"k,03/11/2026 10:00,10,5", E_TIME_FORMAT, "time"},
	    {"k,2026-11-31 10:00:00,10,5", E_TIME_RANGE, "time"},
	};
	struct arena arena = {0};
	struct mapping mapping = mapping_of(TIMED("{\"format\":\"YYYY-MM-DD HH:MM:SS\",\"zone\":\"-05:30\"}"));
	struct record record = row_of(&arena, &mapping, "k,2026-10-31 20:00:00.5,10,5");
	char time[INSTANT_TEXT];

	EXPECT_TEXT(instant_format(record.event.time, time), "2026-11-01T01:30:00.500000Z");
	mapping_release(&mapping);
	arena_release(&arena);
	EXPECT_ROWS(TIMED("{\"format\":\"YYYY-MM-DD HH:MM:SS\",\"zone\":\"UTC\"}"), rows);
}

/* A mapping that is refused: the message's field, and a word of its message or hint. */
struct refusal {
	const char *from, *to, *field, *words;
};

static void
a_declaration_that_is_wrong_is_refused_where_it_is_wrong(void)
{
	static const struct refusal refusals[] = {
	    {"\"format\":\"csv\",", "", "format", "not \"csv\""},
	    {"\"csv\"", "\"tsv\"", "format", "not \"csv\""},
	    {"\"width\":4", "\"widht\":4", "widht", "width"},
	    {"\"width\":4", "\"width\":3", "columns.output_tokens", "beyond the width"},
	    {"\"width\":4", "\"width\":0", "width", "from 1"},
	    {"\"width\":4", "\"delimiter\":\"||\"", "delimiter", "one ASCII"},
	    {"\"width\":4", "\"delimiter\":\"\\\"\"", "delimiter", "quote"},
	    {"\"header\":false", "\"header\":\"no\"", "header", "true or false"},
	    {"\"header\":false,\"width\":4", "\"header\":true", "columns.idempotency_key", "header names"},
	    {"\"header\":false", "\"header\":true", "width", "header"},
	    {"\"input_tokens\":3", "\"input_tokens\":\"n\"", "columns.input_tokens", "number"},
	    {"\"input_tokens\":3", "\"input_token\":3", "columns.input_token", "input_tokens"},
	    {"\"input_tokens\":3", "\"wordiness\":3", "columns.wordiness", "can be one of"},
	    {COLUMNS, "\"columns\":{}", "columns", "no columns"},
	    {COLUMNS, "\"columns\":[]", "columns", "no columns"},
	    {"\"tenant\":\"acme\"", "\"time\":\"x\"", "constants.time", "both"},
	    {"\"tenant\":\"acme\"", "\"tenant\":7", "constants.tenant", "not a text"},
	    {"\"tenant\":\"acme\"", "\"requests\":\"1\"", "constants.requests", "whole number"},
	    {"\"tenant\":\"acme\"", "\"requests\":-1", "constants.requests", "whole number"},
	    {"\"tenant\":\"acme\",", "", "tenant", "whose usage"},
	    {",\"model\":\"m\"", "", "model", "which model"},
	    {"\"time\":2,", "", "time", "when usage was"},
	    {",\"input_tokens\":3,\"output_tokens\":4", "", "input_tokens", "no quantity"},
	    {"\"idempotency_key\":1,", "", NULL, NULL},
	    {CONSTANTS, CONSTANTS ",\"time\":7", "time", "unit or a format"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"unit\":\"second\"}", "time.unit", "seconds"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"unit\":\"seconds\",\"epoch\":\"then\"}", "time.epoch", "1970"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"unit\":\"seconds\",\"zone\":\"UTC\"}", "time.zone", "no such key"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"format\":\"DD.MM.YYYY\"}", "time.format", "rfc3339"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"format\":\"rfc3339\",\"zone\":\"UTC\"}", "time.zone", "of their own"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"format\":\"YYYY-MM-DD HH:MM:SS\"}", "time.zone", "+02:00"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"format\":\"YYYY-MM-DD HH:MM:SS\",\"zone\":\"CET\"}", "time.zone", "+02:00"},
	    {CONSTANTS, CONSTANTS ",\"time\":{\"format\":\"YYYY-MM-DD HH:MM:SS\",\"zone\":\"+25:00\"}", "time.zone", "no such"},
	    {"{\"format\"", "{\"header\":false,\"format\"", "", "not JSON"},
	    {"}}", "}", "", "not JSON"},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		const struct refusal *wanted = &refusals[i];
		const char *json = changed(&arena, PLAIN, wanted->from, wanted->to);
		struct mapping mapping;
		struct error err = {0};
		bool fine = mapping_parse(json, strlen(json), "m.json", &mapping, &err);

		CU_ASSERT_EQUAL(fine, wanted->field == NULL);
		if (fine) {
			mapping_release(&mapping);
			continue;
		}
		EXPECT_TEXT(err.file, "m.json");
		EXPECT_TEXT(err.field, wanted->field);
		if (strstr(err.message, wanted->words) == NULL && strstr(err.hint, wanted->words) == NULL) {
			printf("\n    no \"%s\" in: ", wanted->words);
			error_print(stdout, &err);
			CU_FAIL("words");
		}
	}
	arena_release(&arena);
}

#define NAMED                                                                                                                    \
	"{\"format\":\"csv\",\"columns\":{\"idempotency_key\":\"id\",\"time\":\"when\",\"input_tokens\":\"in\"}," CONSTANTS "}"

static bool
bound(struct mapping *mapping, const char *header, struct error *err)
{
	struct arena arena = {0};
	struct csv_row *row = csv_row_new(',');
	bool fine;

	csv_row_begin(row, &arena, NULL);
	must(csv_row_feed(row, header, strlen(header)) == CSV_ROW_OPEN && csv_row_end(row) == CSV_ROW_WHOLE);
	fine = mapping_bind(mapping, row, "usage.csv", err);
	csv_row_free(row);
	arena_release(&arena);
	return fine;
}

static void
columns_are_found_by_the_names_in_the_header(void)
{
	struct arena arena = {0};
	struct error err = {0};
	struct mapping mapping = mapping_of(NAMED), again;
	struct record record;

	CU_ASSERT(bound(&mapping, "in,note,\"id\",when", &err));
	record = row_of(&arena, &mapping, "7,,k,2026-11-03T10:00:00Z");
	EXPECT_REASON(record, REASON_NONE, "the row");
	CU_ASSERT_EQUAL(quantity_of(&record.event, METER_input_text_uncached_tokens), 7);
	/* What the mapping has become needs no header, and says the same. */
	again = mapping_of(mapping_format(&mapping, &arena));
	CU_ASSERT(!again.header);
	CU_ASSERT_EQUAL(again.width, 4);
	record = row_of(&arena, &again, "7,,k,2026-11-03T10:00:00Z");
	EXPECT_TEXT(text_of(&arena, record.event.id), "k");
	EXPECT_TEXT(text_of(&arena, record.event.series[SERIES_TENANT]), "acme");
	EXPECT_TEXT(mapping_format(&again, &arena), mapping_format(&mapping, &arena));
	mapping_release(&again);
	mapping_release(&mapping);
	arena_release(&arena);
}

static void
a_header_without_a_named_column_or_with_it_twice_is_refused(void)
{
	struct error err = {0};
	struct mapping mapping = mapping_of(NAMED);

	CU_ASSERT(!bound(&mapping, "in,id,wehn", &err));
	EXPECT_TEXT(err.field, "columns.time");
	EXPECT_TEXT(err.value, "when");
	EXPECT_TEXT(err.hint, "Did you mean \"wehn\"?");
	mapping_release(&mapping);
	mapping = mapping_of(NAMED);
	CU_ASSERT(!bound(&mapping, "in,id,when,id", &err));
	CU_ASSERT(strstr(err.message, "twice") != NULL);
	mapping_release(&mapping);
}

static void
every_time_declaration_survives_being_written_down(void)
{
	static const char *const specs[] = {"{\"format\":\"rfc3339\"}",
	    "{\"format\":\"YYYY-MM-DD HH:MM:SS\",\"zone\":\"-05:30\"}",
	    "{\"unit\":\"microseconds\",\"epoch\":\"2023-11-16T18:00:00.25Z\"}", "{\"unit\":\"seconds\"}"};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
		struct mapping first = mapping_of(arena_format(&arena, TIMED("%s"), specs[i]));
		struct mapping second = mapping_of(mapping_format(&first, &arena));

		CU_ASSERT_EQUAL(second.time.form, first.time.form);
		CU_ASSERT_EQUAL(second.time.offset_minutes, first.time.offset_minutes);
		CU_ASSERT_EQUAL(second.time.unit_ns, first.time.unit_ns);
		CU_ASSERT_EQUAL(second.time.epoch.us, first.time.epoch.us);
		mapping_release(&first);
		mapping_release(&second);
	}
	arena_release(&arena);
}

UNIT_TESTS("ingest/mapping", TEST(a_row_becomes_the_event_that_the_short_form_says), TEST(each_faulty_row_has_its_reason),
    TEST(a_byte_that_no_text_holds_is_no_csv), TEST(numeric_times_are_read_in_their_declared_unit),
    TEST(numbers_that_are_no_time_in_any_unit_are_refused_for_what_they_are),
    TEST(wall_clock_times_are_read_in_their_declared_zone), TEST(a_declaration_that_is_wrong_is_refused_where_it_is_wrong),
    TEST(columns_are_found_by_the_names_in_the_header), TEST(a_header_without_a_named_column_or_with_it_twice_is_refused),
    TEST(every_time_declaration_survives_being_written_down))
