/* profile_rules.c -- conditions of a profile, and what its rules do. */
#include <string.h>

#include "ingest/profile_making.h"
#include "ingest/quantity.h"

/* What a test looks at. */
struct looked_at {
	bool set;
	struct json_value value;
	char digits[DECIMAL_TEXT]; /* of a number that was computed: value.text points here */
};

static void
set_number(struct looked_at *out, int64_t number)
{
	char *end = out->digits + sizeof out->digits, *at = end;

	must(number >= 0);
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	out->set = true;
	out->value = (struct json_value){VALUE_NUMBER, {at, (size_t)(end - at)}};
}

/* A count of any spelling; false where it is none. */
static bool
read_count(const struct profile *profile, const struct json_value *value, int64_t *out)
{
	bool is_number =
	    value->type == VALUE_NUMBER || (profile->number_texts && value->type == VALUE_STRING && is_json_number(value->text));

	return is_number && count_parse(value->text, out) == REASON_NONE;
}

static short
taken_slot(const struct paths *paths, const struct values *values)
{
	for (int i = 0; i < paths->count; i++)
		if (value_is_set(values, paths->slot[i]))
			return paths->slot[i];
	return NO_SLOT;
}

/* An aggregate stands for its split where both are told. */
static bool
is_told_by_another(const struct profile *profile, const struct values *values, enum profile_part part)
{
	enum profile_part aggregate = PROFILE_PARTS;

	if (part == PART_CACHE_WRITE_5M || part == PART_CACHE_WRITE_30M || part == PART_CACHE_WRITE_1H)
		aggregate = PART_CACHE_WRITE;
	else if (part >= PART_TEXT_CACHE_READ && part <= PART_VIDEO_CACHE_READ)
		aggregate = PART_CACHE_READ;
	return aggregate != PROFILE_PARTS && taken_slot(&profile->parts[aggregate].paths, values) != NO_SLOT;
}

/* The total of a side with what is beside it. */
static void
look_at_side(const struct profile *profile, const struct values *values, enum meter_side side, struct looked_at *out)
{
	enum profile_part first = side == METER_SIDE_INPUT ? PART_INPUT_TOTAL : PART_OUTPUT_TOTAL;
	enum profile_part end = side == METER_SIDE_INPUT ? PART_OUTPUT_TOTAL : PROFILE_PARTS;
	int64_t sum = 0;

	for (enum profile_part part = first; part < end; part++) {
		const struct part_source *source = &profile->parts[part];
		int64_t count;
		short slot;

		if (part == first ? source->relation == RELATION_NONE : source->relation != RELATION_BESIDE)
			continue;
		slot = taken_slot(&source->paths, values);
		if (slot == NO_SLOT || is_told_by_another(profile, values, part))
			continue;
		if (!read_count(profile, &values->value[slot], &count)) {
			out->set = true;
			out->value = values->value[slot];
			return;
		}
		sum += count;
		out->set = true;
	}
	if (out->set)
		set_number(out, sum);
}

/* `making` is NULL where there is no event yet, and so no model. */
static void
look(const struct test *test, const struct profile *profile, const struct values *values, struct making *making,
    struct looked_at *out)
{
	struct said model;

	out->set = false;
	if (test->slot == TESTED_MODEL) {
		out->set = making != NULL && said_of(making, FIELD_MODEL, &model);
		if (out->set)
			out->value = model.value;
	} else if (test->slot == TESTED_INPUT) {
		look_at_side(profile, values, METER_SIDE_INPUT, out);
	} else if (test->slot == TESTED_OUTPUT) {
		look_at_side(profile, values, METER_SIDE_OUTPUT, out);
	} else if (value_is_set(values, test->slot)) {
		if (profile->slots[test->slot].kind == SLOT_COUNT) {
			set_number(out, values->count[test->slot]);
		} else {
			out->set = true;
			out->value = values->value[test->slot];
		}
	}
}

static struct bytes
compared_text(const struct json_value *value)
{
	return value->type == VALUE_ARRAY || value->type == VALUE_OBJECT ? (struct bytes){NULL, 0} : json_value_shown(value);
}

static bool
is_any(const struct test *test, struct bytes text)
{
	for (size_t i = 0; i < test->text_count; i++) {
		struct bytes wanted = test->texts[i];

		if ((test->kind == TEST_BEGINS ? wanted.length <= text.length : wanted.length == text.length) &&
		    (wanted.length == 0 || memcmp(wanted.at, text.at, wanted.length) == 0))
			return true;
	}
	return false;
}

/* A whole number, below zero too: codes and states may be. */
static bool
read_whole(const struct profile *profile, const struct json_value *value, int64_t *out)
{
	struct json_value positive = *value;
	bool negative =
	    value->text.length > 1 && (value->type == VALUE_NUMBER || value->type == VALUE_STRING) && value->text.at[0] == '-';

	if (negative)
		positive.text = (struct bytes){value->text.at + 1, value->text.length - 1};
	if (!read_count(profile, &positive, out))
		return false;
	*out = negative ? -*out : *out;
	return true;
}

static bool
test_holds(const struct test *test, const struct profile *profile, const struct values *values, struct making *making)
{
	struct looked_at seen;
	int64_t number;

	look(test, profile, values, making, &seen);
	switch (test->kind) {
	case TEST_NULL:
		return !seen.set;
	case TEST_PRESENT:
		return seen.set;
	case TEST_EQUAL:
		return seen.set && is_any(test, compared_text(&seen.value));
	case TEST_BEGINS:
		return seen.set && seen.value.type == VALUE_STRING && is_any(test, seen.value.text);
	case TEST_AT_LEAST:
		return seen.set && read_whole(profile, &seen.value, &number) && number >= test->number;
	case TEST_AT_MOST:
		return seen.set && read_whole(profile, &seen.value, &number) && number <= test->number;
	}
	return false;
}

static bool
condition_holds(
    const struct condition *condition, const struct profile *profile, const struct values *values, struct making *making)
{
	for (size_t i = 0; i < condition->count; i++)
		if (test_holds(&condition->tests[i], profile, values, making) == condition->tests[i].negated)
			return false;
	return true;
}

bool
profile_holds(const struct condition *condition, const struct profile *profile, const struct values *values)
{
	return condition_holds(condition, profile, values, NULL);
}

static const char *
first_path(const struct profile *profile, const struct paths *paths)
{
	return paths->count > 0 ? profile->slots[paths->slot[0]].path : "";
}

/* What the first test looked at names the fault. */
static void
fault_by_rule(struct making *making, const struct rule *rule)
{
	const struct profile *profile = making->profile;
	struct bytes value = {NULL, 0};
	const char *field = "";
	struct looked_at seen;

	if (rule->when.count > 0) {
		const struct test *first = &rule->when.tests[0];

		field = first->slot == TESTED_INPUT ? first_path(profile, &profile->parts[PART_INPUT_TOTAL].paths)
		    : first->slot == TESTED_OUTPUT  ? first_path(profile, &profile->parts[PART_OUTPUT_TOTAL].paths)
		    : first->slot == TESTED_MODEL   ? field_place(making, FIELD_MODEL)
						    : profile->slots[first->slot].path;
		look(first, profile, making->values, making, &seen);
		if (seen.set)
			value = bytes_of(
			    arena_copy(making->arena, json_value_shown(&seen.value).at, json_value_shown(&seen.value).length));
	}
	draft_fault(&making->draft, rule->reason, field, value);
}

bool
follow_rules(struct making *making)
{
	const struct profile *profile = making->profile;

	for (size_t i = 0; i < profile->rule_count; i++) {
		const struct rule *rule = &profile->rules[i];

		if (!condition_holds(&rule->when, profile, making->values, making))
			continue;
		switch (rule->kind) {
		case ACTION_REASON:
			fault_by_rule(making, rule);
			if (reason_outcome(rule->reason) == OUTCOME_IGNORED)
				return false;
			/* A person may have waived it; then the record is read on. */
			making->set_aside = rule->reason != making->draft.rules->waived;
			if (making->set_aside)
				return true;
			break;
		case ACTION_SET:
			if ((making->ruled >> rule->field & 1) == 0)
				making->set[rule->field] = rule->text;
			making->ruled |= UINT64_C(1) << rule->field;
			break;
		case ACTION_FLAG:
			making->draft.event.flags |= rule->flags;
			break;
		case ACTION_GATEWAY_CACHE:
			making->gateway_cache = true;
			break;
		case ACTION_PARTIAL:
			making->draft.event.flags |= F_PARTIAL;
			break;
		}
	}
	return true;
}
