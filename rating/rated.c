/* rated.c -- see rated.h. */
#include "rating/rated.h"

#include <stdlib.h>
#include <string.h>

void
rated_hold(struct rated *rated, const char *model, const char *service_tier, int meter, const char *reason, i128 quantity,
    struct instant first, struct instant last)
{
	struct text key = {0};
	struct hold *hold;
	bool is_new;
	size_t place;

	text_add_format(&key, "%s%c%s%c%d %s", model, 0, service_tier, 0, meter, reason);
	place = index_number(&rated->hold_index, key.bytes, key.length, &is_new);
	text_release(&key);
	rated->holds = memory_grow(rated->holds, &rated->hold_room, place + 1, sizeof *rated->holds);
	hold = &rated->holds[place];
	if (is_new) {
		*hold = (struct hold){.model = arena_copy(&rated->arena, model, strlen(model)),
		    .service_tier = arena_copy(&rated->arena, service_tier, strlen(service_tier)),
		    .meter = meter,
		    .reason = arena_copy(&rated->arena, reason, strlen(reason)),
		    .first = first,
		    .last = last};
		rated->hold_count++;
	}
	hold->quantity += quantity;
	hold->first = first.us < hold->first.us ? first : hold->first;
	hold->last = last.us > hold->last.us ? last : hold->last;
}

/* --- order and digests ----------------------------------------------------------------------- */

static int
compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_charges(const void *a, const void *b)
{
	const struct charge *one = a, *two = b;
	bool is_own = one->meter == 0;
	int order;

	/* A contract's own charges come behind, in the order that they are made in. */
	if (is_own != (two->meter == 0))
		return is_own ? 1 : -1;
	if (is_own)
		return compare_numbers((int64_t)one->place, (int64_t)two->place);
	order = strcmp(one->model, two->model);
	order = order != 0 ? order : strcmp(one->service_tier, two->service_tier);
	order = order != 0 ? order : compare_numbers(one->meter, two->meter);
	order = order != 0 ? order : compare_numbers(one->version_id, two->version_id);
	order = order != 0 ? order : compare_numbers(one->rule, two->rule);
	order = order != 0 ? order : compare_numbers(one->priced_as, two->priced_as);
	order = order != 0 ? order : compare_numbers(one->tier, two->tier);
	order = order != 0 ? order : compare_numbers(one->kind, two->kind);
	order = order != 0 ? order : strcmp(one->detail, two->detail);
	order = order != 0 ? order : compare_numbers(one->contract_id, two->contract_id);
	order = order != 0 ? order : compare_numbers(one->per, two->per);
	order = order != 0 ? order : decimal_compare(one->price, two->price);
	/* Only charges of books that are not published can be equal in all of these. */
	return order != 0 ? order : compare_numbers((int64_t)one->place, (int64_t)two->place);
}

static int
compare_holds(const void *a, const void *b)
{
	const struct hold *one = a, *two = b;
	int order = strcmp(one->model, two->model);

	order = order != 0 ? order : strcmp(one->service_tier, two->service_tier);
	order = order != 0 ? order : compare_numbers(one->meter, two->meter);
	return order != 0 ? order : strcmp(one->reason, two->reason);
}

/* What charges did not have at first; left out where it says nothing, so that digests of those days stay what they were. */
static void
digest_more(struct digest *digest, const struct charge *charge)
{
	if (charge->kind == CHARGE_USAGE && charge->billed == charge->quantity && charge->detail[0] == '\0' &&
	    charge->counter[0] == '\0' && charge->contract_id == 0)
		return;
	digest_text(digest, charge_kind_text(charge->kind));
	digest_integer(digest, charge->billed);
	digest_text(digest, charge->detail);
	digest_text(digest, charge->counter);
	digest_number(digest, charge->contract_id);
}

void
rated_finish(struct rated *rated)
{
	struct digest *digest = digest_new();

	if (rated->charge_count > 0)
		qsort(rated->charges, rated->charge_count, sizeof *rated->charges, compare_charges);
	if (rated->hold_count > 0)
		qsort(rated->holds, rated->hold_count, sizeof *rated->holds, compare_holds);
	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *c = &rated->charges[i];
		const int64_t numbers[] = {
		    c->meter, c->priced_as, c->version_id, c->rule, c->tier, c->per, c->first.us, c->last.us};

		digest_text(digest, c->model);
		digest_text(digest, c->service_tier);
		for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
			digest_number(digest, numbers[j]);
		digest_integer(digest, c->price.e18);
		digest_integer(digest, c->quantity);
		digest_integer(digest, c->amount.e18);
		digest_text(digest, c->currency);
		digest_more(digest, c);
	}
	for (size_t i = 0; i < rated->hold_count; i++) {
		const struct hold *h = &rated->holds[i];

		digest_text(digest, h->model);
		digest_text(digest, h->service_tier);
		digest_number(digest, h->meter);
		digest_text(digest, h->reason);
		digest_integer(digest, h->quantity);
		digest_number(digest, h->first.us);
		digest_number(digest, h->last.us);
	}
	digest_end(digest, rated->output_digest);
	digest_free(digest);
}

void
rated_release(struct rated *rated)
{
	free(rated->charges);
	free(rated->holds);
	index_release(&rated->hold_index);
	arena_release(&rated->arena);
	*rated = (struct rated){0};
}
