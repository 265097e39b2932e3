/* rate_run.c -- see rate_run.h. */
#include "rating/rate_run.h"

#include <string.h>

#include "rating/intervals.h"
#include "rating/period_rate.h"

/* Columns of due_list.sql. */
enum { DUE_TENANT, DUE_PERIOD, DUE_STARTS, DUE_ENDS, DUE_INVOICED, DUE_PRICED_UNTIL };

struct pass {
	struct run *run;
	int64_t rating_run, priced_with, contracted_with;
	struct book_shelf *shelf;
	struct text charges, holds; /* COPY text of what is computed */
	struct digest *digest;      /* over the ratings' output */
	struct rate_result *result;
};

/* --- storing --------------------------------------------------------------------------------- */

static void
add_charge(struct pass *pass, const char *rating_id, size_t ordinal, const struct charge *c)
{
	char price[DECIMAL_TEXT], quantity[DECIMAL_TEXT], amount[DECIMAL_TEXT], first[INSTANT_TEXT], last[INSTANT_TEXT];

	text_add_format(&pass->charges, "%s\t%zu\t", rating_id, ordinal);
	copy_text_field(&pass->charges, c->model, strlen(c->model));
	text_add(&pass->charges, "\t", 1);
	copy_text_field(&pass->charges, c->service_tier, strlen(c->service_tier));
	text_add_format(&pass->charges, "\t%d\t%d\t%lld\t%d\t%d\t%s\t%lld\t%s\t%s\t%s\t%s\t%s\n", c->meter, c->priced_as,
	    (long long)c->version_id, c->rule, c->tier, decimal_format(c->price, price), (long long)c->per,
	    integer_format(c->quantity, quantity), decimal_format(c->amount, amount), c->currency,
	    instant_format(c->first, first), instant_format(c->last, last));
	pass->result->charges++;
}

static void
add_hold(struct pass *pass, const char *rating_id, size_t ordinal, const struct hold *h)
{
	char quantity[DECIMAL_TEXT], first[INSTANT_TEXT], last[INSTANT_TEXT];

	text_add_format(&pass->holds, "%s\t%zu\t", rating_id, ordinal);
	copy_text_field(&pass->holds, h->model, strlen(h->model));
	text_add(&pass->holds, "\t", 1);
	copy_text_field(&pass->holds, h->service_tier, strlen(h->service_tier));
	text_add_format(&pass->holds, "\t%d\t%s\t%s\t%s\t%s\n", h->meter, h->reason, integer_format(h->quantity, quantity),
	    instant_format(h->first, first), instant_format(h->last, last));
	pass->result->holds++;
}

static bool
send(struct run *run, enum statement_id copy, struct text *rows, struct error *err)
{
	int64_t taken;

	if (rows->length == 0)
		return true;
	if (!db_copy_in_begin(run->db, copy, err) || !db_copy_in_bytes(run->db, rows->bytes, rows->length, err) ||
	    !db_copy_in_end(run->db, &taken, err))
		return false;
	text_clear(rows);
	return true;
}

static bool
send_when_large(struct pass *pass, size_t limit, struct error *err)
{
	if (pass->charges.length + pass->holds.length < limit)
		return true;
	return send(pass->run, SQL_RATING_CHARGE_COPY, &pass->charges, err) &&
	    send(pass->run, SQL_RATING_HOLD_COPY, &pass->holds, err);
}

/* Writes the rating's row, puts it in force, and gives its number. */
static bool
store_rating(struct pass *pass, const struct rows *due, int row, int64_t priced_until, const struct rated *rated,
    const char **rating_id, struct error *err)
{
	struct run *run = pass->run;
	const char *tenant = row_text(due, row, DUE_TENANT), *period = row_text(due, row, DUE_PERIOD);
	struct rows made;

	if (!db_one_row(run->db, SQL_RATING_RATING_ADD,
		PARAMS(param_number(&run->arena, pass->rating_run), tenant, period, param_number(&run->arena, pass->rating_run),
		    param_number(&run->arena, priced_until), param_number(&run->arena, pass->priced_with),
		    param_number(&run->arena, pass->contracted_with), param_hex(&run->arena, rated->input_digest, DIGEST_SIZE),
		    param_hex(&run->arena, rated->output_digest, DIGEST_SIZE)),
		&made, err))
		return false;
	*rating_id = arena_copy(&run->arena, row_text(&made, 0, 0), row_length(&made, 0, 0));
	rows_release(&made);
	digest_field(pass->digest, rated->output_digest, DIGEST_SIZE);
	pass->result->ratings++;
	return db_change(run->db, SQL_RATING_RATING_FORCE, PARAMS(tenant, period, *rating_id), 1, err) &&
	    db_change(run->db, SQL_RATING_DUE_DONE, PARAMS(tenant, period), 1, err);
}

static bool
store_open(struct pass *pass, const struct rows *due, int row, const struct rated *rated, struct error *err)
{
	const char *rating_id;

	if (!store_rating(pass, due, row, pass->rating_run, rated, &rating_id, err))
		return false;
	for (size_t i = 0; i < rated->charge_count; i++)
		add_charge(pass, rating_id, i + 1, &rated->charges[i]);
	for (size_t i = 0; i < rated->hold_count; i++)
		add_hold(pass, rating_id, i + 1, &rated->holds[i]);
	return send_when_large(pass, 8 << 20, err);
}

static bool
rate_open(struct pass *pass, const struct rows *due, int row, struct error *err)
{
	struct period_inputs inputs = {.tenant = row_text(due, row, DUE_TENANT),
	    .period = row_text(due, row, DUE_PERIOD),
	    .starts = row_instant(due, row, DUE_STARTS),
	    .ends = row_instant(due, row, DUE_ENDS),
	    .until_run = pass->rating_run,
	    .priced_with = pass->priced_with,
	    .contracted_with = pass->contracted_with};
	struct rated rated;
	bool fine;

	if (!period_rate(pass->run->db, pass->shelf, &inputs, &rated, err))
		return false;
	fine = store_open(pass, due, row, &rated, err);
	rated_release(&rated);
	return fine;
}

/* --- a period that is invoiced ---------------------------------------------------------------- */

/* Its charges stay as they are invoiced, and what came later is held until it is re-rated: nothing that is out changes. */
static bool
hold_late(struct pass *pass, const struct rows *due, int row, struct rated *rated, struct error *err)
{
	struct arena *arena = &pass->run->arena;
	struct rows held, late;

	if (!db_rows(pass->run->db, SQL_RATING_HOLDS_OF_RATING, PARAMS(row_text(due, row, DUE_INVOICED)), &held, err))
		return false;
	for (int i = 0; i < held.count; i++)
		rated_hold(rated, row_text(&held, i, 0), row_text(&held, i, 1), (int)row_number(&held, i, 2),
		    row_text(&held, i, 3), row_integer(&held, i, 4), row_instant(&held, i, 5), row_instant(&held, i, 6));
	rows_release(&held);
	if (!db_rows(pass->run->db, SQL_RATING_INTERVALS_OF_PERIOD,
		PARAMS(row_text(due, row, DUE_TENANT), param_instant(arena, row_instant(due, row, DUE_STARTS)),
		    param_instant(arena, row_instant(due, row, DUE_ENDS)), param_number(arena, pass->rating_run),
		    row_text(due, row, DUE_PRICED_UNTIL)),
		&late, err))
		return false;
	for (int i = 0; i < late.count; i++)
		rated_hold(rated, row_text(&late, i, 1), row_text(&late, i, 3), (int)row_number(&late, i, 4), "period_invoiced",
		    row_integer(&late, i, 5), row_instant(&late, i, 0), row_instant(&late, i, 0));
	rows_release(&late);
	rated_finish(rated);
	return true;
}

static bool
rate_invoiced(struct pass *pass, const struct rows *due, int row, struct error *err)
{
	struct rated rated = {0};
	const char *rating_id;
	bool fine = hold_late(pass, due, row, &rated, err) &&
	    store_rating(pass, due, row, row_number(due, row, DUE_PRICED_UNTIL), &rated, &rating_id, err) &&
	    db_change(pass->run->db, SQL_RATING_CHARGES_REPEAT, PARAMS(rating_id, row_text(due, row, DUE_INVOICED)), -1, err);

	for (size_t i = 0; fine && i < rated.hold_count; i++)
		add_hold(pass, rating_id, i + 1, &rated.holds[i]);
	rated_release(&rated);
	return fine;
}

/* --- the pass -------------------------------------------------------------------------------- */

static bool
take_lock(struct run *run, struct error *err)
{
	struct rows rows;
	bool alone;

	if (!db_one_row(run->db, SQL_RATING_RUN_LOCK, NO_PARAMS, &rows, err))
		return false;
	alone = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (alone)
		return true;
	error_set(err, ERROR_BUSY, "another rating run is active on this database, or invoices are being finalized");
	return error_hint(err, "Wait for it to end; rating is done once for all.");
}

static bool
begin_pass(struct pass *pass, struct error *err)
{
	struct rows rows;

	if (!take_lock(pass->run, err) || !db_one_row(pass->run->db, SQL_RATING_RUN_NEXT, NO_PARAMS, &rows, err))
		return false;
	pass->rating_run = row_number(&rows, 0, 0);
	pass->priced_with = row_number(&rows, 0, 1);
	pass->contracted_with = row_number(&rows, 0, 2);
	rows_release(&rows);
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

	if (!intervals_sum(pass->run, pass->rating_run, &summed, err))
		return false;
	pass->result->batches = summed.batches;
	pass->result->events = summed.events;
	pass->result->intervals = summed.intervals;
	return db_change(db, SQL_RATING_DUE_READD, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_PROVISIONAL_UNFORCE, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_PROVISIONAL_DELETE, PARAMS(contract), -1, err) &&
	    db_change(db, SQL_RATING_DUE_ADD, PARAMS(rating_run, contract), -1, err) &&
	    db_change(db, SQL_RATING_DUE_FOR_NEW_PRICES, NO_PARAMS, -1, err) &&
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

static bool
rate_due(struct pass *pass, struct rate_scope scope, struct error *err)
{
	struct rows due;
	bool fine = true;

	if (!db_rows(pass->run->db, SQL_RATING_DUE_LIST, PARAMS(scope.period, scope.tenant), &due, err))
		return false;
	fine = use_indexes(pass->run->db, err);
	for (int i = 0; fine && i < due.count; i++) {
		fine = row_is_null(&due, i, DUE_INVOICED) ? rate_open(pass, &due, i, err) : rate_invoiced(pass, &due, i, err);
		if (!fine)
			error_wrap(err, "rating %s of %s", row_text(&due, i, DUE_PERIOD), row_text(&due, i, DUE_TENANT));
		progress(pass->run, "rating: %d of %d tenant periods", i + 1, due.count);
	}
	progress_end(pass->run);
	rows_release(&due);
	return fine && send_when_large(pass, 0, err);
}

static bool
record_run(struct pass *pass, struct rate_scope scope, struct error *err)
{
	const struct rate_result *r = pass->result;
	struct arena *arena = &pass->run->arena;
	unsigned char sum[DIGEST_SIZE];

	digest_end(pass->digest, sum);
	pass->result->rating_run = pass->rating_run;
	return db_change(pass->run->db, SQL_RATING_RUN_ADD,
	    PARAMS(param_number(arena, pass->rating_run), scope.period, scope.tenant, param_instant(arena, pass->run->now),
		TOLLBOOK_VERSION, param_number(arena, r->batches), param_number(arena, r->events),
		param_number(arena, r->intervals), param_number(arena, r->ratings), param_number(arena, r->charges),
		param_number(arena, r->holds), param_hex(arena, sum, sizeof sum)),
	    1, err);
}

bool
rate_run(struct run *run, struct rate_scope scope, struct rate_result *result, struct error *err)
{
	struct pass pass = {.run = run, .result = result, .shelf = book_shelf_new(), .digest = digest_new()};
	bool fine, something = false;

	*result = (struct rate_result){0};
	fine = db_begin(run->db, err) && begin_pass(&pass, err) && find_due(&pass, err) && rate_due(&pass, scope, err);
	if (fine) {
		something = result->batches > 0 || result->ratings > 0;
		fine = !something || record_run(&pass, scope, err);
	}
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	book_shelf_free(pass.shelf);
	digest_free(pass.digest);
	text_release(&pass.charges);
	text_release(&pass.holds);
	return fine;
}

/* --- rating again ---------------------------------------------------------------------------- */

bool
rate_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct book_shelf *shelf = book_shelf_new();
	struct rows ratings = {0};
	bool fine = db_rows(run->db, SQL_RATING_RATINGS_TO_VERIFY, NO_PARAMS, &ratings, err) && use_indexes(run->db, err);

	for (int i = 0; fine && i < ratings.count; i++) {
		struct period_inputs inputs = {.tenant = row_text(&ratings, i, 0),
		    .period = row_text(&ratings, i, 1),
		    .starts = row_instant(&ratings, i, 2),
		    .ends = row_instant(&ratings, i, 3),
		    .until_run = row_number(&ratings, i, 4),
		    .priced_with = row_number(&ratings, i, 5),
		    .contracted_with = row_number(&ratings, i, 6)};
		char input[DIGEST_HEX], output[DIGEST_HEX];
		struct rated rated;

		fine = period_rate(run->db, shelf, &inputs, &rated, err);
		if (!fine)
			break;
		if (strcmp(digest_hex(rated.input_digest, DIGEST_SIZE, input), row_text(&ratings, i, 7)) != 0)
			differs(context, inputs.period, "has other inputs than it was rated from");
		else if (strcmp(digest_hex(rated.output_digest, DIGEST_SIZE, output), row_text(&ratings, i, 8)) != 0)
			differs(context, inputs.period, inputs.tenant);
		rated_release(&rated);
	}
	if (ratings.result != NULL)
		rows_release(&ratings);
	book_shelf_free(shelf);
	return fine;
}
