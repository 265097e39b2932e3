/* rating_stored.c -- see rating_stored.h. */
#include "rating/rating_stored.h"

#include <string.h>

#include "rating/rated.h"

static const char *
copied(struct rated *out, const struct rows *rows, int row, int column)
{
	return arena_copy(&out->arena, row_text(rows, row, column), row_length(rows, row, column));
}

static bool
load_charges(struct db *db, const char *rating_id, struct rated *out, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_RATING_CHARGES_OF_RATING, PARAMS(rating_id), &rows, err))
		return false;
	out->charges = memory_grow(out->charges, &out->charge_room, (size_t)rows.count + 1, sizeof *out->charges);
	for (int i = 0; i < rows.count; i++) {
		struct charge *charge = &out->charges[out->charge_count];

		*charge = (struct charge){.model = copied(out, &rows, i, 0),
		    .service_tier = copied(out, &rows, i, 1),
		    .meter = (int)row_number(&rows, i, 2),
		    .priced_as = (int)row_number(&rows, i, 3),
		    .version_id = row_number(&rows, i, 4),
		    .book = "",
		    .rule = (int)row_number(&rows, i, 5),
		    .tier = (int)row_number(&rows, i, 6),
		    .price = row_decimal(&rows, i, 7),
		    .per = row_number(&rows, i, 8),
		    .quantity = row_integer(&rows, i, 9),
		    .amount = row_decimal(&rows, i, 10),
		    .currency = copied(out, &rows, i, 11),
		    .first = row_instant(&rows, i, 12),
		    .last = row_instant(&rows, i, 13),
		    .billed = row_integer(&rows, i, 15),
		    .detail = copied(out, &rows, i, 16),
		    .counter = copied(out, &rows, i, 17),
		    .contract_id = row_number(&rows, i, 18),
		    .place = out->charge_count};
		must(charge_kind_find(row_text(&rows, i, 14), &charge->kind));
		out->charge_count++;
	}
	rows_release(&rows);
	return true;
}

static bool
load_holds(struct db *db, const char *rating_id, struct rated *out, struct error *err)
{
	struct rows rows;

	if (!db_rows(db, SQL_RATING_HOLDS_OF_RATING, PARAMS(rating_id), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		rated_hold(out, row_text(&rows, i, 0), row_text(&rows, i, 1), (int)row_number(&rows, i, 2), row_text(&rows, i, 3),
		    row_integer(&rows, i, 4), row_instant(&rows, i, 5), row_instant(&rows, i, 6));
	rows_release(&rows);
	return true;
}

/* Columns of ratings_stored.sql: rating, tenant, period, digest, whether that covers the charges. */
static bool
verify_one(struct run *run, const struct rows *ratings, int row, verify_differs *differs, void *context, struct error *err)
{
	struct rated stored = {0};
	char digest[DIGEST_HEX];
	bool fine = (!row_bool(ratings, row, 4) || load_charges(run->db, row_text(ratings, row, 0), &stored, err)) &&
	    load_holds(run->db, row_text(ratings, row, 0), &stored, err);

	if (fine) {
		rated_finish(&stored);
		if (strcmp(digest_hex(stored.output_digest, DIGEST_SIZE, digest), row_text(ratings, row, 3)) != 0)
			differs(context, row_text(ratings, row, 2), row_text(ratings, row, 1));
	}
	rated_release(&stored);
	return fine;
}

bool
ratings_stored_verify(struct run *run, verify_differs *differs, void *context, struct error *err)
{
	struct rows ratings;
	bool fine = true;

	if (!db_rows(run->db, SQL_RATING_RATINGS_STORED, NO_PARAMS, &ratings, err))
		return false;
	for (int i = 0; fine && i < ratings.count; i++)
		fine = verify_one(run, &ratings, i, differs, context, err);
	rows_release(&ratings);
	return fine;
}
