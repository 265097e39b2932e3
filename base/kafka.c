/*
 * kafka.c -- see kafka.h; the only file that knows librdkafka.
 *
 * Debian 12 has version 2.0.2, with faults that are walked around here: no pause and resume (batches then skip records), no
 * cooperative assignors (they lose assignments), and partitions are read from queues of their own, so that holding back needs
 * neither.  Quirks: rd_kafka_new() takes the configuration only where it succeeds; a partition's queue must be taken off the
 * consumer's before the partition is assigned; what rd_kafka_message_headers() gives dies with the message; SCRAM repeats the
 * nonce, which Kafka 4 refuses (mended in 2.6.1).
 */
#include "base/kafka.h"

#include <arpa/inet.h>
#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/document.h"
#include "base/settings_lines.h"

enum {
	ANSWER_MS = 10000,
	DRAIN_MS = 50,
	HELD = 512,
	ERROR_TEXT = 512,
	PROPERTY_BYTES = 64 * 1024,
	PROPERTIES_BYTES = 1 << 20,
	SCRAM_MENDED = 0x02060100
};

struct property {
	const char *name, *value;
};

/* What counting exactly once rests on; anything else said about them is refused. */
static const struct property consumer_fixed[] = {
    {"enable.auto.commit", "false"},       /* the position is the ledger's */
    {"enable.auto.offset.store", "false"}, /* the same */
    {"auto.offset.reset", "error"},        /* a position that is gone is an incident, not a reason to start elsewhere */
    {"check.crcs", "true"},                /* damage on the way is seen */
    {"isolation.level", "read_committed"}, /* what a producer took back was never said */
    {"allow.auto.create.topics", "false"}, /* a misspelt topic is an error, not an empty topic */
    {"enable.partition.eof", "true"},      /* how the end is known */
    {"api.version.request", "true"},       /* without it old requests are used, which know nothing of transactions */
    {"partition.assignment.strategy", "range,roundrobin"}, /* eager ones */
    {NULL, NULL},
};

/* Better for this work than librdkafka's defaults, and free to be changed. */
static const struct property consumer_defaults[] = {
    {"client.id", "tollbook"},
    {"group.id", "tollbook"},
    {"queued.max.messages.kbytes", "2048"}, /* for each partition */
    {"socket.keepalive.enable", "true"},
    {"sasl.kerberos.min.time.before.relogin", "0"}, /* runs no command to get a ticket */
    {NULL, NULL},
};

static const struct property producer_fixed[] = {
    {"enable.idempotence", "true"},
    {"partitioner", "murmur2_random"}, /* as Java's: a key is in one partition for ever, or compaction keeps two of it */
    {NULL, NULL},
};

static const struct property producer_defaults[] = {
    {"client.id", "tollbook"},
    {"linger.ms", "20"},
    {"socket.keepalive.enable", "true"},
    {"sasl.kerberos.min.time.before.relogin", "0"},
    {NULL, NULL},
};

/* Settings have no say about which code runs here, or about who is asked. */
static const struct property refused[] = {
    {"plugin.library.paths", "a plugin is code that can change what is read"},
    {"ssl.engine.location", "an engine is code; openssl.cnf is the place for what OpenSSL loads"},
    {"ssl.engine.id", "an engine is code; openssl.cnf is the place for what OpenSSL loads"},
    {"ssl.providers", "a provider is code; openssl.cnf is the place for what OpenSSL loads"},
    {"sasl.kerberos.kinit.cmd", "no command is run; keep the ticket fresh outside, with k5start for example"},
    {"sasl.kerberos.min.time.before.relogin", "no command is run; keep the ticket fresh outside, with k5start for example"},
    {"test.mock.num.brokers", "it replaces the brokers by invented ones"},
    {"enabled_events", "it takes away what tollbook must be told"},
    {NULL, NULL},
};

/* Everybody on a machine can read a command line.  NAME.file names a file that has the value. */
static const char *const secrets[] = {"sasl.password", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
    "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config", NULL};
/* What these name is as secret. */
static const char *const secret_files[] = {"ssl.key.location", "ssl.keystore.location", "sasl.kerberos.keytab", NULL};

/* What librdkafka said last about trouble; its threads write it. */
struct trouble {
	pthread_mutex_t lock;
	char text[ERROR_TEXT];
	char refusal[ERROR_TEXT]; /* about certificates and passwords, which do not mend themselves */
};

struct partition_queue {
	rd_kafka_queue_t *queue; /* NULL: not assigned */
	rd_kafka_message_t *held[HELD];
	size_t at, count; /* held[at] is given next; held[at - 1] is still in use */
};

struct kafka_consumer {
	struct trouble trouble; /* first, as in each client: callbacks are given the client by its address */
	rd_kafka_t *client;
	rd_kafka_topic_t *topic;
	const char *topic_name;
	struct kafka_member member; /* assigned is NULL where there is no group */
	bool remote_allowed;
	char *cluster;
	struct partition_queue *queues; /* by number of the partition */
	size_t queue_count, queue_room;
	struct message_header *headers;
	size_t header_room;
	bool failed; /* a callback did, see err */
	struct error err;
};

struct kafka_producer {
	struct trouble trouble;
	rd_kafka_t *client;
	bool remote_allowed;
	int64_t unsent;          /* messages given up on */
	rd_kafka_resp_err_t why; /* the last of them was */
};

/* --- settings --------------------------------------------------------------------------------- */

static const char *
property_find(const struct property *list, const char *name)
{
	for (; list->name != NULL; list++)
		if (strcmp(list->name, name) == 0)
			return list->value;
	return NULL;
}

static const char *
name_find(const char *const *list, const char *name, size_t length)
{
	for (; *list != NULL; list++)
		if (strlen(*list) == length && memcmp(*list, name, length) == 0)
			return *list;
	return NULL;
}

static bool
property_set(rd_kafka_conf_t *conf, const char *name, const char *value, struct error *err)
{
	char text[ERROR_TEXT];

	if (rd_kafka_conf_set(conf, name, value, text, sizeof text) == RD_KAFKA_CONF_OK)
		return true;
	error_set(err, ERROR_USAGE, "librdkafka does not take the property: %s", text);
	return error_hint(err, "Its CONFIGURATION.md lists what there is.");
}

/* Pipes and the like belong to who gave them. */
static bool
check_private(const char *path, const char *what, struct error *err)
{
	struct stat status;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & (S_IROTH | S_IWOTH)) == 0)
		return true;
	error_set(err, ERROR_USAGE, "%s has %s and is open to everybody on this machine", path, what);
	return error_hint(err, "Run: chmod o= %s (Kubernetes: defaultMode: 0440 and an fsGroup).", path);
}

/* As it stands in the file, but for the end of the line that editors leave behind it. */
static bool
secret_set(rd_kafka_conf_t *conf, const char *name, const char *path, struct error *err)
{
	struct text text = {0};
	bool fine = check_private(path, name, err) && document_read(path, &text, err);

	if (fine && text.length > 0 && text.bytes[text.length - 1] == '\n')
		text.length--;
	if (fine && text.length > 0 && text.bytes[text.length - 1] == '\r')
		text.length--;
	if (fine && (text.length == 0 || memchr(text.bytes, '\0', text.length) != NULL))
		fine = error_set(
		    err, ERROR_USAGE, "%s is %s: it should have %s", path, text.length == 0 ? "empty" : "no text", name);
	if (fine) {
		text.bytes[text.length] = '\0';
		fine = property_set(conf, name, text.bytes, err);
	} else if (err->file[0] != '\0') {
		/* Where the property stands is told instead. */
		error_wrap(err, "%s of %s", path, name);
		err->file[0] = '\0';
	}
	if (text.bytes != NULL)
		explicit_bzero(text.bytes, text.capacity);
	text_release(&text);
	return fine;
}

/* A property that a person chose. */
static bool
property_choose(rd_kafka_conf_t *conf, const struct property *fixed, const char *name, const char *value, struct error *err)
{
	const char *needed = property_find(fixed, name), *why = property_find(refused, name), *secret;
	size_t length = strlen(name);

	if (needed != NULL && strcasecmp(needed, value) != 0) {
		error_set(err, ERROR_USAGE, "%s must be %s, or usage could be lost or counted twice", name, needed);
		return error_field(err, name, value, strlen(value));
	}
	if (why != NULL)
		return error_set(err, ERROR_USAGE, "%s cannot be set: %s", name, why);
	secret = length > 5 && strcmp(name + length - 5, ".file") == 0 ? name_find(secrets, name, length - 5) : NULL;
	if (secret != NULL)
		return secret_set(conf, secret, value, err);
	return (name_find(secret_files, name, length) == NULL || check_private(value, name, err)) &&
	    property_set(conf, name, value, err);
}

static bool
set_all(rd_kafka_conf_t *conf, const struct property *list, struct error *err)
{
	for (; list->name != NULL; list++)
		if (!property_set(conf, list->name, list->value, err))
			return false;
	return true;
}

/* KEY=VALUE a line, as librdkafka's own tools have it. */
static bool
set_from_line(
    rd_kafka_conf_t *conf, const struct property *fixed, const char *path, const struct settings_lines *line, struct error *err)
{
	if (line->section != NULL)
		return error_set(err, ERROR_USAGE, "not a property: KEY=VALUE is, and there are no sections");
	return (name_find(secrets, line->name, strlen(line->name)) == NULL || check_private(path, line->name, err)) &&
	    property_choose(conf, fixed, line->name, line->value, err);
}

static bool
set_from_file(rd_kafka_conf_t *conf, const struct property *fixed, const char *path, struct error *err)
{
	struct settings_lines lines;
	bool fine, more = true;

	if (!settings_lines_open(&lines, path, PROPERTIES_BYTES, PROPERTY_BYTES, err))
		return false;
	do {
		fine = settings_lines_next(&lines, &more, err);
		/* As wrong as a property that librdkafka does not know. */
		if (!fine)
			err->kind = ERROR_USAGE;
		else if (more && !set_from_line(conf, fixed, path, &lines, err))
			fine = error_at(err, path, lines.number);
	} while (fine && more);
	settings_lines_close(&lines);
	return fine;
}

static bool
set_from_line_of_command(
    rd_kafka_conf_t *conf, const struct property *fixed, const char *use, struct arena *arena, struct error *err)
{
	const char *equals = strchr(use, '='), *name;

	if (equals == NULL || equals == use)
		return error_set(err, ERROR_USAGE, "-X takes KEY=VALUE, not \"%s\"", use);
	name = arena_copy(arena, use, (size_t)(equals - use));
	if (name_find(secrets, name, strlen(name)) == NULL)
		return property_choose(conf, fixed, name, equals + 1, err);
	error_set(err, ERROR_USAGE, "%s may not stand on the command line, where everybody can read it", name);
	return error_hint(
	    err, "Put it into a file that only you can read, and name that: --kafka-config FILE, or -X %s.file=FILE.", name);
}

static bool
set_from_settings(const struct kafka_settings *settings, rd_kafka_conf_t *conf, const struct property *fixed, struct arena *arena,
    struct error *err)
{
	if (settings->config_path != NULL && !set_from_file(conf, fixed, settings->config_path, err))
		return false;
	for (size_t i = 0; i < settings->property_count; i++)
		if (!set_from_line_of_command(conf, fixed, settings->properties[i], arena, err))
			return false;
	return settings->brokers == NULL || property_set(conf, "bootstrap.servers", settings->brokers, err);
}

static const char *
setting(struct arena *arena, rd_kafka_conf_t *conf, const char *name)
{
	char *text = arena_take(arena, PROPERTY_BYTES);
	size_t size = PROPERTY_BYTES;

	if (rd_kafka_conf_get(conf, name, text, &size) != RD_KAFKA_CONF_OK)
		text[0] = '\0';
	return text;
}

static bool
is_loopback(const char *host, size_t length)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr six;
	struct in_addr four;

	if (length > 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	}
	if (length >= sizeof text)
		return false;
	memcpy(text, host, length);
	text[length] = '\0';
	if (inet_pton(AF_INET, text, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return strcasecmp(text, "localhost") == 0 || (inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six));
}

static bool
refuse_remote(const char *host, size_t length, struct error *err)
{
	error_set(err, ERROR_USAGE, "usage would cross the network to %.*s without TLS", (int)length, host);
	return error_hint(err,
	    "Set security.protocol to ssl or sasl_ssl (-X or --kafka-config), or say --insecure if that network is yours alone.");
}

static bool
is_encrypted(struct arena *arena, rd_kafka_conf_t *conf)
{
	const char *protocol = setting(arena, conf, "security.protocol");

	return strcasecmp(protocol, "ssl") == 0 || strcasecmp(protocol, "sasl_ssl") == 0;
}

/* TLS with somebody unknown protects from nobody. */
static bool
check_identity(struct arena *arena, rd_kafka_conf_t *conf, struct error *err)
{
	static const struct property needed[] = {
	    {"enable.ssl.certificate.verification", "true"},
	    {"ssl.endpoint.identification.algorithm", "https"},
	};

	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
		const char *value = setting(arena, conf, needed[i].name);

		if (strcmp(value, needed[i].value) == 0)
			continue;
		error_set(err, ERROR_USAGE, "%s=%s would trust anybody who answers", needed[i].name, value);
		return error_hint(err, "Name the authority of the brokers in ssl.ca.location, or say --insecure.");
	}
	return true;
}

static bool
check_brokers(struct arena *arena, rd_kafka_conf_t *conf, bool remote_allowed, struct error *err)
{
	const char *list = setting(arena, conf, "bootstrap.servers");

	if (list[0] == '\0') {
		error_set(err, ERROR_USAGE, "no brokers are named");
		return error_hint(err,
		    "Give them by -b HOST:PORT (a setting \"brokers\" in the configuration), or as bootstrap.servers in a file "
		    "of properties.");
	}
	while (!remote_allowed && *(list += strspn(list, ", ")) != '\0') {
		size_t length = strcspn(list, ",");
		const char *scheme = strstr(list, "://"), *host = scheme != NULL && scheme < list + length ? scheme + 3 : list;
		size_t name = (size_t)(list + length - host);

		while (name > 0 && host[name - 1] != ':')
			name--;
		name = name == 0 ? (size_t)(list + length - host) : name - 1;
		if (!is_loopback(host, name))
			return refuse_remote(host, name, err);
		list += length;
	}
	return true;
}

/* --- trouble ---------------------------------------------------------------------------------- */

static void
trouble_note(struct trouble *trouble, const char *text)
{
	must(pthread_mutex_lock(&trouble->lock) == 0);
	snprintf(trouble->text, sizeof trouble->text, "%s", text);
	must(pthread_mutex_unlock(&trouble->lock) == 0);
}

static void
refusal_note(struct trouble *trouble, const char *text)
{
	must(pthread_mutex_lock(&trouble->lock) == 0);
	snprintf(trouble->refusal, sizeof trouble->refusal, "%s", text);
	must(pthread_mutex_unlock(&trouble->lock) == 0);
}

static void
on_log(const rd_kafka_t *client, int level, const char *facility, const char *text)
{
	(void)facility;
	if (level <= 4)
		trouble_note(rd_kafka_opaque(client), text);
}

static void
on_error(rd_kafka_t *client, int code, const char *reason, void *opaque)
{
	(void)client;
	/* This one follows upon another, which says why. */
	if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
		return;
	trouble_note(opaque, reason);
	/* What a broker says of our certificate comes when TLS is up, as trouble with the connection. */
	if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL || strstr(reason, "SSL routines") != NULL)
		refusal_note(opaque, reason);
}

static bool
kafka_error(struct trouble *trouble, rd_kafka_resp_err_t code, const char *what, struct error *err)
{
	bool away = code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT ||
	    code == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT || code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
	    code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__RESOLVE ||
	    code == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT || code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
	    code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION || code == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE;

	error_set(err, away ? ERROR_AWAY : ERROR_STATE, "%s: %s", what, rd_kafka_err2str(code));
	must(pthread_mutex_lock(&trouble->lock) == 0);
	if (trouble->text[0] != '\0')
		error_detail(err, "%s", trouble->text);
	must(pthread_mutex_unlock(&trouble->lock) == 0);
	if (away)
		error_hint(err, "Are the brokers up, and is -b right?  Nothing is lost: what is booked is booked, run again.");
	return false;
}

/* Where no broker answers: they are away, unless one of them said that it does not want us, or we do not trust it. */
static bool
unanswered(struct trouble *trouble, rd_kafka_resp_err_t code, struct error *err)
{
	char refusal[ERROR_TEXT];

	must(pthread_mutex_lock(&trouble->lock) == 0);
	memcpy(refusal, trouble->refusal, sizeof refusal);
	must(pthread_mutex_unlock(&trouble->lock) == 0);
	if (refusal[0] == '\0')
		return kafka_error(trouble, code, "the brokers do not answer", err);
	error_set(err, ERROR_USAGE, "the brokers cannot be reached in safety");
	error_detail(err, "%s", refusal);
	if (strstr(refusal, "SCRAM") != NULL && rd_kafka_version() < SCRAM_MENDED)
		return error_hint(err,
		    "librdkafka %s can do no login by SCRAM at Kafka 4 (2.6.1 can): let it be sasl.mechanism=PLAIN, or a "
		    "certificate.",
		    rd_kafka_version_str());
	return error_hint(err,
	    "A broker's certificate is refused for its authority (ssl.ca.location), its names (-b must be one of them) or its "
	    "dates; ours (ssl.certificate.location, ssl.key.location) by the broker; a login for sasl.mechanism, sasl.username "
	    "or the password.");
}

static bool
client_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct trouble *trouble, rd_kafka_t **out, struct error *err)
{
	char text[ERROR_TEXT];

	rd_kafka_conf_set_opaque(conf, trouble);
	rd_kafka_conf_set_log_cb(conf, on_log);
	rd_kafka_conf_set_error_cb(conf, on_error);
	must(pthread_mutex_init(&trouble->lock, NULL) == 0);
	*out = rd_kafka_new(type, conf, text, sizeof text);
	if (*out != NULL)
		return true;
	rd_kafka_conf_destroy(conf);
	return error_set(err, ERROR_USAGE, "librdkafka refuses the configuration: %s", text);
}

/* The settings in rising strength: defaults, the file, the command line; then what is fixed.  *remote_allowed: other machines may be
 * talked to. */
static bool
configure(const struct kafka_settings *settings, rd_kafka_conf_t *conf, const struct property *defaults,
    const struct property *fixed, bool *remote_allowed, struct error *err)
{
	struct arena arena = {0};
	bool fine =
	    set_all(conf, defaults, err) && set_from_settings(settings, conf, fixed, &arena, err) && set_all(conf, fixed, err);

	*remote_allowed = fine && (settings->insecure || is_encrypted(&arena, conf));
	fine = fine && check_brokers(&arena, conf, *remote_allowed, err) &&
	    (settings->insecure || check_identity(&arena, conf, err));
	arena_release(&arena);
	return fine;
}

struct kafka_settings
kafka_settings_of(struct run *run)
{
	const char **properties;
	size_t count = 0;

	while (option_each(run, "property", count) != NULL)
		count++;
	properties = arena_take(&run->arena, (count + 1) * sizeof *properties);
	for (size_t i = 0; i < count; i++)
		properties[i] = option_each(run, "property", i);
	return (struct kafka_settings){.brokers = option_value(run, "brokers"),
	    .config_path = option_value(run, "kafka-config"),
	    .properties = properties,
	    .property_count = count,
	    .insecure = option_value(run, "insecure") != NULL};
}

/* --- the consumer: partitions ----------------------------------------------------------------- */

static void
queue_release(struct partition_queue *queue)
{
	size_t from = queue->at > 0 ? queue->at - 1 : 0;

	for (size_t i = from; i < queue->count; i++)
		rd_kafka_message_destroy(queue->held[i]);
	queue->at = queue->count = 0;
	if (queue->queue != NULL)
		rd_kafka_queue_destroy(queue->queue);
	queue->queue = NULL;
}

static void
queues_release(struct kafka_consumer *consumer)
{
	for (size_t i = 0; i < consumer->queue_count; i++)
		queue_release(&consumer->queues[i]);
}

static void
queue_open(struct kafka_consumer *consumer, int32_t partition)
{
	size_t wanted = (size_t)partition + 1;
	rd_kafka_queue_t *queue = rd_kafka_queue_get_partition(consumer->client, consumer->topic_name, partition);

	must(queue != NULL);
	if (wanted > consumer->queue_count) {
		consumer->queues = memory_grow(consumer->queues, &consumer->queue_room, wanted, sizeof *consumer->queues);
		memset(consumer->queues + consumer->queue_count, 0, (wanted - consumer->queue_count) * sizeof *consumer->queues);
		consumer->queue_count = wanted;
	}
	queue_release(&consumer->queues[partition]);
	rd_kafka_queue_forward(queue, NULL);
	consumer->queues[partition].queue = queue;
}

bool
kafka_assign(struct kafka_consumer *consumer, const int32_t *partitions, const int64_t *offsets, size_t count, struct error *err)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)count);
	rd_kafka_resp_err_t code;

	for (size_t i = 0; i < count; i++) {
		rd_kafka_topic_partition_list_add(list, consumer->topic_name, partitions[i])->offset = offsets[i];
		queue_open(consumer, partitions[i]);
	}
	code = rd_kafka_assign(consumer->client, list);
	rd_kafka_topic_partition_list_destroy(list);
	return code == RD_KAFKA_RESP_ERR_NO_ERROR || kafka_error(&consumer->trouble, code, "the partitions cannot be read", err);
}

static void
unassign(struct kafka_consumer *consumer)
{
	queues_release(consumer);
	/* On its way out nothing can be done about a failure, and the ledger's positions guard against its consequences. */
	(void)rd_kafka_assign(consumer->client, NULL);
}

static bool
take_over(struct kafka_consumer *consumer, const rd_kafka_topic_partition_list_t *list, struct error *err)
{
	size_t count = (size_t)list->cnt;
	int32_t *partitions = memory_new(count, sizeof *partitions);
	int64_t *offsets = memory_new(count, sizeof *offsets);
	bool fine;

	for (size_t i = 0; i < count; i++)
		partitions[i] = list->elems[i].partition;
	fine = consumer->member.assigned(consumer->member.context, partitions, count, offsets, err) &&
	    kafka_assign(consumer, partitions, offsets, count, err);
	free(partitions);
	free(offsets);
	return fine;
}

static void
on_rebalance(rd_kafka_t *client, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list, void *opaque)
{
	struct kafka_consumer *consumer = opaque;
	bool fine;

	if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS && !consumer->failed) {
		fine = take_over(consumer, list, &consumer->err);
		if (!fine)
			unassign(consumer);
	} else {
		fine = consumer->failed ||
		    consumer->member.revoked(consumer->member.context, rd_kafka_assignment_lost(client) != 0, &consumer->err);
		unassign(consumer);
	}
	consumer->failed = consumer->failed || !fine;
}

/* --- the consumer ----------------------------------------------------------------------------- */

bool
kafka_consumer_open(const struct kafka_settings *settings, const char *topic, const char *group, const char *instance,
    const struct kafka_member *member, struct kafka_consumer **out, struct error *err)
{
	struct kafka_consumer *consumer = memory_new(1, sizeof *consumer);
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	consumer->topic_name = topic;
	if (!configure(settings, conf, consumer_defaults, consumer_fixed, &consumer->remote_allowed, err) ||
	    (group != NULL && !property_set(conf, "group.id", group, err)) ||
	    (instance != NULL && !property_set(conf, "group.instance.id", instance, err))) {
		rd_kafka_conf_destroy(conf);
		free(consumer);
		return false;
	}
	if (member != NULL) {
		consumer->member = *member;
		rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
	}
	if (!client_new(RD_KAFKA_CONSUMER, conf, &consumer->trouble, &consumer->client, err)) {
		free(consumer);
		return false;
	}
	/* Events of the group come out of the consumer's queue then. */
	must(rd_kafka_poll_set_consumer(consumer->client) == RD_KAFKA_RESP_ERR_NO_ERROR);
	consumer->topic = rd_kafka_topic_new(consumer->client, topic, NULL);
	*out = consumer;
	if (consumer->topic != NULL)
		return true;
	error_set(err, ERROR_USAGE, "\"%s\" cannot be a topic: %s", topic, rd_kafka_err2str(rd_kafka_last_error()));
	kafka_consumer_close(consumer);
	return false;
}

void
kafka_consumer_close(struct kafka_consumer *consumer)
{
	if (consumer == NULL)
		return;
	if (consumer->member.assigned == NULL)
		queues_release(consumer);
	(void)rd_kafka_consumer_close(consumer->client);
	queues_release(consumer);
	if (consumer->topic != NULL)
		rd_kafka_topic_destroy(consumer->topic);
	rd_kafka_destroy(consumer->client);
	rd_kafka_mem_free(NULL, consumer->cluster);
	must(pthread_mutex_destroy(&consumer->trouble.lock) == 0);
	free(consumer->queues);
	free(consumer->headers);
	free(consumer);
}

/* Brokers introduce each other, so the ones that answer are not always the ones that were asked. */
static bool
check_named_brokers(const struct rd_kafka_metadata *metadata, bool remote_allowed, struct error *err)
{
	for (int i = 0; !remote_allowed && i < metadata->broker_cnt; i++)
		if (!is_loopback(metadata->brokers[i].host, strlen(metadata->brokers[i].host)))
			return refuse_remote(metadata->brokers[i].host, strlen(metadata->brokers[i].host), err);
	return true;
}

static bool
check_metadata(struct kafka_consumer *consumer, const struct rd_kafka_metadata *metadata, int32_t *partitions, struct error *err)
{
	const struct rd_kafka_metadata_topic *topic = metadata->topics;

	if (!check_named_brokers(metadata, consumer->remote_allowed, err))
		return false;
	if (metadata->topic_cnt != 1)
		return error_set(err, ERROR_AWAY, "the brokers did not answer for the topic %s", consumer->topic_name);
	if (topic->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
		(void)kafka_error(&consumer->trouble, topic->err, "the topic cannot be read", err);
		error_hint(err, "Is -t right?  A topic is not made by reading it.");
		return error_field(err, "topic", consumer->topic_name, strlen(consumer->topic_name));
	}
	*partitions = topic->partition_cnt;
	return true;
}

bool
kafka_topic(struct kafka_consumer *consumer, int64_t wait_ms, const char **cluster, int32_t *partitions, struct error *err)
{
	const struct rd_kafka_metadata *metadata;
	int answer_ms = wait_ms < ANSWER_MS ? (int)wait_ms : ANSWER_MS;
	rd_kafka_resp_err_t code = rd_kafka_metadata(consumer->client, 0, consumer->topic, &metadata, answer_ms);
	bool fine;

	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		/* What went wrong comes out of the queue. */
		return kafka_poll(consumer, DRAIN_MS, err) && unanswered(&consumer->trouble, code, err);
	fine = check_metadata(consumer, metadata, partitions, err);
	rd_kafka_metadata_destroy(metadata);
	if (!fine)
		return false;
	if (consumer->cluster == NULL)
		consumer->cluster = rd_kafka_clusterid(consumer->client, answer_ms);
	if (consumer->cluster == NULL)
		return error_set(err, ERROR_AWAY, "the brokers do not say which cluster they are");
	*cluster = consumer->cluster;
	return true;
}

/* Of a topic that has grown, one member of a group hears before the others. */
static void
hear_of_partitions(struct kafka_consumer *consumer)
{
	const struct rd_kafka_metadata *metadata;

	if (rd_kafka_metadata(consumer->client, 0, consumer->topic, &metadata, ANSWER_MS) == RD_KAFKA_RESP_ERR_NO_ERROR)
		rd_kafka_metadata_destroy(metadata);
}

bool
kafka_ask_ends(struct kafka_consumer *consumer, int32_t partition, struct kafka_ends *out, struct error *err)
{
	rd_kafka_resp_err_t code = rd_kafka_query_watermark_offsets(
	    consumer->client, consumer->topic_name, partition, &out->first, &out->stable, ANSWER_MS);

	if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
		hear_of_partitions(consumer);
	/* A reader of committed records is told the last stable offset. */
	out->end = kafka_last_end(consumer, partition);
	if (out->end < out->stable)
		out->end = out->stable;
	return code == RD_KAFKA_RESP_ERR_NO_ERROR ||
	    kafka_error(&consumer->trouble, code, "the ends of a partition are not known", err);
}

bool
kafka_ask_offsets_for(
    struct kafka_consumer *consumer, int32_t partition, struct instant instant, int64_t *offset, struct error *err)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_topic_partition_t *asked = rd_kafka_topic_partition_list_add(list, consumer->topic_name, partition);
	rd_kafka_resp_err_t code;
	struct kafka_ends ends;
	int64_t found;

	asked->offset = instant.us / 1000;
	code = rd_kafka_offsets_for_times(consumer->client, list, ANSWER_MS);
	if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
		code = asked->err;
	found = asked->offset;
	rd_kafka_topic_partition_list_destroy(list);
	if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
		return kafka_error(&consumer->trouble, code, "what came before a time is not known", err);
	if (!kafka_ask_ends(consumer, partition, &ends, err))
		return false;
	/* Negative: no record is that late. */
	*offset = found < 0 || found > ends.stable ? ends.stable : found;
	return true;
}

int64_t
kafka_last_end(struct kafka_consumer *consumer, int32_t partition)
{
	int64_t first, end;

	if (rd_kafka_get_watermark_offsets(consumer->client, consumer->topic_name, partition, &first, &end) !=
		RD_KAFKA_RESP_ERR_NO_ERROR ||
	    end < 0)
		return -1;
	return end;
}

bool
kafka_subscribe(struct kafka_consumer *consumer, struct error *err)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
	rd_kafka_resp_err_t code;

	rd_kafka_topic_partition_list_add(list, consumer->topic_name, RD_KAFKA_PARTITION_UA);
	code = rd_kafka_subscribe(consumer->client, list);
	rd_kafka_topic_partition_list_destroy(list);
	return code == RD_KAFKA_RESP_ERR_NO_ERROR || kafka_error(&consumer->trouble, code, "the group cannot be joined", err);
}

/* What came out of the consumer's queue: only errors, since partitions have queues of their own. */
static bool
heed(struct kafka_consumer *consumer, const rd_kafka_message_t *event, struct error *err)
{
	char text[ERROR_TEXT];
	rd_kafka_resp_err_t code;

	switch ((int)event->err) {
	case RD_KAFKA_RESP_ERR__FATAL:
		code = rd_kafka_fatal_error(consumer->client, text, sizeof text);
		error_set(err, code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID ? ERROR_BUSY : ERROR_STATE, "%s", text);
		if (code == RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID)
			error_hint(err, "Another process runs under the same --instance; each needs a name of its own.");
		return false;
	case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
	case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
	case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
	case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
	case RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT:
		return kafka_error(&consumer->trouble, event->err, "the topic cannot be read by this group", err);
	default:
		trouble_note(&consumer->trouble, rd_kafka_message_errstr(event));
		return true;
	}
}

bool
kafka_poll(struct kafka_consumer *consumer, int timeout_ms, struct error *err)
{
	rd_kafka_message_t *event = rd_kafka_consumer_poll(consumer->client, timeout_ms);
	bool fine = true;

	if (event != NULL) {
		/* A record that came past its partition's queue would be skipped. */
		fine = event->err == RD_KAFKA_RESP_ERR_NO_ERROR
		    ? error_set(err, ERROR_STATE, "a record of %s[%d], offset %lld, came out of turn", consumer->topic_name,
			  (int)event->partition, (long long)event->offset)
		    : heed(consumer, event, err);
		rd_kafka_message_destroy(event);
	}
	if (fine && consumer->failed) {
		*err = consumer->err;
		fine = false;
	}
	return fine;
}

/* The message's headers into the consumer's array. */
static size_t
read_headers(struct kafka_consumer *consumer, const rd_kafka_message_t *from)
{
	rd_kafka_headers_t *list;
	const char *name;
	const void *value;
	size_t count = 0, length;

	if (rd_kafka_message_headers(from, &list) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return 0;
	while (rd_kafka_header_get_all(list, count, &name, &value, &length) == RD_KAFKA_RESP_ERR_NO_ERROR) {
		consumer->headers = memory_grow(consumer->headers, &consumer->header_room, count + 1, sizeof *consumer->headers);
		consumer->headers[count++] =
		    (struct message_header){.name = {name, strlen(name)}, .value = {value, length}, .has_value = value != NULL};
	}
	return count;
}

static void
read_message(struct kafka_consumer *consumer, const rd_kafka_message_t *from, struct message *out)
{
	rd_kafka_timestamp_type_t type;

	*out = (struct message){.offset = from->offset,
	    .timestamp_ms = rd_kafka_message_timestamp(from, &type),
	    .value = {from->payload, from->len},
	    .has_value = from->payload != NULL,
	    .envelope = {.key = {from->key, from->key_len}, .has_key = from->key != NULL}};
	out->envelope.header_count = read_headers(consumer, from);
	out->envelope.headers = consumer->headers;
}

enum kafka_taken
kafka_take(struct kafka_consumer *consumer, int32_t partition, struct message *out, struct error *err)
{
	struct partition_queue *queue = &consumer->queues[partition];
	const rd_kafka_message_t *message;

	if (queue->at > 0)
		rd_kafka_message_destroy(queue->held[queue->at - 1]);
	if (queue->at == queue->count) {
		ssize_t got = queue->queue == NULL ? 0 : rd_kafka_consume_batch_queue(queue->queue, 0, queue->held, HELD);

		queue->at = 0;
		queue->count = got < 0 ? 0 : (size_t)got;
		if (queue->count == 0)
			return KAFKA_NOTHING;
	}
	message = queue->held[queue->at++];
	switch ((int)message->err) {
	case RD_KAFKA_RESP_ERR_NO_ERROR:
		read_message(consumer, message, out);
		return KAFKA_MESSAGE;
	case RD_KAFKA_RESP_ERR__PARTITION_EOF:
		*out = (struct message){.offset = message->offset};
		return KAFKA_END;
	case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
	case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
		*out = (struct message){.offset = message->offset};
		return KAFKA_OUT_OF_RANGE;
	default:
		error_set(err, ERROR_STATE, "%s[%d] cannot be read on from offset %lld: %s", consumer->topic_name, (int)partition,
		    (long long)message->offset, rd_kafka_message_errstr(message));
		error_hint(err, "What is before it is booked.  Mend the topic, and run again.");
		return KAFKA_FAILED;
	}
}

void
kafka_commit(struct kafka_consumer *consumer, const int32_t *partitions, const int64_t *offsets, size_t count)
{
	rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)count);

	for (size_t i = 0; i < count; i++)
		rd_kafka_topic_partition_list_add(list, consumer->topic_name, partitions[i])->offset = offsets[i];
	(void)rd_kafka_commit(consumer->client, list, 1);
	rd_kafka_topic_partition_list_destroy(list);
}

void
kafka_trouble(struct kafka_consumer *consumer, char *out, size_t size)
{
	must(pthread_mutex_lock(&consumer->trouble.lock) == 0);
	snprintf(out, size, "%s", consumer->trouble.text);
	must(pthread_mutex_unlock(&consumer->trouble.lock) == 0);
}

/* --- the producer ----------------------------------------------------------------------------- */

static void
on_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
	struct kafka_producer *producer = opaque;

	(void)client;
	if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
		return;
	producer->unsent++;
	producer->why = message->err;
	trouble_note(&producer->trouble, rd_kafka_message_errstr(message));
}

bool
kafka_producer_open(const struct kafka_settings *settings, struct kafka_producer **out, struct error *err)
{
	struct kafka_producer *producer = memory_new(1, sizeof *producer);
	rd_kafka_conf_t *conf = rd_kafka_conf_new();

	if (!configure(settings, conf, producer_defaults, producer_fixed, &producer->remote_allowed, err)) {
		rd_kafka_conf_destroy(conf);
		free(producer);
		return false;
	}
	rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
	if (!client_new(RD_KAFKA_PRODUCER, conf, &producer->trouble, &producer->client, err)) {
		free(producer);
		return false;
	}
	*out = producer;
	return true;
}

/* Asks for all topics: asking a broker for one by name could make it. */
static bool
check_topic_exists(struct kafka_producer *producer, const char *topic, struct error *err)
{
	const struct rd_kafka_metadata *metadata;
	rd_kafka_resp_err_t code = rd_kafka_metadata(producer->client, 1, NULL, &metadata, ANSWER_MS);
	bool fine, found = false;

	if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
		(void)rd_kafka_poll(producer->client, DRAIN_MS);
		return unanswered(&producer->trouble, code, err);
	}
	fine = check_named_brokers(metadata, producer->remote_allowed, err);
	for (int i = 0; i < metadata->topic_cnt && !found; i++)
		found = strcmp(metadata->topics[i].topic, topic) == 0;
	rd_kafka_metadata_destroy(metadata);
	if (!fine || found)
		return fine;
	error_set(err, ERROR_STATE, "there is no topic %s, or it may not be seen", topic);
	return error_hint(err, "Is -t right?  A topic is not made by sending to it.");
}

/* The value of a topic's setting from the answer to DescribeConfigs; false where the brokers keep it to themselves. */
static bool
read_setting(rd_kafka_event_t *event, const char *name, char *out, size_t size)
{
	const rd_kafka_DescribeConfigs_result_t *result = event == NULL ? NULL : rd_kafka_event_DescribeConfigs_result(event);
	const rd_kafka_ConfigEntry_t **entries;
	const rd_kafka_ConfigResource_t **resources;
	size_t count = 0, entry_count;

	if (result == NULL)
		return false;
	resources = rd_kafka_DescribeConfigs_result_resources(result, &count);
	if (count != 1 || rd_kafka_ConfigResource_error(resources[0]) != RD_KAFKA_RESP_ERR_NO_ERROR)
		return false;
	entries = rd_kafka_ConfigResource_configs(resources[0], &entry_count);
	for (size_t i = 0; i < entry_count; i++) {
		const char *value = rd_kafka_ConfigEntry_value(entries[i]);

		if (value == NULL || strcmp(rd_kafka_ConfigEntry_name(entries[i]), name) != 0)
			continue;
		snprintf(out, size, "%s", value);
		return true;
	}
	return false;
}

bool
kafka_producer_topic(struct kafka_producer *producer, const char *topic, char *policy, size_t size, struct error *err)
{
	rd_kafka_ConfigResource_t *resource;
	rd_kafka_queue_t *queue;
	rd_kafka_event_t *event;

	if (!check_topic_exists(producer, topic, err))
		return false;
	resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic);
	queue = rd_kafka_queue_new(producer->client);
	must(resource != NULL && queue != NULL);
	rd_kafka_DescribeConfigs(producer->client, &resource, 1, NULL, queue);
	event = rd_kafka_queue_poll(queue, ANSWER_MS);
	if (!read_setting(event, "cleanup.policy", policy, size))
		policy[0] = '\0';
	if (event != NULL)
		rd_kafka_event_destroy(event);
	rd_kafka_queue_destroy(queue);
	rd_kafka_ConfigResource_destroy(resource);
	return true;
}

bool
kafka_send(struct kafka_producer *producer, const char *topic, struct bytes key, struct bytes value, struct error *err)
{
	/* The interface has no const; with F_COPY the bytes are only read. */
	const rd_kafka_vu_t message[] = {
	    {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = topic},
	    {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {(void *)(uintptr_t)key.at, key.length}},
	    {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {(void *)(uintptr_t)value.at, value.length}},
	    {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
	};
	rd_kafka_resp_err_t code;

	do {
		rd_kafka_error_t *error = rd_kafka_produceva(producer->client, message, sizeof message / sizeof message[0]);

		code = rd_kafka_error_code(error);
		if (error != NULL)
			rd_kafka_error_destroy(error);
		(void)rd_kafka_poll(producer->client, code == RD_KAFKA_RESP_ERR__QUEUE_FULL ? 100 : 0);
	} while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && producer->unsent == 0);
	return code == RD_KAFKA_RESP_ERR_NO_ERROR || kafka_error(&producer->trouble, code, "a message cannot be sent", err);
}

bool
kafka_flush(struct kafka_producer *producer, struct error *err)
{
	rd_kafka_resp_err_t code = rd_kafka_flush(producer->client, 6 * ANSWER_MS);

	if (code == RD_KAFKA_RESP_ERR_NO_ERROR && producer->unsent == 0)
		return true;
	if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
		code = producer->why;
	return kafka_error(&producer->trouble, code, "not every message was taken by the brokers", err);
}

void
kafka_producer_close(struct kafka_producer *producer)
{
	if (producer == NULL)
		return;
	rd_kafka_destroy(producer->client);
	must(pthread_mutex_destroy(&producer->trouble.lock) == 0);
	free(producer);
}
