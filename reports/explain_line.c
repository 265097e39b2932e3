/* explain_line.c -- a line of an invoice: the price rule, the arithmetic, the intervals, the events; and what came after it. */
#include <string.h>

#include "base/money.h"
#include "ledger/archive_guard.h"
#include "ledger/meter.h"
#include "rating/charge_kind.h"
#include "reports/explain.h"

/* Columns of explain_line_find.sql. */
enum {
	FOUND_INVOICE,
	FOUND_NUMBER,
	FOUND_STATUS,
	FOUND_KIND,
	FOUND_TENANT,
	FOUND_PERIOD,
	FOUND_CURRENCY,
	FOUND_ISSUED,
	FOUND_ADJUSTMENT,
	FOUND_NET,
	FOUND_CREDITS,
	FOUND_TAX,
	FOUND_TOTAL,
	FOUND_STANDING,
	FOUND_LINE_KIND,
	FOUND_MODEL,
	FOUND_SERVICE_TIER,
	FOUND_METER_ID,
	FOUND_DETAIL,
	FOUND_EXACT,
	FOUND_AMOUNT,
	FOUND_MINOR,
};

/* Columns of explain_line.sql. */
enum {
	LINE_INVOICE,
	LINE_RATING,
	LINE_TENANT,
	LINE_PERIOD,
	LINE_MODEL,
	LINE_SERVICE_TIER,
	LINE_METER,
	LINE_METER_ID,
	LINE_PRICED_AS,
	LINE_TIER,
	LINE_PRICE,
	LINE_PER,
	LINE_QUANTITY,
	LINE_EXACT,
	LINE_MINOR,
	LINE_MINOR_UNITS,
	LINE_CURRENCY,
	LINE_BOOK,
	LINE_VERSION,
	LINE_EFFECTIVE,
	LINE_RULE,
	LINE_RULE_TEXT,
	LINE_STARTS,
	LINE_ENDS,
	LINE_UNTIL,
	LINE_KIND,
	LINE_BILLED,
	LINE_DETAIL,
	LINE_COUNTER,
	LINE_CARRIED,  /* what earlier periods left in the counter */
	LINE_CONTRACT, /* whose terms had a part in it, or NULL */
	LINE_CONTRACT_EFFECTIVE,
	LINE_CONTRACT_APPLIED,
	LINE_CONTRACT_BY,
	LINE_TERMS, /* those of the contract that the line is of */
	LINE_FIRST,
	LINE_LAST,
	LINE_RULE_JSON,
};

/* A member of the tree, and the column that it is from. */
struct member {
	const char *name;
	enum explain_kind kind;
	int column;
};

static void
add_members(struct explanation *e, const char *object, const struct member *members, const struct rows *rows)
{
	explain_open(e, object);
	for (; members->name != NULL; members++)
		explain_member(e, members->name, members->kind,
		    row_is_null(rows, 0, members->column) ? NULL : row_text(rows, 0, members->column));
	explain_close(e);
}

static const char *
quantity_text(struct run *run, const struct meter *meter, i128 quantity)
{
	char text[DECIMAL_TEXT];

	return arena_format(&run->arena, "%s", meter_format(meter, quantity, text));
}

static void
add_quantity(struct explanation *e, const char *name, const struct meter *meter, const struct rows *line, int column)
{
	explain_member(e, name, EXPLAIN_NUMBER, quantity_text(e->run, meter, row_integer(line, 0, column)));
}

/* "tier_fee: flat fee of a tier that usage entered" */
static const char *
kind_text(struct run *run, const char *text)
{
	enum charge_kind kind;

	return charge_kind_find(text, &kind) ? arena_format(&run->arena, "%s: %s", text, charge_kind_meaning(kind)) : text;
}

/* --- to people --------------------------------------------------------------------------------- */

static void
say_rounded(const struct explanation *e, const struct rows *line)
{
	struct currency currency = {.minor_units = (int)row_number(line, 0, LINE_MINOR_UNITS)};
	char amount[DECIMAL_TEXT];

	explain_say(e, "rounded", "%s %s, once, half away from zero",
	    money_format((struct money){row_number(line, 0, LINE_MINOR), &currency}, amount), row_text(line, 0, LINE_CURRENCY));
}

static void
say_contract(const struct explanation *e, const struct rows *line)
{
	explain_say(e, "contract", "of %s, in force from %s, applied %s by %s", row_text(line, 0, LINE_TENANT),
	    row_text(line, 0, LINE_CONTRACT_EFFECTIVE), row_text(line, 0, LINE_CONTRACT_APPLIED),
	    row_text(line, 0, LINE_CONTRACT_BY));
}

/* What a contract adds or takes off: of no model, so that there are no intervals and no events of its own. */
static void
say_contracts_own(const struct explanation *e, const char *name, const struct rows *line)
{
	explain_say(e, "line", "%s: %s", name, kind_text(e->run, row_text(line, 0, LINE_KIND)));
	say_contract(e, line);
	explain_say(e, "terms", "%s", row_text(line, 0, LINE_TERMS));
	explain_say(e, "over", "%s to %s", row_text(line, 0, LINE_FIRST), row_text(line, 0, LINE_LAST));
	explain_say(e, "arithmetic", "%s; comes to %s %s", row_text(line, 0, LINE_DETAIL), row_text(line, 0, LINE_EXACT),
	    row_text(line, 0, LINE_CURRENCY));
	say_rounded(e, line);
}

/* What lines without any of it do not speak of: kind, packages, what led to the price, a counter that outlives the period. */
static void
say_more(const struct explanation *e, const struct rows *line, const struct meter *meter)
{
	const char *detail = row_text(line, 0, LINE_DETAIL), *counter = row_text(line, 0, LINE_COUNTER);
	bool is_usage = strcmp(row_text(line, 0, LINE_KIND), "usage") == 0;

	if (!is_usage)
		explain_say(e, "kind", "%s", kind_text(e->run, row_text(line, 0, LINE_KIND)));
	if (detail[0] != '\0')
		explain_say(e, "led to by", "%s", detail);
	if (counter[0] != '\0')
		explain_say(e, "counted in", "%s; earlier periods left %s in it", counter,
		    quantity_text(e->run, meter, row_integer(line, 0, LINE_CARRIED)));
	if (is_usage && row_integer(line, 0, LINE_BILLED) != row_integer(line, 0, LINE_QUANTITY))
		explain_say(e, "billed", "%s for %s used, in whole packages",
		    quantity_text(e->run, meter, row_integer(line, 0, LINE_BILLED)),
		    quantity_text(e->run, meter, row_integer(line, 0, LINE_QUANTITY)));
	if (!row_is_null(line, 0, LINE_CONTRACT))
		say_contract(e, line);
}

static void
say_arithmetic(const struct explanation *e, const char *name, const struct rows *line, const struct meter *meter)
{
	const char *tier = row_text(line, 0, LINE_TIER), *priced_as = row_text(line, 0, LINE_PRICED_AS);
	bool tiered = strcmp(tier, "0") != 0, own_price = strcmp(priced_as, meter->name) == 0;

	explain_say(e, "line", "%s: %s, %s, service tier %s%s%s", name, row_text(line, 0, LINE_MODEL), meter->name,
	    row_text(line, 0, LINE_SERVICE_TIER), tiered ? ", price tier " : "", tiered ? tier : "");
	explain_say(e, "price", "%s %s per %s%s%s", row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_CURRENCY),
	    row_text(line, 0, LINE_PER), own_price ? "" : ", the price of ", own_price ? "" : priced_as);
	explain_say(e, "from", "%s version %s, effective %s, rule %s", row_text(line, 0, LINE_BOOK),
	    row_text(line, 0, LINE_VERSION), row_text(line, 0, LINE_EFFECTIVE), row_text(line, 0, LINE_RULE));
	explain_say(e, "rule", "%s", row_text(line, 0, LINE_RULE_TEXT));
	say_more(e, line, meter);
	explain_say(e, "arithmetic", "%s x %s / %s = %s", quantity_text(e->run, meter, row_integer(line, 0, LINE_BILLED)),
	    row_text(line, 0, LINE_PRICE), row_text(line, 0, LINE_PER), row_text(line, 0, LINE_EXACT));
	say_rounded(e, line);
}

/* --- to programs ------------------------------------------------------------------------------- */

static const struct member invoice_members[] = {
    {"number", EXPLAIN_TEXT, FOUND_NUMBER},
    {"status", EXPLAIN_TEXT, FOUND_STATUS},
    {"standing", EXPLAIN_TEXT, FOUND_STANDING},
    {"kind", EXPLAIN_TEXT, FOUND_KIND},
    {"tenant", EXPLAIN_TEXT, FOUND_TENANT},
    {"period", EXPLAIN_TEXT, FOUND_PERIOD},
    {"issued_on", EXPLAIN_TEXT, FOUND_ISSUED},
    {"currency", EXPLAIN_TEXT, FOUND_CURRENCY},
    {"net", EXPLAIN_AMOUNT, FOUND_NET},
    {"credits", EXPLAIN_AMOUNT, FOUND_CREDITS},
    {"tax", EXPLAIN_AMOUNT, FOUND_TAX},
    {"total", EXPLAIN_AMOUNT, FOUND_TOTAL},
    {0},
};

static const struct member price_members[] = {
    {"price", EXPLAIN_AMOUNT, LINE_PRICE},
    {"per", EXPLAIN_NUMBER, LINE_PER},
    {"priced_as", EXPLAIN_TEXT, LINE_PRICED_AS},
    {"price_tier", EXPLAIN_NUMBER, LINE_TIER},
    {"book", EXPLAIN_TEXT, LINE_BOOK},
    {"version", EXPLAIN_NUMBER, LINE_VERSION},
    {"effective", EXPLAIN_TEXT, LINE_EFFECTIVE},
    {"rule", EXPLAIN_NUMBER, LINE_RULE},
    {"rule_text", EXPLAIN_JSON, LINE_RULE_JSON},
    {0},
};

static const struct member contract_members[] = {
    {"effective", EXPLAIN_TEXT, LINE_CONTRACT_EFFECTIVE},
    {"applied_at", EXPLAIN_TEXT, LINE_CONTRACT_APPLIED},
    {"applied_by", EXPLAIN_TEXT, LINE_CONTRACT_BY},
    {"terms", EXPLAIN_JSON, LINE_TERMS},
    {0},
};

static void
add_found(struct explanation *e, const char *number, const struct rows *found)
{
	static const struct member members[] = {
	    {"kind", EXPLAIN_TEXT, FOUND_LINE_KIND},
	    {"model", EXPLAIN_TEXT, FOUND_MODEL},
	    {"service_tier", EXPLAIN_TEXT, FOUND_SERVICE_TIER},
	    {"detail", EXPLAIN_TEXT, FOUND_DETAIL},
	    {"exact_amount", EXPLAIN_AMOUNT, FOUND_EXACT},
	    {"amount", EXPLAIN_AMOUNT, FOUND_AMOUNT},
	    {"adjustment_id", EXPLAIN_NUMBER, FOUND_ADJUSTMENT},
	    {0},
	};

	explain_member(e, "form", EXPLAIN_TEXT, "invoice_line");
	explain_member(e, "line", EXPLAIN_NUMBER, number);
	add_members(e, "invoice", invoice_members, found);
	add_members(e, "amounts", members, found);
}

/* Which units, at which price, by whose terms. */
static void
add_charge(struct explanation *e, const struct rows *line, const struct meter *meter)
{
	explain_open(e, "charge");
	explain_member(e, "meter", EXPLAIN_TEXT, meter == NULL ? NULL : meter->name);
	explain_member(e, "rating_id", EXPLAIN_NUMBER, row_text(line, 0, LINE_RATING));
	if (meter != NULL) {
		add_quantity(e, "quantity", meter, line, LINE_QUANTITY);
		add_quantity(e, "billed", meter, line, LINE_BILLED);
		explain_member(e, "counter", EXPLAIN_TEXT, row_text(line, 0, LINE_COUNTER));
		add_quantity(e, "counted_before", meter, line, LINE_CARRIED);
		add_members(e, "price", price_members, line);
	}
	explain_member(e, "first_interval", EXPLAIN_TEXT, row_text(line, 0, LINE_FIRST));
	explain_member(e, "last_interval", EXPLAIN_TEXT, row_text(line, 0, LINE_LAST));
	if (!row_is_null(line, 0, LINE_CONTRACT))
		add_members(e, "contract", contract_members, line);
	explain_close(e);
}

/* --- usage ------------------------------------------------------------------------------------- */

#define USAGE_OF(e, usage, last)                                                                                                 \
	PARAMS((usage)->tenant, (usage)->model, (usage)->service_tier, param_number(&(e)->run->arena, (usage)->meter->id),       \
	    (usage)->starts, (usage)->ends, (usage)->until_run, last)

/* People are told of usage that is not there. */
static void
list_usage(
    struct explanation *e, const char *name, const char *none, const struct explain_column *columns, const struct rows *rows)
{
	if (explains_to_people(e) && rows->count == 0)
		puts(none);
	explain_list(e, name, NULL, columns, rows);
}

static bool
explain_intervals(struct explanation *e, const struct explain_usage *usage, struct error *err)
{
	static const struct explain_column columns[] = {{"interval", "interval", EXPLAIN_TEXT},
	    {"quantity", "quantity", EXPLAIN_NUMBER}, {"running_total", "running total", EXPLAIN_NUMBER}, {0}};
	enum { COUNT, QUANTITY, CHARGED };
	struct rows rows, sum;
	const char *count, *quantity, *charged;

	if (!db_one_row(e->run->db, SQL_REPORTS_EXPLAIN_SUM, USAGE_OF(e, usage, usage->rating), &sum, err))
		return false;
	count = arena_copy(&e->run->arena, row_text(&sum, 0, COUNT), row_length(&sum, 0, COUNT));
	quantity = quantity_text(e->run, usage->meter, row_integer(&sum, 0, QUANTITY));
	charged = quantity_text(e->run, usage->meter, row_integer(&sum, 0, CHARGED));
	if (row_integer(&sum, 0, QUANTITY) != row_integer(&sum, 0, CHARGED))
		e->run->finding = ERROR_FINDINGS;
	rows_release(&sum);
	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_INTERVALS, USAGE_OF(e, usage, e->intervals), &rows, err))
		return false;
	explain_member(e, "interval_count", EXPLAIN_NUMBER, count);
	explain_member(e, "interval_quantity", EXPLAIN_NUMBER, quantity);
	explain_member(e, "charged_and_held_quantity", EXPLAIN_NUMBER, charged);
	explain_heading(e, "intervals   %s of 15 minutes, together %s (all charges on this usage: %s)", count, quantity, charged);
	list_usage(e, "intervals", "no intervals", columns, &rows);
	rows_release(&rows);
	return true;
}

/* Events whose rows are archived are not listed, and that is said in their place: all else is explained without them. */
static bool
find_archived(struct explanation *e, const struct explain_usage *usage, bool *archived, struct error *err)
{
	struct error said = {0};

	*archived = !archive_refuse_span(e->run->db, usage->tenant, usage->starts, usage->ends, &said);
	if (!*archived)
		return true;
	if (said.kind != ERROR_STATE || said.sqlstate[0] != '\0') {
		*err = said;
		return false;
	}
	explain_member(e, "events_archived", EXPLAIN_TEXT, said.detail);
	explain_heading(e, "events      %s. %s %s", said.message, said.detail, said.hint);
	return true;
}

static bool
explain_events(struct explanation *e, const struct explain_usage *usage, struct error *err)
{
	static const struct explain_column columns[] = {{"time", "time", EXPLAIN_TEXT}, {"source", "source", EXPLAIN_TEXT},
	    {"id", "id", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT}, {"quantity", "quantity", EXPLAIN_NUMBER},
	    {"batch", "batch", EXPLAIN_NUMBER}, {"record", "record", EXPLAIN_NUMBER}, {"file", "file", EXPLAIN_TEXT}, {0}};
	bool archived = false;
	struct rows rows;

	if (strcmp(e->events, "0") != 0 && !find_archived(e, usage, &archived, err))
		return false;
	if (archived)
		return true;
	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_EVENTS, USAGE_OF(e, usage, e->events), &rows, err))
		return false;
	explain_heading(e, "events      the first %d, by time", rows.count);
	list_usage(e, "events", "no events", columns, &rows);
	rows_release(&rows);
	return true;
}

bool
explain_usage(struct explanation *e, const struct explain_usage *usage, struct error *err)
{
	bool fine;

	explain_open(e, "usage");
	fine = explain_intervals(e, usage, err) && explain_events(e, usage, err);
	explain_close(e);
	return fine;
}

/* --- the line ---------------------------------------------------------------------------------- */

static bool
line_usage(struct explanation *e, const struct rows *line, struct error *err)
{
	const struct explain_usage usage = {.tenant = row_text(line, 0, LINE_TENANT),
	    .model = row_text(line, 0, LINE_MODEL),
	    .service_tier = row_text(line, 0, LINE_SERVICE_TIER),
	    .meter = meter_of((int)row_number(line, 0, LINE_METER_ID)),
	    .starts = row_text(line, 0, LINE_STARTS),
	    .ends = row_text(line, 0, LINE_ENDS),
	    .until_run = row_text(line, 0, LINE_UNTIL),
	    .rating = row_text(line, 0, LINE_RATING)};

	return explain_usage(e, &usage, err);
}

static bool
explain_charge(struct explanation *e, const char *name, const struct rows *line, struct error *err)
{
	const struct meter *meter =
	    row_number(line, 0, LINE_METER_ID) == 0 ? NULL : meter_of((int)row_number(line, 0, LINE_METER_ID));

	add_charge(e, line, meter);
	if (meter == NULL) {
		say_contracts_own(e, name, line);
		return true;
	}
	say_arithmetic(e, name, line, meter);
	return line_usage(e, line, err);
}

static bool
explain_charge_line(struct explanation *e, const char *name, const struct rows *found, const char *number, struct error *err)
{
	struct rows line;
	bool fine;

	if (!db_one_row(e->run->db, SQL_REPORTS_EXPLAIN_LINE, PARAMS(row_text(found, 0, FOUND_INVOICE), number), &line, err))
		return false;
	fine = explain_charge(e, name, &line, err);
	rows_release(&line);
	return fine;
}

static bool
explain_adjustment_line(struct explanation *e, const char *name, const struct rows *found, struct error *err)
{
	bool fine;

	explain_say(
	    e, "line", "%s: adjustment:%s, %s", name, row_text(found, 0, FOUND_ADJUSTMENT), row_text(found, 0, FOUND_DETAIL));
	explain_say(e, "amount", "%s %s", row_text(found, 0, FOUND_AMOUNT), row_text(found, 0, FOUND_CURRENCY));
	explain_open(e, "adjustment");
	fine = explain_adjustment(e, row_text(found, 0, FOUND_ADJUSTMENT), err);
	explain_close(e);
	return fine;
}

/* Adjustments of what the line charges; one of an adjustment has them among its own. */
static bool
list_adjustments(struct explanation *e, const struct rows *found, struct error *err)
{
	return explain_query(e, "adjustments", "adjusted later", explain_adjustment_columns, SQL_REPORTS_EXPLAIN_ADJUSTMENTS,
	    PARAMS(NULL, NULL, row_text(found, 0, FOUND_TENANT), row_text(found, 0, FOUND_PERIOD),
		row_text(found, 0, FOUND_MODEL), row_text(found, 0, FOUND_SERVICE_TIER), row_text(found, 0, FOUND_METER_ID),
		row_text(found, 0, FOUND_LINE_KIND)),
	    err);
}

/* Who paid for it, and what was given back or charged again. */
static bool
explain_after(struct explanation *e, const struct rows *found, const char *number, struct error *err)
{
	static const struct explain_column credits[] = {{"entry", "credit", EXPLAIN_TEXT}, {"kind", "kind", EXPLAIN_TEXT},
	    {"amount", "amount", EXPLAIN_AMOUNT}, {"booked_at", "booked at", EXPLAIN_TEXT}, {0}};
	const char *invoice = row_text(found, 0, FOUND_INVOICE);

	return explain_query(
		   e, "credits", "paid by credits", credits, SQL_REPORTS_EXPLAIN_LINE_CREDITS, PARAMS(invoice, number), err) &&
	    explain_query(e, "credit_notes", "credited", explain_note_columns, SQL_REPORTS_EXPLAIN_LINE_NOTES,
		PARAMS(arena_format(&e->run->arena, "{%s}", invoice), number), err) &&
	    (!row_is_null(found, 0, FOUND_ADJUSTMENT) || list_adjustments(e, found, err));
}

static bool
explain_found(struct explanation *e, const char *name, const struct rows *found, const char *number, struct error *err)
{
	add_found(e, number, found);
	if (row_is_null(found, 0, FOUND_ADJUSTMENT) ? !explain_charge_line(e, name, found, number, err)
						    : !explain_adjustment_line(e, name, found, err))
		return false;
	return explain_after(e, found, number, err);
}

bool
explain_line(struct explanation *e, const char *document, const char *line, struct error *err)
{
	struct rows found;
	bool fine;

	if (!db_rows(e->run->db, SQL_REPORTS_EXPLAIN_LINE_FIND, PARAMS(document, line), &found, err))
		return false;
	fine = found.count == 1 ? explain_found(e, arena_format(&e->run->arena, "%s/%s", document, line), &found, line, err)
				: explain_unknown(err, "there is no line %s of an invoice \"%s\"", line, document);
	rows_release(&found);
	return fine;
}
