/*
 * unit.h -- a file of unit tests is a program: its tests, then UNIT_TESTS("room/module", test, test ...).
 * A test's name is a sentence that is true.  CUnit prints the result; the exit code is 1 on a failure.
 */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

struct unit_test {
	const char *name;
	CU_TestFunc function;
};

#define TEST(function)                                                                                                           \
	{                                                                                                                        \
#function, function                                                                                              \
	}

#define UNIT_TESTS(suite, ...)                                                                                                   \
	int main(void)                                                                                                           \
	{                                                                                                                        \
		static const struct unit_test tests[] = {__VA_ARGS__};                                                           \
		unsigned failed;                                                                                                 \
		CU_pSuite added;                                                                                                 \
                                                                                                                                 \
		if (CU_initialize_registry() != CUE_SUCCESS)                                                                     \
			return 1;                                                                                                \
		added = CU_add_suite(suite, NULL, NULL);                                                                         \
		for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)                                                      \
			if (CU_add_test(added, tests[i].name, tests[i].function) == NULL)                                        \
				return 1;                                                                                        \
		CU_basic_set_mode(CU_BRM_NORMAL);                                                                                \
		if (CU_basic_run_tests() != CUE_SUCCESS)                                                                         \
			return 1;                                                                                                \
		failed = CU_get_number_of_tests_failed();                                                                        \
		CU_cleanup_registry();                                                                                           \
		return failed > 0;                                                                                               \
	}

/* Like CU_ASSERT_STRING_EQUAL, but shows both texts when they differ. */
#define EXPECT_TEXT(got, wanted)                                                                                                 \
	do {                                                                                                                     \
		const char *got_text = (got), *wanted_text = (wanted);                                                           \
		if (strcmp(got_text, wanted_text) != 0)                                                                          \
			printf("\n    %s:%d: got \"%s\", wanted \"%s\"\n", __FILE__, __LINE__, got_text, wanted_text);           \
		CU_ASSERT_STRING_EQUAL(got_text, wanted_text);                                                                   \
	} while (0)

#endif
