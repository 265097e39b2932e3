/* profile_explain.c -- how something came to be what it is, noted for a person; see profile.h. */
#include <string.h>

#include "ingest/profile.h"

void
profile_explain(
    struct profile_explanation *explanation, struct arena *arena, const char *name, struct bytes value, const char *from)
{
	if (explanation->count == explanation->room) {
		size_t room = explanation->room == 0 ? 32 : 2 * explanation->room;
		struct profile_reason *items = arena_take(arena, room * sizeof *items);

		if (explanation->count > 0)
			memcpy(items, explanation->items, explanation->count * sizeof *items);
		explanation->items = items;
		explanation->room = room;
	}
	if (value.length > 0)
		value.at = arena_copy(arena, value.at, value.length);
	explanation->items[explanation->count++] = (struct profile_reason){name, value, from};
}
