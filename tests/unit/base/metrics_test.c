/* metrics_test.c -- the text format of Prometheus, as its documentation describes it. */
#include "base/metrics.h"

#include "tests/support/unit.h"

static void
a_metric_says_what_it_is_once_above_its_samples(void)
{
	const struct metric_label eur = {"currency", "EUR"}, usd = {"currency", "USD"};
	struct text out = {0};

	metric_begin(&out, "tollbook_unbilled_amount", "gauge", "Charges without an invoice.");
	metric_sample(&out, "tollbook_unbilled_amount", &eur, 1, "12.5");
	metric_sample(&out, "tollbook_unbilled_amount", &usd, 1, "-3");
	EXPECT_TEXT(text_string(&out),
	    "# HELP tollbook_unbilled_amount Charges without an invoice.\n"
	    "# TYPE tollbook_unbilled_amount gauge\n"
	    "tollbook_unbilled_amount{currency=\"EUR\"} 12.5\n"
	    "tollbook_unbilled_amount{currency=\"USD\"} -3\n");
	text_release(&out);
}

static void
a_sample_has_none_or_several_labels(void)
{
	const struct metric_label labels[] = {{"topic", "usage"}, {"partition", "7"}};
	struct text out = {0};

	metric_sample(&out, "drafts", NULL, 0, "2");
	metric_sample(&out, "lag", labels, 2, "0");
	EXPECT_TEXT(text_string(&out), "drafts 2\nlag{topic=\"usage\",partition=\"7\"} 0\n");
	text_release(&out);
}

static void
backslash_quote_and_line_feed_are_escaped_in_a_label(void)
{
	const struct metric_label label = {"source", "a\"b\\c\nd\xc3\xbc"};
	struct text out = {0};

	metric_sample(&out, "m", &label, 1, "1");
	EXPECT_TEXT(text_string(&out), "m{source=\"a\\\"b\\\\c\\nd\xc3\xbc\"} 1\n");
	text_release(&out);
}

UNIT_TESTS("base/metrics", TEST(a_metric_says_what_it_is_once_above_its_samples), TEST(a_sample_has_none_or_several_labels),
    TEST(backslash_quote_and_line_feed_are_escaped_in_a_label))
