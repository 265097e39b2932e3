/* period_rate.c -- see period_rate.h. */
#include "rating/period_rate.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/meter.h"
#include "rating/tiers.h"

/* --- the shelf ------------------------------------------------------------------------------- */

struct shelved {
	struct price_books books;
};

struct book_shelf {
	struct index names;
	struct shelved *books; /* by place in `names` */
	size_t room;
};

struct book_shelf *
book_shelf_new(void)
{
	return memory_new(1, sizeof(struct book_shelf));
}

void
book_shelf_free(struct book_shelf *shelf)
{
	if (shelf == NULL)
		return;
	for (size_t i = 0; i < shelf->names.count; i++)
		price_books_release(&shelf->books[i].books);
	index_release(&shelf->names);
	free(shelf->books);
	free(shelf);
}

static bool
shelf_find(struct book_shelf *shelf, struct db *db, const char *name, const struct price_books **out, struct error *err)
{
	bool is_new;
	size_t place = index_number(&shelf->names, name, strlen(name), &is_new);

	shelf->books = memory_grow(shelf->books, &shelf->room, place + 1, sizeof *shelf->books);
	if (is_new) {
		shelf->books[place] = (struct shelved){0};
		if (!price_books_load(db, name, &shelf->books[place].books, err))
			return false;
	}
	*out = &shelf->books[place].books;
	return true;
}

/* --- which price ----------------------------------------------------------------------------- */

/* One row of intervals_of_period.sql. */
struct usage {
	struct instant start;
	const char *model, *base_model, *service_tier;
	int meter;
	i128 quantity;
};

/* What became of the question which price a usage has: a price, or the reason to hold it. */
struct answer {
	const char *held; /* NULL: priced */
	const struct price_version *version;
	size_t rule;
	const struct meter_price *price;
	int priced_as;
};

struct rating {
	struct db *db;
	struct book_shelf *shelf;
	const struct period_inputs *inputs;
	struct contracts contracts;
	struct rated *out;
	/* Matching is by version, model, base model and service tier; asked once for each. */
	struct index match_index;
	struct match {
		enum price_match outcome;
		size_t rule;
	} * matches;
	size_t match_room;
	/* How much each tier counter has counted; one counter per version, rule and priced-as meter. */
	struct index counter_index;
	i128 *counters;
	size_t counter_room;
	struct text key;
};

static const struct contract *
contract_at(const struct rating *rating, struct instant at)
{
	const struct contract *found = NULL;

	for (size_t i = 0; i < rating->contracts.count; i++)
		if (rating->contracts.item[i].effective.us <= at.us)
			found = &rating->contracts.item[i];
	return found;
}

static const struct price_version *
version_at(const struct rating *rating, const struct price_books *books, struct instant at)
{
	const struct price_version *found = NULL;

	for (size_t i = 0; i < books->count; i++)
		if (books->item[i].version_id <= rating->inputs->priced_with && books->item[i].effective.us <= at.us)
			found = &books->item[i];
	return found;
}

static const struct match *
match(struct rating *rating, const struct price_version *version, const struct usage *usage)
{
	struct price_subject subject = {
	    .model = usage->model, .base_model = usage->base_model, .service_tier = usage->service_tier};
	bool is_new;
	size_t place;

	text_clear(&rating->key);
	text_add_format(&rating->key, "%lld%c%s%c%s%c%s", (long long)version->version_id, 0, usage->model, 0, usage->base_model,
	    0, usage->service_tier);
	place = index_number(&rating->match_index, rating->key.bytes, rating->key.length, &is_new);
	rating->matches = memory_grow(rating->matches, &rating->match_room, place + 1, sizeof *rating->matches);
	if (is_new)
		rating->matches[place].outcome = price_book_match(version->book, &subject, &rating->matches[place].rule);
	return &rating->matches[place];
}

static bool
answer_for(struct rating *rating, const struct usage *usage, struct answer *answer, struct error *err)
{
	const struct contract *contract = contract_at(rating, usage->start);
	const struct price_books *books;
	const struct match *matched;

	*answer = (struct answer){.held = rating->contracts.count == 0 ? "unknown_tenant" : "before_contract"};
	if (contract == NULL)
		return true;
	if (!shelf_find(rating->shelf, rating->db, contract->book, &books, err))
		return false;
	answer->version = version_at(rating, books, usage->start);
	answer->held = "no_price_book";
	if (answer->version == NULL)
		return true;
	answer->held = "other_currency";
	if (strcmp(price_book_currency(answer->version->book), contract->currency) != 0)
		return true;
	matched = match(rating, answer->version, usage);
	answer->held = matched->outcome == PRICE_PATTERN_LIMIT ? "pattern_limit" : "no_rule";
	if (matched->outcome != PRICE_MATCHED)
		return true;
	answer->rule = matched->rule;
	answer->price = price_book_meter(answer->version->book, matched->rule, usage->meter, &answer->priced_as);
	answer->held = answer->price == NULL ? "no_price" : NULL;
	return true;
}

/* --- charges and holds ----------------------------------------------------------------------- */

/* The charge that usage at this price and tier adds to; made when there is none yet. */
static struct charge *
charge_for(struct rating *rating, const struct usage *usage, const struct answer *answer, int tier)
{
	struct rated *out = rating->out;
	struct charge *charge;
	bool is_new;
	size_t place;

	text_clear(&rating->key);
	text_add_format(&rating->key, "%s%c%s%c%d %d %lld %zu %d", usage->model, 0, usage->service_tier, 0, usage->meter,
	    answer->priced_as, (long long)answer->version->version_id, answer->rule, tier);
	place = index_number(&out->charge_index, rating->key.bytes, rating->key.length, &is_new);
	out->charges = memory_grow(out->charges, &out->charge_room, place + 1, sizeof *out->charges);
	charge = &out->charges[place];
	if (is_new) {
		*charge = (struct charge){.model = arena_copy(&out->arena, usage->model, strlen(usage->model)),
		    .service_tier = arena_copy(&out->arena, usage->service_tier, strlen(usage->service_tier)),
		    .meter = usage->meter,
		    .priced_as = answer->priced_as,
		    .version_id = answer->version->version_id,
		    .rule = (int)answer->rule + 1,
		    .tier = tier,
		    .per = answer->price->per,
		    .price = answer->price->step[0].price,
		    .how = answer->price,
		    .currency = price_book_currency(answer->version->book),
		    .first = usage->start};
		out->charge_count++;
	}
	charge->last = usage->start;
	return charge;
}

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

static i128 *
counter_for(struct rating *rating, const struct answer *answer)
{
	bool is_new;
	size_t place;

	text_clear(&rating->key);
	text_add_format(&rating->key, "%lld %zu %d", (long long)answer->version->version_id, answer->rule, answer->priced_as);
	place = index_number(&rating->counter_index, rating->key.bytes, rating->key.length, &is_new);
	rating->counters = memory_grow(rating->counters, &rating->counter_room, place + 1, sizeof *rating->counters);
	if (is_new)
		rating->counters[place] = 0;
	return &rating->counters[place];
}

static bool
charge_usage(struct rating *rating, const struct usage *usage, const struct answer *answer, struct error *err)
{
	const struct meter_price *price = answer->price;
	struct tier_part parts[TIER_STEPS_MAX];
	size_t count;
	i128 *counter;

	if (price->mode == TIER_FLAT) {
		charge_for(rating, usage, answer, 0)->quantity += usage->quantity;
		return true;
	}
	counter = counter_for(rating, answer);
	if (price->mode == TIER_VOLUME) {
		/* Which step it is shows when the whole period is counted; see settle(). */
		struct charge *charge = charge_for(rating, usage, answer, 1);

		charge->quantity += usage->quantity;
		charge->counter = (size_t)(counter - rating->counters);
		*counter += usage->quantity;
		return true;
	}
	if (!tiers_split(price, *counter, usage->quantity, parts, &count, err))
		return false;
	*counter += usage->quantity;
	for (size_t i = 0; i < count; i++) {
		struct charge *charge = charge_for(rating, usage, answer, (int)parts[i].step + 1);

		charge->price = price->step[parts[i].step].price;
		charge->quantity += parts[i].quantity;
	}
	return true;
}

/* Gives volume prices their step, and every charge its amount. */
static bool
settle(struct rating *rating, struct error *err)
{
	for (size_t i = 0; i < rating->out->charge_count; i++) {
		struct charge *charge = &rating->out->charges[i];

		if (charge->how->mode == TIER_VOLUME) {
			size_t step = tiers_volume_step(charge->how, rating->counters[charge->counter]);

			charge->tier = (int)step + 1;
			charge->price = charge->how->step[step].price;
		}
		if (!decimal_price(charge->price, charge->quantity, charge->per * meter_scale(meter_of(charge->meter)),
			ROUND_HALF_EVEN, &charge->amount, err))
			return error_wrap(err, "%s of model \"%s\"", meter_of(charge->meter)->name, charge->model);
	}
	return true;
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
	int order = strcmp(one->model, two->model);

	order = order != 0 ? order : strcmp(one->service_tier, two->service_tier);
	order = order != 0 ? order : compare_numbers(one->meter, two->meter);
	order = order != 0 ? order : compare_numbers(one->version_id, two->version_id);
	order = order != 0 ? order : compare_numbers(one->rule, two->rule);
	order = order != 0 ? order : compare_numbers(one->priced_as, two->priced_as);
	return order != 0 ? order : compare_numbers(one->tier, two->tier);
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

/* --- the period ------------------------------------------------------------------------------ */

static bool
rate_rows(struct rating *rating, const struct rows *rows, struct digest *inputs, struct error *err)
{
	for (int i = 0; i < rows->count; i++) {
		struct usage usage = {.start = row_instant(rows, i, 0),
		    .model = row_text(rows, i, 1),
		    .base_model = row_text(rows, i, 2),
		    .service_tier = row_text(rows, i, 3),
		    .meter = (int)row_number(rows, i, 4),
		    .quantity = row_integer(rows, i, 5)};
		struct answer answer;

		for (int column = 0; column < 6; column++)
			digest_field(inputs, row_text(rows, i, column), row_length(rows, i, column));
		if (!answer_for(rating, &usage, &answer, err))
			return false;
		if (answer.version != NULL)
			digest_number(inputs, answer.version->version_id);
		if (answer.held != NULL)
			rated_hold(rating->out, usage.model, usage.service_tier, usage.meter, answer.held, usage.quantity,
			    usage.start, usage.start);
		else if (!charge_usage(rating, &usage, &answer, err))
			return false;
	}
	return true;
}

static void
begin_inputs(const struct rating *rating, struct digest *digest)
{
	digest_text(digest, rating->inputs->tenant);
	digest_text(digest, rating->inputs->period);
	digest_number(digest, rating->inputs->starts.us);
	digest_number(digest, rating->inputs->ends.us);
	for (size_t i = 0; i < rating->contracts.count; i++)
		digest_number(digest, rating->contracts.item[i].contract_id);
}

/* Contracts that came later than the inputs do not exist here: also "no contract" must come out the same again. */
static void
forget_newer_contracts(struct rating *rating)
{
	struct contracts *contracts = &rating->contracts;
	size_t kept = 0;

	for (size_t i = 0; i < contracts->count; i++)
		if (contracts->item[i].contract_id <= rating->inputs->contracted_with)
			contracts->item[kept++] = contracts->item[i];
	contracts->count = kept;
}

static bool
rate_within(struct rating *rating, struct error *err)
{
	const struct period_inputs *inputs = rating->inputs;
	struct arena arena = {0};
	struct digest *digest;
	struct rows rows;
	bool fine;

	if (!contracts_load(rating->db, inputs->tenant, &rating->contracts, err))
		return false;
	forget_newer_contracts(rating);
	fine = db_rows(rating->db, SQL_RATING_INTERVALS_OF_PERIOD,
	    PARAMS(inputs->tenant, param_instant(&arena, inputs->starts), param_instant(&arena, inputs->ends),
		param_number(&arena, inputs->until_run), "0"),
	    &rows, err);
	arena_release(&arena);
	if (!fine)
		return false;
	digest = digest_new();
	begin_inputs(rating, digest);
	fine = rate_rows(rating, &rows, digest, err) && settle(rating, err);
	digest_end(digest, rating->out->input_digest);
	digest_free(digest);
	rows_release(&rows);
	return fine;
}

bool
period_rate(struct db *db, struct book_shelf *shelf, const struct period_inputs *inputs, struct rated *out, struct error *err)
{
	struct rating rating = {.db = db, .shelf = shelf, .inputs = inputs, .out = out};
	bool fine;

	*out = (struct rated){0};
	fine = rate_within(&rating, err);
	contracts_release(&rating.contracts);
	index_release(&rating.match_index);
	index_release(&rating.counter_index);
	free(rating.matches);
	free(rating.counters);
	text_release(&rating.key);
	if (fine)
		rated_finish(out);
	else
		rated_release(out);
	return fine;
}

void
rated_release(struct rated *rated)
{
	free(rated->charges);
	free(rated->holds);
	index_release(&rated->charge_index);
	index_release(&rated->hold_index);
	arena_release(&rated->arena);
	*rated = (struct rated){0};
}
