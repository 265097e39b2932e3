/*
 * price_list.h -- a public price list in JSON, as a tree whose numbers are still the text that stands in the file.
 *
 * A JSON library makes binary fractions of 3.75e-08; the strict reader does not.  Nodes and texts live in the arena, which
 * like the file's bytes must outlive them.
 */
#ifndef RATING_PRICE_LIST_H
#define RATING_PRICE_LIST_H

#include "base/json_reader.h"

enum { PRICE_LIST_NODES = 1000000, PRICE_LIST_KEYS = 20000 /* in open objects */ };

struct list_node {
	enum value_type type;
	struct bytes key;  /* in an object; else empty */
	struct bytes text; /* of a string or number; of an array or object, as it stands in the file */
	struct list_node *first, *next;
};

/* `file` is only for messages. */
MUST_CHECK
bool list_parse(
    const char *bytes, size_t length, const char *file, struct arena *arena, const struct list_node **out, struct error *err);
/* The member of an object; NULL where there is none, or no object (or `node` is NULL). */
const struct list_node *list_get(const struct list_node *node, const char *key);
/* The text of a string member, else {NULL, 0}. */
struct bytes list_text(const struct list_node *node, const char *key);

bool bytes_are(struct bytes bytes, const char *string);

#endif
