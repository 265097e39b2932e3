/* rated_spool.c -- see rated_spool.h. */
#include "rating/rated_spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 16 << 20 };

/* Before the rows of each period. */
struct spool_head {
	int64_t place, charge_count, hold_count;
	uint64_t charges_length, holds_length;
	unsigned char input_digest[DIGEST_SIZE], output_digest[DIGEST_SIZE];
};

struct rated_spool {
	struct text kept; /* what is not in the file: behind it */
	FILE *file;       /* or NULL */
	bool reading;
	size_t at; /* in `kept` */
	struct rated_rows rows;
};

struct rated_spool *
rated_spool_new(void)
{
	return memory_new(1, sizeof(struct rated_spool));
}

void
rated_spool_free(struct rated_spool *spool)
{
	if (spool == NULL)
		return;
	text_release(&spool->kept);
	text_release(&spool->rows.charges);
	text_release(&spool->rows.holds);
	if (spool->file != NULL)
		(void)fclose(spool->file);
	free(spool);
}

static bool
spill(struct rated_spool *spool, struct error *err)
{
	if (spool->kept.length < KEPT_MAX)
		return true;
	if (spool->file == NULL)
		spool->file = tmpfile();
	if (spool->file == NULL || fwrite(spool->kept.bytes, 1, spool->kept.length, spool->file) != spool->kept.length) {
		error_set(err, ERROR_AWAY, "rated periods could not be kept in a temporary file: %s", strerror(errno));
		return error_hint(err, "Make room in /tmp and run again; of these periods nothing is booked.");
	}
	text_clear(&spool->kept);
	return true;
}

bool
rated_spool_add(struct rated_spool *spool, int64_t place, const struct rated_rows *rows, struct error *err)
{
	struct spool_head head = {.place = place,
	    .charge_count = rows->charge_count,
	    .hold_count = rows->hold_count,
	    .charges_length = rows->charges.length,
	    .holds_length = rows->holds.length};

	must(!spool->reading);
	memcpy(head.input_digest, rows->input_digest, DIGEST_SIZE);
	memcpy(head.output_digest, rows->output_digest, DIGEST_SIZE);
	text_add(&spool->kept, (const char *)&head, sizeof head);
	text_add(&spool->kept, rows->charges.bytes, rows->charges.length);
	text_add(&spool->kept, rows->holds.bytes, rows->holds.length);
	return spill(spool, err);
}

/* What is written in one piece lies in the file or in memory in one piece, but the end of the file may lie within a period. */
static bool
read_bytes(struct rated_spool *spool, char *out, size_t wanted, size_t *got, struct error *err)
{
	*got = spool->file == NULL || wanted == 0 ? 0 : fread(out, 1, wanted, spool->file);
	if (spool->file != NULL && ferror(spool->file) != 0)
		return error_set(
		    err, ERROR_AWAY, "rated periods could not be read back from a temporary file: %s", strerror(errno));
	if (*got < wanted) {
		size_t left = spool->kept.length - spool->at, part = wanted - *got < left ? wanted - *got : left;

		if (part > 0)
			memcpy(out + *got, spool->kept.bytes + spool->at, part);
		spool->at += part;
		*got += part;
	}
	return true;
}

static bool
read_text(struct rated_spool *spool, struct text *out, size_t length, struct error *err)
{
	size_t got;

	text_clear(out);
	text_reserve(out, length);
	if (!read_bytes(spool, out->bytes, length, &got, err))
		return false;
	must(got == length);
	out->length = length;
	return true;
}

bool
rated_spool_next(struct rated_spool *spool, int64_t *place, const struct rated_rows **rows, bool *there, struct error *err)
{
	struct spool_head head;
	size_t got;

	if (!spool->reading && spool->file != NULL) {
		if (fflush(spool->file) != 0)
			return error_set(
			    err, ERROR_AWAY, "rated periods could not be kept in a temporary file: %s", strerror(errno));
		rewind(spool->file);
	}
	spool->reading = true;
	if (!read_bytes(spool, (char *)&head, sizeof head, &got, err))
		return false;
	*there = got > 0;
	if (!*there)
		return true;
	must(got == sizeof head);
	*place = head.place;
	spool->rows.charge_count = head.charge_count;
	spool->rows.hold_count = head.hold_count;
	memcpy(spool->rows.input_digest, head.input_digest, DIGEST_SIZE);
	memcpy(spool->rows.output_digest, head.output_digest, DIGEST_SIZE);
	*rows = &spool->rows;
	return read_text(spool, &spool->rows.charges, head.charges_length, err) &&
	    read_text(spool, &spool->rows.holds, head.holds_length, err);
}
