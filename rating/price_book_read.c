/* price_book_read.c -- see price_book.h: reading a book.  Prices are read by price_read.c. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "rating/price_book_rules.h"

enum { FIELD_BYTES = 320, EXTENDS_MAX = 4, ALIASES_MAX = 20000, WINDOWS_MAX = 64 };

static bool read_root(
    const struct document *document, json_t *root, const struct price_book_finder *finder, struct price_book *book);
static bool read_rule(const struct document *document, json_t *value, size_t place, struct price_book *book);

bool
price_book_parse(const char *bytes, size_t length, const char *file, int version, const struct price_book_finder *finder,
    struct price_book **out, struct error *err)
{
	struct document document = {.file = file, .err = err, .bytes = bytes, .length = length};
	json_t *root = document_parse(bytes, length, file, err);
	struct price_book *book;
	bool fine;

	if (root == NULL)
		return false;
	book = memory_new(1, sizeof *book);
	book->version = version;
	book->base_factor = decimal_one;
	fine = read_root(&document, root, finder, book);
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
	for (size_t i = 0; i < book->count; i++) {
		pattern_free(book->rules[i].pattern);
		pattern_free(book->rules[i].base_pattern);
	}
	free(book->rules);
	free(book->told);
	arena_release(&book->arena);
	free(book);
}

/* --- what several parts need ----------------------------------------------------------------- */

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

/* The text of a value by itself, kept; NULL with the error set where it is none. */
static const char *
keep_value(const struct document *document, const json_t *value, const char *path, struct price_book *book)
{
	if (json_is_string(value) && json_string_length(value) >= 1 && json_string_length(value) <= PRICE_NAME_BYTES)
		return arena_copy(&book->arena, json_string_value(value), json_string_length(value));
	document_refuse(document, path, value, "must be a text of 1 to %d bytes", PRICE_NAME_BYTES);
	return NULL;
}

static bool
is_object_or_missing(const struct document *document, const json_t *value, const char *path, const char *what)
{
	return value == NULL || json_is_object(value) || document_refuse(document, path, value, "\"%s\" must be an object", what);
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

/* --- the head of a book ---------------------------------------------------------------------- */

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

	if (!is_object_or_missing(document, object, path, "fallback"))
		return false;
	json_object_foreach(object, key, value)
	{
		const struct meter *meter, *target;
		char field[FIELD_BYTES];

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
read_windows(const struct document *document, json_t *object, struct price_book *book)
{
	const char *key;
	json_t *value;

	if (!is_object_or_missing(document, object, "windows", "windows"))
		return false;
	if (json_object_size(object) > WINDOWS_MAX)
		return document_refuse(document, "windows", NULL, "a book has at most %d windows", WINDOWS_MAX);
	book->window = arena_take(&book->arena, (json_object_size(object) + 1) * sizeof *book->window);
	book->window_name = arena_take(&book->arena, (json_object_size(object) + 1) * sizeof *book->window_name);
	json_object_foreach(object, key, value)
	{
		char field[FIELD_BYTES];

		document_path(field, sizeof field, "windows", key);
		book->window_name[book->windows] = arena_copy(&book->arena, key, strlen(key));
		if (!time_window_read(
			document, value, field, book->window_name[book->windows], &book->arena, &book->window[book->windows]))
			return false;
		book->windows++;
	}
	return true;
}

/* Exact names in their order, then prefixes, the longest first. */
static int
compare_aliases(const void *a, const void *b)
{
	const struct alias *one = a, *two = b;
	size_t first = strlen(one->model), second = strlen(two->model);

	if (one->is_prefix != two->is_prefix)
		return one->is_prefix ? 1 : -1;
	if (one->is_prefix && first != second)
		return first > second ? -1 : 1;
	return strcmp(one->model, two->model);
}

static bool
read_aliases(const struct document *document, json_t *object, struct price_book *book)
{
	const char *key;
	json_t *value;

	if (!is_object_or_missing(document, object, "aliases", "aliases"))
		return false;
	if (json_object_size(object) > ALIASES_MAX)
		return document_refuse(document, "aliases", NULL, "a book has at most %d aliases", ALIASES_MAX);
	book->alias = arena_take(&book->arena, (json_object_size(object) + 1) * sizeof *book->alias);
	json_object_foreach(object, key, value)
	{
		struct alias *alias = &book->alias[book->aliases];
		size_t length = strlen(key);
		char field[FIELD_BYTES];

		document_path(field, sizeof field, "aliases", key);
		*alias = (struct alias){.is_prefix = length > 0 && key[length - 1] == '*'};
		alias->model = arena_copy(&book->arena, key, length - alias->is_prefix);
		if (length < 1 || length > PRICE_NAME_BYTES || strchr(alias->model, '*') != NULL)
			return document_refuse(
			    document, field, value, "an alias is the name of a model, or its beginning and one * at the end");
		alias->as = keep_value(document, value, field, book);
		if (alias->as == NULL)
			return false;
		book->aliases++;
		book->exact_aliases += !alias->is_prefix;
	}
	if (book->aliases > 0)
		qsort(book->alias, book->aliases, sizeof *book->alias, compare_aliases);
	return true;
}

static bool
read_service_tiers(const struct document *document, json_t *object, struct price_book *book)
{
	const char *key;
	json_t *value;

	if (!is_object_or_missing(document, object, "service_tiers", "service_tiers"))
		return false;
	if (json_object_size(object) > BOOK_TIERS_MAX)
		return document_refuse(document, "service_tiers", NULL, "a book has at most %d service tiers", BOOK_TIERS_MAX);
	json_object_foreach(object, key, value)
	{
		struct book_tier *tier = &book->tier[book->tiers];
		char field[FIELD_BYTES];

		document_path(field, sizeof field, "service_tiers", key);
		if (!json_is_object(value))
			return document_refuse(document, field, value, "must be an object: {\"inherit\": \"default\"}");
		if (!DOCUMENT_KEYS(document, value, field, "inherit", "factor") ||
		    !keep(document, value, field, "inherit", true, book, &tier->inherit) ||
		    !price_read_factor(document, value, field, &tier->factor))
			return false;
		tier->tier = arena_copy(&book->arena, key, strlen(key));
		if (strcmp(tier->tier, tier->inherit) == 0)
			return document_refuse(document, field, value, "a service tier cannot inherit from itself");
		book->tiers++;
	}
	return true;
}

static size_t
depth_of(const struct price_book *book)
{
	size_t depth = 0;

	for (; book != NULL; book = book->base)
		depth++;
	return depth;
}

static bool
read_extends(const struct document *document, json_t *object, const struct price_book_finder *finder, struct price_book *book)
{
	const json_t *version;
	const char *name;

	if (object == NULL)
		return true;
	if (!json_is_object(object))
		return document_refuse(document, "extends", object,
		    "\"extends\" must be an object, for example {\"book\": \"standard\", \"version\": 3}");
	version = json_object_get(object, "version");
	if (!DOCUMENT_KEYS(document, object, "extends", "book", "version", "factor") ||
	    !document_text(document, object, "extends", "book", true, PRICE_NAME_BYTES, &name) ||
	    !price_read_factor(document, object, "extends", &book->base_factor))
		return false;
	if (!json_is_integer(version) || json_integer_value(version) < 1 || json_integer_value(version) > INT32_MAX)
		return document_refuse(document, "extends.version", version,
		    "the version must be named, so that a published book never changes: \"version\": 3");
	if (finder == NULL)
		return document_refuse(document, "extends", object, "books cannot be extended here");
	book->base = finder->find(finder->context, name, (int)json_integer_value(version), document->err);
	if (book->base == NULL) {
		error_field(document->err, "extends.book", name, strlen(name));
		return document_at(document, "extends.book");
	}
	if (strcmp(book->base->currency, book->currency) != 0)
		return document_refuse(document, "extends", object, "%s is in %s, this book in %s: one book has one currency",
		    book->base->label, book->base->currency, book->currency);
	if (depth_of(book) > EXTENDS_MAX)
		return document_refuse(document, "extends", object, "books extend each other at most %d deep", EXTENDS_MAX);
	return true;
}

static bool
read_root(const struct document *document, json_t *root, const struct price_book_finder *finder, struct price_book *book)
{
	const char *ignored;
	json_t *rules, *value;
	size_t i;

	if (!json_is_object(root))
		return document_refuse(document, "", root, "a price book is a JSON object");
	if (!DOCUMENT_KEYS(document, root, "", "tollbook_prices", "book", "currency", "effective", "extends", "aliases",
		"windows", "service_tiers", "free", "fallback", "rules", "source", "note"))
		return false;
	value = json_object_get(root, "tollbook_prices");
	if (!json_is_integer(value) || json_integer_value(value) != 1)
		return document_refuse(
		    document, "tollbook_prices", value, "the version of the language must be 1: \"tollbook_prices\": 1");
	if (!keep(document, root, "", "book", true, book, &book->name) || !read_currency(document, root, book) ||
	    !read_effective(document, root, book) || !document_text(document, root, "", "source", false, 4096, &ignored) ||
	    !document_text(document, root, "", "note", false, 4096, &ignored))
		return false;
	book->label = book->version == 0 ? book->name : arena_format(&book->arena, "%s@%d", book->name, book->version);
	if (!read_extends(document, json_object_get(root, "extends"), finder, book) ||
	    !read_windows(document, json_object_get(root, "windows"), book) ||
	    !read_aliases(document, json_object_get(root, "aliases"), book) ||
	    !read_service_tiers(document, json_object_get(root, "service_tiers"), book) ||
	    !read_free(document, json_object_get(root, "free"), book) ||
	    !read_fallback(document, json_object_get(root, "fallback"), "fallback", book->fallback))
		return false;
	rules = json_object_get(root, "rules");
	if (!json_is_array(rules) || json_array_size(rules) == 0 || json_array_size(rules) > PRICE_RULES_MAX)
		return document_refuse(document, "rules", json_is_array(rules) ? NULL : rules,
		    "\"rules\" must be a list of 1 to %d rules", PRICE_RULES_MAX);
	book->rules = memory_new(json_array_size(rules), sizeof *book->rules);
	json_array_foreach(rules, i, value) if (!read_rule(document, value, i, book)) return false;
	price_book_note_told(book);
	return true;
}

/* --- rules ----------------------------------------------------------------------------------- */

static bool
read_pattern(const struct document *document, json_t *value, const char *path, const char *key, struct price_book *book,
    const char **text, struct pattern **out)
{
	char field[FIELD_BYTES];
	size_t position;

	if (!keep(document, value, path, key, false, book, text))
		return false;
	if (*text == NULL || pattern_compile(*text, strlen(*text), out, &position, document->err))
		return true;
	error_field(document->err, document_path(field, sizeof field, path, key), *text, strlen(*text));
	return document_at(document, field);
}

static bool
read_tags(const struct document *document, json_t *object, const char *path, struct price_book *book, struct price_rule *rule)
{
	const char *key;
	json_t *value;
	char field[FIELD_BYTES];

	document_path(field, sizeof field, path, "tags");
	if (object == NULL)
		return true;
	if (!json_is_object(object) || json_object_size(object) < 1 || json_object_size(object) > RULE_TAGS_MAX)
		return document_refuse(document, field, object, "\"tags\" must be an object of 1 to %d tags", RULE_TAGS_MAX);
	rule->tag = arena_take(&book->arena, json_object_size(object) * sizeof *rule->tag);
	json_object_foreach(object, key, value)
	{
		struct rule_tag *tag = &rule->tag[rule->tags];

		tag->value = keep_value(document, value, field, book);
		if (tag->value == NULL)
			return false;
		tag->key = arena_copy(&book->arena, key, strlen(key));
		rule->tags++;
	}
	return true;
}

static bool
read_match(const struct document *document, json_t *value, const char *path, struct price_book *book, struct price_rule *rule)
{
	bool any_model;

	for (size_t i = 0; i < MATCH_FIELDS; i++) {
		if (!keep(document, value, path, match_field_names[i], false, book, &rule->value[i]))
			return false;
		if (rule->value[i] != NULL)
			book->fields |= 1U << i;
	}
	if (!read_pattern(document, value, path, "model_pattern", book, &rule->pattern_text, &rule->pattern) ||
	    !read_pattern(document, value, path, "base_model_pattern", book, &rule->base_pattern_text, &rule->base_pattern) ||
	    !read_tags(document, json_object_get(value, "tags"), path, book, rule) ||
	    !keep(document, value, path, "name", false, book, &rule->name))
		return false;
	if (rule->value[MATCH_SERVICE_TIER] == NULL)
		rule->value[MATCH_SERVICE_TIER] = "default";
	book->fields |= 1U << MATCH_SERVICE_TIER;
	if (rule->value[MATCH_BASE_MODEL] != NULL && rule->base_pattern != NULL)
		return document_refuse(document, path, value, "a rule has \"base_model\" or \"base_model_pattern\", not both");
	any_model =
	    rule->value[MATCH_BASE_MODEL] != NULL || rule->base_pattern != NULL || rule->value[MATCH_ADAPTER_KIND] != NULL;
	if (rule->value[MATCH_MODEL] != NULL && rule->pattern != NULL)
		return document_refuse(document, path, value, "a rule has \"model\" or \"model_pattern\", not both");
	if (rule->value[MATCH_MODEL] == NULL && rule->pattern == NULL && !any_model)
		return document_refuse(document, path, value,
		    "a rule says for what it is: \"model\", \"model_pattern\", \"base_model\", \"base_model_pattern\" or "
		    "\"adapter_kind\"");
	return true;
}

/* What a rule matches, as a text that is equal for rules that match the same. */
static const char *
identity_of(const struct price_rule *rule, struct arena *arena)
{
	struct text text = {0};
	const char *kept;

	if (rule->name != NULL)
		return rule->name;
	for (size_t i = 0; i < MATCH_FIELDS; i++)
		if (rule->value[i] != NULL)
			text_add_format(&text, "%s=%s ", match_field_names[i], rule->value[i]);
	if (rule->pattern_text != NULL)
		text_add_format(&text, "model~%s ", rule->pattern_text);
	if (rule->base_pattern_text != NULL)
		text_add_format(&text, "base_model~%s ", rule->base_pattern_text);
	for (size_t i = 0; i < rule->tags; i++)
		text_add_format(&text, "%s:%s ", rule->tag[i].key, rule->tag[i].value);
	kept = arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

static bool
read_plus(const struct document *document, json_t *object, const char *path, struct price_book *book, struct price_rule *rule)
{
	struct price_plus *plus;
	const char *key;
	json_t *value;

	if (object == NULL)
		return true;
	if (!json_is_object(object))
		return document_refuse(document, path, object, "\"plus\" must be an object: meter to price");
	plus = arena_take(&book->arena, sizeof *plus);
	*plus = (struct price_plus){0};
	rule->plus = plus;
	json_object_foreach(object, key, value)
	{
		const struct meter *meter;
		char field[FIELD_BYTES];

		document_path(field, sizeof field, path, key);
		meter = read_meter(document, field, key, value);
		if (meter == NULL)
			return false;
		if (!json_is_object(value))
			return document_refuse(
			    document, field, value, "must be a price, for example {\"price\": \"0.1\", \"per\": 1000000}");
		if (!DOCUMENT_KEYS(document, value, field, "price", "per") ||
		    !price_read_amount(document, value, field, "price", true, &plus->price[meter->id]) ||
		    !price_read_per(document, value, field, meter, &plus->per[meter->id]))
			return false;
	}
	return true;
}

static bool
read_inherit(
    const struct document *document, json_t *object, const char *rule_path, struct price_book *book, struct price_rule *rule)
{
	char path[FIELD_BYTES], field[FIELD_BYTES];
	json_t *from;

	document_path(path, sizeof path, rule_path, "inherit");
	rule->factor = decimal_one;
	if (object == NULL)
		return true;
	if (!json_is_object(object))
		return document_refuse(
		    document, path, object, "\"inherit\" must be an object, for example {\"from\": \"base_model\"}");
	if (!DOCUMENT_KEYS(document, object, path, "from", "factor", "plus") ||
	    !price_read_factor(document, object, path, &rule->factor) ||
	    !read_plus(document, json_object_get(object, "plus"), document_path(field, sizeof field, path, "plus"), book, rule))
		return false;
	from = json_object_get(object, "from");
	document_path(field, sizeof field, path, "from");
	if (json_is_string(from) && strcmp(json_string_value(from), "base_model") == 0) {
		rule->from = INHERIT_BASE_MODEL;
		return true;
	}
	if (!json_is_object(from) || json_object_size(from) != 1)
		return document_refuse(
		    document, field, from, "\"from\" is \"base_model\", {\"model\": \"name\"} or {\"rule\": \"name of a rule\"}");
	if (!DOCUMENT_KEYS(document, from, field, "model", "rule"))
		return false;
	rule->from = json_object_get(from, "model") != NULL ? INHERIT_MODEL : INHERIT_RULE;
	return keep(document, from, field, rule->from == INHERIT_MODEL ? "model" : "rule", true, book, &rule->from_name);
}

static bool
read_prices(const struct document *document, json_t *prices, const char *path, struct price_book *book, struct price_rule *rule)
{
	const char *key;
	json_t *value;

	if (prices == NULL && rule->from != INHERIT_NOTHING)
		return true;
	if (!json_is_object(prices) || json_object_size(prices) == 0)
		return document_refuse(document, path, prices, "\"prices\" must be an object with at least one meter");
	json_object_foreach(prices, key, value)
	{
		const struct meter *meter;
		char field[FIELD_BYTES];

		document_path(field, sizeof field, path, key);
		meter = read_meter(document, field, key, value);
		if (meter == NULL || !price_read(document, value, field, meter, book, &rule->price[meter->id]))
			return false;
	}
	return true;
}

static bool
read_rule(const struct document *document, json_t *value, size_t place, struct price_book *book)
{
	struct price_rule *rule = &book->rules[place];
	char path[32], field[FIELD_BYTES];

	snprintf(path, sizeof path, "rules[%zu]", place);
	book->count = place + 1;
	if (!json_is_object(value))
		return document_refuse(document, path, value, "a rule is a JSON object");
	if (!DOCUMENT_KEYS(document, value, path, "name", "note", "model", "model_pattern", "base_model", "base_model_pattern",
		"service_tier", "adapter_kind", "adapter", "provider", "operation", "region", "speed", "deployment", "project",
		"api_key", "engine", "tags", "inherit", "prices", "fallback") ||
	    !read_match(document, value, path, book, rule))
		return false;
	rule->identity = identity_of(rule, &book->arena);
	memcpy(rule->fallback, book->fallback, sizeof rule->fallback);
	return read_inherit(document, json_object_get(value, "inherit"), path, book, rule) &&
	    read_fallback(document, json_object_get(value, "fallback"), document_path(field, sizeof field, path, "fallback"),
		rule->fallback) &&
	    read_prices(
		document, json_object_get(value, "prices"), document_path(field, sizeof field, path, "prices"), book, rule);
}
