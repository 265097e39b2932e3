/* period_usage.c -- see period_usage.h. */
#include "rating/period_usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "ledger/meter.h"

/* Columns of series_of_tenants.sql. */
enum { SERIES_PLACE, SERIES_ID, SERIES_FIRST_FIELD, SERIES_IS_ABORTED = SERIES_FIRST_FIELD + MATCH_ENGINE };

/* A series of one of the tenants. */
struct known_series {
	int32_t series_id;
	size_t range;
	int32_t subject;
};

struct loading {
	const struct usage_range *ranges;
	struct period_usage *out;
	size_t count;
	struct known_series *series; /* by series_id */
	size_t series_count;
	struct known_series *last; /* found last */
};

/* --- subjects ---------------------------------------------------------------------------------- */

static int
compare_subjects(const void *a, const void *b)
{
	const struct usage_subject *one = a, *two = b;
	int order = 0;

	for (size_t field = 0; order == 0 && field < MATCH_ENGINE; field++)
		order = strcmp(one->subject.field[field], two->subject.field[field]);
	return order != 0 ? order : one->is_aborted - two->is_aborted;
}

static struct usage_subject
subject_of(const struct rows *rows, int row, unsigned fields, struct arena *arena)
{
	struct usage_subject found = {
	    .is_aborted = (fields & USAGE_ABORTED_APART) != 0 && row_bool(rows, row, SERIES_IS_ABORTED)};
	struct price_subject *subject = &found.subject;

	subject->tags = subject->field[MATCH_ENGINE] = "";
	for (int field = 0; field < MATCH_ENGINE; field++) {
		bool apart = field <= MATCH_SERVICE_TIER || (fields >> field & 1) != 0;

		subject->field[field] = !apart ? ""
					       : arena_copy(arena, row_text(rows, row, SERIES_FIRST_FIELD + field),
						     row_length(rows, row, SERIES_FIRST_FIELD + field));
	}
	return found;
}

/* The subjects of one tenant, each once and in order; rows from *row on. */
static void
add_subjects(struct loading *loading, const struct rows *rows, int *row, size_t range)
{
	struct period_usage *usage = &loading->out[range];
	int first = *row, end = first;
	size_t kept = 0;

	while (end < rows->count && row_number(rows, end, SERIES_PLACE) == (int64_t)range + 1)
		end++;
	*row = end;
	usage->subjects = memory_new((size_t)(end - first), sizeof *usage->subjects);
	for (int i = first; i < end; i++)
		usage->subjects[i - first] = subject_of(rows, i, loading->ranges[range].fields, &usage->arena);
	if (end == first)
		return;
	qsort(usage->subjects, (size_t)(end - first), sizeof *usage->subjects, compare_subjects);
	for (size_t i = 1; i < (size_t)(end - first); i++)
		if (compare_subjects(&usage->subjects[kept], &usage->subjects[i]) != 0)
			usage->subjects[++kept] = usage->subjects[i];
	usage->subject_count = kept + 1;
	for (int i = first; i < end; i++) {
		const struct usage_subject subject = subject_of(rows, i, loading->ranges[range].fields, &usage->arena);
		const struct usage_subject *found =
		    bsearch(&subject, usage->subjects, usage->subject_count, sizeof subject, compare_subjects);

		must(found != NULL);
		loading->series[loading->series_count++] =
		    (struct known_series){(int32_t)row_number(rows, i, SERIES_ID), range, (int32_t)(found - usage->subjects)};
	}
}

static int
compare_series(const void *a, const void *b)
{
	const struct known_series *one = a, *two = b;

	return one->series_id < two->series_id ? -1 : one->series_id > two->series_id;
}

static bool
load_series(struct loading *loading, struct db *db, struct error *err)
{
	const char **tenants = memory_new(loading->count, sizeof *tenants);
	struct text list = {0};
	struct rows rows;
	int row = 0;
	bool fine;

	for (size_t i = 0; i < loading->count; i++)
		tenants[i] = loading->ranges[i].tenant;
	text_add_elements(&list, tenants, loading->count);
	fine = db_rows(db, SQL_RATING_SERIES_OF_TENANTS, PARAMS(text_string(&list)), &rows, err);
	text_release(&list);
	free(tenants);
	if (!fine)
		return false;
	loading->series = memory_new((size_t)rows.count, sizeof *loading->series);
	for (size_t i = 0; i < loading->count; i++)
		add_subjects(loading, &rows, &row, i);
	must(row == rows.count);
	rows_release(&rows);
	if (loading->series_count > 0)
		qsort(loading->series, loading->series_count, sizeof *loading->series, compare_series);
	return true;
}

static struct known_series *
series_of(struct loading *loading, int32_t series_id)
{
	const struct known_series wanted = {.series_id = series_id};

	if (loading->last == NULL || loading->last->series_id != series_id)
		loading->last = bsearch(&wanted, loading->series, loading->series_count, sizeof wanted, compare_series);
	must(loading->last != NULL);
	return loading->last;
}

/* --- sums -------------------------------------------------------------------------------------- */

static void
add_sum(struct period_usage *usage, struct usage_sum sum)
{
	usage->sums = memory_grow(usage->sums, &usage->room, usage->count + 1, sizeof *usage->sums);
	usage->sums[usage->count++] = sum;
}

/* The part of a row that says whose and of when it is; the class is still a number of the database. */
static struct usage_sum
begin_row(struct loading *loading, struct copy_reader *row, struct period_usage **usage)
{
	const struct known_series *series = series_of(loading, copy_read_integer(row));
	struct instant start = copy_read_instant(row);

	*usage = &loading->out[series->range];
	return (struct usage_sum){
	    .quarter = (int32_t)(start.us / INTERVAL_US), .subject = series->subject, .class = copy_read_integer(row)};
}

static bool
add_hot(void *context, const char *bytes, size_t length, struct error *err)
{
	struct copy_reader row = copy_read_row(bytes, length, 3 + METER_COLUMNS);
	struct period_usage *usage;
	struct usage_sum sum = begin_row(context, &row, &usage);

	(void)err;
	for (sum.meter = 1; sum.meter <= METER_COLUMNS; sum.meter++) {
		sum.quantity = copy_read_bigint(&row, 0);
		if (sum.quantity != 0)
			add_sum(usage, sum);
	}
	return true;
}

static bool
add_extra(void *context, const char *bytes, size_t length, struct error *err)
{
	struct copy_reader row = copy_read_row(bytes, length, 5);
	struct period_usage *usage;
	struct usage_sum sum = begin_row(context, &row, &usage);
	const char *quantity;
	size_t quantity_length;

	sum.meter = copy_read_integer(&row);
	quantity = copy_read(&row, &quantity_length);
	must(quantity != NULL);
	if (!integer_parse(quantity, quantity_length, &sum.quantity, err))
		return false;
	add_sum(usage, sum);
	return true;
}

/* Says to the server which series of which time are wanted. */
static bool
set_range(struct loading *loading, struct db *db, struct error *err)
{
	struct text series = {0}, starts = {0}, ends = {0}, until = {0};
	struct rows rows;
	bool fine;

	for (size_t i = 0; i < loading->series_count; i++) {
		const struct usage_range *range = &loading->ranges[loading->series[i].range];
		const char *between = i == 0 ? "" : ",";
		char text[INSTANT_TEXT];

		text_add_format(&series, "%s%d", between, loading->series[i].series_id);
		text_add_format(&starts, "%s%s", between, instant_format(range->starts, text));
		text_add_format(&ends, "%s%s", between, instant_format(range->ends, text));
		text_add_format(&until, "%s%lld", between, (long long)range->until_run);
	}
	fine = db_one_row(db, SQL_RATING_INTERVAL_RANGE_SET,
	    PARAMS(text_string(&series), text_string(&starts), text_string(&ends), text_string(&until)), &rows, err);
	if (fine)
		rows_release(&rows);
	text_release(&series);
	text_release(&starts);
	text_release(&ends);
	text_release(&until);
	return fine;
}

/* --- order ------------------------------------------------------------------------------------- */

static int
compare_meanings(const struct request_class *one, const struct request_class *two)
{
	int order = 0;

	for (size_t kind = 0; order == 0 && kind < DISTINCT_BOUNDARIES; kind++)
		order = one->from[kind] < two->from[kind] ? -1 : one->from[kind] > two->from[kind];
	order = order != 0 ? order : strcmp(one->engine, two->engine);
	return order != 0 ? order : strcmp(one->tags, two->tags);
}

static int
compare_classes(const void *a, const void *b)
{
	return compare_meanings(a, b);
}

static int
compare_sums(const void *a, const void *b)
{
	const struct usage_sum *one = a, *two = b;

	if (one->quarter != two->quarter)
		return one->quarter < two->quarter ? -1 : 1;
	if (one->subject != two->subject)
		return one->subject < two->subject ? -1 : 1;
	if (one->class != two->class)
		return one->class < two->class ? -1 : 1;
	return one->meter - two->meter;
}

/* A class of the database at a time at which the tenant's books tell the same apart. */
struct found_class {
	size_t era; /* its place, from 1; 0: before all */
	int32_t number, place;
};

static int
compare_found(const void *a, const void *b)
{
	const struct found_class *one = a, *two = b;

	if (one->era != two->era)
		return one->era < two->era ? -1 : 1;
	return one->number < two->number ? -1 : one->number > two->number;
}

static struct found_class
class_of_sum(const struct usage_sum *sum, const struct distinctions *own)
{
	const struct era *era = distinctions_at(own, (struct instant){(int64_t)sum->quarter * INTERVAL_US});

	return (struct found_class){.era = era == NULL ? 0 : (size_t)(era - own->eras) + 1, .number = sum->class};
}

/* Each once; returns how many. */
static size_t
find_classes(const struct period_usage *usage, const struct distinctions *own, struct found_class *found)
{
	size_t met = 0, count = 0;

	/* Most are as the one before. */
	for (size_t i = 0; i < usage->count; i++) {
		const struct found_class class = class_of_sum(&usage->sums[i], own);

		if (met == 0 || compare_found(&found[met - 1], &class) != 0)
			found[met++] = class;
	}
	if (met > 0)
		qsort(found, met, sizeof *found, compare_found);
	for (size_t i = 0; i < met; i++)
		if (count == 0 || compare_found(&found[count - 1], &found[i]) != 0)
			found[count++] = found[i];
	return count;
}

/* What the classes found mean to the tenant's books: in order, each once. */
static void
fill_classes(struct period_usage *usage, const struct request_classes *classes, const struct distinctions *own,
    struct found_class *found, size_t count)
{
	struct request_class *meant = memory_new(count, sizeof *meant);

	for (size_t i = 0; i < count; i++)
		meant[i] = request_class_within(request_class_of(classes, found[i].number),
		    found[i].era == 0 ? NULL : &own->eras[found[i].era - 1], &usage->arena);
	usage->classes = memory_new(count, sizeof *usage->classes);
	if (count > 0) {
		memcpy(usage->classes, meant, count * sizeof *meant);
		qsort(usage->classes, count, sizeof *usage->classes, compare_classes);
	}
	for (size_t i = 0; i < count; i++)
		if (usage->class_count == 0 || compare_meanings(&usage->classes[usage->class_count - 1], &usage->classes[i]) != 0)
			usage->classes[usage->class_count++] = usage->classes[i];
	for (size_t i = 0; i < count; i++) {
		const struct request_class *place =
		    bsearch(&meant[i], usage->classes, usage->class_count, sizeof *usage->classes, compare_classes);

		must(place != NULL);
		found[i].place = (int32_t)(place - usage->classes);
	}
	free(meant);
}

/* Numbers of classes in the database depend on what came first; here they are put in the order of what they mean. */
static void
order_classes(struct period_usage *usage, const struct request_classes *classes, const struct distinctions *own)
{
	struct found_class *found = memory_new(usage->count, sizeof *found);
	size_t count = find_classes(usage, own, found);
	const struct found_class *class = NULL;

	fill_classes(usage, classes, own, found, count);
	for (size_t i = 0; i < usage->count; i++) {
		const struct found_class wanted = class_of_sum(&usage->sums[i], own);

		if (class == NULL || compare_found(class, &wanted) != 0)
			class = bsearch(&wanted, found, count, sizeof wanted, compare_found);
		must(class != NULL);
		usage->sums[i].class = class->place;
	}
	free(found);
}

enum { QUARTERS_MAX = 1 << 16 }; /* that are counted: beyond it the list of them is larger than what is sorted */

/* A group of sums that are of one quarter; they come series by series, so mostly they are in order. */
static void
sort_quarter(struct usage_sum *sums, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_sums(&sums[i - 1], &sums[i]) > 0) {
			qsort(sums, count, sizeof *sums, compare_sums);
			return;
		}
}

/* Into the room of each quarter: `begins` has where it begins, and after that where it ends. */
static void
deal_quarters(struct period_usage *usage, int32_t first, size_t *begins)
{
	struct usage_sum *dealt = memory_new(usage->count, sizeof *dealt);

	for (size_t i = 0; i < usage->count; i++)
		dealt[begins[usage->sums[i].quarter - first]++] = usage->sums[i];
	free(usage->sums);
	usage->sums = dealt;
	usage->room = usage->count;
}

/* By compare_sums().  A month has some 3,000 quarters of an hour: counted first, sums go straight to their place. */
static void
sort_sums(struct period_usage *usage)
{
	int32_t first = usage->sums[0].quarter, last = first;
	size_t quarters, *begins, begin = 0;

	for (size_t i = 1; i < usage->count; i++) {
		first = usage->sums[i].quarter < first ? usage->sums[i].quarter : first;
		last = usage->sums[i].quarter > last ? usage->sums[i].quarter : last;
	}
	quarters = (size_t)(last - first) + 1;
	if (quarters > QUARTERS_MAX || usage->count < quarters / 16) {
		qsort(usage->sums, usage->count, sizeof *usage->sums, compare_sums);
		return;
	}
	begins = memory_new(quarters, sizeof *begins);
	for (size_t i = 0; i < usage->count; i++)
		begins[usage->sums[i].quarter - first]++;
	for (size_t i = 0, next = 0; i < quarters; i++) {
		size_t many = begins[i];

		begins[i] = next;
		next += many;
	}
	deal_quarters(usage, first, begins);
	for (size_t i = 0; i < quarters; begin = begins[i++])
		sort_quarter(usage->sums + begin, begins[i] - begin);
	free(begins);
}

/* Sorts, adds up increments of the same, and leaves out what comes to nothing. */
static void
sum_up(struct period_usage *usage)
{
	size_t kept = 0;

	if (usage->count == 0)
		return;
	sort_sums(usage);
	for (size_t i = 0; i < usage->count; i++) {
		if (kept > 0 && compare_sums(&usage->sums[kept - 1], &usage->sums[i]) == 0) {
			usage->sums[kept - 1].quantity += usage->sums[i].quantity;
			continue;
		}
		if (kept > 0 && usage->sums[kept - 1].quantity == 0)
			kept--;
		usage->sums[kept++] = usage->sums[i];
	}
	usage->count = usage->sums[kept - 1].quantity == 0 ? kept - 1 : kept;
}

bool
period_usage_load(struct db *db, const struct usage_range *ranges, struct period_usage *out, size_t count, struct error *err)
{
	struct loading loading = {.ranges = ranges, .out = out, .count = count};
	bool fine;

	for (size_t i = 0; i < count; i++)
		out[i] = (struct period_usage){0};
	fine = load_series(&loading, db, err) && set_range(&loading, db, err) &&
	    db_copy_out(db, SQL_RATING_INTERVAL_READ, add_hot, &loading, err) &&
	    db_copy_out(db, SQL_RATING_INTERVAL_EXTRA_READ, add_extra, &loading, err);
	free(loading.series);
	return fine;
}

/* Subjects without usage are none: a series that comes later must not change what a rating was made of. */
static void
keep_used_subjects(struct period_usage *usage)
{
	int32_t *place = memory_new(usage->subject_count, sizeof *place), kept = 0;

	for (size_t i = 0; i < usage->count; i++)
		place[usage->sums[i].subject] = 1;
	for (size_t i = 0; i < usage->subject_count; i++)
		if (place[i] != 0) {
			usage->subjects[kept] = usage->subjects[i];
			place[i] = kept++;
		}
	for (size_t i = 0; i < usage->count; i++)
		usage->sums[i].subject = place[usage->sums[i].subject];
	usage->subject_count = (size_t)kept;
	free(place);
}

void
period_usage_order(struct period_usage *usage, const struct request_classes *classes, const struct distinctions *own)
{
	keep_used_subjects(usage);
	order_classes(usage, classes, own);
	sum_up(usage);
}

struct usage
period_usage_at(const struct period_usage *usage, size_t at)
{
	static const enum distinction_kind kinds[PRICE_SIZES] = {
	    [SIZE_INPUT] = DISTINCT_INPUT,
	    [SIZE_UNCACHED_INPUT] = DISTINCT_UNCACHED_INPUT,
	    [SIZE_OUTPUT] = DISTINCT_OUTPUT,
	    [SIZE_PART] = DISTINCT_PART,
	};
	const struct usage_sum *sum = &usage->sums[at];
	const struct request_class *class = &usage->classes[sum->class];
	struct usage out = {.start = {(int64_t)sum->quarter * INTERVAL_US},
	    .subject = usage->subjects[sum->subject].subject,
	    .is_aborted = usage->subjects[sum->subject].is_aborted,
	    .meter = sum->meter,
	    .quantity = sum->quantity};

	out.subject.field[MATCH_ENGINE] = class->engine;
	out.subject.tags = strcmp(class->tags, "{}") == 0 ? "" : class->tags;
	for (size_t size = 0; size < PRICE_SIZES; size++)
		out.size[size] = class->from[kinds[size]];
	return out;
}

void
period_usage_digest(const struct period_usage *usage, struct digest *digest)
{
	enum { PIECE = 1024 };
	struct text piece = {0};

	for (size_t i = 0; i < usage->subject_count; i++) {
		const struct usage_subject *subject = &usage->subjects[i];

		for (size_t field = 0; field < MATCH_ENGINE; field++)
			digest_text(digest, subject->subject.field[field]);
		if (subject->is_aborted)
			digest_text(digest, "aborted");
	}
	for (size_t i = 0; i < usage->class_count; i++) {
		const struct request_class *class = &usage->classes[i];

		for (size_t kind = 0; kind < DISTINCT_BOUNDARIES; kind++)
			digest_number(digest, class->from[kind]);
		digest_field(digest, class->engine, strlen(class->engine));
		digest_field(digest, class->tags, strlen(class->tags));
	}
	digest_number(digest, (int64_t)usage->count);
	/* In few large pieces: there are many sums. */
	for (size_t i = 0; i < usage->count; i++) {
		const struct usage_sum *sum = &usage->sums[i];

		copy_integer(&piece, sum->quarter);
		copy_integer(&piece, sum->subject);
		copy_integer(&piece, sum->class);
		copy_integer(&piece, sum->meter);
		copy_bigint(&piece, (int64_t)(sum->quantity >> 64));
		copy_bigint(&piece, (int64_t)sum->quantity);
		if ((i + 1) % PIECE == 0 || i + 1 == usage->count) {
			digest_field(digest, piece.bytes, piece.length);
			text_clear(&piece);
		}
	}
	text_release(&piece);
}

void
period_usage_release(struct period_usage *usage)
{
	free(usage->sums);
	free(usage->subjects);
	free(usage->classes);
	arena_release(&usage->arena);
	*usage = (struct period_usage){0};
}
