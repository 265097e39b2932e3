/* event_draft.c -- see event_draft.h. */
#include "ingest/event_draft.h"

#include <string.h>
#include <strings.h>

#include "ingest/quantity.h"

enum {
	DEFAULT_LATE_DAYS = 400,
	DEFAULT_PLAUSIBLE = 1000000000,
	FLAG_LATE_DAYS = 35,
	FUTURE_MINUTES = 5, /* how far producers' clocks may be ahead */
	VALUE_SHOWN = 128,
};

#define DAY_US (INT64_C(86400) * 1000000)

/* The stated token meters of the two sides. */
struct sums {
	int64_t input, output;
	int inputs, outputs; /* how many there are */
};

static void finish_usage(struct draft *draft);
static struct sums sums_of(const struct draft *draft);
static void check_sums(struct draft *draft, struct sums sums);
static void check_plausible(struct draft *draft);
static void set_defaults(struct draft *draft);
static void set_quantities(struct draft *draft);
static void set_context(struct draft *draft);

/* The order of checks; what is equally basic goes by which was met first. */
enum {
	STAGE_BYTES,
	STAGE_ENVELOPE,
	STAGE_PURPOSE,
	STAGE_IDENTITY,
	STAGE_TYPE,
	STAGE_VALUE,
	STAGE_RANGE,
	STAGE_MISSING,
	STAGE_SUM,
	STAGE_PLAUSIBLE
};

static const unsigned char stages[REASON_LIMIT] = {
    [E_SPECVERSION] = STAGE_ENVELOPE,
    [E_NOT_CLOUDEVENT] = STAGE_ENVELOPE,
    [E_ENVELOPE_CONFLICT] = STAGE_ENVELOPE,
    [N_NOT_USAGE] = STAGE_PURPOSE,
    [N_FAILED_NO_USAGE] = STAGE_PURPOSE,
    [N_AGGREGATE_SPAN] = STAGE_PURPOSE,
    [N_TOTAL_ONLY] = STAGE_PURPOSE,
    [E_ID_MISSING] = STAGE_IDENTITY,
    [E_ID_PLACEHOLDER] = STAGE_IDENTITY,
    [E_ID_TOO_LONG] = STAGE_IDENTITY,
    [E_ID_CHARS] = STAGE_IDENTITY,
    [E_SOURCE_MISSING] = STAGE_IDENTITY,
    [E_SUBJECT_CHARS] = STAGE_IDENTITY,
    [E_TIME_MISSING] = STAGE_IDENTITY,
    [E_TIME_FORMAT] = STAGE_IDENTITY,
    [E_TIME_NO_ZONE] = STAGE_IDENTITY,
    [E_TIME_RANGE] = STAGE_IDENTITY,
    [E_TIME_UNIT] = STAGE_IDENTITY,
    [E_TYPE] = STAGE_TYPE,
    [E_VALUE] = STAGE_VALUE,
    [E_REF_MISSING] = STAGE_VALUE,
    [E_NOT_INTEGER] = STAGE_RANGE,
    [E_NEGATIVE] = STAGE_RANGE,
    [E_RANGE] = STAGE_RANGE,
    [E_DECIMAL] = STAGE_RANGE,
    [E_USAGE_MISSING] = STAGE_MISSING,
    [E_COUNT_NULL] = STAGE_MISSING,
    [E_ZERO_AMBIGUOUS] = STAGE_MISSING,
    [E_UNKNOWN_METER] = STAGE_MISSING,
    [E_MODEL_MISSING] = STAGE_MISSING,
    [E_SUBJECT_MISSING] = STAGE_MISSING,
    [E_SUBSET_EXCEEDS_TOTAL] = STAGE_SUM,
    [E_DETAIL_SUM] = STAGE_SUM,
    [E_DETAIL_CONFLICT] = STAGE_SUM,
    [E_INCLUSION_AMBIGUOUS] = STAGE_SUM,
    [E_TOTAL_UNEXPLAINED] = STAGE_SUM,
    [E_IMPLAUSIBLE] = STAGE_PLAUSIBLE,
    [E_TIME_FUTURE] = STAGE_PLAUSIBLE,
    [E_TIME_LATE] = STAGE_PLAUSIBLE,
};

const char *const status_words[] = {"completed", "incomplete", "aborted", "failed", "unknown", NULL};
const char *const speed_words[] = {"standard", "fast", NULL};
const char *const served_from_words[] = {"model", "gateway_cache", NULL};
const char *const adapter_kind_words[] = {"lora", "fine_tune", NULL};
const char *const method_words[] = {"provider", "engine", "gateway", "estimate", "none", NULL};
const char *const unknown_details[] = {
    "cache_read", "cache_write", "reasoning", "audio", "image", "video", "tool_use", "prediction", NULL};

struct event_rules
event_rules_default(struct instant now)
{
	return (struct event_rules){
	    .now = now, .late_days = DEFAULT_LATE_DAYS, .plausible_limit = DEFAULT_PLAUSIBLE, .default_source = "/short"};
}

void
draft_begin(struct draft *draft, const struct event_rules *rules, const struct draft_names *names, struct arena *arena)
{
	must(rules->waived == REASON_NONE || reason_release(rules->waived) == RELEASE_WAIVE);
	must(rules->late_days > 0 && rules->plausible_limit > 0);
	draft->rules = rules;
	draft->names = names;
	draft->arena = arena;
	draft->event = (struct usage_event){.kind = EVENT_USAGE, .context_input_tokens = -1};
	draft->reason = REASON_NONE;
	draft->field = "";
	draft->value = (struct bytes){NULL, 0};
	draft->has_time = false;
	draft->has_usage = draft->no_context = false;
	draft->meters = 0;
	for (int i = 0; i < REPORTED_COUNTS; i++)
		draft->reported[i] = -1;
	draft->attribution = draft->engine = draft->trace = (struct bytes){NULL, 0};
}

struct bytes
bytes_of(const char *string)
{
	return (struct bytes){string, strlen(string)};
}

struct bytes
bytes_clipped(struct bytes value)
{
	if (value.length <= VALUE_SHOWN)
		return value;
	value.length = VALUE_SHOWN;
	while (value.length > 0 && ((unsigned char)value.at[value.length] & 0xc0) == 0x80)
		value.length--;
	return value;
}

void
draft_fault(struct draft *draft, enum reason reason, const char *field, struct bytes value)
{
	must(reason != REASON_NONE);
	if (reason == draft->rules->waived) {
		draft->event.flags |= F_WAIVED;
		return;
	}
	if (draft->reason != REASON_NONE && stages[draft->reason] <= stages[reason])
		return;
	draft->reason = reason;
	draft->field = field;
	draft->value = bytes_clipped(value);
}

void
draft_fault_words(struct draft *draft, enum reason reason, const char *field, const char *words)
{
	draft_fault(draft, reason, field, bytes_of(words));
}

struct bytes
json_value_shown(const struct json_value *value)
{
	switch (value->type) {
	case VALUE_NULL:
		return bytes_of("null");
	case VALUE_FALSE:
		return bytes_of("false");
	case VALUE_TRUE:
		return bytes_of("true");
	case VALUE_ARRAY:
		return bytes_of("an array");
	case VALUE_OBJECT:
		return bytes_of("an object");
	case VALUE_NUMBER:
	case VALUE_STRING:
		break;
	}
	return value->text;
}

static bool
is_missing(const struct json_value *value)
{
	return value == NULL || value->type == VALUE_NULL;
}

/* Of eight bytes: the usual tests for a byte below 0x20 and for one that is 0x7f. */
static inline bool
eight_have_control(const char *at)
{
	const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
	uint64_t eight, delete;

	memcpy(&eight, at, sizeof eight);
	delete = eight ^ ones * 0x7f;
	return ((((eight - ones * 0x20) & ~eight) | ((delete - ones) & ~delete)) & tops) != 0;
}

static bool
has_control(struct bytes text)
{
	if (text.length >= 8) {
		for (size_t i = 0; i + 8 <= text.length; i += 8)
			if (eight_have_control(text.at + i))
				return true;
		return eight_have_control(text.at + text.length - 8);
	}
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f)
			return true;
	return false;
}

enum reason
key_check(struct bytes key)
{
	must(key.length > 0);
	if (key.length > EVENT_KEY_BYTES)
		return E_ID_TOO_LONG;
	if (key.at[0] == ' ' || key.at[key.length - 1] == ' ' || has_control(key))
		return E_ID_CHARS;
	return REASON_NONE;
}

/* What programs write when they have no id.  As a key it would make all such events one. */
static bool
is_placeholder(struct bytes id)
{
	static const char *const placeholders[] = {"None", "null", "nil", "undefined", "N/A", "0"};

	for (size_t i = 0; i < sizeof placeholders / sizeof placeholders[0]; i++)
		if (strlen(placeholders[i]) == id.length && strncasecmp(placeholders[i], id.at, id.length) == 0)
			return true;
	return false;
}

void
draft_key(struct draft *draft, enum key_role role, const char *field, const struct json_value *value)
{
	static const enum reason missing[] = {
	    [KEY_ID] = E_ID_MISSING, [KEY_SOURCE] = E_SOURCE_MISSING, [KEY_TENANT] = E_SUBJECT_MISSING};
	struct bytes *const places[] = {
	    [KEY_ID] = &draft->event.id, [KEY_SOURCE] = &draft->event.source, [KEY_TENANT] = &draft->event.series[SERIES_TENANT]};
	enum reason reason;

	if (is_missing(value) || (value->type == VALUE_STRING && value->text.length == 0)) {
		draft_fault_words(draft, missing[role], field, "");
		return;
	}
	if (value->type != VALUE_STRING) {
		draft_fault(draft, E_TYPE, field, json_value_shown(value));
		return;
	}
	reason = key_check(value->text);
	if (reason == REASON_NONE && role == KEY_ID && is_placeholder(value->text))
		reason = E_ID_PLACEHOLDER;
	if (reason == E_ID_CHARS && role == KEY_TENANT)
		reason = E_SUBJECT_CHARS;
	if (reason != REASON_NONE)
		draft_fault(draft, reason, field, value->text);
	else
		*places[role] = value->text;
}

void
draft_time_parsed(struct draft *draft, const char *field, struct bytes value, enum instant_result result, struct instant time)
{
	switch (result) {
	case INSTANT_FORMAT:
		draft_fault(draft, E_TIME_FORMAT, field, value);
		return;
	case INSTANT_NO_ZONE:
		draft_fault(draft, E_TIME_NO_ZONE, field, value);
		return;
	case INSTANT_RANGE:
		draft_fault(draft, E_TIME_RANGE, field, value);
		return;
	case INSTANT_LEAP:
		draft->event.flags |= F_LEAP_SECOND;
		break;
	case INSTANT_OK:
		break;
	}
	draft->event.time = time;
	draft->has_time = true;
}

void
draft_time(struct draft *draft, const char *field, const struct json_value *value)
{
	struct instant time = {0};
	enum instant_result result;

	if (is_missing(value)) {
		draft_fault_words(draft, E_TIME_MISSING, field, "");
		return;
	}
	if (value->type != VALUE_STRING) {
		draft_fault(draft, E_TYPE, field, json_value_shown(value));
		return;
	}
	result = instant_parse(value->text.at, value->text.length, FIRST_YEAR, &time);
	draft_time_parsed(draft, field, value->text, result, time);
}

static size_t
characters(struct bytes text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += ((unsigned char)text.at[i] & 0xc0) != 0x80;
	return count;
}

void
draft_text(struct draft *draft, enum series_field series, const char *field, const struct json_value *value)
{
	struct bytes text = value->text;

	if (value->type == VALUE_NULL)
		return;
	if (value->type != VALUE_STRING) {
		draft_fault(draft, E_TYPE, field, json_value_shown(value));
		return;
	}
	if (text.length == 0 && series == SERIES_MODEL)
		return;
	if (text.length == 0 || has_control(text) || (text.length > TEXT_CHARACTERS && characters(text) > TEXT_CHARACTERS))
		draft_fault(draft, E_VALUE, field, text);
	else
		draft->event.series[series] = text;
}

void
draft_word(
    struct draft *draft, enum series_field series, const char *field, const struct json_value *value, const char *const *allowed)
{
	if (value->type == VALUE_NULL)
		return;
	if (value->type != VALUE_STRING) {
		draft_fault(draft, E_TYPE, field, json_value_shown(value));
		return;
	}
	for (; *allowed != NULL; allowed++)
		if (strlen(*allowed) == value->text.length && memcmp(*allowed, value->text.at, value->text.length) == 0) {
			draft->event.series[series] = value->text;
			return;
		}
	draft_fault(draft, E_VALUE, field, value->text);
}

bool
draft_count(struct draft *draft, const char *field, const struct json_value *value, int64_t *out)
{
	enum reason reason;

	if (value->type == VALUE_NULL)
		reason = E_COUNT_NULL;
	else if (value->type != VALUE_NUMBER)
		reason = E_TYPE;
	else
		reason = count_parse(value->text, out);
	if (reason == REASON_NONE)
		return true;
	draft_fault(draft, reason, field, json_value_shown(value));
	return false;
}

void
draft_set(struct draft *draft, enum meter_id meter, int64_t quantity)
{
	must(quantity >= 0);
	draft->quantity[meter] = quantity;
	draft->meters |= UINT64_C(1) << meter;
	draft->has_usage = true;
}

void
draft_meter(struct draft *draft, const struct meter *meter, const char *prefix, const struct json_value *value)
{
	enum value_type wanted = meter->decimals > 0 ? VALUE_STRING : VALUE_NUMBER;
	enum reason reason;
	int64_t quantity;

	draft->has_usage = true;
	if (value->type == VALUE_NULL)
		reason = E_COUNT_NULL;
	else if (value->type != wanted)
		reason = E_TYPE;
	else if (meter->decimals > 0)
		reason = measure_parse(value->text, meter->decimals, &quantity);
	else
		reason = count_parse(value->text, &quantity);
	if (reason == REASON_NONE)
		draft_set(draft, (enum meter_id)meter->id, quantity);
	else
		draft_fault(draft, reason, arena_format(draft->arena, "%s%s", prefix, meter->name), json_value_shown(value));
}

void
draft_finish(struct draft *draft, struct record *out)
{
	struct usage_event *event = &draft->event;

	if (draft->reason == REASON_NONE || reason_outcome(draft->reason) == OUTCOME_QUARANTINED) {
		if (event->kind != EVENT_VOID)
			finish_usage(draft);
		check_plausible(draft);
		set_context(draft);
	}
	out->reason = draft->reason;
	out->field = draft->field;
	out->value = draft->value;
	out->event = *event;
	if ((draft->reason == REASON_NONE || reason_outcome(draft->reason) == OUTCOME_QUARANTINED) && event->id.length > 0 &&
	    event->source.length > 0 && event->series[SERIES_TENANT].length > 0)
		event_identify(&out->event);
}

static struct sums
sums_of(const struct draft *draft)
{
	struct sums sums = {0};

	/* At most 50 counts of at most 2^53: the sums fit. */
	for (uint64_t left = draft->meters; left != 0; left &= left - 1) {
		int id = __builtin_ctzll(left);
		enum meter_side side = meter_of(id)->side;

		if (side == METER_SIDE_INPUT) {
			sums.input += draft->quantity[id];
			sums.inputs++;
		} else if (side == METER_SIDE_OUTPUT) {
			sums.output += draft->quantity[id];
			sums.outputs++;
		}
	}
	return sums;
}

/* What only events with quantities have. */
static void
finish_usage(struct draft *draft)
{
	struct bytes *series = draft->event.series;
	struct sums sums = sums_of(draft);

	if (!draft->has_usage)
		draft_fault_words(draft, E_USAGE_MISSING, draft->names->usage, "");
	/* Capacity, hosting and storage are sold without a model; then it must be said of what. */
	if (series[SERIES_MODEL].length == 0 &&
	    (sums.inputs + sums.outputs > 0 || (series[SERIES_DEPLOYMENT].length == 0 && series[SERIES_ADAPTER].length == 0)))
		draft_fault_words(draft, E_MODEL_MISSING, draft->names->model, "");
	check_sums(draft, sums);
	if (draft->event.context_input_tokens < 0 && sums.inputs > 0 && !draft->no_context)
		draft->event.context_input_tokens = sums.input;
	if (draft->event.context_input_tokens < 0 && sums.inputs + sums.outputs > 0)
		draft->event.flags |= F_NO_CONTEXT;
	set_defaults(draft);
	set_quantities(draft);
}

static void
check_sum(struct draft *draft, const char *field, int64_t reported, int64_t sum)
{
	if (reported >= 0 && reported != sum)
		draft_fault_words(draft, E_TOTAL_UNEXPLAINED, field,
		    arena_format(draft->arena, "%lld, but the meters add up to %lld", (long long)reported, (long long)sum));
}

static void
check_sums(struct draft *draft, struct sums sums)
{
	const int64_t *reported = draft->reported;

	check_sum(draft, draft->names->reported_input, reported[REPORTED_INPUT], sums.input);
	check_sum(draft, draft->names->reported_output, reported[REPORTED_OUTPUT], sums.output);
	if (reported[REPORTED_TOTAL] >= 0 && reported[REPORTED_TOTAL] != sums.input + sums.output)
		draft->event.flags |= F_TOTAL_MISMATCH;
}

static void
check_quantities_plausible(struct draft *draft)
{
	int64_t limit = draft->rules->plausible_limit;

	for (uint64_t left = draft->meters; left != 0; left &= left - 1) {
		int id = __builtin_ctzll(left);
		const struct meter *meter = meter_of(id);
		char shown[DECIMAL_TEXT];

		if (draft->quantity[id] <= limit || draft->quantity[id] <= limit * meter_scale(meter))
			continue;
		meter_format(meter, draft->quantity[id], shown);
		draft_fault_words(draft, E_IMPLAUSIBLE, meter->name, arena_format(draft->arena, "%s", shown));
	}
	if (draft->event.context_input_tokens > limit)
		draft_fault_words(draft, E_IMPLAUSIBLE, draft->names->context,
		    arena_format(draft->arena, "%lld", (long long)draft->event.context_input_tokens));
}

static void
time_fault(struct draft *draft, enum reason reason)
{
	char shown[INSTANT_TEXT];

	instant_format(draft->event.time, shown);
	draft_fault_words(draft, reason, draft->names->time, arena_format(draft->arena, "%s", shown));
}

static void
check_plausible(struct draft *draft)
{
	int64_t age = draft->rules->now.us - draft->event.time.us;

	check_quantities_plausible(draft);
	if (!draft->has_time)
		return;
	if (age > FLAG_LATE_DAYS * DAY_US)
		draft->event.flags |= F_LATE;
	if (age < -FUTURE_MINUTES * INT64_C(60000000))
		time_fault(draft, E_TIME_FUTURE);
	if (age > draft->rules->late_days * DAY_US)
		time_fault(draft, E_TIME_LATE);
}

static void
set_defaults(struct draft *draft)
{
	struct bytes *series = draft->event.series;

	if (series[SERIES_SERVICE_TIER].length == 0)
		series[SERIES_SERVICE_TIER] = bytes_of("default");
	if (series[SERIES_STATUS].length == 0)
		series[SERIES_STATUS] = bytes_of("completed");
	if (series[SERIES_METHOD].length == 0)
		series[SERIES_METHOD] = bytes_of("provider");
}

static void
set_quantities(struct draft *draft)
{
	struct metered *list = arena_take(draft->arena, (size_t)__builtin_popcountll(draft->meters) * sizeof *list);
	size_t count = 0;
	bool anything = false;

	for (uint64_t left = draft->meters; left != 0; left &= left - 1) {
		int id = __builtin_ctzll(left);

		list[count++] = (struct metered){id, draft->quantity[id]};
		anything = anything || (id != METER_requests && draft->quantity[id] > 0);
	}
	draft->event.quantities = list;
	draft->event.quantity_count = count;
	if (!anything && (draft->meters >> METER_requests & 1) != 0 && draft->quantity[METER_requests] > 0)
		draft->event.flags |= F_ZERO_TOKENS;
}

static char *
put(char *to, const char *bytes, size_t length)
{
	memcpy(to, bytes, length);
	return to + length;
}

static void
set_context(struct draft *draft)
{
	const struct {
		const char *name;
		struct bytes object;
	} parts[] = {{"\"attribution\":", draft->attribution}, {"\"engine\":", draft->engine}, {"\"trace\":", draft->trace}};
	size_t room = 2;
	char *text, *to;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].object.length > 0)
			room += strlen(parts[i].name) + parts[i].object.length + 1;
	if (room == 2)
		return;
	text = to = arena_take(draft->arena, room);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (parts[i].object.length == 0)
			continue;
		*to = to == text ? '{' : ',';
		to++;
		to = put(put(to, parts[i].name, strlen(parts[i].name)), parts[i].object.at, parts[i].object.length);
	}
	*to++ = '}';
	draft->event.context = (struct bytes){text, (size_t)(to - text)};
}
