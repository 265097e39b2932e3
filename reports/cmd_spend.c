/* cmd_spend.c -- `tollbook spend publish`: what each tenant has spent so far, for whoever enforces quotas and budgets. */
#include "ledger/period.h"
#include "reports/spend.h"

static bool spend_publish_verb(struct run *run, struct error *err);

static const struct option_spec options[] = {
    KAFKA_OPTIONS,
    {"topic", "TOPIC", "the topic to send to; it must be there and be compacted", 't'},
    {"period", "YYYY-MM", "this billing period too, be it invoiced", 'p'},
    {0},
};

const struct command cmd_spend_publish = {
    .name = "spend publish",
    .summary = "send what each tenant has spent so far to a Kafka topic, proved, with the watermark it is true at",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .takes_dry_run = true,
    .example = "  tollbook spend publish --dry-run\n"
	       "  tollbook spend publish -b localhost:9092 -t tollbook.spend\n"
	       "  tollbook spend publish -b kafka-1:9093 -t tollbook.spend --kafka-config /etc/tollbook/kafka.properties",
    .run = spend_publish_verb,
};

static void
tell(struct run *run, const struct spend_result *result)
{
	say(run, "%stenants published: %zu, as of rating run %lld", run->dry_run ? "dry: " : "", result->published,
	    (long long)result->rating_run);
	if (result->batches_left > 0)
		say(run, "batches not in it: %lld, which no rating run has summed yet", (long long)result->batches_left);
	if (result->waiting_count == 0)
		return;
	say(run, "not published: %d of them, whose periods wait to be rated; run tollbook rate", result->waiting_count);
	run->finding = ERROR_FINDINGS;
}

static bool
spend_publish_verb(struct run *run, struct error *err)
{
	const char *topic = option_value(run, "topic"), *period;
	struct kafka_settings kafka = kafka_settings_of(run);
	struct spend_result result;
	bool fine;

	if (!period_option(run, &period, err))
		return false;
	if (!run->dry_run && (topic == NULL || topic[0] == '\0')) {
		error_set(err, ERROR_USAGE, "spend publish needs a topic: -t TOPIC");
		return error_hint(err, "With --dry-run the messages are printed instead.");
	}
	fine = run->dry_run ? spend_print(run, period, &result, err) : spend_publish(run, &kafka, topic, period, &result, err);
	if (fine)
		tell(run, &result);
	spend_result_release(&result);
	return fine;
}
