/* mapping.c -- see mapping.h; mapping_file.c reads and writes the declaration. */
#include "ingest/mapping.h"

#include <string.h>

/* 2020-01-01T00:00:00Z: as for texts, nothing is older. */
#define WINDOW_FROM_US (INT64_C(1577836800) * 1000000)
/* 9999-12-31T23:59:59.999999Z: what RFC 3339 can write. */
#define LAST_US (INT64_C(253402300800) * 1000000 - 1)
#define CLOCK_ALLOWANCE_US (INT64_C(300) * 1000000)

static void fill_time(struct draft *draft, const struct mapping *mapping, struct bytes cell);

void
mapping_release(struct mapping *mapping)
{
	arena_release(&mapping->arena);
	*mapping = (struct mapping){0};
}

bool
mapping_has(const struct mapping *mapping, enum short_field field)
{
	return mapping->name[field] != NULL || mapping->column[field] > 0 || (mapping->constants.stated >> field & 1) != 0;
}

static void
set_wrong(struct record *out, enum reason reason, const char *field, const char *words)
{
	out->reason = reason;
	out->field = field;
	out->value = bytes_of(words);
	out->event = (struct usage_event){.kind = EVENT_USAGE, .context_input_tokens = -1};
}

void
mapping_row_wrong(struct bytes raw, struct arena *arena, const char *problem, struct record *out)
{
	size_t at;
	bool cut;

	if (utf8_check(raw.at, raw.length, &at, &cut))
		set_wrong(out, E_CSV, "", problem);
	else
		set_wrong(out, E_UTF8, arena_format(arena, "byte %zu", at + 1), "bytes that are not UTF-8");
}

/* True where the bytes are text and the columns as many as they must be. */
static bool
check_row(struct mapping *mapping, const struct csv_row *row, struct bytes raw, struct arena *arena, struct record *out)
{
	size_t columns = csv_row_columns(row), least = 0, at;
	bool cut;

	if (!utf8_check(raw.at, raw.length, &at, &cut) || memchr(raw.at, '\0', raw.length) != NULL) {
		mapping_row_wrong(raw, arena, "a NUL byte", out);
		return false;
	}
	for (int i = 0; i < SHORT_FIELDS; i++)
		least = mapping->column[i] > least ? mapping->column[i] : least;
	if (mapping->width == 0 && columns >= least)
		mapping->width = columns;
	if (columns != mapping->width) {
		set_wrong(out, E_CSV, "",
		    arena_format(arena, "%zu columns instead of %zu", columns, mapping->width > 0 ? mapping->width : least));
		return false;
	}
	return true;
}

static struct json_value
cell_value(enum short_field field, struct bytes cell)
{
	bool number = short_field_kind(field) == SHORT_KIND_COUNT && is_json_number(cell);

	return (struct json_value){number ? VALUE_NUMBER : VALUE_STRING, cell};
}

/* Cells over constants; an empty cell is not stated. */
static void
fill_form(const struct mapping *mapping, const struct csv_row *row, struct short_form *form)
{
	*form = mapping->constants;
	for (int i = 0; i < SHORT_FIELDS; i++) {
		struct bytes cell;

		if (mapping->column[i] == 0)
			continue;
		cell = csv_row_cell(row, mapping->column[i] - 1);
		/* That the column is there counts for the key: an empty one is missing and not made up. */
		if (cell.length == 0 && i != SHORT_idempotency_key)
			continue;
		form->values[i] = cell_value((enum short_field)i, cell);
		form->stated |= 1U << i;
	}
}

void
mapping_row(struct mapping *mapping, const struct event_rules *rules, const struct csv_row *row, struct bytes raw,
    struct arena *arena, struct record *out)
{
	struct draft draft;
	struct short_form form;
	const struct json_value *time = &form.values[SHORT_time];

	must(!mapping->header);
	if (!check_row(mapping, row, raw, arena, out))
		return;
	fill_form(mapping, row, &form);
	draft_begin(&draft, rules, &short_form_names, arena);
	if ((form.stated >> SHORT_time & 1) != 0)
		fill_time(&draft, mapping, time->text);
	else
		draft_time(&draft, "time", NULL);
	short_form_fill(&draft, &form, true);
	draft_finish(&draft, out);
}

void
mapping_row_parse(struct mapping *mapping, const struct event_rules *rules, const char *bytes, size_t length, struct arena *arena,
    struct record *out)
{
	struct csv_row *row = csv_row_new(mapping->delimiter);
	struct bytes raw = {bytes, length};
	enum csv_row_state state;

	csv_row_begin(row, arena, mapping->wanted);
	state = csv_row_feed(row, bytes, length);
	if (state == CSV_ROW_OPEN)
		state = csv_row_end(row);
	if (state == CSV_ROW_WHOLE)
		mapping_row(mapping, rules, row, raw, arena, out);
	else
		mapping_row_wrong(
		    raw, arena, state == CSV_ROW_OPEN ? "quotes that are not closed" : "a stray quote or line end", out);
	csv_row_free(row);
}

/* A plain decimal number as nanoseconds, cut towards the past; false where it is none, or beyond any time. */
static bool
read_nanoseconds(struct bytes text, int64_t unit_ns, i128 *out)
{
	enum { DIGITS = 19 };
	bool negative = text.length > 0 && text.at[0] == '-', point = false;
	i128 whole = 0, fraction = 0, scale = 1;
	size_t digits = 0;

	for (size_t i = negative ? 1 : 0; i < text.length; i++) {
		char byte = text.at[i];

		if (byte == '.' && !point && digits > 0 && i + 1 < text.length) {
			point = true;
		} else if (byte < '0' || byte > '9') {
			return false;
		} else if (!point) {
			if (++digits > DIGITS)
				return false;
			whole = whole * 10 + (byte - '0');
		} else if (scale < 1000000000) {
			fraction = fraction * 10 + (byte - '0');
			scale *= 10;
		}
	}
	*out = whole * unit_ns + fraction * unit_ns / scale;
	if (negative)
		*out = -*out;
	return digits > 0;
}

/* Floor, so that a time before the epoch is cut in the same direction as one after it. */
static bool
instant_of(const struct time_spec *spec, struct bytes text, int64_t unit_ns, i128 *us)
{
	i128 ns;

	if (!read_nanoseconds(text, unit_ns, &ns))
		return false;
	*us = ns / 1000 - (ns % 1000 < 0) + spec->epoch.us;
	return true;
}

static bool
in_window(i128 us, struct instant now)
{
	return us >= WINDOW_FROM_US && us <= (i128)now.us + CLOCK_ALLOWANCE_US;
}

/* The declared unit is believed.  A time that only another unit makes possible shows that the declaration is wrong. */
static void
fill_number(struct draft *draft, const struct time_spec *spec, struct bytes cell)
{
	static const int64_t units_ns[] = {1000000000, 1000000, 1000, 1};
	i128 us, other;

	if (!instant_of(spec, cell, spec->unit_ns, &us)) {
		draft_fault(draft, E_TIME_FORMAT, "time", cell);
		return;
	}
	for (size_t i = 0; i < sizeof units_ns / sizeof units_ns[0] && !in_window(us, draft->rules->now); i++)
		if (instant_of(spec, cell, units_ns[i], &other) && in_window(other, draft->rules->now)) {
			draft_fault(draft, E_TIME_UNIT, "time", cell);
			return;
		}
	if (us < WINDOW_FROM_US || us > LAST_US)
		draft_fault(draft, E_TIME_RANGE, "time", cell);
	else
		draft_time_parsed(draft, "time", cell, INSTANT_OK, (struct instant){(int64_t)us});
}

static void
fill_time(struct draft *draft, const struct mapping *mapping, struct bytes cell)
{
	const struct time_spec *spec = &mapping->time;
	struct json_value value = {VALUE_STRING, cell};
	struct instant time = {0};

	switch (spec->form) {
	case TIME_RFC3339:
		draft_time(draft, "time", &value);
		break;
	case TIME_LOCAL:
		draft_time_parsed(draft, "time", cell,
		    instant_parse_local(cell.at, cell.length, spec->offset_minutes, FIRST_YEAR, &time), time);
		break;
	case TIME_NUMBER:
		fill_number(draft, spec, cell);
		break;
	}
}
