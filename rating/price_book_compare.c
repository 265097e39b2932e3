/* price_book_compare.c -- see price_book_compare.h. */
#include "rating/price_book_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "rating/price_book_rules.h"

struct comparison {
	const struct price_book *old, *new;
	price_difference_told *told;
	void *context;
	const char *rule, *meter;
	struct arena arena;
};

static void
tell(const struct comparison *comparison, const char *what, const char *old, const char *new)
{
	const struct price_difference difference = {.rule = comparison->rule,
	    .meter = comparison->meter,
	    .part = "",
	    .what = what,
	    .old = old,
	    .new = new,
	    .percent = ""};

	comparison->told(comparison->context, &difference);
}

static void
tell_unless_same(const struct comparison *comparison, const char *what, const char *old, const char *new)
{
	if (strcmp(old, new) != 0)
		tell(comparison, what, old, new);
}

/* --- amounts --------------------------------------------------------------------------------- */

/* (new / old - 1) x 100; "" where old is zero or a number leaves the range. */
static const char *
percent_of(struct comparison *comparison, const struct tier_step *old, const struct tier_step *new)
{
	const struct decimal hundred = {decimal_one.e18 * 100};
	struct error ignored = {0};
	char text[DECIMAL_TEXT];
	struct decimal value;

	if (!decimal_price(new->price, old->per, new->per, ROUND_HALF_EVEN, &value, &ignored) ||
	    !decimal_divide(value, old->price, ROUND_HALF_EVEN, &value, &ignored) ||
	    !decimal_subtract(value, decimal_one, &value, &ignored) ||
	    !decimal_multiply(value, hundred, ROUND_HALF_EVEN, &value, &ignored) ||
	    !decimal_round(value, 1, ROUND_HALF_UP, &value, &ignored))
		return "";
	return arena_format(&comparison->arena, "%s", decimal_format_places(value, 1, text));
}

static const char *
price_text(struct comparison *comparison, const struct tier_step *step)
{
	char text[DECIMAL_TEXT];

	return arena_format(&comparison->arena, "%s / %s%lld", decimal_format(step->price, text),
	    step->in_packages ? "package of " : "", (long long)step->per);
}

/* --- one price ------------------------------------------------------------------------------- */

static const char *
brackets_text(struct comparison *comparison, const struct meter_price *price)
{
	static const char *const sizes[PRICE_SIZES] = {"input", "uncached input", "output", "tokens"};
	struct text text = {0};
	const char *kept;

	if (price->brackets == 1)
		return "none";
	text_add_string(&text, sizes[price->size]);
	for (size_t i = 1; i < price->brackets; i++)
		text_add_format(&text, "%s %s", i == 1 ? "" : ",", price->bracket[i].words);
	kept = arena_copy(&comparison->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

static const char *
steps_text(struct comparison *comparison, const struct tiers *tiers, const struct meter *meter)
{
	struct text text = {0};
	const char *kept;

	if (tiers->mode == TIER_FLAT)
		return "none";
	text_add_string(&text, tiers->mode == TIER_VOLUME ? "volume" : "graduated");
	for (size_t i = 0; i + 1 < tiers->steps; i++) {
		char number[DECIMAL_TEXT];

		text_add_format(&text, "%s up to %s", i == 0 ? "" : ",", meter_format(meter, tiers->step[i].up_to, number));
	}
	kept = arena_copy(&comparison->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

/* "over 200000, step 2" */
static const char *
part_text(struct comparison *comparison, const char *outer, const char *bracket, size_t step, size_t steps)
{
	const char *between = outer[0] != '\0' && bracket[0] != '\0' ? ", " : "";

	if (steps == 1)
		return arena_format(&comparison->arena, "%s%s%s", outer, between, bracket);
	return arena_format(&comparison->arena, "%s%s%s%sstep %zu", outer, between, bracket,
	    outer[0] != '\0' || bracket[0] != '\0' ? ", " : "", step + 1);
}

static bool
compare_step(struct comparison *comparison, const char *part, const struct tier_step *old, const struct tier_step *new)
{
	struct price_difference difference = {comparison->rule, comparison->meter, part, "price", "", "", ""};
	char text[DECIMAL_TEXT];

	if (old->in_packages != new->in_packages || old->per != new->per || decimal_compare(old->price, new->price) != 0) {
		difference.old = price_text(comparison, old);
		difference.new = price_text(comparison, new);
		difference.percent = percent_of(comparison, old, new);
	} else if (decimal_compare(old->fee, new->fee) != 0) {
		difference.what = "fee";
		difference.old = arena_format(&comparison->arena, "%s", decimal_format(old->fee, text));
		difference.new = arena_format(&comparison->arena, "%s", decimal_format(new->fee, text));
	} else {
		return false;
	}
	comparison->told(comparison->context, &difference);
	return true;
}

/* True where a difference was told. */
static bool
compare_plain(struct comparison *comparison, const char *outer, const struct meter *meter, const struct meter_price *old,
    const struct meter_price *new)
{
	const char *was = brackets_text(comparison, old), *is = brackets_text(comparison, new);

	tell_unless_same(comparison, "brackets", was, is);
	if (strcmp(was, is) != 0)
		return true;
	for (size_t i = 0; i < old->brackets; i++) {
		const struct tiers *one = &old->bracket[i].tiers, *other = &new->bracket[i].tiers;

		was = steps_text(comparison, one, meter);
		is = steps_text(comparison, other, meter);
		tell_unless_same(comparison, "steps", was, is);
		if (strcmp(was, is) != 0)
			return true;
		for (size_t step = 0; step < one->steps; step++)
			if (compare_step(comparison, part_text(comparison, outer, old->bracket[i].words, step, one->steps),
				&one->step[step], &other->step[step]))
				return true;
	}
	return false;
}

/* "off_peak x 0.5, night with its own price" */
static const char *
times_text(struct comparison *comparison, const struct meter_price *price)
{
	struct text text = {0};
	const char *kept;

	for (size_t i = 0; i < price->times; i++) {
		const struct price_time *time = &price->time[i];
		char number[DECIMAL_TEXT];

		text_add_format(&text, "%s%s (%s)", i == 0 ? "" : "; ", time_window_name(time->window),
		    time_window_describe(time->window, &comparison->arena));
		if (time->price != NULL)
			text_add_string(&text, " with its own price");
		else
			text_add_format(&text, " x %s", decimal_format(time->factor, number));
	}
	kept = text.length == 0 ? "none" : arena_copy(&comparison->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

static const char *
counter_text(struct comparison *comparison, const struct meter_price *price)
{
	static const char *const scopes[] = {"rule", "model", "group", "contract"};
	static const char *const resets[] = {"month", "quarter", "year", "never"};

	return arena_format(&comparison->arena, "%s%s%s, %s", scopes[price->scope], price->group == NULL ? "" : " ",
	    price->group == NULL ? "" : price->group, resets[price->reset]);
}

static void
compare_price(
    struct comparison *comparison, const struct meter *meter, const struct meter_price *old, const struct meter_price *new)
{
	const char *was, *is;

	if (compare_plain(comparison, "", meter, old, new))
		return;
	was = times_text(comparison, old);
	is = times_text(comparison, new);
	tell_unless_same(comparison, "times", was, is);
	if (strcmp(was, is) != 0)
		return;
	for (size_t i = 0; i < old->times; i++)
		if (old->time[i].price != NULL &&
		    compare_plain(
			comparison, time_window_name(old->time[i].window), meter, old->time[i].price, new->time[i].price))
			return;
	tell_unless_same(comparison, "counter", counter_text(comparison, old), counter_text(comparison, new));
}

/* --- one rule -------------------------------------------------------------------------------- */

static const char *
inherit_text(struct comparison *comparison, const struct price_rule *rule)
{
	static const char *const from[] = {
	    [INHERIT_NOTHING] = "", [INHERIT_BASE_MODEL] = "base model", [INHERIT_MODEL] = "model ", [INHERIT_RULE] = "rule "};
	struct text text = {0};
	char number[DECIMAL_TEXT];
	const char *kept;

	if (rule->from == INHERIT_NOTHING)
		return "none";
	text_add_format(&text, "%s%s x %s", from[rule->from], rule->from_name == NULL ? "" : rule->from_name,
	    decimal_format(rule->factor, number));
	for (int meter = 1; rule->plus != NULL && meter < METER_LIMIT; meter++)
		if (rule->plus->per[meter] != 0)
			text_add_format(&text, ", %s + %s / %lld", meter_of(meter)->name,
			    decimal_format(rule->plus->price[meter], number), (long long)rule->plus->per[meter]);
	kept = arena_copy(&comparison->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

static const char *
fallback_name(const int fallback[METER_LIMIT], int meter)
{
	return fallback[meter] == 0 ? "none" : meter_of(fallback[meter])->name;
}

static void
compare_rule(struct comparison *comparison, size_t old_rule, size_t new_rule)
{
	const struct price_rule *old = &comparison->old->rules[old_rule], *new = &comparison->new->rules[new_rule];

	comparison->rule = old->name != NULL ? old->name : price_rule_describe(comparison->old, old_rule, &comparison->arena);
	comparison->meter = "";
	tell_unless_same(comparison, "match", price_rule_describe(comparison->old, old_rule, &comparison->arena),
	    price_rule_describe(comparison->new, new_rule, &comparison->arena));
	tell_unless_same(comparison, "inherit", inherit_text(comparison, old), inherit_text(comparison, new));
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		comparison->meter = meter_of(meter)->name;
		if (old->price[meter] != NULL && new->price[meter] != NULL)
			compare_price(comparison, meter_of(meter), old->price[meter], new->price[meter]);
		else if (old->price[meter] != NULL)
			tell(comparison, "removed", price_text(comparison, price_first_step(old->price[meter])), "");
		else if (new->price[meter] != NULL)
			tell(comparison, "added", "", price_text(comparison, price_first_step(new->price[meter])));
		tell_unless_same(
		    comparison, "fallback", fallback_name(old->fallback, meter), fallback_name(new->fallback, meter));
	}
	arena_reset(&comparison->arena);
}

/* --- the book -------------------------------------------------------------------------------- */

static const char *
base_text(struct comparison *comparison, const struct price_book *book)
{
	char number[DECIMAL_TEXT];

	return book->base == NULL ? "none"
				  : arena_format(&comparison->arena, "%s x %s", price_book_label(book->base),
					decimal_format(book->base_factor, number));
}

static const char *
tiers_text(struct comparison *comparison, const struct price_book *book)
{
	struct text text = {0};
	char number[DECIMAL_TEXT];
	const char *kept;

	for (size_t i = 0; i < book->tiers; i++)
		text_add_format(&text, "%s%s from %s x %s", i == 0 ? "" : "; ", book->tier[i].tier, book->tier[i].inherit,
		    decimal_format(book->tier[i].factor, number));
	kept = text.length == 0 ? "none" : arena_copy(&comparison->arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

static int
compare_alias(const struct alias *one, const struct alias *other)
{
	int order = (int)one->is_prefix - (int)other->is_prefix;

	if (order == 0 && one->is_prefix && strlen(one->model) != strlen(other->model))
		return strlen(one->model) > strlen(other->model) ? -1 : 1;
	return order != 0 ? order : strcmp(one->model, other->model);
}

static void
tell_alias(struct comparison *comparison, const struct alias *alias, const char *what, const char *old, const char *new)
{
	comparison->rule = arena_format(&comparison->arena, "alias %s%s", alias->model, alias->is_prefix ? "*" : "");
	tell_unless_same(comparison, what, old, new);
	arena_reset(&comparison->arena);
}

/* Both are in the same order. */
static void
compare_aliases(struct comparison *comparison)
{
	const struct price_book *old = comparison->old, *new = comparison->new;
	size_t i = 0, j = 0;

	while (i < old->aliases || j < new->aliases) {
		int order = i == old->aliases ? 1 : j == new->aliases ? -1 : compare_alias(&old->alias[i], &new->alias[j]);

		if (order < 0)
			tell_alias(comparison, &old->alias[i], "removed", old->alias[i].as, "");
		else if (order > 0)
			tell_alias(comparison, &new->alias[j], "added", "", new->alias[j].as);
		else
			tell_alias(comparison, &old->alias[i], "alias", old->alias[i].as, new->alias[j].as);
		i += order <= 0;
		j += order >= 0;
	}
}

static void
compare_heads(struct comparison *comparison)
{
	const struct price_book *old = comparison->old, *new = comparison->new;

	comparison->rule = comparison->meter = "";
	tell_unless_same(comparison, "currency", old->currency, new->currency);
	tell_unless_same(comparison, "extends", base_text(comparison, old), base_text(comparison, new));
	tell_unless_same(comparison, "service tiers", tiers_text(comparison, old), tiers_text(comparison, new));
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		comparison->meter = meter_of(meter)->name;
		tell_unless_same(comparison, "free", old->is_free[meter] ? "yes" : "no", new->is_free[meter] ? "yes" : "no");
	}
	comparison->meter = "";
	compare_aliases(comparison);
}

/* Rules by the place of their identity; the first of several. */
static size_t *
index_rules(const struct price_book *book, struct index *identities)
{
	size_t *rules = memory_new(book->count, sizeof *rules);

	for (size_t i = 0; i < book->count; i++) {
		bool is_new;
		size_t place = index_number(identities, book->rules[i].identity, strlen(book->rules[i].identity), &is_new);

		if (is_new)
			rules[place] = i;
	}
	return rules;
}

static void
tell_rule(struct comparison *comparison, const struct price_book *book, size_t rule, const char *what)
{
	comparison->meter = "";
	comparison->rule =
	    book->rules[rule].name != NULL ? book->rules[rule].name : price_rule_describe(book, rule, &comparison->arena);
	tell(comparison, what, "", "");
	arena_reset(&comparison->arena);
}

void
price_books_compare(const struct price_book *old, const struct price_book *new, price_difference_told *told, void *context)
{
	struct comparison comparison = {.old = old, .new = new, .told = told, .context = context};
	struct index old_index = {0}, new_index = {0};
	size_t *old_rules = index_rules(old, &old_index), *new_rules = index_rules(new, &new_index);
	size_t old_known = old_index.count, new_known = new_index.count;

	compare_heads(&comparison);
	for (size_t i = 0; i < old_known; i++) {
		const char *identity = old->rules[old_rules[i]].identity;
		bool is_new;
		size_t place = index_number(&new_index, identity, strlen(identity), &is_new);

		if (place >= new_known)
			tell_rule(&comparison, old, old_rules[i], "removed");
		else
			compare_rule(&comparison, old_rules[i], new_rules[place]);
	}
	for (size_t i = 0; i < new_known; i++) {
		const char *identity = new->rules[new_rules[i]].identity;
		bool is_new;

		if (index_number(&old_index, identity, strlen(identity), &is_new) >= old_known)
			tell_rule(&comparison, new, new_rules[i], "added");
	}
	index_release(&old_index);
	index_release(&new_index);
	free(old_rules);
	free(new_rules);
	arena_release(&comparison.arena);
}
