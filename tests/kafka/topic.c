/*
 * topic.c -- what the tests do to a broker, from the shell: `topic -b BROKERS [-X NAME=VALUE]... VERB ...`; usage() has the verbs.
 *
 * Read and written by no code of the product's own, so that a test does not compare a mistake with itself.  What librdkafka
 * would log is kept back; the last thing that went wrong is part of the message with which the program ends.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <librdkafka/rdkafka.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000, MOST_SETTINGS = 32, RDKAFKA_MESSAGE = 512 };

struct options {
	const char *brokers, *topic;
	const char *settings[MOST_SETTINGS]; /* NAME=VALUE, for librdkafka */
	size_t setting_count;
	const char *transaction, *key_field;
	int64_t timestamp_ms; /* of each message; 0: the clock's */
	int32_t partition;    /* RD_KAFKA_PARTITION_UA: each message says, or its key does */
	bool spread, messages;
};

static char last_trouble[RDKAFKA_MESSAGE]; /* written by librdkafka's callback, which runs when we poll */

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void
die(const char *format, ...)
{
	va_list list;

	fflush(stdout);
	fputs("topic: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	if (last_trouble[0] != '\0')
		fprintf(stderr, " (%s)", last_trouble);
	fputc('\n', stderr);
	exit(1);
}

static void usage(void) __attribute__((noreturn));
static void
usage(void)
{
	fputs(
	    "usage: topic -b BROKERS [-X NAME=VALUE]... VERB\n"
	    "  list                               NAME PARTITIONS, a line for each topic\n"
	    "  create NAME PARTITIONS [CONFIG=VALUE]...\n"
	    "  delete NAME\n"
	    "  grow NAME PARTITIONS               to so many\n"
	    "  trim NAME PARTITION OFFSET         deletes the records before OFFSET\n"
	    "  offsets NAME                       PARTITION LOW HIGH, a line for each partition; HIGH is the last stable offset\n"
	    "                                     with -X isolation.level=read_committed\n"
	    "  forget GROUP                       deletes a consumer group and what it committed\n"
	    "  read NAME                          every committed message as a line of JSON, then ends\n"
	    "  produce NAME [--plain [--key-field FIELD] | --messages] [--partition N | --spread] [--compression CODEC]\n"
	    "          [--transaction commit|abort|open] [--timestamp MILLISECONDS] <FILE\n"
	    "    --plain     each line is a value (default); its key is the text of the JSON field FIELD\n"
	    "    --messages  each line is {\"partition\",\"key\",\"headers\":[[NAME,VALUE]...],\"value\" or \"value_text\"}\n"
	    "    open        says \"open\" when the broker has all messages, and leaves the transaction open until it is "
	    "killed\n",
	    stderr);
	exit(2);
}

static long
number(const char *text, long least, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
		die("%s is not a number from %ld to %ld", text, least, most);
	return value;
}

/* --- librdkafka ------------------------------------------------------------------------------ */

static void
trouble(rd_kafka_t *kafka, int code, const char *reason, void *opaque)
{
	(void)kafka;
	(void)opaque;
	snprintf(last_trouble, sizeof last_trouble, "%s: %s", rd_kafka_err2name((rd_kafka_resp_err_t)code), reason);
}

static void
set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
	char why[RDKAFKA_MESSAGE];

	if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK)
		die("%s", why);
}

static void
set_from_options(rd_kafka_conf_t *conf, const struct options *options)
{
	for (size_t i = 0; i < options->setting_count; i++) {
		const char *equals = strchr(options->settings[i], '=');
		char *name = equals == NULL ? NULL : strndup(options->settings[i], (size_t)(equals - options->settings[i]));

		if (name == NULL)
			die("-X %s is not NAME=VALUE", options->settings[i]);
		set(conf, name, equals + 1);
		free(name);
	}
}

/* `settings` are names and values in turn, ended by NULL; those of the command line come after them. */
static rd_kafka_t *
open_client(const struct options *options, rd_kafka_type_t type, const char *const *settings, rd_kafka_conf_t *conf)
{
	char why[RDKAFKA_MESSAGE];
	rd_kafka_t *kafka;

	set(conf, "bootstrap.servers", options->brokers);
	for (; *settings != NULL; settings += 2)
		set(conf, settings[0], settings[1]);
	set_from_options(conf, options);
	rd_kafka_conf_set_error_cb(conf, trouble);
	rd_kafka_conf_set_log_cb(conf, NULL);
	kafka = rd_kafka_new(type, conf, why, sizeof why);
	if (kafka == NULL)
		die("%s", why);
	return kafka;
}

static rd_kafka_t *
open_admin(const struct options *options)
{
	static const char *const settings[] = {"isolation.level", "read_uncommitted", NULL};

	return open_client(options, RD_KAFKA_PRODUCER, settings, rd_kafka_conf_new());
}

static const struct rd_kafka_metadata *
read_metadata(rd_kafka_t *kafka, rd_kafka_topic_t *topic)
{
	const struct rd_kafka_metadata *metadata;
	rd_kafka_resp_err_t code = rd_kafka_metadata(kafka, topic == NULL, topic, &metadata, PATIENCE_MS);

	rd_kafka_poll(kafka, 0);
	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("the brokers do not answer: %s", rd_kafka_err2str(code));
	return metadata;
}

/* How many partitions the topic has, 0 where there is none, -1 where it has one without a leader. */
static int32_t
count_partitions(rd_kafka_t *kafka, const char *name)
{
	rd_kafka_topic_t *topic = rd_kafka_topic_new(kafka, name, NULL);
	const struct rd_kafka_metadata *metadata = topic == NULL ? NULL : read_metadata(kafka, topic);
	int32_t count = 0;

	if (metadata == NULL)
		die("%s: %s", name, rd_kafka_err2str(rd_kafka_last_error()));
	if (metadata->topic_cnt == 1 && metadata->topics[0].err == RD_KAFKA_RESP_ERR_NO_ERROR)
		count = metadata->topics[0].partition_cnt;
	for (int32_t i = 0; i < metadata->topics[0].partition_cnt && count > 0; i++)
		if (metadata->topics[0].partitions[i].leader < 0)
			count = -1;
	rd_kafka_metadata_destroy(metadata);
	rd_kafka_topic_destroy(topic);
	return count;
}

static int32_t
must_count_partitions(rd_kafka_t *kafka, const char *name)
{
	int32_t count = count_partitions(kafka, name);

	if (count == 0)
		die("there is no topic %s", name);
	if (count < 0)
		die("a partition of %s has no leader", name);
	return count;
}

/* What a test does next sees the change. */
static void
await_partitions(rd_kafka_t *kafka, const char *name, int32_t wanted)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += 20) {
		if (count_partitions(kafka, name) == wanted)
			return;
		usleep(20 * 1000);
	}
	die("the brokers do not show %s with %" PRId32 " partitions", name, wanted);
}

/* --- changing topics and groups -------------------------------------------------------------- */

/* Waits for what was asked through `queue`, and ends the program where it was refused as a whole. */
static rd_kafka_event_t *
await(rd_kafka_t *kafka, rd_kafka_queue_t *queue, const char *what)
{
	rd_kafka_event_t *event = rd_kafka_queue_poll(queue, 2 * PATIENCE_MS);

	rd_kafka_poll(kafka, 0);
	if (event == NULL)
		die("could not %s: no answer", what);
	if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("could not %s: %s", what, rd_kafka_event_error_string(event));
	return event;
}

static void
check_topics(const rd_kafka_topic_result_t **results, size_t count, const char *what)
{
	for (size_t i = 0; i < count; i++)
		if (rd_kafka_topic_result_error(results[i]) != RD_KAFKA_RESP_ERR_NO_ERROR)
			die("could not %s %s: %s: %s", what, rd_kafka_topic_result_name(results[i]),
			    rd_kafka_err2name(rd_kafka_topic_result_error(results[i])),
			    rd_kafka_topic_result_error_string(results[i]) == NULL
				? "refused"
				: rd_kafka_topic_result_error_string(results[i]));
}

static void
add_config(rd_kafka_NewTopic_t *topic, char *config)
{
	char *value = strchr(config, '=');
	rd_kafka_resp_err_t code;

	if (value == NULL)
		die("%s is not CONFIG=VALUE", config);
	*value++ = '\0';
	code = rd_kafka_NewTopic_set_config(topic, config, value);
	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("%s: %s", config, rd_kafka_err2str(code));
}

static void
create_topic(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	int partitions = (int)number(words[0], 1, 10000);
	char why[RDKAFKA_MESSAGE];
	rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(options->topic, partitions, 1, why, sizeof why);
	const rd_kafka_CreateTopics_result_t *result;
	const rd_kafka_topic_result_t **results;
	rd_kafka_event_t *event;
	size_t answers;

	if (topic == NULL)
		die("%s", why);
	for (int i = 1; i < count; i++)
		add_config(topic, words[i]);
	rd_kafka_CreateTopics(kafka, &topic, 1, NULL, queue);
	event = await(kafka, queue, "create the topic");
	result = rd_kafka_event_CreateTopics_result(event);
	results = rd_kafka_CreateTopics_result_topics(result, &answers);
	check_topics(results, answers, "create");
	rd_kafka_event_destroy(event);
	rd_kafka_NewTopic_destroy(topic);
	await_partitions(kafka, options->topic, partitions);
}

static void
delete_topic(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(options->topic);
	const rd_kafka_topic_result_t **results;
	rd_kafka_event_t *event;
	size_t answers;

	(void)words;
	(void)count;
	rd_kafka_DeleteTopics(kafka, &topic, 1, NULL, queue);
	event = await(kafka, queue, "delete the topic");
	results = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &answers);
	check_topics(results, answers, "delete");
	rd_kafka_event_destroy(event);
	rd_kafka_DeleteTopic_destroy(topic);
	await_partitions(kafka, options->topic, 0);
}

static void
grow_topic(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	int32_t partitions = (int32_t)number(words[0], 1, 10000);
	char why[RDKAFKA_MESSAGE];
	rd_kafka_NewPartitions_t *wanted = rd_kafka_NewPartitions_new(options->topic, (size_t)partitions, why, sizeof why);
	const rd_kafka_topic_result_t **results;
	rd_kafka_event_t *event;
	size_t answers;

	(void)count;
	if (wanted == NULL)
		die("%s", why);
	rd_kafka_CreatePartitions(kafka, &wanted, 1, NULL, queue);
	event = await(kafka, queue, "grow the topic");
	results = rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &answers);
	check_topics(results, answers, "grow");
	rd_kafka_event_destroy(event);
	rd_kafka_NewPartitions_destroy(wanted);
	await_partitions(kafka, options->topic, partitions);
}

static void
trim_topic(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	int32_t partition = (int32_t)number(words[0], 0, INT32_MAX);
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	const rd_kafka_topic_partition_list_t *answer;
	rd_kafka_DeleteRecords_t *wanted;
	rd_kafka_event_t *event;

	(void)count;
	rd_kafka_topic_partition_list_add(list, options->topic, partition)->offset = number(words[1], 0, INT64_MAX);
	wanted = rd_kafka_DeleteRecords_new(list);
	rd_kafka_DeleteRecords(kafka, &wanted, 1, NULL, queue);
	event = await(kafka, queue, "trim the partition");
	answer = rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event));
	for (int i = 0; i < answer->cnt; i++)
		if (answer->elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR)
			die("could not trim %s partition %" PRId32 ": %s", options->topic, partition,
			    rd_kafka_err2str(answer->elems[i].err));
	rd_kafka_event_destroy(event);
	rd_kafka_DeleteRecords_destroy(wanted);
	rd_kafka_topic_partition_list_destroy(list);
}

static void
forget_group(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	rd_kafka_DeleteGroup_t *group = rd_kafka_DeleteGroup_new(options->topic);
	const rd_kafka_group_result_t **results;
	rd_kafka_event_t *event;
	size_t answers;

	(void)words;
	(void)count;
	rd_kafka_DeleteGroups(kafka, &group, 1, NULL, queue);
	event = await(kafka, queue, "delete the group");
	results = rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &answers);
	for (size_t i = 0; i < answers; i++)
		if (rd_kafka_group_result_error(results[i]) != NULL)
			die("could not delete the group %s: %s", options->topic,
			    rd_kafka_error_string(rd_kafka_group_result_error(results[i])));
	rd_kafka_event_destroy(event);
	rd_kafka_DeleteGroup_destroy(group);
}

static void
list_topics(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	const struct rd_kafka_metadata *metadata = read_metadata(kafka, NULL);

	(void)options;
	(void)queue;
	(void)words;
	(void)count;
	for (int i = 0; i < metadata->topic_cnt; i++)
		printf("%s %d\n", metadata->topics[i].topic, metadata->topics[i].partition_cnt);
	rd_kafka_metadata_destroy(metadata);
}

static void
show_offsets(const struct options *options, rd_kafka_t *kafka, rd_kafka_queue_t *queue, char **words, int count)
{
	int32_t partitions = must_count_partitions(kafka, options->topic);

	(void)queue;
	(void)words;
	(void)count;
	for (int32_t i = 0; i < partitions; i++) {
		int64_t low, high;
		rd_kafka_resp_err_t code = rd_kafka_query_watermark_offsets(kafka, options->topic, i, &low, &high, PATIENCE_MS);

		if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
			die("%s partition %" PRId32 ": %s", options->topic, i, rd_kafka_err2str(code));
		printf("%" PRId32 " %" PRId64 " %" PRId64 "\n", i, low, high);
	}
}

/* --- producing ------------------------------------------------------------------------------- */

struct record {
	int32_t partition;
	const char *key, *value; /* or NULL; not ended by a NUL */
	size_t key_length, value_length;
	rd_kafka_headers_t *headers; /* or NULL; the producer's once it was sent */
};

struct producer {
	const struct options *options;
	rd_kafka_t *kafka;
	rd_kafka_topic_t *topic;
	int32_t partitions;
	uint64_t line; /* from 1 */
};

static uint64_t undelivered;

static void
delivered(rd_kafka_t *kafka, const rd_kafka_message_t *message, void *opaque)
{
	(void)kafka;
	(void)opaque;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	if (undelivered++ == 0)
		snprintf(last_trouble, sizeof last_trouble, "%s", rd_kafka_err2str(message->err));
}

static rd_kafka_t *
open_producer(const struct options *options)
{
	static const char *const settings[] = {"linger.ms", "20", "batch.size", "1000000", "batch.num.messages", "100000",
	    "queue.buffering.max.messages", "1000000", "queue.buffering.max.kbytes", "262144", "delivery.report.only.error",
	    "true", "partitioner", "murmur2_random", NULL};
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	char id[64];

	rd_kafka_conf_set_dr_msg_cb(conf, delivered);
	if (options->transaction != NULL) {
		snprintf(id, sizeof id, "topic-%ld", (long)getpid());
		set(conf, "transactional.id", id);
	} else {
		set(conf, "message.timeout.ms", "30000"); /* a transaction's own time says it otherwise */
	}
	return open_client(options, RD_KAFKA_PRODUCER, settings, conf);
}

static void
check_transaction(rd_kafka_error_t *error, const char *what)
{
	if (error != NULL)
		die("could not %s the transaction: %s", what, rd_kafka_error_string(error));
}

/* The options decide, then the record itself, then its key. */
static int32_t
choose_partition(const struct producer *producer, const struct record *record)
{
	if (producer->options->spread)
		return (int32_t)((producer->line - 1) % (uint64_t)producer->partitions);
	return producer->options->partition != RD_KAFKA_PARTITION_UA ? producer->options->partition : record->partition;
}

/* One with headers or a time of its own, which cost the others time. */
static rd_kafka_resp_err_t
hand_over_whole(struct producer *producer, const struct record *record, int32_t partition, void *value)
{
	const rd_kafka_vu_t parts[] = {
	    {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = producer->topic},
	    {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = partition},
	    {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
	    {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {(void *)(uintptr_t)record->key, record->key_length}},
	    {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {value, record->value_length}},
	    {.vtype = RD_KAFKA_VTYPE_TIMESTAMP, .u.i64 = producer->options->timestamp_ms},
	    {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = record->headers},
	};
	rd_kafka_error_t *error = rd_kafka_produceva(producer->kafka, parts, sizeof parts / sizeof parts[0]);
	rd_kafka_resp_err_t code = error == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);

	if (error != NULL)
		rd_kafka_error_destroy(error);
	return code;
}

static rd_kafka_resp_err_t
hand_over(struct producer *producer, const struct record *record)
{
	int32_t partition = choose_partition(producer, record);
	void *value = (void *)(uintptr_t)record->value; /* copied, but the library's type is not const */
	int refused;

	if (record->headers != NULL || producer->options->timestamp_ms != 0)
		return hand_over_whole(producer, record, partition, value);
	refused = rd_kafka_produce(
	    producer->topic, partition, RD_KAFKA_MSG_F_COPY, value, record->value_length, record->key, record->key_length, NULL);
	return refused ? rd_kafka_last_error() : RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void
send_record(struct producer *producer, const struct record *record)
{
	rd_kafka_resp_err_t code = hand_over(producer, record);

	while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
		rd_kafka_poll(producer->kafka, 10);
		code = hand_over(producer, record);
	}
	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("line %" PRIu64 ": %s", producer->line, rd_kafka_err2str(code));
	if (producer->line % 1024 == 0)
		rd_kafka_poll(producer->kafka, 0);
}

/* The text of a JSON member as it stands there, between `"field":"` and the next quote. */
static void
find_key(const struct producer *producer, struct record *record)
{
	char member[128];
	int length = snprintf(member, sizeof member, "\"%s\":\"", producer->options->key_field);
	const char *at = length > 0 && (size_t)length < sizeof member
	    ? memmem(record->value, record->value_length, member, (size_t)length)
	    : NULL;
	const char *end;

	if (at == NULL)
		return;
	at += length;
	end = memchr(at, '"', record->value_length - (size_t)(at - record->value));
	if (end == NULL)
		return;
	record->key = at;
	record->key_length = (size_t)(end - at);
}

static void
send_plain(struct producer *producer, const char *line, size_t length)
{
	struct record record = {.partition = RD_KAFKA_PARTITION_UA, .value = line, .value_length = length};

	if (producer->options->key_field != NULL)
		find_key(producer, &record);
	send_record(producer, &record);
}

static rd_kafka_headers_t *
make_headers(const struct producer *producer, const json_t *list)
{
	rd_kafka_headers_t *headers;
	size_t i;
	json_t *pair;

	if (json_array_size(list) == 0)
		return NULL;
	headers = rd_kafka_headers_new(json_array_size(list));
	json_array_foreach(list, i, pair)
	{
		const char *name = json_string_value(json_array_get(pair, 0));
		const json_t *value = json_array_get(pair, 1);

		if (name == NULL || (!json_is_string(value) && !json_is_null(value)) ||
		    rd_kafka_header_add(headers, name, -1, json_string_value(value), (ssize_t)json_string_length(value)) !=
			RD_KAFKA_RESP_ERR_NO_ERROR)
			die("line %" PRIu64 ": header %zu is not [NAME, VALUE or null]", producer->line, i);
	}
	return headers;
}

static void
send_message(struct producer *producer, const char *line, size_t length)
{
	json_error_t why;
	json_t *message = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	const json_t *key = json_object_get(message, "key"), *text = json_object_get(message, "value_text");
	const json_t *value = json_object_get(message, "value"), *partition = json_object_get(message, "partition");
	char *dumped = NULL;
	struct record record = {.partition = RD_KAFKA_PARTITION_UA};

	if (!json_is_object(message))
		die("line %" PRIu64 ": not a JSON object: %s", producer->line, why.text);
	if (json_is_integer(partition))
		record.partition = (int32_t)json_integer_value(partition);
	record.key = json_string_value(key);
	record.key_length = json_string_length(key);
	if (text != NULL) {
		record.value = json_string_value(text);
		record.value_length = json_string_length(text);
	} else if (value != NULL && !json_is_null(value)) {
		record.value = dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		if (dumped == NULL)
			die("line %" PRIu64 ": its value could not be written", producer->line);
		record.value_length = strlen(dumped);
	}
	record.headers = make_headers(producer, json_object_get(message, "headers"));
	send_record(producer, &record);
	free(dumped);
	json_decref(message);
}

static void
send_lines(struct producer *producer)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	while ((length = getline(&line, &capacity, stdin)) >= 0) {
		size_t bytes = (size_t)length;

		producer->line++;
		if (bytes > 0 && line[bytes - 1] == '\n')
			bytes--;
		if (producer->options->messages)
			send_message(producer, line, bytes);
		else
			send_plain(producer, line, bytes);
	}
	if (ferror(stdin))
		die("could not read standard input: %s", strerror(errno));
	free(line);
}

static void
finish(struct producer *producer)
{
	if (rd_kafka_flush(producer->kafka, 2 * PATIENCE_MS) != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("%d of %" PRIu64 " messages were not sent in time", rd_kafka_outq_len(producer->kafka), producer->line);
	if (undelivered > 0)
		die("%" PRIu64 " of %" PRIu64 " messages were not delivered", undelivered, producer->line);
}

static void
end_transaction(const struct producer *producer)
{
	const char *how = producer->options->transaction;

	if (strcmp(how, "commit") == 0) {
		check_transaction(rd_kafka_commit_transaction(producer->kafka, PATIENCE_MS), "commit");
	} else if (strcmp(how, "abort") == 0) {
		check_transaction(rd_kafka_abort_transaction(producer->kafka, PATIENCE_MS), "abort");
	} else {
		puts("open");
		fflush(stdout);
		for (;;)
			pause();
	}
}

static void
produce(const struct options *options)
{
	struct producer producer = {.options = options, .kafka = open_producer(options)};

	producer.partitions = must_count_partitions(producer.kafka, options->topic);
	if (options->transaction != NULL) {
		check_transaction(rd_kafka_init_transactions(producer.kafka, PATIENCE_MS), "prepare");
		check_transaction(rd_kafka_begin_transaction(producer.kafka), "begin");
	}
	producer.topic = rd_kafka_topic_new(producer.kafka, options->topic, NULL);
	if (producer.topic == NULL)
		die("%s: %s", options->topic, rd_kafka_err2str(rd_kafka_last_error()));
	send_lines(&producer);
	finish(&producer);
	if (options->transaction != NULL)
		end_transaction(&producer);
	rd_kafka_topic_destroy(producer.topic);
	rd_kafka_destroy(producer.kafka);
}

/* --- reading --------------------------------------------------------------------------------- */

static json_t *
text_or_null(const void *bytes, size_t length)
{
	return bytes == NULL ? json_null() : json_stringn(bytes, length);
}

/* For bytes that are not UTF-8. */
static json_t *
hexadecimal(const unsigned char *bytes, size_t length)
{
	char *text = malloc(2 * length + 1);
	json_t *value;

	if (text == NULL)
		die("out of memory");
	for (size_t i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
	value = json_stringn(text, 2 * length);
	free(text);
	return value;
}

static json_t *
list_headers(const rd_kafka_message_t *message)
{
	json_t *list = json_array();
	rd_kafka_headers_t *headers;
	const char *name;
	const void *value;
	size_t length;

	if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return list;
	for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &length) == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
		json_t *shown = text_or_null(value, length);

		json_array_append_new(list, json_pack("[s, o]", name, shown != NULL ? shown : hexadecimal(value, length)));
	}
	return list;
}

static void
put_member(const char *name, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	if (text == NULL)
		die("%s could not be written", name);
	printf(",\"%s\":%s", name, text);
	free(text);
	json_decref(value);
}

/* JSON that can stand in a line; not "null", which is a message without a value. */
static bool
is_json(const char *bytes, size_t length)
{
	json_error_t why;
	json_t *parsed = json_loadb(bytes, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	bool fits = parsed != NULL && !json_is_null(parsed) && memchr(bytes, '\n', length) == NULL;

	json_decref(parsed);
	return fits;
}

/* JSON goes out as the bytes that it is: a number keeps its digits. */
static void
put_value(const char *bytes, size_t length)
{
	json_t *text;

	if (bytes == NULL) {
		put_member("value", json_null());
	} else if (is_json(bytes, length)) {
		fputs(",\"value\":", stdout);
		fwrite(bytes, 1, length, stdout);
	} else {
		text = json_stringn(bytes, length);
		put_member(text != NULL ? "value_text" : "value_hex",
		    text != NULL ? text : hexadecimal((const unsigned char *)bytes, length));
	}
}

static void
put_message(const rd_kafka_message_t *message)
{
	json_t *key = text_or_null(message->key, message->key_len);

	printf("{\"partition\":%" PRId32 ",\"offset\":%" PRId64, message->partition, message->offset);
	put_member("key", key != NULL ? key : hexadecimal(message->key, message->key_len));
	put_member("headers", list_headers(message));
	put_value(message->payload, message->len);
	puts("}");
}

static rd_kafka_t *
open_reader(const struct options *options)
{
	static const char *const settings[] = {"group.id", "topic-read", "enable.auto.commit", "false", "enable.partition.eof",
	    "true", "isolation.level", "read_committed", "auto.offset.reset", "error", "fetch.wait.max.ms", "50", NULL};
	rd_kafka_t *kafka = open_client(options, RD_KAFKA_CONSUMER, settings, rd_kafka_conf_new());

	rd_kafka_poll_set_consumer(kafka);
	return kafka;
}

/* Partitions are taken by hand: no group is joined. */
static void
take_all(rd_kafka_t *kafka, const char *topic, int32_t partitions)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
	rd_kafka_resp_err_t code;

	for (int32_t i = 0; i < partitions; i++)
		rd_kafka_topic_partition_list_add(list, topic, i)->offset = RD_KAFKA_OFFSET_BEGINNING;
	code = rd_kafka_assign(kafka, list);
	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		die("could not read %s: %s", topic, rd_kafka_err2str(code));
	rd_kafka_topic_partition_list_destroy(list);
}

static void
read_topic(const struct options *options)
{
	rd_kafka_t *kafka = open_reader(options);
	int32_t left = must_count_partitions(kafka, options->topic);

	take_all(kafka, options->topic, left);
	while (left > 0) {
		rd_kafka_message_t *message = rd_kafka_consumer_poll(kafka, PATIENCE_MS);

		if (message == NULL)
			die("%s: no more messages came, and no end", options->topic);
		if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF)
			left--;
		else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
			die("%s: %s", options->topic, rd_kafka_message_errstr(message));
		else
			put_message(message);
		rd_kafka_message_destroy(message);
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		die("could not write: %s", strerror(errno));
	rd_kafka_destroy(kafka);
}

/* --- the command line ------------------------------------------------------------------------ */

static const struct verb {
	const char *name;
	int words; /* after the verb, at least */
	bool more; /* or more of them */
	void (*change)(const struct options *, rd_kafka_t *, rd_kafka_queue_t *, char **words, int count);
	void (*run)(const struct options *);
} verbs[] = {
    {"list", 0, false, list_topics, NULL},
    {"create", 2, true, create_topic, NULL},
    {"delete", 1, false, delete_topic, NULL},
    {"grow", 2, false, grow_topic, NULL},
    {"trim", 3, false, trim_topic, NULL},
    {"offsets", 1, false, show_offsets, NULL},
    {"forget", 1, false, forget_group, NULL},
    {"produce", 1, false, NULL, produce},
    {"read", 1, false, NULL, read_topic},
};

static void
set_setting(struct options *options, const char *setting)
{
	if (options->setting_count == MOST_SETTINGS)
		die("more than %d settings", MOST_SETTINGS);
	options->settings[options->setting_count++] = setting;
}

static void
set_compression(struct options *options, const char *codec)
{
	char *setting;

	if (asprintf(&setting, "compression.codec=%s", codec) < 0)
		die("out of memory");
	set_setting(options, setting); /* for as long as the program runs */
}

static void
set_transaction(struct options *options, const char *how)
{
	if (strcmp(how, "commit") != 0 && strcmp(how, "abort") != 0 && strcmp(how, "open") != 0)
		die("--transaction %s: it is commit, abort or open", how);
	options->transaction = how;
}

static void
set_option(struct options *options, int letter)
{
	switch (letter) {
	case 'b':
		options->brokers = optarg;
		break;
	case 'X':
		set_setting(options, optarg);
		break;
	case 'p':
		options->partition = (int32_t)number(optarg, 0, INT32_MAX);
		break;
	case 's':
		options->spread = true;
		break;
	case 'P':
		options->messages = false;
		break;
	case 'm':
		options->messages = true;
		break;
	case 'k':
		options->key_field = optarg;
		break;
	case 'T':
		options->timestamp_ms = number(optarg, 1, LONG_MAX);
		break;
	case 'c':
		set_compression(options, optarg);
		break;
	case 't':
		set_transaction(options, optarg);
		break;
	default:
		usage();
	}
}

static void
run_verb(struct options *options, const char *name, char **words, int count)
{
	const struct verb *verb = NULL;
	rd_kafka_queue_t *queue;
	rd_kafka_t *kafka;

	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strcmp(verbs[i].name, name) == 0)
			verb = &verbs[i];
	if (verb == NULL || count < verb->words || (count > verb->words && !verb->more))
		usage();
	options->topic = count > 0 ? words[0] : NULL;
	if (verb->run != NULL) {
		verb->run(options);
		return;
	}
	kafka = open_admin(options);
	queue = rd_kafka_queue_new(kafka);
	verb->change(options, kafka, queue, words + 1, count - 1);
	rd_kafka_queue_destroy(queue);
	rd_kafka_destroy(kafka);
}

int
main(int count, char **arguments)
{
	static const struct option names[] = {
	    {"partition", required_argument, NULL, 'p'},
	    {"spread", no_argument, NULL, 's'},
	    {"plain", no_argument, NULL, 'P'},
	    {"messages", no_argument, NULL, 'm'},
	    {"key-field", required_argument, NULL, 'k'},
	    {"timestamp", required_argument, NULL, 'T'},
	    {"compression", required_argument, NULL, 'c'},
	    {"transaction", required_argument, NULL, 't'},
	    {NULL, 0, NULL, 0},
	};
	struct options options = {.partition = RD_KAFKA_PARTITION_UA};
	int letter;

	while ((letter = getopt_long(count, arguments, "b:X:", names, NULL)) != -1)
		set_option(&options, letter);
	if (options.brokers == NULL || optind >= count)
		usage();
	run_verb(&options, arguments[optind], arguments + optind + 1, count - optind - 1);
	return 0;
}
