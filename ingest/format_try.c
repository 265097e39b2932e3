/* format_try.c -- see format_try.h. */
#include "ingest/format_try.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ingest/format_event.h"
#include "ingest/reader.h"

enum { SHOWN_IN_TABLE = 10 };

static const char *const outcome_names[OUTCOMES] = {[OUTCOME_ACCEPTED] = "accepted",
    [OUTCOME_DUPLICATE] = "duplicate",
    [OUTCOME_IGNORED] = "ignored",
    [OUTCOME_QUARANTINED] = "quarantined",
    [OUTCOME_REJECTED] = "rejected"};

struct trying {
	struct run *run;
	const struct profile *profile;
	const struct try_options *options;
	struct event_rules rules;
	struct arena arena;    /* as long as the events of a line */
	struct record *events; /* of the line at hand */
	size_t event_count, room;
	uint64_t records, shown; /* lines */
	int64_t outcomes[OUTCOMES];
	struct text out;
};

/* Records that came of the same bytes, and how each came to be. */
struct group {
	const struct record *records;
	size_t count;
	const struct profile_explanation *explanations; /* as many, or NULL */
};

static const struct column reason_columns[] = {
    {"name", "name", COLUMN_TEXT},
    {"value", "value", COLUMN_TEXT},
    {"from", "from", COLUMN_TEXT},
    {0},
};

static const struct column csv_columns[] = {
    {"record", "record", COLUMN_NUMBER},
    {"outcome", "outcome", COLUMN_TEXT},
    {"code", "code", COLUMN_TEXT},
    {"name", "name", COLUMN_TEXT},
    {"value", "value", COLUMN_TEXT},
    {"from", "from", COLUMN_TEXT},
    {0},
};

static void show_line(struct trying *trying);
static void show_group(struct trying *trying, const struct group *group);

static bool
is_flag(const struct profile_reason *reason)
{
	return strcmp(reason->name, "flag") == 0;
}

/* Takes a record in; what it points to is in the arena. */
static void
take(struct trying *trying, const struct record *record)
{
	trying->events = memory_grow(trying->events, &trying->room, trying->event_count + 1, sizeof *trying->events);
	trying->events[trying->event_count++] = *record;
	trying->outcomes[reason_outcome(record->reason)]++;
}

static bool
is_wanted(const struct trying *trying, uint64_t number)
{
	if (trying->options->record != 0)
		return trying->options->record == number;
	return trying->run->format != FORMAT_TABLE || trying->options->all || trying->shown < SHOWN_IN_TABLE;
}

static void
end_line(struct trying *trying)
{
	uint64_t number = trying->events[0].number;

	trying->records++;
	if (is_wanted(trying, number)) {
		trying->shown++;
		show_line(trying);
	} else if (trying->options->record != 0) {
		/* What is not asked for sets nothing aside. */
		for (size_t i = 0; i < trying->event_count; i++)
			trying->outcomes[reason_outcome(trying->events[i].reason)]--;
	}
	trying->event_count = 0;
	arena_reset(&trying->arena);
}

static bool
read_all(struct trying *trying, struct reader *reader, struct error *err)
{
	for (;;) {
		struct record record;
		bool end;

		if (!reader_next(reader, &trying->arena, &record, &end, err))
			return false;
		if (end)
			return true;
		take(trying, &record);
		if (!reader_pending(reader))
			end_line(trying);
	}
}

/* ", 3 events" where records have several. */
static const char *
several_events(struct trying *trying)
{
	uint64_t records = trying->options->record == 0 ? trying->records : 1, events = 0;

	for (int outcome = 0; outcome < OUTCOMES; outcome++)
		events += (uint64_t)trying->outcomes[outcome];
	return events == records ? "" : arena_format(&trying->run->arena, ", %llu events", (unsigned long long)events);
}

static void
tell_end(struct trying *trying)
{
	struct run *run = trying->run;

	say(run, "%s%llu record%s%s: %lld accepted, %lld ignored, %lld quarantined, %lld rejected",
	    trying->options->record == 0 ? "" : "1 of ", (unsigned long long)trying->records, trying->records == 1 ? "" : "s",
	    several_events(trying), (long long)trying->outcomes[OUTCOME_ACCEPTED], (long long)trying->outcomes[OUTCOME_IGNORED],
	    (long long)trying->outcomes[OUTCOME_QUARANTINED], (long long)trying->outcomes[OUTCOME_REJECTED]);
	if (trying->options->record == 0 && trying->shown < trying->records)
		say(run, "%llu of them are shown: --all shows the others, --record N one of them",
		    (unsigned long long)trying->shown);
	if (trying->outcomes[OUTCOME_QUARANTINED] + trying->outcomes[OUTCOME_REJECTED] > 0)
		run->finding = ERROR_FINDINGS;
}

static bool
check_shown(const struct trying *trying, const char *path, struct error *err)
{
	if (trying->options->record == 0 || trying->shown > 0)
		return true;
	error_set(err, ERROR_USAGE, "there is no record %llu", (unsigned long long)trying->options->record);
	error_at(err, path, 0);
	return error_hint(
	    err, "The input has %llu record%s.", (unsigned long long)trying->records, trying->records == 1 ? "" : "s");
}

bool
format_try(struct run *run, const struct profile *profile, const char *path, const struct try_options *options, struct error *err)
{
	struct trying trying = {.run = run, .profile = profile, .options = options, .rules = event_rules_default(run->now)};
	struct reader_options reading = {.profile = profile, .rules = trying.rules};
	struct reader *reader;
	bool fine;

	if (!reader_open(path, &reading, &reader, err))
		return false;
	if (run->format == FORMAT_CSV)
		fputs("record,outcome,code,name,value,from\n", stdout);
	fine = read_all(&trying, reader, err) && check_shown(&trying, path, err);
	reader_close(reader);
	if (fine)
		tell_end(&trying);
	arena_release(&trying.arena);
	text_release(&trying.out);
	free(trying.events);
	return fine;
}

/* Reads the group's bytes again, since a reader does not keep what explains them. */
static void
explain(struct trying *trying, struct group *group)
{
	const struct record *first = &group->records[0];
	struct profile_events again;

	group->explanations = NULL;
	if (first->raw.length != first->raw_length || first->reason == E_LINE_TOO_LONG)
		return;
	profile_parse(trying->profile, &trying->rules, NULL, first->raw, true, &trying->arena, &again);
	if (again.count == group->count)
		group->explanations = again.explanations;
}

static void
show_line(struct trying *trying)
{
	for (size_t i = 0; i < trying->event_count;) {
		struct group group = {.records = &trying->events[i], .count = 1};

		while (
		    i + group.count < trying->event_count && trying->events[i + group.count].raw.at == trying->events[i].raw.at)
			group.count++;
		explain(trying, &group);
		show_group(trying, &group);
		i += group.count;
	}
}

/* --- for people ------------------------------------------------------------------------------- */

static void
add_row(struct table *table, const struct profile_reason *reason, struct arena *arena)
{
	table_row(table);
	table_cell(table, reason->name);
	table_cell(table, arena_copy(arena, reason->value.at, reason->value.length));
	table_cell(table, reason->from);
}

static void
add_plain_row(struct table *table, const char *name, const char *value)
{
	table_row(table);
	table_cell(table, name);
	table_cell(table, value);
	table_cell(table, "the event itself");
}

/* Of a canonical event, which says what it is. */
static void
add_event(struct table *table, const struct usage_event *event, struct arena *arena)
{
	static const char *const names[SERIES_FIELDS] = {
#define SERIES_FIELD(name, column) #column,
#include "ledger/series_fields.def"
#undef SERIES_FIELD
	};
	char time[INSTANT_TEXT], shown[DECIMAL_TEXT];

	add_plain_row(table, "id", arena_copy(arena, event->id.at, event->id.length));
	add_plain_row(table, "source", arena_copy(arena, event->source.at, event->source.length));
	add_plain_row(table, "time", instant_format(event->time, time));
	for (int i = 0; i < SERIES_FIELDS; i++)
		if (event->series[i].length > 0)
			add_plain_row(table, names[i], arena_copy(arena, event->series[i].at, event->series[i].length));
	for (size_t i = 0; i < event->quantity_count; i++) {
		const struct meter *meter = meter_of(event->quantities[i].meter);

		add_plain_row(table, meter->name, meter_format(meter, event->quantities[i].quantity, shown));
	}
}

static void
print_reasons(struct trying *trying, const struct record *record, const struct profile_explanation *explanation)
{
	struct table *table = table_new(reason_columns);
	size_t rows = 0;

	for (size_t i = 0; explanation != NULL && i < explanation->count; i++)
		if (!is_flag(&explanation->items[i])) {
			add_row(table, &explanation->items[i], &trying->arena);
			rows++;
		}
	if (rows == 0 && record->reason == REASON_NONE) {
		add_event(table, &record->event, &trying->arena);
		rows++;
	}
	if (rows > 0)
		table_print(table, trying->run, "");
	table_free(table);
}

static void
print_flags(unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *name, *meaning;
	} names[] = {
#define FLAG(bit, name, meaning) {1U << (bit), #name, meaning},
#include "ledger/flags.def"
#undef FLAG
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if ((flags & names[i].flag) != 0)
			printf("%s: %s\n", names[i].name, names[i].meaning);
}

static void
print_record(struct trying *trying, const struct record *record, const struct profile_explanation *explanation)
{
	enum outcome outcome = reason_outcome(record->reason);

	printf("record %llu: %s", (unsigned long long)record->number, outcome_names[outcome]);
	if (record->reason != REASON_NONE) {
		text_clear(&trying->out);
		text_add_printable(&trying->out, arena_copy(&trying->arena, record->value.at, record->value.length));
		printf(", %s: %s", reason_code(record->reason), reason_meaning(record->reason));
		if (record->field[0] != '\0')
			printf("\nat %s", record->field);
		if (trying->out.length > 0)
			printf("%s%s", record->field[0] == '\0' ? "\n" : ": ", text_string(&trying->out));
	}
	putchar('\n');
	print_reasons(trying, record, explanation);
	if (record->reason == REASON_NONE)
		print_flags(record->event.flags);
	putchar('\n');
}

/* --- for programs ------------------------------------------------------------------------------ */

static void
print_csv(struct trying *trying, const struct record *record, const struct profile_explanation *explanation)
{
	const char *outcome = outcome_names[reason_outcome(record->reason)];
	const char *number = arena_format(&trying->arena, "%llu", (unsigned long long)record->number);
	bool is_explained = explanation != NULL && explanation->count > 0;

	for (size_t i = 0; i < (is_explained ? explanation->count : 1); i++) {
		const struct profile_reason *item = is_explained ? &explanation->items[i] : NULL;
		const char *cells[] = {number, outcome, reason_code(record->reason), item == NULL ? record->field : item->name,
		    item == NULL ? arena_copy(&trying->arena, record->value.at, record->value.length)
				 : arena_copy(&trying->arena, item->value.at, item->value.length),
		    item == NULL ? "" : item->from};

		text_clear(&trying->out);
		for (size_t cell = 0; cell < sizeof cells / sizeof cells[0]; cell++) {
			text_add_string(&trying->out, cell == 0 ? "" : ",");
			text_add_csv_cell(&trying->out, &csv_columns[cell], cells[cell]);
		}
		puts(text_string(&trying->out));
	}
}

static void
add_json_text(struct trying *trying, const char *name, const char *value)
{
	text_add_format(&trying->out, ",\"%s\":", name);
	text_add_json(&trying->out, value);
}

static void
add_json_flags(struct trying *trying, unsigned flags)
{
	char names[512];

	text_add_string(&trying->out, ",\"flags\":[");
	flags_format(flags, names, sizeof names);
	for (char *name = names; *name != '\0';) {
		size_t length = strcspn(name, ",");

		text_add_format(&trying->out, "%s\"%.*s\"", name == names ? "" : ",", (int)length, name);
		name += length + (name[length] == ',');
	}
	text_add_string(&trying->out, "]");
}

static void
print_json(struct trying *trying, const struct group *group)
{
	const struct record *first = &group->records[0];
	bool is_accepted = first->reason == REASON_NONE;
	unsigned flags = 0;

	for (size_t i = 0; is_accepted && i < group->count; i++)
		flags |= group->records[i].event.flags;
	text_clear(&trying->out);
	text_add_format(&trying->out, "{\"record\":%llu", (unsigned long long)first->number);
	add_json_text(trying, "outcome", outcome_names[reason_outcome(first->reason)]);
	add_json_text(trying, "code", reason_code(first->reason));
	add_json_text(trying, "field", first->field);
	add_json_text(trying, "value", arena_copy(&trying->arena, first->value.at, first->value.length));
	add_json_flags(trying, flags);
	text_add_string(&trying->out, ",\"events\":[");
	for (size_t i = 0; is_accepted && i < group->count; i++) {
		text_add_string(&trying->out, i == 0 ? "" : ",");
		format_event(&group->records[i], group->explanations == NULL ? NULL : &group->explanations[i], &trying->arena,
		    &trying->out);
	}
	text_add_string(&trying->out, "]}");
	puts(text_string(&trying->out));
}

static void
show_group(struct trying *trying, const struct group *group)
{
	if (trying->run->format == FORMAT_JSON) {
		print_json(trying, group);
		return;
	}
	for (size_t i = 0; i < group->count; i++) {
		const struct profile_explanation *explanation = group->explanations == NULL ? NULL : &group->explanations[i];

		if (trying->run->format == FORMAT_CSV)
			print_csv(trying, &group->records[i], explanation);
		else
			print_record(trying, &group->records[i], explanation);
	}
}
