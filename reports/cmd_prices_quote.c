/* cmd_prices_quote.c -- `tollbook prices quote`: what usage would cost by a price book file. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ingest/reader.h"
#include "reports/quote.h"

static bool run_quote(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"book", "FILE", "the price book; must be given", 'b'},
    {"with", "FILE...", "a further price book: one that is extended, another version, an override; may be given again", 0},
    {"contract", "FILE", "a tenant file, with --tenant: price by its book, override and terms", 0},
    {"tenant", "TENANT", "whose contract of that file", 't'},
    {"event", "FILE", "usage events, JSON lines; together they are one tenant's usage, month by month", 'e'},
    {"each", NULL, "price every event alone, and print an object for each (JSON)", 0},
    {"usage", "METER=COUNT,...", "instead of events: one usage, by meter", 'u'},
    {"prior", "METER=COUNT,...", "with --usage: what was used before in the same month; the price is what --usage adds", 0},
    {"model", "NAME", "with --usage: the model; must be given", 'm'},
    {"tier", "NAME", "with --usage: the service tier served; default: default", 's'},
    {"base-model", "NAME", "with --usage: the base model", 0},
    {"adapter-kind", "NAME", "with --usage: the kind of adapter, for example lora", 0},
    {"provider", "NAME", "with --usage: the provider", 0},
    {"region", "NAME", "with --usage: the region", 0},
    {"operation", "NAME", "with --usage: the operation", 0},
    {"context", "TOKENS", "with --usage: it is one request, with so much input in all; else its size is unknown", 0},
    {"at", "INSTANT", "with --usage: the time of the usage; default: now", 0},
    {0},
};

const struct command cmd_prices_quote = {
    .name = "prices quote",
    .summary = "price one usage, events or a month of them by a price book file, with the arithmetic; needs no database",
    .operands = "",
    .options = options,
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook prices quote --book examples/prices/public-usd.json --model gpt-5-mini \\\n"
	       "      --usage input_text_uncached_tokens=1200000,output_text_tokens=300000\n"
	       "  tollbook prices quote --book book.json --event events.ndjson --each --format json",
    .run = run_quote,
};

/* --- one usage --------------------------------------------------------------------------------- */

/* The texts of options, by field. */
static const struct {
	enum match_field field;
	const char *option;
} field_options[] = {
    {MATCH_MODEL, "model"},
    {MATCH_SERVICE_TIER, "tier"},
    {MATCH_BASE_MODEL, "base-model"},
    {MATCH_ADAPTER_KIND, "adapter-kind"},
    {MATCH_PROVIDER, "provider"},
    {MATCH_REGION, "region"},
    {MATCH_OPERATION, "operation"},
};

/* A count in units of the meter, with as many decimals as it has. */
static bool
read_quantity(const struct meter *meter, const char *text, size_t length, int64_t *out, struct error *err)
{
	i128 smallest = (i128)1000000000 * 1000000000 / meter_scale(meter);
	struct decimal value;

	if (!decimal_parse(text, length, &value, err))
		return false;
	if (value.e18 % smallest != 0 || value.e18 < 0 || value.e18 / smallest > INT64_MAX)
		return error_set(err, ERROR_USAGE, "not a quantity of %s, which has %d decimals", meter->name, meter->decimals);
	*out = (int64_t)(value.e18 / smallest);
	return true;
}

/* "meter=count,meter=count" into a row. */
static bool
read_usage(const char *option, const char *text, struct usage_row *row, struct error *err)
{
	while (*text != '\0') {
		size_t length = strcspn(text, ","), name = strcspn(text, "=");
		const struct meter *meter = name < length ? meter_find(text, name) : NULL;

		if (meter == NULL || !read_quantity(meter, text + name + 1, length - name - 1, &row->quantity[meter->id], err)) {
			error_set(err, ERROR_USAGE, "--%s is meter=count, and further ones behind commas: \"%.*s\" is not",
			    option, (int)(length < 100 ? length : 100), text);
			return error_hint(err, "For example input_text_uncached_tokens=1000; docs/formats.md lists the meters.");
		}
		if ((row->stated >> meter->id & 1) != 0) {
			error_set(err, ERROR_USAGE, "--%s has %s twice", option, meter->name);
			return error_hint(err, "Give the sum of both.");
		}
		row->stated |= UINT64_C(1) << meter->id;
		text += length + (text[length] == ',');
	}
	return true;
}

static bool
usage_of_options(const struct run *run, const char *option, struct usage_row *row, struct error *err)
{
	const char *at = option_value(run, "at");
	int64_t context;

	*row = (struct usage_row){.time = run->now};
	if (!option_number(run, "context", 0, INT64_MAX, -1, &context, err) ||
	    (at != NULL && !instant_option(at, &row->time, err)))
		return false;
	row->context_input_tokens = context;
	return read_usage(option, option_value(run, option), row, err);
}

/* One usage of unknown requests: what depends on their size is held. */
static bool
add_usage(struct quote *quote, const struct run *run, const struct usage_row *row, struct error *err)
{
	const char *fields[MATCH_FIELDS] = {[MATCH_SERVICE_TIER] = "default"};

	for (size_t i = 0; i < sizeof field_options / sizeof field_options[0]; i++)
		if (option_value(run, field_options[i].option) != NULL)
			fields[field_options[i].field] = option_value(run, field_options[i].option);
	return quote_add(quote, row, fields, row->context_input_tokens >= 0, err);
}

/* What --usage adds to --prior. */
static bool
rate_usage(struct quote *quote, const struct run *run, struct quoted *out, struct quoted *before, struct error *err)
{
	struct usage_row row, prior;

	if (!usage_of_options(run, "usage", &row, err))
		return false;
	if (option_value(run, "prior") == NULL)
		return add_usage(quote, run, &row, err) && quote_rate(quote, out, err);
	return usage_of_options(run, "prior", &prior, err) && add_usage(quote, run, &prior, err) &&
	    quote_rate(quote, before, err) && add_usage(quote, run, &prior, err) && add_usage(quote, run, &row, err) &&
	    quote_rate(quote, out, err) && quoted_subtract(out, before, err);
}

/* --- printing ---------------------------------------------------------------------------------- */

enum { FIRST_COLUMNS = 3 }; /* which say whose usage it is; left out of a table where they are the same in all rows */

static const struct column columns[] = {{"period", "period", COLUMN_TEXT}, {"model", "model", COLUMN_TEXT},
    {"service_tier", "service tier", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT}, {"meter", "meter", COLUMN_TEXT},
    {"priced_as", "priced as", COLUMN_TEXT}, {"rule", "rule", COLUMN_NUMBER}, {"tier", "tier", COLUMN_NUMBER},
    {"quantity", "quantity", COLUMN_NUMBER}, {"billed", "billed", COLUMN_NUMBER}, {"price", "price", COLUMN_NUMBER},
    {"per", "per", COLUMN_NUMBER}, {"amount", "amount", COLUMN_NUMBER}, {"why", "why", COLUMN_TEXT}, {0}};

static const char *
meter_name(int meter)
{
	return meter == 0 ? "" : meter_of(meter)->name;
}

static const char *
quantity_text(int meter, i128 quantity, char out[DECIMAL_TEXT])
{
	return meter == 0 ? integer_format(quantity, out) : meter_format(meter_of(meter), quantity, out);
}

static void
add_row(struct table *table, bool alike, const char *period, const struct charge *c)
{
	char text[DECIMAL_TEXT];

	table_row(table);
	if (!alike) {
		table_cell(table, period);
		table_cell(table, c->model);
		table_cell(table, c->service_tier);
	}
	table_cell(table, charge_kind_text(c->kind));
	table_cell(table, meter_name(c->meter));
	table_cell(table, c->priced_as == c->meter ? "" : meter_name(c->priced_as));
	table_cell_format(table, "%d", c->rule);
	table_cell_format(table, "%d", c->tier);
	table_cell(table, quantity_text(c->meter, c->quantity, text));
	table_cell(table, quantity_text(c->meter, c->billed, text));
	table_cell(table, decimal_format(c->price, text));
	table_cell_format(table, "%lld", (long long)c->per);
	table_cell(table, decimal_format(c->amount, text));
	table_cell(table, c->detail);
}

/* The sum of the charges of one period. */
static bool
add_total(const struct rated *rated, struct decimal *total, struct error *err)
{
	for (size_t i = 0; i < rated->charge_count; i++)
		if (!decimal_add(*total, rated->charges[i].amount, total, err))
			return false;
	return true;
}

/* True where all usage is of one period, model and tier. */
static bool
is_alike(const struct quoted *quoted)
{
	const struct charge *first =
	    quoted->count == 1 && quoted->item[0].rated.charge_count > 0 ? quoted->item[0].rated.charges : NULL;

	for (size_t i = 0; first != NULL && i < quoted->item[0].rated.charge_count; i++) {
		const struct charge *charge = &first[i];

		if (charge->meter != 0 &&
		    (strcmp(charge->model, first->model) != 0 || strcmp(charge->service_tier, first->service_tier) != 0))
			return false;
	}
	return first != NULL && first->meter != 0;
}

static bool
print_table(struct run *run, const struct quote *quote, const struct quoted *quoted, struct error *err)
{
	bool alike = run->format == FORMAT_TABLE && is_alike(quoted);
	struct table *table = table_new(alike ? columns + FIRST_COLUMNS : columns);
	struct decimal total = {0};
	char text[DECIMAL_TEXT];
	bool fine = true;

	for (size_t i = 0; fine && i < quoted->count; i++) {
		const struct rated *rated = &quoted->item[i].rated;

		for (size_t j = 0; j < rated->charge_count; j++)
			add_row(table, alike, quoted->item[i].period, &rated->charges[j]);
		fine = add_total(rated, &total, err);
	}
	if (alike)
		printf("%s, %s, service tier %s:\n", quoted->item[0].period, quoted->item[0].rated.charges[0].model,
		    quoted->item[0].rated.charges[0].service_tier);
	table_print(table, run, "nothing is charged");
	table_free(table);
	if (!fine)
		return false;
	if (run->format == FORMAT_TABLE)
		printf("total %s %s\n", decimal_format(total, text), quote_currency(quote));
	for (size_t i = 0; i < quoted->count; i++)
		for (size_t j = 0; j < quoted->item[i].rated.hold_count; j++) {
			const struct hold *hold = &quoted->item[i].rated.holds[j];

			say(run, "held: %s %s of %s, service tier %s: %s", quantity_text(hold->meter, hold->quantity, text),
			    meter_name(hold->meter), hold->model, hold->service_tier, hold->reason);
		}
	return true;
}

/* ,"name":"value" */
static void
add_member(struct text *out, const char *name, const char *value)
{
	text_add_format(out, "%s\"%s\":", out->bytes[out->length - 1] == '{' ? "" : ",", name);
	text_add_json(out, value);
}

static void
add_line(struct text *out, const char *period, const struct charge *c)
{
	char text[DECIMAL_TEXT];

	text_add_string(out, "{");
	add_member(out, "period", period);
	add_member(out, "kind", charge_kind_text(c->kind));
	add_member(out, "model", c->model);
	add_member(out, "service_tier", c->service_tier);
	add_member(out, "meter", meter_name(c->meter));
	add_member(out, "priced_as", meter_name(c->priced_as));
	add_member(out, "book", c->book);
	text_add_format(out, ",\"version\":0,\"rule\":%d,\"tier\":%d", c->rule, c->tier);
	add_member(out, "quantity", quantity_text(c->meter, c->quantity, text));
	add_member(out, "billed", quantity_text(c->meter, c->billed, text));
	add_member(out, "price", decimal_format(c->price, text));
	text_add_format(out, ",\"per\":%lld", (long long)c->per);
	add_member(out, "amount", decimal_format(c->amount, text));
	add_member(out, "detail", c->detail);
	text_add_string(out, "}");
}

static void
add_hold(struct text *out, const char *period, const struct hold *hold)
{
	char text[DECIMAL_TEXT];

	text_add_string(out, "{");
	add_member(out, "period", period);
	add_member(out, "model", hold->model);
	add_member(out, "service_tier", hold->service_tier);
	add_member(out, "meter", meter_name(hold->meter));
	add_member(out, "reason", hold->reason);
	add_member(out, "quantity", quantity_text(hold->meter, hold->quantity, text));
	text_add_string(out, "}");
}

/* One object on one line. */
static bool
print_object(const struct quote *quote, const struct quoted *quoted, struct error *err)
{
	struct text lines = {0}, holds = {0};
	struct decimal total = {0};
	char text[DECIMAL_TEXT];
	bool fine = true;

	for (size_t i = 0; fine && i < quoted->count; i++) {
		const struct rated *rated = &quoted->item[i].rated;

		for (size_t j = 0; j < rated->charge_count; j++) {
			text_add_string(&lines, lines.length == 0 ? "\n" : ",\n");
			add_line(&lines, quoted->item[i].period, &rated->charges[j]);
		}
		for (size_t j = 0; j < rated->hold_count; j++) {
			text_add_string(&holds, holds.length == 0 ? "\n" : ",\n");
			add_hold(&holds, quoted->item[i].period, &rated->holds[j]);
		}
		fine = add_total(rated, &total, err);
	}
	if (fine)
		printf("{\"currency\":\"%s\",\"total\":\"%s\",\"lines\":[%s],\"holds\":[%s]}\n", quote_currency(quote),
		    decimal_format(total, text), text_string(&lines), text_string(&holds));
	text_release(&lines);
	text_release(&holds);
	return fine;
}

static bool
print_quoted(struct run *run, const struct quote *quote, const struct quoted *quoted, struct error *err)
{
	for (size_t i = 0; i < quoted->count; i++)
		if (quoted->item[i].rated.hold_count > 0)
			run->finding = ERROR_FINDINGS;
	return run->format == FORMAT_JSON ? print_object(quote, quoted, err) : print_table(run, quote, quoted, err);
}

/* --- events ------------------------------------------------------------------------------------ */

static bool
add_record(struct quote *quote, const char *path, const struct record *record, struct error *err)
{
	if (record->reason == REASON_NONE && record->event.kind == EVENT_USAGE)
		return quote_add_event(quote, &record->event, err);
	if (record->reason == REASON_NONE)
		error_set(err, ERROR_INPUT, "a quote takes usage events, no corrections or voids");
	else
		error_set(err, ERROR_INPUT, "%s: %s", reason_code(record->reason), reason_meaning(record->reason));
	error_field(err, record->field == NULL ? "" : record->field, record->value.at, record->value.length);
	return error_at(err, path, record->number);
}

static bool
rate_and_print(struct run *run, struct quote *quote, struct error *err)
{
	struct quoted quoted;
	bool fine = quote_rate(quote, &quoted, err);

	if (fine) {
		fine = print_quoted(run, quote, &quoted, err);
		quoted_release(&quoted);
	}
	return fine;
}

static const int64_t year_2100_us = 4102444800 * INT64_C(1000000);

static bool
quote_events(struct run *run, struct quote *quote, const char *path, struct error *err)
{
	struct reader_options reading = {.rules = event_rules_default((struct instant){year_2100_us})};
	bool each = option_value(run, "each") != NULL, end = false, fine = true;
	struct arena arena = {0};
	struct reader *reader;
	struct record record;

	/* A quote may be about any time and any size. */
	reading.rules.late_days = 100 * 366;
	reading.rules.plausible_limit = INT64_MAX;
	if (!reader_open(path, &reading, &reader, err))
		return false;
	while (fine && !end) {
		record = (struct record){0};
		fine = reader_next(reader, &arena, &record, &end, err);
		if (!fine || end || reason_outcome(record.reason) == OUTCOME_IGNORED)
			continue;
		fine = add_record(quote, path, &record, err) && (!each || rate_and_print(run, quote, err));
		arena_reset(&arena);
	}
	reader_close(reader);
	arena_release(&arena);
	return fine && (each || rate_and_print(run, quote, err));
}

/* --- the verb ---------------------------------------------------------------------------------- */

static bool
check_options(const struct run *run, struct error *err)
{
	bool events = option_value(run, "event") != NULL, usage = option_value(run, "usage") != NULL;
	const char *why = NULL;

	if (option_value(run, "book") == NULL)
		why = "prices quote needs --book FILE";
	else if (events == usage)
		why = "prices quote needs either --event FILE or --usage METER=COUNT,...";
	else if (usage && option_value(run, "model") == NULL)
		why = "--usage needs --model NAME";
	else if ((option_value(run, "contract") == NULL) != (option_value(run, "tenant") == NULL))
		why = "--contract FILE and --tenant TENANT belong together";
	else if (option_value(run, "each") != NULL && (!events || run->format != FORMAT_JSON))
		why = "--each needs --event FILE and --format json";
	if (why == NULL)
		return true;
	error_set(err, ERROR_USAGE, "%s", why);
	return error_hint(err, "Run: tollbook prices quote --help");
}

static bool
quote_one(struct run *run, struct quote *quote, struct error *err)
{
	struct quoted quoted = {0}, before = {0};
	bool fine;

	if (option_value(run, "event") != NULL)
		return quote_events(run, quote, option_value(run, "event"), err);
	fine = rate_usage(quote, run, &quoted, &before, err) && print_quoted(run, quote, &quoted, err);
	quoted_release(&quoted);
	quoted_release(&before);
	return fine;
}

static bool
run_quote(struct run *run, struct error *err)
{
	struct quote_files files = {
	    .book = option_value(run, "book"), .contract = option_value(run, "contract"), .tenant = option_value(run, "tenant")};
	const char **with = arena_take(&run->arena, (run->use_count + 1) * sizeof *with);
	struct quote *quote;
	bool fine;

	if (!check_options(run, err))
		return false;
	for (size_t i = 0; (with[i] = option_each(run, "with", i)) != NULL;)
		files.with_count = ++i;
	files.with = with;
	if (!quote_open(&files, &quote, err))
		return false;
	fine = quote_one(run, quote, err);
	quote_close(quote);
	return fine;
}
