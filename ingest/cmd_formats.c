/* cmd_formats.c -- `tollbook formats list|show|try|guess`: what usage formats there are, and what records become under one. */
#include <stdio.h>

#include "ingest/format_guess.h"
#include "ingest/format_option.h"
#include "ingest/format_show.h"
#include "ingest/format_try.h"

static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool try(struct run *run, struct error *err);
static bool guess(struct run *run, struct error *err);

const struct command cmd_formats_list = {
    .name = "formats list",
    .summary = "the usage formats that ingest can read: what their totals include, what identifies a record",
    .operands = "",
    .prints_rows = true,
    .example = "  tollbook formats list",
    .run = list,
};

static const struct option_spec show_options[] = {
    {"json", NULL, "print it as a description of one's own could be written, with all that it extends merged in", 0},
    {0},
};

const struct command cmd_formats_show = {
    .name = "formats show",
    .summary = "one usage format: its paths, what is inside what, what is no safe id, its traps",
    .operands = "NAME|FILE",
    .operands_min = 1,
    .operands_max = 1,
    .options = show_options,
    .example = "  tollbook formats show vllm.chat\n"
	       "  tollbook formats show vllm.chat --json >own.json",
    .run = show,
};

static const struct option_spec try_options[] = {
    WISH_OPTIONS,
    {"record", "N", "only this record, counted from 1", 0},
    {"all", NULL, "all records; a table shows the first ten without it", 0},
    {0},
};

const struct command cmd_formats_try = {
    .name = "formats try",
    .summary = "what records become under a usage format, field by field; nothing is stored",
    .operands = "NAME|FILE INPUT|-",
    .operands_min = 2,
    .operands_max = 2,
    .options = try_options,
    .prints_rows = true,
    .example = "  tollbook formats try vllm.chat answers.ndjson --constant tenant=acct_1\n"
	       "  tollbook formats try anthropic.messages captured.sse --record 1 --json",
    .run = try,
};

const struct command cmd_formats_guess = {
    .name = "formats guess",
    .summary = "which usage formats a file might be in, and what speaks for each; nothing is stored",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .prints_rows = true,
    .example = "  tollbook formats guess unknown.ndjson.gz",
    .run = guess,
};

static bool
list(struct run *run, struct error *err)
{
	struct table *table = table_new(format_columns);
	bool fine = format_list(table, err);

	if (fine)
		table_print(table, run, "no format is compiled in");
	table_free(table);
	return fine;
}

static bool
show(struct run *run, struct error *err)
{
	bool as_json = option_value(run, "json") != NULL;
	struct text out = {0};
	bool fine = as_json ? format_show_json(run->operands[0], &out, err) : format_show(run->operands[0], &out, err);

	if (fine)
		fputs(text_string(&out), stdout);
	text_release(&out);
	return fine;
}

static bool
try(struct run *run, struct error *err)
{
	struct try_options options = {.all = option_value(run, "all") != NULL};
	struct profile_wishes wishes;
	struct profile *profile;
	int64_t record;
	bool fine;

	if (!option_number(run, "record", 1, INT64_MAX, 0, &record, err))
		return false;
	options.record = (uint64_t)record;
	wishes = format_wishes(run);
	if (!profile_open(run->operands[0], &wishes, &profile, err))
		return false;
	fine = format_try(run, profile, run->operands[1], &options, err);
	profile_free(profile);
	return fine;
}

static bool
guess(struct run *run, struct error *err)
{
	struct table *table = table_new(guess_columns);
	bool fine = format_guess(run, run->operands[0], table, err);

	if (fine)
		table_print(table, run, "nothing fits");
	table_free(table);
	return fine;
}
