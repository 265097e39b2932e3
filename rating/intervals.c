/* intervals.c -- see intervals.h. */
#include "rating/intervals.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/copy_binary.h"
#include "ledger/archive_guard.h"
#include "rating/interval_table.h"
#include "rating/ledger_streams.h"

/* How many fields the usage_copy statements give: the later ones have all fields of those before them. */
enum { PLAIN_FIELDS = 3 + METER_COLUMNS + 1, SIZES_FIELDS, CONTEXT_FIELDS };
/* And those of usage_sum_copy.sql and usage_copy_extra.sql. */
enum { GROUP_FIELDS = 4 + METER_COLUMNS, EXTRA_FIELDS = 3 };

enum { PART_ROWS = 500000 }; /* of the ledger, that are read and kept together */

/* Some batches of the ledger: rising numbers. */
struct batch_list {
	int64_t *number, *rows;
	size_t count;
	int64_t last; /* asked for last, and whether it was there */
	bool last_there;
};

/* Batches that are read together. */
struct part {
	size_t first, count;
	int64_t rows;         /* that they have */
	bool in_groups;       /* they came summed by the server: groups, and behind them rows with other meters */
	size_t groups_length; /* bytes of the groups */
};

struct summing {
	struct run *run;
	int64_t rating_run;
	size_t streams;
	struct distinctions before, now; /* followed before this run, and from it on */
	struct request_classes *classes; /* NULL where nothing is told apart */
	struct batch_list batches;       /* whose rows count */
	struct part *parts;
	size_t part_count, part_room;
	enum statement_id copy; /* what reads them row by row */
	int fields;             /* of a row that comes */
	struct instant from;    /* only events from then on, where `copy` asks for that */
	db_copy_row *row;       /* takes one */
	bool by_groups;         /* the server may sum */
	atomic_bool is_sparse;  /* it was tried, and groups have few rows: then they cost more than the rows */
	struct interval_table *table;
	struct usage_split old, split; /* of the row at hand */
	int64_t rows, rows_expected;   /* 0: not known */
	int64_t rows_shown;
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

static void
read_hot(struct copy_reader *reader, struct usage_row *row)
{
	row->stated = 0;
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		row->quantity[meter] = copy_read_bigint(reader, INT64_MIN);
		if (row->quantity[meter] != INT64_MIN)
			row->stated |= UINT64_C(1) << meter;
	}
}

bool
usage_quantities_read(struct copy_reader *reader, struct usage_row *row, struct error *err)
{
	read_hot(reader, row);
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
count_rows(struct summing *summing, int64_t rows)
{
	enum { STEP = 65536 };

	summing->rows += rows;
	if (summing->rows - summing->rows_shown < STEP)
		return;
	summing->rows_shown = summing->rows;
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
	count_rows(summing, 1);
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
	count_rows(summing, 1);
	if (!read_row(&reader, summing->fields, &series, &row, err) ||
	    !split_row(summing, &summing->before, &row, &summing->old, err) ||
	    !split_row(summing, &summing->now, &row, &summing->split, err))
		return false;
	return is_same_split(&summing->old, &summing->split) ||
	    (interval_table_add(summing->table, series, &row, &summing->old, -1, err) &&
		interval_table_add(summing->table, series, &row, &summing->split, 1, err) &&
		interval_table_room(summing->table, err));
}

/* --- sums by the server ---------------------------------------------------------------------- */

/* A group behind its series and time: how many rows it is of, and how many of those have other meters. */
struct group_size {
	int64_t rows, with_extra;
};

static int32_t
read_group(struct copy_reader *reader, struct usage_row *row, struct group_size *size)
{
	int32_t series = copy_read_integer(reader);

	*row = (struct usage_row){.time = copy_read_instant(reader), .context_input_tokens = -1};
	size->rows = copy_read_bigint(reader, 0);
	size->with_extra = copy_read_bigint(reader, 0);
	return series;
}

static bool
add_unsplit(struct summing *summing, int32_t series, const struct usage_row *row, struct error *err)
{
	static const struct usage_split whole = {.whole = true};

	return interval_table_add(summing->table, series, row, &whole, 1, err) && interval_table_room(summing->table, err);
}

static bool
sum_group(void *context, const char *bytes, size_t length, struct error *err)
{
	struct summing *summing = context;
	struct copy_reader reader = copy_read_row(bytes, length, GROUP_FIELDS);
	struct usage_row row;
	struct group_size size;
	int32_t series = read_group(&reader, &row, &size);

	read_hot(&reader, &row);
	count_rows(summing, size.rows);
	return add_unsplit(summing, series, &row, err);
}

static bool
sum_extra(void *context, const char *bytes, size_t length, struct error *err)
{
	struct copy_reader reader = copy_read_row(bytes, length, EXTRA_FIELDS);
	int32_t series = copy_read_integer(&reader);
	struct usage_row row = {.time = copy_read_instant(&reader), .context_input_tokens = -1};

	return read_extra(&reader, &row, err) && add_unsplit(context, series, &row, err);
}

/* How many groups there are, and rows with other meters in them. */
struct groups_told {
	int64_t groups, with_extra;
};

static bool
tell_group(void *context, const char *bytes, size_t length, struct error *err)
{
	struct groups_told *told = context;
	struct copy_reader reader = copy_read_row(bytes, length, GROUP_FIELDS);
	struct usage_row row;
	struct group_size size;

	(void)err;
	(void)read_group(&reader, &row, &size);
	told->groups++;
	told->with_extra += size.with_extra;
	return true;
}

static bool
read_groups(struct summing *summing, struct db *db, struct part *part, struct text *rows, struct error *err)
{
	struct groups_told told = {0};

	if (!db_copy_out(db, SQL_RATING_USAGE_SUM_COPY, ledger_row_keep, rows, err) ||
	    !ledger_rows_each(rows, tell_group, &told, err))
		return false;
	part->in_groups = true;
	part->groups_length = rows->length;
	if ((told.groups + told.with_extra) * 2 > part->rows)
		atomic_store(&summing->is_sparse, true);
	return told.with_extra == 0 || db_copy_out(db, SQL_RATING_USAGE_COPY_EXTRA, ledger_row_keep, rows, err);
}

/* --- passes ---------------------------------------------------------------------------------- */

static void
list_batches(struct summing *summing, const struct rows *rows)
{
	struct batch_list *list = &summing->batches;
	size_t count = (size_t)rows->count;

	*list = (struct batch_list){.number = arena_take(&summing->run->arena, (count + 1) * sizeof *list->number),
	    .rows = arena_take(&summing->run->arena, (count + 1) * sizeof *list->rows),
	    .count = count,
	    .last = -1};
	for (int i = 0; i < rows->count; i++) {
		list->number[i] = row_number(rows, i, 0);
		list->rows[i] = row_number(rows, i, 1);
	}
}

/* A number that is not listed ends a part: it may be of a batch that is booked a moment later, whose rows the server must not add. */
static void
list_parts(struct summing *summing)
{
	const struct batch_list *list = &summing->batches;
	struct part *part = NULL;

	summing->part_count = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (part == NULL || part->rows + list->rows[i] > PART_ROWS || list->number[i] != list->number[i - 1] + 1) {
			summing->parts =
			    memory_grow(summing->parts, &summing->part_room, summing->part_count + 1, sizeof *summing->parts);
			part = &summing->parts[summing->part_count++];
			*part = (struct part){.first = i};
		}
		part->count++;
		part->rows += list->rows[i];
	}
}

static bool
set_range(const struct summing *summing, struct db *db, const struct part *part, struct error *err)
{
	const struct batch_list *list = &summing->batches;
	struct arena arena = {0};
	struct rows rows;
	bool fine = db_one_row(db, SQL_RATING_USAGE_RANGE_SET,
	    PARAMS(param_number(&arena, list->number[part->first]),
		param_number(&arena, list->number[part->first + part->count - 1]), param_instant(&arena, summing->from),
		distinctions_need_context(&summing->now) ? "true" : "false"),
	    &rows, err);

	if (fine)
		rows_release(&rows);
	arena_release(&arena);
	return fine;
}

static bool
read_part(void *context, struct db *db, size_t at, struct text *rows, struct error *err)
{
	struct summing *summing = context;
	struct part *part = &summing->parts[at];

	if (!set_range(summing, db, part, err))
		return false;
	if (summing->by_groups && !atomic_load(&summing->is_sparse))
		return read_groups(summing, db, part, rows, err);
	return db_copy_out(db, summing->copy, ledger_row_keep, rows, err);
}

/* What the headers promise is there: all of it, or nothing of it is summed. */
static bool
check_rows(const struct summing *summing, const struct part *part, int64_t rows, struct error *err)
{
	const struct batch_list *list = &summing->batches;

	if (summing->rows_expected == 0 || rows == part->rows)
		return true;
	error_set(err, ERROR_STATE, "batches %lld to %lld have %lld ledger rows, and their headers say %lld",
	    (long long)list->number[part->first], (long long)list->number[part->first + part->count - 1], (long long)rows,
	    (long long)part->rows);
	return error_hint(err, "Run tollbook reconcile: it says which batch that is. Nothing is rated.");
}

static bool
take_part(void *context, size_t at, const struct text *rows, struct error *err)
{
	struct summing *summing = context;
	const struct part *part = &summing->parts[at];
	int64_t before = summing->rows;
	const struct text groups = {.bytes = rows->bytes, .length = part->groups_length},
			  others = {.bytes = rows->bytes + part->groups_length, .length = rows->length - part->groups_length};

	if (!part->in_groups)
		return ledger_rows_each(rows, summing->row, summing, err) &&
		    check_rows(summing, part, summing->rows - before, err);
	return ledger_rows_each(&groups, sum_group, summing, err) && check_rows(summing, part, summing->rows - before, err) &&
	    ledger_rows_each(&others, sum_extra, summing, err);
}

/* Reads the rows of the batches listed and sends the sums. */
static bool
pass(struct summing *summing, bool skip_zeros, struct error *err)
{
	struct run *run = summing->run;
	struct ledger_reads reads = {summing, 0, read_part, take_part};
	struct rows rows;
	bool fine;

	list_parts(summing);
	reads.count = summing->part_count;
	summing->rows = summing->rows_shown = 0;
	summing->table = interval_table_new(summing->rating_run, skip_zeros);
	fine = ledger_streams_read(run, summing->streams, &reads, err) &&
	    db_one_row(run->db, SQL_RATING_INDEX_PLANS_END, NO_PARAMS, &rows, err);
	if (fine) {
		rows_release(&rows);
		fine = interval_table_send(summing->table, run->db, &summing->result->intervals, err);
	}
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
	const char *since = param_instant(&run->arena, from);
	struct rows rows;

	if (!archive_refuse_since(
		run->db, since, arena_format(&run->arena, "prices tell requests of before apart, from %s on", since), err))
		return false;
	if (!db_rows(run->db, SQL_RATING_BATCHES_SUMMED_SINCE, PARAMS(since), &rows, err))
		return false;
	list_batches(summing, &rows);
	rows_release(&rows);
	summing->doing = "telling requests apart: rows";
	summing->fields = CONTEXT_FIELDS;
	summing->copy = SQL_RATING_USAGE_COPY_AGAIN;
	summing->row = move_row;
	summing->from = from;
	return summing->batches.count == 0 || pass(summing, true, err);
}

/* How new rows are read. */
static void
choose_reading(struct summing *summing)
{
	summing->doing = "summing usage: rows";
	summing->row = sum_row;
	summing->by_groups = summing->classes == NULL;
	summing->copy = SQL_RATING_USAGE_COPY;
	summing->fields = PLAIN_FIELDS;
	if (distinctions_need_context(&summing->now)) {
		summing->copy = SQL_RATING_USAGE_COPY_CONTEXT;
		summing->fields = CONTEXT_FIELDS;
	} else if (summing->classes != NULL) {
		summing->copy = SQL_RATING_USAGE_COPY_SIZES;
		summing->fields = SIZES_FIELDS;
	}
}

static bool
sum_new(struct summing *summing, struct error *err)
{
	struct run *run = summing->run;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_BATCHES_PENDING, NO_PARAMS, &rows, err))
		return false;
	list_batches(summing, &rows);
	rows_release(&rows);
	if (summing->batches.count == 0)
		return true;
	for (size_t i = 0; i < summing->batches.count; i++)
		summing->rows_expected += summing->batches.rows[i];
	choose_reading(summing);
	if (!pass(summing, false, err))
		return false;
	summing->result->batches = (int64_t)summing->batches.count;
	summing->result->events = summing->rows;
	return note_batches(run, &summing->batches, summing->rating_run, err);
}

bool
intervals_sum(struct run *run, struct intervals_scope scope, struct intervals_result *result, struct error *err)
{
	struct summing summing = {.run = run, .rating_run = scope.rating_run, .streams = scope.streams, .result = result};
	struct instant from = {0};
	bool fine;

	*result = (struct intervals_result){0};
	fine = read_distinctions(&summing, scope, &from, err) && (!result->followed || move_old(&summing, from, err)) &&
	    (scope.only_follow || sum_new(&summing, err));
	if (summing.classes != NULL) {
		fine = fine && request_classes_store(summing.classes, run->db, err);
		request_classes_free(summing.classes);
	}
	free(summing.parts);
	free(summing.old.shares);
	free(summing.split.shares);
	distinctions_release(&summing.before);
	distinctions_release(&summing.now);
	return fine;
}
