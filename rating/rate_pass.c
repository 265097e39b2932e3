/* rate_pass.c -- see rate_pass.h. */
#include "rating/rate_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/workers.h"

enum {
	CHUNK = 64,          /* tenant periods that are loaded, computed and stored together */
	SEND_BYTES = 8 << 20 /* of COPY data that are kept before they are sent */
};

/* --- tenants that fail ----------------------------------------------------------------------- */

/* In a pass that nobody is told of, it is an error of the whole. */
static bool
set_aside(struct pass *pass, const struct period *period, struct error *err)
{
	const char *tenant = period->inputs.tenant;
	bool is_new;

	if (pass->told == NULL) {
		*err = period->err;
		return false;
	}
	(void)index_number(&pass->failed, tenant, strlen(tenant), &is_new);
	pass->told->failed(pass->told->context, tenant, period->inputs.period, &period->err);
	return true;
}

/* Something may be carried over from the period that failed. */
bool
pass_is_set_aside(const struct pass *pass, const char *tenant)
{
	return pass->failed.count > 0 && index_has(&pass->failed, tenant, strlen(tenant));
}

/* --- storing --------------------------------------------------------------------------------- */

static bool
send_when_large(struct pass *pass, size_t limit, struct error *err)
{
	if (pass->ratings.length + pass->charges.length + pass->holds.length < limit)
		return true;
	return db_copy_in_text(pass->run->db, SQL_RATING_RATING_COPY, &pass->ratings, err) &&
	    rated_rows_send(pass->run->db, SQL_RATING_CHARGE_COPY, &pass->charges, err) &&
	    rated_rows_send(pass->run->db, SQL_RATING_HOLD_COPY, &pass->holds, err);
}

/* Numbers for the ratings of a chunk. */
static bool
take_ids(struct pass *pass, int count, int64_t *ids, struct error *err)
{
	struct rows rows;

	if (!db_rows(pass->run->db, SQL_RATING_RATING_IDS, PARAMS(param_number(&pass->run->arena, count)), &rows, err))
		return false;
	must(rows.count == count);
	for (int i = 0; i < count; i++)
		ids[i] = row_number(&rows, i, 0);
	rows_release(&rows);
	return true;
}

static void
add_rating(
    struct pass *pass, const struct rows *due, int row, int64_t rating_id, int64_t priced_until, const struct rated_rows *rated)
{
	char input[DIGEST_HEX], output[DIGEST_HEX];
	struct text *out = &pass->ratings;

	text_add_format(out, "%lld\t%lld\t", (long long)rating_id, (long long)pass->rating_run);
	copy_text_column(out, row_text(due, row, DUE_TENANT));
	copy_text_column(out, row_text(due, row, DUE_PERIOD));
	text_add_format(out, "%lld\t%lld\t%lld\t%lld\t\\\\x%s\t\\\\x%s\t%d\t%lld\n", (long long)pass->rating_run,
	    (long long)priced_until, (long long)pass->priced_with, (long long)pass->contracted_with,
	    digest_hex(rated->input_digest, DIGEST_SIZE, input), digest_hex(rated->output_digest, DIGEST_SIZE, output),
	    RATING_ENGINE, (long long)pass->substituted_with);
	digest_field(pass->digest, rated->output_digest, DIGEST_SIZE);
	rated_rows_number(&rated->charges, rating_id, &pass->charges);
	rated_rows_number(&rated->holds, rating_id, &pass->holds);
	pass->result->ratings++;
	pass->result->charges += rated->charge_count;
	pass->result->holds += rated->hold_count;
}

/* --- a period that is closed ------------------------------------------------------------------ */

/* Its charges stay as they are in force, and what came later is held until it is re-rated: nothing that is out changes. */
static bool
repeat_holds(struct pass *pass, const char *rating, struct rated *rated, struct error *err)
{
	struct rows held;

	if (!db_rows(pass->run->db, SQL_RATING_HOLDS_IN_TIME, PARAMS(rating), &held, err))
		return false;
	for (int i = 0; i < held.count; i++)
		rated_hold(rated, row_text(&held, i, 0), row_text(&held, i, 1), (int)row_number(&held, i, 2),
		    row_text(&held, i, 3), row_integer(&held, i, 4), row_instant(&held, i, 5), row_instant(&held, i, 6));
	rows_release(&held);
	return true;
}

/* Of a period of which nothing is booked yet that is all there is. */
static bool
hold_late(struct pass *pass, const struct rows *due, int row, struct rated *rated, struct error *err)
{
	struct arena *arena = &pass->run->arena;
	struct rows late;

	if (!row_is_null(due, row, DUE_RATING) && !repeat_holds(pass, row_text(due, row, DUE_RATING), rated, err))
		return false;
	if (!db_rows(pass->run->db, SQL_RATING_LATE_OF_PERIOD,
		PARAMS(row_text(due, row, DUE_TENANT), param_instant(arena, row_instant(due, row, DUE_STARTS)),
		    param_instant(arena, row_instant(due, row, DUE_ENDS)), param_number(arena, pass->rating_run),
		    row_text(due, row, DUE_PRICED_UNTIL)),
		&late, err))
		return false;
	for (int i = 0; i < late.count; i++)
		rated_hold(rated, row_text(&late, i, 1), row_text(&late, i, 2), (int)row_number(&late, i, 3),
		    row_text(due, row, DUE_CLOSED), row_integer(&late, i, 4), row_instant(&late, i, 0), row_instant(&late, i, 0));
	rows_release(&late);
	rated_finish(rated);
	return true;
}

bool
pass_rate_closed(struct pass *pass, const struct rows *due, int row, struct error *err)
{
	struct rated rated = {0};
	struct rated_rows rows = {0};
	int64_t rating_id;
	bool fine = hold_late(pass, due, row, &rated, err) && take_ids(pass, 1, &rating_id, err);

	if (fine) {
		rated_rows_make(&rated, &rows);
		add_rating(pass, due, row, rating_id, row_number(due, row, DUE_PRICED_UNTIL), &rows);
		fine = send_when_large(pass, 0, err) &&
		    (row_is_null(due, row, DUE_RATING) ||
			db_change(pass->run->db, SQL_RATING_CHARGES_REPEAT,
			    PARAMS(param_number(&pass->run->arena, rating_id), row_text(due, row, DUE_RATING)), -1, err));
	}
	if (!fine)
		error_wrap(err, "rating %s of %s", row_text(due, row, DUE_PERIOD), row_text(due, row, DUE_TENANT));
	text_release(&rows.charges);
	text_release(&rows.holds);
	rated_release(&rated);
	return fine;
}

/* --- periods that are open ------------------------------------------------------------------- */

/* Periods that are loaded and being computed, while the next ones are loaded. */
struct chunk {
	const struct period_source *source;
	struct period period[CHUNK];
	struct rated_rows rows[CHUNK]; /* of those that could be rated */
	int due[CHUNK];                /* their rows in the list */
	size_t count;
	struct workers *workers;
};

static void
compute_one(void *context, size_t place)
{
	struct chunk *chunk = context;
	struct period *period = &chunk->period[place];

	period_compute(chunk->source, period);
	if (period->fine)
		rated_rows_make(&period->rated, &chunk->rows[place]);
}

/* Loads open periods from *next on, all of one month: a later one may need what an earlier one leaves. */
static bool
load_chunk(struct pass *pass, const struct rows *due, int *next, struct chunk *chunk, struct error *err)
{
	int first = *next;

	for (; *next < due->count && chunk->count < CHUNK; ++*next) {
		if (strcmp(row_text(due, *next, DUE_PERIOD), row_text(due, first, DUE_PERIOD)) != 0 ||
		    !row_is_null(due, *next, DUE_CLOSED))
			break;
		if (pass_is_set_aside(pass, row_text(due, *next, DUE_TENANT)))
			continue;
		chunk->due[chunk->count] = *next;
		chunk->period[chunk->count++].inputs = (struct period_inputs){.tenant = row_text(due, *next, DUE_TENANT),
		    .period = row_text(due, *next, DUE_PERIOD),
		    .starts = row_instant(due, *next, DUE_STARTS),
		    .ends = row_instant(due, *next, DUE_ENDS),
		    .until_run = pass->until_run,
		    .priced_with = pass->priced_with,
		    .contracted_with = pass->contracted_with,
		    .substituted_with = pass->substituted_with};
	}
	return chunk->count == 0 || periods_load(&pass->source, chunk->period, chunk->count, err);
}

static void
chunk_free(struct chunk *chunk)
{
	if (chunk == NULL)
		return;
	workers_end(chunk->workers);
	periods_release(chunk->period, chunk->count);
	for (size_t i = 0; i < chunk->count; i++) {
		text_release(&chunk->rows[i].charges);
		text_release(&chunk->rows[i].holds);
	}
	free(chunk);
}

/* How many periods of a chunk could be rated. */
static bool
look_for_failures(struct pass *pass, const struct chunk *chunk, int *fine_ones, struct error *err)
{
	*fine_ones = 0;
	for (size_t i = 0; i < chunk->count; i++)
		if (chunk->period[i].fine)
			++*fine_ones;
		else if (!set_aside(pass, &chunk->period[i], err))
			return false;
	return true;
}

/* For later: what is rated gets its number when it is booked. */
static bool
spool_chunk(struct pass *pass, const struct chunk *chunk, struct error *err)
{
	for (size_t i = 0; i < chunk->count; i++)
		if (chunk->period[i].fine && !rated_spool_add(pass->spool, chunk->due[i], &chunk->rows[i], err))
			return false;
	return true;
}

static bool
number_chunk(struct pass *pass, const struct rows *due, const struct chunk *chunk, int fine_ones, struct error *err)
{
	int64_t ids[CHUNK] = {0};
	int stored = 0;

	if (!take_ids(pass, fine_ones, ids, err))
		return false;
	for (size_t i = 0; i < chunk->count; i++) {
		if (!chunk->period[i].fine)
			continue;
		add_rating(pass, due, chunk->due[i], ids[stored++], pass->rating_run, &chunk->rows[i]);
		if (!send_when_large(pass, SEND_BYTES, err))
			return false;
	}
	return true;
}

/* Waits for a chunk and stores it, in the order of the list, whoever computed what first. */
static bool
store_chunk(struct pass *pass, const struct rows *due, struct chunk *chunk, struct error *err)
{
	int fine_ones;
	bool fine;

	if (chunk == NULL)
		return true;
	workers_end(chunk->workers);
	chunk->workers = NULL;
	fine = look_for_failures(pass, chunk, &fine_ones, err) &&
	    (pass->spool != NULL ? spool_chunk(pass, chunk, err) : number_chunk(pass, due, chunk, fine_ones, err));
	pass->done += (int)chunk->count;
	progress_count(pass->run, "rating: tenant periods", pass->done, due->count);
	return fine;
}

/* What needs something of the chunk at work: an earlier month's charges, or the connection for itself. */
static bool
is_apart(const struct rows *due, int next)
{
	return next > 0 &&
	    (!row_is_null(due, next, DUE_CLOSED) ||
		strcmp(row_text(due, next, DUE_PERIOD), row_text(due, next - 1, DUE_PERIOD)) != 0);
}

/* Stores the chunk at work, if any, and everything that waits to be sent. */
static bool
finish_chunk(struct pass *pass, const struct rows *due, struct chunk **at_work, struct error *err)
{
	bool fine = store_chunk(pass, due, *at_work, err) && send_when_large(pass, 0, err);

	chunk_free(*at_work);
	*at_work = NULL;
	return fine;
}

/* Loads the next chunk while the one before is computed. */
static bool
rate_chunk(struct pass *pass, const struct rows *due, int *next, struct chunk **at_work, struct error *err)
{
	struct chunk *chunk = memory_new(1, sizeof *chunk);

	chunk->source = &pass->source;
	if (!load_chunk(pass, due, next, chunk, err) || !store_chunk(pass, due, *at_work, err)) {
		chunk_free(chunk);
		return false;
	}
	chunk_free(*at_work);
	*at_work = chunk;
	chunk->workers = workers_begin(pass->scope.workers, chunk->count, compute_one, chunk);
	return true;
}

static bool
rate_all(struct pass *pass, const struct rows *due, struct chunk **at_work, struct error *err)
{
	for (int next = 0; next < due->count;) {
		if (is_apart(due, next) && !finish_chunk(pass, due, at_work, err))
			return false;
		if (row_is_null(due, next, DUE_CLOSED)) {
			if (!rate_chunk(pass, due, &next, at_work, err))
				return false;
			continue;
		}
		/* One that is closed is made from what is stored, and quickly: where others are kept for later, it is, too. */
		if (pass->spool == NULL && !pass_is_set_aside(pass, row_text(due, next, DUE_TENANT)) &&
		    !pass_rate_closed(pass, due, next, err))
			return false;
		next++;
		pass->done++;
	}
	return finish_chunk(pass, due, at_work, err);
}

bool
pass_use_indexes(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_RATING_INDEX_PLANS, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

/* The transaction may go on with other work. */
static bool
end_indexes(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_RATING_INDEX_PLANS_END, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

bool
pass_rate_list(struct pass *pass, const struct rows *due, struct error *err)
{
	struct chunk *at_work = NULL;
	bool fine = period_source_open(pass->run->db, &pass->source, err) && pass_use_indexes(pass->run->db, err) &&
	    rate_all(pass, due, &at_work, err) && end_indexes(pass->run->db, err);

	chunk_free(at_work);
	progress_end(pass->run);
	period_source_close(&pass->source);
	return fine;
}

/* --- what was kept ----------------------------------------------------------------------------- */

bool
pass_store_kept(struct pass *pass, const struct rows *due, int row, const struct rated_rows *rated, struct error *err)
{
	int64_t rating_id;

	if (!take_ids(pass, 1, &rating_id, err))
		return false;
	add_rating(pass, due, row, rating_id, pass->rating_run, rated);
	return send_when_large(pass, SEND_BYTES, err);
}

bool
pass_send(struct pass *pass, struct error *err)
{
	return send_when_large(pass, 0, err);
}

/* --- beginning and end ----------------------------------------------------------------------- */

/* Before the transaction, so that its locks end at once.  It is about speed alone: a server that refuses (the tables are another
 * role's) is no error, one that is lost is. */
bool
pass_summarize_ledger(struct run *run, struct error *err)
{
	struct error refused = {0};
	struct rows rows;

	if (db_one_row(run->db, SQL_RATING_LEDGER_SUMMARIZE, NO_PARAMS, &rows, &refused)) {
		rows_release(&rows);
		return true;
	}
	if (db_is_open(run->db))
		return true;
	*err = refused;
	return false;
}

bool
pass_number(struct pass *pass, struct error *err)
{
	struct rows rows;

	if (!db_one_row(pass->run->db, SQL_RATING_RUN_NEXT, NO_PARAMS, &rows, err))
		return false;
	pass->rating_run = row_number(&rows, 0, 0);
	pass->priced_with = row_number(&rows, 0, 1);
	pass->contracted_with = row_number(&rows, 0, 2);
	pass->substituted_with = row_number(&rows, 0, 3);
	pass->until_run = pass->rating_run;
	rows_release(&rows);
	return true;
}

bool
pass_sum(struct pass *pass, bool only_follow, struct intervals_result *summed, struct error *err)
{
	const struct intervals_scope scope = {
	    pass->rating_run, pass->priced_with, pass->substituted_with, only_follow, pass->scope.workers};

	if (!intervals_sum(pass->run, scope, summed, err))
		return false;
	pass->result->intervals = summed->intervals;
	pass->followed = summed->followed;
	return true;
}

/* Sums what is new and finds out which periods that concerns. */
bool
pass_find_due(struct pass *pass, struct error *err)
{
	struct db *db = pass->run->db;
	const char *rating_run = param_number(&pass->run->arena, pass->rating_run);
	/* A contract applied while this run is at work is the next run's, for all of these statements or for none. */
	const char *contract = param_number(&pass->run->arena, pass->contracted_with);
	struct intervals_result summed;

	if (!pass_sum(pass, false, &summed, err))
		return false;
	pass->result->batches = summed.batches;
	pass->result->events = summed.events;
	return db_change(db, SQL_RATING_DUE_READD, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_PROVISIONAL_UNFORCE, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_PROVISIONAL_DELETE, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_DUE_ADD, PARAMS(rating_run, contract), -1, err) &&
	    db_change(db, SQL_RATING_DUE_FOR_NEW_PRICES, NO_PARAMS, -1, err) &&
	    db_change(
		db, SQL_RATING_DUE_FOR_TERMS, PARAMS(contract, param_instant(&pass->run->arena, pass->run->now)), -1, err) &&
	    db_change(db, SQL_RATING_DUE_FOR_CARRIED, NO_PARAMS, -1, err) &&
	    db_change(db, SQL_RATING_PERIOD_ENSURE, PARAMS(contract), -1, err);
}

bool
pass_force(struct pass *pass, struct error *err)
{
	const char *rating_run = param_number(&pass->run->arena, pass->rating_run);

	return db_change(pass->run->db, SQL_RATING_RATING_FORCE, PARAMS(rating_run), -1, err) &&
	    db_change(pass->run->db, SQL_RATING_DUE_DONE, PARAMS(rating_run), -1, err);
}

bool
pass_record(struct pass *pass, const char *kind, struct error *err)
{
	const struct rate_result *r = pass->result;
	struct arena *arena = &pass->run->arena;
	unsigned char sum[DIGEST_SIZE];

	digest_end(pass->digest, sum);
	pass->result->rating_run = pass->rating_run;
	return db_change(pass->run->db, SQL_RATING_RUN_ADD,
	    PARAMS(param_number(arena, pass->rating_run), pass->scope.period, pass->scope.tenant,
		param_instant(arena, pass->run->now), TOLLBOOK_VERSION, param_number(arena, r->batches),
		param_number(arena, r->events), param_number(arena, r->intervals), param_number(arena, r->ratings),
		param_number(arena, r->charges), param_number(arena, r->holds), param_hex(arena, sum, sizeof sum), kind),
	    1, err);
}

void
pass_end(struct pass *pass)
{
	digest_free(pass->digest);
	index_release(&pass->failed);
	text_release(&pass->ratings);
	text_release(&pass->charges);
	text_release(&pass->holds);
}
