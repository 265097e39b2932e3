/* reason.c -- see reason.h. */
#include "ledger/reason.h"

static bool
list_fitting(const char *used_for, const char *fitting, struct error *err)
{
	return error_hint(err, "For %s there are: %s.  tollbook reason list shows what they mean.", used_for, fitting);
}

static bool
judge(const struct run *run, const char *reason, const char *used_for, const struct rows *found, struct error *err)
{
	enum { KNOWN, FITS, FITTING };

	if (reason == NULL || reason[0] == '\0')
		error_set(err, ERROR_USAGE, "%s needs --reason", run->command->name);
	else if (!row_bool(found, 0, KNOWN))
		error_set(err, ERROR_USAGE, "there is no reason \"%s\"", reason);
	else if (!row_bool(found, 0, FITS))
		error_set(err, ERROR_USAGE, "the reason \"%s\" is not for %s", reason, used_for);
	else
		return true;
	return list_fitting(used_for, row_text(found, 0, FITTING), err);
}

bool
reason_check(struct run *run, const char *reason, const char *used_for, struct error *err)
{
	struct rows found;
	bool fine;

	if (!db_one_row(run->db, SQL_LEDGER_REASON_FIND, PARAMS(reason == NULL ? "" : reason, used_for), &found, err))
		return false;
	fine = judge(run, reason, used_for, &found, err);
	rows_release(&found);
	return fine;
}
