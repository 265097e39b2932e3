/* cmd_credit_note.c -- `tollbook credit-note issue|list|show`. */
#include <string.h>

#include "base/money.h"
#include "base/table.h"
#include "ledger/credit_note.h"
#include "ledger/credit_note_document.h"

static bool issue(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);

static const struct option_spec issue_options[] = {
    {"full", NULL, "all that is left of it; releases its period, which is invoiced again", 0},
    {"line", "N[=AMOUNT]...", "what is left of a line, or an amount of it before tax; may be given again", 'l'},
    {"amount", "AMOUNT", "an amount before tax, spread over what is left of all lines", 'a'},
    {"pending", NULL, "adjustments of its period that are owed to the tenant and wait for an invoice", 0},
    {"reason", "REASON", "why: a code of tollbook reason list", 'r'},
    {"to", "balance|refund", "where what was paid above what is due goes; default: balance", 0},
    {"ticket", "TICKET", "the ticket it is about", 0},
    {"note", "TEXT", "a sentence that the credit note says", 0},
    {"request", "ID", "asked for again with the same ID, it is the same credit note", 0},
    {0},
};

static const struct option_spec list_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {"invoice", "NUMBER", "only over this invoice", 'i'},
    {0},
};

const struct command cmd_credit_note_issue = {
    .name = "credit-note issue",
    .summary = "credit a final invoice: in full, by line, by amount",
    .operands = "NUMBER",
    .operands_min = 1,
    .operands_max = 1,
    .options = issue_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook credit-note issue TF-INV-2026-000001 --line 3=12.50 --reason service_outage --ticket SUP-7\n"
	       "  tollbook credit-note issue TF-INV-2026-000001 --full --reason wrong_party --to refund",
    .run = issue,
};

const struct command cmd_credit_note_list = {
    .name = "credit-note list",
    .summary = "list credit notes with their amounts",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook credit-note list --invoice TF-INV-2026-000001",
    .run = list,
};

const struct command cmd_credit_note_show = {
    .name = "credit-note show",
    .summary = "show a credit note with its lines",
    .operands = "NUMBER",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook credit-note show TF-CRN-2026-000001",
    .run = show,
};

/* --- amounts --------------------------------------------------------------------------------- */

static const char *
amount(struct run *run, const struct rows *note, enum note_column column)
{
	return money_text(&run->arena, row_number(note, 0, (int)column), row_number(note, 0, NOTE_MINOR_UNITS));
}

static const char *
word(const struct rows *note, enum note_column column)
{
	return row_text(note, 0, (int)column);
}

/* --- issue ----------------------------------------------------------------------------------- */

static bool
read_scope(const struct run *run, enum credit_scope *scope, struct error *err)
{
	static const struct {
		const char *option;
		enum credit_scope scope;
	} ways[] = {{"full", CREDIT_FULL}, {"line", CREDIT_LINES}, {"amount", CREDIT_AMOUNT}, {"pending", CREDIT_ADJUSTMENTS}};
	int given = 0;

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		if (option_value(run, ways[i].option) != NULL) {
			*scope = ways[i].scope;
			given++;
		}
	if (given == 1)
		return true;
	error_set(err, ERROR_USAGE, "credit-note issue takes one of --full, --line, --amount and --pending");
	return error_hint(err, "tollbook credit-note issue --help says what they credit.");
}

static bool
read_destination(const struct run *run, bool *refund, struct error *err)
{
	const char *to = option_value(run, "to");

	*refund = to != NULL && strcmp(to, "refund") == 0;
	if (to == NULL || *refund || strcmp(to, "balance") == 0)
		return true;
	return error_set(err, ERROR_USAGE, "--to %s: it is balance or refund", to);
}

static bool
read_request(const struct run *run, const char **request, struct error *err)
{
	*request = option_value(run, "request");
	return *request == NULL || **request != '\0' || error_set(err, ERROR_USAGE, "--request is empty");
}

static bool
read_wish(struct run *run, struct credit_wish *wish, struct error *err)
{
	const char **lines = arena_take(&run->arena, (run->use_count + 1) * sizeof *lines);
	const char *line;

	*wish = (struct credit_wish){.invoice = run->operands[0],
	    .lines = lines,
	    .amount = option_value(run, "amount"),
	    .reason = option_value(run, "reason"),
	    .ticket = option_text(run, "ticket"),
	    .note = option_text(run, "note")};
	while ((line = option_each(run, "line", wish->line_count)) != NULL)
		lines[wish->line_count++] = line;
	if (wish->reason == NULL) {
		error_set(err, ERROR_USAGE, "credit-note issue needs --reason");
		return error_hint(err, "tollbook reason list shows the reasons there are.");
	}
	return read_scope(run, &wish->scope, err) && read_destination(run, &wish->refund, err) &&
	    read_request(run, &wish->request, err);
}

static void
print_issued(struct run *run, const struct rows *note)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"invoice", "invoice", COLUMN_TEXT},
	    {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER}, {"tax", "tax", COLUMN_NUMBER},
	    {"total", "total", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"to_balance", "to balance", COLUMN_NUMBER},
	    {"to_refund", "to refund", COLUMN_NUMBER}, {"request", "request", COLUMN_TEXT}, {0}};
	static const enum note_column amounts[] = {NOTE_NET, NOTE_CREDITS, NOTE_TAX, NOTE_TOTAL};
	struct table *table = table_new(columns);

	table_row(table);
	table_cell(table, word(note, NOTE_NUMBER));
	table_cell(table, word(note, NOTE_INVOICE));
	for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
		table_cell(table, amount(run, note, amounts[i]));
	table_cell(table, word(note, NOTE_CURRENCY));
	table_cell(table, amount(run, note, NOTE_TO_BALANCE));
	table_cell(table, amount(run, note, NOTE_TO_REFUND));
	table_cell(table, word(note, NOTE_REQUEST));
	table_print(table, run, "");
	table_free(table);
}

static bool
issue(struct run *run, struct error *err)
{
	struct credit_wish wish;
	struct rows note;
	bool again = false;

	if (!read_wish(run, &wish, err) || !credit_note_issue(run, &wish, &note, &again, err))
		return false;
	if (again)
		say(run, "request %s was made before: this is its credit note", wish.request);
	else if (wish.scope == CREDIT_FULL && !run->dry_run)
		say(run, "its usage can be invoiced again: tollbook rate, then tollbook invoice draft and finalize");
	print_issued(run, &note);
	rows_release(&note);
	return true;
}

/* --- list and show --------------------------------------------------------------------------- */

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"invoice", "invoice", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"issued_on", "issued on", COLUMN_TEXT}, {"scope", "scope", COLUMN_TEXT},
	    {"currency", "currency", COLUMN_TEXT}, {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER},
	    {"tax", "tax", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"to_balance", "to balance", COLUMN_NUMBER},
	    {"to_refund", "to refund", COLUMN_NUMBER}, {"reason", "reason", COLUMN_TEXT}, {"ticket", "ticket", COLUMN_TEXT}, {0}};
	enum { MINOR_UNITS = 6, FIRST_AMOUNT = 7, LAST_AMOUNT = 12, COLUMNS = 15 };
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LIST, PARAMS(option_text(run, "tenant"), option_text(run, "invoice")), &rows,
		err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < COLUMNS; j++)
			if (j >= FIRST_AMOUNT && j <= LAST_AMOUNT)
				table_cell(
				    table, money_text(&run->arena, row_number(&rows, i, j), row_number(&rows, i, MINOR_UNITS)));
			else if (j != MINOR_UNITS)
				table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no credit notes");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	return credit_note_show(run, run->operands[0], run->format, stdout, err);
}
