/* short_form.c -- see short_form.h. */
#include "ingest/short_form.h"

#include <string.h>

struct field {
	const char *name;
	size_t length;
	enum short_kind kind;
};

static const struct field fields[SHORT_FIELDS] = {
#define SHORT_FIELD(name, kind) [SHORT_##name] = {#name, sizeof #name - 1, SHORT_KIND_##kind},
#include "ingest/short_fields.def"
#undef SHORT_FIELD
};

const struct draft_names short_form_names = {.usage = "input_tokens",
    .model = "model",
    .time = "time",
    .context = "input_tokens",
    .reported_input = "input_tokens",
    .reported_output = "output_tokens"};

/* Counts as given; -1 where they are not. */
struct counts {
	int64_t value[SHORT_FIELDS];
	bool fine; /* all that were stated could be read */
};

static void fill_texts(struct draft *draft, const struct short_form *form);
static struct counts read_counts(struct draft *draft, const struct short_form *form);
static void fill_meters(struct draft *draft, const struct counts *counts);

enum short_field
short_field_find(struct bytes name)
{
	for (int i = 0; i < SHORT_FIELDS; i++)
		if (fields[i].length == name.length && memcmp(fields[i].name, name.at, name.length) == 0)
			return (enum short_field)i;
	return SHORT_FIELDS;
}

const char *
short_field_name(enum short_field field)
{
	must(field < SHORT_FIELDS);
	return fields[field].name;
}

enum short_kind
short_field_kind(enum short_field field)
{
	must(field < SHORT_FIELDS);
	return fields[field].kind;
}

/* NULL where the field is not stated, null or an empty text. */
static const struct json_value *
value_of(const struct short_form *form, enum short_field field)
{
	const struct json_value *value = &form->values[field];

	if ((form->stated >> field & 1) == 0 || value->type == VALUE_NULL ||
	    (value->type == VALUE_STRING && value->text.length == 0))
		return NULL;
	return value;
}

static void
fill_identity(struct draft *draft, const struct short_form *form)
{
	const struct json_value *source = value_of(form, SHORT_source);
	struct json_value id = {VALUE_STRING, {NULL, 0}}, producer = {VALUE_STRING, {NULL, 0}};

	if ((form->stated >> SHORT_idempotency_key & 1) == 0 && draft->rules->position_id != NULL) {
		id.text = bytes_of(draft->rules->position_id);
		draft_key(draft, KEY_ID, "idempotency_key", &id);
	} else {
		draft_key(draft, KEY_ID, "idempotency_key", value_of(form, SHORT_idempotency_key));
	}
	if (source == NULL && draft->rules->default_source != NULL) {
		producer.text = bytes_of(draft->rules->default_source);
		source = &producer;
	}
	draft_key(draft, KEY_SOURCE, "source", source);
	draft_key(draft, KEY_TENANT, "tenant", value_of(form, SHORT_tenant));
}

void
short_form_fill(struct draft *draft, const struct short_form *form, bool time_read)
{
	struct counts counts;

	fill_identity(draft, form);
	if (!time_read)
		draft_time(draft, "time", value_of(form, SHORT_time));
	fill_texts(draft, form);
	counts = read_counts(draft, form);
	if (counts.fine)
		fill_meters(draft, &counts);
}

static void
fill_texts(struct draft *draft, const struct short_form *form)
{
	static const struct {
		enum short_field field;
		enum series_field series;
	} texts[] = {
	    {SHORT_model, SERIES_MODEL},
	    {SHORT_service_tier, SERIES_SERVICE_TIER},
	    {SHORT_project, SERIES_PROJECT},
	    {SHORT_api_key, SERIES_API_KEY},
	    {SHORT_base_model, SERIES_BASE_MODEL},
	    {SHORT_adapter, SERIES_ADAPTER},
	    {SHORT_region, SERIES_REGION},
	    {SHORT_operation, SERIES_OPERATION},
	    {SHORT_provider, SERIES_PROVIDER},
	};
	const struct json_value *status = value_of(form, SHORT_status);

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const struct json_value *value = value_of(form, texts[i].field);

		if (value != NULL)
			draft_text(draft, texts[i].series, fields[texts[i].field].name, value);
	}
	if (status != NULL)
		draft_word(draft, SERIES_STATUS, "status", status, status_words);
	if (draft->event.series[SERIES_OPERATION].length == 0)
		draft->event.series[SERIES_OPERATION] = bytes_of("chat");
}

static struct counts
read_counts(struct draft *draft, const struct short_form *form)
{
	struct counts counts = {.fine = true};

	for (int i = 0; i < SHORT_FIELDS; i++) {
		counts.value[i] = -1;
		if (fields[i].kind != SHORT_KIND_COUNT || (form->stated >> i & 1) == 0)
			continue;
		draft->has_usage = true;
		if (!draft_count(draft, fields[i].name, &form->values[i], &counts.value[i]))
			counts.fine = false;
	}
	return counts;
}

/* A part whose total is not given counts as above it: what it would be a part of is not known. */
static bool
parts_fit(struct draft *draft, const char *field, int64_t parts, int64_t total)
{
	if (parts <= (total < 0 ? 0 : total))
		return true;
	if (total < 0)
		draft_fault_words(draft, E_SUBSET_EXCEEDS_TOTAL, field, "a part without its total");
	else
		draft_fault_words(draft, E_SUBSET_EXCEEDS_TOTAL, field,
		    arena_format(draft->arena, "%lld of %lld", (long long)parts, (long long)total));
	return false;
}

static int64_t
or_zero(int64_t count)
{
	return count < 0 ? 0 : count;
}

static void
fill_meters(struct draft *draft, const struct counts *counts)
{
	int64_t input = counts->value[SHORT_input_tokens], cached = counts->value[SHORT_cached_input_tokens];
	int64_t written = counts->value[SHORT_cache_write_tokens], output = counts->value[SHORT_output_tokens];
	int64_t reasoning = counts->value[SHORT_reasoning_tokens], requests = counts->value[SHORT_requests];
	const char *part = written > 0 ? "cache_write_tokens" : "cached_input_tokens";

	/* Without any count the default of one request must not make a free one. */
	if (!draft->has_usage)
		return;
	if (!parts_fit(draft, part, or_zero(cached) + or_zero(written), input) ||
	    !parts_fit(draft, "reasoning_tokens", or_zero(reasoning), output))
		return;
	draft_set(draft, METER_requests, requests < 0 ? 1 : requests);
	if (input >= 0)
		draft_set(draft, METER_input_text_uncached_tokens, input - or_zero(cached) - or_zero(written));
	if (cached >= 0)
		draft_set(draft, METER_input_text_cache_read_tokens, cached);
	if (written >= 0)
		draft_set(draft, METER_input_text_cache_write_tokens, written);
	if (output >= 0)
		draft_set(draft, METER_output_text_tokens, output - or_zero(reasoning));
	if (reasoning >= 0)
		draft_set(draft, METER_output_reasoning_tokens, reasoning);
}
