/* price_import.c -- see price_import.h: what the four lists have in common. */
#include "rating/price_import.h"

#include <stdlib.h>

#include "base/json_reader.h"
#include "rating/price_import_parts.h"

static const struct {
	const char *name;
	bool (*read)(struct price_import *import, const char *bytes, size_t length, struct error *err);
} kinds[PRICE_LIST_KINDS] = {
    [PRICE_LIST_LITELLM] = {"litellm", import_litellm},
    [PRICE_LIST_GENAI_PRICES] = {"genai-prices", import_genai_prices},
    [PRICE_LIST_OPENROUTER] = {"openrouter", import_openrouter},
    [PRICE_LIST_MODELS_DEV] = {"models-dev", import_models_dev},
};

/* The programs of the lists charge what has no price of its own as the plain tokens of its side. */
const int import_fallback[METER_LIMIT] = {
    [METER_input_text_cache_read_tokens] = METER_input_text_uncached_tokens,
    [METER_input_text_cache_write_tokens] = METER_input_text_cache_write_5m_tokens,
    [METER_input_text_cache_write_5m_tokens] = METER_input_text_uncached_tokens,
    [METER_input_text_cache_write_30m_tokens] = METER_input_text_cache_write_5m_tokens,
    [METER_input_text_cache_write_1h_tokens] = METER_input_text_cache_write_5m_tokens,
    [METER_input_audio_uncached_tokens] = METER_input_text_uncached_tokens,
    [METER_input_audio_cache_read_tokens] = METER_input_audio_uncached_tokens,
    [METER_input_audio_cache_write_tokens] = METER_input_audio_cache_write_5m_tokens,
    [METER_input_audio_cache_write_5m_tokens] = METER_input_audio_uncached_tokens,
    [METER_input_audio_cache_write_30m_tokens] = METER_input_audio_cache_write_5m_tokens,
    [METER_input_audio_cache_write_1h_tokens] = METER_input_audio_cache_write_5m_tokens,
    [METER_input_image_uncached_tokens] = METER_input_text_uncached_tokens,
    [METER_input_image_cache_read_tokens] = METER_input_text_cache_read_tokens,
    [METER_input_image_cache_write_tokens] = METER_input_text_cache_write_tokens,
    [METER_input_image_cache_write_5m_tokens] = METER_input_text_cache_write_5m_tokens,
    [METER_input_image_cache_write_30m_tokens] = METER_input_text_cache_write_30m_tokens,
    [METER_input_image_cache_write_1h_tokens] = METER_input_text_cache_write_1h_tokens,
    [METER_input_video_uncached_tokens] = METER_input_text_uncached_tokens,
    [METER_input_video_cache_read_tokens] = METER_input_text_cache_read_tokens,
    [METER_input_video_cache_write_tokens] = METER_input_text_cache_write_tokens,
    [METER_input_video_cache_write_5m_tokens] = METER_input_text_cache_write_5m_tokens,
    [METER_input_video_cache_write_30m_tokens] = METER_input_text_cache_write_30m_tokens,
    [METER_input_video_cache_write_1h_tokens] = METER_input_text_cache_write_1h_tokens,
    [METER_input_tool_use_tokens] = METER_input_text_uncached_tokens,
    [METER_output_reasoning_tokens] = METER_output_text_tokens,
    [METER_output_audio_tokens] = METER_output_text_tokens,
    [METER_output_image_tokens] = METER_output_text_tokens,
    [METER_output_video_tokens] = METER_output_text_tokens,
    [METER_output_rejected_prediction_tokens] = METER_output_text_tokens,
    [METER_output_citation_tokens] = METER_output_text_tokens,
};

bool
price_list_kind_find(const char *name, enum price_list_kind *out)
{
	for (int i = 0; i < PRICE_LIST_KINDS; i++)
		if (strcmp(kinds[i].name, name) == 0) {
			*out = (enum price_list_kind)i;
			return true;
		}
	return false;
}

const char *
price_list_kind_name(enum price_list_kind kind)
{
	return kinds[kind].name;
}

bool
price_import_read(
    const struct price_import_order *order, const char *bytes, size_t length, struct price_import **out, struct error *err)
{
	struct price_import *import = memory_new(1, sizeof *import);

	import->order = *order;
	if (kinds[order->kind].read(import, bytes, length, err)) {
		*out = import;
		return true;
	}
	price_import_free(import);
	return false;
}

void
price_import_free(struct price_import *import)
{
	if (import == NULL)
		return;
	free(import->rules);
	free(import->notes);
	free(import->aliases);
	free(import->windows);
	arena_release(&import->arena);
	free(import);
}

size_t
price_import_rules(const struct price_import *import)
{
	return import->rule_count;
}

bool
price_import_next_date(const struct price_import *import, struct instant *out)
{
	*out = import->next_date;
	return import->has_next_date;
}

/* --- notes ----------------------------------------------------------------------------------- */

static void
note_with(const struct import_place *place, enum import_reason reason, struct bytes value, const char *kept)
{
	struct price_import *import = place->import;

	import->notes = memory_grow(import->notes, &import->note_room, import->note_count + 1, sizeof *import->notes);
	import->notes[import->note_count++] = (struct import_note){
	    .reason = reason,
	    .entry = arena_copy(&import->arena, place->entry, strlen(place->entry)),
	    .field = arena_copy(&import->arena, place->field, strlen(place->field)),
	    .value = value.length == 0 ? "" : arena_copy(&import->arena, value.at, value.length),
	    .kept = arena_copy(&import->arena, kept, strlen(kept)),
	};
}

void
import_note(const struct import_place *place, enum import_reason reason, struct bytes value)
{
	note_with(place, reason, value, "");
}

const char *
import_name(const struct import_place *place, struct bytes name)
{
	size_t at;
	bool cut, fine = name.length > 0 && name.length <= IMPORT_NAME_BYTES && utf8_check(name.at, name.length, &at, &cut);

	for (size_t i = 0; i < name.length && fine; i++)
		fine = (unsigned char)name.at[i] >= 0x20 && name.at[i] != 0x7f;
	if (fine)
		return arena_copy(&place->import->arena, name.at, name.length);
	import_note(place, IMPORT_NAME, name);
	return NULL;
}

/* --- numbers --------------------------------------------------------------------------------- */

/* The number without an exponent, for people. */
static const char *
plain_number(const struct import_place *place, struct price_number number)
{
	struct text text = {0};
	char digits[DECIMAL_TEXT];
	const char *out;

	integer_format((i128)number.digits, digits);
	if (number.exponent >= 0) {
		text_add_format(&text, "%s%.*s", digits, number.exponent, "000000000000000000000000000000000000");
	} else {
		int behind = -number.exponent, count = (int)strlen(digits);

		if (count > behind)
			text_add_format(&text, "%.*s.%s", count - behind, digits, digits + count - behind);
		else
			text_add_format(&text, "0.%.*s%s", behind - count, "000000000000000000000000000000000000", digits);
	}
	out = arena_copy(&place->import->arena, text_string(&text), text.length);
	text_release(&text);
	return out;
}

bool
import_number(const struct import_place *place, struct bytes text, int shift, struct price_number *out)
{
	enum price_number_result result = price_number_parse(text, out);
	struct price_number stated = *out;
	char shown[DECIMAL_TEXT];

	if (result == PRICE_NUMBER_NEGATIVE || result == PRICE_NUMBER_NONE || result == PRICE_NUMBER_TOO_LONG) {
		bool varies = result == PRICE_NUMBER_NEGATIVE && text.length == 2 && memcmp(text.at, "-1", 2) == 0;

		import_note(place,
		    varies                                ? IMPORT_VARIABLE
			: result == PRICE_NUMBER_NEGATIVE ? IMPORT_NEGATIVE
			: result == PRICE_NUMBER_NONE     ? IMPORT_NOT_NUMBER
							  : IMPORT_NOT_EXACT,
		    text);
		return false;
	}
	if (out->digits > 0)
		out->exponent += shift;
	/* A price for a million can say what one for fewer cannot. */
	if (!price_number_format(*out, 6, shown)) {
		import_note(place, IMPORT_NOT_EXACT, text);
		return false;
	}
	if (result == PRICE_NUMBER_RESIDUE || result == PRICE_NUMBER_LONG)
		note_with(
		    place, result == PRICE_NUMBER_RESIDUE ? IMPORT_RESIDUE : IMPORT_LONG, text, plain_number(place, stated));
	return true;
}

/* --- prices ---------------------------------------------------------------------------------- */

struct import_price *
import_price_of(struct price_import *import, struct import_rule *rule, int meter)
{
	if (rule->price[meter] == NULL) {
		rule->price[meter] = arena_take(&import->arena, sizeof *rule->price[meter]);
		*rule->price[meter] = (struct import_price){.has_base = false};
	}
	return rule->price[meter];
}

static struct import_step *
step_at(struct import_price *price, int64_t boundary, bool is_from)
{
	for (size_t i = 0; i < price->steps; i++)
		if (price->step[i].boundary == boundary && price->step[i].is_from == is_from)
			return &price->step[i];
	return NULL;
}

/* A price of zero beside another adds nothing to it, and an equal one says the same. */
static void
settle(const struct import_place *place, struct price_number *set, struct price_number price, struct bytes text)
{
	if (set->digits == 0)
		*set = price;
	else if (price.digits > 0 && !price_number_equal(*set, price))
		import_note(place, IMPORT_METER_TAKEN, text);
}

void
import_set(const struct import_place *place, struct import_rule *rule, int meter, int64_t threshold, bool is_from,
    struct bytes text, struct price_number number)
{
	struct import_price *price = import_price_of(place->import, rule, meter);
	struct import_step *step = step_at(price, threshold, is_from);

	if (threshold == 0 && is_from)
		threshold = IMPORT_NO_THRESHOLD;
	if (threshold == IMPORT_NO_THRESHOLD && price->has_base) {
		settle(place, &price->base, number, text);
	} else if (threshold == IMPORT_NO_THRESHOLD) {
		price->has_base = true;
		price->base = number;
	} else if (step != NULL) {
		settle(place, &step->price, number, text);
	} else if (price->steps == IMPORT_STEPS) {
		import_note(place, IMPORT_THRESHOLDS, text);
	} else {
		price->step[price->steps++] = (struct import_step){threshold, is_from, number};
	}
}

void
import_take(const struct import_place *place, struct import_rule *rule, int meter, int64_t threshold, bool is_from,
    struct bytes text, int shift)
{
	struct price_number number;

	if (import_number(place, text, shift, &number))
		import_set(place, rule, meter, threshold, is_from, text, number);
}

static int
compare_steps(const void *one, const void *other)
{
	const struct import_step *a = one, *b = other;

	if (a->boundary != b->boundary)
		return a->boundary < b->boundary ? -1 : 1;
	return (int)b->is_from - (int)a->is_from;
}

/* The price that the book would fall back to below the threshold; NULL: none. */
static const struct import_price *
fallback_price(const struct import_rule *rule, int meter)
{
	for (meter = import_fallback[meter]; meter != 0; meter = import_fallback[meter])
		if (rule->price[meter] != NULL && rule->price[meter]->has_base)
			return rule->price[meter];
	return NULL;
}

static void
price_finish(const struct import_place *place, struct import_rule *rule, int meter)
{
	struct import_place whose = {place->import, place->entry, meter_of(meter)->name};
	struct import_price *price = rule->price[meter];
	const struct import_price *fallback;

	if (price->steps > 1)
		qsort(price->step, price->steps, sizeof *price->step, compare_steps);
	if (price->has_base)
		return;
	fallback = price->steps == 0 ? NULL : fallback_price(rule, meter);
	if (fallback != NULL) {
		price->has_base = true;
		price->base = fallback->base;
		import_note(&whose, IMPORT_BASE_TAKEN, (struct bytes){NULL, 0});
		return;
	}
	if (price->steps > 0)
		import_note(&whose, IMPORT_NO_BASE, (struct bytes){NULL, 0});
	rule->price[meter] = NULL;
}

bool
import_rule_is_empty(const struct import_rule *rule)
{
	for (int meter = 1; meter < METER_LIMIT; meter++)
		if (rule->price[meter] != NULL)
			return false;
	return true;
}

bool
import_rule_finish(const struct import_place *place, struct import_rule *rule)
{
	for (int meter = 1; meter < METER_LIMIT; meter++)
		if (rule->price[meter] != NULL)
			price_finish(place, rule, meter);
	return !import_rule_is_empty(rule);
}

/* --- what a book is made of ------------------------------------------------------------------ */

void
import_rule_add(struct price_import *import, const struct import_rule *rule)
{
	import->rules = memory_grow(import->rules, &import->rule_room, import->rule_count + 1, sizeof *import->rules);
	import->rules[import->rule_count++] = *rule;
}

void
import_alias_add(struct price_import *import, const char *name, const char *model)
{
	import->aliases = memory_grow(import->aliases, &import->alias_room, import->alias_count + 1, sizeof *import->aliases);
	import->aliases[import->alias_count++] = (struct import_alias){name, model};
}

const char *
import_window(struct price_import *import, const char *from, const char *to)
{
	const char *name = arena_format(&import->arena, "%s to %s UTC", from, to);

	for (size_t i = 0; i < import->window_count; i++)
		if (strcmp(import->windows[i].name, name) == 0)
			return import->windows[i].name;
	import->windows = memory_grow(import->windows, &import->window_room, import->window_count + 1, sizeof *import->windows);
	import->windows[import->window_count++] = (struct import_window){
	    name, arena_copy(&import->arena, from, strlen(from)), arena_copy(&import->arena, to, strlen(to))};
	return name;
}
