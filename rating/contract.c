/* contract.c -- see contract.h. */
#include "rating/contract.h"

#include <stdlib.h>
#include <string.h>

bool
terms_lock(struct db *db, struct error *err)
{
	struct rows rows;

	if (!db_one_row(db, SQL_RATING_TERMS_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

/* Columns of contracts_of_tenants.sql. */
enum {
	CONTRACT_PLACE,
	CONTRACT_ID,
	CONTRACT_EFFECTIVE,
	CONTRACT_CURRENCY,
	CONTRACT_ZONE,
	CONTRACT_BOOK,
	CONTRACT_OVERRIDE,
	CONTRACT_TERMS,
	CONTRACT_UNTIL
};

static const char *
copied(struct contracts *contracts, const struct rows *rows, int row, int column)
{
	return arena_copy(&contracts->arena, row_text(rows, row, column), row_length(rows, row, column));
}

static bool
add_contract(struct contracts *contracts, const struct rows *rows, int row, const char *tenant, struct error *err)
{
	struct contract *contract = &contracts->item[contracts->count++];

	*contract = (struct contract){.contract_id = row_number(rows, row, CONTRACT_ID),
	    .effective = row_instant(rows, row, CONTRACT_EFFECTIVE),
	    .until = row_is_null(rows, row, CONTRACT_UNTIL) ? (struct instant){0} : row_instant(rows, row, CONTRACT_UNTIL),
	    .currency = copied(contracts, rows, row, CONTRACT_CURRENCY),
	    .zone = copied(contracts, rows, row, CONTRACT_ZONE),
	    .book = copied(contracts, rows, row, CONTRACT_BOOK),
	    .override = copied(contracts, rows, row, CONTRACT_OVERRIDE),
	    .terms_text = copied(contracts, rows, row, CONTRACT_TERMS)};
	return contract->terms_text[0] == '\0' ||
	    contract_terms_parse(contract->terms_text, strlen(contract->terms_text),
		arena_format(&contracts->arena, "contract %lld of %s", (long long)contract->contract_id, tenant), "terms",
		contract->zone, &contract->terms, err);
}

bool
contracts_load(struct db *db, const char *const *tenants, struct contracts *out, size_t count, struct error *err)
{
	struct text list = {0};
	struct rows rows;
	bool fine;

	for (size_t i = 0; i < count; i++)
		out[i] = (struct contracts){0};
	text_add_elements(&list, tenants, count);
	fine = db_rows(db, SQL_RATING_CONTRACTS_OF_TENANTS, PARAMS(text_string(&list)), &rows, err);
	text_release(&list);
	if (!fine)
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		size_t place = (size_t)row_number(&rows, i, CONTRACT_PLACE) - 1;

		must(place < count);
		out[place].item = memory_grow(out[place].item, &out[place].room, out[place].count + 1, sizeof *out[place].item);
		fine = add_contract(&out[place], &rows, i, tenants[place], err);
	}
	rows_release(&rows);
	for (size_t i = 0; !fine && i < count; i++)
		contracts_release(&out[i]);
	return fine;
}

void
contracts_release(struct contracts *contracts)
{
	for (size_t i = 0; i < contracts->count; i++)
		contract_terms_free(contracts->item[i].terms);
	free(contracts->item);
	arena_release(&contracts->arena);
	*contracts = (struct contracts){0};
}

struct instant
contract_ends(const struct contracts *contracts, size_t row)
{
	const struct contract *contract = &contracts->item[row];
	struct instant ends = contract->until.us == 0 ? (struct instant){INT64_MAX} : contract->until;

	if (row + 1 < contracts->count && contract[1].effective.us < ends.us)
		return contract[1].effective;
	return ends;
}

size_t
contract_at(const struct contracts *contracts, struct instant at)
{
	size_t row = contracts->count;

	while (row > 0 && contracts->item[row - 1].effective.us > at.us)
		row--;
	return row > 0 && at.us < contract_ends(contracts, row - 1).us ? row : 0;
}

size_t
contract_chain(const struct contracts *contracts, size_t row)
{
	while (row > 0 && contract_ends(contracts, row - 1).us == contracts->item[row].effective.us)
		row--;
	return row;
}

bool
contract_goes_on(const struct contracts *contracts, size_t row)
{
	return row + 1 < contracts->count && contract_ends(contracts, row).us == contracts->item[row + 1].effective.us &&
	    contracts->item[row + 1].effective.us < contract_ends(contracts, row + 1).us;
}

static enum contract_aborted
stated_for_aborted(const struct contract *contract)
{
	return contract->terms == NULL ? ABORTED_UNSTATED : contract->terms->aborted;
}

bool
contract_holds_aborted(const struct contracts *contracts, size_t row)
{
	if (stated_for_aborted(&contracts->item[row]) != ABORTED_HOLD)
		return false;
	for (size_t later = row + 1; later < contracts->count; later++)
		if (stated_for_aborted(&contracts->item[later]) == ABORTED_BILL)
			return false;
	return true;
}

bool
contracts_hold_aborted(const struct contracts *contracts, struct instant from, struct instant until)
{
	for (size_t row = 0; row < contracts->count; row++)
		if (contracts->item[row].effective.us < until.us && from.us < contract_ends(contracts, row).us &&
		    contract_holds_aborted(contracts, row))
			return true;
	return false;
}

/* Do the terms of a row go on in the next one? */
static bool
is_continued(const struct contracts *contracts, size_t row)
{
	const struct contract *contract = &contracts->item[row];

	return row + 1 < contracts->count && strcmp(contract[1].terms_text, contract->terms_text) == 0 &&
	    contract_ends(contracts, row).us == contract[1].effective.us;
}

bool
contracts_segment(const struct contracts *contracts, struct instant period_starts, struct instant period_ends, size_t *row,
    size_t *first, struct contract_segment *out)
{
	while (*row < contracts->count) {
		size_t next = *row + 1;

		*first = *row;
		while (is_continued(contracts, next - 1))
			next++;
		*row = next;
		*out = (struct contract_segment){.period_starts = period_starts,
		    .period_ends = period_ends,
		    .starts = contracts->item[*first].effective,
		    .ends = contract_ends(contracts, next - 1)};
		if (out->starts.us < period_starts.us)
			out->starts = period_starts;
		if (out->ends.us > period_ends.us)
			out->ends = period_ends;
		if (out->starts.us < out->ends.us)
			return true;
	}
	return false;
}
