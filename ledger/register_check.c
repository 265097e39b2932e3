/*
 * register_check.c -- see register_check.h.
 *
 * The runs are merged: each is a stream of keys, read some pages at a time, and a heap says which of them has the least identity.
 * What a batch appended is counted down to nothing by its keys.
 */
#include "ledger/register_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"
#include "ledger/key_page.h"
#include "ledger/key_sum.h"

enum { PAGES_IN_MEMORY = 8192, LEAST_FETCHED = 8, MOST_FETCHED = 256, PLACE_TEXT = 96 };

/* What the keys read so far leave of what a batch appended. */
struct appended {
	int64_t batch, entry, keys_left;
	i128 sum_left;
};

struct stream {
	int64_t run, first_entry, last_entry, first_batch;
	uint64_t filter_blocks;
	char token[33];
	struct rows pages;
	bool has_pages, is_last; /* pages are at hand; none are behind them */
	int row;                 /* the page at hand */
	struct key_page page;
	size_t at; /* the key at hand */
	struct key key;
	struct key_id next_page; /* the least identity that a page not yet read may be found by */
	struct rows piece;       /* of the filter: the one at hand */
	bool has_piece, is_denied;
	size_t piece_number;
};

struct checking {
	struct run *run;
	verify_differs *differs;
	void *context;
	struct appended *appended; /* by batch */
	size_t appended_count, appended_room;
	struct stream *streams;
	size_t stream_count;
	struct stream **heap;
	size_t heap_count;
	int fetched; /* pages at a time */
	bool has_last;
	struct key_id last;
};

static void
tell(const struct checking *checking, const char *what, const struct stream *stream, struct key_id id)
{
	unsigned char bytes[16];
	char place[PLACE_TEXT], hex[33];

	key_id_bytes(id, bytes);
	snprintf(place, sizeof place, "%s in run %lld", digest_hex(bytes, sizeof bytes, hex), (long long)stream->run);
	checking->differs(checking->context, what, place);
}

/* --- what batches appended -------------------------------------------------------------------- */

static bool
take_appended(void *context, const char *bytes, size_t length, struct error *err)
{
	enum { FIELDS = 5 };
	struct checking *checking = context;
	struct copy_reader row = copy_read_row(bytes, length, FIELDS);
	struct appended *appended;

	(void)err;
	checking->appended =
	    memory_grow(checking->appended, &checking->appended_room, checking->appended_count + 1, sizeof *checking->appended);
	appended = &checking->appended[checking->appended_count++];
	appended->batch = copy_read_bigint(&row, 0);
	appended->entry = copy_read_bigint(&row, 0);
	appended->keys_left = copy_read_bigint(&row, 0);
	appended->sum_left = (i128)copy_read_bigint(&row, 0) * ((i128)1 << 32);
	appended->sum_left += copy_read_bigint(&row, 0);
	return true;
}

static struct appended *
find_appended(const struct checking *checking, int64_t batch)
{
	size_t low = 0, high = checking->appended_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (checking->appended[middle].batch < batch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < checking->appended_count && checking->appended[low].batch == batch ? &checking->appended[low] : NULL;
}

static void
tell_what_is_left(const struct checking *checking)
{
	for (size_t i = 0; i < checking->appended_count; i++) {
		const struct appended *appended = &checking->appended[i];
		char batch[DECIMAL_TEXT];

		integer_format(appended->batch, batch);
		if (appended->keys_left > 0)
			checking->differs(checking->context, "the register lacks keys of batch", batch);
		else if (appended->keys_left < 0)
			checking->differs(checking->context, "the register has more keys than were appended by batch", batch);
		else if (appended->sum_left != 0)
			checking->differs(checking->context, "a key was changed in the register, of batch", batch);
	}
}

/* --- a run as a stream of keys ---------------------------------------------------------------- */

static bool
fetch_pages(const struct checking *checking, struct stream *stream, struct error *err)
{
	struct arena arena = {0};
	unsigned char least[16];
	char hex[33];
	bool fine;

	if (stream->has_pages)
		rows_release(&stream->pages);
	key_id_bytes(stream->next_page, least);
	fine = db_rows_binary(checking->run->db, SQL_LEDGER_REGISTER_CHECK_PAGES,
	    PARAMS(
		param_number(&arena, stream->run), digest_hex(least, sizeof least, hex), param_number(&arena, checking->fetched)),
	    &stream->pages, err);
	arena_release(&arena);
	stream->has_pages = fine;
	stream->row = -1;
	stream->is_last = fine && stream->pages.count < checking->fetched;
	return fine;
}

/* Behind this identity; behind the last one there is none. */
static bool
step_behind(struct key_id *id)
{
	id->low++;
	id->high += id->low == 0;
	return id->low != 0 || id->high != 0;
}

/* The page at hand is opened; false where it is none, which is told. */
static bool
open_page(const struct checking *checking, struct stream *stream)
{
	struct bytes found_by = row_bytes(&stream->pages, stream->row, 0), keys = row_bytes(&stream->pages, stream->row, 1);
	struct id128 id;

	must(found_by.length == sizeof id.byte);
	memcpy(id.byte, found_by.at, sizeof id.byte);
	stream->next_page = key_id_of(&id);
	stream->at = 0;
	if (key_page_open(&stream->page, keys.at, keys.length) &&
	    key_id_compare(key_page_id(&stream->page, 0), stream->next_page) == 0) {
		stream->is_last |= !step_behind(&stream->next_page);
		return true;
	}
	tell(checking, "a page of the register is damaged: the one that is found by", stream, stream->next_page);
	stream->is_last |= !step_behind(&stream->next_page);
	return false;
}

/* Goes to the next page; *end: there is none. */
static bool
turn_page(const struct checking *checking, struct stream *stream, bool *end, struct error *err)
{
	for (*end = false;;) {
		while (stream->has_pages && ++stream->row < stream->pages.count)
			if (open_page(checking, stream))
				return true;
		if (stream->is_last) {
			*end = true;
			return true;
		}
		if (!fetch_pages(checking, stream, err))
			return false;
	}
}

/* Goes to the next key; *end: there is none. */
static bool
next_key(const struct checking *checking, struct stream *stream, bool *end, struct error *err)
{
	*end = false;
	stream->at++;
	if (stream->at >= stream->page.count && (!turn_page(checking, stream, end, err) || *end))
		return *end;
	stream->key = key_page_key(&stream->page, stream->at);
	return true;
}

/* --- the filter ------------------------------------------------------------------------------- */

static bool
fetch_piece(const struct checking *checking, struct stream *stream, size_t number, struct error *err)
{
	struct arena arena = {0};
	bool fine;

	if (stream->has_piece)
		rows_release(&stream->piece);
	fine = db_rows_binary(checking->run->db, SQL_LEDGER_KEY_FILTER_FETCH,
	    PARAMS(param_number(&arena, stream->run), stream->token, param_number(&arena, (int64_t)number)), &stream->piece, err);
	arena_release(&arena);
	stream->has_piece = fine;
	stream->piece_number = number;
	return fine;
}

/* A filter that denies a key of its own run lets it be booked again.  One of a run is enough to say so. */
static bool
ask_filter(const struct checking *checking, struct stream *stream, struct error *err)
{
	size_t number;
	struct bytes piece;

	if (stream->filter_blocks == 0 || stream->is_denied)
		return true;
	number = key_filter_piece_of(stream->filter_blocks, stream->key.id);
	if ((!stream->has_piece || stream->piece_number != number) && !fetch_piece(checking, stream, number, err))
		return false;
	piece = stream->piece.count == 1 ? row_bytes(&stream->piece, 0, 0) : (struct bytes){NULL, 0};
	if (piece.length == key_filter_piece_bytes(stream->filter_blocks, number) &&
	    key_filter_piece_has(stream->filter_blocks, piece.at, stream->key.id))
		return true;
	stream->is_denied = true;
	tell(checking, "the filter of a run denies a key of it:", stream, stream->key.id);
	return true;
}

/* --- all runs in the order of identities ------------------------------------------------------ */

static bool
is_before(const struct stream *one, const struct stream *two)
{
	int order = key_id_compare(one->key.id, two->key.id);

	return order != 0 ? order < 0 : one->run < two->run;
}

static void
sift_down(struct checking *checking, size_t at)
{
	struct stream **heap = checking->heap, *moved = heap[at];

	for (size_t child; (child = 2 * at + 1) < checking->heap_count; at = child) {
		child += child + 1 < checking->heap_count && is_before(heap[child + 1], heap[child]);
		if (!is_before(heap[child], moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

static bool
check_key(struct checking *checking, struct stream *stream, struct error *err)
{
	const struct key *key = &stream->key;
	struct appended *appended = find_appended(checking, stream->first_batch + key->batch);
	unsigned char id[16];

	if (checking->has_last) {
		int order = key_id_compare(key->id, checking->last);

		if (order == 0)
			tell(checking, "an identity is in the register twice:", stream, key->id);
		else if (order < 0)
			tell(checking, "a run of the register is not sorted at", stream, key->id);
	}
	checking->has_last = true;
	checking->last = key->id;
	if (appended == NULL || appended->entry < stream->first_entry || appended->entry > stream->last_entry) {
		tell(checking, "a key is of a batch that its run does not have:", stream, key->id);
	} else {
		key_id_bytes(key->id, id);
		appended->keys_left--;
		appended->sum_left -= key_hash(id, key->content.byte, key->time_us);
	}
	return ask_filter(checking, stream, err);
}

static bool
read_all(struct checking *checking, struct error *err)
{
	int64_t count = 0;
	bool end;

	for (size_t i = 0; i < checking->stream_count; i++) {
		if (!next_key(checking, &checking->streams[i], &end, err))
			return false;
		if (!end)
			checking->heap[checking->heap_count++] = &checking->streams[i];
	}
	for (size_t i = checking->heap_count / 2; i > 0; i--)
		sift_down(checking, i - 1);
	while (checking->heap_count > 0) {
		if (!check_key(checking, checking->heap[0], err) || !next_key(checking, checking->heap[0], &end, err))
			return false;
		if (end)
			checking->heap[0] = checking->heap[--checking->heap_count];
		if (checking->heap_count > 0)
			sift_down(checking, 0);
		if (++count % 65536 == 0)
			progress(checking->run, "reconcile: %lld million keys of the register", (long long)(count / 1000000));
	}
	return true;
}

static void
open_streams(struct checking *checking, const struct rows *runs)
{
	enum { RUN, TOKEN, FIRST_ENTRY, LAST_ENTRY, FIRST_BATCH, FILTER_BLOCKS };

	checking->stream_count = (size_t)runs->count;
	checking->streams = memory_new(checking->stream_count, sizeof *checking->streams);
	checking->heap = memory_new(checking->stream_count, sizeof *checking->heap);
	for (int i = 0; i < runs->count; i++) {
		struct stream *stream = &checking->streams[i];

		stream->run = row_number(runs, i, RUN);
		stream->first_entry = row_number(runs, i, FIRST_ENTRY);
		stream->last_entry = row_number(runs, i, LAST_ENTRY);
		stream->first_batch = row_number(runs, i, FIRST_BATCH);
		stream->filter_blocks = (uint64_t)row_number(runs, i, FILTER_BLOCKS);
		snprintf(stream->token, sizeof stream->token, "%s", row_text(runs, i, TOKEN));
	}
	checking->fetched = PAGES_IN_MEMORY / (runs->count + 1);
	if (checking->fetched < LEAST_FETCHED)
		checking->fetched = LEAST_FETCHED;
	if (checking->fetched > MOST_FETCHED)
		checking->fetched = MOST_FETCHED;
}

static void
close_streams(struct checking *checking)
{
	for (size_t i = 0; i < checking->stream_count; i++) {
		if (checking->streams[i].has_pages)
			rows_release(&checking->streams[i].pages);
		if (checking->streams[i].has_piece)
			rows_release(&checking->streams[i].piece);
	}
	free(checking->streams);
	free(checking->heap);
}

bool
register_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct checking checking = {.run = run, .differs = differs, .context = context};
	struct rows runs;
	bool fine = db_rows(run->db, SQL_LEDGER_REGISTER_CHECK_RUNS, NO_PARAMS, &runs, err);

	if (!fine)
		return false;
	open_streams(&checking, &runs);
	rows_release(&runs);
	fine = db_copy_out(run->db, SQL_LEDGER_REGISTER_CHECK_ENTRIES, take_appended, &checking, err) && read_all(&checking, err);
	progress_end(run);
	if (fine)
		tell_what_is_left(&checking);
	close_streams(&checking);
	free(checking.appended);
	return fine;
}
