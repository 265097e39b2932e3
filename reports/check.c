/* check.c -- see check.h. */
#include "reports/check.h"

#include <string.h>

static void
show_rows(struct run *run, const char *what, const struct rows *rows)
{
	say(run, "%s:", what);
	for (int i = 0; i < rows->count && i < CHECK_SHOWN; i++) {
		struct text line = {0};

		for (int j = 0; j < rows_columns(rows); j++)
			text_add_format(&line, "%s%s=%s", j == 0 ? "  " : " ", rows_column_name(rows, j), row_text(rows, i, j));
		say(run, "%s", text_string(&line));
		text_release(&line);
	}
	if (rows->count > CHECK_SHOWN)
		say(run, "  and %d more", rows->count - CHECK_SHOWN);
}

const char *
check_title(struct run *run, enum statement_id check)
{
	const char *text = statements[check].text;

	must(strncmp(text, "-- ", 3) == 0);
	return arena_copy(&run->arena, text + 3, strcspn(text + 3, "\n"));
}

bool
check_query(struct run *run, enum statement_id check, int64_t *differences, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, check, NO_PARAMS, &rows, err))
		return false;
	*differences = rows.count;
	if (rows.count > 0)
		show_rows(run, check_title(run, check), &rows);
	rows_release(&rows);
	return true;
}

bool
check_each(struct run *run, enum statement_id check, check_told *told, void *context, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, check, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		told(context, check, &rows, i);
	rows_release(&rows);
	return true;
}

const char *
check_column(const struct rows *rows, int row, const char *name)
{
	for (int i = 0; i < rows_columns(rows); i++)
		if (strcmp(rows_column_name(rows, i), name) == 0)
			return row_text(rows, row, i);
	return NULL;
}
