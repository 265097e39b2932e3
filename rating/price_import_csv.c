/*
 * price_import_csv.c -- the price lists of OpenRouter and models.dev as tables, a row for each model.
 *
 * OpenRouter: USD for one token, with "overrides_json" for requests of `min_prompt_tokens` and more.  models.dev: USD for a
 * million tokens, with "tiers_json" for requests above a size.
 */
#include <stdlib.h>

#include "base/csv_row.h"
#include "base/index.h"
#include "rating/price_import_parts.h"
#include "rating/price_list.h"

enum { COLUMNS_MAX = 64, LINE_END = 1 };

/* A column that is a price; `member` is its name in the JSON of thresholds, or NULL. */
struct price_column {
	const char *name, *member;
	int meter;
};

struct table {
	const struct price_column *prices;
	size_t price_count;
	int shift;
	const char *const *others; /* columns that are not about price */
	size_t other_count;
	const char *thresholds; /* the column with JSON */
};

/* A list as it is read. */
struct csv {
	struct price_import *import;
	const struct table *table;
	struct csv_row *row;
	struct arena arena; /* of the row */
	const char *column[COLUMNS_MAX];
	size_t columns;
	const char *at, *end;
	uint64_t line;
};

static const struct price_column openrouter_prices[] = {
    {"prompt", "prompt", METER_input_text_uncached_tokens},
    {"completion", "completion", METER_output_text_tokens},
    {"input_cache_read", "input_cache_read", METER_input_text_cache_read_tokens},
    {"input_cache_write", "input_cache_write", METER_input_text_cache_write_5m_tokens},
    {"input_cache_write_1h", "input_cache_write_1h", METER_input_text_cache_write_1h_tokens},
    {"web_search", "web_search", METER_web_search_calls},
    {"internal_reasoning", "internal_reasoning", METER_output_reasoning_tokens},
    {"image", "image", METER_input_image_uncached_tokens},
    {"audio", "audio", METER_input_audio_uncached_tokens},
    {"audio_output", "audio_output", METER_output_audio_tokens},
    {"image_output", "image_output", METER_output_image_tokens},
    {"input_audio_cache", "input_audio_cache", METER_input_audio_cache_read_tokens},
    {"request", "request", METER_requests},
};
static const char *const openrouter_others[] = {"id", "canonical_slug", "created_unix", "context_length"};
static const struct table openrouter = {
    .prices = openrouter_prices,
    .price_count = sizeof openrouter_prices / sizeof openrouter_prices[0],
    .shift = 0,
    .others = openrouter_others,
    .other_count = sizeof openrouter_others / sizeof openrouter_others[0],
    .thresholds = "overrides_json",
};

static const struct price_column models_dev_prices[] = {
    {"input_usd_per_mtok", "input", METER_input_text_uncached_tokens},
    {"output_usd_per_mtok", "output", METER_output_text_tokens},
    {"cache_read_usd_per_mtok", "cache_read", METER_input_text_cache_read_tokens},
    {"cache_write_usd_per_mtok", "cache_write", METER_input_text_cache_write_5m_tokens},
    {"reasoning_usd_per_mtok", "reasoning", METER_output_reasoning_tokens},
    {"input_audio_usd_per_mtok", "input_audio", METER_input_audio_uncached_tokens},
    {"output_audio_usd_per_mtok", "output_audio", METER_output_audio_tokens},
};
static const char *const models_dev_others[] = {
    "provider", "model", "name", "base_model", "release_date", "last_updated", "context_limit", "output_limit"};
static const struct table models_dev = {
    .prices = models_dev_prices,
    .price_count = sizeof models_dev_prices / sizeof models_dev_prices[0],
    .shift = -6,
    .others = models_dev_others,
    .other_count = sizeof models_dev_others / sizeof models_dev_others[0],
    .thresholds = "tiers_json",
};

/* --- rows ------------------------------------------------------------------------------------ */

static bool
refuse(const struct csv *csv, struct error *err, const char *problem)
{
	error_set(
	    err, ERROR_INPUT, "not the price list %s as a table: %s", price_list_kind_name(csv->import->order.kind), problem);
	return error_at(err, csv->import->order.file, csv->line);
}

/* The next row; false at the end, and where it is no CSV, which *is_wrong tells. */
static bool
next_row(struct csv *csv, bool *is_wrong)
{
	enum csv_row_state state = CSV_ROW_OPEN;

	*is_wrong = false;
	if (csv->at == csv->end)
		return false;
	arena_reset(&csv->arena);
	csv_row_begin(csv->row, &csv->arena, NULL);
	while (state == CSV_ROW_OPEN && csv->at < csv->end) {
		const char *feed = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
		size_t length = feed == NULL ? (size_t)(csv->end - csv->at) : (size_t)(feed - csv->at) + LINE_END;

		csv->line++;
		state = csv_row_feed(csv->row, csv->at, length);
		csv->at += length;
	}
	if (state == CSV_ROW_OPEN)
		state = csv_row_end(csv->row);
	*is_wrong = state != CSV_ROW_WHOLE;
	return state == CSV_ROW_WHOLE;
}

/* The cell of a column, empty where there is no such column. */
static struct bytes
cell(const struct csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(csv->column[i], name) == 0)
			return csv_row_cell(csv->row, i);
	return (struct bytes){NULL, 0};
}

static bool
has_column(const struct csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(csv->column[i], name) == 0)
			return true;
	return false;
}

static bool
is_known(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->price_count; i++)
		if (strcmp(table->prices[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < table->other_count; i++)
		if (strcmp(table->others[i], name) == 0)
			return true;
	return strcmp(table->thresholds, name) == 0;
}

static bool
read_header(struct csv *csv, struct error *err)
{
	bool is_wrong;

	if (!next_row(csv, &is_wrong) || csv_row_columns(csv->row) > COLUMNS_MAX)
		return refuse(csv, err, "its first line is not a header");
	csv->columns = csv_row_columns(csv->row);
	for (size_t i = 0; i < csv->columns; i++) {
		struct bytes name = csv_row_cell(csv->row, i);

		csv->column[i] = arena_copy(&csv->import->arena, name.at, name.length);
	}
	if (!has_column(csv, csv->table->prices[0].name) || !has_column(csv, csv->table->prices[1].name))
		return refuse(csv, err, "its header does not name the columns of prices");
	for (size_t i = 0; i < csv->columns; i++) {
		struct import_place place = {csv->import, "", csv->column[i]};
		bool is_price = strstr(csv->column[i], "usd") != NULL || strstr(csv->column[i], "cost") != NULL ||
		    strstr(csv->column[i], "pric") != NULL;

		if (!is_known(csv->table, csv->column[i]))
			import_note(&place, is_price ? IMPORT_UNKNOWN_PRICE_KEY : IMPORT_UNKNOWN_KEY, (struct bytes){NULL, 0});
	}
	return true;
}

/* --- prices ---------------------------------------------------------------------------------- */

static int64_t
whole_number(const struct list_node *node)
{
	struct price_number number;

	if (node == NULL || node->type != VALUE_NUMBER || price_number_parse(node->text, &number) != PRICE_NUMBER_FINE ||
	    number.exponent < 0 || number.exponent > 9 || number.digits > 1000000000)
		return -1;
	for (; number.exponent > 0; number.exponent--)
		number.digits *= 10;
	return number.digits > 1000000000000 ? -1 : (int64_t)number.digits;
}

/* The size of requests that an element of the JSON is for: `min_prompt_tokens` and more, or more than tier.size. */
static int64_t
threshold_of(const struct csv *csv, const struct list_node *element)
{
	const struct list_node *tier = list_get(element, "tier");
	struct bytes type = list_text(tier, "type");

	if (csv->table == &openrouter)
		return whole_number(list_get(element, "min_prompt_tokens"));
	return type.length == 0 || bytes_are(type, "context") ? whole_number(list_get(tier, "size")) : -1;
}

static void
read_threshold(struct csv *csv, const char *entry, struct import_rule *rule, const struct list_node *element)
{
	const struct table *table = csv->table;
	struct import_place place = {csv->import, entry, table->thresholds};
	int64_t threshold = threshold_of(csv, element);

	if (threshold < 0) {
		import_note(&place, IMPORT_NOT_STATED, element->text);
		return;
	}
	for (const struct list_node *member = element->first; member != NULL; member = member->next) {
		size_t i = 0;

		if (bytes_are(member->key, "tier") || bytes_are(member->key, "min_prompt_tokens"))
			continue;
		place.field =
		    arena_format(&csv->import->arena, "%s.%.*s", table->thresholds, (int)member->key.length, member->key.at);
		while (i < table->price_count && !bytes_are(member->key, table->prices[i].member))
			i++;
		if (i == table->price_count || (member->type != VALUE_NUMBER && member->type != VALUE_STRING))
			import_note(&place, IMPORT_UNKNOWN_PRICE_KEY, member->text);
		else
			import_take(
			    &place, rule, table->prices[i].meter, threshold, table == &openrouter, member->text, table->shift);
	}
}

static void
read_thresholds(struct csv *csv, const char *entry, struct import_rule *rule)
{
	struct import_place place = {csv->import, entry, csv->table->thresholds};
	struct bytes json = cell(csv, csv->table->thresholds);
	const struct list_node *root;
	struct error wrong = {0};

	if (json.length == 0)
		return;
	/* The row's bytes go with the row. */
	json.at = arena_copy(&csv->import->arena, json.at, json.length);
	if (!list_parse(json.at, json.length, csv->import->order.file, &csv->import->arena, &root, &wrong) ||
	    root->type != VALUE_ARRAY) {
		import_note(&place, IMPORT_NOT_NUMBER, json);
		return;
	}
	for (const struct list_node *element = root->first; element != NULL; element = element->next)
		read_threshold(csv, entry, rule, element);
}

/* OpenRouter's "image" was once a price for a picture.  Where it is the price of a token of text, it is for tokens. */
static bool
is_of_unclear_unit(const struct csv *csv, const struct price_column *column, struct bytes text)
{
	struct price_number image, prompt;

	if (column->meter != METER_input_image_uncached_tokens)
		return false;
	(void)price_number_parse(text, &image);
	(void)price_number_parse(cell(csv, "prompt"), &prompt);
	return image.digits > 0 && !price_number_equal(image, prompt);
}

/* True where the row states a price, whether it can be said or not. */
static bool
read_prices(struct csv *csv, const char *entry, struct import_rule *rule)
{
	const struct table *table = csv->table;
	bool any = false;

	for (size_t i = 0; i < table->price_count; i++) {
		const struct price_column *column = &table->prices[i];
		struct import_place place = {csv->import, entry, column->name};
		struct bytes text = cell(csv, column->name);

		if (text.length == 0)
			continue;
		any = true;
		if (is_of_unclear_unit(csv, column, text))
			import_note(&place, IMPORT_UNIT, text);
		else
			import_take(&place, rule, column->meter, IMPORT_NO_THRESHOLD, false, text, table->shift);
	}
	read_thresholds(csv, entry, rule);
	return any;
}

/* --- entries --------------------------------------------------------------------------------- */

static void
read_entry(struct csv *csv, const char *entry, struct import_rule *rule)
{
	struct import_place place = {csv->import, entry, ""};
	bool any = read_prices(csv, entry, rule);

	if (import_rule_finish(&place, rule)) {
		import_rule_add(csv->import, rule);
		csv->import->priced++;
	} else {
		import_note(&place, any ? IMPORT_NOTHING_LEFT : IMPORT_NO_PRICE, (struct bytes){NULL, 0});
	}
}

typedef void read_row(struct csv *csv, struct index *names);

static bool
read_csv(
    struct price_import *import, const struct table *table, const char *bytes, size_t length, read_row *read, struct error *err)
{
	struct csv csv = {.import = import, .table = table, .row = csv_row_new(','), .at = bytes, .end = bytes + length};
	struct index names = {0};
	bool is_wrong = false, fine = read_header(&csv, err);

	while (fine && next_row(&csv, &is_wrong)) {
		if (csv_row_columns(csv.row) == csv.columns) {
			read(&csv, &names);
			continue;
		}
		fine = refuse(&csv, err, "a row has more or fewer columns than the header");
	}
	if (fine && is_wrong)
		fine = refuse(&csv, err, "a row is not CSV");
	index_release(&names);
	arena_release(&csv.arena);
	csv_row_free(csv.row);
	return fine;
}

static bool
is_new(const struct import_place *place, struct index *names, const char *name)
{
	bool is_new_name;

	(void)index_number(names, name, strlen(name), &is_new_name);
	if (!is_new_name)
		import_note(place, IMPORT_NAME_TWICE, (struct bytes){NULL, 0});
	return is_new_name;
}

static void
read_models_dev_row(struct csv *csv, struct index *names)
{
	struct price_import *import = csv->import;
	struct bytes provider = cell(csv, "provider"), model = cell(csv, "model");
	const char *entry =
	    arena_format(&import->arena, "%.*s/%.*s", (int)provider.length, provider.at, (int)model.length, model.at);
	struct import_place place = {import, entry, "provider and model"};
	struct import_rule rule = {.name = NULL};

	if (import->order.provider != NULL && !bytes_are(provider, import->order.provider))
		return;
	import->entries++;
	rule.model = import_name(&place, model);
	rule.provider = import_name(&place, provider);
	if (rule.model == NULL || rule.provider == NULL || !is_new(&place, names, entry))
		return;
	if (import->order.provider != NULL)
		rule.provider = NULL;
	read_entry(csv, entry, &rule);
}

static void
read_openrouter_row(struct csv *csv, struct index *names)
{
	struct price_import *import = csv->import;
	struct bytes slug = cell(csv, "canonical_slug"), id = cell(csv, "id");
	struct import_place place = {import, arena_copy(&import->arena, id.at, id.length), "id"};
	const char *slash = id.length == 0 ? NULL : memchr(id.at, '/', id.length);
	struct import_rule rule = {.name = NULL};

	if (import->order.provider != NULL &&
	    (slash == NULL || !bytes_are((struct bytes){id.at, (size_t)(slash - id.at)}, import->order.provider)))
		return;
	import->entries++;
	rule.model = import_name(&place, id);
	if (rule.model == NULL || !is_new(&place, names, rule.model))
		return;
	if (slug.length > 0 && !bytes_are(slug, rule.model)) {
		place.field = "canonical_slug";
		slug.at = import_name(&place, slug);
		if (slug.at != NULL)
			import_alias_add(import, slug.at, rule.model);
	}
	read_entry(csv, rule.model, &rule);
}

/* --- second names of OpenRouter -------------------------------------------------------------- */

static bool
has_rule(const struct price_import *import, const char *model)
{
	for (size_t i = 0; i < import->rule_count; i++)
		if (strcmp(import->rules[i].model, model) == 0)
			return true;
	return false;
}

/* "x:free" is a variant of "x", and shares its second name. */
static bool
is_variant(const char *model)
{
	return strchr(model, ':') != NULL;
}

/* True where the second name means this entry: no other has it for a first name, no other that is better has it, too. */
static bool
is_meant(const struct price_import *import, const struct import_alias *alias)
{
	if (!has_rule(import, alias->model) || has_rule(import, alias->name))
		return false;
	for (size_t i = 0; i < import->alias_count; i++) {
		const struct import_alias *other = &import->aliases[i];

		if (other != alias && strcmp(other->name, alias->name) == 0 &&
		    (is_variant(alias->model) || !is_variant(other->model)))
			return false;
	}
	return true;
}

static void
settle_aliases(struct price_import *import)
{
	struct import_alias *kept = memory_new(import->alias_count, sizeof *kept);
	size_t count = 0;

	for (size_t i = 0; i < import->alias_count; i++) {
		const struct import_alias *alias = &import->aliases[i];
		struct import_place place = {import, alias->model, "canonical_slug"};

		if (is_meant(import, alias))
			kept[count++] = *alias;
		else if (has_rule(import, alias->model))
			import_note(&place, IMPORT_ALIAS, (struct bytes){alias->name, strlen(alias->name)});
	}
	free(import->aliases);
	import->aliases = kept;
	import->alias_count = count;
}

bool
import_openrouter(struct price_import *import, const char *bytes, size_t length, struct error *err)
{
	if (!read_csv(import, &openrouter, bytes, length, read_openrouter_row, err))
		return false;
	settle_aliases(import);
	return true;
}

bool
import_models_dev(struct price_import *import, const char *bytes, size_t length, struct error *err)
{
	return read_csv(import, &models_dev, bytes, length, read_models_dev_row, err);
}
