/* manifest_compare.c -- see manifest_compare.h. */
#include "nightly/manifest_compare.h"

#include <stdlib.h>

#include "base/document.h"

enum { NAME_MEMBERS = 4 };

/* What an item of a list is called by; a list that is not here is compared by place. */
static const struct {
	const char *list, *members[NAME_MEMBERS];
} names[] = {
    {"files", {"source", "name"}},
    {"kafka", {"cluster", "topic", "partition", "from"}},
    {"ratings", {"rating_run"}},
    {"price_books", {"book", "version"}},
    {"steps", {"step"}},
    {"invoices", {"number"}},
    {"credit_notes", {"number"}},
    {"totals", {"currency"}},
    {"documents", {"path"}},
    {"parked", {"tenant", "period", "reason"}},
    {"held", {"reason"}},
};

struct comparing {
	manifest_differs *differs;
	void *context;
};

static void compare(const struct comparing *comparing, const char *path, json_t *a, json_t *b);

static void
tell(const struct comparing *comparing, const char *path, json_t *a, json_t *b)
{
	char *left = a == NULL ? NULL : json_dumps(a, JSON_ENCODE_ANY),
	     *right = b == NULL ? NULL : json_dumps(b, JSON_ENCODE_ANY);

	must((a == NULL || left != NULL) && (b == NULL || right != NULL));
	comparing->differs(comparing->context, path, left, right);
	free(left);
	free(right);
}

static void
add_step(struct text *out, const char *path, const char *key)
{
	text_clear(out);
	text_add_format(out, "%s%s%s", path, path[0] == '\0' || key[0] == '[' ? "" : ".", key);
}

/* Members of `a` in their order, then those that `b` alone has; keys that are items of lists have their brackets. */
static void
compare_objects(const struct comparing *comparing, const char *path, json_t *a, json_t *b)
{
	struct text inner = {0};
	const char *key;
	json_t *value;

	json_object_foreach(a, key, value)
	{
		add_step(&inner, path, key);
		compare(comparing, text_string(&inner), value, json_object_get(b, key));
	}
	json_object_foreach(b, key, value)
	{
		if (json_object_get(a, key) != NULL)
			continue;
		add_step(&inner, path, key);
		compare(comparing, text_string(&inner), NULL, value);
	}
	text_release(&inner);
}

/* The members that name the items of the list at the end of a path, or NULL. */
static const char *const *
members_of(const char *path)
{
	const char *last = strrchr(path, '.');

	last = last == NULL ? path : last + 1;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i].list, last) == 0)
			return names[i].members;
	return NULL;
}

/* "usage events.ndjson"; the place of an item that has no name. */
static void
add_name(struct text *out, const char *const *members, json_t *item, size_t place)
{
	size_t before = out->length;

	for (size_t i = 0; members != NULL && i < NAME_MEMBERS && members[i] != NULL; i++) {
		json_t *value = json_object_get(item, members[i]);

		text_add_string(out, value != NULL && out->length > before ? " " : "");
		if (json_is_string(value))
			text_add_string(out, json_string_value(value));
		else if (json_is_integer(value))
			text_add_format(out, "%lld", (long long)json_integer_value(value));
	}
	if (out->length == before)
		text_add_format(out, "%zu", place);
}

/* A list as an object whose keys are "[NAME]" of its items; of two items with one name the later has its place behind it. */
static json_t *
by_name(const char *const *members, json_t *list)
{
	json_t *object = json_object(), *item;
	struct text name = {0};
	size_t place;

	must(object != NULL);
	json_array_foreach(list, place, item)
	{
		text_clear(&name);
		text_add_string(&name, "[");
		add_name(&name, members, item, place);
		text_add_string(&name, "]");
		if (json_object_get(object, text_string(&name)) != NULL)
			text_add_format(&name, "[%zu]", place);
		must(json_object_set(object, text_string(&name), item) == 0);
	}
	text_release(&name);
	return object;
}

static void
compare_lists(const struct comparing *comparing, const char *path, json_t *a, json_t *b)
{
	const char *const *members = members_of(path);
	json_t *left = by_name(members, a), *right = by_name(members, b);

	compare_objects(comparing, path, left, right);
	json_decref(left);
	json_decref(right);
}

static void
compare(const struct comparing *comparing, const char *path, json_t *a, json_t *b)
{
	if (json_is_object(a) && json_is_object(b))
		compare_objects(comparing, path, a, b);
	else if (json_is_array(a) && json_is_array(b))
		compare_lists(comparing, path, a, b);
	else if (a == NULL || b == NULL || json_equal(a, b) == 0)
		tell(comparing, path, a, b);
}

/* A manifest without what is not compared. */
static json_t *
read_manifest(struct bytes bytes, const char *which, struct error *err)
{
	json_t *root = document_parse(bytes.at, bytes.length, which, err);

	if (root != NULL) {
		(void)json_object_del(root, "timing");
		(void)json_object_del(root, "digest");
	}
	return root;
}

bool
manifest_compare(struct bytes a, struct bytes b, manifest_differs *differs, void *context, struct error *err)
{
	const struct comparing comparing = {differs, context};
	json_t *left = read_manifest(a, "manifest A", err), *right;
	bool fine = false;

	if (left == NULL)
		return false;
	right = read_manifest(b, "manifest B", err);
	if (right != NULL) {
		fine = true;
		compare(&comparing, "", left, right);
	}
	json_decref(left);
	json_decref(right);
	return fine;
}
