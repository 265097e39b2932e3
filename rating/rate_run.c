/* rate_run.c -- see rate_run.h. */
#include "rating/rate_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/workers.h"
#include "rating/intervals.h"
#include "rating/period_rate.h"

/* Columns of due_list.sql and again_list.sql. */
enum { DUE_TENANT, DUE_PERIOD, DUE_STARTS, DUE_ENDS, DUE_CLOSED, DUE_RATING, DUE_PRICED_UNTIL };

enum {
	CHUNK = 64,          /* tenant periods that are loaded, computed and stored together */
	SEND_BYTES = 8 << 20 /* of COPY text that are kept before they are sent */
};

struct pass {
	struct run *run;
	struct rate_scope scope;
	const struct rate_told *told; /* NULL: what fails, fails as a whole */
	int64_t rating_run, priced_with, contracted_with, substituted_with;
	struct period_source source;
	struct text ratings, charges, holds; /* COPY text of what is computed */
	struct digest *digest;               /* over the ratings' output */
	struct rate_result *result;
	int done;            /* tenant periods */
	bool followed;       /* intervals moved to other classes */
	struct index failed; /* tenants of whom a period could not be rated */
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
static bool
is_set_aside(const struct pass *pass, const char *tenant)
{
	return pass->failed.count > 0 && index_has(&pass->failed, tenant, strlen(tenant));
}

/* --- storing --------------------------------------------------------------------------------- */

/* A number, or NULL for 0. */
static void
add_reference(struct text *out, int64_t number)
{
	if (number == 0)
		text_add_string(out, "\\N");
	else
		text_add_format(out, "%lld", (long long)number);
}

static void
add_charge(struct pass *pass, int64_t rating_id, size_t ordinal, const struct charge *c)
{
	char price[DECIMAL_TEXT], quantity[DECIMAL_TEXT], billed[DECIMAL_TEXT], amount[DECIMAL_TEXT], first[INSTANT_TEXT],
	    last[INSTANT_TEXT];
	struct text *out = &pass->charges;

	text_add_format(out, "%lld\t%zu\t", (long long)rating_id, ordinal);
	copy_text_column(out, c->model);
	copy_text_column(out, c->service_tier);
	text_add_format(out, "%d\t%d\t", c->meter, c->priced_as);
	add_reference(out, c->version_id);
	text_add_format(out, "\t%d\t%d\t%s\t%lld\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t", c->rule, c->tier,
	    decimal_format(c->price, price), (long long)c->per, integer_format(c->quantity, quantity),
	    decimal_format(c->amount, amount), c->currency, instant_format(c->first, first), instant_format(c->last, last),
	    charge_kind_text(c->kind), c->billed == c->quantity ? "\\N" : integer_format(c->billed, billed));
	copy_text_column(out, c->detail);
	copy_text_column(out, c->counter);
	add_reference(out, c->contract_id);
	text_add(out, "\n", 1);
	pass->result->charges++;
}

static void
add_hold(struct pass *pass, int64_t rating_id, size_t ordinal, const struct hold *h)
{
	char quantity[DECIMAL_TEXT], first[INSTANT_TEXT], last[INSTANT_TEXT];

	text_add_format(&pass->holds, "%lld\t%zu\t", (long long)rating_id, ordinal);
	copy_text_column(&pass->holds, h->model);
	copy_text_column(&pass->holds, h->service_tier);
	text_add_format(&pass->holds, "%d\t%s\t%s\t%s\t%s\n", h->meter, h->reason, integer_format(h->quantity, quantity),
	    instant_format(h->first, first), instant_format(h->last, last));
	pass->result->holds++;
}

static bool
send_when_large(struct pass *pass, size_t limit, struct error *err)
{
	if (pass->ratings.length + pass->charges.length + pass->holds.length < limit)
		return true;
	return db_copy_in_text(pass->run->db, SQL_RATING_RATING_COPY, &pass->ratings, err) &&
	    db_copy_in_text(pass->run->db, SQL_RATING_CHARGE_COPY, &pass->charges, err) &&
	    db_copy_in_text(pass->run->db, SQL_RATING_HOLD_COPY, &pass->holds, err);
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
add_rating(struct pass *pass, const struct rows *due, int row, int64_t rating_id, int64_t priced_until, const struct rated *rated)
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
	pass->result->ratings++;
}

static void
add_rated(struct pass *pass, int64_t rating_id, const struct rated *rated)
{
	for (size_t i = 0; i < rated->charge_count; i++)
		add_charge(pass, rating_id, i + 1, &rated->charges[i]);
	for (size_t i = 0; i < rated->hold_count; i++)
		add_hold(pass, rating_id, i + 1, &rated->holds[i]);
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

static bool
rate_closed(struct pass *pass, const struct rows *due, int row, struct error *err)
{
	struct rated rated = {0};
	int64_t rating_id;
	bool fine = hold_late(pass, due, row, &rated, err) && take_ids(pass, 1, &rating_id, err);

	if (fine) {
		add_rating(pass, due, row, rating_id, row_number(due, row, DUE_PRICED_UNTIL), &rated);
		add_rated(pass, rating_id, &rated);
		fine = send_when_large(pass, 0, err) &&
		    (row_is_null(due, row, DUE_RATING) ||
			db_change(pass->run->db, SQL_RATING_CHARGES_REPEAT,
			    PARAMS(param_number(&pass->run->arena, rating_id), row_text(due, row, DUE_RATING)), -1, err));
	}
	if (!fine)
		error_wrap(err, "rating %s of %s", row_text(due, row, DUE_PERIOD), row_text(due, row, DUE_TENANT));
	rated_release(&rated);
	return fine;
}

/* --- periods that are open ------------------------------------------------------------------- */

/* Periods that are loaded and being computed, while the next ones are loaded. */
struct chunk {
	const struct period_source *source;
	struct period period[CHUNK];
	int due[CHUNK]; /* their rows in the list */
	size_t count;
	struct workers *workers;
};

static void
compute_one(void *context, size_t place)
{
	struct chunk *chunk = context;

	period_compute(chunk->source, &chunk->period[place]);
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
		if (is_set_aside(pass, row_text(due, *next, DUE_TENANT)))
			continue;
		chunk->due[chunk->count] = *next;
		chunk->period[chunk->count++].inputs = (struct period_inputs){.tenant = row_text(due, *next, DUE_TENANT),
		    .period = row_text(due, *next, DUE_PERIOD),
		    .starts = row_instant(due, *next, DUE_STARTS),
		    .ends = row_instant(due, *next, DUE_ENDS),
		    .until_run = pass->rating_run,
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

/* Waits for a chunk and stores it, in the order of the list, whoever computed what first. */
static bool
store_chunk(struct pass *pass, const struct rows *due, struct chunk *chunk, struct error *err)
{
	int64_t ids[CHUNK] = {0};
	int fine_ones, stored = 0;
	bool fine;

	if (chunk == NULL)
		return true;
	workers_end(chunk->workers);
	chunk->workers = NULL;
	fine = look_for_failures(pass, chunk, &fine_ones, err) && take_ids(pass, fine_ones, ids, err);
	for (size_t i = 0; fine && i < chunk->count; i++) {
		const struct period *period = &chunk->period[i];

		if (!period->fine)
			continue;
		add_rating(pass, due, chunk->due[i], ids[stored], pass->rating_run, &period->rated);
		add_rated(pass, ids[stored++], &period->rated);
		fine = send_when_large(pass, SEND_BYTES, err);
	}
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
		if (!is_set_aside(pass, row_text(due, next, DUE_TENANT)) && !rate_closed(pass, due, next, err))
			return false;
		next++;
		pass->done++;
	}
	return finish_chunk(pass, due, at_work, err);
}

/* --- the pass -------------------------------------------------------------------------------- */

bool
rate_lock(struct run *run, struct error *err)
{
	struct rows rows;
	bool alone;

	if (!db_one_row(run->db, SQL_RATING_RUN_LOCK, NO_PARAMS, &rows, err))
		return false;
	alone = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (alone)
		return true;
	error_set(err, ERROR_BUSY, "another rating run is active on this database, or somebody changes what is owed");
	return error_hint(err, "Wait for it to end; rating is done once for all.");
}

static bool
begin_pass(struct pass *pass, struct error *err)
{
	struct rows rows;

	if (!db_one_row(pass->run->db, SQL_RATING_RUN_NEXT, NO_PARAMS, &rows, err))
		return false;
	pass->rating_run = row_number(&rows, 0, 0);
	pass->priced_with = row_number(&rows, 0, 1);
	pass->contracted_with = row_number(&rows, 0, 2);
	pass->substituted_with = row_number(&rows, 0, 3);
	rows_release(&rows);
	return true;
}

static bool
sum(struct pass *pass, bool only_follow, struct intervals_result *summed, struct error *err)
{
	const struct intervals_scope scope = {pass->rating_run, pass->priced_with, pass->substituted_with, only_follow};

	if (!intervals_sum(pass->run, scope, summed, err))
		return false;
	pass->result->intervals = summed->intervals;
	pass->followed = summed->followed;
	return true;
}

/* Sums what is new and finds out which periods that concerns. */
static bool
find_due(struct pass *pass, struct error *err)
{
	struct db *db = pass->run->db;
	const char *rating_run = param_number(&pass->run->arena, pass->rating_run);
	/* A contract applied while this run is at work is the next run's, for all of these statements or for none. */
	const char *contract = param_number(&pass->run->arena, pass->contracted_with);
	struct intervals_result summed;

	if (!sum(pass, false, &summed, err))
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

static bool
use_indexes(struct db *db, struct error *err)
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

/* Rates what a list says, ends it, and puts the ratings in force. */
static bool
rate_list(struct pass *pass, struct rows *due, struct error *err)
{
	const char *rating_run = param_number(&pass->run->arena, pass->rating_run);
	struct chunk *at_work = NULL;
	bool fine = period_source_open(pass->run->db, &pass->source, err) && use_indexes(pass->run->db, err) &&
	    rate_all(pass, due, &at_work, err) && end_indexes(pass->run->db, err);

	chunk_free(at_work);
	progress_end(pass->run);
	rows_release(due);
	return fine && db_change(pass->run->db, SQL_RATING_RATING_FORCE, PARAMS(rating_run), -1, err) &&
	    db_change(pass->run->db, SQL_RATING_DUE_DONE, PARAMS(rating_run), -1, err);
}

static bool
rate_due(struct pass *pass, struct error *err)
{
	struct rows due;

	return db_rows(pass->run->db, SQL_RATING_DUE_LIST, PARAMS(pass->scope.period, pass->scope.tenant), &due, err) &&
	    rate_list(pass, &due, err);
}

static bool
record_run(struct pass *pass, const char *kind, struct error *err)
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

/* Before the transaction, so that its locks end at once.  It is about speed alone: a server that refuses (the tables are another
 * role's) is no error, one that is lost is. */
static bool
summarize_ledger(struct run *run, struct error *err)
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

static void
end_pass(struct pass *pass)
{
	period_source_close(&pass->source);
	digest_free(pass->digest);
	index_release(&pass->failed);
	text_release(&pass->ratings);
	text_release(&pass->charges);
	text_release(&pass->holds);
}

bool
rate_run(struct run *run, struct rate_scope scope, const struct rate_told *told, struct rate_result *result, struct error *err)
{
	struct pass pass = {.run = run, .scope = scope, .told = told, .result = result, .digest = digest_new()};
	bool fine, something = false;

	*result = (struct rate_result){0};
	fine = summarize_ledger(run, err) && db_begin(run->db, err) && rate_lock(run, err) && begin_pass(&pass, err) &&
	    find_due(&pass, err) && rate_due(&pass, err);
	if (fine) {
		something = result->batches > 0 || result->ratings > 0 || pass.followed;
		fine = (!something || record_run(&pass, "regular", err)) &&
		    (told->ending == NULL || told->ending(told->context, result, err));
	}
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	end_pass(&pass);
	return fine;
}

/* --- rating again ---------------------------------------------------------------------------- */

bool
rate_again(struct run *run, struct rate_again scope, struct rate_again_result *result, struct error *err)
{
	struct rate_result rated = {0};
	struct pass pass = {
	    .run = run, .scope = {scope.period, scope.tenant, workers_default()}, .result = &rated, .digest = digest_new()};
	struct intervals_result summed;
	struct rows again;
	bool fine = begin_pass(&pass, err) && sum(&pass, true, &summed, err) &&
	    db_rows(run->db, SQL_RATING_AGAIN_LIST, PARAMS(scope.period, scope.tenant, scope.model), &again, err) &&
	    rate_list(&pass, &again, err) && ((rated.ratings == 0 && !pass.followed) || record_run(&pass, "rerate", err));

	end_pass(&pass);
	*result = (struct rate_again_result){rated.rating_run, rated.ratings, rated.charges, rated.holds};
	return fine;
}

/* --- checking -------------------------------------------------------------------------------- */

static bool
verify_one(
    struct period_source *source, const struct rows *ratings, int row, verify_differs *differs, void *context, struct error *err)
{
	struct period period = {.inputs = {.tenant = row_text(ratings, row, 0),
				    .period = row_text(ratings, row, 1),
				    .starts = row_instant(ratings, row, 2),
				    .ends = row_instant(ratings, row, 3),
				    .until_run = row_number(ratings, row, 4),
				    .priced_with = row_number(ratings, row, 5),
				    .contracted_with = row_number(ratings, row, 6),
				    .substituted_with = row_number(ratings, row, 9)}};
	char input[DIGEST_HEX], output[DIGEST_HEX];
	bool fine = periods_load(source, &period, 1, err);

	if (fine) {
		period_compute(source, &period);
		fine = period.fine;
		if (!fine)
			*err = period.err;
		else if (strcmp(digest_hex(period.rated.input_digest, DIGEST_SIZE, input), row_text(ratings, row, 7)) != 0)
			differs(context, period.inputs.period, "has other inputs than it was rated from");
		else if (strcmp(digest_hex(period.rated.output_digest, DIGEST_SIZE, output), row_text(ratings, row, 8)) != 0)
			differs(context, period.inputs.period, period.inputs.tenant);
	}
	periods_release(&period, 1);
	return fine;
}

bool
rate_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct period_source source;
	struct rows ratings = {0};
	bool fine;

	if (!period_source_open(run->db, &source, err))
		return false;
	fine = db_rows(run->db, SQL_RATING_RATINGS_TO_VERIFY, NO_PARAMS, &ratings, err) && use_indexes(run->db, err);
	for (int i = 0; fine && i < ratings.count; i++)
		fine = verify_one(&source, &ratings, i, differs, context, err);
	if (ratings.result != NULL)
		rows_release(&ratings);
	period_source_close(&source);
	return fine;
}
