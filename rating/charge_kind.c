/* charge_kind.c -- see charge_kind.h. */
#include "rating/charge_kind.h"

#include <string.h>

#include "base/error.h"

static const struct {
	const char *text, *meaning;
} kinds[CHARGE_KINDS] = {
#define CHARGE_KIND(name, text, meaning) [CHARGE_##name] = {#text, meaning},
#include "rating/charge_kind.def"
#undef CHARGE_KIND
};

const char *
charge_kind_text(enum charge_kind kind)
{
	must(kind < CHARGE_KINDS);
	return kinds[kind].text;
}

const char *
charge_kind_meaning(enum charge_kind kind)
{
	must(kind < CHARGE_KINDS);
	return kinds[kind].meaning;
}

bool
charge_kind_find(const char *text, enum charge_kind *out)
{
	for (size_t i = 0; i < CHARGE_KINDS; i++)
		if (strcmp(kinds[i].text, text) == 0) {
			*out = (enum charge_kind)i;
			return true;
		}
	return false;
}
