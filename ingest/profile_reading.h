/*
 * profile_reading.h -- a description on its way to being a profile; for profile_open.c and profile_read*.c alone.
 *
 * Descriptions that extend one another are layers.  They are merged into one document whose values are still those of the
 * layers, so that an error can say in which file and line the value stands.
 */
#ifndef INGEST_PROFILE_READING_H
#define INGEST_PROFILE_READING_H

#include "base/document.h"
#include "ingest/profile_parts.h"

enum {
	LAYERS_MOST = 9, /* eight descriptions, and what the command line says */
	AT_MOST = 8,
	TEXT_MOST = 1024,
	WHERE = 160, /* bytes of a member's path in messages */
};

struct layer {
	json_t *root;
	struct text bytes;
	char *file;     /* for messages */
	bool compiled;  /* one of profile_sources[] */
	bool from_file; /* of the user's */
	bool wished;    /* what the command line says */
};

struct reading {
	struct profile *profile;
	struct error *err;
	struct layer layers[LAYERS_MOST]; /* the first extends the second, and so on */
	size_t layer_count;
	json_t *merged;
	/* While the members are read: */
	const char *at[AT_MOST];
	size_t at_count;
	const char *instead_of;                /* of iterations, or NULL */
	const char *place[PROFILE_SLOTS];      /* a slot's path in the tree of records, or NULL */
	const char *item_place[PROFILE_SLOTS]; /* the same in the tree of items */
	struct node *checked;                  /* a tree that only tells whether a path is one */
	const char *ignored[PROFILE_SLOTS];
	size_t ignored_count;
};

/* --- profile_open.c ----------------------------------------------------------------------------- */

/* Refuses a value, which may be NULL, at its place in the layer that says it.  Returns false. */
bool reading_refuse(struct reading *reading, const char *where, const json_t *value, const char *format, ...) PRINTF_LIKE(4, 5);

/* --- profile_read.c ----------------------------------------------------------------------------- */

/* Fills the profile from the merged description. */
MUST_CHECK
bool reading_read(struct reading *reading);
/* Every key of an object is one of `names`, or an error that suggests the nearest one. */
MUST_CHECK
bool reading_keys(struct reading *reading, json_t *object, const char *where, const char *const *names, size_t count);
#define READING_KEYS(reading, object, where, ...)                                                                                \
	reading_keys(reading, object, where, (const char *const[]){__VA_ARGS__},                                                 \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
/* The value is an object, a list, of one item at least. */
MUST_CHECK
bool reading_is_object(struct reading *reading, const char *where, const json_t *value);
MUST_CHECK
bool reading_is_list(struct reading *reading, const char *where, const json_t *value, size_t most);
/* A text of 1 to TEXT_MOST bytes, copied. */
MUST_CHECK
bool reading_text(struct reading *reading, const char *where, const json_t *value, struct bytes *out);
/* true or false; NULL is `absent`. */
MUST_CHECK
bool reading_bool(struct reading *reading, const char *where, const json_t *value, bool absent, bool *out);
/* An object of texts; NULL has none.  With `empty` a text may be "". */
MUST_CHECK
bool reading_words(struct reading *reading, const char *where, json_t *value, bool empty, const struct word **out, size_t *count);
/* "where.key" and "where[i]", in `out`. */
const char *reading_member(char out[WHERE], const char *where, const char *key);
const char *reading_item(char out[WHERE], const char *where, size_t i);
/* PROFILE_FIELDS with the error set where there is no such field. */
enum profile_field reading_field(struct reading *reading, const char *where, const char *name, const json_t *value);
/* The nearest names of fields as a hint; returns false. */
bool field_suggest(struct error *err, const char *name);
enum profile_field field_find(const char *name);
MUST_CHECK
bool reading_flag(struct reading *reading, const char *where, const json_t *value, unsigned *flags);

/* --- profile_read_paths.c ----------------------------------------------------------------------- */

/* A path, copied. */
MUST_CHECK
bool reading_path(struct reading *reading, const char *where, const json_t *value, const char **out);
/* A slot by its place in one of the trees, the other being NULL, or a new one, whose name in faults is `path`. */
MUST_CHECK
bool reading_slot_at(struct reading *reading, const char *where, const json_t *value, const char *path, const char *place,
    const char *item_place, enum slot_kind kind, short *out);
/* A path's slot, new or the one that it has already.  `value` is for messages. */
MUST_CHECK
bool reading_slot(struct reading *reading, const char *where, const json_t *value, const char *path, enum slot_kind kind,
    bool watched, short *out);
MUST_CHECK
bool reading_paths(
    struct reading *reading, const char *where, json_t *value, enum slot_kind kind, bool watched, struct paths *out);
/* "path" of an object, or the value itself where it is written short; and where that is. */
json_t *reading_short(json_t *value, const char *where, char place[WHERE]);
/* The path of what a path stands in; "" at the top. */
const char *path_parent(struct arena *arena, const char *path);
/* Its last step is no key of an object. */
bool path_ends_in_choice(const char *path);
/* When all paths are slots. */
MUST_CHECK
bool reading_make_trees(struct reading *reading);

/* --- profile_read_fields.c, profile_read_parts.c: members of the root, which may be NULL --------------- */

MUST_CHECK
bool reading_fields(struct reading *reading, json_t *fields);
MUST_CHECK
bool reading_constants(struct reading *reading, json_t *constants);
/* Behind the fields: refuses an id that is none. */
MUST_CHECK
bool reading_unsafe(struct reading *reading, json_t *unsafe);
MUST_CHECK
bool reading_side(struct reading *reading, const char *name, enum meter_side side, json_t *value);
MUST_CHECK
bool reading_total(struct reading *reading, json_t *value);
MUST_CHECK
bool reading_counts(struct reading *reading, json_t *counts);
/* Behind both sides. */
MUST_CHECK
bool reading_never_told(struct reading *reading, json_t *value);

/* --- profile_read_rules.c ----------------------------------------------------------------------- */

MUST_CHECK
bool reading_rules(struct reading *reading, json_t *value);
MUST_CHECK
bool reading_names(struct reading *reading, json_t *value);
MUST_CHECK
bool reading_adapters(struct reading *reading, json_t *value);
MUST_CHECK
bool reading_stream(struct reading *reading, json_t *value);

#endif
