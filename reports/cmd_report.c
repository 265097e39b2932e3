/* cmd_report.c -- tollbook report workbook. */
#include <string.h>

#include "base/command.h"
#include "reports/workbook.h"

static bool report_workbook(struct run *run, struct error *err);

static const struct option_spec workbook_options[] = {
    {"period", "YYYY-MM", "the billing period", 0},
    {"tenant", "TENANT", "only this tenant (default: all)", 0},
    {"output", "FILE", "the workbook to write; an existing file is replaced when the new one is whole", 'o'},
    {NULL, NULL, NULL, 0},
};

const struct command cmd_report_workbook = {
    .name = "report workbook",
    .summary = "write a period's charges, invoices and controls as a spreadsheet (XLSX), read back and proved",
    .operands = "",
    .options = workbook_options,
    .needs = NEEDS_DB,
    .example = "  tollbook report workbook --period 2026-10 -o october.xlsx\n"
	       "  tollbook report workbook --period 2026-10 --tenant acme -o acme-october.xlsx",
    .run = report_workbook,
};

static bool
is_period(const char *text)
{
	static const char pattern[] = "dddd-dd";

	if (strlen(text) != strlen(pattern))
		return false;
	for (size_t i = 0; pattern[i] != '\0'; i++)
		if (pattern[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i])
			return false;
	return memcmp(text + 5, "01", 2) >= 0 && memcmp(text + 5, "12", 2) <= 0;
}

static bool
read_request(const struct run *run, struct workbook_request *request, struct error *err)
{
	const char *tenant = option_value(run, "tenant");

	request->period = option_value(run, "period");
	request->path = option_value(run, "output");
	request->tenant = tenant == NULL ? "" : tenant;
	if (request->period == NULL || !is_period(request->period)) {
		error_set(err, ERROR_USAGE, "report workbook needs a period: --period YYYY-MM%s%s",
		    request->period == NULL ? "" : ", not ", request->period == NULL ? "" : request->period);
		return error_hint(err, "Run: tollbook report workbook --period 2026-10 -o october.xlsx");
	}
	if (tenant != NULL && tenant[0] == '\0') {
		error_set(err, ERROR_USAGE, "--tenant is empty");
		return error_hint(err, "Leave it out for all tenants.");
	}
	if (request->path != NULL && request->path[0] != '\0' && strcmp(request->path, "-") != 0)
		return true;
	error_set(err, ERROR_USAGE,
	    request->path == NULL ? "report workbook needs a file to write: -o FILE"
				  : "a workbook cannot be written to standard output: it is read back before it is given out");
	return error_hint(err, "Name a file: -o workbook-%s.xlsx", request->period);
}

static bool
report_workbook(struct run *run, struct error *err)
{
	struct workbook_request request;
	struct workbook_result result;

	if (!read_request(run, &request, err) || !workbook_make(run, &request, &result, err))
		return false;
	printf("%s: %llu sheets, %llu rows, %llu cells read back, 0 differ from the books\n", request.path,
	    (unsigned long long)result.proof.sheets, (unsigned long long)result.proof.rows,
	    (unsigned long long)result.proof.cells);
	if (result.differences > 0) {
		printf("%d lines of sheet Control do not agree\n", result.differences);
		run->finding = ERROR_FINDINGS;
	}
	return true;
}
