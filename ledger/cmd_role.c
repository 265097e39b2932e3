/* cmd_role.c -- `tollbook role apply|list`: who may give how much away, and what needs a second person. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/role_file.h"

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

/* --- what there is --------------------------------------------------------------------------- */

/* Columns of role_list.sql. */
enum { LIST_ROLE, LIST_UNLIMITED, LIST_MEMBERS, LIST_CURRENCY, LIST_PER_GRANT, LIST_PER_DAY };

/* An amount of a row, whose currency is in another column of it. */
static const char *
row_amount(const struct rows *rows, int row, int currency, int column, char out[DECIMAL_TEXT])
{
	const struct currency *found = currency_find(row_text(rows, row, currency));

	must(found != NULL);
	return money_format((struct money){row_number(rows, row, column), found}, out);
}

/* A role, or an approval limit, in words. */
struct state {
	const char *subject, *text;
};

struct states {
	struct state *items;
	size_t count, room;
};

static struct state *
states_add(struct states *states, const char *subject, const char *text)
{
	states->items = memory_grow(states->items, &states->room, states->count + 1, sizeof *states->items);
	states->items[states->count] = (struct state){subject, text};
	return &states->items[states->count++];
}

static const char *
states_find(const struct states *states, const char *subject)
{
	for (size_t i = 0; i < states->count; i++)
		if (strcmp(states->items[i].subject, subject) == 0)
			return states->items[i].text;
	return NULL;
}

static void
states_add_roles(struct run *run, const struct rows *rows, struct states *out)
{
	char per_grant[DECIMAL_TEXT], per_day[DECIMAL_TEXT];
	struct state *state = NULL;

	for (int row = 0; row < rows->count; row++) {
		const char *subject = arena_format(&run->arena, "role %s", row_text(rows, row, LIST_ROLE));

		if (state == NULL || strcmp(state->subject, subject) != 0)
			state = states_add(out, subject,
			    arena_format(&run->arena, "members: %s%s", row_text(rows, row, LIST_MEMBERS),
				row_bool(rows, row, LIST_UNLIMITED) ? "; unlimited" : ""));
		if (!row_is_null(rows, row, LIST_CURRENCY))
			state->text = arena_format(&run->arena, "%s; %s %s at once, %s a day", state->text,
			    row_text(rows, row, LIST_CURRENCY), row_amount(rows, row, LIST_CURRENCY, LIST_PER_GRANT, per_grant),
			    row_amount(rows, row, LIST_CURRENCY, LIST_PER_DAY, per_day));
	}
}

static bool
states_load(struct run *run, struct states *out, struct error *err)
{
	char above[DECIMAL_TEXT];
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_ROLE_LIST, NO_PARAMS, &rows, err))
		return false;
	states_add_roles(run, &rows, out);
	rows_release(&rows);
	if (!db_rows(run->db, SQL_LEDGER_ROLE_APPROVAL_LIST, NO_PARAMS, &rows, err))
		return false;
	for (int row = 0; row < rows.count; row++)
		(void)states_add(out, arena_format(&run->arena, "approval %s", row_text(&rows, row, 0)),
		    arena_format(&run->arena, "above %s", row_amount(&rows, row, 0, 1, above)));
	rows_release(&rows);
	return true;
}

/* --- role apply ------------------------------------------------------------------------------ */

static bool
store_role(struct run *run, const struct role_row *role, struct error *err)
{
	if (!db_change(run->db, SQL_LEDGER_ROLE_ADD, PARAMS(role->role, role->unlimited ? "t" : "f"), 1, err))
		return false;
	for (size_t i = 0; i < role->member_count; i++)
		if (!db_change(run->db, SQL_LEDGER_ROLE_MEMBER_ADD, PARAMS(role->members[i], role->role), 1, err))
			return false;
	for (size_t i = 0; i < role->limit_count; i++) {
		const struct role_limit_row *limit = &role->limits[i];

		if (!db_change(run->db, SQL_LEDGER_ROLE_LIMIT_ADD,
			PARAMS(role->role, limit->currency->code, param_number(&run->arena, limit->per_grant),
			    param_number(&run->arena, limit->per_day)),
			1, err))
			return false;
	}
	return true;
}

static bool
store_file(struct run *run, const struct role_file *file, struct error *err)
{
	if (!db_change(run->db, SQL_LEDGER_ROLE_CLEAR, NO_PARAMS, -1, err))
		return false;
	for (size_t i = 0; i < file->role_count; i++)
		if (!store_role(run, &file->roles[i], err))
			return false;
	for (size_t i = 0; i < file->approval_count; i++)
		if (!db_change(run->db, SQL_LEDGER_ROLE_APPROVAL_ADD,
			PARAMS(file->approval[i].currency->code, param_number(&run->arena, file->approval[i].above)), 1, err))
			return false;
	return true;
}

/* One role or approval limit, as it was (NULL: it was not there) and as it is (NULL: it is there no more). */
static bool
tell(struct run *run, const struct role_file *file, const char *subject, const char *before, const char *after,
    struct table *table, struct error *err)
{
	bool same = before != NULL && after != NULL && strcmp(before, after) == 0;
	const char *status = same ? "unchanged" : after == NULL ? "removed" : "applied";

	table_row(table);
	table_cell(table, subject);
	table_cell(table, before);
	table_cell(table, after);
	table_cell(table, status);
	return same ||
	    audit_add(run,
		&(struct audit){
		    .action = "role apply", .subject = subject, .reason = file->path, .before = before, .after = after},
		err);
}

static bool
tell_all(struct run *run, const struct role_file *file, const struct states *before, const struct states *after,
    struct table *table, struct error *err)
{
	for (size_t i = 0; i < after->count; i++)
		if (!tell(run, file, after->items[i].subject, states_find(before, after->items[i].subject), after->items[i].text,
			table, err))
			return false;
	for (size_t i = 0; i < before->count; i++)
		if (states_find(after, before->items[i].subject) == NULL &&
		    !tell(run, file, before->items[i].subject, before->items[i].text, NULL, table, err))
			return false;
	return true;
}

/* Under the lock of everything that gives money, so that no limit changes between being asked and being kept to. */
static bool
apply_file(struct run *run, const struct role_file *file, struct table *table, struct error *err)
{
	struct states before = {0}, after = {0};
	bool fine = books_lock(run, err);

	fine = fine && states_load(run, &before, err) && store_file(run, file, err) && states_load(run, &after, err) &&
	    tell_all(run, file, &before, &after, table, err);
	free(before.items);
	free(after.items);
	return fine;
}

static bool
apply(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"subject", "what", COLUMN_TEXT}, {"before", "before", COLUMN_TEXT},
	    {"after", "after", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct role_file file;
	struct table *table;
	bool fine;

	if (!role_file_load(run->operands[0], &file, err))
		return false;
	table = table_new(columns);
	fine = db_begin(run->db, err) && apply_file(run, &file, table, err);
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		table_print(table, run, "no roles: nobody is limited");
	table_free(table);
	role_file_release(&file);
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
			table_cell(table, row_amount(rows, row, LIST_CURRENCY, column, amount));
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
		table_cell(table, row_amount(&rows, row, 0, 1, above));
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
