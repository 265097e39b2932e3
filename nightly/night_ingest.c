/* night_ingest.c -- the step that takes in new usage; see night.h. */
#include <stdio.h>
#include <string.h>

#include "base/document.h"
#include "ledger/night_unit.h"
#include "nightly/night_sources.h"

/* Of all sources. */
struct taken {
	struct intake_result sum;
	int64_t files, failed;
	struct text failures; /* for people, as far as they are shown */
};

enum { FAILURES_SHOWN = 3 };

/* Where the setting is from: "file tollbook.conf, line 8". */
static const char *
origin_of(const struct config *config, const char *source, const char *setting)
{
	struct config_shown shown;
	char key[300];

	snprintf(key, sizeof key, "source.%s.%s", source, setting);
	for (size_t i = 0; config_at(config, i, &shown); i++)
		if (strcmp(shown.key, key) == 0)
			return shown.origin;
	return "";
}

/* Whatever is wrong with it is wrong in the configuration or in the description, and not on the command line. */
static bool
refuse_format(const struct config *config, const char *source, struct error *err)
{
	err->kind = err->kind == ERROR_USAGE ? ERROR_INPUT : err->kind;
	return error_wrap(err, "source.%s.format, %s", source, origin_of(config, source, "format"));
}

bool
source_profile(const struct config *config, const char *source, struct profile **out, struct error *err)
{
	const char *format = config_named(config, "source", source, "format");

	*out = NULL;
	if (format[0] == '\0')
		return true;
	if (strcmp(config_named(config, "source", source, "kind"), "files") == 0 &&
	    config_named(config, "source", source, "mapping")[0] != '\0') {
		error_set(err, ERROR_INPUT, "source.%s.mapping and source.%s.format exclude each other", source, source);
		return error_hint(err, "A mapping is for CSV, a format for JSON: take one of them out of the configuration.");
	}
	return profile_open(format, NULL, out, err) || refuse_format(config, source, err);
}

static bool
is_files(const struct night *night, const char *source)
{
	return strcmp(config_named(night->config, "source", source, "kind"), "files") == 0;
}

static void
add_sum(struct intake_result *sum, const struct intake_result *more)
{
	struct batch_counts *counts = &sum->counts;

	counts->records += more->counts.records;
	counts->accepted += more->counts.accepted;
	counts->duplicates += more->counts.duplicates;
	counts->restamped += more->counts.restamped;
	counts->ignored += more->counts.ignored;
	counts->quarantined += more->counts.quarantined;
	counts->rejected += more->counts.rejected;
	counts->set_aside_before += more->counts.set_aside_before;
	sum->batches += more->batches;
	for (int reason = 0; reason < REASON_LIMIT; reason++)
		sum->reasons[reason] += more->reasons[reason];
}

/* What will be taken is pinned for all sources before any of them is read. */
static bool
take_sources(struct night *night, struct taken *taken, struct error *err)
{
	struct ledger_memory *memory;
	bool fine = true;

	if (!night_files_plan(night, err) || !night_kafka_plan(night, err))
		return false;
	memory = ledger_memory_new(config_number(night->config, "register.filter_mib"));
	for (size_t i = 0; fine && i < config_names(night->config, "source"); i++) {
		const char *source = config_name(night->config, "source", i);
		struct intake_result sum = {0};

		fine = (is_files(night, source) ? night_files : night_kafka)(night, source, memory, &sum, err) ||
		    error_wrap(err, "source %s", source);
		add_sum(&taken->sum, &sum);
	}
	ledger_memory_free(memory);
	return fine;
}

/* --- files, and units that were not taken to their end ---------------------------------------------- */

static bool
is_file(const struct night *night, const char *unit)
{
	for (size_t i = 0; i < config_names(night->config, "source"); i++) {
		const char *source = config_name(night->config, "source", i);
		size_t length = strlen(source);

		if (strncmp(unit, source, length) == 0 && unit[length] == ' ')
			return is_files(night, source);
	}
	return false;
}

static bool
look_at_unit(const char *unit, const char *result, struct taken *taken, struct error *err)
{
	json_t *root = document_parse(result, strlen(result), "the result of a unit of the nightly job", err);
	const char *error;

	if (root == NULL)
		return false;
	error = json_string_value(json_object_get(root, "error"));
	if (error != NULL && taken->failed++ < FAILURES_SHOWN)
		text_add_format(&taken->failures, "%s%s: %s", taken->failures.length > 0 ? "; " : "", unit, error);
	json_decref(root);
	return true;
}

static bool
look_at_units(struct night *night, struct taken *taken, struct error *err)
{
	struct rows units;
	bool fine = true;

	if (!night_units(night->run, "ingest", &units, err))
		return false;
	for (int i = 0; fine && i < units.count; i++) {
		const char *unit = row_text(&units, i, NIGHT_UNIT_NAME);

		if (!row_bool(&units, i, NIGHT_UNIT_IS_DONE))
			continue;
		taken->files += is_file(night, unit);
		fine = look_at_unit(unit, row_text(&units, i, NIGHT_UNIT_RESULT), taken, err);
	}
	rows_release(&units);
	return fine;
}

/* --- what is told ------------------------------------------------------------------------------------ */

static void
tell_count(struct text *out, int64_t count, const char *what, const char **before)
{
	if (count == 0)
		return;
	text_add_format(out, "%s%lld %s", *before, (long long)count, what);
	*before = ", ";
}

static void
tell_line(struct taken *taken, struct text *out)
{
	const struct batch_counts *counts = &taken->sum.counts;
	const char *before = ": ";

	if (taken->files > 0)
		text_add_format(out, "%lld file%s, ", (long long)taken->files, taken->files == 1 ? "" : "s");
	text_add_format(out, "%lld record%s", (long long)counts->records, counts->records == 1 ? "" : "s");
	tell_count(out, counts->accepted, "accepted", &before);
	tell_count(out, counts->duplicates, "duplicates", &before);
	tell_count(out, counts->ignored, "ignored", &before);
	tell_count(out, counts->quarantined, "quarantined", &before);
	tell_count(out, counts->rejected, "rejected", &before);
	if (taken->failed > 0)
		text_add_format(out, "; %lld not read to the end: %s%s", (long long)taken->failed, text_string(&taken->failures),
		    taken->failed > FAILURES_SHOWN ? "; ..." : "");
}

bool
night_ingest(struct night *night, struct night_told *told, struct error *err)
{
	struct taken taken = {0};
	bool fine = take_sources(night, &taken, err) && look_at_units(night, &taken, err);

	if (fine) {
		if (config_names(night->config, "source") > 0)
			tell_line(&taken, &told->line);
		else
			text_add_string(&told->line, "no source is configured");
		text_add_format(
		    &told->json, "\"files\":%lld,\"not_read_to_the_end\":%lld,", (long long)taken.files, (long long)taken.failed);
		intake_json(&taken.sum, &told->json);
		told->findings = taken.failed > 0 || taken.sum.counts.quarantined + taken.sum.counts.rejected > 0;
	}
	text_release(&taken.failures);
	return fine;
}
