/* cmd_role.c -- `tollbook role apply|list`: who may give how much away, and what needs a second person. */
#include <string.h>

#include "base/table.h"
#include "ledger/role_apply.h"

static bool apply(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);

static const struct option_spec list_options[] = {
    {"approval", NULL, "above which sum of differences a re-rate needs a second person, instead", 0},
    {0},
};

const struct command cmd_role_apply = {
    .name = "role apply",
    .summary = "make roles, their members and limits what a file says; applying it again changes nothing",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook role apply roles.json --dry-run\n  tollbook role apply roles.json",
    .run = apply,
};

const struct command cmd_role_list = {
    .name = "role list",
    .summary = "list roles, their members, and what they may give away",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook role list\n  tollbook role list --approval --json",
    .run = list,
};

/* --- role apply ------------------------------------------------------------------------------ */

static void
tell_state(void *context, const char *subject, const char *before, const char *after)
{
	struct table *table = context;
	bool same = before != NULL && after != NULL && strcmp(before, after) == 0;

	table_row(table);
	table_cell(table, subject);
	table_cell(table, before);
	table_cell(table, after);
	table_cell(table, same ? "unchanged" : after == NULL ? "removed" : "applied");
}

static bool
apply(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"subject", "what", COLUMN_TEXT}, {"before", "before", COLUMN_TEXT},
	    {"after", "after", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct table *table = table_new(columns);
	int64_t changed;
	bool fine = db_begin(run->db, err) && roles_apply_within(run, run->operands[0], tell_state, table, &changed, err);

	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		table_print(table, run, "no roles: nobody is limited");
	table_free(table);
	return fine;
}

/* --- role list ------------------------------------------------------------------------------- */

static void
list_role(const struct rows *rows, int row, struct table *table)
{
	bool unlimited = row_bool(rows, row, LIST_UNLIMITED), none = row_is_null(rows, row, LIST_CURRENCY);
	char amount[DECIMAL_TEXT];

	table_row(table);
	table_cell(table, row_text(rows, row, LIST_ROLE));
	table_cell(table, row_text(rows, row, LIST_MEMBERS));
	table_cell(table, row_text(rows, row, LIST_CURRENCY));
	for (int column = LIST_PER_GRANT; column <= LIST_PER_DAY; column++) {
		if (none)
			table_cell(table, unlimited ? "unlimited" : "nothing");
		else
			table_cell(table, role_amount(rows, row, LIST_CURRENCY, column, amount));
	}
}

static bool
list_roles(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"role", "role", COLUMN_TEXT}, {"members", "members", COLUMN_TEXT},
	    {"currency", "currency", COLUMN_TEXT}, {"per_grant", "at once", COLUMN_NUMBER}, {"per_day", "a day", COLUMN_NUMBER},
	    {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_ROLE_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	for (int row = 0; row < rows.count; row++)
		list_role(&rows, row, table);
	table_print(table, run, "no roles: nobody is limited");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
list_approval(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"currency", "currency", COLUMN_TEXT}, {"above", "above", COLUMN_NUMBER}, {0}};
	char above[DECIMAL_TEXT];
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_ROLE_APPROVAL_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	for (int row = 0; row < rows.count; row++) {
		table_row(table);
		table_cell(table, row_text(&rows, row, 0));
		table_cell(table, role_amount(&rows, row, 0, 1, above));
	}
	table_print(table, run, "none stated: every re-rate with a difference needs a second person");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
list(struct run *run, struct error *err)
{
	return option_value(run, "approval") == NULL ? list_roles(run, err) : list_approval(run, err);
}
