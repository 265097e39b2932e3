/* rerate_compare.c -- see rerate_compare.h. */
#include "rating/rerate_compare.h"

#include <stdlib.h>

#include "rating/day_amounts.h"

/* Columns of rerate_ratings.sql. */
enum { TENANT, PERIOD, NEW_RATING, OLD_RATING, OUTPUT_DIGEST, CLOSED, BOOKED, DOCUMENT };

/* One key, before and after. */
struct difference {
	const char *model, *service_tier;
	int meter;
	enum charge_kind kind;
	int64_t day;
	i128 old_quantity, new_quantity;
	struct decimal old_amount, new_amount;
};

/* One tenant's period at work. */
struct comparing {
	struct run *run;
	const char *rerate_id;
	struct rerate_comparison *out;
	struct period_source source;
	struct index index;
	struct difference *differences; /* by place in the index */
	size_t room;
	struct text key;
	struct arena arena;
	const char *currency; /* NULL: nothing is charged so far */
	bool is_new;
	struct decimal old_amount, new_amount, up, down;
};

static struct difference *
difference_of(struct comparing *comparing, const struct day_amount *part)
{
	struct difference *difference;
	bool is_new;
	size_t place;

	text_clear(&comparing->key);
	text_add_format(&comparing->key, "%s%c%s%c%d %d %lld", part->model, 0, part->service_tier, 0, part->meter,
	    (int)part->kind, (long long)part->day);
	place = index_number(&comparing->index, comparing->key.bytes, comparing->key.length, &is_new);
	comparing->differences = memory_grow(comparing->differences, &comparing->room, place + 1, sizeof *comparing->differences);
	difference = &comparing->differences[place];
	if (is_new)
		*difference = (struct difference){.model = arena_format(&comparing->arena, "%s", part->model),
		    .service_tier = arena_format(&comparing->arena, "%s", part->service_tier),
		    .meter = part->meter,
		    .kind = part->kind,
		    .day = part->day};
	return difference;
}

static bool
take_part(void *context, const struct day_amount *part, struct error *err)
{
	struct comparing *comparing = context;
	struct difference *difference = difference_of(comparing, part);

	if (comparing->currency == NULL)
		comparing->currency = arena_format(&comparing->arena, "%s", part->currency);
	if (strcmp(comparing->currency, part->currency) != 0) {
		error_set(err, ERROR_STATE, "there are charges in %s and in %s", comparing->currency, part->currency);
		return error_hint(
		    err, "A difference has one currency: credit the invoice in full, and invoice the period again.");
	}
	if (comparing->is_new)
		difference->new_quantity += part->quantity;
	else
		difference->old_quantity += part->quantity;
	return comparing->is_new ? decimal_add(difference->new_amount, part->amount, &difference->new_amount, err)
				 : decimal_add(difference->old_amount, part->amount, &difference->old_amount, err);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void
add_difference_row(struct comparing *comparing, const struct difference *d)
{
	char old_quantity[DECIMAL_TEXT], new_quantity[DECIMAL_TEXT], old_amount[DECIMAL_TEXT], new_amount[DECIMAL_TEXT];
	struct text *out = &comparing->out->differences;
	int64_t year;
	int month, day;

	date_from_days(d->day, &year, &month, &day);
	text_add_format(out, "%s\t%zu\t", comparing->rerate_id, comparing->out->item_count);
	copy_text_column(out, d->model);
	copy_text_column(out, d->service_tier);
	text_add_format(out, "%d\t%s\t%04lld-%02d-%02d\t%s\t%s\t%s\t%s\n", d->meter, charge_kind_text(d->kind), (long long)year,
	    month, day, integer_format(d->old_quantity, old_quantity), integer_format(d->new_quantity, new_quantity),
	    decimal_format(d->old_amount, old_amount), decimal_format(d->new_amount, new_amount));
}

static bool
add_difference(struct comparing *comparing, const struct difference *d, struct error *err)
{
	struct decimal change, *side;

	if (!decimal_add(comparing->old_amount, d->old_amount, &comparing->old_amount, err) ||
	    !decimal_add(comparing->new_amount, d->new_amount, &comparing->new_amount, err) ||
	    !decimal_subtract(d->new_amount, d->old_amount, &change, err))
		return false;
	if (change.e18 == 0 && d->old_quantity == d->new_quantity)
		return true;
	side = change.e18 < 0 ? &comparing->down : &comparing->up;
	if (!decimal_add(*side, change, side, err))
		return false;
	add_difference_row(comparing, d);
	return true;
}

static bool
add_gross(struct comparing *comparing, const struct currency *currency, struct error *err)
{
	struct rerate_comparison *out = comparing->out;
	struct decimal gross;
	size_t place = 0;

	if (!decimal_subtract(comparing->up, comparing->down, &gross, err))
		return false;
	while (place < out->gross_count && out->gross[place].currency != currency)
		place++;
	if (place == out->gross_count) {
		out->gross = memory_grow(out->gross, &out->gross_room, place + 1, sizeof *out->gross);
		out->gross[out->gross_count++] = (struct rerate_gross){.currency = currency};
	}
	return decimal_add(out->gross[place].amount, gross, &out->gross[place].amount, err);
}

static bool
add_item(struct comparing *comparing, const struct rows *ratings, int row, struct error *err)
{
	char old_amount[DECIMAL_TEXT], new_amount[DECIMAL_TEXT], up[DECIMAL_TEXT], down[DECIMAL_TEXT];
	const struct currency *currency = comparing->currency == NULL ? NULL : currency_find(comparing->currency);
	struct text *out = &comparing->out->items;

	if (comparing->currency != NULL && currency == NULL)
		return error_set(err, ERROR_STATE, "the currency %s is not known", comparing->currency);
	text_add_format(out, "%s\t%zu\t", comparing->rerate_id, comparing->out->item_count);
	copy_text_column(out, row_text(ratings, row, TENANT));
	copy_text_column(out, row_text(ratings, row, PERIOD));
	text_add_format(out, "%s\t", row_bool(ratings, row, CLOSED) ? "t" : "f");
	copy_text_column(out, row_text(ratings, row, DOCUMENT));
	text_add_format(out, "%s\t%d\t%s\t\\\\x%s\t%s\t%s\t%s\t%s\n", currency == NULL ? "" : currency->code,
	    currency == NULL ? 0 : currency->minor_units, row_text(ratings, row, OLD_RATING),
	    row_text(ratings, row, OUTPUT_DIGEST), decimal_format(comparing->old_amount, old_amount),
	    decimal_format(comparing->new_amount, new_amount), decimal_format(comparing->up, up),
	    decimal_format(comparing->down, down));
	if (row_bool(ratings, row, CLOSED) && (comparing->up.e18 != 0 || comparing->down.e18 != 0))
		comparing->out->closed_count++;
	return currency == NULL || add_gross(comparing, currency, err);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void
clear(struct comparing *comparing)
{
	index_clear(&comparing->index);
	arena_reset(&comparing->arena);
	comparing->currency = NULL;
	comparing->old_amount = comparing->new_amount = comparing->up = comparing->down = (struct decimal){0};
}

static bool
compare_one(struct comparing *comparing, const struct rows *ratings, int row, struct error *err)
{
	bool fine = true;

	clear(comparing);
	comparing->out->item_count++;
	/* What was rated before its month was closed, and never invoiced, is not booked: all there is now is the
	 * difference. */
	comparing->is_new = false;
	if (!row_bool(ratings, row, CLOSED) || row_bool(ratings, row, BOOKED))
		fine = day_amounts(&comparing->source, row_text(ratings, row, OLD_RATING), take_part, comparing, err);
	comparing->is_new = true;
	fine = fine && day_amounts(&comparing->source, row_text(ratings, row, NEW_RATING), take_part, comparing, err);
	for (size_t i = 0; fine && i < comparing->index.count; i++)
		fine = add_difference(comparing, &comparing->differences[i], err);
	fine = fine && add_item(comparing, ratings, row, err);
	if (!fine)
		error_wrap(err, "comparing %s of %s", row_text(ratings, row, PERIOD), row_text(ratings, row, TENANT));
	return fine;
}

bool
rerate_compare(struct run *run, const char *rerate_id, const char *rating_run, struct rerate_comparison *out, struct error *err)
{
	struct comparing comparing = {.run = run, .rerate_id = rerate_id, .out = out};
	struct rows ratings;
	bool fine;

	*out = (struct rerate_comparison){0};
	if (!db_rows(run->db, SQL_RATING_RERATE_RATINGS, PARAMS(rating_run), &ratings, err))
		return false;
	fine = period_source_open(run->db, &comparing.source, err);
	for (int i = 0; fine && i < ratings.count; i++) {
		fine = compare_one(&comparing, &ratings, i, err);
		progress_count(run, "comparing: tenant periods", i + 1, ratings.count);
	}
	progress_end(run);
	period_source_close(&comparing.source);
	rows_release(&ratings);
	index_release(&comparing.index);
	free(comparing.differences);
	text_release(&comparing.key);
	arena_release(&comparing.arena);
	return fine;
}

void
rerate_comparison_release(struct rerate_comparison *comparison)
{
	text_release(&comparison->items);
	text_release(&comparison->differences);
	free(comparison->gross);
	*comparison = (struct rerate_comparison){0};
}
