/* cmd_prices_import.c -- `tollbook prices import`. */
#include "base/command.h"
#include "base/document.h"
#include "base/file.h"
#include "rating/price_book.h"
#include "rating/price_import.h"

static bool import(struct run *run, struct error *err);

static const struct option_spec options[] = {
    {"book", "NAME", "the name of the book; default: the name of the list", 'b'},
    {"effective", "INSTANT", "from when on the book is in force; default: today, 00:00 UTC", 'e'},
    {"provider", "NAME", "only this provider's entries; rules then do not ask for a provider", 'p'},
    {"output", "FILE", "where the book goes; default: standard output", 'o'},
    {"report", "FILE", "what the book could not say, or says with a change: a line of JSON for each field", 'r'},
    {"all", NULL, "also a book for each later date at which the list changes its prices; each as FILE with its date", 'a'},
    {0},
};

const struct command cmd_prices_import = {
    .name = "prices import",
    .summary = "make a price book from a public price list: litellm, genai-prices, openrouter or models-dev",
    .operands = "LIST FILE",
    .operands_min = 2,
    .operands_max = 2,
    .options = options,
    .needs = NEEDS_NOTHING,
    .example = "  tollbook prices import litellm examples/price-lists/litellm.json -o litellm.json --report litellm.report\n"
	       "  tollbook prices import models-dev examples/price-lists/models-dev.csv --provider acme-cloud",
    .run = import,
};

static bool
order_of(const struct run *run, struct price_import_order *order, struct error *err)
{
	const int64_t day = (int64_t)24 * 60 * 60 * 1000000;
	const char *effective = option_value(run, "effective"), *book = option_value(run, "book");

	if (!price_list_kind_find(run->operands[0], &order->kind)) {
		error_set(err, ERROR_USAGE, "there is no price list \"%s\"", run->operands[0]);
		return error_hint(err, "It can be litellm, genai-prices, openrouter or models-dev.");
	}
	order->file = run->operands[1];
	order->provider = option_value(run, "provider");
	order->book = book == NULL ? price_list_kind_name(order->kind) : book;
	order->effective.us = run->now.us - run->now.us % day;
	if (effective != NULL && !instant_option(effective, &order->effective, err))
		return false;
	if (order->effective.us % INTERVAL_US != 0)
		return error_set(err, ERROR_USAGE, "--effective is not on a quarter of an hour");
	if (option_value(run, "all") != NULL && option_value(run, "output") == NULL)
		return error_set(err, ERROR_USAGE, "--all needs --output");
	return true;
}

/* "book.json" with the date of its book: "book.2026-09-01.json". */
static const char *
dated_path(struct arena *arena, const char *path, struct instant effective)
{
	const char *slash = strrchr(path, '/'), *point = strrchr(path, '.');
	char date[INSTANT_TEXT];
	size_t length = strlen(path);

	instant_format(effective, date);
	if (point != NULL && point != path && (slash == NULL || point > slash + 1))
		length = (size_t)(point - path);
	return arena_format(arena, "%.*s.%.10s%s", (int)length, path, date, path + length);
}

static bool
write_text(const char *path, const struct text *text, struct error *err)
{
	if (path != NULL && strcmp(path, "-") != 0)
		return file_write(path, text->bytes, text->length, err);
	if (fwrite(text->bytes, 1, text->length, stdout) != text->length)
		return error_set(err, ERROR_AWAY, "standard output could not be written");
	return true;
}

/* A book that no program would take is not written. */
static bool
check_size(const struct price_import *list, const struct price_import_order *order, const struct text *book, struct error *err)
{
	size_t rules = price_import_rules(list);

	if (rules > 0 && rules <= PRICE_RULES_MAX && book->length <= DOCUMENT_BYTES)
		return true;
	error_set(err, ERROR_INPUT, "the list would make a book of %zu rules and %zu bytes", rules, book->length);
	error_at(err, order->file, 0);
	return error_hint(err,
	    rules == 0 ? "Nothing in it has a price that a book can say; --report tells why."
		       : "A book has at most 10000 rules; import one --provider at a time.");
}

static bool
write_results(struct run *run, const struct price_import *list, const struct price_import_order *order, struct error *err)
{
	const char *path = option_value(run, "output"), *report_path = option_value(run, "report");
	struct text book = {0}, summary = {0}, report = {0};
	bool fine;

	price_import_book(list, &book);
	price_import_summary(list, &summary);
	price_import_report(list, &report);
	if (option_value(run, "all") != NULL) {
		path = dated_path(&run->arena, path, order->effective);
		if (report_path != NULL)
			report_path = dated_path(&run->arena, report_path, order->effective);
	}
	say(run, "%s%s%s", path == NULL ? "" : path, path == NULL ? "" : ": ", text_string(&summary));
	text_add(&report, "", 0);
	fine = (report_path == NULL || write_text(report_path, &report, err)) && check_size(list, order, &book, err) &&
	    write_text(path, &book, err);
	text_release(&report);
	text_release(&summary);
	text_release(&book);
	return fine;
}

static bool
import(struct run *run, struct error *err)
{
	struct price_import_order order = {.kind = PRICE_LIST_LITELLM};
	struct text document = {0};
	bool more = true, fine = order_of(run, &order, err) && document_read(order.file, &document, err);

	while (fine && more) {
		struct price_import *list;

		fine = price_import_read(&order, document.bytes, document.length, &list, err);
		if (!fine)
			break;
		fine = write_results(run, list, &order, err);
		more = price_import_next_date(list, &order.effective) && option_value(run, "all") != NULL;
		price_import_free(list);
	}
	text_release(&document);
	return fine;
}
