/*
 * old_register.c -- what a register with one primary key is fed with: `old_register FIRST COUNT BATCH FILE` writes COUNT random identities,
 * from number FIRST on, as binary COPY data of (event_id uuid, content uuid, event_time timestamptz, batch_id bigint), each BATCH of them
 * sorted in a file of its own, FILE.0, FILE.1 ...  The same numbers give the same identities.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct id {
	uint64_t high, low;
};

enum { ROW_BYTES = 2 + 2 * (4 + 16) + 2 * (4 + 8) };

static uint64_t
scramble(uint64_t number)
{
	number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
	return number ^ (number >> 31);
}

static int
compare(const void *one, const void *other)
{
	const struct id *a = one, *b = other;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return a->low < b->low ? -1 : a->low > b->low;
}

static unsigned char *
put(unsigned char *at, uint64_t number, int bytes)
{
	for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
		*at++ = (unsigned char)(number >> shift);
	return at;
}

static bool
write_row(FILE *out, struct id id, uint64_t batch)
{
	unsigned char row[ROW_BYTES], *at = row;

	at = put(at, 4, 2);
	for (int twice = 0; twice < 2; twice++) {
		at = put(at, 16, 4);
		at = put(at, id.high, 8);
		at = put(at, id.low, 8);
	}
	at = put(at, 8, 4);
	at = put(at, batch * 1000000, 8);
	at = put(at, 8, 4);
	put(at, batch, 8);
	return fwrite(row, 1, sizeof row, out) == sizeof row;
}

static bool
write_batch(const char *path, const struct id *ids, size_t count, uint64_t batch)
{
	static const char header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0", trailer[] = "\377\377";
	FILE *out = fopen(path, "wb");
	bool fine;

	if (out == NULL)
		return false;
	fine = fwrite(header, 1, 19, out) == 19;
	for (size_t i = 0; fine && i < count; i++)
		fine = write_row(out, ids[i], batch);
	fine = fine && fwrite(trailer, 1, 2, out) == 2;
	return fclose(out) == 0 && fine;
}

int
main(int count, char **arguments)
{
	uint64_t first, keys, batch;
	struct id *ids;

	if (count != 5) {
		fputs("usage: old_register FIRST COUNT BATCH FILE\n", stderr);
		return 2;
	}
	first = strtoull(arguments[1], NULL, 10);
	keys = strtoull(arguments[2], NULL, 10);
	batch = strtoull(arguments[3], NULL, 10);
	ids = batch == 0 ? NULL : calloc(batch, sizeof *ids);
	if (ids == NULL)
		return 2;
	for (uint64_t at = 0; at < keys; at += batch) {
		size_t part = keys - at < batch ? (size_t)(keys - at) : (size_t)batch;
		char path[4096];

		for (size_t i = 0; i < part; i++)
			ids[i] = (struct id){scramble(2 * (first + at + i)), scramble(2 * (first + at + i) + 1)};
		qsort(ids, part, sizeof *ids, compare);
		if (snprintf(path, sizeof path, "%s.%llu", arguments[4], (unsigned long long)(at / batch)) >= (int)sizeof path ||
		    !write_batch(path, ids, part, (first + at) / batch)) {
			perror(arguments[4]);
			return 1;
		}
	}
	free(ids);
	return 0;
}
