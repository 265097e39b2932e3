/*
 * night_files.c -- usage from folders; see night_sources.h.
 *
 * A unit is a file, "SOURCE NAME", planned as "SIZE NANOSECONDS-OF-LAST-CHANGE".  A file that a night has read to its end is left
 * alone as long as it has this size and time; one that could not be read to its end is tried again each night.  While it is being
 * read, its unit's result is how far it is: {"position":...} and what is counted.  A unit "SOURCE" says that it is planned.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/document.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/table.h"
#include "ingest/mapping.h"
#include "ledger/night_unit.h"
#include "nightly/night_sources.h"

static const char step[] = "ingest";

enum { PLANNED_MOST = 100000, PLANNED_AT_ONCE = 5000, PLAN_TEXT = 64 };

struct folder_source {
	struct night *night;
	const char *name, *folder, *pattern, *mapping;
	struct profile *profile; /* or NULL; opened when files are taken */
	struct ledger_memory *memory;
};

static struct folder_source
source_of(struct night *night, const char *name)
{
	const struct config *config = night->config;

	return (struct folder_source){.night = night,
	    .name = name,
	    .folder = config_named(config, "source", name, "folder"),
	    .pattern = config_named(config, "source", name, "pattern"),
	    .mapping = config_named(config, "source", name, "mapping")};
}

/* --- what there is ------------------------------------------------------------------------------- */

static const char *
plan_of(const struct stat *file, char out[PLAN_TEXT])
{
	snprintf(
	    out, PLAN_TEXT, "%lld %lld%09ld", (long long)file->st_size, (long long)file->st_mtim.tv_sec, file->st_mtim.tv_nsec);
	return out;
}

static bool
ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

static bool
is_wanted(const struct folder_source *source, const char *name)
{
	return name[0] != '.' && !ends_with(name, ".part") && !ends_with(name, ".tmp") && fnmatch(source->pattern, name, 0) == 0;
}

static bool
is_in_time(const struct night *night, const struct stat *file)
{
	const int64_t second = 1000000;

	if (night->until == NULL)
		return true;
	if (file->st_mtim.tv_sec != night->until->us / second)
		return file->st_mtim.tv_sec < night->until->us / second;
	return file->st_mtim.tv_nsec / 1000 < night->until->us % second;
}

/* --- planning ------------------------------------------------------------------------------------ */

/* Files found and not yet asked about. */
struct found {
	const struct folder_source *source;
	struct arena arena;
	const char *units[PLANNED_AT_ONCE], *plans[PLANNED_AT_ONCE];
	size_t count;
	int64_t planned;
};

static bool
plan_found(struct found *found, struct error *err)
{
	struct run *run = found->source->night->run;
	struct text units = {0}, plans = {0};
	struct rows rows;
	bool fine;

	if (found->count == 0)
		return true;
	text_add_elements(&units, found->units, found->count);
	text_add_elements(&plans, found->plans, found->count);
	fine = db_one_row(run->db, SQL_NIGHTLY_FILES_PLAN,
	    PARAMS(param_number(&found->arena, run->night_run), text_string(&units), text_string(&plans)), &rows, err);
	if (fine) {
		found->planned += row_number(&rows, 0, 0);
		rows_release(&rows);
	}
	text_release(&units);
	text_release(&plans);
	arena_reset(&found->arena);
	found->count = 0;
	if (!fine || found->planned <= PLANNED_MOST)
		return fine;
	error_set(err, ERROR_INPUT, "the folder has more than %d files that no night has read", PLANNED_MOST);
	error_at(err, found->source->folder, 0);
	return error_hint(err, "Move some of them elsewhere until the next night, or join them: a file may be large.");
}

/* Nobody forgets it: it is told each night. */
static bool
leave_out(const struct folder_source *source, const char *name, const char *why, struct error *err)
{
	struct text unit = {0}, result = {0};
	bool fine;

	text_add_format(&unit, "%s ", source->name);
	text_add_printable(&unit, name);
	text_add_string(&result, "{\"error\":");
	text_add_json(&result, why);
	text_add_string(&result, "}");
	say(source->night->run, "  %s: left out: %s", text_string(&unit), why);
	fine = night_unit_done(source->night->run, step, text_string(&unit), text_string(&result), NULL, err);
	text_release(&unit);
	text_release(&result);
	return fine;
}

/* One that was taken away meanwhile, or a link that leads nowhere, is none. */
static bool
fail_look(const struct folder_source *source, const char *name, struct error *err)
{
	struct arena arena = {0};
	bool fine;

	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
		return true;
	fine = leave_out(source, name, arena_format(&arena, "it cannot be looked at: %s", strerror(errno)), err);
	arena_release(&arena);
	return fine;
}

static bool
find_file(struct found *found, int folder, const char *name, struct error *err)
{
	const struct folder_source *source = found->source;
	char plan[PLAN_TEXT];
	struct stat file;
	size_t at;
	bool cut;

	if (!is_wanted(source, name))
		return true;
	if (fstatat(folder, name, &file, 0) != 0)
		return fail_look(source, name, err);
	if (!S_ISREG(file.st_mode) || !is_in_time(source->night, &file))
		return true;
	/* The database keeps no such name. */
	if (!utf8_check(name, strlen(name), &at, &cut))
		return leave_out(source, name, "its name is not UTF-8: give it another one", err);
	if (found->count == PLANNED_AT_ONCE && !plan_found(found, err))
		return false;
	plan_of(&file, plan);
	found->units[found->count] = arena_format(&found->arena, "%s %s", source->name, name);
	found->plans[found->count++] = arena_copy(&found->arena, plan, strlen(plan));
	return true;
}

static bool
fail_folder(const struct folder_source *source, struct error *err)
{
	bool wrong = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG;

	error_set(
	    err, wrong ? ERROR_INPUT : ERROR_AWAY, "the folder of source %s cannot be read: %s", source->name, strerror(errno));
	error_at(err, source->folder, 0);
	return error_hint(err, "tollbook config show says where source.%s.folder was set.", source->name);
}

static bool
find_files(struct found *found, struct error *err)
{
	DIR *folder = opendir(found->source->folder);
	struct dirent *entry;
	bool fine = true;

	if (folder == NULL)
		return fail_folder(found->source, err);
	while (fine && (errno = 0, entry = readdir(folder)) != NULL)
		fine = find_file(found, dirfd(folder), entry->d_name, err);
	if (fine && errno != 0)
		fine = fail_folder(found->source, err);
	must(closedir(folder) == 0);
	return fine && plan_found(found, err);
}

static bool
plan_source(struct night *night, const char *name, struct error *err)
{
	struct folder_source source = source_of(night, name);
	struct found *found = memory_new(1, sizeof *found);
	struct run *run = night->run;
	bool fine;

	found->source = &source;
	fine = db_begin(run->db, err);
	if (fine) {
		fine = find_files(found, err) &&
		    night_unit_done(
			run, step, name, arena_format(&run->arena, "{\"files\":%lld}", (long long)found->planned), NULL, err) &&
		    db_commit(run->db, err);
		if (!fine)
			db_rollback(run->db);
	}
	arena_release(&found->arena);
	free(found);
	return fine;
}

/* A source whose files are pinned has a unit of its own name. */
static bool
has_unit(const struct rows *units, const char *name)
{
	for (int i = 0; i < units->count; i++)
		if (strcmp(row_text(units, i, NIGHT_UNIT_NAME), name) == 0)
			return true;
	return false;
}

bool
night_files_plan(struct night *night, struct error *err)
{
	struct rows units;
	bool fine = true;

	if (!night_units(night->run, step, &units, err))
		return false;
	for (size_t i = 0; fine && i < config_names(night->config, "source"); i++) {
		const char *name = config_name(night->config, "source", i);

		if (strcmp(config_named(night->config, "source", name, "kind"), "files") == 0 && !has_unit(&units, name))
			fine = plan_source(night, name, err);
	}
	rows_release(&units);
	return fine;
}

/* --- one file ------------------------------------------------------------------------------------ */

/* A file being taken. */
struct taking {
	const struct folder_source *source;
	struct run *run;
	const char *unit, *plan, *path;
	const unsigned char *digest; /* of its bytes as they are on the disk, or NULL while it is not known */
};

/* Whether the file still is what was planned; *why tells what it is. */
static bool
is_as_planned(const struct taking *taking, struct error *why)
{
	char plan[PLAN_TEXT];
	struct stat file;

	if (stat(taking->path, &file) != 0)
		error_set(why, ERROR_INPUT, "the file is not there any more: %s", strerror(errno));
	else if (strcmp(plan_of(&file, plan), taking->plan) != 0)
		error_set(why, ERROR_INPUT, "the file was changed or replaced since the night began, or while it was read");
	else
		return true;
	return error_hint(why,
	    "What is in the folder when the next night begins is read by that.  Write files under a name that ends in "
	    ".part, and give them their own when they are whole.");
}

/* {"error":"...", and what is counted. */
static bool
finish_unit(const struct taking *taking, const struct intake_result *result, const struct error *why, struct error *err)
{
	struct text json = {0};
	bool fine;

	text_add_string(&json, "{");
	if (why != NULL) {
		struct text told = {0};

		text_add_string(&told, why->message);
		if (why->detail[0] != '\0')
			text_add_format(&told, ": %s", why->detail);
		text_add_string(&json, "\"error\":");
		text_add_json(&json, text_string(&told));
		text_add_string(&json, ",");
		say(taking->run, "  %s: %s", taking->path, text_string(&told));
		if (why->hint[0] != '\0')
			say(taking->run, "  %s", why->hint);
		text_release(&told);
	}
	intake_json(result, &json);
	text_add_string(&json, "}");
	fine = night_unit_done(taking->run, step, taking->unit, text_string(&json), taking->digest, err);
	text_release(&json);
	return fine;
}

static bool
note_unit(const struct taking *taking, int64_t position_id, const struct intake_result *result, struct error *err)
{
	struct arena arena = {0};
	struct text json = {0};
	bool fine;

	text_add_format(&json, "{\"position\":%lld,", (long long)position_id);
	intake_json(result, &json);
	text_add_string(&json, "}");
	fine = db_change(taking->run->db, SQL_NIGHTLY_UNIT_NOTE,
	    PARAMS(param_number(&arena, taking->run->night_run), step, taking->unit, text_string(&json)), 1, err);
	text_release(&json);
	arena_release(&arena);
	return fine;
}

static bool
keep(void *context, int64_t position_id, const struct intake_result *result, bool ended, struct error *err)
{
	const struct taking *taking = context;
	struct error why;

	if (!ended)
		return note_unit(taking, position_id, result, err);
	return finish_unit(taking, result, is_as_planned(taking, &why) ? NULL : &why, err);
}

static bool
find_standing(const char *noted, int64_t *position_id, struct intake_result *result, struct error *err)
{
	json_t *root;

	*position_id = 0;
	*result = (struct intake_result){0};
	if (noted[0] == '\0')
		return true;
	root = document_parse(noted, strlen(noted), "the result of a unit of the nightly job", err);
	if (root == NULL)
		return false;
	*position_id = json_integer_value(json_object_get(root, "position"));
	json_decref(root);
	return intake_add_json(result, noted, err);
}

static struct reader_options
reading_of(const struct folder_source *source)
{
	const struct night *night = source->night;
	const char *producer = config_named(night->config, "source", source->name, "producer");
	struct reader_options options = {.mapping_path = source->mapping[0] == '\0' ? NULL : source->mapping,
	    .profile = source->profile,
	    .rules = event_rules_default(night_reading_time(night))};

	options.rules.late_days = (int)config_number(night->config, "night.late_days");
	if (producer[0] != '\0')
		options.rules.default_source = producer;
	return options;
}

/* A file that cannot be read to its end is told, and what was read of it is booked; the night goes on with the others.  A mapping
 * or a format that is wrong is wrong for all of them. */
static bool
read_file(struct taking *taking, int64_t position_id, struct intake_result *result, struct error *err)
{
	const struct folder_source *source = taking->source;
	struct reader_options options = reading_of(source);
	const char *records = config_named(source->night->config, "source", source->name, "batch_records");
	struct intake_limits limits = {.records = (size_t)strtoul(records, NULL, 10), .bytes = INTAKE_BATCH_BYTES};
	struct intake_keeping keeping = {.position_id = position_id, .keep = keep, .context = taking};
	struct error why;

	if (intake_file_on(taking->run, source->memory, taking->path, &options, limits, &keeping, result, &why))
		return true;
	if (result->unreadable && why.kind == ERROR_INPUT && strcmp(why.file, taking->path) == 0)
		return finish_unit(taking, result, &why, err);
	*err = why;
	return false;
}

static bool
take_file(const struct folder_source *source, const char *unit, const char *plan, const char *noted, struct error *err)
{
	struct arena arena = {0};
	struct taking taking = {.source = source,
	    .run = source->night->run,
	    .unit = unit,
	    .plan = plan,
	    .path = arena_format(&arena, "%s/%s", source->folder, unit + strlen(source->name) + 1)};
	unsigned char digest[DIGEST_SIZE];
	struct intake_result result;
	struct error why;
	int64_t position_id, bytes;
	bool fine = find_standing(noted, &position_id, &result, err);

	if (fine && (!is_as_planned(&taking, &why) || !file_digest(taking.path, digest, &bytes, &why))) {
		fine = finish_unit(&taking, &result, &why, err);
	} else if (fine) {
		taking.digest = digest;
		fine = read_file(&taking, position_id, &result, err);
	}
	arena_release(&arena);
	return fine;
}

/* --- all of a source ------------------------------------------------------------------------------- */

static bool
is_of_source(const struct folder_source *source, const char *unit)
{
	size_t length = strlen(source->name);

	return strncmp(unit, source->name, length) == 0 && unit[length] == ' ';
}

/* Before any file is taken for unreadable because of it. */
static bool
check_mapping(const struct folder_source *source, struct error *err)
{
	struct mapping mapping;

	if (source->mapping[0] == '\0')
		return true;
	if (!mapping_load(source->mapping, &mapping, err))
		return false;
	mapping_release(&mapping);
	return true;
}

static bool
take_files(const struct folder_source *source, struct error *err)
{
	struct rows units;
	bool fine = true;

	if (!night_units(source->night->run, step, &units, err))
		return false;
	for (int i = 0; fine && i < units.count; i++) {
		const char *unit = row_text(&units, i, NIGHT_UNIT_NAME);

		if (is_of_source(source, unit) && !row_bool(&units, i, NIGHT_UNIT_IS_DONE))
			fine = take_file(
			    source, unit, row_text(&units, i, NIGHT_UNIT_PLAN), row_text(&units, i, NIGHT_UNIT_RESULT), err);
	}
	rows_release(&units);
	return fine;
}

/* Of the units, so that what earlier attempts did counts too. */
static bool
sum_files(const struct folder_source *source, struct intake_result *sum, struct error *err)
{
	struct rows units;
	bool fine = true;

	if (!night_units(source->night->run, step, &units, err))
		return false;
	for (int i = 0; fine && i < units.count; i++)
		if (is_of_source(source, row_text(&units, i, NIGHT_UNIT_NAME)))
			fine = intake_add_json(sum, row_text(&units, i, NIGHT_UNIT_RESULT), err);
	rows_release(&units);
	return fine;
}

bool
night_files(struct night *night, const char *name, struct ledger_memory *memory, struct intake_result *sum, struct error *err)
{
	struct folder_source source = source_of(night, name);
	bool fine;

	*sum = (struct intake_result){0};
	source.memory = memory;
	if (!source_profile(night->config, name, &source.profile, err))
		return false;
	fine = check_mapping(&source, err) && night_files_plan(night, err) && take_files(&source, err) &&
	    sum_files(&source, sum, err);
	profile_free(source.profile);
	return fine;
}
