/*
 * config_rule.h -- the rules of config_keys.def: which settings there are, and what each takes.  For base/config*.c.
 */
#ifndef BASE_CONFIG_RULE_H
#define BASE_CONFIG_RULE_H

#include "base/config.h"

struct config_rule {
	const char *section, *key;
	struct {
		enum config_kind kind;
		int64_t least, most; /* of a number */
		const char *words;   /* of a choice, with blanks between them */
		bool required;
		const char *of; /* only where the section's "kind" is this; NULL: always */
	} value;
	const char *otherwise, *meaning;
};
/* In the order in which they are shown. */
extern const struct config_rule config_rules[];
extern const size_t config_rule_count;

struct config_section_type {
	const char *section;
	bool named;
};
extern const struct config_section_type config_section_types[];
extern const size_t config_section_type_count;

/* Whether it may be shown as it is. */
bool rule_is_secret(const struct config_rule *rule);
/* Whether the text is a value of the rule; nothing is one where nothing is the default. */
bool rule_takes(const struct config_rule *rule, const char *text);
/* The error that says what is taken; `key` is the whole name.  Returns false; where it was said is for the caller to add. */
bool rule_refuse(const struct config_rule *rule, const char *key, struct error *err);
/* The amount of a currency in a list of them, "USD 100, JPY 15000.5"; false where there is none. */
bool money_list_find(const char *list, const char *currency, struct decimal *out);
/* 1 to 8 capital letters and digits, as finance.issuer wants a code and a series. */
bool is_issuer_code(const char *text);

#endif
