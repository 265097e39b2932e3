/*
 * cell.h -- what is meant to stand in a cell of a spreadsheet.
 *
 * A spreadsheet holds numbers as binary floating point of 15 significant digits.  So a number becomes a number
 * cell only where its 15 digits say all of it; what needs more becomes text, digit for digit.  Everything is
 * decided here, in exact arithmetic, before a library sees it.
 */
#ifndef REPORTS_CELL_H
#define REPORTS_CELL_H

#include "base/decimal.h"
#include "base/instant.h"
#include "base/memory.h"

enum cell_kind {
	CELL_EMPTY,
	CELL_TEXT,
	CELL_NUMBER,         /* also dates: days since 1899-12-30, shown by their format */
	CELL_FORMULA_NUMBER, /* `number` is what the formula comes to */
	CELL_FORMULA_TEXT,   /* `text` is what the formula comes to */
};

enum cell_style {
	STYLE_PLAIN,
	STYLE_LEFT,  /* a number in a list of facts */
	STYLE_RIGHT, /* digits that are text */
	STYLE_TITLE,
	STYLE_HEADER,
	STYLE_HEADER_RIGHT, /* above a column of numbers */
	STYLE_HEADER_CENTER,
	STYLE_LABEL,
	STYLE_TOTAL,
	STYLE_NOTE,
	STYLE_GOOD,
	STYLE_BAD,
	CELL_STYLES
};

enum {
	CELL_DIGITS = 15,        /* what a spreadsheet's number can hold */
	CELL_TEXT_LIMIT = 32000, /* bytes; a spreadsheet takes 32,767 characters */
};

/* The texts are not owned; they live until the row is written. */
struct cell {
	enum cell_kind kind;
	enum cell_style style;
	const char *text;      /* CELL_TEXT, CELL_FORMULA_TEXT */
	const char *formula;   /* with its "=" */
	const char *format;    /* of a number; NULL: general */
	struct decimal number; /* at most CELL_DIGITS significant digits */
};

/* Text stays text, whatever it looks like.  Beyond CELL_TEXT_LIMIT it is cut, and the cut says how much is missing. */
struct cell cell_text(struct arena *arena, const char *text);
/* A number with all of its decimals (at least `places` are shown); text where 15 digits cannot hold it. */
struct cell cell_decimal(struct arena *arena, struct decimal value, int places);
/* A number of 15 digits, rounded half up where it has more, so that sums of such cells agree with the sum of the exact
 * amounts as far as it is shown: with `places` decimals.  Text where 15 digits leave no room for `least` decimals. */
struct cell cell_amount(struct arena *arena, struct decimal value, int places, int least);
/* All 18 decimals, as text: "12.345" is twelve and a bit in every program that opens it. */
struct cell cell_exact(struct arena *arena, struct decimal value);
/* The instant in UTC, to the second. */
struct cell cell_instant(struct instant instant);
/* The day of an instant that is a midnight UTC. */
struct cell cell_date(struct instant midnight);
/* A formula and what it comes to.  The value is what a spreadsheet would find: rounded to 15 digits; `places` are shown. */
struct cell cell_formula(struct arena *arena, const char *formula, struct decimal value, int places);
struct cell cell_formula_text(const char *formula, const char *value);
struct cell cell_styled(struct cell cell, enum cell_style style);
/* No value, but the colour of its row. */
struct cell cell_blank(enum cell_style style);

/* How many decimals the value has, 0 to 18. */
int decimal_places(struct decimal value);
/* Rounded (half up) to `digits` significant digits. */
struct decimal decimal_to_digits(struct decimal value, int digits);
/* A number as a spreadsheet file writes it, "1.5E-07" also, rounded to CELL_DIGITS digits.  INPUT where it is none. */
MUST_CHECK
bool cell_number_parse(const char *bytes, size_t length, struct decimal *out, struct error *err);

#endif
