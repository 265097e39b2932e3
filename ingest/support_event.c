/* support_event.c -- see support_event.h. */
#include "ingest/support_event.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/document.h"
#include "base/table.h"
#include "ingest/event_json.h"
#include "ingest/quantity.h"
#include "ledger/archive_guard.h"

/* A person decides; how late it is does not matter.  A hundred years. */
enum { LATE_DAYS = 36500 };

/* Columns of support_chain.sql; the series follow in the order of series_fields.def. */
enum {
	CHAIN_KIND,
	CHAIN_SOURCE,
	CHAIN_ID,
	CHAIN_TIME,
	CHAIN_BOOKED_AT,
	CHAIN_REASON,
	CHAIN_TICKET,
	CHAIN_BY,
	CHAIN_FLAGS,
	CHAIN_CONTEXT_TOKENS,
	CHAIN_QUANTITIES,
	CHAIN_CONTEXT,
	CHAIN_SERIES
};

const char *
event_name_digest(const struct event_name *name, struct arena *arena)
{
	struct usage_event event = {.ref_source = bytes_of(name->source), .ref_id = bytes_of(name->id)};
	struct id128 id;
	char hex[33];

	event.series[SERIES_TENANT] = bytes_of(name->tenant);
	id = event_original(&event);
	return arena_format(arena, "%s", digest_hex(id.byte, sizeof id.byte, hex));
}

/* --- what stands ----------------------------------------------------------------------------- */

/* "1:1,6:50": meters and quantities as the ledger has them. */
static void
read_pairs(const char *pairs, struct quantities *out)
{
	*out = (struct quantities){0};
	while (*pairs != '\0') {
		char *end;
		long meter = strtol(pairs, &end, 10);

		must(meter > 0 && meter < METER_LIMIT && *end == ':');
		out->quantity[meter] = strtoll(end + 1, &end, 10);
		out->stated[meter] = true;
		pairs = *end == ',' ? end + 1 : end;
	}
}

static const char *
kept(struct arena *arena, const struct rows *rows, int row, int column)
{
	return arena_copy(arena, row_text(rows, row, column), row_length(rows, row, column));
}

static void
read_stood(struct arena *arena, const struct rows *rows, int row, struct stood *out)
{
	*out = (struct stood){.kind = kept(arena, rows, row, CHAIN_KIND),
	    .source = kept(arena, rows, row, CHAIN_SOURCE),
	    .id = kept(arena, rows, row, CHAIN_ID),
	    .time = row_instant(rows, row, CHAIN_TIME),
	    .booked_at = kept(arena, rows, row, CHAIN_BOOKED_AT),
	    .reason = kept(arena, rows, row, CHAIN_REASON),
	    .ticket = kept(arena, rows, row, CHAIN_TICKET),
	    .by = kept(arena, rows, row, CHAIN_BY),
	    .flags = (unsigned)row_number(rows, row, CHAIN_FLAGS),
	    .context_input_tokens =
		row_is_null(rows, row, CHAIN_CONTEXT_TOKENS) ? -1 : row_number(rows, row, CHAIN_CONTEXT_TOKENS),
	    .context = kept(arena, rows, row, CHAIN_CONTEXT)};
	read_pairs(row_text(rows, row, CHAIN_QUANTITIES), &out->quantities);
	for (int i = 0; i < SERIES_FIELDS; i++)
		out->series[i] = kept(arena, rows, row, CHAIN_SERIES + i);
}

static bool
unknown_event(const struct event_name *name, struct error *err)
{
	error_set(err, ERROR_STATE, "the ledger has no event \"%s\" of source \"%s\" of tenant \"%s\"", name->id, name->source,
	    name->tenant);
	return error_hint(
	    err, "Tenant, source and id are compared letter by letter; short records without a source have \"/short\".");
}

bool
stood_chain_load(struct run *run, const struct event_name *name, struct stood_chain *out, struct error *err)
{
	struct rows rows;

	*out = (struct stood_chain){0};
	if (!archive_refuse_event(run->db, event_name_digest(name, &run->arena), err))
		return false;
	if (!db_rows(run->db, SQL_INGEST_SUPPORT_CHAIN, PARAMS(event_name_digest(name, &run->arena)), &rows, err))
		return false;
	out->items = arena_take(&run->arena, ((size_t)rows.count + 1) * sizeof *out->items);
	for (int row = 0; row < rows.count; row++)
		read_stood(&run->arena, &rows, row, &out->items[out->count++]);
	rows_release(&rows);
	return out->count > 0 || unknown_event(name, err);
}

/* --- quantities ------------------------------------------------------------------------------ */

const char *
quantities_text(const struct quantities *quantities, struct arena *arena)
{
	struct text text = {0};
	char shown[DECIMAL_TEXT];
	const char *out;

	for (int i = 1; i < METER_LIMIT; i++)
		if (quantities->stated[i])
			text_add_format(&text, "%s%s=%s", text.length == 0 ? "" : " ", meter_of(i)->name,
			    meter_format(meter_of(i), quantities->quantity[i], shown));
	out = text.length == 0 ? "nothing" : arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return out;
}

static bool
unknown_meter(const char *name, size_t length, struct error *err)
{
	static const char *const names[] = {
#define METER(id, name, side, decimals, stored_in) #name,
#include "ledger/meters.def"
#undef METER
	};
	char wanted[64];

	snprintf(wanted, sizeof wanted, "%.*s", (int)(length < sizeof wanted ? length : sizeof wanted - 1), name);
	error_set(err, ERROR_USAGE, "there is no meter \"%s\"", wanted);
	return document_suggest(err, wanted, names, sizeof names / sizeof names[0]);
}

/* A count, or a decimal for a meter that has decimals; in the meter's smallest unit. */
static enum reason
read_quantity(const struct meter *meter, const char *text, int64_t *out)
{
	struct bytes bytes = bytes_of(text);

	if (text[0] == '-')
		return E_NEGATIVE;
	if (meter->decimals > 0)
		return measure_parse(bytes, meter->decimals, out);
	return is_json_number(bytes) ? count_parse(bytes, out) : E_NOT_INTEGER;
}

bool
quantities_set(struct quantities *quantities, struct quantities *seen, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	const struct meter *meter;
	enum reason reason;
	int64_t quantity = 0;

	if (equals == NULL)
		return error_set(err, ERROR_USAGE, "--set takes METER=QUANTITY, not \"%s\"", text);
	meter = meter_find(text, (size_t)(equals - text));
	if (meter == NULL)
		return unknown_meter(text, (size_t)(equals - text), err);
	reason = read_quantity(meter, equals + 1, &quantity);
	if (reason != REASON_NONE)
		return error_set(err, ERROR_USAGE, "--set %s: %s", text, reason_meaning(reason));
	if (seen->stated[meter->id])
		return error_set(err, ERROR_USAGE, "--set %s is given twice", meter->name);
	seen->stated[meter->id] = quantities->stated[meter->id] = true;
	quantities->quantity[meter->id] = quantity;
	return true;
}

void
quantities_from_text(const char *text, struct quantities *out)
{
	struct quantities seen = {0};
	struct arena arena = {0};
	struct error err = {0};

	*out = (struct quantities){0};
	while (*text != '\0' && strcmp(text, "nothing") != 0) {
		size_t length = strcspn(text, " ");

		must(quantities_set(out, &seen, arena_copy(&arena, text, length), &err));
		text += length + (text[length] == ' ');
	}
	arena_release(&arena);
}

static int64_t
input_tokens(const struct quantities *quantities)
{
	int64_t sum = 0;

	/* At most 50 counts of at most 2^53. */
	for (int i = 1; i < METER_LIMIT; i++)
		if (quantities->stated[i] && meter_of(i)->side == METER_SIDE_INPUT)
			sum += quantities->quantity[i];
	return sum;
}

/* --- the event ------------------------------------------------------------------------------- */

/* "name": "value", unless it is not stated. */
static void
add_member(struct text *out, const char *name, const char *value)
{
	if (value[0] == '\0')
		return;
	text_add_format(out, ",\"%s\":", name);
	text_add_json(out, value);
}

static void
add_quantities(struct text *out, const struct quantities *quantities)
{
	char shown[DECIMAL_TEXT];
	bool first = true;

	text_add_string(out, ",\"quantities\":{");
	for (int i = 1; i < METER_LIMIT; i++) {
		const char *quote = meter_of(i)->decimals > 0 ? "\"" : "";

		if (!quantities->stated[i])
			continue;
		text_add_format(out, "%s\"%s\":%s%s%s", first ? "" : ",", meter_of(i)->name, quote,
		    meter_format(meter_of(i), quantities->quantity[i], shown), quote);
		first = false;
	}
	text_add_string(out, "}");
}

/* Attribution, engine and trace as they came; else what the series knows of the first. */
static void
add_context(struct text *out, const struct stood *newest)
{
	const char *project = newest->series[SERIES_PROJECT], *key = newest->series[SERIES_API_KEY];
	size_t length = strlen(newest->context);

	if (length > 2) {
		text_add_string(out, ",");
		text_add(out, newest->context + 1, length - 2);
		return;
	}
	if (project[0] == '\0' && key[0] == '\0')
		return;
	text_add_string(out, ",\"attribution\":{");
	if (project[0] != '\0') {
		text_add_string(out, "\"project_id\":");
		text_add_json(out, project);
	}
	if (key[0] != '\0') {
		text_add_string(out, project[0] == '\0' ? "\"api_key_id\":" : ",\"api_key_id\":");
		text_add_json(out, key);
	}
	text_add_string(out, "}");
}

static void
add_series(struct text *out, const struct stood *newest)
{
	static const struct {
		enum series_field field;
		const char *name;
	} members[] = {{SERIES_OPERATION, "operation"}, {SERIES_PROVIDER, "provider"}, {SERIES_MODEL, "model"},
	    {SERIES_BASE_MODEL, "base_model"}, {SERIES_SERVICE_TIER, "service_tier"}, {SERIES_SPEED, "speed"},
	    {SERIES_REGION, "region"}, {SERIES_DEPLOYMENT, "deployment"}, {SERIES_STATUS, "status"},
	    {SERIES_SERVED_FROM, "served_from"}};

	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		add_member(out, members[i].name, newest->series[members[i].field]);
	/* The short form knows adapters without a kind, of which a CloudEvent cannot speak. */
	if (newest->series[SERIES_ADAPTER_KIND][0] != '\0') {
		text_add_string(out, ",\"adapter\":{\"kind\":");
		text_add_json(out, newest->series[SERIES_ADAPTER_KIND]);
		add_member(out, "id", newest->series[SERIES_ADAPTER]);
		text_add_string(out, "}");
	}
	text_add_string(out, ",\"measurement\":{\"method\":");
	text_add_json(out, newest->series[SERIES_METHOD]);
	text_add_format(out, ",\"complete\":%s}", (newest->flags & F_PARTIAL) != 0 ? "false" : "true");
}

/* The whole prompt, where it is more than the tokens that are counted; else it follows from them. */
static void
add_context_tokens(struct text *out, const struct stood *newest)
{
	if (newest->context_input_tokens >= 0 && newest->context_input_tokens != input_tokens(&newest->quantities))
		text_add_format(out, ",\"context_input_tokens\":%lld", (long long)newest->context_input_tokens);
	else if (newest->context_input_tokens < 0 && input_tokens(&newest->quantities) > 0)
		text_add_string(out, ",\"context_input_tokens\":null");
}

const char *
support_event_write(const char *request, const struct event_name *name, const struct stood *newest,
    const struct quantities *after, struct arena *arena)
{
	char time[INSTANT_TEXT];
	struct text text = {0};
	const char *out;

	text_add_string(&text, "{\"specversion\":\"1.0\",\"type\":\"tollbook.usage.v1\"");
	add_member(&text, "source", SUPPORT_SOURCE);
	add_member(&text, "id", request);
	add_member(&text, "subject", name->tenant);
	add_member(&text, "time", instant_format(newest->time, time));
	text_add_format(&text, ",\"data\":{\"kind\":\"%s\",\"ref\":{\"source\":", after == NULL ? "void" : "correction");
	text_add_json(&text, newest->source);
	add_member(&text, "id", newest->id);
	text_add_string(&text, "}");
	if (after != NULL) {
		add_series(&text, newest);
		add_context_tokens(&text, newest);
		add_context(&text, newest);
		add_quantities(&text, after);
	}
	text_add_string(&text, "}}");
	out = arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return out;
}

static bool
not_taken(const struct record *record, struct error *err)
{
	error_set(err, ERROR_INPUT, "the event that would be booked is not right: %s, %s", reason_code(record->reason),
	    reason_meaning(record->reason));
	return error_field(err, record->field, record->value.at, record->value.length);
}

/* What was plausible of the event as it stands stays so. */
static struct event_rules
rules_for(struct run *run, const struct stood *newest)
{
	struct event_rules rules = event_rules_default(run->now);

	rules.late_days = LATE_DAYS;
	for (int i = 1; i < METER_LIMIT; i++)
		if (newest->quantities.stated[i] && meter_of(i)->decimals == 0 &&
		    newest->quantities.quantity[i] > rules.plausible_limit)
			rules.plausible_limit = newest->quantities.quantity[i];
	if (newest->context_input_tokens > rules.plausible_limit)
		rules.plausible_limit = newest->context_input_tokens;
	return rules;
}

bool
support_event_read(struct run *run, const char *event, const struct stood *newest, struct record *out, struct error *err)
{
	struct event_rules rules = rules_for(run, newest);
	size_t length = strlen(event);

	*out = (struct record){.raw = {event, length}, .raw_length = length, .number = 1};
	event_parse(&rules, event, length, &run->arena, out);
	if (out->reason != REASON_NONE)
		return not_taken(out, err);
	if (out->event.kind == EVENT_VOID)
		return true;
	for (int i = 0; i < SERIES_FIELDS; i++)
		out->event.series[i] = bytes_of(newest->series[i]);
	out->event.context = bytes_of(newest->context);
	event_identify(&out->event);
	return true;
}
