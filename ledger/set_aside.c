/* set_aside.c -- see set_aside.h. */
#include "ledger/set_aside.h"

/* What is shown of a value must be text the server takes: control bytes and bad UTF-8 as \xNN. */
static void
add_shown(struct text *out, struct bytes value)
{
	for (size_t i = 0; i < value.length && i < 200; i++) {
		unsigned char byte = (unsigned char)value.at[i];

		if (byte < 0x20 || byte >= 0x7f)
			text_add_format(out, "\\x%02x", byte);
		else
			text_add(out, value.at + i, 1);
	}
}

/* As an element of an array of bytea, where a backslash is doubled. */
static void
add_element(struct text *array, const struct bytes *value)
{
	text_add_string(array, array->length == 0 ? "{" : ",");
	if (value == NULL) {
		text_add_string(array, "NULL");
		return;
	}
	text_add_string(array, "\"\\\\x");
	for (size_t i = 0; i < value->length; i++)
		text_add_format(array, "%02x", (unsigned char)value->at[i]);
	text_add_string(array, "\"");
}

/* What makes a quarantined record the same as another: how its bytes are read and, of a message, what came beside them. */
static const char *
quarantine_format(struct ledger_writer *writer, const struct batch *batch, const struct record *record, struct text *headers,
    struct arena *arena)
{
	const struct envelope *envelope = record->envelope;
	unsigned char sum[DIGEST_SIZE];
	char hex[DIGEST_HEX];

	if (envelope == NULL)
		return record->format != NULL ? record->format : batch->format;
	digest_begin(writer->digest);
	digest_number(writer->digest, envelope->has_key);
	digest_field(writer->digest, envelope->key.at, envelope->key.length);
	for (size_t i = 0; i < envelope->header_count; i++) {
		const struct message_header *header = &envelope->headers[i];

		add_element(headers, &header->name);
		add_element(headers, header->has_value ? &header->value : NULL);
		digest_field(writer->digest, header->name.at, header->name.length);
		digest_number(writer->digest, header->has_value);
		digest_field(writer->digest, header->value.at, header->value.length);
	}
	text_add_string(headers, headers->length == 0 ? "{}" : "}");
	digest_end(writer->digest, sum);
	return arena_format(arena, "%s %s", batch->ranges[record->range].format, digest_hex(sum, sizeof sum, hex));
}

static bool
set_aside(struct ledger_writer *writer, const struct batch *batch, const struct record *record, int64_t batch_id, bool *known,
    struct error *err)
{
	const struct envelope *envelope = record->envelope;
	struct arena arena = {0};
	struct text shown = {0}, headers = {0};
	const char *format = quarantine_format(writer, batch, record, &headers, &arena);
	unsigned char sum[DIGEST_SIZE];
	struct rows rows;
	bool fine;

	digest_begin(writer->digest);
	digest_bytes(writer->digest, record->raw.at, record->raw.length);
	digest_end(writer->digest, sum);
	add_shown(&shown, record->value);
	fine = db_rows(writer->db, SQL_LEDGER_QUARANTINE_ADD,
	    PARAMS(param_number(&arena, batch_id), param_number(&arena, (int64_t)record->number),
		record->outcome == OUTCOME_QUARANTINED ? "quarantined" : "rejected", reason_code(record->reason),
		record->field == NULL ? "" : record->field, text_string(&shown), format,
		param_hex(&arena, record->raw.at, record->raw.length), param_number(&arena, (int64_t)record->raw_length),
		param_hex(&arena, sum, sizeof sum),
		envelope != NULL && envelope->has_key ? param_hex(&arena, envelope->key.at, envelope->key.length) : NULL,
		envelope != NULL ? text_string(&headers) : NULL),
	    &rows, err);
	if (fine) {
		*known = rows.count == 0;
		rows_release(&rows);
	}
	text_release(&shown);
	text_release(&headers);
	arena_release(&arena);
	return fine;
}

bool
batch_set_aside(
    struct ledger_writer *writer, const struct batch *batch, int64_t batch_id, struct batch_counts *counts, struct error *err)
{
	for (size_t i = 0; i < batch->count; i++) {
		bool known;

		if (batch->records[i].outcome != OUTCOME_QUARANTINED && batch->records[i].outcome != OUTCOME_REJECTED)
			continue;
		if (!set_aside(writer, batch, &batch->records[i], batch_id, &known, err))
			return false;
		counts->set_aside_before += known;
	}
	return true;
}
