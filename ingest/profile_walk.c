/*
 * profile_walk.c -- one pass over a document that fills the slots; see profile_parts.h.
 *
 * This is what each record costs: what no path leads to is only checked, and only what a member's text chooses is read a
 * second time, which is bounded by the tree.
 */
#include "ingest/profile_tree.h"

struct walk {
	struct json_reader *reader;
	const struct node *root;
	struct found_values *out;
};

static void visit(struct walk *walk, const struct node *node, struct values *values);

void
values_clear(struct values *values)
{
	memset(values->seen, 0, sizeof values->seen);
	memset(values->set, 0, sizeof values->set);
	memset(values->conflict, 0, sizeof values->conflict);
	values->unknown_count = NULL;
}

static void
keep_value(const struct capture *capture, const struct json_value *value, struct values *values)
{
	values->value[capture->slot] = *value;
	values->at[capture->slot] = capture;
}

/* Whether this contradicts the count that was found first.  Told at two places, it may be told twice; two items of one list are two
 * counts, though they may be equal: 5 and 5 are not 5. */
static bool
is_another(const struct capture *capture, const struct json_value *value, const struct values *values)
{
	const struct json_value *first = &values->value[capture->slot];

	if (values->at[capture->slot] == capture)
		return first->text.at != value->text.at;
	return first->type != value->type || !bytes_same(first->text, value->text);
}

static void
capture_one(const struct capture *capture, const struct json_value *value, struct values *values)
{
	unsigned slot = (unsigned)capture->slot, word = slot / 64;
	uint64_t *set = &values->set[word], bit = 1ULL << (slot % 64);
	bool is_set = (*set & bit) != 0;

	values->seen[word] |= bit;
	if (value->type == VALUE_NULL || capture->kind == SLOT_RAW)
		return;
	if (capture->kind == SLOT_OBJECT && value->type != VALUE_OBJECT && value->type != VALUE_ARRAY)
		return;
	if (capture->kind == SLOT_COUNT)
		values->count[slot] = is_set ? values->count[slot] + 1 : 1;
	else if (!is_set)
		keep_value(capture, value, values);
	else if (capture->watched && is_another(capture, value, values))
		values->conflict[word] |= bit;
	*set |= bit;
}

/* Between the value's first bytes and the reader. */
static void
capture_raw(struct walk *walk, const struct node *node, const char *from, enum value_type type, struct values *values)
{
	while (*from == ' ' || *from == '\t' || *from == '\n' || *from == '\r')
		from++;
	for (size_t i = 0; i < node->capture_count; i++) {
		short slot = node->captures[i].slot;

		if (node->captures[i].kind != SLOT_RAW || value_is_set(values, slot))
			continue;
		values->value[slot] = (struct json_value){type, {from, (size_t)(walk->reader->at - from)}};
		values->set[slot / 64] |= 1ULL << (slot % 64);
	}
}

static inline void
capture(const struct node *node, const struct json_value *value, struct values *values)
{
	for (size_t i = 0; i < node->capture_count; i++)
		capture_one(&node->captures[i], value, values);
}

static bool
is_above_zero(struct bytes number)
{
	if (number.at[0] == '-')
		return false;
	for (size_t i = 0; i < number.length && number.at[i] != 'e' && number.at[i] != 'E'; i++)
		if (number.at[i] >= '1' && number.at[i] <= '9')
			return true;
	return false;
}

/* Passes over a value; true where a number above 0 stands anywhere in it. */
static bool
has_number(struct json_reader *reader)
{
	struct json_value value;
	struct bytes key;
	bool found = false;

	if (!json_value(reader, &value))
		return false;
	if (value.type == VALUE_OBJECT)
		while (json_key(reader, &key))
			found = has_number(reader) || found;
	else if (value.type == VALUE_ARRAY)
		while (json_item(reader))
			found = has_number(reader) || found;
	else if (value.type == VALUE_NUMBER)
		found = is_above_zero(value.text);
	return found;
}

/* What no path names, in an object or list that holds counts. */
static void
pass_watched(struct walk *walk, const struct node *node, struct bytes key, struct values *values)
{
	if (!has_number(walk->reader))
		return;
	key = bytes_clipped(key);
	values->unknown_count = arena_format(walk->reader->arena, "%s/%.*s", node->watched, (int)key.length, key.at);
}

/* Of an object that has paths by a member's text, those tell what is known. */
static void
pass(struct walk *walk, const struct node *node, bool is_item, struct bytes key, struct values *values)
{
	if (node->watched != NULL && values->unknown_count == NULL && (is_item || node->selector_count == 0))
		pass_watched(walk, node, key, values);
	else
		(void)json_skip(walk->reader, NULL);
}

/* A CloudEvent's data: an object is walked from the root into the other bank. */
static void visit_data(struct walk *walk, const struct node *node, struct values *values);
static void visit_chosen(struct walk *walk, const struct node *node, const char *from, struct values *values);

/* Members of an object that is open, if only those that are still to come. */
static void
walk_object(struct walk *walk, const struct node *node, struct values *values)
{
	struct json_reader *reader = walk->reader;
	struct bytes key;

	while (json_key(reader, &key)) {
		const struct node *child = table_find(&node->keys, key);

		if (child == NULL)
			child = node->any;
		if (child == NULL)
			pass(walk, node, false, key, values);
		else if (child->is_data && values == &walk->out->top)
			visit_data(walk, child, values);
		else
			visit(walk, child, values);
	}
}

static bool
has_paths(const struct node *node)
{
	return node->keys.count > 0 || node->any != NULL || node->watched != NULL;
}

static void
visit_data(struct walk *walk, const struct node *node, struct values *values)
{
	struct json_reader *reader = walk->reader;
	const char *from = reader->at;
	struct json_value value;

	if (!json_value(reader, &value))
		return;
	if (value.type == VALUE_ARRAY && !json_leave(reader))
		return;
	if (value.type == VALUE_OBJECT) {
		capture(walk->root, &value, &walk->out->data);
		walk_object(walk, walk->root, &walk->out->data);
		visit_chosen(walk, walk->root, from, &walk->out->data);
	}
	if (reader->fault != JSON_FAULT_NONE)
		return;
	if (value.type == VALUE_ARRAY || (value.type == VALUE_OBJECT && has_paths(node))) {
		json_again(reader, from);
		visit(walk, node, values);
		return;
	}
	capture(node, &value, values);
	if (node->raw && value.type != VALUE_NULL)
		capture_raw(walk, node, from, value.type, values);
}

/* The node of an item that is open, by the text of one of its members, which is read here.  *begins tells that this was the
 * first one.  NULL: there is none, and the item is passed over. */
static const struct node *
selected(struct json_reader *reader, const struct selector *selector, bool *begins)
{
	struct json_value value;
	struct bytes key;

	for (*begins = true; json_key(reader, &key); *begins = false) {
		const struct node *found = NULL;

		if (!bytes_same(key, selector->key)) {
			if (!json_skip(reader, NULL))
				return NULL;
			continue;
		}
		if (!json_value(reader, &value))
			return NULL;
		if (value.type == VALUE_OBJECT || value.type == VALUE_ARRAY)
			(void)json_leave(reader);
		else if (value.type != VALUE_NULL)
			found = table_find(&selector->values,
			    value.type == VALUE_TRUE        ? bytes_of("true")
				: value.type == VALUE_FALSE ? bytes_of("false")
							    : value.text);
		if (found == NULL)
			(void)json_leave(reader);
		return found;
	}
	return NULL;
}

/* An item that a member of its own chooses the paths for; false where none does. */
static bool
visit_selected(struct walk *walk, const struct selector *selector, struct values *values)
{
	struct json_reader *reader = walk->reader;
	const char *from = reader->at;
	const struct node *found;
	struct json_value value;
	bool begins;

	if (!json_value(reader, &value))
		return false;
	if (value.type == VALUE_ARRAY)
		(void)json_leave(reader);
	if (value.type != VALUE_OBJECT)
		return false;
	found = selected(reader, selector, &begins);
	if (found == NULL)
		return false;
	if (begins && found->capture_count == 0 && found->any == NULL && found->selector_count == 0 &&
	    table_find(&found->keys, selector->key) == NULL) {
		walk_object(walk, found, values);
		return true;
	}
	if (json_leave(reader)) {
		json_again(reader, from);
		visit(walk, found, values);
	}
	return true;
}

/* [key=value] of an object that is no item of a list is the object itself, where it has that member.  It begins at `from`. */
static void
visit_chosen(struct walk *walk, const struct node *node, const char *from, struct values *values)
{
	for (size_t i = 0; i < node->selector_count; i++) {
		json_again(walk->reader, from);
		(void)visit_selected(walk, &node->selectors[i], values);
	}
}

static void
visit_item(struct walk *walk, const struct node *node, size_t index, struct values *values)
{
	const struct node *item = node->index != NULL && index < PATH_INDEXES ? node->index[index] : NULL;
	const char *from = walk->reader->at;
	bool named = false, read = false;

	if (item == NULL)
		item = node->each;
	if (item != NULL) {
		visit(walk, item, values);
		named = read = true;
	}
	for (size_t i = 0; i < node->selector_count; i++, read = true) {
		if (read)
			json_again(walk->reader, from);
		named = visit_selected(walk, &node->selectors[i], values) || named;
	}
	if (read && (named || node->watched == NULL))
		return;
	if (read)
		json_again(walk->reader, from);
	pass(walk, node, true, bytes_of("[]"), values);
}

static void
walk_list(struct walk *walk, const struct node *node, struct values *values)
{
	for (size_t index = 0; json_item(walk->reader); index++)
		visit_item(walk, node, index, values);
}

/* Behind a value that begins at `from`, or in it: an object or a list that is open. */
__attribute__((noinline)) static void
visit_inside(struct walk *walk, const struct node *node, const char *from, enum value_type type, struct values *values)
{
	if (type == VALUE_OBJECT && has_paths(node))
		walk_object(walk, node, values);
	else if (type == VALUE_OBJECT)
		(void)json_leave(walk->reader);
	else if (type == VALUE_ARRAY)
		walk_list(walk, node, values);
	if (type == VALUE_OBJECT)
		visit_chosen(walk, node, from, values);
	if (node->raw && type != VALUE_NULL && walk->reader->fault == JSON_FAULT_NONE)
		capture_raw(walk, node, from, type, values);
}

static void
visit(struct walk *walk, const struct node *node, struct values *values)
{
	const char *from = walk->reader->at;
	struct json_value value;

	if (!json_value(walk->reader, &value))
		return;
	capture(node, &value, values);
	if (value.type == VALUE_OBJECT || value.type == VALUE_ARRAY || node->raw)
		visit_inside(walk, node, from, value.type, values);
}

void
profile_walk(const struct node *from, struct json_reader *reader, const struct json_value *top, struct found_values *out)
{
	struct walk walk = {reader, from, out};
	const char *begin = top->text.at;

	values_clear(&out->top);
	values_clear(&out->data);
	capture(from, top, &out->top);
	if (top->type == VALUE_OBJECT) {
		walk_object(&walk, from, &out->top);
		visit_chosen(&walk, from, begin, &out->top);
	} else if (top->type == VALUE_ARRAY) {
		walk_list(&walk, from, &out->top);
	}
}
