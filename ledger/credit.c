/* credit.c -- see credit.h. */
#include "ledger/credit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/zone.h"
#include "ledger/audit.h"
#include "ledger/books.h"
#include "ledger/meter.h"
#include "ledger/reason.h"
#include "ledger/role.h"

bool
credit_entry_add(
    struct run *run, const char *grant_id, const struct credit_entry *entry, const char **entry_id, struct error *err)
{
	struct arena *arena = &run->arena;
	struct rows rows;

	if (!db_one_row(run->db, SQL_LEDGER_CREDIT_ENTRY_ADD,
		PARAMS(grant_id, entry->kind, param_number(arena, entry->minor), entry->invoice_id, entry->credit_note_id,
		    entry->request_id, entry->reason, entry->ticket == NULL ? "" : entry->ticket, param_instant(arena, run->now),
		    run->by),
		&rows, err))
		return false;
	*entry_id = arena_copy(arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	return true;
}

static bool
begin_alone(struct run *run, struct error *err)
{
	if (!db_begin(run->db, err))
		return false;
	if (books_lock(run, err))
		return true;
	db_rollback(run->db);
	return false;
}

static bool
end_alone(struct run *run, bool fine, struct error *err)
{
	if (fine && !run->dry_run)
		return db_commit(run->db, err);
	db_rollback(run->db);
	return fine;
}

/* "12.50 USD", in the arena. */
static const char *
amount_text(struct run *run, int64_t minor, int minor_units, const char *code)
{
	return arena_format(&run->arena, "%s %s", money_text(&run->arena, minor, minor_units), code);
}

/* --- what is asked for ------------------------------------------------------------------------ */

/* A request that was read and found possible. */
struct asked {
	const struct credit_request *request;
	const char *issuer;
	const struct currency *currency;
	const struct zone *zone;
	struct money amount;
	struct instant starts, expires;
	bool has_expires;
	const char *meters[METER_LIMIT]; /* in the order of their numbers, each once */
	size_t meter_count;
};

static bool
read_contract(struct run *run, struct asked *asked, struct error *err)
{
	const char *tenant = asked->request->tenant, *currency = asked->request->currency;
	struct rows rows;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_TENANT, PARAMS(tenant, param_instant(&run->arena, run->now)), &rows, err))
		return false;
	if (rows.count == 0) {
		rows_release(&rows);
		error_set(err, ERROR_STATE, "there is no tenant \"%s\" with a contract", tenant);
		return error_hint(err, "tollbook tenant list shows those there are.");
	}
	asked->issuer = arena_copy(&run->arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	asked->currency = currency_find(row_text(&rows, 0, 1));
	asked->zone = zone_find(row_text(&rows, 0, 2));
	rows_release(&rows);
	if (asked->currency == NULL || asked->zone == NULL)
		return error_set(err, ERROR_STATE, "the currency or the zone of tenant %s is not known here", tenant);
	if (currency == NULL || strcmp(currency, asked->currency->code) == 0)
		return true;
	error_set(err, ERROR_STATE, "tenant %s is billed in %s, not in %s", tenant, asked->currency->code, currency);
	return error_hint(err, "A credit is in the currency of the contract: leave --currency out.");
}

static bool
read_amount(struct asked *asked, struct error *err)
{
	const char *text = asked->request->amount;

	return money_parse(text, asked->currency, &asked->amount, err) &&
	    (asked->amount.minor > 0 || error_set(err, ERROR_USAGE, "the amount must be above zero, not %s", text));
}

static int
digits(const char *text, size_t count)
{
	int number = 0;

	for (size_t i = 0; i < count; i++)
		number = number * 10 + (text[i] - '0');
	return number;
}

static bool
is_day(const char *text)
{
	if (strlen(text) != 10)
		return false;
	for (int i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* A day begins where the tenant is. */
static bool
read_time(const struct asked *asked, const char *option, const char *text, struct instant *out, struct error *err)
{
	char whole[32];
	bool fine;

	if (is_day(text)) {
		snprintf(whole, sizeof whole, "%.10sT00:00:00Z", text);
		fine = instant_parse(whole, strlen(whole), 2020, out) == INSTANT_OK &&
		    zone_midnight(asked->zone, digits(text, 4), digits(text + 5, 2), digits(text + 8, 2), out);
	} else {
		fine = instant_parse(text, strlen(text), 2020, out) == INSTANT_OK;
	}
	if (fine)
		return true;
	error_set(err, ERROR_USAGE, "--%s is a day or a time from 2020 on, not \"%s\"", option, text);
	return error_hint(err, "For example: --%s 2027-01-01 or --%s 2027-01-01T09:00:00+01:00", option, option);
}

static bool
read_times(struct run *run, struct asked *asked, struct error *err)
{
	const struct credit_request *request = asked->request;

	asked->starts = run->now;
	asked->has_expires = request->expires != NULL;
	if (request->starts != NULL && !read_time(asked, "starts", request->starts, &asked->starts, err))
		return false;
	return request->expires == NULL || read_time(asked, "expires", request->expires, &asked->expires, err);
}

static bool
check_validity(const struct asked *asked, struct error *err)
{
	char starts[INSTANT_TEXT], expires[INSTANT_TEXT];

	if (!asked->has_expires || asked->starts.us < asked->expires.us)
		return true;
	error_set(err, ERROR_USAGE, "a credit that starts at %s cannot expire at %s", instant_format(asked->starts, starts),
	    instant_format(asked->expires, expires));
	return error_hint(err, "A credit starts now where --starts is not given.");
}

static bool
read_scope(struct asked *asked, struct error *err)
{
	const struct credit_request *request = asked->request;
	bool named[METER_LIMIT] = {false};
	struct pattern *pattern;
	size_t position;

	for (size_t i = 0; i < request->meter_count; i++) {
		const struct meter *meter = meter_find(request->meters[i], strlen(request->meters[i]));

		if (meter == NULL) {
			error_set(err, ERROR_USAGE, "there is no meter \"%s\"", request->meters[i]);
			return error_hint(err, "Meters are named as in price books, for example input_text_uncached_tokens.");
		}
		named[meter->id] = true;
	}
	for (int id = 1; id < METER_LIMIT; id++)
		if (named[id])
			asked->meters[asked->meter_count++] = meter_of(id)->name;
	if (request->model[0] == '\0')
		return true;
	if (!pattern_compile(request->model, strlen(request->model), &pattern, &position, err)) {
		err->kind = ERROR_USAGE;
		return error_wrap(err, "--model");
	}
	pattern_free(pattern);
	return true;
}

static bool
check_kind(const struct credit_request *request, struct error *err)
{
	static const char *const kinds[] = {"promotional", "goodwill", "prepaid"};

	for (size_t i = 0; request->kind != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(request->kind, kinds[i]) == 0)
			return true;
	error_set(err, ERROR_USAGE, "--kind is promotional, goodwill or prepaid%s%s", request->kind == NULL ? "" : ", not ",
	    request->kind == NULL ? "" : request->kind);
	return error_hint(err, "prepaid: what was paid in advance; the others are given.");
}

/* --- granting --------------------------------------------------------------------------------- */

/* Columns of credit_grant_find.sql. */
enum found_column {
	FOUND_GRANT,
	FOUND_TENANT,
	FOUND_KIND,
	FOUND_CURRENCY,
	FOUND_MINOR_UNITS,
	FOUND_AMOUNT,
	FOUND_STARTS,
	FOUND_EXPIRES,
	FOUND_GRANTED,
	FOUND_PRIORITY,
	FOUND_MODEL,
	FOUND_METERS,
	FOUND_REASON,
	FOUND_TICKET,
	FOUND_NOTE
};

static const char *
join_meters(struct run *run, const struct asked *asked)
{
	const char *all = "";

	for (size_t i = 0; i < asked->meter_count; i++)
		all = arena_format(&run->arena, "%s%s%s", all, i == 0 ? "" : " ", asked->meters[i]);
	return all;
}

static bool
has_other_text(const struct rows *found, int column, const char *wanted)
{
	return strcmp(row_text(found, 0, column), wanted) != 0;
}

/* A grant that was to start at once started when it was made. */
static bool
has_other_times(const struct rows *found, const struct asked *asked)
{
	struct instant starts = asked->request->starts == NULL ? row_instant(found, 0, FOUND_GRANTED) : asked->starts;

	return row_instant(found, 0, FOUND_STARTS).us != starts.us ||
	    row_is_null(found, 0, FOUND_EXPIRES) == asked->has_expires ||
	    (asked->has_expires && row_instant(found, 0, FOUND_EXPIRES).us != asked->expires.us);
}

/* What a request asks for other than the grant that it made; NULL where it is the same. */
static const char *
what_differs(struct run *run, const struct rows *found, const struct asked *asked)
{
	const struct credit_request *request = asked->request;

	if (has_other_text(found, FOUND_TENANT, request->tenant))
		return "the tenant";
	if (row_number(found, 0, FOUND_AMOUNT) != asked->amount.minor ||
	    has_other_text(found, FOUND_CURRENCY, asked->currency->code))
		return "the amount";
	if (has_other_text(found, FOUND_KIND, request->kind))
		return "--kind";
	if (has_other_text(found, FOUND_REASON, request->reason))
		return "--reason";
	if (has_other_times(found, asked))
		return "--starts or --expires";
	if (row_number(found, 0, FOUND_PRIORITY) != request->priority)
		return "--priority";
	if (has_other_text(found, FOUND_MODEL, request->model) || has_other_text(found, FOUND_METERS, join_meters(run, asked)))
		return "--model or --meter";
	if (has_other_text(found, FOUND_TICKET, request->ticket))
		return "--ticket";
	return has_other_text(found, FOUND_NOTE, request->note) ? "--note" : NULL;
}

static bool
refuse_other(const char *request_id, const char *was, const char *differs, struct error *err)
{
	error_set(err, ERROR_STATE, "request \"%s\" was %s, and asks for something else now: %s", request_id, was, differs);
	return error_hint(err, "A request is done once: give another --request for another one.");
}

/* Was the request done before?  Then *grant_id is the grant it made. */
static bool
granted_before(struct run *run, const struct asked *asked, const char **grant_id, struct error *err)
{
	const char *request_id = asked->request->request_id, *differs;
	struct rows found;
	bool fine = true;

	*grant_id = NULL;
	if (request_id == NULL)
		return true;
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_GRANT_FIND, PARAMS(request_id), &found, err))
		return false;
	if (found.count == 1) {
		*grant_id = arena_copy(&run->arena, row_text(&found, 0, FOUND_GRANT), row_length(&found, 0, FOUND_GRANT));
		differs = what_differs(run, &found, asked);
		fine = differs == NULL ||
		    refuse_other(request_id, arena_format(&run->arena, "the grant of credit %s", *grant_id), differs, err);
	}
	rows_release(&found);
	return fine;
}

static bool
refuse_if_revoke(struct run *run, const char *request_id, struct error *err)
{
	struct rows found;
	bool fine;

	if (request_id == NULL)
		return true;
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_REVOKE_FIND, PARAMS(request_id), &found, err))
		return false;
	fine = found.count == 0 || refuse_other(request_id, "a revoke", "a grant", err);
	rows_release(&found);
	return fine;
}

static bool
add_grant(struct run *run, const struct asked *asked, const char **grant_id, struct error *err)
{
	const struct credit_request *request = asked->request;
	struct arena *arena = &run->arena;
	struct text meters = {0};
	struct rows rows;
	bool fine;

	text_add_elements(&meters, asked->meters, asked->meter_count);
	fine = db_one_row(run->db, SQL_LEDGER_CREDIT_GRANT_ADD,
	    PARAMS(request->request_id, request->tenant, asked->issuer, request->kind, asked->currency->code,
		param_number(arena, asked->currency->minor_units), param_number(arena, asked->amount.minor),
		param_instant(arena, asked->starts), asked->has_expires ? param_instant(arena, asked->expires) : NULL,
		param_number(arena, request->priority), request->model, text_string(&meters), request->reason, request->ticket,
		request->note, param_instant(arena, run->now), run->by),
	    &rows, err);
	text_release(&meters);
	if (!fine)
		return false;
	*grant_id = arena_copy(arena, row_text(&rows, 0, 0), row_length(&rows, 0, 0));
	rows_release(&rows);
	return true;
}

static bool
audit_grant(struct run *run, const struct asked *asked, const char *grant_id, struct error *err)
{
	const struct credit_request *request = asked->request;
	int minor_units = asked->currency->minor_units;
	const char *code = asked->currency->code;

	return audit_add(run,
	    &(struct audit){.action = run->command->name,
		.subject = arena_format(&run->arena, "credit %s of %s", grant_id, request->tenant),
		.reason = request->reason,
		.ticket = request->ticket,
		.before = arena_format(&run->arena, "balance %s", amount_text(run, 0, minor_units, code)),
		.after = arena_format(&run->arena, "balance %s", amount_text(run, asked->amount.minor, minor_units, code))},
	    err);
}

static bool
grant_new(struct run *run, const struct asked *asked, const char **grant_id, struct error *err)
{
	const struct credit_request *request = asked->request;
	const char *entry_id;

	/* What was paid in advance is not given. */
	if (strcmp(request->kind, "prepaid") != 0 && !role_may_give(run, asked->amount, err))
		return false;
	return refuse_if_revoke(run, request->request_id, err) && check_validity(asked, err) &&
	    add_grant(run, asked, grant_id, err) &&
	    credit_entry_add(run, *grant_id,
		&(struct credit_entry){
		    .kind = "grant", .minor = asked->amount.minor, .reason = request->reason, .ticket = request->ticket},
		&entry_id, err) &&
	    audit_grant(run, asked, *grant_id, err);
}

bool
credit_grant(struct run *run, const struct credit_request *request, const char **grant_id, struct error *err)
{
	struct asked asked = {.request = request};
	bool fine;

	if (!check_kind(request, err) || !begin_alone(run, err))
		return false;
	fine = reason_check(run, request->reason, "credit", err) && read_contract(run, &asked, err) && read_amount(&asked, err) &&
	    read_times(run, &asked, err) && read_scope(&asked, err) && granted_before(run, &asked, grant_id, err);
	if (fine && *grant_id == NULL)
		fine = grant_new(run, &asked, grant_id, err);
	return end_alone(run, fine, err);
}

/* --- revoking --------------------------------------------------------------------------------- */

/* Columns of credit_list.sql. */
enum { LIST_TENANT = 1, LIST_BALANCE = 4, LIST_MINOR_UNITS, LIST_CURRENCY, LIST_HAS_EXPIRED = 14, LIST_WAITS_FOR };

static bool
same_revoke(const struct rows *found, const char *grant_id, const char *reason, const char *ticket, const char *request_id,
    struct error *err)
{
	const char *differs = NULL;

	if (has_other_text(found, 1, grant_id))
		differs = "the credit";
	else if (has_other_text(found, 2, reason))
		differs = "--reason";
	else if (has_other_text(found, 3, ticket))
		differs = "--ticket";
	return differs == NULL || refuse_other(request_id, "a revoke", differs, err);
}

static bool
revoked_before(struct run *run, const char *grant_id, const char *reason, const char *ticket, const char *request_id,
    const char **entry_id, struct error *err)
{
	struct rows found;
	bool fine;

	*entry_id = NULL;
	if (request_id == NULL)
		return true;
	if (!db_rows(run->db, SQL_LEDGER_CREDIT_GRANT_FIND, PARAMS(request_id), &found, err))
		return false;
	fine = found.count == 0 || refuse_other(request_id, "a grant", "a revoke", err);
	rows_release(&found);
	if (!fine || !db_rows(run->db, SQL_LEDGER_CREDIT_REVOKE_FIND, PARAMS(request_id), &found, err))
		return false;
	if (found.count == 1) {
		*entry_id = arena_copy(&run->arena, row_text(&found, 0, 0), row_length(&found, 0, 0));
		fine = same_revoke(&found, grant_id, reason, ticket, request_id, err);
	}
	rows_release(&found);
	return fine;
}

/* Takes the whole balance of a row of credit_list.sql, and says so in the audit log. */
static bool
take_balance(
    struct run *run, const struct rows *grants, int row, struct credit_entry entry, const char **entry_id, struct error *err)
{
	int minor_units = (int)row_number(grants, row, LIST_MINOR_UNITS);
	const char *code = row_text(grants, row, LIST_CURRENCY), *grant_id = row_text(grants, row, 0);
	int64_t balance = row_number(grants, row, LIST_BALANCE);

	entry.minor = -balance;
	return credit_entry_add(run, grant_id, &entry, entry_id, err) &&
	    audit_add(run,
		&(struct audit){.action = run->command->name,
		    .subject = arena_format(&run->arena, "credit %s of %s", grant_id, row_text(grants, row, LIST_TENANT)),
		    .reason = entry.reason,
		    .ticket = entry.ticket,
		    .before = arena_format(&run->arena, "balance %s", amount_text(run, balance, minor_units, code)),
		    .after = arena_format(&run->arena, "balance %s", amount_text(run, 0, minor_units, code))},
		err);
}

static bool
revoke_now(struct run *run, const char *grant_id, struct credit_entry entry, const char **entry_id, struct error *err)
{
	struct rows grants;
	bool fine = false;

	if (!db_rows(run->db, SQL_LEDGER_CREDIT_LIST, PARAMS("", grant_id, param_instant(&run->arena, run->now), "false"),
		&grants, err))
		return false;
	if (grants.count == 0) {
		error_set(err, ERROR_STATE, "there is no credit \"%s\"", grant_id);
		error_hint(err, "tollbook credit list shows them with their numbers.");
	} else if (row_number(&grants, 0, LIST_BALANCE) == 0) {
		error_set(err, ERROR_STATE, "nothing is left of credit %s", grant_id);
		error_hint(err, "What was used stays used; tollbook credit history %s shows where.", grant_id);
	} else {
		fine = take_balance(run, &grants, 0, entry, entry_id, err);
	}
	rows_release(&grants);
	return fine;
}

bool
credit_revoke(struct run *run, const char *grant_id, const char *reason, const char *ticket, const char *request_id,
    const char **entry_id, struct error *err)
{
	struct credit_entry entry = {.kind = "revoke", .request_id = request_id, .reason = reason, .ticket = ticket};
	bool fine;

	if (!begin_alone(run, err))
		return false;
	fine = reason_check(run, reason, "revoke", err) &&
	    revoked_before(run, grant_id, reason, ticket, request_id, entry_id, err) &&
	    (*entry_id != NULL || revoke_now(run, grant_id, entry, entry_id, err));
	return end_alone(run, fine, err);
}

/* --- expiring --------------------------------------------------------------------------------- */

static bool
expire_row(struct run *run, const struct rows *grants, int row, credit_expire_told *told, void *context, struct error *err)
{
	struct credit_expired expired = {.grant_id = row_text(grants, row, 0),
	    .tenant = row_text(grants, row, LIST_TENANT),
	    .currency = row_text(grants, row, LIST_CURRENCY),
	    .minor = row_number(grants, row, LIST_BALANCE),
	    .minor_units = row_number(grants, row, LIST_MINOR_UNITS),
	    .waits_for = row_text(grants, row, LIST_WAITS_FOR)};
	const char *entry_id;

	if (!row_bool(grants, row, LIST_HAS_EXPIRED))
		return true;
	if (expired.waits_for[0] == '\0' &&
	    !take_balance(run, grants, row, (struct credit_entry){.kind = "expire"}, &entry_id, err))
		return false;
	told(context, &expired);
	return true;
}

bool
credits_expire(struct run *run, credit_expire_told *told, void *context, struct error *err)
{
	struct rows grants;
	bool fine;

	if (!begin_alone(run, err))
		return false;
	fine =
	    db_rows(run->db, SQL_LEDGER_CREDIT_LIST, PARAMS("", "", param_instant(&run->arena, run->now), "true"), &grants, err);
	if (fine) {
		for (int i = 0; fine && i < grants.count; i++)
			fine = expire_row(run, &grants, i, told, context, err);
		rows_release(&grants);
	}
	return end_alone(run, fine, err);
}
