/* cmd_rate.c -- `tollbook rate`: new usage into charges. */
#include <string.h>

#include "base/table.h"
#include "base/workers.h"
#include "ledger/meter.h"
#include "ledger/period.h"
#include "rating/rate_run.h"

static bool rate(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"period", "YYYY-MM", "only charges of this billing period", 'p'},
    {"tenant", "TENANT", "only charges of this tenant", 't'},
    {"share", "K/N", "rate the K-th of N shares of the tenants, while other processes rate the others", 0},
    {"workers", "N", "threads that price; the result is the same with any number; default: one a processor", 0},
    {0},
};

const struct command cmd_rate = {
    .name = "rate",
    .summary = "sum new usage into intervals and price it into charges; what no rule prices is held",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook rate\n  tollbook rate --period 2026-10 --tenant acme --dry-run\n"
	       "  tollbook rate --share 2/3",
    .run = rate,
};

/* Holds in force, whatever run made them: what waits for a price, with its quantity. */
static bool
print_holds(struct run *run, struct rate_scope scope, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},
	    {"model", "model", COLUMN_TEXT}, {"service_tier", "service tier", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT},
	    {"reason", "held because", COLUMN_TEXT}, {"quantity", "quantity", COLUMN_NUMBER}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_HOLDS_LIST, PARAMS(scope.period, scope.tenant), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		const struct meter *meter = meter_of((int)row_number(&rows, i, 4));
		char quantity[DECIMAL_TEXT];

		table_row(table);
		for (int j = 0; j < 4; j++)
			table_cell(table, row_text(&rows, i, j));
		table_cell(table, meter->name);
		table_cell(table, row_text(&rows, i, 5));
		table_cell(table, meter_format(meter, row_integer(&rows, i, 6), quantity));
	}
	table_print(table, run, "nothing is held");
	if (rows.count > 0)
		run->finding = ERROR_FINDINGS;
	table_free(table);
	rows_release(&rows);
	return true;
}

/* Tenants' periods that could not be rated, while the others go on; the first error is the one that the verb ends with. */
struct failures {
	struct run *run;
	struct error first;
	int64_t count;
};

static void
tell_failed(void *context, const char *tenant, const char *period, const struct error *err)
{
	enum { SHOWN = 20 };
	struct failures *failures = context;

	(void)tenant;
	(void)period;
	if (failures->count++ == 0)
		failures->first = *err;
	else if (failures->count <= SHOWN)
		say(failures->run, "%s%s%s", err->message, err->hint[0] == '\0' ? "" : ". ", err->hint);
}

/* After everything else was rated, booked and shown. */
static bool
end_with_first(const struct failures *failures, struct error *err)
{
	if (failures->count == 0)
		return true;
	*err = failures->first;
	if (failures->count > 1)
		error_detail(err, "%lld tenants could not be rated; all others are.", (long long)failures->count);
	else
		error_detail(err, "All other tenants are rated.%s%s", failures->first.detail[0] == '\0' ? "" : " ",
		    failures->first.detail);
	return false;
}

/* "2/3"; a count of 0 where the option is not given. */
static bool
share_option(const struct run *run, struct rate_share *out, struct error *err)
{
	const char *text = option_value(run, "share"), *slash = text == NULL ? NULL : strchr(text, '/');
	i128 number, count;

	*out = (struct rate_share){0};
	if (text == NULL)
		return true;
	if (slash == NULL || !integer_parse(text, (size_t)(slash - text), &number, err) ||
	    !integer_parse(slash + 1, strlen(slash + 1), &count, err) || number < 1 || number > count ||
	    count > RATE_SHARES_MAX) {
		error_set(err, ERROR_USAGE, "--share: \"%s\" is no share", text);
		return error_hint(err, "Write K/N, K from 1 to N, N at most %d: 2/3 is the second of three.", RATE_SHARES_MAX);
	}
	*out = (struct rate_share){(int64_t)number, (int64_t)count};
	if (!run->dry_run)
		return true;
	error_set(
	    err, ERROR_USAGE, "--share and --dry-run do not go together: a share sums, prices and books one after the other");
	return error_hint(err, "Leave out --share to see what rating would do.");
}

static bool
rate_scope(struct run *run, struct rate_scope scope, const struct rate_told *told, struct rate_result *result, struct error *err)
{
	struct rate_share share;

	if (!share_option(run, &share, err))
		return false;
	return share.count > 0 ? rate_run_share(run, scope, share, told, result, err) : rate_run(run, scope, told, result, err);
}

static bool
rate(struct run *run, struct error *err)
{
	struct failures failures = {.run = run};
	const struct rate_told told = {&failures, tell_failed, NULL};
	struct rate_scope scope = {.tenant = option_text(run, "tenant")};
	struct rate_result result;
	int64_t workers;

	if (!option_number(run, "workers", 1, WORKERS_MAX, (int64_t)workers_default(), &workers, err))
		return false;
	scope.workers = (size_t)workers;
	if (!period_option(run, &scope.period, err) || !rate_scope(run, scope, &told, &result, err))
		return false;
	if (result.rating_run == 0)
		say(run, "nothing is new%s: no usage, price or contract since the last run",
		    failures.count > 0 ? " for other tenants" : "");
	else
		say(run,
		    "%srun %lld: %lld ledger rows of %lld batches into %lld interval sums; %lld tenant periods rated: %lld "
		    "charges, %lld holds",
		    run->dry_run ? "dry " : "", (long long)result.rating_run, (long long)result.events, (long long)result.batches,
		    (long long)result.intervals, (long long)result.ratings, (long long)result.charges, (long long)result.holds);
	if (result.left > 0)
		say(run, "%lld tenant periods changed while they were priced and wait for the next run", (long long)result.left);
	if (run->dry_run)
		say(run, "holds in force, as they stand without this run:");
	return print_holds(run, scope, err) && end_with_first(&failures, err);
}
