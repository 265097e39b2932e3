/* cmd_reason.c -- `tollbook reason list|add`: the codes that say why. */
#include <string.h>

#include "base/document.h"
#include "base/table.h"
#include "ledger/audit.h"

static bool list(struct run *run, struct error *err);
static bool add(struct run *run, struct error *err);

static const char *const uses[] = {"credit", "revoke", "credit_note", "rerate", "usage", "write_off", "close"};
enum { USES = sizeof uses / sizeof uses[0], REASON_LETTERS = 40 };

static const struct option_spec add_options[] = {
    {"for", "USE...", "credit, revoke, credit_note, rerate, usage, write_off or close; may be given again", 0},
    {"meaning", "TEXT", "what it means, for people; must be given", 0},
    {0},
};

const struct command cmd_reason_list = {
    .name = "reason list",
    .summary = "list the reason codes, what they are for, and what they mean",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook reason list",
    .run = list,
};

const struct command cmd_reason_add = {
    .name = "reason add",
    .summary = "add a reason code; adding it again changes nothing, and none is ever changed",
    .operands = "CODE",
    .operands_min = 1,
    .operands_max = 1,
    .options = add_options,
    .needs = NEEDS_DB,
    .takes_dry_run = true,
    .example = "  tollbook reason add beta_customer --for credit --for credit_note --meaning 'agreed for the beta'",
    .run = add,
};

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {
	    {"reason", "reason", COLUMN_TEXT}, {"used_for", "for", COLUMN_TEXT}, {"meaning", "meaning", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_REASON_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "no reasons");
	table_free(table);
	rows_release(&rows);
	return true;
}

/* As finance.reason wants it. */
static bool
check_code(const char *code, struct error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t length = strlen(code);

	if (length >= 2 && length <= REASON_LETTERS && strspn(code, allowed) == length && code[0] >= 'a' && code[0] <= 'z')
		return true;
	return error_set(err, ERROR_USAGE,
	    "\"%s\" is no reason code: a small letter, then 1 to 39 small letters, digits and underscores", code);
}

/* The uses on the command line, in the order of the list above, each once; as words for people, and as an array. */
static bool
read_uses(struct run *run, const char **words, const char **array, struct error *err)
{
	const char *stated[USES], *use;
	bool wanted[USES] = {false};
	struct text list_text = {0}, elements = {0};
	size_t count = 0;

	for (size_t at = 0; (use = option_each(run, "for", at)) != NULL; at++) {
		size_t i = 0;

		while (i < USES && strcmp(uses[i], use) != 0)
			i++;
		if (i == USES) {
			error_set(err, ERROR_USAGE, "no verb takes reasons for \"%s\"", use);
			return document_suggest(err, use, uses, USES);
		}
		wanted[i] = true;
	}
	for (size_t i = 0; i < USES; i++)
		if (wanted[i]) {
			text_add_format(&list_text, "%s%s", count == 0 ? "" : ", ", uses[i]);
			stated[count++] = uses[i];
		}
	if (count == 0) {
		error_set(err, ERROR_USAGE, "reason add needs --for");
		return document_suggest(err, "", uses, USES);
	}
	text_add_elements(&elements, stated, count);
	*words = arena_copy(&run->arena, list_text.bytes, list_text.length);
	*array = arena_copy(&run->arena, elements.bytes, elements.length);
	text_release(&list_text);
	text_release(&elements);
	return true;
}

/* Whether it is there already, as it is stated now; another meaning or use is refused. */
static bool
find_before(struct run *run, const char *code, const char *meaning, const char *array, bool *before, struct error *err)
{
	struct rows rows;
	bool same;

	if (!db_rows(run->db, SQL_LEDGER_REASON_GET, PARAMS(code, array), &rows, err))
		return false;
	*before = rows.count == 1;
	same = !*before || (strcmp(row_text(&rows, 0, 0), meaning) == 0 && row_bool(&rows, 0, 1));
	rows_release(&rows);
	if (same)
		return true;
	error_set(err, ERROR_STATE, "the reason \"%s\" is there with another meaning or for other uses", code);
	return error_hint(err, "What was said with it stays said: add another code.  tollbook reason list shows it.");
}

static bool
add_in_transaction(struct run *run, const char *meaning, const char *words, const char *array, bool *before, struct error *err)
{
	const char *code = run->operands[0];

	return find_before(run, code, meaning, array, before, err) &&
	    (*before ||
		(db_change(run->db, SQL_LEDGER_REASON_ADD, PARAMS(code, meaning, array), 1, err) &&
		    audit_add(run,
			&(struct audit){.action = "reason add",
			    .subject = code,
			    .after = arena_format(&run->arena, "for %s: %s", words, meaning)},
			err)));
}

static bool
add(struct run *run, struct error *err)
{
	const char *code = run->operands[0], *meaning = option_value(run, "meaning"), *words = NULL, *array = NULL;
	bool before = false, fine;

	if (!check_code(code, err) || !read_uses(run, &words, &array, err))
		return false;
	if (meaning == NULL || meaning[0] == '\0')
		return error_set(err, ERROR_USAGE, "reason add needs --meaning");
	fine = db_begin(run->db, err) && add_in_transaction(run, meaning, words, array, &before, err);
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		printf("%s: %s\n", code, before ? "there before" : run->dry_run ? "would be added" : "added");
	return fine;
}
