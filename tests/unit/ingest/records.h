/*
 * records.h -- what the tests of ingest/ share: one good event, changed in one place, and what became of it.
 */
#ifndef TESTS_UNIT_INGEST_RECORDS_H
#define TESTS_UNIT_INGEST_RECORDS_H

#include <stdlib.h>

#include "base/memory.h"
#include "ingest/event_draft.h"
#include "tests/support/unit.h"

#define GOOD_EVENT                                                                                                               \
	"{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\",\"source\":\"/gw\",\"id\":\"e-1\","                             \
	"\"time\":\"2026-11-03T10:00:00Z\",\"subject\":\"acme\",\"data\":{\"operation\":\"chat\","                               \
	"\"model\":\"m-1\",\"quantities\":{\"requests\":1,\"input_text_uncached_tokens\":10,"                                    \
	"\"output_text_tokens\":5}}}"

#define GOOD_SHORT                                                                                                               \
	"{\"idempotency_key\":\"k-1\",\"tenant\":\"acme\",\"time\":\"2026-11-03T10:00:00Z\",\"model\":\"m-1\","                  \
	"\"input_tokens\":100,\"output_tokens\":50}"

/* The clock of all tests: 2026-11-05T00:00:00Z. */
static inline struct event_rules
test_rules(void)
{
	struct error err;
	struct instant now;

	must(instant_option("2026-11-05", &now, &err));
	return event_rules_default(now);
}

/* `text` with the first `from` in it replaced by `to`. */
static inline const char *
changed(struct arena *arena, const char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);

	must(found != NULL);
	return arena_format(arena, "%.*s%s%s", (int)(found - text), text, to, found + strlen(from));
}

static inline int64_t
quantity_of(const struct usage_event *event, int meter)
{
	for (size_t i = 0; i < event->quantity_count; i++)
		if (event->quantities[i].meter == meter)
			return event->quantities[i].quantity;
	return -1;
}

static inline const char *
text_of(struct arena *arena, struct bytes bytes)
{
	return arena_copy(arena, bytes.at, bytes.length);
}

/* Shows which input it was when the reason is not the wanted one. */
#define EXPECT_REASON(record, wanted, input)                                                                                     \
	do {                                                                                                                     \
		if ((record).reason != (wanted))                                                                                 \
			printf("\n    %s:%d: %s (%s \"%.*s\") instead of %s for %s\n", __FILE__, __LINE__,                       \
			    reason_code((record).reason), (record).field, (int)(record).value.length,                            \
			    (record).value.length > 0 ? (record).value.at : "", reason_code(wanted), input);                     \
		CU_ASSERT_EQUAL((record).reason, wanted);                                                                        \
	} while (0)

#endif
