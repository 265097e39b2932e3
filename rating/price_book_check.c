/*
 * price_book_check.c -- see price_book.h: what is wrong, or only odd, with a book that parses.
 *
 * Errors are certain: what nobody can be charged by, or two answers to one question.  Warnings are guesses by what prices usually
 * look like, and a book may mean them, or things that another book (an override, one that extends this one) may make right.
 */
#include "rating/price_book_check.h"

#include <stdlib.h>
#include <string.h>

void
inspection_tell(const struct inspection *inspection, bool is_error, const char *path, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	inspection->found(inspection->context, is_error, path, text);
}

/* What the book says is not said again of each rule that takes it over: those entries are equal in `outer`. */
static void
check_free(const struct inspection *inspection, const int fallback[METER_LIMIT], const int outer[METER_LIMIT], const char *path)
{
	for (int meter = 1; meter < METER_LIMIT; meter++) {
		const char *name = meter_of(meter)->name;
		char field[CHECK_PATH];

		if (!inspection->book->is_free[meter] || fallback[meter] == 0 ||
		    (outer != NULL && outer[meter] == fallback[meter]))
			continue;
		snprintf(field, sizeof field, "%sfallback.%s", path, name);
		inspection_tell(inspection, true, field,
		    "%s is also in \"free\": it cannot both cost nothing and take the price of %s", name,
		    meter_of(fallback[meter])->name);
	}
}

static void
check_rule(struct inspection *inspection, size_t rule)
{
	const struct price_book *book = inspection->book;
	char path[32];

	snprintf(path, sizeof path, "rules[%zu].", rule);
	check_reach(inspection, rule);
	check_patterns(inspection, rule);
	check_free(inspection, book->rules[rule].fallback, book->fallback, path);
	check_inherit(inspection, rule);
	check_missing(inspection, rule);
	check_prices(inspection, rule);
}

void
price_book_check(const struct price_book *book, price_finding *found, void *context)
{
	struct inspection inspection = {.book = book, .found = found, .context = context};

	check_literals(&inspection);
	if (book->base != NULL)
		check_factor(&inspection, "extends.factor", book->base_factor);
	check_free(&inspection, book->fallback, NULL, "");
	check_aliases(&inspection);
	check_windows(&inspection);
	check_service_tiers(&inspection);
	check_names(&inspection);
	for (size_t rule = 0; rule < book->count; rule++)
		check_rule(&inspection, rule);
	check_groups(&inspection);
	free(inspection.literal);
	free(inspection.undecided);
	index_release(&inspection.tried);
	arena_release(&inspection.arena);
}
