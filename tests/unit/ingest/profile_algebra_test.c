/* profile_algebra_test.c -- what is inside what: counts of all kinds of sources as disjoint meters. */
#include "ingest/quantity.h"
#include "tests/support/random.h"
#include "tests/unit/ingest/profiles.h"

/* Everything inside two totals, as OpenAI and those who copy it write it. */
#define INSIDE                                                                                                                   \
	FORMAT FIELDS                                                                                                            \
	    "\"input\":{\"total\":\"in\",\"inside\":{\"cache_read\":\"read\",\"cache_write\":\"write\",\"text\":\"text\","       \
	    "\"audio\":\"audio\",\"image\":\"image\",\"video\":\"video\"},\"beside\":{\"tool_use\":\"tool\"}},"                  \
	    "\"output\":{\"total\":\"out\",\"inside\":{\"reasoning\":\"thought\",\"text\":\"said\",\"audio\":\"spoken\","        \
	    "\"rejected_prediction\":\"rejected\"}},\"total\":\"all\"}"
/* No totals: each key a part of its own, as Anthropic and Langfuse write it. */
#define BESIDE                                                                                                                   \
	FORMAT FIELDS "\"input\":{\"beside\":{\"text\":{\"path\":\"in\",\"absent\":\"fault\"},\"cache_read\":\"read\",\"cache_"  \
		      "write\":\"write\","                                                                                       \
		      "\"cache_write_5m\":\"write5\",\"cache_write_1h\":\"write60\",\"audio\":\"audio\",\"image\":\"image\","    \
		      "\"tool_use\":\"tool\"}},"                                                                                 \
		      "\"output\":{\"beside\":{\"text\":\"out\",\"reasoning\":\"thought\",\"audio\":\"spoken\",\"rejected_"      \
		      "prediction\":\"rejected\"}},"                                                                             \
		      "\"total\":\"all\"}"
/* The total decides whether thoughts are inside. */
#define EITHER                                                                                                                   \
	FORMAT FIELDS "\"input\":{\"total\":\"in\",\"inside\":{\"cache_read\":\"read\",\"cache_write\":\"write\",\"audio\":"     \
		      "\"audio\",\"image\":\"image\"},"                                                                          \
		      "\"beside\":{\"tool_use\":\"tool\"}},"                                                                     \
		      "\"output\":{\"total\":\"out\",\"inside\":{\"audio\":\"spoken\",\"rejected_prediction\":\"rejected\","     \
		      "\"text\":\"said\"},"                                                                                      \
		      "\"either\":{\"reasoning\":\"thought\"}},\"total\":\"all\"}"
#define JOINT                                                                                                                    \
	FORMAT FIELDS "\"input\":{\"total\":\"in\",\"inside\":{\"audio\":\"audio\",\"cache_read\":\"read\",\"text_cache_read\":" \
		      "\"read_text\","                                                                                           \
		      "\"audio_cache_read\":\"read_audio\"}},\"output\":{\"total\":\"out\"}}"

static void
what_is_inside_is_taken_out_of_its_total(void)
{
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":3100,\"read\":2048,\"write\":512,\"out\":220,\"thought\":128,\"all\":3320}",
	    "requests=1 input_text_uncached_tokens=540 input_text_cache_read_tokens=2048 output_text_tokens=92 "
	    "output_reasoning_tokens=128 input_text_cache_write_tokens=512");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":410,\"text\":250,\"audio\":100,\"image\":60,\"out\":300,\"said\":60,\"spoken\":240}",
	    "requests=1 input_text_uncached_tokens=250 output_text_tokens=60 input_audio_uncached_tokens=100 "
	    "input_image_uncached_tokens=60 output_audio_tokens=240");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":900,\"out\":500,\"rejected\":70,\"all\":1400}",
	    "requests=1 input_text_uncached_tokens=900 output_text_tokens=430 output_rejected_prediction_tokens=70");
}

static void
what_is_beside_is_added_to_its_side(void)
{
	EXPECT_READ(BESIDE, PAYLOAD "\"in\":25,\"read\":12000,\"write\":1500,\"out\":160,\"thought\":260,\"all\":13945}",
	    "requests=1 input_text_uncached_tokens=25 input_text_cache_read_tokens=12000 output_text_tokens=160 "
	    "output_reasoning_tokens=260 input_text_cache_write_tokens=1500");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":5000,\"tool\":120,\"out\":300,\"all\":5420}",
	    "requests=1 input_text_uncached_tokens=5000 output_text_tokens=300 input_tool_use_tokens=120");
}

static void
a_part_above_its_total_is_set_aside_and_never_clamped(void)
{
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":1000,\"read\":1200,\"out\":5}", "E_SUBSET_EXCEEDS_TOTAL read 1200 of 1000");
	EXPECT_READ(
	    INSIDE, PAYLOAD "\"in\":1000,\"read\":600,\"write\":401,\"out\":5}", "E_SUBSET_EXCEEDS_TOTAL write 401 of 1000");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"audio\":11,\"out\":5}", "E_SUBSET_EXCEEDS_TOTAL audio 11 of 10");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"out\":5,\"thought\":9}", "E_SUBSET_EXCEEDS_TOTAL thought 9 of 5");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"out\":5,\"thought\":3,\"spoken\":3}", "E_SUBSET_EXCEEDS_TOTAL thought 6 of 5");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"read\":10,\"out\":5,\"thought\":5}",
	    "requests=1 input_text_cache_read_tokens=10 output_reasoning_tokens=5");
}

static void
a_text_that_is_told_must_be_what_is_left(void)
{
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":410,\"text\":250,\"audio\":150,\"out\":1}",
	    "E_DETAIL_SUM in 410, but the parts add up to 400");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":410,\"out\":90,\"said\":30,\"thought\":50}",
	    "E_DETAIL_SUM out 90, but the parts add up to 80");
}

static void
a_split_must_add_up_to_its_aggregate(void)
{
	EXPECT_READ(BESIDE, PAYLOAD "\"in\":40,\"write\":1500,\"write5\":500,\"write60\":1000,\"out\":12}",
	    "requests=1 input_text_uncached_tokens=40 input_text_cache_write_5m_tokens=500 "
	    "input_text_cache_write_1h_tokens=1000 output_text_tokens=12");
	EXPECT_READ(BESIDE, PAYLOAD "\"in\":40,\"write\":900,\"write5\":300,\"write60\":500,\"out\":12}",
	    "E_DETAIL_SUM write 900, but the parts add up to 800");
	EXPECT_READ(BESIDE, PAYLOAD "\"in\":40,\"write\":800,\"out\":12}",
	    "requests=1 input_text_uncached_tokens=40 output_text_tokens=12 input_text_cache_write_tokens=800");
	EXPECT_FLAGS(BESIDE, PAYLOAD "\"in\":40,\"write\":800,\"out\":12}", "F_CACHE_TTL_UNKNOWN");
	EXPECT_FLAGS(BESIDE, PAYLOAD "\"in\":40,\"write\":0,\"out\":12}", "");
	/* A source that never tells lifetimes is not flagged for it. */
	EXPECT_FLAGS(INSIDE, PAYLOAD "\"in\":40,\"write\":20,\"out\":12}", "");
}

static void
cached_tokens_of_a_told_modality_are_taken_from_it(void)
{
	EXPECT_READ(JOINT, PAYLOAD "\"in\":900,\"audio\":600,\"read\":512,\"read_text\":192,\"read_audio\":320,\"out\":1}",
	    "requests=1 input_text_uncached_tokens=108 input_text_cache_read_tokens=192 output_text_tokens=1 "
	    "input_audio_uncached_tokens=280 input_audio_cache_read_tokens=320");
	EXPECT_FLAGS(JOINT, PAYLOAD "\"in\":900,\"audio\":600,\"read\":512,\"read_text\":192,\"read_audio\":320,\"out\":1}", "");
	EXPECT_READ(JOINT, PAYLOAD "\"in\":900,\"audio\":600,\"read\":512,\"read_text\":192,\"out\":1}",
	    "E_DETAIL_SUM read 512, but the parts add up to 192");
	EXPECT_READ(JOINT, PAYLOAD "\"in\":900,\"audio\":300,\"read_audio\":301,\"out\":1}",
	    "E_SUBSET_EXCEEDS_TOTAL read_audio 301 of 300");
}

static void
cached_tokens_without_a_modality_are_text_first_and_flagged(void)
{
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":300,\"audio\":150,\"image\":50,\"read\":128,\"write\":32,\"out\":1}",
	    "requests=1 input_text_cache_read_tokens=100 output_text_tokens=1 input_audio_uncached_tokens=140 "
	    "input_audio_cache_write_tokens=10 input_image_cache_read_tokens=28 input_image_cache_write_tokens=22");
	EXPECT_FLAGS(INSIDE, PAYLOAD "\"in\":300,\"audio\":200,\"read\":28,\"out\":1}", "F_CACHE_MODALITY_ASSUMED");
	EXPECT_FLAGS(INSIDE, PAYLOAD "\"in\":300,\"audio\":200,\"read\":0,\"out\":1}", "");
	EXPECT_FLAGS(INSIDE, PAYLOAD "\"in\":300,\"read\":28,\"out\":1}", "");
}

static void
a_total_decides_what_is_inside_or_beside(void)
{
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":12,\"thought\":110,\"all\":162}",
	    "requests=1 input_text_uncached_tokens=40 output_text_tokens=12 output_reasoning_tokens=110");
	EXPECT_FLAGS(EITHER, PAYLOAD "\"in\":40,\"out\":12,\"thought\":110,\"all\":162}", "");
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":110,\"all\":160}",
	    "requests=1 input_text_uncached_tokens=40 output_text_tokens=10 output_reasoning_tokens=110");
	EXPECT_FLAGS(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":110,\"all\":160}", "F_INCLUSION_BY_TOTAL");
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":0}",
	    "requests=1 input_text_uncached_tokens=40 output_text_tokens=120");
	/* A text that is told with its total, thoughts in it or not. */
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"said\":120,\"thought\":110,\"all\":160}",
	    "requests=1 input_text_uncached_tokens=40 output_text_tokens=10 output_reasoning_tokens=110");
}

static void
without_a_total_that_decides_it_is_a_guess_and_set_aside(void)
{
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":150}",
	    "E_INCLUSION_AMBIGUOUS thought no total tells whether it is inside or beside");
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":110,\"all\":200}",
	    "E_TOTAL_UNEXPLAINED all 200, but the counts add up to 270");
	/* The total says inside, where it does not fit. */
	EXPECT_READ(EITHER, PAYLOAD "\"in\":40,\"out\":120,\"thought\":121,\"all\":160}",
	    "E_TOTAL_UNEXPLAINED all 160, but the counts add up to 281");
}

static void
a_total_that_differs_is_set_aside_or_flagged(void)
{
	EXPECT_READ(
	    INSIDE, PAYLOAD "\"in\":100,\"out\":5,\"all\":106}", "E_TOTAL_UNEXPLAINED all 106, but the counts add up to 105");
	/* Keys that are disjoint have no total of their own: then it is the parts that are wrong. */
	EXPECT_READ(BESIDE, PAYLOAD "\"in\":1020,\"read\":900,\"out\":60,\"all\":1080}",
	    "E_DETAIL_SUM all 1080, but the counts add up to 1980");
	EXPECT_READ(FORMAT FIELDS "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"},"
				  "\"total\":{\"path\":\"all\",\"wrong\":\"flag\"}}",
	    PAYLOAD "\"in\":100,\"out\":5,\"all\":900}", "requests=1 input_text_uncached_tokens=100 output_text_tokens=5");
	EXPECT_FLAGS(FORMAT FIELDS "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"},"
				   "\"total\":{\"path\":\"all\",\"wrong\":\"flag\"}}",
	    PAYLOAD "\"in\":100,\"out\":5,\"all\":900}", "F_TOTAL_MISMATCH");
}

static void
a_person_may_lift_the_check_of_a_total_but_not_choose_a_reading(void)
{
	struct reading reading;

	reading_begin(&reading, INSIDE);
	reading.rules.waived = E_TOTAL_UNEXPLAINED;
	reading_of(&reading, PAYLOAD "\"in\":100,\"out\":5,\"all\":106}");
	EXPECT_TEXT(
	    record_line(&reading.arena, &reading.record), "requests=1 input_text_uncached_tokens=100 output_text_tokens=5");
	CU_ASSERT((reading.record.event.flags & F_WAIVED) != 0);
	reading_end(&reading);
	reading_begin(&reading, EITHER);
	reading.rules.waived = E_TOTAL_UNEXPLAINED;
	reading_of(&reading, PAYLOAD "\"in\":40,\"out\":120,\"thought\":110,\"all\":200}");
	CU_ASSERT_EQUAL(reading.record.reason, E_INCLUSION_AMBIGUOUS);
	reading_end(&reading);
}

static void
missing_null_and_zero_are_three_things(void)
{
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":100,\"out\":0}", "requests=1 input_text_uncached_tokens=100");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":0,\"out\":0}", "requests=1");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":100,\"out\":null}", "E_COUNT_NULL out null");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":100}", "E_COUNT_NULL out missing");
	EXPECT_READ(INSIDE, PAYLOAD "\"thought\":100,\"out\":200}", "E_COUNT_NULL in missing");
	EXPECT_READ(BESIDE, PAYLOAD "\"read\":100,\"out\":200}", "E_COUNT_NULL in missing");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":null,\"out\":null}", "E_USAGE_MISSING in ");
	EXPECT_READ(INSIDE, PAYLOAD "\"all\":105}", "E_USAGE_MISSING in ");
	/* A part that is not there is nothing, unless the source says otherwise. */
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":100,\"read\":null,\"out\":1}",
	    "requests=1 input_text_uncached_tokens=100 output_text_tokens=1");
}

static void
what_a_source_does_not_tell_is_unknown(void)
{
	static const char description[] = FORMAT FIELDS
	    "\"input\":{\"total\":\"in\",\"inside\":{\"cache_read\":{\"path\":\"details/read\",\"absent\":\"zero_in_object\"}}},"
	    "\"output\":{\"total\":\"out\",\"inside\":{\"reasoning\":{\"path\":\"thought\",\"absent\":\"unknown\"}}}}";
	struct reading reading;

	reading_begin(&reading, description);
	reading_of(&reading, PAYLOAD "\"in\":10,\"out\":5}");
	EXPECT_TEXT(explained(&reading, "unknown"), "cache_read,reasoning (not told)");
	EXPECT_TEXT(flags_line(&reading.arena, &reading.record), "F_DETAILS_UNKNOWN");
	reading_of(&reading, PAYLOAD "\"in\":10,\"details\":{},\"out\":5}");
	EXPECT_TEXT(explained(&reading, "unknown"), "reasoning (not told)");
	EXPECT_TEXT(flags_line(&reading.arena, &reading.record), "");
	reading_of(&reading, PAYLOAD "\"in\":10,\"details\":{\"read\":4},\"thought\":0,\"out\":5}");
	EXPECT_TEXT(explained(&reading, "unknown"), "");
	reading_end(&reading);
	EXPECT_FLAGS(FORMAT FIELDS
	    "\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"},\"never_told\":[\"cache_write\"]}",
	    PAYLOAD "\"in\":10,\"out\":5}", "F_DETAILS_UNKNOWN");
}

static void
two_spellings_of_one_count_must_agree(void)
{
	static const char description[] = FORMAT FIELDS "\"input\":{\"total\":[\"in\",{\"path\":\"prompt\",\"deprecated\":true}],"
							"\"inside\":{\"cache_read\":[\"read\",\"hit\"]}},"
							"\"output\":{\"total\":\"out\"}}";

	EXPECT_READ(description, PAYLOAD "\"in\":10,\"read\":4,\"hit\":4,\"out\":5}",
	    "requests=1 input_text_uncached_tokens=6 input_text_cache_read_tokens=4 output_text_tokens=5");
	EXPECT_READ(description, PAYLOAD "\"in\":10,\"read\":0,\"hit\":4,\"out\":5}", "E_DETAIL_CONFLICT hit 4, but read is 0");
	EXPECT_FLAGS(description, PAYLOAD "\"prompt\":10,\"out\":5}", "F_DEPRECATED_FIELD");
	EXPECT_FLAGS(description, PAYLOAD "\"in\":10,\"prompt\":10,\"out\":5}", "");
}

static void
counts_are_whole_numbers_as_in_the_canonical_event(void)
{
	static const char texts_too[] =
	    FORMAT FIELDS "\"numbers\":\"texts too\",\"input\":{\"total\":\"in\"},\"output\":{\"total\":\"out\"}}";

	EXPECT_READ(
	    INSIDE, PAYLOAD "\"in\":1340.0,\"out\":2e2}", "requests=1 input_text_uncached_tokens=1340 output_text_tokens=200");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":57.6,\"out\":1}", "E_NOT_INTEGER in 57.6");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":1,\"out\":-1}", "E_NEGATIVE out -1");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":9007199254740992,\"out\":1}", "E_RANGE in 9007199254740992");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":1e400,\"out\":1}", "E_RANGE in 1e400");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":\"10\",\"out\":1}", "E_TYPE in 10");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"read\":{},\"out\":1}", "E_TYPE read an object");
	EXPECT_READ(INSIDE, PAYLOAD "\"in\":10,\"read\":true,\"out\":1}", "E_TYPE read true");
	EXPECT_READ(
	    texts_too, PAYLOAD "\"in\":\"1200\",\"out\":1}", "requests=1 input_text_uncached_tokens=1200 output_text_tokens=1");
	EXPECT_READ(texts_too, PAYLOAD "\"in\":\"12.5\",\"out\":1}", "E_NOT_INTEGER in 12.5");
	EXPECT_READ(texts_too, PAYLOAD "\"in\":\"twelve\",\"out\":1}", "E_TYPE in twelve");
	EXPECT_READ(texts_too, PAYLOAD "\"in\":\"\",\"out\":1}", "E_TYPE in ");
}

static void
the_sides_are_reported_with_everything_that_is_on_them(void)
{
	struct reading reading;

	reading_begin(&reading, BESIDE);
	reading_of(&reading, PAYLOAD "\"in\":25,\"read\":12000,\"write\":1500,\"out\":160}");
	EXPECT_TEXT(explained(&reading, "reported.input_tokens"), "13525 (in + cache_read + cache_write)");
	EXPECT_TEXT(explained(&reading, "reported.output_tokens"), "160 (out)");
	EXPECT_TEXT(explained(&reading, "reported.total_tokens"), "");
	CU_ASSERT_EQUAL(reading.record.event.context_input_tokens, 13525);
	EXPECT_TEXT(explained(&reading, "input_text_uncached_tokens"), "25 (in)");
	EXPECT_TEXT(explained(&reading, "input_text_cache_read_tokens"), "12000 (read)");
	reading_end(&reading);
	reading_begin(&reading, INSIDE);
	reading_of(&reading, PAYLOAD "\"in\":100,\"read\":40,\"audio\":10,\"out\":5,\"all\":105}");
	EXPECT_TEXT(explained(&reading, "input_text_uncached_tokens"), "50 (in - audio - cache_read)");
	EXPECT_TEXT(explained(&reading, "reported.total_tokens"), "105 (all)");
	reading_end(&reading);
}

static void
a_prompt_that_is_all_cached_is_suspect_where_the_format_says_so(void)
{
	static const char description[] = FORMAT FIELDS "\"input\":{\"total\":\"in\",\"inside\":{\"cache_read\":\"read\"}},"
							"\"output\":{\"total\":\"out\"},\"suspect_cache\":true}";

	EXPECT_FLAGS(description, PAYLOAD "\"in\":512,\"read\":511,\"out\":5}", "F_CACHE_SUSPECT");
	EXPECT_FLAGS(description, PAYLOAD "\"in\":512,\"read\":512,\"out\":5}", "F_CACHE_SUSPECT");
	EXPECT_FLAGS(description, PAYLOAD "\"in\":512,\"read\":510,\"out\":5}", "");
	EXPECT_FLAGS(description, PAYLOAD "\"in\":1,\"read\":0,\"out\":5}", "");
	EXPECT_FLAGS(INSIDE, PAYLOAD "\"in\":512,\"read\":511,\"out\":5}", "");
}

/* --- properties ------------------------------------------------------------------------------------ */

enum { CASES = 3000, CHOICES = 4000, SMALL = 12 };

/* What a request really used. */
struct used {
	int64_t text, read, written, audio, image, tool, said, thought, spoken, rejected;
};

/* Of any size, and nothing in one case of four; ten of them are below 2^53. */
static int64_t
any_count(uint64_t *state)
{
	uint64_t random = random_next(state);

	return random % 4 == 0 ? 0 : (int64_t)(random >> 16 >> (random % 48));
}

static struct used
any_usage(uint64_t *state)
{
	return (struct used){any_count(state), any_count(state), any_count(state), any_count(state), any_count(state),
	    any_count(state), any_count(state), any_count(state), any_count(state), any_count(state)};
}

static const char *
payload_of(struct arena *arena, const struct used *used, int64_t in, int64_t out)
{
	int64_t all = used->text + used->read + used->written + used->audio + used->image + used->tool + used->said +
	    used->thought + used->spoken + used->rejected;

	return arena_format(arena,
	    PAYLOAD "\"in\":%lld,\"read\":%lld,\"write\":%lld,\"audio\":%lld,\"image\":%lld,\"tool\":%lld,\"out\":%lld,"
		    "\"thought\":%lld,\"spoken\":%lld,\"rejected\":%lld,\"all\":%lld}",
	    (long long)in, (long long)used->read, (long long)used->written, (long long)used->audio, (long long)used->image,
	    (long long)used->tool, (long long)out, (long long)used->thought, (long long)used->spoken, (long long)used->rejected,
	    (long long)all);
}

static void
expect_used(struct reading *reading, const struct used *used, const char *payload)
{
	const struct {
		int meter;
		int64_t wanted;
	} meters[] = {{METER_input_text_uncached_tokens, used->text}, {METER_input_text_cache_read_tokens, used->read},
	    {METER_input_text_cache_write_tokens, used->written}, {METER_input_audio_uncached_tokens, used->audio},
	    {METER_input_image_uncached_tokens, used->image}, {METER_input_tool_use_tokens, used->tool},
	    {METER_output_text_tokens, used->said}, {METER_output_reasoning_tokens, used->thought},
	    {METER_output_audio_tokens, used->spoken}, {METER_output_rejected_prediction_tokens, used->rejected}};
	size_t stated = 1; /* requests */

	reading->rules.plausible_limit = COUNT_MAX;
	reading_of(reading, payload);
	EXPECT_REASON(reading->record, REASON_NONE, payload);
	for (size_t i = 0; i < sizeof meters / sizeof meters[0]; i++) {
		CU_ASSERT_EQUAL(
		    quantity_of(&reading->record.event, meters[i].meter), meters[i].wanted > 0 ? meters[i].wanted : -1);
		stated += meters[i].wanted > 0;
	}
	CU_ASSERT_EQUAL(reading->record.event.quantity_count, stated);
	arena_reset(&reading->arena);
}

static void
one_usage_is_the_same_meters_however_its_source_writes_it(void)
{
	struct reading inside, beside, either;
	uint64_t state = random_begin();

	reading_begin(&inside, INSIDE);
	reading_begin(&beside, BESIDE);
	reading_begin(&either, EITHER);
	for (int i = 0; i < CASES; i++) {
		struct used used = any_usage(&state);
		int64_t in = used.text + used.read + used.written + used.audio + used.image;
		int64_t out = used.said + used.thought + used.spoken + used.rejected;

		expect_used(&inside, &used, payload_of(&inside.arena, &used, in, out));
		expect_used(&beside, &used, payload_of(&beside.arena, &used, used.text, used.said));
		expect_used(&either, &used, payload_of(&either.arena, &used, in, out - used.thought));
		expect_used(&either, &used, payload_of(&either.arena, &used, in, out));
	}
	reading_end(&inside);
	reading_end(&beside);
	reading_end(&either);
}

static int64_t
side_of(const struct usage_event *event, enum meter_side side)
{
	int64_t sum = 0;

	for (size_t i = 0; i < event->quantity_count; i++) {
		CU_ASSERT(event->quantities[i].quantity > 0);
		if (meter_of(event->quantities[i].meter)->side == side)
			sum += event->quantities[i].quantity;
	}
	return sum;
}

static int64_t
small_count(uint64_t *state)
{
	return (int64_t)(random_next(state) % SMALL);
}

static void
what_is_accepted_adds_up_to_what_was_reported_and_nothing_else_is(void)
{
	struct reading reading;
	uint64_t state = random_begin();
	int accepted = 0;

	reading_begin(&reading, INSIDE);
	for (int i = 0; i < CHOICES; i++) {
		int64_t in = 2 * small_count(&state), out = 2 * small_count(&state), read = small_count(&state),
			written = small_count(&state) / 2, audio = small_count(&state) / 2, image = small_count(&state) / 2,
			tool = small_count(&state), thought = small_count(&state), spoken = small_count(&state) / 2;
		int64_t all = in + tool + out + (random_next(&state) % 8 == 0);
		const char *payload = arena_format(&reading.arena,
		    PAYLOAD "\"in\":%lld,\"out\":%lld,\"read\":%lld,\"write\":%lld,\"audio\":%lld,\"image\":%lld,\"tool\":%lld,"
			    "\"thought\":%lld,\"spoken\":%lld,\"all\":%lld}",
		    (long long)in, (long long)out, (long long)read, (long long)written, (long long)audio, (long long)image,
		    (long long)tool, (long long)thought, (long long)spoken, (long long)all);
		bool fits = all == in + tool + out && read + written <= in && audio + image <= in && thought + spoken <= out;

		reading_of(&reading, payload);
		if ((reading.record.reason == REASON_NONE) != fits)
			printf("\n    %s\n", payload);
		CU_ASSERT_EQUAL(reading.record.reason == REASON_NONE, fits);
		if (reading.record.reason == REASON_NONE) {
			CU_ASSERT_EQUAL(side_of(&reading.record.event, METER_SIDE_INPUT), in + tool);
			CU_ASSERT_EQUAL(side_of(&reading.record.event, METER_SIDE_OUTPUT), out);
			accepted++;
		}
		arena_reset(&reading.arena);
	}
	CU_ASSERT(accepted > CHOICES / 10 && accepted < CHOICES);
	reading_end(&reading);
}

UNIT_TESTS("ingest/profile_algebra", TEST(what_is_inside_is_taken_out_of_its_total), TEST(what_is_beside_is_added_to_its_side),
    TEST(a_part_above_its_total_is_set_aside_and_never_clamped), TEST(a_text_that_is_told_must_be_what_is_left),
    TEST(a_split_must_add_up_to_its_aggregate), TEST(cached_tokens_of_a_told_modality_are_taken_from_it),
    TEST(cached_tokens_without_a_modality_are_text_first_and_flagged), TEST(a_total_decides_what_is_inside_or_beside),
    TEST(without_a_total_that_decides_it_is_a_guess_and_set_aside), TEST(a_total_that_differs_is_set_aside_or_flagged),
    TEST(a_person_may_lift_the_check_of_a_total_but_not_choose_a_reading), TEST(missing_null_and_zero_are_three_things),
    TEST(what_a_source_does_not_tell_is_unknown), TEST(two_spellings_of_one_count_must_agree),
    TEST(counts_are_whole_numbers_as_in_the_canonical_event), TEST(the_sides_are_reported_with_everything_that_is_on_them),
    TEST(a_prompt_that_is_all_cached_is_suspect_where_the_format_says_so),
    TEST(one_usage_is_the_same_meters_however_its_source_writes_it),
    TEST(what_is_accepted_adds_up_to_what_was_reported_and_nothing_else_is))
