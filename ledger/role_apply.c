/* role_apply.c -- see role_apply.h. */
#include "ledger/role_apply.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/role_file.h"

const char *
role_amount(const struct rows *rows, int row, int currency, int column, char out[DECIMAL_TEXT])
{
	const struct currency *found = currency_find(row_text(rows, row, currency));

	must(found != NULL);
	return money_format((struct money){row_number(rows, row, column), found}, out);
}

/* --- what there is --------------------------------------------------------------------------- */

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
			    row_text(rows, row, LIST_CURRENCY), role_amount(rows, row, LIST_CURRENCY, LIST_PER_GRANT, per_grant),
			    role_amount(rows, row, LIST_CURRENCY, LIST_PER_DAY, per_day));
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
		    arena_format(&run->arena, "above %s", role_amount(&rows, row, 0, 1, above)));
	rows_release(&rows);
	return true;
}

/* --- what a file makes of it ------------------------------------------------------------------ */

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

struct applying {
	struct run *run;
	const char *path;
	role_told *told; /* or NULL */
	void *context;
	int64_t changes;
};

/* One role or approval limit, as it was (NULL: it was not there) and as it is (NULL: it is there no more). */
static bool
tell(struct applying *applying, const char *subject, const char *before, const char *after, struct error *err)
{
	if (applying->told != NULL)
		applying->told(applying->context, subject, before, after);
	if (before != NULL && after != NULL && strcmp(before, after) == 0)
		return true;
	applying->changes++;
	return audit_add(applying->run,
	    &(struct audit){
		.action = "role apply", .subject = subject, .reason = applying->path, .before = before, .after = after},
	    err);
}

static bool
tell_all(struct applying *applying, const struct states *before, const struct states *after, struct error *err)
{
	for (size_t i = 0; i < after->count; i++)
		if (!tell(applying, after->items[i].subject, states_find(before, after->items[i].subject), after->items[i].text,
			err))
			return false;
	for (size_t i = 0; i < before->count; i++)
		if (states_find(after, before->items[i].subject) == NULL &&
		    !tell(applying, before->items[i].subject, before->items[i].text, NULL, err))
			return false;
	return true;
}

/* Under the lock of everything that gives money, so that no limit changes between being asked and being kept to. */
static bool
apply_file(struct applying *applying, const struct role_file *file, struct error *err)
{
	struct run *run = applying->run;
	struct states before = {0}, after = {0};
	bool fine = books_lock(run, err);

	fine = fine && states_load(run, &before, err) && store_file(run, file, err) && states_load(run, &after, err) &&
	    tell_all(applying, &before, &after, err);
	free(before.items);
	free(after.items);
	return fine;
}

bool
roles_apply_within(struct run *run, const char *path, role_told *told, void *context, int64_t *changed, struct error *err)
{
	struct applying applying = {run, path, told, context, 0};
	struct role_file file;
	bool fine;

	if (!role_file_load(path, &file, err))
		return false;
	fine = apply_file(&applying, &file, err);
	*changed = applying.changes;
	role_file_release(&file);
	return fine;
}

bool
roles_apply(struct run *run, const char *path, int64_t *changed, struct error *err)
{
	bool fine = db_begin(run->db, err) && roles_apply_within(run, path, NULL, NULL, changed, err);

	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}
