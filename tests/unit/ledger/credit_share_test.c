/* credit_share_test.c -- which credit pays what: in whole cents, with times in days of a month. */
#include "ledger/credit_share.h"

#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/unit.h"

enum { INPUT = METER_input_text_uncached_tokens, OUTPUT = METER_output_text_tokens, MOST = 8, ROUNDS = 3000 };

static const int64_t day_us = (int64_t)86400 * 1000000;

static struct instant
day(int64_t number)
{
	return (struct instant){number * day_us};
}

/* A grant for everything and for ever. */
static struct credit_payer
grant(int64_t id, int64_t balance)
{
	return (struct credit_payer){
	    .grant_id = id, .priority = 100, .starts = day(0), .expires = {INT64_MAX}, .balance = balance, .any_meter = true};
}

/* A line of all days from 0 to 30. */
static struct credit_line
line(int32_t number, const char *model, int meter, int64_t amount)
{
	return (struct credit_line){
	    .line = number, .model = model, .meter = meter, .amount = amount, .first = day(0), .ends = day(30)};
}

static struct pattern *
pattern(const char *text)
{
	struct pattern *out = NULL;
	struct error err;
	size_t position;

	CU_ASSERT_TRUE_FATAL(pattern_compile(text, strlen(text), &out, &position, &err));
	return out;
}

/* What payers pay of lines, as "10 0,5 5": a word a line, a part a payer. */
static const char *
shared(struct credit_payer *payers, size_t payer_count, const struct credit_line *lines, size_t line_count)
{
	static char text[512];
	int64_t paid[MOST * MOST];
	struct error err = {0};
	size_t length = 0;

	credit_payers_sort(payers, payer_count);
	CU_ASSERT_TRUE_FATAL(credit_share(payers, payer_count, lines, line_count, paid, &err));
	text[0] = '\0';
	for (size_t p = 0; p < payer_count; p++)
		for (size_t l = 0; l < line_count; l++)
			length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld",
			    l > 0       ? " "
				: p > 0 ? ","
					: "",
			    (long long)paid[p * line_count + l]);
	return text;
}
#define SHARED(payers, lines) shared(payers, sizeof(payers) / sizeof *(payers), lines, sizeof(lines) / sizeof *(lines))

/* --- worked examples ---------------------------------------------------------------------------- */

static void
a_credit_pays_all_of_an_invoice_that_is_not_larger(void)
{
	struct credit_payer payers[] = {grant(1, 500)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100), line(2, "a", OUTPUT, 250)};

	EXPECT_TEXT(SHARED(payers, lines), "100 250");
}

static void
a_smaller_one_is_spread_over_lines_so_that_the_parts_add_up(void)
{
	struct credit_payer payers[] = {grant(1, 100)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100), line(2, "b", INPUT, 100), line(3, "c", INPUT, 100)};

	EXPECT_TEXT(SHARED(payers, lines), "34 33 33");
}

static void
the_next_credit_pays_what_the_one_before_left(void)
{
	struct credit_payer payers[] = {grant(1, 60), grant(2, 60)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100)};

	EXPECT_TEXT(SHARED(payers, lines), "60,40");
}

static void
prepaid_is_last_then_priority_expiry_and_number_decide(void)
{
	struct credit_payer payers[] = {grant(6, 1), grant(5, 1), grant(4, 1), grant(3, 1), grant(2, 1)};

	payers[0].is_prepaid = true;
	payers[0].priority = 0;
	payers[2].expires = day(60);
	payers[4].priority = 200;
	credit_payers_sort(payers, 5);
	CU_ASSERT_EQUAL(payers[0].grant_id, 4); /* expires first */
	CU_ASSERT_EQUAL(payers[1].grant_id, 3); /* never expires, lower number */
	CU_ASSERT_EQUAL(payers[2].grant_id, 5);
	CU_ASSERT_EQUAL(payers[3].grant_id, 2); /* later by priority */
	CU_ASSERT_EQUAL(payers[4].grant_id, 6); /* prepaid */
}

static void
a_pattern_and_meters_limit_what_a_credit_pays(void)
{
	struct credit_payer payers[] = {grant(1, 1000)};
	struct credit_line lines[] = {
	    line(1, "llama-8b", INPUT, 10), line(2, "llama-8b", OUTPUT, 20), line(3, "qwen", INPUT, 30), line(4, "", 0, 40)};

	EXPECT_TEXT(SHARED(payers, lines), "10 20 30 40");
	payers[0].any_meter = false;
	payers[0].meter[INPUT] = true;
	EXPECT_TEXT(SHARED(payers, lines), "10 0 30 0");
	payers[0].pattern = pattern("llama.*");
	EXPECT_TEXT(SHARED(payers, lines), "10 0 0 0");
	payers[0].any_meter = true;
	EXPECT_TEXT(SHARED(payers, lines), "10 20 0 0");
	pattern_free(payers[0].pattern);
}

static void
a_discount_is_not_paid_and_the_rest_is_not_overpaid(void)
{
	struct credit_payer payers[] = {grant(1, 1000)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100), line(2, "", 0, -30)};

	EXPECT_TEXT(SHARED(payers, lines), "70 0");
	lines[1].amount = -100;
	EXPECT_TEXT(SHARED(payers, lines), "0 0");
	lines[1].amount = -200;
	EXPECT_TEXT(SHARED(payers, lines), "0 0");
}

static void
usage_before_a_credit_starts_or_after_it_expires_is_not_paid(void)
{
	struct credit_payer payers[] = {grant(1, 1000), grant(2, 1000)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100)};

	payers[0].starts = day(30);
	payers[1].expires = day(0);
	EXPECT_TEXT(SHARED(payers, lines), "0,0");
}

static void
a_credit_pays_the_part_of_a_line_that_was_used_in_its_time_rounded_down(void)
{
	struct credit_mark marks[] = {{day(10), 100}, {day(20), 250}};
	struct credit_payer payers[] = {grant(1, 1000)};
	struct credit_line lines[] = {line(1, "a", INPUT, 1000)};

	/* 100 until day 10, 150 until day 20, 50 until day 30: 300 in all. */
	lines[0].marks = marks;
	lines[0].mark_count = 2;
	lines[0].whole = 300;
	payers[0].starts = day(10);
	EXPECT_TEXT(SHARED(payers, lines), "666");
	payers[0].expires = day(20);
	EXPECT_TEXT(SHARED(payers, lines), "500");
	payers[0].starts = day(-5);
	EXPECT_TEXT(SHARED(payers, lines), "833");
}

static void
two_credits_of_the_same_days_do_not_pay_for_other_days(void)
{
	struct credit_mark marks[] = {{day(10), 1}};
	struct credit_payer payers[] = {grant(1, 60), grant(2, 60), grant(3, 1000)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100)};

	/* Half until day 10; only the third may pay for the rest. */
	lines[0].marks = marks;
	lines[0].mark_count = 1;
	lines[0].whole = 2;
	payers[0].expires = payers[1].expires = day(10);
	EXPECT_TEXT(SHARED(payers, lines), "50,0,50");
}

static void
a_credit_for_all_days_leaves_to_another_what_that_alone_can_pay(void)
{
	struct credit_mark marks[] = {{day(10), 1}};
	struct credit_payer payers[] = {grant(1, 50), grant(2, 60)};
	struct credit_line lines[] = {line(1, "a", INPUT, 100)};

	/* The first may have paid for the days after 10: the second still pays for those before. */
	lines[0].marks = marks;
	lines[0].mark_count = 1;
	lines[0].whole = 2;
	payers[1].expires = day(10);
	payers[1].priority = 200;
	EXPECT_TEXT(SHARED(payers, lines), "50,50");
}

static void
a_fee_is_paid_by_the_time_that_a_credit_covers(void)
{
	struct credit_payer payers[] = {grant(1, 1000)};
	struct credit_line lines[] = {line(1, "", 0, 300)};

	payers[0].starts = day(20);
	EXPECT_TEXT(SHARED(payers, lines), "100");
}

static void
borders_within_a_quarter_of_an_hour_move_inwards(void)
{
	struct credit_payer payer = grant(1, 1);

	payer.starts.us = 1;
	payer.expires.us = 2 * INTERVAL_US - 1;
	credit_payer_settle(&payer);
	CU_ASSERT_EQUAL(payer.starts.us, INTERVAL_US);
	CU_ASSERT_EQUAL(payer.expires.us, INTERVAL_US);
	payer.starts.us = INTERVAL_US;
	payer.expires.us = INT64_MAX;
	credit_payer_settle(&payer);
	CU_ASSERT_EQUAL(payer.starts.us, INTERVAL_US);
	CU_ASSERT_EQUAL(payer.expires.us, INT64_MAX);
}

static void
a_pattern_that_takes_too_long_is_an_error_and_not_a_no(void)
{
	struct credit_payer payer = grant(7, 10);
	struct credit_line only =
	    line(1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", INPUT, 10);
	struct error err = {0};
	int64_t paid;

	payer.pattern = pattern("(a+)+");
	CU_ASSERT_FALSE(credit_share(&payer, 1, &only, 1, &paid, &err));
	CU_ASSERT_EQUAL(err.kind, ERROR_STATE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "credit 7"));
	pattern_free(payer.pattern);
}

/* --- what holds for all ------------------------------------------------------------------------- */

/* A month of six stretches of five days; borders fall between them. */
enum { STRETCHES = 6, STRETCH_DAYS = 5 };

struct made {
	struct credit_payer payers[MOST];
	struct credit_line lines[MOST];
	struct credit_mark marks[MOST][STRETCHES];
	int64_t used[MOST][STRETCHES];
	size_t payer_count, line_count;
};

static int64_t
below(uint64_t *seed, uint64_t limit)
{
	return (int64_t)(random_next(seed) % limit);
}

static void
make_payer(uint64_t *seed, struct credit_payer *out, int64_t id, struct pattern *only_a)
{
	*out = grant(id, 1 + below(seed, 400));
	out->priority = below(seed, 3);
	out->is_prepaid = below(seed, 4) == 0;
	out->starts = day(STRETCH_DAYS * (below(seed, STRETCHES + 2) - 1));
	if (below(seed, 2) == 0)
		out->expires = day(out->starts.us / day_us + STRETCH_DAYS * (1 + below(seed, STRETCHES)));
	if (below(seed, 3) == 0)
		out->pattern = only_a;
	if (below(seed, 3) == 0) {
		out->any_meter = false;
		out->meter[INPUT] = true;
	}
}

static void
make_line(uint64_t *seed, struct made *made, size_t l)
{
	struct credit_line *out = &made->lines[l];
	i128 sum = 0;

	*out = line((int32_t)l + 1, below(seed, 2) == 0 ? "a" : "b", below(seed, 2) == 0 ? INPUT : OUTPUT, below(seed, 500) - 60);
	if (below(seed, 5) == 0) {
		out->meter = 0;
		out->model = "";
	}
	out->marks = made->marks[l];
	for (int s = 0; s < STRETCHES; s++) {
		made->used[l][s] = out->meter == 0 ? STRETCH_DAYS * 96 : below(seed, 20);
		if (s > 0)
			out->marks[out->mark_count++] = (struct credit_mark){day(s * STRETCH_DAYS), sum};
		sum += made->used[l][s];
	}
	out->whole = out->meter == 0 ? 0 : sum;
}

static bool
covers_scope(const struct credit_payer *payer, const struct credit_line *of)
{
	if (of->meter == 0)
		return payer->pattern == NULL && payer->any_meter;
	return (payer->pattern == NULL || strcmp(of->model, "a") == 0) && (payer->any_meter || of->meter == INPUT);
}

/* Is all that a payer can pay of a line within the stretches from `from` to before `to`? */
static bool
is_within(const struct credit_payer *payer, int from, int to)
{
	bool begins = payer->starts.us >= day(from * STRETCH_DAYS).us || from == 0;

	return begins && (payer->expires.us <= day(to * STRETCH_DAYS).us || to == STRETCHES);
}

/* Whatever stretch of time is looked at: what those pay who can pay for nothing else is at most what was used then. */
static bool
line_is_right(const struct made *made, size_t l, const int64_t *paid)
{
	i128 whole = 0;

	for (int s = 0; s < STRETCHES; s++)
		whole += made->used[l][s];
	for (int from = 0; from < STRETCHES; from++) {
		i128 used = 0;

		for (int to = from + 1; to <= STRETCHES; to++) {
			int64_t sum = 0;

			used += made->used[l][to - 1];
			for (size_t p = 0; p < made->payer_count; p++)
				if (is_within(&made->payers[p], from, to))
					sum += paid[p * made->line_count + l];
			if (sum > 0 && whole > 0 && sum * whole > made->lines[l].amount * used)
				return false;
		}
	}
	return true;
}

/* An earlier payer stopped for want of money, or because nothing was left that it may pay: then it cannot pay more of any line that a
 * later one of the same or a narrower scope and time pays. */
static bool
order_is_kept(const struct made *made, const int64_t *paid, const int64_t *sums)
{
	for (size_t p = 0; p < made->payer_count; p++)
		for (size_t q = p + 1; q < made->payer_count; q++)
			for (size_t l = 0; l < made->line_count; l++) {
				const struct credit_payer *early = &made->payers[p], *late = &made->payers[q];
				bool wider = covers_scope(early, &made->lines[l]) && early->starts.us <= late->starts.us &&
				    early->expires.us >= late->expires.us;

				if (wider && sums[p] < early->balance && paid[q * made->line_count + l] > 0)
					return false;
			}
	return true;
}

static bool
is_right(const struct made *made, const int64_t *paid)
{
	int64_t sums[MOST] = {0}, net = 0, drawn = 0;

	for (size_t l = 0; l < made->line_count; l++) {
		net += made->lines[l].amount;
		if (!line_is_right(made, l, paid))
			return false;
		for (size_t p = 0; p < made->payer_count; p++) {
			int64_t part = paid[p * made->line_count + l];

			sums[p] += part;
			drawn += part;
			if (part < 0 ||
			    (part > 0 && (made->lines[l].amount <= 0 || !covers_scope(&made->payers[p], &made->lines[l]))))
				return false;
			if (part > 0 && (made->payers[p].starts.us >= day(30).us || made->payers[p].expires.us <= 0))
				return false;
		}
	}
	for (size_t p = 0; p < made->payer_count; p++)
		if (sums[p] > made->payers[p].balance)
			return false;
	return drawn <= (net > 0 ? net : 0) && order_is_kept(made, paid, sums);
}

static void
whatever_the_grants_and_lines_nobody_pays_too_much_out_of_turn_scope_or_time(void)
{
	uint64_t seed = random_begin();
	struct pattern *only_a = pattern("a");
	int64_t paid[MOST * MOST], all = 0;
	struct error err;

	for (int round = 0; round < ROUNDS; round++) {
		struct made made = {.payer_count = 1 + (size_t)below(&seed, MOST), .line_count = 1 + (size_t)below(&seed, MOST)};

		for (size_t p = 0; p < made.payer_count; p++)
			make_payer(&seed, &made.payers[p], (int64_t)p + 1, only_a);
		for (size_t l = 0; l < made.line_count; l++)
			make_line(&seed, &made, l);
		credit_payers_sort(made.payers, made.payer_count);
		CU_ASSERT_TRUE_FATAL(credit_share(made.payers, made.payer_count, made.lines, made.line_count, paid, &err));
		CU_ASSERT_TRUE_FATAL(is_right(&made, paid));
		for (size_t i = 0; i < made.payer_count * made.line_count; i++)
			all += paid[i];
	}
	CU_ASSERT_TRUE(all > ROUNDS); /* something was paid */
	pattern_free(only_a);
}

UNIT_TESTS("ledger/credit_share", TEST(a_credit_pays_all_of_an_invoice_that_is_not_larger),
    TEST(a_smaller_one_is_spread_over_lines_so_that_the_parts_add_up), TEST(the_next_credit_pays_what_the_one_before_left),
    TEST(prepaid_is_last_then_priority_expiry_and_number_decide), TEST(a_pattern_and_meters_limit_what_a_credit_pays),
    TEST(a_discount_is_not_paid_and_the_rest_is_not_overpaid), TEST(usage_before_a_credit_starts_or_after_it_expires_is_not_paid),
    TEST(a_credit_pays_the_part_of_a_line_that_was_used_in_its_time_rounded_down),
    TEST(two_credits_of_the_same_days_do_not_pay_for_other_days),
    TEST(a_credit_for_all_days_leaves_to_another_what_that_alone_can_pay), TEST(a_fee_is_paid_by_the_time_that_a_credit_covers),
    TEST(borders_within_a_quarter_of_an_hour_move_inwards), TEST(a_pattern_that_takes_too_long_is_an_error_and_not_a_no),
    TEST(whatever_the_grants_and_lines_nobody_pays_too_much_out_of_turn_scope_or_time))
