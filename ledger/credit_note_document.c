/* credit_note_document.c -- see credit_note_document.h. */
#include "ledger/credit_note_document.h"

#include <string.h>

#include "base/money.h"
#include "base/table.h"

/* A credit note that is being written. */
struct paper {
	struct rows note, lines;
	struct arena arena;
};

static const char *
word(const struct paper *paper, enum note_column column)
{
	return row_text(&paper->note, 0, (int)column);
}

static int64_t
number_of(const struct paper *paper, enum note_column column)
{
	return row_number(&paper->note, 0, (int)column);
}

static const char *
amount(struct paper *paper, enum note_column column)
{
	return money_text(&paper->arena, number_of(paper, column), number_of(paper, NOTE_MINOR_UNITS));
}

static void
write_lines(struct paper *paper, enum output_format format, FILE *out)
{
	static const struct column columns[] = {{"place", "place", COLUMN_NUMBER}, {"line", "line", COLUMN_NUMBER},
	    {"adjustment", "adjustment", COLUMN_NUMBER}, {"model", "model", COLUMN_TEXT},
	    {"service_tier", "service tier", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT},
	    {"detail", "detail", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER}, {"credits", "credits", COLUMN_NUMBER}, {0}};
	enum { FIRST_AMOUNT = 8, COLUMNS = 10 };
	struct table *table = table_new(columns);

	for (int i = 0; i < paper->lines.count; i++) {
		table_row(table);
		for (int j = 0; j < FIRST_AMOUNT; j++)
			table_cell(table, row_is_null(&paper->lines, i, j) ? NULL : row_text(&paper->lines, i, j));
		for (int j = FIRST_AMOUNT; j < COLUMNS; j++)
			table_cell(table,
			    money_text(&paper->arena, row_number(&paper->lines, i, j), number_of(paper, NOTE_MINOR_UNITS)));
	}
	table_write(table, format, "no lines", out);
	table_free(table);
}

/* --- for people ------------------------------------------------------------------------------ */

static void
write_amounts(struct paper *paper, FILE *out)
{
	const char *currency = word(paper, NOTE_CURRENCY);

	fprintf(out, "net       %s %s\n", amount(paper, NOTE_NET), currency);
	if (number_of(paper, NOTE_CREDITS) != 0)
		fprintf(out, "credits   %s %s of it had been paid by credits, and went back to them\n",
		    amount(paper, NOTE_CREDITS), currency);
	if (word(paper, NOTE_TAX_NAME)[0] != '\0')
		fprintf(out, "tax       %s %s, %s %s %%\n", amount(paper, NOTE_TAX), currency, word(paper, NOTE_TAX_NAME),
		    word(paper, NOTE_TAX_PERCENT));
	fprintf(out, "total     %s %s\n", amount(paper, NOTE_TOTAL), currency);
	if (number_of(paper, NOTE_TO_BALANCE) != 0)
		fprintf(out, "balance   %s %s of it had been paid, and is on the tenant's balance\n",
		    amount(paper, NOTE_TO_BALANCE), currency);
	if (number_of(paper, NOTE_TO_REFUND) != 0)
		fprintf(out, "refund    %s %s of it had been paid, and is to be paid back\n", amount(paper, NOTE_TO_REFUND),
		    currency);
}

static void
write_head(struct paper *paper, FILE *out)
{
	fprintf(out, "CREDIT NOTE %s over invoice %s of %s\n", word(paper, NOTE_NUMBER), word(paper, NOTE_INVOICE),
	    word(paper, NOTE_INVOICE_DATE));
	fprintf(out, "from      %s (%s)\n", word(paper, NOTE_ISSUER_NAME), word(paper, NOTE_ISSUER));
	fprintf(out, "to        %s (%s)\n", word(paper, NOTE_TENANT_NAME), word(paper, NOTE_TENANT));
	fprintf(out, "period    %s\n", word(paper, NOTE_PERIOD));
	fprintf(out, "issued    %s by %s, content SHA-256 %s\n", word(paper, NOTE_ISSUED_ON), word(paper, NOTE_ISSUED_BY),
	    word(paper, NOTE_DIGEST));
	fprintf(out, "reason    %s%s%s%s%s, request %s\n", word(paper, NOTE_REASON),
	    word(paper, NOTE_TICKET)[0] == '\0' ? "" : ", ticket ", word(paper, NOTE_TICKET),
	    word(paper, NOTE_TEXT)[0] == '\0' ? "" : ": ", word(paper, NOTE_TEXT), word(paper, NOTE_REQUEST));
	fprintf(out, "credits   %s\n",
	    strcmp(word(paper, NOTE_SCOPE), "full") == 0 ? "the invoice in full: its period is invoiced again"
							 : word(paper, NOTE_SCOPE));
	write_amounts(paper, out);
	fprintf(out, "\n");
}

/* --- for programs ---------------------------------------------------------------------------- */

static void
add_word(struct text *json, const struct paper *paper, const char *name, enum note_column column)
{
	text_add_json_member(json, name, word(paper, column));
}

static void
add_amount(struct text *json, struct paper *paper, const char *name, enum note_column column)
{
	text_add_json_member(json, name, amount(paper, column));
}

static void
add_parties(struct text *json, const struct paper *paper)
{
	text_add_json_member(json, "document", "tollbook.credit_note.v1");
	add_word(json, paper, "number", NOTE_NUMBER);
	add_word(json, paper, "invoice", NOTE_INVOICE);
	add_word(json, paper, "invoice_issued_on", NOTE_INVOICE_DATE);
	add_word(json, paper, "issued_on", NOTE_ISSUED_ON);
	add_word(json, paper, "issued_by", NOTE_ISSUED_BY);
	add_word(json, paper, "content_sha256", NOTE_DIGEST);
	add_word(json, paper, "issuer", NOTE_ISSUER);
	add_word(json, paper, "issuer_name", NOTE_ISSUER_NAME);
	add_word(json, paper, "tenant", NOTE_TENANT);
	add_word(json, paper, "tenant_name", NOTE_TENANT_NAME);
	add_word(json, paper, "period", NOTE_PERIOD);
	add_word(json, paper, "scope", NOTE_SCOPE);
	add_word(json, paper, "reason", NOTE_REASON);
	add_word(json, paper, "ticket", NOTE_TICKET);
	add_word(json, paper, "note", NOTE_TEXT);
	add_word(json, paper, "request", NOTE_REQUEST);
}

static void
write_json(struct paper *paper, FILE *out)
{
	struct text json = {0};

	add_parties(&json, paper);
	add_word(&json, paper, "currency", NOTE_CURRENCY);
	add_amount(&json, paper, "net", NOTE_NET);
	add_amount(&json, paper, "credits", NOTE_CREDITS);
	add_word(&json, paper, "tax_name", NOTE_TAX_NAME);
	add_word(&json, paper, "tax_percent", NOTE_TAX_PERCENT);
	add_amount(&json, paper, "tax", NOTE_TAX);
	add_amount(&json, paper, "total", NOTE_TOTAL);
	add_amount(&json, paper, "to_balance", NOTE_TO_BALANCE);
	add_amount(&json, paper, "to_refund", NOTE_TO_REFUND);
	fprintf(out, "%s,\n \"lines\": ", text_string(&json));
	write_lines(paper, FORMAT_JSON, out);
	fputs("}\n", out);
	text_release(&json);
}

/* --- reading and writing --------------------------------------------------------------------- */

static void
paper_release(struct paper *paper)
{
	rows_release(&paper->note);
	rows_release(&paper->lines);
	arena_release(&paper->arena);
}

static bool
load(struct run *run, const char *number, struct paper *paper, struct error *err)
{
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_FIND, PARAMS(number), &paper->note, err))
		return false;
	if (paper->note.count == 1)
		return db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LINES, PARAMS(word(paper, NOTE_ID)), &paper->lines, err);
	error_set(err, ERROR_STATE, "there is no credit note \"%s\"", number);
	return error_hint(err, "tollbook credit-note list shows their numbers.");
}

bool
credit_note_show(struct run *run, const char *number, enum output_format format, FILE *out, struct error *err)
{
	struct paper paper = {0};
	bool fine = load(run, number, &paper, err);

	if (fine && format == FORMAT_TABLE)
		write_head(&paper, out);
	if (fine)
		write_lines(&paper, format, out);
	paper_release(&paper);
	return fine;
}

bool
credit_note_issued(struct run *run, const char *number, FILE *text, FILE *json, struct error *err)
{
	struct paper paper = {0};
	bool fine = load(run, number, &paper, err);

	if (fine) {
		write_head(&paper, text);
		write_lines(&paper, FORMAT_TABLE, text);
		write_json(&paper, json);
	}
	paper_release(&paper);
	return fine;
}
