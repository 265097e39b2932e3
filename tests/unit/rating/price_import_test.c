/* price_import_test.c -- public price lists as price books: numbers to the digit, thresholds, tiers, names, what is left out. */
#include "rating/price_import.h"

#include "rating/price_number.h"
#include "tests/support/unit.h"

/* --- numbers --------------------------------------------------------------------------------- */

static struct bytes
bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static void
expect_number(const char *text, enum price_number_result wanted, int shift, const char *price)
{
	struct price_number number;
	char shown[DECIMAL_TEXT];
	enum price_number_result result = price_number_parse(bytes_of(text), &number);

	if (result != wanted)
		printf("\n    %s: %d\n", text, (int)result);
	CU_ASSERT_EQUAL(result, wanted);
	CU_ASSERT(price_number_format(number, shift, shown));
	EXPECT_TEXT(shown, price);
}

static void
a_price_for_a_token_is_one_for_a_million_to_the_digit(void)
{
	expect_number("3.75e-08", PRICE_NUMBER_FINE, 6, "0.0375");
	expect_number("2.5E-6", PRICE_NUMBER_FINE, 6, "2.5");
	expect_number("0.00000014", PRICE_NUMBER_FINE, 6, "0.14");
	expect_number("12", PRICE_NUMBER_FINE, 0, "12");
	expect_number("1200000", PRICE_NUMBER_FINE, -6, "1.2");
	expect_number("0", PRICE_NUMBER_FINE, 6, "0");
	expect_number("0.000", PRICE_NUMBER_FINE, 6, "0");
	expect_number("5.000", PRICE_NUMBER_FINE, 0, "5");
	expect_number("1e2", PRICE_NUMBER_FINE, 0, "100");
	expect_number("2.0751953125e-09", PRICE_NUMBER_FINE, 6, "0.0020751953125");
}

static void
the_residue_of_a_binary_fraction_is_taken_off(void)
{
	expect_number("1.2000000000000002e-06", PRICE_NUMBER_RESIDUE, 6, "1.2");
	expect_number("0.0000006000000000000001", PRICE_NUMBER_RESIDUE, 6, "0.6");
	expect_number("0.00000100000000000000015", PRICE_NUMBER_RESIDUE, 6, "1");
	expect_number("0.7999999999999999", PRICE_NUMBER_RESIDUE, 0, "0.8");
	expect_number("14.993999999999998", PRICE_NUMBER_RESIDUE, 0, "14.994");
	expect_number("7.500003000000001e-05", PRICE_NUMBER_RESIDUE, 6, "75.00003");
}

static void
a_quotient_is_no_residue_and_is_kept_as_it_stands(void)
{
	expect_number("0.08333333333333334", PRICE_NUMBER_LONG, 0, "0.08333333333333334");
	expect_number("0.00000008333333333333334", PRICE_NUMBER_LONG, 6, "0.08333333333333334");
	expect_number("3.3333333333333335e-05", PRICE_NUMBER_LONG, 3, "0.033333333333333335");
	/* twelve digits are no residue, whatever they are */
	expect_number("0.333333333333", PRICE_NUMBER_FINE, 0, "0.333333333333");
	/* off by more than a few additions leave */
	expect_number("1.2000000000001", PRICE_NUMBER_LONG, 0, "1.2000000000001");
}

static void
what_is_no_price_is_refused(void)
{
	static const struct {
		const char *text;
		enum price_number_result wanted;
	} texts[] = {
	    {"", PRICE_NUMBER_NONE},
	    {"free", PRICE_NUMBER_NONE},
	    {"1,5", PRICE_NUMBER_NONE},
	    {".5", PRICE_NUMBER_NONE},
	    {"0x10", PRICE_NUMBER_NONE},
	    {"1e", PRICE_NUMBER_NONE},
	    {"-1", PRICE_NUMBER_NEGATIVE},
	    {"-0.5e-6", PRICE_NUMBER_NEGATIVE},
	    {"-0", PRICE_NUMBER_FINE},
	    {"1e400", PRICE_NUMBER_TOO_LONG},
	    {"1e-99999999999999999999", PRICE_NUMBER_TOO_LONG},
	    {"0.1234567890123456789012345678901234567", PRICE_NUMBER_TOO_LONG},
	};
	struct price_number number;
	char shown[DECIMAL_TEXT];

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		CU_ASSERT_EQUAL(price_number_parse(bytes_of(texts[i].text), &number), texts[i].wanted);
	CU_ASSERT_EQUAL(price_number_parse(bytes_of("1e-19"), &number), PRICE_NUMBER_FINE);
	CU_ASSERT(!price_number_format(number, 0, shown));
	CU_ASSERT(price_number_format(number, 1, shown));
	CU_ASSERT_EQUAL(price_number_parse(bytes_of("1e30"), &number), PRICE_NUMBER_FINE);
	CU_ASSERT(!price_number_format(number, 0, shown));
}

/* --- imports --------------------------------------------------------------------------------- */

struct outcome {
	struct text book, report;
	struct instant next_date;
	bool has_next_date;
};

static struct outcome
import_list_at(enum price_list_kind kind, const char *provider, const char *effective, const char *list)
{
	struct price_import_order order = {.kind = kind, .file = "lists/list", .book = "market", .provider = provider};
	struct price_import *import = NULL;
	struct outcome outcome = {.has_next_date = false};
	struct error err = {0};

	CU_ASSERT_FATAL(instant_option(effective, &order.effective, &err));
	if (!price_import_read(&order, list, strlen(list), &import, &err))
		printf("\n    %s %s\n", err.message, err.field);
	CU_ASSERT_PTR_NOT_NULL_FATAL(import);
	price_import_book(import, &outcome.book);
	price_import_report(import, &outcome.report);
	outcome.has_next_date = price_import_next_date(import, &outcome.next_date);
	price_import_free(import);
	return outcome;
}

static struct outcome
import_list(enum price_list_kind kind, const char *list)
{
	return import_list_at(kind, NULL, "2026-08-21", list);
}

static void
outcome_release(struct outcome *outcome)
{
	text_release(&outcome->book);
	text_release(&outcome->report);
}

static void
expect_has(struct text *text, const char *part)
{
	bool has = strstr(text_string(text), part) != NULL;

	if (!has)
		printf("\n    no %s\n    in %s\n", part, text_string(text));
	CU_ASSERT(has);
}

static void
expect_lacks(struct text *text, const char *part)
{
	bool has = strstr(text_string(text), part) != NULL;

	if (has)
		printf("\n    %s\n    in %s\n", part, text_string(text));
	CU_ASSERT(!has);
}

static void
a_field_of_litellm_is_the_price_of_a_meter(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"sample_spec\":{\"input_cost_per_token\":1},"
	    "\"m\":{\"input_cost_per_token\":3.75e-08,\"output_cost_per_token\":\"2e-07\",\"cache_read_input_token_cost\":0,"
	    "\"cache_creation_input_token_cost_above_1hr\":1e-7,\"supports_vision\":true,\"max_tokens\":5}}");

	expect_has(&outcome.book, "\"input_text_uncached_tokens\": { \"price\": \"0.0375\", \"per\": 1000000 }");
	expect_has(&outcome.book, "\"input_text_cache_read_tokens\": { \"price\": \"0\", \"per\": 1000000 }");
	expect_has(&outcome.book, "\"input_text_cache_write_1h_tokens\": { \"price\": \"0.1\", \"per\": 1000000 }");
	expect_has(&outcome.book, "\"output_text_tokens\": { \"price\": \"0.2\", \"per\": 1000000 }");
	expect_lacks(&outcome.book, "sample_spec");
	EXPECT_TEXT(text_string(&outcome.report), "");
	outcome_release(&outcome);
}

static void
of_thresholds_of_two_tiers_the_highest_counts_and_at_the_same_the_tiers_own(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"m\":{\"output_cost_per_token\":1e-6,\"output_cost_per_token_above_200k_tokens\":3e-6,"
	    "\"output_cost_per_token_priority\":2e-6,\"output_cost_per_token_above_128k_tokens_priority\":4e-6,"
	    "\"input_cost_per_token\":1e-6,\"input_cost_per_token_above_200k_tokens\":2e-6,"
	    "\"input_cost_per_token_above_200k_tokens_priority\":5e-6}}");

	expect_has(&outcome.book,
	    "\"output_text_tokens\": { \"brackets\": [{ \"price\": \"1\" }, { \"over\": 200000, \"price\": \"3\" }], \"per\"");
	expect_has(&outcome.book,
	    "\"output_text_tokens\": { \"brackets\": [{ \"price\": \"2\" }, { \"over\": 128000, \"price\": \"4\" }, { \"over\": "
	    "200000, \"price\": \"3\" }], \"per\"");
	expect_has(&outcome.book,
	    "\"input_text_uncached_tokens\": { \"brackets\": [{ \"price\": \"1\" }, { \"over\": 200000, \"price\": \"5\" }], "
	    "\"per\"");
	outcome_release(&outcome);
}

static void
tiered_pricing_becomes_brackets(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"m\":{\"tiered_pricing\":[{\"range\":[0,32000.0],\"input_cost_per_token\":1e-6},"
	    "{\"range\":[32000.0,1e6],\"input_cost_per_token\":1.8e-6}],\"output_cost_per_token\":4e-6},"
	    "\"s\":{\"tiered_pricing\":[{\"max_results_range\":[0,25],\"input_cost_per_query\":0.005}]}}");

	expect_has(&outcome.book,
	    "\"input_text_uncached_tokens\": { \"brackets\": [{ \"price\": \"1\" }, { \"over\": 32000, \"price\": \"1.8\" }], "
	    "\"per\"");
	expect_has(&outcome.book, "\"output_text_tokens\": { \"price\": \"4\", \"per\": 1000000 }");
	expect_lacks(&outcome.book, "\"model\": \"s\"");
	expect_has(&outcome.report, "\"entry\": \"s\", \"field\": \"tiered_pricing\"");
	outcome_release(&outcome);
}

static void
a_region_and_a_speed_are_rules_before_the_one_they_take_prices_from(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"m\":{\"input_cost_per_token\":1e-6,\"regional_processing_uplift_multiplier_eu\":1.1,"
	    "\"provider_specific_entry\":{\"fast\":6.0}}}");
	const char *both = strstr(text_string(&outcome.book), "\"region\": \"eu\", \"speed\": \"fast\"");
	const char *base = strstr(text_string(&outcome.book), "\"name\": \"m\", \"model\": \"m\",\n");

	CU_ASSERT_PTR_NOT_NULL_FATAL(both);
	CU_ASSERT_PTR_NOT_NULL_FATAL(base);
	CU_ASSERT(both < base);
	expect_has(&outcome.book, "\"inherit\": { \"from\": { \"rule\": \"m, fast\" }, \"factor\": \"1.1\" }");
	expect_has(&outcome.book,
	    "\"name\": \"m, fast\", \"model\": \"m\", \"speed\": \"fast\",\n      \"inherit\": { \"from\": { "
	    "\"rule\": \"m\" }, \"factor\": \"6\" }");
	outcome_release(&outcome);
}

static void
what_would_be_charged_twice_is_priced_once_and_told(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"m\":{\"input_cost_per_token\":1e-6,\"output_cost_per_image_token\":4e-5,\"output_cost_per_image\":0.04},"
	    "\"w\":{\"mode\":\"audio_transcription\",\"input_cost_per_second\":0.0002833333333333333,\"output_cost_per_second\":"
	    "0}}");

	expect_lacks(&outcome.book, "\"images\"");
	expect_has(&outcome.report,
	    "\"field\": \"output_cost_per_image\", \"value\": \"0.04\", \"reason\": \"the entry prices the same");
	/* 19 decimals a second are 16 for a thousand */
	expect_has(&outcome.book, "\"audio_input_seconds\": { \"price\": \"0.2833333333333333\", \"per\": 1000 }");
	outcome_release(&outcome);
}

static void
what_a_book_cannot_say_is_told_with_entry_field_value_and_reason(void)
{
	struct outcome outcome = import_list(PRICE_LIST_LITELLM,
	    "{\"a\":{\"input_cost_per_token\":1e-6,\"moon_cost_per_token\":2,\"wonder\":1,\"output_cost_per_token\":null},"
	    "\"b\":{\"max_tokens\":1},\"c\":{\"input_cost_per_pixel\":1e-9},\"d\":{\"input_cost_per_token\":-1},"
	    "\"e\":{\"input_cost_per_token\":1e-30}}");

	expect_has(&outcome.report,
	    "{\"entry\": \"a\", \"field\": \"moon_cost_per_token\", \"value\": \"2\", \"reason\": "
	    "\"an unknown price key\", \"imported\": false}");
	expect_has(&outcome.report, "{\"entry\": \"a\", \"field\": \"wonder\", \"value\": \"1\", \"reason\": \"an unknown key\"");
	expect_has(
	    &outcome.report, "{\"entry\": \"b\", \"field\": \"\", \"value\": \"\", \"reason\": \"an entry without any price\"");
	expect_has(&outcome.report, "{\"entry\": \"c\", \"field\": \"input_cost_per_pixel\"");
	expect_has(&outcome.report,
	    "{\"entry\": \"d\", \"field\": \"input_cost_per_token\", \"value\": \"-1\", \"reason\": "
	    "\"a price that varies (-1)\"");
	expect_has(&outcome.report, "{\"entry\": \"e\", \"field\": \"input_cost_per_token\", \"value\": \"1e-30\"");
	outcome_release(&outcome);
}

static const char genai[] =
    "[{\"id\":\"p\",\"models\":["
    "{\"id\":\"big\",\"match\":{\"or\":[{\"equals\":\"Big\"},{\"starts_with\":\"big.1\"}]},\"prices\":["
    "{\"prices\":{\"input_mtok\":10}},"
    "{\"constraint\":{\"start_date\":\"2026-09-01\"},\"prices\":{\"input_mtok\":{\"base\":2,\"tiers\":[{\"start\":1000,\"price\":"
    "4}]}}}]},"
    "{\"id\":\"big.15\",\"match\":{\"equals\":\"big.15\"},\"prices\":{\"input_mtok\":7}},"
    "{\"id\":\"owl\",\"match\":{\"contains\":\"owl\"},\"prices\":["
    "{\"prices\":{\"input_mtok\":1}},"
    "{\"constraint\":{\"start_time\":\"00:30:00Z\",\"end_time\":\"16:30:00Z\"},\"prices\":{\"input_mtok\":2}}]}]},"
    "{\"id\":\"q\",\"fallback_model_providers\":[\"p\"],\"models\":["
    "{\"id\":\"big\",\"match\":{\"equals\":\"big\"},\"prices\":{\"input_mtok\":11}}]}]";

static void
a_name_is_a_rule_where_no_entry_before_takes_it(void)
{
	struct outcome outcome = import_list(PRICE_LIST_GENAI_PRICES, genai);

	expect_has(&outcome.book, "\"model\": \"Big\", \"provider\": \"p\"");
	expect_has(&outcome.book, "\"model_pattern\": \"(?i:Big)|(?i:big\\\\.1.*)\", \"provider\": \"p\"");
	expect_has(&outcome.book, "\"model_pattern\": \"(?i:.*owl.*)\", \"provider\": \"p\"");
	expect_lacks(&outcome.book, "\"model\": \"big.15\"");
	expect_has(&outcome.report,
	    "\"entry\": \"p/big.15\", \"field\": \"match\", \"value\": \"big.15\", \"reason\": "
	    "\"a name that an entry before this one takes");
	outcome_release(&outcome);
}

static void
a_provider_has_the_models_of_its_fallback_providers_behind_its_own(void)
{
	struct outcome outcome = import_list(PRICE_LIST_GENAI_PRICES, genai);

	expect_has(&outcome.book,
	    "\"model\": \"big\", \"provider\": \"q\",\n      \"prices\": {\n        "
	    "\"input_text_uncached_tokens\": { \"price\": \"11\", \"per\": 1000000 }");
	expect_has(&outcome.book, "\"model_pattern\": \"(?i:big\\\\.1.*)\", \"provider\": \"q\"");
	expect_lacks(&outcome.book, "\"model\": \"Big\", \"provider\": \"q\"");
	outcome_release(&outcome);
	outcome = import_list_at(PRICE_LIST_GENAI_PRICES, "q", "2026-08-21", genai);
	expect_has(&outcome.book, "      \"model\": \"big\",\n");
	expect_lacks(&outcome.book, "\"provider\":");
	outcome_release(&outcome);
}

static void
the_prices_in_force_are_taken_and_the_next_date_is_told(void)
{
	struct outcome outcome = import_list(PRICE_LIST_GENAI_PRICES, genai);
	char text[INSTANT_TEXT];

	expect_has(&outcome.book, "\"input_text_uncached_tokens\": { \"price\": \"10\", \"per\": 1000000 }");
	CU_ASSERT(outcome.has_next_date);
	EXPECT_TEXT(instant_format(outcome.next_date, text), "2026-09-01T00:00:00Z");
	outcome_release(&outcome);
	outcome = import_list_at(PRICE_LIST_GENAI_PRICES, NULL, "2026-09-01", genai);
	expect_has(&outcome.book,
	    "\"input_text_uncached_tokens\": { \"brackets\": [{ \"price\": \"2\" }, { \"over\": 1000, \"price\": \"4\" }], "
	    "\"per\"");
	CU_ASSERT(!outcome.has_next_date);
	outcome_release(&outcome);
}

static void
a_time_of_day_is_a_window(void)
{
	struct outcome outcome = import_list(PRICE_LIST_GENAI_PRICES, genai);

	expect_has(&outcome.book,
	    "\"00:30 to 16:30 UTC\": { \"zone\": \"UTC\", \"spans\": [{ \"from\": \"00:30\", \"to\": \"16:30\" }] }");
	expect_has(&outcome.book,
	    "\"price\": \"1\", \"per\": 1000000, \"times\": [{ \"window\": \"00:30 to 16:30 UTC\", \"price\": \"2\" }]");
	outcome_release(&outcome);
}

static void
a_row_of_openrouter_is_a_rule_and_its_second_name_an_alias(void)
{
	struct outcome outcome = import_list(PRICE_LIST_OPENROUTER,
	    "id,canonical_slug,prompt,completion,image,overrides_json\n"
	    "a/m,a/"
	    "m-1,0.00000014,0.0000006000000000000001,0.00000014,\"[{\"\"min_prompt_tokens\"\":200000,\"\"prompt\"\":\"\"0."
	    "00000028\"\"}]\"\n"
	    "a/m:free,a/m-1,0,0,,\n"
	    "a/p,a/p,0.000001,0.000002,0.0048,\n"
	    "a/auto,a/auto,-1,-1,,\n");

	expect_has(&outcome.book, "\"aliases\": {\n    \"a/m-1\": \"a/m\"\n  }");
	expect_has(&outcome.book,
	    "\"input_text_uncached_tokens\": { \"brackets\": [{ \"price\": \"0.14\" }, { \"from\": 200000, \"price\": \"0.28\" "
	    "}], \"per\"");
	expect_has(&outcome.book, "\"input_image_uncached_tokens\": { \"price\": \"0.14\", \"per\": 1000000 }");
	expect_has(&outcome.report,
	    "\"value\": \"0.0000006000000000000001\", \"reason\": \"the residue of a binary fraction is taken "
	    "off\", \"imported\": true, \"kept\": \"0.0000006\"");
	expect_has(&outcome.report, "\"entry\": \"a/p\", \"field\": \"image\", \"value\": \"0.0048\"");
	expect_has(&outcome.report, "\"entry\": \"a/auto\", \"field\": \"prompt\", \"value\": \"-1\"");
	expect_lacks(&outcome.book, "\"model\": \"a/auto\"");
	outcome_release(&outcome);
}

static void
a_row_of_models_dev_is_a_rule_for_provider_and_model(void)
{
	struct outcome outcome = import_list(PRICE_LIST_MODELS_DEV,
	    "provider,model,input_usd_per_mtok,output_usd_per_mtok,tiers_json\r\n"
	    "a,m,2.000,10,\"[{\"\"tier\"\":{\"\"size\"\":200000},\"\"input\"\":\"\"4.000\"\"}]\"\r\n"
	    "b,m,2.5,,\r\n"
	    "b,none,,,\r\n");

	expect_has(&outcome.book, "\"model\": \"m\", \"provider\": \"a\"");
	expect_has(&outcome.book,
	    "\"input_text_uncached_tokens\": { \"brackets\": [{ \"price\": \"2\" }, { \"over\": 200000, \"price\": \"4\" }], "
	    "\"per\"");
	expect_has(&outcome.book, "\"model\": \"m\", \"provider\": \"b\"");
	expect_has(&outcome.report,
	    "{\"entry\": \"b/none\", \"field\": \"\", \"value\": \"\", \"reason\": \"an entry without any price\"");
	outcome_release(&outcome);
}

static void
the_same_list_makes_the_same_bytes(void)
{
	struct outcome one = import_list(PRICE_LIST_GENAI_PRICES, genai), other = import_list(PRICE_LIST_GENAI_PRICES, genai);

	EXPECT_TEXT(text_string(&one.book), text_string(&other.book));
	EXPECT_TEXT(text_string(&one.report), text_string(&other.report));
	outcome_release(&one);
	outcome_release(&other);
}

static void
what_is_no_such_list_is_refused(void)
{
	static const struct {
		enum price_list_kind kind;
		const char *text, *message;
	} lists[] = {
	    {PRICE_LIST_LITELLM, "[]", "an object with a member for each model"},
	    {PRICE_LIST_LITELLM, "{\"a\":{},\"a\":{}}", "a key twice in an object"},
	    {PRICE_LIST_LITELLM, "{\"a\":01}", "not a price list"},
	    {PRICE_LIST_GENAI_PRICES, "{}", "a list of providers"},
	    {PRICE_LIST_OPENROUTER, "", "its first line is not a header"},
	    {PRICE_LIST_OPENROUTER, "id,price\na,1\n", "does not name the columns"},
	    {PRICE_LIST_MODELS_DEV, "provider,model,input_usd_per_mtok,output_usd_per_mtok\na,b,1\n", "more or fewer columns"},
	    {PRICE_LIST_MODELS_DEV, "provider,model,input_usd_per_mtok,output_usd_per_mtok\na,\"b,1,1\n", "not CSV"},
	};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		struct price_import_order order = {.kind = lists[i].kind, .file = "list", .book = "market"};
		struct price_import *import = NULL;
		struct error err = {0};

		CU_ASSERT(!price_import_read(&order, lists[i].text, strlen(lists[i].text), &import, &err));
		if (strstr(err.message, lists[i].message) == NULL)
			printf("\n    %s: %s\n", lists[i].text, err.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, lists[i].message));
	}
}

UNIT_TESTS("rating/price_import", TEST(a_price_for_a_token_is_one_for_a_million_to_the_digit),
    TEST(the_residue_of_a_binary_fraction_is_taken_off), TEST(a_quotient_is_no_residue_and_is_kept_as_it_stands),
    TEST(what_is_no_price_is_refused), TEST(a_field_of_litellm_is_the_price_of_a_meter),
    TEST(of_thresholds_of_two_tiers_the_highest_counts_and_at_the_same_the_tiers_own), TEST(tiered_pricing_becomes_brackets),
    TEST(a_region_and_a_speed_are_rules_before_the_one_they_take_prices_from),
    TEST(what_would_be_charged_twice_is_priced_once_and_told),
    TEST(what_a_book_cannot_say_is_told_with_entry_field_value_and_reason), TEST(a_name_is_a_rule_where_no_entry_before_takes_it),
    TEST(a_provider_has_the_models_of_its_fallback_providers_behind_its_own),
    TEST(the_prices_in_force_are_taken_and_the_next_date_is_told), TEST(a_time_of_day_is_a_window),
    TEST(a_row_of_openrouter_is_a_rule_and_its_second_name_an_alias), TEST(a_row_of_models_dev_is_a_rule_for_provider_and_model),
    TEST(the_same_list_makes_the_same_bytes), TEST(what_is_no_such_list_is_refused))
