/* cmd_credit.c -- `tollbook credit grant|list|show|history|revoke|expire`. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "ledger/credit.h"

static bool grant(struct run *run, struct error *err);
static bool list(struct run *run, struct error *err);
static bool show(struct run *run, struct error *err);
static bool history(struct run *run, struct error *err);
static bool revoke(struct run *run, struct error *err);
static bool expire(struct run *run, struct error *err);

static const struct option_spec grant_options[] = {
    {"kind", "KIND", "promotional, goodwill or prepaid", 'k'},
    {"reason", "REASON", "why; tollbook reason list shows the reasons there are", 'r'},
    {"currency", "CODE", "the currency of the contract, to be sure", 0},
    {"starts", "TIME", "usage from here on can be paid: a day where the tenant is, or RFC 3339; default now", 0},
    {"expires", "TIME", "usage from here on cannot be paid any more; default never", 0},
    {"priority", "N", "0 to 1000, the lowest pays first; default 100", 0},
    {"model", "PATTERN", "only models that this pattern matches as a whole", 0},
    {"meter", "METER...", "only this meter; may be given again", 0},
    {"ticket", "TICKET", "where it was asked for", 0},
    {"note", "TEXT", "a note", 0},
    {"request", "ID", "the same request again is the same grant", 0},
    {0},
};

const struct command cmd_credit_grant = {
    .name = "credit grant",
    .summary = "grant a tenant a credit, which pays invoices when they are finalized",
    .operands = "TENANT AMOUNT",
    .operands_min = 2,
    .operands_max = 2,
    .options = grant_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook credit grant acme 50 --kind goodwill --reason service_outage --ticket T-17\n"
	       "  tollbook credit grant acme 1000 --kind promotional --reason promotion --expires 2027-01-01 --model 'llama.*'",
    .run = grant,
};

static const struct option_spec tenant_options[] = {
    {"tenant", "TENANT", "only this tenant", 't'},
    {0},
};

const struct command cmd_credit_list = {
    .name = "credit list",
    .summary = "list credits with what is left of them",
    .operands = "",
    .options = tenant_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook credit list --tenant acme",
    .run = list,
};

const struct command cmd_credit_show = {
    .name = "credit show",
    .summary = "show a credit: what it may pay, why it was granted, what became of it",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook credit show 7",
    .run = show,
};

const struct command cmd_credit_history = {
    .name = "credit history",
    .summary = "show what was granted, used, given back and taken, with the balances before and after",
    .operands = "[ID]",
    .operands_max = 1,
    .options = tenant_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .example = "  tollbook credit history 7\n  tollbook credit history --tenant acme --format csv",
    .run = history,
};

static const struct option_spec revoke_options[] = {
    {"reason", "REASON", "why; tollbook reason list shows the reasons there are", 'r'},
    {"ticket", "TICKET", "where it was asked for", 0},
    {"request", "ID", "the same request again changes nothing", 0},
    {0},
};

const struct command cmd_credit_revoke = {
    .name = "credit revoke",
    .summary = "take what is left of a credit; what it paid stays paid",
    .operands = "ID",
    .operands_min = 1,
    .operands_max = 1,
    .options = revoke_options,
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook credit revoke 7 --reason granted_in_error --ticket T-18",
    .run = revoke,
};

const struct command cmd_credit_expire = {
    .name = "credit expire",
    .summary = "take what is left of credits that expired and have nothing more to pay; for every night",
    .operands = "",
    .needs = NEEDS_DB,
    .prints_rows = true,
    .takes_dry_run = true,
    .example = "  tollbook credit expire --dry-run",
    .run = expire,
};

static const char *
value_or(const struct run *run, const char *name, const char *otherwise)
{
	const char *value = option_value(run, name);

	return value == NULL ? otherwise : value;
}

/* --- grants ----------------------------------------------------------------------------------- */

/* Columns of credit_list.sql. */
enum list_column {
	LIST_GRANT,
	LIST_TENANT,
	LIST_KIND,
	LIST_AMOUNT,
	LIST_BALANCE,
	LIST_MINOR_UNITS,
	LIST_CURRENCY,
	LIST_STARTS,
	LIST_EXPIRES,
	LIST_PRIORITY,
	LIST_MODEL,
	LIST_METERS,
	LIST_LAST, /* the kind of the last entry */
	LIST_NOT_STARTED,
	LIST_HAS_EXPIRED,
	LIST_WAITS_FOR,
	LIST_REQUEST,
	LIST_ISSUER,
	LIST_REASON,
	LIST_TICKET,
	LIST_NOTE,
	LIST_BY,
	LIST_AT,
};

static bool
load_grants(struct run *run, const char *tenant, const char *grant_id, struct rows *out, struct error *err)
{
	return db_rows(
	    run->db, SQL_LEDGER_CREDIT_LIST, PARAMS(tenant, grant_id, param_instant(&run->arena, run->now), "false"), out, err);
}

static const char *
state_text(struct run *run, const struct rows *grants, int i)
{
	const char *last = row_text(grants, i, LIST_LAST), *waits = row_text(grants, i, LIST_WAITS_FOR);

	if (row_number(grants, i, LIST_BALANCE) == 0)
		return strcmp(last, "revoke") == 0 ? "revoked" : strcmp(last, "expire") == 0 ? "expired" : "used up";
	if (row_bool(grants, i, LIST_HAS_EXPIRED))
		return waits[0] == '\0' ? "expired" : arena_format(&run->arena, "expired (waits for %s)", waits);
	return row_bool(grants, i, LIST_NOT_STARTED) ? "not started" : "active";
}

static const char *
instant_text(struct run *run, const struct rows *rows, int i, int column)
{
	char text[INSTANT_TEXT];

	return row_is_null(rows, i, column) ? ""
					    : arena_format(&run->arena, "%s", instant_format(row_instant(rows, i, column), text));
}

static void
amount_cell(struct run *run, struct table *table, const struct rows *grants, int i, enum list_column column)
{
	table_cell(table, money_text(&run->arena, row_number(grants, i, (int)column), row_number(grants, i, LIST_MINOR_UNITS)));
}

static void
validity_cells(struct run *run, struct table *table, const struct rows *grants, int i)
{
	table_cell(table, instant_text(run, grants, i, LIST_STARTS));
	table_cell(table, instant_text(run, grants, i, LIST_EXPIRES));
	table_cell(table, row_text(grants, i, LIST_PRIORITY));
	table_cell(table, row_text(grants, i, LIST_MODEL));
	table_cell(table, row_text(grants, i, LIST_METERS));
}

#define VALIDITY_COLUMNS                                                                                                         \
	{"starts", "starts", COLUMN_TEXT}, {"expires", "expires", COLUMN_TEXT}, {"priority", "priority", COLUMN_NUMBER},         \
	    {"model", "model", COLUMN_TEXT},                                                                                     \
	{                                                                                                                        \
		"meters", "meters", COLUMN_TEXT                                                                                  \
	}

static void
print_grants(struct run *run, const struct rows *grants)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"tenant", "tenant", COLUMN_TEXT},
	    {"kind", "kind", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER}, {"balance", "balance", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {"state", "state", COLUMN_TEXT}, VALIDITY_COLUMNS, {0}};
	struct table *table = table_new(columns);

	for (int i = 0; i < grants->count; i++) {
		table_row(table);
		table_cell(table, row_text(grants, i, LIST_GRANT));
		table_cell(table, row_text(grants, i, LIST_TENANT));
		table_cell(table, row_text(grants, i, LIST_KIND));
		amount_cell(run, table, grants, i, LIST_AMOUNT);
		amount_cell(run, table, grants, i, LIST_BALANCE);
		table_cell(table, row_text(grants, i, LIST_CURRENCY));
		table_cell(table, state_text(run, grants, i));
		validity_cells(run, table, grants, i);
	}
	table_print(table, run, "no credits");
	table_free(table);
}

static bool
list(struct run *run, struct error *err)
{
	struct rows grants;

	if (!load_grants(run, value_or(run, "tenant", ""), "", &grants, err))
		return false;
	print_grants(run, &grants);
	rows_release(&grants);
	return true;
}

/* What was granted, not what is left of it: asked again, the answer is the same. */
static void
print_granted(struct run *run, const struct rows *grants)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"request", "request", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"kind", "kind", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, VALIDITY_COLUMNS, {0}};
	struct table *table = table_new(columns);

	for (int i = 0; i < grants->count; i++) {
		table_row(table);
		table_cell(table, row_text(grants, i, LIST_GRANT));
		table_cell(table, row_text(grants, i, LIST_REQUEST));
		table_cell(table, row_text(grants, i, LIST_TENANT));
		table_cell(table, row_text(grants, i, LIST_KIND));
		amount_cell(run, table, grants, i, LIST_AMOUNT);
		table_cell(table, row_text(grants, i, LIST_CURRENCY));
		validity_cells(run, table, grants, i);
	}
	table_print(table, run, "a dry run: nothing was granted");
	table_free(table);
}

static bool
grant(struct run *run, struct error *err)
{
	struct credit_request request = {.request_id = option_value(run, "request"),
	    .tenant = run->operands[0],
	    .amount = run->operands[1],
	    .kind = option_value(run, "kind"),
	    .reason = option_value(run, "reason"),
	    .currency = option_value(run, "currency"),
	    .starts = option_value(run, "starts"),
	    .expires = option_value(run, "expires"),
	    .model = value_or(run, "model", ""),
	    .ticket = value_or(run, "ticket", ""),
	    .note = value_or(run, "note", "")};
	const char **meters = memory_new(run->use_count, sizeof *meters), *grant_id;
	struct rows grants;
	bool fine;

	while (option_each(run, "meter", request.meter_count) != NULL) {
		meters[request.meter_count] = option_each(run, "meter", request.meter_count);
		request.meter_count++;
	}
	request.meters = meters;
	fine =
	    option_number(run, "priority", 0, 1000, 100, &request.priority, err) && credit_grant(run, &request, &grant_id, err);
	free(meters);
	if (!fine || !load_grants(run, "", grant_id, &grants, err))
		return false;
	print_granted(run, &grants);
	rows_release(&grants);
	return true;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Columns of credit_history.sql. */
enum entry_column {
	ENTRY_GRANT,
	ENTRY_PLACE,
	ENTRY_AT,
	ENTRY_KIND,
	ENTRY_AMOUNT,
	ENTRY_BEFORE,
	ENTRY_AFTER,
	ENTRY_MINOR_UNITS,
	ENTRY_CURRENCY,
	ENTRY_DOCUMENT,
	ENTRY_LINES,
	ENTRY_REASON,
	ENTRY_TICKET,
	ENTRY_BY,
	ENTRY_REQUEST,
	ENTRY_TENANT,
};

static bool
print_entries(struct run *run, const char *tenant, const char *grant_id, struct error *err)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"entry", "entry", COLUMN_NUMBER},
	    {"at", "at", COLUMN_TEXT}, {"what", "what", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER},
	    {"before", "before", COLUMN_NUMBER}, {"after", "after", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT},
	    {"document", "document", COLUMN_TEXT}, {"lines", "lines", COLUMN_TEXT}, {"reason", "reason", COLUMN_TEXT},
	    {"ticket", "ticket", COLUMN_TEXT}, {"by", "by", COLUMN_TEXT}, {0}};
	struct table *table;
	struct rows entries;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_HISTORY, PARAMS(tenant, grant_id, ""), &entries, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < entries.count; i++) {
		table_row(table);
		table_cell(table, row_text(&entries, i, ENTRY_GRANT));
		table_cell(table, row_text(&entries, i, ENTRY_PLACE));
		table_cell(table, instant_text(run, &entries, i, ENTRY_AT));
		table_cell(table, row_text(&entries, i, ENTRY_KIND));
		for (int column = ENTRY_AMOUNT; column <= ENTRY_AFTER; column++)
			table_cell(table,
			    money_text(&run->arena, row_number(&entries, i, column), row_number(&entries, i, ENTRY_MINOR_UNITS)));
		for (int column = ENTRY_CURRENCY; column <= ENTRY_BY; column++)
			table_cell(table, row_text(&entries, i, column));
	}
	table_print(table, run, "no credits");
	table_free(table);
	rows_release(&entries);
	return true;
}

static bool
refuse_unknown(const char *grant_id, struct error *err)
{
	error_set(err, ERROR_STATE, "there is no credit \"%s\"", grant_id);
	return error_hint(err, "tollbook credit list shows them with their numbers.");
}

static bool
history(struct run *run, struct error *err)
{
	const char *tenant = option_value(run, "tenant");
	struct rows grants;
	int count;

	if ((run->operand_count == 1) == (tenant != NULL)) {
		error_set(err, ERROR_USAGE, "name a credit or a tenant");
		return error_hint(err, "For example: tollbook credit history 7, or tollbook credit history --tenant acme");
	}
	if (tenant != NULL)
		return print_entries(run, tenant, "", err);
	if (!load_grants(run, "", run->operands[0], &grants, err))
		return false;
	count = grants.count;
	rows_release(&grants);
	return count == 0 ? refuse_unknown(run->operands[0], err) : print_entries(run, "", run->operands[0], err);
}

/* --- one grant -------------------------------------------------------------------------------- */

static const char *
or_word(const char *text, const char *word)
{
	return text[0] == '\0' ? word : text;
}

static void
print_for_people(struct run *run, const struct rows *grant)
{
	int64_t minor_units = row_number(grant, 0, LIST_MINOR_UNITS);
	const char *currency = row_text(grant, 0, LIST_CURRENCY);

	printf("CREDIT %s of %s, %s, from %s\n", row_text(grant, 0, LIST_GRANT), row_text(grant, 0, LIST_TENANT),
	    row_text(grant, 0, LIST_KIND), row_text(grant, 0, LIST_ISSUER));
	printf("amount    %s %s\n", money_text(&run->arena, row_number(grant, 0, LIST_AMOUNT), minor_units), currency);
	printf("balance   %s %s, %s\n", money_text(&run->arena, row_number(grant, 0, LIST_BALANCE), minor_units), currency,
	    state_text(run, grant, 0));
	printf("usage     from %s to %s\n", instant_text(run, grant, 0, LIST_STARTS),
	    or_word(instant_text(run, grant, 0, LIST_EXPIRES), "any time"));
	printf("models    %s\n", or_word(row_text(grant, 0, LIST_MODEL), "all"));
	printf("meters    %s\n", or_word(row_text(grant, 0, LIST_METERS), "all"));
	printf("priority  %s\n", row_text(grant, 0, LIST_PRIORITY));
	printf("granted   %s by %s, request %s\n", instant_text(run, grant, 0, LIST_AT), row_text(grant, 0, LIST_BY),
	    row_text(grant, 0, LIST_REQUEST));
	printf("reason    %s, ticket %s\n", row_text(grant, 0, LIST_REASON), or_word(row_text(grant, 0, LIST_TICKET), "none"));
	if (row_length(grant, 0, LIST_NOTE) > 0)
		printf("note      %s\n", row_text(grant, 0, LIST_NOTE));
	printf("\n");
}

static void
print_for_programs(struct run *run, const struct rows *grant)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"tenant", "tenant", COLUMN_TEXT},
	    {"kind", "kind", COLUMN_TEXT}, {"issuer", "issuer", COLUMN_TEXT}, {"amount", "amount", COLUMN_NUMBER},
	    {"balance", "balance", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"state", "state", COLUMN_TEXT},
	    VALIDITY_COLUMNS, {"granted_at", "granted at", COLUMN_TEXT}, {"request", "request", COLUMN_TEXT},
	    {"reason", "reason", COLUMN_TEXT}, {"ticket", "ticket", COLUMN_TEXT}, {"note", "note", COLUMN_TEXT},
	    {"by", "by", COLUMN_TEXT}, {0}};
	static const enum list_column last[] = {LIST_REQUEST, LIST_REASON, LIST_TICKET, LIST_NOTE, LIST_BY};
	struct table *table = table_new(columns);

	table_row(table);
	table_cell(table, row_text(grant, 0, LIST_GRANT));
	table_cell(table, row_text(grant, 0, LIST_TENANT));
	table_cell(table, row_text(grant, 0, LIST_KIND));
	table_cell(table, row_text(grant, 0, LIST_ISSUER));
	amount_cell(run, table, grant, 0, LIST_AMOUNT);
	amount_cell(run, table, grant, 0, LIST_BALANCE);
	table_cell(table, row_text(grant, 0, LIST_CURRENCY));
	table_cell(table, state_text(run, grant, 0));
	validity_cells(run, table, grant, 0);
	table_cell(table, instant_text(run, grant, 0, LIST_AT));
	for (size_t i = 0; i < sizeof last / sizeof last[0]; i++)
		table_cell(table, row_text(grant, 0, (int)last[i]));
	table_print(table, run, "");
	table_free(table);
}

static bool
show(struct run *run, struct error *err)
{
	const char *grant_id = run->operands[0];
	struct rows grant;
	bool found;

	if (!load_grants(run, "", grant_id, &grant, err))
		return false;
	found = grant.count == 1;
	if (found && run->format == FORMAT_TABLE)
		print_for_people(run, &grant);
	else if (found)
		print_for_programs(run, &grant);
	rows_release(&grant);
	if (!found)
		return refuse_unknown(grant_id, err);
	return run->format != FORMAT_TABLE || print_entries(run, "", grant_id, err);
}

/* --- taking ----------------------------------------------------------------------------------- */

static bool
revoke(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"request", "request", COLUMN_TEXT},
	    {"tenant", "tenant", COLUMN_TEXT}, {"revoked", "revoked", COLUMN_NUMBER}, {"left", "left", COLUMN_NUMBER},
	    {"currency", "currency", COLUMN_TEXT}, {0}};
	const char *entry_id;
	struct table *table;
	struct rows entries;

	if (!credit_revoke(run, run->operands[0], option_value(run, "reason"), value_or(run, "ticket", ""),
		option_value(run, "request"), &entry_id, err) ||
	    !db_rows(run->db, SQL_LEDGER_CREDIT_HISTORY, PARAMS("", "", entry_id), &entries, err))
		return false;
	table = table_new(columns);
	for (int i = 0; i < entries.count; i++) {
		int64_t minor_units = row_number(&entries, i, ENTRY_MINOR_UNITS);

		table_row(table);
		table_cell(table, row_text(&entries, i, ENTRY_GRANT));
		table_cell(table, row_text(&entries, i, ENTRY_REQUEST));
		table_cell(table, row_text(&entries, i, ENTRY_TENANT));
		table_cell(table, money_text(&run->arena, -row_number(&entries, i, ENTRY_AMOUNT), minor_units));
		table_cell(table, money_text(&run->arena, row_number(&entries, i, ENTRY_AFTER), minor_units));
		table_cell(table, row_text(&entries, i, ENTRY_CURRENCY));
	}
	table_print(table, run, "a dry run: nothing was revoked");
	table_free(table);
	rows_release(&entries);
	return true;
}

struct telling {
	struct run *run;
	struct table *table;
};

static void
tell_expired(void *context, const struct credit_expired *expired)
{
	struct telling *telling = context;

	table_row(telling->table);
	table_cell(telling->table, expired->grant_id);
	table_cell(telling->table, expired->tenant);
	table_cell(telling->table, money_text(&telling->run->arena, expired->minor, expired->minor_units));
	table_cell(telling->table, expired->currency);
	if (expired->waits_for[0] == '\0')
		table_cell(telling->table, "expired");
	else
		table_cell_format(telling->table, "waits for %s", expired->waits_for);
}

static bool
expire(struct run *run, struct error *err)
{
	static const struct column columns[] = {{"credit", "credit", COLUMN_NUMBER}, {"tenant", "tenant", COLUMN_TEXT},
	    {"balance", "balance", COLUMN_NUMBER}, {"currency", "currency", COLUMN_TEXT}, {"status", "status", COLUMN_TEXT}, {0}};
	struct telling telling = {run, table_new(columns)};
	bool fine = credits_expire(run, tell_expired, &telling, err);

	if (fine)
		table_print(telling.table, run, "no credit with a balance has expired");
	table_free(telling.table);
	return fine;
}
