/* credit_draw.c -- credits pay an invoice that is being finalized, or what it would come to now; see credit.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger/credit.h"
#include "ledger/credit_share.h"

/* An invoice and the grants that may pay it. */
struct draw {
	struct run *run;
	const char *invoice_id;
	const char *rating_id; /* whose charges are the lines, of an invoice that was paid before; NULL: one that is paid now */
	struct credit_line *lines;
	struct credit_payer *payers;
	size_t line_count, payer_count;
};

/* --- loading ---------------------------------------------------------------------------------- */

static bool
load_lines(struct draw *draw, struct error *err)
{
	struct arena *arena = &draw->run->arena;
	struct rows rows;

	if (draw->rating_id == NULL
		? !db_rows(draw->run->db, SQL_LEDGER_CREDIT_DRAW_LINES, PARAMS(draw->invoice_id), &rows, err)
		: !db_rows(draw->run->db, SQL_LEDGER_CREDIT_DRAWN_LINES, PARAMS(draw->invoice_id, draw->rating_id), &rows, err))
		return false;
	draw->line_count = (size_t)rows.count;
	draw->lines = memory_new(draw->line_count, sizeof *draw->lines);
	for (int i = 0; i < rows.count; i++) {
		struct credit_line *line = &draw->lines[i];

		must(!row_is_null(&rows, i, 4) && !row_is_null(&rows, i, 5));
		*line = (struct credit_line){.line = (int32_t)row_number(&rows, i, 0),
		    .model = arena_copy(arena, row_text(&rows, i, 1), row_length(&rows, i, 1)),
		    .meter = (int)row_number(&rows, i, 2),
		    .amount = row_number(&rows, i, 3),
		    .first = row_instant(&rows, i, 4),
		    .ends = row_instant(&rows, i, 5)};
		/* Usage states when its last quarter of an hour begins, a contract's own charge when its time ends. */
		if (line->meter != 0)
			line->ends.us += INTERVAL_US;
	}
	rows_release(&rows);
	return true;
}

static void
read_meters(struct credit_payer *payer, const char *names)
{
	payer->any_meter = names[0] == '\0';
	while (*names != '\0') {
		size_t length = strcspn(names, " ");
		const struct meter *meter = meter_find(names, length);

		must(meter != NULL);
		payer->meter[meter->id] = true;
		names += length + (names[length] == ' ');
	}
}

static bool
read_payer(const struct rows *rows, int i, struct credit_payer *payer, struct error *err)
{
	size_t length = row_length(rows, i, 6), position;

	*payer = (struct credit_payer){.grant_id = row_number(rows, i, 0),
	    .is_prepaid = row_bool(rows, i, 1),
	    .priority = row_number(rows, i, 2),
	    .starts = row_instant(rows, i, 3),
	    .expires = {INT64_MAX},
	    .balance = row_number(rows, i, 5)};
	if (!row_is_null(rows, i, 4))
		payer->expires = row_instant(rows, i, 4);
	credit_payer_settle(payer);
	read_meters(payer, row_text(rows, i, 7));
	return length == 0 || pattern_compile(row_text(rows, i, 6), length, &payer->pattern, &position, err);
}

static bool
load_payers(struct draw *draw, struct error *err)
{
	struct rows rows;
	bool fine = true;

	if (!db_rows(draw->run->db, draw->rating_id == NULL ? SQL_LEDGER_CREDIT_DRAW_GRANTS : SQL_LEDGER_CREDIT_DRAWN_GRANTS,
		PARAMS(draw->invoice_id), &rows, err))
		return false;
	draw->payers = memory_new((size_t)rows.count, sizeof *draw->payers);
	draw->payer_count = (size_t)rows.count;
	for (int i = 0; fine && i < rows.count; i++)
		fine = read_payer(&rows, i, &draw->payers[i], err);
	rows_release(&rows);
	if (fine)
		credit_payers_sort(draw->payers, draw->payer_count);
	return fine;
}

/* --- lines that a border cuts ----------------------------------------------------------------- */

static bool
cuts_a_line(const struct draw *draw, struct instant border)
{
	for (size_t l = 0; l < draw->line_count; l++)
		if (draw->lines[l].meter != 0 && credit_line_needs_mark(&draw->lines[l], border))
			return true;
	return false;
}

static void
add_border(const struct draw *draw, struct instant border, const char **borders, size_t *count)
{
	const char *text;

	if (border.us == INT64_MAX || !cuts_a_line(draw, border))
		return;
	text = param_instant(&draw->run->arena, border);
	for (size_t i = 0; i < *count; i++)
		if (strcmp(borders[i], text) == 0)
			return;
	borders[(*count)++] = text;
}

static void
add_mark(struct draw *draw, const struct rows *rows, int i)
{
	struct credit_line *line = NULL;

	for (size_t l = 0; l < draw->line_count && line == NULL; l++)
		if (draw->lines[l].line == row_number(rows, i, 0))
			line = &draw->lines[l];
	must(line != NULL);
	if (line->marks == NULL)
		line->marks = memory_new((size_t)rows->count, sizeof *line->marks);
	line->whole = row_integer(rows, i, 3);
	line->marks[line->mark_count++] = (struct credit_mark){row_instant(rows, i, 1), row_integer(rows, i, 2)};
}

static bool
load_marks_at(struct draw *draw, const char **borders, size_t count, struct error *err)
{
	struct text elements = {0};
	struct rows rows;
	bool fine;

	text_add_elements(&elements, borders, count);
	if (draw->rating_id == NULL)
		fine = db_rows(
		    draw->run->db, SQL_LEDGER_CREDIT_DRAW_MARKS, PARAMS(draw->invoice_id, text_string(&elements)), &rows, err);
	else
		fine = db_rows(draw->run->db, SQL_LEDGER_CREDIT_DRAWN_MARKS,
		    PARAMS(draw->invoice_id, draw->rating_id, text_string(&elements)), &rows, err);
	text_release(&elements);
	if (!fine)
		return false;
	for (int i = 0; i < rows.count; i++)
		add_mark(draw, &rows, i);
	rows_release(&rows);
	return true;
}

static bool
load_marks(struct draw *draw, struct error *err)
{
	const char **borders = memory_new(2 * draw->payer_count, sizeof *borders);
	size_t count = 0;
	bool fine;

	for (size_t p = 0; p < draw->payer_count; p++) {
		add_border(draw, draw->payers[p].starts, borders, &count);
		add_border(draw, draw->payers[p].expires, borders, &count);
	}
	fine = count == 0 || load_marks_at(draw, borders, count, err);
	free(borders);
	return fine;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool
write_use(const struct draw *draw, size_t p, const int64_t *paid, int64_t *drawn, struct error *err)
{
	struct arena *arena = &draw->run->arena;
	const char *grant_id = param_number(arena, draw->payers[p].grant_id), *entry_id;
	int64_t sum = 0;

	for (size_t l = 0; l < draw->line_count; l++)
		sum += paid[l];
	if (sum == 0)
		return true;
	must(0 < sum && sum <= draw->payers[p].balance);
	*drawn += sum;
	if (!credit_entry_add(draw->run, grant_id,
		&(struct credit_entry){.kind = "use", .minor = -sum, .invoice_id = draw->invoice_id}, &entry_id, err))
		return false;
	for (size_t l = 0; l < draw->line_count; l++)
		if (paid[l] > 0 &&
		    !db_change(draw->run->db, SQL_LEDGER_CREDIT_USE_LINE_ADD,
			PARAMS(
			    entry_id, draw->invoice_id, param_number(arena, draw->lines[l].line), param_number(arena, paid[l])),
			1, err))
			return false;
	return true;
}

static bool
share_and_write(const struct draw *draw, int64_t *drawn, struct error *err)
{
	int64_t *paid = memory_new(draw->payer_count * draw->line_count, sizeof *paid);
	bool fine = credit_share(draw->payers, draw->payer_count, draw->lines, draw->line_count, paid, err);

	for (size_t p = 0; fine && p < draw->payer_count; p++)
		fine = write_use(draw, p, &paid[p * draw->line_count], drawn, err);
	free(paid);
	return fine;
}

static void
draw_release(struct draw *draw)
{
	for (size_t p = 0; p < draw->payer_count; p++)
		pattern_free(draw->payers[p].pattern);
	for (size_t l = 0; l < draw->line_count; l++)
		free(draw->lines[l].marks);
	free(draw->payers);
	free(draw->lines);
}

bool
credits_draw(struct run *run, const char *invoice_id, int64_t *drawn_minor, struct error *err)
{
	struct draw draw = {.run = run, .invoice_id = invoice_id};
	bool fine = load_payers(&draw, err);

	*drawn_minor = 0;
	if (fine && draw.payer_count > 0)
		fine = load_lines(&draw, err) && load_marks(&draw, err) && share_and_write(&draw, drawn_minor, err);
	draw_release(&draw);
	return fine;
}

/* --- drawing again ---------------------------------------------------------------------------- */

static void
add_excess(const struct draw *draw, size_t p, const int64_t *paid, struct credit_part *parts, size_t *count)
{
	int64_t excess = draw->payers[p].balance;

	for (size_t l = 0; l < draw->line_count; l++)
		excess -= paid[l];
	must(excess >= 0);
	if (excess > 0)
		parts[(*count)++] = (struct credit_part){param_number(&draw->run->arena, draw->payers[p].grant_id), excess};
}

static bool
share_again(const struct draw *draw, struct credit_part **parts, size_t *count, struct error *err)
{
	int64_t *paid = memory_new(draw->payer_count * draw->line_count, sizeof *paid);
	bool fine = credit_share(draw->payers, draw->payer_count, draw->lines, draw->line_count, paid, err);

	*parts = arena_take(&draw->run->arena, draw->payer_count * sizeof **parts);
	for (size_t p = draw->payer_count; fine && p-- > 0;)
		add_excess(draw, p, &paid[p * draw->line_count], *parts, count);
	free(paid);
	return fine;
}

bool
credits_excess(
    struct run *run, const char *invoice_id, const char *rating_id, struct credit_part **parts, size_t *count, struct error *err)
{
	struct draw draw = {.run = run, .invoice_id = invoice_id, .rating_id = rating_id};
	bool fine = load_payers(&draw, err);

	*parts = NULL;
	*count = 0;
	if (fine && draw.payer_count > 0)
		fine = load_lines(&draw, err) && load_marks(&draw, err) && share_again(&draw, parts, count, err);
	draw_release(&draw);
	return fine;
}
