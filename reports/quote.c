/* quote.c -- see quote.h. */
#include "reports/quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/zone.h"
#include "rating/tenant_file.h"

enum { BOOKS_MAX = 32 };

static const int64_t day_us = INT64_C(86400) * 1000000;

/* Where the fields of a series go. */
static const enum series_field series_of_match[MATCH_FIELDS] = {
    [MATCH_MODEL] = SERIES_MODEL,
    [MATCH_BASE_MODEL] = SERIES_BASE_MODEL,
    [MATCH_SERVICE_TIER] = SERIES_SERVICE_TIER,
    [MATCH_ADAPTER_KIND] = SERIES_ADAPTER_KIND,
    [MATCH_ADAPTER] = SERIES_ADAPTER,
    [MATCH_PROVIDER] = SERIES_PROVIDER,
    [MATCH_OPERATION] = SERIES_OPERATION,
    [MATCH_REGION] = SERIES_REGION,
    [MATCH_SPEED] = SERIES_SPEED,
    [MATCH_DEPLOYMENT] = SERIES_DEPLOYMENT,
    [MATCH_PROJECT] = SERIES_PROJECT,
    [MATCH_API_KEY] = SERIES_API_KEY,
    [MATCH_ENGINE] = SERIES_FIELDS, /* from the context */
};

struct quote {
	struct book_shelf *shelf;
	const struct price_book *books[BOOKS_MAX];
	size_t book_count;
	struct contracts contracts;
	struct charging_contract *resolved;
	struct distinctions distinctions;
	struct request_classes *classes;
	const struct zone *zone;
	int anchor; /* the day of the month that periods begin on */
	unsigned fields;
	struct usage *usage;
	size_t usage_count, usage_room;
	struct usage_split split;
	struct arena arena; /* of the usage's texts */
};

/* --- opening ----------------------------------------------------------------------------------- */

static bool
load_book(struct quote *quote, const char *path, struct error *err)
{
	const struct price_book_finder finder = book_shelf_finder(quote->shelf, NULL);
	struct text document = {0};
	struct price_book *book;
	bool fine = document_read(path, &document, err) &&
	    price_book_parse(document.bytes, document.length, path, 0, &finder, &book, err);

	text_release(&document);
	if (!fine)
		return false;
	book_shelf_add(quote->shelf, book);
	if (quote->book_count == BOOKS_MAX)
		return error_set(err, ERROR_USAGE, "a quote takes at most %d books", BOOKS_MAX);
	quote->books[quote->book_count++] = book;
	return true;
}

/* When a contract of a file begins or ends: midnight in its zone, or the instant. */
static bool
row_border(
    const struct tenant_file *file, const struct tenant_row *row, const char *border, struct instant *out, struct error *err)
{
	const struct zone *zone = zone_find(row->zone);
	int64_t year;
	int month, day;
	char midnight[32];

	if (zone == NULL) {
		error_set(err, ERROR_INPUT, "there is no such time zone");
		return tenant_row_at(file, row, "zone", row->zone, err);
	}
	if (instant_parse(border, strlen(border), 1, out) == INSTANT_OK)
		return true;
	/* A date, whose form has been checked when the file was read. */
	snprintf(midnight, sizeof midnight, "%.10sT00:00:00Z", border);
	must(instant_parse(midnight, strlen(midnight), 1, out) == INSTANT_OK);
	date_from_days(out->us / day_us, &year, &month, &day);
	must(zone_midnight(zone, (int)year, month, day, out));
	return true;
}

static bool
add_contract(struct quote *quote, const struct tenant_file *file, const struct tenant_row *row, struct error *err)
{
	struct contracts *contracts = &quote->contracts;
	struct contract *contract = &contracts->item[contracts->count];
	struct instant effective, until = {0};

	if (!row_border(file, row, row->effective, &effective, err) ||
	    (row->until != NULL && !row_border(file, row, row->until, &until, err)))
		return false;
	*contract = (struct contract){.effective = effective,
	    .until = until,
	    .currency = arena_copy(&contracts->arena, row->currency, strlen(row->currency)),
	    .zone = arena_copy(&contracts->arena, row->zone, strlen(row->zone)),
	    .book = arena_copy(&contracts->arena, row->book, strlen(row->book)),
	    .override = arena_copy(&contracts->arena, row->override, strlen(row->override)),
	    .terms_text = arena_copy(&contracts->arena, row->terms, strlen(row->terms))};
	contracts->count++;
	quote->anchor = row->anchor;
	return row->terms[0] == '\0' ||
	    contract_terms_parse(row->terms, strlen(row->terms), file->path, row->path, contract->zone, &contract->terms, err);
}

static int
compare_contracts(const void *a, const void *b)
{
	const struct contract *one = a, *two = b;

	return one->effective.us < two->effective.us ? -1 : one->effective.us > two->effective.us;
}

static bool
load_contracts(struct quote *quote, const struct quote_files *files, struct error *err)
{
	struct tenant_file file;
	bool fine = true;

	if (!tenant_file_load(files->contract, &file, err))
		return false;
	quote->contracts.item = memory_new(file.count, sizeof *quote->contracts.item);
	for (size_t i = 0; fine && i < file.count; i++)
		if (strcmp(file.rows[i].tenant, files->tenant) == 0)
			fine = add_contract(quote, &file, &file.rows[i], err);
	if (fine && quote->contracts.count == 0)
		fine = error_set(err, ERROR_INPUT, "the file has no tenant \"%s\"", files->tenant) ||
		    error_at(err, files->contract, 0);
	tenant_file_release(&file);
	if (fine)
		qsort(quote->contracts.item, quote->contracts.count, sizeof *quote->contracts.item, compare_contracts);
	for (size_t i = 0; i < quote->contracts.count; i++)
		quote->contracts.item[i].contract_id = (int64_t)i + 1;
	return fine;
}

/* The book alone, for ever, in UTC. */
static void
make_contract(struct quote *quote)
{
	const struct price_book *book = quote->books[quote->book_count - 1];

	quote->anchor = 1;
	quote->contracts.item = memory_new(1, sizeof *quote->contracts.item);
	quote->contracts.count = 1;
	quote->contracts.item[0] = (struct contract){.contract_id = 1,
	    .currency = price_book_currency(book),
	    .zone = "UTC",
	    .book = price_book_name(book),
	    .override = "",
	    .terms_text = ""};
}

/* The versions of a book among the files. */
static bool
find_books(struct quote *quote, const char *name, const struct price_books **out, struct error *err)
{
	for (size_t i = 0; i < quote->book_count; i++)
		if (strcmp(price_book_name(quote->books[i]), name) == 0) {
			*out = book_shelf_named(quote->shelf, name);
			return true;
		}
	error_set(err, ERROR_INPUT, "the contract names the price book \"%s\", which is in none of the files", name);
	return error_hint(err, "Give its file: --book FILE or --with FILE.");
}

static bool
add_distinction(void *context, const char *kind, int64_t boundary, const char *name, struct error *err)
{
	struct quote *quote = context;
	enum distinction_kind found = distinction_kind_find(kind);

	(void)err;
	must(found != DISTINCT_KINDS);
	/* From the beginning of time: it is only a quote, and what no price asks about makes no difference. */
	distinctions_add(&quote->distinctions, found, boundary, name, (struct instant){0});
	return true;
}

static bool
resolve(struct quote *quote, struct error *err)
{
	quote->resolved = memory_new(quote->contracts.count, sizeof *quote->resolved);
	for (size_t i = 0; i < quote->contracts.count; i++) {
		const struct contract *contract = &quote->contracts.item[i];

		quote->resolved[i].contract = contract;
		if (!find_books(quote, contract->book, &quote->resolved[i].book, err) ||
		    (contract->override[0] != '\0' && !find_books(quote, contract->override, &quote->resolved[i].override, err)))
			return false;
	}
	for (size_t i = 0; i < quote->book_count; i++) {
		quote->fields |= price_book_fields(quote->books[i]);
		if (!price_book_distinctions(quote->books[i], add_distinction, quote, err))
			return false;
	}
	distinctions_settle(&quote->distinctions);
	quote->zone = zone_find(quote->contracts.item[0].zone);
	return quote->zone != NULL || error_set(err, ERROR_INPUT, "there is no time zone \"%s\"", quote->contracts.item[0].zone);
}

bool
quote_open(const struct quote_files *files, struct quote **out, struct error *err)
{
	struct quote *quote = memory_new(1, sizeof *quote);
	bool fine = true;

	quote->shelf = book_shelf_new();
	quote->classes = request_classes_new();
	for (size_t i = 0; fine && i < files->with_count; i++)
		fine = load_book(quote, files->with[i], err);
	fine = fine && load_book(quote, files->book, err);
	if (fine && files->contract != NULL)
		fine = load_contracts(quote, files, err);
	else if (fine)
		make_contract(quote);
	fine = fine && resolve(quote, err);
	if (fine)
		*out = quote;
	else
		quote_close(quote);
	return fine;
}

void
quote_close(struct quote *quote)
{
	contracts_release(&quote->contracts);
	free(quote->resolved);
	distinctions_release(&quote->distinctions);
	request_classes_free(quote->classes);
	book_shelf_free(quote->shelf);
	free(quote->usage);
	free(quote->split.shares);
	arena_release(&quote->arena);
	free(quote);
}

const char *
quote_currency(const struct quote *quote)
{
	return quote->contracts.item[0].currency;
}

/* --- usage ------------------------------------------------------------------------------------- */

static void
add_usage(struct quote *quote, const struct usage *base, const struct request_class *class, int meter, int64_t quantity)
{
	static const enum distinction_kind kinds[PRICE_SIZES] = {
	    [SIZE_INPUT] = DISTINCT_INPUT,
	    [SIZE_UNCACHED_INPUT] = DISTINCT_UNCACHED_INPUT,
	    [SIZE_OUTPUT] = DISTINCT_OUTPUT,
	    [SIZE_PART] = DISTINCT_PART,
	};
	struct usage *usage;

	quote->usage = memory_grow(quote->usage, &quote->usage_room, quote->usage_count + 1, sizeof *quote->usage);
	usage = &quote->usage[quote->usage_count++];
	*usage = *base;
	usage->meter = meter;
	usage->quantity = quantity;
	usage->subject.field[MATCH_ENGINE] = class->engine;
	usage->subject.tags = strcmp(class->tags, "{}") == 0 ? "" : class->tags;
	for (size_t i = 0; i < PRICE_SIZES; i++)
		usage->size[i] = class->from[kinds[i]];
}

/* The month that it is of must end at a time that can be written. */
static bool
check_time(struct instant time, struct error *err)
{
	static const char last[] = "9999-11-30T00:00:00Z";
	struct instant end;

	must(instant_parse(last, sizeof last - 1, 1, &end) == INSTANT_OK);
	if (time.us < end.us)
		return true;
	error_set(err, ERROR_INPUT, "a quote takes usage before %s", last);
	return error_hint(err, "Give the time of the usage in UTC, for example 2026-10-01T12:00:00Z.");
}

/* `usage` has what is known beside row and fields. */
static bool
add_row(struct quote *quote, const struct usage_row *row, const char *const fields[MATCH_FIELDS], bool is_request,
    struct usage usage, struct error *err)
{
	const struct era *era = is_request ? distinctions_at(&quote->distinctions, row->time) : NULL;

	usage.start = instant_interval(row->time);
	/* As in the ledger's sums, fields that no price asks for are not told apart. */
	for (size_t i = 0; i < MATCH_FIELDS; i++) {
		bool asked = i <= MATCH_SERVICE_TIER || (quote->fields >> i & 1) != 0;

		usage.subject.field[i] =
		    !asked || fields[i] == NULL ? "" : arena_copy(&quote->arena, fields[i], strlen(fields[i]));
	}
	if (!check_time(row->time, err) || !request_classes_split(quote->classes, era, row, &quote->split, err))
		return false;
	if (!quote->split.whole) {
		for (size_t i = 0; i < quote->split.count; i++)
			add_usage(quote, &usage, request_class_of(quote->classes, quote->split.shares[i].class_id),
			    quote->split.shares[i].meter, quote->split.shares[i].quantity);
		return true;
	}
	for (int meter = 1; meter < METER_LIMIT; meter++)
		if ((row->stated >> meter & 1) != 0)
			add_usage(
			    quote, &usage, request_class_of(quote->classes, quote->split.class_id), meter, row->quantity[meter]);
	return true;
}

bool
quote_add(
    struct quote *quote, const struct usage_row *row, const char *const fields[MATCH_FIELDS], bool is_request, struct error *err)
{
	return add_row(quote, row, fields, is_request, (struct usage){0}, err);
}

/* Told apart from other usage only where a contract says so, as in the ledger's sums. */
static bool
is_aborted(const struct quote *quote, const struct usage_event *event)
{
	static const char aborted[] = "aborted";
	const struct bytes *status = &event->series[SERIES_STATUS];

	return status->length == strlen(aborted) && memcmp(status->at, aborted, status->length) == 0 &&
	    contracts_hold_aborted(&quote->contracts, event->time, (struct instant){event->time.us + 1});
}

bool
quote_add_event(struct quote *quote, const struct usage_event *event, struct error *err)
{
	struct usage_row row = {
	    .time = event->time, .context_input_tokens = event->context_input_tokens, .context = event->context};
	const char *fields[MATCH_FIELDS] = {0};

	/* What was not used is not in the ledger's sums. */
	for (size_t i = 0; i < event->quantity_count; i++) {
		if (event->quantities[i].quantity == 0)
			continue;
		row.stated |= UINT64_C(1) << event->quantities[i].meter;
		row.quantity[event->quantities[i].meter] = event->quantities[i].quantity;
	}
	for (size_t i = 0; i < MATCH_FIELDS; i++)
		if (series_of_match[i] != SERIES_FIELDS) {
			const struct bytes *value = &event->series[series_of_match[i]];

			fields[i] = arena_copy(&quote->arena, value->at, value->length);
		}
	return add_row(quote, &row, fields, true, (struct usage){.is_aborted = is_aborted(quote, event)}, err);
}

/* As the ledger writes them. */
static const char *
tags_stored(const struct usage *usage)
{
	return usage->subject.tags[0] == '\0' ? "{}" : usage->subject.tags;
}

/* As period_usage.c orders usage. */
static int
compare_usage(const void *a, const void *b)
{
	const struct usage *one = a, *two = b;
	int order = one->start.us < two->start.us ? -1 : one->start.us > two->start.us;

	for (size_t i = 0; order == 0 && i < MATCH_ENGINE; i++)
		order = strcmp(one->subject.field[i], two->subject.field[i]);
	order = order != 0 ? order : one->is_aborted - two->is_aborted;
	for (size_t i = 0; order == 0 && i < PRICE_SIZES; i++)
		order = one->size[i] < two->size[i] ? -1 : one->size[i] > two->size[i];
	order = order != 0 ? order : strcmp(one->subject.field[MATCH_ENGINE], two->subject.field[MATCH_ENGINE]);
	order = order != 0 ? order : strcmp(tags_stored(one), tags_stored(two));
	return order != 0 ? order : one->meter - two->meter;
}

/* Sorts, and adds up what nothing tells apart. */
static void
sum_usage(struct quote *quote)
{
	size_t kept = 0;

	if (quote->usage_count == 0)
		return;
	qsort(quote->usage, quote->usage_count, sizeof *quote->usage, compare_usage);
	for (size_t i = 1; i < quote->usage_count; i++) {
		if (compare_usage(&quote->usage[kept], &quote->usage[i]) == 0)
			quote->usage[kept].quantity += quote->usage[i].quantity;
		else
			quote->usage[++kept] = quote->usage[i];
	}
	quote->usage_count = kept + 1;
}

/* --- rating ------------------------------------------------------------------------------------ */

/* What one month leaves to the next ones. */
struct left_over {
	struct carried *carried;
	struct spent *spent;
	size_t carried_count, carried_room, spent_count, spent_room;
};

/* Is it spend that a commitment counts? */
static bool
is_committed(const struct quote *quote, const struct charge *charge)
{
	const struct contract_terms *terms =
	    charge->contract_id == 0 ? NULL : quote->contracts.item[charge->contract_id - 1].terms;

	return terms != NULL && terms->commitment.is_set &&
	    (charge->kind == CHARGE_USAGE || charge->kind == CHARGE_TIER_FEE || charge->kind == CHARGE_DISCOUNT);
}

static bool
leave(const struct quote *quote, struct left_over *left, const struct quoted_period *period, struct error *err)
{
	struct decimal spent = {0};

	for (size_t i = 0; i < period->rated.charge_count; i++) {
		const struct charge *charge = &period->rated.charges[i];

		if (charge->counter[0] != '\0') {
			left->carried =
			    memory_grow(left->carried, &left->carried_room, left->carried_count + 1, sizeof *left->carried);
			left->carried[left->carried_count++] = (struct carried){charge->counter, charge->quantity};
		}
		if (is_committed(quote, charge) && !decimal_add(spent, charge->amount, &spent, err))
			return false;
	}
	left->spent = memory_grow(left->spent, &left->spent_room, left->spent_count + 1, sizeof *left->spent);
	left->spent[left->spent_count++] = (struct spent){period->period, spent};
	return true;
}

/* When the period of a month begins, whose number may be 13: the first one of the next year. */
static struct instant
period_begin(const struct quote *quote, int year, int month)
{
	static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	struct instant starts;
	int last;

	if (month == 13) {
		year++;
		month = 1;
	}
	last = days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
	must(zone_midnight(quote->zone, year, month, quote->anchor < last ? quote->anchor : last, &starts));
	return starts;
}

/* The period of the usage at an instant, and its borders. */
static void
month_of(const struct quote *quote, struct instant at, char period[8], struct instant *starts, struct instant *ends)
{
	struct civil civil = zone_civil(quote->zone, at);

	/* Not from the local date: where clocks go back over the midnight that a period begins with, the date is there before that. */
	if (at.us < period_begin(quote, civil.year, civil.month).us && --civil.month == 0) {
		civil.month = 12;
		civil.year--;
	}
	*starts = period_begin(quote, civil.year, civil.month);
	*ends = period_begin(quote, civil.year, civil.month + 1);
	snprintf(period, 8, "%04u-%02u", (unsigned)civil.year % 10000, (unsigned)civil.month % 100);
}

static bool
rate_month(struct quote *quote, size_t *first, const struct left_over *left, struct quoted_period *out, struct error *err)
{
	struct charging_inputs inputs = {.contracts = &quote->contracts,
	    .resolved = quote->resolved,
	    .carried = left->carried,
	    .carried_count = left->carried_count,
	    .spent = left->spent,
	    .spent_count = left->spent_count};
	struct charging *charging;
	bool fine = true;

	month_of(quote, quote->usage[*first].start, out->period, &inputs.starts, &inputs.ends);
	inputs.period = out->period;
	charging = charging_new(&inputs, NULL, &out->rated);
	for (; fine && *first < quote->usage_count && quote->usage[*first].start.us < inputs.ends.us; ++*first)
		fine = charging_add(charging, &quote->usage[*first], err);
	fine = fine && charging_settle(charging, err);
	charging_free(charging);
	return fine;
}

static size_t
count_months(const struct quote *quote)
{
	struct instant starts, ends = {INT64_MIN};
	size_t months = 0;
	char period[8];

	for (size_t i = 0; i < quote->usage_count; i++)
		if (quote->usage[i].start.us >= ends.us) {
			month_of(quote, quote->usage[i].start, period, &starts, &ends);
			months++;
		}
	return months;
}

bool
quote_rate(struct quote *quote, struct quoted *out, struct error *err)
{
	struct left_over left = {0};
	size_t next = 0;
	bool fine = true;

	sum_usage(quote);
	*out = (struct quoted){.item = memory_new(count_months(quote), sizeof *out->item)};
	while (fine && next < quote->usage_count) {
		struct quoted_period *period = &out->item[out->count++];

		fine = rate_month(quote, &next, &left, period, err) && leave(quote, &left, period, err);
	}
	free(left.carried);
	free(left.spent);
	quote->usage_count = 0;
	arena_reset(&quote->arena);
	if (!fine)
		quoted_release(out);
	return fine;
}

static bool
is_same(const struct charge *one, const struct charge *two)
{
	return one->kind == two->kind && one->meter == two->meter && one->priced_as == two->priced_as && one->rule == two->rule &&
	    one->tier == two->tier && one->per == two->per && one->contract_id == two->contract_id &&
	    strcmp(one->model, two->model) == 0 && strcmp(one->service_tier, two->service_tier) == 0 &&
	    (one->meter == 0 || (one->price.e18 == two->price.e18 && strcmp(one->detail, two->detail) == 0));
}

static bool
subtract(struct rated *whole, const struct charge *before, struct error *err)
{
	struct charge *charge = NULL;

	for (size_t i = 0; i < whole->charge_count && charge == NULL; i++)
		if (is_same(&whole->charges[i], before))
			charge = &whole->charges[i];
	if (charge == NULL) {
		whole->charges =
		    memory_grow(whole->charges, &whole->charge_room, whole->charge_count + 1, sizeof *whole->charges);
		charge = &whole->charges[whole->charge_count++];
		*charge = *before;
		charge->amount.e18 = 0;
		charge->quantity = charge->billed = 0;
	}
	charge->quantity -= before->quantity;
	charge->billed -= before->billed;
	return decimal_subtract(charge->amount, before->amount, &charge->amount, err);
}

bool
quoted_subtract(struct quoted *whole, const struct quoted *before, struct error *err)
{
	for (size_t i = 0; i < before->count; i++) {
		struct rated *rated = NULL;
		size_t kept = 0;

		for (size_t j = 0; j < whole->count && rated == NULL; j++)
			if (strcmp(whole->item[j].period, before->item[i].period) == 0)
				rated = &whole->item[j].rated;
		must(rated != NULL);
		for (size_t j = 0; j < before->item[i].rated.charge_count; j++)
			if (!subtract(rated, &before->item[i].rated.charges[j], err))
				return false;
		for (size_t j = 0; j < rated->charge_count; j++)
			if (rated->charges[j].quantity != 0 || rated->charges[j].amount.e18 != 0)
				rated->charges[kept++] = rated->charges[j];
		rated->charge_count = kept;
	}
	return true;
}

void
quoted_release(struct quoted *quoted)
{
	for (size_t i = 0; i < quoted->count; i++)
		rated_release(&quoted->item[i].rated);
	free(quoted->item);
	*quoted = (struct quoted){0};
}
