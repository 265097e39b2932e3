/*
 * db.c -- see db.h; the only file that knows libpq.
 *
 * Quirks kept here: a failed PQconnectdb still needs PQfinish; values of a PGresult die with PQclear; a COPY
 * leaves results to be fetched until NULL; the header of a binary COPY OUT comes in one message with the first row.
 */
#include "base/db.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/private_server.h"

enum { IDENTITY_TEXT = 128 };

struct db {
	PGconn *connection;
	bool is_private; /* of a server that we start ourselves */
	bool is_ready;   /* the session has its settings */
	bool *prepared;  /* by enum statement_id */
	char identity[IDENTITY_TEXT];
	int64_t fence; /* 0: none */
};

static bool server_error(struct db *db, const PGresult *result, const char *what, struct error *err);

static bool
any_set(const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = getenv(*names);

		if (value != NULL && value[0] != '\0')
			return true;
	}
	return false;
}

/* Appends the conninfo of the server to use, and says whether it is the private one: that is meant where nobody says anything. */
static bool
choose_server(const char *chosen, const char *configured, struct text *conninfo, bool *is_private, struct error *err)
{
	static const char *const libpq_names[] = {"PGHOST", "PGSERVICE", "PGDATABASE", "PGHOSTADDR", NULL};

	if (chosen == NULL)
		chosen = getenv("TOLLBOOK_DB");
	if (chosen != NULL && chosen[0] != '\0') {
		text_add_string(conninfo, chosen);
		return true;
	}
	if (any_set(libpq_names))
		return true;
	if (configured[0] != '\0') {
		text_add_string(conninfo, configured);
		return true;
	}
	*is_private = true;
	return private_server_start(conninfo, err);
}

/* libpq takes a database's name alone, too. */
static bool
is_database_name(const char *conninfo)
{
	return strchr(conninfo, '=') == NULL && strncmp(conninfo, "postgresql://", 13) != 0 &&
	    strncmp(conninfo, "postgres://", 11) != 0;
}

/* As PQconninfoParse() reads it again. */
static void
add_conninfo_value(struct text *out, const char *value)
{
	if (value[0] != '\0' && strpbrk(value, " \t'\\") == NULL) {
		text_add_string(out, value);
		return;
	}
	text_add(out, "'", 1);
	for (; *value != '\0'; value++) {
		if (*value == '\'' || *value == '\\')
			text_add(out, "\\", 1);
		text_add(out, value, 1);
	}
	text_add(out, "'", 1);
}

bool
db_conninfo_show(const char *conninfo, struct text *out, bool *hidden)
{
	PQconninfoOption *options = NULL;
	size_t before = out->length;

	*hidden = false;
	if (is_database_name(conninfo)) {
		text_add_string(out, conninfo);
		return true;
	}
	/* Its message may have a part of the password in it. */
	options = PQconninfoParse(conninfo, NULL);
	for (PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++) {
		if (option->val == NULL)
			continue;
		text_add_format(out, "%s%s=", out->length > before ? " " : "", option->keyword);
		if (option->dispchar[0] == '*') {
			*hidden = true;
			text_add_string(out, "***");
		} else {
			add_conninfo_value(out, option->val);
		}
	}
	if (options == NULL)
		return false;
	PQconninfoFree(options);
	text_add(out, "", 0);
	return true;
}

/* Notices ("relation exists, skipping") are talk of the server's, not of ours. */
static void
ignore_notice(void *context, const char *message)
{
	(void)context;
	(void)message;
}

/* Names of models and tenants are of any script, and texts are digested as UTF-8. */
static bool
check_encoding(struct db *db, struct error *err)
{
	const char *encoding = PQparameterStatus(db->connection, "server_encoding");

	if (encoding != NULL && strcmp(encoding, "UTF8") == 0)
		return true;
	error_set(
	    err, ERROR_STATE, "the database keeps text as %s, not as UTF8", encoding == NULL ? "something unknown" : encoding);
	return error_hint(err, "Make another one: CREATE DATABASE tollbook ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0;");
}

/* What is remembered of a database holds for that one alone: a standby that took over, or a backup, may lack what was there. */
static bool
check_same(struct db *db, const char *identity, struct error *err)
{
	if (db->identity[0] == '\0')
		snprintf(db->identity, sizeof db->identity, "%s", identity);
	if (strcmp(db->identity, identity) == 0)
		return true;
	error_set(
	    err, ERROR_BUSY, "the database is another one than before: a standby that took over, or a backup that was restored");
	error_detail(err, "It was %s (system, timeline, database), it is %s.", db->identity, identity);
	return error_hint(err, "Run again: it goes on from where this database stands.");
}

static bool
begin_session(struct db *db, struct error *err)
{
	struct rows session;
	bool same;

	db->is_ready = false;
	if (db->connection == NULL || PQstatus(db->connection) != CONNECTION_OK) {
		error_set(err, ERROR_AWAY, "the database could not be reached");
		error_detail(err, "%s", db->connection == NULL ? "out of memory" : PQerrorMessage(db->connection));
		return error_hint(err,
		    "Check --db, TOLLBOOK_DB, the PG* variables or the configuration; without them tollbook uses a private "
		    "server.");
	}
	if (!check_encoding(db, err) || !db_one_row(db, SQL_BASE_SESSION, NO_PARAMS, &session, err))
		return false;
	same = check_same(db, row_text(&session, 0, rows_columns(&session) - 1), err);
	rows_release(&session);
	db->is_ready = same && (db->fence == 0 || db_fence(db, db->fence, err));
	return db->is_ready;
}

bool
db_open(const char *conninfo, const char *configured, struct db **out, struct error *err)
{
	struct text chosen = {0};
	struct db *db = memory_new(1, sizeof *db);

	db->prepared = memory_new(statement_count, sizeof *db->prepared);
	if (!choose_server(conninfo, configured, &chosen, &db->is_private, err)) {
		text_release(&chosen);
		db_close(db);
		return false;
	}
	/* A network that is cut must show within half a minute; what the user says, in "dbname", comes later and wins. */
	const char *const keywords[] = {"tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
	    "dbname", "fallback_application_name", "connect_timeout", "client_encoding", NULL};
	const char *const values[] = {"30000", "10", "5", "4", text_string(&chosen), "tollbook", "10", "UTF8", NULL};

	db->connection = PQconnectdbParams(keywords, values, 1);
	text_release(&chosen);
	if (db->connection != NULL)
		PQsetNoticeProcessor(db->connection, ignore_notice, NULL);
	if (begin_session(db, err)) {
		*out = db;
		return true;
	}
	db_close(db);
	return false;
}

/* With the options that the first connection came to. */
static PGconn *
connect_like(PGconn *connection)
{
	PQconninfoOption *options = PQconninfo(connection);
	const char **keywords, **values;
	PGconn *made;
	size_t count = 0, room = 1;

	for (PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++)
		room++;
	keywords = memory_new(room, sizeof *keywords);
	values = memory_new(room, sizeof *values);
	for (PQconninfoOption *option = options; option != NULL && option->keyword != NULL; option++)
		if (option->val != NULL && option->val[0] != '\0') {
			keywords[count] = option->keyword;
			values[count++] = option->val;
		}
	made = PQconnectdbParams(keywords, values, 0);
	PQconninfoFree(options);
	free(keywords);
	free(values);
	return made;
}

bool
db_open_beside(const struct db *db, struct db **out, struct error *err)
{
	struct db *beside = memory_new(1, sizeof *beside);

	beside->prepared = memory_new(statement_count, sizeof *beside->prepared);
	beside->is_private = db->is_private;
	memcpy(beside->identity, db->identity, sizeof beside->identity);
	beside->connection = connect_like(db->connection);
	if (beside->connection != NULL)
		PQsetNoticeProcessor(beside->connection, ignore_notice, NULL);
	if (begin_session(beside, err)) {
		*out = beside;
		return true;
	}
	db_close(beside);
	return false;
}

bool
db_fence(struct db *db, int64_t fence, struct error *err)
{
	struct rows rows;
	char text[DECIMAL_TEXT];

	db->fence = fence;
	if (!db_one_row(db, SQL_BASE_FENCE, PARAMS(integer_format(fence, text)), &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

bool
db_is_open(const struct db *db)
{
	return db->is_ready && PQstatus(db->connection) == CONNECTION_OK;
}

bool
db_reconnect(struct db *db, struct error *err)
{
	struct text conninfo = {0};
	bool fine = !db->is_private || private_server_start(&conninfo, err);

	text_release(&conninfo);
	if (!fine)
		return false;
	memset(db->prepared, 0, statement_count * sizeof *db->prepared);
	PQreset(db->connection);
	return begin_session(db, err);
}

void
db_close(struct db *db)
{
	if (db == NULL)
		return;
	PQfinish(db->connection);
	free(db->prepared);
	free(db);
}

/* Which kind of trouble an SQLSTATE class is, see PostgreSQL's appendix A. */
static enum error_kind
kind_of(const char *sqlstate)
{
	static const struct {
		const char *prefix;
		enum error_kind kind;
	} kinds[] = {
	    {"08", ERROR_AWAY},
	    {"57P", ERROR_AWAY},
	    {"53", ERROR_AWAY},
	    {"58", ERROR_AWAY},
	    {"25P03", ERROR_AWAY}, /* the server ended a session that stood still in a transaction */
	    {"22003", ERROR_RANGE},
	    {"55P03", ERROR_BUSY},
	    {"40", ERROR_BUSY},
	    {FENCED_SQLSTATE, ERROR_BUSY},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(sqlstate, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
			return kinds[i].kind;
	return ERROR_STATE;
}

static bool
server_error(struct db *db, const PGresult *result, const char *what, struct error *err)
{
	const char *sqlstate = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *primary = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const char *detail = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
	const char *hint = result == NULL ? NULL : PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);

	if (sqlstate == NULL) {
		error_set(err, ERROR_AWAY, "%s: the database connection was lost", what);
		error_detail(err, "%s", PQerrorMessage(db->connection));
		return error_hint(err,
		    "Nothing of the open transaction is booked unless it was committing; run again, what is booked is "
		    "recognised.");
	}
	/* What triggers of the schema say is for whoever asked, and a sentence without the statement's name. */
	if (strcmp(sqlstate, "23001") == 0 && primary != NULL)
		error_set(err, kind_of(sqlstate), "%s", primary);
	else
		error_set(err, kind_of(sqlstate), "%s: %s", what, primary == NULL ? "refused by the database" : primary);
	if (detail != NULL)
		error_detail(err, "%s", detail);
	if (hint != NULL)
		error_hint(err, "%s", hint);
	else if (err->kind == ERROR_BUSY)
		error_hint(err, "Somebody else holds what this needs; nothing of the open transaction is booked, run again.");
	snprintf(err->sqlstate, sizeof err->sqlstate, "%s", sqlstate);
	return false;
}

bool
error_is_sqlstate(const struct error *err, const char *sqlstate)
{
	return strcmp(err->sqlstate, sqlstate) == 0;
}

static bool
simple(struct db *db, const char *command, struct error *err)
{
	PGresult *result = PQexec(db->connection, command);
	bool fine = PQresultStatus(result) == PGRES_COMMAND_OK;

	/* COMMIT of a transaction that failed answers ROLLBACK, with success. */
	if (fine && strcmp(command, "COMMIT") == 0 && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
		error_set(err, ERROR_STATE, "the transaction was rolled back by the database instead of committed");
		fine = false;
	} else if (!fine) {
		server_error(db, result, command, err);
	}
	PQclear(result);
	return fine;
}

bool
db_begin(struct db *db, struct error *err)
{
	/* Not left to the session's default, which a pooler may have changed: the register is right because each statement sees what was
	 * committed before it. */
	return simple(db, "BEGIN ISOLATION LEVEL READ COMMITTED", err);
}

bool
db_commit(struct db *db, struct error *err)
{
	return simple(db, "COMMIT", err);
}

void
db_rollback(struct db *db)
{
	PQclear(PQexec(db->connection, "ROLLBACK"));
}

bool
db_savepoint(struct db *db, struct error *err)
{
	return simple(db, "SAVEPOINT tollbook", err);
}

bool
db_rollback_to_savepoint(struct db *db, struct error *err)
{
	return simple(db, "ROLLBACK TO SAVEPOINT tollbook", err);
}

bool
db_release_savepoint(struct db *db, struct error *err)
{
	return simple(db, "RELEASE SAVEPOINT tollbook", err);
}

const char *
param_number(struct arena *arena, int64_t number)
{
	return arena_format(arena, "%lld", (long long)number);
}

const char *
param_instant(struct arena *arena, struct instant instant)
{
	char text[INSTANT_TEXT];

	return arena_format(arena, "%s", instant_format(instant, text));
}

/* What stands before the next element. */
static void
elements_separate(struct text *array)
{
	text_add(array, array->length == 0 ? "{" : ",", 1);
}

void
elements_add(struct text *array, const char *value)
{
	elements_separate(array);
	text_add(array, "\"", 1);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '"' || *at == '\\')
			text_add(array, "\\", 1);
		text_add(array, at, 1);
	}
	text_add(array, "\"", 1);
}

void
elements_add_number(struct text *array, int64_t number)
{
	char text[DECIMAL_TEXT];

	elements_separate(array);
	text_add_string(array, integer_format(number, text));
}

const char *
elements_end(struct text *array)
{
	if (array->length == 0)
		elements_separate(array);
	text_add(array, "}", 1);
	return text_string(array);
}

void
text_add_elements(struct text *out, const char *const *values, size_t count)
{
	struct text array = {0};

	for (size_t i = 0; i < count; i++)
		elements_add(&array, values[i]);
	elements_end(&array);
	text_add(out, array.bytes, array.length);
	text_release(&array);
}

const char *
param_hex(struct arena *arena, const void *bytes, size_t length)
{
	char *text = arena_take(arena, 2 * length + 3);

	text[0] = '\\';
	text[1] = 'x';
	digest_hex(bytes, length, text + 2);
	return text;
}

static bool
prepare(struct db *db, enum statement_id id, struct error *err)
{
	PGresult *result;
	bool fine;

	if (db->prepared[id])
		return true;
	result = PQprepare(db->connection, statements[id].name, statements[id].text, 0, NULL);
	fine = PQresultStatus(result) == PGRES_COMMAND_OK;
	if (!fine)
		server_error(db, result, statements[id].name, err);
	PQclear(result);
	db->prepared[id] = fine;
	return fine;
}

enum { AS_TEXT, AS_BINARY };

static PGresult *
execute(struct db *db, enum statement_id id, struct params params, int form, struct error *err)
{
	PGresult *result;

	if (!prepare(db, id, err))
		return NULL;
	result = PQexecPrepared(db->connection, statements[id].name, params.count, params.value, NULL, NULL, form);
	if (PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK)
		return result;
	server_error(db, result, statements[id].name, err);
	PQclear(result);
	return NULL;
}

static bool
ask(struct db *db, enum statement_id id, struct params params, int form, struct rows *out, struct error *err)
{
	PGresult *result = execute(db, id, params, form, err);

	if (result == NULL)
		return false;
	*out = (struct rows){.result = result, .count = PQntuples(result)};
	return true;
}

bool
db_rows(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err)
{
	return ask(db, id, params, AS_TEXT, out, err);
}

bool
db_rows_binary(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err)
{
	return ask(db, id, params, AS_BINARY, out, err);
}

bool
db_one_row(struct db *db, enum statement_id id, struct params params, struct rows *out, struct error *err)
{
	if (!db_rows(db, id, params, out, err))
		return false;
	if (out->count == 1)
		return true;
	error_set(err, ERROR_STATE, "%s: one row was promised and %d came", statements[id].name, out->count);
	rows_release(out);
	return false;
}

bool
db_change(struct db *db, enum statement_id id, struct params params, int64_t expected, struct error *err)
{
	PGresult *result = execute(db, id, params, AS_TEXT, err);
	int64_t changed;

	if (result == NULL)
		return false;
	changed = strtoll(PQcmdTuples(result), NULL, 10);
	PQclear(result);
	if (expected >= 0 && changed != expected)
		return error_set(err, ERROR_STATE, "%s: %lld rows were to change and %lld did", statements[id].name,
		    (long long)expected, (long long)changed);
	return true;
}

bool
db_script(struct db *db, const struct statement *script, struct error *err)
{
	PGresult *result = PQexec(db->connection, script->text);
	bool fine = PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;

	if (!fine)
		server_error(db, result, script->name, err);
	PQclear(result);
	return fine;
}

void
rows_release(struct rows *rows)
{
	PQclear(rows->result);
	*rows = (struct rows){0};
}

int
rows_columns(const struct rows *rows)
{
	return PQnfields(rows->result);
}

const char *
rows_column_name(const struct rows *rows, int column)
{
	return PQfname(rows->result, column);
}

bool
row_is_null(const struct rows *rows, int row, int column)
{
	must(row < rows->count && column < PQnfields(rows->result));
	return PQgetisnull(rows->result, row, column) == 1;
}

const char *
row_text(const struct rows *rows, int row, int column)
{
	must(row < rows->count && column < PQnfields(rows->result));
	return PQgetvalue(rows->result, row, column);
}

size_t
row_length(const struct rows *rows, int row, int column)
{
	return (size_t)PQgetlength(rows->result, row, column);
}

struct bytes
row_bytes(const struct rows *rows, int row, int column)
{
	return (struct bytes){row_text(rows, row, column), row_length(rows, row, column)};
}

i128
row_integer(const struct rows *rows, int row, int column)
{
	struct error err;
	i128 value;

	must(integer_parse(row_text(rows, row, column), row_length(rows, row, column), &value, &err));
	return value;
}

int64_t
row_number(const struct rows *rows, int row, int column)
{
	i128 value = row_integer(rows, row, column);

	must(value >= INT64_MIN && value <= INT64_MAX);
	return (int64_t)value;
}

struct decimal
row_decimal(const struct rows *rows, int row, int column)
{
	struct error err;
	struct decimal value;

	must(decimal_parse(row_text(rows, row, column), row_length(rows, row, column), &value, &err));
	return value;
}

struct instant
row_instant(const struct rows *rows, int row, int column)
{
	return (struct instant){row_number(rows, row, column)};
}

bool
row_bool(const struct rows *rows, int row, int column)
{
	return row_text(rows, row, column)[0] == 't';
}

bool
db_copy_in_begin(struct db *db, enum statement_id id, struct error *err)
{
	PGresult *result = PQexec(db->connection, statements[id].text);
	bool fine = PQresultStatus(result) == PGRES_COPY_IN;

	if (!fine)
		server_error(db, result, statements[id].name, err);
	PQclear(result);
	return fine;
}

bool
db_copy_in_bytes(struct db *db, const char *bytes, size_t length, struct error *err)
{
	enum { CHUNK = 1 << 16 };

	for (size_t sent = 0; sent < length;) {
		size_t part = length - sent < CHUNK ? length - sent : CHUNK;

		if (PQputCopyData(db->connection, bytes + sent, (int)part) != 1)
			return server_error(db, NULL, "sending rows", err);
		sent += part;
	}
	return true;
}

/* All results up to the NULL that ends a COPY; the first failure is the one that is told. */
static bool
finish_copy(struct db *db, int64_t *rows, struct error *err)
{
	PGresult *result;
	bool fine = true;

	while ((result = PQgetResult(db->connection)) != NULL) {
		if (PQresultStatus(result) == PGRES_COMMAND_OK)
			*rows = strtoll(PQcmdTuples(result), NULL, 10);
		else if (fine)
			fine = server_error(db, result, "copying rows", err);
		PQclear(result);
	}
	return fine;
}

bool
db_copy_in_end(struct db *db, int64_t *rows, struct error *err)
{
	*rows = 0;
	if (PQputCopyEnd(db->connection, NULL) != 1)
		return server_error(db, NULL, "ending a copy", err);
	return finish_copy(db, rows, err);
}

void
copy_text_field(struct text *out, const char *bytes, size_t length)
{
	size_t start = 0;

	for (size_t i = 0; i < length; i++) {
		const char *escaped;

		switch (bytes[i]) {
		case '\\':
			escaped = "\\\\";
			break;
		case '\t':
			escaped = "\\t";
			break;
		case '\n':
			escaped = "\\n";
			break;
		case '\r':
			escaped = "\\r";
			break;
		default:
			continue;
		}
		text_add(out, bytes + start, i - start);
		text_add_string(out, escaped);
		start = i + 1;
	}
	text_add(out, bytes + start, length - start);
}

void
copy_text_column(struct text *out, const char *value)
{
	copy_text_field(out, value, strlen(value));
	text_add(out, "\t", 1);
}

bool
db_copy_in_text(struct db *db, enum statement_id id, struct text *rows, struct error *err)
{
	int64_t taken;

	if (rows->length == 0)
		return true;
	if (!db_copy_in_begin(db, id, err) || !db_copy_in_bytes(db, rows->bytes, rows->length, err) ||
	    !db_copy_in_end(db, &taken, err))
		return false;
	text_clear(rows);
	return true;
}

enum { BINARY_HEADER = 19 };

/* Takes the header off the first message; a trailer (-1 as the column count) is no row. */
static bool
deliver(db_copy_row *row, void *context, bool first, const char *bytes, size_t length, struct error *err)
{
	static const char signature[11] = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', '\377', '\r', '\n', '\0'};

	if (first && length >= BINARY_HEADER && memcmp(bytes, signature, sizeof signature) == 0) {
		bytes += BINARY_HEADER;
		length -= BINARY_HEADER;
	}
	if (length == 0 || (length == 2 && memcmp(bytes, "\377\377", 2) == 0))
		return true;
	return row(context, bytes, length, err);
}

bool
db_copy_out(struct db *db, enum statement_id id, db_copy_row *row, void *context, struct error *err)
{
	PGresult *result = PQexec(db->connection, statements[id].text);
	bool fine = PQresultStatus(result) == PGRES_COPY_OUT, first = true;
	int64_t count;
	char *message;
	int length;

	if (!fine)
		server_error(db, result, statements[id].name, err);
	PQclear(result);
	if (!fine)
		return false;
	while ((length = PQgetCopyData(db->connection, &message, 0)) > 0) {
		/* After a failure the rest is read and dropped, so that the connection can be used again. */
		if (fine)
			fine = deliver(row, context, first, message, (size_t)length, err);
		first = false;
		PQfreemem(message);
	}
	if (length == -2 && fine)
		fine = server_error(db, NULL, statements[id].name, err);
	if (fine)
		return finish_copy(db, &count, err);
	struct error ignored;
	bool ended = finish_copy(db, &count, &ignored);

	(void)ended;
	return false;
}
