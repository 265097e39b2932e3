/* migrate.c -- see migrate.h. */
#include "base/migrate.h"

#include <string.h>

#include "base/digest.h"

static void
checksum(const struct statement *migration, char out[DIGEST_HEX])
{
	unsigned char bytes[DIGEST_SIZE];
	struct digest *digest = digest_new();

	digest_bytes(digest, migration->text, strlen(migration->text));
	digest_end(digest, bytes);
	digest_free(digest);
	digest_hex(bytes, sizeof bytes, out);
}

/* Compares the applied ones with the program's; *applied is how many there are. */
static bool
compare(struct db *db, int *applied, struct error *err)
{
	struct rows rows;
	bool fine = true;

	*applied = 0;
	if (!db_one_row(db, SQL_BASE_MIGRATIONS_EXIST, NO_PARAMS, &rows, err))
		return false;
	fine = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (!fine)
		return true;
	if (!db_rows(db, SQL_BASE_MIGRATIONS_APPLIED, NO_PARAMS, &rows, err))
		return false;
	for (int i = 0; fine && i < rows.count; i++) {
		char sum[DIGEST_HEX];

		if ((size_t)i >= migration_count) {
			fine = error_set(err, ERROR_STATE, "the database has migration \"%s\", which this program does not know",
			    row_text(&rows, i, 0));
			error_hint(err, "The database was made by a newer tollbook; use that one.");
			break;
		}
		checksum(&migrations[i], sum);
		if (strcmp(row_text(&rows, i, 0), migrations[i].name) != 0 || strcmp(row_text(&rows, i, 1), sum) != 0) {
			fine = error_set(err, ERROR_STATE, "migration %d is \"%s\" in the database and \"%s\" in this program%s",
			    i + 1, row_text(&rows, i, 0), migrations[i].name,
			    strcmp(row_text(&rows, i, 0), migrations[i].name) == 0 ? ", with another text" : "");
			error_hint(
			    err, "An applied migration is never edited or removed; use the tollbook that made this database.");
		}
	}
	*applied = rows.count;
	rows_release(&rows);
	return fine;
}

static bool
apply_one(struct db *db, const struct statement *migration, int number, struct instant now, struct error *err)
{
	struct arena arena = {0};
	char sum[DIGEST_HEX];
	bool fine;

	checksum(migration, sum);
	fine = db_begin(db, err) && db_script(db, migration, err) &&
	    db_change(db, SQL_BASE_MIGRATION_RECORD,
		PARAMS(param_number(&arena, number), migration->name, sum, param_instant(&arena, now)), 1, err) &&
	    db_commit(db, err);
	if (!fine) {
		db_rollback(db);
		error_wrap(err, "migration \"%s\"", migration->name);
	}
	arena_release(&arena);
	return fine;
}

bool
migrate_apply(struct db *db, struct instant now, int *applied, struct error *err)
{
	struct rows rows;
	int have = 0;
	bool fine;

	*applied = 0;
	/* One at a time: a second `init` waits here and then finds everything done. */
	if (!db_rows(db, SQL_BASE_MIGRATION_LOCK, NO_PARAMS, &rows, err))
		return false;
	rows_release(&rows);
	fine = compare(db, &have, err);
	if (fine && have == 0)
		fine = db_change(db, SQL_BASE_MIGRATION_SCHEMA, NO_PARAMS, -1, err) &&
		    db_change(db, SQL_BASE_MIGRATION_TABLE, NO_PARAMS, -1, err);
	for (size_t i = (size_t)have; fine && i < migration_count; i++) {
		fine = apply_one(db, &migrations[i], (int)i + 1, now, err);
		*applied += fine;
	}
	struct error ignored;

	if (db_rows(db, SQL_BASE_MIGRATION_UNLOCK, NO_PARAMS, &rows, &ignored))
		rows_release(&rows);
	return fine;
}

bool
migrate_check(struct db *db, struct error *err)
{
	int have;

	if (!compare(db, &have, err))
		return false;
	if ((size_t)have == migration_count)
		return true;
	error_set(err, ERROR_STATE,
	    have == 0 ? "the database has no tollbook schema" : "the database schema is older than this program");
	error_detail(err, "%d of %zu migrations are applied.", have, migration_count);
	return error_hint(err, "Run: tollbook init");
}
