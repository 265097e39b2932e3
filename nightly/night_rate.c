/* night_rate.c -- the steps rate and draft: new usage into charges, and drafts of what has ended.  A tenant for whom that fails is parked,
 * and tried again every night. */
#include "base/workers.h"
#include "ledger/invoice.h"
#include "ledger/night_unit.h"
#include "ledger/parked.h"
#include "nightly/night.h"
#include "rating/rate_run.h"

/* --- rate ------------------------------------------------------------------------------------ */

struct rating {
	struct run *run;
	struct parkings failed;
};

static void
note_failed(void *context, const char *tenant, const char *period, const struct error *err)
{
	struct rating *rating = context;

	parkings_add_error(&rating->failed, tenant, period, err);
}

/* What failed is parked, and what the pass did is noted, if and only if the pass stands: begun again, the step does not rate again. */
static bool
note_pass(void *context, const struct rate_result *result, struct error *err)
{
	struct rating *rating = context;
	struct text json = {0};
	int64_t parked;
	bool fine = parked_settle(rating->run, PARKED_RATING, &rating->failed, &parked, err);

	if (fine) {
		text_add_format(&json,
		    "{\"rating_run\":%lld,\"events\":%lld,\"intervals\":%lld,\"ratings\":%lld,\"charges\":%lld,\"holds\":%lld,"
		    "\"not_rated\":%zu,\"parked\":%lld}",
		    (long long)result->rating_run, (long long)result->events, (long long)result->intervals,
		    (long long)result->ratings, (long long)result->charges, (long long)result->holds, rating->failed.count,
		    (long long)parked);
		fine = night_unit_done(rating->run, "rate", "run", text_string(&json), NULL, err);
	}
	text_release(&json);
	return fine;
}

static bool
rate_once(struct night *night, struct error *err)
{
	struct rating rating = {.run = night->run};
	const struct rate_told told = {&rating, note_failed, note_pass};
	struct rate_scope scope = {.period = "", .tenant = "", .workers = (size_t)config_number(night->config, "night.workers")};
	struct rate_result result;
	bool fine;

	if (scope.workers == 0)
		scope.workers = workers_default();
	else if (scope.workers > WORKERS_MAX)
		scope.workers = WORKERS_MAX;
	fine = rate_run(night->run, scope, &told, &result, err);
	parkings_release(&rating.failed);
	return fine;
}

/* Columns of rated.sql. */
enum {
	RATED_RUN,
	RATED_EVENTS,
	RATED_INTERVALS,
	RATED_RATINGS,
	RATED_CHARGES,
	RATED_HOLDS,
	RATED_FAILED,
	RATED_PARKED,
	RATED_ALL
};

static void
tell_rated(const struct rows *rated, struct night_told *told)
{
	const char *all = row_text(rated, 0, RATED_ALL);

	if (row_number(rated, 0, RATED_RUN) == 0)
		text_add_string(&told->line, "nothing is new");
	else
		text_add_format(&told->line,
		    "rating run %s: %s ledger rows into %s interval sums; %s tenant periods: %s charges, %s holds",
		    row_text(rated, 0, RATED_RUN), row_text(rated, 0, RATED_EVENTS), row_text(rated, 0, RATED_INTERVALS),
		    row_text(rated, 0, RATED_RATINGS), row_text(rated, 0, RATED_CHARGES), row_text(rated, 0, RATED_HOLDS));
	if (row_number(rated, 0, RATED_FAILED) > 0)
		text_add_format(&told->line, "; not rated: %s tenants", row_text(rated, 0, RATED_FAILED));
	text_add(&told->json, all + 1, row_length(rated, 0, RATED_ALL) - 2);
	told->findings = row_number(rated, 0, RATED_HOLDS) > 0 || row_number(rated, 0, RATED_PARKED) > 0;
}

static bool
find_rated(struct run *run, struct rows *rated, struct error *err)
{
	return db_rows(run->db, SQL_NIGHTLY_RATED, PARAMS(param_number(&run->arena, run->night_run)), rated, err);
}

bool
night_rate(struct night *night, struct night_told *told, struct error *err)
{
	struct rows rated;

	if (!find_rated(night->run, &rated, err))
		return false;
	if (rated.count == 0) {
		rows_release(&rated);
		if (!rate_once(night, err) || !find_rated(night->run, &rated, err))
			return false;
	}
	must(rated.count == 1);
	tell_rated(&rated, told);
	rows_release(&rated);
	return true;
}

/* --- draft ----------------------------------------------------------------------------------- */

struct drafting {
	struct parkings failed;
	int64_t drafts, of_adjustments;
};

static void
count_draft(void *context, const struct drafted *drafted)
{
	struct drafting *drafting = context;

	if (drafted->failed != NULL)
		parkings_add_error(&drafting->failed, drafted->tenant, drafted->period, drafted->failed);
	else if (drafted->skipped == NULL && drafted->of_adjustments)
		drafting->of_adjustments++;
	else if (drafted->skipped == NULL)
		drafting->drafts++;
}

static bool
park_failed(struct run *run, const struct parkings *failed, int64_t *parked, struct error *err)
{
	if (!db_begin(run->db, err))
		return false;
	if (parked_settle(run, PARKED_DRAFT, failed, parked, err))
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

static void
tell_drafted(const struct drafting *drafting, int64_t parked, struct night_told *told)
{
	text_add_format(&told->line, "%lld drafts of periods, %lld of adjustments", (long long)drafting->drafts,
	    (long long)drafting->of_adjustments);
	if (drafting->failed.count > 0)
		text_add_format(&told->line, "; not drafted: %zu", drafting->failed.count);
	text_add_format(&told->json, "\"drafts\":%lld,\"of_adjustments\":%lld,\"not_drafted\":%zu,\"parked\":%lld",
	    (long long)drafting->drafts, (long long)drafting->of_adjustments, drafting->failed.count, (long long)parked);
	told->findings = parked > 0;
}

bool
night_draft(struct night *night, struct night_told *told, struct error *err)
{
	const struct invoice_scope scope = {.period = "", .tenant = "", .ended = true};
	struct drafting drafting = {0};
	int64_t parked;
	bool fine = invoices_draft(night->run, scope, count_draft, &drafting, err) &&
	    park_failed(night->run, &drafting.failed, &parked, err);

	if (fine)
		tell_drafted(&drafting, parked, told);
	parkings_release(&drafting.failed);
	return fine;
}
