/* archive_row.c -- see archive_row.h. */
#include "ledger/archive_row.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* --- rows ------------------------------------------------------------------------------------ */

static void
read_shape(bool there, unsigned bit, struct archive_row *row)
{
	if (there)
		row->shape |= bit;
}

/* NULL is told from all other values by its length. */
static int64_t
read_number(struct copy_reader *reader, unsigned bit, struct archive_row *row)
{
	size_t length;
	const char *field = copy_read(reader, &length);
	uint64_t number;

	read_shape(field != NULL, bit, row);
	if (field == NULL)
		return 0;
	must(length == sizeof number);
	memcpy(&number, field, sizeof number);
	return (int64_t)be64toh(number);
}

static int
read_kind(struct copy_reader *reader)
{
	size_t length;
	const char *field = copy_read(reader, &length);

	must(field != NULL && length == 2);
	return field[1];
}

static struct bytes
read_bytes(struct copy_reader *reader)
{
	struct bytes bytes;

	bytes.at = copy_read(reader, &bytes.length);
	return bytes;
}

static void
read_identity(struct copy_reader *reader, struct id128 *out)
{
	size_t length;
	const char *field = copy_read(reader, &length);

	must(field != NULL && length == sizeof out->byte);
	memcpy(out->byte, field, sizeof out->byte);
}

void
archive_row_read(const char *bytes, size_t length, struct archive_row *out)
{
	struct copy_reader reader = copy_read_row(bytes, length, LEDGER_ROW_FIELDS);
	struct copy_reader extra;

	out->shape = 0;
	out->batch = copy_read_bigint(&reader, 0);
	out->ordinal = copy_read_integer(&reader);
	read_shape(read_kind(&reader) == 2, SHAPE_REVERSAL, out);
	read_identity(&reader, &out->event_id);
	out->time = copy_read_instant(&reader);
	out->series = copy_read_integer(&reader);
	out->source = copy_read_integer(&reader);
	out->id = read_bytes(&reader);
	out->flags = copy_read_integer(&reader);
	out->context_input_tokens = read_number(&reader, SHAPE_CONTEXT_TOKENS, out);
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		out->quantity[meter] = read_number(&reader, (unsigned)SHAPE_METER << (meter - 1), out);
	extra = reader;
	read_shape(copy_read(&extra, &length) != NULL, SHAPE_EXTRA, out);
	out->extra_count = copy_read_bigints(&reader, out->extra, sizeof out->extra / sizeof out->extra[0]);
	out->context = read_bytes(&reader);
	read_shape(out->context.at != NULL, SHAPE_CONTEXT, out);
}

static void
write_number(struct text *out, unsigned shape, unsigned bit, int64_t number)
{
	if ((shape & bit) != 0)
		copy_bigint(out, number);
	else
		copy_null(out);
}

void
archive_row_bytes(const struct archive_row *row, struct text *out)
{
	copy_row(out, LEDGER_ROW_FIELDS);
	copy_bigint(out, row->batch);
	copy_integer(out, row->ordinal);
	copy_smallint(out, (row->shape & SHAPE_REVERSAL) != 0 ? 2 : 1);
	copy_field(out, row->event_id.byte, sizeof row->event_id.byte);
	copy_instant(out, row->time);
	copy_integer(out, row->series);
	copy_integer(out, row->source);
	copy_field(out, row->id.at, row->id.length);
	copy_integer(out, row->flags);
	write_number(out, row->shape, SHAPE_CONTEXT_TOKENS, row->context_input_tokens);
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		write_number(out, row->shape, (unsigned)SHAPE_METER << (meter - 1), row->quantity[meter]);
	if ((row->shape & SHAPE_EXTRA) != 0)
		copy_bigints(out, row->extra, row->extra_count);
	else
		copy_null(out);
	if ((row->shape & SHAPE_CONTEXT) != 0)
		copy_field(out, row->context.at, row->context.length);
	else
		copy_null(out);
}

void
archive_row_sum(const struct archive_row *row, i128 sums[METER_LIMIT])
{
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		sums[meter] += row->quantity[meter];
	for (size_t i = 0; i + 1 < row->extra_count; i += 2)
		sums[row->extra[i]] += row->extra[i + 1];
}

int
archive_row_compare(const struct archive_row *one, const struct archive_row *other)
{
	unsigned kind = one->shape & SHAPE_REVERSAL, other_kind = other->shape & SHAPE_REVERSAL;

	if (one->batch != other->batch)
		return one->batch < other->batch ? -1 : 1;
	if (one->ordinal != other->ordinal)
		return one->ordinal < other->ordinal ? -1 : 1;
	return kind < other_kind ? -1 : kind > other_kind;
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* One column of a block: its values one after the other. */
enum stream {
	STREAM_SHAPE,
	STREAM_BATCH,
	STREAM_ORDINAL,
	STREAM_TIME,
	STREAM_SERIES,
	STREAM_SOURCE,
	STREAM_ID,
	STREAM_FLAGS,
	STREAM_CONTEXT_TOKENS,
	STREAM_METER, /* meter 1, then the other six */
	STREAM_EXTRA = STREAM_METER + METER_COLUMNS,
	STREAM_CONTEXT,
	STREAM_STATED_ID,
	STREAMS
};

struct archive_block {
	size_t rows;
	struct text column[STREAMS]; /* of a block that is being written */
	struct bytes left[STREAMS];  /* of one that is being read */
	size_t rows_left;
	int64_t batch, time; /* of the row before: differences are what is written */
	int32_t ordinal;
};

struct archive_block *
archive_block_new(void)
{
	return memory_new(1, sizeof(struct archive_block));
}

void
archive_block_free(struct archive_block *block)
{
	if (block == NULL)
		return;
	for (int i = 0; i < STREAMS; i++)
		text_release(&block->column[i]);
	free(block);
}

/* Seven bits a byte, the lowest first; the eighth says that there are more. */
static void
put_unsigned(struct text *out, uint64_t number)
{
	char made[10];
	size_t length = 0;

	for (; number >= 0x80; number >>= 7)
		made[length++] = (char)(0x80 | (number & 0x7f));
	made[length++] = (char)number;
	text_add(out, made, length);
}

/* 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ... */
static void
put_signed(struct text *out, int64_t number)
{
	put_unsigned(out, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

/* Differences wrap around, so that every number has one. */
static int64_t
difference(int64_t number, int64_t before)
{
	return (int64_t)((uint64_t)number - (uint64_t)before);
}

static int64_t
add_up(int64_t before, int64_t more)
{
	return (int64_t)((uint64_t)before + (uint64_t)more);
}

static void
put_bytes(struct text *out, struct bytes bytes)
{
	put_unsigned(out, bytes.length);
	text_add(out, bytes.at, bytes.length);
}

static void
put_optional(struct archive_block *block, const struct archive_row *row)
{
	struct text *column = block->column;

	if ((row->shape & SHAPE_CONTEXT_TOKENS) != 0)
		put_signed(&column[STREAM_CONTEXT_TOKENS], row->context_input_tokens);
	for (int meter = 1; meter <= METER_COLUMNS; meter++)
		if ((row->shape & (unsigned)SHAPE_METER << (meter - 1)) != 0)
			put_signed(&column[STREAM_METER + meter - 1], row->quantity[meter]);
	if ((row->shape & SHAPE_EXTRA) != 0) {
		put_unsigned(&column[STREAM_EXTRA], row->extra_count);
		for (size_t i = 0; i < row->extra_count; i++)
			put_signed(&column[STREAM_EXTRA], row->extra[i]);
	}
	if ((row->shape & SHAPE_CONTEXT) != 0)
		put_bytes(&column[STREAM_CONTEXT], row->context);
	if ((row->shape & SHAPE_STATED_ID) != 0)
		text_add(&column[STREAM_STATED_ID], (const char *)row->event_id.byte, sizeof row->event_id.byte);
}

void
archive_block_add(struct archive_block *block, const struct archive_row *row)
{
	struct text *column = block->column;

	must(!archive_block_is_full(block));
	put_unsigned(&column[STREAM_SHAPE], row->shape);
	put_signed(&column[STREAM_BATCH], difference(row->batch, block->batch));
	put_signed(&column[STREAM_ORDINAL], difference(row->ordinal, block->ordinal));
	put_signed(&column[STREAM_TIME], difference(row->time.us, block->time));
	put_signed(&column[STREAM_SERIES], row->series);
	put_signed(&column[STREAM_SOURCE], row->source);
	put_bytes(&column[STREAM_ID], row->id);
	put_signed(&column[STREAM_FLAGS], row->flags);
	put_optional(block, row);
	block->batch = row->batch;
	block->ordinal = row->ordinal;
	block->time = row->time.us;
	block->rows++;
}

size_t
archive_block_rows(const struct archive_block *block)
{
	return block->rows;
}

/* What can be large has a column of its own. */
bool
archive_block_is_full(const struct archive_block *block)
{
	return block->rows == BLOCK_ROWS || block->column[STREAM_ID].length + block->column[STREAM_CONTEXT].length >= BLOCK_BYTES;
}

void
archive_block_write(struct archive_block *block, struct text *out)
{
	put_unsigned(out, block->rows);
	for (int i = 0; i < STREAMS; i++)
		put_bytes(out, (struct bytes){block->column[i].bytes, block->column[i].length});
	for (int i = 0; i < STREAMS; i++)
		text_clear(&block->column[i]);
	block->rows = 0;
	block->batch = block->time = block->ordinal = 0;
}

/* --- reading, of bytes that may be anything ---------------------------------------------------- */

static bool
get_unsigned(struct bytes *left, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (left->length == 0)
			return false;
		byte = (unsigned char)*left->at++;
		left->length--;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool
get_signed(struct bytes *left, int64_t *out)
{
	uint64_t number;

	if (!get_unsigned(left, &number))
		return false;
	*out = (int64_t)(number >> 1 ^ ((number & 1) != 0 ? UINT64_MAX : 0));
	return true;
}

static bool
get_small(struct bytes *left, int32_t *out)
{
	int64_t number;

	if (!get_signed(left, &number) || number < INT32_MIN || number > INT32_MAX)
		return false;
	*out = (int32_t)number;
	return true;
}

static bool
get_bytes(struct bytes *left, struct bytes *out)
{
	uint64_t length;

	if (!get_unsigned(left, &length) || length > left->length)
		return false;
	*out = (struct bytes){left->at, length};
	left->at += length;
	left->length -= length;
	return true;
}

bool
archive_block_open(struct archive_block *block, const char *bytes, size_t length)
{
	struct bytes left = {bytes, length};
	uint64_t rows;

	if (!get_unsigned(&left, &rows) || rows == 0 || rows > BLOCK_ROWS)
		return false;
	for (int i = 0; i < STREAMS; i++)
		if (!get_bytes(&left, &block->left[i]))
			return false;
	block->rows_left = rows;
	block->batch = block->time = block->ordinal = 0;
	return left.length == 0;
}

static bool
get_meters(struct archive_block *block, struct archive_row *row)
{
	for (int meter = 1; meter <= METER_COLUMNS; meter++) {
		row->quantity[meter] = 0;
		if ((row->shape & (unsigned)SHAPE_METER << (meter - 1)) != 0 &&
		    !get_signed(&block->left[STREAM_METER + meter - 1], &row->quantity[meter]))
			return false;
	}
	return true;
}

/* Meters without a column, each with its quantity. */
static bool
get_extra(struct archive_block *block, struct archive_row *row)
{
	uint64_t count;

	row->extra_count = 0;
	if ((row->shape & SHAPE_EXTRA) == 0)
		return true;
	if (!get_unsigned(&block->left[STREAM_EXTRA], &count) || count > sizeof row->extra / sizeof row->extra[0] ||
	    count % 2 != 0)
		return false;
	row->extra_count = count;
	for (size_t i = 0; i < count; i++)
		if (!get_signed(&block->left[STREAM_EXTRA], &row->extra[i]) ||
		    (i % 2 == 0 && (row->extra[i] <= METER_COLUMNS || row->extra[i] >= METER_LIMIT)))
			return false;
	return true;
}

static bool
get_optional(struct archive_block *block, struct archive_row *row)
{
	struct bytes *id = &block->left[STREAM_STATED_ID];

	row->context_input_tokens = 0;
	row->context = (struct bytes){NULL, 0};
	if (((row->shape & SHAPE_CONTEXT_TOKENS) != 0 &&
		!get_signed(&block->left[STREAM_CONTEXT_TOKENS], &row->context_input_tokens)) ||
	    !get_meters(block, row) || !get_extra(block, row) ||
	    ((row->shape & SHAPE_CONTEXT) != 0 && !get_bytes(&block->left[STREAM_CONTEXT], &row->context)))
		return false;
	if ((row->shape & SHAPE_STATED_ID) == 0)
		return true;
	if (id->length < sizeof row->event_id.byte)
		return false;
	memcpy(row->event_id.byte, id->at, sizeof row->event_id.byte);
	id->at += sizeof row->event_id.byte;
	id->length -= sizeof row->event_id.byte;
	return true;
}

/* Behind the last row nothing is left. */
static bool
is_used_up(const struct archive_block *block)
{
	for (int i = 0; i < STREAMS; i++)
		if (block->left[i].length > 0)
			return false;
	return true;
}

bool
archive_block_next(struct archive_block *block, struct archive_row *row, bool *more)
{
	struct bytes *left = block->left;
	int64_t batch, ordinal, time;
	uint64_t shape;

	*more = block->rows_left > 0;
	if (!*more)
		return is_used_up(block);
	block->rows_left--;
	if (!get_unsigned(&left[STREAM_SHAPE], &shape) || shape >= SHAPE_LIMIT || !get_signed(&left[STREAM_BATCH], &batch) ||
	    !get_signed(&left[STREAM_ORDINAL], &ordinal) || !get_signed(&left[STREAM_TIME], &time) ||
	    !get_small(&left[STREAM_SERIES], &row->series) || !get_small(&left[STREAM_SOURCE], &row->source) ||
	    !get_bytes(&left[STREAM_ID], &row->id) || !get_small(&left[STREAM_FLAGS], &row->flags))
		return false;
	row->shape = (unsigned)shape;
	block->batch = row->batch = add_up(block->batch, batch);
	block->ordinal = row->ordinal = (int32_t)add_up(block->ordinal, ordinal);
	row->time = (struct instant){block->time = add_up(block->time, time)};
	return get_optional(block, row);
}
