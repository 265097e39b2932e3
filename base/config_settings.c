/* config_settings.c -- see config_settings.h. */
#include "base/config_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/db.h"
#include "base/document.h"

enum { NAME_BYTES = 64 };

/* --- errors ----------------------------------------------------------------------------------- */

/* Says where on an error that is set already, and whose fault it is. */
bool
error_at_origin(struct error *err, const struct origin *origin, const char *field, const char *value)
{
	err->kind = origin->strength == STRENGTH_COMMAND ? ERROR_USAGE : ERROR_INPUT;
	if (origin->file != NULL)
		(void)error_at(err, origin->file, origin->line);
	else
		(void)error_detail(err, "It comes from %s.", origin->text);
	return error_field(err, field, value, strlen(value));
}

/* What may have a password in it is not repeated. */
bool
error_at_setting(struct error *err, const struct setting *setting, const char *value, const struct origin *origin)
{
	return error_at_origin(err, origin, setting->key, rule_is_secret(setting->rule) ? "(not shown)" : value);
}

/* --- values ----------------------------------------------------------------------------------- */

/* The words of a list: "\ " is a blank in one. */
static const char **
split_words(struct arena *arena, const char *text)
{
	size_t length = strlen(text), count = 0;
	const char **words = (const char **)arena_take(arena, (length / 2 + 2) * sizeof *words);
	char *to = arena_take(arena, length + 1);

	for (const char *from = text; *(from += strspn(from, " \t")) != '\0';) {
		words[count++] = to;
		for (; *from != '\0' && *from != ' ' && *from != '\t'; from++) {
			from += from[0] == '\\' && from[1] == ' ';
			*to++ = *from;
		}
		*to++ = '\0';
	}
	words[count] = NULL;
	return words;
}

/* A connection as it may be shown, in the arena. */
static const char *
shown_connection(struct arena *arena, const char *value)
{
	struct text shown = {0};
	bool hidden;
	const char *copy = value[0] == '\0' || !db_conninfo_show(value, &shown, &hidden)
	    ? "(cannot be shown)"
	    : arena_copy(arena, shown.bytes, shown.length);

	text_release(&shown);
	return copy;
}

void
setting_put(struct config *config, struct setting *setting, const char *value, const struct origin *origin)
{
	setting->origin = *origin;
	setting->value = arena_copy(&config->arena, value, strlen(value));
	setting->shown = setting->value;
	if (rule_is_secret(setting->rule) && value[0] != '\0')
		setting->shown = shown_connection(&config->arena, value);
	if (setting->rule->value.kind == CONFIG_FILES)
		setting->words = split_words(&config->arena, value);
}

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f)
			return true;
	return false;
}

bool
setting_assign(struct config *config, struct setting *setting, const char *value, const struct origin *origin, struct error *err)
{
	if (strlen(value) > CONFIG_LINE_BYTES || has_control(value)) {
		error_set(
		    err, ERROR_INPUT, "%s takes at most %d bytes, and no control characters", setting->key, CONFIG_LINE_BYTES);
		return error_at_setting(err, setting, value, origin);
	}
	if (!rule_takes(setting->rule, value)) {
		(void)rule_refuse(setting->rule, setting->key, err);
		return error_at_setting(err, setting, value, origin);
	}
	setting_put(config, setting, value, origin);
	return true;
}

/* --- sections --------------------------------------------------------------------------------- */

const struct config_section_type *
section_type_find(const char *section)
{
	for (size_t i = 0; i < config_section_type_count; i++)
		if (strcmp(config_section_types[i].section, section) == 0)
			return &config_section_types[i];
	return NULL;
}

struct section *
section_find(const struct config *config, const struct config_section_type *type, const char *name)
{
	for (size_t i = 0; i < config->section_count; i++)
		if (config->sections[i].type == type && strcmp(config->sections[i].name, name) == 0)
			return &config->sections[i];
	return NULL;
}

struct setting *
section_setting(const struct config *config, const struct section *section, const char *key)
{
	for (size_t i = section->first; i < section->first + section->count; i++)
		if (strcmp(config->settings[i].rule->key, key) == 0)
			return &config->settings[i];
	return NULL;
}

struct setting *
setting_find(const struct config *config, const char *key)
{
	for (size_t i = 0; i < config->count; i++)
		if (strcmp(config->settings[i].key, key) == 0)
			return &config->settings[i];
	return NULL;
}

/* A section with everything in it at its default. */
struct section *
section_add(struct config *config, const struct config_section_type *type, const char *name)
{
	struct section section = {.type = type, .name = arena_copy(&config->arena, name, strlen(name)), .first = config->count};

	for (const struct config_rule *rule = config_rules; rule < config_rules + config_rule_count; rule++) {
		if (strcmp(rule->section, type->section) != 0)
			continue;
		config->settings = memory_grow(config->settings, &config->room, config->count + 1, sizeof *config->settings);
		config->settings[config->count++] = (struct setting){.rule = rule,
		    .value = rule->otherwise,
		    .shown = rule->otherwise,
		    .key =
			arena_format(&config->arena, "%s%s%s.%s", type->section, type->named ? "." : "", section.name, rule->key),
		    .origin = {.text = "default"},
		    .words = split_words(&config->arena, "")};
	}
	section.count = config->count - section.first;
	config->named_count += type->named;
	config->sections =
	    memory_grow(config->sections, &config->section_room, config->section_count + 1, sizeof *config->sections);
	config->sections[config->section_count] = section;
	return &config->sections[config->section_count++];
}

/* An issuer's code is in the numbers of its invoices; a source's name in records of what was read. */
static bool
check_name(const struct config_section_type *type, const char *name, struct error *err)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
	size_t length = strlen(name);

	if (!type->named)
		return length == 0 || error_set(err, ERROR_INPUT, "there is one section [%s], without a name", type->section);
	if (strcmp(type->section, "issuer") == 0)
		return is_issuer_code(name) ||
		    error_set(err, ERROR_INPUT, "an issuer is [issuer CODE]: 1 to 8 capital letters and digits");
	if (length > 0 && length <= NAME_BYTES && strspn(name, allowed) == length && name[0] != '.' && name[0] != '-')
		return true;
	return error_set(err, ERROR_INPUT,
	    "a %s is [%s NAME]: 1 to %d letters, digits, \"_\", \".\" and \"-\", the first no dot or dash", type->section,
	    type->section, NAME_BYTES);
}

/* What is told of a section that nobody knows. */
static bool
refuse_section(const char *text, const char *section, const struct origin *origin, struct error *err)
{
	const char *names[CONFIG_SUGGESTIONS];
	size_t count = 0;

	for (; count < config_section_type_count; count++)
		names[count] = config_section_types[count].section;
	error_set(err, ERROR_INPUT, "there is no section \"%s\"", section);
	(void)document_suggest(err, section, names, count);
	return error_at_origin(err, origin, "section", text);
}

/* The section that a file names, or --set; NULL with *err set. */
struct section *
section_open(struct config *config, const char *word, const char *name, const struct origin *origin, struct error *err)
{
	const struct config_section_type *type = section_type_find(word);
	struct section *section;

	if (type == NULL) {
		(void)refuse_section(
		    name[0] == '\0' ? word : arena_format(&config->arena, "%s %s", word, name), word, origin, err);
		return NULL;
	}
	if (!check_name(type, name, err)) {
		(void)error_at_origin(err, origin, word, name);
		return NULL;
	}
	section = section_find(config, type, name);
	if (section == NULL && config->named_count < CONFIG_NAMED_SECTIONS)
		section = section_add(config, type, name);
	if (section != NULL)
		return section;
	error_set(err, ERROR_INPUT, "there are more than %d sections with names", CONFIG_NAMED_SECTIONS);
	(void)error_at_origin(err, origin, word, name);
	return NULL;
}

/* Whose other section has such a key, or which key of this one is nearest. */
static bool
suggest_key(struct config *config, const struct section *section, const char *key, struct error *err)
{
	const char *names[CONFIG_SUGGESTIONS];
	size_t count = 0;

	for (const struct config_rule *rule = config_rules; rule < config_rules + config_rule_count; rule++)
		if (strcmp(rule->key, key) == 0)
			return error_hint(err, "It belongs into the section [%s%s].", rule->section,
			    section_type_find(rule->section)->named ? " NAME" : "");
	for (size_t i = section->first; i < section->first + section->count && count < CONFIG_SUGGESTIONS; i++)
		names[count++] = config->settings[i].key;
	return document_suggest(err,
	    arena_format(
		&config->arena, "%s%s%s.%s", section->type->section, section->type->named ? "." : "", section->name, key),
	    names, count);
}

bool
section_refuse_key(struct config *config, const struct section *section, const char *key, const char *value,
    const struct origin *origin, struct error *err)
{
	error_set(err, ERROR_INPUT, "there is no setting \"%s\" in the section [%s%s%s]", key, section->type->section,
	    section->type->named ? " " : "", section->name);
	/* It may be the connection, misspelt. */
	(void)error_at_origin(err, origin, key, strcmp(section->type->section, "database") == 0 ? "(not shown)" : value);
	return suggest_key(config, section, key, err);
}
