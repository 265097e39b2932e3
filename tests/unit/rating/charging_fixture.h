/*
 * charging_fixture.h -- a bill in memory: books and contracts as text, usage in the order of time, charges as text.
 *
 * The period is January 2026 in UTC unless a test says otherwise.  Texts of books and terms are JSON with ' for ".
 */
#ifndef TESTS_UNIT_RATING_CHARGING_FIXTURE_H
#define TESTS_UNIT_RATING_CHARGING_FIXTURE_H

#include "rating/charges.h"
#include "tests/unit/rating/contracts.h"
#include "tests/unit/rating/price_books.h"

enum { BILL_CONTRACTS_MAX = 4, BILL_CARRIED_MAX = 8 };

struct bill {
	struct book_shelf *shelf;
	struct price_book_finder finder;
	struct contract item[BILL_CONTRACTS_MAX];
	struct charging_contract resolved[BILL_CONTRACTS_MAX];
	struct contracts contracts;
	struct carried carried[BILL_CARRIED_MAX];
	struct spent spent[BILL_CARRIED_MAX];
	struct charging_inputs inputs;
	struct digest *digest;
	struct rated rated;
	struct charging *charging;
	struct text shown;
	struct error err;
};

/* The contract that usage is billed by from then on; `override` NULL: none; `terms` NULL: none. */
static inline void
bill_contract(struct bill *bill, const char *effective, const struct price_books *book, const struct price_books *override,
    const char *terms)
{
	size_t place = bill->contracts.count++;
	struct contract *contract = &bill->item[place];

	CU_ASSERT_FATAL(place < BILL_CONTRACTS_MAX);
	*contract = (struct contract){.contract_id = (int64_t)place + 1,
	    .effective = moment(effective),
	    .currency = "USD",
	    .zone = "UTC",
	    .book = "",
	    .override = "",
	    .terms_text = terms == NULL ? "" : terms,
	    .terms = terms == NULL ? NULL : terms_in(terms, "UTC")};
	bill->resolved[place] = (struct charging_contract){contract, override, book};
}

static inline struct bill *
bill_open(void)
{
	struct bill *bill = memory_new(1, sizeof *bill);

	bill->shelf = book_shelf_new();
	bill->finder = book_shelf_finder(bill->shelf, NULL);
	bill->contracts.item = bill->item;
	bill->inputs = (struct charging_inputs){.period = "2026-01",
	    .starts = moment("2026-01-01T00:00:00Z"),
	    .ends = moment("2026-02-01T00:00:00Z"),
	    .contracts = &bill->contracts,
	    .resolved = bill->resolved,
	    .priced_with = INT64_MAX,
	    .carried = bill->carried,
	    .spent = bill->spent};
	bill->digest = digest_new();
	bill->charging = charging_new(&bill->inputs, bill->digest, &bill->rated);
	return bill;
}

/* Another version of the book that the text names. */
static inline const struct price_books *
bill_book(struct bill *bill, const char *text)
{
	struct price_book *book = book_version_of(text, 0, &bill->finder);

	book_shelf_add(bill->shelf, book);
	return book_shelf_named(bill->shelf, price_book_name(book));
}

/* A bill under one book and one contract that is in force all the time. */
static inline struct bill *
bill_under(const char *book, const char *terms)
{
	struct bill *bill = bill_open();

	bill_contract(bill, "2026-01-01T00:00:00Z", bill_book(bill, book), NULL, terms);
	return bill;
}

/* What earlier periods left in a counter. */
static inline void
bill_carry(struct bill *bill, const char *key, i128 quantity)
{
	CU_ASSERT_FATAL(bill->inputs.carried_count < BILL_CARRIED_MAX);
	bill->carried[bill->inputs.carried_count++] = (struct carried){key, quantity};
}

static inline void
bill_spent(struct bill *bill, const char *period, const char *amount)
{
	CU_ASSERT_FATAL(bill->inputs.spent_count < BILL_CARRIED_MAX);
	bill->spent[bill->inputs.spent_count++] = (struct spent){period, amount_of(amount)};
}

/* Usage at noon on a day of January 2026, of requests that state only their model. */
static inline struct usage
usage_on(int day, const char *model, int meter, i128 quantity)
{
	struct usage usage = {.subject = subject_of(model), .size = {-1, -1, -1, -1}, .meter = meter, .quantity = quantity};

	usage.start.us = moment("2026-01-01T12:00:00Z").us + (int64_t)(day - 1) * 86400 * 1000000;
	return usage;
}

static inline void
bill_add(struct bill *bill, struct usage usage)
{
	bool fine = charging_add(bill->charging, &usage, &bill->err);

	if (!fine)
		printf("\n    %s\n", bill->err.message);
	CU_ASSERT_TRUE(fine);
}

/* Requests of a model at noon of a day. */
static inline void
bill_requests(struct bill *bill, int day, const char *model, i128 quantity)
{
	bill_add(bill, usage_on(day, model, METER_requests, quantity));
}

static inline void
bill_show_charge(struct text *out, const struct charge *charge)
{
	char quantity[DECIMAL_TEXT], billed[DECIMAL_TEXT], price[DECIMAL_TEXT], amount[DECIMAL_TEXT];

	text_add_string(out, out->length == 0 ? "" : "; ");
	if (charge->kind != CHARGE_USAGE)
		text_add_format(out, "%s ", charge_kind_text(charge->kind));
	if (charge->meter == 0) {
		text_add_format(out, "%s (%s)", decimal_format(charge->amount, amount), charge->detail);
		return;
	}
	text_add_format(out, "%s", charge->model);
	if (strcmp(charge->service_tier, "default") != 0)
		text_add_format(out, "[%s]", charge->service_tier);
	if (charge->meter != METER_requests)
		text_add_format(out, " %s", meter_of(charge->meter)->name);
	if (charge->priced_as != charge->meter)
		text_add_format(out, " as %s", meter_of(charge->priced_as)->name);
	if (charge->tier != 0)
		text_add_format(out, " step %d", charge->tier);
	text_add_format(out, " %s", meter_format(meter_of(charge->meter), charge->quantity, quantity));
	if (charge->billed != charge->quantity)
		text_add_format(out, " billed %s", meter_format(meter_of(charge->meter), charge->billed, billed));
	text_add_format(out, " x %s", decimal_format(charge->price, price));
	if (charge->per != 1)
		text_add_format(out, "/%lld", (long long)charge->per);
	text_add_format(out, " = %s", decimal_format(charge->amount, amount));
	if (charge->detail[0] != '\0')
		text_add_format(out, " (%s)", charge->detail);
}

static inline void
bill_show_hold(struct text *out, const struct hold *hold)
{
	char quantity[DECIMAL_TEXT];

	text_add_format(out, "%shold %s", out->length == 0 ? "" : "; ", hold->model);
	if (hold->meter != METER_requests)
		text_add_format(out, " %s", meter_of(hold->meter)->name);
	text_add_format(out, " %s: %s", meter_format(meter_of(hold->meter), hold->quantity, quantity), hold->reason);
}

/* Settles, and shows all charges and holds: "m step 2 50 x 2 = 100 (detail); hold n 5: no_rule".  Requests, the default service tier and
 * the kind usage are not named. */
static inline const char *
bill_text(struct bill *bill)
{
	bool fine = charging_settle(bill->charging, &bill->err);

	if (!fine)
		printf("\n    %s\n", bill->err.message);
	CU_ASSERT_TRUE_FATAL(fine);
	text_clear(&bill->shown);
	for (size_t i = 0; i < bill->rated.charge_count; i++)
		bill_show_charge(&bill->shown, &bill->rated.charges[i]);
	for (size_t i = 0; i < bill->rated.hold_count; i++)
		bill_show_hold(&bill->shown, &bill->rated.holds[i]);
	return text_string(&bill->shown);
}

/* The sum of all amounts; behind bill_text(). */
static inline struct decimal
bill_sum(const struct bill *bill)
{
	struct decimal sum = {0};
	struct error err;

	for (size_t i = 0; i < bill->rated.charge_count; i++)
		CU_ASSERT_TRUE_FATAL(decimal_add(sum, bill->rated.charges[i].amount, &sum, &err));
	return sum;
}

static inline void
bill_close(struct bill *bill)
{
	charging_free(bill->charging);
	rated_release(&bill->rated);
	digest_free(bill->digest);
	book_shelf_free(bill->shelf);
	for (size_t i = 0; i < bill->contracts.count; i++)
		contract_terms_free(bill->item[i].terms);
	text_release(&bill->shown);
	free(bill);
}

/* What it comes to, and the end of the bill. */
#define EXPECT_BILL(bill, wanted)                                                                                                \
	do {                                                                                                                     \
		EXPECT_TEXT(bill_text(bill), wanted);                                                                            \
		bill_close(bill);                                                                                                \
	} while (0)

#endif
