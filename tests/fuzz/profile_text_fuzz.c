/*
 * profile_text_fuzz.c -- any bytes as the description of a usage format: what is accepted can be said again, and means the same.
 */
#include <string.h>

#include "ingest/profile.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

/* Reads a record by it: whatever is described, bytes can be read by it. */
static void
check_use(const struct profile *profile, const char *text, size_t length)
{
	struct event_rules rules = event_rules_default((struct instant){INT64_C(1793836800000000)});
	struct profile_events events;
	struct arena arena = {0};

	rules.position_id = "fuzz:1";
	profile_parse(profile, &rules, NULL, (struct bytes){text, length}, true, &arena, &events);
	must(events.count >= 1);
	arena_release(&arena);
}

static void
check_again(const struct profile *profile)
{
	struct profile *again;
	struct error err;

	must(profile_from_text(profile_text(profile), &again, &err));
	must(strcmp(profile_text(profile), profile_text(again)) == 0);
	profile_free(again);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	static const char payload[] = "{\"id\":\"e-1\",\"model\":\"m\",\"created\":1793700000,\"usage\":{\"prompt_tokens\":10,"
				      "\"completion_tokens\":5,\"total_tokens\":15}}";
	struct arena arena = {0};
	const char *text = arena_copy(&arena, (const char *)input, size);
	struct profile *profile;
	struct error err = {.kind = ERROR_NONE};

	if (profile_from_text(text, &profile, &err)) {
		check_again(profile);
		check_use(profile, text, strlen(text));
		check_use(profile, payload, strlen(payload));
		profile_free(profile);
	} else {
		must(err.kind != ERROR_NONE && err.message[0] != '\0');
	}
	arena_release(&arena);
	return 0;
}
