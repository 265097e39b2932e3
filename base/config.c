/* config.c -- see config.h. */
#include "base/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/config_read.h"
#include "base/config_settings.h"
#include "base/table.h"

/* --- what belongs together -------------------------------------------------------------------- */

/* Whether the section's kind has such a setting. */
static bool
belongs(const struct config *config, const struct section *section, const struct setting *setting)
{
	const char *of = setting->rule->value.of;

	return of == NULL || strcmp(section_setting(config, section, "kind")->value, of) == 0;
}

static bool
check_setting(const struct config *config, const struct section *section, const struct setting *setting, struct error *err)
{
	if (!belongs(config, section, setting)) {
		if (setting->origin.strength == STRENGTH_DEFAULT)
			return true;
		error_set(err, ERROR_INPUT, "%s is for kind = %s alone", setting->key, setting->rule->value.of);
		return error_at_setting(err, setting, setting->value, &setting->origin);
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
	const struct setting *topic = section_setting(config, section, "topic");

	if (topic == NULL || topic->value[0] == '\0' || section_setting(config, section, "brokers")->value[0] != '\0' ||
	    section_setting(config, section, "kafka_config")->value[0] != '\0')
		return true;
	error_set(err, ERROR_INPUT, "%s is set, and no brokers are named", topic->key);
	error_hint(err, "Set brokers = HOST:PORT beside it, or kafka_config = FILE with bootstrap.servers in it.");
	return error_at_setting(err, topic, topic->value, &topic->origin);
}

/* A number must say which kind of document it is of.  What is not said is looked at when the issuer is known. */
static bool
check_series(const struct config *config, const struct section *section, struct error *err)
{
	const struct setting *one = section_setting(config, section, "invoice_series"),
			     *two = section_setting(config, section, "credit_note_series");

	if (one == NULL || one->value[0] == '\0' || strcmp(one->value, two->value) != 0)
		return true;
	error_set(err, ERROR_INPUT, "%s and %s cannot be the same", one->key, two->key);
	return error_at_setting(err, two, two->value, two->origin.strength >= one->origin.strength ? &two->origin : &one->origin);
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

bool
config_open(const char *path, const char *const *sets, size_t set_count, struct config **out, struct error *err)
{
	struct config *config = memory_new(1, sizeof *config);

	for (size_t i = 0; i < config_section_type_count; i++)
		if (!config_section_types[i].named)
			(void)section_add(config, &config_section_types[i], "");
	if (config_read(config, path, sets, set_count, err) && check_all(config, err)) {
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
	const struct setting *setting = setting_find(config, key);

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
	const struct config_section_type *type = section_type_find(section);
	size_t count = 0;

	must(type != NULL && type->named);
	while (section_at(config, type, count) != NULL)
		count++;
	return count;
}

const char *
config_name(const struct config *config, const char *section, size_t at)
{
	const struct section *found = section_at(config, section_type_find(section), at);

	must(found != NULL && found->type->named);
	return found->name;
}

const char *
config_named(const struct config *config, const char *section, const char *name, const char *key)
{
	const struct section *found = section_find(config, section_type_find(section), name);
	const struct setting *setting = found == NULL ? NULL : section_setting(config, found, key);

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
