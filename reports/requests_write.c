/* requests_write.c -- see requests_write.h. */
#include "reports/requests_write.h"

#include <stdlib.h>

#include "base/table.h"
#include "ledger/meter.h"

static const struct column columns[] = {
    {"time", "time", COLUMN_TEXT},
    {"source", "source", COLUMN_TEXT},
    {"id", "id", COLUMN_TEXT},
    {"kind", "kind", COLUMN_TEXT},
    {"model", "model", COLUMN_TEXT},
    {"service_tier", "service tier", COLUMN_TEXT},
    {"meter", "meter", COLUMN_TEXT},
    {"quantity", "quantity", COLUMN_NUMBER},
    {"price", "price", COLUMN_NUMBER},
    {"per", "per", COLUMN_NUMBER},
    {"amount", "amount", COLUMN_NUMBER},
    {"currency", "currency", COLUMN_TEXT},
    {"rule", "rule", COLUMN_TEXT},
    {"tier", "tier", COLUMN_NUMBER},
    {"detail", "detail", COLUMN_TEXT},
    {"held", "held", COLUMN_TEXT},
    {"charge", "charge", COLUMN_NUMBER},
};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct requests_writer {
	FILE *out;
	enum output_format format;
	int64_t rows;
	size_t widths[COLUMNS];
	struct text line, scratch;
};

/* The texts of a row; those of numbers live here. */
struct cells {
	const char *text[COLUMNS]; /* NULL: empty */
	char quantity[DECIMAL_TEXT], price[DECIMAL_TEXT], per[DECIMAL_TEXT], amount[DECIMAL_TEXT], tier[DECIMAL_TEXT],
	    ordinal[DECIMAL_TEXT];
};

static const char *
text_or_none(const char *text)
{
	return text[0] == '\0' ? NULL : text;
}

static void
fill_charge(struct cells *cells, const struct request_row *row)
{
	enum { PRICE = 8, PER, AMOUNT, CURRENCY, RULE, TIER, DETAIL, HELD, CHARGE };
	const struct charge *charge = row->charge;

	if (row->held[0] == '\0')
		cells->text[AMOUNT] = decimal_format(row->amount, cells->amount);
	cells->text[DETAIL] = text_or_none(row->detail);
	cells->text[HELD] = text_or_none(row->held);
	if (charge == NULL)
		return;
	cells->text[PRICE] = decimal_format(charge->price, cells->price);
	cells->text[PER] = integer_format(charge->per, cells->per);
	cells->text[CURRENCY] = charge->currency;
	cells->text[RULE] = text_or_none(row->rule);
	if (charge->tier > 0)
		cells->text[TIER] = integer_format(charge->tier, cells->tier);
	cells->text[CHARGE] = integer_format((i128)row->ordinal, cells->ordinal);
}

static void
fill(struct cells *cells, const struct request_row *row)
{
	enum { TIME, SOURCE, ID, KIND, MODEL, SERVICE_TIER, METER, QUANTITY };

	*cells = (struct cells){0};
	cells->text[TIME] = text_or_none(row->time);
	cells->text[SOURCE] = text_or_none(row->source);
	cells->text[ID] = text_or_none(row->id);
	cells->text[KIND] = row->kind;
	cells->text[MODEL] = text_or_none(row->model);
	cells->text[SERVICE_TIER] = text_or_none(row->service_tier);
	if (row->meter != 0)
		cells->text[METER] = meter_of(row->meter)->name;
	if (row->meter != 0 && row->id[0] != '\0')
		cells->text[QUANTITY] = meter_format(meter_of(row->meter), row->quantity, cells->quantity);
	fill_charge(cells, row);
}

static void
send_line(struct requests_writer *writer)
{
	(void)fwrite(text_string(&writer->line), 1, writer->line.length, writer->out);
	text_clear(&writer->line);
}

/* --- a table --------------------------------------------------------------------------------- */

static const char *
printable(struct requests_writer *writer, size_t column, const char *cell, size_t *blanks)
{
	size_t width;

	text_clear(&writer->scratch);
	text_add_printable(&writer->scratch, cell);
	width = text_width(text_string(&writer->scratch));
	if (width > writer->widths[column])
		writer->widths[column] = width;
	*blanks = writer->widths[column] - width;
	return text_string(&writer->scratch);
}

static void
write_aligned(struct requests_writer *writer, const char *const cells[COLUMNS])
{
	struct text *line = &writer->line;

	for (size_t i = 0; i < COLUMNS; i++) {
		size_t blanks;
		const char *cell = printable(writer, i, cells[i] == NULL ? "" : cells[i], &blanks);

		if (columns[i].kind == COLUMN_NUMBER)
			text_add_format(line, "%*s%s", (int)blanks, "", cell);
		else
			text_add_format(line, "%s%*s", cell, (int)blanks, "");
		text_add(line, "  ", 2);
	}
	while (line->length > 0 && line->bytes[line->length - 1] == ' ')
		line->length--;
	text_add(line, "\n", 1);
	send_line(writer);
}

/* --- beginning, rows, end -------------------------------------------------------------------- */

static void
begin(struct requests_writer *writer)
{
	const char *titles[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		titles[i] = columns[i].title;
		if (writer->format == FORMAT_CSV)
			text_add_format(&writer->line, "%s%s", i == 0 ? "" : ",", columns[i].name);
	}
	if (writer->format == FORMAT_JSON)
		text_add_string(&writer->line, "[");
	if (writer->format == FORMAT_CSV)
		text_add_string(&writer->line, "\n");
	if (writer->format == FORMAT_TABLE)
		write_aligned(writer, titles);
	send_line(writer);
}

static void
add_json(struct requests_writer *writer, const struct cells *cells)
{
	text_add_string(&writer->line, writer->rows == 0 ? "\n{" : ",\n{");
	for (size_t i = 0; i < COLUMNS; i++) {
		text_add_string(&writer->line, i == 0 ? "" : ", ");
		text_add_json_cell(&writer->line, &columns[i], cells->text[i]);
	}
	text_add(&writer->line, "}", 1);
}

static void
add_csv(struct requests_writer *writer, const struct cells *cells)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		text_add_string(&writer->line, i == 0 ? "" : ",");
		text_add_csv_cell(&writer->line, &columns[i], cells->text[i]);
	}
	text_add(&writer->line, "\n", 1);
}

struct requests_writer *
requests_writer_new(FILE *out, enum output_format format)
{
	struct requests_writer *writer = memory_new(1, sizeof *writer);

	writer->out = out;
	writer->format = format;
	for (size_t i = 0; i < COLUMNS; i++)
		writer->widths[i] = text_width(columns[i].title);
	return writer;
}

void
requests_writer_expect(struct requests_writer *writer, const struct request_row *row)
{
	struct cells cells;
	size_t blanks;

	fill(&cells, row);
	for (size_t i = 0; i < COLUMNS; i++)
		(void)printable(writer, i, cells.text[i] == NULL ? "" : cells.text[i], &blanks);
}

void
requests_writer_row(struct requests_writer *writer, const struct request_row *row)
{
	struct cells cells;

	if (writer->rows == 0)
		begin(writer);
	fill(&cells, row);
	switch (writer->format) {
	case FORMAT_TABLE:
		write_aligned(writer, cells.text);
		break;
	case FORMAT_JSON:
		add_json(writer, &cells);
		break;
	case FORMAT_CSV:
		add_csv(writer, &cells);
		break;
	}
	writer->rows++;
	send_line(writer);
}

void
requests_writer_note(struct requests_writer *writer, const char *text)
{
	if (writer->format != FORMAT_TABLE)
		return;
	text_add_printable(&writer->line, text);
	text_add(&writer->line, "\n", 1);
	send_line(writer);
}

void
requests_writer_end(struct requests_writer *writer)
{
	if (writer->rows == 0)
		begin(writer);
	if (writer->format == FORMAT_JSON)
		text_add_string(&writer->line, writer->rows == 0 ? "]\n" : "\n]\n");
	send_line(writer);
}

int64_t
requests_writer_rows(const struct requests_writer *writer)
{
	return writer->rows;
}

void
requests_writer_free(struct requests_writer *writer)
{
	text_release(&writer->line);
	text_release(&writer->scratch);
	free(writer);
}
