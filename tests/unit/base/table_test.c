/* table_test.c -- rows as aligned text, JSON and CSV, as they arrive on standard output. */
#include "base/table.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/unit.h"

static const struct column columns[] = {
    {"tenant", "TENANT", COLUMN_TEXT},
    {"tokens", "TOKENS", COLUMN_NUMBER},
    {"note", "NOTE", COLUMN_TEXT},
    {NULL, NULL, COLUMN_TEXT},
};

static const struct column only_column[] = {{"note", "NOTE", COLUMN_TEXT}, {NULL, NULL, COLUMN_TEXT}};

/* Prints the table with standard output turned to another file. */
static void
print_to(int file, struct table *table, enum output_format format)
{
	struct run run = {.format = format};
	int before = dup(STDOUT_FILENO);

	CU_ASSERT_TRUE_FATAL(before >= 0 && fflush(stdout) == 0);
	CU_ASSERT_TRUE_FATAL(dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
	table_print(table, &run, "no usage");
	CU_ASSERT_EQUAL(fflush(stdout), 0);
	CU_ASSERT_TRUE_FATAL(dup2(before, STDOUT_FILENO) == STDOUT_FILENO);
	close(before);
}

/* What is printed, by way of a file without a name. */
static const char *
printed(struct table *table, enum output_format format)
{
	static char text[4096];
	FILE *kept = tmpfile();
	size_t length;

	CU_ASSERT_PTR_NOT_NULL_FATAL(kept);
	print_to(fileno(kept), table, format);
	rewind(kept);
	length = fread(text, 1, sizeof text - 1, kept);
	text[length] = '\0';
	fclose(kept);
	return text;
}

static struct table *
table_of(const char *tenant, const char *tokens, const char *note)
{
	struct table *table = table_new(columns);

	table_row(table);
	table_cell(table, tenant);
	table_cell(table, tokens);
	table_cell(table, note);
	return table;
}

static void
expect_row(enum output_format format, const char *tenant, const char *tokens, const char *note, const char *wanted)
{
	struct table *table = table_of(tenant, tokens, note);

	EXPECT_TEXT(printed(table, format), wanted);
	table_free(table);
}

static void
columns_are_aligned_numbers_to_the_right(void)
{
	struct table *table = table_of("acme", "1500", "late");

	table_row(table);
	table_cell(table, "globex corporation");
	table_cell_format(table, "%d", 7);
	table_cell(table, NULL);
	EXPECT_TEXT(printed(table, FORMAT_TABLE),
	    "TENANT              TOKENS  NOTE\n"
	    "acme                  1500  late\n"
	    "globex corporation       7\n");
	table_free(table);
}

static void
letters_of_several_bytes_count_once(void)
{
	struct table *table = table_of("m\xc3\xbcller & s\xc3\xb6hne", "1", "\xe2\x82\xac");

	table_row(table);
	table_cell(table, "abcdefghijklmno");
	table_cell(table, "2");
	table_cell(table, "x");
	EXPECT_TEXT(printed(table, FORMAT_TABLE),
	    "TENANT           TOKENS  NOTE\n"
	    "m\xc3\xbcller & s\xc3\xb6hne        1  \xe2\x82\xac\n"
	    "abcdefghijklmno       2  x\n");
	table_free(table);
}

static void
a_terminal_gets_no_control_characters_from_a_cell(void)
{
	expect_row(FORMAT_TABLE, "a\033[2Jb", "1", "x\ny\xc2\x9bz\xff",
	    "TENANT     TOKENS  NOTE\n"
	    "a\\x1b[2Jb       1  x\\x0ay\\xc2\\x9bz\\xff\n");
}

static void
nothing_is_said_in_words_in_a_table_only(void)
{
	struct table *table = table_new(columns);

	EXPECT_TEXT(printed(table, FORMAT_TABLE), "no usage\n");
	EXPECT_TEXT(printed(table, FORMAT_JSON), "[]\n");
	EXPECT_TEXT(printed(table, FORMAT_CSV), "tenant,tokens,note\n");
	table_free(table);
	table_free(NULL);
}

static void
json_is_an_array_of_objects(void)
{
	struct table *table = table_of("acme", "1500", NULL);

	table_row(table);
	table_cell(table, "globex");
	table_cell(table, "-3");
	table_cell(table, "");
	EXPECT_TEXT(printed(table, FORMAT_JSON),
	    "[\n"
	    "{\"tenant\": \"acme\", \"tokens\": 1500, \"note\": null},\n"
	    "{\"tenant\": \"globex\", \"tokens\": -3, \"note\": \"\"}\n"
	    "]\n");
	table_free(table);
}

static void
only_a_plain_integer_is_bare_in_json(void)
{
	expect_row(FORMAT_JSON, "12", "0.15", "7", "[\n{\"tenant\": \"12\", \"tokens\": \"0.15\", \"note\": \"7\"}\n]\n");
	expect_row(FORMAT_JSON, "", "007", "", "[\n{\"tenant\": \"\", \"tokens\": \"007\", \"note\": \"\"}\n]\n");
	expect_row(FORMAT_JSON, "", "-", "", "[\n{\"tenant\": \"\", \"tokens\": \"-\", \"note\": \"\"}\n]\n");
	expect_row(FORMAT_JSON, "", "-0", "", "[\n{\"tenant\": \"\", \"tokens\": \"-0\", \"note\": \"\"}\n]\n");
	expect_row(FORMAT_JSON, "", "0", "", "[\n{\"tenant\": \"\", \"tokens\": 0, \"note\": \"\"}\n]\n");
}

static void
json_escapes_what_it_must(void)
{
	expect_row(FORMAT_JSON, "a\"b\\c/d", "1", "\t\n\r\x01\x7f\xc3\xa9\xff",
	    "[\n{\"tenant\": \"a\\\"b\\\\c/d\", \"tokens\": 1, "
	    "\"note\": \"\\t\\n\\u000d\\u0001\\u007f\xc3\xa9\\ufffd\"}\n]\n");
	/* an overlong slash, a surrogate, a character cut off, one beyond the last */
	expect_row(FORMAT_JSON, "\xc0\xaf", "1", "\xed\xa0\x80|\xe2\x82|\xf5\x80\x80\x80|\xf0\x9f\x98\x80",
	    "[\n{\"tenant\": \"\\ufffd\\ufffd\", \"tokens\": 1, \"note\": \"\\ufffd\\ufffd\\ufffd|"
	    "\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|\xf0\x9f\x98\x80\"}\n]\n");
}

static void
csv_quotes_where_rfc_4180_asks_for_it(void)
{
	expect_row(FORMAT_CSV, "acme, inc", "1500", "say \"hi\"", "tenant,tokens,note\n\"acme, inc\",1500,\"say \"\"hi\"\"\"\n");
	expect_row(FORMAT_CSV, "two\nlines", "0.15", NULL, "tenant,tokens,note\n\"two\nlines\",0.15,\n");
}

static void
a_text_that_looks_like_a_formula_is_disarmed_in_csv(void)
{
	expect_row(FORMAT_CSV, "=1+1", "-3", "@SUM(A1)", "tenant,tokens,note\n'=1+1,-3,'@SUM(A1)\n");
	expect_row(FORMAT_CSV, "-3", "-0.05", "+49 30", "tenant,tokens,note\n'-3,-0.05,'+49 30\n");
	expect_row(FORMAT_CSV, "\tx", "-3+cmd", "\rx", "tenant,tokens,note\n'\tx,'-3+cmd,\"'\rx\"\n");
	expect_row(FORMAT_CSV, "=HYPERLINK(\"a,b\")", "1", "a=b", "tenant,tokens,note\n\"'=HYPERLINK(\"\"a,b\"\")\",1,a=b\n");
}

static void
the_only_cell_of_a_csv_row_is_never_an_empty_line(void)
{
	struct table *table = table_new(only_column);

	table_row(table);
	table_cell(table, NULL);
	table_row(table);
	table_cell(table, "x");
	EXPECT_TEXT(printed(table, FORMAT_CSV), "note\n\"\"\nx\n");
	table_free(table);
}

static void
a_file_gets_no_bold_header(void)
{
	unsetenv("NO_COLOR");
	expect_row(FORMAT_TABLE, "a", "1", "b", "TENANT  TOKENS  NOTE\na            1  b\n");
}

/* The first bytes that a terminal receives. */
static void
expect_on_terminal(const char *begins)
{
	struct table *table = table_of("a", "1", "b");
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal;
	char text[256] = "";

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
		printf("\n    SKIPPED: no pseudo-terminal to be had here\n");
		table_free(table);
		return;
	}
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	CU_ASSERT_TRUE_FATAL(terminal >= 0);
	print_to(terminal, table, FORMAT_TABLE);
	/* A terminal hands over what it has, which may be less than a line. */
	for (size_t length = 0; length < strlen(begins);) {
		ssize_t got = read(master, text + length, strlen(begins) - length);

		CU_ASSERT_TRUE_FATAL(got > 0);
		length += (size_t)got;
	}
	EXPECT_TEXT(text, begins);
	close(terminal);
	close(master);
	table_free(table);
}

static void
a_terminal_gets_a_bold_header_unless_no_color_is_set(void)
{
	unsetenv("NO_COLOR");
	expect_on_terminal("\033[1mTENANT  TOKENS  NOTE\033[0m\r\n");
	setenv("NO_COLOR", "1", 1);
	expect_on_terminal("TENANT  TOKENS  NOTE\r\na ");
	unsetenv("NO_COLOR");
}

UNIT_TESTS("base/table", TEST(columns_are_aligned_numbers_to_the_right), TEST(letters_of_several_bytes_count_once),
    TEST(a_terminal_gets_no_control_characters_from_a_cell), TEST(nothing_is_said_in_words_in_a_table_only),
    TEST(json_is_an_array_of_objects), TEST(only_a_plain_integer_is_bare_in_json), TEST(json_escapes_what_it_must),
    TEST(csv_quotes_where_rfc_4180_asks_for_it), TEST(a_text_that_looks_like_a_formula_is_disarmed_in_csv),
    TEST(the_only_cell_of_a_csv_row_is_never_an_empty_line), TEST(a_file_gets_no_bold_header),
    TEST(a_terminal_gets_a_bold_header_unless_no_color_is_set))
