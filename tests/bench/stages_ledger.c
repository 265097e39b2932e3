/* stages_ledger.c -- the stages from a line to rows and keys of the ledger. */
#include <stdlib.h>

#include "ledger/batch_rows.h"
#include "tests/bench/stages.h"

bool stages_identify = true, stages_count;
int64_t stages_copied_rows;
size_t stages_copied_bytes;

/* --- in place of parts of the program; the linker puts these there -------------------------------- */

void __wrap_event_identify(struct usage_event *event);
void __real_event_identify(struct usage_event *event);
bool __wrap_db_copy_in_begin(struct db *db, enum statement_id id, struct error *err);
bool __wrap_db_copy_in_bytes(struct db *db, const char *bytes, size_t length, struct error *err);
bool __wrap_db_copy_in_end(struct db *db, int64_t *rows, struct error *err);

int __wrap_SHA256_Update(void *context, const void *bytes, size_t length);
int __real_SHA256_Update(void *context, const void *bytes, size_t length);
int __wrap_SHA256_Final(unsigned char *out, void *context);
int __real_SHA256_Final(unsigned char *out, void *context);

int
__wrap_SHA256_Update(void *context, const void *bytes, size_t length)
{
	return stages_count ? 1 : __real_SHA256_Update(context, bytes, length);
}

int
__wrap_SHA256_Final(unsigned char *out, void *context)
{
	if (!stages_count)
		return __real_SHA256_Final(out, context);
	memset(out, 0, DIGEST_SIZE);
	return 1;
}

void
__wrap_event_identify(struct usage_event *event)
{
	if (stages_identify)
		__real_event_identify(event);
}

bool
__wrap_db_copy_in_begin(struct db *db, enum statement_id id, struct error *err)
{
	(void)db, (void)id, (void)err;
	stages_copied_bytes = 0;
	return true;
}

bool
__wrap_db_copy_in_bytes(struct db *db, const char *bytes, size_t length, struct error *err)
{
	(void)db, (void)bytes, (void)err;
	stages_copied_bytes += length;
	return true;
}

bool
__wrap_db_copy_in_end(struct db *db, int64_t *rows, struct error *err)
{
	(void)db, (void)err;
	*rows = stages_copied_rows;
	return true;
}

/* --- what they work on ---------------------------------------------------------------------------- */

static void
add_records(struct stages *stages)
{
	for (size_t i = 0; i < stages->line_count; i++) {
		struct record *record = batch_add(&stages->batch);

		event_parse(&stages->rules, stages->lines[i].at, stages->lines[i].length, &stages->batch.arena, record);
		must(record->reason == REASON_NONE);
		stages->identity_bytes += 2 * record->event.id.length + 2 * record->event.source.length + 160;
	}
	batch_close(&stages->batch);
}

static void
list_keys(struct stages *stages)
{
	const struct batch *batch = &stages->batch;

	stages->unsorted = memory_new(batch->key_count, sizeof *stages->unsorted);
	stages->sorted = memory_new(batch->key_count, sizeof *stages->sorted);
	stages->keys = memory_new(batch->key_count, sizeof *stages->keys);
	stages->others = memory_new(batch->key_count, sizeof *stages->others);
	stages->doubts = memory_new(batch->key_count, sizeof *stages->doubts);
	for (size_t i = 0; i < batch->key_count; i++) {
		struct record *record = batch->keys[i].record;

		stages->unsorted[batch->keys[i].ordinal] = batch->keys[i];
		stages->keys[i] =
		    (struct key){key_id_of(&record->event.event_id), record->event.content, record->event.time.us, 0};
		stages->others[i] = (struct key_id){stages->keys[i].id.high, ~stages->keys[i].id.low};
	}
}

static void
fill_filter(struct stages *stages)
{
	for (size_t i = 0; i < stages->batch.key_count; i++)
		key_filter_add(&stages->filter, stages->keys[i].id);
}

static int64_t
encode(struct stages *stages)
{
	struct reversals none = {0};
	struct row_facts facts = {0};
	unsigned char sum[DIGEST_SIZE];
	struct error err = {0};

	stages_copied_rows = (int64_t)stages->batch.key_count;
	digest_begin(stages->writer.digest);
	stages_must(batch_rows_copy(&stages->writer, &stages->batch, 1, &none, &facts, &err), &err);
	digest_end(stages->writer.digest, sum);
	return facts.rows;
}

void
stages_ledger_open(struct stages *stages)
{
	stages->writer.digest = digest_new();
	add_records(stages);
	list_keys(stages);
	key_filter_open(&stages->filter, key_filter_blocks(stages->batch.key_count));
	fill_filter(stages);
	encode(stages);
	stages->row_bytes = stages_copied_bytes;
	stages->copied.bytes = memory_new(stages->row_bytes, 1);
}

void
stages_ledger_release(struct stages *stages)
{
	digest_free(stages->writer.digest);
	text_release(&stages->writer.rows);
	key_filter_release(&stages->filter);
	free(stages->unsorted);
	free(stages->sorted);
	free(stages->keys);
	free(stages->others);
	free(stages->doubts);
	free(stages->copied.bytes);
	text_release(&stages->pages);
	batch_release(&stages->batch);
}

/* --- the stages ------------------------------------------------------------------------------------ */

int64_t
stage_lines(struct stages *stages)
{
	const char *at = stages->file.bytes, *end = at + stages->file.length;
	int64_t lines = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		lines++;
	}
	return lines;
}

int64_t
stage_parse_canonical(struct stages *stages)
{
	struct record record;

	stages_identify = false;
	for (size_t i = 0; i < stages->line_count; i++) {
		record = (struct record){0};
		event_parse(&stages->rules, stages->lines[i].at, stages->lines[i].length, &stages->arena, &record);
		must(record.reason == REASON_NONE);
		if (i % 1024 == 1023)
			arena_reset(&stages->arena);
	}
	stages_identify = true;
	return (int64_t)stages->line_count;
}

int64_t
stage_parse_openai_chat(struct stages *stages)
{
	struct record record;

	stages_identify = false;
	for (size_t i = 0; i < stages->payload_count; i++) {
		struct profile_events events = {.records = &record, .count = 1};

		profile_parse(stages->profile, &stages->rules, NULL, stages->payload_lines[i], false, &stages->arena, &events);
		must(events.count == 1 && events.records[0].reason == REASON_NONE);
		if (i % 1024 == 1023)
			arena_reset(&stages->arena);
	}
	stages_identify = true;
	return (int64_t)stages->payload_count;
}

int64_t
stage_sha256(struct stages *stages)
{
	unsigned char sum[DIGEST_SIZE];

	digest_begin(stages->writer.digest);
	for (size_t left = stages->identity_bytes, part; left > 0; left -= part) {
		part = left < stages->file.length ? left : stages->file.length;
		digest_bytes(stages->writer.digest, stages->file.bytes, part);
	}
	digest_end(stages->writer.digest, sum);
	return (int64_t)stages->batch.count;
}

int64_t
stage_hash(struct stages *stages)
{
	for (size_t i = 0; i < stages->batch.count; i++) {
		struct usage_event event = stages->batch.records[i].event;

		event_identify(&event);
	}
	return (int64_t)stages->batch.count;
}

static int
compare_ids(const void *one, const void *other)
{
	const struct key_id *a = one, *b = other;

	return key_id_compare(*a, *b);
}

int64_t
stage_sort_numbers(struct stages *stages)
{
	struct key_id *ids = arena_take(&stages->arena, stages->batch.key_count * sizeof *ids);

	for (size_t i = 0; i < stages->batch.key_count; i++)
		ids[i] = key_id_of(&stages->unsorted[i].record->event.event_id);
	qsort(ids, stages->batch.key_count, sizeof *ids, compare_ids);
	arena_reset(&stages->arena);
	return (int64_t)stages->batch.key_count;
}

int64_t
stage_sort(struct stages *stages)
{
	memcpy(stages->sorted, stages->unsorted, stages->batch.key_count * sizeof *stages->sorted);
	keys_sort(stages->sorted, stages->batch.key_count);
	return (int64_t)stages->batch.key_count;
}

int64_t
stage_filter_ask(struct stages *stages)
{
	size_t doubts = key_filter_doubts(&stages->filter, stages->others, stages->batch.key_count, stages->doubts);

	must(doubts < stages->batch.key_count / 100 + 100);
	return (int64_t)stages->batch.key_count;
}

int64_t
stage_filter_add(struct stages *stages)
{
	fill_filter(stages);
	return (int64_t)stages->batch.key_count;
}

int64_t
stage_page_encode(struct stages *stages)
{
	size_t count = stages->batch.key_count;

	text_clear(&stages->pages);
	for (size_t i = 0; i < count; i += KEY_PAGE_KEYS)
		key_page_row(stages->keys + i, count - i < KEY_PAGE_KEYS ? count - i : KEY_PAGE_KEYS, 1, &stages->pages);
	return (int64_t)count;
}

int64_t
stage_rows_copied(struct stages *stages)
{
	for (size_t left = stages->row_bytes, part; left > 0; left -= part) {
		part = left < stages->file.length ? left : stages->file.length;
		memcpy(stages->copied.bytes, stages->file.bytes, part);
	}
	return (int64_t)stages->batch.key_count;
}

int64_t
stage_encode_rows(struct stages *stages)
{
	return encode(stages);
}
