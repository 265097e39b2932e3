/* credit_draw.c -- credits pay invoices that are being finalized, or what one would come to now; see credit.h. */
#include <stdlib.h>
#include <string.h>

#include "ledger/credit.h"
#include "ledger/credit_share.h"

/* An invoice and the grants that may pay it. */
struct draw {
	const char *invoice_id;
	size_t place; /* in the list of the caller */
	struct credit_line *lines;
	struct credit_payer *payers;
	size_t line_count, line_room, payer_count, payer_room;
};

/* Those of a list of invoices that somebody may pay. */
struct draws {
	struct run *run;
	struct draw *item;
	size_t count, room;
	const char
	    *rating_id; /* whose charges are the lines, of an invoice that was paid before; NULL: those that are paid now */
};

static void
draws_release(struct draws *draws)
{
	for (size_t i = 0; i < draws->count; i++) {
		struct draw *draw = &draws->item[i];

		for (size_t p = 0; p < draw->payer_count; p++)
			pattern_free(draw->payers[p].pattern);
		for (size_t l = 0; l < draw->line_count; l++)
			free(draw->lines[l].marks);
		free(draw->payers);
		free(draw->lines);
	}
	free(draws->item);
}

/* --- grants ----------------------------------------------------------------------------------- */

/* Columns of credit_draw_grants.sql. */
enum {
	PAYER_PLACE,
	PAYER_GRANT,
	PAYER_IS_PREPAID,
	PAYER_PRIORITY,
	PAYER_STARTS,
	PAYER_EXPIRES,
	PAYER_BALANCE,
	PAYER_MODEL,
	PAYER_METERS
};

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
	size_t length = row_length(rows, i, PAYER_MODEL), position;

	*payer = (struct credit_payer){.grant_id = row_number(rows, i, PAYER_GRANT),
	    .is_prepaid = row_bool(rows, i, PAYER_IS_PREPAID),
	    .priority = row_number(rows, i, PAYER_PRIORITY),
	    .starts = row_instant(rows, i, PAYER_STARTS),
	    .expires = {INT64_MAX},
	    .balance = row_number(rows, i, PAYER_BALANCE)};
	if (!row_is_null(rows, i, PAYER_EXPIRES))
		payer->expires = row_instant(rows, i, PAYER_EXPIRES);
	credit_payer_settle(payer);
	read_meters(payer, row_text(rows, i, PAYER_METERS));
	return length == 0 || pattern_compile(row_text(rows, i, PAYER_MODEL), length, &payer->pattern, &position, err);
}

/* The draw of a place in the list; they come in its order. */
static struct draw *
draw_at(struct draws *draws, const char *const *invoice_ids, size_t place)
{
	if (draws->count == 0 || draws->item[draws->count - 1].place != place) {
		draws->item = memory_grow(draws->item, &draws->room, draws->count + 1, sizeof *draws->item);
		draws->item[draws->count++] = (struct draw){.invoice_id = invoice_ids[place], .place = place};
	}
	return &draws->item[draws->count - 1];
}

static bool
read_payers(struct draws *draws, const char *const *invoice_ids, const struct rows *rows, struct error *err)
{
	for (int i = 0; i < rows->count; i++) {
		struct draw *draw = draw_at(draws, invoice_ids, (size_t)row_number(rows, i, PAYER_PLACE) - 1);

		draw->payers = memory_grow(draw->payers, &draw->payer_room, draw->payer_count + 1, sizeof *draw->payers);
		if (!read_payer(rows, i, &draw->payers[draw->payer_count++], err))
			return false;
	}
	for (size_t i = 0; i < draws->count; i++)
		credit_payers_sort(draws->item[i].payers, draws->item[i].payer_count);
	return true;
}

static bool
load_payers(struct draws *draws, const char *const *invoice_ids, size_t count, struct error *err)
{
	struct text invoices = {0};
	struct rows rows;
	bool fine;

	if (draws->rating_id != NULL) {
		must(count == 1);
		fine = db_rows(draws->run->db, SQL_LEDGER_CREDIT_DRAWN_GRANTS, PARAMS(invoice_ids[0]), &rows, err);
	} else {
		for (size_t i = 0; i < count; i++)
			elements_add(&invoices, invoice_ids[i]);
		fine = db_rows(draws->run->db, SQL_LEDGER_CREDIT_DRAW_GRANTS, PARAMS(elements_end(&invoices)), &rows, err);
		text_release(&invoices);
	}
	if (!fine)
		return false;
	fine = read_payers(draws, invoice_ids, &rows, err);
	rows_release(&rows);
	return fine;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void
read_line(struct draws *draws, const struct rows *rows, int i)
{
	enum { PLACE, LINE, MODEL, METER, AMOUNT, FIRST, ENDS };
	struct draw *draw = &draws->item[row_number(rows, i, PLACE) - 1];
	struct credit_line *line;

	must(!row_is_null(rows, i, FIRST) && !row_is_null(rows, i, ENDS));
	draw->lines = memory_grow(draw->lines, &draw->line_room, draw->line_count + 1, sizeof *draw->lines);
	line = &draw->lines[draw->line_count++];
	*line = (struct credit_line){.line = (int32_t)row_number(rows, i, LINE),
	    .model = arena_copy(&draws->run->arena, row_text(rows, i, MODEL), row_length(rows, i, MODEL)),
	    .meter = (int)row_number(rows, i, METER),
	    .amount = row_number(rows, i, AMOUNT),
	    .first = row_instant(rows, i, FIRST),
	    .ends = row_instant(rows, i, ENDS)};
	/* Usage states when its last quarter of an hour begins, a contract's own charge when its time ends. */
	if (line->meter != 0)
		line->ends.us += INTERVAL_US;
}

static bool
load_lines(struct draws *draws, struct error *err)
{
	struct db *db = draws->run->db;
	struct text invoices = {0};
	struct rows rows;
	bool fine;

	for (size_t i = 0; i < draws->count; i++)
		elements_add(&invoices, draws->item[i].invoice_id);
	elements_end(&invoices);
	fine = draws->rating_id == NULL
	    ? db_rows(db, SQL_LEDGER_CREDIT_DRAW_LINES, PARAMS(text_string(&invoices)), &rows, err)
	    : db_rows(db, SQL_LEDGER_CREDIT_DRAWN_LINES, PARAMS(draws->item[0].invoice_id, draws->rating_id), &rows, err);
	text_release(&invoices);
	if (!fine)
		return false;
	for (int i = 0; i < rows.count; i++)
		read_line(draws, &rows, i);
	rows_release(&rows);
	return true;
}

/* --- lines that a border cuts ----------------------------------------------------------------- */

/* Borders, and beside each the invoice. */
struct borders {
	struct text invoices, instants;
	size_t count;
};

static bool
cuts_a_line(const struct draw *draw, struct instant border)
{
	for (size_t l = 0; l < draw->line_count; l++)
		if (draw->lines[l].meter != 0 && credit_line_needs_mark(&draw->lines[l], border))
			return true;
	return false;
}

static void
add_border(struct borders *borders, const struct draw *draw, struct instant border)
{
	char text[INSTANT_TEXT];

	if (border.us == INT64_MAX || !cuts_a_line(draw, border))
		return;
	elements_add(&borders->invoices, draw->invoice_id);
	elements_add(&borders->instants, instant_format(border, text));
	borders->count++;
}

/* Each border of the payers once. */
static void
add_borders(struct borders *borders, const struct draw *draw)
{
	struct instant *known = memory_new(2 * draw->payer_count, sizeof *known);
	size_t count = 0;

	for (size_t p = 0; p < draw->payer_count; p++) {
		const struct instant both[] = {draw->payers[p].starts, draw->payers[p].expires};

		for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
			size_t k = 0;

			while (k < count && known[k].us != both[i].us)
				k++;
			if (k < count)
				continue;
			known[count++] = both[i];
			add_border(borders, draw, both[i]);
		}
	}
	free(known);
}

/* Columns of credit_draw_marks.sql. */
enum { MARK_INVOICE, MARK_LINE, MARK_AT, MARK_BEFORE, MARK_WHOLE };

static void
add_mark(struct draw *draw, const struct rows *rows, int i)
{
	struct credit_line *line = NULL;

	for (size_t l = 0; l < draw->line_count && line == NULL; l++)
		if (draw->lines[l].line == row_number(rows, i, MARK_LINE))
			line = &draw->lines[l];
	must(line != NULL);
	if (line->marks == NULL)
		line->marks = memory_new(2 * draw->payer_count, sizeof *line->marks);
	must(line->mark_count < 2 * draw->payer_count);
	line->whole = row_integer(rows, i, MARK_WHOLE);
	line->marks[line->mark_count++] = (struct credit_mark){row_instant(rows, i, MARK_AT), row_integer(rows, i, MARK_BEFORE)};
}

static void
read_marks(struct draws *draws, const struct rows *rows)
{
	size_t at = 0;

	for (int i = 0; i < rows->count; i++) {
		/* Those of an invoice stand together. */
		for (size_t tried = 0; strcmp(draws->item[at].invoice_id, row_text(rows, i, MARK_INVOICE)) != 0; tried++) {
			must(tried < draws->count);
			at = (at + 1) % draws->count;
		}
		add_mark(&draws->item[at], rows, i);
	}
}

static bool
load_marks_at(struct draws *draws, struct borders *borders, struct error *err)
{
	struct db *db = draws->run->db;
	struct rows rows;

	elements_end(&borders->invoices);
	elements_end(&borders->instants);
	if (draws->rating_id == NULL
		? !db_rows(db, SQL_LEDGER_CREDIT_DRAW_MARKS,
		      PARAMS(text_string(&borders->invoices), text_string(&borders->instants)), &rows, err)
		: !db_rows(db, SQL_LEDGER_CREDIT_DRAWN_MARKS,
		      PARAMS(draws->item[0].invoice_id, draws->rating_id, text_string(&borders->instants)), &rows, err))
		return false;
	read_marks(draws, &rows);
	rows_release(&rows);
	return true;
}

static bool
load_marks(struct draws *draws, struct error *err)
{
	struct borders borders = {0};
	bool fine;

	for (size_t i = 0; i < draws->count; i++)
		add_borders(&borders, &draws->item[i]);
	fine = borders.count == 0 || load_marks_at(draws, &borders, err);
	text_release(&borders.invoices);
	text_release(&borders.instants);
	return fine;
}

static bool
load_draws(struct draws *draws, const char *const *invoice_ids, size_t count, struct error *err)
{
	return load_payers(draws, invoice_ids, count, err) &&
	    (draws->count == 0 || (load_lines(draws, err) && load_marks(draws, err)));
}

/* --- writing ---------------------------------------------------------------------------------- */

/* What a grant pays of an invoice, and what of which line. */
struct use {
	int64_t grant_id, sum;
	const char *invoice_id;
	size_t first_line, line_count; /* of all */
};
struct uses {
	struct use *item;
	struct use_line {
		int64_t line, minor;
	} * lines;
	size_t count, room, line_count, line_room;
};

static void
uses_release(struct uses *uses)
{
	free(uses->item);
	free(uses->lines);
}

static void
add_use(struct uses *uses, const struct draw *draw, const struct credit_payer *payer, const int64_t *paid)
{
	struct use use = {.grant_id = payer->grant_id, .invoice_id = draw->invoice_id, .first_line = uses->line_count};

	for (size_t l = 0; l < draw->line_count; l++) {
		use.sum += paid[l];
		if (paid[l] == 0)
			continue;
		must(paid[l] > 0);
		uses->lines = memory_grow(uses->lines, &uses->line_room, uses->line_count + 1, sizeof *uses->lines);
		uses->lines[uses->line_count++] = (struct use_line){draw->lines[l].line, paid[l]};
	}
	if (use.sum == 0)
		return;
	must(0 < use.sum && use.sum <= payer->balance);
	use.line_count = uses->line_count - use.first_line;
	uses->item = memory_grow(uses->item, &uses->room, uses->count + 1, sizeof *uses->item);
	uses->item[uses->count++] = use;
}

static bool
share(struct uses *uses, const struct draw *draw, int64_t *drawn, struct error *err)
{
	int64_t *paid = memory_new(draw->payer_count * draw->line_count, sizeof *paid);
	size_t before = uses->count;
	bool fine = credit_share(draw->payers, draw->payer_count, draw->lines, draw->line_count, paid, err);

	for (size_t p = 0; fine && p < draw->payer_count; p++)
		add_use(uses, draw, &draw->payers[p], &paid[p * draw->line_count]);
	for (size_t i = before; fine && i < uses->count; i++)
		*drawn += uses->item[i].sum;
	free(paid);
	return fine;
}

/* *entries: entry and grant of each. */
static bool
write_entries(struct run *run, const struct uses *uses, struct rows *entries, struct error *err)
{
	struct text grants = {0}, amounts = {0}, invoices = {0};
	bool fine;

	for (size_t i = 0; i < uses->count; i++) {
		elements_add_number(&grants, uses->item[i].grant_id);
		elements_add_number(&amounts, -uses->item[i].sum);
		elements_add(&invoices, uses->item[i].invoice_id);
	}
	fine = db_rows(run->db, SQL_LEDGER_CREDIT_USES_ADD,
	    PARAMS(elements_end(&grants), elements_end(&amounts), elements_end(&invoices), param_instant(&run->arena, run->now),
		run->by),
	    entries, err);
	text_release(&grants);
	text_release(&amounts);
	text_release(&invoices);
	return fine;
}

static bool
write_lines(struct run *run, const struct uses *uses, const struct rows *entries, struct error *err)
{
	enum { ENTRY, INVOICE, LINE, MINOR, COLUMNS };
	struct text column[COLUMNS] = {0};
	bool fine;

	must((size_t)entries->count == uses->count);
	for (size_t i = 0; i < uses->count; i++) {
		const struct use *use = &uses->item[i];

		must(row_number(entries, (int)i, 1) == use->grant_id);
		for (size_t l = use->first_line; l < use->first_line + use->line_count; l++) {
			elements_add(&column[ENTRY], row_text(entries, (int)i, 0));
			elements_add(&column[INVOICE], use->invoice_id);
			elements_add_number(&column[LINE], uses->lines[l].line);
			elements_add_number(&column[MINOR], uses->lines[l].minor);
		}
	}
	fine = db_change(run->db, SQL_LEDGER_CREDIT_USE_LINES_ADD,
	    PARAMS(elements_end(&column[ENTRY]), elements_end(&column[INVOICE]), elements_end(&column[LINE]),
		elements_end(&column[MINOR])),
	    (int64_t)uses->line_count, err);
	for (int j = 0; j < COLUMNS; j++)
		text_release(&column[j]);
	return fine;
}

static bool
write_uses(struct run *run, const struct uses *uses, struct error *err)
{
	struct rows entries;
	bool fine;

	if (uses->count == 0)
		return true;
	if (!write_entries(run, uses, &entries, err))
		return false;
	fine = write_lines(run, uses, &entries, err);
	rows_release(&entries);
	return fine;
}

bool
credits_draw(struct run *run, const char *const *invoice_ids, size_t count, int64_t *drawn_minor, struct error *err)
{
	struct draws draws = {.run = run};
	struct uses uses = {0};
	bool fine = load_draws(&draws, invoice_ids, count, err);

	memset(drawn_minor, 0, count * sizeof *drawn_minor);
	for (size_t i = 0; fine && i < draws.count; i++)
		fine = share(&uses, &draws.item[i], &drawn_minor[draws.item[i].place], err);
	fine = fine && write_uses(run, &uses, err);
	uses_release(&uses);
	draws_release(&draws);
	return fine;
}

/* --- drawing again ---------------------------------------------------------------------------- */

static void
add_excess(struct run *run, const struct draw *draw, size_t p, const int64_t *paid, struct credit_part *parts, size_t *count)
{
	int64_t excess = draw->payers[p].balance;

	for (size_t l = 0; l < draw->line_count; l++)
		excess -= paid[l];
	must(excess >= 0);
	if (excess > 0)
		parts[(*count)++] = (struct credit_part){param_number(&run->arena, draw->payers[p].grant_id), excess};
}

static bool
share_again(struct run *run, const struct draw *draw, struct credit_part **parts, size_t *count, struct error *err)
{
	int64_t *paid = memory_new(draw->payer_count * draw->line_count, sizeof *paid);
	bool fine = credit_share(draw->payers, draw->payer_count, draw->lines, draw->line_count, paid, err);

	*parts = arena_take(&run->arena, draw->payer_count * sizeof **parts);
	for (size_t p = draw->payer_count; fine && p-- > 0;)
		add_excess(run, draw, p, &paid[p * draw->line_count], *parts, count);
	free(paid);
	return fine;
}

bool
credits_excess(
    struct run *run, const char *invoice_id, const char *rating_id, struct credit_part **parts, size_t *count, struct error *err)
{
	struct draws draws = {.run = run, .rating_id = rating_id};
	bool fine = load_draws(&draws, &invoice_id, 1, err);

	*parts = NULL;
	*count = 0;
	if (fine && draws.count > 0)
		fine = share_again(run, &draws.item[0], parts, count, err);
	draws_release(&draws);
	return fine;
}
