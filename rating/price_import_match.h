/*
 * price_import_match.h -- how genai-prices says which names of models an entry is for, in the words of price books.
 *
 * A match is {"equals": "x"}, {"starts_with": ..}, {"ends_with": ..}, {"contains": ..}, {"regex": ..} or {"or": [..]}, {"and":
 * [..]}.  Of several entries of a provider the first that matches counts.  A price book asks rules that name a model before
 * patterns, so a name becomes such a rule only where no entry before matches it.  Capital letters are as good as small ones,
 * but in regex.
 */
#ifndef RATING_PRICE_IMPORT_MATCH_H
#define RATING_PRICE_IMPORT_MATCH_H

#include "rating/price_import_parts.h"
#include "rating/price_list.h"

struct pattern;

/* One entry's match. */
struct import_match {
	const struct list_node *node; /* of the entry, for its reader */
	const char *id;
	const char **names; /* that it equals */
	size_t name_count, name_room;
	const char **texts; /* of patterns for the whole name: the match is any of them, or of the names */
	struct pattern **patterns;
	size_t pattern_count, text_room, pattern_room;
};

/* What cannot be said is noted. */
void import_match_read(const struct import_place *place, const struct list_node *clause, struct import_match *out);
bool import_match_takes(const struct import_match *match, const char *name);
void import_match_release(struct import_match *match);
/* The pattern for a name in capital and small letters; NULL where it would be too long. */
const char *import_name_pattern(struct price_import *import, const char *name);
/* As many of the patterns from *at on as go into one of a rule, joined; NULL behind the last. */
const char *import_join_patterns(struct price_import *import, const char *const *texts, size_t count, size_t *at);
/* Names that differ in capital letters alone. */
bool import_is_same_name(const char *one, const char *other);

#endif
