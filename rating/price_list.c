/* price_list.c -- see price_list.h. */
#include "rating/price_list.h"

#include <stdlib.h>

struct parse {
	struct json_reader reader;
	struct arena *arena;
	size_t nodes;
};

static bool read_node(struct parse *parse, struct list_node *node);

bool
bytes_are(struct bytes bytes, const char *string)
{
	return bytes.length == strlen(string) && memcmp(bytes.at, string, bytes.length) == 0;
}

static struct list_node *
node_new(struct parse *parse)
{
	struct list_node *node = arena_take(parse->arena, sizeof *node);

	*node = (struct list_node){.type = VALUE_NULL};
	parse->nodes++;
	return node;
}

/* Behind the opening bracket. */
static bool
read_inside(struct parse *parse, struct list_node *parent)
{
	struct list_node **end = &parent->first;
	struct bytes key = {NULL, 0};

	while (parent->type == VALUE_OBJECT ? json_key(&parse->reader, &key) : json_item(&parse->reader)) {
		struct list_node *node;

		if (parse->nodes == PRICE_LIST_NODES)
			return false;
		node = node_new(parse);
		node->key = key;
		*end = node;
		end = &node->next;
		if (!read_node(parse, node))
			return false;
	}
	return parse->reader.fault == JSON_FAULT_NONE;
}

/* As deep as the reader lets documents be. */
static bool
read_node(struct parse *parse, struct list_node *node)
{
	struct json_value value;

	if (!json_value(&parse->reader, &value))
		return false;
	node->type = value.type;
	node->text = value.text;
	if (node->type != VALUE_OBJECT && node->type != VALUE_ARRAY)
		return true;
	if (!read_inside(parse, node))
		return false;
	node->text.length = (size_t)(parse->reader.at - node->text.at);
	return true;
}

static uint64_t
line_of(const struct json_reader *reader)
{
	uint64_t line = 1;

	for (const char *at = reader->start; at < reader->at; at++)
		line += *at == '\n';
	return line;
}

bool
list_parse(
    const char *bytes, size_t length, const char *file, struct arena *arena, const struct list_node **out, struct error *err)
{
	struct parse *parse = memory_new(1, sizeof *parse);
	struct bytes *keys = memory_new(PRICE_LIST_KEYS, sizeof *keys);
	struct list_node *root;
	bool fine;

	parse->arena = arena;
	json_begin(&parse->reader, bytes, length, 0, arena);
	json_allow_keys(&parse->reader, keys, PRICE_LIST_KEYS);
	root = node_new(parse);
	fine = read_node(parse, root) && json_end(&parse->reader);
	if (!fine) {
		error_set(err, ERROR_INPUT, "not a price list: %s",
		    parse->nodes == PRICE_LIST_NODES ? "more than a million values" : parse->reader.problem);
		error_at(err, file, line_of(&parse->reader));
		if (parse->reader.fault == JSON_FAULT_KEY_TWICE)
			error_field(err, "key", parse->reader.key.at, parse->reader.key.length);
	}
	free(keys);
	free(parse);
	*out = root;
	return fine;
}

const struct list_node *
list_get(const struct list_node *node, const char *key)
{
	if (node == NULL || node->type != VALUE_OBJECT)
		return NULL;
	for (const struct list_node *member = node->first; member != NULL; member = member->next)
		if (bytes_are(member->key, key))
			return member;
	return NULL;
}

struct bytes
list_text(const struct list_node *node, const char *key)
{
	const struct list_node *member = list_get(node, key);

	return member != NULL && member->type == VALUE_STRING ? member->text : (struct bytes){NULL, 0};
}
