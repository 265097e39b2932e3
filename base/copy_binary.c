/* copy_binary.c -- see copy_binary.h. */
#include "base/copy_binary.h"

#include <endian.h>
#include <string.h>

enum { OID_BIGINT = 20 };

/* 2000-01-01T00:00:00Z, where PostgreSQL's timestamps start, in microseconds since 1970. */
static const int64_t server_epoch_us = 946684800LL * 1000000;

/* The compiler makes one instruction of each case; of a loop over the bytes it does not. */
static inline void
put(char *out, uint64_t value, int bytes)
{
	const uint64_t eight = htobe64(value);
	const uint32_t four = htobe32((uint32_t)value);
	const uint16_t two = htobe16((uint16_t)value);

	if (bytes == 8)
		memcpy(out, &eight, sizeof eight);
	else if (bytes == 4)
		memcpy(out, &four, sizeof four);
	else
		memcpy(out, &two, sizeof two);
}

static uint64_t
get(const char *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)at[i];
	return value;
}

/* Written in place: a row has some twenty of these. */
static inline void
add_number(struct text *out, uint64_t value, int bytes)
{
	char *at;

	if (out->capacity - out->length <= 12)
		text_reserve(out, 12);
	at = out->bytes + out->length;
	put(at, (uint64_t)bytes, 4);
	put(at + 4, value, bytes);
	out->length += 4 + (size_t)bytes;
}

void
copy_header(struct text *out)
{
	static const char header[19] = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', '\377', '\r', '\n'};

	text_add(out, header, sizeof header);
}

void
copy_trailer(struct text *out)
{
	text_add(out, "\377\377", 2);
}

void
copy_row(struct text *out, int fields)
{
	char made[2];

	put(made, (uint64_t)fields, 2);
	text_add(out, made, 2);
}

void
copy_null(struct text *out)
{
	text_add(out, "\377\377\377\377", 4);
}

void
copy_smallint(struct text *out, int value)
{
	add_number(out, (uint64_t)value, 2);
}

void
copy_integer(struct text *out, int32_t value)
{
	add_number(out, (uint64_t)value, 4);
}

void
copy_bigint(struct text *out, int64_t value)
{
	add_number(out, (uint64_t)value, 8);
}

void
copy_instant(struct text *out, struct instant value)
{
	copy_bigint(out, value.us - server_epoch_us);
}

void
copy_length(struct text *out, size_t length)
{
	char made[4];

	must(length <= INT32_MAX);
	put(made, length, 4);
	text_add(out, made, sizeof made);
}

void
copy_field(struct text *out, const void *bytes, size_t length)
{
	copy_length(out, length);
	text_add(out, bytes, length);
}

void
copy_bigints(struct text *out, const int64_t *values, size_t count)
{
	char head[24];

	put(head, 20 + 12 * count, 4); /* length of the field */
	put(head + 4, 1, 4);           /* dimensions */
	put(head + 8, 0, 4);           /* no NULLs inside */
	put(head + 12, OID_BIGINT, 4);
	put(head + 16, count, 4);
	put(head + 20, 1, 4); /* lower bound */
	text_add(out, head, sizeof head);
	for (size_t i = 0; i < count; i++)
		copy_bigint(out, values[i]);
}

/* --- numeric ---------------------------------------------------------------------------------- */

/* A numeric is digits of base 10,000, the first of which is worth 10,000 to the power of `weight`. */
enum { NUMERIC_BASE = 10000, WHOLE_DIGITS = 10, FRACTION_DIGITS = 5, NUMERIC_NEGATIVE = 0x4000 };

/* `digits` of them, the first one first. */
static void
split_digits(u128 value, int *out, int digits)
{
	for (int i = digits - 1; i >= 0; i--, value /= NUMERIC_BASE)
		out[i] = (int)(value % NUMERIC_BASE);
}

/* whole + fraction x 10^-20 */
static void
add_numeric(struct text *out, bool negative, u128 whole, u128 fraction, int scale)
{
	int digits[WHOLE_DIGITS + FRACTION_DIGITS], first = 0, end = WHOLE_DIGITS + FRACTION_DIGITS;
	char made[12 + 2 * (WHOLE_DIGITS + FRACTION_DIGITS)];
	size_t count;

	split_digits(whole, digits, WHOLE_DIGITS);
	split_digits(fraction, digits + WHOLE_DIGITS, FRACTION_DIGITS);
	while (first < end && digits[first] == 0)
		first++;
	while (end > first && digits[end - 1] == 0)
		end--;
	count = (size_t)(end - first);
	put(made, 8 + 2 * count, 4);
	put(made + 4, count, 2);
	put(made + 6, (uint64_t)(first == end ? 0 : WHOLE_DIGITS - 1 - first), 2);
	put(made + 8, negative ? NUMERIC_NEGATIVE : 0, 2);
	put(made + 10, (uint64_t)scale, 2);
	for (int i = first; i < end; i++)
		put(made + 12 + 2 * (i - first), (uint64_t)digits[i], 2);
	text_add(out, made, 12 + 2 * count);
}

static u128
magnitude(i128 value)
{
	return value < 0 ? -(u128)value : (u128)value;
}

void
copy_decimal(struct text *out, struct decimal value)
{
	static const uint64_t one = 1000000000000000000;
	u128 size = magnitude(value.e18);

	add_numeric(out, value.e18 < 0, size / one, size % one * 100, DECIMAL_PLACES);
}

void
copy_whole(struct text *out, i128 value)
{
	add_numeric(out, value < 0, magnitude(value), 0, 0);
}

struct copy_reader
copy_read_row(const char *bytes, size_t length, int fields)
{
	must(length >= 2 && get(bytes, 2) == (uint64_t)fields);
	return (struct copy_reader){bytes + 2, bytes + length};
}

const char *
copy_read(struct copy_reader *reader, size_t *length)
{
	const char *field;
	uint32_t size;

	must(reader->end - reader->at >= 4);
	size = (uint32_t)get(reader->at, 4);
	reader->at += 4;
	*length = 0;
	if (size == UINT32_MAX)
		return NULL;
	must((size_t)(reader->end - reader->at) >= size);
	field = reader->at;
	reader->at += size;
	*length = size;
	return field;
}

int64_t
copy_read_bigint(struct copy_reader *reader, int64_t if_null)
{
	size_t length;
	const char *field = copy_read(reader, &length);

	if (field == NULL)
		return if_null;
	must(length == 8);
	return (int64_t)get(field, 8);
}

int32_t
copy_read_integer(struct copy_reader *reader)
{
	size_t length;
	const char *field = copy_read(reader, &length);

	must(field != NULL && length == 4);
	return (int32_t)(uint32_t)get(field, 4);
}

struct instant
copy_read_instant(struct copy_reader *reader)
{
	size_t length;
	const char *field = copy_read(reader, &length);

	must(field != NULL && length == 8);
	return (struct instant){(int64_t)get(field, 8) + server_epoch_us};
}

size_t
copy_read_bigints(struct copy_reader *reader, int64_t *out, size_t room)
{
	size_t length, count;
	const char *field = copy_read(reader, &length);

	if (field == NULL || length == 12) /* 12: an empty array has no dimension */
		return 0;
	must(length >= 20 && get(field, 4) == 1 && get(field + 8, 4) == OID_BIGINT);
	count = get(field + 12, 4);
	must(count <= room && length == 20 + 12 * count);
	for (size_t i = 0; i < count; i++)
		out[i] = (int64_t)get(field + 20 + 12 * i + 4, 8);
	return count;
}
