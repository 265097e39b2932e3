/*
 * price_book_check_match.c -- see price_book_check.h: rules, aliases and tiers that are never chosen, patterns that are traps.
 *
 * Only rules that a single other one covers are found, not those that several cover together.
 */
#include <stdlib.h>
#include <string.h>

#include "rating/price_book_check.h"

enum { BLOWS_UP_SOON = 30, BLOWS_UP = 200, PUMPS_MAX = 32 };

/* --- names and patterns ---------------------------------------------------------------------- */

/* The one text that a pattern without special characters matches; false for any other pattern. */
static bool
literal_of(const char *pattern, char out[PRICE_NAME_BYTES + 1])
{
	size_t length = 0;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (strchr("^$.[|()?*+{", *at) != NULL)
			return false;
		if (*at == '\\') {
			/* A backslash makes a literal of punctuation only. */
			at++;
			if (*at == '\0' || strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *at) == NULL)
				return false;
		}
		must(length < PRICE_NAME_BYTES);
		out[length++] = *at;
	}
	out[length] = '\0';
	return true;
}

void
check_literals(struct inspection *inspection)
{
	const struct price_book *book = inspection->book;
	char literal[PRICE_NAME_BYTES + 1];

	inspection->literal = memory_new(book->count, sizeof *inspection->literal);
	inspection->undecided = memory_new(book->count, sizeof *inspection->undecided);
	for (size_t rule = 0; rule < book->count; rule++)
		if (book->rules[rule].pattern != NULL && literal_of(book->rules[rule].pattern_text, literal))
			inspection->literal[rule] = arena_copy(&inspection->arena, literal, strlen(literal));
}

static bool
is_for_everything(const char *pattern_text)
{
	return strcmp(pattern_text, ".*") == 0 || strcmp(pattern_text, ".+") == 0;
}

static bool
pattern_says(const struct pattern *pattern, const char *name, enum pattern_answer answer)
{
	return pattern_match(pattern, name, strlen(name)) == answer;
}

bool
takes_model(const struct price_rule *rule, const char *name)
{
	if (rule->value[MATCH_MODEL] != NULL)
		return strcmp(rule->value[MATCH_MODEL], "*") == 0 || strcmp(rule->value[MATCH_MODEL], name) == 0;
	return rule->pattern == NULL || !pattern_says(rule->pattern, name, PATTERN_NO);
}

/* --- rules that are never chosen ------------------------------------------------------------- */

static bool
is_exact(const struct price_rule *rule)
{
	return rule->value[MATCH_MODEL] != NULL;
}

static bool
is_asked_before(const struct price_book *book, size_t one, size_t other)
{
	bool exact = is_exact(&book->rules[one]), other_exact = is_exact(&book->rules[other]);

	return exact == other_exact ? one < other : exact;
}

static bool
rule_takes(const struct inspection *inspection, size_t rule, const char *name)
{
	enum pattern_answer answer;

	if (inspection->literal[rule] != NULL)
		return strcmp(inspection->literal[rule], name) == 0;
	if (inspection->undecided[rule])
		return false;
	answer = pattern_match(inspection->book->rules[rule].pattern, name, strlen(name));
	inspection->undecided[rule] = answer == PATTERN_LIMIT;
	return answer == PATTERN_YES;
}

/* True where every model that the second rule is for is one that the first is for. */
static bool
covers_models(const struct inspection *inspection, size_t first, size_t second)
{
	const struct price_rule *one = &inspection->book->rules[first], *other = &inspection->book->rules[second];
	const char *literal = inspection->literal[second];

	if (is_exact(one) && strcmp(one->value[MATCH_MODEL], "*") == 0)
		return true;
	if (is_exact(other))
		return is_exact(one) && strcmp(one->value[MATCH_MODEL], other->value[MATCH_MODEL]) == 0;
	if (!is_exact(one) &&
	    (one->pattern == NULL || is_for_everything(one->pattern_text) ||
		(other->pattern != NULL && strcmp(one->pattern_text, other->pattern_text) == 0)))
		return true;
	if (literal == NULL)
		return false;
	return is_exact(one) ? strcmp(one->value[MATCH_MODEL], literal) == 0 : rule_takes(inspection, first, literal);
}

static bool
covers_base_models(const struct price_rule *one, const struct price_rule *other)
{
	const char *name = one->value[MATCH_BASE_MODEL], *other_name = other->value[MATCH_BASE_MODEL];

	if (name == NULL && one->base_pattern == NULL)
		return true;
	if (name != NULL && strcmp(name, "*") == 0)
		return other_name != NULL || (other->base_pattern != NULL && pattern_says(other->base_pattern, "", PATTERN_NO));
	if (other_name != NULL && strcmp(other_name, "*") != 0)
		return name != NULL ? strcmp(name, other_name) == 0 : pattern_says(one->base_pattern, other_name, PATTERN_YES);
	if (name != NULL)
		return false;
	return strcmp(one->base_pattern_text, ".*") == 0 ||
	    (other->base_pattern != NULL && strcmp(one->base_pattern_text, other->base_pattern_text) == 0);
}

static bool
covers_tags(const struct price_rule *one, const struct price_rule *other)
{
	for (size_t i = 0; i < one->tags; i++) {
		bool found = false;

		for (size_t j = 0; j < other->tags && !found; j++)
			found = strcmp(one->tag[i].key, other->tag[j].key) == 0 &&
			    strcmp(one->tag[i].value, other->tag[j].value) == 0;
		if (!found)
			return false;
	}
	return true;
}

static bool
covers_field(const struct price_rule *one, const struct price_rule *other, size_t field)
{
	const char *wanted = one->value[field], *others = other->value[field];

	if (wanted == NULL)
		return true;
	return others != NULL && (strcmp(wanted, "*") == 0 || strcmp(wanted, others) == 0);
}

/* The same for everything but the model. */
static bool
covers_rest(const struct price_rule *one, const struct price_rule *other)
{
	for (size_t field = MATCH_SERVICE_TIER; field < MATCH_FIELDS; field++)
		if (!covers_field(one, other, field))
			return false;
	return covers_tags(one, other) && covers_base_models(one, other);
}

static bool
is_same_text(const char *one, const char *other)
{
	return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

bool
is_same_but_tier(const struct price_rule *one, const struct price_rule *other)
{
	for (size_t field = 0; field < MATCH_FIELDS; field++)
		if (field != MATCH_SERVICE_TIER && !is_same_text(one->value[field], other->value[field]))
			return false;
	return is_same_text(one->pattern_text, other->pattern_text) &&
	    is_same_text(one->base_pattern_text, other->base_pattern_text) && covers_tags(one, other) && covers_tags(other, one);
}

/* The rule that takes all that this one is for; `count` where there is none. */
static size_t
rule_before(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *rules = inspection->book->rules;
	size_t i = 0;

	while (i < inspection->book->count &&
	    !(is_asked_before(inspection->book, i, rule) && covers_models(inspection, i, rule) &&
		covers_rest(&rules[i], &rules[rule])))
		i++;
	return i;
}

void
check_reach(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *rules = inspection->book->rules, *other = &rules[rule];
	size_t before = rule_before(inspection, rule);
	const char *model = other->value[MATCH_MODEL], *alias;
	char path[32];

	snprintf(path, sizeof path, "rules[%zu]", rule);
	if (before < inspection->book->count) {
		if (is_exact(other) && is_same_but_tier(&rules[before], other) &&
		    strcmp(rules[before].value[MATCH_SERVICE_TIER], other->value[MATCH_SERVICE_TIER]) == 0)
			inspection_tell(
			    inspection, true, path, "for the same usage as rules[%zu], which is the one that is chosen", before);
		else
			inspection_tell(inspection, true, path,
			    "never chosen: rules[%zu] is asked before and matches whatever this one does", before);
		return;
	}
	model = is_exact(other) ? model : inspection->literal[rule];
	if (model == NULL)
		return;
	alias = price_book_alias(inspection->book, model);
	if (strcmp(alias, model) != 0)
		inspection_tell(
		    inspection, true, path, "never chosen: %s is an alias, and such usage is matched as %s", model, alias);
}

/* --- patterns that take too much or too long --------------------------------------------------- */

/* Names that nobody gave to a model. */
static const char *const improbable[] = {"zz-unheard-of/model_7:Q", "9", "\xe5\x90\x8d"};

/* True where a pattern seems to match whatever it is asked. */
static bool
seems_for_everything(const struct pattern *pattern)
{
	for (size_t i = 0; i < sizeof improbable / sizeof improbable[0]; i++)
		if (!pattern_says(pattern, improbable[i], PATTERN_YES))
			return false;
	return true;
}

/* A pattern for everything hides what is asked behind it; `.*` and `.+` are found as such by the rules that they hide. */
static void
check_catch_all(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *rules = inspection->book->rules;
	char path[CHECK_PATH];

	if (rules[rule].pattern == NULL || is_for_everything(rules[rule].pattern_text) || inspection->literal[rule] != NULL ||
	    inspection->undecided[rule] || !seems_for_everything(rules[rule].pattern))
		return;
	for (size_t i = rule + 1; i < inspection->book->count; i++)
		if (!is_exact(&rules[i]) && covers_rest(&rules[rule], &rules[i]) && !covers_models(inspection, rule, i)) {
			snprintf(path, sizeof path, "rules[%zu].model_pattern", rule);
			inspection_tell(inspection, false, path,
			    "seems to match every name: rules[%zu] behind it is never chosen then; put it last", i);
			return;
		}
}

/* Texts that a pattern may go round in: what stands in it literally, one by one and in runs. */
struct pumps {
	char text[PUMPS_MAX][PRICE_NAME_BYTES + 1];
	size_t count;
	char prefix[PRICE_NAME_BYTES + 1]; /* what every match begins with */
	char all[PRICE_NAME_BYTES + 1];    /* every literal, one behind the other */
};

static void
add_pump(struct pumps *pumps, const char *text, size_t length)
{
	if (length == 0 || pumps->count == PUMPS_MAX)
		return;
	for (size_t i = 0; i < pumps->count; i++)
		if (strlen(pumps->text[i]) == length && memcmp(pumps->text[i], text, length) == 0)
			return;
	memcpy(pumps->text[pumps->count], text, length);
	pumps->text[pumps->count++][length] = '\0';
}

/* The literal that stands at *at, behind a backslash too; 0 for a special character.  Moves *at to its last byte. */
static char
literal_at(const char **at)
{
	if (**at == '\\' && (*at)[1] != '\0') {
		++*at;
		return **at == 'd' ? '0' : **at == 'w' ? 'a' : **at == 's' ? ' ' : **at;
	}
	return strchr("^$.[]|()?*+{}", **at) != NULL ? '\0' : **at;
}

static void
find_pumps(const char *pattern, struct pumps *pumps)
{
	char run[PRICE_NAME_BYTES + 1];
	size_t length = 0;
	bool at_start = true;

	*pumps = (struct pumps){0};
	add_pump(pumps, "a", 1);
	add_pump(pumps, "0", 1);
	add_pump(pumps, "-", 1);
	for (const char *at = pattern;; at++) {
		char literal = *at == '\0' ? '\0' : literal_at(&at);

		if (literal != '\0') {
			run[length++] = literal;
			pumps->all[strlen(pumps->all)] = literal;
			add_pump(pumps, &literal, 1);
			continue;
		}
		add_pump(pumps, run, length);
		/* What a quantifier is behind may be left out. */
		if (at_start)
			memcpy(pumps->prefix, run, length - (length > 0 && *at != '\0' && strchr("?*{", *at) != NULL));
		at_start = false;
		length = 0;
		if (*at == '\0')
			return;
	}
}

/* A name that goes on and on, and then as no name does, so that every way through it is tried.  All literals stand in it: a name
 * that lacks one which every match needs is refused without trying. */
static void
pump(const struct pumps *pumps, size_t which, size_t bytes, char name[SUBJECT_BYTES + 1])
{
	size_t length = strlen(pumps->prefix), piece = strlen(pumps->text[which]);

	memcpy(name, pumps->prefix, length);
	for (bytes += length; length + piece <= bytes; length += piece)
		memcpy(name + length, pumps->text[which], piece);
	snprintf(name + length, SUBJECT_BYTES + 1 - length, "~%s~", pumps->all);
}

static bool
blows_up(const struct pattern *pattern, const struct pumps *pumps, size_t bytes, char name[SUBJECT_BYTES + 1])
{
	for (size_t i = 0; i < pumps->count; i++) {
		pump(pumps, i, bytes, name);
		if (pattern_says(pattern, name, PATTERN_LIMIT))
			return true;
	}
	return false;
}

/* True where the bytes are UTF-8 in whole characters, so that a limit is one of work. */
static bool
is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

static void
check_limits(struct inspection *inspection, const struct pattern *pattern, const char *text, const char *path)
{
	char name[SUBJECT_BYTES + 1];
	struct pumps pumps;
	bool is_new;

	if (pattern == NULL || !is_plain(text))
		return;
	(void)index_number(&inspection->tried, text, strlen(text), &is_new);
	if (!is_new || literal_of(text, name))
		return;
	find_pumps(text, &pumps);
	if (blows_up(pattern, &pumps, BLOWS_UP_SOON, name))
		inspection_tell(inspection, false, path,
		    "blows up: for \"%.64s\" it reaches its limits, and usage of such names is held; one repetition stands "
		    "inside of "
		    "another",
		    name);
	else if (blows_up(pattern, &pumps, BLOWS_UP, name))
		inspection_tell(inspection, false, path,
		    "slow: for \"%.32s...\", %zu bytes, it reaches its limits, and usage of such names is held", name,
		    strlen(name));
}

void
check_patterns(struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule];
	char path[CHECK_PATH];

	check_catch_all(inspection, rule);
	snprintf(path, sizeof path, "rules[%zu].model_pattern", rule);
	check_limits(inspection, r->pattern, r->pattern_text, path);
	snprintf(path, sizeof path, "rules[%zu].base_model_pattern", rule);
	check_limits(inspection, r->base_pattern, r->base_pattern_text, path);
	if (r->base_pattern != NULL && pattern_says(r->base_pattern, "", PATTERN_YES))
		inspection_tell(
		    inspection, false, path, "matches usage without a base model, too; for any that is stated: \".+\"");
}

/* --- names, aliases, service tiers ------------------------------------------------------------ */

void
check_names(const struct inspection *inspection)
{
	const struct price_book *book = inspection->book;
	size_t *first = memory_new(book->count, sizeof *first);
	struct index names = {0};

	for (size_t i = 0; i < book->count; i++) {
		const char *name = book->rules[i].name;
		char path[CHECK_PATH];
		bool is_new;
		size_t place;

		if (name == NULL)
			continue;
		place = index_number(&names, name, strlen(name), &is_new);
		if (is_new) {
			first[place] = i;
			continue;
		}
		snprintf(path, sizeof path, "rules[%zu].name", i);
		inspection_tell(inspection, false, path,
		    "rules[%zu] has the same name: what counts by rule counts for both together", first[place]);
	}
	index_release(&names);
	free(first);
}

static bool
any_rule_takes(const struct price_book *book, const char *model)
{
	for (; book != NULL; book = book->base)
		for (size_t i = 0; i < book->count; i++)
			if (takes_model(&book->rules[i], model))
				return true;
	return false;
}

void
check_aliases(const struct inspection *inspection)
{
	const struct price_book *book = inspection->book;

	for (size_t i = 0; i < book->aliases; i++) {
		const struct alias *alias = &book->alias[i];
		const char *next = price_book_alias(book, alias->as);
		char path[CHECK_PATH];

		/* A long name would be cut, and lead elsewhere. */
		if (snprintf(path, sizeof path, "aliases.%s%s", alias->model, alias->is_prefix ? "*" : "") >= (int)sizeof path)
			snprintf(path, sizeof path, "aliases");
		if (!any_rule_takes(book, alias->as))
			inspection_tell(inspection, true, path, "no rule is for %s", alias->as);
		else if (strcmp(next, alias->as) != 0)
			inspection_tell(inspection, false, path,
			    "%s is an alias itself, of %s; aliases are not followed further: the rule for %s is looked for",
			    alias->as, next, alias->as);
	}
}

static bool
any_rule_has_tier(const struct price_book *book, const char *tier)
{
	for (; book != NULL; book = book->base)
		for (size_t i = 0; i < book->count; i++) {
			const char *value = book->rules[i].value[MATCH_SERVICE_TIER];

			if (strcmp(value, "*") == 0 || strcmp(value, tier) == 0)
				return true;
		}
	return false;
}

static const struct book_tier *
tier_of(const struct price_book *book, const char *name)
{
	for (; book != NULL; book = book->base)
		for (size_t i = 0; i < book->tiers; i++)
			if (strcmp(book->tier[i].tier, name) == 0)
				return &book->tier[i];
	return NULL;
}

/* A dear tier that is cheap, or a cheap one that is dear. */
static void
check_tier_factor(const struct inspection *inspection, const char *path, const struct book_tier *tier)
{
	int order = decimal_compare(tier->factor, decimal_one);

	check_factor(inspection, path, tier->factor);
	if (strcmp(tier->inherit, "default") != 0 || tier->factor.e18 == 0)
		return;
	if (strcmp(tier->tier, "priority") == 0 && order < 0)
		inspection_tell(inspection, false, path, "priority is cheaper than default");
	if ((strcmp(tier->tier, "batch") == 0 || strcmp(tier->tier, "flex") == 0) && order > 0)
		inspection_tell(inspection, false, path, "%s is dearer than default", tier->tier);
}

void
check_service_tiers(const struct inspection *inspection)
{
	const struct price_book *book = inspection->book;

	for (size_t i = 0; i < book->tiers; i++) {
		const struct book_tier *at = &book->tier[i];
		char path[CHECK_PATH], field[CHECK_PATH + 8];
		int steps = 0;

		if (snprintf(path, sizeof path - 8, "service_tiers.%s", at->tier) >= (int)sizeof path - 8)
			snprintf(path, sizeof path, "service_tiers");
		snprintf(field, sizeof field, "%s.factor", path);
		check_tier_factor(inspection, field, at);
		while (at != NULL && !any_rule_has_tier(book, at->inherit) && ++steps <= BOOK_TIERS_MAX)
			at = tier_of(book, at->inherit);
		if (steps > BOOK_TIERS_MAX)
			inspection_tell(inspection, true, path, "inherits from itself, in a circle");
		else if (at == NULL)
			inspection_tell(inspection, false, path, "no rule is for the service tier %s that it inherits from",
			    book->tier[i].inherit);
	}
}
