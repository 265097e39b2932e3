/*
 * stages.h -- the parts of the way from a line to an invoice, each alone, without a database.
 *
 * A stage does its work over all of its input once and returns how many units that were.  It is a function of its own, never inlined,
 * because callgrind counts by function (tests/bench/instructions.sh).
 */
#ifndef TESTS_BENCH_STAGES_H
#define TESTS_BENCH_STAGES_H

#include "ingest/profile.h"
#include "ledger/batch.h"
#include "ledger/key_page.h"
#include "rating/charges.h"

struct stages_money;

/* What the stages work on, made by what comes before them. */
struct stages {
	struct text file, payloads; /* canonical events; records of openai.chat */
	struct bytes *lines, *payload_lines;
	size_t line_count, payload_count;
	struct event_rules rules;
	struct profile *profile;
	struct arena arena;
	struct batch batch;
	size_t identity_bytes;
	struct admitted *unsorted, *sorted;
	struct ledger_writer writer;
	size_t row_bytes;
	struct key_filter filter;
	struct key *keys;
	struct key_id *others; /* identities that are in no register */
	uint32_t *doubts;
	struct text pages;
	struct text copied;
	const char *folder; /* for files */
	struct stages_money *money;
};

/* False while parsing is measured without its digests: event_identify() then does nothing. */
extern bool stages_identify;
/* True while instructions are counted: SHA-256 itself does nothing then.  It is the library's, the processor of callgrind is too simple for
 * its fast path, and the slow one would hide what the program adds. */
extern bool stages_count;
/* What the ledger's COPY data comes to, since there is no server to take it. */
extern int64_t stages_copied_rows;
extern size_t stages_copied_bytes;

void stages_ledger_open(struct stages *stages);
void stages_ledger_release(struct stages *stages);
void stages_money_open(struct stages *stages);
void stages_money_release(struct stages *stages);

#define STAGE(name, unit, sentence) __attribute__((noinline)) int64_t stage_##name(struct stages *stages);
#include "tests/bench/stages.def"
#undef STAGE

/* Where nothing can go wrong but the program. */
void stages_must(bool fine, const struct error *err);

#endif
