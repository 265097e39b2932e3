/* price_import_write.c -- see price_import.h: what an import says, as a price book and as a report. */
#include "base/table.h"
#include "rating/price_import_parts.h"

static const struct {
	const char *text;
	bool left_out;
} reasons[IMPORT_REASONS] = {
#define IMPORT_REASON(name, is_left_out, words) [IMPORT_##name] = {words, is_left_out},
#include "rating/price_import_reasons.def"
#undef IMPORT_REASON
};

/* --- prices ---------------------------------------------------------------------------------- */

/* `count` units cost 10^shift times as much as one. */
struct measure {
	const char *count;
	int shift;
};

static const struct measure one = {"1", 0}, thousand = {"1000", 3}, million = {"1000000", 6}, hour = {"\"hour\"", 0};

static bool
number_fits(struct price_number number, int shift)
{
	char text[DECIMAL_TEXT];

	return price_number_format(number, shift, text);
}

static bool
price_fits(const struct import_price *price, int shift)
{
	bool fits = number_fits(price->base, shift);

	for (size_t i = 0; i < price->steps; i++)
		fits = fits && number_fits(price->step[i].price, shift);
	return fits && (price->timely == NULL || price_fits(price->timely, shift));
}

static bool
is_counted_in_millions(const struct meter *meter)
{
	return meter->side != METER_SIDE_OTHER || meter->id == METER_characters;
}

static bool
is_counted_in_thousands(const struct meter *meter)
{
	return (meter->id >= METER_web_search_calls && meter->id <= METER_tool_calls) || meter->id == METER_requests;
}

/* What people state such prices for, or for more where that would take more than 18 decimals. */
static struct measure
measure_of(const struct meter *meter, const struct import_price *price)
{
	if (price->by_hour)
		return hour;
	if (!is_counted_in_millions(meter) && !is_counted_in_thousands(meter) && price_fits(price, one.shift))
		return one;
	if (!is_counted_in_millions(meter) && price_fits(price, thousand.shift))
		return thousand;
	return million;
}

static void
add_number(struct text *out, struct price_number number, int shift)
{
	char text[DECIMAL_TEXT];

	must(price_number_format(number, shift, text));
	text_add_format(out, "\"price\": \"%s\"", text);
}

/* "price", or "brackets" where there are thresholds. */
static void
add_price_body(struct text *out, const struct import_price *price, int shift)
{
	if (price->steps == 0) {
		add_number(out, price->base, shift);
		return;
	}
	text_add_string(out, "\"brackets\": [{ ");
	add_number(out, price->base, shift);
	for (size_t i = 0; i < price->steps; i++) {
		text_add_format(
		    out, " }, { \"%s\": %lld, ", price->step[i].is_from ? "from" : "over", (long long)price->step[i].boundary);
		add_number(out, price->step[i].price, shift);
	}
	text_add_string(out, " }]");
}

static void
add_price(struct text *out, const struct meter *meter, const struct import_price *price)
{
	struct measure measure = measure_of(meter, price);

	text_add_format(out, "        \"%s\": { ", meter->name);
	add_price_body(out, price, measure.shift);
	text_add_format(out, ", \"per\": %s", measure.count);
	for (const struct import_price *timely = price->timely; timely != NULL; timely = timely->timely) {
		text_add_string(out, timely == price->timely ? ", \"times\": [{ \"window\": " : ", { \"window\": ");
		text_add_json(out, timely->window);
		text_add_string(out, ", ");
		add_price_body(out, timely, measure.shift);
		text_add_string(out, timely->timely == NULL ? " }]" : " }");
	}
	text_add_string(out, " }");
}

/* --- rules ----------------------------------------------------------------------------------- */

static void
add_key(struct text *out, const char *key, const char *value, bool *is_first)
{
	if (value == NULL)
		return;
	text_add_format(out, "%s\"%s\": ", *is_first ? "      " : ", ", key);
	text_add_json(out, value);
	*is_first = false;
}

static void
add_prices(struct text *out, const struct import_rule *rule)
{
	bool is_first = true;

	text_add_string(out, ",\n      \"prices\": {\n");
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		if (rule->price[meter] == NULL)
			continue;
		text_add_string(out, is_first ? "" : ",\n");
		add_price(out, meter_of(meter), rule->price[meter]);
		is_first = false;
	}
	text_add_string(out, "\n      }");
}

static void
add_rule(struct text *out, const struct import_rule *rule)
{
	bool is_first = true;

	text_add_string(out, "    {\n");
	add_key(out, "name", rule->name, &is_first);
	add_key(out, "model", rule->model, &is_first);
	add_key(out, "model_pattern", rule->pattern, &is_first);
	add_key(out, "provider", rule->provider, &is_first);
	add_key(out, "service_tier", rule->service_tier, &is_first);
	add_key(out, "region", rule->region, &is_first);
	add_key(out, "speed", rule->speed, &is_first);
	if (rule->inherit != NULL) {
		text_add_string(out, ",\n      \"inherit\": { \"from\": { \"rule\": ");
		text_add_json(out, rule->inherit);
		text_add_string(out, " }, \"factor\": ");
		text_add_json(out, rule->factor);
		text_add_string(out, " }");
	}
	if (!import_rule_is_empty(rule))
		add_prices(out, rule);
	text_add_string(out, "\n    }");
}

/* --- the book -------------------------------------------------------------------------------- */

static void
add_member(struct text *out, const char *key, const char *value)
{
	text_add_format(out, "  \"%s\": ", key);
	text_add_json(out, value);
	text_add_string(out, ",\n");
}

static void
add_fallbacks(struct text *out)
{
	bool is_first = true;

	text_add_string(out, "  \"fallback\": {\n");
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		if (import_fallback[meter] == 0)
			continue;
		text_add_format(out, "%s    \"%s\": \"%s\"", is_first ? "" : ",\n", meter_of(meter)->name,
		    meter_of(import_fallback[meter])->name);
		is_first = false;
	}
	text_add_string(out, "\n  },\n");
}

/* The list's own program charges a service tier without a price of its own at the standard one. */
static void
add_service_tiers(struct text *out)
{
	static const char *const tiers[] = {"priority", "flex", "batch", "ultrafast"};

	text_add_string(out, "  \"service_tiers\": {");
	for (size_t i = 0; i < sizeof tiers / sizeof tiers[0]; i++)
		text_add_format(out, "%s \"%s\": { \"inherit\": \"default\" }", i == 0 ? "" : ",", tiers[i]);
	text_add_string(out, " },\n");
}

static void
add_aliases(struct text *out, const struct price_import *import)
{
	for (size_t i = 0; i < import->alias_count; i++) {
		text_add_string(out, i == 0 ? "  \"aliases\": {\n    " : ",\n    ");
		text_add_json(out, import->aliases[i].name);
		text_add_string(out, ": ");
		text_add_json(out, import->aliases[i].model);
	}
	if (import->alias_count > 0)
		text_add_string(out, "\n  },\n");
}

static void
add_windows(struct text *out, const struct price_import *import)
{
	for (size_t i = 0; i < import->window_count; i++) {
		text_add_string(out, i == 0 ? "  \"windows\": {\n    " : ",\n    ");
		text_add_json(out, import->windows[i].name);
		text_add_format(out, ": { \"zone\": \"UTC\", \"spans\": [{ \"from\": \"%s\", \"to\": \"%s\" }] }",
		    import->windows[i].from, import->windows[i].to);
	}
	if (import->window_count > 0)
		text_add_string(out, "\n  },\n");
}

static void
add_head(struct text *out, const struct price_import *import)
{
	const struct price_import_order *order = &import->order;
	const char *slash = strrchr(order->file, '/');
	struct text source = {0};
	char effective[INSTANT_TEXT];

	text_add_format(
	    &source, "the price list %s, file %s", price_list_kind_name(order->kind), slash == NULL ? order->file : slash + 1);
	if (order->provider != NULL)
		text_add_format(&source, ", provider %s alone", order->provider);
	text_add_string(out, "{\n  \"tollbook_prices\": 1,\n");
	add_member(out, "book", order->book);
	add_member(out, "currency", "USD");
	add_member(out, "effective", instant_format(order->effective, effective));
	add_member(out, "source", text_string(&source));
	add_member(out, "note", "Made by tollbook prices import, whose report tells what of the list is not in it.");
	text_release(&source);
}

void
price_import_book(const struct price_import *import, struct text *out)
{
	add_head(out, import);
	text_add_string(out, "  \"free\": [\"requests\"],\n");
	add_fallbacks(out);
	if (import->order.kind == PRICE_LIST_LITELLM)
		add_service_tiers(out);
	add_aliases(out, import);
	add_windows(out, import);
	text_add_string(out, "  \"rules\": [\n");
	for (size_t i = 0; i < import->rule_count; i++) {
		text_add_string(out, i == 0 ? "" : ",\n");
		add_rule(out, &import->rules[i]);
	}
	text_add_string(out, "\n  ]\n}\n");
}

/* --- summary and report ---------------------------------------------------------------------- */

static void
add_counts(struct text *out, const size_t counts[IMPORT_REASONS], bool left_out, const char *title)
{
	bool is_first = true;

	for (int i = 0; i < IMPORT_REASONS; i++) {
		if (reasons[i].left_out != left_out || counts[i] == 0)
			continue;
		text_add_format(out, "%s%7zu  %s\n", is_first ? title : "", counts[i], reasons[i].text);
		is_first = false;
	}
}

void
price_import_summary(const struct price_import *import, struct text *out)
{
	size_t counts[IMPORT_REASONS] = {0};

	for (size_t i = 0; i < import->note_count; i++)
		counts[import->notes[i].reason]++;
	text_add_format(out, "%zu entries: %zu priced by %zu rules, %zu without a price\n", import->entries, import->priced,
	    import->rule_count, import->entries - import->priced);
	add_counts(out, counts, true, "not in the book:\n");
	add_counts(out, counts, false, "in the book, and to be known:\n");
}

void
price_import_report(const struct price_import *import, struct text *out)
{
	for (size_t i = 0; i < import->note_count; i++) {
		const struct import_note *note = &import->notes[i];

		text_add_string(out, "{\"entry\": ");
		text_add_json(out, note->entry);
		text_add_string(out, ", \"field\": ");
		text_add_json(out, note->field);
		text_add_string(out, ", \"value\": ");
		text_add_json(out, note->value);
		text_add_string(out, ", \"reason\": ");
		text_add_json(out, reasons[note->reason].text);
		text_add_format(out, ", \"imported\": %s", reasons[note->reason].left_out ? "false" : "true");
		if (note->kept[0] != '\0') {
			text_add_string(out, ", \"kept\": ");
			text_add_json(out, note->kept);
		}
		text_add_string(out, "}\n");
	}
}
