/*
 * role_file.h -- roles, their members and limits, and approval limits, as a JSON file states them; docs/roles.schema.json is
 * its shape.
 */
#ifndef LEDGER_ROLE_FILE_H
#define LEDGER_ROLE_FILE_H

#include "base/memory.h"
#include "base/money.h"

struct role_limit_row {
	const struct currency *currency;
	int64_t per_grant, per_day; /* in minor units */
};

struct role_row {
	const char *role;
	bool unlimited;       /* then it has no limits */
	const char **members; /* none twice */
	size_t member_count;
	struct role_limit_row *limits; /* a currency once */
	size_t limit_count;
};

struct approval_row {
	const struct currency *currency;
	int64_t above; /* in minor units */
};

struct role_file {
	const char *path;
	struct role_row *roles; /* a role once */
	size_t role_count;
	struct approval_row *approval; /* a currency once */
	size_t approval_count;
	struct arena arena; /* everything is in it */
};

/* Reads strictly: unknown keys, names twice, unknown currencies and amounts with more decimals than their currency are
 * refused. */
MUST_CHECK
bool role_file_load(const char *path, struct role_file *out, struct error *err);
void role_file_release(struct role_file *file);

#endif
