/* credit_note_amounts_test.c -- whatever is credited of an invoice, in whatever order: never more than it, and all of it in the end. */
#include <stdlib.h>

#include "ledger/credit_note_amounts.h"
#include "ledger/tax.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

enum { LINES_MAX = 12 };

/* An invoice, and what its credit notes came to. */
struct fixture {
	struct creditable_line lines[LINES_MAX];
	struct creditable left;
	int64_t net, credits, tax, total;           /* of the invoice */
	struct credit_note_totals sum;              /* of its notes */
	int64_t amount[LINES_MAX], paid[LINES_MAX]; /* of a line, and what credits paid of it */
};

static int64_t
percent_of(int64_t minor, const char *percent)
{
	struct decimal rate;
	struct money tax = {0};
	struct error err;

	CU_ASSERT_TRUE_FATAL(decimal_parse(percent, strlen(percent), &rate, &err) &&
	    tax_of((struct money){minor, currency_find("USD")}, rate, &tax, &err));
	return tax.minor;
}

/* amounts and what credits paid of them, in cents; `paid` may be NULL */
static void
set_up(struct fixture *fixture, const int64_t *amounts, const int64_t *paid, size_t count, const char *percent)
{
	struct error err;

	*fixture = (struct fixture){.left = {.count = count, .currency = currency_find("USD")}};
	fixture->left.lines = fixture->lines;
	CU_ASSERT_TRUE_FATAL(decimal_parse(percent, strlen(percent), &fixture->left.percent, &err));
	for (size_t i = 0; i < count; i++) {
		fixture->amount[i] = amounts[i];
		fixture->paid[i] = paid == NULL ? 0 : paid[i];
		fixture->lines[i] = (struct creditable_line){.number = (int64_t)i + 1,
		    .key = (int64_t)i + 1,
		    .money = amounts[i] - fixture->paid[i],
		    .credits = fixture->paid[i]};
		fixture->net += amounts[i];
		fixture->credits += fixture->paid[i];
	}
	fixture->left.tax = fixture->tax = percent_of(fixture->net - fixture->credits, percent);
	fixture->total = fixture->net - fixture->credits + fixture->tax;
}

/* The note is issued: what it takes is not left any more. */
static void
issue(struct fixture *fixture, const struct credit_note_totals *note)
{
	for (size_t i = 0; i < fixture->left.count; i++) {
		struct creditable_line *line = &fixture->lines[i];

		line->money -= line->takes_money;
		line->credits -= line->takes_credits;
		line->takes_money = line->takes_credits = 0;
	}
	fixture->left.tax -= note->tax;
	fixture->sum.net += note->net;
	fixture->sum.credits += note->credits;
	fixture->sum.tax += note->tax;
	fixture->sum.total += note->total;
}

static void
forget(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->left.count; i++)
		fixture->lines[i].takes_money = fixture->lines[i].takes_credits = 0;
}

static struct credit_note_totals
totals(struct fixture *fixture, enum credit_verdict wanted)
{
	struct credit_note_totals note = {0};
	enum credit_verdict verdict = CREDIT_FITS;
	struct error err;

	CU_ASSERT_TRUE_FATAL(credit_note_totals(&fixture->left, &verdict, &note, &err));
	CU_ASSERT_EQUAL_FATAL(verdict, wanted);
	return note;
}

static void
credit_line(struct fixture *fixture, size_t place)
{
	struct credit_note_totals note;

	credit_take_rest(&fixture->lines[place]);
	note = totals(fixture, CREDIT_FITS);
	issue(fixture, &note);
}

/* Of every line no more than it had, of neither part; of the invoice neither. */
static void
expect_within(const struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->left.count; i++) {
		const struct creditable_line *line = &fixture->lines[i];
		int64_t money = fixture->amount[i] - fixture->paid[i];

		CU_ASSERT_TRUE_FATAL(line->credits >= 0 && line->credits <= fixture->paid[i]);
		CU_ASSERT_TRUE_FATAL(
		    money < 0 ? line->money <= 0 && line->money >= money : line->money >= 0 && line->money <= money);
	}
	CU_ASSERT_TRUE_FATAL(fixture->sum.net <= fixture->net && fixture->sum.credits <= fixture->credits);
	CU_ASSERT_TRUE_FATAL(fixture->sum.tax <= fixture->tax && fixture->sum.total <= fixture->total);
}

static void
expect_all_credited(const struct fixture *fixture)
{
	expect_within(fixture);
	CU_ASSERT_EQUAL(fixture->sum.net, fixture->net);
	CU_ASSERT_EQUAL(fixture->sum.credits, fixture->credits);
	CU_ASSERT_EQUAL(fixture->sum.tax, fixture->tax);
	CU_ASSERT_EQUAL(fixture->sum.total, fixture->total);
}

static void
single_lines_in_every_order_sum_to_the_invoice(void)
{
	static const int64_t amounts[] = {6833, 6833, 5750, 8500};

	for (size_t order = 0; order < 256; order++) {
		size_t place[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
		struct fixture fixture;

		if ((1U << place[0] | 1U << place[1] | 1U << place[2] | 1U << place[3]) != 15)
			continue;
		set_up(&fixture, amounts, NULL, 4, "20");
		CU_ASSERT_EQUAL(fixture.net, 27916);
		CU_ASSERT_EQUAL(fixture.tax, 5583);
		CU_ASSERT_EQUAL(fixture.total, 33499);
		for (size_t i = 0; i < 4; i++) {
			credit_line(&fixture, place[i]);
			expect_within(&fixture);
		}
		expect_all_credited(&fixture);
	}
}

static void
each_note_has_the_tax_of_its_rate_and_the_last_takes_the_rest(void)
{
	static const int64_t amounts[] = {6833, 6833, 5750, 8500}, tax[] = {1367, 1367, 1150, 1699};
	struct fixture fixture;

	set_up(&fixture, amounts, NULL, 4, "20");
	for (size_t i = 0; i < 4; i++) {
		int64_t before = fixture.sum.tax;

		credit_line(&fixture, i);
		CU_ASSERT_EQUAL(fixture.sum.tax - before, tax[i]);
	}
}

static void
ten_lines_of_three_cents_never_take_more_tax_than_there_is(void)
{
	static const int64_t amounts[10] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
	struct fixture fixture;

	set_up(&fixture, amounts, NULL, 10, "20");
	CU_ASSERT_EQUAL(fixture.tax, 6);
	for (size_t i = 0; i < 10; i++) {
		credit_line(&fixture, i);
		expect_within(&fixture);
	}
	expect_all_credited(&fixture);
}

static void
notes_of_one_cent_end_at_the_invoice(void)
{
	static const int64_t amounts[] = {100, 80, -30}, paid[] = {60, 7, 0};
	struct fixture fixture;
	int notes = 0;

	set_up(&fixture, amounts, paid, 3, "20");
	while (creditable_net(&fixture.left) > 0) {
		struct credit_note_totals note;

		CU_ASSERT_EQUAL_FATAL(credit_take_amount(&fixture.left, 1), CREDIT_FITS);
		note = totals(&fixture, CREDIT_FITS);
		CU_ASSERT_TRUE_FATAL(note.net == 1 && note.total >= 0);
		issue(&fixture, &note);
		expect_within(&fixture);
		notes++;
	}
	CU_ASSERT_EQUAL(notes, 150);
	expect_all_credited(&fixture);
}

static void
an_amount_is_spread_by_largest_remainder(void)
{
	static const int64_t amounts[] = {100, 100, 100, -60};
	struct fixture fixture;
	struct credit_note_totals note;

	/* 100 of 240: of 300 above zero 125, of 60 below it 25. */
	set_up(&fixture, amounts, NULL, 4, "10");
	CU_ASSERT_EQUAL(credit_take_amount(&fixture.left, 100), CREDIT_FITS);
	CU_ASSERT_EQUAL(fixture.lines[0].takes_money, 42);
	CU_ASSERT_EQUAL(fixture.lines[1].takes_money, 42);
	CU_ASSERT_EQUAL(fixture.lines[2].takes_money, 41);
	CU_ASSERT_EQUAL(fixture.lines[3].takes_money, -25);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_EQUAL(note.net, 100);
	CU_ASSERT_EQUAL(note.tax, 10);
	CU_ASSERT_EQUAL(note.total, 110);
}

static void
credits_get_their_share_of_a_line_rounded_down(void)
{
	static const int64_t amounts[] = {1000}, paid[] = {333};
	struct fixture fixture;
	struct credit_note_totals note;

	/* 100 x 333 / 1000 = 33.3 */
	set_up(&fixture, amounts, paid, 1, "20");
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 100), CREDIT_FITS);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_EQUAL(note.credits, 33);
	CU_ASSERT_EQUAL(note.tax, 13);
	CU_ASSERT_EQUAL(note.total, 80);
	issue(&fixture, &note);
	credit_line(&fixture, 0);
	expect_all_credited(&fixture);
}

static void
a_line_is_not_credited_above_what_is_left_of_it(void)
{
	static const int64_t amounts[] = {1000, -200};
	struct fixture fixture;

	set_up(&fixture, amounts, NULL, 2, "0");
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 1001), CREDIT_ABOVE);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], -1), CREDIT_WRONG_SIGN);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 0), CREDIT_NOTHING);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[1], -201), CREDIT_ABOVE);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[1], 1), CREDIT_WRONG_SIGN);
	CU_ASSERT_EQUAL(credit_take_amount(&fixture.left, 801), CREDIT_ABOVE);
	CU_ASSERT_EQUAL(credit_take_amount(&fixture.left, 0), CREDIT_NOTHING);
	fixture.lines[0].money = 0;
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 1), CREDIT_ABOVE);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], -1), CREDIT_ABOVE);
}

static void
a_line_below_zero_is_credited_only_with_another(void)
{
	static const int64_t amounts[] = {1000, -200};
	struct fixture fixture;
	struct credit_note_totals note;

	set_up(&fixture, amounts, NULL, 2, "20");
	credit_take_rest(&fixture.lines[1]);
	(void)totals(&fixture, CREDIT_RAISES);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 200), CREDIT_FITS);
	(void)totals(&fixture, CREDIT_NOTHING);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 250), CREDIT_FITS);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_EQUAL(note.total, 60);
}

static void
lines_without_their_discount_are_credited_up_to_the_invoice(void)
{
	static const int64_t amounts[] = {1000, -200};
	struct fixture fixture;
	struct credit_note_totals note;

	set_up(&fixture, amounts, NULL, 2, "20");
	credit_take_rest(&fixture.lines[0]);
	(void)totals(&fixture, CREDIT_ABOVE);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 800), CREDIT_FITS);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_EQUAL(note.total, 960);
	issue(&fixture, &note);
	credit_take_all(&fixture.left);
	note = totals(&fixture, CREDIT_NOTHING);
	CU_ASSERT_EQUAL(note.total, 0);
	issue(&fixture, &note);
	expect_all_credited(&fixture);
}

static void
what_credits_paid_alone_goes_back_to_credits_alone(void)
{
	static const int64_t amounts[] = {100, -30}, paid[] = {70, 0};
	struct fixture fixture;
	struct credit_note_totals note;

	/* In proportion 49 of 70 were credits; but no money was paid, so that all 70 are. */
	set_up(&fixture, amounts, paid, 2, "20");
	CU_ASSERT_EQUAL(fixture.total, 0);
	CU_ASSERT_EQUAL(credit_take_line(&fixture.lines[0], 70), CREDIT_FITS);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_EQUAL(note.credits, 70);
	CU_ASSERT_EQUAL(note.total, 0);
}

static void
an_invoice_of_zero_is_credited_in_full_with_nothing(void)
{
	static const int64_t amounts[] = {50, -50};
	struct fixture fixture;
	struct credit_note_totals note;

	set_up(&fixture, amounts, NULL, 2, "20");
	CU_ASSERT_EQUAL(credit_take_amount(&fixture.left, 1), CREDIT_ABOVE);
	credit_take_all(&fixture.left);
	note = totals(&fixture, CREDIT_NOTHING);
	CU_ASSERT_TRUE(note.net == 0 && note.tax == 0 && note.total == 0);
	issue(&fixture, &note);
	expect_all_credited(&fixture);
}

static void
an_adjustment_is_credited_of_the_money_and_leaves_that_much_less_of_its_line(void)
{
	static const int64_t amounts[] = {1000, 500}, paid[] = {0, 500};
	struct fixture fixture;
	struct credit_note_totals note = {0};
	enum credit_verdict verdict = CREDIT_NOTHING;
	struct error err;

	set_up(&fixture, amounts, paid, 2, "20");
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 1001, 0, &verdict, &note, &err));
	CU_ASSERT_EQUAL(verdict, CREDIT_ABOVE);
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 300, 0, &verdict, &note, &err));
	CU_ASSERT_EQUAL(verdict, CREDIT_FITS);
	CU_ASSERT_TRUE(note.net == 300 && note.credits == 0 && note.tax == 60 && note.total == 360);
	CU_ASSERT_TRUE_FATAL(creditable_settle(&fixture.left, 1, 300, &err));
	issue(&fixture, &note);
	CU_ASSERT_EQUAL(fixture.lines[0].money, 700);
	CU_ASSERT_EQUAL(fixture.lines[1].money + fixture.lines[1].credits, 500);
	credit_take_all(&fixture.left);
	note = totals(&fixture, CREDIT_FITS);
	CU_ASSERT_TRUE(note.net == 1200 && note.credits == 500 && note.tax == 140 && note.total == 840);
	issue(&fixture, &note);
	expect_all_credited(&fixture);
}

static void
an_adjustment_without_a_line_of_its_own_is_taken_off_all(void)
{
	static const int64_t amounts[] = {300, 100};
	struct fixture fixture;
	struct error err;

	set_up(&fixture, amounts, NULL, 2, "0");
	CU_ASSERT_TRUE_FATAL(creditable_settle(&fixture.left, 0, 100, &err));
	CU_ASSERT_EQUAL(fixture.lines[0].money, 225);
	CU_ASSERT_EQUAL(fixture.lines[1].money, 75);
	CU_ASSERT_FALSE(creditable_settle(&fixture.left, 0, 301, &err));
}

static void
what_credits_paid_of_an_adjustment_is_neither_money_nor_taxed(void)
{
	static const int64_t amounts[] = {1000, 500}, paid[] = {0, 500};
	struct fixture fixture;
	struct credit_note_totals note = {0};
	enum credit_verdict verdict = CREDIT_NOTHING;
	struct error err;

	set_up(&fixture, amounts, paid, 2, "20");
	CU_ASSERT_EQUAL(creditable_money(&fixture.left), 1000);
	CU_ASSERT_EQUAL(creditable_credits(&fixture.left, fixture.lines[0].key), 0);
	CU_ASSERT_EQUAL(creditable_credits(&fixture.left, fixture.lines[1].key), 500);
	CU_ASSERT_EQUAL(creditable_credits(&fixture.left, 0), 0);
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 400, 400, &verdict, &note, &err));
	CU_ASSERT_TRUE(verdict == CREDIT_FITS && note.net == 400 && note.credits == 400 && note.tax == 0 && note.total == 0);
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 1500, 500, &verdict, &note, &err));
	CU_ASSERT_TRUE(
	    verdict == CREDIT_FITS && note.net == 1500 && note.credits == 500 && note.tax == 200 && note.total == 1200);
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 501, 501, &verdict, &note, &err));
	CU_ASSERT_EQUAL(verdict, CREDIT_ABOVE);
	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture.left, 1401, 400, &verdict, &note, &err));
	CU_ASSERT_EQUAL(verdict, CREDIT_ABOVE);
}

/* --- any notes at all ------------------------------------------------------------------------ */

static int64_t
below(uint64_t *state, int64_t limit)
{
	return (int64_t)(random_next(state) % (uint64_t)limit);
}

static void
set_up_any(struct fixture *fixture, uint64_t *state)
{
	static const char *const percents[] = {"0", "20", "19", "7.7", "100", "0.000001"};
	int64_t amounts[LINES_MAX], paid[LINES_MAX] = {0}, room = 0, scale = below(state, 2) == 0 ? 10 : 100000;
	size_t count = 1 + (size_t)below(state, LINES_MAX);

	for (size_t i = 0; i < count; i++) {
		amounts[i] = below(state, scale);
		room += amounts[i];
	}
	for (size_t i = 0; i < count; i++)
		if (below(state, 4) == 0 && room > 0 && amounts[i] <= room - amounts[i]) {
			room -= 2 * amounts[i];
			amounts[i] = -amounts[i];
		}
	for (size_t i = 0; i < count; i++)
		if (amounts[i] > 0 && below(state, 2) == 0 && room > 0) {
			paid[i] = below(state, 3) == 0 ? amounts[i] : below(state, amounts[i] + 1);
			paid[i] = paid[i] < room ? paid[i] : room;
			room -= paid[i];
		}
	set_up(fixture, amounts, paid, count, percents[below(state, 6)]);
}

/* Lines, or an amount, at random; false where that is refused. */
static bool
take_any(struct fixture *fixture, uint64_t *state)
{
	int64_t net = creditable_net(&fixture->left);
	bool taken = false;

	if (below(state, 2) == 0)
		return net > 0 &&
		    credit_take_amount(&fixture->left, 1 + below(state, below(state, 2) == 0 ? net : 3)) == CREDIT_FITS;
	for (size_t i = 0; i < fixture->left.count; i++) {
		struct creditable_line *line = &fixture->lines[i];
		int64_t left = line->money + line->credits, size = left < 0 ? -left : left;

		if (size == 0 || below(state, 3) != 0)
			continue;
		size = below(state, 2) == 0 ? size : 1 + below(state, size);
		CU_ASSERT_EQUAL_FATAL(credit_take_line(line, left < 0 ? -size : size), CREDIT_FITS);
		taken = true;
	}
	return taken;
}

/* An adjustment of some of the money that is left. */
static void
settle_any(struct fixture *fixture, uint64_t *state)
{
	int64_t amount = below(state, creditable_net(&fixture->left) + 2), before = creditable_net(&fixture->left);
	enum credit_verdict verdict = CREDIT_NOTHING;
	struct credit_note_totals note = {0};
	struct error err;

	CU_ASSERT_TRUE_FATAL(credit_adjustment_totals(&fixture->left, amount, 0, &verdict, &note, &err));
	if (verdict != CREDIT_FITS)
		return;
	CU_ASSERT_TRUE_FATAL(creditable_settle(&fixture->left, below(state, LINES_MAX), amount, &err));
	CU_ASSERT_EQUAL_FATAL(creditable_net(&fixture->left), before - amount);
	issue(fixture, &note);
}

static void
note_any(struct fixture *fixture, uint64_t *state)
{
	enum credit_verdict verdict = CREDIT_NOTHING;
	struct credit_note_totals note = {0};
	struct error err;

	forget(fixture);
	if (below(state, 8) == 0) {
		settle_any(fixture, state);
		return;
	}
	if (!take_any(fixture, state)) {
		forget(fixture);
		return;
	}
	CU_ASSERT_TRUE_FATAL(credit_note_totals(&fixture->left, &verdict, &note, &err));
	if (verdict != CREDIT_FITS) {
		forget(fixture);
		return;
	}
	CU_ASSERT_TRUE_FATAL(
	    note.total >= 0 && note.tax >= 0 && note.credits >= 0 && note.total == note.net - note.credits + note.tax);
	issue(fixture, &note);
}

static void
any_notes_stay_within_the_invoice_and_end_at_it(void)
{
	enum { INVOICES = 20000, NOTES = 8 };
	uint64_t state = random_begin();

	for (int i = 0; i < INVOICES; i++) {
		struct credit_note_totals note = {0};
		enum credit_verdict verdict = CREDIT_ABOVE;
		struct fixture fixture;
		struct error err;

		set_up_any(&fixture, &state);
		for (int64_t notes = below(&state, NOTES); notes > 0; notes--) {
			note_any(&fixture, &state);
			expect_within(&fixture);
		}
		/* An amount always fits where there is that much. */
		if (creditable_net(&fixture.left) > 0) {
			forget(&fixture);
			CU_ASSERT_EQUAL_FATAL(
			    credit_take_amount(&fixture.left, 1 + below(&state, creditable_net(&fixture.left))), CREDIT_FITS);
			note = totals(&fixture, CREDIT_FITS);
			issue(&fixture, &note);
			expect_within(&fixture);
		}
		forget(&fixture);
		credit_take_all(&fixture.left);
		CU_ASSERT_TRUE_FATAL(credit_note_totals(&fixture.left, &verdict, &note, &err));
		CU_ASSERT_TRUE_FATAL(verdict == CREDIT_FITS || verdict == CREDIT_NOTHING);
		CU_ASSERT_TRUE_FATAL(note.total >= 0);
		issue(&fixture, &note);
		expect_all_credited(&fixture);
	}
}

UNIT_TESTS("ledger/credit_note_amounts", TEST(single_lines_in_every_order_sum_to_the_invoice),
    TEST(each_note_has_the_tax_of_its_rate_and_the_last_takes_the_rest),
    TEST(ten_lines_of_three_cents_never_take_more_tax_than_there_is), TEST(notes_of_one_cent_end_at_the_invoice),
    TEST(an_amount_is_spread_by_largest_remainder), TEST(credits_get_their_share_of_a_line_rounded_down),
    TEST(a_line_is_not_credited_above_what_is_left_of_it), TEST(a_line_below_zero_is_credited_only_with_another),
    TEST(lines_without_their_discount_are_credited_up_to_the_invoice), TEST(what_credits_paid_alone_goes_back_to_credits_alone),
    TEST(an_invoice_of_zero_is_credited_in_full_with_nothing),
    TEST(an_adjustment_is_credited_of_the_money_and_leaves_that_much_less_of_its_line),
    TEST(an_adjustment_without_a_line_of_its_own_is_taken_off_all),
    TEST(what_credits_paid_of_an_adjustment_is_neither_money_nor_taxed), TEST(any_notes_stay_within_the_invoice_and_end_at_it))
