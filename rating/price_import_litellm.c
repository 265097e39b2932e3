/*
 * price_import_litellm.c -- the price list of LiteLLM: {"model": {"input_cost_per_token": 2.5e-07, ...}, ...}, USD for one unit.
 *
 * A field's name is a kind of price, then a threshold ("_above_200k_tokens": of the request's whole input, which is then
 * charged at it wholly), then a service tier ("_priority").  The list's own program charges a service tier without such a
 * field at the standard price, field by field, and of all thresholds that a request is above the highest counts; at the same
 * one, the tier's own price.
 */
#include <stdlib.h>

#include "rating/price_import_parts.h"
#include "rating/price_list.h"

/* The place of a price in an entry: its service tiers, the standard one first. */
enum { STANDARD, TIERS = 5, FIELDS_MAX = 256 };

static const struct {
	const char *suffix, *name;
} tiers[TIERS] = {{"", NULL}, {"_priority", "priority"}, {"_flex", "flex"}, {"_batches", "batch"}, {"_ultrafast", "ultrafast"}};

/* When a price is not taken because tokens are the price of the same. */
enum unless { ALWAYS, UNLESS_INPUT_TOKENS, UNLESS_OUTPUT_TOKENS };

/* Kinds of price, of two for one meter the more fitting one first. */
static const struct kind {
	const char *field;
	int meter;
	int shift; /* the power of ten of the units that it is for, negated */
	enum unless unless;
} kinds[] = {
    {"input_cost_per_token", METER_input_text_uncached_tokens, 0, ALWAYS},
    {"cache_read_input_token_cost", METER_input_text_cache_read_tokens, 0, ALWAYS},
    {"input_cost_per_token_cache_hit", METER_input_text_cache_read_tokens, 0, ALWAYS},
    {"cache_creation_input_token_cost", METER_input_text_cache_write_5m_tokens, 0, ALWAYS},
    {"cache_creation_input_token_cost_above_1hr", METER_input_text_cache_write_1h_tokens, 0, ALWAYS},
    {"output_cost_per_token", METER_output_text_tokens, 0, ALWAYS},
    {"output_cost_per_reasoning_token", METER_output_reasoning_tokens, 0, ALWAYS},
    {"input_cost_per_audio_token", METER_input_audio_uncached_tokens, 0, ALWAYS},
    {"cache_read_input_audio_token_cost", METER_input_audio_cache_read_tokens, 0, ALWAYS},
    {"cache_creation_input_audio_token_cost", METER_input_audio_cache_write_5m_tokens, 0, ALWAYS},
    {"output_cost_per_audio_token", METER_output_audio_tokens, 0, ALWAYS},
    {"input_cost_per_image_token", METER_input_image_uncached_tokens, 0, ALWAYS},
    {"cache_read_input_image_token_cost", METER_input_image_cache_read_tokens, 0, ALWAYS},
    {"output_cost_per_image_token", METER_output_image_tokens, 0, ALWAYS},
    {"input_cost_per_video_token", METER_input_video_uncached_tokens, 0, ALWAYS},
    {"output_cost_per_video_token", METER_output_video_tokens, 0, ALWAYS},
    {"citation_cost_per_token", METER_output_citation_tokens, 0, ALWAYS},
    {"input_cost_per_request", METER_requests, 0, ALWAYS},
    {"input_cost_per_query", METER_requests, 0, ALWAYS},
    {"file_search_cost_per_1k_calls", METER_file_search_calls, -3, ALWAYS},
    {"ocr_cost_per_page", METER_pages, 0, ALWAYS},
    {"output_cost_per_image", METER_images, 0, UNLESS_OUTPUT_TOKENS},
    {"input_cost_per_image", METER_images, 0, UNLESS_INPUT_TOKENS},
    {"input_cost_per_character", METER_characters, 0, UNLESS_INPUT_TOKENS},
    {"output_cost_per_character", METER_characters, 0, UNLESS_OUTPUT_TOKENS},
    {"input_cost_per_audio_per_second", METER_audio_input_seconds, 0, UNLESS_INPUT_TOKENS},
    {"output_cost_per_video_per_second", METER_video_seconds, 0, UNLESS_OUTPUT_TOKENS},
    {"input_cost_per_video_per_second", METER_video_seconds, 0, UNLESS_INPUT_TOKENS},
    /* of what: as the entry's mode says */
    {"input_cost_per_second", METER_runtime_seconds, 0, UNLESS_INPUT_TOKENS},
    {"output_cost_per_second", METER_runtime_seconds, 0, UNLESS_OUTPUT_TOKENS},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Prices that a book cannot say, by their field as it stands or without threshold and tier. */
static const struct {
	const char *field;
	enum import_reason reason;
} unsaid[] = {
    {"input_cost_per_pixel", IMPORT_NO_METER},
    {"output_cost_per_pixel", IMPORT_NO_METER},
    {"input_dbu_cost_per_token", IMPORT_OTHER_CURRENCY},
    {"output_dbu_cost_per_token", IMPORT_OTHER_CURRENCY},
    {"code_interpreter_cost_per_session", IMPORT_NO_METER},
    {"annotation_cost_per_page", IMPORT_NO_METER},
    {"ocr_cost_per_credit", IMPORT_OTHER_CURRENCY},
    {"computer_use_input_cost_per_1k_tokens", IMPORT_NO_METER},
    {"computer_use_output_cost_per_1k_tokens", IMPORT_NO_METER},
    {"file_search_cost_per_gb_per_day", IMPORT_NO_METER},
    {"vector_store_cost_per_gb_per_day", IMPORT_NO_METER},
    {"output_cost_per_second_1080p", IMPORT_NOT_STATED},
    {"input_cost_per_video_per_second_above_15s_interval", IMPORT_NOT_STATED},
    {"input_cost_per_video_per_second_above_8s_interval", IMPORT_NOT_STATED},
};

/* Keys that are not about price; so are those that begin with supports_, supported_, uses_ or max_. */
static const char *const not_prices[] = {"audio_transcription_config", "bedrock_converse_supports_strict_tools",
    "bedrock_output_config_effort_ceiling", "comment", "deprecation_date", "gemini_audio_only_live", "gemini_native_audio",
    "litellm_provider", "metadata", "mode", "output_vector_size", "prompt_cache_min_tokens", "rpd", "rpm", "rules", "source",
    "tool_use_system_prompt_tokens", "tpm", "use_openai_responses_path", "web_search_billing_unit"};

/* One field of an entry, its name taken apart. */
struct field {
	const struct list_node *node;
	const char *name; /* whole */
	struct bytes kind;
	int tier;
	int64_t threshold;
	bool read;
};

/* A factor on all prices of an entry, for a region or a speed. */
struct uplift {
	const char *region, *speed;
	const char *factor;
};

enum { UPLIFTS_MAX = 16 };

struct entry {
	struct price_import *import;
	const char *model;
	const struct list_node *node;
	struct bytes mode;
	struct field field[FIELDS_MAX];
	size_t fields;
	struct import_rule rule[TIERS];
	struct uplift uplift[UPLIFTS_MAX];
	size_t uplifts;
};

static struct import_place
place_of(const struct entry *entry, const char *field)
{
	return (struct import_place){entry->import, entry->model, field};
}

/* --- names of fields ------------------------------------------------------------------------- */

static bool
ends_with(struct bytes text, const char *end)
{
	size_t length = strlen(end);

	return text.length >= length && memcmp(text.at + text.length - length, end, length) == 0;
}

static bool
begins_with(struct bytes text, const char *start)
{
	return text.length >= strlen(start) && memcmp(text.at, start, strlen(start)) == 0;
}

/* Takes "_above_200k_tokens" off the end of a name; IMPORT_NO_THRESHOLD where there is none. */
static int64_t
take_threshold(struct bytes *name)
{
	static const char before[] = "_above_", behind[] = "_tokens";
	size_t at, length = name->length;
	int64_t value = 0;
	bool thousands;

	if (!ends_with(*name, behind))
		return IMPORT_NO_THRESHOLD;
	length -= sizeof behind - 1;
	thousands = length > 0 && name->at[length - 1] == 'k';
	length -= thousands;
	for (at = length; at > 0 && name->at[at - 1] >= '0' && name->at[at - 1] <= '9'; at--)
		;
	if (at == length || length - at > 9 || !ends_with((struct bytes){name->at, at}, before))
		return IMPORT_NO_THRESHOLD;
	for (size_t i = at; i < length; i++)
		value = value * 10 + (name->at[i] - '0');
	name->length = at - (sizeof before - 1);
	return thousands ? value * 1000 : value;
}

static void
take_apart(struct entry *entry, const struct list_node *node)
{
	struct field *field = &entry->field[entry->fields++];

	*field = (struct field){
	    .node = node,
	    .name = arena_copy(&entry->import->arena, node->key.at, node->key.length),
	    .kind = node->key,
	};
	for (int tier = STANDARD + 1; tier < TIERS; tier++)
		if (ends_with(field->kind, tiers[tier].suffix)) {
			field->tier = tier;
			field->kind.length -= strlen(tiers[tier].suffix);
			break;
		}
	field->threshold = take_threshold(&field->kind);
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Some copies of the list have numbers as strings. */
static bool
is_number(const struct list_node *node)
{
	return node->type == VALUE_NUMBER || node->type == VALUE_STRING;
}

static bool
is_more_than_zero(const struct list_node *node)
{
	struct price_number number;
	enum price_number_result result;

	if (node == NULL || !is_number(node))
		return false;
	result = price_number_parse(node->text, &number);
	return result != PRICE_NUMBER_NEGATIVE && result != PRICE_NUMBER_NONE && result != PRICE_NUMBER_TOO_LONG &&
	    number.digits > 0;
}

static bool
has_price(const struct entry *entry, const char *const *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_more_than_zero(list_get(entry->node, fields[i])))
			return true;
	return false;
}

static bool
prices_tokens(const struct entry *entry, enum unless side)
{
	static const char *const input[] = {"input_cost_per_token", "input_cost_per_image_token", "input_cost_per_audio_token"};
	static const char *const output[] = {
	    "output_cost_per_token", "output_cost_per_image_token", "output_cost_per_audio_token"};

	return side == UNLESS_INPUT_TOKENS ? has_price(entry, input, 3) : has_price(entry, output, 3);
}

/* --- prices ---------------------------------------------------------------------------------- */

/* What a second is of; 0 where it cannot be told. */
static int
meter_of_second(const struct entry *entry)
{
	if (bytes_are(entry->mode, "audio_transcription"))
		return METER_audio_input_seconds;
	if (bytes_are(entry->mode, "audio_speech"))
		return METER_audio_output_seconds;
	if (bytes_are(entry->mode, "video_generation"))
		return METER_video_seconds;
	if (is_more_than_zero(list_get(entry->node, "input_cost_per_second")) &&
	    is_more_than_zero(list_get(entry->node, "output_cost_per_second")))
		return 0;
	return METER_runtime_seconds;
}

/* An embedding model takes pictures and sound beside text, and counts them by themselves. */
static bool
is_charged_twice(const struct entry *entry, const struct kind *kind)
{
	if (kind->unless == ALWAYS || (bytes_are(entry->mode, "embedding") && kind->meter != METER_characters))
		return false;
	return prices_tokens(entry, kind->unless);
}

static void
read_price(struct entry *entry, struct field *field, const struct kind *kind)
{
	struct import_place place = place_of(entry, field->name);
	int meter = kind->meter == METER_runtime_seconds ? meter_of_second(entry) : kind->meter;

	field->read = true;
	if (field->node->type == VALUE_NULL)
		return;
	if (!is_number(field->node))
		import_note(&place, IMPORT_NOT_NUMBER, field->node->text);
	else if (is_charged_twice(entry, kind))
		import_note(&place, IMPORT_BY_TOKENS, field->node->text);
	else if (meter == 0)
		import_note(&place, IMPORT_RUNTIME_TWICE, field->node->text);
	else
		import_take(&place, &entry->rule[field->tier], meter, field->threshold, false, field->node->text, kind->shift);
}

static void
read_prices(struct entry *entry)
{
	for (size_t i = 0; i < KINDS; i++)
		for (size_t j = 0; j < entry->fields; j++)
			if (bytes_are(entry->field[j].kind, kinds[i].field))
				read_price(entry, &entry->field[j], &kinds[i]);
}

/* --- tiers by the length of the request ------------------------------------------------------ */

/* "256000.0": the lower end of a range, above which its prices count. */
static bool
range_start(const struct list_node *tier, int64_t *out)
{
	const struct list_node *range = list_get(tier, "range");
	struct price_number number;

	if (range == NULL || range->type != VALUE_ARRAY || range->first == NULL || range->first->type != VALUE_NUMBER ||
	    price_number_parse(range->first->text, &number) != PRICE_NUMBER_FINE || number.exponent < 0 || number.exponent > 9 ||
	    number.digits > 1000000000)
		return false;
	*out = (int64_t)number.digits;
	for (int i = 0; i < number.exponent; i++)
		*out *= 10;
	return *out <= 1000000000000;
}

static void
read_tier(struct entry *entry, const struct list_node *tier, int64_t start)
{
	struct import_place place = place_of(entry, "tiered_pricing");

	for (const struct list_node *member = tier->first; member != NULL; member = member->next) {
		size_t i = 0;

		if (bytes_are(member->key, "range"))
			continue;
		place.field = arena_format(&entry->import->arena, "tiered_pricing.%.*s", (int)member->key.length, member->key.at);
		while (i < KINDS && !bytes_are(member->key, kinds[i].field))
			i++;
		if (i == KINDS || !is_number(member))
			import_note(&place, i == KINDS ? IMPORT_UNKNOWN_PRICE_KEY : IMPORT_NOT_NUMBER, member->text);
		else
			import_take(&place, &entry->rule[STANDARD], kinds[i].meter, start == 0 ? IMPORT_NO_THRESHOLD : start,
			    false, member->text, kinds[i].shift);
	}
}

static void
check_tiers(const struct entry *entry, size_t count)
{
	struct import_place place = place_of(entry, "tiered_pricing");

	for (int meter = 1; meter < METER_LIMIT; meter++) {
		const struct import_price *price = entry->rule[STANDARD].price[meter];

		if (price != NULL && price->steps + price->has_base < count)
			import_note(
			    &place, IMPORT_MISSING_TIER, (struct bytes){meter_of(meter)->name, meter_of(meter)->name_length});
	}
}

/* Before the entry's other prices, which count for what no tier has a price for. */
static void
read_tiered_pricing(struct entry *entry, struct field *field)
{
	struct import_place place = place_of(entry, field->name);
	size_t count = 0;

	field->read = true;
	for (const struct list_node *tier = field->node->first; tier != NULL; tier = tier->next, count++) {
		int64_t start;

		if (list_get(tier, "max_results_range") != NULL) {
			import_note(&place, IMPORT_NOT_STATED, tier->text);
			return;
		}
		if (!range_start(tier, &start)) {
			import_note(&place, IMPORT_NOT_NUMBER, tier->text);
			return;
		}
		read_tier(entry, tier, start);
	}
	check_tiers(entry, count);
}

/* --- searches, regions, speeds --------------------------------------------------------------- */

/* By the size of the context that a search gives, which usage does not state.  The list's program takes the medium one then. */
static void
read_search(struct entry *entry, struct field *field)
{
	static const char *const others[] = {"search_context_size_low", "search_context_size_high"};
	struct import_place place = place_of(entry, field->name);
	const struct list_node *medium = list_get(field->node, "search_context_size_medium");
	bool differs = false;

	field->read = true;
	if (medium == NULL || !is_number(medium)) {
		import_note(&place, IMPORT_NOT_STATED, field->node->text);
		return;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		const struct list_node *other = list_get(field->node, others[i]);
		struct price_number a, b;

		if (other == NULL ||
		    (price_number_parse(other->text, &a) == PRICE_NUMBER_FINE &&
			price_number_parse(medium->text, &b) == PRICE_NUMBER_FINE && price_number_equal(a, b)))
			continue;
		place.field = arena_format(&entry->import->arena, "%s.%s", field->name, others[i]);
		import_note(&place, IMPORT_NOT_STATED, other->text);
		differs = true;
	}
	place.field = field->name;
	if (differs)
		import_note(&place, IMPORT_MEDIUM, medium->text);
	import_take(&place, &entry->rule[STANDARD], METER_web_search_calls, IMPORT_NO_THRESHOLD, false, medium->text, 0);
}

static void
add_uplift(
    struct entry *entry, const struct import_place *place, const char *region, const char *speed, const struct list_node *node)
{
	struct price_number number;
	char text[DECIMAL_TEXT];

	if (!is_number(node) || entry->uplifts == UPLIFTS_MAX || !import_number(place, node->text, 0, &number) ||
	    !price_number_format(number, 0, text)) {
		import_note(place, IMPORT_NOT_NUMBER, node->text);
		return;
	}
	entry->uplift[entry->uplifts++] = (struct uplift){region, speed, arena_copy(&entry->import->arena, text, strlen(text))};
}

/* {"us": 1.1, "fast": 6.0}: where a request is computed, or how fast. */
static void
read_specific(struct entry *entry, struct field *field)
{
	field->read = true;
	for (const struct list_node *member = field->node->first; member != NULL; member = member->next) {
		const char *key = arena_copy(&entry->import->arena, member->key.at, member->key.length);
		struct import_place place = place_of(entry, arena_format(&entry->import->arena, "%s.%s", field->name, key));

		if (strcmp(key, "bedrock_invocation_schema") == 0)
			continue;
		if (strcmp(key, "us") == 0 || strcmp(key, "eu") == 0)
			add_uplift(entry, &place, key, NULL, member);
		else if (strcmp(key, "fast") == 0)
			add_uplift(entry, &place, NULL, key, member);
		else
			import_note(&place, IMPORT_UNKNOWN_KEY, member->text);
	}
}

static void
read_others(struct entry *entry)
{
	static const char regional[] = "regional_processing_uplift_multiplier_";

	for (size_t i = 0; i < entry->fields; i++) {
		struct field *field = &entry->field[i];
		struct import_place place = place_of(entry, field->name);

		if (strcmp(field->name, "tiered_pricing") == 0)
			read_tiered_pricing(entry, field);
		else if (strcmp(field->name, "search_context_cost_per_query") == 0)
			read_search(entry, field);
		else if (strcmp(field->name, "provider_specific_entry") == 0)
			read_specific(entry, field);
		else if (begins_with(field->node->key, regional)) {
			field->read = true;
			add_uplift(entry, &place, field->name + sizeof regional - 1, NULL, field->node);
		}
	}
}

/* --- what is left over ----------------------------------------------------------------------- */

static bool
is_not_price(struct bytes key)
{
	if (begins_with(key, "supports_") || begins_with(key, "supported_") || begins_with(key, "uses_") ||
	    begins_with(key, "max_"))
		return true;
	for (size_t i = 0; i < sizeof not_prices / sizeof not_prices[0]; i++)
		if (bytes_are(key, not_prices[i]))
			return true;
	return false;
}

static enum import_reason
reason_of(const struct field *field)
{
	for (size_t i = 0; i < sizeof unsaid / sizeof unsaid[0]; i++)
		if (bytes_are(field->kind, unsaid[i].field) || strcmp(field->name, unsaid[i].field) == 0)
			return unsaid[i].reason;
	return strstr(field->name, "cost") != NULL || strstr(field->name, "pric") != NULL ? IMPORT_UNKNOWN_PRICE_KEY
											  : IMPORT_UNKNOWN_KEY;
}

/* True where one of the fields left over is a price. */
static bool
note_rest(const struct entry *entry)
{
	bool has_prices = false;

	for (size_t i = 0; i < entry->fields; i++) {
		const struct field *field = &entry->field[i];
		struct import_place place = place_of(entry, field->name);

		if (field->read) {
			has_prices = true;
			continue;
		}
		if (is_not_price(field->node->key))
			continue;
		import_note(&place, reason_of(field), field->node->text);
		has_prices = has_prices || reason_of(field) != IMPORT_UNKNOWN_KEY;
	}
	return has_prices;
}

/* --- rules ----------------------------------------------------------------------------------- */

/* The tier's price is the standard one where it has none of its own, below and at each threshold. */
static void
merge_standard(struct entry *entry, int tier)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		struct import_price *own = entry->rule[tier].price[meter];
		const struct import_price *standard = entry->rule[STANDARD].price[meter];

		if (own == NULL || standard == NULL)
			continue;
		if (!own->has_base && standard->has_base) {
			own->has_base = true;
			own->base = standard->base;
		}
		for (size_t i = 0; i < standard->steps; i++) {
			bool has = false;

			for (size_t j = 0; j < own->steps; j++)
				has = has || own->step[j].boundary == standard->step[i].boundary;
			if (!has && own->steps < IMPORT_STEPS)
				own->step[own->steps++] = standard->step[i];
		}
	}
}

static void
add_uplifted(const struct entry *entry, const struct import_rule *base, const char *region, const char *speed,
    const char *inherit, const char *factor, const char *name)
{
	struct import_rule rule = {.name = name,
	    .model = base->model,
	    .service_tier = base->service_tier,
	    .region = region,
	    .speed = speed,
	    .inherit = inherit,
	    .factor = factor};

	import_rule_add(entry->import, &rule);
}

/* Rules for a region or a speed stand before the one they take their prices from, and both together before each alone. */
static void
add_uplifts(const struct entry *entry, const struct import_rule *base)
{
	struct arena *arena = &entry->import->arena;

	for (size_t i = 0; i < entry->uplifts; i++) {
		const struct uplift *speed = &entry->uplift[i];
		const char *fast = speed->speed == NULL ? NULL : arena_format(arena, "%s, %s", base->name, speed->speed);

		for (size_t j = 0; fast != NULL && j < entry->uplifts; j++)
			if (entry->uplift[j].region != NULL)
				add_uplifted(
				    entry, base, entry->uplift[j].region, speed->speed, fast, entry->uplift[j].factor, NULL);
	}
	for (size_t i = 0; i < entry->uplifts; i++) {
		const struct uplift *uplift = &entry->uplift[i];
		const char *fast = uplift->speed == NULL ? NULL : arena_format(arena, "%s, %s", base->name, uplift->speed);

		add_uplifted(entry, base, uplift->region, uplift->speed, base->name, uplift->factor, fast);
	}
}

static bool
add_rules(struct entry *entry)
{
	struct arena *arena = &entry->import->arena;
	bool any = false;

	for (int tier = STANDARD; tier < TIERS; tier++) {
		struct import_rule *rule = &entry->rule[tier];
		struct import_place place = place_of(entry, "");

		if (tier != STANDARD)
			merge_standard(entry, tier);
		if (!import_rule_finish(&place, rule))
			continue;
		rule->model = entry->model;
		rule->service_tier = tiers[tier].name;
		if (entry->uplifts > 0) {
			rule->name =
			    tier == STANDARD ? entry->model : arena_format(arena, "%s, %s", entry->model, tiers[tier].name);
			add_uplifts(entry, rule);
		}
		import_rule_add(entry->import, rule);
		any = true;
	}
	return any;
}

/* Longer names than a book takes are left to the check of the model's own name: the additions are short. */
static void
drop_uplifts_of_long_names(struct entry *entry)
{
	struct import_place place = place_of(entry, "uplift");

	if (entry->uplifts == 0 || strlen(entry->model) + sizeof ", ultrafast, fast" <= IMPORT_NAME_BYTES)
		return;
	import_note(&place, IMPORT_NAME, (struct bytes){NULL, 0});
	entry->uplifts = 0;
}

static void
read_entry(struct entry *entry)
{
	struct import_place place = place_of(entry, "");
	bool has_prices;

	for (const struct list_node *node = entry->node->first; node != NULL; node = node->next) {
		if (entry->fields == FIELDS_MAX) {
			import_note(&place, IMPORT_UNKNOWN_KEY, node->key);
			continue;
		}
		take_apart(entry, node);
	}
	entry->mode = list_text(entry->node, "mode");
	read_others(entry);
	read_prices(entry);
	has_prices = note_rest(entry);
	drop_uplifts_of_long_names(entry);
	if (add_rules(entry))
		entry->import->priced++;
	else
		import_note(&place, has_prices ? IMPORT_NOTHING_LEFT : IMPORT_NO_PRICE, (struct bytes){NULL, 0});
}

static bool
is_wanted(const struct price_import *import, const struct list_node *node)
{
	return !bytes_are(node->key, "sample_spec") &&
	    (import->order.provider == NULL || bytes_are(list_text(node, "litellm_provider"), import->order.provider));
}

bool
import_litellm(struct price_import *import, const char *bytes, size_t length, struct error *err)
{
	const struct list_node *root;

	if (!list_parse(bytes, length, import->order.file, &import->arena, &root, err))
		return false;
	if (root->type != VALUE_OBJECT) {
		error_set(err, ERROR_INPUT, "not the price list of LiteLLM: it is an object with a member for each model");
		return error_at(err, import->order.file, 0);
	}
	for (const struct list_node *node = root->first; node != NULL; node = node->next) {
		struct entry *entry;
		struct import_place place = {import, "", "model"};

		if (!is_wanted(import, node))
			continue;
		import->entries++;
		entry = memory_new(1, sizeof *entry);
		entry->import = import;
		entry->node = node;
		entry->model = import_name(&place, node->key);
		if (entry->model != NULL)
			read_entry(entry);
		free(entry);
	}
	return true;
}
