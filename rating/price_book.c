/* price_book.c -- see price_book.h: reading a book, and choosing from it. */
#include "rating/price_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/money.h"
#include "ledger/meter.h"
#include "rating/price_book_rules.h"

static bool read_root(const struct document *document, json_t *root, struct price_book *book);
static bool read_rule(const struct document *document, json_t *value, size_t place, struct price_book *book);
static bool read_prices(
    const struct document *document, json_t *prices, const char *path, struct price_book *book, struct price_rule *rule);
static bool read_price(
    const struct document *document, json_t *value, const char *path, const struct meter *meter, struct meter_price *out);

bool
price_book_parse(const char *bytes, size_t length, const char *file, struct price_book **out, struct error *err)
{
	struct document document = {file, err};
	json_t *root = document_parse(bytes, length, file, err);
	struct price_book *book;
	bool fine;

	if (root == NULL)
		return false;
	book = memory_new(1, sizeof *book);
	book->free_price = (struct meter_price){.mode = TIER_FLAT, .per = 1, .steps = 1};
	fine = read_root(&document, root, book);
	json_decref(root);
	if (fine)
		*out = book;
	else
		price_book_free(book);
	return fine;
}

void
price_book_free(struct price_book *book)
{
	if (book == NULL)
		return;
	for (size_t i = 0; i < book->count; i++)
		pattern_free(book->rules[i].pattern);
	free(book->rules);
	arena_release(&book->arena);
	free(book);
}

/* --- reading --------------------------------------------------------------------------------- */

static bool
keep(const struct document *document, json_t *object, const char *path, const char *key, bool required, struct price_book *book,
    const char **out)
{
	if (!document_text(document, object, path, key, required, PRICE_NAME_BYTES, out))
		return false;
	if (*out != NULL)
		*out = arena_copy(&book->arena, *out, strlen(*out));
	return true;
}

static bool
read_effective(const struct document *document, json_t *root, struct price_book *book)
{
	const json_t *value = json_object_get(root, "effective");

	if (!json_is_string(value) ||
	    instant_parse(json_string_value(value), json_string_length(value), 2020, &book->effective) != INSTANT_OK)
		return document_refuse(document, "effective", value,
		    "\"effective\" must be an RFC 3339 time from 2020 on, for example 2026-01-01T00:00:00Z");
	if (instant_interval(book->effective).us != book->effective.us)
		return document_refuse(
		    document, "effective", value, "prices change on a quarter of an hour, since usage is summed in quarters");
	return true;
}

static bool
read_currency(const struct document *document, json_t *root, struct price_book *book)
{
	if (!keep(document, root, "", "currency", true, book, &book->currency))
		return false;
	if (currency_find(book->currency) != NULL)
		return true;
	document_refuse(document, "currency", json_object_get(root, "currency"), "not a current ISO 4217 currency code");
	return error_hint(document->err, "For example USD or EUR, in capitals.");
}

/* A meter's name at `path`, or an error that suggests one. */
static const struct meter *
read_meter(const struct document *document, const char *path, const char *name, const json_t *value)
{
	const struct meter *meter = meter_find(name, strlen(name));
	const char *names[METER_LIMIT];

	if (meter != NULL)
		return meter;
	for (int id = 1; id < METER_LIMIT; id++)
		names[id - 1] = meter_of(id)->name;
	document_refuse(document, path, value, "there is no meter \"%.64s\"", name);
	document_suggest(document->err, name, names, METER_LIMIT - 1);
	return NULL;
}

static bool
read_free(const struct document *document, json_t *list, struct price_book *book)
{
	json_t *value;
	size_t i;

	if (list == NULL)
		return true;
	if (!json_is_array(list))
		return document_refuse(document, "free", list, "\"free\" must be a list of meters");
	json_array_foreach(list, i, value)
	{
		const struct meter *meter;

		if (!json_is_string(value))
			return document_refuse(document, "free", value, "\"free\" must be a list of meters");
		meter = read_meter(document, "free", json_string_value(value), value);
		if (meter == NULL)
			return false;
		book->is_free[meter->id] = true;
	}
	return true;
}

/* {"meter": "meter whose price it takes"}; chains end within FALLBACKS_MAX steps, and both count in the same unit. */
static bool
read_fallback(const struct document *document, json_t *object, const char *path, int fallback[METER_LIMIT])
{
	const char *key;
	json_t *value;

	if (object != NULL && !json_is_object(object))
		return document_refuse(document, path, object, "\"fallback\" must be an object: meter to meter");
	json_object_foreach(object, key, value)
	{
		const struct meter *meter, *target;
		char field[96];

		document_path(field, sizeof field, path, key);
		meter = read_meter(document, field, key, value);
		if (meter == NULL)
			return false;
		if (!json_is_string(value))
			return document_refuse(document, field, value, "must be the name of a meter");
		target = read_meter(document, field, json_string_value(value), value);
		if (target == NULL)
			return false;
		if (target->decimals != meter->decimals)
			return document_refuse(document, field, value, "the two meters count in different units");
		fallback[meter->id] = target->id;
	}
	for (int id = 1; id < METER_LIMIT; id++) {
		int at = id;

		for (int steps = 0; fallback[at] != 0; steps++, at = fallback[at])
			if (steps == FALLBACKS_MAX)
				return document_refuse(document, path, object,
				    "the fallback of %s goes in a circle or over more than %d meters", meter_of(id)->name,
				    FALLBACKS_MAX);
	}
	return true;
}

static bool
read_root(const struct document *document, json_t *root, struct price_book *book)
{
	const char *ignored;
	json_t *rules, *value;
	size_t i;

	if (!json_is_object(root))
		return document_refuse(document, "", root, "a price book is a JSON object");
	if (!DOCUMENT_KEYS(document, root, "", "tollbook_prices", "book", "currency", "effective", "free", "fallback", "rules",
		"source", "note"))
		return false;
	value = json_object_get(root, "tollbook_prices");
	if (!json_is_integer(value) || json_integer_value(value) != 1)
		return document_refuse(
		    document, "tollbook_prices", value, "the version of the language must be 1: \"tollbook_prices\": 1");
	if (!keep(document, root, "", "book", true, book, &book->name) || !read_currency(document, root, book) ||
	    !read_effective(document, root, book) || !document_text(document, root, "", "source", false, 4096, &ignored) ||
	    !document_text(document, root, "", "note", false, 4096, &ignored) ||
	    !read_free(document, json_object_get(root, "free"), book) ||
	    !read_fallback(document, json_object_get(root, "fallback"), "fallback", book->fallback))
		return false;
	rules = json_object_get(root, "rules");
	if (!json_is_array(rules) || json_array_size(rules) == 0 || json_array_size(rules) > PRICE_RULES_MAX)
		return document_refuse(document, "rules", json_is_array(rules) ? NULL : rules,
		    "\"rules\" must be a list of 1 to %d rules", PRICE_RULES_MAX);
	book->rules = memory_new(json_array_size(rules), sizeof *book->rules);
	json_array_foreach(rules, i, value) if (!read_rule(document, value, i, book)) return false;
	return true;
}

static bool
read_match(const struct document *document, json_t *value, const char *path, struct price_book *book, struct price_rule *rule)
{
	char field[96];
	size_t position;

	if (!keep(document, value, path, "model", false, book, &rule->model) ||
	    !keep(document, value, path, "model_pattern", false, book, &rule->pattern_text) ||
	    !keep(document, value, path, "base_model", false, book, &rule->base_model) ||
	    !keep(document, value, path, "service_tier", false, book, &rule->service_tier) ||
	    !keep(document, value, path, "name", false, book, &rule->name))
		return false;
	if (rule->service_tier == NULL)
		rule->service_tier = "default";
	if ((rule->model == NULL) == (rule->pattern_text == NULL))
		return document_refuse(document, path, value, "a rule has either \"model\" or \"model_pattern\"");
	if (rule->pattern_text == NULL ||
	    pattern_compile(rule->pattern_text, strlen(rule->pattern_text), &rule->pattern, &position, document->err))
		return true;
	error_at(document->err, document->file, 0);
	return error_field(document->err, document_path(field, sizeof field, path, "model_pattern"), rule->pattern_text,
	    strlen(rule->pattern_text));
}

static bool
read_rule(const struct document *document, json_t *value, size_t place, struct price_book *book)
{
	struct price_rule *rule = &book->rules[place];
	char path[32], field[64];

	snprintf(path, sizeof path, "rules[%zu]", place);
	book->count = place + 1;
	if (!json_is_object(value))
		return document_refuse(document, path, value, "a rule is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "name", "model", "model_pattern", "base_model", "service_tier", "prices",
		"fallback", "note") ||
	    !read_match(document, value, path, book, rule))
		return false;
	memcpy(rule->fallback, book->fallback, sizeof rule->fallback);
	if (!read_fallback(document, json_object_get(value, "fallback"), document_path(field, sizeof field, path, "fallback"),
		rule->fallback))
		return false;
	return read_prices(
	    document, json_object_get(value, "prices"), document_path(field, sizeof field, path, "prices"), book, rule);
}

static bool
read_prices(const struct document *document, json_t *prices, const char *path, struct price_book *book, struct price_rule *rule)
{
	const char *key;
	json_t *value;

	if (!json_is_object(prices) || json_object_size(prices) == 0)
		return document_refuse(document, path, prices, "\"prices\" must be an object with at least one meter");
	json_object_foreach(prices, key, value)
	{
		const struct meter *meter;
		struct meter_price *price;
		char field[160];

		document_path(field, sizeof field, path, key);
		meter = read_meter(document, field, key, value);
		if (meter == NULL)
			return false;
		price = arena_take(&book->arena, sizeof *price);
		if (!read_price(document, value, field, meter, price))
			return false;
		rule->price[meter->id] = price;
	}
	return true;
}

static bool
read_per(const struct document *document, json_t *value, const char *path, int64_t *per)
{
	const json_t *number = json_object_get(value, "per");
	char field[192];

	*per = json_is_integer(number) ? json_integer_value(number) : 0;
	if (*per == 1 || *per == 1000 || *per == 1000000)
		return true;
	return document_refuse(document, document_path(field, sizeof field, path, "per"), number,
	    "\"per\" must be 1, 1000 or 1000000: how many units the price is for");
}

static bool
read_amount(const struct document *document, json_t *object, const char *path, struct decimal *out)
{
	const json_t *value = json_object_get(object, "price");
	char field[192];
	struct error why;

	document_path(field, sizeof field, path, "price");
	if (value == NULL)
		return document_refuse(document, field, object, "\"price\" is missing");
	if (!json_is_string(value)) {
		document_refuse(
		    document, field, value, "a price is decimal text, so that no program turns it into a binary fraction");
		return error_hint(document->err, "Write it in quotes: \"price\": \"0.15\"");
	}
	if (!decimal_parse(json_string_value(value), json_string_length(value), out, &why)) {
		document_refuse(document, field, value, "not a price: %.200s", why.message);
		return error_hint(document->err, "%s", why.hint);
	}
	if (out->e18 >= 0)
		return true;
	document_refuse(document, field, value, "a price cannot be negative");
	return error_hint(document->err, "Some lists write -1 for \"varies\": leave such a model out, its usage is then held.");
}

/* "up_to": whole units of the meter, as a number or as text. */
static bool
read_up_to(const struct document *document, json_t *step, const char *path, const struct meter *meter, i128 *out)
{
	const json_t *value = json_object_get(step, "up_to");
	const char *digits = json_is_string(value) ? json_string_value(value) : "";
	char field[192], text[32];
	struct error why;

	if (json_is_integer(value)) {
		snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
		digits = text;
	}
	if (integer_parse(digits, strlen(digits), out, &why) && *out > 0 && *out <= 1000000000000000000) {
		*out *= meter_scale(meter);
		return true;
	}
	return document_refuse(document, document_path(field, sizeof field, path, "up_to"), value,
	    "\"up_to\" must be a whole number of units above zero, included in its step");
}

static bool
read_steps(const struct document *document, json_t *value, const char *path, const struct meter *meter, struct meter_price *out)
{
	json_t *steps = json_object_get(value, "steps"), *step;
	size_t i;

	if (!json_is_array(steps) || json_array_size(steps) < 1 || json_array_size(steps) > TIER_STEPS_MAX)
		return document_refuse(document, path, value, "tiers need \"steps\": a list of 1 to %d", TIER_STEPS_MAX);
	out->steps = json_array_size(steps);
	json_array_foreach(steps, i, step)
	{
		char field[256];

		snprintf(field, sizeof field, "%s.steps[%zu]", path, i);
		if (!json_is_object(step))
			return document_refuse(document, field, step, "a step is a JSON object");
		if (!DOCUMENT_KEYS(document, step, field, "up_to", "price") ||
		    !read_amount(document, step, field, &out->step[i].price))
			return false;
		if (i + 1 == out->steps && json_object_get(step, "up_to") != NULL)
			return document_refuse(document, field, step, "the last step is open: it has no \"up_to\"");
		if (i + 1 == out->steps)
			return true;
		if (!read_up_to(document, step, field, meter, &out->step[i].up_to))
			return false;
		if (i > 0 && out->step[i].up_to <= out->step[i - 1].up_to)
			return document_refuse(document, field, step, "steps must rise");
	}
	return true;
}

static bool
read_price(const struct document *document, json_t *value, const char *path, const struct meter *meter, struct meter_price *out)
{
	const char *tiers;

	*out = (struct meter_price){.mode = TIER_FLAT, .steps = 1};
	if (!json_is_object(value)) {
		document_refuse(document, path, value, "a price is an object");
		return error_hint(document->err, "For example {\"price\": \"0.15\", \"per\": 1000000}");
	}
	if (!read_per(document, value, path, &out->per) || !document_text(document, value, path, "tiers", false, 16, &tiers))
		return false;
	if (tiers == NULL)
		return DOCUMENT_KEYS(document, value, path, "price", "per", "tiers") &&
		    read_amount(document, value, path, &out->step[0].price);
	if (strcmp(tiers, "graduated") != 0 && strcmp(tiers, "volume") != 0)
		return document_refuse(document, path, value, "\"tiers\" is \"graduated\" or \"volume\"");
	out->mode = strcmp(tiers, "graduated") == 0 ? TIER_GRADUATED : TIER_VOLUME;
	return DOCUMENT_KEYS(document, value, path, "tiers", "per", "steps") && read_steps(document, value, path, meter, out);
}

/* --- choosing -------------------------------------------------------------------------------- */

const char *
price_book_name(const struct price_book *book)
{
	return book->name;
}

const char *
price_book_currency(const struct price_book *book)
{
	return book->currency;
}

struct instant
price_book_effective(const struct price_book *book)
{
	return book->effective;
}

size_t
price_book_rules(const struct price_book *book)
{
	return book->count;
}

/* The conditions beside the model. */
static bool
matches_rest(const struct price_rule *rule, const struct price_subject *subject)
{
	return (strcmp(rule->service_tier, "*") == 0 || strcmp(rule->service_tier, subject->service_tier) == 0) &&
	    (rule->base_model == NULL || strcmp(rule->base_model, subject->base_model) == 0);
}

enum price_match
price_book_match(const struct price_book *book, const struct price_subject *subject, size_t *rule)
{
	for (size_t i = 0; i < book->count; i++) {
		*rule = i;
		if (book->rules[i].model != NULL && strcmp(book->rules[i].model, subject->model) == 0 &&
		    matches_rest(&book->rules[i], subject))
			return PRICE_MATCHED;
	}
	for (size_t i = 0; i < book->count; i++) {
		enum pattern_answer answer;

		if (book->rules[i].pattern == NULL || !matches_rest(&book->rules[i], subject))
			continue;
		*rule = i;
		answer = pattern_match(book->rules[i].pattern, subject->model, strlen(subject->model));
		if (answer != PATTERN_NO)
			return answer == PATTERN_YES ? PRICE_MATCHED : PRICE_PATTERN_LIMIT;
	}
	return PRICE_NO_RULE;
}

const char *
price_rule_verdict(const struct price_book *book, size_t rule, const struct price_subject *subject)
{
	const struct price_rule *r = &book->rules[rule];

	if (r->model != NULL && strcmp(r->model, subject->model) != 0)
		return "no: another model";
	if (strcmp(r->service_tier, "*") != 0 && strcmp(r->service_tier, subject->service_tier) != 0)
		return "no: another service tier";
	if (r->base_model != NULL && strcmp(r->base_model, subject->base_model) != 0)
		return "no: another base model";
	if (r->pattern == NULL)
		return "matches";
	switch (pattern_match(r->pattern, subject->model, strlen(subject->model))) {
	case PATTERN_NO:
		return "no: the pattern does not match";
	case PATTERN_LIMIT:
		return "cannot say: the pattern reaches its limit, usage is held";
	case PATTERN_YES:
		break;
	}
	return "matches";
}

bool
price_rule_is_exact(const struct price_book *book, size_t rule)
{
	return book->rules[rule].model != NULL;
}

const char *
price_rule_describe(const struct price_book *book, size_t rule, struct arena *arena)
{
	const struct price_rule *r = &book->rules[rule];

	return arena_format(arena, "%s %s, service tier %s%s%s", r->model != NULL ? "model" : "pattern",
	    r->model != NULL ? r->model : r->pattern_text, strcmp(r->service_tier, "*") == 0 ? "any" : r->service_tier,
	    r->base_model != NULL ? ", base model " : "", r->base_model != NULL ? r->base_model : "");
}

const struct meter_price *
price_book_meter(const struct price_book *book, size_t rule, int meter, int *priced_as)
{
	const struct price_rule *r = &book->rules[rule];

	must(rule < book->count && meter > 0 && meter < METER_LIMIT);
	*priced_as = meter;
	for (int steps = 0; steps <= FALLBACKS_MAX; steps++) {
		if (r->price[*priced_as] != NULL)
			return r->price[*priced_as];
		if (r->fallback[*priced_as] == 0)
			break;
		*priced_as = r->fallback[*priced_as];
	}
	*priced_as = meter;
	return book->is_free[meter] ? &book->free_price : NULL;
}
