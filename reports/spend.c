/*
 * spend.c -- see spend.h.
 *
 * One snapshot gives the figures, their watermark and the proof that they agree; what does not agree is not sent, and neither is a
 * figure that a rating run would change.  A message is the whole of what there is to know of its tenant, so that it is true alone,
 * whatever becomes of the others.
 */
#include "reports/spend.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/meter.h"
#include "rating/rating_stored.h"
#include "reports/check.h"

/* Columns of spend_periods.sql. */
enum { TENANT, PERIOD, STARTS, ENDS, RATING, RATING_RUN, INVOICED, WAITS, UNRATED, CURRENCY };

/* Columns of spend_watermark.sql. */
enum { WATERMARK_RUN, WATERMARK_BATCHES, WATERMARK_LAST_BATCH, WATERMARK_TIME, WATERMARK_LEFT };

struct spend_message {
	const char *tenant, *value; /* in the run's arena */
};

struct spend {
	struct run *run;
	struct rows periods, charges, holds, watermark, partitions;
	int charge_at, hold_at; /* the next of them, which come in the order of the periods */
	struct text text;       /* the message at hand */
	struct spend_message *messages;
	size_t count, room;
	struct spend_result *result;
};

/* --- what is read ----------------------------------------------------------------------------- */

/* The ratings that are published, as an array for SQL. */
static const char *
rating_list(struct spend *spend)
{
	struct text list = {0};
	const char *copy;

	text_add(&list, "{", 1);
	for (int i = 0; i < spend->periods.count; i++)
		if (!row_is_null(&spend->periods, i, RATING) && !row_bool(&spend->periods, i, WAITS))
			text_add_format(&list, "%s%s", list.length > 1 ? "," : "", row_text(&spend->periods, i, RATING));
	text_add(&list, "}", 1);
	copy = arena_copy(&spend->run->arena, list.bytes, list.length);
	text_release(&list);
	return copy;
}

static bool
read_books(struct spend *spend, const char *period, struct error *err)
{
	struct db *db = spend->run->db;
	const char *now = param_instant(&spend->run->arena, spend->run->now), *ratings;

	if (!db_rows(db, SQL_REPORTS_SPEND_PERIODS, PARAMS(now, period), &spend->periods, err))
		return false;
	ratings = rating_list(spend);
	return db_rows(db, SQL_REPORTS_SPEND_CHARGES, PARAMS(ratings), &spend->charges, err) &&
	    db_rows(db, SQL_REPORTS_SPEND_HOLDS, PARAMS(ratings), &spend->holds, err) &&
	    db_one_row(db, SQL_REPORTS_SPEND_WATERMARK, NO_PARAMS, &spend->watermark, err) &&
	    db_rows(db, SQL_REPORTS_SPEND_PARTITIONS, NO_PARAMS, &spend->partitions, err);
}

/* --- what must agree -------------------------------------------------------------------------- */

static bool
refuse(struct error *err, const char *what, int64_t differences)
{
	error_set(err, ERROR_STATE, "nothing is published: the books do not agree");
	error_detail(err, "%s: differences: %lld", what, (long long)differences);
	return error_hint(err, "tollbook reconcile shows everything that differs.");
}

/* Without a rating a period would be published as nothing spent. */
static bool
check_rated(struct spend *spend, struct error *err)
{
	const struct rows *periods = &spend->periods;

	for (int i = 0; i < periods->count; i++) {
		if (row_bool(periods, i, WAITS) || !row_bool(periods, i, UNRATED))
			continue;
		say(spend->run, "%s of %s has intervals, no rating, and does not wait for one", row_text(periods, i, PERIOD),
		    row_text(periods, i, TENANT));
		return refuse(err, "every interval lies in a period that is rated or waits to be", 1);
	}
	return true;
}

struct digests {
	struct run *run;
	int64_t found;
};

static void
found_digest(void *context, const char *period, const char *tenant)
{
	struct digests *digests = context;

	if (digests->found < CHECK_SHOWN)
		say(digests->run, "%s of %s: not what its rating wrote", period, tenant);
	digests->found++;
}

static bool
check_scope(struct spend *spend, struct error *err)
{
	const char *first = row_text(&spend->periods, 0, PERIOD);
	struct rows rows;

	for (int i = 1; i < spend->periods.count; i++)
		if (strcmp(row_text(&spend->periods, i, PERIOD), first) < 0)
			first = row_text(&spend->periods, i, PERIOD);
	if (!db_one_row(spend->run->db, SQL_REPORTS_CHECK_SCOPE, PARAMS(first), &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

/* The invariants that concern what is published, of its periods and later ones. */
static bool
check_books(struct spend *spend, struct error *err)
{
	static const enum statement_id checks[] = {
	    SQL_CHECKS_2_INTERVALS_ARE_CHARGED_OR_HELD, SQL_CHECKS_3_AMOUNTS_ARE_QUANTITY_TIMES_PRICE};
	struct digests digests = {.run = spend->run};

	if (spend->periods.count == 0)
		return true;
	if (!check_rated(spend, err) || !check_scope(spend, err))
		return false;
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		int64_t differences;

		if (!check_query(spend->run, checks[i], &differences, err))
			return false;
		if (differences > 0)
			return refuse(err, check_title(spend->run, checks[i]), differences);
	}
	if (!ratings_stored_verify(spend->run, found_digest, &digests, err))
		return false;
	return digests.found == 0 || refuse(err, "charges and holds in force = the digests of their ratings", digests.found);
}

/* --- messages --------------------------------------------------------------------------------- */

static void
add_string(struct text *text, const char *name, const char *value)
{
	text_add_json(text, name);
	text_add(text, ":", 1);
	text_add_json(text, value);
}

static void
add_amount(struct text *text, size_t start, const char *currency, const char *amount)
{
	if (text->length > start)
		text_add(text, ",", 1);
	add_string(text, currency, amount);
}

/* Amounts by currency, in the order of their names; the contract's is there also where nothing was charged in it. */
static void
add_charges(struct spend *spend, int period)
{
	const char *rating = row_text(&spend->periods, period, RATING), *own = row_text(&spend->periods, period, CURRENCY);
	const struct rows *charges = &spend->charges;
	struct text *text = &spend->text;
	size_t start;

	text_add_string(text, ",\"charged\":{");
	start = text->length;
	while (spend->charge_at < charges->count && strcmp(row_text(charges, spend->charge_at, 0), rating) == 0) {
		const char *currency = row_text(charges, spend->charge_at, 1);

		if (own[0] != '\0' && strcmp(own, currency) < 0)
			add_amount(text, start, own, "0");
		if (strcmp(own, currency) <= 0)
			own = "";
		add_amount(text, start, currency, row_text(charges, spend->charge_at, 2));
		spend->charge_at++;
	}
	if (own[0] != '\0')
		add_amount(text, start, own, "0");
	text_add(text, "}", 1);
}

static void
add_holds(struct spend *spend, int period)
{
	const char *rating = row_text(&spend->periods, period, RATING);
	const struct rows *holds = &spend->holds;
	struct text *text = &spend->text;
	bool first = true;

	text_add_string(text, ",\"held\":[");
	while (spend->hold_at < holds->count && strcmp(row_text(holds, spend->hold_at, 0), rating) == 0) {
		const struct meter *meter = meter_of((int)row_number(holds, spend->hold_at, 2));
		char quantity[DECIMAL_TEXT];

		text_add_string(text, first ? "{" : ",{");
		add_string(text, "reason", row_text(holds, spend->hold_at, 1));
		text_add(text, ",", 1);
		add_string(text, "meter", meter->name);
		text_add(text, ",", 1);
		add_string(text, "quantity", meter_format(meter, row_integer(holds, spend->hold_at, 3), quantity));
		text_add(text, "}", 1);
		first = false;
		spend->hold_at++;
	}
	text_add(text, "]", 1);
}

static void
add_period(struct spend *spend, int i)
{
	const struct rows *periods = &spend->periods;
	struct text *text = &spend->text;
	char starts[INSTANT_TEXT], ends[INSTANT_TEXT];

	text_add(text, "{", 1);
	add_string(text, "period", row_text(periods, i, PERIOD));
	text_add(text, ",", 1);
	add_string(text, "starts", instant_format(row_instant(periods, i, STARTS), starts));
	text_add(text, ",", 1);
	add_string(text, "ends", instant_format(row_instant(periods, i, ENDS), ends));
	text_add_format(text, ",\"invoiced\":%s,\"rating_run\":%s", row_bool(periods, i, INVOICED) ? "true" : "false",
	    row_is_null(periods, i, RATING_RUN) ? "null" : row_text(periods, i, RATING_RUN));
	add_charges(spend, i);
	add_holds(spend, i);
	text_add(text, "}", 1);
}

static void
add_partitions(struct spend *spend)
{
	const struct rows *partitions = &spend->partitions;
	struct text *text = &spend->text;

	text_add_string(text, ",\"partitions\":[");
	for (int i = 0; i < partitions->count; i++) {
		text_add_string(text, i == 0 ? "{" : ",{");
		add_string(text, "cluster", row_text(partitions, i, 0));
		text_add(text, ",", 1);
		add_string(text, "topic", row_text(partitions, i, 1));
		text_add_format(
		    text, ",\"partition\":%s,\"next_offset\":%s}", row_text(partitions, i, 2), row_text(partitions, i, 3));
	}
	text_add(text, "]", 1);
}

static void
add_watermark(struct spend *spend)
{
	const struct rows *watermark = &spend->watermark;
	struct text *text = &spend->text;
	char time[INSTANT_TEXT];

	text_add_format(text, "],\"watermark\":{\"rating_run\":%s,\"batches\":%s,\"last_batch\":%s,\"last_event_time\":",
	    row_text(watermark, 0, WATERMARK_RUN), row_text(watermark, 0, WATERMARK_BATCHES),
	    row_text(watermark, 0, WATERMARK_LAST_BATCH));
	if (row_is_null(watermark, 0, WATERMARK_TIME))
		text_add_string(text, "null");
	else
		text_add_json(text, instant_format(row_instant(watermark, 0, WATERMARK_TIME), time));
	add_partitions(spend);
	text_add(text, "}", 1);
}

/* The message of the tenant whose periods begin at row `from`; gives the row behind them. */
static int
make_message(struct spend *spend, int from)
{
	struct run *run = spend->run;
	struct text *text = &spend->text;
	const char *tenant = row_text(&spend->periods, from, TENANT);
	char now[INSTANT_TEXT];
	int i = from;

	text_clear(text);
	text_add_string(text, "{\"spend\":\"tollbook.spend.v1\",");
	add_string(text, "tenant", tenant);
	text_add_string(text, ",\"periods\":[");
	for (; i < spend->periods.count && strcmp(row_text(&spend->periods, i, TENANT), tenant) == 0; i++) {
		if (i > from)
			text_add(text, ",", 1);
		add_period(spend, i);
	}
	add_watermark(spend);
	text_add(text, ",", 1);
	add_string(text, "published_at", instant_format(run->now, now));
	text_add(text, "}", 1);
	spend->messages = memory_grow(spend->messages, &spend->room, spend->count + 1, sizeof *spend->messages);
	spend->messages[spend->count++] = (struct spend_message){
	    arena_copy(&run->arena, tenant, strlen(tenant)), arena_copy(&run->arena, text->bytes, text->length)};
	return i;
}

static void
make_messages(struct spend *spend)
{
	const struct rows *watermark = &spend->watermark;
	struct spend_result *result = spend->result;
	const char *waiting = "";

	for (int i = 0; i < spend->periods.count;) {
		const char *tenant = row_text(&spend->periods, i, TENANT);

		if (!row_bool(&spend->periods, i, WAITS)) {
			i = make_message(spend, i);
			continue;
		}
		if (strcmp(waiting, tenant) != 0) {
			text_add_string(&result->waiting, result->waiting_count++ == 0 ? "" : ",");
			text_add_json(&result->waiting, tenant);
		}
		waiting = tenant;
		i++;
	}
	result->published = spend->count;
	result->rating_run = row_number(watermark, 0, WATERMARK_RUN);
	result->batches = row_number(watermark, 0, WATERMARK_BATCHES);
	result->batches_left = row_number(watermark, 0, WATERMARK_LEFT);
	must(spend->charge_at == spend->charges.count && spend->hold_at == spend->holds.count);
}

/* Everything from one snapshot. */
static bool
make_all(struct spend *spend, const char *period, struct error *err)
{
	struct db *db = spend->run->db;
	bool fine = db_begin(db, err);

	fine = fine && db_change(db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) && read_books(spend, period, err) &&
	    check_books(spend, err);
	db_rollback(db);
	if (fine)
		make_messages(spend);
	return fine;
}

static void
spend_release(struct spend *spend)
{
	rows_release(&spend->periods);
	rows_release(&spend->charges);
	rows_release(&spend->holds);
	rows_release(&spend->watermark);
	rows_release(&spend->partitions);
	text_release(&spend->text);
	free(spend->messages);
}

/* --- sending ---------------------------------------------------------------------------------- */

static bool
check_topic(struct run *run, struct kafka_producer *producer, const char *topic, struct error *err)
{
	char policy[64];

	if (!kafka_producer_topic(producer, topic, policy, sizeof policy, err))
		return false;
	if (policy[0] == '\0')
		say(run, "the brokers do not say whether %s is compacted (cleanup.policy=compact); it must be", topic);
	if (policy[0] == '\0' || strstr(policy, "compact") != NULL)
		return true;
	error_set(err, ERROR_STATE, "the topic %s is not compacted: its cleanup.policy is %s", topic, policy);
	return error_hint(err, "Set cleanup.policy=compact, so that the newest message of every tenant stays.");
}

static bool
take_lock(struct run *run, const char *topic, struct error *err)
{
	struct rows rows;
	bool alone;

	if (!db_one_row(run->db, SQL_REPORTS_SPEND_LOCK, PARAMS(topic), &rows, err))
		return false;
	alone = row_bool(&rows, 0, 0);
	rows_release(&rows);
	if (alone)
		return true;
	error_set(err, ERROR_BUSY, "another process publishes spend to %s", topic);
	return error_hint(err, "Wait for it to end: its figures are as good.");
}

static bool
send_all(struct spend *spend, struct kafka_producer *producer, const char *topic, struct error *err)
{
	bool fine = true;

	for (size_t i = 0; fine && i < spend->count; i++) {
		const struct spend_message *message = &spend->messages[i];

		fine = kafka_send(producer, topic, (struct bytes){message->tenant, strlen(message->tenant)},
		    (struct bytes){message->value, strlen(message->value)}, err);
		if (!fine)
			error_wrap(err, "spend of %s", message->tenant);
	}
	if (fine && kafka_flush(producer, err))
		return true;
	return error_hint(
	    err, "Some tenants may have their new figure and others the one before; each is true on its own.  Run again.");
}

/* The session may go on to do other things, and others may publish then. */
static bool
give_lock(struct run *run, const char *topic, struct error *err)
{
	struct rows rows;

	if (!db_one_row(run->db, SQL_REPORTS_SPEND_UNLOCK, PARAMS(topic), &rows, err))
		return false;
	rows_release(&rows);
	return true;
}

static bool
publish(struct spend *spend, struct kafka_producer *producer, const char *topic, const char *period, struct error *err)
{
	struct error why = {0};
	bool fine;

	/* The lock comes before the snapshot: whoever has it next reads newer books. */
	if (!check_topic(spend->run, producer, topic, err) || !take_lock(spend->run, topic, err))
		return false;
	fine = make_all(spend, period, err) && send_all(spend, producer, topic, err);
	return give_lock(spend->run, topic, fine ? err : &why) && fine;
}

bool
spend_publish(struct run *run, const struct kafka_settings *kafka, const char *topic, const char *period,
    struct spend_result *result, struct error *err)
{
	struct spend spend = {.run = run, .result = result};
	struct kafka_producer *producer;
	bool fine;

	*result = (struct spend_result){0};
	if (!kafka_producer_open(kafka, &producer, err))
		return false;
	fine = publish(&spend, producer, topic, period, err);
	kafka_producer_close(producer);
	spend_release(&spend);
	return fine;
}

bool
spend_print(struct run *run, const char *period, struct spend_result *result, struct error *err)
{
	struct spend spend = {.run = run, .result = result};
	bool fine;

	*result = (struct spend_result){0};
	fine = make_all(&spend, period, err);
	for (size_t i = 0; fine && i < spend.count; i++)
		puts(spend.messages[i].value);
	spend_release(&spend);
	return fine;
}

void
spend_result_release(struct spend_result *result)
{
	text_release(&result->waiting);
	*result = (struct spend_result){0};
}
