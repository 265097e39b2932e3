/* tax.c -- see tax.h. */
#include "ledger/tax.h"

bool
tax_of(struct money taxable, struct decimal percent, struct money *out, struct error *err)
{
	struct decimal hundred, tax;

	/* A percentage has at most 6 decimals and an amount 4, so that nothing is rounded before the minor unit. */
	return decimal_from_integer(100, &hundred, err) &&
	    decimal_multiply(money_exact(taxable), percent, ROUND_HALF_EVEN, &tax, err) &&
	    decimal_divide(tax, hundred, ROUND_HALF_EVEN, &tax, err) &&
	    money_round(tax, taxable.currency, ROUND_HALF_UP, out, err);
}
