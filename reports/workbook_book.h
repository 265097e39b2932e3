/*
 * workbook_book.h -- what the sheets of a period's workbook share while it is made; for reports/workbook*.c only.
 */
#ifndef REPORTS_WORKBOOK_BOOK_H
#define REPORTS_WORKBOOK_BOOK_H

#include "base/command.h"
#include "base/money.h"
#include "reports/workbook.h"

enum {
	BOOK_CURRENCIES_MAX = 32,
	BOOK_CELLS_MAX = 32 + BOOK_CURRENCIES_MAX, /* of a row */
	BOOK_PAGE = 10000,                         /* rows fetched at once */
	BOOK_PLACES_MORE = 6,                      /* decimals of a shown exact amount beyond the minor unit */
};

/* The sums of one currency, each added up by the database from its own table. */
struct book_currency {
	const struct currency *currency;
	int64_t charges, tenants, lines, documents;
	struct decimal charged, open;             /* open: of tenants that have no document */
	struct decimal final_lines, draft_lines;  /* of charges, on the invoice that has the period, or in its draft */
	struct decimal adjustments;               /* of the period, on invoices of others or waiting for one */
	struct decimal exact_lines, rounding;     /* of all lines of the period's documents */
	struct decimal final_net, draft_net, net; /* net: of both */
	struct decimal credits, tax, total;
	struct decimal credited, paid, due; /* of final ones */
	struct decimal money_lines;         /* invoice lines, rounded to money */
};

struct book {
	struct run *run;
	const struct workbook_request *request;
	struct workbook_file *file;
	struct arena arena; /* as long as the book */
	struct arena page;  /* as long as a row's cells */
	struct rows scope;  /* of reports/workbook_scope */
	int64_t charges, holds, invoices, lines;
	struct book_currency currency[BOOK_CURRENCIES_MAX];
	size_t currencies;
	int differences;
};

/* Columns of reports/workbook_scope. */
enum {
	SCOPE_RATINGS,
	SCOPE_RUNS,
	SCOPE_CODE,
	SCOPE_ZONES,
	SCOPE_RATED_AT,
	SCOPE_SUMMED,
	SCOPE_SUMMED_AT,
	SCOPE_BOOKED,
	SCOPE_CHARGES,
	SCOPE_HOLDS,
	SCOPE_INVOICES,
	SCOPE_LINES,
};

MUST_CHECK
bool book_summary(struct book *book, struct error *err);
MUST_CHECK
bool book_charges(struct book *book, struct error *err);
MUST_CHECK
bool book_invoices(struct book *book, struct error *err);
MUST_CHECK
bool book_invoice_lines(struct book *book, struct error *err);
MUST_CHECK
bool book_holds(struct book *book, struct error *err);
MUST_CHECK
bool book_control(struct book *book, struct error *err);

/* A column of a query as an exact number; RANGE where it is beyond 10^20 or 18 decimals. */
MUST_CHECK
bool book_decimal(const struct rows *rows, int row, int column, struct decimal *out, struct error *err);
/* Writes one row of cells and forgets their texts. */
MUST_CHECK
bool book_row(struct book *book, const struct cell *cells, size_t count, struct error *err);
/* The bound period and tenant of every query, then up to three more. */
#define BOOK_PARAMS(book, ...) PARAMS((book)->request->period, (book)->request->tenant, __VA_ARGS__)

#endif
