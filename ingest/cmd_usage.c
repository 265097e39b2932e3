/* cmd_usage.c -- `tollbook usage void|correct|show`: what support does to usage, as events of the ledger with a reason and a
 * ticket. */
#include <string.h>

#include "base/table.h"
#include "ingest/reader.h"
#include "ingest/support_event.h"
#include "ledger/audit.h"
#include "ledger/batch.h"
#include "ledger/reason.h"

static bool void_usage(struct run *run, struct error *err);
static bool correct(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);

#define REASON_OPTIONS                                                                                                           \
	{"reason", "CODE", "why: a code of tollbook reason list for usage; must be given", 'r'},                                 \
	    {"ticket", "TEXT", "where it was asked for", 0},                                                                     \
	{                                                                                                                        \
		"request", "ID", "the id of this request: asked again, it is done once; default: a random one", 0                \
	}

static const struct option_spec void_options[] = {REASON_OPTIONS, {0}};

static const struct option_spec correct_options[] = {
    {"set", "METER=QUANTITY...", "what the quantity of a meter is; may be given again; the other meters stay as they are", 0},
    REASON_OPTIONS,
    {0},
};

const struct command cmd_usage_void = {
    .name = "usage void",
    .summary = "take a usage event back, by an event of the ledger with a reason",
    .operands = "TENANT SOURCE ID",
    .operands_min = 3,
    .operands_max = 3,
    .options = void_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook usage void acme /gateway 7c2e --reason test_traffic --ticket S-4711 --request S-4711-1",
    .run = void_usage,
};

const struct command cmd_usage_correct = {
    .name = "usage correct",
    .summary = "replace quantities of a usage event, by an event of the ledger with a reason",
    .operands = "TENANT SOURCE ID",
    .operands_min = 3,
    .operands_max = 3,
    .options = correct_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook usage correct acme /gateway 7c2e --set output_text_tokens=50 --reason metering_error --ticket S-4711\n"
	       "  tollbook usage correct acme /gateway 7c2e --set output_text_tokens=50 --reason metering_error --dry-run",
    .run = correct,
};

const struct command cmd_usage_show = {
    .name = "usage show",
    .summary = "show a usage event, and the corrections and voids that took its place, with their reasons",
    .operands = "TENANT SOURCE ID",
    .operands_min = 3,
    .operands_max = 3,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook usage show acme /gateway 7c2e",
    .run = show,
};

/* --- what is asked --------------------------------------------------------------------------- */

struct request {
	const char *id;
	bool is_void;
	struct event_name name;
	const char *reason, *ticket;
	struct quantities set; /* of a correction: the meters that are replaced */
};

/* What becomes of it. */
struct change {
	const char *event;               /* as it is given to the ledger */
	struct quantities before, after; /* after a void there are none */
	bool asked_before, booked_before;
};

static const char *
action_of(const struct request *request)
{
	return request->is_void ? "void" : "correction";
}

static bool
random_id(struct run *run, const char **out, struct error *err)
{
	struct rows row;

	if (!db_one_row(run->db, SQL_INGEST_SUPPORT_REQUEST_NEW, NO_PARAMS, &row, err))
		return false;
	*out = arena_copy(&run->arena, row_text(&row, 0, 0), row_length(&row, 0, 0));
	rows_release(&row);
	return true;
}

static bool
read_sets(struct run *run, struct request *request, struct error *err)
{
	struct quantities seen = {0};
	const char *set;
	size_t at = 0;

	for (; (set = option_each(run, "set", at)) != NULL; at++)
		if (!quantities_set(&request->set, &seen, set, err))
			return false;
	if (at > 0)
		return true;
	error_set(err, ERROR_USAGE, "usage correct needs --set METER=QUANTITY");
	return error_hint(err, "To take all of it back: tollbook usage void.");
}

static struct event_name
name_of(const struct run *run)
{
	return (struct event_name){run->operands[0], run->operands[1], run->operands[2]};
}

static bool
read_request(struct run *run, bool is_void, struct request *out, struct error *err)
{
	const char *ticket = option_value(run, "ticket");

	*out = (struct request){.id = option_value(run, "request"),
	    .is_void = is_void,
	    .name = name_of(run),
	    .reason = option_value(run, "reason"),
	    .ticket = ticket == NULL ? "" : ticket};
	if (out->id != NULL && out->id[0] == '\0')
		return error_set(err, ERROR_USAGE, "--request is empty");
	return (is_void || read_sets(run, out, err)) && reason_check(run, out->reason, "usage", err) &&
	    (out->id != NULL || random_id(run, &out->id, err));
}

/* --- what was asked before ------------------------------------------------------------------- */

/* Columns of support_event_find.sql. */
enum { FOUND_ACTION, FOUND_TENANT, FOUND_SOURCE, FOUND_ID, FOUND_REASON, FOUND_TICKET, FOUND_EVENT, FOUND_BEFORE };

static bool
other_request(const struct request *request, const char *what, const char *before, const char *now, struct error *err)
{
	error_set(err, ERROR_STATE, "request \"%s\" was made before with another %s: \"%s\", not \"%s\"", request->id, what,
	    before, now);
	return error_hint(err, "Give this one an id of its own.");
}

static bool
same_words(const struct request *request, const struct rows *found, struct error *err)
{
	const struct {
		const char *what, *now;
		int column;
	} fields[] = {{"action", action_of(request), FOUND_ACTION}, {"tenant", request->name.tenant, FOUND_TENANT},
	    {"source", request->name.source, FOUND_SOURCE}, {"id", request->name.id, FOUND_ID},
	    {"reason", request->reason, FOUND_REASON}, {"ticket", request->ticket, FOUND_TICKET}};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(row_text(found, 0, fields[i].column), fields[i].now) != 0)
			return other_request(request, fields[i].what, row_text(found, 0, fields[i].column), fields[i].now, err);
	return true;
}

static void
put_sets(const struct quantities *set, struct quantities *out)
{
	for (int i = 1; i < METER_LIMIT; i++)
		if (set->stated[i]) {
			out->stated[i] = true;
			out->quantity[i] = set->quantity[i];
		}
}

static void
quantities_of_event(const struct usage_event *event, struct quantities *out)
{
	*out = (struct quantities){0};
	for (size_t i = 0; i < event->quantity_count; i++) {
		out->stated[event->quantities[i].meter] = true;
		out->quantity[event->quantities[i].meter] = event->quantities[i].quantity;
	}
}

/* The quantities asked for now are those of the event that was made then. */
static bool
same_quantities(
    struct run *run, const struct request *request, const struct change *change, const struct stood *newest, struct error *err)
{
	struct quantities made;
	struct record record;
	const char *then, *now;

	if (!support_event_read(run, change->event, newest, &record, err))
		return false;
	quantities_of_event(&record.event, &made);
	then = quantities_text(&made, &run->arena);
	now = quantities_text(&change->after, &run->arena);
	return strcmp(then, now) == 0 || other_request(request, "outcome", then, now, err);
}

static bool
compare_with_before(struct run *run, const struct request *request, const struct rows *found, const struct stood *newest,
    struct change *change, struct error *err)
{
	struct event_name made = {request->name.tenant, SUPPORT_SOURCE, request->id};
	struct rows known;

	if (!same_words(request, found, err))
		return false;
	change->event = arena_copy(&run->arena, row_text(found, 0, FOUND_EVENT), row_length(found, 0, FOUND_EVENT));
	quantities_from_text(row_text(found, 0, FOUND_BEFORE), &change->before);
	if (!request->is_void) {
		change->after = change->before;
		put_sets(&request->set, &change->after);
		if (!same_quantities(run, request, change, newest, err))
			return false;
	}
	if (!db_one_row(run->db, SQL_INGEST_SUPPORT_EVENT_KNOWN, PARAMS(event_name_digest(&made, &run->arena)), &known, err))
		return false;
	change->asked_before = true;
	change->booked_before = row_bool(&known, 0, 0);
	rows_release(&known);
	return true;
}

/* --- doing it -------------------------------------------------------------------------------- */

static bool
check_stands(const struct request *request, const struct stood_chain *chain, struct error *err)
{
	const struct stood *newest = &chain->items[chain->count - 1];

	if (strcmp(newest->kind, "void") != 0)
		return true;
	error_set(err, ERROR_STATE, "event \"%s\" of source \"%s\" was voided before", request->name.id, request->name.source);
	error_detail(err, "By event \"%s\" of source \"%s\", %s%s%s.", newest->id, newest->source, newest->booked_at,
	    newest->reason[0] == '\0' ? "" : ": ", newest->reason);
	return error_hint(err, "Nothing is left of it.  Usage that is to count after all is sent as an event of its own.");
}

static bool
plan(struct run *run, const struct request *request, const struct stood *newest, struct change *change, struct error *err)
{
	change->before = newest->quantities;
	if (!request->is_void) {
		change->after = newest->quantities;
		put_sets(&request->set, &change->after);
		if (strcmp(quantities_text(&change->before, &run->arena), quantities_text(&change->after, &run->arena)) == 0)
			return error_set(err, ERROR_STATE, "event \"%s\" has these quantities already", request->name.id);
	}
	change->event =
	    support_event_write(request->id, &request->name, newest, request->is_void ? NULL : &change->after, &run->arena);
	return true;
}

static bool
note(struct run *run, const struct request *request, const struct change *change, struct error *err)
{
	const char *subject = arena_format(&run->arena, "%s %s %s", request->name.tenant, request->name.source, request->name.id);
	const char *before = quantities_text(&change->before, &run->arena);

	return (change->asked_before ||
		   db_change(run->db, SQL_INGEST_SUPPORT_EVENT_ADD,
		       PARAMS(request->id, action_of(request), request->name.tenant, request->name.source, request->name.id,
			   change->event, before, request->reason, request->ticket, param_instant(&run->arena, run->now),
			   run->by),
		       1, err)) &&
	    audit_add(run,
		&(struct audit){.action = run->command->name,
		    .subject = subject,
		    .reason = request->reason,
		    .ticket = request->ticket,
		    .before = before,
		    .after = quantities_text(&change->after, &run->arena)},
		err);
}

/* What the ledger says against the event, when it is its turn. */
static bool
check_fate(const struct request *request, const struct batch_counts *counts, const struct record *record, struct error *err)
{
	if (counts->duplicates > 0) {
		error_set(
		    err, ERROR_STATE, "the ledger has an event \"%s\" of source \"%s\" already", request->id, SUPPORT_SOURCE);
		return error_hint(err, "Give this request an id of its own.");
	}
	if (counts->accepted == 1)
		return true;
	error_set(err, ERROR_STATE, "the ledger refuses it: %s, %s", reason_code(record->reason), reason_meaning(record->reason));
	error_field(err, record->field == NULL ? "" : record->field, record->value.at, record->value.length);
	return error_hint(err, "Look at what stands now: tollbook usage show.");
}

static bool
book(struct run *run, const struct request *request, const struct change *change, const struct stood *newest, struct error *err)
{
	struct batch batch = {.format = "json", .next_position = strlen(change->event)};
	struct record *record = batch_add(&batch);
	struct ledger_writer writer = {0};
	struct batch_counts counts;
	int64_t batch_id;
	bool fine = support_event_read(run, change->event, newest, record, err);

	if (fine) {
		struct ledger_memory *memory = ledger_memory_new(run->filter_mib);

		batch_close(&batch);
		fine = ledger_writer_open(&writer, run->db, memory, "support",
			   arena_format(&run->arena, "support %s", request->id), run->now, run->by, err) &&
		    batch_prepare(&writer, &batch, err) &&
		    batch_append_within(&writer, &batch, run->now, &counts, &batch_id, err) &&
		    check_fate(request, &counts, record, err) && ledger_writer_finish(&writer, run->now, err);
		ledger_writer_release(&writer);
		ledger_memory_free(memory);
	}
	batch_release(&batch);
	return fine;
}

static bool
change_usage(struct run *run, const struct request *request, struct change *change, struct error *err)
{
	struct stood_chain chain;
	const struct stood *newest;
	struct rows lock, found;
	bool fine = true;

	if (!db_one_row(run->db, SQL_INGEST_SUPPORT_LOCK, NO_PARAMS, &lock, err))
		return false;
	rows_release(&lock);
	if (!stood_chain_load(run, &request->name, &chain, err) ||
	    !db_rows(run->db, SQL_INGEST_SUPPORT_EVENT_FIND, PARAMS(request->id), &found, err))
		return false;
	newest = &chain.items[chain.count - 1];
	if (found.count == 1)
		fine = compare_with_before(run, request, &found, newest, change, err);
	rows_release(&found);
	if (!fine || change->booked_before)
		return fine;
	return check_stands(request, &chain, err) && (change->asked_before || plan(run, request, newest, change, err)) &&
	    note(run, request, change, err) && book(run, request, change, newest, err);
}

static void
cell_quantity(struct table *table, const struct quantities *quantities, int meter)
{
	char shown[DECIMAL_TEXT];

	table_cell(table, quantities->stated[meter] ? meter_format(meter_of(meter), quantities->quantity[meter], shown) : NULL);
}

static void
print_change(struct run *run, const struct request *request, const struct change *change)
{
	static const struct column columns[] = {{"request_id", "request", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT},
	    {"before", "before", COLUMN_NUMBER}, {"after", "after", COLUMN_NUMBER}, {"status", "status", COLUMN_TEXT}, {0}};
	struct table *table = table_new(columns);

	for (int i = 1; i < METER_LIMIT; i++) {
		if (!change->before.stated[i] && !change->after.stated[i])
			continue;
		table_row(table);
		table_cell(table, request->id);
		table_cell(table, meter_of(i)->name);
		cell_quantity(table, &change->before, i);
		cell_quantity(table, &change->after, i);
		table_cell(table, change->booked_before ? "booked before" : run->dry_run ? "would be booked" : "booked");
	}
	table_print(table, run, "the event has no quantities");
	table_free(table);
}

static bool
do_request(struct run *run, bool is_void, struct error *err)
{
	struct request request;
	struct change change = {0};
	bool fine;

	if (!read_request(run, is_void, &request, err))
		return false;
	/* One transaction: the request, the event and its reversal are all there, or none of them. */
	fine = db_begin(run->db, err) && change_usage(run, &request, &change, err);
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		print_change(run, &request, &change);
	return fine;
}

static bool
void_usage(struct run *run, struct error *err)
{
	return do_request(run, true, err);
}

static bool
correct(struct run *run, struct error *err)
{
	return do_request(run, false, err);
}

/* --- usage show ------------------------------------------------------------------------------ */

static bool
show(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"kind", "kind", COLUMN_TEXT}, {"source", "source", COLUMN_TEXT},
	    {"id", "id", COLUMN_TEXT}, {"time", "time", COLUMN_TEXT}, {"model", "model", COLUMN_TEXT},
	    {"quantities", "quantities", COLUMN_TEXT}, {"booked_at", "booked", COLUMN_TEXT}, {"reason", "reason", COLUMN_TEXT},
	    {"ticket", "ticket", COLUMN_TEXT}, {"who", "who", COLUMN_TEXT}, {0}};
	struct event_name name = name_of(run);
	struct stood_chain chain;
	char time[INSTANT_TEXT];
	struct table *table;

	if (!stood_chain_load(run, &name, &chain, err))
		return false;
	table = table_new(columns);
	for (size_t i = 0; i < chain.count; i++) {
		const struct stood *one = &chain.items[i];
		const char *cells[] = {one->kind, one->source, one->id, instant_format(one->time, time),
		    one->series[SERIES_MODEL], quantities_text(&one->quantities, &run->arena), one->booked_at, one->reason,
		    one->ticket, one->by};

		table_row(table);
		for (size_t cell = 0; cell < sizeof cells / sizeof cells[0]; cell++)
			table_cell(table, cells[cell]);
	}
	table_print(table, run, "none");
	table_free(table);
	return true;
}
