/* config_test.c -- settings: who is heard, what each takes, and how what is wrong is told. */
#include "base/config.h"

#include <stdlib.h>

#include "base/document.h"
#include "tests/support/config_file.h"
#include "tests/support/unit.h"

static struct config_file file;

static bool
open_text(const char *text, const char *const *sets, size_t set_count, struct config **out, struct error *err)
{
	*out = NULL;
	if (file.path[0] == '\0')
		config_file_open(&file);
	config_file_write(&file, text, strlen(text));
	return config_open(file.path, sets, set_count, out, err);
}

static struct config *
config_of(const char *text)
{
	struct config *config;
	struct error err = {0};

	if (!open_text(text, NULL, 0, &config, &err))
		printf("\n    refused: %s (line %llu, %s)\n", err.message, (unsigned long long)err.line, err.field);
	CU_ASSERT_PTR_NOT_NULL_FATAL(config);
	return config;
}

/* Refused on this line, with these words in the message and the hint. */
static struct error
expect_refused(const char *text, uint64_t line, const char *message, const char *hint)
{
	struct config *config;
	struct error err = {0};

	CU_ASSERT_FALSE(open_text(text, NULL, 0, &config, &err));
	config_free(config);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL || err.line != line)
		printf("\n    \"%s\": got line %llu, \"%s\", hint \"%s\"\n", text, (unsigned long long)err.line, err.message,
		    err.hint);
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	CU_ASSERT_EQUAL(err.line, line);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
	return err;
}

static void
expect_set_refused(const char *set, const char *message, const char *hint)
{
	struct config *config;
	struct error err = {0};

	CU_ASSERT_FALSE(open_text("", &set, 1, &config, &err));
	config_free(config);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
		printf("\n    \"%s\": got \"%s\", hint \"%s\"\n", set, err.message, err.hint);
	CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
}

/* The setting as it is shown. */
static struct config_shown
shown_of(const struct config *config, const char *key)
{
	struct config_shown shown;

	for (size_t i = 0; config_at(config, i, &shown); i++)
		if (strcmp(shown.key, key) == 0)
			return shown;
	CU_FAIL("the setting is not shown");
	return (struct config_shown){.key = "", .value = "", .origin = "", .meaning = ""};
}

/* "[section]\nkey = value", where the value is the one that is asked about. */
static const char *
line_of(const char *section, const char *key, const char *value)
{
	static char text[256];

	snprintf(text, sizeof text, "[%s]\n%s = %s\n", section, key, value);
	return text;
}

static void
accepts(const char *section, const char *key, const char *value)
{
	config_free(config_of(line_of(section, key, value)));
}

static void
refuses(const char *section, const char *key, const char *value, const char *message)
{
	(void)expect_refused(line_of(section, key, value), 2, message, "");
}

/* --- who is heard ----------------------------------------------------------------------------- */

static void
without_a_file_everything_is_at_its_default(void)
{
	struct config *config = config_of("");
	struct decimal limit;

	EXPECT_TEXT(config_text(config, "night.at"), "02:00");
	EXPECT_TEXT(shown_of(config, "night.at").origin, "default");
	CU_ASSERT_EQUAL(config_number(config, "night.grace_hours"), 24);
	CU_ASSERT_FALSE(config_flag(config, "spend.insecure"));
	CU_ASSERT_FALSE(config_limit(config, "limits.held", "USD", &limit));
	CU_ASSERT_PTR_NULL(config_word(config, "apply.prices", 0));
	CU_ASSERT_EQUAL(config_names(config, "source"), 0);
	config_free(config);
}

static void
the_environment_is_stronger_than_the_file_and_the_command_line_than_both(void)
{
	static const char text[] = "[night]\nat = 01:00\ngrace_hours = 10\nlate_days = 30\n";
	static const char *const sets[] = {"night.late_days=50"};
	struct config *config;
	struct error err = {0};
	char origin[80];

	setenv("TOLLBOOK_NIGHT_GRACE_HOURS", "20", 1);
	setenv("TOLLBOOK_NIGHT_LATE_DAYS", "40", 1);
	CU_ASSERT_TRUE_FATAL(open_text(text, sets, 1, &config, &err));
	unsetenv("TOLLBOOK_NIGHT_GRACE_HOURS");
	unsetenv("TOLLBOOK_NIGHT_LATE_DAYS");
	snprintf(origin, sizeof origin, "file %s, line 2", file.path);
	EXPECT_TEXT(shown_of(config, "night.at").value, "01:00");
	EXPECT_TEXT(shown_of(config, "night.at").origin, origin);
	EXPECT_TEXT(shown_of(config, "night.grace_hours").value, "20");
	EXPECT_TEXT(shown_of(config, "night.grace_hours").origin, "environment TOLLBOOK_NIGHT_GRACE_HOURS");
	CU_ASSERT_EQUAL(config_number(config, "night.late_days"), 50);
	EXPECT_TEXT(shown_of(config, "night.late_days").origin, "--set");
	config_free(config);
}

static void
an_empty_variable_says_nothing_and_an_empty_value_does(void)
{
	struct config *config;

	setenv("TOLLBOOK_NIGHT_DOCUMENTS", "", 1);
	config = config_of("[night]\ndocuments = /one\nmetrics_file =\n");
	unsetenv("TOLLBOOK_NIGHT_DOCUMENTS");
	EXPECT_TEXT(config_text(config, "night.documents"), "/one");
	EXPECT_TEXT(config_text(config, "night.metrics_file"), "");
	CU_ASSERT_TRUE(strncmp(shown_of(config, "night.metrics_file").origin, "file ", 5) == 0);
	config_free(config);
}

static void
named_sections_are_found_by_name_in_the_order_of_the_file(void)
{
	struct config *config =
	    config_of("[source usage-eu]\nkind = kafka\ntopic = usage\nbrokers = one:9092\ninsecure = yes\n"
		      "[issuer ACME]\nname = Acme\n[source drop.1]\nkind = files\nfolder = /drop\nbatch_records = 7\n");

	CU_ASSERT_EQUAL_FATAL(config_names(config, "source"), 2);
	EXPECT_TEXT(config_name(config, "source", 0), "usage-eu");
	EXPECT_TEXT(config_name(config, "source", 1), "drop.1");
	EXPECT_TEXT(config_named(config, "source", "usage-eu", "topic"), "usage");
	EXPECT_TEXT(config_named(config, "source", "usage-eu", "group"), "tollbook");
	EXPECT_TEXT(config_named(config, "source", "drop.1", "folder"), "/drop");
	CU_ASSERT_TRUE(config_flag(config, "source.usage-eu.insecure"));
	CU_ASSERT_EQUAL(config_number(config, "source.drop.1.batch_records"), 7);
	EXPECT_TEXT(config_named(config, "issuer", "ACME", "invoice_series"), "");
	config_free(config);
}

static void
the_environment_names_settings_of_sections_with_names(void)
{
	struct config *config;

	setenv("TOLLBOOK_SOURCE_USAGE_EU_TOPIC", "other", 1);
	config = config_of("[source usage-eu]\nkind = kafka\ntopic = usage\nbrokers = one:9092\n");
	EXPECT_TEXT(config_named(config, "source", "usage-eu", "topic"), "other");
	config_free(config);
	(void)expect_refused(
	    "[source usage-eu]\nkind = kafka\ntopic = a\nbrokers = b\n[source usage.eu]\nkind = kafka\ntopic = a\nbrokers = b\n",
	    0, "have the same name in the environment", "");
	unsetenv("TOLLBOOK_SOURCE_USAGE_EU_TOPIC");
}

static void
the_command_line_can_add_a_section(void)
{
	static const char *const sets[] = {"source.drop.folder=/drop", "source.drop.kind=files"};
	struct config *config;
	struct error err = {0};

	CU_ASSERT_TRUE_FATAL(open_text("", sets, 2, &config, &err));
	EXPECT_TEXT(config_named(config, "source", "drop", "folder"), "/drop");
	config_free(config);
}

static void
lines_end_as_editors_end_them(void)
{
	struct config *config = config_of("# a comment\r\n\r\n  [night]\r\n\tat\t=\t03:30 \r\nzone=Europe/Berlin");

	EXPECT_TEXT(config_text(config, "night.at"), "03:30");
	EXPECT_TEXT(config_text(config, "night.zone"), "Europe/Berlin");
	config_free(config);
}

/* --- what is taken ---------------------------------------------------------------------------- */

static void
a_time_of_day_is_two_digits_twice(void)
{
	accepts("night", "at", "00:00");
	accepts("night", "at", "23:59");
	refuses("night", "at", "24:00", "HH:MM");
	refuses("night", "at", "02:60", "HH:MM");
	refuses("night", "at", "2:00", "HH:MM");
	refuses("night", "at", "02:00:00", "HH:MM");
	refuses("night", "at", "", "HH:MM");
}

static void
a_zone_is_one_that_the_system_knows(void)
{
	accepts("night", "zone", "Australia/Lord_Howe");
	refuses("night", "zone", "Europe/Berlim", "a time zone that the system knows");
	refuses("night", "zone", "+02:00", "a time zone that the system knows");
}

static void
a_number_is_whole_and_within_its_borders(void)
{
	accepts("night", "grace_hours", "0");
	accepts("night", "grace_hours", "8760");
	refuses("night", "grace_hours", "8761", "a whole number from 0 to 8760");
	refuses("night", "grace_hours", "-1", "a whole number");
	refuses("night", "grace_hours", "1.5", "a whole number");
	refuses("night", "grace_hours", "99999999999999999999999999999999999999999999", "a whole number");
	refuses("night", "late_days", "0", "a whole number from 1 to 100000");
}

static void
a_choice_is_one_of_its_words(void)
{
	accepts("night", "reconcile", "open");
	refuses("night", "reconcile", "open full", "night.reconcile takes full|open");
	refuses("night", "log", "xml", "night.log takes text|json");
	accepts("spend", "insecure", "yes");
	refuses("spend", "insecure", "true", "spend.insecure takes yes|no");
}

static void
a_factor_is_not_below_zero(void)
{
	accepts("limits", "charge_jump", "0");
	accepts("limits", "charge_jump", "2.75");
	refuses("limits", "charge_jump", "-3", "not below zero");
	refuses("limits", "charge_jump", "3x", "not below zero");
}

static void
a_limit_has_each_currency_once(void)
{
	struct config *config = config_of("[limits]\nheld = USD 100,JPY 15000.5 , BHD 0.001\n");
	struct decimal limit, wanted;
	struct error err;

	CU_ASSERT_TRUE(config_limit(config, "limits.held", "JPY", &limit));
	CU_ASSERT_TRUE(decimal_parse("15000.5", 7, &wanted, &err));
	CU_ASSERT_EQUAL(decimal_compare(limit, wanted), 0);
	CU_ASSERT_TRUE(config_limit(config, "limits.held", "BHD", &limit));
	CU_ASSERT_TRUE(limit.e18 == INT64_C(1000000000000000));
	CU_ASSERT_FALSE(config_limit(config, "limits.held", "EUR", &limit));
	config_free(config);
	refuses("limits", "held", "100", "amounts by currency");
	refuses("limits", "held", "USD", "amounts by currency");
	refuses("limits", "held", "USD 1, USD 2", "each currency once");
	refuses("limits", "held", "USD 1 EUR 2", "amounts by currency");
	refuses("limits", "held", "USD 1,", "amounts by currency");
	refuses("limits", "held", "XXX 1", "amounts by currency");
	refuses("limits", "held", "usd 1", "amounts by currency");
	refuses("limits", "held", "USD -1", "amounts by currency");
}

static void
a_list_has_blanks_between_its_words_and_in_them_behind_a_backslash(void)
{
	struct config *config = config_of("[apply]\nprices = a.json  /b\\ c/*.json\t\\d \\\n");

	EXPECT_TEXT(config_word(config, "apply.prices", 0), "a.json");
	EXPECT_TEXT(config_word(config, "apply.prices", 1), "/b c/*.json");
	EXPECT_TEXT(config_word(config, "apply.prices", 2), "\\d");
	EXPECT_TEXT(config_word(config, "apply.prices", 3), "\\");
	CU_ASSERT_PTR_NULL(config_word(config, "apply.prices", 4));
	config_free(config);
}

static void
a_topic_is_named_as_kafka_wants_it(void)
{
	(void)expect_refused("[spend]\nbrokers = a:1\ntopic = two words\n", 3, "the name of a topic", "");
	(void)expect_refused("[spend]\nbrokers = a:1\ntopic = ..\n", 3, "the name of a topic", "");
}

static void
two_series_of_an_issuer_differ(void)
{
	(void)expect_refused("[issuer A]\nname = A\ninvoice_series = inv\n", 3, "1 to 8 capital letters and digits", "");
	(void)expect_refused("[issuer A]\nname = A\ncredit_note_series = X\ninvoice_series = X\n", 3, "cannot be the same", "");
}

static void
an_issuer_without_series_is_as_it_is(void)
{
	struct config *config = config_of("[issuer A]\nname = A\n[issuer B]\nname = B\ncredit_note_series = X\n");

	EXPECT_TEXT(config_named(config, "issuer", "A", "credit_note_series"), "");
	EXPECT_TEXT(config_named(config, "issuer", "B", "invoice_series"), "");
	EXPECT_TEXT(config_named(config, "issuer", "B", "credit_note_series"), "X");
	config_free(config);
}

static void
a_source_has_what_its_kind_needs_and_nothing_of_the_other(void)
{
	(void)expect_refused("[night]\n[source a]\n", 2, "source.a.kind must be set", "kafka, a topic");
	(void)expect_refused("[source a]\nkind = files\n", 1, "source.a.folder must be set", "");
	(void)expect_refused("[source a]\nkind = kafka\nbrokers = a:1\n", 1, "source.a.topic must be set", "");
	(void)expect_refused("[source a]\nkind = kafka\ntopic = t\n", 3, "no brokers are named", "kafka_config");
	(void)expect_refused(
	    "[source a]\nkind = files\nfolder = /a\ntopic = t\n", 4, "source.a.topic is for kind = kafka alone", "");
	(void)expect_refused("[spend]\ntopic = t\n", 2, "spend.topic is set, and no brokers are named", "");
}

/* --- what is wrong with a file ---------------------------------------------------------------- */

static void
an_unknown_setting_is_refused_with_the_nearest_one(void)
{
	(void)expect_refused("[night]\nzon = UTC\n", 2, "there is no setting \"zon\"", "Did you mean \"night.zone\"?");
	(void)expect_refused("[apply]\nworkers = 2\n", 2, "there is no setting \"workers\"", "into the section [night]");
	(void)expect_refused("[night]\ntopic = t\n", 2, "there is no setting \"topic\"", "into the section [spend]");
	(void)expect_refused("[source a]\nfoldr = /a\n", 2, "[source a]", "Did you mean \"source.a.folder\"?");
	(void)expect_refused("[nigth]\nat = 02:00\n", 1, "there is no section \"nigth\"", "Did you mean \"night\"?");
}

static void
a_variable_that_names_no_setting_is_refused_where_it_is_about_a_section(void)
{
	setenv("TOLLBOOK_NIGHT_ATT", "03:00", 1);
	(void)expect_refused("", 0, "TOLLBOOK_NIGHT_ATT names no setting", "Did you mean \"TOLLBOOK_NIGHT_AT\"?");
	unsetenv("TOLLBOOK_NIGHT_ATT");
	setenv("TOLLBOOK_DATABASE_CONNECTION", "host=x", 1);
	(void)expect_refused("", 0, "names no setting", "TOLLBOOK_DB");
	unsetenv("TOLLBOOK_DATABASE_CONNECTION");
	setenv("TOLLBOOK_NIGHTLY", "1", 1);
	setenv("TOLLBOOK_COLOUR", "red", 1);
	config_free(config_of(""));
	unsetenv("TOLLBOOK_NIGHTLY");
	unsetenv("TOLLBOOK_COLOUR");
}

static void
a_section_and_a_setting_are_there_once(void)
{
	struct error err = expect_refused("[night]\nat = 02:00\n\nat = 03:00\n", 4, "night.at is set twice", "");

	EXPECT_TEXT(err.detail, "It is set on line 2, too.");
	err = expect_refused("[night]\n[apply]\n[night]\n", 3, "the section [night] is there twice", "");
	EXPECT_TEXT(err.detail, "It begins on line 1, too.");
	(void)expect_refused(
	    "[source a]\nkind = files\nfolder = /a\n[source a]\n", 4, "the section [source a] is there twice", "");
}

static void
a_section_is_named_as_it_should_be(void)
{
	(void)expect_refused("[source]\n", 1, "a source is [source NAME]", "");
	(void)expect_refused("[source a b]\n", 1, "1 to 64 letters", "");
	(void)expect_refused("[source .a]\n", 1, "1 to 64 letters", "");
	(void)expect_refused("[night one]\n", 1, "there is one section [night]", "");
	(void)expect_refused("[issuer acme]\n", 1, "an issuer is [issuer CODE]", "");
	(void)expect_refused("[]\n", 1, "there is no section", "");
	(void)expect_refused("[night] # late\n", 1, "nothing behind the bracket", "");
}

static void
lines_that_are_no_settings_are_refused(void)
{
	(void)expect_refused("[night]\nat\n", 2, "not a setting", "");
	(void)expect_refused("[night]\n= 3\n", 2, "not a setting", "");
	(void)expect_refused("at = 02:00\n", 1, "a setting stands in a section", "");
	(void)expect_refused("[night]\ndocuments = \"/a\"\n", 2, "stands without quotes", "");
	(void)expect_refused("[night]\ndocuments = /a # b\n", 2, "a comment has a line of its own", "");
	(void)expect_refused("[night]\ndocuments = /a\001b\n", 2, "control character, 0x01, as byte 15", "");
}

static void
files_lines_and_sections_are_bounded(void)
{
	struct text text = {0};
	struct config *config;

	text_add_string(&text, "[night]\ndocuments = ");
	while (text.length < 8 + 4096)
		text_add(&text, "/", 1);
	config = config_of(text_string(&text));
	CU_ASSERT_EQUAL(strlen(config_text(config, "night.documents")), 4096 - 12);
	config_free(config);
	text_add(&text, "/", 1);
	(void)expect_refused(text_string(&text), 2, "longer than 4096 bytes", "");
	text_clear(&text);
	for (int i = 0; i <= 64; i++)
		text_add_format(&text, "[source s%d]\nkind = files\nfolder = /s\n", i);
	(void)expect_refused(text_string(&text), 3 * 64 + 1, "more than 64 sections with names", "");
	text_clear(&text);
	while (text.length <= 1 << 20)
		text_add_string(&text, "# one million bytes of comments are more than enough\n");
	(void)expect_refused(text_string(&text), 0, "larger than 1048576 bytes", "");
	text_release(&text);
}

static void
what_the_command_line_says_is_checked_the_same(void)
{
	expect_set_refused("night.at", "--set takes KEY=VALUE", "");
	expect_set_refused("at=1", "--set takes SECTION.KEY=VALUE", "");
	expect_set_refused("night.att=03:00", "there is no setting \"att\"", "night.at");
	expect_set_refused("nite.at=03:00", "there is no section \"nite\"", "night");
	expect_set_refused("night.x.at=03:00", "there is one section [night]", "");
	expect_set_refused("night.at=3", "HH:MM", "");
	expect_set_refused("night.documents=/a\nb", "no control characters", "");
	expect_set_refused("database.connection=host=x", "cannot say which database", "--db");
}

/* --- secrets ---------------------------------------------------------------------------------- */

static void
expect_connection_shown(const char *value, const char *wanted)
{
	struct config *config;

	setenv("TOLLBOOK_DB", value, 1);
	config = config_of("");
	unsetenv("TOLLBOOK_DB");
	EXPECT_TEXT(config_text(config, "database.connection"), value);
	EXPECT_TEXT(shown_of(config, "database.connection").value, wanted);
	EXPECT_TEXT(shown_of(config, "database.connection").origin, "environment TOLLBOOK_DB");
	config_free(config);
}

static void
a_password_is_never_shown(void)
{
	expect_connection_shown("host=db password=opensesame dbname=b", "password=*** dbname=b host=db");
	expect_connection_shown("password='open \\' sesame' user='a b'", "user='a b' password=***");
	expect_connection_shown("postgresql://me:open%20sesame@db:5433/b?sslpassword=sesame",
	    "user=me password=*** dbname=b host=db port=5433 sslpassword=***");
	expect_connection_shown("postgres://me@db/b?password=opensesame", "user=me password=*** dbname=b host=db");
	expect_connection_shown("billing", "billing");
	expect_connection_shown("password=opensesame host", "(cannot be shown)");
}

static void
errors_and_json_have_no_password(void)
{
	struct error err =
	    expect_refused("[database]\nconnection = password=opensesame host\n", 2, "takes a connection", "host=");
	struct config *config =
	    config_of("[database]\nconnection = host=db user=me\n[night]\nat = 03:00\n[source a]\nkind = files\nfolder = /\"a\n");
	struct text json = {0};

	EXPECT_TEXT(err.value, "(not shown)");
	err = expect_refused("[database]\nconection = password=opensesame\n", 2, "there is no setting", "database.connection");
	EXPECT_TEXT(err.value, "(not shown)");
	config_json(config, &json);
	EXPECT_TEXT(text_string(&json), "{\"night.at\":\"03:00\",\"source.a.kind\":\"files\",\"source.a.folder\":\"/\\\"a\"}");
	text_release(&json);
	config_free(config);
}

/* --- the example ------------------------------------------------------------------------------ */

static const struct {
	const char *section, *key, *otherwise;
} keys[] = {
#define SECTION(section, named)
#define KEY(section, key, rule, otherwise, meaning) {#section, #key, otherwise},
#include "base/config_keys.def"
#undef KEY
#undef SECTION
};

/* The example with its settings no longer commented out: "#at = 02:00", "#[source drop]". */
static void
read_example(struct text *out)
{
	struct text text = {0};
	struct error err;

	CU_ASSERT_TRUE_FATAL(document_read("examples/tollbook.conf", &text, &err));
	for (const char *line = text.bytes; *line != '\0';) {
		size_t length = strcspn(line, "\n") + 1;
		size_t word = line[0] == '#' ? strspn(line + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
		bool commented = line[0] == '#' && (line[1] == '[' || (word > 0 && strncmp(line + 1 + word, " =", 2) == 0));

		text_add(out, line + commented, length - commented);
		line += length;
	}
	text_release(&text);
}

static void
the_example_sets_nothing_until_its_lines_are_uncommented(void)
{
	struct config *config;
	struct config_shown shown;
	struct error err;

	CU_ASSERT_TRUE_FATAL(config_open("examples/tollbook.conf", NULL, 0, &config, &err));
	for (size_t i = 0; config_at(config, i, &shown); i++)
		EXPECT_TEXT(shown.origin, "default");
	config_free(config);
}

static void
the_example_has_every_setting_at_its_default_or_with_an_example(void)
{
	struct text text = {0};
	struct config *config;

	read_example(&text);
	config = config_of(text_string(&text));
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct config_shown shown = {0};
		bool found = false;

		for (size_t at = 0; !found && config_at(config, at, &shown); at++) {
			size_t section = strlen(keys[i].section), key = strlen(keys[i].key), length = strlen(shown.key);

			found = strncmp(shown.key, keys[i].section, section) == 0 && shown.key[section] == '.' &&
			    strcmp(shown.key + length - key, keys[i].key) == 0 && shown.key[length - key - 1] == '.' &&
			    strcmp(shown.origin, "default") != 0;
		}
		if (!found)
			printf("\n    examples/tollbook.conf lacks %s of [%s]\n", keys[i].key, keys[i].section);
		CU_ASSERT_TRUE(found);
		if (keys[i].otherwise[0] != '\0' && strcmp(keys[i].key, "pattern") != 0)
			EXPECT_TEXT(shown.value, keys[i].otherwise);
	}
	config_free(config);
	text_release(&text);
}

UNIT_TESTS("base/config", TEST(without_a_file_everything_is_at_its_default),
    TEST(the_environment_is_stronger_than_the_file_and_the_command_line_than_both),
    TEST(an_empty_variable_says_nothing_and_an_empty_value_does), TEST(named_sections_are_found_by_name_in_the_order_of_the_file),
    TEST(the_environment_names_settings_of_sections_with_names), TEST(the_command_line_can_add_a_section),
    TEST(lines_end_as_editors_end_them), TEST(a_time_of_day_is_two_digits_twice), TEST(a_zone_is_one_that_the_system_knows),
    TEST(a_number_is_whole_and_within_its_borders), TEST(a_choice_is_one_of_its_words), TEST(a_factor_is_not_below_zero),
    TEST(a_limit_has_each_currency_once), TEST(a_list_has_blanks_between_its_words_and_in_them_behind_a_backslash),
    TEST(a_topic_is_named_as_kafka_wants_it), TEST(two_series_of_an_issuer_differ), TEST(an_issuer_without_series_is_as_it_is),
    TEST(a_source_has_what_its_kind_needs_and_nothing_of_the_other), TEST(an_unknown_setting_is_refused_with_the_nearest_one),
    TEST(a_variable_that_names_no_setting_is_refused_where_it_is_about_a_section), TEST(a_section_and_a_setting_are_there_once),
    TEST(a_section_is_named_as_it_should_be), TEST(lines_that_are_no_settings_are_refused),
    TEST(files_lines_and_sections_are_bounded), TEST(what_the_command_line_says_is_checked_the_same),
    TEST(a_password_is_never_shown), TEST(errors_and_json_have_no_password),
    TEST(the_example_sets_nothing_until_its_lines_are_uncommented),
    TEST(the_example_has_every_setting_at_its_default_or_with_an_example))
