/* cmd_status.c -- `tollbook status`: the one screen that says how fresh and how complete the money is. */
#include <string.h>

#include "base/table.h"
#include "nightly/settings.h"
#include "nightly/status.h"

static bool status(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"sources", NULL, "a row for each source that was read, instead", 0},
    {"partitions", NULL, "a row for each partition of a Kafka topic, instead", 'p'},
    {"metrics-file", "FILE", "write the same facts for Prometheus (node exporter's textfile collector), too", 0},
    SETTINGS_OPTION,
    {0},
};

const struct command cmd_status = {
    .name = "status",
    .summary = "say how complete the ledger is, what is not rated, held, billed or paid, and how the last night went",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook status\n  tollbook status --sources --format json\n  tollbook status --partitions\n"
	       "  tollbook status --quiet --metrics-file /var/lib/node_exporter/tollbook.prom",
    .run = status,
};

static const struct column summary[] = {{"group", "group", COLUMN_TEXT}, {"fact", "fact", COLUMN_TEXT}, {"of", "of", COLUMN_TEXT},
    {"value", "value", COLUMN_NUMBER}, {0}};

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
print_rows(struct run *run, enum statement_id statement, struct params params, const struct column *columns, const char *none,
    struct error *err)
{
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, statement, params, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, none);
	table_free(table);
	rows_release(&rows);
	return true;
}

/* Names for programs stay as they are; people read words, and a group's name once. */
static void
print_name(struct table *table, const struct run *run, const char *name)
{
	struct text words = {0};

	text_add_string(&words, name);
	for (size_t i = 0; run->format == FORMAT_TABLE && i < words.length; i++)
		if (words.bytes[i] == '_')
			words.bytes[i] = ' ';
	table_cell(table, text_string(&words));
	text_release(&words);
}

static void
print_status(struct run *run, const struct status *facts)
{
	struct table *table = table_new(summary);
	const char *group = "";

	for (size_t i = 0; i < facts->count; i++) {
		const struct status_fact *fact = &facts->facts[i];
		const char *value = status_value(&run->arena, fact);
		bool again = run->format == FORMAT_TABLE && strcmp(group, fact->kind->group) == 0;

		group = fact->kind->group;
		table_row(table);
		table_cell(table, again ? "" : group);
		print_name(table, run, fact->kind->fact);
		table_cell(table, fact->label);
		table_cell(table, value == NULL && run->format == FORMAT_TABLE ? "-" : value);
	}
	table_print(table, run, "");
	table_free(table);
}

static bool
show_status(struct run *run, struct error *err)
{
	const char *metrics = option_value(run, "metrics-file");
	struct config *config;
	struct status facts;
	bool fine;

	if (!settings_open(run, &config, err))
		return false;
	fine = status_read(run, config, &facts, err);
	config_free(config);
	if (!fine)
		return false;
	print_status(run, &facts);
	fine = metrics == NULL || status_write_metrics(&facts, metrics, err);
	status_release(&facts);
	return fine;
}

static bool
status(struct run *run, struct error *err)
{
	if (option_value(run, "sources") != NULL)
		return print_rows(run, SQL_NIGHTLY_STATUS_SOURCES, NO_PARAMS, sources, "nothing was ingested yet", err);
	if (option_value(run, "partitions") != NULL)
		return print_rows(run, SQL_NIGHTLY_STATUS_PARTITIONS, PARAMS(param_instant(&run->arena, run->now)), partitions,
		    "no Kafka topic was read yet", err);
	return show_status(run, err);
}
