/* cmd_prices_diff.c -- `tollbook prices diff`: what changes between two price books, and how much money that is. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/table.h"
#include "ledger/period.h"
#include "rating/period_rate.h"
#include "rating/price_book_compare.h"
#include "rating/price_files.h"

static bool diff(struct run *run, struct error *err);

static const struct option_spec diff_options[] = {
    {"with", "FILE...", "a price book that a file extends", 'w'},
    {"usage", NULL, "price the usage of a month with both, for all tenants whose contract names the first book", 'u'},
    {"period", "YYYY-MM", "with --usage: the month; default: the last one", 'p'},
    {0},
};

const struct command cmd_prices_diff = {
    .name = "prices diff",
    .summary = "show what changes from one price book to another, and on a month's usage how much money that is",
    .operands = "OLD NEW",
    .operands_min = 2,
    .operands_max = 2,
    .options = diff_options,
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook prices diff public-usd@1 public-usd@2\n"
	       "  tollbook prices diff public-usd new-prices.json --usage --period 2026-10",
    .run = diff,
};

/* The two books, each as the only version of its name, in force always. */
struct sides {
	struct price_version version[2];
	struct price_books books[2];
};

/* --- what changes ---------------------------------------------------------------------------- */

static void
add_difference(void *context, const struct price_difference *difference)
{
	struct table *table = context;

	table_row(table);
	table_cell(table, difference->rule[0] == '\0' ? "(the book)" : difference->rule);
	table_cell(table, difference->meter);
	table_cell(table, difference->what);
	table_cell(table, difference->part);
	table_cell(table, difference->old);
	table_cell(table, difference->new);
	table_cell(table, difference->percent);
}

static void
print_differences(struct run *run, const struct sides *sides)
{
	static const struct column columns[] = {{"rule", "rule", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT},
	    {"what", "what", COLUMN_TEXT}, {"part", "part", COLUMN_TEXT}, {"old", "old", COLUMN_TEXT},
	    {"new", "new", COLUMN_TEXT}, {"percent", "%", COLUMN_NUMBER}, {0}};
	struct table *table = table_new(columns);

	price_books_compare(sides->version[0].book, sides->version[1].book, add_difference, table);
	table_print(table, run, "the two books have the same rules and prices");
	table_free(table);
}

/* --- how much money that is ------------------------------------------------------------------ */

/* What a model's usage comes to with either book. */
struct model_sum {
	const char *model; /* "" for what contracts add or take off */
	struct decimal amount[2];
};

struct money {
	struct run *run;
	const struct sides *sides;
	const char *name; /* of the book that contracts name */
	struct index models;
	struct model_sum *sums;
	size_t room;
	struct index held; /* what is held with either, as it is told */
	struct held_sum {
		int side, meter;
		const char *model, *reason;
		i128 quantity;
	} * holds;
	size_t hold_room;
	struct arena arena;
};

static bool
add_charges(struct money *money, int side, const struct rated *rated, struct error *err)
{
	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *charge = &rated->charges[i];
		bool is_new;
		size_t place = index_number(&money->models, charge->model, strlen(charge->model), &is_new);

		money->sums = memory_grow(money->sums, &money->room, place + 1, sizeof *money->sums);
		if (is_new)
			money->sums[place] =
			    (struct model_sum){.model = arena_copy(&money->arena, charge->model, strlen(charge->model))};
		if (!decimal_add(money->sums[place].amount[side], charge->amount, &money->sums[place].amount[side], err))
			return false;
	}
	return true;
}

static void
add_holds(struct money *money, int side, const struct rated *rated)
{
	for (size_t i = 0; i < rated->hold_count; i++) {
		const struct hold *hold = &rated->holds[i];
		const char *key = arena_format(&money->arena, "%d %d %s %s", side, hold->meter, hold->reason, hold->model);
		bool is_new;
		size_t place = index_number(&money->held, key, strlen(key), &is_new);

		money->holds = memory_grow(money->holds, &money->hold_room, place + 1, sizeof *money->holds);
		if (is_new)
			money->holds[place] =
			    (struct held_sum){side, hold->meter, arena_copy(&money->arena, hold->model, strlen(hold->model)),
				arena_copy(&money->arena, hold->reason, strlen(hold->reason)), 0};
		must(!__builtin_add_overflow(money->holds[place].quantity, hold->quantity, &money->holds[place].quantity));
	}
}

/* The contracts of the period, with the one book in place of the name. */
static bool
price_side(struct money *money, int side, const struct period *period, struct error *err)
{
	struct charging_inputs inputs = period_charging(period);
	struct charging_contract *resolved = memory_new(period->contracts.count, sizeof *resolved);
	struct rated rated = {0};
	struct charging *charging;
	bool fine = true;

	for (size_t i = 0; i < period->contracts.count; i++) {
		resolved[i] = period->resolved[i];
		if (strcmp(resolved[i].contract->override, money->name) == 0)
			resolved[i].override = &money->sides->books[side];
		if (strcmp(resolved[i].contract->book, money->name) == 0)
			resolved[i].book = &money->sides->books[side];
	}
	inputs.resolved = resolved;
	charging = charging_new(&inputs, NULL, &rated);
	for (size_t i = 0; fine && i < period->usage.count; i++) {
		const struct usage usage = period_usage_at(&period->usage, i);

		fine = charging_add(charging, &usage, err);
	}
	fine = fine && charging_settle(charging, err) && add_charges(money, side, &rated, err);
	if (fine)
		add_holds(money, side, &rated);
	charging_free(charging);
	rated_release(&rated);
	free(resolved);
	return fine;
}

static bool
price_tenant(struct money *money, struct period_source *source, struct period_inputs inputs, struct error *err)
{
	struct period period = {.inputs = inputs};
	bool fine;

	for (int side = 0; side < 2; side++)
		period.fields |= price_book_fields(money->sides->version[side].book);
	fine = periods_load(source, &period, 1, err) && period.err.kind == ERROR_NONE;
	if (period.err.kind != ERROR_NONE)
		*err = period.err;
	for (int side = 0; fine && side < 2; side++)
		fine = period_tell_apart(&period, money->sides->version[side].book, err);
	if (fine) {
		period_order(source, &period);
		fine = price_side(money, 0, &period, err) && price_side(money, 1, &period, err);
	}
	if (!fine && period.err.kind == ERROR_NONE)
		error_wrap(err, "pricing %s of %s", inputs.period, inputs.tenant);
	periods_release(&period, 1);
	return fine;
}

/* Columns of price_tenants.sql: tenant, starts, ends. */
static bool
price_tenants(struct money *money, struct period_source *source, const char *period, int *tenants, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_rows(money->run->db, SQL_RATING_PRICE_TENANTS, PARAMS(period, money->name), &rows, err))
		return false;
	*tenants = rows.count;
	for (int i = 0; fine && i < rows.count; i++)
		fine = price_tenant(money, source,
		    (struct period_inputs){.tenant = row_text(&rows, i, 0),
			.period = period,
			.starts = row_instant(&rows, i, 1),
			.ends = row_instant(&rows, i, 2),
			.until_run = INT64_MAX,
			.priced_with = INT64_MAX,
			.contracted_with = INT64_MAX},
		    err);
	rows_release(&rows);
	return fine;
}

static bool
add_amounts(struct table *table, const char *model, const struct decimal amount[2], struct error *err)
{
	char text[DECIMAL_TEXT];
	struct decimal difference;

	if (!decimal_subtract(amount[1], amount[0], &difference, err))
		return false;
	table_row(table);
	table_cell(table, model);
	table_cell(table, decimal_format(amount[0], text));
	table_cell(table, decimal_format(amount[1], text));
	table_cell(table, decimal_format(difference, text));
	return true;
}

static int
compare_models(const void *a, const void *b)
{
	return strcmp(((const struct model_sum *)a)->model, ((const struct model_sum *)b)->model);
}

static bool
fill_money(struct money *money, struct table *table, struct error *err)
{
	struct decimal total[2] = {{0}, {0}};

	if (money->models.count > 0)
		qsort(money->sums, money->models.count, sizeof *money->sums, compare_models);
	for (size_t i = 0; i < money->models.count; i++) {
		const struct model_sum *sum = &money->sums[i];

		if (!decimal_add(total[0], sum->amount[0], &total[0], err) ||
		    !decimal_add(total[1], sum->amount[1], &total[1], err) ||
		    !add_amounts(table, sum->model[0] == '\0' ? "(contracts)" : sum->model, sum->amount, err))
			return false;
	}
	return money->models.count == 0 || add_amounts(table, "(total)", total, err);
}

static void
print_holds(const struct money *money)
{
	for (size_t i = 0; i < money->held.count; i++) {
		const struct held_sum *held = &money->holds[i];
		char number[DECIMAL_TEXT];

		printf("held with %s (%s): model %s: %s of %s\n", held->side == 0 ? "the old book" : "the new book", held->reason,
		    held->model, meter_format(meter_of(held->meter), held->quantity, number), meter_of(held->meter)->name);
	}
}

static bool
print_money(struct money *money, const char *period, int tenants, struct error *err)
{
	static const struct column columns[] = {{"model", "model", COLUMN_TEXT}, {"old", "old", COLUMN_NUMBER},
	    {"new", "new", COLUMN_NUMBER}, {"difference", "difference", COLUMN_NUMBER}, {0}};
	struct run *run = money->run;
	struct table *table = table_new(columns);
	bool fine = fill_money(money, table, err);

	if (fine && run->format == FORMAT_TABLE)
		printf("\nusage of %s, %d tenant%s with %s, in %s:\n", period, tenants, tenants == 1 ? "" : "s", money->name,
		    price_book_currency(money->sides->version[0].book));
	if (fine)
		table_print(table, run, "there is no usage of it");
	if (fine && run->format == FORMAT_TABLE)
		print_holds(money);
	table_free(table);
	return fine;
}

static bool
print_usage(struct run *run, const struct sides *sides, const char *period, struct error *err)
{
	struct money money = {.run = run, .sides = sides, .name = price_book_name(sides->version[0].book)};
	struct period_source source;
	int tenants = 0;
	bool fine;

	if (!period_source_open(run->db, &source, err))
		return false;
	/* Usage is loaded within a transaction, which is left without a trace. */
	fine = db_begin(run->db, err) && price_tenants(&money, &source, period, &tenants, err) &&
	    print_money(&money, period, tenants, err);
	db_rollback(run->db);
	period_source_close(&source);
	index_release(&money.models);
	index_release(&money.held);
	free(money.sums);
	free(money.holds);
	arena_release(&money.arena);
	return fine;
}

/* --- the command line ------------------------------------------------------------------------ */

/* The month before the one of an instant, in UTC. */
static const char *
month_before(struct run *run)
{
	char text[INSTANT_TEXT];
	int year, month;

	instant_format(run->now, text);
	year = instant_year(run->now);
	month = (text[5] - '0') * 10 + (text[6] - '0') - 1;
	if (month == 0) {
		month = 12;
		year--;
	}
	return arena_format(&run->arena, "%04d-%02d", year, month);
}

static bool
read_usage(struct run *run, const char **period, struct error *err)
{
	if (!period_option(run, period, err))
		return false;
	if (option_value(run, "usage") == NULL)
		return (*period)[0] == '\0' || error_set(err, ERROR_USAGE, "--period belongs to --usage");
	if ((*period)[0] == '\0')
		*period = month_before(run);
	return run_open_db(run, err);
}

static bool
read_sides(struct run *run, struct book_shelf *shelf, struct sides *sides, struct error *err)
{
	for (int side = 0; side < 2; side++) {
		struct price_version *version = &sides->version[side];

		if (!price_version_named(run, shelf, run->operands[side], version, err))
			return false;
		version->version_id = 0;
		version->effective = (struct instant){0};
		sides->books[side] = (struct price_books){version, 1};
	}
	return true;
}

static bool
compare(struct run *run, const struct sides *sides, const char *period, struct error *err)
{
	const struct price_book *old = sides->version[0].book, *new = sides->version[1].book;
	bool usage = option_value(run, "usage") != NULL;

	if (usage && strcmp(price_book_currency(old), price_book_currency(new)) != 0)
		return error_set(err, ERROR_STATE, "the books are in %s and %s: their amounts cannot be compared",
		    price_book_currency(old), price_book_currency(new));
	/* One table a time where programs read it. */
	if (!usage || run->format == FORMAT_TABLE)
		print_differences(run, sides);
	return !usage || print_usage(run, sides, period, err);
}

static bool
diff(struct run *run, struct error *err)
{
	struct book_shelf *shelf = book_shelf_new();
	struct sides sides;
	const char *period;
	bool fine = read_usage(run, &period, err) && price_files_with(run, shelf, err) && read_sides(run, shelf, &sides, err) &&
	    compare(run, &sides, period, err);

	book_shelf_free(shelf);
	return fine;
}
