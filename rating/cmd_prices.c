/* cmd_prices.c -- `tollbook prices check|publish|list|show`. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "rating/price_findings.h"
#include "rating/price_publish.h"
#include "rating/price_usage.h"

static bool check(struct run *run, struct error *err);
static bool publish(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);

static const struct option_spec check_options[] = {
    {"with", "FILE...", "a price book that a checked one extends, where it is not published", 'w'},
    {"against", "BOOK", "compare with this one: a file, BOOK@VERSION, or BOOK for its newest version", 0},
    {"usage", NULL, "look for usage that the book would hold, in the ledger of tenants whose contract names it", 0},
    {"since", "MONTHS", "with --usage: how many months back; default: 1", 0},
    {0},
};

const struct command cmd_prices_check = {
    .name = "prices check",
    .summary = "check price book files: errors stop them from being published, warnings do not",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .options = check_options,
    .needs = NEEDS_NOTHING,
    .example = "  tollbook prices check examples/prices/public-usd.json\n"
	       "  tollbook prices check --against public-usd --usage public-usd.json",
    .run = check,
};

const struct command cmd_prices_publish = {
    .name = "prices publish",
    .summary = "publish a price book file as the next version of its book; published versions never change",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .takes_dry_run = true,
    .example = "  tollbook prices publish examples/prices/public-usd.json",
    .run = publish,
};

const struct command cmd_prices_list = {
    .name = "prices list",
    .summary = "list published price books, version by version",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook prices list",
    .run = list,
};

const struct command cmd_prices_show = {
    .name = "prices show",
    .summary = "print a published price book, byte for byte as it was published; the newest version unless one is named",
    .operands = "BOOK[@VERSION]",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .example = "  tollbook prices show public-usd\n  tollbook prices show public-usd@1 >public-usd-1.json",
    .run = show,
};

/* --- check ----------------------------------------------------------------------------------- */

/* The months of --since before now. */
static bool
usage_since(struct run *run, int64_t *months, struct error *err)
{
	if (option_value(run, "since") != NULL && option_value(run, "usage") == NULL)
		return error_set(err, ERROR_USAGE, "--since belongs to --usage");
	return option_number(run, "since", 1, 120, 1, months, err);
}

/* What takes more than the book itself: an earlier one, and what the ledger has seen. */
static bool
check_beside(
    struct run *run, struct book_shelf *shelf, const struct price_book *book, struct price_findings *findings, struct error *err)
{
	const char *against = option_value(run, "against");
	struct price_version earlier;
	int64_t months;

	if (!usage_since(run, &months, err))
		return false;
	if (against != NULL) {
		if (!price_version_named(run, shelf, against, &earlier, err))
			return error_wrap(err, "--against");
		price_book_check_against(book, earlier.book, price_finding_tell, findings);
	}
	return option_value(run, "usage") == NULL ||
	    (run_open_db(run, err) && price_usage_check(run, shelf, book, months, price_finding_tell, findings, err));
}

/* Tells what is found in one file. */
static bool
check_text(struct run *run, struct book_shelf *shelf, const char *path, struct text *text, struct error *err)
{
	struct price_findings findings = {.out = stdout, .file = path, .places = {.text = text}};
	struct price_book *book;
	bool fine;

	if (!price_file_read(run, shelf, path, text, &book, err))
		return false;
	price_book_check(book, price_finding_tell, &findings);
	fine = check_beside(run, shelf, book, &findings, err) && price_findings_refuse(&findings, err);
	if (fine)
		printf("%s: book %s, %s, %zu rules: fine, %d warnings\n", path, price_book_name(book), price_book_currency(book),
		    price_book_rules(book), findings.warnings);
	price_places_release(&findings.places);
	price_book_free(book);
	return fine;
}

static bool
check_file(struct run *run, struct book_shelf *shelf, const char *path, struct error *err)
{
	struct text text = {0};
	bool fine = check_text(run, shelf, path, &text, err);

	text_release(&text);
	return fine;
}

static void
tell_another(const char *file, const struct error *err)
{
	printf("%s:", file);
	if (err->line > 0)
		printf("%llu:%llu:", (unsigned long long)err->line, (unsigned long long)err->column);
	printf(" error: %s%s%s\n", err->field, err->field[0] == '\0' ? "" : ": ", err->message);
}

/* Every file is read, whatever is wrong with one; the first error is the command's, further ones are told beside the findings. */
static bool
check_files(struct run *run, struct book_shelf *shelf, struct error *err)
{
	int faulty = 0;

	for (int i = 0; i < run->operand_count; i++) {
		struct error another = {0};

		if (check_file(run, shelf, run->operands[i], faulty == 0 ? err : &another))
			continue;
		if (faulty++ > 0)
			tell_another(run->operands[i], &another);
	}
	if (faulty > 1)
		error_detail(err, "%d of %d files have errors", faulty, run->operand_count);
	return faulty == 0;
}

static bool
check(struct run *run, struct error *err)
{
	struct book_shelf *shelf = book_shelf_new();
	bool fine = price_files_with(run, shelf, err) && check_files(run, shelf, err);

	book_shelf_free(shelf);
	return fine;
}

/* --- publish --------------------------------------------------------------------------------- */

static bool
publish(struct run *run, struct error *err)
{
	struct price_published published;
	bool fine = db_begin(run->db, err) && price_publish_within(run, run->operands[0], stderr, &published, err);

	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		printf("%s version %lld: %s\n", published.book, (long long)published.version,
		    !published.is_new  ? "published before, with the same bytes"
			: run->dry_run ? "could be published"
				       : "published");
	return fine;
}

/* --- list, show ------------------------------------------------------------------------------ */

static bool
list(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"book", "book", COLUMN_TEXT}, {"version", "version", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"effective", "effective", COLUMN_TEXT},
	    {"published_at", "published", COLUMN_TEXT}, {"published_by", "by", COLUMN_TEXT}, {"sha256", "SHA-256", COLUMN_TEXT},
	    {0}};
	struct table *table;
	struct rows rows;

	if (!db_rows(run->db, SQL_RATING_PRICE_BOOK_LIST, NO_PARAMS, &rows, err))
		return false;
	table = table_new(columns);
	table_rows(table, &rows);
	table_print(table, run, "no price books are published");
	table_free(table);
	rows_release(&rows);
	return true;
}

static bool
show(struct run *run, struct error *err)
{
	struct rows rows;
	const char *book;
	int version;

	if (!price_word_split(run, run->operands[0], &book, &version, err) ||
	    !db_rows(run->db, SQL_RATING_PRICE_BOOK_GET, PARAMS(book, param_number(&run->arena, version)), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "there is no published price book \"%s\"", run->operands[0]);
		return error_hint(err, "tollbook prices list shows what there is.");
	}
	fwrite(row_text(&rows, 0, 0), 1, row_length(&rows, 0, 0), stdout);
	rows_release(&rows);
	return true;
}
