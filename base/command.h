/*
 * command.h -- the verbs: what they are called, what they take, what they need, and how they are run.
 *
 * A verb is a `struct command` on top of its own file; tollbook.c only lists them.  Parser, --help and
 * the manual come from the same tables.  The command line is checked fully before anything is opened.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/db.h"
#include "base/error.h"
#include "base/instant.h"

struct option_spec {
	const char *name;     /* without the dashes */
	const char *argument; /* its name in the help, or NULL for a switch; "NAME..." may be given again, see option_each() */
	const char *help;
	char letter; /* short form, or 0 */
};

/* One use of an option on the command line. */
struct option_use {
	const struct option_spec *option;
	const char *value;
};

enum needs {
	NEEDS_NOTHING = 0,
	NEEDS_DB = 1,     /* a connection to a database whose schema is current */
	NEEDS_SERVER = 2, /* a connection, whatever the schema (init) */
};

enum output_format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

struct run;

struct command {
	const char *name; /* "ingest", or two words: "prices check" */
	const char *summary;
	const char *operands;              /* as shown in the usage line: "FILE...", or "" */
	int operands_min, operands_max;    /* max -1: any number */
	const struct option_spec *options; /* ended by a NULL name; NULL for none */
	unsigned needs;
	bool prints_rows; /* takes --format table|json|csv; a "format" of its own takes any other value */
	bool takes_dry_run;
	const char *example; /* one or more lines for --help */
	bool (*run)(struct run *run, struct error *err);
};

/* One invocation. */
struct run {
	const struct command *command;
	struct db *db;           /* open where the command needs it, or after run_open_db(); closed by the front door */
	const char *conninfo;    /* --db, or NULL */
	const char *config_path; /* --config, or NULL */
	struct instant now;      /* --as-of, or the clock at the start */
	bool as_of;              /* it is --as-of */
	int64_t filter_mib;      /* the setting register.filter_mib, once the database is open */
	enum output_format format;
	bool dry_run;
	bool quiet;
	const char *by;    /* who: --by, or $USER */
	int64_t night_run; /* the nightly run that this is part of, or 0; then every line of talk names it */
	bool log_json;     /* lines of talk, and the error that ends it, are JSON */
	char **operands;
	int operand_count;
	const char **values;     /* by index of command->options */
	struct option_use *uses; /* of options that repeat, in their order */
	size_t use_count;
	enum error_kind finding; /* set to ERROR_FINDINGS by a command that succeeded but found something */
	struct arena arena;      /* lives as long as the command */
};

/* The value of an option of the command, NULL when not given; a switch gives "". The name must be declared. */
const char *option_value(const struct run *run, const char *name);
/* The same, but "" when not given. */
const char *option_text(const struct run *run, const char *name);
/* The value of the use number `at` (from 0) of an option that repeats, NULL behind the last one. */
const char *option_each(const struct run *run, const char *name, size_t at);
/* Opens the database for a verb that needs one with some of its options only: its `needs` is NEEDS_NOTHING.  Again, it does nothing. */
MUST_CHECK
bool run_open_db(struct run *run, struct error *err);
/* What time it is for a verb that runs on and on: run->now where that is --as-of, else the clock. */
struct instant run_clock(const struct run *run);
/* Milliseconds of a clock that never jumps, for intervals only. */
int64_t clock_ms(void);
/* Waits; a signal may end it early. */
void clock_wait(int64_t milliseconds);
/* A whole number option within [least, most]; `otherwise` when not given. */
MUST_CHECK
bool option_number(
    const struct run *run, const char *name, int64_t least, int64_t most, int64_t otherwise, int64_t *out, struct error *err);

/* The whole of main(): parses, opens, runs, flushes, prints the error, returns the exit code. */
int commands_main(const struct command *const *commands, int argc, char **argv);

/* Prints to standard error, unless --quiet, one line of talk; as a JSON object where run->log_json says so. */
void say(const struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* A progress line on a terminal: rewritten in place, at most ten times a second, nothing when stderr is no terminal, or run->log_json. */
void progress(const struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same, of work that can be counted: how much of it is done (of a total, unless that is 0: not known), how fast, and how long the
 * rest will take.  `what` is "rating: tenant periods"; another text, or less done than before, is another work. */
void progress_count(const struct run *run, const char *what, int64_t done, int64_t total);
/* Takes the line away; say() does that, too. */
void progress_end(const struct run *run);

#endif
