/* invoice_draft.c -- drafts of invoices: of what a period came to, and of adjustments alone; see invoice.h and invoicing.h. */
#include <stdlib.h>
#include <string.h>

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
	DRAFT_ISSUER,
	DRAFT_TAX_NAME,
	DRAFT_TAX_PERCENT,
};

/* Columns of draft_adjustments_due.sql. */
enum own_column { OWN_TENANT, OWN_PERIOD, OWN_CONTRACT, OWN_CURRENCY, OWN_TO_PAY, OWN_ISSUER, OWN_TAX_NAME, OWN_TAX_PERCENT };

/* A list of what is due; columns of both begin with tenant and period. */
struct list {
	const struct rows *due;
	const char *(*reason_to_skip)(const struct rows *due, int row);
	enum statement_id add; /* the header, of what `of` says */
	int of, currency, issuer, tax_name, tax_percent, lines;
	bool of_adjustments;
};

/* A line, before its draft has a number. */
struct draft_line {
	size_t draft;
	int64_t about; /* a charge's place in its rating, or an adjustment */
	int64_t line, minor;
};
struct draft_lines {
	struct draft_line *item;
	size_t count, room;
};

/* A draft while its lines are collected. */
struct draft {
	int row; /* of the list */
	struct drafted *told;
	struct decimal exact;
	struct money total;
	const char *invoice_id;
};

struct drafting {
	struct run *run;
	const struct list *list;
	int first, count; /* the chunk, of the list */
	struct drafted told[CHUNK_INVOICES];
	struct draft draft[CHUNK_INVOICES]; /* of those that are not skipped */
	size_t draft_count;
	struct draft_lines charges, adjustments;
	struct rows made;
};

/* --- which of them --------------------------------------------------------------------------- */

static const char *
reason_to_skip_period(const struct rows *due, int row)
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

static const char *
reason_to_skip_own(const struct rows *due, int row)
{
	return row_bool(due, row, OWN_TO_PAY) ? NULL
					      : "what waits is owed to the tenant: tollbook credit-note issue NUMBER --pending";
}

static void
begin_draft(struct drafting *drafting, struct drafted *told, int row)
{
	const struct list *list = drafting->list;
	struct draft *draft = &drafting->draft[drafting->draft_count++];

	*draft = (struct draft){.row = row, .told = told};
	told->net.currency = currency_find(row_text(list->due, row, list->currency));
	must(told->net.currency != NULL);
}

static void
begin_chunk(struct drafting *drafting, int first, int count)
{
	const struct list *list = drafting->list;

	drafting->first = first;
	drafting->count = count;
	drafting->draft_count = drafting->charges.count = drafting->adjustments.count = 0;
	for (int i = 0; i < count; i++) {
		struct drafted *told = &drafting->told[i];
		int row = first + i;

		*told = (struct drafted){.tenant = row_text(list->due, row, DRAFT_TENANT),
		    .period = row_text(list->due, row, DRAFT_PERIOD),
		    .of_adjustments = list->of_adjustments,
		    .skipped = list->reason_to_skip(list->due, row)};
		if (told->skipped == NULL)
			begin_draft(drafting, told, row);
	}
}

/* Older drafts go, also of what is not charged any more: they would stand in the way of finalizing for ever. */
static bool
drop_drafts(struct drafting *drafting, struct error *err)
{
	struct text tenants = {0};
	bool fine;

	if (drafting->list->of_adjustments)
		return true;
	for (int i = 0; i < drafting->count; i++)
		elements_add(&tenants, drafting->told[i].tenant);
	fine = db_change(
	    drafting->run->db, SQL_LEDGER_DRAFT_DELETE, PARAMS(elements_end(&tenants), drafting->told[0].period), -1, err);
	text_release(&tenants);
	return fine;
}

/* --- lines ----------------------------------------------------------------------------------- */

static bool
add_line(struct drafting *drafting, struct draft_lines *lines, size_t at, int64_t about, struct money amount,
    struct decimal exact, struct error *err)
{
	struct draft *draft = &drafting->draft[at];
	struct drafted *told = draft->told;

	told->lines++;
	lines->item = memory_grow(lines->item, &lines->room, lines->count + 1, sizeof *lines->item);
	lines->item[lines->count++] = (struct draft_line){at, about, told->lines, amount.minor};
	return money_add(told->net, amount, &told->net, err) && decimal_add(draft->exact, exact, &draft->exact, err);
}

/* Rounds each charge; columns of charges_for_lines.sql. */
static bool
add_charges(struct drafting *drafting, const struct rows *charges, struct error *err)
{
	enum { PLACE, ORDINAL, AMOUNT };

	for (int i = 0; i < charges->count; i++) {
		size_t at = (size_t)row_number(charges, i, PLACE) - 1;
		struct decimal exact = row_decimal(charges, i, AMOUNT);
		struct money rounded = {0};

		if (!money_round(exact, drafting->draft[at].told->net.currency, ROUND_HALF_UP, &rounded, err) ||
		    !add_line(drafting, &drafting->charges, at, row_number(charges, i, ORDINAL), rounded, exact, err))
			return false;
	}
	return true;
}

static bool
load_charges(struct drafting *drafting, struct error *err)
{
	const struct list *list = drafting->list;
	struct text ratings = {0};
	struct rows charges;
	bool fine;

	if (list->of_adjustments)
		return true;
	for (size_t i = 0; i < drafting->draft_count; i++)
		elements_add(&ratings, row_text(list->due, drafting->draft[i].row, list->of));
	fine = db_rows(drafting->run->db, SQL_LEDGER_CHARGES_FOR_LINES, PARAMS(elements_end(&ratings)), &charges, err);
	text_release(&ratings);
	if (!fine)
		return false;
	fine = add_charges(drafting, &charges, err);
	rows_release(&charges);
	return fine;
}

/* Adjustments that wait, as far as the sum stays at or above zero; columns of draft_adjustments.sql. */
static bool
add_adjustments(struct drafting *drafting, const struct rows *waiting, struct error *err)
{
	enum { PLACE, ADJUSTMENT, MINOR, EXACT };

	for (int i = 0; i < waiting->count; i++) {
		size_t at = (size_t)row_number(waiting, i, PLACE) - 1;
		struct money net = drafting->draft[at].told->net;
		struct money amount = {row_number(waiting, i, MINOR), net.currency};

		if (amount.minor < 0 && net.minor < -amount.minor)
			continue;
		if (!add_line(drafting, &drafting->adjustments, at, row_number(waiting, i, ADJUSTMENT), amount,
			row_decimal(waiting, i, EXACT), err))
			return false;
	}
	return true;
}

static bool
load_adjustments(struct drafting *drafting, struct error *err)
{
	enum { TENANT, CURRENCY, ISSUER, TAX_NAME, TAX_PERCENT, COLUMNS };
	const struct list *list = drafting->list;
	const int from[COLUMNS] = {DRAFT_TENANT, list->currency, list->issuer, list->tax_name, list->tax_percent};
	struct text column[COLUMNS] = {0};
	struct rows waiting = {0};
	bool fine;

	for (size_t i = 0; i < drafting->draft_count; i++)
		for (int j = 0; j < COLUMNS; j++)
			elements_add(&column[j], row_text(list->due, drafting->draft[i].row, from[j]));
	fine = db_rows(drafting->run->db, SQL_LEDGER_DRAFT_ADJUSTMENTS,
		   PARAMS(elements_end(&column[TENANT]), elements_end(&column[CURRENCY]), elements_end(&column[ISSUER]),
		       elements_end(&column[TAX_NAME]), elements_end(&column[TAX_PERCENT])),
		   &waiting, err) &&
	    add_adjustments(drafting, &waiting, err);
	rows_release(&waiting);
	for (int j = 0; j < COLUMNS; j++)
		text_release(&column[j]);
	return fine;
}

/* --- what is written ------------------------------------------------------------------------- */

static bool
count_tax(const struct list *list, struct draft *draft, struct error *err)
{
	struct drafted *told = draft->told;

	return tax_of(told->net, row_decimal(list->due, draft->row, list->tax_percent), &told->tax, err) &&
	    money_add(told->net, told->tax, &draft->total, err);
}

/* The headers; made are invoice and tenant, in the order of the list. */
static bool
write_headers(struct drafting *drafting, struct error *err)
{
	enum { OF, MINOR_UNITS, TAX, TOTAL, EXACT, COLUMNS };
	const struct list *list = drafting->list;
	struct run *run = drafting->run;
	struct text column[COLUMNS] = {0};
	bool fine;

	for (size_t i = 0; i < drafting->draft_count; i++) {
		const struct draft *draft = &drafting->draft[i];
		char exact[DECIMAL_TEXT];

		elements_add(&column[OF], row_text(list->due, draft->row, list->of));
		elements_add_number(&column[MINOR_UNITS], draft->total.currency->minor_units);
		elements_add_number(&column[TAX], draft->told->tax.minor);
		elements_add_number(&column[TOTAL], draft->total.minor);
		elements_add(&column[EXACT], decimal_format(draft->exact, exact));
	}
	fine = db_rows(run->db, list->add,
	    PARAMS(elements_end(&column[OF]), elements_end(&column[MINOR_UNITS]), elements_end(&column[TAX]),
		elements_end(&column[TOTAL]), elements_end(&column[EXACT]), param_instant(&run->arena, run->now), run->by),
	    &drafting->made, err);
	for (int j = 0; j < COLUMNS; j++)
		text_release(&column[j]);
	return fine;
}

static void
take_headers(struct drafting *drafting)
{
	must((size_t)drafting->made.count == drafting->draft_count);
	for (int i = 0; i < drafting->made.count; i++) {
		struct draft *draft = &drafting->draft[i];

		must(strcmp(row_text(&drafting->made, i, 1), draft->told->tenant) == 0);
		draft->invoice_id = row_text(&drafting->made, i, 0);
	}
}

static bool
write_charges(struct drafting *drafting, struct error *err)
{
	enum { INVOICE, RATING, ORDINAL, LINE, MINOR, COLUMNS };
	const struct list *list = drafting->list;
	const struct draft_lines *lines = &drafting->charges;
	struct text column[COLUMNS] = {0};
	bool fine;

	for (size_t i = 0; i < lines->count; i++) {
		const struct draft *draft = &drafting->draft[lines->item[i].draft];

		elements_add(&column[INVOICE], draft->invoice_id);
		elements_add(&column[RATING], row_text(list->due, draft->row, list->of));
		elements_add_number(&column[ORDINAL], lines->item[i].about);
		elements_add_number(&column[LINE], lines->item[i].line);
		elements_add_number(&column[MINOR], lines->item[i].minor);
	}
	fine = lines->count == 0 ||
	    db_change(drafting->run->db, SQL_LEDGER_LINES_ADD,
		PARAMS(elements_end(&column[INVOICE]), elements_end(&column[RATING]), elements_end(&column[ORDINAL]),
		    elements_end(&column[LINE]), elements_end(&column[MINOR])),
		(int64_t)lines->count, err);
	for (int j = 0; j < COLUMNS; j++)
		text_release(&column[j]);
	return fine;
}

static bool
write_adjustments(struct drafting *drafting, struct error *err)
{
	enum { INVOICE, LINE, ADJUSTMENT, COLUMNS };
	const struct draft_lines *lines = &drafting->adjustments;
	struct text column[COLUMNS] = {0};
	bool fine;

	for (size_t i = 0; i < lines->count; i++) {
		elements_add(&column[INVOICE], drafting->draft[lines->item[i].draft].invoice_id);
		elements_add_number(&column[LINE], lines->item[i].line);
		elements_add_number(&column[ADJUSTMENT], lines->item[i].about);
	}
	fine = lines->count == 0 ||
	    db_change(drafting->run->db, SQL_LEDGER_LINES_ADD_ADJUSTMENTS,
		PARAMS(elements_end(&column[INVOICE]), elements_end(&column[LINE]), elements_end(&column[ADJUSTMENT])),
		(int64_t)lines->count, err);
	for (int j = 0; j < COLUMNS; j++)
		text_release(&column[j]);
	return fine;
}

static bool
write_drafts(struct drafting *drafting, struct error *err)
{
	bool fine;

	for (size_t i = 0; i < drafting->draft_count; i++)
		if (!count_tax(drafting->list, &drafting->draft[i], err))
			return false;
	if (!write_headers(drafting, err))
		return false;
	take_headers(drafting);
	fine = write_charges(drafting, err) && write_adjustments(drafting, err);
	rows_release(&drafting->made);
	return fine;
}

/* --- a chunk --------------------------------------------------------------------------------- */

static bool
draft_chunk(struct drafting *drafting, struct error *err)
{
	return drop_drafts(drafting, err) &&
	    (drafting->draft_count == 0 ||
		(load_charges(drafting, err) && load_adjustments(drafting, err) && write_drafts(drafting, err)));
}

/* What failed leaves nothing. */
static bool
undo_chunk(struct drafting *drafting, const struct error *failed, struct error *err)
{
	struct run *run = drafting->run;

	if (invoicing_concerns_all(run, failed)) {
		*err = *failed;
		return false;
	}
	return db_rollback_to_savepoint(run->db, err);
}

/* One that failed has no draft, not even one from before. */
static bool
drop_failed(struct drafting *drafting, const struct error *failed, struct error *err)
{
	drafting->told[0].failed = failed;
	drafting->told[0].skipped = failed->message;
	return drop_drafts(drafting, err);
}

/* *together: the chunk is done, or one that failed is. */
static bool
draft_within(struct drafting *drafting, struct error *failed, bool *together, struct error *err)
{
	if (!db_savepoint(drafting->run->db, err))
		return false;
	*together = draft_chunk(drafting, failed);
	if (!*together && !undo_chunk(drafting, failed, err))
		return false;
	if (!*together && drafting->count == 1) {
		*together = true;
		if (!drop_failed(drafting, failed, err))
			return false;
	}
	return db_release_savepoint(drafting->run->db, err);
}

/* Those of the list from `first` on, together if that goes, else in halves. */
static bool
draft_span(struct drafting *drafting, int first, int count, invoice_drafted *told, void *context, struct error *err)
{
	struct error failed = {0};
	bool together = false;

	begin_chunk(drafting, first, count);
	if (!draft_within(drafting, &failed, &together, err))
		return error_wrap(err, "drafting %s of %s", row_text(drafting->list->due, first, DRAFT_PERIOD),
		    row_text(drafting->list->due, first, DRAFT_TENANT));
	if (!together)
		return draft_span(drafting, first, count / 2, told, context, err) &&
		    draft_span(drafting, first + count / 2, count - count / 2, told, context, err);
	for (int i = 0; i < count; i++)
		told(context, &drafting->told[i]);
	return true;
}

static int64_t
lines_of(const struct list *list, int row)
{
	return list->of_adjustments ? 0 : row_number(list->due, row, list->lines);
}

/* Where the chunk ends that begins there.  In a period a tenant is once, and among those of adjustments alone in all. */
static int
chunk_end(const struct list *list, int first)
{
	const char *period = row_text(list->due, first, DRAFT_PERIOD);
	int64_t lines = 0;
	int end = first;

	do
		lines += lines_of(list, end++);
	while (end < list->due->count && end - first < CHUNK_INVOICES && lines + lines_of(list, end) <= CHUNK_LINES &&
	    (list->of_adjustments || strcmp(row_text(list->due, end, DRAFT_PERIOD), period) == 0));
	return end;
}

static bool
draft_all(struct run *run, const struct list *list, invoice_drafted *told, void *context, struct error *err)
{
	struct drafting *drafting = memory_new(1, sizeof *drafting);
	bool fine = true;
	int first = 0;

	drafting->run = run;
	drafting->list = list;
	while (fine && first < list->due->count) {
		int end = chunk_end(list, first);

		progress_count(run, "drafts", first, list->due->count);
		fine = draft_span(drafting, first, end - first, told, context, err);
		first = end;
	}
	if (fine)
		progress_end(run);
	free(drafting->charges.item);
	free(drafting->adjustments.item);
	free(drafting);
	return fine;
}

/* --- both lists ------------------------------------------------------------------------------ */

static bool
draft_periods(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	const char *until = scope.ended ? param_instant(&run->arena, run->now) : NULL;
	struct rows due;
	const struct list list = {.due = &due,
	    .reason_to_skip = reason_to_skip_period,
	    .add = SQL_LEDGER_DRAFT_ADD,
	    .of = DRAFT_RATING,
	    .currency = DRAFT_CURRENCY,
	    .issuer = DRAFT_ISSUER,
	    .tax_name = DRAFT_TAX_NAME,
	    .tax_percent = DRAFT_TAX_PERCENT,
	    .lines = DRAFT_LINES};
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_DRAFTS_DUE, PARAMS(scope.period, scope.tenant, until), &due, err))
		return false;
	fine = invoicing_plan(run, err) && draft_all(run, &list, told, context, err);
	rows_release(&due);
	return fine;
}

static bool
draft_own(struct run *run, struct invoice_scope scope, invoice_drafted *told, void *context, struct error *err)
{
	struct rows due;
	const struct list list = {.due = &due,
	    .reason_to_skip = reason_to_skip_own,
	    .add = SQL_LEDGER_DRAFT_ADJUSTMENTS_ADD,
	    .of = OWN_CONTRACT,
	    .currency = OWN_CURRENCY,
	    .issuer = OWN_ISSUER,
	    .tax_name = OWN_TAX_NAME,
	    .tax_percent = OWN_TAX_PERCENT,
	    .of_adjustments = true};
	bool fine;

	if (!db_rows(run->db, SQL_LEDGER_DRAFT_ADJUSTMENTS_DUE,
		PARAMS(scope.period, scope.tenant, param_instant(&run->arena, run->now)), &due, err))
		return false;
	fine = draft_all(run, &list, told, context, err);
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
