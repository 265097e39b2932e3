/* settings.c -- see settings.h. */
#include "nightly/settings.h"

#include <stdlib.h>

bool
settings_open(struct run *run, struct config **out, struct error *err)
{
	const char **sets = (const char **)memory_new(run->use_count + 1, sizeof *sets);
	size_t count = 0;
	bool fine;

	while ((sets[count] = option_each(run, "set", count)) != NULL)
		count++;
	fine = config_open(run->config_path, sets, count, out, err);
	free(sets);
	return fine;
}
