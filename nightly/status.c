/* status.c -- see status.h. */
#include "nightly/status.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/metrics.h"
#include "base/money.h"

const struct status_kind status_kinds[] = {
#define FACT(group, fact, kind, label, metric, type, meaning) {group, fact, kind, label, metric, type, meaning},
#include "nightly/status_facts.def"
#undef FACT
};
const size_t status_kind_count = sizeof status_kinds / sizeof status_kinds[0];

/* --- reading --------------------------------------------------------------------------------- */

/* Columns of the statements. */
enum fact_column { FACT_COLUMN_GROUP, FACT_COLUMN_FACT, FACT_COLUMN_LABEL, FACT_COLUMN_VALUE };

static const struct status_kind *
kind_of(const char *group, const char *fact)
{
	for (size_t i = 0; i < status_kind_count; i++)
		if (strcmp(status_kinds[i].group, group) == 0 && strcmp(status_kinds[i].fact, fact) == 0)
			return &status_kinds[i];
	must_failed("the fact is in status_facts.def", fact, 0);
}

static bool
read_facts(struct run *run, enum statement_id statement, struct params params, struct status *out, struct error *err)
{
	struct rows rows;

	if (!db_rows(run->db, statement, params, &rows, err))
		return false;
	out->facts = memory_grow(out->facts, &out->capacity, out->count + (size_t)rows.count, sizeof *out->facts);
	for (int i = 0; i < rows.count; i++) {
		const char *label = row_text(&rows, i, FACT_COLUMN_LABEL), *value = row_text(&rows, i, FACT_COLUMN_VALUE);

		out->facts[out->count++] =
		    (struct status_fact){kind_of(row_text(&rows, i, FACT_COLUMN_GROUP), row_text(&rows, i, FACT_COLUMN_FACT)),
			arena_copy(&run->arena, label, strlen(label)),
			row_is_null(&rows, i, FACT_COLUMN_VALUE) ? NULL : arena_copy(&run->arena, value, strlen(value))};
	}
	rows_release(&rows);
	return true;
}

static bool
read_complete(struct run *run, const struct config *config, struct status *out, struct error *err)
{
	static const char *const keys[] = {NULL, "kind", "topic"};
	size_t count = config_names(config, "source");
	struct text arrays[3] = {{0}, {0}, {0}};
	bool fine;

	for (size_t i = 0; i < 3; i++) {
		const char **values = (const char **)memory_new(count, sizeof *values);

		for (size_t j = 0; j < count; j++) {
			const char *name = config_name(config, "source", j);

			values[j] = keys[i] == NULL ? name : config_named(config, "source", name, keys[i]);
		}
		text_add_elements(&arrays[i], values, count);
		free(values);
	}
	fine = read_facts(run, SQL_NIGHTLY_STATUS_COMPLETE,
	    PARAMS(text_string(&arrays[0]), text_string(&arrays[1]), text_string(&arrays[2])), out, err);
	for (size_t i = 0; i < 3; i++)
		text_release(&arrays[i]);
	return fine;
}

/* In the order of status_facts.def; within a fact as its statement gives them. */
static void
put_in_order(struct status *status)
{
	struct status_fact *ordered = memory_new(status->count, sizeof *ordered);
	size_t count = 0;

	for (size_t kind = 0; kind < status_kind_count; kind++)
		for (size_t i = 0; i < status->count; i++)
			if (status->facts[i].kind == &status_kinds[kind])
				ordered[count++] = status->facts[i];
	must(count == status->count);
	free(status->facts);
	status->facts = ordered;
	status->capacity = count;
}

static bool
read_all(struct run *run, const struct config *config, struct status *out, struct error *err)
{
	const char *now = param_instant(&run->arena, run->now);
	const char *grace = param_number(&run->arena, config_number(config, "night.grace_hours"));

	return db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) && read_complete(run, config, out, err) &&
	    read_facts(run, SQL_NIGHTLY_STATUS_USAGE, NO_PARAMS, out, err) &&
	    read_facts(run, SQL_NIGHTLY_STATUS_WAITING, NO_PARAMS, out, err) &&
	    read_facts(run, SQL_NIGHTLY_STATUS_HELD, NO_PARAMS, out, err) &&
	    read_facts(run, SQL_NIGHTLY_STATUS_BILLING, PARAMS(now, grace), out, err) &&
	    read_facts(run, SQL_NIGHTLY_STATUS_NIGHTS,
		PARAMS(now, config_text(config, "night.at"), config_text(config, "night.zone")), out, err);
}

bool
status_read(struct run *run, const struct config *config, struct status *out, struct error *err)
{
	*out = (struct status){0};
	if (!db_begin(run->db, err))
		return false;
	if (!read_all(run, config, out, err)) {
		db_rollback(run->db);
		status_release(out);
		return false;
	}
	put_in_order(out);
	if (db_commit(run->db, err))
		return true;
	status_release(out);
	return false;
}

void
status_release(struct status *status)
{
	free(status->facts);
	*status = (struct status){0};
}

/* --- for people ------------------------------------------------------------------------------ */

static int64_t
seconds_of(const char *microseconds)
{
	int64_t us = strtoll(microseconds, NULL, 10);

	return us / 1000000 - (us % 1000000 < 0);
}

/* Exact, and never with fewer decimals than the currency has. */
static const char *
amount_value(struct arena *arena, const char *value, const char *code)
{
	const struct currency *currency = currency_find(code);
	struct decimal amount;
	struct error unused = {0};
	char text[DECIMAL_TEXT];
	const char *point;
	int places;

	/* Sums beyond the range of one amount are shown as they come. */
	if (currency == NULL || !decimal_parse(value, strlen(value), &amount, &unused))
		return value;
	point = strchr(decimal_format(amount, text), '.');
	places = point == NULL ? 0 : (int)strlen(point + 1);
	if (places < currency->minor_units)
		places = currency->minor_units;
	decimal_format_places(amount, places, text);
	return arena_copy(arena, text, strlen(text));
}

const char *
status_value(struct arena *arena, const struct status_fact *fact)
{
	char text[INSTANT_TEXT];

	if (fact->value == NULL)
		return NULL;
	switch (fact->kind->kind) {
	case FACT_INSTANT:
		instant_format((struct instant){seconds_of(fact->value) * 1000000}, text);
		return arena_copy(arena, text, strlen(text));
	case FACT_AMOUNT:
		return amount_value(arena, fact->value, fact->label);
	case FACT_TEXT:
	case FACT_COUNT:
	case FACT_SECONDS:
		break;
	}
	return fact->value;
}

/* --- for Prometheus -------------------------------------------------------------------------- */

static void
write_sample(const struct status_fact *fact, const char *name, struct text *out)
{
	const struct metric_label label = {fact->kind->label, fact->label};
	char seconds[DECIMAL_TEXT];

	metric_sample(out, name, &label, label.name[0] != '\0' ? 1 : 0,
	    fact->kind->kind == FACT_INSTANT ? integer_format(seconds_of(fact->value), seconds) : fact->value);
}

static void
write_metric(const struct status *status, const struct status_kind *kind, struct text *out)
{
	struct text name = {0};
	bool begun = false;

	text_add_format(&name, "tollbook_%s", kind->metric);
	for (size_t i = 0; i < status->count; i++) {
		if (status->facts[i].kind != kind || status->facts[i].value == NULL)
			continue;
		if (!begun)
			metric_begin(out, text_string(&name), kind->type, kind->meaning);
		begun = true;
		write_sample(&status->facts[i], text_string(&name), out);
	}
	text_release(&name);
}

bool
status_write_metrics(const struct status *status, const char *path, struct error *err)
{
	struct text out = {0};
	bool fine;

	for (size_t i = 0; i < status_kind_count; i++)
		if (status_kinds[i].metric[0] != '\0')
			write_metric(status, &status_kinds[i], &out);
	fine = file_write(path, out.bytes, out.length, err);
	text_release(&out);
	return fine;
}

bool
status_metrics(struct run *run, const struct config *config, const char *path, struct error *err)
{
	struct status status;
	bool fine;

	if (!status_read(run, config, &status, err))
		return false;
	fine = status_write_metrics(&status, path, err);
	status_release(&status);
	return fine;
}
