/* format_option.c -- see format_option.h. */
#include "ingest/format_option.h"

#include <string.h>

static const char *const *
uses_of(struct run *run, const char *name, size_t *count)
{
	const char **uses = arena_take(&run->arena, (run->use_count + 1) * sizeof *uses);

	for (*count = 0; (uses[*count] = option_each(run, name, *count)) != NULL; ++*count)
		;
	return uses;
}

struct profile_wishes
format_wishes(struct run *run)
{
	struct profile_wishes wishes = {0};

	wishes.fields = uses_of(run, "field", &wishes.field_count);
	wishes.constants = uses_of(run, "constant", &wishes.constant_count);
	return wishes;
}

bool
format_option_open(struct run *run, struct profile **out, struct error *err)
{
	const char *name = option_value(run, "format");
	struct profile_wishes wishes = format_wishes(run);

	*out = NULL;
	if (name != NULL)
		return profile_open(name, &wishes, out, err);
	if (wishes.field_count + wishes.constant_count == 0)
		return true;
	error_set(
	    err, ERROR_USAGE, "--%s is for a usage format, and none is named", wishes.field_count > 0 ? "field" : "constant");
	return error_hint(err, "Name one: --format FORMAT; tollbook formats list shows them.");
}
