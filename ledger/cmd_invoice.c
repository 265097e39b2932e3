/* cmd_invoice.c -- `tollbook invoice draft|finalize|list|show|uncollectible`. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/invoice.h"
#include "ledger/meter.h"
#include "ledger/period.h"

static bool draft(struct run *run, struct error *err);
static bool finalize(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool uncollectible(struct run *run, struct error *err);

static const struct option_spec scope_options[] = {
    {"period", "YYYY-MM", "only this billing period", 'p'},
    {"tenant", "TENANT", "only this tenant", 't'},
    {0},
};

const struct command cmd_invoice_draft = {
    .name = "invoice draft",
    .summary = "draft invoices from the charges in force; drafting again replaces drafts",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice draft --period 2026-10",
    .run = draft,
};

const struct command cmd_invoice_finalize = {
    .name = "invoice finalize",
    .summary = "give drafts their numbers; a final invoice never changes",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice finalize --period 2026-10\n  tollbook invoice finalize --tenant acme --as-of 2026-11-01",
    .run = finalize,
};

const struct command cmd_invoice_list = {
    .name = "invoice list",
    .summary = "list invoices and drafts with their totals and what is due",
    .operands = "",
    .options = scope_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook invoice list --period 2026-10 --format csv",
    .run = list,
};

const struct command cmd_invoice_show = {
    .name = "invoice show",
    .summary = "show an invoice with its lines",
    .operands = "NUMBER|TENANT:PERIOD",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook invoice show TF-INV-2026-000001\n  tollbook invoice show acme:2026-10",
    .run = show,
};

static const struct option_spec uncollectible_options[] = {
    {"reason", "REASON", "why, of those that tollbook reason list shows", 'r'},
    {"ticket", "TICKET", "where it was decided", 'k'},
    {0},
};

const struct command cmd_invoice_uncollectible = {
    .name = "invoice uncollectible",
    .summary = "write off what is due of an invoice that nobody expects to be paid",
    .operands = "NUMBER",
    .operands_min = 1,
    .operands_max = 1,
    .options = uncollectible_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook invoice uncollectible TF-INV-2026-000001 --reason bankruptcy --ticket FIN-77",
    .run = uncollectible,
};

static bool
read_scope(struct run *run, struct invoice_scope *scope, struct error *err)
{
	scope->tenant = option_value(run, "tenant") == NULL ? "" : option_value(run, "tenant");
	return period_option(run, &scope->period, err);
}

/* What the callbacks of drafting and finalizing share. */
struct telling {
	struct run *run;
	struct table *table;
};

static void
money_cell(struct table *table, struct money money)
{
	char text[DECIMAL_TEXT];

	table_cell(table, money_format(money, text));
}

static void
empty_cells(struct table *table, int count)
{
	for (int i = 0; i < count; i++)
		table_cell(table, NULL);
}

static void
tell_draft(void *context, const struct drafted *drafted)
{
	enum { AMOUNTS = 5 };
	struct telling *telling = context;
	struct money total = drafted->net;

	table_row(telling->table);
	table_cell(telling->table, drafted->tenant);
	table_cell(telling->table, drafted->period);
	if (drafted->skipped != NULL) {
		empty_cells(telling->table, AMOUNTS);
		table_cell(telling->table, drafted->skipped);
		return;
	}
	total.minor += drafted->tax.minor;
	table_cell_format(telling->table, "%lld", (long long)drafted->lines);
	money_cell(telling->table, drafted->net);
	money_cell(telling->table, drafted->tax);
	money_cell(telling->table, total);
	table_cell(telling->table, drafted->net.currency->code);
	table_cell(telling->table, drafted->of_adjustments ? "draft of adjustments" : "draft");
}

static bool
draft(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT},
	    {"lines", "lines", COLUMN_NUMBER}, {"net", "net", COLUMN_NUMBER}, {"tax", "tax", COLUMN_NUMBER},
	    {"total", "total", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	struct invoice_scope scope;
	bool fine = read_scope(run, &scope, err) && invoices_draft(run, scope, tell_draft, &telling, err);

	if (fine)
		table_print(telling.table, run, "nothing to invoice: no charges in scope (tollbook rate makes them)");
	table_free(telling.table);
	return fine;
}

static void
tell_final(void *context, const struct finalized *finalized)
{
	enum { AMOUNTS = 6 };
	struct telling *telling = context;

	table_row(telling->table);
	table_cell(telling->table, finalized->number);
	table_cell(telling->table, finalized->tenant);
	table_cell(telling->table, finalized->period);
	if (finalized->refused != NULL) {
		empty_cells(telling->table, AMOUNTS);
		table_cell(telling->table, finalized->refused);
		telling->run->finding = ERROR_FINDINGS;
		return;
	}
	money_cell(telling->table, finalized->net);
	money_cell(telling->table, finalized->credits);
	money_cell(telling->table, finalized->tax);
	money_cell(telling->table, finalized->total);
	money_cell(telling->table, finalized->from_balance);
	table_cell(telling->table, finalized->net.currency->code);
	table_cell(telling->table, "final");
}

static bool
finalize(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER},
	    {"tax", "tax", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"from_balance", "from balance", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	struct invoice_scope scope;
	bool fine = read_scope(run, &scope, err) && invoices_finalize(run, scope, tell_final, &telling, err);

	/* Those that were finalized before a failure stay so, and are shown. */
	table_print(telling.table, run, "no drafts in scope");
	table_free(telling.table);
	return fine;
}

static bool
list(struct run *run, struct error *err)
{
	enum { AMOUNT = 6, MINOR_UNITS = 11, CURRENCY, COLUMNS = 14 };
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"period", "period", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT},
	    {"lines", "lines", COLUMN_NUMBER}, {"net", "net", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER},
	    {"tax", "tax", COLUMN_NUMBER}, {"total", "total", COLUMN_NUMBER}, {"due", "due", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"issued_on", "issued on", COLUMN_TEXT}, {0}};
	struct invoice_scope scope;
	struct table *table;
	struct rows rows;

	if (!read_scope(run, &scope, err) ||
	    !db_rows(run->db, SQL_LEDGER_INVOICE_LIST, PARAMS(scope.period, scope.tenant), &rows, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		for (int j = 0; j < AMOUNT; j++)
			table_cell(table, row_text(&rows, i, j));
		for (int j = AMOUNT; j < MINOR_UNITS; j++)
			table_cell(table, money_text(&run->arena, row_number(&rows, i, j), row_number(&rows, i, MINOR_UNITS)));
		for (int j = CURRENCY; j < COLUMNS; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	table_print(table, run, "no invoices");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
uncollectible(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"number", "number", COLUMN_TEXT}, {"written_off", "written off", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	const char *reason = option_value(run, "reason"), *ticket = option_value(run, "ticket");
	struct written_off off;
	struct table *table;

	if (ticket == NULL || ticket[0] == '\0') {
		error_set(err, ERROR_USAGE, "an invoice is written off for a ticket");
		return error_hint(err, "Say where it was decided: --ticket FIN-77");
	}
	if (!invoice_write_off(run, run->operands[0], reason, ticket, &off, err))
		return false;
	table = table_new(columns);
	table_row(table);
	table_cell(table, run->operands[0]);
	table_cell(table, money_text(&run->arena, off.minor, off.minor_units));
	table_cell(table, off.currency);
	table_cell(table, "uncollectible");
	table_print(table, run, "");
	table_free(table);
	return true;
}

/* --- one invoice ----------------------------------------------------------------------------- */

/* Columns of invoice_find.sql. */
enum found_column {
	FOUND_INVOICE,
	FOUND_NUMBER,
	FOUND_STATUS,
	FOUND_TENANT,
	FOUND_TENANT_NAME,
	FOUND_ISSUER,
	FOUND_ISSUER_NAME,
	FOUND_PERIOD,
	FOUND_ZONE,
	FOUND_STARTS,
	FOUND_ENDS,
	FOUND_CURRENCY,
	FOUND_MINOR_UNITS,
	FOUND_TOTAL,
	FOUND_EXACT,
	FOUND_ISSUED_ON,
	FOUND_DIGEST,
	FOUND_RATING,
	FOUND_KIND,
	FOUND_NET,
	FOUND_CREDITS,
	FOUND_TAX_NAME,
	FOUND_TAX_PERCENT,
	FOUND_TAX,
	FOUND_DUE,
	FOUND_STANDING,
	FOUND_RATING_RUN,
};

static const char *
found_money(struct run *run, const struct rows *invoice, enum found_column column)
{
	return money_text(&run->arena, row_number(invoice, 0, (int)column), row_number(invoice, 0, FOUND_MINOR_UNITS));
}

static void
print_header(const struct rows *invoice)
{
	const char *number = row_text(invoice, 0, FOUND_NUMBER);
	bool of_adjustments = strcmp(row_text(invoice, 0, FOUND_KIND), "adjustment") == 0;

	printf("%s%s\n", number[0] == '\0' ? "DRAFT" : "INVOICE ", number);
	printf("from      %s (%s)\n", row_text(invoice, 0, FOUND_ISSUER_NAME), row_text(invoice, 0, FOUND_ISSUER));
	printf("to        %s (%s)\n", row_text(invoice, 0, FOUND_TENANT_NAME), row_text(invoice, 0, FOUND_TENANT));
	printf("period    %s, %s to %s, zone %s%s\n", row_text(invoice, 0, FOUND_PERIOD), row_text(invoice, 0, FOUND_STARTS),
	    row_text(invoice, 0, FOUND_ENDS), row_text(invoice, 0, FOUND_ZONE), of_adjustments ? ", adjustments alone" : "");
	if (row_length(invoice, 0, FOUND_RATING_RUN) > 0)
		printf("rated     by run %s\n", row_text(invoice, 0, FOUND_RATING_RUN));
	if (number[0] != '\0')
		printf("issued    %s, content SHA-256 %s\n", row_text(invoice, 0, FOUND_ISSUED_ON),
		    row_text(invoice, 0, FOUND_DIGEST));
	printf("status    %s\n\n", row_text(invoice, 0, FOUND_STANDING));
}

static void
print_amount(const char *what, const char *amount, const char *note)
{
	enum { WHAT_WIDTH = 14, AMOUNT_WIDTH = 14 };

	printf("%-*s %*s%s%s\n", WHAT_WIDTH, what, AMOUNT_WIDTH, amount, note[0] == '\0' ? "" : "  ", note);
}

/* Columns of invoice_settled.sql. */
enum settled_column { SETTLED_WHAT, SETTLED_AMOUNT, SETTLED_BEFORE, SETTLED_AFTER, SETTLED_NOTE };

/* What the two numbers beside an amount mean depends on what it is. */
static const char *
settled_note(struct run *run, const struct rows *settled, int i, int64_t minor_units)
{
	int64_t one = row_number(settled, i, SETTLED_BEFORE), two = row_number(settled, i, SETTLED_AFTER);
	const char *what = row_text(settled, i, SETTLED_WHAT), *note = row_text(settled, i, SETTLED_NOTE), *more = "";

	if (strncmp(what, "credit ", strlen("credit ")) == 0)
		return arena_format(&run->arena, "%s, balance %s, then %s", note, money_text(&run->arena, one, minor_units),
		    money_text(&run->arena, two, minor_units));
	if (strcmp(what, "credited") == 0 && one + two > 0)
		more = arena_format(&run->arena, ", of it %s to the balance and %s to be paid back",
		    money_text(&run->arena, one, minor_units), money_text(&run->arena, two, minor_units));
	else if (one > 0 || two > 0)
		more = arena_format(&run->arena, ", of it %s to the balance and %s that was written off",
		    money_text(&run->arena, one, minor_units), money_text(&run->arena, two, minor_units));
	return arena_format(&run->arena, "%s%s", note, more);
}

static void
print_settled(struct run *run, const struct rows *settled, int64_t minor_units, bool credits)
{
	for (int i = 0; i < settled->count; i++) {
		const char *what = row_text(settled, i, SETTLED_WHAT);

		if ((strncmp(what, "credit ", strlen("credit ")) == 0) == credits)
			print_amount(what, money_text(&run->arena, row_number(settled, i, SETTLED_AMOUNT), minor_units),
			    settled_note(run, settled, i, minor_units));
	}
}

static const char *
tax_words(struct run *run, const struct rows *invoice)
{
	const char *name = row_text(invoice, 0, FOUND_TAX_NAME);

	if (name[0] == '\0')
		return "";
	return arena_format(&run->arena, "%s %s %% of %s", name, row_text(invoice, 0, FOUND_TAX_PERCENT),
	    money_text(&run->arena, row_number(invoice, 0, FOUND_NET) - row_number(invoice, 0, FOUND_CREDITS),
		row_number(invoice, 0, FOUND_MINOR_UNITS)));
}

/* The sums below the lines, and what became of the total. */
static bool
print_foot(struct run *run, const struct rows *invoice, struct error *err)
{
	int64_t minor_units = row_number(invoice, 0, FOUND_MINOR_UNITS);
	struct rows settled;

	if (!db_rows(run->db, SQL_LEDGER_INVOICE_SETTLED, PARAMS(row_text(invoice, 0, FOUND_INVOICE)), &settled, err))
		return false;
	printf("\n");
	print_amount("net", found_money(run, invoice, FOUND_NET),
	    arena_format(&run->arena, "%s before rounding of the lines", row_text(invoice, 0, FOUND_EXACT)));
	print_settled(run, &settled, minor_units, true);
	if (row_length(invoice, 0, FOUND_NUMBER) == 0)
		print_amount("credits", "", "drawn when it is finalized");
	print_amount("tax", found_money(run, invoice, FOUND_TAX), tax_words(run, invoice));
	print_amount("total", found_money(run, invoice, FOUND_TOTAL), row_text(invoice, 0, FOUND_CURRENCY));
	print_settled(run, &settled, minor_units, false);
	if (row_length(invoice, 0, FOUND_NUMBER) > 0)
		print_amount("due", found_money(run, invoice, FOUND_DUE), row_text(invoice, 0, FOUND_CURRENCY));
	rows_release(&settled);
	return true;
}

/* Columns of invoice_lines.sql. */
enum line_column {
	LINE_NUMBER,
	LINE_MODEL,
	LINE_SERVICE_TIER,
	LINE_METER,
	LINE_PRICED_AS, /* '' where it is the meter */
	LINE_TIER,
	LINE_QUANTITY,
	LINE_DECIMALS,
	LINE_PRICE,
	LINE_PER,
	LINE_EXACT,
	LINE_MINOR,
	LINE_BOOK,
	LINE_VERSION,
	LINE_RULE,
	LINE_KIND,
	LINE_BILLED,
	LINE_DETAIL,
	LINE_ADJUSTMENT, /* NULL of a charge */
};

/* What a contract adds or takes off has no meter. */
static bool
is_contracts_own(const struct rows *lines, int i)
{
	return row_length(lines, i, LINE_METER) == 0;
}

/* In the meter's unit; the column is the quantity used or the one billed. */
static const char *
quantity_text(struct run *run, const struct rows *lines, int i, enum line_column column)
{
	const char *meter = row_text(lines, i, LINE_METER);
	char quantity[DECIMAL_TEXT];

	if (is_contracts_own(lines, i))
		return row_text(lines, i, (int)column);
	meter_format(meter_find(meter, strlen(meter)), row_integer(lines, i, (int)column), quantity);
	return arena_copy(&run->arena, quantity, strlen(quantity));
}

/* What is added or taken off for a period that was invoiced; it has no price. */
static bool
is_adjustment(const struct rows *lines, int i)
{
	return !row_is_null(lines, i, LINE_ADJUSTMENT);
}

/* What led to a line's price beyond the rule, for people. */
static const char *
rule_words(struct run *run, const struct rows *lines, int i)
{
	const char *detail = row_text(lines, i, LINE_DETAIL), *kind = row_text(lines, i, LINE_KIND), *what = "";

	if (strcmp(kind, "usage") != 0)
		what = arena_format(&run->arena, ", %s", kind);
	else if (strcmp(row_text(lines, i, LINE_BILLED), row_text(lines, i, LINE_QUANTITY)) != 0)
		what = arena_format(&run->arena, ", for %s used", quantity_text(run, lines, i, LINE_QUANTITY));
	return arena_format(&run->arena, "%s%s%s", what, detail[0] == '\0' ? "" : ": ", detail);
}

static void
rule_cell(struct run *run, struct table *table, const struct rows *lines, int i)
{
	bool for_people = run->format == FORMAT_TABLE;

	if (is_contracts_own(lines, i))
		table_cell(table, for_people ? row_text(lines, i, LINE_KIND) : "");
	else if (is_adjustment(lines, i))
		table_cell(table, row_text(lines, i, LINE_DETAIL));
	else
		table_cell_format(table, "%s v%s rule %s%s", row_text(lines, i, LINE_BOOK), row_text(lines, i, LINE_VERSION),
		    row_text(lines, i, LINE_RULE), for_people ? rule_words(run, lines, i) : "");
}

/* A line of a contract alone, for people: what it is stands where others have their model. */
static void
add_contracts_own(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	table_cell(table, row_text(lines, i, LINE_NUMBER));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
	for (int column = LINE_SERVICE_TIER; column <= LINE_PER; column++)
		if (column != LINE_DECIMALS)
			table_cell(table, NULL);
	table_cell(table, row_text(lines, i, LINE_EXACT));
	table_cell(table, money_text(&run->arena, row_number(lines, i, LINE_MINOR), minor_units));
	rule_cell(run, table, lines, i);
}

/* An adjustment of usage, for people: the difference in quantity, and no price. */
static void
add_adjustment(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	for (int column = LINE_NUMBER; column <= LINE_PRICED_AS; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, NULL);
	table_cell(table, quantity_text(run, lines, i, LINE_QUANTITY));
	empty_cells(table, 2);
	table_cell(table, row_text(lines, i, LINE_EXACT));
	table_cell(table, money_text(&run->arena, row_number(lines, i, LINE_MINOR), minor_units));
	rule_cell(run, table, lines, i);
}

static void
add_line(struct run *run, struct table *table, const struct rows *lines, int i, int64_t minor_units)
{
	const char *tier = row_text(lines, i, LINE_TIER);

	table_row(table);
	if (run->format == FORMAT_TABLE && is_contracts_own(lines, i)) {
		add_contracts_own(run, table, lines, i, minor_units);
		return;
	}
	if (run->format == FORMAT_TABLE && is_adjustment(lines, i)) {
		add_adjustment(run, table, lines, i, minor_units);
		return;
	}
	for (int column = LINE_NUMBER; column <= LINE_PRICED_AS; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, strcmp(tier, "0") == 0 ? "" : tier);
	/* A table has no column for what is billed beside the quantity; the price is of what is billed. */
	table_cell(table, quantity_text(run, lines, i, run->format == FORMAT_TABLE ? LINE_BILLED : LINE_QUANTITY));
	for (int column = LINE_PRICE; column <= LINE_EXACT; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, money_text(&run->arena, row_number(lines, i, LINE_MINOR), minor_units));
	rule_cell(run, table, lines, i);
	if (run->format == FORMAT_TABLE)
		return;
	table_cell(table, row_text(lines, i, LINE_KIND));
	table_cell(table, quantity_text(run, lines, i, LINE_BILLED));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
	table_cell(table, is_adjustment(lines, i) ? row_text(lines, i, LINE_ADJUSTMENT) : NULL);
}

static struct table *
line_table(const struct run *run)
{
#define COLUMNS_FOR_PEOPLE                                                                                                       \
	{"line", "line", COLUMN_NUMBER}, {"model", "model", COLUMN_TEXT}, {"service_tier", "service tier", COLUMN_TEXT},         \
	    {"meter", "meter", COLUMN_TEXT}, {"priced_as", "priced as", COLUMN_TEXT}, {"tier", "price tier", COLUMN_NUMBER},     \
	    {"quantity", "quantity", COLUMN_NUMBER}, {"price", "price", COLUMN_NUMBER}, {"per", "per", COLUMN_NUMBER},           \
	    {"exact_amount", "exact", COLUMN_NUMBER}, {"amount", "amount", COLUMN_NUMBER},                                       \
	{                                                                                                                        \
		"price_rule", "price rule", COLUMN_TEXT                                                                          \
	}
	static const struct column for_people[] = {COLUMNS_FOR_PEOPLE, {0}};
	static const struct column for_programs[] = {COLUMNS_FOR_PEOPLE, {"kind", "kind", COLUMN_TEXT},
	    {"billed", "billed", COLUMN_NUMBER}, {"detail", "detail", COLUMN_TEXT}, {"adjustment", "adjustment", COLUMN_NUMBER},
	    {0}};

	return table_new(run->format == FORMAT_TABLE ? for_people : for_programs);
}

static bool
show_found(struct run *run, const struct rows *invoice, struct error *err)
{
	struct table *table;
	struct rows lines;

	if (!db_rows(run->db, SQL_LEDGER_INVOICE_LINES, PARAMS(row_text(invoice, 0, FOUND_INVOICE)), &lines, err))
		return false;
	table = line_table(run);
	for (int i = 0; i < lines.count; i++)
		add_line(run, table, &lines, i, row_number(invoice, 0, FOUND_MINOR_UNITS));
	if (run->format == FORMAT_TABLE)
		print_header(invoice);
	table_print(table, run, "no lines");
	table_free(table);
	rows_release(&lines);
	return run->format != FORMAT_TABLE || print_foot(run, invoice, err);
}

static bool
show(struct run *run, struct error *err)
{
	struct rows invoice;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_INVOICE_FIND, PARAMS(run->operands[0]), &invoice, err))
		return false;
	if (invoice.count != 1) {
		rows_release(&invoice);
		error_set(err, ERROR_STATE, "there is no invoice \"%s\"", run->operands[0]);
		return error_hint(
		    err, "Name a final one by its number, a draft by TENANT:PERIOD; tollbook invoice list shows them.");
	}
	fine = show_found(run, &invoice, err);
	rows_release(&invoice);
	return fine;
}
