/* config_read.c -- see config_read.h. */
#include "base/config_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_settings.h"
#include "base/db.h"
#include "base/document.h"
#include "base/settings_lines.h"

static const char system_file[] = "/etc/tollbook/tollbook.conf";
static const char variable_prefix[] = "TOLLBOOK_";

enum { FILE_BYTES = 1 << 20 };

/* --- the file --------------------------------------------------------------------------------- */

static bool
is_quoted(const char *value)
{
	size_t length = strlen(value);

	return length > 1 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0];
}

/* What is a value to us, and was not meant as one. */
static bool
check_plain(const struct setting *setting, const char *value, const struct origin *origin, struct error *err)
{
	if (is_quoted(value)) {
		error_set(err, ERROR_INPUT, "%s: a value stands without quotes", setting->key);
		return error_at_setting(err, setting, value, origin);
	}
	if (strstr(value, " #") != NULL && !rule_is_secret(setting->rule)) {
		error_set(err, ERROR_INPUT, "%s: a comment has a line of its own", setting->key);
		return error_at_setting(err, setting, value, origin);
	}
	return true;
}

static bool
file_section(struct config *config, const char *text, const struct origin *origin, struct section **section, struct error *err)
{
	size_t length = strcspn(text, " \t");
	const char *word = arena_copy(&config->arena, text, length), *name = text + length + strspn(text + length, " \t");

	*section = section_open(config, word, name, origin, err);
	if (*section == NULL)
		return false;
	if ((*section)->line > 0) {
		error_set(err, ERROR_INPUT, "the section [%s] is there twice", text);
		error_detail(err, "It begins on line %llu, too.", (unsigned long long)(*section)->line);
		return error_at_origin(err, origin, "section", text);
	}
	(*section)->line = origin->line;
	return true;
}

static bool
file_setting(struct config *config, const struct section *section, const char *name, const char *value,
    const struct origin *origin, struct error *err)
{
	struct setting *setting;

	if (section == NULL) {
		error_set(err, ERROR_INPUT, "a setting stands in a section, such as [night]");
		return error_at_origin(err, origin, name, "(not shown)");
	}
	setting = section_setting(config, section, name);
	if (setting == NULL)
		return section_refuse_key(config, section, name, value, origin, err);
	if (setting->origin.strength == STRENGTH_FILE) {
		error_set(err, ERROR_INPUT, "%s is set twice", setting->key);
		error_detail(err, "It is set on line %llu, too.", (unsigned long long)setting->origin.line);
		return error_at_setting(err, setting, value, origin);
	}
	return check_plain(setting, value, origin, err) && setting_assign(config, setting, value, origin, err);
}

static bool
read_lines(struct config *config, struct settings_lines *lines, struct error *err)
{
	struct section *section = NULL;
	bool more, fine;

	for (;;) {
		struct origin origin = {.strength = STRENGTH_FILE, .file = config->path};

		if (!settings_lines_next(lines, &more, err))
			return false;
		if (!more)
			return true;
		origin.line = lines->number;
		origin.text = arena_format(&config->arena, "file %s, line %llu", config->path, (unsigned long long)origin.line);
		fine = lines->section != NULL ? file_section(config, lines->section, &origin, &section, err)
					      : file_setting(config, section, lines->name, lines->value, &origin, err);
		if (!fine)
			return false;
	}
}

/* Everybody on a machine can read a file that is open to everybody. */
static bool
check_private(const struct config *config, struct error *err)
{
	const struct setting *setting = setting_find(config, CONFIG_DATABASE_KEY);
	struct text shown = {0};
	struct stat status;
	bool hidden = false;

	if (setting->origin.strength == STRENGTH_FILE && setting->value[0] != '\0')
		must(db_conninfo_show(setting->value, &shown, &hidden));
	text_release(&shown);
	if (!hidden || stat(config->path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    (status.st_mode & (S_IROTH | S_IWOTH)) == 0)
		return true;
	error_set(err, ERROR_INPUT, "%s has a password and is open to everybody on this machine", config->path);
	error_hint(err, "Run: chmod o= %s (or leave the password to ~/.pgpass, and name nothing secret here).", config->path);
	return error_at_setting(err, setting, "", &setting->origin);
}

static bool
read_file(struct config *config, struct error *err)
{
	const char *path = config->path;
	struct settings_lines lines;
	bool fine;

	if (!settings_lines_open(&lines, path, FILE_BYTES, CONFIG_LINE_BYTES, err)) {
		if (access(path, R_OK) != 0 && errno == EACCES)
			error_hint(
			    err, "Run: chgrp GROUP %s && chmod g+r %s, with a group of the user who runs tollbook.", path, path);
		return error_wrap(err, "the configuration");
	}
	fine = read_lines(config, &lines, err) && check_private(config, err);
	settings_lines_close(&lines);
	return fine;
}

/* NULL: there is none. */
static const char *
choose_file(struct arena *arena, const char *path)
{
	const char *variable = getenv("TOLLBOOK_CONFIG");

	if (path == NULL && variable != NULL && variable[0] != '\0')
		path = variable;
	if (path == NULL && (access(system_file, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)))
		path = system_file;
	return path == NULL ? NULL : arena_copy(arena, path, strlen(path));
}

/* --- the environment -------------------------------------------------------------------------- */

/* "NIGHT_AT" of "night.at", in the arena. */
static const char *
variable_name(struct arena *arena, const char *key)
{
	size_t length = strlen(key);
	char *name = arena_take(arena, length + 1);

	for (size_t i = 0; i < length; i++) {
		char byte = key[i] >= 'a' && key[i] <= 'z' ? (char)(key[i] - 'a' + 'A') : key[i];

		name[i] = (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ? byte : '_';
	}
	name[length] = '\0';
	return name;
}

/* Names such as "a.b" and "a-b" are one in the environment. */
static bool
variable_set(struct config *config, const char *name, const char *value, struct error *err)
{
	struct origin origin = {
	    .strength = STRENGTH_ENVIRONMENT, .text = arena_format(&config->arena, "environment %s%s", variable_prefix, name)};
	const char *names[CONFIG_NAMED_SECTIONS * CONFIG_SUGGESTIONS];
	struct setting *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < config->count; i++) {
		struct setting *setting = &config->settings[i];
		const char *own = variable_name(&config->arena, setting->key);

		if (strcmp(setting->key, CONFIG_DATABASE_KEY) == 0)
			continue;
		if (count < sizeof names / sizeof names[0])
			names[count++] = arena_format(&config->arena, "%s%s", variable_prefix, own);
		if (strcmp(own, name) != 0)
			continue;
		if (found != NULL) {
			error_set(err, ERROR_INPUT, "%s and %s have the same name in the environment", found->key, setting->key);
			return error_at_origin(err, &origin, setting->key, value);
		}
		found = setting;
	}
	if (found != NULL)
		return setting_assign(config, found, value, &origin, err);
	error_set(err, ERROR_INPUT, "%s%s names no setting", variable_prefix, name);
	(void)error_at_origin(err, &origin, name, "(not shown)");
	if (strncmp(name, "DATABASE_", 9) == 0)
		return error_hint(err, "The database is named by %s.", CONFIG_DATABASE_VARIABLE);
	return document_suggest(err, arena_format(&config->arena, "%s%s", variable_prefix, name), names, count);
}

/* Whether it is about a section; other programs of ours have names there, too. */
static bool
is_about_section(struct config *config, const char *name)
{
	for (size_t i = 0; i < config_section_type_count; i++) {
		const char *own = variable_name(&config->arena, config_section_types[i].section);

		if (strncmp(name, own, strlen(own)) == 0 && name[strlen(own)] == '_')
			return true;
	}
	return false;
}

static bool
read_environment(struct config *config, struct error *err)
{
	static const struct origin database = {.strength = STRENGTH_ENVIRONMENT, .text = "environment TOLLBOOK_DB"};
	const char *connection = getenv(CONFIG_DATABASE_VARIABLE);

	/* Whoever connects looks at it. */
	if (connection != NULL && connection[0] != '\0')
		setting_put(config, setting_find(config, CONFIG_DATABASE_KEY), connection, &database);
	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '='), *name;

		if (strncmp(*at, variable_prefix, strlen(variable_prefix)) != 0 || equals == NULL || equals[1] == '\0')
			continue;
		name =
		    arena_copy(&config->arena, *at + strlen(variable_prefix), (size_t)(equals - *at) - strlen(variable_prefix));
		if (is_about_section(config, name) && !variable_set(config, name, equals + 1, err))
			return false;
	}
	return true;
}

/* --- the command line ------------------------------------------------------------------------- */

static const struct origin command_line = {.strength = STRENGTH_COMMAND, .text = "--set"};

struct set {
	const char *whole; /* "source.usage.topic" */
	const char *section, *name, *key;
	const char *value;
};

static bool
set_split(struct arena *arena, const char *text, struct set *out, struct error *err)
{
	const char *equals = strchr(text, '='), *first, *last;

	if (equals == NULL) {
		error_set(err, ERROR_USAGE, "--set takes KEY=VALUE, such as night.at=03:00");
		return error_field(err, "--set", text, strlen(text));
	}
	out->whole = arena_copy(arena, text, (size_t)(equals - text));
	out->value = equals + 1;
	first = strchr(out->whole, '.');
	last = strrchr(out->whole, '.');
	if (first == NULL) {
		error_set(err, ERROR_USAGE, "--set takes SECTION.KEY=VALUE or SECTION.NAME.KEY=VALUE");
		return error_field(err, "--set", out->whole, strlen(out->whole));
	}
	out->section = arena_copy(arena, out->whole, (size_t)(first - out->whole));
	out->name = first == last ? "" : arena_copy(arena, first + 1, (size_t)(last - first - 1));
	out->key = last + 1;
	return true;
}

/* Everybody can read a command line; and --db is there. */
static bool
refuse_database(const struct set *set, struct error *err)
{
	error_set(err, ERROR_USAGE, "--set cannot say which database it is");
	error_hint(err, "Say --db.");
	return error_field(err, set->whole, "(not shown)", strlen("(not shown)"));
}

/* Sections that only the command line knows must be there before the environment is read. */
static bool
set_section(struct config *config, const char *text, struct error *err)
{
	struct section *section;
	struct set set;

	if (!set_split(&config->arena, text, &set, err))
		return false;
	if (strcmp(set.section, "database") == 0)
		return refuse_database(&set, err);
	section = section_open(config, set.section, set.name, &command_line, err);
	return section != NULL &&
	    (section_setting(config, section, set.key) != NULL ||
		section_refuse_key(config, section, set.key, set.value, &command_line, err));
}

static bool
set_setting(struct config *config, const char *text, struct error *err)
{
	struct setting *setting;
	struct set set;

	if (!set_split(&config->arena, text, &set, err))
		return false;
	setting = setting_find(config, set.whole);
	must(setting != NULL);
	if (setting->origin.strength == STRENGTH_COMMAND) {
		error_set(err, ERROR_USAGE, "%s is set twice", setting->key);
		return error_at_setting(err, setting, set.value, &command_line);
	}
	return setting_assign(config, setting, set.value, &command_line, err);
}

/* --- all of them ------------------------------------------------------------------------------ */

bool
config_read(struct config *config, const char *path, const char *const *sets, size_t set_count, struct error *err)
{
	config->path = choose_file(&config->arena, path);
	if (config->path != NULL && !read_file(config, err))
		return false;
	for (size_t i = 0; i < set_count; i++)
		if (!set_section(config, sets[i], err))
			return false;
	if (!read_environment(config, err))
		return false;
	for (size_t i = 0; i < set_count; i++)
		if (!set_setting(config, sets[i], err))
			return false;
	return true;
}
