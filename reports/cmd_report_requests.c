/* cmd_report_requests.c -- tollbook report requests. */
#include <string.h>

#include "base/file.h"
#include "ledger/period.h"
#include "reports/requests.h"

static bool report_requests(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"tenant", "TENANT", "whose requests", 0},
    {"period", "YYYY-MM", "the billing period", 0},
    {"output", "FILE|-", "the file to write, which is replaced when the new one is whole; default: standard output", 'o'},
    {0},
};

const struct command cmd_report_requests = {
    .name = "report requests",
    .summary = "show what each request costs: together exactly the charges of the rating in force",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook report requests --tenant acme --period 2026-10\n"
	       "  tollbook report requests --tenant acme --period 2026-10 --format csv -o acme-requests.csv",
    .run = report_requests,
};

static bool
read_options(const struct run *run, const char **tenant, const char **period, const char **path, struct error *err)
{
	*tenant = option_value(run, "tenant");
	*path = option_value(run, "output");
	if (*path != NULL && strcmp(*path, "-") == 0)
		*path = NULL;
	if (!period_option(run, period, err))
		return false;
	if (*tenant != NULL && (*tenant)[0] != '\0' && (*period)[0] != '\0' && (*path == NULL || (*path)[0] != '\0'))
		return true;
	error_set(err, ERROR_USAGE, "report requests needs a tenant and a period%s",
	    *path != NULL && (*path)[0] == '\0' ? ", and --output a file" : "");
	return error_hint(err, "Run: tollbook report requests --tenant acme --period 2026-10");
}

static bool
report_requests(struct run *run, struct error *err)
{
	const char *tenant, *period, *path;
	struct requests_result result;
	struct new_file file;

	if (!read_options(run, &tenant, &period, &path, err))
		return false;
	if (path == NULL)
		return requests_report(run, tenant, period, stdout, &result, err);
	if (!file_begin(&file, path, err))
		return false;
	if (!requests_report(run, tenant, period, file.stream, &result, err)) {
		file_abandon(&file);
		return false;
	}
	if (!file_end(&file, err))
		return false;
	say(run, "%s: %lld rows of %lld events, which add up to the charges of %s of %s", path, (long long)result.rows,
	    (long long)result.events, period, tenant);
	return true;
}
