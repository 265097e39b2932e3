/*
 * config_fuzz.c -- any bytes as a configuration, up to the first NUL, and behind it as what is said by --set.
 */
#include <string.h>

#include "base/config.h"
#include "tests/support/config_file.h"

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size);

/* What was accepted can be asked for, each setting by its name. */
static void
check_settings(const struct config *config)
{
	struct config_shown shown;
	struct decimal limit;
	struct text json = {0};

	for (size_t i = 0; config_at(config, i, &shown); i++) {
		must(shown.is_secret || strcmp(config_text(config, shown.key), shown.value) == 0);
		if (shown.kind == CONFIG_NUMBER)
			must(config_number(config, shown.key) >= 0);
		if (shown.kind == CONFIG_FLAG)
			must(config_flag(config, shown.key) == (strcmp(shown.value, "yes") == 0));
		if (shown.kind == CONFIG_MONEY && config_limit(config, shown.key, "USD", &limit))
			must(limit.e18 >= 0);
		for (size_t word = 0; config_word(config, shown.key, word) != NULL; word++)
			must(config_word(config, shown.key, word)[0] != '\0');
		for (const char *byte = shown.value; *byte != '\0'; byte++)
			must((unsigned char)*byte >= 0x20 || *byte == '\t');
	}
	for (size_t i = 0; i < config_names(config, "source"); i++)
		must(config_named(config, "source", config_name(config, "source", i), "kind")[0] != '\0');
	config_json(config, &json);
	must(json.length >= 2 && json.bytes[json.length - 1] == '}');
	text_release(&json);
}

int
LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	static struct config_file file = {-1, ""};
	const unsigned char *split = size == 0 ? NULL : memchr(input, '\0', size);
	size_t length = split == NULL ? size : (size_t)(split - input), set_length = split == NULL ? 0 : size - length - 1;
	struct arena arena = {0};
	const char *set = arena_copy(&arena, split == NULL ? "" : (const char *)split + 1, set_length);
	struct config *config;
	struct error err = {0};

	if (file.file < 0)
		config_file_open(&file);
	config_file_write(&file, input, length);
	if (config_open(file.path, &set, set_length > 0, &config, &err)) {
		check_settings(config);
		config_free(config);
	} else {
		must(err.kind == ERROR_INPUT || err.kind == ERROR_USAGE);
	}
	arena_release(&arena);
	return 0;
}
