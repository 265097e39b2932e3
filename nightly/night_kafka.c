/*
 * night_kafka.c -- see night_sources.h: a topic, up to where it ended when that was pinned.
 *
 * A unit is "SOURCE TOPIC PARTITION", its plan "TARGET CLUSTER".  What came of it is not counted while reading but read from the
 * ledger, so that it is the same however often reading was begun.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/consume.h"
#include "ledger/night_unit.h"
#include "nightly/night_sources.h"

#define STEP "ingest"

/* One source in one night. */
struct topic {
	struct night *night;
	const char *source;
	const char *prefix; /* of its units: "SOURCE TOPIC " */
	struct consume_options options;
	const char *cluster; /* known once it is pinned, as what follows */
	int64_t *targets;    /* by number of the partition */
	size_t count;
	bool is_done; /* every unit is */
};

/* --- settings --------------------------------------------------------------------------------- */

static const char *
setting(const struct topic *topic, const char *key)
{
	const char *value = config_named(topic->night->config, "source", topic->source, key);

	return value[0] == '\0' ? NULL : value;
}

static void
read_settings(struct topic *topic)
{
	struct night *night = topic->night;
	const char *insecure = setting(topic, "insecure"), *producer = setting(topic, "producer");
	int64_t records = strtoll(config_named(night->config, "source", topic->source, "batch_records"), NULL, 10);

	topic->options = (struct consume_options){
	    .kafka = {.brokers = setting(topic, "brokers"),
		.config_path = setting(topic, "kafka_config"),
		.insecure = insecure != NULL && strcmp(insecure, "yes") == 0},
	    .topic = config_named(night->config, "source", topic->source, "topic"),
	    .group = setting(topic, "group"),
	    .limits = {.records = (size_t)records, .bytes = CONSUME_BATCH_BYTES},
	    .patience_ms = 1000 * config_number(night->config, "night.patience_seconds"),
	    .live = true,
	    .rules = event_rules_default(night_reading_time(night)),
	};
	topic->options.rules.late_days = (int)config_number(night->config, "night.late_days");
	if (producer != NULL)
		topic->options.rules.default_source = producer;
	topic->prefix = arena_format(&night->run->arena, "%s %s ", topic->source, topic->options.topic);
}

/* --- what is pinned --------------------------------------------------------------------------- */

static void
read_unit(struct topic *topic, const struct rows *units, int at)
{
	const char *number = row_text(units, at, NIGHT_UNIT_NAME) + strlen(topic->prefix),
		   *plan = row_text(units, at, NIGHT_UNIT_PLAN);
	char *behind;
	size_t partition = (size_t)strtoull(number, &behind, 10);

	must(*behind == '\0' && partition < topic->count);
	topic->targets[partition] = strtoll(plan, &behind, 10);
	must(*behind == ' ');
	topic->cluster = arena_copy(&topic->night->run->arena, behind + 1, strlen(behind + 1));
	topic->is_done = topic->is_done && row_bool(units, at, NIGHT_UNIT_IS_DONE);
}

static bool
is_ours(const struct topic *topic, const struct rows *units, int at)
{
	return strncmp(row_text(units, at, NIGHT_UNIT_NAME), topic->prefix, strlen(topic->prefix)) == 0;
}

/* All of them or none: they were planned in one transaction. */
static bool
read_pinned(struct topic *topic, struct error *err)
{
	struct rows units;

	if (!night_units(topic->night->run, STEP, &units, err))
		return false;
	for (int i = 0; i < units.count; i++)
		topic->count += is_ours(topic, &units, i);
	topic->targets = arena_take(&topic->night->run->arena, (topic->count + 1) * sizeof *topic->targets);
	topic->is_done = topic->count > 0;
	for (int i = 0; i < units.count; i++)
		if (is_ours(topic, &units, i))
			read_unit(topic, &units, i);
	rows_release(&units);
	return true;
}

/* True where a text ends like this. */
static bool
ends_in(const char *text, size_t length, const char *end)
{
	return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* Two sources that read one topic would count what it has as both of theirs. */
static bool
check_alone(struct topic *topic, struct error *err)
{
	const char *named = arena_format(&topic->night->run->arena, " %s", topic->options.topic);
	const char *cluster = arena_format(&topic->night->run->arena, " %s", topic->cluster);
	struct rows units;
	bool fine = true;

	if (!night_units(topic->night->run, STEP, &units, err))
		return false;
	for (int i = 0; fine && i < units.count; i++) {
		const char *unit = row_text(&units, i, NIGHT_UNIT_NAME), *partition = strrchr(unit, ' ');
		const char *plan = row_text(&units, i, NIGHT_UNIT_PLAN);

		fine = partition == NULL || !ends_in(unit, (size_t)(partition - unit), named) ||
		    !ends_in(plan, strlen(plan), cluster);
		if (!fine)
			error_set(err, ERROR_USAGE, "the sources %s and %.*s are one topic, %s", topic->source,
			    (int)((size_t)(partition - unit) - strlen(named)), unit, topic->options.topic);
	}
	rows_release(&units);
	return fine || error_hint(err, "Take one of the two sections out of the configuration.");
}

static bool
plan_units(struct topic *topic, struct error *err)
{
	struct run *run = topic->night->run;

	for (size_t i = 0; i < topic->count; i++)
		if (!night_unit_plan(run, STEP, arena_format(&run->arena, "%s%zu", topic->prefix, i),
			arena_format(&run->arena, "%lld %s", (long long)topic->targets[i], topic->cluster), err))
			return false;
	return true;
}

static bool
find_targets(struct topic *topic, struct error *err)
{
	struct night *night = topic->night;
	struct consume_targets found;

	if (!consume_targets(night->run, &topic->options, night->until, &found, err))
		return error_wrap(err, "source %s", topic->source);
	topic->cluster = found.cluster;
	topic->targets = found.offsets;
	topic->count = found.count;
	return true;
}

static bool
pin_all(struct night *night, struct topic *topics, size_t count, struct error *err)
{
	struct db *db = night->run->db;
	bool fine;

	if (count == 0)
		return true;
	if (!db_begin(db, err))
		return false;
	fine = true;
	for (size_t i = 0; fine && i < count; i++)
		fine = check_alone(&topics[i], err) && plan_units(&topics[i], err);
	fine = fine && db_commit(db, err);
	if (!fine)
		db_rollback(db);
	return fine;
}

/* Adds the topic of a source to those that are to be pinned, unless it is. */
static bool
add_unpinned(struct night *night, const char *source, struct topic *topics, size_t *count, struct error *err)
{
	struct topic *topic = &topics[*count];

	if (strcmp(config_named(night->config, "source", source, "kind"), "kafka") != 0)
		return true;
	*topic = (struct topic){.night = night, .source = source};
	read_settings(topic);
	if (!read_pinned(topic, err))
		return false;
	if (topic->count > 0)
		return true;
	(*count)++;
	return find_targets(topic, err);
}

bool
night_kafka_plan(struct night *night, struct error *err)
{
	size_t sources = config_names(night->config, "source"), count = 0;
	struct topic *topics = memory_new(sources, sizeof *topics);
	bool fine = true;

	for (size_t i = 0; fine && i < sources; i++)
		fine = add_unpinned(night, config_name(night->config, "source", i), topics, &count, err);
	fine = fine && pin_all(night, topics, count, err);
	free(topics);
	return fine;
}

/* --- what came of it -------------------------------------------------------------------------- */

/* Columns of kafka_reading.sql. */
enum { FINISHED, BATCHES, RECORDS, ACCEPTED, DUPLICATES, RESTAMPED, IGNORED, QUARANTINED, REJECTED, SET_ASIDE_BEFORE };

static bool
read_sum(struct topic *topic, bool *finished, struct intake_result *sum, struct error *err)
{
	struct run *run = topic->night->run;
	struct rows row;

	if (!db_one_row(run->db, SQL_NIGHTLY_KAFKA_READING,
		PARAMS(arena_format(&run->arena, "%s/%s", topic->cluster, topic->options.topic),
		    param_instant(&run->arena, run->now), run->by),
		&row, err))
		return false;
	*finished = row_bool(&row, 0, FINISHED);
	*sum = (struct intake_result){.batches = row_number(&row, 0, BATCHES),
	    .counts = {.records = row_number(&row, 0, RECORDS),
		.accepted = row_number(&row, 0, ACCEPTED),
		.duplicates = row_number(&row, 0, DUPLICATES),
		.restamped = row_number(&row, 0, RESTAMPED),
		.ignored = row_number(&row, 0, IGNORED),
		.quarantined = row_number(&row, 0, QUARANTINED),
		.rejected = row_number(&row, 0, REJECTED),
		.set_aside_before = row_number(&row, 0, SET_ASIDE_BEFORE)}};
	rows_release(&row);
	return true;
}

static bool
read_reasons(struct topic *topic, struct intake_result *sum, struct error *err)
{
	struct run *run = topic->night->run;
	struct rows rows;

	if (!db_rows(run->db, SQL_NIGHTLY_KAFKA_REASONS,
		PARAMS(arena_format(&run->arena, "%s/%s", topic->cluster, topic->options.topic),
		    param_instant(&run->arena, run->now), run->by),
		&rows, err))
		return false;
	for (int i = 0; i < rows.count; i++)
		sum->reasons[reason_find(row_text(&rows, i, 0))] += row_number(&rows, i, 1);
	rows_release(&rows);
	return true;
}

/* Columns of kafka_ranges.sql. */
enum { PARTITION, FROM, TO, RANGE_RECORDS };

static bool
mark_each(struct topic *topic, const struct rows *ranges, struct error *err)
{
	struct run *run = topic->night->run;
	size_t marked = 0;

	for (int i = 0; i < ranges->count; i++) {
		/* One that was added to the topic since is the next night's. */
		if (row_number(ranges, i, PARTITION) >= (int64_t)topic->count)
			continue;
		if (!night_unit_done(run, STEP, arena_format(&run->arena, "%s%s", topic->prefix, row_text(ranges, i, PARTITION)),
			arena_format(&run->arena, "{\"from\":%s,\"to\":%s,\"records\":%s}", row_text(ranges, i, FROM),
			    row_text(ranges, i, TO), row_text(ranges, i, RANGE_RECORDS)),
			NULL, err))
			return false;
		marked++;
	}
	if (marked != topic->count) {
		error_set(
		    err, ERROR_STATE, "topic %s has fewer partitions than when this night was planned", topic->options.topic);
		return error_hint(err, "It was made again: tollbook consume --again begins a new reading of it.");
	}
	return true;
}

static bool
mark_done(struct topic *topic, struct error *err)
{
	struct run *run = topic->night->run;
	struct rows ranges = {0};
	bool fine;

	if (!db_begin(run->db, err))
		return false;
	fine = db_rows(run->db, SQL_NIGHTLY_KAFKA_RANGES,
		   PARAMS(topic->cluster, topic->options.topic, param_instant(&run->arena, run->now), run->by), &ranges, err) &&
	    mark_each(topic, &ranges, err) && db_commit(run->db, err);
	rows_release(&ranges);
	if (!fine)
		db_rollback(run->db);
	return fine;
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool
take(struct topic *topic, struct error *err)
{
	struct consume_result result;
	struct profile *profile;
	bool fine;

	if (!source_profile(topic->night->config, topic->source, &profile, err))
		return false;
	topic->options.profile = profile;
	topic->options.targets = topic->targets;
	topic->options.target_count = topic->count;
	fine = consume(topic->night->run, &topic->options, &result, err);
	consume_result_release(&result);
	profile_free(profile);
	return fine;
}

bool
night_kafka(struct night *night, const char *source, struct ledger_memory *memory, struct intake_result *sum, struct error *err)
{
	struct topic topic = {.night = night, .source = source};
	bool finished;

	read_settings(&topic);
	topic.options.memory = memory;
	if (!read_pinned(&topic, err))
		return false;
	must(topic.count > 0);
	if (!read_sum(&topic, &finished, sum, err))
		return false;
	/* A run that was killed may have read it to its end and not said so. */
	return (finished || take(&topic, err)) && (topic.is_done || mark_done(&topic, err)) &&
	    read_sum(&topic, &finished, sum, err) && read_reasons(&topic, sum, err);
}
