/* night_run.c -- see night_run.h. */
#include "nightly/night_run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/table.h"
#include "base/zone.h"

const struct night_stage night_stages[] = {
    {"apply", night_apply, false},
    {"ingest", night_ingest, false},
    {"rate", night_rate, false},
    {"draft", night_draft, false},
    {"park", night_park, false},
    {"finalize", night_finalize, false},
    {"documents", night_documents, false},
    {"reconcile", night_reconcile, false},
    {"publish", night_publish, true},
    {NULL, NULL, false},
};

/* --- alone ----------------------------------------------------------------------------------- */

/* A job that was killed has its session until the server has noticed: that is waited for, not another job. */
static bool
take_lock(struct run *run, bool *alone, struct error *err)
{
	enum { WAIT_MS = 5000, RETRY_MS = 250 };
	int64_t deadline = clock_ms() + WAIT_MS;
	struct rows rows;

	for (;;) {
		if (!db_one_row(run->db, SQL_NIGHTLY_JOB_LOCK, NO_PARAMS, &rows, err))
			return false;
		*alone = row_bool(&rows, 0, 0);
		rows_release(&rows);
		if (*alone || clock_ms() > deadline)
			return true;
		clock_wait(RETRY_MS);
	}
}

bool
night_lock(struct run *run, struct error *err)
{
	struct rows rows;
	bool alone;
	int64_t fence;

	if (!take_lock(run, &alone, err))
		return false;
	if (!alone) {
		error_set(err, ERROR_BUSY, "another nightly run is active on this database");
		return error_hint(err, "Let it end; tollbook status says how far it is.");
	}
	if (!db_change(run->db, SQL_NIGHTLY_FENCE_RIVALS_END, NO_PARAMS, -1, err) ||
	    !db_one_row(run->db, SQL_NIGHTLY_FENCE_TAKE, NO_PARAMS, &rows, err))
		return false;
	fence = row_number(&rows, 0, 0);
	rows_release(&rows);
	return db_fence(run->db, fence, err);
}

/* --- which nights ---------------------------------------------------------------------------- */

static bool
check_date(const char *date, struct error *err)
{
	struct instant midnight;

	if (date == NULL || (strlen(date) == strlen("YYYY-MM-DD") && instant_option(date, &midnight, err)))
		return true;
	error_set(err, ERROR_USAGE, "--date is a day, YYYY-MM-DD, not \"%s\"", date);
	return error_hint(err, "For example: --date 2026-11-03");
}

/* Columns of night_target.sql. */
enum target_column { TARGET_NIGHT, TARGET_IS_TO_COME, TARGET_DONE, TARGET_BEGUN, TARGET_AHEAD };

/* Somebody's clock was wrong, then or now.  "Done already" would be said, and believed, until that night comes. */
static bool
check_ahead(const struct rows *target, const char *date, struct error *err)
{
	if (date != NULL || row_is_null(target, 0, TARGET_AHEAD))
		return true;
	error_set(
	    err, ERROR_STATE, "the night of %s was run, and has not come yet by this clock", row_text(target, 0, TARGET_AHEAD));
	return error_hint(
	    err, "Put the clock right.  If it was ahead that night: no night before that one is run by itself any more.");
}

static bool
find_target(struct run *run, const struct config *config, const char *date, const char **night, bool *done, struct error *err)
{
	struct rows rows;
	bool to_come, fine;

	if (!db_one_row(run->db, SQL_NIGHTLY_NIGHT_TARGET,
		PARAMS(date, param_instant(&run->arena, run->now), config_text(config, "night.at"),
		    config_text(config, "night.zone")),
		&rows, err))
		return false;
	*night = arena_copy(&run->arena, row_text(&rows, 0, TARGET_NIGHT), row_length(&rows, 0, TARGET_NIGHT));
	to_come = row_bool(&rows, 0, TARGET_IS_TO_COME);
	*done = (!row_is_null(&rows, 0, TARGET_DONE) && strcmp(*night, row_text(&rows, 0, TARGET_DONE)) <= 0) ||
	    (!row_is_null(&rows, 0, TARGET_BEGUN) && strcmp(*night, row_text(&rows, 0, TARGET_BEGUN)) < 0);
	fine = check_ahead(&rows, date, err);
	rows_release(&rows);
	if (!fine || !to_come)
		return fine;
	error_set(err, ERROR_USAGE, "the night of %s has not come yet", *night);
	return error_hint(err, "It comes at %s, %s; --as-of says that it is another time.", config_text(config, "night.at"),
	    config_text(config, "night.zone"));
}

/* Columns of nights.sql. */
enum night_column { NIGHT_DATE, NIGHT_AT, NIGHT_CAUGHT_UP, NIGHT_BEFORE };

/* What is dated with a night must not lie before what the last one wrote. */
static bool
check_rises(const struct rows *nights, int row, struct error *err)
{
	char at[INSTANT_TEXT], before[INSTANT_TEXT];

	if (row_is_null(nights, row, NIGHT_BEFORE) || row_number(nights, row, NIGHT_BEFORE) < row_number(nights, row, NIGHT_AT))
		return true;
	error_set(err, ERROR_STATE, "the night of %s would be at %s, but the one before it was at %s",
	    row_text(nights, row, NIGHT_DATE), instant_format(row_instant(nights, row, NIGHT_AT), at),
	    instant_format(row_instant(nights, row, NIGHT_BEFORE), before));
	return error_hint(err, "Set night.at and night.zone so that it is later.");
}

bool
nights_due(
    struct run *run, const struct config *config, const char *date, struct night_due **out, size_t *count, struct error *err)
{
	const char *night;
	struct rows rows;
	bool done, fine = true;

	*count = 0;
	if (!check_date(date, err) || !find_target(run, config, date, &night, &done, err))
		return false;
	if (done)
		return true;
	if (!db_rows(run->db, SQL_NIGHTLY_NIGHTS,
		PARAMS(night, config_text(config, "night.at"), config_text(config, "night.zone")), &rows, err))
		return false;
	*out = arena_take(&run->arena, (size_t)rows.count * sizeof **out);
	for (int i = 0; fine && i < rows.count; i++) {
		fine = check_rises(&rows, i, err);
		(*out)[(*count)++] =
		    (struct night_due){arena_copy(&run->arena, row_text(&rows, i, NIGHT_DATE), row_length(&rows, i, NIGHT_DATE)),
			row_instant(&rows, i, NIGHT_AT), row_bool(&rows, i, NIGHT_CAUGHT_UP)};
	}
	rows_release(&rows);
	return fine;
}

/* --- steps ----------------------------------------------------------------------------------- */

static const char *
clock_param(struct run *run)
{
	return param_instant(&run->arena, instant_now());
}

/* A line for each step; what it says of itself for machines too. */
static void
log_step(struct night *night, const char *step, const char *told, const char *json, int64_t milliseconds)
{
	struct run *run = night->run;
	char now[INSTANT_TEXT];
	struct text line = {0};

	if (!run->log_json) {
		say(run, "night %s  %-9s  %s  (%lld.%03lld s)", night->date, step, told, (long long)(milliseconds / 1000),
		    (long long)(milliseconds % 1000));
		return;
	}
	if (run->quiet)
		return;
	text_add_format(&line,
	    "{\"time\":\"%s\",\"level\":\"info\",\"run\":%lld,\"night\":\"%s\",\"step\":\"%s\",\"milliseconds\":%lld,"
	    "\"message\":",
	    instant_format(instant_now(), now), (long long)run->night_run, night->date, step, (long long)milliseconds);
	text_add_json(&line, told);
	text_add_format(&line, ",\"result\":{%s}}\n", json);
	(void)fputs(text_string(&line), stderr);
	text_release(&line);
}

/* Somebody who books at the same moment is waited for. */
static bool
do_step(struct night *night, const struct night_stage *stage, struct night_told *told, struct error *err)
{
	enum { RETRY_MS = 500 };
	int64_t deadline = clock_ms() + 1000 * config_number(night->config, "night.patience_seconds");

	while (!stage->step(night, told, err)) {
		if (err->kind != ERROR_BUSY || error_is_sqlstate(err, FENCED_SQLSTATE) || clock_ms() > deadline)
			return false;
		text_clear(&told->line);
		text_clear(&told->json);
		told->findings = told->differences = false;
		clock_wait(RETRY_MS);
	}
	return true;
}

static void
told_release(struct night_told *told)
{
	text_release(&told->line);
	text_release(&told->json);
}

static bool
step_outcomes(struct run *run, bool *findings, bool *differences, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_NIGHTLY_STEP_OUTCOMES, PARAMS(param_number(&run->arena, run->night_run)), &rows, err))
		return false;
	*findings = row_bool(&rows, 0, 0);
	*differences = row_bool(&rows, 0, 1);
	rows_release(&rows);
	return true;
}

/* *begun is false where the step is done already. */
static bool
begin_step(struct run *run, const struct night_stage *stage, bool *begun, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_STEP_BEGIN,
		PARAMS(param_number(&run->arena, run->night_run), stage->name,
		    param_number(&run->arena, stage - night_stages + 1), clock_param(run)),
		&rows, err))
		return false;
	*begun = rows.count == 1;
	rows_release(&rows);
	return true;
}

static bool
end_step(struct run *run, const struct night_stage *stage, struct night_told *told, struct error *err)
{
	return db_change(run->db, SQL_NIGHTLY_STEP_END,
	    PARAMS(param_number(&run->arena, run->night_run), stage->name, clock_param(run), text_string(&told->line),
		arena_format(&run->arena, "{%s}", text_string(&told->json)), told->findings ? "true" : "false",
		told->differences ? "true" : "false"),
	    1, err);
}

static bool
run_step(struct night *night, const struct night_stage *stage, struct error *err)
{
	struct night_told told = {0};
	int64_t started = clock_ms();
	bool begun, findings, differences, fine;

	if (!begin_step(night->run, stage, &begun, err) || !step_outcomes(night->run, &findings, &differences, err))
		return false;
	if (!begun)
		return true;
	if (stage->needs_agreement && differences) {
		text_add_string(&told.line, "left out: the books do not agree");
		fine = true;
	} else {
		fine = do_step(night, stage, &told, err);
	}
	progress_end(night->run);
	fine = fine && end_step(night->run, stage, &told, err);
	if (fine)
		log_step(night, stage->name, text_string(&told.line), text_string(&told.json), clock_ms() - started);
	else
		error_wrap(err, "night %s, step %s", night->date, stage->name);
	told_release(&told);
	return fine;
}

/* --- the end of a night ---------------------------------------------------------------------- */

static bool
find_outcome(struct run *run, enum night_outcome *out, struct error *err)
{
	struct rows rows;
	bool findings, differences, waiting;

	if (!step_outcomes(run, &findings, &differences, err) || !db_one_row(run->db, SQL_NIGHTLY_WAITING, NO_PARAMS, &rows, err))
		return false;
	waiting = row_bool(&rows, 0, 0);
	rows_release(&rows);
	*out = differences ? NIGHT_DIFFERENCES : findings || waiting ? NIGHT_FINDINGS : NIGHT_DONE;
	return true;
}

/* FOLDER/nights/2026-11-03.json; nothing where no folder is configured. */
static bool
write_manifest(struct night *night, struct text *manifest, struct error *err)
{
	const char *folder = config_text(night->config, "night.documents"), *path;

	if (folder[0] == '\0')
		return true;
	path = arena_format(&night->run->arena, "%s/nights/%s.json", folder, night->date);
	return file_folders(path, err) && file_write(path, manifest->bytes, manifest->length, err);
}

/* The file within the transaction that ends the night: a run that lost its lock replaces nothing. */
static bool
store_manifest(struct night *night, struct instant ended_at, const char *outcome, struct text *manifest, struct error *err)
{
	struct run *run = night->run;

	if (!db_begin(run->db, err))
		return false;
	if (db_change(run->db, SQL_NIGHTLY_NIGHT_END,
		PARAMS(param_number(&run->arena, run->night_run), param_instant(&run->arena, ended_at), outcome,
		    text_string(manifest)),
		1, err) &&
	    write_manifest(night, manifest, err) && db_commit(run->db, err))
		return true;
	db_rollback(run->db);
	return false;
}

static bool
end_night(struct night *night, enum night_outcome *outcome, struct error *err)
{
	static const char *const names[] = {
	    [NIGHT_DONE] = "done", [NIGHT_FINDINGS] = "findings", [NIGHT_DIFFERENCES] = "differences"};
	struct instant ended_at = instant_now();
	struct text manifest = {0};
	bool fine;

	if (!find_outcome(night->run, outcome, err))
		return false;
	fine = night_manifest(night, ended_at, names[*outcome], &manifest, err) &&
	    store_manifest(night, ended_at, names[*outcome], &manifest, err);
	text_release(&manifest);
	return fine || error_wrap(err, "night %s, manifest", night->date);
}

/* --- a night --------------------------------------------------------------------------------- */

static bool
begin_night(struct night *night, const struct night_due *due, struct instant clock, int64_t *attempts, struct error *err)
{
	struct run *run = night->run;
	struct text settings = {0};
	struct rows rows;
	bool fine;

	config_json(night->config, &settings);
	fine = db_one_row(run->db, SQL_NIGHTLY_NIGHT_BEGIN,
	    PARAMS(due->date, param_instant(&run->arena, due->at), due->caught_up ? "true" : "false",
		param_instant(&run->arena, clock), TOLLBOOK_VERSION, text_string(&settings), zone_data_version(&run->arena)),
	    &rows, err);
	text_release(&settings);
	if (!fine)
		return false;
	run->night_run = row_number(&rows, 0, 0);
	night->read_at = row_instant(&rows, 0, 1);
	*attempts = row_number(&rows, 0, 2);
	rows_release(&rows);
	/* What came after it was begun would be in the future by its clock, where it goes on later and had pinned nothing. */
	if (night->caught_up)
		night->until = &run->now;
	else if (clock.us > night->read_at.us)
		night->until = &night->read_at;
	return true;
}

static bool
run_all_steps(struct night *night, struct error *err)
{
	for (const struct night_stage *stage = night_stages; stage->name != NULL; stage++)
		if (!run_step(night, stage, err))
			return false;
	return true;
}

bool
night_run(
    struct run *run, const struct config *config, const struct night_due *due, enum night_outcome *outcome, struct error *err)
{
	/* What is done for the night is done at its instant, and by the job. */
	struct run at_night = *run;
	struct night night = {.run = &at_night, .config = config, .date = due->date, .caught_up = due->caught_up};
	int64_t attempts = 0;
	bool fine;

	at_night.now = due->at;
	at_night.as_of = true;
	at_night.by = "nightly";
	at_night.arena = (struct arena){0};
	fine = begin_night(&night, due, run_clock(run), &attempts, err);
	if (fine && attempts > 1)
		say(&at_night, "night %s  goes on from where it was interrupted, attempt %lld", due->date, (long long)attempts);
	fine = fine && run_all_steps(&night, err) && end_night(&night, outcome, err);
	/* The line that tells why names the run, too. */
	if (!fine)
		run->night_run = at_night.night_run;
	arena_release(&at_night.arena);
	return fine;
}
