/* explain_event.c -- forwards from an event: its ledger rows, its quarter of an hour, what was charged for it, and where it was
 * billed. */
#include <string.h>

#include "ledger/archive_guard.h"
#include "reports/explain.h"

static const struct explain_column event_facts[] = {{"event_id", "event", EXPLAIN_TEXT}, {"tenant", "tenant", EXPLAIN_TEXT},
    {"time", "time", EXPLAIN_TEXT}, {"interval", "quarter", EXPLAIN_TEXT}, {"period", "period", EXPLAIN_TEXT},
    {"period_starts", NULL, EXPLAIN_TEXT}, {"period_ends", NULL, EXPLAIN_TEXT}, {"zone", NULL, EXPLAIN_TEXT},
    {"month_closed", "month shut", EXPLAIN_BOOL}, {"invoice_of_period", "invoiced as", EXPLAIN_TEXT},
    {"rating_id", "rating", EXPLAIN_NUMBER}, {"rating_run", "of run", EXPLAIN_NUMBER}, {0}};

/* Columns of explain_event.sql that are asked for one by one. */
enum {
	EVENT_TENANT = 1,
	EVENT_PERIOD = 4,
	EVENT_INVOICE = 9,
	EVENT_RATING,
	EVENT_DUE = 12,
	EVENT_COUNTS,
	EVENT_SUMMED,
	EVENT_CHAIN
};

/* What was found on the way, for the conclusion. */
struct findings {
	const char *hold;        /* the reason of the first hold, or NULL */
	int charges, holds;      /* in force */
	const char *final_line;  /* the first line of an invoice that is final and stands, or NULL */
	const char *draft_line;  /* the same of a draft */
	const char *credited_by; /* an invoice that had it and was credited in full */
	int adjustments;
	struct text invoices; /* those that are final, as an array */
};

/* --- the ledger -------------------------------------------------------------------------------- */

static bool
list_rows(struct explanation *e, const char *chain, const char *tenant, struct error *err)
{
	static const struct explain_column rows[] = {{"what", "what", EXPLAIN_TEXT}, {"time", NULL, EXPLAIN_TEXT},
	    {"source", "source", EXPLAIN_TEXT}, {"id", "id", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT},
	    {"service_tier", "tier", EXPLAIN_TEXT}, {NULL, "quantities", EXPLAIN_TEXT}, {"quantities", NULL, EXPLAIN_JSON},
	    {"batch", "batch", EXPLAIN_NUMBER}, {"record", "record", EXPLAIN_NUMBER}, {"file", "file", EXPLAIN_TEXT},
	    {"booked_at", NULL, EXPLAIN_TEXT}, {"summed_by_run", "summed by run", EXPLAIN_NUMBER},
	    {"event_id", NULL, EXPLAIN_TEXT}, {"corrects_event_id", NULL, EXPLAIN_TEXT}, {0}};
	static const struct explain_column support[] = {{"action", "action", EXPLAIN_TEXT},
	    {"request_id", "request", EXPLAIN_TEXT}, {"source", "of source", EXPLAIN_TEXT}, {"id", "id", EXPLAIN_TEXT},
	    {"reason", "reason", EXPLAIN_TEXT}, {"reason_meaning", NULL, EXPLAIN_TEXT}, {"ticket", "ticket", EXPLAIN_TEXT},
	    {"before", "before", EXPLAIN_TEXT}, {"asked_at", "asked at", EXPLAIN_TEXT}, {"asked_by", "by", EXPLAIN_TEXT}, {0}};

	return explain_query(e, "ledger_rows", "ledger rows", rows, SQL_REPORTS_EXPLAIN_EVENT_ROWS, PARAMS(chain), err) &&
	    explain_query(e, "support", "done by people", support, SQL_REPORTS_EXPLAIN_EVENT_SUPPORT, PARAMS(chain, tenant), err);
}

static bool
list_classes(struct explanation *e, const char *chain, struct error *err)
{
	static const struct explain_column classes[] = {{"model", "model", EXPLAIN_TEXT}, {"service_tier", "tier", EXPLAIN_TEXT},
	    {"class", "class", EXPLAIN_NUMBER}, {"input_from", "input from", EXPLAIN_NUMBER},
	    {"uncached_input_from", "uncached from", EXPLAIN_NUMBER}, {"output_from", "output from", EXPLAIN_NUMBER},
	    {"part_from", "part from", EXPLAIN_NUMBER}, {"engine", "engine", EXPLAIN_TEXT}, {"tags", "tags", EXPLAIN_JSON}, {0}};

	return explain_query(
	    e, "classes", "classes of requests in its quarter", classes, SQL_REPORTS_EXPLAIN_EVENT_CLASSES, PARAMS(chain), err);
}

/* --- what it came to --------------------------------------------------------------------------- */

static const char *
kept(struct explanation *e, const struct rows *rows, int row, int column)
{
	return arena_copy(&e->run->arena, row_text(rows, row, column), row_length(rows, row, column));
}

static bool
list_charges(struct explanation *e, const char *chain, const char *rating, struct findings *findings, struct error *err)
{
	static const struct explain_column columns[] = {{"model", "model", EXPLAIN_TEXT}, {"service_tier", NULL, EXPLAIN_TEXT},
	    {"meter", "meter", EXPLAIN_TEXT}, {"quantity", "event's", EXPLAIN_NUMBER}, {"fate", "in force", EXPLAIN_TEXT},
	    {"ordinal", "number", EXPLAIN_NUMBER}, {"kind", "kind", EXPLAIN_TEXT}, {"price_tier", "price tier", EXPLAIN_NUMBER},
	    {"price", "price", EXPLAIN_AMOUNT}, {"per", "per", EXPLAIN_NUMBER}, {"of_quantity", "of quantity", EXPLAIN_NUMBER},
	    {"of_amount", "of exact", EXPLAIN_AMOUNT}, {"currency", NULL, EXPLAIN_TEXT},
	    {"price_rule", "price rule", EXPLAIN_TEXT}, {"hold_reason", "held because", EXPLAIN_TEXT},
	    {"detail", "detail", EXPLAIN_TEXT}, {0}};
	enum { FATE = 4, REASON = 14 };
	struct rows rows;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_EVENT_CHARGES, PARAMS(chain, rating), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		bool held = strcmp(row_text(&rows, i, FATE), "hold") == 0;

		findings->charges += !held && !row_is_null(&rows, i, FATE);
		findings->holds += held;
		if (held && findings->hold == NULL)
			findings->hold = kept(e, &rows, i, REASON);
	}
	explain_list(e, "meters", "meters: what the event has, and the charges and holds that it is in", columns, &rows);
	rows_release(&rows);
	return true;
}

/* A line that stands, is a draft's, or was credited as a whole. */
static void
note_line(struct explanation *e, const struct rows *rows, int row, struct findings *findings)
{
	enum { LINE = 0, STANDING, INVOICE = 11, STATUS };
	const char **place = strcmp(row_text(rows, row, STATUS), "draft") == 0 ? &findings->draft_line
	    : strcmp(row_text(rows, row, STANDING), "credited") == 0           ? &findings->credited_by
									       : &findings->final_line;

	if (*place == NULL)
		*place = kept(e, rows, row, LINE);
	if (place != &findings->draft_line)
		text_add_format(
		    &findings->invoices, "%s%s", findings->invoices.length > 0 ? "," : "", row_text(rows, row, INVOICE));
}

static bool
list_lines(struct explanation *e, const char *chain, const struct rows *event, struct findings *findings, struct error *err)
{
	static const struct explain_column columns[] = {{"line", "line", EXPLAIN_TEXT}, {"standing", "standing", EXPLAIN_TEXT},
	    {"issued_on", "issued on", EXPLAIN_TEXT}, {"model", "model", EXPLAIN_TEXT}, {"service_tier", NULL, EXPLAIN_TEXT},
	    {"meter", "meter", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT}, {"exact_amount", "exact", EXPLAIN_AMOUNT},
	    {"amount", "amount", EXPLAIN_AMOUNT}, {"currency", "currency", EXPLAIN_TEXT}, {0}};
	struct rows rows;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_EVENT_LINES,
		PARAMS(chain, row_text(event, 0, EVENT_TENANT), row_text(event, 0, EVENT_PERIOD)), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		note_line(e, &rows, i, findings);
	explain_list(e, "lines", "lines that it is in", columns, &rows);
	rows_release(&rows);
	return true;
}

static bool
list_adjustments(struct explanation *e, const char *chain, const struct rows *event, struct findings *findings, struct error *err)
{
	struct rows ids, rows;

	if (!db_one_row(e->run->db, SQL_REPORTS_EXPLAIN_EVENT_ADJUSTMENTS,
		PARAMS(chain, row_text(event, 0, EVENT_TENANT), row_text(event, 0, EVENT_PERIOD)), &ids, err))
		return false;
	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_ADJUSTMENTS,
		PARAMS(row_text(&ids, 0, 0), NULL, NULL, NULL, NULL, NULL, NULL, NULL), &rows, err)) {
		rows_release(&ids);
		return false;
	}
	findings->adjustments = rows.count;
	explain_list(e, "adjustments", "adjustments of its period, for its models and meters", explain_adjustment_columns, &rows);
	rows_release(&rows);
	rows_release(&ids);
	return true;
}

static bool
list_notes(struct explanation *e, struct findings *findings, struct error *err)
{
	return explain_query(e, "credit_notes", "credit notes of the invoice", explain_note_columns,
	    SQL_REPORTS_EXPLAIN_LINE_NOTES, PARAMS(arena_format(&e->run->arena, "{%s}", text_string(&findings->invoices)), NULL),
	    err);
}

/* --- the conclusion ---------------------------------------------------------------------------- */

static void
conclude(struct explanation *e, const char *state, const char *why)
{
	explain_heading(e, "conclusion");
	explain_say(e, "state", "%s", state);
	explain_say(e, "why", "%s", why);
	explain_member(e, "state", EXPLAIN_TEXT, state);
	explain_member(e, "why", EXPLAIN_TEXT, why);
}

/* What a hold waits for. */
static const char *
hold_remedy(const char *reason)
{
	if (strcmp(reason, "period_invoiced") == 0 || strcmp(reason, "period_closed") == 0)
		return "it came after its period was closed; tollbook rerate plan makes an adjustment of it";
	if (strcmp(reason, "aborted_usage") == 0)
		return "the contract holds aborted usage until a later one says \"bill_reported\"; tollbook usage void takes it "
		       "back";
	return "tollbook rate prices it once what is missing is there";
}

static void
conclude_charges(struct explanation *e, const struct rows *event, const struct findings *findings)
{
	struct arena *arena = &e->run->arena;

	if (findings->final_line != NULL)
		conclude(e, findings->adjustments > 0 ? "adjusted" : "invoiced",
		    arena_format(arena, "billed by %s%s%s", findings->final_line,
			findings->adjustments > 0 ? ", and adjusted since" : "",
			findings->holds > 0 ? arena_format(arena, "; some of it is held: %s", findings->hold) : ""));
	else if (findings->adjustments > 0 && !row_is_null(event, 0, EVENT_INVOICE))
		conclude(e, "adjusted", "its period was invoiced before it was rated; the adjustments above bill it");
	else if (findings->draft_line != NULL)
		conclude(e, "on_draft",
		    arena_format(
			arena, "not invoiced yet: on the draft, %s; tollbook invoice finalize issues it", findings->draft_line));
	else if (findings->charges > 0)
		conclude(e, "not_drafted",
		    findings->credited_by == NULL
			? "not invoiced yet: charged, and on no draft; tollbook invoice draft makes one"
			: arena_format(arena, "%s was credited as a whole: it is invoiced again; tollbook invoice draft",
			      findings->credited_by));
	else if (findings->holds > 0)
		conclude(
		    e, "held", arena_format(arena, "not invoiced: held, %s: %s", findings->hold, hold_remedy(findings->hold)));
	else
		conclude(e, "nothing_to_charge", "it has no quantity that is charged or held");
}

static void
conclude_event(struct explanation *e, const struct rows *event, const struct findings *findings)
{
	if (!row_bool(event, 0, EVENT_SUMMED) || row_is_null(event, 0, EVENT_RATING))
		conclude(e, "not_rated", "not invoiced yet: booked, and not rated; tollbook rate does that");
	else if (!row_bool(event, 0, EVENT_COUNTS) && findings->final_line == NULL)
		conclude(e, "taken_back", "it was voided before it was invoiced: there is nothing to charge");
	else if (!row_bool(event, 0, EVENT_COUNTS))
		conclude(e, "taken_back",
		    arena_format(&e->run->arena, "it was voided after %s billed it; %s", findings->final_line,
			findings->holds == 0 && findings->adjustments > 0 ? "the adjustments above give it back"
									  : "tollbook rerate plan gives it back"));
	else
		conclude_charges(e, event, findings);
	if (row_bool(event, 0, EVENT_DUE))
		explain_say(e, "due", "the period waits for tollbook rate");
	explain_member(e, "rating_due", EXPLAIN_BOOL, row_text(event, 0, EVENT_DUE));
}

/* --- all of it --------------------------------------------------------------------------------- */

static bool
explain_booked(struct explanation *e, const struct rows *event, struct error *err)
{
	const char *chain = row_text(event, 0, EVENT_CHAIN);
	struct findings findings = {0};
	bool fine;

	explain_member(e, "form", EXPLAIN_TEXT, "event");
	explain_facts(e, event_facts, event, 0);
	fine = list_rows(e, chain, row_text(event, 0, EVENT_TENANT), err) && list_classes(e, chain, err) &&
	    list_charges(
		e, chain, row_is_null(event, 0, EVENT_RATING) ? NULL : row_text(event, 0, EVENT_RATING), &findings, err) &&
	    list_lines(e, chain, event, &findings, err) && list_adjustments(e, chain, event, &findings, err) &&
	    list_notes(e, &findings, err);
	if (fine)
		conclude_event(e, event, &findings);
	text_release(&findings.invoices);
	return fine;
}

bool
explain_event(struct explanation *e, const char *event, struct error *err)
{
	struct rows rows;
	bool fine;

	if (!archive_refuse_event(e->run->db, event, err) ||
	    !db_rows(e->run->db, SQL_REPORTS_EXPLAIN_EVENT, PARAMS(event), &rows, err))
		return false;
	if (rows.count == 1) {
		fine = explain_booked(e, &rows, err);
	} else {
		fine = false;
		error_set(err, ERROR_STATE, "the ledger has no event %s", event);
		error_hint(err,
		    "Write --event TENANT SOURCE ID, or event:UUID; what was not booked may be in quarantine: tollbook "
		    "quarantine list.");
	}
	rows_release(&rows);
	return fine;
}
