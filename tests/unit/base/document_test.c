/* document_test.c -- where a value stands in a document: worked examples, and documents by chance against a slow walk. */
#include "base/document.h"

#include <stdlib.h>

#include "tests/support/unit.h"

enum { DOCUMENTS = 400, LEVELS = 5, DEEP = 2000 };

/* `path` leads to this line and column. */
static void
expect_where(const char *json, const char *path, size_t line, size_t column)
{
	size_t got_line = 0, got_column = 0;

	CU_ASSERT_TRUE(document_where(json, strlen(json), path, &got_line, &got_column));
	if (got_line != line || got_column != column)
		printf("\n    \"%s\" in %s: got %zu:%zu, wanted %zu:%zu\n", path, json, got_line, got_column, line, column);
	CU_ASSERT_EQUAL(got_line, line);
	CU_ASSERT_EQUAL(got_column, column);
}

static void
a_path_leads_to_the_line_and_column_of_its_value(void)
{
	static const char book[] = "{\n"
				   "  \"rules\": [\n"
				   "    {\"model\": \"a\"},\n"
				   "    {\"model\": \"b\", \"prices\": {\"requests\": {\"steps\": [\n"
				   "      {\"up_to\": 5, \"price\": \"2\"},\n"
				   "      {\"price\": \"1\"}\n"
				   "    ]}}}\n"
				   "  ]\n"
				   "}\n";

	expect_where(book, "", 1, 1);
	expect_where(book, "rules", 2, 12);
	expect_where(book, "rules[0]", 3, 5);
	expect_where(book, "rules[0].model", 3, 15);
	expect_where(book, "rules[1].prices.requests.steps[0].price", 5, 29);
	expect_where(book, "rules[1].prices.requests.steps[1]", 6, 7);
	expect_where(book, "rules[1].prices.requests.steps[1].price", 6, 17);
}

static void
what_is_not_there_is_told_at_the_last_value_on_the_way(void)
{
	static const char json[] = "{\"rules\": [{\"model\": \"a\"},\n {\"prices\": {}}]}";

	expect_where(json, "effective", 1, 1);
	expect_where(json, "rules[1].model", 2, 2);
	expect_where(json, "rules[1].prices.requests", 2, 13);
	expect_where(json, "rules[1].inherit.plus", 2, 2);
	expect_where(json, "rules[2]", 1, 11);
	expect_where(json, "rules[99999999999999999999]", 1, 11);
	expect_where(json, "rules[]", 1, 11);
	expect_where(json, "rules[0].model.deeper", 1, 22);
	expect_where(json, "rul", 1, 1);
	expect_where(json, "[0]", 1, 1);
}

static void
a_list_or_a_single_value_may_be_the_root(void)
{
	expect_where("[[1, 2], [3,\n [4, 5]]]", "[1][1][1]", 2, 6);
	expect_where(" 12 ", "", 1, 2);
	expect_where("\n\"text\"", "", 2, 1);
}

static void
escaped_keys_are_compared_by_what_they_mean(void)
{
	expect_where("{\"caf\\u00e9\": 1}", "caf\xc3\xa9", 1, 15);
	expect_where("{\"caf\\u00E9\": 1}", "caf\xc3\xa9", 1, 15);
	expect_where("{\"a\\\"b\\\\c\\/d\": 1}", "a\"b\\c/d", 1, 16);
	expect_where("{\"\\b\\f\\n\\r\\t\": 1}", "\b\f\n\r\t", 1, 16);
	expect_where("{\"\\u20ac\": 1}", "\xe2\x82\xac", 1, 12);
	expect_where("{\"\\ud83d\\ude00\": 1}", "\xf0\x9f\x98\x80", 1, 18);
	expect_where("{\"u00e9\": 1, \"\\u0061\": 2}", "a", 1, 24);
	/* a quote or bracket inside a text ends nothing */
	expect_where("{\"x\": \"}]\\\\\\\"\", \"y\": 2}", "y", 1, 22);
}

static void
columns_count_code_points_and_line_ends_may_be_of_two_bytes(void)
{
	expect_where("{\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\": 1, \"b\": 2}", "b", 1, 17);
	expect_where("{\r\n\t\"a\": 1,\r\n\t\t\"b\": 2\r\n}", "a", 2, 7);
	expect_where("{\r\n\t\"a\": 1,\r\n\t\t\"b\": 2\r\n}", "b", 3, 8);
}

static void
keys_may_have_dots_and_brackets_in_them(void)
{
	static const char aliases[] = "{\"aliases\": {\"gpt-4.1\": \"a\", \"gpt-4.1[x].y\": \"b\", \"gpt-4\": \"c\"}}";

	expect_where(aliases, "aliases.gpt-4.1", 1, 25);
	expect_where(aliases, "aliases.gpt-4.1[x].y", 1, 46);
	expect_where(aliases, "aliases.gpt-4", 1, 60);
	expect_where(aliases, "aliases.gpt-4.2", 1, 60);
	expect_where("{\"a[0]\": 1, \"a\": [2]}", "a[0]", 1, 10);
}

static void
of_several_ways_the_one_that_leads_furthest_is_taken(void)
{
	expect_where("{\"a\": {\"b\": 1}, \"a.b\": 2}", "a.b", 1, 24);
	expect_where("{\"a.b\": 2, \"a\": {\"b\": 1}}", "a.b", 1, 9);
	expect_where("{\"a\": {\"b\": {\"c\": 1}}, \"a.b\": 2}", "a.b.c", 1, 19);
	expect_where("{\"a.b\": 2, \"a\": {\"b\": {\"c\": 1}}}", "a.b.c", 1, 29);
	expect_where("{\"a\": {\"b\": {\"c\": 1}}, \"a.b\": {\"c\": 3}}", "a.b.c", 1, 37);
	expect_where("{\"a\": {\"b.c\": 1}, \"a.b\": {\"c\": 3}}", "a.b.c", 1, 32);
	expect_where("{\"a\": {}, \"a.b\": {}}", "a.b.c", 1, 18);
}

static void
deep_documents_are_walked_and_deeper_ones_refused(void)
{
	struct text json = {0}, path = {0};
	struct error err;
	size_t line, column;
	json_t *root;

	for (int i = 0; i < DEEP; i++) {
		text_add_string(&json, "[");
		text_add_string(&path, "[0]");
	}
	text_add_string(&json, "7");
	for (int i = 0; i < DEEP; i++)
		text_add_string(&json, "]");
	root = document_parse(json.bytes, json.length, "deep.json", &err);
	CU_ASSERT_PTR_NOT_NULL(root);
	json_decref(root);
	CU_ASSERT_TRUE(document_where(json.bytes, json.length, text_string(&path), &line, &column));
	CU_ASSERT_EQUAL(column, DEEP + 1);
	text_clear(&json);
	for (int i = 0; i < 100 * DEEP; i++)
		text_add_string(&json, "[");
	CU_ASSERT_PTR_NULL(document_parse(json.bytes, json.length, "deep.json", &err));
	CU_ASSERT_FALSE(document_where(json.bytes, json.length, text_string(&path), &line, &column));
	text_release(&json);
	text_release(&path);
}

static void
bytes_that_are_no_json_are_nowhere(void)
{
	static const char *const broken[] = {"", " ", "{", "[", "{\"a\"", "{\"a\":", "{\"a\": 1", "{\"a\": 1,", "[1", "[1,",
	    "[1 2]", "{\"a\" 1}", "{a: 1}", "\"", "\"\\", "\"\\u", "\"\\u00g0\"", "\"\\ud83d\"", "\"\\ud83d\\n\"", "]", "[,]"};
	size_t line, column;

	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
		CU_ASSERT_FALSE(document_where(broken[i], strlen(broken[i]), "a", &line, &column));
}

/* --- by chance ------------------------------------------------------------------------------- */

static uint64_t state;

static size_t
chance(size_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(state >> 33) % below;
}

static json_t *
random_value(int depth)
{
	static const char *const keys[] = {"a", "b", "a.b", "b.a", "a[0]", "a[1].b", "[0]", ".", "a.", "\xc3\xa9",
	    "\xf0\x9f\x98\x80", "\"", "\\", "/", "\n", "rules", "rule", "0"};
	size_t kind = depth == 0 ? chance(3) : depth == LEVELS ? 3 + chance(4) : chance(7), count = chance(5);
	json_t *made;

	if (kind == 0)
		return json_integer((json_int_t)chance(1000000));
	if (kind == 1)
		return json_string(keys[chance(sizeof keys / sizeof keys[0])]);
	if (kind == 2)
		return chance(2) == 0 ? json_true() : json_null();
	made = kind < 4 ? json_array() : json_object();
	for (size_t i = 0; i < count; i++) {
		if (kind < 4)
			json_array_append_new(made, random_value(depth - 1));
		else
			json_object_set_new(made, keys[chance(sizeof keys / sizeof keys[0])], random_value(depth - 1));
	}
	return made;
}

/* The obvious way: the value that all of `rest` names, every key tried, longer ones first; NULL where there is none. */
static const json_t *
walk(const json_t *value, const char *rest, bool is_root)
{
	size_t longest = SIZE_MAX;

	if (*rest == '\0')
		return value;
	if (json_is_array(value)) {
		char *behind = NULL;
		size_t index = rest[0] == '[' && rest[1] >= '0' && rest[1] <= '9' ? strtoul(rest + 1, &behind, 10) : 0;

		return behind == NULL || *behind != ']' || index >= json_array_size(value)
		    ? NULL
		    : walk(json_array_get(value, index), behind + 1, false);
	}
	if (!json_is_object(value) || (!is_root && *rest++ != '.'))
		return NULL;
	for (;;) {
		const json_t *best = NULL, *found;
		size_t best_length = 0;
		void *at;

		for (at = json_object_iter((json_t *)(uintptr_t)value); at != NULL;
		     at = json_object_iter_next((json_t *)(uintptr_t)value, at)) {
			const char *key = json_object_iter_key(at);
			size_t length = strlen(key);

			if (length < longest && length > best_length && strncmp(key, rest, length) == 0) {
				best = json_object_iter_value(at);
				best_length = length;
			}
		}
		if (best == NULL)
			return NULL;
		found = walk(best, rest + best_length, false);
		if (found != NULL)
			return found;
		longest = best_length;
	}
}

static size_t
offset_of(const struct text *json, size_t line, size_t column)
{
	size_t at = 0;

	while (line > 1)
		line -= json->bytes[at++] == '\n';
	while (column > 1)
		column -= ((unsigned char)json->bytes[++at] & 0xc0) != 0x80;
	return at;
}

/* What stands where the path leads is what the slow walk finds. */
static void
expect_value(const struct text *json, const json_t *root, const char *path)
{
	const json_t *wanted = walk(root, path, true);
	size_t line = 0, column = 0, at;
	json_t *got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(wanted);
	CU_ASSERT_TRUE_FATAL(document_where(json->bytes, json->length, path, &line, &column));
	at = offset_of(json, line, column);
	got = json_loadb(json->bytes + at, json->length - at, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
	if (!json_equal(got, wanted))
		printf("\n    \"%s\" leads to %zu:%zu in %s\n", path, line, column, json->bytes);
	CU_ASSERT_TRUE(json_equal(got, wanted));
	json_decref(got);
}

static size_t
expect_every_value(const struct text *json, const json_t *root, json_t *value, const char *path)
{
	size_t count = 1, i;
	char field[512];
	const char *key;
	json_t *inner;

	expect_value(json, root, path);
	if (json_is_array(value))
		json_array_foreach(value, i, inner)
		{
			snprintf(field, sizeof field, "%s[%zu]", path, i);
			count += expect_every_value(json, root, inner, field);
		}
	else if (json_is_object(value))
		json_object_foreach(value, key, inner) count +=
		    expect_every_value(json, root, inner, document_path(field, sizeof field, path, key));
	return count;
}

static void
every_path_of_a_document_leads_to_its_value(void)
{
	static const size_t forms[] = {
	    JSON_COMPACT, JSON_INDENT(1), JSON_INDENT(4) | JSON_ENSURE_ASCII, JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH, 0};
	size_t values = 0;

	for (uint64_t seed = 1; seed <= DOCUMENTS; seed++) {
		json_t *root;
		struct text json = {0};
		char *dumped;

		state = seed;
		root = random_value(LEVELS);
		dumped = json_dumps(root, forms[seed % 5] | JSON_ENCODE_ANY);
		text_add_string(&json, dumped);
		values += expect_every_value(&json, root, root, "");
		free(dumped);
		text_release(&json);
		json_decref(root);
	}
	CU_ASSERT_TRUE(values > DOCUMENTS * 10);
}

/* --- refusing -------------------------------------------------------------------------------- */

static void
a_refusal_names_line_and_column(void)
{
	static const char json[] = "{\n  \"currency\": \"usd\"\n}";
	struct error err;
	struct document document = {"book.json", &err, json, strlen(json)};
	json_t *root = document_parse(json, strlen(json), "book.json", &err);

	CU_ASSERT_FALSE(document_refuse(&document, "currency", json_object_get(root, "currency"), "no currency"));
	CU_ASSERT_EQUAL(err.line, 2);
	CU_ASSERT_EQUAL(err.column, 15);
	CU_ASSERT_FALSE(DOCUMENT_KEYS(&document, root, "", "book"));
	CU_ASSERT_EQUAL(err.line, 2);
	(void)error_set(&err, ERROR_INPUT, "told elsewhere");
	CU_ASSERT_FALSE(document_at(&document, "currency"));
	EXPECT_TEXT(err.file, "book.json");
	CU_ASSERT_EQUAL(err.column, 15);
	document.bytes = NULL;
	CU_ASSERT_FALSE(document_refuse(&document, "currency", json_object_get(root, "currency"), "no currency"));
	CU_ASSERT_EQUAL(err.line, 0);
	CU_ASSERT_EQUAL(err.column, 0);
	json_decref(root);
}

static void
what_is_no_json_is_refused_where_reading_stopped(void)
{
	struct error err;

	CU_ASSERT_PTR_NULL(document_parse("{\n  \"a\": ?}", 11, "book.json", &err));
	CU_ASSERT_EQUAL(err.line, 2);
	CU_ASSERT_EQUAL(err.column, 8);
}

UNIT_TESTS("base/document", TEST(a_path_leads_to_the_line_and_column_of_its_value),
    TEST(what_is_not_there_is_told_at_the_last_value_on_the_way), TEST(a_list_or_a_single_value_may_be_the_root),
    TEST(escaped_keys_are_compared_by_what_they_mean), TEST(columns_count_code_points_and_line_ends_may_be_of_two_bytes),
    TEST(keys_may_have_dots_and_brackets_in_them), TEST(of_several_ways_the_one_that_leads_furthest_is_taken),
    TEST(deep_documents_are_walked_and_deeper_ones_refused), TEST(bytes_that_are_no_json_are_nowhere),
    TEST(every_path_of_a_document_leads_to_its_value), TEST(a_refusal_names_line_and_column),
    TEST(what_is_no_json_is_refused_where_reading_stopped))
