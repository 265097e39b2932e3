/*
 * payment.h -- payments of invoices: imported from a bank's list, each once by its reference, or taken from a tenant's balance.
 *
 * What a payment has above what is due goes to the tenant's balance, which pays the next invoice of the same issuer and
 * currency.  What was written off and is paid after all is recovered: it is no excess, and what is due stays zero.
 */
#ifndef LEDGER_PAYMENT_H
#define LEDGER_PAYMENT_H

#include "base/command.h"

enum { PAYMENT_REFERENCE_BYTES = 140 }; /* as much as a SEPA remittance information holds */

/* What an import came to in one currency; amounts in its minor units, of new payments. */
struct payment_sum {
	char currency[4];
	int minor_units;
	int64_t imported, known; /* payments */
	int64_t amount, to_balance, recovered;
};

typedef void payment_summed(void *context, const struct payment_sum *sum);
/* Imports a CSV file ("-" is standard input) whose header names reference, invoice, amount, currency and paid_on; other columns
 * are left aside.  All rows or none, in one transaction; rolled back for a dry run.  A row whose reference is there with the
 * same content is known and changes nothing; with another content it is refused.  Errors name file, line, field and value.
 * Calls `told` for each currency. */
MUST_CHECK
bool payments_import(struct run *run, const char *path, payment_summed *told, void *context, struct error *err);

/* A final invoice, and what the balance of its tenant pays of it. */
struct balance_payment {
	const char *invoice_id, *number;
	int64_t due;  /* minor units */
	int64_t paid; /* filled in */
};
/* Pays final invoices, each as far as its tenant's balance reaches, on a day (YYYY-MM-DD); in the transaction that finalizes them.  No two
 * of them are of one balance. */
MUST_CHECK
bool payments_from_balance(struct run *run, struct balance_payment *payments, size_t count, const char *date, struct error *err);

#endif
