/*
 * contract_document_test.c -- the examples of docs/price-books.md about terms of contracts, computed from the document itself.
 *
 * A block of JSON is terms; the table below it says what they come to, in one of three forms: when a trial ends, how much an allowance
 * includes, or which charges are made.  Rows of the last form follow one another in time, and a commitment counts over them.
 */
#include "base/zone.h"
#include "rating/contract_charges.h"
#include "tests/unit/rating/contracts.h"

static const char document_name[] = "docs/price-books.md";
static const char zone_of_examples[] = "Europe/Berlin";

enum { CELLS_MAX = 6, NETS_MAX = 8 };

/* The example being read. */
struct example {
	struct text json;
	struct contract_terms *terms;
	void (*row)(struct example *example, char *const *cell);
	char window[CONTRACT_PERIOD_BYTES];
	struct decimal spent;
	size_t rows;
};

static struct instant
midnight(int year, int month, int day)
{
	struct instant at = {0};

	CU_ASSERT_TRUE_FATAL(zone_midnight(zone_find(zone_of_examples), year, month, day, &at));
	return at;
}

static int
number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* "2026-05-16" */
static struct instant
day(const char *text)
{
	CU_ASSERT_EQUAL_FATAL(strlen(text), 10);
	return midnight(number(text), number(text + 5), number(text + 8));
}

/* "2026-05", and "all", "from DAY" or "until DAY" */
static struct contract_segment
segment_of(const char *period, const char *in_force)
{
	struct contract_segment segment = {0};
	int year = number(period), month;

	CU_ASSERT_EQUAL_FATAL(strlen(period), CONTRACT_PERIOD_BYTES - 1);
	month = number(period + 5);
	segment.starts = segment.period_starts = midnight(year, month, 1);
	segment.ends = segment.period_ends = month == 12 ? midnight(year + 1, 1, 1) : midnight(year, month + 1, 1);
	if (strncmp(in_force, "from ", 5) == 0)
		segment.starts = day(in_force + 5);
	else if (strncmp(in_force, "until ", 6) == 0)
		segment.ends = day(in_force + 6);
	else
		EXPECT_TEXT(in_force, "all");
	return segment;
}

/* --- the three forms of rows ------------------------------------------------------------------ */

static void
trial_row(struct example *example, char *const *cell)
{
	EXPECT_TEXT(contract_is_trial(example->terms, moment(cell[0])) ? "nothing" : "its price", cell[1]);
}

static void
allowance_row(struct example *example, char *const *cell)
{
	struct contract_segment segment = segment_of(cell[0], cell[1]);
	char text[DECIMAL_TEXT];
	struct error err;
	i128 quantity = 0;

	CU_ASSERT_TRUE(contract_allowance_quantity(example->terms, &segment, 0, &quantity, &err));
	EXPECT_TEXT(integer_format(quantity, text), cell[2]);
}

/* "40 + 100 + 20" */
static size_t
nets_of(char *usage, struct contract_net *nets)
{
	size_t count = 0;

	for (char *cost; usage[0] != '\0' && (cost = strsep(&usage, "+")) != NULL; count++) {
		CU_ASSERT_FATAL(count < NETS_MAX);
		cost += strspn(cost, " ");
		cost[strcspn(cost, " ")] = '\0';
		nets[count] = (struct contract_net){"m", "default", METER_requests, amount_of(cost)};
		if (usage == NULL)
			return count + 1;
	}
	return count;
}

static void
expect_charges(const struct contract_charge *charges, size_t count, const char *wanted)
{
	struct text told = {0};

	for (size_t i = 0; i < count; i++) {
		char amount[DECIMAL_TEXT];

		text_add_format(&told, "%s%s %s %s: %s", i > 0 ? "; " : "", charge_kind_text(charges[i].kind), charges[i].name,
		    decimal_format(charges[i].amount, amount), charges[i].detail);
	}
	EXPECT_TEXT(text_string(&told), wanted);
	text_release(&told);
}

/* The window that the period lies in; a new one begins with nothing spent. */
static void
enter_window(struct example *example, const char *period, struct contract_segment *segment)
{
	char first[CONTRACT_PERIOD_BYTES] = "";

	if (!contract_window(example->terms, period, first, &segment->last_of_window))
		return;
	if (strcmp(first, example->window) != 0)
		example->spent = (struct decimal){0};
	memcpy(example->window, first, sizeof first);
	segment->spent_before = example->spent;
}

static void
charges_row(struct example *example, char *const *cell)
{
	struct contract_charge charges[CONTRACT_CHARGES_MAX];
	struct contract_segment segment = segment_of(cell[0], cell[1]);
	struct contract_net nets[NETS_MAX];
	size_t count = nets_of(cell[2], nets), made = 0;
	struct arena arena = {0};
	struct error err;

	enter_window(example, cell[0], &segment);
	CU_ASSERT_TRUE(contract_charges_make(example->terms, &segment, nets, count, &arena, charges, &made, &err));
	expect_charges(charges, made, cell[3]);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_TRUE(decimal_add(example->spent, nets[i].net, &example->spent, &err));
	arena_release(&arena);
}

/* --- the document ----------------------------------------------------------------------------- */

/* Cells without the blanks around them; CELLS_MAX of them, empty where the line has fewer. */
static void
split(char *line, char **cell)
{
	static char empty[] = "";

	line[strcspn(line, "\n")] = '\0';
	(void)strsep(&line, "|");
	for (size_t i = 0; i < CELLS_MAX; i++) {
		char *text = line == NULL ? empty : strsep(&line, "|");
		size_t length;

		text += strspn(text, " ");
		for (length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
			text[length - 1] = '\0';
		cell[i] = text;
	}
}

static void
forget(struct example *example)
{
	contract_terms_free(example->terms);
	text_release(&example->json);
	*example = (struct example){.rows = example->rows};
}

static void
read_table_line(struct example *example, char *line)
{
	static const struct {
		const char *header;
		void (*row)(struct example *example, char *const *cell);
	} forms[] = {{"usage at", trial_row}, {"included", allowance_row}, {"charges", charges_row}};
	char *cell[CELLS_MAX];

	if (strncmp(line, "|---", 4) == 0)
		return;
	split(line, cell);
	if (example->row != NULL) {
		example->row(example, cell);
		example->rows++;
		return;
	}
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		for (size_t column = 0; column < CELLS_MAX; column++)
			if (strcmp(cell[column], forms[i].header) == 0)
				example->row = forms[i].row;
	CU_ASSERT_PTR_NOT_NULL_FATAL(example->row);
}

/* Returns how many examples there are in the part about terms. */
static size_t
read_document(FILE *file, struct example *example)
{
	bool is_here = false, is_json = false;
	char line[4096];
	size_t count = 0;
	struct error err;

	while (fgets(line, sizeof line, file) != NULL) {
		if (strncmp(line, "## ", 3) == 0)
			is_here = strcmp(line, "## Contracts with an override and terms\n") == 0;
		if (!is_here)
			continue;
		if (strcmp(line, "```json\n") == 0) {
			forget(example);
			is_json = true;
		} else if (strcmp(line, "```\n") == 0) {
			is_json = false;
			CU_ASSERT_TRUE_FATAL(contract_terms_parse(text_string(&example->json), example->json.length,
			    document_name, "terms", zone_of_examples, &example->terms, &err));
			count++;
		} else if (is_json) {
			text_add_string(&example->json, line);
		} else if (example->terms != NULL && line[0] == '|') {
			read_table_line(example, line);
		}
	}
	return count;
}

static void
the_examples_of_the_document_are_right(void)
{
	FILE *file = fopen(document_name, "r");
	struct example example = {0};
	size_t count;

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	count = read_document(file, &example);
	CU_ASSERT_FALSE(ferror(file));
	CU_ASSERT_EQUAL(fclose(file), 0);
	printf("\n    %s: %zu examples of terms, %zu rows\n", document_name, count, example.rows);
	CU_ASSERT_EQUAL(count, 8);
	CU_ASSERT_EQUAL(example.rows, 26);
	forget(&example);
}

UNIT_TESTS("rating/contract_document", TEST(the_examples_of_the_document_are_right))
