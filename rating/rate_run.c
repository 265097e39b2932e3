/* rate_run.c -- see rate_run.h. */
#include "rating/rate_run.h"

#include <string.h>

#include "base/workers.h"
#include "rating/rate_pass.h"

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

/* Rates what a list says, ends it, and puts the ratings in force. */
static bool
rate_list(struct pass *pass, struct rows *due, struct error *err)
{
	bool fine = pass_rate_list(pass, due, err) && pass_force(pass, err);

	rows_release(due);
	return fine;
}

static bool
rate_due(struct pass *pass, struct error *err)
{
	struct rows due;

	return db_rows(pass->run->db, SQL_RATING_DUE_LIST, PARAMS(pass->scope.period, pass->scope.tenant, "1", "1"), &due, err) &&
	    rate_list(pass, &due, err);
}

bool
rate_run(struct run *run, struct rate_scope scope, const struct rate_told *told, struct rate_result *result, struct error *err)
{
	struct pass pass = {.run = run, .scope = scope, .told = told, .result = result, .digest = digest_new()};
	bool fine, something = false;

	*result = (struct rate_result){0};
	fine = pass_summarize_ledger(run, err) && db_begin(run->db, err) && rate_lock(run, err) && pass_number(&pass, err) &&
	    pass_find_due(&pass, err) && rate_due(&pass, err);
	if (fine) {
		something = result->batches > 0 || result->ratings > 0 || pass.followed;
		fine = (!something || pass_record(&pass, "regular", err)) &&
		    (told->ending == NULL || told->ending(told->context, result, err));
	}
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	pass_end(&pass);
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
	bool fine = pass_number(&pass, err) && pass_sum(&pass, true, &summed, err) &&
	    db_rows(run->db, SQL_RATING_AGAIN_LIST, PARAMS(scope.period, scope.tenant, scope.model), &again, err) &&
	    rate_list(&pass, &again, err) && ((rated.ratings == 0 && !pass.followed) || pass_record(&pass, "rerate", err));

	pass_end(&pass);
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
	fine = db_rows(run->db, SQL_RATING_RATINGS_TO_VERIFY, NO_PARAMS, &ratings, err) && pass_use_indexes(run->db, err);
	for (int i = 0; fine && i < ratings.count; i++)
		fine = verify_one(&source, &ratings, i, differs, context, err);
	if (ratings.result != NULL)
		rows_release(&ratings);
	period_source_close(&source);
	return fine;
}
