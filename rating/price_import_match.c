/* price_import_match.c -- see price_import_match.h. */
#include "rating/price_import_match.h"

#include <stdlib.h>
#include <strings.h>

#include "base/pattern.h"

static bool add_clause(struct text *out, const struct list_node *clause);

static void
add_escaped(struct text *out, struct bytes literal)
{
	for (size_t i = 0; i < literal.length; i++) {
		if (strchr("\\^$.[]|()?*+{}", literal.at[i]) != NULL)
			text_add_string(out, "\\");
		text_add(out, literal.at + i, 1);
	}
}

/* The regular expression finds its place anywhere in a name, unless it says where. */
static void
add_regex(struct text *out, struct bytes regex)
{
	bool simple = regex.length > 0 && memchr(regex.at, '|', regex.length) == NULL;
	bool begins = simple && regex.at[0] == '^';
	bool ends = simple && regex.at[regex.length - 1] == '$' && (regex.length < 2 || regex.at[regex.length - 2] != '\\');

	if (begins)
		regex = (struct bytes){regex.at + 1, regex.length - 1};
	if (ends)
		regex.length--;
	text_add_string(out, begins ? "" : ".*");
	text_add_string(out, simple ? "" : "(?:");
	text_add(out, regex.at, regex.length);
	text_add_string(out, simple ? "" : ")");
	text_add_string(out, ends ? "" : ".*");
}

static bool
add_list(struct text *out, const struct list_node *list, const char *before, const char *between, const char *behind)
{
	bool fine = list->type == VALUE_ARRAY && list->first != NULL;

	text_add_string(out, before);
	for (const struct list_node *clause = list->first; clause != NULL && fine; clause = clause->next) {
		fine = add_clause(out, clause);
		text_add_string(out, clause->next == NULL ? behind : between);
	}
	return fine;
}

/* A clause as a pattern for the whole name; false where it is none of the known ones. */
static bool
add_clause(struct text *out, const struct list_node *clause)
{
	const struct list_node *member = clause->type == VALUE_OBJECT ? clause->first : NULL;

	if (member == NULL || member->next != NULL)
		return false;
	if (bytes_are(member->key, "or"))
		return add_list(out, member, "(?:", "|", ")");
	if (bytes_are(member->key, "and"))
		return add_list(out, member, "(?=", "$)(?=", "$).*");
	if (member->type != VALUE_STRING)
		return false;
	if (bytes_are(member->key, "regex")) {
		add_regex(out, member->text);
		return true;
	}
	if (!bytes_are(member->key, "equals") && !bytes_are(member->key, "starts_with") && !bytes_are(member->key, "ends_with") &&
	    !bytes_are(member->key, "contains"))
		return false;
	text_add_string(out, "(?i:");
	if (bytes_are(member->key, "ends_with") || bytes_are(member->key, "contains"))
		text_add_string(out, ".*");
	add_escaped(out, member->text);
	if (bytes_are(member->key, "starts_with") || bytes_are(member->key, "contains"))
		text_add_string(out, ".*");
	text_add_string(out, ")");
	return true;
}

static void
add_pattern(const struct import_place *place, const struct list_node *clause, struct import_match *out)
{
	struct pattern *compiled = NULL;
	struct text text = {0};
	struct error wrong = {0};
	size_t position;

	if (!add_clause(&text, clause) || text.length > PATTERN_BYTES ||
	    !pattern_compile(text_string(&text), text.length, &compiled, &position, &wrong)) {
		import_note(place, IMPORT_PATTERN, clause->text);
	} else {
		out->texts = memory_grow(out->texts, &out->text_room, out->pattern_count + 1, sizeof *out->texts);
		out->patterns = memory_grow(out->patterns, &out->pattern_room, out->pattern_count + 1, sizeof(struct pattern *));
		out->texts[out->pattern_count] = arena_copy(&place->import->arena, text_string(&text), text.length);
		out->patterns[out->pattern_count++] = compiled;
	}
	text_release(&text);
}

void
import_match_read(const struct import_place *place, const struct list_node *clause, struct import_match *out)
{
	const struct list_node *either = list_get(clause, "or"), *equals = list_get(clause, "equals");

	if (either != NULL && either->type == VALUE_ARRAY) {
		for (const struct list_node *inner = either->first; inner != NULL; inner = inner->next)
			import_match_read(place, inner, out);
	} else if (equals != NULL && equals->type == VALUE_STRING) {
		const char *name = import_name(place, equals->text);

		out->names = memory_grow(out->names, &out->name_room, out->name_count + 1, sizeof *out->names);
		if (name != NULL)
			out->names[out->name_count++] = name;
	} else {
		add_pattern(place, clause, out);
	}
}

bool
import_match_takes(const struct import_match *match, const char *name)
{
	for (size_t i = 0; i < match->name_count; i++)
		if (import_is_same_name(match->names[i], name))
			return true;
	for (size_t i = 0; i < match->pattern_count; i++)
		if (pattern_match(match->patterns[i], name, strlen(name)) == PATTERN_YES)
			return true;
	return false;
}

void
import_match_release(struct import_match *match)
{
	for (size_t i = 0; i < match->pattern_count; i++)
		pattern_free(match->patterns[i]);
	free(match->patterns);
	free(match->texts);
	free(match->names);
}

const char *
import_name_pattern(struct price_import *import, const char *name)
{
	struct text text = {0};
	const char *out = NULL;

	text_add_string(&text, "(?i:");
	add_escaped(&text, (struct bytes){name, strlen(name)});
	text_add_string(&text, ")");
	if (text.length <= PATTERN_BYTES)
		out = arena_copy(&import->arena, text_string(&text), text.length);
	text_release(&text);
	return out;
}

const char *
import_join_patterns(struct price_import *import, const char *const *texts, size_t count, size_t *at)
{
	struct text text = {0};
	const char *out = NULL;

	for (; *at < count && (text.length == 0 || text.length + 1 + strlen(texts[*at]) <= PATTERN_BYTES); ++*at)
		text_add_format(&text, "%s%s", text.length == 0 ? "" : "|", texts[*at]);
	if (text.length > 0)
		out = arena_copy(&import->arena, text_string(&text), text.length);
	text_release(&text);
	return out;
}

bool
import_is_same_name(const char *one, const char *other)
{
	return strcasecmp(one, other) == 0;
}
