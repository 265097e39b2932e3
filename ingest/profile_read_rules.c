/* profile_read_rules.c -- conditions, rules, names and the end of streams out of a description; see profile_reading.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/profile_reading.h"

enum { RULES_MOST = 64, TEXTS_MOST = 64, ENDS_MOST = 16 };

/* --- tests ------------------------------------------------------------------------------------- */

/* A text, a number, true or false as tests compare them: by JSON text. */
static bool
read_scalar(struct reading *reading, const char *where, const json_t *value, struct bytes *out)
{
	struct arena *arena = &reading->profile->arena;

	if (json_is_string(value))
		*out = (struct bytes){
		    arena_copy(arena, json_string_value(value), json_string_length(value)), json_string_length(value)};
	else if (json_is_integer(value))
		*out = bytes_of(arena_format(arena, "%lld", (long long)json_integer_value(value)));
	else if (json_is_boolean(value))
		*out = bytes_of(json_is_true(value) ? "true" : "false");
	else
		return reading_refuse(
		    reading, where, value, "this is compared with a text, a whole number, true or false, or a list of them");
	return true;
}

/* One of these or a list of them. */
static bool
read_scalars(struct reading *reading, const char *where, const json_t *value, struct test *out)
{
	size_t count = json_is_array(value) ? json_array_size(value) : 1;
	struct bytes *texts;

	if (json_is_array(value) && !reading_is_list(reading, where, value, TEXTS_MOST))
		return false;
	texts = arena_take(&reading->profile->arena, count * sizeof *texts);
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;
		char place[WHERE];

		if (!read_scalar(reading, json_is_array(value) ? reading_item(place, where, i) : where, one, &texts[i]))
			return false;
	}
	out->texts = texts;
	out->text_count = count;
	return true;
}

static bool
read_bound(struct reading *reading, const char *where, const json_t *value, struct test *out)
{
	if (!json_is_integer(value))
		return reading_refuse(reading, where, value, "the bound of a test is not a whole number");
	out->number = json_integer_value(value);
	return true;
}

/* {"not": TEST}: what is inside; a "not" of a "not" takes both away. */
static json_t *
unwrap_not(json_t *value, char where[WHERE], bool *negated)
{
	json_t *inside = json_object_get(value, "not");

	*negated = false;
	while (inside != NULL && json_object_size(value) == 1) {
		size_t used = strlen(where);

		snprintf(where + used, WHERE - used, ".not");
		*negated = !*negated;
		value = inside;
		inside = json_object_get(value, "not");
	}
	return value;
}

static bool
read_object_test(struct reading *reading, const char *where, json_t *value, struct test *out)
{
	json_t *begins = json_object_get(value, "begins"), *least = json_object_get(value, "at_least"),
	       *most = json_object_get(value, "at_most"), *present = json_object_get(value, "present");
	char place[WHERE];
	bool is_present;

	if (!READING_KEYS(reading, value, where, "not", "begins", "at_least", "at_most", "present"))
		return false;
	if (json_object_size(value) != 1)
		return reading_refuse(
		    reading, where, value, "a test is one of \"not\", \"begins\", \"at_least\", \"at_most\", \"present\"");
	if (begins != NULL) {
		out->kind = TEST_BEGINS;
		return read_scalars(reading, reading_member(place, where, "begins"), begins, out);
	}
	if (present != NULL) {
		out->kind = TEST_PRESENT;
		if (!reading_bool(reading, reading_member(place, where, "present"), present, true, &is_present))
			return false;
		out->negated = out->negated != !is_present;
		return true;
	}
	out->kind = least != NULL ? TEST_AT_LEAST : TEST_AT_MOST;
	return read_bound(
	    reading, reading_member(place, where, least != NULL ? "at_least" : "at_most"), least != NULL ? least : most, out);
}

static bool
read_test(struct reading *reading, const char *where, json_t *value, struct test *out)
{
	char place[WHERE];

	snprintf(place, sizeof place, "%s", where);
	value = unwrap_not(value, place, &out->negated);
	if (json_is_null(value)) {
		out->kind = TEST_NULL;
		return true;
	}
	if (json_is_string(value) && strcmp(json_string_value(value), "any") == 0) {
		out->kind = TEST_PRESENT;
		return true;
	}
	if (json_is_object(value))
		return read_object_test(reading, place, value, out);
	out->kind = TEST_EQUAL;
	return read_scalars(reading, place, value, out);
}

static bool
read_tested(struct reading *reading, const char *where, const char *path, const json_t *value, short *out)
{
	*out = strcmp(path, "$input") == 0 ? TESTED_INPUT : strcmp(path, "$output") == 0 ? TESTED_OUTPUT : TESTED_MODEL;
	if (*out != TESTED_MODEL || strcmp(path, "$model") == 0)
		return true;
	if (path[0] == '$') {
		reading_refuse(reading, where, value, "\"%s\" can not be tested", path);
		return error_hint(reading->err, "Beside paths there are $input and $output, the totals, and $model.");
	}
	if (path[0] == '\0')
		return reading_refuse(reading, where, value, "a test without a path");
	return reading_slot(reading, where, value, path, SLOT_VALUE, false, out);
}

/* {PATH: TEST, ...} */
static bool
read_condition(struct reading *reading, const char *where, json_t *value, struct condition *out)
{
	struct test *tests;
	const char *path;
	json_t *test;

	*out = (struct condition){0};
	if (!reading_is_object(reading, where, value))
		return false;
	tests = arena_take(&reading->profile->arena, json_object_size(value) * sizeof *tests);
	json_object_foreach(value, path, test)
	{
		char place[WHERE];

		reading_member(place, where, path);
		tests[out->count] = (struct test){0};
		if (!read_tested(reading, place, path, test, &tests[out->count].slot) ||
		    !read_test(reading, place, test, &tests[out->count]))
			return false;
		out->count++;
	}
	out->tests = tests;
	return true;
}

/* --- rules ------------------------------------------------------------------------------------- */

/* The rules made so far: "set" of several fields is a rule for each. */
struct rules {
	struct rule *items;
	size_t count, room;
};

static void
rules_add(struct reading *reading, struct rules *rules, const struct rule *rule)
{
	if (rules->count == rules->room) {
		size_t room = rules->room == 0 ? 8 : 2 * rules->room;
		struct rule *items = arena_take(&reading->profile->arena, room * sizeof *items);

		if (rules->count > 0)
			memcpy(items, rules->items, rules->count * sizeof *items);
		rules->items = items;
		rules->room = room;
	}
	rules->items[rules->count++] = *rule;
}

static bool
read_reason(struct reading *reading, const char *where, const json_t *value, bool ignored, enum reason *out)
{
	const char *code = json_string_value(value), *names[REASON_LIMIT];
	size_t count = 0;

	*out = code == NULL ? REASON_NONE : reason_find(code);
	if (*out != REASON_NONE && (reason_outcome(*out) == OUTCOME_IGNORED) == ignored &&
	    reason_outcome(*out) != OUTCOME_DUPLICATE)
		return true;
	for (int reason = REASON_NONE + 1; reason < REASON_LIMIT; reason++)
		if ((reason_outcome((enum reason)reason) == OUTCOME_IGNORED) == ignored)
			names[count++] = reason_code((enum reason)reason);
	reading_refuse(
	    reading, where, value, ignored ? "this is no reason to ignore a record" : "this is no reason to set a record aside");
	return document_suggest(reading->err, code == NULL ? "" : code, names, count);
}

static bool
read_sets(struct reading *reading, const char *where, json_t *value, struct rule *rule, struct rules *rules)
{
	const char *name;
	json_t *text;

	if (!reading_is_object(reading, where, value))
		return false;
	rule->kind = ACTION_SET;
	json_object_foreach(value, name, text)
	{
		char place[WHERE];

		reading_member(place, where, name);
		rule->field = reading_field(reading, place, name, text);
		if (rule->field == PROFILE_FIELDS)
			return false;
		if (rule->field == FIELD_ID || rule->field == FIELD_REVISES)
			return reading_refuse(reading, place, text, "one id for many records would make them one event");
		if (!reading_text(reading, place, text, &rule->text))
			return false;
		rules_add(reading, rules, rule);
	}
	return true;
}

/* {"gateway_cache": true} and {"partial": true}: saying that it is not so says nothing. */
static bool
read_true(struct reading *reading, const char *where, const json_t *value)
{
	return json_is_true(value) || reading_refuse(reading, where, value, "this can only be true");
}

static bool
read_action(struct reading *reading, const char *where, json_t *value, struct rule *rule, struct rules *rules)
{
	json_t *ignore = json_object_get(value, "ignore"), *aside = json_object_get(value, "set_aside"),
	       *set = json_object_get(value, "set"), *flag = json_object_get(value, "flag");
	char place[WHERE];
	bool fine;

	if (!reading_is_object(reading, where, value) ||
	    !READING_KEYS(reading, value, where, "ignore", "set_aside", "set", "flag", "gateway_cache", "partial"))
		return false;
	if (json_object_size(value) != 1)
		return reading_refuse(reading, where, value, "a rule does one thing; more rules may have the same condition");
	reading_member(place, where, json_object_iter_key(json_object_iter(value)));
	if (set != NULL)
		return read_sets(reading, place, set, rule, rules);
	if (ignore != NULL || aside != NULL) {
		rule->kind = ACTION_REASON;
		fine = read_reason(reading, place, ignore != NULL ? ignore : aside, ignore != NULL, &rule->reason);
	} else if (flag != NULL) {
		rule->kind = ACTION_FLAG;
		fine = reading_flag(reading, place, flag, &rule->flags);
	} else {
		rule->kind = json_object_get(value, "partial") != NULL ? ACTION_PARTIAL : ACTION_GATEWAY_CACHE;
		fine = read_true(reading, place, json_object_iter_value(json_object_iter(value)));
	}
	if (fine)
		rules_add(reading, rules, rule);
	return fine;
}

bool
reading_rules(struct reading *reading, json_t *value)
{
	struct rules rules = {0};

	if (value != NULL && !json_is_array(value))
		return reading_refuse(reading, "rules", value, "the rules are not a list");
	if (json_array_size(value) > RULES_MOST)
		return reading_refuse(reading, "rules", NULL, "more than %d rules", RULES_MOST);
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *item = json_array_get(value, i);
		char where[WHERE], place[WHERE];
		struct rule rule = {0};

		reading_item(where, "rules", i);
		if (!reading_is_object(reading, where, item) || !READING_KEYS(reading, item, where, "when", "then") ||
		    !read_condition(reading, reading_member(place, where, "when"), json_object_get(item, "when"), &rule.when) ||
		    !read_action(reading, reading_member(place, where, "then"), json_object_get(item, "then"), &rule, &rules))
			return false;
	}
	reading->profile->rules = rules.items;
	reading->profile->rule_count = rules.count;
	return true;
}

/* --- names ------------------------------------------------------------------------------------- */

static bool
optional_text(struct reading *reading, const char *where, json_t *object, const char *key, struct bytes *out)
{
	const json_t *value = json_object_get(object, key);
	char place[WHERE];

	*out = (struct bytes){"", 0};
	return value == NULL || reading_text(reading, reading_member(place, where, key), value, out);
}

static bool
read_cut(struct reading *reading, const char *where, json_t *object, const char *key, struct name_cut *out)
{
	json_t *value = json_object_get(object, key);
	char place[WHERE], first[WHERE];

	reading_member(place, where, key);
	out->stated = value != NULL;
	if (value == NULL)
		return true;
	if (!json_is_object(value))
		return reading_refuse(reading, place, value, "this is not an object with \"after\" and \"before\", or neither");
	return READING_KEYS(reading, value, place, "after", "before", "first") &&
	    reading_bool(reading, reading_member(first, place, "first"), json_object_get(value, "first"), false, &out->first) &&
	    optional_text(reading, place, value, "after", &out->after) &&
	    optional_text(reading, place, value, "before", &out->before);
}

static bool
read_name(struct reading *reading, const char *where, json_t *value, struct name_rule *out)
{
	return reading_is_object(reading, where, value) &&
	    READING_KEYS(reading, value, where, "begins", "contains", "base_model", "adapter", "adapter_kind") &&
	    optional_text(reading, where, value, "begins", &out->begins) &&
	    optional_text(reading, where, value, "contains", &out->contains) &&
	    read_cut(reading, where, value, "base_model", &out->base_model) &&
	    read_cut(reading, where, value, "adapter", &out->adapter) &&
	    optional_text(reading, where, value, "adapter_kind", &out->adapter_kind);
}

bool
reading_names(struct reading *reading, json_t *value)
{
	struct name_rule *names;
	size_t count = json_array_size(value);

	if (value != NULL && !json_is_array(value))
		return reading_refuse(reading, "names", value, "the names are not a list");
	names = arena_take(&reading->profile->arena, (count + 1) * sizeof *names);
	for (size_t i = 0; i < count; i++) {
		char where[WHERE];

		reading_item(where, "names", i);
		names[i] = (struct name_rule){0};
		if (!read_name(reading, where, json_array_get(value, i), &names[i]))
			return false;
	}
	reading->profile->names = names;
	reading->profile->name_count = count;
	return true;
}

bool
reading_adapters(struct reading *reading, json_t *value)
{
	const struct word *words;
	struct adapter_name *adapters;
	size_t count;

	if (!reading_words(reading, "adapters", value, false, &words, &count))
		return false;
	adapters = arena_take(&reading->profile->arena, (count + 1) * sizeof *adapters);
	for (size_t i = 0; i < count; i++)
		adapters[i] = (struct adapter_name){words[i].from, words[i].to};
	reading->profile->adapters = adapters;
	reading->profile->adapter_count = count;
	return true;
}

/* --- streams ----------------------------------------------------------------------------------- */

static bool
read_ends(struct reading *reading, const json_t *value)
{
	struct profile *profile = reading->profile;
	struct bytes *texts = arena_take(&profile->arena, ENDS_MOST * sizeof *texts);
	struct condition *when = arena_take(&profile->arena, ENDS_MOST * sizeof *when);

	if (!reading_is_list(reading, "stream.end", value, ENDS_MOST))
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *item = json_array_get(value, i);
		char where[WHERE];

		reading_item(where, "stream.end", i);
		if (json_is_object(item) ? !read_condition(reading, where, item, &when[profile->end_when_count])
					 : !reading_text(reading, where, item, &texts[profile->end_text_count]))
			return false;
		if (json_is_object(item))
			profile->end_when_count++;
		else
			profile->end_text_count++;
	}
	profile->end_texts = texts;
	profile->end_when = when;
	return true;
}

bool
reading_stream(struct reading *reading, json_t *value)
{
	const json_t *end = json_object_get(value, "end"), *choice = json_object_get(value, "choice");
	const char *path;

	reading->profile->stream_choice = NO_SLOT;
	if (value == NULL)
		return true;
	if (!json_is_object(value))
		return reading_refuse(reading, "stream", value, "this is not an object with \"end\", \"choice\" and \"falls\"");
	if (!READING_KEYS(reading, value, "stream", "end", "choice", "falls"))
		return false;
	if (choice != NULL &&
	    (!reading_path(reading, "stream.choice", choice, &path) ||
		!reading_slot(reading, "stream.choice", choice, path, SLOT_VALUE, false, &reading->profile->stream_choice)))
		return false;
	return reading_bool(reading, "stream.falls", json_object_get(value, "falls"), false, &reading->profile->falls) &&
	    (end == NULL || read_ends(reading, end));
}
