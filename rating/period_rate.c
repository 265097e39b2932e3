/* period_rate.c -- see period_rate.h. */
#include "rating/period_rate.h"

#include <stdlib.h>
#include <string.h>

bool
period_source_open(struct db *db, struct period_source *out, struct error *err)
{
	*out = (struct period_source){.db = db, .shelf = book_shelf_new(), .classes = request_classes_new()};
	if (request_classes_load(out->classes, db, err))
		return true;
	period_source_close(out);
	return false;
}

void
period_source_close(struct period_source *source)
{
	book_shelf_free(source->shelf);
	request_classes_free(source->classes);
	*source = (struct period_source){0};
}

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

/* What a book tells requests apart by, from an instant on. */
struct teller {
	struct distinctions *own;
	struct instant since;
};

static bool
add_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	const struct teller *teller = context;
	enum distinction_kind found = distinction_kind_find(kind);

	(void)err;
	must(found != DISTINCT_KINDS);
	distinctions_add(teller->own, found, boundary, name, teller->since);
	return true;
}

bool
period_tell_apart(struct period *period, const struct price_book *book, struct error *err)
{
	struct teller teller = {&period->own, period->inputs.starts};

	return price_book_distinctions(book, add_distinction, &teller, err);
}

/* By the versions of a book that are in force within a part of the period. */
static bool
tell_apart(struct period *period, const struct price_books *books, struct instant from, struct instant until, struct error *err)
{
	const struct price_version *version = books == NULL ? NULL : price_books_at(books, from, period->inputs.priced_with);

	for (size_t i = 0; books != NULL && i < books->count; i++) {
		const struct price_version *item = &books->item[i];
		bool begins_within = item->version_id <= period->inputs.priced_with && item->effective.us > from.us &&
		    item->effective.us < until.us;
		struct teller teller = {&period->own, begins_within ? item->effective : from};

		if ((begins_within || item == version) && !price_book_distinctions(item->book, add_distinction, &teller, err))
			return false;
	}
	return true;
}

/* By the versions that stand in for others in all of the period. */
static bool
tell_apart_substituted(struct period *period, struct error *err)
{
	for (size_t i = 0; i < period->substitution_count; i++)
		if (!period_tell_apart(period, period->substitutions[i].version->book, err))
			return false;
	return true;
}

/* By the books of each contract within its part of the period. */
static bool
find_own(struct period *period, struct error *err)
{
	const struct contracts *contracts = &period->contracts;

	for (size_t i = 0; i < contracts->count; i++) {
		struct instant from = contracts->item[i].effective, until = contract_ends(contracts, i);

		if (from.us < period->inputs.starts.us)
			from = period->inputs.starts;
		if (until.us > period->inputs.ends.us)
			until = period->inputs.ends;
		if (from.us < until.us &&
		    (!tell_apart(period, period->resolved[i].override, from, until, err) ||
			!tell_apart(period, period->resolved[i].book, from, until, err)))
			return false;
	}
	return tell_apart_substituted(period, err);
}

/* The books of the contracts, what they ask for and whether something is carried over from earlier periods. */
static bool
load_books(struct period_source *source, struct period *period, bool *carries, bool *commits, struct error *err)
{
	*carries = *commits = false;
	period->resolved = memory_new(period->contracts.count, sizeof *period->resolved);
	for (size_t i = 0; i < period->contracts.count; i++) {
		const struct contract *contract = &period->contracts.item[i];
		struct charging_contract *resolved = &period->resolved[i];

		resolved->contract = contract;
		if ((contract->override[0] != '\0' &&
			!book_shelf_find(source->shelf, source->db, contract->override, &resolved->override, err)) ||
		    !book_shelf_find(source->shelf, source->db, contract->book, &resolved->book, err))
			return false;
		period->fields |= look_at_books(resolved->override, period->inputs.priced_with, carries) |
		    look_at_books(resolved->book, period->inputs.priced_with, carries);
		*commits = *commits || (contract->terms != NULL && contract->terms->commitment.is_set);
	}
	if (contracts_hold_aborted(&period->contracts, period->inputs.starts, period->inputs.ends))
		period->fields |= USAGE_ABORTED_APART;
	return find_own(period, err);
}

/* Asks a statement about what earlier periods left, for those of the periods that are `wanted`, all of one month and run. */
static bool
ask_before(struct db *db, enum statement_id id, struct period *const *wanted, size_t count, struct rows *rows, struct error *err)
{
	const struct period_inputs *first = &wanted[0]->inputs;
	const char **tenants = memory_new(count, sizeof *tenants);
	struct text list = {0};
	bool fine;

	for (size_t i = 0; i < count; i++) {
		must(strcmp(wanted[i]->inputs.period, first->period) == 0 && wanted[i]->inputs.until_run == first->until_run);
		tenants[i] = wanted[i]->inputs.tenant;
	}
	text_add_elements(&list, tenants, count);
	fine = db_rows(
	    db, id, PARAMS(text_string(&list), first->period, param_number(&wanted[0]->arena, first->until_run)), rows, err);
	text_release(&list);
	free(tenants);
	return fine;
}

static bool
load_carried(struct db *db, struct period *const *wanted, size_t count, struct error *err)
{
	struct rows rows;

	if (count == 0)
		return true;
	if (!ask_before(db, SQL_RATING_CARRIED_BEFORE, wanted, count, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		struct period *period = wanted[row_number(&rows, i, 0) - 1];

		period->carried =
		    memory_grow(period->carried, &period->carried_room, period->carried_count + 1, sizeof *period->carried);
		period->carried[period->carried_count++] = (struct carried){
		    arena_copy(&period->arena, row_text(&rows, i, 1), row_length(&rows, i, 1)), row_integer(&rows, i, 2)};
	}
	rows_release(&rows);
	return true;
}

/* The first contract whose spend counts: of those that went on without a gap until the period began. */
static int64_t
first_that_counts(const struct period *period)
{
	size_t at = contract_at(&period->contracts, period->inputs.starts);

	return at == 0 ? INT64_MAX : period->contracts.item[contract_chain(&period->contracts, at - 1)].contract_id;
}

/* Amounts are summed by the server, which knows no bounds. */
static bool
read_spent(const struct rows *rows, int row, struct decimal *out, struct error *err)
{
	enum { AMOUNT = 3 };

	return decimal_parse(row_text(rows, row, AMOUNT), row_length(rows, row, AMOUNT), out, err) ||
	    error_wrap(err, "what was spent in %s", row_text(rows, row, 1));
}

/* Contracts of one earlier period come one after the other. */
static bool
add_spent(struct period *period, const char *earlier, struct decimal amount, struct error *err)
{
	struct spent *last = period->spent_count == 0 ? NULL : &period->spent[period->spent_count - 1];

	if (last != NULL && strcmp(last->period, earlier) == 0)
		return decimal_add(last->amount, amount, &last->amount, err);
	period->spent = memory_grow(period->spent, &period->spent_room, period->spent_count + 1, sizeof *period->spent);
	period->spent[period->spent_count++] = (struct spent){arena_copy(&period->arena, earlier, strlen(earlier)), amount};
	return true;
}

static bool
load_spent(struct db *db, struct period *const *wanted, size_t count, struct error *err)
{
	struct rows rows;

	if (count == 0)
		return true;
	if (!ask_before(db, SQL_RATING_SPENT_BEFORE, wanted, count, &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		struct period *period = wanted[row_number(&rows, i, 0) - 1];
		struct decimal amount;

		if (row_number(&rows, i, 2) < first_that_counts(period) || period->err.kind != ERROR_NONE)
			continue;
		if (!read_spent(&rows, i, &amount, &period->err) ||
		    !add_spent(period, row_text(&rows, i, 1), amount, &period->err))
			error_wrap(&period->err, "rating %s of %s", period->inputs.period, period->inputs.tenant);
	}
	rows_release(&rows);
	return true;
}

static bool
load_contracts(struct db *db, struct period *periods, size_t count, struct error *err)
{
	const char **tenants = memory_new(count, sizeof *tenants);
	struct contracts *contracts = memory_new(count, sizeof *contracts);
	bool fine;

	for (size_t i = 0; i < count; i++)
		tenants[i] = periods[i].inputs.tenant;
	fine = contracts_load(db, tenants, contracts, count, err);
	for (size_t i = 0; fine && i < count; i++) {
		periods[i].contracts = contracts[i];
		forget_newer_contracts(&periods[i]);
	}
	free(tenants);
	free(contracts);
	return fine;
}

/* Columns of substitutions_of_periods.sql. */
enum { STANDS_PLACE, STANDS_ID, STANDS_MODEL, STANDS_BOOK, STANDS_VERSION };

static bool
add_substitution(struct period_source *source, struct period *period, const struct rows *rows, int row, struct error *err)
{
	struct substitution *one;
	const struct price_books *books;

	if (!book_shelf_find(source->shelf, source->db, row_text(rows, row, STANDS_BOOK), &books, err))
		return false;
	period->substitutions = memory_grow(
	    period->substitutions, &period->substitution_room, period->substitution_count + 1, sizeof *period->substitutions);
	one = &period->substitutions[period->substitution_count++];
	*one = (struct substitution){.substitution_id = row_number(rows, row, STANDS_ID),
	    .model = arena_copy(&period->arena, row_text(rows, row, STANDS_MODEL), row_length(rows, row, STANDS_MODEL)),
	    .books = books,
	    .version = price_books_version(books, row_number(rows, row, STANDS_VERSION))};
	must(one->version != NULL);
	return true;
}

/* One question for all, and none where nothing was ever substituted. */
static bool
load_substitutions(struct period_source *source, struct period *periods, size_t count, struct error *err)
{
	int64_t newest = count == 0 ? 0 : periods[0].inputs.substituted_with;
	const char **tenants;
	struct text list = {0};
	struct rows rows;
	bool fine;

	if (newest == 0)
		return true;
	tenants = memory_new(count, sizeof *tenants);
	for (size_t i = 0; i < count; i++)
		tenants[i] = periods[i].inputs.tenant;
	text_add_elements(&list, tenants, count);
	fine = db_rows(source->db, SQL_RATING_SUBSTITUTIONS_OF_PERIODS,
	    PARAMS(text_string(&list), periods[0].inputs.period, param_number(&periods[0].arena, newest)), &rows, err);
	text_release(&list);
	free(tenants);
	if (!fine)
		return false;
	for (int i = 0; fine && i < rows.count; i++)
		fine = add_substitution(source, &periods[row_number(&rows, i, STANDS_PLACE) - 1], &rows, i, err);
	rows_release(&rows);
	return fine;
}

static bool
load_usage(struct db *db, struct period *periods, size_t count, struct error *err)
{
	struct usage_range *ranges = memory_new(count, sizeof *ranges);
	struct period_usage *usage = memory_new(count, sizeof *usage);
	bool fine;

	for (size_t i = 0; i < count; i++)
		ranges[i] = (struct usage_range){periods[i].inputs.tenant, periods[i].inputs.starts, periods[i].inputs.ends,
		    periods[i].inputs.until_run, periods[i].fields};
	fine = period_usage_load(db, ranges, usage, count, err);
	for (size_t i = 0; i < count; i++)
		periods[i].usage = usage[i];
	free(ranges);
	free(usage);
	return fine;
}

bool
periods_load(struct period_source *source, struct period *periods, size_t count, struct error *err)
{
	struct period **carrying = memory_new(count, sizeof *carrying), **committed = memory_new(count, sizeof *committed);
	size_t carrying_count = 0, committed_count = 0;
	bool fine = load_contracts(source->db, periods, count, err) && load_substitutions(source, periods, count, err);

	for (size_t i = 0; fine && i < count; i++) {
		bool carries, commits;

		fine = load_books(source, &periods[i], &carries, &commits, err);
		if (!fine)
			error_wrap(err, "rating %s of %s", periods[i].inputs.period, periods[i].inputs.tenant);
		else if (carries)
			carrying[carrying_count++] = &periods[i];
		if (fine && commits)
			committed[committed_count++] = &periods[i];
	}
	fine = fine && load_carried(source->db, carrying, carrying_count, err) &&
	    load_spent(source->db, committed, committed_count, err) && load_usage(source->db, periods, count, err);
	free(carrying);
	free(committed);
	return fine;
}

void
periods_release(struct period *periods, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct period *period = &periods[i];

		contracts_release(&period->contracts);
		free(period->resolved);
		free(period->carried);
		free(period->spent);
		free(period->substitutions);
		distinctions_release(&period->own);
		period_usage_release(&period->usage);
		arena_release(&period->arena);
		rated_release(&period->rated);
		*period = (struct period){0};
	}
}

/* --- computing --------------------------------------------------------------------------------- */

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
	    .spent_count = period->spent_count,
	    .substitutions = period->substitutions,
	    .substitution_count = period->substitution_count};
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
	for (size_t i = 0; i < period->substitution_count; i++) {
		digest_text(digest, period->substitutions[i].model);
		digest_number(digest, period->substitutions[i].version->version_id);
	}
}

static bool
compute(struct period *period, struct digest *digest, struct error *err)
{
	const struct charging_inputs inputs = period_charging(period);
	struct charging *charging = charging_new(&inputs, digest, &period->rated);
	bool fine = true;

	begin_inputs(period, digest);
	period_usage_digest(&period->usage, digest);
	for (size_t i = 0; fine && i < period->usage.count; i++) {
		const struct usage usage = period_usage_at(&period->usage, i);

		fine = charging_add(charging, &usage, err);
	}
	fine = fine && charging_settle(charging, err);
	charging_free(charging);
	return fine;
}

void
period_order(const struct period_source *source, struct period *period)
{
	distinctions_settle(&period->own);
	period_usage_order(&period->usage, source->classes, &period->own);
}

void
period_compute(const struct period_source *source, struct period *period)
{
	struct digest *digest;

	period->fine = false;
	if (period->err.kind != ERROR_NONE)
		return;
	digest = digest_new();
	period_order(source, period);
	period->fine = compute(period, digest, &period->err);
	digest_end(digest, period->rated.input_digest);
	digest_free(digest);
	if (!period->fine)
		error_wrap(&period->err, "rating %s of %s", period->inputs.period, period->inputs.tenant);
}
