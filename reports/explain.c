/* explain.c -- see explain.h: who listens, and what is said to both. */
#include "reports/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

enum { LABEL_WIDTH = 12 };

bool
explains_to_people(const struct explanation *e)
{
	return e->run->format != FORMAT_JSON;
}

static void
tree_line(struct explanation *e)
{
	text_add_string(&e->tree, "\n");
	for (int i = 0; i < e->depth; i++)
		text_add_string(&e->tree, "  ");
}

/* A new line of the tree, with what stands before the next member or item. */
static void
tree_next(struct explanation *e)
{
	text_add_string(&e->tree, e->begun ? "," : "");
	if (e->depth > 0)
		tree_line(e);
	e->begun = true;
}

static void
tree_name(struct explanation *e, const char *name)
{
	tree_next(e);
	if (name == NULL)
		return;
	text_add_json(&e->tree, name);
	text_add_string(&e->tree, ": ");
}

static void
tree_end(struct explanation *e, const char *bracket)
{
	e->depth--;
	if (e->begun)
		tree_line(e);
	text_add_string(&e->tree, bracket);
	e->begun = true;
}

void
explain_open(struct explanation *e, const char *name)
{
	if (explains_to_people(e))
		return;
	tree_name(e, name);
	text_add_string(&e->tree, "{");
	e->depth++;
	e->begun = false;
}

void
explain_close(struct explanation *e)
{
	if (!explains_to_people(e))
		tree_end(e, "}");
}

static void
add_member(struct text *out, const char *name, enum explain_kind kind, const char *value)
{
	const struct column column = {name, NULL, kind == EXPLAIN_NUMBER ? COLUMN_NUMBER : COLUMN_TEXT};

	if (value == NULL || kind == EXPLAIN_TEXT || kind == EXPLAIN_AMOUNT || kind == EXPLAIN_NUMBER) {
		text_add_json_cell(out, &column, value);
		return;
	}
	text_add_json(out, name);
	text_add_string(out, ": ");
	text_add_string(out, kind == EXPLAIN_JSON ? value : strcmp(value, "t") == 0 ? "true" : "false");
}

void
explain_member(struct explanation *e, const char *name, enum explain_kind kind, const char *value)
{
	if (explains_to_people(e))
		return;
	tree_next(e);
	add_member(&e->tree, name, kind, value);
}

void
explain_heading(const struct explanation *e, const char *format, ...)
{
	va_list arguments;

	if (!explains_to_people(e))
		return;
	putchar('\n');
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

void
explain_say(const struct explanation *e, const char *label, const char *format, ...)
{
	va_list arguments;

	if (!explains_to_people(e))
		return;
	printf("%-*s", LABEL_WIDTH - 1, label);
	putchar(' ');
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

static const char *
cell_of(const struct rows *rows, int row, int column)
{
	return row_is_null(rows, row, column) ? NULL : row_text(rows, row, column);
}

/* Texts of other people may hold what commands a terminal. */
static void
say_value(const struct explanation *e, const char *label, enum explain_kind kind, const char *value)
{
	struct text text = {0};

	text_add_printable(&text, kind == EXPLAIN_BOOL ? strcmp(value, "t") == 0 ? "yes" : "no" : value);
	explain_say(e, label, "%s", text_string(&text));
	text_release(&text);
}

void
explain_facts(struct explanation *e, const struct explain_column *columns, const struct rows *rows, int row)
{
	for (int i = 0; columns[i].name != NULL || columns[i].title != NULL; i++) {
		const char *value = cell_of(rows, row, i);

		if (columns[i].name != NULL)
			explain_member(e, columns[i].name, columns[i].kind, value);
		if (columns[i].title != NULL && explains_to_people(e) && value != NULL && value[0] != '\0')
			say_value(e, columns[i].title, columns[i].kind, value);
	}
}

static void
list_in_tree(struct explanation *e, const char *name, const struct explain_column *columns, const struct rows *rows)
{
	tree_name(e, name);
	text_add_string(&e->tree, "[");
	e->depth++;
	e->begun = false;
	for (int row = 0; row < rows->count; row++) {
		const char *before = "{";

		tree_next(e);
		for (int i = 0; columns[i].name != NULL || columns[i].title != NULL; i++) {
			if (columns[i].name == NULL)
				continue;
			text_add_string(&e->tree, before);
			add_member(&e->tree, columns[i].name, columns[i].kind, cell_of(rows, row, i));
			before = ", ";
		}
		text_add_string(&e->tree, "}");
	}
	tree_end(e, "]");
}

static void
list_to_people(struct explanation *e, const struct explain_column *columns, const struct rows *rows)
{
	struct column shown[32] = {0};
	int from[32], count = 0;
	struct table *table;

	for (int i = 0; columns[i].name != NULL || columns[i].title != NULL; i++) {
		if (columns[i].title == NULL)
			continue;
		must(count < 31);
		from[count] = i;
		shown[count++] = (struct column){columns[i].name == NULL ? columns[i].title : columns[i].name, columns[i].title,
		    columns[i].kind == EXPLAIN_NUMBER || columns[i].kind == EXPLAIN_AMOUNT ? COLUMN_NUMBER : COLUMN_TEXT};
	}
	table = table_new(shown);
	for (int row = 0; row < rows->count; row++) {
		table_row(table);
		for (int i = 0; i < count; i++)
			table_cell(table, cell_of(rows, row, from[i]));
	}
	table_print(table, e->run, "");
	table_free(table);
}

void
explain_list(
    struct explanation *e, const char *name, const char *heading, const struct explain_column *columns, const struct rows *rows)
{
	if (!explains_to_people(e)) {
		list_in_tree(e, name, columns, rows);
		return;
	}
	if (rows->count == 0)
		return;
	if (heading != NULL)
		explain_heading(e, "%s", heading);
	list_to_people(e, columns, rows);
}

bool
explain_query(struct explanation *e, const char *name, const char *heading, const struct explain_column *columns,
    enum statement_id statement, struct params params, struct error *err)
{
	struct rows rows;

	if (!db_rows(e->run->db, statement, params, &rows, err))
		return false;
	explain_list(e, name, heading, columns, &rows);
	rows_release(&rows);
	return true;
}

bool
explain_unknown(struct error *err, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	error_set(err, ERROR_STATE, "%s", text);
	return error_hint(err,
	    "Write NUMBER/LINE or TENANT:PERIOD/LINE of an invoice, NUMBER or NUMBER/PLACE of a credit note, credit:ID or "
	    "credit:ID/PLACE, adjustment:ID, rerate:ID or rerate:ID/PLACE, event:UUID, or --event TENANT SOURCE ID.  tollbook "
	    "invoice show, credit-note show, credit list and rerate list name them.");
}
