/* stages_money.c -- the stages from rows of the ledger to charges and reports. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/document.h"
#include "rating/interval_table.h"
#include "rating/intervals.h"
#include "reports/output_xlsx.h"
#include "reports/requests_write.h"
#include "tests/bench/stages.h"

enum { RATING_FIELDS = 3 + METER_COLUMNS + 1, METERS_OF_EVENT = 4 };

struct stages_money {
	struct text rows; /* of usage_copy.sql, one behind the other */
	size_t *row_ends;
	size_t row_count;
	struct book_shelf *shelf;
	struct contract contract;
	struct contracts contracts;
	struct charging_contract resolved;
	struct charging_inputs inputs;
	struct usage *usage;
	size_t usage_count;
	struct charge charge;
};

/* --- what they work on ---------------------------------------------------------------------------- */

static void
encode_rating_row(struct text *out, const struct admitted *key)
{
	const struct usage_event *event = &key->record->event;
	int64_t quantity[METER_COLUMNS + 1];
	bool stated[METER_COLUMNS + 1] = {false};

	for (size_t i = 0; i < event->quantity_count; i++) {
		must(event->quantities[i].meter <= METER_COLUMNS);
		quantity[event->quantities[i].meter] = event->quantities[i].quantity;
		stated[event->quantities[i].meter] = true;
	}
	copy_row(out, RATING_FIELDS);
	copy_bigint(out, 1);
	copy_instant(out, event->time);
	copy_integer(out, key->series + 1);
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		if (stated[meter])
			copy_bigint(out, quantity[meter]);
		else
			copy_null(out);
	}
	copy_null(out);
}

static void
make_rows(struct stages *stages, struct stages_money *money)
{
	money->row_count = stages->batch.key_count;
	money->row_ends = memory_new(money->row_count, sizeof *money->row_ends);
	for (size_t i = 0; i < money->row_count; i++) {
		encode_rating_row(&money->rows, &stages->unsorted[i]);
		money->row_ends[i] = money->rows.length;
	}
}

static const char *
named(struct arena *arena, struct bytes text)
{
	return arena_copy(arena, text.length == 0 ? "" : text.at, text.length);
}

static int
compare_usage(const void *one, const void *other)
{
	const struct usage *a = one, *b = other;

	return a->start.us < b->start.us ? -1 : a->start.us > b->start.us;
}

/* A sum for each quantity of each event: as if no two events fell into one quarter of an hour. */
static void
make_usage(struct stages *stages, struct stages_money *money)
{
	static const int64_t quarter_us = INT64_C(900000000);

	money->usage = memory_new(stages->batch.count * METERS_OF_EVENT, sizeof *money->usage);
	for (size_t i = 0; i < stages->batch.count; i++) {
		const struct usage_event *event = &stages->batch.records[i].event;
		struct price_subject subject = {.tags = ""};

		for (int field = 0; field < MATCH_FIELDS; field++)
			subject.field[field] = "";
		subject.field[MATCH_MODEL] = named(&stages->batch.arena, event->series[SERIES_MODEL]);
		subject.field[MATCH_PROVIDER] = named(&stages->batch.arena, event->series[SERIES_PROVIDER]);
		subject.field[MATCH_SERVICE_TIER] = "default";
		for (size_t q = 0; q < event->quantity_count && q < METERS_OF_EVENT; q++)
			money->usage[money->usage_count++] = (struct usage){.start = {event->time.us / quarter_us * quarter_us},
			    .subject = subject,
			    .size = {-1, -1, -1, -1},
			    .meter = event->quantities[q].meter,
			    .quantity = event->quantities[q].quantity};
	}
	qsort(money->usage, money->usage_count, sizeof *money->usage, compare_usage);
}

static void
make_contract(struct stages_money *money)
{
	struct error err = {0};
	struct text text = {0};
	struct price_book *book;
	char part[1 << 14];
	FILE *file = fopen("examples/prices/public-usd.json", "rb");
	struct instant begin = {INT64_C(1767225600000000)}, end = {INT64_C(1798761600000000)}; /* 2026 */

	must(file != NULL);
	for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
		text_add(&text, part, got);
	must(fclose(file) == 0);
	stages_must(price_book_parse(text.bytes, text.length, "public-usd.json", 0, NULL, &book, &err), &err);
	text_release(&text);
	money->shelf = book_shelf_new();
	book_shelf_add(money->shelf, book);
	money->contract = (struct contract){.contract_id = 1,
	    .effective = begin,
	    .currency = "USD",
	    .zone = "UTC",
	    .book = "public-usd",
	    .override = "",
	    .terms_text = ""};
	money->contracts = (struct contracts){.item = &money->contract, .count = 1};
	money->resolved = (struct charging_contract){&money->contract, NULL, book_shelf_named(money->shelf, "public-usd")};
	money->inputs = (struct charging_inputs){.period = "2026-10",
	    .starts = begin,
	    .ends = end,
	    .contracts = &money->contracts,
	    .resolved = &money->resolved,
	    .priced_with = INT64_MAX};
}

static void
make_charge(struct stages_money *money)
{
	struct error err = {0};

	money->charge = (struct charge){.model = "gpt-5-mini",
	    .service_tier = "default",
	    .book = "public-usd",
	    .per = 1000000,
	    .currency = "USD",
	    .detail = "",
	    .counter = ""};
	stages_must(decimal_parse("1.25", 4, &money->charge.price, &err), &err);
	stages_must(decimal_parse("0.123456789012345678", 20, &money->charge.amount, &err), &err);
}

void
stages_money_open(struct stages *stages)
{
	stages->money = memory_new(1, sizeof *stages->money);
	make_rows(stages, stages->money);
	make_usage(stages, stages->money);
	make_contract(stages->money);
	make_charge(stages->money);
}

void
stages_money_release(struct stages *stages)
{
	text_release(&stages->money->rows);
	free(stages->money->row_ends);
	free(stages->money->usage);
	book_shelf_free(stages->money->shelf);
	free(stages->money);
}

/* --- the stages ------------------------------------------------------------------------------------ */

static void
read_rating_row(struct copy_reader *reader, int32_t *series, struct usage_row *row)
{
	struct error err = {0};

	must(copy_read_bigint(reader, 0) == 1);
	row->time = copy_read_instant(reader);
	*series = copy_read_integer(reader);
	stages_must(usage_quantities_read(reader, row, &err), &err);
}

int64_t
stage_decode_rows(struct stages *stages)
{
	struct stages_money *money = stages->money;
	struct usage_row row;
	int64_t sum = 0;
	int32_t series;

	for (size_t i = 0, start = 0; i < money->row_count; start = money->row_ends[i++]) {
		struct copy_reader reader = copy_read_row(money->rows.bytes + start, money->row_ends[i] - start, RATING_FIELDS);

		read_rating_row(&reader, &series, &row);
		sum += row.quantity[1];
	}
	must(sum == (int64_t)money->row_count);
	return sum;
}

int64_t
stage_sum(struct stages *stages)
{
	struct stages_money *money = stages->money;
	struct interval_table *table = interval_table_new(1, false);
	struct usage_split whole = {.whole = true};
	struct usage_row row = {.context_input_tokens = -1};
	struct error err = {0};
	int32_t series;

	for (size_t i = 0, start = 0; i < money->row_count; start = money->row_ends[i++]) {
		struct copy_reader reader = copy_read_row(money->rows.bytes + start, money->row_ends[i] - start, RATING_FIELDS);

		read_rating_row(&reader, &series, &row);
		stages_must(interval_table_add(table, series, &row, &whole, 1, &err) && interval_table_room(table, &err), &err);
	}
	interval_table_free(table);
	return (int64_t)money->row_count;
}

int64_t
stage_price(struct stages *stages)
{
	struct stages_money *money = stages->money;
	struct rated rated = {0};
	struct digest *digest = digest_new();
	struct charging *charging = charging_new(&money->inputs, digest, &rated);
	struct error err = {0};

	for (size_t i = 0; i < money->usage_count; i++)
		stages_must(charging_add(charging, &money->usage[i], &err), &err);
	stages_must(charging_settle(charging, &err), &err);
	must(rated.charge_count > 0 && rated.hold_count == 0);
	charging_free(charging);
	rated_release(&rated);
	digest_free(digest);
	return (int64_t)money->usage_count;
}

int64_t
stage_csv_rows(struct stages *stages)
{
	struct stages_money *money = stages->money;
	FILE *out = fopen("/dev/null", "w");
	struct requests_writer *writer;
	struct request_row row = {.time = "2026-10-05T12:00:00.123Z",
	    .source = "/gw/eu-1",
	    .kind = "usage",
	    .model = "gpt-5-mini",
	    .service_tier = "default",
	    .charge = &money->charge,
	    .ordinal = 1,
	    .rule = "public-usd@1 rule 3",
	    .detail = "",
	    .held = ""};

	must(out != NULL);
	writer = requests_writer_new(out, FORMAT_CSV);
	for (size_t i = 0; i < stages->batch.count; i++) {
		const struct usage_event *event = &stages->batch.records[i].event;

		row.id = named(&stages->arena, event->id);
		row.meter = event->quantities[1].meter;
		row.quantity = event->quantities[1].quantity;
		row.amount = money->charge.amount;
		requests_writer_row(writer, &row);
		arena_reset(&stages->arena);
	}
	requests_writer_end(writer);
	requests_writer_free(writer);
	must(fclose(out) == 0);
	return (int64_t)stages->batch.count;
}

/* As many cells as a charge has in a workbook. */
static void
write_workbook_row(struct xlsx_output *output, const struct stages_money *money, const struct usage_event *event,
    struct arena *arena, struct error *err)
{
	struct decimal quantity;
	struct cell cells[10];

	stages_must(decimal_from_integer(event->quantities[1].quantity, &quantity, err), err);
	cells[0] = cell_text(arena, "acme");
	cells[1] = cell_text(arena, "2026-10");
	cells[2] = cell_text(arena, money->charge.model);
	cells[3] = cell_text(arena, meter_of(event->quantities[1].meter)->name);
	cells[4] = cell_decimal(arena, quantity, 0);
	cells[5] = cell_decimal(arena, money->charge.price, 2);
	cells[6] = cell_amount(arena, money->charge.amount, 6, 2);
	cells[7] = cell_exact(arena, money->charge.amount);
	cells[8] = cell_text(arena, "USD");
	cells[9] = cell_instant(event->time);
	stages_must(xlsx_output_row(output, cells, sizeof cells / sizeof cells[0], err), err);
}

int64_t
stage_workbook_rows(struct stages *stages)
{
	static const int widths[] = {12, 10, 20, 30, 12, 12, 14, 26, 8, 20, 0};
	const char *path = arena_format(&stages->batch.arena, "%s/stages.xlsx", stages->folder);
	struct xlsx_output_options options = {.path = path, .folder = stages->folder, .title = "bench"};
	struct xlsx_sheet sheet = {.name = "rows", .widths = widths, .header_row = -1};
	struct xlsx_output *output;
	struct error err = {0};

	stages_must(xlsx_output_open(&options, &output, &err) && xlsx_output_sheet(output, &sheet, &err), &err);
	for (size_t i = 0; i < stages->batch.count; i++) {
		write_workbook_row(output, stages->money, &stages->batch.records[i].event, &stages->arena, &err);
		arena_reset(&stages->arena);
	}
	stages_must(xlsx_output_close(output, &err), &err);
	must(unlink(path) == 0);
	return (int64_t)stages->batch.count;
}
