/*
 * tenant_apply.h -- issuers and contracts become what a file states; again, that changes nothing.
 */
#ifndef RATING_TENANT_APPLY_H
#define RATING_TENANT_APPLY_H

#include "base/command.h"
#include "rating/tenant_file.h"

/* Told of each row of a file, in its order; is_new: it was not there. */
typedef void tenant_told(void *context, const struct tenant_row *row, bool is_new);

/* Applies a tenants file, all or nothing, in a transaction of its own, which a dry run rolls back.  *changed is how many contracts
 * are new and issuers new or other.  Errors: those of the file, of kind INPUT; of kind STATE what a tenant or an issuer keeps for
 * ever (currency, zone, anchor; what a series is of). */
MUST_CHECK
bool tenants_apply(struct run *run, const char *path, int64_t *changed, struct error *err);
/* The same in the caller's transaction; `told` may be NULL. */
MUST_CHECK
bool tenants_apply_within(
    struct run *run, const char *path, tenant_told *told, void *context, int64_t *changed, struct error *err);
/* Makes an issuer or changes it, in the caller's transaction.  A name or series that is NULL or "" stays as it is; at first the name is
 * the code, and the series are INV and CRN.  `from` says where it stands, for errors and the audit log. */
MUST_CHECK
bool issuer_apply(struct run *run, const char *code, const char *name, const char *invoice_series, const char *credit_note_series,
    const char *from, bool *changed, struct error *err);

#endif
