/* period_rate.c -- see period_rate.h. */
#include "rating/period_rate.h"

#include <stdlib.h>
#include <string.h>

/* Columns of intervals_of_periods.sql. */
enum {
	USAGE_PLACE,
	USAGE_START,
	USAGE_FIELDS, /* in the order of match_fields.def */
	USAGE_TAGS = USAGE_FIELDS + MATCH_FIELDS,
	USAGE_SIZES,
	USAGE_METER = USAGE_SIZES + PRICE_SIZES,
	USAGE_QUANTITY,
	USAGE_COLUMNS
};

/* --- loading ----------------------------------------------------------------------------------- */

/* Contracts that came later than the inputs do not exist here: also "no contract" must come out the same again. */
static void
forget_newer_contracts(struct period *period)
{
	struct contracts *contracts = &period->contracts;
	size_t kept = 0;

	for (size_t i = 0; i < contracts->count; i++) {
		if (contracts->item[i].contract_id <= period->inputs.contracted_with)
			contracts->item[kept++] = contracts->item[i];
		else
			contract_terms_free(contracts->item[i].terms);
	}
	contracts->count = kept;
}

/* The fields that any version of the contracts' books asks for, and whether any counter outlives the month. */
static unsigned
look_at_books(const struct price_books *books, int64_t newest, bool *carries)
{
	unsigned fields = 0;

	for (size_t i = 0; books != NULL && i < books->count; i++)
		if (books->item[i].version_id <= newest) {
			fields |= price_book_fields(books->item[i].book);
			*carries = *carries || price_book_carries(books->item[i].book);
		}
	return fields;
}

static bool
load_contracts(struct db *db, struct book_shelf *shelf, struct period *period, unsigned *fields, bool *carries, bool *commits,
    struct error *err)
{
	*fields = 0;
	*carries = *commits = false;
	if (!contracts_load(db, period->inputs.tenant, &period->contracts, err))
		return false;
	forget_newer_contracts(period);
	period->resolved = memory_new(period->contracts.count, sizeof *period->resolved);
	for (size_t i = 0; i < period->contracts.count; i++) {
		const struct contract *contract = &period->contracts.item[i];
		struct charging_contract *resolved = &period->resolved[i];

		resolved->contract = contract;
		if ((contract->override[0] != '\0' &&
			!book_shelf_find(shelf, db, contract->override, &resolved->override, err)) ||
		    !book_shelf_find(shelf, db, contract->book, &resolved->book, err))
			return false;
		*fields |= look_at_books(resolved->override, period->inputs.priced_with, carries) |
		    look_at_books(resolved->book, period->inputs.priced_with, carries);
		*commits = *commits || (contract->terms != NULL && contract->terms->commitment.is_set);
	}
	return true;
}

static bool
load_carried(struct db *db, struct period *period, struct error *err)
{
	const struct period_inputs *inputs = &period->inputs;
	struct rows rows;

	if (!db_rows(db, SQL_RATING_CARRIED_OF_PERIOD,
		PARAMS(inputs->tenant, inputs->period, param_number(&period->arena, inputs->until_run)), &rows, err))
		return false;
	period->carried = memory_new((size_t)rows.count, sizeof *period->carried);
	for (int i = 0; i < rows.count; i++)
		period->carried[period->carried_count++] = (struct carried){
		    arena_copy(&period->arena, row_text(&rows, i, 0), row_length(&rows, i, 0)), row_integer(&rows, i, 1)};
	rows_release(&rows);
	return true;
}

static bool
load_spent(struct db *db, struct period *period, struct error *err)
{
	const struct period_inputs *inputs = &period->inputs;
	struct rows rows;

	if (!db_rows(db, SQL_RATING_SPENT_BEFORE_PERIOD,
		PARAMS(inputs->tenant, inputs->period, param_number(&period->arena, inputs->until_run)), &rows, err))
		return false;
	period->spent = memory_new((size_t)rows.count, sizeof *period->spent);
	for (int i = 0; i < rows.count; i++)
		period->spent[period->spent_count++] =
		    (struct spent){arena_copy(&period->arena, row_text(&rows, i, 0), row_length(&rows, i, 0)), row_decimal(&rows, i, 1)};
	rows_release(&rows);
	return true;
}

/* An element of an array of texts, as PostgreSQL reads it. */
static void
add_element(struct text *array, const char *value)
{
	text_add_string(array, array->length == 0 ? "{\"" : ",\"");
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '"' || *at == '\\')
			text_add(array, "\\", 1);
		text_add(array, at, 1);
	}
	text_add(array, "\"", 1);
}

struct usage_arrays {
	struct text tenants, starts, ends, until, fields;
};

static void
add_to_arrays(struct usage_arrays *arrays, const struct period_inputs *inputs, unsigned fields)
{
	char text[INSTANT_TEXT], number[DECIMAL_TEXT];

	add_element(&arrays->tenants, inputs->tenant);
	add_element(&arrays->starts, instant_format(inputs->starts, text));
	add_element(&arrays->ends, instant_format(inputs->ends, text));
	add_element(&arrays->until, integer_format(inputs->until_run, number));
	add_element(&arrays->fields, integer_format(fields, number));
}

static bool
load_usage(struct db *db, struct periods *periods, struct usage_arrays *arrays, struct error *err)
{
	struct text *const all[] = {&arrays->tenants, &arrays->starts, &arrays->ends, &arrays->until, &arrays->fields};
	bool fine;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		text_add_string(all[i], all[i]->length == 0 ? "{}" : "}");
	fine = db_rows(db, SQL_RATING_INTERVALS_OF_PERIODS,
	    PARAMS(text_string(&arrays->tenants), text_string(&arrays->starts), text_string(&arrays->ends), text_string(&arrays->until),
		text_string(&arrays->fields)),
	    &periods->rows, err);
	if (!fine)
		return false;
	for (size_t i = 0; i < periods->count; i++) {
		struct period *period = &periods->item[i];

		period->rows = &periods->rows;
		period->first_row = i == 0 ? 0 : periods->item[i - 1].rows_end;
		period->rows_end = period->first_row;
		while (period->rows_end < periods->rows.count &&
		    row_number(&periods->rows, period->rows_end, USAGE_PLACE) == (int64_t)i + 1)
			period->rows_end++;
	}
	must(periods->count == 0 || periods->item[periods->count - 1].rows_end == periods->rows.count);
	return true;
}

bool
periods_load(struct db *db, struct book_shelf *shelf, struct periods *periods, struct error *err)
{
	struct usage_arrays arrays = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < periods->count; i++) {
		struct period *period = &periods->item[i];
		bool carries, commits;
		unsigned fields;

		fine = load_contracts(db, shelf, period, &fields, &carries, &commits, err) &&
		    (!carries || load_carried(db, period, err)) && (!commits || load_spent(db, period, err));
		if (fine)
			add_to_arrays(&arrays, &period->inputs, fields);
		else
			error_wrap(err, "rating %s of %s", period->inputs.period, period->inputs.tenant);
	}
	fine = fine && load_usage(db, periods, &arrays, err);
	text_release(&arrays.tenants);
	text_release(&arrays.starts);
	text_release(&arrays.ends);
	text_release(&arrays.until);
	text_release(&arrays.fields);
	return fine;
}

void
periods_release(struct periods *periods)
{
	for (size_t i = 0; i < periods->count; i++) {
		struct period *period = &periods->item[i];

		contracts_release(&period->contracts);
		free(period->resolved);
		free(period->carried);
		free(period->spent);
		arena_release(&period->arena);
		rated_release(&period->rated);
	}
	if (periods->rows.result != NULL)
		rows_release(&periods->rows);
	free(periods->item);
	*periods = (struct periods){0};
}

/* --- computing --------------------------------------------------------------------------------- */

struct usage
period_usage(const struct period *period, int row)
{
	const struct rows *rows = period->rows;
	struct usage usage = {.start = row_instant(rows, row, USAGE_START),
	    .subject.tags = row_text(rows, row, USAGE_TAGS),
	    .meter = (int)row_number(rows, row, USAGE_METER),
	    .quantity = row_integer(rows, row, USAGE_QUANTITY)};

	for (int i = 0; i < MATCH_FIELDS; i++)
		usage.subject.field[i] = row_text(rows, row, USAGE_FIELDS + i);
	for (int i = 0; i < PRICE_SIZES; i++)
		usage.size[i] = row_number(rows, row, USAGE_SIZES + i);
	return usage;
}

struct charging_inputs
period_charging(const struct period *period)
{
	return (struct charging_inputs){.period = period->inputs.period,
	    .starts = period->inputs.starts,
	    .ends = period->inputs.ends,
	    .contracts = &period->contracts,
	    .resolved = period->resolved,
	    .priced_with = period->inputs.priced_with,
	    .carried = period->carried,
	    .carried_count = period->carried_count,
	    .spent = period->spent,
	    .spent_count = period->spent_count};
}

static void
digest_text(struct digest *digest, const char *text)
{
	digest_field(digest, text, strlen(text));
}

static void
digest_integer(struct digest *digest, i128 number)
{
	char text[DECIMAL_TEXT];

	digest_text(digest, integer_format(number, text));
}

/* Everything but the usage and the versions of books, which are digested as they are used. */
static void
begin_inputs(const struct period *period, struct digest *digest)
{
	digest_text(digest, period->inputs.tenant);
	digest_text(digest, period->inputs.period);
	digest_number(digest, period->inputs.starts.us);
	digest_number(digest, period->inputs.ends.us);
	for (size_t i = 0; i < period->contracts.count; i++)
		digest_number(digest, period->contracts.item[i].contract_id);
	for (size_t i = 0; i < period->carried_count; i++) {
		digest_text(digest, period->carried[i].key);
		digest_integer(digest, period->carried[i].quantity);
	}
	for (size_t i = 0; i < period->spent_count; i++) {
		digest_text(digest, period->spent[i].period);
		digest_integer(digest, period->spent[i].amount.e18);
	}
}

static bool
compute(struct period *period, struct digest *digest, struct error *err)
{
	const struct charging_inputs inputs = period_charging(period);
	struct charging *charging = charging_new(&inputs, digest, &period->rated);
	bool fine = true;

	begin_inputs(period, digest);
	for (int row = period->first_row; fine && row < period->rows_end; row++) {
		const struct usage usage = period_usage(period, row);

		for (int column = USAGE_START; column < USAGE_COLUMNS; column++)
			digest_field(digest, row_text(period->rows, row, column), row_length(period->rows, row, column));
		fine = charging_add(charging, &usage, err);
	}
	fine = fine && charging_settle(charging, err);
	charging_free(charging);
	return fine;
}

void
period_compute(struct period *period)
{
	struct digest *digest = digest_new();

	period->fine = compute(period, digest, &period->err);
	digest_end(digest, period->rated.input_digest);
	digest_free(digest);
	if (!period->fine)
		error_wrap(&period->err, "rating %s of %s", period->inputs.period, period->inputs.tenant);
}
