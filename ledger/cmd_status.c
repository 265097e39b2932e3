/* cmd_status.c -- `tollbook status`: what is in, until when, from where, and what waits. */
#include "base/table.h"

static bool status(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"sources", NULL, "a row for each source that was read, instead of the summary", 's'},
    {0},
};

const struct command cmd_status = {
    .name = "status",
    .summary = "say what is in the ledger, until when, from where, and what waits for somebody",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook status\n  tollbook status --sources --format json",
    .run = status,
};

static bool
status(struct run *run, struct error *err)
{
	static const struct column summary[] = {{"fact", "fact", COLUMN_TEXT}, {"value", "value", COLUMN_TEXT}, {0}};
	static const struct column sources[] = {{"kind", "kind", COLUMN_TEXT}, {"name", "name", COLUMN_TEXT},
	    {"opened_at", "opened at", COLUMN_TEXT}, {"records", "records", COLUMN_NUMBER},
	    {"accepted", "accepted", COLUMN_NUMBER}, {"duplicates", "duplicates", COLUMN_NUMBER},
	    {"ignored", "ignored", COLUMN_NUMBER}, {"quarantined", "quarantined", COLUMN_NUMBER},
	    {"rejected", "rejected", COLUMN_NUMBER}, {"bytes", "bytes", COLUMN_NUMBER}, {"finished", "finished", COLUMN_TEXT},
	    {0}};
	bool by_source = option_value(run, "sources") != NULL;
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, by_source ? SQL_LEDGER_STATUS_SOURCES : SQL_LEDGER_STATUS, NO_PARAMS, &rows, err))
		return false;
	table = table_new(by_source ? sources : summary);
	table_rows(table, &rows);
	table_print(table, run, "nothing was ingested yet");
	table_free(table);
	rows_release(&rows);
	return true;
}
