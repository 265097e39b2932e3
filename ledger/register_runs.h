/*
 * register_runs.h -- the runs of the dedupe register as a process knows them, and their filters in memory; for register.c and
 * register_merge.c alone.
 */
#ifndef LEDGER_REGISTER_RUNS_H
#define LEDGER_REGISTER_RUNS_H

#include "base/db.h"
#include "ledger/key_page.h"

/* A run of fewer keys has no stored filter: its pages are hardly larger. */
enum { KEY_FILTER_LEAST = 1024, KEY_PAGES_FETCHED = 64 };

/* Told apart by its token, never by its number: behind a restore, numbers come again and mean something else. */
struct register_run {
	int64_t run, first_entry, last_entry, keys, first_batch, filter_blocks;
	unsigned char token[16];
	struct key_filter filter; /* in memory; no blocks: none */
	int64_t asked;            /* identities that it was asked for exactly */
	bool is_own;              /* all that it has is in usage_register.own */
};

struct register_entry {
	int64_t entry; /* 0: none */
	unsigned char token[16];
};

/* Runs in the order of their entries. */
struct register_runs {
	struct register_run *items;
	size_t count, room;
};

struct usage_register {
	struct register_runs runs;
	struct register_entry newest;      /* when the runs were listed */
	struct register_entry witness;     /* committed, and seen by this process: it must be there for ever */
	int64_t asked_entries;             /* the batch at hand was asked of these */
	struct register_run added;         /* by the batch at hand, not committed; run 0: none */
	bool is_untidy;                    /* perhaps there is something to merge */
	bool is_unclean;                   /* merges left behind what takes much space */
	int64_t filter_bytes, filter_most; /* of the runs' filters */
	struct key_filter own;             /* one of all that this process added lately, in front of those of many runs */
	int64_t own_keys;
};

/* Which runs there are, as of one moment; filters stay in memory. */
MUST_CHECK
bool runs_list(struct usage_register *reg, struct db *db, struct error *err);
/* A run, with its filter, takes a place behind the others. */
void runs_add(struct usage_register *reg, struct register_run *run);
/* A run, with its filter, takes the place of those that it was merged from. */
void runs_merged(struct usage_register *reg, size_t first, size_t count, struct register_run *run);
void runs_release(struct usage_register *reg);
/* Makes room in reg->own for so many keys. */
void runs_own(struct usage_register *reg, int64_t keys);

/* Brings a run's filter into memory where it is not there and that pays for so many identities more; where it stays away, the run is
 * to be asked exactly.  *gone: others have merged the run. */
MUST_CHECK
bool run_have_filter(
    struct usage_register *reg, struct db *db, struct register_run *run, size_t asked, bool *gone, struct error *err);
/* Whether a filter of so many blocks may be kept in memory; larger ones are given up for it. */
bool runs_make_room(struct usage_register *reg, uint64_t blocks);
/* Numbers a run about to be written. */
MUST_CHECK
bool run_number(struct db *db, struct register_run *run, struct error *err);
/* COPYs a filter. */
MUST_CHECK
bool run_store_filter(struct db *db, int64_t run, const struct key_filter *filter, struct text *buffer, struct error *err);

/* Pages of a run from `from` on, at most `pages`: rows of key_page_fetch.sql, in binary. */
MUST_CHECK
bool run_fetch_pages(struct db *db, int64_t run, struct key_id from, int64_t pages, struct rows *out, struct error *err);
/* A page of that answer; an error of kind STATE where it is none. */
MUST_CHECK
bool run_open_page(const struct rows *rows, int row, int64_t run, struct key_page *page, struct error *err);
/* A piece of a run's stored filter: one row of key_filter_fetch.sql, in binary.  *gone: others have merged the run, and there is no row. */
MUST_CHECK
bool run_ask_piece(struct db *db, const struct register_run *run, size_t piece, struct rows *rows, bool *gone, struct error *err);
/* Whether others have merged the run. */
MUST_CHECK
bool run_is_gone(struct db *db, const struct register_run *run, bool *gone, struct error *err);
/* An error of kind STATE, returned as false: `what` completes "... of run 7". */
bool run_damaged(int64_t run, struct error *err, const char *what);
/* The least identity behind `id`; false where there is none. */
bool key_id_next(struct key_id *id);

#endif
