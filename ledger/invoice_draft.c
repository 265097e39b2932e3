/* invoice_draft.c -- drafts of invoices: of what a period came to, and of adjustments alone; see invoice.h. */
#include "ledger/books.h"
#include "ledger/invoicing.h"
#include "ledger/tax.h"

/* Columns of drafts_due.sql. */
enum draft_column {
	DRAFT_TENANT,
	DRAFT_PERIOD,
	DRAFT_RATING,
	DRAFT_CLAIMED,  /* a final invoice has the period */
	DRAFT_CLOSED,   /* hard */
	DRAFT_ADJUSTED, /* what it comes to was booked as adjustments while its month was closed */
	DRAFT_CURRENCY, /* of the contract at the period's end, or NULL without one */
	DRAFT_FOREIGN,  /* charges in another currency */
	DRAFT_LINES,    /* charges that make lines */
};

/* Columns of draft_adjustments_due.sql. */
enum own_column { OWN_TENANT, OWN_PERIOD, OWN_CONTRACT, OWN_CURRENCY, OWN_TO_PAY };

/* A draft while its lines are written. */
struct drafting {
	struct run *run;
	const char *invoice_id;
	struct decimal tax_percent;
	struct money net;
	struct decimal exact;
	int64_t lines;
};

static bool
count_line(struct drafting *draft, struct money amount, struct decimal exact, struct error *err)
{
	draft->lines++;
	return money_add(draft->net, amount, &draft->net, err) && decimal_add(draft->exact, exact, &draft->exact, err);
}

/* Rounds each charge, and writes all of them as lines; columns of charges_for_lines.sql: ordinal, amount. */
static bool
add_charges(struct drafting *draft, const char *rating_id, struct error *err)
{
	struct text ordinals = {0}, amounts = {0};
	struct rows charges;
	bool fine = true;

	if (!db_rows(draft->run->db, SQL_LEDGER_CHARGES_FOR_LINES, PARAMS(rating_id), &charges, err))
		return false;
	for (int i = 0; fine && i < charges.count; i++) {
		struct decimal exact = row_decimal(&charges, i, 1);
		struct money rounded = {0};

		fine = money_round(exact, draft->net.currency, ROUND_HALF_UP, &rounded, err) &&
		    count_line(draft, rounded, exact, err);
		text_add_format(&ordinals, "%s%s", i == 0 ? "{" : ",", row_text(&charges, i, 0));
		text_add_format(&amounts, "%s%lld", i == 0 ? "{" : ",", (long long)rounded.minor);
	}
	text_add(&ordinals, "}", 1);
	text_add(&amounts, "}", 1);
	fine = fine &&
	    (charges.count == 0 ||
		db_change(draft->run->db, SQL_LEDGER_LINES_ADD,
		    PARAMS(draft->invoice_id, rating_id, text_string(&ordinals), text_string(&amounts)), charges.count, err));
	text_release(&ordinals);
	text_release(&amounts);
	rows_release(&charges);
	return fine;
}

/* Adjustments that wait, as far as the sum stays at or above zero; columns of draft_adjustments.sql: id, amount, exact amount. */
static bool
add_adjustments(struct drafting *draft, struct error *err)
{
	struct run *run = draft->run;
	struct rows waiting;
	bool fine = true;

	if (!db_rows(run->db, SQL_LEDGER_DRAFT_ADJUSTMENTS, PARAMS(draft->invoice_id), &waiting, err))
		return false;
	for (int i = 0; fine && i < waiting.count; i++) {
		struct money amount = {row_number(&waiting, i, 1), draft->net.currency};

		if (amount.minor < 0 && draft->net.minor < -amount.minor)
			continue;
		fine = count_line(draft, amount, row_decimal(&waiting, i, 2), err) &&
		    db_change(run->db, SQL_LEDGER_LINE_ADD_ADJUSTMENT,
			PARAMS(draft->invoice_id, param_number(&run->arena, draft->lines), row_text(&waiting, i, 0)), 1, err);
	}
	rows_release(&waiting);
	return fine;
}

/* Adds the header by a statement that returns invoice and tax percentage; its second parameter is the currency's minor units. */
static bool
begin_draft(struct drafting *draft, enum statement_id statement, const char *of, const char *currency, struct error *err)
{
	struct run *run = draft->run;
	struct rows made;

	draft->net.currency = currency_find(currency);
	must(draft->net.currency != NULL);
	if (!db_one_row(run->db, statement,
		PARAMS(of, param_number(&run->arena, draft->net.currency->minor_units), param_instant(&run->arena, run->now),
		    run->by),
		&made, err))
		return false;
	draft->invoice_id = arena_copy(&run->arena, row_text(&made, 0, 0), row_length(&made, 0, 0));
	draft->tax_percent = row_decimal(&made, 0, 1);
	rows_release(&made);
	return true;
}

static bool
end_draft(struct drafting *draft, struct drafted *drafted, struct error *err)
{
	struct run *run = draft->run;
	char exact[DECIMAL_TEXT];
	struct money total;

	drafted->net = draft->net;
	drafted->lines = draft->lines;
	return tax_of(draft->net, draft->tax_percent, &drafted->tax, err) && money_add(draft->net, drafted->tax, &total, err) &&
	    db_change(run->db, SQL_LEDGER_DRAFT_TOTAL,
		PARAMS(draft->invoice_id, param_number(&run->arena, drafted->tax.minor), param_number(&run->arena, total.minor),
		    decimal_format(draft->exact, exact)),
		1, err);
}

static bool
draft_drop(struct run *run, const struct drafted *drafted, struct error *err)
{
	return db_change(run->db, SQL_LEDGER_DRAFT_DELETE, PARAMS(drafted->tenant, drafted->period), -1, err);
}

static bool
draft_period(struct run *run, const char *rating_id, const char *currency, struct drafted *drafted, struct error *err)
{
	struct drafting draft = {.run = run};

	return draft_drop(run, drafted, err) && begin_draft(&draft, SQL_LEDGER_DRAFT_ADD, rating_id, currency, err) &&
	    add_charges(&draft, rating_id, err) && add_adjustments(&draft, err) && end_draft(&draft, drafted, err);
}

static bool
draft_adjustments(struct run *run, const char *contract_id, const char *currency, struct drafted *drafted, struct error *err)
{
	struct drafting draft = {.run = run};

	return begin_draft(&draft, SQL_LEDGER_DRAFT_ADJUSTMENTS_ADD, contract_id, currency, err) &&
	    add_adjustments(&draft, err) && end_draft(&draft, drafted, err);
}

static const char *
reason_to_skip(const struct rows *due, int row)
{
	if (row_bool(due, row, DRAFT_CLAIMED))
		return "invoiced already";
	if (row_bool(due, row, DRAFT_CLOSED))
		return "its month is closed: what changes there becomes an adjustment, by tollbook rerate";
	if (row_bool(due, row, DRAFT_ADJUSTED))
		return "what it comes to is booked as adjustments, which go on the next invoice";
	if (row_is_null(due, row, DRAFT_CURRENCY))
		return "no contract: its usage is on hold";
	if (row_number(due, row, DRAFT_FOREIGN) > 0)
		return "has charges in another currency than its contract";
	if (row_number(due, row, DRAFT_LINES) == 0)
		return "nothing is charged: its usage is on hold, free or taken back";
	return NULL;
}

/* One of those that are due, whose work can be undone without the others'. */
typedef bool draft_one(struct run *run, const struct rows *due, int row, struct drafted *drafted, struct error *err);

static bool
draft_due_period(struct run *run, const struct rows *due, int row, struct drafted *drafted, struct error *err)
{
	drafted->skipped = reason_to_skip(due, row);
	/* An older draft of what is not charged any more would stand in the way of finalizing for ever. */
	return drafted->skipped != NULL
	    ? draft_drop(run, drafted, err)
	    : draft_period(run, row_text(due, row, DRAFT_RATING), row_text(due, row, DRAFT_CURRENCY), drafted, err);
}

static bool
draft_due_adjustments(struct run *run, const struct rows *due, int row, struct drafted *drafted, struct error *err)
{
	drafted->of_adjustments = true;
	if (row_bool(due, row, OWN_TO_PAY))
		return draft_adjustments(run, row_text(due, row, OWN_CONTRACT), row_text(due, row, OWN_CURRENCY), drafted, err);
	drafted->skipped = "what waits is owed to the tenant: tollbook credit-note issue NUMBER --pending";
	return true;
}

/* What failed leaves nothing, not even a draft from before. */
static bool
undo_draft(struct run *run, struct drafted *drafted, struct error *failed, struct error *err)
{
	if (invoicing_concerns_all(run, failed)) {
		*err = *failed;
		return false;
	}
	if (!db_rollback_to_savepoint(run->db, err) || (!drafted->of_adjustments && !draft_drop(run, drafted, err)))
		return false;
	drafted->failed = failed;
	drafted->skipped = failed->message;
	return true;
}

static bool
draft_within(struct run *run, draft_one *draft, const struct rows *due, int row, struct drafted *drafted, struct error *failed,
    struct error *err)
{
	return db_savepoint(run->db, err) && (draft(run, due, row, drafted, failed) || undo_draft(run, drafted, failed, err)) &&
	    db_release_savepoint(run->db, err);
}

/* Columns of both lists begin with tenant and period. */
static bool
draft_all(struct run *run, draft_one *draft, const struct rows *due, invoice_drafted *told, void *context, struct error *err)
{
	for (int i = 0; i < due->count; i++) {
		struct drafted drafted = {.tenant = row_text(due, i, DRAFT_TENANT), .period = row_text(due, i, DRAFT_PERIOD)};
		struct error failed = {0};

		progress_count(run, "drafts", i, due->count);
		if (!draft_within(run, draft, due, i, &drafted, &failed, err))
			return error_wrap(err, "drafting %s of %s", drafted.period, drafted.tenant);
		told(context, &drafted);
	}
	progress_end(run);
	return true;
}

static bool
draft_periods(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	const char *until = scope.ended ? param_instant(&run->arena, run->now) : NULL;
	struct rows due;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_DRAFTS_DUE, PARAMS(scope.period, scope.tenant, until), &due, err))
		return false;
	fine = invoicing_plan(run, err) && draft_all(run, draft_due_period, &due, told, context, err);
	rows_release(&due);
	return fine;
}

static bool
draft_own(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	struct rows due;
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_DRAFT_ADJUSTMENTS_DUE,
		PARAMS(scope.period, scope.tenant, param_instant(&run->arena, run->now)), &due, err))
		return false;
	fine = draft_all(run, draft_due_adjustments, &due, told, context, err);
	rows_release(&due);
	return fine;
}

bool
invoices_draft(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	bool fine;

	if (!db_begin(run->db, err))
		return false;
	/* Two who draft at once would bill an adjustment twice. */
	fine = books_lock(run, err) &&
	    db_change(run->db, SQL_LEDGER_DRAFT_ADJUSTMENTS_DELETE, PARAMS(scope.period, scope.tenant), -1, err) &&
	    draft_periods(run, scope, told, context, err) && draft_own(run, scope, told, context, err);
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}
