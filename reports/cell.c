/* cell.c -- see cell.h. */
#include "reports/cell.h"

#include <string.h>

enum { DAY_SECONDS = 86400, SECOND_US = 1000000 };

/* 1970-01-01 in days since 1899-12-30, the origin of the spreadsheet calendar (right from 1900-03-01 on). */
enum { SERIAL_1970 = 25569 };

static u128
size_of(i128 value)
{
	return value < 0 ? (u128)0 - (u128)value : (u128)value;
}

static int
count_digits(u128 value)
{
	int digits = 0;

	for (; value > 0; value /= 10)
		digits++;
	return digits;
}

static i128
power_of_ten(int exponent)
{
	i128 power = 1;

	must(exponent >= 0 && exponent <= 38);
	while (exponent-- > 0)
		power *= 10;
	return power;
}

struct decimal
decimal_to_digits(struct decimal value, int digits)
{
	u128 size = size_of(value.e18), unit, rounded;
	int excess = count_digits(size) - digits;

	if (excess <= 0)
		return value;
	unit = (u128)power_of_ten(excess);
	rounded = size / unit * unit;
	if (size - rounded >= unit - unit / 2)
		rounded += unit;
	must(rounded >> 127 == 0);
	return (struct decimal){value.e18 < 0 ? -(i128)rounded : (i128)rounded};
}

static bool
fits(struct decimal value)
{
	return decimal_to_digits(value, CELL_DIGITS).e18 == value.e18;
}

int
decimal_places(struct decimal value)
{
	u128 size = size_of(value.e18);
	int places = DECIMAL_PLACES;

	for (; places > 0 && size % 10 == 0; places--)
		size /= 10;
	return places;
}

/* "#,##0.00" with a red minus for credits. */
static const char *
number_format(struct arena *arena, int places)
{
	static const char zeros[] = "000000000000000000";

	if (places == 0)
		return "#,##0;[Red]-#,##0";
	return arena_format(arena, "#,##0.%.*s;[Red]-#,##0.%.*s", places, zeros, places, zeros);
}

struct cell
cell_text(struct arena *arena, const char *text)
{
	size_t length = strlen(text), kept = CELL_TEXT_LIMIT;

	if (length == 0)
		return (struct cell){.kind = CELL_EMPTY};
	if (length <= CELL_TEXT_LIMIT)
		return (struct cell){.kind = CELL_TEXT, .text = text};
	/* Not inside a UTF-8 character. */
	while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
		kept--;
	return (struct cell){.kind = CELL_TEXT,
	    .text = arena_format(arena, "%.*s ... (%zu more bytes do not fit in a cell)", (int)kept, text, length - kept)};
}

struct cell
cell_exact(struct arena *arena, struct decimal value)
{
	char text[DECIMAL_TEXT];

	return (struct cell){
	    .kind = CELL_TEXT, .style = STYLE_RIGHT, .text = arena_format(arena, "%s", decimal_format(value, text))};
}

struct cell
cell_decimal(struct arena *arena, struct decimal value, int places)
{
	int needed = decimal_places(value);

	if (!fits(value))
		return cell_exact(arena, value);
	return (struct cell){
	    .kind = CELL_NUMBER, .number = value, .format = number_format(arena, needed > places ? needed : places)};
}

struct cell
cell_amount(struct arena *arena, struct decimal value, int places, int least)
{
	if (size_of(value.e18) >= (u128)power_of_ten(DECIMAL_PLACES + CELL_DIGITS - least))
		return cell_exact(arena, value);
	return (struct cell){
	    .kind = CELL_NUMBER, .number = decimal_to_digits(value, CELL_DIGITS), .format = number_format(arena, places)};
}

struct cell
cell_instant(struct instant instant)
{
	int64_t seconds = instant.us / SECOND_US - (instant.us % SECOND_US < 0);
	i128 e18 = ((i128)seconds * power_of_ten(DECIMAL_PLACES)) / DAY_SECONDS + SERIAL_1970 * power_of_ten(DECIMAL_PLACES);

	return (struct cell){.kind = CELL_NUMBER,
	    .number = decimal_to_digits((struct decimal){e18}, CELL_DIGITS),
	    .format = "yyyy-mm-dd hh:mm:ss"};
}

struct cell
cell_date(struct instant midnight)
{
	struct cell cell = cell_instant(midnight);

	cell.format = "yyyy-mm-dd";
	return cell;
}

struct cell
cell_formula(struct arena *arena, const char *formula, struct decimal value, int places)
{
	return (struct cell){.kind = CELL_FORMULA_NUMBER,
	    .formula = formula,
	    .number = decimal_to_digits(value, CELL_DIGITS),
	    .format = number_format(arena, places)};
}

struct cell
cell_formula_text(const char *formula, const char *value)
{
	return (struct cell){.kind = CELL_FORMULA_TEXT, .formula = formula, .text = value};
}

struct cell
cell_styled(struct cell cell, enum cell_style style)
{
	cell.style = style;
	return cell;
}

struct cell
cell_blank(enum cell_style style)
{
	return (struct cell){.kind = CELL_EMPTY, .style = style};
}

/* --- reading back ---------------------------------------------------------------------------- */

/* A number in pieces: digits x 10^exponent. */
struct pieces {
	bool negative;
	u128 digits;
	int count; /* of significant digits read */
	int exponent;
};

/* Reads digits and a point; false where there is no digit or there are more than a double can mean. */
static bool
read_digits(const char **at, const char *end, struct pieces *out)
{
	bool point = false, any = false;

	for (; *at < end; ++*at) {
		if (**at == '.' && !point) {
			point = true;
			continue;
		}
		if (**at < '0' || **at > '9')
			break;
		any = true;
		if (out->digits > 0 || **at > '0')
			out->count++;
		if (out->count > 25)
			return false;
		out->digits = out->digits * 10 + (unsigned)(**at - '0');
		out->exponent -= point;
	}
	return any;
}

static bool
read_exponent(const char **at, const char *end, struct pieces *out)
{
	bool negative = false;
	int value = 0;
	const char *start;

	if (*at == end || (**at != 'E' && **at != 'e'))
		return *at == end;
	++*at;
	if (*at < end && (**at == '+' || **at == '-'))
		negative = *(*at)++ == '-';
	for (start = *at; *at < end && **at >= '0' && **at <= '9' && value < 1000; ++*at)
		value = value * 10 + (**at - '0');
	out->exponent += negative ? -value : value;
	return *at == end && *at > start;
}

bool
cell_number_parse(const char *bytes, size_t length, struct decimal *out, struct error *err)
{
	const char *at = bytes, *end = bytes + length;
	struct pieces number = {0};
	i128 e18;
	int shift;

	if (at < end && *at == '-') {
		number.negative = true;
		at++;
	}
	if (!read_digits(&at, end, &number) || !read_exponent(&at, end, &number)) {
		error_set(err, ERROR_INPUT, "a cell is not a number");
		return error_field(err, "", bytes, length);
	}
	shift = number.exponent + DECIMAL_PLACES;
	if (shift < -number.count)
		number.digits = 0;
	if (number.digits == 0)
		shift = 0;
	for (; shift < -1; shift++)
		number.digits /= 10;
	if (shift == -1) {
		number.digits = (number.digits + 5) / 10;
		shift = 0;
	}
	if (shift > 37 || __builtin_mul_overflow((i128)number.digits, power_of_ten(shift), &e18)) {
		error_set(err, ERROR_RANGE, "a number in a cell is out of range");
		return error_field(err, "", bytes, length);
	}
	*out = decimal_to_digits((struct decimal){number.negative ? -e18 : e18}, CELL_DIGITS);
	return true;
}
