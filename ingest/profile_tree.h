/*
 * profile_tree.h -- all paths of a profile as a tree; for profile_tree.c, which makes it, and profile_walk.c.
 */
#ifndef INGEST_PROFILE_TREE_H
#define INGEST_PROFILE_TREE_H

#include <string.h>

#include "ingest/profile_parts.h"

enum { PATH_INDEXES = 16 };

/* A short text as two numbers that, with the length, say it wholly up to 16 bytes. */
struct gist {
	uint64_t head, tail;
};

struct entry {
	struct gist gist;
	struct bytes name;
	struct node *node; /* NULL: free */
};

/* Open addressing; never more than half full. */
struct name_table {
	struct entry *entries;
	size_t room, count;
};

/* Items of a list, or an object itself, by the text of one of their members. */
struct selector {
	struct bytes key;
	struct name_table values;
};

struct capture {
	short slot;
	enum slot_kind kind;
	bool watched;
};

struct node {
	struct name_table keys;
	struct node *any;    /* each member of an object */
	struct node *each;   /* each item of a list */
	struct node **index; /* PATH_INDEXES items, or NULL */
	struct selector *selectors;
	size_t selector_count;
	struct capture *captures;
	size_t capture_count;
	bool raw;            /* one of the captures is a SLOT_RAW */
	bool is_data;        /* of a CloudEvent */
	const char *watched; /* an object of counts: its path; or NULL */
};

static inline uint64_t
eight_bytes(const char *at)
{
	uint64_t eight;

	memcpy(&eight, at, sizeof eight);
	return eight;
}

static inline uint64_t
four_bytes(const char *at)
{
	uint32_t four;

	memcpy(&four, at, sizeof four);
	return four;
}

static inline struct gist
gist_of(struct bytes name)
{
	const unsigned char *at = (const unsigned char *)name.at;
	size_t length = name.length;

	if (length >= 8)
		return (struct gist){eight_bytes(name.at), eight_bytes(name.at + length - 8)};
	if (length >= 4)
		return (struct gist){four_bytes(name.at), four_bytes(name.at + length - 4)};
	if (length == 0)
		return (struct gist){0, 0};
	return (struct gist){at[0], (uint64_t)at[length / 2] << 8 | at[length - 1]};
}

static inline size_t
place_of(const struct name_table *table, struct gist gist, size_t length)
{
	const uint64_t spread = 0x9e3779b97f4a7c15ULL;
	uint64_t mixed = ((gist.head ^ (gist.tail << 29 | gist.tail >> 35)) + length) * spread;

	return (size_t)(mixed >> 32) & (table->room - 1);
}

static inline struct node *
table_find(const struct name_table *table, struct bytes name)
{
	struct gist gist;

	if (table->count == 0)
		return NULL;
	gist = gist_of(name);
	for (size_t i = place_of(table, gist, name.length); table->entries[i].node != NULL; i = (i + 1) & (table->room - 1)) {
		const struct entry *entry = &table->entries[i];

		if (entry->name.length == name.length && entry->gist.head == gist.head && entry->gist.tail == gist.tail &&
		    (name.length <= 16 || memcmp(entry->name.at + 8, name.at + 8, name.length - 16) == 0))
			return entry->node;
	}
	return NULL;
}

#endif
