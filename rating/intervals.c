/* intervals.c -- see intervals.h. */
#include "rating/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "ledger/meter.h"

enum {
	SLOTS = 1 << 20,
	CELLS_MAX = 600000, /* then what is summed so far is written out; increments may be in pieces */
	EXTRA_SLOTS = 1 << 16,
	EXTRAS_MAX = 40000,
	OUT_MAX = 16 << 20,
	USAGE_FIELDS = 3 + METER_COLUMNS + 1,
};

/* The hot meters of one series in one interval. */
struct cell {
	int32_t series;   /* 0: free */
	int32_t interval; /* intervals since 1970 */
	uint32_t seen;    /* bit per hot meter */
	int64_t sum[METER_COLUMNS];
};

/* Any other meter of one series in one interval. */
struct extra {
	int32_t series, interval, meter; /* series 0: free */
	i128 sum;
};

/* COPY data that waits: the connection is busy with the rows coming out until they end. */
struct increments {
	struct text out;
	FILE *spill; /* what does not fit `out` */
	int64_t rows;
};

struct summing {
	struct run *run;
	int64_t rating_run;
	const int64_t *batches; /* pending, rising */
	size_t batch_count;
	int64_t last_batch; /* of the row before */
	bool last_pending;
	struct cell *cells;
	size_t cell_count;
	struct extra *extras;
	size_t extra_count;
	struct increments hot, other; /* for usage_interval in binary, for usage_interval_extra as text */
	struct intervals_result *result;
};

static size_t
spread(uint64_t value, size_t slots)
{
	value *= 0x9e3779b97f4a7c15ULL;
	return (size_t)(value >> 32) & (slots - 1);
}

static struct cell *
cell_of(struct summing *summing, int32_t series, int32_t interval)
{
	for (size_t i = spread((uint64_t)(uint32_t)series << 32 | (uint32_t)interval, SLOTS);; i = (i + 1) & (SLOTS - 1)) {
		struct cell *cell = &summing->cells[i];

		if (cell->series == series && cell->interval == interval)
			return cell;
		if (cell->series == 0) {
			cell->series = series;
			cell->interval = interval;
			summing->cell_count++;
			return cell;
		}
	}
}

static struct extra *
extra_of(struct summing *summing, int32_t series, int32_t interval, int32_t meter)
{
	uint64_t key = ((uint64_t)(uint32_t)series << 32 | (uint32_t)interval) * 64 + (uint32_t)meter;

	for (size_t i = spread(key, EXTRA_SLOTS);; i = (i + 1) & (EXTRA_SLOTS - 1)) {
		struct extra *extra = &summing->extras[i];

		if (extra->series == series && extra->interval == interval && extra->meter == meter)
			return extra;
		if (extra->series == 0) {
			*extra = (struct extra){.series = series, .interval = interval, .meter = meter};
			summing->extra_count++;
			return extra;
		}
	}
}

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

static void
write_cell(struct summing *summing, const struct cell *cell)
{
	struct text *out = &summing->hot.out;

	if (summing->hot.rows == 0)
		copy_header(out);
	copy_row(out, 3 + METER_COLUMNS);
	copy_bigint(out, summing->rating_run);
	copy_integer(out, cell->series);
	copy_instant(out, (struct instant){(int64_t)cell->interval * INTERVAL_US});
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		if ((cell->seen >> meter & 1) != 0)
			copy_bigint(out, cell->sum[meter - 1]);
		else
			copy_null(out);
	}
	summing->hot.rows++;
}

static void
write_extra(struct summing *summing, const struct extra *extra)
{
	char number[DECIMAL_TEXT], start[INSTANT_TEXT];

	text_add_format(&summing->other.out, "%lld\t%d\t%s\t%d\t%s\n", (long long)summing->rating_run, extra->series,
	    instant_format((struct instant){(int64_t)extra->interval * INTERVAL_US}, start), extra->meter,
	    integer_format(extra->sum, number));
	summing->other.rows++;
}

static int
compare_cells(const void *a, const void *b)
{
	const struct cell *one = a, *two = b;

	if (one->series != two->series)
		return one->series < two->series ? -1 : 1;
	return one->interval < two->interval ? -1 : one->interval > two->interval;
}

/* Moves everything summed so far to the output, in the order of the index it goes into, and empties the tables. */
static bool
flush(struct summing *summing, struct error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (summing->cells[i].series != 0)
			summing->cells[count++] = summing->cells[i];
	qsort(summing->cells, count, sizeof *summing->cells, compare_cells);
	for (size_t i = 0; i < count; i++) {
		if (summing->cells[i].seen != 0)
			write_cell(summing, &summing->cells[i]);
		if (!spill(&summing->hot, err))
			return false;
	}
	for (size_t i = 0; i < EXTRA_SLOTS; i++)
		if (summing->extras[i].series != 0)
			write_extra(summing, &summing->extras[i]);
	memset(summing->cells, 0, SLOTS * sizeof *summing->cells);
	memset(summing->extras, 0, EXTRA_SLOTS * sizeof *summing->extras);
	summing->cell_count = summing->extra_count = 0;
	return spill(&summing->other, err);
}

static bool
is_pending(struct summing *summing, int64_t batch)
{
	size_t low = 0, high = summing->batch_count;

	if (batch == summing->last_batch)
		return summing->last_pending;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (summing->batches[middle] < batch)
			low = middle + 1;
		else
			high = middle;
	}
	summing->last_batch = batch;
	summing->last_pending = low < summing->batch_count && summing->batches[low] == batch;
	return summing->last_pending;
}

static bool
sum_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct summing *summing = context;
	struct copy_reader row = copy_read_row(bytes, length, USAGE_FIELDS);
	int64_t batch = copy_read_bigint(&row, 0), extra[2 * METER_LIMIT];
	struct instant time = copy_read_instant(&row);
	int32_t series = copy_read_integer(&row), interval = (int32_t)(time.us / INTERVAL_US);
	struct cell *cell;
	size_t count;

	if (!is_pending(summing, batch))
		return true;
	cell = cell_of(summing, series, interval);
	for (int i = 0; i < METER_COLUMNS; i++) {
		int64_t quantity = copy_read_bigint(&row, INT64_MIN);

		if (quantity == INT64_MIN)
			continue;
		cell->seen |= 1U << (i + 1);
		if (__builtin_add_overflow(cell->sum[i], quantity, &cell->sum[i]))
			return error_set(
			    err, ERROR_RANGE, "the sum of %s in one interval exceeds 64 bits", meter_of(i + 1)->name);
	}
	count = copy_read_bigints(&row, extra, sizeof extra / sizeof extra[0]);
	for (size_t i = 0; i + 1 < count; i += 2)
		extra_of(summing, series, interval, (int32_t)extra[i])->sum += extra[i + 1];
	summing->result->events++;
	if (summing->cell_count >= CELLS_MAX || summing->extra_count + METER_LIMIT >= EXTRAS_MAX)
		return flush(summing, err);
	if (summing->result->events % 65536 == 0)
		progress(summing->run, "summing usage: %lld rows", (long long)summing->result->events);
	return true;
}

static bool
send_spilled(struct run *run, FILE *spilled, struct error *err)
{
	char part[1 << 16];
	size_t length;

	if (spilled == NULL)
		return true;
	rewind(spilled);
	while ((length = fread(part, 1, sizeof part, spilled)) > 0)
		if (!db_copy_in_bytes(run->db, part, length, err))
			return false;
	return ferror(spilled) == 0 || error_set(err, ERROR_AWAY, "a temporary file could not be read back: %s", strerror(errno));
}

static bool
send(struct summing *summing, struct increments *increments, enum statement_id copy, struct error *err)
{
	struct db *db = summing->run->db;
	int64_t taken;

	if (increments->rows == 0)
		return true;
	if (!db_copy_in_begin(db, copy, err) || !send_spilled(summing->run, increments->spill, err) ||
	    !db_copy_in_bytes(db, increments->out.bytes, increments->out.length, err) || !db_copy_in_end(db, &taken, err))
		return false;
	must(taken == increments->rows);
	summing->result->intervals += taken;
	return true;
}

static bool
send_increments(struct summing *summing, struct error *err)
{
	if (!flush(summing, err))
		return false;
	if (summing->hot.rows > 0)
		copy_trailer(&summing->hot.out);
	return send(summing, &summing->hot, SQL_RATING_INTERVAL_COPY, err) &&
	    send(summing, &summing->other, SQL_RATING_INTERVAL_EXTRA_COPY, err);
}

static void
increments_release(struct increments *increments)
{
	text_release(&increments->out);
	if (increments->spill != NULL)
		(void)fclose(increments->spill);
}

static bool
note_batches(struct run *run, const int64_t *batches, size_t count, int64_t rating_run, struct error *err)
{
	struct text list = {0};
	bool fine;

	for (size_t i = 0; i < count; i++)
		text_add_format(&list, "%s%lld", i == 0 ? "{" : ",", (long long)batches[i]);
	text_add_string(&list, "}");
	fine = db_change(run->db, SQL_RATING_BATCHES_SUMMED, PARAMS(text_string(&list), param_number(&run->arena, rating_run)),
	    (int64_t)count, err);
	text_release(&list);
	return fine;
}

static bool
sum_range(struct summing *summing, struct error *err)
{
	struct run *run = summing->run;
	struct rows rows;

	if (!db_one_row(run->db, SQL_RATING_BATCH_RANGE_SET,
		PARAMS(param_number(&run->arena, summing->batches[0]),
		    param_number(&run->arena, summing->batches[summing->batch_count - 1])),
		&rows, err))
		return false;
	rows_release(&rows);
	summing->cells = memory_new(SLOTS, sizeof *summing->cells);
	summing->extras = memory_new(EXTRA_SLOTS, sizeof *summing->extras);
	bool fine = db_copy_out(run->db, SQL_RATING_USAGE_COPY, sum_row, summing, err) && send_increments(summing, err) &&
	    note_batches(run, summing->batches, summing->batch_count, summing->rating_run, err);

	progress_end(run);
	free(summing->cells);
	free(summing->extras);
	increments_release(&summing->hot);
	increments_release(&summing->other);
	return fine;
}

bool
intervals_sum(struct run *run, int64_t rating_run, struct intervals_result *result, struct error *err)
{
	struct summing summing = {.run = run, .rating_run = rating_run, .last_batch = -1, .result = result};
	struct rows rows;
	int64_t *batches;

	*result = (struct intervals_result){0};
	if (!db_rows(run->db, SQL_RATING_BATCHES_PENDING, NO_PARAMS, &rows, err))
		return false;
	batches = arena_take(&run->arena, ((size_t)rows.count + 1) * sizeof *batches);
	for (int i = 0; i < rows.count; i++)
		batches[i] = row_number(&rows, i, 0);
	summing.batches = batches;
	summing.batch_count = (size_t)rows.count;
	result->batches = rows.count;
	rows_release(&rows);
	return summing.batch_count == 0 || sum_range(&summing, err);
}
