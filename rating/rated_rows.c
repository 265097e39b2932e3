/* rated_rows.c -- see rated_rows.h. */
#include "rating/rated_rows.h"

#include <string.h>

#include "base/copy_binary.h"

/* Columns of charge_copy.sql and hold_copy.sql. */
enum { CHARGE_COLUMNS = 21, HOLD_COLUMNS = 9 };

/* Before each row that is kept. */
struct row_head {
	uint32_t length;
	int columns;
};

static void
add_text(struct text *out, const char *value)
{
	copy_field(out, value, strlen(value));
}

/* 0 is no number. */
static void
add_reference(struct text *out, int64_t number)
{
	if (number == 0)
		copy_null(out);
	else
		copy_bigint(out, number);
}

/* Where the row begins. */
static size_t
begin_row(struct text *out, int columns)
{
	const struct row_head head = {0, columns};

	text_add(out, (const char *)&head, sizeof head);
	return out->length;
}

static void
end_row(struct text *out, size_t begun)
{
	uint32_t length = (uint32_t)(out->length - begun);

	memcpy(out->bytes + begun - sizeof(struct row_head), &length, sizeof length);
}

static void
add_charge(struct text *out, size_t ordinal, const struct charge *c)
{
	size_t begun = begin_row(out, CHARGE_COLUMNS);

	copy_integer(out, (int32_t)ordinal);
	add_text(out, c->model);
	add_text(out, c->service_tier);
	copy_smallint(out, c->meter);
	copy_smallint(out, c->priced_as);
	add_reference(out, c->version_id);
	copy_integer(out, c->rule);
	copy_integer(out, c->tier);
	copy_decimal(out, c->price);
	copy_bigint(out, c->per);
	copy_whole(out, c->quantity);
	copy_decimal(out, c->amount);
	add_text(out, c->currency);
	copy_instant(out, c->first);
	copy_instant(out, c->last);
	add_text(out, charge_kind_text(c->kind));
	if (c->billed == c->quantity)
		copy_null(out);
	else
		copy_whole(out, c->billed);
	add_text(out, c->detail);
	add_text(out, c->counter);
	add_reference(out, c->contract_id);
	end_row(out, begun);
}

static void
add_hold(struct text *out, size_t ordinal, const struct hold *h)
{
	size_t begun = begin_row(out, HOLD_COLUMNS);

	copy_integer(out, (int32_t)ordinal);
	add_text(out, h->model);
	add_text(out, h->service_tier);
	copy_smallint(out, h->meter);
	add_text(out, h->reason);
	copy_whole(out, h->quantity);
	copy_instant(out, h->first);
	copy_instant(out, h->last);
	end_row(out, begun);
}

void
rated_rows_make(const struct rated *rated, struct rated_rows *out)
{
	memcpy(out->input_digest, rated->input_digest, DIGEST_SIZE);
	memcpy(out->output_digest, rated->output_digest, DIGEST_SIZE);
	for (size_t i = 0; i < rated->charge_count; i++)
		add_charge(&out->charges, i + 1, &rated->charges[i]);
	for (size_t i = 0; i < rated->hold_count; i++)
		add_hold(&out->holds, i + 1, &rated->holds[i]);
	out->charge_count += (int64_t)rated->charge_count;
	out->hold_count += (int64_t)rated->hold_count;
}

void
rated_rows_number(const struct text *rows, int64_t rating_id, struct text *copy)
{
	struct row_head head;

	if (rows->length > 0 && copy->length == 0)
		copy_header(copy);
	for (size_t at = 0; at < rows->length; at += head.length) {
		memcpy(&head, rows->bytes + at, sizeof head);
		at += sizeof head;
		copy_row(copy, head.columns);
		copy_bigint(copy, rating_id);
		text_add(copy, rows->bytes + at, head.length);
	}
}

bool
rated_rows_send(struct db *db, enum statement_id id, struct text *copy, struct error *err)
{
	if (copy->length == 0)
		return true;
	copy_trailer(copy);
	return db_copy_in_text(db, id, copy, err);
}
