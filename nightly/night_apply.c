/* night_apply.c -- the first step of a night: issuers, price books, contracts and roles become what configuration and files say. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/document.h"
#include "base/file.h"
#include "base/index.h"
#include "ledger/books.h"
#include "ledger/night_unit.h"
#include "ledger/role_apply.h"
#include "nightly/night.h"
#include "rating/price_publish.h"
#include "rating/tenant_apply.h"

/* What is applied, in this order. */
enum { APPLY_ISSUERS, APPLY_PRICES, APPLY_TENANTS, APPLY_ROLES, APPLY_KINDS };

static const char step[] = "apply", newer[] = "newer";
/* The key of the configuration; its last part begins the names of units. */
static const char *const apply_keys[APPLY_KINDS] = {"apply.issuers", "apply.prices", "apply.tenants", "apply.roles"};

struct applying {
	struct night *night;
	int64_t items[APPLY_KINDS], changes[APPLY_KINDS];
	int64_t newer; /* files that came after a missed night's instant */
};

/* --- units ----------------------------------------------------------------------------------- */

static bool
unit_done(struct applying *applying, int kind, const char *name, int64_t changes, const unsigned char digest[DIGEST_SIZE],
    struct error *err)
{
	struct run *run = applying->night->run;
	const char *unit = arena_format(&run->arena, "%s:%s", apply_keys[kind] + sizeof step, name);

	applying->items[kind]++;
	applying->changes[kind] += changes;
	return night_unit_done(run, step, unit, arena_format(&run->arena, "{\"changed\":%lld}", (long long)changes), digest, err);
}

/* Counts a unit of an earlier attempt. */
static bool
count_unit(struct applying *applying, const struct rows *units, int row, struct error *err)
{
	const char *unit = row_text(units, row, NIGHT_UNIT_NAME);
	json_t *result;

	if (strncmp(unit, newer, strlen(newer)) == 0) {
		applying->newer++;
		return true;
	}
	result = document_parse(row_text(units, row, NIGHT_UNIT_RESULT), row_length(units, row, NIGHT_UNIT_RESULT), unit, err);
	if (result == NULL)
		return false;
	for (int kind = 0; kind < APPLY_KINDS; kind++) {
		const char *name = apply_keys[kind] + sizeof step;

		if (strncmp(unit, name, strlen(name)) == 0 && unit[strlen(name)] == ':') {
			applying->items[kind]++;
			applying->changes[kind] += json_integer_value(json_object_get(result, "changed"));
		}
	}
	json_decref(result);
	return true;
}

/* --- files ----------------------------------------------------------------------------------- */

static bool
apply_by_kind(struct run *run, int kind, const char *path, int64_t *changes, struct error *err)
{
	struct price_published published;

	switch (kind) {
	case APPLY_PRICES:
		if (!price_publish_within(run, path, NULL, &published, err))
			return false;
		*changes = published.is_new;
		return true;
	case APPLY_TENANTS:
		return tenants_apply_within(run, path, NULL, NULL, changes, err);
	default:
		return roles_apply_within(run, path, NULL, NULL, changes, err);
	}
}

/* Of a night that was missed, what a file says now is not what it said then: the newest night takes it. */
static bool
is_too_new(struct applying *applying, const char *path, bool *out, struct error *err)
{
	const struct night *night = applying->night;
	struct stat status;

	*out = false;
	if (!night->caught_up)
		return true;
	if (stat(path, &status) != 0) {
		error_set(err, ERROR_INPUT, "cannot look at the file: %s", strerror(errno));
		return error_at(err, path, 0);
	}
	*out = (int64_t)status.st_mtim.tv_sec * 1000000 + status.st_mtim.tv_nsec / 1000 >= night->run->now.us;
	return true;
}

static bool
apply_file(struct applying *applying, int kind, const char *path, struct error *err)
{
	struct run *run = applying->night->run;
	unsigned char digest[DIGEST_SIZE];
	int64_t changes = 0, bytes;
	bool too_new;

	if (!is_too_new(applying, path, &too_new, err))
		return false;
	if (too_new) {
		applying->newer++;
		return night_unit_done(run, step, arena_format(&run->arena, "%s:%s", newer, path), "{}", NULL, err);
	}
	return file_digest(path, digest, &bytes, err) && apply_by_kind(run, kind, path, &changes, err) &&
	    unit_done(applying, kind, path, changes, digest, err);
}

/* The paths of a kind, each once: words in their order, what a word means in the order of its bytes. */
struct paths {
	const char **items;
	size_t count, room;
	struct index seen;
};

static int
compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_paths(struct run *run, struct paths *paths, const glob_t *found)
{
	qsort(found->gl_pathv, found->gl_pathc, sizeof *found->gl_pathv, compare_paths);
	for (size_t i = 0; i < found->gl_pathc; i++) {
		const char *path = found->gl_pathv[i];
		bool is_new;

		index_number(&paths->seen, path, strlen(path), &is_new);
		if (!is_new)
			continue;
		paths->items = memory_grow(paths->items, &paths->room, paths->count + 1, sizeof *paths->items);
		paths->items[paths->count++] = arena_copy(&run->arena, path, strlen(path));
	}
}

static bool
expand_word(struct run *run, const char *key, const char *word, struct paths *paths, struct error *err)
{
	glob_t found;
	int failed = glob(word, GLOB_ERR | GLOB_NOSORT, NULL, &found);

	if (failed == 0) {
		add_paths(run, paths, &found);
		globfree(&found);
		return true;
	}
	if (failed == GLOB_NOMATCH)
		error_set(err, ERROR_INPUT, "there is no file \"%s\"", word);
	else
		error_set(err, ERROR_INPUT, "cannot look for \"%s\": %s", word,
		    failed == GLOB_NOSPACE ? "there is no memory" : "a folder cannot be read");
	return error_hint(err, "The setting %s names it; tollbook config check looks at all of them.", key);
}

static bool
apply_paths(struct applying *applying, int kind, const struct paths *paths, struct error *err)
{
	/* Each file of roles takes away what it does not name. */
	if (kind == APPLY_ROLES && paths->count > 1) {
		error_set(err, ERROR_INPUT, "the setting %s names %zu files, \"%s\" and \"%s\" among them", apply_keys[kind],
		    paths->count, paths->items[0], paths->items[1]);
		return error_hint(err, "A file of roles states them all: put them into one.");
	}
	for (size_t i = 0; i < paths->count; i++)
		if (!apply_file(applying, kind, paths->items[i], err))
			return false;
	return true;
}

static bool
apply_kind(struct applying *applying, int kind, struct error *err)
{
	struct paths paths = {0};
	const char *word;
	bool fine = true;

	for (size_t at = 0; fine && (word = config_word(applying->night->config, apply_keys[kind], at)) != NULL; at++)
		fine = expand_word(applying->night->run, apply_keys[kind], word, &paths, err);
	fine = fine && apply_paths(applying, kind, &paths, err);
	free(paths.items);
	index_release(&paths.seen);
	return fine;
}

/* A series that somebody stated, or NULL: an issuer that numbers otherwise by a tenants file goes on so. */
static const char *
stated_series(const struct config *config, const char *code, const char *series)
{
	const char *value = config_named(config, "issuer", code, series);

	return value[0] == '\0' ? NULL : value;
}

static bool
apply_issuers(struct applying *applying, struct error *err)
{
	const struct config *config = applying->night->config;
	struct run *run = applying->night->run;

	for (size_t i = 0; i < config_names(config, "issuer"); i++) {
		const char *code = config_name(config, "issuer", i);
		bool changed;

		if (!issuer_apply(run, code, config_named(config, "issuer", code, "name"),
			stated_series(config, code, "invoice_series"), stated_series(config, code, "credit_note_series"),
			arena_format(&run->arena, "[issuer %s] of the configuration", code), &changed, err) ||
		    !unit_done(applying, APPLY_ISSUERS, code, changed, NULL, err))
			return false;
	}
	return true;
}

/* --- the step -------------------------------------------------------------------------------- */

/* All of it is one transaction: of a run that was killed nothing is there or everything.  The lock of the books comes first, as it does
 * for whoever takes numbers of documents. */
static bool
apply_all(struct applying *applying, struct error *err)
{
	struct run *run = applying->night->run;
	bool fine = db_begin(run->db, err) && books_lock(run, err) && apply_issuers(applying, err);

	for (int kind = APPLY_PRICES; fine && kind < APPLY_KINDS; kind++)
		fine = apply_kind(applying, kind, err);
	if (fine)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return false;
}

static void
tell_kind(const struct applying *applying, int kind, const char *one, const char *many, struct text *line)
{
	int64_t items = applying->items[kind], changes = applying->changes[kind];

	if (items == 0)
		return;
	text_add_format(line, "%s%lld %s, ", line->length == 0 ? "" : "; ", (long long)items, items == 1 ? one : many);
	if (changes == 0)
		text_add_string(line, kind == APPLY_PRICES ? "none of them new" : "nothing changed");
	else if (kind == APPLY_PRICES)
		text_add_format(line, "%lld of them new", (long long)changes);
	else
		text_add_format(line, "%lld %s", (long long)changes, changes == 1 ? "change" : "changes");
}

static void
tell(const struct applying *applying, struct night_told *told)
{
	tell_kind(applying, APPLY_ISSUERS, "issuer", "issuers", &told->line);
	tell_kind(applying, APPLY_PRICES, "price book", "price books", &told->line);
	tell_kind(applying, APPLY_TENANTS, "file of tenants", "files of tenants", &told->line);
	tell_kind(applying, APPLY_ROLES, "file of roles", "files of roles", &told->line);
	if (applying->newer > 0)
		text_add_format(&told->line, "%s%lld %s newer than this night", told->line.length == 0 ? "" : "; ",
		    (long long)applying->newer, applying->newer == 1 ? "file is" : "files are");
	if (told->line.length == 0)
		text_add_string(&told->line, "nothing is configured");
	for (int kind = 0; kind < APPLY_KINDS; kind++)
		text_add_format(&told->json, "\"%s\":%lld,\"%s_changed\":%lld,", apply_keys[kind] + sizeof step,
		    (long long)applying->items[kind], apply_keys[kind] + sizeof step, (long long)applying->changes[kind]);
	text_add_format(&told->json, "\"newer\":%lld", (long long)applying->newer);
}

bool
night_apply(struct night *night, struct night_told *told, struct error *err)
{
	struct applying applying = {.night = night};
	struct rows units;
	bool fine = true;

	if (!night_units(night->run, step, &units, err))
		return false;
	for (int row = 0; fine && row < units.count; row++)
		fine = count_unit(&applying, &units, row, err);
	if (fine && units.count == 0)
		fine = apply_all(&applying, err);
	rows_release(&units);
	if (fine)
		tell(&applying, told);
	return fine;
}
