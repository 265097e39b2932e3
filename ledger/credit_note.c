/* credit_note.c -- see credit_note.h. */
#include "ledger/credit_note.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/credit.h"
#include "ledger/credit_note_amounts.h"
#include "ledger/document_number.h"
#include "ledger/reason.h"
#include "ledger/role.h"

static const char *const scope_names[] = {
    [CREDIT_FULL] = "full", [CREDIT_LINES] = "lines", [CREDIT_AMOUNT] = "amount", [CREDIT_ADJUSTMENTS] = "adjustments"};

/* --- the invoice ----------------------------------------------------------------------------- */

/* Columns of credit_note_invoice.sql. */
enum invoice_column {
	INVOICE_ID,
	INVOICE_NUMBER,
	INVOICE_DATE,
	INVOICE_KIND,
	INVOICE_PERIOD,
	INVOICE_TENANT,
	INVOICE_TENANT_NAME,
	INVOICE_ISSUER,
	INVOICE_ISSUER_NAME,
	INVOICE_CURRENCY,
	INVOICE_MINOR_UNITS,
	INVOICE_TAX_NAME,
	INVOICE_TAX_PERCENT,
	INVOICE_NET_LEFT,
	INVOICE_CREDITS_LEFT,
	INVOICE_TAX_LEFT,
	INVOICE_DUE,
	INVOICE_WRITTEN_OFF,
	INVOICE_FULL_NOTE,
	INVOICE_MONTH_CLOSED,
};

/* An invoice as credit notes left it. */
struct credited_invoice {
	struct rows row;
	struct currency currency;
	struct creditable left;
};

static const char *
said(const struct credited_invoice *invoice, enum invoice_column column)
{
	return row_text(&invoice->row, 0, (int)column);
}

static int64_t
minor_of(const struct credited_invoice *invoice, enum invoice_column column)
{
	return row_number(&invoice->row, 0, (int)column);
}

static void
invoice_release(struct credited_invoice *invoice)
{
	rows_release(&invoice->row);
	free(invoice->left.lines);
}

static const char *
amount_text(struct run *run, const struct credited_invoice *invoice, int64_t minor)
{
	char text[DECIMAL_TEXT];

	return arena_format(
	    &run->arena, "%s %s", money_format((struct money){minor, &invoice->currency}, text), invoice->currency.code);
}

static bool
settle_adjustments(struct run *run, struct credited_invoice *invoice, struct error *err)
{
	int64_t owed = 0; /* by the tenant: below 0, and what the note took of it is less by that */
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_SETTLED, PARAMS(said(invoice, INVOICE_ID)), &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		owed += row_number(&rows, i, 1);
		if (owed > 0) {
			fine = creditable_settle(&invoice->left, row_number(&rows, i, 0), owed, err);
			owed = 0;
		}
	}
	rows_release(&rows);
	return fine;
}

static int64_t
credits_of_line(const struct credit_uses *uses, int64_t line)
{
	int64_t sum = 0;

	for (size_t i = 0; i < uses->count; i++)
		if (uses->item[i].line == line)
			sum += uses->item[i].left;
	return sum;
}

static bool
read_credits_left(struct run *run, struct credited_invoice *invoice, int64_t *sum, struct error *err)
{
	struct creditable *left = &invoice->left;
	struct credit_uses uses;
	bool fine = credit_uses_left(run, said(invoice, INVOICE_ID), &uses, err);

	*sum = 0;
	for (size_t i = 0; fine && i < left->count; i++) {
		left->lines[i].credits = credits_of_line(&uses, left->lines[i].number);
		*sum += left->lines[i].credits;
	}
	free(uses.item);
	return fine;
}

static bool
read_left(struct run *run, struct credited_invoice *invoice, struct error *err)
{
	struct creditable *left = &invoice->left;
	int64_t credits;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_LEFT, PARAMS(said(invoice, INVOICE_ID)), &rows, err))
		return false;
	*left = (struct creditable){.lines = memory_new((size_t)rows.count, sizeof *left->lines),
	    .count = (size_t)rows.count,
	    .tax = minor_of(invoice, INVOICE_TAX_LEFT),
	    .percent = row_decimal(&invoice->row, 0, INVOICE_TAX_PERCENT),
	    .currency = &invoice->currency};
	for (int i = 0; i < rows.count; i++)
		left->lines[i] = (struct creditable_line){
		    .number = row_number(&rows, i, 0), .key = row_number(&rows, i, 1), .money = row_number(&rows, i, 2)};
	rows_release(&rows);
	if (!read_credits_left(run, invoice, &credits, err) || !settle_adjustments(run, invoice, err))
		return false;
	if (creditable_net(left) == minor_of(invoice, INVOICE_NET_LEFT) && credits == minor_of(invoice, INVOICE_CREDITS_LEFT))
		return true;
	error_set(err, ERROR_STATE, "the lines of %s and their credit notes do not come to what its header says",
	    said(invoice, INVOICE_NUMBER));
	return error_hint(err, "Somebody changed the books: run tollbook reconcile.");
}

static bool
invoice_read(struct run *run, const char *number, const char *invoice_id, struct credited_invoice *invoice, struct error *err)
{
	*invoice = (struct credited_invoice){0};
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_INVOICE, PARAMS(number, invoice_id), &invoice->row, err))
		return false;
	if (invoice->row.count != 1) {
		error_set(err, ERROR_STATE, "there is no final invoice \"%s\"", number == NULL ? invoice_id : number);
		error_hint(err, "tollbook invoice list shows their numbers.  A draft needs no credit note: it is made again.");
		rows_release(&invoice->row);
		return false;
	}
	invoice->currency.minor_units = (int)minor_of(invoice, INVOICE_MINOR_UNITS);
	snprintf(invoice->currency.code, sizeof invoice->currency.code, "%s", said(invoice, INVOICE_CURRENCY));
	if (read_left(run, invoice, err))
		return true;
	invoice_release(invoice);
	return false;
}

/* --- what the note says ---------------------------------------------------------------------- */

/* The parameters of credit_note_add.sql; those before SAID are what the digest covers, and the columns of
 * credit_note_content.sql. */
enum field {
	NUMBER,
	ISSUED_ON,
	SCOPE,
	ISSUER,
	ISSUER_NAME,
	TENANT,
	TENANT_NAME,
	ORIGINAL_NUMBER,
	ORIGINAL_DATE,
	CURRENCY,
	MINOR_UNITS,
	NET,
	CREDITS,
	TAX_NAME,
	TAX_PERCENT,
	TAX,
	TOTAL,
	TO_BALANCE,
	TO_REFUND,
	REASON,
	NOTE,
	SAID,
	ORIGINAL = SAID,
	SERIES_NUMBER,
	TICKET,
	REQUEST,
	ISSUED_AT,
	ISSUED_BY,
	CONTENT_DIGEST,
	FIELDS
};

/* A line, as parameters: of the invoice or for an adjustment. */
struct note_line {
	const char *line, *adjustment, *amount, *credits;
	/* Of an adjustment. */
	int64_t key, minor, minor_by_credits;
};

struct note {
	const char *field[FIELDS];
	struct note_line *lines;
	size_t count;
};

static void
digest_optional(struct digest *digest, const char *text)
{
	digest_text(digest, text == NULL ? "" : text);
}

static void
note_digest(const struct note *note, unsigned char out[DIGEST_SIZE])
{
	struct digest *digest = digest_new();

	for (int i = 0; i < SAID; i++)
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
	for (int i = 0; i < SAID; i++)
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
	int64_t due = minor_of(invoice, INVOICE_DUE), above = totals->total > due ? totals->total - due : 0;

	note->field[NET] = param_number(&run->arena, totals->net);
	note->field[CREDITS] = param_number(&run->arena, totals->credits);
	note->field[TAX] = param_number(&run->arena, totals->tax);
	note->field[TOTAL] = param_number(&run->arena, totals->total);
	note->field[TO_BALANCE] = param_number(&run->arena, refund ? 0 : above);
	note->field[TO_REFUND] = param_number(&run->arena, refund ? above : 0);
}

static void
fill_parties(const struct credited_invoice *invoice, struct note *note)
{
	static const struct {
		enum field field;
		enum invoice_column column;
	} copied[] = {{ISSUER, INVOICE_ISSUER}, {ISSUER_NAME, INVOICE_ISSUER_NAME}, {TENANT, INVOICE_TENANT},
	    {TENANT_NAME, INVOICE_TENANT_NAME}, {ORIGINAL_NUMBER, INVOICE_NUMBER}, {ORIGINAL_DATE, INVOICE_DATE},
	    {CURRENCY, INVOICE_CURRENCY}, {MINOR_UNITS, INVOICE_MINOR_UNITS}, {TAX_NAME, INVOICE_TAX_NAME},
	    {TAX_PERCENT, INVOICE_TAX_PERCENT}, {ORIGINAL, INVOICE_ID}};

	for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++)
		note->field[copied[i].field] = said(invoice, copied[i].column);
}

/* Lines of the invoice that the note takes something of. */
static void
fill_lines(struct run *run, const struct creditable *left, struct note *note)
{
	note->lines = arena_take(&run->arena, (left->count + 1) * sizeof *note->lines);
	for (size_t i = 0; i < left->count; i++) {
		const struct creditable_line *line = &left->lines[i];

		if (line->takes_money == 0 && line->takes_credits == 0)
			continue;
		note->lines[note->count++] = (struct note_line){.line = param_number(&run->arena, line->number),
		    .amount = param_number(&run->arena, line->takes_money + line->takes_credits),
		    .credits = param_number(&run->arena, line->takes_credits)};
	}
}

/* --- issuing --------------------------------------------------------------------------------- */

/* A note as it is to be written. */
struct issue {
	struct credited_invoice invoice;
	struct credit_note_totals totals;
	struct note note;
	enum credit_scope scope;
	/* What adjustments give back to grants; of lines it follows from these. */
	struct credit_part *parts;
	size_t part_count;
};

static bool
write_lines(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	for (size_t i = 0; i < issue->note.count; i++) {
		const struct note_line *line = &issue->note.lines[i];

		if (!db_change(run->db, SQL_LEDGER_CREDIT_NOTE_LINE_ADD,
			PARAMS(note_id, param_number(&run->arena, (int64_t)i + 1), issue->note.field[ORIGINAL], line->line,
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
	const char *tenant = issue->note.field[TENANT], *period = said(&issue->invoice, INVOICE_PERIOD);

	return db_change(run->db, SQL_LEDGER_CREDIT_NOTE_RELEASE, PARAMS(issue->note.field[ORIGINAL]), 1, err) &&
	    db_change(run->db, SQL_LEDGER_ADJUSTMENT_DROP, PARAMS(tenant, period, note_id), -1, err) &&
	    db_change(run->db, SQL_LEDGER_ADJUSTMENT_REVERSE,
		PARAMS(
		    tenant, period, issue->note.field[REASON], issue->note.field[TICKET], issue->note.field[ISSUED_AT], run->by),
		-1, err) &&
	    db_change(run->db, SQL_LEDGER_CREDIT_NOTE_RATE_AGAIN, PARAMS(tenant, period), -1, err);
}

static bool
restore(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	if (issue->scope == CREDIT_ADJUSTMENTS)
		return credits_give_back(run, note_id, issue->parts, issue->part_count, err);
	return issue->totals.credits == 0 || credits_restore(run, issue->note.field[ORIGINAL], note_id, err);
}

static bool
follow_up(struct run *run, const struct issue *issue, const char *note_id, struct error *err)
{
	bool releases = issue->scope == CREDIT_FULL && strcmp(said(&issue->invoice, INVOICE_KIND), "period") == 0;
	const char *to_balance = issue->note.field[TO_BALANCE];

	return (!releases || release_period(run, issue, note_id, err)) &&
	    db_change(run->db, SQL_LEDGER_CREDIT_NOTE_DRAFTS_STALE, PARAMS(issue->note.field[TENANT]), -1, err) &&
	    restore(run, issue, note_id, err) &&
	    (strcmp(to_balance, "0") == 0 ||
		db_change(run->db, SQL_LEDGER_BALANCE_ADD,
		    PARAMS(issue->note.field[ORIGINAL], to_balance, note_id, NULL, issue->note.field[ISSUED_AT], run->by), 1,
		    err));
}

static bool
note_audit(struct run *run, const struct issue *issue, struct error *err)
{
	const struct credited_invoice *invoice = &issue->invoice;
	int64_t due = minor_of(invoice, INVOICE_DUE), total = issue->totals.total;

	return audit_add(run,
	    &(struct audit){.action = "credit-note issue",
		.subject = said(invoice, INVOICE_NUMBER),
		.reason = issue->note.field[REASON],
		.ticket = issue->note.field[TICKET],
		.before = arena_format(&run->arena, "due %s, %s before tax left to be credited", amount_text(run, invoice, due),
		    amount_text(run, invoice, minor_of(invoice, INVOICE_NET_LEFT))),
		.after = arena_format(&run->arena, "%s over %s (%s), due %s", issue->note.field[NUMBER],
		    amount_text(run, invoice, total), scope_names[issue->scope],
		    amount_text(run, invoice, total > due ? 0 : due - total))},
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
	note->field[CONTENT_DIGEST] = param_hex(&run->arena, sum, sizeof sum);
	if (!db_one_row(run->db, SQL_LEDGER_CREDIT_NOTE_ADD, (struct params){note->field, FIELDS}, &made, err))
		return false;
	note_id = arena_copy(&run->arena, row_text(&made, 0, 0), row_length(&made, 0, 0));
	rows_release(&made);
	return write_lines(run, issue, note_id, err) && follow_up(run, issue, note_id, err) && note_audit(run, issue, err);
}

/* Numbers, date and amounts; the lines are filled in, `reason`, `ticket` and `note` too. */
static bool
issue_note(struct run *run, struct issue *issue, bool refund, const char **number, struct error *err)
{
	struct document_number taken;
	char now[INSTANT_TEXT];
	const char *date = arena_format(&run->arena, "%.10s", instant_format(run->now, now));
	struct note *note = &issue->note;

	if (!document_is_issued(run, said(&issue->invoice, INVOICE_NUMBER), said(&issue->invoice, INVOICE_DATE), err))
		return false;
	fill_parties(&issue->invoice, note);
	fill_amounts(run, &issue->invoice, &issue->totals, refund, note);
	if (!document_number_take(run, note->field[ISSUER], "CRN", date, &taken, err))
		return false;
	note->field[NUMBER] = taken.text;
	note->field[SERIES_NUMBER] = param_number(&run->arena, taken.place);
	note->field[ISSUED_ON] = date;
	note->field[SCOPE] = scope_names[issue->scope];
	note->field[ISSUED_AT] = param_instant(&run->arena, run->now);
	note->field[ISSUED_BY] = run->by;
	*number = taken.text;
	return write_note(run, issue, err);
}

/* --- adjustments ----------------------------------------------------------------------------- */

/* The waiting ones as lines of the note, and their sum; `both`: those that the tenant owes too. */
static bool
take_adjustments(struct run *run, const char *rerate_id, bool both, struct issue *issue, int64_t *sum, struct error *err)
{
	struct note *note = &issue->note;
	i128 total = 0;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_ADJUSTMENTS,
		PARAMS(said(&issue->invoice, INVOICE_ID), rerate_id, both ? "true" : "false"), &rows, err))
		return false;
	note->lines = arena_take(&run->arena, ((size_t)rows.count + 1) * sizeof *note->lines);
	for (int i = 0; i < rows.count; i++) {
		note->lines[note->count++] =
		    (struct note_line){.adjustment = arena_copy(&run->arena, row_text(&rows, i, 0), row_length(&rows, i, 0)),
			.amount = arena_copy(&run->arena, row_text(&rows, i, 1), row_length(&rows, i, 1)),
			.credits = "0",
			.key = row_number(&rows, i, 2),
			.minor = row_number(&rows, i, 1)};
		total += row_number(&rows, i, 1);
	}
	rows_release(&rows);
	if (total > INT64_MAX || total < -INT64_MAX)
		return error_set(err, ERROR_RANGE, "the adjustments come to more than an amount can be");
	*sum = (int64_t)total;
	return true;
}

/* Keeps as much of the parts as comes to `most`; what they come to. */
static int64_t
limit_parts(struct issue *issue, int64_t most)
{
	int64_t sum = 0;
	size_t kept = 0;

	for (; kept < issue->part_count && sum < most; kept++) {
		struct credit_part *part = &issue->parts[kept];

		part->minor = part->minor < most - sum ? part->minor : most - sum;
		sum += part->minor;
	}
	issue->part_count = kept;
	return sum;
}

/* Which adjustments the credits are of: of those whose lines they paid first, then of any; what remains of the amount. */
static int64_t
lay_credits(struct note *note, const struct creditable *left, bool by_key, int64_t amount)
{
	for (size_t i = 0; i < note->count; i++) {
		struct note_line *line = &note->lines[i];
		int64_t most = line->minor - line->minor_by_credits;

		if (by_key && creditable_credits(left, line->key) < most)
			most = creditable_credits(left, line->key);
		most = most < amount ? most : amount;
		if (most <= 0)
			continue;
		line->minor_by_credits += most;
		amount -= most;
	}
	return amount;
}

static void
fill_credits(struct run *run, struct issue *issue, int64_t credits)
{
	int64_t rest = lay_credits(&issue->note, &issue->invoice.left, true, credits);

	must(lay_credits(&issue->note, &issue->invoice.left, false, rest) == 0);
	for (size_t i = 0; i < issue->note.count; i++)
		issue->note.lines[i].credits = param_number(&run->arena, issue->note.lines[i].minor_by_credits);
}

static bool
total_adjustments(struct run *run, const char *rerate_id, struct issue *issue, enum credit_verdict *verdict, struct error *err)
{
	int64_t sum = 0, credits;

	issue->scope = CREDIT_ADJUSTMENTS;
	if (!take_adjustments(run, rerate_id, issue->part_count > 0, issue, &sum, err))
		return false;
	credits = limit_parts(issue, sum > 0 ? sum : 0);
	fill_credits(run, issue, credits);
	return credit_adjustment_totals(&issue->invoice.left, sum, credits, verdict, &issue->totals, err);
}

/* What of a note is money, and more than the invoice has left. */
static int64_t
money_above(const struct issue *issue)
{
	int64_t money = creditable_money(&issue->invoice.left), above = -money;

	if (money < 0)
		return 0;
	for (size_t i = 0; i < issue->note.count; i++)
		above += issue->note.lines[i].minor - issue->note.lines[i].minor_by_credits;
	return above > 0 ? above : 0;
}

static const char *
largest_adjustment(const struct note *note)
{
	const struct note_line *largest = &note->lines[0];

	for (size_t i = 1; i < note->count; i++)
		if (note->lines[i].minor > largest->minor)
			largest = &note->lines[i];
	return largest->adjustment;
}

static bool
book_part(struct run *run, const char *adjustment, int64_t minor, struct error *err)
{
	return db_change(run->db, SQL_LEDGER_ADJUSTMENT_PART,
	    PARAMS(adjustment, param_number(&run->arena, minor), param_instant(&run->arena, run->now), run->by), 1, err);
}

/* A note that gives credits back, of which more is money than the invoice has left, because the tenant paid adjustments of the
 * period elsewhere: so much is taken off the note, and waits for the next invoice. */
static bool
issue_what_fits(struct run *run, const char *rerate_id, struct issue *issue, const char **number, struct error *err)
{
	enum credit_verdict verdict = CREDIT_NOTHING;
	int64_t above = money_above(issue);
	const char *adjustment;

	if (above == 0)
		return true;
	adjustment = largest_adjustment(&issue->note);
	issue->note.count = 0;
	if (!book_part(run, adjustment, above, err) || !total_adjustments(run, rerate_id, issue, &verdict, err))
		return false;
	must(verdict == CREDIT_FITS);
	return issue_note(run, issue, false, number, err) && book_part(run, adjustment, -above, err);
}

static bool
issue_adjustments(struct run *run, const char *rerate_id, const char *reason, const char *ticket, struct issue *issue,
    const char **number, struct error *err)
{
	enum credit_verdict verdict = CREDIT_NOTHING;

	*number = NULL;
	issue->note.field[REASON] = reason;
	issue->note.field[TICKET] = ticket;
	issue->note.field[NOTE] = "";
	if (!total_adjustments(run, rerate_id, issue, &verdict, err))
		return false;
	if (minor_of(&issue->invoice, INVOICE_WRITTEN_OFF) != 0)
		return true;
	if (verdict == CREDIT_FITS)
		return issue_note(run, issue, false, number, err);
	return verdict != CREDIT_ABOVE || issue->part_count == 0 || issue_what_fits(run, rerate_id, issue, number, err);
}

bool
credit_note_for_adjustments(struct run *run, const char *invoice_id, const char *rerate_id, const char *reason,
    const char *ticket, const char **number, struct error *err)
{
	struct issue issue = {0};
	bool fine;

	*number = NULL;
	if (!invoice_read(run, NULL, invoice_id, &issue.invoice, err))
		return false;
	fine = issue_adjustments(run, rerate_id, reason, ticket, &issue, number, err);
	invoice_release(&issue.invoice);
	return fine;
}

bool
credit_note_for_credits(struct run *run, const char *invoice_id, const char *rerate_id, const char *rating_id, const char *reason,
    const char *ticket, struct credits_given_back *out, struct error *err)
{
	struct issue issue = {0};
	bool fine;

	*out = (struct credits_given_back){0};
	if (!credits_excess(run, invoice_id, rating_id, &issue.parts, &issue.part_count, err))
		return false;
	if (issue.part_count == 0)
		return true;
	if (!invoice_read(run, NULL, invoice_id, &issue.invoice, err))
		return false;
	fine = issue_adjustments(run, rerate_id, reason, ticket, &issue, &out->number, err);
	out->impossible = fine && out->number == NULL;
	invoice_release(&issue.invoice);
	return fine;
}

/* --- what somebody asks for ------------------------------------------------------------------ */

/* An amount of the currency in minor units; may be below zero. */
static bool
read_amount(const char *option, const char *text, const struct currency *currency, int64_t *out, struct error *err)
{
	struct money money;

	if (!money_parse(text, currency, &money, err))
		return error_wrap(err, "--%s", option);
	*out = money.minor;
	return true;
}

/* A line of the wish: "3", or "3=12.50". */
struct wished_line {
	int64_t number;
	const char *amount; /* its text, or NULL for what is left */
};

static bool
read_line(const char *text, struct wished_line *out, struct error *err)
{
	const char *equals = strchr(text, '=');
	size_t length = equals == NULL ? strlen(text) : (size_t)(equals - text);
	i128 number = 0;

	if (!integer_parse(text, length, &number, err) || number < 1 || number > INT32_MAX) {
		error_set(err, ERROR_USAGE, "--line %s: a line is a number from 1 on", text);
		return error_hint(err, "--line 3 for what is left of line 3, --line 3=12.50 for an amount of it.");
	}
	*out = (struct wished_line){.number = (int64_t)number, .amount = equals == NULL ? NULL : equals + 1};
	return true;
}

static struct creditable_line *
find_line(struct creditable *left, int64_t number)
{
	for (size_t i = 0; i < left->count; i++)
		if (left->lines[i].number == number)
			return &left->lines[i];
	return NULL;
}

static bool
refuse_line(struct run *run, const struct issue *issue, const struct creditable_line *line, enum credit_verdict verdict,
    struct error *err)
{
	const struct credited_invoice *invoice = &issue->invoice;
	int64_t left = line->money + line->credits;

	if (left == 0)
		return error_set(err, ERROR_STATE, "line %lld of %s has nothing left to be credited", (long long)line->number,
		    said(invoice, INVOICE_NUMBER));
	if (verdict == CREDIT_NOTHING)
		return error_set(err, ERROR_USAGE, "--line %lld=0 credits nothing", (long long)line->number);
	return error_set(err, ERROR_STATE, "line %lld of %s has %s left to be credited: %s", (long long)line->number,
	    said(invoice, INVOICE_NUMBER), amount_text(run, invoice, left),
	    verdict == CREDIT_WRONG_SIGN ? "the amount has the other sign" : "the amount is more");
}

static bool
take_line(struct run *run, struct issue *issue, const struct wished_line *wished, struct error *err)
{
	struct creditable_line *line = find_line(&issue->invoice.left, wished->number);
	enum credit_verdict verdict;
	int64_t amount;

	if (line == NULL) {
		error_set(
		    err, ERROR_STATE, "%s has no line %lld", said(&issue->invoice, INVOICE_NUMBER), (long long)wished->number);
		return error_hint(err, "tollbook invoice show %s lists them.", said(&issue->invoice, INVOICE_NUMBER));
	}
	if (line->takes_money != 0 || line->takes_credits != 0)
		return error_set(err, ERROR_USAGE, "--line %lld is given twice", (long long)wished->number);
	amount = line->money + line->credits;
	if (wished->amount != NULL && !read_amount("line", wished->amount, &issue->invoice.currency, &amount, err))
		return false;
	verdict = credit_take_line(line, amount);
	return verdict == CREDIT_FITS || refuse_line(run, issue, line, verdict, err);
}

static bool
take_lines(struct run *run, const struct credit_wish *wish, struct issue *issue, struct error *err)
{
	for (size_t i = 0; i < wish->line_count; i++) {
		struct wished_line wished;

		if (!read_line(wish->lines[i], &wished, err) || !take_line(run, issue, &wished, err))
			return false;
	}
	return true;
}

static bool
take_amount(const struct credit_wish *wish, struct issue *issue, enum credit_verdict *verdict, struct error *err)
{
	int64_t amount = 0;

	if (!read_amount("amount", wish->amount, &issue->invoice.currency, &amount, err))
		return false;
	if (amount <= 0)
		return error_set(err, ERROR_USAGE, "--amount %s is not above zero", wish->amount);
	*verdict = credit_take_amount(&issue->invoice.left, amount);
	return true;
}

/* What the wish takes of the invoice, and what it comes to. */
static bool
take(struct run *run, const struct credit_wish *wish, struct issue *issue, enum credit_verdict *verdict, struct error *err)
{
	bool fine = true;

	*verdict = CREDIT_FITS;
	if (wish->scope == CREDIT_ADJUSTMENTS)
		return total_adjustments(run, NULL, issue, verdict, err);
	if (wish->scope == CREDIT_FULL)
		credit_take_all(&issue->invoice.left);
	else if (wish->scope == CREDIT_LINES)
		fine = take_lines(run, wish, issue, err);
	else
		fine = take_amount(wish, issue, verdict, err);
	if (!fine || *verdict != CREDIT_FITS)
		return fine;
	if (!credit_note_totals(&issue->invoice.left, verdict, &issue->totals, err))
		return false;
	fill_lines(run, &issue->invoice.left, &issue->note);
	return true;
}

static bool
refuse_verdict(struct run *run, const struct issue *issue, enum credit_verdict verdict, struct error *err)
{
	const struct credited_invoice *invoice = &issue->invoice;
	const char *number = said(invoice, INVOICE_NUMBER);

	if (verdict == CREDIT_RAISES) {
		error_set(err, ERROR_STATE,
		    "%s would come to more: a line that takes something off is credited only together with others", number);
		return error_hint(err, "Name a line above zero with it, that costs at least as much.");
	}
	if (verdict == CREDIT_NOTHING && issue->scope == CREDIT_ADJUSTMENTS)
		return error_set(err, ERROR_STATE, "no adjustment of %s that is owed to %s waits", said(invoice, INVOICE_PERIOD),
		    said(invoice, INVOICE_TENANT));
	if (verdict == CREDIT_NOTHING)
		return error_set(err, ERROR_STATE, "the credit note over %s would come to nothing", number);
	error_set(err, ERROR_STATE, "credit notes of %s would come to more than the invoice", number);
	error_detail(err, "It has %s left before tax, %s of it paid by credits.",
	    amount_text(run, invoice, minor_of(invoice, INVOICE_NET_LEFT)),
	    amount_text(run, invoice, minor_of(invoice, INVOICE_CREDITS_LEFT)));
	return error_hint(err, "tollbook credit-note list --invoice %s shows what was credited.", number);
}

/* What forbids any note, or this kind. */
static bool
may_be_credited(const struct credited_invoice *invoice, enum credit_scope scope, struct error *err)
{
	const char *number = said(invoice, INVOICE_NUMBER), *period = said(invoice, INVOICE_PERIOD);

	if (!row_is_null(&invoice->row, 0, INVOICE_FULL_NOTE))
		return error_set(err, ERROR_STATE, "%s is credited in full by %s", number, said(invoice, INVOICE_FULL_NOTE));
	if (minor_of(invoice, INVOICE_WRITTEN_OFF) > 0) {
		error_set(err, ERROR_STATE, "%s is written off as uncollectible", number);
		return error_hint(err, "What was written off is not owed any more, so that nothing of it can be credited.");
	}
	if (scope == CREDIT_FULL && strcmp(said(invoice, INVOICE_KIND), "period") == 0 &&
	    row_bool(&invoice->row, 0, INVOICE_MONTH_CLOSED)) {
		error_set(err, ERROR_STATE, "%s is closed: after a full credit note it could not be invoiced again", period);
		return error_hint(
		    err, "Credit lines or an amount; or have the month reopened: tollbook close %s --reopen.", period);
	}
	return true;
}

static bool
may_give(struct run *run, const struct issue *issue, struct error *err)
{
	return issue->scope == CREDIT_ADJUSTMENTS ||
	    role_may_give(run, (struct money){issue->totals.total, &issue->invoice.currency}, err);
}

static bool
issue_wish(struct run *run, const struct credit_wish *wish, struct issue *issue, const char **number, struct error *err)
{
	enum credit_verdict verdict;

	issue->scope = wish->scope;
	issue->note.field[REASON] = wish->reason;
	issue->note.field[TICKET] = wish->ticket;
	issue->note.field[NOTE] = wish->note;
	issue->note.field[REQUEST] = wish->request;
	if (!may_be_credited(&issue->invoice, wish->scope, err) || !take(run, wish, issue, &verdict, err))
		return false;
	/* What is nothing can be credited in full too: that releases its period. */
	if (verdict != CREDIT_FITS && !(verdict == CREDIT_NOTHING && wish->scope == CREDIT_FULL))
		return refuse_verdict(run, issue, verdict, err);
	return may_give(run, issue, err) && issue_note(run, issue, wish->refund, number, err);
}

static bool
issue_new(struct run *run, const struct credit_wish *wish, const char **number, struct error *err)
{
	struct issue issue = {0};
	bool fine;

	if (!reason_check(run, wish->reason, "credit_note", err) || !invoice_read(run, wish->invoice, NULL, &issue.invoice, err))
		return false;
	fine = issue_wish(run, wish, &issue, number, err);
	invoice_release(&issue.invoice);
	return fine;
}

/* --- the same request again ------------------------------------------------------------------ */

/* Columns of credit_note_request.sql. */
enum request_column {
	REQUEST_ID,
	REQUEST_NUMBER,
	REQUEST_INVOICE,
	REQUEST_SCOPE,
	REQUEST_REASON,
	REQUEST_TICKET,
	REQUEST_NOTE,
	REQUEST_CURRENCY,
	REQUEST_MINOR_UNITS,
	REQUEST_NET,
	REQUEST_TO_BALANCE,
	REQUEST_TO_REFUND,
};

/* Is this line of the wish among the note's lines, with this amount? */
static bool
line_is_in(const struct wished_line *wished, const struct rows *lines, const struct currency *currency)
{
	int64_t amount = 0;
	struct error err;

	for (int i = 0; i < lines->count; i++)
		if (row_number(lines, i, 0) == wished->number)
			return wished->amount == NULL ||
			    (read_amount("line", wished->amount, currency, &amount, &err) && amount == row_number(lines, i, 2));
	return false;
}

static bool
same_lines(struct run *run, const struct credit_wish *wish, const struct rows *made, const struct currency *currency, bool *same,
    struct error *err)
{
	struct rows lines;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_CONTENT_LINES, PARAMS(row_text(made, 0, REQUEST_ID)), &lines, err))
		return false;
	*same = wish->line_count == (size_t)lines.count;
	for (size_t i = 0; *same && i < wish->line_count; i++) {
		struct wished_line wished = {0};
		struct error ignored;

		*same = read_line(wish->lines[i], &wished, &ignored) && line_is_in(&wished, &lines, currency);
	}
	rows_release(&lines);
	return true;
}

/* What was asked for then and is not asked for now, or NULL. */
static const char *
other_word(const struct credit_wish *wish, const struct rows *made)
{
	static const char *const options[] = {"reason", "ticket", "note"};
	const char *const wished[] = {wish->reason, wish->ticket, wish->note};

	if (strcmp(wish->invoice, row_text(made, 0, REQUEST_INVOICE)) != 0)
		return "the invoice";
	if (strcmp(scope_names[wish->scope], row_text(made, 0, REQUEST_SCOPE)) != 0)
		return "what is credited";
	for (int i = 0; i < 3; i++)
		if (strcmp(wished[i], row_text(made, 0, REQUEST_REASON + i)) != 0)
			return options[i];
	if (row_bool(made, 0, wish->refund ? REQUEST_TO_BALANCE : REQUEST_TO_REFUND))
		return "to";
	return NULL;
}

static bool
other_amount(struct run *run, const struct credit_wish *wish, const struct rows *made, const char **other, struct error *err)
{
	struct currency currency = {.minor_units = (int)row_number(made, 0, REQUEST_MINOR_UNITS)};
	struct error ignored;
	int64_t amount = 0;
	bool same = true;

	snprintf(currency.code, sizeof currency.code, "%s", row_text(made, 0, REQUEST_CURRENCY));
	if (wish->scope == CREDIT_LINES && !same_lines(run, wish, made, &currency, &same, err))
		return false;
	if (wish->scope == CREDIT_AMOUNT)
		same = read_amount("amount", wish->amount, &currency, &amount, &ignored) &&
		    amount == row_number(made, 0, REQUEST_NET);
	if (!same)
		*other = wish->scope == CREDIT_LINES ? "line" : "amount";
	return true;
}

/* The note that this request made before, or NULL. */
static bool
find_request(struct run *run, const struct credit_wish *wish, const char **number, struct error *err)
{
	const char *other = NULL;
	struct rows made;
	bool fine = true;

	*number = NULL;
	if (wish->request == NULL)
		return true;
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_REQUEST, PARAMS(wish->request), &made, err))
		return false;
	if (made.count == 1) {
		*number = arena_copy(&run->arena, row_text(&made, 0, REQUEST_NUMBER), row_length(&made, 0, REQUEST_NUMBER));
		other = other_word(wish, &made);
		fine = other != NULL || other_amount(run, wish, &made, &other, err);
	}
	rows_release(&made);
	if (!fine || other == NULL)
		return fine;
	error_set(err, ERROR_STATE, "request \"%s\" was for something else: \"%s\" differs", wish->request, other);
	return error_hint(err, "It made %s; give another request its own --request.", *number);
}

static bool
find_or_issue(struct run *run, const struct credit_wish *wish, struct rows *note, bool *again, struct error *err)
{
	const char *number;

	if (!books_lock(run, err) || !find_request(run, wish, &number, err))
		return false;
	*again = number != NULL;
	if (!*again && !issue_new(run, wish, &number, err))
		return false;
	return db_one_row(run->db, SQL_LEDGER_CREDIT_NOTE_FIND, PARAMS(number), note, err);
}

bool
credit_note_issue(struct run *run, const struct credit_wish *wish, struct rows *note, bool *again, struct error *err)
{
	if (!db_begin(run->db, err))
		return false;
	if (!find_or_issue(run, wish, note, again, err)) {
		db_rollback(run->db);
		return false;
	}
	if (run->dry_run) {
		db_rollback(run->db);
		return true;
	}
	if (db_commit(run->db, err))
		return true;
	rows_release(note);
	return false;
}
