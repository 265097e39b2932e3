/*
 * profile_each.h -- records that stand in the lists of one document, and each of them as a document of its own; for
 * profile_parse.c, profile_capture.c and, of the paths, profile_read.c.
 *
 * The lists are those that the paths `each` of a profile lead to: keys, and "[]" for the items of a list.  A list at the top is
 * not looked for here: its items are documents as they are.
 */
#ifndef INGEST_PROFILE_EACH_H
#define INGEST_PROFILE_EACH_H

#include "ingest/profile_parts.h"

enum {
	EACH_NONE = -1,
	EACH_PATHS = 8,           /* of a profile */
	EACH_CONTEXT = 16 * 1024, /* bytes of a document beside its one item */
};

/* Items are in the order of the document; of lists in items of lists, the inner ones follow the outer. */
struct each_item {
	struct bytes text;
	int list;       /* that it stands in */
	int first_list; /* of its own, or EACH_NONE: then it is a record where `whole` */
	bool whole;     /* a path ends here */
};
struct each_list {
	struct bytes inside; /* between the brackets */
	int item;            /* that it stands in, or EACH_NONE */
	int next;            /* list of the same item, or EACH_NONE */
};

struct each_found {
	struct each_item *items;
	struct each_list *lists;
	int item_count, list_count;
	size_t item_room, list_room;
	int first_list;
	size_t records; /* items that are records */
	bool too_many;  /* more than PROFILE_EVENTS of them, or far more items than that: the rest was not read */
	bool is_event;  /* there is a "specversion" at the top, so the lists are not what they seem */
};

/* Whether a path leads to the items of a list by keys and "[]" alone: no other is looked for. */
bool each_is_path(const char *path);
/* True where a list at the top is one of records. */
bool each_takes_list(const struct profile *profile);
/* False where a document surely has no such list, found without reading it. */
bool each_may_be(const struct profile *profile, struct bytes document);
/* Reads a document with a reader at its beginning.  Faults of the bytes stay in the reader. */
void each_find(const struct profile *profile, struct json_reader *reader, struct arena *arena, struct each_found *out);
bool each_is_record(const struct each_found *found, int item);
/* The document with this one item left in its list, and that list's item in its own and so on; everything else as it stands.
 * False where there would be more than EACH_CONTEXT bytes around the item. */
bool each_document(const struct each_found *found, struct bytes document, int item, struct arena *arena, struct bytes *out);

#endif
