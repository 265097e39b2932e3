/*
 * credit_note_amounts.h -- how much a credit note takes of an invoice: the arithmetic alone.
 *
 * What is left of each line has two parts: one that money paid or is to pay (below zero of a discount), and one that credits
 * paid.  A note takes from both, and never more than is left, neither of a line nor of the invoice; so the one that takes
 * the last of it takes all that rounding left over, and the notes of an invoice come to the invoice exactly, whatever they
 * were.
 *
 * All amounts are minor units of the invoice's currency.
 */
#ifndef LEDGER_CREDIT_NOTE_AMOUNTS_H
#define LEDGER_CREDIT_NOTE_AMOUNTS_H

#include "base/money.h"

struct creditable_line {
	int64_t number; /* on the invoice */
	int64_t key;    /* lines about the same thing have the same one; 0: like no other */
	/* What is left of it. */
	int64_t money;   /* below zero of what takes something off */
	int64_t credits; /* at least 0 */
	/* What the note takes. */
	int64_t takes_money, takes_credits;
};

struct creditable {
	struct creditable_line *lines;
	size_t count;
	int64_t tax; /* what is left of the invoice's */
	struct decimal percent;
	const struct currency *currency;
};

/* total = net - credits + tax */
struct credit_note_totals {
	int64_t net, credits, tax, total;
};

enum credit_verdict {
	CREDIT_FITS,
	CREDIT_NOTHING,   /* it comes to nothing */
	CREDIT_ABOVE,     /* more than is left of the line, or of the invoice */
	CREDIT_RAISES,    /* what takes something off cannot be credited alone: the invoice would cost more */
	CREDIT_WRONG_SIGN /* an amount below zero of a line above zero, or the other way round */
};

/* What is left to be credited of the invoice, before tax; and of it, what money paid or is to pay. */
int64_t creditable_net(const struct creditable *invoice);
int64_t creditable_money(const struct creditable *invoice);
/* Takes money that was credited for an adjustment, which is no line, off what is left of the lines: of those with its key
 * first, then of all in proportion.  Credits have no part in it: credit_uses_left() says what is left of them.  ERROR_STATE
 * where less is left. */
MUST_CHECK
bool creditable_settle(struct creditable *invoice, int64_t key, int64_t amount, struct error *err);

/* The note takes all that is left. */
void credit_take_all(struct creditable *invoice);
/* The note takes all that is left of a line, or an amount of it; the part that credits paid is in proportion, rounded down. */
void credit_take_rest(struct creditable_line *line);
enum credit_verdict credit_take_line(struct creditable_line *line, int64_t amount);
/* The note takes an amount (above 0) in proportion to what is left of each line, by largest remainder. */
enum credit_verdict credit_take_amount(struct creditable *invoice, int64_t amount);

/* What credits paid and have not back, of the lines with a key. */
int64_t creditable_credits(const struct creditable *invoice, int64_t key);
/* What a note over an amount comes to that is not taken of the lines (adjustments); `credits` of it were paid by credits. */
MUST_CHECK
bool credit_adjustment_totals(const struct creditable *invoice, int64_t amount, int64_t credits, enum credit_verdict *verdict,
    struct credit_note_totals *out, struct error *err);
/* What the note comes to, as it was taken.  Where the lines that it takes would be above the money that is left of the
 * invoice (because of a discount on others), more of them goes to credits.  Tax is a percentage of net - credits, rounded
 * half away from zero, at most what is left of it; the note that takes the last money takes what is left of it.  Totals
 * count where the verdict is CREDIT_FITS, or CREDIT_NOTHING: then all are 0 but perhaps tax.  ERROR_RANGE where a sum does
 * not fit. */
MUST_CHECK
bool credit_note_totals(
    struct creditable *invoice, enum credit_verdict *verdict, struct credit_note_totals *out, struct error *err);

#endif
