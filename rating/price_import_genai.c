/*
 * price_import_genai.c -- the price list genai-prices: providers, their models, how a model's name is matched, and its prices.
 *
 * USD for a million (`_mtok`, `_mchars`), a thousand (`_kcount`, `_kpages`) or an hour (`_hours`).  {base, tiers: [{start,
 * price}]}: a request whose whole input is more than `start` is wholly charged at `price`.  `prices` may be a list with
 * constraints: of those that hold the last counts.  A model that a provider does not have is looked for among those of its
 * fallback providers.
 */
#include <stdlib.h>

#include "rating/price_import_match.h"

static const struct unit {
	const char *key;
	int meter, shift;
	bool by_hour;
} units[] = {
    {"input_mtok", METER_input_text_uncached_tokens, -6, false},
    {"input_text_mtok", METER_input_text_uncached_tokens, -6, false},
    {"output_mtok", METER_output_text_tokens, -6, false},
    {"output_text_mtok", METER_output_text_tokens, -6, false},
    {"cache_read_mtok", METER_input_text_cache_read_tokens, -6, false},
    {"cache_text_read_mtok", METER_input_text_cache_read_tokens, -6, false},
    {"cache_write_5m_mtok", METER_input_text_cache_write_5m_tokens, -6, false},
    {"cache_write_mtok", METER_input_text_cache_write_5m_tokens, -6, false},
    {"cache_write_1h_mtok", METER_input_text_cache_write_1h_tokens, -6, false},
    {"input_audio_mtok", METER_input_audio_uncached_tokens, -6, false},
    {"cache_audio_read_mtok", METER_input_audio_cache_read_tokens, -6, false},
    {"cache_audio_write_mtok", METER_input_audio_cache_write_5m_tokens, -6, false},
    {"cache_audio_write_1h_mtok", METER_input_audio_cache_write_1h_tokens, -6, false},
    {"output_audio_mtok", METER_output_audio_tokens, -6, false},
    {"input_image_mtok", METER_input_image_uncached_tokens, -6, false},
    {"cache_image_read_mtok", METER_input_image_cache_read_tokens, -6, false},
    {"cache_image_write_mtok", METER_input_image_cache_write_5m_tokens, -6, false},
    {"cache_image_write_1h_mtok", METER_input_image_cache_write_1h_tokens, -6, false},
    {"output_image_mtok", METER_output_image_tokens, -6, false},
    {"input_video_mtok", METER_input_video_uncached_tokens, -6, false},
    {"cache_video_read_mtok", METER_input_video_cache_read_tokens, -6, false},
    {"output_video_mtok", METER_output_video_tokens, -6, false},
    {"input_tool_mtok", METER_input_tool_use_tokens, -6, false},
    {"output_reasoning_mtok", METER_output_reasoning_tokens, -6, false},
    {"output_citation_mtok", METER_output_citation_tokens, -6, false},
    {"input_mchars", METER_characters, -6, false},
    {"input_audio_hours", METER_audio_input_seconds, 0, true},
    {"output_audio_hours", METER_audio_output_seconds, 0, true},
    {"input_document_kpages", METER_pages, -3, false},
    {"web_searches_kcount", METER_web_search_calls, -3, false},
    {"storage_searches_kcount", METER_file_search_calls, -3, false},
    {"code_executions_kcount", METER_code_execution_calls, -3, false},
    {"requests_kcount", METER_requests, -3, false},
};

enum { UNITS = sizeof units / sizeof units[0] };

/* Units of the list that no meter counts. */
static const char *const uncounted[] = {"audio_hours", "input_gpixels", "input_annotated_document_kpages",
    "input_text_messages_kcount", "rerank_searches_kcount", "social_searches_kcount"};

static const char *const provider_keys[] = {"id", "name", "description", "pricing_urls", "price_comments", "api_pattern",
    "model_match", "provider_match", "fallback_model_providers", "extractors", "models"};
static const char *const model_keys[] = {"id", "name", "description", "match", "context_window", "price_comments", "prices",
    "deprecated", "prices_checked", "price_discrepancies", "collapse"};

/* All models that a provider's names are looked for in, in the order in which they are asked. */
struct provider {
	struct price_import *import;
	const char *id;
	struct import_match *match;
	size_t count, room;
	size_t own; /* the first of them are its own, the others of its fallback providers */
};

/* --- prices ---------------------------------------------------------------------------------- */

static enum import_reason
reason_of_key(struct bytes key)
{
	for (size_t i = 0; i < sizeof uncounted / sizeof uncounted[0]; i++)
		if (bytes_are(key, uncounted[i]))
			return IMPORT_NO_METER;
	return IMPORT_UNKNOWN_PRICE_KEY;
}

static int64_t
start_of(const struct list_node *tier)
{
	const struct list_node *start = list_get(tier, "start");
	i128 value;
	struct error wrong;

	if (start == NULL || start->type != VALUE_NUMBER || !integer_parse(start->text.at, start->text.length, &value, &wrong) ||
	    value < 0 || value > 1000000000000)
		return -1;
	return (int64_t)value;
}

static void
read_price(const struct import_place *place, struct import_rule *rule, const struct unit *unit, const struct list_node *node)
{
	const struct list_node *base = list_get(node, "base"), *tiers = list_get(node, "tiers");

	if (node->type == VALUE_NUMBER) {
		import_take(place, rule, unit->meter, IMPORT_NO_THRESHOLD, false, node->text, unit->shift);
	} else if (base == NULL || base->type != VALUE_NUMBER || tiers == NULL || tiers->type != VALUE_ARRAY) {
		import_note(place, IMPORT_NOT_NUMBER, node->text);
	} else {
		import_take(place, rule, unit->meter, IMPORT_NO_THRESHOLD, false, base->text, unit->shift);
		for (const struct list_node *tier = tiers->first; tier != NULL; tier = tier->next) {
			const struct list_node *price = list_get(tier, "price");

			if (price == NULL || price->type != VALUE_NUMBER || start_of(tier) < 0)
				import_note(place, IMPORT_NOT_NUMBER, tier->text);
			else
				import_take(place, rule, unit->meter, start_of(tier), false, price->text, unit->shift);
		}
	}
	if (unit->by_hour && rule->price[unit->meter] != NULL)
		rule->price[unit->meter]->by_hour = true;
}

static void
read_prices(struct price_import *import, const char *entry, const struct list_node *prices, struct import_rule *rule)
{
	for (const struct list_node *node = prices->first; node != NULL; node = node->next) {
		struct import_place place = {import, entry, arena_copy(&import->arena, node->key.at, node->key.length)};
		size_t i = 0;

		while (i < UNITS && !bytes_are(node->key, units[i].key))
			i++;
		if (i == UNITS)
			import_note(&place, reason_of_key(node->key), node->text);
		else
			read_price(&place, rule, &units[i], node);
	}
}

/* --- prices by date and by time of day ------------------------------------------------------- */

/* From when on an element of `prices` counts; false where it has no date, or one that is none. */
static bool
date_of(const struct list_node *element, struct instant *out)
{
	struct bytes date = list_text(list_get(element, "constraint"), "start_date");
	char text[32];
	struct error wrong;

	if (date.length != sizeof "2026-01-01" - 1)
		return false;
	memcpy(text, date.at, date.length);
	text[date.length] = '\0';
	return instant_option(text, out, &wrong);
}

static bool
is_timely(const struct list_node *element)
{
	return list_get(list_get(element, "constraint"), "start_time") != NULL;
}

/* "00:30:00Z", on the quarter of an hour; the hour and the minute of it in `out`. */
static bool
time_of(const struct list_node *element, const char *key, char out[6])
{
	struct bytes time = list_text(list_get(element, "constraint"), key);

	if (time.length != sizeof "00:30:00Z" - 1 || memcmp(time.at + 5, ":00Z", 4) != 0 || time.at[2] != ':')
		return false;
	memcpy(out, time.at, 5);
	out[5] = '\0';
	return strcmp(out + 3, "00") == 0 || strcmp(out + 3, "15") == 0 || strcmp(out + 3, "30") == 0 ||
	    strcmp(out + 3, "45") == 0;
}

static void
remember_date(struct price_import *import, struct instant date)
{
	if (date.us <= import->order.effective.us || (import->has_next_date && import->next_date.us <= date.us))
		return;
	import->has_next_date = true;
	import->next_date = date;
}

/* The last element without a time of day that is in force; NULL: none is. */
static const struct list_node *
element_in_force(const struct import_place *place, const struct list_node *prices)
{
	const struct list_node *found = NULL;

	for (const struct list_node *element = prices->first; element != NULL; element = element->next) {
		struct instant date;

		if (is_timely(element))
			continue;
		if (list_get(element, "constraint") == NULL) {
			found = element;
		} else if (!date_of(element, &date)) {
			import_note(place, IMPORT_TIME, list_get(element, "constraint")->text);
		} else {
			remember_date(place->import, date);
			if (date.us <= place->import->order.effective.us)
				found = element;
			else
				import_note(place, IMPORT_OTHER_DATE, list_get(element, "constraint")->text);
		}
	}
	return found;
}

/* Hangs the prices of a window at those for all other times; the last one read counts first. */
static void
hang(const struct import_place *place, struct import_rule *rule, struct import_rule *timely, const char *window)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		struct import_price *price = rule->price[meter], *own = timely->price[meter];

		if ((price == NULL) != (own == NULL))
			import_note(place, IMPORT_TIME, (struct bytes){meter_of(meter)->name, meter_of(meter)->name_length});
		if (price == NULL || own == NULL)
			continue;
		own->window = window;
		own->timely = price->timely;
		price->timely = own;
	}
}

static void
read_timely(const struct import_place *place, const struct list_node *element, struct import_rule *rule)
{
	struct price_import *import = place->import;
	struct import_rule timely = {.name = NULL};
	char from[6], to[6];

	if (!time_of(element, "start_time", from) || !time_of(element, "end_time", to) || list_get(element, "prices") == NULL) {
		import_note(place, IMPORT_TIME, element->text);
		return;
	}
	read_prices(import, place->entry, list_get(element, "prices"), &timely);
	if (import_rule_finish(place, &timely))
		hang(place, rule, &timely, import_window(import, from, to));
}

/* False where the model has no price that can be said. */
static bool
read_model_prices(struct price_import *import, const char *entry, const struct list_node *model, struct import_rule *rule)
{
	struct import_place place = {import, entry, "prices"};
	const struct list_node *prices = list_get(model, "prices"), *found = NULL;

	if (prices != NULL && prices->type == VALUE_OBJECT)
		read_prices(import, entry, prices, rule);
	if (prices != NULL && prices->type == VALUE_ARRAY) {
		found = element_in_force(&place, prices);
		if (found != NULL && list_get(found, "prices") != NULL)
			read_prices(import, entry, list_get(found, "prices"), rule);
	}
	if (!import_rule_finish(&place, rule))
		return false;
	for (; found != NULL; found = found->next)
		if (is_timely(found))
			read_timely(&place, found, rule);
	return true;
}

/* --- names ----------------------------------------------------------------------------------- */

static bool
is_taken_before(const struct provider *provider, size_t model, const char *name)
{
	for (size_t i = 0; i < model; i++)
		if (import_match_takes(&provider->match[i], name))
			return true;
	return false;
}

static bool
is_taken(const struct provider *provider, const char *name)
{
	return is_taken_before(provider, provider->count, name);
}

static bool
has_pattern_before(const struct provider *provider, size_t model, const char *text)
{
	for (size_t i = 0; i < model; i++)
		for (size_t j = 0; j < provider->match[i].pattern_count; j++)
			if (strcmp(provider->match[i].texts[j], text) == 0)
				return true;
	return false;
}

static void
add_rule(const struct provider *provider, const struct import_rule *prices, const char *model, const char *pattern)
{
	struct import_rule rule = *prices;

	rule.model = model;
	rule.pattern = pattern;
	rule.provider = provider->import->order.provider == NULL ? provider->id : NULL;
	import_rule_add(provider->import, &rule);
}

/* Rules for the names that are left to a model, as the list writes them; patterns for other ways to write them go to
 * `parts`. */
static size_t
add_names(const struct provider *provider, size_t model, const struct import_place *place, const struct import_rule *prices,
    const char **parts)
{
	const struct import_match *match = &provider->match[model];
	size_t count = 0;

	for (size_t i = 0; i < match->name_count; i++) {
		const char *name = match->names[i], *pattern = import_name_pattern(provider->import, name);
		bool is_twice = false, is_same = false;

		for (size_t j = 0; j < i; j++) {
			is_twice = is_twice || strcmp(match->names[j], name) == 0;
			is_same = is_same || import_is_same_name(match->names[j], name);
		}
		if (is_taken_before(provider, model, name)) {
			import_note(place, IMPORT_NAME_TAKEN, (struct bytes){name, strlen(name)});
			continue;
		}
		if (!is_twice)
			add_rule(provider, prices, name, NULL);
		if (!is_same && pattern != NULL)
			parts[count++] = pattern;
	}
	return count;
}

/* The rules of a model: for each of its names, for its id where no match takes it, and for what its patterns take. */
static bool
add_rules(const struct provider *provider, size_t model, const char *entry, const struct import_rule *prices)
{
	const struct import_match *match = &provider->match[model];
	struct import_place place = {provider->import, entry, "match"};
	const char **parts = memory_new(match->name_count + match->pattern_count, sizeof *parts), *joined;
	size_t before = provider->import->rule_count, count = add_names(provider, model, &place, prices, parts), at = 0;

	if (model < provider->own && match->id != NULL && !is_taken(provider, match->id))
		add_rule(provider, prices, match->id, NULL);
	for (size_t i = 0; i < match->pattern_count; i++) {
		if (has_pattern_before(provider, model, match->texts[i]))
			import_note(&place, IMPORT_NAME_TAKEN, (struct bytes){match->texts[i], strlen(match->texts[i])});
		else
			parts[count++] = match->texts[i];
	}
	while ((joined = import_join_patterns(provider->import, parts, count, &at)) != NULL)
		add_rule(provider, prices, NULL, joined);
	free(parts);
	return provider->import->rule_count > before;
}

/* --- models and providers -------------------------------------------------------------------- */

static void
note_unknown(const struct import_place *where, const struct list_node *object, const char *const *known, size_t count)
{
	for (const struct list_node *member = object->first; member != NULL; member = member->next) {
		struct import_place place = *where;
		size_t i = 0;

		while (i < count && !bytes_are(member->key, known[i]))
			i++;
		if (i < count)
			continue;
		place.field = arena_copy(&where->import->arena, member->key.at, member->key.length);
		import_note(&place,
		    strstr(place.field, "cost") != NULL || strstr(place.field, "pric") != NULL ? IMPORT_UNKNOWN_PRICE_KEY
											       : IMPORT_UNKNOWN_KEY,
		    member->text);
	}
}

static void
add_models(struct provider *provider, const struct list_node *node)
{
	const struct list_node *models = list_get(node, "models");

	if (models == NULL || models->type != VALUE_ARRAY)
		return;
	for (const struct list_node *model = models->first; model != NULL; model = model->next) {
		struct import_match *match;
		struct bytes id = list_text(model, "id");
		const char *entry = arena_format(&provider->import->arena, "%s/%.*s", provider->id, (int)id.length, id.at);
		struct import_place place = {provider->import, entry, "match"};

		provider->match = memory_grow(provider->match, &provider->room, provider->count + 1, sizeof *provider->match);
		match = &provider->match[provider->count++];
		*match = (struct import_match){.node = model};
		match->id = import_name(&place, id);
		if (list_get(model, "match") != NULL)
			import_match_read(&place, list_get(model, "match"), match);
	}
}

static const struct list_node *
find_provider(const struct list_node *root, struct bytes id)
{
	for (const struct list_node *node = root->first; node != NULL; node = node->next) {
		struct bytes other = list_text(node, "id");

		if (other.length == id.length && memcmp(other.at, id.at, id.length) == 0)
			return node;
	}
	return NULL;
}

static void
add_fallback_models(struct provider *provider, const struct list_node *root, const struct list_node *node)
{
	const struct list_node *others = list_get(node, "fallback_model_providers");

	if (others == NULL || others->type != VALUE_ARRAY)
		return;
	for (const struct list_node *other = others->first; other != NULL; other = other->next) {
		const struct list_node *found = other->type == VALUE_STRING ? find_provider(root, other->text) : NULL;

		if (found != NULL && found != node)
			add_models(provider, found);
	}
}

static bool
states_no_price(const struct list_node *model)
{
	const struct list_node *prices = list_get(model, "prices");

	return prices == NULL || prices->first == NULL;
}

static void
read_model(struct provider *provider, size_t number)
{
	struct price_import *import = provider->import;
	const struct list_node *node = provider->match[number].node;
	struct bytes id = list_text(node, "id");
	const char *entry = arena_format(&import->arena, "%s/%.*s", provider->id, (int)id.length, id.at);
	struct import_place place = {import, entry, ""};
	struct import_rule prices = {.name = NULL};
	bool is_own = number < provider->own;
	size_t notes = import->note_count;

	import->entries += is_own;
	if (is_own)
		note_unknown(&place, node, model_keys, sizeof model_keys / sizeof model_keys[0]);
	if (!read_model_prices(import, entry, node, &prices))
		import_note(&place, states_no_price(node) ? IMPORT_NO_PRICE : IMPORT_NOTHING_LEFT, (struct bytes){NULL, 0});
	else if (add_rules(provider, number, entry, &prices))
		import->priced += is_own;
	else
		import_note(&place, IMPORT_TAKEN_BEFORE, (struct bytes){NULL, 0});
	/* The same was noted where the model is at home. */
	if (!is_own)
		import->note_count = notes;
}

static void
read_provider(struct price_import *import, const struct list_node *root, const struct list_node *node)
{
	struct provider provider = {.import = import};
	struct import_place place = {import, "", "id"};
	const struct list_node *names = list_get(node, "provider_match");

	provider.id = import_name(&place, list_text(node, "id"));
	if (provider.id == NULL)
		return;
	place.entry = provider.id;
	note_unknown(&place, node, provider_keys, sizeof provider_keys / sizeof provider_keys[0]);
	place.field = "provider_match";
	if (names != NULL && import->order.provider == NULL)
		import_note(&place, IMPORT_PROVIDER_NAME, names->text);
	add_models(&provider, node);
	provider.own = provider.count;
	add_fallback_models(&provider, root, node);
	for (size_t i = 0; i < provider.count; i++)
		read_model(&provider, i);
	for (size_t i = 0; i < provider.count; i++)
		import_match_release(&provider.match[i]);
	free(provider.match);
}

bool
import_genai_prices(struct price_import *import, const char *bytes, size_t length, struct error *err)
{
	const struct list_node *root;

	if (!list_parse(bytes, length, import->order.file, &import->arena, &root, err))
		return false;
	if (root->type != VALUE_ARRAY) {
		error_set(err, ERROR_INPUT, "not the price list genai-prices: it is a list of providers");
		return error_at(err, import->order.file, 0);
	}
	for (const struct list_node *node = root->first; node != NULL; node = node->next)
		if (import->order.provider == NULL || bytes_are(list_text(node, "id"), import->order.provider))
			read_provider(import, root, node);
	return true;
}
