/* register.c -- see register.h. */
#include "ledger/register.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "base/digest.h"
#include "ledger/key_sum.h"
#include "ledger/register_merge.h"
#include "ledger/register_read.h"
#include "ledger/register_runs.h"

/* Of one question to the database; and how often runs may be merged while they are being asked. */
enum { PAIRS_MAX = 20000, TRIES_MAX = 50, COPY_PIECE = 64 << 10 };

struct usage_register *
register_new(int64_t filter_bytes)
{
	struct usage_register *reg = memory_new(1, sizeof *reg);

	reg->filter_most = filter_bytes;
	reg->is_untidy = true;
	return reg;
}

void
register_free(struct usage_register *reg)
{
	if (reg == NULL)
		return;
	runs_release(reg);
	free(reg);
}

bool
register_look(struct usage_register *reg, struct db *db, struct error *err)
{
	/* What another attempt added is not there. */
	key_filter_release(&reg->added.filter);
	reg->added = (struct register_run){0};
	reg->asked_entries = 0;
	return runs_list(reg, db, err);
}

/* --- asking ------------------------------------------------------------------------------------ */

/* Identities that are asked for. */
struct asked {
	struct key_id *ids;
	uint32_t *places; /* of each in the batch's keys */
	size_t count;
};

/* A question: identities, and what is to be asked exactly, in pairs of run and identity. */
struct question {
	struct db *db;
	struct admitted *keys;
	size_t key_count;
	struct asked all, own; /* own: those that this process may have added lately */
	uint32_t *doubts;      /* places in one of these */
	struct text pair_runs, pair_ids, runs, tokens;
	uint32_t *pairs; /* for each pair a place in `keys` */
	size_t pair_count;
	int64_t last_run; /* in `runs` */
	bool gone;        /* a run that was asked: nothing of the answer counts */
};

static void
asked_begin(struct asked *asked, size_t room)
{
	asked->ids = memory_new(room, sizeof *asked->ids);
	asked->places = memory_new(room, sizeof *asked->places);
}

static void
asked_release(struct asked *asked)
{
	free(asked->ids);
	free(asked->places);
}

static void
question_begin(struct question *question, struct db *db, struct admitted *keys, size_t count)
{
	*question = (struct question){.db = db, .keys = keys, .key_count = count};
	asked_begin(&question->all, count);
	question->doubts = memory_new(count, sizeof *question->doubts);
	question->pairs = memory_new(PAIRS_MAX, sizeof *question->pairs);
}

/* Those that are new as far as is known. */
static void
question_collect(struct question *question)
{
	struct asked *all = &question->all;

	all->count = 0;
	for (size_t i = 0; i < question->key_count; i++) {
		if (question->keys[i].admission != ADMISSION_NEW)
			continue;
		all->ids[all->count] = question->keys[i].id;
		all->places[all->count++] = (uint32_t)i;
	}
}

/* Of those the ones that this process may have added lately: in front of all runs that it added. */
static void
question_collect_own(struct question *question, const struct key_filter *filter)
{
	const struct asked *all = &question->all;
	struct asked *own = &question->own;
	size_t doubts = filter->blocks == 0 ? 0 : key_filter_doubts(filter, all->ids, all->count, question->doubts);

	asked_release(own);
	asked_begin(own, doubts);
	own->count = doubts;
	for (size_t i = 0; i < doubts; i++) {
		own->ids[i] = all->ids[question->doubts[i]];
		own->places[i] = all->places[question->doubts[i]];
	}
}

/* Takes out those that a run is known to have: the other runs are not asked for them. */
static void
asked_settle(struct asked *asked, const struct admitted *keys)
{
	size_t kept = 0;

	for (size_t i = 0; i < asked->count; i++) {
		asked->ids[kept] = asked->ids[i];
		asked->places[kept] = asked->places[i];
		kept += keys[asked->places[i]].admission == ADMISSION_NEW;
	}
	asked->count = kept;
}

static void
question_clear(struct question *question)
{
	text_clear(&question->pair_runs);
	text_clear(&question->pair_ids);
	text_clear(&question->runs);
	text_clear(&question->tokens);
	question->pair_count = 0;
}

static void
question_release(struct question *question)
{
	text_release(&question->pair_runs);
	text_release(&question->pair_ids);
	text_release(&question->runs);
	text_release(&question->tokens);
	asked_release(&question->all);
	asked_release(&question->own);
	free(question->doubts);
	free(question->pairs);
}

/* Columns of key_page_probe.sql. */
static void
take_answer(struct question *question, const struct rows *rows)
{
	for (int i = 0; i < rows->count && !question->gone; i++) {
		unsigned char time[8];
		struct id128 content;
		uint64_t time_us = 0;
		int64_t place;

		question->gone = row_is_null(rows, i, 0);
		if (question->gone)
			return;
		place = row_number(rows, i, 0);
		must(place >= 1 && (size_t)place <= question->pair_count);
		digest_unhex(row_text(rows, i, 1), sizeof content.byte, content.byte);
		digest_unhex(row_text(rows, i, 2), sizeof time, time);
		for (size_t j = 0; j < sizeof time; j++)
			time_us = time_us << 8 | time[j];
		keys_known(question->keys, question->key_count, question->pairs[place - 1], &content,
		    (struct instant){(int64_t)time_us});
	}
}

/* Asks what was collected. */
static bool
question_ask(struct question *question, struct error *err)
{
	struct rows rows;

	if (question->pair_count == 0)
		return true;
	text_add(&question->pair_runs, "}", 1);
	text_add(&question->pair_ids, "}", 1);
	text_add(&question->runs, "}", 1);
	text_add(&question->tokens, "}", 1);
	if (!db_rows(question->db, SQL_LEDGER_KEY_PAGE_PROBE,
		PARAMS(text_string(&question->pair_runs), text_string(&question->pair_ids), text_string(&question->runs),
		    text_string(&question->tokens)),
		&rows, err))
		return false;
	take_answer(question, &rows);
	rows_release(&rows);
	question_clear(question);
	return true;
}

static void
add_element(struct text *array, const char *element)
{
	text_add(array, array->length == 0 ? "{" : ",", 1);
	text_add_string(array, element);
}

/* Asks a run for one of the keys, soon, unless another run knew it. */
static bool
ask_exactly(struct question *question, const struct register_run *run, const char *number, uint32_t place, struct error *err)
{
	const struct admitted *key = &question->keys[place];
	unsigned char id[16];
	char hex[33];

	if (key->admission != ADMISSION_NEW)
		return true;
	if (question->pair_count == PAIRS_MAX && !question_ask(question, err))
		return false;
	if (question->runs.length == 0 || question->last_run != run->run) {
		add_element(&question->runs, number);
		add_element(&question->tokens, digest_hex(run->token, sizeof run->token, hex));
		question->last_run = run->run;
	}
	key_id_bytes(key->id, id);
	add_element(&question->pair_runs, number);
	add_element(&question->pair_ids, digest_hex(id, sizeof id, hex));
	question->pairs[question->pair_count++] = place;
	return true;
}

/* Those of `asked` that no run is known to have. */
static void
choose_new(const struct question *question, const struct asked *asked, struct key_choice *choice)
{
	size_t kept = 0;

	for (size_t i = 0; i < choice->count; i++) {
		uint32_t at = choice->at[i];

		choice->at[kept] = at;
		kept += question->keys[asked->places[at]].admission == ADMISSION_NEW;
	}
	choice->count = kept;
}

/* Leaves in the choice what a run's filter does not deny, be it in memory or not. */
static bool
choose_doubts(struct question *question, const struct asked *asked, const struct register_run *run, struct key_choice *choice,
    struct error *err)
{
	bool in_memory = run->filter.blocks > 0;

	*choice = (struct key_choice){.ids = asked->ids, .at = question->doubts, .count = asked->count};
	if (in_memory)
		choice->count = key_filter_doubts(&run->filter, asked->ids, asked->count, choice->at);
	for (size_t i = 0; !in_memory && i < choice->count; i++)
		choice->at[i] = (uint32_t)i;
	choose_new(question, asked, choice);
	return in_memory || run_read_filter(question->db, run, choice, &question->gone, err);
}

/* What reading a run's pages tells. */
struct told {
	struct question *question;
	const struct asked *asked;
};

static void
take_told(void *context, uint32_t at, const struct key *key)
{
	const struct told *told = context;
	struct question *question = told->question;

	keys_known(question->keys, question->key_count, told->asked->places[at], &key->content, (struct instant){key->time_us});
}

static bool
ask_run(struct usage_register *reg, struct question *question, struct register_run *run, struct error *err)
{
	const struct asked *asked = run->is_own ? &question->own : &question->all;
	struct told told = {question, asked};
	struct key_choice choice;
	char number[DECIMAL_TEXT];

	if (asked->count == 0)
		return true;
	if (!run_have_filter(reg, question->db, run, asked->count, &question->gone, err))
		return false;
	if (question->gone)
		return true;
	if (!choose_doubts(question, asked, run, &choice, err))
		return false;
	if (!question->gone && run_reads_better(run, &choice)) {
		if (!run_read_pages(question->db, run, &choice, take_told, &told, &question->gone, err))
			return false;
		asked_settle(&question->all, question->keys);
		asked_settle(&question->own, question->keys);
		return true;
	}
	integer_format(run->run, number);
	for (size_t i = 0; i < choice.count && !question->gone; i++)
		if (!ask_exactly(question, run, number, asked->places[choice.at[i]], err))
			return false;
	return true;
}

/* The newest first: what is known is mostly not known for long, and then the others are not asked. */
static bool
ask_runs(struct usage_register *reg, struct question *question, int64_t after, struct error *err)
{
	question->gone = false;
	question_clear(question);
	question_collect(question);
	question_collect_own(question, &reg->own);
	for (size_t i = reg->runs.count; i > 0 && reg->runs.items[i - 1].last_entry > after && !question->gone; i--)
		if (!ask_run(reg, question, &reg->runs.items[i - 1], err))
			return false;
	return question->gone || question_ask(question, err);
}

/* Asks for what the entries behind `after` have.  A run may be merged by others between two statements; then the runs are listed again. */
static bool
ask_entries(struct usage_register *reg, struct db *db, struct admitted *keys, size_t count, int64_t after, struct error *err)
{
	const struct register_runs *runs = &reg->runs;
	struct question question;
	bool fine = true;

	if (runs->count == 0 || runs->items[runs->count - 1].last_entry <= after) {
		reg->asked_entries = reg->newest.entry;
		return true;
	}
	question_begin(&question, db, keys, count);
	question.gone = true;
	for (int tries = 0; fine && question.gone; tries++) {
		if (tries == TRIES_MAX)
			fine =
			    error_set(err, ERROR_BUSY, "the runs of the register were merged by others %d times over", TRIES_MAX);
		else
			fine = (tries == 0 || runs_list(reg, db, err)) && ask_runs(reg, &question, after, err);
	}
	question_release(&question);
	if (fine)
		reg->asked_entries = reg->newest.entry;
	return fine;
}

bool
register_ask(struct usage_register *reg, struct db *db, struct admitted *keys, size_t count, struct error *err)
{
	return ask_entries(reg, db, keys, count, 0, err);
}

/* --- adding ------------------------------------------------------------------------------------ */

static size_t
count_new(const struct admitted *keys, size_t count)
{
	size_t new = 0;

	for (size_t i = 0; i < count; i++)
		new += keys[i].admission == ADMISSION_NEW;
	return new;
}

enum { LOOK_AHEAD = 8 };

/* A run of keys on its way into the database. */
struct adding {
	struct db *db;
	struct register_run *run;
	struct key_filter *own;
	const struct admitted *keys;
	size_t count;
	i128 hash_sum; /* by which a lost or changed key shows: see key_sum.h */
	struct text rows;
};

/* Puts the next keys into a page, from *at on; returns how many. */
static size_t
fill_page(struct adding *adding, size_t *at, struct key *page)
{
	size_t filled = 0;

	for (; *at < adding->count && filled < KEY_PAGE_KEYS; (*at)++) {
		const struct admitted *key = &adding->keys[*at];
		const struct usage_event *event = &key->record->event;

		/* Events lie in the order of the records, identities are sorted: each one is a look at memory. */
		if (*at + LOOK_AHEAD < adding->count) {
			__builtin_prefetch(&key[LOOK_AHEAD].record->event.content);
			__builtin_prefetch(&key[LOOK_AHEAD].record->event.time);
		}
		if (key->admission != ADMISSION_NEW)
			continue;
		page[filled++] = (struct key){.id = key->id, .content = event->content, .time_us = event->time.us};
		key_filter_add(&adding->run->filter, key->id);
		key_filter_add(adding->own, key->id);
		adding->hash_sum += key_hash(event->event_id.byte, event->content.byte, event->time.us);
	}
	return filled;
}

/* In pieces, so that the server works on one while the next is made. */
static bool
copy_pages(struct adding *adding, struct error *err)
{
	struct key page[KEY_PAGE_KEYS];
	struct text *rows = &adding->rows;
	size_t at = 0, filled;
	int64_t pages = 0, taken;

	if (!db_copy_in_begin(adding->db, SQL_LEDGER_KEY_PAGE_COPY, err))
		return false;
	copy_header(rows);
	while ((filled = fill_page(adding, &at, page)) > 0) {
		key_page_row(page, filled, adding->run->run, rows);
		pages++;
		if (rows->length < COPY_PIECE)
			continue;
		if (!db_copy_in_bytes(adding->db, rows->bytes, rows->length, err))
			return false;
		text_clear(rows);
	}
	copy_trailer(rows);
	if (!db_copy_in_bytes(adding->db, rows->bytes, rows->length, err) || !db_copy_in_end(adding->db, &taken, err))
		return false;
	must(taken == pages);
	return true;
}

/* The next entry, and its run, whose pages are there. */
static bool
add_entry(const struct adding *adding, struct error *err)
{
	struct register_run *run = adding->run;
	char sum[DECIMAL_TEXT];
	struct arena arena = {0};
	struct rows rows;
	bool fine = db_one_row(adding->db, SQL_LEDGER_REGISTER_APPEND,
	    PARAMS(param_number(&arena, run->run), param_number(&arena, run->first_entry), param_number(&arena, run->first_batch),
		param_number(&arena, run->keys), param_number(&arena, run->filter_blocks), integer_format(adding->hash_sum, sum)),
	    &rows, err);

	arena_release(&arena);
	if (!fine)
		return false;
	digest_unhex(row_text(&rows, 0, 0), sizeof run->token, run->token);
	rows_release(&rows);
	return true;
}

static bool
add_run(struct usage_register *reg, struct db *db, const struct admitted *keys, size_t count, size_t new, int64_t batch_id,
    struct error *err)
{
	struct register_run *run = &reg->added;
	struct adding adding = {.db = db, .run = run, .own = &reg->own, .keys = keys, .count = count};
	bool fine;

	*run = (struct register_run){.first_entry = reg->newest.entry + 1,
	    .last_entry = reg->newest.entry + 1,
	    .keys = (int64_t) new,
	    .first_batch = batch_id};
	runs_own(reg, run->keys);
	key_filter_open(&run->filter, key_filter_blocks(new));
	run->filter_blocks = new < KEY_FILTER_LEAST ? 0 : (int64_t)run->filter.blocks;
	fine = run_number(db, run, err) && copy_pages(&adding, err) &&
	    (run->filter_blocks == 0 || run_store_filter(db, run->run, &run->filter, &adding.rows, err)) &&
	    add_entry(&adding, err);
	text_release(&adding.rows);
	return fine;
}

bool
register_lock(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_LEDGER_REGISTER_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

bool
register_append(struct usage_register *reg, struct db *db, struct admitted *keys, size_t count, int64_t batch_id, bool *overtaken,
    struct error *err)
{
	size_t new = count_new(keys, count);
	int64_t asked = reg->asked_entries;

	*overtaken = false;
	if (new == 0)
		return true;
	/* Who waited for the lock sees, in the statements behind it, all that those before it added. */
	if (!register_lock(db, err) || !runs_list(reg, db, err) || !ask_entries(reg, db, keys, count, asked, err))
		return false;
	*overtaken = count_new(keys, count) < new;
	if (*overtaken || add_run(reg, db, keys, count, new, batch_id, err))
		return true;
	*overtaken = error_is_sqlstate(err, "23505");
	return *overtaken;
}

void
register_committed(struct usage_register *reg)
{
	struct register_run *added = &reg->added;

	reg->witness = reg->newest;
	if (added->run == 0)
		return;
	reg->witness.entry = added->first_entry;
	memcpy(reg->witness.token, added->token, sizeof added->token);
	reg->newest = reg->witness;
	added->is_own = true;
	runs_add(reg, added);
	reg->is_untidy = merge_choose(&reg->runs, reg->filter_most).count > 0;
}
