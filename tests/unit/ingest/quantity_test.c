/* quantity_test.c -- numbers are judged on their digits. */
#include "ingest/quantity.h"

#include "ingest/event_draft.h"
#include "tests/support/unit.h"

struct spelling {
	const char *text;
	enum reason reason;
	int64_t value;
};

static void
a_count_is_a_whole_number_in_any_spelling(void)
{
	static const struct spelling spellings[] = {
	    {"0", REASON_NONE, 0},
	    {"-0", REASON_NONE, 0},
	    {"0.000", REASON_NONE, 0},
	    {"0e999999999999999999999", REASON_NONE, 0},
	    {"12", REASON_NONE, 12},
	    {"12.0", REASON_NONE, 12},
	    {"1.2e1", REASON_NONE, 12},
	    {"1200e-2", REASON_NONE, 12},
	    {"0.0012E+4", REASON_NONE, 12},
	    {"12.50e1", REASON_NONE, 125},
	    {"100.00", REASON_NONE, 100},
	    {"9007199254740991", REASON_NONE, 9007199254740991},
	    {"9007199254740991.000", REASON_NONE, 9007199254740991},
	    {"9.007199254740991e15", REASON_NONE, 9007199254740991},
	    {"9007199254740992", E_RANGE, 0},
	    {"9007199254740993.0", E_RANGE, 0},
	    {"9999999999999999", E_RANGE, 0},
	    {"12345678901234567890123", E_RANGE, 0},
	    {"1e400", E_RANGE, 0},
	    {"1e99999999999999999999", E_RANGE, 0},
	    {"10.5", E_NOT_INTEGER, 0},
	    {"1e-1", E_NOT_INTEGER, 0},
	    {"1e-99999999999999999999", E_NOT_INTEGER, 0},
	    {"0.30", E_NOT_INTEGER, 0},
	    {"123456789012345", REASON_NONE, 123456789012345},
	    {"1234567890123456", REASON_NONE, 1234567890123456},
	    {"12345678901234.5", E_NOT_INTEGER, 0},
	    {"9007199254740993.5", E_NOT_INTEGER, 0},
	    {"-1.5", E_NOT_INTEGER, 0},
	    {"-1", E_NEGATIVE, 0},
	    {"-1e400", E_NEGATIVE, 0},
	};

	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		int64_t value = -1;
		enum reason reason = count_parse(bytes_of(spellings[i].text), &value);

		if (reason != spellings[i].reason || (reason == REASON_NONE && value != spellings[i].value))
			printf("\n    %s gave %s %lld\n", spellings[i].text, reason_code(reason), (long long)value);
		CU_ASSERT_EQUAL(reason, spellings[i].reason);
		if (reason == REASON_NONE)
			CU_ASSERT_EQUAL(value, spellings[i].value);
	}
}

static void
a_measured_quantity_is_plain_decimal_text(void)
{
	static const struct spelling spellings[] = {
	    {"0", REASON_NONE, 0},
	    {"1", REASON_NONE, 1000000000},
	    {"1.25", REASON_NONE, 1250000000},
	    {"28800.000", REASON_NONE, 28800000000000},
	    {"0.000000001", REASON_NONE, 1},
	    {"9223372036.854775807", REASON_NONE, INT64_MAX},
	    {"9223372036.854775808", E_RANGE, 0},
	    {"999999999999999", E_RANGE, 0},
	    {"1000000000000000", E_DECIMAL, 0},
	    {"0.0000000001", E_DECIMAL, 0},
	    {"", E_DECIMAL, 0},
	    {".5", E_DECIMAL, 0},
	    {"1.", E_DECIMAL, 0},
	    {"01", E_DECIMAL, 0},
	    {"1e3", E_DECIMAL, 0},
	    {"-1", E_DECIMAL, 0},
	    {"+1", E_DECIMAL, 0},
	    {" 1", E_DECIMAL, 0},
	    {"1\n", E_DECIMAL, 0},
	    {"1,5", E_DECIMAL, 0},
	    {"1.5.0", E_DECIMAL, 0},
	};

	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
		int64_t value = -1;
		enum reason reason = measure_parse(bytes_of(spellings[i].text), 9, &value);

		if (reason != spellings[i].reason || (reason == REASON_NONE && value != spellings[i].value))
			printf("\n    \"%s\" gave %s %lld\n", spellings[i].text, reason_code(reason), (long long)value);
		CU_ASSERT_EQUAL(reason, spellings[i].reason);
		if (reason == REASON_NONE)
			CU_ASSERT_EQUAL(value, spellings[i].value);
	}
}

static void
digits_that_a_meter_does_not_keep_must_be_zero(void)
{
	int64_t value;

	CU_ASSERT_EQUAL(measure_parse(bytes_of("1.250"), 2, &value), REASON_NONE);
	CU_ASSERT_EQUAL(value, 125);
	CU_ASSERT_EQUAL(measure_parse(bytes_of("1.255"), 2, &value), E_DECIMAL);
}

UNIT_TESTS("ingest/quantity", TEST(a_count_is_a_whole_number_in_any_spelling), TEST(a_measured_quantity_is_plain_decimal_text),
    TEST(digits_that_a_meter_does_not_keep_must_be_zero))
