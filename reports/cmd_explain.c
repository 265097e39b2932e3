/* cmd_explain.c -- `tollbook explain WHAT`: backwards from a number to rules and events, or forwards from an event to its
 * document. */
#include <string.h>

#include "base/digest.h"
#include "ledger/archive_guard.h"
#include "ledger/usage_event.h"
#include "reports/explain.h"

static bool explain(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"event", NULL, "explain an event, given by its tenant, source and id, forwards to the document that billed it", 0},
    {"intervals", "N", "show at most N intervals; default: 20", 0},
    {"events", "N", "show at most N events; default: 20", 0},
    {0},
};

const struct command cmd_explain = {
    .name = "explain",
    .summary = "show where a number comes from: rule, arithmetic, intervals, events; or what became of an event",
    .operands = "NUMBER/LINE|TENANT:PERIOD/LINE|NUMBER[/PLACE]|credit:ID[/PLACE]|adjustment:ID|rerate:ID[/PLACE]|event:UUID",
    .operands_min = 1,
    .operands_max = 3,
    .options = options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example =
	"  tollbook explain TF-INV-2026-000001/3\n  tollbook explain acme:2026-10/3 --events 100 --format csv\n"
	"  tollbook explain TF-CRN-2026-000001\n  tollbook explain credit:1/2\n  tollbook explain adjustment:7 --format json\n"
	"  tollbook explain --event acme /gateway a-1",
    .run = explain,
};

enum form { FORM_DOCUMENT, FORM_CREDIT, FORM_ADJUSTMENT, FORM_RERATE, FORM_EVENT };

static const struct {
	const char *prefix, *name;
	bool takes_place;
} forms[] = {
    [FORM_DOCUMENT] = {"", "document", true},
    [FORM_CREDIT] = {"credit:", "credit", true},
    [FORM_ADJUSTMENT] = {"adjustment:", "adjustment", false},
    [FORM_RERATE] = {"rerate:", "rerate", true},
    [FORM_EVENT] = {"event:", "event", false},
};

/* What is asked for. */
struct question {
	enum form form;
	const char *what;  /* number, id, UUID; of a document what stands before the last slash */
	const char *place; /* behind it; NULL for none */
	const char *whole; /* the operand */
};

static bool
is_number(const char *text, int64_t most)
{
	struct error err;
	i128 number;

	return text[0] >= '0' && text[0] <= '9' && integer_parse(text, strlen(text), &number, &err) && number >= 1 &&
	    number <= most;
}

/* 8-4-4-4-12 hexadecimal digits. */
static bool
is_uuid(const char *text)
{
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : text[i] == '\0' || strchr("0123456789abcdefABCDEF", text[i]) == NULL)
			return false;
	}
	return text[36] == '\0';
}

static void
split_place(struct run *run, const char *operand, struct question *out)
{
	const char *slash = strrchr(operand, '/');
	bool split = slash != NULL && slash != operand && is_number(slash + 1, INT32_MAX);

	out->what = split ? arena_copy(&run->arena, operand, (size_t)(slash - operand)) : operand;
	out->place = split ? slash + 1 : NULL;
}

/* A tenant may be called "credit": its "credit:2026-10/3" is no number, and remains a line. */
static bool
is_of_form(const struct question *question, enum form form)
{
	size_t length = strlen(forms[form].prefix);

	if (form == FORM_DOCUMENT || strncmp(question->what, forms[form].prefix, length) != 0)
		return false;
	if (form == FORM_EVENT)
		return question->place == NULL && is_uuid(question->what + length);
	return (forms[form].takes_place || question->place == NULL) && is_number(question->what + length, INT64_MAX);
}

static void
read_operand(struct run *run, struct question *out)
{
	*out = (struct question){.form = FORM_DOCUMENT, .whole = run->operands[0]};
	split_place(run, run->operands[0], out);
	for (enum form form = FORM_CREDIT; form <= FORM_EVENT; form++) {
		if (!is_of_form(out, form))
			continue;
		out->form = form;
		out->what += strlen(forms[form].prefix);
		return;
	}
}

static struct bytes
operand_bytes(const struct run *run, int at)
{
	return (struct bytes){run->operands[at], strlen(run->operands[at])};
}

/* The identity of an event is a digest of tenant, source and id. */
static void
read_event(struct run *run, struct question *out)
{
	struct usage_event event = {.ref_source = operand_bytes(run, 1), .ref_id = operand_bytes(run, 2)};
	char hex[2 * sizeof event.event_id.byte + 1];

	event.series[SERIES_TENANT] = operand_bytes(run, 0);
	event.event_id = event_original(&event);
	digest_hex(event.event_id.byte, sizeof event.event_id.byte, hex);
	*out = (struct question){.form = FORM_EVENT,
	    .what = arena_format(&run->arena, "%.8s-%.4s-%.4s-%.4s-%s", hex, hex + 8, hex + 12, hex + 16, hex + 20),
	    .whole = arena_format(&run->arena, "%s %s %s", run->operands[0], run->operands[1], run->operands[2])};
}

static bool
read_question(struct run *run, struct question *out, struct error *err)
{
	bool event = option_value(run, "event") != NULL;

	if (run->operand_count != (event ? 3 : 1)) {
		error_set(err, ERROR_USAGE, "explain takes %s",
		    event ? "a tenant, a source and an id behind --event" : "one thing to explain");
		return error_hint(
		    err, "For example: tollbook explain TF-INV-2026-000001/3, or tollbook explain --event acme /gateway a-1");
	}
	if (event)
		read_event(run, out);
	else
		read_operand(run, out);
	if (run->format != FORMAT_CSV || (out->form == FORM_DOCUMENT && out->place != NULL))
		return true;
	error_set(err, ERROR_USAGE, "explain has CSV of a line's intervals and events alone");
	return error_hint(err, "Run it with --format json.");
}

/* An invoice's line, else a credit note: the numbers of both are texts, and only the database knows. */
static bool
explain_document(struct explanation *e, const struct question *question, struct error *err)
{
	bool found;

	if (!explain_credit_note(e, question->what, question->place, &found, err))
		return false;
	if (found)
		return true;
	if (question->place != NULL)
		return explain_line(e, question->what, question->place, err);
	return explain_unknown(err, "\"%s\" is nothing that can be explained", question->whole);
}

static bool
answer(struct explanation *e, const struct question *question, struct error *err)
{
	switch (question->form) {
	case FORM_DOCUMENT:
		return explain_document(e, question, err);
	case FORM_CREDIT:
		return explain_credit(e, question->what, question->place, err);
	case FORM_ADJUSTMENT:
		return explain_adjustment(e, question->what, err);
	case FORM_RERATE:
		return explain_rerate(e, question->what, question->place, err);
	case FORM_EVENT:
		return explain_event(e, question->what, err);
	}
	must_failed("the form is known", __FILE__, __LINE__);
}

static bool
answer_whole(struct explanation *e, const struct question *question, struct error *err)
{
	explain_open(e, NULL);
	explain_member(e, "explains", EXPLAIN_TEXT, question->whole);
	if (!answer(e, question, err))
		return false;
	explain_close(e);
	if (!explains_to_people(e))
		puts(text_string(&e->tree));
	return true;
}

static bool
explain(struct run *run, struct error *err)
{
	struct explanation e = {.run = run};
	struct question question = {0};
	int64_t intervals, events;
	bool fine;

	if (!read_question(run, &question, err) || !option_number(run, "intervals", 0, 1000000, 20, &intervals, err) ||
	    !option_number(run, "events", 0, 1000000, 20, &events, err))
		return false;
	e.intervals = param_number(&run->arena, intervals);
	e.events = param_number(&run->arena, events);
	/* One moment of the books: a document may become final while it is being explained. */
	fine = db_begin(run->db, err) && db_change(run->db, SQL_REPORTS_SNAPSHOT, NO_PARAMS, -1, err) &&
	    archive_hold(run->db, err) && answer_whole(&e, &question, err);
	db_rollback(run->db);
	text_release(&e.tree);
	return fine;
}
