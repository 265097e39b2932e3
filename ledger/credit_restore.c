/* credit_restore.c -- credits that a credit note gives back; see credit.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger/credit.h"

/* What a grant paid of a line, as far as it is not given back; and what this credit note gives back of it. */
struct use {
	int64_t line, grant_id;
	int64_t left, back;
};

struct uses {
	struct use *item; /* in the order of lines */
	size_t count;
};

static bool
load_uses(struct run *run, const char *credit_note_id, struct uses *uses, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_RESTORE_USES, PARAMS(credit_note_id), &rows, err))
		return false;
	uses->count = (size_t)rows.count;
	uses->item = memory_new(uses->count, sizeof *uses->item);
	for (int i = 0; i < rows.count; i++)
		uses->item[i] = (struct use){
		    .line = row_number(&rows, i, 0), .grant_id = row_number(&rows, i, 1), .left = row_number(&rows, i, 2)};
	rows_release(&rows);
	return true;
}

static bool
refuse_too_much(int64_t line, struct error *err)
{
	error_set(err, ERROR_STATE, "credit notes would give back more than credits paid of line %lld", (long long)line);
	return error_hint(err, "tollbook reconcile shows whether the books are right.");
}

/* Takes `amount` of a line from what its grants paid and have not back, in proportion; so the last note takes the rest. */
static bool
give_back(struct uses *uses, int64_t line, int64_t amount, bool is_now, struct error *err)
{
	int64_t *weights = memory_new(2 * uses->count, sizeof *weights), *parts = weights + uses->count, sum = 0;
	bool fine;

	for (size_t i = 0; i < uses->count; i++) {
		weights[i] = uses->item[i].line == line ? uses->item[i].left : 0;
		sum += weights[i];
	}
	if (amount < 0 || amount > sum)
		fine = refuse_too_much(line, err);
	else
		fine = split_by_largest_remainder(amount, weights, uses->count, parts, err);
	for (size_t i = 0; fine && i < uses->count; i++) {
		uses->item[i].left -= parts[i];
		uses->item[i].back += is_now ? parts[i] : 0;
	}
	free(weights);
	return fine;
}

/* Earlier notes are gone through again: which grant got what back of which line follows from their amounts. */
static bool
go_through_notes(struct run *run, const char *credit_note_id, struct uses *uses, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_RESTORE_LINES, PARAMS(credit_note_id), &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++)
		fine = give_back(uses, row_number(&rows, i, 0), row_number(&rows, i, 1), row_bool(&rows, i, 2), err);
	rows_release(&rows);
	return fine;
}

/* One entry for each grant; the first use of a grant stands for all of them. */
static bool
write_restores(struct run *run, const char *credit_note_id, struct uses *uses, struct error *err)
{
	for (size_t i = 0; i < uses->count; i++) {
		int64_t sum = 0;
		const char *entry_id;

		for (size_t j = i; j < uses->count; j++)
			if (uses->item[j].grant_id == uses->item[i].grant_id) {
				sum += uses->item[j].back;
				uses->item[j].back = 0;
			}
		if (sum > 0 &&
		    !credit_entry_add(run, param_number(&run->arena, uses->item[i].grant_id),
			&(struct credit_entry){.kind = "restore", .minor = sum, .credit_note_id = credit_note_id}, &entry_id,
			err))
			return false;
	}
	return true;
}

bool
credits_restore(struct run *run, const char *credit_note_id, struct error *err)
{
	struct uses uses = {0};
	bool fine = load_uses(run, credit_note_id, &uses, err) && go_through_notes(run, credit_note_id, &uses, err) &&
	    write_restores(run, credit_note_id, &uses, err);

	free(uses.item);
	return fine;
}
