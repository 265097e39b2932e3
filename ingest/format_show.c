/*
 * format_show.c -- see format_show.h.
 *
 * Descriptions are shown as they are written, not as a profile holds them: a profile was opened before, so they are known to be right.
 */
#include "ingest/format_show.h"

#include <stdlib.h>
#include <string.h>

#include "base/document.h"

enum { LINE_WIDTH = 100, NAME_WIDTH = 22, PART_WIDTH = 32 };

const struct column format_columns[] = {
    {"format", "format", COLUMN_TEXT},
    {"cached", "cached", COLUMN_TEXT},
    {"written", "written", COLUMN_TEXT},
    {"reasoning", "reasoning", COLUMN_TEXT},
    {"id", "id", COLUMN_TEXT},
    {"time", "time", COLUMN_TEXT},
    {"title", "title", COLUMN_TEXT},
    {0},
};

static void add_value(struct text *out, const json_t *value);
static void add_paths(struct text *out, const json_t *paths);
static void add_test(struct text *out, const json_t *test, bool negated);

/* The description that a name stands for, as a document; json_decref() ends it. */
static bool
read_description(const char *name, json_t **out, struct error *err)
{
	struct text text = {0};
	bool fine = profile_describe(name, &text, err);

	*out = fine ? document_parse(text_string(&text), text.length, name, err) : NULL;
	text_release(&text);
	return *out != NULL;
}

/* --- pieces ----------------------------------------------------------------------------------- */

static const char *
text_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static bool
is_empty(const json_t *value)
{
	return value == NULL || json_is_null(value) || (json_is_object(value) && json_object_size(value) == 0) ||
	    (json_is_array(value) && json_array_size(value) == 0);
}

/* A list with words between its items, each added by `add`. */
static void
add_list(struct text *out, const json_t *list, const char *between, void (*add)(struct text *, const json_t *))
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		text_add_string(out, i == 0 ? "" : between);
		add(out, item);
	}
}

/* Lines of at most LINE_WIDTH, the first one begun by `bullet`, the others by as many blanks. */
static void
add_wrapped(struct text *out, const char *bullet, const char *words)
{
	size_t at = strlen(bullet), used = at;

	text_add_string(out, bullet);
	while (*words != '\0') {
		size_t length = strcspn(words, " \n");

		if (used > at && used + 1 + length > LINE_WIDTH) {
			text_add_format(out, "\n%*s", (int)at, "");
			used = at;
		} else if (used > at) {
			text_add_string(out, " ");
			used++;
		}
		text_add(out, words, length);
		used += length;
		words += length + strspn(words + length, " \n");
	}
	text_add_string(out, "\n");
}

static void
add_heading(struct text *out, const char *heading)
{
	text_add_format(out, "\n%s\n", heading);
}

/* "  name        " to the column where what is said of it begins. */
static void
add_name(struct text *out, int width, const char *name)
{
	text_add_format(out, "  %-*s ", width - 2, name);
}

static void
add_value(struct text *out, const json_t *value)
{
	char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	must(dumped != NULL);
	text_add_string(out, dumped);
	free(dumped);
}

static void
add_path(struct text *out, const json_t *path)
{
	if (json_is_object(path)) {
		text_add_format(
		    out, "%s%s", text_of(path, "path"), json_is_true(json_object_get(path, "deprecated")) ? " (old)" : "");
		return;
	}
	if (strcmp(json_string_value(path), "") == 0)
		text_add_string(out, "the record itself");
	else
		text_add_string(out, json_string_value(path));
}

static void
add_less(struct text *out, const json_t *less)
{
	if (is_empty(less))
		return;
	text_add_string(out, ", less those of ");
	if (json_is_array(less))
		add_list(out, less, " and ", add_path);
	else
		add_path(out, less);
}

static void
add_paths(struct text *out, const json_t *paths)
{
	const json_t *counted = json_object_get(paths, "count"), *inner = json_object_get(paths, "path");

	if (counted != NULL) {
		text_add_string(out, "how many of ");
		add_paths(out, counted);
		add_less(out, json_object_get(paths, "less"));
	} else if (json_is_true(json_object_get(paths, "sum")) && json_is_array(inner)) {
		add_list(out, inner, " + ", add_path);
	} else if (json_is_array(paths)) {
		add_list(out, paths, ", else ", add_path);
	} else if (json_is_object(paths) && !json_is_string(inner)) {
		add_paths(out, inner);
	} else {
		add_path(out, paths);
	}
}

/* Paths of one count: where several are there they say the same. */
static void
add_same_paths(struct text *out, const json_t *paths)
{
	const json_t *inner = json_is_object(paths) ? json_object_get(paths, "path") : paths;

	if (json_is_array(inner) && !json_is_true(json_object_get(paths, "sum")))
		add_list(out, inner, " = ", add_path);
	else
		add_paths(out, paths);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void
add_words(struct text *out, json_t *words)
{
	const char *separator = "; ", *from;
	json_t *to;

	json_object_foreach(words, from, to)
	{
		text_add_format(
		    out, "%s%s = %s", separator, from, json_string_length(to) > 0 ? json_string_value(to) : "not stated");
		separator = ", ";
	}
}

static void
add_unit(struct text *out, const json_t *source)
{
	if (text_of(source, "unit") != NULL)
		text_add_format(out, " in %s", text_of(source, "unit"));
	if (text_of(source, "zone") != NULL)
		text_add_format(out, ", zone %s where it has none", text_of(source, "zone"));
}

static void
add_source(struct text *out, const char *field, const json_t *source)
{
	const json_t *plus = json_object_get(source, "plus");
	const char *join = text_of(source, "join");

	if (join != NULL && json_is_array(json_object_get(source, "path"))) {
		struct text between = {0};

		text_add_format(&between, " \"%s\" ", join);
		add_list(out, json_object_get(source, "path"), text_string(&between), add_path);
		text_release(&between);
	} else {
		add_paths(out, source);
	}
	if (!json_is_object(source))
		return;
	add_unit(out, source);
	if (plus != NULL) {
		text_add_string(out, " plus ");
		add_paths(out, plus);
		add_unit(out, plus);
	}
	if (!is_empty(json_object_get(source, "words")))
		add_words(out, json_object_get(source, "words"));
	if (json_is_true(json_object_get(source, "only_words")))
		text_add_string(
		    out, strcmp(field, "status") == 0 ? "; any other word = unknown" : "; any other word is refused, E_VALUE");
}

static void
add_fields(struct text *out, const json_t *description)
{
	json_t *fields = json_object_get(description, "fields"), *constants = json_object_get(description, "constants"), *value;
	const char *name;

	add_heading(out, "Fields");
	json_object_foreach(fields, name, value)
	{
		if (json_is_null(value))
			continue;
		add_name(out, NAME_WIDTH, name);
		add_source(out, name, value);
		if (json_object_get(constants, name) != NULL) {
			text_add_string(out, ", else ");
			add_value(out, json_object_get(constants, name));
		}
		text_add_string(out, "\n");
	}
	json_object_foreach(constants, name, value)
	{
		if (json_object_get(fields, name) != NULL)
			continue;
		add_name(out, NAME_WIDTH, name);
		text_add_string(out, "always ");
		add_value(out, value);
		text_add_string(out, "\n");
	}
}

/* --- counts ----------------------------------------------------------------------------------- */

static const char *
absent_words(const json_t *part, bool is_total)
{
	const char *absent = text_of(part, "absent");

	if (absent == NULL)
		return is_total ? "; missing: set aside" : "";
	if (strcmp(absent, "unknown") == 0)
		return "; missing: unknown";
	if (strcmp(absent, "zero_in_object") == 0)
		return "; missing: zero where its object is there, else unknown";
	return strcmp(absent, "fault") == 0 ? "; missing: set aside" : "; missing: zero";
}

static void
add_parts(struct text *out, json_t *parts, const char *branch)
{
	const char *name;
	json_t *part;

	json_object_foreach(parts, name, part)
	{
		if (json_is_null(part))
			continue;
		text_add_format(out, "    %s %-*s ", branch, PART_WIDTH - 5 - (int)strlen(branch), name);
		add_same_paths(out, part);
		text_add_format(out, "%s\n", absent_words(part, false));
	}
}

/* What is inside is under its total with "-", what is beside it with "+", and "?" where the total of all decides. */
static void
add_side(struct text *out, const json_t *description, const char *side)
{
	const json_t *found = json_object_get(description, side), *total = json_object_get(found, "total");

	if (is_empty(found))
		return;
	add_name(out, PART_WIDTH, side);
	if (is_empty(total)) {
		text_add_string(out, "no total of its own: the sum of its parts\n");
	} else {
		add_same_paths(out, total);
		text_add_format(out, "%s\n", absent_words(total, true));
	}
	add_parts(out, json_object_get(found, "inside"), "- inside");
	add_parts(out, json_object_get(found, "beside"), "+ beside");
	add_parts(out, json_object_get(found, "either"), "? either");
	if (text_of(found, "rest") != NULL)
		text_add_format(out, "    = what is left is %s\n", text_of(found, "rest"));
}

static void
add_total(struct text *out, const json_t *description)
{
	const json_t *total = json_object_get(description, "total");
	const char *wrong = text_of(total, "wrong");
	bool is_path = json_is_string(total) || json_is_array(total);

	if (is_empty(total) || (!is_path && is_empty(json_object_get(total, "path"))))
		return;
	add_name(out, PART_WIDTH, "total");
	add_same_paths(out, total);
	text_add_string(
	    out, wrong != NULL && strcmp(wrong, "flag") == 0 ? "; another sum is flagged\n" : "; another sum is set aside\n");
}

static void
add_manners(struct text *out, const json_t *description)
{
	const json_t *flags = json_object_get(description, "flags"), *ignored = json_object_get(description, "ignored");
	const char *numbers = text_of(description, "numbers");

	if (!is_empty(ignored)) {
		add_name(out, PART_WIDTH, "known, and no usage");
		add_list(out, ignored, ", ", add_path);
		text_add_string(out, "\n");
	}
	if (numbers != NULL && strcmp(numbers, "texts too") == 0)
		text_add_string(out, "  Counts may be texts that are numbers.\n");
	if (json_is_true(json_object_get(description, "suspect_cache")))
		text_add_string(out, "  A prompt that is cached but for one token or less is flagged F_CACHE_SUSPECT.\n");
	if (!is_empty(flags)) {
		text_add_string(out, "  Every event is flagged ");
		add_list(out, flags, ", ", add_path);
		text_add_string(out, ".\n");
	}
}

static void
add_counts(struct text *out, const json_t *description)
{
	json_t *counts = json_object_get(description, "counts"), *value;
	const json_t *never = json_object_get(description, "never_told"), *requests = json_object_get(description, "requests");
	const char *name;

	add_heading(out, "Counts");
	add_side(out, description, "input");
	add_side(out, description, "output");
	add_total(out, description);
	json_object_foreach(counts, name, value)
	{
		if (json_is_null(value))
			continue;
		add_name(out, PART_WIDTH, name);
		add_same_paths(out, value);
		text_add_string(out, "\n");
	}
	if (json_is_integer(requests) && json_integer_value(requests) == 0)
		text_add_string(out, "  A record is no request of its own.\n");
	if (!is_empty(never)) {
		add_name(out, PART_WIDTH, "never told");
		add_list(out, never, ", ", add_path);
		text_add_string(out, "\n");
	}
	add_manners(out, description);
}

/* --- identity, streams, rules ------------------------------------------------------------------ */

static void
add_identity(struct text *out, const json_t *description)
{
	json_t *unsafe = json_object_get(description, "unsafe"), *why;
	const json_t *id = json_object_get(json_object_get(description, "fields"), "id");
	const char *path;

	add_heading(out, "Identity");
	if (is_empty(id)) {
		add_wrapped(out, "  ",
		    "No field is safe as an id: capture the record in a CloudEvent, or name one with --field id=PATH.");
	} else {
		text_add_string(out, "  ");
		add_source(out, "id", id);
		text_add_string(out, "\n");
	}
	json_object_foreach(unsafe, path, why)
	{
		if (json_is_null(why))
			continue;
		add_name(out, NAME_WIDTH, path);
		text_add_format(out, "unsafe: %s\n", json_string_value(why));
	}
}

/* What a condition says: all of its tests. */
static void
add_condition(struct text *out, json_t *condition)
{
	const char *separator = "", *path;
	json_t *test;

	json_object_foreach(condition, path, test)
	{
		text_add_string(out, separator);
		if (path[0] == '$')
			text_add_format(out, "the %s%s", path + 1, strcmp(path, "$model") == 0 ? "" : " total");
		else
			text_add_string(out, path);
		add_test(out, test, false);
		separator = " and ";
	}
}

static void
add_object_test(struct text *out, const json_t *test, bool negated)
{
	static const struct {
		const char *name, *is, *is_not;
	} kinds[] = {{"begins", " begins with ", " does not begin with "}, {"at_least", " is at least ", " is below "},
	    {"at_most", " is at most ", " is above "}};

	if (json_object_get(test, "not") != NULL)
		add_test(out, json_object_get(test, "not"), !negated);
	else if (json_object_get(test, "present") != NULL)
		text_add_string(out, json_is_true(json_object_get(test, "present")) != negated ? " is there" : " is not there");
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (json_object_get(test, kinds[i].name) != NULL) {
			text_add_string(out, negated ? kinds[i].is_not : kinds[i].is);
			add_value(out, json_object_get(test, kinds[i].name));
		}
}

static void
add_test(struct text *out, const json_t *test, bool negated)
{
	const char *text = json_string_value(test);

	if (json_is_null(test)) {
		text_add_string(out, negated ? " is there" : " is not there");
	} else if (text != NULL && strcmp(text, "any") == 0) {
		text_add_string(out, negated ? " is not there" : " is there");
	} else if (json_is_object(test)) {
		add_object_test(out, test, negated);
	} else if (json_is_array(test)) {
		text_add_string(out, negated ? " is none of " : " is one of ");
		add_list(out, test, ", ", add_value);
	} else {
		text_add_string(out, negated ? " is not " : " is ");
		add_value(out, test);
	}
}

static void
add_set(struct text *out, json_t *set)
{
	const char *separator = "", *name;
	json_t *value;

	json_object_foreach(set, name, value)
	{
		text_add_format(out, "%s%s is ", separator, name);
		add_value(out, value);
		separator = ", ";
	}
}

static void
add_action(struct text *out, const json_t *action)
{
	if (text_of(action, "ignore") != NULL)
		text_add_format(out, "ignored, %s", text_of(action, "ignore"));
	else if (text_of(action, "set_aside") != NULL)
		text_add_format(out, "set aside, %s", text_of(action, "set_aside"));
	else if (text_of(action, "flag") != NULL)
		text_add_format(out, "flagged %s", text_of(action, "flag"));
	else if (json_object_get(action, "set") != NULL)
		add_set(out, json_object_get(action, "set"));
	else if (json_object_get(action, "gateway_cache") != NULL)
		text_add_string(out, "a replay of the gateway's cache: a request and a hit, no tokens");
	else
		text_add_string(out, "cut short, F_PARTIAL");
}

static void
add_rules(struct text *out, const json_t *description)
{
	const json_t *rules = json_object_get(description, "rules");
	struct text line = {0};
	size_t i;
	json_t *rule;

	if (is_empty(rules))
		return;
	add_heading(out, "Rules, in this order");
	json_array_foreach(rules, i, rule)
	{
		text_clear(&line);
		text_add_string(&line, "where ");
		add_condition(&line, json_object_get(rule, "when"));
		text_add_string(&line, ": ");
		add_action(&line, json_object_get(rule, "then"));
		add_wrapped(out, "  - ", text_string(&line));
	}
	text_release(&line);
}

static void
add_stream(struct text *out, const json_t *description)
{
	const json_t *stream = json_object_get(description, "stream"), *ends = json_object_get(stream, "end");
	size_t i;
	json_t *end;

	if (is_empty(stream))
		return;
	add_heading(out, "A captured stream");
	json_array_foreach(ends, i, end)
	{
		text_add_string(out, i == 0 ? "  ends " : ", or ");
		text_add_string(out, json_is_object(end) ? "where " : "with ");
		if (json_is_object(end))
			add_condition(out, end);
		else
			text_add_string(out, json_string_value(end));
	}
	if (!is_empty(ends))
		text_add_string(out, "; without it, it is cut: aborted, F_PARTIAL\n");
	if (json_is_string(json_object_get(stream, "choice"))) {
		text_add_string(out, "  A chunk with ");
		add_path(out, json_object_get(stream, "choice"));
		text_add_string(out, " counts that choice alone; of several, a chunk without it must count all.\n");
	}
	if (json_is_true(json_object_get(stream, "falls")))
		text_add_string(out, "  Its first counts are estimates, and may fall.\n");
}

/* --- names and passes --------------------------------------------------------------------------- */

static void
add_cut(struct text *out, const json_t *name, const char *what)
{
	const json_t *cut = json_object_get(name, what);
	const char *after = text_of(cut, "after"), *before = text_of(cut, "before");

	if (cut == NULL)
		return;
	text_add_format(out, "; %s: ", what);
	if (after == NULL && before == NULL)
		text_add_string(out, "all of it");
	if (after != NULL)
		text_add_format(
		    out, "behind the %s \"%s\"", json_is_true(json_object_get(cut, "first")) ? "first" : "last", after);
	if (before != NULL)
		text_add_format(out, "%sbefore the next \"%s\"", after != NULL ? " and " : "", before);
}

/* How the name of a model says what it is made of. */
static void
add_names(struct text *out, const json_t *description)
{
	const json_t *names = json_object_get(description, "names");
	json_t *adapters = json_object_get(description, "adapters"), *name, *base;
	const char *served;
	size_t i;

	if (is_empty(names) && is_empty(adapters))
		return;
	add_heading(out, "Names of models");
	json_array_foreach(names, i, name)
	{
		text_add_string(out, "  - any name");
		if (text_of(name, "begins") != NULL)
			text_add_format(out, " that begins with \"%s\"", text_of(name, "begins"));
		if (text_of(name, "contains") != NULL)
			text_add_format(out, "%s \"%s\"", text_of(name, "begins") != NULL ? " and contains" : " that contains",
			    text_of(name, "contains"));
		add_cut(out, name, "base_model");
		add_cut(out, name, "adapter");
		if (text_of(name, "adapter_kind") != NULL)
			text_add_format(out, "; adapter_kind: %s", text_of(name, "adapter_kind"));
		text_add_string(out, "\n");
	}
	json_object_foreach(adapters, served, base) if (!json_is_null(base))
	    text_add_format(out, "  - %s: a lora adapter of %s\n", served, json_string_value(base));
}

/* Passes that stand for the counts of the whole. */
static void
add_iterations(struct text *out, const json_t *description)
{
	const json_t *iterations = json_object_get(description, "iterations");
	const char *kind = text_of(iterations, "kind"), *model = text_of(iterations, "model");

	if (is_empty(iterations))
		return;
	add_heading(out, "Passes");
	text_add_format(out, "  %s: an event for each item, with its own counts instead of those of %s\n",
	    text_of(iterations, "path"), text_of(iterations, "instead_of"));
	if (model != NULL)
		text_add_format(out, "  model, of each           %s\n", model);
	if (kind != NULL) {
		text_add_format(out, "  operation, by its kind   %s", kind);
		add_words(out, json_object_get(iterations, "operations"));
		text_add_string(out, "\n");
	}
}

static void
add_places(struct text *out, const json_t *description)
{
	const json_t *at = json_object_get(description, "at"), *each = json_object_get(description, "each");
	bool is_elsewhere =
	    json_is_array(at) && (json_array_size(at) > 1 || strcmp(json_string_value(json_array_get(at, 0)), "") != 0);

	if (is_elsewhere) {
		text_add_string(out, "The payload stands at: ");
		add_list(out, at, ", or ", add_path);
		text_add_string(out, "\n");
	}
	if (!is_empty(each)) {
		text_add_string(out, "Each item of these lists is a record: ");
		add_list(out, each, ", ", add_path);
		text_add_string(out, "\n");
	}
	if (json_is_false(json_object_get(description, "capture")))
		text_add_string(out, "Records are not captured in CloudEvents.\n");
}

static void
add_traps(struct text *out, const json_t *description)
{
	const json_t *traps = json_object_get(description, "traps");
	size_t i;
	json_t *trap;

	if (is_empty(traps))
		return;
	add_heading(out, "Traps");
	json_array_foreach(traps, i, trap) add_wrapped(out, "  - ", json_string_value(trap));
}

bool
format_show(const char *name, struct text *out, struct error *err)
{
	json_t *description;

	if (!read_description(name, &description, err))
		return false;
	text_add_format(out, "%s: %s\n", text_of(description, "format"), text_of(description, "title"));
	if (text_of(description, "about") != NULL)
		add_wrapped(out, "", text_of(description, "about"));
	add_places(out, description);
	add_fields(out, description);
	add_counts(out, description);
	add_iterations(out, description);
	add_names(out, description);
	add_identity(out, description);
	add_stream(out, description);
	add_rules(out, description);
	add_traps(out, description);
	json_decref(description);
	return true;
}

/* Members in the order in which a person writes them; merging does not keep it. */
static json_t *
put_in_order(json_t *description)
{
	static const char *const first[] = {"tollbook_format", "format", "title", "about", "traps", "capture", "at", "each",
	    "fields", "constants", "unsafe", "input", "output", "total", "counts"};
	json_t *ordered = json_object();

	must(ordered != NULL);
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (json_object_get(description, first[i]) != NULL)
			must(json_object_set(ordered, first[i], json_object_get(description, first[i])) == 0);
	must(json_object_update_missing(ordered, description) == 0);
	return ordered;
}

bool
format_show_json(const char *name, struct text *out, struct error *err)
{
	json_t *description, *ordered;
	char *dumped;

	if (!read_description(name, &description, err))
		return false;
	ordered = put_in_order(description);
	dumped = json_dumps(ordered, JSON_INDENT(2));
	must(dumped != NULL);
	text_add_format(out, "%s\n", dumped);
	free(dumped);
	json_decref(ordered);
	json_decref(description);
	return true;
}

/* --- the list --------------------------------------------------------------------------------- */

/* How one of the parts stands to the total of its side; the first that the format tells counts. */
static const char *
relation_of(const json_t *description, const char *side, const char *const *parts)
{
	static const char *const relations[][2] = {{"inside", "inside"}, {"beside", "beside"}, {"either", "by total"}};
	const json_t *found = json_object_get(description, side);

	for (; *parts != NULL; parts++)
		for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++)
			if (!is_empty(json_object_get(json_object_get(found, relations[i][0]), *parts)))
				return relations[i][1];
	return "-";
}

static void
cell_relations(struct table *table, const json_t *description)
{
	static const char *const cached[] = {"cache_read", "text_cache_read", NULL}, *const reasoning[] = {"reasoning", NULL},
				 *const written[] = {"cache_write", "cache_write_5m", "cache_write_30m", "cache_write_1h", NULL};

	table_cell(table, relation_of(description, "input", cached));
	table_cell(table, relation_of(description, "input", written));
	table_cell(table, relation_of(description, "output", reasoning));
}

/* The first place alone, so that the list keeps narrow; a unit is told, since it is what people get wrong. */
static void
cell_field(struct table *table, const json_t *description, const char *field)
{
	const json_t *source = json_object_get(json_object_get(description, "fields"), field);
	const json_t *path = json_is_object(source) ? json_object_get(source, "path") : source;
	struct text cell = {0};

	if (is_empty(source))
		text_add_string(&cell, json_is_false(json_object_get(description, "capture")) ? "-" : "CloudEvent");
	else if (text_of(source, "join") != NULL)
		add_source(&cell, field, source);
	else
		add_path(&cell, json_is_array(path) ? json_array_get(path, 0) : path);
	if (text_of(source, "unit") != NULL)
		text_add_format(&cell, " in %s", text_of(source, "unit"));
	table_cell(table, text_string(&cell));
	text_release(&cell);
}

bool
format_list(struct table *table, struct error *err)
{
	for (size_t i = 0; i < profile_source_count; i++) {
		json_t *description;

		if (!read_description(profile_sources[i].name, &description, err))
			return false;
		table_row(table);
		table_cell(table, profile_sources[i].name);
		cell_relations(table, description);
		cell_field(table, description, "id");
		cell_field(table, description, "time");
		table_cell(table, text_of(description, "title"));
		json_decref(description);
	}
	return true;
}
