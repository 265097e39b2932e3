/*
 * phases.c -- tollbook, with a clock at the steps of booking: linked in between, so that the program itself has none.  When it ends, the
 * file that TOLLBOOK_PHASES names gets a line for each step, "name<TAB>milliseconds<TAB>calls<TAB>what it is".
 *
 * The steps are those of the thread that books, one after the other, and "full", of the thread that reads: it waited for the other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ingest/handover.h"
#include "ledger/batch_rows.h"
#include "ledger/register.h"

enum phase { LOOK, ASK, ROWS, APPEND, COMMIT, TIDY, EMPTY, FULL, PHASES };

static struct {
	const char *name, *sentence;
	int64_t nanoseconds, calls;
} phases[PHASES] = {
    [LOOK] = {.name = "look", .sentence = "register: which runs there are"},
    [ASK] = {.name = "ask", .sentence = "register: ask filters, and pages where they doubt"},
    [ROWS] = {.name = "rows", .sentence = "encode the ledger's rows and COPY them"},
    [APPEND] = {.name = "append", .sentence = "register: pages and filter by COPY"},
    [COMMIT] = {.name = "commit", .sentence = "COMMIT"},
    [TIDY] = {.name = "tidy", .sentence = "register: merge runs"},
    [EMPTY] = {.name = "empty", .sentence = "wait for the thread that reads, parses and sorts"},
    [FULL] = {.name = "full", .sentence = "of the reading thread: wait for the thread that books"},
};

static int64_t
now(void)
{
	struct timespec time;

	must(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
note(enum phase phase, int64_t since)
{
	phases[phase].nanoseconds += now() - since;
	phases[phase].calls++;
}

__attribute__((destructor)) static void
tell(void)
{
	const char *path = getenv("TOLLBOOK_PHASES");
	FILE *out = path == NULL ? NULL : fopen(path, "w");

	if (out == NULL)
		return;
	for (int i = 0; i < PHASES; i++)
		fprintf(out, "%s\t%lld\t%lld\t%s\n", phases[i].name, (long long)(phases[i].nanoseconds / 1000000),
		    (long long)phases[i].calls, phases[i].sentence);
	must(fclose(out) == 0);
}

/* WRAP(phase, type, name, parameters, arguments) */
#define WRAP(phase, type, name, parameters, arguments)                                                                           \
	type __real_##name parameters;                                                                                           \
	type __wrap_##name parameters;                                                                                           \
	type __wrap_##name parameters                                                                                            \
	{                                                                                                                        \
		int64_t since = now();                                                                                           \
		type result = __real_##name arguments;                                                                           \
                                                                                                                                 \
		note(phase, since);                                                                                              \
		return result;                                                                                                   \
	}

WRAP(LOOK, bool, register_look, (struct usage_register * reg, struct db *db, struct error *err), (reg, db, err))
WRAP(ASK, bool, register_ask,
    (struct usage_register * reg, struct db *db, struct admitted *keys, size_t count, struct error *err),
    (reg, db, keys, count, err))
WRAP(APPEND, bool, register_append,
    (struct usage_register * reg, struct db *db, struct admitted *keys, size_t count, int64_t batch_id, bool *overtaken,
	struct error *err),
    (reg, db, keys, count, batch_id, overtaken, err))
WRAP(TIDY, bool, register_tidy, (struct usage_register * reg, struct db *db, struct error *err), (reg, db, err))
WRAP(ROWS, bool, batch_rows_copy,
    (struct ledger_writer * writer, struct batch *batch, int64_t batch_id, const struct reversals *reversals,
	struct row_facts *facts, struct error *err),
    (writer, batch, batch_id, reversals, facts, err))
WRAP(COMMIT, bool, db_commit, (struct db * db, struct error *err), (db, err))
WRAP(EMPTY, enum handover_state, handover_take_ready, (struct handover * handover, int wait_ms, struct batch **out),
    (handover, wait_ms, out))
WRAP(FULL, struct batch *, handover_take_free, (struct handover * handover, int wait_ms), (handover, wait_ms))
