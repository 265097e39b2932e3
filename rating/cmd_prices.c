/* cmd_prices.c -- `tollbook prices check|publish|list|show|which`. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/document.h"
#include "base/table.h"
#include "ledger/meter.h"
#include "rating/contract.h"

static bool check(struct run *run, struct error *err);
static bool publish(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool which(struct run *run, struct error *err);

static const struct option_spec which_options[] = {
    {"book", "NAME", "the price book; must be given", 'b'},
    {"model", "NAME", "the model as served; must be given", 'm'},
    {"service-tier", "NAME", "the service tier; default: default", 's'},
    {"base-model", "NAME", "the base model, where usage states one", 0},
    {"at", "INSTANT", "the time of the usage; default: now", 0},
    {0},
};

const struct command cmd_prices_check = {
    .name = "prices check",
    .summary = "check price book files: errors stop them from being published, warnings do not",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .needs = NEEDS_NOTHING,
    .example = "  tollbook prices check examples/prices/public-usd.json",
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

const struct command cmd_prices_which = {
    .name = "prices which",
    .summary = "show how a price is chosen: the version, every rule and why, and the price of each meter",
    .operands = "",
    .options = which_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook prices which --book public-usd --model gpt-5-mini --at 2026-10-15T12:00:00Z",
    .run = which,
};

/* --- check ----------------------------------------------------------------------------------- */

struct findings {
	FILE *out;
	const char *file;
	int errors, warnings;
};

static void
tell_finding(void *context, bool is_error, const char *path, const char *text)
{
	struct findings *findings = context;

	fprintf(findings->out, "%s: %s: %s: %s\n", findings->file, is_error ? "error" : "warning", path, text);
	findings->errors += is_error;
	findings->warnings += !is_error;
}

/* Parses and checks; the text and the book are the caller's. */
static bool
load(const char *path, struct text *document, struct price_book **book, struct findings *findings, struct error *err)
{
	findings->file = path;
	if (!document_read(path, document, err) || !price_book_parse(document->bytes, document->length, path, book, err))
		return false;
	price_book_check(*book, tell_finding, findings);
	if (findings->errors == 0)
		return true;
	price_book_free(*book);
	error_set(err, ERROR_INPUT, "the price book has %d errors", findings->errors);
	error_at(err, path, 0);
	return error_hint(err, "Each is told above, with the path of the rule; docs/price-books.md is the language.");
}

static bool
check_file(const char *path, struct error *err)
{
	struct findings findings = {.out = stdout};
	struct text document = {0};
	struct price_book *book;
	bool fine = load(path, &document, &book, &findings, err);

	text_release(&document);
	if (!fine)
		return false;
	printf("%s: book %s, %s, %zu rules: fine, %d warnings\n", path, price_book_name(book), price_book_currency(book),
	    price_book_rules(book), findings.warnings);
	price_book_free(book);
	return true;
}

/* Every file is read, whatever is wrong with one; the first error is the command's, further ones are told beside the findings. */
static bool
check(struct run *run, struct error *err)
{
	int faulty = 0;

	for (int i = 0; i < run->operand_count; i++) {
		struct error another = {0};

		if (check_file(run->operands[i], faulty == 0 ? err : &another))
			continue;
		if (faulty++ > 0)
			printf("%s: error: %s%s%s\n", run->operands[i], another.field, another.field[0] == '\0' ? "" : ": ",
			    another.message);
	}
	if (faulty > 1)
		error_detail(err, "%d of %d files have errors", faulty, run->operand_count);
	return faulty == 0;
}

/* --- publish --------------------------------------------------------------------------------- */

/* Columns of price_book_place.sql: the next version, the book's currency ('' for a new book), the version with the same bytes (0: none), the
 * newest effective instant that is at or after this one's, as text, and its version ('' and 0: none). */
static bool
find_place(struct run *run, const struct price_book *book, const char *digest, int64_t *version, bool *published_before,
    struct error *err)
{
	struct rows place;
	bool fine = true;

	if (!db_one_row(run->db, SQL_RATING_PRICE_BOOK_PLACE,
		PARAMS(price_book_name(book), digest, param_instant(&run->arena, price_book_effective(book))), &place, err))
		return false;
	*version = row_number(&place, 0, 0);
	*published_before = row_number(&place, 0, 2) > 0;
	if (*published_before) {
		*version = row_number(&place, 0, 2);
	} else if (row_text(&place, 0, 1)[0] != '\0' && strcmp(row_text(&place, 0, 1), price_book_currency(book)) != 0) {
		fine = error_set(err, ERROR_STATE, "book %s is in %s, not in %s", price_book_name(book), row_text(&place, 0, 1),
		    price_book_currency(book));
		error_hint(err, "A book keeps its currency; publish this one under another name.");
	} else if (row_number(&place, 0, 4) > 0) {
		fine = error_set(err, ERROR_STATE, "book %s has version %s with effective %s, which is not before this one's",
		    price_book_name(book), row_text(&place, 0, 4), row_text(&place, 0, 3));
		error_hint(err, "Versions come into force in the order they are published; give this one a later \"effective\".");
	}
	rows_release(&place);
	return fine;
}

static bool
store(
    struct run *run, const struct price_book *book, struct text *document, int64_t version, const char *digest, struct error *err)
{
	const char *number = param_number(&run->arena, version);

	return db_change(run->db, SQL_RATING_PRICE_BOOK_ADD,
		   PARAMS(price_book_name(book), number, price_book_currency(book),
		       param_instant(&run->arena, price_book_effective(book)), text_string(document), digest,
		       param_instant(&run->arena, run->now), run->by),
		   1, err) &&
	    db_change(run->db, SQL_LEDGER_AUDIT_ADD,
		PARAMS(param_instant(&run->arena, run->now), run->by, "prices publish",
		    arena_format(&run->arena, "%s version %s", price_book_name(book), number), run->operands[0]),
		1, err);
}

static bool
publish_book(struct run *run, const struct price_book *book, struct text *document, struct error *err)
{
	unsigned char sum[DIGEST_SIZE];
	struct digest *digest = digest_new();
	const char *hex;
	int64_t version;
	bool before = false, fine;

	digest_bytes(digest, document->bytes, document->length);
	digest_end(digest, sum);
	digest_free(digest);
	hex = param_hex(&run->arena, sum, sizeof sum);
	fine = db_begin(run->db, err) && terms_lock(run->db, err) && find_place(run, book, hex, &version, &before, err) &&
	    (before || store(run, book, document, version, hex, err));
	if (fine && !run->dry_run)
		fine = db_commit(run->db, err);
	else
		db_rollback(run->db);
	if (fine)
		printf("%s version %lld: %s\n", price_book_name(book), (long long)version,
		    before             ? "published before, with the same bytes"
			: run->dry_run ? "could be published"
				       : "published");
	return fine;
}

static bool
publish(struct run *run, struct error *err)
{
	struct findings findings = {.out = stderr};
	struct text document = {0};
	struct price_book *book;
	bool fine = load(run->operands[0], &document, &book, &findings, err);

	if (fine) {
		fine = publish_book(run, book, &document, err);
		price_book_free(book);
	}
	text_release(&document);
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
	const char *operand = run->operands[0], *at = strrchr(operand, '@');
	const char *book = at == NULL ? operand : arena_copy(&run->arena, operand, (size_t)(at - operand));
	i128 version = 0;
	struct rows rows;

	if (at != NULL && (!integer_parse(at + 1, strlen(at + 1), &version, err) || version < 1 || version > INT32_MAX))
		return error_set(err, ERROR_USAGE, "\"%s\" does not end in a version: write BOOK@1", operand);
	if (!db_rows(run->db, SQL_RATING_PRICE_BOOK_GET, PARAMS(book, param_number(&run->arena, (int64_t)version)), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "there is no published price book \"%s\"", operand);
		return error_hint(err, "tollbook prices list shows what there is.");
	}
	fwrite(row_text(&rows, 0, 0), 1, row_length(&rows, 0, 0), stdout);
	rows_release(&rows);
	return true;
}

/* --- which ----------------------------------------------------------------------------------- */

static bool
need(struct run *run, const char *option, const char **out, struct error *err)
{
	*out = option_value(run, option);
	if (*out != NULL && (*out)[0] != '\0')
		return true;
	error_set(err, ERROR_USAGE, "prices which needs --%s", option);
	return error_hint(err, "Run: tollbook prices which --help");
}

/* One row a step of a meter's price. */
static void
add_price(struct table *table, const struct meter *meter, const struct meter_price *price, int priced_as)
{
	static const char *const modes[] = {[TIER_FLAT] = "", [TIER_GRADUATED] = "graduated", [TIER_VOLUME] = "volume"};

	for (size_t i = 0; i < price->steps; i++) {
		char text[DECIMAL_TEXT];

		table_row(table);
		table_cell(table, meter->name);
		table_cell(table, priced_as == meter->id ? "" : meter_of(priced_as)->name);
		table_cell(table, modes[price->mode]);
		table_cell(table, i + 1 < price->steps ? meter_format(meter, price->step[i].up_to, text) : "");
		table_cell(table, decimal_format(price->step[i].price, text));
		table_cell_format(table, "%lld", (long long)price->per);
	}
}

static void
print_prices(struct run *run, const struct price_book *book, size_t rule)
{
	static const struct column columns[] = {{"meter", "meter", COLUMN_TEXT}, {"priced_as", "priced as", COLUMN_TEXT},
	    {"tiers", "tiers", COLUMN_TEXT}, {"up_to", "up to", COLUMN_NUMBER}, {"price", "price", COLUMN_NUMBER},
	    {"per", "per", COLUMN_NUMBER}, {0}};
	struct table *table = table_new(columns);

	for (int id = 1; id < METER_LIMIT; id++) {
		int priced_as;
		const struct meter_price *price = price_book_meter(book, rule, id, &priced_as);

		if (price != NULL)
			add_price(table, meter_of(id), price, priced_as);
	}
	table_print(table, run, "no meter has a price");
	table_free(table);
}

/* Every rule in the order of choice, with why; the first that does not say "no" decides. */
static void
print_decision(struct run *run, const struct price_book *book, const struct price_subject *subject)
{
	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < price_book_rules(book); i++)
			if (price_rule_is_exact(book, i) == (exact == 1))
				printf("  rule %zu, %s: %s\n", i + 1, price_rule_describe(book, i, &run->arena),
				    price_rule_verdict(book, i, subject));
}

static bool
decide(struct run *run, const struct price_version *version, const char *name, const struct price_subject *subject)
{
	char effective[INSTANT_TEXT];
	size_t rule;
	enum price_match match = price_book_match(version->book, subject, &rule);

	if (run->format == FORMAT_TABLE) {
		printf("book %s version %d, effective %s, in %s\n", name, version->version,
		    instant_format(version->effective, effective), price_book_currency(version->book));
		print_decision(run, version->book, subject);
	}
	if (match == PRICE_MATCHED) {
		if (run->format == FORMAT_TABLE)
			printf("chosen: rule %zu; meters that are not listed are held\n", rule + 1);
		print_prices(run, version->book, rule);
		return true;
	}
	run->finding = ERROR_FINDINGS;
	say(run, "no price: usage is held with the reason %s", match == PRICE_NO_RULE ? "no_rule" : "pattern_limit");
	return true;
}

static const struct price_version *
version_at(const struct price_books *books, struct instant at)
{
	const struct price_version *found = NULL;

	for (size_t i = 0; i < books->count; i++)
		if (books->item[i].effective.us <= at.us)
			found = &books->item[i];
	return found;
}

static bool
which(struct run *run, struct error *err)
{
	struct price_subject subject = {
	    .base_model = option_value(run, "base-model"), .service_tier = option_value(run, "service-tier")};
	const struct price_version *version;
	struct instant at = run->now;
	struct price_books books;
	const char *name;
	bool fine;

	if (!need(run, "book", &name, err) || !need(run, "model", &subject.model, err) ||
	    (option_value(run, "at") != NULL && !instant_option(option_value(run, "at"), &at, err)) ||
	    !price_books_load(run->db, name, &books, err))
		return false;
	subject.base_model = subject.base_model == NULL ? "" : subject.base_model;
	subject.service_tier = subject.service_tier == NULL ? "default" : subject.service_tier;
	version = version_at(&books, at);
	if (version == NULL) {
		error_set(err, ERROR_STATE,
		    books.count == 0 ? "there is no published price book \"%s\""
				     : "no version of \"%s\" is in force at that time",
		    name);
		fine = error_hint(err, "tollbook prices list shows what there is.");
	} else {
		fine = decide(run, version, name, &subject);
	}
	price_books_release(&books);
	return fine;
}
