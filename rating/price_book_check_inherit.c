/* price_book_check_inherit.c -- see price_book_check.h: prices that a rule takes from others, and prices that it lacks. */
#include <string.h>

#include "base/table.h"
#include "rating/price_book_check.h"

/* Nearly all usage of a model has these; without a price it is held. */
static const int expected_meters[] = {METER_input_text_uncached_tokens, METER_output_text_tokens, METER_output_reasoning_tokens};

void
check_factor(const struct inspection *inspection, const char *path, struct decimal factor)
{
	if (factor.e18 == 0)
		inspection_tell(inspection, false, path, "the factor 0 makes every price nothing: \"free\" says so plainly");
}

/* --- where from ------------------------------------------------------------------------------ */

/* The rule that this one, in the book or one that it extends, takes over by name; a rule that names itself means one in a book below. */
static const struct price_rule *
rule_taken(const struct price_book *book, const struct price_rule *rule)
{
	bool is_below = rule->name == NULL || strcmp(rule->name, rule->from_name) != 0;

	for (; book != NULL; book = book->base) {
		bool holds_rule = false;

		for (size_t i = 0; i < book->count; i++) {
			const char *name = book->rules[i].name;

			if (is_below && name != NULL && strcmp(name, rule->from_name) == 0)
				return &book->rules[i];
			holds_rule = holds_rule || &book->rules[i] == rule;
		}
		is_below = is_below || holds_rule;
	}
	return NULL;
}

static bool
is_tier_of(const struct price_rule *rule, const char *tier)
{
	return strcmp(tier, "*") == 0 || strcmp(rule->value[MATCH_SERVICE_TIER], "*") == 0 ||
	    strcmp(rule->value[MATCH_SERVICE_TIER], tier) == 0;
}

/* True where a rule prices this model without an adapter, in the service tier. */
static bool
prices_model(const struct price_rule *rule, const char *model, const char *tier)
{
	return rule->value[MATCH_BASE_MODEL] == NULL && rule->base_pattern == NULL && rule->value[MATCH_ADAPTER_KIND] == NULL &&
	    rule->value[MATCH_ADAPTER] == NULL && is_tier_of(rule, tier) && takes_model(rule, model);
}

static bool
any_other_prices(const struct price_book *book, const struct price_rule *but, const char *model)
{
	for (; book != NULL; book = book->base)
		for (size_t i = 0; i < book->count; i++)
			if (&book->rules[i] != but && prices_model(&book->rules[i], model, "*"))
				return true;
	return false;
}

/* Follows names of rules; a circle comes back within as many steps as are allowed, or is too long anyway. */
static void
check_chain(const struct inspection *inspection, const struct price_rule *rule, const char *path)
{
	const struct price_rule *at = rule;
	int steps = 0;

	while (at != NULL && at->from == INHERIT_RULE && steps <= INHERIT_DEPTH_MAX) {
		at = rule_taken(inspection->book, at);
		steps++;
		if (at == rule) {
			inspection_tell(
			    inspection, true, path, "inherits from itself, over %d rule%s", steps, steps == 1 ? "" : "s");
			return;
		}
	}
	if (steps > INHERIT_DEPTH_MAX)
		inspection_tell(inspection, true, path, "inherits over more than %d rules", INHERIT_DEPTH_MAX);
}

static void
check_source(const struct inspection *inspection, size_t place)
{
	const struct price_book *book = inspection->book;
	const struct price_rule *rule = &book->rules[place];
	const char *base = rule->value[MATCH_BASE_MODEL];
	char path[CHECK_PATH];

	snprintf(path, sizeof path, "rules[%zu].inherit.from", place);
	if (rule->from == INHERIT_RULE && rule_taken(book, rule) == NULL)
		inspection_tell(inspection, false, path,
		    "no other rule here is named %s: only an override finds it, in the book of the contract", rule->from_name);
	else if (rule->from == INHERIT_RULE)
		check_chain(inspection, rule, path);
	else if (rule->from == INHERIT_MODEL && !any_other_prices(book, rule, price_book_alias(book, rule->from_name)))
		inspection_tell(inspection, false, path,
		    "no other rule here is for the model %s: only an override finds one, in the book of the contract",
		    rule->from_name);
	else if (rule->from == INHERIT_BASE_MODEL && base != NULL && strcmp(base, "*") != 0 &&
	    !any_other_prices(book, rule, price_book_alias(book, base)))
		inspection_tell(inspection, false, path,
		    "no other rule here is for the base model %s: only an override finds one, in the book of the contract", base);
}

/* --- deltas ---------------------------------------------------------------------------------- */

/* A delta below zero on its way to the prices that it is added to. */
struct delta {
	const struct price_rule *rule;
	int meter;
	const struct tier_step *below; /* a step whose price it makes negative; NULL while none is found */
};

static bool
is_below(const struct delta *delta, const struct tier_step *step, struct decimal time_factor)
{
	struct price_source source = {.adjustments = 1};
	struct decimal price;
	struct error ignored = {0};

	source.adjustment[0] = (struct price_adjustment){delta->rule->factor, delta->rule->plus, ""};
	return price_effective(&source, delta->meter, step->price, step->per, time_factor, &price, &ignored) && price.e18 < 0;
}

static void
try_price(struct delta *delta, const struct meter_price *price, struct decimal time_factor)
{
	for (size_t i = 0; i < price->brackets; i++)
		for (size_t j = 0; j < price->bracket[i].tiers.steps && delta->below == NULL; j++)
			if (is_below(delta, &price->bracket[i].tiers.step[j], time_factor))
				delta->below = &price->bracket[i].tiers.step[j];
	for (size_t i = 0; i < price->times && delta->below == NULL; i++) {
		if (price->time[i].price != NULL)
			try_price(delta, price->time[i].price, decimal_one);
		else
			for (size_t j = 0; j < price->brackets; j++)
				for (size_t k = 0; k < price->bracket[j].tiers.steps && delta->below == NULL; k++)
					if (is_below(delta, &price->bracket[j].tiers.step[k], price->time[i].factor))
						delta->below = &price->bracket[j].tiers.step[k];
	}
}

/* True where the rule's base model may be this one, as far as the rule says. */
static bool
may_be_base(const struct price_rule *rule, const struct price_rule *base)
{
	const char *model = base->value[MATCH_MODEL];

	return model != NULL && strcmp(model, "*") != 0 && prices_model(base, model, rule->value[MATCH_SERVICE_TIER]) &&
	    (rule->base_pattern == NULL || pattern_match(rule->base_pattern, model, strlen(model)) == PATTERN_YES);
}

/* True where `other` is one whose prices the rule takes over. */
static bool
takes_from(const struct price_book *book, const struct price_rule *rule, const struct price_rule *other)
{
	const char *base = rule->value[MATCH_BASE_MODEL];

	if (other == rule)
		return false;
	if (rule->from == INHERIT_RULE)
		return other == rule_taken(book, rule);
	if (rule->from == INHERIT_MODEL)
		return prices_model(other, price_book_alias(book, rule->from_name), rule->value[MATCH_SERVICE_TIER]);
	if (base != NULL && strcmp(base, "*") != 0)
		return prices_model(other, price_book_alias(book, base), rule->value[MATCH_SERVICE_TIER]);
	return may_be_base(rule, other);
}

/* The price that a delta is added to is the first in the order rules are asked; where the base model may be any, each of them. */
static void
try_rules(struct delta *delta, const struct price_book *book)
{
	const struct price_rule *rule = delta->rule;
	const char *base = rule->value[MATCH_BASE_MODEL];
	bool one_only = rule->from != INHERIT_BASE_MODEL || (base != NULL && strcmp(base, "*") != 0);

	for (const struct price_book *at = book; at != NULL; at = at->base)
		for (int exact = 1; exact >= 0; exact--)
			for (size_t i = 0; i < at->count && delta->below == NULL; i++) {
				const struct price_rule *other = &at->rules[i];

				if ((other->value[MATCH_MODEL] != NULL) != (exact == 1) || other->price[delta->meter] == NULL ||
				    !takes_from(book, rule, other))
					continue;
				try_price(delta, other->price[delta->meter], decimal_one);
				if (one_only)
					return;
			}
}

static void
check_deltas(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule];

	for (int meter = 1; r->plus != NULL && meter < METER_LIMIT; meter++) {
		struct delta delta = {.rule = r, .meter = meter};
		char path[CHECK_PATH], text[DECIMAL_TEXT];

		if (r->plus->per[meter] == 0 || r->plus->price[meter].e18 >= 0)
			continue;
		try_rules(&delta, inspection->book);
		snprintf(path, sizeof path, "rules[%zu].inherit.plus.%s", rule, meter_of(meter)->name);
		if (delta.below != NULL)
			inspection_tell(inspection, true, path, "makes a price negative: what it is added to costs %s for %lld",
			    decimal_format(delta.below->price, text), (long long)delta.below->per);
	}
}

void
check_inherit(const struct inspection *inspection, size_t rule)
{
	const struct price_rule *r = &inspection->book->rules[rule];
	char path[CHECK_PATH];

	if (r->from == INHERIT_NOTHING)
		return;
	snprintf(path, sizeof path, "rules[%zu].inherit.factor", rule);
	check_factor(inspection, path, r->factor);
	check_source(inspection, rule);
	check_deltas(inspection, rule);
}

/* --- prices that are missing ------------------------------------------------------------------- */

static bool
is_free(const struct price_book *book, int meter)
{
	for (; book != NULL; book = book->base)
		if (book->is_free[meter])
			return true;
	return false;
}

/* True where a price may come from elsewhere than the rule. */
static bool
may_be_elsewhere(const struct price_book *book, const struct price_rule *rule)
{
	if (rule->from != INHERIT_NOTHING || book->base != NULL)
		return true;
	for (size_t i = 0; i < book->tiers; i++)
		if (strcmp(book->tier[i].tier, rule->value[MATCH_SERVICE_TIER]) == 0 ||
		    strcmp(rule->value[MATCH_SERVICE_TIER], "*") == 0)
			return true;
	return false;
}

static const char *
tags_of(struct inspection *inspection, const struct price_rule *rule)
{
	struct text text = {0};
	const char *kept;

	text_add_string(&text, "{");
	for (size_t i = 0; i < rule->tags; i++) {
		text_add_string(&text, i > 0 ? "," : "");
		text_add_json(&text, rule->tag[i].key);
		text_add_string(&text, ":");
		text_add_json(&text, rule->tag[i].value);
	}
	text_add_string(&text, "}");
	kept = arena_copy(&inspection->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

/* Usage that the rule is for; false where only a name that a pattern matches would do. */
static bool
subject_of(struct inspection *inspection, size_t place, struct price_subject *out)
{
	const struct price_rule *rule = &inspection->book->rules[place];

	*out = (struct price_subject){.tags = tags_of(inspection, rule)};
	for (size_t field = 0; field < MATCH_FIELDS; field++) {
		const char *value = rule->value[field];

		if (value == NULL || (field == MATCH_MODEL && strcmp(value, "*") == 0))
			out->field[field] = "";
		else if (strcmp(value, "*") == 0)
			out->field[field] = field == MATCH_SERVICE_TIER ? "default" : "any";
		else
			out->field[field] = value;
	}
	if (inspection->literal[place] != NULL)
		out->field[MATCH_MODEL] = inspection->literal[place];
	return out->field[MATCH_MODEL][0] != '\0' && rule->base_pattern == NULL &&
	    (rule->from != INHERIT_BASE_MODEL || out->field[MATCH_BASE_MODEL][0] != '\0');
}

void
check_missing(struct inspection *inspection, size_t rule)
{
	const struct price_book *book = inspection->book;
	const struct price_rule *r = &book->rules[rule];
	bool elsewhere = may_be_elsewhere(book, r), chosen = false;
	struct price_choice choice;
	struct price_subject subject;
	char path[48];

	for (size_t i = 0; i < sizeof expected_meters / sizeof expected_meters[0]; i++) {
		int meter = expected_meters[i];

		if (rule_first_step(r, meter) != NULL || is_free(book, meter))
			continue;
		if (elsewhere && !chosen) {
			if (!subject_of(inspection, rule, &subject))
				return;
			price_choose(&book, 1, &subject, &inspection->arena, &choice);
			chosen = true;
		}
		if (elsewhere && price_choice_meter(&choice, meter).price != NULL)
			continue;
		snprintf(path, sizeof path, "rules[%zu].prices", rule);
		inspection_tell(inspection, false, path,
		    "%s has no price here, of its own or by \"fallback\": such usage will be held", meter_of(meter)->name);
	}
}
