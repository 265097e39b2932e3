/* usage_event_test.c -- reason codes, flags, and how identities are made. */
#include "ledger/usage_event.h"

#include "base/digest.h"
#include "tests/support/unit.h"

static struct bytes
bytes(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static void
every_reason_is_found_by_its_code_and_has_a_meaning(void)
{
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++) {
		CU_ASSERT_EQUAL(reason_find(reason_code((enum reason)reason)), (enum reason)reason);
		CU_ASSERT(strlen(reason_meaning((enum reason)reason)) > 0);
		CU_ASSERT(reason_outcome((enum reason)reason) != OUTCOME_ACCEPTED);
	}
	CU_ASSERT_EQUAL(reason_find("E_NO_SUCH"), REASON_NONE);
	CU_ASSERT_EQUAL(reason_find(""), REASON_NONE);
	EXPECT_TEXT(reason_code(REASON_NONE), "");
	CU_ASSERT_EQUAL(reason_outcome(E_JSON), OUTCOME_REJECTED);
	CU_ASSERT_EQUAL(reason_outcome(E_MODEL_MISSING), OUTCOME_QUARANTINED);
	CU_ASSERT_EQUAL(reason_outcome(N_BLANK), OUTCOME_IGNORED);
}

static void
only_quarantine_can_be_released(void)
{
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++)
		CU_ASSERT(reason_release((enum reason)reason) == RELEASE_NEVER ||
		    reason_outcome((enum reason)reason) == OUTCOME_QUARANTINED);
	CU_ASSERT_EQUAL(reason_release(E_IMPLAUSIBLE), RELEASE_WAIVE);
	CU_ASSERT_EQUAL(reason_release(E_UNKNOWN_METER), RELEASE_RETRY);
}

static void
flags_are_named_in_their_order(void)
{
	char text[512];

	EXPECT_TEXT(flags_format(0, text, sizeof text), "");
	EXPECT_TEXT(flags_format(F_BOM, text, sizeof text), "F_BOM");
	CU_ASSERT_EQUAL(flags_find("F_BOM"), F_BOM);
	CU_ASSERT_EQUAL(flags_find("F_BOMB"), 0);
	EXPECT_TEXT(flags_format(F_LATE | F_ZERO_TOKENS | F_BOM, text, sizeof text), "F_ZERO_TOKENS,F_BOM,F_LATE");
	CU_ASSERT(strlen(flags_format(~0U, text, sizeof text)) > 100);
}

/* The page of the formats, read from the top of the project, where tests are run. */
static const char *
formats_page(void)
{
	static char page[1 << 17];
	FILE *file = fopen("docs/formats.md", "r");
	size_t length;

	must(file != NULL);
	length = fread(page, 1, sizeof page - 1, file);
	must(length > 0 && length < sizeof page - 1 && fclose(file) == 0);
	page[length] = '\0';
	return page;
}

static void
the_documentation_says_of_each_reason_and_flag_what_the_program_says(void)
{
	static const char *const outcomes[] = {
	    [OUTCOME_IGNORED] = "ignored", [OUTCOME_QUARANTINED] = "quarantined", [OUTCOME_REJECTED] = "rejected"};
	static const char *const releases[] = {[RELEASE_NEVER] = "", [RELEASE_RETRY] = "retry", [RELEASE_WAIVE] = "waive"};
	static const char *const flags[] = {
#define FLAG(bit, name, meaning) "| `" #name "` | " meaning " |\n",
#include "ledger/flags.def"
#undef FLAG
	};
	const char *page = formats_page();
	char row[300];

	for (int i = REASON_NONE + 1; i < REASON_LIMIT; i++) {
		enum reason reason = (enum reason)i;

		snprintf(row, sizeof row, "| `%s` | %s | %s | %s |\n", reason_code(reason), outcomes[reason_outcome(reason)],
		    releases[reason_release(reason)], reason_meaning(reason));
		if (strstr(page, row) == NULL)
			printf("\n    docs/formats.md lacks: %s", row);
		CU_ASSERT_PTR_NOT_NULL(strstr(page, row));
	}
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		CU_ASSERT_PTR_NOT_NULL(strstr(page, flags[i]));
}

static struct usage_event
event_of(const char *tenant, const char *source, const char *id)
{
	struct usage_event event = {.kind = EVENT_USAGE, .context_input_tokens = -1};

	event.series[SERIES_TENANT] = bytes(tenant);
	event.source = bytes(source);
	event.id = bytes(id);
	event_identify(&event);
	return event;
}

static void
the_identity_is_sha_256_over_three_fields_each_behind_its_length(void)
{
	static const char framed[] = "\0\0\0\0\0\0\0\4acme\0\0\0\0\0\0\0\3/gw\0\0\0\0\0\0\0\3e-1";
	struct usage_event event = event_of("acme", "/gw", "e-1");
	struct digest *digest = digest_new();
	unsigned char sum[DIGEST_SIZE];

	digest_begin(digest);
	digest_bytes(digest, framed, sizeof framed - 1);
	digest_end(digest, sum);
	CU_ASSERT(memcmp(event.event_id.byte, sum, sizeof event.event_id.byte) == 0);
	digest_free(digest);
}

static void
fields_that_join_to_the_same_text_are_different_identities(void)
{
	struct usage_event a = event_of("acme", "/t-a", "b"), b = event_of("acme", "/t", "a-b"),
			   c = event_of("acm", "e/t-a", "b");

	CU_ASSERT(memcmp(&a.event_id, &b.event_id, sizeof a.event_id) != 0);
	CU_ASSERT(memcmp(&a.event_id, &c.event_id, sizeof a.event_id) != 0);
}

static void
the_original_of_a_correction_is_the_identity_it_names(void)
{
	struct usage_event original = event_of("acme", "/gw", "e-1"), correction = event_of("acme", "/gw", "e-2");
	struct id128 named;

	correction.ref_source = bytes("/gw");
	correction.ref_id = bytes("e-1");
	named = event_original(&correction);
	CU_ASSERT(memcmp(&named, &original.event_id, sizeof named) == 0);
}

static void
a_zero_and_a_quantity_not_reported_are_different_contents(void)
{
	static const struct metered zero[] = {{METER_requests, 1}, {METER_output_text_tokens, 0}};
	struct usage_event with = event_of("acme", "/gw", "e"), without = with;

	with.quantities = without.quantities = zero;
	with.quantity_count = 2;
	without.quantity_count = 1;
	event_identify(&with);
	event_identify(&without);
	CU_ASSERT(memcmp(&with.event_id, &without.event_id, sizeof with.event_id) == 0);
	CU_ASSERT(memcmp(&with.content, &without.content, sizeof with.content) != 0);
}

static void
fields_longer_than_the_buffer_are_hashed_whole(void)
{
	static char longest[5000];
	struct usage_event a, b;

	memset(longest, 'x', sizeof longest - 1);
	a = event_of(longest, "/gw", "e");
	longest[4998] = 'y';
	b = event_of(longest, "/gw", "e");
	CU_ASSERT(memcmp(&a.event_id, &b.event_id, sizeof a.event_id) != 0);
	CU_ASSERT(memcmp(&a.content, &b.content, sizeof a.content) != 0);
}

UNIT_TESTS("ledger/usage_event", TEST(every_reason_is_found_by_its_code_and_has_a_meaning), TEST(only_quarantine_can_be_released),
    TEST(flags_are_named_in_their_order), TEST(the_documentation_says_of_each_reason_and_flag_what_the_program_says),
    TEST(the_identity_is_sha_256_over_three_fields_each_behind_its_length),
    TEST(fields_that_join_to_the_same_text_are_different_identities), TEST(the_original_of_a_correction_is_the_identity_it_names),
    TEST(a_zero_and_a_quantity_not_reported_are_different_contents), TEST(fields_longer_than_the_buffer_are_hashed_whole))
