/*
 * explain.h -- where a number comes from: one answer, told to people as sections from top to bottom, to programs as one JSON
 * tree.
 *
 * What is said goes through the functions below, which know who listens: names are keys of the tree, labels and headings are
 * for people.  Amounts, prices and exact sums are texts in the tree; so are identifiers; counts and quantities are numbers
 * where they are whole.
 */
#ifndef REPORTS_EXPLAIN_H
#define REPORTS_EXPLAIN_H

#include "base/command.h"
#include "ledger/meter.h"

struct explanation {
	struct run *run;
	const char *intervals, *events; /* at most so many of each are shown: parameters of statements */
	struct text tree;               /* the JSON so far, where that is wanted */
	int depth;
	bool begun; /* the innermost object or list has something in it */
};

enum explain_kind {
	EXPLAIN_TEXT,
	EXPLAIN_NUMBER, /* bare in the tree where it is a whole number */
	EXPLAIN_AMOUNT, /* right-aligned for people, a text in the tree */
	EXPLAIN_BOOL,   /* 't' or 'f' of the server */
	EXPLAIN_JSON,   /* JSON as it stands */
};

/* A column of a result: `name` NULL is not in the tree, `title` NULL not for people.  Lists are ended by a row of NULLs. */
struct explain_column {
	const char *name, *title;
	enum explain_kind kind;
};

bool explains_to_people(const struct explanation *e);
/* An object of the tree; `name` NULL for the root. */
void explain_open(struct explanation *e, const char *name);
void explain_close(struct explanation *e);
/* One member of the open object; `value` NULL is null. */
void explain_member(struct explanation *e, const char *name, enum explain_kind kind, const char *value);
/* For people: a blank line and a heading; and a line with its label. */
void explain_heading(const struct explanation *e, const char *format, ...) PRINTF_LIKE(2, 3);
void explain_say(const struct explanation *e, const char *label, const char *format, ...) PRINTF_LIKE(3, 4);
/* The columns of a row: members of the open object, and a line each for people where there is something to say. */
void explain_facts(struct explanation *e, const struct explain_column *columns, const struct rows *rows, int row);
/* Rows as a list of objects, and as a table under a heading; people hear nothing of a list without rows. */
void explain_list(
    struct explanation *e, const char *name, const char *heading, const struct explain_column *columns, const struct rows *rows);
/* Asks and lists in one. */
MUST_CHECK
bool explain_query(struct explanation *e, const char *name, const char *heading, const struct explain_column *columns,
    enum statement_id statement, struct params params, struct error *err);

/* The answers.  Each writes members of the open object; a thing that is not there is an error of kind STATE. */
MUST_CHECK
bool explain_line(struct explanation *e, const char *document, const char *line, struct error *err);
MUST_CHECK
bool explain_credit_note(struct explanation *e, const char *number, const char *place, bool *found, struct error *err);
MUST_CHECK
bool explain_credit(struct explanation *e, const char *grant, const char *place, struct error *err);
MUST_CHECK
bool explain_adjustment(struct explanation *e, const char *adjustment, struct error *err);
MUST_CHECK
bool explain_rerate(struct explanation *e, const char *rerate, const char *place, struct error *err);
/* `event` is the identity as a UUID. */
MUST_CHECK
bool explain_event(struct explanation *e, const char *event, struct error *err);
/* The error for what is not there; its hint lists the forms. */
bool explain_unknown(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Of explain_adjustments.sql and explain_line_notes.sql. */
extern const struct explain_column explain_adjustment_columns[], explain_note_columns[];

/* The usage of a period that is attributed to a model, service tier and meter, as far as a run knew it; and the rating it was
 * priced by. */
struct explain_usage {
	const char *tenant, *model, *service_tier;
	const struct meter *meter;
	const char *starts, *ends, *until_run, *rating;
};
/* Its intervals and events, the first of each.  Where the intervals do not come to what that rating charges and holds, the
 * command has found something. */
MUST_CHECK
bool explain_usage(struct explanation *e, const struct explain_usage *usage, struct error *err);

#endif
