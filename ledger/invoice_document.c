/* invoice_document.c -- see invoice_document.h. */
#include "ledger/invoice_document.h"

#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/table.h"
#include "ledger/meter.h"

/* Columns of invoice_find.sql and invoice_issued.sql. */
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

/* Rows of one invoice among those of several. */
struct span {
	const struct rows *rows;
	int from, to;
};

/* An invoice that is being written. */
struct paper {
	struct span invoice, lines, settled; /* one row; any number */
	enum output_format format;           /* of its lines */
	bool as_issued;
	struct arena arena;
};

static const char *
found(const struct paper *paper, enum found_column column)
{
	return row_text(paper->invoice.rows, paper->invoice.from, (int)column);
}

static int64_t
found_number(const struct paper *paper, enum found_column column)
{
	return row_number(paper->invoice.rows, paper->invoice.from, (int)column);
}

static const char *
found_money(struct paper *paper, enum found_column column)
{
	return money_text(&paper->arena, found_number(paper, column), found_number(paper, FOUND_MINOR_UNITS));
}

/* A draft has no number yet. */
static bool
is_draft(const struct paper *paper)
{
	return found(paper, FOUND_NUMBER)[0] == '\0';
}

/* --- lines ----------------------------------------------------------------------------------- */

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
	LINE_PLACE,      /* which of the list */
};

/* What a contract adds or takes off has no meter. */
static bool
is_contracts_own(const struct rows *lines, int i)
{
	return row_length(lines, i, LINE_METER) == 0;
}

/* In the meter's unit; the column is the quantity used or the one billed. */
static const char *
quantity_text(struct paper *paper, const struct rows *lines, int i, enum line_column column)
{
	const char *meter = row_text(lines, i, LINE_METER);
	char quantity[DECIMAL_TEXT];

	if (is_contracts_own(lines, i))
		return row_text(lines, i, (int)column);
	meter_format(meter_find(meter, strlen(meter)), row_integer(lines, i, (int)column), quantity);
	return arena_copy(&paper->arena, quantity, strlen(quantity));
}

/* What is added or taken off for a period that was invoiced; it has no price. */
static bool
is_adjustment(const struct rows *lines, int i)
{
	return !row_is_null(lines, i, LINE_ADJUSTMENT);
}

/* What led to a line's price beyond the rule, for people. */
static const char *
rule_words(struct paper *paper, const struct rows *lines, int i)
{
	const char *detail = row_text(lines, i, LINE_DETAIL), *kind = row_text(lines, i, LINE_KIND), *what = "";

	if (strcmp(kind, "usage") != 0)
		what = arena_format(&paper->arena, ", %s", kind);
	else if (strcmp(row_text(lines, i, LINE_BILLED), row_text(lines, i, LINE_QUANTITY)) != 0)
		what = arena_format(&paper->arena, ", for %s used", quantity_text(paper, lines, i, LINE_QUANTITY));
	return arena_format(&paper->arena, "%s%s%s", what, detail[0] == '\0' ? "" : ": ", detail);
}

static void
rule_cell(struct paper *paper, struct table *table, const struct rows *lines, int i)
{
	bool for_people = paper->format == FORMAT_TABLE;

	if (is_contracts_own(lines, i))
		table_cell(table, for_people ? row_text(lines, i, LINE_KIND) : "");
	else if (is_adjustment(lines, i))
		table_cell(table, row_text(lines, i, LINE_DETAIL));
	else
		table_cell_format(table, "%s v%s rule %s%s", row_text(lines, i, LINE_BOOK), row_text(lines, i, LINE_VERSION),
		    row_text(lines, i, LINE_RULE), for_people ? rule_words(paper, lines, i) : "");
}

/* A line of a contract alone, for people: what it is stands where others have their model. */
static void
add_contracts_own(struct paper *paper, struct table *table, const struct rows *lines, int i)
{
	table_cell(table, row_text(lines, i, LINE_NUMBER));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
	for (int column = LINE_SERVICE_TIER; column <= LINE_PER; column++)
		if (column != LINE_DECIMALS)
			table_cell(table, NULL);
	table_cell(table, row_text(lines, i, LINE_EXACT));
	table_cell(table, money_text(&paper->arena, row_number(lines, i, LINE_MINOR), found_number(paper, FOUND_MINOR_UNITS)));
	rule_cell(paper, table, lines, i);
}

/* An adjustment of usage, for people: the difference in quantity, and no price. */
static void
add_adjustment(struct paper *paper, struct table *table, const struct rows *lines, int i)
{
	for (int column = LINE_NUMBER; column <= LINE_PRICED_AS; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, NULL);
	table_cell(table, quantity_text(paper, lines, i, LINE_QUANTITY));
	table_cell(table, NULL);
	table_cell(table, NULL);
	table_cell(table, row_text(lines, i, LINE_EXACT));
	table_cell(table, money_text(&paper->arena, row_number(lines, i, LINE_MINOR), found_number(paper, FOUND_MINOR_UNITS)));
	rule_cell(paper, table, lines, i);
}

static void
add_line(struct paper *paper, struct table *table, const struct rows *lines, int i)
{
	const char *tier = row_text(lines, i, LINE_TIER);

	table_row(table);
	if (paper->format == FORMAT_TABLE && is_contracts_own(lines, i)) {
		add_contracts_own(paper, table, lines, i);
		return;
	}
	if (paper->format == FORMAT_TABLE && is_adjustment(lines, i)) {
		add_adjustment(paper, table, lines, i);
		return;
	}
	for (int column = LINE_NUMBER; column <= LINE_PRICED_AS; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, strcmp(tier, "0") == 0 ? "" : tier);
	/* A table has no column for what is billed beside the quantity; the price is of what is billed. */
	table_cell(table, quantity_text(paper, lines, i, paper->format == FORMAT_TABLE ? LINE_BILLED : LINE_QUANTITY));
	for (int column = LINE_PRICE; column <= LINE_EXACT; column++)
		table_cell(table, row_text(lines, i, column));
	table_cell(table, money_text(&paper->arena, row_number(lines, i, LINE_MINOR), found_number(paper, FOUND_MINOR_UNITS)));
	rule_cell(paper, table, lines, i);
	if (paper->format == FORMAT_TABLE)
		return;
	table_cell(table, row_text(lines, i, LINE_KIND));
	table_cell(table, quantity_text(paper, lines, i, LINE_BILLED));
	table_cell(table, row_text(lines, i, LINE_DETAIL));
	table_cell(table, is_adjustment(lines, i) ? row_text(lines, i, LINE_ADJUSTMENT) : NULL);
}

static struct table *
new_line_table(struct paper *paper)
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

	return table_new(paper->format == FORMAT_TABLE ? for_people : for_programs);
}

static void
write_lines(struct paper *paper, enum output_format format, FILE *out)
{
	struct table *table;

	paper->format = format;
	table = new_line_table(paper);
	for (int i = paper->lines.from; i < paper->lines.to; i++)
		add_line(paper, table, paper->lines.rows, i);
	table_write(table, format, "no lines", out);
	table_free(table);
}

/* --- for people ------------------------------------------------------------------------------ */

static void
write_head(const struct paper *paper, FILE *out)
{
	bool of_adjustments = strcmp(found(paper, FOUND_KIND), "adjustment") == 0;

	fprintf(out, "%s%s\n", is_draft(paper) ? "DRAFT" : "INVOICE ", found(paper, FOUND_NUMBER));
	fprintf(out, "from      %s (%s)\n", found(paper, FOUND_ISSUER_NAME), found(paper, FOUND_ISSUER));
	fprintf(out, "to        %s (%s)\n", found(paper, FOUND_TENANT_NAME), found(paper, FOUND_TENANT));
	fprintf(out, "period    %s, %s to %s, zone %s%s\n", found(paper, FOUND_PERIOD), found(paper, FOUND_STARTS),
	    found(paper, FOUND_ENDS), found(paper, FOUND_ZONE), of_adjustments ? ", adjustments alone" : "");
	if (found(paper, FOUND_RATING_RUN)[0] != '\0')
		fprintf(out, "rated     by run %s\n", found(paper, FOUND_RATING_RUN));
	if (!is_draft(paper))
		fprintf(out, "issued    %s, content SHA-256 %s\n", found(paper, FOUND_ISSUED_ON), found(paper, FOUND_DIGEST));
	if (!paper->as_issued)
		fprintf(out, "status    %s\n", found(paper, FOUND_STANDING));
	fputs("\n", out);
}

static void
write_amount(FILE *out, const char *what, const char *amount, const char *note)
{
	enum { WHAT_WIDTH = 14, AMOUNT_WIDTH = 14 };

	fprintf(out, "%-*s %*s%s%s\n", WHAT_WIDTH, what, AMOUNT_WIDTH, amount, note[0] == '\0' ? "" : "  ", note);
}

/* Columns of invoice_settled.sql. */
enum settled_column { SETTLED_WHAT, SETTLED_AMOUNT, SETTLED_BEFORE, SETTLED_AFTER, SETTLED_NOTE, SETTLED_PLACE };

/* A credit that was drawn, before tax; all others are about the total. */
static bool
is_credit(const struct rows *settled, int i)
{
	return strncmp(row_text(settled, i, SETTLED_WHAT), "credit ", strlen("credit ")) == 0;
}

/* What the two numbers beside an amount mean depends on what it is. */
static const char *
settled_note(struct paper *paper, int i)
{
	const struct rows *settled = paper->settled.rows;
	int64_t minor_units = found_number(paper, FOUND_MINOR_UNITS);
	int64_t one = row_number(settled, i, SETTLED_BEFORE), two = row_number(settled, i, SETTLED_AFTER);
	const char *what = row_text(settled, i, SETTLED_WHAT), *note = row_text(settled, i, SETTLED_NOTE), *more = "";

	if (is_credit(settled, i))
		return arena_format(&paper->arena, "%s, balance %s, then %s", note, money_text(&paper->arena, one, minor_units),
		    money_text(&paper->arena, two, minor_units));
	if (strcmp(what, "credited") == 0 && one + two > 0)
		more = arena_format(&paper->arena, ", of it %s to the balance and %s to be paid back",
		    money_text(&paper->arena, one, minor_units), money_text(&paper->arena, two, minor_units));
	else if (one > 0 || two > 0)
		more = arena_format(&paper->arena, ", of it %s to the balance and %s that was written off",
		    money_text(&paper->arena, one, minor_units), money_text(&paper->arena, two, minor_units));
	return arena_format(&paper->arena, "%s%s", note, more);
}

static const char *
settled_amount(struct paper *paper, int i)
{
	return money_text(
	    &paper->arena, row_number(paper->settled.rows, i, SETTLED_AMOUNT), found_number(paper, FOUND_MINOR_UNITS));
}

static void
write_settled(struct paper *paper, bool credits, FILE *out)
{
	for (int i = paper->settled.from; i < paper->settled.to; i++)
		if (is_credit(paper->settled.rows, i) == credits)
			write_amount(out, row_text(paper->settled.rows, i, SETTLED_WHAT), settled_amount(paper, i),
			    settled_note(paper, i));
}

static const char *
tax_words(struct paper *paper)
{
	const char *name = found(paper, FOUND_TAX_NAME);

	if (name[0] == '\0')
		return "";
	return arena_format(&paper->arena, "%s %s %% of %s", name, found(paper, FOUND_TAX_PERCENT),
	    money_text(&paper->arena, found_number(paper, FOUND_NET) - found_number(paper, FOUND_CREDITS),
		found_number(paper, FOUND_MINOR_UNITS)));
}

/* Of the total, what the tenant's balance paid when the invoice was issued. */
static int64_t
from_balance(const struct paper *paper)
{
	int64_t sum = 0;

	must(paper->as_issued);
	for (int i = paper->settled.from; i < paper->settled.to; i++)
		if (!is_credit(paper->settled.rows, i))
			sum -= row_number(paper->settled.rows, i, SETTLED_AMOUNT);
	return sum;
}

/* What was to pay when it was issued. */
static const char *
to_pay(struct paper *paper)
{
	return money_text(
	    &paper->arena, found_number(paper, FOUND_TOTAL) - from_balance(paper), found_number(paper, FOUND_MINOR_UNITS));
}

/* The sums below the lines, and what became of the total. */
static void
write_foot(struct paper *paper, FILE *out)
{
	const char *currency = found(paper, FOUND_CURRENCY);

	fputs("\n", out);
	write_amount(out, "net", found_money(paper, FOUND_NET),
	    arena_format(&paper->arena, "%s before rounding of the lines", found(paper, FOUND_EXACT)));
	write_settled(paper, true, out);
	if (is_draft(paper))
		write_amount(out, "credits", "", "drawn when it is finalized");
	write_amount(out, "tax", found_money(paper, FOUND_TAX), tax_words(paper));
	write_amount(out, "total", found_money(paper, FOUND_TOTAL), currency);
	write_settled(paper, false, out);
	if (paper->as_issued)
		write_amount(out, "to pay", to_pay(paper), currency);
	else if (!is_draft(paper))
		write_amount(out, "due", found_money(paper, FOUND_DUE), currency);
}

static void
write_text(struct paper *paper, FILE *out)
{
	write_head(paper, out);
	write_lines(paper, FORMAT_TABLE, out);
	write_foot(paper, out);
}

/* --- for programs ---------------------------------------------------------------------------- */

static void
add_found(struct text *json, const struct paper *paper, const char *name, enum found_column column)
{
	text_add_json_member(json, name, found(paper, column));
}

static void
add_parties(struct text *json, const struct paper *paper)
{
	text_add_json_member(json, "document", "tollbook.invoice.v1");
	add_found(json, paper, "number", FOUND_NUMBER);
	add_found(json, paper, "kind", FOUND_KIND);
	add_found(json, paper, "issued_on", FOUND_ISSUED_ON);
	add_found(json, paper, "content_sha256", FOUND_DIGEST);
	add_found(json, paper, "issuer", FOUND_ISSUER);
	add_found(json, paper, "issuer_name", FOUND_ISSUER_NAME);
	add_found(json, paper, "tenant", FOUND_TENANT);
	add_found(json, paper, "tenant_name", FOUND_TENANT_NAME);
	add_found(json, paper, "period", FOUND_PERIOD);
	add_found(json, paper, "starts", FOUND_STARTS);
	add_found(json, paper, "ends", FOUND_ENDS);
	add_found(json, paper, "zone", FOUND_ZONE);
	text_add_json_member(
	    json, "rating_run", found(paper, FOUND_RATING_RUN)[0] == '\0' ? NULL : found(paper, FOUND_RATING_RUN));
}

static void
add_credits(struct text *json, struct paper *paper)
{
	struct text credit = {0};
	bool first = true;

	text_add_string(json, ",\n \"credits_drawn\": [");
	for (int i = paper->settled.from; i < paper->settled.to; i++) {
		if (!is_credit(paper->settled.rows, i))
			continue;
		text_clear(&credit);
		text_add_json_member(&credit, "credit", row_text(paper->settled.rows, i, SETTLED_WHAT) + strlen("credit "));
		text_add_json_member(&credit, "kind", row_text(paper->settled.rows, i, SETTLED_NOTE));
		text_add_json_member(&credit, "amount", settled_amount(paper, i));
		text_add_format(json, "%s%s}", first ? "\n" : ",\n", text_string(&credit));
		first = false;
	}
	text_add_string(json, first ? "]" : "\n]");
	text_release(&credit);
}

static void
add_amounts(struct text *json, struct paper *paper)
{
	add_found(json, paper, "currency", FOUND_CURRENCY);
	add_found(json, paper, "exact_net", FOUND_EXACT);
	text_add_json_member(json, "net", found_money(paper, FOUND_NET));
	text_add_json_member(json, "credits", found_money(paper, FOUND_CREDITS));
	add_credits(json, paper);
	add_found(json, paper, "tax_name", FOUND_TAX_NAME);
	add_found(json, paper, "tax_percent", FOUND_TAX_PERCENT);
	text_add_json_member(json, "tax", found_money(paper, FOUND_TAX));
	text_add_json_member(json, "total", found_money(paper, FOUND_TOTAL));
	text_add_json_member(
	    json, "from_balance", money_text(&paper->arena, from_balance(paper), found_number(paper, FOUND_MINOR_UNITS)));
	text_add_json_member(json, "to_pay", to_pay(paper));
}

static void
write_json(struct paper *paper, FILE *out)
{
	struct text json = {0};

	add_parties(&json, paper);
	add_amounts(&json, paper);
	fprintf(out, "%s,\n \"lines\": ", text_string(&json));
	write_lines(paper, FORMAT_JSON, out);
	fputs("}\n", out);
	text_release(&json);
}

/* --- reading and writing --------------------------------------------------------------------- */

/* Invoices, in the order they were asked for, with all that belongs to them. */
struct issued_invoices {
	struct rows invoices, lines, settled;
	struct span *line_spans, *settled_spans; /* of each */
	bool as_issued;
};

static void
no_such_invoice(const char *name, struct error *err)
{
	error_set(err, ERROR_STATE, "there is no invoice \"%s\"", name);
	error_hint(err, "Name a final one by its number, a draft by TENANT:PERIOD; tollbook invoice list shows them.");
}

/* Which rows are whose: they come in the order of the invoices. */
static struct span *
spans_of(const struct rows *rows, int count, int place_column)
{
	struct span *spans = memory_new((size_t)count, sizeof *spans);
	int at = 0;

	for (int i = 0; i < count; i++) {
		spans[i] = (struct span){rows, at, at};
		while (spans[i].to < rows->count && row_number(rows, spans[i].to, place_column) == i + 1)
			spans[i].to++;
		at = spans[i].to;
	}
	must(at == rows->count);
	return spans;
}

static bool
load_rest(struct run *run, struct issued_invoices *invoices, struct error *err)
{
	struct text ids = {0};
	bool fine;

	for (int i = 0; i < invoices->invoices.count; i++)
		elements_add(&ids, row_text(&invoices->invoices, i, FOUND_INVOICE));
	elements_end(&ids);
	fine = db_rows(run->db, SQL_LEDGER_INVOICE_LINES, PARAMS(text_string(&ids)), &invoices->lines, err) &&
	    db_rows(run->db, SQL_LEDGER_INVOICE_SETTLED, PARAMS(text_string(&ids), invoices->as_issued ? "true" : "false"),
		&invoices->settled, err);
	text_release(&ids);
	if (!fine)
		return false;
	invoices->line_spans = spans_of(&invoices->lines, invoices->invoices.count, LINE_PLACE);
	invoices->settled_spans = spans_of(&invoices->settled, invoices->invoices.count, SETTLED_PLACE);
	return true;
}

static void
release(struct issued_invoices *invoices)
{
	rows_release(&invoices->invoices);
	rows_release(&invoices->lines);
	rows_release(&invoices->settled);
	free(invoices->line_spans);
	free(invoices->settled_spans);
}

static struct paper
paper_of(const struct issued_invoices *invoices, int i)
{
	return (struct paper){.invoice = {&invoices->invoices, i, i + 1},
	    .lines = invoices->line_spans[i],
	    .settled = invoices->settled_spans[i],
	    .as_issued = invoices->as_issued};
}

bool
invoice_show(struct run *run, const char *name, enum output_format format, FILE *out, struct error *err)
{
	struct issued_invoices invoices = {0};
	struct paper paper;
	bool fine = db_rows(run->db, SQL_LEDGER_INVOICE_FIND, PARAMS(name), &invoices.invoices, err);

	if (fine && invoices.invoices.count != 1) {
		no_such_invoice(name, err);
		fine = false;
	}
	fine = fine && load_rest(run, &invoices, err);
	if (fine) {
		paper = paper_of(&invoices, 0);
		if (format == FORMAT_TABLE)
			write_text(&paper, out);
		else
			write_lines(&paper, format, out);
		arena_release(&paper.arena);
	}
	release(&invoices);
	return fine;
}

/* --- as issued ------------------------------------------------------------------------------- */

static bool
load_issued(struct run *run, const char *const *numbers, size_t count, struct issued_invoices *invoices, struct error *err)
{
	struct text wanted = {0};
	bool fine;

	for (size_t i = 0; i < count; i++)
		elements_add(&wanted, numbers[i]);
	fine = db_rows(run->db, SQL_LEDGER_INVOICE_ISSUED, PARAMS(elements_end(&wanted)), &invoices->invoices, err);
	text_release(&wanted);
	for (size_t i = 0; fine && i < count; i++)
		if (i >= (size_t)invoices->invoices.count ||
		    strcmp(row_text(&invoices->invoices, (int)i, FOUND_NUMBER), numbers[i]) != 0) {
			no_such_invoice(numbers[i], err);
			fine = false;
		}
	return fine && load_rest(run, invoices, err);
}

bool
issued_invoices_load(struct run *run, const char *const *numbers, size_t count, struct issued_invoices **out, struct error *err)
{
	struct issued_invoices *invoices = memory_new(1, sizeof *invoices);

	invoices->as_issued = true;
	*out = NULL;
	if (load_issued(run, numbers, count, invoices, err)) {
		*out = invoices;
		return true;
	}
	issued_invoices_free(invoices);
	return false;
}

void
issued_invoice_write(const struct issued_invoices *invoices, size_t i, FILE *text, FILE *json)
{
	struct paper paper = paper_of(invoices, (int)i);

	write_text(&paper, text);
	write_json(&paper, json);
	arena_release(&paper.arena);
}

void
issued_invoices_free(struct issued_invoices *invoices)
{
	if (invoices == NULL)
		return;
	release(invoices);
	free(invoices);
}
