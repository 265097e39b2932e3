/* copy_binary.c -- see copy_binary.h. */
#include "base/copy_binary.h"

#include <string.h>

enum { OID_BIGINT = 20 };

/* 2000-01-01T00:00:00Z, where PostgreSQL's timestamps start, in microseconds since 1970. */
static const int64_t server_epoch_us = 946684800LL * 1000000;

static inline void
put(char *out, uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--, value >>= 8)
		out[i] = (char)(value & 0xff);
}

static uint64_t
get(const char *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)at[i];
	return value;
}

static inline void
add_number(struct text *out, uint64_t value, int bytes)
{
	char made[12];

	put(made, (uint64_t)bytes, 4);
	put(made + 4, value, bytes);
	text_add(out, made, 4 + (size_t)bytes);
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
copy_field(struct text *out, const void *bytes, size_t length)
{
	char made[4];

	must(length <= INT32_MAX);
	put(made, length, 4);
	text_add(out, made, 4);
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
