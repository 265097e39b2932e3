/* provisional_test.c -- a provisional count and the final one in one batch, where nothing of it is booked yet. */
#include "ledger/provisional.h"

#include "tests/support/unit.h"

enum { KEYS_MAX = 6 };

/* A batch of requests "r", all under one identity. */
struct case_batch {
	struct record records[KEYS_MAX];
	struct metered output[KEYS_MAX];
	struct admitted keys[KEYS_MAX];
	size_t count;
	struct arena arena;
};

static struct bytes
bytes(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static struct usage_event *
add(struct case_batch *batch, const char *id, int64_t output, bool partial)
{
	struct record *record = &batch->records[batch->count];
	struct usage_event *event = &record->event;

	CU_ASSERT_FATAL(batch->count < KEYS_MAX);
	batch->output[batch->count] = (struct metered){METER_output_text_tokens, output};
	*event = (struct usage_event){.kind = EVENT_USAGE,
	    .source = bytes("/gateway"),
	    .id = bytes(id),
	    .context_input_tokens = -1,
	    .quantities = &batch->output[batch->count],
	    .quantity_count = 1,
	    .flags = partial ? F_PARTIAL : 0};
	event->series[SERIES_TENANT] = bytes("acme");
	event_identify(event);
	batch->keys[batch->count] = (struct admitted){.record = record, .ordinal = batch->count};
	batch->count++;
	return event;
}

/* Settles until nothing changes, and tells each record in its order: its fate as a letter (n, d, c), and its id. */
static const char *
settled(struct case_batch *batch)
{
	static char told[512];
	size_t used = 0;
	bool changed;
	struct error err;

	keys_sort(batch->keys, batch->count);
	for (int round = 0;; round++) {
		CU_ASSERT_FATAL(round < 2);
		CU_ASSERT_TRUE_FATAL(provisional_settle(NULL, batch->keys, batch->count, &batch->arena, &changed, &err));
		if (!changed)
			break;
		keys_sort_again(batch->keys, batch->count);
	}
	told[0] = '\0';
	for (size_t ordinal = 0; ordinal < batch->count; ordinal++)
		for (size_t i = 0; i < batch->count; i++) {
			const struct usage_event *event = &batch->keys[i].record->event;

			if (batch->keys[i].ordinal == ordinal)
				used += (size_t)snprintf(told + used, sizeof told - used, "%s%c %.20s", ordinal == 0 ? "" : ", ",
				    "ndrcx"[batch->keys[i].admission], event -> kind == EVENT_CORRECTION ? event -> id.at : "r");
		}
	return told;
}

#define EXPECT_SETTLED(batch, wanted)                                                                                            \
	do {                                                                                                                     \
		EXPECT_TEXT(settled(&(batch)), wanted);                                                                          \
		arena_release(&(batch).arena);                                                                                   \
	} while (0)

static void
a_final_count_behind_a_provisional_one_becomes_its_correction(void)
{
	struct case_batch batch = {.count = 0};
	const struct usage_event *provisional = add(&batch, "r", 9, true), *final = add(&batch, "r", 70, false);

	EXPECT_TEXT(settled(&batch), "n r, n r/final");
	CU_ASSERT_EQUAL(final->kind, EVENT_CORRECTION);
	CU_ASSERT_EQUAL(final->id.length, strlen("r/final"));
	CU_ASSERT(memcmp(final->ref_id.at, "r", 2) == 0 && final->ref_source.at == final->source.at);
	CU_ASSERT(memcmp(event_original(final).byte, provisional->event_id.byte, 16) == 0);
	arena_release(&batch.arena);
}

static void
repeats_of_either_are_duplicates(void)
{
	struct case_batch batch = {.count = 0};

	add(&batch, "r", 9, true);
	add(&batch, "r", 70, false);
	add(&batch, "r", 70, false);
	add(&batch, "r", 9, true);
	EXPECT_SETTLED(batch, "n r, n r/final, d r/final, d r");
}

static void
a_provisional_count_behind_a_final_one_is_a_duplicate(void)
{
	struct case_batch batch = {.count = 0};

	add(&batch, "r", 70, false);
	add(&batch, "r", 9, true);
	add(&batch, "r", 71, false);
	EXPECT_SETTLED(batch, "n r, d r, c r");
}

static void
counts_of_one_sort_that_differ_stay_in_conflict(void)
{
	struct case_batch batch = {.count = 0};

	add(&batch, "r", 9, true);
	add(&batch, "r", 10, true);
	add(&batch, "r", 70, false);
	add(&batch, "r", 71, false);
	EXPECT_SETTLED(batch, "n r, c r, n r/final, c r/final");
}

static void
an_id_without_room_for_the_final_count_stays_in_conflict(void)
{
	struct case_batch batch = {.count = 0};
	char id[252];

	memset(id, 'k', sizeof id);
	id[251] = '\0';
	add(&batch, id, 9, true);
	add(&batch, id, 70, false);
	EXPECT_SETTLED(batch, "n r, c r");
	id[250] = '\0';
	batch.count = 0;
	add(&batch, id, 9, true);
	add(&batch, id, 70, false);
	EXPECT_SETTLED(batch, "n r, n kkkkkkkkkkkkkkkkkkkk");
}

static void
a_correction_has_no_final_count(void)
{
	struct case_batch batch = {.count = 0};
	struct usage_event *correction = add(&batch, "r", 9, true);

	correction->kind = EVENT_CORRECTION;
	correction->ref_source = bytes("/gateway");
	correction->ref_id = bytes("q");
	event_identify(correction);
	add(&batch, "r", 70, false);
	EXPECT_SETTLED(batch, "n r, c r");
}

static void
another_attempt_begins_with_the_events_as_they_came(void)
{
	struct case_batch batch = {.count = 0};
	const struct usage_event *provisional = add(&batch, "r", 9, true), *final = add(&batch, "r", 70, false);
	struct id128 content = final->content;

	(void)settled(&batch);
	provisional_undo(batch.keys, batch.count);
	CU_ASSERT_EQUAL(final->kind, EVENT_USAGE);
	CU_ASSERT(final->ref_id.length == 0 && final->ref_source.length == 0);
	CU_ASSERT(memcmp(final->event_id.byte, provisional->event_id.byte, 16) == 0);
	CU_ASSERT(memcmp(&final->content, &content, sizeof content) == 0);
	EXPECT_SETTLED(batch, "n r, n r/final");
}

UNIT_TESTS("ledger/provisional", TEST(a_final_count_behind_a_provisional_one_becomes_its_correction),
    TEST(repeats_of_either_are_duplicates), TEST(a_provisional_count_behind_a_final_one_is_a_duplicate),
    TEST(counts_of_one_sort_that_differ_stay_in_conflict), TEST(an_id_without_room_for_the_final_count_stays_in_conflict),
    TEST(a_correction_has_no_final_count), TEST(another_attempt_begins_with_the_events_as_they_came))
