/* cmd_config.c -- `tollbook config show|check`: what is set, where that comes from, and whether what it names is there. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/table.h"
#include "nightly/night_sources.h"
#include "nightly/settings.h"

static bool show(struct run *run, struct error *err);
static bool check(struct run *run, struct error *err);

static const struct option_spec options[] = {SETTINGS_OPTION, {0}};

const struct command cmd_config_show = {
    .name = "config show",
    .summary = "show every setting, its value, where that comes from, and what it means; never a password",
    .operands = "",
    .options = options,
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook config show\n"
	       "  tollbook config show --config ./tollbook.conf --set night.grace_hours=48 --json",
    .run = show,
};

const struct command cmd_config_check = {
    .name = "config check",
    .summary = "read the configuration, and look whether the files and folders it names are there",
    .operands = "",
    .options = options,
    .needs = NEEDS_NOTHING,
    .example = "  tollbook config check --config ./tollbook.conf",
    .run = check,
};

static bool
show(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"setting", "setting", COLUMN_TEXT}, {"value", "value", COLUMN_TEXT},
	    {"from", "from", COLUMN_TEXT}, {"meaning", "meaning", COLUMN_TEXT}, {0}};
	struct config_shown shown;
	struct config *config;
	struct table *table;

	if (!settings_open(run, &config, err))
		return false;
	table = table_new(columns);
	for (size_t i = 0; config_at(config, i, &shown); i++) {
		table_row(table);
		table_cell(table, shown.key);
		table_cell(table, shown.value);
		table_cell(table, shown.origin);
		table_cell(table, shown.meaning);
	}
	table_print(table, run, "no settings");
	table_free(table);
	config_free(config);
	return true;
}

/* --- check ------------------------------------------------------------------------------------ */

/* What is wrong with a path; NULL where nothing is. */
static const char *
path_trouble(const char *path, bool is_folder, int mode)
{
	struct stat status;

	if (stat(path, &status) != 0 || access(path, mode) != 0)
		return strerror(errno);
	if (is_folder != S_ISDIR(status.st_mode))
		return is_folder ? "Not a folder" : "Not a file";
	return NULL;
}

/* The folder that a path is in, in the arena. */
static const char *
parent(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return ".";
	return slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

/* It is made where it is missing, with those above it. */
static const char *
new_folder_trouble(struct arena *arena, const char *path)
{
	const char *trouble = path_trouble(path, true, R_OK | W_OK | X_OK);

	while (trouble != NULL && access(path, F_OK) != 0 && errno == ENOENT && strcmp(path, ".") != 0) {
		path = parent(arena, path);
		trouble = path_trouble(path, true, W_OK | X_OK);
	}
	return trouble;
}

static const char *
pattern_trouble(const char *pattern)
{
	glob_t found;
	int code = glob(pattern, GLOB_NOSORT, NULL, &found);
	const char *trouble = code == 0 ? NULL : code == GLOB_NOMATCH ? "there is no such file" : "cannot be searched";

	for (size_t i = 0; code == 0 && trouble == NULL && i < found.gl_pathc; i++)
		trouble = path_trouble(found.gl_pathv[i], false, R_OK);
	if (code == 0)
		globfree(&found);
	return trouble;
}

static size_t
tell(const char *key, const char *what, const char *trouble)
{
	if (trouble == NULL)
		return 0;
	printf("%s: %s: %s\n", key, what, trouble);
	return 1;
}

static size_t
check_files(const struct config *config, const char *key)
{
	const char *word;
	size_t troubles = 0;

	for (size_t i = 0; (word = config_word(config, key, i)) != NULL; i++)
		troubles += tell(key, word, pattern_trouble(word));
	return troubles;
}

/* How many troubles a setting has; each is told. */
static size_t
check_setting(struct run *run, const struct config *config, const struct config_shown *shown)
{
	if (shown->value[0] == '\0')
		return 0;
	switch ((int)shown->kind) {
	case CONFIG_FILES:
		return check_files(config, shown->key);
	case CONFIG_FILE:
		return tell(shown->key, shown->value, path_trouble(shown->value, false, R_OK));
	case CONFIG_FOLDER:
		return tell(shown->key, shown->value, path_trouble(shown->value, true, R_OK | X_OK));
	case CONFIG_NEW_FILE:
		return tell(shown->key, shown->value, path_trouble(parent(&run->arena, shown->value), true, W_OK | X_OK));
	case CONFIG_NEW_FOLDER:
		return tell(shown->key, shown->value, new_folder_trouble(&run->arena, shown->value));
	default:
		return 0;
	}
}

/* An error on one line: what, where, and the remedy. */
static void
tell_error(const struct error *err)
{
	printf("%s", err->message);
	if (err->file[0] != '\0')
		printf(", at %s", err->file);
	if (err->line > 0)
		printf(":%llu", (unsigned long long)err->line);
	if (err->column > 0)
		printf(":%llu", (unsigned long long)err->column);
	if (err->field[0] != '\0')
		printf(", field %s, value \"%s\"", err->field, err->value);
	printf("%s%s\n", err->hint[0] == '\0' ? "" : ": ", err->hint);
}

/* How many sources name a usage format that cannot be used; each is told. */
static size_t
check_formats(const struct config *config)
{
	size_t troubles = 0;

	for (size_t i = 0; i < config_names(config, "source"); i++) {
		const char *source = config_name(config, "source", i);
		struct profile *profile;
		struct error err;

		if (!source_profile(config, source, &profile, &err)) {
			tell_error(&err);
			troubles++;
			continue;
		}
		profile_free(profile);
	}
	return troubles;
}

static bool
check(struct run *run, struct error *err)
{
	struct config_shown shown;
	struct config *config;
	size_t troubles = 0, set = 0;

	if (!settings_open(run, &config, err))
		return false;
	for (size_t i = 0; config_at(config, i, &shown); i++) {
		troubles += check_setting(run, config, &shown);
		set += strcmp(shown.origin, "default") != 0;
	}
	troubles += check_formats(config);
	if (troubles == 0)
		printf("ok: %s: %zu settings are set, %zu sources, %zu issuers\n",
		    config_file(config)[0] == '\0' ? "no file" : config_file(config), set, config_names(config, "source"),
		    config_names(config, "issuer"));
	config_free(config);
	return troubles == 0 || error_set(err, ERROR_INPUT, "the configuration names what cannot be used: %zu times", troubles);
}
