/*
 * stages.c -- what each stage costs, alone and on one core, without a database:
 * `stages EVENTS PAYLOADS FOLDER [ROUNDS]` with a file of canonical events, none of them twice, and one of records of openai.chat.
 *
 * With ROUNDS each stage is run as often, and its median is printed: "name<TAB>unit<TAB>nanoseconds of CPU<TAB>what it is".  Without,
 * each stage is run once, for callgrind, and what is printed is "name<TAB>unit<TAB>units<TAB>what it is".
 */
#include "tests/bench/stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

static const struct stage {
	const char *name, *unit, *sentence;
	int64_t (*run)(struct stages *stages);
} list[] = {
#define STAGE(name, unit, sentence) {#name, #unit, sentence, stage_##name},
#include "tests/bench/stages.def"
#undef STAGE
};

void
stages_must(bool fine, const struct error *err)
{
	if (fine)
		return;
	error_print(stderr, err);
	exit(1);
}

static void
read_file(const char *path, struct text *out)
{
	FILE *file = fopen(path, "rb");
	char part[1 << 16];

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
		text_add(out, part, got);
	must(ferror(file) == 0 && fclose(file) == 0);
}

static struct bytes *
cut_lines(const struct text *text, size_t *count)
{
	const char *at = text->bytes, *end = at + text->length;
	struct bytes *lines = NULL;
	size_t room = 0;

	*count = 0;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline == NULL ? end : newline;

		lines = memory_grow(lines, &room, *count + 1, sizeof *lines);
		lines[(*count)++] = (struct bytes){at, (size_t)(stop - at)};
		at = stop + (newline != NULL);
	}
	return lines;
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

static void
measure(struct stages *stages, const struct stage *stage, int rounds)
{
	int64_t took[ROUNDS_MAX], units = 1;

	for (int round = 0; round < rounds; round++) {
		int64_t from = nanoseconds();

		units = stage->run(stages);
		took[round] = nanoseconds() - from;
	}
	qsort(took, (size_t)rounds, sizeof took[0], compare);
	printf("%s\t%s\t%lld\t%s\n", stage->name, stage->unit, (long long)(took[rounds / 2] / units), stage->sentence);
}

static void
run_all(struct stages *stages, int rounds)
{
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (rounds > 0)
			measure(stages, &list[i], rounds);
		else
			printf(
			    "%s\t%s\t%lld\t%s\n", list[i].name, list[i].unit, (long long)list[i].run(stages), list[i].sentence);
	}
}

int
main(int count, char **arguments)
{
	static struct stages stages;
	struct error err = {0};
	int rounds = count > 4 ? (int)strtol(arguments[4], NULL, 10) : 0;

	if (count < 4 || rounds < 0 || rounds > ROUNDS_MAX) {
		fputs("usage: stages EVENTS PAYLOADS FOLDER [ROUNDS]\n", stderr);
		return 2;
	}
	read_file(arguments[1], &stages.file);
	read_file(arguments[2], &stages.payloads);
	stages.folder = arguments[3];
	stages.lines = cut_lines(&stages.file, &stages.line_count);
	stages.payload_lines = cut_lines(&stages.payloads, &stages.payload_count);
	/* Everything is of October and November 2026. */
	stages.rules = event_rules_default((struct instant){INT64_C(1796083200000000)});
	stages_must(profile_open("openai.chat", NULL, &stages.profile, &err), &err);
	stages_ledger_open(&stages);
	stages_money_open(&stages);
	stages_count = rounds == 0;
	run_all(&stages, rounds);
	stages_money_release(&stages);
	stages_ledger_release(&stages);
	profile_free(stages.profile);
	arena_release(&stages.arena);
	text_release(&stages.file);
	text_release(&stages.payloads);
	free(stages.lines);
	free(stages.payload_lines);
	return 0;
}
