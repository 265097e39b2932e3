/* cmd_prices_which.c -- `tollbook prices which`: how a price is chosen. */
#include <string.h>

#include "base/table.h"
#include "rating/contract.h"
#include "rating/price_files.h"

static bool which(struct run *run, struct error *err);

static const struct option_spec which_options[] = {
    {"book", "NAME", "a published price book: the version in force at the time, or the one of NAME@VERSION", 'b'},
    {"tenant", "NAME", "instead: the books of this tenant's contract at the time", 't'},
    {"file", "FILE", "instead: a price book file", 'f'},
    {"with", "FILE...", "a price book that the file extends", 'w'},
    {"at", "INSTANT", "the time of the usage; default: now", 0},
    {"model", "NAME", "the model as served; must be given", 'm'},
    {"service-tier", "NAME", "the service tier; default: default", 's'},
    {"base-model", "NAME", "the base model, where usage states one", 0},
    {"adapter-kind", "NAME", "what kind of adapter", 0},
    {"adapter", "NAME", "the adapter", 0},
    {"provider", "NAME", "the provider", 0},
    {"operation", "NAME", "the operation", 0},
    {"region", "NAME", "the region", 0},
    {"speed", "NAME", "the speed", 0},
    {"deployment", "NAME", "the deployment", 0},
    {"project", "NAME", "the project", 0},
    {"api-key", "NAME", "the API key", 0},
    {"engine", "NAME", "the engine", 0},
    {"tag", "KEY=VALUE...", "a tag of the request", 0},
    {0},
};

const struct command cmd_prices_which = {
    .name = "prices which",
    .summary = "show how a price is chosen: the version, every rule and why, and the price of each meter",
    .operands = "",
    .options = which_options,
    .needs = NEEDS_NOTHING,
    .prints_rows = true,
    .example = "  tollbook prices which --book public-usd --model gpt-5-mini --at 2026-10-15T12:00:00Z\n"
	       "  tollbook prices which --file public-usd.json --model gpt-5-mini --service-tier batch\n"
	       "  tollbook prices which --tenant acme --model llama-3-acme --base-model llama-3 --tag env=prod",
    .run = which,
};

/* What is asked, and of whom. */
struct question {
	struct run *run;
	struct book_shelf *shelf;
	struct instant at;
	struct price_subject subject;
	const struct price_book *books[2]; /* an override first */
	size_t count;
};

/* --- the command line ------------------------------------------------------------------------ */

/* The option of a field: --api-key for api_key. */
static const char *
field_option(struct run *run, int field)
{
	char option[32];

	snprintf(option, sizeof option, "%s", match_field_names[field]);
	for (char *at = option; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	return option_value(run, option);
}

/* The tags as a JSON object, as a request would have them. */
static bool
read_tags(struct question *question, struct error *err)
{
	struct run *run = question->run;
	struct text text = {0};
	bool fine = true;

	for (size_t i = 0; fine && option_each(run, "tag", i) != NULL; i++) {
		const char *tag = option_each(run, "tag", i), *equals = strchr(tag, '=');

		fine = equals != NULL && equals != tag;
		if (!fine)
			break;
		text_add_string(&text, i == 0 ? "{" : ",");
		text_add_json(&text, arena_copy(&run->arena, tag, (size_t)(equals - tag)));
		text_add_string(&text, ":");
		text_add_json(&text, equals + 1);
	}
	if (text.length > 0)
		text_add_string(&text, "}");
	question->subject.tags = arena_copy(&run->arena, text_string(&text), text.length);
	text_release(&text);
	if (fine)
		return true;
	error_set(err, ERROR_USAGE, "--tag is KEY=VALUE");
	return error_hint(err, "For example --tag env=prod");
}

static bool
read_subject(struct question *question, struct error *err)
{
	const char **field = question->subject.field;

	for (int i = 0; i < MATCH_FIELDS; i++) {
		field[i] = field_option(question->run, i);
		field[i] = field[i] != NULL ? field[i] : i == MATCH_SERVICE_TIER ? "default" : "";
	}
	if (field[MATCH_MODEL][0] == '\0') {
		error_set(err, ERROR_USAGE, "prices which needs --model");
		return error_hint(err, "Run: tollbook prices which --help");
	}
	return read_tags(question, err);
}

static bool
add_version(struct question *question, const char *name, struct error *err)
{
	struct price_version version;
	bool fine = strchr(name, '@') != NULL
	    ? price_version_named(question->run, question->shelf, name, &version, err)
	    : price_version_at(question->run, question->shelf, name, question->at, &version, err);

	if (fine)
		question->books[question->count++] = version.book;
	return fine;
}

static bool
add_file(struct question *question, const char *path, struct error *err)
{
	struct text text = {0};
	struct price_book *book;
	bool fine = price_files_with(question->run, question->shelf, err) &&
	    price_file_read(question->run, question->shelf, path, &text, &book, err);

	text_release(&text);
	if (!fine)
		return false;
	book_shelf_add(question->shelf, book);
	question->books[question->count++] = book;
	return true;
}

/* The books of the contract; an override that is not in force then is not asked, as in rating. */
static bool
add_contract(struct question *question, const char *tenant, const struct contracts *contracts, struct error *err)
{
	size_t place = contract_at(contracts, question->at);
	const struct contract *contract = place == 0 ? NULL : &contracts->item[place - 1];
	const struct price_books *books;
	const struct price_version *version;

	if (contract == NULL) {
		error_set(err, ERROR_STATE, "tenant \"%s\" has no contract at that time", tenant);
		return error_hint(err, "tollbook tenant list shows what there is.");
	}
	if (contract->override[0] != '\0') {
		if (!book_shelf_find(question->shelf, question->run->db, contract->override, &books, err))
			return false;
		version = price_books_at(books, question->at, INT64_MAX);
		if (version != NULL)
			question->books[question->count++] = version->book;
	}
	if (question->count == 0)
		return add_version(question, contract->book, err);
	if (!book_shelf_find(question->shelf, question->run->db, contract->book, &books, err))
		return false;
	version = price_books_at(books, question->at, INT64_MAX);
	if (version != NULL)
		question->books[question->count++] = version->book;
	return true;
}

static bool
add_tenant(struct question *question, const char *tenant, struct error *err)
{
	struct contracts contracts;
	bool fine;

	if (!run_open_db(question->run, err) || !contracts_load(question->run->db, &tenant, &contracts, 1, err))
		return false;
	fine = add_contract(question, tenant, &contracts, err);
	contracts_release(&contracts);
	return fine;
}

static bool
read_books(struct question *question, struct error *err)
{
	const char *book = option_value(question->run, "book"), *tenant = option_value(question->run, "tenant");
	const char *file = option_value(question->run, "file");

	if ((book != NULL) + (tenant != NULL) + (file != NULL) != 1) {
		error_set(err, ERROR_USAGE, "prices which needs one of --book, --tenant and --file");
		return error_hint(err, "Run: tollbook prices which --help");
	}
	if (file != NULL)
		return add_file(question, file, err);
	return book != NULL ? add_version(question, book, err) : add_tenant(question, tenant, err);
}

/* --- the decision ---------------------------------------------------------------------------- */

/* The rules of a book in the order they are asked, with why; those behind the first that does not say "no" are not asked. */
static void
print_rules(const struct question *question, const struct price_book *book, const struct price_subject *subject)
{
	size_t asked = 0, count = price_book_rules(book);
	bool decided = false;

	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = 0; i < count && !decided; i++) {
			const char *verdict;

			if (price_rule_is_exact(book, i) != (exact == 1))
				continue;
			verdict = price_rule_verdict(book, i, subject);
			printf("  rule %zu, %s: %s\n", i + 1, price_rule_describe(book, i, &question->run->arena), verdict);
			asked++;
			decided = strncmp(verdict, "no", 2) != 0;
		}
	if (asked < count)
		printf("  %zu more rule%s not asked\n", count - asked, count - asked == 1 ? " is" : "s are");
}

static void
print_layer(const struct question *question, size_t layer)
{
	struct price_subject subject = question->subject;
	const char *model = subject.field[MATCH_MODEL];

	subject.field[MATCH_MODEL] = price_book_alias(question->books[layer], model);
	for (const struct price_book *book = question->books[layer]; book != NULL; book = price_book_base(book)) {
		char effective[INSTANT_TEXT];

		printf("book %s, effective %s, in %s%s\n", price_book_label(book),
		    instant_format(price_book_effective(book), effective), price_book_currency(book),
		    book == question->books[layer] ? "" : ", which it extends");
		if (book == question->books[layer] && strcmp(model, subject.field[MATCH_MODEL]) != 0)
			printf("  alias: %s is matched as %s\n", model, subject.field[MATCH_MODEL]);
		print_rules(question, book, &subject);
	}
}

/* "x@1 rule 2, model ...; base model llama x 1.2": innermost first, as it is computed. */
static void
print_source(const struct question *question, size_t place, const struct price_source *source)
{
	printf("  %zu. %s rule %zu, %s", place + 1, price_book_label(source->book), source->rule + 1,
	    price_rule_describe(source->book, source->rule, &question->run->arena));
	for (size_t i = source->adjustments; i > 0; i--) {
		const struct price_adjustment *adjustment = &source->adjustment[i - 1];

		printf("%s%s", i == source->adjustments ? "; by " : ", then ", adjustment->words);
		for (int meter = 1; adjustment->plus != NULL && meter < METER_LIMIT; meter++) {
			struct decimal price;
			char text[DECIMAL_TEXT];
			int64_t per;

			if (price_plus_of(adjustment->plus, meter, &price, &per))
				printf(", %s %s%s for %lld", meter_of(meter)->name, price.e18 < 0 ? "" : "+",
				    decimal_format(price, text), (long long)per);
		}
	}
	printf("\n");
}

/* --- prices ---------------------------------------------------------------------------------- */

/* One meter on its way into the table. */
struct listing {
	const struct question *question;
	struct table *table;
	const struct price_choice *choice;
	struct price_answer answer;
	int meter;
	const struct price_time *now; /* the time that holds when the usage is; NULL: none */
};

static const char *
tier_words(const struct tiers *tiers, const struct tier_step *step)
{
	if (tiers->steps == 1 && step->in_packages)
		return "packages";
	if (tiers->mode == TIER_FLAT)
		return "";
	if (tiers->mode == TIER_GRADUATED)
		return step->in_packages ? "graduated, packages" : "graduated";
	return step->in_packages ? "volume, packages" : "volume";
}

/* "input over 200000"; of the first bracket where the next one begins. */
static const char *
bracket_words(const struct listing *listing, const struct meter_price *price, size_t bracket)
{
	static const char *const sizes[PRICE_SIZES] = {"input", "uncached input", "output", "place"};
	struct arena *arena = &listing->question->run->arena;
	const char *next;

	if (price->brackets == 1)
		return "";
	if (bracket > 0)
		return arena_format(arena, "%s %s", sizes[price->size], price->bracket[bracket].words);
	next = price->bracket[1].words;
	return strncmp(next, "from ", 5) == 0 ? arena_format(arena, "%s below %s", sizes[price->size], next + 5)
					      : arena_format(arena, "%s not %s", sizes[price->size], next);
}

static bool
add_step(const struct listing *listing, const struct meter_price *price, size_t bracket, size_t step,
    const struct price_time *time, struct error *err)
{
	const struct price_source *source = listing->answer.source;
	const struct tiers *tiers = &price->bracket[bracket].tiers;
	const struct tier_step *s = &tiers->step[step];
	struct decimal factor = time == NULL || time->price != NULL ? decimal_one : time->factor, amount, fee;
	struct table *table = listing->table;
	char text[DECIMAL_TEXT];

	if (!price_effective(source, listing->answer.priced_as, s->price, s->per, factor, &amount, err) ||
	    !price_effective_fee(source, s->fee, factor, &fee, err))
		return false;
	table_row(table);
	table_cell(table, meter_of(listing->meter)->name);
	table_cell(table, listing->answer.priced_as == listing->meter ? "" : meter_of(listing->answer.priced_as)->name);
	table_cell(table,
	    source == NULL ? "free"
			   : arena_format(&listing->question->run->arena, "%zu", (size_t)(source - listing->choice->source) + 1));
	table_cell(table, time == NULL ? "" : time_window_name(time->window));
	table_cell(table, listing->answer.price->times == 0 || time != listing->now ? "" : "yes");
	table_cell(table, bracket_words(listing, price, bracket));
	table_cell(table, tier_words(tiers, s));
	table_cell(table, step + 1 < tiers->steps ? meter_format(meter_of(listing->answer.priced_as), s->up_to, text) : "");
	table_cell(table, decimal_format(amount, text));
	table_cell_format(table, "%lld", (long long)s->per);
	table_cell(table, fee.e18 == 0 ? "" : decimal_format(fee, text));
	return true;
}

static bool
add_price(const struct listing *listing, const struct meter_price *price, const struct price_time *time, struct error *err)
{
	for (size_t bracket = 0; bracket < price->brackets; bracket++)
		for (size_t step = 0; step < price->bracket[bracket].tiers.steps; step++)
			if (!add_step(listing, price, bracket, step, time, err))
				return false;
	return true;
}

static bool
add_meter(struct listing *listing, int meter, struct error *err)
{
	const struct meter_price *price;

	listing->meter = meter;
	listing->answer = price_choice_meter(listing->choice, meter);
	price = listing->answer.price;
	if (price == NULL)
		return true;
	listing->now = NULL;
	for (size_t i = price->times; i > 0; i--)
		if (time_window_contains(price->time[i - 1].window, listing->question->at))
			listing->now = &price->time[i - 1];
	for (size_t i = 0; i < price->times; i++)
		if (!add_price(listing, price->time[i].price == NULL ? price : price->time[i].price, &price->time[i], err))
			return false;
	return add_price(listing, price, NULL, err);
}

static bool
print_prices(const struct question *question, const struct price_choice *choice, struct error *err)
{
	static const struct column columns[] = {{"meter", "meter", COLUMN_TEXT}, {"priced_as", "priced as", COLUMN_TEXT},
	    {"source", "from", COLUMN_TEXT}, {"window", "window", COLUMN_TEXT}, {"holds", "holds", COLUMN_TEXT},
	    {"bracket", "bracket", COLUMN_TEXT}, {"tiers", "tiers", COLUMN_TEXT}, {"up_to", "up to", COLUMN_NUMBER},
	    {"price", "price", COLUMN_NUMBER}, {"per", "per", COLUMN_NUMBER}, {"fee", "fee", COLUMN_NUMBER}, {0}};
	struct listing listing = {.question = question, .table = table_new(columns), .choice = choice};
	bool fine = true;

	for (int meter = 1; fine && meter < METER_LIMIT; meter++)
		fine = add_meter(&listing, meter, err);
	if (fine)
		table_print(listing.table, question->run, "no meter has a price");
	table_free(listing.table);
	return fine;
}

/* Every window that a price of the table names, in words. */
static void
print_windows(const struct question *question, const struct price_choice *choice)
{
	const struct time_window *told[PRICE_TIMES_MAX];
	size_t count = 0;

	for (int meter = 1; meter < METER_LIMIT; meter++) {
		const struct meter_price *price = price_choice_meter(choice, meter).price;

		for (size_t i = 0; price != NULL && i < price->times && count < PRICE_TIMES_MAX; i++) {
			size_t j = 0;

			while (j < count && told[j] != price->time[i].window)
				j++;
			if (j < count)
				continue;
			told[count++] = price->time[i].window;
			printf(
			    "window %s: %s\n", time_window_name(told[j]), time_window_describe(told[j], &question->run->arena));
		}
	}
}

static bool
decide(const struct question *question, struct error *err)
{
	struct run *run = question->run;
	struct price_choice choice;

	price_choose(question->books, question->count, &question->subject, &run->arena, &choice);
	if (run->format == FORMAT_TABLE)
		for (size_t i = 0; i < question->count; i++)
			print_layer(question, i);
	if (choice.outcome != PRICE_MATCHED) {
		run->finding = ERROR_FINDINGS;
		say(run, "no price: usage is held with the reason %s",
		    choice.outcome == PRICE_NO_RULE ? "no_rule" : "pattern_limit");
		return true;
	}
	if (run->format == FORMAT_TABLE) {
		printf("prices are looked for in this order; meters that are not listed are held:\n");
		for (size_t i = 0; i < choice.sources; i++)
			print_source(question, i, &choice.source[i]);
		print_windows(question, &choice);
	}
	return print_prices(question, &choice, err);
}

static bool
which(struct run *run, struct error *err)
{
	struct question question = {.run = run, .shelf = book_shelf_new(), .at = run->now};
	const char *at = option_value(run, "at");
	bool fine = (at == NULL || instant_option(at, &question.at, err)) && read_subject(&question, err) &&
	    read_books(&question, err) && decide(&question, err);

	book_shelf_free(question.shelf);
	return fine;
}
