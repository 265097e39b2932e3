/* format_guess.c -- see format_guess.h. */
#include "ingest/format_guess.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "ingest/format_marks.h"
#include "ingest/reader.h"

enum { RECORDS_LOOKED_AT = 200, BYTES_LOOKED_AT = 1 << 20, SHOWN = 12 };

const struct column guess_columns[] = {
    {"format", "format", COLUMN_TEXT},
    {"accepted", "accepted", COLUMN_NUMBER},
    {"set_aside", "set aside", COLUMN_NUMBER},
    {"ignored", "ignored", COLUMN_NUMBER},
    {"counts", "counts", COLUMN_NUMBER},
    {"unknown", "unknown", COLUMN_NUMBER},
    {"reads_as", "reads as", COLUMN_TEXT},
    {"marks", "marks", COLUMN_TEXT},
    {0},
};

/* What speaks for a format and against it. */
struct evidence {
	const char *name; /* or NULL: read without a format */
	int64_t accepted, ignored, set_aside;
	int64_t counts;                    /* meters of accepted records, beside requests */
	int64_t unknown;                   /* accepted records with counts under unknown names */
	uint64_t marks;                    /* of its own that were seen, by bit */
	unsigned char meters[DIGEST_SIZE]; /* of what was counted, to see which formats count the same */
	char reading;                      /* 'A' ...: those with the same letter count the same */
};

struct guessing {
	struct run *run;
	const char *path;
	struct evidence *evidence; /* of each format */
	size_t count;
};

static void
add_counts(struct evidence *evidence, const struct usage_event *event, struct digest *digest)
{
	for (size_t i = 0; i < event->quantity_count; i++) {
		const struct metered *metered = &event->quantities[i];

		digest_bytes(digest, &metered->meter, sizeof metered->meter);
		digest_bytes(digest, &metered->quantity, sizeof metered->quantity);
		evidence->counts += metered->meter != METER_requests;
	}
	evidence->unknown += (event->flags & F_UNKNOWN_FIELD) != 0;
}

static void
weigh(struct evidence *evidence, const struct record *record, struct digest *digest)
{
	switch (reason_outcome(record->reason)) {
	case OUTCOME_ACCEPTED:
		evidence->accepted++;
		add_counts(evidence, &record->event, digest);
		break;
	case OUTCOME_IGNORED:
		evidence->ignored++;
		break;
	case OUTCOME_QUARANTINED:
	case OUTCOME_REJECTED:
	case OUTCOME_DUPLICATE:
	case OUTCOMES:
		evidence->set_aside++;
		break;
	}
	digest_bytes(digest, &record->reason, sizeof record->reason);
}

static bool
read_records(struct reader *reader, struct evidence *evidence, struct digest *digest, struct error *err)
{
	struct arena arena = {0};
	uint64_t lines = 0, bytes = 0;
	bool fine = true, end = false;

	while (fine && !end && lines < RECORDS_LOOKED_AT && bytes < BYTES_LOOKED_AT) {
		struct record record;

		fine = reader_next(reader, &arena, &record, &end, err);
		if (!fine || end)
			break;
		weigh(evidence, &record, digest);
		if (evidence->name != NULL)
			format_marks_find(evidence->name, record.raw, &arena, &evidence->marks);
		if (reader_pending(reader))
			continue;
		lines++;
		bytes = reader_position(reader);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return fine;
}

/* Fields that a bare record often lacks, and that say nothing of its format.  Old records are as good as new ones. */
static bool
open_profile(const struct guessing *guessing, const char *name, struct profile **out, struct error *err)
{
	char now[INSTANT_TEXT];
	const char *time = arena_format(&guessing->run->arena, "time=%s", instant_format(guessing->run->now, now));
	const char *const constants[] = {"source=/guess", "tenant=guess", time};
	const struct profile_wishes wishes = {.constants = constants, .constant_count = sizeof constants / sizeof constants[0]};

	return profile_open(name, &wishes, out, err);
}

/* `profile` NULL: as tollbook's own events and the short form. */
static bool
read_as(const struct guessing *guessing, const struct profile *profile, struct evidence *evidence, struct error *err)
{
	struct reader_options options = {
	    .profile = profile, .rules = event_rules_default(guessing->run->now), .key_from_position = profile != NULL};
	struct reader *reader;
	struct digest *digest;
	bool fine;

	options.rules.late_days = 100000;
	if (!reader_open(guessing->path, &options, &reader, err))
		return false;
	digest = digest_new();
	digest_begin(digest);
	fine = read_records(reader, evidence, digest, err);
	digest_end(digest, evidence->meters);
	digest_free(digest);
	reader_close(reader);
	return fine;
}

static bool
try_format(const struct guessing *guessing, struct evidence *evidence, struct error *err)
{
	struct profile *profile;
	bool fine;

	if (!open_profile(guessing, evidence->name, &profile, err))
		return error_wrap(err, "%s", evidence->name);
	fine = read_as(guessing, profile, evidence, err);
	profile_free(profile);
	return fine;
}

static bool
fits(const struct evidence *evidence)
{
	return evidence->accepted > 0 && evidence->counts > 0;
}

static int64_t
mark_count(const struct evidence *evidence)
{
	return __builtin_popcountll(evidence->marks);
}

/* What only this format has comes first, then records that are read: a format that checks less reads more of them. */
static int
compare(const void *one, const void *other)
{
	const struct evidence *a = one, *b = other;
	const int64_t keys[][2] = {{mark_count(b), mark_count(a)}, {b->accepted, a->accepted}, {a->unknown, b->unknown},
	    {a->set_aside, b->set_aside}, {b->counts, a->counts}};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Letters for the ways in which the records can be counted; all but the first 26 are '?'. */
static size_t
set_readings(struct evidence *evidence, size_t count)
{
	size_t readings = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i && evidence[i].reading == '\0'; j++)
			if (memcmp(evidence[j].meters, evidence[i].meters, DIGEST_SIZE) == 0)
				evidence[i].reading = evidence[j].reading;
		if (evidence[i].reading == '\0') {
			evidence[i].reading = readings < 26 ? (char)('A' + readings) : '?';
			readings++;
		}
	}
	return readings;
}

static void
add_rows(struct table *table, const struct evidence *evidence, size_t count)
{
	struct text marks = {0};

	for (size_t i = 0; i < count; i++) {
		const struct evidence *row = &evidence[i];
		bool is_own = row->name == NULL;
		const int64_t numbers[] = {row->accepted, row->set_aside, row->ignored, row->counts, row->unknown};

		table_row(table);
		table_cell(table, is_own ? "-" : row->name);
		for (size_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
			table_cell_format(table, "%lld", (long long)numbers[j]);
		table_cell_format(table, "%c", row->reading);
		text_clear(&marks);
		if (is_own)
			text_add_string(&marks, "tollbook's own events or the short form: ingest them without --format");
		else
			format_marks_show(row->name, row->marks, &marks);
		table_cell(table, text_string(&marks));
	}
	text_release(&marks);
}

static void
tell(struct run *run, size_t fitting, size_t readings, size_t shown)
{
	if (fitting > shown)
		say(run, "%zu more format%s some of the records, with less to speak for %s", fitting - shown,
		    fitting - shown == 1 ? " reads" : "s read", fitting - shown == 1 ? "it" : "them");
	if (fitting > 1)
		say(run,
		    "%zu formats read these records, in %zu way%s (same letter: same counts).  Formats with the same keys and "
		    "other "
		    "meanings cannot be told apart by looking: who sent the records decides.",
		    fitting, readings, readings == 1 ? "" : "s");
	if (fitting > 0)
		say(run, "Look at one of them: tollbook formats try NAME FILE");
}

static bool
weigh_all(struct guessing *guessing, struct error *err)
{
	for (size_t i = 0; i < profile_source_count; i++) {
		struct evidence *evidence = &guessing->evidence[i];

		evidence->name = profile_sources[i].name;
		guessing->count++;
		if (!try_format(guessing, evidence, err))
			return false;
	}
	return true;
}

static bool
check_path(const char *path, struct error *err)
{
	if (strcmp(path, "-") != 0)
		return true;
	error_set(err, ERROR_USAGE, "standard input cannot be guessed at");
	return error_hint(err, "Each format reads the file from its beginning: give the file itself.");
}

/* Those that fit come to the front, the best first; their number. */
static size_t
sort_fitting(struct guessing *guessing)
{
	size_t fitting = 0;

	for (size_t i = 0; i < guessing->count; i++)
		if (fits(&guessing->evidence[i]))
			guessing->evidence[fitting++] = guessing->evidence[i];
	qsort(guessing->evidence, fitting, sizeof *guessing->evidence, compare);
	return fitting;
}

static void
tell_nothing(struct run *run, bool is_blank)
{
	run->finding = ERROR_NOTHING;
	if (is_blank)
		say(run, "the file has no records");
	else
		say(run,
		    "what none of them reads can be described in a file of your own: docs/formats.md, \"How to add a format\"");
}

bool
format_guess(struct run *run, const char *path, struct table *table, struct error *err)
{
	struct guessing guessing = {run, path, memory_new(profile_source_count, sizeof *guessing.evidence), 0};
	struct evidence own = {.reading = '-'};
	size_t fitting, shown;
	bool fine = check_path(path, err) && read_as(&guessing, NULL, &own, err);
	bool all_own = fine && own.accepted > 0 && own.set_aside == 0;

	if (fine && own.accepted > 0)
		add_rows(table, &own, 1);
	/* What is tollbook's own is so in each format. */
	fine = fine && (all_own || weigh_all(&guessing, err));
	if (fine && !all_own) {
		fitting = sort_fitting(&guessing);
		shown = fitting < SHOWN ? fitting : SHOWN;
		tell(run, fitting, set_readings(guessing.evidence, fitting), shown);
		add_rows(table, guessing.evidence, shown);
		if (fitting == 0 && own.accepted == 0)
			tell_nothing(run, own.set_aside + own.ignored == 0);
	}
	free(guessing.evidence);
	return fine;
}
