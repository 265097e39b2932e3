/* interval_table.c -- see interval_table.h. */
#include "rating/interval_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"

enum {
	SLOTS = 1 << 20,
	CELLS_MAX = 600000, /* then what is summed so far is written out; increments may be in pieces */
	EXTRA_SLOTS = 1 << 16,
	EXTRAS_MAX = 40000,
	OUT_MAX = 16 << 20,
};

/* Where a sum belongs. */
struct place {
	int32_t series;   /* 0: free */
	int32_t interval; /* intervals since 1970 */
	int32_t class_id;
};

/* The hot meters of one place. */
struct cell {
	struct place place;
	uint32_t seen; /* bit per hot meter */
	int64_t sum[METER_COLUMNS];
};

/* Any other meter of one place. */
struct extra {
	struct place place;
	int32_t meter;
	i128 sum;
};

/* COPY data that waits. */
struct increments {
	struct text out;
	FILE *spill; /* what does not fit `out` */
	int64_t rows;
};

struct interval_table {
	int64_t rating_run;
	bool skip_zeros;
	struct cell *cells;
	size_t cell_count;
	struct extra *extras;
	size_t extra_count;
	struct increments hot, other; /* for usage_interval in binary, for usage_interval_extra as text */
};

struct interval_table *
interval_table_new(int64_t rating_run, bool skip_zeros)
{
	struct interval_table *table = memory_new(1, sizeof *table);

	table->rating_run = rating_run;
	table->skip_zeros = skip_zeros;
	table->cells = memory_new(SLOTS, sizeof *table->cells);
	table->extras = memory_new(EXTRA_SLOTS, sizeof *table->extras);
	return table;
}

static void
increments_release(struct increments *increments)
{
	text_release(&increments->out);
	if (increments->spill != NULL)
		(void)fclose(increments->spill);
}

void
interval_table_free(struct interval_table *table)
{
	free(table->cells);
	free(table->extras);
	increments_release(&table->hot);
	increments_release(&table->other);
	free(table);
}

/* --- summing --------------------------------------------------------------------------------- */

static size_t
spread(struct place place, int32_t meter, size_t slots)
{
	uint64_t value = (uint64_t)(uint32_t)place.series << 32 | (uint32_t)place.interval;

	value ^= (uint64_t)(uint32_t)place.class_id * 0xc2b2ae3d27d4eb4fULL;
	value = value * 64 + (uint32_t)meter;
	value *= 0x9e3779b97f4a7c15ULL;
	return (size_t)(value >> 32) & (slots - 1);
}

static bool
is_same(struct place one, struct place other)
{
	return one.series == other.series && one.interval == other.interval && one.class_id == other.class_id;
}

static struct cell *
cell_of(struct interval_table *table, struct place place)
{
	for (size_t i = spread(place, 0, SLOTS);; i = (i + 1) & (SLOTS - 1)) {
		struct cell *cell = &table->cells[i];

		if (is_same(cell->place, place))
			return cell;
		if (cell->place.series == 0) {
			cell->place = place;
			table->cell_count++;
			return cell;
		}
	}
}

static struct extra *
extra_of(struct interval_table *table, struct place place, int32_t meter)
{
	for (size_t i = spread(place, meter, EXTRA_SLOTS);; i = (i + 1) & (EXTRA_SLOTS - 1)) {
		struct extra *extra = &table->extras[i];

		if (is_same(extra->place, place) && extra->meter == meter)
			return extra;
		if (extra->place.series == 0) {
			*extra = (struct extra){.place = place, .meter = meter};
			table->extra_count++;
			return extra;
		}
	}
}

/* `cell` belongs to `place`. */
static bool
add_quantity(struct interval_table *table, struct cell *cell, struct place place, int meter, int64_t quantity, struct error *err)
{
	if (meter > METER_COLUMNS) {
		extra_of(table, place, meter)->sum += quantity;
		return true;
	}
	cell->seen |= 1U << meter;
	if (__builtin_add_overflow(cell->sum[meter - 1], quantity, &cell->sum[meter - 1]))
		return error_set(err, ERROR_RANGE, "the sum of %s in one interval exceeds 64 bits", meter_of(meter)->name);
	return true;
}

static bool
add_shares(struct interval_table *table, struct place place, const struct usage_split *split, int sign, struct error *err)
{
	for (size_t i = 0; i < split->count; i++) {
		const struct usage_share *share = &split->shares[i];

		place.class_id = share->class_id;
		if (!interval_table_room(table, err) ||
		    !add_quantity(table, cell_of(table, place), place, share->meter, sign * share->quantity, err))
			return false;
	}
	return true;
}

bool
interval_table_add(struct interval_table *table, int32_t series, const struct usage_row *row, const struct usage_split *split,
    int sign, struct error *err)
{
	struct place place = {.series = series, .interval = (int32_t)(row->time.us / INTERVAL_US), .class_id = split->class_id};
	struct cell *cell;

	if (!split->whole)
		return add_shares(table, place, split, sign, err);
	cell = cell_of(table, place);
	for (uint64_t left = row->stated; left != 0; left &= left - 1) {
		int meter = __builtin_ctzll(left);

		if (!add_quantity(table, cell, place, meter, sign * row->quantity[meter], err))
			return false;
	}
	return true;
}

/* --- writing --------------------------------------------------------------------------------- */

static bool
spill(struct increments *increments, struct error *err)
{
	struct text *out = &increments->out;

	if (out->length < OUT_MAX)
		return true;
	if (increments->spill == NULL)
		increments->spill = tmpfile();
	if (increments->spill == NULL || fwrite(out->bytes, 1, out->length, increments->spill) != out->length) {
		error_set(err, ERROR_AWAY, "interval sums could not be kept in a temporary file: %s", strerror(errno));
		return error_hint(err, "Make room in /tmp and run again; nothing is booked.");
	}
	text_clear(out);
	return true;
}

static bool
is_written(const struct interval_table *table, const struct cell *cell)
{
	static const int64_t zeros[METER_COLUMNS];

	return cell->seen != 0 && !(table->skip_zeros && memcmp(cell->sum, zeros, sizeof zeros) == 0);
}

static void
write_cell(struct interval_table *table, const struct cell *cell)
{
	struct text *out = &table->hot.out;

	if (table->hot.rows == 0)
		copy_header(out);
	copy_row(out, 3 + METER_COLUMNS + 1);
	copy_bigint(out, table->rating_run);
	copy_integer(out, cell->place.series);
	copy_instant(out, (struct instant){(int64_t)cell->place.interval * INTERVAL_US});
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		if ((cell->seen >> meter & 1) != 0)
			copy_bigint(out, cell->sum[meter - 1]);
		else
			copy_null(out);
	}
	copy_integer(out, cell->place.class_id);
	table->hot.rows++;
}

static void
write_extra(struct interval_table *table, const struct extra *extra)
{
	char number[DECIMAL_TEXT], start[INSTANT_TEXT];

	text_add_format(&table->other.out, "%lld\t%d\t%s\t%d\t%s\t%d\n", (long long)table->rating_run, extra->place.series,
	    instant_format((struct instant){(int64_t)extra->place.interval * INTERVAL_US}, start), extra->meter,
	    integer_format(extra->sum, number), extra->place.class_id);
	table->other.rows++;
}

static int
compare_cells(const void *a, const void *b)
{
	const struct place *one = &((const struct cell *)a)->place, *two = &((const struct cell *)b)->place;

	if (one->series != two->series)
		return one->series < two->series ? -1 : 1;
	if (one->interval != two->interval)
		return one->interval < two->interval ? -1 : 1;
	return one->class_id < two->class_id ? -1 : one->class_id > two->class_id;
}

/* Moves everything summed so far to the output, in the order of the index it goes into, and empties the tables. */
static bool
flush(struct interval_table *table, struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (table->cells[i].place.series != 0)
			table->cells[count++] = table->cells[i];
	qsort(table->cells, count, sizeof *table->cells, compare_cells);
	for (size_t i = 0; i < count; i++) {
		if (is_written(table, &table->cells[i]))
			write_cell(table, &table->cells[i]);
		if (!spill(&table->hot, err))
			return false;
	}
	for (size_t i = 0; i < EXTRA_SLOTS; i++)
		if (table->extras[i].place.series != 0 && !(table->skip_zeros && table->extras[i].sum == 0))
			write_extra(table, &table->extras[i]);
	memset(table->cells, 0, SLOTS * sizeof *table->cells);
	memset(table->extras, 0, EXTRA_SLOTS * sizeof *table->extras);
	table->cell_count = table->extra_count = 0;
	return spill(&table->other, err);
}

bool
interval_table_room(struct interval_table *table, struct error *err)
{
	return (table->cell_count < CELLS_MAX && table->extra_count + METER_LIMIT < EXTRAS_MAX) || flush(table, err);
}

static bool
send_spilled(struct db *db, FILE *spilled, struct error *err)
{
	char part[1 << 16];
	size_t length;

	if (spilled == NULL)
		return true;
	rewind(spilled);
	while ((length = fread(part, 1, sizeof part, spilled)) > 0)
		if (!db_copy_in_bytes(db, part, length, err))
			return false;
	return ferror(spilled) == 0 || error_set(err, ERROR_AWAY, "a temporary file could not be read back: %s", strerror(errno));
}

static bool
send(struct db *db, struct increments *increments, enum statement_id copy, int64_t *sent, struct error *err)
{
	int64_t taken;

	if (increments->rows == 0)
		return true;
	if (!db_copy_in_begin(db, copy, err) || !send_spilled(db, increments->spill, err) ||
	    !db_copy_in_bytes(db, increments->out.bytes, increments->out.length, err) || !db_copy_in_end(db, &taken, err))
		return false;
	must(taken == increments->rows);
	*sent += taken;
	return true;
}

bool
interval_table_send(struct interval_table *table, struct db *db, int64_t *increments, struct error *err)
{
	if (!flush(table, err))
		return false;
	if (table->hot.rows > 0)
		copy_trailer(&table->hot.out);
	return send(db, &table->hot, SQL_RATING_INTERVAL_COPY, increments, err) &&
	    send(db, &table->other, SQL_RATING_INTERVAL_EXTRA_COPY, increments, err);
}
