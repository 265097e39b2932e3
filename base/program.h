/*
 * program.h -- runs another program, without a shell, and keeps what it said.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <sys/types.h>

#include "base/memory.h"

/* The account that a program runs under. */
struct account {
	char name[64];
	uid_t uid;
	gid_t gid;
};

/* The account we run under ourselves. */
MUST_CHECK
bool account_own(struct account *out, struct error *err);
MUST_CHECK
bool account_by_name(const char *name, struct account *out, struct error *err);
MUST_CHECK
bool account_by_uid(uid_t uid, struct account *out, struct error *err);
/* The first folder on the way to `path` (absolute, itself included) that the account may not enter, appended to `out`;
 * nothing is appended where all are open to it.  Asked of the kernel, so that access lists count too. */
MUST_CHECK
bool account_first_closed(const struct account *account, const char *path, struct text *out, struct error *err);

struct program {
	const char *const *arguments;  /* ended by NULL; the first one is the program's path */
	const struct account *account; /* NULL, or another account that root lends it */
	const char *input;             /* at most PROGRAM_INPUT bytes on its standard input; NULL: nothing */
	int kept_file;                 /* a file descriptor that it inherits beside the standard ones, or 0 */
};

enum { PROGRAM_INPUT = 4096, PROGRAM_OUTPUT = 64 * 1024 };

/* Runs it in the root folder to its end.  *exit_code is its own, or 128 + the signal that ended it.  Standard output and
 * standard error together are appended to `output` (the first PROGRAM_OUTPUT bytes).  An error only where it could not be
 * run at all; a program that fails says so by its exit code. */
MUST_CHECK
bool program_run(const struct program *program, int *exit_code, struct text *output, struct error *err);

#endif
