/* credit_share.c -- see credit_share.h. */
#include "ledger/credit_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The stretch of a line that a payer may pay for, in what was used before it begins and before it ends. */
struct window {
	i128 from, to;
};

/* What one call of credit_share() works on. */
struct sharing {
	const struct credit_payer *payers;
	const struct credit_line *lines;
	size_t payer_count, line_count;
	struct window *windows; /* like paid */
	int64_t *paid;
};

void
credit_payer_settle(struct credit_payer *payer)
{
	struct instant starts = instant_interval(payer->starts);

	if (starts.us < payer->starts.us)
		starts.us += INTERVAL_US;
	payer->starts = starts;
	if (payer->expires.us != INT64_MAX)
		payer->expires = instant_interval(payer->expires);
}

static int
compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_turn(const void *a, const void *b)
{
	const struct credit_payer *one = a, *two = b;
	int order = compare(one->is_prepaid, two->is_prepaid);

	if (order == 0)
		order = compare(one->priority, two->priority);
	if (order == 0)
		order = compare(one->expires.us, two->expires.us);
	return order != 0 ? order : compare(one->grant_id, two->grant_id);
}

void
credit_payers_sort(struct credit_payer *payers, size_t count)
{
	if (count > 0)
		qsort(payers, count, sizeof *payers, by_turn);
}

bool
credit_line_needs_mark(const struct credit_line *line, struct instant border)
{
	return line->amount > 0 && line->first.us < border.us && border.us < line->ends.us;
}

/* --- what a payer may pay for ----------------------------------------------------------------- */

static bool
is_in_scope(const struct credit_payer *payer, const struct credit_line *line, bool *out, struct error *err)
{
	enum pattern_answer answer = PATTERN_YES;

	*out = false;
	if (line->meter == 0) {
		*out = payer->pattern == NULL && payer->any_meter;
		return true;
	}
	if (!payer->any_meter && !payer->meter[line->meter])
		return true;
	if (payer->pattern != NULL)
		answer = pattern_match(payer->pattern, line->model, strlen(line->model));
	*out = answer == PATTERN_YES;
	if (answer != PATTERN_LIMIT)
		return true;
	error_set(err, ERROR_STATE, "the model pattern of credit %lld takes too long to match \"%.200s\"",
	    (long long)payer->grant_id, line->model);
	return error_hint(err, "Revoke the credit and grant it again with a simpler --model.");
}

/* How much of the whole was used before a border; a mark that is lacking is a broken promise of the caller. */
static i128
used_before(const struct credit_line *line, struct instant border)
{
	if (border.us <= line->first.us)
		return 0;
	if (border.us >= line->ends.us)
		return line->whole;
	if (line->meter == 0)
		return (border.us - line->first.us) / INTERVAL_US;
	for (size_t i = 0; i < line->mark_count; i++)
		if (line->marks[i].at.us == border.us)
			return line->marks[i].before;
	must(line->whole == 0);
	return 0;
}

/* How much there is of a line: 1 where it is not told, since then only all of it counts. */
static i128
whole_of(const struct credit_line *line)
{
	if (line->meter == 0)
		return (line->ends.us - line->first.us + INTERVAL_US - 1) / INTERVAL_US;
	return line->whole > 0 ? line->whole : 1;
}

static struct window
window_of(const struct credit_payer *payer, const struct credit_line *line)
{
	struct window window = {0, whole_of(line)};
	bool covers = payer->starts.us <= line->first.us && payer->expires.us >= line->ends.us;

	if (covers)
		return window;
	if (payer->expires.us <= line->first.us || payer->starts.us >= line->ends.us || (line->meter != 0 && line->whole <= 0))
		return (struct window){0, 0};
	if (payer->starts.us > line->first.us)
		window.from = used_before(line, payer->starts);
	if (payer->expires.us < line->ends.us)
		window.to = used_before(line, payer->expires);
	return window;
}

static bool
find_windows(struct sharing *sharing, struct error *err)
{
	for (size_t p = 0; p < sharing->payer_count; p++)
		for (size_t l = 0; l < sharing->line_count; l++) {
			const struct credit_line *line = &sharing->lines[l];
			bool in_scope;

			sharing->windows[p * sharing->line_count + l] = (struct window){0, 0};
			if (line->amount <= 0)
				continue;
			if (!is_in_scope(&sharing->payers[p], line, &in_scope, err))
				return false;
			if (in_scope)
				sharing->windows[p * sharing->line_count + l] = window_of(&sharing->payers[p], line);
		}
	return true;
}

/* --- how much --------------------------------------------------------------------------------- */

/* The part of a line's amount that a stretch stands for, rounded down. */
static bool
worth(const struct credit_line *line, struct window stretch, int64_t *out, struct error *err)
{
	struct decimal amount, part;

	*out = line->amount;
	if (stretch.from == 0 && stretch.to == whole_of(line))
		return true;
	if (!decimal_from_integer(line->amount, &amount, err) ||
	    !decimal_price(amount, stretch.to - stretch.from, whole_of(line), ROUND_DOWN, &part, err))
		return false;
	*out = (int64_t)(part.e18 / decimal_one.e18);
	return true;
}

/* What was paid by those whose stretch lies within this one: they can pay for nothing else. */
static int64_t
paid_within(const struct sharing *sharing, size_t before, size_t l, struct window stretch)
{
	int64_t sum = 0;

	for (size_t p = 0; p < before; p++) {
		struct window window = sharing->windows[p * sharing->line_count + l];

		if (stretch.from <= window.from && window.to <= stretch.to)
			sum += sharing->paid[p * sharing->line_count + l];
	}
	return sum;
}

static bool
lower_to(const struct sharing *sharing, size_t p, size_t l, struct window stretch, int64_t *payable, struct error *err)
{
	int64_t left;

	if (!worth(&sharing->lines[l], stretch, &left, err))
		return false;
	left -= paid_within(sharing, p, l, stretch);
	if (left < *payable)
		*payable = left;
	return true;
}

/* Stretches that end where `to` is, and begin with this payer's or any earlier one that paid the line. */
static bool
lower_to_beginnings(const struct sharing *sharing, size_t p, size_t l, i128 to, int64_t *payable, struct error *err)
{
	i128 own = sharing->windows[p * sharing->line_count + l].from;

	if (!lower_to(sharing, p, l, (struct window){own, to}, payable, err) ||
	    !lower_to(sharing, p, l, (struct window){0, to}, payable, err))
		return false;
	for (size_t q = 0; q < p; q++) {
		i128 from = sharing->windows[q * sharing->line_count + l].from;

		if (sharing->paid[q * sharing->line_count + l] > 0 && 0 < from && from < own &&
		    !lower_to(sharing, p, l, (struct window){from, to}, payable, err))
			return false;
	}
	return true;
}

/* How much of a line a payer may still pay: for each stretch around its own, what that is worth less what is paid within.
 * Where this holds for all stretches, every unit paid can be told apart as some unit used at a time of its payer (Hall's
 * theorem, of intervals). */
static bool
payable_of(const struct sharing *sharing, size_t p, size_t l, int64_t *payable, struct error *err)
{
	struct window own = sharing->windows[p * sharing->line_count + l];
	i128 whole = whole_of(&sharing->lines[l]);

	*payable = 0;
	if (own.from >= own.to)
		return true;
	*payable = sharing->lines[l].amount;
	if (!lower_to_beginnings(sharing, p, l, own.to, payable, err) || !lower_to_beginnings(sharing, p, l, whole, payable, err))
		return false;
	for (size_t q = 0; q < p; q++) {
		i128 to = sharing->windows[q * sharing->line_count + l].to;

		if (sharing->paid[q * sharing->line_count + l] > 0 && own.to < to && to < whole &&
		    !lower_to_beginnings(sharing, p, l, to, payable, err))
			return false;
	}
	if (*payable < 0)
		*payable = 0;
	return true;
}

static bool
sum_to(int64_t *sum, int64_t amount, struct error *err)
{
	if (!__builtin_add_overflow(*sum, amount, sum))
		return true;
	return error_set(err, ERROR_RANGE, "the sum of the lines does not fit into 64 bits of minor units");
}

/* One payer's turn: as much as its balance, what is left and its lines allow, over its lines in proportion. */
static bool
pay(struct sharing *sharing, size_t p, int64_t *left, int64_t *payable, struct error *err)
{
	int64_t *paid = &sharing->paid[p * sharing->line_count], most = 0, draw = sharing->payers[p].balance;

	for (size_t l = 0; l < sharing->line_count; l++)
		if (!payable_of(sharing, p, l, &payable[l], err) || !sum_to(&most, payable[l], err))
			return false;
	draw = draw < *left ? draw : *left;
	draw = draw < most ? draw : most;
	if (draw <= 0)
		return true;
	*left -= draw;
	return split_by_largest_remainder(draw, payable, sharing->line_count, paid, err);
}

static bool
pay_all(struct sharing *sharing, struct error *err)
{
	int64_t *payable = memory_new(sharing->line_count, sizeof *payable), left = 0;
	bool fine = true;

	for (size_t l = 0; fine && l < sharing->line_count; l++)
		fine = sum_to(&left, sharing->lines[l].amount, err);
	for (size_t p = 0; fine && p < sharing->payer_count && left > 0; p++)
		fine = pay(sharing, p, &left, payable, err);
	free(payable);
	return fine;
}

bool
credit_share(const struct credit_payer *payers, size_t payer_count, const struct credit_line *lines, size_t line_count,
    int64_t *paid, struct error *err)
{
	struct sharing sharing = {
	    payers, lines, payer_count, line_count, memory_new(payer_count * line_count, sizeof(struct window)), paid};
	bool fine;

	memset(paid, 0, payer_count * line_count * sizeof *paid);
	fine = find_windows(&sharing, err) && pay_all(&sharing, err);
	free(sharing.windows);
	return fine;
}
