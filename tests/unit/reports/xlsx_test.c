/* xlsx_test.c -- spreadsheets: what is written, what is read back, and that every kind of damage is found. */
#include "tests/support/unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "reports/workbook_file.h"
#include "reports/xlsx_read.h"

static const int widths[] = {20, 20, 20, 0};
static const struct xlsx_sheet plain_sheet = {.name = "Data", .widths = widths, .header_row = 0, .filter = true, .last_row = 3};
static const struct instant noon = {INT64_C(1793620800) * 1000000}; /* 2026-11-02T12:00:00Z */

/* A folder that is gone at the end of the test. */
struct room {
	char path[64], file[96];
};

static struct room
room_new(void)
{
	struct room room = {.path = "tollbook-xlsx-test-XXXXXX"};

	CU_ASSERT_FATAL(mkdtemp(room.path) != NULL);
	snprintf(room.file, sizeof room.file, "%s/book.xlsx", room.path);
	return room;
}

/* How many names are in the folder. */
static int
room_count(const char *path)
{
	DIR *folder = opendir(path);
	int count = -2;

	CU_ASSERT_FATAL(folder != NULL);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

static void
room_end(struct room *room)
{
	(void)unlink(room->file);
	CU_ASSERT_EQUAL(rmdir(room->path), 0);
}

static struct decimal
number(const char *text)
{
	struct error err;
	struct decimal value = {0};

	CU_ASSERT_TRUE_FATAL(decimal_parse(text, strlen(text), &value, &err));
	return value;
}

static struct workbook_file *
begin(const struct room *room)
{
	struct error err = {0};
	struct workbook_file *file = NULL;

	if (!workbook_file_open(room->file, "a test", noon, &file, &err))
		error_print(stdout, &err);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_TRUE_FATAL(workbook_file_sheet(file, &plain_sheet, &err));
	return file;
}

static void
row(struct workbook_file *file, struct cell a, struct cell b)
{
	struct cell cells[] = {a, b};
	struct error err = {0};
	bool fine = workbook_file_row(file, cells, 2, &err);

	if (!fine)
		error_print(stdout, &err);
	CU_ASSERT_TRUE(fine);
}

/* The small workbook of these tests: a header, one row of a text and a number, one of formulas. */
static struct workbook_file *
small_book(const struct room *room, const char *text, const char *amount, const char *sum)
{
	struct workbook_file *file = begin(room);
	struct arena arena = {0};

	row(file, cell_text(&arena, "Name"), cell_text(&arena, "Amount"));
	row(file, cell_text(&arena, text), cell_decimal(&arena, number(amount), 2));
	row(file, cell_formula_text("=IF(B3=B2,\"ok\",\"DIFFERENT\")", "ok"),
	    cell_formula(&arena, "=SUM(B2:B2)", number(sum), 2));
	arena_release(&arena);
	return file;
}

/* --- reading, to look at what is in a file --------------------------------------------------- */

struct seen {
	int wanted_column;
	int64_t wanted_row;
	int cells;
	enum xlsx_value kind;
	char value[256], formula[64];
};

static bool
look(void *context, const struct xlsx_cell *cell, struct error *err)
{
	struct seen *seen = context;

	(void)err;
	seen->cells++;
	if (cell->row != seen->wanted_row || cell->column != seen->wanted_column)
		return true;
	seen->kind = cell->kind;
	snprintf(seen->value, sizeof seen->value, "%s", cell->value);
	snprintf(seen->formula, sizeof seen->formula, "%s", cell->formula);
	return true;
}

static struct seen
cell_at(const char *path, int64_t row_number, int column)
{
	struct seen seen = {.wanted_row = row_number, .wanted_column = column};
	struct error err = {0};
	struct xlsx *xlsx;

	if (!xlsx_open(path, &xlsx, &err)) {
		error_print(stdout, &err);
		CU_FAIL_FATAL("the file does not open");
	}
	if (!xlsx_read_sheet(xlsx, 0, look, &seen, &err)) {
		error_print(stdout, &err);
		CU_FAIL("the sheet does not read");
	}
	xlsx_close(xlsx);
	return seen;
}

/* Proves the file, and returns what the error says; "" where there is none. */
static const char *
proof_of(struct workbook_file *file)
{
	static struct error err;
	struct workbook_proof proof;

	err = (struct error){0};
	return workbook_file_prove(file, &proof, &err) ? "" : err.message;
}

static void
expect_found(struct workbook_file *file, const char *words)
{
	const char *said = proof_of(file);

	if (strstr(said, words) == NULL)
		printf("\n    said \"%s\", wanted \"%s\"\n", said, words);
	CU_ASSERT_PTR_NOT_NULL(strstr(said, words));
}

/* --- the tests ------------------------------------------------------------------------------- */

static void
a_workbook_is_in_place_after_every_cell_was_read_back(void)
{
	struct room room = room_new();
	struct workbook_file *file = small_book(&room, "acme", "1234.50", "1234.50");
	struct workbook_proof proof;
	struct error err = {0};
	struct stat found;

	CU_ASSERT_NOT_EQUAL(stat(room.file, &found), 0);
	CU_ASSERT_TRUE(workbook_file_finish(file, &proof, &err));
	workbook_file_release(file);
	CU_ASSERT_EQUAL(proof.sheets, 1);
	CU_ASSERT_EQUAL(proof.rows, 3);
	CU_ASSERT_EQUAL(proof.cells, 6);
	CU_ASSERT_EQUAL(room_count(room.path), 1);
	EXPECT_TEXT(cell_at(room.file, 1, 1).value, "1234.5");
	EXPECT_TEXT(cell_at(room.file, 2, 1).formula, "SUM(B2:B2)");
	EXPECT_TEXT(cell_at(room.file, 2, 1).value, "1234.5");
	EXPECT_TEXT(cell_at(room.file, 2, 0).value, "ok");
	room_end(&room);
}

static void
the_same_rows_and_time_give_the_same_bytes(void)
{
	struct room one = room_new(), two = room_new();
	struct workbook_file *first = small_book(&one, "acme", "1", "1"), *second = small_book(&two, "acme", "1", "1");
	struct error err = {0};
	char left[32768], right[32768];
	FILE *a, *b;
	size_t length;

	CU_ASSERT_TRUE(workbook_file_write(first, &err) && workbook_file_publish(first, &err));
	CU_ASSERT_TRUE(workbook_file_write(second, &err) && workbook_file_publish(second, &err));
	workbook_file_release(first);
	workbook_file_release(second);
	a = fopen(one.file, "rb");
	b = fopen(two.file, "rb");
	CU_ASSERT_FATAL(a != NULL && b != NULL);
	length = fread(left, 1, sizeof left, a);
	CU_ASSERT(length > 1000 && length < sizeof left);
	CU_ASSERT_EQUAL(fread(right, 1, sizeof right, b), length);
	CU_ASSERT_EQUAL(memcmp(left, right, length), 0);
	fclose(a);
	fclose(b);
	room_end(&one);
	room_end(&two);
}

/* Writes one text, and returns the cell that comes back. */
static struct seen
text_through_a_file(const char *text)
{
	struct room room = room_new();
	struct workbook_file *file = small_book(&room, text, "1", "1");
	struct workbook_proof proof;
	struct error err = {0};
	struct seen seen;

	if (!workbook_file_finish(file, &proof, &err))
		error_print(stdout, &err);
	workbook_file_release(file);
	seen = cell_at(room.file, 1, 0);
	room_end(&room);
	return seen;
}

static void
text_stays_text_whatever_it_looks_like(void)
{
	static const char *const texts[] = {"=1+1", "=cmd|' /C calc'!A0", "+49 30 1234", "-5", "@SUM(A1)", "9007199254740993",
	    "00017", "1E5", "2026-10-01", "TRUE", "<b>&amp;\"'</b>", " blanks ", "two\nlines", "tab\there",
	    "\xe6\xa0\xaa\xe5\xbc\x8f \xf0\x9f\x98\x80"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct seen seen = text_through_a_file(texts[i]);

		EXPECT_TEXT(seen.value, texts[i]);
		EXPECT_TEXT(seen.formula, "");
		CU_ASSERT_EQUAL(seen.kind, XLSX_TEXT);
	}
}

static void
bytes_that_xml_cannot_hold_and_what_looks_like_their_escape_come_back_unchanged(void)
{
	static const char *const texts[] = {"bell\x07", "carriage\r\n", "_x0041_", "_x005F_x0041_", "a\x01_x0001_", "__x00e9_",
	    "\xef\xbf\xbe\xef\xbf\xbf", "_x12", "\x7f"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		EXPECT_TEXT(text_through_a_file(texts[i]).value, texts[i]);
}

static void
a_text_too_long_for_a_cell_is_cut_and_says_so(void)
{
	struct arena arena = {0};
	char *text = memory_new(40001, 1);
	struct cell cell;

	memset(text, 'x', 40000);
	cell = cell_text(&arena, text);
	CU_ASSERT(strlen(cell.text) < 32767);
	CU_ASSERT_PTR_NOT_NULL(strstr(cell.text, "x ... (8000 more bytes do not fit in a cell)"));
	free(text);
	arena_release(&arena);
}

static void
a_number_of_fifteen_digits_is_a_number_and_of_sixteen_is_text(void)
{
	struct arena arena = {0};

	CU_ASSERT_EQUAL(cell_decimal(&arena, number("123456789012345"), 0).kind, CELL_NUMBER);
	CU_ASSERT_EQUAL(cell_decimal(&arena, number("-9.99999999999999"), 0).kind, CELL_NUMBER);
	CU_ASSERT_EQUAL(cell_decimal(&arena, number("1234567890123450000"), 0).kind, CELL_NUMBER);
	CU_ASSERT_EQUAL(cell_decimal(&arena, number("0.000000000000123456"), 0).kind, CELL_NUMBER);
	CU_ASSERT_EQUAL(cell_decimal(&arena, number("1234567890123456"), 0).kind, CELL_TEXT);
	EXPECT_TEXT(cell_decimal(&arena, number("1.000000000000001"), 0).text, "1.000000000000001");
	arena_release(&arena);
}

static void
an_amount_is_rounded_to_fifteen_digits_and_is_text_where_its_cents_do_not_fit(void)
{
	struct arena arena = {0};
	char text[DECIMAL_TEXT];

	EXPECT_TEXT(decimal_format(cell_amount(&arena, number("0.1234567890123445"), 8, 2).number, text), "0.123456789012345");
	EXPECT_TEXT(decimal_format(cell_amount(&arena, number("-1234567.123456785"), 8, 2).number, text), "-1234567.12345679");
	EXPECT_TEXT(decimal_format(cell_amount(&arena, number("9999999999999.994"), 8, 2).number, text), "9999999999999.99");
	EXPECT_TEXT(cell_amount(&arena, number("10000000000000.01"), 8, 2).text, "10000000000000.01");
	EXPECT_TEXT(cell_amount(&arena, number("1"), 8, 2).format, "#,##0.00000000;[Red]-#,##0.00000000");
	EXPECT_TEXT(cell_exact(&arena, number("-0.000000000000000001")).text, "-0.000000000000000001");
	arena_release(&arena);
}

static void
every_number_of_up_to_fifteen_digits_survives_the_file(void)
{
	static const char *const amounts[] = {"0", "-0.01", "9.51234567890123", "0.000000000000000001", "999999999999999",
	    "-123456789012345", "8.41", "0.000000123456789012", "170141183460469000000", "0.3", "4.35", "1.005"};
	struct room room = room_new();
	struct workbook_file *file = begin(&room);
	struct arena arena = {0};
	uint64_t state = 20260711;

	for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
		row(file, cell_text(&arena, amounts[i]), cell_decimal(&arena, number(amounts[i]), 0));
	for (int i = 0; i < 5000; i++) {
		struct decimal value;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		value.e18 = (i128)(int64_t)state * (i < 2500 ? 1 : 1000000007);
		row(file, cell_text(&arena, "random"), cell_amount(&arena, value, 8, 2));
	}
	struct error err = {0};

	CU_ASSERT_TRUE(workbook_file_write(file, &err));
	EXPECT_TEXT(proof_of(file), "");
	workbook_file_release(file);
	arena_release(&arena);
	room_end(&room);
}

static void
a_day_is_a_day_of_the_spreadsheet_calendar(void)
{
	char text[DECIMAL_TEXT];

	EXPECT_TEXT(decimal_format(cell_instant(noon).number, text), "46328.5"); /* 25569 days to 1970, then 20759.5 */
	EXPECT_TEXT(decimal_format(cell_date((struct instant){noon.us - INT64_C(43200000000)}).number, text), "46328");
	EXPECT_TEXT(
	    decimal_format(cell_instant((struct instant){noon.us + 3600000000 + 999999}).number, text), "46328.5416666667");
}

static struct decimal
parsed(const char *text)
{
	struct decimal value = {-1};
	struct error err;

	CU_ASSERT_TRUE(cell_number_parse(text, strlen(text), &value, &err));
	return value;
}

static void
a_number_of_a_file_is_read_with_its_exponent_and_to_fifteen_digits(void)
{
	char text[DECIMAL_TEXT];
	struct decimal value;
	struct error err;

	EXPECT_TEXT(decimal_format(parsed("1.5E-07"), text), "0.00000015");
	EXPECT_TEXT(decimal_format(parsed("-1.5E+15"), text), "-1500000000000000");
	EXPECT_TEXT(decimal_format(parsed("9.512345678901231"), text), "9.51234567890123");
	EXPECT_TEXT(decimal_format(parsed("4.6E-19"), text), "0");
	EXPECT_TEXT(decimal_format(parsed("5E-19"), text), "0.000000000000000001");
	EXPECT_TEXT(decimal_format(parsed("-0"), text), "0");
	CU_ASSERT_FALSE(cell_number_parse("", 0, &value, &err));
	CU_ASSERT_FALSE(cell_number_parse("1E", 2, &value, &err));
	CU_ASSERT_FALSE(cell_number_parse("1,5", 3, &value, &err));
	CU_ASSERT_FALSE(cell_number_parse("nan", 3, &value, &err));
	CU_ASSERT_FALSE(cell_number_parse("1E+300", 6, &value, &err));
}

static void
cells_are_named_as_in_a_spreadsheet(void)
{
	char name[CELL_NAME];

	EXPECT_TEXT(cell_name(0, 0, name), "A1");
	EXPECT_TEXT(cell_name(16, 25, name), "Z17");
	EXPECT_TEXT(cell_name(16, 26, name), "AA17");
	EXPECT_TEXT(cell_name(XLSX_ROWS - 1, XLSX_COLUMNS - 1, name), "XFD1048576");
}

static void
a_row_beyond_the_last_is_refused_with_a_remedy(void)
{
	struct room room = room_new();
	struct workbook_file *file = begin(&room);
	struct error err = {0};

	for (int i = 0; i < XLSX_ROWS; i++)
		if (!workbook_file_row(file, NULL, 0, &err))
			CU_FAIL_FATAL("a row was refused too early");
	CU_ASSERT_FALSE(workbook_file_row(file, NULL, 0, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_RANGE);
	CU_ASSERT_NOT_EQUAL(err.hint[0], '\0');
	workbook_file_release(file);
	room_end(&room);
}

/* --- damage ---------------------------------------------------------------------------------- */

/* Puts another workbook in the place of the one that was written, before the proof. */
static void
swapped_is_found(const char *text, const char *amount, const char *sum, const char *words)
{
	struct room one = room_new(), two = room_new();
	struct workbook_file *file = small_book(&one, "acme", "1.50", "1.50"), *other = small_book(&two, text, amount, sum);
	struct error err = {0};

	CU_ASSERT_TRUE(workbook_file_write(file, &err));
	EXPECT_TEXT(proof_of(file), "");
	CU_ASSERT_TRUE(workbook_file_write(other, &err));
	CU_ASSERT_EQUAL(rename(workbook_file_path(other), workbook_file_path(file)), 0);
	expect_found(file, words);
	workbook_file_release(file);
	workbook_file_release(other);
	CU_ASSERT_EQUAL(room_count(one.path), 0);
	room_end(&one);
	room_end(&two);
}

static void
a_changed_cell_is_found_and_named(void)
{
	swapped_is_found("acmf", "1.50", "1.50", "cell A2 differs");
	swapped_is_found("acme", "1.51", "1.50", "cell B2 differs");
	swapped_is_found("acme", "1.50", "1.51", "cell B3 differs");
	swapped_is_found("acme", "1234567890123456", "1.50", "cell B2 differs");
	swapped_is_found("", "1.50", "1.50", "cell A2 is missing");
}

static void
a_missing_and_an_unknown_row_are_found(void)
{
	struct room one = room_new(), two = room_new();
	struct workbook_file *file = small_book(&one, "acme", "1", "1"), *longer = small_book(&two, "acme", "1", "1");
	struct arena arena = {0};
	struct error err = {0};
	char aside[128];

	row(longer, cell_text(&arena, "one more"), cell_text(&arena, "row"));
	CU_ASSERT_TRUE(workbook_file_write(file, &err) && workbook_file_write(longer, &err));
	snprintf(aside, sizeof aside, "%s/aside", two.path);
	CU_ASSERT_EQUAL(rename(workbook_file_path(file), aside), 0);
	CU_ASSERT_EQUAL(rename(workbook_file_path(longer), workbook_file_path(file)), 0);
	expect_found(file, "cell A4 was never written");
	CU_ASSERT_EQUAL(rename(aside, workbook_file_path(longer)), 0);
	expect_found(longer, "cell A4 is missing");
	workbook_file_release(file);
	workbook_file_release(longer);
	arena_release(&arena);
	room_end(&one);
	room_end(&two);
}

static void
a_file_cut_off_at_any_length_is_found(void)
{
	struct room room = room_new();
	struct workbook_file *file = small_book(&room, "acme", "1", "1");
	struct error err = {0};
	struct stat found;

	CU_ASSERT_TRUE(workbook_file_write(file, &err));
	CU_ASSERT_EQUAL_FATAL(stat(workbook_file_path(file), &found), 0);
	for (off_t length = found.st_size - 1; length >= 0; length -= 97) {
		CU_ASSERT_EQUAL(truncate(workbook_file_path(file), length), 0);
		CU_ASSERT_STRING_NOT_EQUAL(proof_of(file), "");
	}
	workbook_file_release(file);
	CU_ASSERT_EQUAL(room_count(room.path), 0);
	room_end(&room);
}

/* Turns over one bit of the file at a time.  A bit that no reader looks at (a date, a comment) may pass; then all
 * cells are still right, which is what the proof says. */
static void
a_turned_bit_in_the_packed_cells_is_found(void)
{
	struct room room = room_new();
	struct workbook_file *file = small_book(&room, "acme", "1", "1");
	struct error err = {0};
	struct stat found;
	int passed = 0, tried = 0;
	FILE *stream;

	CU_ASSERT_TRUE(workbook_file_write(file, &err));
	CU_ASSERT_EQUAL_FATAL(stat(workbook_file_path(file), &found), 0);
	stream = fopen(workbook_file_path(file), "r+b");
	CU_ASSERT_FATAL(stream != NULL);
	for (long at = 60; at < found.st_size - 60; at += 41) {
		int byte;

		CU_ASSERT_EQUAL(fseek(stream, at, SEEK_SET), 0);
		byte = fgetc(stream);
		CU_ASSERT(fseek(stream, at, SEEK_SET) == 0 && fputc(byte ^ 4, stream) != EOF && fflush(stream) == 0);
		passed += proof_of(file)[0] == '\0';
		tried++;
		CU_ASSERT(fseek(stream, at, SEEK_SET) == 0 && fputc(byte, stream) != EOF && fflush(stream) == 0);
	}
	fclose(stream);
	CU_ASSERT(tried > 100 && passed < tried / 5);
	EXPECT_TEXT(proof_of(file), "");
	workbook_file_release(file);
	room_end(&room);
}

static void
an_old_workbook_stays_when_the_new_one_fails(void)
{
	struct room room = room_new();
	struct workbook_file *file;
	struct error err = {0};
	FILE *old = fopen(room.file, "w");
	char text[8] = "";

	CU_ASSERT_FATAL(old != NULL && fputs("old", old) >= 0 && fclose(old) == 0);
	file = small_book(&room, "acme", "1", "1");
	CU_ASSERT_TRUE(workbook_file_write(file, &err));
	CU_ASSERT_EQUAL(truncate(workbook_file_path(file), 1000), 0);
	CU_ASSERT_STRING_NOT_EQUAL(proof_of(file), "");
	workbook_file_release(file);
	CU_ASSERT_EQUAL(room_count(room.path), 1);
	old = fopen(room.file, "r");
	CU_ASSERT_FATAL(old != NULL && fgets(text, sizeof text, old) != NULL && fclose(old) == 0);
	EXPECT_TEXT(text, "old");
	room_end(&room);
}

static void
a_folder_that_is_not_there_is_an_error_that_names_it(void)
{
	struct workbook_file *file = NULL;
	struct error err = {0};

	CU_ASSERT_FALSE(workbook_file_open("no-such-folder/book.xlsx", "t", noon, &file, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_AWAY);
	EXPECT_TEXT(err.file, "no-such-folder/book.xlsx");
	CU_ASSERT_FALSE(workbook_file_open("..", "t", noon, &file, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);
}

/* --- a full disk ----------------------------------------------------------------------------- */

/* Writes more than there is room for; true where some step says so. */
static bool
write_too_much(const struct room *room, struct error *err)
{
	struct workbook_file *file = NULL;
	struct workbook_proof proof;
	struct arena arena = {0};
	bool fine = workbook_file_open(room->file, "t", noon, &file, err) && workbook_file_sheet(file, &plain_sheet, err);

	for (int i = 0; fine && i < 20000; i++) {
		struct cell cells[] = {cell_text(&arena, arena_format(&arena, "tenant-%d", i * 7919 % 20000)),
		    cell_amount(&arena, (struct decimal){(i128)i * 1234567891234567891}, 8, 2)};

		fine = workbook_file_row(file, cells, 2, err);
	}
	fine = fine && workbook_file_finish(file, &proof, err);
	workbook_file_release(file);
	arena_release(&arena);
	return !fine;
}

static void
a_disk_that_takes_no_more_is_reported_and_nothing_is_left(void)
{
	struct room room = room_new();
	struct error err = {0};
	struct rlimit usual, small;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);

	CU_ASSERT_EQUAL(getrlimit(RLIMIT_FSIZE, &usual), 0);
	for (rlim_t limit = 20000; limit <= 1280000; limit *= 4) {
		small = (struct rlimit){limit, usual.rlim_max};
		err = (struct error){0};
		CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
		CU_ASSERT_TRUE(write_too_much(&room, &err));
		CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &usual), 0);
		CU_ASSERT_EQUAL(err.kind, ERROR_AWAY);
		CU_ASSERT_NOT_EQUAL(err.hint[0], '\0');
		CU_ASSERT_EQUAL(room_count(room.path), 0);
	}
	CU_ASSERT_FALSE(write_too_much(&room, &err));
	signal(SIGXFSZ, handler);
	room_end(&room);
}

static void
a_full_file_system_is_reported_and_nothing_is_left(void)
{
	struct room room = room_new();
	struct error err = {0};

	for (int size = 256; size <= 4096; size *= 2) {
		char option[32];

		snprintf(option, sizeof option, "size=%dk", size);
		if (mount("tmpfs", room.path, "tmpfs", 0, option) != 0) {
			printf("\n    SKIPPED: no tmpfs can be mounted here; the limit of file size stands in for a full disk\n");
			break;
		}
		err = (struct error){0};
		if (write_too_much(&room, &err)) {
			CU_ASSERT_EQUAL(err.kind, ERROR_AWAY);
			CU_ASSERT_EQUAL(room_count(room.path), 0);
		} else {
			CU_ASSERT(size >= 2048);
			CU_ASSERT_EQUAL(cell_at(room.file, 19999, 0).cells, 40000);
		}
		CU_ASSERT_EQUAL(umount2(room.path, MNT_DETACH), 0);
	}
	room_end(&room);
}

/* --- strange files --------------------------------------------------------------------------- */

/* Makes a workbook of one sheet out of its raw parts. */
static void
craft(const char *path, const char *sheet, const char *shared)
{
	const char *const parts[][2] = {
	    {"xl/workbook.xml", "<workbook xmlns:r='r'><sheets><sheet name='S' sheetId='1' r:id='rId1'/></sheets></workbook>"},
	    {"xl/_rels/workbook.xml.rels",
		"<Relationships><Relationship Id='rId1' Target='worksheets/sheet1.xml'/></Relationships>"},
	    {"xl/worksheets/sheet1.xml", sheet}, {"xl/sharedStrings.xml", shared}};
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	CU_ASSERT_FATAL(zip != NULL);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		CU_ASSERT(zip_file_add(zip, parts[i][0], zip_source_buffer(zip, parts[i][1], strlen(parts[i][1]), 0), 0) >= 0);
	CU_ASSERT_EQUAL(zip_close(zip), 0);
}

static void
shared_strings_are_read_without_their_pronunciation(void)
{
	struct room room = room_new();

	craft(room.file,
	    "<worksheet><sheetData><row r='1'><c r='A1' t='s'><v>1</v></c><c r='B1' t='e'><v>#N/A</v></c></row>"
	    "</sheetData></worksheet>",
	    "<sst><si><t>zero</t></si><si><r><t>to</t></r><r><t>kyo</t></r><rPh><t>ignored</t></rPh></si></sst>");
	EXPECT_TEXT(cell_at(room.file, 0, 0).value, "tokyo");
	CU_ASSERT_EQUAL(cell_at(room.file, 0, 0).kind, XLSX_TEXT);
	CU_ASSERT_EQUAL(cell_at(room.file, 0, 1).kind, XLSX_FAULT);
	room_end(&room);
}

static void
refused(const char *sheet, const char *words)
{
	struct room room = room_new();
	struct seen seen = {0};
	struct error err = {0};
	struct xlsx *xlsx = NULL;

	craft(room.file, sheet, "<sst/>");
	CU_ASSERT_TRUE_FATAL(xlsx_open(room.file, &xlsx, &err));
	CU_ASSERT_FALSE(xlsx_read_sheet(xlsx, 0, look, &seen, &err));
	if (strstr(err.message, words) == NULL)
		printf("\n    said \"%s\", wanted \"%s\"\n", err.message, words);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, words));
	EXPECT_TEXT(err.file, room.file);
	xlsx_close(xlsx);
	room_end(&room);
}

static void
a_sheet_that_no_spreadsheet_program_writes_is_refused(void)
{
	refused("<!DOCTYPE w [<!ENTITY a 'aaaa'>]><w><c r='A1' t='str'><v>&a;</v></c></w>", "document type");
	refused("<w><c r='B1'><v>1</v></c><c r='A1'><v>1</v></c></w>", "out of order");
	refused("<w><c r='A2'><v>1</v></c><c r='A2'><v>1</v></c></w>", "out of order");
	refused("<w><c r='XFE1'><v>1</v></c></w>", "without a usable place");
	refused("<w><c r='A1048577'><v>1</v></c></w>", "without a usable place");
	refused("<w><c><v>1</v></c></w>", "without a usable place");
	refused("<w><c r='A1' t='s'><v>0</v></c></w>", "shared string");
	refused("<w><c r='A1'><v>1</v></c>", "not whole XML");
	refused("", "not whole XML");
}

UNIT_TESTS("reports/xlsx", TEST(a_workbook_is_in_place_after_every_cell_was_read_back),
    TEST(the_same_rows_and_time_give_the_same_bytes), TEST(text_stays_text_whatever_it_looks_like),
    TEST(bytes_that_xml_cannot_hold_and_what_looks_like_their_escape_come_back_unchanged),
    TEST(a_text_too_long_for_a_cell_is_cut_and_says_so), TEST(a_number_of_fifteen_digits_is_a_number_and_of_sixteen_is_text),
    TEST(an_amount_is_rounded_to_fifteen_digits_and_is_text_where_its_cents_do_not_fit),
    TEST(every_number_of_up_to_fifteen_digits_survives_the_file), TEST(a_day_is_a_day_of_the_spreadsheet_calendar),
    TEST(a_number_of_a_file_is_read_with_its_exponent_and_to_fifteen_digits), TEST(cells_are_named_as_in_a_spreadsheet),
    TEST(a_row_beyond_the_last_is_refused_with_a_remedy), TEST(a_changed_cell_is_found_and_named),
    TEST(a_missing_and_an_unknown_row_are_found), TEST(a_file_cut_off_at_any_length_is_found),
    TEST(a_turned_bit_in_the_packed_cells_is_found), TEST(an_old_workbook_stays_when_the_new_one_fails),
    TEST(a_folder_that_is_not_there_is_an_error_that_names_it), TEST(a_disk_that_takes_no_more_is_reported_and_nothing_is_left),
    TEST(a_full_file_system_is_reported_and_nothing_is_left), TEST(shared_strings_are_read_without_their_pronunciation),
    TEST(a_sheet_that_no_spreadsheet_program_writes_is_refused))
