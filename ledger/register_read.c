/* register_read.c -- see register_read.h. */
#include "ledger/register_read.h"

#include "base/digest.h"

/* What server and client need together, in microseconds, as measured: for an identity that is asked for by itself, for a page in its
 * order, for each answer, and for 16 KiB of a filter.  Pages that are fetched at once are about a megabyte. */
enum { PROBE_US = 9, PAGE_US = 4, ANSWER_US = 100, FILTER_16KIB_US = 20, PAGES_AT_ONCE = 400 };

/* --- filters ----------------------------------------------------------------------------------- */

/* Those of the choice from `from` on that are in the piece of the first of them. */
static size_t
in_piece(const struct key_choice *choice, uint64_t blocks, size_t from, size_t piece)
{
	size_t to = from + 1;

	while (to < choice->count && key_filter_piece_of(blocks, choice->ids[choice->at[to]]) == piece)
		to++;
	return to - from;
}

static bool
piece_pays(uint64_t blocks, size_t piece, size_t count)
{
	return count * PROBE_US > ANSWER_US + (key_filter_piece_bytes(blocks, piece) >> 14) * FILTER_16KIB_US;
}

/* Keeps those `count` from `from` on that the piece does not deny, as the choice's first ones behind `kept`. */
static bool
sift(struct db *db, const struct register_run *run, struct key_choice *choice, size_t from, size_t count, size_t *kept,
    bool *gone, struct error *err)
{
	uint64_t blocks = (uint64_t)run->filter_blocks;
	size_t piece = key_filter_piece_of(blocks, choice->ids[choice->at[from]]);
	struct rows rows;
	bool fine;

	if (!run_ask_piece(db, run, piece, &rows, gone, err))
		return false;
	fine = *gone || row_length(&rows, 0, 0) == key_filter_piece_bytes(blocks, piece) ||
	    run_damaged(run->run, err, "a piece is missing in the filter");
	for (size_t i = from; fine && !*gone && i < from + count; i++) {
		uint32_t at = choice->at[i];

		choice->at[*kept] = at;
		*kept += key_filter_piece_has(blocks, row_bytes(&rows, 0, 0).at, choice->ids[at]);
	}
	rows_release(&rows);
	return fine;
}

bool
run_read_filter(struct db *db, const struct register_run *run, struct key_choice *choice, bool *gone, struct error *err)
{
	uint64_t blocks = (uint64_t)run->filter_blocks;
	size_t kept = 0, count;

	for (size_t from = 0; blocks > 0 && from < choice->count; from += count) {
		size_t piece = key_filter_piece_of(blocks, choice->ids[choice->at[from]]);

		count = in_piece(choice, blocks, from, piece);
		if (piece_pays(blocks, piece, count)) {
			if (!sift(db, run, choice, from, count, &kept, gone, err))
				return false;
			if (*gone)
				return true;
			continue;
		}
		for (size_t i = from; i < from + count; i++)
			choice->at[kept++] = choice->at[i];
	}
	if (blocks > 0)
		choice->count = kept;
	return true;
}

/* --- pages ------------------------------------------------------------------------------------- */

/* Identities are digests, so that a part of their range has that part of the pages. */
static uint64_t
pages_between(const struct register_run *run, struct key_id first, struct key_id last)
{
	uint64_t pages = ((uint64_t)run->keys + KEY_PAGE_KEYS - 1) / KEY_PAGE_KEYS;

	return 1 + (pages * ((last.high >> 32) - (first.high >> 32)) >> 32);
}

bool
run_reads_better(const struct register_run *run, const struct key_choice *choice)
{
	uint64_t pages;

	if (choice->count == 0)
		return false;
	pages = pages_between(run, choice->ids[choice->at[0]], choice->ids[choice->at[choice->count - 1]]);
	return choice->count * PROBE_US > ANSWER_US * (1 + pages / PAGES_AT_ONCE) + pages * PAGE_US;
}

/* Pages that are being read, and how far the identities are settled. */
struct reading {
	struct db *db;
	const struct register_run *run;
	const struct key_choice *choice;
	size_t settled; /* of the choice */
	key_known *known;
	void *context;
};

static struct key_id
next_asked(const struct reading *reading)
{
	return reading->choice->ids[reading->choice->at[reading->settled]];
}

/* Settles all identities up to the last one of the page: what is not in it is not in the run. */
static void
read_page(struct reading *reading, const struct key_page *page)
{
	size_t at = 0;

	while (reading->settled < reading->choice->count) {
		struct key_id id = next_asked(reading);

		while (at < page->count && key_id_compare(key_page_id(page, at), id) < 0)
			at++;
		if (at == page->count)
			return;
		if (key_id_compare(key_page_id(page, at), id) == 0) {
			struct key key = key_page_key(page, at);

			reading->known(reading->context, reading->choice->at[reading->settled], &key);
		}
		reading->settled++;
	}
}

/* Pages from the one that may have the next identity on. */
static bool
fetch_range(const struct reading *reading, struct rows *rows, struct error *err)
{
	const struct key_choice *choice = reading->choice;
	unsigned char first[16], last[16];
	char token[33], first_hex[33], last_hex[33];
	struct arena arena = {0};
	bool fine;

	key_id_bytes(next_asked(reading), first);
	key_id_bytes(choice->ids[choice->at[choice->count - 1]], last);
	fine = db_rows_binary(reading->db, SQL_LEDGER_KEY_PAGE_RANGE,
	    PARAMS(param_number(&arena, reading->run->run), digest_hex(reading->run->token, sizeof reading->run->token, token),
		digest_hex(first, sizeof first, first_hex), digest_hex(last, sizeof last, last_hex),
		param_number(&arena, PAGES_AT_ONCE)),
	    rows, err);
	arena_release(&arena);
	return fine;
}

/* *ended: there are no more pages for the identities, or none of a run that is gone. */
static bool
read_some(struct reading *reading, bool *ended, bool *gone, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!fetch_range(reading, &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		struct key_page page;

		fine = run_open_page(&rows, i, reading->run->run, &page, err);
		if (fine)
			read_page(reading, &page);
	}
	*ended = rows.count < PAGES_AT_ONCE;
	if (fine && rows.count == 0)
		fine = run_is_gone(reading->db, reading->run, gone, err);
	rows_release(&rows);
	return fine;
}

bool
run_read_pages(struct db *db, const struct register_run *run, const struct key_choice *choice, key_known *known, void *context,
    bool *gone, struct error *err)
{
	struct reading reading = {.db = db, .run = run, .choice = choice, .known = known, .context = context};
	bool ended = false;

	while (!ended && reading.settled < choice->count)
		if (!read_some(&reading, &ended, gone, err))
			return false;
	return true;
}
