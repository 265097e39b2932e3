/* cmd_nightly.c -- `tollbook nightly`: usage in, what is due out, proved; for a machine at two in the morning. */
#include <string.h>

#include "base/table.h"
#include "nightly/night_run.h"
#include "nightly/settings.h"
#include "nightly/status.h"

static bool nightly(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"date", "YYYY-MM-DD", "run this night, and those before it that were missed; default: the newest that has come", 'd'},
    SETTINGS_OPTION,
    {"log", "text|json", "lines for people, or a JSON object a line; default: night.log of the configuration", 0},
    {0},
};

const struct command cmd_nightly = {
    .name = "nightly",
    .summary = "take in usage, rate it, invoice what is due, write documents, prove the books, publish spend",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook nightly --config /etc/tollbook/tollbook.conf\n"
	       "  tollbook nightly --date 2026-11-03 --dry-run\n"
	       "  tollbook nightly --set night.grace_hours=48 --log json",
    .run = nightly,
};

static const char nothing_to_do[] = "nothing to do: the night is done already";

/* --- what would be done ---------------------------------------------------------------------- */

/* Columns of night_due.sql: tenant, period, ends, due, amount charged, currency, how it stands. */
enum due_column { DUE_TENANT, DUE_PERIOD, DUE_ENDS, DUE_AT, DUE_AMOUNT, DUE_CURRENCY, DUE_STATE };

static bool
tell_due(struct run *run, const struct config *config, const struct night_due *night, struct table *table, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_NIGHT_DUE,
		PARAMS(
		    param_instant(&run->arena, night->at), param_number(&run->arena, config_number(config, "night.grace_hours"))),
		&rows, err))
		return false;
	for (int i = 0; i < rows.count; i++) {
		table_row(table);
		table_cell(table, night->date);
		for (int j = 0; j <= DUE_STATE; j++)
			table_cell(table, row_text(&rows, i, j));
	}
	rows_release(&rows);
	return true;
}

static bool
show_plan(struct run *run, const struct config *config, const struct night_due *nights, size_t count, struct error *err)
{
	static const struct column columns[] = {{"night", "night", COLUMN_TEXT}, {"tenant", "tenant", COLUMN_TEXT},
	    {"period", "period", COLUMN_TEXT}, {"ends", "ends", COLUMN_TEXT}, {"due", "due", COLUMN_TEXT},
	    {"charged", "charged so far", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"state", "state", COLUMN_TEXT},
	    {0}};
	struct table *table = table_new(columns);
	bool fine = true;

	if (count == 0)
		run->finding = ERROR_NOTHING;
	for (size_t i = 0; i < count; i++) {
		char at[INSTANT_TEXT];

		say(run, "would run the night of %s, %s%s", nights[i].date, instant_format(nights[i].at, at),
		    nights[i].caught_up ? ", which was missed" : "");
	}
	/* The last one has what those before it had due. */
	if (count > 0)
		fine = tell_due(run, config, &nights[count - 1], table, err);
	if (fine)
		table_print(table, run, count == 0 ? nothing_to_do : "no period is due, of the usage that is rated by now");
	table_free(table);
	return fine;
}

/* --- the nights ------------------------------------------------------------------------------ */

/* The strongest outcome counts: nights before the last are not looked at by anybody else. */
static bool
run_all(struct run *run, const struct config *config, const struct night_due *nights, size_t count, struct error *err)
{
	enum night_outcome worst = NIGHT_DONE, outcome;

	if (count == 0) {
		say(run, "%s", nothing_to_do);
		run->finding = ERROR_NOTHING;
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!night_run(run, config, &nights[i], &outcome, err))
			return false;
		if (outcome > worst)
			worst = outcome;
	}
	if (worst == NIGHT_DIFFERENCES)
		say(run, "the books do not agree: tollbook reconcile shows where; nothing was published");
	run->finding = worst == NIGHT_DIFFERENCES ? ERROR_STATE : worst == NIGHT_FINDINGS ? ERROR_FINDINGS : ERROR_NONE;
	return true;
}

/* A run that lost its lock, or found the books busy for too long, can be gone on with; code 8 is for one that never began. */
static bool
begun_and_failed(struct error *err)
{
	if (err->kind == ERROR_BUSY)
		err->kind = ERROR_AWAY;
	return false;
}

static bool
run_nights(struct run *run, const struct config *config, struct error *err)
{
	const char *date = option_value(run, "date"), *metrics = config_text(config, "night.metrics_file");
	struct night_due *nights;
	struct error why = {0};
	size_t count;
	bool fine;

	if (run->dry_run)
		return nights_due(run, config, date, &nights, &count, err) && show_plan(run, config, nights, count, err);
	if (!night_lock(run, err) || !nights_due(run, config, date, &nights, &count, err))
		return false;
	fine = run_all(run, config, nights, count, err) || begun_and_failed(err);
	/* Whoever watches must see it above all when it failed. */
	if (metrics[0] != '\0' && db_is_open(run->db) && !status_metrics(run, config, metrics, &why))
		say(run, "the metrics were not written: %s", why.message);
	return fine;
}

static bool
read_log(struct run *run, const struct config *config, struct error *err)
{
	const char *log = option_value(run, "log") != NULL ? option_value(run, "log") : config_text(config, "night.log");

	run->log_json = strcmp(log, "json") == 0;
	return run->log_json || strcmp(log, "text") == 0 || error_set(err, ERROR_USAGE, "--log is text or json, not \"%s\"", log);
}

static bool
nightly(struct run *run, struct error *err)
{
	struct config *config;
	bool fine;

	if (!settings_open(run, &config, err))
		return false;
	fine = read_log(run, config, err) && run_nights(run, config, err);
	config_free(config);
	return fine;
}
