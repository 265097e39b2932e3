/* file_test.c -- files that appear whole, and files that are given out and never change. */
#include "base/file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* A folder of the test's own. */
static char room[64];

static const char *
in_room(const char *name)
{
	static char paths[4][128];
	static int at;

	at = (at + 1) % 4;
	snprintf(paths[at], sizeof paths[at], "%s/%s", room, name);
	return paths[at];
}

static void
enter_room(void)
{
	snprintf(room, sizeof room, "/tmp/tollbook-file-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(room));
}

/* Those of the test are named one by one: a removal of everything below a folder has no place in a test. */
static void
leave_room(const char *const *files, const char *const *folders)
{
	for (; *files != NULL; files++)
		CU_ASSERT_EQUAL(unlink(in_room(*files)), 0);
	for (; *folders != NULL; folders++)
		CU_ASSERT_EQUAL(rmdir(in_room(*folders)), 0);
	CU_ASSERT_EQUAL(rmdir(room), 0); /* fails where anything is left over */
}

static void
put(const char *name, const char *bytes)
{
	struct error err;

	CU_ASSERT_TRUE_FATAL(file_write(in_room(name), bytes, strlen(bytes), &err));
}

static const char *
content(const char *name)
{
	static char bytes[64];
	FILE *file = fopen(in_room(name), "r");
	size_t length = 0;

	if (file != NULL) {
		length = fread(bytes, 1, sizeof bytes - 1, file);
		CU_ASSERT_EQUAL(fclose(file), 0);
	}
	bytes[length] = '\0';
	return bytes;
}

static struct kept_file
wanted(const char *path, const char *bytes)
{
	return (struct kept_file){.path = path, .bytes = bytes, .length = strlen(bytes)};
}

static void
files_are_kept_in_folders_that_are_made(void)
{
	struct kept_file files[2];
	char hex[DIGEST_HEX];
	struct error err;
	struct stat found;

	enter_room();
	files[0] = wanted(in_room("a/b/one"), "abc");
	files[1] = wanted(in_room("a/two"), "");
	CU_ASSERT_TRUE(files_keep(files, 2, &err));
	EXPECT_TEXT(content("a/b/one"), "abc");
	CU_ASSERT_EQUAL(stat(in_room("a/two"), &found), 0);
	CU_ASSERT_TRUE(found.st_size == 0);
	CU_ASSERT_TRUE(files[0].kept == FILE_KEPT_NEW && files[1].kept == FILE_KEPT_NEW);
	/* FIPS 180-4, the example of one block. */
	EXPECT_TEXT(
	    digest_hex(files[0].digest, DIGEST_SIZE, hex), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	leave_room((const char *const[]){"a/b/one", "a/two", NULL}, (const char *const[]){"a/b", "a", NULL});
}

static void
a_file_that_is_there_with_the_same_bytes_is_fine(void)
{
	struct kept_file file;
	struct error err;

	enter_room();
	put("one", "abc");
	file = wanted(in_room("one"), "abc");
	CU_ASSERT_TRUE(files_keep(&file, 1, &err));
	CU_ASSERT_TRUE(file.kept == FILE_KEPT_SAME);
	leave_room((const char *const[]){"one", NULL}, (const char *const[]){NULL});
}

static void
a_file_that_is_there_with_other_bytes_is_left_alone_and_the_others_are_written(void)
{
	struct kept_file files[3];
	struct error err;

	enter_room();
	put("longer", "abcd");
	put("other", "abd");
	files[0] = wanted(in_room("longer"), "abc");
	files[1] = wanted(in_room("other"), "abc");
	files[2] = wanted(in_room("new"), "abc");
	CU_ASSERT_TRUE(files_keep(files, 3, &err));
	CU_ASSERT_TRUE(files[0].kept == FILE_KEPT_DIFFERENT && files[1].kept == FILE_KEPT_DIFFERENT);
	CU_ASSERT_TRUE(files[2].kept == FILE_KEPT_NEW);
	EXPECT_TEXT(files[0].why, "a file with other bytes is there");
	EXPECT_TEXT(content("longer"), "abcd");
	EXPECT_TEXT(content("other"), "abd");
	leave_room((const char *const[]){"longer", "other", "new", NULL}, (const char *const[]){NULL});
}

static void
a_folder_or_a_link_in_the_place_of_a_file_is_left_alone(void)
{
	struct kept_file files[2];
	struct error err;

	enter_room();
	CU_ASSERT_EQUAL(mkdir(in_room("folder"), 0755), 0);
	CU_ASSERT_EQUAL(symlink(in_room("nothing"), in_room("link")), 0);
	files[0] = wanted(in_room("folder"), "abc");
	files[1] = wanted(in_room("link"), "abc");
	CU_ASSERT_TRUE(files_keep(files, 2, &err));
	CU_ASSERT_TRUE(files[0].kept == FILE_KEPT_DIFFERENT && files[1].kept == FILE_KEPT_DIFFERENT);
	EXPECT_TEXT(files[0].why, "what is there is not a file");
	CU_ASSERT_NOT_EQUAL(access(in_room("nothing"), F_OK), 0);
	leave_room((const char *const[]){"link", NULL}, (const char *const[]){"folder", NULL});
}

static void
a_folder_that_cannot_be_made_is_for_a_person_and_leaves_nothing_behind(void)
{
	struct kept_file files[2];
	struct error err = {0};

	enter_room();
	put("file", "abc");
	files[0] = wanted(in_room("one"), "abc");
	files[1] = wanted(in_room("file/two"), "abc");
	CU_ASSERT_FALSE(files_keep(files, 2, &err));
	CU_ASSERT_TRUE(err.kind == ERROR_INPUT);
	EXPECT_TEXT(err.file, in_room("file"));
	leave_room((const char *const[]){"file", NULL}, (const char *const[]){NULL});
}

static void
what_killed_processes_left_is_swept_and_nothing_else(void)
{
	enter_room();
	put(".tollbook-0123456789abcdef", "half");
	CU_ASSERT_EQUAL(mkdir(in_room(".tollbook-AbCdEf"), 0700), 0);
	put(".tollbook-AbCdEf/workbook.xlsx", "half");
	put(".hidden", "a person's");
	put("tollbook-notes", "a person's");
	folder_sweep(room);
	folder_sweep(in_room("not-there"));
	EXPECT_TEXT(content(".hidden"), "a person's");
	leave_room((const char *const[]){".hidden", "tollbook-notes", NULL}, (const char *const[]){NULL});
}

static void
a_file_that_is_renamed_takes_the_place_of_another(void)
{
	unsigned char digest[DIGEST_SIZE];
	struct error err;
	int64_t bytes;

	enter_room();
	put("new", "abc");
	put("name", "old");
	CU_ASSERT_TRUE(file_rename(in_room("new"), in_room("name"), &err));
	EXPECT_TEXT(content("name"), "abc");
	CU_ASSERT_TRUE(file_digest(in_room("name"), digest, &bytes, &err));
	CU_ASSERT_TRUE(bytes == 3 && digest[0] == 0xba && digest[31] == 0xad);
	CU_ASSERT_FALSE(file_digest(in_room("new"), digest, &bytes, &err));
	leave_room((const char *const[]){"name", NULL}, (const char *const[]){NULL});
}

UNIT_TESTS("base/file", TEST(files_are_kept_in_folders_that_are_made), TEST(a_file_that_is_there_with_the_same_bytes_is_fine),
    TEST(a_file_that_is_there_with_other_bytes_is_left_alone_and_the_others_are_written),
    TEST(a_folder_or_a_link_in_the_place_of_a_file_is_left_alone),
    TEST(a_folder_that_cannot_be_made_is_for_a_person_and_leaves_nothing_behind),
    TEST(what_killed_processes_left_is_swept_and_nothing_else), TEST(a_file_that_is_renamed_takes_the_place_of_another))
