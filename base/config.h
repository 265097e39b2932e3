/*
 * config.h -- settings: the configuration file, the environment, the command line, in rising strength.
 *
 * What settings there are, with their kinds, defaults and meanings, is base/config_keys.def.  A section such as [night] is there
 * once; one such as [source NAME] once for each name.  A setting is called "night.at", or "source.NAME.topic".
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "base/memory.h"

struct config;

/* What a setting is; what each takes is said in errors, and by config_rule.c. */
enum config_kind {
	CONFIG_TEXT,
	CONFIG_CONNECTION, /* of PostgreSQL; may have a password in it */
	CONFIG_CLOCK,
	CONFIG_ZONE,
	CONFIG_NUMBER,
	CONFIG_DECIMAL,
	CONFIG_MONEY,
	CONFIG_CHOICE,
	CONFIG_FLAG,
	CONFIG_TOPIC,
	CONFIG_SERIES,
	CONFIG_FILES, /* paths and patterns, with blanks between them: config_word() */
	CONFIG_FILE,
	CONFIG_FOLDER,
	CONFIG_NEW_FILE, /* to be written: its folder is there */
	CONFIG_NEW_FOLDER,
};

/* Reads everything and checks it: unknown settings, wrong values and sections are errors of kind INPUT (of the command line: USAGE)
 * that name file, line and a setting that may have been meant.  `path` NULL: TOLLBOOK_CONFIG, else /etc/tollbook/tollbook.conf where
 * that is there, else no file.  `sets` are "night.at=03:00", as on the command line. */
MUST_CHECK
bool config_open(const char *path, const char *const *sets, size_t set_count, struct config **out, struct error *err);
void config_free(struct config *config);
/* The file that was read, "" for none. */
const char *config_file(const struct config *config);

/* Values; the key must be one of config_keys.def, of that kind ("source.NAME.insecure" of one with a name).  Texts live as long as
 * the config; "" where nothing is set. */
const char *config_text(const struct config *config, const char *key);
int64_t config_number(const struct config *config, const char *key);
bool config_flag(const struct config *config, const char *key);
/* A limit by currency, as "USD 100, JPY 15000.5" states it: false where none is set for this currency. */
bool config_limit(const struct config *config, const char *key, const char *currency, struct decimal *out);
/* The words of a list of paths or patterns, separated by blanks ("\ " is a blank inside of one): the one at `at`, NULL behind the last. */
const char *config_word(const struct config *config, const char *key, size_t at);

/* Sections that have names: "source", "issuer".  In the order of the file. */
size_t config_names(const struct config *config, const char *section);
const char *config_name(const struct config *config, const char *section, size_t at);
/* A setting of one of them: config_named(config, "source", "usage", "topic"). */
const char *config_named(const struct config *config, const char *section, const char *name, const char *key);

/* One setting, for those who show them all. */
struct config_shown {
	const char *key, *value,
	    *origin; /* origin: "default", "file /etc/tollbook/tollbook.conf, line 12", "environment TOLLBOOK_NIGHT_AT", "--set" */
	const char *meaning;
	enum config_kind kind;
	bool is_secret; /* may carry a password (a connection string): shown without it */
};
/* All of them in the order of config_keys.def; false behind the last one. */
bool config_at(const struct config *config, size_t at, struct config_shown *out);
/* All that is not as it is by default, by name, as a JSON object; appended.  Without database.connection: what is written into a
 * database need not say which one it is. */
void config_json(const struct config *config, struct text *out);

#endif
