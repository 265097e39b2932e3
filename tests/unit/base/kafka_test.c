/* kafka_test.c -- which settings are taken; no broker is there, and none is needed. */
#include "base/kafka.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BROKERS, PROPERTY, FILE_OF_PROPERTIES, INSECURE, OPTION_COUNT };

static const struct option_spec options[] = {KAFKA_OPTIONS, {0}};
static const struct command command = {.name = "test", .options = options};
static struct error err;
static char path[64], other_path[64];

/* Whether a consumer is opened with these options; NULL where one is not given. */
static bool
opens(const char *brokers, const char *property, const char *file, const char *insecure)
{
	const char *values[OPTION_COUNT] = {brokers, NULL, file, insecure};
	struct option_use use = {&options[PROPERTY], property};
	struct run run = {.command = &command, .values = values, .uses = &use, .use_count = property != NULL};
	struct kafka_settings settings = kafka_settings_of(&run);
	struct kafka_consumer *consumer = NULL;
	bool fine;

	err = (struct error){0};
	fine = kafka_consumer_open(&settings, "usage", NULL, NULL, NULL, &consumer, &err);
	kafka_consumer_close(consumer);
	arena_release(&run.arena);
	return fine;
}

static bool
takes(const char *property)
{
	return opens("127.0.0.1:1", property, NULL, NULL);
}

/* A file that only its owner may read, or one for all. */
static void
write_file(char *name, const char *content, size_t length, mode_t mode)
{
	int file;

	snprintf(name, sizeof path, "/tmp/tollbook-kafka-XXXXXX");
	file = mkstemp(name);
	CU_ASSERT_FATAL(file >= 0);
	CU_ASSERT_FATAL(write(file, content, length) == (ssize_t)length);
	CU_ASSERT_EQUAL(fchmod(file, mode), 0);
	CU_ASSERT_EQUAL(close(file), 0);
}

static bool
takes_file(const char *content, mode_t mode)
{
	bool fine;

	write_file(path, content, strlen(content), mode);
	fine = opens("127.0.0.1:1", NULL, path, NULL);
	CU_ASSERT_EQUAL(unlink(path), 0);
	return fine;
}

/* Whether a file with this content is taken as the password. */
static bool
takes_secret(const char *content, size_t length, mode_t mode)
{
	char property[128];
	bool fine;

	write_file(other_path, content, length, mode);
	snprintf(property, sizeof property, "sasl.password.file=%s", other_path);
	fine = takes(property);
	CU_ASSERT_EQUAL(unlink(other_path), 0);
	return fine;
}

#define EXPECT_REFUSED(taken, text)                                                                                              \
	do {                                                                                                                     \
		CU_ASSERT_FALSE(taken);                                                                                          \
		CU_ASSERT_EQUAL(err.kind, ERROR_USAGE);                                                                          \
		if (strstr(err.message, text) == NULL)                                                                           \
			printf("\n    %s:%d: got \"%s\", wanted \"%s\"\n", __FILE__, __LINE__, err.message, text);               \
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, text));                                                               \
	} while (0)

static void
settings_that_counting_rests_on_cannot_be_changed(void)
{
	EXPECT_REFUSED(takes("enable.auto.commit=true"), "enable.auto.commit must be false");
	EXPECT_REFUSED(takes("enable.auto.offset.store=true"), "enable.auto.offset.store must be false");
	EXPECT_REFUSED(takes("auto.offset.reset=latest"), "auto.offset.reset must be error");
	EXPECT_REFUSED(takes("check.crcs=false"), "check.crcs must be true");
	EXPECT_REFUSED(takes("isolation.level=read_uncommitted"), "isolation.level must be read_committed");
	EXPECT_REFUSED(takes("allow.auto.create.topics=true"), "allow.auto.create.topics must be false");
	EXPECT_REFUSED(takes("enable.partition.eof=false"), "enable.partition.eof must be true");
	EXPECT_REFUSED(takes("api.version.request=false"), "api.version.request must be true");
	EXPECT_REFUSED(takes("partition.assignment.strategy=cooperative-sticky"), "partition.assignment.strategy must be");
	CU_ASSERT_TRUE(takes("isolation.level=read_committed"));
	CU_ASSERT_TRUE(takes("fetch.min.bytes=1000"));
	EXPECT_REFUSED(takes("fetch.min.bites=1000"), "fetch.min.bites");
}

static void
settings_that_load_code_or_replace_the_brokers_are_refused(void)
{
	EXPECT_REFUSED(takes("plugin.library.paths=/tmp/x.so"), "plugin.library.paths cannot be set");
	EXPECT_REFUSED(takes("ssl.engine.location=/tmp/x.so"), "ssl.engine.location cannot be set");
	EXPECT_REFUSED(takes("ssl.providers=/tmp/x"), "ssl.providers cannot be set");
	EXPECT_REFUSED(takes("sasl.kerberos.kinit.cmd=true"), "sasl.kerberos.kinit.cmd cannot be set");
	EXPECT_REFUSED(takes("sasl.kerberos.min.time.before.relogin=1"), "no command is run");
	EXPECT_REFUSED(takes("test.mock.num.brokers=1"), "test.mock.num.brokers cannot be set");
	EXPECT_REFUSED(takes_file("plugin.library.paths=/tmp/x.so\n", 0600), "plugin.library.paths cannot be set");
}

static void
secrets_do_not_stand_on_the_command_line_and_are_not_repeated(void)
{
	static const char *const properties[] = {"sasl.password=hush", "ssl.key.password=hush", "ssl.key.pem=hush",
	    "ssl.keystore.password=hush", "sasl.oauthbearer.client.secret=hush", "sasl.oauthbearer.config=hush"};

	for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
		EXPECT_REFUSED(takes(properties[i]), "may not stand on the command line");
		CU_ASSERT_PTR_NULL(strstr(err.message, "hush"));
		EXPECT_TEXT(err.value, "");
	}
}

static void
this_machine_is_known_by_its_whole_address(void)
{
	static const char *const ours[] = {"localhost", "LocalHost:9092", "127.0.0.1", "127.0.0.1:9092", "127.8.9.10:9092",
	    "[::1]:9092", "plaintext://127.0.0.1:9092", "127.0.0.1:1, localhost:2,,[::1]:3"};
	static const char *const others[] = {"127.evil.example:9092", "127.0.0.1.example:9092", "127.1:9092", "localhost.example",
	    "kafka-1:9092", "10.0.0.1:9092", "128.0.0.1", "[::2]:9092", "[::ffff:10.0.0.1]:9092", "127.0.0.1:1,kafka-1:9092",
	    "plaintext://kafka-1:9092/127.0.0.1", "x://127.0.0.1,kafka-1", "kafka-1:1:127.0.0.1"};

	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		CU_ASSERT_TRUE(opens(ours[i], NULL, NULL, NULL));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		EXPECT_REFUSED(opens(others[i], NULL, NULL, NULL), "without TLS");
	EXPECT_REFUSED(opens("kafka-1:9092", "security.protocol=sasl_plaintext", NULL, NULL), "without TLS");
	CU_ASSERT_TRUE(opens("192.0.2.1:9092", NULL, NULL, ""));
}

static void
tls_asks_whom_it_talks_to_unless_insecure_is_said(void)
{
	static const char unchecked[] = "security.protocol=ssl\nenable.ssl.certificate.verification=f\n";
	static const char unnamed[] = "security.protocol=ssl\nssl.endpoint.identification.algorithm=none\n";

	CU_ASSERT_TRUE(opens("192.0.2.1:9093", "security.protocol=ssl", NULL, NULL));
	EXPECT_REFUSED(takes_file(unchecked, 0644), "enable.ssl.certificate.verification=false would trust anybody");
	EXPECT_REFUSED(takes_file(unnamed, 0644), "ssl.endpoint.identification.algorithm=none would trust anybody");
	CU_ASSERT_TRUE(opens("192.0.2.1:9093", "enable.ssl.certificate.verification=false", NULL, ""));
}

static void
a_file_of_properties_is_refused_with_the_line(void)
{
	CU_ASSERT_TRUE(takes_file("# text\n\n client.id = a b\t\r\n\tfetch.min.bytes=7\ngroup.id=x", 0644));
	CU_ASSERT_TRUE(takes_file("", 0644));
	EXPECT_REFUSED(takes_file("# text\n\nclient.id=a\nclient.id hush\n", 0644), "KEY=VALUE");
	CU_ASSERT_EQUAL(err.line, 4);
	EXPECT_TEXT(err.file, path);
	CU_ASSERT_PTR_NULL(strstr(err.message, "hush"));
	EXPECT_REFUSED(takes_file("client.id=a\r\nauto.offset.reset=latest", 0644), "auto.offset.reset must be error");
	CU_ASSERT_EQUAL(err.line, 2);
	CU_ASSERT_FALSE(opens("127.0.0.1:1", NULL, "/nowhere/kafka.properties", NULL));
	CU_ASSERT_EQUAL(err.kind, ERROR_INPUT);
}

static void
a_file_with_a_secret_is_not_open_to_everybody(void)
{
	CU_ASSERT_TRUE(takes_file("sasl.password=hush\n", 0600));
	CU_ASSERT_TRUE(takes_file("sasl.password=hush\n", 0640));
	EXPECT_REFUSED(takes_file("client.id=a\nsasl.password=hush\n", 0644), "has sasl.password and is open to everybody");
	CU_ASSERT_EQUAL(err.line, 2);
	EXPECT_REFUSED(takes_file("sasl.password=hush\n", 0602), "open to everybody");
	CU_ASSERT_TRUE(takes_file("client.id=a\n", 0644));
}

static void
a_secret_is_taken_from_a_file_of_its_own(void)
{
	CU_ASSERT_TRUE(takes_secret("hush", 4, 0600));
	CU_ASSERT_TRUE(takes_secret("hush\r\n", 6, 0640));
	EXPECT_REFUSED(takes_secret("hush\n", 5, 0604), "has sasl.password and is open to everybody");
	EXPECT_REFUSED(takes_secret("", 0, 0600), "is empty");
	EXPECT_REFUSED(takes_secret("\n", 1, 0600), "is empty");
	EXPECT_REFUSED(takes_secret("hu\0sh", 5, 0600), "is no text");
	CU_ASSERT_FALSE(takes("sasl.password.file=/nowhere/password"));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "/nowhere/password of sasl.password: "));
	EXPECT_REFUSED(takes("client.id.file=/nowhere/password"), "client.id.file");
}

UNIT_TESTS("base/kafka", TEST(settings_that_counting_rests_on_cannot_be_changed),
    TEST(settings_that_load_code_or_replace_the_brokers_are_refused),
    TEST(secrets_do_not_stand_on_the_command_line_and_are_not_repeated), TEST(this_machine_is_known_by_its_whole_address),
    TEST(tls_asks_whom_it_talks_to_unless_insecure_is_said), TEST(a_file_of_properties_is_refused_with_the_line),
    TEST(a_file_with_a_secret_is_not_open_to_everybody), TEST(a_secret_is_taken_from_a_file_of_its_own))
