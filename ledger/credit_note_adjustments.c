/* credit_note_adjustments.c -- notes over adjustments that are owed to the tenant, and what they give back to credits. */
#include "ledger/crediting.h"

#include <stdlib.h>
#include <string.h>

/* The waiting ones as lines of the note, and their sum; `both`: those that the tenant owes too. */
static bool
take_adjustments(struct run *run, const char *rerate_id, bool both, struct issue *issue, int64_t *sum, struct error *err)
{
	struct note *note = &issue->note;
	i128 total = 0;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_NOTE_ADJUSTMENTS,
		PARAMS(credited_text(&issue->invoice, INVOICE_ID), rerate_id, both ? "true" : "false"), &rows, err))
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

bool
note_take_adjustments(
    struct run *run, const char *rerate_id, struct issue *issue, enum credit_verdict *verdict, struct error *err)
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
	if (!book_part(run, adjustment, above, err) || !note_take_adjustments(run, rerate_id, issue, &verdict, err))
		return false;
	must(verdict == CREDIT_FITS);
	return note_issue(run, issue, false, number, err) && book_part(run, adjustment, -above, err);
}

static bool
issue_adjustments(struct run *run, const char *rerate_id, const char *reason, const char *ticket, struct issue *issue,
    const char **number, struct error *err)
{
	enum credit_verdict verdict = CREDIT_NOTHING;

	*number = NULL;
	issue->note.field[NOTE_REASON] = reason;
	issue->note.field[NOTE_TICKET] = ticket;
	issue->note.field[NOTE_TEXT] = "";
	if (!note_take_adjustments(run, rerate_id, issue, &verdict, err))
		return false;
	if (credited_minor(&issue->invoice, INVOICE_WRITTEN_OFF) != 0)
		return true;
	if (verdict == CREDIT_FITS)
		return note_issue(run, issue, false, number, err);
	return verdict != CREDIT_ABOVE || issue->part_count == 0 || issue_what_fits(run, rerate_id, issue, number, err);
}

bool
credit_note_for_adjustments(struct run *run, const char *invoice_id, const char *rerate_id, const char *reason,
    const char *ticket, const char **number, struct error *err)
{
	struct issue issue = {0};
	bool fine;

	*number = NULL;
	if (!credited_read(run, NULL, invoice_id, &issue.invoice, err))
		return false;
	fine = issue_adjustments(run, rerate_id, reason, ticket, &issue, number, err);
	credited_release(&issue.invoice);
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
	if (!credited_read(run, NULL, invoice_id, &issue.invoice, err))
		return false;
	fine = issue_adjustments(run, rerate_id, reason, ticket, &issue, &out->number, err);
	out->impossible = fine && out->number == NULL;
	credited_release(&issue.invoice);
	return fine;
}
