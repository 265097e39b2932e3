/* cmd_runs.c -- `tollbook runs list|show|diff`: what each nightly run did. */
#include <string.h>

#include "base/table.h"
#include "nightly/manifest_compare.h"

static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool diff(struct run *run, struct error *err);

const struct command cmd_runs_list = {
    .name = "runs list",
    .summary = "list nightly runs, the newest first: how they ended, and how long they took",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook runs list\n  tollbook runs list --format csv",
    .run = list,
};

const struct command cmd_runs_show = {
    .name = "runs show",
    .summary = "show the steps of a nightly run, by its number or its night; --json prints its manifest",
    .operands = "RUN|DATE",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook runs show 2026-11-03\n  tollbook runs show 17 --json",
    .run = show,
};

const struct command cmd_runs_diff = {
    .name = "runs diff",
    .summary = "say in what the manifests of two nightly runs differ, but for their timing",
    .operands = "A B",
    .operands_min = 2,
    .operands_max = 2,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook runs diff 2026-11-02 2026-11-03\n  tollbook runs diff 16 17 --json",
    .run = diff,
};

/* --- list ------------------------------------------------------------------------------------ */

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"run", "run", COLUMN_NUMBER}, {"night", "night", COLUMN_TEXT},
	    {"at", "at", COLUMN_TEXT}, {"caught_up", "caught up", COLUMN_TEXT}, {"outcome", "outcome", COLUMN_TEXT},
	    {"exit_code", "exit code", COLUMN_NUMBER}, {"attempts", "attempts", COLUMN_NUMBER},
	    {"begun_at", "begun at", COLUMN_TEXT}, {"ended_at", "ended at", COLUMN_TEXT}, {"seconds", "seconds", COLUMN_NUMBER},
	    {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_RUNS_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "no night was run yet");
	table_free(table);
	rows_release(&rows);
	return true;
}

/* --- show ------------------------------------------------------------------------------------ */

/* Columns of run_find.sql. */
enum found_column { FOUND_RUN, FOUND_NIGHT, FOUND_AT, FOUND_CAUGHT_UP, FOUND_STATE, FOUND_ATTEMPTS, FOUND_MANIFEST };

static bool
find_run(struct run *run, const char *which, struct rows *out, struct error *err)
{
	if (!db_rows(run->db, SQL_NIGHTLY_RUN_FIND, PARAMS(which), out, err))
		return false;
	if (out->count == 1)
		return true;
	rows_release(out);
	error_set(err, ERROR_STATE, "no nightly run has the number or the night \"%s\"", which);
	return error_hint(err, "Run: tollbook runs list");
}

static bool
find_manifest(struct run *run, const char *which, struct rows *out, struct error *err)
{
	if (!find_run(run, which, out, err))
		return false;
	if (!row_is_null(out, 0, FOUND_MANIFEST))
		return true;
	error_set(err, ERROR_STATE, "the night of %s has no manifest yet: it is %s", row_text(out, 0, FOUND_NIGHT),
	    row_text(out, 0, FOUND_STATE));
	rows_release(out);
	return error_hint(err, "Run: tollbook nightly");
}

/* Columns of manifest_steps.sql. */
enum step_column { STEP_NAME, STEP_FINDINGS, STEP_DIFFERENCES, STEP_RESULT, STEP_TOLD, STEP_SECONDS };

static bool
print_steps(struct run *run, const char *number, struct error *err)
{
	static const struct column columns[] = {
	    {"step", "step", COLUMN_TEXT}, {"seconds", "seconds", COLUMN_NUMBER}, {"told", "told", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_MANIFEST_STEPS, PARAMS(number), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		table_cell(table, row_text(&rows, i, STEP_NAME));
		table_cell(table, row_is_null(&rows, i, STEP_SECONDS) ? NULL : row_text(&rows, i, STEP_SECONDS));
		table_cell(table, row_is_null(&rows, i, STEP_SECONDS) ? "not done" : row_text(&rows, i, STEP_TOLD));
	}
	table_print(table, run, "no step was begun");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	struct rows found;
	bool fine = true;

	if (run->format == FORMAT_JSON) {
		if (!find_manifest(run, run->operands[0], &found, err))
			return false;
		fputs(row_text(&found, 0, FOUND_MANIFEST), stdout);
	} else {
		if (!find_run(run, run->operands[0], &found, err))
			return false;
		if (run->format == FORMAT_TABLE)
			printf("run %s, the night of %s at %s%s: %s, attempts: %s\n\n", row_text(&found, 0, FOUND_RUN),
			    row_text(&found, 0, FOUND_NIGHT), row_text(&found, 0, FOUND_AT), row_text(&found, 0, FOUND_CAUGHT_UP),
			    row_text(&found, 0, FOUND_STATE), row_text(&found, 0, FOUND_ATTEMPTS));
		fine = print_steps(run, row_text(&found, 0, FOUND_RUN), err);
	}
	rows_release(&found);
	return fine;
}

/* --- diff ------------------------------------------------------------------------------------ */

static void
add_difference(void *context, const char *path, const char *a, const char *b)
{
	struct table *table = context;

	table_row(table);
	table_cell(table, path);
	table_cell(table, a);
	table_cell(table, b);
}

static struct bytes
manifest_of(const struct rows *found)
{
	return (struct bytes){row_text(found, 0, FOUND_MANIFEST), row_length(found, 0, FOUND_MANIFEST)};
}

static bool
diff(struct run *run, struct error *err)
{
	static const struct column columns[] = {
	    {"path", "path", COLUMN_TEXT}, {"a", "a", COLUMN_TEXT}, {"b", "b", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows a, b;
	bool fine;

	if (!find_manifest(run, run->operands[0], &a, err))
		return false;
	if (!find_manifest(run, run->operands[1], &b, err)) {
		rows_release(&a);
		return false;
	}
	table = table_new(columns);
	fine = manifest_compare(manifest_of(&a), manifest_of(&b), add_difference, table, err);
	if (fine)
		table_print(table, run, "nothing differs but the timing");
	table_free(table);
	rows_release(&a);
	rows_release(&b);
	return fine;
}
