/* cmd_quarantine.c -- `tollbook quarantine list|show|release|discard`: records that are not facts yet. */
#include <string.h>

#include "base/digest.h"
#include "base/table.h"
#include "ingest/record_format.h"
#include "ledger/audit.h"
#include "ledger/batch.h"

static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool release(struct run *run, struct error *err);
static bool discard(struct run *run, struct error *err);

static const struct option_spec list_options[] = {
    {"code", "CODE", "only records with this reason code", 'c'},
    {"all", NULL, "also those released or discarded", 'a'},
    {0},
};

static const struct option_spec reason_options[] = {
    {"reason", "TEXT", "why, for the audit log; must be given", 'r'},
    {0},
};

const struct command cmd_quarantine_list = {
    .name = "quarantine list",
    .summary = "list the records set aside that wait for somebody",
    .operands = "",
    .options = list_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook quarantine list\n  tollbook quarantine list --code E_KEY_CONFLICT --format csv",
    .run = list,
};

const struct command cmd_quarantine_show = {
    .name = "quarantine show",
    .summary = "show one record: why it was set aside, where it came from, its bytes, and what can be done",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .example = "  tollbook quarantine show 17",
    .run = show,
};

const struct command cmd_quarantine_release = {
    .name = "quarantine release",
    .summary = "book records after all: as they stand, where a person may say so, or because the ledger has changed",
    .operands = "ID...",
    .operands_min = 1,
    .operands_max = -1,
    .options = reason_options,
    .needs = NEEDS_DB,
    .takes_dry_run = true,
    .example = "  tollbook quarantine release 17 --reason 'fine-tuning job, checked with the tenant, ticket 4711'",
    .run = release,
};

const struct command cmd_quarantine_discard = {
    .name = "quarantine discard",
    .summary = "decide that records are not usage; their bytes stay",
    .operands = "ID...",
    .operands_min = 1,
    .operands_max = -1,
    .options = reason_options,
    .needs = NEEDS_DB,
    .takes_dry_run = true,
    .example = "  tollbook quarantine discard 18 19 --reason 'test traffic of the gateway team'",
    .run = discard,
};

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"id", "id", COLUMN_NUMBER}, {"outcome", "outcome", COLUMN_TEXT},
	    {"code", "code", COLUMN_TEXT}, {"source", "source", COLUMN_TEXT}, {"record", "record", COLUMN_NUMBER},
	    {"field", "field", COLUMN_TEXT}, {"value", "value", COLUMN_TEXT}, {"bytes", "bytes", COLUMN_NUMBER},
	    {"state", "state", COLUMN_TEXT}, {0}};
	const char *code = option_text(run, "code");
	struct table *table;
	struct rows rows;

	if (code[0] != '\0' && reason_find(code) == REASON_NONE) {
		error_set(err, ERROR_USAGE, "there is no reason code \"%s\"", code);
		return error_hint(err, "docs/formats.md lists them.");
	}
	if (!db_rows(run->db, SQL_INGEST_QUARANTINE_LIST, PARAMS(code, option_value(run, "all") == NULL ? "f" : "t"), &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "nothing is in quarantine");
	table_free(table);
	rows_release(&rows);
	return true;
}

/* Columns of quarantine_get.sql. */
enum {
	ROW_ID,
	ROW_OUTCOME,
	ROW_CODE,
	ROW_FIELD,
	ROW_VALUE,
	ROW_FORMAT,
	ROW_RAW,
	ROW_LENGTH,
	ROW_SOURCE,
	ROW_RECORD,
	ROW_STATE,
	ROW_WHY,
	ROW_BY,
	ROW_KEY,
	ROW_CLUSTER,
	ROW_TOPIC,
	ROW_PARTITION
};

static bool
get(struct run *run, const char *id, struct rows *out, struct error *err)
{
	i128 number;

	if (!integer_parse(id, strlen(id), &number, err) || number < 1 || number > INT64_MAX)
		return error_set(err, ERROR_USAGE, "\"%s\" is not the number of a quarantined record", id);
	if (!db_rows(run->db, SQL_INGEST_QUARANTINE_GET, PARAMS(id), out, err))
		return false;
	if (out->count == 1)
		return true;
	rows_release(out);
	error_set(err, ERROR_STATE, "there is no quarantined record %s", id);
	return error_hint(err, "tollbook quarantine list shows them.");
}

/* Bytes that a statement gives as digits behind `prefix`. */
static struct bytes
bytes_at(struct run *run, const struct rows *rows, int row, int column, const char *prefix)
{
	const char *hex = row_text(rows, row, column);
	size_t skipped = strlen(prefix), length = (row_length(rows, row, column) - skipped) / 2;
	char *bytes = arena_take(&run->arena, length + 1);

	must(strncmp(hex, prefix, skipped) == 0);
	digest_unhex(hex + skipped, length, (unsigned char *)bytes);
	return (struct bytes){bytes, length};
}

static struct bytes
raw_of(struct run *run, const struct rows *row)
{
	return bytes_at(run, row, 0, ROW_RAW, "\\x");
}

static bool
is_message(const struct rows *row)
{
	return !row_is_null(row, 0, ROW_TOPIC);
}

/* Key and headers of a message; *out is NULL for a record of a file. */
static bool
get_envelope(struct run *run, const struct rows *row, const struct envelope **out, struct error *err)
{
	struct envelope *envelope = arena_take(&run->arena, sizeof *envelope);
	struct message_header *headers;
	struct rows parts;

	*out = NULL;
	if (!is_message(row))
		return true;
	if (!db_rows(run->db, SQL_INGEST_QUARANTINE_HEADERS, PARAMS(row_text(row, 0, ROW_ID)), &parts, err))
		return false;
	headers = arena_take(&run->arena, (size_t)(parts.count / 2 + 1) * sizeof *headers);
	for (int i = 0; i < parts.count / 2; i++)
		headers[i] = (struct message_header){.name = bytes_at(run, &parts, 2 * i, 0, ""),
		    .value = bytes_at(run, &parts, 2 * i + 1, 0, ""),
		    .has_value = !row_is_null(&parts, 2 * i + 1, 0)};
	*envelope = (struct envelope){.key = bytes_at(run, row, 0, ROW_KEY, ""),
	    .has_key = !row_is_null(row, 0, ROW_KEY),
	    .headers = headers,
	    .header_count = (size_t)(parts.count / 2)};
	rows_release(&parts);
	*out = envelope;
	return true;
}

static const char *
what_can_be_done(enum reason reason)
{
	switch (reason_release(reason)) {
	case RELEASE_WAIVE:
		return "release it, if it is right as it stands; or discard it and send a corrected event";
	case RELEASE_RETRY:
		return "release it when its cause is gone (an event that has arrived since, a meter known since); or discard it";
	case RELEASE_NEVER:
		break;
	}
	/* Only where the key is booked already is it taken. */
	if (reason == E_KEY_CONFLICT)
		return "discard it; if it is other usage, send it under a key of its own, if it is what was meant, send a "
		       "correction";
	return "discard it and send a corrected event; its key was not taken";
}

/* Bytes as they came may steer a terminal: control bytes are shown, not sent. */
static void
print_bytes(struct bytes bytes)
{
	for (size_t i = 0; i < bytes.length; i++) {
		unsigned char byte = (unsigned char)bytes.at[i];

		if (byte < 0x20 || byte == 0x7f)
			printf("\\x%02x", byte);
		else
			putchar(byte);
	}
}

static void
print_part(struct bytes part, bool is_stated)
{
	struct bytes shown = bytes_clipped(part);

	print_bytes(shown);
	if (shown.length < part.length)
		printf("... (%zu bytes)", part.length);
	if (!is_stated)
		printf("(null)");
}

static void
show_place(const struct rows *row)
{
	if (!is_message(row)) {
		printf("record    %s of %s\n", row_text(row, 0, ROW_RECORD), row_text(row, 0, ROW_SOURCE));
		return;
	}
	printf("cluster   %s\n", row_text(row, 0, ROW_CLUSTER));
	printf("topic     %s\n", row_text(row, 0, ROW_TOPIC));
	printf("partition %s\n", row_text(row, 0, ROW_PARTITION));
	printf("offset    %s\n", row_text(row, 0, ROW_RECORD));
}

static void
show_envelope(const struct envelope *envelope)
{
	printf("key       ");
	print_part(envelope->key, envelope->has_key);
	putchar('\n');
	for (size_t i = 0; i < envelope->header_count; i++) {
		printf("header    ");
		print_part(envelope->headers[i].name, true);
		printf(": ");
		print_part(envelope->headers[i].value, envelope->headers[i].has_value);
		putchar('\n');
	}
}

/* Under which usage format it was read: its name, and what was said beside the one it extends. */
static void
show_format(const struct rows *row)
{
	struct arena arena = {0};
	const char *text = format_profile(row_text(row, 0, ROW_FORMAT), &arena);

	if (text != NULL) {
		printf("format    ");
		print_bytes(bytes_of(text));
		putchar('\n');
	}
	arena_release(&arena);
}

static void
show_row(const struct rows *row, const struct envelope *envelope, struct bytes raw)
{
	enum reason reason = reason_find(row_text(row, 0, ROW_CODE));

	show_place(row);
	printf("outcome   %s, %s: %s\n", row_text(row, 0, ROW_OUTCOME), row_text(row, 0, ROW_CODE), reason_meaning(reason));
	printf("field     %s\n", row_text(row, 0, ROW_FIELD));
	printf("value     %s\n", row_text(row, 0, ROW_VALUE));
	printf("state     %s\n", row_text(row, 0, ROW_STATE));
	if (!row_is_null(row, 0, ROW_WHY))
		printf("because   %s (%s)\n", row_text(row, 0, ROW_WHY), row_text(row, 0, ROW_BY));
	else
		printf("remedy    %s\n", what_can_be_done(reason));
	show_format(row);
	if (envelope != NULL)
		show_envelope(envelope);
	printf("bytes     %s%s\n", row_text(row, 0, ROW_LENGTH),
	    (int64_t)raw.length < row_number(row, 0, ROW_LENGTH) ? ", of which the beginning is kept" : "");
	print_bytes(raw);
	putchar('\n');
}

static bool
show(struct run *run, struct error *err)
{
	const struct envelope *envelope;
	struct rows row;
	bool fine;

	if (!get(run, run->operands[0], &row, err))
		return false;
	fine = get_envelope(run, &row, &envelope, err);
	if (fine)
		show_row(&row, envelope, raw_of(run, &row));
	rows_release(&row);
	return fine;
}

static bool
need_reason(struct run *run, const char **reason, struct error *err)
{
	*reason = option_value(run, "reason");
	if (*reason != NULL && (*reason)[0] != '\0')
		return true;
	error_set(err, ERROR_USAGE, "%s needs --reason", run->command->name);
	return error_hint(err, "Say why in words that will be understood in a year; it goes into the audit log.");
}

static bool
need_open(const struct rows *row, struct error *err)
{
	if (row_is_null(row, 0, ROW_WHY))
		return true;
	error_set(err, ERROR_STATE, "record %s was %s before", row_text(row, 0, ROW_ID), row_text(row, 0, ROW_STATE));
	return error_detail(err, "By %s: %s", row_text(row, 0, ROW_BY), row_text(row, 0, ROW_WHY));
}

static bool
resolve(struct run *run, const char *id, const char *action, const char *batch, const char *reason, struct error *err)
{
	return db_change(run->db, SQL_INGEST_QUARANTINE_RESOLVE,
		   PARAMS(id, action, batch, reason, run->by, param_instant(&run->arena, run->now)), 1, err) &&
	    audit_add(run,
		&(struct audit){.action = arena_format(&run->arena, "quarantine %s", action),
		    .subject = arena_format(&run->arena, "quarantine %s", id),
		    .reason = reason,
		    .before = "open",
		    .after = action},
		err);
}

static bool
end_transaction(struct run *run, bool fine, struct error *err)
{
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}

static bool
discard_one(struct run *run, const char *id, const char *reason, struct error *err)
{
	struct rows row;
	bool fine;

	if (!get(run, id, &row, err))
		return false;
	fine = need_open(&row, err) && db_begin(run->db, err) &&
	    end_transaction(run, resolve(run, id, "discarded", NULL, reason, err), err);
	rows_release(&row);
	if (fine)
		printf("%s: %s\n", id, run->dry_run ? "would be discarded" : "discarded");
	return fine;
}

static bool
discard(struct run *run, struct error *err)
{
	const char *reason;

	if (!need_reason(run, &reason, err))
		return false;
	for (int i = 0; i < run->operand_count; i++)
		if (!discard_one(run, run->operands[i], reason, err))
			return false;
	return true;
}

/* What still stands in the way, told as the record's own fault. */
static bool
still_wrong(const struct record *record, const char *id, struct error *err)
{
	error_set(err, ERROR_STATE, "record %s cannot be released: %s, %s", id, reason_code(record->reason),
	    reason_meaning(record->reason));
	if (record->field != NULL)
		error_field(err, record->field, record->value.at, record->value.length);
	return error_hint(err, "%c%s.", what_can_be_done(record->reason)[0] - 'a' + 'A', what_can_be_done(record->reason) + 1);
}

static bool
booked_before(const char *id, struct error *err)
{
	error_set(err, ERROR_STATE, "record %s cannot be released: its event is in the ledger already", id);
	return error_hint(err, "Nothing is missing: discard it.");
}

static const struct record *
first_fault(const struct batch *batch)
{
	size_t i = 0;

	while (i + 1 < batch->count && batch->records[i].reason == REASON_NONE)
		i++;
	return &batch->records[i];
}

/* Books the batch of one record's events and notes the decision, all in one transaction: a dry run and a refusal leave nothing.  Of
 * several events some may be booked already; then the others are. */
static bool
book(struct run *run, struct batch *batch, const char *id, const char *reason, struct error *err)
{
	struct ledger_writer writer = {0};
	struct ledger_memory *memory;
	struct batch_counts counts;
	int64_t batch_id;
	bool fine;

	batch_close(batch);
	if (!db_begin(run->db, err))
		return false;
	memory = ledger_memory_new(run->filter_mib);
	fine = ledger_writer_open(&writer, run->db, memory, "quarantine", arena_format(&run->arena, "quarantine %s", id),
		   run->now, run->by, err) &&
	    batch_prepare(&writer, batch, err) && batch_append_within(&writer, batch, run->now, &counts, &batch_id, err) &&
	    (counts.accepted > 0 || counts.duplicates == 0 || booked_before(id, err)) &&
	    (counts.accepted + counts.duplicates == counts.records || still_wrong(first_fault(batch), id, err)) &&
	    ledger_writer_finish(&writer, run->now, err) &&
	    resolve(run, id, "released", param_number(&run->arena, batch_id), reason, err);
	fine = end_transaction(run, fine, err);
	ledger_writer_release(&writer);
	ledger_memory_free(memory);
	return fine;
}

/* What the stored bytes are today.  In the batch of its release it is record 1, and comes from no topic. */
static bool
read_again(struct run *run, const struct rows *row, const struct event_rules *rules, struct bytes raw, struct batch *batch,
    struct error *err)
{
	const struct envelope *envelope;
	struct profile_events events;

	if (!get_envelope(run, row, &envelope, err) ||
	    !record_parse(row_text(row, 0, ROW_FORMAT), rules, raw, envelope, (uint64_t)row_number(row, 0, ROW_RECORD),
		&batch->arena, &events, err))
		return false;
	for (size_t i = 0; i < events.count; i++) {
		struct record *record = batch_add(batch);

		*record = events.records[i];
		record->raw = raw;
		record->raw_length = raw.length;
		record->number = 1;
		record->envelope = NULL;
	}
	return true;
}

/* Of a very long record only the beginning is kept. */
static bool
need_whole(const struct rows *row, struct bytes raw, struct error *err)
{
	if ((int64_t)raw.length == row_number(row, 0, ROW_LENGTH))
		return true;
	error_set(err, ERROR_STATE, "record %s cannot be released: of its %s bytes %zu are kept", row_text(row, 0, ROW_ID),
	    row_text(row, 0, ROW_LENGTH), raw.length);
	return error_hint(
	    err, "Discard it, and send the usage that it has again, as a CloudEvent: that is short enough to be kept whole.");
}

/* Whether any of it may be released; what stands in the way is told as the record's own fault. */
static bool
need_releasable(enum reason code, const char *id, struct error *err)
{
	return reason_release(code) != RELEASE_NEVER || still_wrong(&(struct record){.reason = code}, id, err);
}

static bool
release_row(struct run *run, const struct rows *row, const char *reason, struct error *err)
{
	enum reason code = reason_find(row_text(row, 0, ROW_CODE));
	const char *id = row_text(row, 0, ROW_ID);
	struct event_rules rules = event_rules_default(run->now);
	struct bytes raw = raw_of(run, row);
	struct batch batch = {.format = row_text(row, 0, ROW_FORMAT), .next_position = raw.length};
	bool fine;

	if (!need_open(row, err) || !need_releasable(code, id, err) || !need_whole(row, raw, err))
		return false;
	if (reason_release(code) == RELEASE_WAIVE)
		rules.waived = code;
	fine = read_again(run, row, &rules, raw, &batch, err);
	if (fine)
		fine = first_fault(&batch)->reason == REASON_NONE ? book(run, &batch, id, reason, err)
								  : still_wrong(first_fault(&batch), id, err);
	batch_release(&batch);
	return fine;
}

static bool
release(struct run *run, struct error *err)
{
	const char *reason;

	if (!need_reason(run, &reason, err))
		return false;
	for (int i = 0; i < run->operand_count; i++) {
		struct rows row;
		bool fine;

		if (!get(run, run->operands[i], &row, err))
			return false;
		fine = release_row(run, &row, reason, err);
		rows_release(&row);
		if (!fine)
			return false;
		printf("%s: %s\n", run->operands[i], run->dry_run ? "would be released" : "released");
	}
	return true;
}
