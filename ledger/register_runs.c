/* register_runs.c -- see register_runs.h. */
#include "ledger/register_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"

/* To ask a run exactly costs some microseconds for each identity, to read its filter a few nanoseconds for each of its keys. */
enum { ASKED_TO_KEYS = 1000 };

/* 32 MiB, of which a small batch touches little. */
enum { OWN_BLOCKS = 1 << 19, OWN_KEYS = 1 << 24 };

static bool
same_token(const unsigned char *one, const unsigned char *two)
{
	return memcmp(one, two, 16) == 0;
}

/* --- filters in memory ------------------------------------------------------------------------- */

static int64_t
bytes_of(uint64_t blocks)
{
	return (int64_t)blocks * KEY_FILTER_BLOCK_BYTES;
}

static void
drop_filter(struct usage_register *reg, struct register_run *run)
{
	reg->filter_bytes -= bytes_of(run->filter.blocks);
	key_filter_release(&run->filter);
}

/* To ask a small run exactly costs as much as to ask a large one: the largest filters are worth the least of their memory. */
bool
runs_make_room(struct usage_register *reg, uint64_t blocks)
{
	while (reg->filter_bytes + bytes_of(blocks) > reg->filter_most) {
		struct register_run *largest = NULL;

		for (size_t i = 0; i < reg->runs.count; i++) {
			struct register_run *run = &reg->runs.items[i];

			if (run->filter.blocks > blocks && (largest == NULL || run->filter.blocks > largest->filter.blocks))
				largest = run;
		}
		if (largest == NULL)
			return false;
		drop_filter(reg, largest);
	}
	return true;
}

/* The run comes without a filter where there is no room for it. */
void
runs_add(struct usage_register *reg, struct register_run *run)
{
	struct register_runs *runs = &reg->runs;

	if (run->filter.blocks > 0 && runs_make_room(reg, run->filter.blocks))
		reg->filter_bytes += bytes_of(run->filter.blocks);
	else
		key_filter_release(&run->filter);
	runs->items = memory_grow(runs->items, &runs->room, runs->count + 1, sizeof *runs->items);
	runs->items[runs->count++] = *run;
	*run = (struct register_run){0};
}

void
runs_merged(struct usage_register *reg, size_t first, size_t count, struct register_run *run)
{
	struct register_runs *runs = &reg->runs;
	size_t behind = runs->count - first - count;

	for (size_t i = first; i < first + count; i++) {
		run->is_own = (i == first || run->is_own) && runs->items[i].is_own;
		drop_filter(reg, &runs->items[i]);
	}
	runs_add(reg, run);
	runs->items[first] = runs->items[runs->count - 1];
	memmove(&runs->items[first + 1], &runs->items[first + count], behind * sizeof *runs->items);
	runs->count = first + 1 + behind;
}

/* It is begun afresh when nothing of it is needed any more, or when it is full: then the runs' own filters do without it. */
void
runs_own(struct usage_register *reg, int64_t keys)
{
	bool needed = false, full = reg->own_keys + keys > OWN_KEYS;

	for (size_t i = 0; i < reg->runs.count; i++) {
		needed = needed || reg->runs.items[i].is_own;
		if (full)
			reg->runs.items[i].is_own = false;
	}
	if (full || (!needed && reg->own_keys > 0)) {
		key_filter_release(&reg->own);
		reg->own_keys = 0;
	}
	if (reg->own.blocks == 0)
		key_filter_open(&reg->own, OWN_BLOCKS);
	reg->own_keys += keys;
}

void
runs_release(struct usage_register *reg)
{
	for (size_t i = 0; i < reg->runs.count; i++)
		key_filter_release(&reg->runs.items[i].filter);
	free(reg->runs.items);
	reg->runs = (struct register_runs){0};
	key_filter_release(&reg->added.filter);
	key_filter_release(&reg->own);
}

/* --- which runs there are ----------------------------------------------------------------------- */

enum {
	LIST_HAS_WITNESS,
	LIST_NEWEST,
	LIST_NEWEST_TOKEN,
	LIST_RUN,
	LIST_TOKEN,
	LIST_FIRST,
	LIST_LAST,
	LIST_KEYS,
	LIST_BATCH,
	LIST_BLOCKS
};

static struct register_run
listed_run(const struct rows *rows, int row)
{
	struct register_run run = {.run = row_number(rows, row, LIST_RUN),
	    .first_entry = row_number(rows, row, LIST_FIRST),
	    .last_entry = row_number(rows, row, LIST_LAST),
	    .keys = row_number(rows, row, LIST_KEYS),
	    .first_batch = row_number(rows, row, LIST_BATCH),
	    .filter_blocks = row_number(rows, row, LIST_BLOCKS)};

	digest_unhex(row_text(rows, row, LIST_TOKEN), sizeof run.token, run.token);
	return run;
}

/* Entries are never taken away: where one is gone that was there, all that is remembered may be wrong, series and all. */
static bool
other_database(const struct usage_register *reg, struct error *err)
{
	error_set(
	    err, ERROR_BUSY, "the database is not as this process has seen it: a backup was restored, or a standby took over");
	error_detail(err, "The register does not have its entry %lld any more.", (long long)reg->witness.entry);
	return error_hint(err, "Run again: it goes on from where this database stands.");
}

static bool
entries_missing(int64_t first, int64_t next, struct error *err)
{
	error_set(err, ERROR_STATE, "the register of identities is damaged: of its entries %lld comes where %lld should",
	    (long long)next, (long long)first);
	return error_hint(err, "Nothing is booked.  tollbook reconcile tells what else is missing; a backup has it.");
}

/* Each entry is in one run. */
static bool
check_cover(const struct register_runs *runs, int64_t newest, struct error *err)
{
	int64_t next = 1;

	for (size_t i = 0; i < runs->count; i++) {
		if (runs->items[i].first_entry != next || runs->items[i].last_entry < next)
			return entries_missing(next, runs->items[i].first_entry, err);
		next = runs->items[i].last_entry + 1;
	}
	return next == newest + 1 || entries_missing(next, newest + 1, err);
}

/* Both lists are in the order of entries, and mostly the same: the search goes on where the last one ended. */
static void
inherit_filters(struct register_runs *old, struct register_runs *fresh)
{
	size_t at = 0;

	for (size_t i = 0; i < fresh->count; i++) {
		struct register_run *run = &fresh->items[i];

		while (at < old->count && old->items[at].last_entry < run->first_entry)
			at++;
		if (at == old->count || !same_token(old->items[at].token, run->token))
			continue;
		run->filter = old->items[at].filter;
		run->asked = old->items[at].asked;
		run->is_own = old->items[at].is_own;
		old->items[at].filter = (struct key_filter){0};
	}
}

static void
take_list(struct usage_register *reg, const struct rows *rows)
{
	struct register_runs old = reg->runs;

	reg->runs = (struct register_runs){0};
	for (int i = 0; i < rows->count && !row_is_null(rows, i, LIST_RUN); i++) {
		reg->runs.items = memory_grow(reg->runs.items, &reg->runs.room, reg->runs.count + 1, sizeof *reg->runs.items);
		reg->runs.items[reg->runs.count++] = listed_run(rows, i);
	}
	inherit_filters(&old, &reg->runs);
	for (size_t i = 0; i < old.count; i++)
		drop_filter(reg, &old.items[i]);
	free(old.items);
	reg->newest = (struct register_entry){.entry = row_number(rows, 0, LIST_NEWEST)};
	if (reg->newest.entry > 0)
		digest_unhex(row_text(rows, 0, LIST_NEWEST_TOKEN), sizeof reg->newest.token, reg->newest.token);
}

bool
runs_list(struct usage_register *reg, struct db *db, struct error *err)
{
	struct arena arena = {0};
	struct rows rows;
	char token[33];
	bool fine, known;

	fine = db_rows(db, SQL_LEDGER_REGISTER_LIST,
	    PARAMS(param_number(&arena, reg->witness.entry), digest_hex(reg->witness.token, sizeof reg->witness.token, token)),
	    &rows, err);
	arena_release(&arena);
	if (!fine)
		return false;
	known = row_bool(&rows, 0, LIST_HAS_WITNESS);
	if (known)
		take_list(reg, &rows);
	rows_release(&rows);
	return (known || other_database(reg, err)) && check_cover(&reg->runs, reg->newest.entry, err);
}

/* --- filters from the database ------------------------------------------------------------------ */

bool
run_damaged(int64_t run, struct error *err, const char *what)
{
	error_set(err, ERROR_STATE, "the register of identities is damaged: %s of run %lld", what, (long long)run);
	return error_hint(err, "Nothing is booked.  tollbook reconcile tells what else is wrong; a backup has it as it was.");
}

bool
run_ask_piece(struct db *db, const struct register_run *run, size_t piece, struct rows *rows, bool *gone, struct error *err)
{
	struct arena arena = {0};
	char token[33];
	bool fine = db_rows_binary(db, SQL_LEDGER_KEY_FILTER_FETCH,
	    PARAMS(param_number(&arena, run->run), digest_hex(run->token, sizeof run->token, token),
		param_number(&arena, (int64_t)piece)),
	    rows, err);

	arena_release(&arena);
	if (fine)
		*gone = rows->count == 0;
	return fine;
}

static bool
fetch_piece(struct db *db, const struct register_run *run, size_t piece, struct key_filter *filter, bool *gone, struct error *err)
{
	struct rows rows;
	bool fine = run_ask_piece(db, run, piece, &rows, gone, err);

	if (!fine)
		return false;
	if (!*gone) {
		struct bytes bits = row_bytes(&rows, 0, 0);

		fine = key_filter_take(filter, piece, bits.at, bits.length) ||
		    run_damaged(run->run, err, "a piece is missing in the filter");
	}
	rows_release(&rows);
	return fine;
}

static bool
fetch_filter(struct db *db, const struct register_run *run, struct key_filter *filter, bool *gone, struct error *err)
{
	bool fine = true;

	for (size_t i = 0; fine && !*gone && i < key_filter_pieces(filter->blocks); i++)
		fine = fetch_piece(db, run, i, filter, gone, err);
	return fine;
}

bool
run_fetch_pages(struct db *db, int64_t run, struct key_id from, int64_t pages, struct rows *out, struct error *err)
{
	struct arena arena = {0};
	unsigned char id[16];
	char hex[33];
	bool fine;

	key_id_bytes(from, id);
	fine = db_rows_binary(db, SQL_LEDGER_KEY_PAGE_FETCH,
	    PARAMS(param_number(&arena, run), digest_hex(id, sizeof id, hex), param_number(&arena, pages)), out, err);
	arena_release(&arena);
	return fine;
}

bool
run_open_page(const struct rows *rows, int row, int64_t run, struct key_page *page, struct error *err)
{
	struct bytes bytes = row_bytes(rows, row, 0);

	return key_page_open(page, bytes.at, bytes.length) || run_damaged(run, err, "a page has not the length of one");
}

bool
key_id_next(struct key_id *id)
{
	id->low++;
	id->high += id->low == 0;
	return id->low != 0 || id->high != 0;
}

bool
run_is_gone(struct db *db, const struct register_run *run, bool *gone, struct error *err)
{
	struct rows rows;

	if (!run_ask_piece(db, run, 0, &rows, gone, err))
		return false;
	rows_release(&rows);
	return true;
}

/* The filter of a run so small that all of its pages are one answer. */
static bool
make_filter(struct db *db, const struct register_run *run, struct key_filter *filter, bool *gone, struct error *err)
{
	struct rows rows;
	int64_t keys = 0;
	bool fine = run_fetch_pages(db, run->run, (struct key_id){0, 0}, KEY_FILTER_LEAST, &rows, err);

	if (!fine)
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		struct key_page page;

		fine = run_open_page(&rows, i, run->run, &page, err);
		for (size_t j = 0; fine && j < page.count; j++)
			key_filter_add(filter, key_page_id(&page, j));
		keys += fine ? (int64_t)page.count : 0;
	}
	rows_release(&rows);
	if (!fine || keys == run->keys)
		return fine;
	return run_is_gone(db, run, gone, err) && (*gone || run_damaged(run->run, err, "keys are missing in the pages"));
}

bool
run_have_filter(struct usage_register *reg, struct db *db, struct register_run *run, size_t asked, bool *gone, struct error *err)
{
	bool small = run->filter_blocks == 0 && run->keys < KEY_FILTER_LEAST;
	uint64_t blocks = small ? key_filter_blocks((uint64_t)run->keys) : (uint64_t)run->filter_blocks;
	struct key_filter filter;
	bool fine;

	if (run->filter.blocks > 0)
		return true;
	run->asked += (int64_t)asked;
	if (blocks == 0 || run->asked < run->keys / ASKED_TO_KEYS || !runs_make_room(reg, blocks))
		return true;
	key_filter_open(&filter, blocks);
	fine = small ? make_filter(db, run, &filter, gone, err) : fetch_filter(db, run, &filter, gone, err);
	if (!fine || *gone) {
		key_filter_release(&filter);
		return fine;
	}
	run->filter = filter;
	reg->filter_bytes += bytes_of(blocks);
	return true;
}

bool
run_number(struct db *db, struct register_run *run, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_LEDGER_KEY_RUN_NEXT, NO_PARAMS, &rows, err))
		return false;
	run->run = row_number(&rows, 0, 0);
	rows_release(&rows);
	return true;
}

bool
run_store_filter(struct db *db, int64_t run, const struct key_filter *filter, struct text *buffer, struct error *err)
{
	size_t pieces = key_filter_pieces(filter->blocks);
	int64_t taken;

	if (!db_copy_in_begin(db, SQL_LEDGER_KEY_FILTER_COPY, err))
		return false;
	text_clear(buffer);
	copy_header(buffer);
	for (size_t i = 0; i < pieces; i++) {
		copy_row(buffer, 3);
		copy_bigint(buffer, run);
		copy_integer(buffer, (int32_t)i);
		copy_length(buffer, key_filter_piece_bytes(filter->blocks, i));
		key_filter_put(filter, i, buffer);
		if (!db_copy_in_bytes(db, buffer->bytes, buffer->length, err))
			return false;
		text_clear(buffer);
	}
	copy_trailer(buffer);
	if (!db_copy_in_bytes(db, buffer->bytes, buffer->length, err) || !db_copy_in_end(db, &taken, err))
		return false;
	must(taken == (int64_t)pieces);
	return true;
}
