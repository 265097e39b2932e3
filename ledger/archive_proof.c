/* archive_proof.c -- see archive_proof.h. */
#include "ledger/archive_proof.h"

#include <stdlib.h>

static struct instant
month_start(int year, int month)
{
	return (struct instant){days_from_date(year, month, 1) * 86400 * 1000000};
}

void
proving_begin(struct proving *proving, const char month[8])
{
	int year = (month[0] - '0') * 1000 + (month[1] - '0') * 100 + (month[2] - '0') * 10 + month[3] - '0';
	int number = (month[5] - '0') * 10 + month[6] - '0';

	proving->digest = digest_new();
	proving->starts = month_start(year, number);
	proving->ends = number == 12 ? month_start(year + 1, 1) : month_start(year, number + 1);
}

static void
end_batch(struct proving *proving)
{
	struct archive_totals *totals = &proving->totals;

	if (totals->proof_count > 0)
		digest_end(proving->digest, totals->proofs[totals->proof_count - 1].digest);
}

static void
begin_batch(struct proving *proving, int64_t batch)
{
	struct archive_totals *totals = &proving->totals;

	end_batch(proving);
	totals->proofs = memory_grow(totals->proofs, &totals->proof_room, totals->proof_count + 1, sizeof *totals->proofs);
	totals->proofs[totals->proof_count++] = (struct archive_proof){.batch = batch};
	digest_begin(proving->digest);
}

const char *
proving_row(struct proving *proving, const struct archive_row *row, const char *bytes, size_t length)
{
	struct archive_totals *totals = &proving->totals;

	if (row->time.us < proving->starts.us || row->time.us >= proving->ends.us)
		return "a row is not of the month";
	for (size_t i = 0; i < row->extra_count; i += 2)
		if (row->extra[i] <= METER_COLUMNS || row->extra[i] >= METER_LIMIT || row->extra_count % 2 != 0)
			return "a row has a meter that this program does not know";
	if (totals->rows > 0 && archive_row_compare(&proving->last, row) >= 0)
		return "rows are not in their order";
	if (totals->rows == 0 || proving->last.batch != row->batch)
		begin_batch(proving, row->batch);
	proving->last.batch = row->batch;
	proving->last.ordinal = row->ordinal;
	proving->last.shape = row->shape;
	digest_field(proving->digest, bytes, length);
	totals->proofs[totals->proof_count - 1].rows++;
	totals->rows++;
	archive_row_sum(row, totals->sums);
	return NULL;
}

void
proving_end(struct proving *proving)
{
	struct archive_totals *totals = &proving->totals;

	end_batch(proving);
	digest_begin(proving->digest);
	for (size_t i = 0; i < totals->proof_count; i++) {
		digest_number(proving->digest, totals->proofs[i].batch);
		digest_number(proving->digest, totals->proofs[i].rows);
		digest_field(proving->digest, totals->proofs[i].digest, DIGEST_SIZE);
	}
	digest_end(proving->digest, totals->rows_digest);
}

void
proving_release(struct proving *proving)
{
	digest_free(proving->digest);
	free(proving->totals.proofs);
}
