/* config_rule.c -- see config_rule.h. */
#include "base/config_rule.h"

#include "base/db.h"
#include "base/money.h"
#include "base/zone.h"

enum { CODE_BYTES = 8, TOPIC_BYTES = 249 };

#define IS_TEXT .kind = CONFIG_TEXT
#define IS_CONNECTION .kind = CONFIG_CONNECTION
#define IS_CLOCK .kind = CONFIG_CLOCK
#define IS_ZONE .kind = CONFIG_ZONE
#define IS_NUMBER(from, to) .kind = CONFIG_NUMBER, .least = from, .most = to
#define IS_DECIMAL .kind = CONFIG_DECIMAL
#define IS_MONEY .kind = CONFIG_MONEY
#define IS_CHOICE(list) .kind = CONFIG_CHOICE, .words = list
#define IS_FLAG .kind = CONFIG_FLAG, .words = "yes no"
#define IS_TOPIC .kind = CONFIG_TOPIC
#define IS_SERIES .kind = CONFIG_SERIES
#define IS_FILES .kind = CONFIG_FILES
#define IS_FILE .kind = CONFIG_FILE
#define IS_FOLDER .kind = CONFIG_FOLDER
#define IS_NEW_FILE .kind = CONFIG_NEW_FILE
#define IS_NEW_FOLDER .kind = CONFIG_NEW_FOLDER
#define REQUIRED(rule) rule, .required = true
#define OF(name, rule) rule, .of = name

const struct config_rule config_rules[] = {
#define SECTION(section, named)
#define KEY(section, key, rule, otherwise, meaning) {#section, #key, {rule}, otherwise, meaning},
#include "base/config_keys.def"
#undef KEY
#undef SECTION
};
const size_t config_rule_count = sizeof config_rules / sizeof config_rules[0];

const struct config_section_type config_section_types[] = {
#define SECTION(section, named) {#section, named},
#define KEY(section, key, rule, otherwise, meaning)
#include "base/config_keys.def"
#undef KEY
#undef SECTION
};
const size_t config_section_type_count = sizeof config_section_types / sizeof config_section_types[0];

bool
rule_is_secret(const struct config_rule *rule)
{
	return rule->value.kind == CONFIG_CONNECTION;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool
is_among(const char *word, size_t length, const char *words)
{
	while (*words != '\0') {
		size_t next = strcspn(words, " ");

		if (next == length && memcmp(words, word, length) == 0)
			return true;
		words += next + (words[next] == ' ');
	}
	return false;
}

static bool
is_clock(const char *text)
{
	return strlen(text) == 5 && strspn(text, "0123456789") == 2 && text[2] == ':' && strspn(text + 3, "0123456789") == 2 &&
	    memcmp(text, "23", 2) <= 0 && text[3] <= '5';
}

static bool
is_number(const struct config_rule *rule, const char *text)
{
	struct error ignored;
	i128 number;

	return strspn(text, "0123456789") == strlen(text) && integer_parse(text, strlen(text), &number, &ignored) &&
	    number >= rule->value.least && number <= rule->value.most;
}

static bool
is_decimal(const char *text, size_t length, struct decimal *out)
{
	struct error ignored;

	return decimal_parse(text, length, out, &ignored) && out->e18 >= 0;
}

/* Reads one "USD 100" of a list, and leaves *text behind its comma, NULL behind the last one. */
static bool
money_next(const char **text, char currency[4], struct decimal *out)
{
	const char *at = *text + strspn(*text, " ");
	size_t length = strcspn(at, ",");

	*text = at[length] == ',' ? at + length + 1 : NULL;
	while (length > 0 && at[length - 1] == ' ')
		length--;
	if (length < 5 || strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3 || at[3] != ' ')
		return false;
	memcpy(currency, at, 3);
	currency[3] = '\0';
	return currency_find(currency) != NULL && is_decimal(at + 4, length - 4, out);
}

bool
money_list_find(const char *list, const char *currency, struct decimal *out)
{
	char found[4];

	while (list != NULL && list[0] != '\0' && money_next(&list, found, out))
		if (strcmp(found, currency) == 0)
			return true;
	return false;
}

/* Each currency once. */
static bool
is_money(const char *text)
{
	char currency[4];
	struct decimal amount;

	while (text != NULL)
		if (!money_next(&text, currency, &amount) || money_list_find(text, currency, &amount))
			return false;
	return true;
}

/* As Kafka wants it. */
static bool
is_topic(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	return strspn(text, allowed) == strlen(text) && strlen(text) <= TOPIC_BYTES && strcmp(text, ".") != 0 &&
	    strcmp(text, "..") != 0;
}

bool
is_issuer_code(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= CODE_BYTES && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == length;
}

static bool
is_connection(const char *text)
{
	struct text shown = {0};
	bool hidden, fine = db_conninfo_show(text, &shown, &hidden);

	text_release(&shown);
	return fine;
}

bool
rule_takes(const struct config_rule *rule, const char *text)
{
	struct decimal number;

	if (text[0] == '\0')
		return rule->otherwise[0] == '\0';
	switch (rule->value.kind) {
	case CONFIG_CONNECTION:
		return is_connection(text);
	case CONFIG_CLOCK:
		return is_clock(text);
	case CONFIG_ZONE:
		return zone_find(text) != NULL;
	case CONFIG_NUMBER:
		return is_number(rule, text);
	case CONFIG_DECIMAL:
		return is_decimal(text, strlen(text), &number);
	case CONFIG_MONEY:
		return is_money(text);
	case CONFIG_CHOICE:
	case CONFIG_FLAG:
		return is_among(text, strlen(text), rule->value.words);
	case CONFIG_TOPIC:
		return is_topic(text);
	case CONFIG_SERIES:
		return is_issuer_code(text);
	case CONFIG_TEXT:
	case CONFIG_FILES:
	case CONFIG_FILE:
	case CONFIG_FOLDER:
	case CONFIG_NEW_FILE:
	case CONFIG_NEW_FOLDER:
		return true;
	}
	return false;
}

bool
rule_refuse(const struct config_rule *rule, const char *key, struct error *err)
{
	char words[80];

	switch (rule->value.kind) {
	case CONFIG_CONNECTION:
		error_set(err, ERROR_INPUT, "%s takes a connection as libpq does", key);
		return error_hint(
		    err, "host=db.example dbname=billing user=tollbook, or postgresql://tollbook@db.example/billing");
	case CONFIG_CLOCK:
		return error_set(err, ERROR_INPUT, "%s takes a time of day, HH:MM, from 00:00 to 23:59", key);
	case CONFIG_ZONE:
		error_set(err, ERROR_INPUT, "%s takes a time zone that the system knows, such as Europe/Berlin", key);
		return error_hint(err, "Where even that one is unknown, the package tzdata is missing.");
	case CONFIG_NUMBER:
		return error_set(err, ERROR_INPUT, "%s takes a whole number from %lld to %lld", key, (long long)rule->value.least,
		    (long long)rule->value.most);
	case CONFIG_DECIMAL:
		return error_set(err, ERROR_INPUT, "%s takes a number that is not below zero, such as 2.5", key);
	case CONFIG_MONEY:
		error_set(err, ERROR_INPUT, "%s takes amounts by currency, each currency once", key);
		return error_hint(err, "USD 100, JPY 15000.5");
	case CONFIG_CHOICE:
	case CONFIG_FLAG:
		snprintf(words, sizeof words, "%s", rule->value.words);
		for (char *blank = words; (blank = strchr(blank, ' ')) != NULL;)
			*blank = '|';
		return error_set(err, ERROR_INPUT, "%s takes %s", key, words);
	case CONFIG_TOPIC:
		return error_set(err, ERROR_INPUT, "%s takes the name of a topic: letters, digits, \".\", \"_\" and \"-\"", key);
	case CONFIG_SERIES:
		return error_set(err, ERROR_INPUT, "%s takes 1 to %d capital letters and digits", key, CODE_BYTES);
	case CONFIG_TEXT:
	case CONFIG_FILES:
	case CONFIG_FILE:
	case CONFIG_FOLDER:
	case CONFIG_NEW_FILE:
	case CONFIG_NEW_FOLDER:
		break;
	}
	return error_set(err, ERROR_INPUT, "%s cannot be empty", key);
}
