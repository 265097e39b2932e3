/* profile_each.c -- see profile_each.h. */
#include "ingest/profile_each.h"

#include <string.h>

#include "ingest/json_fault.h"

/* Items that are no records themselves, such as those that lists of records stand in; and lists. */
enum { EACH_ITEMS = 16 * PROFILE_EVENTS };

/* What is left of the paths at some place of the document. */
struct places {
	const char *path[EACH_PATHS]; /* "" where one ends here */
	size_t count;
};

struct search {
	const struct profile *profile;
	struct json_reader *reader;
	struct arena *arena;
	struct each_found *out;
};

static void search_value(struct search *search, const struct places *places, int item);

/* Behind the "[]" that a path begins with, or NULL. */
static const char *
behind_list(const char *path)
{
	if (strncmp(path, "[]", 2) != 0 || (path[2] != '/' && path[2] != '\0'))
		return NULL;
	return path[2] == '/' ? path + 3 : path + 2;
}

/* Behind the key that a path begins with, or NULL.  In a path "~1" is a "/" and "~0" a "~". */
static const char *
behind_key(const char *path, struct bytes key)
{
	for (size_t i = 0; i < key.length; i++) {
		if (key.at[i] == '~' || key.at[i] == '/') {
			if (path[0] != '~' || path[1] != (key.at[i] == '~' ? '0' : '1'))
				return NULL;
			path += 2;
		} else if (path[0] == '~' || path[0] == '\0' || path[0] != key.at[i]) {
			return NULL;
		} else {
			path++;
		}
	}
	if (path[0] == '/')
		return path + 1;
	return path[0] == '\0' ? path : NULL;
}

bool
each_is_path(const char *path)
{
	while (strchr(path, '/') != NULL) {
		if (path[0] == '^' || strncmp(path, "*/", 2) == 0 || (path[0] == '[' && behind_list(path) == NULL))
			return false;
		path = strchr(path, '/') + 1;
	}
	return strcmp(path, "[]") == 0;
}

/* Paths of a document: those of an item of a list at the top are the same without it. */
static void
places_begin(const struct profile *profile, struct places *out)
{
	out->count = 0;
	for (size_t i = 0; profile->each != NULL && profile->each[i] != NULL; i++) {
		const char *inner = behind_list(profile->each[i]);
		const char *path = inner == NULL ? profile->each[i] : inner;

		if (path[0] != '\0' && out->count < EACH_PATHS)
			out->path[out->count++] = path;
	}
}

bool
each_takes_list(const struct profile *profile)
{
	for (size_t i = 0; profile->each != NULL && profile->each[i] != NULL; i++)
		if (behind_list(profile->each[i]) != NULL)
			return true;
	return false;
}

/* A key can be written in other bytes than its own by escapes only. */
bool
each_may_be(const struct profile *profile, struct bytes document)
{
	struct places places;

	places_begin(profile, &places);
	for (size_t i = 0; i < places.count; i++) {
		size_t length = strcspn(places.path[i], "/");

		if (memchr(places.path[i], '~', length) != NULL ||
		    memmem(document.at, document.length, places.path[i], length) != NULL)
			return true;
	}
	return places.count > 0 && memmem(document.at, document.length, "\\", 1) != NULL;
}

bool
each_is_record(const struct each_found *found, int item)
{
	return found->items[item].whole && found->items[item].first_list == EACH_NONE;
}

/* More of something in the arena: twice as much. */
static void *
grown(struct arena *arena, const void *old, size_t *room, size_t count, size_t size)
{
	void *more;

	if (count < *room)
		return NULL;
	*room = *room == 0 ? 4 : 2 * *room;
	more = arena_take(arena, *room * size);
	if (count > 0)
		memcpy(more, old, count * size);
	return more;
}

static int
add_item(struct search *search, int list)
{
	struct each_found *out = search->out;
	void *more = grown(search->arena, out->items, &out->item_room, (size_t)out->item_count, sizeof *out->items);

	if (more != NULL)
		out->items = more;
	out->items[out->item_count] = (struct each_item){.list = list, .first_list = EACH_NONE};
	return out->item_count++;
}

/* Behind the other lists of the same item.  Few: one for each path. */
static void
link_list(struct each_found *out, int list, int item)
{
	int *at = item == EACH_NONE ? &out->first_list : &out->items[item].first_list;

	while (*at != EACH_NONE)
		at = &out->lists[*at].next;
	*at = list;
}

static int
add_list(struct search *search, int item)
{
	struct each_found *out = search->out;
	void *more = grown(search->arena, out->lists, &out->list_room, (size_t)out->list_count, sizeof *out->lists);
	int list = out->list_count;

	if (more != NULL)
		out->lists = more;
	out->lists[list] = (struct each_list){.item = item, .next = EACH_NONE};
	out->list_count++;
	link_list(out, list, item);
	return list;
}

static bool
is_full(struct each_found *out)
{
	if (out->records > PROFILE_EVENTS || out->item_count >= EACH_ITEMS || out->list_count >= EACH_ITEMS)
		out->too_many = true;
	return out->too_many;
}

/* Behind the opening bracket of a list that is `item`'s. */
static void
search_list(struct search *search, const struct places *inner, int item)
{
	struct json_reader *reader = search->reader;
	int list = add_list(search, item);
	const char *from = reader->at;

	while (!is_full(search->out) && json_item(reader)) {
		int added = add_item(search, list);
		struct places rest = {.count = 0};
		const char *begins;

		for (size_t i = 0; i < inner->count; i++)
			if (inner->path[i][0] == '\0')
				search->out->items[added].whole = true;
			else
				rest.path[rest.count++] = inner->path[i];
		while (reader->at < reader->end && bytes_are_blank(reader->at, 1))
			reader->at++;
		begins = reader->at;
		search_value(search, &rest, added);
		search->out->items[added].text = (struct bytes){begins, (size_t)(reader->at - begins)};
		search->out->records += each_is_record(search->out, added) ? 1 : 0;
	}
	if (!search->out->too_many && reader->fault == JSON_FAULT_NONE)
		search->out->lists[list].inside = (struct bytes){from, (size_t)(reader->at - from) - 1};
}

/* CloudEvents show themselves at the top. */
static bool
is_version_key(const struct search *search, struct bytes key)
{
	return search->profile->capture && search->reader->depth == 1 && bytes_are(key, "specversion");
}

static void
search_object(struct search *search, const struct places *places, int item)
{
	struct json_reader *reader = search->reader;
	struct bytes key, raw;

	while (!search->out->too_many && json_key(reader, &key)) {
		struct places rest = {.count = 0};

		if (is_version_key(search, key)) {
			search->out->is_event = json_skip(reader, &raw) && raw.at[0] != 'n';
			continue;
		}
		for (size_t i = 0; i < places->count; i++) {
			const char *behind = behind_key(places->path[i], key);

			if (behind != NULL && behind[0] != '\0')
				rest.path[rest.count++] = behind;
		}
		search_value(search, &rest, item);
	}
}

static void
search_value(struct search *search, const struct places *places, int item)
{
	struct json_reader *reader = search->reader;
	struct places inner = {.count = 0};
	struct json_value value;

	if (places->count == 0) {
		(void)json_skip(reader, NULL);
		return;
	}
	if (!json_value(reader, &value))
		return;
	if (value.type == VALUE_OBJECT) {
		search_object(search, places, item);
	} else if (value.type == VALUE_ARRAY) {
		for (size_t i = 0; i < places->count; i++) {
			const char *behind = behind_list(places->path[i]);

			if (behind != NULL)
				inner.path[inner.count++] = behind;
		}
		if (inner.count > 0)
			search_list(search, &inner, item);
		else
			(void)json_leave(reader);
	}
}

void
each_find(const struct profile *profile, struct json_reader *reader, struct arena *arena, struct each_found *out)
{
	struct search search = {profile, reader, arena, out};
	struct places places;
	struct json_value top;

	*out = (struct each_found){.first_list = EACH_NONE};
	places_begin(profile, &places);
	if (!json_value(reader, &top))
		return;
	if (top.type == VALUE_OBJECT)
		search_object(&search, &places, EACH_NONE);
	else if (top.type == VALUE_ARRAY)
		(void)json_leave(reader);
	if (!out->too_many)
		(void)json_end(reader);
}

/* Where an item's document is written: its length alone where `bytes` is NULL. */
struct writing {
	const struct each_found *found;
	const int *kept; /* by depth: the items that stay, the outermost first */
	char *bytes;
	size_t length;
};

static void
write_bytes(struct writing *writing, const char *from, const char *to)
{
	if (writing->bytes != NULL)
		memcpy(writing->bytes + writing->length, from, (size_t)(to - from));
	writing->length += (size_t)(to - from);
}

/* A text with its lists emptied, but for the item that is kept. */
static void
write_text(struct writing *writing, struct bytes text, int first_list, int depth)
{
	const char *from = text.at;
	int kept = writing->kept[depth];

	for (int list = first_list; list != EACH_NONE && kept != EACH_NONE; list = writing->found->lists[list].next) {
		const struct each_list *emptied = &writing->found->lists[list];
		const struct each_item *item = &writing->found->items[kept];

		write_bytes(writing, from, emptied->inside.at);
		if (item->list == list)
			write_text(writing, item->text, item->first_list, depth + 1);
		from = emptied->inside.at + emptied->inside.length;
	}
	write_bytes(writing, from, text.at + text.length);
}

bool
each_document(const struct each_found *found, struct bytes document, int item, struct arena *arena, struct bytes *out)
{
	int kept[JSON_DEPTH_MOST + 1], depth = 0, place;
	struct writing writing = {.found = found, .kept = kept};

	for (int i = item; i != EACH_NONE; i = found->lists[found->items[i].list].item)
		depth++;
	must(depth < JSON_DEPTH_MOST);
	kept[depth] = EACH_NONE;
	place = depth;
	for (int i = item; i != EACH_NONE; i = found->lists[found->items[i].list].item)
		kept[--place] = i;
	write_text(&writing, document, found->first_list, 0);
	if (writing.length - found->items[item].text.length > EACH_CONTEXT)
		return false;
	writing.bytes = arena_take(arena, writing.length + 1);
	writing.length = 0;
	write_text(&writing, document, found->first_list, 0);
	*out = (struct bytes){writing.bytes, writing.length};
	return true;
}
