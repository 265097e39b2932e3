/*
 * rate_share.c -- see rate_run.h: shares of the tenants, rated at the same time by several processes.
 *
 * Only what is short is done under the lock of rating: summing what is new, and booking.  Between them a share prices, month by month, from
 * what stands up to a run, and keeps the outcome for itself.  When it books, nothing that a rating was made of may have changed: what it
 * needs is compared under the lock, tenant by tenant, and a tenant of whom something did change is rated again.  So neither shares that
 * overlap, nor other rating runs, documents or re-rates beside it come to anything else than one process would.
 */
#include <string.h>

#include "ledger/books.h"
#include "rating/rate_pass.h"

enum { ATTEMPTS = 5 }; /* at a month in which tenants change while they are rated */

struct sharing {
	struct pass pass;
	struct rate_share share;
	struct rate_result *total, month;
	struct rows due;       /* what is priced: of one month */
	int64_t newest_rating; /* when it was */
	struct index changed;  /* tenants of whom something changed since */
	int64_t left;          /* tenant periods that stay due for that */
};

/* --- what is new ------------------------------------------------------------------------------ */

static bool
lock_share(struct sharing *sharing, struct error *err)
{
	struct arena *arena = &sharing->pass.run->arena;
	struct rows rows;
	bool alone;

	if (!db_one_row(sharing->pass.run->db, SQL_RATING_SHARE_LOCK,
		PARAMS(param_number(arena, sharing->share.number), param_number(arena, sharing->share.count)), &rows, err))
		return false;
	alone = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (alone)
		return true;
	error_set(err, ERROR_BUSY, "somebody else rates share %lld/%lld on this database", (long long)sharing->share.number,
	    (long long)sharing->share.count);
	return error_hint(err, "Each share needs one process; give each machine another number.");
}

static bool
wait_for_books(struct run *run, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_RATING_LOCK_PATIENCE, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return books_lock(run, err);
}

static bool
sum_up(struct sharing *sharing, struct error *err)
{
	struct pass *pass = &sharing->pass;

	pass->result = sharing->total;
	pass->digest = digest_new();
	return lock_share(sharing, err) && wait_for_books(pass->run, err) && pass_number(pass, err) && pass_find_due(pass, err) &&
	    ((sharing->total->batches == 0 && !pass->followed) || pass_record(pass, "regular", err));
}

/* A run of its own, which prices nothing; the first of several shares sums, the others find it done. */
static bool
sum_new(struct sharing *sharing, struct error *err)
{
	struct run *run = sharing->pass.run;

	if (!pass_summarize_ledger(run, err) || !db_begin(run->db, err))
		return false;
	if (sum_up(sharing, err))
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

/* --- pricing ---------------------------------------------------------------------------------- */

static bool
read_inputs(struct sharing *sharing, struct error *err)
{
	struct pass *pass = &sharing->pass;
	struct rows rows;

	if (!db_one_row(pass->run->db, SQL_RATING_SHARE_INPUTS, NO_PARAMS, &rows, err))
		return false;
	pass->until_run = row_number(&rows, 0, 0);
	pass->priced_with = row_number(&rows, 0, 1);
	pass->contracted_with = row_number(&rows, 0, 2);
	pass->substituted_with = row_number(&rows, 0, 3);
	sharing->newest_rating = row_number(&rows, 0, 4);
	rows_release(&rows);
	return true;
}

static bool
list_due(struct sharing *sharing, const char *period, struct rows *due, struct error *err)
{
	struct run *run = sharing->pass.run;

	return db_rows(run->db, SQL_RATING_DUE_LIST,
	    PARAMS(period, sharing->pass.scope.tenant, param_number(&run->arena, sharing->share.number),
		param_number(&run->arena, sharing->share.count)),
	    due, err);
}

static bool
price_month(struct sharing *sharing, const char *period, struct error *err)
{
	return lock_share(sharing, err) && read_inputs(sharing, err) && list_due(sharing, period, &sharing->due, err) &&
	    pass_rate_list(&sharing->pass, &sharing->due, err);
}

/* --- booking ---------------------------------------------------------------------------------- */

static bool
find_changed(struct sharing *sharing, struct error *err)
{
	const struct pass *pass = &sharing->pass;
	struct arena *arena = &pass->run->arena;
	struct rows rows;

	if (!db_rows(pass->run->db, SQL_RATING_SHARE_CHANGED,
		PARAMS(param_number(arena, pass->until_run), param_number(arena, sharing->newest_rating),
		    param_number(arena, pass->substituted_with)),
		&rows, err))
		return false;
	index_clear(&sharing->changed);
	for (int i = 0; i < rows.count; i++) {
		bool is_new;

		(void)index_number(&sharing->changed, row_text(&rows, i, 0), row_length(&rows, i, 0), &is_new);
	}
	rows_release(&rows);
	return true;
}

/* The run's number is that of the moment at which it books; what it was priced with stays what that was. */
static bool
number_run(struct sharing *sharing, struct error *err)
{
	struct pass *pass = &sharing->pass;
	const struct pass priced = *pass;
	bool fine = pass_number(pass, err);

	pass->until_run = priced.until_run;
	pass->priced_with = priced.priced_with;
	pass->contracted_with = priced.contracted_with;
	pass->substituted_with = priced.substituted_with;
	return fine;
}

/* Is a period, as it stands in the list of now, what it was when it was priced? */
static bool
is_as_priced(const struct sharing *sharing, int priced, const struct rows *now, int row)
{
	static const int borders[] = {DUE_STARTS, DUE_ENDS};
	const char *tenant = row_text(now, row, DUE_TENANT);

	for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++)
		if (strcmp(row_text(&sharing->due, priced, borders[i]), row_text(now, row, borders[i])) != 0)
			return false;
	return !index_has(&sharing->changed, tenant, strlen(tenant));
}

/* What was kept of the period at hand, or of a later one. */
struct kept {
	int64_t place;
	const struct rated_rows *rows;
	bool there;
};

static bool
next_kept(struct sharing *sharing, struct kept *kept, struct error *err)
{
	return rated_spool_next(sharing->pass.spool, &kept->place, &kept->rows, &kept->there, err);
}

/* Both lists are in the order of tenants.  What is kept and not due any more, somebody else has rated. */
static bool
book_row(struct sharing *sharing, const struct rows *now, int row, struct kept *kept, struct error *err)
{
	struct pass *pass = &sharing->pass;
	const char *tenant = row_text(now, row, DUE_TENANT);

	while (kept->there && strcmp(row_text(&sharing->due, (int)kept->place, DUE_TENANT), tenant) < 0)
		if (!next_kept(sharing, kept, err))
			return false;
	if (pass_is_set_aside(pass, tenant))
		return true;
	if (!row_is_null(now, row, DUE_CLOSED))
		return pass_rate_closed(pass, now, row, err);
	if (kept->there && strcmp(row_text(&sharing->due, (int)kept->place, DUE_TENANT), tenant) == 0 &&
	    is_as_priced(sharing, (int)kept->place, now, row))
		return pass_store_kept(pass, now, row, kept->rows, err);
	sharing->left++;
	return true;
}

static bool
book_rows(struct sharing *sharing, const struct rows *now, struct error *err)
{
	struct kept kept = {0};
	bool fine = next_kept(sharing, &kept, err);

	sharing->left = 0;
	for (int row = 0; fine && row < now->count; row++)
		fine = book_row(sharing, now, row, &kept, err);
	return fine && pass_send(&sharing->pass, err);
}

static bool
book_month(struct sharing *sharing, const char *period, struct error *err)
{
	struct pass *pass = &sharing->pass;
	struct rows now;
	bool fine;

	if (!wait_for_books(pass->run, err) || !number_run(sharing, err) || !find_changed(sharing, err) ||
	    !list_due(sharing, period, &now, err))
		return false;
	fine = book_rows(sharing, &now, err);
	rows_release(&now);
	return fine && (pass->result->ratings == 0 || (pass_force(pass, err) && pass_record(pass, "regular", err)));
}

/* --- months ----------------------------------------------------------------------------------- */

static void
add_up(struct rate_result *total, const struct rate_result *month)
{
	if (month->rating_run != 0)
		total->rating_run = month->rating_run;
	total->ratings += month->ratings;
	total->charges += month->charges;
	total->holds += month->holds;
}

/* Prices and books what is due of a month, as far as nothing changes meanwhile: a run, and a transaction. */
static bool
rate_month_once(struct sharing *sharing, const char *period, struct error *err)
{
	struct pass *pass = &sharing->pass;
	bool fine;

	if (!db_begin(pass->run->db, err))
		return false;
	sharing->month = (struct rate_result){0};
	pass->result = &sharing->month;
	pass->scope.period = period;
	pass->digest = digest_new();
	pass->spool = rated_spool_new();
	pass->done = 0;
	fine = price_month(sharing, period, err) && book_month(sharing, period, err);
	if (fine)
		fine = db_commit(pass->run->db, err);
	else
		db_rollback(pass->run->db);
	if (fine)
		add_up(sharing->total, &sharing->month);
	if (sharing->due.result != NULL)
		rows_release(&sharing->due);
	rated_spool_free(pass->spool);
	pass->spool = NULL;
	digest_free(pass->digest);
	pass->digest = NULL;
	return fine;
}

static bool
rate_month(struct sharing *sharing, const char *period, struct error *err)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (!rate_month_once(sharing, period, err))
			return false;
		if (sharing->left == 0)
			return true;
	}
	sharing->total->left += sharing->left;
	return true;
}

/* Earlier months first: what they leave in counters is booked before later ones are priced. */
static bool
rate_months(struct sharing *sharing, struct error *err)
{
	struct rows due;
	bool fine = list_due(sharing, sharing->pass.scope.period, &due, err);

	if (!fine)
		return false;
	for (int i = 0; fine && i < due.count; i++)
		if (i == 0 || strcmp(row_text(&due, i, DUE_PERIOD), row_text(&due, i - 1, DUE_PERIOD)) != 0)
			fine = rate_month(sharing, row_text(&due, i, DUE_PERIOD), err);
	rows_release(&due);
	return fine;
}

bool
rate_run_share(struct run *run, struct rate_scope scope, struct rate_share share, const struct rate_told *told,
    struct rate_result *result, struct error *err)
{
	struct sharing sharing = {.pass = {.run = run, .scope = scope, .told = told}, .share = share, .total = result};
	bool fine;

	must(told->ending == NULL && share.number >= 1 && share.number <= share.count);
	*result = (struct rate_result){0};
	fine = sum_new(&sharing, err);
	digest_free(sharing.pass.digest);
	sharing.pass.digest = NULL;
	fine = fine && rate_months(&sharing, err);
	index_release(&sharing.changed);
	pass_end(&sharing.pass);
	return fine;
}
