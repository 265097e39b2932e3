/* credit_restore.c -- credits that a credit note gives back; see credit.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger/credit.h"

static bool
load_uses(struct run *run, const char *invoice_id, struct credit_uses *uses, struct error *err)
{
	struct rows rows;

	*uses = (struct credit_uses){0};
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_RESTORE_USES, PARAMS(invoice_id), &rows, err))
		return false;
	uses->count = (size_t)rows.count;
	uses->item = memory_new(uses->count, sizeof *uses->item);
	for (int i = 0; i < rows.count; i++)
		uses->item[i] = (struct credit_use){
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
give_back(struct credit_uses *uses, int64_t line, int64_t amount, bool is_now, struct error *err)
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

/* Takes up to `amount` of what a grant paid of a line, or of any where line is 0; what remains of the amount. */
static int64_t
take_of_grant(struct credit_uses *uses, int64_t grant_id, int64_t line, int64_t amount)
{
	for (size_t i = 0; i < uses->count; i++) {
		struct credit_use *use = &uses->item[i];
		int64_t off = use->left < amount ? use->left : amount;

		if (use->grant_id != grant_id || (line != 0 && use->line != line))
			continue;
		use->left -= off;
		amount -= off;
	}
	return amount;
}

/* Columns of credit_restore_lines.sql. */
enum given_column { GIVEN_ENTRY, GIVEN_GRANT, GIVEN_LINE, GIVEN_AMOUNT, GIVEN_NOW };

/* An entry is told of in several rows, one behind the other, the last without a line. */
static bool
go_through_entry(struct credit_uses *uses, const struct rows *rows, int *row, struct error *err)
{
	int64_t entry = row_number(rows, *row, GIVEN_ENTRY), left = row_number(rows, *row, GIVEN_AMOUNT);

	for (; *row < rows->count && !row_is_null(rows, *row, GIVEN_ENTRY) && row_number(rows, *row, GIVEN_ENTRY) == entry;
	     (*row)++)
		left = take_of_grant(uses, row_number(rows, *row, GIVEN_GRANT),
		    row_is_null(rows, *row, GIVEN_LINE) ? 0 : row_number(rows, *row, GIVEN_LINE), left);
	if (left == 0)
		return true;
	error_set(err, ERROR_STATE, "credit entry %lld gives back more than its credit paid", (long long)entry);
	return error_hint(err, "tollbook reconcile shows whether the books are right.");
}

/* Notes are gone through again: which grant got what back of which line follows from their amounts. */
static bool
go_through_notes(struct run *run, const char *invoice_id, const char *credit_note_id, struct credit_uses *uses, struct error *err)
{
	struct rows rows;
	bool fine = true;
	int i = 0;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_RESTORE_LINES, PARAMS(invoice_id, credit_note_id), &rows, err))
		return false;
	while (fine && i < rows.count)
		if (!row_is_null(&rows, i, GIVEN_ENTRY)) {
			fine = go_through_entry(uses, &rows, &i, err);
		} else {
			fine = give_back(uses, row_number(&rows, i, GIVEN_LINE), row_number(&rows, i, GIVEN_AMOUNT),
			    row_bool(&rows, i, GIVEN_NOW), err);
			i++;
		}
	rows_release(&rows);
	return fine;
}

bool
credit_uses_left(struct run *run, const char *invoice_id, struct credit_uses *uses, struct error *err)
{
	return load_uses(run, invoice_id, uses, err) && go_through_notes(run, invoice_id, NULL, uses, err);
}

static bool
write_restore(struct run *run, const char *credit_note_id, const char *grant_id, int64_t minor, struct error *err)
{
	const char *entry_id;

	return credit_entry_add(run, grant_id,
	    &(struct credit_entry){.kind = "restore", .minor = minor, .credit_note_id = credit_note_id}, &entry_id, err);
}

/* One entry for each grant; the first use of a grant stands for all of them. */
static bool
write_restores(struct run *run, const char *credit_note_id, struct credit_uses *uses, struct error *err)
{
	for (size_t i = 0; i < uses->count; i++) {
		int64_t sum = 0;

		for (size_t j = i; j < uses->count; j++)
			if (uses->item[j].grant_id == uses->item[i].grant_id) {
				sum += uses->item[j].back;
				uses->item[j].back = 0;
			}
		if (sum > 0 && !write_restore(run, credit_note_id, param_number(&run->arena, uses->item[i].grant_id), sum, err))
			return false;
	}
	return true;
}

bool
credits_restore(struct run *run, const char *invoice_id, const char *credit_note_id, struct error *err)
{
	struct credit_uses uses;
	bool fine = load_uses(run, invoice_id, &uses, err) && go_through_notes(run, invoice_id, credit_note_id, &uses, err) &&
	    write_restores(run, credit_note_id, &uses, err);

	free(uses.item);
	return fine;
}

bool
credits_give_back(struct run *run, const char *credit_note_id, const struct credit_part *parts, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!write_restore(run, credit_note_id, parts[i].grant_id, parts[i].minor, err))
			return false;
	return true;
}
