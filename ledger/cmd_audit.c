/* cmd_audit.c -- `tollbook audit list`: who did what, when and why. */
#include "base/table.h"

static bool list(struct run *run, struct error *err);

enum { LIMIT_DEFAULT = 100, LIMIT_MOST = 1000000 };

static const struct option_spec list_options[] = {
    {"subject", "TEXT", "only what was done to this: a number, a tenant, a role ...", 0},
    {"who", "NAME", "only what this person did", 0},
    {"action", "VERB", "only this verb, or all that begin with this word", 0},
    {"since", "INSTANT", "only from then on (RFC 3339, or YYYY-MM-DD for midnight UTC)", 0},
    {"limit", "N", "at most that many, the newest; default: 100", 0},
    {0},
};

const struct command cmd_audit_list = {
    .name = "audit list",
    .summary = "list who did what, when and why, with the state before and after; the newest first",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook audit list --since 2026-11-01\n  tollbook audit list --action credit --who ann --json",
    .run = list,
};

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"audit_id", "id", COLUMN_NUMBER}, {"at", "at", COLUMN_TEXT},
	    {"who", "who", COLUMN_TEXT}, {"action", "action", COLUMN_TEXT}, {"subject", "subject", COLUMN_TEXT},
	    {"reason", "reason", COLUMN_TEXT}, {"ticket", "ticket", COLUMN_TEXT}, {"before", "before", COLUMN_TEXT},
	    {"after", "after", COLUMN_TEXT}, {0}};
	const char *since = option_value(run, "since");
	struct instant from = {0};
	struct table *table;
	struct rows rows;
	int64_t limit;

	if (!option_number(run, "limit", 1, LIMIT_MOST, LIMIT_DEFAULT, &limit, err))
		return false;
	if (since != NULL && !instant_option(since, &from, err))
		return error_wrap(err, "--since");
	if (!db_rows(run->db, SQL_LEDGER_AUDIT_LIST,
		PARAMS(option_text(run, "subject"), option_text(run, "who"), option_text(run, "action"),
		    since == NULL ? NULL : param_instant(&run->arena, from), param_number(&run->arena, limit)),
		&rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "nothing was done");
	table_free(table);
	rows_release(&rows);
	return true;
}
