/* price_read.c -- see price_book_rules.h: what stands for a meter in "prices". */
#include <string.h>

#include "rating/price_book_rules.h"

enum { FIELD_BYTES = 320, STEP_QUANTITY_DIGITS = 18 };

/* What all parts of one price share. */
struct place {
	const struct document *document;
	const struct meter *meter;
	struct price_book *book;
};

bool
price_read_amount(
    const struct document *document, json_t *object, const char *path, const char *key, bool signed_too, struct decimal *out)
{
	const json_t *value = json_object_get(object, key);
	char field[FIELD_BYTES];
	struct error why = {0};

	document_path(field, sizeof field, path, key);
	if (value == NULL)
		return document_refuse(document, field, object, "\"%s\" is missing", key);
	if (!json_is_string(value)) {
		document_refuse(
		    document, field, value, "a price is decimal text, so that no program turns it into a binary fraction");
		return error_hint(document->err, "Write it in quotes: \"%s\": \"0.15\"", key);
	}
	if (!decimal_parse(json_string_value(value), json_string_length(value), out, &why)) {
		document_refuse(document, field, value, "not a price: %.200s", why.message);
		return error_hint(document->err, "%s", why.hint);
	}
	if (out->e18 >= 0 || signed_too)
		return true;
	document_refuse(document, field, value, "a price is not negative");
	return error_hint(document->err, "Some lists write -1 for \"varies\": leave such a model out, its usage is then held.");
}

bool
price_read_factor(const struct document *document, json_t *object, const char *path, struct decimal *out)
{
	char field[FIELD_BYTES];

	*out = decimal_one;
	if (json_object_get(object, "factor") == NULL)
		return true;
	if (!price_read_amount(document, object, path, "factor", false, out))
		return false;
	if (out->e18 <= decimal_one.e18 * 1000)
		return true;
	return document_refuse(document, document_path(field, sizeof field, path, "factor"), json_object_get(object, "factor"),
	    "a factor is at most 1000");
}

/* Seconds and hours have names for more of them. */
static int64_t
named_per(const struct meter *meter, const char *name)
{
	size_t length = meter->name_length;
	bool seconds = length > 8 && strcmp(meter->name + length - 8, "_seconds") == 0;
	bool hours = length > 6 && strcmp(meter->name + length - 6, "_hours") == 0;

	if (strcmp(name, "minute") == 0)
		return seconds ? 60 : 0;
	if (strcmp(name, "hour") == 0)
		return seconds ? 3600 : hours ? 1 : 0;
	return strcmp(name, "day") == 0 && hours ? 24 : 0;
}

bool
price_read_per(const struct document *document, json_t *object, const char *path, const struct meter *meter, int64_t *per)
{
	const json_t *value = json_object_get(object, "per");
	char field[FIELD_BYTES];

	document_path(field, sizeof field, path, "per");
	if (json_is_string(value)) {
		*per = named_per(meter, json_string_value(value));
		return *per != 0 ||
		    document_refuse(document, field, value,
			"\"per\" in words is \"minute\" or \"hour\" for seconds, \"hour\" or \"day\" for hours");
	}
	*per = json_is_integer(value) ? json_integer_value(value) : 0;
	if (*per == 1 || *per == 1000 || *per == 1000000)
		return true;
	return document_refuse(document, field, value, "\"per\" must be 1, 1000 or 1000000: how many units the price is for");
}

/* --- tiers ----------------------------------------------------------------------------------- */

static bool
read_count(const struct place *at, json_t *object, const char *path, const char *key, int64_t *out)
{
	const json_t *value = json_object_get(object, key);
	char field[FIELD_BYTES];

	*out = json_is_integer(value) ? json_integer_value(value) : 0;
	if (*out >= 1 && *out <= 1000000000000000000)
		return true;
	return document_refuse(at->document, document_path(field, sizeof field, path, key), value,
	    "\"%s\" must be a whole number of units, 1 to 10^18", key);
}

static bool
read_up_to(const struct place *at, json_t *step, const char *path, i128 *out)
{
	const json_t *value = json_object_get(step, "up_to");
	struct error ignored;
	int64_t units;

	/* Decimal text was taken from the first day on, so it always is. */
	if (!json_is_string(value) || !integer_parse(json_string_value(value), json_string_length(value), out, &ignored) ||
	    *out < 1 || *out > 1000000000000000000) {
		if (!read_count(at, step, path, "up_to", &units))
			return false;
		*out = units;
	}
	*out *= meter_scale(at->meter);
	return true;
}

/* What the units of a step cost; `per` is what the tiers share, 0 where they share none. */
static bool
read_step_price(const struct place *at, json_t *step, const char *path, int64_t per, struct tier_step *out)
{
	const json_t *package = json_object_get(step, "package");
	char field[FIELD_BYTES];

	if (!price_read_amount(at->document, step, path, "price", false, &out->price))
		return false;
	out->per = per;
	if (json_object_get(step, "fee") != NULL && !price_read_amount(at->document, step, path, "fee", false, &out->fee))
		return false;
	if (package != NULL) {
		out->in_packages = true;
		return read_count(at, step, path, "package", &out->per) &&
		    (out->per <= 1000000000000 ||
			document_refuse(at->document, document_path(field, sizeof field, path, "package"), package,
			    "a package has at most 10^12 units"));
	}
	if (per != 0)
		return true;
	document_path(field, sizeof field, path, "per");
	return document_refuse(at->document, field, step, "\"per\" is missing: a price is for 1, 1000 or 1000000 units");
}

static bool
read_steps(const struct place *at, json_t *value, const char *path, int64_t per, struct tiers *out)
{
	json_t *steps = json_object_get(value, "steps"), *item;
	struct tier_step *step;
	size_t i;

	if (!json_is_array(steps) || json_array_size(steps) < 1 || json_array_size(steps) > TIER_STEPS_MAX)
		return document_refuse(at->document, path, value, "tiers need \"steps\": a list of 1 to %d", TIER_STEPS_MAX);
	out->steps = json_array_size(steps);
	step = arena_take(&at->book->arena, out->steps * sizeof *step);
	memset(step, 0, out->steps * sizeof *step);
	out->step = step;
	json_array_foreach(steps, i, item)
	{
		char field[FIELD_BYTES];

		snprintf(field, sizeof field, "%s.steps[%zu]", path, i);
		if (!json_is_object(item))
			return document_refuse(at->document, field, item, "a step is a JSON object");
		if (!DOCUMENT_KEYS(at->document, item, field, "up_to", "price", "fee", "package") ||
		    !read_step_price(at, item, field, per, &step[i]))
			return false;
		if (i + 1 == out->steps && json_object_get(item, "up_to") != NULL)
			return document_refuse(at->document, field, item, "the last step is open: it has no \"up_to\"");
		if (i + 1 == out->steps)
			return true;
		if (!read_up_to(at, item, field, &step[i].up_to))
			return false;
		if (i > 0 && step[i].up_to <= step[i - 1].up_to)
			return document_refuse(at->document, field, item, "steps must rise");
	}
	return true;
}

/* A price, a package, or tiers; keys are checked by the caller. */
static bool
read_tiers(const struct place *at, json_t *value, const char *path, int64_t per, struct tiers *out)
{
	struct tier_step *step;
	const char *mode;

	if (!document_text(at->document, value, path, "tiers", false, 16, &mode))
		return false;
	if (mode != NULL) {
		char field[FIELD_BYTES];

		document_path(field, sizeof field, path, "tiers");
		if (strcmp(mode, "graduated") != 0 && strcmp(mode, "volume") != 0)
			return document_refuse(
			    at->document, field, json_object_get(value, "tiers"), "\"tiers\" is \"graduated\" or \"volume\"");
		if (json_object_get(value, "price") != NULL || json_object_get(value, "package") != NULL)
			return document_refuse(at->document, path, value, "the prices of tiers stand in their steps");
		out->mode = strcmp(mode, "graduated") == 0 ? TIER_GRADUATED : TIER_VOLUME;
		return read_steps(at, value, path, per, out);
	}
	if (json_object_get(value, "steps") != NULL)
		return document_refuse(at->document, path, value, "\"steps\" need \"tiers\": \"graduated\" or \"volume\"");
	step = arena_take(&at->book->arena, sizeof *step);
	*step = (struct tier_step){0};
	if (!read_step_price(at, value, path, per, step))
		return false;
	/* Packages are counted, so they have a counter, as tiers do. */
	*out = (struct tiers){.mode = step->in_packages ? TIER_GRADUATED : TIER_FLAT, .steps = 1, .step = step};
	return true;
}

/* --- brackets -------------------------------------------------------------------------------- */

/* Where a bracket begins: the first smallest size that it is for; for parts, the tokens before it. */
static bool
read_boundary(const struct place *at, json_t *value, const char *path, bool parts, struct price_bracket *out)
{
	bool over = json_object_get(value, "over") != NULL;
	const char *key = over ? "over" : "from";
	int64_t boundary;

	if (over == (json_object_get(value, "from") != NULL))
		return document_refuse(at->document, path, value, "a bracket after the first has either \"over\" or \"from\"");
	if (!read_count(at, value, path, key, &boundary))
		return false;
	/* Place p of a token counts from 0: the tokens after the first N are those from place N on. */
	out->from = over && !parts ? boundary + 1 : !over && parts ? boundary - 1 : boundary;
	out->words = arena_format(&at->book->arena, "%s %lld", key, (long long)boundary);
	return true;
}

static bool
read_bracket(
    const struct place *at, json_t *value, const char *path, bool is_first, bool parts, int64_t per, struct price_bracket *out)
{
	*out = (struct price_bracket){.words = ""};
	if (!json_is_object(value))
		return document_refuse(at->document, path, value, "a bracket is a JSON object");
	if (!DOCUMENT_KEYS(at->document, value, path, "over", "from", "price", "package", "tiers", "steps"))
		return false;
	if (is_first && (json_object_get(value, "over") != NULL || json_object_get(value, "from") != NULL))
		return document_refuse(at->document, path, value, "the first bracket begins at nothing: it has no boundary");
	return (is_first || read_boundary(at, value, path, parts, out)) && read_tiers(at, value, path, per, &out->tiers);
}

static bool
read_size(const struct place *at, json_t *value, const char *path, enum price_size *out)
{
	static const char *const names[] = {"input", "uncached_input", "output"};
	const char *split, *subject;
	char field[FIELD_BYTES];

	if (!document_text(at->document, value, path, "split", false, 16, &split) ||
	    !document_text(at->document, value, path, "subject", false, 32, &subject))
		return false;
	if (split != NULL && strcmp(split, "request") != 0 && strcmp(split, "tokens") != 0)
		return document_refuse(at->document, document_path(field, sizeof field, path, "split"),
		    json_object_get(value, "split"),
		    "\"split\" is \"request\" (the whole request in one bracket) or \"tokens\" (each token by its place)");
	document_path(field, sizeof field, path, "subject");
	if (split != NULL && strcmp(split, "tokens") == 0) {
		*out = SIZE_PART;
		if (at->meter->side == METER_SIDE_OTHER)
			return document_refuse(at->document, path, value, "only tokens of input and output can be split");
		return subject == NULL ||
		    document_refuse(at->document, field, json_object_get(value, "subject"),
			"with \"split\": \"tokens\" each token counts in its own side; there is no \"subject\"");
	}
	*out = SIZE_INPUT;
	if (subject == NULL)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(subject, names[i]) == 0) {
			*out = (enum price_size)i;
			return true;
		}
	document_refuse(at->document, field, json_object_get(value, "subject"), "brackets have no such \"subject\"");
	return document_suggest(at->document->err, subject, names, sizeof names / sizeof names[0]);
}

static bool
read_brackets(const struct place *at, json_t *value, const char *path, int64_t per, struct meter_price *out)
{
	json_t *list = json_object_get(value, "brackets"), *item;
	struct price_bracket *bracket;
	char field[FIELD_BYTES];
	size_t i;

	document_path(field, sizeof field, path, "brackets");
	if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > PRICE_BRACKETS_MAX)
		return document_refuse(at->document, field, list, "\"brackets\" must be a list of 1 to %d", PRICE_BRACKETS_MAX);
	if (json_object_get(value, "price") != NULL || json_object_get(value, "tiers") != NULL ||
	    json_object_get(value, "steps") != NULL || json_object_get(value, "package") != NULL)
		return document_refuse(at->document, path, value, "the prices of brackets stand in the brackets");
	if (!read_size(at, value, path, &out->size))
		return false;
	out->brackets = json_array_size(list);
	bracket = arena_take(&at->book->arena, out->brackets * sizeof *bracket);
	out->bracket = bracket;
	json_array_foreach(list, i, item)
	{
		snprintf(field, sizeof field, "%s.brackets[%zu]", path, i);
		if (!read_bracket(at, item, field, i == 0, out->size == SIZE_PART, per, &bracket[i]))
			return false;
		if (i > 0 && bracket[i].from <= bracket[i - 1].from)
			return document_refuse(at->document, field, item, "the boundaries of brackets must rise");
	}
	return true;
}

/* --- the counter ----------------------------------------------------------------------------- */

/* One of `names`, or 0 where the key is missing. */
static bool
read_word(const struct place *at, json_t *object, const char *path, const char *key, const char *const *names, size_t count,
    size_t *out)
{
	char field[FIELD_BYTES];
	const char *word;

	*out = 0;
	if (!document_text(at->document, object, path, key, false, 32, &word))
		return false;
	if (word == NULL)
		return true;
	for (*out = 0; *out < count; ++*out)
		if (strcmp(word, names[*out]) == 0)
			return true;
	document_refuse(at->document, document_path(field, sizeof field, path, key), json_object_get(object, key),
	    "there is no such \"%s\" of a counter", key);
	return document_suggest(at->document->err, word, names, count);
}

static bool
read_counter(const struct place *at, json_t *value, const char *path, struct meter_price *out)
{
	static const char *const scopes[] = {"rule", "model", "group", "contract"};
	static const char *const resets[] = {"month", "quarter", "year", "never"};
	json_t *counter = json_object_get(value, "counter");
	size_t scope, reset;
	char field[FIELD_BYTES];
	const char *group;

	if (counter == NULL)
		return true;
	document_path(field, sizeof field, path, "counter");
	if (!json_is_object(counter))
		return document_refuse(at->document, field, counter, "a counter is a JSON object");
	if (!DOCUMENT_KEYS(at->document, counter, field, "scope", "group", "reset") ||
	    !read_word(at, counter, field, "scope", scopes, 4, &scope) ||
	    !read_word(at, counter, field, "reset", resets, 4, &reset) ||
	    !document_text(at->document, counter, field, "group", false, PRICE_NAME_BYTES, &group))
		return false;
	out->scope = (enum counter_scope)scope;
	out->reset = (enum counter_reset)reset;
	at->book->carries = at->book->carries || out->reset != RESET_MONTH;
	if ((group != NULL) != (out->scope == COUNTER_GROUP))
		return document_refuse(at->document, field, counter,
		    "\"group\" names what counts together where \"scope\" is \"group\", and stands only there");
	if (group != NULL)
		out->group = arena_copy(&at->book->arena, group, strlen(group));
	return true;
}

bool
price_is_counted(const struct meter_price *price)
{
	for (size_t i = 0; i < price->brackets; i++)
		if (price->bracket[i].tiers.mode != TIER_FLAT)
			return true;
	for (size_t i = 0; i < price->times; i++)
		if (price->time[i].price != NULL && price_is_counted(price->time[i].price))
			return true;
	return false;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* Everything but times and the counter. */
static bool
read_plain(const struct place *at, json_t *value, const char *path, int64_t outer_per, struct meter_price *out)
{
	struct price_bracket *only;
	int64_t per = outer_per;

	if (json_object_get(value, "per") != NULL && !price_read_per(at->document, value, path, at->meter, &per))
		return false;
	if (json_object_get(value, "brackets") != NULL)
		return read_brackets(at, value, path, per, out);
	if (json_object_get(value, "subject") != NULL || json_object_get(value, "split") != NULL)
		return document_refuse(at->document, path, value, "\"subject\" and \"split\" belong to \"brackets\"");
	if (json_object_get(value, "per") != NULL && json_object_get(value, "package") != NULL)
		return document_refuse(
		    at->document, path, value, "a package says itself how many units its price is for: no \"per\"");
	only = arena_take(&at->book->arena, sizeof *only);
	*only = (struct price_bracket){.words = ""};
	out->brackets = 1;
	out->bracket = only;
	return read_tiers(at, value, path, per, &only->tiers);
}

static const struct time_window *
window_of(const struct place *at, json_t *entry, const char *path)
{
	const struct price_book *book = at->book, *layer = book;
	char field[FIELD_BYTES];
	const char *name;

	if (!document_text(at->document, entry, path, "window", true, PRICE_NAME_BYTES, &name))
		return NULL;
	do {
		for (size_t i = 0; i < layer->windows; i++)
			if (strcmp(layer->window_name[i], name) == 0)
				return layer->window[i];
		layer = layer->base;
	} while (layer != NULL);
	document_refuse(at->document, document_path(field, sizeof field, path, "window"), json_object_get(entry, "window"),
	    "the book has no window of that name");
	document_suggest(at->document->err, name, book->window_name, book->windows);
	return NULL;
}

static bool
read_time(
    const struct place *at, json_t *entry, const char *path, int64_t per, const struct meter_price *outer, struct price_time *out)
{
	struct meter_price *own;

	*out = (struct price_time){.factor = decimal_one};
	if (!json_is_object(entry))
		return document_refuse(at->document, path, entry, "an entry of \"times\" is a JSON object");
	if (!DOCUMENT_KEYS(at->document, entry, path, "window", "factor", "price", "per", "tiers", "steps", "package", "brackets",
		"subject", "split"))
		return false;
	out->window = window_of(at, entry, path);
	if (out->window == NULL)
		return false;
	if (json_object_get(entry, "factor") != NULL) {
		if (json_object_size(entry) != 2)
			return document_refuse(at->document, path, entry, "a window has either a factor or a price of its own");
		return price_read_factor(at->document, entry, path, &out->factor);
	}
	own = arena_take(&at->book->arena, sizeof *own);
	*own = (struct meter_price){.scope = outer->scope, .reset = outer->reset, .group = outer->group};
	out->price = own;
	return read_plain(at, entry, path, per, own);
}

static bool
read_times(const struct place *at, json_t *value, const char *path, struct meter_price *out)
{
	json_t *list = json_object_get(value, "times"), *entry;
	struct price_time *time;
	char field[FIELD_BYTES];
	int64_t per = 0;
	size_t i;

	if (list == NULL)
		return true;
	if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > PRICE_TIMES_MAX)
		return document_refuse(at->document, document_path(field, sizeof field, path, "times"), list,
		    "\"times\" must be a list of 1 to %d", PRICE_TIMES_MAX);
	if (json_object_get(value, "per") != NULL && !price_read_per(at->document, value, path, at->meter, &per))
		return false;
	time = arena_take(&at->book->arena, json_array_size(list) * sizeof *time);
	json_array_foreach(list, i, entry)
	{
		snprintf(field, sizeof field, "%s.times[%zu]", path, i);
		if (!read_time(at, entry, field, per, out, &time[i]))
			return false;
	}
	out->time = time;
	out->times = json_array_size(list);
	return true;
}

bool
price_read(const struct document *document, json_t *value, const char *path, const struct meter *meter, struct price_book *book,
    const struct meter_price **out)
{
	const struct place at = {document, meter, book};
	struct meter_price *price;
	char field[FIELD_BYTES];

	if (!json_is_object(value)) {
		document_refuse(document, path, value, "a price is an object");
		return error_hint(document->err, "For example {\"price\": \"0.15\", \"per\": 1000000}");
	}
	if (!DOCUMENT_KEYS(document, value, path, "price", "per", "tiers", "steps", "package", "brackets", "subject", "split",
		"times", "counter"))
		return false;
	price = arena_take(&book->arena, sizeof *price);
	*price = (struct meter_price){0};
	*out = price;
	if (!read_counter(&at, value, path, price) || !read_plain(&at, value, path, 0, price) ||
	    !read_times(&at, value, path, price))
		return false;
	if (json_object_get(value, "counter") != NULL && !price_is_counted(price))
		return document_refuse(document, document_path(field, sizeof field, path, "counter"),
		    json_object_get(value, "counter"), "nothing is counted here: a counter belongs to tiers or packages");
	return true;
}
