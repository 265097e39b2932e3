/* contract_terms.c -- see contract_terms.h. */
#include "rating/contract_terms.h"

#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/zone.h"

enum { FIELD = 192 };

static const i128 one = 1000000000000000000;
/* No contract is about more, and sums of such amounts stay within a decimal's range. */
static const i128 amount_most = (i128)1000000000000000 * 1000000000000000000;

/* What the parts of an object are read with. */
struct reader {
	struct document document;
	const char *zone;
	struct contract_terms *terms;
};

/* --- values ---------------------------------------------------------------------------------- */

static bool
read_name(const struct reader *reader, json_t *object, const char *path, const char **out)
{
	if (!document_text(&reader->document, object, path, "name", true, CONTRACT_NAME_BYTES, out))
		return false;
	*out = arena_copy(&reader->terms->arena, *out, strlen(*out));
	return true;
}

static bool
refuse_same_name(const struct reader *reader, json_t *object, const char *path)
{
	char field[FIELD];

	document_refuse(&reader->document, document_path(field, sizeof field, path, "name"), json_object_get(object, "name"),
	    "another one in this list has the same name");
	return error_hint(reader->document.err, "Charges are told apart by it: give each a name of its own.");
}

/* Decimal text from 0 (`positive`: above 0) to 10^15. */
static bool
read_decimal(const struct reader *reader, json_t *object, const char *path, const char *key, bool positive, struct decimal *out)
{
	const json_t *value = json_object_get(object, key);
	char field[FIELD];
	struct error why;

	document_path(field, sizeof field, path, key);
	if (value == NULL)
		return document_refuse(&reader->document, field, object, "\"%s\" is missing", key);
	if (!json_is_string(value)) {
		document_refuse(&reader->document, field, value,
		    "\"%s\" is decimal text, so that no program turns it into a binary fraction", key);
		return error_hint(reader->document.err, "Write it in quotes: \"%s\": \"12.50\"", key);
	}
	if (!decimal_parse(json_string_value(value), json_string_length(value), out, &why)) {
		document_refuse(&reader->document, field, value, "not a decimal number: %.200s", why.message);
		return error_hint(reader->document.err, "%s", why.hint);
	}
	if (out->e18 >= (positive ? 1 : 0) && out->e18 <= amount_most)
		return true;
	return document_refuse(&reader->document, field, value, "\"%s\" must be %s and at most 10^15", key,
	    positive ? "above zero" : "zero or more");
}

/* True or false, false where it is absent. */
static bool
read_flag(const struct reader *reader, json_t *object, const char *path, const char *key, bool *out)
{
	const json_t *value = json_object_get(object, key);
	char field[FIELD];

	*out = json_is_true(value);
	if (value == NULL || json_is_boolean(value))
		return true;
	return document_refuse(
	    &reader->document, document_path(field, sizeof field, path, key), value, "\"%s\" is true or false", key);
}

/* Which of `names` the text under `key` is. */
static bool
read_choice(const struct reader *reader, json_t *object, const char *path, const char *key, const char *const *names,
    size_t count, size_t *out)
{
	char field[FIELD];
	const char *text;

	if (!document_text(&reader->document, object, path, key, true, CONTRACT_NAME_BYTES, &text))
		return false;
	for (*out = 0; *out < count; (*out)++)
		if (strcmp(names[*out], text) == 0)
			return true;
	document_refuse(&reader->document, document_path(field, sizeof field, path, key), json_object_get(object, key),
	    "\"%s\" cannot be this", key);
	return document_suggest(reader->document.err, text, names, count);
}

static int
digits(const char *text, size_t count)
{
	int number = 0;

	for (size_t i = 0; i < count; i++)
		number = number * 10 + (text[i] - '0');
	return number;
}

/* "YYYY-MM-DD": when that day begins in the zone. */
static bool
read_day(const struct reader *reader, const char *field, const json_t *value, struct instant *out)
{
	const struct zone *zone = zone_find(reader->zone);
	const char *text = json_string_value(value);
	char whole[32];

	if (zone == NULL) {
		document_refuse(&reader->document, field, value, "there is no time zone \"%.64s\" that this day could begin in",
		    reader->zone);
		return error_hint(reader->document.err, "Name it as the IANA database does, for example Europe/Berlin.");
	}
	snprintf(whole, sizeof whole, "%.10sT00:00:00Z", text);
	if (instant_parse(whole, strlen(whole), 2020, out) == INSTANT_OK &&
	    zone_midnight(zone, digits(text, 4), digits(text + 5, 2), digits(text + 8, 2), out))
		return true;
	return document_refuse(&reader->document, field, value, "there is no such day from 2020 on");
}

static bool
read_time(const struct reader *reader, json_t *object, const char *path, const char *key, struct instant *out)
{
	const json_t *value = json_object_get(object, key);
	char field[FIELD];

	document_path(field, sizeof field, path, key);
	if (value == NULL)
		return document_refuse(&reader->document, field, object, "\"%s\" is missing", key);
	if (json_is_string(value) && json_string_length(value) == 10)
		return read_day(reader, field, value, out);
	if (json_is_string(value) &&
	    instant_parse(json_string_value(value), json_string_length(value), 2020, out) == INSTANT_OK &&
	    instant_interval(*out).us == out->us)
		return true;
	document_refuse(&reader->document, field, value, "not a time that terms can change at");
	return error_hint(
	    reader->document.err, "Write YYYY-MM-DD for midnight in the tenant's zone, or RFC 3339 on a quarter of an hour.");
}

/* --- scopes ---------------------------------------------------------------------------------- */

static bool
read_meter(const struct reader *reader, const char *path, const json_t *value, struct contract_scope *scope)
{
	const char *name = json_string_value(value), *names[METER_LIMIT];
	const struct meter *meter = name == NULL ? NULL : meter_find(name, strlen(name));

	if (meter != NULL) {
		scope->meter[meter->id] = true;
		return true;
	}
	if (name == NULL)
		return document_refuse(&reader->document, path, value, "must be the name of a meter");
	for (int id = 1; id < METER_LIMIT; id++)
		names[id - 1] = meter_of(id)->name;
	document_refuse(&reader->document, path, value, "there is no meter \"%.64s\"", name);
	return document_suggest(reader->document.err, name, names, METER_LIMIT - 1);
}

static bool
read_meters(const struct reader *reader, json_t *object, const char *path, struct contract_scope *scope)
{
	json_t *list = json_object_get(object, "meters"), *value;
	char field[FIELD], place[FIELD];
	size_t i;

	scope->any_meter = list == NULL;
	if (list == NULL)
		return true;
	document_path(field, sizeof field, path, "meters");
	if (!json_is_array(list) || json_array_size(list) == 0)
		return document_refuse(&reader->document, field, list, "\"meters\" must be a list of at least one meter");
	json_array_foreach(list, i, value)
	{
		snprintf(place, sizeof place, "%.150s[%zu]", field, i);
		if (!read_meter(reader, place, value, scope))
			return false;
	}
	return true;
}

static bool
read_scope(const struct reader *reader, json_t *object, const char *path, struct contract_scope *scope)
{
	struct arena *arena = &reader->terms->arena;
	const char *pattern, *tier;
	char field[FIELD];
	size_t position;

	if (!read_meters(reader, object, path, scope) ||
	    !document_text(&reader->document, object, path, "service_tier", false, CONTRACT_NAME_BYTES, &tier) ||
	    !document_text(&reader->document, object, path, "model_pattern", false, PATTERN_BYTES, &pattern))
		return false;
	if (tier != NULL && strcmp(tier, "*") != 0)
		scope->service_tier = arena_copy(arena, tier, strlen(tier));
	if (pattern == NULL)
		return true;
	scope->model_pattern = arena_copy(arena, pattern, strlen(pattern));
	if (pattern_compile(pattern, strlen(pattern), &scope->pattern, &position, reader->document.err))
		return true;
	document_path(field, sizeof field, path, "model_pattern");
	document_at(&reader->document, field);
	return error_field(reader->document.err, field, pattern, strlen(pattern));
}

enum pattern_answer
contract_scope_covers(const struct contract_scope *scope, const char *model, const char *service_tier, int meter)
{
	if (!scope->any_meter && !scope->meter[meter])
		return PATTERN_NO;
	if (scope->service_tier != NULL && strcmp(scope->service_tier, service_tier) != 0)
		return PATTERN_NO;
	return scope->pattern == NULL ? PATTERN_YES : pattern_match(scope->pattern, model, strlen(model));
}

/* --- the parts ------------------------------------------------------------------------------- */

static bool
read_trial(const struct reader *reader, json_t *value, const char *path)
{
	reader->terms->has_trial = true;
	return DOCUMENT_KEYS(&reader->document, value, path, "until") &&
	    read_time(reader, value, path, "until", &reader->terms->trial_until);
}

static bool
read_fee_by_time(const struct reader *reader, json_t *value, const char *path, struct contract_fee *fee)
{
	static const char *const units[] = {"hour", "day"};
	static const int64_t lengths[] = {(int64_t)3600 * 1000000, (int64_t)24 * 3600 * 1000000};
	char field[FIELD];
	size_t unit;

	fee->by_time = true;
	if (!DOCUMENT_KEYS(&reader->document, value, path, "name", "quantity", "price", "per") ||
	    !read_decimal(reader, value, path, "quantity", false, &fee->quantity) ||
	    !read_decimal(reader, value, path, "price", false, &fee->price) ||
	    !read_choice(reader, value, path, "per", units, sizeof units / sizeof *units, &unit))
		return false;
	fee->per = units[unit];
	fee->per_us = lengths[unit];
	if (decimal_multiply(fee->quantity, fee->price, ROUND_HALF_EVEN, &fee->amount, reader->document.err) &&
	    fee->amount.e18 <= amount_most)
		return true;
	return document_refuse(&reader->document, document_path(field, sizeof field, path, "quantity"),
	    json_object_get(value, "quantity"), "\"quantity\" times \"price\" must be at most 10^15");
}

static bool
read_fee(const struct reader *reader, json_t *value, const char *path)
{
	struct contract_terms *terms = reader->terms;
	struct contract_fee *fee = &terms->fee[terms->fee_count];

	if (!DOCUMENT_KEYS(&reader->document, value, path, "name", "amount", "prorate", "quantity", "price", "per") ||
	    !read_name(reader, value, path, &fee->name))
		return false;
	for (size_t i = 0; i < terms->fee_count; i++)
		if (strcmp(terms->fee[i].name, fee->name) == 0)
			return refuse_same_name(reader, value, path);
	terms->fee_count++;
	if (json_object_get(value, "amount") == NULL && json_object_get(value, "quantity") != NULL)
		return read_fee_by_time(reader, value, path, fee);
	return DOCUMENT_KEYS(&reader->document, value, path, "name", "amount", "prorate") &&
	    read_decimal(reader, value, path, "amount", false, &fee->amount) &&
	    read_flag(reader, value, path, "prorate", &fee->prorate);
}

/* The quantity of an allowance is one number, so its meters count in one unit. */
static bool
read_units(const struct reader *reader, json_t *value, const char *path, struct contract_allowance *allowance)
{
	const json_t *number = json_object_get(value, "quantity");
	json_int_t units = json_is_integer(number) ? json_integer_value(number) : 0;
	const struct meter *first = NULL;
	char field[FIELD];

	if (allowance->scope.any_meter)
		return document_refuse(&reader->document, path, value, "an allowance has \"meters\": the units that it includes");
	for (int id = 1; id < METER_LIMIT; id++) {
		if (!allowance->scope.meter[id])
			continue;
		first = first == NULL ? meter_of(id) : first;
		if (meter_of(id)->decimals != first->decimals)
			return document_refuse(&reader->document, document_path(field, sizeof field, path, "meters"),
			    json_object_get(value, "meters"), "%s and %s count in different units", first->name,
			    meter_of(id)->name);
	}
	must(first != NULL);
	if (units < 1 || units > one)
		return document_refuse(&reader->document, document_path(field, sizeof field, path, "quantity"), number,
		    "\"quantity\" must be a whole number of units from 1 to 10^18, without quotes");
	allowance->quantity = (i128)units * meter_scale(first);
	return true;
}

static bool
read_allowance(const struct reader *reader, json_t *value, const char *path)
{
	struct contract_terms *terms = reader->terms;
	struct contract_allowance *allowance = &terms->allowance[terms->allowance_count];

	if (!DOCUMENT_KEYS(
		&reader->document, value, path, "name", "meters", "model_pattern", "service_tier", "quantity", "prorate") ||
	    !read_name(reader, value, path, &allowance->name))
		return false;
	for (size_t i = 0; i < terms->allowance_count; i++)
		if (strcmp(terms->allowance[i].name, allowance->name) == 0)
			return refuse_same_name(reader, value, path);
	terms->allowance_count++;
	return read_scope(reader, value, path, &allowance->scope) && read_units(reader, value, path, allowance) &&
	    read_flag(reader, value, path, "prorate", &allowance->prorate);
}

static bool
read_percent(const struct reader *reader, json_t *value, const char *path, struct contract_discount *discount)
{
	char field[FIELD];

	discount->is_percent = true;
	discount->has_most = json_object_get(value, "cap") != NULL;
	if (!read_decimal(reader, value, path, "percent", true, &discount->percent))
		return false;
	/* A hundredth of it is a factor, and has to be exact. */
	if (discount->percent.e18 > 100 * one || discount->percent.e18 % 100 != 0)
		return document_refuse(&reader->document, document_path(field, sizeof field, path, "percent"),
		    json_object_get(value, "percent"), "\"percent\" is above 0, at most 100, and has at most 16 decimals");
	return !discount->has_most || read_decimal(reader, value, path, "cap", true, &discount->most);
}

static bool
read_discount(const struct reader *reader, json_t *value, const char *path)
{
	struct contract_terms *terms = reader->terms;
	struct contract_discount *discount = &terms->discount[terms->discount_count];
	bool is_percent = json_object_get(value, "percent") != NULL;

	if (!DOCUMENT_KEYS(
		&reader->document, value, path, "name", "percent", "cap", "amount", "meters", "model_pattern", "service_tier") ||
	    !read_name(reader, value, path, &discount->name))
		return false;
	for (size_t i = 0; i < terms->discount_count; i++)
		if (strcmp(terms->discount[i].name, discount->name) == 0)
			return refuse_same_name(reader, value, path);
	terms->discount_count++;
	if (is_percent == (json_object_get(value, "amount") != NULL))
		return document_refuse(&reader->document, path, value, "a discount has either \"percent\" or \"amount\"");
	if (!is_percent && json_object_get(value, "cap") != NULL)
		return document_refuse(&reader->document, path, value, "\"cap\" is for a \"percent\": an amount is its own cap");
	if (!read_scope(reader, value, path, &discount->scope))
		return false;
	if (is_percent)
		return read_percent(reader, value, path, discount);
	discount->has_most = true;
	return read_decimal(reader, value, path, "amount", true, &discount->most);
}

static bool
read_commitment(const struct reader *reader, json_t *value, const char *path)
{
	static const char *const resets[] = {"month", "quarter", "year", "never"};
	struct contract_commitment *commitment = &reader->terms->commitment;
	bool has_overage = json_object_get(value, "overage") != NULL;
	size_t reset;

	commitment->is_set = true;
	commitment->overage.e18 = one;
	if (!DOCUMENT_KEYS(&reader->document, value, path, "amount", "reset", "overage", "true_up") ||
	    !read_decimal(reader, value, path, "amount", true, &commitment->amount) ||
	    !read_choice(reader, value, path, "reset", resets, sizeof resets / sizeof *resets, &reset) ||
	    (has_overage && !read_decimal(reader, value, path, "overage", false, &commitment->overage)) ||
	    !read_flag(reader, value, path, "true_up", &commitment->true_up))
		return false;
	commitment->reset = (enum contract_reset)reset;
	if (!has_overage && !commitment->true_up)
		return document_refuse(&reader->document, path, value,
		    "a commitment without \"overage\" and without \"true_up\": true changes nothing");
	if (commitment->true_up && commitment->reset == CONTRACT_NEVER)
		return document_refuse(&reader->document, path, value,
		    "with \"reset\": \"never\" there is no last month in which \"true_up\" could be charged");
	return true;
}

static bool
read_ramp_step(
    const struct reader *reader, json_t *value, const char *path, struct contract_bound *bound, struct contract_ramp_step *step)
{
	char field[FIELD];

	if (!json_is_object(value))
		return document_refuse(&reader->document, path, value, "a step is {\"from\": time, \"amount\": \"...\"}");
	if (!DOCUMENT_KEYS(&reader->document, value, path, "from", "amount") ||
	    !read_time(reader, value, path, "from", &step->from) ||
	    !read_decimal(reader, value, path, "amount", false, &step->amount))
		return false;
	if (bound->ramp_count > 0 && step->from.us <= step[-1].from.us)
		return document_refuse(&reader->document, document_path(field, sizeof field, path, "from"),
		    json_object_get(value, "from"), "each step begins later than the one before");
	bound->ramp_count++;
	return true;
}

static bool
read_bound(const struct reader *reader, json_t *value, const char *path, struct contract_bound *bound)
{
	json_t *ramp = json_object_get(value, "ramp"), *step;
	char field[FIELD], place[FIELD];
	size_t i;

	bound->is_set = true;
	if (!DOCUMENT_KEYS(&reader->document, value, path, "amount", "prorate", "ramp") ||
	    !read_decimal(reader, value, path, "amount", false, &bound->amount) ||
	    !read_flag(reader, value, path, "prorate", &bound->prorate))
		return false;
	if (ramp == NULL)
		return true;
	document_path(field, sizeof field, path, "ramp");
	if (!json_is_array(ramp) || json_array_size(ramp) == 0 || json_array_size(ramp) > CONTRACT_RAMP_MAX)
		return document_refuse(
		    &reader->document, field, ramp, "\"ramp\" must be a list of 1 to %d steps", CONTRACT_RAMP_MAX);
	json_array_foreach(ramp, i, step)
	{
		snprintf(place, sizeof place, "%.150s[%zu]", field, i);
		if (!read_ramp_step(reader, step, place, bound, &bound->ramp[i]))
			return false;
	}
	return true;
}

static bool
read_minimum(const struct reader *reader, json_t *value, const char *path)
{
	return read_bound(reader, value, path, &reader->terms->minimum);
}

static bool
read_maximum(const struct reader *reader, json_t *value, const char *path)
{
	return read_bound(reader, value, path, &reader->terms->maximum);
}

static bool
read_adjustments(const struct reader *reader, json_t *value, const char *path)
{
	static const char *const outcomes[] = {"next_invoice", "credit_note"};
	struct contract_adjustments *adjustments = &reader->terms->adjustments;
	size_t outcome = 0;

	adjustments->is_set = true;
	if (!DOCUMENT_KEYS(&reader->document, value, path, "as", "waive_below") ||
	    (json_object_get(value, "as") != NULL && !read_choice(reader, value, path, "as", outcomes, 2, &outcome)) ||
	    (json_object_get(value, "waive_below") != NULL &&
		!read_decimal(reader, value, path, "waive_below", false, &adjustments->waive_below)))
		return false;
	adjustments->as_credit_note = outcome == 1;
	return true;
}

static bool
read_aborted(const struct reader *reader, json_t *root, const char *path)
{
	static const char *const policies[] = {"bill_reported", "hold"};
	size_t policy;

	if (json_object_get(root, "aborted_usage") == NULL)
		return true;
	if (!read_choice(reader, root, path, "aborted_usage", policies, sizeof policies / sizeof *policies, &policy))
		return false;
	reader->terms->aborted = policy == 0 ? ABORTED_BILL : ABORTED_HOLD;
	return true;
}

/* --- the whole ------------------------------------------------------------------------------- */

typedef bool read_part(const struct reader *reader, json_t *value, const char *path);

static bool
read_list(const struct reader *reader, json_t *list, const char *path, size_t most, read_part *read)
{
	char place[FIELD];
	json_t *value;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > most)
		return document_refuse(&reader->document, path, list, "must be a list of 1 to %zu entries", most);
	json_array_foreach(list, i, value)
	{
		snprintf(place, sizeof place, "%.150s[%zu]", path, i);
		if (!json_is_object(value))
			return document_refuse(&reader->document, place, value, "must be a JSON object");
		if (!read(reader, value, place))
			return false;
	}
	return true;
}

static bool
read_terms(const struct reader *reader, json_t *root, const char *path)
{
	static const struct {
		const char *key;
		size_t most; /* of a list; 0: one object */
		read_part *read;
	} parts[] = {{"trial", 0, read_trial}, {"fees", CONTRACT_FEES_MAX, read_fee},
	    {"allowances", CONTRACT_ALLOWANCES_MAX, read_allowance}, {"discounts", CONTRACT_DISCOUNTS_MAX, read_discount},
	    {"commitment", 0, read_commitment}, {"minimum", 0, read_minimum}, {"maximum", 0, read_maximum},
	    {"adjustments", 0, read_adjustments}};

	if (!json_is_object(root) || json_object_size(root) == 0)
		return document_refuse(&reader->document, path, root, "terms are a JSON object with at least one key");
	if (!DOCUMENT_KEYS(&reader->document, root, path, "trial", "fees", "allowances", "discounts", "commitment", "minimum",
		"maximum", "adjustments", "aborted_usage") ||
	    !read_aborted(reader, root, path))
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		json_t *value = json_object_get(root, parts[i].key);
		char field[FIELD];

		if (value == NULL)
			continue;
		document_path(field, sizeof field, path, parts[i].key);
		if (parts[i].most == 0 && !json_is_object(value))
			return document_refuse(&reader->document, field, value, "must be a JSON object");
		if (!(parts[i].most == 0 ? parts[i].read(reader, value, field)
					 : read_list(reader, value, field, parts[i].most, parts[i].read)))
			return false;
	}
	return true;
}

bool
contract_terms_parse(const char *json, size_t length, const char *file, const char *path, const char *zone,
    struct contract_terms **out, struct error *err)
{
	struct reader reader = {.document = {.file = file, .err = err}, .zone = zone};
	json_t *root = document_parse(json, length, file, err);
	bool fine;

	if (root == NULL)
		return false;
	reader.terms = memory_new(1, sizeof *reader.terms);
	fine = read_terms(&reader, root, path);
	json_decref(root);
	if (fine)
		*out = reader.terms;
	else
		contract_terms_free(reader.terms);
	return fine;
}

void
contract_terms_free(struct contract_terms *terms)
{
	if (terms == NULL)
		return;
	for (size_t i = 0; i < terms->allowance_count; i++)
		pattern_free(terms->allowance[i].scope.pattern);
	for (size_t i = 0; i < terms->discount_count; i++)
		pattern_free(terms->discount[i].scope.pattern);
	arena_release(&terms->arena);
	free(terms);
}

static void
summarize(struct text *text, const char *what, bool is_list, size_t count)
{
	if (count == 0)
		return;
	text_add_string(text, text->length > 0 ? ", " : "");
	if (is_list)
		text_add_format(text, "%zu %s%s", count, what, count == 1 ? "" : "s");
	else
		text_add_string(text, what);
}

const char *
contract_terms_summary(const struct contract_terms *terms, struct arena *arena)
{
	struct text text = {0};
	const char *summary;

	if (terms == NULL)
		return "";
	summarize(&text, "trial", false, terms->has_trial);
	summarize(&text, "fee", true, terms->fee_count);
	summarize(&text, "allowance", true, terms->allowance_count);
	summarize(&text, "discount", true, terms->discount_count);
	summarize(&text, "commitment", false, terms->commitment.is_set);
	summarize(&text, "minimum", false, terms->minimum.is_set);
	summarize(&text, "maximum", false, terms->maximum.is_set);
	summarize(&text, "adjustments", false, terms->adjustments.is_set);
	summarize(&text, "aborted usage held", false, terms->aborted == ABORTED_HOLD);
	summarize(&text, "aborted usage billed", false, terms->aborted == ABORTED_BILL);
	summary = arena_copy(arena, text_string(&text), text.length);
	text_release(&text);
	return summary;
}

struct decimal
contract_bound_at(const struct contract_bound *bound, struct instant at)
{
	struct decimal amount = bound->amount;

	for (size_t i = 0; i < bound->ramp_count && bound->ramp[i].from.us <= at.us; i++)
		amount = bound->ramp[i].amount;
	return amount;
}
