/* cmd_credit_note.c -- `tollbook credit-note issue|list|show`. */
#include <string.h>

#include "base/money.h"
#include "base/table.h"
#include "ledger/credit_note.h"

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

/* Columns of credit_note_find.sql. */
enum note_column {
	NOTE_ID,
	NOTE_NUMBER,
	NOTE_INVOICE,
	NOTE_INVOICE_DATE,
	NOTE_ISSUER,
	NOTE_ISSUER_NAME,
	NOTE_TENANT,
	NOTE_TENANT_NAME,
	NOTE_SCOPE,
	NOTE_CURRENCY,
	NOTE_MINOR_UNITS,
	NOTE_NET,
	NOTE_CREDITS,
	NOTE_TAX_NAME,
	NOTE_TAX_PERCENT,
	NOTE_TAX,
	NOTE_TOTAL,
	NOTE_TO_BALANCE,
	NOTE_TO_REFUND,
	NOTE_REASON,
	NOTE_TICKET,
	NOTE_TEXT,
	NOTE_REQUEST,
	NOTE_ISSUED_ON,
	NOTE_ISSUED_BY,
	NOTE_DIGEST,
	NOTE_PERIOD,
};

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

static const char *
text_option(const struct run *run, const char *name)
{
	const char *value = option_value(run, name);

	return value == NULL ? "" : value;
}

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
	    .ticket = text_option(run, "ticket"),
	    .note = text_option(run, "note")};
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

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LIST, PARAMS(text_option(run, "tenant"), text_option(run, "invoice")), &rows,
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

static void
print_amounts(struct run *run, const struct rows *note)
{
	const char *currency = word(note, NOTE_CURRENCY);

	printf("net       %s %s\n", amount(run, note, NOTE_NET), currency);
	if (row_number(note, 0, NOTE_CREDITS) != 0)
		printf("credits   %s %s of it had been paid by credits, and went back to them\n", amount(run, note, NOTE_CREDITS),
		    currency);
	if (word(note, NOTE_TAX_NAME)[0] != '\0')
		printf("tax       %s %s, %s %s %%\n", amount(run, note, NOTE_TAX), currency, word(note, NOTE_TAX_NAME),
		    word(note, NOTE_TAX_PERCENT));
	printf("total     %s %s\n", amount(run, note, NOTE_TOTAL), currency);
	if (row_number(note, 0, NOTE_TO_BALANCE) != 0)
		printf("balance   %s %s of it had been paid, and is on the tenant's balance\n",
		    amount(run, note, NOTE_TO_BALANCE), currency);
	if (row_number(note, 0, NOTE_TO_REFUND) != 0)
		printf(
		    "refund    %s %s of it had been paid, and is to be paid back\n", amount(run, note, NOTE_TO_REFUND), currency);
}

static void
print_header(struct run *run, const struct rows *note)
{
	printf("CREDIT NOTE %s over invoice %s of %s\n", word(note, NOTE_NUMBER), word(note, NOTE_INVOICE),
	    word(note, NOTE_INVOICE_DATE));
	printf("from      %s (%s)\n", word(note, NOTE_ISSUER_NAME), word(note, NOTE_ISSUER));
	printf("to        %s (%s)\n", word(note, NOTE_TENANT_NAME), word(note, NOTE_TENANT));
	printf("period    %s\n", word(note, NOTE_PERIOD));
	printf("issued    %s by %s, content SHA-256 %s\n", word(note, NOTE_ISSUED_ON), word(note, NOTE_ISSUED_BY),
	    word(note, NOTE_DIGEST));
	printf("reason    %s%s%s%s%s, request %s\n", word(note, NOTE_REASON),
	    word(note, NOTE_TICKET)[0] == '\0' ? "" : ", ticket ", word(note, NOTE_TICKET),
	    word(note, NOTE_TEXT)[0] == '\0' ? "" : ": ", word(note, NOTE_TEXT), word(note, NOTE_REQUEST));
	printf("credits   %s\n",
	    strcmp(word(note, NOTE_SCOPE), "full") == 0 ? "the invoice in full: its period is invoiced again"
							: word(note, NOTE_SCOPE));
	print_amounts(run, note);
	printf("\n");
}

static bool
print_lines(struct run *run, const struct rows *note, struct error *err)
{
	static const struct column columns[] = {{"place", "place", COLUMN_NUMBER}, {"line", "line", COLUMN_NUMBER},
	    {"adjustment", "adjustment", COLUMN_NUMBER}, {"model", "model", COLUMN_TEXT},
	    {"service_tier", "service tier", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT},
	    {"detail", "detail", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER}, {0}};
	enum { FIRST_AMOUNT = 8, COLUMNS = 10 };
	struct table *table;
	struct rows lines;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LINES, PARAMS(word(note, NOTE_ID)), &lines, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < lines.count; i++) {
		table_row(table);
		for (int j = 0; j < FIRST_AMOUNT; j++)
			table_cell(table, row_is_null(&lines, i, j) ? NULL : row_text(&lines, i, j));
		for (int j = FIRST_AMOUNT; j < COLUMNS; j++)
			table_cell(
			    table, money_text(&run->arena, row_number(&lines, i, j), row_number(note, 0, NOTE_MINOR_UNITS)));
	}
	table_print(table, run, "no lines");
	table_free(table);
	rows_release(&lines);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	struct rows note;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_FIND, PARAMS(run->operands[0]), &note, err))
		return false;
	if (note.count != 1) {
		rows_release(&note);
		error_set(err, ERROR_STATE, "there is no credit note \"%s\"", run->operands[0]);
		return error_hint(err, "tollbook credit-note list shows their numbers.");
	}
	if (run->format == FORMAT_TABLE)
		print_header(run, &note);
	fine = print_lines(run, &note, err);
	rows_release(&note);
	return fine;
}
