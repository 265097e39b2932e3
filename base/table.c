/*
 * table.c -- see table.h.
 *
 * Failed writes are not looked at one by one: the stream remembers them, and whoever opened it asks it; for standard output
 * that is the front door, before the exit code is given.
 */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct table {
	const struct column *columns;
	size_t column_count;
	const char **cells; /* row by row; NULL is an empty cell */
	size_t count, capacity;
	size_t row_count;   /* begun; all but the last are full */
	struct arena arena; /* owns the texts */
};

static void print_aligned(const struct table *table, FILE *out);
static void print_json(const struct table *table, FILE *out);
static void print_csv(const struct table *table, FILE *out);
static size_t character(const char *text);

struct table *
table_new(const struct column *columns)
{
	struct table *table = memory_new(1, sizeof *table);

	table->columns = columns;
	while (columns[table->column_count].name != NULL)
		table->column_count++;
	must(table->column_count > 0);
	return table;
}

void
table_row(struct table *table)
{
	must(table->count == table->row_count * table->column_count);
	table->row_count++;
	table->cells = memory_grow(table->cells, &table->capacity, table->count + table->column_count, sizeof *table->cells);
}

void
table_cell(struct table *table, const char *value)
{
	must(table->count < table->row_count * table->column_count);
	table->cells[table->count++] = value == NULL ? NULL : arena_copy(&table->arena, value, strlen(value));
}

void
table_cell_format(struct table *table, const char *format, ...)
{
	struct text text = {0};
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	must(length >= 0);
	text.bytes = memory_grow(NULL, &text.capacity, (size_t)length + 1, 1);
	vsnprintf(text.bytes, text.capacity, format, again);
	va_end(again);
	table_cell(table, text.bytes);
	text_release(&text);
}

void
table_rows(struct table *table, const struct rows *rows)
{
	for (int row = 0; row < rows->count; row++) {
		table_row(table);
		for (int column = 0; column < (int)table->column_count; column++)
			table_cell(table, row_is_null(rows, row, column) ? NULL : row_text(rows, row, column));
	}
}

void
table_print(struct table *table, const struct run *run, const char *none)
{
	table_write(table, run->format, none, stdout);
}

void
table_write(const struct table *table, enum output_format format, const char *none, FILE *out)
{
	must(table->count == table->row_count * table->column_count);
	switch (format) {
	case FORMAT_TABLE:
		if (table->count == 0)
			fprintf(out, "%s\n", none);
		else
			print_aligned(table, out);
		break;
	case FORMAT_JSON:
		print_json(table, out);
		break;
	case FORMAT_CSV:
		print_csv(table, out);
		break;
	}
}

void
table_free(struct table *table)
{
	if (table == NULL)
		return;
	arena_release(&table->arena);
	free(table->cells);
	free(table);
}

/* A cell for a terminal: control characters would break the columns, or command the terminal, and
 * are shown as \xNN; so are bytes that are not UTF-8. */
void
text_add_printable(struct text *out, const char *cell)
{
	while (*cell != '\0') {
		size_t length = character(cell);
		unsigned char first = (unsigned char)cell[0];
		bool control = first < 0x20 || first == 0x7f || (first == 0xc2 && length == 2 && (unsigned char)cell[1] < 0xa0);

		if (length == 0 || control) {
			text_add_format(out, "\\x%02x", first);
			cell++;
		} else {
			text_add(out, cell, length);
			cell += length;
		}
	}
}

static void
make_printable(struct text *out, const char *cell)
{
	text_clear(out);
	text_add_printable(out, cell);
}

/* Every byte that does not continue a character. */
size_t
text_width(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0xc0) != 0x80)
			width++;
	return width;
}

static const char *
cell_at(const struct table *table, size_t index)
{
	return table->cells[index] == NULL ? "" : table->cells[index];
}

static size_t *
column_widths(const struct table *table, struct text *scratch)
{
	size_t *widths = memory_new(table->column_count, sizeof *widths);

	for (size_t i = 0; i < table->column_count; i++)
		widths[i] = text_width(table->columns[i].title);
	for (size_t i = 0; i < table->count; i++) {
		size_t *width = &widths[i % table->column_count], here;

		make_printable(scratch, cell_at(table, i));
		here = text_width(text_string(scratch));
		if (here > *width)
			*width = here;
	}
	return widths;
}

static void
add_blanks(struct text *line, size_t count)
{
	while (count-- > 0)
		text_add(line, " ", 1);
}

/* One more cell of a line; two blanks stand between columns. */
static void
add_padded(struct text *line, const struct table *table, size_t column, const char *cell, const size_t *widths)
{
	size_t blanks = widths[column] - text_width(cell);
	bool right = table->columns[column].kind == COLUMN_NUMBER;

	add_blanks(line, right ? blanks : 0);
	text_add_string(line, cell);
	add_blanks(line, (right ? 0 : blanks) + 2);
}

/* Prints the line without the blanks at its end, and empties it. */
static void
print_line(struct text *line, bool bold, FILE *out)
{
	while (line->length > 0 && line->bytes[line->length - 1] == ' ')
		line->length--;
	fputs(bold ? "\033[1m" : "", out);
	fwrite(text_string(line), 1, line->length, out);
	fputs(bold ? "\033[0m\n" : "\n", out);
	text_clear(line);
}

/* The convention of no-color.org: set and not empty. */
static bool
is_bold_welcome(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");

	return (no_color == NULL || no_color[0] == '\0') && isatty(fileno(out)) == 1;
}

static void
print_aligned(const struct table *table, FILE *out)
{
	struct text cell = {0}, line = {0};
	size_t *widths = column_widths(table, &cell);

	for (size_t i = 0; i < table->column_count; i++)
		add_padded(&line, table, i, table->columns[i].title, widths);
	print_line(&line, is_bold_welcome(out), out);
	for (size_t i = 0; i < table->count; i++) {
		make_printable(&cell, cell_at(table, i));
		add_padded(&line, table, i % table->column_count, text_string(&cell), widths);
		if ((i + 1) % table->column_count == 0)
			print_line(&line, false, out);
	}
	free(widths);
	text_release(&line);
	text_release(&cell);
}

void
text_add_json(struct text *out, const char *string)
{
	text_add(out, "\"", 1);
	while (*string != '\0') {
		size_t length = character(string);
		unsigned char first = (unsigned char)string[0];

		if (length == 0)
			text_add_string(out, "\\ufffd");
		else if (first == '"' || first == '\\')
			text_add_format(out, "\\%c", first);
		else if (first == '\n')
			text_add_string(out, "\\n");
		else if (first == '\t')
			text_add_string(out, "\\t");
		else if (first < 0x20 || first == 0x7f)
			text_add_format(out, "\\u%04x", (unsigned)first);
		else
			text_add(out, string, length);
		string += length > 0 ? length : 1;
	}
	text_add(out, "\"", 1);
}

/* What JSON calls an int: no plus, no zeros in front. */
static bool
is_plain_integer(const char *text)
{
	const char *digits = text[0] == '-' ? text + 1 : text;
	size_t length = strlen(digits);

	return length > 0 && strspn(digits, "0123456789") == length && (digits[0] != '0' || (length == 1 && digits == text));
}

void
text_add_json_cell(struct text *line, const struct column *column, const char *cell)
{
	text_add_json(line, column->name);
	text_add_string(line, ": ");
	if (cell == NULL)
		text_add_string(line, "null");
	else if (column->kind == COLUMN_NUMBER && is_plain_integer(cell))
		text_add_string(line, cell);
	else
		text_add_json(line, cell);
}

void
text_add_json_member(struct text *out, const char *name, const char *value)
{
	const struct column column = {name, "", COLUMN_TEXT};

	text_add_string(out, out->length == 0 ? "{" : ",\n ");
	text_add_json_cell(out, &column, value);
}

static void
print_json(const struct table *table, FILE *out)
{
	struct text line = {0};

	putc('[', out);
	for (size_t i = 0; i < table->count; i++) {
		if (i % table->column_count == 0)
			text_add_string(&line, i == 0 ? "\n{" : ",\n{");
		else
			text_add_string(&line, ", ");
		text_add_json_cell(&line, &table->columns[i % table->column_count], table->cells[i]);
		if ((i + 1) % table->column_count != 0)
			continue;
		text_add(&line, "}", 1);
		fwrite(text_string(&line), 1, line.length, out);
		text_clear(&line);
	}
	fputs(table->count == 0 ? "]\n" : "\n]\n", out);
	text_release(&line);
}

/* [-]digits[.digits]: what a spreadsheet reads as a number and never as a formula. */
static bool
is_number(const char *text)
{
	size_t whole, decimals;

	text += text[0] == '-' ? 1 : 0;
	whole = strspn(text, "0123456789");
	if (whole == 0 || text[whole] == '\0')
		return whole > 0;
	decimals = strspn(text + whole + 1, "0123456789");
	return text[whole] == '.' && decimals > 0 && text[whole + 1 + decimals] == '\0';
}

/* A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV
 * injection).  An empty line is skipped by many readers: the only cell of a row is never nothing at all. */
static void
add_csv_cell(struct text *out, const struct column *column, const char *cell, bool is_only)
{
	bool guarded =
	    cell[0] != '\0' && strchr("=+-@\t\r", cell[0]) != NULL && !(column->kind == COLUMN_NUMBER && is_number(cell));
	bool quoted = cell[strcspn(cell, ",\"\r\n")] != '\0' || (cell[0] == '\0' && is_only);

	text_add_string(out, quoted ? "\"" : "");
	text_add_string(out, guarded ? "'" : "");
	for (; *cell != '\0'; cell++) {
		if (*cell == '"')
			text_add(out, "\"", 1);
		text_add(out, cell, 1);
	}
	text_add_string(out, quoted ? "\"" : "");
}

void
text_add_csv_cell(struct text *out, const struct column *column, const char *cell)
{
	add_csv_cell(out, column, cell == NULL ? "" : cell, false);
}

static void
print_csv(const struct table *table, FILE *out)
{
	struct text line = {0};

	for (size_t i = 0; i < table->column_count; i++)
		fprintf(out, "%s%s", i > 0 ? "," : "", table->columns[i].name);
	putc('\n', out);
	for (size_t i = 0; i < table->count; i++) {
		if (i % table->column_count > 0)
			text_add(&line, ",", 1);
		add_csv_cell(&line, &table->columns[i % table->column_count], cell_at(table, i), table->column_count == 1);
		if ((i + 1) % table->column_count != 0)
			continue;
		text_add(&line, "\n", 1);
		fwrite(text_string(&line), 1, line.length, out);
		text_clear(&line);
	}
	text_release(&line);
}

/* The length of the UTF-8 character at `text` (RFC 3629: no overlong forms, no surrogates, nothing
 * beyond U+10FFFF), or 0. */
static size_t
character(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t length;

	if (byte[0] < 0x80)
		return 1;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	length = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < length; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	if ((byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf0 && byte[1] < 0x90) ||
	    (byte[0] == 0xf4 && byte[1] > 0x8f))
		return 0;
	return length;
}
