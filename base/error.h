/*
 * error.h -- how a failure travels: by value, with everything a person needs to mend it.
 *
 * A function that can fail returns bool, takes `struct error *err` last, and fills it when it
 * returns false; it leaves *err alone when it returns true.  Only the front door prints one.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(position, first) __attribute__((format(printf, position, first)))

enum error_kind {
	ERROR_NONE = 0,
#define ERROR_KIND(name, exit_code, meaning) ERROR_##name,
#include "base/error_kinds.def"
#undef ERROR_KIND
};

struct error {
	enum error_kind kind;
	char message[512]; /* what could not be done: lower case, no full stop */
	char detail[1024]; /* one more sentence of fact, or empty */
	char hint[512];    /* the remedy, or empty */
	char file[256];    /* where: file name as the user gave it, or empty */
	uint64_t line;     /* where: line or record number from 1, or 0 */
	uint64_t column;   /* where in the line: from 1, in code points, or 0 */
	char field[96];    /* where: JSON path or column name, or empty */
	char value[128];   /* the offending value, made printable, or empty */
	char sqlstate[6];  /* the server's code where a database refused, or empty */
};

/* Starts an error.  All of these return false, so that a failure is one line: return error_set(...). */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);
/* Puts "context: " before the message of an error already set. */
bool error_wrap(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool error_detail(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool error_hint(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
/* Says where: a file and a line (0 for the whole file). */
bool error_at(struct error *err, const char *file, uint64_t line);
/* Says where in the line, after error_at(); 0 for the whole line. */
bool error_column(struct error *err, uint64_t column);
/* Says which field, and its value; control bytes of the value are shown as \xNN, long ones are cut with "...". */
bool error_field(struct error *err, const char *field, const char *value, size_t length);

/* Prints "tollbook: message" and the detail:, at:, hint: lines that are filled. */
void error_print(FILE *out, const struct error *err);
/* The process exit code of a kind (ERROR_NONE gives 0). */
int error_exit_code(enum error_kind kind);

/* A broken invariant: says so and aborts, in production too, so that the open transaction dies. */
#define must(condition) ((condition) ? (void)0 : must_failed(#condition, __FILE__, __LINE__))
void must_failed(const char *condition, const char *file, int line) __attribute__((noreturn));

#endif
