/* credit_note.c -- what a credit note says, and issuing it; see crediting.h. */
#include "ledger/crediting.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/audit.h"
#include "ledger/document_number.h"

/* --- what the note says ---------------------------------------------------------------------- */

static void
digest_optional(struct digest *digest, const char *text)
{
	digest_text(digest, text == NULL ? "" : text);
}

static void
note_digest(const struct note *note, unsigned char out[DIGEST_SIZE])
{
	struct digest *digest = digest_new();

	for (int i = 0; i < NOTE_SAID; i++)
		digest_text(digest, note->field[i]);
	digest_number(digest, (int64_t)note->count);
	for (size_t i = 0; i < note->count; i++) {
		digest_optional(digest, note->lines[i].line);
		digest_optional(digest, note->lines[i].adjustment);
		digest_text(digest, note->lines[i].amount);
		digest_text(digest, note->lines[i].credits);
	}
	digest_end(digest, out);
	digest_free(digest);
}

bool
credit_note_content_digest(struct run *run, const char *credit_note_id, unsigned char out[DIGEST_SIZE], struct error *err)
{
	struct note note = {0};
	struct rows header, lines;

	if (!db_one_row(run->db, SQL_LEDGER_CREDIT_NOTE_CONTENT, PARAMS(credit_note_id), &header, err))
		return false;
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_CONTENT_LINES, PARAMS(credit_note_id), &lines, err)) {
		rows_release(&header);
		return false;
	}
	for (int i = 0; i < NOTE_SAID; i++)
		note.field[i] = row_text(&header, 0, i);
	note.count = (size_t)lines.count;
	note.lines = memory_new(note.count, sizeof *note.lines);
	for (int i = 0; i < lines.count; i++)
		note.lines[i] = (struct note_line){.line = row_text(&lines, i, 0),
		    .adjustment = row_text(&lines, i, 1),
		    .amount = row_text(&lines, i, 2),
		    .credits = row_text(&lines, i, 3)};
	note_digest(&note, out);
	free(note.lines);
	rows_release(&header);
	rows_release(&lines);
	return true;
}

static void
fill_amounts(struct run *run, const struct credited_invoice *invoice, const struct credit_note_totals *totals, bool refund,
    struct note *note)
{
	int64_t due = credited_minor(invoice, INVOICE_DUE), above = totals->total > due ? totals->total - due : 0;

	note->field[NOTE_NET] = param_number(&run->arena, totals->net);
	note->field[NOTE_CREDITS] = param_number(&run->arena, totals->credits);
	note->field[NOTE_TAX] = param_number(&run->arena, totals->tax);
	note->field[NOTE_TOTAL] = param_number(&run->arena, totals->total);
	note->field[NOTE_TO_BALANCE] = param_number(&run->arena, refund ? 0 : above);
	note->field[NOTE_TO_REFUND] = param_number(&run->arena, refund ? above : 0);
}

static void
fill_parties(const struct credited_invoice *invoice, struct note *note)
{
	static const struct {
		enum note_field field;
		enum invoice_column column;
	} copied[] = {{NOTE_ISSUER, INVOICE_ISSUER}, {NOTE_ISSUER_NAME, INVOICE_ISSUER_NAME}, {NOTE_TENANT, INVOICE_TENANT},
	    {NOTE_TENANT_NAME, INVOICE_TENANT_NAME}, {NOTE_ORIGINAL_NUMBER, INVOICE_NUMBER}, {NOTE_ORIGINAL_DATE, INVOICE_DATE},
	    {NOTE_CURRENCY, INVOICE_CURRENCY}, {NOTE_MINOR_UNITS, INVOICE_MINOR_UNITS}, {NOTE_TAX_NAME, INVOICE_TAX_NAME},
	    {NOTE_TAX_PERCENT, INVOICE_TAX_PERCENT}, {NOTE_ORIGINAL, INVOICE_ID}};

	for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++)
		note->field[copied[i].field] = credited_text(invoice, copied[i].column);
}

const char *
credit_scope_name(enum credit_scope scope)
{
	static const char *const names[] = {
	    [CREDIT_FULL] = "full", [CREDIT_LINES] = "lines", [CREDIT_AMOUNT] = "amount", [CREDIT_ADJUSTMENTS] = "adjustments"};

	return names[scope];
}

/* --- issuing --------------------------------------------------------------------------------- */

static bool
write_lines(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	for (size_t i = 0; i < issue->note.count; i++) {
		const struct note_line *line = &issue->note.lines[i];

		if (!db_change(run->db, SQL_LEDGER_CREDIT_NOTE_LINE_ADD,
			PARAMS(note_id, param_number(&run->arena, (int64_t)i + 1), issue->note.field[NOTE_ORIGINAL], line->line,
			    line->adjustment, line->amount, line->credits),
			1, err))
			return false;
	}
	return true;
}

/* The period is invoiced again, as it is rated then: adjustments of it are in that already. */
static bool
release_period(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	const char *tenant = issue->note.field[NOTE_TENANT], *period = credited_text(&issue->invoice, INVOICE_PERIOD);

	return db_change(run->db, SQL_LEDGER_CREDIT_NOTE_RELEASE, PARAMS(issue->note.field[NOTE_ORIGINAL]), 1, err) &&
	    db_change(run->db, SQL_LEDGER_ADJUSTMENT_DROP, PARAMS(tenant, period, note_id), -1, err) &&
	    db_change(run->db, SQL_LEDGER_ADJUSTMENT_REVERSE,
		PARAMS(tenant, period, issue->note.field[NOTE_REASON], issue->note.field[NOTE_TICKET],
		    issue->note.field[NOTE_ISSUED_AT], run->by),
		-1, err) &&
	    db_change(run->db, SQL_LEDGER_CREDIT_NOTE_RATE_AGAIN, PARAMS(tenant, period), -1, err);
}

static bool
restore(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	if (issue->scope == CREDIT_ADJUSTMENTS)
		return credits_give_back(run, note_id, issue->parts, issue->part_count, err);
	return issue->totals.credits == 0 || credits_restore(run, issue->note.field[NOTE_ORIGINAL], note_id, err);
}

static bool
follow_up(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	bool releases = issue->scope == CREDIT_FULL && strcmp(credited_text(&issue->invoice, INVOICE_KIND), "period") == 0;
	const char *to_balance = issue->note.field[NOTE_TO_BALANCE];

	return (!releases || release_period(run, issue, note_id, err)) &&
	    db_change(run->db, SQL_LEDGER_CREDIT_NOTE_DRAFTS_STALE, PARAMS(issue->note.field[NOTE_TENANT]), -1, err) &&
	    restore(run, issue, note_id, err) &&
	    (strcmp(to_balance, "0") == 0 ||
		db_change(run->db, SQL_LEDGER_BALANCE_ADD,
		    PARAMS(
			issue->note.field[NOTE_ORIGINAL], to_balance, note_id, NULL, issue->note.field[NOTE_ISSUED_AT], run->by),
		    1, err));
}

static bool
note_audit(struct run *run, const struct issue *issue, struct error *err)
{
	const struct credited_invoice *invoice = &issue->invoice;
	int64_t due = credited_minor(invoice, INVOICE_DUE), total = issue->totals.total;

	return audit_add(run,
	    &(struct audit){.action = "credit-note issue",
		.subject = credited_text(invoice, INVOICE_NUMBER),
		.reason = issue->note.field[NOTE_REASON],
		.ticket = issue->note.field[NOTE_TICKET],
		.before = arena_format(&run->arena, "due %s, %s before tax left to be credited",
		    credited_amount(run, invoice, due), credited_amount(run, invoice, credited_minor(invoice, INVOICE_NET_LEFT))),
		.after = arena_format(&run->arena, "%s over %s (%s), due %s", issue->note.field[NOTE_NUMBER],
		    credited_amount(run, invoice, total), credit_scope_name(issue->scope),
		    credited_amount(run, invoice, total > due ? 0 : due - total))},
	    err);
}

static bool
write_note(struct run *run, struct issue *issue, struct error *err)
{
	struct note *note = &issue->note;
	unsigned char sum[DIGEST_SIZE];
	const char *note_id;
	struct rows made;

	note_digest(note, sum);
	note->field[NOTE_CONTENT_DIGEST] = param_hex(&run->arena, sum, sizeof sum);
	if (!db_one_row(run->db, SQL_LEDGER_CREDIT_NOTE_ADD, (struct params){note->field, NOTE_FIELDS}, &made, err))
		return false;
	note_id = arena_copy(&run->arena, row_text(&made, 0, 0), row_length(&made, 0, 0));
	rows_release(&made);
	return write_lines(run, issue, note_id, err) && follow_up(run, issue, note_id, err) && note_audit(run, issue, err);
}

/* Numbers, date and amounts; the lines are filled in, `reason`, `ticket` and `note` too. */
bool
note_issue(struct run *run, struct issue *issue, bool refund, const char **number, struct error *err)
{
	struct document_number taken;
	char now[INSTANT_TEXT];
	const char *date = arena_format(&run->arena, "%.10s", instant_format(run->now, now));
	struct note *note = &issue->note;

	if (!document_is_issued(
		run, credited_text(&issue->invoice, INVOICE_NUMBER), credited_text(&issue->invoice, INVOICE_DATE), err))
		return false;
	fill_parties(&issue->invoice, note);
	fill_amounts(run, &issue->invoice, &issue->totals, refund, note);
	if (!document_number_take(run, note->field[NOTE_ISSUER], DOCUMENT_CREDIT_NOTE, date, &taken, err))
		return false;
	note->field[NOTE_NUMBER] = taken.text;
	note->field[NOTE_SERIES_NUMBER] = param_number(&run->arena, taken.place);
	note->field[NOTE_ISSUED_ON] = date;
	note->field[NOTE_SCOPE] = credit_scope_name(issue->scope);
	note->field[NOTE_ISSUED_AT] = param_instant(&run->arena, run->now);
	note->field[NOTE_ISSUED_BY] = run->by;
	*number = taken.text;
	return write_note(run, issue, err);
}
