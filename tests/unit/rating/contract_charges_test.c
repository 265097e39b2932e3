/* contract_charges_test.c -- what the terms of a contract come to. */
#include "rating/contract_charges.h"

#include "tests/unit/rating/contracts.h"

enum { NETS_MAX = 8 };

/* One bill: what usage cost, and afterwards what discounts left of it. */
struct bill {
	struct contract_segment segment;
	struct contract_net net[NETS_MAX];
	size_t count;
};

static struct bill
bill_of(const char *starts, const char *ends)
{
	return (struct bill){
	    .segment = {
		.period_starts = moment(starts), .period_ends = moment(ends), .starts = moment(starts), .ends = moment(ends)}};
}

static struct bill
january(void)
{
	return bill_of("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z");
}

static struct bill
april(void)
{
	return bill_of("2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z");
}

static void
usage(struct bill *bill, const char *model, const char *service_tier, int meter, const char *cost)
{
	CU_ASSERT_FATAL(bill->count < NETS_MAX);
	bill->net[bill->count++] = (struct contract_net){model, service_tier, meter, amount_of(cost)};
}

static void
spend(struct bill *bill, const char *cost)
{
	usage(bill, "m", "default", METER_requests, cost);
}

/* "kind name amount: detail" for each charge, joined by "; ". */
static const char *
charges_in(const char *zone, const char *text, struct bill *bill)
{
	static char told[2048];
	struct contract_terms *terms = terms_in(text, zone);
	struct contract_charge charges[CONTRACT_CHARGES_MAX];
	struct arena arena = {0};
	struct error err = {0};
	size_t count = 0, used = 0;

	told[0] = '\0';
	if (!contract_charges_make(terms, &bill->segment, bill->net, bill->count, &arena, charges, &count, &err))
		snprintf(told, sizeof told, "%s", err.message);
	for (size_t i = 0; i < count; i++) {
		char amount[DECIMAL_TEXT];

		used += (size_t)snprintf(told + used, sizeof told - used, "%s%s %s %s: %s", i > 0 ? "; " : "",
		    charge_kind_text(charges[i].kind), charges[i].name, decimal_format(charges[i].amount, amount),
		    charges[i].detail);
		CU_ASSERT_FATAL(used < sizeof told);
	}
	arena_release(&arena);
	contract_terms_free(terms);
	return told;
}

static const char *
charges(const char *text, struct bill *bill)
{
	return charges_in("UTC", text, bill);
}

static const char *
left(const struct bill *bill, size_t charge)
{
	static char text[DECIMAL_TEXT];

	return decimal_format(bill->net[charge].net, text);
}

/* --- discounts ------------------------------------------------------------------------------- */

static void
a_percentage_is_taken_off_each_charge(void)
{
	struct bill bill = january();

	spend(&bill, "100");
	spend(&bill, "20");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10'}]}", &bill), "discount deal -12: 10 % of 120");
	EXPECT_TEXT(left(&bill, 0), "90");
	EXPECT_TEXT(left(&bill, 1), "18");
}

static void
a_percentage_stops_at_its_cap_in_charge_order(void)
{
	struct bill bill = january();

	spend(&bill, "40");
	spend(&bill, "100");
	spend(&bill, "20");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10', 'cap': '5'}]}", &bill),
	    "discount deal -5: 10 % of 160, capped at 5");
	EXPECT_TEXT(left(&bill, 0), "36");
	EXPECT_TEXT(left(&bill, 1), "99");
	EXPECT_TEXT(left(&bill, 2), "20");
}

static void
a_cap_that_is_just_reached_is_not_spoken_of(void)
{
	struct bill bill = january();

	spend(&bill, "50");
	EXPECT_TEXT(
	    charges("{'discounts': [{'name': 'deal', 'percent': '10', 'cap': '5'}]}", &bill), "discount deal -5: 10 % of 50");
}

static void
discounts_work_in_their_order_on_what_is_left(void)
{
	struct bill bill = january(), other = january();

	spend(&bill, "100");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'half', 'percent': '50'}, {'name': 'ten', 'amount': '10'}]}", &bill),
	    "discount half -50: 50 % of 100; discount ten -10: 10 off 50");
	EXPECT_TEXT(left(&bill, 0), "40");
	spend(&other, "100");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'ten', 'amount': '10'}, {'name': 'half', 'percent': '50'}]}", &other),
	    "discount ten -10: 10 off 100; discount half -45: 50 % of 90");
	EXPECT_TEXT(left(&other, 0), "45");
}

static void
an_amount_takes_no_more_than_there_is_and_then_nothing_is_left_for_the_next(void)
{
	struct bill bill = january();

	spend(&bill, "7");
	spend(&bill, "3");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'goodwill', 'amount': '25'}, {'name': 'deal', 'percent': '10'}]}", &bill),
	    "discount goodwill -10: 25, but no more than the 10 there is");
	EXPECT_TEXT(left(&bill, 0), "0");
	EXPECT_TEXT(left(&bill, 1), "0");
}

static void
a_discount_is_for_its_scope_alone(void)
{
	struct bill bill = january();

	usage(&bill, "qwen3", "default", METER_output_text_tokens, "100");
	usage(&bill, "qwen3", "batch", METER_output_text_tokens, "100");
	usage(&bill, "llama", "default", METER_output_text_tokens, "100");
	usage(&bill, "qwen3", "default", METER_requests, "100");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10', 'model_pattern': 'qwen.*',"
			    " 'service_tier': 'default', 'meters': ['output_text_tokens']}]}",
			&bill),
	    "discount deal -10: 10 % of 100");
	EXPECT_TEXT(left(&bill, 0), "90");
	EXPECT_TEXT(left(&bill, 1), "100");
	EXPECT_TEXT(left(&bill, 2), "100");
	EXPECT_TEXT(left(&bill, 3), "100");
}

static void
each_part_of_a_percentage_is_rounded_half_to_even_at_the_18th_decimal(void)
{
	struct bill bill = january();

	spend(&bill, "0.000000000000000001");
	spend(&bill, "0.000000000000000003");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'half', 'percent': '50'}]}", &bill),
	    "discount half -0.000000000000000002: 50 % of 0.000000000000000004");
	EXPECT_TEXT(left(&bill, 0), "0.000000000000000001");
	EXPECT_TEXT(left(&bill, 1), "0.000000000000000001");
}

static void
what_costs_nothing_or_less_is_not_discounted(void)
{
	struct bill bill = january();

	spend(&bill, "0");
	spend(&bill, "-5");
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10'}]}", &bill), "");
	EXPECT_TEXT(left(&bill, 1), "-5");
}

static void
a_pattern_that_cannot_be_decided_is_said_before_and_is_an_error_after(void)
{
	static const char text[] = "{'discounts': [{'name': 'deal', 'percent': '10', 'model_pattern': '(a+)+'}]}";
	static const char model[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
	struct contract_terms *terms = terms_in(text, "UTC");
	struct bill bill = january();

	CU_ASSERT_TRUE(contract_decides(terms, "aab", "default", METER_requests));
	CU_ASSERT_FALSE(contract_decides(terms, model, "default", METER_requests));
	contract_terms_free(terms);
	usage(&bill, model, "default", METER_requests, "1");
	CU_ASSERT_PTR_NOT_NULL(strstr(charges(text, &bill), "cannot be decided"));
}

/* --- commitment ------------------------------------------------------------------------------ */

#define COMMITMENT "{'commitment': {'amount': '1000', 'reset': 'quarter', 'overage': '1.2', 'true_up': true}}"

static void
spend_above_the_commitment_costs_the_overage(void)
{
	struct bill bill = january();

	spend(&bill, "300");
	bill.segment.spent_before = amount_of("900");
	EXPECT_TEXT(charges(COMMITMENT, &bill), "overage commitment 40: (1.2 - 1) x 200 above 1000");
	bill.segment.spent_before = amount_of("1200");
	EXPECT_TEXT(charges(COMMITMENT, &bill), "overage commitment 60: (1.2 - 1) x 300 above 1000");
	bill.segment.spent_before = amount_of("700");
	EXPECT_TEXT(charges(COMMITMENT, &bill), "");
}

static void
overage_may_be_cheaper(void)
{
	struct bill bill = january();

	spend(&bill, "300");
	bill.segment.spent_before = amount_of("1000");
	EXPECT_TEXT(charges("{'commitment': {'amount': '1000', 'reset': 'month', 'overage': '0.9'}}", &bill),
	    "overage commitment -30: (0.9 - 1) x 300 above 1000");
}

static void
what_spend_lacks_is_charged_with_the_last_period_of_the_window(void)
{
	struct bill bill = january();

	spend(&bill, "300");
	bill.segment.spent_before = amount_of("500");
	EXPECT_TEXT(charges(COMMITMENT, &bill), "");
	bill.segment.last_of_window = true;
	EXPECT_TEXT(charges(COMMITMENT, &bill), "true_up commitment 200: 1000 - 800");
	bill.segment.spent_before = amount_of("700");
	EXPECT_TEXT(charges(COMMITMENT, &bill), "");
}

static void
spend_is_counted_after_discounts(void)
{
	struct bill bill = january();

	spend(&bill, "1000");
	bill.segment.last_of_window = true;
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10'}],"
			    " 'commitment': {'amount': '1000', 'reset': 'month', 'true_up': true}}",
			&bill),
	    "discount deal -100: 10 % of 1000; true_up commitment 100: 1000 - 900");
}

static void
windows_are_calendar_ones(void)
{
	static const struct {
		const char *reset, *period, *first;
		bool is_last;
	} windows[] = {{"month", "2026-05", "2026-05", true}, {"quarter", "2026-04", "2026-04", false},
	    {"quarter", "2026-06", "2026-04", true}, {"quarter", "2026-12", "2026-10", true},
	    {"year", "2026-11", "2026-01", false}, {"year", "2026-12", "2026-01", true}, {"never", "2026-12", "0001-01", false}};

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		char text[128], first[CONTRACT_PERIOD_BYTES];
		struct contract_terms *terms;
		bool is_last;

		snprintf(text, sizeof text, "{'commitment': {'amount': '1', 'overage': '2', 'reset': '%s'}}", windows[i].reset);
		terms = terms_in(text, "UTC");
		CU_ASSERT_TRUE(contract_window(terms, windows[i].period, first, &is_last));
		EXPECT_TEXT(first, windows[i].first);
		CU_ASSERT_EQUAL(is_last, windows[i].is_last);
		contract_terms_free(terms);
	}
}

/* --- minimum and maximum ---------------------------------------------------------------------- */

static void
a_segment_without_usage_costs_the_minimum(void)
{
	struct bill bill = january();

	EXPECT_TEXT(charges("{'minimum': {'amount': '1000'}}", &bill), "minimum minimum 1000: 1000 - 0");
}

static void
the_minimum_is_what_usage_after_discounts_and_overage_lacks(void)
{
	struct bill bill = january();

	spend(&bill, "300");
	bill.segment.spent_before = amount_of("800");
	/* 300 - 30 = 270; 70 of it are above 1000, which adds 14 */
	EXPECT_TEXT(charges("{'discounts': [{'name': 'deal', 'percent': '10'}],"
			    " 'commitment': {'amount': '1000', 'reset': 'year', 'overage': '1.2'}, 'minimum': {'amount': '500'}}",
			&bill),
	    "discount deal -30: 10 % of 300; overage commitment 14: (1.2 - 1) x 70 above 1000; minimum minimum 216: 500 - 284");
}

static void
a_true_up_counts_neither_for_the_minimum_nor_for_the_maximum(void)
{
	struct bill bill = january();

	spend(&bill, "100");
	bill.segment.last_of_window = true;
	EXPECT_TEXT(charges("{'commitment': {'amount': '1000', 'reset': 'month', 'true_up': true},"
			    " 'minimum': {'amount': '150'}, 'maximum': {'amount': '200'}}",
			&bill),
	    "true_up commitment 900: 1000 - 100; minimum minimum 50: 150 - 100");
}

static void
what_is_above_the_maximum_is_taken_off(void)
{
	struct bill bill = january(), cheap = january();

	spend(&bill, "9000.5");
	EXPECT_TEXT(charges("{'maximum': {'amount': '9000'}}", &bill), "maximum maximum -0.5: 9000 - 9000.5");
	spend(&cheap, "9000");
	EXPECT_TEXT(charges("{'maximum': {'amount': '9000'}}", &cheap), "");
}

#define RAMP "{'minimum': {'amount': '1000', 'prorate': true, 'ramp': [{'from': '2026-04-16', 'amount': '2000'}]}}"

static void
the_step_of_a_ramp_at_the_start_of_the_segment_counts(void)
{
	struct bill bill = april(), may = bill_of("2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"), half = april();

	/* It changes in the middle of April, which began under the first amount. */
	EXPECT_TEXT(charges(RAMP, &bill), "minimum minimum 1000: 1000 - 0");
	EXPECT_TEXT(charges(RAMP, &may), "minimum minimum 2000: 2000 - 0");
	half.segment.starts = moment("2026-04-16T00:00:00Z");
	EXPECT_TEXT(charges(RAMP, &half), "minimum minimum 1000: 2000 x 360 of 720 hours - 0");
}

/* --- time ------------------------------------------------------------------------------------ */

static void
a_prorated_amount_is_for_the_part_of_the_period(void)
{
	struct bill bill = april();

	bill.segment.ends = moment("2026-04-11T00:00:00Z");
	EXPECT_TEXT(charges("{'minimum': {'amount': '100', 'prorate': true}}", &bill),
	    "minimum minimum 33.333333333333333333: 100 x 240 of 720 hours - 0");
	EXPECT_TEXT(charges("{'minimum': {'amount': '100'}}", &bill), "minimum minimum 100: 100 - 0");
	spend(&bill, "100");
	EXPECT_TEXT(
	    charges("{'maximum': {'amount': '30', 'prorate': true}}", &bill), "maximum maximum -90: 30 x 240 of 720 hours - 100");
}

static void
a_month_is_as_long_as_its_clocks_make_it(void)
{
	struct bill march = bill_of("2026-03-01T00:00:00+01:00", "2026-04-01T00:00:00+02:00");
	struct bill october = bill_of("2026-10-01T00:00:00+02:00", "2026-11-01T00:00:00+01:00");

	/* Berlin: on 29 March an hour is left out, on 25 October one comes twice. */
	march.segment.starts = moment("2026-03-16T00:00:00+01:00");
	EXPECT_TEXT(charges_in("Europe/Berlin", "{'fees': [{'name': 'floor', 'amount': '743', 'prorate': true}]}", &march),
	    "fee floor 383: 743 x 383 of 743 hours");
	october.segment.starts = moment("2026-10-16T00:00:00+02:00");
	EXPECT_TEXT(charges_in("Europe/Berlin", "{'fees': [{'name': 'floor', 'amount': '745', 'prorate': true}]}", &october),
	    "fee floor 385: 745 x 385 of 745 hours");
	EXPECT_TEXT(
	    charges_in("Europe/Berlin", "{'fees': [{'name': 'gpu', 'quantity': '2', 'price': '1.5', 'per': 'hour'}]}", &october),
	    "fee gpu 1155: 2 x 1.5 per hour x 385 hours");
}

static void
a_segment_may_end_on_a_quarter_of_an_hour(void)
{
	struct bill bill = april();

	bill.segment.ends = moment("2026-04-01T00:45:00Z");
	EXPECT_TEXT(charges("{'fees': [{'name': 'floor', 'amount': '960', 'prorate': true}]}", &bill),
	    "fee floor 1: 960 x 0.75 of 720 hours");
}

static void
the_trial_ends_with_its_instant(void)
{
	struct contract_terms *terms = terms_in("{'trial': {'until': '2026-01-16'}}", "Europe/Berlin");

	CU_ASSERT_TRUE(contract_is_trial(terms, moment("2025-12-31T00:00:00Z")));
	CU_ASSERT_TRUE(contract_is_trial(terms, moment("2026-01-15T22:59:59.999999Z")));
	CU_ASSERT_FALSE(contract_is_trial(terms, moment("2026-01-15T23:00:00Z")));
	contract_terms_free(terms);
}

/* --- fees ------------------------------------------------------------------------------------ */

static void
fees_come_last_and_count_for_neither_minimum_nor_maximum(void)
{
	struct bill bill = january();

	spend(&bill, "50");
	EXPECT_TEXT(charges("{'fees': [{'name': 'platform', 'amount': '99'}, {'name': 'gpu', 'quantity': '2', 'price': '24',"
			    " 'per': 'day'}], 'minimum': {'amount': '60'}, 'maximum': {'amount': '60'}}",
			&bill),
	    "minimum minimum 10: 60 - 50; fee platform 99: 99; fee gpu 1488: 2 x 24 per day x 744 hours");
}

static void
a_whole_fee_is_charged_once_by_the_terms_at_the_end_of_the_period(void)
{
	static const char text[] = "{'fees': [{'name': 'platform', 'amount': '99'}]}";
	struct bill early = april(), late = april();

	early.segment.ends = late.segment.starts = moment("2026-04-16T00:00:00Z");
	EXPECT_TEXT(charges(text, &early), "");
	EXPECT_TEXT(charges(text, &late), "fee platform 99: 99");
}

static void
a_prorated_fee_is_shared_by_the_segments(void)
{
	static const char text[] = "{'fees': [{'name': 'platform', 'amount': '90', 'prorate': true}]}";
	struct bill early = april(), late = april();

	early.segment.ends = late.segment.starts = moment("2026-04-11T00:00:00Z");
	EXPECT_TEXT(charges(text, &early), "fee platform 30: 90 x 240 of 720 hours");
	EXPECT_TEXT(charges(text, &late), "fee platform 60: 90 x 480 of 720 hours");
}

/* --- allowances ------------------------------------------------------------------------------ */

static void
allowances_are_asked_in_their_order(void)
{
	struct contract_terms *terms = terms_in(
	    "{'allowances': [{'name': 'output', 'meters': ['output_text_tokens'], 'quantity': 1},"
	    " {'name': 'qwen', 'meters': ['input_text_uncached_tokens', 'output_text_tokens'], 'model_pattern': 'qwen.*',"
	    " 'quantity': 1}, {'name': 'batch', 'meters': ['output_text_tokens'], 'service_tier': 'batch', 'quantity': 1}]}",
	    "UTC");
	size_t found[CONTRACT_ALLOWANCES_MAX] = {0};

	CU_ASSERT_EQUAL(contract_allowance_for(terms, "qwen3", "batch", METER_output_text_tokens, found), 3);
	CU_ASSERT_TRUE(found[0] == 0 && found[1] == 1 && found[2] == 2);
	CU_ASSERT_EQUAL(contract_allowance_for(terms, "qwen3", "default", METER_input_text_uncached_tokens, found), 1);
	CU_ASSERT_EQUAL(found[0], 1);
	CU_ASSERT_EQUAL(contract_allowance_for(terms, "llama", "default", METER_input_text_uncached_tokens, found), 0);
	contract_terms_free(terms);
}

static void
a_prorated_allowance_is_rounded_down(void)
{
	struct contract_terms *terms =
	    terms_in("{'allowances': [{'name': 'a', 'meters': ['requests'], 'quantity': 1000, 'prorate': true},"
		     " {'name': 'b', 'meters': ['requests'], 'quantity': 1000},"
		     " {'name': 'c', 'meters': ['gpu_seconds'], 'quantity': 1000000000000000000, 'prorate': true}]}",
		"UTC");
	struct bill bill = january();
	struct error err;
	i128 quantity = 0;

	bill.segment.starts = moment("2026-01-22T00:00:00Z"); /* 10 of 31 days: 322.58 */
	CU_ASSERT_TRUE(contract_allowance_quantity(terms, &bill.segment, 0, &quantity, &err));
	CU_ASSERT_TRUE(quantity == 322);
	CU_ASSERT_TRUE(contract_allowance_quantity(terms, &bill.segment, 1, &quantity, &err));
	CU_ASSERT_TRUE(quantity == 1000);
	CU_ASSERT_TRUE(contract_allowance_quantity(terms, &bill.segment, 2, &quantity, &err));
	CU_ASSERT_TRUE(quantity == (i128)1000000000000000000 * 1000000000 * 10 / 31);
	contract_terms_free(terms);
}

/* --- the whole ------------------------------------------------------------------------------- */

static void
without_terms_there_is_nothing(void)
{
	struct contract_charge charge[CONTRACT_CHARGES_MAX];
	size_t found[CONTRACT_ALLOWANCES_MAX], count = 1;
	struct bill bill = january();
	struct arena arena = {0};
	struct error err;

	spend(&bill, "5");
	CU_ASSERT_TRUE(contract_charges_make(NULL, &bill.segment, bill.net, bill.count, &arena, charge, &count, &err));
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT_FALSE(contract_is_trial(NULL, bill.segment.starts));
	CU_ASSERT_TRUE(contract_decides(NULL, "m", "default", METER_requests));
	CU_ASSERT_EQUAL(contract_allowance_for(NULL, "m", "default", METER_requests, found), 0);
}

static void
a_sum_beyond_the_range_is_an_error(void)
{
	struct bill bill = january();

	spend(&bill, "100000000000000000000");
	spend(&bill, "100000000000000000000");
	CU_ASSERT_PTR_NOT_NULL(strstr(charges("{'minimum': {'amount': '1'}}", &bill), "range"));
}

UNIT_TESTS("rating/contract_charges", TEST(a_percentage_is_taken_off_each_charge),
    TEST(a_percentage_stops_at_its_cap_in_charge_order), TEST(a_cap_that_is_just_reached_is_not_spoken_of),
    TEST(discounts_work_in_their_order_on_what_is_left),
    TEST(an_amount_takes_no_more_than_there_is_and_then_nothing_is_left_for_the_next), TEST(a_discount_is_for_its_scope_alone),
    TEST(each_part_of_a_percentage_is_rounded_half_to_even_at_the_18th_decimal),
    TEST(what_costs_nothing_or_less_is_not_discounted),
    TEST(a_pattern_that_cannot_be_decided_is_said_before_and_is_an_error_after),
    TEST(spend_above_the_commitment_costs_the_overage), TEST(overage_may_be_cheaper),
    TEST(what_spend_lacks_is_charged_with_the_last_period_of_the_window), TEST(spend_is_counted_after_discounts),
    TEST(windows_are_calendar_ones), TEST(a_segment_without_usage_costs_the_minimum),
    TEST(the_minimum_is_what_usage_after_discounts_and_overage_lacks),
    TEST(a_true_up_counts_neither_for_the_minimum_nor_for_the_maximum), TEST(what_is_above_the_maximum_is_taken_off),
    TEST(the_step_of_a_ramp_at_the_start_of_the_segment_counts), TEST(a_prorated_amount_is_for_the_part_of_the_period),
    TEST(a_month_is_as_long_as_its_clocks_make_it), TEST(a_segment_may_end_on_a_quarter_of_an_hour),
    TEST(the_trial_ends_with_its_instant), TEST(fees_come_last_and_count_for_neither_minimum_nor_maximum),
    TEST(a_whole_fee_is_charged_once_by_the_terms_at_the_end_of_the_period), TEST(a_prorated_fee_is_shared_by_the_segments),
    TEST(allowances_are_asked_in_their_order), TEST(a_prorated_allowance_is_rounded_down), TEST(without_terms_there_is_nothing),
    TEST(a_sum_beyond_the_range_is_an_error))
