/* cmd_status.c -- `tollbook status`: what is in, until when, from where, and what waits. */
#include "base/table.h"

static bool status(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"sources", NULL, "a row for each source that was read, instead of the summary", 's'},
    {"partitions", NULL, "a row for each partition of a Kafka topic, instead of the summary", 'p'},
    {0},
};

const struct command cmd_status = {
    .name = "status",
    .summary = "say what is in the ledger, until when, from where, and what waits for somebody",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook status\n  tollbook status --sources --format json\n  tollbook status --partitions",
    .run = status,
};

static const struct column summary[] = {{"fact", "fact", COLUMN_TEXT}, {"value", "value", COLUMN_TEXT}, {0}};

static const struct column sources[] = {{"kind", "kind", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
    {"opened_at", "opened at", COLUMN_TEXT}, {"records", "records", COLUMN_NUMBER}, {"accepted", "accepted", COLUMN_NUMBER},
    {"duplicates", "duplicates", COLUMN_NUMBER}, {"ignored", "ignored", COLUMN_NUMBER},
    {"quarantined", "quarantined", COLUMN_NUMBER}, {"rejected", "rejected", COLUMN_NUMBER}, {"bytes", "bytes", COLUMN_NUMBER},
    {"finished", "finished", COLUMN_TEXT}, {0}};

static const struct column partitions[] = {{"topic", "topic", COLUMN_TEXT}, {"partition", "partition", COLUMN_NUMBER},
    {"position", "position", COLUMN_NUMBER}, {"end", "end", COLUMN_NUMBER}, {"behind", "behind", COLUMN_NUMBER},
    {"behind_seconds", "behind s", COLUMN_NUMBER}, {"held_back", "held back", COLUMN_NUMBER},
    {"held_seconds", "held s", COLUMN_NUMBER}, {"records", "records", COLUMN_NUMBER}, {"duplicates", "duplicates", COLUMN_NUMBER},
    {"set_aside", "set aside", COLUMN_NUMBER}, {"last_batch", "last batch", COLUMN_NUMBER}, {"last_batch_at", "at", COLUMN_TEXT},
    {"seen_at", "end seen at", COLUMN_TEXT}, {"incident", "incident", COLUMN_TEXT}, {"owner", "owner", COLUMN_TEXT}, {0}};

static bool
status(struct run *run, struct error *err)
{
	const struct column *columns = summary;
	struct params params = NO_PARAMS;
	enum statement_id statement = SQL_LEDGER_STATUS;
	const char *none = "nothing was ingested yet";
	const char *now[] = {param_instant(&run->arena, run->now)};
	struct table *table;
	struct rows rows;

	if (option_value(run, "sources") != NULL) {
		columns = sources;
		statement = SQL_LEDGER_STATUS_SOURCES;
	} else if (option_value(run, "partitions") != NULL) {
		columns = partitions;
		statement = SQL_LEDGER_STATUS_PARTITIONS;
		params = (struct params){now, 1};
		none = "no Kafka topic was read yet";
	}
	if (!db_rows(run->db, statement, params, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, none);
	table_free(table);
	rows_release(&rows);
	return true;
}
