/* consume_report.c -- what a consumer says of itself while it runs: a line on a terminal, a file for Prometheus. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/metrics.h"
#include "ingest/consuming.h"

static struct consumed *
consumed_of(struct consume_result *result, int32_t partition)
{
	size_t at = 0, behind = result->partition_count;

	while (at < behind) {
		size_t middle = at + (behind - at) / 2;

		if (result->partitions[middle].partition < partition)
			at = middle + 1;
		else
			behind = middle;
	}
	if (at < result->partition_count && result->partitions[at].partition == partition)
		return &result->partitions[at];
	/* New ones are rare: grown by one. */
	result->partitions = realloc(result->partitions, (result->partition_count + 1) * sizeof *result->partitions);
	must(result->partitions != NULL);
	memmove(
	    result->partitions + at + 1, result->partitions + at, (result->partition_count - at) * sizeof *result->partitions);
	result->partition_count++;
	result->partitions[at] = (struct consumed){.partition = partition, .first_offset = -1, .end = -1, .stable = -1};
	return &result->partitions[at];
}

static void
lock(struct consuming *consuming)
{
	must(pthread_mutex_lock(&consuming->lock) == 0);
}

static void
unlock(struct consuming *consuming)
{
	must(pthread_mutex_unlock(&consuming->lock) == 0);
}

void
consume_report_ends(struct consuming *consuming, const struct reading *reading)
{
	struct consumed *consumed;

	lock(consuming);
	consumed = consumed_of(&consuming->result, reading->partition.name.number);
	if (consumed->first_offset < 0)
		consumed->first_offset = consumed->next_offset = reading->range_first;
	consumed->end = reading->ends.end;
	consumed->stable = reading->ends.stable;
	consumed->held = reading->ends.held;
	consumed->held_since = reading->ends.held_since;
	unlock(consuming);
}

void
consume_report_batch(struct consuming *consuming, const struct batch *batch, const struct batch_counts *counts)
{
	lock(consuming);
	intake_add(&consuming->result.sum, batch, counts);
	for (size_t i = 0; i < batch->range_count; i++) {
		const struct batch_range *range = &batch->ranges[i];
		struct consumed *consumed = consumed_of(&consuming->result, range->partition->name.number);

		consumed->next_offset = range->next_offset;
		if (range->last_event_time.us > consumed->last_event_time.us)
			consumed->last_event_time = range->last_event_time;
		consumed->counts.records += range->counts.records;
		consumed->counts.accepted += range->counts.accepted;
		consumed->counts.duplicates += range->counts.duplicates;
		consumed->counts.ignored += range->counts.ignored;
		consumed->counts.quarantined += range->counts.quarantined;
		consumed->counts.rejected += range->counts.rejected;
	}
	unlock(consuming);
}

static int64_t
lag_of(const struct consumed *consumed)
{
	return consumed->stable > consumed->next_offset ? consumed->stable - consumed->next_offset : 0;
}

/* --- the line --------------------------------------------------------------------------------- */

void
consume_report_line(struct consuming *consuming)
{
	static int64_t last_ms, last_records;
	int64_t now_ms = clock_ms(), records, set_aside, lag = 0, rate;

	if (!consuming->options->live || now_ms - last_ms < 1000)
		return;
	lock(consuming);
	records = consuming->result.sum.counts.records;
	set_aside = consuming->result.sum.counts.quarantined + consuming->result.sum.counts.rejected;
	for (size_t i = 0; i < consuming->result.partition_count; i++)
		lag += lag_of(&consuming->result.partitions[i]);
	rate = last_ms == 0 ? 0 : (records - last_records) * 1000 / (now_ms - last_ms);
	progress(consuming->run, "%s: %lld records, %lld/s, %lld duplicates, %lld set aside, %lld behind, %zu partitions",
	    consuming->options->topic, (long long)records, (long long)rate, (long long)consuming->result.sum.counts.duplicates,
	    (long long)set_aside, (long long)lag, consuming->result.partition_count);
	unlock(consuming);
	last_ms = now_ms;
	last_records = records;
}

/* --- the file --------------------------------------------------------------------------------- */

enum gauge { GAUGE_NEXT, GAUGE_END, GAUGE_STABLE, GAUGE_LAG, GAUGE_LAG_SECONDS, GAUGE_HELD_SECONDS, GAUGES };

static const struct {
	const char *name, *help;
} gauges[GAUGES] = {
    [GAUGE_NEXT] = {"tollbook_consumer_next_offset", "Every record below this offset is booked."},
    [GAUGE_END] = {"tollbook_consumer_end_offset", "Behind the last record of the partition."},
    [GAUGE_STABLE] = {"tollbook_consumer_stable_offset", "Behind the last record that no open transaction holds back."},
    [GAUGE_LAG] = {"tollbook_consumer_lag_records", "Records that can be read and are not booked."},
    [GAUGE_LAG_SECONDS] = {"tollbook_consumer_lag_seconds",
	"Age of the newest usage booked, where there is more to book; else 0."},
    [GAUGE_HELD_SECONDS] = {"tollbook_consumer_held_seconds", "Since when a producer's open transaction holds records back."},
};

static int64_t
seconds_since(struct instant then, struct instant now)
{
	return then.us == 0 || now.us < then.us ? 0 : (now.us - then.us) / 1000000;
}

static int64_t
gauge_value(const struct consumed *consumed, enum gauge gauge, struct instant now)
{
	switch (gauge) {
	case GAUGE_NEXT:
		return consumed->next_offset;
	case GAUGE_END:
		return consumed->end;
	case GAUGE_STABLE:
		return consumed->stable;
	case GAUGE_LAG:
		return lag_of(consumed);
	case GAUGE_LAG_SECONDS:
		return lag_of(consumed) > 0 ? seconds_since(consumed->last_event_time, now) : 0;
	case GAUGE_HELD_SECONDS:
		return consumed->held ? seconds_since(consumed->held_since, now) : 0;
	case GAUGES:
		break;
	}
	must_failed("a gauge", __FILE__, __LINE__);
}

static void
write_counts(struct text *out, const char *topic, const char *partition, const struct batch_counts *counts)
{
	const struct {
		const char *outcome;
		int64_t count;
	} outcomes[] = {{"accepted", counts->accepted}, {"duplicate", counts->duplicates}, {"ignored", counts->ignored},
	    {"quarantined", counts->quarantined}, {"rejected", counts->rejected}};
	char number[DECIMAL_TEXT];

	for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
		const struct metric_label labels[] = {
		    {"topic", topic}, {"partition", partition}, {"outcome", outcomes[i].outcome}};

		metric_sample(out, "tollbook_consumer_records_total", labels, 3, integer_format(outcomes[i].count, number));
	}
}

static void
write_metrics(struct consuming *consuming, struct text *out)
{
	const struct consume_result *result = &consuming->result;
	const struct metric_label topic = {"topic", consuming->options->topic};
	struct instant now = run_clock(consuming->run);
	char number[DECIMAL_TEXT], partition[DECIMAL_TEXT];

	metric_begin(
	    out, "tollbook_consumer_records_total", "counter", "Records booked by this process, by what became of them.");
	for (size_t i = 0; i < result->partition_count; i++)
		write_counts(
		    out, topic.value, integer_format(result->partitions[i].partition, partition), &result->partitions[i].counts);
	metric_begin(out, "tollbook_consumer_batches_total", "counter", "Batches booked by this process.");
	metric_sample(out, "tollbook_consumer_batches_total", &topic, 1, integer_format(result->sum.batches, number));
	for (int gauge = 0; gauge < GAUGES; gauge++) {
		metric_begin(out, gauges[gauge].name, "gauge", gauges[gauge].help);
		for (size_t i = 0; i < result->partition_count; i++) {
			const struct metric_label labels[] = {
			    topic, {"partition", integer_format(result->partitions[i].partition, partition)}};

			metric_sample(out, gauges[gauge].name, labels, 2,
			    integer_format(gauge_value(&result->partitions[i], (enum gauge)gauge, now), number));
		}
	}
}

bool
consume_report_metrics(struct consuming *consuming, struct error *err)
{
	struct text out = {0};
	bool fine;

	lock(consuming);
	write_metrics(consuming, &out);
	unlock(consuming);
	fine = file_write(consuming->options->metrics_path, out.bytes, out.length, err);
	text_release(&out);
	return fine;
}
