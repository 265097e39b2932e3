/* credit_note_wish.c -- a credit note as somebody asks for it; the same request again. */
#include "ledger/crediting.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/books.h"
#include "ledger/reason.h"
#include "ledger/role.h"

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
		    credited_text(invoice, INVOICE_NUMBER));
	if (verdict == CREDIT_NOTHING)
		return error_set(err, ERROR_USAGE, "--line %lld=0 credits nothing", (long long)line->number);
	return error_set(err, ERROR_STATE, "line %lld of %s has %s left to be credited: %s", (long long)line->number,
	    credited_text(invoice, INVOICE_NUMBER), credited_amount(run, invoice, left),
	    verdict == CREDIT_WRONG_SIGN ? "the amount has the other sign" : "the amount is more");
}

static bool
take_line(struct run *run, struct issue *issue, const struct wished_line *wished, struct error *err)
{
	struct creditable_line *line = find_line(&issue->invoice.left, wished->number);
	enum credit_verdict verdict;
	int64_t amount;

	if (line == NULL) {
		error_set(err, ERROR_STATE, "%s has no line %lld", credited_text(&issue->invoice, INVOICE_NUMBER),
		    (long long)wished->number);
		return error_hint(err, "tollbook invoice show %s lists them.", credited_text(&issue->invoice, INVOICE_NUMBER));
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
		return note_take_adjustments(run, NULL, issue, verdict, err);
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
	const char *number = credited_text(invoice, INVOICE_NUMBER);

	if (verdict == CREDIT_RAISES) {
		error_set(err, ERROR_STATE,
		    "%s would come to more: a line that takes something off is credited only together with others", number);
		return error_hint(err, "Name a line above zero with it, that costs at least as much.");
	}
	if (verdict == CREDIT_NOTHING && issue->scope == CREDIT_ADJUSTMENTS)
		return error_set(err, ERROR_STATE, "no adjustment of %s that is owed to %s waits",
		    credited_text(invoice, INVOICE_PERIOD), credited_text(invoice, INVOICE_TENANT));
	if (verdict == CREDIT_NOTHING)
		return error_set(err, ERROR_STATE, "the credit note over %s would come to nothing", number);
	error_set(err, ERROR_STATE, "credit notes of %s would come to more than the invoice", number);
	error_detail(err, "It has %s left before tax, %s of it paid by credits.",
	    credited_amount(run, invoice, credited_minor(invoice, INVOICE_NET_LEFT)),
	    credited_amount(run, invoice, credited_minor(invoice, INVOICE_CREDITS_LEFT)));
	return error_hint(err, "tollbook credit-note list --invoice %s shows what was credited.", number);
}

/* What forbids any note, or this kind. */
static bool
may_be_credited(const struct credited_invoice *invoice, enum credit_scope scope, struct error *err)
{
	const char *number = credited_text(invoice, INVOICE_NUMBER), *period = credited_text(invoice, INVOICE_PERIOD);

	if (!row_is_null(&invoice->row, 0, INVOICE_FULL_NOTE))
		return error_set(
		    err, ERROR_STATE, "%s is credited in full by %s", number, credited_text(invoice, INVOICE_FULL_NOTE));
	if (credited_minor(invoice, INVOICE_WRITTEN_OFF) > 0) {
		error_set(err, ERROR_STATE, "%s is written off as uncollectible", number);
		return error_hint(err, "What was written off is not owed any more, so that nothing of it can be credited.");
	}
	if (scope == CREDIT_FULL && strcmp(credited_text(invoice, INVOICE_KIND), "period") == 0 &&
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
	issue->note.field[NOTE_REASON] = wish->reason;
	issue->note.field[NOTE_TICKET] = wish->ticket;
	issue->note.field[NOTE_TEXT] = wish->note;
	issue->note.field[NOTE_REQUEST] = wish->request;
	if (!may_be_credited(&issue->invoice, wish->scope, err) || !take(run, wish, issue, &verdict, err))
		return false;
	/* What is nothing can be credited in full too: that releases its period. */
	if (verdict != CREDIT_FITS && !(verdict == CREDIT_NOTHING && wish->scope == CREDIT_FULL))
		return refuse_verdict(run, issue, verdict, err);
	return may_give(run, issue, err) && note_issue(run, issue, wish->refund, number, err);
}

static bool
issue_new(struct run *run, const struct credit_wish *wish, const char **number, struct error *err)
{
	struct issue issue = {0};
	bool fine;

	if (!reason_check(run, wish->reason, "credit_note", err) || !credited_read(run, wish->invoice, NULL, &issue.invoice, err))
		return false;
	fine = issue_wish(run, wish, &issue, number, err);
	credited_release(&issue.invoice);
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
	if (strcmp(credit_scope_name(wish->scope), row_text(made, 0, REQUEST_SCOPE)) != 0)
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
