/* explain_documents.c -- what came after an invoice: credit notes, credits, adjustments and re-rates. */
#include <string.h>

#include "reports/explain.h"

const struct explain_column explain_note_columns[] = {{"credit_note", "credit note", EXPLAIN_TEXT},
    {"issued_on", "issued on", EXPLAIN_TEXT}, {"scope", "scope", EXPLAIN_TEXT}, {"amount", "amount", EXPLAIN_AMOUNT},
    {"credits", "of it credits", EXPLAIN_AMOUNT}, {"reason", "reason", EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT}, {0}};

const struct explain_column explain_adjustment_columns[] = {{"adjustment", "adjustment", EXPLAIN_TEXT},
    {"because_of", "because of", EXPLAIN_TEXT}, {"tenant", NULL, EXPLAIN_TEXT}, {"original_period", "period", EXPLAIN_TEXT},
    {"model", "model", EXPLAIN_TEXT}, {"service_tier", NULL, EXPLAIN_TEXT}, {"meter", "meter", EXPLAIN_TEXT},
    {"kind", "kind", EXPLAIN_TEXT}, {"quantity", "quantity", EXPLAIN_NUMBER}, {"exact_amount", "exact", EXPLAIN_AMOUNT},
    {"amount", "amount", EXPLAIN_AMOUNT}, {"currency", NULL, EXPLAIN_TEXT}, {"reason", "reason", EXPLAIN_TEXT},
    {"outcome", NULL, EXPLAIN_TEXT}, {"state", "state", EXPLAIN_TEXT}, {"document", "document", EXPLAIN_TEXT}, {0}};

/* A sum that is not what it is the sum of: said, and the command's exit code tells of it. */
static void
check_sum(struct explanation *e, const char *what, bool fine)
{
	explain_member(e, "adds_up", EXPLAIN_BOOL, fine ? "t" : "f");
	if (fine)
		return;
	explain_say(e, "DIFFERS", "%s; tollbook reconcile finds out more", what);
	e->run->finding = ERROR_FINDINGS;
}

static bool
cell_is_true(const struct rows *rows, int row, int column)
{
	return !row_is_null(rows, row, column) && row_bool(rows, row, column);
}

/* --- credit notes ------------------------------------------------------------------------------ */

/* Columns of explain_note.sql that are asked for one by one. */
enum { NOTE_ID = 0, NOTE_INVOICE = 7, NOTE_FITS = 29 };

static const struct explain_column note_facts[] = {{"credit_note_id", NULL, EXPLAIN_NUMBER},
    {"number", "credit note", EXPLAIN_TEXT}, {"scope", "scope", EXPLAIN_TEXT}, {"issuer", NULL, EXPLAIN_TEXT},
    {"issuer_name", "from", EXPLAIN_TEXT}, {"tenant", NULL, EXPLAIN_TEXT}, {"tenant_name", "to", EXPLAIN_TEXT},
    {"invoice", "of invoice", EXPLAIN_TEXT}, {"invoice_date", "dated", EXPLAIN_TEXT}, {"period", "period", EXPLAIN_TEXT},
    {"invoice_kind", NULL, EXPLAIN_TEXT}, {"currency", "currency", EXPLAIN_TEXT}, {"net", "net", EXPLAIN_AMOUNT},
    {"credits", "credits", EXPLAIN_AMOUNT}, {"tax_name", NULL, EXPLAIN_TEXT}, {"tax_percent", NULL, EXPLAIN_AMOUNT},
    {"tax", NULL, EXPLAIN_AMOUNT}, {"total", NULL, EXPLAIN_AMOUNT}, {"to_balance", NULL, EXPLAIN_AMOUNT},
    {"to_refund", NULL, EXPLAIN_AMOUNT}, {"reason", "reason", EXPLAIN_TEXT}, {"reason_meaning", NULL, EXPLAIN_TEXT},
    {"ticket", "ticket", EXPLAIN_TEXT}, {"note", "note", EXPLAIN_TEXT}, {"issued_on", "issued on", EXPLAIN_TEXT},
    {"issued_by", "issued by", EXPLAIN_TEXT}, {"invoice_total", NULL, EXPLAIN_AMOUNT}, {"credited_before", NULL, EXPLAIN_AMOUNT},
    {"tax_arithmetic", NULL, EXPLAIN_TEXT}, {0}};

static void
say_note_arithmetic(struct explanation *e, const struct rows *note)
{
	enum { NET = 12, CREDITS, TAX_NAME, PERCENT, TAX, TOTAL, BALANCE, REFUND, INVOICE_TOTAL = 26, BEFORE, ARITHMETIC };

	explain_say(e, "tax", "%s %s", row_text(note, 0, TAX_NAME), row_text(note, 0, ARITHMETIC));
	explain_say(e, "total", "%s - %s + %s = %s", row_text(note, 0, NET), row_text(note, 0, CREDITS), row_text(note, 0, TAX),
	    row_text(note, 0, TOTAL));
	explain_say(e, "paid back", "%s to the balance, %s to be refunded; the rest lowers what is due",
	    row_text(note, 0, BALANCE), row_text(note, 0, REFUND));
	explain_say(e, "in all", "%s of %s were credited before", row_text(note, 0, BEFORE), row_text(note, 0, INVOICE_TOTAL));
}

static const struct explain_column note_lines[] = {{"place", "place", EXPLAIN_NUMBER}, {"of", "of", EXPLAIN_TEXT},
    {"model", "model", EXPLAIN_TEXT}, {"service_tier", NULL, EXPLAIN_TEXT}, {"meter", "meter", EXPLAIN_TEXT},
    {"kind", "kind", EXPLAIN_TEXT}, {"line_amount", "line amount", EXPLAIN_AMOUNT}, {"amount", "credited", EXPLAIN_AMOUNT},
    {"credits", "of it credits", EXPLAIN_AMOUNT}, {"line", NULL, EXPLAIN_NUMBER}, {"adjustment_id", NULL, EXPLAIN_NUMBER}, {0}};

static bool
explain_note(struct explanation *e, const struct rows *note, struct error *err)
{
	static const struct explain_column credits[] = {{"entry", "credit", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT},
	    {"amount", "amount", EXPLAIN_AMOUNT}, {"balance_before", "before", EXPLAIN_AMOUNT},
	    {"balance_after", "after", EXPLAIN_AMOUNT}, {0}};
	static const struct explain_column adjustments[] = {{"adjustment", "adjustment", EXPLAIN_TEXT},
	    {"effect", "effect", EXPLAIN_TEXT}, {"amount", "amount", EXPLAIN_AMOUNT}, {"reason", "reason", EXPLAIN_TEXT}, {0}};
	const char *id = row_text(note, 0, NOTE_ID);

	say_note_arithmetic(e, note);
	check_sum(e, "the lines of the credit note do not come to its net amount and credits", cell_is_true(note, 0, NOTE_FITS));
	return explain_query(e, "lines", "lines", note_lines, SQL_REPORTS_EXPLAIN_NOTE_LINES, PARAMS(id, NULL), err) &&
	    explain_query(
		e, "restored_credits", "credits that it gave back", credits, SQL_REPORTS_EXPLAIN_NOTE_CREDITS, PARAMS(id), err) &&
	    explain_query(e, "adjustments", "adjustments of the period that it settled", adjustments,
		SQL_REPORTS_EXPLAIN_NOTE_ADJUSTMENTS, PARAMS(id), err);
}

/* The thing that one line of a credit note is about. */
static bool
explain_noted(struct explanation *e, const struct rows *note, const struct rows *line, struct error *err)
{
	enum { LINE = 9, ADJUSTMENT };
	bool of_line = !row_is_null(line, 0, LINE), fine;

	explain_list(e, "lines", "line", note_lines, line);
	explain_heading(e, "what it credits");
	explain_open(e, of_line ? "invoice_line" : "adjustment");
	fine = of_line ? explain_line(e, row_text(note, 0, NOTE_INVOICE), row_text(line, 0, LINE), err)
		       : explain_adjustment(e, row_text(line, 0, ADJUSTMENT), err);
	explain_close(e);
	return fine;
}

static bool
explain_note_place(struct explanation *e, const struct rows *note, const char *number, const char *place, struct error *err)
{
	struct rows line;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_NOTE_LINES, PARAMS(row_text(note, 0, NOTE_ID), place), &line, err))
		return false;
	fine = line.count == 1 ? explain_noted(e, note, &line, err)
			       : explain_unknown(err, "there is no place %s of credit note %s", place, number);
	rows_release(&line);
	return fine;
}

bool
explain_credit_note(struct explanation *e, const char *number, const char *place, bool *found, struct error *err)
{
	struct rows note;
	bool fine = true;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_NOTE, PARAMS(number), &note, err))
		return false;
	*found = note.count == 1;
	if (*found) {
		explain_member(e, "form", EXPLAIN_TEXT, place == NULL ? "credit_note" : "credit_note_line");
		explain_facts(e, note_facts, &note, 0);
		fine = place == NULL ? explain_note(e, &note, err) : explain_note_place(e, &note, number, place, err);
	}
	rows_release(&note);
	return fine;
}

/* --- credits ----------------------------------------------------------------------------------- */

static const struct explain_column credit_facts[] = {{"credit_id", "credit", EXPLAIN_NUMBER}, {"tenant", "tenant", EXPLAIN_TEXT},
    {"issuer", "issuer", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT}, {"currency", "currency", EXPLAIN_TEXT},
    {"amount", "granted", EXPLAIN_AMOUNT}, {"balance", "balance", EXPLAIN_AMOUNT}, {"starts", "for usage of", EXPLAIN_TEXT},
    {"expires", "to before", EXPLAIN_TEXT}, {"priority", "priority", EXPLAIN_NUMBER}, {"model_pattern", "models", EXPLAIN_TEXT},
    {NULL, "meters", EXPLAIN_TEXT}, {"meters", NULL, EXPLAIN_JSON}, {"reason", "reason", EXPLAIN_TEXT},
    {"reason_meaning", NULL, EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT}, {"note", "note", EXPLAIN_TEXT},
    {"granted_at", "granted at", EXPLAIN_TEXT}, {"granted_by", "granted by", EXPLAIN_TEXT},
    {"request_id", "request", EXPLAIN_TEXT}, {0}};
enum { CREDIT_FITS = 20 };

static const struct explain_column credit_entries[] = {{"place", "place", EXPLAIN_NUMBER}, {"kind", "kind", EXPLAIN_TEXT},
    {"amount", "amount", EXPLAIN_AMOUNT}, {"balance_before", "before", EXPLAIN_AMOUNT},
    {"balance_after", "after", EXPLAIN_AMOUNT}, {"document", "document", EXPLAIN_TEXT}, {"booked_at", "booked at", EXPLAIN_TEXT},
    {"booked_by", "by", EXPLAIN_TEXT}, {"reason", "reason", EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT}, {0}};

static const struct explain_column credit_lines[] = {{"place", "place", EXPLAIN_NUMBER}, {"line", "line", EXPLAIN_TEXT},
    {"model", "model", EXPLAIN_TEXT}, {"service_tier", NULL, EXPLAIN_TEXT}, {"meter", "meter", EXPLAIN_TEXT},
    {"line_amount", "line amount", EXPLAIN_AMOUNT}, {"paid", "paid", EXPLAIN_AMOUNT},
    {"paid_by_others", "paid by others", EXPLAIN_AMOUNT}, {0}};

static bool
explain_entries(struct explanation *e, const char *grant, const char *place, struct error *err)
{
	struct rows entries;
	bool found;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_CREDIT_ENTRIES, PARAMS(grant, place), &entries, err))
		return false;
	found = entries.count > 0;
	explain_list(e, "entries", "entries", credit_entries, &entries);
	rows_release(&entries);
	if (!found)
		return explain_unknown(err, "there is no place %s of credit %s", place == NULL ? "1" : place, grant);
	return explain_query(
	    e, "lines", "lines that it paid for", credit_lines, SQL_REPORTS_EXPLAIN_CREDIT_LINES, PARAMS(grant, place), err);
}

static bool
explain_grant(struct explanation *e, const struct rows *credit, const char *grant, const char *place, struct error *err)
{
	explain_member(e, "form", EXPLAIN_TEXT, place == NULL ? "credit" : "credit_entry");
	explain_facts(e, credit_facts, credit, 0);
	check_sum(e, "the entries do not come to the balance", cell_is_true(credit, 0, CREDIT_FITS));
	return explain_entries(e, grant, place, err);
}

bool
explain_credit(struct explanation *e, const char *grant, const char *place, struct error *err)
{
	struct rows credit;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_CREDIT, PARAMS(grant), &credit, err))
		return false;
	fine = credit.count == 1 ? explain_grant(e, &credit, grant, place, err)
				 : explain_unknown(err, "there is no credit %s", grant);
	rows_release(&credit);
	return fine;
}

/* --- adjustments ------------------------------------------------------------------------------- */

static const struct explain_column adjustment_facts[] = {{"adjustment_id", "adjustment", EXPLAIN_NUMBER},
    {"tenant", "tenant", EXPLAIN_TEXT}, {"original_period", "period", EXPLAIN_TEXT},
    {"original_invoice", "invoiced as", EXPLAIN_TEXT}, {"original_invoice_date", "dated", EXPLAIN_TEXT},
    {"kind", "kind", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT}, {"service_tier", "tier", EXPLAIN_TEXT},
    {"meter", "meter", EXPLAIN_TEXT}, {"meter_id", NULL, EXPLAIN_NUMBER}, {"currency", "currency", EXPLAIN_TEXT},
    {"quantity", "quantity", EXPLAIN_NUMBER}, {"exact_amount", "exact", EXPLAIN_AMOUNT}, {"amount", "amount", EXPLAIN_AMOUNT},
    {"rerate", "because of", EXPLAIN_TEXT}, {"reverses", "takes back", EXPLAIN_TEXT}, {"reason", "reason", EXPLAIN_TEXT},
    {"reason_meaning", NULL, EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT}, {"price_version", "prices", EXPLAIN_TEXT},
    {"outcome", "outcome", EXPLAIN_TEXT}, {"booked_at", "booked at", EXPLAIN_TEXT}, {"booked_by", "booked by", EXPLAIN_TEXT},
    {"first_interval", "usage from", EXPLAIN_TEXT}, {"last_interval", "to", EXPLAIN_TEXT}, {0}};

/* Columns of explain_adjustment.sql that are asked for one by one. */
enum {
	ADJUSTMENT_TENANT = 1,
	ADJUSTMENT_KIND = 5,
	ADJUSTMENT_MODEL,
	ADJUSTMENT_TIER,
	ADJUSTMENT_METER_ID = 9,
	ADJUSTMENT_REVERSES = 15,
	OLD_RATING = 25,
	OLD_RUN,
	OLD_UNTIL,
	NEW_RATING,
	NEW_RUN,
	NEW_UNTIL,
	PERIOD_STARTS,
	PERIOD_ENDS,
	OLD_EXACT,
	NEW_EXACT,
	DIFFERENCE_EXACT,
	NEW_ROUNDED,
	BOOKED_BEFORE,
	DIFFERENCE_ROUNDED,
	ADJUSTMENT_FITS,
};

static const struct explain_column charge_columns[] = {{"ordinal", "charge", EXPLAIN_NUMBER},
    {"price_tier", "price tier", EXPLAIN_NUMBER}, {"quantity", "quantity", EXPLAIN_NUMBER}, {"billed", "billed", EXPLAIN_NUMBER},
    {"price", "price", EXPLAIN_AMOUNT}, {"per", "per", EXPLAIN_NUMBER}, {"exact_amount", "exact", EXPLAIN_AMOUNT},
    {"currency", NULL, EXPLAIN_TEXT}, {"price_rule", "price rule", EXPLAIN_TEXT}, {"detail", "detail", EXPLAIN_TEXT},
    {"rule_text", NULL, EXPLAIN_JSON}, {0}};
enum { CHARGE_PRICE_RULE = 8, CHARGE_RULE_JSON = 10, CHARGE_RULE_TEXT };

/* Each rule once, below the charges that it priced. */
static void
say_rules(const struct explanation *e, const struct rows *charges)
{
	for (int i = 0; i < charges->count; i++) {
		bool said = row_is_null(charges, i, CHARGE_RULE_TEXT);

		for (int j = 0; j < i && !said; j++)
			said = strcmp(row_text(charges, j, CHARGE_PRICE_RULE), row_text(charges, i, CHARGE_PRICE_RULE)) == 0;
		if (!said)
			explain_say(
			    e, "rule", "%s: %s", row_text(charges, i, CHARGE_PRICE_RULE), row_text(charges, i, CHARGE_RULE_TEXT));
	}
}

static bool
explain_rating(struct explanation *e, const char *name, const char *what, const struct rows *adjustment, int rating, int run,
    struct error *err)
{
	struct rows charges;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_CHARGES,
		PARAMS(row_text(adjustment, 0, rating), row_text(adjustment, 0, ADJUSTMENT_KIND),
		    row_text(adjustment, 0, ADJUSTMENT_MODEL), row_text(adjustment, 0, ADJUSTMENT_TIER),
		    row_text(adjustment, 0, ADJUSTMENT_METER_ID)),
		&charges, err))
		return false;
	explain_heading(e, "%s charges, rating %s of run %s%s", what, row_text(adjustment, 0, rating),
	    row_text(adjustment, 0, run), charges.count == 0 ? ": none" : "");
	explain_open(e, name);
	explain_member(e, "rating_id", EXPLAIN_NUMBER, row_text(adjustment, 0, rating));
	explain_member(e, "rating_run", EXPLAIN_NUMBER, row_text(adjustment, 0, run));
	explain_list(e, "charges", NULL, charge_columns, &charges);
	say_rules(e, &charges);
	explain_close(e);
	rows_release(&charges);
	return true;
}

static void
say_difference(struct explanation *e, const struct rows *adjustment)
{
	explain_heading(e, "difference");
	explain_say(e, "exact", "%s - %s = %s", row_text(adjustment, 0, NEW_EXACT), row_text(adjustment, 0, OLD_EXACT),
	    row_text(adjustment, 0, DIFFERENCE_EXACT));
	explain_say(e, "rounded", "new charges, each rounded: %s; booked before: %s; difference %s",
	    row_text(adjustment, 0, NEW_ROUNDED), row_text(adjustment, 0, BOOKED_BEFORE),
	    row_text(adjustment, 0, DIFFERENCE_ROUNDED));
	explain_open(e, "difference");
	explain_member(e, "old_exact", EXPLAIN_AMOUNT, row_text(adjustment, 0, OLD_EXACT));
	explain_member(e, "new_exact", EXPLAIN_AMOUNT, row_text(adjustment, 0, NEW_EXACT));
	explain_member(e, "new_rounded", EXPLAIN_AMOUNT, row_text(adjustment, 0, NEW_ROUNDED));
	explain_member(e, "booked_before", EXPLAIN_AMOUNT, row_text(adjustment, 0, BOOKED_BEFORE));
	check_sum(
	    e, "the ratings and what was booked do not come to the adjustment", cell_is_true(adjustment, 0, ADJUSTMENT_FITS));
	explain_close(e);
}

/* A contract's own charges have no usage; and a period whose borders are not known none to be found. */
static bool
adjustment_usage(struct explanation *e, const struct rows *adjustment, struct error *err)
{
	struct explain_usage usage = {.tenant = row_text(adjustment, 0, ADJUSTMENT_TENANT),
	    .model = row_text(adjustment, 0, ADJUSTMENT_MODEL),
	    .service_tier = row_text(adjustment, 0, ADJUSTMENT_TIER),
	    .starts = row_text(adjustment, 0, PERIOD_STARTS),
	    .ends = row_text(adjustment, 0, PERIOD_ENDS),
	    .until_run = row_text(adjustment, 0, NEW_UNTIL),
	    .rating = row_text(adjustment, 0, NEW_RATING)};
	int meter = (int)row_number(adjustment, 0, ADJUSTMENT_METER_ID);

	if (meter == 0 || row_is_null(adjustment, 0, PERIOD_STARTS))
		return true;
	usage.meter = meter_of(meter);
	return explain_usage(e, &usage, err);
}

static bool
explain_adjusted(struct explanation *e, const struct rows *adjustment, const char *id, struct error *err)
{
	explain_member(e, "form", EXPLAIN_TEXT, "adjustment");
	explain_facts(e, adjustment_facts, adjustment, 0);
	if (!explain_query(e, "became", "what became of it", explain_adjustment_columns, SQL_REPORTS_EXPLAIN_ADJUSTMENTS,
		PARAMS(arena_format(&e->run->arena, "{%s}", id), NULL, NULL, NULL, NULL, NULL, NULL, NULL), err) ||
	    !explain_rating(e, "old", "old", adjustment, OLD_RATING, OLD_RUN, err) ||
	    !explain_rating(e, "new", "new", adjustment, NEW_RATING, NEW_RUN, err))
		return false;
	if (row_is_null(adjustment, 0, ADJUSTMENT_REVERSES))
		say_difference(e, adjustment);
	return adjustment_usage(e, adjustment, err);
}

bool
explain_adjustment(struct explanation *e, const char *adjustment, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_ADJUSTMENT, PARAMS(adjustment), &rows, err))
		return false;
	fine = rows.count == 1 ? explain_adjusted(e, &rows, adjustment, err)
			       : explain_unknown(err, "there is no adjustment %s", adjustment);
	rows_release(&rows);
	return fine;
}

/* --- re-rates ---------------------------------------------------------------------------------- */

static const struct explain_column rerate_facts[] = {{"rerate_id", "re-rate", EXPLAIN_NUMBER}, {"period", "period", EXPLAIN_TEXT},
    {"tenant", "tenant", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT}, {"prices", "prices", EXPLAIN_TEXT},
    {"reason", "reason", EXPLAIN_TEXT}, {"reason_meaning", NULL, EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT},
    {"note", "note", EXPLAIN_TEXT}, {"second_person", "two people", EXPLAIN_BOOL}, {"state", "state", EXPLAIN_TEXT},
    {"planned_at", "planned at", EXPLAIN_TEXT}, {"planned_by", "planned by", EXPLAIN_TEXT},
    {"applied_by_run", "applied as run", EXPLAIN_NUMBER}, {0}};

static const struct explain_column rerate_items[] = {{"place", "place", EXPLAIN_NUMBER}, {"tenant", "tenant", EXPLAIN_TEXT},
    {"period", "period", EXPLAIN_TEXT}, {"closed", NULL, EXPLAIN_BOOL}, {"document", "document", EXPLAIN_TEXT},
    {"currency", "currency", EXPLAIN_TEXT}, {"old_amount", "old", EXPLAIN_AMOUNT}, {"new_amount", "new", EXPLAIN_AMOUNT},
    {"difference", "difference", EXPLAIN_AMOUNT}, {"up", "up", EXPLAIN_AMOUNT}, {"down", "down", EXPLAIN_AMOUNT},
    {"old_rating_id", "old rating", EXPLAIN_NUMBER}, {"new_rating_id", "new rating", EXPLAIN_NUMBER},
    {"booked", "booked", EXPLAIN_AMOUNT}, {0}};
enum { ITEM_TENANT = 1, ITEM_PERIOD, ITEM_OLD_RATING = 11, ITEM_NEW_RATING, ITEM_BOOKED, ITEM_FITS };

static bool
explain_substitutions(struct explanation *e, const char *rerate, const char *tenant, struct error *err)
{
	static const struct explain_column columns[] = {{"tenant", "tenant", EXPLAIN_TEXT}, {"period", "period", EXPLAIN_TEXT},
	    {"model", "model", EXPLAIN_TEXT}, {"prices", "prices", EXPLAIN_TEXT}, {0}};

	return explain_query(e, "substitutions", "prices put in the place of others", columns, SQL_REPORTS_EXPLAIN_SUBSTITUTIONS,
	    PARAMS(rerate, tenant), err);
}

static bool
explain_adjustments_of(struct explanation *e, const char *rerate, const char *tenant, const char *period, struct error *err)
{
	return explain_query(e, "adjustments", "booked for it", explain_adjustment_columns, SQL_REPORTS_EXPLAIN_ADJUSTMENTS,
	    PARAMS(NULL, rerate, tenant, period, NULL, NULL, NULL, NULL), err);
}

static bool
explain_differences(struct explanation *e, const char *rerate, const char *place, const struct rows *item, struct error *err)
{
	static const struct explain_column differences[] = {{"day", "day", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT},
	    {"service_tier", NULL, EXPLAIN_TEXT}, {"meter", "meter", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT},
	    {"old_quantity", "old quantity", EXPLAIN_NUMBER}, {"new_quantity", "new quantity", EXPLAIN_NUMBER},
	    {"old_amount", "old", EXPLAIN_AMOUNT}, {"new_amount", "new", EXPLAIN_AMOUNT},
	    {"difference", "difference", EXPLAIN_AMOUNT}, {0}};
	static const struct explain_column prices[] = {{"side", "", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT},
	    {"service_tier", NULL, EXPLAIN_TEXT}, {"meter", "meter", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT},
	    {"price_tier", "price tier", EXPLAIN_NUMBER}, {"quantity", "quantity", EXPLAIN_NUMBER},
	    {"price", "price", EXPLAIN_AMOUNT}, {"per", "per", EXPLAIN_NUMBER}, {"exact_amount", "exact", EXPLAIN_AMOUNT},
	    {"price_rule", "price rule", EXPLAIN_TEXT}, {"detail", "detail", EXPLAIN_TEXT}, {0}};
	const char *after = row_is_null(item, 0, ITEM_NEW_RATING) ? NULL : row_text(item, 0, ITEM_NEW_RATING);

	check_sum(e, "the differences by day do not come to the difference of the amounts", cell_is_true(item, 0, ITEM_FITS));
	return explain_query(e, "differences", "differences by day", differences, SQL_REPORTS_EXPLAIN_RERATE_DIFFERENCES,
		   PARAMS(rerate, place), err) &&
	    explain_query(e, "charges",
		after == NULL ? "charges of what differs, as they are" : "charges of what differs, old and new", prices,
		SQL_REPORTS_EXPLAIN_RERATE_PRICES, PARAMS(rerate, place, row_text(item, 0, ITEM_OLD_RATING), after), err) &&
	    explain_substitutions(e, rerate, row_text(item, 0, ITEM_TENANT), err) &&
	    explain_adjustments_of(e, rerate, row_text(item, 0, ITEM_TENANT), row_text(item, 0, ITEM_PERIOD), err);
}

static bool
explain_items(struct explanation *e, const char *rerate, const char *place, struct error *err)
{
	struct rows items;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_RERATE_ITEMS, PARAMS(rerate, place), &items, err))
		return false;
	explain_list(e, "items", "periods of tenants", rerate_items, &items);
	if (place == NULL)
		fine = explain_substitutions(e, rerate, NULL, err) && explain_adjustments_of(e, rerate, NULL, NULL, err);
	else
		fine = items.count == 1 ? explain_differences(e, rerate, place, &items, err)
					: explain_unknown(err, "there is no place %s of re-rate %s", place, rerate);
	rows_release(&items);
	return fine;
}

static bool
explain_planned(struct explanation *e, const struct rows *rows, const char *rerate, const char *place, struct error *err)
{
	static const struct explain_column decisions[] = {{"decision", "decision", EXPLAIN_TEXT}, {"who", "who", EXPLAIN_TEXT},
	    {"at", "at", EXPLAIN_TEXT}, {"note", "note", EXPLAIN_TEXT}, {"rating_run", "run", EXPLAIN_NUMBER}, {0}};

	explain_member(e, "form", EXPLAIN_TEXT, place == NULL ? "rerate" : "rerate_item");
	explain_facts(e, rerate_facts, rows, 0);
	return explain_query(e, "decisions", "decisions", decisions, SQL_REPORTS_EXPLAIN_RERATE_DECISIONS, PARAMS(rerate), err) &&
	    explain_items(e, rerate, place, err);
}

bool
explain_rerate(struct explanation *e, const char *rerate, const char *place, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_RERATE, PARAMS(rerate), &rows, err))
		return false;
	fine = rows.count == 1 ? explain_planned(e, &rows, rerate, place, err)
			       : explain_unknown(err, "there is no re-rate %s", rerate);
	rows_release(&rows);
	return fine;
}
