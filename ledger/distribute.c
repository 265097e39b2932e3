/* distribute.c -- see distribute.h. */
#include "ledger/distribute.h"

#include "base/command.h"

enum { AWAIT_MS = 50, AWAIT_PATIENCE = 200 /* waits: ten seconds */ };

/* --- once ------------------------------------------------------------------------------------- */

static bool
cannot_load(struct error *err)
{
	error_wrap(err, "the extension citus could not be loaded");
	return error_hint(err,
	    "A superuser puts shared_preload_libraries = 'citus' into postgresql.conf, starts the server again and runs: "
	    "tollbook "
	    "init --citus");
}

bool
citus_load(struct db *db, struct error *err)
{
	enum { IS_AVAILABLE, IS_LOADED };
	struct rows rows;
	bool available, loaded;

	if (!db_one_row(db, SQL_LEDGER_CITUS_THERE, NO_PARAMS, &rows, err))
		return false;
	available = row_bool(&rows, 0, IS_AVAILABLE);
	loaded = row_bool(&rows, 0, IS_LOADED);
	rows_release(&rows);
	if (loaded)
		return true;
	if (!available) {
		error_set(err, ERROR_STATE, "this server does not have the extension citus; nothing was changed");
		return error_hint(err,
		    "Install Citus for this version of PostgreSQL on every machine of the cluster, or run tollbook init without "
		    "--citus.");
	}
	return db_change(db, SQL_LEDGER_CITUS_MAKE, NO_PARAMS, -1, err) || cannot_load(err);
}

bool
ledger_distribute(struct db *db, int64_t shards, struct distribution *out, struct error *err)
{
	enum { IS_NEW, SHARDS, MACHINES, ROWS };
	struct arena arena = {0};
	struct rows rows;
	bool fine = db_begin(db, err);

	if (fine) {
		fine = db_one_row(db, SQL_LEDGER_CITUS_DISTRIBUTE, PARAMS(param_number(&arena, shards)), &rows, err);
		if (fine) {
			*out = (struct distribution){row_bool(&rows, 0, IS_NEW), row_number(&rows, 0, SHARDS),
			    row_number(&rows, 0, MACHINES), row_number(&rows, 0, ROWS)};
			rows_release(&rows);
			fine = db_commit(db, err);
		}
		if (!fine)
			db_rollback(db);
	}
	arena_release(&arena);
	return fine;
}

bool
distributed_refuse(struct db *db, const char *what, struct error *err)
{
	struct rows rows;
	bool distributed;

	if (!db_one_row(db, SQL_LEDGER_DISTRIBUTED, NO_PARAMS, &rows, err))
		return false;
	distributed = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (!distributed)
		return true;
	error_set(err, ERROR_STATE, "%s is not made where the ledger is distributed (init --citus)", what);
	return error_hint(err, "More disk is another machine in the cluster: citus_add_node(), then citus_rebalance_start().");
}

/* --- rows that come later than their header ---------------------------------------------------- */

static bool
not_there(const struct rows *rows, struct error *err)
{
	error_set(err, ERROR_BUSY, "the ledger has %lld of the %lld rows of batch %lld", (long long)row_number(rows, 0, 2),
	    (long long)row_number(rows, 0, 1), (long long)row_number(rows, 0, 0));
	return error_hint(err,
	    "A machine of the ledger has not committed them yet.  Where one was down, Citus does it within minutes of its "
	    "return; "
	    "then run again.  Nothing was booked.");
}

bool
rows_await(struct db *db, const char *identities, bool *waited, struct error *err)
{
	*waited = false;
	for (int i = 0;; i++) {
		struct rows rows;
		bool there;

		if (!db_rows(db, SQL_LEDGER_HALF_DONE_FIND, PARAMS(identities), &rows, err))
			return false;
		there = rows.count == 0;
		if (!there && i == AWAIT_PATIENCE)
			not_there(&rows, err);
		rows_release(&rows);
		if (there || i == AWAIT_PATIENCE)
			return there;
		*waited = true;
		clock_wait(AWAIT_MS);
	}
}
