/* profile_time.c -- an event's time, as a profile declares it: a text, or a number of a unit, with or without a duration. */
#include <string.h>

#include "ingest/profile_making.h"

enum {
	WHOLE_DIGITS = 19, /* nanoseconds of the year 2262 */
	DIGITS_MOST = WHOLE_DIGITS + 9,
	FRACTION_DIGITS = 9,
	EXPONENT_MOST = 64,
	TEXT_MOST = 64, /* of a time's text */
};

#define NS_OF_SECOND INT64_C(1000000000)
#define DAY_US (INT64_C(86400) * 1000000)
/* Midnight of 1 January 2020. */
#define FIRST_US (INT64_C(18262) * DAY_US)
/* Midnight of 1 January 10000, which RFC 3339 cannot say. */
#define END_US INT64_C(253402300800000000)

/* A number as what stands before its point and behind it: as many digits as a nanosecond of any unit needs, none rounded. */
struct fixed {
	bool negative;
	bool is_too_large;
	int64_t whole;
	int64_t billionths;
};

/* The digits of a number, without its point; how many stand before that. */
struct digits {
	char digit[DIGITS_MOST];
	int count, point;
};

/* Reads an exponent behind its "e"; what is beyond any time stays beyond. */
static int
read_exponent(const char *at, const char *end)
{
	bool negative = at < end && *at == '-';
	int exponent = 0;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	for (; at < end; at++)
		if (exponent < EXPONENT_MOST)
			exponent = exponent * 10 + (*at - '0');
	return negative ? -exponent : exponent;
}

static void
read_digits(const char *at, const char *end, struct digits *out)
{
	int all = 0;

	out->count = 0;
	out->point = -1;
	for (; at < end && *at != 'e' && *at != 'E'; at++)
		if (*at == '.')
			out->point = all;
		else if (all++ < DIGITS_MOST)
			out->digit[out->count++] = *at;
	if (out->point < 0)
		out->point = all;
	if (at < end)
		out->point += read_exponent(at + 1, end);
}

static int
digit_at(const struct digits *digits, int place)
{
	return place >= 0 && place < digits->count ? digits->digit[place] - '0' : 0;
}

/* `number` is a JSON number. */
static struct fixed
read_fixed(struct bytes number)
{
	struct fixed fixed = {.negative = number.at[0] == '-'};
	struct digits digits;

	read_digits(number.at + fixed.negative, number.at + number.length, &digits);
	fixed.is_too_large = digits.point > WHOLE_DIGITS;
	for (int place = 0; place < digits.point && !fixed.is_too_large; place++)
		fixed.is_too_large = __builtin_mul_overflow(fixed.whole, 10, &fixed.whole) ||
		    __builtin_add_overflow(fixed.whole, digit_at(&digits, place), &fixed.whole);
	for (int place = digits.point; place < digits.point + FRACTION_DIGITS; place++)
		fixed.billionths = fixed.billionths * 10 + digit_at(&digits, place);
	return fixed;
}

/* Microseconds, cut.  `unit_ns`: nanoseconds of the unit, a power of 1000.  False where they are more than any time has. */
static bool
microseconds(const struct fixed *fixed, int64_t unit_ns, int64_t *out)
{
	int64_t unit_us = unit_ns / 1000, us = fixed->whole / 1000;

	if (fixed->is_too_large || (unit_us > 0 && __builtin_mul_overflow(fixed->whole, unit_us, &us)) || us >= END_US)
		return false;
	us += fixed->billionths * unit_us / NS_OF_SECOND;
	*out = fixed->negative ? -us : us;
	return true;
}

static bool
is_current(const struct draft *draft, const struct fixed *fixed, int64_t unit_ns)
{
	int64_t us;

	return microseconds(fixed, unit_ns, &us) && us >= FIRST_US && us <= draft->rules->now.us + DAY_US;
}

/* A number that is no time of this unit, but would be one of another. */
static bool
is_another_unit(const struct draft *draft, const struct fixed *fixed, int64_t unit_ns)
{
	if (is_current(draft, fixed, unit_ns))
		return false;
	for (int64_t other = 1; other <= NS_OF_SECOND; other *= 1000)
		if (is_current(draft, fixed, other))
			return true;
	return false;
}

/* A number, or a text that is one. */
static bool
is_number(const struct json_value *value)
{
	return value->type == VALUE_NUMBER || (value->type == VALUE_STRING && is_json_number(value->text));
}

/* RFC 3339, with a blank for the T as well, and without an offset where the profile says whose time it is. */
static enum instant_result
parse_text(const struct field_source *source, struct bytes text, struct instant *out)
{
	char copy[TEXT_MOST];
	enum instant_result result;

	if (text.length > sizeof copy)
		return INSTANT_FORMAT;
	memcpy(copy, text.at, text.length);
	if (text.length > 10 && copy[10] == ' ')
		copy[10] = 'T';
	result = instant_parse(copy, text.length, FIRST_YEAR, out);
	if (result == INSTANT_NO_ZONE && source->has_zone)
		result = instant_parse_local(copy, text.length, source->zone_minutes, FIRST_YEAR, out);
	return result;
}

/* What became of a time: an instant_result, or E_TIME_UNIT. */
struct parsed_time {
	enum instant_result result;
	bool is_another_unit;
	struct instant time;
};

static struct parsed_time
parse_units(const struct draft *draft, const struct field_source *source, const struct json_value *value)
{
	struct parsed_time parsed = {.result = INSTANT_RANGE};
	struct fixed fixed;

	if (!is_number(value)) {
		parsed.result = INSTANT_FORMAT;
		return parsed;
	}
	fixed = read_fixed(value->text);
	parsed.is_another_unit = is_another_unit(draft, &fixed, source->unit_ns);
	if (microseconds(&fixed, source->unit_ns, &parsed.time.us) && parsed.time.us >= FIRST_US)
		parsed.result = INSTANT_OK;
	return parsed;
}

static struct parsed_time
parse_time(const struct draft *draft, const struct field_source *source, const struct json_value *value)
{
	struct parsed_time parsed = {.result = INSTANT_FORMAT};

	if (source->time == TIME_UNITS)
		return parse_units(draft, source, value);
	if (value->type == VALUE_STRING)
		parsed.result = parse_text(source, value->text, &parsed.time);
	return parsed;
}

/* Adds the duration, where one is told.  False where it is none; *field is its path. */
static bool
add_duration(
    const struct making *making, const struct field_source *source, struct instant *time, const char **field, struct bytes *shown)
{
	for (int i = 0; i < source->plus.count; i++) {
		short slot = source->plus.slot[i];
		const struct json_value *value = &making->values->value[slot];
		struct fixed fixed;
		int64_t us;

		if (!value_is_set(making->values, slot))
			continue;
		*field = making->profile->slots[slot].path;
		*shown = json_value_shown(value);
		if (!is_number(value))
			return false;
		fixed = read_fixed(value->text);
		if (fixed.negative || !microseconds(&fixed, source->plus_unit_ns, &us) || time->us + us >= END_US)
			return false;
		time->us += us;
		break;
	}
	return true;
}

/* Texts of rules, constants and attributes are ours: RFC 3339, whatever the payload's are. */
static struct parsed_time
parse_said(const struct making *making, const struct field_source *source, const struct said *said)
{
	static const struct field_source ours = {.time = TIME_TEXT};

	return parse_time(&making->draft, said->is_ours ? &ours : source, &said->value);
}

static void
explain_instant(const struct making *making, const char *name, struct instant time, const char *from)
{
	char shown[INSTANT_TEXT];

	if (making->explanation == NULL)
		return;
	instant_format(time, shown);
	explain_text(making, name, bytes_of(shown), from);
}

static void
fill_said_time(struct making *making, const struct said *said)
{
	const struct field_source *source = &making->profile->fields[FIELD_TIME];
	struct draft *draft = &making->draft;
	struct parsed_time parsed = parse_said(making, source, said);
	struct bytes shown = json_value_shown(&said->value);
	const char *field = said->field, *from = said->from;

	making->names->time = said->field;
	if (parsed.is_another_unit) {
		draft_fault(draft, E_TIME_UNIT, said->field, shown);
		return;
	}
	if ((parsed.result == INSTANT_OK || parsed.result == INSTANT_LEAP) && !said->is_ours) {
		if (!add_duration(making, source, &parsed.time, &field, &shown)) {
			draft_fault(draft, E_TIME_FORMAT, field, shown);
			return;
		}
		if (making->explanation != NULL && field != said->field)
			from = arena_format(making->arena, "%s + %s", from, field);
	}
	draft_time_parsed(draft, said->field, shown, parsed.result, parsed.time);
	if (draft->has_time)
		explain_instant(making, "time", parsed.time, from);
}

static void
explain_start(struct making *making)
{
	const struct field_source *source = &making->profile->fields[FIELD_STARTED_AT];
	struct parsed_time parsed;
	struct said said;

	if (!said_of(making, FIELD_STARTED_AT, &said))
		return;
	parsed = parse_said(making, source, &said);
	if (!parsed.is_another_unit && parsed.result == INSTANT_OK)
		explain_instant(making, "started_at", parsed.time, said.from);
}

static void
fault_no_time(struct making *making)
{
	const struct profile *profile = making->profile;
	const char *words = "";

	if (!making->envelope->is_event && profile->fields[FIELD_TIME].paths.count == 0)
		words = arena_format(making->arena,
		    "%s has no time of its own: name one with --field time=PATH, or capture in a CloudEvent", profile->name);
	draft_fault_words(&making->draft, E_TIME_MISSING, making->names->time, words);
}

void
fill_time(struct making *making)
{
	struct said said;

	if (said_by_envelope(making, HEADER_TIME, &said)) {
		making->names->time = said.field;
		draft_time(&making->draft, said.field, &said.value);
		if (making->draft.has_time)
			explain_instant(making, "time", making->draft.event.time, said.from);
	} else if (said_of(making, FIELD_TIME, &said)) {
		fill_said_time(making, &said);
	} else {
		making->names->time = field_place(making, FIELD_TIME);
		fault_no_time(making);
	}
	if (making->explanation != NULL)
		explain_start(making);
}
