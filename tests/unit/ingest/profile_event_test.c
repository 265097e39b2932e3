/* profile_event_test.c -- who, when and what of an event: identity, times, words, rules, names, streams that were cut. */
#include "tests/unit/ingest/profiles.h"

#define SIDES "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"}"
#define COUNTS "\"in\":10,\"out\":5}"
#define METERS "requests=1 input_text_uncached_tokens=10 output_text_tokens=5"
#define PLAIN FORMAT FIELDS SIDES "}"
/* A description whose times, or whose one field more, are these. */
#define TIMES(time)                                                                                                              \
	FORMAT "\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":" time                                                  \
	       ",\"model\":\"model\"},\"constants\":{\"operation\":\"chat\"}," SIDES "}"
#define FIELD(field)                                                                                                             \
	FORMAT "\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\"," field                    \
	       "},\"constants\":{\"operation\":\"chat\"}," SIDES "}"
#define AT(time) "{\"id\":\"r-1\",\"tenant\":\"acme\",\"model\":\"m-1\",\"time\":" time "," COUNTS
#define CLOUDEVENT(attributes)                                                                                                   \
	"{\"specversion\":\"1.0\",\"type\":\"capture\",\"source\":\"/gw\",\"id\":\"cap-1\",\"subject\":\"north\","               \
	"\"time\":\"2026-11-03T11:00:00Z\"," attributes "\"data\":" PAYLOAD COUNTS "}"

static void
expect_series(const char *description, const char *payload, enum series_field series, const char *wanted)
{
	struct reading reading;

	reading_begin(&reading, description);
	reading_of(&reading, payload);
	EXPECT_REASON(reading.record, REASON_NONE, payload);
	EXPECT_TEXT(text_of(&reading.arena, reading.record.event.series[series]), wanted);
	reading_end(&reading);
}

static void
expect_identity(const char *description, const char *payload, const char *wanted)
{
	struct reading reading;
	const struct usage_event *event = &reading.record.event;

	reading_begin(&reading, description);
	reading_of(&reading, payload);
	EXPECT_REASON(reading.record, REASON_NONE, payload);
	EXPECT_TEXT(arena_format(&reading.arena, "%s %s %s", text_of(&reading.arena, event->series[SERIES_TENANT]),
			text_of(&reading.arena, event->source), text_of(&reading.arena, event->id)),
	    wanted);
	reading_end(&reading);
}

static void
expect_time(const char *description, const char *payload, const char *wanted)
{
	char shown[INSTANT_TEXT];
	struct reading reading;

	reading_begin(&reading, description);
	reading_of(&reading, payload);
	EXPECT_REASON(reading.record, REASON_NONE, payload);
	EXPECT_TEXT(instant_format(reading.record.event.time, shown), wanted);
	reading_end(&reading);
}

/* --- identity --------------------------------------------------------------------------------------- */

static void
a_bare_record_is_identified_by_its_own_fields(void)
{
	expect_identity(PLAIN, PAYLOAD COUNTS, "acme /test r-1");
	EXPECT_READ(PLAIN, PAYLOAD COUNTS, METERS);
	/* Digits are a name as good as a text; other numbers have several spellings. */
	expect_identity(PLAIN, "{\"id\":42,\"tenant\":7,\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\"," COUNTS, "7 /test 42");
	EXPECT_READ(PLAIN, "{\"id\":4.2,\"tenant\":7,\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\"," COUNTS, "E_TYPE id 4.2");
	EXPECT_READ(PLAIN, "{\"id\":\"None\",\"tenant\":\"a\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\"," COUNTS,
	    "E_ID_PLACEHOLDER id None");
	EXPECT_READ(
	    PLAIN, "{\"id\":\"\",\"tenant\":\"a\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\"," COUNTS, "E_ID_MISSING id ");
	EXPECT_READ(PLAIN, "{\"id\":\"a\",\"tenant\":null,\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m\"," COUNTS,
	    "E_SUBJECT_MISSING tenant ");
}

static void
a_format_without_a_safe_id_says_what_to_do(void)
{
	EXPECT_READ(FORMAT "\"fields\":{\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\"}," SIDES "}", PAYLOAD COUNTS,
	    "E_ID_MISSING id test has no field that is safe as an id: name one with --field id=PATH, or capture in a CloudEvent");
}

static void
a_cloudevent_says_who_and_when_before_its_payload_does(void)
{
	expect_identity(PLAIN, CLOUDEVENT(""), "north /gw cap-1");
	expect_time(PLAIN, CLOUDEVENT(""), "2026-11-03T11:00:00Z");
	/* What it does not have may stand in the payload. */
	expect_identity(PLAIN,
	    "{\"specversion\":\"1.0\",\"type\":\"capture\",\"source\":\"/gw\",\"id\":\"cap-1\",\"data\":" PAYLOAD COUNTS "}",
	    "acme /gw cap-1");
	EXPECT_READ(FORMAT "\"fields\":{\"model\":\"model\"}," SIDES "}",
	    "{\"specversion\":\"1.0\",\"type\":\"capture\",\"source\":\"/gw\",\"id\":\"cap-1\",\"data\":" PAYLOAD COUNTS "}",
	    "E_TIME_MISSING time ");
}

static void
an_id_can_be_made_of_several_fields_and_a_batch(void)
{
	expect_identity(FORMAT "\"fields\":{\"id\":{\"path\":[\"trace\",\"span\"],\"join\":\"/\"},\"tenant\":\"tenant\","
			       "\"time\":\"time\",\"model\":\"model\"}," SIDES "}",
	    PAYLOAD "\"trace\":\"t9\",\"span\":\"s3\"," COUNTS, "acme /test t9/s3");
	EXPECT_READ(FORMAT "\"fields\":{\"id\":{\"path\":[\"trace\",\"span\"],\"join\":\"/\"},\"tenant\":\"tenant\","
			   "\"time\":\"time\",\"model\":\"model\"}," SIDES "}",
	    PAYLOAD "\"trace\":\"t9\",\"span\":null," COUNTS, "E_ID_MISSING trace ");
	expect_identity(FIELD("\"batch\":\"batch\""), PAYLOAD "\"batch\":\"b-5\"," COUNTS, "acme /test b-5/r-1");
	EXPECT_READ(FIELD("\"batch\":\"batch\""), PAYLOAD COUNTS,
	    "E_ID_MISSING batch the id is unique in its batch alone: say which with --constant batch=ID");
	/* An id of the capture is unique by itself. */
	expect_identity(FIELD("\"batch\":\"batch\""), CLOUDEVENT(""), "north /gw cap-1");
}

static void
a_provisional_event_is_corrected_by_the_one_that_revises_it(void)
{
	struct reading reading;
	const struct usage_event *event = &reading.record.event;

	reading_begin(&reading, PLAIN);
	reading_of(&reading, CLOUDEVENT("\"revises\":\"cap-0\","));
	CU_ASSERT_EQUAL(event->kind, EVENT_CORRECTION);
	EXPECT_TEXT(text_of(&reading.arena, event->ref_source), "/gw");
	EXPECT_TEXT(text_of(&reading.arena, event->ref_id), "cap-0");
	reading_of(&reading, CLOUDEVENT("\"revises\":\" cap-0\","));
	EXPECT_TEXT(record_line(&reading.arena, &reading.record), "E_VALUE revises  cap-0");
	reading_end(&reading);
}

/* --- times ------------------------------------------------------------------------------------------ */

static void
times_are_read_in_the_unit_that_is_declared_and_cut_to_microseconds(void)
{
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1793700000"), "2026-11-03T10:00:00Z");
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1793700000.1259999"), "2026-11-03T10:00:00.125999Z");
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1.7937e9"), "2026-11-03T10:00:00Z");
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("\"1793700000.5\""), "2026-11-03T10:00:00.500000Z");
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"ms\"}"), AT("1793700000001"), "2026-11-03T10:00:00.001000Z");
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"us\"}"), AT("1793700000000001"), "2026-11-03T10:00:00.000001Z");
	/* The last nanosecond of October stays in October. */
	expect_time(TIMES("{\"path\":\"time\",\"unit\":\"ns\"}"), AT("\"1793491199999999999\""), "2026-10-31T23:59:59.999999Z");
}

static void
a_number_of_another_unit_is_told_from_one_that_is_no_time(void)
{
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1793700000000"), "E_TIME_UNIT time 1793700000000");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"ms\"}"), AT("1793700000"), "E_TIME_UNIT time 1793700000");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"ns\"}"), AT("1793700000"), "E_TIME_UNIT time 1793700000");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("0"), "E_TIME_RANGE time 0");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("-1793700000"), "E_TIME_RANGE time -1793700000");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1e400"), "E_TIME_RANGE time 1e400");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("\"2026-11-03T10:00:00Z\""),
	    "E_TIME_FORMAT time 2026-11-03T10:00:00Z");
	EXPECT_READ(TIMES("{\"path\":\"time\",\"unit\":\"s\"}"), AT("1793886400"), "E_TIME_FUTURE time 2026-11-05T13:46:40Z");
}

static void
texts_have_an_offset_or_the_zone_that_is_declared(void)
{
	expect_time(PLAIN, AT("\"2026-11-03T12:00:00+02:00\""), "2026-11-03T10:00:00Z");
	expect_time(PLAIN, AT("\"2026-11-03 10:00:00.250000+00:00\""), "2026-11-03T10:00:00.250000Z");
	EXPECT_READ(PLAIN, AT("\"2026-11-03T10:00:00\""), "E_TIME_NO_ZONE time 2026-11-03T10:00:00");
	EXPECT_READ(PLAIN, AT("1793700000"), "E_TIME_FORMAT time 1793700000");
	EXPECT_READ(PLAIN, AT("\"now\""), "E_TIME_FORMAT time now");
	EXPECT_READ(PLAIN, AT("null"), "E_TIME_MISSING time ");
	expect_time(TIMES("{\"path\":\"time\",\"zone\":\"UTC\"}"), AT("\"2026-11-03 10:00:00.000\""), "2026-11-03T10:00:00Z");
	expect_time(TIMES("{\"path\":\"time\",\"zone\":\"+02:00\"}"), AT("\"2026-11-03T10:00:00\""), "2026-11-03T08:00:00Z");
	/* What says its own offset keeps it. */
	expect_time(TIMES("{\"path\":\"time\",\"zone\":\"+02:00\"}"), AT("\"2026-11-03T10:00:00Z\""), "2026-11-03T10:00:00Z");
}

static void
a_duration_leads_from_the_start_to_the_end(void)
{
	static const char kong[] = TIMES("{\"path\":\"time\",\"unit\":\"ms\",\"plus\":{\"path\":\"took\",\"unit\":\"ms\"}}");

	expect_time(kong, AT("1793699998500,\"took\":1500"), "2026-11-03T10:00:00Z");
	expect_time(kong, AT("1793699998500,\"took\":0.5"), "2026-11-03T09:59:58.500500Z");
	expect_time(kong, AT("1793699998500,\"took\":null"), "2026-11-03T09:59:58.500000Z");
	EXPECT_READ(kong, AT("1793699998500,\"took\":-1"), "E_TIME_FORMAT took -1");
	EXPECT_READ(kong, AT("1793699998500,\"took\":\"long\""), "E_TIME_FORMAT took long");
	expect_time(TIMES("{\"path\":\"time\",\"plus\":{\"path\":\"took\",\"unit\":\"ms\"}}"),
	    AT("\"2026-11-03T09:59:58.500Z\",\"took\":1500"), "2026-11-03T10:00:00Z");
}

/* --- texts ------------------------------------------------------------------------------------------ */

static void
words_of_the_source_become_ours(void)
{
	static const char tiers[] =
	    FIELD("\"service_tier\":{\"path\":\"tier\",\"words\":{\"ON_DEMAND\":\"default\",\"FLEX\":\"flex\"}}");
	static const char states[] = FIELD(
	    "\"status\":{\"path\":\"state\",\"words\":{\"200\":\"completed\",\"cancelled\":\"aborted\"},\"only_words\":true}");

	expect_series(tiers, PAYLOAD "\"tier\":\"FLEX\"," COUNTS, SERIES_SERVICE_TIER, "flex");
	expect_series(tiers, PAYLOAD "\"tier\":\"turbo\"," COUNTS, SERIES_SERVICE_TIER, "turbo");
	expect_series(tiers, PAYLOAD COUNTS, SERIES_SERVICE_TIER, "default");
	expect_series(states, PAYLOAD "\"state\":200," COUNTS, SERIES_STATUS, "completed");
	expect_series(states, PAYLOAD "\"state\":\"cancelled\"," COUNTS, SERIES_STATUS, "aborted");
	expect_series(states, PAYLOAD "\"state\":\"on fire\"," COUNTS, SERIES_STATUS, "unknown");
	expect_series(states, PAYLOAD COUNTS, SERIES_STATUS, "completed");
	EXPECT_READ(FIELD("\"status\":\"state\""), PAYLOAD "\"state\":\"on fire\"," COUNTS, "E_VALUE state on fire");
	EXPECT_READ(FIELD("\"region\":\"where\""), PAYLOAD "\"where\":[1]," COUNTS, "E_TYPE where an array");
	EXPECT_READ(FIELD("\"region\":\"where\""), PAYLOAD "\"where\":\"a\\nb\"," COUNTS, "E_VALUE where a\nb");
	/* An empty text is what sources write for nothing. */
	expect_series(
	    FIELD("\"region\":[\"where\",\"zone\"]"), PAYLOAD "\"where\":\"\",\"zone\":\"eu\"," COUNTS, SERIES_REGION, "eu");
}

static void
an_attribute_says_what_the_payload_does_not_and_a_constant_the_rest(void)
{
	static const char described[] =
	    FORMAT "\"fields\":{\"id\":\"id\",\"tenant\":\"tenant\",\"time\":\"time\",\"model\":\"model\",\"region\":\"where\"},"
		   "\"constants\":{\"operation\":\"chat\",\"region\":\"nowhere\"}," SIDES "}";

	expect_series(described, PAYLOAD "\"where\":\"eu\"," COUNTS, SERIES_REGION, "eu");
	expect_series(described, PAYLOAD COUNTS, SERIES_REGION, "nowhere");
	expect_series(described, CLOUDEVENT("\"region\":\"us\","), SERIES_REGION, "us");
	expect_series(described, CLOUDEVENT(""), SERIES_REGION, "nowhere");
	expect_series(described, CLOUDEVENT("\"model\":\"other\","), SERIES_MODEL, "m-1");
}

static void
served_names_are_kept_and_say_their_base_model_and_adapter(void)
{
	static const char names[] = FORMAT FIELDS SIDES
	    ",\"names\":[{\"begins\":\"ft:\",\"base_model\":{\"after\":\"ft:\",\"before\":\":\"},\"adapter\":{},\"adapter_kind\":"
	    "\"fine_tune\"},{\"contains\":\"/\",\"base_model\":{\"after\":\"/\",\"before\":\":\"}},"
	    "{\"contains\":\":\",\"base_model\":{\"before\":\":\"},\"adapter\":{\"after\":\":\"},\"adapter_kind\":\"lora\"}],"
	    "\"adapters\":{\"acme-math\":\"llama-8b\"}}";
#define MODEL(name) "{\"id\":\"r-1\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"" name "\"," COUNTS

	expect_series(names, MODEL("ft:gpt-4.1-mini:acme::B7ft:2"), SERIES_MODEL, "ft:gpt-4.1-mini:acme::B7ft:2");
	expect_series(names, MODEL("ft:gpt-4.1-mini:acme::B7ft:2"), SERIES_BASE_MODEL, "gpt-4.1-mini");
	expect_series(names, MODEL("ft:gpt-4.1-mini:acme::B7ft:2"), SERIES_ADAPTER, "ft:gpt-4.1-mini:acme::B7ft:2");
	expect_series(names, MODEL("ft:gpt-4.1-mini:acme::B7ft:2"), SERIES_ADAPTER_KIND, "fine_tune");
	expect_series(names, MODEL("a/b/qwen3-32b:free"), SERIES_BASE_MODEL, "qwen3-32b");
	expect_series(names, MODEL("llama:acme-legal"), SERIES_BASE_MODEL, "llama");
	expect_series(names, MODEL("llama:acme-legal"), SERIES_ADAPTER, "acme-legal");
	expect_series(names, MODEL("llama"), SERIES_BASE_MODEL, "");
	expect_series(names, MODEL("acme-math"), SERIES_BASE_MODEL, "llama-8b");
	expect_series(names, MODEL("acme-math"), SERIES_ADAPTER, "acme-math");
	expect_series(names, MODEL("acme-math"), SERIES_ADAPTER_KIND, "lora");
	/* A kind without an adapter is none. */
	expect_series(FIELD("\"adapter_kind\":\"kind\""), PAYLOAD "\"kind\":\"lora\"," COUNTS, SERIES_ADAPTER_KIND, "");
#undef MODEL
}

/* --- rules ------------------------------------------------------------------------------------------ */

static void
rules_ignore_set_aside_set_and_flag_in_their_order(void)
{
#define RULES(rules) FORMAT FIELDS SIDES ",\"rules\":[" rules "]}"
	static const char failed[] =
	    RULES("{\"when\":{\"code\":{\"at_least\":400},\"$output\":null},\"then\":{\"ignore\":\"N_FAILED_NO_USAGE\"}},"
		  "{\"when\":{\"$input\":0,\"$output\":0},\"then\":{\"set_aside\":\"E_ZERO_AMBIGUOUS\"}},"
		  "{\"when\":{\"code\":499},\"then\":{\"set\":{\"status\":\"aborted\"}}},"
		  "{\"when\":{\"code\":499},\"then\":{\"set\":{\"status\":\"failed\"}}},"
		  "{\"when\":{\"code\":499},\"then\":{\"partial\":true}},"
		  "{\"when\":{\"code\":{\"not\":null}},\"then\":{\"flag\":\"F_MAYBE_ESTIMATED\"}}");

	EXPECT_READ(failed, PAYLOAD "\"code\":429,\"in\":null,\"out\":null}", "N_FAILED_NO_USAGE code 429");
	EXPECT_READ(failed, PAYLOAD "\"code\":200,\"in\":0.0,\"out\":0}", "E_ZERO_AMBIGUOUS in 0");
	EXPECT_READ(failed, PAYLOAD "\"code\":200,\"in\":0,\"out\":1}", "requests=1 output_text_tokens=1");
	expect_series(failed, PAYLOAD "\"code\":499," COUNTS, SERIES_STATUS, "aborted");
	EXPECT_FLAGS(failed, PAYLOAD "\"code\":499," COUNTS, "F_PARTIAL,F_MAYBE_ESTIMATED");
	EXPECT_FLAGS(failed, PAYLOAD COUNTS, "");
	EXPECT_READ(RULES("{\"when\":{\"type\":[\"SPAN\",\"EVENT\"]},\"then\":{\"ignore\":\"N_AGGREGATE_SPAN\"}}"),
	    PAYLOAD "\"type\":\"EVENT\"," COUNTS, "N_AGGREGATE_SPAN type EVENT");
	EXPECT_READ(RULES("{\"when\":{\"type\":{\"begins\":\"tot\"}},\"then\":{\"ignore\":\"N_TOTAL_ONLY\"}}"),
	    PAYLOAD "\"type\":\"total\"," COUNTS, "N_TOTAL_ONLY type total");
	EXPECT_READ(RULES("{\"when\":{\"cut\":true},\"then\":{\"set_aside\":\"E_DETAIL_CONFLICT\"}}"),
	    PAYLOAD "\"cut\":true," COUNTS, "E_DETAIL_CONFLICT cut true");
	EXPECT_READ(RULES("{\"when\":{\"code\":{\"at_most\":-1}},\"then\":{\"set_aside\":\"E_USAGE_MISSING\"}}"),
	    PAYLOAD "\"code\":-2," COUNTS, "E_USAGE_MISSING code -2");
#undef RULES
}

static void
a_person_may_say_that_zero_is_zero(void)
{
	struct reading reading;

	reading_begin(&reading,
	    FORMAT FIELDS SIDES
	    ",\"rules\":[{\"when\":{\"$input\":0,\"$output\":0},\"then\":{\"set_aside\":\"E_ZERO_AMBIGUOUS\"}}]}");
	reading.rules.waived = E_ZERO_AMBIGUOUS;
	reading_of(&reading, PAYLOAD "\"in\":0,\"out\":0}");
	EXPECT_TEXT(record_line(&reading.arena, &reading.record), "requests=1");
	EXPECT_TEXT(flags_line(&reading.arena, &reading.record), "F_ZERO_TOKENS,F_WAIVED");
	reading_end(&reading);
}

static void
an_answer_of_the_gateways_cache_has_no_tokens(void)
{
	static const char cached[] =
	    FORMAT FIELDS SIDES ",\"rules\":[{\"when\":{\"cache_hit\":\"True\"},\"then\":{\"gateway_cache\":true}}]}";
	static const char told[] =
	    FIELD("\"served_from\":{\"path\":\"hit\",\"words\":{\"yes\":\"gateway_cache\",\"no\":\"model\"}}");
	struct reading reading;

	EXPECT_READ(cached, PAYLOAD "\"cache_hit\":\"True\"," COUNTS, "requests=1 gateway_cache_hits=1");
	expect_series(cached, PAYLOAD "\"cache_hit\":\"True\"," COUNTS, SERIES_SERVED_FROM, "gateway_cache");
	EXPECT_READ(cached, PAYLOAD "\"cache_hit\":\"False\"," COUNTS, METERS);
	EXPECT_READ(told, PAYLOAD "\"hit\":\"yes\"," COUNTS, "requests=1 gateway_cache_hits=1");
	reading_begin(&reading, cached);
	reading_of(&reading, PAYLOAD "\"cache_hit\":\"True\"," COUNTS);
	CU_ASSERT_EQUAL(reading.record.event.context_input_tokens, -1);
	EXPECT_TEXT(flags_line(&reading.arena, &reading.record), "");
	reading_end(&reading);
}

/* --- streams, passes, counts ------------------------------------------------------------------------- */

static void
what_was_cut_is_aborted_and_partial(void)
{
	expect_series(PLAIN, CLOUDEVENT("\"closed\":\"client\","), SERIES_STATUS, "aborted");
	EXPECT_FLAGS(PLAIN, CLOUDEVENT("\"closed\":\"client\","), "F_PARTIAL");
	expect_series(PLAIN, CLOUDEVENT("\"closed\":\"clean\","), SERIES_STATUS, "completed");
	EXPECT_FLAGS(PLAIN, CLOUDEVENT("\"closed\":\"clean\","), "");
	EXPECT_READ(PLAIN, CLOUDEVENT("\"closed\":\"perhaps\","), "E_VALUE closed perhaps");
}

static void
an_answer_of_several_passes_is_an_event_each_and_one_request(void)
{
	static const char passes[] = FORMAT FIELDS
	    "\"input\":{\"total\":\"usage/in\"},\"output\":{\"total\":\"usage/out\"},\"counts\":{\"web_search_calls\":\"usage/"
	    "searches\"},"
	    "\"iterations\":{\"path\":\"usage/passes\",\"instead_of\":\"usage\",\"kind\":\"type\",\"model\":\"model\","
	    "\"operations\":{\"compaction\":\"compaction\"}}}";
	struct reading reading;
	const struct record *second;

	reading_begin(&reading, passes);
	reading_of(&reading,
	    PAYLOAD "\"usage\":{\"in\":21,\"out\":9,\"searches\":2,\"passes\":[{\"type\":\"compaction\",\"in\":165,\"out\":28},"
		    "{\"type\":\"message\",\"model\":\"m-2\",\"in\":21,\"out\":9}]}}");
	CU_ASSERT_EQUAL_FATAL(reading.events.count, 2);
	second = &reading.events.records[1];
	EXPECT_TEXT(record_line(&reading.arena, &reading.record),
	    "requests=1 input_text_uncached_tokens=165 output_text_tokens=28 web_search_calls=2");
	EXPECT_TEXT(record_line(&reading.arena, second), "input_text_uncached_tokens=21 output_text_tokens=9");
	EXPECT_TEXT(text_of(&reading.arena, reading.record.event.id), "r-1/it0");
	EXPECT_TEXT(text_of(&reading.arena, second->event.id), "r-1/it1");
	EXPECT_TEXT(text_of(&reading.arena, reading.record.event.series[SERIES_OPERATION]), "compaction");
	EXPECT_TEXT(text_of(&reading.arena, second->event.series[SERIES_OPERATION]), "chat");
	EXPECT_TEXT(text_of(&reading.arena, reading.record.event.series[SERIES_MODEL]), "m-1");
	EXPECT_TEXT(text_of(&reading.arena, second->event.series[SERIES_MODEL]), "m-2");
	reading_end(&reading);
}

static void
other_meters_are_counted_beside_tokens(void)
{
	static const char counts[] = FORMAT FIELDS SIDES ",\"counts\":{\"audio_input_seconds\":\"seconds\",\"web_search_calls\":{"
							 "\"count\":\"calls/[type=search]\"},\"images\":\"pictures\"}}";

	EXPECT_READ(counts, PAYLOAD "\"seconds\":92.4," COUNTS, METERS " audio_input_seconds=92.4");
	EXPECT_READ(counts, PAYLOAD "\"seconds\":\"92.40\"," COUNTS, METERS " audio_input_seconds=92.4");
	EXPECT_READ(counts, PAYLOAD "\"seconds\":92.4}", "requests=1 audio_input_seconds=92.4");
	EXPECT_READ(counts, PAYLOAD "\"seconds\":-1}", "E_NEGATIVE seconds -1");
	EXPECT_READ(counts, PAYLOAD "\"seconds\":true}", "E_TYPE seconds true");
	EXPECT_READ(counts, PAYLOAD "\"pictures\":0," COUNTS, METERS);
	EXPECT_READ(counts, PAYLOAD "\"pictures\":1.5," COUNTS, "E_NOT_INTEGER pictures 1.5");
	EXPECT_READ(counts, PAYLOAD "\"calls\":[{\"type\":\"search\"},{\"type\":\"talk\"},{\"type\":\"search\"}]," COUNTS,
	    METERS " web_search_calls=2");
	/* Tools that were called do not make up for tokens that are not told. */
	EXPECT_READ(counts, PAYLOAD "\"calls\":[{\"type\":\"search\"}],\"in\":null,\"out\":null}", "E_USAGE_MISSING in ");
	EXPECT_READ(FORMAT FIELDS SIDES ",\"counts\":{\"web_fetch_calls\":\"fetches\"}}", PAYLOAD "\"fetches\":2}",
	    "E_USAGE_MISSING in ");
	EXPECT_READ(FORMAT FIELDS SIDES ",\"counts\":{\"images\":{\"count\":\"data/[]\"}}}", PAYLOAD "\"data\":[1,2]}",
	    "E_USAGE_MISSING in ");
	EXPECT_READ(FORMAT FIELDS "\"input\":{\"total\":{\"path\":\"in\",\"absent\":\"zero\"}},\"counts\":{\"web_fetch_calls\":"
				  "\"fetches\"}}",
	    PAYLOAD "\"fetches\":2}", "requests=1 web_fetch_calls=2");
	EXPECT_READ(FORMAT FIELDS SIDES ",\"requests\":0}", PAYLOAD COUNTS, "input_text_uncached_tokens=10 output_text_tokens=5");
	EXPECT_READ(FORMAT FIELDS SIDES ",\"counts\":{\"requests\":\"calls\"}}", PAYLOAD "\"calls\":3," COUNTS,
	    "requests=3 input_text_uncached_tokens=10 output_text_tokens=5");
}

static void
the_model_is_needed_and_estimates_are_flagged(void)
{
	EXPECT_READ(
	    PLAIN, "{\"id\":\"r-1\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\"," COUNTS, "E_MODEL_MISSING model ");
	EXPECT_FLAGS(FIELD("\"method\":\"how\""), PAYLOAD "\"how\":\"estimate\"," COUNTS, "F_ESTIMATED");
	EXPECT_FLAGS(FORMAT FIELDS SIDES ",\"flags\":[\"F_INCLUSION_ASSUMED\",\"F_FROM_TIMINGS\"]}", PAYLOAD COUNTS,
	    "F_INCLUSION_ASSUMED,F_FROM_TIMINGS");
}

/* --- what is kept, what is told ---------------------------------------------------------------------- */

static void
attribution_engine_and_trace_are_objects_as_the_canonical_event_has_them(void)
{
	static const char kept[] = FIELD("\"user_id\":\"user\",\"end_user\":\"end\",\"engine\":\"server\",\"response_id\":\"id\","
					 "\"trace_id\":\"span\",\"attempt\":\"try\"");
	struct reading reading;

	reading_begin(&reading, kept);
	reading_of(&reading,
	    PAYLOAD "\"user\":\"u\\\"1\\\\\",\"end\":\"\",\"server\":\"vllm\\n\",\"span\":\"\\u0001\xc3\xa4\",\"try\":2," COUNTS);
	EXPECT_REASON(reading.record, REASON_NONE, "all of it");
	EXPECT_TEXT(text_of(&reading.arena, reading.record.event.context),
	    "{\"attribution\":{\"user_id\":\"u\\\"1\\\\\"},\"engine\":{\"name\":\"vllm\\u000a\"},"
	    "\"trace\":{\"response_id\":\"r-1\",\"trace_id\":\"\\u0001\xc3\xa4\",\"attempt\":2}}");
	reading_of(&reading, PAYLOAD "\"user\":[]," COUNTS);
	EXPECT_TEXT(record_line(&reading.arena, &reading.record), "E_TYPE user an array");
	reading_end(&reading);
	reading_begin(&reading, PLAIN);
	reading_of(&reading, PAYLOAD COUNTS);
	CU_ASSERT_EQUAL(reading.record.event.context.length, 0);
	reading_end(&reading);
}

static void
every_field_tells_where_it_comes_from(void)
{
	struct reading reading;

	reading_begin(&reading,
	    FIELD("\"finish_reason\":\"why\",\"started_at\":{\"path\":\"begun\",\"unit\":\"s\"},\"model_requested\":\"asked\""));
	reading_of(&reading, PAYLOAD "\"why\":\"stop\",\"begun\":1793699998,\"asked\":\"m\"," COUNTS);
	EXPECT_TEXT(explained(&reading, "id"), "r-1 (id)");
	EXPECT_TEXT(explained(&reading, "source"), "/test (the command)");
	EXPECT_TEXT(explained(&reading, "tenant"), "acme (tenant)");
	EXPECT_TEXT(explained(&reading, "time"), "2026-11-03T10:00:00Z (time)");
	EXPECT_TEXT(explained(&reading, "model"), "m-1 (model)");
	EXPECT_TEXT(explained(&reading, "operation"), "chat (a constant)");
	EXPECT_TEXT(explained(&reading, "requests"), "1 (one event)");
	EXPECT_TEXT(explained(&reading, "output_text_tokens"), "5 (out)");
	EXPECT_TEXT(explained(&reading, "context_input_tokens"), "10 (all of the input)");
	EXPECT_TEXT(explained(&reading, "finish_reason"), "stop (why)");
	EXPECT_TEXT(explained(&reading, "started_at"), "2026-11-03T09:59:58Z (begun)");
	EXPECT_TEXT(explained(&reading, "model_requested"), "m (asked)");
	reading_of(&reading, CLOUDEVENT("\"closed\":\"client\","));
	EXPECT_TEXT(explained(&reading, "id"), "cap-1 (the event's attribute)");
	EXPECT_TEXT(explained(&reading, "status"), "aborted (the stream has no end)");
	EXPECT_TEXT(explained(&reading, "flag"), "F_PARTIAL ()");
	reading_end(&reading);
}

UNIT_TESTS("ingest/profile_event", TEST(a_bare_record_is_identified_by_its_own_fields),
    TEST(a_format_without_a_safe_id_says_what_to_do), TEST(a_cloudevent_says_who_and_when_before_its_payload_does),
    TEST(an_id_can_be_made_of_several_fields_and_a_batch), TEST(a_provisional_event_is_corrected_by_the_one_that_revises_it),
    TEST(times_are_read_in_the_unit_that_is_declared_and_cut_to_microseconds),
    TEST(a_number_of_another_unit_is_told_from_one_that_is_no_time), TEST(texts_have_an_offset_or_the_zone_that_is_declared),
    TEST(a_duration_leads_from_the_start_to_the_end), TEST(words_of_the_source_become_ours),
    TEST(an_attribute_says_what_the_payload_does_not_and_a_constant_the_rest),
    TEST(served_names_are_kept_and_say_their_base_model_and_adapter), TEST(rules_ignore_set_aside_set_and_flag_in_their_order),
    TEST(a_person_may_say_that_zero_is_zero), TEST(an_answer_of_the_gateways_cache_has_no_tokens),
    TEST(what_was_cut_is_aborted_and_partial), TEST(an_answer_of_several_passes_is_an_event_each_and_one_request),
    TEST(other_meters_are_counted_beside_tokens), TEST(the_model_is_needed_and_estimates_are_flagged),
    TEST(attribution_engine_and_trace_are_objects_as_the_canonical_event_has_them), TEST(every_field_tells_where_it_comes_from))
