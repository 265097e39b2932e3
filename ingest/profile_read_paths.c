/*
 * profile_read_paths.c -- paths of a description into slots, and slots into the trees; see profile_reading.h.
 *
 * A path becomes a slot where it is met.  Only when all members are read is it known what is to be kept of each, and the slots
 * are put into the trees.
 */
#include <stdio.h>
#include <string.h>

#include "ingest/profile_reading.h"

/* Refuses what is no path. */
static bool
check_path(struct reading *reading, const char *where, const json_t *value, const char *path)
{
	const char *problem;

	if (profile_path_add(&reading->profile->arena, &reading->checked, "", path, NO_SLOT, NULL, &problem))
		return true;
	reading_refuse(reading, where, value, "\"%s\" is no path: %s", path, problem);
	return error_hint(
	    reading->err, "Keys have a / between them; steps are [], [0], [key=value] and *, too; ^ begins at the top.");
}

/* A path that must lead somewhere, copied. */
bool
reading_path(struct reading *reading, const char *where, const json_t *value, const char **out)
{
	struct bytes text;

	if (!reading_text(reading, where, value, &text) || !check_path(reading, where, value, text.at))
		return false;
	*out = text.at;
	return true;
}

/* A slot by its place in one of the trees, or a new one. */
bool
reading_slot_at(struct reading *reading, const char *where, const json_t *value, const char *path, const char *place,
    const char *item_place, enum slot_kind kind, short *out)
{
	struct profile *profile = reading->profile;
	const char *wanted = place != NULL ? place : item_place;

	for (size_t i = 0; i < profile->slot_count; i++) {
		const char *had = place != NULL ? reading->place[i] : reading->place[i] == NULL ? reading->item_place[i] : NULL;

		if (profile->slots[i].kind != kind || had == NULL || strcmp(had, wanted) != 0)
			continue;
		/* An attribute of a CloudEvent that the description names, too, is called as it does. */
		profile->slots[i].path = path;
		*out = (short)i;
		return true;
	}
	if (profile->slot_count == PROFILE_SLOTS)
		return reading_refuse(reading, where, value, "the format has more than %d paths", PROFILE_SLOTS);
	*out = (short)profile->slot_count++;
	reading->place[*out] = place;
	reading->item_place[*out] = item_place;
	profile->slots[*out] = (struct slot){.path = path, .kind = kind};
	return true;
}

/* What is left of a path behind iterations.instead_of, or NULL. */
static const char *
below_iterations(const struct reading *reading, const char *path)
{
	size_t length = reading->instead_of == NULL ? 0 : strlen(reading->instead_of);

	if (reading->instead_of == NULL || strncmp(path, reading->instead_of, length) != 0)
		return NULL;
	return path[length] == '/' ? path + length + 1 : path[length] == '\0' ? path + length : NULL;
}

bool
reading_slot(struct reading *reading, const char *where, const json_t *value, const char *path, enum slot_kind kind, bool watched,
    short *out)
{
	path = arena_copy(&reading->profile->arena, path, strlen(path));
	if (!check_path(reading, where, value, path) ||
	    !reading_slot_at(reading, where, value, path, path, below_iterations(reading, path), kind, out))
		return false;
	reading->profile->slots[*out].watched = reading->profile->slots[*out].watched || watched;
	return true;
}

static bool
read_one_path(struct reading *reading, const char *where, json_t *value, enum slot_kind kind, bool watched, struct paths *out)
{
	bool deprecated = false;
	char place[WHERE];
	struct bytes path;

	snprintf(place, sizeof place, "%s", where);
	if (json_is_object(value)) {
		if (!READING_KEYS(reading, value, where, "path", "deprecated") ||
		    !reading_bool(reading, reading_member(place, where, "deprecated"), json_object_get(value, "deprecated"),
			false, &deprecated))
			return false;
		reading_member(place, where, "path");
		value = json_object_get(value, "path");
	}
	if (!reading_text(reading, place, value, &path) ||
	    !reading_slot(reading, place, value, path.at, kind, watched, &out->slot[out->count]))
		return false;
	if (deprecated)
		out->deprecated |= (unsigned char)(1 << out->count);
	out->count++;
	return true;
}

bool
reading_paths(struct reading *reading, const char *where, json_t *value, enum slot_kind kind, bool watched, struct paths *out)
{
	*out = (struct paths){0};
	if (!json_is_array(value))
		return read_one_path(reading, where, value, kind, watched, out);
	if (!reading_is_list(reading, where, value, PATHS_MOST))
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		char place[WHERE];

		if (!read_one_path(reading, reading_item(place, where, i), json_array_get(value, i), kind, watched, out))
			return false;
	}
	return true;
}

/* "path" of an object, or the value itself where it is written short. */
json_t *
reading_short(json_t *value, const char *where, char place[WHERE])
{
	snprintf(place, WHERE, "%s", where);
	if (!json_is_object(value))
		return value;
	reading_member(place, where, "path");
	return json_object_get(value, "path");
}

/* The path of what a path stands in; "" at the top. */
const char *
path_parent(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return path[0] == '^' ? "^" : "";
	return arena_copy(arena, path, (size_t)(slash - path));
}

static const char *
last_step(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path[0] == '^' ? path + 1 : path;
}

/* Its last step is no key of an object. */
bool
path_ends_in_choice(const char *path)
{
	const char *last = last_step(path);

	return last[0] == '[' || strcmp(last, "*") == 0;
}

/* --- trees ------------------------------------------------------------------------------------- */

/* All paths were checked, so that none can be wrong here. */
static void
add(struct reading *reading, struct node **tree, const char *prefix, const char *path, short number)
{
	const struct slot *slot = number == NO_SLOT ? NULL : &reading->profile->slots[number];
	const char *problem;

	must(profile_path_add(&reading->profile->arena, tree, prefix, path, number, slot, &problem));
}

/* What a count stands in holds counts, unless it is the whole payload, which holds all sorts of numbers.  Of items that are
 * chosen by a text of theirs the list does: another such text is another count. */
static void
watch(struct reading *reading, struct node **tree, const char *prefix, const char *path, bool top_too)
{
	struct arena *arena = &reading->profile->arena;
	const char *object = path_parent(arena, path), *kept = object, *problem;

	while (path_ends_in_choice(kept))
		kept = path_parent(arena, kept);
	if ((kept[0] == '\0' && !top_too) || strcmp(kept, "^") == 0)
		return;
	must(profile_path_watch(arena, tree, prefix, object, &problem));
	if (last_step(object)[0] == '[' && strchr(last_step(object), '=') != NULL)
		must(profile_path_watch(arena, tree, prefix, path_parent(arena, object), &problem));
}

static void
add_below_all(struct reading *reading, const char *path, short number, bool watched)
{
	for (size_t i = 0; i < (path[0] == '^' ? 1 : reading->at_count); i++) {
		add(reading, &reading->profile->record, reading->at[i], path, number);
		if (watched)
			watch(reading, &reading->profile->record, reading->at[i], path, false);
	}
}

bool
reading_make_trees(struct reading *reading)
{
	struct profile *profile = reading->profile;
	const char *below;

	for (size_t i = 0; i < profile->slot_count; i++) {
		bool watched = profile->slots[i].watched;

		if (reading->place[i] != NULL)
			add_below_all(reading, reading->place[i], (short)i, watched);
		if (reading->item_place[i] == NULL)
			continue;
		add(reading, &profile->item, "", reading->item_place[i], (short)i);
		if (watched)
			watch(reading, &profile->item, "", reading->item_place[i], true);
	}
	for (size_t i = 0; i < reading->ignored_count; i++) {
		add_below_all(reading, reading->ignored[i], NO_SLOT, false);
		below = below_iterations(reading, reading->ignored[i]);
		if (below != NULL)
			add(reading, &profile->item, "", below, NO_SLOT);
	}
	if (profile->record == NULL)
		add(reading, &profile->record, "", "", NO_SLOT);
	if (profile->capture)
		profile_path_data(&profile->arena, &profile->record, profile->data);
	if (profile_tree_settle(&profile->arena, profile->record) && profile_tree_settle(&profile->arena, profile->item))
		return true;
	return reading_refuse(
	    reading, "", NULL, "the paths of the format, with all their [], * and [key=value], make a tree that is too large");
}
