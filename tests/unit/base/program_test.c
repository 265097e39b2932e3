/* program_test.c -- other programs are run without a shell, and what they say is kept. */
#include "base/program.h"
#include "tests/support/unit.h"

#include <unistd.h>

static int exit_code;
static struct text said;
static struct error err;

static bool
run(const char *const *arguments, const char *input)
{
	text_clear(&said);
	return program_run(&(struct program){.arguments = arguments, .input = input}, &exit_code, &said, &err);
}

static void
what_a_program_says_on_both_outputs_is_kept(void)
{
	static const char *const arguments[] = {"/bin/sh", "-c", "echo one; echo two >&2; exit 3", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	CU_ASSERT_EQUAL(exit_code, 3);
	EXPECT_TEXT(text_string(&said), "one\ntwo\n");
}

static void
arguments_are_never_read_by_a_shell(void)
{
	static const char *const arguments[] = {"/bin/echo", "$HOME;`id`", "a b", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	CU_ASSERT_EQUAL(exit_code, 0);
	EXPECT_TEXT(text_string(&said), "$HOME;`id` a b\n");
}

static void
a_program_reads_its_input_to_the_end_and_nothing_where_there_is_none(void)
{
	static const char *const arguments[] = {"/bin/cat", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, "CREATE\n\n"));
	EXPECT_TEXT(text_string(&said), "CREATE\n\n");
	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	EXPECT_TEXT(text_string(&said), "");
}

static void
a_program_that_a_signal_ends_has_128_and_the_signal_as_exit_code(void)
{
	static const char *const arguments[] = {"/bin/sh", "-c", "kill -9 $$", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	CU_ASSERT_EQUAL(exit_code, 128 + 9);
}

static void
a_program_that_is_not_there_is_named_with_the_reason(void)
{
	static const char *const arguments[] = {"/no/such/program", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	CU_ASSERT_EQUAL(exit_code, 127);
	EXPECT_TEXT(text_string(&said), "/no/such/program: No such file or directory");
}

static void
of_endless_talk_only_the_beginning_is_kept(void)
{
	static const char *const arguments[] = {"/usr/bin/head", "-c", "1000000", "/dev/zero", NULL};

	CU_ASSERT_TRUE_FATAL(run(arguments, NULL));
	CU_ASSERT_EQUAL(exit_code, 0);
	CU_ASSERT_EQUAL(said.length, PROGRAM_OUTPUT);
}

static void
the_first_folder_that_is_closed_to_an_account_is_found(void)
{
	struct text closed = {0};
	struct account own;

	CU_ASSERT_TRUE_FATAL(account_own(&own, &err));
	CU_ASSERT_EQUAL(own.uid, geteuid());
	CU_ASSERT_TRUE_FATAL(account_first_closed(&own, "/usr/bin", &closed, &err));
	EXPECT_TEXT(text_string(&closed), "");
	CU_ASSERT_TRUE_FATAL(account_first_closed(&own, "/usr/nowhere/deeper", &closed, &err));
	EXPECT_TEXT(text_string(&closed), "/usr/nowhere");
	text_release(&closed);
}

static void
an_account_that_does_not_exist_is_an_error_of_state(void)
{
	struct account account;

	CU_ASSERT_FALSE(account_by_name("no-such-user", &account, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_STATE);
	EXPECT_TEXT(err.message, "there is no user \"no-such-user\" on this machine");
	text_release(&said);
}

UNIT_TESTS("base/program", TEST(what_a_program_says_on_both_outputs_is_kept), TEST(arguments_are_never_read_by_a_shell),
    TEST(a_program_reads_its_input_to_the_end_and_nothing_where_there_is_none),
    TEST(a_program_that_a_signal_ends_has_128_and_the_signal_as_exit_code),
    TEST(a_program_that_is_not_there_is_named_with_the_reason), TEST(of_endless_talk_only_the_beginning_is_kept),
    TEST(the_first_folder_that_is_closed_to_an_account_is_found), TEST(an_account_that_does_not_exist_is_an_error_of_state))
