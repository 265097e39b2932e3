/*
 * kill_at.c -- a process that dies at the worst moment, by its own hand: a library for LD_PRELOAD.
 *
 * Counts the calls that leave something behind: commands to PostgreSQL, and what is done to files.
 *   COUNT_TO=FILE            writes there how many there were, at the end of the process
 *   KILL_AT=NUMBER:HOW       kill -9 at the call with this number, from 1
 *   KILL_STEP=NAME:EDGE:HOW  kill -9 where a step of the nightly job has its EDGE, begin or end; NAME night is the whole night
 *   KILL_STATEMENT=NAME:HOW  kill -9 where the statement of this name is run first: rating/price_book_add
 *   KILL_TO=FILE             writes there at which call it died
 *   STOP_STEP=NAME:EDGE:HOW  is stopped there (SIGSTOP) instead, to be continued by somebody
 *   STOP_STATEMENT=NAME:HOW  the same at a statement
 *   STOP_AT=NUMBER:HOW       the same at a call
 * HOW is before the call, after it, or during: a command has been sent, and nobody waits for its answer; of what was to be written,
 * half is.  It is loaded for one process, not for those that it starts.
 */
#include <dlfcn.h>
#include <err.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAME = 64 };
enum how { NEVER, BEFORE, DURING, AFTER };

struct edge {
	char step[MOST_NAME], statement[MOST_NAME];
	enum how how;
	int signal;
};

static atomic_ulong calls;
static unsigned long fatal_call;
static enum how fatal_how;
static int fatal_signal = SIGKILL;
static struct edge edges[4];
static const char *count_path, *kill_path;

/* --- what is asked for ------------------------------------------------------------------------ */

static enum how
read_how(const char *text)
{
	static const char *const names[] = {[BEFORE] = "before", [DURING] = "during", [AFTER] = "after"};

	for (enum how how = BEFORE; how <= AFTER; how++)
		if (strcmp(text, names[how]) == 0)
			return how;
	errx(125, "kill_at: before, during or after, not \"%s\"", text);
}

static void
read_call(const char *text)
{
	char *end;

	fatal_call = strtoul(text, &end, 10);
	if (fatal_call == 0 || *end != ':')
		errx(125, "kill_at: a call is NUMBER:HOW, not \"%s\"", text);
	fatal_how = read_how(end + 1);
}

/* "rating/price_book_add:after" */
static void
read_statement(const char *text, int number, struct edge *edge)
{
	const char *colon = strchr(text, ':');

	if (colon == NULL || colon - text >= MOST_NAME)
		errx(125, "kill_at: a statement is NAME:HOW, not \"%s\"", text);
	memcpy(edge->statement, text, (size_t)(colon - text));
	edge->how = read_how(colon + 1);
	edge->signal = number;
}

/* "ingest:begin:after", of which the statement is nightly/step_begin. */
static void
read_edge(const char *text, int number, struct edge *edge)
{
	const char *colon = strchr(text, ':'), *second = colon == NULL ? NULL : strchr(colon + 1, ':');
	bool whole = strncmp(text, "night:", 6) == 0;

	if (second == NULL || colon - text >= MOST_NAME || second - colon > 16)
		errx(125, "kill_at: a step is NAME:EDGE:HOW, not \"%s\"", text);
	if (!whole)
		memcpy(edge->step, text, (size_t)(colon - text));
	snprintf(edge->statement, sizeof edge->statement, "nightly/%s_%.*s", whole ? "night" : "step", (int)(second - colon - 1),
	    colon + 1);
	edge->how = read_how(second + 1);
	edge->signal = number;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *call = getenv("KILL_AT"), *stop = getenv("STOP_AT"), *kill_step = getenv("KILL_STEP"),
		   *stop_step = getenv("STOP_STEP");
	const char *kill_statement = getenv("KILL_STATEMENT"), *stop_statement = getenv("STOP_STATEMENT");

	count_path = getenv("COUNT_TO");
	kill_path = getenv("KILL_TO");
	if (call != NULL || stop != NULL)
		read_call(call != NULL ? call : stop);
	fatal_signal = call != NULL ? SIGKILL : SIGSTOP;
	if (kill_step != NULL)
		read_edge(kill_step, SIGKILL, &edges[0]);
	if (stop_step != NULL)
		read_edge(stop_step, SIGSTOP, &edges[1]);
	if (kill_statement != NULL)
		read_statement(kill_statement, SIGKILL, &edges[2]);
	if (stop_statement != NULL)
		read_statement(stop_statement, SIGSTOP, &edges[3]);
	if (edges[1].how == DURING || edges[3].how == DURING || (fatal_signal == SIGSTOP && fatal_how == DURING))
		errx(125, "kill_at: what is stopped is stopped before or after a call");
	unsetenv("LD_PRELOAD");
}

/* --- dying ------------------------------------------------------------------------------------- */

/* The next one of this name: the library's own. */
static void
find_next(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found == NULL)
		errx(125, "kill_at: there is no %s", name);
	memcpy(function, &found, sizeof found);
}
#define NEXT(name)                                                                                                               \
	static __typeof__(&name) next;                                                                                           \
	if (next == NULL)                                                                                                        \
	find_next(&next, #name)

static void
note(const char *path, const char *name, unsigned long number)
{
	FILE *file = path == NULL ? NULL : fopen(path, "w");

	if (file == NULL)
		return;
	fprintf(file, "%lu %.*s\n", number, (int)strcspn(name, "\n"), name);
	fclose(file);
}

/* What is noted is not counted. */
static __thread bool is_noting;

static void
end_here(int number, const char *name, unsigned long call)
{
	is_noting = true;
	note(kill_path, name, call);
	is_noting = false;
	raise(number);
}

__attribute__((destructor)) static void
tell_count(void)
{
	unsigned long counted = atomic_load(&calls);

	is_noting = true;
	note(count_path, "calls", counted);
	is_noting = false;
}

/* Counts a call, and ends the process before it where that is asked for.  Says what is to be done with the call itself. */
static enum how
count(const char *name, unsigned long *number)
{
	if (is_noting)
		return NEVER;
	*number = atomic_fetch_add(&calls, 1) + 1;
	if (*number != fatal_call)
		return NEVER;
	if (fatal_how == BEFORE)
		end_here(fatal_signal, name, *number);
	return fatal_how;
}

static void
end_after(enum how how, const char *name, unsigned long number)
{
	if (how == AFTER)
		end_here(fatal_signal, name, number);
}

/* --- PostgreSQL -------------------------------------------------------------------------------- */

/* A command is sent, and its answer is of no interest any more. */
static void
send_and_end(PGconn *connection, int sent, const char *name, unsigned long call)
{
	if (sent == 1)
		PQflush(connection);
	end_here(SIGKILL, name, call);
}

PGresult *
PQexec(PGconn *connection, const char *query)
{
	unsigned long number = 0;
	enum how how = count("PQexec", &number);
	PGresult *result;

	NEXT(PQexec);
	if (how == DURING)
		send_and_end(connection, PQsendQuery(connection, query), query, number);
	result = next(connection, query);
	end_after(how, query, number);
	return result;
}

static struct edge *
edge_of(const char *statement, int count, const char *const *values)
{
	for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
		struct edge *edge = &edges[i];

		if (edge->how == NEVER || strcmp(statement, edge->statement) != 0)
			continue;
		if (edge->step[0] == '\0' || (count >= 2 && values[1] != NULL && strcmp(values[1], edge->step) == 0))
			return edge;
	}
	return NULL;
}

PGresult *
PQexecPrepared(PGconn *connection, const char *statement, int parameters, const char *const *values, const int *lengths,
    const int *formats, int result_format)
{
	unsigned long number = 0;
	enum how how = count("PQexecPrepared", &number);
	struct edge *edge = edge_of(statement, parameters, values);
	int signal_number = edge == NULL ? fatal_signal : edge->signal;
	PGresult *result;

	NEXT(PQexecPrepared);
	if (edge != NULL) {
		how = edge->how;
		edge->how = NEVER;
		if (how == BEFORE)
			end_here(signal_number, statement, number);
	}
	if (how == DURING)
		send_and_end(connection,
		    PQsendQueryPrepared(connection, statement, parameters, values, lengths, formats, result_format), statement,
		    number);
	result = next(connection, statement, parameters, values, lengths, formats, result_format);
	if (how == AFTER)
		end_here(signal_number, statement, number);
	return result;
}

PGresult *
PQexecParams(PGconn *connection, const char *command, int parameters, const Oid *types, const char *const *values,
    const int *lengths, const int *formats, int result_format)
{
	unsigned long number = 0;
	enum how how = count("PQexecParams", &number);
	PGresult *result;

	NEXT(PQexecParams);
	if (how == DURING)
		send_and_end(connection,
		    PQsendQueryParams(connection, command, parameters, types, values, lengths, formats, result_format), command,
		    number);
	result = next(connection, command, parameters, types, values, lengths, formats, result_format);
	end_after(how, command, number);
	return result;
}

int
PQputCopyData(PGconn *connection, const char *bytes, int length)
{
	unsigned long number = 0;
	enum how how = count("PQputCopyData", &number);
	int fine;

	NEXT(PQputCopyData);
	if (how == DURING)
		send_and_end(connection, next(connection, bytes, length / 2), "PQputCopyData", number);
	fine = next(connection, bytes, length);
	end_after(how, "PQputCopyData", number);
	return fine;
}

int
PQputCopyEnd(PGconn *connection, const char *message)
{
	unsigned long number = 0;
	enum how how = count("PQputCopyEnd", &number);
	int fine;

	NEXT(PQputCopyEnd);
	fine = next(connection, message);
	if (how == DURING)
		send_and_end(connection, fine, "PQputCopyEnd", number);
	end_after(how, "PQputCopyEnd", number);
	return fine;
}

/* --- files ------------------------------------------------------------------------------------- */

/* What has no half is done before the end comes. */
#define END_AFTER(how, name, number) end_after((how) == DURING ? AFTER : (how), name, number)

int
rename(const char *from, const char *to)
{
	unsigned long number = 0;
	enum how how = count("rename", &number);
	int failed;

	NEXT(rename);
	failed = next(from, to);
	END_AFTER(how, "rename", number);
	return failed;
}

int
fsync(int file)
{
	unsigned long number = 0;
	enum how how = count("fsync", &number);
	int failed;

	NEXT(fsync);
	failed = next(file);
	END_AFTER(how, "fsync", number);
	return failed;
}

int
mkdir(const char *path, mode_t mode)
{
	unsigned long number = 0;
	enum how how = count("mkdir", &number);
	int failed;

	NEXT(mkdir);
	failed = next(path, mode);
	END_AFTER(how, "mkdir", number);
	return failed;
}

int
unlink(const char *path)
{
	unsigned long number = 0;
	enum how how = count("unlink", &number);
	int failed;

	NEXT(unlink);
	failed = next(path);
	END_AFTER(how, "unlink", number);
	return failed;
}

static bool
is_regular(int file)
{
	struct stat status;

	return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t
write(int file, const void *bytes, size_t length)
{
	unsigned long number = 0;
	enum how how = file > 2 && is_regular(file) ? count("write", &number) : NEVER;
	ssize_t written;

	NEXT(write);
	written = next(file, bytes, how == DURING ? length / 2 : length);
	END_AFTER(how, "write", number);
	return written;
}

/* Streams write inside of the C library; what is in them gets there here. */
static bool
writes_file(FILE *stream)
{
	int file = stream == NULL ? -1 : fileno(stream);

	return file > 2 && is_regular(file);
}

int
fflush(FILE *stream)
{
	unsigned long number = 0;
	enum how how = writes_file(stream) ? count("fflush", &number) : NEVER;
	int failed;

	NEXT(fflush);
	failed = next(stream);
	END_AFTER(how, "fflush", number);
	return failed;
}

int
fclose(FILE *stream)
{
	unsigned long number = 0;
	enum how how = writes_file(stream) ? count("fclose", &number) : NEVER;
	int failed;

	NEXT(fclose);
	failed = next(stream);
	END_AFTER(how, "fclose", number);
	return failed;
}
