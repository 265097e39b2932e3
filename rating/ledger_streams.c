/* ledger_streams.c -- see ledger_streams.h. */
#include "rating/ledger_streams.h"

#include <pthread.h>

#include "base/workers.h"

struct streams {
	const struct ledger_reads *reads;
	struct db *connection[LEDGER_STREAMS_MAX]; /* those that nobody uses are below `idle` */
	size_t idle;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	size_t turn; /* the part that is taken next */
	bool failed;
	struct error *err;
};

static void
lock(struct streams *streams)
{
	must(pthread_mutex_lock(&streams->lock) == 0);
}

static void
unlock(struct streams *streams)
{
	must(pthread_mutex_unlock(&streams->lock) == 0);
}

/* There is one for each thread. */
static struct db *
connection_take(struct streams *streams, bool *failed)
{
	struct db *db;

	lock(streams);
	must(streams->idle > 0);
	db = streams->connection[--streams->idle];
	*failed = streams->failed;
	unlock(streams);
	return db;
}

static void
connection_give(struct streams *streams, struct db *db)
{
	lock(streams);
	streams->connection[streams->idle++] = db;
	unlock(streams);
}

/* Parts are begun in order, so those before this one are all at work or done, and their turn comes. */
static void
take_in_turn(struct streams *streams, size_t part, bool fine, const struct text *rows, const struct error *read_err)
{
	lock(streams);
	while (streams->turn != part)
		must(pthread_cond_wait(&streams->turned, &streams->lock) == 0);
	if (!streams->failed && !fine)
		*streams->err = *read_err;
	streams->failed = streams->failed || !fine || !streams->reads->take(streams->reads->context, part, rows, streams->err);
	streams->turn++;
	must(pthread_cond_broadcast(&streams->turned) == 0);
	unlock(streams);
}

static void
do_part(void *context, size_t part)
{
	struct streams *streams = context;
	struct text rows = {0};
	struct error err = {0};
	bool failed, fine;
	struct db *db = connection_take(streams, &failed);

	fine = failed || streams->reads->read(streams->reads->context, db, part, &rows, &err);
	connection_give(streams, db);
	take_in_turn(streams, part, fine, &rows, &err);
	text_release(&rows);
}

/* The run's own connection, and as many beside it as are wanted and can be had. */
static void
open_connections(struct streams *streams, struct run *run, size_t wanted)
{
	struct error ignored;

	streams->connection[streams->idle++] = run->db;
	while (streams->idle < wanted && streams->idle < LEDGER_STREAMS_MAX) {
		struct db *db;

		if (!db_open_beside(run->db, &db, &ignored))
			return;
		if (!db_begin(db, &ignored)) {
			db_close(db);
			return;
		}
		streams->connection[streams->idle++] = db;
	}
}

static void
close_connections(struct streams *streams, const struct run *run)
{
	for (size_t i = 0; i < streams->idle; i++)
		if (streams->connection[i] != run->db)
			db_close(streams->connection[i]);
}

bool
ledger_streams_read(struct run *run, size_t wanted, const struct ledger_reads *reads, struct error *err)
{
	struct streams streams = {.reads = reads, .err = err};

	must(pthread_mutex_init(&streams.lock, NULL) == 0);
	must(pthread_cond_init(&streams.turned, NULL) == 0);
	open_connections(&streams, run, wanted < reads->count ? wanted : reads->count);
	/* The caller works, too: see workers_end(). */
	workers_end(workers_begin(streams.idle - 1, reads->count, do_part, &streams));
	close_connections(&streams, run);
	must(pthread_cond_destroy(&streams.turned) == 0);
	must(pthread_mutex_destroy(&streams.lock) == 0);
	return !streams.failed;
}

/* --- rows, kept ------------------------------------------------------------------------------ */

bool
ledger_row_keep(void *rows, const char *bytes, size_t length, struct error *err)
{
	(void)err;
	text_add(rows, (const char *)&length, sizeof length);
	text_add(rows, bytes, length);
	return true;
}

bool
ledger_rows_each(const struct text *rows, db_copy_row *row, void *context, struct error *err)
{
	for (size_t at = 0, length; at < rows->length; at += length) {
		memcpy(&length, rows->bytes + at, sizeof length);
		at += sizeof length;
		if (!row(context, rows->bytes + at, length, err))
			return false;
	}
	return true;
}
