/*
 * parse_formats.c -- how fast records of a usage format are parsed, on one core, with nothing around it:
 * `parse_formats FORMAT FILE RECORDS [WISH]...` reads the lines of FILE again and again until RECORDS were parsed, five times, and
 * prints the median as "events_per_second nanoseconds_per_record bytes_per_record events_per_record".
 *
 * FORMAT "canonical" is tollbook's own event.  A WISH is what --constant says, "tenant=acct".  A record that is not accepted ends it: what
 * is refused is faster.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ingest/profile.h"

enum { ROUNDS = 5, LINES_MOST = 1 << 20 };

struct bench {
	struct profile *profile; /* NULL: canonical */
	struct event_rules rules;
	struct arena arena;
	struct text file;
	struct bytes *lines;
	size_t line_count;
	uint64_t events; /* of a round */
};

static int
fail(const struct error *err)
{
	error_print(stderr, err);
	return 1;
}

static void
cut_lines(struct bench *bench)
{
	const char *at = bench->file.bytes, *end = at + bench->file.length;

	bench->lines = memory_new(LINES_MOST, sizeof *bench->lines);
	while (at < end && bench->line_count < LINES_MOST) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline == NULL ? end : newline;

		bench->lines[bench->line_count++] = (struct bytes){at, (size_t)(stop - at)};
		at = stop + (newline != NULL);
	}
}

static bool
parse(struct bench *bench, struct bytes line)
{
	struct record one;
	struct profile_events events = {.records = &one, .count = 1};

	if (bench->profile == NULL)
		event_parse(&bench->rules, line.at, line.length, &bench->arena, &one);
	else
		profile_parse(bench->profile, &bench->rules, NULL, line, false, &bench->arena, &events);
	for (size_t i = 0; i < events.count; i++) {
		const struct record *record = &events.records[i];

		if (record->reason == REASON_NONE)
			continue;
		fprintf(stderr, "a record is not accepted: %s at %s: %.*s\n%.*s\n", reason_code(record->reason), record->field,
		    (int)record->value.length, record->value.at == NULL ? "" : record->value.at, (int)line.length, line.at);
		return false;
	}
	bench->events += events.count;
	arena_reset(&bench->arena);
	return true;
}

static int64_t
nanoseconds(void)
{
	struct timespec now;

	must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int
compare(const void *one, const void *other)
{
	const int64_t *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

static int
measure(struct bench *bench, uint64_t records)
{
	int64_t took[ROUNDS], median;

	for (int round = 0; round < ROUNDS; round++) {
		int64_t from = nanoseconds();

		bench->events = 0;
		for (uint64_t i = 0; i < records; i++)
			if (!parse(bench, bench->lines[i % bench->line_count]))
				return 1;
		took[round] = nanoseconds() - from;
	}
	qsort(took, ROUNDS, sizeof took[0], compare);
	median = took[ROUNDS / 2];
	printf("%lld %lld %zu %llu\n", (long long)((i128)bench->events * 1000000000 / median),
	    (long long)(median / (int64_t)records), bench->file.length / bench->line_count - 1,
	    (unsigned long long)(bench->events / records));
	return 0;
}

/* Files of a million records are larger than a document may be. */
static bool
read_file(const char *path, struct text *out)
{
	FILE *file = fopen(path, "rb");
	char part[1 << 16];
	size_t got;
	bool fine;

	if (file == NULL) {
		perror(path);
		return false;
	}
	while ((got = fread(part, 1, sizeof part, file)) > 0)
		text_add(out, part, got);
	fine = ferror(file) == 0;
	return fclose(file) == 0 && fine;
}

int
main(int count, char **arguments)
{
	static struct bench bench;
	struct error err = {0};
	struct profile_wishes wishes = {0};
	uint64_t records;
	int code;

	if (count < 4) {
		fputs("usage: parse_formats FORMAT|canonical FILE RECORDS [NAME=TEXT]...\n", stderr);
		return 2;
	}
	records = strtoull(arguments[3], NULL, 10);
	wishes.constants = (const char *const *)(void *)(arguments + 4);
	wishes.constant_count = (size_t)count - 4;
	if (strcmp(arguments[1], "canonical") != 0 && !profile_open(arguments[1], &wishes, &bench.profile, &err))
		return fail(&err);
	if (!read_file(arguments[2], &bench.file))
		return 1;
	cut_lines(&bench);
	if (bench.line_count == 0 || records == 0) {
		fputs("nothing to measure\n", stderr);
		return 2;
	}
	/* All of the records are of November 2026. */
	bench.rules = event_rules_default((struct instant){INT64_C(1796083200000000)});
	bench.rules.position_id = "bench";
	code = measure(&bench, records);
	arena_release(&bench.arena);
	text_release(&bench.file);
	free(bench.lines);
	if (bench.profile != NULL)
		profile_free(bench.profile);
	return code;
}
