/*
 * output_xlsx.c -- see output_xlsx.h; the only file that knows libxlsxwriter.
 *
 * Quirks kept here: in constant-memory mode rows come strictly in order, column settings come before the first
 * row, and a formula stores 0 unless its value is given.  Text is escaped for control characters but not for
 * what looks like such an escape ("_x0041_"), so all escaping is done here.  workbook_close() frees the workbook
 * also when it fails; lxw_workbook_free() is the way out without a file, but leaves the temporary files of sheets open.
 * Binary floating point occurs once, in spreadsheet_number().
 */
#include "reports/output_xlsx.h"

#include <stdlib.h>
#include <string.h>
#include <xlsxwriter.h>

/* More than there are styles times number formats (18 decimals, whole numbers, dates). */
enum { FORMATS_MAX = 512 };

/* A look that cells share: each is one format of the file. */
struct look {
	enum cell_style style;
	bool is_text;              /* set off from a number that ends where it begins */
	const char *number_format; /* "" for none */
	lxw_format *format;
};

struct xlsx_output {
	lxw_workbook *workbook;
	lxw_worksheet *sheet;
	const char *sheet_name;
	int64_t rows;
	struct look looks[FORMATS_MAX];
	size_t look_count;
	struct arena arena; /* names and formats, for as long as the workbook */
	struct text escaped;
};

static bool write_cell(struct xlsx_output *output, int column, const struct cell *cell, struct error *err);

/* The one way of a number into the library.  `value` has at most CELL_DIGITS significant digits, so that the
 * nearest double stands for it alone, and 15 digits of that double are `value` again; the read-back proves it. */
static double
spreadsheet_number(struct decimal value)
{
	char text[DECIMAL_TEXT];

	must(decimal_to_digits(value, CELL_DIGITS).e18 == value.e18);
	return strtod(decimal_format(value, text), NULL);
}

static bool
library_error(const struct xlsx_output *output, lxw_error code, const char *what, struct error *err)
{
	error_set(err, ERROR_AWAY, "%s: %s", what, lxw_strerror(code));
	if (output->sheet_name != NULL)
		error_detail(err, "Sheet \"%s\", row %lld.", output->sheet_name, (long long)output->rows + 1);
	return error_hint(err, "The folder of the file may be full or not writable; it needs room for the workbook unpacked.");
}

bool
xlsx_output_open(const struct xlsx_output_options *options, struct xlsx_output **out, struct error *err)
{
	struct xlsx_output *output = memory_new(1, sizeof *output);
	/* The library's structs want char *; it copies all of them. */
	lxw_workbook_options settings = {.constant_memory = LXW_TRUE,
	    .tmpdir = (char *)(uintptr_t)arena_copy(&output->arena, options->folder, strlen(options->folder))};
	lxw_doc_properties properties = {.title = (char *)(uintptr_t)options->title,
	    .author = (char *)(uintptr_t) "tollbook",
	    .created = (time_t)(options->created.us / 1000000)};
	lxw_error code;

	output->workbook = workbook_new_opt(options->path, &settings);
	if (output->workbook == NULL) {
		arena_release(&output->arena);
		free(output);
		error_set(err, ERROR_AWAY, "a workbook could not be begun");
		return error_at(err, options->path, 0);
	}
	code = workbook_set_properties(output->workbook, &properties);
	if (code != LXW_NO_ERROR) {
		library_error(output, code, "the workbook's properties were refused", err);
		xlsx_output_discard(output);
		return false;
	}
	*out = output;
	return true;
}

static lxw_error
set_columns(lxw_worksheet *sheet, const int *widths, int *count)
{
	lxw_error code = LXW_NO_ERROR;

	for (*count = 0; code == LXW_NO_ERROR && widths[*count] > 0; ++*count)
		code = worksheet_set_column(sheet, (lxw_col_t)*count, (lxw_col_t)*count, widths[*count], NULL);
	return code;
}

static lxw_error
set_header(lxw_worksheet *sheet, const struct xlsx_sheet *wanted, int columns)
{
	lxw_row_t header = (lxw_row_t)wanted->header_row;
	lxw_error code;

	worksheet_freeze_panes(sheet, header + 1, (lxw_col_t)wanted->frozen_columns);
	code = worksheet_repeat_rows(sheet, 0, header);
	if (code == LXW_NO_ERROR && wanted->filter)
		code = worksheet_autofilter(sheet, header, 0, (lxw_row_t)wanted->last_row, (lxw_col_t)(columns - 1));
	return code;
}

bool
xlsx_output_sheet(struct xlsx_output *output, const struct xlsx_sheet *sheet, struct error *err)
{
	lxw_error code;
	int columns;

	output->sheet = workbook_add_worksheet(output->workbook, sheet->name);
	if (output->sheet == NULL)
		return error_set(err, ERROR_AWAY, "a sheet \"%s\" could not be begun", sheet->name);
	output->sheet_name = arena_copy(&output->arena, sheet->name, strlen(sheet->name));
	output->rows = 0;
	code = set_columns(output->sheet, sheet->widths, &columns);
	if (code == LXW_NO_ERROR && sheet->header_row >= 0)
		code = set_header(output->sheet, sheet, columns);
	if (code == LXW_NO_ERROR)
		code = worksheet_set_footer(output->sheet, "&L&A&RPage &P of &N");
	if (code != LXW_NO_ERROR)
		return library_error(output, code, "a sheet could not be set up", err);
	worksheet_set_landscape(output->sheet);
	worksheet_set_paper(output->sheet, 9); /* A4 */
	worksheet_fit_to_pages(output->sheet, 1, 0);
	return true;
}

bool
xlsx_output_row(struct xlsx_output *output, const struct cell *cells, size_t count, struct error *err)
{
	must(output->sheet != NULL && count <= XLSX_COLUMNS);
	if (output->rows >= XLSX_ROWS) {
		error_set(err, ERROR_RANGE, "sheet \"%s\" is full: a spreadsheet ends at row %d", output->sheet_name, XLSX_ROWS);
		return error_hint(err, "Ask for fewer rows.");
	}
	for (size_t i = 0; i < count; i++)
		if ((cells[i].kind != CELL_EMPTY || cells[i].style != STYLE_PLAIN) && !write_cell(output, (int)i, &cells[i], err))
			return false;
	output->rows++;
	return true;
}

/* --- looks ----------------------------------------------------------------------------------- */

static void
dress_header(lxw_format *format)
{
	format_set_bold(format);
	format_set_font_color(format, LXW_COLOR_WHITE);
	format_set_bg_color(format, 0x1F3864);
	format_set_align(format, LXW_ALIGN_VERTICAL_CENTER);
	format_set_text_wrap(format);
}

static void
dress_tick(lxw_format *format, lxw_color_t letters, lxw_color_t ground)
{
	format_set_bold(format);
	format_set_font_color(format, letters);
	format_set_bg_color(format, ground);
	format_set_align(format, LXW_ALIGN_CENTER);
}

static void
dress(lxw_format *format, enum cell_style style)
{
	switch (style) {
	case STYLE_TITLE:
		format_set_bold(format);
		format_set_font_size(format, 16);
		format_set_font_color(format, 0x1F3864);
		break;
	case STYLE_LEFT:
		format_set_align(format, LXW_ALIGN_LEFT);
		format_set_indent(format, 1);
		break;
	case STYLE_RIGHT:
		format_set_align(format, LXW_ALIGN_RIGHT);
		break;
	case STYLE_HEADER:
		dress_header(format);
		format_set_indent(format, 1);
		break;
	case STYLE_HEADER_RIGHT:
		dress_header(format);
		format_set_align(format, LXW_ALIGN_RIGHT);
		break;
	case STYLE_HEADER_CENTER:
		dress_header(format);
		format_set_align(format, LXW_ALIGN_CENTER);
		break;
	case STYLE_LABEL:
		format_set_bold(format);
		format_set_indent(format, 1);
		break;
	case STYLE_TOTAL:
		format_set_bold(format);
		format_set_bg_color(format, 0xDDE4F0);
		break;
	case STYLE_NOTE:
		format_set_font_color(format, 0x595959);
		format_set_italic(format);
		break;
	case STYLE_GOOD:
		dress_tick(format, 0x006100, 0xC6EFCE);
		break;
	case STYLE_BAD:
		dress_tick(format, 0x9C0006, 0xFFC7CE);
		break;
	case STYLE_PLAIN:
	case CELL_STYLES:
		break;
	}
}

static bool
find_format(struct xlsx_output *output, const struct cell *cell, lxw_format **out, struct error *err)
{
	const char *number_format = cell->format == NULL ? "" : cell->format;
	bool is_text = cell->kind == CELL_TEXT;
	struct look *look;

	for (size_t i = 0; i < output->look_count; i++) {
		look = &output->looks[i];
		if (look->style == cell->style && look->is_text == is_text && strcmp(look->number_format, number_format) == 0) {
			*out = look->format;
			return true;
		}
	}
	must(output->look_count < FORMATS_MAX);
	look = &output->looks[output->look_count];
	look->style = cell->style;
	look->is_text = is_text;
	look->number_format = arena_copy(&output->arena, number_format, strlen(number_format));
	look->format = workbook_add_format(output->workbook);
	if (look->format == NULL)
		return error_set(err, ERROR_AWAY, "a format of the workbook could not be made");
	dress(look->format, cell->style);
	if (is_text && (cell->style == STYLE_PLAIN || cell->style == STYLE_TOTAL))
		format_set_indent(look->format, 1);
	if (number_format[0] != '\0')
		format_set_num_format(look->format, number_format);
	output->look_count++;
	*out = look->format;
	return true;
}

/* --- cells ----------------------------------------------------------------------------------- */

static bool
is_hex(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'F') || (byte >= 'a' && byte <= 'f');
}

/* Does it look like the escape _xHHHH_ (ECMA-376, ST_Xstring)? */
static bool
is_escape(const char *at)
{
	return at[0] == '_' && at[1] == 'x' && is_hex(at[2]) && is_hex(at[3]) && is_hex(at[4]) && is_hex(at[5]) && at[6] == '_';
}

/* XML has no place for control characters, U+FFFE and U+FFFF; the file format escapes them. */
static const char *
escape(struct text *out, const char *text)
{
	text_clear(out);
	for (; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 && byte != '\t' && byte != '\n') {
			text_add_format(out, "_x%04X_", (unsigned)byte);
		} else if (byte == 0xef && (unsigned char)text[1] == 0xbf && (unsigned char)text[2] >= 0xbe) {
			text_add_format(out, "_xFF%s_", (unsigned char)text[2] == 0xbe ? "FE" : "FF");
			text += 2;
		} else {
			text_add_string(out, is_escape(text) ? "_x005F" : "");
			text_add(out, text, 1);
		}
	}
	return text_string(out);
}

static bool
write_cell(struct xlsx_output *output, int column, const struct cell *cell, struct error *err)
{
	lxw_row_t row = (lxw_row_t)output->rows;
	lxw_col_t at = (lxw_col_t)column;
	lxw_error code = LXW_NO_ERROR;
	lxw_format *format = NULL;

	if (!find_format(output, cell, &format, err))
		return false;
	switch (cell->kind) {
	case CELL_TEXT:
		code = worksheet_write_string(output->sheet, row, at, escape(&output->escaped, cell->text), format);
		break;
	case CELL_NUMBER:
		code = worksheet_write_number(output->sheet, row, at, spreadsheet_number(cell->number), format);
		break;
	case CELL_FORMULA_NUMBER:
		code =
		    worksheet_write_formula_num(output->sheet, row, at, cell->formula, format, spreadsheet_number(cell->number));
		break;
	case CELL_FORMULA_TEXT:
		code = worksheet_write_formula_str(output->sheet, row, at, cell->formula, format, cell->text);
		break;
	case CELL_EMPTY:
		code = worksheet_write_blank(output->sheet, row, at, format);
		break;
	}
	if (code == LXW_NO_ERROR)
		return true;
	library_error(output, code, "a cell was refused", err);
	return error_field(err, cell->kind == CELL_TEXT ? "text" : "cell", cell->text == NULL ? "" : cell->text,
	    cell->text == NULL ? 0 : strlen(cell->text));
}

/* --- charts, and the end --------------------------------------------------------------------- */

bool
xlsx_output_chart(struct xlsx_output *output, const struct xlsx_chart *wanted, struct error *err)
{
	lxw_chart *chart = workbook_add_chart(output->workbook, LXW_CHART_COLUMN);
	lxw_chart_series *series = chart == NULL ? NULL : chart_add_series(chart, NULL, NULL);
	lxw_chart_line grid = {.color = 0xD9D9D9};
	lxw_chart_fill fill = {.color = 0x2F5597};
	lxw_chart_options size = {.x_scale = 2, .y_scale = 1, .object_position = LXW_OBJECT_MOVE_DONT_SIZE};
	lxw_error code;

	if (series == NULL)
		return error_set(err, ERROR_AWAY, "a chart of the workbook could not be made");
	chart_series_set_name(series, wanted->series);
	chart_series_set_categories(series, output->sheet_name, (lxw_row_t)wanted->first_row, (lxw_col_t)wanted->name_column,
	    (lxw_row_t)wanted->last_row, (lxw_col_t)wanted->name_column);
	chart_series_set_values(series, output->sheet_name, (lxw_row_t)wanted->first_row, (lxw_col_t)wanted->value_column,
	    (lxw_row_t)wanted->last_row, (lxw_col_t)wanted->value_column);
	chart_title_set_name(chart, wanted->title);
	chart_axis_set_num_format(chart->y_axis, wanted->format);
	chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
	chart_set_series_gap(chart, 60);
	chart_axis_major_gridlines_set_line(chart->y_axis, &grid);
	chart_series_set_fill(series, &fill);
	if (wanted->from_zero)
		chart_axis_set_min(chart->y_axis, 0);
	code = worksheet_insert_chart_opt(output->sheet, (lxw_row_t)wanted->at_row, (lxw_col_t)wanted->at_column, chart, &size);
	return code == LXW_NO_ERROR || library_error(output, code, "a chart was refused", err);
}

int64_t
xlsx_output_rows(const struct xlsx_output *output)
{
	return output->rows;
}

static void
forget(struct xlsx_output *output)
{
	arena_release(&output->arena);
	text_release(&output->escaped);
	free(output);
}

bool
xlsx_output_close(struct xlsx_output *output, struct error *err)
{
	lxw_error code = workbook_close(output->workbook);

	if (code != LXW_NO_ERROR) {
		output->sheet_name = NULL;
		library_error(output, code, "the workbook could not be written", err);
	}
	forget(output);
	return code == LXW_NO_ERROR;
}

void
xlsx_output_discard(struct xlsx_output *output)
{
	lxw_worksheet *sheet;

	if (output == NULL)
		return;
	STAILQ_FOREACH(sheet, output->workbook->worksheets, list_pointers)
	if (sheet->optimize_tmpfile != NULL)
		(void)fclose(sheet->optimize_tmpfile);
	lxw_workbook_free(output->workbook);
	forget(output);
}

const char *
cell_name(int64_t row, int column, char out[CELL_NAME])
{
	char letters[8];
	size_t at = sizeof letters - 1;

	letters[at] = '\0';
	for (int rest = column + 1; rest > 0; rest = (rest - 1) / 26)
		letters[--at] = (char)('A' + (rest - 1) % 26);
	snprintf(out, CELL_NAME, "%s%lld", letters + at, (long long)row + 1);
	return out;
}
