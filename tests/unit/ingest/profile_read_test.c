/* profile_read_test.c -- descriptions of usage formats: what they become, how they extend one another, what is refused. */
#include "ingest/profile_parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/unit.h"

/* A description with these members beside what every one has. */
#define DESCRIPTION(members) "{\"tollbook_format\":1,\"format\":\"t.one\",\"title\":\"T\"" members "}"

static struct profile *
made(const char *text)
{
	struct profile *profile = NULL;
	struct error err = {0};

	if (!profile_from_text(text, &profile, &err))
		error_print(stdout, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(profile);
	return profile;
}

static const char *
slot_path(const struct profile *profile, const struct paths *paths, size_t i)
{
	return i < paths->count ? profile->slots[paths->slot[i]].path : "-";
}

/* --- files: a folder of its own, with names that tests choose ----------------------------------- */

static char folder[64];

static const char *
written(const char *name, const char *text)
{
	static char path[4][128];
	static int next;
	struct error err = {0};
	char *out = path[next++ % 4];

	if (folder[0] == '\0') {
		snprintf(folder, sizeof folder, "/tmp/tollbook-profile-XXXXXX");
		CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	}
	snprintf(out, sizeof path[0], "%s/%s", folder, name);
	CU_ASSERT_FATAL(file_write(out, text, strlen(text), &err));
	return out;
}

static void
forget(const char *const *names)
{
	char path[128];

	for (; *names != NULL; names++) {
		snprintf(path, sizeof path, "%s/%s", folder, *names);
		CU_ASSERT_EQUAL(unlink(path), 0);
	}
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	folder[0] = '\0';
}

/* --- what is compiled in ------------------------------------------------------------------------- */

static void
every_compiled_in_description_can_be_read_and_its_text_read_again(void)
{
	CU_ASSERT(profile_source_count > 30);
	for (size_t i = 0; i < profile_source_count; i++) {
		struct profile *profile = NULL, *again;
		struct error err = {0};

		if (!profile_open(profile_sources[i].name, NULL, &profile, &err)) {
			error_print(stdout, &err);
			CU_FAIL("a compiled-in format");
			continue;
		}
		EXPECT_TEXT(profile->name, profile_sources[i].name);
		CU_ASSERT(i == 0 || strcmp(profile_sources[i - 1].name, profile_sources[i].name) < 0);
		again = made(profile_text(profile));
		EXPECT_TEXT(profile_text(again), profile_text(profile));
		CU_ASSERT_EQUAL(again->slot_count, profile->slot_count);
		profile_free(again);
		profile_free(profile);
	}
}

static void
an_unknown_format_gets_the_nearest_name(void)
{
	struct profile *profile;
	struct error err = {0};

	CU_ASSERT(!profile_open("openai.chta", NULL, &profile, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);
	EXPECT_TEXT(err.message, "there is no format \"openai.chta\"");
	EXPECT_TEXT(err.hint, "Did you mean \"openai.chat\"?");
}

/* --- members -------------------------------------------------------------------------------------- */

static void
the_same_path_is_one_slot_and_another_kind_another(void)
{
	struct profile *profile = made(DESCRIPTION(",\"fields\":{\"model\":\"m\",\"provider\":[\"p\",\"m\"]},"
						   "\"counts\":{\"images\":{\"count\":\"m\"},\"pages\":\"m\"}"));
	const struct field_source *fields = profile->fields;

	CU_ASSERT_EQUAL(fields[FIELD_MODEL].paths.slot[0], fields[FIELD_PROVIDER].paths.slot[1]);
	CU_ASSERT_EQUAL(profile->counts[1].paths.slot[0], fields[FIELD_MODEL].paths.slot[0]);
	CU_ASSERT_NOT_EQUAL(profile->counts[0].paths.slot[0], fields[FIELD_MODEL].paths.slot[0]);
	CU_ASSERT_EQUAL(profile->slots[profile->counts[0].paths.slot[0]].kind, SLOT_COUNT);
	CU_ASSERT(profile->slots[fields[FIELD_MODEL].paths.slot[0]].watched);
	CU_ASSERT(!profile->slots[fields[FIELD_PROVIDER].paths.slot[0]].watched);
	CU_ASSERT_EQUAL(profile->counts[0].meter, METER_images);
	profile_free(profile);
}

static void
fields_have_units_zones_words_and_sums(void)
{
	struct profile *profile =
	    made(DESCRIPTION(",\"fields\":{\"time\":{\"path\":\"t\",\"unit\":\"ms\",\"plus\":{\"path\":\"d\",\"unit\":\"us\"}},"
			     "\"started_at\":{\"path\":\"s\",\"zone\":\"-02:30\"},\"id\":{\"path\":[\"a\",\"b\"],\"join\":\"/\"},"
			     "\"status\":{\"path\":\"f\",\"words\":{\"stop\":\"completed\"},\"only_words\":true}},"
			     "\"constants\":{\"operation\":\"chat\"}"));
	const struct field_source *fields = profile->fields;

	CU_ASSERT_EQUAL(fields[FIELD_TIME].time, TIME_UNITS);
	CU_ASSERT_EQUAL(fields[FIELD_TIME].unit_ns, 1000000);
	CU_ASSERT_EQUAL(fields[FIELD_TIME].plus_unit_ns, 1000);
	EXPECT_TEXT(slot_path(profile, &fields[FIELD_TIME].plus, 0), "d");
	CU_ASSERT(fields[FIELD_STARTED_AT].has_zone);
	CU_ASSERT_EQUAL(fields[FIELD_STARTED_AT].zone_minutes, -150);
	CU_ASSERT(fields[FIELD_ID].joined);
	EXPECT_TEXT(fields[FIELD_ID].joiner, "/");
	CU_ASSERT(fields[FIELD_STATUS].only_words);
	EXPECT_TEXT(fields[FIELD_STATUS].words[0].to.at, "completed");
	EXPECT_TEXT(fields[FIELD_OPERATION].constant.at, "chat");
	profile_free(profile);
}

static void
parts_say_where_they_stand_and_what_it_means_that_they_do_not(void)
{
	struct profile *profile =
	    made(DESCRIPTION(",\"input\":{\"total\":\"u/in\",\"inside\":{\"cache_read\":{\"path\":[\"u/d/c\",{\"path\":\"u/"
			     "hit\",\"deprecated\":true}],"
			     "\"absent\":\"zero_in_object\"}},\"beside\":{\"audio\":\"u/l/[m=A]/n\"}},"
			     "\"output\":{\"either\":{\"reasoning\":{\"path\":\"u/r\",\"absent\":\"unknown\"}}},"
			     "\"total\":{\"path\":\"u/t\",\"wrong\":\"flag\"},\"never_told\":[\"video\",\"output.audio\"]"));
	const struct part_source *parts = profile->parts, *cache = &parts[PART_CACHE_READ];

	CU_ASSERT_EQUAL(parts[PART_INPUT_TOTAL].absent, ABSENT_FAULT);
	CU_ASSERT_EQUAL(parts[PART_OUTPUT_TOTAL].relation, RELATION_NONE);
	CU_ASSERT_EQUAL(cache->relation, RELATION_INSIDE);
	CU_ASSERT_EQUAL(cache->absent, ABSENT_ZERO_IN_OBJECT);
	CU_ASSERT_EQUAL(cache->paths.deprecated, 2);
	EXPECT_TEXT(profile->slots[cache->object[0]].path, "u/d");
	EXPECT_TEXT(profile->slots[cache->object[1]].path, "u");
	CU_ASSERT_EQUAL(profile->slots[cache->object[1]].kind, SLOT_OBJECT);
	CU_ASSERT_EQUAL(cache->object[2], NO_SLOT);
	CU_ASSERT_EQUAL(parts[PART_INPUT_AUDIO].relation, RELATION_BESIDE);
	CU_ASSERT_EQUAL(parts[PART_INPUT_AUDIO].absent, ABSENT_ZERO);
	CU_ASSERT_EQUAL(parts[PART_REASONING].relation, RELATION_EITHER);
	CU_ASSERT(profile->total_only_flags);
	CU_ASSERT_EQUAL(profile->never_told, 1ULL << PART_INPUT_VIDEO | 1ULL << PART_OUTPUT_VIDEO | 1ULL << PART_OUTPUT_AUDIO);
	profile_free(profile);
}

static void
rules_compare_texts_numbers_and_totals(void)
{
	struct profile *profile =
	    made(DESCRIPTION(",\"rules\":[{\"when\":{\"a\":null,\"b\":[\"x\",5,true],\"$input\":{\"not\":{\"at_least\":1}}},"
			     "\"then\":{\"ignore\":\"N_NOT_USAGE\"}},"
			     "{\"when\":{\"c\":{\"not\":\"any\"},\"d\":{\"begins\":\"ft:\"},\"e\":{\"not\":{\"not\":null}}},"
			     "\"then\":{\"set\":{\"status\":\"failed\",\"provider\":\"p\"}}},"
			     "{\"when\":{\"$output\":{\"at_most\":0}},\"then\":{\"flag\":\"F_ESTIMATED\"}}]"));
	const struct rule *rules = profile->rules;

	CU_ASSERT_EQUAL_FATAL(profile->rule_count, 4);
	CU_ASSERT_EQUAL(rules[0].reason, N_NOT_USAGE);
	CU_ASSERT_EQUAL(rules[0].when.tests[0].kind, TEST_NULL);
	CU_ASSERT_EQUAL(rules[0].when.tests[1].text_count, 3);
	EXPECT_TEXT(rules[0].when.tests[1].texts[1].at, "5");
	EXPECT_TEXT(rules[0].when.tests[1].texts[2].at, "true");
	CU_ASSERT_EQUAL(rules[0].when.tests[2].slot, TESTED_INPUT);
	CU_ASSERT(rules[0].when.tests[2].negated);
	CU_ASSERT_EQUAL(rules[0].when.tests[2].number, 1);
	CU_ASSERT(rules[1].when.tests[0].kind == TEST_PRESENT && rules[1].when.tests[0].negated);
	CU_ASSERT(rules[1].when.tests[2].kind == TEST_NULL && !rules[1].when.tests[2].negated);
	CU_ASSERT(rules[1].field == FIELD_STATUS && rules[2].field == FIELD_PROVIDER);
	EXPECT_TEXT(rules[2].text.at, "p");
	CU_ASSERT_EQUAL(rules[3].flags, F_ESTIMATED);
	CU_ASSERT_EQUAL(rules[3].when.tests[0].slot, TESTED_OUTPUT);
	profile_free(profile);
}

static void
streams_iterations_names_and_the_rest_are_read(void)
{
	struct profile *profile = made(DESCRIPTION(
	    ",\"at\":[\"\",\"message\"],\"each\":[\"[]\",\"a/[]/b/[]\"],\"input\":{\"total\":\"usage/in\"},"
	    "\"stream\":{\"end\":[\"[DONE]\",{\"type\":\"stop\"}],\"falls\":true},"
	    "\"iterations\":{\"path\":\"usage/iterations\",\"instead_of\":\"usage\",\"kind\":\"type\",\"model\":\"model\","
	    "\"operations\":{\"compaction\":\"compaction\"}},"
	    "\"names\":[{\"begins\":\"ft:\",\"base_model\":{\"after\":\"ft:\",\"before\":\":\"},\"adapter\":{},\"adapter_kind\":"
	    "\"fine_tune\"}],"
	    "\"adapters\":{\"mine\":\"base-1\"},\"requests\":0,\"numbers\":\"texts too\",\"suspect_cache\":true,"
	    "\"flags\":[\"F_ESTIMATED\"],\"capture\":false"));

	EXPECT_TEXT(profile->each[1], "a/[]/b/[]");
	CU_ASSERT_PTR_NULL(profile->each[2]);
	EXPECT_TEXT(profile->end_texts[0].at, "[DONE]");
	CU_ASSERT(profile->end_when_count == 1 && profile->falls);
	EXPECT_TEXT(profile->slots[profile->iterations].path, "usage/iterations");
	EXPECT_TEXT(profile->slots[profile->iteration_kind].path, "usage/iterations/[]/type");
	CU_ASSERT_PTR_NOT_NULL(profile->item);
	CU_ASSERT(profile->names[0].adapter.stated && profile->names[0].adapter.after.length == 0);
	EXPECT_TEXT(profile->names[0].base_model.before.at, ":");
	EXPECT_TEXT(profile->adapters[0].base_model.at, "base-1");
	CU_ASSERT(profile->requests == 0 && profile->number_texts && profile->suspect_cache && !profile->capture);
	CU_ASSERT_EQUAL(profile->flags, F_ESTIMATED);
	CU_ASSERT_EQUAL(profile->envelope[HEADER_ID], NO_SLOT);
	profile_free(profile);
}

static const char *
found_in(struct arena *arena, const struct node *tree, const char *document, short slot)
{
	static struct json_reader reader;
	static struct found_values found;
	struct json_value top;

	json_begin(&reader, document, strlen(document), 0, arena);
	CU_ASSERT_FATAL(json_value(&reader, &top));
	profile_walk(tree, &reader, &top, &found);
	CU_ASSERT(json_end(&reader));
	if (!value_is_set(&found.top, slot))
		return "-";
	return arena_copy(arena, found.top.value[slot].text.at, found.top.value[slot].text.length);
}

static void
an_iteration_has_the_counts_that_stand_below_what_it_replaces(void)
{
	struct profile *profile = made(DESCRIPTION(
	    ",\"at\":[\"\",\"message\"],\"fields\":{\"model\":\"model\"},\"input\":{\"total\":\"usage/in\","
	    "\"inside\":{\"cache_read\":\"usage/d/c\"}},\"output\":{\"total\":\"other/out\"},"
	    "\"iterations\":{\"path\":\"usage/its\",\"instead_of\":\"usage\",\"kind\":\"type\",\"model\":\"model\"}"));
	static const char item[] = "{\"in\":7,\"d\":{\"c\":3},\"type\":\"message\",\"model\":\"m-2\",\"other\":{\"out\":5}}";
	short in = profile->parts[PART_INPUT_TOTAL].paths.slot[0], cache = profile->parts[PART_CACHE_READ].paths.slot[0],
	      out = profile->parts[PART_OUTPUT_TOTAL].paths.slot[0], model = profile->fields[FIELD_MODEL].paths.slot[0];
	struct arena arena = {0};

	EXPECT_TEXT(found_in(&arena, profile->item, item, in), "7");
	EXPECT_TEXT(found_in(&arena, profile->item, item, cache), "3");
	EXPECT_TEXT(found_in(&arena, profile->item, item, out), "-");
	EXPECT_TEXT(found_in(&arena, profile->item, item, model), "-");
	EXPECT_TEXT(found_in(&arena, profile->item, item, profile->iteration_kind), "message");
	EXPECT_TEXT(found_in(&arena, profile->item, item, profile->iteration_model.slot[0]), "m-2");
	EXPECT_TEXT(found_in(&arena, profile->record, "{\"message\":{\"usage\":{\"in\":8}}}", in), "8");
	EXPECT_TEXT(found_in(&arena, profile->record, "{\"message\":{\"usage\":{\"in\":8}}}", profile->iteration_kind), "-");
	arena_release(&arena);
	profile_free(profile);
}

/* --- extending ------------------------------------------------------------------------------------ */

#define BASE                                                                                                                     \
	DESCRIPTION(",\"fields\":{\"model\":{\"path\":\"m\",\"words\":{\"a\":\"b\"}},\"provider\":\"p\",\"id\":\"i\"},"          \
		    "\"at\":[\"\",\"x\"],\"input\":{\"total\":\"u/in\",\"inside\":{\"cache_read\":\"u/c\"}},"                    \
		    "\"rules\":[{\"when\":{\"a\":1},\"then\":{\"partial\":true}}]")

static void
a_file_extends_another_member_by_member(void)
{
	static const char *const names[] = {"base.json", "own.json", NULL};
	struct profile *profile, *again;
	struct error err = {0};
	const char *own;

	written("base.json", BASE);
	own = written("own.json",
	    "{\"tollbook_format\":1,\"extends\":\"base.json\",\"format\":\"t.own\",\"at\":[\"y\"],"
	    "\"fields\":{\"provider\":null,\"model\":{\"words\":{\"c\":\"d\"}}},"
	    "\"input\":{\"inside\":{\"cache_read\":{\"absent\":\"unknown\"}}},"
	    "\"rules\":[{\"when\":{\"a\":2},\"then\":{\"gateway_cache\":true}}]}");
	CU_ASSERT_FATAL(profile_open(own, NULL, &profile, &err));
	EXPECT_TEXT(profile->name, "t.own");
	CU_ASSERT_EQUAL(profile->fields[FIELD_PROVIDER].paths.count, 0);
	CU_ASSERT_EQUAL(profile->fields[FIELD_MODEL].word_count, 2);
	EXPECT_TEXT(slot_path(profile, &profile->parts[PART_CACHE_READ].paths, 0), "u/c");
	CU_ASSERT_EQUAL(profile->parts[PART_CACHE_READ].absent, ABSENT_UNKNOWN);
	CU_ASSERT_EQUAL_FATAL(profile->rule_count, 2);
	CU_ASSERT(profile->rules[0].kind == ACTION_GATEWAY_CACHE && profile->rules[1].kind == ACTION_PARTIAL);
	forget(names);
	again = made(profile_text(profile));
	EXPECT_TEXT(profile_text(again), profile_text(profile));
	CU_ASSERT_PTR_NULL(strchr(profile_text(profile), '\n'));
	CU_ASSERT(again->rule_count == 2 && again->fields[FIELD_PROVIDER].paths.count == 0);
	profile_free(again);
	profile_free(profile);
}

static void
the_text_of_a_users_file_names_the_compiled_in_format_and_what_was_said_beside_it(void)
{
	static const char *const names[] = {"own.json", NULL};
	static const char *const fields[] = {"tenant=metadata/team"}, *const constants[] = {"region=eu"};
	const struct profile_wishes wishes = {fields, 1, constants, 1};
	struct profile *profile, *again;
	struct error err = {0};

	CU_ASSERT_FATAL(profile_open(
	    written("own.json",
		"{\"tollbook_format\":1,\"extends\":\"vllm.chat\",\"adapters\":{\"mine\":\"base-1\"},\"traps\":null}"),
	    &wishes, &profile, &err));
	EXPECT_TEXT(profile_text(profile),
	    "{\"extends\":\"vllm.chat\",\"tollbook_format\":1,\"adapters\":{\"mine\":\"base-1\"},\"traps\":null,"
	    "\"fields\":{\"tenant\":\"metadata/team\"},\"constants\":{\"region\":\"eu\"}}");
	EXPECT_TEXT(profile->name, "vllm.chat");
	again = made(profile_text(profile));
	EXPECT_TEXT(profile_text(again), profile_text(profile));
	EXPECT_TEXT(slot_path(again, &again->fields[FIELD_TENANT].paths, 0), "metadata/team");
	EXPECT_TEXT(again->fields[FIELD_REGION].constant.at, "eu");
	profile_free(again);
	profile_free(profile);
	forget(names);
}

/* null, and then something new: that the compiled-in member goes cannot be said in one layer. */
static void
a_text_is_whole_where_one_layer_cannot_say_what_two_did(void)
{
	static const char *const names[] = {"none.json", "own.json", NULL};
	struct profile *profile, *again;
	struct error err = {0};
	const char *own;

	written(
	    "none.json", "{\"tollbook_format\":1,\"extends\":\"vllm.chat\",\"input\":null,\"rules\":null,\"format\":\"t.none\"}");
	own = written("own.json", "{\"tollbook_format\":1,\"extends\":\"none.json\",\"input\":{\"total\":\"mine\"}}");
	CU_ASSERT_FATAL(profile_open(own, NULL, &profile, &err));
	CU_ASSERT_PTR_NULL(strstr(profile_text(profile), "extends"));
	again = made(profile_text(profile));
	EXPECT_TEXT(profile_text(again), profile_text(profile));
	CU_ASSERT_EQUAL(again->parts[PART_CACHE_READ].relation, RELATION_NONE);
	EXPECT_TEXT(slot_path(again, &again->parts[PART_INPUT_TOTAL].paths, 0), "mine");
	profile_free(again);
	profile_free(profile);
	forget(names);
}

/* --- what is said on the command line --------------------------------------------------------------- */

static void
expect_wish_refused(const char *field, const char *constant, const char *message, const char *hint)
{
	const struct profile_wishes wishes = {&field, field != NULL, &constant, constant != NULL};
	struct profile *profile;
	struct error err = {0};

	CU_ASSERT(!profile_open("openai.chat", &wishes, &profile, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);
	if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
		error_print(stdout, &err);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
}

static void
a_wish_that_is_none_is_refused_with_the_remedy(void)
{
	expect_wish_refused("tenant", NULL, "--field \"tenant\" is not NAME=PATH", "--field tenant=metadata/team");
	expect_wish_refused(NULL, "=x", "--constant \"=x\" is not NAME=TEXT", "--constant tenant=acme");
	expect_wish_refused("tenat=x", NULL, "--field names a field that formats do not have: tenat", "Did you mean \"tenant\"?");
	expect_wish_refused("tenant=a//b", NULL, "\"a//b\" is no path: a step without a name", "Keys have a / between them");
	expect_wish_refused(NULL, "id=always", "one id for all records would make them one event", "");
	expect_wish_refused(NULL, "status=fine", "there is no status \"fine\"", "Did you mean");
	expect_wish_refused(NULL, "region=\xff", "--constant region is not UTF-8", "");
}

static void
an_id_that_is_not_safe_is_refused_with_the_reason(void)
{
	expect_wish_refused("id=id", NULL, "\"id\" is not safe as the id of openai.chat: ", "--field id=PATH");
	expect_wish_refused("id=^id", NULL, "\"id\" is not safe as the id of openai.chat: ", "CloudEvent");
}

static void
another_id_is_taken(void)
{
	static const char *const fields[] = {"id=metadata/capture_id"};
	const struct profile_wishes wishes = {fields, 1, NULL, 0};
	struct profile *profile;
	struct error err = {0};

	CU_ASSERT_FATAL(profile_open("openai.chat", &wishes, &profile, &err));
	EXPECT_TEXT(slot_path(profile, &profile->fields[FIELD_ID].paths, 0), "metadata/capture_id");
	EXPECT_TEXT(profile_text(profile), "{\"extends\":\"openai.chat\",\"fields\":{\"id\":\"metadata/capture_id\"}}");
	profile_free(profile);
}

/* --- refusals --------------------------------------------------------------------------------------- */

static void
an_error_names_the_file_the_line_the_member_and_the_remedy(void)
{
	static const char *const names[] = {"base.json", "own.json", NULL};
	struct profile *profile;
	struct error err = {0};
	const char *own;

	written("base.json",
	    "{\"tollbook_format\":1,\"format\":\"t.base\",\"title\":\"T\",\n\"rules\":[\n"
	    "{\"when\":{\"a\":1},\"then\":{\"flag\":\"F_PARTAL\"}}]}");
	own = written("own.json",
	    "{\"tollbook_format\":1,\"extends\":\"base.json\",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"partial\":true}}]}");
	CU_ASSERT(!profile_open(own, NULL, &profile, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.file, "base.json"));
	CU_ASSERT_EQUAL(err.line, 3);
	EXPECT_TEXT(err.field, "rules[0].then.flag");
	EXPECT_TEXT(err.value, "\"F_PARTAL\"");
	EXPECT_TEXT(err.hint, "Did you mean \"F_PARTIAL\"?");
	forget(names);
}

static void
formats_that_extend_one_another_in_a_ring_are_refused(void)
{
	static const char *const names[] = {"a.json", "b.json", NULL};
	struct profile *profile;
	struct error err = {0};
	const char *a = written("a.json", "{\"tollbook_format\":1,\"extends\":\"b.json\"}");

	written("b.json", "{\"tollbook_format\":1,\"extends\":\"a.json\"}");
	CU_ASSERT(!profile_open(a, NULL, &profile, &err));
	EXPECT_TEXT(err.message, "more than 8 formats that extend one another");
	forget(names);
}

static void
what_a_description_cannot_say_is_refused(void)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
	    {"", "the description of a usage format"},
	    {"[]", "the description of a usage format is not a JSON object"},
	    {"{}", "\"tollbook_format\" is not 1"},
	    {"{\"tollbook_format\":2}", "\"tollbook_format\" is not 1"},
	    {"{\"extends\":\"none\"}", "there is no format \"none\" to extend"},
	    {"{\"extends\":\"/etc/passwd\"}", "there is no format \"/etc/passwd\" to extend"},
	    {"{\"tollbook_format\":1,\"format\":\"json\",\"title\":\"T\"}", "the name of a format"},
	    {"{\"tollbook_format\":1,\"format\":\"A b\",\"title\":\"T\"}", "the name of a format"},
	    {DESCRIPTION(",\"fields\":{\"modle\":\"m\"}"), "there is no field \"modle\""},
	    {DESCRIPTION(",\"field\":{}"), "there is no such key here"},
	    {DESCRIPTION(",\"fields\":{\"model\":{\"words\":{}}}"),
		"\"fields.model.path\" is missing, a text of 1 to 1024 bytes"},
	    {DESCRIPTION(",\"fields\":{\"model\":{\"path\":\"m\",\"unit\":\"s\"}}"), "only times have"},
	    {DESCRIPTION(",\"fields\":{\"time\":{\"path\":\"m\",\"unit\":\"min\"}}"),
		"the unit of a time is not s, ms, us or ns"},
	    {DESCRIPTION(",\"fields\":{\"time\":{\"path\":\"m\",\"zone\":\"Europe/Paris\"}}"),
		"the zone of times is not \"UTC\""},
	    {DESCRIPTION(",\"fields\":{\"time\":{\"path\":\"m\",\"zone\":\"+15:00\"}}"), "the zone of times is not \"UTC\""},
	    {DESCRIPTION(",\"fields\":{\"time\":{\"path\":\"m\",\"zone\":\"UTC\",\"unit\":\"s\"}}"), "has a unit and no zone"},
	    {DESCRIPTION(",\"fields\":{\"status\":{\"path\":\"m\",\"words\":{\"a\":\"done\"}}}"), "there is no status \"done\""},
	    {DESCRIPTION(",\"fields\":{\"model\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}"),
		"list of 1 to 8 items"},
	    {DESCRIPTION(",\"constants\":{\"model\":5}"), "this is not a text"},
	    {DESCRIPTION(",\"fields\":{\"id\":\"i\"},\"unsafe\":{\"i\":\"it repeats\"}"),
		"\"i\" is not safe as the id of t.one: it repeats"},
	    {DESCRIPTION(",\"input\":{\"inside\":{\"reasoning\":\"r\"}}"), "there is no part \"reasoning\" here"},
	    {DESCRIPTION(",\"input\":{\"inside\":{\"audio\":\"r\"},\"beside\":{\"audio\":\"r\"}}"),
		"the same part is told in two ways"},
	    {DESCRIPTION(",\"input\":{\"inside\":{\"audio\":{\"path\":\"r\",\"absent\":\"maybe\"}}}"),
		"what is absent is not zero"},
	    {DESCRIPTION(",\"input\":{\"inside\":{\"audio\":\"r\"}},\"never_told\":[\"audio\"]"),
		"a part that has a path is said to be never told"},
	    {DESCRIPTION(",\"never_told\":[\"total\"]"), "there is no part \"total\" here"},
	    {DESCRIPTION(",\"total\":{\"path\":\"t\",\"wrong\":\"ignore\"}"), "a wrong total is not"},
	    {DESCRIPTION(",\"counts\":{\"image\":\"r\"}"), "there is no meter \"image\""},
	    {DESCRIPTION(",\"counts\":{\"output_text_tokens\":\"r\"}"), "it is a part of \"input\" or \"output\""},
	    {DESCRIPTION(",\"each\":[\"*/[]\"]"), "is at keys and [] alone"},
	    {DESCRIPTION(",\"each\":[\"a/[k=v]/[]\"]"), "is at keys and [] alone"},
	    {DESCRIPTION(",\"each\":[\"a/[0]\"]"), "is at keys and [] alone"},
	    {DESCRIPTION(",\"each\":[\"^a/[]\"]"), "is at keys and [] alone"},
	    {DESCRIPTION(",\"each\":[\"a\"]"), "ends with []: not \"a\""},
	    {DESCRIPTION(",\"each\":[\"1/[]\",\"2/[]\",\"3/[]\",\"4/[]\",\"5/[]\",\"6/[]\",\"7/[]\",\"8/[]\",\"9/[]\"]"),
		"list of 1 to 8 items"},
	    {DESCRIPTION(",\"requests\":2"), "a record is 1 request, or 0"},
	    {DESCRIPTION(",\"numbers\":\"any\""), "numbers are written as"},
	    {DESCRIPTION(",\"flags\":[\"F_NONE\"]"), "this is not the name of a flag"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{},\"then\":{\"partial\":true}}]"), "this is not an object with members"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"partial\":false}}]"), "this can only be true"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1.5},\"then\":{\"partial\":true}}]"), "this is compared with"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"$total\":1},\"then\":{\"partial\":true}}]"), "\"$total\" can not be tested"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"ignore\":\"E_VALUE\"}}]"), "no reason to ignore a record"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"set_aside\":\"N_BLANK\"}}]"),
		"no reason to set a record aside"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"set\":{\"id\":\"x\"}}}]"), "one id for many records"},
	    {DESCRIPTION(",\"rules\":[{\"when\":{\"a\":1},\"then\":{\"partial\":true,\"flag\":\"F_LATE\"}}]"),
		"a rule does one thing"},
	    {DESCRIPTION(",\"iterations\":{\"path\":\"a\"}"), "iterations need \"path\" and \"instead_of\""},
	    {DESCRIPTION(",\"at\":[\"a/[\"]"), "\"a/[\" is no path"},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct profile *profile;
		struct error err = {0};

		CU_ASSERT(!profile_from_text(wrong[i].text, &profile, &err));
		if (strstr(err.message, wrong[i].message) == NULL)
			printf("\n    %s: \"%s\", wanted \"%s\"\n", wrong[i].text, err.message, wrong[i].message);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, wrong[i].message));
		CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	}
}

static void
a_description_has_at_most_256_paths(void)
{
	struct text text = {0};

	/* Two more are those by which an event of our own is known. */
	for (int paths = 254; paths <= 255; paths++) {
		struct profile *profile;
		struct error err = {0};
		bool fine;

		text_clear(&text);
		text_add_string(&text, "{\"tollbook_format\":1,\"format\":\"t\",\"title\":\"T\",\"capture\":false,\"rules\":[");
		for (int rule = 0; rule < 4; rule++) {
			text_add_format(&text, "%s{\"when\":{", rule > 0 ? "," : "");
			for (int i = 0; i < (rule == 3 ? paths - 192 : 64); i++)
				text_add_format(&text, "%s\"p%d\":1", i > 0 ? "," : "", rule * 64 + i);
			text_add_string(&text, "},\"then\":{\"partial\":true}}");
		}
		text_add_string(&text, "]}");
		fine = profile_from_text(text_string(&text), &profile, &err);
		CU_ASSERT_EQUAL(fine, paths == 254);
		if (fine)
			profile_free(profile);
		else
			EXPECT_TEXT(err.message, "the format has more than 256 paths");
	}
	text_release(&text);
}

/* Each of them reads an object once more, so that many would make reading slow. */
static void
a_description_has_at_most_64_keys_that_choose(void)
{
	struct text text = {0};

	for (int keys = 64; keys <= 65; keys++) {
		struct profile *profile = NULL;
		struct error err = {0};

		text_clear(&text);
		text_add_string(&text, "{\"tollbook_format\":1,\"format\":\"t\",\"title\":\"T\",\"ignored\":[");
		for (int i = 0; i < keys; i++)
			text_add_format(&text, "%s\"a/[k%d=v]/b\"", i > 0 ? "," : "", i);
		text_add_string(&text, "]}");
		CU_ASSERT_EQUAL(profile_from_text(text_string(&text), &profile, &err), keys == 64);
		profile_free(profile);
		if (keys > 64)
			CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "make a tree that is too large"));
	}
	text_release(&text);
}

static void
a_file_without_its_mark_is_no_description(void)
{
	static const char *const names[] = {"own.json", NULL};
	struct profile *profile;
	struct error err = {0};

	CU_ASSERT(!profile_open(written("own.json", "{\"extends\":\"vllm.chat\"}"), NULL, &profile, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "\"tollbook_format\" is missing"));
	CU_ASSERT(!profile_open("./none/own.json", NULL, &profile, &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the file cannot be opened"));
	forget(names);
}

UNIT_TESTS("ingest/profile_read", TEST(every_compiled_in_description_can_be_read_and_its_text_read_again),
    TEST(an_unknown_format_gets_the_nearest_name), TEST(the_same_path_is_one_slot_and_another_kind_another),
    TEST(fields_have_units_zones_words_and_sums), TEST(parts_say_where_they_stand_and_what_it_means_that_they_do_not),
    TEST(rules_compare_texts_numbers_and_totals), TEST(streams_iterations_names_and_the_rest_are_read),
    TEST(an_iteration_has_the_counts_that_stand_below_what_it_replaces), TEST(a_file_extends_another_member_by_member),
    TEST(the_text_of_a_users_file_names_the_compiled_in_format_and_what_was_said_beside_it),
    TEST(a_text_is_whole_where_one_layer_cannot_say_what_two_did), TEST(a_wish_that_is_none_is_refused_with_the_remedy),
    TEST(an_id_that_is_not_safe_is_refused_with_the_reason), TEST(another_id_is_taken),
    TEST(an_error_names_the_file_the_line_the_member_and_the_remedy), TEST(formats_that_extend_one_another_in_a_ring_are_refused),
    TEST(what_a_description_cannot_say_is_refused), TEST(a_description_has_at_most_256_paths),
    TEST(a_description_has_at_most_64_keys_that_choose), TEST(a_file_without_its_mark_is_no_description))
