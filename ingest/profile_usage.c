/* profile_usage.c -- the quantities of an event: tokens by the algebra, and what is counted beside them. */
#include "ingest/json_fault.h"
#include "ingest/profile_making.h"
#include "ingest/quantity.h"

static bool
is_call(enum meter_id meter)
{
	return meter == METER_requests || meter == METER_gateway_cache_hits || meter == METER_web_search_calls ||
	    meter == METER_web_fetch_calls || meter == METER_code_execution_calls || meter == METER_file_search_calls ||
	    meter == METER_tool_calls;
}

static bool
must_tell_tokens(const struct profile *profile)
{
	for (int part = 0; part < PROFILE_PARTS; part++)
		if (profile->parts[part].relation != RELATION_NONE && profile->parts[part].absent == ABSENT_FAULT)
			return true;
	return false;
}

/* Measured in decimals: a JSON number or a text; neither is read through a double. */
static bool
read_measure(struct making *making, const struct meter *meter, short slot, const struct values *values, int64_t *out)
{
	const char *path = making->profile->slots[slot].path;
	struct json_value value = values->value[slot];
	enum reason reason;

	if ((values->conflict[slot / 64] >> (slot % 64) & 1) != 0)
		return profile_count(making->profile, &making->draft, slot, values, out);
	if (value.type != VALUE_NUMBER && value.type != VALUE_STRING)
		reason = E_TYPE;
	else if (value.text.length > 0 && value.text.at[0] == '-' && is_json_number(value.text))
		reason = count_parse(value.text, out) == REASON_NONE ? REASON_NONE : E_NEGATIVE;
	else
		reason = measure_parse(value.text, meter->decimals, out);
	if (reason == REASON_NONE)
		return true;
	draft_fault(&making->draft, reason, path, json_value_shown(&value));
	return false;
}

static bool
read_quantity(struct making *making, const struct meter *meter, short slot, const struct values *values, int64_t *out)
{
	if (meter->decimals == 0)
		return profile_count(making->profile, &making->draft, slot, values, out);
	if (making->profile->slots[slot].kind != SLOT_COUNT)
		return read_measure(making, meter, slot, values, out);
	*out = (int64_t)(values->count[slot] * (int64_t)meter_scale(meter));
	return true;
}

/* What does not count of what was counted, which is a part of it. */
static int64_t
left_out(const struct count_source *count, const struct values *values)
{
	int64_t sum = 0;

	for (int i = 0; i < count->less.count; i++)
		if (value_is_set(values, count->less.slot[i]))
			sum += values->count[count->less.slot[i]];
	return sum;
}

/* Some senders write {} for what is not set. */
static bool
is_empty_object(const struct json_value *value)
{
	const char *at = value->text.at;

	if (value->type != VALUE_OBJECT)
		return false;
	do
		at++;
	while (bytes_are_blank(at, 1));
	return *at == '}';
}

/* A count at several paths, which must say the same.  False where it is nowhere, or with a fault. */
static bool
read_count(struct making *making, const struct count_source *count, const struct values *values, int64_t *out, short *taken)
{
	const struct meter *meter = meter_of((int)count->meter);
	int64_t quantity;

	*taken = NO_SLOT;
	for (int i = 0; i < count->paths.count; i++) {
		short slot = count->paths.slot[i];

		if (!value_is_set(values, slot) || (meter->decimals > 0 && is_empty_object(&values->value[slot])))
			continue;
		if (!read_quantity(making, meter, slot, values, &quantity))
			return false;
		if (count->less.count > 0)
			quantity -= left_out(count, values) * (int64_t)meter_scale(meter);
		if (*taken == NO_SLOT) {
			*taken = slot;
			*out = quantity;
			if ((count->paths.deprecated >> i & 1) != 0)
				making->draft.event.flags |= F_DEPRECATED_FIELD;
		} else if (quantity != *out) {
			draft_fault_words(&making->draft, E_DETAIL_CONFLICT, making->profile->slots[slot].path,
			    arena_format(making->arena, "another value than %s", making->profile->slots[*taken].path));
			return false;
		}
	}
	return *taken != NO_SLOT;
}

static void
set_count(struct making *making, enum meter_id meter, int64_t quantity, const char *from)
{
	char shown[DECIMAL_TEXT];

	draft_set(&making->draft, meter, quantity);
	if (making->explanation == NULL)
		return;
	meter_format(meter_of((int)meter), quantity, shown);
	explain_text(making, meter_of((int)meter)->name, bytes_of(shown), from);
}

/* Meters beside tokens.  True where one of them is usage by itself: calls of tools are, only where no tokens must be told. */
static bool
fill_counts(struct making *making)
{
	const struct profile *profile = making->profile;
	bool alone = false;

	for (size_t i = 0; i < profile->count_count; i++) {
		const struct count_source *count = &profile->counts[i];
		int64_t quantity;
		short slot;

		/* What an answer says once, beside its passes, is of the first of them. */
		if (!(making->item != NULL && read_count(making, count, making->item, &quantity, &slot)) &&
		    !(making->iteration <= 0 && read_count(making, count, making->values, &quantity, &slot)))
			continue;
		if (quantity < 0)
			draft_fault_words(
			    &making->draft, E_DETAIL_SUM, profile->slots[slot].path, "fewer than what does not count of them");
		else if (quantity > 0 || count->meter == METER_requests)
			set_count(making, count->meter, quantity, profile->slots[slot].path);
		if ((!is_call(count->meter) && profile->slots[slot].kind != SLOT_COUNT) || !must_tell_tokens(profile))
			alone = true;
	}
	return alone;
}

/* Of several requests together nobody knows how large each one was. */
static void
forget_context(struct draft *draft)
{
	if ((draft->meters >> METER_requests & 1) == 0 || draft->quantity[METER_requests] <= 1)
		return;
	draft->no_context = true;
	draft->event.context_input_tokens = -1;
}

static void
fill_requests(struct making *making)
{
	bool is_told = (making->draft.meters >> METER_requests & 1) != 0;

	if (is_told || making->iteration > 0 || making->profile->requests == 0)
		return;
	set_count(making, METER_requests, making->profile->requests, "one event");
}

/* Nothing was asked of a model: what the answer was once charged for is not used again. */
static void
fill_gateway_cache(struct making *making)
{
	if (making->profile->requests > 0)
		set_count(making, METER_requests, making->profile->requests, "one event");
	set_count(making, METER_gateway_cache_hits, 1, "an answer of the gateway's own");
}

void
fill_usage(struct making *making)
{
	struct draft *draft = &making->draft;
	const struct values *values = making->item != NULL ? making->item : making->values;
	bool told, alone;

	/* A rule has told the fault; that of the missing counts must not take its place. */
	if (making->set_aside) {
		draft->has_usage = true;
		return;
	}
	if (making->gateway_cache) {
		fill_gateway_cache(making);
		return;
	}
	told = profile_algebra(making->profile, values, draft, making->explanation);
	alone = fill_counts(making);
	if (told || alone) {
		draft->has_usage = true;
		fill_requests(making);
		forget_context(draft);
		/* An event says something, if only that there was nothing. */
		if (draft->meters == 0)
			set_count(making, METER_requests, 0, "nothing was counted");
	} else {
		draft->has_usage = false;
		draft->meters = 0;
	}
}
