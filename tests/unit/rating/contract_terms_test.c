/* contract_terms_test.c -- reading the terms of contracts, and refusing them with what to mend. */
#include "tests/unit/rating/contracts.h"

static const char *
time_text(struct instant at)
{
	static char text[INSTANT_TEXT];

	return instant_format(at, text);
}

static const char *
decimal_text(struct decimal value)
{
	static char text[DECIMAL_TEXT];

	return decimal_format(value, text);
}

static void
expect_summary(const char *text, const char *wanted)
{
	struct contract_terms *terms = terms_in(text, "UTC");
	struct arena arena = {0};

	EXPECT_TEXT(contract_terms_summary(terms, &arena), wanted);
	arena_release(&arena);
	contract_terms_free(terms);
}

/* --- accepted -------------------------------------------------------------------------------- */

static void
every_part_of_the_terms_is_read(void)
{
	struct contract_terms *terms =
	    terms_in("{'trial': {'until': '2026-02-01'},"
		     " 'fees': [{'name': 'platform', 'amount': '99', 'prorate': true},"
		     "          {'name': 'warm floor', 'quantity': '2', 'price': '1.5', 'per': 'hour'}],"
		     " 'allowances': [{'name': 'included', 'meters': ['input_text_uncached_tokens', 'output_text_tokens'],"
		     "                 'model_pattern': 'qwen.*', 'service_tier': 'default', 'quantity': 1000000}],"
		     " 'discounts': [{'name': 'deal', 'percent': '12.5', 'cap': '500'}, {'name': 'goodwill', 'amount': '25'}],"
		     " 'commitment': {'amount': '12000', 'reset': 'year', 'overage': '1.2', 'true_up': true},"
		     " 'minimum': {'amount': '1000', 'ramp': [{'from': '2026-04-01', 'amount': '2000'}]},"
		     " 'maximum': {'amount': '9000', 'prorate': true}}",
		"Europe/Berlin");

	CU_ASSERT_TRUE(terms->has_trial);
	EXPECT_TEXT(time_text(terms->trial_until), "2026-01-31T23:00:00Z");
	CU_ASSERT_EQUAL_FATAL(terms->fee_count, 2);
	CU_ASSERT_TRUE(terms->fee[0].prorate);
	EXPECT_TEXT(decimal_text(terms->fee[0].amount), "99");
	CU_ASSERT_TRUE(terms->fee[1].by_time);
	EXPECT_TEXT(decimal_text(terms->fee[1].amount), "3");
	CU_ASSERT_EQUAL_FATAL(terms->allowance_count, 1);
	CU_ASSERT_TRUE(terms->allowance[0].quantity == 1000000);
	CU_ASSERT_FALSE(terms->allowance[0].prorate);
	CU_ASSERT_TRUE(terms->allowance[0].scope.meter[METER_output_text_tokens]);
	CU_ASSERT_FALSE(terms->allowance[0].scope.meter[METER_requests]);
	CU_ASSERT_EQUAL_FATAL(terms->discount_count, 2);
	EXPECT_TEXT(decimal_text(terms->discount[0].percent), "12.5");
	EXPECT_TEXT(decimal_text(terms->discount[0].most), "500");
	EXPECT_TEXT(decimal_text(terms->discount[1].most), "25");
	CU_ASSERT_EQUAL(terms->commitment.reset, CONTRACT_YEAR);
	EXPECT_TEXT(decimal_text(terms->commitment.overage), "1.2");
	CU_ASSERT_TRUE(terms->commitment.true_up);
	EXPECT_TEXT(time_text(terms->minimum.ramp[0].from), "2026-03-31T22:00:00Z");
	CU_ASSERT_TRUE(terms->maximum.is_set && terms->maximum.prorate && terms->maximum.ramp_count == 0);
	contract_terms_free(terms);
}

static void
what_is_left_out_is_not_there(void)
{
	struct contract_terms *terms = terms_in("{'commitment': {'amount': '1', 'reset': 'never', 'overage': '2'}}", "UTC");

	CU_ASSERT_FALSE(terms->has_trial || terms->minimum.is_set || terms->maximum.is_set || terms->commitment.true_up);
	CU_ASSERT_EQUAL(terms->fee_count + terms->allowance_count + terms->discount_count, 0);
	contract_terms_free(terms);
	terms = terms_in("{'commitment': {'amount': '1', 'reset': 'month', 'true_up': true}}", "UTC");
	EXPECT_TEXT(decimal_text(terms->commitment.overage), "1");
	contract_terms_free(terms);
}

static void
a_time_may_have_an_offset(void)
{
	struct contract_terms *terms = terms_in("{'trial': {'until': '2026-02-01T00:15:00+02:00'}}", "UTC");

	EXPECT_TEXT(time_text(terms->trial_until), "2026-01-31T22:15:00Z");
	contract_terms_free(terms);
}

static void
allowances_of_seconds_count_in_billionths(void)
{
	struct contract_terms *terms =
	    terms_in("{'allowances': [{'name': 'a', 'meters': ['gpu_seconds'], 'quantity': 1000000000000000000}]}", "UTC");

	CU_ASSERT_TRUE(terms->allowance[0].quantity == (i128)1000000000000000000 * 1000000000);
	contract_terms_free(terms);
}

static void
a_scope_covers_what_it_names_and_all_of_what_it_does_not(void)
{
	struct contract_terms *terms = terms_in(
	    "{'discounts': [{'name': 'all', 'amount': '1'}, {'name': 'any tier', 'amount': '1', 'service_tier': '*'},"
	    " {'name': 'some', 'amount': '1', 'meters': ['requests'], 'model_pattern': 'qwen.*', 'service_tier': 'batch'}]}",
	    "UTC");
	const struct contract_scope *some = &terms->discount[2].scope;

	CU_ASSERT_EQUAL(contract_scope_covers(&terms->discount[0].scope, "m", "flex", METER_pages), PATTERN_YES);
	CU_ASSERT_EQUAL(contract_scope_covers(&terms->discount[1].scope, "m", "flex", METER_pages), PATTERN_YES);
	CU_ASSERT_EQUAL(contract_scope_covers(some, "qwen3", "batch", METER_requests), PATTERN_YES);
	CU_ASSERT_EQUAL(contract_scope_covers(some, "my-qwen3", "batch", METER_requests), PATTERN_NO);
	CU_ASSERT_EQUAL(contract_scope_covers(some, "qwen3", "default", METER_requests), PATTERN_NO);
	CU_ASSERT_EQUAL(contract_scope_covers(some, "qwen3", "batch", METER_pages), PATTERN_NO);
	contract_terms_free(terms);
}

static void
a_ramp_is_at_the_last_step_that_has_begun(void)
{
	struct contract_terms *terms = terms_in("{'minimum': {'amount': '1', 'ramp': [{'from': '2026-04-01', 'amount': '2'},"
						" {'from': '2026-05-01', 'amount': '3'}]}}",
	    "UTC");
	const struct contract_bound *minimum = &terms->minimum;

	EXPECT_TEXT(decimal_text(contract_bound_at(minimum, moment("2026-03-31T23:59:59.999999Z"))), "1");
	EXPECT_TEXT(decimal_text(contract_bound_at(minimum, moment("2026-04-01T00:00:00Z"))), "2");
	EXPECT_TEXT(decimal_text(contract_bound_at(minimum, moment("2026-04-30T23:59:59Z"))), "2");
	EXPECT_TEXT(decimal_text(contract_bound_at(minimum, moment("2030-01-01T00:00:00Z"))), "3");
	contract_terms_free(terms);
}

static void
the_terms_are_summed_up_in_a_few_words(void)
{
	expect_summary("{'minimum': {'amount': '1'}, 'discounts': [{'name': 'a', 'amount': '1'}, {'name': 'b', 'amount': '1'}]}",
	    "2 discounts, minimum");
	expect_summary("{'trial': {'until': '2026-02-01'}, 'fees': [{'name': 'a', 'amount': '1'}], 'maximum': {'amount': '1'},"
		       " 'commitment': {'amount': '1', 'reset': 'month', 'true_up': true}}",
	    "trial, 1 fee, commitment, maximum");
}

/* --- refused --------------------------------------------------------------------------------- */

static void
expect_refused(const char *text, const char *field, const char *value, const char *message, const char *hint)
{
	struct error err;
	struct contract_terms *terms = terms_or_error(text, "Europe/Berlin", &err);

	CU_ASSERT_PTR_NULL(terms);
	contract_terms_free(terms);
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
	EXPECT_TEXT(err.file, "tenants.json");
	EXPECT_TEXT(err.field, field);
	EXPECT_TEXT(err.value, value);
	if (strstr(err.message, message) == NULL)
		printf("\n    \"%s\" does not say \"%s\"\n", err.message, message);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message));
	if (strstr(err.hint, hint) == NULL)
		printf("\n    hint \"%s\" does not say \"%s\"\n", err.hint, hint);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.hint, hint));
}

#define AT "tenants[0].terms"

static void
what_is_no_object_or_an_empty_one_is_refused(void)
{
	expect_refused("{}", AT, "{}", "at least one key", "");
	expect_refused("[]", AT, "[]", "a JSON object", "");
	expect_refused("{'minimum': '1000'}", AT ".minimum", "\"1000\"", "must be a JSON object", "");
	expect_refused("{'fees': {}}", AT ".fees", "{}", "a list of 1 to 32", "");
	expect_refused("{'fees': []}", AT ".fees", "[]", "a list of 1 to 32", "");
	expect_refused("{'fees': ['99']}", AT ".fees[0]", "\"99\"", "must be a JSON object", "");
}

static void
an_unknown_key_is_refused_with_the_nearest_one(void)
{
	expect_refused("{'discount': []}", AT ".discount", "[]", "no such key", "\"discounts\"");
	expect_refused("{'trial': {'till': '2026-02-01'}}", AT ".trial.till", "\"2026-02-01\"", "no such key", "");
	expect_refused(
	    "{'minimum': {'amount': '1', 'prorated': true}}", AT ".minimum.prorated", "true", "no such key", "\"prorate\"");
	expect_refused(
	    "{'fees': [{'name': 'a', 'amount': '1', 'per': 'hour'}]}", AT ".fees[0].per", "\"hour\"", "no such key", "");
	expect_refused("{'fees': [{'name': 'a', 'quantity': '1', 'price': '1', 'per': 'hour', 'prorate': true}]}",
	    AT ".fees[0].prorate", "true", "no such key", "");
}

static void
numbers_are_decimal_text_within_limits(void)
{
	expect_refused("{'minimum': {}}", AT ".minimum.amount", "{}", "\"amount\" is missing", "");
	expect_refused("{'minimum': {'amount': 1000}}", AT ".minimum.amount", "1000", "decimal text", "in quotes");
	expect_refused("{'minimum': {'amount': '1e3'}}", AT ".minimum.amount", "\"1e3\"", "not a decimal number", "");
	expect_refused("{'minimum': {'amount': '-1'}}", AT ".minimum.amount", "\"-1\"", "zero or more", "");
	expect_refused(
	    "{'maximum': {'amount': '1000000000000000.1'}}", AT ".maximum.amount", "\"1000000000000000.1\"", "at most 10^15", "");
	expect_refused("{'discounts': [{'name': 'a', 'amount': '0'}]}", AT ".discounts[0].amount", "\"0\"", "above zero", "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '0'}]}", AT ".discounts[0].percent", "\"0\"", "above zero", "");
	expect_refused(
	    "{'discounts': [{'name': 'a', 'percent': '100.01'}]}", AT ".discounts[0].percent", "\"100.01\"", "at most 100", "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '0.12345678901234567'}]}", AT ".discounts[0].percent",
	    "\"0.12345678901234567\"", "at most 16 decimals", "");
	expect_refused(
	    "{'discounts': [{'name': 'a', 'percent': '1', 'cap': '0'}]}", AT ".discounts[0].cap", "\"0\"", "above zero", "");
	expect_refused("{'fees': [{'name': 'a', 'quantity': '1000000000', 'price': '1000000000', 'per': 'day'}]}",
	    AT ".fees[0].quantity", "\"1000000000\"", "at most 10^15", "");
}

static void
counts_are_whole_json_numbers(void)
{
#define ALLOWANCE(quantity) "{'allowances': [{'name': 'a', 'meters': ['requests'], 'quantity': " quantity "}]}"
	expect_refused(ALLOWANCE("'5'"), AT ".allowances[0].quantity", "\"5\"", "whole number", "");
	expect_refused(ALLOWANCE("5.0"), AT ".allowances[0].quantity", "5.0", "whole number", "");
	expect_refused(ALLOWANCE("0"), AT ".allowances[0].quantity", "0", "from 1", "");
	expect_refused(ALLOWANCE("1000000000000000001"), AT ".allowances[0].quantity", "1000000000000000001", "10^18", "");
	expect_refused(ALLOWANCE("1, 'prorate': 'yes'"), AT ".allowances[0].prorate", "\"yes\"", "true or false", "");
}

static void
times_are_days_or_quarters_of_an_hour(void)
{
	expect_refused("{'trial': {}}", AT ".trial.until", "{}", "missing", "");
	expect_refused("{'trial': {'until': '2026-02-30'}}", AT ".trial.until", "\"2026-02-30\"", "no such day", "");
	expect_refused("{'trial': {'until': '2019-12-31'}}", AT ".trial.until", "\"2019-12-31\"", "from 2020 on", "");
	expect_refused("{'trial': {'until': 'in a month'}}", AT ".trial.until", "\"in a month\"", "no such day", "");
	expect_refused("{'trial': {'until': '2026-02-01T00:10:00Z'}}", AT ".trial.until", "\"2026-02-01T00:10:00Z\"",
	    "not a time that terms can change at", "quarter of an hour");
	expect_refused("{'minimum': {'amount': '1', 'ramp': [{'from': '2026-04-01', 'amount': '2'}, {'from': '2026-04-01',"
		       " 'amount': '3'}]}}",
	    AT ".minimum.ramp[1].from", "\"2026-04-01\"", "later than the one before", "");
	expect_refused("{'minimum': {'amount': '1', 'ramp': []}}", AT ".minimum.ramp", "[]", "1 to 64 steps", "");
	expect_refused(
	    "{'minimum': {'amount': '1', 'ramp': ['2026-04-01']}}", AT ".minimum.ramp[0]", "\"2026-04-01\"", "a step is", "");
}

static void
a_day_in_a_zone_that_is_none_is_refused(void)
{
	struct error err;

	CU_ASSERT_PTR_NULL(terms_or_error("{'trial': {'until': '2026-02-01'}}", "Europe/Atlantis", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "Europe/Atlantis"));
	EXPECT_TEXT(err.field, AT ".trial.until");
}

static void
what_a_scope_names_must_exist(void)
{
	expect_refused("{'allowances': [{'name': 'a', 'quantity': 1}]}", AT ".allowances[0]", "{\"name\":\"a\",\"quantity\":1}",
	    "an allowance has \"meters\"", "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '5', 'meters': ['requests', 'output_tokens']}]}",
	    AT ".discounts[0].meters[1]", "\"output_tokens\"", "no meter \"output_tokens\"", "\"output_text_tokens\"");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '5', 'meters': [1]}]}", AT ".discounts[0].meters[0]", "1",
	    "the name of a meter", "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '5', 'meters': []}]}", AT ".discounts[0].meters", "[]",
	    "at least one meter", "");
	expect_refused("{'allowances': [{'name': 'a', 'quantity': 1, 'meters': ['requests', 'gpu_seconds']}]}",
	    AT ".allowances[0].meters", "[\"requests\",\"gpu_seconds\"]", "requests and gpu_seconds count in different units",
	    "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '5', 'model_pattern': 'qwen('}]}",
	    AT ".discounts[0].model_pattern", "qwen(", "not a pattern", "");
}

static void
what_contradicts_itself_is_refused(void)
{
	expect_refused(
	    "{'discounts': [{'name': 'a'}]}", AT ".discounts[0]", "{\"name\":\"a\"}", "either \"percent\" or \"amount\"", "");
	expect_refused("{'discounts': [{'name': 'a', 'percent': '5', 'amount': '5'}]}", AT ".discounts[0]",
	    "{\"name\":\"a\",\"percent\":\"5\",\"amount\":\"5\"}", "either \"percent\" or \"amount\"", "");
	expect_refused("{'discounts': [{'name': 'a', 'amount': '5', 'cap': '5'}]}", AT ".discounts[0]",
	    "{\"name\":\"a\",\"amount\":\"5\",\"cap\":\"5\"}", "its own cap", "");
	expect_refused("{'commitment': {'amount': '1', 'reset': 'month'}}", AT ".commitment",
	    "{\"amount\":\"1\",\"reset\":\"month\"}", "changes nothing", "");
	expect_refused("{'commitment': {'amount': '1', 'reset': 'never', 'true_up': true}}", AT ".commitment",
	    "{\"amount\":\"1\",\"reset\":\"never\",\"true_up\":true}", "no last month", "");
	expect_refused("{'commitment': {'amount': '1', 'reset': 'monthly', 'true_up': true}}", AT ".commitment.reset",
	    "\"monthly\"", "cannot be this", "\"month\"");
	expect_refused("{'fees': [{'name': 'a', 'amount': '1'}, {'name': 'a', 'amount': '2'}]}", AT ".fees[1].name", "\"a\"",
	    "the same name", "a name of its own");
	expect_refused("{'fees': [{'amount': '1'}]}", AT ".fees[0].name", "{\"amount\":\"1\"}", "\"name\" is missing", "");
}

static void
adjustments_wait_for_the_next_invoice_unless_it_is_said_otherwise(void)
{
	struct contract_terms *plain = terms_in("{'adjustments': {}}", "UTC");
	struct contract_terms *credited = terms_in("{'adjustments': {'as': 'credit_note', 'waive_below': '0.50'}}", "UTC");
	struct arena arena = {0};

	CU_ASSERT_TRUE(plain->adjustments.is_set);
	CU_ASSERT_FALSE(plain->adjustments.as_credit_note);
	CU_ASSERT_TRUE(plain->adjustments.waive_below.e18 == 0);
	CU_ASSERT_TRUE(credited->adjustments.as_credit_note);
	CU_ASSERT_TRUE(credited->adjustments.waive_below.e18 == amount_of("0.5").e18);
	EXPECT_TEXT(contract_terms_summary(credited, &arena), "adjustments");
	arena_release(&arena);
	contract_terms_free(plain);
	contract_terms_free(credited);
	expect_refused("{'adjustments': {'as': 'credit'}}", AT ".adjustments.as", "\"credit\"", "cannot be this", "credit_note");
	expect_refused("{'adjustments': {'waive_below': 1}}", AT ".adjustments.waive_below", "1", "decimal text", "in quotes");
	expect_refused("{'adjustments': {'waive': '1'}}", AT ".adjustments.waive", "\"1\"", "no such key", "waive_below");
}

static void
aborted_usage_is_billed_or_held_in_so_many_words(void)
{
	struct contract_terms *held = terms_in("{'aborted_usage': 'hold'}", "UTC");
	struct contract_terms *billed = terms_in("{'aborted_usage': 'bill_reported'}", "UTC");
	struct contract_terms *silent = terms_in("{'minimum': {'amount': '1'}}", "UTC");

	CU_ASSERT_EQUAL(held->aborted, ABORTED_HOLD);
	CU_ASSERT_EQUAL(billed->aborted, ABORTED_BILL);
	CU_ASSERT_EQUAL(silent->aborted, ABORTED_UNSTATED);
	contract_terms_free(held);
	contract_terms_free(billed);
	contract_terms_free(silent);
	expect_summary("{'aborted_usage': 'hold', 'minimum': {'amount': '1'}}", "minimum, aborted usage held");
	expect_summary("{'aborted_usage': 'bill_reported'}", "aborted usage billed");
	expect_refused("{'aborted_usage': 'bill'}", AT ".aborted_usage", "\"bill\"", "cannot be this", "bill_reported");
	expect_refused("{'aborted_usage': true}", AT ".aborted_usage", "true", "text", "");
	expect_refused("{'aborted_usages': 'hold'}", AT ".aborted_usages", "\"hold\"", "no such key", "aborted_usage");
}

UNIT_TESTS("rating/contract_terms", TEST(aborted_usage_is_billed_or_held_in_so_many_words),
    TEST(adjustments_wait_for_the_next_invoice_unless_it_is_said_otherwise), TEST(every_part_of_the_terms_is_read),
    TEST(what_is_left_out_is_not_there), TEST(a_time_may_have_an_offset), TEST(allowances_of_seconds_count_in_billionths),
    TEST(a_scope_covers_what_it_names_and_all_of_what_it_does_not), TEST(a_ramp_is_at_the_last_step_that_has_begun),
    TEST(the_terms_are_summed_up_in_a_few_words), TEST(what_is_no_object_or_an_empty_one_is_refused),
    TEST(an_unknown_key_is_refused_with_the_nearest_one), TEST(numbers_are_decimal_text_within_limits),
    TEST(counts_are_whole_json_numbers), TEST(times_are_days_or_quarters_of_an_hour),
    TEST(a_day_in_a_zone_that_is_none_is_refused), TEST(what_a_scope_names_must_exist), TEST(what_contradicts_itself_is_refused))
