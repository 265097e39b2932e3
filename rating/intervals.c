/* intervals.c -- see intervals.h. */
#include "rating/intervals.h"

#include <stdlib.h>

#include "base/copy_binary.h"
#include "rating/interval_table.h"

/* How many fields the usage_copy statements give: the later ones have all fields of those before them. */
enum { PLAIN_FIELDS = 3 + METER_COLUMNS + 1, SIZES_FIELDS, CONTEXT_FIELDS };

/* Some batches of the ledger: rising numbers. */
struct batch_list {
	const int64_t *number;
	size_t count;
	int64_t last; /* asked for last, and whether it was there */
	bool last_there;
};

struct summing {
	struct run *run;
	int64_t rating_run;
	struct distinctions before, now; /* followed before this run, and from it on */
	struct request_classes *classes; /* NULL where nothing is told apart */
	struct batch_list batches;       /* whose rows count */
	int fields;                      /* of a row that comes */
	struct interval_table *table;
	struct usage_split old, split; /* of the row at hand */
	int64_t rows, rows_expected;   /* 0: not known */
	const char *doing;
	struct intervals_result *result;
};

/* --- what is told apart ---------------------------------------------------------------------- */

/* Columns of distinctions.sql. */
enum { KIND, BOUNDARY, NAME, SINCE, SINCE_BEFORE };

/* *from: since when something is told apart that was not before. */
static bool
add_distinctions(struct summing *summing, const struct rows *rows, struct instant *from, struct error *err)
{
	for (int i = 0; i < rows->count; i++) {
		enum distinction_kind kind = distinction_kind_find(row_text(rows, i, KIND));
		struct instant since = row_instant(rows, i, SINCE);
		bool is_old = !row_is_null(rows, i, SINCE_BEFORE);

		if (kind == DISTINCT_KINDS)
			return error_set(
			    err, ERROR_STATE, "intervals follow what this program does not know: %s", row_text(rows, i, KIND));
		distinctions_add(&summing->now, kind, row_number(rows, i, BOUNDARY), row_text(rows, i, NAME), since);
		if (is_old)
			distinctions_add(&summing->before, kind, row_number(rows, i, BOUNDARY), row_text(rows, i, NAME),
			    row_instant(rows, i, SINCE_BEFORE));
		if (is_old && row_instant(rows, i, SINCE_BEFORE).us == since.us)
			continue;
		if (!summing->result->followed || since.us < from->us)
			*from = since;
		summing->result->followed = true;
	}
	return true;
}

static bool
read_distinctions(struct summing *summing, struct intervals_scope scope, struct instant *from, struct error *err)
{
	struct run *run = summing->run;
	const char *rating_run = param_number(&run->arena, summing->rating_run);
	struct rows rows;
	bool fine;

	if (!db_change(run->db, SQL_RATING_DISTINCTIONS_FOLLOW,
		PARAMS(
		    rating_run, param_number(&run->arena, scope.priced_with), param_number(&run->arena, scope.substituted_with)),
		-1, err) ||
	    !db_rows(run->db, SQL_RATING_DISTINCTIONS, PARAMS(rating_run), &rows, err))
		return false;
	fine = add_distinctions(summing, &rows, from, err);
	rows_release(&rows);
	distinctions_settle(&summing->before);
	distinctions_settle(&summing->now);
	if (!fine || summing->now.count == 0)
		return fine;
	summing->classes = request_classes_new();
	return request_classes_load(summing->classes, run->db, err);
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool
is_listed(struct batch_list *list, int64_t batch)
{
	size_t low = 0, high = list->count;

	if (batch == list->last)
		return list->last_there;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->number[middle] < batch)
			low = middle + 1;
		else
			high = middle;
	}
	list->last = batch;
	list->last_there = low < list->count && list->number[low] == batch;
	return list->last_there;
}

static bool
read_extra(struct copy_reader *reader, struct usage_row *row, struct error *err)
{
	int64_t extra[2 * METER_LIMIT];
	size_t count = copy_read_bigints(reader, extra, sizeof extra / sizeof extra[0]);

	for (size_t i = 0; i + 1 < count; i += 2) {
		if (extra[i] <= METER_COLUMNS || extra[i] >= METER_LIMIT)
			return error_set(err, ERROR_STATE, "the ledger has a meter %lld, which this program does not know",
			    (long long)extra[i]);
		row->quantity[extra[i]] = extra[i + 1];
		row->stated |= UINT64_C(1) << extra[i];
	}
	return true;
}

bool
usage_quantities_read(struct copy_reader *reader, struct usage_row *row, struct error *err)
{
	row->stated = 0;
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		row->quantity[meter] = copy_read_bigint(reader, INT64_MIN);
		if (row->quantity[meter] != INT64_MIN)
			row->stated |= UINT64_C(1) << meter;
	}
	return read_extra(reader, row, err);
}

/* A row behind its batch. */
static bool
read_row(struct copy_reader *reader, int fields, int32_t *series, struct usage_row *row, struct error *err)
{
	row->time = copy_read_instant(reader);
	*series = copy_read_integer(reader);
	if (!usage_quantities_read(reader, row, err))
		return false;
	row->context_input_tokens = fields >= SIZES_FIELDS ? copy_read_bigint(reader, -1) : -1;
	row->context = (struct bytes){NULL, 0};
	if (fields >= CONTEXT_FIELDS)
		row->context.at = copy_read(reader, &row->context.length);
	return true;
}

static bool
split_row(struct summing *summing, const struct distinctions *followed, const struct usage_row *row, struct usage_split *out,
    struct error *err)
{
	if (summing->classes != NULL)
		return request_classes_split(summing->classes, distinctions_at(followed, row->time), row, out, err);
	out->whole = true;
	out->class_id = 0;
	return true;
}

static void
show_progress(struct summing *summing)
{
	if (++summing->rows % 65536 == 0)
		progress_count(summing->run, summing->doing, summing->rows, summing->rows_expected);
}

static bool
sum_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct summing *summing = context;
	struct copy_reader reader = copy_read_row(bytes, length, summing->fields);
	struct usage_row row;
	int32_t series;

	if (!is_listed(&summing->batches, copy_read_bigint(&reader, 0)))
		return true;
	show_progress(summing);
	return read_row(&reader, summing->fields, &series, &row, err) &&
	    split_row(summing, &summing->now, &row, &summing->split, err) &&
	    interval_table_add(summing->table, series, &row, &summing->split, 1, err) && interval_table_room(summing->table, err);
}

static bool
is_same_split(const struct usage_split *one, const struct usage_split *other)
{
	if (one->whole || other->whole)
		return one->whole && other->whole && one->class_id == other->class_id;
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (one->shares[i].class_id != other->shares[i].class_id || one->shares[i].meter != other->shares[i].meter ||
		    one->shares[i].quantity != other->shares[i].quantity)
			return false;
	return true;
}

static bool
move_row(void *context, const char *bytes, size_t length, struct error *err)
{
	struct summing *summing = context;
	struct copy_reader reader = copy_read_row(bytes, length, summing->fields);
	struct usage_row row;
	int32_t series;

	if (!is_listed(&summing->batches, copy_read_bigint(&reader, 0)))
		return true;
	show_progress(summing);
	if (!read_row(&reader, summing->fields, &series, &row, err) ||
	    !split_row(summing, &summing->before, &row, &summing->old, err) ||
	    !split_row(summing, &summing->now, &row, &summing->split, err))
		return false;
	return is_same_split(&summing->old, &summing->split) ||
	    (interval_table_add(summing->table, series, &row, &summing->old, -1, err) &&
		interval_table_add(summing->table, series, &row, &summing->split, 1, err) &&
		interval_table_room(summing->table, err));
}

/* --- passes ---------------------------------------------------------------------------------- */

static void
list_batches(struct summing *summing, const struct rows *rows)
{
	int64_t *number = arena_take(&summing->run->arena, ((size_t)rows->count + 1) * sizeof *number);

	for (int i = 0; i < rows->count; i++)
		number[i] = row_number(rows, i, 0);
	summing->batches = (struct batch_list){.number = number, .count = (size_t)rows->count, .last = -1};
}

/* Streams the rows of the batches listed through `row` and sends the sums. */
static bool
pass(struct summing *summing, enum statement_id copy, struct instant from, bool skip_zeros, db_copy_row *row, struct error *err)
{
	struct run *run = summing->run;
	const struct batch_list *batches = &summing->batches;
	struct rows rows;
	bool fine;

	if (!db_one_row(run->db, SQL_RATING_USAGE_RANGE_SET,
		PARAMS(param_number(&run->arena, batches->number[0]),
		    param_number(&run->arena, batches->number[batches->count - 1]), param_instant(&run->arena, from),
		    distinctions_need_context(&summing->now) ? "true" : "false"),
		&rows, err))
		return false;
	rows_release(&rows);
	summing->table = interval_table_new(summing->rating_run, skip_zeros);
	fine = db_copy_out(run->db, copy, row, summing, err) &&
	    interval_table_send(summing->table, run->db, &summing->result->intervals, err);
	progress_end(run);
	interval_table_free(summing->table);
	return fine;
}

static bool
note_batches(struct run *run, const struct batch_list *batches, int64_t rating_run, struct error *err)
{
	struct text list = {0};
	bool fine;

	for (size_t i = 0; i < batches->count; i++)
		text_add_format(&list, "%s%lld", i == 0 ? "{" : ",", (long long)batches->number[i]);
	text_add_string(&list, "}");
	fine = db_change(run->db, SQL_RATING_BATCHES_SUMMED, PARAMS(text_string(&list), param_number(&run->arena, rating_run)),
	    (int64_t)batches->count, err);
	text_release(&list);
	return fine;
}

static bool
move_old(struct summing *summing, struct instant from, struct error *err)
{
	struct run *run = summing->run;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_BATCHES_SUMMED_SINCE, PARAMS(param_instant(&run->arena, from)), &rows, err))
		return false;
	list_batches(summing, &rows);
	rows_release(&rows);
	summing->doing = "telling requests apart: rows";
	summing->fields = CONTEXT_FIELDS;
	return summing->batches.count == 0 || pass(summing, SQL_RATING_USAGE_COPY_AGAIN, from, true, move_row, err);
}

static bool
sum_new(struct summing *summing, struct error *err)
{
	struct run *run = summing->run;
	enum statement_id copy = SQL_RATING_USAGE_COPY;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_BATCHES_PENDING, NO_PARAMS, &rows, err))
		return false;
	list_batches(summing, &rows);
	for (int i = 0; i < rows.count; i++)
		summing->rows_expected += row_number(&rows, i, 1);
	rows_release(&rows);
	summing->doing = "summing usage: rows";
	summing->fields = PLAIN_FIELDS;
	summing->rows = 0;
	if (summing->batches.count == 0)
		return true;
	if (distinctions_need_context(&summing->now)) {
		copy = SQL_RATING_USAGE_COPY_CONTEXT;
		summing->fields = CONTEXT_FIELDS;
	} else if (summing->classes != NULL) {
		copy = SQL_RATING_USAGE_COPY_SIZES;
		summing->fields = SIZES_FIELDS;
	}
	if (!pass(summing, copy, (struct instant){0}, false, sum_row, err))
		return false;
	summing->result->batches = (int64_t)summing->batches.count;
	summing->result->events = summing->rows;
	return note_batches(run, &summing->batches, summing->rating_run, err);
}

bool
intervals_sum(struct run *run, struct intervals_scope scope, struct intervals_result *result, struct error *err)
{
	struct summing summing = {.run = run, .rating_run = scope.rating_run, .result = result};
	struct instant from = {0};
	bool fine;

	*result = (struct intervals_result){0};
	fine = read_distinctions(&summing, scope, &from, err) && (!result->followed || move_old(&summing, from, err)) &&
	    (scope.only_follow || sum_new(&summing, err));
	if (summing.classes != NULL) {
		fine = fine && request_classes_store(summing.classes, run->db, err);
		request_classes_free(summing.classes);
	}
	free(summing.old.shares);
	free(summing.split.shares);
	distinctions_release(&summing.before);
	distinctions_release(&summing.now);
	return fine;
}
