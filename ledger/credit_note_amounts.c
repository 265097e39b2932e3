/* credit_note_amounts.c -- see credit_note_amounts.h. */
#include "ledger/credit_note_amounts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ledger/tax.h"

enum part {
	PART_CREDITS,
	PART_ADDED, /* money above zero */
	PART_OFF    /* money below zero, counted above it */
};

static int64_t
part_of(const struct creditable_line *line, enum part part)
{
	if (part == PART_CREDITS)
		return line->credits;
	if (part == PART_OFF)
		return line->money < 0 ? -line->money : 0;
	return line->money > 0 ? line->money : 0;
}

static i128
sum_of(const struct creditable *invoice, enum part part)
{
	i128 sum = 0;

	for (size_t i = 0; i < invoice->count; i++)
		sum += part_of(&invoice->lines[i], part);
	return sum;
}

static i128
money_left(const struct creditable *invoice)
{
	return sum_of(invoice, PART_ADDED) - sum_of(invoice, PART_OFF);
}

int64_t
creditable_net(const struct creditable *invoice)
{
	i128 net = money_left(invoice) + sum_of(invoice, PART_CREDITS);

	must(net <= INT64_MAX && net >= -INT64_MAX);
	return (int64_t)net;
}

int64_t
creditable_money(const struct creditable *invoice)
{
	i128 money = money_left(invoice);

	must(money <= INT64_MAX && money >= -INT64_MAX);
	return (int64_t)money;
}

/* How much of an amount falls on each line, in proportion to this part of what is left; the amount is at most their sum. */
static int64_t *
spread(const struct creditable *invoice, enum part part, int64_t amount)
{
	int64_t *shares = memory_new(invoice->count, sizeof *shares);
	int64_t *weights;
	struct error err;

	must(amount >= 0 && amount <= sum_of(invoice, part));
	if (amount == 0)
		return shares;
	weights = memory_new(invoice->count, sizeof *weights);
	for (size_t i = 0; i < invoice->count; i++)
		weights[i] = part_of(&invoice->lines[i], part);
	must(split_by_largest_remainder(amount, weights, invoice->count, shares, &err));
	free(weights);
	return shares;
}

/* Takes up to `amount` off what is left of the lines with this key; what remains of the amount. */
static int64_t
settle_key(struct creditable *invoice, int64_t key, int64_t amount)
{
	for (size_t i = 0; key != 0 && i < invoice->count; i++) {
		struct creditable_line *line = &invoice->lines[i];
		int64_t off = part_of(line, PART_ADDED);

		if (line->key != key)
			continue;
		off = off < amount ? off : amount;
		line->money -= off;
		amount -= off;
	}
	return amount;
}

bool
creditable_settle(struct creditable *invoice, int64_t key, int64_t amount, struct error *err)
{
	int64_t *shares;

	must(amount >= 0);
	amount = settle_key(invoice, key, amount);
	if (amount > sum_of(invoice, PART_ADDED))
		return error_set(err, ERROR_STATE, "more was credited for adjustments than the invoice has left");
	shares = spread(invoice, PART_ADDED, amount);
	for (size_t i = 0; i < invoice->count; i++)
		invoice->lines[i].money -= shares[i];
	free(shares);
	return true;
}

void
credit_take_rest(struct creditable_line *line)
{
	line->takes_money = line->money;
	line->takes_credits = line->credits;
}

void
credit_take_all(struct creditable *invoice)
{
	for (size_t i = 0; i < invoice->count; i++)
		credit_take_rest(&invoice->lines[i]);
}

enum credit_verdict
credit_take_line(struct creditable_line *line, int64_t amount)
{
	int64_t left = line->money + line->credits;

	if (amount == 0)
		return CREDIT_NOTHING;
	if (left == 0)
		return CREDIT_ABOVE;
	if ((amount < 0) != (left < 0))
		return CREDIT_WRONG_SIGN;
	if (left < 0 ? amount < left : amount > left)
		return CREDIT_ABOVE;
	line->takes_credits = (int64_t)((i128)amount * line->credits / left);
	line->takes_money = amount - line->takes_credits;
	return CREDIT_FITS;
}

/* Money in proportion: what takes something off goes with it, so that both are used up together. */
static void
take_money(struct creditable *invoice, int64_t money)
{
	i128 left = money_left(invoice), off = left == 0 ? 0 : (i128)money * sum_of(invoice, PART_OFF) / left;
	int64_t *added = spread(invoice, PART_ADDED, (int64_t)(money + off)),
		*taken_off = spread(invoice, PART_OFF, (int64_t)off);

	for (size_t i = 0; i < invoice->count; i++)
		invoice->lines[i].takes_money = added[i] - taken_off[i];
	free(added);
	free(taken_off);
}

static void
take_credits(struct creditable *invoice, int64_t credits)
{
	int64_t *shares = spread(invoice, PART_CREDITS, credits);

	for (size_t i = 0; i < invoice->count; i++)
		invoice->lines[i].takes_credits = shares[i];
	free(shares);
}

enum credit_verdict
credit_take_amount(struct creditable *invoice, int64_t amount)
{
	int64_t net = creditable_net(invoice), credits;

	if (amount <= 0)
		return CREDIT_NOTHING;
	if (amount > net)
		return CREDIT_ABOVE;
	if (amount == net) {
		credit_take_all(invoice);
		return CREDIT_FITS;
	}
	credits = (int64_t)((i128)amount * sum_of(invoice, PART_CREDITS) / net);
	take_credits(invoice, credits);
	take_money(invoice, amount - credits);
	return CREDIT_FITS;
}

/* Moves what the note takes above the money that is left to the credits of the same lines, as far as they go; what could
 * not be. */
static i128
lift_credits(struct creditable *invoice, i128 above)
{
	for (size_t i = 0; above > 0 && i < invoice->count; i++) {
		struct creditable_line *line = &invoice->lines[i];
		int64_t lift = line->credits - line->takes_credits;

		if (lift > line->takes_money)
			lift = line->takes_money;
		if (lift > above)
			lift = (int64_t)above;
		if (lift <= 0)
			continue;
		line->takes_credits += lift;
		line->takes_money -= lift;
		above -= lift;
	}
	return above;
}

static bool
add_tax(const struct creditable *invoice, int64_t money, int64_t credits, struct credit_note_totals *out, struct error *err)
{
	struct money tax = {invoice->tax, invoice->currency};

	if (money < money_left(invoice) && !tax_of((struct money){money, invoice->currency}, invoice->percent, &tax, err))
		return false;
	if (tax.minor > invoice->tax)
		tax.minor = invoice->tax;
	*out =
	    (struct credit_note_totals){.net = money + credits, .credits = credits, .tax = tax.minor, .total = money + tax.minor};
	return true;
}

int64_t
creditable_credits(const struct creditable *invoice, int64_t key)
{
	int64_t sum = 0;

	for (size_t i = 0; key != 0 && i < invoice->count; i++)
		if (invoice->lines[i].key == key)
			sum += invoice->lines[i].credits;
	return sum;
}

bool
credit_adjustment_totals(const struct creditable *invoice, int64_t amount, int64_t credits, enum credit_verdict *verdict,
    struct credit_note_totals *out, struct error *err)
{
	must(credits >= 0 && credits <= (amount > 0 ? amount : 0));
	*verdict = amount <= 0                        ? CREDIT_NOTHING
	    : amount - credits > money_left(invoice)  ? CREDIT_ABOVE
	    : credits > sum_of(invoice, PART_CREDITS) ? CREDIT_ABOVE
						      : CREDIT_FITS;
	return *verdict != CREDIT_FITS || add_tax(invoice, amount - credits, credits, out, err);
}

bool
credit_note_totals(struct creditable *invoice, enum credit_verdict *verdict, struct credit_note_totals *out, struct error *err)
{
	i128 money = 0, credits = 0, left = money_left(invoice), moved;

	for (size_t i = 0; i < invoice->count; i++) {
		money += invoice->lines[i].takes_money;
		credits += invoice->lines[i].takes_credits;
	}
	moved = money > left ? money - left : 0;
	*verdict = lift_credits(invoice, moved) > 0 ? CREDIT_ABOVE : money < 0 ? CREDIT_RAISES : CREDIT_FITS;
	if (*verdict != CREDIT_FITS)
		return true;
	money -= moved;
	credits += moved;
	if (money > INT64_MAX || credits > INT64_MAX)
		return error_set(err, ERROR_RANGE, "the lines of the credit note come to more than an amount can be");
	if (money == 0 && credits == 0)
		*verdict = CREDIT_NOTHING;
	return add_tax(invoice, (int64_t)money, (int64_t)credits, out, err);
}
