/* format_event.c -- see format_event.h. */
#include "ingest/format_event.h"

#include "base/table.h"

struct writing {
	const struct usage_event *event;
	const struct profile_explanation *explanation;
	struct arena *arena;
	struct text *out;
};

static struct bytes
explained(const struct writing *writing, const char *name)
{
	for (size_t i = 0; i < writing->explanation->count; i++)
		if (strcmp(writing->explanation->items[i].name, name) == 0)
			return writing->explanation->items[i].value;
	return (struct bytes){NULL, 0};
}

static void
add_text(const struct writing *writing, struct bytes text)
{
	text_add_json(writing->out, arena_copy(writing->arena, text.at, text.length));
}

/* A member behind another one, where it is stated. */
static void
add_member(const struct writing *writing, const char *name, struct bytes text)
{
	if (text.length == 0)
		return;
	text_add_format(writing->out, ",\"%s\":", name);
	add_text(writing, text);
}

static void
add_series(const struct writing *writing, const char *name, enum series_field series)
{
	add_member(writing, name, writing->event->series[series]);
}

static void
add_purpose(const struct writing *writing)
{
	static const char *const kinds[] = {[EVENT_USAGE] = "usage", [EVENT_CORRECTION] = "correction", [EVENT_VOID] = "void"};
	const struct usage_event *event = writing->event;

	text_add_format(writing->out, "\"kind\":\"%s\"", kinds[event->kind]);
	if (event->kind == EVENT_USAGE)
		return;
	text_add_string(writing->out, ",\"ref\":{\"source\":");
	add_text(writing, event->ref_source);
	text_add_string(writing->out, ",\"id\":");
	add_text(writing, event->ref_id);
	text_add_string(writing->out, "}");
}

static void
add_adapter(const struct writing *writing)
{
	const struct bytes *series = writing->event->series;

	if (series[SERIES_ADAPTER].length == 0)
		return;
	text_add_string(writing->out, ",\"adapter\":{\"kind\":");
	add_text(writing, series[SERIES_ADAPTER_KIND]);
	add_member(writing, "id", series[SERIES_ADAPTER]);
	text_add_string(writing->out, "}");
}

/* An object of the context as it stands, or {NULL, 0}. */
static struct bytes
context_part(const struct writing *writing, const char *name)
{
	struct bytes context = writing->event->context, found = {NULL, 0}, key, raw;
	struct json_reader reader;
	struct json_value top;

	if (context.length == 0)
		return found;
	json_begin(&reader, context.at, context.length, 0, writing->arena);
	must(json_value(&reader, &top) && top.type == VALUE_OBJECT);
	while (json_key(&reader, &key)) {
		must(json_skip(&reader, &raw));
		if (bytes_are(key, name))
			found = raw;
	}
	must(json_end(&reader));
	return found;
}

static void
add_context_part(const struct writing *writing, const char *name)
{
	struct bytes part = context_part(writing, name);

	if (part.length == 0)
		return;
	text_add_format(writing->out, ",\"%s\":", name);
	text_add(writing->out, part.at, part.length);
}

/* The series' project and key, and what the context has beside them. */
static void
add_attribution(const struct writing *writing)
{
	const struct bytes *series = writing->event->series;
	struct bytes part = context_part(writing, "attribution"), key, raw;
	size_t before = writing->out->length;
	struct json_reader reader;
	struct json_value top;

	add_series(writing, "api_key_id", SERIES_API_KEY);
	add_series(writing, "project_id", SERIES_PROJECT);
	if (part.length > 0) {
		json_begin(&reader, part.at, part.length, 0, writing->arena);
		must(json_value(&reader, &top) && top.type == VALUE_OBJECT);
		while (json_key(&reader, &key)) {
			must(json_skip(&reader, &raw));
			if ((bytes_are(key, "api_key_id") && series[SERIES_API_KEY].length > 0) ||
			    (bytes_are(key, "project_id") && series[SERIES_PROJECT].length > 0))
				continue;
			text_add_string(writing->out, ",");
			add_text(writing, key);
			text_add_string(writing->out, ":");
			text_add(writing->out, raw.at, raw.length);
		}
		must(json_end(&reader));
	}
	if (writing->out->length == before)
		return;
	/* The first member's comma makes room: members were written before it was known that there are any. */
	part.length = writing->out->length - before;
	part.at = arena_copy(writing->arena, writing->out->bytes + before, part.length);
	writing->out->length = before;
	text_add_string(writing->out, ",\"attribution\":{");
	text_add(writing->out, part.at + 1, part.length - 1);
	text_add_string(writing->out, "}");
}

static void
add_unknown(const struct writing *writing)
{
	struct bytes list = explained(writing, "unknown");
	const char *separator = ",\"unknown\":[";

	while (list.length > 0) {
		const char *comma = memchr(list.at, ',', list.length);
		size_t length = comma == NULL ? list.length : (size_t)(comma - list.at);

		text_add_string(writing->out, separator);
		add_text(writing, (struct bytes){list.at, length});
		separator = ",";
		list.at += length + (comma != NULL);
		list.length -= length + (comma != NULL);
	}
	if (separator[1] == '\0')
		text_add_string(writing->out, "]");
}

static void
add_measurement(const struct writing *writing)
{
	const struct usage_event *event = writing->event;

	if (event->series[SERIES_METHOD].length == 0)
		return;
	text_add_string(writing->out, ",\"measurement\":{\"method\":");
	add_text(writing, event->series[SERIES_METHOD]);
	text_add_format(writing->out, ",\"complete\":%s", (event->flags & F_PARTIAL) != 0 ? "false" : "true");
	add_unknown(writing);
	text_add_string(writing->out, "}");
}

/* Where it is left out, it is the sum of these. */
static bool
has_input(const struct usage_event *event)
{
	for (size_t i = 0; i < event->quantity_count; i++)
		if (meter_of(event->quantities[i].meter)->side == METER_SIDE_INPUT)
			return true;
	return false;
}

static void
add_quantities(const struct writing *writing)
{
	const struct usage_event *event = writing->event;
	char shown[DECIMAL_TEXT];

	if (event->context_input_tokens >= 0)
		text_add_format(writing->out, ",\"context_input_tokens\":%lld", (long long)event->context_input_tokens);
	else if (has_input(event))
		text_add_string(writing->out, ",\"context_input_tokens\":null");
	text_add_string(writing->out, ",\"quantities\":{");
	for (size_t i = 0; i < event->quantity_count; i++) {
		const struct meter *meter = meter_of(event->quantities[i].meter);
		const char *quote = meter->decimals > 0 ? "\"" : "";

		text_add_format(writing->out, "%s\"%s\":%s%s%s", i == 0 ? "" : ",", meter->name, quote,
		    meter_format(meter, event->quantities[i].quantity, shown), quote);
	}
	text_add_string(writing->out, "}");
}

static void
add_reported(const struct writing *writing)
{
	static const char *const names[REPORTED_COUNTS] = {
	    "reported.input_tokens", "reported.output_tokens", "reported.total_tokens"};
	const char *separator = ",\"reported\":{";

	if (bytes_are(writing->event->series[SERIES_SERVED_FROM], "gateway_cache"))
		return;
	for (int i = 0; i < REPORTED_COUNTS; i++) {
		struct bytes count = explained(writing, names[i]);

		if (count.length == 0)
			continue;
		text_add_format(writing->out, "%s\"%s\":", separator, strchr(names[i], '.') + 1);
		text_add(writing->out, count.at, count.length);
		separator = ",";
	}
	if (separator[1] == '\0')
		text_add_string(writing->out, "}");
}

static void
add_data(const struct writing *writing)
{
	add_purpose(writing);
	add_series(writing, "operation", SERIES_OPERATION);
	add_series(writing, "provider", SERIES_PROVIDER);
	add_series(writing, "model", SERIES_MODEL);
	add_member(writing, "model_requested", explained(writing, "model_requested"));
	add_series(writing, "base_model", SERIES_BASE_MODEL);
	add_adapter(writing);
	add_context_part(writing, "engine");
	add_series(writing, "deployment", SERIES_DEPLOYMENT);
	add_series(writing, "region", SERIES_REGION);
	add_series(writing, "service_tier", SERIES_SERVICE_TIER);
	add_series(writing, "speed", SERIES_SPEED);
	add_series(writing, "status", SERIES_STATUS);
	add_member(writing, "finish_reason", explained(writing, "finish_reason"));
	add_series(writing, "served_from", SERIES_SERVED_FROM);
	add_member(writing, "started_at", explained(writing, "started_at"));
	add_measurement(writing);
	add_quantities(writing);
	add_reported(writing);
	add_attribution(writing);
	add_context_part(writing, "trace");
}

/* JSON on one line: line ends inside texts are escaped already. */
static void
add_copy(struct bytes raw, struct text *out)
{
	size_t from = out->length;

	text_add(out, raw.at, raw.length);
	for (; from < out->length; from++)
		if (out->bytes[from] == '\n' || out->bytes[from] == '\r')
			out->bytes[from] = ' ';
}

void
format_event(const struct record *record, const struct profile_explanation *explanation, struct arena *arena, struct text *out)
{
	const struct usage_event *event = &record->event;
	const struct writing writing = {event, explanation, arena, out};
	char time[INSTANT_TEXT];

	must(record->reason == REASON_NONE);
	if (explanation == NULL || explanation->count == 0) {
		add_copy(record->raw, out);
		return;
	}
	text_add_string(out, "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\"");
	add_member(&writing, "source", event->source);
	add_member(&writing, "id", event->id);
	text_add_format(out, ",\"time\":\"%s\"", instant_format(event->time, time));
	add_series(&writing, "subject", SERIES_TENANT);
	text_add_string(out, ",\"data\":{");
	add_data(&writing);
	text_add_string(out, "}}");
}
