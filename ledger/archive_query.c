/* archive_query.c -- see archive_query.h. */
#include "ledger/archive_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/table.h"
#include "ledger/archive_file.h"

struct asking {
	struct run *run;
	const struct archive_query *query;
	const struct archive_file *file; /* at hand */
	struct index months;             /* and parts, of the files so far */
	/* Sums: the key is tenant, model and meter, each with a NUL behind it. */
	struct index index;
	struct archive_sum {
		const char *key; /* in the arena of the run */
		i128 rows, quantity;
	} * sums;
	size_t sum_room;
	struct text key;
	/* Rows. */
	struct text line;
	int64_t printed;
};

static bool
is_text(struct bytes bytes, const char *wanted)
{
	return wanted[0] == '\0' || (bytes.length == strlen(wanted) && memcmp(bytes.at, wanted, bytes.length) == 0);
}

static bool
is_asked_for(const struct archive_query *query, const struct archive_series *series, const struct archive_row *row)
{
	return is_text(series->field[SERIES_TENANT], query->tenant) && is_text(series->field[SERIES_MODEL], query->model) &&
	    is_text(row->id, query->id) && (!query->has_from || row->time.us >= query->from.us) &&
	    (!query->has_to || row->time.us < query->to.us);
}

/* --- sums ------------------------------------------------------------------------------------------ */

static void
add_sum(struct asking *asking, const struct archive_series *series, int meter, int64_t quantity)
{
	const struct bytes *tenant = &series->field[SERIES_TENANT], *model = &series->field[SERIES_MODEL];
	struct archive_sum *sum;
	size_t number;
	bool is_new;

	text_clear(&asking->key);
	text_add(&asking->key, tenant->at, tenant->length + 1);
	text_add(&asking->key, model->at, model->length + 1);
	text_add_format(&asking->key, "%03d", meter);
	number = index_number(&asking->index, asking->key.bytes, asking->key.length, &is_new);
	asking->sums = memory_grow(asking->sums, &asking->sum_room, number + 1, sizeof *asking->sums);
	sum = &asking->sums[number];
	if (is_new)
		*sum = (struct archive_sum){.key = arena_copy(&asking->run->arena, asking->key.bytes, asking->key.length)};
	sum->rows++;
	sum->quantity += quantity;
}

static void
add_row(struct asking *asking, const struct archive_series *series, const struct archive_row *row)
{
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		if ((row->shape & (unsigned)SHAPE_METER << (meter - 1)) != 0)
			add_sum(asking, series, meter, row->quantity[meter]);
	for (size_t i = 0; i + 1 < row->extra_count; i += 2)
		add_sum(asking, series, (int)row->extra[i], row->extra[i + 1]);
}

static int
by_key(const void *a, const void *b)
{
	const char *one = ((const struct archive_sum *)a)->key, *other = ((const struct archive_sum *)b)->key;

	for (int i = 0; i < 2; i++) {
		int order = strcmp(one, other);

		if (order != 0)
			return order;
		one += strlen(one) + 1;
		other += strlen(other) + 1;
	}
	return strcmp(one, other);
}

static void
print_sums(struct asking *asking)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"model", "model", COLUMN_TEXT},
	    {"meter", "meter", COLUMN_TEXT}, {"rows", "rows", COLUMN_NUMBER}, {"quantity", "quantity", COLUMN_NUMBER}, {0}};
	struct table *table = table_new(columns);

	if (asking->index.count > 0)
		qsort(asking->sums, asking->index.count, sizeof *asking->sums, by_key);
	for (size_t i = 0; i < asking->index.count; i++) {
		const struct archive_sum *sum = &asking->sums[i];
		const char *model = sum->key + strlen(sum->key) + 1, *number = model + strlen(model) + 1;
		const struct meter *meter = meter_of((int)strtol(number, NULL, 10));
		char rows[DECIMAL_TEXT], quantity[DECIMAL_TEXT];

		table_row(table);
		table_cell(table, sum->key);
		table_cell(table, model);
		table_cell(table, meter->name);
		table_cell(table, integer_format(sum->rows, rows));
		table_cell(table, meter_format(meter, sum->quantity, quantity));
	}
	table_print(table, asking->run, "no rows");
	table_free(table);
}

/* --- rows ------------------------------------------------------------------------------------------ */

static const struct column row_columns[] = {{"time", "time", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT},
    {"tenant", "tenant", COLUMN_TEXT}, {"model", "model", COLUMN_TEXT}, {"service_tier", "service tier", COLUMN_TEXT},
    {"project", "project", COLUMN_TEXT}, {"source", "source", COLUMN_TEXT}, {"id", "id", COLUMN_TEXT},
    {"batch", "batch", COLUMN_NUMBER}, {"record", "record", COLUMN_NUMBER}, {"quantities", "quantities", COLUMN_TEXT}};

enum { ROW_COLUMNS = sizeof row_columns / sizeof row_columns[0] };

static void
add_quantity(struct text *out, int meter, int64_t quantity)
{
	char number[DECIMAL_TEXT];

	text_add_format(
	    out, "%s%s=%s", out->length == 0 ? "" : " ", meter_of(meter)->name, meter_format(meter_of(meter), quantity, number));
}

static void
list_quantities(struct text *out, const struct archive_row *row)
{
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		if ((row->shape & (unsigned)SHAPE_METER << (meter - 1)) != 0)
			add_quantity(out, meter, row->quantity[meter]);
	for (size_t i = 0; i + 1 < row->extra_count; i += 2)
		add_quantity(out, (int)row->extra[i], row->extra[i + 1]);
}

static void
send_line(struct asking *asking)
{
	(void)fwrite(text_string(&asking->line), 1, asking->line.length, stdout);
	text_clear(&asking->line);
}

/* A table of rows that stream has no widths: two blanks stand between cells. */
static void
print_cells(struct asking *asking, const char *const cells[ROW_COLUMNS])
{
	struct text *line = &asking->line;

	if (asking->run->format == FORMAT_JSON)
		text_add_string(line, asking->printed == 0 ? "\n{" : ",\n{");
	for (size_t i = 0; i < ROW_COLUMNS; i++) {
		switch (asking->run->format) {
		case FORMAT_TABLE:
			text_add_string(line, i == 0 ? "" : "  ");
			text_add_printable(line, cells[i][0] == '\0' ? "-" : cells[i]);
			break;
		case FORMAT_CSV:
			text_add_string(line, i == 0 ? "" : ",");
			text_add_csv_cell(line, &row_columns[i], cells[i]);
			break;
		case FORMAT_JSON:
			text_add_string(line, i == 0 ? "" : ", ");
			text_add_json_cell(line, &row_columns[i], cells[i]);
			break;
		}
	}
	text_add_string(line, asking->run->format == FORMAT_JSON ? "}" : "\n");
	asking->printed++;
	send_line(asking);
}

static const char *
text_of(struct arena *arena, struct bytes bytes)
{
	return arena_copy(arena, bytes.at, bytes.length);
}

static void
print_row(struct asking *asking, const struct archive_series *series, const struct archive_row *row)
{
	const struct archive_source *source = archive_source_find(archive_file_dictionary(asking->file), row->source);
	struct arena arena = {0};
	struct text quantities = {0};
	char time[INSTANT_TEXT];

	list_quantities(&quantities, row);
	print_cells(asking,
	    (const char *const[ROW_COLUMNS]){instant_format(row->time, time),
		(row->shape & SHAPE_REVERSAL) != 0 ? "reversal" : "usage", text_of(&arena, series->field[SERIES_TENANT]),
		text_of(&arena, series->field[SERIES_MODEL]), text_of(&arena, series->field[SERIES_SERVICE_TIER]),
		text_of(&arena, series->field[SERIES_PROJECT]), text_of(&arena, source->name), text_of(&arena, row->id),
		arena_format(&arena, "%lld", (long long)row->batch), arena_format(&arena, "%ld", (long)row->ordinal + 1),
		text_string(&quantities)});
	text_release(&quantities);
	arena_release(&arena);
}

static void
print_beginning(struct asking *asking)
{
	for (size_t i = 0; i < ROW_COLUMNS && asking->run->format != FORMAT_JSON; i++)
		text_add_format(&asking->line, "%s%s",
		    i == 0                                  ? ""
			: asking->run->format == FORMAT_CSV ? ","
							    : "  ",
		    asking->run->format == FORMAT_CSV ? row_columns[i].name : row_columns[i].title);
	text_add_string(&asking->line, asking->run->format == FORMAT_JSON ? "[" : "\n");
	send_line(asking);
}

/* --- files ----------------------------------------------------------------------------------------- */

/* Two files of one part: a copy, or one that was written and never came into force.  Their rows would count twice. */
static bool
refuse_twice(struct asking *asking, const struct archive_file *file, const char *path, struct error *err)
{
	const struct archive_name name = archive_file_name(file);
	const char *part = arena_format(&asking->run->arena, "%s %lld", name.month, (long long)name.part);
	bool is_new;

	(void)index_number(&asking->months, part, strlen(part), &is_new);
	if (is_new)
		return true;
	error_set(err, ERROR_INPUT, "another of these files is part %lld of %s, too: usage would count twice",
	    (long long)name.part, name.month);
	error_hint(err,
	    "tollbook archive list tells which of them the books have; ask the files of several databases one after the other.");
	return error_at(err, path, 0);
}

static bool
read_file(struct asking *asking, const char *path, struct error *err)
{
	const struct archive_row *row;
	struct archive_file *file;
	bool fine;

	if (!archive_file_open(path, &file, err))
		return false;
	asking->file = file;
	fine = refuse_twice(asking, file, path, err);
	while (fine && (fine = archive_file_next(file, &row, err)) && row != NULL) {
		const struct archive_series *series = archive_series_find(archive_file_dictionary(file), row->series);

		if (!is_asked_for(asking->query, series, row))
			continue;
		if (asking->query->events)
			print_row(asking, series, row);
		else
			add_row(asking, series, row);
	}
	archive_file_close(file);
	return fine;
}

bool
archive_query(struct run *run, const struct archive_query *query, char *const *paths, size_t count, struct error *err)
{
	struct asking asking = {.run = run, .query = query};
	bool fine = true;

	if (query->events)
		print_beginning(&asking);
	for (size_t i = 0; fine && i < count; i++)
		fine = read_file(&asking, paths[i], err);
	if (fine && !query->events)
		print_sums(&asking);
	if (fine && query->events && run->format == FORMAT_JSON)
		text_add_string(&asking.line, asking.printed == 0 ? "]\n" : "\n]\n");
	send_line(&asking);
	index_release(&asking.index);
	index_release(&asking.months);
	free(asking.sums);
	text_release(&asking.key);
	text_release(&asking.line);
	return fine;
}
