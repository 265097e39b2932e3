/*
 * event_json.c -- see event_json.h.
 *
 * The record is walked once.  Top-level values are noted and looked at when all of them are known, because what they mean
 * depends on fields that may come last; "data" is read as it passes by and forgotten if the record is not a CloudEvent.
 */
#include "ingest/event_json.h"

#include <string.h>
#include <strings.h>

#include "ingest/base64.h"
#include "ingest/json_fault.h"
#include "ingest/short_form.h"

/* Attributes of a CloudEvent that the short form does not have.  Other ones are extensions: legal, and not kept. */
enum attribute {
	CE_SPECVERSION,
	CE_TYPE,
	CE_ID,
	CE_SUBJECT,
	CE_DATA,
	CE_DATA_BASE64,
	CE_DATACONTENTTYPE,
	CE_DATASCHEMA,
	CE_ATTRIBUTES
};

/* What is stated of the attributes that count, wherever they stand; NULL: not stated. */
struct stated {
	const struct json_value *value[EVENT_HEADERS];
	bool in_headers;
};

/* What stands at the top of a record. */
struct top {
	struct json_value attributes[CE_ATTRIBUTES];
	unsigned stated; /* by enum attribute; null is unset (CloudEvents 1.0, JSON format, section 3.1) */
	struct short_form form;
	bool unknown; /* a key that neither form has */
};

enum data_kind {
	DATA_TEXT,
	DATA_SPEED,
	DATA_STATUS,
	DATA_SERVED_FROM,
	DATA_KIND,
	DATA_REF,
	DATA_ADAPTER,
	DATA_MEASUREMENT,
	DATA_CONTEXT,
	DATA_QUANTITIES,
	DATA_REPORTED,
	DATA_ATTRIBUTION,
	DATA_ENGINE,
	DATA_TRACE,
	DATA_UNREAD
};

struct data_field {
	const char *name;
	size_t length;
	enum data_kind kind;
	enum series_field series; /* of DATA_TEXT */
	const char *path;
};

/* What "data" says about the event's purpose, judged when all of it is known. */
struct purpose {
	bool has_ref, ref_complete;
	bool has_key; /* quantities has a key, known or not */
};

#define CANONICAL_NAMES(time_field)                                                                                              \
	{                                                                                                                        \
		.usage = "data.quantities", .model = "data.model", .time = time_field, .context = "data.context_input_tokens",   \
		.reported_input = "data.reported.input_tokens", .reported_output = "data.reported.output_tokens"                 \
	}
static const struct draft_names canonical_names = CANONICAL_NAMES("time"), binary_names = CANONICAL_NAMES("ce_time");
#undef CANONICAL_NAMES

static void read_top(struct json_reader *reader, struct draft *draft, struct top *top);
static void read_data(struct json_reader *reader, struct draft *draft);
static void finish_canonical(struct draft *draft, const struct top *top, const struct event_headers *headers, struct record *out);
static void finish_short(struct draft *draft, const struct top *top, struct record *out);

static bool
is_stated(const struct top *top, enum attribute attribute)
{
	return (top->stated >> attribute & 1) != 0;
}

void
event_parse(const struct event_rules *rules, const char *bytes, size_t length, struct arena *arena, struct record *out)
{
	if (bytes_are_blank(bytes, length))
		record_set_aside(out, N_BLANK, "", (struct bytes){NULL, 0});
	else
		event_parse_value(rules, NULL, bytes, length, arena, out);
}

void
event_parse_value(const struct event_rules *rules, const struct event_headers *headers, const char *bytes, size_t length,
    struct arena *arena, struct record *out)
{
	struct json_reader reader;
	struct json_value value;
	struct draft draft;
	struct top top;

	/* What is not stated is never looked at, and need not be cleared. */
	top.stated = 0;
	top.form.stated = 0;
	top.unknown = false;
	json_begin(&reader, bytes, length, 0, arena);
	draft_begin(&draft, rules, &canonical_names, arena);
	if (json_value(&reader, &value)) {
		if (value.type == VALUE_OBJECT)
			read_top(&reader, &draft, &top);
		else if (value.type == VALUE_ARRAY)
			(void)json_leave(&reader);
	}
	if (!json_end(&reader))
		record_set_aside(out, json_reason(&reader), json_place(&reader, arena), json_problem(&reader));
	else if (value.type != VALUE_OBJECT)
		record_set_aside(out, E_NOT_OBJECT, "", json_value_shown(&value));
	else if (is_stated(&top, CE_SPECVERSION) && (top.form.stated >> SHORT_idempotency_key & 1) != 0)
		record_set_aside(out, E_VALUE, "idempotency_key", bytes_of("both a CloudEvent and the short form"));
	else if (is_stated(&top, CE_SPECVERSION))
		finish_canonical(&draft, &top, headers, out);
	else if (headers != NULL)
		record_set_aside(out, E_NOT_CLOUDEVENT, "specversion", bytes_of(""));
	else if ((top.form.stated >> SHORT_idempotency_key & 1) != 0 || rules->position_id != NULL)
		finish_short(&draft, &top, out);
	else
		record_set_aside(out, E_NOT_CLOUDEVENT, "", bytes_of("neither specversion nor idempotency_key"));
}

bool
event_is_cut(const char *bytes, size_t length, struct arena *arena)
{
	struct json_reader reader;

	json_begin(&reader, bytes, length, 0, arena);
	return !(json_skip(&reader, NULL) && json_end(&reader)) && reader.cut;
}

static enum attribute
attribute_find(struct bytes name)
{
	static const struct {
		const char *name;
		size_t length;
	} names[CE_ATTRIBUTES] = {
#define ATTRIBUTE(id, text) [id] = {text, sizeof text - 1}
	    ATTRIBUTE(CE_SPECVERSION, "specversion"),
	    ATTRIBUTE(CE_TYPE, "type"),
	    ATTRIBUTE(CE_ID, "id"),
	    ATTRIBUTE(CE_SUBJECT, "subject"),
	    ATTRIBUTE(CE_DATA, "data"),
	    ATTRIBUTE(CE_DATA_BASE64, "data_base64"),
	    ATTRIBUTE(CE_DATACONTENTTYPE, "datacontenttype"),
	    ATTRIBUTE(CE_DATASCHEMA, "dataschema"),
#undef ATTRIBUTE
	};

	for (int i = 0; i < CE_ATTRIBUTES; i++)
		if (names[i].length == name.length && memcmp(names[i].name, name.at, name.length) == 0)
			return (enum attribute)i;
	return CE_ATTRIBUTES;
}

/* Behind the opening brace. */
static void
read_top(struct json_reader *reader, struct draft *draft, struct top *top)
{
	struct bytes key;

	while (json_key(reader, &key)) {
		enum attribute attribute = attribute_find(key);
		enum short_field field = attribute == CE_ATTRIBUTES ? short_field_find(key) : SHORT_FIELDS;
		struct json_value value;

		if (!json_value(reader, &value))
			return;
		if (attribute == CE_DATA && value.type == VALUE_OBJECT)
			read_data(reader, draft);
		else if (value.type == VALUE_OBJECT || value.type == VALUE_ARRAY)
			(void)json_leave(reader);
		if (attribute < CE_ATTRIBUTES && value.type != VALUE_NULL) {
			top->attributes[attribute] = value;
			top->stated |= 1U << attribute;
		} else if (field < SHORT_FIELDS) {
			top->form.values[field] = value;
			top->form.stated |= 1U << field;
		} else if (attribute == CE_ATTRIBUTES) {
			top->unknown = true;
		}
	}
}

/* Data that is a JSON document of its own, one level below its envelope.  False where its bytes are not JSON. */
static bool
read_document(struct json_reader *reader, struct draft *draft, struct bytes document, struct json_value *value)
{
	json_begin(reader, document.at, document.length, 1, draft->arena);
	if (json_value(reader, value)) {
		if (value->type == VALUE_OBJECT)
			read_data(reader, draft);
		else if (value->type == VALUE_ARRAY)
			(void)json_leave(reader);
	}
	return json_end(reader);
}

static void
read_data_base64(struct draft *draft, const struct json_value *encoded)
{
	struct json_reader reader;
	struct json_value value;
	struct bytes decoded;

	if (encoded->type != VALUE_STRING)
		draft_fault(draft, E_TYPE, "data_base64", json_value_shown(encoded));
	else if (!base64_decode(draft->arena, encoded->text, &decoded))
		draft_fault(draft, E_VALUE, "data_base64", encoded->text);
	else if (!read_document(&reader, draft, decoded, &value))
		draft_fault(draft, json_reason(&reader), "data_base64", json_problem(&reader));
	else if (value.type != VALUE_OBJECT)
		draft_fault(draft, E_TYPE, "data_base64", json_value_shown(&value));
}

/* The data of an event whose attributes are headers. */
static void
read_data_value(struct draft *draft, const struct event_headers *headers, struct bytes document)
{
	struct json_reader reader;
	struct json_value value;

	if (!headers->data_is_json)
		draft_fault(draft, E_VALUE, "content-type", headers->content_type);
	else if (!read_document(&reader, draft, document, &value))
		draft_fault(draft, json_reason(&reader), json_place(&reader, draft->arena), json_problem(&reader));
	else if (value.type == VALUE_NULL)
		draft_fault_words(draft, E_USAGE_MISSING, "data", "");
	else if (value.type != VALUE_OBJECT)
		draft_fault(draft, E_TYPE, "data", json_value_shown(&value));
}

static void
check_data(struct draft *draft, const struct top *top)
{
	const struct json_value *data = &top->attributes[CE_DATA];

	if (is_stated(top, CE_DATA) && is_stated(top, CE_DATA_BASE64))
		draft_fault_words(draft, E_VALUE, "data_base64", "beside data");
	else if (is_stated(top, CE_DATA_BASE64))
		read_data_base64(draft, &top->attributes[CE_DATA_BASE64]);
	else if (is_stated(top, CE_DATA) && data->type != VALUE_OBJECT)
		draft_fault(draft, E_TYPE, "data", json_value_shown(data));
	else if (!is_stated(top, CE_DATA))
		draft_fault_words(draft, E_USAGE_MISSING, "data", "");
}

static bool
is_text(const struct json_value *value, const char *text)
{
	return value->type == VALUE_STRING && bytes_are(value->text, text);
}

static const struct json_value *
attribute_of(const struct top *top, enum attribute attribute)
{
	return is_stated(top, attribute) ? &top->attributes[attribute] : NULL;
}

static const struct json_value *
shared_of(const struct top *top, enum short_field field)
{
	return (top->form.stated >> field & 1) != 0 ? &top->form.values[field] : NULL;
}

static const struct {
	const char *name;
	size_t length;
} header_names[EVENT_HEADERS] = {
#define HEADER(id, text) [id] = {text, sizeof text - 1}
    HEADER(HEADER_SPECVERSION, "ce_specversion"),
    HEADER(HEADER_TYPE, "ce_type"),
    HEADER(HEADER_ID, "ce_id"),
    HEADER(HEADER_SOURCE, "ce_source"),
    HEADER(HEADER_SUBJECT, "ce_subject"),
    HEADER(HEADER_TIME, "ce_time"),
#undef HEADER
};

bool
event_is_structured(const struct event_headers *headers)
{
	static const char structured[] = "application/cloudevents";

	return headers->content_type.length >= sizeof structured - 1 &&
	    strncasecmp(headers->content_type.at, structured, sizeof structured - 1) == 0;
}

enum event_header
event_header_find(struct bytes name)
{
	for (int i = 0; i < EVENT_HEADERS; i++)
		if (header_names[i].length == name.length && memcmp(header_names[i].name, name.at, name.length) == 0)
			return (enum event_header)i;
	return EVENT_HEADERS;
}

const char *
event_header_name(enum event_header attribute)
{
	return header_names[attribute].name;
}

/* A header's name is its attribute's behind EVENT_HEADER_PREFIX. */
static const char *
field_of(const struct stated *stated, enum event_header attribute)
{
	return header_names[attribute].name + (stated->in_headers ? 0 : sizeof EVENT_HEADER_PREFIX - 1);
}

/* True where the record is a usage event; else the fault is noted. */
static bool
check_envelope(struct draft *draft, const struct stated *stated)
{
	const struct json_value *version = stated->value[HEADER_SPECVERSION], *type = stated->value[HEADER_TYPE];
	const char *type_field = field_of(stated, HEADER_TYPE);

	if (version == NULL)
		draft_fault_words(draft, E_NOT_CLOUDEVENT, field_of(stated, HEADER_SPECVERSION), "");
	else if (!is_text(version, "1.0"))
		draft_fault(draft, E_SPECVERSION, field_of(stated, HEADER_SPECVERSION), json_value_shown(version));
	else if (type == NULL || is_text(type, ""))
		draft_fault_words(draft, E_NOT_CLOUDEVENT, type_field, "");
	else if (type->type != VALUE_STRING)
		draft_fault(draft, E_TYPE, type_field, json_value_shown(type));
	else if (!is_text(type, EVENT_TYPE))
		draft_fault(draft, N_NOT_USAGE, type_field, type->text);
	else
		return true;
	return false;
}

static void
read_identity(struct draft *draft, const struct stated *stated)
{
	draft_key(draft, KEY_ID, field_of(stated, HEADER_ID), stated->value[HEADER_ID]);
	draft_key(draft, KEY_SOURCE, field_of(stated, HEADER_SOURCE), stated->value[HEADER_SOURCE]);
	draft_key(draft, KEY_TENANT, field_of(stated, HEADER_SUBJECT), stated->value[HEADER_SUBJECT]);
	draft_time(draft, field_of(stated, HEADER_TIME), stated->value[HEADER_TIME]);
}

bool
event_header_agrees(enum event_header attribute, struct bytes one, struct bytes other)
{
	struct instant first, second;

	if (bytes_same(one, other))
		return true;
	return attribute == HEADER_TIME && instant_parse(one.at, one.length, FIRST_YEAR, &first) == INSTANT_OK &&
	    instant_parse(other.at, other.length, FIRST_YEAR, &second) == INSTANT_OK && first.us == second.us;
}

/* Headers may repeat what the event says of itself, and nothing else.  What only they say is not taken from them. */
static void
check_agreement(struct draft *draft, const struct stated *stated, const struct event_headers *headers)
{
	for (int i = 0; i < EVENT_HEADERS; i++) {
		const struct json_value *own = stated->value[i];

		if ((headers->stated >> i & 1) == 0 || own == NULL || own->type != VALUE_STRING)
			continue;
		if (!event_header_agrees((enum event_header)i, own->text, headers->text[i]))
			draft_fault(draft, E_ENVELOPE_CONFLICT, header_names[i].name, headers->text[i]);
	}
}

static bool
says_usage(const struct event_headers *headers)
{
	const struct json_value type = {VALUE_STRING, headers->text[HEADER_TYPE]};

	return (headers->stated >> HEADER_TYPE & 1) != 0 && is_text(&type, EVENT_TYPE);
}

static void
finish_canonical(struct draft *draft, const struct top *top, const struct event_headers *headers, struct record *out)
{
	const struct stated stated = {.value = {[HEADER_SPECVERSION] = attribute_of(top, CE_SPECVERSION),
					  [HEADER_TYPE] = attribute_of(top, CE_TYPE),
					  [HEADER_ID] = attribute_of(top, CE_ID),
					  [HEADER_SOURCE] = shared_of(top, SHORT_source),
					  [HEADER_SUBJECT] = attribute_of(top, CE_SUBJECT),
					  [HEADER_TIME] = shared_of(top, SHORT_time)}};
	bool is_usage = check_envelope(draft, &stated);

	/* Other people's events may be as they like, unless a header claims them as usage. */
	if (headers != NULL && (is_usage || says_usage(headers)))
		check_agreement(draft, &stated, headers);
	if (is_usage) {
		read_identity(draft, &stated);
		check_data(draft, top);
	}
	draft_finish(draft, out);
}

enum reason
event_header_check(struct bytes text)
{
	size_t at;
	bool cut;

	if (!utf8_check(text.at, text.length, &at, &cut))
		return E_UTF8;
	return text.length > 0 && memchr(text.at, '\0', text.length) != NULL ? E_NUL : REASON_NONE;
}

static void
check_text_bytes(struct draft *draft, enum event_header attribute, struct bytes text)
{
	enum reason reason = event_header_check(text);

	if (reason != REASON_NONE)
		draft_fault(draft, reason, header_names[attribute].name, text);
}

void
event_parse_data(const struct event_rules *rules, const struct event_headers *headers, const char *bytes, size_t length,
    struct arena *arena, struct record *out)
{
	struct json_value values[EVENT_HEADERS];
	struct stated stated = {.in_headers = true};
	struct draft draft;

	draft_begin(&draft, rules, &binary_names, arena);
	for (int i = 0; i < EVENT_HEADERS; i++) {
		if ((headers->stated >> i & 1) == 0)
			continue;
		values[i] = (struct json_value){VALUE_STRING, headers->text[i]};
		stated.value[i] = &values[i];
		check_text_bytes(&draft, (enum event_header)i, headers->text[i]);
	}
	if (check_envelope(&draft, &stated)) {
		read_identity(&draft, &stated);
		read_data_value(&draft, headers, (struct bytes){bytes, length});
	}
	draft_finish(&draft, out);
}

static void
finish_short(struct draft *draft, const struct top *top, struct record *out)
{
	draft_begin(draft, draft->rules, &short_form_names, draft->arena);
	if (top->unknown || top->stated != 0)
		draft->event.flags |= F_UNKNOWN_FIELD;
	short_form_fill(draft, &top->form, false);
	draft_finish(draft, out);
}

static const struct data_field *
data_field_find(struct bytes name)
{
#define TEXT(name, series)                                                                                                       \
	{                                                                                                                        \
		name, sizeof name - 1, DATA_TEXT, series, "data." name                                                           \
	}
#define OTHER(name, kind)                                                                                                        \
	{                                                                                                                        \
		name, sizeof name - 1, kind, SERIES_FIELDS, "data." name                                                         \
	}
	static const struct data_field fields[] = {
	    TEXT("operation", SERIES_OPERATION),
	    TEXT("provider", SERIES_PROVIDER),
	    TEXT("model", SERIES_MODEL),
	    OTHER("quantities", DATA_QUANTITIES),
	    OTHER("measurement", DATA_MEASUREMENT),
	    TEXT("service_tier", SERIES_SERVICE_TIER),
	    OTHER("status", DATA_STATUS),
	    OTHER("attribution", DATA_ATTRIBUTION),
	    OTHER("engine", DATA_ENGINE),
	    OTHER("trace", DATA_TRACE),
	    OTHER("context_input_tokens", DATA_CONTEXT),
	    OTHER("reported", DATA_REPORTED),
	    TEXT("base_model", SERIES_BASE_MODEL),
	    OTHER("adapter", DATA_ADAPTER),
	    TEXT("region", SERIES_REGION),
	    TEXT("deployment", SERIES_DEPLOYMENT),
	    OTHER("speed", DATA_SPEED),
	    OTHER("served_from", DATA_SERVED_FROM),
	    OTHER("kind", DATA_KIND),
	    OTHER("ref", DATA_REF),
	    OTHER("model_requested", DATA_UNREAD),
	    OTHER("service_tier_requested", DATA_UNREAD),
	    OTHER("finish_reason", DATA_UNREAD),
	    OTHER("started_at", DATA_UNREAD),
	    OTHER("raw_digest", DATA_UNREAD),
	};
#undef TEXT
#undef OTHER

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (fields[i].length == name.length && memcmp(fields[i].name, name.at, name.length) == 0)
			return &fields[i];
	return NULL;
}

/* Reads the value of `path` and enters it where it is an object.  False where there is nothing in it to be read: not
 * stated (null), or no object, which is noted. */
static bool
enter_object(struct json_reader *reader, struct draft *draft, const char *path)
{
	struct json_value value;

	if (!json_value(reader, &value))
		return false;
	if (value.type == VALUE_OBJECT)
		return true;
	if (value.type == VALUE_ARRAY)
		(void)json_leave(reader);
	if (value.type != VALUE_NULL)
		draft_fault(draft, E_TYPE, path, json_value_shown(&value));
	return false;
}

/* A value without an inside; an array or object is passed over and stays one, for the type check. */
static bool
read_scalar(struct json_reader *reader, struct json_value *value)
{
	if (!json_value(reader, value))
		return false;
	return (value->type != VALUE_ARRAY && value->type != VALUE_OBJECT) || json_leave(reader);
}

static void
skip_unknown(struct json_reader *reader, struct draft *draft)
{
	draft->event.flags |= F_UNKNOWN_FIELD;
	(void)json_skip(reader, NULL);
}

static void
read_quantities(struct json_reader *reader, struct draft *draft, struct purpose *purpose)
{
	struct bytes name;

	if (!enter_object(reader, draft, "data.quantities"))
		return;
	while (json_key(reader, &name)) {
		const struct meter *meter = meter_find(name.at, name.length);
		struct json_value value;

		purpose->has_key = true;
		draft->has_usage = true;
		if (!read_scalar(reader, &value))
			return;
		if (meter == NULL)
			draft_fault(draft, E_UNKNOWN_METER, "data.quantities", name);
		else
			draft_meter(draft, meter, "data.quantities.", &value);
	}
}

static void
read_unknown_details(struct json_reader *reader, struct draft *draft)
{
	static const char path[] = "data.measurement.unknown";
	struct json_value value;
	unsigned seen = 0;

	if (!json_value(reader, &value))
		return;
	if (value.type != VALUE_ARRAY) {
		if (value.type == VALUE_OBJECT)
			(void)json_leave(reader);
		if (value.type != VALUE_NULL)
			draft_fault(draft, E_TYPE, path, json_value_shown(&value));
		return;
	}
	while (json_item(reader)) {
		unsigned bit = 0;

		if (!read_scalar(reader, &value))
			return;
		for (size_t i = 0; unknown_details[i] != NULL; i++)
			if (is_text(&value, unknown_details[i]))
				bit = 1U << i;
		if (value.type != VALUE_STRING)
			draft_fault(draft, E_TYPE, path, json_value_shown(&value));
		else if (bit == 0 || (seen & bit) != 0)
			draft_fault(draft, E_VALUE, path, value.text);
		seen |= bit;
	}
	if (seen != 0)
		draft->event.flags |= F_DETAILS_UNKNOWN;
}

static void
read_complete(struct json_reader *reader, struct draft *draft, bool *stated)
{
	struct json_value value;

	if (!read_scalar(reader, &value))
		return;
	*stated = value.type != VALUE_NULL;
	if (value.type == VALUE_FALSE)
		draft->event.flags |= F_PARTIAL;
	else if (value.type != VALUE_TRUE && value.type != VALUE_NULL)
		draft_fault(draft, E_TYPE, "data.measurement.complete", json_value_shown(&value));
}

static void
read_measurement(struct json_reader *reader, struct draft *draft)
{
	bool has_method = false, has_complete = false;
	struct json_value value;
	struct bytes key;

	if (!enter_object(reader, draft, "data.measurement"))
		return;
	while (json_key(reader, &key)) {
		if (bytes_are(key, "method") && read_scalar(reader, &value)) {
			has_method = value.type != VALUE_NULL;
			draft_word(draft, SERIES_METHOD, "data.measurement.method", &value, method_words);
		} else if (bytes_are(key, "complete")) {
			read_complete(reader, draft, &has_complete);
		} else if (bytes_are(key, "unknown")) {
			read_unknown_details(reader, draft);
		} else {
			skip_unknown(reader, draft);
		}
	}
	if (!has_method)
		draft_fault_words(draft, E_VALUE, "data.measurement.method", "");
	if (!has_complete)
		draft_fault_words(draft, E_VALUE, "data.measurement.complete", "");
	value = (struct json_value){VALUE_STRING, draft->event.series[SERIES_METHOD]};
	if (is_text(&value, "estimate"))
		draft->event.flags |= F_ESTIMATED;
}

static void
read_adapter(struct json_reader *reader, struct draft *draft)
{
	const struct bytes *series = draft->event.series;
	struct json_value value;
	struct bytes key;

	if (!enter_object(reader, draft, "data.adapter"))
		return;
	while (json_key(reader, &key)) {
		if (bytes_are(key, "kind") && read_scalar(reader, &value))
			draft_word(draft, SERIES_ADAPTER_KIND, "data.adapter.kind", &value, adapter_kind_words);
		else if (bytes_are(key, "id") && read_scalar(reader, &value))
			draft_text(draft, SERIES_ADAPTER, "data.adapter.id", &value);
		else
			skip_unknown(reader, draft);
	}
	if (series[SERIES_ADAPTER_KIND].length == 0)
		draft_fault_words(draft, E_VALUE, "data.adapter.kind", "");
	if (series[SERIES_ADAPTER].length == 0)
		draft_fault_words(draft, E_VALUE, "data.adapter.id", "");
}

static void
read_ref_key(struct json_reader *reader, struct draft *draft, const char *path, struct bytes *out)
{
	struct json_value value;

	if (!read_scalar(reader, &value) || value.type == VALUE_NULL)
		return;
	if (value.type != VALUE_STRING)
		draft_fault(draft, E_TYPE, path, json_value_shown(&value));
	else if (value.text.length > 0 && key_check(value.text) != REASON_NONE)
		draft_fault(draft, E_VALUE, path, value.text);
	else
		*out = value.text;
}

/* A key beside source and id could mean another original than the one these name, so it is refused. */
static void
read_ref(struct json_reader *reader, struct draft *draft, struct purpose *purpose)
{
	struct bytes key;

	if (!enter_object(reader, draft, "data.ref"))
		return;
	purpose->has_ref = true;
	while (json_key(reader, &key)) {
		if (bytes_are(key, "source")) {
			read_ref_key(reader, draft, "data.ref.source", &draft->event.ref_source);
		} else if (bytes_are(key, "id")) {
			read_ref_key(reader, draft, "data.ref.id", &draft->event.ref_id);
		} else {
			draft_fault(draft, E_VALUE, "data.ref", key);
			(void)json_skip(reader, NULL);
		}
	}
	purpose->ref_complete = draft->event.ref_source.length > 0 && draft->event.ref_id.length > 0;
}

static void
read_reported(struct json_reader *reader, struct draft *draft)
{
	static const char *const names[REPORTED_COUNTS] = {"input_tokens", "output_tokens", "total_tokens"};
	static const char *const paths[REPORTED_COUNTS] = {
	    "data.reported.input_tokens", "data.reported.output_tokens", "data.reported.total_tokens"};
	struct json_value value;
	struct bytes key;

	if (!enter_object(reader, draft, "data.reported"))
		return;
	while (json_key(reader, &key)) {
		int i = 0;

		while (i < REPORTED_COUNTS && !bytes_are(key, names[i]))
			i++;
		if (i < REPORTED_COUNTS && read_scalar(reader, &value))
			(void)draft_count(draft, paths[i], &value, &draft->reported[i]);
		else if (bytes_are(key, "cost") || bytes_are(key, "cost_unit"))
			(void)json_skip(reader, NULL);
		else
			skip_unknown(reader, draft);
	}
}

static void
read_attribution(struct json_reader *reader, struct draft *draft)
{
	struct json_value value;
	struct bytes key;
	const char *end;

	if (!enter_object(reader, draft, "data.attribution"))
		return;
	draft->attribution.at = reader->at - 1;
	while (json_key(reader, &key)) {
		if (bytes_are(key, "project_id") && read_scalar(reader, &value))
			draft_text(draft, SERIES_PROJECT, "data.attribution.project_id", &value);
		else if (bytes_are(key, "api_key_id") && read_scalar(reader, &value))
			draft_text(draft, SERIES_API_KEY, "data.attribution.api_key_id", &value);
		else
			(void)json_skip(reader, NULL);
	}
	end = reader->at;
	draft->attribution.length = (size_t)(end - draft->attribution.at);
}

/* What is no object is passed over: versions before this one did not look at it. */
static void
read_engine(struct json_reader *reader, struct draft *draft)
{
	struct bytes raw;

	if (!json_skip(reader, &raw))
		return;
	if (raw.at[0] == '{')
		draft->engine = raw;
	else if (raw.at[0] != 'n')
		draft->event.flags |= F_UNKNOWN_FIELD;
}

static void
read_trace(struct json_reader *reader, struct draft *draft)
{
	if (!enter_object(reader, draft, "data.trace"))
		return;
	draft->trace.at = reader->at - 1;
	if (json_leave(reader))
		draft->trace.length = (size_t)(reader->at - draft->trace.at);
}

static void
read_kind(struct json_reader *reader, struct draft *draft)
{
	struct json_value value;

	if (!read_scalar(reader, &value) || value.type == VALUE_NULL || is_text(&value, "usage"))
		return;
	if (is_text(&value, "correction"))
		draft->event.kind = EVENT_CORRECTION;
	else if (is_text(&value, "void"))
		draft->event.kind = EVENT_VOID;
	else
		draft_fault(draft, value.type == VALUE_STRING ? E_VALUE : E_TYPE, "data.kind", json_value_shown(&value));
}

static void
read_field(struct json_reader *reader, struct draft *draft, const struct data_field *field, struct purpose *purpose)
{
	struct json_value value;

	switch (field->kind) {
	case DATA_TEXT:
		if (read_scalar(reader, &value))
			draft_text(draft, field->series, field->path, &value);
		break;
	case DATA_SPEED:
		if (read_scalar(reader, &value))
			draft_word(draft, SERIES_SPEED, field->path, &value, speed_words);
		break;
	case DATA_STATUS:
		if (read_scalar(reader, &value))
			draft_word(draft, SERIES_STATUS, field->path, &value, status_words);
		break;
	case DATA_SERVED_FROM:
		if (read_scalar(reader, &value))
			draft_word(draft, SERIES_SERVED_FROM, field->path, &value, served_from_words);
		break;
	case DATA_CONTEXT:
		if (!read_scalar(reader, &value))
			break;
		draft->no_context = value.type == VALUE_NULL;
		if (!draft->no_context)
			(void)draft_count(draft, field->path, &value, &draft->event.context_input_tokens);
		break;
	case DATA_KIND:
		read_kind(reader, draft);
		break;
	case DATA_REF:
		read_ref(reader, draft, purpose);
		break;
	case DATA_ADAPTER:
		read_adapter(reader, draft);
		break;
	case DATA_MEASUREMENT:
		read_measurement(reader, draft);
		break;
	case DATA_QUANTITIES:
		read_quantities(reader, draft, purpose);
		break;
	case DATA_REPORTED:
		read_reported(reader, draft);
		break;
	case DATA_ATTRIBUTION:
		read_attribution(reader, draft);
		break;
	case DATA_ENGINE:
		read_engine(reader, draft);
		break;
	case DATA_TRACE:
		read_trace(reader, draft);
		break;
	case DATA_UNREAD:
		(void)json_skip(reader, NULL);
		break;
	}
}

/* Kind, ref and quantities must fit each other. */
static void
check_purpose(struct draft *draft, const struct purpose *purpose)
{
	struct usage_event *event = &draft->event;

	if (event->kind == EVENT_USAGE && purpose->has_ref)
		draft_fault_words(draft, E_VALUE, "data.ref", "in an event of kind usage");
	if (event->kind != EVENT_USAGE && !purpose->ref_complete)
		draft_fault_words(draft, E_REF_MISSING, "data.ref", "");
	if (event->kind == EVENT_VOID) {
		event->context_input_tokens = -1;
		if (purpose->has_key)
			draft_fault_words(draft, E_VALUE, "data.quantities", "in an event of kind void");
	} else if (event->series[SERIES_OPERATION].length == 0) {
		draft_fault_words(draft, E_VALUE, "data.operation", "");
	}
}

/* Behind the opening brace. */
static void
read_data(struct json_reader *reader, struct draft *draft)
{
	struct purpose purpose = {0};
	struct bytes key;

	while (json_key(reader, &key)) {
		const struct data_field *field = data_field_find(key);

		if (field == NULL)
			skip_unknown(reader, draft);
		else
			read_field(reader, draft, field, &purpose);
	}
	if (reader->fault == JSON_FAULT_NONE)
		check_purpose(draft, &purpose);
}
