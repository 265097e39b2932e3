/*
 * config_settings.h -- the settings of a configuration, section by section, and what is said of one that is wrong.  For base/config.c and
 * base/config_read.c.
 */
#ifndef BASE_CONFIG_SETTINGS_H
#define BASE_CONFIG_SETTINGS_H

#include "base/config_rule.h"

/* It had a name in the environment before there were files. */
#define CONFIG_DATABASE_KEY "database.connection"
#define CONFIG_DATABASE_VARIABLE "TOLLBOOK_DB"

enum { CONFIG_LINE_BYTES = 4096, CONFIG_NAMED_SECTIONS = 64, CONFIG_SUGGESTIONS = 64 };

/* A setting is a rule of config_keys.def in a section; of a section with names, once for each name.  What is said about it comes from
 * somewhere (struct origin), and the strongest, who speaks last, is heard. */
/* From weak to strong. */
enum strength { STRENGTH_DEFAULT, STRENGTH_FILE, STRENGTH_ENVIRONMENT, STRENGTH_COMMAND };

struct origin {
	enum strength strength;
	const char *text; /* for people */
	const char *file; /* NULL: none */
	uint64_t line;
};

struct setting {
	const struct config_rule *rule;
	const char *key; /* "night.at", "source.usage.topic" */
	const char *value, *shown;
	struct origin origin;
	const char **words; /* of a list of files; ended by NULL */
};

struct section {
	const struct config_section_type *type;
	const char *name;    /* "" where it has none */
	uint64_t line;       /* of the file, or 0 */
	size_t first, count; /* its settings */
};

struct config {
	struct arena arena;
	const char *path;         /* of the file; NULL: none */
	struct section *sections; /* those without names are there always, and first */
	size_t section_count, section_room, named_count;
	struct setting *settings;
	size_t count, room;
};

/* --- sections --- */

/* NULL where there is none. */
const struct config_section_type *section_type_find(const char *section);
struct section *section_find(const struct config *config, const struct config_section_type *type, const char *name);
struct setting *section_setting(const struct config *config, const struct section *section, const char *key);
struct setting *setting_find(const struct config *config, const char *key);
/* A section with everything in it at its default. */
struct section *section_add(struct config *config, const struct config_section_type *type, const char *name);
/* The section that somebody names, added where it is not there; NULL with *err set. */
MUST_CHECK
struct section *section_open(
    struct config *config, const char *word, const char *name, const struct origin *origin, struct error *err);

/* --- values --- */

/* Gives a setting a value, where its rule takes it. */
MUST_CHECK
bool setting_assign(
    struct config *config, struct setting *setting, const char *value, const struct origin *origin, struct error *err);
/* The same, unlooked at. */
void setting_put(struct config *config, struct setting *setting, const char *value, const struct origin *origin);

/* --- errors: these return false --- */

/* Says where on an error that is set already, and whose fault it is. */
bool error_at_origin(struct error *err, const struct origin *origin, const char *field, const char *value);
/* The same of a setting: what may have a password in it is not repeated. */
bool error_at_setting(struct error *err, const struct setting *setting, const char *value, const struct origin *origin);
/* A section has no such key; says which was meant. */
bool section_refuse_key(struct config *config, const struct section *section, const char *key, const char *value,
    const struct origin *origin, struct error *err);

#endif
