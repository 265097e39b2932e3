/*
 * config.c -- see config.h.
 *
 * A setting is a rule of config_keys.def in a section; of a section with names, once for each name.  What is said about it comes
 * from somewhere (struct origin), and the strongest, who speaks last, is heard.
 */
#include "base/config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_rule.h"
#include "base/db.h"
#include "base/document.h"
#include "base/settings_lines.h"
#include "base/table.h"

static const char system_file[] = "/etc/tollbook/tollbook.conf";
static const char variable_prefix[] = "TOLLBOOK_";
/* It had a name in the environment before there were files. */
static const char database_key[] = "database.connection", database_variable[] = "TOLLBOOK_DB";

enum { FILE_BYTES = 1 << 20, LINE_BYTES = 4096, NAMED_SECTIONS = 64, NAME_BYTES = 64, SUGGESTIONS = 64 };

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

/* --- errors ----------------------------------------------------------------------------------- */

/* Says where on an error that is set already, and whose fault it is. */
static bool
at_origin(struct error *err, const struct origin *origin, const char *field, const char *value)
{
	err->kind = origin->strength == STRENGTH_COMMAND ? ERROR_USAGE : ERROR_INPUT;
	if (origin->file != NULL)
		(void)error_at(err, origin->file, origin->line);
	else
		(void)error_detail(err, "It comes from %s.", origin->text);
	return error_field(err, field, value, strlen(value));
}

/* What may have a password in it is not repeated. */
static bool
at_setting(struct error *err, const struct setting *setting, const char *value, const struct origin *origin)
{
	return at_origin(err, origin, setting->key, rule_is_secret(setting->rule) ? "(not shown)" : value);
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

static void
set_value(struct config *config, struct setting *setting, const char *value, const struct origin *origin)
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

static bool
assign(struct config *config, struct setting *setting, const char *value, const struct origin *origin, struct error *err)
{
	if (strlen(value) > LINE_BYTES || has_control(value)) {
		error_set(err, ERROR_INPUT, "%s takes at most %d bytes, and no control characters", setting->key, LINE_BYTES);
		return at_setting(err, setting, value, origin);
	}
	if (!rule_takes(setting->rule, value)) {
		(void)rule_refuse(setting->rule, setting->key, err);
		return at_setting(err, setting, value, origin);
	}
	set_value(config, setting, value, origin);
	return true;
}

/* --- sections --------------------------------------------------------------------------------- */

static const struct config_section_type *
find_type(const char *section)
{
	for (size_t i = 0; i < config_section_type_count; i++)
		if (strcmp(config_section_types[i].section, section) == 0)
			return &config_section_types[i];
	return NULL;
}

static struct section *
find_section(const struct config *config, const struct config_section_type *type, const char *name)
{
	for (size_t i = 0; i < config->section_count; i++)
		if (config->sections[i].type == type && strcmp(config->sections[i].name, name) == 0)
			return &config->sections[i];
	return NULL;
}

static struct setting *
find_in_section(const struct config *config, const struct section *section, const char *key)
{
	for (size_t i = section->first; i < section->first + section->count; i++)
		if (strcmp(config->settings[i].rule->key, key) == 0)
			return &config->settings[i];
	return NULL;
}

static struct setting *
find_setting(const struct config *config, const char *key)
{
	for (size_t i = 0; i < config->count; i++)
		if (strcmp(config->settings[i].key, key) == 0)
			return &config->settings[i];
	return NULL;
}

/* A section with everything in it at its default. */
static struct section *
add_section(struct config *config, const struct config_section_type *type, const char *name)
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
	const char *names[SUGGESTIONS];
	size_t count = 0;

	for (; count < config_section_type_count; count++)
		names[count] = config_section_types[count].section;
	error_set(err, ERROR_INPUT, "there is no section \"%s\"", section);
	(void)document_suggest(err, section, names, count);
	return at_origin(err, origin, "section", text);
}

/* The section that a file names, or --set; NULL with *err set. */
static struct section *
open_section(struct config *config, const char *word, const char *name, const struct origin *origin, struct error *err)
{
	const struct config_section_type *type = find_type(word);
	struct section *section;

	if (type == NULL) {
		(void)refuse_section(
		    name[0] == '\0' ? word : arena_format(&config->arena, "%s %s", word, name), word, origin, err);
		return NULL;
	}
	if (!check_name(type, name, err)) {
		(void)at_origin(err, origin, word, name);
		return NULL;
	}
	section = find_section(config, type, name);
	if (section == NULL && config->named_count < NAMED_SECTIONS)
		section = add_section(config, type, name);
	if (section != NULL)
		return section;
	error_set(err, ERROR_INPUT, "there are more than %d sections with names", NAMED_SECTIONS);
	(void)at_origin(err, origin, word, name);
	return NULL;
}

/* Whose other section has such a key, or which key of this one is nearest. */
static bool
suggest_key(struct config *config, const struct section *section, const char *key, struct error *err)
{
	const char *names[SUGGESTIONS];
	size_t count = 0;

	for (const struct config_rule *rule = config_rules; rule < config_rules + config_rule_count; rule++)
		if (strcmp(rule->key, key) == 0)
			return error_hint(err, "It belongs into the section [%s%s].", rule->section,
			    find_type(rule->section)->named ? " NAME" : "");
	for (size_t i = section->first; i < section->first + section->count && count < SUGGESTIONS; i++)
		names[count++] = config->settings[i].key;
	return document_suggest(err,
	    arena_format(
		&config->arena, "%s%s%s.%s", section->type->section, section->type->named ? "." : "", section->name, key),
	    names, count);
}

static bool
refuse_key(struct config *config, const struct section *section, const char *key, const char *value, const struct origin *origin,
    struct error *err)
{
	error_set(err, ERROR_INPUT, "there is no setting \"%s\" in the section [%s%s%s]", key, section->type->section,
	    section->type->named ? " " : "", section->name);
	/* It may be the connection, misspelt. */
	(void)at_origin(err, origin, key, strcmp(section->type->section, "database") == 0 ? "(not shown)" : value);
	return suggest_key(config, section, key, err);
}

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
		return at_setting(err, setting, value, origin);
	}
	if (strstr(value, " #") != NULL && !rule_is_secret(setting->rule)) {
		error_set(err, ERROR_INPUT, "%s: a comment has a line of its own", setting->key);
		return at_setting(err, setting, value, origin);
	}
	return true;
}

static bool
file_section(struct config *config, const char *text, const struct origin *origin, struct section **section, struct error *err)
{
	size_t length = strcspn(text, " \t");
	const char *word = arena_copy(&config->arena, text, length), *name = text + length + strspn(text + length, " \t");

	*section = open_section(config, word, name, origin, err);
	if (*section == NULL)
		return false;
	if ((*section)->line > 0) {
		error_set(err, ERROR_INPUT, "the section [%s] is there twice", text);
		error_detail(err, "It begins on line %llu, too.", (unsigned long long)(*section)->line);
		return at_origin(err, origin, "section", text);
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
		return at_origin(err, origin, name, "(not shown)");
	}
	setting = find_in_section(config, section, name);
	if (setting == NULL)
		return refuse_key(config, section, name, value, origin, err);
	if (setting->origin.strength == STRENGTH_FILE) {
		error_set(err, ERROR_INPUT, "%s is set twice", setting->key);
		error_detail(err, "It is set on line %llu, too.", (unsigned long long)setting->origin.line);
		return at_setting(err, setting, value, origin);
	}
	return check_plain(setting, value, origin, err) && assign(config, setting, value, origin, err);
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
	const struct setting *setting = find_setting(config, database_key);
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
	return at_setting(err, setting, "", &setting->origin);
}

static bool
read_file(struct config *config, struct error *err)
{
	const char *path = config->path;
	struct settings_lines lines;
	bool fine;

	if (!settings_lines_open(&lines, path, FILE_BYTES, LINE_BYTES, err)) {
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
	const char *names[NAMED_SECTIONS * SUGGESTIONS];
	struct setting *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < config->count; i++) {
		struct setting *setting = &config->settings[i];
		const char *own = variable_name(&config->arena, setting->key);

		if (strcmp(setting->key, database_key) == 0)
			continue;
		if (count < sizeof names / sizeof names[0])
			names[count++] = arena_format(&config->arena, "%s%s", variable_prefix, own);
		if (strcmp(own, name) != 0)
			continue;
		if (found != NULL) {
			error_set(err, ERROR_INPUT, "%s and %s have the same name in the environment", found->key, setting->key);
			return at_origin(err, &origin, setting->key, value);
		}
		found = setting;
	}
	if (found != NULL)
		return assign(config, found, value, &origin, err);
	error_set(err, ERROR_INPUT, "%s%s names no setting", variable_prefix, name);
	(void)at_origin(err, &origin, name, "(not shown)");
	if (strncmp(name, "DATABASE_", 9) == 0)
		return error_hint(err, "The database is named by %s.", database_variable);
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
	const char *connection = getenv(database_variable);

	/* Whoever connects looks at it. */
	if (connection != NULL && connection[0] != '\0')
		set_value(config, find_setting(config, database_key), connection, &database);
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
	section = open_section(config, set.section, set.name, &command_line, err);
	return section != NULL &&
	    (find_in_section(config, section, set.key) != NULL ||
		refuse_key(config, section, set.key, set.value, &command_line, err));
}

static bool
set_setting(struct config *config, const char *text, struct error *err)
{
	struct setting *setting;
	struct set set;

	if (!set_split(&config->arena, text, &set, err))
		return false;
	setting = find_setting(config, set.whole);
	must(setting != NULL);
	if (setting->origin.strength == STRENGTH_COMMAND) {
		error_set(err, ERROR_USAGE, "%s is set twice", setting->key);
		return at_setting(err, setting, set.value, &command_line);
	}
	return assign(config, setting, set.value, &command_line, err);
}

/* --- what belongs together -------------------------------------------------------------------- */

/* Whether the section's kind has such a setting. */
static bool
belongs(const struct config *config, const struct section *section, const struct setting *setting)
{
	const char *of = setting->rule->value.of;

	return of == NULL || strcmp(find_in_section(config, section, "kind")->value, of) == 0;
}

static bool
check_setting(const struct config *config, const struct section *section, const struct setting *setting, struct error *err)
{
	if (!belongs(config, section, setting)) {
		if (setting->origin.strength == STRENGTH_DEFAULT)
			return true;
		error_set(err, ERROR_INPUT, "%s is for kind = %s alone", setting->key, setting->rule->value.of);
		return at_setting(err, setting, setting->value, &setting->origin);
	}
	if (!setting->rule->value.required || setting->value[0] != '\0')
		return true;
	error_set(err, ERROR_INPUT, "%s must be set", setting->key);
	error_hint(err, "It is %s.", setting->rule->meaning);
	return section->line == 0 ? false : error_at(err, config->path, section->line);
}

/* Kafka needs to know whom to ask. */
static bool
check_brokers(const struct config *config, const struct section *section, struct error *err)
{
	const struct setting *topic = find_in_section(config, section, "topic");

	if (topic == NULL || topic->value[0] == '\0' || find_in_section(config, section, "brokers")->value[0] != '\0' ||
	    find_in_section(config, section, "kafka_config")->value[0] != '\0')
		return true;
	error_set(err, ERROR_INPUT, "%s is set, and no brokers are named", topic->key);
	error_hint(err, "Set brokers = HOST:PORT beside it, or kafka_config = FILE with bootstrap.servers in it.");
	return at_setting(err, topic, topic->value, &topic->origin);
}

/* A number must say which kind of document it is of. */
static bool
check_series(const struct config *config, const struct section *section, struct error *err)
{
	const struct setting *one = find_in_section(config, section, "invoice_series"),
			     *two = find_in_section(config, section, "credit_note_series");

	if (one == NULL || strcmp(one->value, two->value) != 0)
		return true;
	error_set(err, ERROR_INPUT, "%s and %s cannot be the same", one->key, two->key);
	return at_setting(err, two, two->value, two->origin.strength >= one->origin.strength ? &two->origin : &one->origin);
}

static bool
check_section(const struct config *config, const struct section *section, struct error *err)
{
	for (size_t i = section->first; i < section->first + section->count; i++)
		if (!check_setting(config, section, &config->settings[i], err))
			return false;
	return check_brokers(config, section, err) && check_series(config, section, err);
}

static bool
check_all(const struct config *config, struct error *err)
{
	for (size_t i = 0; i < config->section_count; i++)
		if (!check_section(config, &config->sections[i], err))
			return false;
	return true;
}

static bool
read_all(struct config *config, const char *const *sets, size_t set_count, struct error *err)
{
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
	return check_all(config, err);
}

bool
config_open(const char *path, const char *const *sets, size_t set_count, struct config **out, struct error *err)
{
	struct config *config = memory_new(1, sizeof *config);

	for (size_t i = 0; i < config_section_type_count; i++)
		if (!config_section_types[i].named)
			(void)add_section(config, &config_section_types[i], "");
	config->path = choose_file(&config->arena, path);
	if (read_all(config, sets, set_count, err)) {
		*out = config;
		return true;
	}
	config_free(config);
	return false;
}

void
config_free(struct config *config)
{
	if (config == NULL)
		return;
	arena_release(&config->arena);
	free(config->sections);
	free(config->settings);
	free(config);
}

/* --- what is asked ---------------------------------------------------------------------------- */

static const struct setting *
get(const struct config *config, const char *key)
{
	const struct setting *setting = find_setting(config, key);

	if (setting == NULL)
		must_failed("the setting is in config_keys.def", key, 0);
	return setting;
}

const char *
config_file(const struct config *config)
{
	return config->path == NULL ? "" : config->path;
}

const char *
config_text(const struct config *config, const char *key)
{
	return get(config, key)->value;
}

int64_t
config_number(const struct config *config, const char *key)
{
	const struct setting *setting = get(config, key);
	struct error err;
	i128 number = 0;

	must(setting->rule->value.kind == CONFIG_NUMBER);
	must(integer_parse(setting->value, strlen(setting->value), &number, &err));
	return (int64_t)number;
}

bool
config_flag(const struct config *config, const char *key)
{
	const struct setting *setting = get(config, key);

	must(setting->rule->value.kind == CONFIG_FLAG);
	return strcmp(setting->value, "yes") == 0;
}

bool
config_limit(const struct config *config, const char *key, const char *currency, struct decimal *out)
{
	const struct setting *setting = get(config, key);

	must(setting->rule->value.kind == CONFIG_MONEY);
	return money_list_find(setting->value, currency, out);
}

const char *
config_word(const struct config *config, const char *key, size_t at)
{
	const char **word = get(config, key)->words;

	for (; *word != NULL && at > 0; at--)
		word++;
	return *word;
}

static const struct section *
section_at(const struct config *config, const struct config_section_type *type, size_t at)
{
	for (size_t i = 0; i < config->section_count; i++)
		if (config->sections[i].type == type && at-- == 0)
			return &config->sections[i];
	return NULL;
}

size_t
config_names(const struct config *config, const char *section)
{
	const struct config_section_type *type = find_type(section);
	size_t count = 0;

	must(type != NULL && type->named);
	while (section_at(config, type, count) != NULL)
		count++;
	return count;
}

const char *
config_name(const struct config *config, const char *section, size_t at)
{
	const struct section *found = section_at(config, find_type(section), at);

	must(found != NULL && found->type->named);
	return found->name;
}

const char *
config_named(const struct config *config, const char *section, const char *name, const char *key)
{
	const struct section *found = find_section(config, find_type(section), name);
	const struct setting *setting = found == NULL ? NULL : find_in_section(config, found, key);

	if (setting == NULL)
		must_failed("the setting is in config_keys.def", key, 0);
	return setting->value;
}

/* The setting at `at` of those of a section that its kind has; else *at is less by how many they are. */
static const struct setting *
setting_at(const struct config *config, const struct section *section, size_t *at)
{
	for (size_t i = section->first; i < section->first + section->count; i++)
		if (belongs(config, section, &config->settings[i]) && (*at)-- == 0)
			return &config->settings[i];
	return NULL;
}

bool
config_at(const struct config *config, size_t at, struct config_shown *out)
{
	const struct setting *setting = NULL;
	const struct section *section;

	for (size_t i = 0; setting == NULL && i < config_section_type_count; i++)
		for (size_t j = 0; setting == NULL && (section = section_at(config, &config_section_types[i], j)) != NULL; j++)
			setting = setting_at(config, section, &at);
	if (setting == NULL)
		return false;
	*out = (struct config_shown){.key = setting->key,
	    .value = setting->shown,
	    .origin = setting->origin.text,
	    .meaning = setting->rule->meaning,
	    .kind = setting->rule->value.kind,
	    .is_secret = rule_is_secret(setting->rule)};
	return true;
}

void
config_json(const struct config *config, struct text *out)
{
	struct config_shown shown;
	bool first = true;

	text_add(out, "{", 1);
	for (size_t i = 0; config_at(config, i, &shown); i++) {
		if (shown.is_secret || strcmp(shown.origin, "default") == 0)
			continue;
		text_add_string(out, first ? "" : ",");
		text_add_json(out, shown.key);
		text_add(out, ":", 1);
		text_add_json(out, shown.value);
		first = false;
	}
	text_add(out, "}", 1);
}
