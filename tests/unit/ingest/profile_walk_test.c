/* profile_walk_test.c -- paths into a tree, and a document into slots. */
#include "ingest/profile_parts.h"

#include <stdlib.h>

#include "tests/support/unit.h"

enum { A, B, C, D, E, SLOTS };

/* A tree of up to five paths, and what a document says of them. */
struct walked {
	struct arena arena;
	struct node *tree;
	struct slot slots[SLOTS];
	size_t count;
	struct found_values found;
	struct json_reader reader;
};

static struct walked *
walked_new(void)
{
	return memory_new(1, sizeof(struct walked));
}

static void
walked_free(struct walked *walked)
{
	arena_release(&walked->arena);
	free(walked);
}

static void
add_below(struct walked *walked, const char *prefix, const char *path, enum slot_kind kind)
{
	const char *problem = "";

	walked->slots[walked->count] = (struct slot){path, kind, true};
	if (!profile_path_add(
		&walked->arena, &walked->tree, prefix, path, (short)walked->count, &walked->slots[walked->count], &problem))
		printf("\n    %s: %s\n", path, problem);
	CU_ASSERT_STRING_EQUAL(problem, "");
	walked->count++;
}

static void
add(struct walked *walked, const char *path)
{
	add_below(walked, "", path, SLOT_VALUE);
}

static void
watch(struct walked *walked, const char *path)
{
	const char *problem;

	CU_ASSERT(profile_path_watch(&walked->arena, &walked->tree, "", path, &problem));
}

static bool
walk_length(struct walked *walked, const char *document, size_t length)
{
	struct json_value top;

	CU_ASSERT(profile_tree_settle(&walked->arena, walked->tree));
	json_begin(&walked->reader, document, length, 0, &walked->arena);
	json_allow_depth(&walked->reader, JSON_DEPTH_MOST);
	if (json_value(&walked->reader, &top))
		profile_walk(walked->tree, &walked->reader, &top, &walked->found);
	return json_end(&walked->reader);
}

static void
walk(struct walked *walked, const char *document)
{
	bool fine = walk_length(walked, document, strlen(document));

	if (!fine)
		printf("\n    %s: %s\n", document, walked->reader.problem);
	CU_ASSERT(fine);
}

/* The text of a slot; "-" where it is not set. */
static const char *
text_in(struct walked *walked, const struct values *values, short slot)
{
	if (!value_is_set(values, slot))
		return "-";
	return arena_copy(&walked->arena, values->value[slot].text.at, values->value[slot].text.length);
}

#define EXPECT_SLOT(walked, slot, wanted) EXPECT_TEXT(text_in(walked, &(walked)->found.top, slot), wanted)

static void
a_path_leads_through_objects_to_a_scalar(void)
{
	struct walked *walked = walked_new();

	add(walked, "model");
	add(walked, "usage/prompt_tokens");
	add(walked, "usage/prompt_tokens_details/cached_tokens");
	add(walked, "usage/none");
	walk(walked,
	    "{\"id\":\"x\",\"model\":\"m-1\",\"choices\":[{\"message\":{\"model\":\"no\"}}],"
	    "\"usage\":{\"prompt_tokens\":10,\"prompt_tokens_details\":{\"audio_tokens\":0,\"cached_tokens\":4},\"none\":null}}");
	EXPECT_SLOT(walked, A, "m-1");
	EXPECT_SLOT(walked, B, "10");
	EXPECT_SLOT(walked, C, "4");
	EXPECT_SLOT(walked, D, "-");
	CU_ASSERT(value_is_seen(&walked->found.top, D));
	walk(walked, "{\"usage\":null}");
	EXPECT_SLOT(walked, A, "-");
	EXPECT_SLOT(walked, B, "-");
	CU_ASSERT(!value_is_seen(&walked->found.top, D));
	walked_free(walked);
}

/* Keys of 1 to 40 bytes, two of each length that differ in one byte: in the first, a middle or the last one. */
static void
a_key_is_found_by_all_of_its_bytes(void)
{
	struct walked *walked = walked_new();
	struct text document = {0};
	char key[41], other[41];

	for (int length = 1; length <= 40; length++)
		for (int place = 0; place < 3; place++) {
			memset(key, 'k', sizeof key);
			key[length] = '\0';
			memcpy(other, key, sizeof key);
			other[place == 0 ? 0 : place == 1 ? length / 2 : length - 1] = 'x';
			walked->tree = NULL;
			walked->count = 0;
			add(walked, key);
			text_clear(&document);
			text_add_format(&document, "{\"%s\":1,\"%s\":2,\"%sk\":3}", other, key, key);
			walk(walked, text_string(&document));
			EXPECT_SLOT(walked, A, "2");
		}
	text_release(&document);
	walked_free(walked);
}

static void
many_keys_of_one_object_are_told_apart(void)
{
	enum { KEYS = 200 };
	struct walked *walked = walked_new();
	struct text document = {0};
	char path[32];
	const char *problem;

	for (short i = 0; i < KEYS; i++) {
		static const struct slot slot = {"", SLOT_VALUE, false};

		snprintf(path, sizeof path, "key_%d", i * 7);
		CU_ASSERT(profile_path_add(&walked->arena, &walked->tree, "", path, i, &slot, &problem));
		text_add_format(&document, "%c\"key_%d\":%d", i == 0 ? '{' : ',', i * 7, i);
	}
	text_add_string(&document, "}");
	walk(walked, text_string(&document));
	for (short i = 0; i < KEYS; i++) {
		snprintf(path, sizeof path, "%d", i);
		EXPECT_SLOT(walked, i, path);
	}
	text_release(&document);
	walked_free(walked);
}

static void
a_key_with_an_escape_is_the_same_key(void)
{
	struct walked *walked = walked_new();

	add(walked, "usage/prompt_tokens");
	add(walked, "a~1b/c~0d");
	walk(walked, "{\"us\\u0061ge\":{\"prompt\\u005ftokens\":7},\"a\\/b\":{\"c~d\":\"x\\u00e9\"}}");
	EXPECT_SLOT(walked, A, "7");
	EXPECT_SLOT(walked, B, "x\xc3\xa9");
	walked_free(walked);
}

static void
of_several_values_the_first_that_is_not_null_is_taken_and_another_one_is_a_conflict(void)
{
	struct walked *walked = walked_new();

	add(walked, "list/[]/n");
	walk(walked, "{\"list\":[{\"n\":null},{\"n\":5}]}");
	EXPECT_SLOT(walked, A, "5");
	CU_ASSERT_EQUAL(walked->found.top.conflict[0], 0);
	/* Two items are two counts, though they are equal. */
	walk(walked, "{\"list\":[{\"n\":5},{\"n\":5}]}");
	CU_ASSERT_EQUAL(walked->found.top.conflict[0], 1);
	walk(walked, "{\"list\":[{\"n\":5},{\"n\":6}]}");
	EXPECT_SLOT(walked, A, "5");
	CU_ASSERT_EQUAL(walked->found.top.conflict[0], 1);
	walk(walked, "{\"list\":[{\"n\":5},{\"n\":\"5\"}]}");
	CU_ASSERT_EQUAL(walked->found.top.conflict[0], 1);
	walk(walked, "{}");
	CU_ASSERT_EQUAL(walked->found.top.conflict[0], 0);
	walked_free(walked);
}

static void
an_index_is_one_item_and_a_star_is_each_member(void)
{
	struct walked *walked = walked_new();

	add(walked, "choices/[0]/finish");
	add(walked, "choices/[2]/finish");
	add_below(walked, "", "choices/[]/finish", SLOT_COUNT);
	add_below(walked, "", "models/*/tokens", SLOT_COUNT);
	add(walked, "models/b/tokens");
	walk(walked,
	    "{\"choices\":[{\"finish\":\"a\"},{\"finish\":null},{\"finish\":\"c\"}],"
	    "\"models\":{\"a\":{\"tokens\":1},\"b\":{\"tokens\":2},\"c\":3}}");
	EXPECT_SLOT(walked, A, "a");
	EXPECT_SLOT(walked, B, "c");
	CU_ASSERT_EQUAL(walked->found.top.count[C], 2);
	CU_ASSERT_EQUAL(walked->found.top.count[D], 2);
	EXPECT_SLOT(walked, E, "2");
	walked_free(walked);
}

static void
a_wider_path_leads_on_where_a_narrower_one_does_too(void)
{
	struct walked *walked = walked_new();

	add(walked, "list/[]/a/x");
	add(walked, "list/[0]/a/y");
	add(walked, "map/*/n/[]/x");
	add(walked, "map/k/n/[1]/y");
	add_below(walked, "", "map/*/n", SLOT_COUNT);
	walk(walked,
	    "{\"list\":[{\"a\":{\"x\":null,\"y\":1}},{\"a\":{\"x\":2,\"y\":3}}],"
	    "\"map\":{\"k\":{\"n\":[{},{\"x\":4,\"y\":5}]},\"l\":{\"n\":[{\"x\":4},{\"y\":6}]}}}");
	EXPECT_SLOT(walked, A, "2");
	EXPECT_SLOT(walked, B, "1");
	EXPECT_SLOT(walked, C, "4");
	EXPECT_SLOT(walked, D, "5");
	CU_ASSERT_EQUAL(walked->found.top.count[E], 2);
	walked_free(walked);
}

/* 64 paths of 64 steps, each with [0] in another place: all ways of choosing [0] or another item would be 2^64 nodes. */
static void
a_tree_that_would_grow_by_powers_is_refused(void)
{
	struct arena arena = {0};
	struct node *tree = NULL;
	struct text path = {0};
	const char *problem;

	for (int i = 0; i < 64; i++) {
		text_clear(&path);
		for (int step = 0; step < 64; step++)
			text_add_format(&path, "%s%s", step > 0 ? "/" : "", step == i ? "[0]" : "[]");
		CU_ASSERT(profile_path_add(&arena, &tree, "", text_string(&path), NO_SLOT, NULL, &problem));
	}
	CU_ASSERT(!profile_tree_settle(&arena, tree));
	text_release(&path);
	arena_release(&arena);
}

static void
an_item_is_chosen_by_its_member_wherever_that_stands(void)
{
	static const char *const documents[] = {
	    "{\"attributes\":[{\"key\":\"other\",\"value\":{\"intValue\":\"1\"}},{\"key\":\"tokens\",\"value\":{\"intValue\":"
	    "\"10\"}}]}",
	    "{\"attributes\":[{\"value\":{\"intValue\":\"10\"},\"key\":\"tokens\"},{\"value\":{\"intValue\":\"1\"}}]}",
	    "{\"attributes\":[3,null,[1],{\"key\":{\"key\":\"tokens\"}},{\"k\":1,\"key\":\"tokens\",\"value\":{\"intValue\":"
	    "\"10\"}}]}",
	};
	struct walked *walked = walked_new();

	add(walked, "attributes/[key=tokens]/value/intValue");
	for (size_t i = 0; i < 3; i++) {
		walk(walked, documents[i]);
		EXPECT_SLOT(walked, A, "10");
	}
	walk(walked, "{\"attributes\":[{\"key\":\"token\",\"value\":{\"intValue\":\"10\"}}]}");
	EXPECT_SLOT(walked, A, "-");
	walked_free(walked);
}

static void
items_may_be_chosen_by_several_members_and_by_their_place_at_once(void)
{
	struct walked *walked = walked_new();

	add(walked, "list/[a=x]/n");
	add(walked, "list/[b=y]/n");
	add(walked, "list/[1]/n");
	add(walked, "list/[a=x]/a");
	add(walked, "list/[ok=true]/[0]");
	walk(walked, "{\"list\":[{\"b\":\"y\",\"n\":1},{\"a\":\"x\",\"n\":2,\"b\":\"z\"},{\"ok\":true}]}");
	EXPECT_SLOT(walked, A, "2");
	EXPECT_SLOT(walked, B, "1");
	EXPECT_SLOT(walked, C, "2");
	EXPECT_SLOT(walked, D, "x");
	EXPECT_SLOT(walked, E, "-");
	walked_free(walked);
}

static void
an_object_can_choose_paths_for_itself(void)
{
	struct walked *walked = walked_new();

	add(walked, "[type=input]/tokens");
	add(walked, "[type=output]/tokens");
	add(walked, "payload/[kind=a]/value");
	walk(walked, "{\"tokens\":12,\"type\":\"input\",\"payload\":{\"kind\":\"a\",\"value\":\"3\"}}");
	EXPECT_SLOT(walked, A, "12");
	EXPECT_SLOT(walked, B, "-");
	EXPECT_SLOT(walked, C, "3");
	walked_free(walked);
}

static void
objects_counts_and_raw_texts_are_kept_as_such(void)
{
	struct walked *walked = walked_new();

	add_below(walked, "", "usage", SLOT_OBJECT);
	add_below(walked, "", "usage", SLOT_RAW);
	add_below(walked, "", "text", SLOT_RAW);
	add_below(walked, "", "list/[]", SLOT_COUNT);
	add(walked, "usage");
	walk(walked, "{ \"usage\" : { \"n\" : 1 } , \"text\" : \"a\\u00e9\" , \"list\" : [1, null, [], {}] }");
	CU_ASSERT(value_is_set(&walked->found.top, A));
	EXPECT_SLOT(walked, B, "{ \"n\" : 1 }");
	EXPECT_SLOT(walked, C, "\"a\\u00e9\"");
	CU_ASSERT_EQUAL(walked->found.top.count[D], 3);
	CU_ASSERT_EQUAL(walked->found.top.value[E].type, VALUE_OBJECT);
	walk(walked, "{\"usage\":3,\"text\":null,\"list\":[]}");
	CU_ASSERT(!value_is_set(&walked->found.top, A) && value_is_seen(&walked->found.top, A));
	EXPECT_SLOT(walked, B, "3");
	EXPECT_SLOT(walked, C, "-");
	EXPECT_SLOT(walked, D, "-");
	walked_free(walked);
}

static void
a_payload_may_stand_in_several_places_and_a_path_may_begin_at_the_top(void)
{
	struct walked *walked = walked_new();

	add_below(walked, "event", "n", SLOT_VALUE);
	add_below(walked, "event", "^n", SLOT_VALUE);
	walk(walked, "{\"event\":{\"n\":1,\"event\":{\"n\":3}},\"n\":2}");
	EXPECT_SLOT(walked, A, "1");
	EXPECT_SLOT(walked, B, "2");
	walked_free(walked);
}

static void
data_of_a_cloud_event_goes_into_the_other_bank(void)
{
	struct walked *walked = walked_new();

	add(walked, "id");
	add(walked, "usage/n");
	walked->count = C + 1;
	profile_path_data(&walked->arena, &walked->tree, C);
	walk(walked,
	    "{\"id\":\"outer\",\"data\":{\"id\":\"inner\",\"usage\":{\"n\":4},\"data\":{\"id\":\"deep\"}},\"usage\":{\"n\":9}}");
	EXPECT_SLOT(walked, A, "outer");
	EXPECT_SLOT(walked, B, "9");
	EXPECT_SLOT(walked, C, "{\"id\":\"inner\",\"usage\":{\"n\":4},\"data\":{\"id\":\"deep\"}}");
	EXPECT_TEXT(text_in(walked, &walked->found.data, A), "inner");
	EXPECT_TEXT(text_in(walked, &walked->found.data, B), "4");
	EXPECT_TEXT(text_in(walked, &walked->found.data, C), "{\"id\":\"deep\"}");
	walk(walked, "{\"id\":\"outer\",\"data\":\"data: {}\"}");
	EXPECT_SLOT(walked, C, "\"data: {}\"");
	EXPECT_TEXT(text_in(walked, &walked->found.data, A), "-");
	walked_free(walked);
}

static void
data_may_have_paths_of_its_own_beside_being_a_payload(void)
{
	struct walked *walked = walked_new();

	add_below(walked, "", "data/[]", SLOT_COUNT);
	add(walked, "data/n");
	walked->count = C + 1;
	profile_path_data(&walked->arena, &walked->tree, C);
	walk(walked, "{\"data\":[1,2]}");
	CU_ASSERT_EQUAL(walked->found.top.count[A], 2);
	EXPECT_SLOT(walked, C, "[1,2]");
	walk(walked, "{\"data\":{\"n\":1,\"data\":[1,2,3]}}");
	EXPECT_SLOT(walked, B, "1");
	CU_ASSERT_EQUAL(walked->found.data.count[A], 3);
	EXPECT_SLOT(walked, C, "{\"n\":1,\"data\":[1,2,3]}");
	walked_free(walked);
}

static const char *
unknown_in(struct walked *walked, const char *document)
{
	walk(walked, document);
	return walked->found.top.unknown_count == NULL ? "-" : walked->found.top.unknown_count;
}

static void
a_number_that_no_path_names_is_told_where_counts_stand(void)
{
	struct walked *walked = walked_new();
	const char *problem;

	add(walked, "usage/n");
	watch(walked, "usage");
	CU_ASSERT(profile_path_add(&walked->arena, &walked->tree, "", "usage/cost", NO_SLOT, NULL, &problem));
	EXPECT_TEXT(unknown_in(walked, "{\"created\":7,\"usage\":{\"n\":1}}"), "-");
	EXPECT_TEXT(unknown_in(walked, "{\"usage\":{\"n\":1,\"m\":0,\"k\":0.0e9,\"l\":-3,\"t\":\"5\"}}"), "-");
	EXPECT_TEXT(unknown_in(walked, "{\"usage\":{\"n\":1,\"cost\":{\"x\":2},\"cost_2\":null}}"), "-");
	EXPECT_TEXT(unknown_in(walked, "{\"usage\":{\"m\":1,\"n\":1,\"k\":2}}"), "usage/m");
	EXPECT_TEXT(unknown_in(walked, "{\"usage\":{\"details\":{\"list\":[0,{\"m\":0.5}]},\"n\":1}}"), "usage/details");
	walked_free(walked);
}

static void
an_item_that_nothing_chooses_is_told_where_its_list_holds_counts(void)
{
	struct walked *walked = walked_new();

	add(walked, "details/[modality=TEXT]/n");
	watch(walked, "details");
	EXPECT_TEXT(unknown_in(walked, "{\"details\":[{\"modality\":\"TEXT\",\"n\":4}]}"), "-");
	EXPECT_TEXT(unknown_in(walked, "{\"details\":[{\"modality\":\"SMELL\",\"n\":0}]}"), "-");
	EXPECT_TEXT(
	    unknown_in(walked, "{\"details\":[{\"n\":4,\"modality\":\"SMELL\"},{\"modality\":\"TEXT\",\"n\":5}]}"), "details/[]");
	EXPECT_SLOT(walked, A, "5");
	walked_free(walked);
}

static void
what_is_passed_over_is_checked_all_the_same(void)
{
	static const struct {
		const char *document;
		size_t length;
		enum json_fault fault;
	} faults[] = {
	    {"{\"usage\":{\"n\":1},\"x\":{\"a\":1,\"\\u0061\":2}}", 0, JSON_FAULT_KEY_TWICE},
	    {"{\"usage\":{\"n\":1},\"usage\":{\"n\":1}}", 0, JSON_FAULT_KEY_TWICE},
	    {"{\"usage\":{\"n\":1,\"n\":1}}", 0, JSON_FAULT_KEY_TWICE},
	    {"{\"list\":[{\"k\":\"v\",\"n\":1,\"n\":2}]}", 0, JSON_FAULT_KEY_TWICE},
	    {"{\"list\":[{\"n\":1,\"k\":\"v\",\"n\":2}]}", 0, JSON_FAULT_KEY_TWICE},
	    {"{\"x\":\"\\ud800\"}", 0, JSON_FAULT_UTF8},
	    {"{\"x\":\"\xff\"}", 0, JSON_FAULT_UTF8},
	    {"{\"x\":\"\\u0000\"}", 0, JSON_FAULT_NUL},
	    {"{\"x\":\"a\0b\"}", 11, JSON_FAULT_SYNTAX},
	    {"{\"x\":NaN}", 0, JSON_FAULT_SYNTAX},
	    {"{\"usage\":{\"n\":01}}", 0, JSON_FAULT_SYNTAX},
	    {"{\"list\":[{\"k\":\"v\",\"n\":1", 0, JSON_FAULT_SYNTAX},
	    {"{\"list\":[{\"k\":\"w\"", 0, JSON_FAULT_SYNTAX},
	    {"{\"data\":{\"usage\":{\"n\":1}", 0, JSON_FAULT_SYNTAX},
	};
	struct walked *walked = walked_new();

	add(walked, "usage/n");
	add(walked, "list/[k=v]/n");
	add(walked, "list/[0]/n");
	watch(walked, "usage");
	profile_path_data(&walked->arena, &walked->tree, D);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		const char *document = faults[i].document;

		CU_ASSERT(!walk_length(walked, document, faults[i].length > 0 ? faults[i].length : strlen(document)));
		if (walked->reader.fault != faults[i].fault)
			printf("\n    %s gave %d\n", document, (int)walked->reader.fault);
		CU_ASSERT_EQUAL(walked->reader.fault, faults[i].fault);
	}
	walked_free(walked);
}

static void
sixty_four_levels_are_read_and_sixty_five_are_not(void)
{
	struct walked *walked = walked_new();
	struct text document = {0};

	add(walked, "a/a/a/n");
	watch(walked, "a");
	for (int levels = 64; levels <= 65; levels++) {
		text_clear(&document);
		for (int i = 0; i < levels; i++)
			text_add_string(&document, "{\"a\":");
		text_add_string(&document, "1");
		for (int i = 0; i < levels; i++)
			text_add_string(&document, "}");
		CU_ASSERT_EQUAL(walk_length(walked, text_string(&document), document.length), levels == 64);
	}
	CU_ASSERT_EQUAL(walked->reader.fault, JSON_FAULT_DEPTH);
	EXPECT_TEXT(walked->reader.problem, "more than 64 levels");
	text_release(&document);
	walked_free(walked);
}

static void
a_text_that_is_no_path_is_refused_with_the_reason(void)
{
	static const char *const wrong[][2] = {
	    {"a//b", "a step without a name"},
	    {"a/", "a step without a name"},
	    {"/a", "a step without a name"},
	    {"a/[", "a [ without its ]; a / in brackets is ~1"},
	    {"a/[k=b/c]", "a [ without its ]; a / in brackets is ~1"},
	    {"a/[x]", "brackets that are not [], [0] or [key=value]"},
	    {"a/[16]", "an index above 15"},
	    {"a/[99999999999999999999]", "an index above 15"},
	    {"a/[=v]", "[key=value] without its key or its value"},
	    {"a/[k=]", "[key=value] without its key or its value"},
	    {"a~2", "a ~ that is neither ~0 (for ~) nor ~1 (for /)"},
	    {"a~", "a ~ that is neither ~0 (for ~) nor ~1 (for /)"},
	};
	struct arena arena = {0};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct node *tree = NULL;
		const char *problem = "";

		CU_ASSERT(!profile_path_add(&arena, &tree, "", wrong[i][0], NO_SLOT, NULL, &problem));
		EXPECT_TEXT(problem, wrong[i][1]);
	}
	arena_release(&arena);
}

UNIT_TESTS("ingest/profile_walk", TEST(a_path_leads_through_objects_to_a_scalar), TEST(a_key_is_found_by_all_of_its_bytes),
    TEST(many_keys_of_one_object_are_told_apart), TEST(a_key_with_an_escape_is_the_same_key),
    TEST(of_several_values_the_first_that_is_not_null_is_taken_and_another_one_is_a_conflict),
    TEST(an_index_is_one_item_and_a_star_is_each_member), TEST(a_wider_path_leads_on_where_a_narrower_one_does_too),
    TEST(a_tree_that_would_grow_by_powers_is_refused), TEST(an_item_is_chosen_by_its_member_wherever_that_stands),
    TEST(items_may_be_chosen_by_several_members_and_by_their_place_at_once), TEST(an_object_can_choose_paths_for_itself),
    TEST(objects_counts_and_raw_texts_are_kept_as_such),
    TEST(a_payload_may_stand_in_several_places_and_a_path_may_begin_at_the_top),
    TEST(data_of_a_cloud_event_goes_into_the_other_bank), TEST(data_may_have_paths_of_its_own_beside_being_a_payload),
    TEST(a_number_that_no_path_names_is_told_where_counts_stand),
    TEST(an_item_that_nothing_chooses_is_told_where_its_list_holds_counts), TEST(what_is_passed_over_is_checked_all_the_same),
    TEST(sixty_four_levels_are_read_and_sixty_five_are_not), TEST(a_text_that_is_no_path_is_refused_with_the_reason))
