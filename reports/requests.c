/* requests.c -- see requests.h. */
#include "reports/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy_binary.h"
#include "ledger/archive_guard.h"
#include "rating/intervals.h"
#include "rating/period_rate.h"
#include "rating/request_class.h"
#include "reports/request_parts.h"

_Static_assert((int)PRICE_SIZES == (int)DISTINCT_BOUNDARIES, "sizes of a request, boundaries of its class: the same kinds");

static const char period_invoiced[] = "period_invoiced";
static const char taken_back[] = "taken back within its quarter of an hour";

/* Fields of a series; the engine is told by the class. */
enum { SERIES_MATCH_FIELDS = MATCH_ENGINE };

/* Usage of one quarter that nothing tells apart. */
struct group {
	i128 quantity;          /* as it was rated */
	struct usage_walk walk; /* without parts: what was used was taken back, and nothing is left to rate */
};

/* What one ledger row has of one charge or hold. */
struct line {
	int meter;
	const char *held;           /* or NULL */
	struct charge_share *share; /* or NULL */
	i128 quantity;
	struct decimal amount;
};

/* One ledger row. */
struct event {
	int kind;
	size_t series; /* its place among the tenant's */
	int64_t rating_run;
	const char *time, *source, *id;
	struct usage_row row;
	char time_text[INSTANT_TEXT];
};

struct report {
	struct run *run;
	struct requests_writer *writer;
	struct requests_result *result;
	/* The rating. */
	int64_t in_force, newest_run; /* the rating in force; the newest run whose ledger rows it knows */
	const char *invoice;          /* its number; "" for none */
	int64_t rating_id;            /* whose inputs count */
	int engine;
	const char *output_digest;
	struct period_source source;
	struct period period;
	struct charge_share *shares; /* by charge.place */
	size_t *ordinals;            /* by charge.place */
	const char **rules;          /* by charge.place */
	/* What tells requests apart. */
	struct distinctions distinctions;
	struct request_classes *classes;
	struct usage_split split;
	struct rows series;
	int32_t *series_id;
	/* The period rated again, a quarter at a time. */
	struct charging_inputs inputs;
	struct rated again;
	struct charging *charging;
	size_t next_usage;
	struct instant quarter; /* at work; -1: none */
	struct index group_index;
	struct group *groups;
	size_t group_room;
	struct arena arena; /* of the quarter */
	/* Of the ledger row at hand. */
	struct line *lines;
	size_t line_count, line_room;
	struct text key;
	struct text source_text, id_text;
	/* Sums of what is held, by model, service tier, meter and reason. */
	struct index held_index;
	i128 *held;
	size_t held_room;
};

/* --- the rating and its charges --------------------------------------------------------------- */

/* Columns of requests_rating.sql. */
enum {
	IN_FORCE,
	NEWEST_RUN,
	INVOICE,
	RATING,
	UNTIL_RUN,
	PRICED_WITH,
	CONTRACTED_WITH,
	ENGINE,
	OUTPUT_DIGEST,
	STARTS,
	ENDS,
	SUBSTITUTED_WITH
};

static bool
find_rating(struct report *report, const char *tenant, const char *period, struct error *err)
{
	struct arena *arena = &report->run->arena;
	struct rows rows;

	if (!db_rows(report->run->db, SQL_REPORTS_REQUESTS_RATING, PARAMS(tenant, period), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "there is no rating of %s of tenant \"%s\"", period, tenant);
		return error_hint(err, "tollbook rate makes one where there is usage; tollbook tenant list shows tenants.");
	}
	report->in_force = row_number(&rows, 0, IN_FORCE);
	report->newest_run = row_number(&rows, 0, NEWEST_RUN);
	report->invoice = arena_copy(arena, row_text(&rows, 0, INVOICE), row_length(&rows, 0, INVOICE));
	report->rating_id = row_number(&rows, 0, RATING);
	report->engine = (int)row_number(&rows, 0, ENGINE);
	report->output_digest = arena_copy(arena, row_text(&rows, 0, OUTPUT_DIGEST), row_length(&rows, 0, OUTPUT_DIGEST));
	report->period.inputs = (struct period_inputs){.tenant = tenant,
	    .period = period,
	    .starts = row_instant(&rows, 0, STARTS),
	    .ends = row_instant(&rows, 0, ENDS),
	    .until_run = row_number(&rows, 0, UNTIL_RUN),
	    .priced_with = row_number(&rows, 0, PRICED_WITH),
	    .contracted_with = row_number(&rows, 0, CONTRACTED_WITH),
	    .substituted_with = row_number(&rows, 0, SUBSTITUTED_WITH)};
	rows_release(&rows);
	return true;
}

/* Rates the period again, whole, for its charges with their final prices. */
static bool
rate_again(struct report *report, struct error *err)
{
	struct period *period = &report->period;
	char output[DIGEST_HEX];

	if (report->engine != RATING_ENGINE) {
		error_set(err, ERROR_STATE, "%s of %s was rated by arithmetic %d; this program has %d, and cannot make it again",
		    period->inputs.period, period->inputs.tenant, report->engine, (int)RATING_ENGINE);
		return error_hint(err, "%s",
		    report->invoice[0] == '\0' ? "tollbook rate rates it again."
					       : "It is invoiced: tollbook invoice show and tollbook explain show its lines.");
	}
	if (!period_source_open(report->run->db, &report->source, err) || !periods_load(&report->source, period, 1, err))
		return false;
	period_compute(&report->source, period);
	if (!period->fine) {
		*err = period->err;
		return false;
	}
	if (strcmp(digest_hex(period->rated.output_digest, DIGEST_SIZE, output), report->output_digest) == 0)
		return true;
	error_set(err, ERROR_STATE, "%s of %s comes to something else than is stored for rating %lld", period->inputs.period,
	    period->inputs.tenant, (long long)report->rating_id);
	return error_hint(err, "Something that it was made from was changed: tollbook reconcile finds out more.");
}

static bool
stored_differs(const struct report *report, size_t ordinal, struct error *err)
{
	error_set(err, ERROR_STATE, "charge %zu of rating %lld is stored with another amount than it was rated with", ordinal,
	    (long long)report->in_force);
	return error_hint(err, "Charges do not change: tollbook reconcile finds out more.");
}

static bool
take_charges(struct report *report, const struct rows *stored, struct error *err)
{
	const struct rated *rated = &report->period.rated;

	if ((size_t)stored->count != rated->charge_count)
		return error_set(err, ERROR_STATE, "rating %lld has %d charges; it was rated with %zu",
		    (long long)report->in_force, stored->count, rated->charge_count);
	report->shares = memory_new(rated->charge_count, sizeof *report->shares);
	report->ordinals = memory_new(rated->charge_count, sizeof *report->ordinals);
	report->rules = memory_new(rated->charge_count, sizeof *report->rules);
	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *charge = &rated->charges[i];
		const char *book = row_text(stored, (int)i, 1);

		if (row_decimal(stored, (int)i, 0).e18 != charge->amount.e18)
			return stored_differs(report, i + 1, err);
		report->shares[charge->place] = (struct charge_share){.charge = charge};
		report->ordinals[charge->place] = i + 1;
		report->rules[charge->place] = book[0] == '\0' ? ""
		    : charge->rule == 0                        ? arena_format(&report->run->arena, "%s", book)
					: arena_format(&report->run->arena, "%s rule %d", book, charge->rule);
	}
	return true;
}

static bool
load_charges(struct report *report, struct error *err)
{
	struct rows stored;
	bool fine;

	if (!db_rows(report->run->db, SQL_REPORTS_REQUESTS_CHARGES, PARAMS(param_number(&report->run->arena, report->in_force)),
		&stored, err))
		return false;
	fine = take_charges(report, &stored, err);
	rows_release(&stored);
	return fine;
}

/* --- what tells requests apart ----------------------------------------------------------------- */

static bool
load_classes(struct report *report, struct error *err)
{
	enum { KIND, BOUNDARY, NAME, SINCE };
	struct run *run = report->run;
	struct rows rows;

	report->classes = request_classes_new();
	if (!db_rows(run->db, SQL_REPORTS_REQUESTS_DISTINCTIONS,
		PARAMS(param_number(&run->arena, report->period.inputs.until_run)), &rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		enum distinction_kind kind = distinction_kind_find(row_text(&rows, i, KIND));

		if (kind == DISTINCT_KINDS) {
			error_set(
			    err, ERROR_STATE, "intervals follow what this program does not know: %s", row_text(&rows, i, KIND));
			rows_release(&rows);
			return false;
		}
		distinctions_add(&report->distinctions, kind, row_number(&rows, i, BOUNDARY), row_text(&rows, i, NAME),
		    row_instant(&rows, i, SINCE));
	}
	rows_release(&rows);
	distinctions_settle(&report->distinctions);
	return report->distinctions.count == 0 || request_classes_load(report->classes, run->db, err);
}

static bool
load_series(struct report *report, struct error *err)
{
	if (!db_rows(report->run->db, SQL_REPORTS_REQUESTS_SERIES, PARAMS(report->period.inputs.tenant), &report->series, err))
		return false;
	report->series_id = memory_new((size_t)report->series.count, sizeof *report->series_id);
	for (int i = 0; i < report->series.count; i++)
		report->series_id[i] = (int32_t)row_number(&report->series, i, 0);
	return true;
}

static int
compare_ids(const void *a, const void *b)
{
	int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;

	return one < two ? -1 : one > two;
}

static size_t
series_place(const struct report *report, int32_t series)
{
	const int32_t *found =
	    bsearch(&series, report->series_id, (size_t)report->series.count, sizeof *report->series_id, compare_ids);

	must(found != NULL);
	return (size_t)(found - report->series_id);
}

static const char *
series_field(const struct report *report, size_t series, int field)
{
	return row_text(&report->series, (int)series, 1 + field);
}

static bool
series_is_aborted(const struct report *report, size_t series)
{
	return row_bool(&report->series, (int)series, 1 + SERIES_MATCH_FIELDS);
}

/* The rest of what usage is told apart by; what goes before it are the fields of its series. */
static void
add_class(struct text *key, bool is_aborted, const char *engine, const char *tags, const int64_t sizes[PRICE_SIZES], int meter)
{
	text_add(key, is_aborted ? "a" : "", 1);
	text_add(key, engine, strlen(engine) + 1);
	text_add(key, tags, strlen(tags) + 1);
	text_add(key, (const char *)sizes, PRICE_SIZES * sizeof *sizes);
	text_add(key, (const char *)&meter, sizeof meter);
}

static struct group *
group_of_key(struct report *report, bool *is_new)
{
	size_t place = index_number(&report->group_index, report->key.bytes, report->key.length, is_new);

	report->groups = memory_grow(report->groups, &report->group_room, place + 1, sizeof *report->groups);
	if (*is_new)
		report->groups[place] = (struct group){0};
	return &report->groups[place];
}

static struct group *
group_of_usage(struct report *report, const struct usage *usage)
{
	struct group *group;
	bool is_new;

	text_clear(&report->key);
	for (int i = 0; i < SERIES_MATCH_FIELDS; i++)
		text_add(&report->key, usage->subject.field[i], strlen(usage->subject.field[i]) + 1);
	add_class(
	    &report->key, usage->is_aborted, usage->subject.field[MATCH_ENGINE], usage->subject.tags, usage->size, usage->meter);
	group = group_of_key(report, &is_new);
	must(is_new);
	return group;
}

/* The same of a ledger row; fields that no price asks for are not told apart, as in intervals_of_periods.sql. */
static struct group *
group_of_event(struct report *report, const struct event *event, int32_t class_id, int meter)
{
	static const unsigned always = 1U << MATCH_MODEL | 1U << MATCH_BASE_MODEL | 1U << MATCH_SERVICE_TIER;
	struct arena arena = {0};
	const struct request_class class = request_class_within(
	    request_class_of(report->classes, class_id), distinctions_at(&report->period.own, event->row.time), &arena);
	unsigned fields = report->period.fields | always;
	bool is_new;

	text_clear(&report->key);
	for (int i = 0; i < SERIES_MATCH_FIELDS; i++) {
		const char *field = (fields >> i & 1) != 0 ? series_field(report, event->series, i) : "";

		text_add(&report->key, field, strlen(field) + 1);
	}
	add_class(&report->key, (fields & USAGE_ABORTED_APART) != 0 && series_is_aborted(report, event->series), class.engine,
	    strcmp(class.tags, "{}") == 0 ? "" : class.tags, class.from, meter);
	arena_release(&arena);
	return group_of_key(report, &is_new);
}

/* --- quarters ---------------------------------------------------------------------------------- */

static bool
usage_differs(const struct report *report, struct error *err)
{
	char text[INSTANT_TEXT];

	error_set(err, ERROR_STATE, "the ledger's usage from %s on is not what was rated", instant_format(report->quarter, text));
	return error_hint(err, "The intervals must be sums of the ledger: tollbook reconcile finds out more.");
}

/* Every unit that was rated has been found in the ledger, and no other. */
static bool
end_quarter(struct report *report, struct error *err)
{
	for (size_t i = 0; i < report->group_index.count; i++)
		if (report->groups[i].walk.position != report->groups[i].quantity)
			return usage_differs(report, err);
	index_clear(&report->group_index);
	arena_reset(&report->arena);
	return true;
}

static bool
add_usage(struct report *report, const struct usage *usage, struct error *err)
{
	struct group *group = group_of_usage(report, usage);
	const struct charging_part *parts;
	struct charging_part *kept;
	size_t count;
	i128 sum = 0;

	if (!charging_add(report->charging, usage, err))
		return false;
	parts = charging_parts(report->charging, &count);
	kept = arena_take(&report->arena, count * sizeof *kept);
	for (size_t i = 0; i < count; i++) {
		/* What is taken back lies the other way round: the last units go first. */
		kept[usage->quantity < 0 ? count - 1 - i : i] = parts[i];
		sum += parts[i].quantity;
	}
	must(count > 0 && sum == usage->quantity);
	group->quantity = usage->quantity;
	group->walk = (struct usage_walk){.parts = kept, .count = count};
	return true;
}

/* Rates the quarters up to one, this one included. */
static bool
move_to(struct report *report, struct instant quarter, struct error *err)
{
	const struct period_usage *usage = &report->period.usage;

	if (report->quarter.us == quarter.us)
		return true;
	if (!end_quarter(report, err))
		return false;
	report->quarter = quarter;
	while (report->next_usage < usage->count) {
		const struct usage next = period_usage_at(usage, report->next_usage);

		if (next.start.us > quarter.us)
			break;
		/* Usage of which the ledger has no rows. */
		if (next.start.us < quarter.us) {
			report->quarter = next.start;
			return usage_differs(report, err);
		}
		if (!add_usage(report, &next, err))
			return false;
		report->next_usage++;
	}
	return true;
}

/* --- ledger rows ------------------------------------------------------------------------------- */

/* The line of the row at hand for this charge or hold, made when there is none yet. */
static struct line *
line_for(struct report *report, int meter, const char *held, struct charge_share *share)
{
	struct line *line;

	for (size_t i = 0; i < report->line_count; i++) {
		line = &report->lines[i];
		if (line->meter == meter && line->share == share && (line->held == NULL) == (held == NULL) &&
		    (held == NULL || strcmp(line->held, held) == 0))
			return line;
	}
	report->lines = memory_grow(report->lines, &report->line_room, report->line_count + 1, sizeof *report->lines);
	line = &report->lines[report->line_count++];
	*line = (struct line){.meter = meter, .held = held, .share = share};
	return line;
}

static bool
add_part(struct report *report, int meter, const struct request_part *part, struct error *err)
{
	struct charge_share *share = part->part->held == NULL ? &report->shares[part->part->place] : NULL;
	struct line *line = line_for(report, meter, part->part->held, share);
	struct decimal amount;

	line->quantity += part->to - part->from;
	return share == NULL ||
	    (charge_share_add(share, part, &amount, err) && decimal_add(line->amount, amount, &line->amount, err));
}

/* Some of the row's meter, all of one class. */
static bool
add_share(struct report *report, const struct event *event, int32_t class_id, int meter, int64_t quantity, struct error *err)
{
	struct group *group;
	struct request_part *parts;
	size_t count;

	if (quantity == 0)
		return true;
	group = group_of_event(report, event, class_id, meter);
	if (group->walk.parts == NULL) {
		group->walk.position += quantity;
		line_for(report, meter, NULL, NULL)->quantity += quantity;
		return true;
	}
	parts = memory_new(group->walk.count, sizeof *parts);
	count = usage_walk_on(&group->walk, quantity, parts);
	for (size_t i = 0; i < count; i++)
		if (!add_part(report, meter, &parts[i], err)) {
			free(parts);
			return false;
		}
	free(parts);
	return true;
}

static bool
add_meter(struct report *report, const struct event *event, int meter, struct error *err)
{
	const struct usage_split *split = &report->split;

	if (split->whole)
		return add_share(report, event, split->class_id, meter, event->row.quantity[meter], err);
	for (size_t i = 0; i < split->count; i++)
		if (split->shares[i].meter == meter &&
		    !add_share(report, event, split->shares[i].class_id, meter, split->shares[i].quantity, err))
			return false;
	return true;
}

/* Came too late for the invoice: held, as the rating in force says. */
static void
add_late(struct report *report, const struct event *event)
{
	for (uint64_t left = event->row.stated; left != 0; left &= left - 1) {
		int meter = __builtin_ctzll(left);

		if (event->row.quantity[meter] != 0)
			line_for(report, meter, period_invoiced, NULL)->quantity += event->row.quantity[meter];
	}
}

static void
note_held(struct report *report, const struct event *event, const struct line *line)
{
	bool is_new;
	size_t place;

	text_clear(&report->key);
	text_add_format(&report->key, "%s%c%s%c%d %s", series_field(report, event->series, MATCH_MODEL), 0,
	    series_field(report, event->series, MATCH_SERVICE_TIER), 0, line->meter, line->held);
	place = index_number(&report->held_index, report->key.bytes, report->key.length, &is_new);
	report->held = memory_grow(report->held, &report->held_room, place + 1, sizeof *report->held);
	if (is_new)
		report->held[place] = 0;
	report->held[place] += line->quantity;
}

static void
write_line(struct report *report, const struct event *event, const struct line *line)
{
	const struct charge *charge = line->share == NULL ? NULL : line->share->charge;
	struct request_row row = {.time = event->time,
	    .source = event->source,
	    .id = event->id,
	    .kind = event->kind == 2 ? "reversal" : charge_kind_text(charge == NULL ? CHARGE_USAGE : charge->kind),
	    .model = series_field(report, event->series, MATCH_MODEL),
	    .service_tier = series_field(report, event->series, MATCH_SERVICE_TIER),
	    .meter = line->meter,
	    .quantity = line->quantity,
	    .charge = charge,
	    .amount = line->amount,
	    .rule = "",
	    .detail = charge == NULL && line->held == NULL ? taken_back : "",
	    .held = line->held == NULL ? "" : line->held};

	if (charge != NULL) {
		row.ordinal = report->ordinals[charge->place];
		row.rule = report->rules[charge->place];
		row.detail = charge->detail;
	}
	if (line->held != NULL)
		note_held(report, event, line);
	requests_writer_row(report->writer, &row);
}

static bool
price_event(struct report *report, const struct event *event, struct error *err)
{
	const struct era *era = distinctions_at(&report->distinctions, event->row.time);

	if (!move_to(report, instant_interval(event->row.time), err) ||
	    !request_classes_split(report->classes, era, &event->row, &report->split, err))
		return false;
	for (uint64_t left = event->row.stated; left != 0; left &= left - 1)
		if (!add_meter(report, event, __builtin_ctzll(left), err))
			return false;
	return true;
}

static const char *
read_text(struct copy_reader *reader, struct text *out)
{
	size_t length;
	const char *bytes = copy_read(reader, &length);

	text_clear(out);
	text_add(out, bytes, length);
	return text_string(out);
}

static bool
read_event(struct report *report, struct copy_reader *reader, struct event *event, struct error *err)
{
	event->row.time = copy_read_instant(reader);
	event->time = instant_format(event->row.time, event->time_text);
	event->kind = copy_read_integer(reader);
	event->series = series_place(report, copy_read_integer(reader));
	event->rating_run = copy_read_bigint(reader, 0);
	event->source = read_text(reader, &report->source_text);
	event->id = read_text(reader, &report->id_text);
	if (!usage_quantities_read(reader, &event->row, err))
		return false;
	event->row.context_input_tokens = copy_read_bigint(reader, -1);
	event->row.context.length = 0;
	event->row.context.at = copy_read(reader, &event->row.context.length);
	return true;
}

static bool
take_event(void *context, const char *bytes, size_t length, struct error *err)
{
	enum { FIELDS = 6 + METER_COLUMNS + 3 };
	struct report *report = context;
	struct copy_reader reader = copy_read_row(bytes, length, FIELDS);
	struct event event;

	if (!read_event(report, &reader, &event, err))
		return false;
	report->line_count = 0;
	if (event.rating_run > report->period.inputs.until_run)
		add_late(report, &event);
	else if (!price_event(report, &event, err))
		return false;
	for (size_t i = 0; i < report->line_count; i++)
		write_line(report, &event, &report->lines[i]);
	if (++report->result->events % 16384 == 0)
		progress_count(report->run, "requests", report->result->events, 0);
	return true;
}

static bool
take_events(struct report *report, struct error *err)
{
	struct run *run = report->run;
	const struct period_inputs *inputs = &report->period.inputs;
	struct rows rows;
	bool fine;

	if (!archive_refuse_span(run->db, inputs->tenant, param_instant(&run->arena, inputs->starts),
		param_instant(&run->arena, inputs->ends), err))
		return false;
	if (!db_one_row(run->db, SQL_REPORTS_REQUESTS_SCOPE_SET,
		PARAMS(inputs->tenant, param_instant(&run->arena, inputs->starts), param_instant(&run->arena, inputs->ends),
		    param_number(&run->arena, report->newest_run),
		    distinctions_need_context(&report->distinctions) ? "true" : "false"),
		&rows, err))
		return false;
	rows_release(&rows);
	report->inputs = period_charging(&report->period);
	report->charging = charging_new(&report->inputs, NULL, &report->again);
	report->quarter.us = -1;
	fine = db_copy_out(run->db, SQL_REPORTS_REQUESTS_COPY, take_event, report, err);
	progress_end(run);
	return fine && move_to(report, inputs->ends, err) && end_quarter(report, err);
}

/* --- what belongs to no request, and the proof -------------------------------------------------- */

static bool
is_of_requests(const struct charge *charge)
{
	return charge->kind == CHARGE_USAGE || charge->kind == CHARGE_TRIAL || charge->kind == CHARGE_ALLOWANCE;
}

static struct request_row
row_of_charge(const struct report *report, const struct charge *charge)
{
	return (struct request_row){.time = "",
	    .source = "",
	    .id = "",
	    .kind = charge_kind_text(charge->kind),
	    .model = charge->model,
	    .service_tier = charge->service_tier,
	    .meter = charge->meter,
	    .charge = charge,
	    .ordinal = report->ordinals[charge->place],
	    .rule = report->rules[charge->place],
	    .amount = charge->amount,
	    .detail = charge->detail,
	    .held = ""};
}

static void
expect_widths(struct report *report)
{
	const struct rated *rated = &report->period.rated;
	struct request_row row = {.time = "2026-01-01T00:00:00.000000Z",
	    .source = "",
	    .id = "00000000-0000-0000-0000-000000000000",
	    .kind = "reversal",
	    .model = "",
	    .service_tier = "",
	    .meter = METER_input_text_uncached_tokens,
	    .quantity = 1000000,
	    .detail = "",
	    .held = ""};

	requests_writer_expect(report->writer, &row);
	for (size_t i = 0; i < rated->charge_count; i++) {
		row = row_of_charge(report, &rated->charges[i]);
		requests_writer_expect(report->writer, &row);
	}
}

static bool
end_charges(struct report *report, struct error *err)
{
	const struct rated *rated = &report->period.rated;

	for (size_t i = 0; i < rated->charge_count; i++) {
		const struct charge *charge = &rated->charges[i];
		struct request_row row;

		if (!is_of_requests(charge)) {
			row = row_of_charge(report, charge);
			requests_writer_row(report->writer, &row);
		} else if (!charge_share_is_whole(&report->shares[charge->place]))
			return error_set(err, ERROR_STATE, "the requests do not add up to charge %zu of rating %lld", i + 1,
			    (long long)report->in_force);
	}
	return true;
}

/* Takes a stored hold out of the sums; a hold that no request has is of nothing. */
static void
take_hold(struct report *report, const struct rows *holds, int row)
{
	bool is_new;
	size_t place;

	text_clear(&report->key);
	text_add_format(&report->key, "%s%c%s%c%s %s", row_text(holds, row, 0), 0, row_text(holds, row, 1), 0,
	    row_text(holds, row, 2), row_text(holds, row, 3));
	place = index_number(&report->held_index, report->key.bytes, report->key.length, &is_new);
	report->held = memory_grow(report->held, &report->held_room, place + 1, sizeof *report->held);
	if (is_new)
		report->held[place] = 0;
	report->held[place] -= row_integer(holds, row, 4);
}

static bool
end_holds(struct report *report, struct error *err)
{
	struct rows holds;

	if (!db_rows(report->run->db, SQL_RATING_HOLDS_OF_RATING, PARAMS(param_number(&report->run->arena, report->in_force)),
		&holds, err))
		return false;
	for (int i = 0; i < holds.count; i++)
		take_hold(report, &holds, i);
	rows_release(&holds);
	for (size_t i = 0; i < report->held_index.count; i++)
		if (report->held[i] != 0)
			return error_set(err, ERROR_STATE, "the requests do not add up to the holds of rating %lld",
			    (long long)report->in_force);
	return true;
}

/* A line for each currency. */
static bool
write_totals(struct report *report, struct error *err)
{
	const struct rated *rated = &report->period.rated;
	struct text text = {0};
	bool fine = true;

	for (size_t i = 0; fine && i < rated->charge_count; i++) {
		const char *currency = rated->charges[i].currency;
		struct decimal total = {0};
		char amount[DECIMAL_TEXT];
		size_t first = 0;

		while (strcmp(rated->charges[first].currency, currency) != 0)
			first++;
		for (size_t j = first; first == i && fine && j < rated->charge_count; j++)
			fine = strcmp(rated->charges[j].currency, currency) != 0 ||
			    decimal_add(total, rated->charges[j].amount, &total, err);
		if (first == i)
			text_add_format(&text, " %s %s,", decimal_format(total, amount), currency);
	}
	text_add_format(&text, " %lld rows of %lld events", (long long)requests_writer_rows(report->writer),
	    (long long)report->result->events);
	if (report->invoice[0] != '\0')
		text_add_format(&text, ", invoiced as %s", report->invoice);
	text_add_string(&text, "; the rows add up to the charges");
	if (fine) {
		struct text line = {0};

		text_add_format(&line, "total%s", text_string(&text));
		requests_writer_note(report->writer, text_string(&line));
		text_release(&line);
	}
	text_release(&text);
	return fine;
}

/* --- all of it --------------------------------------------------------------------------------- */

static void
release(struct report *report)
{
	charging_free(report->charging);
	rated_release(&report->again);
	periods_release(&report->period, 1);
	if (report->source.shelf != NULL)
		period_source_close(&report->source);
	free(report->shares);
	free(report->ordinals);
	free(report->rules);
	distinctions_release(&report->distinctions);
	if (report->classes != NULL)
		request_classes_free(report->classes);
	free(report->split.shares);
	if (report->series.result != NULL)
		rows_release(&report->series);
	free(report->series_id);
	index_release(&report->group_index);
	free(report->groups);
	arena_release(&report->arena);
	free(report->lines);
	text_release(&report->key);
	text_release(&report->source_text);
	text_release(&report->id_text);
	index_release(&report->held_index);
	free(report->held);
}

static bool
write_report(struct report *report, const char *tenant, const char *period, struct error *err)
{
	if (!find_rating(report, tenant, period, err) || !rate_again(report, err) || !load_charges(report, err) ||
	    !load_classes(report, err) || !load_series(report, err))
		return false;
	expect_widths(report);
	if (!take_events(report, err) || !end_charges(report, err) || !end_holds(report, err))
		return false;
	requests_writer_end(report->writer);
	report->result->rows = requests_writer_rows(report->writer);
	return write_totals(report, err);
}

bool
requests_report(
    struct run *run, const char *tenant, const char *period, FILE *out, struct requests_result *result, struct error *err)
{
	struct report report = {.run = run, .writer = requests_writer_new(out, run->format), .result = result};
	bool fine;

	*result = (struct requests_result){0};
	fine = db_begin(run->db, err) && db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) &&
	    archive_hold(run->db, err) && write_report(&report, tenant, period, err);
	db_rollback(run->db);
	release(&report);
	requests_writer_free(report.writer);
	return fine;
}
