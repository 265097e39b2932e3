/* night_publish.c -- the step publish: what tenants have spent, to the topic that is configured. */
#include <string.h>

#include "nightly/night.h"
#include "reports/spend.h"

static const char *
setting(const struct night *night, const char *key)
{
	const char *value = config_text(night->config, key);

	return value[0] == '\0' ? NULL : value;
}

/* No number of a batch: those have gaps. */
static void
tell(const struct spend_result *result, struct night_told *told)
{
	text_add_format(&told->line, "%zu tenants, as of rating run %lld", result->published, (long long)result->rating_run);
	if (result->waiting_count > 0)
		text_add_format(&told->line, "; not published: %d, which wait to be rated", result->waiting_count);
	text_add_format(&told->json,
	    "\"published\":%zu,\"rating_run\":%lld,\"batches\":%lld,\"batches_left\":%lld,\"waiting\":[%.*s]", result->published,
	    (long long)result->rating_run, (long long)result->batches, (long long)result->batches_left,
	    (int)result->waiting.length, result->waiting_count == 0 ? "" : result->waiting.bytes);
	told->findings = result->waiting_count > 0;
}

bool
night_publish(struct night *night, struct night_told *told, struct error *err)
{
	const char *topic = setting(night, "spend.topic");
	struct kafka_settings kafka = {.brokers = setting(night, "spend.brokers"),
	    .config_path = setting(night, "spend.kafka_config"),
	    .insecure = config_flag(night->config, "spend.insecure")};
	struct spend_result result;
	bool fine;

	if (topic == NULL) {
		text_add_string(&told->line, "not configured");
		return true;
	}
	fine = spend_publish(night->run, &kafka, topic, "", &result, err);
	if (fine)
		tell(&result, told);
	spend_result_release(&result);
	return fine;
}
