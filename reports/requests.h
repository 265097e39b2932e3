/*
 * requests.h -- what each request of a tenant's period costs, in the order of events; together exactly what the rating in force says.
 *
 * Prices apply to usage summed over a quarter of an hour, in the order of counters, so the period is rated again, and while that is done
 * the ledger rows of each quarter are laid along the parts that its usage falls into (request_parts.h).  It is proved on the way
 * that the rating comes out as it is stored, that the ledger rows are the usage that was rated, and that requests add up to the stored
 * charges and holds.  In memory are a quarter of an hour of requests, the tenant's intervals and charges.
 */
#ifndef REPORTS_REQUESTS_H
#define REPORTS_REQUESTS_H

#include "base/command.h"
#include "reports/requests_write.h"

struct requests_result {
	int64_t rows, events; /* written; ledger rows */
};

/* Reads one snapshot, in a transaction of its own.  An error of kind STATE where there is no rating, or where it cannot be made again. */
MUST_CHECK
bool requests_report(
    struct run *run, const char *tenant, const char *period, FILE *out, struct requests_result *result, struct error *err);

#endif
