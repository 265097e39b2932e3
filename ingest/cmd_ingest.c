/* cmd_ingest.c -- `tollbook ingest`: usage files into the ledger. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "ingest/format_option.h"
#include "ingest/intake.h"

static bool ingest(struct run *run, struct error *err);

enum { DEFAULT_BATCH_RECORDS = 100000, DEFAULT_LATE_DAYS = 400 };

static const struct option_spec options[] = {
    FORMAT_OPTIONS,
    {"mapping", "FILE", "read CSV, by this mapping of columns to fields (docs/formats.md)", 'm'},
    {"source", "NAME", "the producer, for records that do not name one; default: /short", 0},
    {"key-from-position", NULL, "records without an idempotency key get the file's SHA-256 and their number", 0},
    {"growing", NULL, "the file is still being written: leave a last line without its end for the next time", 0},
    {"late-days", "N", "set usage aside that is older than this; default: 400", 0},
    {"batch-records", "N", "records of one transaction; default: 100000", 0},
    {"outcomes", "FILE", "write a CSV row for each record: number, outcome, code, flags, field (- for standard output)", 0},
    {0},
};

const struct command cmd_ingest = {
    .name = "ingest",
    .summary = "append usage from files to the metered ledger, each event once",
    .operands = "FILE...|-",
    .operands_min = 1,
    .operands_max = -1,
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook ingest usage-2026-10-*.ndjson.gz\n"
	       "  tollbook ingest --mapping gateway.json usage.csv\n"
	       "  tollbook ingest --format vllm.chat --constant tenant=acct_1 --field id=request_id answers.ndjson\n"
	       "  zcat usage.ndjson.gz | tollbook ingest -",
    .run = ingest,
};

static const struct column columns[] = {
    {"file", "file", COLUMN_TEXT},
    {"records", "records", COLUMN_NUMBER},
    {"accepted", "accepted", COLUMN_NUMBER},
    {"duplicates", "duplicates", COLUMN_NUMBER},
    {"ignored", "ignored", COLUMN_NUMBER},
    {"quarantined", "quarantined", COLUMN_NUMBER},
    {"rejected", "rejected", COLUMN_NUMBER},
    {0},
};

/* Where --outcomes goes; under its final name only when complete. */
struct outcomes {
	FILE *file;
	const char *path;
	struct text temporary;
};

static bool
outcomes_fail(struct outcomes *outcomes, struct error *err)
{
	error_set(err, ERROR_AWAY, "the outcomes file could not be written: %s", strerror(errno));
	return error_at(err, outcomes->path, 0);
}

static bool
outcomes_close(struct outcomes *outcomes, bool fine, struct error *err)
{
	const char *temporary = text_string(&outcomes->temporary);

	if (outcomes->file != NULL && outcomes->file != stdout) {
		bool closed = fflush(outcomes->file) == 0 && fsync(fileno(outcomes->file)) == 0;

		closed = fclose(outcomes->file) == 0 && closed;
		if (fine && (!closed || rename(temporary, outcomes->path) != 0))
			fine = outcomes_fail(outcomes, err);
		if (!fine)
			(void)remove(temporary);
	}
	text_release(&outcomes->temporary);
	return fine;
}

static bool
outcomes_open(struct outcomes *outcomes, const char *path, struct error *err)
{
	*outcomes = (struct outcomes){.path = path};
	if (path == NULL)
		return true;
	text_add_format(&outcomes->temporary, "%s.part", path);
	outcomes->file = strcmp(path, "-") == 0 ? stdout : fopen(text_string(&outcomes->temporary), "w");
	if (outcomes->file != NULL && fputs("record,outcome,code,flags,field\r\n", outcomes->file) >= 0)
		return true;
	(void)outcomes_fail(outcomes, err);
	return outcomes_close(outcomes, false, err);
}

static bool
outcomes_write(void *context, const struct batch *batch, struct error *err)
{
	static const char *const names[] = {[OUTCOME_ACCEPTED] = "accepted",
	    [OUTCOME_DUPLICATE] = "duplicate",
	    [OUTCOME_IGNORED] = "ignored",
	    [OUTCOME_QUARANTINED] = "quarantined",
	    [OUTCOME_REJECTED] = "rejected"};
	struct outcomes *outcomes = context;
	char flags[512];

	for (size_t i = 0; i < batch->count; i++) {
		const struct record *record = &batch->records[i];
		bool has_flags = record->outcome == OUTCOME_ACCEPTED || record->outcome == OUTCOME_DUPLICATE;

		if (fprintf(outcomes->file, "%llu,%s,%s,\"%s\",%s\r\n", (unsigned long long)record->number,
			names[record->outcome], reason_code(record->reason),
			has_flags ? flags_format(record->event.flags, flags, sizeof flags) : "",
			record->field == NULL ? "" : record->field) < 0)
			return outcomes_fail(outcomes, err);
	}
	return true;
}

static void
add_result(struct table *table, const char *file, const struct intake_result *result)
{
	const int64_t numbers[] = {result->counts.records, result->counts.accepted, result->counts.duplicates,
	    result->counts.ignored, result->counts.quarantined, result->counts.rejected};

	table_row(table);
	table_cell(table, file);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		table_cell_format(table, "%lld", (long long)numbers[i]);
}

/* Both say what a record is. */
static bool
check_pair(const struct run *run, struct error *err)
{
	if (option_value(run, "mapping") == NULL || option_value(run, "format") == NULL)
		return true;
	error_set(err, ERROR_USAGE, "--mapping and --format exclude each other");
	return error_hint(
	    err, "--mapping reads CSV, --format NAME reads JSON of a usage format; table, json or csv is how rows are printed.");
}

static bool
read_options(struct run *run, struct reader_options *out, struct intake_limits *limits, struct error *err)
{
	int64_t late_days, records;

	if (!check_pair(run, err) || !option_number(run, "late-days", 1, 100000, DEFAULT_LATE_DAYS, &late_days, err) ||
	    !option_number(run, "batch-records", 1, 1000000, DEFAULT_BATCH_RECORDS, &records, err))
		return false;
	*limits = (struct intake_limits){.records = (size_t)records, .bytes = INTAKE_BATCH_BYTES};
	*out = (struct reader_options){.mapping_path = option_value(run, "mapping"),
	    .growing = option_value(run, "growing") != NULL,
	    .key_from_position = option_value(run, "key-from-position") != NULL};
	out->rules = event_rules_default(run->now);
	out->rules.late_days = (int)late_days;
	if (option_value(run, "source") != NULL)
		out->rules.default_source = option_value(run, "source");
	return true;
}

static bool
ingest_by(struct run *run, const struct profile *profile, struct error *err)
{
	struct reader_options reader_options;
	struct intake_limits limits;
	struct ledger_memory *memory;
	struct outcomes outcomes;
	struct table *table;
	bool fine;

	if (!read_options(run, &reader_options, &limits, err) || !outcomes_open(&outcomes, option_value(run, "outcomes"), err))
		return false;
	reader_options.profile = profile;
	table = table_new(columns);
	memory = ledger_memory_new(run->filter_mib);
	fine = true;
	for (int i = 0; fine && i < run->operand_count; i++) {
		struct intake_result result;

		fine = intake_file(run, memory, run->operands[i], &reader_options, limits,
		    outcomes.file == NULL ? NULL : outcomes_write, &outcomes, &result, err);
		/* Of a file that could not be opened there is nothing to tell but the error. */
		if (fine || result.counts.records > 0)
			add_result(table, run->operands[i], &result);
		intake_say(run, &result);
	}
	ledger_memory_free(memory);
	fine = outcomes_close(&outcomes, fine, err);
	if (outcomes.path == NULL || strcmp(outcomes.path, "-") != 0)
		table_print(table, run, "nothing read");
	table_free(table);
	return fine;
}

static bool
ingest(struct run *run, struct error *err)
{
	struct profile *profile;
	bool fine;

	if (!format_option_open(run, &profile, err))
		return false;
	fine = ingest_by(run, profile, err);
	profile_free(profile);
	return fine;
}
