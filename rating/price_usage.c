/* price_usage.c -- see price_usage.h. */
#include "rating/price_usage.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"

/* Columns of price_usage_seen.sql. */
enum { OVERRIDE, BOOK, FIELDS, TAGS = FIELDS + MATCH_FIELDS, METER, QUANTITY };

/* Usage that is told in one line: what it has in common is its key in the index. */
struct unpriced {
	const char *model, *base_model, *service_tier, *reason;
	int meter;
	i128 quantity;
};

struct usage_check {
	struct run *run;
	struct book_shelf *shelf;
	const struct price_book *book;
	struct index index;
	struct unpriced *items;
	size_t room;
	struct arena arena; /* of one choice */
};

/* The book that a contract names: the one that is checked, or a published one; *out NULL where it names none that is in force. */
static bool
find_book(struct usage_check *check, const char *name, const struct price_book **out, struct error *err)
{
	const struct price_version *version;
	const struct price_books *books;

	*out = NULL;
	if (strcmp(name, price_book_name(check->book)) == 0)
		*out = check->book;
	if (*out != NULL || name[0] == '\0')
		return true;
	if (!book_shelf_find(check->shelf, check->run->db, name, &books, err))
		return false;
	version = price_books_at(books, check->run->now, INT64_MAX);
	*out = version == NULL ? NULL : version->book;
	return true;
}

/* Why the usage of a row would be held; NULL where it has a price. */
static bool
ask(struct usage_check *check, const struct rows *rows, int row, const char **reason, struct error *err)
{
	struct price_subject subject = {.tags = row_text(rows, row, TAGS)};
	const struct price_book *books[2], *book;
	struct price_choice choice;
	size_t count = 0;

	for (int column = OVERRIDE; column <= BOOK; column++) {
		if (!find_book(check, row_text(rows, row, column), &book, err))
			return false;
		if (book != NULL)
			books[count++] = book;
	}
	for (int field = 0; field < MATCH_FIELDS; field++)
		subject.field[field] = row_text(rows, row, FIELDS + field);
	arena_reset(&check->arena);
	price_choose(books, count, &subject, &check->arena, &choice);
	*reason = NULL;
	if (choice.outcome != PRICE_MATCHED)
		*reason = choice.outcome == PRICE_NO_RULE ? "no_rule" : "pattern_limit";
	else if (price_choice_meter(&choice, (int)row_number(rows, row, METER)).price == NULL)
		*reason = "no_price";
	return true;
}

static void
keep(struct usage_check *check, const struct rows *rows, int row, const char *reason)
{
	const char *model = row_text(rows, row, FIELDS + MATCH_MODEL), *base = row_text(rows, row, FIELDS + MATCH_BASE_MODEL);
	const char *tier = row_text(rows, row, FIELDS + MATCH_SERVICE_TIER);
	const char *key =
	    arena_format(&check->arena, "%s\n%s\n%s\n%s\n%s", model, base, tier, row_text(rows, row, METER), reason);
	bool is_new;
	size_t place = index_number(&check->index, key, strlen(key), &is_new);

	check->items = memory_grow(check->items, &check->room, place + 1, sizeof *check->items);
	if (is_new)
		check->items[place] = (struct unpriced){model, base, tier, reason, (int)row_number(rows, row, METER), 0};
	must(!__builtin_add_overflow(
	    check->items[place].quantity, row_integer(rows, row, QUANTITY), &check->items[place].quantity));
}

static void
tell(const struct usage_check *check, int64_t months, price_finding *found, void *context)
{
	for (size_t i = 0; i < check->index.count; i++) {
		const struct unpriced *item = &check->items[i];
		const struct meter *meter = meter_of(item->meter);
		char number[DECIMAL_TEXT], text[1024];

		snprintf(text, sizeof text,
		    "usage of the last %lld month%s would be held (%s): model %s, service tier %s%s%s: %s of %s",
		    (long long)months, months == 1 ? "" : "s", item->reason, item->model, item->service_tier,
		    item->base_model[0] == '\0' ? "" : ", base model ", item->base_model,
		    meter_format(meter, item->quantity, number), meter->name);
		found(context, false, "", text);
	}
}

bool
price_usage_check(struct run *run, struct book_shelf *shelf, const struct price_book *book, int64_t months, price_finding *found,
    void *context, struct error *err)
{
	struct usage_check check = {.run = run, .shelf = shelf, .book = book};
	struct rows rows;
	bool fine = true;

	if (!db_rows(run->db, SQL_RATING_PRICE_USAGE_SEEN,
		PARAMS(price_book_name(book), param_instant(&run->arena, run->now), param_number(&run->arena, months)), &rows,
		err))
		return false;
	for (int row = 0; fine && row < rows.count; row++) {
		const char *reason;

		fine = ask(&check, &rows, row, &reason, err);
		if (fine && reason != NULL)
			keep(&check, &rows, row, reason);
	}
	if (fine)
		tell(&check, months, found, context);
	rows_release(&rows);
	index_release(&check.index);
	free(check.items);
	arena_release(&check.arena);
	return fine;
}
