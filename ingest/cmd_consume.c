/* cmd_consume.c -- `tollbook consume`: usage from a Kafka topic into the ledger. */
#include <string.h>

#include "base/kafka.h"
#include "base/table.h"
#include "ingest/consume.h"
#include "ingest/format_option.h"

static bool consume_verb(struct run *run, struct error *err);

enum { DEFAULT_BATCH_SECONDS = 5, DEFAULT_PATIENCE_SECONDS = 60, DEFAULT_LATE_DAYS = 400 };

static const struct option_spec options[] = {
    KAFKA_OPTIONS,
    {"topic", "TOPIC", "the topic to read", 't'},
    {"until-end", NULL, "read up to the ends that the topic has now, and be done (the default)", 0},
    {"follow", NULL, "join a group and go on until SIGTERM; start more processes to share the partitions", 0},
    {"group", "NAME", "the group joined, and where offsets are committed for lag tools; default: tollbook", 0},
    {"instance", "NAME", "with --follow: a name of this process that stays, so that a restart moves no partitions", 0},
    {"again", NULL, "begin a new reading of the topic; what is booked is recognised; needs --reason", 0},
    {"reason", "TEXT", "why, for the audit log", 'r'},
    FORMAT_OPTIONS,
    {"source", "NAME", "the producer, for records that do not name one; default: /short", 0},
    {"late-days", "N", "set usage aside that is older than this; default: 400", 0},
    {"batch-records", "N", "records of one transaction at most; default: 50000", 0},
    {"batch-seconds", "N", "age of a record when it is booked at the latest; default: 5", 0},
    {"patience", "SECONDS", "how long a database or brokers that are away are waited for; default: 60", 0},
    {"stats", NULL, "a live line on a terminal", 0},
    {"metrics-file", "FILE", "write Prometheus text there, every five seconds", 0},
    {0},
};

const struct command cmd_consume = {
    .name = "consume",
    .summary = "append usage from a Kafka topic to the metered ledger, each event once",
    .operands = "",
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook consume -b localhost:9092 -t usage\n"
	       "  tollbook consume -b kafka-1:9093,kafka-2:9093 -t usage --kafka-config /etc/tollbook/kafka.properties --follow\n"
	       "  tollbook consume -b localhost:9092 -t answers --format openai.chat\n"
	       "  tollbook consume -b localhost:9092 -t usage -X fetch.min.bytes=100000 --stats",
    .run = consume_verb,
};

static bool
need(struct run *run, const char *name, struct error *err)
{
	if (option_value(run, name) != NULL && option_value(run, name)[0] != '\0')
		return true;
	error_set(err, ERROR_USAGE, "%s needs --%s", run->command->name, name);
	return error_hint(err, "Run: tollbook %s --help", run->command->name);
}

static bool
refuse_pair(struct run *run, const char *one, const char *two, struct error *err)
{
	if (option_value(run, one) == NULL || option_value(run, two) == NULL)
		return true;
	return error_set(err, ERROR_USAGE, "--%s and --%s exclude each other", one, two);
}

static bool
read_numbers(struct run *run, struct consume_options *out, struct error *err)
{
	int64_t late_days, records, seconds, patience;

	if (!option_number(run, "late-days", 1, 100000, DEFAULT_LATE_DAYS, &late_days, err) ||
	    !option_number(run, "batch-records", 1, 1000000, CONSUME_BATCH_RECORDS, &records, err) ||
	    !option_number(run, "batch-seconds", 1, 3600, DEFAULT_BATCH_SECONDS, &seconds, err) ||
	    !option_number(run, "patience", 0, 86400, DEFAULT_PATIENCE_SECONDS, &patience, err))
		return false;
	out->limits = (struct intake_limits){.records = (size_t)records, .bytes = CONSUME_BATCH_BYTES};
	out->age_ms = seconds * 1000;
	out->patience_ms = patience * 1000;
	out->rules = event_rules_default(run->now);
	out->rules.late_days = (int)late_days;
	return true;
}

static bool
read_options(struct run *run, struct consume_options *out, struct error *err)
{
	*out = (struct consume_options){.kafka = kafka_settings_of(run),
	    .topic = option_value(run, "topic"),
	    .group = option_value(run, "group"),
	    .instance = option_value(run, "instance"),
	    .follow = option_value(run, "follow") != NULL,
	    .live = option_value(run, "stats") != NULL,
	    .metrics_path = option_value(run, "metrics-file")};
	if (!need(run, "topic", err) || !refuse_pair(run, "until-end", "follow", err) ||
	    !refuse_pair(run, "again", "follow", err) || !read_numbers(run, out, err))
		return false;
	if (option_value(run, "source") != NULL)
		out->rules.default_source = option_value(run, "source");
	if (option_value(run, "again") == NULL)
		return true;
	out->again_reason = option_value(run, "reason");
	return need(run, "reason", err);
}

static void
print(struct run *run, const struct consume_result *result)
{
	static const struct column columns[] = {{"partition", "partition", COLUMN_NUMBER}, {"from", "from", COLUMN_NUMBER},
	    {"to", "to", COLUMN_NUMBER}, {"records", "records", COLUMN_NUMBER}, {"accepted", "accepted", COLUMN_NUMBER},
	    {"duplicates", "duplicates", COLUMN_NUMBER}, {"ignored", "ignored", COLUMN_NUMBER},
	    {"quarantined", "quarantined", COLUMN_NUMBER}, {"rejected", "rejected", COLUMN_NUMBER},
	    {"held_back", "held back", COLUMN_NUMBER}, {0}};
	struct table *table = table_new(columns);

	for (size_t i = 0; i < result->partition_count; i++) {
		const struct consumed *consumed = &result->partitions[i];
		const int64_t numbers[] = {consumed->partition, consumed->first_offset, consumed->next_offset,
		    consumed->counts.records, consumed->counts.accepted, consumed->counts.duplicates, consumed->counts.ignored,
		    consumed->counts.quarantined, consumed->counts.rejected,
		    consumed->held ? consumed->end - consumed->stable : 0};

		table_row(table);
		for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
			table_cell_format(table, "%lld", (long long)numbers[j]);
	}
	table_print(table, run, "no partition was read");
	table_free(table);
}

static bool
consume_by(struct run *run, const struct profile *profile, struct error *err)
{
	struct consume_options consume_options;
	struct consume_result result;
	bool fine;

	if (!read_options(run, &consume_options, err))
		return false;
	consume_options.profile = profile;
	consume_options.memory = ledger_memory_new(run->filter_mib);
	fine = consume(run, &consume_options, &result, err);
	ledger_memory_free(consume_options.memory);
	if (fine || result.partition_count > 0)
		print(run, &result);
	intake_say(run, &result.sum);
	consume_result_release(&result);
	return fine;
}

static bool
consume_verb(struct run *run, struct error *err)
{
	struct profile *profile;
	bool fine;

	if (!format_option_open(run, &profile, err))
		return false;
	fine = consume_by(run, profile, err);
	profile_free(profile);
	return fine;
}
