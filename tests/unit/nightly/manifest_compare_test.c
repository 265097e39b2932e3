/* manifest_compare_test.c -- differences of manifests, as lines "path: a -> b". */
#include "nightly/manifest_compare.h"

#include "tests/support/unit.h"

static void
note(void *context, const char *path, const char *a, const char *b)
{
	text_add_format(context, "%s: %s -> %s\n", path, a == NULL ? "nothing" : a, b == NULL ? "nothing" : b);
}

static struct bytes
bytes_of(const char *json)
{
	return (struct bytes){json, strlen(json)};
}

static void
expect_differences(const char *a, const char *b, const char *wanted)
{
	struct text got = {0};
	struct error err = {0};

	CU_ASSERT_TRUE(manifest_compare(bytes_of(a), bytes_of(b), note, &got, &err));
	EXPECT_TEXT(text_string(&got), wanted);
	text_release(&got);
}

static void
equal_manifests_do_not_differ_in_whatever_order_their_keys_are(void)
{
	expect_differences("{\"run\": 1, \"night\": \"x\"}", "{\"night\": \"x\", \"run\": 1}", "");
}

static void
a_value_that_is_another_is_told_with_its_path(void)
{
	expect_differences("{\"inputs\": {\"counts\": {\"records\": 5, \"accepted\": 4}}}",
	    "{\"inputs\": {\"counts\": {\"records\": 6, \"accepted\": 4}}}", "inputs.counts.records: 5 -> 6\n");
	expect_differences("{\"outcome\": \"done\"}", "{\"outcome\": null}", "outcome: \"done\" -> null\n");
}

static void
timing_and_digest_are_left_out(void)
{
	expect_differences(
	    "{\"digest\": \"a\", \"timing\": {\"attempts\": 1}}", "{\"digest\": \"b\", \"timing\": {\"attempts\": 2}}", "");
}

static void
items_of_lists_are_known_by_name_and_not_by_place(void)
{
	expect_differences(
	    "{\"totals\": [{\"currency\": \"EUR\", \"net\": \"1.00\"}, {\"currency\": \"USD\", \"net\": \"2.00\"}]}",
	    "{\"totals\": [{\"currency\": \"CHF\", \"net\": \"9.00\"}, {\"currency\": \"EUR\", \"net\": \"1.50\"}, "
	    "{\"currency\": \"USD\", "
	    "\"net\": \"2.00\"}]}",
	    "totals[EUR].net: \"1.00\" -> \"1.50\"\n"
	    "totals[CHF]: nothing -> {\"currency\": \"CHF\", \"net\": \"9.00\"}\n");
}

static void
a_name_may_have_several_parts_and_numbers_in_it(void)
{
	expect_differences(
	    "{\"inputs\": {\"kafka\": [{\"cluster\": \"c\", \"topic\": \"t\", \"partition\": 3, \"from\": 0, \"to\": 7}]}}",
	    "{\"inputs\": {\"kafka\": [{\"cluster\": \"c\", \"topic\": \"t\", \"partition\": 3, \"from\": 0, \"to\": 8}]}}",
	    "inputs.kafka[c t 3 0].to: 7 -> 8\n");
}

static void
items_of_one_name_are_told_apart_by_their_place(void)
{
	expect_differences("{\"held\": [{\"reason\": \"r\", \"holds\": 1}, {\"reason\": \"r\", \"holds\": 2}]}",
	    "{\"held\": [{\"reason\": \"r\", \"holds\": 1}, {\"reason\": \"r\", \"holds\": 3}]}", "held[r][1].holds: 2 -> 3\n");
}

static void
a_list_without_names_is_compared_by_place(void)
{
	expect_differences("{\"list\": [1, 2]}", "{\"list\": [1, 3, 4]}", "list[1]: 2 -> 3\nlist[2]: nothing -> 4\n");
}

static void
what_is_no_json_is_refused_and_says_which(void)
{
	struct text got = {0};
	struct error err = {0};

	CU_ASSERT_FALSE(manifest_compare(bytes_of("{}"), bytes_of("{"), note, &got, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	EXPECT_TEXT(err.file, "manifest B");
	text_release(&got);
}

UNIT_TESTS("nightly/manifest_compare", TEST(equal_manifests_do_not_differ_in_whatever_order_their_keys_are),
    TEST(a_value_that_is_another_is_told_with_its_path), TEST(timing_and_digest_are_left_out),
    TEST(items_of_lists_are_known_by_name_and_not_by_place), TEST(a_name_may_have_several_parts_and_numbers_in_it),
    TEST(items_of_one_name_are_told_apart_by_their_place), TEST(a_list_without_names_is_compared_by_place),
    TEST(what_is_no_json_is_refused_and_says_which))
