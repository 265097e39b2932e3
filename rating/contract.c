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

/* Columns of contracts_of_tenant.sql. */
enum { CONTRACT_ID, CONTRACT_EFFECTIVE, CONTRACT_CURRENCY, CONTRACT_ZONE, CONTRACT_BOOK, CONTRACT_OVERRIDE, CONTRACT_TERMS };

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
contracts_load(struct db *db, const char *tenant, struct contracts *out, struct error *err)
{
	struct rows rows;
	bool fine = true;

	*out = (struct contracts){0};
	if (!db_rows(db, SQL_RATING_CONTRACTS_OF_TENANT, PARAMS(tenant), &rows, err))
		return false;
	out->item = memory_new((size_t)rows.count, sizeof *out->item);
	for (int i = 0; fine && i < rows.count; i++)
		fine = add_contract(out, &rows, i, tenant, err);
	rows_release(&rows);
	if (!fine)
		contracts_release(out);
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

bool
contracts_segment(const struct contracts *contracts, struct instant period_starts, struct instant period_ends, size_t *row,
    size_t *first, struct contract_segment *out)
{
	while (*row < contracts->count) {
		size_t next = *row + 1;

		*first = *row;
		while (
		    next < contracts->count && strcmp(contracts->item[next].terms_text, contracts->item[*first].terms_text) == 0)
			next++;
		*row = next;
		*out = (struct contract_segment){.period_starts = period_starts,
		    .period_ends = period_ends,
		    .starts = contracts->item[*first].effective,
		    .ends = next < contracts->count ? contracts->item[next].effective : period_ends};
		if (out->starts.us < period_starts.us)
			out->starts = period_starts;
		if (out->ends.us > period_ends.us)
			out->ends = period_ends;
		if (out->starts.us < out->ends.us)
			return true;
	}
	return false;
}
