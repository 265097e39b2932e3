/*
 * charge_kind.h -- what a charge is for; the list is charge_kind.def.
 */
#ifndef RATING_CHARGE_KIND_H
#define RATING_CHARGE_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum charge_kind {
#define CHARGE_KIND(name, text, meaning) CHARGE_##name,
#include "rating/charge_kind.def"
#undef CHARGE_KIND
	CHARGE_KINDS
};

/* As it is stored: "tier_fee". */
const char *charge_kind_text(enum charge_kind kind);
/* For people: "flat fee of a tier that usage entered". */
const char *charge_kind_meaning(enum charge_kind kind);
/* The kind of a stored text; false where none has it. */
bool charge_kind_find(const char *text, enum charge_kind *out);

#endif
