/* register_merge.c -- see register_merge.h. */
#include "ledger/register_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"
#include "ledger/key_sum.h"
#include "ledger/register.h"

/* Pages of all runs together that are fetched at once, and bytes that are made of them before they are sent. */
enum { FETCHED_MOST = 4096, SENT_AT_ONCE = 2 << 20 };

enum { CLEANED_LEAST = 1 << 14 }; /* keys, for which to clean is worth a statement */

/* --- which ------------------------------------------------------------------------------------- */

/* A large run without a filter came from a register of before there were runs: written again, alone, it gets one. */
static bool
lacks_filter(const struct register_run *run, int64_t filter_most)
{
	return run->filter_blocks == 0 && run->keys >= KEY_FILTER_LEAST &&
	    (int64_t)key_filter_blocks((uint64_t)run->keys) * KEY_FILTER_BLOCK_BYTES <= filter_most;
}

/* The newest runs, as many as have fewer than `below` keys each. */
struct tail {
	size_t count, of_class; /* of_class: those with at least a sixteenth of `below` keys */
	int64_t keys;
};

static struct tail
tail_of(const struct register_runs *runs, int64_t below)
{
	struct tail tail = {0};

	for (size_t i = runs->count; i > 0 && runs->items[i - 1].keys < below; i--) {
		tail.count++;
		tail.of_class += runs->items[i - 1].keys >= below / 16;
		tail.keys += runs->items[i - 1].keys;
	}
	return tail;
}

static struct merge_choice
choose_tail(const struct register_runs *runs, size_t count)
{
	return (struct merge_choice){runs->count - count, count < MERGE_MOST ? count : MERGE_MOST};
}

struct merge_choice
merge_choose(const struct register_runs *runs, int64_t filter_most)
{
	struct tail tail = tail_of(runs, MERGE_LARGE);

	for (size_t i = 0; i < runs->count; i++)
		if (lacks_filter(&runs->items[i], filter_most))
			return (struct merge_choice){i, 1};
	if (tail.keys >= MERGE_SUM && tail.count > 1)
		return choose_tail(runs, tail.count);
	for (int step = MERGE_SMALL_CLASSES - 1; step >= 0; step--) {
		struct tail small = tail_of(runs, MERGE_SMALL >> 4 * step);

		if (small.of_class >= MERGE_SMALL_RUNS)
			return choose_tail(runs, small.count);
	}
	return choose_tail(runs, tail.count >= MERGE_RUNS ? tail.count : 0);
}

/* --- one run being read ------------------------------------------------------------------------- */

struct stream {
	const struct register_run *run;
	struct rows pages; /* fetched; none: nothing was fetched yet */
	int row;
	struct key_page page;
	size_t at;
	struct key_id next;  /* the key at `at` */
	int64_t batch_shift; /* its first batch less that of the new run */
};

/* Fills in the page at stream->row. */
static bool
open_page(struct stream *stream, struct error *err)
{
	if (!run_open_page(&stream->pages, stream->row, stream->run->run, &stream->page, err))
		return false;
	stream->at = 0;
	stream->next = key_page_id(&stream->page, 0);
	return true;
}

static bool
fetch(struct stream *stream, struct db *db, struct key_id from, int64_t pages, bool *ended, struct error *err)
{
	if (!run_fetch_pages(db, stream->run->run, from, pages, &stream->pages, err))
		return false;
	stream->row = 0;
	*ended = stream->pages.count == 0;
	if (!*ended)
		return open_page(stream, err);
	rows_release(&stream->pages);
	return true;
}

/* The next key of the run; *ended behind the last one. */
static bool
advance(struct stream *stream, struct db *db, int64_t pages, bool *ended, struct error *err)
{
	struct key_id from = key_page_id(&stream->page, stream->page.count - 1);

	*ended = false;
	if (++stream->at < stream->page.count) {
		stream->next = key_page_id(&stream->page, stream->at);
		return true;
	}
	if (++stream->row < stream->pages.count)
		return open_page(stream, err);
	rows_release(&stream->pages);
	*ended = !key_id_next(&from);
	return *ended || fetch(stream, db, from, pages, ended, err);
}

/* --- all of them, in the order of identities ------------------------------------------------------ */

struct merge {
	struct db *db;
	struct stream *streams;
	struct stream **heap; /* the least key first */
	size_t heap_count, stream_count;
	int64_t pages; /* fetched at once of each */
	struct register_run *out;
	struct key page[KEY_PAGE_KEYS];
	size_t filled;
	struct text rows; /* to be sent */
	int64_t keys;
	i128 hash_sum; /* see key_sum.h */
	struct key_id last;
};

static void
sink(struct merge *merge, size_t at)
{
	struct stream **heap = merge->heap, *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= merge->heap_count)
			break;
		if (child + 1 < merge->heap_count && key_id_compare(heap[child + 1]->next, heap[child]->next) < 0)
			child++;
		if (key_id_compare(moved->next, heap[child]->next) <= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

static bool
send(struct merge *merge, struct error *err)
{
	int64_t taken;

	if (merge->rows.length == 0)
		return true;
	copy_trailer(&merge->rows);
	if (!db_copy_in_begin(merge->db, SQL_LEDGER_KEY_PAGE_COPY, err) ||
	    !db_copy_in_bytes(merge->db, merge->rows.bytes, merge->rows.length, err) || !db_copy_in_end(merge->db, &taken, err))
		return false;
	text_clear(&merge->rows);
	return true;
}

static bool
end_page(struct merge *merge, struct error *err)
{
	if (merge->filled == 0)
		return true;
	if (merge->rows.length == 0)
		copy_header(&merge->rows);
	key_page_row(merge->page, merge->filled, merge->out->run, &merge->rows);
	merge->filled = 0;
	return merge->rows.length < SENT_AT_ONCE || send(merge, err);
}

static bool
not_ascending(struct key_id id, struct error *err)
{
	unsigned char bytes[16];
	char hex[33];

	key_id_bytes(id, bytes);
	error_set(err, ERROR_STATE, "the register of identities is damaged: it has %s twice, or out of its order",
	    digest_hex(bytes, sizeof bytes, hex));
	return error_hint(err, "tollbook reconcile tells what else is wrong; a backup has it as it was.");
}

static bool
take(struct merge *merge, struct stream *stream, struct error *err)
{
	struct key key = key_page_key(&stream->page, stream->at);
	const unsigned char *id = stream->page.bytes + 16 * stream->at;

	if (merge->keys > 0 && key_id_compare(merge->last, key.id) >= 0)
		return not_ascending(key.id, err);
	merge->last = key.id;
	merge->keys++;
	merge->hash_sum += key_hash(id, key.content.byte, key.time_us);
	key.batch += stream->batch_shift;
	key_filter_add(&merge->out->filter, key.id);
	merge->page[merge->filled++] = key;
	return merge->filled < KEY_PAGE_KEYS || end_page(merge, err);
}

static bool
take_all(struct merge *merge, struct error *err)
{
	while (merge->heap_count > 0) {
		struct stream *least = merge->heap[0];
		bool ended;

		if (!take(merge, least, err) || !advance(least, merge->db, merge->pages, &ended, err))
			return false;
		if (ended)
			merge->heap[0] = merge->heap[--merge->heap_count];
		if (merge->heap_count > 0)
			sink(merge, 0);
	}
	return end_page(merge, err) && send(merge, err);
}

static bool
open_streams(struct merge *merge, struct error *err)
{
	for (size_t i = 0; i < merge->stream_count; i++) {
		struct stream *stream = &merge->streams[i];
		bool ended;

		if (!fetch(stream, merge->db, (struct key_id){0, 0}, merge->pages, &ended, err))
			return false;
		if (!ended)
			merge->heap[merge->heap_count++] = stream;
	}
	for (size_t i = merge->heap_count / 2; i > 0; i--)
		sink(merge, i - 1);
	return true;
}

static void
merge_begin(struct merge *merge, const struct usage_register *reg, struct merge_choice choice)
{
	merge->streams = memory_new(choice.count, sizeof *merge->streams);
	merge->heap = memory_new(choice.count, sizeof(struct stream *));
	merge->stream_count = choice.count;
	merge->pages = 1 + FETCHED_MOST / (int64_t)choice.count;
	if (merge->pages > KEY_PAGES_FETCHED)
		merge->pages = KEY_PAGES_FETCHED;
	for (size_t i = 0; i < choice.count; i++) {
		const struct register_run *run = &reg->runs.items[choice.first + i];

		merge->streams[i].run = run;
		if (i == 0 || run->first_batch < merge->out->first_batch)
			merge->out->first_batch = run->first_batch;
		merge->out->keys += run->keys;
	}
	for (size_t i = 0; i < choice.count; i++)
		merge->streams[i].batch_shift = merge->streams[i].run->first_batch - merge->out->first_batch;
	merge->out->first_entry = merge->streams[0].run->first_entry;
	merge->out->last_entry = merge->streams[choice.count - 1].run->last_entry;
	key_filter_open(&merge->out->filter, key_filter_blocks((uint64_t)merge->out->keys));
	merge->out->filter_blocks = merge->out->keys < KEY_FILTER_LEAST ? 0 : (int64_t)merge->out->filter.blocks;
}

static void
merge_end(struct merge *merge)
{
	for (size_t i = 0; i < merge->stream_count; i++)
		if (merge->streams[i].pages.result != NULL)
			rows_release(&merge->streams[i].pages);
	free(merge->streams);
	free(merge->heap);
	text_release(&merge->rows);
}

/* The database looks whether all keys are there, and lets the old runs go. */
static bool
take_place(struct merge *merge, struct error *err)
{
	struct register_run *out = merge->out;
	struct arena arena = {0};
	struct text old = {0};
	char sum[DECIMAL_TEXT];
	struct rows rows;
	bool fine;

	for (size_t i = 0; i < merge->stream_count; i++)
		text_add_format(&old, "%s%lld", i == 0 ? "{" : ",", (long long)merge->streams[i].run->run);
	text_add(&old, "}", 1);
	fine = db_one_row(merge->db, SQL_LEDGER_REGISTER_MERGE_DONE,
	    PARAMS(param_number(&arena, out->run), text_string(&old), param_number(&arena, out->filter_blocks),
		integer_format(merge->hash_sum, sum)),
	    &rows, err);
	if (fine) {
		digest_unhex(row_text(&rows, 0, 0), sizeof out->token, out->token);
		rows_release(&rows);
	}
	text_release(&old);
	arena_release(&arena);
	return fine;
}

bool
merge_runs(struct usage_register *reg, struct db *db, struct merge_choice choice, struct register_run *out, struct error *err)
{
	struct merge merge = {.db = db, .out = out};
	bool fine;

	*out = (struct register_run){0};
	merge_begin(&merge, reg, choice);
	fine = run_number(db, out, err) && open_streams(&merge, err) && take_all(&merge, err) &&
	    (out->filter_blocks == 0 || run_store_filter(db, out->run, &out->filter, &merge.rows, err)) &&
	    take_place(&merge, err);
	merge_end(&merge);
	if (!fine)
		key_filter_release(&out->filter);
	return fine;
}

/* --- when -------------------------------------------------------------------------------------- */

/* What a merge leaves behind is as large as what it wrote.  Smaller parts of the register than a sixteenth are left to the server's own
 * cleaning, since all of the pages' index is read for it. */
static bool
leaves_much(const struct register_runs *runs, int64_t keys)
{
	int64_t all = 0;

	for (size_t i = 0; i < runs->count; i++)
		all += runs->items[i].keys;
	return keys >= CLEANED_LEAST && keys >= all / 16;
}

/* Room for the next runs, which would else come with the server's own cleaning, a minute later.  It is no part of the books: where it
 * fails nothing is lost, and the next merge tries again. */
static bool
clean(struct usage_register *reg, struct db *db, struct error *err)
{
	struct error problem = {0};

	reg->is_unclean = false;
	if (db_change(db, SQL_LEDGER_KEY_PAGE_VACUUM, NO_PARAMS, -1, &problem))
		return true;
	if (!db_is_open(db)) {
		*err = problem;
		return false;
	}
	error_print(stderr, &problem);
	return true;
}

/* *merged: there may be more to do. */
static bool
merge_once(struct usage_register *reg, struct db *db, bool *merged, struct error *err)
{
	struct merge_choice choice;
	struct register_run out = {0};
	struct rows rows;

	*merged = false;
	if (!db_one_row(db, SQL_LEDGER_REGISTER_MERGE_LOCK, NO_PARAMS, &rows, err))
		return false;
	*merged = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (!*merged)
		return true;
	if (!runs_list(reg, db, err))
		return false;
	choice = merge_choose(&reg->runs, reg->filter_most);
	*merged = choice.count > 0;
	if (!*merged)
		return true;
	if (!merge_runs(reg, db, choice, &out, err))
		return false;
	runs_merged(reg, choice.first, choice.count, &out);
	/* It stays for good, and has a filter of its own. */
	if (reg->runs.items[choice.first].keys >= MERGE_LARGE)
		reg->runs.items[choice.first].is_own = false;
	reg->is_unclean = reg->is_unclean || leaves_much(&reg->runs, reg->runs.items[choice.first].keys);
	return true;
}

bool
register_tidy(struct usage_register *reg, struct db *db, struct error *err)
{
	bool merged = true;

	while (reg->is_untidy && merged) {
		if (!db_begin(db, err))
			return false;
		if (!merge_once(reg, db, &merged, err) || !db_commit(db, err)) {
			db_rollback(db);
			return false;
		}
		if (reg->is_unclean && !clean(reg, db, err))
			return false;
	}
	reg->is_untidy = false;
	return true;
}
