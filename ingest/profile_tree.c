/* profile_tree.c -- the tree of all paths of a profile; see profile_tree.h and profile_parts.h. */
#include <string.h>

#include "ingest/profile_tree.h"

enum {
	STEPS_MOST = 64,
	TREE_BYTES = 16 << 20,
	SELECTORS_MOST = 64, /* for each of them an object is read once more */
};

/* --- names ---------------------------------------------------------------------------------- */

static void
table_put(struct name_table *table, struct bytes name, struct node *node)
{
	struct gist gist = gist_of(name);
	size_t i = place_of(table, gist, name.length);

	while (table->entries[i].node != NULL)
		i = (i + 1) & (table->room - 1);
	table->entries[i] = (struct entry){gist, name, node};
	table->count++;
}

static void *
arena_zeroed(struct arena *arena, size_t count, size_t size)
{
	void *zeroed = arena_take(arena, count * size);

	memset(zeroed, 0, count * size);
	return zeroed;
}

static void
table_add(struct name_table *table, struct arena *arena, struct bytes name, struct node *node)
{
	if (2 * (table->count + 1) > table->room) {
		struct name_table grown = {.room = table->room == 0 ? 4 : 2 * table->room};

		grown.entries = arena_zeroed(arena, grown.room, sizeof *grown.entries);
		for (size_t i = 0; i < table->room; i++)
			if (table->entries[i].node != NULL)
				table_put(&grown, table->entries[i].name, table->entries[i].node);
		*table = grown;
	}
	table_put(table, name, node);
}

/* --- the tree ------------------------------------------------------------------------------- */

enum step_kind { STEP_KEY, STEP_EACH, STEP_INDEX, STEP_SELECT, STEP_ANY };

struct step {
	enum step_kind kind;
	struct bytes key, value;
	size_t index;
};

static struct node *
node_new(struct arena *arena)
{
	return arena_zeroed(arena, 1, sizeof(struct node));
}

/* "~1" is a "/", "~0" a "~" (RFC 6901, section 4). */
static bool
step_text(struct arena *arena, const char *at, size_t length, struct bytes *out, const char **problem)
{
	char *copy = arena_take(arena, length + 1);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		if (at[i] == '~' && i + 1 < length && (at[i + 1] == '0' || at[i + 1] == '1'))
			copy[used++] = at[++i] == '0' ? '~' : '/';
		else if (at[i] != '~')
			copy[used++] = at[i];
		else
			return *problem = "a ~ that is neither ~0 (for ~) nor ~1 (for /)", false;
	}
	copy[used] = '\0';
	*out = (struct bytes){copy, used};
	return true;
}

/* Between the brackets. */
static bool
step_in_brackets(struct arena *arena, const char *at, size_t length, struct step *out, const char **problem)
{
	const char *equal = memchr(at, '=', length);

	if (length == 0) {
		out->kind = STEP_EACH;
		return true;
	}
	if (equal != NULL) {
		out->kind = STEP_SELECT;
		if (equal == at || equal == at + length - 1)
			return *problem = "[key=value] without its key or its value", false;
		return step_text(arena, at, (size_t)(equal - at), &out->key, problem) &&
		    step_text(arena, equal + 1, (size_t)(at + length - equal - 1), &out->value, problem);
	}
	out->kind = STEP_INDEX;
	for (size_t i = 0; i < length && out->index < PATH_INDEXES; i++) {
		if (at[i] < '0' || at[i] > '9')
			return *problem = "brackets that are not [], [0] or [key=value]", false;
		out->index = out->index * 10 + (size_t)(at[i] - '0');
	}
	if (out->index >= PATH_INDEXES)
		return *problem = "an index above 15", false;
	return true;
}

static bool
step_read(struct arena *arena, const char *at, size_t length, struct step *out, const char **problem)
{
	*out = (struct step){0};
	if (length == 0)
		return *problem = "a step without a name", false;
	if (at[0] == '[' && at[length - 1] != ']')
		return *problem = "a [ without its ]; a / in brackets is ~1", false;
	if (at[0] == '[')
		return step_in_brackets(arena, at + 1, length - 2, out, problem);
	if (length == 1 && at[0] == '*') {
		out->kind = STEP_ANY;
		return true;
	}
	out->kind = STEP_KEY;
	return step_text(arena, at, length, &out->key, problem);
}

static struct name_table *
selector_of(struct node *node, struct arena *arena, struct bytes key)
{
	struct selector *grown;

	for (size_t i = 0; i < node->selector_count; i++)
		if (bytes_same(node->selectors[i].key, key))
			return &node->selectors[i].values;
	grown = arena_zeroed(arena, node->selector_count + 1, sizeof *grown);
	if (node->selector_count > 0)
		memcpy(grown, node->selectors, node->selector_count * sizeof *grown);
	grown[node->selector_count].key = key;
	node->selectors = grown;
	return &grown[node->selector_count++].values;
}

static struct node *
named_child(struct name_table *table, struct arena *arena, struct bytes name)
{
	struct node *found = table_find(table, name);

	if (found == NULL) {
		found = node_new(arena);
		table_add(table, arena, name, found);
	}
	return found;
}

static struct node *
only_child(struct node **place, struct arena *arena)
{
	if (*place == NULL)
		*place = node_new(arena);
	return *place;
}

static struct node *
node_child(struct node *node, struct arena *arena, const struct step *step)
{
	switch (step->kind) {
	case STEP_EACH:
		return only_child(&node->each, arena);
	case STEP_ANY:
		return only_child(&node->any, arena);
	case STEP_SELECT:
		return named_child(selector_of(node, arena, step->key), arena, step->value);
	case STEP_INDEX:
		if (node->index == NULL)
			node->index = arena_zeroed(arena, PATH_INDEXES, sizeof(struct node *));
		return only_child(&node->index[step->index], arena);
	case STEP_KEY:
	default:
		return named_child(&node->keys, arena, step->key);
	}
}

/* Down from `node`; NULL with *problem where the path is none. */
static struct node *
node_below(struct node *node, struct arena *arena, const char *path, const char **problem)
{
	struct step step;

	if (path[0] == '\0')
		return node;
	for (int steps = 1;; steps++) {
		size_t length = strcspn(path, "/");

		if (steps > STEPS_MOST)
			return *problem = "more than 64 steps", NULL;
		if (!step_read(arena, path, length, &step, problem))
			return NULL;
		node = node_child(node, arena, &step);
		if (path[length] == '\0')
			return node;
		path += length + 1;
	}
}

static struct node *
node_at(struct arena *arena, struct node **tree, const char *prefix, const char *path, const char **problem)
{
	struct node *node;

	if (*tree == NULL)
		*tree = node_new(arena);
	if (path[0] == '^')
		return node_below(*tree, arena, path + 1, problem);
	node = node_below(*tree, arena, prefix, problem);
	return node == NULL ? NULL : node_below(node, arena, path, problem);
}

static void
capture_add(struct node *node, struct arena *arena, struct capture capture)
{
	struct capture *grown;

	for (size_t i = 0; i < node->capture_count; i++)
		if (node->captures[i].slot == capture.slot)
			return;
	grown = arena_zeroed(arena, node->capture_count + 1, sizeof *grown);
	if (node->capture_count > 0)
		memcpy(grown, node->captures, node->capture_count * sizeof *grown);
	grown[node->capture_count++] = capture;
	node->captures = grown;
	node->raw = node->raw || capture.kind == SLOT_RAW;
}

bool
profile_path_add(struct arena *arena, struct node **tree, const char *prefix, const char *path, short number,
    const struct slot *slot, const char **problem)
{
	struct node *node = node_at(arena, tree, prefix, path, problem);

	if (node == NULL)
		return false;
	if (number != NO_SLOT)
		capture_add(node, arena, (struct capture){number, slot->kind, slot->watched});
	return true;
}

bool
profile_path_watch(struct arena *arena, struct node **tree, const char *prefix, const char *path, const char **problem)
{
	struct node *node = node_at(arena, tree, prefix, path, problem);

	if (node == NULL)
		return false;
	node->watched = arena_copy(arena, path, strlen(path));
	return true;
}

void
profile_path_data(struct arena *arena, struct node **tree, short data_slot)
{
	const struct slot slot = {.path = "data", .kind = SLOT_RAW};
	const char *problem;
	struct node *node;

	must(profile_path_add(arena, tree, "", "^data", data_slot, &slot, &problem));
	node = node_at(arena, tree, "", "^data", &problem);
	must(node != NULL);
	node->is_data = true;
}

static bool node_merge(struct arena *arena, struct node *into, const struct node *from);

static bool
table_merge(struct arena *arena, struct name_table *into, const struct name_table *from)
{
	for (size_t i = 0; i < from->room; i++)
		if (from->entries[i].node != NULL &&
		    !node_merge(arena, named_child(into, arena, from->entries[i].name), from->entries[i].node))
			return false;
	return true;
}

static bool
merge_children(struct arena *arena, struct node *into, const struct node *from)
{
	for (size_t i = 0; i < from->selector_count; i++)
		if (!table_merge(arena, selector_of(into, arena, from->selectors[i].key), &from->selectors[i].values))
			return false;
	for (size_t i = 0; from->index != NULL && i < PATH_INDEXES; i++) {
		const struct step step = {.kind = STEP_INDEX, .index = i};

		if (from->index[i] != NULL && !node_merge(arena, node_child(into, arena, &step), from->index[i]))
			return false;
	}
	return table_merge(arena, &into->keys, &from->keys) &&
	    (from->any == NULL || node_merge(arena, only_child(&into->any, arena), from->any)) &&
	    (from->each == NULL || node_merge(arena, only_child(&into->each, arena), from->each));
}

/* Gives a node what another one has.  False where the tree gets too large: steps that mean many things, one in the other, make
 * it grow by powers. */
static bool
node_merge(struct arena *arena, struct node *into, const struct node *from)
{
	if (arena->bytes > TREE_BYTES)
		return false;
	for (size_t i = 0; i < from->capture_count; i++)
		capture_add(into, arena, from->captures[i]);
	into->is_data = into->is_data || from->is_data;
	into->watched = into->watched != NULL ? into->watched : from->watched;
	return merge_children(arena, into, from);
}

static bool node_settle(struct arena *arena, struct node *tree);

static bool
table_settle(struct arena *arena, const struct name_table *table, const struct node *wider)
{
	for (size_t i = 0; i < table->room; i++) {
		struct node *node = table->entries[i].node;

		if (node != NULL && wider != NULL && !node_merge(arena, node, wider))
			return false;
		if (!node_settle(arena, node))
			return false;
	}
	return true;
}

static bool
node_settle(struct arena *arena, struct node *tree)
{
	if (tree == NULL)
		return true;
	for (size_t i = 0; i < tree->selector_count; i++)
		if (!table_settle(arena, &tree->selectors[i].values, NULL))
			return false;
	for (size_t i = 0; tree->index != NULL && i < PATH_INDEXES; i++) {
		struct node *node = tree->index[i];

		if (node != NULL && tree->each != NULL && !node_merge(arena, node, tree->each))
			return false;
		if (!node_settle(arena, node))
			return false;
	}
	return table_settle(arena, &tree->keys, tree->any) && node_settle(arena, tree->any) && node_settle(arena, tree->each);
}

static size_t selectors_of(const struct node *node);

static size_t
selectors_in(const struct name_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->room; i++)
		count += selectors_of(table->entries[i].node);
	return count;
}

static size_t
selectors_of(const struct node *node)
{
	size_t count;

	if (node == NULL)
		return 0;
	count = node->selector_count + selectors_in(&node->keys) + selectors_of(node->any) + selectors_of(node->each);
	for (size_t i = 0; i < node->selector_count; i++)
		count += selectors_in(&node->selectors[i].values);
	for (size_t i = 0; node->index != NULL && i < PATH_INDEXES; i++)
		count += selectors_of(node->index[i]);
	return count;
}

bool
profile_tree_settle(struct arena *arena, struct node *tree)
{
	return node_settle(arena, tree) && selectors_of(tree) <= SELECTORS_MOST;
}
