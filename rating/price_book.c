/* price_book.c -- see price_book.h: choosing from a book. */
#include "rating/price_book.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "rating/price_book_rules.h"

const char *const match_field_names[MATCH_FIELDS] = {
#define MATCH_FIELD(name, key) [MATCH_##name] = #key,
#include "rating/match_fields.def"
#undef MATCH_FIELD
};

const char *
price_book_name(const struct price_book *book)
{
	return book->name;
}

const char *
price_book_label(const struct price_book *book)
{
	return book->label;
}

const char *
price_book_currency(const struct price_book *book)
{
	return book->currency;
}

struct instant
price_book_effective(const struct price_book *book)
{
	return book->effective;
}

size_t
price_book_rules(const struct price_book *book)
{
	return book->count;
}

const struct price_book *
price_book_base(const struct price_book *book)
{
	return book->base;
}

/* --- what requests are told apart by --------------------------------------------------------- */

struct telling {
	struct price_book *book;
	struct index known;
};

static void
tell(struct telling *telling, const char *kind, int64_t boundary, const char *name)
{
	struct price_book *book = telling->book;
	struct text key = {0};
	bool is_new;
	size_t place;

	text_add_format(&key, "%s %lld %s", kind, (long long)boundary, name);
	place = index_number(&telling->known, key.bytes, key.length, &is_new);
	text_release(&key);
	if (!is_new)
		return;
	book->told = memory_grow(book->told, &book->told_room, place + 1, sizeof *book->told);
	book->told[place] = (struct told){kind, boundary, name};
	book->told_count = place + 1;
}

static void
tell_price(struct telling *telling, const struct meter_price *price)
{
	static const char *const kinds[PRICE_SIZES] = {"input", "uncached_input", "output", "part"};

	for (size_t i = 1; i < price->brackets; i++)
		tell(telling, kinds[price->size], price->bracket[i].from, "");
	for (size_t i = 0; i < price->times; i++)
		if (price->time[i].price != NULL)
			tell_price(telling, price->time[i].price);
}

void
price_book_note_told(struct price_book *book)
{
	struct telling telling = {.book = book};

	for (size_t i = 0; i < book->count; i++) {
		const struct price_rule *rule = &book->rules[i];

		if (rule->value[MATCH_ENGINE] != NULL)
			tell(&telling, "engine", 0, "");
		for (size_t j = 0; j < rule->tags; j++)
			tell(&telling, "tag", 0, rule->tag[j].key);
		for (int meter = 1; meter < METER_LIMIT; meter++)
			if (rule->price[meter] != NULL)
				tell_price(&telling, rule->price[meter]);
	}
	index_release(&telling.known);
}

bool
price_book_distinctions(const struct price_book *book, price_distinction *told, void *context, struct error *err)
{
	for (; book != NULL; book = book->base)
		for (size_t i = 0; i < book->told_count; i++)
			if (!told(context, book->told[i].kind, book->told[i].boundary, book->told[i].name, err))
				return false;
	return true;
}

bool
price_book_carries(const struct price_book *book)
{
	for (; book != NULL; book = book->base)
		if (book->carries)
			return true;
	return false;
}

unsigned
price_book_fields(const struct price_book *book)
{
	unsigned fields = 0;

	for (; book != NULL; book = book->base)
		fields |= book->fields;
	return fields;
}

/* --- one rule -------------------------------------------------------------------------------- */

static bool
value_matches(const struct price_rule *rule, size_t field, const char *stated)
{
	const char *wanted = rule->value[field];

	if (wanted == NULL)
		return true;
	if (strcmp(wanted, "*") == 0 && field != MATCH_MODEL)
		return field == MATCH_SERVICE_TIER || stated[0] != '\0';
	return strcmp(wanted, stated) == 0;
}

static bool
tags_match(const struct price_rule *rule, const char *stated)
{
	struct error ignored = {0};
	bool matches = true;
	json_t *tags;

	if (rule->tags == 0)
		return true;
	tags = stated[0] == '\0' ? NULL : document_parse(stated, strlen(stated), "tags", &ignored);
	for (size_t i = 0; i < rule->tags; i++) {
		const json_t *value = json_object_get(tags, rule->tag[i].key);

		matches = matches && json_is_string(value) && strcmp(json_string_value(value), rule->tag[i].value) == 0;
	}
	json_decref(tags);
	return matches;
}

/* The first field that says no, MATCH_FIELDS where none does; the model is looked at last, since patterns cost most. */
static size_t
field_against(const struct price_rule *rule, const struct price_subject *subject)
{
	for (size_t field = 0; field < MATCH_FIELDS; field++)
		if (!value_matches(rule, field, subject->field[field]))
			return field;
	return MATCH_FIELDS;
}

static enum pattern_answer
pattern_answers(const struct pattern *pattern, const char *stated)
{
	return pattern == NULL ? PATTERN_YES : pattern_match(pattern, stated, strlen(stated));
}

static enum pattern_answer
rule_answers(const struct price_rule *rule, const struct price_subject *subject)
{
	enum pattern_answer answer;

	if (field_against(rule, subject) != MATCH_FIELDS || !tags_match(rule, subject->tags))
		return PATTERN_NO;
	answer = pattern_answers(rule->base_pattern, subject->field[MATCH_BASE_MODEL]);
	return answer == PATTERN_YES ? pattern_answers(rule->pattern, subject->field[MATCH_MODEL]) : answer;
}

bool
price_rule_is_exact(const struct price_book *book, size_t rule)
{
	return book->rules[rule].value[MATCH_MODEL] != NULL;
}

const char *
price_rule_identity(const struct price_book *book, size_t rule)
{
	return book->rules[rule].identity;
}

static int
compare_alias_to_model(const void *key, const void *item)
{
	return strcmp(key, ((const struct alias *)item)->model);
}

const char *
price_book_alias(const struct price_book *book, const char *model)
{
	for (; book != NULL; book = book->base) {
		const struct alias *exact = book->exact_aliases == 0
		    ? NULL
		    : bsearch(model, book->alias, book->exact_aliases, sizeof *book->alias, compare_alias_to_model);

		if (exact != NULL)
			return exact->as;
		for (size_t i = book->exact_aliases; i < book->aliases; i++)
			if (strncmp(book->alias[i].model, model, strlen(book->alias[i].model)) == 0)
				return book->alias[i].as;
	}
	return model;
}

const char *
price_rule_verdict(const struct price_book *book, size_t rule, const struct price_subject *subject)
{
	static const char *const no[MATCH_FIELDS] = {
#define MATCH_FIELD(name, key) [MATCH_##name] = "no: another " #key,
#include "rating/match_fields.def"
#undef MATCH_FIELD
	};
	const struct price_rule *r = &book->rules[rule];
	size_t field = field_against(r, subject);

	if (field == MATCH_SERVICE_TIER)
		return "no: another service tier";
	if (field == MATCH_BASE_MODEL)
		return "no: another base model";
	if (field != MATCH_FIELDS)
		return no[field];
	if (!tags_match(r, subject->tags))
		return "no: other tags";
	switch (rule_answers(r, subject)) {
	case PATTERN_NO:
		return "no: the pattern does not match";
	case PATTERN_LIMIT:
		return "cannot say: the pattern reaches its limit, usage is held";
	case PATTERN_YES:
		break;
	}
	return "matches";
}

const char *
price_rule_describe(const struct price_book *book, size_t rule, struct arena *arena)
{
	const struct price_rule *r = &book->rules[rule];
	const char *tier = r->value[MATCH_SERVICE_TIER], *kept;
	struct text text = {0};

	if (r->value[MATCH_MODEL] != NULL)
		text_add_format(&text, "model %s", r->value[MATCH_MODEL]);
	else if (r->pattern != NULL)
		text_add_format(&text, "pattern %s", r->pattern_text);
	else
		text_add_string(&text, "any model");
	text_add_format(&text, ", service tier %s", strcmp(tier, "*") == 0 ? "any" : tier);
	if (r->value[MATCH_BASE_MODEL] != NULL)
		text_add_format(&text, ", base model %s", r->value[MATCH_BASE_MODEL]);
	if (r->base_pattern != NULL)
		text_add_format(&text, ", base model pattern %s", r->base_pattern_text);
	for (size_t field = MATCH_SERVICE_TIER + 1; field < MATCH_FIELDS; field++)
		if (r->value[field] != NULL)
			text_add_format(&text, ", %s %s", match_field_names[field], r->value[field]);
	for (size_t i = 0; i < r->tags; i++)
		text_add_format(&text, ", tag %s %s", r->tag[i].key, r->tag[i].value);
	kept = arena_copy(arena, text.bytes, text.length);
	text_release(&text);
	return kept;
}

/* --- choosing -------------------------------------------------------------------------------- */

/* A rule on the way to another one; it is not asked again behind itself. */
struct way {
	const struct way *before;
	const struct price_book *book;
	size_t rule;
};

struct choosing {
	const struct price_book *const *books; /* an override and the contract's book */
	size_t count;
	struct arena *arena;
	struct price_source source[PRICE_SOURCES_MAX];
	size_t sources;
	bool undecided; /* a pattern or a bound was reached */
};

/* How sources found from here on are adjusted.  The factors of books that extend the one being asked stand together, `books` of
 * them from `books_at` on: what is inherited has those of the book that it is found in, never both. */
struct path {
	const struct way *way;
	size_t depth, adjustments, books_at, books;
	struct price_adjustment adjustment[PRICE_ADJUSTMENTS_MAX];
};

static void choose_among(struct choosing *choosing, const struct price_subject *subject, const struct path *path);

static bool
is_on_way(const struct way *way, const struct price_book *book, size_t rule)
{
	for (; way != NULL; way = way->before)
		if (way->book == book && way->rule == rule)
			return true;
	return false;
}

/* "standard@3", "standard@3 x 0.9". */
static const char *
words_of(struct choosing *choosing, const char *what, const char *name, struct decimal factor)
{
	char text[DECIMAL_TEXT];

	if (factor.e18 == decimal_one.e18)
		return arena_format(choosing->arena, "%s%s", what, name);
	return arena_format(choosing->arena, "%s%s x %s", what, name, decimal_format(factor, text));
}

static bool
adjust(struct choosing *choosing, struct path *path, struct price_adjustment adjustment)
{
	if (path->adjustments == PRICE_ADJUSTMENTS_MAX) {
		choosing->undecided = true;
		return false;
	}
	path->adjustment[path->adjustments++] = adjustment;
	return true;
}

/* From a book to the one that it extends; false where that goes too far. */
static bool
go_down(struct choosing *choosing, struct path *path, const struct price_book *book)
{
	path->books++;
	return adjust(choosing, path,
	    (struct price_adjustment){book->base_factor, NULL, words_of(choosing, "", book->base->label, book->base_factor)});
}

static void
leave_book(struct path *path)
{
	memmove(path->adjustment + path->books_at, path->adjustment + path->books_at + path->books,
	    (path->adjustments - path->books_at - path->books) * sizeof *path->adjustment);
	path->adjustments -= path->books;
	path->books = 0;
}

static enum price_match
find_rule(const struct price_book *book, const struct price_subject *subject, const struct way *way, size_t *rule)
{
	for (int exact = 1; exact >= 0; exact--)
		for (*rule = 0; *rule < book->count; ++*rule) {
			enum pattern_answer answer;

			if (price_rule_is_exact(book, *rule) != (exact == 1) || is_on_way(way, book, *rule))
				continue;
			answer = rule_answers(&book->rules[*rule], subject);
			if (answer != PATTERN_NO)
				return answer == PATTERN_YES ? PRICE_MATCHED : PRICE_PATTERN_LIMIT;
		}
	return PRICE_NO_RULE;
}

static void
add_source(struct choosing *choosing, const struct price_book *book, size_t rule, size_t layer, const struct path *path)
{
	struct price_source *source;

	if (choosing->sources == PRICE_SOURCES_MAX) {
		choosing->undecided = true;
		return;
	}
	source = &choosing->source[choosing->sources++];
	*source = (struct price_source){.book = book, .rule = rule, .layer = layer, .adjustments = path->adjustments};
	memcpy(source->adjustment, path->adjustment, path->adjustments * sizeof *path->adjustment);
}

static void follow(struct choosing *choosing, const struct price_book *book, size_t place, const struct price_subject *subject,
    const struct path *path);

/* Rules of a name, in all layers.  A rule that names itself means those that stand below it: it is what they are, with changes. */
static void
follow_name(struct choosing *choosing, const struct price_book *book, const struct price_rule *rule,
    const struct price_subject *subject, const struct path *path)
{
	bool is_below = rule->name == NULL || strcmp(rule->name, rule->from_name) != 0;

	for (size_t layer = 0; layer < choosing->count; layer++) {
		struct path here = *path;

		here.books_at = here.adjustments;
		for (const struct price_book *at = choosing->books[layer]; at != NULL; at = at->base) {
			for (size_t i = 0; is_below && i < at->count; i++)
				if (at->rules[i].name != NULL && strcmp(at->rules[i].name, rule->from_name) == 0 &&
				    !is_on_way(path->way, at, i)) {
					add_source(choosing, at, i, layer, &here);
					follow(choosing, at, i, subject, &here);
				}
			is_below = is_below || at == book;
			if (at->base != NULL && !go_down(choosing, &here, at))
				return;
		}
	}
}

/* Goes on to what the rule inherits from. */
static void
follow(struct choosing *choosing, const struct price_book *book, size_t place, const struct price_subject *subject,
    const struct path *path)
{
	const struct price_rule *rule = &book->rules[place];
	const struct way way = {path->way, book, place};
	struct path further = *path;
	struct price_subject other = *subject;
	const char *what = rule->from == INHERIT_BASE_MODEL ? "base model " : "model ";

	if (rule->from == INHERIT_NOTHING || path->depth >= INHERIT_DEPTH_MAX || choosing->undecided)
		return;
	further.way = &way;
	further.depth++;
	leave_book(&further);
	if (rule->from == INHERIT_RULE) {
		if (adjust(choosing, &further,
			(struct price_adjustment){
			    rule->factor, rule->plus, words_of(choosing, "rule ", rule->from_name, rule->factor)}))
			follow_name(choosing, book, rule, subject, &further);
		return;
	}
	other.field[MATCH_MODEL] = rule->from == INHERIT_BASE_MODEL ? subject->field[MATCH_BASE_MODEL] : rule->from_name;
	if (other.field[MATCH_MODEL][0] == '\0')
		return;
	other.field[MATCH_BASE_MODEL] = other.field[MATCH_ADAPTER_KIND] = other.field[MATCH_ADAPTER] = "";
	if (adjust(choosing, &further,
		(struct price_adjustment){
		    rule->factor, rule->plus, words_of(choosing, what, other.field[MATCH_MODEL], rule->factor)}))
		choose_among(choosing, &other, &further);
}

/* One book without what it extends: its rule, what that inherits, and the service tier that this one inherits from. */
static void
ask(struct choosing *choosing, const struct price_book *book, size_t layer, const struct price_subject *subject,
    const struct path *path)
{
	size_t rule;
	enum price_match match = find_rule(book, subject, path->way, &rule);

	choosing->undecided = choosing->undecided || match == PRICE_PATTERN_LIMIT;
	if (match == PRICE_MATCHED) {
		add_source(choosing, book, rule, layer, path);
		follow(choosing, book, rule, subject, path);
	}
	for (const struct price_book *at = choosing->books[layer]; at != NULL && path->depth < INHERIT_DEPTH_MAX; at = at->base)
		for (size_t i = 0; i < at->tiers; i++)
			if (strcmp(at->tier[i].tier, subject->field[MATCH_SERVICE_TIER]) == 0) {
				const struct book_tier *tier = &at->tier[i];
				struct price_subject other = *subject;
				struct path further = *path;

				other.field[MATCH_SERVICE_TIER] = tier->inherit;
				further.depth++;
				if (adjust(choosing, &further,
					(struct price_adjustment){tier->factor, NULL,
					    words_of(choosing, "service tier ", tier->inherit, tier->factor)}))
					ask(choosing, book, layer, &other, &further);
				return;
			}
}

static void
choose_among(struct choosing *choosing, const struct price_subject *subject, const struct path *path)
{
	for (size_t layer = 0; layer < choosing->count; layer++) {
		struct price_subject named = *subject;
		struct path here = *path;

		here.books_at = here.adjustments;
		named.field[MATCH_MODEL] = price_book_alias(choosing->books[layer], subject->field[MATCH_MODEL]);
		for (const struct price_book *book = choosing->books[layer]; book != NULL; book = book->base) {
			ask(choosing, book, layer, &named, &here);
			if (book->base != NULL && !go_down(choosing, &here, book))
				break;
		}
	}
}

void
price_choose(const struct price_book *const *books, size_t count, const struct price_subject *subject, struct arena *arena,
    struct price_choice *out)
{
	struct choosing choosing = {.books = books, .count = count, .arena = arena};
	struct path path = {0};
	struct price_source *kept;

	*out = (struct price_choice){0};
	for (size_t layer = 0; layer < count; layer++)
		for (const struct price_book *book = books[layer]; book != NULL; book = book->base) {
			must(out->layers < PRICE_LAYERS_MAX);
			out->layer[out->layers++] = book;
		}
	choose_among(&choosing, subject, &path);
	out->outcome = choosing.undecided ? PRICE_PATTERN_LIMIT : choosing.sources == 0 ? PRICE_NO_RULE : PRICE_MATCHED;
	kept = arena_take(arena, (choosing.sources + 1) * sizeof *kept);
	memcpy(kept, choosing.source, choosing.sources * sizeof *kept);
	out->source = kept;
	out->sources = choosing.sources;
}

/* --- the price of a meter -------------------------------------------------------------------- */

static const struct tier_step free_step = {.per = 1};
static const struct price_bracket free_bracket = {.words = "", .tiers = {TIER_FLAT, 1, &free_step}};
static const struct meter_price free_price = {.brackets = 1, .bracket = &free_bracket};

/* Of the first layer that has one: of a rule in it that is asked, else of the book, which may have no rule for the usage. */
static int
fallback_of(const struct price_choice *choice, int meter)
{
	for (size_t layer = 0; layer < choice->layers; layer++) {
		const struct price_book *book = choice->layer[layer];

		for (size_t i = 0; i < choice->sources; i++)
			if (choice->source[i].book == book && book->rules[choice->source[i].rule].fallback[meter] != 0)
				return book->rules[choice->source[i].rule].fallback[meter];
		if (book->fallback[meter] != 0)
			return book->fallback[meter];
	}
	return 0;
}

static bool
is_free(const struct price_choice *choice, int meter)
{
	for (size_t i = 0; i < choice->layers; i++)
		if (choice->layer[i]->is_free[meter])
			return true;
	return false;
}

struct price_answer
price_choice_meter(const struct price_choice *choice, int meter)
{
	int at = meter;

	must(meter > 0 && meter < METER_LIMIT);
	for (int steps = 0; steps <= FALLBACKS_MAX && at != 0; steps++, at = fallback_of(choice, at))
		for (size_t i = 0; i < choice->sources; i++) {
			const struct price_source *source = &choice->source[i];
			const struct meter_price *price = source->book->rules[source->rule].price[at];

			if (price != NULL)
				return (struct price_answer){price, source, at};
		}
	if (choice->sources > 0 && is_free(choice, meter))
		return (struct price_answer){&free_price, NULL, meter};
	return (struct price_answer){NULL, NULL, meter};
}

bool
price_plus_of(const struct price_plus *plus, int meter, struct decimal *price, int64_t *per)
{
	if (plus == NULL || plus->per[meter] == 0)
		return false;
	*price = plus->price[meter];
	*per = plus->per[meter];
	return true;
}

static bool
add_plus(const struct price_plus *plus, int meter, int64_t per, struct decimal *price, struct error *err)
{
	struct decimal more;
	int64_t more_per;

	if (!price_plus_of(plus, meter, &more, &more_per))
		return true;
	return decimal_price(more, per, more_per, ROUND_HALF_EVEN, &more, err) && decimal_add(*price, more, price, err);
}

bool
price_effective(const struct price_source *source, int priced_as, struct decimal price, int64_t per, struct decimal time_factor,
    struct decimal *out, struct error *err)
{
	if (!decimal_multiply(price, time_factor, ROUND_HALF_EVEN, out, err))
		return false;
	for (size_t i = source == NULL ? 0 : source->adjustments; i > 0; i--) {
		const struct price_adjustment *adjustment = &source->adjustment[i - 1];

		if (!decimal_multiply(*out, adjustment->factor, ROUND_HALF_EVEN, out, err) ||
		    !add_plus(adjustment->plus, priced_as, per, out, err))
			return false;
	}
	return true;
}

bool
price_effective_fee(
    const struct price_source *source, struct decimal fee, struct decimal time_factor, struct decimal *out, struct error *err)
{
	if (!decimal_multiply(fee, time_factor, ROUND_HALF_EVEN, out, err))
		return false;
	for (size_t i = source == NULL ? 0 : source->adjustments; i > 0; i--)
		if (!decimal_multiply(*out, source->adjustment[i - 1].factor, ROUND_HALF_EVEN, out, err))
			return false;
	return true;
}

const struct tier_step *
price_first_step(const struct meter_price *price)
{
	return &price->bracket[0].tiers.step[0];
}
