/*
 * vector_bill.h -- a row of tiers.csv or delta.csv as a price book and the terms of a contract, rated by the engine.
 *
 * `tiers` is up_to:unit_price:flat[:package_size], joined by semicolons.  Where a bound is a fraction the book counts in thousandths of
 * the row's unit; where only a quantity is, the units are seconds, which have fractions.
 */
#ifndef TESTS_UNIT_RATING_VECTOR_BILL_H
#define TESTS_UNIT_RATING_VECTOR_BILL_H

#include "tests/support/vectors.h"
#include "tests/unit/rating/charging_fixture.h"

enum { VECTOR_TEXT = 128 };

struct vector_tier {
	const char *up_to, *price, *flat, *package;
};

struct vector_bill {
	const char *model, *options;
	struct vector_tier tier[TIER_STEPS_MAX];
	size_t tiers;
	int meter;
	bool in_thousandths;
	bool in_percent;       /* of an amount: a unit costs a hundredth of the price */
	const char *package;   /* that all quantities are rounded up to, or NULL */
	const char *bounds_in; /* what the row's bounds are multiplied by */
	const char *per;
	char book[2048], terms[1024];
};

static inline bool
vector_starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The value of a key in "max=100;split=mid", copied into `out`; NULL where it has none. */
static inline const char *
vector_option(const char *options, const char *key, char out[VECTOR_TEXT])
{
	size_t length = strlen(key);

	for (const char *at = options; *at != '\0'; at += strcspn(at, ";"), at += *at == ';')
		if (strncmp(at, key, length) == 0 && at[length] == '=') {
			snprintf(out, VECTOR_TEXT, "%.*s", (int)strcspn(at + length + 1, ";"), at + length + 1);
			return out;
		}
	return NULL;
}

static inline bool
vector_has(const struct vector_bill *row, const char *key)
{
	char ignored[VECTOR_TEXT];

	return vector_option(row->options, key, ignored) != NULL;
}

static inline struct decimal
vector_times(struct decimal number, const char *by)
{
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_multiply(number, amount_of(by), ROUND_HALF_EVEN, &number, &err));
	return number;
}

/* `text` is cut into pieces, which the row keeps. */
static inline void
vector_read_tiers(struct vector_bill *row, char *text)
{
	for (char *tier; (tier = strsep(&text, ";")) != NULL; row->tiers++) {
		struct vector_tier *out = &row->tier[row->tiers];

		CU_ASSERT_FATAL(row->tiers < TIER_STEPS_MAX);
		out->up_to = strsep(&tier, ":");
		out->price = strsep(&tier, ":");
		out->flat = strsep(&tier, ":");
		out->package = tier;
		CU_ASSERT_PTR_NOT_NULL_FATAL(out->flat);
		if (strchr(out->up_to, '.') != NULL)
			row->in_thousandths = true;
	}
	row->bounds_in = row->per = row->in_thousandths ? "1000" : "1";
}

/* --- the book -------------------------------------------------------------------------------- */

static inline void
vector_add_price(const struct vector_bill *row, const struct vector_tier *tier, struct text *out)
{
	const char *package = tier->package != NULL ? tier->package : row->package;
	char price[DECIMAL_TEXT];

	text_add_format(
	    out, "'price': '%s'", decimal_format(vector_times(amount_of(tier->price), row->in_percent ? "0.01" : "1"), price));
	if (package != NULL)
		text_add_format(out, ", 'package': %s", package);
	if (strcmp(tier->flat, "0") != 0)
		text_add_format(out, ", 'fee': '%s'", tier->flat);
}

/* A step of no price before the others. */
static inline void
vector_add_free_step(const struct vector_bill *row, const char *up_to, struct text *out)
{
	text_add_format(out, "{'up_to': %s, 'price': '0'", up_to);
	if (row->package != NULL)
		text_add_format(out, ", 'package': %s", row->package);
	text_add_string(out, "}, ");
}

static inline void
vector_add_steps(const struct vector_bill *row, struct text *out)
{
	char value[VECTOR_TEXT] = "0", bound[DECIMAL_TEXT];
	bool is_one_tier = vector_has(row, "tier_from");
	struct decimal shift = {0};

	if (vector_option(row->options, "free_tier_prepended", value) != NULL)
		shift = amount_of(value);
	else
		vector_option(row->options, "tier_from", value);
	if (strcmp(value, "0") != 0)
		vector_add_free_step(row, value, out);
	for (size_t i = 0; i < row->tiers; i++) {
		text_add_string(out, i == 0 ? "{" : ", {");
		if (i + 1 < row->tiers || is_one_tier) {
			struct decimal up_to = vector_times(amount_of(row->tier[i].up_to), row->bounds_in);

			up_to.e18 += shift.e18;
			text_add_format(out, "'up_to': %s, ", decimal_format(up_to, bound));
		}
		vector_add_price(row, &row->tier[i], out);
		text_add_string(out, "}");
	}
	text_add_string(out, is_one_tier ? ", {'price': '0'}" : "");
}

static inline void
vector_write_book(struct vector_bill *row)
{
	const bool is_volume = vector_starts(row->model, "volume") || strcmp(row->model, "stairstep") == 0;
	struct text json = {0};
	char value[VECTOR_TEXT];

	text_add_format(&json, "{" HEAD ", 'rules': [{'model': 'm', 'prices': {'%s': {", meter_of(row->meter)->name);
	if (row->tiers == 1 && strcmp(row->tier[0].flat, "0") == 0 && !vector_has(row, "tier_from"))
		vector_add_price(row, &row->tier[0], &json);
	else {
		text_add_format(&json, "'tiers': '%s', 'steps': [", is_volume ? "volume" : "graduated");
		vector_add_steps(row, &json);
		text_add_string(&json, "]");
	}
	if (row->package == NULL && row->tier[0].package == NULL)
		text_add_format(&json, ", 'per': %s", row->per);
	text_add_string(&json, "}");
	if (vector_option(row->options, "fixed_per_event", value) != NULL)
		text_add_format(&json, ", 'tool_calls': {'price': '%s', 'per': 1}", value);
	/* What was billed before, for rows that only say so. */
	text_add_string(&json, ", 'runtime_seconds': {'price': '1', 'per': 1}}}]}");
	CU_ASSERT_FATAL(json.length < sizeof row->book);
	snprintf(row->book, sizeof row->book, "%s", text_string(&json));
	text_release(&json);
}

/* Minimum, maximum, discount and free units as terms; a minimum only at the end of the period. */
static inline void
vector_write_terms(struct vector_bill *row, bool is_last)
{
	char value[VECTOR_TEXT];
	struct text json = {0};

	if (is_last && vector_option(row->options, "min", value) != NULL)
		text_add_format(&json, ", 'minimum': {'amount': '%s'}", value);
	if (vector_option(row->options, "max", value) != NULL)
		text_add_format(&json, ", 'maximum': {'amount': '%s'}", value);
	if (vector_option(row->options, "discount_pct", value) != NULL)
		text_add_format(&json, ", 'discounts': [{'name': 'd', 'percent': '%s'}]", value);
	if (vector_option(row->options, "free_units", value) != NULL)
		text_add_format(&json, ", 'allowances': [{'name': 'units', 'meters': ['%s'], 'quantity': %s}",
		    meter_of(row->meter)->name, value);
	if (vector_option(row->options, "free_events", value) != NULL)
		text_add_format(&json, ", {'name': 'events', 'meters': ['tool_calls'], 'quantity': %s}", value);
	if (vector_has(row, "free_units"))
		text_add_string(&json, "]");
	snprintf(row->terms, sizeof row->terms, "{%s}", json.length == 0 ? "" : text_string(&json) + 1);
	text_release(&json);
}

/* --- the bill -------------------------------------------------------------------------------- */

static inline i128
vector_smallest_units(const struct vector_bill *row, struct decimal quantity)
{
	i128 units = quantity.e18 * meter_scale(meter_of(row->meter)) * (row->in_thousandths ? 1000 : 1);

	CU_ASSERT_TRUE_FATAL(units % decimal_one.e18 == 0);
	return units / decimal_one.e18;
}

/* What a quantity comes to, with as many events and so much billed before; and what the maximum took off. */
static inline struct decimal
vector_rate(const struct vector_bill *row, struct decimal quantity, i128 events, struct decimal before, struct decimal *taken_off)
{
	struct bill *bill = bill_under(row->book, strcmp(row->terms, "{}") == 0 ? NULL : row->terms);
	struct decimal sum;

	bill_add(bill, usage_on(1, "m", row->meter, vector_smallest_units(row, quantity)));
	if (events > 0)
		bill_add(bill, usage_on(1, "m", METER_tool_calls, events));
	if (before.e18 != 0)
		bill_add(bill, usage_on(1, "m", METER_runtime_seconds, before.e18 / 1000000000));
	bill_text(bill);
	CU_ASSERT_EQUAL(bill->rated.hold_count, 0);
	sum = bill_sum(bill);
	*taken_off = (struct decimal){0};
	for (size_t i = 0; i < bill->rated.charge_count; i++)
		if (bill->rated.charges[i].kind == CHARGE_MAXIMUM)
			taken_off->e18 -= bill->rated.charges[i].amount.e18;
	bill_close(bill);
	return sum;
}

static inline struct decimal
vector_to_the_cent(struct decimal amount)
{
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_round(amount, 2, ROUND_HALF_UP, &amount, &err));
	return amount;
}

#endif
