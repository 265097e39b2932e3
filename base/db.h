/*
 * db.h -- PostgreSQL, through statements that are files.
 *
 * Every statement is a file under sql/, prepared on first use under its file's name, its parameters
 * always bound as text; the SQL casts them.  This is the only file that knows libpq.
 * A lost connection is an error of kind AWAY; a refused statement keeps its SQLSTATE in the error.
 */
#ifndef BASE_DB_H
#define BASE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "base/instant.h"
#include "base/memory.h"
#include "base/statement.h"

struct db;

/* Opens a connection: READ COMMITTED, UTC, UTF-8 (a database that keeps another encoding is refused), search path
 * pinned, timeouts set.  Which server: `conninfo` when not NULL, else TOLLBOOK_DB, else the PG* variables when any of
 * PGHOST, PGSERVICE, PGDATABASE, PGHOSTADDR is set, else what is `configured` when not "", else the private server of
 * base/private_server.h, started on demand. */
MUST_CHECK
bool db_open(const char *conninfo, const char *configured, struct db **out, struct error *err);
/* What connects to a server, as it may be shown: keywords and values, each password as ***; appended.  False where libpq cannot read
 * it; *hidden: there is a password in it. */
MUST_CHECK
bool db_conninfo_show(const char *conninfo, struct text *out, bool *hidden);
/* One more connection to the same server and database as the same user, with a session of its own and without the fence: for reading
 * beside `db`.  An error of kind BUSY where another database answers now. */
MUST_CHECK
bool db_open_beside(const struct db *db, struct db **out, struct error *err);
void db_close(struct db *db);
/* The same server again after the connection was lost: a new session, nothing of the old one.  Starts the private server if it is
 * down.  An error of kind BUSY where another database answers now (a standby was promoted, a backup restored): what the caller
 * remembers of the old one may not be there. */
MUST_CHECK
bool db_reconnect(struct db *db, struct error *err);
/* From here on every write of this session is refused, as an error of kind BUSY, unless `fence` is the newest one and this very
 * session took it (finance.night_fence): also after db_reconnect(), whose session is another. */
MUST_CHECK
bool db_fence(struct db *db, int64_t fence, struct error *err);
#define FENCED_SQLSTATE "TB001" /* of that error */
/* False once the connection is lost. */
bool db_is_open(const struct db *db);
/* Transactions do not nest.  db_rollback cannot fail in a way that matters. */
MUST_CHECK
bool db_begin(struct db *db, struct error *err);
MUST_CHECK
bool db_commit(struct db *db, struct error *err);
void db_rollback(struct db *db);
/* A savepoint of a fixed name inside the open transaction. */
MUST_CHECK
bool db_savepoint(struct db *db, struct error *err);
MUST_CHECK
bool db_rollback_to_savepoint(struct db *db, struct error *err);
MUST_CHECK
bool db_release_savepoint(struct db *db, struct error *err);

/* Parameters of a statement: texts, NULL for SQL NULL.  PARAMS("a", "b") counts them. */
struct params {
	const char *const *value;
	int count;
};
#define PARAMS(...)                                                                                                              \
	((struct params){                                                                                                        \
	    (const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))})
#define NO_PARAMS ((struct params){NULL, 0})

/* Values as parameters, written into an arena. */
const char *param_number(struct arena *arena, int64_t number);
const char *param_instant(struct arena *arena, struct instant instant);       /* for $n::timestamptz: RFC 3339, UTC */
const char *param_hex(struct arena *arena, const void *bytes, size_t length); /* bytea: "\\x..." */

/* The literal of an array of texts, as a parameter for $n::text[], appended. */
void text_add_elements(struct text *out, const char *const *values, size_t count);
/* The same, element by element, of any type: elements_end() closes it, and is the parameter until text_release(). */
void elements_add(struct text *array, const char *value);
void elements_add_number(struct text *array, int64_t number);
const char *elements_end(struct text *array);

/* A result; owned by the caller, ended with rows_release(). */
struct rows {
	void *result; /* PGresult */
	int count;
};

MUST_CHECK
bool db_rows(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err);
/* The same, its columns in binary, for bytea: row_bytes(). */
MUST_CHECK
bool db_rows_binary(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err);
/* Exactly one row, or an error of kind STATE that names the statement. */
MUST_CHECK
bool db_one_row(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err);
/* Runs a statement that changes rows and fails, as a broken promise, unless `expected` rows were changed (-1: any number). */
MUST_CHECK
bool db_change(struct db *db, enum statement_id id, struct params params, int64_t expected, struct error *err);
/* Text of SQL from a migration: several statements, no parameters. */
MUST_CHECK
bool db_script(struct db *db, const struct statement *script, struct error *err);
void rows_release(struct rows *rows);

int rows_columns(const struct rows *rows);
const char *rows_column_name(const struct rows *rows, int column);
bool row_is_null(const struct rows *rows, int row, int column);
const char *row_text(const struct rows *rows, int row, int column); /* "" for NULL; dies with rows_release */
size_t row_length(const struct rows *rows, int row, int column);
struct bytes row_bytes(const struct rows *rows, int row, int column); /* of db_rows_binary() */
int64_t row_number(const struct rows *rows, int row, int column);     /* an integer column */
i128 row_integer(const struct rows *rows, int row, int column);       /* numeric without decimals */
struct decimal row_decimal(const struct rows *rows, int row, int column);
struct instant row_instant(
    const struct rows *rows, int row, int column); /* a column selected as microseconds since 1970, bigint */
bool row_bool(const struct rows *rows, int row, int column);

/* COPY IN.  `statement` is a COPY ... FROM STDIN file; data in that file's format. */
MUST_CHECK
bool db_copy_in_begin(struct db *db, enum statement_id id, struct error *err);
MUST_CHECK
bool db_copy_in_bytes(struct db *db, const char *bytes, size_t length, struct error *err);
/* Ends it; *rows is how many the server took. */
MUST_CHECK
bool db_copy_in_end(struct db *db, int64_t *rows, struct error *err);
/* One COPY text-format field, escaped; fields are joined by tabs, rows ended by '\n', by the caller. */
void copy_text_field(struct text *out, const char *bytes, size_t length);
/* A text as a field, with the tab behind it. */
void copy_text_column(struct text *out, const char *value);
/* Sends whole rows of the text format, from the first COPY to its end, and empties `rows`; none are sent without a question. */
MUST_CHECK
bool db_copy_in_text(struct db *db, enum statement_id id, struct text *rows, struct error *err);

/* COPY OUT: `row` is called with each CopyData message (one row of text or binary format); return false to stop with err set. */
typedef bool db_copy_row(void *context, const char *bytes, size_t length, struct error *err);
MUST_CHECK
bool db_copy_out(struct db *db, enum statement_id id, db_copy_row *row, void *context, struct error *err);

/* True where the error came from the server with this SQLSTATE, e.g. "23505". */
bool error_is_sqlstate(const struct error *err, const char *sqlstate);

#endif
